//! Labels as small numbers.

use rustc_hash::FxHashMap;

/// The number of a label in an [`Alphabet`]. Letters are numbered in the order of first appearance.
pub type Letter = u32;

/// The labels seen so far, numbered densely from zero in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct Alphabet {
    names: Vec<Box<str>>,
    letters: FxHashMap<Box<str>, Letter>,
}

impl Alphabet {
    /// An alphabet without letters.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the letter of `label`, a new one if the label was not known.
    pub fn intern(&mut self, label: &str) -> Letter {
        if let Some(&letter) = self.letters.get(label) {
            return letter;
        }
        let letter = Letter::try_from(self.names.len()).expect("fewer than 2^32 labels fit in memory");
        self.names.push(label.into());
        self.letters.insert(label.into(), letter);
        letter
    }

    /// The letter of `label` if it is known.
    pub fn get(&self, label: &str) -> Option<Letter> {
        self.letters.get(label).copied()
    }

    /// The label that `letter` stands for.
    pub fn name(&self, letter: Letter) -> &str {
        &self.names[letter as usize]
    }

    /// The number of letters.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Tells whether there is no letter yet.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All labels, by letter.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }
}

impl<'a> FromIterator<&'a str> for Alphabet {
    fn from_iter<I: IntoIterator<Item = &'a str>>(labels: I) -> Self {
        let mut alphabet = Self::new();
        for label in labels {
            alphabet.intern(label);
        }
        alphabet
    }
}
