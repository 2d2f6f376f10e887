//! The place of a model that stands for everything that was not explored.
//!
//! A search that runs out of time has seen events without seeing what can follow them. To lead such an event
//! back into a known state would be a guess, and would break what that state promises. It leads to one extra
//! accepting state without outgoing transitions instead, by a transition of modality *maybe*: the event was
//! observed, and nothing is said about what comes after it. The place is a state of the graph, so that files
//! and algorithms need not know it, and no state of the object, so that nobody should count it as one.

use crate::{Edge, Fsa, State};

/// Name of the place.
pub const NOT_EXPLORED: &str = "not explored";

impl<L> Fsa<L> {
    /// The place that stands for everything that was not explored, if the model has one.
    pub fn not_explored(&self) -> Option<State> {
        let mut named = self.annotations().names.iter().filter(|(_, name)| *name == NOT_EXPLORED);
        let is_place = |state: State| {
            self.is_accepting(state) && self.steps(state).is_empty() && !self.initial().contains(&state)
        };
        named.find(|(state, _)| is_place(**state)).map(|(state, _)| *state)
    }

    /// Returns whether `edge` leads to a state, and not to the place that was not explored.
    pub fn is_explored(&self, edge: &Edge<'_, L>) -> bool {
        // Nearly all transitions are required, and the name need not be searched for them.
        edge.modality == crate::Modality::Required || self.not_explored() != Some(edge.to)
    }

    /// The states without the place that was not explored.
    pub fn explored_states(&self) -> impl Iterator<Item = State> + use<L> {
        let place = self.not_explored();
        self.states().filter(move |&state| Some(state) != place)
    }

    /// The number of transitions of which only the event is known, and not what follows.
    pub fn unexplored_transitions(&self) -> usize {
        let Some(place) = self.not_explored() else { return 0 };
        self.all_edges().filter(|edge| edge.to == place).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Modality};

    /// 0 -open-> 1 -commit?-> the state called `name`.
    fn model(name: &str) -> Builder<String> {
        let mut builder = Builder::new();
        for _ in 0..3 {
            builder.state(true);
        }
        builder.initial(0);
        builder.edge(0, "open".to_owned(), 1);
        builder.modal_edge(1, "commit".to_owned(), 2, Modality::Maybe);
        builder.name(2, name.to_owned());
        builder
    }

    #[test]
    fn the_place_is_no_state_of_the_object() {
        let fsa = model(NOT_EXPLORED).build();
        assert_eq!(fsa.not_explored(), Some(2));
        assert_eq!(fsa.explored_states().collect::<Vec<_>>(), [0, 1]);
        assert_eq!((fsa.transitions(), fsa.unexplored_transitions()), (2, 1));
        let explored: Vec<bool> = fsa.all_edges().map(|edge| fsa.is_explored(&edge)).collect();
        assert_eq!(explored, [true, false]);
        assert!(fsa.accepts(&["open".to_owned(), "commit".to_owned()]));
    }

    #[test]
    fn a_state_that_only_looks_like_it_is_a_state() {
        let fsa = model("closed").build();
        assert_eq!((fsa.not_explored(), fsa.unexplored_transitions()), (None, 0));
        assert_eq!(fsa.explored_states().count(), 3);
        let mut goes_on = model(NOT_EXPLORED);
        goes_on.edge(2, "open".to_owned(), 1);
        assert_eq!(goes_on.build().not_explored(), None);
        let mut refuses_ends = model(NOT_EXPLORED);
        refuses_ends.accepting(2, false);
        assert_eq!(refuses_ends.build().not_explored(), None);
    }
}
