//! Mining: one round from a class to a model, in six steps.
//!
//! 1. [`watch`](Round::watch): run random tests, and learn which calls have no side effect.
//! 2. [`explore`](Round::explore): a miner that makes its model by running the class does it now.
//! 3. [`claim`](Round::claim): mine the properties that hold in all words so far.
//! 4. [`attack`](Round::attack): search for tests that refute them.
//! 5. [`agree`](Round::agree): make model and properties agree by more tests, and measure the model.
//! 6. [`conclude`](Round::conclude): other miners make their model now; choose the model and the tests that
//!    show it.
//!
//! Every run passes through the campaign's recorder, which stores what is worth keeping. Words are not held
//! in memory: steps that need them stream them from the store.

use std::collections::BTreeSet;

use adit_attack::branches::Branches;
use adit_attack::{EventReader, Guarded};
use adit_trace::{Author, Callable, Letter, Run, Script, Subject, Vocabulary};
use miette::Report;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use crate::campaign::{Conclusion, RecordingCost, RetentionPolicy};
use crate::java::signature::with_types;
use crate::pace::RoundPace;
use crate::progress::Mining;
use crate::under_test::{AnyAuthor, AnyHost};

mod agree;
mod attack;
mod claim;
mod conclude;
mod identity;
mod miners;
mod request;
mod state_names;
mod test_suite;
mod watch;
mod workers;

pub(crate) use identity::{effort, identity};
pub(crate) use miners::{MINERS, Miner, More};
pub(crate) use request::{
    AttackRequest, AttackedProperties, ConstraintChoice, MineRequest, ModelRequest, Tester,
};
pub(crate) use workers::Workers;

use test_suite::TestSuite;

/// One round of mining: what it works on, and what it has learned so far.
pub(crate) struct Round<'a> {
    request: &'a MineRequest,
    calls: Calls<'a>,
    workers: Workers<'a>,
    rng: ChaCha8Rng,
    pace: RoundPace,
    progress: Mining,
    /// Words of the user's tests, which are known to be possible.
    given: &'a [Vec<Letter>],
    /// Tests of earlier rounds.
    earlier_tests: Vec<Script>,
    /// Events without a side effect, as far as experiments show.
    pure: BTreeSet<Letter>,
    /// Events that change fields in a way that no call was seen to notice.
    doubtful: BTreeSet<Letter>,
    /// Tests that the round ends with.
    tests: TestSuite,
    /// The budget ended before the class was watched as long as it should be.
    hardly_watched: bool,
}

/// The calls that a class offers: what can be called, scripts of such calls, and the events in their runs.
pub(crate) struct Calls<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) reader: &'a EventReader,
    pub(crate) generator: &'a mut AnyAuthor,
}

/// Workers that report which branches of the class a script takes, or the reason why there are none; nothing
/// if no such subject has any.
pub(crate) type Probed = Result<(AnyHost, Branches), Option<String>>;

/// Result of a round.
pub(crate) struct Mined {
    /// Records for the campaign: the model, the properties, the tests.
    pub(crate) conclusion: Conclusion,
    /// Labels of events without a side effect.
    pub(crate) pure: BTreeSet<String>,
    pub(crate) tests_run: u64,
    /// Shortest walks of this round's own model that could not be realized; absent if the model is another
    /// one, or its miner does not look for any.
    pub(crate) unrealized: Option<Vec<Vec<String>>>,
    /// Words of the user's tests that the model rejects, shortest first.
    pub(crate) rejected: Vec<Vec<String>>,
    /// Sides of branches that the attack took, and how many there are; absent if unknown.
    pub(crate) branches: Option<(usize, usize)>,
    pub(crate) trouble: Trouble,
    /// The properties were attacked at all.
    pub(crate) attacked: bool,
    /// The budget ended before the class was watched as long as it should be.
    pub(crate) hardly_watched: bool,
    /// Knowledge beside the model. What belongs to the model is that of this round's own, whichever was
    /// chosen.
    pub(crate) more: More,
    /// The steps of each test that came out alike in a second machine. Only these can be asserted.
    pub(crate) agreed: Vec<Run>,
}

/// Calls that hang, crash, or never return.
pub(crate) struct Trouble {
    /// Methods that were given up because they hang or crash, at least on some objects.
    pub(crate) given_up: BTreeSet<HungMethod>,
    /// Constructions that were given up because most calls on their objects hang.
    pub(crate) constructions_given_up: BTreeSet<String>,
    /// All hangs and crashes: the method, the construction of its object, and how often.
    pub(crate) bad_ends: Vec<(HungMethod, String, u64)>,
    /// Methods that blocked in some state.
    pub(crate) blocking: BTreeSet<String>,
    /// Methods that were called and never returned, and how often.
    pub(crate) never_returned: Vec<(String, u32)>,
}

