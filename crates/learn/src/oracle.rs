//! Wrappers around teachers: a cache of answers, and counters of questions.
//!
//! A learner does not know whether its questions are cached or counted.

use std::collections::HashMap;

use crate::lstar::{Answer, Teacher};
use crate::lts::{Lts, Symbol, WordOutcome};

/// A teacher that is asked about a word at most once, and never about a word that continues an error or an
/// unknown word, because the answer is known.
pub struct Cached<T> {
    inner: T,
    nodes: Vec<Node>,
    /// The children of nodes: from a node and a symbol to the next node.
    children: HashMap<(u32, u32), u32, rustc_hash::FxBuildHasher>,
}

/// A word that was asked for, or a prefix of one.
#[derive(Clone, Copy)]
struct Node {
    outcome: Option<WordOutcome>,
}

impl<T> Cached<T> {
    /// A cache in front of `inner`.
    pub fn new(inner: T) -> Self {
        Self { inner, nodes: vec![Node { outcome: None }], children: HashMap::default() }
    }

    /// The teacher behind the cache.
    pub fn inner(&self) -> &T {
        &self.inner
    }

    /// The teacher behind the cache, which may be changed if its answers stay the same.
    pub fn inner_mut(&mut self) -> &mut T {
        &mut self.inner
    }

    /// The teacher behind the cache, for good.
    pub fn into_inner(self) -> T {
        self.inner
    }

    fn child(&mut self, node: u32, symbol: Symbol) -> u32 {
        let fresh = self.nodes.len() as u32;
        let child = *self.children.entry((node, symbol as u32)).or_insert(fresh);
        if child == fresh {
            self.nodes.push(Node { outcome: None });
        }
        child
    }
}

impl<T: Teacher> Teacher for Cached<T> {
    fn member(&mut self, word: &[Symbol]) -> WordOutcome {
        let mut node = 0;
        for &symbol in word {
            // A prefix that is no success decides every word that continues it.
            if let Some(outcome) =
                self.nodes[node as usize].outcome.filter(|&outcome| outcome != WordOutcome::Ok)
            {
                return outcome;
            }
            node = self.child(node, symbol);
        }
        if let Some(outcome) = self.nodes[node as usize].outcome {
            return outcome;
        }
        let outcome = self.inner.member(word);
        self.nodes[node as usize].outcome = Some(outcome);
        outcome
    }

    fn equivalent(&mut self, hypothesis: &Lts) -> Answer {
        self.inner.equivalent(hypothesis)
    }
}

/// Number of questions that a learner asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    /// Membership queries.
    pub memberships: usize,
    /// Symbols in membership queries.
    pub symbols: usize,
    /// Equivalence queries.
    pub equivalences: usize,
}

/// A teacher whose questions are counted.
pub struct Counted<T> {
    inner: T,
    questions: Questions,
}

impl<T> Counted<T> {
    /// Counters in front of `inner`, at zero.
    pub fn new(inner: T) -> Self {
        Self { inner, questions: Questions::default() }
    }

    /// Questions so far.
    pub fn questions(&self) -> Questions {
        self.questions
    }

    /// The teacher behind the counters, for good.
    pub fn into_inner(self) -> T {
        self.inner
    }
}

impl<T: Teacher> Teacher for Counted<T> {
    fn member(&mut self, word: &[Symbol]) -> WordOutcome {
        self.questions.memberships += 1;
        self.questions.symbols += word.len();
        self.inner.member(word)
    }

    fn equivalent(&mut self, hypothesis: &Lts) -> Answer {
        self.questions.equivalences += 1;
        self.inner.equivalent(hypothesis)
    }
}
