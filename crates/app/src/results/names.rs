//! `names.json`: names that a user gave to states, and what finds these states again in a later model.
//!
//! The number of a state changes from round to round. A name therefore remembers what its state allowed and
//! refused, what held there, and a shortest word that leads there. In another model it belongs to the state
//! that is most alike.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use adit_automata::{Fsa, Reader, State};
use serde::{Deserialize, Serialize};

use super::ResultFile;

/// Content of `names.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Names {
    pub(crate) names: Vec<GivenName>,
}

impl ResultFile for Names {
    const NAME: &'static str = "names.json";
    const REMEDY: &'static str = "name the states again with `adit name`";
}

/// A name that a user gave to a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GivenName {
    pub(crate) name: String,
    /// The name that adit had given.
    pub(crate) before: Option<String>,
    /// A shortest word that leads to the state.
    pub(crate) word: Vec<String>,
    /// Facts that hold in the state, calls that it allows and calls that it refuses.
    pub(crate) traits: BTreeSet<String>,
}

/// Share of equal traits below which two states are not taken for the same.
const ALIKE: f64 = 0.4;

/// Weight of the word that leads to the state, beside the share of equal traits.
const REACHED: f64 = 0.25;

impl GivenName {
    /// A name for a state of a model.
    pub(crate) fn new(name: &str, model: &Fsa<String>, state: State) -> Self {
        Self {
            name: name.to_owned(),
            before: model.name(state).map(str::to_owned),
            word: shortest_word(model, state),
            traits: traits(model, state),
        }
    }

    /// Returns the likeness of a state to the named one, or nothing if it is another.
    fn fits(&self, model: &Fsa<String>, state: State, reached: &BTreeSet<State>) -> Option<f64> {
        let theirs = traits(model, state);
        let all = self.traits.union(&theirs).count().max(1);
        let share = self.traits.intersection(&theirs).count() as f64 / all as f64;
        let bonus = if reached.contains(&state) { REACHED } else { 0.0 };
        (share >= ALIKE || (all == 1 && !self.word.is_empty() && bonus > 0.0)).then_some(share + bonus)
    }
}

impl Names {
    /// Gives the states of a model their names. Returns the model, and the names that fit no state.
    pub(crate) fn given_to(&self, model: &Fsa<String>) -> (Fsa<String>, Vec<String>) {
        let mut pairs: Vec<(f64, usize, State)> = Vec::new();
        for (at, given) in self.names.iter().enumerate() {
            let mut reader = Reader::indexed(model);
            let letters: Vec<_> = given.word.iter().map(|label| model.letter(label)).collect();
            let reached: BTreeSet<State> = if reader.reads(letters) {
                reader.states().iter().copied().collect()
            } else {
                BTreeSet::new()
            };
            let fitting = model
                .explored_states()
                .filter_map(|state| Some((given.fits(model, state, &reached)?, at, state)));
            pairs.extend(fitting);
        }
        pairs.sort_by(|one, other| other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2))));
        let mut named: BTreeMap<State, usize> = BTreeMap::new();
        for (_, at, state) in pairs {
            if !named.contains_key(&state) && !named.values().any(|&other| other == at) {
                named.insert(state, at);
            }
        }
        let mut builder = model.to_builder();
        for (&state, &at) in &named {
            builder.name(state, self.names[at].name.clone());
        }
        let lost = (0..self.names.len()).filter(|at| !named.values().any(|other| other == at));
        (builder.build(), lost.map(|at| self.names[at].name.clone()).collect())
    }
}

/// Facts that hold in a state, calls that it allows and calls that it refuses.
fn traits(model: &Fsa<String>, state: State) -> BTreeSet<String> {
    let holds = model.predicates(state).iter().map(|holds| format!("holds {holds}"));
    let allows = model.edges(state).map(|edge| format!("allows {}", edge.label));
    let refuses = model.refusals(state).iter().map(|label| format!("refuses {label}"));
    holds.chain(allows).chain(refuses).collect()
}

/// A shortest word that leads to a state.
fn shortest_word(model: &Fsa<String>, state: State) -> Vec<String> {
    let mut came: BTreeMap<State, (State, &String)> = BTreeMap::new();
    let mut open: VecDeque<State> = model.initial().iter().copied().collect();
    let initial: BTreeSet<State> = open.iter().copied().collect();
    while let Some(here) = open.pop_front() {
        if here == state {
            break;
        }
        for edge in model.edges(here) {
            if !initial.contains(&edge.to) && !came.contains_key(&edge.to) {
                came.insert(edge.to, (here, edge.label));
                open.push_back(edge.to);
            }
        }
    }
    let mut word = Vec::new();
    let mut here = state;
    while let Some(&(from, label)) = came.get(&here) {
        word.push(label.clone());
        here = from;
    }
    word.reverse();
    word
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;

    use super::*;

    /// An order, with the numbers of its states in the given order.
    fn order(numbers: [State; 4], more: &[(usize, &str, usize)]) -> Fsa<String> {
        let mut builder = Builder::new();
        (0..4).for_each(|_| _ = builder.state(true));
        builder.initial(numbers[0]);
        let edges = [(0, "Order", 1), (1, "addItem", 1), (1, "pay", 2), (2, "ship", 3), (3, "track", 3)];
        for (from, label, to) in edges.iter().chain(more) {
            builder.edge(numbers[*from], (*label).to_owned(), numbers[*to]);
        }
        builder.refusals(numbers[3], vec!["pay!IllegalStateException".to_owned()]);
        builder.build()
    }

    #[test]
    fn a_name_survives_other_numbers_and_more_transitions() {
        let first = order([0, 1, 2, 3], &[]);
        let names =
            Names { names: vec![GivenName::new("shipped", &first, 3), GivenName::new("paid", &first, 2)] };
        assert_eq!(names.names[0].word, ["Order", "pay", "ship"]);
        // Otherwise numbered, and with a call that was not known before.
        let later = order([3, 0, 1, 2], &[(3, "rate", 3), (2, "refund", 1)]);
        let (named, lost) = names.given_to(&later);
        assert_eq!((named.name(2), named.name(1), named.name(0)), (Some("shipped"), Some("paid"), None));
        assert!(lost.is_empty());
    }

    #[test]
    fn a_name_that_fits_no_state_is_told() {
        let names = Names { names: vec![GivenName::new("shipped", &order([0, 1, 2, 3], &[]), 3)] };
        let mut builder: Builder<String> = Builder::new();
        builder.state(true);
        builder.state(true);
        builder.initial(0);
        builder.edge(0, "Stack".to_owned(), 1);
        let (named, lost) = names.given_to(&builder.build());
        assert_eq!(lost, ["shipped"]);
        assert_eq!((named.name(0), named.name(1)), (None, None));
    }
}
