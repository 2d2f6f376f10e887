//! The model that invariants allow: abstract states, and every transition that no contract rules out.
//!
//! Paper: `krka`, Figure 7 (`GENERATEINVARIANTMTS`) and Figure 4; shared by CONTRACTOR++ and TEMI.
//! Deviation: the figures test the source state with the precondition and the target state with the
//! postcondition apart. Then `orig(x)` in a postcondition means nothing, and the example of section 3.4
//! (`(PreState) ⇒ (PostState)`) could not work; here one question has all four, and the object invariant at
//! both ends. Figure 7 checks all `2^n` combinations of predicates before it looks for transitions; here
//! states are found as the targets of transitions, from the values that the solver gives. A clause about
//! parameters restricts no state, only the transition. Where the solver knows no answer, the targets found so
//! far stay and the question is counted.
//! Cost: for each state and label one question more than there are targets; combinations are never
//! enumerated.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use adit_logic::contract::Clause;
use adit_smt::{Answer, Expr, Node, Reason, Solver};

use crate::abstraction::Claims;
use crate::formulas::{At, Formulas};

/// Truth values of the predicates that define a state.
pub(crate) type Truths = Vec<bool>;

/// Which abstract states there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every state that is reachable and satisfiable.
    Satisfiable,
    /// Only states that a trace was in, because there are too many of the others.
    Observed,
}

/// Number of states beyond which [`Scope::Observed`] is the only way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateLimit(pub usize);

/// The invariant-based model. The state before creation is apart, because no predicate describes it.
#[derive(Debug)]
pub(crate) struct InvariantMts {
    /// The states, in the order in which they were found.
    pub(crate) states: Vec<Truths>,
    /// Calls that create an object, or begin a trace, and the state after them.
    pub(crate) first: BTreeSet<(usize, usize)>,
    /// For each state, calls and the state after them.
    pub(crate) steps: Vec<BTreeSet<(usize, usize)>>,
    /// Number of questions that the solver did not answer, and the last reason.
    pub(crate) undecided: Undecided,
    /// The states that there may be.
    pub(crate) scope: Scope,
}

/// Questions without an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undecided {
    /// Their number.
    pub questions: u64,
    /// The last reason.
    pub reason: Option<Reason>,
}

impl InvariantMts {
    /// The states that `known` truth values fit, unknown ones aside.
    fn fits(&self, state: usize, known: &[Option<bool>]) -> bool {
        self.states[state].iter().zip(known).all(|(&truth, known)| known.is_none_or(|known| known == truth))
    }

    /// The state after a call that a trace made, from `from` or, without it, from before creation. A call
    /// that the contracts do not allow is added, because what was seen counts more than what was guessed.
    pub(crate) fn follow(
        &mut self,
        from: Option<usize>,
        label: usize,
        known: &[Option<bool>],
    ) -> (usize, bool) {
        let steps = from.map_or(&self.first, |state| &self.steps[state]);
        let targets = steps.range((label, 0)..=(label, usize::MAX)).map(|&(_, target)| target);
        let fitting: Vec<usize> = targets.filter(|&target| self.fits(target, known)).collect();
        // With unknown values several may fit. A call that need not change the state does not.
        if let Some(&target) = fitting.iter().find(|&&target| Some(target) == from).or(fitting.first()) {
            return (target, true);
        }
        let target = (0..self.states.len()).find(|&state| self.fits(state, known)).unwrap_or_else(|| {
            self.states.push(known.iter().map(|known| known.unwrap_or(false)).collect());
            self.steps.push(BTreeSet::new());
            self.states.len() - 1
        });
        match from {
            Some(state) => self.steps[state].insert((label, target)),
            None => self.first.insert((label, target)),
        };
        (target, false)
    }
}

/// The claims, predicates and limits that a model is generated from.
pub(crate) struct Request<'a, L> {
    pub(crate) claims: &'a Claims<'a, L>,
    /// Each predicate is a conjunction of clauses over fields.
    pub(crate) predicates: &'a [Vec<Clause>],
    /// Labels, by their place in the claims, that begin a trace though they create nothing.
    pub(crate) beginners: &'a BTreeSet<usize>,
    /// States that traces were in. Their transitions are looked for too.
    pub(crate) observed: &'a BTreeSet<Truths>,
    pub(crate) limit: StateLimit,
}

