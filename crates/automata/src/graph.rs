//! The one graph: states in a row, their outgoing edges sorted, built once and then read only.
//!
//! Edges are stored as one flat array with an offset per state, because prefix trees of real logs have a
//! million states and most algorithms only ever walk outgoing edges. Changing a graph means building a new
//! one ([`Builder`], [`Fsa::quotient`]).

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use crate::reader::Reader;

/// The number of a state, from zero.
pub type State = usize;

/// The certainty of a transition [krka, section 2.2]. All transitions of plain automata are `Required`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Modality {
    /// The transition occurs in every implementation.
    Required,
    /// Nothing rules the transition out, and nothing shows it.
    Maybe,
}

/// A transition as the graph stores it: the label is a number, an index into [`Fsa::alphabet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// Index of the label in the alphabet.
    pub letter: u32,
    /// The state to which the transition leads.
    pub to: u32,
    /// Its certainty.
    pub modality: Modality,
}

/// A transition with its label and source, for those who read a graph rather than compute on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge<'a, L> {
    /// The state from which the transition leads.
    pub from: State,
    /// Its label.
    pub label: &'a L,
    /// The state to which it leads.
    pub to: State,
    /// Its certainty.
    pub modality: Modality,
    /// The condition on parameters under which it can be taken, in source syntax.
    pub guard: Option<&'a str>,
}

/// A finite automaton: nondeterministic, possibly with several initial states, possibly modal.
///
/// Two automata are equal when they are the same graph with the same state numbers, names and annotations;
/// [`Fsa::same_language`] asks whether they accept the same words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fsa<L> {
    alphabet: Vec<L>,
    initial: Vec<State>,
    accepting: Vec<bool>,
    first: Vec<u32>,
    steps: Vec<Step>,
    annotations: Annotations,
}

/// Annotations of states and transitions, which do not change the language. Sparse: most graphs have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Annotations {
    pub(crate) names: BTreeMap<State, String>,
    pub(crate) predicates: BTreeMap<State, Vec<String>>,
    pub(crate) refusals: BTreeMap<State, Vec<String>>,
    pub(crate) guards: BTreeMap<(State, u32, State), String>,
}

impl<L> Fsa<L> {
    /// A graph from its parts: `first[state]..first[state + 1]` are the steps of `state`, sorted.
    pub(crate) fn from_parts(
        alphabet: Vec<L>,
        initial: Vec<State>,
        accepting: Vec<bool>,
        first: Vec<u32>,
        steps: Vec<Step>,
    ) -> Self {
        debug_assert_eq!(first.len(), accepting.len() + 1);
        Self { alphabet, initial, accepting, first, steps, annotations: Annotations::default() }
    }

    /// A graph from transitions in any order. Of equal ones that differ in modality, the required one stays.
    pub(crate) fn assemble(
        alphabet: Vec<L>,
        initial: Vec<State>,
        accepting: Vec<bool>,
        mut edges: Vec<(u32, Step)>,
    ) -> Self {
        // Modality sorts last and `Required` first, so the required edge is the one that deduplication keeps.
        edges.sort_unstable();
        edges.dedup_by_key(|(from, step)| (*from, step.letter, step.to));
        let mut first = vec![0u32; accepting.len() + 1];
        for (from, _) in &edges {
            first[*from as usize + 1] += 1;
        }
        for state in 0..accepting.len() {
            first[state + 1] += first[state];
        }
        let steps = edges.into_iter().map(|(_, step)| step).collect();
        Self::from_parts(alphabet, initial, accepting, first, steps)
    }

