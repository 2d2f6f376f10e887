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
use std::rc::Rc;

use adit_trace::Letter;
use rustc_hash::FxHashMap;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(usize);

/// A word followed through a graph.
pub(super) struct Way {
    /// Nodes after each event, as far as there are any.
    pub(super) levels: Vec<Level>,
    /// It was probed where the events of the word lead from these nodes: where there is no further level, the
    /// word cannot go on.
    pub(super) is_certain: bool,
}

/// Nodes in order, each once.
pub(super) type Level = Rc<[NodeId]>;

/// Number of nodes that are followed at a time.
const WIDTH: usize = 64;

impl Graph {
    /// Successors that were not probed, each state once.
    pub(super) fn open(&self) -> impl Iterator<Item = SuccessorId> {
        self.open_creations.iter().chain(self.open.iter().flatten()).copied()
    }

    /// Successors by an event out of these nodes that were not probed; without nodes, the creation of
    /// objects.
    pub(super) fn open_from(&self, level: Option<&Level>) -> impl Iterator<Item = SuccessorId> {
        let creations = if level.is_none() { &self.open_creations[..] } else { &[] };
        let behind = level.into_iter().flat_map(|level| level.iter().flat_map(|node| &self.open[node.0]));
        creations.iter().chain(behind).copied()
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
        let levels = Follower::new(self).follow(word).levels;
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

/// Follows words through a graph. Words of one model often pass the same nodes, so each step is taken once.
pub(super) struct Follower<'g> {
    graph: &'g Graph,
    levels: Vec<Level>,
    numbers: FxHashMap<Level, usize>,
    steps: FxHashMap<(Option<usize>, Letter), Step>,
}

/// A step from one level to the next.
#[derive(Clone, Copy)]
struct Step {
    /// Number of the next level, if there is any.
    to: Option<usize>,
    is_certain: bool,
}

impl<'g> Follower<'g> {
    pub(super) fn new(graph: &'g Graph) -> Self {
        Self { graph, levels: Vec::new(), numbers: FxHashMap::default(), steps: FxHashMap::default() }
    }

    /// Follows a word as far as is known.
    pub(super) fn follow(&mut self, word: &[Letter]) -> Way {
        let mut way = Way { levels: Vec::new(), is_certain: true };
        let mut at = None;
        for &letter in word {
            let Step { to, is_certain } = match self.steps.get(&(at, letter)) {
                Some(&known) => known,
                None => {
                    let step = self.step(at, letter);
                    self.steps.insert((at, letter), step);
                    step
                }
            };
            way.is_certain &= is_certain;
            let Some(to) = to else { break };
            way.levels.push(self.levels[to].clone());
            at = Some(to);
        }
        way
    }

    /// A step out of the level of this number; without one, the creation of an object.
    fn step(&mut self, from: Option<usize>, letter: Letter) -> Step {
        let Graph { edges, creations, open_events, open_creating, untried, .. } = self.graph;
        let (mut next, mut is_certain): (Vec<NodeId>, bool) = match from {
            None => {
                let to = creations.get(&letter).into_iter().flat_map(BTreeMap::keys).copied();
                (to.collect(), !open_creating.contains(&letter))
            }
            Some(from) => {
                let from = &self.levels[from];
                let to = from.iter().filter_map(|node| edges[node.0].get(&letter));
                let is_known = |node: &NodeId| !open_events[node.0].contains(&letter);
                (to.flat_map(BTreeMap::keys).copied().collect(), from.iter().all(is_known))
            }
        };
        next.sort_unstable();
        next.dedup();
        if next.is_empty() {
            return Step { to: None, is_certain };
        }
        is_certain &= next.len() <= WIDTH;
        next.truncate(WIDTH);
        is_certain &= !next.iter().any(|node| untried.contains(node));
        let next: Level = next.into();
        let number = *self.numbers.entry(next.clone()).or_insert(self.levels.len());
        if number == self.levels.len() {
            self.levels.push(next);
        }
        Step { to: Some(number), is_certain }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::testing::{NEW, explored};

    const PUSH: Letter = 0;
    const POP: Letter = 1;

    /// Stacks of no, one and two elements; nobody knows what a third one is.
    fn stacks() -> Graph {
        let sizes: [&[(Letter, Option<usize>)]; 3] =
            [&[(PUSH, Some(1))], &[(PUSH, Some(2)), (POP, Some(0))], &[(PUSH, None), (POP, Some(1))]];
        explored(&sizes).graph()
    }

    #[test]
    fn words_are_followed_as_far_as_is_known() {
        let graph = stacks();
        let mut follower = Follower::new(&graph);
        let mut followed = |word: &[Letter]| {
            let way = follower.follow(word);
            (way.levels.len(), way.is_certain)
        };
        // Each twice: the second time, every step is remembered.
        for _ in 0..2 {
            assert_eq!(followed(&[NEW, PUSH, POP]), (3, true));
            assert_eq!(followed(&[NEW, PUSH, POP, POP]), (3, true), "an empty stack has no `pop`");
            assert_eq!(followed(&[NEW, PUSH, PUSH, PUSH, POP]), (3, false), "it was never probed");
            assert_eq!(followed(&[PUSH]), (0, true));
        }
    }

    #[test]
    fn what_was_not_probed_is_open_from_its_node() {
        let graph = stacks();
        let way = Follower::new(&graph).follow(&[NEW, PUSH, PUSH]);
        assert_eq!(graph.open_from(way.levels.last()).count(), 1);
        assert_eq!(graph.open_from(way.levels.first()).count(), 0);
        assert_eq!(graph.open_from(None).count(), 0);
    }
}
