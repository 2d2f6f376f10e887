//! Runs scripts in portions, so that a caller can stop in the middle of a batch, and never repeats what hangs.
//!
//! Searches hand over tens of thousands of scripts at once. Between two portions the caller may stop; the remaining
//! scripts end as [`End::NotRun`]. Calls that keep hanging or killing their machine are given up (`hangs.rs`): scripts
//! are cut before them and end as [`End::Cut`]. So every budget is kept, and nothing that was not run is taken for
//! something that did not happen.
//!
//! Paper: none; bookkeeping.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use adit_trace::{Callable, End, Limit, Pace, Phase, Progress, Run, RunLimits, Script, Stop, Subject};

use crate::hangs::Hangs;

/// The first portion, and any after a script that ended badly: each of those costs as much as thousands of others, and the next
/// may be the last that it takes to give something up.
const SMALLEST: usize = 1;

/// Some hundredths of a second of work.
const LARGEST: usize = 1024;

/// What is learned while scripts are run in portions.
#[derive(Clone, Debug)]
pub struct Care {
    /// Scripts that were really run.
    pub tests: u64,
    /// Reason why nothing more is run, until it is taken back: the caller stopped, or the subject did.
    pub stopped: Option<Stop>,
    /// Number of scripts that may be run in all.
    pub most: Option<u64>,
    portion: usize,
    hangs: Hangs,
}

impl Default for Care {
    fn default() -> Self {
        Self { tests: 0, stopped: None, most: None, portion: SMALLEST, hangs: Hangs::default() }
    }
}

impl Care {
    /// Runs scripts in portions, in this phase of a search. Scripts that the subject did not run are handed to it again,
    /// after the others were learned from; a subject that runs none at all has stopped.
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
            let (given, cuts) = self.cut(&rest[..self.portion.min(rest.len()).min(room)]);
            let mut answers = subject.run(&given)?;
            let (mut bad, mut ran, mut first_left) = (false, 0, answers.len());
            for (at, (script, run)) in given.iter().zip(&answers).enumerate() {
                if run.was_run() {
                    ran += 1;
                    bad |= self.hangs.learn(script, run);
                } else {
                    first_left = first_left.min(at);
                }
            }
            self.portion = if bad { SMALLEST } else { (self.portion * 2).min(LARGEST) };
            self.tests += ran;
            if ran == 0 {
                self.stopped = Some(why_not_run(pace, &Progress::new(phase, self.tests)));
            }
            answers.truncate(first_left);
            for (run, cut) in answers.iter_mut().zip(cuts) {
                if let Some(before) = cut.filter(|_| run.end == End::Complete) {
                    run.end = End::Cut { before };
                }
            }
            runs.extend(answers);
        }
        Ok(runs)
    }

    /// The methods that are no longer called, at least on some objects, because they hang or end their machine.
    pub fn given_up(&self) -> BTreeSet<&Arc<Callable>> {
        self.hangs.methods()
    }

    /// Every call that hung or ended its machine, given up or not, with how its object was made in words and how often.
    pub fn bad_ends(&self) -> Vec<(&Arc<Callable>, &str, u64)> {
        self.hangs.all()
    }

    /// Whether the method is among them.
    pub(crate) fn is_given_up(&self, callable: &Arc<Callable>) -> bool {
        self.hangs.methods().contains(callable)
    }

    /// In words, how objects are made that are no longer made because most calls on them hang.
    pub fn makings_given_up(&self) -> BTreeSet<&str> {
        self.hangs.makings()
    }

    /// The scripts up to the first call that was given up, and where each was cut.
    fn cut<'s>(&self, scripts: &'s [Script]) -> (Cow<'s, [Script]>, Vec<Option<usize>>) {
        let cuts: Vec<Option<usize>> = scripts.iter().map(|script| self.hangs.cut(script)).collect();
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

/// Runs scripts on another subject, in portions.
pub(crate) struct Careful<'a, S> {
    subject: &'a mut S,
    pace: &'a mut dyn Pace,
    /// Step of the search that the scripts belong to.
    pub(crate) phase: Phase,
    pub(crate) care: Care,
}

impl<'a, S> Careful<'a, S> {
    pub(crate) fn new(subject: &'a mut S, pace: &'a mut dyn Pace) -> Self {
        Self { subject, pace, phase: Phase::default(), care: Care::default() }
    }
}

impl<S: Subject> Subject for Careful<'_, S> {
    type Error = S::Error;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, S::Error> {
        self.care.run(self.subject, batch, self.phase, self.pace)
    }

    fn limit(&mut self, limits: RunLimits) {
        self.subject.limit(limits);
    }

    fn renew(&mut self) {
        self.subject.renew();
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
        let mut careful = Careful::new(&mut answers, &mut pace);
        let runs = careful.run(&vec![script("go hang go"); 1000]).unwrap();
        let names: Vec<&str> =
            careful.care.given_up().into_iter().map(|callable| callable.name.as_str()).collect();
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
        let mut careful = Careful::new(&mut answers, &mut pace);
        let runs = careful.run(&vec![script("go"); 5000]).unwrap();
        assert_eq!(runs.len(), 5000);
        let really = runs.iter().filter(|run| !run.steps.is_empty()).count();
        assert_eq!((really as u64, careful.care.stopped), (careful.care.tests, Some(Stop::Interrupted)));
        // The portions double: 1, 2, 4 and so on.
        assert_eq!(really, 127);
        assert!(careful.run(&[script("go")]).unwrap()[0].steps.is_empty(), "it stays stopped");
        assert!(answers.largest <= LARGEST);
    }

    #[test]
    fn no_more_tests_are_run_than_allowed() {
        let (mut answers, mut pace) = (Answers::default(), Unlimited);
        let mut careful = Careful::new(&mut answers, &mut pace);
        careful.care.most = Some(100);
        let batch = vec![script("go"); 500];
        let runs = careful.run(&batch).unwrap();
        let left = runs.iter().filter(|run| !run.was_run()).count();
        assert_eq!((careful.care.tests, left), (100, 400));
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
            let mut careful = Careful::new(&mut lazy, &mut pace);
            let runs = careful.run(&vec![script("go"); 50]).unwrap();
            let really = runs.iter().filter(|run| !run.steps.is_empty()).count();
            assert_eq!((really, careful.care.tests), (expected, expected as u64));
            assert_eq!(careful.care.stopped, (expected == 0).then_some(Stop::GaveUp));
        }
    }
}
