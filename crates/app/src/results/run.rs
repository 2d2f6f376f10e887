//! `run.json`, and the part of it that `adit mine --json` prints: the outcome of a round.

use std::collections::BTreeSet;
use std::path::PathBuf;

use adit_logic::FateCounts;
use adit_picture::legible;
use adit_trace::{Label, Stop};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::explored_first::ExploredFirst;
use super::not_made::NotMade;
use super::validation::Share;
use super::{Finding, FindingKind, ResultFile};
use crate::output::{counted, model_size};
use crate::pace::in_words;

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
    /// Class path that was typed, as seen from the folder where possible; absent in folders of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) class_path: Option<Vec<PathBuf>>,
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
    /// Signatures of all that the class offers to call, also of what was left out; empty in folders of
    /// earlier versions.
    #[serde(default)]
    pub(crate) methods: BTreeSet<String>,
    /// Tests run in this round.
    pub(crate) tests: u64,
    pub(crate) properties: FateCounts,
    #[serde(flatten)]
    pub(crate) model: ModelSummary,
    /// The finer model in `model_detail.json`, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<DetailSummary>,
    #[serde(flatten)]
    pub(crate) gaps: Gaps,
    /// Branches of the class; absent if they could not be observed.
    pub(crate) branches: Option<Branches>,
    /// Behavior that its author probably did not want, the most important first.
    #[serde(default)]
    pub(crate) findings: Vec<FoundSummary>,
    /// The search for witnesses began before the budget ended.
    pub(crate) attacked: bool,
    pub(crate) round: i64,
    pub(crate) seconds: f64,
    pub(crate) stop: Stop,
}

/// A finding in short; `findings.json` has the whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FoundSummary {
    pub(crate) kind: FindingKind,
    pub(crate) method: String,
    /// The finding as an English sentence.
    pub(crate) says: String,
    /// Name of the test that shows it.
    pub(crate) test: String,
}

impl FoundSummary {
    pub(crate) fn of(finding: &Finding) -> Self {
        let Finding { kind, method, says, test, .. } = finding.clone();
        Self { kind, method, says, test }
    }
}

/// The model that a round ended with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ModelSummary {
    pub(crate) alphabet: Vec<String>,
    /// Calls that some state refuses, with their exceptions.
    #[serde(default)]
    pub(crate) refused: BTreeSet<String>,
    pub(crate) states: usize,
    pub(crate) transitions: usize,
    /// Transitions of which only the event was observed, and not where it leads.
    #[serde(default)]
    pub(crate) not_explored: usize,
    /// Calls that came first, if there was not enough time for all.
    #[serde(default, skip_serializing_if = "ExploredFirst::is_empty")]
    pub(crate) explored_first: ExploredFirst,
    /// The order of calls never matters: every call is possible at any time and no answer changes, or no call
    /// changes an object.
    #[serde(default)]
    pub(crate) no_protocol: bool,
    /// Labels of each part of the protocol that is independent of the rest, such as a flag that is set and
    /// asked for.
    #[serde(default)]
    pub(crate) modes: Vec<BTreeSet<String>>,
    /// Number of rounds at the end of the search that changed nothing; 0 if it ended otherwise.
    #[serde(default)]
    pub(crate) stable_rounds: usize,
    /// Labels of calls without side effects.
    pub(crate) pure: BTreeSet<String>,
    /// Share of the model's random walks that were made to happen, if measured.
    pub(crate) realized: Option<f64>,
    /// Number of these walks, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) walks: Option<Share>,
    /// Shortest walks that could not be made to happen; absent unless this round explored the model.
    pub(crate) unrealized: Option<Vec<Vec<String>>>,
    #[serde(alias = "confirmed_edges")]
    pub(crate) confirmed_transitions: ConfirmedTransitions,
    /// The round that made it and why it was chosen, in words.
    #[serde(alias = "model")]
    pub(crate) origin: String,
    /// The round that made it.
    pub(crate) made_by_round: i64,
    /// The search had nothing left to try.
    pub(crate) complete: bool,
    /// Words that the model accepts only because they happened; what follows them was not explored.
    pub(crate) admitted: usize,
    /// Words of the user's tests that the model rejects, shortest first.
    pub(crate) rejected: Vec<Vec<String>>,
    /// Conditions on arguments under which transitions are taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) guards: Vec<GuardSummary>,
    /// Constructors and the states of the objects that they were seen to make, where one label stands for
    /// several constructors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) constructions: Vec<Construction>,
    /// Calls that blocked in a state, which does not allow them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) blocked: Vec<BlockedCalls>,
    /// Methods that threw for some arguments only: no state refuses them with these exceptions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) argument_exceptions: Vec<MethodExceptions>,
    /// Methods without parameters that threw on some objects of a state that allows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) object_exceptions: Vec<MethodExceptions>,
}

/// Calls that wait in a state for what only another thread could give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BlockedCalls {
    pub(crate) state: usize,
    pub(crate) methods: BTreeSet<String>,
}

/// Exceptions that a method throws for some arguments, in states that allow it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MethodExceptions {
    pub(crate) method: String,
    pub(crate) exceptions: BTreeSet<String>,
}

