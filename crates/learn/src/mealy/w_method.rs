//! W-method: every transition of a conjecture, and every path of a few more inputs, ends where it should.
//!
//! Paper: `chow78`, test sequences from a state cover and a characterization set.
//! Deviation: words come in the order of the length of their middle part, so that short counterexamples are
//! found first.
//! Cost: at most `n · k^(e + 1) · n` words for `n` states, `k` inputs and `e` extra states.

use super::equivalence::{Checked, Equivalence, cover_and_suffixes, first_difference, products};
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
        let (cover, suffixes) = cover_and_suffixes(hypothesis);
        let words = products(&cover, hypothesis.inputs(), self.extra_states + 1, &suffixes);
        let mut words = words.filter(|word| !word.is_empty());
        first_difference(&mut words, self.batch, &mut self.words, hypothesis, teacher)
    }

    fn checked(&self) -> Checked {
        Checked::Exhaustive { method: "W-method", extra_states: self.extra_states, words: self.words }
    }
}
