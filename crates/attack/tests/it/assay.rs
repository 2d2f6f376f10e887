//! The imitated stack, tried.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ops::ControlFlow;

use adit_attack::assay::{AssayOptions, Assayed, assay};
use adit_attack::{ApiOptions, Ear, Generator};
use adit_trace::{End, Limit, Phase, Progress, Run, Script, StepResult, Stop, Subject, Value};
use expect_test::{Expect, expect};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::classes::{generator_options, options, prepared};
use crate::fake::Fake;

fn small() -> AssayOptions {
    AssayOptions { survey: 600, calls: 8, walks: 100, walk_length: 8, ..AssayOptions::default() }
}

fn assayed(
    subject: &mut impl Subject<Error = Infallible>,
    only: &[&str],
    options: &AssayOptions,
    until: u64,
) -> Assayed {
    let only = only.iter().map(|&name| name.to_owned()).collect();
    let asked = ApiOptions { only: Some(only), ..crate::classes::options() };
    let (api, supply) = prepared("small.Stack", &asked).unwrap();
    let (ear, mut generator) = (Ear::new(&api), Generator::new(&api, supply, generator_options()));
    let pure = ["isEmpty:TRUE", "isEmpty:FALSE", "size"];
    let pure: BTreeSet<_> = pure.iter().filter_map(|label| ear.alphabet().get(label)).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut pace = |now: &Progress| match now.tests < until {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(Stop::Budget(Limit::Tests)),
    };
    assay(subject, &mut generator, &ear, &pure, options, &mut rng, &mut pace).unwrap()
}

fn drawn(assayed: &Assayed) -> String {
    let edges = assayed.model.all_edges();
    edges.map(|edge| format!("{} {} {}\n", edge.from, edge.label, edge.to)).collect()
}

fn check(only: &[&str], options: &AssayOptions, expected: Expect) -> Assayed {
    let assayed = assayed(&mut Fake::default(), only, options, u64::MAX);
    assert_eq!(assayed.stop, Stop::Done);
    expected.assert_eq(&drawn(&assayed));
    assayed
}

