//! Calls that were explored first because there was not enough time for all.

use std::collections::BTreeSet;

use adit_automata::Fsa;
use adit_trace::Label;
use serde::{Deserialize, Serialize};

/// Division of a large alphabet. Exploration follows each call once, and then those first that change what
/// others may do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExploredFirst {
    /// Methods that change what others may do, or that are refused somewhere.
    pub(crate) decisive: BTreeSet<String>,
    /// Methods of which it is not known in every state where they lead.
    pub(crate) in_part: BTreeSet<String>,
}

/// Methods that a message names.
const TOLD: usize = 4;

impl ExploredFirst {
    /// The division of a model's methods; empty if there was time for all.
    pub(crate) fn of(model: &Fsa<String>) -> Self {
        let Some(place) = model.not_explored() else { return Self::default() };
        let method = |label: &str| Label::parse(label).method().to_owned();
        let after_creation = || model.all_edges().filter(|edge| !model.initial().contains(&edge.from));
        let moving = after_creation().filter(|edge| edge.to != place && edge.to != edge.from);
        let refused = model.states().flat_map(|state| model.refusals(state));
        let decisive = moving.map(|edge| method(edge.label)).chain(refused.map(|label| method(label)));
        let in_part = model.all_edges().filter(|edge| edge.to == place).map(|edge| method(edge.label));
        Self { decisive: decisive.collect(), in_part: in_part.collect() }
    }

    /// Tells whether there was time for all calls.
    pub(crate) fn is_empty(&self) -> bool {
        self.in_part.is_empty()
    }

    /// A sentence for the terminal; nothing if there was time for all calls.
    pub(crate) fn in_words(&self) -> Option<String> {
        let Self { decisive, in_part } = self;
        if in_part.is_empty() {
            return None;
        }
        Some(match decisive.len() {
            0 => "no call was seen to change what others may do".to_owned(),
            _ => format!("calls that change what others may do came first ({})", some(decisive)),
        })
    }
}

/// The first of these methods, and how many more there are.
fn some(methods: &BTreeSet<String>) -> String {
    let told: Vec<&str> = methods.iter().take(TOLD).map(String::as_str).collect();
    match methods.len() - told.len() {
        0 => told.join(", "),
        more => format!("{} and {more} more", told.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use adit_automata::{Builder, Modality};

    use super::*;

    /// A connection whose `commit` was never followed.
    fn connection(with_commit: bool) -> Fsa<String> {
        let mut builder = Builder::new();
        let states: Vec<_> = (0..3).map(|number| builder.state(number > 0)).collect();
        builder.initial(states[0]);
        for (from, label, to) in [(0, "open", 1), (1, "isClosed:FALSE", 1), (1, "close", 2), (2, "close", 2)]
        {
            builder.edge(states[from], label.to_owned(), states[to]);
        }
        builder.refusals(states[2], vec!["query!SQLException".to_owned()]);
        if with_commit {
            let place = builder.not_explored();
            builder.modal_edge(states[1], "commit".to_owned(), place, Modality::Maybe);
        }
        builder.build()
    }

    #[test]
    fn calls_that_matter_are_told_when_time_was_short() {
        let first = ExploredFirst::of(&connection(true));
        assert_eq!(
            first.in_words().as_deref(),
            Some("calls that change what others may do came first (close, query)")
        );
        assert_eq!(ExploredFirst::of(&connection(false)).in_words(), None);
    }

    #[test]
    fn a_long_list_is_cut() {
        let methods: BTreeSet<String> = (0..11).map(|number| format!("m{number:02}")).collect();
        assert_eq!(some(&methods), "m00, m01, m02, m03 and 7 more");
    }
}
