//! Traces and properties to models: one file per algorithm.
//!
//! Every algorithm here keeps one promise, which [`first_rejected`] checks: the model accepts every trace it
//! was made from. [`contractor()`] and [`temi()`] start from contracts instead, and [`sekt()`] and [`temi()`]
//! use what traces say about the object's state ([`Abstraction`]). A [`BehaviorModel`] has only what was
//! seen.

mod abstraction;
mod adabu;
mod contractor;
mod dice_miner;
mod formulas;
mod invariant_mts;
mod ktail;
mod sekt;
mod tautoko;
mod temi;
#[cfg(test)]
mod testing;

use adit_automata::{Fsa, Reader};

pub use abstraction::{Abstraction, Claims, Situation, Visit};
pub use adabu::{BehaviorCall, BehaviorModel, Exceptional, Merged, Reduced, Shade, Shades};
pub use contractor::{FromInvariants, contractor};
pub use dice_miner::{Constraints, dice_miner};
pub use invariant_mts::{Scope, StateLimit, Undecided};
pub use ktail::{DamagedTree, Horizon, ktail, merge_tree, tree_to_bytes};
pub use sekt::sekt;
pub use tautoko::{CallPlace, Mutation, ObjectHistory, PlannedCall, mutations};
pub use temi::{pessimistic, temi};

/// The index of the first of `words` that `model` does not accept.
///
/// Inference must never give a model that contradicts its own evidence, so callers check before they trust.
pub fn first_rejected<L: Ord + Clone, W: AsRef<[L]>>(model: &Fsa<L>, words: &[W]) -> Option<usize> {
    // Words are read in order, each from where it parts from the one before, because a log repeats its
    // prefixes.
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_unstable_by(|&one, &other| words[one].as_ref().cmp(words[other].as_ref()));
    let mut reader = Reader::new(model);
    let mut previous: &[L] = &[];
    let mut rejected = None;
    for at in order {
        let word = words[at].as_ref();
        reader.back_to(word.iter().zip(previous).take_while(|(one, other)| one == other).count());
        previous = word;
        let read = word[reader.length()..].iter().all(|label| reader.step(model.letter(label)));
        if !(read && reader.is_accepting()) {
            rejected = Some(rejected.map_or(at, |first: usize| first.min(at)));
        }
    }
    rejected
}