impl Trouble {
    /// Tells whether calls hung, crashed or blocked, so that the model does not show all that they do.
    pub(crate) fn hides_calls(&self) -> bool {
        !self.bad_ends.is_empty() || !self.blocking.is_empty()
    }

    /// Tells whether a method of this name hung or crashed at least once.
    pub(crate) fn has_hung(&self, method: &str) -> bool {
        self.given_up
            .iter()
            .chain(self.bad_ends.iter().map(|(hung, ..)| hung))
            .any(|hung| hung.event == method)
    }
}

/// A method that hung or crashed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HungMethod {
    /// Name of its events, which overloads may share.
    pub(crate) event: String,
    /// The same with the types of its parameters.
    pub(crate) with_types: String,
}

impl HungMethod {
    fn of(callable: &Callable) -> Self {
        let event = callable.event_name().to_owned();
        let with_types = if event.contains('(') { event.clone() } else { with_types(callable) };
        Self { event, with_types }
    }

    /// Its name for people, among the signatures that the class offers: with types if there are overloads.
    pub(crate) fn shown(&self, offered: &BTreeSet<String>) -> String {
        let is_same = |signature: &&String| signature.split('(').next() == Some(self.event.as_str());
        if offered.iter().filter(is_same).count() > 1 { &self.with_types } else { &self.event }.clone()
    }
}

/// Mines a class in one round of its campaign. `probed` starts the workers for the attack.
pub(crate) fn mine(
    mut round: Round<'_>,
    probed: impl FnOnce() -> Probed,
) -> Result<(Mined, RecordingCost), Report> {
    round.watch()?;
    let mut draft = round.explore()?;
    let mut properties = round.claim()?;
    let attack = round.attack(&mut properties, draft.stop(), probed)?;
    let open = round.agree(&mut draft, &mut properties)?;
    round.conclude(draft, properties, attack, &open)
}

impl<'a> Round<'a> {
    /// Begins a round. `given` are the words of the user's tests.
    pub(crate) fn new(
        request: &'a MineRequest,
        calls: Calls<'a>,
        workers: Workers<'a>,
        given: &'a [Vec<Letter>],
        rng: ChaCha8Rng,
        progress: Mining,
    ) -> Self {
        Self {
            request,
            calls,
            pace: workers.pace.clone(),
            workers,
            rng,
            progress,
            given,
            earlier_tests: Vec::new(),
            pure: BTreeSet::new(),
            doubtful: BTreeSet::new(),
            tests: TestSuite::default(),
            hardly_watched: false,
        }
    }

    /// Runs random tests of `fewest` calls up to the requested number, and learns from them.
    fn run_random(&mut self, count: usize, fewest: usize, policy: RetentionPolicy) -> Result<(), Report> {
        let scripts = self.random_scripts(count, fewest);
        self.run_and_learn(&scripts, policy).map(drop)
    }

    /// Random tests of `fewest` calls up to the requested number.
    fn random_scripts(&mut self, count: usize, fewest: usize) -> Vec<Script> {
        let most = self.request.calls.calls;
        let mut script = || {
            let calls = self.rng.random_range(fewest..=most);
            self.calls.generator.script(&mut self.rng, calls)
        };
        (0..count).map(|_| script()).collect()
    }

    /// Runs tests, and lets the generator learn from them.
    fn run_and_learn(&mut self, scripts: &[Script], policy: RetentionPolicy) -> Result<Vec<Run>, Report> {
        let mut subject = self.workers.keeping(policy);
        let runs = subject.run(scripts)?;
        subject.guard().warn(self.calls.generator);
        for (script, run) in scripts.iter().zip(&runs) {
            self.calls.generator.observe(script, run);
        }
        Ok(runs)
    }

    /// Labels of letters.
    fn labels(&self, letters: &BTreeSet<Letter>) -> BTreeSet<String> {
        letters.iter().map(|&letter| self.calls.reader.alphabet().name(letter).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use adit_trace::CallKind;

    use super::*;

    #[test]
    fn a_method_that_hangs_is_named_with_types_if_it_has_overloads() {
        let waits =
            Callable { signature: "(J)V".to_owned(), ..Callable::new(CallKind::Method, "a.Lock", "acquire") };
        let shown =
            |all: &[&str]| HungMethod::of(&waits).shown(&all.iter().map(|&one| one.to_owned()).collect());
        assert_eq!(shown(&["acquire(long)", "acquired()"]), "acquire");
        assert_eq!(shown(&["acquire(long)", "acquire()"]), "acquire(long)");
    }
}
