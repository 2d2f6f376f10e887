//! The class under test as a search sees it: what runs, and what is written down of it on the way.
//!
//! A search does not know that it is watched. Everything that it runs comes past here; what is worth keeping is collected and
//! written about twice a second, and sooner when a claim falls.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, RandomState};
use std::time::{Duration, Instant};

use adit_attack::fitness::Profile;
use adit_attack::{BadEnd, Ear, Guarded, HangGuard, java};
use adit_automata::{Fsa, format};
use adit_jvm::Host;
use adit_logic::{Fate, Property};
use adit_store::{Claim, Known, RoundEnd, StoredModel, TestId};
use adit_trace::{Letter, Phase, Progress, Run, RunLimits, Script, Subject};
use miette::Report;
use serde_json::json;

use super::cover::Cover;
use super::{Campaign, Pairs, in_letters, names, now, pairs, refuted_before};
use crate::java::environment;
use crate::pace::RoundPace;
use crate::pipeline::{Judged, Mined};
use crate::progress::Mining;
use crate::timeline;

/// How often is written what can wait.
const EVERY: Duration = Duration::from_millis(500);

/// How soon a claim that fell is written. At the beginning they fall by hundreds, and each batch waits for the disk.
const SOON: Duration = Duration::from_millis(100);

/// Of so many words it is remembered that they refute nothing; then it is looked again.
const LOOKED_AT: usize = 1 << 20;

/// Tests of words that were stored without one are remembered until they have so many statements together, by estimate
/// fifty megabytes: a model may need one to show a transition.
const REMEMBERED: usize = 500_000;

/// What is kept of the tests that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Every test that shows a new word, and the word.
    Tests,
    /// Every new word, and tests that show two events after each other for the first time.
    Words,
    /// Tests that show two events after each other for the first time, and their words.
    News,
    /// Tests that refute a claim, and their words. So it is in every other case.
    Refutations,
}

/// After so many scripts that hang or end their worker, what was learned of them decides about the rest.
const BAD_ENDS: usize = 1;

/// A claim that fell.
#[derive(Clone)]
pub(crate) struct Refutation {
    /// The test that shows it.
    pub(crate) script: Script,
    /// How many tests of this round ran until then; nothing if an earlier round found it out.
    pub(crate) after: Option<u64>,
}

/// A [`Host`] whose runs are watched.
pub(crate) struct Kept<'h> {
    host: &'h mut Host,
    /// Runs scripts instead, while it is there.
    instead: Option<Host>,
    pub(super) ear: &'h Ear,
    pub(crate) keep: Keep,
    pub(super) campaign: Campaign,
    progress: Mining,
    /// Runs in portions, and gives up what hangs.
    guard: HangGuard,
    pace: RoundPace,
    /// Fingerprints of the words that are stored or will be with the next batch; the words themselves would not fit. Of a million
    /// words two are alike by chance once in thirty million campaigns, and then the second is taken for the first.
    pub(super) words: HashSet<u64>,
    /// Words of the user's tests that no test of ours has shown yet. They are stored too.
    pub(super) given: BTreeSet<Vec<Letter>>,
    /// How often known words were seen again, by their fingerprints. Written at the end: there are tens of thousands a second.
    again: HashMap<u64, u64>,
    pairs: Pairs,
    /// Words since the last batch that are new, in order, and with them the test if it is kept.
    fresh: Vec<(Vec<Letter>, Option<usize>)>,
    fresh_tests: Vec<Script>,
    armed: Armed,
    /// Claims that fell since the last batch, with the number of a fresh test.
    fallen: Vec<(Property<Letter>, usize)>,
    /// All claims that ever fell.
    refuted: BTreeMap<Property<Letter>, Refutation>,
    /// Tests of this round that showed words which are stored without one, by the word's fingerprint.
    remembered: HashMap<u64, Script>,
    /// How many statements these have.
    statements: usize,
    written: Instant,
    last_point: Progress,
    spent: Spent,
}

