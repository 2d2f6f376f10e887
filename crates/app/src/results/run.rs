//! `run.json`, and the part of it that `adit mine --json` prints: the outcome of a round.

use std::collections::BTreeSet;

use adit_logic::FateCounts;
use adit_picture::legible;
use adit_trace::Stop;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ResultFile;
use super::validation::Share;
use crate::output::counted;

/// Content of `run.json`: the summary of a round, with all that it takes to run it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    #[serde(flatten)]
    pub(crate) summary: Summary,
    /// Flags that decide which calls are made and what their labels mean, by name.
    pub(crate) parameters: Map<String, Value>,
    pub(crate) versions: Versions,
    pub(crate) seed: u64,
    pub(crate) budget: String,
    /// The command line, quoted for a shell.
    pub(crate) command: String,
    pub(crate) keeping: Keeping,
}

impl ResultFile for Run {
    const NAME: &'static str = "run.json";
}

/// Versions of everything that a result depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Versions {
    pub(crate) adit: String,
    pub(crate) java: String,
    pub(crate) os: String,
}

/// Seconds spent on storing the campaign.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Keeping {
    /// Examining what ran.
    pub(crate) noting: f64,
    /// Writing while the search waits.
    pub(crate) writing: f64,
    /// Writing what the round ends with.
    pub(crate) ending: f64,
}

/// Outcome of a round, as `adit mine --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    pub(crate) class: String,
    /// Tests run in this round.
    pub(crate) tests: u64,
    pub(crate) properties: FateCounts,
    #[serde(flatten)]
    pub(crate) model: ModelSummary,
    #[serde(flatten)]
    pub(crate) gaps: Gaps,
    /// Branches of the class; absent if they could not be observed.
    pub(crate) branches: Option<Branches>,
    /// The search for witnesses began before the budget ended.
    pub(crate) attacked: bool,
    pub(crate) round: i64,
    pub(crate) seconds: f64,
    pub(crate) stop: Stop,
}

/// The model that a round ended with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ModelSummary {
    pub(crate) alphabet: Vec<String>,
    pub(crate) states: usize,
    pub(crate) transitions: usize,
    /// Transitions of which only the event was observed, and not where it leads.
    #[serde(default)]
    pub(crate) not_explored: usize,
    /// Every call is possible at any time, and no answer changes.
    #[serde(default)]
    pub(crate) no_protocol: bool,
    /// Labels of calls without side effects.
    pub(crate) pure: BTreeSet<String>,
    /// Share of the model's random walks that were made to happen, if measured.
    pub(crate) realized: Option<f64>,
    /// Number of these walks, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) walks: Option<Share>,
    /// Shortest walks that could not be made to happen; absent unless this round explored the model.
    pub(crate) unrealized: Option<Vec<Vec<String>>>,
    pub(crate) confirmed_edges: ConfirmedEdges,
    /// The round that made it and why it was chosen, in words.
    #[serde(rename = "model")]
    pub(crate) origin: String,
    /// The round that made it.
    pub(crate) made_by_round: i64,
    /// The search had nothing left to try.
    pub(crate) complete: bool,
    /// Words that the model accepts only because they happened; what follows them was not explored.
    pub(crate) admitted: usize,
    /// Words of the user's tests that the model rejects, shortest first.
    pub(crate) rejected: Vec<Vec<String>>,
}

/// Transitions that were observed from their source to their target; the targets of the others are guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ConfirmedEdges {
    pub(crate) confirmed: usize,
    pub(crate) all: usize,
}

/// Sides of branches of the class under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Branches {
    /// Taken by some test.
    pub(crate) covered: usize,
    pub(crate) all: usize,
}

/// Calls that the model knows nothing or little about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Gaps {
    /// Methods without arguments to call them with.
    pub(crate) never_tried: Vec<NeverTried>,
    /// Methods that were called and never returned.
    pub(crate) never_returned: Vec<NeverReturned>,
    /// Methods that hang or end their worker and are no longer called, at least on some objects.
    pub(crate) hang: BTreeSet<String>,
    /// Ways to make an object on which most calls hang; such objects are no longer made.
    pub(crate) hanging_objects: BTreeSet<String>,
    /// Every call that hung or ended its worker.
    pub(crate) bad_ends: Vec<BadEnd>,
    /// Methods that blocked in some state, where the model does not have them: they waited for what only
    /// another thread could give.
    #[serde(default)]
    pub(crate) blocking: BTreeSet<String>,
}

/// A method that could not be called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NeverTried {
    pub(crate) method: String,
    pub(crate) why: String,
}

/// A method that was called and never returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NeverReturned {
    pub(crate) method: String,
    pub(crate) times: u32,
    /// The exception that it threw most often, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exception: Option<String>,
    /// The message of that exception.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

