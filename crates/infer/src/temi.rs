//! TEMI: the model that invariants allow, refined by what traces did.
//!
//! Paper: `krka`, section 3.4, Figures 7 and 9.
//! Deviation: Figure 9 has slips, decided as follows. Every trace begins in the initial state again (line 1
//! runs once for all traces). The walk goes on in the split state `nextSt'` (line 6 says `nextSt`), or it
//! would leave it at once. In `REFINESTATE` the transition that becomes required leads to `nextSt'`, which
//! gets copies of the outgoing transitions of `nextSt''` (the primes in lines 4 to 7 contradict the text),
//! with the modality that they have there: always *maybe*, because walks only ever go through split states. A
//! transition that is already required is followed without another split. In line 12, two states are alike
//! (`≈`) if of each label that was seen in both, one was seen to lead wherever the other does; the text says
//! nothing. Equal transitions cannot be meant, because no two split states share their targets before they
//! are merged, and equal labels would keep states apart only because less was seen in one of them: Figure 10
//! keeps `S3'` and `S3''` apart because `topAndPop` was seen to lead elsewhere. The state that keeps the
//! other incoming transitions (`nextSt''`), from which nothing was seen, is merged if there is only one class
//! to merge it with. Lines 7 to 9 hold for merged states as well; else a state would get back by a merge what
//! was removed from it before. A call that was seen and that the contracts do not allow is added as required.
//! See `invariant_mts.rs` for phase I.
//! Cost: phase I as said there; phase II is linear in the events, with a set of targets per split state.
//!
//! The optimistic model is the whole of it; [`pessimistic`] leaves only required transitions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Builder, Fsa, Modality};
use adit_logic::contract::Clause;
use adit_smt::Solver;

use crate::abstraction::{Abstraction, Claims, Visit};
use crate::contractor::{FromInvariants, Labels, situations};
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
    // The order of the traces in the log does not matter.
    let mut distinct: Vec<&Vec<Visit<L>>> = traces.iter().collect::<BTreeSet<_>>().into_iter().collect();
    distinct.sort_by_cached_key(|trace| {
        let seen =
            trace.iter().map(|(label, situation)| (label.clone(), abstraction.truths(*situation).to_vec()));
        seen.collect::<Vec<_>>()
    });
    let mut path_of: BTreeMap<&Vec<Visit<L>>, Vec<usize>> = BTreeMap::new();
    for trace in distinct {
        let mut split = INITIAL;
        let mut path = Vec::with_capacity(trace.len());
        for (label, situation) in trace {
            let label = labels.number(label);
            let from = refinement.program(split);
            let (program, foreseen) = mts.follow(from, label, abstraction.truths(*situation));
            unforeseen += u64::from(!foreseen);
            split = refinement.refine(split, label, program);
            path.push(program);
        }
        path_of.insert(trace, path);
    }
    let paths = traces.iter().map(|trace| path_of[trace].clone()).collect();
    let model = refinement.build(&mts, &labels, traces.iter().any(Vec::is_empty), &texts);
    let situations = situations(&mts, texts);
    FromInvariants { model, scope: mts.scope, undecided: mts.undecided, unforeseen, paths, situations }
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

    /// Classes of split states that lines 10 to 12 merge: the class of each split state, and the class of
    /// each state of the invariant-based model, where that is no state of its own.
    ///
    /// Two are alike if they stand for the same program state and, of each label that was seen in both, one
    /// was seen to lead wherever the other does. That is no equivalence, so the order matters: states of
    /// which most is known come first, and each joins the class with which it shares most.
    fn merged(&self, programs: usize) -> Merged {
        let mut order: Vec<usize> = (0..self.splits.len()).collect();
        order.sort_by_key(|&split| (Reverse(self.splits[split].required.len()), split));
        let mut classes: Vec<Class> = Vec::new();
        let mut of = vec![0; self.splits.len()];
        for split in order {
            let (program, seen) = (self.splits[split].program, self.seen(split));
            let shared = |class: &Class| {
                let mut shared = 0;
                for (label, targets) in &seen {
                    match class.seen.get(label) {
                        Some(others) if others == targets => shared += 2,
                        Some(others) if others.is_subset(targets) || others.is_superset(targets) => {
                            shared += 1
                        }
                        Some(_) => return None,
                        None => {}
                    }
                }
                (class.program == program).then_some(shared)
            };
            let alike = classes.iter().enumerate().filter_map(|(place, class)| Some((shared(class)?, place)));
            let place = match alike.max_by_key(|&(shared, place)| (shared, Reverse(place))) {
                Some((_, place)) => place,
                None => {
                    classes.push(Class { program, seen: BTreeMap::new() });
                    classes.len() - 1
                }
            };
            for (label, targets) in seen {
                classes[place].seen.entry(label).or_default().extend(targets);
            }
            of[split] = place;
        }
        let mut base = vec![None; programs];
        for (program, base) in base.iter_mut().enumerate() {
            let mut places = (0..classes.len()).filter(|&place| classes[place].program == Some(program));
            *base = places.next().filter(|_| places.next().is_none());
        }
        Merged { classes, of, base }
    }

    /// The program states into which each label was seen to lead.
    fn seen(&self, split: usize) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut seen: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &(label, program) in self.splits[split].required.keys() {
            seen.entry(label).or_default().insert(program);
        }
        seen
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
        let Merged { classes, of, base } = self.merged(mts.states.len());
        let mut builder = Builder::new();
        let mut add = |program: Option<usize>| {
            let state = builder.state(program.is_some() || empty_trace);
            if let Some(texts) = program.and_then(|program| texts.get(program)) {
                builder.predicates(state, texts.clone());
            }
            state
        };
        for class in &classes {
            add(class.program);
        }
        let base: Vec<usize> = base
            .into_iter()
            .enumerate()
            .map(|(program, class)| class.unwrap_or_else(|| add(Some(program))))
            .collect();
        builder.initial(of[INITIAL]);
        for (split, &from) in self.splits.iter().zip(&of) {
            for (&(label, _), &target) in &split.required {
                builder.edge(from, labels.label(label).clone(), of[target]);
            }
        }
        for (from, class) in classes.iter().enumerate() {
            let allowed = class.program.map_or(&mts.first, |program| &mts.steps[program]);
            // Lines 7 to 9: a label that was observed leads where it was seen to lead.
            for &(label, program) in allowed.iter().filter(|(label, _)| !class.seen.contains_key(label)) {
                let to = if Some(program) == class.program { from } else { base[program] };
                builder.modal_edge(from, labels.label(label).clone(), to, Modality::Maybe);
            }
        }
        for (program, steps) in
            mts.steps.iter().enumerate().filter(|&(program, _)| base[program] >= classes.len())
        {
            for &(label, target) in steps {
                builder.modal_edge(base[program], labels.label(label).clone(), base[target], Modality::Maybe);
            }
        }
        builder.build().breadth_first()
    }
}

