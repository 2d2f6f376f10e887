//! Names for the states of a model: the side-effect-free answers that tell them apart, `isEmpty` or
//! `not isEmpty`.

use std::collections::BTreeSet;

use adit_automata::Fsa;
use adit_trace::Label;

use crate::state_facts::with_names;

/// Names the states of a model. Events of `pure` have no side effect.
pub(super) fn with_state_names(model: &Fsa<String>, pure: &BTreeSet<String>) -> Fsa<String> {
    let facts: Vec<Vec<String>> = model
        .states()
        .map(|state| {
            let loops: BTreeSet<&str> = model
                .edges(state)
                .filter(|edge| edge.to == state && pure.contains(edge.label))
                .map(|edge| edge.label.as_str())
                .collect();
            // A question has no side effect whatever the answer, and a state that knows the answer gives only
            // one.
            let knows = |label: &Label<'_>| {
                label.opposite().is_some_and(|other| {
                    let other = other.to_string();
                    let question = pure.contains(&other) || model.letter(&other).is_none();
                    question && !model.edges(state).any(|edge| *edge.label == other)
                })
            };
            let known = loops.iter().map(|label| Label::parse(label)).filter(knows);
            let (yes, no): (Vec<Label<'_>>, Vec<Label<'_>>) =
                known.partition(|label| label.answer() == Some(true));
            let holds = yes.iter().map(|label| label.method().to_owned());
            holds.chain(no.iter().map(|label| format!("not {}", label.method()))).collect()
        })
        .collect();
    let mut builder = model.to_builder();
    for (state, mine) in facts.into_iter().enumerate() {
        // Conditions on fields, if the miner knows some, say more than answers do.
        builder.predicates(state, [model.predicates(state), &mine].concat());
    }
    with_names(&builder.build())
}
