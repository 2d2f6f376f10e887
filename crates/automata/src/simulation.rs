//! Fewer states for the same words, where languages cannot be compared (`languages.rs`).
//!
//! Paper: `bustan03`, the quotient by mutual simulation and the removal of little brothers.
//! Deviation: simulation is computed by refining until nothing changes, which is enough for models that
//! people read.
//! Cost: `O(states² · transitions²)` at worst; a hundred states take milliseconds.
//!
//! A state simulates another if it can do whatever the other can, for ever. Two states that simulate each
//! other are one. And where an event leads to two states of which one simulates the other, the way to the
//! weaker is no way to any new word.

use crate::graph::{Fsa, State};

impl<L: Ord + Clone> Fsa<L> {
    /// Merges states that simulate each other, and drops transitions to a state that another transition of
    /// the same source and label outdoes, but no loops.
    pub(crate) fn simplify_once(&self) -> Self {
        let simulates = self.simulation();
        let class: Vec<State> = self
            .states()
            .map(|state| {
                (0..=state).find(|&first| simulates[first][state] && simulates[state][first]).unwrap_or(state)
            })
            .collect();
        let merged = self.quotient(&class);
        let simulates = merged.simulation();
        let outdone = &|state: State, letter: u32, to: u32| {
            state != to as usize
                && merged
                    .steps_with(state, letter)
                    .iter()
                    .any(|other| other.to != to && simulates[other.to as usize][to as usize])
        };
        let weaker =
            |state: State| merged.initial().iter().any(|&other| other != state && simulates[other][state]);
        let initial = merged.initial().iter().copied().filter(|&state| !weaker(state)).collect();
        let accepting = merged.states().map(|state| merged.is_accepting(state)).collect();
        let steps = merged.states().flat_map(|state| {
            let kept = merged.steps(state).iter().filter(move |step| !outdone(state, step.letter, step.to));
            kept.map(move |step| (state as u32, *step))
        });
        let mut annotations = merged.annotations().clone();
        annotations.guards.retain(|&(from, letter, to), _| !outdone(from, letter, to as u32));
        Fsa::assemble(merged.alphabet().to_vec(), initial, accepting, steps.collect())
            .annotated(annotations)
            .trim()
            .breadth_first()
    }

    /// For each of the first `count` states, the first of the others that can do all that it can, and no
    /// more, numbered from there.
    pub(crate) fn equally_able(&self, count: usize) -> Vec<Option<State>> {
        let simulates = self.simulation();
        let equal = |one: State, two: State| simulates[one][two] && simulates[two][one];
        let same = |state: State| (count..self.len()).find(|&other| equal(state, other));
        (0..count).map(|state| same(state).map(|other| other - count)).collect()
    }

    /// `[a][b]`: whether `a` can do all that `b` can.
    fn simulation(&self) -> Vec<Vec<bool>> {
        let states = self.len();
        let mut simulates: Vec<Vec<bool>> = (0..states)
            .map(|a| (0..states).map(|b| self.is_accepting(a) || !self.is_accepting(b)).collect())
            .collect();
        loop {
            let mut changed = false;
            for a in 0..states {
                for b in 0..states {
                    if simulates[a][b] {
                        let keeps_up = self.steps(b).iter().all(|step| {
                            let answers = self.steps_with(a, step.letter);
                            answers.iter().any(|answer| simulates[answer.to as usize][step.to as usize])
                        });
                        if !keeps_up {
                            simulates[a][b] = false;
                            changed = true;
                        }
                    }
                }
            }
            if !changed {
                return simulates;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Builder;
    use crate::testing::{fsas, words_up_to};

    /// Until nothing is left to do.
    fn simplified<L: Ord + Clone>(fsa: &Fsa<L>) -> Fsa<L> {
        let next = fsa.simplify_once();
        let is_done = (next.len(), next.transitions()) == (fsa.len(), fsa.transitions());
        if is_done { next } else { simplified(&next) }
    }

    #[test]
    fn the_way_to_a_weaker_state_goes() {
        let mut builder = Builder::new();
        let states: Vec<State> = (0..4).map(|state| builder.state(state > 0)).collect();
        builder.initial(states[0]);
        // Made well, it can be used and closed; made badly, it can only be used.
        builder.edge(states[0], "make", states[1]);
        builder.edge(states[0], "make", states[2]);
        builder.edge(states[1], "use", states[1]);
        builder.edge(states[1], "close", states[3]);
        builder.edge(states[2], "use", states[2]);
        let simple = simplified(&builder.build());
        assert_eq!((simple.len(), simple.transitions()), (3, 3));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        /// Languages tell as many states to be equal, and more.
        #[test]
        fn the_language_stays(fsa in fsas(5)) {
            let simple = simplified(&fsa.trim());
            prop_assert!(fsa.simplify().len() <= simple.len());
            for word in words_up_to(5) {
                prop_assert_eq!(simple.accepts(&word), fsa.accepts(&word), "{:?}", word);
            }
        }

        #[test]
        fn what_is_left_is_able_to_do_the_same(fsa in fsas(5)) {
            let trimmed = fsa.trim();
            let mut both = trimmed.to_builder();
            let accepting = trimmed.states().map(|state| trimmed.is_accepting(state));
            let same: Vec<State> = accepting.map(|accepting| both.state(accepting)).collect();
            for edge in trimmed.all_edges() {
                both.edge(same[edge.from], *edge.label, same[edge.to]);
            }
            let able = both.build().equally_able(trimmed.len());
            prop_assert!(able.iter().all(|one| one.is_some_and(|one| one <= trimmed.len())));
        }
    }
}
