//! A subject that can be broken off, and that is not asked again for what hangs it.
//!
//! Algorithms hand over tens of thousands of scripts at once. Here they are run in portions, and between two the caller may break
//! off; scripts that are then left get runs without a step. A method that keeps hanging or killing its machine is given up:
//! scripts are cut before it. So every budget is kept, and nothing that was not run is taken for something that did not happen, as
//! long as [`Care::broken_off`] is looked at.
//!
//! Paper: none; bookkeeping.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use adit_trace::{Callable, End, Run, Script, Subject};

/// The first portion, and any after a script that ended badly: each of those costs as much as thousands of others.
const SMALLEST: usize = 16;

/// Some hundredths of a second of work.
const LARGEST: usize = 1024;

/// A method is given up when it ended badly so often, and in at least one of [`RARE`] calls.
const PATIENCE: u64 = 3;

/// A method that ends badly more rarely than this is worth its price.
const RARE: u64 = 10;

/// What is learned while scripts are run in portions.
#[derive(Clone, Debug)]
pub struct Care {
    /// Scripts that were really run.
    pub tests: u64,
    /// The caller said stop; nothing is run any more.
    pub broken_off: bool,
    portion: usize,
    /// How often a method was called, and how often that ended badly; only those that once did.
    deadly: BTreeMap<Arc<Callable>, (u64, u64)>,
}

impl Default for Care {
    fn default() -> Self {
        Self { tests: 0, broken_off: false, portion: SMALLEST, deadly: BTreeMap::new() }
    }
}

impl Care {
    /// Runs scripts in portions. `go_on` is told how many scripts were run.
    pub fn run<S: Subject>(
        &mut self,
        subject: &mut S,
        batch: &[Script],
        mut go_on: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Vec<Run>, S::Error> {
        let mut runs = Vec::with_capacity(batch.len());
        let mut rest = batch;
        while !rest.is_empty() {
            self.broken_off = self.broken_off || go_on(self.tests).is_break();
            if self.broken_off {
                runs.extend(rest.iter().map(|_| Run {
                    steps: Vec::new(),
                    end: End::Complete,
                    leaked: false,
                    passed: None,
                }));
                break;
            }
            let (now, later) = rest.split_at(self.portion.min(rest.len()));
            rest = later;
            let answers = if self.given_up().next().is_none() {
                subject.run(now)?
            } else {
                let cut: Vec<Script> = now.iter().map(|script| self.cut(script)).collect();
                subject.run(&cut)?
            };
            self.tests += now.len() as u64;
            let mut bad = false;
            for (script, run) in now.iter().zip(&answers) {
                bad |= self.learn(script, run);
            }
            self.portion = if bad { SMALLEST } else { (self.portion * 2).min(LARGEST) };
            runs.extend(answers);
        }
        Ok(runs)
    }

    /// What is no longer called.
    pub fn given_up(&self) -> impl Iterator<Item = &Arc<Callable>> {
        self.deadly.keys().filter(|callable| self.is_given_up(callable))
    }

    /// Whether this is no longer called.
    pub fn is_given_up(&self, callable: &Arc<Callable>) -> bool {
        self.deadly.get(callable).is_some_and(|&(calls, bad)| bad >= PATIENCE && bad * RARE >= calls)
    }

    /// The script up to the first call that was given up.
    fn cut(&self, script: &Script) -> Script {
        let until = script.statements.iter().position(|statement| self.is_given_up(&statement.callable));
        Script { statements: script.statements[..until.unwrap_or(script.statements.len())].to_vec() }
    }

    /// Counts calls and bad ends, and says whether there was one.
    fn learn(&mut self, script: &Script, run: &Run) -> bool {
        let bad = matches!(run.end, End::TimedOut | End::Died { .. });
        if bad && let Some(culprit) = script.statements.get(run.steps.len()) {
            let (calls, times) = self.deadly.entry(culprit.callable.clone()).or_default();
            *calls += 1;
            *times += 1;
        }
        if !self.deadly.is_empty() {
            for statement in &script.statements[..run.steps.len().min(script.statements.len())] {
                if let Some((calls, _)) = self.deadly.get_mut(&statement.callable) {
                    *calls += 1;
                }
            }
        }
        bad
    }
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
            let step = Step { result: StepResult::Returned(Value::Void), fields: None, touched: None };
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
            callable: Arc::new(Callable {
                class: "a.B".to_owned(),
                name: name.to_owned(),
                descriptor: "()V".to_owned(),
                kind: CallKind::Static,
            }),
            receiver: None,
            args: Vec::new(),
        };
        Script { statements: names.split(' ').map(statement).collect() }
    }

    #[test]
    fn what_hangs_is_given_up_after_one_portion() {
        let mut answers = Answers::default();
        let mut careful = Careful::new(&mut answers, |_| ControlFlow::Continue(()));
        let runs = careful.run(&vec![script("go hang go"); 1000]).unwrap();
        let names: Vec<&str> = careful.care.given_up().map(|callable| callable.name.as_str()).collect();
        assert_eq!(names, ["hang"]);
        assert!(runs.iter().all(|run| run.steps.len() == 1), "what comes before it is still run");
        assert_eq!(answers.hung, SMALLEST);
    }

    #[test]
    fn what_hangs_rarely_is_kept() {
        let mut answers = Answers::default();
        let mut careful = Careful::new(&mut answers, |_| ControlFlow::Continue(()));
        let mut scripts = vec![script("go"); 400];
        scripts[0] = script("hang");
        scripts[9] = script("hang");
        careful.run(&scripts).unwrap();
        assert_eq!(careful.care.given_up().count(), 0);
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
        // The portions double: 16, 32 and 64.
        assert_eq!(really, 112);
        assert!(careful.run(&[script("go")]).unwrap()[0].steps.is_empty(), "it stays broken off");
        assert!(answers.largest <= LARGEST);
    }
}
