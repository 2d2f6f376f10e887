//! `classes.json`: what became of each class of a jar, for `adit mine --all`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ResultFile;

/// The outcomes of all classes so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct EveryClass {
    /// The jar or folder, as it was typed.
    pub(crate) source: String,
    /// The number of public classes in it.
    pub(crate) all: usize,
    /// The classes that are done, by name.
    pub(crate) classes: BTreeMap<String, ClassOutcome>,
}

impl ResultFile for EveryClass {
    const NAME: &'static str = "classes.json";
    const REMEDY: &'static str = "run the same `adit mine --all` command again";
}

/// The outcome of one class. It is also kept in the folder of the class, as `outcome.json`: so the folders
/// that several machines filled can simply be put together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClassOutcome {
    /// Digest of everything that the outcome depends on: the class file, budget, seed and other flags.
    pub(crate) made_from: String,
    /// Name of the folder with its campaign.
    pub(crate) folder: String,
    pub(crate) outcome: Outcome,
    pub(crate) seconds: f64,
}

impl ResultFile for ClassOutcome {
    const NAME: &'static str = "outcome.json";
    const REMEDY: &'static str = "run the same `adit mine --all` command again";
}

/// The end of mining one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// There is a model.
    Model {
        states: usize,
        transitions: usize,
        /// Properties that survived attacks, or that nothing attacked.
        properties: usize,
        /// The order of calls does not matter.
        no_protocol: bool,
    },
    /// There is no model, and this is why.
    None {
        why: String,
        /// Advice, if there is any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        help: Option<String>,
    },
}

impl EveryClass {
    /// The number of classes with a model.
    pub(crate) fn models(&self) -> usize {
        self.classes.values().filter(|class| matches!(class.outcome, Outcome::Model { .. })).count()
    }
}
