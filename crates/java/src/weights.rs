//! Drawing by weight.
//!
//! Paper: none.

use rand::{Rng, RngExt};

/// Places to draw by weight.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weights {
    /// The sums of the weights up to each place.
    sums: Vec<u32>,
}

impl Weights {
    /// Places with these weights.
    pub(crate) fn new(weights: impl Iterator<Item = u32>) -> Weights {
        let add = |sum: &mut u32, weight: u32| {
            *sum = sum.saturating_add(weight);
            Some(*sum)
        };
        Weights { sums: weights.scan(0, add).collect() }
    }

    /// A place; the first if there is none.
    pub(crate) fn draw(&self, rng: &mut impl Rng) -> usize {
        match self.sums.last() {
            Some(&total) if total > 0 => {
                let drawn = rng.random_range(0..total);
                self.sums.partition_point(|&sum| sum <= drawn)
            }
            _ => 0,
        }
    }
}