/// What keeping costs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    /// Looking at what ran.
    pub(crate) noting: Duration,
    /// Writing it, while the search waits.
    pub(crate) writing: Duration,
    /// Writing what the round ends with.
    pub(crate) ending: Duration,
}

/// The claims that still stand, which every word is held against.
#[derive(Default)]
struct Armed {
    /// By the event that they are about: a word without it refutes nothing.
    claims: BTreeMap<Letter, Vec<Property<Letter>>>,
    pure: BTreeSet<Letter>,
    looked: HashSet<u64>,
    hasher: RandomState,
}

impl<'h> Kept<'h> {
    /// The host, with what the campaign knows and the words of the user's tests.
    pub(crate) fn new(
        host: &'h mut Host,
        ear: &'h Ear,
        campaign: Campaign,
        given: &[Vec<Letter>],
        progress: Mining,
        pace: RoundPace,
    ) -> Result<Self, Report> {
        let refuted = refuted_before(&campaign.before, ear);
        let refuted = refuted.into_iter().map(|(claim, script)| (claim, Refutation { script, after: None }));
        let mut given: BTreeSet<Vec<Letter>> =
            given.iter().filter(|word| !word.is_empty()).cloned().collect();
        let mut fresh: BTreeSet<Vec<Letter>> = given.clone();
        let (mut words, mut pairs) = (HashSet::new(), Pairs::new(ear.alphabet().len()));
        each_word(&campaign, ear, |word, test| {
            if test.is_some() {
                given.remove(word);
            }
            fresh.remove(word);
            // Without those that are given: a test that shows what they show is worth keeping.
            if !given.contains(word) {
                words.insert(fingerprint(word));
                pairs.add(word);
            }
        })?;
        let fresh = fresh.into_iter().map(|word| (word, None)).collect();
        Ok(Self {
            host,
            instead: None,
            ear,
            keep: Keep::Tests,
            campaign,
            progress,
            guard: HangGuard::default(),
            pace,
            words,
            given,
            again: HashMap::new(),
            pairs,
            fresh,
            fresh_tests: Vec::new(),
            armed: Armed::default(),
            fallen: Vec::new(),
            refuted: refuted.collect(),
            remembered: HashMap::new(),
            statements: 0,
            written: Instant::now(),
            last_point: Progress::default(),
            spent: Spent::default(),
        })
    }

    /// The tests of earlier rounds, which are given away.
    pub(crate) fn tests_before(&mut self) -> Vec<Script> {
        std::mem::take(&mut self.campaign.before.tests).into_iter().map(|(_, script)| script).collect()
    }

    /// Shows all words that are kept to `visit`, in the order of their finding, those of the user's tests among them. They come
    /// from the store, because there may be a million.
    /// Only those that came after the word with this number; says which is the last.
    pub(crate) fn each_word(&mut self, after: i64, mut visit: impl FnMut(&[Letter])) -> Result<i64, Report> {
        self.write()?;
        each_word_after(&self.campaign, self.ear, after, |word, _| visit(word))
    }

    /// The tests that a model needs besides these, so that every transition is taken by one, as far as one was kept.
    pub(crate) fn tests_for(
        &mut self,
        model: &Fsa<String>,
        tests: &[(Script, Run)],
    ) -> Result<Vec<Script>, Report> {
        #[derive(Clone, PartialEq)]
        enum Place {
            Stored(TestId),
            Remembered(u64),
        }
        self.write()?;
        let mut cover = Cover::new(model, self.ear.alphabet());
        for (script, run) in tests.iter().filter(|(_, run)| !run.leaked) {
            self.ear.hear(script, run).iter().for_each(|heard| cover.shows(&heard.word));
        }
        if cover.is_whole() {
            return Ok(Vec::new());
        }
        each_word(&self.campaign, self.ear, |word, test| {
            cover.offer(word, || {
                let remembered = || Some(fingerprint(word)).filter(|mark| self.remembered.contains_key(mark));
                test.map(Place::Stored).or_else(|| remembered().map(Place::Remembered))
            });
        })?;
        let script = |place| match place {
            Place::Stored(test) => Ok(self.campaign.writer.test(test)?.script),
            Place::Remembered(mark) => Ok(self.remembered[&mark].clone()),
        };
        cover.chosen().into_iter().map(script).collect()
    }

