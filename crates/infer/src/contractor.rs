//! CONTRACTOR++: a state for every set of calls that contracts enable together.
//!
//! Paper: `krka`, section 3.2 and Figure 4; Contractor itself is `contractor`. Method distinction is in the
//! labels, filtering is in the contracts.
//! Deviation: states are found from the initial one, instead of checking all combinations of methods, so
//! states that no call sequence reaches are left out. The rest is said in `invariant_mts.rs`. A
//! precondition's clauses about parameters enable a call in no state more or less: some argument is assumed
//! to fit.
//! Cost: one question for each state, label and target, and one for each state and label.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Builder, Fsa};
use adit_logic::contract::Clause;
use adit_smt::Solver;

use crate::abstraction::{Abstraction, Claims, Situation, Visit, is_about_fields};
use crate::invariant_mts::{InvariantMts, Request, Scope, StateLimit, Truths, Undecided, generate};

/// A model from invariants, and how far it can be trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromInvariants<L> {
    /// The model. Every state but the initial one is accepting.
    pub model: Fsa<L>,
    /// The abstract states that it may have.
    pub scope: Scope,
    /// Questions that the solver did not answer. Transitions may be missing for them.
    pub undecided: Undecided,
    /// Calls of traces that the contracts do not allow. They are in the model nevertheless.
    pub unforeseen: u64,
    /// For each trace, the abstract state after each call, as a place in [`Self::situations`].
    pub paths: Vec<Vec<usize>>,
    /// The predicates of each abstract state, as the states of the model carry them.
    pub situations: Vec<Vec<String>>,
}

/// Infers a model from contracts. The traces only say which labels begin one, and which states to keep if
/// there are too many; a call that was seen and that no contract allows is added.
pub fn contractor<L: Ord + Clone>(
    claims: &Claims<'_, L>,
    traces: &[Vec<Visit<L>>],
    abstraction: &Abstraction,
    limit: StateLimit,
    solver: &mut dyn Solver,
) -> FromInvariants<L> {
    let preconditions: Vec<Vec<Clause>> = distinct_preconditions(claims);
    // What a trace knows about a precondition, it knows about its clauses.
    let place = |wanted: &Clause| abstraction.predicates().iter().position(|clause| clause == wanted);
    let places: Vec<Vec<Option<usize>>> =
        preconditions.iter().map(|clauses| clauses.iter().map(place).collect()).collect();
    let known = |situation: Situation| -> Vec<Option<bool>> {
        let truths = abstraction.truths(situation);
        // A clause that is no predicate belongs to the object invariant.
        let holds = |place: &Option<usize>| place.map_or(Some(true), |place| truths[place]);
        places.iter().map(|clauses| all(clauses.iter().map(holds))).collect()
    };
    let observed: BTreeSet<Truths> =
        abstraction.situations().filter_map(|situation| known(situation).into_iter().collect()).collect();
    let labels = Labels::new(claims, traces);
    let beginners = labels.beginners(claims, traces);
    let request =
        Request { claims, predicates: &preconditions, beginners: &beginners, observed: &observed, limit };
    let (mut mts, texts) = generate(&request, solver);
    let mut unforeseen = 0;
    let mut paths = Vec::with_capacity(traces.len());
    for trace in traces {
        let mut path: Vec<usize> = Vec::with_capacity(trace.len());
        for (label, situation) in trace {
            let (next, foreseen) = mts.follow(path.last().copied(), labels.number(label), &known(*situation));
            unforeseen += u64::from(!foreseen);
            path.push(next);
        }
        paths.push(path);
    }
    let model = build(&mts, &labels, traces, &texts);
    let situations = situations(&mts, texts);
    FromInvariants { model, scope: mts.scope, undecided: mts.undecided, unforeseen, paths, situations }
}

/// The texts of all states; those that only traces were in have none.
pub(crate) fn situations(mts: &InvariantMts, mut texts: Vec<Vec<String>>) -> Vec<Vec<String>> {
    texts.resize(mts.states.len(), Vec::new());
    texts
}

/// The model as an automaton: the state before creation is number 0.
fn build<L: Ord + Clone>(
    mts: &InvariantMts,
    labels: &Labels<L>,
    traces: &[Vec<Visit<L>>],
    texts: &[Vec<String>],
) -> Fsa<L> {
    let mut builder = Builder::new();
    let initial = builder.state(traces.iter().any(Vec::is_empty));
    builder.initial(initial);
    for state in 0..mts.states.len() {
        let number = builder.state(true);
        if let Some(texts) = texts.get(state) {
            builder.predicates(number, texts.clone());
        }
    }
    for &(label, target) in &mts.first {
        builder.edge(initial, labels.label(label).clone(), target + 1);
    }
    for (state, steps) in mts.steps.iter().enumerate() {
        for &(label, target) in steps {
            builder.edge(state + 1, labels.label(label).clone(), target + 1);
        }
    }
    builder.build().breadth_first()
}

