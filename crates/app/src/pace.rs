//! Budgets: how the time and the tests that a user grants become the pace of searches.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::{Duration, Instant};

use adit_trace::{Limit, Pace, Phase, Progress, RunLimits, Stop};

use crate::budget::Budget;
use crate::interrupt::{Listening, interrupted};
use crate::progress::Mining;

/// Says why a search ended.
pub(crate) fn in_words(stop: Stop) -> &'static str {
    match stop {
        Stop::Done => "further rounds changed nothing",
        Stop::Budget(_) => "the budget is used up",
        Stop::Interrupted => "interrupted",
        Stop::GaveUp => "gave up",
    }
}

/// Pace of a command with one search: it ends with the budget, or with Ctrl-C.
pub(crate) struct BudgetPace {
    _listening: Listening,
    start: Instant,
    budget: Budget,
    /// Share of the budget by which a phase must end.
    share: fn(Phase) -> f64,
}

impl BudgetPace {
    pub(crate) fn new(budget: Budget) -> Self {
        Self::in_phases(budget, |_| 1.0)
    }

    /// The same for a validation: what is slow to observe must leave time for what is asked.
    pub(crate) fn of_validation(budget: Budget) -> Self {
        Self::in_phases(budget, |phase| match phase {
            Phase::Survey => 0.2,
            Phase::Runs => 0.4,
            Phase::Choose => 0.5,
            _ => 1.0,
        })
    }

    fn in_phases(budget: Budget, share: fn(Phase) -> f64) -> Self {
        Self { _listening: Listening::new(), start: Instant::now(), budget, share }
    }
}

impl Pace for BudgetPace {
    fn go_on(&mut self, progress: &Progress) -> ControlFlow<Stop> {
        let share = (self.share)(progress.phase);
        ControlFlow::Break(match self.budget {
            _ if interrupted() => Stop::Interrupted,
            Budget::Time(time) if self.start.elapsed() >= time.mul_f64(share) => Stop::Budget(Limit::Time),
            Budget::Tests(tests) if progress.tests as f64 >= tests as f64 * share => {
                Stop::Budget(Limit::Tests)
            }
            _ => return ControlFlow::Continue(()),
        })
    }
}

/// Pace of a round of mining: every phase must end when its share of the budget is used up.
///
/// Clones share one budget. The searches hold one clone, the subject another, so that even a batch that hangs
/// ends in time.
#[derive(Clone)]
pub(crate) struct RoundPace(Rc<Round>);

struct Round {
    _listening: Listening,
    progress: Mining,
    start: Instant,
    budget: Budget,
    /// Time until the first test could be run. Only the rest of the budget is divided among the phases.
    prepared: Cell<Duration>,
    /// Share of the budget after which attacking ends.
    attacking: Cell<f64>,
    /// Share of the budget after which exploring ends.
    exploring: Cell<f64>,
    /// Number of states of the finished model, for phases that do not count them.
    states: Cell<Option<usize>>,
    /// Moment until which tests may be run now.
    until: Cell<Option<Instant>>,
    /// Number of tests up to which more may be run now.
    most: Cell<Option<u64>>,
    /// Tests that were run. One that is run again, to be stored or to be sure, is no new test.
    tests: Cell<u64>,
}

/// Shares of the budget by which the phases must end. A class whose calls hang would spend all of it on the
/// first.
const WATCHING: f64 = 0.08;
const PURITY: f64 = 0.16;
const SURVEY: f64 = 0.22;
const CHOOSING: f64 = 0.28;

/// The rest after exploration is for attacking what is claimed about its result.
const EXPLORING: f64 = 0.6;

/// The rest after attacking is for making model and properties agree.
pub(crate) const ATTACKING: f64 = 0.7;

/// The rest after agreeing is for measuring the model.
const AGREEING: f64 = 0.85;

/// Time for running tests again that are worth keeping, when the budget is used up.
const GRACE: Duration = Duration::from_millis(700);

impl RoundPace {
    pub(crate) fn new(budget: Budget, progress: Mining) -> Self {
        Self(Rc::new(Round {
            _listening: Listening::new(),
            progress,
            start: Instant::now(),
            budget,
            prepared: Cell::default(),
            attacking: Cell::new(ATTACKING),
            exploring: Cell::new(EXPLORING),
            states: Cell::default(),
            until: Cell::default(),
            most: Cell::default(),
            tests: Cell::default(),
        }))
    }

