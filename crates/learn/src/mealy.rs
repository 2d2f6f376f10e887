//! Mealy machines, and learning them from a system that can only be asked from outside.
//!
//! [`teacher`] says what can be asked, and wraps teachers with a cache, counters, votes and workers. The
//! learners are [`lstar`] and [`lsharp`]; both return the smallest machine that agrees with every answer, and
//! ask an [`equivalence`] check for words on which it is wrong: [`w_method`], [`wp_method`] or
//! [`random_walks`].

use std::collections::{BTreeMap, VecDeque};

use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;

use crate::lts::Symbol;

pub mod equivalence;
pub mod lsharp;
pub mod lstar;
mod observation_tree;
pub mod random_walks;
pub mod teacher;
pub mod w_method;
pub mod wp_method;

pub use equivalence::{Checked, Equivalence};
pub use teacher::{Ended, MealyTeacher};

/// A sequence of inputs.
pub type InputWord = Vec<Symbol>;

/// The index of an output.
pub type OutputSymbol = u32;

/// A deterministic and complete Mealy machine over the inputs `0..inputs`. State 0 is the initial one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mealy {
    inputs: usize,
    /// Output and target for each state and input, the inputs of one state side by side.
    steps: Vec<(OutputSymbol, u32)>,
}

impl Mealy {
    /// A machine from the output and target of each state and input, one row for each state.
    pub fn new(inputs: usize, rows: Vec<Vec<(OutputSymbol, usize)>>) -> Self {
        let states = rows.len();
        let steps: Vec<(OutputSymbol, u32)> = rows
            .into_iter()
            .inspect(|row| assert_eq!(row.len(), inputs, "a row has a step for each input"))
            .flatten()
            .inspect(|&(_, to)| assert!(to < states, "a step leads to a state"))
            .map(|(output, to)| (output, to as u32))
            .collect();
        Self { inputs, steps }
    }

    /// A machine whose outputs and targets are drawn from `rng`. States may be out of reach or equivalent.
    pub fn random(states: usize, inputs: usize, outputs: u32, rng: &mut impl Rng) -> Self {
        let steps = (0..states * inputs)
            .map(|_| (rng.random_range(0..outputs), rng.random_range(0..states as u32)))
            .collect();
        Self { inputs, steps }
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.steps.len() / self.inputs.max(1)
    }

    /// True when the machine has no state, which no learner returns.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Output and target of `input` in `state`.
    pub fn step(&self, state: usize, input: Symbol) -> (OutputSymbol, usize) {
        let (output, to) = self.steps[state * self.inputs + input];
        (output, to as usize)
    }

    /// The state to which `word` leads from `state`.
    pub fn run(&self, state: usize, word: &[Symbol]) -> usize {
        word.iter().fold(state, |state, &input| self.step(state, input).1)
    }

    /// The outputs of `word` from `state`.
    pub fn outputs(&self, mut state: usize, word: &[Symbol]) -> Vec<OutputSymbol> {
        word.iter()
            .map(|&input| {
                let (output, to) = self.step(state, input);
                state = to;
                output
            })
            .collect()
    }

    /// The shortest word to each state, the first in the order of inputs; none for states out of reach.
    pub fn access(&self) -> Vec<Option<InputWord>> {
        let mut words: Vec<Option<InputWord>> = vec![None; self.len()];
        let mut queue = VecDeque::from([0]);
        words[0] = Some(Vec::new());
        while let Some(state) = queue.pop_front() {
            for input in 0..self.inputs {
                let to = self.step(state, input).1;
                if words[to].is_none() {
                    let word = words[state].as_deref().expect("a state in the queue was reached");
                    words[to] = Some([word, &[input]].concat());
                    queue.push_back(to);
                }
            }
        }
        words
    }

    /// The shortest word whose outputs differ between this machine and `other`.
    pub fn difference(&self, other: &Self) -> Option<InputWord> {
        separate(self, 0, other, 0)
    }

    /// The shortest word whose outputs differ between two states.
    pub fn separating_word(&self, one: usize, other: usize) -> Option<InputWord> {
        separate(self, one, self, other)
    }

    /// The smallest machine with the same outputs, numbered breadth first.
    ///
    /// Minimal machines with the same behavior are equal as values.
    pub fn minimize(&self) -> Self {
        let states = self.len();
        let mut class = vec![0; states];
        let mut classes = 1;
        loop {
            let mut seen = BTreeMap::new();
            let refined: Vec<usize> = (0..states)
                .map(|state| {
                    let future: Vec<(OutputSymbol, usize)> =
                        (0..self.inputs).map(|input| self.step(state, input)).collect();
                    let future: Vec<_> = future.into_iter().map(|(output, to)| (output, class[to])).collect();
                    let fresh = seen.len();
                    *seen.entry((class[state], future)).or_insert(fresh)
                })
                .collect();
            class = refined;
            if seen.len() == classes {
                break;
            }
            classes = seen.len();
        }
        let mut number = BTreeMap::from([(class[0], 0)]);
        let mut representatives = vec![0];
        let mut rows = Vec::new();
        while let Some(&state) = representatives.get(rows.len()) {
            let row = (0..self.inputs)
                .map(|input| {
                    let (output, to) = self.step(state, input);
                    let to = *number.entry(class[to]).or_insert_with(|| {
                        representatives.push(to);
                        representatives.len() - 1
                    });
                    (output, to)
                })
                .collect();
            rows.push(row);
        }
        Self::new(self.inputs, rows)
    }
}

