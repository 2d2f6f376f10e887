//! The last few values of a kind.
//!
//! Paper: none.

use rand::{Rng, RngExt};

/// At most `MOST` different values; the oldest makes room for the next.
#[derive(Clone, Debug)]
pub(crate) struct Recent<T, const MOST: usize> {
    values: Vec<T>,
    oldest: usize,
}

impl<T, const MOST: usize> Default for Recent<T, MOST> {
    fn default() -> Self {
        Recent { values: Vec::new(), oldest: 0 }
    }
}

impl<T: PartialEq, const MOST: usize> Recent<T, MOST> {
    /// Keeps a value.
    pub(crate) fn add(&mut self, value: T) {
        if self.values.contains(&value) {
            return;
        }
        if self.values.len() < MOST {
            self.values.push(value);
        } else {
            self.values[self.oldest] = value;
            self.oldest = (self.oldest + 1) % MOST;
        }
    }

    /// One of the values, with this probability.
    pub(crate) fn draw(&self, probability: f64, rng: &mut impl Rng) -> Option<&T> {
        if self.values.is_empty() || !rng.random_bool(probability) {
            return None;
        }
        self.values.get(rng.random_range(0..self.values.len()))
    }

    /// Drops the values that the predicate is false for.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&T) -> bool) {
        // The list begins with the oldest again, where the next value is put once it is full.
        self.values.rotate_left(self.oldest);
        self.oldest = 0;
        self.values.retain(is_kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_makes_room() {
        let mut recent: Recent<u8, 3> = Recent::default();
        [1, 2, 3, 2, 4].into_iter().for_each(|value| recent.add(value));
        assert_eq!(recent.values, [4, 2, 3]);
        recent.retain(|value| *value != 3);
        assert_eq!(recent.values, [2, 4]);
        [5, 6].into_iter().for_each(|value| recent.add(value));
        assert_eq!(recent.values, [6, 4, 5], "2 was the oldest");
    }
}
