//! `test-spec.json`: verdicts on the orders that a model demands, as `adit mine --test-spec` keeps them.

use serde::{Deserialize, Serialize};

use super::ResultFile;

/// The part of the answer of `adit test-spec` that a page shows; the file has all evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TestedOrders {
    /// `buggy`, `supported` or `unknown`.
    pub(crate) verdict: String,
    pub(crate) constraints: Vec<TestedOrder>,
    /// Remarks about tests and experiments.
    pub(crate) notes: Vec<String>,
}

/// The verdict on one constraint of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TestedOrder {
    /// The event that is demanded first.
    pub(crate) a: String,
    /// The event that is demanded second.
    pub(crate) b: String,
    pub(crate) verdict: String,
    pub(crate) why: String,
}

impl ResultFile for TestedOrders {
    const NAME: &'static str = "test-spec.json";
    const REMEDY: &'static str = "run the same `adit mine --test-spec` command again";
}

impl TestedOrders {
    /// The same with one row for each pair of events, which several templates may demand.
    pub(crate) fn without_repetitions(&self) -> Self {
        let mut seen = std::collections::BTreeSet::new();
        let is_new = |one: &&TestedOrder| seen.insert((one.a.clone(), one.b.clone()));
        Self { constraints: self.constraints.iter().filter(is_new).cloned().collect(), ..self.clone() }
    }
}
