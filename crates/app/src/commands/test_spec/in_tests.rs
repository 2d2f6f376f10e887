//! Experiments within the user's tests: calls change places while the tests run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use adit_attack::dsi::{Expected, Mutation, TestEnd, TestEvidence};
use adit_attack::order::{Need, Tally};
use adit_attack::temari::{CallPair, need_in_test};
use adit_jvm::record::intervene::{
    Action, BenchLife, BenchOptions, BenchRun, Experiment, Intervention, NoteKind, Origin, Replacement, Site,
    TestBench,
};
use adit_jvm::record::{EventNaming, Outcome as TestOutcome, RecordOptions, Task, TaskEnd};
use adit_trace::{Event, Outcome, Pace, Progress, State, Value};
use miette::{Report, miette};
use serde_json::{Value as Json, json};

use super::methods::EventMethods;
use crate::interrupt::Listening;
use crate::java::environment::{self, JavaEnvironment};
use crate::java::user_tests;
use crate::output::{counted, some_of};
use crate::progress::Counting;

mod watched;

/// Limit on the events kept per object.
const LONGEST_LIFE: u64 = 2_000;

/// Runs of one JVM; each loads the classes of the project anew.
const REUSE: u32 = 40;

/// Tests that are run for one pair, and pairs of calls that change places in one test.
const TESTS: usize = 8;
const CALLS: usize = 3;

/// Events of a test above which others are preferred: each run of it takes long, and it shows no more.
const LONG_TEST: usize = 2_000;

/// Calls between the two that are put off together with the first one.
const BETWEEN: usize = 6;

/// Time limit of a run with delayed calls, as a multiple of the time that all tests take, and at least.
const PATIENCE: u32 = 3;
const LEAST_LIMIT: Duration = Duration::from_secs(5);

/// Number of names in one message.
const NAMES_SHOWN: usize = 5;

/// The tests to run.
pub(super) struct TestsRequest {
    pub(super) classes: Vec<String>,
    pub(super) directory: PathBuf,
    pub(super) writable: Vec<PathBuf>,
    pub(super) limit: Duration,
    /// The moment after which nothing more is run.
    pub(super) deadline: Instant,
}

/// Evidence from tests about one pair.
#[derive(Clone, Debug, Default)]
pub(super) struct WithinTests {
    pub(super) tally: Tally,
    /// The same, with calls put off that stand between the two and depend on the first.
    pub(super) together: Tally,
    pub(super) tests: Vec<TestEvidence>,
    /// A test that decided.
    pub(super) decisive: Option<String>,
}

/// The tests, after they were run without changes.
pub(super) struct Suite {
    bench: TestBench,
    /// Time limit of a run with delayed calls.
    patience: Duration,
    deadline: Instant,
    plain: BenchRun,
    /// The tests that may be evidence, run again without changes.
    again: Option<BenchRun>,
    /// Number of recorded events of each test.
    events: BTreeMap<String, usize>,
    /// Time of all tests without changes, and of all runs with delayed calls.
    whole: Duration,
    delayed: Duration,
    runs: u32,
    related: BTreeSet<String>,
    pub(super) notes: Vec<String>,
    quiet: bool,
}

/// What a test lacks while its first call is put off.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lacks {
    Nothing,
    /// The exception of the call, which it catches, or what the call puts into an array.
    Effect,
    /// The object that the call returned. The test goes on with null, also in later calls.
    Object,
}

/// Two calls of a test on one object.
#[derive(Clone, Debug)]
struct Instance {
    test: String,
    object: u64,
    /// Places of the events in the life without changes.
    at: (usize, usize),
    ordinals: (u64, u64),
    life: usize,
}

