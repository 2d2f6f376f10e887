//! Symbolic execution of sequences of calls, by composing summaries.
//!
//! Paper: `xpsyco`, section 3.2: symbolic execution of a sequence of method paths.
//! Deviation: symbolic states are brought into a normal form and interned, so that a question about one is
//! put to the solver once, whatever sequence leads there. The normal form has only constraints that share a
//! variable with the store, and numbers variables by first occurrence.
//! Cost: linear in the size of the summaries per step, and a solver call per distinct state, symbol and path.

use std::collections::{BTreeMap, BTreeSet};

use adit_smt::{Answer, Expr, Model, Solver, Sort, Var};
use rustc_hash::FxHashMap;

use crate::compiled::{Compiled, CompiledGuard};
use crate::component::{Component, number, value};
use crate::lts::WordOutcome;

/// A guarded method invocation: a symbol of an interface's alphabet.
#[derive(Clone, Debug)]
pub struct Guarded {
    /// The index of the method.
    pub method: usize,
    /// The condition on its parameters.
    pub guard: Expr,
    /// Arguments that satisfy the guard and stand for all that do.
    pub representative: Vec<i64>,
}

/// A call with concrete arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConcreteCall {
    /// The index of the method.
    pub method: usize,
    /// Its arguments; truth values are 0 and 1.
    pub arguments: Vec<i64>,
}

/// A step of a symbolic sequence: a call within a guard that takes a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolicCall {
    /// The index of the method.
    pub method: usize,
    /// The condition on its parameters.
    pub guard: Expr,
    /// The index of the path in the summary of the method.
    pub path: usize,
}

/// Work that was done, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Calls that were executed concretely.
    pub calls: u64,
    /// Questions about satisfiability.
    pub questions: u64,
    /// Sequences that the exploration tried.
    pub sequences: u64,
}

/// A component under analysis with the solver, and a record of doubts.
pub struct Analysis<'a> {
    /// The component, sliced or not.
    pub component: Component,
    /// Its summaries as programs.
    pub compiled: Compiled,
    /// Work so far.
    pub work: Work,
    /// Questions that got no answer, by reason. If there are any, nothing is complete.
    pub doubts: BTreeSet<String>,
    pub(crate) solver: &'a mut dyn Solver,
    states: Vec<SymbolicState>,
    known: FxHashMap<SymbolicState, usize>,
    steps: FxHashMap<(usize, usize, Expr, usize), Option<usize>>,
}

/// Values of fields as expressions, and constraints on their variables, in normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SymbolicState {
    pub(crate) store: Vec<Expr>,
    pub(crate) constraints: Vec<Expr>,
}

/// A symbolic sequence: its constraints, and the parameters of its calls.
pub(crate) struct Sequence {
    pub(crate) constraints: Vec<Expr>,
    pub(crate) parameters: Vec<Vec<Var>>,
    /// The store before each call.
    pub(crate) stores: Vec<Vec<Expr>>,
}

impl<'a> Analysis<'a> {
    /// An analysis that has not started.
    pub fn new(component: Component, solver: &'a mut dyn Solver) -> Self {
        let compiled = Compiled::new(&component);
        let mut analysis = Self {
            component,
            compiled,
            work: Work::default(),
            doubts: BTreeSet::new(),
            solver,
            states: Vec::new(),
            known: FxHashMap::default(),
            steps: FxHashMap::default(),
        };
        let store = analysis.initial_store();
        analysis.intern(store, Vec::new());
        analysis
    }

    /// Puts another component in place, and forgets everything about the old one except the work.
    pub(crate) fn replace(&mut self, component: Component) {
        self.compiled = Compiled::new(&component);
        self.component = component;
        self.states.clear();
        self.known.clear();
        self.steps.clear();
        let store = self.initial_store();
        self.intern(store, Vec::new());
    }

    /// The values of all fields before any call, as expressions.
    pub(crate) fn initial_store(&mut self) -> Vec<Expr> {
        let values: Vec<_> = self.component.fields.iter().map(|field| field.initial).collect();
        values.into_iter().map(|value| self.component.arena.value(value)).collect()
    }

    /// Asks if the constraints can hold together. No answer is a doubt that is recorded.
    pub(crate) fn ask(&mut self, constraints: &[Expr]) -> Option<Result<Model, ()>> {
        self.work.questions += 1;
        let all = self.component.arena.and(constraints);
        match self.component.arena.as_bool(all) {
            Some(false) => return Some(Err(())),
            Some(true) => return Some(Ok(Model::default())),
            None => {}
        }
        match self.solver.check(&mut self.component.arena, &[all]) {
            Answer::Sat(model) => Some(Ok(model)),
            Answer::Unsat => Some(Err(())),
            Answer::Unknown(reason) => {
                self.doubts.insert(reason.to_string());
                None
            }
        }
    }

    /// True if the constraints contradict each other for certain.
    pub fn refuted(&mut self, constraints: &[Expr]) -> bool {
        matches!(self.ask(constraints), Some(Err(())))
    }