    /// The same graph with these annotations.
    pub(crate) fn annotated(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Names, predicates, refusals and guards.
    pub(crate) fn annotations(&self) -> &Annotations {
        &self.annotations
    }

    /// The states of `order`, in that order, with the transitions among them. `number[state]` is the place of
    /// `state` in `order`, or `u32::MAX` when it is not there.
    pub(crate) fn renumber(&self, order: &[State], number: &[u32]) -> Self
    where
        L: Clone,
    {
        let kept = |state: State| (number[state] != u32::MAX).then(|| number[state] as State);
        let edges = order.iter().flat_map(|&state| {
            self.steps(state)
                .iter()
                .filter(|step| number[step.to as usize] != u32::MAX)
                .map(move |step| (number[state], Step { to: number[step.to as usize], ..*step }))
        });
        let mut initial: Vec<State> = self.initial.iter().filter_map(|&state| kept(state)).collect();
        initial.sort_unstable();
        let accepting = order.iter().map(|&state| self.accepting[state]).collect();
        let Annotations { names, predicates, refusals, guards } = &self.annotations;
        let of_states = |said: &BTreeMap<State, Vec<String>>| {
            said.iter().filter_map(|(&state, said)| Some((kept(state)?, said.clone()))).collect()
        };
        Self::assemble(self.alphabet.clone(), initial, accepting, edges.collect()).annotated(Annotations {
            names: names.iter().filter_map(|(&state, name)| Some((kept(state)?, name.clone()))).collect(),
            predicates: of_states(predicates),
            refusals: of_states(refusals),
            guards: guards
                .iter()
                .filter_map(|(&(from, letter, to), guard)| {
                    Some(((kept(from)?, letter, kept(to)?), guard.clone()))
                })
                .collect(),
        })
    }

    /// The graph without the states that `keep` rules out, and without their transitions.
    pub(crate) fn restrict(&self, keep: &[bool]) -> Self
    where
        L: Clone,
    {
        let order: Vec<State> = self.states().filter(|&state| keep[state]).collect();
        let mut number = vec![u32::MAX; self.len()];
        for (at, &state) in order.iter().enumerate() {
            number[state] = at as u32;
        }
        self.renumber(&order, &number)
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.accepting.len()
    }

    /// Returns whether there is no state at all.
    pub fn is_empty(&self) -> bool {
        self.accepting.is_empty()
    }

    /// All states.
    pub fn states(&self) -> std::ops::Range<State> {
        0..self.len()
    }

    /// The initial states, in order.
    pub fn initial(&self) -> &[State] {
        &self.initial
    }

    /// Returns whether a word may end in `state`.
    pub fn is_accepting(&self, state: State) -> bool {
        self.accepting[state]
    }

    /// The labels, sorted; those that no transition uses included.
    pub fn alphabet(&self) -> &[L] {
        &self.alphabet
    }

    /// The transitions that leave `state`, sorted by letter, then target.
    pub fn steps(&self, state: State) -> &[Step] {
        &self.steps[self.first[state] as usize..self.first[state + 1] as usize]
    }

    /// The transitions that leave `state` with `letter`.
    pub fn steps_with(&self, state: State, letter: u32) -> &[Step] {
        let steps = self.steps(state);
        let from = steps.partition_point(|step| step.letter < letter);
        let len = steps[from..].partition_point(|step| step.letter == letter);
        &steps[from..from + len]
    }

    /// The number of the first transition of `state` in the order of [`Fsa::all_edges`].
    pub(crate) fn first_transition(&self, state: State) -> usize {
        self.first[state] as usize
    }

    /// The number of transitions.
    pub fn transitions(&self) -> usize {
        self.steps.len()
    }

    /// The transitions that leave `state`, with labels.
    pub fn edges(&self, state: State) -> impl Iterator<Item = Edge<'_, L>> {
        self.steps(state).iter().map(move |step| Edge {
            from: state,
            label: &self.alphabet[step.letter as usize],
            to: step.to as State,
            modality: step.modality,
            guard: self.annotations.guards.get(&(state, step.letter, step.to as State)).map(String::as_str),
        })
    }