/// A constructor, and the states of the objects that it was seen to make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Construction {
    /// The constructor with its parameter types: `Order(List)`.
    pub(crate) call: String,
    pub(crate) states: Vec<usize>,
}

/// The condition on arguments under which a call takes a transition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GuardSummary {
    pub(crate) from: usize,
    pub(crate) event: String,
    pub(crate) to: usize,
    /// The condition in Java, over parameters and fields.
    pub(crate) guard: String,
    pub(crate) status: GuardStatus,
    /// Number of tests whose objects it was found on.
    pub(crate) situations: usize,
    /// Number of runs of the class that agree with it.
    pub(crate) runs: usize,
}

/// The support of a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GuardStatus {
    /// On the objects of the tests, the bytecode decides so for all arguments.
    Proved,
    /// For some arguments only runs of the class support it.
    Sampled,
}

impl GuardStatus {
    /// Returns the guard as a model shows it: one that is not proved says so.
    pub(crate) fn marked(self, guard: &str) -> String {
        match self {
            Self::Proved => guard.to_owned(),
            Self::Sampled => format!("{guard}, sampled"),
        }
    }
}

/// A finer model, of which the model that a round ended with is a quotient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DetailSummary {
    pub(crate) states: usize,
    pub(crate) transitions: usize,
    pub(crate) not_explored: usize,
    /// Walks of it that were made to happen, if it was measured.
    pub(crate) walks: Option<Share>,
    /// For each of its states, the state of the model.
    pub(crate) coarse: Vec<Option<usize>>,
}

impl DetailSummary {
    /// Returns its size and its figure in words.
    pub(crate) fn told(&self) -> String {
        let size = model_size(self.states, self.transitions, self.not_explored);
        let walks = self.walks.map(|walks| format!("; {}", walks.of_walks()));
        format!("{size}{}", walks.unwrap_or_default())
    }
}

/// Returns the labels of a mode: `isLenient`, `setLenient`.
pub(crate) fn mode_in_words(labels: &BTreeSet<String>) -> String {
    let methods: BTreeSet<&str> = labels.iter().map(|label| Label::parse(label).method()).collect();
    methods.into_iter().map(|method| format!("`{}`", legible(method))).collect::<Vec<_>>().join(", ")
}

impl ModelSummary {
    /// Returns the reason why the search stopped, in words.
    pub(crate) fn stopped(&self, stop: Stop) -> String {
        match (stop, self.stable_rounds) {
            (Stop::Done, rounds @ 1..) => format!("stable over {}", counted(rounds, "round")),
            _ => in_words(stop).to_owned(),
        }
    }

    /// Returns the sentence about guards, if there are any.
    pub(crate) fn guarded(&self) -> Option<String> {
        let proved = self.guards.iter().filter(|one| one.status == GuardStatus::Proved).count();
        let sampled = self.guards.len() - proved;
        let proved = (proved > 0).then(|| format!("{proved} proved from the bytecode for all arguments"));
        let sampled = (sampled > 0).then(|| format!("{sampled} sampled (only runs support them)"));
        let parts: Vec<String> = proved.into_iter().chain(sampled).collect();
        (!parts.is_empty()).then(|| format!("conditions on arguments, in brackets: {}", parts.join(", ")))
    }

    /// Returns the sentence about the random walks that were made to happen on the class.
    pub(crate) fn reproduced(&self) -> Option<String> {
        match self.walks {
            Some(walks) => Some(walks.of_walks()),
            // A model of an earlier round, of which only the share is kept. Rounded down, because only all is
            // 100 %.
            None => Some(share_of_walks(self.realized?)),
        }
    }
}

/// Returns the sentence about the random walks of a model of which only the share is known.
pub(crate) fn share_of_walks(share: f64) -> String {
    format!("{} % of random walks through the model were reproduced on the class", (share * 100.0).floor())
}

/// Transitions that were observed from their source to their target; the targets of the others are guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ConfirmedTransitions {
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
    #[serde(flatten)]
    pub(crate) not_made: NotMade,
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
                methods: BTreeSet::new(),
                tests: 1234,
                properties: FateCounts { mined: 6, refuted: 1, survived: 2, not_attacked: 3 },
                model: ModelSummary {
                    alphabet: vec!["B".to_owned(), "add".to_owned()],
                    refused: BTreeSet::new(),
                    states: 2,
                    transitions: 2,
                    not_explored: 0,
                    explored_first: ExploredFirst::default(),
                    no_protocol: false,
                    modes: Vec::new(),
                    stable_rounds: 0,
                    pure: BTreeSet::new(),
                    realized: None,
                    walks: None,
                    unrealized: None,
                    confirmed_transitions: ConfirmedTransitions { confirmed: 2, all: 2 },
                    origin: "made by this round".to_owned(),
                    made_by_round: 1,
                    complete: true,
                    admitted: 0,
                    rejected: Vec::new(),
                    guards: Vec::new(),
                    constructions: Vec::new(),
                    blocked: Vec::new(),
                    argument_exceptions: Vec::new(),
                    object_exceptions: Vec::new(),
                },
                detail: None,
                gaps: Gaps::default(),
                branches: None,
                findings: Vec::new(),
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
            class_path: None,
            keeping: Keeping { noting: 0.1, writing: 0.2, ending: 0.3 },
        }
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
