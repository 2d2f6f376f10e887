//! X-PSYCO: an interface with guards, learned by L* from concrete calls, with symbolic execution as needed.
//!
//! Paper: `xpsyco`, Algorithm 1 here, Algorithm 2 in `concolic_teacher.rs`, Algorithms 3 to 5 in
//! `refinement.rs`.
//! Deviation: a constructor is a symbol, so methods are first partitioned after the first constructor that
//! succeeds, where the paper uses the initial values of fields. Mixed parameters make the outcome of the
//! method unknown where they decide, and learning starts again; the paper only warns.
//! Cost: dominated by equivalence queries, exponential in their depth unless state matching bounds it.

use std::collections::BTreeSet;

use crate::certificate::Certificate;
use crate::component::Role;
use crate::lstar::learn;
use crate::lts::{Lts, WordOutcome};
use crate::oracle::Cached;
use crate::symbolic::{Analysis, ConcreteCall, Guarded};

/// Choices of an X-PSYCO run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Explore one order only of consecutive calls whose order does not matter.
    pub partial_order: bool,
    /// Explore equal states once.
    pub matching: Matching,
    /// Execute calls concretely, or all of them symbolically.
    pub execution: Execution,
    /// Explore sequences of at most this many calls, not counting the constructor.
    pub depth: Option<usize>,
    /// Give up when the alphabet has more symbols than this: it may grow without end.
    pub symbols: usize,
    /// Give up when an exploration holds more sequences than this.
    pub nodes: usize,
    /// Prove the interface for every depth when the exploration has found no counterexample.
    pub certify: bool,
}

/// State matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// Every sequence is explored.
    Off,
    /// States are matched by the concrete values of fields, if no parameter went into them.
    Concrete,
    /// States are matched by the normal form of their symbolic values.
    Symbolic,
}

/// The way in which equivalence queries run sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// Concrete calls from a pool, and the solver only for paths that the pool does not reach.
    Hybrid,
    /// A question to the solver for each sequence of paths, as PSYCO does.
    Symbolic,
}

/// The reason why learning ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Every state was explored.
    Exhausted,
    /// The interface is proved for every depth.
    Proved,
    /// The depth that was asked for is reached.
    Depth,
    /// The budget has ended.
    Budget,
    /// The alphabet became too large.
    Symbols,
    /// The exploration became too large.
    Nodes,
    /// A question that decides got no answer from the solver.
    Doubt,
}

/// An interface and how far it can be trusted.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The alphabet.
    pub symbols: Vec<Guarded>,
    /// The automaton over the indices of `symbols`.
    pub lts: Lts,
    /// The depth at which the last change happened, not counting the constructor.
    pub k_min: usize,
    /// The depth up to which the interface is full, not counting the constructor.
    pub k_max: usize,
    /// True if the interface is full at every depth.
    pub complete: bool,
    /// The reason why learning ended.
    pub stop: Stop,
    /// The proof for every depth, or what is left of it.
    pub certificate: Option<Certificate>,
    /// Methods whose outcome depends on how parameters of different calls relate, in words.
    pub mixed: BTreeSet<String>,
    /// Restarts of the learner with a refined alphabet.
    pub refinements: usize,
}

/// Learns the interface of the component under analysis. `keep_going` is asked now and then, and ends the
/// search by false.
pub fn x_psyco(
    analysis: &mut Analysis<'_>,
    options: Options,
    keep_going: &mut dyn FnMut() -> bool,
) -> Interface {
    let mut session = Session {
        analysis,
        options,
        keep_going,
        symbols: Vec::new(),
        pool: Vec::new(),
        k_min: 0,
        k_max: 0,
        verdict: Verdict::Open,
        certificate: None,
        mixed: BTreeSet::new(),
        refinements: 0,
    };
    session.begin();
    loop {
        let learned = learn(session.symbols.len(), &mut Cached::new(&mut session));
        match session.verdict {
            Verdict::Refined => session.refinements += 1,
            Verdict::Mixed => session.begin(),
            Verdict::Open => return session.end(learned.lts, Stop::Doubt),
            Verdict::Stopped(stop) => return session.end(learned.lts, stop),
        }
        session.verdict = Verdict::Open;
    }
}