/// The shortest word on which state `one` of `a` and state `other` of `b` differ, by breadth-first search
/// over pairs of states.
fn separate(a: &Mealy, one: usize, b: &Mealy, other: usize) -> Option<InputWord> {
    type Pair = (usize, usize);
    let mut reached_by: FxHashMap<Pair, Option<(Pair, Symbol)>> =
        [((one, other), None)].into_iter().collect();
    let mut queue = VecDeque::from([(one, other)]);
    while let Some(pair) = queue.pop_front() {
        for input in 0..a.inputs {
            let (output, to) = a.step(pair.0, input);
            let (other_output, other_to) = b.step(pair.1, input);
            if output != other_output {
                let mut word = vec![input];
                let mut at = pair;
                while let Some((before, input)) = reached_by[&at] {
                    word.push(input);
                    at = before;
                }
                word.reverse();
                return Some(word);
            }
            reached_by.entry((to, other_to)).or_insert_with(|| {
                queue.push_back((to, other_to));
                Some((pair, input))
            });
        }
    }
    None
}

/// Result of learning: the last conjecture, if there was one, and the reason to stop there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedMealy {
    /// The last conjecture.
    pub machine: Option<Mealy>,
    /// Conjectures that were checked.
    pub rounds: usize,
    /// The reason why the last conjecture was not checked to the end; none if it was, and no difference was
    /// found.
    pub ended: Option<Ended>,
}

/// The conjecture of a learner, refined by words on which it is wrong: the loop that all learners share.
pub(crate) fn refine_until_equivalent<L>(
    learner: &mut L,
    conjecture: impl Fn(&mut L, &mut dyn MealyTeacher<Output = OutputSymbol>) -> Result<Mealy, Ended>,
    refine: impl Fn(&mut L, &Mealy, InputWord, &mut dyn MealyTeacher<Output = OutputSymbol>) -> Result<(), Ended>,
    teacher: &mut dyn MealyTeacher<Output = OutputSymbol>,
    equivalence: &mut dyn Equivalence,
) -> LearnedMealy {
    let mut machine = None;
    let mut rounds = 0;
    let mut round = || -> Result<bool, Ended> {
        let hypothesis = conjecture(learner, teacher)?;
        rounds += 1;
        let hypothesis = machine.insert(hypothesis);
        let Some(word) = equivalence.counterexample(hypothesis, teacher)? else { return Ok(true) };
        refine(learner, hypothesis, word, teacher)?;
        Ok(false)
    };
    let ended = loop {
        match round() {
            Ok(true) => break None,
            Ok(false) => {}
            Err(ended) => break Some(ended),
        }
    };
    LearnedMealy { machine, rounds, ended }
}

#[cfg(test)]
pub(crate) mod testing {
    use proptest::prelude::*;

    use super::Mealy;

    /// Random machines with up to so many states, inputs and outputs.
    pub(crate) fn any_mealy(states: usize, inputs: usize, outputs: u32) -> impl Strategy<Value = Mealy> {
        (1..=states, 1..=inputs).prop_flat_map(move |(states, inputs)| {
            let row = prop::collection::vec((0..outputs, 0..states), inputs);
            prop::collection::vec(row, states).prop_map(move |rows| Mealy::new(inputs, rows))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::testing::any_mealy;

    proptest! {
        /// The minimal machine gives the same outputs, no two of its states are equivalent, and each is
        /// within reach.
        #[test]
        fn minimal_machines_are_equivalent_and_smallest(machine in any_mealy(6, 3, 2)) {
            let minimal = machine.minimize();
            prop_assert_eq!(machine.difference(&minimal), None);
            prop_assert!(minimal.access().iter().all(Option::is_some));
            for one in 0..minimal.len() {
                for other in 0..one {
                    let word = minimal.separating_word(one, other);
                    prop_assert!(word.is_some());
                    let word = word.unwrap();
                    prop_assert_ne!(minimal.outputs(one, &word), minimal.outputs(other, &word));
                }
            }
        }

        /// A separating word is the shortest: every word that is shorter has the same outputs.
        #[test]
        fn differences_are_shortest(one in any_mealy(3, 2, 2), other in any_mealy(3, 2, 2)) {
            prop_assume!(one.inputs() == other.inputs());
            let found = one.difference(&other);
            let mut words = vec![Vec::new()];
            let mut first = None;
            let mut at = 0;
            while at < words.len() && words[at].len() <= 6 && first.is_none() {
                if one.outputs(0, &words[at]) != other.outputs(0, &words[at]) {
                    first = Some(words[at].clone());
                }
                for input in 0..one.inputs() {
                    let longer = [&words[at][..], &[input]].concat();
                    words.push(longer);
                }
                at += 1;
            }
            // Two machines of three states differ within five inputs or not at all.
            prop_assert_eq!(found.map(|word| word.len()), first.map(|word| word.len()));
        }
    }
}