impl NeverReturned {
    /// Returns true if the call was probably refused by the sandbox, and not by the class.
    pub(crate) fn is_sandboxed(&self) -> bool {
        // The words of the operating system for what the sandbox forbids, and the exceptions that replace
        // them by a path or the name of a host.
        const WORDS: [&str; 5] = [
            "Permission denied",
            "Operation not permitted",
            "Network is unreachable",
            "Read-only file system",
            "Cannot run program",
        ];
        const EXCEPTIONS: [&str; 2] = ["AccessDeniedException", "UnknownHostException"];
        let said = |message: &String| WORDS.iter().any(|words| message.contains(words));
        let threw = |class: &String| EXCEPTIONS.iter().any(|name| class.rsplit('.').next() == Some(*name));
        self.message.as_ref().is_some_and(said) || self.exception.as_ref().is_some_and(threw)
    }
}

/// The method, how often it was called, and what it threw.
impl std::fmt::Display for NeverReturned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}", self.method, counted(self.times, "time"))?;
        if let Some(exception) = &self.exception {
            write!(f, ": {exception}")?;
        }
        if let Some(message) = self.message.as_ref().filter(|message| !message.is_empty()) {
            write!(f, ", “{}”", legible(message))?;
        }
        f.write_str(if self.is_sandboxed() { "; the sandbox forbids it)" } else { ")" })
    }
}

/// A method that hung or ended its worker on some objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BadEnd {
    pub(crate) method: String,
    /// Construction of the object.
    pub(crate) on: String,
    pub(crate) times: u64,
}

#[cfg(test)]
pub(crate) mod tests {
    use adit_trace::Limit;
    use serde_json::json;

    use super::*;

    /// A run of class `a.B` about which nothing special is to be said.
    pub(crate) fn plain() -> Run {
        Run {
            summary: Summary {
                class: "a.B".to_owned(),
                tests: 1234,
                properties: FateCounts { mined: 6, refuted: 1, survived: 2, not_attacked: 3 },
                model: ModelSummary {
                    alphabet: vec!["B".to_owned(), "add".to_owned()],
                    states: 2,
                    transitions: 2,
                    not_explored: 0,
                    no_protocol: false,
                    pure: BTreeSet::new(),
                    realized: None,
                    walks: None,
                    unrealized: None,
                    confirmed_edges: ConfirmedEdges { confirmed: 2, all: 2 },
                    origin: "made by this round".to_owned(),
                    made_by_round: 1,
                    complete: true,
                    admitted: 0,
                    rejected: Vec::new(),
                },
                gaps: Gaps::default(),
                branches: None,
                attacked: true,
                round: 1,
                seconds: 9.5,
                stop: Stop::Budget(Limit::Time),
            },
            parameters: Map::new(),
            versions: Versions { adit: "0.1.0".to_owned(), java: "21".to_owned(), os: "linux".to_owned() },
            seed: 3,
            budget: "10s".to_owned(),
            command: "adit mine a.B".to_owned(),
            keeping: Keeping { noting: 0.1, writing: 0.2, ending: 0.3 },
        }
    }

    #[test]
    fn what_never_returned_says_why() {
        let told = |exception: Option<&str>, message: Option<&str>| {
            let [exception, message] = [exception, message].map(|text| text.map(str::to_owned));
            NeverReturned { method: "start".to_owned(), times: 7, exception, message }.to_string()
        };
        assert_eq!(told(None, None), "start (7 times)");
        assert_eq!(
            told(Some("InvalidKeyException"), Some("key must have 4 bytes")),
            "start (7 times: InvalidKeyException, “key must have 4 bytes”)"
        );
        assert_eq!(
            told(Some("IOException"), Some("Cannot run program \"a\": error=1, Operation not permitted")),
            "start (7 times: IOException, “Cannot run program \"a\": error=1, Operation not permitted”; the \
             sandbox forbids it)"
        );
        assert!(told(Some("java.nio.file.AccessDeniedException"), Some("/etc/a")).contains("sandbox"));
        // Files of earlier versions have neither.
        let old = json!({"method": "start", "times": 7});
        assert_eq!(serde_json::from_value::<NeverReturned>(old).unwrap().exception, None);
    }

    #[test]
    fn a_run_reads_back_as_written() {
        let mut run = plain();
        run.parameters.insert("coarse".to_owned(), json!(false));
        run.summary.model.realized = Some(0.75);
        run.summary.gaps.bad_ends.push(BadEnd { method: "pop".into(), on: "Stack".into(), times: 3 });
        let value = serde_json::to_value(&run).unwrap();
        // Nesting in the structs is not nesting in the file.
        assert_eq!((&value["states"], &value["bad_ends"][0]["times"]), (&json!(2), &json!(3)));
        assert_eq!(value["properties"], json!({"mined": 6, "refuted": 1, "survived": 2, "not_attacked": 3}));
        assert_eq!(serde_json::from_value::<Run>(value).unwrap(), run);
    }
}
