//! TEMI: the model that invariants allow, refined by what traces did.
//!
//! Paper: `krka`, section 3.4, Figures 7 and 9.
//! Deviation: Figure 9 has slips, decided as follows. Every trace begins in the initial state again (line 1
//! runs once for all traces). The walk goes on in the split state `nextSt'` (line 6 says `nextSt`), or it
//! would leave it at once. In `REFINESTATE` the transition that becomes required leads to `nextSt'`, which
//! gets copies of the outgoing transitions of `nextSt''` (the primes in lines 4 to 7 contradict the text),
//! with the modality that they have there: always *maybe*, because walks only ever go through split states. A
//! transition that is already required is followed without another split. In line 12, outgoing transitions
//! are alike (`≈`) if they have the same labels and lead to the same program states; the text says nothing,
//! and neither targets nor modalities can be meant, because no two split states share them before they are
//! merged. Lines 7 to 9 hold for merged states as well; else a state would get back by a merge what was
//! removed from it before. A call that was seen and that the contracts do not allow is added as required. See
//! `invariant_mts.rs` for phase I.
//! Cost: phase I as said there; phase II is linear in the events, with a set of targets per split state.
//!
//! The optimistic model is the whole of it; [`pessimistic`] leaves only required transitions.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Builder, Fsa, Modality};
use adit_logic::contract::Clause;
use adit_smt::Solver;

use crate::abstraction::{Abstraction, Claims, Visit};
use crate::contractor::{FromInvariants, Labels};
use crate::invariant_mts::{InvariantMts, Request, StateLimit, Truths, generate};

/// Infers a model from contracts and traces. Every trace is accepted, by required transitions alone.
pub fn temi<L: Ord + Clone>(
    claims: &Claims<'_, L>,
    traces: &[Vec<Visit<L>>],
    abstraction: &Abstraction,
    limit: StateLimit,
    solver: &mut dyn Solver,
) -> FromInvariants<L> {
    let predicates: Vec<Vec<Clause>> =
        abstraction.predicates().iter().map(|clause| vec![clause.clone()]).collect();
    let observed: BTreeSet<Truths> = abstraction
        .situations()
        .filter_map(|situation| abstraction.truths(situation).iter().copied().collect())
        .collect();
    let labels = Labels::new(claims, traces);
    let beginners = labels.beginners(claims, traces);
    let request =
        Request { claims, predicates: &predicates, beginners: &beginners, observed: &observed, limit };
    let (mut mts, texts) = generate(&request, solver);
    let mut refinement = Refinement::new();
    let mut unforeseen = 0;
    for trace in traces {
        let mut split = INITIAL;
        for (label, situation) in trace {
            let label = labels.number(label);
            let from = refinement.program(split);
            let (program, foreseen) = mts.follow(from, label, abstraction.truths(*situation));
            unforeseen += u64::from(!foreseen);
            split = refinement.refine(split, label, program);
        }
    }
    let model = refinement.build(&mts, &labels, traces.iter().any(Vec::is_empty), &texts);
    FromInvariants { model, scope: mts.scope, undecided: mts.undecided, unforeseen }
}

/// Returns the model without its *maybe* transitions, and without what can then not be reached.
pub fn pessimistic<L: Ord + Clone>(model: &Fsa<L>) -> Fsa<L> {
    let mut builder = Builder::new();
    for state in model.states() {
        let number = builder.state(model.is_accepting(state));
        builder.predicates(number, model.predicates(state).to_vec());
        if let Some(name) = model.name(state) {
            builder.name(number, name.to_owned());
        }
    }
    model.initial().iter().for_each(|&state| builder.initial(state));
    model.alphabet().iter().for_each(|label| builder.label(label.clone()));
    for edge in model.all_edges().filter(|edge| edge.modality == Modality::Required) {
        builder.edge(edge.from, edge.label.clone(), edge.to);
    }
    builder.build().breadth_first()
}

/// The number of the state before creation, which is never split.
const INITIAL: usize = 0;

/// A state that traces went through: a copy of a state of the invariant-based model.
struct Split {
    /// The state that it is a copy of; none for the state before creation.
    program: Option<usize>,
    /// Required transitions: label and program state of the target give the split state that it is.
    required: BTreeMap<(usize, usize), usize>,
}

/// Phase II: a tree of split states along the traces, in which calls that keep the program state are loops.
struct Refinement {
    splits: Vec<Split>,
}

