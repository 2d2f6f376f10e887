//! A model without the words that violate a property.
//!
//! A property that forbids an event in some place is a small automaton that remembers what happened. Beside
//! the model, it divides states by what they remember, and the forbidden transitions fall away. Words that
//! have the property stay, so a model loses nothing that was observed as long as the property holds for all
//! observations.
//!
//! Paper: none; the product of a model and a safety property is textbook.
//! Deviation: "always followed" forbids no event in any place, so it cannot be enforced by leaving something
//! out.
//! Cost: at most twice the states for each property; three times where the last event matters.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Builder, Fsa, State};

use crate::{Property, Template};

/// A model without the words that violate some properties.
#[derive(Clone, Debug)]
pub struct Restricted<L> {
    /// The model.
    pub model: Fsa<L>,
    /// The state of the original for each state.
    pub origins: Vec<State>,
}

/// Memory of one property: nothing relevant yet, or what its template waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Memory {
    Start,
    /// The event that arms or satisfies the property has happened, or was the last one.
    Met,
}

/// Leaves out the words that violate one of these properties. `pure` are the events without side effects.
/// Returns nothing if a property cannot be enforced so, or if the result has more than `limit` states.
pub fn restrict<L: Ord + Clone>(
    model: &Fsa<L>,
    properties: &[Property<L>],
    pure: &BTreeSet<L>,
    limit: usize,
) -> Option<Restricted<L>> {
    let enforceable = |property: &Property<L>| {
        !matches!(property.template, Template::AlwaysFollowed | Template::AlwaysImmediatelyFollowed)
    };
    if !properties.iter().all(enforceable) {
        return None;
    }
    let mut builder = Builder::new();
    model.alphabet().iter().for_each(|label| builder.label(label.clone()));
    let mut origins = Vec::new();
    let mut numbers: BTreeMap<(State, Vec<Memory>), State> = BTreeMap::new();
    let mut open = Vec::new();
    for &state in model.initial() {
        let place = (state, vec![Memory::Start; properties.len()]);
        let number = add(&mut builder, &mut origins, model, state);
        builder.initial(number);
        numbers.insert(place.clone(), number);
        open.push(place);
    }
    while let Some((state, memories)) = open.pop() {
        let from = numbers[&(state, memories.clone())];
        for edge in model.edges(state) {
            let step =
                |(property, &memory): (&Property<L>, &Memory)| next(property, memory, edge.label, pure);
            let Some(after) = properties.iter().zip(&memories).map(step).collect::<Option<Vec<Memory>>>()
            else {
                continue;
            };
            let place = (edge.to, after);
            let to = match numbers.get(&place) {
                Some(&to) => to,
                None => {
                    if origins.len() >= limit {
                        return None;
                    }
                    let to = add(&mut builder, &mut origins, model, edge.to);
                    numbers.insert(place.clone(), to);
                    open.push(place);
                    to
                }
            };
            builder.modal_edge(from, edge.label.clone(), to, edge.modality);
        }
    }
    Some(Restricted { model: builder.build(), origins })
}

/// Adds a copy of a state.
fn add<L: Ord + Clone>(
    builder: &mut Builder<L>,
    origins: &mut Vec<State>,
    model: &Fsa<L>,
    state: State,
) -> State {
    let copy = builder.state(model.is_accepting(state));
    if let Some(name) = model.name(state) {
        builder.name(copy, name.to_owned());
    }
    builder.predicates(copy, model.predicates(state).to_vec());
    builder.refusals(copy, model.refusals(state).to_vec());
    origins.push(state);
    copy
}

/// The memory after an event; nothing if the property forbids it.
fn next<L: Ord>(property: &Property<L>, memory: Memory, event: &L, pure: &BTreeSet<L>) -> Option<Memory> {
    let Property { template, a, b } = property;
    let (is_a, is_b, met) = (event == a, event == b, memory == Memory::Met);
    let allowed = match template {
        Template::NeverFollowed | Template::NeverImmediatelyFollowed => !(met && is_b),
        Template::AlwaysPreceded | Template::AlwaysImmediatelyPreceded => !is_a || met,
        Template::AlwaysFollowed | Template::AlwaysImmediatelyFollowed => true,
    };
    let meets = match template {
        Template::NeverFollowed | Template::NeverImmediatelyFollowed => is_a,
        _ => is_b,
    };
    // What comes immediately before or after is forgotten by the next event with a side effect.
    let forgets = match template {
        Template::NeverImmediatelyFollowed | Template::AlwaysImmediatelyPreceded => !pure.contains(event),
        _ => false,
    };
    let after = if meets || (met && !forgets) { Memory::Met } else { Memory::Start };
    allowed.then_some(after)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::formula_of;

    fn model(edges: &[(usize, u8, usize)]) -> Fsa<u8> {
        let mut builder = Builder::new();
        (0..4).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        edges.iter().for_each(|&(from, label, to)| builder.edge(from, label, to));
        builder.build()
    }

    fn words(longest: usize) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        let mut last = all.clone();
        for _ in 0..longest {
            last = last.iter().flat_map(|word| (0..3).map(|next| [&word[..], &[next]].concat())).collect();
            all.extend(last.iter().cloned());
        }
        all
    }

    const ENFORCEABLE: [Template; 4] = [
        Template::NeverFollowed,
        Template::AlwaysPreceded,
        Template::NeverImmediatelyFollowed,
        Template::AlwaysImmediatelyPreceded,
    ];

    proptest! {
        /// Beside the definition by formulas: a word is left out exactly if a beginning of it violates a
        /// property.
        #[test]
        fn a_restricted_model_reads_what_has_the_properties(
            edges in prop::collection::vec((0..4_usize, 0..3_u8, 0..4_usize), 1..12),
            chosen in prop::collection::vec((0..4_usize, 0..3_u8, 0..3_u8), 1..3),
            pure in prop::collection::btree_set(0..3_u8, 0..2),
        ) {
            let model = model(&edges);
            let properties: Vec<Property<u8>> =
                chosen.iter().map(|&(at, a, b)| Property { template: ENFORCEABLE[at], a, b }).collect();
            let restricted = restrict(&model, &properties, &pure, 1000).expect("it is small");
            for word in words(5) {
                let has = |word: &[u8]| properties.iter().all(|one| formula_of(one, &pure).holds(word));
                let expected = model.reads(&word) && (0..=word.len()).all(|length| has(&word[..length]));
                prop_assert_eq!(restricted.model.reads(&word), expected, "{:?}", word);
            }
        }
    }

    #[test]
    fn what_is_too_large_or_cannot_be_enforced_is_refused() {
        let model = model(&[(0, 0, 1), (1, 1, 2), (2, 0, 3)]);
        let property = |template| Property { template, a: 0, b: 1 };
        let pure = BTreeSet::new();
        assert!(restrict(&model, &[property(Template::AlwaysFollowed)], &pure, 100).is_none());
        assert!(restrict(&model, &[property(Template::NeverFollowed)], &pure, 1).is_none());
        let restricted = restrict(&model, &[property(Template::NeverFollowed)], &pure, 100).expect("small");
        assert_eq!(restricted.origins, [0, 1]);
    }
}