    /// How many tests were run in this round.
    pub(crate) fn tests_run(&self) -> u64 {
        self.pace.tests()
    }

    /// Runs scripts that ran before and ended well, also when the budget is used up, but not for long: those that there is no
    /// time for are left out.
    pub(crate) fn run_again(&mut self, scripts: &[Script]) -> Result<Vec<Run>, Report> {
        let host = self.instead.as_mut().unwrap_or(self.host);
        host.limit(self.pace.grace());
        let runs = host.run(scripts).map_err(environment::cannot_run)?;
        self.note_all(scripts, &runs)?;
        Ok(runs)
    }

    /// What of the tests comes out alike in a second machine. Hash codes of objects, and with them the order of what is kept by
    /// them, are different in each; what differs must not be asserted. Nor is what there is no time to look at.
    pub(crate) fn agreed(&mut self, tests: &[(Script, Run)]) -> Result<Vec<Run>, Report> {
        let scripts: Vec<Script> = tests.iter().map(|(script, _)| script.clone()).collect();
        self.host.renew();
        self.host.limit(self.pace.grace());
        let again = self.host.run(&scripts).map_err(environment::cannot_run)?;
        Ok(tests.iter().zip(&again).map(|((_, run), again)| java::agreed(run, again)).collect())
    }

    /// Takes note of what runs showed, and writes it down if it is time.
    fn note_all(&mut self, scripts: &[Script], runs: &[Run]) -> Result<(), Report> {
        let begun = Instant::now();
        scripts.iter().zip(runs).for_each(|(script, run)| self.note(script, run));
        self.spent.noting += begun.elapsed();
        self.write_if_due()
    }

    /// The methods that are no longer called because they hang or end their worker.
    pub(crate) fn given_up(&self) -> BTreeSet<String> {
        self.guard.given_up().iter().map(|callable| callable.event_name().to_owned()).collect()
    }

    /// Every call that hung or ended its worker: the method, how its object was made, and how often.
    pub(crate) fn bad_ends(&self) -> Vec<(String, String, u64)> {
        let told =
            |end: &BadEnd<'_>| (end.callable.event_name().to_owned(), end.construction.to_owned(), end.times);
        let mut all: Vec<(String, String, u64)> = self.guard.bad_ends().iter().map(told).collect();
        all.sort();
        all
    }

    /// How objects are made that are no longer made because most calls on them hang.
    pub(crate) fn makings_given_up(&self) -> BTreeSet<String> {
        self.guard.constructions_given_up().into_iter().map(str::to_owned).collect()
    }

    /// From now on scripts run there; with nothing, where they ran at first.
    pub(crate) fn run_on(&mut self, instead: Option<Host>) {
        self.instead = instead;
    }

    /// From now on, every word is held against these claims. Claims of earlier rounds that words of this one contradict fall now.
    pub(crate) fn arm(&mut self, claims: &[Property<Letter>], pure: &BTreeSet<Letter>) -> Result<(), Report> {
        let claims_before = self.campaign.before.claims.values();
        let known: BTreeSet<&Property<Letter>> = claims.iter().collect();
        let standing = claims_before
            .filter(|claim| !claim.fate.is_refuted())
            .filter_map(|claim| in_letters(self.ear, &claim.property))
            .filter(|claim| !known.contains(claim));
        self.armed = Armed::new(standing, pure);
        self.write()?;
        if !self.armed.claims.is_empty() {
            let mut fallen = Vec::new();
            let armed = &mut self.armed;
            each_word(&self.campaign, self.ear, |word, test| {
                if let Some(test) = test {
                    fallen.extend(armed.fallen(word).into_iter().map(|claim| (claim, test)));
                }
            })?;
            for (claim, test) in fallen {
                let script = self.campaign.writer.test(test)?.script;
                self.fallen.push((claim.clone(), self.fresh_tests.len()));
                self.fresh_tests.push(script.clone());
                self.refuted.insert(claim, Refutation { script, after: None });
            }
            self.write()?;
        }
        self.armed =
            Armed::new(claims.iter().filter(|claim| !self.refuted.contains_key(claim)).cloned(), pure);
        Ok(())
    }