/// Split states that are merged.
struct Class {
    program: Option<usize>,
    /// The program states into which each label was seen to lead from one of them.
    seen: BTreeMap<usize, BTreeSet<usize>>,
}

/// The result of merging.
struct Merged {
    classes: Vec<Class>,
    /// The class of each split state.
    of: Vec<usize>,
    /// The class that stands for a state of the invariant-based model: the only one of its program state.
    base: Vec<Option<usize>>,
}

#[cfg(test)]
mod tests {
    use adit_smt::Missing;
    use expect_test::expect;
    use proptest::prelude::*;

    use super::*;
    use crate::first_rejected;
    use crate::invariant_mts::{Scope, Undecided};
    use crate::testing::{a_solver, figure_3, stack_abstraction, stack_claims, stack_contracts, stack_trace};

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
            1: this.topOfStack <= -1, this.topOfStack < size(this.theArray) - 1
              isEmpty:TRUE -> 1
              isFull:FALSE -> 1
              makeEmpty? -> 1
              push -> 3
              push -> 4
              push -> 5
              top:null -> 1
              topAndPop:null -> 1
            2: this.topOfStack <= -1, this.topOfStack >= size(this.theArray) - 1
              isEmpty:TRUE -> 2
              isFull:TRUE -> 2
              makeEmpty -> 2
              top:null -> 2
              topAndPop:null -> 2
            3: this.topOfStack >= 0, this.topOfStack < size(this.theArray) - 1
              isEmpty:FALSE -> 3
              isFull:FALSE -> 3
              makeEmpty? -> 1
              push -> 3
              push -> 4
              top -> 3
              topAndPop -> 1
              topAndPop -> 3
            4: this.topOfStack >= 0, this.topOfStack >= size(this.theArray) - 1
              isEmpty:FALSE -> 4
              isFull:TRUE -> 4
              makeEmpty -> 1
              top -> 4
              topAndPop -> 3
            5: this.topOfStack >= 0, this.topOfStack >= size(this.theArray) - 1
              isEmpty:FALSE? -> 5
              isFull:TRUE -> 5
              makeEmpty? -> 1
              top? -> 5
              topAndPop -> 1
        "#]]
        .assert_eq(&show(&found.model));
        let pessimistic = pessimistic(&found.model);
        assert!(pessimistic.all_edges().all(|edge| edge.modality == Modality::Required));
        let words: Vec<Vec<&str>> =
            traces.iter().map(|trace| trace.iter().map(|(label, _)| *label).collect()).collect();
        assert_eq!(first_rejected(&pessimistic, &words), None);
    }

    #[test]
    fn what_two_traces_did_is_not_stitched_together() {
        let Some(mut solver) = a_solver("what_two_traces_did_is_not_stitched_together") else { return };
        let contracts = stack_contracts();
        let claims = stack_claims(&contracts);
        let mut abstraction = stack_abstraction();
        // Section 3.4: Trace 2 pushes from an empty to a full stack, Trace 3 takes one of several elements.
        let traces = [
            stack_trace(
                &mut abstraction,
                1,
                &["isEmpty:TRUE", "push", "isFull:TRUE", "topAndPop", "isEmpty:TRUE"],
            ),
            stack_trace(&mut abstraction, 2, &["push", "push", "isFull:TRUE", "topAndPop", "isEmpty:FALSE"]),
        ];
        let found = temi(&claims, &traces, &abstraction, LIMIT, &mut solver);
        let stitched = ["StackAr", "push", "isFull:TRUE", "topAndPop", "isEmpty:FALSE"];
        assert!(!found.model.reads(&stitched));
        assert!(found.model.reads(&["StackAr", "push", "isFull:TRUE", "topAndPop", "isEmpty:TRUE"]));
        let full = |state: &usize| {
            found
                .model
                .predicates(*state)
                .iter()
                .any(|text| text == "this.topOfStack >= size(this.theArray) - 1")
                && found.model.predicates(*state).iter().any(|text| text == "this.topOfStack >= 0")
        };
        assert!(found.model.states().filter(full).count() >= 2, "the full stack is split");
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

        /// Lines 10 to 12, one state after the other; a class is the list of its members.
        fn merge(&mut self, mts: &InvariantMts) {
            let observed = |states: &[usize], label: usize| -> BTreeSet<Option<usize>> {
                let fits = |edge: &&(usize, usize, usize, Modality)| {
                    states.contains(&edge.0) && edge.1 == label && edge.3 == Modality::Required
                };
                self.transitions.iter().filter(fits).map(|edge| self.programs[edge.2]).collect()
            };
            let known = |state: usize| {
                self.transitions.iter().filter(|edge| edge.0 == state && edge.3 == Modality::Required).count()
            };
            let mut refined: Vec<usize> = self.refined.iter().copied().collect();
            refined.sort_by_key(|&state| Reverse(known(state)));
            let mut classes: Vec<Vec<usize>> = Vec::new();
            for state in refined {
                let mut best: Option<(usize, usize)> = None;
                for (place, class) in classes.iter().enumerate() {
                    let (mut shared, mut alike) = (0, self.programs[class[0]] == self.programs[state]);
                    for label in 0..3 {
                        let (one, other) = (observed(&[state], label), observed(class, label));
                        if !one.is_empty() && !other.is_empty() {
                            alike &= one.is_subset(&other) || other.is_subset(&one);
                            shared += if one == other { 2 } else { 1 };
                        }
                    }
                    if alike && best.is_none_or(|(most, _)| shared > most) {
                        best = Some((shared, place));
                    }
                }
                match best {
                    Some((_, place)) => classes[place].push(state),
                    None => classes.push(vec![state]),
                }
            }
            // A state that only maybe transitions reach is like any other of its program state.
            for base in 1..=mts.states.len() {
                let same: Vec<usize> = (0..classes.len())
                    .filter(|&place| self.programs[classes[place][0]] == self.programs[base])
                    .collect();
                if let [only] = same[..] {
                    classes[only].push(base);
                }
            }
            let mut into: Vec<usize> = (0..self.programs.len()).collect();
            for class in &classes {
                class.iter().for_each(|&state| into[state] = class[0]);
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
            naive.merge(&mts);
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
