//! Traces and claims to models: one file per algorithm.
//!
//! Every algorithm here keeps one promise, which [`first_rejected`] checks: the model accepts every trace it was made
//! from.

mod dice_miner;
mod ktail;

use adit_automata::Fsa;

pub use dice_miner::{Constraints, dice_miner};
pub use ktail::{Horizon, ktail};

/// The index of the first of `words` that `model` does not accept.
///
/// Inference must never give a model that contradicts its own evidence, so callers check before they trust.
pub fn first_rejected<L: Ord + Clone>(model: &Fsa<L>, words: &[Vec<L>]) -> Option<usize> {
    // Words are read together, as a tree, because a log repeats its prefixes.
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_unstable_by(|&one, &other| words[one].cmp(&words[other]));
    let mut rejected = None;
    let mut path: Vec<Vec<usize>> = vec![model.initial().to_vec()];
    let mut previous: &[L] = &[];
    for at in order {
        let word = &words[at];
        let shared = word.iter().zip(previous).take_while(|(one, other)| one == other).count();
        path.truncate(shared + 1);
        for label in &word[path.len() - 1..] {
            let current = path.last().expect("the initial states stay");
            let mut next: Vec<usize> = model.letter(label).map_or_else(Vec::new, |letter| {
                current
                    .iter()
                    .flat_map(|&state| model.steps_with(state, letter).iter().map(|step| step.to as usize))
                    .collect()
            });
            next.sort_unstable();
            next.dedup();
            path.push(next);
        }
        previous = word;
        let accepted =
            path.last().is_some_and(|states| states.iter().any(|&state| model.is_accepting(state)));
        if !accepted {
            rejected = Some(rejected.map_or(at, |first: usize| first.min(at)));
        }
    }
    rejected
}
