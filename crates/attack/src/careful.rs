//! A subject that can be broken off, and that is not asked again for what hangs it.
//!
//! Algorithms hand over tens of thousands of scripts at once. Here they are run in portions, and between two the caller may break
//! off; scripts that are then left get runs without a step ([`was_left_out`]). What keeps hanging or killing its machine is given
//! up (`hangs.rs`): scripts are cut before it. So every budget is kept, and nothing that was not run is taken for something that
//! did not happen.
//!
//! Paper: none; bookkeeping.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use adit_trace::{Callable, End, Run, Script, Subject};

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
    /// The caller said stop, or the subject did; nothing is run any more until this is taken back.
    pub broken_off: bool,
    /// No more scripts than this are run in all.
    pub most: Option<u64>,
    portion: usize,
    hangs: Hangs,
}

impl Default for Care {
    fn default() -> Self {
        Self { tests: 0, broken_off: false, most: None, portion: SMALLEST, hangs: Hangs::default() }
    }
}

impl Care {
    /// Runs scripts in portions. `go_on` is told how many scripts were run. A subject that leaves scripts out is asked again for
    /// them, after what it ran was learned from; one that runs none at all is taken to have stopped.
    pub fn run<S: Subject>(
        &mut self,
        subject: &mut S,
        batch: &[Script],
        mut go_on: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Vec<Run>, S::Error> {
        let mut runs = Vec::with_capacity(batch.len());
        while runs.len() < batch.len() {
            let rest = &batch[runs.len()..];
            let room = self.most.map_or(u64::MAX, |most| most.saturating_sub(self.tests));
            self.broken_off = self.broken_off || room == 0 || go_on(self.tests).is_break();
            if self.broken_off {
                runs.extend(rest.iter().map(|_| left_out()));
                break;
            }
            let room = usize::try_from(room).unwrap_or(usize::MAX);
            let (given, ends) = self.cut(&rest[..self.portion.min(rest.len()).min(room)]);
            let mut answers = subject.run(&given)?;
            let (mut bad, mut ran, mut first_left) = (false, 0, answers.len());
            for (at, (script, run)) in given.iter().zip(&answers).enumerate() {
                if was_left_out(script, run) {
                    first_left = first_left.min(at);
                } else {
                    ran += 1;
                    bad |= self.hangs.learn(script, run);
                }
            }
            self.portion = if bad { SMALLEST } else { (self.portion * 2).min(LARGEST) };
            self.tests += ran;
            self.broken_off |= ran == 0;
            answers.truncate(first_left);
            for (run, is_cut) in answers.iter_mut().zip(ends) {
                // With nothing before the cut, it would look as if it was left out.
                if is_cut && run.steps.is_empty() && run.end == End::Complete {
                    run.end = End::TimedOut;
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

    /// The scripts up to the first call that was given up, and which of them were cut.
    fn cut<'s>(&self, scripts: &'s [Script]) -> (Cow<'s, [Script]>, Vec<bool>) {
        let cuts: Vec<Option<usize>> = scripts.iter().map(|script| self.hangs.cut(script)).collect();
        let ends = cuts.iter().map(Option::is_some).collect();
        if cuts.iter().all(Option::is_none) {
            return (Cow::Borrowed(scripts), ends);
        }
        let until = |script: &Script, cut: Option<usize>| Script {
            statements: script.statements[..cut.unwrap_or(script.statements.len())].to_vec(),
        };
        (scripts.iter().zip(cuts).map(|(script, cut)| until(script, cut)).collect(), ends)
    }
}

/// Whether a script was not run at all: whatever runs and ends by itself has a step for each statement.
pub fn was_left_out(script: &Script, run: &Run) -> bool {
    run.end == End::Complete && run.steps.is_empty() && !script.statements.is_empty()
}

/// The run of a script that was not run.
fn left_out() -> Run {
    Run { steps: Vec::new(), end: End::Complete, leaked: false, passed: None }
}

/// Runs scripts on another subject, in portions.
pub(crate) struct Careful<'a, S, F> {
    subject: &'a mut S,
    go_on: F,
    pub(crate) care: Care,
}

impl<'a, S, F> Careful<'a, S, F> {
    /// `go_on` is told how many scripts were run.
    pub(crate) fn new(subject: &'a mut S, go_on: F) -> Self {
        Self { subject, go_on, care: Care::default() }
    }
}

impl<S: Subject, F: FnMut(u64) -> ControlFlow<()>> Subject for Careful<'_, S, F> {
    type Error = S::Error;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, S::Error> {
        self.care.run(self.subject, batch, &mut self.go_on)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use adit_trace::{CallKind, Statement, Step, StepResult, Value};

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
        let mut answers = Answers::default();
        let mut careful = Careful::new(&mut answers, |_| ControlFlow::Continue(()));
        let runs = careful.run(&vec![script("go hang go"); 1000]).unwrap();
        let names: Vec<&str> =
            careful.care.given_up().into_iter().map(|callable| callable.name.as_str()).collect();
        assert_eq!(names, ["hang"]);
        assert!(runs.iter().all(|run| run.steps.len() == 1), "what comes before it is still run");
        assert_eq!(answers.hung, 2);
    }

    #[test]
    fn breaking_off_keeps_what_was_run() {
        let mut answers = Answers::default();
        let stop = |tests| if tests < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        let mut careful = Careful::new(&mut answers, stop);
        let runs = careful.run(&vec![script("go"); 5000]).unwrap();
        assert_eq!(runs.len(), 5000);
        let really = runs.iter().filter(|run| !run.steps.is_empty()).count();
        assert_eq!((really as u64, careful.care.broken_off), (careful.care.tests, true));
        // The portions double: 1, 2, 4 and so on.
        assert_eq!(really, 127);
        assert!(careful.run(&[script("go")]).unwrap()[0].steps.is_empty(), "it stays broken off");
        assert!(answers.largest <= LARGEST);
    }

    #[test]
    fn no_more_tests_are_run_than_allowed() {
        let mut answers = Answers::default();
        let mut careful = Careful::new(&mut answers, |_| ControlFlow::Continue(()));
        careful.care.most = Some(100);
        let batch = vec![script("go"); 500];
        let runs = careful.run(&batch).unwrap();
        let left = batch.iter().zip(&runs).filter(|(script, run)| was_left_out(script, run)).count();
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
            runs.resize_with(batch.len(), left_out);
            Ok(runs)
        }
    }

    #[test]
    fn what_a_subject_leaves_out_is_asked_for_again() {
        for (at_once, expected) in [(2, 50), (0, 0)] {
            let mut lazy = Lazy { inner: Answers::default(), at_once };
            let mut careful = Careful::new(&mut lazy, |_| ControlFlow::Continue(()));
            let runs = careful.run(&vec![script("go"); 50]).unwrap();
            let really = runs.iter().filter(|run| !run.steps.is_empty()).count();
            assert_eq!((really, careful.care.tests), (expected, expected as u64));
            assert_eq!(careful.care.broken_off, expected == 0);
        }
    }
}
