//! Guard against hangs: scripts run in portions, and calls that keep hanging are not made again.
//!
//! Searches hand over tens of thousands of scripts at once. Between two portions the caller may stop; the
//! remaining scripts end as [`End::NotRun`]. Calls that keep hanging or killing their machine are given up
//! (`hangs.rs`): scripts are cut before them and end as [`End::Cut`]. So every budget is kept, and nothing
//! that was not run is taken for something that did not happen.
//!
//! A guard is the one place that learns what hangs. Searches, generators and commands ask it.
//!
//! Paper: none; bookkeeping.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use adit_trace::{
    Author, Callable, Depth, End, Limit, Pace, Phase, Progress, Run, RunLimits, Script, Stop, Subject,
};

use crate::hangs::{BadEnd, HangBlame};

/// Size of the first portion, and of any after a script that ended badly: each of those costs as much as
/// thousands of others, and the next may be the last that it takes to give something up.
const SMALLEST: usize = 1;

/// Size of the largest portion: some hundredths of a second of work.
const LARGEST: usize = 1024;

/// A subject whose scripts pass through a [`HangGuard`].
pub trait Guarded: Subject {
    /// The guard, which knows what hangs.
    fn guard(&self) -> &HangGuard;
}

/// Runs scripts in portions and learns which calls hang.
#[derive(Clone, Debug)]
pub struct HangGuard {
    /// Scripts that were really run.
    pub tests: u64,
    /// Reason why nothing more is run, until it is taken back: the caller stopped, or the subject did.
    pub stopped: Option<Stop>,
    /// Number of scripts that may be run in all.
    pub most: Option<u64>,
    portion: usize,
    largest: usize,
    blame: HangBlame,
    /// The same with cut calls counted as hangs: the more often a call is cut, the less it is worth trying.
    foreseen: HangBlame,
}

impl Default for HangGuard {
    fn default() -> Self {
        Self::new(LARGEST)
    }
}

impl HangGuard {
    /// A guard that knows nothing yet. It asks whether to go on after at most this many scripts.
    pub fn new(largest: usize) -> Self {
        let (blame, foreseen) = (HangBlame::default(), HangBlame::default());
        Self { tests: 0, stopped: None, most: None, portion: SMALLEST, largest, blame, foreseen }
    }

    /// Runs scripts in portions, in this phase of a search. Scripts that the subject did not run are handed
    /// to it again, after the others were learned from; a subject that runs none at all has stopped.
    pub fn run<S: Subject>(
        &mut self,
        subject: &mut S,
        batch: &[Script],
        phase: Phase,
        pace: &mut dyn Pace,
    ) -> Result<Vec<Run>, S::Error> {
        let mut runs = Vec::with_capacity(batch.len());
        while runs.len() < batch.len() {
            let rest = &batch[runs.len()..];
            let room = self.most.map_or(u64::MAX, |most| most.saturating_sub(self.tests));
            if self.stopped.is_none() && room == 0 {
                self.stopped = Some(Stop::Budget(Limit::Tests));
            }
            if self.stopped.is_none() {
                self.stopped = pace.go_on(&Progress::new(phase, self.tests)).break_value();
            }
            if self.stopped.is_some() {
                runs.resize_with(batch.len(), Run::not_run);
                break;
            }
            let room = usize::try_from(room).unwrap_or(usize::MAX);
            let (given, cuts) = self.cut_all(&rest[..self.portion.min(rest.len()).min(room)]);
            let mut answers = subject.run(&given)?;
            if !self.learn(&given, &answers) {
                self.stopped = Some(why_not_run(pace, &Progress::new(phase, self.tests)));
            }
            let first_left = answers.iter().position(|run| !run.was_run()).unwrap_or(answers.len());
            answers.truncate(first_left);
            for ((run, cut), script) in answers.iter_mut().zip(cuts).zip(rest) {
                if let Some(before) = cut.filter(|_| run.end == End::Complete) {
                    run.end = End::Cut { before };
                }
                self.foreseen.learn(script, run);
            }
            runs.extend(answers);
        }
        Ok(runs)
    }

