//! A model while it is being read: what all readers produce and what all have to check.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::error::FormatError;
use super::notes::Notes;
use super::scan::File;
use crate::{Builder, Fsa, Modality, State};

/// The states that accept when a file marks none of them as accepting.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unmarked {
    /// The format says it of each state, so none does.
    NoneAccept,
    /// The format is one of transition systems, where a run may stop anywhere.
    AllAccept,
}

/// The parts of a model, by state numbers.
#[derive(Default)]
pub(super) struct Draft {
    /// One entry per state: whether the file marks it as accepting.
    pub(super) accepting: Vec<bool>,
    pub(super) initial: BTreeSet<State>,
    pub(super) edges: Vec<DraftEdge>,
    /// Labels that no edge need use.
    pub(super) labels: Vec<String>,
    pub(super) names: BTreeMap<State, String>,
    pub(super) predicates: BTreeMap<State, Vec<String>>,
    pub(super) refusals: BTreeMap<State, Vec<String>>,
}

/// An edge of a [`Draft`].
pub(super) struct DraftEdge {
    pub(super) from: State,
    pub(super) label: String,
    pub(super) to: State,
    pub(super) modality: Modality,
    pub(super) guard: Option<String>,
}

impl DraftEdge {
    /// A required edge without a guard.
    pub(super) fn plain(from: State, label: String, to: State) -> Self {
        Self { from, label, to, modality: Modality::Required, guard: None }
    }
}

impl Draft {
    /// A draft of `states` states, none of them accepting.
    pub(super) fn with_states(states: usize) -> Self {
        Self { accepting: vec![false; states], ..Self::default() }
    }

    /// Numbers the states by their `ids`, which so far were numbered by appearance.
    ///
    /// Ids that are one prefix and a number are sorted by that number, others keep their order. When the
    /// prefix is one of `plain` and the numbers are 0, 1, 2 …, the ids say nothing and are dropped; else they
    /// become the names. A note that declares the number of states makes every number below it a state.
    pub(super) fn number_by(&mut self, ids: &[String], plain: &[&str], notes: &Notes) {
        let numbers = common_numbers(ids);
        let mut order: Vec<usize> = (0..ids.len()).collect();
        if let Some((prefix, numbers)) = numbers {
            let declared = notes.states.unwrap_or(ids.len());
            if plain.contains(&prefix) && numbers.iter().all(|&number| number < declared as u64) {
                let numbers: Vec<State> = numbers.into_iter().map(|number| number as State).collect();
                self.renumber(&numbers, declared);
                return;
            }
            order.sort_by_key(|&id| numbers[id]);
        }
        let mut numbers = vec![0; ids.len()];
        for (number, &id) in order.iter().enumerate() {
            numbers[id] = number;
            self.names.entry(id).or_insert_with(|| ids[id].clone());
        }
        self.renumber(&numbers, ids.len());
    }

    /// Gives state `s` the number `numbers[s]`, among `states` states.
    fn renumber(&mut self, numbers: &[State], states: usize) {
        let mut accepting = vec![false; states];
        for (state, &accepts) in self.accepting.iter().enumerate() {
            accepting[numbers[state]] = accepts;
        }
        self.accepting = accepting;
        self.initial = self.initial.iter().map(|&state| numbers[state]).collect();
        self.names =
            std::mem::take(&mut self.names).into_iter().map(|(state, name)| (numbers[state], name)).collect();
        for edge in &mut self.edges {
            (edge.from, edge.to) = (numbers[edge.from], numbers[edge.to]);
        }
    }

    /// Removes the states in `gone`, which no edge mentions any more, and closes the gaps in the numbering.
    pub(super) fn remove(&mut self, gone: &BTreeSet<State>) {
        let mut left = 0;
        // The number of a removed state is never asked for.
        let numbers: Vec<State> = (0..self.accepting.len())
            .map(|state| {
                let number = left;
                left += usize::from(!gone.contains(&state));
                number
            })
            .collect();
        let kept = (0..self.accepting.len()).filter(|state| !gone.contains(state));
        self.accepting = kept.map(|state| self.accepting[state]).collect();
        self.initial =
            self.initial.iter().filter(|state| !gone.contains(state)).map(|&s| numbers[s]).collect();
        self.names.retain(|state, _| !gone.contains(state));
        self.names =
            std::mem::take(&mut self.names).into_iter().map(|(state, name)| (numbers[state], name)).collect();
        for edge in &mut self.edges {
            (edge.from, edge.to) = (numbers[edge.from], numbers[edge.to]);
        }
    }

