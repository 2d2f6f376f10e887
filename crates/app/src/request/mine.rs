//! The request of `adit mine`.
//!
//! The names of the choices are part of a campaign's identity: they are written into its database and compared when
//! the campaign is continued. They must never change; `Debug` output, which may, is no substitute.

use std::path::PathBuf;

use adit_infer::Constraints;

use super::{CallRequest, ClassRequest};
use crate::budget::Budget;

/// Mining one class, in the campaign of one folder.
#[derive(Clone, Debug)]
pub(crate) struct MineRequest {
    pub(crate) class: ClassRequest,
    pub(crate) calls: CallRequest,
    pub(crate) budget: Budget,
    /// The folder of the campaign and its results.
    pub(crate) folder: PathBuf,
    /// Move away what is in the folder and begin a new campaign.
    pub(crate) fresh: bool,
    /// The user's JUnit tests: folders, jars or classes that were typed.
    pub(crate) tests: Vec<PathBuf>,
    /// Number of random tests at the beginning.
    pub(crate) initial_tests: usize,
    pub(crate) model: ModelRequest,
    pub(crate) attack: AttackRequest,
}

/// The model to make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelRequest {
    pub(crate) miner: Miner,
    /// Never split a state for behavior that only some of its objects have.
    pub(crate) coarse: bool,
    /// Constraints that DICE-Miner keeps.
    pub(crate) constraints: ConstraintChoice,
}

/// The attack on properties.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttackRequest {
    pub(crate) tester: Tester,
    pub(crate) properties: AttackedProperties,
    /// Generations without a new counterexample after which the search restarts.
    pub(crate) reset_after: u32,
    /// Generations for which one property is attacked.
    pub(crate) abandon_after: u32,
}

/// Algorithm that makes the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Miner {
    /// Explores which calls are enabled, by running them.
    Explore,
    /// Infers the model from traces, as DICE does.
    Dice,
}

impl Miner {
    pub(crate) const ALL: [Self; 2] = [Self::Explore, Self::Dice];

    /// Stable name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Explore => "explore",
            Self::Dice => "dice",
        }
    }
}

/// Search for tests that refute properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tester {
    /// Aims at every property, event and branch.
    Dice,
    /// Aims at every event and branch.
    Dynamosa,
    /// Random tests.
    Random,
}

impl Tester {
    pub(crate) const ALL: [Self; 3] = [Self::Dice, Self::Dynamosa, Self::Random];

    /// Stable name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Dice => "dice",
            Self::Dynamosa => "dynamosa",
            Self::Random => "random",
        }
    }
}

/// Properties that are attacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttackedProperties {
    /// Those that held in every test so far.
    Held,
    /// All instances of all templates.
    All,
}

impl AttackedProperties {
    pub(crate) const ALL: [Self; 2] = [Self::Held, Self::All];

    /// Stable name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::All => "all",
        }
    }
}

/// Constraints of DICE-Miner that the model keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstraintChoice {
    Both,
    /// Calls without a side effect stay in their state.
    A,
    /// No state allows what a surviving property forbids.
    B,
    None,
}

impl ConstraintChoice {
    pub(crate) const ALL: [Self; 4] = [Self::Both, Self::A, Self::B, Self::None];

    /// Stable name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::A => "a",
            Self::B => "b",
            Self::None => "none",
        }
    }
}

impl From<ConstraintChoice> for Constraints {
    fn from(kept: ConstraintChoice) -> Self {
        Self {
            pure_as_loops: matches!(kept, ConstraintChoice::Both | ConstraintChoice::A),
            compatible_states: matches!(kept, ConstraintChoice::Both | ConstraintChoice::B),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Campaigns hold these names; one that changed could not be continued.
    #[test]
    fn names_are_those_that_campaigns_hold() {
        assert_eq!(Miner::ALL.map(Miner::name), ["explore", "dice"]);
        assert_eq!(Tester::ALL.map(Tester::name), ["dice", "dynamosa", "random"]);
        assert_eq!(AttackedProperties::ALL.map(AttackedProperties::name), ["held", "all"]);
        assert_eq!(ConstraintChoice::ALL.map(ConstraintChoice::name), ["both", "a", "b", "none"]);
    }
}
