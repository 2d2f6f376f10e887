//! The workers of a round: they run scripts within the budget, never repeat what hangs, and everything is
//! recorded.

use std::collections::BTreeSet;

use adit_attack::{BadEnd, Guarded, HangGuard};
use adit_java::source;
use adit_trace::{Depth, Phase, Run, RunLimits, Script, Subject};
use miette::Report;

use super::HungMethod;
use crate::campaign::{Recorder, RecordingSubject, RetentionPolicy};
use crate::pace::RoundPace;
use crate::under_test::AnyHost;

/// Hangs and crashes in one batch after which the rest of it waits: what was learned decides about it.
const BAD_ENDS: usize = 1;

/// Workers of the class under test, with the recorder of their runs.
pub(crate) struct Workers<'a> {
    host: &'a mut AnyHost,
    /// Runs in portions, and gives up what hangs.
    guard: HangGuard,
    pub(super) pace: RoundPace,
    pub(super) recorder: Recorder<'a>,
}

impl<'a> Workers<'a> {
    pub(crate) fn new(host: &'a mut AnyHost, recorder: Recorder<'a>, pace: RoundPace) -> Self {
        Self { host, guard: HangGuard::default(), pace, recorder }
    }

    /// The workers as a subject whose runs are kept according to `policy`.
    pub(super) fn keeping(
        &mut self,
        policy: RetentionPolicy,
    ) -> RecordingSubject<'_, 'a, PacedSubject<'_, AnyHost>> {
        let Self { host, guard, pace, recorder } = self;
        recorder.keeping(policy, PacedSubject { subject: host, guard, pace })
    }

    /// The same for other workers of the same class.
    pub(super) fn keeping_on<'w, S>(
        &'w mut self,
        other: &'w mut S,
        policy: RetentionPolicy,
    ) -> RecordingSubject<'w, 'a, PacedSubject<'w, S>> {
        let Self { guard, pace, recorder, .. } = self;
        recorder.keeping(policy, PacedSubject { subject: other, guard, pace })
    }

    /// Runs scripts that ran before and ended well, and stores them as tests. It may take a little longer
    /// than the budget; scripts that there is no time for are not run.
    pub(super) fn run_again(&mut self, scripts: &[Script]) -> Result<Vec<Run>, Report> {
        self.host.limit(self.pace.grace());
        let runs = self.host.run(scripts)?;
        self.recorder.record(scripts, &runs, RetentionPolicy::WordsWithTests)?;
        Ok(runs)
    }

    /// Runs tests in new machines, and returns the part of each run that came out alike. Hash codes of
    /// objects, and the orders that depend on them, differ in each machine and must not be asserted; nor is
    /// what there is no time for.
    pub(super) fn agreed(&mut self, tests: &[(Script, Run)]) -> Result<Vec<Run>, Report> {
        let scripts: Vec<Script> = tests.iter().map(|(script, _)| script.clone()).collect();
        self.host.renew();
        self.host.limit(self.pace.grace());
        let again = self.host.run(&scripts)?;
        Ok(tests.iter().zip(&again).map(|((_, run), again)| source::agreed(run, again)).collect())
    }

    /// Names of methods that are no longer called because they hang or crash.
    pub(super) fn given_up(&self) -> BTreeSet<HungMethod> {
        self.guard.given_up().iter().map(|callable| HungMethod::of(callable)).collect()
    }

    /// All hangs and crashes: the method, the construction of its object, and how often.
    pub(super) fn bad_ends(&self) -> Vec<(HungMethod, String, u64)> {
        let told = |end: &BadEnd<'_>| (HungMethod::of(end.callable), end.construction.to_owned(), end.times);
        let ends = self.guard.bad_ends();
        let mut all: Vec<_> = ends.iter().filter(|end| end.times > 0).map(told).collect();
        all.sort();
        all
    }

    /// Names of methods that blocked: they waited for what only another thread could give.
    pub(super) fn blocking(&self) -> BTreeSet<String> {
        let ends = self.guard.bad_ends();
        let blocked = ends.iter().filter(|end| end.blocked > 0);
        blocked.map(|end| end.callable.event_name().to_owned()).collect()
    }

    /// Constructions that are no longer used because most calls on their objects hang.
    pub(super) fn constructions_given_up(&self) -> BTreeSet<String> {
        self.guard.constructions_given_up().into_iter().map(str::to_owned).collect()
    }
}

/// A subject that runs within the budget of a round, and gives up what hangs.
pub(super) struct PacedSubject<'w, S> {
    subject: &'w mut S,
    guard: &'w mut HangGuard,
    pace: &'w RoundPace,
}

impl<S: Subject<Error = Report>> Subject for PacedSubject<'_, S> {
    type Error = Report;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Report> {
        let Self { subject, guard, pace } = self;
        subject.limit(RunLimits { deadline: pace.deadline(), bad_ends: Some(BAD_ENDS) });
        // The limits of the step before say nothing about this one.
        (guard.stopped, guard.most) = (None, pace.most_tests());
        let runs = guard.run(*subject, batch, Phase::default(), &mut pace.batch());
        pace.set_tests(guard.tests);
        runs
    }

    fn renew(&mut self) {
        self.subject.renew();
    }

    fn look(&mut self, depth: Depth) {
        self.subject.look(depth);
    }
}

impl<S: Subject<Error = Report>> Guarded for PacedSubject<'_, S> {
    fn guard(&self) -> &HangGuard {
        self.guard
    }
}
