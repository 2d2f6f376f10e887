//! The state of an execution: objects in one flat heap, static fields, and which classes are initialized.

use crate::domain::Word;
use crate::link::{ClassId, TypeNumber};
use crate::shape::Address;
use crate::{InterpreterLimits, Unknown};

/// Number of an object in a [`MachineState`]; zero is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectNumber(pub u32);

impl<S: Copy> MachineState<S> {
    /// The same state without shadows.
    pub(crate) fn concrete(&self) -> MachineState<()> {
        let plain = |words: &[Word<S>]| words.iter().map(|word| Word::plain(word.bits)).collect();
        MachineState {
            objects: self.objects.clone(),
            words: plain(&self.words),
            statics: plain(&self.statics),
            initialized: self.initialized.clone(),
            lengths: self.lengths.iter().map(|&(array, length)| (array, Word::plain(length.bits))).collect(),
        }
    }

    /// Becomes a copy of another state, in the memory that it has already.
    pub(crate) fn copy_from(&mut self, other: &MachineState<S>) {
        self.objects.clone_from(&other.objects);
        self.words.clone_from(&other.words);
        self.statics.clone_from(&other.statics);
        self.initialized.clone_from(&other.initialized);
        self.lengths.clone_from(&other.lengths);
    }

    pub(crate) fn has_initialized(&self, other: &MachineState<S>) -> bool {
        self.initialized == other.initialized
    }
}

impl MachineState<()> {
    /// The same state with plain shadows.
    pub(crate) fn shadowed<S: Default>(&self) -> MachineState<S> {
        let plain = |words: &[Word<()>]| words.iter().map(|word| Word::plain(word.bits)).collect();
        MachineState {
            objects: self.objects.clone(),
            words: plain(&self.words),
            statics: plain(&self.statics),
            initialized: self.initialized.clone(),
            lengths: self.lengths.iter().map(|&(array, length)| (array, Word::plain(length.bits))).collect(),
        }
    }
}

/// Kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    /// An object that the component allocated.
    Instance(ClassId),
    /// An array that the component allocated, by its type.
    Array(TypeNumber),
    /// A string constant.
    Literal(u32),
    /// A string whose characters are not represented.
    Text,
    /// A class as a value.
    Mirror(TypeNumber),
    /// An object from outside, of this declared type. Its words are its identity, and for strings its
    /// content, length and hash code, for arrays the length. An identity of zero is null.
    Outside(TypeNumber),
}

/// An object: its kind, and its words in the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    pub(crate) start: u32,
    pub(crate) length: u32,
}

/// Words of an object from outside.
pub(crate) const IDENTITY: usize = 0;
pub(crate) const CONTENT: usize = 1;
pub(crate) const LENGTH: usize = 2;
pub(crate) const HASH: usize = 3;
pub(crate) const OUTSIDE_WORDS: usize = 4;

/// The state between two calls. Copies are cheap: a few flat lists.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineState<S> {
    /// Object `n` is at `n - 1`.
    objects: Vec<Object>,
    words: Vec<Word<S>>,
    statics: Vec<Word<S>>,
    initialized: Vec<bool>,
    /// Arrays whose length depends on inputs, and these lengths. The words of such an array are as many as in
    /// this run.
    lengths: Vec<(i64, Word<S>)>,
}

impl<S: Copy + Default + PartialEq> MachineState<S> {
    /// Creates the state before any class is initialized.
    pub fn new() -> MachineState<S> {
        MachineState {
            objects: Vec::new(),
            words: Vec::new(),
            statics: Vec::new(),
            initialized: Vec::new(),
            lengths: Vec::new(),
        }
    }

    pub(crate) fn object(&self, number: i64) -> Option<Object> {
        // Null wraps around to a number that no object has.
        self.objects.get((number as usize).wrapping_sub(1)).copied()
    }

    /// Returns the kind of an object, and `None` for null.
    pub fn kind(&self, number: ObjectNumber) -> Option<ObjectKind> {
        self.object(i64::from(number.0)).map(|object| object.kind)
    }

