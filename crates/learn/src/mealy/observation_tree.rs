//! Everything that was observed, as one tree: a node for each word of inputs that was run, with its output.

use std::collections::VecDeque;
use std::hash::Hasher as _;

use super::{InputWord, OutputSymbol};
use crate::lts::Symbol;

/// A node of the tree. The root is 0, which is nobody's child and stands for “none” in tables of children.
pub(crate) type Node = u32;

/// The root: the empty word.
pub(crate) const ROOT: Node = 0;

/// A tree of observations.
pub(crate) struct ObservationTree {
    inputs: usize,
    nodes: Vec<Observed>,
    /// Children by input of the nodes that have several, the inputs of one node side by side; 0 for none.
    tables: Vec<Node>,
}

/// One node of the tree. Most nodes have one child, so a table of children for each would be what learning
/// spends most of its memory and time on.
#[derive(Clone, Copy, Default)]
struct Observed {
    /// Output of the last input of the node's word; that of the root means nothing.
    output: OutputSymbol,
    /// The last input of the node's word, and the node of the word without it.
    input: u32,
    parent: Node,
    /// Youngest child, and next older sibling; 0 for none.
    youngest: Node,
    sibling: Node,
    /// Place of the first of its children in the tables, if it has several.
    table: u32,
}

impl ObservationTree {
    /// The tree without observations.
    pub(crate) fn new(inputs: usize) -> Self {
        Self { inputs, nodes: vec![Observed::default()], tables: Vec::new() }
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The child of `node` by `input`, if it was observed.
    pub(crate) fn child(&self, node: Node, input: Symbol) -> Option<Node> {
        let child = self.child_or_none(node, input as u32);
        (child != 0).then_some(child)
    }

    /// The child of `node` by `input`, 0 for none.
    fn child_or_none(&self, node: Node, input: u32) -> Node {
        let Observed { youngest, table, .. } = self.nodes[node as usize];
        if youngest == 0 {
            return 0;
        }
        let child = self.nodes[youngest as usize];
        if child.input == input {
            youngest
        } else if child.sibling == 0 {
            0
        } else {
            self.tables[table as usize + input as usize]
        }
    }

    /// The output of the last input of the node's word.
    pub(crate) fn output(&self, node: Node) -> OutputSymbol {
        self.nodes[node as usize].output
    }

    /// The parent of `node`, and the input that leads from it.
    pub(crate) fn origin(&self, node: Node) -> (Node, Symbol) {
        let Observed { parent, input, .. } = self.nodes[node as usize];
        (parent, input as Symbol)
    }

    /// The word of `node`.
    pub(crate) fn access(&self, mut node: Node) -> InputWord {
        let mut word = Vec::new();
        while node != ROOT {
            let (parent, input) = self.origin(node);
            word.push(input);
            node = parent;
        }
        word.reverse();
        word
    }

    /// The node of `word` after `node`, if all of it was observed.
    pub(crate) fn walk(&self, node: Node, word: &[Symbol]) -> Option<Node> {
        word.iter().try_fold(node, |node, &input| self.child(node, input))
    }

    /// The outputs of `word`, if all of it was observed.
    pub(crate) fn answer(&self, word: &[Symbol]) -> Option<Vec<OutputSymbol>> {
        Some(self.outputs_after(ROOT, word)).filter(|outputs| outputs.len() == word.len())
    }

    /// The outputs of `word` after `node`, as far as it was observed.
    pub(crate) fn outputs_after(&self, mut node: Node, word: &[Symbol]) -> Vec<OutputSymbol> {
        word.iter()
            .map_while(|&input| {
                node = self.child(node, input)?;
                Some(self.output(node))
            })
            .collect()
    }

    /// A number for the outputs of `word` after `node`, if all of it was observed: equal for equal outputs,
    /// and nearly always different for others.
    pub(crate) fn digest_after(&self, mut node: Node, word: &[Symbol]) -> Option<u64> {
        let mut hasher = rustc_hash::FxHasher::default();
        for &input in word {
            node = self.child(node, input)?;
            hasher.write_u32(self.output(node));
        }
        Some(hasher.finish())
    }

    /// Adds an observation. Fails with the number of inputs after which it contradicts an earlier one;
    /// nothing is added from there on.
    pub(crate) fn insert(&mut self, word: &[Symbol], outputs: &[OutputSymbol]) -> Result<Node, usize> {
        let mut node = ROOT;
        for (at, (&input, &output)) in word.iter().zip(outputs).enumerate() {
            let child = self.child_or_none(node, input as u32);
            if child == 0 {
                node = self.add(node, input as u32, output);
            } else if self.output(child) == output {
                node = child;
            } else {
                return Err(at + 1);
            }
        }
        Ok(node)
    }

    /// Adds a child that the node does not have.
    fn add(&mut self, parent: Node, input: u32, output: OutputSymbol) -> Node {
        let fresh = self.nodes.len() as Node;
        let sibling = self.nodes[parent as usize].youngest;
        if sibling != 0 {
            if self.nodes[sibling as usize].sibling == 0 {
                // The first child that is not the only one.
                self.nodes[parent as usize].table = self.tables.len() as u32;
                self.tables.resize(self.tables.len() + self.inputs, 0);
                self.set(parent, self.nodes[sibling as usize].input, sibling);
            }
            self.set(parent, input, fresh);
        }
        self.nodes[parent as usize].youngest = fresh;
        self.nodes.push(Observed { output, input, parent, youngest: 0, sibling, table: 0 });
        fresh
    }

    /// Enters a child into the table of a node that has one.
    fn set(&mut self, parent: Node, input: u32, child: Node) {
        let table = self.nodes[parent as usize].table;
        self.tables[table as usize + input as usize] = child;
    }

    /// True if some word was observed after both nodes with different outputs: they are different states.
    ///
    /// Takes time in proportion to what was observed after `one`.
    pub(crate) fn apart(&self, one: Node, other: Node) -> bool {
        if one == other {
            return false;
        }
        let mut child = self.nodes[one as usize].youngest;
        while child != 0 {
            let Observed { output, input, sibling, .. } = self.nodes[child as usize];
            let twin = self.child_or_none(other, input);
            if twin != 0 && (output != self.output(twin) || self.apart(child, twin)) {
                return true;
            }
            child = sibling;
        }
        false
    }

    /// The shortest word that was observed after both nodes with different outputs.
    pub(crate) fn witness(&self, one: Node, other: Node) -> Option<InputWord> {
        let above = self.access(one).len();
        let mut queue = VecDeque::from([(one, other)]);
        while let Some((one, other)) = queue.pop_front() {
            for input in 0..self.inputs {
                if let (Some(a), Some(b)) = (self.child(one, input), self.child(other, input)) {
                    if self.output(a) != self.output(b) {
                        return Some(self.access(a).split_off(above));
                    }
                    queue.push_back((a, b));
                }
            }
        }
        None
    }
}
