//! Compares a mined model with the language of a generated class.
//!
//! A class that does not count is compared exactly. For the others, random walks of a fixed length are drawn
//! from either side and read by the other: of the labels that can come next, each is equally likely.

use std::collections::BTreeSet;

use adit_automata::Fsa;
use adit_trace::Label;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::draw::ROOM;
use super::protocol::{Configuration, Overloads, Protocol};
use crate::mined_model::MinedModel;

/// Walks drawn from each side.
const WALKS: usize = 2000;

/// Events of a walk, as many as `adit validate` takes.
const LENGTH: usize = 12;

/// Pairs of subsets that a comparison may visit.
const LIMIT: usize = 1_000_000;

/// Precision and recall that a counting class must reach.
pub(crate) const ENOUGH: f64 = 0.97;

/// Comparison of a model with its class.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judgement {
    /// States of the minimal automaton; for a counting class, of the same class with room for three.
    pub(crate) true_states: usize,
    /// Both have the same language; `None` if the class counts, or if comparing takes too long.
    pub(crate) equal: Option<bool>,
    /// A shortest word that only one side has.
    pub(crate) difference: Option<Difference>,
    pub(crate) precision: f64,
    pub(crate) recall: f64,
}

/// A word that only one side has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) word: Vec<String>,
    pub(crate) side: Side,
}

/// The side that has a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Model,
    Class,
}

impl Judgement {
    /// Tells whether the language is right: exactly, or nearly if the class counts.
    pub(crate) fn is_right(&self) -> bool {
        self.equal.unwrap_or(self.precision >= ENOUGH && self.recall >= ENOUGH)
    }
}

/// Compares a model with its class.
pub(crate) fn judge(protocol: &Protocol, model: &MinedModel, rng: &mut ChaCha8Rng) -> Judgement {
    let overloads = spelling(protocol, &model.fsa);
    let counts = protocol.counts();
    let truth = protocol.truth(overloads, if counts { ROOM } else { u32::MAX }).prefix_closed();
    let true_states = truth.minimize(LIMIT).map_or(truth.len(), |minimal| minimal.len());
    let (equal, difference) = if counts {
        (None, None)
    } else {
        match compared(&truth, &model.fsa) {
            Some(difference) => (Some(difference.is_none()), difference),
            None => (None, None),
        }
    };
    let words: Vec<Vec<String>> = (0..WALKS).map(|_| walk(&model.fsa, rng)).collect();
    let true_of_class = words.iter().filter(|word| reads(protocol, overloads, word)).count();
    let words: Vec<Vec<String>> = (0..WALKS).map(|_| class_walk(protocol, overloads, rng)).collect();
    let allowed_by_model = words.iter().filter(|word| model.fsa.reads(word)).count();
    let difference =
        difference.or_else(|| counts.then(|| sampled(protocol, overloads, model, rng)).flatten());
    Judgement {
        true_states,
        equal,
        difference,
        precision: true_of_class as f64 / WALKS as f64,
        recall: allowed_by_model as f64 / WALKS as f64,
    }
}

/// Returns whether the model's labels of overloads have their types. Versions that merged overloads wrote the
/// bare name.
fn spelling(protocol: &Protocol, model: &Fsa<String>) -> Overloads {
    let is_merged = protocol.methods.iter().any(|method| {
        let apart = protocol.label(method, None, Overloads::Apart);
        apart != method.name
            && model.alphabet().iter().any(|label| Label::parse(label).method() == method.name)
    });
    if is_merged { Overloads::Merged } else { Overloads::Apart }
}

/// A shortest word that only one side has, if there is one; `None` if finding out takes too long.
fn compared(truth: &Fsa<String>, model: &Fsa<String>) -> Option<Option<Difference>> {
    let only_class = truth.separating_word(model, LIMIT).ok()?;
    let only_model = model.separating_word(truth, LIMIT).ok()?;
    let of_class = only_class.map(|word| Difference { word, side: Side::Class });
    let of_model = only_model.map(|word| Difference { word, side: Side::Model });
    Some(of_class.into_iter().chain(of_model).min_by_key(|difference| difference.word.len()))
}

