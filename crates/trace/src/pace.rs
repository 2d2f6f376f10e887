//! Pacing: how a caller follows a long search, and how it ends one.
//!
//! Every search takes a [`Pace`] and asks it between batches of scripts. The pace sees how far the search has
//! come ([`Progress`]) and answers with a [`Stop`] when it must end. Every search returns the [`Stop`] that
//! ended it, its own or the caller's, so nothing cut short can pass for complete.

use std::fmt;
use std::ops::ControlFlow;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Reason why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// Nothing was left to do.
    Done,
    /// A limit of the caller was reached.
    Budget(Limit),
    /// The user asked to stop.
    Interrupted,
    /// Going on was pointless: too many scripts hung or crashed, or the subject ran no more of them.
    GaveUp,
}

/// Quantity that a caller limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// Time on the clock.
    Time,
    /// Scripts that were run.
    Tests,
    /// Events that were recorded.
    Events,
}

impl Stop {
    /// All reasons.
    pub const ALL: [Self; 6] = [
        Self::Done,
        Self::Budget(Limit::Time),
        Self::Budget(Limit::Tests),
        Self::Budget(Limit::Events),
        Self::Interrupted,
        Self::GaveUp,
    ];

    /// Spelling in JSON and in stored campaigns. It never changes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Budget(Limit::Time) => "time",
            Self::Budget(Limit::Tests) => "tests",
            Self::Budget(Limit::Events) => "events",
            Self::Interrupted => "interrupted",
            Self::GaveUp => "gave_up",
        }
    }

    /// Reads the spelling of [`Stop::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stop| stop.name() == name)
    }

    /// Tells whether the search ended by itself, with nothing left to do.
    pub fn is_done(self) -> bool {
        self == Self::Done
    }

    /// This reason, or the other one if this search was done.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self.is_done() { other } else { self }
    }
}

impl Serialize for Stop {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Stop {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::from_name(&name).ok_or_else(|| D::Error::custom(format!("unknown reason to stop `{name}`")))
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Step of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Preparations, before the first script runs.
    #[default]
    Start,
    /// Repeating tests of earlier rounds.
    Replay,
    /// Running the first random scripts.
    Watch,
    /// Learning which calls have no side effect.
    Purity,
    /// Running random scripts to learn which calls are worth trying.
    Survey,
    /// Choosing the calls that are tried everywhere.
    Choose,
    /// Trying all chosen calls in every new situation.
    Explore,
    /// Following random scripts that the model rejects.
    Accept,
    /// Realizing walks of the model on the subject.
    Refute,
    /// Running random scripts until the budget is used up.
    Random,
    /// Searching for scripts that refute properties.
    Attack,
    /// Making refuting scripts smaller.
    Shrink,
    /// Reading random runs with a model that is validated.
    Runs,
    /// Realizing walks of a model that is validated.
    Walks,
    /// Recording tests or a program of the user.
    Record,
}

impl Phase {
    /// Spelling in progress output and in stored campaigns.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Replay => "begin",
            Self::Watch => "watch",
            Self::Purity => "purity",
            Self::Survey => "survey",
            Self::Choose => "choose",
            Self::Explore => "explore",
            Self::Accept => "accept",
            Self::Refute => "refute",
            Self::Random => "random",
            Self::Attack => "attack",
            Self::Shrink => "shrink",
            Self::Runs => "runs",
            Self::Walks => "walks",
            Self::Record => "record",
        }
    }
}

/// Progress of a search. A count that means nothing to it is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Current step.
    pub phase: Phase,
    /// Scripts that were run.
    pub tests: u64,
    /// States of the model so far.
    pub states: Option<usize>,
    /// Properties that were refuted.
    pub refuted: Option<usize>,
    /// Properties that are neither refuted nor given up.
    pub open: Option<usize>,
    /// Sides of branches that were taken.
    pub covered: Option<usize>,
    /// Objects that were recorded.
    pub objects: Option<u64>,
    /// Events that were recorded.
    pub events: Option<u64>,
}

impl Progress {
    /// A step in which only scripts are counted.
    pub fn new(phase: Phase, tests: u64) -> Self {
        Self { phase, tests, ..Self::default() }
    }
}

/// Caller of a search, who follows its progress and may end it.
///
/// Closures that take a [`Progress`] are paces too.
pub trait Pace {
    /// Answers whether to go on. A search asks at the beginning of every phase and between batches of
    /// scripts.
    fn go_on(&mut self, progress: &Progress) -> ControlFlow<Stop>;
}

impl<F: FnMut(&Progress) -> ControlFlow<Stop>> Pace for F {
    fn go_on(&mut self, progress: &Progress) -> ControlFlow<Stop> {
        self(progress)
    }
}

/// Pace of a caller who never ends a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlimited;

impl Pace for Unlimited {
    fn go_on(&mut self, _: &Progress) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_is_read_as_it_is_written() {
        for stop in Stop::ALL {
            assert_eq!(Stop::from_name(stop.name()), Some(stop));
        }
        assert_eq!(Stop::from_name("budget"), None);
    }

    #[test]
    fn the_first_search_that_was_not_done_says_why() {
        let (time, interrupted) = (Stop::Budget(Limit::Time), Stop::Interrupted);
        assert_eq!(Stop::Done.or(time), time);
        assert_eq!(interrupted.or(time), interrupted);
        assert_eq!(time.or(Stop::Done), time);
    }
}
