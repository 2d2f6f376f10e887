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
    /// Children by input, the inputs of one node side by side; 0 for none.
    children: Vec<Node>,
    /// Output of the last input of each node's word; that of the root means nothing.
    outputs: Vec<OutputSymbol>,
    /// Parent of each node, and the input that leads from it.
    origins: Vec<(Node, u32)>,
    /// Youngest child of each node, and its next older sibling; 0 for none. Most nodes have one child, and
    /// looking for it in the table of all inputs is what learning would spend most of its time on.
    kin: Vec<(Node, Node)>,
}

impl ObservationTree {
    /// The tree without observations.
    pub(crate) fn new(inputs: usize) -> Self {
        Self { inputs, children: vec![0; inputs], outputs: vec![0], origins: vec![(0, 0)], kin: vec![(0, 0)] }
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.outputs.len()
    }

    /// The child of `node` by `input`, if it was observed.
    pub(crate) fn child(&self, node: Node, input: Symbol) -> Option<Node> {
        let child = self.children[node as usize * self.inputs + input];
        (child != 0).then_some(child)
    }

    /// The output of the last input of the node's word.
    pub(crate) fn output(&self, node: Node) -> OutputSymbol {
        self.outputs[node as usize]
    }

    /// The parent of `node`, and the input that leads from it.
    pub(crate) fn origin(&self, node: Node) -> (Node, Symbol) {
        let (parent, input) = self.origins[node as usize];
        (parent, input as Symbol)
    }

    /// The word of `node`.
    pub(crate) fn access(&self, mut node: Node) -> InputWord {
        let mut word = Vec::new();
        while node != ROOT {
            let (parent, input) = self.origins[node as usize];
            word.push(input as Symbol);
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
            let slot = node as usize * self.inputs + input;
            let child = self.children[slot];
            if child != 0 {
                if self.outputs[child as usize] != output {
                    return Err(at + 1);
                }
                node = child;
                continue;
            }
            let fresh = self.outputs.len() as Node;
            self.children[slot] = fresh;
            self.children.resize(self.children.len() + self.inputs, 0);
            self.outputs.push(output);
            self.origins.push((node, input as u32));
            self.kin.push((0, self.kin[node as usize].0));
            self.kin[node as usize].0 = fresh;
            node = fresh;
        }
        Ok(node)
    }

    /// True if some word was observed after both nodes with different outputs: they are different states.
    ///
    /// Takes time in proportion to what was observed after `one`.
    pub(crate) fn apart(&self, one: Node, other: Node) -> bool {
        if one == other {
            return false;
        }
        let mut child = self.kin[one as usize].0;
        while child != 0 {
            let input = self.origins[child as usize].1;
            let twin = self.children[other as usize * self.inputs + input as usize];
            if twin != 0
                && (self.outputs[child as usize] != self.outputs[twin as usize] || self.apart(child, twin))
            {
                return true;
            }
            child = self.kin[child as usize].1;
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
