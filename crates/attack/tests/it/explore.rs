//! Stacks, explored.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ops::ControlFlow;

use adit_attack::explore::{ExploreOptions, Explored, Laboratory, Prior, SplitOptions, explore};
use adit_attack::{GuardedSubject, SurveyOptions};
use adit_trace::{End, Limit, Phase, Progress, Run, Script, StepResult, Stop, Subject, Unlimited, Value};
use expect_test::{Expect, expect};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::options::splitting;
use crate::stack_world::{StackWorld, roomy_tools, tools};

fn small() -> ExploreOptions {
    ExploreOptions {
        survey: SurveyOptions { scripts: 600, calls: 8, candidates: 24, moves: 8 },
        successors: 8,
        splitting: splitting(8),
    }
}

/// Without splits: no share of walks is worth a state.
fn coarse() -> ExploreOptions {
    let small = small();
    ExploreOptions { splitting: SplitOptions { gain: 1.1, ..small.splitting }, ..small }
}

fn explored(
    subject: &mut impl Subject<Error = Infallible>,
    only: &[&str],
    options: &ExploreOptions,
    until: u64,
) -> Explored {
    let (reader, mut author) = roomy_tools(only);
    let pure = ["isEmpty:TRUE", "isEmpty:FALSE", "size"];
    let pure: BTreeSet<_> = pure.iter().filter_map(|label| reader.alphabet().get(label)).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut pace = |now: &Progress| match now.tests < until {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(Stop::Budget(Limit::Tests)),
    };
    let mut unlimited = Unlimited;
    let mut subject = GuardedSubject::new(subject, &mut unlimited);
    let prior = Prior { pure, ..Prior::default() };
    let (subject, author) = (&mut subject, &mut author);
    let mut laboratory = Laboratory { subject, author, reader: &reader, rng: &mut rng, pace: &mut pace };
    explore(&mut laboratory, prior, options.clone()).unwrap().explored(&reader)
}

fn drawn(explored: &Explored) -> String {
    let edges = explored.model.all_edges();
    edges.map(|edge| format!("{} {} {}\n", edge.from, edge.label, edge.to)).collect()
}

fn check(only: &[&str], options: &ExploreOptions, expected: Expect) -> Explored {
    let explored = explored(&mut StackWorld::default(), only, options, u64::MAX);
    assert_eq!(explored.stop, Stop::Done);
    expected.assert_eq(&drawn(&explored));
    explored
}

