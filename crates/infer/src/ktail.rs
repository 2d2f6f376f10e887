//! k-tail: two prefixes lead to the same state when their futures agree for `k` calls.
//!
//! Paper: `biermann72`, k-equivalence of states; restated in `krka`, section 3.1 and Figure 2.
//! Deviation: a tail here is any continuation that was seen, and whether a trace ended on the way; krka
//! compares only "the next k invocations", which would merge a state where traces end with one where they go
//! on.
//! Cost: `O(k · edges)` hash operations, by partition refinement instead of comparing tails.
//!
//! Small `k` generalizes more: `k = 0` accepts every sequence over the seen calls, and `k` beyond the longest
//! trace accepts the traces and nothing else.
//!
//! Parts of a log are merged as prefix trees (`ktail/partial.rs`, with the argument that this is exact).

use adit_automata::Fsa;
use rustc_hash::FxHashMap;

mod partial;

pub use partial::{DamagedTree, merge_tree, tree_to_bytes};

/// The number of calls ahead on which two states must agree before k-tail merges them.
///
/// There is no default: no value suits every class, so the caller says which and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Horizon(pub usize);

/// Infers an automaton from `words`. Every word is accepted by the result.
///
/// The result may be nondeterministic: merged states keep all their edges.
pub fn ktail<L: Ord + Clone, W: AsRef<[L]>>(words: &[W], k: Horizon) -> Fsa<L> {
    let tree = Fsa::prefix_tree(words.iter().map(W::as_ref));
    tree.quotient(&tails(&tree, k))
}

/// For each state of `tree`, the number of its class of `k`-equivalence.
///
/// Round `i` splits the classes of round `i - 1` by what the next call leads to; a tree is deterministic, so
/// equal classes after `k` rounds means equal sets of `k`-tails. A round that splits nothing ends the
/// refinement early.
fn tails<L>(tree: &Fsa<L>, Horizon(k): Horizon) -> Vec<usize> {
    let mut class = vec![0; tree.len()];
    let mut classes = 1;
    for _ in 0..k {
        let mut seen: FxHashMap<(bool, Vec<(u32, usize)>), usize> = FxHashMap::default();
        class = tree
            .states()
            .map(|state| {
                let future =
                    tree.steps(state).iter().map(|step| (step.letter, class[step.to as usize])).collect();
                let fresh = seen.len();
                *seen.entry((tree.is_accepting(state), future)).or_insert(fresh)
            })
            .collect();
        if seen.len() == classes {
            break;
        }
        classes = seen.len();
    }
    class
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::first_rejected;

    /// Compares sets of tails literally: every observed continuation cut at `k`, and whether it ended there.
    fn naive_classes(words: &[Vec<u8>], k: usize) -> Vec<BTreeSet<Vec<u8>>> {
        let mut prefixes: BTreeSet<(usize, Vec<u8>)> = BTreeSet::from([(0, Vec::new())]);
        prefixes
            .extend(words.iter().flat_map(|word| (0..=word.len()).map(|len| (len, word[..len].to_vec()))));
        let tails = |prefix: &[u8]| -> BTreeSet<Vec<u8>> {
            let after = words.iter().filter_map(|word| word.strip_prefix(prefix));
            // 9 stands for the end of a trace, which is seen only when fewer than `k` calls come before it.
            let ended = after.map(|rest| rest.iter().copied().chain([9]).take(k).collect());
            ended.collect()
        };
        prefixes.into_iter().map(|(_, prefix)| tails(&prefix)).collect()
    }

    fn traces() -> impl Strategy<Value = Vec<Vec<u8>>> {
        prop::collection::vec(prop::collection::vec(0u8..3, 0..7), 1..8)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn refinement_finds_the_classes_of_equal_tails(words in traces(), k in 0usize..5) {
            let tree = Fsa::prefix_tree(words.iter().map(Vec::as_slice));
            let class = tails(&tree, Horizon(k));
            // Both list the prefixes by length, then in order, so states can be compared by place.
            let naive = naive_classes(&words, k);
            prop_assert_eq!(class.len(), naive.len());
            for one in tree.states() {
                for other in tree.states() {
                    prop_assert_eq!(class[one] == class[other], naive[one] == naive[other], "{} {}", one, other);
                }
            }
        }

        #[test]
        fn every_trace_is_accepted(words in traces(), k in 0usize..5) {
            prop_assert_eq!(first_rejected(&ktail(&words, Horizon(k)), &words), None);
        }

        /// With a horizon past every trace, nothing unseen is allowed.
        #[test]
        fn far_horizon_adds_nothing(words in traces(), word in prop::collection::vec(0u8..3, 0..8)) {
            prop_assert_eq!(ktail(&words, Horizon(9)).accepts(&word), words.contains(&word));
        }

        #[test]
        fn the_order_of_traces_does_not_matter(words in traces(), k in 0usize..4) {
            let mut reversed = words.clone();
            reversed.reverse();
            prop_assert_eq!(ktail(&words, Horizon(k)), ktail(&reversed, Horizon(k)));
        }
    }
}
