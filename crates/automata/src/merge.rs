//! The merge core: quotients by classes of states, and greedy merging under a veto.
//!
//! Miners differ in which states they hold equal and in which merges they forbid; what a merge does to a
//! graph is the same for all of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Annotations, Fsa, State, Step};

impl<L: Ord + Clone> Fsa<L> {
    /// The graph in which all states of a class are one. `class[state]` is any number; classes are numbered
    /// anew in the order of their first states.
    ///
    /// A class is initial or accepting when one of its states is, and a transition is required when one of
    /// those it stands for is. It keeps a name when all its named states agree on it, the predicates and
    /// refusals that all its states share, and a guard when all its transitions carry the same one.
    pub fn quotient(&self, class: &[usize]) -> Self {
        assert_eq!(class.len(), self.len(), "every state has a class");
        let mut number: BTreeMap<usize, State> = BTreeMap::new();
        let class: Vec<State> = class
            .iter()
            .map(|class| {
                let fresh = number.len();
                *number.entry(*class).or_insert(fresh)
            })
            .collect();
        let mut accepting = vec![false; number.len()];
        for state in self.states().filter(|&state| self.is_accepting(state)) {
            accepting[class[state]] = true;
        }
        let initial: BTreeSet<State> = self.initial().iter().map(|&state| class[state]).collect();
        let edges = self.states().flat_map(|state| {
            let class = &class;
            self.steps(state)
                .iter()
                .map(move |step| (class[state] as u32, Step { to: class[step.to as usize] as u32, ..*step }))
        });
        Fsa::assemble(self.alphabet().to_vec(), initial.into_iter().collect(), accepting, edges.collect())
            .annotated(merge_annotations(self, &class))
    }
}

/// Merges states greedily: each state of `order` joins the first earlier block of its own `class` that `join`
/// accepts, else it opens a new block. Gives each state the number of its block.
///
/// `join(memory, block, state)` says whether `state` may become part of `block` and, if so, records in
/// `memory` that it did: a veto usually depends on all that was merged before, and only the caller knows what
/// of it matters. `open(memory, state)` is told of each new block; blocks are numbered in that order.
pub fn merge_while<C: Ord, M>(
    order: &[State],
    class: impl Fn(State) -> C,
    memory: &mut M,
    mut join: impl FnMut(&mut M, usize, State) -> bool,
    mut open: impl FnMut(&mut M, State),
) -> Vec<usize> {
    let mut blocks_of: BTreeMap<C, Vec<usize>> = BTreeMap::new();
    let mut block_of = vec![usize::MAX; order.iter().max().map_or(0, |&state| state + 1)];
    let mut blocks = 0;
    for &state in order {
        let candidates = blocks_of.entry(class(state)).or_default();
        let found = candidates.iter().copied().find(|&block| join(memory, block, state));
        block_of[state] = found.unwrap_or_else(|| {
            open(memory, state);
            candidates.push(blocks);
            blocks += 1;
            blocks - 1
        });
    }
    block_of
}

/// The annotations that all states of a class share.
fn shared(said: &BTreeMap<State, Vec<String>>, class: &[State]) -> BTreeMap<State, Vec<String>> {
    let mut shared: BTreeMap<State, Vec<String>> = BTreeMap::new();
    if !said.is_empty() {
        for (state, &class) in class.iter().enumerate() {
            let said = said.get(&state).map_or(&[][..], Vec::as_slice);
            shared
                .entry(class)
                .and_modify(|shared| shared.retain(|one| said.contains(one)))
                .or_insert_with(|| said.to_vec());
        }
        shared.retain(|_, shared| !shared.is_empty());
    }
    shared
}

/// The annotations of a quotient: those that still hold for a class as a whole.
fn merge_annotations<L>(fsa: &Fsa<L>, class: &[State]) -> Annotations {
    let Annotations { names, predicates, refusals, guards } = fsa.annotations();
    let mut merged = Annotations::default();
    if !names.is_empty() {
        let mut of_class: BTreeMap<State, BTreeSet<&String>> = BTreeMap::new();
        for (&state, name) in names {
            of_class.entry(class[state]).or_default().insert(name);
        }
        merged.names = agreed(of_class);
    }
    merged.predicates = shared(predicates, class);
    merged.refusals = shared(refusals, class);
    if !guards.is_empty() {
        let mut of_class: BTreeMap<(State, u32, State), BTreeSet<Option<&String>>> = BTreeMap::new();
        for state in fsa.states() {
            for step in fsa.steps(state) {
                let guard = guards.get(&(state, step.letter, step.to as State));
                of_class
                    .entry((class[state], step.letter, class[step.to as usize]))
                    .or_default()
                    .insert(guard);
            }
        }
        of_class.retain(|_, guards| !guards.contains(&None));
        merged.guards = agreed(
            of_class.into_iter().map(|(key, guards)| (key, guards.into_iter().flatten().collect())).collect(),
        );
    }
    merged
}

/// The entries on whose value everyone agrees.
fn agreed<K: Ord>(said: BTreeMap<K, BTreeSet<&String>>) -> BTreeMap<K, String> {
    said.into_iter()
        .filter_map(|(key, said)| {
            let mut said = said.into_iter();
            match (said.next(), said.next()) {
                (Some(only), None) => Some((key, only.clone())),
                _ => None,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Builder;
    use crate::testing::{fsas, words_up_to};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn a_quotient_accepts_all_that_the_whole_did(fsa in fsas(6), class in prop::collection::vec(0..3usize, 6)) {
            let quotient = fsa.quotient(&class[..fsa.len()]);
            for word in words_up_to(4) {
                prop_assert!(!fsa.accepts(&word) || quotient.accepts(&word), "{:?}", word);
            }
        }
    }

    #[test]
    fn a_veto_opens_a_new_block() {
        let mut sizes = Vec::new();
        let blocks = merge_while(
            &[0, 1, 2, 3],
            |_| (),
            &mut sizes,
            |sizes, block, _| {
                let fits = sizes[block] < 2;
                sizes[block] += usize::from(fits);
                fits
            },
            |sizes, _| sizes.push(1),
        );
        assert_eq!(blocks, [0, 0, 1, 1]);
    }

    #[test]
    fn annotations_survive_when_all_agree() {
        let mut builder = Builder::new();
        for _ in 0..3 {
            builder.state(true);
        }
        builder.initial(0);
        builder.edge(0, 'a', 1);
        builder.edge(0, 'a', 2);
        builder.guard(0, 'a', 1, "x > 0".into());
        builder.guard(0, 'a', 2, "x > 0".into());
        builder.name(1, "open".into());
        builder.predicates(1, vec!["p".into(), "q".into()]);
        builder.predicates(2, vec!["q".into()]);
        builder.refusals(1, vec!["a!X".into()]);
        builder.refusals(2, vec!["a!X".into(), "b!Y".into()]);
        let quotient = builder.build().quotient(&[0, 1, 1]);
        assert_eq!(quotient.name(1), Some("open"));
        assert_eq!(quotient.predicates(1), ["q"]);
        assert_eq!(quotient.refusals(1), ["a!X"]);
        assert_eq!(quotient.edges(0).next().and_then(|edge| edge.guard), Some("x > 0"));
    }
}
