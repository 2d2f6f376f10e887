//! Labeled transition systems with three outcomes: legal, illegal and unknown words.
//!
//! Error and unknown are absorbing: a call after an error is an error, and nothing is known about what
//! follows the unknown. So every [`Lts`] has at most one state of each, without transitions of its own.

use std::collections::{BTreeMap, VecDeque};

/// The index of a symbol in the alphabet of an automaton.
pub type Symbol = usize;

/// WordOutcome of a sequence of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WordOutcome {
    /// Every call succeeds.
    Ok,
    /// Some call is an error.
    Error,
    /// The analysis could not find out.
    Unknown,
}

/// A deterministic and complete automaton over the symbols `0..symbols`, whose states have outcomes.
///
/// State 0 is the initial one. States with an outcome other than [`WordOutcome::Ok`] have no transitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lts {
    symbols: usize,
    outcomes: Vec<WordOutcome>,
    targets: Vec<Vec<usize>>,
}

impl Lts {
    /// An automaton from the outcome of each state and, for each state with outcome `Ok`, the target of each
    /// symbol. The targets of other states are ignored.
    pub fn new(symbols: usize, outcomes: Vec<WordOutcome>, targets: Vec<Vec<usize>>) -> Self {
        debug_assert_eq!(outcomes.len(), targets.len());
        let targets = outcomes
            .iter()
            .zip(targets)
            .map(|(&outcome, row)| if outcome == WordOutcome::Ok { row } else { Vec::new() })
            .collect();
        Self { symbols, outcomes, targets }
    }

    /// Number of symbols.
    pub fn symbols(&self) -> usize {
        self.symbols
    }

    /// Number of states, error and unknown included if some word leads there.
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// True when the automaton has no state, which no learner returns.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// The outcome of `state`.
    pub fn outcome(&self, state: usize) -> WordOutcome {
        self.outcomes[state]
    }

    /// The state to which `symbol` leads; error and unknown keep every word.
    pub fn step(&self, state: usize, symbol: Symbol) -> usize {
        self.targets[state].get(symbol).copied().unwrap_or(state)
    }

    /// The state that `word` leads to.
    pub fn run(&self, word: &[Symbol]) -> usize {
        word.iter().fold(0, |state, &symbol| self.step(state, symbol))
    }

    /// The outcome of `word`.
    pub fn judge(&self, word: &[Symbol]) -> WordOutcome {
        self.outcome(self.run(word))
    }

    /// The shortest word to each state, the first in the order of symbols.
    pub fn access(&self) -> Vec<Option<Vec<Symbol>>> {
        let mut words: Vec<Option<Vec<Symbol>>> = vec![None; self.len()];
        let mut queue = VecDeque::from([0]);
        words[0] = Some(Vec::new());
        while let Some(state) = queue.pop_front() {
            for (symbol, &target) in self.targets[state].iter().enumerate() {
                if words[target].is_none() {
                    let mut word = words[state].clone().expect("a state in the queue was reached");
                    word.push(symbol);
                    words[target] = Some(word);
                    queue.push_back(target);
                }
            }
        }
        words
    }

    /// The shortest word on which the outcomes of two automata over the same symbols differ.
    pub fn difference(&self, other: &Self) -> Option<Vec<Symbol>> {
        let mut queue = VecDeque::from([(0, 0)]);
        let mut words = BTreeMap::from([((0, 0), Vec::new())]);
        while let Some((mine, theirs)) = queue.pop_front() {
            let word: Vec<Symbol> = words[&(mine, theirs)].clone();
            if self.outcome(mine) != other.outcome(theirs) {
                return Some(word);
            }
            for symbol in 0..self.symbols {
                let next = (self.step(mine, symbol), other.step(theirs, symbol));
                words.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    [&word[..], &[symbol]].concat()
                });
            }
        }
        None
    }

    /// The smallest automaton with the same outcomes, numbered breadth first, by refining the partition of
    /// states until symbols lead from equal states to equal states.
    ///
    /// Minimal automata of the same language are equal as values.
    pub fn minimize(&self) -> Self {
        let reached: Vec<bool> = self.access().iter().map(Option::is_some).collect();
        let mut class: Vec<usize> = self.outcomes.iter().map(|&outcome| outcome as usize).collect();
        loop {
            let mut seen = BTreeMap::new();
            let refined: Vec<usize> = (0..self.len())
                .map(|state| {
                    let future: Vec<usize> = self.targets[state].iter().map(|&to| class[to]).collect();
                    let fresh = seen.len();
                    *seen.entry((class[state], future)).or_insert(fresh)
                })
                .collect();
            let stable = seen.len() == class.iter().collect::<std::collections::BTreeSet<_>>().len();
            class = refined;
            if stable {
                break;
            }
        }
        let mut number = BTreeMap::from([(class[0], 0)]);
        let mut representative = vec![0];
        let mut at = 0;
        while at < representative.len() {
            for &target in &self.targets[representative[at]] {
                debug_assert!(reached[target], "only reachable states are visited");
                number.entry(class[target]).or_insert_with(|| {
                    representative.push(target);
                    representative.len() - 1
                });
            }
            at += 1;
        }
        let outcomes = representative.iter().map(|&state| self.outcomes[state]).collect();
        let targets = representative
            .iter()
            .map(|&state| self.targets[state].iter().map(|to| number[&class[*to]]).collect())
            .collect();
        Self { symbols: self.symbols, outcomes, targets }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use proptest::prelude::*;

    use super::{Lts, WordOutcome};

    /// Random automata with up to `states` live states; an error and an unknown state come last.
    pub(crate) fn any_lts(states: usize, symbols: usize) -> impl Strategy<Value = Lts> {
        (1..=states, 1..=symbols).prop_flat_map(|(live, symbols)| {
            prop::collection::vec(prop::collection::vec(0..live + 2, symbols), live).prop_map(
                move |mut targets| {
                    targets.extend([Vec::new(), Vec::new()]);
                    let mut outcomes = vec![WordOutcome::Ok; live];
                    outcomes.extend([WordOutcome::Error, WordOutcome::Unknown]);
                    Lts::new(symbols, outcomes, targets)
                },
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::testing::any_lts;

    proptest! {
        /// The minimal automaton has the same outcomes, and exactly as many states as there are classes of
        /// words that some short continuation tells apart.
        #[test]
        fn minimal_automata_are_equivalent_and_smallest(lts in any_lts(5, 3)) {
            let minimal = lts.minimize();
            prop_assert_eq!(lts.difference(&minimal), None);
            let mut words = vec![Vec::new()];
            let mut at = 0;
            while words[at].len() < 5 {
                for symbol in 0..lts.symbols() {
                    let longer = [&words[at][..], &[symbol]].concat();
                    words.push(longer);
                }
                at += 1;
            }
            let signatures: std::collections::BTreeSet<Vec<_>> = lts
                .access()
                .into_iter()
                .flatten()
                .map(|access| words.iter().map(|word| lts.judge(&[&access[..], word].concat())).collect())
                .collect();
            prop_assert_eq!(minimal.len(), signatures.len());
        }
    }
}
