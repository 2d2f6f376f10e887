//! A solver that asks another one as little as possible.
//!
//! Constraints are simplified, variables that an equation defines are eliminated, the rest is split into
//! groups that share no variable, and each group is looked up: was it asked before, is it true under an
//! assignment that answered another question, does it hold all of a group that cannot be true? Only what is
//! left goes to the solver behind.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::arena::{Arena, Expr, Node, Var};
use crate::eliminate::{Eliminated, eliminate, zero};
use crate::smtlib::variables;
use crate::solver::{Answer, Model, Reason, Solver};

/// Number of earlier assignments that are tried on a new question. Trying one costs about a microsecond for
/// each part of the question, asking a solver hundreds.
const MODELS: usize = 24;

/// Number of remembered answers after which everything is forgotten, so that memory has a bound.
const MOST_ANSWERS: usize = 1 << 20;

/// A solver in front of another one. See the module's documentation.
#[derive(Debug)]
pub struct Frugal<S> {
    solver: S,
    /// The arena that everything below belongs to.
    arena: Option<u64>,
    answers: FxHashMap<Box<[Expr]>, Answer>,
    models: VecDeque<Model>,
    /// Groups that cannot be true, by their smallest member.
    impossible: FxHashMap<Expr, Vec<Box<[Expr]>>>,
    counters: Counters,
}

/// Numbers of questions to a [`Frugal`], by who answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Questions.
    pub asked: u64,
    /// Questions that simplification answered.
    pub by_simplification: u64,
    /// Questions that earlier answers answered.
    pub by_cache: u64,
    /// Questions that the solver behind answered, all or a part.
    pub by_solver: u64,
    /// Questions without an answer.
    pub unknown: u64,
    /// Groups of constraints that the solver behind was asked about.
    pub solver_calls: u64,
}

impl Counters {
    /// Adds the counts of another solver.
    pub fn add(&mut self, other: Counters) {
        self.asked += other.asked;
        self.by_simplification += other.by_simplification;
        self.by_cache += other.by_cache;
        self.by_solver += other.by_solver;
        self.unknown += other.unknown;
        self.solver_calls += other.solver_calls;
    }
}

impl<S: Solver> Frugal<S> {
    /// Wraps `solver`.
    pub fn new(solver: S) -> Self {
        Self {
            solver,
            arena: None,
            answers: FxHashMap::default(),
            models: VecDeque::new(),
            impossible: FxHashMap::default(),
            counters: Counters::default(),
        }
    }

    /// Returns how often it was asked, and who answered.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    fn remembered(&self, arena: &Arena, group: &[Expr]) -> Option<Answer> {
        if let Some(answer) = self.answers.get(group) {
            return Some(answer.clone());
        }
        let members: FxHashSet<Expr> = group.iter().copied().collect();
        let impossible = group.iter().any(|member| {
            self.impossible.get(member).is_some_and(|groups| {
                groups.iter().any(|group| group.iter().all(|member| members.contains(member)))
            })
        });
        if impossible {
            return Some(Answer::Unsat);
        }
        let variables = variables(arena, group);
        let zeros = Model::default();
        self.models.iter().chain([&zeros]).find_map(|model| {
            let model = completed(arena, &variables, model);
            (arena.satisfies(&model, group) == Ok(true)).then_some(Answer::Sat(model))
        })
    }

    fn remember(&mut self, group: Vec<Expr>, answer: &Answer) {
        if self.answers.len() >= MOST_ANSWERS {
            self.forget();
        }
        match answer {
            Answer::Sat(model) => {
                self.models.push_front(model.clone());
                self.models.truncate(MODELS);
            }
            Answer::Unsat => {
                if let Some(&first) = group.first() {
                    self.impossible.entry(first).or_default().push(group.clone().into());
                }
            }
            Answer::Unknown(reason) if !reason.is_about_the_question() => return,
            Answer::Unknown(_) => {}
        }
        self.answers.insert(group.into(), answer.clone());
    }

    fn forget(&mut self) {
        self.answers.clear();
        self.models.clear();
        self.impossible.clear();
    }
}