    /// The claims that ever fell, and the tests that did it.
    pub(crate) fn refuted(&self) -> &BTreeMap<Property<Letter>, Refutation> {
        &self.refuted
    }

    /// Returns the fate of a property after the earlier rounds.
    pub(crate) fn fate_before(&self, claim: &Property<String>) -> Option<&Fate<TestId>> {
        self.campaign.before.claims.get(claim).map(|claim| &claim.fate)
    }

    /// Takes note of what a run showed.
    fn note(&mut self, script: &Script, run: &Run) {
        // Whoever leaves a file open has not used the class as it should be used.
        if run.leaked {
            return;
        }
        let mut number = None;
        for heard in self.ear.hear(script, run) {
            let word = heard.word;
            if word.is_empty() {
                continue;
            }
            let fallen = self.armed.fallen(&word);
            let mark = fingerprint(&word);
            let known = self.words.contains(&mark);
            let news = !known && pairs(&word).any(|pair| !self.pairs.contains(pair));
            let (keep_word, keep_test) = match self.keep {
                Keep::Tests => (!known, !known),
                Keep::Words => (!known, news),
                Keep::News => (news, news),
                Keep::Refutations => (false, false),
            };
            let (keep_word, keep_test) = (keep_word || !fallen.is_empty(), keep_test || !fallen.is_empty());
            if keep_test && number.is_none() {
                number = Some(self.fresh_tests.len());
                self.fresh_tests.push(script.clone());
            }
            if known {
                *self.again.entry(mark).or_default() += 1;
            } else if keep_word {
                self.pairs.add(&word);
                self.given.remove(&word);
                self.words.insert(mark);
                if number.is_none() && self.statements < REMEMBERED {
                    self.statements += script.statements.len();
                    self.remembered.insert(mark, script.clone());
                }
                self.fresh.push((word, number));
            }
            for claim in fallen {
                let refutation = Refutation { script: script.clone(), after: Some(self.tests_run()) };
                self.refuted.insert(claim.clone(), refutation);
                self.fallen.push((claim, number.expect("a test that refutes is kept")));
            }
        }
    }

    fn write_if_due(&mut self) -> Result<(), Report> {
        let wait = if self.fallen.is_empty() { EVERY } else { SOON };
        if self.written.elapsed() < wait {
            return Ok(());
        }
        self.write()
    }

    /// Writes all that is not yet written.
    pub(super) fn write(&mut self) -> Result<(), Report> {
        let begun = Instant::now();
        self.written = begun;
        let Self { campaign, ear, fresh, fresh_tests, fallen, progress, .. } = self;
        let (round, run) = (campaign.round, self.pace.tests());
        let seconds = progress.elapsed().as_secs_f64();
        let standing = progress.last();
        let before = &campaign.before;
        let point = (standing != self.last_point)
            .then(|| timeline::stored(round, seconds, &Progress { tests: run, ..standing }));
        let new_tests = !fresh_tests.is_empty() || !fresh.is_empty();
        let ids = campaign.writer.batch(|batch| {
            let ids: Vec<TestId> =
                fresh_tests.iter().map(|script| batch.test(round, script)).collect::<Result<_, _>>()?;
            for (word, test) in fresh.iter() {
                batch.trace(&names(ear, word), 1, test.map(|test| ids[test]))?;
            }
            for (claim, test) in fallen.iter() {
                let name = |letter: Letter| ear.alphabet().name(letter).to_owned();
                let property = Property { template: claim.template, a: name(claim.a), b: name(claim.b) };
                let known = before.claims.get(&property);
                batch.claim(&Claim {
                    support: known.map_or(0, |claim| claim.support),
                    property,
                    fate: Fate::Refuted(ids[*test]),
                })?;
            }
            if let Some(point) = &point {
                batch.point(point)?;
            }
            batch.so_far(round, run, seconds)?;
            Ok(ids)
        })?;
        // Only what is on the disk is told of.
        for (claim, test) in fallen.drain(..) {
            let name = |letter: Letter| ear.alphabet().name(letter);
            progress.event(|| {
                json!({
                    "event": "refuted", "template": claim.template.short(), "a": name(claim.a), "b": name(claim.b),
                    "test": ids[test].0,
                })
            });
        }
        if new_tests && progress.is_for_tools() {
            let counts = campaign.writer.counts()?;
            progress.event(|| {
                json!({ "event": "saved", "tests": counts.tests, "words": counts.words, "refuted": counts.properties.refuted })
            });
        }
        fresh.clear();
        fresh_tests.clear();
        self.last_point = standing;
        self.spent.writing += begun.elapsed();
        Ok(())
    }

