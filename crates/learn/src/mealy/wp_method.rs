//! Wp-method: the W-method with fewer words, because most ends of a path need only be told apart from other
//! states, and not characterized in full.
//!
//! Paper: `fujiwara91`, the partial W-method in its two phases.
//! Deviation: words come in the order of the length of their middle part within each phase.
//! Cost: at most `n · k^e · n` words in the first phase and `n · k^(e + 1) · n` in the second, where most
//! states need fewer than `n` suffixes, for `n` states, `k` inputs and `e` extra states.

use super::equivalence::{
    Checked, Equivalence, cover_and_suffixes, first_difference, or_empty, products, words_of_length,
};
use super::{Ended, InputWord, Mealy, MealyTeacher, OutputSymbol};

/// The Wp-method.
#[derive(Clone, Debug)]
pub struct WpMethod {
    extra_states: usize,
    batch: usize,
    words: usize,
}

impl WpMethod {
    /// A check that finds a difference to every machine that has at most `extra_states` more states than the
    /// conjecture. It runs `batch` words at a time.
    pub fn new(extra_states: usize, batch: usize) -> Self {
        Self { extra_states, batch, words: 0 }
    }
}

impl Equivalence for WpMethod {
    fn counterexample(
        &mut self,
        hypothesis: &Mealy,
        teacher: &mut dyn MealyTeacher<Output = OutputSymbol>,
    ) -> Result<Option<InputWord>, Ended> {
        self.words = 0;
        let inputs = hypothesis.inputs();
        let (cover, suffixes) = cover_and_suffixes(hypothesis);
        let identifying: Vec<Vec<InputWord>> = (0..hypothesis.len())
            .map(|state| or_empty(identification(hypothesis, state, &suffixes)))
            .collect();
        // First: every state that the cover reaches is there, and so are those within the extra inputs.
        let first = products(&cover, inputs, self.extra_states, &suffixes);
        // Second: all other transitions end in the state that the conjecture says.
        let covered: std::collections::BTreeSet<&InputWord> = cover.iter().collect();
        let transitions: Vec<InputWord> = cover
            .iter()
            .flat_map(|access| (0..inputs).map(move |input| [&access[..], &[input]].concat()))
            .filter(|word| !covered.contains(word))
            .collect();
        let second = (0..=self.extra_states).flat_map(|length| {
            let (transitions, identifying) = (&transitions, &identifying);
            transitions.iter().flat_map(move |transition| {
                words_of_length(inputs, length).flat_map(move |middle| {
                    let path = [&transition[..], &middle].concat();
                    let suffixes = &identifying[hypothesis.run(0, &path)];
                    suffixes.iter().map(move |suffix| [&path[..], suffix].concat())
                })
            })
        });
        let mut words = first.chain(second).filter(|word| !word.is_empty());
        first_difference(&mut words, self.batch, &mut self.words, hypothesis, teacher)
    }

    fn checked(&self) -> Checked {
        Checked::Exhaustive { method: "Wp-method", extra_states: self.extra_states, words: self.words }
    }
}

/// Some of `suffixes` that tell `state` apart from every other state.
fn identification(machine: &Mealy, state: usize, suffixes: &[InputWord]) -> Vec<InputWord> {
    let mut others: Vec<usize> = (0..machine.len()).filter(|&other| other != state).collect();
    let mut chosen = Vec::new();
    for suffix in suffixes {
        let before = others.len();
        let outputs = machine.outputs(state, suffix);
        others.retain(|&other| machine.outputs(other, suffix) == outputs);
        if others.len() < before {
            chosen.push(suffix.clone());
        }
    }
    chosen
}
