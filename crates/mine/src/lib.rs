//! Traces to temporal properties and invariants: those that hold on everything that was observed, with the
//! number of times they were tested, and the few of them that a person should read.
//!
//! - [`PropertyMiner`] counts all six two-event templates while a log is being read.
//! - [`mine_formula`] tries one formula with placeholders in all ways to fill them.
//! - [`InvariantMiner`] finds invariants, pre- and postconditions of calls, while a log is being read.
//! - [`summarize`] turns thousands of properties into a few sentences that imply them all.

mod error;
mod formulas;
mod implications;
mod impossible;
mod invariants;
mod lone_traces;
mod matrix;
mod partial;
mod present;
mod properties;
mod purity;
mod tally;
mod window;

pub use error::MineError;
pub use formulas::{Chance, FormulaInstance, FormulaQuery, MinedFormula, mine_formula};
pub use impossible::{Impossible, impossible_traces};
pub use invariants::{
    ClassInvariants, Fold, Invariant, InvariantMiner, InvariantQuery, PointInvariants, ProgramPoint, Scope,
    UnreadableFold, ValueTypes, contracts_of,
};
pub use lone_traces::{Evidence, LoneTrace, lone_traces};
pub use partial::DamagedCounts;
pub use present::{Dropped, Group, Summary, sentences, summarize};
pub use properties::{PropertyMiner, holding, properties_of};
pub use purity::Purity;
pub use tally::{Mined, MinedProperty, PropertyCounts, Wanted, confidence};
