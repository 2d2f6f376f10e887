//! W-method: every transition of a conjecture, and every path of a few more inputs, ends where it should.
//!
//! Paper: `chow78`, test sequences from a state cover and a characterization set.
//! Deviation: words come in the order of the length of their middle part, so that short counterexamples are
//! found first.
//! Cost: at most `n · k^(e + 1) · n` words for `n` states, `k` inputs and `e` extra states.

use super::equivalence::{Checked, Equivalence, characterization, first_difference, words_of_length};
use super::{Ended, InputWord, Mealy, MealyTeacher, OutputSymbol};

/// The W-method.
#[derive(Clone, Debug)]
pub struct WMethod {
    extra_states: usize,
    batch: usize,
    words: usize,
}

impl WMethod {
    /// A check that finds a difference to every machine that has at most `extra_states` more states than the
    /// conjecture. It runs `batch` words at a time.
    pub fn new(extra_states: usize, batch: usize) -> Self {
        Self { extra_states, batch, words: 0 }
    }
}

impl Equivalence for WMethod {
    fn counterexample(
        &mut self,
        hypothesis: &Mealy,
        teacher: &mut dyn MealyTeacher<Output = OutputSymbol>,
    ) -> Result<Option<InputWord>, Ended> {
        self.words = 0;
        let cover: Vec<InputWord> = hypothesis.access().into_iter().flatten().collect();
        let suffixes = or_empty(characterization(hypothesis));
        let inputs = hypothesis.inputs();
        let mut words = (0..=self.extra_states + 1)
            .flat_map(|length| {
                let (cover, suffixes) = (&cover, &suffixes);
                cover.iter().flat_map(move |access| {
                    words_of_length(inputs, length).flat_map(move |middle| {
                        suffixes.iter().map(move |suffix| [&access[..], &middle, suffix].concat())
                    })
                })
            })
            .filter(|word| !word.is_empty());
        first_difference(&mut words, self.batch, &mut self.words, hypothesis, teacher)
    }

    fn checked(&self) -> Checked {
        Checked::Exhaustive { method: "W-method", extra_states: self.extra_states, words: self.words }
    }
}

/// The words, or the empty one if there are none, so that every product with them is one.
pub(crate) fn or_empty(words: Vec<InputWord>) -> Vec<InputWord> {
    if words.is_empty() { vec![Vec::new()] } else { words }
}
