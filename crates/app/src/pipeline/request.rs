//! The request of `adit mine`.
//!
//! The names of the choices are part of a campaign's identity: they are written into its database and
//! compared when the campaign is continued. They must never change; `Debug` output, which may, is no
//! substitute.

use std::path::PathBuf;

use adit_attack::dynamosa::Settings;
use adit_attack::explore::ExploreOptions;
use adit_infer::Constraints;

use super::Miner;
use crate::budget::Budget;
use crate::request::{CallRequest, ClassRequest};

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
#[derive(Clone, Debug)]
pub(crate) struct ModelRequest {
    pub(crate) miner: &'static Miner,
    /// Never split a state for behavior that only some of its objects have.
    pub(crate) coarse: bool,
    /// Effort of an exploration.
    pub(crate) exploration: ExploreOptions,
    /// Constraints that DICE-Miner keeps.
    pub(crate) constraints: ConstraintChoice,
    /// Try TEMI's guesses on the class.
    pub(crate) confirm: bool,
}

/// The attack on properties.
#[derive(Clone, Debug)]
pub(crate) struct AttackRequest {
    pub(crate) tester: Tester,
    pub(crate) properties: AttackedProperties,
    /// Numbers of the search, with the generations after which it restarts and gives up a property.
    pub(crate) search: Settings,
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
        assert_eq!(Tester::ALL.map(Tester::name), ["dice", "dynamosa", "random"]);
        assert_eq!(AttackedProperties::ALL.map(AttackedProperties::name), ["held", "all"]);
        assert_eq!(ConstraintChoice::ALL.map(ConstraintChoice::name), ["both", "a", "b", "none"]);
    }
}
