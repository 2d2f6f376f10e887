//! Random walks, as the papers' evaluation draws them.
//!
//! Paper: `dice`, section 4.1; `krka`, section 4.2.1. Neither says how a walk ends.
//! Deviation: of the readings tried, the one that reproduces the published numbers: in an accepting state,
//! stopping is one more transition, all being equally likely; a walk also ends where nothing leaves a state,
//! and when it is as long as allowed.
//! Cost: `O(length)`.

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
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use crate::Builder;

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