    pub(crate) fn slots(&self, object: Object) -> &[Word<S>] {
        &self.words[object.start as usize..(object.start + object.length) as usize]
    }

    pub(crate) fn slots_mut(&mut self, object: Object) -> &mut [Word<S>] {
        &mut self.words[object.start as usize..(object.start + object.length) as usize]
    }

    /// Allocates an object whose fields or elements are zero.
    pub(crate) fn allocate(
        &mut self,
        kind: ObjectKind,
        length: usize,
        limits: &InterpreterLimits,
    ) -> Result<i64, Unknown> {
        if self.words.len() + self.objects.len() + length > limits.words {
            return Err(Unknown::HeapLimit);
        }
        let start = self.words.len() as u32;
        self.words.resize(self.words.len() + length, Word::plain(0));
        self.objects.push(Object { kind, start, length: length as u32 });
        Ok(self.objects.len() as i64)
    }

    /// Allocates an object of a kind that exists once, or returns it if it exists.
    pub(crate) fn intern(&mut self, kind: ObjectKind, limits: &InterpreterLimits) -> Result<i64, Unknown> {
        match self.objects.iter().position(|object| object.kind == kind) {
            Some(at) => Ok(at as i64 + 1),
            None => self.allocate(kind, 0, limits),
        }
    }

    /// Appends an object with these words.
    pub(crate) fn append(&mut self, kind: ObjectKind, words: &[Word<S>]) -> i64 {
        let start = self.words.len() as u32;
        self.words.extend_from_slice(words);
        self.objects.push(Object { kind, start, length: words.len() as u32 });
        self.objects.len() as i64
    }

    /// The length of an array, whose number is `array`.
    #[inline]
    pub(crate) fn length(&self, array: i64, object: Object) -> Word<S> {
        let open = self.lengths.iter().find(|(open, _)| *open == array);
        open.map_or(Word::plain(i64::from(object.length)), |&(_, length)| length)
    }

    /// Notes that the length of an array depends on inputs.
    pub(crate) fn set_length(&mut self, array: i64, length: Word<S>) {
        self.lengths.push((array, length));
    }

    pub(crate) fn object_count(&self) -> usize {
        self.objects.len()
    }

    pub(crate) fn static_count(&self) -> usize {
        self.statics.len()
    }

    /// Kinds and lengths of all objects, in order.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (ObjectKind, u32)> + '_ {
        self.objects.iter().map(|object| (object.kind, object.length))
    }

    pub(crate) fn word(&self, address: Address) -> Word<S> {
        match address {
            Address::Static(number) => self.static_word(number),
            Address::Heap(at) => self.words[at as usize],
        }
    }

    pub(crate) fn set_word(&mut self, address: Address, word: Word<S>) {
        match address {
            Address::Static(number) => self.set_static(number, word),
            Address::Heap(at) => self.words[at as usize] = word,
        }
    }

    pub(crate) fn static_word(&self, number: u32) -> Word<S> {
        self.statics.get(number as usize).copied().unwrap_or(Word::plain(0))
    }

    pub(crate) fn set_static(&mut self, number: u32, value: Word<S>) {
        let number = number as usize;
        if number >= self.statics.len() {
            self.statics.resize(number + 1, Word::plain(0));
        }
        self.statics[number] = value;
    }

    #[inline]
    pub(crate) fn is_initialized(&self, class: ClassId) -> bool {
        self.initialized.get(class.0 as usize).copied().unwrap_or(false)
    }

    pub(crate) fn set_initialized(&mut self, class: ClassId) {
        let number = class.0 as usize;
        if number >= self.initialized.len() {
            self.initialized.resize(number + 1, false);
        }
        self.initialized[number] = true;
    }
}

impl<S: Copy + Default + PartialEq> Default for MachineState<S> {
    fn default() -> Self {
        Self::new()
    }
}
