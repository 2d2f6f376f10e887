//! The parts of a campaign.

use adit_logic::{Fate, FateCounts, Property};
use adit_trace::{Script, Stop};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Identity of a campaign. All its rounds agree in everything but seed, tool and time.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Fully qualified name of the class.
    pub class: String,
    /// Fingerprint of the class file and of those it depends on.
    pub class_digest: String,
    /// Everything else that decides which calls are made and what labels mean, as a JSON object.
    pub parameters: Value,
    /// Seed of the first round.
    pub seed: u64,
    /// Version of adit that created it.
    pub tool: String,
    /// Time of creation, in seconds since 1970.
    pub created: i64,
}

/// A difference that keeps a campaign from being continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The thing that differs, such as `the class file` or `non_public`.
    pub what: String,
    /// Its value in the campaign.
    pub stored: String,
    /// Its requested value.
    pub now: String,
}

impl About {
    /// Returns the differences that keep this campaign from being continued as `now`.
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

/// Number of a round, from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RoundId(pub i64);

/// Number of a test, from one. It never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestId(pub i64);

/// A round at its beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRound {
    /// Seed that it uses.
    pub seed: u64,
    /// Budget and kind of search, as JSON.
    pub effort: Value,
    /// Version of adit.
    pub tool: String,
    /// Time of its beginning, in seconds since 1970.
    pub started: i64,
}

/// The end of a round.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundEnd {
    /// Time, in seconds since 1970.
    pub ended: i64,
    /// Reason why the search stopped.
    pub stop: Stop,
}

/// One run of the miner.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Its number.
    pub id: RoundId,
    /// Its beginning.
    pub begun: NewRound,
    /// Its end; absent while it runs, and if it was killed.
    pub end: Option<RoundEnd>,
    /// Number of tests that it ran, as of its last batch.
    pub tests: u64,
    /// Duration, as of its last batch.
    pub seconds: f64,
}

/// A stored test.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// Its number.
    pub id: TestId,
    /// The round that found it.
    pub round: RoundId,
    /// Its calls.
    pub script: Script,
}

/// A word with the number of objects that did it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Its number, from one.
    pub id: i64,
    /// Labels of its events.
    pub word: Vec<String>,
    /// Number of objects that did this.
    pub count: u64,
    /// The first stored test that showed it.
    pub test: Option<TestId>,
}

/// A word while it is streamed from the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known<'a, L> {
    /// Its number, from one.
    pub id: i64,
    /// Its events, in the letters of the caller.
    pub word: &'a [L],
    /// Number of objects that did this.
    pub count: u64,
    /// The first stored test that showed it.
    pub test: Option<TestId>,
}

/// A property with its fate.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredProperty {
    /// The property.
    pub property: Property<String>,
    /// Its fate after all rounds so far.
    pub fate: Fate<TestId>,
    /// Number of distinct words that could have refuted it, when last counted.
    pub support: u64,
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
    /// Reason for choosing it: `made by this round`, `kept from round 2`.
    pub why: String,
    /// The search had nothing left to try.
    pub complete: bool,
    /// Share of its walks that happened on the class, if measured.
    pub realized: Option<f64>,
    /// Number of situations in which the search tried which calls are enabled.
    pub explored: u64,
    /// Tests that take its transitions.
    pub tests: Vec<TestId>,
    /// The transitions that each of these shows, in a form that the store does not interpret.
    pub witnesses: Value,
    /// Time of writing, in seconds since 1970.
    pub written: i64,
}

/// Progress of a search at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchPoint {
    /// Its round.
    pub round: RoundId,
    /// Name of the current phase.
    pub phase: String,
    /// Seconds since the round began.
    pub seconds: f64,
    /// Tests of the round so far.
    pub tests: u64,
    /// States of the model, once there is one.
    pub states: Option<u64>,
    /// Properties refuted so far, once there are properties.
    pub refuted: Option<u64>,
    /// Properties still under attack.
    pub open: Option<u64>,
    /// Sides of branches taken, if known.
    pub covered: Option<u64>,
}

/// Sizes of the parts of a campaign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rounds.
    pub rounds: u64,
    /// Stored tests.
    pub tests: u64,
    /// Distinct words.
    pub words: u64,
    /// Properties, by their fate.
    pub properties: FateCounts,
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
