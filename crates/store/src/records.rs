//! What a campaign consists of.

use adit_logic::Property;
use adit_trace::{Script, Stop};
use serde_json::Value;

/// What a campaign is about. Rounds of one campaign agree in all but the seed, the tool and the time.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// The class, with its package.
    pub class: String,
    /// A fingerprint of the class file and of those it depends on.
    pub class_digest: String,
    /// Whatever else decides what a word means and which calls are made, as a JSON object.
    pub parameters: Value,
    /// The seed of the first round.
    pub seed: u64,
    /// The version of the tool that began it.
    pub tool: String,
    /// When, in seconds since 1970.
    pub created: i64,
}

/// Something in which two campaigns differ that must not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is, such as `the class file` or `non_public`.
    pub what: String,
    /// How the campaign has it.
    pub stored: String,
    /// How it is wanted now.
    pub now: String,
}

impl About {
    /// What keeps a campaign about `self` from being continued as one about `now`.
    pub fn differences(&self, now: &Self) -> Vec<Difference> {
        let mut found = Vec::new();
        let mut compare = |what: &str, stored: String, now: String| {
            if stored != now {
                found.push(Difference { what: what.to_owned(), stored, now });
            }
        };
        compare("the class", self.class.clone(), now.class.clone());
        if self.class == now.class {
            compare("the class file", self.class_digest.clone(), now.class_digest.clone());
        }
        let empty = serde_json::Map::new();
        let fields = |about: &'_ Self| about.parameters.as_object().unwrap_or(&empty).clone();
        let (stored, wanted) = (fields(self), fields(now));
        let text = |value: Option<&Value>| match value {
            None | Some(Value::Null) => "not given".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let more = wanted.keys().filter(|name| !stored.contains_key(*name));
        for name in stored.keys().chain(more) {
            compare(name, text(stored.get(name)), text(wanted.get(name)));
        }
        found
    }
}

/// The number of a round, from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoundId(pub i64);

/// The number of a test, from one. Tests keep their numbers for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestId(pub i64);

/// What is known of a round at its beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRound {
    /// The seed that it really uses.
    pub seed: u64,
    /// How much and how it searches, as JSON: the budget, the tester.
    pub effort: Value,
    /// The version of the tool.
    pub tool: String,
    /// When it began, in seconds since 1970.
    pub started: i64,
}

/// How a round ended.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundEnd {
    /// When, in seconds since 1970.
    pub ended: i64,
    /// Reason.
    pub stop: Stop,
}

/// One run of the miner.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Its number.
    pub id: RoundId,
    /// How it began.
    pub begun: NewRound,
    /// How it ended; nothing while it runs, and for ever if it was killed.
    pub end: Option<RoundEnd>,
    /// Tests that it ran, at least.
    pub tests: u64,
    /// How long it took, at least.
    pub seconds: f64,
}

/// A test worth keeping.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// Its number.
    pub id: TestId,
    /// The round that found it.
    pub round: RoundId,
    /// What it calls.
    pub script: Script,
}

/// What an object was seen to do, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Its number, from one.
    pub id: i64,
    /// The labels of its events.
    pub word: Vec<String>,
    /// How many objects did this.
    pub count: u64,
    /// The first test that showed it, if that was kept.
    pub test: Option<TestId>,
}

/// A word that is looked at while it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known<'a, L> {
    /// Its number, from one.
    pub id: i64,
    /// Its events, as what the reader takes labels for.
    pub word: &'a [L],
    /// How many objects did this.
    pub count: u64,
    /// The first test that showed it, if that was kept.
    pub test: Option<TestId>,
}

/// Something that was claimed of all words.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// What.
    pub property: Property<String>,
    /// What became of it.
    pub fate: Fate,
    /// How many different words it speaks about, when they were last counted.
    pub support: u64,
    /// For how many generations it was aimed at, in all rounds.
    pub attacked: u64,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing was aimed at it so far.
    Open,
    /// It was attacked and stands.
    Survived {
        /// The search gave it up, as not to be refuted.
        abandoned: bool,
    },
    /// It is false, and stays so.
    Refuted {
        /// The test that shows it.
        test: TestId,
    },
}

/// A model that a round ended with.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredModel {
    /// The round that ended with it.
    pub round: RoundId,
    /// The round that made it, which may be an earlier one.
    pub made: RoundId,
    /// The model, in the JSON of `model.json`.
    pub json: String,
    /// Why it is the one: `made by this round`, `kept from round 2`.
    pub why: String,
    /// Whether everything was tried.
    pub complete: bool,
    /// The share of its walks that can really happen, if that was measured.
    pub realized: Option<f64>,
    /// In how many situations it was tried what is possible.
    pub explored: u64,
    /// The tests that take its transitions.
    pub tests: Vec<TestId>,
    /// Which of these shows which transition, in whatever form the writer chose.
    pub witnesses: Value,
    /// When, in seconds since 1970.
    pub written: i64,
}

/// How far a search was at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchPoint {
    /// Its round.
    pub round: RoundId,
    /// What was being done.
    pub phase: String,
    /// Seconds since the round began.
    pub seconds: f64,
    /// Tests of the round so far.
    pub tests: u64,
    /// States of the model, once there is one.
    pub states: Option<u64>,
    /// Claims that were refuted so far, once there are claims.
    pub refuted: Option<u64>,
    /// Claims that were still aimed at.
    pub open: Option<u64>,
    /// Sides of branches taken, if that is known.
    pub covered: Option<u64>,
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rounds.
    pub rounds: u64,
    /// Tests that were kept.
    pub tests: u64,
    /// Different words.
    pub words: u64,
    /// Claims.
    pub claims: u64,
    /// Claims that were refuted.
    pub refuted: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_differs_is_named() {
        let about = |class: &str, digest: &str, parameters: Value| About {
            class: class.to_owned(),
            class_digest: digest.to_owned(),
            parameters,
            seed: 0,
            tool: "1".to_owned(),
            created: 0,
        };
        let old = about("Stack", "aa", json!({"non_public": false, "only": ["pop"], "miner": "assay"}));
        let told = |now: &About| {
            let all = old.differences(now);
            all.iter().map(|one| format!("{}: {} -> {}", one.what, one.stored, one.now)).collect::<Vec<_>>()
        };
        let same = About { seed: 9, tool: "2".to_owned(), created: 5, ..old.clone() };
        assert_eq!(told(&same), Vec::<String>::new());
        let other = about(
            "Stack",
            "bb",
            json!({"only": ["pop"], "non_public": true, "miner": "assay", "coarse": true}),
        );
        assert_eq!(
            told(&other),
            ["the class file: aa -> bb", "non_public: false -> true", "coarse: not given -> true"]
        );
        assert_eq!(told(&about("Queue", "bb", old.parameters.clone())), ["the class: Stack -> Queue"]);
    }
}