    /// Writes what the round ends with, and gives the folder back. Says what keeping has cost in all.
    pub(crate) fn end(mut self, mined: &Mined) -> Result<Spent, Report> {
        self.write()?;
        let begun = Instant::now();
        let mut again: Vec<(i64, u64)> = Vec::new();
        let alphabet = self.ear.alphabet();
        if !self.again.is_empty() {
            let mut letters: Vec<Letter> = Vec::new();
            self.campaign.writer.each_word(
                0,
                |label| alphabet.get(label),
                |Known { id, word, .. }| {
                    letters.clear();
                    letters.extend(word.iter().copied().flatten());
                    let whole = letters.len() == word.len();
                    let count = self.again.get(&fingerprint(&letters)).filter(|_| whole);
                    again.extend(count.map(|&count| (id, count)));
                },
            )?;
        }
        let class = self.campaign.writer.about()?.class;
        let json = format::write(&mined.model, format::Format::Json, &class)?;
        let Campaign { mut writer, round, .. } = self.campaign;
        let (ear, course) = (self.ear, self.progress.course(round));
        let (run, seconds) = (self.pace.tests(), self.progress.elapsed().as_secs_f64());
        writer.batch(|batch| {
            let tests = mined.tests.iter().map(|(script, _)| batch.test(round, script));
            let tests: Vec<TestId> = tests.collect::<Result<_, _>>()?;
            again.iter().try_for_each(|&(id, count)| batch.again(id, count))?;
            // Words whose test was not worth keeping until the model needed it.
            for ((script, run), &test) in mined.tests.iter().zip(&tests).filter(|((_, run), _)| !run.leaked) {
                for heard in ear.hear(script, run).iter().filter(|heard| !heard.word.is_empty()) {
                    batch.trace(&names(ear, &heard.word), 0, Some(test))?;
                }
            }
            for Judged { property, fate, support, .. } in &mined.properties {
                let fate = fate.map(|test| tests[test]);
                batch.claim(&Claim { property: property.clone(), fate, support: *support })?;
            }
            if mined.model.transitions() > 0 {
                batch.model(&StoredModel {
                    round,
                    made: mined.settled.made,
                    json: json.text,
                    why: mined.settled.why.clone(),
                    complete: mined.settled.complete,
                    realized: mined.settled.realized,
                    explored: mined.settled.explored,
                    tests,
                    witnesses: mined.witnesses.as_json(),
                    written: now(),
                })?;
            }
            batch.course(round, &course)?;
            batch.so_far(round, run, seconds)?;
            batch.end(round, &RoundEnd { ended: now(), stop: mined.stop })
        })?;
        writer.finish()?;
        Ok(Spent { ending: begun.elapsed(), ..self.spent })
    }
}

/// Shows the words of a campaign and the tests that are known for them. Words of letters that the class does not have are left
/// out: the class and the flags are the same, so they are the fault of a file that was changed by hand.
pub(super) fn each_word(
    campaign: &Campaign,
    ear: &Ear,
    visit: impl FnMut(&[Letter], Option<TestId>),
) -> Result<(), Report> {
    each_word_after(campaign, ear, 0, visit).map(drop)
}