    /// All transitions, by source, label and target.
    pub fn all_edges(&self) -> impl Iterator<Item = Edge<'_, L>> {
        self.states().flat_map(|state| self.edges(state))
    }

    /// The name of `state`, if it has one.
    pub fn name(&self, state: State) -> Option<&str> {
        self.annotations.names.get(&state).map(String::as_str)
    }

    /// Predicates that are known to hold in `state`.
    pub fn predicates(&self, state: State) -> &[String] {
        self.annotations.predicates.get(&state).map_or(&[], Vec::as_slice)
    }

    /// The labels that `state` refuses: they were tried there and failed. A label that is neither refused nor
    /// on a transition is unknown.
    pub fn refusals(&self, state: State) -> &[String] {
        self.annotations.refusals.get(&state).map_or(&[], Vec::as_slice)
    }

    /// Returns whether there is at most one initial state and no state has two transitions with the same
    /// label.
    pub fn is_deterministic(&self) -> bool {
        self.initial.len() <= 1
            && self
                .states()
                .all(|state| self.steps(state).windows(2).all(|pair| pair[0].letter != pair[1].letter))
    }

    /// A builder that holds everything this graph holds, to make a changed copy.
    pub fn to_builder(&self) -> Builder<L>
    where
        L: Ord + Clone,
    {
        self.builder_with(L::clone)
    }

    /// The same graph with other labels. Labels that become equal are one label afterwards.
    pub fn map<M: Ord + Clone>(&self, label: impl FnMut(&L) -> M) -> Fsa<M> {
        self.builder_with(label).build()
    }

    fn builder_with<M: Ord + Clone>(&self, mut label: impl FnMut(&L) -> M) -> Builder<M> {
        let mut builder = Builder::new();
        builder.alphabet = self.alphabet.iter().map(&mut label).collect();
        builder.accepting.clone_from(&self.accepting);
        builder.initial = self.initial.iter().copied().collect();
        builder.names.clone_from(&self.annotations.names);
        builder.predicates.clone_from(&self.annotations.predicates);
        builder.refusals.clone_from(&self.annotations.refusals);
        for edge in self.all_edges() {
            let label = label(edge.label);
            if let Some(guard) = edge.guard {
                builder.guards.insert((edge.from, label.clone(), edge.to), guard.to_owned());
            }
            builder.edges.push((edge.from, label, edge.to, edge.modality));
        }
        builder
    }

    /// The index of `label` in the alphabet.
    pub fn letter<Q>(&self, label: &Q) -> Option<u32>
    where
        L: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.alphabet.binary_search_by(|known| known.borrow().cmp(label)).ok().map(|at| at as u32)
    }

    /// The index of each of `labels` in the alphabet, `None` for those that it lacks: a table by which words
    /// over another alphabet are read.
    pub fn letters<'q, Q>(&self, labels: impl IntoIterator<Item = &'q Q>) -> Vec<Option<u32>>
    where
        L: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        labels.into_iter().map(|label| self.letter(label)).collect()
    }

    /// The same graph with every state accepting: the language of all prefixes of runs, finality ignored.
    pub fn prefix_closed(&self) -> Self
    where
        L: Clone,
    {
        Self { accepting: vec![true; self.len()], ..self.clone() }
    }

    /// The states in which reading `word` can end, sorted; none when it gets stuck.
    pub fn after(&self, word: &[L]) -> Vec<State>
    where
        L: Ord,
    {
        let mut reader = Reader::new(self);
        if reader.reads(self.spell(word)) { reader.states().to_vec() } else { Vec::new() }
    }

    /// Returns whether `word` is in the language.
    pub fn accepts(&self, word: &[L]) -> bool
    where
        L: Ord,
    {
        let mut reader = Reader::new(self);
        reader.reads(self.spell(word)) && reader.is_accepting()
    }

    /// Returns whether `word` can be read without getting stuck, final state or not.
    pub fn reads(&self, word: &[L]) -> bool
    where
        L: Ord,
    {
        Reader::new(self).reads(self.spell(word))
    }

    fn spell(&self, word: &[L]) -> impl Iterator<Item = Option<u32>>
    where
        L: Ord,
    {
        word.iter().map(|label| self.letter(label))
    }
}

/// Collects the parts of an [`Fsa`] in any order.
#[derive(Clone, Debug)]
pub struct Builder<L> {
    alphabet: BTreeSet<L>,
    initial: BTreeSet<State>,
    accepting: Vec<bool>,
    edges: Vec<(State, L, State, Modality)>,
    names: BTreeMap<State, String>,
    predicates: BTreeMap<State, Vec<String>>,
    refusals: BTreeMap<State, Vec<String>>,
    guards: BTreeMap<(State, L, State), String>,
}