/// Generates the model, and what holds in each state, in words. With more states than the limit, only those
/// that traces were in are left.
pub(crate) fn generate<L>(
    request: &Request<'_, L>,
    solver: &mut dyn Solver,
) -> (InvariantMts, Vec<Vec<String>>) {
    let mut generator = Generator::new(request);
    let mts = match generator.run(Scope::Satisfiable, solver) {
        Some(mts) => mts,
        None => generator.run(Scope::Observed, solver).expect("observed states are as many as there are"),
    };
    let texts = generator.describe(&mts.states);
    (mts, texts)
}

struct Generator<'a, 'r, L> {
    request: &'r Request<'a, L>,
    formulas: Formulas<'a>,
    /// Each predicate before and after a call.
    before: Vec<Expr>,
    after: Vec<Expr>,
    /// The object invariant before and after a call.
    invariant: [Expr; 2],
    /// For each label its pre- and postcondition.
    contracts: Vec<[Expr; 2]>,
}

impl<'a, 'r, L> Generator<'a, 'r, L> {
    fn new(request: &'r Request<'a, L>) -> Self {
        let claims = request.claims;
        let mut formulas = Formulas::new(claims.fields);
        let before = request.predicates.iter().map(|clauses| formulas.all(clauses, At::Before)).collect();
        let after = request.predicates.iter().map(|clauses| formulas.all(clauses, At::After)).collect();
        let invariant = [At::Before, At::After].map(|at| formulas.all(claims.object, at));
        let contracts = claims
            .calls
            .iter()
            .map(|(_, contract)| {
                [formulas.all(&contract.pre, At::Before), formulas.all(&contract.post, At::After)]
            })
            .collect();
        Self { request, formulas, before, after, invariant, contracts }
    }

    /// Generates the model, or nothing if it has too many states.
    fn run(&mut self, scope: Scope, solver: &mut dyn Solver) -> Option<InvariantMts> {
        let mut mts = InvariantMts {
            states: Vec::new(),
            first: BTreeSet::new(),
            steps: Vec::new(),
            undecided: Undecided::default(),
            scope,
        };
        let mut numbers = BTreeMap::new();
        let mut open = VecDeque::new();
        let restriction = self.restriction(scope);
        let mut number = |mts: &mut InvariantMts, open: &mut VecDeque<usize>, truths: Truths| {
            *numbers.entry(truths).or_insert_with_key(|truths| {
                mts.states.push(truths.clone());
                mts.steps.push(BTreeSet::new());
                open.push_back(mts.states.len() - 1);
                mts.states.len() - 1
            })
        };
        for label in 0..self.contracts.len() {
            let creates = self.request.claims.calls[label].1.creates;
            if !creates && !self.request.beginners.contains(&label) {
                continue;
            }
            let [pre, post] = self.contracts[label];
            let mut base = vec![pre, post, self.invariant[1], restriction];
            if !creates {
                base.push(self.invariant[0]);
            }
            for truths in self.targets(base, solver, &mut mts.undecided, scope)? {
                let target = number(&mut mts, &mut open, truths);
                mts.first.insert((label, target));
            }
        }
        for truths in self.request.observed {
            number(&mut mts, &mut open, truths.clone());
        }
        while let Some(state) = open.pop_front() {
            if scope == Scope::Satisfiable && mts.states.len() > self.request.limit.0 {
                return None;
            }
            let truths = mts.states[state].clone();
            let source = self.literals(&truths, At::Before);
            for label in 0..self.contracts.len() {
                if self.request.claims.calls[label].1.creates {
                    continue;
                }
                let [pre, post] = self.contracts[label];
                let base = vec![source, self.invariant[0], pre, post, self.invariant[1], restriction];
                for truths in self.targets(base, solver, &mut mts.undecided, scope)? {
                    let target = number(&mut mts, &mut open, truths);
                    mts.steps[state].insert((label, target));
                }
            }
        }
        Some(mts)
    }

    /// The states that can come after a call, one from each assignment that the solver gives. Nothing if
    /// there are more than the limit.
    fn targets(
        &mut self,
        mut constraints: Vec<Expr>,
        solver: &mut dyn Solver,
        undecided: &mut Undecided,
        scope: Scope,
    ) -> Option<Vec<Truths>> {
        let mut targets = Vec::new();
        loop {
            match self.formulas.check(solver, &constraints) {
                Answer::Unsat => return Some(targets),
                Answer::Unknown(reason) => {
                    undecided.questions += 1;
                    undecided.reason = Some(reason);
                    return Some(targets);
                }
                Answer::Sat(model) => {
                    let Some(truths) = self.formulas.truths(&self.after, &model) else {
                        undecided.questions += 1;
                        return Some(targets);
                    };
                    let found = self.literals(&truths, At::After);
                    constraints.push(self.formulas.arena().not(found));
                    targets.push(truths);
                }
            }
            if scope == Scope::Satisfiable && targets.len() > self.request.limit.0 {
                return None;
            }
        }
    }

