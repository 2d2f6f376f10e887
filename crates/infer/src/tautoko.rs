//! TAUTOKO: mutations of a test suite that make every method be called in every state that the suite reached.
//!
//! Paper: `tautoko`, Algorithm 1 (lines 3 to 21; running the mutants and merging is the caller's).
//! Deviation: line 15 prints the transitions that leave `s`; the text, and so we, take those that lead there.
//! A path from `s` to `u` is one that an object took, because only calls that were made can be suppressed.
//! Of several such paths the shortest is taken, and of several occurrences of a transition the first.
//! Cost: linear in states, methods and events.

use std::collections::{BTreeMap, BTreeSet};

use crate::adabu::BehaviorCall;

/// An object of a test, and the calls that it got, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectHistory {
    /// The test.
    pub test: String,
    /// The object by order of creation in the test.
    pub object: u64,
    /// Its calls in the model.
    pub calls: Vec<BehaviorCall>,
}

/// The place of a call in the suite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallPlace {
    /// The test.
    pub test: String,
    /// The object.
    pub object: u64,
    /// The number of the call.
    pub ordinal: usize,
}

/// A call that a mutation makes happen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlannedCall {
    /// State in which it is to happen.
    pub state: usize,
    /// The method's label.
    pub method: String,
}

/// A mutation of the suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// Calls a method without parameters right after a call.
    Add {
        /// The purpose.
        wanted: PlannedCall,
        /// The call.
        after: CallPlace,
    },
    /// Suppresses calls, so that an existing call happens in another state.
    Suppress {
        /// The purpose.
        wanted: PlannedCall,
        /// The calls, of one object.
        calls: Vec<CallPlace>,
        /// The existing call.
        then: CallPlace,
    },
}

/// Plans the mutations of Algorithm 1. `methods` are those to investigate, true if they have parameters.
pub fn mutations(suite: &[ObjectHistory], methods: &BTreeMap<String, bool>) -> Vec<Mutation> {
    let mut invoked: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    // The first occurrence of each transition into a state.
    let mut into: BTreeMap<usize, BTreeMap<(Option<usize>, &str), CallPlace>> = BTreeMap::new();
    let place = |history: &ObjectHistory, ordinal| CallPlace {
        test: history.test.clone(),
        object: history.object,
        ordinal,
    };
    for history in suite {
        for (ordinal, call) in history.calls.iter().enumerate() {
            call.from.into_iter().for_each(|from| {
                invoked.entry(from).or_default().insert(&call.label);
            });
            let transitions = into.entry(call.to).or_default();
            transitions.entry((call.from, &call.label)).or_insert_with(|| place(history, ordinal));
        }
    }
    let mut mutations = Vec::new();
    for (&state, transitions) in &into {
        for (method, has_parameters) in methods {
            if invoked.get(&state).is_some_and(|invoked| invoked.contains(method.as_str())) {
                continue;
            }
            let wanted = PlannedCall { state, method: method.clone() };
            if *has_parameters {
                for (calls, then) in paths(suite, state, method) {
                    let history = &suite[then.0];
                    let calls = calls.map(|ordinal| place(history, ordinal)).collect();
                    let then = place(history, then.1);
                    mutations.push(Mutation::Suppress { wanted: wanted.clone(), calls, then });
                }
            } else {
                let add = |after: &CallPlace| Mutation::Add { wanted: wanted.clone(), after: after.clone() };
                mutations.extend(transitions.values().map(add));
            }
        }
    }
    mutations
}

