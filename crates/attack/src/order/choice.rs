//! The situations of experiments.

use std::collections::BTreeMap;
use std::sync::Arc;

use adit_trace::Callable;
use rand::{Rng, RngExt};

use crate::survey::Surveyed;

/// Chooses situations: short ones in turn; objects made in each way in turn, because most streams do not mind
/// that they are closed and some do; and any.
pub(super) struct Choice {
    situations: usize,
    /// Those whose objects are made by the same calls.
    alike: Vec<Vec<usize>>,
}

impl Choice {
    pub(super) fn new(surveyed: &Surveyed) -> Self {
        let mut alike: BTreeMap<Vec<&Arc<Callable>>, Vec<usize>> = BTreeMap::new();
        for (place, situation) in surveyed.situations.iter().enumerate() {
            alike.entry(situation.made_by()).or_default().push(place);
        }
        let mut alike: Vec<Vec<usize>> = alike.into_values().collect();
        alike.sort_by_key(|alike| alike[0]);
        Self { situations: surveyed.situations.len(), alike }
    }

    /// The place of the situation for the experiment with this number. There must be a situation.
    pub(super) fn situation(&self, number: usize, rng: &mut impl Rng) -> usize {
        match number % 4 {
            0 => (number / 4) % self.situations,
            2 => {
                let alike = &self.alike[(number / 4) % self.alike.len()];
                alike[rng.random_range(0..alike.len())]
            }
            _ => rng.random_range(0..self.situations),
        }
    }
}
