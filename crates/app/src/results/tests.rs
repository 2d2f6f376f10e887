//! `tests.json`: the generated tests, as Java and as words of the model.

use serde::{Deserialize, Serialize};

use super::ResultFile;
use crate::witnesses::Witnesses;

/// Content of `tests.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tests {
    /// Java source before the first test method: package, imports and the opening of the class.
    pub(crate) head: String,
    pub(crate) tests: Vec<TestResult>,
    /// Tests that show transitions and refusals of the model, by their position in `tests`.
    pub(crate) witnesses: Witnesses,
}

impl ResultFile for Tests {
    const NAME: &'static str = "tests.json";
}

/// A generated test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TestResult {
    pub(crate) name: String,
    /// The test method in Java.
    pub(crate) source: String,
    /// The events of each object of the class under test, as labels of the model.
    pub(crate) words: Vec<Vec<String>>,
    /// For each of these events, the fields of the object after it; empty if they are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fields: Vec<Vec<Vec<(String, String)>>>,
}
