//! What a report page tells, as plain data: whoever fills it, a run that just ended or a folder on disk.

use std::collections::BTreeSet;

use adit_automata::Fsa;
use serde_json::Value;

use super::evidence::{Evidence, Replay};
use crate::timeline::Course;

/// Everything that the page of one model shows.
pub(crate) struct Page {
    /// What was mined: a class, or the name of a file.
    pub(crate) title: String,
    pub(crate) model: Fsa<String>,
    /// The labels of calls without a side effect.
    pub(crate) pure: BTreeSet<String>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) tests: Vec<Test>,
    /// Which traces and tests took which transition.
    pub(crate) evidence: Evidence,
    /// How the searches of all rounds went.
    pub(crate) course: Course,
    /// What `adit mine --json` said, and its parameters.
    pub(crate) run: Option<Value>,
    /// What `adit validate --json` said.
    pub(crate) validated: Option<Value>,
    /// What could not be read, and what that means for the page.
    pub(crate) notes: Vec<String>,
}

impl Page {
    /// The page of a model about which nothing else is known.
    pub(crate) fn of(title: String, model: Fsa<String>) -> Self {
        Self {
            title,
            evidence: Replay::new(&model).finish(),
            model,
            pure: BTreeSet::new(),
            claims: Vec::new(),
            tests: Vec::new(),
            course: Course::default(),
            run: None,
            validated: None,
            notes: Vec::new(),
        }
    }
}

/// A property that was claimed, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claim {
    /// In plain English.
    pub(crate) says: String,
    /// The template's abbreviation.
    pub(crate) template: String,
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) fate: Fate,
    /// How many traces could have contradicted it: those known in which `a` happens.
    pub(crate) support: u64,
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Nothing contradicted it.
    Surviving {
        /// For how many rounds a search tried to.
        attacked: Option<u64>,
        /// The search gave up before its time was over.
        abandoned: bool,
    },
    /// A test contradicts it.
    Falsified {
        /// The test's name.
        test: Option<String>,
        /// After how many tests that one was found.
        after: Option<u64>,
    },
    /// Nobody tried to contradict it.
    NotAttacked,
}

impl Fate {
    /// One word for it, by which it can be filtered.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Surviving { .. } => "surviving",
            Self::Falsified { .. } => "falsified",
            Self::NotAttacked => "not attacked",
        }
    }
}

impl Claim {
    /// What became of it, in a sentence.
    pub(crate) fn story(&self) -> String {
        let traces = |count: u64| if count == 1 { "1 trace".to_owned() } else { format!("{count} traces") };
        let support = match self.support {
            0 => "no recorded trace puts it to the test".to_owned(),
            count => format!("{} could have contradicted it", traces(count)),
        };
        match &self.fate {
            Fate::Surviving { attacked: Some(rounds), abandoned } => {
                let gave_up =
                    if *abandoned { " without being contradicted, then effort went elsewhere" } else { "" };
                format!("survived {rounds} rounds of attack{gave_up}; {support}")
            }
            Fate::Surviving { attacked: None, .. } => format!("survived; {support}"),
            Fate::Falsified { test, after } => {
                let by = test.as_ref().map_or_else(String::new, |test| format!(" by {test}"));
                let when = after.map_or_else(String::new, |tests| format!(", after {tests} tests"));
                format!("contradicted{by}{when}")
            }
            Fate::NotAttacked => format!("held in what was recorded, never attacked; {support}"),
        }
    }
}

/// A generated test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Test {
    pub(crate) name: String,
    /// The method in Java.
    pub(crate) source: String,
    /// What stands before the methods in its file: imports, and where the class begins.
    pub(crate) head: String,
    /// What happened to each of its objects, as words of the model's labels; empty when that is not known.
    pub(crate) words: Vec<Vec<String>>,
}
