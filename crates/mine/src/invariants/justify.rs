//! The probability that a claim held by chance, as Daikon computes it.
//!
//! Paper: `daikon`, section 4.3 of the article of 2001: a claim is reported only if the probability that it
//! holds by chance, for values that have nothing to do with each other, is below a limit. The article leaves
//! the tests open; those here are the ones of Daikon's program, which `krka` used.
//! Deviation: a fixed difference counts the different values of one of its two variables, which are as many
//! as the pairs of values that Daikon counts. Daikon's rule for references that are never null is used for
//! texts too.
//! Cost: constant.
//!
//! A confidence is one minus that probability. It says how much the traces were a test of the claim, and
//! nothing about the traces being typical. Constants, small sets and equalities count as justified by a
//! single sample, because Daikon would otherwise lose the transitivity of equality; who wants more asks for
//! a minimum of samples.

/// The samples that a bound needs at its extreme value.
const AT_THE_BOUND: f64 = 3.0;

/// An extreme value stands out if it occurs so many times more often than the average one.
const STANDS_OUT: f64 = 5.0;

/// The average number of samples of a value is taken to be no larger.
const MOST_PER_VALUE: f64 = 100.0;

/// Zero as a lower bound needs fewer samples, by this factor, because it is what programs start from.
const ZERO_IS_COMMON: f64 = 5.0;

/// Different pairs of values that a fixed difference needs.
const PAIRS: f64 = 5.0;

/// The largest range that the confidence in never being zero reckons with.
const LARGEST_RANGE: f64 = 50.0;

/// Confidence in `variable` having one of the few values that it had, or in two variables being equal.
pub(super) fn exact(samples: u64) -> f64 {
    if samples > 0 { 1.0 } else { 0.0 }
}

/// Confidence in `variable` never being null, for references that are null once in three times.
pub(super) fn nonnull(samples: u64) -> f64 {
    nonzero(samples, 3.0)
}

/// The end of a range at which a bound is claimed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Lower,
    Upper,
}

/// Confidence in the end of a range of `range` numbers, given the up to three numbers next to the end and how
/// often each occurred. The extreme one must occur, and it must occur much more often than the average
/// number, or as often as the ones next to it.
pub(super) fn bound(ends: &[(i64, u64)], end: End, samples: u64, range: f64) -> f64 {
    let Some(&(extreme, times)) = ends.first() else { return 0.0 };
    let mut average = (samples as f64 / range).min(MOST_PER_VALUE);
    if end == End::Lower && extreme == 0 {
        average /= ZERO_IS_COMMON;
    }
    let stands_out = falls_short(times, STANDS_OUT * average);
    let uniform = match ends {
        [(first, _), (second, _), (third, _)]
            if first.abs_diff(*second) == 1 && second.abs_diff(*third) == 1 =>
        {
            ends.iter().map(|&(_, times)| falls_short(times, average / 2.0)).fold(0.0, both)
        }
        _ => 1.0,
    };
    1.0 - both(falls_short(times, AT_THE_BOUND), stands_out.min(uniform))
}

/// Confidence in a number never being zero, for numbers spread evenly over so many.
pub(super) fn nonzero(samples: u64, range: f64) -> f64 {
    1.0 - (1.0 - 1.0 / range.min(LARGEST_RANGE)).powf(samples as f64)
}

/// Confidence in an order of two variables, which has two outcomes by chance, equally likely.
pub(super) fn order(samples: u64) -> f64 {
    1.0 - 0.5_f64.powf(samples as f64)
}

/// Confidence in a fixed difference of two variables, given how many different values one of them had.
pub(super) fn difference(values: u64) -> f64 {
    1.0 - falls_short(values, PAIRS)
}

/// Zero if there are as many as wanted, one if there is at most one, and in between else.
fn falls_short(seen: u64, wanted: f64) -> f64 {
    let seen = seen as f64;
    if seen >= wanted {
        0.0
    } else if seen <= 1.0 {
        1.0
    } else {
        1.0 - (seen - 1.0) / (wanted - 1.0)
    }
}

/// The probability that at least one of two things is due to chance.
fn both(one: f64, another: f64) -> f64 {
    one + another - one * another
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_need_one_sample_and_orders_seven() {
        assert_eq!((exact(0), exact(1)), (0.0, 1.0));
        assert!(order(6) < 0.99 && order(7) > 0.99);
        assert!(nonnull(11) < 0.99 && nonnull(12) > 0.99);
        assert!(difference(4) < 0.99 && difference(5) >= 0.99);
    }

    #[test]
    fn a_bound_needs_samples_near_it() {
        // Evenly spread values: 40 samples of each of ten numbers.
        let even = [(-1, 40), (0, 40), (1, 40)];
        assert!(bound(&even, End::Lower, 400, 10.0) > 0.99);
        // The extreme value is rarer than its neighbors.
        let rare = [(-1, 10), (0, 60), (1, 60)];
        assert!(bound(&rare, End::Lower, 400, 10.0) < 0.99);
        // It stands out.
        assert!(bound(&[(900, 60), (700, 1), (650, 1)], End::Upper, 80, 900.0) > 0.99);
        // A long tail: the largest values were seen once each.
        assert!(bound(&[(900, 1), (700, 1), (650, 1)], End::Upper, 80, 900.0) < 0.1);
        // Zero as a lower bound is believed sooner.
        assert!(bound(&[(0, 4), (3, 9)], End::Lower, 40, 10.0) > 0.99);
        assert!(bound(&[(0, 4), (3, 9)], End::Upper, 40, 10.0) < 0.99);
        assert_eq!(bound(&[], End::Lower, 9, 1.0), 0.0);
    }
}
