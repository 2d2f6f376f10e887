//! Situations as nodes of a graph: those that cannot be told apart by what is seen of them are one node, and
//! an event leads from node to node.
//!
//! Where everything behind every node was probed, the graph says exactly what the class can do with the moves
//! of the pool. Its nodes that no sequence of calls tells apart are then one state, and no test is needed to
//! find out whether a walk can happen.
//!
//! Paper: none; telling nodes apart is the partition refinement by which automata are minimized.
//! Cost: a round of refinement looks at every edge, and there are at most as many rounds as nodes; in
//! practice a few.

use std::collections::{BTreeMap, BTreeSet};

use adit_trace::Letter;

use super::exploration::{Exploration, SituationId, SuccessorId};

/// Situations as nodes.
pub(super) struct Graph {
    /// The node of each situation.
    nodes: Vec<NodeId>,
    /// The first situation of each node.
    situations: Vec<SituationId>,
    /// Nodes that objects are created in, by the event that does, each with the successor that shows it.
    creations: Edges,
    /// Edges out of each node.
    edges: Vec<Edges>,
    /// Successors out of each node that were not probed, one for each state that they lead to.
    open: Vec<Vec<SuccessorId>>,
    /// The same of the creation of objects.
    open_creations: Vec<SuccessorId>,
    /// Events of the open successors of each node.
    open_events: Vec<BTreeSet<Letter>>,
    open_creating: BTreeSet<Letter>,
    /// Nodes in which calls were not made that are possible elsewhere.
    untried: BTreeSet<NodeId>,
}

/// Nodes that each event leads to, with the successor that shows it.
type Edges = BTreeMap<Letter, BTreeMap<NodeId, SuccessorId>>;

/// Number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(usize);

/// A word followed through a graph.
pub(super) struct Way {
    /// Nodes after each event, as far as there are any.
    pub(super) levels: Vec<BTreeSet<NodeId>>,
    /// It was probed where the events of the word lead from these nodes: where there is no further level, the
    /// word cannot go on.
    pub(super) is_certain: bool,
}

/// Number of nodes that are followed at a time.
const WIDTH: usize = 64;

impl Graph {
    /// Follows a word as far as is known.
    pub(super) fn follow(&self, word: &[Letter]) -> Way {
        let mut way = Way { levels: Vec::new(), is_certain: true };
        for (at, letter) in word.iter().enumerate() {
            let is_known = |NodeId(node): &NodeId| !self.open_events[*node].contains(letter);
            way.is_certain &= match at.checked_sub(1) {
                None => !self.open_creating.contains(letter),
                Some(before) => way.levels[before].iter().all(is_known),
            };
            let mut next: BTreeSet<NodeId> = match at.checked_sub(1) {
                None => self.creations.get(letter).into_iter().flat_map(BTreeMap::keys).copied().collect(),
                Some(before) => {
                    let edges = way.levels[before].iter().filter_map(|node| self.edges[node.0].get(letter));
                    edges.flat_map(BTreeMap::keys).copied().collect()
                }
            };
            while next.len() > WIDTH {
                next.pop_last();
                way.is_certain = false;
            }
            if next.is_empty() {
                break;
            }
            way.is_certain &= next.is_disjoint(&self.untried);
            way.levels.push(next);
        }
        way
    }

    /// Successors that were not probed, each state once.
    pub(super) fn open(&self) -> impl Iterator<Item = SuccessorId> {
        self.open_creations.iter().chain(self.open.iter().flatten()).copied()
    }

    /// Tells whether everything behind every node was probed, and every call was made in it.
    pub(super) fn is_complete(&self) -> bool {
        self.untried.is_empty() && self.open().next().is_none()
    }

    /// The first situation of a node.
    pub(super) fn situation(&self, NodeId(node): NodeId) -> SituationId {
        self.situations[node]
    }

    /// Successors that lead along a word to its end, if all of it is known.
    pub(super) fn way(&self, word: &[Letter]) -> Option<Vec<SuccessorId>> {
        let levels = self.follow(word).levels;
        if word.is_empty() || levels.len() < word.len() {
            return None;
        }
        let mut way = Vec::new();
        let mut to = *levels.last()?.first()?;
        for at in (0..word.len()).rev() {
            let letter = &word[at];
            if at == 0 {
                way.push(*self.creations.get(letter)?.get(&to)?);
                break;
            }
            let leads = |from: &NodeId| Some((*from, *self.edges[from.0].get(letter)?.get(&to)?));
            let (from, successor) = levels[at - 1].iter().find_map(leads)?;
            way.push(successor);
            to = from;
        }
        way.reverse();
        Some(way)
    }