    /// An assignment that satisfies the constraints. Variables without a value may have any.
    pub fn model(&mut self, constraints: &[Expr]) -> Option<Model> {
        self.ask(constraints)?.ok()
    }

    /// The substitution of `store` for fields and `arguments` for the parameters of `method`.
    pub(crate) fn substitution(
        &self,
        store: &[Expr],
        method: usize,
        arguments: &[Expr],
    ) -> BTreeMap<Var, Expr> {
        let fields = self.component.fields.iter().map(|field| field.var).zip(store.iter().copied());
        let parameters = &self.component.methods[method].parameters;
        fields
            .chain(parameters.iter().map(|parameter| parameter.var).zip(arguments.iter().copied()))
            .collect()
    }

    /// The parameters of `method` as expressions.
    pub(crate) fn parameters(&mut self, method: usize) -> Vec<Expr> {
        let vars: Vec<Var> =
            self.component.methods[method].parameters.iter().map(|parameter| parameter.var).collect();
        vars.into_iter().map(|var| self.component.arena.var_expr(var)).collect()
    }

    /// The condition of a path and the store after it, from `store` and with `arguments`.
    pub(crate) fn follow(
        &mut self,
        store: &[Expr],
        method: usize,
        path: usize,
        arguments: &[Expr],
    ) -> (Expr, Vec<Expr>) {
        let by = self.substitution(store, method, arguments);
        let path = &self.component.methods[method].paths[path];
        let condition = self.component.arena.substitute(path.condition, &by);
        let mut after = store.to_vec();
        for &(field, value) in &path.updates {
            after[field] = self.component.arena.substitute(value, &by);
        }
        (condition, after)
    }

    /// The symbolic state after a call from state `from`, if the call is possible there.
    pub(crate) fn successor(&mut self, from: usize, call: SymbolicCall) -> Option<usize> {
        let key = (from, call.method, call.guard, call.path);
        if let Some(&known) = self.steps.get(&key) {
            return known;
        }
        let SymbolicState { store, mut constraints } = self.states[from].clone();
        let arguments = self.parameters(call.method);
        let (condition, after) = self.follow(&store, call.method, call.path, &arguments);
        constraints.extend([call.guard, condition]);
        // A doubt is recorded where it arises; the sequence is dropped, and nothing is complete any more.
        let next = self.model(&constraints).map(|_| self.intern(after, constraints));
        self.steps.insert(key, next);
        next
    }

    /// True if no value of the state comes from a parameter.
    pub(crate) fn is_unaffected(&self, state: usize) -> bool {
        self.states[state].store.iter().all(|&value| self.component.arena.as_value(value).is_some())
    }

    /// The number of the normal form of a state whose constraints are satisfiable.
    fn intern(&mut self, store: Vec<Expr>, constraints: Vec<Expr>) -> usize {
        let state = self.normalize(store, &constraints);
        let fresh = self.states.len();
        let number = *self.known.entry(state.clone()).or_insert(fresh);
        if number == fresh {
            self.states.push(state);
        }
        number
    }

    fn normalize(&mut self, mut store: Vec<Expr>, constraints: &[Expr]) -> SymbolicState {
        let arena = &mut self.component.arena;
        let all = arena.and(constraints);
        let mut open: Vec<Expr> = match arena.node(all) {
            adit_smt::Node::And(members) => members.to_vec(),
            adit_smt::Node::Bool(_) => Vec::new(),
            _ => vec![all],
        };
        // A variable that equals a constant is the constant.
        let mut fixed = BTreeMap::new();
        for &constraint in &open {
            if let Some((var, value)) = pinned(arena, constraint) {
                fixed.insert(var, value);
            }
        }
        if !fixed.is_empty() {
            store = store.iter().map(|&value| arena.substitute(value, &fixed)).collect();
            open = open.iter().map(|&constraint| arena.substitute(constraint, &fixed)).collect();
            open.retain(|&constraint| arena.as_bool(constraint).is_none());
        }
        let mut order: Vec<Var> = Vec::new();
        let mut seen: BTreeSet<Var> = BTreeSet::new();
        for &value in &store {
            order.extend(arena.variables(value).iter().filter(|&&var| seen.insert(var)));
        }
        let mut kept = Vec::new();
        loop {
            let (near, far): (Vec<Expr>, Vec<Expr>) = open
                .into_iter()
                .partition(|&constraint| arena.variables(constraint).iter().any(|var| seen.contains(var)));
            open = far;
            if near.is_empty() {
                break;
            }
            for &constraint in &near {
                order.extend(arena.variables(constraint).iter().filter(|&&var| seen.insert(var)));
            }
            kept.extend(near);
        }
        let names: BTreeMap<Var, Expr> = order
            .iter()
            .enumerate()
            .map(|(at, &var)| (var, arena.var(&format!("#{at}"), arena.var_sort(var))))
            .collect();
        let store = store.iter().map(|&value| arena.substitute(value, &names)).collect();
        let mut constraints: Vec<Expr> = kept.iter().map(|&kept| arena.substitute(kept, &names)).collect();
        constraints.sort_unstable();
        constraints.dedup();
        SymbolicState { store, constraints }
    }

