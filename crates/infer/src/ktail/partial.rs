//! The prefix tree of a part of a log as bytes, to be written by one process and merged by another.
//!
//! Parts are merged as trees, not as tails. The class of a prefix depends on everything that ever
//! followed it, in any part of the log: after `open`, one part may have seen only `read` and another only
//! `close`. Counts of tails cannot be added up without knowing which states of two parts are the same prefix,
//! and that is what the tree says.
//!
//! Merging trees is exact. The states of a prefix tree are the prefixes of its words, and those at which a
//! word ends accept; so the tree of two logs together has the union of both sets, and the tree is determined
//! by the set of words alone. [`ktail`](super::ktail) is a function of the tree, hence of the union, and a
//! union of sets is associative, commutative and has the empty set as its identity. Weights are sums.
//!
//! Words are written in order, each with the number of letters that it shares with the one before it. That is
//! the tree in depth-first order: every edge is written once. Labels are in order too, so equal logs give
//! equal bytes.

use std::fmt;

use adit_trace::{Alphabet, Letter, WordSink, Words, varint};

/// Bytes that are no prefix tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DamagedTree {
    what: &'static str,
}

impl fmt::Display for DamagedTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the prefix tree is damaged: {}", self.what)
    }
}

impl std::error::Error for DamagedTree {}

/// The prefix tree of `words` as bytes, with the number of traces that end at each state. It does not depend
/// on the order of `words`.
pub fn tree_to_bytes(words: &Words) -> Vec<u8> {
    let words = words.sorted();
    let mut bytes = Vec::new();
    varint::put(&mut bytes, words.alphabet.len() as u64);
    for label in words.alphabet.names() {
        varint::put(&mut bytes, label.len() as u64);
        bytes.extend_from_slice(label.as_bytes());
    }
    varint::put(&mut bytes, words.words.len() as u64);
    let mut previous: &[Letter] = &[];
    for word in &words.words {
        let shared = word.letters.iter().zip(previous).take_while(|(one, other)| one == other).count();
        varint::put(&mut bytes, shared as u64);
        varint::put(&mut bytes, (word.letters.len() - shared) as u64);
        word.letters[shared..].iter().for_each(|&letter| varint::put(&mut bytes, letter.into()));
        varint::put(&mut bytes, word.weight);
        previous = &word.letters;
    }
    bytes
}

/// Merges the tree that [`tree_to_bytes`] wrote into `words`.
pub fn merge_tree(words: &mut Words, mut bytes: &[u8]) -> Result<(), DamagedTree> {
    let damaged = |what| DamagedTree { what };
    let early = damaged("it ends too early");
    let labels = varint::take(&mut bytes).ok_or(early)?;
    let mut alphabet = Alphabet::new();
    for _ in 0..labels {
        let length = varint::take(&mut bytes).and_then(|length| usize::try_from(length).ok());
        let length = length.filter(|&length| length <= bytes.len()).ok_or(early)?;
        let (name, rest) = bytes.split_at(length);
        bytes = rest;
        alphabet.intern(std::str::from_utf8(name).map_err(|_| damaged("a label is no text"))?);
    }
    if alphabet.len() as u64 != labels {
        return Err(damaged("a label is there twice"));
    }
    // The letters of `words` for those of the file.
    let letters: Vec<Letter> = alphabet.names().map(|label| words.alphabet.intern(label)).collect();
    let known = words.alphabet.clone();
    let mut word: Vec<Letter> = Vec::new();
    for _ in 0..varint::take(&mut bytes).ok_or(early)? {
        let shared = varint::take(&mut bytes).ok_or(early)?;
        let fresh = varint::take(&mut bytes).ok_or(early)?;
        if shared > word.len() as u64 || fresh > bytes.len() as u64 {
            return Err(damaged("a word is longer than the file"));
        }
        word.truncate(shared as usize);
        for _ in 0..fresh {
            let letter = varint::take(&mut bytes).ok_or(early)?;
            let letter = usize::try_from(letter).ok().and_then(|letter| letters.get(letter));
            word.push(*letter.ok_or(damaged("a letter has no label"))?);
        }
        let weight = varint::take(&mut bytes).ok_or(early)?;
        words.part(&word, &known);
        words.end(weight);
    }
    if bytes.is_empty() { Ok(()) } else { Err(damaged("something follows it")) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Horizon, ktail};

    type Log = Vec<(Vec<u8>, u64)>;

    fn words_of(log: &Log) -> Words {
        let mut words = Words::new();
        for (word, weight) in log {
            let labels: Vec<String> = word.iter().map(|letter| format!("l{}", (letter * 7) % 5)).collect();
            words.add(labels.iter().map(String::as_str), *weight);
        }
        words
    }

    fn log() -> impl Strategy<Value = Log> {
        prop::collection::vec((prop::collection::vec(0..5_u8, 0..7), 1..3_u64), 0..7)
    }

    fn model(words: &Words, k: usize) -> adit_automata::Fsa<String> {
        let words = words.sorted();
        let letters: Vec<&[Letter]> = words.words.iter().map(|word| word.letters.as_slice()).collect();
        ktail(&letters, Horizon(k)).map(|&letter| words.alphabet.name(letter).to_owned())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Trees of parts, merged in any order and grouping, are the tree of the whole, to the byte, and give
        /// its model.
        #[test]
        fn trees_merge_to_the_tree_of_the_whole(parts in prop::collection::vec(log(), 1..5), turn in 0..5_usize, k in 0..4_usize) {
            let whole = words_of(&parts.concat());
            let mut trees: Vec<Vec<u8>> = parts.iter().map(|part| tree_to_bytes(&words_of(part))).collect();
            let by = turn % trees.len();
            trees.rotate_left(by);
            let mut straight = Words::new();
            trees.iter().for_each(|tree| merge_tree(&mut straight, tree).unwrap());
            // From the right, through bytes at every step.
            let mut nested = tree_to_bytes(&Words::new());
            for tree in trees.iter().rev() {
                let mut words = Words::new();
                merge_tree(&mut words, tree).unwrap();
                merge_tree(&mut words, &nested).unwrap();
                nested = tree_to_bytes(&words);
            }
            prop_assert_eq!(&tree_to_bytes(&straight), &tree_to_bytes(&whole));
            prop_assert_eq!(&nested, &tree_to_bytes(&whole));
            prop_assert_eq!(model(&straight, k), model(&whole, k));
            prop_assert_eq!(straight.traces(), whole.traces());
        }

        #[test]
        fn damage_is_refused_or_harmless(log in log(), at in 0..400_usize, byte: u8, cut: bool) {
            let mut bytes = tree_to_bytes(&words_of(&log));
            let at = at % bytes.len();
            if cut {
                bytes.truncate(at);
                prop_assert!(merge_tree(&mut Words::new(), &bytes).is_err());
            } else {
                bytes[at] = byte;
                let _ = merge_tree(&mut Words::new(), &bytes);
            }
        }
    }

    /// Tails alone do not merge: each part has `open` with one future, and the whole has it with both.
    #[test]
    fn classes_of_parts_are_not_classes_of_the_whole() {
        let (one, other) = (vec![(vec![0, 1], 1)], vec![(vec![0, 2], 1)]);
        let whole = model(&words_of(&[one.clone(), other.clone()].concat()), 1);
        assert_eq!(whole.len(), 3);
        assert_eq!(model(&words_of(&one), 1).len() + model(&words_of(&other), 1).len(), 6);
    }
}
