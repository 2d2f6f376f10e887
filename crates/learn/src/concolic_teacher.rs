//! The concolic teacher: membership by representatives, equivalence by exploring sequences of paths.
//!
//! Paper: `xpsyco`, Algorithm 2 and section 4.1; partial order reduction of section 4.2.
//! Deviation: a path that the pool does not reach gets its values at once instead of a restart, because what
//! was explored before stays explored. One concrete execution is kept for each sequence of paths. Visited
//! states remember the state of the conjecture and the last symbol, without which state matching and partial
//! order reduction together lose behavior; and two symbols count as independent only if they commute in the
//! conjecture too, without which a wrong conjecture about the order that is skipped would pass.
//! Cost: one concrete call for each sequence, symbol and pool entry; a solver call for each distinct symbolic
//! state, symbol and path.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::compiled::CompiledGuard;
use crate::lstar::{Answer, Teacher};
use crate::lts::{Lts, Symbol, WordOutcome};
use crate::prover::{Proof, prove};
use crate::symbolic::{ConcreteCall, SymbolicCall};
use crate::x_psyco::{Execution, Matching, Session, Stop, Verdict};

/// Explored sequences between two looks at the budget.
const PATIENCE: usize = 256;

impl Teacher for Session<'_, '_> {
    fn member(&mut self, word: &[Symbol]) -> WordOutcome {
        let calls = self.representatives(word);
        self.analysis.execute(&calls).0
    }

    fn equivalent(&mut self, hypothesis: &Lts) -> Answer {
        match Exploration::new(self, hypothesis).run() {
            End::Counterexample(calls) => {
                self.k_min = self.depth_of(calls.len());
                self.analyze_counterexample(hypothesis, &calls)
            }
            End::Exhausted if self.analysis.doubts.is_empty() && !self.options.certify => {
                self.stop(Stop::Exhausted)
            }
            End::Exhausted if self.options.certify => self.certify(hypothesis, Stop::Exhausted),
            End::Stopped(Stop::Depth) if self.options.certify => self.certify(hypothesis, Stop::Depth),
            End::Exhausted => self.stop(Stop::Doubt),
            End::Stopped(stop) => self.stop(stop),
        }
    }
}

impl Session<'_, '_> {
    fn stop(&mut self, stop: Stop) -> Answer {
        self.verdict = Verdict::Stopped(stop);
        Answer::Accepted
    }

    /// The calls of the membership pool for a word.
    pub(crate) fn representatives(&self, word: &[Symbol]) -> Vec<ConcreteCall> {
        let call = |&symbol: &Symbol| {
            let guarded = &self.symbols[symbol];
            ConcreteCall { method: guarded.method, arguments: guarded.representative.clone() }
        };
        word.iter().map(call).collect()
    }

    /// Proves the conjecture for every depth, or finds where it is wrong.
    fn certify(&mut self, hypothesis: &Lts, otherwise: Stop) -> Answer {
        match prove(self.analysis, &self.symbols, hypothesis, self.keep_going) {
            Proof::Counterexample(calls) => {
                self.k_min = self.depth_of(calls.len());
                self.analyze_counterexample(hypothesis, &calls)
            }
            Proof::Certificate(certificate) => {
                let proved = certificate.is_discharged();
                self.certificate = Some(certificate);
                self.stop(if proved { Stop::Proved } else { otherwise })
            }
        }
    }
}

/// The end of an exploration.
enum End {
    /// Concrete calls whose outcome is not the conjecture's.
    Counterexample(Vec<ConcreteCall>),
    /// No sequence is left.
    Exhausted,
    /// A limit was reached.
    Stopped(Stop),
}

/// A sequence of paths, as the last step of a shorter one.
#[derive(Clone, Copy)]
struct Node {
    parent: u32,
    symbol: u32,
    path: u32,
    /// The concrete call, in [`Exploration::invocations`].
    invocation: u32,
    /// The state of the conjecture.
    state: u32,
    /// The symbolic state.
    symbolic: u32,
    /// The concrete values of fields, in [`Exploration::valuations`].
    valuation: u32,
}