impl Suite {
    /// Runs all tests without changes, and those that make the calls of one of the pairs once more.
    pub(super) fn start(
        java: &JavaEnvironment,
        request: TestsRequest,
        pairs: &[&(EventMethods, EventMethods)],
        quiet: bool,
    ) -> Result<Self, Report> {
        let TestsRequest { classes, directory, writable, limit, deadline } = request;
        let naming = EventNaming::Overload { non_public: true };
        let task = Task::Tests { classes };
        let record = RecordOptions {
            writable,
            ..user_tests::record_options(java, task, directory, limit, LONGEST_LIFE, naming)?
        };
        let mut bench =
            TestBench::start(BenchOptions { record, reuse: REUSE }).map_err(environment::cannot_run)?;
        let start = Instant::now();
        let plain = run(&mut bench, &Experiment::default(), quiet)?;
        let whole = start.elapsed();
        let patience = (whole * PATIENCE).max(LEAST_LIMIT).min(limit);
        let mut events: BTreeMap<String, usize> = BTreeMap::new();
        for life in &plain.lives {
            *events.entry(life.test.clone()).or_default() += life.life.events.len();
        }
        let mut suite = Self {
            bench,
            patience,
            deadline,
            plain,
            again: None,
            events,
            whole,
            delayed: Duration::ZERO,
            runs: 0,
            related: BTreeSet::new(),
            notes: Vec::new(),
            quiet,
        };
        let instances = pairs.iter().flat_map(|pair| {
            let (first, second) = suite.events_of(pair);
            suite.instances(&first, &second, pair.0.answer)
        });
        let (mut tests, mut objects) = (BTreeSet::new(), BTreeSet::new());
        for one in instances {
            objects.insert((one.test.clone(), one.object));
            tests.insert(one.test);
        }
        if !tests.is_empty() {
            let experiment = Experiment {
                tests: tests.into_iter().collect(),
                interventions: Vec::new(),
                only: Some(objects.into_iter().collect()),
                touches: false,
            };
            suite.keep_within()?;
            suite.again = Some(run(&mut suite.bench, &experiment, quiet)?);
        }
        suite.remark();
        Ok(suite)
    }

    /// Names of the events of both sides of a pair.
    fn events_of(&self, pair: &(EventMethods, EventMethods)) -> (BTreeSet<String>, BTreeSet<String>) {
        let events = |side: &EventMethods| -> BTreeSet<String> {
            let methods = self.bench.methods().iter();
            methods.filter(|one| side.has(&one.name, &one.descriptor)).map(|one| one.event.clone()).collect()
        };
        (events(&pair.0), events(&pair.1))
    }

    /// Ends of the tests that were run again.
    fn ends_again(&self) -> BTreeMap<String, TestEnd> {
        self.again.as_ref().map(ends).unwrap_or_default()
    }

    /// Names tests that can be no evidence.
    fn remark(&mut self) {
        let ends = ends(&self.plain);
        let again = self.ends_again();
        let failing: Vec<&str> = ends
            .iter()
            .filter(|(_, end)| matches!(end, TestEnd::Failed { .. }))
            .map(|(name, _)| name.as_str())
            .collect();
        let is_flaky = |(name, end): &(&String, &TestEnd)| ends.get(*name).is_some_and(|known| known != *end);
        let flaky: Vec<&str> = again.iter().filter(is_flaky).map(|(name, _)| name.as_str()).collect();
        let mut notes = Vec::new();
        if !failing.is_empty() {
            notes.push(format!(
                "{} without changes and {} no evidence: {}",
                if failing.len() == 1 {
                    "1 test fails".to_owned()
                } else {
                    format!("{} tests fail", failing.len())
                },
                if failing.len() == 1 { "is" } else { "are" },
                some_of(&failing, NAMES_SHOWN)
            ));
        }
        if !flaky.is_empty() {
            notes.push(format!("flaky, and no evidence: {}", some_of(&flaky, NAMES_SHOWN)));
        }
        if let Some(how) = ended_badly(&self.plain) {
            notes.push(format!("the tests {how}; those after it are not used"));
        }
        self.notes = notes;
    }

