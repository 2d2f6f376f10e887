//! How what an assay says is known: for each transition a script that took it, for each method that a state lacks what came of
//! calling it there.
//!
//! Whoever reads only the calls of a script cannot tell this where an event leads to several states: which of them it was,
//! only what is enabled there says, and that was tried by scripts of their own.

use std::collections::BTreeMap;

use adit_automata::{Fsa, State};
use adit_trace::{Label, Script};

use super::{Drawn, Map};
use crate::Ear;
use crate::moves::Situation;

/// A transition of the model, and how it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Where it begins.
    pub from: State,
    /// Its event.
    pub label: String,
    /// Where it leads.
    pub to: State,
    /// In how many situations it was taken.
    pub situations: u64,
    /// The shortest script whose last call takes it.
    pub script: Script,
}

/// A method that a state does not have, because calling it there throws.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The state.
    pub state: State,
    /// The method and what it throws most often: `pop!EmptyStackException`.
    pub label: String,
    /// How often it was tried and threw this.
    pub times: u64,
    /// The shortest script whose last call is refused so.
    pub script: Script,
}

/// What calls threw in the situations that enable the same events: how often, and the shortest situation.
#[derive(Default)]
pub(super) struct Thrown(BTreeMap<(usize, String), (u64, Situation)>);

impl Thrown {
    /// Takes note of a call that threw; `base` is what its situation enables.
    pub(super) fn note(&mut self, base: usize, label: String, situation: Situation) {
        let (times, shortest) = self.0.entry((base, label)).or_insert_with(|| (0, situation.clone()));
        *times += 1;
        if situation.script.statements.len() < shortest.script.statements.len() {
            *shortest = situation;
        }
    }
}

impl Map {
    /// How each transition of `model` is known, where `now` says what became of the states of `drawn`.
    pub(super) fn shown(
        &self,
        ear: &Ear,
        drawn: &Drawn,
        now: &[Option<State>],
        model: &Fsa<String>,
    ) -> Vec<Shown> {
        let mut shown: BTreeMap<(State, String, State), Shown> = BTreeMap::new();
        for (&(from, letter, to), &(place, number)) in &drawn.taken {
            let (Some(from_now), Some(to_now)) = (now[from], now[to]) else { continue };
            let label = ear.alphabet().name(letter);
            if !model.edges(from_now).any(|edge| edge.label == label && edge.to == to_now) {
                continue;
            }
            let script = &self.exit(place, number).situation.script;
            let situations = drawn.times[&(from, letter, to)];
            let one = shown.entry((from_now, label.to_owned(), to_now)).or_insert_with(|| Shown {
                from: from_now,
                label: label.to_owned(),
                to: to_now,
                situations: 0,
                script: script.clone(),
            });
            one.situations += situations;
            if script.statements.len() < one.script.statements.len() {
                one.script.clone_from(script);
            }
        }
        shown.into_values().collect()
    }

    /// What each state of `model` refuses, where `now` says what became of the states of `drawn`: only methods that it does not have at all. Of
    /// several exceptions the most frequent is told, because a null or a wrong text is refused everywhere.
    pub(super) fn refusals(&self, drawn: &Drawn, now: &[Option<State>], model: &Fsa<String>) -> Vec<Refusal> {
        let mut found: BTreeMap<(State, &str), Refusal> = BTreeMap::new();
        for ((base, label), (times, situation)) in &self.thrown.0 {
            let method = Label::parse(label).method();
            // The first state is that before there is an object.
            let states = drawn.states.iter().enumerate().filter(|(_, class)| class.0 == *base);
            for state in states.filter_map(|(number, _)| now[number + 1]) {
                if model.edges(state).any(|edge| Label::parse(edge.label).method() == method) {
                    continue;
                }
                let one =
                    Refusal { state, label: label.clone(), times: *times, script: situation.script.clone() };
                match found.get_mut(&(state, method)) {
                    Some(known) if known.times >= *times => {}
                    Some(known) => *known = one,
                    None => drop(found.insert((state, method), one)),
                }
            }
        }
        found.into_values().collect()
    }
}

/// The model, whose states now say what they refuse.
pub(super) fn refusing(model: &Fsa<String>, refusals: &[Refusal]) -> Fsa<String> {
    let mut builder = model.to_builder();
    for state in model.states() {
        let refused = refusals.iter().filter(|refusal| refusal.state == state);
        builder.refusals(state, refused.map(|refusal| refusal.label.clone()).collect());
    }
    builder.build()
}