    /// Learns from the runs of a portion, and tells whether there were any.
    fn learn(&mut self, scripts: &[Script], runs: &[Run]) -> bool {
        let (mut bad, mut ran) = (false, 0);
        for (script, run) in scripts.iter().zip(runs).filter(|(_, run)| run.was_run()) {
            ran += 1;
            bad |= self.blame.learn(script, run);
        }
        self.portion = if bad { SMALLEST } else { (self.portion * 2).min(self.largest) };
        self.tests += ran;
        ran > 0
    }

    /// Tells whether the script has a call that would hang.
    pub fn foresees_hang(&self, script: &Script) -> bool {
        self.foreseen.cut(script).is_some()
    }

    /// Methods that are no longer called, at least on some objects, because they hang or kill their machine.
    pub fn given_up(&self) -> BTreeSet<&Arc<Callable>> {
        self.blame.methods()
    }

    /// Tells whether the method is not worth trying on any object.
    pub fn is_given_up_everywhere(&self, callable: &Arc<Callable>) -> bool {
        self.foreseen.is_given_up(callable)
    }

    /// Tells an author which methods are no longer worth calling.
    pub fn warn(&self, author: &mut impl Author) {
        self.blame.methods_to_avoid().for_each(|callable| author.give_up(callable));
    }

    /// Every call that hung or killed its machine, given up or not.
    pub fn bad_ends(&self) -> Vec<BadEnd<'_>> {
        self.blame.bad_ends()
    }

    /// Descriptions of constructions that are no longer used because most calls on their objects hang.
    pub fn constructions_given_up(&self) -> BTreeSet<&str> {
        self.blame.constructions()
    }

    /// The scripts up to the first call that was given up, and where each was cut.
    fn cut_all<'s>(&self, scripts: &'s [Script]) -> (Cow<'s, [Script]>, Vec<Option<usize>>) {
        let cuts: Vec<Option<usize>> = scripts.iter().map(|script| self.blame.cut(script)).collect();
        if cuts.iter().all(Option::is_none) {
            return (Cow::Borrowed(scripts), cuts);
        }
        let until = |script: &Script, cut: Option<usize>| Script {
            statements: script.statements[..cut.unwrap_or(script.statements.len())].to_vec(),
        };
        (scripts.iter().zip(&cuts).map(|(script, cut)| until(script, *cut)).collect(), cuts)
    }
}

/// Reason why a subject did not run scripts: the caller's, or else its own.
pub(crate) fn why_not_run(pace: &mut dyn Pace, progress: &Progress) -> Stop {
    match pace.go_on(progress) {
        ControlFlow::Break(stop) => stop,
        ControlFlow::Continue(()) => Stop::GaveUp,
    }
}

/// Another subject behind a guard of its own.
pub struct GuardedSubject<'a, S> {
    subject: &'a mut S,
    pace: &'a mut dyn Pace,
    /// Step of the search that the scripts belong to.
    pub phase: Phase,
    guard: HangGuard,
}

impl<'a, S> GuardedSubject<'a, S> {
    /// Guards a subject. `pace` may stop it between two portions; from then on, nothing is run until the next
    /// phase begins.
    pub fn new(subject: &'a mut S, pace: &'a mut dyn Pace) -> Self {
        Self { subject, pace, phase: Phase::default(), guard: HangGuard::default() }
    }

    /// Begins a phase. A caller who limited the one before may let this one run.
    pub fn begin(&mut self, phase: Phase) {
        self.phase = phase;
        if matches!(self.guard.stopped, Some(Stop::Budget(_))) {
            self.guard.stopped = self.pace.go_on(&Progress::new(phase, self.guard.tests)).break_value();
        }
    }
}

impl<S: Subject> Subject for GuardedSubject<'_, S> {
    type Error = S::Error;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, S::Error> {
        self.guard.run(self.subject, batch, self.phase, self.pace)
    }

    fn limit(&mut self, limits: RunLimits) {
        self.subject.limit(limits);
    }

    fn renew(&mut self) {
        self.subject.renew();
    }

    fn look(&mut self, depth: Depth) {
        self.subject.look(depth);
    }
}

