//! Precision and recall of a model against a truth: by sampling, as the papers do, and exactly.
//!
//! Paper: `krka`, section 4.2.1, and `dice`, section 4.1.1, for the sampled measure. The exact one is our
//! own: the words of each length are counted instead of drawn, so there is no seed and nothing to choose but
//! the length.
//! Deviation: the papers leave open how a walk ends and what "accepted" means; see
//! [`crate::Fsa::random_walk`] and [`sampled`] for the reading that reproduces their numbers.
//! Cost: sampled `O(walks · length)` set steps; exact `O(length · transitions of the product)` after
//! determinizing.

use num_bigint::BigUint;
use rand::Rng;

use crate::determinize::TooLarge;
use crate::graph::Fsa;
use crate::reader::Reader;

/// Precision and recall, each between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The share of the model's words that the truth allows.
    pub precision: f64,
    /// The share of the truth's words that the model allows.
    pub recall: f64,
}

impl Score {
    /// The harmonic mean of precision and recall.
    pub fn f(self) -> f64 {
        let Self { precision, recall } = self;
        if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
    }
}

/// The papers' measure: `walks` random walks of each automaton, and the share of them that the other can
/// read.
///
/// A walk counts as accepted when the other automaton does not get stuck on it, whether or not the state it
/// ends in is accepting. Walks are at most `max_length` long; the papers take twice the number of the truth's
/// transitions.
pub fn sampled<L: Ord + Clone>(
    model: &Fsa<L>,
    truth: &Fsa<L>,
    walks: usize,
    max_length: usize,
    rng: &mut impl Rng,
) -> Score {
    let mut share = |from: &Fsa<L>, judge: &Fsa<L>| {
        let mut reader = Reader::indexed(judge);
        let letters = judge.letters(from.alphabet());
        let mut is_read = || {
            let walk = from.random_walk(max_length, rng);
            reader.reads(walk.iter().map(|step| letters[step.letter as usize]))
        };
        let read = (0..walks).filter(|_| is_read()).count();
        read as f64 / walks.max(1) as f64
    };
    Score { precision: share(model, truth), recall: share(truth, model) }
}

/// The words of a model, of a truth and of both, counted by length.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact {
    /// For each length from 0 up, how many words the model accepts.
    pub model: Vec<BigUint>,
    /// For each length from 0 up, how many words the truth accepts.
    pub truth: Vec<BigUint>,
    /// For each length from 0 up, how many words both accept.
    pub both: Vec<BigUint>,
}

/// The exact measure: counts the accepted words of each length up to `max_length`.
///
/// Pass [`Fsa::prefix_closed`] automata to ignore finality. Fails when determinizing either automaton needs
/// more than `limit` states.
pub fn exact<L: Ord + Clone>(
    model: &Fsa<L>,
    truth: &Fsa<L>,
    max_length: usize,
    limit: usize,
) -> Result<Exact, TooLarge> {
    // Minimal automata have the smallest product, which is where the time goes. Minimizing the product as
    // well would take longer than counting on it.
    let (model, truth) = (model.minimize(limit)?, truth.minimize(limit)?);
    let both = model.intersection(&truth);
    Ok(Exact {
        model: model.count_words(max_length),
        truth: truth.count_words(max_length),
        both: both.count_words(max_length),
    })
}

impl Exact {
    /// The score over the words of one length; `None` when neither automaton has a word of it.
    pub fn at(&self, length: usize) -> Option<Score> {
        let zero = BigUint::ZERO;
        if self.model[length] == zero && self.truth[length] == zero {
            return None;
        }
        Some(Score {
            precision: ratio(&self.both[length], &self.model[length]),
            recall: ratio(&self.both[length], &self.truth[length]),
        })
    }

    /// The score over all words of all lengths together. Long words are the most numerous and weigh the most.
    pub fn overall(&self) -> Score {
        let sum = |counts: &[BigUint]| counts.iter().sum::<BigUint>();
        let (model, truth, both) = (sum(&self.model), sum(&self.truth), sum(&self.both));
        Score { precision: ratio(&both, &model), recall: ratio(&both, &truth) }
    }

    /// The mean of the scores of the single lengths, so that no length outweighs the others; `None` when
    /// there are no words at all.
    pub fn mean(&self) -> Option<Score> {
        let scores: Vec<Score> = (0..self.model.len()).filter_map(|length| self.at(length)).collect();
        let mean = |part: fn(&Score) -> f64| scores.iter().map(part).sum::<f64>() / scores.len() as f64;
        (!scores.is_empty()).then(|| Score { precision: mean(|s| s.precision), recall: mean(|s| s.recall) })
    }
}

/// `part / whole` for numbers that need not fit a float; 1 when the whole is empty, as nothing in it is
/// wrong.
fn ratio(part: &BigUint, whole: &BigUint) -> f64 {
    if *whole == BigUint::ZERO {
        return 1.0;
    }
    if part == whole {
        return 1.0;
    }
    // Both are cut to the leading 1,000 bits of the whole: far more than a float holds, and never infinite.
    let shift = whole.bits().saturating_sub(1000);
    let float = |number: &BigUint| {
        let digits = (number >> shift).to_u64_digits();
        digits.iter().rev().fold(0.0, |sum: f64, &digit| sum * 18_446_744_073_709_551_616.0 + digit as f64)
    };
    float(part) / float(whole)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;
    use crate::testing::{fsas, words_up_to};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn exact_agrees_with_listing_all_words(model in fsas(5), truth in fsas(5)) {
            let exact = exact(&model, &truth, 4, 10_000).unwrap();
            let count = |keep: &dyn Fn(&[char]) -> bool| words_up_to(4).iter().filter(|word| keep(word)).count() as f64;
            let (of_model, of_truth) = (count(&|word| model.accepts(word)), count(&|word| truth.accepts(word)));
            let of_both = count(&|word| model.accepts(word) && truth.accepts(word));
            let share = |whole: f64| if whole == 0.0 { 1.0 } else { of_both / whole };
            let score = exact.overall();
            prop_assert!((score.precision - share(of_model)).abs() < 1e-12);
            prop_assert!((score.recall - share(of_truth)).abs() < 1e-12);
        }

        #[test]
        fn sampling_an_automaton_against_itself_finds_no_fault(fsa in fsas(5), seed in 0u64..9) {
            let score = sampled(&fsa, &fsa, 50, 20, &mut ChaCha8Rng::seed_from_u64(seed));
            prop_assert_eq!(score, Score { precision: 1.0, recall: 1.0 });
        }
    }

    #[test]
    fn ratios_of_huge_numbers_are_finite() {
        let huge = BigUint::from(30u32).pow(2000);
        assert_eq!(ratio(&huge, &(&huge * 4u32)), 0.25);
        assert_eq!(ratio(&BigUint::ZERO, &huge), 0.0);
    }

    #[test]
    fn f_is_the_harmonic_mean() {
        assert_eq!(Score { precision: 0.5, recall: 1.0 }.f(), 2.0 / 3.0);
        assert_eq!(Score { precision: 0.0, recall: 0.0 }.f(), 0.0);
    }
}
