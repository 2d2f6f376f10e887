//! Control dependence: the edges of the control-flow graph that decide whether a block is reached.
//!
//! A block depends on an edge if it post-dominates the edge's target but not its source (Ferrante, Ottenstein
//! and Warren, 1987). A block post-dominates another if every path from there to the end of the method passes
//! through it. Exceptions are ignored: a handler is treated as another beginning of the method.
//!
//! Cost: a fixpoint over post-dominators, in practice two passes over the blocks; then a walk up the tree for
//! each edge.

use crate::flow::Block;

/// The edges that decide whether a block is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependence {
    /// True if it is reached whenever the method is entered, or through an exception.
    pub always: bool,
    /// The edges that lead to it: a block, and the block that follows.
    pub edges: Vec<(usize, usize)>,
}

/// Computes the control dependence of each block of a method.
pub fn dependences(blocks: &[Block]) -> Vec<Dependence> {
    let graph = Graph::of(blocks);
    let above = graph.immediate_post_dominators();
    let mut found = vec![Dependence::default(); blocks.len()];
    for from in 0..graph.next.len() {
        for &to in &graph.next[from] {
            // The walk ends at the latest where all paths from `from` meet again.
            let (mut at, end) = (to, above[from]);
            while Some(at) != end && at != graph.end {
                if from == graph.start {
                    found[at].always = true;
                } else {
                    found[at].edges.push((from, to));
                }
                match above[at] {
                    Some(next) => at = next,
                    None => break,
                }
            }
        }
    }
    found
}

/// Blocks with one end, which every block can reach, and a start before them, which may also lead straight to
/// the end.
struct Graph {
    next: Vec<Vec<usize>>,
    end: usize,
    start: usize,
}

impl Graph {
    fn of(blocks: &[Block]) -> Graph {
        let (end, start) = (blocks.len(), blocks.len() + 1);
        let mut next: Vec<Vec<usize>> = blocks
            .iter()
            .map(|block| if block.next.is_empty() { vec![end] } else { block.next.clone() })
            .collect();
        let mut first: Vec<usize> = if blocks.is_empty() { Vec::new() } else { vec![0] };
        first.extend(blocks.iter().flat_map(|block| block.handlers.iter().copied()));
        first.sort_unstable();
        first.dedup();
        first.push(end);
        next.extend([Vec::new(), first]);
        let mut graph = Graph { next, end, start };
        // An endless loop is treated as if it ended at its last block.
        while let Some(endless) = graph.reaching(end).iter().rposition(|&reaches| !reaches) {
            graph.next[endless].push(end);
        }
        graph
    }

    fn before(&self) -> Vec<Vec<usize>> {
        let mut before = vec![Vec::new(); self.next.len()];
        for (from, next) in self.next.iter().enumerate() {
            next.iter().for_each(|&to| before[to].push(from));
        }
        before
    }

