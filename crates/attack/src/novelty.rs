//! Estimates the chance that the next run shows something new, from what was seen in one run only.
//!
//! Good and Turing saw that the chance of meeting a species for the first time is about the share of
//! observations that were the only ones of their species: take any observation away, and that is how often it
//! would have been new. Here an observation is a run, and a species is something that runs show, such as a
//! pair of consecutive events. A run that shows something which no other run shows would have been new, so
//! with `r` such runs among `n`,
//!
//! ```text
//! chance that the next run shows something new  ≈  r / n
//! ```
//!
//! and with none, the chance is below `3 / n` at 95 % confidence. How much is still unseen has no upper
//! bound, but Chao's lower one: with `a` species seen in exactly one run and `b` in exactly two,
//!
//! ```text
//! unseen  ≥  (n − 1) / n · a (a − 1) / (2 (b + 1))
//! ```
//!
//! Paper: `good53`, section 2, for the chance; `chao84` for the unseen, in its form for samples that show
//! several species each and without division by zero.
//! Deviation: the paper counts single species, of which one observation shows one; a run shows many, so that
//! runs are counted, each once, however much it would have added.
//! Cost: `O(log species)` for each species of each run.

use std::collections::{BTreeMap, BTreeSet};

/// Counts in how many runs each species was seen.
#[derive(Clone, Debug)]
pub struct Census<T> {
    runs: u64,
    /// Number of runs that showed it, and the last of them.
    seen: BTreeMap<T, (u64, u64)>,
}

/// Counts from which to estimate what a census has not seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Novelty {
    /// Runs that were counted.
    pub runs: u64,
    /// Species that were seen.
    pub seen: u64,
    /// Species that were seen in one run only.
    pub once: u64,
    /// Species that were seen in two.
    pub twice: u64,
    /// Runs that showed something which no other run showed.
    pub alone: u64,
}

impl<T: Ord> Census<T> {
    /// No run yet.
    pub fn new() -> Self {
        Self { runs: 0, seen: BTreeMap::new() }
    }

    /// Counts one run that showed these; one that showed nothing is a run too.
    pub fn add(&mut self, species: impl IntoIterator<Item = T>) {
        self.runs += 1;
        for one in species {
            let (runs, last) = self.seen.entry(one).or_default();
            if *last != self.runs {
                *runs += 1;
                *last = self.runs;
            }
        }
    }

    /// Returns the counts of the runs so far.
    pub fn novelty(&self) -> Novelty {
        let with = |times: u64| self.seen.values().filter(move |&&(runs, _)| runs == times);
        let alone: BTreeSet<u64> = with(1).map(|&(_, run)| run).collect();
        Novelty {
            runs: self.runs,
            seen: self.seen.len() as u64,
            once: with(1).count() as u64,
            twice: with(2).count() as u64,
            alone: alone.len() as u64,
        }
    }
}

impl<T: Ord> Default for Census<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl Novelty {
    /// The chance that the next run shows something new; nothing without a run. Zero means
    /// [`Novelty::at_most`], not never.
    pub fn chance(&self) -> Option<f64> {
        (self.runs > 0).then(|| self.alone as f64 / self.runs as f64)
    }

    /// Upper bound of the chance at 95 % confidence, for the case that no run showed something alone.
    pub fn at_most(&self) -> Option<f64> {
        /// If the chance were larger, `n` runs without one would have a chance below `exp(-3)`, which is 5 %.
        const NONE_IN_A_ROW: f64 = 3.0;
        (self.runs > 0).then(|| (NONE_IN_A_ROW / self.runs as f64).min(1.0))
    }

    /// Lower bound of the number of species that were not seen.
    pub fn unseen(&self) -> f64 {
        if self.runs == 0 {
            return 0.0;
        }
        let (runs, once, twice) = (self.runs as f64, self.once as f64, self.twice as f64);
        (runs - 1.0) / runs * once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn census(runs: &[&str]) -> Novelty {
        let mut census = Census::new();
        runs.iter().for_each(|run| census.add(run.chars()));
        census.novelty()
    }

    #[test]
    fn a_census_by_hand() {
        // c and d are seen in one run each, e and f in one together; b is seen in two.
        let novelty = census(&["ab", "aab", "ac", "ad", "aef", "a"]);
        assert_eq!(novelty, Novelty { runs: 6, seen: 6, once: 4, twice: 1, alone: 3 });
        assert_eq!(novelty.chance(), Some(0.5));
        assert!((novelty.unseen() - 5.0 / 6.0 * 4.0 * 3.0 / 4.0).abs() < 1e-12);
    }

    #[test]
    fn without_runs_nothing_is_known() {
        let novelty = census(&[]);
        assert_eq!((novelty.chance(), novelty.at_most(), novelty.unseen()), (None, None, 0.0));
        assert_eq!(census(&["", ""]).chance(), Some(0.0));
        assert_eq!(census(&["a"]).unseen(), 0.0);
    }

    proptest! {
        /// The chance is exactly how often a run would have been new, had it come last.
        #[test]
        fn the_chance_is_that_of_leaving_one_out(runs in prop::collection::vec("[a-f]{0,3}", 1..12)) {
            let words: Vec<&str> = runs.iter().map(String::as_str).collect();
            let new = (0..words.len()).filter(|&out| {
                let others: String = words.iter().enumerate().filter(|&(at, _)| at != out).map(|(_, run)| *run).collect();
                words[out].chars().any(|species| !others.contains(species))
            });
            prop_assert_eq!(census(&words).alone, new.count() as u64);
        }

        /// The order of the runs does not matter.
        #[test]
        fn order_does_not_matter(mut runs in prop::collection::vec("[a-f]{0,3}", 0..12)) {
            let words = |runs: &[String]| census(&runs.iter().map(String::as_str).collect::<Vec<_>>());
            let before = words(&runs);
            runs.reverse();
            prop_assert_eq!(before, words(&runs));
        }
    }
}