    /// The formula that holds in exactly this state.
    fn literals(&mut self, truths: &[bool], at: At) -> Expr {
        let predicates = if at == At::Before { &self.before } else { &self.after };
        let arena = self.formulas.arena();
        let literals: Vec<Expr> = predicates
            .iter()
            .zip(truths)
            .map(|(&predicate, &holds)| if holds { predicate } else { arena.not(predicate) })
            .collect();
        arena.and(&literals)
    }

    /// The predicates of each state, without what holds in all of them or follows from a stronger bound.
    fn describe(&mut self, states: &[Truths]) -> Vec<Vec<String>> {
        let mut texts: BTreeMap<Expr, String> = BTreeMap::new();
        for (clauses, &formula) in self.request.predicates.iter().zip(&self.after) {
            let joined = clauses.iter().map(Clause::to_string).collect::<Vec<_>>().join(" && ");
            texts.entry(formula).or_insert(joined);
            if let [clause] = clauses.as_slice()
                && let Some(negation) = clause.negation()
            {
                let opposite = self.formulas.arena().not(formula);
                texts.entry(opposite).or_insert(negation.to_string());
            }
        }
        let differ = |place: usize| states.iter().any(|truths| truths[place] != states[0][place]);
        let places: Vec<usize> = (0..self.after.len()).filter(|&place| differ(place)).collect();
        states
            .iter()
            .map(|truths| {
                let arena = self.formulas.arena();
                let literals: Vec<Expr> = places
                    .iter()
                    .map(|&place| {
                        let formula = self.after[place];
                        if truths[place] { formula } else { arena.not(formula) }
                    })
                    .collect();
                let all = arena.and(&literals);
                let strongest = match arena.node(all) {
                    Node::And(members) => members.to_vec(),
                    Node::Bool(_) => Vec::new(),
                    _ => vec![all],
                };
                let text = |formula: &Expr| {
                    texts.get(formula).cloned().unwrap_or_else(|| arena.show(*formula).to_string())
                };
                strongest.iter().map(text).collect()
            })
            .collect()
    }

    /// The formula that holds after a call that ends in an allowed state.
    fn restriction(&mut self, scope: Scope) -> Expr {
        if scope == Scope::Satisfiable {
            return self.formulas.arena().bool(true);
        }
        let states: Vec<Expr> =
            self.request.observed.iter().map(|truths| self.literals(truths, At::After)).collect();
        self.formulas.arena().or(&states)
    }
}

#[cfg(test)]
mod tests {
    use adit_logic::contract::{Constant, Contract, Relation, Type, Valuation, Variable};
    use proptest::prelude::*;
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::testing::a_solver;

    fn number() -> Variable {
        Variable::field("n")
    }

    fn flag() -> Variable {
        Variable::field("on")
    }

    /// Claims about one number and one boolean, now and before.
    fn clauses(before: bool) -> BoxedStrategy<Clause> {
        let moved =
            move |variable: Variable, old: bool| if old && before { variable.before() } else { variable };
        let relation = prop::sample::select(vec![
            Relation::Equal,
            Relation::NotEqual,
            Relation::AtMost,
            Relation::AtLeast,
        ]);
        let bound = (relation.clone(), 0..3_i64, any::<bool>())
            .prop_map(move |(relation, limit, old)| Clause::bound(moved(number(), old), relation, limit));
        let truth = (any::<bool>(), any::<bool>())
            .prop_map(move |(value, old)| Clause::is(moved(flag(), old), Constant::Bool(value)));
        let change = (relation, -1..2_i64)
            .prop_map(|(relation, by)| Clause::compare(number(), relation, number().before(), by));
        let kept = Just(Clause::Same(flag(), flag().before()));
        let simple = if before {
            prop_oneof![2 => bound, 2 => truth, 3 => change, 1 => kept].boxed()
        } else {
            prop_oneof![bound, truth].boxed()
        };
        let implication = (simple.clone(), simple.clone())
            .prop_map(|(one, other)| Clause::Implies(Box::new(one), Box::new(other)));
        if before { prop_oneof![4 => simple, 1 => implication].boxed() } else { simple }
    }