    /// For each node, true if it has a path to this one.
    fn reaching(&self, to: usize) -> Vec<bool> {
        let before = self.before();
        let mut reaches = vec![false; self.next.len()];
        let mut open = vec![to];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut reaches[node], true) {
                open.extend(&before[node]);
            }
        }
        reaches
    }

    /// The nearest node that lies on every path from each node to the end; the end itself has none.
    fn immediate_post_dominators(&self) -> Vec<Option<usize>> {
        let order = self.backward_order();
        let mut place = vec![usize::MAX; self.next.len()];
        order.iter().enumerate().for_each(|(at, &node)| place[node] = at);
        // While it is computed, the end is above itself.
        let mut above: Vec<Option<usize>> = vec![None; self.next.len()];
        above[self.end] = Some(self.end);
        let mut changed = true;
        while changed {
            changed = false;
            for &node in order.iter().filter(|&&node| node != self.end) {
                let known = self.next[node].iter().copied().filter(|&next| above[next].is_some());
                let new = known.reduce(|mut one, mut other| {
                    while one != other {
                        let behind = if place[one] > place[other] { &mut one } else { &mut other };
                        *behind = above[*behind].expect("whatever is compared has something above it");
                    }
                    one
                });
                if above[node] != new {
                    (above[node], changed) = (new, true);
                }
            }
        }
        above[self.end] = None;
        above
    }

    /// All nodes, from the end backward, each before those that can be reached only through it.
    fn backward_order(&self) -> Vec<usize> {
        let before = self.before();
        let (mut seen, mut order) = (vec![false; self.next.len()], Vec::new());
        // A node, and how many of those before it were gone into.
        let mut open = vec![(self.end, 0)];
        seen[self.end] = true;
        while let Some((node, done)) = open.last_mut() {
            match before[*node].get(*done) {
                Some(&next) => {
                    *done += 1;
                    if !std::mem::replace(&mut seen[next], true) {
                        open.push((next, 0));
                    }
                }
                None => {
                    order.push(*node);
                    open.pop();
                }
            }
        }
        order.reverse();
        order
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn blocks(next: &[Vec<usize>], handlers: &[usize]) -> Vec<Block> {
        let one = |(start, next): (usize, &Vec<usize>)| Block {
            start: start as u32,
            instructions: start..start + 1,
            next: next.clone(),
            handlers: if start == 0 { handlers.to_vec() } else { Vec::new() },
        };
        next.iter().enumerate().map(one).collect()
    }

    fn check(next: &[&[usize]], handlers: &[usize], expected: Expect) {
        let next: Vec<Vec<usize>> = next.iter().map(|next| next.to_vec()).collect();
        let told: String = dependences(&blocks(&next, handlers))
            .iter()
            .enumerate()
            .map(|(block, Dependence { always, edges })| {
                format!("{block}: {}{edges:?}\n", if *always { "always " } else { "" })
            })
            .collect();
        expected.assert_eq(&told);
    }

    #[test]
    fn the_sides_of_a_branch_depend_on_it_and_what_follows_does_not() {
        check(
            &[&[1, 2], &[3], &[3], &[]],
            &[],
            expect![[r#"
                0: always []
                1: [(0, 1)]
                2: [(0, 2)]
                3: always []
            "#]],
        );
    }

    #[test]
    fn a_loop_depends_on_itself_and_on_what_leads_into_it() {
        check(
            &[&[1, 4], &[2, 3], &[1], &[4], &[]],
            &[],
            expect![[r#"
                0: always []
                1: [(0, 1), (1, 2)]
                2: [(1, 2)]
                3: [(0, 1)]
                4: always []
            "#]],
        );
    }

    #[test]
    fn handlers_and_endless_loops() {
        check(
            &[&[1], &[1], &[3, 4], &[], &[]],
            &[2],
            expect![[r#"
                0: always []
                1: always [(1, 1)]
                2: always []
                3: [(2, 3)]
                4: [(2, 4)]
            "#]],
        );
    }

    /// Post-dominance as its definition has it: without the other node, the end cannot be reached.
    fn post_dominates(graph: &Graph, other: usize, node: usize) -> bool {
        let (mut seen, mut open) = (vec![false; graph.next.len()], vec![node]);
        while let Some(at) = open.pop() {
            if at == other || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if at == graph.end {
                return false;
            }
            open.extend(&graph.next[at]);
        }
        true
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn dependences_agree_with_their_definition(
            next in prop::collection::vec(prop::collection::btree_set(0_usize..9, 0..4), 1..9),
            handlers in prop::collection::btree_set(0_usize..9, 0..3),
        ) {
            let most = next.len();
            let inside = |set: &std::collections::BTreeSet<usize>| -> Vec<usize> {
                set.iter().copied().filter(|&to| to < most).collect()
            };
            let blocks = blocks(&next.iter().map(inside).collect::<Vec<_>>(), &inside(&handlers));
            let graph = Graph::of(&blocks);
            for (block, found) in dependences(&blocks).iter().enumerate() {
                let mut expected = Dependence::default();
                for from in 0..graph.next.len() {
                    for &to in &graph.next[from] {
                        let strictly = block != from && post_dominates(&graph, block, from);
                        if post_dominates(&graph, block, to) && !strictly {
                            if from == graph.start {
                                expected.always = true;
                            } else {
                                expected.edges.push((from, to));
                            }
                        }
                    }
                }
                let mut found = found.clone();
                found.edges.sort_unstable();
                expected.edges.sort_unstable();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