impl<L> Default for Builder<L> {
    fn default() -> Self {
        Self {
            alphabet: BTreeSet::new(),
            initial: BTreeSet::new(),
            accepting: Vec::new(),
            edges: Vec::new(),
            names: BTreeMap::new(),
            predicates: BTreeMap::new(),
            refusals: BTreeMap::new(),
            guards: BTreeMap::new(),
        }
    }
}

impl<L: Ord + Clone> Builder<L> {
    /// A graph without states.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a state and gives its number: 0 for the first, and so on.
    pub fn state(&mut self, accepting: bool) -> State {
        self.accepting.push(accepting);
        self.accepting.len() - 1
    }

    /// The number of states so far.
    pub fn len(&self) -> usize {
        self.accepting.len()
    }

    /// Returns whether there is no state yet.
    pub fn is_empty(&self) -> bool {
        self.accepting.is_empty()
    }

    /// Makes `state` initial.
    pub fn initial(&mut self, state: State) {
        self.initial.insert(state);
    }

    /// Says whether a word may end in `state`.
    pub fn accepting(&mut self, state: State, accepting: bool) {
        self.accepting[state] = accepting;
    }

    /// Adds a label that no transition need use.
    pub fn label(&mut self, label: L) {
        self.alphabet.insert(label);
    }

    /// Adds a transition that must occur. Equal ones are kept once; of a required and a maybe one, the
    /// required.
    pub fn edge(&mut self, from: State, label: L, to: State) {
        self.modal_edge(from, label, to, Modality::Required);
    }

    /// Adds a transition that must or may occur.
    pub fn modal_edge(&mut self, from: State, label: L, to: State, modality: Modality) {
        debug_assert!(from < self.len() && to < self.len(), "edges join states that were added before");
        self.edges.push((from, label, to, modality));
    }

    /// Puts a guard on a transition; without that transition it is ignored.
    pub fn guard(&mut self, from: State, label: L, to: State, guard: String) {
        self.guards.insert((from, label, to), guard);
    }

    /// Names a state.
    pub fn name(&mut self, state: State, name: String) {
        self.names.insert(state, name);
    }

    /// Adds the place for what was not explored. Transitions to it have modality *maybe*.
    pub fn not_explored(&mut self) -> State {
        let place = self.state(true);
        self.name(place, crate::NOT_EXPLORED.to_owned());
        place
    }

    /// Records what is known to hold in a state.
    pub fn predicates(&mut self, state: State, predicates: Vec<String>) {
        if !predicates.is_empty() {
            self.predicates.insert(state, predicates);
        }
    }

    /// Records what cannot be called in a state, with what it throws, in place of what was recorded.
    pub fn refusals(&mut self, state: State, refusals: Vec<String>) {
        if refusals.is_empty() {
            self.refusals.remove(&state);
        } else {
            self.refusals.insert(state, refusals);
        }
    }

    /// The finished graph.
    pub fn build(mut self) -> Fsa<L> {
        for (_, label, _, _) in &self.edges {
            if !self.alphabet.contains(label) {
                self.alphabet.insert(label.clone());
            }
        }
        let alphabet: Vec<L> = self.alphabet.into_iter().collect();
        let letter = |label: &L| alphabet.binary_search(label).expect("every label was added above") as u32;
        let edges: Vec<(u32, Step)> = self
            .edges
            .iter()
            .map(|(from, label, to, modality)| {
                (*from as u32, Step { letter: letter(label), to: *to as u32, modality: *modality })
            })
            .collect();
        let mut fsa = Fsa::assemble(alphabet, self.initial.into_iter().collect(), self.accepting, edges);
        let guards = self.guards.into_iter().filter_map(|((from, label, to), guard)| {
            let letter = fsa.letter(&label)?;
            fsa.steps_with(from, letter)
                .iter()
                .any(|step| step.to as State == to)
                .then_some(((from, letter, to), guard))
        });
        fsa.annotations = Annotations {
            guards: guards.collect(),
            names: self.names,
            predicates: self.predicates,
            refusals: self.refusals,
        };
        fsa
    }
}
