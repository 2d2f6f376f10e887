//! Fields that matter: of all fields of an object, those by which its situations can be told apart.
//!
//! A title or a limit that is only stored multiplies the situations of an object, and changes nothing that it
//! can do. Which fields matter is found out by experiment. At first none does; while there are two
//! situations that agree in all fields that matter and do not enable the same events, or whose events lead
//! to different situations, a field in which they differ matters too. A field that was left out wrongly
//! shows as such a pair later, and is then added.
//!
//! Paper: none; choosing what predicts behavior is the idea of abstraction refinement.
//! Cost: each field that matters takes one look at all situations and what is behind them.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use adit_trace::Letter;

use super::exploration::EnabledSetId;
use crate::probe::{Observed, StateHash};

/// The fields of all states that were seen, and those that matter.
#[derive(Default)]
pub(super) struct Fields {
    /// Hashes of the fields of each state.
    seen: BTreeMap<StateHash, Box<[u64]>>,
    /// What states have in common that differ only in content, as far as that was looked at.
    likeness: BTreeMap<StateHash, StateHash>,
    /// Numbers of the fields that matter; nothing while all do.
    matter: Option<BTreeSet<usize>>,
    /// For each state the hash of the fields that matter, unless all do.
    keys: BTreeMap<StateHash, StateHash>,
}

/// A situation, by its state and what it can do.
pub(super) struct Behavior {
    pub(super) state: StateHash,
    pub(super) enabled: EnabledSetId,
    /// Events with the states that they lead to.
    pub(super) leads: Vec<(Letter, StateHash)>,
}

/// Pairs of situations that are compared in one look.
const PAIRS: usize = 400;

impl Fields {
    /// Takes note of a state.
    pub(super) fn see(&mut self, observed: &Observed) {
        let Entry::Vacant(new) = self.seen.entry(observed.state) else { return };
        new.insert(observed.fields.clone());
        self.likeness.extend(observed.likeness.map(|likeness| (observed.state, likeness)));
        if self.matter.is_some() {
            self.keys.insert(observed.state, self.projected(&observed.fields));
        }
    }

    /// The hash by which a state is compared with others.
    pub(super) fn key(&self, state: StateHash) -> StateHash {
        self.keys.get(&state).copied().unwrap_or(state)
    }

    /// What a state has in common with those that differ from it only in content.
    pub(super) fn likeness(&self, state: StateHash) -> Option<StateHash> {
        self.likeness.get(&state).copied()
    }

    /// Tells whether some fields are left out.
    pub(super) fn are_chosen(&self) -> bool {
        self.matter.is_some()
    }

    /// Compares states by all fields.
    pub(super) fn take_all(&mut self) {
        self.matter = None;
        self.keys.clear();
    }

    fn projected(&self, fields: &[u64]) -> StateHash {
        let matters = |field: &usize| self.matter.as_ref().is_none_or(|matter| matter.contains(field));
        let chosen = (0..fields.len()).filter(matters).map(|field| fields[field]);
        StateHash::combine(chosen.chain([fields.len() as u64]))
    }

    /// Chooses the fields that matter, and keeps those that already did. Tells whether the choice is new.
    pub(super) fn choose(&mut self, behaviors: &[Behavior]) -> bool {
        let before = self.matter.clone();
        let mut matter = self.matter.take().unwrap_or_default();
        loop {
            self.matter = Some(matter.clone());
            self.keys = self.seen.iter().map(|(&state, fields)| (state, self.projected(fields))).collect();
            let Some(field) = self.missing(behaviors, &matter) else { break };
            matter.insert(field);
        }
        before.as_ref() != Some(&matter)
    }

    /// A field that tells situations apart that seem equal and are not. Of several, the one in which most of
    /// them differ and little else does.
    fn missing(&self, behaviors: &[Behavior], matter: &BTreeSet<usize>) -> Option<usize> {
        let mut groups: BTreeMap<StateHash, BTreeMap<_, StateHash>> = BTreeMap::new();
        for Behavior { state, enabled, leads } in behaviors {
            let leads: BTreeSet<(Letter, StateHash)> =
                leads.iter().map(|&(letter, to)| (letter, self.key(to))).collect();
            groups.entry(self.key(*state)).or_default().entry((*enabled, leads)).or_insert(*state);
        }
        let mut votes: BTreeMap<usize, f64> = BTreeMap::new();
        let mut pairs = 0;
        for group in groups.into_values().filter(|group| group.len() > 1) {
            let states: Vec<StateHash> = group.into_values().collect();
            for (one, other) in states.iter().zip(&states[1..]) {
                let (Some(one), Some(other)) = (self.seen.get(one), self.seen.get(other)) else { continue };
                let differ = |field: &usize| one[*field] != other[*field] && !matter.contains(field);
                let different: Vec<usize> = (0..one.len().min(other.len())).filter(differ).collect();
                for &field in &different {
                    *votes.entry(field).or_default() += 1.0 / different.len() as f64;
                }
                pairs += 1;
            }
            if pairs >= PAIRS {
                break;
            }
        }
        let best = votes.into_iter().max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)));
        best.map(|(field, _)| field)
    }
}