    /// Begins the round: from now on, tests are run.
    pub(crate) fn begin(&self) {
        self.0.prepared.set(self.elapsed());
    }

    /// Sets the share of the budget after which attacking ends.
    pub(crate) fn attack_until(&self, share: f64) {
        self.0.attacking.set(share);
    }

    /// Lets exploration go on after the attack.
    pub(crate) fn explore_until_the_end(&self) {
        self.0.exploring.set(AGREEING);
        self.allow(AGREEING);
    }

    /// Tells how many states the explored model has.
    pub(crate) fn explored(&self, states: usize) {
        self.0.states.set(Some(states));
    }

    /// Time since the command began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.0.start.elapsed()
    }

    /// Tests that were run in this round.
    pub(crate) fn tests(&self) -> u64 {
        self.0.tests.get()
    }

    /// Number of tests up to which more may be run in the current phase.
    pub(crate) fn most_tests(&self) -> Option<u64> {
        self.0.most.get()
    }

    /// Counts the tests that were run.
    pub(crate) fn set_tests(&self, tests: u64) {
        self.0.tests.set(tests);
    }

    /// Moment at which the current phase must end, and not later.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.0.until.get()
    }

    /// Limits for running tests again that are worth keeping, also when the budget is used up.
    pub(crate) fn grace(&self) -> RunLimits {
        RunLimits::until(self.deadline().map(|until| until.max(Instant::now()) + GRACE))
    }

    /// Number of runs in which all refuting tests together may be made smaller.
    pub(crate) fn shrinking(&self) -> usize {
        match self.0.budget {
            Budget::Tests(tests) => (tests as f64 * (1.0 - ATTACKING)) as usize,
            // As many as even a slow class runs in a part of a second.
            Budget::Time(_) => 3000,
        }
    }

    /// Notes how far the current phase has come, without asking whether to go on.
    pub(crate) fn note(&self, progress: &Progress) {
        let states = progress.states.or(self.0.states.get());
        self.0.progress.show(Progress { tests: self.tests(), states, ..*progress });
    }

    /// Reason why nothing more may be run in the current phase, if there is one.
    pub(crate) fn over(&self) -> Option<Stop> {
        if interrupted() {
            Some(Stop::Interrupted)
        } else if self.0.until.get().is_some_and(|until| Instant::now() >= until) {
            Some(Stop::Budget(Limit::Time))
        } else if self.0.most.get().is_some_and(|most| self.tests() >= most) {
            Some(Stop::Budget(Limit::Tests))
        } else {
            None
        }
    }

    /// The pace of the scripts of one batch, whatever phase they belong to.
    pub(crate) fn batch(&self) -> impl Pace {
        let pace = self.clone();
        move |progress: &Progress| {
            pace.set_tests(progress.tests);
            pace.over().map_or(ControlFlow::Continue(()), ControlFlow::Break)
        }
    }

    /// Allows nothing to be run beyond this share of the budget.
    fn allow(&self, share: f64) {
        let Round { budget, prepared, start, .. } = &*self.0;
        match *budget {
            // At least one, because nothing comes of none.
            Budget::Tests(tests) => self.0.most.set(Some(((tests as f64 * share) as u64).max(1))),
            Budget::Time(time) => {
                let used = prepared.get() + time.saturating_sub(prepared.get()).mul_f64(share);
                self.0.until.set(start.checked_add(used.min(time)));
            }
        }
    }

    /// Share of the budget by which a phase must end.
    fn share(&self, phase: Phase) -> f64 {
        match phase {
            Phase::Watch => WATCHING,
            Phase::Purity => PURITY,
            Phase::Survey => SURVEY,
            Phase::Choose => CHOOSING,
            Phase::Explore | Phase::Accept | Phase::Refute => self.0.exploring.get(),
            Phase::Attack => self.0.attacking.get(),
            // A replay that uses up the budget loses nothing: the words are stored.
            Phase::Start | Phase::Replay | Phase::Random | Phase::Shrink => 1.0,
            Phase::Runs | Phase::Walks | Phase::Record => 1.0,
        }
    }
}

impl Pace for RoundPace {
    fn go_on(&mut self, progress: &Progress) -> ControlFlow<Stop> {
        self.note(progress);
        self.allow(self.share(progress.phase));
        let over = self.over();
        if progress.phase == Phase::Attack {
            // A generation that has begun is run to its end.
            self.allow(1.0);
        }
        over.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }
}