/// Numbers for labels: first those of the claims, then those that only traces have.
pub(crate) struct Labels<L> {
    all: Vec<L>,
    numbers: BTreeMap<L, usize>,
}

impl<L: Ord + Clone> Labels<L> {
    pub(crate) fn new(claims: &Claims<'_, L>, traces: &[Vec<Visit<L>>]) -> Self {
        let mut labels = Self { all: Vec::new(), numbers: BTreeMap::new() };
        let seen = traces.iter().flatten().map(|(label, _)| label);
        for label in claims.calls.iter().map(|(label, _)| label).chain(seen) {
            if !labels.numbers.contains_key(label) {
                labels.numbers.insert(label.clone(), labels.all.len());
                labels.all.push(label.clone());
            }
        }
        labels
    }

    pub(crate) fn number(&self, label: &L) -> usize {
        self.numbers[label]
    }

    pub(crate) fn label(&self, number: usize) -> &L {
        &self.all[number]
    }

    /// Labels that begin a trace though they create nothing.
    pub(crate) fn beginners(&self, claims: &Claims<'_, L>, traces: &[Vec<Visit<L>>]) -> BTreeSet<usize> {
        let first = traces.iter().filter_map(|trace| trace.first()).map(|(label, _)| self.number(label));
        first
            .filter(|&label| claims.calls.get(label).is_some_and(|(_, contract)| !contract.creates))
            .collect()
    }
}

/// The conjunction of three-valued truths.
fn all(truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut unknown = false;
    for truth in truths {
        match truth {
            Some(false) => return Some(false),
            Some(true) => {}
            None => unknown = true,
        }
    }
    (!unknown).then_some(true)
}

/// Preconditions as far as they are about fields, each once, in order; empty ones say nothing.
fn distinct_preconditions<L>(claims: &Claims<'_, L>) -> Vec<Vec<Clause>> {
    let mut found: Vec<Vec<Clause>> = Vec::new();
    for (_, contract) in claims.calls.iter().filter(|(_, contract)| !contract.creates) {
        let mut clauses: Vec<Clause> =
            contract.pre.iter().filter(|clause| is_about_fields(clause)).cloned().collect();
        clauses.sort();
        clauses.dedup();
        if !clauses.is_empty() && !found.contains(&clauses) {
            found.push(clauses);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::testing::{a_solver, stack_claims, stack_contracts};

    #[test]
    fn a_stack_has_a_state_for_each_set_of_enabled_calls() {
        let Some(mut solver) = a_solver("a_stack_has_a_state_for_each_set_of_enabled_calls") else { return };
        let contracts = stack_contracts();
        let claims = stack_claims(&contracts);
        let abstraction = Abstraction::of_claims(&claims);
        let found = contractor(&claims, &[], &abstraction, StateLimit(100), &mut solver);
        assert_eq!((found.scope, found.undecided.questions), (Scope::Satisfiable, 0));
        let mut text = String::new();
        for state in found.model.states() {
            text += &format!("{state}: {}\n", found.model.predicates(state).join(", "));
            for edge in found.model.edges(state) {
                text += &format!("  {} -> {}\n", edge.label, edge.to);
            }
        }
        expect![[r#"
            0: 
              StackAr -> 1
              StackAr -> 2
            1: this.topOfStack == -1, this.topOfStack == size(this.theArray) - 1
              isEmpty:TRUE -> 1
              isFull:TRUE -> 1
              makeEmpty -> 1
              top:null -> 1
              topAndPop:null -> 1
            2: this.topOfStack == -1, this.topOfStack < size(this.theArray) - 1
              isEmpty:TRUE -> 2
              isFull:FALSE -> 2
              makeEmpty -> 2
              push -> 3
              push -> 4
              top:null -> 2
              topAndPop:null -> 2
            3: this.topOfStack >= 0, this.topOfStack == size(this.theArray) - 1
              isEmpty:FALSE -> 3
              isFull:TRUE -> 3
              makeEmpty -> 2
              top -> 3
              topAndPop -> 2
              topAndPop -> 4
            4: this.topOfStack >= 0, this.topOfStack < size(this.theArray) - 1
              isEmpty:FALSE -> 4
              isFull:FALSE -> 4
              makeEmpty -> 2
              push -> 3
              push -> 4
              top -> 4
              topAndPop -> 2
              topAndPop -> 4
        "#]]
        .assert_eq(&text);
    }
}