/// Result of a session of the learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing yet.
    Open,
    /// The alphabet was refined: the learner starts again.
    Refined,
    /// Mixed parameters were found: everything starts again.
    Mixed,
    /// The last conjecture is the answer.
    Stopped(Stop),
}

/// The teacher with its pools.
pub(crate) struct Session<'s, 'a> {
    pub(crate) analysis: &'s mut Analysis<'a>,
    pub(crate) options: Options,
    pub(crate) keep_going: &'s mut dyn FnMut() -> bool,
    /// The alphabet with the membership pool: one representative for each symbol.
    pub(crate) symbols: Vec<Guarded>,
    /// The equivalence pool: arguments for each method.
    pub(crate) pool: Vec<BTreeSet<Vec<i64>>>,
    pub(crate) k_min: usize,
    pub(crate) k_max: usize,
    pub(crate) verdict: Verdict,
    pub(crate) certificate: Option<Certificate>,
    pub(crate) mixed: BTreeSet<String>,
    pub(crate) refinements: usize,
}

impl Session<'_, '_> {
    /// Algorithm 1, lines 1 to 6: the first alphabet, and the first pools.
    fn begin(&mut self) {
        self.symbols.clear();
        self.k_min = 0;
        self.k_max = 0;
        let methods = self.analysis.component.methods.len();
        self.pool = vec![BTreeSet::new(); methods];
        let always = self.analysis.component.arena.bool(true);
        let mut prefix: Vec<ConcreteCall> = Vec::new();
        let role = |session: &Self, method: usize| session.analysis.component.methods[method].role;
        let constructors = (0..methods).filter(|&method| role(self, method) == Role::Constructor);
        let others = (0..methods).filter(|&method| role(self, method) != Role::Constructor);
        for method in constructors.chain(others).collect::<Vec<_>>() {
            let before = if role(self, method) == Role::Constructor { &[][..] } else { &prefix[..] };
            let before = before.to_vec();
            self.partition(&before, method, always, &[]);
            if prefix.is_empty() {
                let calls = self.symbols.iter().map(|symbol| ConcreteCall {
                    method: symbol.method,
                    arguments: symbol.representative.clone(),
                });
                let works = calls.collect::<Vec<_>>().into_iter().find(|call| {
                    role(self, call.method) == Role::Constructor
                        && self.analysis.execute(std::slice::from_ref(call)).0 == WordOutcome::Ok
                });
                prefix.extend(works);
            }
        }
        // Symbols are in the order of methods, whatever was partitioned first.
        self.symbols.sort_by_key(|symbol| symbol.method);
        self.fill_pool(&prefix);
    }

    /// Adds arguments for every path that is possible after `prefix`, and after nothing.
    fn fill_pool(&mut self, prefix: &[ConcreteCall]) {
        for before in [&[][..], prefix] {
            let Some(store) = self.store_after(before) else { continue };
            for method in 0..self.analysis.component.methods.len() {
                for path in 0..self.analysis.component.methods[method].paths.len() {
                    let arguments = self.analysis.parameters(method);
                    let (condition, _) = self.analysis.follow(&store, method, path, &arguments);
                    if let Some(arguments) = self.analysis.arguments(method, condition) {
                        self.pool[method].insert(arguments);
                    }
                }
            }
        }
    }

    /// Depth of a sequence of `calls` calls, not counting a constructor.
    pub(crate) fn depth_of(&self, calls: usize) -> usize {
        let constructed =
            self.analysis.component.methods.iter().any(|method| method.role == Role::Constructor);
        calls.saturating_sub(usize::from(constructed))
    }

    fn end(self, lts: Lts, stop: Stop) -> Interface {
        let arena = &self.analysis.component.arena;
        let proved = self.certificate.as_ref().is_some_and(|certificate| {
            certificate.is_discharged() && arena.as_bool(certificate.assumption) == Some(true)
        });
        let complete = match stop {
            Stop::Proved => proved,
            Stop::Exhausted => self.analysis.doubts.is_empty(),
            _ => false,
        };
        Interface {
            symbols: self.symbols,
            lts,
            k_min: self.k_min.max(1),
            // A proof covers the depth at which it found its last counterexample.
            k_max: if complete { self.k_max.max(self.k_min) } else { self.k_max },
            complete,
            stop,
            certificate: self.certificate,
            mixed: self.mixed,
            refinements: self.refinements,
        }
    }
}
