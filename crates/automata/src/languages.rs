//! Fewer states for the same words, without making the automaton deterministic: states with the same language
//! are one, and a transition that no word needs goes.
//!
//! Paper: `champarnaud04`, reduction by equalities and inclusions of the languages of states.
//! Deviation: an inclusion is an equality of sets of states, so both are read off one deterministic automaton
//! of the sets that matter. Where that is too large, simulation (`simulation.rs`) takes the place of
//! inclusion.
//! Cost: that of determinizing, at most [`SUBSETS`] sets, in each of a few rounds.

use std::collections::BTreeMap;

use crate::Builder;
use crate::determinize::Subsets;
use crate::graph::{Fsa, State, Step};

/// Sets of states up to which languages are compared.
const SUBSETS: usize = 3000;

impl<L: Ord + Clone> Fsa<L> {
    /// An automaton of the same language in which no two states have the same language and no transition
    /// leads only to words that the others of the same source and label lead to. Loops are kept, because a
    /// reader looks for them. States are numbered breadth first.
    ///
    /// Where that would take too long, no two states simulate each other, and no transition leads to a state
    /// that another one outdoes.
    pub fn simplify(&self) -> Self {
        let mut simple = self.trim();
        loop {
            // Without a transition, states may be equal that were not before.
            let next = simple.reduce_once().unwrap_or_else(|| simple.simplify_once());
            if (next.len(), next.transitions()) == (simple.len(), simple.transitions()) {
                return next;
            }
            simple = next;
        }
    }

    /// For each state, the first of `other` with the same language. In what [`Fsa::simplify`] made of an
    /// automaton this is what became of the state; one to which no way is left has none.
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
        let both = both.build();
        let single = |state: State| vec![state as u32];
        // Both have about as many sets as the one had by itself.
        let Some(language) = both.languages(both.states().map(single), 4 * SUBSETS) else {
            return both.equally_able(self.len());
        };
        let same = |state: State| other.states().find(|&to| language[state] == language[to + self.len()]);
        self.states().map(same).collect()
    }

    /// Merges states with the same language, or, if there are none, drops transitions that no word needs;
    /// nothing if comparing takes too long. No state is useless.
    fn reduce_once(&self) -> Option<Self> {
        let single = |state: State| vec![state as u32];
        let language = self.languages(self.states().map(single), SUBSETS)?;
        let mut first: BTreeMap<usize, State> = BTreeMap::new();
        let class: Vec<State> =
            self.states().map(|state| *first.entry(language[state]).or_insert(state)).collect();
        if first.len() < self.len() {
            return Some(self.quotient(&class).trim().breadth_first());
        }
        // For each state and letter that lead to several states: the set, and the set without each of them.
        let mut sets: Vec<Vec<u32>> = Vec::new();
        let mut groups: Vec<Group> = Vec::new();
        let initial: Vec<u32> = self.initial().iter().map(|&state| state as u32).collect();
        let starts = std::iter::once((None, initial));
        let steps = self.states().flat_map(|state| {
            let by_letter = self.steps(state).chunk_by(|one, other| one.letter == other.letter);
            by_letter.map(move |steps| {
                (Some((state, steps[0].letter)), steps.iter().map(|step| step.to).collect::<Vec<u32>>())
            })
        });
        for (from, to) in starts.chain(steps).filter(|(_, to)| to.len() > 1) {
            let at = sets.len();
            sets.push(to.clone());
            sets.extend(to.iter().map(|out| to.iter().copied().filter(|one| one != out).collect()));
            groups.push(Group { from, to, at });
        }
        let language = self.languages(sets.into_iter(), SUBSETS)?;
        let (mut initial, mut dropped) = (self.initial().to_vec(), Vec::new());
        for Group { from, to, at } in groups {
            let needless = |&place: &usize| {
                let is_loop = from.is_some_and(|(state, _)| state == to[place] as State);
                !is_loop && language[at + 1 + place] == language[at]
            };
            // Of several, the one to the state that does least; the next round may drop another.
            let able = |place: &usize| self.steps(to[*place] as State).len();
            let Some(place) = (0..to.len()).filter(needless).min_by_key(able) else { continue };
            match from {
                None => initial.retain(|&state| state != to[place] as State),
                Some((state, letter)) => dropped.push((state, letter, to[place])),
            }
        }
        let is_kept = |from: State, letter: u32, to: u32| !dropped.contains(&(from, letter, to));
        let steps = self.states().flat_map(|state| {
            let kept = self.steps(state).iter().filter(move |step| is_kept(state, step.letter, step.to));
            kept.map(move |step| (state as u32, *step)).collect::<Vec<(u32, Step)>>()
        });
        let accepting = self.states().map(|state| self.is_accepting(state)).collect();
        let mut annotations = self.annotations().clone();
        annotations.guards.retain(|&(from, letter, to), _| is_kept(from, letter, to as u32));
        let kept = Self::assemble(self.alphabet().to_vec(), initial, accepting, steps.collect());
        Some(kept.annotated(annotations).trim().breadth_first())
    }

    /// Numbers of the languages of these sets of states, equal for equal languages; nothing if there are more
    /// than `limit` sets to look at. Every state must lead to acceptance.
    fn languages(&self, sets: impl Iterator<Item = Vec<u32>>, limit: usize) -> Option<Vec<usize>> {
        let mut subsets = Subsets::new(self);
        let wanted: Vec<usize> = sets.map(|set| subsets.intern(set.into())).collect();
        let mut leads: Vec<Vec<(u32, usize)>> = Vec::new();
        while leads.len() < subsets.len() {
            if subsets.len() > limit {
                return None;
            }
            let to = subsets.successors(leads.len());
            leads.push(to.into_iter().map(|(letter, to, _)| (letter, to)).collect());
        }
        let mut class: Vec<usize> =
            (0..leads.len()).map(|set| usize::from(subsets.is_accepting(set))).collect();
        let mut count = 0;
        loop {
            let mut numbers: BTreeMap<(usize, Vec<(u32, usize)>), usize> = BTreeMap::new();
            let next: Vec<usize> = leads
                .iter()
                .zip(&class)
                .map(|(leads, &own)| {
                    let leads = leads.iter().map(|&(letter, to)| (letter, class[to])).collect();
                    let fresh = numbers.len();
                    *numbers.entry((own, leads)).or_insert(fresh)
                })
                .collect();
            class = next;
            if numbers.len() == count {
                return Some(wanted.into_iter().map(|set| class[set]).collect());
            }
            count = numbers.len();
        }
    }
}