impl<S: Subject> Guarded for GuardedSubject<'_, S> {
    fn guard(&self) -> &HangGuard {
        &self.guard
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use adit_trace::{CallKind, Statement, Step, StepResult, Unlimited, Value};

    use super::*;

    /// Answers every call, but hangs in `hang`.
    #[derive(Default)]
    struct Answers {
        hung: usize,
        largest: usize,
    }

    impl Subject for Answers {
        type Error = Infallible;

        fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
            self.largest = self.largest.max(batch.len());
            let step = Step::new(StepResult::Returned(Value::Void));
            let one = |script: &Script| {
                let hang = script.statements.iter().position(|statement| statement.callable.name == "hang");
                self.hung += usize::from(hang.is_some());
                let steps = vec![step.clone(); hang.unwrap_or(script.statements.len())];
                Run {
                    steps,
                    end: if hang.is_some() { End::TimedOut } else { End::Complete },
                    leaked: false,
                    passed: None,
                }
            };
            Ok(batch.iter().map(one).collect())
        }
    }

    fn script(names: &str) -> Script {
        let statement = |name: &str| Statement {
            callable: Arc::new(Callable::new(CallKind::Function, "a.B", name)),
            receiver: None,
            args: Vec::new(),
        };
        Script { statements: names.split(' ').map(statement).collect() }
    }

    #[test]
    fn what_hangs_is_given_up_after_two_times() {
        let (mut answers, mut pace) = (Answers::default(), Unlimited);
        let mut guarded = GuardedSubject::new(&mut answers, &mut pace);
        let runs = guarded.run(&vec![script("go hang go"); 1000]).unwrap();
        let names: Vec<&str> =
            guarded.guard.given_up().into_iter().map(|callable| callable.name.as_str()).collect();
        assert_eq!(names, ["hang"]);
        assert!(runs.iter().skip(2).all(|run| run.end == End::Cut { before: 1 }));
        assert!(runs.iter().all(|run| run.steps.len() == 1), "what comes before it is still run");
        assert_eq!(answers.hung, 2);
    }

    #[test]
    fn breaking_off_keeps_what_was_run() {
        let mut answers = Answers::default();
        let mut pace = |now: &Progress| match now.tests {
            ..100 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(Stop::Interrupted),
        };
        let mut guarded = GuardedSubject::new(&mut answers, &mut pace);
        let runs = guarded.run(&vec![script("go"); 5000]).unwrap();
        assert_eq!(runs.len(), 5000);
        let really = runs.iter().filter(|run| !run.steps.is_empty()).count();
        assert_eq!((really as u64, guarded.guard.stopped), (guarded.guard.tests, Some(Stop::Interrupted)));
        // The portions double: 1, 2, 4 and so on.
        assert_eq!(really, 127);
        assert!(guarded.run(&[script("go")]).unwrap()[0].steps.is_empty(), "it stays stopped");
        assert!(answers.largest <= LARGEST);
    }

    #[test]
    fn no_more_tests_are_run_than_allowed() {
        let (mut answers, mut pace) = (Answers::default(), Unlimited);
        let mut guarded = GuardedSubject::new(&mut answers, &mut pace);
        guarded.guard.most = Some(100);
        let batch = vec![script("go"); 500];
        let runs = guarded.run(&batch).unwrap();
        let left = runs.iter().filter(|run| !run.was_run()).count();
        assert_eq!((guarded.guard.tests, left), (100, 400));
    }

    /// Runs only the first two scripts that it is given, or none at all.
    struct Lazy {
        inner: Answers,
        at_once: usize,
    }

    impl Subject for Lazy {
        type Error = Infallible;

        fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
            let mut runs = self.inner.run(&batch[..self.at_once.min(batch.len())])?;
            runs.resize_with(batch.len(), Run::not_run);
            Ok(runs)
        }
    }

    #[test]
    fn what_a_subject_leaves_out_is_asked_for_again() {
        for (at_once, expected) in [(2, 50), (0, 0)] {
            let (mut lazy, mut pace) = (Lazy { inner: Answers::default(), at_once }, Unlimited);
            let mut guarded = GuardedSubject::new(&mut lazy, &mut pace);
            let runs = guarded.run(&vec![script("go"); 50]).unwrap();
            let really = runs.iter().filter(|run| !run.steps.is_empty()).count();
            assert_eq!((really, guarded.guard.tests), (expected, expected as u64));
            assert_eq!(guarded.guard.stopped, (expected == 0).then_some(Stop::GaveUp));
        }
    }
}