#[test]
fn a_stack_as_textbooks_have_it_when_no_split_is_worth_it() {
    let coarse = AssayOptions { gain: 1.1, ..small() };
    let assayed = check(
        &["push", "pop", "isEmpty"],
        &coarse,
        expect![[r#"
        0 Stack 1
        1 isEmpty:TRUE 1
        1 push 2
        2 isEmpty:FALSE 2
        2 pop 1
        2 pop 2
        2 push 2
    "#]],
    );
    assert!(assayed.splits.is_empty());
    // A stack that holds one element is not one that holds two: the coarse model does not count.
    assert!(assayed.realized.unwrap() < 0.98 && !assayed.unrealized.is_empty(), "{:?}", assayed.realized);
    assert!(!assayed.witnesses().is_empty());
}

#[test]
fn every_transition_is_shown_and_what_is_refused_is_known() {
    let assayed = assayed(&mut Fake::default(), &["push", "pop", "isEmpty"], &small(), u64::MAX);
    assert_eq!(assayed.shown.len(), assayed.model.transitions());
    for edge in assayed.model.all_edges() {
        let shown = assayed
            .shown
            .iter()
            .find(|one| (one.from, &one.label, one.to) == (edge.from, edge.label, edge.to));
        let shown = shown.unwrap_or_else(|| panic!("{} {} {}", edge.from, edge.label, edge.to));
        let last = shown.script.statements.last().unwrap();
        assert!(shown.situations > 0 && edge.label.starts_with(last.callable.event_name()), "{shown:?}");
    }
    // Two elements must be put in before one can be taken out and another is left.
    let (from, to) = (2, 1);
    let pop =
        assayed.shown.iter().find(|one| one.label == "pop" && one.from == from && one.to == to).unwrap();
    assert_eq!(pop.script.statements.iter().filter(|one| one.callable.name == "push").count(), 1, "{pop:?}");
    let refused: Vec<(usize, &str)> =
        assayed.refusals.iter().map(|refusal| (refusal.state, refusal.label.as_str())).collect();
    assert_eq!(refused, [(1, "pop!ArrayIndexOutOfBoundsException")]);
    assert!(assayed.refusals[0].script.statements.iter().all(|one| one.callable.name != "push"));
}

#[test]
fn what_cannot_happen_splits_a_state() {
    let fine = assayed(&mut Fake::default(), &["push", "pop", "isEmpty"], &small(), u64::MAX);
    let coarse = assayed(
        &mut Fake::default(),
        &["push", "pop", "isEmpty"],
        &AssayOptions { gain: 1.1, ..small() },
        u64::MAX,
    );
    assert!(!fine.splits.is_empty());
    assert!(fine.model.len() > coarse.model.len());
    assert!(fine.realized.unwrap() > coarse.realized.unwrap());
}

#[test]
fn the_same_seed_gives_the_same_model() {
    let one = assayed(&mut Fake::default(), &["push", "pop", "isEmpty"], &small(), u64::MAX);
    let two = assayed(&mut Fake::default(), &["push", "pop", "isEmpty"], &small(), u64::MAX);
    assert_eq!((drawn(&one), one.witnesses()), (drawn(&two), two.witnesses()));
}

#[test]
fn broken_off_it_tells_what_is_known() {
    for until in [0, 700, 2000, 5000] {
        let assayed = assayed(&mut Fake::default(), &["push", "pop", "isEmpty"], &small(), until);
        assert_eq!(assayed.stop, Stop::Budget(Limit::Tests), "{until}");
        // There is always something, and it begins with making a stack.
        assert!(assayed.model.edges(0).next().is_some(), "{until}");
        assert!(assayed.model.edges(0).all(|edge| edge.label == "Stack"), "{until}");
    }
}

#[test]
fn phases_come_in_their_order() {
    let (api, supply) = prepared("small.Stack", &options()).unwrap();
    let (ear, mut generator) = (Ear::new(&api), Generator::new(&api, supply, generator_options()));
    let mut phases: Vec<Phase> = Vec::new();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut pace = |now: &Progress| {
        if phases.last() != Some(&now.phase) {
            phases.push(now.phase);
        }
        ControlFlow::Continue(())
    };
    assay(&mut Fake::default(), &mut generator, &ear, &BTreeSet::new(), &small(), &mut rng, &mut pace)
        .unwrap();
    assert_eq!(phases[..3], [Phase::Survey, Phase::Choose, Phase::Explore]);
    assert_eq!(phases.last(), Some(&Phase::Refute));
}

/// A stack whose `pop` hangs, or on which something happens once only.
struct Strange {
    inner: Fake,
    hangs: bool,
    lucky: u32,
    hung: u32,
}

impl Subject for Strange {
    type Error = Infallible;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
        let mut runs = self.inner.run(batch)?;
        for (script, run) in batch.iter().zip(&mut runs) {
            let pop = script.statements.iter().position(|statement| statement.callable.name == "pop");
            if let Some(at) = pop.filter(|_| self.hangs) {
                run.steps.truncate(at);
                run.end = End::TimedOut;
                self.hung += 1;
            }
            // Once, an empty stack says that it is not.
            let asked = script.statements.iter().rposition(|statement| statement.callable.name == "isEmpty");
            if let Some(step) = asked.and_then(|at| run.steps.get_mut(at))
                && self.lucky > 0
                && step.result == StepResult::Returned(Value::Bool(true))
            {
                self.lucky -= 1;
                step.result = StepResult::Returned(Value::Bool(false));
            }
        }
        Ok(runs)
    }
}

#[test]
fn a_method_that_hangs_is_given_up() {
    let mut strange = Strange { inner: Fake::default(), hangs: true, lucky: 0, hung: 0 };
    let assayed = assayed(&mut strange, &["push", "pop", "isEmpty"], &small(), u64::MAX);
    assert!(assayed.stop.is_done() && !drawn(&assayed).contains("pop"));
    // The first part of the survey hands over many scripts at once.
    assert!(strange.hung < 300, "{}", strange.hung);
}

#[test]
fn what_happens_once_is_no_state() {
    let mut strange = Strange { inner: Fake::default(), hangs: false, lucky: 1, hung: 0 };
    let coarse = AssayOptions { gain: 1.1, ..small() };
    let lucky = assayed(&mut strange, &["push", "pop", "isEmpty"], &coarse, u64::MAX);
    let usual = assayed(&mut Fake::default(), &["push", "pop", "isEmpty"], &coarse, u64::MAX);
    assert_eq!(strange.lucky, 0);
    assert_eq!(drawn(&lucky), drawn(&usual));
}

/// Runs no scripts once it has run so many, as a subject does whose time is over.
struct Tired {
    inner: Fake,
    left: usize,
}

impl Subject for Tired {
    type Error = Infallible;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
        let now = self.left.min(batch.len());
        self.left -= now;
        let mut runs = self.inner.run(&batch[..now])?;
        runs.resize_with(batch.len(), Run::not_run);
        Ok(runs)
    }
}

