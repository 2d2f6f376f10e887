//! Words that a campaign has stored, as far as it takes to recognize them: there may be a million.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use adit_trace::Letter;

/// The words that are stored, or will be with the next batch.
pub(super) struct SeenWords {
    /// Fingerprints; the words themselves would not fit into memory. Of a million words two are alike by
    /// chance once in thirty million campaigns, and then the second is taken for the first.
    fingerprints: HashSet<u64>,
    /// Repetitions of each word in this round, by its fingerprint. They are written at the end of the round,
    /// because there are tens of thousands a second.
    repetitions: HashMap<u64, u64>,
    pairs: Pairs,
}

impl SeenWords {
    /// No words, over an alphabet of this size.
    pub(super) fn new(letters: usize) -> Self {
        Self { fingerprints: HashSet::new(), repetitions: HashMap::new(), pairs: Pairs::new(letters) }
    }

    pub(super) fn len(&self) -> usize {
        self.fingerprints.len()
    }

    pub(super) fn contains(&self, word: Fingerprint) -> bool {
        self.fingerprints.contains(&word.0)
    }

    /// Returns true if the word has two consecutive events that no word before it had.
    pub(super) fn has_new_pair(&self, word: &[Letter]) -> bool {
        pairs(word).any(|pair| !self.pairs.contains(pair))
    }

    pub(super) fn add(&mut self, word: &[Letter]) {
        self.fingerprints.insert(Fingerprint::of(word).0);
        self.pairs.add(word);
    }

    /// Counts that a known word was seen again.
    pub(super) fn repeat(&mut self, word: Fingerprint) {
        *self.repetitions.entry(word.0).or_default() += 1;
    }

    /// Returns true if a word was seen again in this round.
    pub(super) fn has_repetitions(&self) -> bool {
        !self.repetitions.is_empty()
    }

    /// Returns how often a word was seen again in this round.
    pub(super) fn repetitions(&self, word: Fingerprint) -> Option<u64> {
        self.repetitions.get(&word.0).copied()
    }
}

/// A number for a word, the same in every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Fingerprint(u64);

impl Fingerprint {
    pub(super) fn of(word: &[Letter]) -> Self {
        Self(BuildHasherDefault::<DefaultHasher>::default().hash_one(word))
    }
}

/// The pairs of consecutive events of a word, and its first event with none before it.
fn pairs(word: &[Letter]) -> impl Iterator<Item = (Option<Letter>, Letter)> {
    let before = std::iter::once(None).chain(word.iter().copied().map(Some));
    before.zip(word.iter().copied())
}

/// The set of all pairs that were seen, as a table: a million words have a hundred million.
struct Pairs {
    letters: usize,
    seen: Vec<bool>,
}

impl Pairs {
    fn new(letters: usize) -> Self {
        Self { letters, seen: vec![false; (letters + 1) * letters] }
    }

    fn contains(&self, (before, letter): (Option<Letter>, Letter)) -> bool {
        self.seen[self.place(before, letter)]
    }

    fn add(&mut self, word: &[Letter]) {
        for (before, letter) in pairs(word) {
            let place = self.place(before, letter);
            self.seen[place] = true;
        }
    }

    /// The row of first events comes first.
    fn place(&self, before: Option<Letter>, letter: Letter) -> usize {
        before.map_or(0, |before| before as usize + 1) * self.letters + letter as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_recognized_and_its_pairs_are_new_once() {
        let mut seen = SeenWords::new(3);
        assert!(seen.has_new_pair(&[0, 1]));
        seen.add(&[0, 1]);
        assert!(seen.contains(Fingerprint::of(&[0, 1])) && !seen.contains(Fingerprint::of(&[1, 0])));
        // A word that begins with another event has a new pair: the beginning and that event.
        assert!(!seen.has_new_pair(&[0]) && seen.has_new_pair(&[1]) && seen.has_new_pair(&[0, 1, 2]));
        assert!(!seen.has_repetitions());
        seen.repeat(Fingerprint::of(&[0, 1]));
        seen.repeat(Fingerprint::of(&[0, 1]));
        assert_eq!(seen.repetitions(Fingerprint::of(&[0, 1])), Some(2));
    }
}
