//! Which tests show what a model says, as the search that made it knows: where an event leads to several states, the calls of
//! a test alone do not tell.

use adit_attack::explore::Explored;
use adit_automata::State;
use adit_trace::Script;
use serde_json::{Value, json};

/// For transitions and refusals of a model, tests that show them. Tests are numbers of a list that lies beside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Witnesses {
    pub(crate) takes: Vec<Takes>,
    pub(crate) refuses: Vec<Refuses>,
}

/// A transition and the shortest test whose last call takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Takes {
    pub(crate) from: State,
    pub(crate) event: String,
    pub(crate) to: State,
    /// In how many situations it was taken.
    pub(crate) situations: u64,
    pub(crate) test: usize,
}

/// A call that a state refuses, and the shortest test whose last call is refused so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refuses {
    pub(crate) state: State,
    /// With what it throws: `pop!EmptyStackException`.
    pub(crate) event: String,
    /// How often it was tried.
    pub(crate) times: u64,
    pub(crate) test: usize,
}

impl Witnesses {
    /// What a search found. `place` gives the number of a script.
    pub(crate) fn of(explored: &Explored, place: impl Fn(&Script) -> Option<usize>) -> Self {
        let takes = explored.witnesses.iter().filter_map(|shown| {
            Some(Takes {
                from: shown.from,
                event: shown.label.clone(),
                to: shown.to,
                situations: shown.situations,
                test: place(&shown.script)?,
            })
        });
        let refuses = explored.refusals.iter().filter_map(|refusal| {
            Some(Refuses {
                state: refusal.state,
                event: refusal.label.clone(),
                times: refusal.times,
                test: place(&refusal.script)?,
            })
        });
        Self { takes: takes.collect(), refuses: refuses.collect() }
    }

    /// The same with other numbers for the tests; what loses its test is left out.
    pub(crate) fn renumbered(&self, number: impl Fn(usize) -> Option<usize>) -> Self {
        let takes =
            self.takes.iter().filter_map(|one| Some(Takes { test: number(one.test)?, ..one.clone() }));
        let refuses =
            self.refuses.iter().filter_map(|one| Some(Refuses { test: number(one.test)?, ..one.clone() }));
        Self { takes: takes.collect(), refuses: refuses.collect() }
    }

    pub(crate) fn as_json(&self) -> Value {
        let takes = self.takes.iter().map(|Takes { from, event, to, situations, test }| {
            json!({"from": from, "event": event, "to": to, "situations": situations, "test": test})
        });
        let refuses = self.refuses.iter().map(|Refuses { state, event, times, test }| {
            json!({"state": state, "event": event, "times": times, "test": test})
        });
        json!({"takes": takes.collect::<Vec<_>>(), "refuses": refuses.collect::<Vec<_>>()})
    }

    /// What [`Witnesses::as_json`] wrote; an entry that lacks something is left out.
    pub(crate) fn from_json(value: &Value) -> Self {
        let all = |field: &str| value[field].as_array().map_or(&[][..], Vec::as_slice);
        let size = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        let takes = all("takes").iter().filter_map(|one| {
            Some(Takes {
                from: size(&one["from"])?,
                event: one["event"].as_str()?.to_owned(),
                to: size(&one["to"])?,
                situations: one["situations"].as_u64()?,
                test: size(&one["test"])?,
            })
        });
        let refuses = all("refuses").iter().filter_map(|one| {
            Some(Refuses {
                state: size(&one["state"])?,
                event: one["event"].as_str()?.to_owned(),
                times: one["times"].as_u64()?,
                test: size(&one["test"])?,
            })
        });
        Self { takes: takes.collect(), refuses: refuses.collect() }
    }
}

#[cfg(test)]
mod tests {
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
        let moved = witnesses.renumbered(|test| (test == 8).then_some(0));
        assert!(moved.takes.is_empty() && moved.refuses[0].test == 0);
    }
}