/// The shortest failing prefix among random walks of both sides.
fn sampled(
    protocol: &Protocol,
    overloads: Overloads,
    model: &MinedModel,
    rng: &mut ChaCha8Rng,
) -> Option<Difference> {
    let cut = |word: Vec<String>, is_read: &dyn Fn(&[String]) -> bool, side: Side| {
        let length = (1..=word.len()).find(|&length| !is_read(&word[..length]))?;
        Some(Difference { word: word[..length].to_vec(), side })
    };
    let mut found: Vec<Difference> = Vec::new();
    for _ in 0..WALKS {
        found.extend(cut(walk(&model.fsa, rng), &|word| reads(protocol, overloads, word), Side::Model));
        found.extend(cut(class_walk(protocol, overloads, rng), &|word| model.fsa.reads(word), Side::Class));
    }
    found.into_iter().min_by(|one, other| (one.word.len(), &one.word).cmp(&(other.word.len(), &other.word)))
}

/// A random walk of the model.
fn walk(model: &Fsa<String>, rng: &mut ChaCha8Rng) -> Vec<String> {
    let mut word = Vec::new();
    let mut at: BTreeSet<usize> = model.initial().iter().copied().collect();
    while word.len() < LENGTH {
        let letters: BTreeSet<u32> =
            at.iter().flat_map(|&state| model.steps(state)).map(|step| step.letter).collect();
        if letters.is_empty() {
            break;
        }
        let letter = *letters.iter().nth(rng.random_range(0..letters.len())).expect("it is below the number");
        at = at
            .iter()
            .flat_map(|&state| model.steps_with(state, letter))
            .map(|step| step.to as usize)
            .collect();
        word.push(model.alphabet()[letter as usize].clone());
    }
    word
}

/// A random walk of the class.
fn class_walk(protocol: &Protocol, overloads: Overloads, rng: &mut ChaCha8Rng) -> Vec<String> {
    let mut word = vec![protocol.name.clone()];
    let mut at = protocol.starts();
    while word.len() < LENGTH {
        let mut next: Vec<(String, BTreeSet<Configuration>)> =
            protocol.successors(&at, overloads).into_iter().collect();
        if next.is_empty() {
            break;
        }
        let (label, to) = next.swap_remove(rng.random_range(0..next.len()));
        word.push(label);
        at = to;
    }
    word
}

/// Tells whether some arguments make the class do a word.
fn reads(protocol: &Protocol, overloads: Overloads, word: &[String]) -> bool {
    let Some((first, rest)) = word.split_first() else { return true };
    if *first != protocol.name {
        return false;
    }
    let mut at = protocol.starts();
    for label in rest {
        match protocol.successors(&at, overloads).remove(label) {
            Some(next) => at = next,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::SeedableRng;

    use super::super::draw::draw;
    use super::super::kind::Kind;
    use super::*;

    fn model(fsa: Fsa<String>) -> MinedModel {
        MinedModel { states: fsa.len(), transitions: fsa.transitions(), fsa, guesses: 0, not_explored: 0 }
    }

    #[test]
    fn the_truth_itself_is_right_with_either_spelling() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for seed in 0..8 {
            let protocol = draw(seed, &Kind::all());
            for overloads in [Overloads::Apart, Overloads::Merged] {
                // Deep enough for walks of twelve events.
                let truth = model(protocol.truth(overloads, 12).prefix_closed());
                let judgement = judge(&protocol, &truth, &mut rng);
                assert!(judgement.is_right(), "seed {seed}: {judgement:?}");
                assert_eq!((judgement.precision, judgement.recall), (1.0, 1.0), "seed {seed}");
                assert_eq!(judgement.difference, None, "seed {seed}");
            }
        }
    }

    #[test]
    fn a_model_that_allows_everything_is_wrong_and_shown_to_be() {
        let protocol = draw(1, &BTreeSet::from([Kind::IntState]));
        let truth = protocol.truth(Overloads::Apart, u32::MAX);
        let everything = model(truth.quotient(&vec![0; truth.len()]).prefix_closed());
        let judgement = judge(&protocol, &everything, &mut ChaCha8Rng::seed_from_u64(3));
        assert_eq!((judgement.equal, judgement.recall), (Some(false), 1.0));
        assert!(judgement.precision < ENOUGH, "{judgement:?}");
        assert_eq!(judgement.difference.map(|difference| difference.side), Some(Side::Model));
    }
}
