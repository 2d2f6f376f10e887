//! `findings.json`: behavior of the class that its author probably did not want, each with a test.

use adit_picture::legible;
use serde::{Deserialize, Serialize};

use super::ResultFile;

/// Content of `findings.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Findings {
    /// Java source before the first test method.
    pub(crate) head: String,
    /// The most important first.
    pub(crate) findings: Vec<Finding>,
}

impl ResultFile for Findings {
    const NAME: &'static str = "findings.json";
}

/// Behavior that its author probably did not want.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Finding {
    pub(crate) kind: FindingKind,
    /// The method, as events name it.
    pub(crate) method: String,
    /// Other methods that throw the same and change the same.
    pub(crate) alike: Vec<String>,
    /// The finding as an English sentence.
    pub(crate) says: String,
    /// The exception that the call threw, if it did.
    pub(crate) exception: Option<String>,
    /// Its message.
    pub(crate) message: Option<String>,
    /// Fields of the object before and after the call.
    pub(crate) fields: Vec<Change>,
    /// Answers of other calls without the call and after it.
    pub(crate) behavior: Vec<Change>,
    /// Name of the test that shows it, and its source.
    pub(crate) test: String,
    pub(crate) source: String,
    /// The calls that show it, as adit runs them; the next round tries them again.
    pub(crate) script: String,
}

/// The kinds of findings, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FindingKind {
    /// A call threw and changed what other calls answer.
    ThrewAndChanged,
    /// `equals` breaks its contract.
    EqualsBroken,
    /// A method that only asks, by its name, changes what others answer.
    ObserverChanges,
    /// The same calls had another result in a new machine.
    ResultsDiffer,
    /// A call threw and changed fields, and no call was seen to notice.
    ThrewAndChangedFields,
}

impl FindingKind {
    /// Returns true if users of the class can notice it, so that it is told first.
    pub(crate) fn is_visible(self) -> bool {
        self != Self::ThrewAndChangedFields
    }

    /// Returns true if it is about a call that threw and changed its object.
    pub(crate) fn is_of_thrown(self) -> bool {
        matches!(self, Self::ThrewAndChanged | Self::ThrewAndChangedFields)
    }
}

/// A value before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Change {
    /// The field, or the call.
    pub(crate) name: String,
    pub(crate) before: String,
    pub(crate) after: String,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} → {}", legible(&self.name), legible(&self.before), legible(&self.after))
    }
}