impl<S: Solver> Solver for Frugal<S> {
    fn check(&mut self, arena: &mut Arena, constraints: &[Expr]) -> Answer {
        if self.arena != Some(arena.identity()) {
            self.forget();
            self.arena = Some(arena.identity());
        }
        self.counters.asked += 1;
        let all = arena.and(constraints);
        let eliminated = eliminate(arena, all);
        let members = match arena.node(eliminated.rest) {
            Node::Bool(false) => {
                self.counters.by_simplification += 1;
                return Answer::Unsat;
            }
            Node::Bool(true) => {
                self.counters.by_simplification += 1;
                return finished(arena, all, &eliminated, Model::default());
            }
            Node::And(members) => members.to_vec(),
            _ => vec![eliminated.rest],
        };
        let mut model = Model::default();
        let mut unknown = None;
        let mut called = false;
        for group in groups(arena, &members) {
            let answer = match self.remembered(arena, &group) {
                Some(answer) => answer,
                None => {
                    called = true;
                    self.counters.solver_calls += 1;
                    let answer = self.solver.check(arena, &group);
                    self.remember(group, &answer);
                    answer
                }
            };
            match answer {
                Answer::Sat(part) => model.extend(part.iter()),
                // One group is enough, whatever is unknown about the others.
                Answer::Unsat => {
                    self.count(called, true);
                    return Answer::Unsat;
                }
                Answer::Unknown(reason) => unknown = Some(reason),
            }
        }
        self.count(called, unknown.is_none());
        match unknown {
            None => finished(arena, all, &eliminated, model),
            Some(reason) => Answer::Unknown(reason),
        }
    }
}

impl<S> Frugal<S> {
    fn count(&mut self, called: bool, answered: bool) {
        match (answered, called) {
            (false, _) => self.counters.unknown += 1,
            (true, true) => self.counters.by_solver += 1,
            (true, false) => self.counters.by_cache += 1,
        }
    }
}

/// The answer `Sat` for all constraints, with values for what was eliminated.
fn finished(arena: &Arena, all: Expr, eliminated: &Eliminated, model: Model) -> Answer {
    let model = match eliminated.complete(arena, model) {
        Ok(model) => completed(arena, arena.variables(all), &model),
        Err(error) => return Answer::Unknown(Reason::BadModel(error.to_string())),
    };
    match arena.satisfies(&model, &[all]) {
        Ok(true) => Answer::Sat(model),
        Ok(false) => Answer::Unknown(Reason::BadModel("a constraint is false under it".to_owned())),
        Err(error) => Answer::Unknown(Reason::BadModel(error.to_string())),
    }
}

/// `model` with zero or false for the variables that it lacks, and without the ones that nobody asked for.
fn completed(arena: &Arena, variables: &[Var], model: &Model) -> Model {
    let value = |var: Var| model.get(var).unwrap_or_else(|| zero(arena.var_sort(var)));
    variables.iter().map(|&var| (var, value(var))).collect()
}

