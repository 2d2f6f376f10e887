//! The shape of a state: its objects and how they refer to each other, without the numbers in them.
//!
//! A state is copied into a new one that has reachable objects only, in the order in which they are
//! reached. Two states of the same shape then differ in numbers alone, at the same addresses.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use adit_bytecode::Type;

use crate::domain::Word;
use crate::link::{ClassId, Linker};
use crate::state::{CONTENT, HASH, IDENTITY, LENGTH, MachineState, Object, ObjectKind, ObjectNumber};

/// A number of a state: where it is, and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NumberSlot {
    pub(crate) address: Address,
    /// The way to it in words of the source: `sink`, `parts.docked`, `elements[2]`.
    pub(crate) name: String,
    /// Its type.
    pub(crate) kind: NumberKind,
}

/// Address of a word in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Address {
    Static(u32),
    Heap(u32),
}

/// Type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum NumberKind {
    Boolean,
    Byte,
    Short,
    Char,
    Int,
    Long,
    /// The bits of a `float`.
    Float,
    /// The bits of a `double`.
    Double,
    /// The identity of an object from outside, where zero is null.
    Reference,
}

impl NumberKind {
    /// The kind of numbers of a type; references are identities.
    pub(crate) fn of(kind: &Type) -> NumberKind {
        match kind {
            Type::Boolean => NumberKind::Boolean,
            Type::Byte => NumberKind::Byte,
            Type::Char => NumberKind::Char,
            Type::Short => NumberKind::Short,
            Type::Int => NumberKind::Int,
            Type::Long => NumberKind::Long,
            Type::Float => NumberKind::Float,
            Type::Double => NumberKind::Double,
            Type::Class(_) | Type::Array(_) => NumberKind::Reference,
        }
    }
}

/// A state without garbage, and its shape.
pub(crate) struct Compact<S> {
    pub(crate) state: MachineState<S>,
    pub(crate) root: ObjectNumber,
    pub(crate) shape: Shape,
    /// All numbers of the state, in order.
    pub(crate) slots: Vec<NumberSlot>,
}

/// Everything about a state but its numbers. Equal shapes have the same numbers at the same addresses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Shape {
    objects: Vec<(ObjectKind, u32)>,
    /// The targets of all references, in order.
    references: Vec<u32>,
    /// The classes with an initializer that has run.
    initialized: Vec<ClassId>,
}

/// Copies what is reachable from `root` and from static fields.
pub(crate) fn compact<S: Copy + Default + PartialEq>(
    state: &MachineState<S>,
    linker: &Linker<'_>,
    root: ObjectNumber,
) -> Compact<S> {
    let mut copy = Copying {
        old: state,
        linker,
        numbers: vec![0; state.object_count() + 1],
        open: VecDeque::new(),
        next: 1,
        references: Vec::new(),
        slots: Vec::new(),
    };
    let mut new = MachineState::new();
    let new_root = copy.number(i64::from(root.0), "");
    copy.copy_statics(&mut new);
    copy.copy_objects(&mut new);
    let (references, mut slots) = (copy.references, copy.slots);
    tell_apart(&mut slots);
    let mut initialized = Vec::new();
    for class in (0..linker.classes.len() as u32).map(ClassId).filter(|&class| state.is_initialized(class)) {
        // The others have nothing to run, so whether they count as initialized makes no difference.
        if linker.at(class).initializer.is_some() {
            initialized.push(class);
        }
        new.set_initialized(class);
    }
    let objects = new.kinds().collect();
    let shape = Shape { objects, references, initialized };
    Compact { state: new, root: ObjectNumber(new_root as u32), shape, slots }
}

/// Addresses of all references of a state without garbage.
pub(crate) fn references<S: Copy + Default + PartialEq>(
    state: &MachineState<S>,
    linker: &Linker<'_>,
) -> Vec<Address> {
    let statics = linker.statics.iter().take(state.static_count()).enumerate();
    let mut found: Vec<Address> = statics
        .filter(|(_, slot)| slot.kind.is_reference())
        .map(|(number, _)| Address::Static(number as u32))
        .collect();
    let mut address = 0;
    for (kind, length) in state.kinds() {
        for slot in 0..length {
            let is_reference = match kind {
                ObjectKind::Instance(class) => linker.at(class).fields[slot as usize].kind.is_reference(),
                ObjectKind::Array(kind) => {
                    let name = linker.name_of_type(kind);
                    name.starts_with("[[") || name.starts_with("[L")
                }
                _ => false,
            };
            if is_reference {
                found.push(Address::Heap(address));
            }
            address += 1;
        }
    }
    found
}