impl Refinement {
    fn new() -> Self {
        Self { splits: vec![Split { program: None, required: BTreeMap::new() }] }
    }

    fn program(&self, split: usize) -> Option<usize> {
        self.splits[split].program
    }

    /// `REFINESTATE`: makes the transition required and returns the split state that it leads to.
    fn refine(&mut self, from: usize, label: usize, program: usize) -> usize {
        let fresh = self.splits.len();
        let target = if self.splits[from].program == Some(program) { from } else { fresh };
        let target = *self.splits[from].required.entry((label, program)).or_insert(target);
        if target == fresh {
            self.splits.push(Split { program: Some(program), required: BTreeMap::new() });
        }
        target
    }

    /// *Maybe* transitions of a split state, as label and program state: those that the invariants allow,
    /// unless the same label has a required one (lines 7 to 9).
    fn maybes<'a>(
        &'a self,
        mts: &'a InvariantMts,
        split: &'a Split,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let allowed = split.program.map_or(&mts.first, |program| &mts.steps[program]);
        allowed
            .iter()
            .copied()
            .filter(|&(label, _)| split.required.range((label, 0)..=(label, usize::MAX)).next().is_none())
    }

    /// Classes of split states that lines 10 to 12 merge.
    ///
    /// Two are alike if they stand for the same program state and allow the same labels into the same ones.
    fn merged(&self, mts: &InvariantMts) -> Vec<usize> {
        let mut classes = BTreeMap::new();
        self.splits
            .iter()
            .map(|split| {
                let targets: BTreeSet<(usize, usize)> =
                    split.required.keys().copied().chain(self.maybes(mts, split)).collect();
                let fresh = classes.len();
                *classes.entry((split.program, targets)).or_insert(fresh)
            })
            .collect()
    }

    /// The refined model: merged split states first, then the states of the invariant-based model, which only
    /// *maybe* transitions reach.
    fn build<L: Ord + Clone>(
        &self,
        mts: &InvariantMts,
        labels: &Labels<L>,
        empty_trace: bool,
        texts: &[Vec<String>],
    ) -> Fsa<L> {
        let class = self.merged(mts);
        let classes = class.iter().max().map_or(0, |last| last + 1);
        let mut program_of = vec![None; classes];
        for (split, &class) in self.splits.iter().zip(&class) {
            program_of[class] = split.program;
        }
        let mut builder = Builder::new();
        for program in program_of.into_iter().chain((0..mts.states.len()).map(Some)) {
            let state = builder.state(program.is_some() || empty_trace);
            if let Some(texts) = program.and_then(|program| texts.get(program)) {
                builder.predicates(state, texts.clone());
            }
        }
        builder.initial(class[INITIAL]);
        let observed: BTreeSet<(usize, usize)> = self
            .splits
            .iter()
            .zip(&class)
            .flat_map(|(split, &class)| split.required.keys().map(move |&(label, _)| (class, label)))
            .collect();
        let base = |program: usize| classes + program;
        for (number, split) in self.splits.iter().enumerate() {
            let from = class[number];
            for (&(label, _), &target) in &split.required {
                builder.edge(from, labels.label(label).clone(), class[target]);
            }
            // What was observed in one of the merged states was observed in all of them.
            let maybes = self.maybes(mts, split).filter(|&(label, _)| !observed.contains(&(from, label)));
            for (label, program) in maybes {
                let to = if Some(program) == split.program { from } else { base(program) };
                builder.modal_edge(from, labels.label(label).clone(), to, Modality::Maybe);
            }
        }
        for (program, steps) in mts.steps.iter().enumerate() {
            for &(label, target) in steps {
                builder.modal_edge(base(program), labels.label(label).clone(), base(target), Modality::Maybe);
            }
        }
        builder.build().breadth_first()
    }
}

#[cfg(test)]
mod tests {
    use adit_smt::Missing;
    use expect_test::expect;
    use proptest::prelude::*;

    use super::*;
    use crate::first_rejected;
    use crate::invariant_mts::{Scope, Undecided};
    use crate::testing::{a_solver, figure_3, stack_abstraction, stack_claims, stack_contracts};

    const LIMIT: StateLimit = StateLimit(100);

    fn show(model: &Fsa<&str>) -> String {
        let mut text = String::new();
        for state in model.states() {
            text += &format!("{state}: {}\n", model.predicates(state).join(", "));
            for edge in model.edges(state) {
                let maybe = if edge.modality == Modality::Maybe { "?" } else { "" };
                text += &format!("  {}{maybe} -> {}\n", edge.label, edge.to);
            }
        }
        text
    }