    /// Exchanges the calls of a pair in the tests that make both.
    pub(super) fn exchange(
        &mut self,
        pair: &(EventMethods, EventMethods),
        published: bool,
    ) -> Result<WithinTests, Report> {
        let (first_events, second_events) = self.events_of(pair);
        let instances = self.instances(&first_events, &second_events, pair.0.answer);
        let tests: BTreeSet<&str> = instances.iter().map(|one| one.test.as_str()).collect();
        if tests.is_empty() {
            return Ok(WithinTests::default());
        }
        self.related.extend(tests.iter().map(|&test| test.to_owned()));
        let names: Vec<String> = tests.iter().map(|&test| test.to_owned()).collect();
        let (interventions, lacks): (Vec<Intervention>, Vec<Lacks>) =
            instances.iter().map(|one| self.delay(one)).unzip();
        let changes = self.changes_somewhere(&first_events);
        let only = objects_of(&instances);
        let supplied =
            self.timed(&Experiment { tests: names.clone(), interventions, only, touches: false })?;
        let as_published = match published {
            false => None,
            true => {
                let interventions = as_published(&first_events, &second_events);
                let tests = names.clone();
                Some(self.timed(&Experiment { tests, interventions, only: None, touches: false })?)
            }
        };
        let mut found =
            WithinTests { together: self.together(&instances, &supplied)?, ..WithinTests::default() };
        let (plain_ends, again) = (ends(&self.plain), self.ends_again());
        for test in &names {
            let of_test = || instances.iter().enumerate().filter(|(_, one)| one.test == *test);
            let invents = of_test().any(|(number, _)| lacks[number] != Lacks::Nothing);
            let plain = plain_ends.get(test).cloned().unwrap_or(TestEnd::Skipped);
            let mut between = false;
            for (number, one) in of_test() {
                let (need, disturbed) = self.compare(one, number, &supplied, lacks[number]);
                between |= disturbed;
                // That a call which did nothing here can be made later says nothing about one that does.
                if need == Need::Free && changes && !self.changed(one.life, one.at.0) {
                    continue;
                }
                let counted = match need {
                    Need::Needed => &mut found.tally.needed,
                    Need::Matters => &mut found.tally.matters,
                    Need::Free => &mut found.tally.free,
                    Need::Unknown => continue,
                };
                *counted += 1;
                if found.decisive.is_none() || need >= Need::Matters {
                    found.decisive = Some(test.clone());
                }
            }
            let threads = |one: &Instance| {
                let marks = &self.plain.lives[one.life].marks;
                marks[one.at.0].thread != marks[one.at.1].thread
            };
            found.tests.push(TestEvidence {
                test: test.clone(),
                steady: again.get(test) == Some(&plain),
                plain,
                threads: of_test().any(|(_, one)| threads(one)),
                expected: of_test()
                    .map(|(number, one)| self.expected(one, number, &supplied))
                    .max()
                    .unwrap_or(Expected::Nothing),
                between,
                published: as_published.as_ref().map(|run| mutation(run, test, true)),
                supplied: Some(mutation(&supplied, test, invents)),
            });
        }
        Ok(found)
    }

