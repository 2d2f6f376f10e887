//! Checks of conjectures by words: what they have in common.

use std::fmt;

use super::{Ended, InputWord, Mealy, MealyTeacher, OutputSymbol};
use crate::lts::Symbol;

/// A search for a word on which a conjecture is wrong.
pub trait Equivalence {
    /// A word whose last output differs between `hypothesis` and the teacher; none if the search finds none.
    fn counterexample(
        &mut self,
        hypothesis: &Mealy,
        teacher: &mut dyn MealyTeacher<Output = OutputSymbol>,
    ) -> Result<Option<InputWord>, Ended>;

    /// The check of the last conjecture.
    fn checked(&self) -> Checked;
}

/// Description of a check: what it means that no difference was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Every machine with at most so many states more than the conjecture would have been told apart from it.
    Exhaustive {
        /// Name of the method.
        method: &'static str,
        /// States that the system may have beyond those of the conjecture.
        extra_states: usize,
        /// Words that were run.
        words: usize,
    },
    /// Random words were run, which proves nothing.
    Sampled {
        /// Words that were run.
        words: usize,
        /// Bounds on their lengths.
        lengths: (usize, usize),
    },
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exhaustive { method, extra_states, words } => {
                let plural = if *extra_states == 1 { "state" } else { "states" };
                write!(f, "{method} to {extra_states} extra {plural}, {words} words")
            }
            Self::Sampled { words, lengths: (least, most) } => {
                write!(f, "{words} random words of {least} to {most} inputs")
            }
        }
    }
}

/// Runs `words` in sets of at most `batch`, and returns the first one on which `hypothesis` is wrong, up to
/// its first wrong output. Counts in `asked` the words that were run.
pub(crate) fn first_difference(
    words: &mut impl Iterator<Item = InputWord>,
    batch: usize,
    asked: &mut usize,
    hypothesis: &Mealy,
    teacher: &mut dyn MealyTeacher<Output = OutputSymbol>,
) -> Result<Option<InputWord>, Ended> {
    loop {
        let set: Vec<InputWord> = words.by_ref().take(batch.max(1)).collect();
        if set.is_empty() {
            return Ok(None);
        }
        *asked += set.len();
        for (mut word, outputs) in set.iter().cloned().zip(teacher.ask(&set)?) {
            let mut state = 0;
            for (at, output) in outputs.into_iter().enumerate() {
                let (expected, to) = hypothesis.step(state, word[at]);
                if output != expected {
                    word.truncate(at + 1);
                    return Ok(Some(word));
                }
                state = to;
            }
        }
    }
}

/// A set of words that tells all states of a minimal machine apart.
pub(crate) fn characterization(machine: &Mealy) -> Vec<InputWord> {
    let mut words = Vec::new();
    let mut blocks = vec![(0..machine.len()).collect::<Vec<usize>>()];
    while let Some(block) = blocks.iter().find(|block| block.len() > 1) {
        let word = machine.separating_word(block[0], block[1]).expect("a conjecture is minimal");
        blocks = blocks
            .into_iter()
            .flat_map(|block| {
                let mut parts = std::collections::BTreeMap::<_, Vec<usize>>::new();
                for state in block {
                    parts.entry(machine.outputs(state, &word)).or_default().push(state);
                }
                parts.into_values()
            })
            .collect();
        words.push(word);
    }
    words
}

/// The words with which tests of `machine` begin and end: one that leads to each of its states, and a set
/// that tells them apart.
pub(crate) fn cover_and_suffixes(machine: &Mealy) -> (Vec<InputWord>, Vec<InputWord>) {
    (machine.access().into_iter().flatten().collect(), or_empty(characterization(machine)))
}

/// The words, or the empty one if there are none, so that every product with them is one.
pub(crate) fn or_empty(words: Vec<InputWord>) -> Vec<InputWord> {
    if words.is_empty() { vec![Vec::new()] } else { words }
}

/// All of `cover`, followed by every path of at most `longest` of `inputs` and by all of `suffixes`; short
/// paths come first.
pub(crate) fn products<'w>(
    cover: &'w [InputWord],
    inputs: usize,
    longest: usize,
    suffixes: &'w [InputWord],
) -> impl Iterator<Item = InputWord> + 'w {
    (0..=longest).flat_map(move |length| {
        cover.iter().flat_map(move |access| {
            words_of_length(inputs, length).flat_map(move |middle| {
                suffixes.iter().map(move |suffix| [&access[..], &middle, suffix].concat())
            })
        })
    })
}

/// The words over `inputs` of exactly `length`, in order.
pub(crate) fn words_of_length(inputs: usize, length: usize) -> impl Iterator<Item = InputWord> {
    let mut next = (inputs > 0 || length == 0).then(|| vec![0; length]);
    std::iter::from_fn(move || {
        let word: Vec<Symbol> = next.clone()?;
        next = (0..length).rev().find(|&at| word[at] + 1 < inputs).map(|at| {
            let mut longer = word[..at].to_vec();
            longer.push(word[at] + 1);
            longer.resize(length, 0);
            longer
        });
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::mealy::testing::any_mealy;

    proptest! {
        #[test]
        fn characterizations_tell_states_apart(machine in any_mealy(6, 3, 2)) {
            let machine = machine.minimize();
            let words = characterization(&machine);
            let mut signatures: Vec<Vec<_>> = (0..machine.len())
                .map(|state| words.iter().map(|word| machine.outputs(state, word)).collect())
                .collect();
            signatures.sort();
            signatures.dedup();
            prop_assert_eq!(signatures.len(), machine.len());
        }
    }

    #[test]
    fn all_words_of_a_length_are_listed_once() {
        let words: Vec<_> = words_of_length(3, 2).collect();
        assert_eq!(words.len(), 9);
        assert!(words.is_sorted());
        assert_eq!(words_of_length(3, 0).collect::<Vec<_>>(), [Vec::<usize>::new()]);
        assert_eq!(words_of_length(1, 3).count(), 1);
    }
}
