//! Words that cannot have happened: two different answers to the same question with nothing in between.
//!
//! A side-effect-free method that answers `isEmpty:TRUE` and then `isEmpty:FALSE`, with no event in between
//! that could have changed the object, was not called on one object in one thread: object ids were reused, or
//! traces got mixed. With confidence 1 as the rule, one such trace in thousands takes true properties away
//! [dice, section 3.2].
//!
//! Cost: one pass over the words, a map lookup for each pure event.

use std::collections::BTreeMap;

use crate::{Alphabet, Label, Letter, Word, Words};

/// A word that contradicts itself, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The index of the word in [`Words::words`].
    pub word: usize,
    /// The number of traces that read like this.
    pub weight: u64,
    /// The position of the first answer in the word.
    pub first: usize,
    /// The position of the second answer, the first that contradicts.
    pub second: usize,
    /// The two answers, as labels.
    pub labels: (String, String),
}

/// Finds the words that contradict themselves, and in each the first contradiction.
///
/// `pure` tells whether the method of a label changes nothing, `observer` whether it asks the same question
/// at every call. A method with arguments does not: `contains:TRUE contains:FALSE` may be about two elements.
/// Answers are the outcomes in labels: a method that once returned and once threw contradicts itself too, and
/// a label without an outcome says nothing.
pub fn find(
    words: &Words,
    observer: impl Fn(&str) -> bool,
    pure: impl Fn(&str) -> bool,
) -> Vec<Contradiction> {
    let letters = observers(&words.alphabet, observer, pure);
    let mut known = BTreeMap::new();
    let mut found = Vec::new();
    for (index, word) in words.words.iter().enumerate() {
        known.clear();
        if let Some((first, second)) = first_contradiction(word, &letters, &mut known) {
            let label = |at: usize| words.alphabet.name(word.letters[at]).to_owned();
            found.push(Contradiction {
                word: index,
                weight: word.weight,
                first,
                second,
                labels: (label(first), label(second)),
            });
        }
    }
    found
}

/// The role of a letter in the search.
#[derive(Clone, Copy)]
enum Kind {
    /// It may change the object, and with it every answer.
    Impure,
    /// It changes nothing and says nothing.
    Silent,
    /// It changes nothing, and is an answer of the method with this number.
    Answer(u32),
}

fn observers(alphabet: &Alphabet, observer: impl Fn(&str) -> bool, pure: impl Fn(&str) -> bool) -> Vec<Kind> {
    let mut methods = Alphabet::new();
    alphabet
        .names()
        .map(|label| match Label::parse(label).method() {
            _ if !pure(label) => Kind::Impure,
            method if method == label || !observer(label) => Kind::Silent,
            method => Kind::Answer(methods.intern(method)),
        })
        .collect()
}

fn first_contradiction(
    word: &Word,
    kinds: &[Kind],
    known: &mut BTreeMap<u32, (usize, Letter)>,
) -> Option<(usize, usize)> {
    for (at, &letter) in word.letters.iter().enumerate() {
        match kinds[letter as usize] {
            Kind::Impure => known.clear(),
            Kind::Silent => {}
            Kind::Answer(method) => {
                let &mut (first, answer) = known.entry(method).or_insert((at, letter));
                if answer != letter {
                    return Some((first, at));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;
    use crate::pure_by_name;

    fn words(text: &str) -> Words {
        let mut words = Words::new();
        for line in text.lines() {
            words.add(line.split_whitespace(), 1);
        }
        words
    }

    fn check(text: &str, expected: Expect) {
        let words = words(text);
        let found = find(&words, pure_by_name, |label| pure_by_name(label) || label.starts_with("contains"));
        let shown: String = found
            .iter()
            .map(|c| {
                format!(
                    "word {} ×{}: {} at {}, {} at {}\n",
                    c.word, c.weight, c.labels.0, c.first, c.labels.1, c.second
                )
            })
            .collect();
        expected.assert_eq(&shown);
    }

    #[test]
    fn answers_that_change_without_a_reason() {
        check(
            "new isEmpty:TRUE isEmpty:FALSE\n\
             new isEmpty:TRUE add isEmpty:FALSE\n\
             new isEmpty:TRUE hasNext:FALSE isEmpty:TRUE hasNext:TRUE isEmpty:FALSE\n\
             new isEmpty:TRUE isEmpty:FALSE\n\
             add:TRUE add:FALSE\n\
             isEmpty:TRUE contains:TRUE isEmpty:FALSE\n\
             contains:TRUE contains:FALSE\n\
             isOpen isOpen:TRUE isOpen!IOException",
            expect![[r#"
                word 0 ×2: isEmpty:TRUE at 1, isEmpty:FALSE at 2
                word 2 ×1: hasNext:FALSE at 2, hasNext:TRUE at 4
                word 4 ×1: isEmpty:TRUE at 0, isEmpty:FALSE at 2
                word 6 ×1: isOpen:TRUE at 1, isOpen!IOException at 2
            "#]],
        );
    }

    proptest! {
        /// Agrees with the definition: some pair of different answers with only pure events between.
        #[test]
        fn agrees_with_the_definition(text in "(isA:TRUE |isA:FALSE |isB:TRUE |isB:FALSE |isB |put ){0,9}") {
            let words = words(&text);
            let labels: Vec<&str> = text.split_whitespace().collect();
            let contradicts = |i: usize, j: usize| {
                labels[i..=j].iter().all(|label| pure_by_name(label))
                    && Label::parse(labels[i]).method() == Label::parse(labels[j]).method()
                    && labels[i] != labels[j]
                    && [labels[i], labels[j]].iter().all(|label| Label::parse(label).answer().is_some())
            };
            let naive = (0..labels.len()).any(|i| (i..labels.len()).any(|j| contradicts(i, j)));
            let found = find(&words, pure_by_name, pure_by_name);
            prop_assert_eq!(!found.is_empty(), naive);
            for contradiction in found {
                prop_assert!(contradicts(contradiction.first, contradiction.second));
            }
        }
    }
}
