//! Evidence for a model: a script that takes each transition, and for each method that a state lacks the
//! outcome of calling it.
//!
//! The calls of a script alone do not show this where an event leads to several states: only what is enabled
//! afterwards tells them apart, and that was probed by scripts of its own.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Fsa, State};
use adit_trace::{Label, Script};

use super::draft::{DraftModel, Transition};
use super::exploration::{EnabledSetId, Exploration};
use crate::EventReader;
use crate::moves::Situation;

/// A transition of the model, and a script that takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct TransitionWitness {
    /// State in which it begins.
    pub from: State,
    /// Its event.
    pub label: String,
    /// State that it leads to.
    pub to: State,
    /// Number of situations in which it was taken.
    pub situations: u64,
    /// The shortest script whose last call takes it.
    pub script: Script,
}

/// A method that a state does not have, because calling it there throws.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The state.
    pub state: State,
    /// The method and an exception: `pop!EmptyStackException`.
    pub label: String,
    /// Number of times that it was tried and threw this.
    pub times: u64,
    /// The shortest script whose last call is refused so.
    pub script: Script,
}

impl Exploration {
    /// The witness of each transition of `model`, where `counterparts` are its states for those of `draft`.
    pub(super) fn witnesses(
        &self,
        reader: &EventReader,
        draft: &DraftModel,
        counterparts: &[Option<State>],
        model: &Fsa<String>,
    ) -> Vec<TransitionWitness> {
        let mut witnesses: BTreeMap<(State, String, State), TransitionWitness> = BTreeMap::new();
        for (&Transition { from, letter, to }, evidence) in &draft.transitions {
            let (Some(from), Some(to)) = (counterparts[from], counterparts[to]) else { continue };
            let label = reader.alphabet().name(letter);
            if !model.edges(from).any(|edge| edge.label == label && edge.to == to) {
                continue;
            }
            let script = &self.successor(evidence.shortest).situation.script;
            let witness = witnesses.entry((from, label.to_owned(), to)).or_insert_with(|| {
                TransitionWitness { from, label: label.to_owned(), to, situations: 0, script: script.clone() }
            });
            witness.situations += evidence.situations;
            if script.statements.len() < witness.script.statements.len() {
                witness.script.clone_from(script);
            }
        }
        witnesses.into_values().collect()
    }

    /// Methods that each state of `model` refuses, where `counterparts` are its states for those of `draft`.
    /// A state refuses only methods that it does not have at all. Of several exceptions one is told that the
    /// method throws only where it is refused, because a null or a wrong text is refused everywhere; of these
    /// the most frequent. Where some objects of the state never throw that one, what they throw is told too.
    pub(super) fn refusals(
        &self,
        draft: &DraftModel,
        counterparts: &[Option<State>],
        model: &Fsa<String>,
    ) -> Vec<Refusal> {
        let mut thrown: BTreeMap<(EnabledSetId, &str), (u64, &Situation)> = BTreeMap::new();
        for (_, probed) in self.probed_situations() {
            for (label, (more, situation)) in &probed.thrown {
                let (times, shortest) = thrown.entry((probed.enabled, label)).or_insert((0, situation));
                *times += more;
                if situation.script.statements.len() < shortest.script.statements.len() {
                    *shortest = situation;
                }
            }
        }
        let has = |state: State, label: &str| {
            let method = Label::parse(label).method();
            model.edges(state).any(|edge| Label::parse(edge.label).method() == method)
        };
        let states =
            |enabled: EnabledSetId| draft.enabling(enabled).filter_map(move |state| counterparts[state]);
        let by_arguments: BTreeSet<&str> = { thrown.keys() }
            .filter(|(enabled, label)| states(*enabled).any(|state| has(state, label)))
            .map(|(_, label)| *label)
            .collect();
        let rank = |label: &str, times: u64| (!by_arguments.contains(label), times);
        let mut found: BTreeMap<(State, &str), Refusal> = BTreeMap::new();
        for (&(enabled, label), (times, situation)) in &thrown {
            let method = Label::parse(label).method();
            for state in states(enabled) {
                if has(state, label) {
                    continue;
                }
                let refusal = Refusal {
                    state,
                    label: label.to_owned(),
                    times: *times,
                    script: situation.script.clone(),
                };
                match found.get_mut(&(state, method)) {
                    Some(known) if rank(&known.label, known.times) >= rank(label, *times) => {}
                    Some(known) => *known = refusal,
                    None => drop(found.insert((state, method), refusal)),
                }
            }
        }
        let mut others: BTreeMap<(State, &str), Refusal> = BTreeMap::new();
        for (_, probed) in self.probed_situations() {
            let mut by_method: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for label in probed.thrown.keys().filter(|label| !by_arguments.contains(label.as_str())) {
                by_method.entry(Label::parse(label).method()).or_default().push(label);
            }
            for (method, labels) in by_method {
                for state in states(probed.enabled) {
                    let Some(known) = found.get(&(state, method)) else { continue };
                    let is_told =
                        |label: &&str| *label == known.label || others.contains_key(&(state, label));
                    if by_arguments.contains(known.label.as_str()) || labels.iter().any(is_told) {
                        continue;
                    }
                    let frequent = labels.iter().max_by_key(|label| thrown[&(probed.enabled, **label)].0);
                    let Some(&label) = frequent else { continue };
                    let (times, situation) = thrown[&(probed.enabled, label)];
                    let (label_text, script) = (label.to_owned(), situation.script.clone());
                    others.insert((state, label), Refusal { state, label: label_text, times, script });
                }
            }
        }
        found.into_values().chain(others.into_values()).collect()
    }
}

/// The model, whose states now name what they refuse.
pub(super) fn with_refusals(model: &Fsa<String>, refusals: &[Refusal]) -> Fsa<String> {
    let mut builder = model.to_builder();
    for state in model.states() {
        let refused = refusals.iter().filter(|refusal| refusal.state == state);
        builder.refusals(state, refused.map(|refusal| refusal.label.clone()).collect());
    }
    builder.build()
}
