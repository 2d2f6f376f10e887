//! The recorder: notes every run of a round, and stores the tests and words worth keeping.
//!
//! A search does not know that it is recorded: it runs scripts on a [`RecordingSubject`]. What is worth
//! keeping is collected and written about twice a second, sooner when a property is refuted.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use adit_attack::{Guarded, HangGuard};
use adit_automata::{Fsa, Reader};
use adit_logic::{Fate, Property};
use adit_store::{StoredProperty, TestId};
use adit_trace::{Depth, Letter, Progress, Run, RunLimits, Script, Subject};
use miette::Report;
use serde_json::json;

use super::Campaign;
use super::property_watch::PropertyWatch;
use super::seen_words::{Fingerprint, SeenWords};
use super::witness_cover::WitnessCover;
use crate::findings::ThrownChanges;
use crate::pace::RoundPace;
use crate::progress::Mining;
use crate::timeline;

/// Interval between writes.
const WRITE_EVERY: Duration = Duration::from_millis(500);

/// Interval between writes while properties are refuted. At the beginning that happens by hundreds, and each
/// write waits for the disk.
const WRITE_REFUTED_EVERY: Duration = Duration::from_millis(100);

/// Most statements of all spare tests together, by estimate fifty megabytes.
const SPARE_STATEMENTS: usize = 500_000;

/// Tests and words that are stored. Tests that refute a property are stored in any case, with their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetentionPolicy {
    /// Every new word, with the test that shows it.
    WordsWithTests,
    /// Every new word, and tests that show a new pair of consecutive events.
    Words,
    /// Tests that show a new pair of consecutive events, and their words.
    NewPairs,
    /// Nothing else.
    Refutations,
}

impl RetentionPolicy {
    /// Decides whether a word is stored, and whether its test is.
    fn keeps(self, is_new: bool, has_new_pair: bool) -> (bool, bool) {
        match self {
            Self::WordsWithTests => (is_new, is_new),
            Self::Words => (is_new, has_new_pair),
            Self::NewPairs => (has_new_pair, has_new_pair),
            Self::Refutations => (false, false),
        }
    }
}

/// A test that refutes a property.
#[derive(Clone)]
pub(crate) struct Refutation {
    pub(crate) script: Script,
    /// Tests of this round that ran before it; absent if an earlier round found it.
    pub(crate) after: Option<u64>,
}

/// Time that recording took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecordingCost {
    /// Noting runs.
    pub(crate) noting: Duration,
    /// Writing while the search waits.
    pub(crate) writing: Duration,
    /// Writing the results of the round.
    pub(crate) ending: Duration,
}

/// The recorder of one round.
pub(crate) struct Recorder<'e> {
    pub(super) campaign: Campaign<'e>,
    pub(super) seen: SeenWords,
    /// Words of the user's tests that no generated test has shown yet. They are stored too.
    pub(super) given: BTreeSet<Vec<Letter>>,
    watch: PropertyWatch,
    /// Calls that threw and changed their objects.
    thrown: ThrownChanges,
    /// All refuted properties of all rounds.
    refuted: BTreeMap<Property<Letter>, Refutation>,
    pending: Pending,
    spare: SpareTests,
    pub(super) progress: Mining,
    pub(super) pace: RoundPace,
    written: Instant,
    /// Progress at the last write.
    last_point: Progress,
    pub(super) cost: RecordingCost,
}

/// Records that the next write stores.
#[derive(Default)]
struct Pending {
    /// New words in order, with the position of the test that shows them, if it is stored.
    words: Vec<(Vec<Letter>, Option<usize>)>,
    tests: Vec<Script>,
    /// Refuted properties with the position of the test.
    refuted: Vec<(Property<Letter>, usize)>,
}

/// Tests of this round that showed words which were stored without one: a model may need a test to show a
/// transition.
#[derive(Default)]
struct SpareTests {
    by_word: HashMap<Fingerprint, Script>,
    statements: usize,
}

impl SpareTests {
    fn add(&mut self, word: Fingerprint, script: &Script) {
        if self.statements < SPARE_STATEMENTS {
            self.statements += script.statements.len();
            self.by_word.insert(word, script.clone());
        }
    }