/// For each state in which a method was called, the shortest way of an object from `state` to such a call:
/// the calls between, and the object with the number of the call.
fn paths(
    suite: &[ObjectHistory],
    state: usize,
    method: &str,
) -> Vec<(std::ops::Range<usize>, (usize, usize))> {
    let mut best: BTreeMap<usize, (std::ops::Range<usize>, (usize, usize))> = BTreeMap::new();
    for (number, history) in suite.iter().enumerate() {
        for (ordinal, call) in history.calls.iter().enumerate().filter(|(_, call)| call.label == method) {
            let Some(from) = call.from else { continue };
            let Some(reached) = history.calls[..ordinal].iter().rposition(|before| before.to == state) else {
                continue;
            };
            let way = reached + 1..ordinal;
            if way.is_empty() {
                continue;
            }
            let is_shorter = best.get(&from).is_none_or(|(known, _)| way.len() < known.len());
            if is_shorter {
                best.insert(from, (way, (number, ordinal)));
            }
        }
    }
    best.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(test: &str, calls: &[(Option<usize>, &str, usize)]) -> ObjectHistory {
        let call = |(from, label, to): &(Option<usize>, &str, usize)| BehaviorCall {
            from: *from,
            label: (*label).to_owned(),
            threw: None,
            to: *to,
        };
        ObjectHistory { test: test.to_owned(), object: 0, calls: calls.iter().map(call).collect() }
    }

    fn shown(suite: &[ObjectHistory], methods: &[(&str, bool)]) -> Vec<String> {
        let methods = methods.iter().map(|(name, has)| ((*name).to_owned(), *has)).collect();
        let show = |mutation: &Mutation| match mutation {
            Mutation::Add { wanted, after } => {
                format!("{} in {}: after {}", wanted.method, wanted.state, after.ordinal)
            }
            Mutation::Suppress { wanted, calls, then } => {
                let calls: Vec<_> = calls.iter().map(|call| call.ordinal.to_string()).collect();
                format!(
                    "{} in {}: without {} then {}",
                    wanted.method,
                    wanted.state,
                    calls.join(","),
                    then.ordinal
                )
            }
        };
        mutations(suite, &methods).iter().map(show).collect()
    }

    /// Section 3: `dropConnection` in state 1 is added after `openPort`, and `authSend` happens in state 0 if
    /// `openPort` is suppressed.
    #[test]
    fn the_examples_of_the_paper() {
        let suite = [history(
            "t",
            &[
                (None, "SMTPProtocol", 0),
                (Some(0), "openPort", 1),
                (Some(1), "authSend", 1),
                (Some(1), "quit", 0),
            ],
        )];
        let methods = [("authSend", true), ("dropConnection", false), ("openPort", false), ("quit", false)];
        assert_eq!(
            shown(&suite, &methods),
            [
                "authSend in 0: without 1 then 2",
                "dropConnection in 0: after 0",
                "dropConnection in 0: after 3",
                "quit in 0: after 0",
                "quit in 0: after 3",
                "dropConnection in 1: after 1",
                "dropConnection in 1: after 2",
                "openPort in 1: after 1",
                "openPort in 1: after 2",
            ]
        );
    }

    #[test]
    fn the_shortest_way_of_each_state_is_taken() {
        let suite = [
            history("long", &[(None, "C", 0), (Some(0), "a", 1), (Some(1), "b", 1), (Some(1), "put", 1)]),
            history("short", &[(None, "C", 0), (Some(0), "a", 1), (Some(1), "put", 1)]),
            history("other", &[(None, "C", 0), (Some(0), "a", 2), (Some(2), "put", 2)]),
        ];
        let found = mutations(&suite, &BTreeMap::from([("put".to_owned(), true)]));
        let tests: Vec<_> = found
            .iter()
            .map(|mutation| match mutation {
                Mutation::Suppress { then, calls, .. } => (then.test.as_str(), calls.len()),
                Mutation::Add { .. } => unreachable!("it has parameters"),
            })
            .collect();
        assert_eq!(tests, [("short", 1), ("other", 1)]);
    }

    /// A method that the suite calls nowhere is beyond the paper's way if it has parameters.
    #[test]
    fn a_method_with_parameters_that_nobody_calls_is_left_alone() {
        let suite = [history("t", &[(None, "C", 0)])];
        assert_eq!(shown(&suite, &[("put", true)]), Vec::<String>::new());
    }
}
