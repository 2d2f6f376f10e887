//! The abstraction: situations that enable the same events, and are on the same side of every split, are one
//! state.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Builder, Fsa, Modality, State};
use adit_trace::Letter;

use super::exploration::{EnabledSetId, Exploration, ProbedSituation, SituationId, SuccessorId};
use crate::EventReader;

/// Division of the situations that enable one set: those that can go by the event to a situation that enables
/// `to`, and the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Split {
    /// Set whose situations are divided.
    pub(super) of: EnabledSetId,
    pub(super) letter: Letter,
    pub(super) to: EnabledSetId,
}

/// Splits that the model has, and splits that were tried in vain.
#[derive(Default)]
pub(super) struct Splits {
    /// In the order in which they were made, by the set that they divide.
    made: BTreeMap<EnabledSetId, Vec<Split>>,
    useless: BTreeSet<Split>,
}

impl Splits {
    pub(super) fn of(&self, enabled: EnabledSetId) -> &[Split] {
        self.made.get(&enabled).map_or(&[], Vec::as_slice)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Split> {
        self.made.values().flatten()
    }

    /// Tells whether the split was tried before.
    pub(super) fn is_known(&self, split: &Split) -> bool {
        self.useless.contains(split) || self.of(split.of).contains(split)
    }

    pub(super) fn make(&mut self, split: Split) {
        self.made.entry(split.of).or_default().push(split);
    }

    pub(super) fn undo(&mut self, split: Split) {
        self.made.entry(split.of).or_default().retain(|other| *other != split);
    }

    /// Remembers that a split that was undone makes too few walks realizable.
    pub(super) fn is_useless(&mut self, split: Split) {
        self.useless.insert(split);
    }
}

/// State of the model: the events that it enables, and for each split of that set whether its situations can
/// take it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AbstractState {
    pub(super) enabled: EnabledSetId,
    can_take: Vec<bool>,
}

/// A model, and the evidence that it was made of.
pub(super) struct DraftModel {
    pub(super) fsa: Fsa<String>,
    /// The states after the first, which is that before there is an object.
    pub(super) states: Vec<AbstractState>,
    pub(super) transitions: BTreeMap<Transition, Evidence>,
}

/// Transition of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Transition {
    pub(super) from: State,
    pub(super) letter: Letter,
    pub(super) to: State,
}

/// Observations of a transition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// The successor with the shortest script.
    pub(super) shortest: SuccessorId,
    /// Number of situations in which it was observed.
    pub(super) situations: u64,
}

/// The state of a draft before there is an object.
const NO_OBJECT: State = 0;

impl DraftModel {
    /// The abstraction of a state; nothing for the one before there is an object.
    pub(super) fn abstraction(&self, state: State) -> Option<&AbstractState> {
        self.states.get(state.checked_sub(NO_OBJECT + 1)?)
    }

    /// The states that enable this set.
    pub(super) fn enabling(&self, enabled: EnabledSetId) -> impl Iterator<Item = State> {
        let states = (NO_OBJECT + 1..).zip(&self.states);
        states.filter(move |(_, state)| state.enabled == enabled).map(|(number, _)| number)
    }
}

/// States and transitions of a draft while it is made.
struct Drafting {
    builder: Builder<String>,
    states: Vec<AbstractState>,
    numbers: BTreeMap<AbstractState, State>,
    transitions: BTreeMap<Transition, Evidence>,
}

impl Drafting {
    fn new() -> Self {
        let mut builder = Builder::new();
        let initial = builder.state(false);
        builder.initial(initial);
        Self { builder, states: Vec::new(), numbers: BTreeMap::new(), transitions: BTreeMap::new() }
    }

    /// The number of a state, which is added if it is new.
    fn number(&mut self, state: &AbstractState) -> State {
        if let Some(&number) = self.numbers.get(state) {
            return number;
        }
        let number = self.builder.state(true);
        self.states.push(state.clone());
        self.numbers.insert(state.clone(), number);
        number
    }
}

impl Exploration {
    /// The state of a situation; nothing while it is unknown on which side of a split it is.
    pub(super) fn abstract_state(&self, situation: &ProbedSituation) -> Option<AbstractState> {
        let can_take = |split: &Split| {
            let mut is_open = false;
            for successor in situation.successors.iter().filter(|one| one.letter == split.letter) {
                match self.behind(successor) {
                    Some(behind) if self.situation(behind).enabled == split.to => return Some(true),
                    Some(_) => {}
                    None => is_open = true,
                }
            }
            (!is_open).then_some(false)
        };
        let splits = self.splits.of(situation.enabled).iter();
        Some(AbstractState {
            enabled: situation.enabled,
            can_take: splits.map(can_take).collect::<Option<_>>()?,
        })
    }

