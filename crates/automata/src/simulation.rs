//! Fewer states for the same words, without making the automaton deterministic.
//!
//! Paper: `bustan03`, the quotient by mutual simulation and the removal of little brothers.
//! Deviation: simulation is computed by refining until nothing changes, which is enough for models that
//! people read.
//! Cost: `O(states² · transitions²)` at worst; a hundred states take milliseconds.
//!
//! A state simulates another if it can do whatever the other can, for ever. Two states that simulate each
//! other are one. And where an event leads to two states of which one simulates the other, the way to the
//! weaker is no way to any new word.

use crate::Builder;
use crate::graph::{Fsa, State};

impl<L: Ord + Clone> Fsa<L> {
    /// An automaton of the same language in which no two states simulate each other and no transition leads
    /// to a state that another transition of the same source and label outdoes. Loops are kept, because a
    /// reader looks for them. States are numbered breadth first.
    pub fn simplify(&self) -> Self {
        let mut simple = self.trim();
        loop {
            // Without a transition, states may be equal that were not before.
            let next = simple.simplify_once();
            if (next.len(), next.transitions()) == (simple.len(), simple.transitions()) {
                return next;
            }
            simple = next;
        }
    }

    fn simplify_once(&self) -> Self {
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

    /// For each state, the first of `other` that can do all that it can, and no more. In what
    /// [`Fsa::simplify`] made of an automaton this is what became of the state; one to which no way is left
    /// has none.
    pub fn counterparts(&self, other: &Self) -> Vec<Option<State>> {
        let mut both = Builder::new();
        for fsa in [self, other] {
            for state in fsa.states() {
                both.state(fsa.is_accepting(state));
            }
        }
        for (fsa, offset) in [(self, 0), (other, self.len())] {
            for edge in fsa.all_edges() {
                both.edge(edge.from + offset, edge.label.clone(), edge.to + offset);
            }
        }
        let simulates = both.build().simulation();
        let equal = |one: State, two: State| simulates[one][two] && simulates[two][one];
        self.states().map(|state| other.states().find(|&other| equal(state, other + self.len()))).collect()
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
    use crate::testing::{fsas, words_up_to};

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
        let simple = builder.build().simplify();
        assert_eq!((simple.len(), simple.transitions()), (3, 3));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn the_language_stays(fsa in fsas(5)) {
            let simple = fsa.simplify();
            prop_assert!(simple.len() <= fsa.len().max(1));
            for word in words_up_to(5) {
                prop_assert_eq!(simple.accepts(&word), fsa.accepts(&word), "{:?}", word);
            }
        }

        #[test]
        fn every_transition_that_is_left_comes_from_one_that_was(fsa in fsas(5)) {
            let trimmed = fsa.trim();
            let simple = fsa.simplify();
            let now = trimmed.counterparts(&simple);
            let image: std::collections::BTreeSet<_> =
                trimmed.all_edges().map(|edge| (now[edge.from], *edge.label, now[edge.to])).collect();
            for edge in simple.all_edges() {
                prop_assert!(image.contains(&(Some(edge.from), *edge.label, Some(edge.to))));
            }
        }

        #[test]
        fn there_is_nothing_left_to_do(fsa in fsas(5)) {
            let simple = fsa.simplify();
            prop_assert_eq!(simple.simplify().len(), simple.len());
        }
    }
}