/// What was not run did not fail: no state is made of it, and every transition that is sure was seen.
#[test]
fn what_was_not_run_is_not_taken_for_impossible() {
    let coarse = AssayOptions { gain: 1.1, ..small() };
    let whole = assayed(&mut Fake::default(), &["push", "pop", "isEmpty"], &coarse, u64::MAX);
    for left in (1000..8000).step_by(137) {
        let mut tired = Tired { inner: Fake::default(), left };
        let assayed = assayed(&mut tired, &["push", "pop", "isEmpty"], &coarse, u64::MAX);
        assert!(assayed.model.len() <= whole.model.len(), "{left}: {}", drawn(&assayed));
        if tired.left == 0 {
            assert_eq!(assayed.stop, Stop::GaveUp, "{left}");
        }
        // A state from which nothing is possible would be one where nothing was tried.
        for state in assayed.model.states().filter(|&state| assayed.model.len() > 1 || state > 0) {
            assert!(assayed.model.edges(state).next().is_some(), "{left}: {}", drawn(&assayed));
        }
    }
}

/// A stack on which `pop` works only after `size` was asked five times in a row, and whose fields show nothing.
struct Late(Fake);

impl Subject for Late {
    type Error = Infallible;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
        let mut runs = self.0.run(batch)?;
        for (script, run) in batch.iter().zip(&mut runs) {
            let mut asked = 0;
            for (statement, step) in script.statements.iter().zip(&mut run.steps) {
                step.fields = None;
                match &*statement.callable.name {
                    "size" => asked += 1,
                    "pop" if asked < 5 => {
                        step.result = StepResult::threw("java.lang.Error");
                    }
                    "pop" => step.result = StepResult::Returned(Value::Void),
                    _ => {}
                }
            }
        }
        Ok(runs)
    }
}

/// A state that only random runs come upon is explored as well as the others: what it allows leads somewhere.
#[test]
fn what_is_found_late_is_explored_too() {
    let assayed = assayed(&mut Late(Fake::default()), &["push", "pop", "size"], &small(), u64::MAX);
    assert_eq!(assayed.stop, Stop::Done);
    let late: Vec<usize> = assayed
        .model
        .states()
        .filter(|&state| assayed.model.edges(state).any(|edge| edge.label == "pop"))
        .collect();
    assert!(!late.is_empty(), "{}", drawn(&assayed));
    for state in late {
        for label in ["push", "size"] {
            assert!(assayed.model.edges(state).any(|edge| edge.label == label), "{}", drawn(&assayed));
        }
    }
}
