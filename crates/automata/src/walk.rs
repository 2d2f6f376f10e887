//! Random walks, as the papers' evaluation draws them.
//!
//! Paper: `dice`, section 4.1; `krka`, section 4.2.1. Neither says how a walk ends.
//! Deviation: of the readings tried, the one that reproduces the published numbers: in an accepting state,
//! stopping is one more transition, all being equally likely; a walk also ends where nothing leaves a state,
//! and when it is as long as allowed.
//! Cost: `O(length)`; for a word, times the transitions of all states that it can lead to.

use rand::{Rng, RngExt};

use crate::graph::{Fsa, State, Step};

impl<L> Fsa<L> {
    /// The steps of a random walk of at most `max_length` transitions from a random initial state; none when
    /// there is no initial state.
    pub fn random_walk(&self, max_length: usize, rng: &mut impl Rng) -> Vec<Step> {
        if self.initial().is_empty() {
            return Vec::new();
        }
        let start = self.initial()[rng.random_range(0..self.initial().len())];
        self.random_walk_from(start, max_length, rng)
    }

    /// The steps of a random walk of at most `max_length` transitions from `start`. Every transition out of a
    /// state is equally likely, also when several carry the same label.
    pub fn random_walk_from(&self, start: State, max_length: usize, rng: &mut impl Rng) -> Vec<Step> {
        let mut walk = Vec::new();
        let mut state = start;
        while walk.len() < max_length {
            let steps = self.steps(state);
            let choices = steps.len() + usize::from(self.is_accepting(state));
            if choices == 0 {
                break;
            }
            // The choice past the last transition is to stop.
            let Some(&step) = steps.get(rng.random_range(0..choices)) else { break };
            walk.push(step);
            state = step.to as State;
        }
        walk
    }

    /// The letters of a random word of at most `max_length`. Of the labels that can come next after the
    /// letters so far, each is equally likely, and where the word may end, so is its end.
    ///
    /// How likely a word is depends on the language alone, and not on how many transitions carry a label or
    /// into how many states it leads. A share of such words is a share of the language.
    pub fn random_word(&self, max_length: usize, rng: &mut impl Rng) -> Vec<u32> {
        self.word(max_length, true, rng)
    }

    /// The same, but a word only ends before `max_length` where nothing can come next. Otherwise words over a
    /// few labels would be short, and say nothing of what happens late.
    pub fn long_random_word(&self, max_length: usize, rng: &mut impl Rng) -> Vec<u32> {
        self.word(max_length, false, rng)
    }

    fn word(&self, max_length: usize, may_stop: bool, rng: &mut impl Rng) -> Vec<u32> {
        let mut word = Vec::new();
        let mut at: Vec<State> = self.initial().to_vec();
        while word.len() < max_length {
            let mut letters: Vec<u32> =
                at.iter().flat_map(|&state| self.steps(state)).map(|step| step.letter).collect();
            letters.sort_unstable();
            letters.dedup();
            let stops = may_stop && at.iter().any(|&state| self.is_accepting(state));
            let choices = letters.len() + usize::from(stops);
            if choices == 0 {
                break;
            }
            // The choice past the last label is to stop.
            let Some(&letter) = letters.get(rng.random_range(0..choices)) else { break };
            let next = at.iter().flat_map(|&state| self.steps_with(state, letter));
            let mut next: Vec<State> = next.map(|step| step.to as State).collect();
            next.sort_unstable();
            next.dedup();
            at = next;
            word.push(letter);
        }
        word
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use crate::Builder;
    use crate::testing::fsas;

    #[test]
    fn a_long_word_ends_where_nothing_can_follow() {
        let mut builder = Builder::new();
        let states = [builder.state(true), builder.state(true)];
        builder.initial(states[0]);
        builder.edge(states[0], 'a', states[0]);
        builder.edge(states[0], 'b', states[1]);
        let fsa = builder.build();
        let last = fsa.letter(&'b').unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..200 {
            let word = fsa.long_random_word(5, &mut rng);
            assert!(word.len() == 5 || word.last() == Some(&last), "{word:?} could go on");
        }
    }

    #[test]
    fn a_word_is_as_likely_whatever_the_number_of_its_transitions() {
        // Four transitions with one label, and one with another: half of the words begin with each.
        let mut builder = Builder::new();
        for state in 0..6 {
            builder.state(state > 0);
        }
        builder.initial(0);
        (1..5).for_each(|to| builder.edge(0, 'a', to));
        builder.edge(0, 'b', 5);
        // Only one of the four can go on.
        builder.edge(1, 'c', 1);
        let fsa = builder.build();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut counts: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        (0..20_000).for_each(|_| *counts.entry(fsa.random_word(2, &mut rng)).or_default() += 1);
        let share = |word: &[u32]| counts[word] as f64 / 20_000.0;
        assert_eq!(counts.len(), 3);
        assert!((share(&[1]) - 0.5).abs() < 0.02, "{counts:?}");
        assert!((share(&[0, 2]) - 0.25).abs() < 0.02, "{counts:?}");
    }

    proptest! {
        /// The minimal automaton has the same language, and so the same words come of the same chance.
        #[test]
        fn words_are_those_of_the_language(fsa in fsas(5), seed in 0_u64..1000) {
            let (trimmed, minimal) = (fsa.trim(), fsa.minimize(1000).unwrap());
            let word = |fsa: &crate::Fsa<char>| fsa.random_word(9, &mut ChaCha8Rng::seed_from_u64(seed));
            prop_assert_eq!(word(&trimmed), word(&minimal));
        }
    }

    #[test]
    fn stopping_is_one_more_transition() {
        let mut builder = Builder::new();
        builder.state(true);
        builder.initial(0);
        for label in ['a', 'b', 'c'] {
            builder.edge(0, label, 0);
        }
        let fsa = builder.build();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let lengths: Vec<usize> = (0..20_000).map(|_| fsa.random_walk(1000, &mut rng).len()).collect();
        let empty = lengths.iter().filter(|&&length| length == 0).count() as f64 / 20_000.0;
        assert!((empty - 0.25).abs() < 0.02, "one of four choices is to stop, got {empty}");
        // The number of steps before stopping is geometric with mean 3.
        let mean = lengths.iter().sum::<usize>() as f64 / 20_000.0;
        assert!((mean - 3.0).abs() < 0.1, "{mean}");
    }

    #[test]
    fn a_walk_ends_at_the_limit_and_in_dead_ends() {
        let mut builder = Builder::new();
        builder.state(false);
        builder.state(false);
        builder.initial(0);
        builder.edge(0, 'a', 0);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(builder.clone().build().random_walk(7, &mut rng).len(), 7);
        builder.edge(0, 'b', 1);
        assert!(builder.build().random_walk(1000, &mut rng).len() < 100);
    }
}
