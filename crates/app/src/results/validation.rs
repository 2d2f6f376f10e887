//! `validate.json`: what `adit validate --json` prints, for users who save it beside the model.

use adit_attack::validate::Rate;
use adit_trace::Stop;
use serde::{Deserialize, Serialize};

use super::ResultFile;
use super::not_made::NotMade;
use crate::output::counted;

/// Precision and recall of a model, measured by running its class.
///
/// One field for each name in the JSON, of which the documentation gives a flat list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Validation {
    pub(crate) class: String,
    pub(crate) precision: Option<f64>,
    pub(crate) recall: Option<f64>,
    /// Shortest prefixes of walks whose last event could not be made to happen.
    pub(crate) unrealized: Vec<Vec<String>>,
    /// Shortest words that happened and that the model rejects at their last event.
    pub(crate) rejected: Vec<Vec<String>>,
    /// Java code for each of `rejected`.
    pub(crate) rejected_java: Vec<String>,
    /// Walks of the model that were made to happen.
    pub(crate) walks: Share,
    /// Objects whose events the model accepts.
    pub(crate) objects: Share,
    pub(crate) undecided: Undecided,
    /// Events that happened and that the model does not have.
    #[serde(alias = "missing")]
    pub(crate) events_not_in_model: Vec<String>,
    pub(crate) new_events: Novelty,
    pub(crate) new_pairs: Novelty,
    #[serde(flatten)]
    pub(crate) not_made: NotMade,
    /// Methods that hang or end their worker and were no longer called.
    #[serde(alias = "given_up")]
    pub(crate) hang: Vec<String>,
    pub(crate) tests: u64,
    pub(crate) seconds: f64,
    pub(crate) stop: Stop,
}

impl ResultFile for Validation {
    const NAME: &'static str = "validate.json";
    const REMEDY: &'static str = "save the output of `adit validate --json` again";
}

/// A measured share with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Share {
    pub(crate) good: u64,
    pub(crate) of: u64,
    pub(crate) interval: Option<(f64, f64)>,
}

impl Share {
    /// Returns what was done with walks of a model: the one sentence about it, wherever it is told.
    pub(crate) fn of_walks(self) -> String {
        let walks = counted(self.of, "random walk");
        let were = if self.good == 1 { "was" } else { "were" };
        format!(
            "of {walks} through the model, {} {were} reproduced on the class{}",
            self.good,
            self.percent()
        )
    }

    /// Returns what random objects did, in the same form.
    pub(crate) fn of_objects(self) -> String {
        let objects = counted(self.of, "random object");
        format!("of {objects}, {} did only what the model allows{}", self.good, self.percent())
    }

    /// Returns the confidence interval in percent, ` (91 to 96 %)`: its ends are rounded outwards, because
    /// only all is 100 %.
    fn percent(self) -> String {
        let told = self.interval.map(|(low, high)| {
            let high = if self.good == self.of { 100.0 } else { (high * 100.0).ceil().min(100.0) };
            format!(" ({} to {high} %)", (low * 100.0).floor())
        });
        told.unwrap_or_default()
    }
}

impl From<Rate> for Share {
    fn from(rate: Rate) -> Self {
        Self { good: rate.good, of: rate.all, interval: rate.interval() }
    }
}

/// Walks that count neither as realized nor as unrealized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Undecided {
    /// The budget ended first.
    pub(crate) budget: u64,
    /// They need a method that could not be called.
    pub(crate) untried: u64,
    /// They happened once and not again.
    pub(crate) unsteady: u64,
}

/// Estimate of how much random objects would still show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Novelty {
    pub(crate) seen: u64,
    pub(crate) once: u64,
    pub(crate) twice: u64,
    /// Probability that the next object shows something new.
    pub(crate) chance: Option<f64>,
    /// Upper bound of `chance` if no object showed something alone.
    pub(crate) at_most: Option<f64>,
    /// Estimated number of things that exist and were not seen.
    pub(crate) unseen_at_least: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_are_told_as_what_was_done() {
        let told = |good, of, interval| Share { good, of, interval }.of_walks();
        assert_eq!(
            told(282, 300, Some((0.907, 0.962))),
            "of 300 random walks through the model, 282 were reproduced on the class (90 to 97 %)"
        );
        assert_eq!(
            told(300, 300, Some((0.987, 1.0))),
            "of 300 random walks through the model, 300 were reproduced on the class (98 to 100 %)"
        );
        assert_eq!(told(1, 1, None), "of 1 random walk through the model, 1 was reproduced on the class");
        assert_eq!(
            Share { good: 9, of: 10, interval: None }.of_objects(),
            "of 10 random objects, 9 did only what the model allows"
        );
    }
}