    #[test]
    fn figure_8_has_five_states() {
        let Some(mut solver) = a_solver("figure_8_has_five_states") else { return };
        let contracts = stack_contracts();
        let claims = stack_claims(&contracts);
        let abstraction = Abstraction::of_claims(&claims);
        let found = temi(&claims, &[], &abstraction, LIMIT, &mut solver);
        assert_eq!((found.scope, found.undecided.questions, found.unforeseen), (Scope::Satisfiable, 0, 0));
        expect![[r#"
            0: 
              StackAr? -> 1
              StackAr? -> 2
            1: this.topOfStack == -1, this.topOfStack == size(this.theArray) - 1
              isEmpty:TRUE? -> 1
              isFull:TRUE? -> 1
              makeEmpty? -> 1
              top:null? -> 1
              topAndPop:null? -> 1
            2: this.topOfStack == -1, this.topOfStack < size(this.theArray) - 1
              isEmpty:TRUE? -> 2
              isFull:FALSE? -> 2
              makeEmpty? -> 2
              push? -> 3
              push? -> 4
              top:null? -> 2
              topAndPop:null? -> 2
            3: this.topOfStack >= 0, this.topOfStack == size(this.theArray) - 1
              isEmpty:FALSE? -> 3
              isFull:TRUE? -> 3
              makeEmpty? -> 2
              top? -> 3
              topAndPop? -> 2
              topAndPop? -> 4
            4: this.topOfStack >= 0, this.topOfStack < size(this.theArray) - 1
              isEmpty:FALSE? -> 4
              isFull:FALSE? -> 4
              makeEmpty? -> 2
              push? -> 3
              push? -> 4
              top? -> 4
              topAndPop? -> 2
              topAndPop? -> 4
        "#]]
        .assert_eq(&show(&found.model));
        let counters = solver.counters();
        assert!(counters.by_solver * 2 < counters.asked, "{counters:?}");
    }

    #[test]
    fn figure_10_splits_the_full_stack() {
        let Some(mut solver) = a_solver("figure_10_splits_the_full_stack") else { return };
        let contracts = stack_contracts();
        let claims = stack_claims(&contracts);
        let mut abstraction = stack_abstraction();
        let traces = figure_3(&mut abstraction);
        let found = temi(&claims, &traces, &abstraction, LIMIT, &mut solver);
        assert_eq!(found.unforeseen, 0);
        expect![[r#"
            0: 
              StackAr -> 1
              StackAr -> 2
            1: this.topOfStack <= -1, this.topOfStack >= size(this.theArray) - 1
              isEmpty:TRUE -> 1
              isFull:TRUE -> 1
              makeEmpty -> 1
              top:null -> 1
              topAndPop:null -> 1
            2: this.topOfStack <= -1, this.topOfStack < size(this.theArray) - 1
              isEmpty:TRUE -> 2
              isFull:FALSE -> 2
              makeEmpty? -> 2
              push -> 3
              push -> 4
              top:null -> 2
              topAndPop:null -> 2
            3: this.topOfStack >= 0, this.topOfStack >= size(this.theArray) - 1
              isEmpty:FALSE? -> 3
              isFull:TRUE -> 3
              makeEmpty? -> 5
              top? -> 3
              topAndPop -> 6
            4: this.topOfStack >= 0, this.topOfStack < size(this.theArray) - 1
              isEmpty:FALSE -> 4
              isFull:FALSE -> 4
              makeEmpty? -> 5
              push -> 4
              push -> 7
              top -> 4
              topAndPop -> 2
              topAndPop -> 4
            5: this.topOfStack <= -1, this.topOfStack < size(this.theArray) - 1
              isEmpty:TRUE? -> 5
              isFull:FALSE? -> 5
              makeEmpty? -> 5
              push? -> 8
              push? -> 9
              top:null? -> 5
              topAndPop:null? -> 5
            6: this.topOfStack <= -1, this.topOfStack < size(this.theArray) - 1
              isEmpty:TRUE -> 6
              isFull:FALSE -> 6
              makeEmpty? -> 6
              push -> 10
              top:null -> 6
              topAndPop:null? -> 6
            7: this.topOfStack >= 0, this.topOfStack >= size(this.theArray) - 1
              isEmpty:FALSE? -> 7
              isFull:TRUE -> 7
              makeEmpty -> 11
              top? -> 7
              topAndPop -> 4
            8: this.topOfStack >= 0, this.topOfStack >= size(this.theArray) - 1
              isEmpty:FALSE? -> 8
              isFull:TRUE? -> 8
              makeEmpty? -> 5
              top? -> 8
              topAndPop? -> 5
              topAndPop? -> 9
            9: this.topOfStack >= 0, this.topOfStack < size(this.theArray) - 1
              isEmpty:FALSE? -> 9
              isFull:FALSE? -> 9
              makeEmpty? -> 5
              push? -> 8
              push? -> 9
              top? -> 9
              topAndPop? -> 5
              topAndPop? -> 9
            10: this.topOfStack >= 0, this.topOfStack >= size(this.theArray) - 1
              isEmpty:FALSE -> 10
              isFull:TRUE? -> 10
              makeEmpty -> 2
              top -> 10
              topAndPop? -> 5
              topAndPop? -> 9
            11: this.topOfStack <= -1, this.topOfStack < size(this.theArray) - 1
              isEmpty:TRUE? -> 11
              isFull:FALSE -> 11
              makeEmpty? -> 11
              push -> 12
              top:null? -> 11
              topAndPop:null? -> 11
            12: this.topOfStack >= 0, this.topOfStack < size(this.theArray) - 1
              isEmpty:FALSE? -> 12
              isFull:FALSE? -> 12
              makeEmpty? -> 5
              push? -> 8
              push? -> 12
              top? -> 12
              topAndPop -> 2
        "#]]
        .assert_eq(&show(&found.model));
        // What simulating the traces without splitting would stitch together: a push from the empty to the
        // full stack (Trace 2), then one of several elements taken (Trace 3), and room for more.
        let stitched =
            ["StackAr", "isFull:FALSE", "isEmpty:TRUE", "push", "isFull:TRUE", "topAndPop", "isEmpty:FALSE"];
        assert!(!found.model.reads(&stitched));
        let pessimistic = pessimistic(&found.model);
        assert!(pessimistic.all_edges().all(|edge| edge.modality == Modality::Required));
        let words: Vec<Vec<&str>> =
            traces.iter().map(|trace| trace.iter().map(|(label, _)| *label).collect()).collect();
        assert_eq!(first_rejected(&pessimistic, &words), None);
    }

    #[test]
    fn without_a_solver_the_traces_are_still_there() {
        let contracts = stack_contracts();
        let claims = stack_claims(&contracts);
        let mut abstraction = stack_abstraction();
        let traces = figure_3(&mut abstraction);
        let found = temi(&claims, &traces, &abstraction, LIMIT, &mut Missing);
        assert!(found.undecided.questions > 0);
        let words: Vec<Vec<&str>> =
            traces.iter().map(|trace| trace.iter().map(|(label, _)| *label).collect()).collect();
        assert_eq!(first_rejected(&pessimistic(&found.model), &words), None);
    }

    /// Figure 9 by the letter: a graph in which states are split, transitions replaced and removed.
    struct Naive {
        /// The program state of each state; the first is the one before creation.
        programs: Vec<Option<usize>>,
        transitions: BTreeSet<(usize, usize, usize, Modality)>,
        refined: BTreeSet<usize>,
    }

    impl Naive {
        fn new(mts: &InvariantMts) -> Self {
            let programs = [None].into_iter().chain((0..mts.states.len()).map(Some)).collect();
            let first = mts.first.iter().map(|&(label, to)| (0, label, to + 1, Modality::Maybe));
            let steps = mts.steps.iter().enumerate().flat_map(|(from, steps)| {
                steps.iter().map(move |&(label, to)| (from + 1, label, to + 1, Modality::Maybe))
            });
            Self { programs, transitions: first.chain(steps).collect(), refined: BTreeSet::from([0]) }
        }

        fn refine_state(&mut self, current: usize, label: usize, program: usize) -> usize {
            let leads = |&(from, by, to, _): &(usize, usize, usize, Modality)| {
                from == current && by == label && self.programs[to] == Some(program)
            };
            let transition = self.transitions.iter().copied().find(leads).expect("the contracts allow it");
            let (_, _, next, modality) = transition;
            if modality == Modality::Required {
                return next;
            }
            self.transitions.remove(&transition);
            if next == current {
                self.transitions.insert((current, label, current, Modality::Required));
                return current;
            }
            let split = self.programs.len();
            self.programs.push(Some(program));
            self.refined.insert(split);
            self.transitions.insert((current, label, split, Modality::Required));
            let outgoing: Vec<_> = self.transitions.iter().copied().filter(|edge| edge.0 == next).collect();
            for (_, by, to, modality) in outgoing {
                self.transitions.insert((split, by, if to == next { split } else { to }, modality));
            }
            split
        }

        fn remove_spurious(&mut self) {
            let required: BTreeSet<(usize, usize)> = self
                .transitions
                .iter()
                .filter(|edge| edge.3 == Modality::Required)
                .map(|edge| (edge.0, edge.1))
                .collect();
            self.transitions
                .retain(|edge| edge.3 == Modality::Required || !required.contains(&(edge.0, edge.1)));
        }

        fn merge(&mut self) {
            let refined: Vec<usize> = self.refined.iter().copied().collect();
            let alike = |state: usize| -> BTreeSet<(usize, Option<usize>)> {
                let outgoing = self.transitions.iter().filter(|edge| edge.0 == state);
                outgoing.map(|edge| (edge.1, self.programs[edge.2])).collect()
            };
            let mut into: Vec<usize> = (0..self.programs.len()).collect();
            for (place, &one) in refined.iter().enumerate() {
                for &other in &refined[..place] {
                    if self.programs[one] == self.programs[other] && alike(one) == alike(other) {
                        into[one] = into[other];
                        break;
                    }
                }
            }
            let merged = self
                .transitions
                .iter()
                .map(|&(from, label, to, modality)| (into[from], label, into[to], modality));
            self.transitions = merged.collect();
        }

        fn build(&self) -> Fsa<usize> {
            let mut builder = Builder::new();
            for program in &self.programs {
                builder.state(program.is_some());
            }
            builder.initial(0);
            for &(from, label, to, modality) in &self.transitions {
                builder.modal_edge(from, label, to, modality);
            }
            builder.build()
        }
    }

    fn random_mts() -> impl Strategy<Value = (InvariantMts, Vec<Vec<(usize, usize)>>)> {
        let steps = prop::collection::vec(prop::collection::btree_set((0..3_usize, 0..4_usize), 1..7), 4);
        let first = prop::collection::btree_set((0..3_usize, 0..4_usize), 1..3);
        let choices = prop::collection::vec(prop::collection::vec(0..100_usize, 0..8), 1..8);
        (steps, first, choices).prop_map(|(steps, first, choices)| {
            let mts = InvariantMts {
                states: (0..4).map(|state| vec![state & 1 == 1, state & 2 == 2]).collect(),
                first,
                steps,
                undecided: Undecided::default(),
                scope: Scope::Satisfiable,
            };
            // Walks through the model, as calls and the program states after them.
            let walk = |choices: &Vec<usize>| {
                let mut at = None;
                let mut walk = Vec::new();
                for choice in choices {
                    let steps = at.map_or(&mts.first, |state: usize| &mts.steps[state]);
                    let step = *steps.iter().nth(choice % steps.len()).expect("no set is empty");
                    at = Some(step.1);
                    walk.push(step);
                }
                walk
            };
            let walks = choices.iter().map(walk).collect();
            (mts, walks)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn refinement_is_figure_9_by_the_letter((mts, walks) in random_mts()) {
            let mut refinement = Refinement::new();
            let mut naive = Naive::new(&mts);
            for walk in &walks {
                let (mut split, mut state) = (INITIAL, 0);
                for &(label, program) in walk {
                    split = refinement.refine(split, label, program);
                    state = naive.refine_state(state, label, program);
                }
            }
            naive.remove_spurious();
            naive.merge();
            naive.remove_spurious();
            let claims = BTreeMap::new();
            let claims = Claims::<usize> { fields: &claims, object: &[], calls: Vec::new() };
            let mut abstraction = Abstraction::new(Vec::new());
            let somewhere = abstraction.observe(&adit_logic::contract::Valuation::default());
            let labels = Labels::new(&claims, &[(0..3).map(|label| (label, somewhere)).collect()]);
            let model = refinement.build(&mts, &labels, false, &[]);
            prop_assert!(model.same_language(&naive.build(), 10_000).unwrap());
            let (one, other) = (pessimistic(&model), pessimistic(&naive.build()));
            prop_assert!(one.same_language(&other, 10_000).unwrap());
            let words: Vec<Vec<usize>> =
                walks.iter().map(|walk| walk.iter().map(|&(label, _)| label).collect()).collect();
            prop_assert!(words.iter().all(|word| one.reads(word)));
        }
    }
}