    /// For each situation the number of its block, where nodes are in one block if no sequence of calls tells
    /// them apart. `labels` are what can be seen of the situations without a call.
    pub(super) fn blocks(&self, labels: &[usize]) -> Vec<usize> {
        let mut block = vec![0; self.edges.len()];
        for (node, &label) in self.nodes.iter().zip(labels) {
            block[node.0] = label;
        }
        let mut count = block.iter().collect::<BTreeSet<_>>().len();
        loop {
            let mut numbers = BTreeMap::new();
            let mut next = Vec::with_capacity(block.len());
            for (node, edges) in self.edges.iter().enumerate() {
                let leads: BTreeSet<(Letter, usize)> = edges
                    .iter()
                    .flat_map(|(&letter, to)| to.keys().map(move |to| (letter, *to)))
                    .map(|(letter, to)| (letter, block[to.0]))
                    .collect();
                let number = numbers.len();
                next.push(*numbers.entry((block[node], leads)).or_insert(number));
            }
            block = next;
            if numbers.len() == count {
                return self.nodes.iter().map(|node| block[node.0]).collect();
            }
            count = numbers.len();
        }
    }

    /// Blocks that a situation leads to through others with its label, without its own.
    pub(super) fn alike_behind(
        &self,
        SituationId(from): SituationId,
        labels: &[usize],
        blocks: &[usize],
    ) -> BTreeSet<usize> {
        let first = self.nodes[from];
        let (mut met, mut open) = (BTreeSet::from([first]), vec![first]);
        while let Some(NodeId(node)) = open.pop() {
            for &to in self.edges[node].values().flat_map(BTreeMap::keys) {
                if labels[self.situation(to).0] == labels[from] && met.insert(to) {
                    open.push(to);
                }
            }
        }
        let behind = met.into_iter().map(|node| blocks[self.situation(node).0]);
        behind.filter(|&block| block != blocks[from]).collect()
    }
}

impl Exploration {
    /// The graph of all situations.
    pub(super) fn graph(&self) -> Graph {
        let mut nodes = Vec::new();
        let mut first: BTreeMap<_, NodeId> = BTreeMap::new();
        let mut situations = Vec::new();
        for (id, situation) in self.probed_situations() {
            let state = self.fields.key(situation.state);
            let twin = first.get(&state).copied().filter(|_| self.is_told_by_fields());
            let node = twin.unwrap_or_else(|| {
                situations.push(id);
                NodeId(situations.len() - 1)
            });
            first.entry(state).or_insert(node);
            nodes.push(node);
        }
        let mut graph = Graph {
            creations: BTreeMap::new(),
            edges: vec![BTreeMap::new(); situations.len()],
            open: vec![Vec::new(); situations.len()],
            open_creations: Vec::new(),
            open_events: vec![BTreeSet::new(); situations.len()],
            open_creating: BTreeSet::new(),
            untried: BTreeSet::new(),
            nodes,
            situations,
        };
        let tried = |&NodeId(node): &NodeId| self.is_tried(graph.situations[node]);
        graph.untried = (0..graph.situations.len()).map(NodeId).filter(|node| !tried(node)).collect();
        let mut met = BTreeSet::new();
        for (id, successor) in self.successors() {
            let from = id.from.map(|SituationId(from)| graph.nodes[from]);
            let edges = match from {
                Some(NodeId(from)) => &mut graph.edges[from],
                None => &mut graph.creations,
            };
            match self.behind(successor) {
                Some(SituationId(to)) => {
                    edges.entry(successor.letter).or_default().entry(graph.nodes[to]).or_insert(id);
                }
                None => {
                    if met.insert((from, successor.letter, self.fields.key(successor.state))) {
                        let (open, events) = match from {
                            Some(NodeId(from)) => (&mut graph.open[from], &mut graph.open_events[from]),
                            None => (&mut graph.open_creations, &mut graph.open_creating),
                        };
                        open.push(id);
                        events.insert(successor.letter);
                    }
                }
            }
        }
        graph
    }
}
