//! Ranges: an offset and a length, or a beginning and an end, that fit the array or the text before them.
//!
//! `write(byte[], int, int)` refuses nearly all numbers that know nothing of the array.
//!
//! Paper: none; a habit of Java's libraries.

use adit_bytecode::Type;
use adit_trace::Argument;
use rand::{Rng, RngExt};

use crate::Generator;
use crate::generate::Known;

/// Probability that numbers behind an array or a text are made to fit it.
const FITTED: f64 = 0.5;

/// Probability that a range begins at the beginning, and that it ends at the end.
const WHOLE: f64 = 0.6;

impl Generator {
    /// Sometimes makes numbers that follow an array or a text fit it.
    pub(crate) fn fit_ranges(&self, known: &Known, args: &mut [Argument], rng: &mut impl Rng) {
        let is_int =
            |at: usize| known.parameters.get(at).is_some_and(|&wanted| self.types[wanted] == Type::Int);
        for at in 0..args.len() {
            if !is_int(at + 1) || is_int(at + 3) {
                continue;
            }
            let (length, has_ends) = match &args[at] {
                Argument::Array(elements) => (elements.len(), false),
                Argument::Text(text) => (text.encode_utf16().count(), true),
                _ => continue,
            };
            if rng.random_bool(FITTED) {
                let (first, length) = range(length as i64, rng);
                args[at + 1] = Argument::Int(first);
                if is_int(at + 2) {
                    args[at + 2] = Argument::Int(if has_ends { first + length } else { length });
                }
            }
        }
    }
}

/// The first place and the length of a part of so many elements.
fn range(all: i64, rng: &mut impl Rng) -> (i64, i64) {
    let first = if rng.random_bool(WHOLE) { 0 } else { rng.random_range(0..=all) };
    let rest = all - first;
    (first, if rng.random_bool(WHOLE) { rest } else { rng.random_range(0..=rest) })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    #[test]
    fn ranges_lie_inside() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for all in [0, 1, 7] {
            let drawn: Vec<(i64, i64)> = (0..200).map(|_| range(all, &mut rng)).collect();
            assert!(drawn.iter().all(|&(first, length)| first >= 0 && length >= 0 && first + length <= all));
            assert!(drawn.contains(&(0, all)) && drawn.contains(&(all, 0)));
        }
    }
}