    /// Lets the next run take no longer than the time that is left, and fails if there is none.
    fn keep_within(&mut self) -> Result<(), Report> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(miette!("the time was over; allow more with --total-time"));
        }
        self.bench.set_limit(self.patience.min(left));
        Ok(())
    }

    fn timed(&mut self, experiment: &Experiment) -> Result<BenchRun, Report> {
        self.keep_within()?;
        let start = Instant::now();
        let run = run(&mut self.bench, experiment, self.quiet)?;
        self.delayed += start.elapsed();
        self.runs += 1;
        Ok(run)
    }

    /// Pairs of calls in passing tests: those of short tests first, and those without other calls in between.
    fn instances(
        &self,
        first: &BTreeSet<String>,
        second: &BTreeSet<String>,
        answer: Option<bool>,
    ) -> Vec<Instance> {
        let passing = ends(&self.plain);
        let mut found: Vec<(usize, usize, Instance)> = Vec::new();
        for (number, BenchLife { life, test, object, marks }) in self.plain.lives.iter().enumerate() {
            if passing.get(test) != Some(&TestEnd::Passed) {
                continue;
            }
            let is = |place: usize, set: &BTreeSet<String>| set.contains(&life.events[place].method);
            for b in (0..life.events.len()).filter(|&place| is(place, second)) {
                // The nearest first call; with another second call in between, that one is meant.
                let near =
                    (0..b).rev().take_while(|&place| !is(place, second)).find(|&place| is(place, first));
                let Some(a) = near else { continue };
                let fits = answer
                    .is_none_or(|wanted| life.events[a].outcome == Outcome::Returned(Value::Bool(wanted)));
                let ordinal = |place: usize| match marks[place].origin {
                    Origin::Own { ordinal } => Some(ordinal),
                    _ => None,
                };
                if let (true, Some(one), Some(other)) = (fits, ordinal(a), ordinal(b)) {
                    let instance = Instance {
                        test: test.clone(),
                        object: *object,
                        at: (a, b),
                        ordinals: (one, other),
                        life: number,
                    };
                    found.push((b - a, a, instance));
                }
            }
        }
        found.sort_by_key(|(distance, place, one)| {
            let events = self.events.get(&one.test).copied().unwrap_or(0);
            (events > LONG_TEST, *distance, events, *place)
        });
        let mut per_test: BTreeMap<String, usize> = BTreeMap::new();
        let mut chosen = Vec::new();
        for (.., instance) in found {
            if per_test.len() >= TESTS && !per_test.contains_key(&instance.test) {
                continue;
            }
            let count = per_test.entry(instance.test.clone()).or_default();
            // One of two pairs of calls on one object would disturb the other.
            let again = chosen
                .iter()
                .any(|one: &Instance| one.test == instance.test && one.object == instance.object);
            if *count < CALLS && !again {
                *count += 1;
                chosen.push(instance);
            }
        }
        chosen
    }

    /// The intervention that puts off the first call, with its known value in its place, and whether the test
    /// goes on without something that the call gave it: a test that catches the exception of the call, or
    /// looks into an array that the call fills, needs the call at its place, whatever the object needs.
    fn delay(&self, one: &Instance) -> (Intervention, Lacks) {
        let (intervention, invented) = self.delay_call(one, one.at.0, one.ordinals.0);
        let first = &self.plain.lives[one.life].life.events[one.at.0];
        let threw = matches!(first.outcome, Outcome::Threw(_));
        let lacks = match threw || may_fill(self.types_of(first)) {
            _ if invented && !threw => Lacks::Object,
            true => Lacks::Effect,
            false => Lacks::Nothing,
        };
        (intervention, lacks)
    }

    /// The types of the parameters and of the result of a call's method, as descriptors.
    fn types_of(&self, event: &Event) -> (&str, &str) {
        let method = self.bench.methods().iter().find(|method| method.event == event.method);
        method.and_then(|method| method.descriptor.split_once(')')).unwrap_or(("(", "V"))
    }

    /// Tells whether a call changed the fields of its object.
    fn changed(&self, life: usize, at: usize) -> bool {
        let events = &self.plain.lives[life].life.events;
        before(events, at).zip(events[at].state.as_ref()).is_some_and(|(before, after)| before != after)
    }

    /// Tells whether one of these calls changed its object in some test.
    fn changes_somewhere(&self, calls: &BTreeSet<String>) -> bool {
        (0..self.plain.lives.len()).any(|life| {
            let events = self.plain.lives[life].life.events.iter().enumerate();
            { events }.any(|(at, event)| calls.contains(&event.method) && self.changed(life, at))
        })
    }

    /// The same for any call before the second one.
    fn delay_call(&self, one: &Instance, place: usize, ordinal: u64) -> (Intervention, bool) {
        let events = &self.plain.lives[one.life].life.events;
        let (first, second) = (&events[place], &events[one.at.1]);
        let (_, result) = self.types_of(first);
        let own = format!("{};", self.plain.lives[one.life].life.class.replace('.', "/"));
        let (instead, invented) = match (&first.outcome, result) {
            (_, "V") => (Replacement::Default, false),
            (Outcome::Returned(value), text) if text.len() == 1 || text == "Ljava/lang/String;" => {
                (Replacement::Value(value.clone()), false)
            }
            (Outcome::Returned(Value::Null), _) => (Replacement::Default, false),
            (Outcome::Returned(_), class) if class.ends_with(&own) => (Replacement::Receiver, false),
            _ => (Replacement::Default, true),
        };
        let at = Site {
            test: Some(one.test.clone()),
            object: Some(one.object),
            ordinal: Some(ordinal),
            method: first.method.clone(),
        };
        let action = Action::Delay {
            until: second.method.clone(),
            same_object: true,
            instead,
            run_at_end: true,
            rethrow: false,
        };
        (Intervention { at, action }, invented)
    }

    /// Compares two calls with the same calls in the other order. Also tells whether a call between them
    /// ended differently.
    fn compare(&self, one: &Instance, number: usize, run: &BenchRun, lacks: Lacks) -> (Need, bool) {
        let plain = &self.plain.lives[one.life];
        let same = |other: &&BenchLife| other.test == one.test && other.object == one.object;
        let Some(moved) = run.lives.iter().find(same) else { return (Need::Unknown, false) };
        let late =
            moved.marks.iter().position(|mark| mark.origin == Origin::Delayed { intervention: number });
        let own = |life: &BenchLife, wanted: u64| {
            life.marks.iter().position(|mark| mark.origin == Origin::Own { ordinal: wanted })
        };
        let disturbed = (one.ordinals.0 + 1..one.ordinals.1).any(|ordinal| {
            let outcome =
                |life: &BenchLife| own(life, ordinal).map(|at| life.life.events[at].outcome.clone());
            outcome(plain) != outcome(moved)
        });
        let Some((late, second)) = late.zip(own(moved, one.ordinals.1)) else {
            return (Need::Unknown, disturbed);
        };
        if late < second || disturbed {
            return (Need::Unknown, disturbed);
        }
        if !self.is_steady(one) {
            return (Need::Unknown, disturbed);
        }
        let need = self.need(one, moved, late, late, second);
        // The second call may differ because of the null with which the test went on.
        let second_differs = moved.life.events[second].outcome != plain.life.events[one.at.1].outcome;
        let in_doubt = lacks == Lacks::Object && need > Need::Free && second_differs;
        (if in_doubt { Need::Unknown } else { need }, disturbed)
    }

    /// Compares an exception of the second call with the one in a run with the calls exchanged: by its class,
    /// its place in the code, and the state of the object after both calls.
    fn expected(&self, one: &Instance, number: usize, run: &BenchRun) -> Expected {
        let plain = &self.plain.lives[one.life];
        let (event, mark) = (&plain.life.events[one.at.1], &plain.marks[one.at.1]);
        if !matches!(event.outcome, Outcome::Threw(_)) {
            return Expected::Nothing;
        }
        let same = |other: &&BenchLife| other.test == one.test && other.object == one.object;
        let moved = run.lives.iter().find(same);
        let place_of = |origin: Origin| moved?.marks.iter().position(|mark| mark.origin == origin);
        let second = place_of(Origin::Own { ordinal: one.ordinals.1 });
        let found = moved.zip(second).zip(self.noisy_fields(one));
        let Some(((moved, second), noisy)) = found else { return Expected::Same };
        let other = &moved.life.events[second];
        if !matches!(other.outcome, Outcome::Threw(_)) {
            return Expected::Gone;
        }
        let late = place_of(Origin::Delayed { intervention: number });
        let end = late.map(|late| &moved.life.events[late.max(second)].state);
        // Many exceptions of one test have no place.
        let places = mark.thrown_at.as_ref().zip(moved.marks[second].thrown_at.as_ref());
        let is_same = event.outcome == other.outcome
            && places.is_none_or(|(one, other)| one == other)
            && end.is_none_or(|end| without(end.as_ref(), &noisy) == without(event.state.as_ref(), &noisy));
        if is_same { Expected::Same } else { Expected::Other }
    }

    /// Tells whether both calls ended the same when the tests were run again: answers that differ from run to
    /// run show nothing.
    fn is_steady(&self, one: &Instance) -> bool {
        self.noisy_fields(one).is_some()
    }

    /// The fields that had other values after one of the calls when the tests were run again, as a clock has;
    /// nothing if a call ended differently then.
    fn noisy_fields(&self, one: &Instance) -> Option<BTreeSet<String>> {
        let plain = &self.plain.lives[one.life];
        let same = |other: &&BenchLife| other.test == one.test && other.object == one.object;
        let again = self.again.iter().flat_map(|run| &run.lives).find(same)?;
        let mut noisy = BTreeSet::new();
        for place in [one.at.0, one.at.1] {
            let (known, event) = (&plain.life.events[place], again.life.events.get(place)?);
            if event.outcome != known.outcome {
                return None;
            }
            let (known, other) = match (&known.state, &event.state) {
                (Some(known), Some(other)) => (known, other),
                (None, None) => continue,
                _ => return None,
            };
            let differs = |name: &&String| known.get(*name) != other.get(*name);
            noisy.extend(known.keys().chain(other.keys()).filter(differs).cloned());
        }
        Some(noisy)
    }

    /// The need that a life shows in which the first call is event `late`, the second one `second_at`, and
    /// the last call that was put off `last`. Fields that differ from run to run are left out.
    fn need(&self, one: &Instance, moved: &BenchLife, late: usize, last: usize, second_at: usize) -> Need {
        let (events, others) = (&self.plain.lives[one.life].life.events, &moved.life.events);
        let noisy = self.noisy_fields(one).unwrap_or_default();
        let steady = |state: Option<&State>| without(state, &noisy);
        let event = |event: &Event| Event { state: steady(event.state.as_ref()), ..event.clone() };
        let [first, second] = [one.at.0, one.at.1].map(|at| event(&events[at]));
        let [first_moved, second_moved] = [late, second_at].map(|at| event(&others[at]));
        let (before_plain, before_moved) = (steady(before(events, one.at.0)), steady(before(others, late)));
        let end_moved = steady(others[last].state.as_ref());
        let need = need_in_test(
            CallPair {
                first: &first,
                before: before_plain.as_ref(),
                second: &second,
                end: second.state.as_ref(),
            },
            CallPair {
                first: &first_moved,
                before: before_moved.as_ref(),
                second: &second_moved,
                end: end_moved.as_ref(),
            },
        );
        // Of an object that the second call returns, only the class is known.
        let is_hidden = self.changed(one.life, one.at.0) && self.returns_another_object(one);
        if need == Need::Free && is_hidden { Need::Unknown } else { need }
    }

    /// Tells whether the second call returned an object that is neither a text nor, by its class, the one it
    /// was called on.
    fn returns_another_object(&self, one: &Instance) -> bool {
        let life = &self.plain.lives[one.life].life;
        let second = &life.events[one.at.1];
        let (_, result) = self.types_of(second);
        let own = format!("L{};", life.class.replace('.', "/"));
        let is_object = result.starts_with(['L', '[']) && result != "Ljava/lang/String;" && result != own;
        is_object && matches!(second.outcome, Outcome::Returned(Value::Text(_)))
    }

    /// Where a call between the two depends on the first, putting off only the first violates another order
    /// too. So all calls between are put off with it, in their order (TEMARI, section VI-A4, third stage).
    fn together(&mut self, instances: &[Instance], supplied: &BenchRun) -> Result<Tally, Report> {
        let (mut interventions, mut asked, mut tests) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (number, one) in instances.iter().enumerate() {
            let BenchLife { marks, .. } = &self.plain.lives[one.life];
            let own = |place: usize| match marks[place].origin {
                Origin::Own { ordinal } => Some((place, ordinal)),
                _ => None,
            };
            let calls: Option<Vec<(usize, u64)>> = (one.at.0..one.at.1).map(own).collect();
            let Some(calls) = calls.filter(|calls| (2..=BETWEEN + 1).contains(&calls.len())) else {
                continue;
            };
            if !self.compare(one, number, supplied, Lacks::Nothing).1 || !self.is_steady(one) {
                continue;
            }
            let all: Vec<(Intervention, bool)> =
                calls.iter().map(|&(place, ordinal)| self.delay_call(one, place, ordinal)).collect();
            // The test would go on with something invented.
            if all.iter().any(|(_, invented)| *invented) {
                continue;
            }
            asked.push((one, interventions.len(), calls));
            interventions.extend(all.into_iter().map(|(intervention, _)| intervention));
            tests.insert(one.test.clone());
        }
        let mut tally = Tally::default();
        if asked.is_empty() {
            return Ok(tally);
        }
        let only = objects_of(asked.iter().map(|(one, ..)| *one));
        let tests = tests.into_iter().collect();
        let run = self.timed(&Experiment { tests, interventions, only, touches: false })?;
        for (one, begin, calls) in asked {
            match self.compare_together(one, begin, &calls, &run) {
                Need::Needed => tally.needed += 1,
                Need::Matters => tally.matters += 1,
                Need::Free => tally.free += 1,
                Need::Unknown => {}
            }
        }
        Ok(tally)
    }

    /// Compares two calls and those between with the same calls after the second one.
    fn compare_together(&self, one: &Instance, begin: usize, calls: &[(usize, u64)], run: &BenchRun) -> Need {
        let same = |other: &&BenchLife| other.test == one.test && other.object == one.object;
        let Some(moved) = run.lives.iter().find(same) else { return Need::Unknown };
        let place_of = |origin: Origin| moved.marks.iter().position(|mark| mark.origin == origin);
        let late: Option<Vec<usize>> = (begin..begin + calls.len())
            .map(|intervention| place_of(Origin::Delayed { intervention }))
            .collect();
        let second = place_of(Origin::Own { ordinal: one.ordinals.1 });
        let Some((late, second)) = late.zip(second) else { return Need::Unknown };
        if !late.is_sorted() || late.first().is_none_or(|first| *first < second) {
            return Need::Unknown;
        }
        // A call between that ends differently depends on the second one: another question.
        let plain = &self.plain.lives[one.life].life.events;
        let ended_alike = |((place, _), at): (&(usize, u64), &usize)| {
            plain[*place].outcome == moved.life.events[*at].outcome
        };
        if !calls.iter().zip(&late).skip(1).all(ended_alike) {
            return Need::Unknown;
        }
        match (late.first(), late.last()) {
            (Some(&first), Some(&last)) => self.need(one, moved, first, last, second),
            _ => Need::Unknown,
        }
    }

    /// Figures for tools.
    pub(super) fn json(&self) -> Json {
        json!({
            "tests": self.plain.tests.len(),
            "related": self.related.len(),
            "whole_suite_seconds": self.whole.as_secs_f64(),
            "delayed_seconds": self.delayed.as_secs_f64(),
            "delayed_runs": self.runs,
        })
    }
}