    /// The test that showed a word: that of the store, if there is one.
    fn source(&self, word: &[Letter], stored: Option<TestId>) -> Option<TestSource> {
        let is_spare = |word: &Fingerprint| self.by_word.contains_key(word);
        let spare = || Some(Fingerprint::of(word)).filter(is_spare).map(TestSource::Spare);
        stored.map(TestSource::Stored).or_else(spare)
    }

    fn script(&self, campaign: &Campaign<'_>, source: TestSource) -> Result<Script, Report> {
        match source {
            TestSource::Stored(test) => campaign.test(test),
            TestSource::Spare(word) => Ok(self.by_word[&word].clone()),
        }
    }
}

/// A test that showed a word.
#[derive(Clone, PartialEq)]
enum TestSource {
    Stored(TestId),
    Spare(Fingerprint),
}

/// A subject whose runs are recorded.
pub(crate) struct RecordingSubject<'r, 'e, S> {
    subject: S,
    recorder: &'r mut Recorder<'e>,
    policy: RetentionPolicy,
}

impl<S: Subject<Error = Report>> Subject for RecordingSubject<'_, '_, S> {
    type Error = Report;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Report> {
        let runs = self.subject.run(batch)?;
        self.recorder.record(batch, &runs, self.policy)?;
        Ok(runs)
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

impl<S: Guarded + Subject<Error = Report>> Guarded for RecordingSubject<'_, '_, S> {
    fn guard(&self) -> &HangGuard {
        self.subject.guard()
    }
}

impl<'e> Recorder<'e> {
    /// Begins with the words of earlier rounds, and those of the user's tests (`given`).
    pub(crate) fn new(
        campaign: Campaign<'e>,
        given: &[Vec<Letter>],
        thrown: ThrownChanges,
        progress: Mining,
        pace: RoundPace,
    ) -> Result<Self, Report> {
        let refuted = campaign.refuted_before();
        let refuted =
            refuted.into_iter().map(|(property, script)| (property, Refutation { script, after: None }));
        let mut given: BTreeSet<Vec<Letter>> =
            given.iter().filter(|word| !word.is_empty()).cloned().collect();
        let mut fresh: BTreeSet<Vec<Letter>> = given.clone();
        let mut seen = SeenWords::new(campaign.reader.alphabet().len());
        campaign.each_word(|word, test| {
            if test.is_some() {
                given.remove(word);
            }
            fresh.remove(word);
            // Given words are not seen: a test that shows one is worth keeping.
            if !given.contains(word) {
                seen.add(word);
            }
        })?;
        let words = fresh.into_iter().map(|word| (word, None)).collect();
        Ok(Self {
            campaign,
            seen,
            given,
            watch: PropertyWatch::default(),
            thrown,
            refuted: refuted.collect(),
            pending: Pending { words, ..Pending::default() },
            spare: SpareTests::default(),
            progress,
            pace,
            written: Instant::now(),
            last_point: Progress::default(),
            cost: RecordingCost::default(),
        })
    }

    /// Records the runs of `subject`, for as long as the result lives.
    pub(crate) fn keeping<S>(&mut self, policy: RetentionPolicy, subject: S) -> RecordingSubject<'_, 'e, S> {
        RecordingSubject { subject, recorder: self, policy }
    }

    /// Takes the tests of earlier rounds, which are then no longer held here.
    pub(crate) fn take_earlier_tests(&mut self) -> Vec<Script> {
        self.campaign.take_earlier_tests()
    }

    /// Calls `visit` with all stored words after the word with number `after`, in the order of their finding,
    /// and returns the number of the last one. They come from the store, because there may be a million.
    pub(crate) fn each_word(&mut self, after: i64, mut visit: impl FnMut(&[Letter])) -> Result<i64, Report> {
        self.write()?;
        self.campaign.each_word_after(after, |word, _| visit(word))
    }

    /// Checks every word against these properties from now on. Properties of earlier rounds that are not
    /// among them are checked once, against all stored words.
    pub(crate) fn watch_properties(
        &mut self,
        properties: &[Property<Letter>],
        pure: &BTreeSet<Letter>,
    ) -> Result<(), Report> {
        let known: BTreeSet<&Property<Letter>> = properties.iter().collect();
        let earlier: Vec<Property<Letter>> =
            self.campaign.unrefuted_before().filter(|property| !known.contains(property)).collect();
        self.watch = PropertyWatch::default();
        self.write()?;
        if !earlier.is_empty() {
            self.refute_by_stored_words(PropertyWatch::new(earlier, pure))?;
        }
        let open = properties.iter().filter(|property| !self.refuted.contains_key(property));
        self.watch = PropertyWatch::new(open.cloned(), pure);
        Ok(())
    }

    fn refute_by_stored_words(&mut self, mut watch: PropertyWatch) -> Result<(), Report> {
        let mut refuted = Vec::new();
        self.campaign.each_word(|word, test| {
            if let Some(test) = test {
                refuted.extend(watch.newly_refuted(word).into_iter().map(|property| (property, test)));
            }
        })?;
        for (property, test) in refuted {
            let script = self.campaign.test(test)?;
            self.pending.refuted.push((property.clone(), self.pending.tests.len()));
            self.pending.tests.push(script.clone());
            self.refuted.insert(property, Refutation { script, after: None });
        }
        self.write()
    }

    /// All properties that were ever refuted.
    pub(crate) fn refuted(&self) -> &BTreeMap<Property<Letter>, Refutation> {
        &self.refuted
    }

    /// Fate of a property after the earlier rounds.
    pub(crate) fn earlier_fate(&self, property: &Property<String>) -> Option<&Fate<TestId>> {
        self.campaign.earlier_fate(property)
    }

    /// Chooses tests for the transitions of a model that none of `tests` takes, as far as one was stored.
    pub(crate) fn tests_for(
        &mut self,
        model: &Fsa<String>,
        tests: &[(Script, Run)],
    ) -> Result<Vec<Script>, Report> {
        self.write()?;
        let Self { campaign, spare, .. } = self;
        let mut cover = WitnessCover::new(model, campaign.reader.alphabet());
        for (script, run) in tests.iter().filter(|(_, run)| !run.leaked) {
            campaign.reader.read(script, run).iter().for_each(|heard| cover.shows(&heard.word));
        }
        if cover.is_complete() {
            return Ok(Vec::new());
        }
        campaign.each_word(|word, test| cover.offer(word, || spare.source(word, test)))?;
        cover.chosen().into_iter().map(|source| spare.script(campaign, source)).collect()
    }

    /// Tests of the campaign with words that a model rejects, at most `most`: those whose words leave the
    /// model first, one for each way to leave it.
    pub(crate) fn tests_rejected_by(
        &mut self,
        model: &Fsa<String>,
        most: usize,
    ) -> Result<Vec<Script>, Report> {
        self.write()?;
        let Self { campaign, spare, .. } = self;
        let letters = model.letters(campaign.reader.alphabet().names());
        let mut reader = Reader::indexed(model);
        let mut found: BTreeMap<(usize, Vec<Letter>), TestSource> = BTreeMap::new();
        campaign.each_word(|word, test| {
            let at = reader.read(word.iter().map(|&letter| letters[letter as usize]));
            if let Some(rejected) = word.get(..=at)
                && let Some(source) = spare.source(word, test)
            {
                found.entry((at, rejected.to_vec())).or_insert(source);
                if found.len() > most {
                    found.pop_last();
                }
            }
        })?;
        found.into_values().map(|source| spare.script(campaign, source)).collect()
    }

    /// Notes runs, and writes what is worth keeping if it is time.
    pub(crate) fn record(
        &mut self,
        scripts: &[Script],
        runs: &[Run],
        policy: RetentionPolicy,
    ) -> Result<(), Report> {
        let begun = Instant::now();
        scripts.iter().zip(runs).for_each(|(script, run)| self.note(script, run, policy));
        self.cost.noting += begun.elapsed();
        let wait = if self.pending.refuted.is_empty() { WRITE_EVERY } else { WRITE_REFUTED_EVERY };
        if self.written.elapsed() < wait { Ok(()) } else { self.write() }
    }

    fn note(&mut self, script: &Script, run: &Run, policy: RetentionPolicy) {
        // A test that leaves a file open does not use the class as it should be used.
        if run.leaked {
            return;
        }
        let mut test = None;
        for heard in self.campaign.reader.read(script, run) {
            self.thrown.note(script, run, &heard);
            let word = heard.word;
            if word.is_empty() {
                continue;
            }
            let refuted = self.watch.newly_refuted(&word);
            let fingerprint = Fingerprint::of(&word);
            let is_new = !self.seen.contains(fingerprint);
            let (keep_word, keep_test) = policy.keeps(is_new, is_new && self.seen.has_new_pair(&word));
            if (keep_test || !refuted.is_empty()) && test.is_none() {
                test = Some(self.pending.tests.len());
                self.pending.tests.push(script.clone());
            }
            if !is_new {
                self.seen.repeat(fingerprint);
            } else if keep_word || !refuted.is_empty() {
                self.given.remove(&word);
                self.seen.add(&word);
                if test.is_none() {
                    self.spare.add(fingerprint, script);
                }
                self.pending.words.push((word, test));
            }
            for property in refuted {
                let refutation = Refutation { script: script.clone(), after: Some(self.pace.tests()) };
                self.refuted.insert(property.clone(), refutation);
                self.pending.refuted.push((property, test.expect("a test that refutes is kept")));
            }
        }
    }

    /// Writes everything that is not yet written.
    pub(super) fn write(&mut self) -> Result<(), Report> {
        let begun = Instant::now();
        self.written = begun;
        let Self { campaign, pending, progress, .. } = self;
        let (round, tests) = (campaign.round, self.pace.tests());
        let seconds = progress.elapsed().as_secs_f64();
        let now = progress.last();
        let point =
            (now != self.last_point).then(|| timeline::stored(round, seconds, &Progress { tests, ..now }));
        let (reader, history) = (campaign.reader, &campaign.history);
        let ids = campaign.writer.batch(|batch| {
            let scripts = pending.tests.iter().map(|script| batch.test(round, script));
            let ids: Vec<TestId> = scripts.collect::<Result<_, _>>()?;
            for (word, test) in &pending.words {
                batch.trace(&super::labels(reader, word), 1, test.map(|test| ids[test]))?;
            }
            for (property, test) in &pending.refuted {
                let property = super::labeled(reader, property);
                let support = history.properties.get(&property).map_or(0, |known| known.support);
                batch.property(&StoredProperty { property, fate: Fate::Refuted(ids[*test]), support })?;
            }
            if let Some(point) = &point {
                batch.point(point)?;
            }
            batch.so_far(round, tests, seconds)?;
            Ok(ids)
        })?;
        self.last_point = now;
        self.announce(&ids)?;
        self.pending = Pending::default();
        self.cost.writing += begun.elapsed();
        Ok(())
    }

    /// Tells tools what was stored. Only what is on the disk is told.
    fn announce(&self, ids: &[TestId]) -> Result<(), Report> {
        let Self { campaign, pending, progress, .. } = self;
        let label = |letter: Letter| campaign.reader.alphabet().name(letter);
        for (property, test) in &pending.refuted {
            progress.event(|| {
                json!({
                    "event": "refuted", "template": property.template.short(),
                    "a": label(property.a), "b": label(property.b), "test": ids[*test].0,
                })
            });
        }
        let is_news = !pending.tests.is_empty() || !pending.words.is_empty();
        if is_news && progress.is_for_tools() {
            let counts = campaign.writer.counts()?;
            let refuted = counts.properties.refuted;
            progress.event(|| {
                json!({ "event": "saved", "tests": counts.tests, "words": counts.words, "refuted": refuted })
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use adit_attack::EventReader;
    use adit_logic::Template;
    use adit_store::{About, Counts};
    use adit_trace::{CallKind, Callable, End, EventNames, Statement, Step, StepResult, Value, Vocabulary};

    use super::*;
    use crate::budget::Budget;
    use crate::campaign::CampaignRequest;
    use crate::progress::Audience;

    /// A class on which every call succeeds. A test that calls `leak` leaves a file open.
    struct Door;

    impl Subject for Door {
        type Error = Report;

        fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Report> {
            let run = |script: &Script| {
                let steps = script.statements.iter().enumerate().map(|(at, statement)| {
                    Step::new(match statement.receiver {
                        None => StepResult::Object { class: "Door".into(), first: at },
                        Some(_) => StepResult::Returned(Value::Void),
                    })
                });
                let leaked = script.statements.iter().any(|statement| statement.callable.name == "leak");
                Run { steps: steps.collect(), end: End::Complete, leaked, passed: None }
            };
            Ok(batch.iter().map(run).collect())
        }
    }

    fn callable(name: &str) -> Arc<Callable> {
        let kind = if name == "Door" { CallKind::Constructor } else { CallKind::Method };
        Arc::new(Callable::new(kind, "Door", name))
    }

    /// A test that makes a door and calls these methods on it.
    fn script(methods: &str) -> Script {
        let made = Statement { callable: callable("Door"), receiver: None, args: Vec::new() };
        let call = |name| Statement { callable: callable(name), receiver: Some(0), args: Vec::new() };
        Script { statements: [made].into_iter().chain(methods.split_whitespace().map(call)).collect() }
    }

    fn reader() -> EventReader {
        EventReader::new(&Vocabulary {
            class: "Door".into(),
            starts: vec![callable("Door")],
            methods: ["open", "close", "leak"].map(callable).into(),
            names: EventNames::default(),
        })
    }

    /// The recorder of the next round of the campaign in a folder.
    fn recorder<'e>(folder: &Path, reader: &'e EventReader) -> Recorder<'e> {
        let about = About {
            class: "Door".to_owned(),
            class_digest: String::new(),
            parameters: json!({}),
            seed: 0,
            tool: String::new(),
            created: 0,
        };
        let progress = Mining::new(Budget::Tests(100), Audience::Nobody);
        let request = CampaignRequest { folder, fresh: false, about: &about, effort: json!({}) };
        let campaign = Campaign::open(&request, reader, &progress).unwrap();
        let pace = RoundPace::new(Budget::Tests(100), progress.clone());
        Recorder::new(campaign, &[], ThrownChanges::default(), progress, pace).unwrap()
    }

    /// Records the tests, and returns what the store then holds.
    fn stored(recorder: &mut Recorder<'_>, policy: RetentionPolicy, tests: &[Script]) -> Counts {
        recorder.keeping(policy, Door).run(tests).unwrap();
        recorder.write().unwrap();
        recorder.campaign.writer.counts().unwrap()
    }

    #[test]
    fn the_policy_decides_which_words_and_tests_are_stored() {
        let (reader, tests) = (reader(), ["open close", "open", "open close", "leak"].map(script));
        for (policy, expected) in [
            (RetentionPolicy::WordsWithTests, (2, 2)),
            (RetentionPolicy::Words, (2, 1)),
            (RetentionPolicy::NewPairs, (1, 1)),
            (RetentionPolicy::Refutations, (0, 0)),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let counts = stored(&mut recorder(folder.path(), &reader), policy, &tests);
            assert_eq!((counts.words, counts.tests), expected, "{policy:?}");
        }
    }

    #[test]
    fn the_first_test_that_refutes_a_property_is_stored() {
        let (folder, reader) = (tempfile::tempdir().unwrap(), reader());
        let letter = |name| reader.alphabet().get(name).unwrap();
        let property = Property { template: Template::NeverFollowed, a: letter("open"), b: letter("close") };
        let tests = ["close open", "open close", "open open close"].map(script);
        let mut first = recorder(folder.path(), &reader);
        first.watch_properties(std::slice::from_ref(&property), &BTreeSet::new()).unwrap();
        first.pace.set_tests(7);
        let counts = stored(&mut first, RetentionPolicy::Refutations, &tests);
        assert_eq!((counts.words, counts.tests, counts.properties.refuted), (1, 1, 1));
        let refutation = &first.refuted()[&property];
        assert_eq!((&refutation.script, refutation.after), (&tests[1], Some(7)));
        drop(first);

        // The next round knows it from the store.
        let second = recorder(folder.path(), &reader);
        let refutation = &second.refuted()[&property];
        assert_eq!((&refutation.script, refutation.after), (&tests[1], None));
    }
}