    /// The constraints of a whole sequence, with parameters of their own for each call.
    pub(crate) fn sequence(&mut self, calls: &[SymbolicCall]) -> Sequence {
        let mut store = self.initial_store();
        let mut sequence = Sequence { constraints: Vec::new(), parameters: Vec::new(), stores: Vec::new() };
        for (at, call) in calls.iter().enumerate() {
            let names: Vec<(String, Sort)> = self.component.methods[call.method]
                .parameters
                .iter()
                .map(|parameter| (format!("{}@{at}", parameter.name), parameter.kind.sort()))
                .collect();
            let arguments: Vec<Expr> =
                names.iter().map(|(name, sort)| self.component.arena.var(name, *sort)).collect();
            let by = self.substitution(&store, call.method, &arguments);
            let guard = self.component.arena.substitute(call.guard, &by);
            let (condition, after) = self.follow(&store, call.method, call.path, &arguments);
            sequence.constraints.extend([guard, condition]);
            sequence.parameters.push(
                arguments.iter().map(|&argument| self.component.arena.variables(argument)[0]).collect(),
            );
            sequence.stores.push(std::mem::replace(&mut store, after));
        }
        sequence
    }

    /// Variables that a constraint says to be equal to a constant.
    pub(crate) fn pinned(&mut self, constraints: &[Expr]) -> BTreeMap<Var, Expr> {
        let arena = &mut self.component.arena;
        let all = arena.and(constraints);
        let members = match arena.node(all) {
            adit_smt::Node::And(members) => members.to_vec(),
            _ => vec![all],
        };
        members.into_iter().filter_map(|member| pinned(arena, member)).collect()
    }

    /// Concrete calls that take the paths of a symbolic sequence, if there are any.
    pub(crate) fn concretize(&mut self, calls: &[SymbolicCall]) -> Option<Vec<ConcreteCall>> {
        let sequence = self.sequence(calls);
        let model = self.model(&sequence.constraints)?;
        Some(
            calls
                .iter()
                .zip(&sequence.parameters)
                .map(|(call, parameters)| ConcreteCall {
                    method: call.method,
                    arguments: parameters
                        .iter()
                        .map(|&parameter| model.get(parameter).map_or(0, number))
                        .collect(),
                })
                .collect(),
        )
    }

    /// Arguments of `method` that satisfy `guard`.
    pub(crate) fn arguments(&mut self, method: usize, guard: Expr) -> Option<Vec<i64>> {
        let model = self.model(&[guard])?;
        let parameters = &self.component.methods[method].parameters;
        Some(parameters.iter().map(|parameter| model.get(parameter.var).map_or(0, number)).collect())
    }

    /// True if `arguments` of `method` satisfy `guard`.
    pub(crate) fn admits(&self, method: usize, guard: Expr, arguments: &[i64]) -> bool {
        CompiledGuard::new(&self.component, method, guard).admits(arguments)
    }

    /// Constants for concrete arguments.
    pub(crate) fn constants(&mut self, call: &ConcreteCall) -> Vec<Expr> {
        let sorts: Vec<Sort> = self.component.methods[call.method]
            .parameters
            .iter()
            .map(|parameter| parameter.kind.sort())
            .collect();
        sorts
            .into_iter()
            .zip(&call.arguments)
            .map(|(sort, &argument)| self.component.arena.value(value(sort, argument)))
            .collect()
    }

    /// The outcome of concrete calls, and the paths that they take, up to the first that is no success.
    pub fn execute(&mut self, calls: &[ConcreteCall]) -> (WordOutcome, Vec<usize>) {
        let mut fields = self.component.initial();
        let mut taken = Vec::new();
        for call in calls {
            self.work.calls += 1;
            let (path, outcome) = self.compiled.take(call.method, &call.arguments, &mut fields);
            let Some(path) = path else {
                self.doubts.insert(format!(
                    "the summary of `{}` does not cover all values",
                    self.component.methods[call.method].name
                ));
                return (WordOutcome::Unknown, taken);
            };
            taken.push(path);
            if outcome != WordOutcome::Ok {
                return (outcome, taken);
            }
        }
        (WordOutcome::Ok, taken)
    }
}

/// The variable and its value, if the constraint says that the one is the other.
fn pinned(arena: &mut adit_smt::Arena, constraint: Expr) -> Option<(Var, Expr)> {
    use adit_smt::Node;
    match *arena.node(constraint) {
        Node::Var(var) => Some((var, arena.bool(true))),
        Node::Not(inner) => match *arena.node(inner) {
            Node::Var(var) => Some((var, arena.bool(false))),
            _ => None,
        },
        Node::Eq(left, right) => match *arena.node(left) {
            Node::Var(var) if arena.as_value(right).is_some() => Some((var, right)),
            _ => None,
        },
        _ => None,
    }
}