    fn contracts() -> impl Strategy<Value = Vec<Contract>> {
        let contract =
            (prop::collection::vec(clauses(false), 0..3), prop::collection::vec(clauses(true), 0..4))
                .prop_map(|(pre, post)| Contract { pre, post, ..Contract::default() });
        let creation = prop::collection::vec(clauses(false), 1..3).prop_map(|post| Contract {
            creates: true,
            post,
            ..Contract::default()
        });
        (creation, prop::collection::vec(contract, 1..4))
            .prop_map(|(creation, others)| [vec![creation], others].concat())
    }

    /// All values that the object invariant of the test allows.
    fn values() -> Vec<(i64, bool)> {
        (0..3).flat_map(|number| [(number, false), (number, true)]).collect()
    }

    fn valuation(now: (i64, bool), before: Option<(i64, bool)>) -> Valuation {
        let mut all = vec![(number(), Constant::Int(now.0)), (flag(), Constant::Bool(now.1))];
        if let Some(before) = before {
            all.push((number().before(), Constant::Int(before.0)));
            all.push((flag().before(), Constant::Bool(before.1)));
        }
        Valuation::from_iter(all)
    }

    /// The model from trying all values: abstract states and transitions that are reachable.
    fn naive(
        contracts: &[Contract],
        predicates: &[Vec<Clause>],
    ) -> (BTreeSet<Truths>, BTreeSet<(Truths, usize, Truths)>) {
        let holds = |clauses: &[Clause], values: &Valuation| {
            clauses.iter().all(|clause| clause.holds(values) == Some(true))
        };
        let truths = |now| -> Truths {
            predicates.iter().map(|clauses| holds(clauses, &valuation(now, None))).collect()
        };
        let mut states: BTreeSet<Truths> = values()
            .into_iter()
            .filter(|&now| holds(&contracts[0].post, &valuation(now, None)))
            .map(truths)
            .collect();
        let mut steps = BTreeSet::new();
        loop {
            let known = states.len();
            for before in values() {
                if !states.contains(&truths(before)) {
                    continue;
                }
                for (label, contract) in contracts.iter().enumerate().skip(1) {
                    for now in values() {
                        if holds(&contract.pre, &valuation(before, None))
                            && holds(&contract.post, &valuation(now, Some(before)))
                        {
                            steps.insert((truths(before), label, truths(now)));
                            states.insert(truths(now));
                        }
                    }
                }
            }
            if states.len() == known {
                return (states, steps);
            }
        }
    }

    #[test]
    fn states_and_transitions_are_those_of_trying_all_values() {
        let name = "states_and_transitions_are_those_of_trying_all_values";
        let Some(mut solver) = a_solver(name) else { return };
        let fields = BTreeMap::from([(number(), Type::Int), (flag(), Type::Bool)]);
        let object =
            [Clause::bound(number(), Relation::AtLeast, 0), Clause::bound(number(), Relation::AtMost, 2)];
        let mut runner = TestRunner::deterministic();
        for _ in 0..120 {
            let contracts = contracts().new_tree(&mut runner).unwrap().current();
            let claims =
                Claims { fields: &fields, object: &object, calls: contracts.iter().enumerate().collect() };
            let abstraction = crate::Abstraction::of_claims(&claims);
            let predicates: Vec<Vec<Clause>> =
                abstraction.predicates().iter().map(|clause| vec![clause.clone()]).collect();
            let request = Request {
                claims: &claims,
                predicates: &predicates,
                beginners: &BTreeSet::new(),
                observed: &BTreeSet::new(),
                limit: StateLimit(1_000),
            };
            let (mts, _) = generate(&request, &mut solver);
            let (states, steps) = naive(&contracts, &predicates);
            assert_eq!(mts.undecided, Undecided::default());
            let found: BTreeSet<(Truths, usize, Truths)> = mts
                .steps
                .iter()
                .enumerate()
                .flat_map(|(state, steps)| {
                    let mts = &mts;
                    steps.iter().map(move |&(label, target)| {
                        (mts.states[state].clone(), label, mts.states[target].clone())
                    })
                })
                .collect();
            assert_eq!(mts.states.iter().cloned().collect::<BTreeSet<_>>(), states, "{contracts:#?}");
            assert_eq!(found, steps, "{contracts:#?}");
            // With a limit of no states, those that traces were in are left, here all of them.
            let request = Request { observed: &states, limit: StateLimit(0), ..request };
            let (narrow, _) = generate(&request, &mut solver);
            assert_eq!(narrow.scope, if states.is_empty() { Scope::Satisfiable } else { Scope::Observed });
            assert_eq!(narrow.steps.iter().map(BTreeSet::len).sum::<usize>(), steps.len());
        }
        let counters = solver.counters();
        assert!(counters.by_solver * 2 < counters.asked, "{counters:?}");
    }
}