    /// Drafts the model of everything that is known.
    pub(super) fn new_draft(&self, reader: &EventReader) -> DraftModel {
        let states: Vec<Option<AbstractState>> =
            self.probed_situations().map(|(_, situation)| self.abstract_state(situation)).collect();
        let state = |SituationId(number): SituationId| states[number].as_ref();
        let (pure, followed) = (self.harmless(), self.followed());
        let mut drafting = Drafting::new();
        for (id, successor) in self.successors() {
            let letter = successor.letter;
            let from = match id.from {
                None => NO_OBJECT,
                Some(from) => match state(from) {
                    Some(state) => drafting.number(state),
                    None => continue,
                },
            };
            let stays = |situation: SituationId| {
                let enabled = self.situation(situation).enabled;
                let doubtful = self.prior.doubtful.contains(&letter);
                pure.contains(&letter) && (!doubtful || followed.contains(&(enabled, letter)))
            };
            let to = if id.from.is_some_and(stays) {
                from
            } else {
                match self.behind(successor).and_then(state) {
                    Some(state) => drafting.number(state),
                    None => continue,
                }
            };
            let evidence = drafting
                .transitions
                .entry(Transition { from, letter, to })
                .or_insert(Evidence { shortest: id, situations: 0 });
            evidence.situations += 1;
            if successor.length() < self.successor(evidence.shortest).length() {
                evidence.shortest = id;
            }
        }
        let Drafting { mut builder, states, transitions, .. } = drafting;
        for &Transition { from, letter, to } in transitions.keys() {
            builder.edge(from, reader.alphabet().name(letter).to_owned(), to);
        }
        DraftModel { fsa: builder.build(), states, transitions }
    }

    /// Pairs of a set and an event of it whose successor was probed somewhere. If the event is
    /// [`harmless`](Self::harmless), the successor enables the same set.
    fn followed(&self) -> BTreeSet<(EnabledSetId, Letter)> {
        let mut followed = BTreeSet::new();
        for (_, situation) in self.probed_situations() {
            let known = situation.successors.iter().filter(|successor| self.behind(successor).is_some());
            followed.extend(known.map(|successor| (situation.enabled, successor.letter)));
        }
        followed
    }

    /// The model with a transition of modality *maybe* for each event that was possible in a state and never
    /// followed. It leads to where the event leads most often elsewhere, or back to the state.
    pub(super) fn with_guesses(&self, reader: &EventReader, draft: &DraftModel) -> Fsa<String> {
        let mut leads: BTreeMap<Letter, BTreeMap<State, usize>> = BTreeMap::new();
        let mut known: BTreeSet<(State, Letter)> = BTreeSet::new();
        for &Transition { from, letter, to } in draft.transitions.keys() {
            *leads.entry(letter).or_default().entry(to).or_default() += 1;
            known.insert((from, letter));
        }
        let numbers: BTreeMap<&AbstractState, State> = draft.states.iter().zip(NO_OBJECT + 1..).collect();
        let mut builder = draft.fsa.to_builder();
        for (_, situation) in self.probed_situations() {
            let state = self.abstract_state(situation);
            let Some(&from) = state.as_ref().and_then(|state| numbers.get(state)) else { continue };
            for successor in &situation.successors {
                let letter = successor.letter;
                if known.insert((from, letter)) {
                    let usual = leads.get(&letter).and_then(|to| to.iter().max_by_key(|(_, times)| **times));
                    let to = usual.map_or(from, |(&to, _)| to);
                    builder.modal_edge(from, reader.alphabet().name(letter).to_owned(), to, Modality::Maybe);
                }
            }
        }
        builder.build()
    }

    /// Describes the splits of the model.
    pub(super) fn describe_splits(&self, reader: &EventReader) -> Vec<String> {
        let describe = |split: &Split| {
            let names: Vec<&str> =
                self.events(split.to).map(|letter| reader.alphabet().name(letter)).collect();
            let event = reader.alphabet().name(split.letter);
            format!("whether {event} can lead to a state with {}", names.join(", "))
        };
        self.splits.all().map(describe).collect()
    }
}