#[test]
fn a_stack_as_textbooks_have_it_when_no_split_is_worth_it() {
    let explored = check(
        &["push", "pop", "isEmpty"],
        &coarse(),
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
    // A stack that holds one element is not one that holds two: the coarse model does not count.
    assert!(explored.realized.unwrap() < 0.98 && !explored.unrealized.is_empty(), "{:?}", explored.realized);
    assert!(!explored.tests().is_empty());
}

#[test]
fn every_transition_is_shown_and_what_is_refused_is_known() {
    let explored = explored(&mut StackWorld::default(), &["push", "pop", "isEmpty"], &small(), u64::MAX);
    assert_eq!(explored.witnesses.len(), explored.model.transitions());
    for edge in explored.model.all_edges() {
        let shown = explored
            .witnesses
            .iter()
            .find(|one| (one.from, &one.label, one.to) == (edge.from, edge.label, edge.to));
        let shown = shown.unwrap_or_else(|| panic!("{} {} {}", edge.from, edge.label, edge.to));
        let last = shown.script.statements.last().unwrap();
        assert!(shown.situations > 0 && edge.label.starts_with(last.callable.event_name()), "{shown:?}");
    }
    // Two elements must be put in before one can be taken out and another is left.
    let (from, to) = (2, 1);
    let pop =
        explored.witnesses.iter().find(|one| one.label == "pop" && one.from == from && one.to == to).unwrap();
    assert_eq!(pop.script.statements.iter().filter(|one| one.callable.name == "push").count(), 1, "{pop:?}");
    let refused: Vec<(usize, &str)> =
        explored.refusals.iter().map(|refusal| (refusal.state, refusal.label.as_str())).collect();
    assert_eq!(refused, [(1, "pop!Empty")]);
    assert!(explored.refusals[0].script.statements.iter().all(|one| one.callable.name != "push"));
}

#[test]
fn what_cannot_happen_splits_a_state() {
    let fine = explored(&mut StackWorld::default(), &["push", "pop", "isEmpty"], &small(), u64::MAX);
    let coarse = explored(&mut StackWorld::default(), &["push", "pop", "isEmpty"], &coarse(), u64::MAX);
    assert!(fine.model.len() > coarse.model.len());
    assert!(fine.realized.unwrap() > coarse.realized.unwrap());
}

#[test]
fn the_same_seed_gives_the_same_model() {
    let one = explored(&mut StackWorld::default(), &["push", "pop", "isEmpty"], &small(), u64::MAX);
    let two = explored(&mut StackWorld::default(), &["push", "pop", "isEmpty"], &small(), u64::MAX);
    assert_eq!((drawn(&one), one.tests()), (drawn(&two), two.tests()));
}

#[test]
fn broken_off_it_tells_what_is_known() {
    for until in [0, 300, 500] {
        let explored = explored(&mut StackWorld::default(), &["push", "pop", "isEmpty"], &small(), until);
        assert_eq!(explored.stop, Stop::Budget(Limit::Tests), "{until}");
        // There is always something, and it begins with making a stack.
        assert!(explored.model.edges(0).next().is_some(), "{until}");
        assert!(explored.model.edges(0).all(|edge| edge.label == "Stack"), "{until}");
    }
}

#[test]
fn phases_come_in_their_order() {
    let (reader, mut author) = tools(None);
    let mut phases: Vec<Phase> = Vec::new();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut pace = |now: &Progress| {
        if phases.last() != Some(&now.phase) {
            phases.push(now.phase);
        }
        ControlFlow::Continue(())
    };
    let (mut fake, mut unlimited) = (StackWorld::default(), Unlimited);
    let mut subject = GuardedSubject::new(&mut fake, &mut unlimited);
    let (subject, author) = (&mut subject, &mut author);
    let mut laboratory = Laboratory { subject, author, reader: &reader, rng: &mut rng, pace: &mut pace };
    explore(&mut laboratory, Prior::default(), small()).unwrap();
    assert_eq!(phases[..3], [Phase::Survey, Phase::Choose, Phase::Explore]);
    assert_eq!(phases.last(), Some(&Phase::Refute));
}

/// A stack whose `pop` hangs, or on which something happens once only.
struct Strange {
    inner: StackWorld,
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
    let mut strange = Strange { inner: StackWorld::default(), hangs: true, lucky: 0, hung: 0 };
    let explored = explored(&mut strange, &["push", "pop", "isEmpty"], &small(), u64::MAX);
    assert!(explored.stop.is_done() && !drawn(&explored).contains("pop"));
    // The first part of the survey hands over many scripts at once.
    assert!(strange.hung < 300, "{}", strange.hung);
}

#[test]
fn what_happens_once_is_no_state() {
    let mut strange = Strange { inner: StackWorld::default(), hangs: false, lucky: 1, hung: 0 };
    let lucky = explored(&mut strange, &["push", "pop", "isEmpty"], &coarse(), u64::MAX);
    let usual = explored(&mut StackWorld::default(), &["push", "pop", "isEmpty"], &coarse(), u64::MAX);
    assert_eq!(strange.lucky, 0);
    assert_eq!(drawn(&lucky), drawn(&usual));
}

/// Runs no scripts once it has run so many, as a subject does whose time is over.
struct Tired {
    inner: StackWorld,
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

/// A call that was not run did not fail: no state is made of it, and every confirmed transition was seen.
#[test]
fn what_was_not_run_is_not_taken_for_impossible() {
    let whole = explored(&mut StackWorld::default(), &["push", "pop", "isEmpty"], &coarse(), u64::MAX);
    for left in (1000..8000).step_by(137) {
        let mut tired = Tired { inner: StackWorld::default(), left };
        let explored = explored(&mut tired, &["push", "pop", "isEmpty"], &coarse(), u64::MAX);
        assert!(explored.model.len() <= whole.model.len(), "{left}: {}", drawn(&explored));
        // With exactly as many as it takes, it is done.
        if tired.left == 0 && explored.tests < whole.tests {
            assert_eq!(explored.stop, Stop::GaveUp, "{left}");
        }
        // A state from which nothing is possible would be one where nothing was tried.
        for state in explored.model.states().filter(|&state| explored.model.len() > 1 || state > 0) {
            assert!(explored.model.edges(state).next().is_some(), "{left}: {}", drawn(&explored));
        }
    }
}

/// A stack on which `pop` works only after `size` was asked five times in a row, and whose fields show
/// nothing.
struct Late(StackWorld);

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
                        step.result = StepResult::threw("Strange");
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
    let explored = explored(&mut Late(StackWorld::default()), &["push", "pop", "size"], &small(), u64::MAX);
    assert_eq!(explored.stop, Stop::Done);
    let late: Vec<usize> = explored
        .model
        .states()
        .filter(|&state| explored.model.edges(state).any(|edge| edge.label == "pop"))
        .collect();
    assert!(!late.is_empty(), "{}", drawn(&explored));
    for state in late {
        for label in ["push", "size"] {
            assert!(explored.model.edges(state).any(|edge| edge.label == label), "{}", drawn(&explored));
        }
    }
}