/// Breadth-first search over sequences of paths.
struct Exploration<'e, 's, 'a> {
    session: &'e mut Session<'s, 'a>,
    lts: &'e Lts,
    nodes: Vec<Node>,
    /// Concrete arguments within each symbol, as indices of `invocations`.
    within: Vec<Vec<u32>>,
    guards: Vec<CompiledGuard>,
    invocations: Vec<Vec<i64>>,
    numbers: FxHashMap<(usize, Vec<i64>), u32>,
    valuations: Vec<Box<[i64]>>,
    known: FxHashMap<Box<[i64]>, u32>,
    /// Symbols that are skipped after each symbol, by partial order reduction.
    skipped: Vec<Vec<bool>>,
    /// Symbols after which the same ones are skipped have the same class.
    class: Vec<u32>,
    visited: FxHashSet<(u32, u32, u32)>,
    /// Values of fields after the last call, kept to save allocations.
    scratch: Vec<i64>,
    /// For each path the call that takes it and the values after it, kept to save allocations.
    reached: Vec<Option<(u32, u32)>>,
    /// All calls of sequences whose values the solver found.
    witnesses: FxHashMap<u32, Vec<ConcreteCall>>,
}

impl<'e, 's, 'a> Exploration<'e, 's, 'a> {
    fn new(session: &'e mut Session<'s, 'a>, lts: &'e Lts) -> Self {
        let guards: Vec<CompiledGuard> = session
            .symbols
            .iter()
            .map(|symbol| CompiledGuard::new(&session.analysis.component, symbol.method, symbol.guard))
            .collect();
        let skipped = skipped(session, lts);
        let mut seen: FxHashMap<Vec<bool>, u32> = FxHashMap::default();
        let class = skipped
            .iter()
            .map(|row| {
                let fresh = seen.len() as u32;
                *seen.entry(row.clone()).or_insert(fresh)
            })
            .collect();
        let mut exploration = Self {
            within: vec![Vec::new(); session.symbols.len()],
            session,
            lts,
            nodes: Vec::new(),
            guards,
            invocations: Vec::new(),
            numbers: FxHashMap::default(),
            valuations: Vec::new(),
            known: FxHashMap::default(),
            skipped,
            class,
            visited: FxHashSet::default(),
            scratch: Vec::new(),
            reached: Vec::new(),
            witnesses: FxHashMap::default(),
        };
        for method in 0..exploration.session.pool.len() {
            for arguments in exploration.session.pool[method].clone() {
                exploration.invocation(method, arguments);
            }
        }
        exploration
    }

    fn run(mut self) -> End {
        let initial = self.session.analysis.component.initial();
        let valuation = self.valuation(&initial);
        self.nodes.push(Node {
            parent: 0,
            symbol: u32::MAX,
            path: 0,
            invocation: 0,
            state: 0,
            symbolic: 0,
            valuation,
        });
        let (mut from, mut length) = (0, 0);
        loop {
            let depth = self.session.depth_of(length);
            self.session.k_max = depth;
            if from == self.nodes.len() {
                return End::Exhausted;
            }
            if self.session.options.depth.is_some_and(|most| depth >= most) {
                return End::Stopped(Stop::Depth);
            }
            let to = self.nodes.len();
            for node in from..to {
                if (node - from) % PATIENCE == 0 && !(self.session.keep_going)() {
                    return End::Stopped(Stop::Budget);
                }
                if let Some(calls) = self.expand(node) {
                    return End::Counterexample(calls);
                }
                if self.nodes.len() > self.session.options.nodes {
                    return End::Stopped(Stop::Nodes);
                }
            }
            (from, length) = (to, length + 1);
        }
    }