/// Numbers names that occur more than once, as those of fields that a subclass declares again.
fn tell_apart(slots: &mut [NumberSlot]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for slot in slots {
        let count = seen.entry(slot.name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            slot.name += &format!(" ({count})");
        }
    }
}

struct Copying<'a, 'p, S> {
    old: &'a MachineState<S>,
    linker: &'a Linker<'p>,
    /// New numbers of old objects; zero if not reached.
    numbers: Vec<u32>,
    open: VecDeque<(Object, String)>,
    next: u32,
    references: Vec<u32>,
    slots: Vec<NumberSlot>,
}

impl<S: Copy + Default + PartialEq> Copying<'_, '_, S> {
    /// The new number of an object, which is copied later under this name if it is new.
    fn number(&mut self, old: i64, name: &str) -> i64 {
        let Some(object) = self.old.object(old) else { return 0 };
        let known = &mut self.numbers[old as usize];
        if *known == 0 {
            *known = self.next;
            self.next += 1;
            self.open.push_back((object, name.to_owned()));
        }
        i64::from(*known)
    }

    fn refer(&mut self, word: Word<S>, name: &str) -> Word<S> {
        let number = self.number(word.bits, name);
        self.references.push(number as u32);
        Word::plain(number)
    }

    fn copy_statics(&mut self, new: &mut MachineState<S>) {
        let linker = self.linker;
        for (number, slot) in (0..).zip(&linker.statics).take(self.old.static_count()) {
            let word = self.old.static_word(number);
            let simple = slot.class.rsplit('/').next().unwrap_or(&slot.class).replace('$', ".");
            let name = format!("{simple}.{}", slot.name);
            let word = if slot.kind.is_reference() {
                self.refer(word, &name)
            } else {
                let kind = NumberKind::of(&slot.kind);
                self.slots.push(NumberSlot { address: Address::Static(number), name, kind });
                word
            };
            new.set_static(number, word);
        }
    }

    fn copy_objects(&mut self, new: &mut MachineState<S>) {
        let mut address = 0;
        while let Some((object, name)) = self.open.pop_front() {
            let mut words = Vec::with_capacity(object.length as usize);
            for slot in 0..object.length {
                let word = self.old.slots(object)[slot as usize];
                let (name, kind) = self.describe(object.kind, slot, &name);
                words.push(match kind {
                    None => self.refer(word, &name),
                    Some(kind) => {
                        self.slots.push(NumberSlot { address: Address::Heap(address), name, kind });
                        word
                    }
                });
                address += 1;
            }
            new.append(object.kind, &words);
        }
    }

    /// The name and kind of a slot of an object; no kind if it is a reference.
    fn describe(&self, kind: ObjectKind, slot: u32, path: &str) -> (String, Option<NumberKind>) {
        match kind {
            ObjectKind::Instance(class) => {
                let field = &self.linker.at(class).fields[slot as usize];
                let name =
                    if path.is_empty() { field.name.to_string() } else { format!("{path}.{}", field.name) };
                (name, (!field.kind.is_reference()).then(|| NumberKind::of(&field.kind)))
            }
            ObjectKind::Array(kind) => {
                let descriptor: Arc<str> = self.linker.name_of_type(kind);
                let element = descriptor.strip_prefix('[').and_then(Type::parse);
                let kind = element.filter(|kind| !kind.is_reference()).map(|kind| NumberKind::of(&kind));
                (format!("{path}[{slot}]"), kind)
            }
            _ => match slot as usize {
                IDENTITY => (path.to_owned(), Some(NumberKind::Reference)),
                CONTENT => (format!("{path}.text"), Some(NumberKind::Int)),
                LENGTH => (format!("{path}.length"), Some(NumberKind::Int)),
                HASH => (format!("{path}.hashCode()"), Some(NumberKind::Int)),
                _ => (path.to_owned(), Some(NumberKind::Int)),
            },
        }
    }
}
