//! The probability that a claim held by chance.
//!
//! Paper: `daikon`, section 4.3 of the article of 2001: a claim is reported only if the probability that it
//! holds by chance, for values that have nothing to do with each other, is below a limit.
//! Deviation: each model below says which chance it means. For bounds, the article compares the frequency of
//! the extreme value with a uniform distribution over the whole range; here the frequencies near the end of
//! the range decide, because few variables of a program are uniform.
//! Cost: constant.
//!
//! A confidence is one minus that probability. It says how much the traces were a test of the claim, and
//! nothing about the traces being typical.

use super::stats::{Together, Values};

/// Confidence in `variable` having one of the `count` values that it had: one more value, as likely as
/// those, would have been seen.
pub(super) fn few_values(samples: u64, count: usize) -> f64 {
    let count = count as f64;
    1.0 - (count / (count + 1.0)).powf(samples as f64)
}

/// Confidence in `variable` never being null, or always being so, for references that are null as often as
/// not.
pub(super) fn nullness(samples: u64) -> f64 {
    few_values(samples, 1)
}

/// Confidence in the end of a range, given the numbers next to the end and how often each occurred. The next
/// number beyond it, if it were about as frequent as those, would have been seen.
pub(super) fn bound(ends: &[(i64, u64)]) -> f64 {
    let (Some(&(first, _)), Some(&(last, _))) = (ends.first(), ends.last()) else { return 0.0 };
    let span = (i128::from(first) - i128::from(last)).unsigned_abs() as f64 + 1.0;
    let seen: f64 = ends.iter().map(|&(_, times)| times as f64).sum();
    1.0 - (-seen / span).exp()
}

/// Confidence in a number never being zero, for numbers spread evenly over the range that they had.
pub(super) fn nonzero(samples: u64, lowest: i64, highest: i64) -> f64 {
    let range = (i128::from(highest) - i128::from(lowest)) as f64 + 1.0;
    1.0 - (1.0 - 1.0 / range).powf(samples as f64)
}

/// Confidence in a comparison of two variables that has two outcomes by chance, equally likely. Samples that
/// repeat each other are no test: if neither variable varies much, they count for less.
pub(super) fn comparison(together: &Together, one: &Values, another: &Values) -> f64 {
    let samples = if together.ints > 0 { together.ints } else { together.others };
    let by_chance = one.repetition().min(another.repetition()).max(0.5);
    1.0 - by_chance.powf(samples as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_grows_with_the_number_of_tests() {
        assert_eq!(few_values(0, 1), 0.0);
        // Daikon's limit of 0.99 asks for seven samples of a constant.
        assert!(few_values(6, 1) < 0.99 && few_values(7, 1) > 0.99);
        assert!(few_values(12, 3) < 0.99 && few_values(17, 3) > 0.99);
    }

    #[test]
    fn a_bound_needs_samples_near_it() {
        assert!(bound(&[(-1, 40), (0, 30), (1, 20)]) > 0.99);
        // A long tail: the largest values were seen once each.
        assert!(bound(&[(900, 1), (700, 1), (650, 1)]) < 0.1);
        assert_eq!(bound(&[]), 0.0);
    }

    #[test]
    fn repeated_samples_are_no_test_of_a_comparison() {
        use super::super::stats::Seen;
        let mut together = Together::NEVER;
        let (mut one, mut another) = (Values::default(), Values::default());
        for _ in 0..50 {
            one.add(Seen::Int(3));
            another.add(Seen::Int(4));
            together.add(Seen::Int(3), Seen::Int(4));
        }
        assert_eq!(comparison(&together, &one, &another), 0.0);
        for number in 0..20 {
            one.add(Seen::Int(number));
            another.add(Seen::Int(number + 1));
            together.add(Seen::Int(number), Seen::Int(number + 1));
        }
        assert!(comparison(&together, &one, &another) > 0.99);
    }
}
