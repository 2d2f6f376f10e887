//! DICE-Miner's first step: an automaton that accepts all traces and, where it can, nothing that a property
//! forbids.
//!
//! It is a tree with self-loops: states are only ever added, so a state's number is its age.

use adit_automata::{Builder, Fsa, State};

use super::Constraints;
use super::rules::{Rows, Rules, overlap};

/// No letter: what the root was entered by.
const NONE: u32 = u32::MAX;

pub(super) struct Acceptor<'a> {
    rules: &'a Rules,
    pure: &'a [bool],
    constraints: Constraints,
    parent: Vec<u32>,
    children: Vec<Vec<(u32, u32)>>,
    ends: Vec<bool>,
    /// The labels of a state's self-loops.
    loops: Rows,
    /// The letters by which a state can have been entered last: its entering label and its loops.
    pub(super) incoming: Rows,
    /// The letters that can come next: the labels to its children, and its loops.
    pub(super) outgoing: Rows,
    /// All labels and loops from the root to the state, its own loops included.
    pub(super) prefix: Rows,
    /// All labels and loops that can come after reaching the state.
    pub(super) below: Rows,
}

impl<'a> Acceptor<'a> {
    /// An acceptor of nothing. `pure[letter]` says which letters have no side effect.
    pub(super) fn new(rules: &'a Rules, pure: &'a [bool], constraints: Constraints) -> Self {
        let rows = || Rows::new(0, pure.len());
        let mut acceptor = Self {
            rules,
            pure,
            constraints,
            parent: Vec::new(),
            children: Vec::new(),
            ends: Vec::new(),
            loops: rows(),
            incoming: rows(),
            outgoing: rows(),
            prefix: rows(),
            below: rows(),
        };
        acceptor.push(NONE, NONE);
        acceptor
    }

    pub(super) fn len(&self) -> usize {
        self.parent.len()
    }

    /// The states breadth first: all of one depth before the next, older ones first.
    pub(super) fn breadth_first(&self) -> Vec<State> {
        let mut order = vec![0];
        let mut at = 0;
        while at < order.len() {
            order.extend(self.children[order[at]].iter().map(|&(_, child)| child as State));
            at += 1;
        }
        order
    }

    pub(super) fn parent(&self, state: State) -> Option<State> {
        (self.parent[state] != NONE).then_some(self.parent[state] as State)
    }

    pub(super) fn children(&self, state: State) -> impl Iterator<Item = State> {
        self.children[state].iter().map(|&(_, child)| child as State)
    }

    /// The acceptor as a graph with the same state numbers.
    pub(super) fn to_fsa(&self) -> Fsa<u32> {
        let mut builder = Builder::new();
        for &ends in &self.ends {
            builder.state(ends);
        }
        builder.initial(0);
        for letter in 0..self.pure.len() {
            builder.label(letter as u32);
        }
        for state in 0..self.len() {
            for &(letter, child) in &self.children[state] {
                builder.edge(state, letter, child as State);
            }
            for letter in super::rules::letters(self.loops.row(state)) {
                builder.edge(state, letter, state);
            }
        }
        builder.build()
    }

    /// Makes the acceptor accept `word`, adding as little as the properties allow [dice, Algorithm 3].
    pub(super) fn add(&mut self, word: &[u32]) {
        // Every state that the word so far can have led to. They all lie equally deep, since each event that
        // is not a loop goes one level down; `moves` holds the places in the word of those events.
        let mut current: Vec<State> = vec![0];
        let mut moves: Vec<usize> = Vec::new();
        for (at, &event) in word.iter().enumerate() {
            let next = self.step(&current, event);
            current = if !next.is_empty() {
                next
            } else if let Some(&state) = current.iter().find(|&&state| self.allows(state, event)) {
                vec![self.extend(state, event)]
            } else {
                vec![self.branch(&current, &word[..=at], &moves)]
            };
            if !self.is_loop(event) {
                moves.push(at);
            }
        }
        // A trace ends in every state that it can have led to: nothing singles one of them out.
        for state in current {
            self.ends[state] = true;
        }
    }

    fn is_loop(&self, event: u32) -> bool {
        self.constraints.pure_as_loops && self.pure[event as usize]
    }

    /// The states to which `event` leads from any of `current`, oldest first.
    fn step(&self, current: &[State], event: u32) -> Vec<State> {
        if self.is_loop(event) {
            return current.iter().copied().filter(|&state| self.loops.contains(state, event)).collect();
        }
        let mut next: Vec<State> = current
            .iter()
            .flat_map(|&state| &self.children[state])
            .filter(|&&(letter, _)| letter == event)
            .map(|&(_, child)| child as State)
            .collect();
        next.sort_unstable();
        next
    }

