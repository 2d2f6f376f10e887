//! The model that `adit mine` wrote, as evaluations read it.

use std::fs;
use std::path::Path;

use adit_automata::{Builder, Fsa, Modality, format};
use miette::{IntoDiagnostic, Result, WrapErr};

/// Name of the state to which calls lead whose target was not explored.
const NOT_EXPLORED: &str = "not explored";

/// A model without the transitions that say nothing.
pub(crate) struct MinedModel {
    /// Every state accepts, because an object's life can end at any time. Guesses are transitions like
    /// others.
    pub(crate) fsa: Fsa<String>,
    pub(crate) states: usize,
    /// All transitions, those to the place that was not explored included.
    pub(crate) transitions: usize,
    /// Transitions marked as guesses that lead to a state of the model.
    pub(crate) guesses: usize,
    /// Transitions to the place that was not explored. They count as absent.
    pub(crate) not_explored: usize,
}

impl MinedModel {
    /// Reads `model.json`.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text =
            fs::read(path).into_diagnostic().wrap_err_with(|| format!("cannot read {}", path.display()))?;
        Ok(Self::new(&format::read(&text, "model.json", None)?))
    }

    fn new(model: &Fsa<String>) -> Self {
        let is_known = |state: usize| {
            model.name(state) != Some(NOT_EXPLORED)
                && !model.predicates(state).iter().any(|predicate| predicate == NOT_EXPLORED)
        };
        let mut builder = Builder::new();
        let mut numbers = vec![None; model.len()];
        for state in model.states().filter(|&state| is_known(state)) {
            numbers[state] = Some(builder.state(true));
        }
        for &state in model.initial() {
            numbers[state].into_iter().for_each(|state| builder.initial(state));
        }
        let (mut guesses, mut not_explored) = (0, 0);
        for edge in model.all_edges() {
            match (numbers[edge.from], numbers[edge.to]) {
                (Some(from), Some(to)) => {
                    guesses += usize::from(edge.modality == Modality::Maybe);
                    builder.edge(from, edge.label.clone(), to);
                }
                _ => not_explored += 1,
            }
        }
        let fsa = builder.build();
        Self { states: fsa.len(), transitions: model.transitions(), fsa, guesses, not_explored }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_explored_is_absent_and_guesses_are_present() {
        let mut builder = Builder::new();
        let (start, open, unknown) = (builder.state(false), builder.state(true), builder.state(true));
        builder.initial(start);
        builder.name(unknown, NOT_EXPLORED.to_owned());
        builder.edge(start, "Door".to_owned(), open);
        builder.modal_edge(open, "knock".to_owned(), open, Modality::Maybe);
        builder.modal_edge(open, "slam".to_owned(), unknown, Modality::Maybe);
        let model = MinedModel::new(&builder.build());
        assert_eq!((model.states, model.transitions, model.guesses, model.not_explored), (2, 3, 1, 1));
        let word = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(model.fsa.accepts(&word("Door knock knock")));
        assert!(!model.fsa.accepts(&word("Door slam")));
    }
}