/// Tells whether a method of these types takes an array and answers something, as one that reads into the
/// array does.
fn may_fill((parameters, result): (&str, &str)) -> bool {
    parameters.contains('[') && result != "V"
}

/// The objects whose calls change places.
fn objects_of<'i>(instances: impl IntoIterator<Item = &'i Instance>) -> Option<Vec<(String, u64)>> {
    Some(instances.into_iter().map(|one| (one.test.clone(), one.object)).collect())
}

/// The fields of an object before one of its events.
fn before(events: &[Event], at: usize) -> Option<&State> {
    let recorded = events[at].details.as_ref().and_then(|details| details.before.as_ref());
    recorded.or_else(|| events[..at].last().and_then(|event| event.state.as_ref()))
}

/// The fields but these.
fn without(state: Option<&State>, left_out: &BTreeSet<String>) -> Option<State> {
    let fields = state?.iter().filter(|(name, _)| !left_out.contains(*name));
    Some(fields.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// Every call of the first event is put off until the second, and returns zero, false or null.
fn as_published(first: &BTreeSet<String>, second: &BTreeSet<String>) -> Vec<Intervention> {
    let pairs = first.iter().flat_map(|one| second.iter().map(move |other| (one, other)));
    pairs
        .map(|(one, other)| Intervention {
            at: Site { test: None, object: None, ordinal: None, method: one.clone() },
            action: Action::Delay {
                until: other.clone(),
                same_object: true,
                instead: Replacement::Default,
                run_at_end: false,
                rethrow: true,
            },
        })
        .collect()
}

fn run(bench: &mut TestBench, experiment: &Experiment, quiet: bool) -> Result<BenchRun, Report> {
    let mut counting = Counting::new(quiet);
    let mut listening = Listening::new();
    let run = bench
        .run(experiment, &mut |now: &Progress| {
            counting.show(|| format!("running your tests: {}", counted(now.tests, "test")));
            listening.go_on(now)
        })
        .map_err(environment::cannot_run);
    counting.finish();
    run
}

/// The end of each test.
fn ends(run: &BenchRun) -> BTreeMap<String, TestEnd> {
    let mut ends: BTreeMap<String, TestEnd> = run
        .tests
        .iter()
        .map(|result| {
            let end = match &result.outcome {
                TestOutcome::Passed => TestEnd::Passed,
                TestOutcome::Skipped => TestEnd::Skipped,
                TestOutcome::Failed { message, class, frames } => TestEnd::Failed {
                    class: class.clone(),
                    place: frames.first().cloned(),
                    message: message.clone(),
                },
            };
            (result.name.clone(), end)
        })
        .collect();
    if let (Some(test), Some(how)) = (&run.running, ended_badly(run)) {
        ends.insert(test.clone(), TestEnd::Lost(how));
    }
    ends
}

/// The premature end of a run, in words.
fn ended_badly(run: &BenchRun) -> Option<String> {
    let during = run.running.as_ref().map(|test| format!(" in {test}")).unwrap_or_default();
    match &run.end {
        TaskEnd::Finished => None,
        TaskEnd::TimedOut => Some(format!("took too long{during}")),
        TaskEnd::Stopped(_) => Some(format!("were stopped{during}")),
        TaskEnd::Exited { code } => Some(format!("ended their process with code {code}{during}")),
        TaskEnd::Died { how } => Some(format!("{how}{during}")),
    }
}

/// The run of one test with delayed calls.
fn mutation(run: &BenchRun, test: &str, invented: bool) -> Mutation {
    let notes = || run.notes.iter().filter(|note| note.test == test);
    let count = |kind: fn(&NoteKind) -> bool| {
        u32::try_from(notes().filter(|note| kind(&note.kind)).count()).unwrap_or(u32::MAX)
    };
    let delayed = count(|kind| matches!(kind, NoteKind::Delayed));
    let lives = || run.lives.iter().filter(|life| life.test == test);
    let late = || {
        lives()
            .flat_map(|life| life.marks.iter().zip(&life.life.events))
            .filter_map(|(mark, event)| matches!(mark.origin, Origin::Delayed { .. }).then_some(event))
    };
    let never = count(|kind| matches!(kind, NoteKind::NeverCame { .. }));
    let made = u32::try_from(late().count()).unwrap_or(u32::MAX).min(delayed).saturating_sub(never);
    let late_threw = late().find_map(|event| match &event.outcome {
        Outcome::Threw(class) => Some(class.clone()),
        _ => None,
    });
    let end = ends(run).remove(test).unwrap_or_else(|| TestEnd::Lost("did not end".to_owned()));
    Mutation { end, delayed, made, late_threw, second_missing: never > 0, invented }
}