/// The same for those after the word with this number; says which is the last.
fn each_word_after(
    campaign: &Campaign,
    ear: &Ear,
    after: i64,
    mut visit: impl FnMut(&[Letter], Option<TestId>),
) -> Result<i64, Report> {
    let (mut word, mut last) = (Vec::new(), after);
    campaign.writer.each_word(
        after,
        |label| ear.alphabet().get(label),
        |Known { id, word: letters, test, .. }| {
            last = id;
            word.clear();
            word.extend(letters.iter().copied().flatten());
            if word.len() == letters.len() {
                visit(&word, test);
            }
        },
    )?;
    Ok(last)
}

/// A number for a word, the same in every run.
fn fingerprint(word: &[Letter]) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(word)
}

impl Armed {
    fn new(claims: impl IntoIterator<Item = Property<Letter>>, pure: &BTreeSet<Letter>) -> Self {
        let mut armed = Self { pure: pure.clone(), ..Self::default() };
        for claim in claims {
            armed.claims.entry(claim.a).or_default().push(claim);
        }
        armed
    }

    /// The claims that this word refutes. They are no longer armed.
    fn fallen(&mut self, word: &[Letter]) -> Vec<Property<Letter>> {
        if self.claims.is_empty() {
            return Vec::new();
        }
        if self.looked.len() >= LOOKED_AT {
            self.looked.clear();
        }
        if !self.looked.insert(self.hasher.hash_one(word)) {
            return Vec::new();
        }
        let profile = Profile::of(word, &self.pure);
        let mut fallen = Vec::new();
        for letter in word.iter().copied().collect::<BTreeSet<_>>() {
            if let Some(claims) = self.claims.get_mut(&letter) {
                fallen.extend(claims.extract_if(.., |claim| profile.cost(claim) == 0.0));
                // When nothing is left, words need not be looked at.
                if claims.is_empty() {
                    self.claims.remove(&letter);
                }
            }
        }
        fallen
    }
}

impl Subject for Kept<'_> {
    type Error = Report;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Report> {
        let host = self.instead.as_mut().unwrap_or(self.host);
        let Self { guard, pace, .. } = self;
        host.limit(RunLimits { deadline: pace.deadline(), bad_ends: Some(BAD_ENDS) });
        // What was allowed to the step before says nothing about this one.
        (guard.stopped, guard.most) = (None, pace.most_tests());
        let runs = guard.run(host, batch, Phase::default(), &mut pace.batch());
        pace.set_tests(guard.tests);
        let runs = runs.map_err(environment::cannot_run)?;
        self.note_all(batch, &runs)?;
        Ok(runs)
    }

    fn renew(&mut self) {
        self.instead.as_mut().unwrap_or(self.host).renew();
    }
}

impl Guarded for Kept<'_> {
    fn guard(&self) -> &HangGuard {
        &self.guard
    }
}

#[cfg(test)]
mod tests {
    use adit_logic::Template;

    use super::*;

    #[test]
    fn a_claim_falls_once() {
        let claim = |template, a, b| Property { template, a, b };
        let never = claim(Template::NeverFollowed, 0, 1);
        let always = claim(Template::AlwaysPreceded, 1, 2);
        let immediately = claim(Template::AlwaysImmediatelyFollowed, 0, 1);
        let all = [never.clone(), always.clone(), immediately.clone()];
        let mut armed = Armed::new(all, &BTreeSet::from([3]));
        assert_eq!(armed.fallen(&[2, 3]), []);
        // With a call of no effect between them, it is still immediately.
        assert_eq!(armed.fallen(&[2, 0, 3, 1]), [never]);
        assert_eq!(armed.fallen(&[2, 0, 3, 1]), []);
        assert_eq!(armed.fallen(&[0, 0, 1]), [immediately, always]);
        assert_eq!(armed.fallen(&[0, 0, 1, 1]), []);
    }
}