    /// Lines 4 to 21 of Algorithm 2 for one sequence. Returns the calls of a counterexample.
    fn expand(&mut self, at: usize) -> Option<Vec<ConcreteCall>> {
        let node = self.nodes[at];
        for symbol in 0..self.session.symbols.len() {
            if node.symbol != u32::MAX && self.skipped[node.symbol as usize][symbol] {
                continue;
            }
            let guarded = &self.session.symbols[symbol];
            let (method, guard) = (guarded.method, guarded.guard);
            let target = self.lts.step(node.state as usize, symbol);
            let expected = self.lts.outcome(target);
            let paths = self.session.analysis.component.methods[method].paths.len();
            let mut reached = std::mem::take(&mut self.reached);
            reached.clear();
            reached.resize(paths, None);
            if self.session.options.execution == Execution::Hybrid {
                for entry in 0..self.within[symbol].len() {
                    let invocation = self.within[symbol][entry];
                    let mut fields = std::mem::take(&mut self.scratch);
                    fields.clear();
                    fields.extend_from_slice(&self.valuations[node.valuation as usize]);
                    self.session.analysis.work.calls += 1;
                    let arguments = &self.invocations[invocation as usize];
                    let (path, outcome) = self.session.analysis.compiled.take(method, arguments, &mut fields);
                    self.scratch = fields;
                    if outcome != expected {
                        let last = ConcreteCall { method, arguments: arguments.clone() };
                        return Some(self.calls(at).into_iter().chain([last]).collect());
                    }
                    let Some(path) = path else { continue };
                    if reached[path].is_none() {
                        let valuation = if outcome == WordOutcome::Ok { self.scratched() } else { 0 };
                        reached[path] = Some((invocation, valuation));
                    }
                }
            }
            for (path, concrete) in reached.iter().copied().enumerate() {
                let call = SymbolicCall { method, guard, path };
                let outcome = self.session.analysis.component.methods[method].paths[path].end.outcome();
                self.session.analysis.work.sequences += 1;
                // A path with a witness and without a successor needs no question.
                if concrete.is_some() && outcome != WordOutcome::Ok {
                    continue;
                }
                let Some(symbolic) = self.possible(at, call) else { continue };
                let step = Node {
                    parent: at as u32,
                    symbol: symbol as u32,
                    path: path as u32,
                    invocation: 0,
                    state: target as u32,
                    symbolic,
                    valuation: 0,
                };
                let mut witness = None;
                let (invocation, valuation) = match concrete {
                    Some(concrete) => concrete,
                    None => {
                        let calls = self.symbolic_calls(at, call);
                        let Some(calls) = self.session.analysis.concretize(&calls) else { continue };
                        if outcome != expected {
                            return Some(calls);
                        }
                        let admitted = self.admit(&calls);
                        witness = Some(calls);
                        admitted
                    }
                };
                if outcome != WordOutcome::Ok {
                    continue;
                }
                let key = match self.session.options.matching {
                    Matching::Symbolic => Some(symbolic),
                    Matching::Concrete if self.session.analysis.is_unaffected(symbolic as usize) => {
                        Some(valuation)
                    }
                    _ => None,
                };
                if key.is_some_and(|key| !self.visited.insert((key, target as u32, self.class[symbol]))) {
                    continue;
                }
                if let Some(calls) = witness {
                    self.witnesses.insert(self.nodes.len() as u32, calls);
                }
                self.nodes.push(Node { invocation, valuation, ..step });
            }
            self.reached = reached;
        }
        None
    }

    /// The symbolic state after `call`, if the whole sequence is possible.
    fn possible(&mut self, at: usize, call: SymbolicCall) -> Option<u32> {
        let from = self.nodes[at].symbolic as usize;
        if self.session.options.execution == Execution::Hybrid {
            return self.session.analysis.successor(from, call).map(|state| state as u32);
        }
        // PSYCO asks about each sequence as a whole. The state is needed for state matching only.
        let calls = self.symbolic_calls(at, call);
        let sequence = self.session.analysis.sequence(&calls);
        self.session.analysis.model(&sequence.constraints)?;
        match self.session.options.matching {
            Matching::Off => Some(0),
            _ => self.session.analysis.successor(from, call).map(|state| state as u32),
        }
    }