/// States that one letter leads to from a state, or the initial states.
struct Group {
    from: Option<(State, u32)>,
    to: Vec<u32>,
    /// Place of the set in the list of sets; the sets without one of its states follow.
    at: usize,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{fsas, words_up_to};

    #[test]
    fn a_state_that_two_others_make_up_for_goes() {
        let mut builder = Builder::new();
        let states: Vec<State> = (0..5).map(|state| builder.state(state > 0)).collect();
        builder.initial(states[0]);
        (1..4).for_each(|to| builder.edge(states[0], "make", states[to]));
        // The first reads, the second writes, and the third does either, once.
        builder.edge(states[1], "read", states[4]);
        builder.edge(states[2], "write", states[4]);
        builder.edge(states[3], "read", states[4]);
        builder.edge(states[3], "write", states[4]);
        // Neither of the first two outdoes the third; both together do, and it does more than either.
        let simple = builder.build().simplify();
        assert_eq!((simple.len(), simple.transitions()), (3, 3));
    }

    #[test]
    fn states_that_do_not_simulate_each_other_may_be_equal() {
        let mut builder = Builder::new();
        let states: Vec<State> = (0..7).map(|_| builder.state(true)).collect();
        builder.initial(states[0]);
        builder.edge(states[0], 'x', states[1]);
        builder.edge(states[0], 'y', states[2]);
        // The first decides by `a` what comes next, the second after it.
        builder.edge(states[1], 'a', states[3]);
        builder.edge(states[1], 'a', states[4]);
        builder.edge(states[2], 'a', states[5]);
        builder.edge(states[3], 'b', states[6]);
        builder.edge(states[4], 'c', states[6]);
        builder.edge(states[5], 'b', states[6]);
        builder.edge(states[5], 'c', states[6]);
        let (fsa, simple) = (builder.clone().build(), builder.build().simplify());
        assert!(simple.len() <= 6, "{simple:?}");
        let now = fsa.counterparts(&simple);
        assert!(now[1].is_some() && now[1] == now[2], "{now:?}");
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

        /// The naive way: a state's language is that of the automaton that begins in it.
        #[test]
        fn no_two_states_have_the_same_language(fsa in fsas(5)) {
            let simple = fsa.simplify();
            let from = |state: State| {
                let mut builder = Builder::new();
                for state in simple.states() {
                    builder.state(simple.is_accepting(state));
                }
                builder.initial(state);
                simple.all_edges().for_each(|edge| builder.edge(edge.from, *edge.label, edge.to));
                builder.build()
            };
            for one in simple.states() {
                for other in 0..one {
                    prop_assert!(!from(one).same_language(&from(other), 1000).unwrap(), "{} {}", one, other);
                }
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
