//! Tests that show transitions and refusals of a model, as recorded by the search that built it.
//!
//! If an event leads to several states, replaying a test does not tell which of them it reached; the search
//! knows.

use adit_automata::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Tests that show transitions and refusals of a model, by their positions in a separate list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Witnesses {
    pub(crate) takes: Vec<Takes>,
    pub(crate) refuses: Vec<Refuses>,
}

/// A transition and the shortest test whose last call takes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Takes {
    pub(crate) from: State,
    pub(crate) event: String,
    pub(crate) to: State,
    /// Number of situations in which it was taken.
    pub(crate) situations: u64,
    pub(crate) test: usize,
}

/// A call that a state refuses, and the shortest test whose last call is refused there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Refuses {
    pub(crate) state: State,
    /// Label with the exception: `pop!EmptyStackException`.
    pub(crate) event: String,
    /// Number of attempts.
    pub(crate) times: u64,
    pub(crate) test: usize,
}

impl Witnesses {
    /// Returns the same witnesses with other positions; those without one are dropped.
    pub(crate) fn renumbered(&self, number: impl Fn(usize) -> Option<usize>) -> Self {
        let takes =
            self.takes.iter().filter_map(|one| Some(Takes { test: number(one.test)?, ..one.clone() }));
        let refuses =
            self.refuses.iter().filter_map(|one| Some(Refuses { test: number(one.test)?, ..one.clone() }));
        Self { takes: takes.collect(), refuses: refuses.collect() }
    }

    /// Returns the JSON form for the store.
    pub(crate) fn as_json(&self) -> Value {
        serde_json::to_value(self).expect("numbers and texts have a JSON form")
    }

    /// Reads what [`Witnesses::as_json`] wrote. Witnesses of another form are dropped: the model stands
    /// without them.
    pub(crate) fn from_json(value: &Value) -> Self {
        Self::deserialize(value).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let witnesses = Witnesses {
            takes: vec![Takes { from: 0, event: "Stack".into(), to: 1, situations: 3, test: 7 }],
            refuses: vec![Refuses { state: 1, event: "pop!X".into(), times: 2, test: 8 }],
        };
        assert_eq!(Witnesses::from_json(&witnesses.as_json()), witnesses);
        assert_eq!(
            Witnesses::from_json(&json!({"takes": [{"from": 1}], "refuses": 3})),
            Witnesses::default()
        );
        assert_eq!(Witnesses::from_json(&json!({})), Witnesses::default());
        let moved = witnesses.renumbered(|test| (test == 8).then_some(0));
        assert!(moved.takes.is_empty() && moved.refuses[0].test == 0);
    }
}