    /// Adds new calls to the pool. Returns the last one with the values of fields after it.
    fn admit(&mut self, calls: &[ConcreteCall]) -> (u32, u32) {
        let mut fields = self.session.analysis.component.initial();
        let mut last = 0;
        for call in calls {
            last = self.invocation(call.method, call.arguments.clone());
            self.session.pool[call.method].insert(call.arguments.clone());
            self.session.analysis.work.calls += 1;
            self.session.analysis.compiled.take(call.method, &call.arguments, &mut fields);
        }
        (last, self.valuation(&fields))
    }

    fn symbolic_calls(&self, mut at: usize, last: SymbolicCall) -> Vec<SymbolicCall> {
        let mut calls = vec![last];
        while at != 0 {
            let node = self.nodes[at];
            let guarded = &self.session.symbols[node.symbol as usize];
            calls.push(SymbolicCall {
                method: guarded.method,
                guard: guarded.guard,
                path: node.path as usize,
            });
            at = node.parent as usize;
        }
        calls.reverse();
        calls
    }

    /// The concrete calls of a sequence.
    fn calls(&self, mut at: usize) -> Vec<ConcreteCall> {
        let mut later: Vec<ConcreteCall> = Vec::new();
        while at != 0 {
            if let Some(calls) = self.witnesses.get(&(at as u32)) {
                return calls.iter().cloned().chain(later.into_iter().rev()).collect();
            }
            let node = self.nodes[at];
            let method = self.session.symbols[node.symbol as usize].method;
            later
                .push(ConcreteCall { method, arguments: self.invocations[node.invocation as usize].clone() });
            at = node.parent as usize;
        }
        later.reverse();
        later
    }

    /// The number of a concrete call, which becomes available to every symbol whose guard admits it.
    fn invocation(&mut self, method: usize, arguments: Vec<i64>) -> u32 {
        if let Some(&number) = self.numbers.get(&(method, arguments.clone())) {
            return number;
        }
        let number = self.invocations.len() as u32;
        self.numbers.insert((method, arguments.clone()), number);
        for symbol in 0..self.guards.len() {
            if self.session.symbols[symbol].method == method && self.guards[symbol].admits(&arguments) {
                self.within[symbol].push(number);
            }
        }
        self.invocations.push(arguments);
        number
    }

    /// The number of the values of fields after the last call.
    fn scratched(&mut self) -> u32 {
        let fields = std::mem::take(&mut self.scratch);
        let number = self.valuation(&fields);
        self.scratch = fields;
        number
    }

    fn valuation(&mut self, fields: &[i64]) -> u32 {
        if let Some(&number) = self.known.get(fields) {
            return number;
        }
        let number = self.valuations.len() as u32;
        self.valuations.push(fields.into());
        self.known.insert(fields.into(), number);
        number
    }
}

/// For each symbol the symbols that are not explored right after it, because the other order is.
fn skipped(session: &Session<'_, '_>, lts: &Lts) -> Vec<Vec<bool>> {
    let symbols = &session.symbols;
    let methods = session.analysis.component.methods.len();
    let independent: Vec<Vec<bool>> = (0..methods)
        .map(|one| (0..methods).map(|other| session.analysis.component.independent(one, other)).collect())
        .collect();
    let commutes = |a: Symbol, b: Symbol| {
        (0..lts.len()).all(|state| lts.step(lts.step(state, a), b) == lts.step(lts.step(state, b), a))
    };
    (0..symbols.len())
        .map(|last| {
            (0..symbols.len())
                .map(|next| {
                    session.options.partial_order
                        && symbols[next].method < symbols[last].method
                        && independent[symbols[last].method][symbols[next].method]
                        && commutes(last, next)
                })
                .collect()
        })
        .collect()
}