    /// Returns whether `event` can be added to `state` without allowing what a property forbids [dice,
    /// Algorithm 5].
    ///
    /// The paper checks the new event as a successor only. A self-loop also comes before everything that
    /// leaves its state, so it is checked in that role too.
    fn allows(&self, state: State, event: u32) -> bool {
        if !self.constraints.compatible_states {
            return true;
        }
        let rules = self.rules;
        let follows = overlap(rules.never_last.row(event as usize), self.incoming.row(state))
            || overlap(rules.never_before.row(event as usize), self.prefix.row(state));
        let precedes = self.is_loop(event)
            && (overlap(rules.never_next.row(event as usize), self.outgoing.row(state))
                || overlap(rules.never_after.row(event as usize), self.below.row(state)));
        !follows && !precedes
    }

    /// Adds `event` to `state`, as a loop or with a new state, and gives the state it leads to.
    fn extend(&mut self, state: State, event: u32) -> State {
        if self.is_loop(event) {
            self.add_loop(state, event);
            return state;
        }
        let child = self.push(state as u32, event);
        self.children[state].push((event, child as u32));
        self.outgoing.insert(state, event);
        self.tell_ancestors(Some(state), event);
        child
    }

    /// Accepts the last event of `word` by a fresh chain of states from an ancestor of `current`: the
    /// deepest, then oldest one from which the word's own events break no property [dice, Algorithm 4]. When
    /// there is none, the chain starts at the root all the same: every trace must be accepted.
    ///
    /// The paper's climb stops after one step and loses the loops of the trace; here the whole chain is
    /// tried.
    fn branch(&mut self, current: &[State], word: &[u32], moves: &[usize]) -> State {
        let mut ancestors = current.to_vec();
        for &left_at in moves.iter().rev() {
            ancestors = ancestors.into_iter().map(|state| self.parent[state] as State).collect();
            ancestors.sort_unstable();
            ancestors.dedup();
            let chain = &word[left_at..];
            if let Some(&ancestor) = ancestors.iter().find(|&&ancestor| self.chain_fits(ancestor, chain)) {
                return self.lay(ancestor, chain);
            }
        }
        let first_move = moves.first().copied().unwrap_or(word.len() - 1);
        self.lay(0, &word[first_move..])
    }

    fn lay(&mut self, from: State, chain: &[u32]) -> State {
        let mut state = from;
        for &event in chain {
            // Only the loops of the chain itself are found here: its states are fresh.
            state = if self.is_loop(event) && self.loops.contains(state, event) {
                state
            } else {
                self.extend(state, event)
            };
        }
        state
    }

    /// Returns whether `chain`, laid out as fresh states below `from`, breaks no property. It begins with an
    /// event that is not a loop.
    fn chain_fits(&self, from: State, chain: &[u32]) -> bool {
        let rules = self.rules;
        // Row 0: the letters by which the last state of the chain can have been entered; row 1: its loops;
        // row 2: everything before.
        let mut sets = Rows::new(3, self.pure.len());
        sets.union(0, self.incoming.row(from));
        sets.union(2, self.prefix.row(from));
        chain.iter().all(|&event| {
            let fits = !overlap(rules.never_last.row(event as usize), sets.row(0))
                && !overlap(rules.never_before.row(event as usize), sets.row(2))
                && !(self.is_loop(event)
                    && (overlap(rules.never_next.row(event as usize), sets.row(1))
                        || overlap(rules.never_after.row(event as usize), sets.row(1))));
            if self.is_loop(event) {
                sets.insert(1, event);
            } else {
                sets.clear(0);
                sets.clear(1);
            }
            sets.insert(0, event);
            sets.insert(2, event);
            fits
        })
    }

    fn push(&mut self, parent: u32, entered_by: u32) -> State {
        let state = self.len();
        self.parent.push(parent);
        self.children.push(Vec::new());
        self.ends.push(false);
        for rows in [&mut self.loops, &mut self.incoming, &mut self.outgoing, &mut self.below] {
            rows.push();
        }
        if parent == NONE {
            self.prefix.push();
        } else {
            let prefix = self.prefix.row(parent as usize).to_vec();
            self.prefix.push_row(&prefix);
            self.prefix.insert(state, entered_by);
            self.incoming.insert(state, entered_by);
        }
        state
    }

    fn add_loop(&mut self, state: State, event: u32) {
        self.loops.insert(state, event);
        self.incoming.insert(state, event);
        self.outgoing.insert(state, event);
        self.tell_ancestors(Some(state), event);
        // Everything below comes after the loop now. A state that knows the letter has told its descendants
        // before.
        let mut stack = vec![state];
        while let Some(state) = stack.pop() {
            if self.prefix.insert(state, event) {
                stack.extend(self.children[state].iter().map(|&(_, child)| child as State));
            }
        }
    }

    /// Records that `event` can happen after `state` and all that lie above it, up to one that knows already.
    fn tell_ancestors(&mut self, mut state: Option<State>, event: u32) {
        while let Some(at) = state {
            if !self.below.insert(at, event) {
                break;
            }
            state = self.parent(at);
        }
    }
}