    /// The finished model, with what the `notes` of the file add.
    pub(super) fn finish(
        mut self,
        file: File<'_>,
        notes: Notes,
        unmarked: Unmarked,
    ) -> Result<Fsa<String>, FormatError> {
        let marked = self.accepting.contains(&true);
        if let Some(accepting) = &notes.accepting {
            self.accepting.fill(false);
            for &(state, at) in accepting {
                *self.accepting.get_mut(state).ok_or_else(|| no_state(file, state, at))? = true;
            }
        } else if !marked && unmarked == Unmarked::AllAccept {
            self.accepting.fill(true);
        }
        if let Some(initial) = &notes.initial {
            self.initial = initial.iter().map(|&(state, _)| state).collect();
            if let Some(&(state, at)) = initial.iter().find(|&&(state, _)| state >= self.accepting.len()) {
                return Err(no_state(file, state, at));
            }
        }
        if self.initial.is_empty() {
            return Err(file.error(0..0, "the model has no initial state", "say where a run starts"));
        }
        self.annotate_edges(file, &notes)?;
        let mut builder = Builder::new();
        for &accepting in &self.accepting {
            builder.state(accepting);
        }
        for state in self.initial {
            builder.initial(state);
        }
        for label in self.labels.into_iter().chain(notes.labels) {
            builder.label(label);
        }
        for (state, name) in self.names {
            builder.name(state, name);
        }
        for (state, predicates) in self.predicates {
            builder.predicates(state, predicates);
        }
        for (state, refusals) in self.refusals {
            builder.refusals(state, refusals);
        }
        for (notes, say) in
            [(notes.predicates, Builder::predicates as fn(&mut _, _, _)), (notes.refusals, Builder::refusals)]
        {
            let mut said: BTreeMap<State, Vec<String>> = BTreeMap::new();
            for (state, one, at) in notes {
                if state >= builder.len() {
                    return Err(no_state(file, state, at));
                }
                said.entry(state).or_default().push(one);
            }
            said.into_iter().for_each(|(state, said)| say(&mut builder, state, said));
        }
        for (state, name, at) in notes.names {
            if state >= builder.len() {
                return Err(no_state(file, state, at));
            }
            builder.name(state, name);
        }
        for edge in self.edges {
            if let Some(guard) = edge.guard {
                builder.guard(edge.from, edge.label.clone(), edge.to, guard);
            }
            builder.modal_edge(edge.from, edge.label, edge.to, edge.modality);
        }
        Ok(builder.build())
    }

    /// Puts the modalities and guards of `notes` on the edges they speak of.
    fn annotate_edges(&mut self, file: File<'_>, notes: &Notes) -> Result<(), FormatError> {
        if notes.maybes.is_empty() && notes.guards.is_empty() {
            return Ok(());
        }
        let mut index: FxHashMap<(State, String, State), usize> = FxHashMap::default();
        for (at, edge) in self.edges.iter().enumerate() {
            index.insert((edge.from, edge.label.clone(), edge.to), at);
        }
        let missing = |from: State, label: &str, to: State, at| {
            let problem = format!(
                "there is no transition from {from} to {to} with the event `{}`",
                label.escape_debug()
            );
            file.error(
                at..at + 1,
                problem,
                "the remark speaks of a transition: add that transition or drop the remark",
            )
        };
        for (key, at) in &notes.maybes {
            let edge = index.get(key).ok_or_else(|| missing(key.0, &key.1, key.2, *at))?;
            self.edges[*edge].modality = Modality::Maybe;
        }
        for (key, guard, at) in &notes.guards {
            let edge = index.get(key).ok_or_else(|| missing(key.0, &key.1, key.2, *at))?;
            self.edges[*edge].guard = Some(guard.clone());
        }
        Ok(())
    }
}

/// The ids' common prefix and their numbers, if every id is that prefix and a number of its own.
pub(super) fn common_numbers(ids: &[String]) -> Option<(&str, Vec<u64>)> {
    let split = |id: &'_ str| id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let prefix = &ids.first()?[..split(&ids[0])];
    let mut seen = FxHashSet::default();
    let mut numbers = Vec::with_capacity(ids.len());
    for id in ids {
        let (own, digits) = id.split_at(split(id));
        let number: u64 = digits.parse().ok()?;
        // A leading zero is part of a name, not of a number.
        if own != prefix || (digits.len() > 1 && digits.starts_with('0')) || !seen.insert(number) {
            return None;
        }
        numbers.push(number);
    }
    Some((prefix, numbers))
}

/// State ids as they appear in a file, numbered in that order.
#[derive(Default)]
pub(super) struct Ids {
    numbers: FxHashMap<String, State>,
    pub(super) names: Vec<String>,
}

impl Ids {
    /// The number of `id`, a new one when it was not seen before.
    pub(super) fn number(&mut self, id: &str) -> State {
        if let Some(&number) = self.numbers.get(id) {
            return number;
        }
        self.numbers.insert(id.to_owned(), self.names.len());
        self.names.push(id.to_owned());
        self.names.len() - 1
    }
}

/// An error about a state that a remark at `at` mentions and the file lacks.
fn no_state(file: File<'_>, state: State, at: usize) -> FormatError {
    file.error(
        at..at + 1,
        format!("there is no state {state}"),
        "states are numbered from 0; is the number right?",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbers_only_when_all_are() {
        let ids = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        assert_eq!(common_numbers(&ids("s1 s0 s10")), Some(("s", vec![1, 0, 10])));
        assert_eq!(common_numbers(&ids("3 5")), Some(("", vec![3, 5])));
        for odd in ["s0 t1", "s0 s00", "s0 s01", "s", "s1 s1", "s99999999999999999999"] {
            assert_eq!(common_numbers(&ids(odd)), None, "{odd}");
        }
    }
}
