//! Traces as words over an alphabet of labels, equal ones kept once with a weight.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::{Alphabet, Letter};

/// Receives words while they are read, each in one or more parts: a word need not fit into memory.
pub trait WordSink {
    /// Takes the next letters of the current word. `alphabet` names every letter seen so far and only grows.
    fn part(&mut self, letters: &[Letter], alphabet: &Alphabet);
    /// Ends the current word, which may be empty and was seen `weight` times.
    fn end(&mut self, weight: u64);
}

/// A word and its frequency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The letters, in order.
    pub letters: Vec<Letter>,
    /// The number of traces that read like this.
    pub weight: u64,
}

/// Distinct words over one alphabet, in the order of first appearance.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Names the letters of all words.
    pub alphabet: Alphabet,
    /// The distinct words.
    pub words: Vec<Word>,
    index: FxHashMap<Box<[Letter]>, usize>,
    current: Vec<Letter>,
}

impl Words {
    /// No words.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a word given by its labels.
    pub fn add<'a>(&mut self, labels: impl IntoIterator<Item = &'a str>, weight: u64) {
        self.current.clear();
        for label in labels {
            let letter = self.alphabet.intern(label);
            self.current.push(letter);
        }
        self.end(weight);
    }

    /// The number of traces, equal ones counted each.
    pub fn traces(&self) -> u64 {
        self.words.iter().fold(0, |sum, word| sum.saturating_add(word.weight))
    }

    /// The number of events in all traces.
    pub fn events(&self) -> u64 {
        let events = |word: &Word| word.weight.saturating_mul(word.letters.len() as u64);
        self.words.iter().fold(0, |sum, word| sum.saturating_add(events(word)))
    }

    /// The same words without those of these indices. Letters keep their numbers.
    pub fn without(&self, dropped: &BTreeSet<usize>) -> Self {
        let mut kept = Self { alphabet: self.alphabet.clone(), ..Self::default() };
        for (_, word) in self.words.iter().enumerate().filter(|(index, _)| !dropped.contains(index)) {
            kept.add(self.labels(word), word.weight);
        }
        kept
    }

    /// The same words in a form that does not depend on the order in which they were added: letters are
    /// numbered in the order of their labels, and words stand in the order of their letters. Labels that
    /// occur in no word are left out.
    pub fn sorted(&self) -> Self {
        let mut occurs = vec![false; self.alphabet.len()];
        self.words.iter().flat_map(|word| &word.letters).for_each(|&letter| occurs[letter as usize] = true);
        let mut labels: Vec<&str> =
            self.alphabet.names().zip(occurs).filter(|(_, occurs)| *occurs).map(|(label, _)| label).collect();
        labels.sort_unstable();
        let mut sorted = Self { alphabet: labels.into_iter().collect(), ..Self::default() };
        let new: Vec<Letter> =
            self.alphabet.names().map(|label| sorted.alphabet.get(label).unwrap_or(Letter::MAX)).collect();
        let renamed = |word: &Word| Word {
            letters: word.letters.iter().map(|&letter| new[letter as usize]).collect(),
            weight: word.weight,
        };
        let mut words: Vec<Word> = self.words.iter().map(renamed).collect();
        words.sort_unstable_by(|one, other| one.letters.cmp(&other.letters));
        for word in words {
            sorted.current.extend_from_slice(&word.letters);
            sorted.end(word.weight);
        }
        sorted
    }

    /// The labels of `word`.
    pub fn labels<'a>(&'a self, word: &'a Word) -> impl Iterator<Item = &'a str> {
        word.letters.iter().map(|&letter| self.alphabet.name(letter))
    }
}

impl WordSink for Words {
    fn part(&mut self, letters: &[Letter], alphabet: &Alphabet) {
        for name in alphabet.names().skip(self.alphabet.len()) {
            self.alphabet.intern(name);
        }
        self.current.extend_from_slice(letters);
    }

    fn end(&mut self, weight: u64) {
        if let Some(&at) = self.index.get(self.current.as_slice()) {
            let known = &mut self.words[at].weight;
            *known = known.saturating_add(weight);
        } else {
            self.index.insert(self.current.as_slice().into(), self.words.len());
            self.words.push(Word { letters: self.current.clone(), weight });
        }
        self.current.clear();
    }
}
