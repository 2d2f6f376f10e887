//! DICE-Miner once more, as plainly as it can be written: nothing is cached, every set is collected by
//! walking the whole graph, every merge is checked on the finished quotient. The real one must give the same
//! model.
//!
//! If a trace can be accepted only by breaking a property, the two judge later merges differently (the real
//! one refuses to break it a second time), so the twin has nothing to say about such traces.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Builder, Fsa, State};
use adit_logic::{Property, Template};

type Letters = BTreeSet<u8>;

struct Node {
    parent: Option<State>,
    entered_by: Option<u8>,
    loops: Letters,
    ends: bool,
}

struct Naive<'a> {
    properties: &'a [Property<u8>],
    pure: &'a Letters,
    nodes: Vec<Node>,
}

/// The model, unless the traces force the acceptor to break a property.
pub(super) fn naive(words: &[Vec<u8>], properties: &[Property<u8>], pure: &Letters) -> Option<Fsa<u8>> {
    let root = Node { parent: None, entered_by: None, loops: Letters::new(), ends: false };
    let mut naive = Naive { properties, pure, nodes: vec![root] };
    for word in words {
        naive.add(word);
    }
    naive.merge(words)
}

impl Naive<'_> {
    /// Returns whether NF (`ever`) or NIF forbids `b` after `a`; between pure events only when both orders
    /// are ruled out.
    fn never(&self, ever: bool, a: u8, b: u8) -> bool {
        let template = |ever| if ever { Template::NeverFollowed } else { Template::NeverImmediatelyFollowed };
        let stated = |ever, a, b| self.properties.contains(&Property { template: template(ever), a, b });
        let commute = self.pure.contains(&a) && self.pure.contains(&b);
        stated(ever, a, b) && !(commute && (a == b || !stated(false, b, a)))
    }

    fn children(&self, state: State) -> Vec<State> {
        (0..self.nodes.len()).filter(|&node| self.nodes[node].parent == Some(state)).collect()
    }

    fn path(&self, state: State) -> Vec<State> {
        std::iter::successors(Some(state), |&state| self.nodes[state].parent).collect()
    }

    fn own(&self, state: State) -> Letters {
        self.nodes[state].loops.iter().copied().chain(self.nodes[state].entered_by).collect()
    }

    fn prefix(&self, state: State) -> Letters {
        self.path(state).into_iter().flat_map(|state| self.own(state)).collect()
    }

    fn outgoing(&self, state: State) -> Letters {
        let children = self.children(state);
        self.nodes[state]
            .loops
            .iter()
            .copied()
            .chain(children.iter().filter_map(|&child| self.nodes[child].entered_by))
            .collect()
    }

    fn below(&self, state: State) -> Letters {
        let deeper = self.children(state).into_iter().flat_map(|child| self.below(child));
        self.outgoing(state).into_iter().chain(deeper).collect()
    }

    fn allows(&self, state: State, event: u8) -> bool {
        let follows = self.own(state).iter().any(|&before| self.never(false, before, event))
            || self.prefix(state).iter().any(|&before| self.never(true, before, event));
        let precedes = self.pure.contains(&event)
            && (self.outgoing(state).iter().any(|&after| self.never(false, event, after))
                || self.below(state).iter().any(|&after| self.never(true, event, after)));
        !follows && !precedes
    }

    fn extend(&mut self, state: State, event: u8) -> State {
        if self.pure.contains(&event) {
            self.nodes[state].loops.insert(event);
            return state;
        }
        self.nodes.push(Node {
            parent: Some(state),
            entered_by: Some(event),
            loops: Letters::new(),
            ends: false,
        });
        self.nodes.len() - 1
    }

    fn step(&self, current: &BTreeSet<State>, event: u8) -> BTreeSet<State> {
        if self.pure.contains(&event) {
            return current
                .iter()
                .copied()
                .filter(|&state| self.nodes[state].loops.contains(&event))
                .collect();
        }
        let children = current.iter().flat_map(|&state| self.children(state));
        children.filter(|&child| self.nodes[child].entered_by == Some(event)).collect()
    }

    fn add(&mut self, word: &[u8]) {
        let mut current = BTreeSet::from([0]);
        for at in 0..word.len() {
            let next = self.step(&current, word[at]);
            current = if !next.is_empty() {
                next
            } else if let Some(&state) = current.iter().find(|&&state| self.allows(state, word[at])) {
                BTreeSet::from([self.extend(state, word[at])])
            } else {
                BTreeSet::from([self.branch(&current, &word[..=at])])
            };
        }
        current.into_iter().for_each(|state| self.nodes[state].ends = true);
    }

    /// Tries every ancestor for real: lays the chain, looks whether each event was allowed, and takes it
    /// back.
    fn branch(&mut self, current: &BTreeSet<State>, word: &[u8]) -> State {
        let moves: Vec<usize> = (0..word.len() - 1).filter(|&at| !self.pure.contains(&word[at])).collect();
        let mut ancestors = current.clone();
        for &left_at in moves.iter().rev() {
            ancestors = ancestors.iter().filter_map(|&state| self.nodes[state].parent).collect();
            for &ancestor in &ancestors {
                let before = self.nodes.len();
                let (mut state, mut fits) = (ancestor, true);
                for &event in &word[left_at..] {
                    // A fresh chain may repeat its own loops; anything else must be allowed where it stands.
                    fits &= state >= before && self.nodes[state].loops.contains(&event)
                        || self.allows(state, event);
                    state = self.extend(state, event);
                }
                if fits {
                    return state;
                }
                self.nodes.truncate(before);
            }
        }
        let first = moves.first().copied().unwrap_or(word.len() - 1);
        word[first..].iter().fold(0, |state, &event| self.extend(state, event))
    }

    fn breadth_first(&self) -> Vec<State> {
        let mut order: Vec<State> = (0..self.nodes.len()).collect();
        // Among equally deep states, those of an earlier parent come first, then older ones: as a queue gives
        // them.
        order.sort_by_key(|&state| {
            let mut path = self.path(state);
            path.reverse();
            (path.len(), path)
        });
        order
    }

    fn merge(&self, words: &[Vec<u8>]) -> Option<Fsa<u8>> {
        let alphabet: Letters = words.iter().flatten().copied().collect();
        let enabled = |state: State| -> Letters {
            let disabled = |event: u8| {
                self.prefix(state).iter().any(|&before| self.never(true, before, event))
                    || self.own(state).iter().any(|&before| self.never(false, before, event))
                    || self.pure.contains(&event)
                        && self.outgoing(state).iter().any(|&after| self.never(false, event, after))
            };
            alphabet.iter().copied().filter(|&event| !disabled(event)).collect()
        };
        let mut builder = Builder::new();
        alphabet.iter().for_each(|&letter| builder.label(letter));
        for node in &self.nodes {
            builder.state(node.ends);
        }
        builder.initial(0);
        for (state, node) in self.nodes.iter().enumerate() {
            node.loops.iter().for_each(|&event| builder.edge(state, event, state));
            if let (Some(parent), Some(event)) = (node.parent, node.entered_by) {
                builder.edge(parent, event, state);
            }
        }
        let fsa = builder.build();
        if self.breaks_a_property(&fsa) {
            return None;
        }
        let mut class: Vec<usize> = (0..fsa.len()).collect();
        let mut blocks: Vec<State> = Vec::new();
        for state in self.breadth_first() {
            let taken = blocks.iter().copied().find(|&block| {
                enabled(block) == enabled(state) && {
                    let mut merged = class.clone();
                    merged[state] = block;
                    !self.breaks_a_property(&fsa.quotient(&merged))
                }
            });
            match taken {
                Some(block) => class[state] = block,
                None => blocks.push(state),
            }
        }
        Some(fsa.quotient(&class))
    }

    /// Returns whether some path of `fsa` shows a forbidden pair: next to each other, or far apart.
    fn breaks_a_property(&self, fsa: &Fsa<u8>) -> bool {
        let mut reach: BTreeMap<State, BTreeSet<State>> =
            fsa.states().map(|state| (state, BTreeSet::from([state]))).collect();
        for _ in fsa.states() {
            for edge in fsa.all_edges() {
                let more = reach[&edge.to].clone();
                reach.get_mut(&edge.from).unwrap().extend(more);
            }
        }
        fsa.all_edges().any(|one| {
            fsa.all_edges().any(|other| {
                other.from == one.to && self.never(false, *one.label, *other.label)
                    || reach[&one.to].contains(&other.from) && self.never(true, *one.label, *other.label)
            })
        })
    }
}
