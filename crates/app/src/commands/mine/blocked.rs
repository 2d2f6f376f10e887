//! Calls that block in a state of the model: they wait for what only another thread could give.

use std::collections::{BTreeMap, BTreeSet};

use adit_attack::EventReader;
use adit_automata::{Fsa, Reader, State};
use adit_trace::Label;

use crate::findings::thrown::Blocked;
use crate::results::run::BlockedCalls;

/// The calls that blocked in a state and never returned there, as far as their words say which state it was.
pub(super) fn blocked_calls(
    model: &Fsa<String>,
    reader: &EventReader,
    blocked: &Blocked,
) -> Vec<BlockedCalls> {
    let (mut states, unknown) = (Reader::indexed(model), model.not_explored());
    let mut found: BTreeMap<State, BTreeSet<String>> = BTreeMap::new();
    for (word, callable) in blocked {
        let labels = word.iter().map(|&letter| model.letter(reader.alphabet().name(letter)));
        if !states.reads(labels) {
            continue;
        }
        let known: Vec<State> =
            states.states().iter().copied().filter(|&state| Some(state) != unknown).collect();
        let [state] = known[..] else { continue };
        let method = reader.names().of(callable);
        if !model.edges(state).any(|edge| Label::parse(edge.label).method() == method) {
            found.entry(state).or_default().insert(method.to_owned());
        }
    }
    found.into_iter().map(|(state, methods)| BlockedCalls { state, methods }).collect()
}

/// The model without refusals of calls that blocked in the same state: it was an argument that they refused.
pub(super) fn without_refusals(model: &Fsa<String>, blocked: &[BlockedCalls]) -> Fsa<String> {
    let mut builder = model.to_builder();
    for BlockedCalls { state, methods } in blocked {
        let refused = model.refusals(*state).iter();
        let kept = refused.filter(|label| !methods.contains(Label::parse(label).method()));
        builder.refusals(*state, kept.cloned().collect());
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;

    use super::*;

    #[test]
    fn what_blocks_is_not_refused() {
        let mut builder: Builder<String> = Builder::new();
        (0..2).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        builder.refusals(
            1,
            ["acquire!IllegalArgumentException", "close!IllegalStateException"].map(str::to_owned).into(),
        );
        let blocked = BlockedCalls { state: 1, methods: BTreeSet::from(["acquire".to_owned()]) };
        let model = without_refusals(&builder.build(), &[blocked]);
        assert_eq!(model.refusals(1), ["close!IllegalStateException"]);
    }
}
