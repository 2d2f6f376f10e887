//! The subset construction, bounded, because its result can be exponentially larger than its input.
//!
//! Cost: `O(subsets · size of a subset · letters)`, at most `limit` subsets.

use rustc_hash::FxHashMap;

use crate::graph::{Fsa, Modality, State, Step};

/// The result would have more states than the caller allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the deterministic automaton has more than {0} states")]
pub struct TooLarge(pub usize);

impl<L: Ord + Clone> Fsa<L> {
    /// A deterministic automaton with the same language and alphabet, numbered breadth first, unless it has
    /// more than `limit` states.
    ///
    /// A transition is required when one of those it stands for is. Names, predicates, refusals and guards
    /// are not carried over: they belong to states and transitions that no longer exist.
    pub fn determinize(&self, limit: usize) -> Result<Self, TooLarge> {
        let mut subsets = Subsets::new(self);
        let start = subsets.start();
        let mut first = vec![0u32];
        let mut steps = Vec::new();
        let mut at = 0;
        while at < subsets.len() {
            if subsets.len() > limit {
                return Err(TooLarge(limit));
            }
            for (letter, to, modality) in subsets.successors(at) {
                steps.push(Step { letter, to: to as u32, modality });
            }
            first.push(steps.len() as u32);
            at += 1;
        }
        let accepting = (0..subsets.len()).map(|subset| subsets.is_accepting(subset)).collect();
        Ok(Fsa::from_parts(self.alphabet().to_vec(), vec![start], accepting, first, steps))
    }
}

/// The reachable sets of states of an automaton, numbered as they are discovered.
pub(crate) struct Subsets<'a, L> {
    fsa: &'a Fsa<L>,
    sets: Vec<Box<[u32]>>,
    index: FxHashMap<Box<[u32]>, usize>,
}

impl<'a, L> Subsets<'a, L> {
    pub(crate) fn new(fsa: &'a Fsa<L>) -> Self {
        Self { fsa, sets: Vec::new(), index: FxHashMap::default() }
    }

    /// The set of initial states.
    pub(crate) fn start(&mut self) -> usize {
        let set = self.fsa.initial().iter().map(|&state| state as u32).collect();
        self.intern(set)
    }

    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    pub(crate) fn is_accepting(&self, subset: usize) -> bool {
        self.sets[subset].iter().any(|&state| self.fsa.is_accepting(state as State))
    }

    /// The letters that some state of `subset` can read, in order, and the set each leads to.
    pub(crate) fn successors(&mut self, subset: usize) -> Vec<(u32, usize, Modality)> {
        let mut steps: Vec<Step> =
            self.sets[subset].iter().flat_map(|&state| self.fsa.steps(state as State)).copied().collect();
        steps.sort_unstable();
        steps
            .chunk_by(|one, other| one.letter == other.letter)
            .map(|group| {
                let mut to: Vec<u32> = group.iter().map(|step| step.to).collect();
                to.dedup();
                let modality = group.iter().map(|step| step.modality).min().unwrap_or(Modality::Maybe);
                (group[0].letter, self.intern(to.into()), modality)
            })
            .collect()
    }

    /// The number of a set, which is added if it is new. Its states are in order.
    pub(crate) fn intern(&mut self, set: Box<[u32]>) -> usize {
        if let Some(&subset) = self.index.get(&set) {
            return subset;
        }
        self.sets.push(set.clone());
        self.index.insert(set, self.sets.len() - 1);
        self.sets.len() - 1
    }
}