/// Splits constraints into groups that share no variable, each in order.
fn groups(arena: &Arena, members: &[Expr]) -> Vec<Vec<Expr>> {
    let mut owner: BTreeMap<Var, usize> = BTreeMap::new();
    let mut parent: Vec<usize> = (0..members.len()).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for (index, &member) in members.iter().enumerate() {
        for &var in arena.variables(member) {
            let other = *owner.entry(var).or_insert(index);
            let (a, b) = (root(&mut parent, index), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut groups: BTreeMap<usize, Vec<Expr>> = BTreeMap::new();
    for (index, &member) in members.iter().enumerate() {
        groups.entry(root(&mut parent, index)).or_default().push(member);
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Missing;
    use crate::value::{Sort, Value};

    /// Says what it was told to, and counts.
    struct Scripted(Vec<Answer>, usize);

    impl Solver for Scripted {
        fn check(&mut self, _: &mut Arena, _: &[Expr]) -> Answer {
            self.1 += 1;
            self.0.remove(0)
        }
    }

    #[test]
    fn what_simplification_decides_needs_no_solver() {
        let mut arena = Arena::new();
        let x = arena.var("x", Sort::Int);
        let zero = arena.int(0);
        let (less, more) = (arena.lt(x, zero), arena.gt(x, zero));
        let mut solver = Frugal::new(Missing);
        assert_eq!(solver.check(&mut arena, &[less, more]), Answer::Unsat);
        assert_eq!(solver.check(&mut arena, &[]), Answer::Sat(Model::default()));
        assert_eq!(solver.check(&mut arena, &[less]), Answer::Unknown(Reason::Missing));
        let counters = solver.counters();
        assert_eq!((counters.asked, counters.by_simplification, counters.unknown), (3, 2, 1));
    }

    #[test]
    fn earlier_answers_are_used_again() {
        let mut arena = Arena::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| arena.var(name, Sort::Int));
        let vars = [x, y, z].map(|expr| arena.variables(expr)[0]);
        let (less, next, circle) = (arena.lt(x, y), arena.lt(y, z), arena.lt(z, x));
        let model = Model::from_iter([(vars[0], Value::Int(1)), (vars[1], Value::Int(2))]);
        let answers = vec![Answer::Sat(model.clone()), Answer::Unsat];
        let mut solver = Frugal::new(Scripted(answers, 0));
        assert_eq!(solver.check(&mut arena, &[less]), Answer::Sat(model.clone()));
        assert_eq!(solver.check(&mut arena, &[less]), Answer::Sat(model));
        // Another question that the same numbers answer, and zero for the third variable.
        let different = arena.ne(x, y);
        assert!(matches!(solver.check(&mut arena, &[different, circle]), Answer::Sat(_)));
        assert_eq!(solver.solver.1, 1);
        assert_eq!(solver.check(&mut arena, &[less, next, circle]), Answer::Unsat);
        let one = arena.int(1);
        let positive = arena.gt(z, one);
        assert_eq!(solver.check(&mut arena, &[positive, circle, next, less]), Answer::Unsat);
        assert_eq!(solver.solver.1, 2);
        let counters = solver.counters();
        assert_eq!((counters.asked, counters.by_cache, counters.by_solver), (5, 3, 2));
    }

    #[test]
    fn groups_without_a_common_variable_are_asked_apart() {
        let mut arena = Arena::new();
        let exprs = ["a", "b", "c", "d"].map(|name| arena.var(name, Sort::Int));
        let [a, b, c, d] = exprs;
        let (left, right) = (arena.lt(a, b), arena.lt(c, d));
        let vars = exprs.map(|expr| arena.variables(expr)[0]);
        let part =
            |from: usize| Model::from_iter([(vars[from], Value::Int(0)), (vars[from + 1], Value::Int(1))]);
        let mut solver = Frugal::new(Scripted(vec![Answer::Sat(part(0)), Answer::Sat(part(2))], 0));
        let Answer::Sat(model) = solver.check(&mut arena, &[left, right]) else { panic!("it can be true") };
        assert_eq!(model.iter().count(), 4);
        assert!(arena.satisfies(&model, &[left, right]).unwrap());
        // One impossible group decides, even if another one is unknown.
        let (back, stuck) = (arena.lt(b, a), arena.ne(c, d));
        let answers = vec![Answer::Unknown(Reason::Missing), Answer::Unsat];
        let mut solver = Frugal::new(Scripted(answers, 0));
        let answer = solver.check(&mut arena, &[stuck, left, back]);
        assert_eq!(answer, Answer::Unsat);
    }

    #[test]
    fn expressions_of_another_arena_are_not_mixed_up() {
        let question = |arena: &mut Arena, other: &str| {
            let (x, y) = (arena.var("x", Sort::Int), arena.var(other, Sort::Int));
            arena.lt(x, y)
        };
        let mut first = Arena::new();
        let asked = question(&mut first, "y");
        let mut solver = Frugal::new(Scripted(vec![Answer::Unsat, Answer::Unknown(Reason::Missing)], 0));
        assert_eq!(solver.check(&mut first, &[asked]), Answer::Unsat);
        let mut second = Arena::new();
        let asked = question(&mut second, "z");
        assert_eq!(solver.check(&mut second, &[asked]), Answer::Unknown(Reason::Missing));
    }
}
