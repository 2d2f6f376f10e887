//! The class under test as a search sees it: what runs, and what is written down of it on the way.
//!
//! A search does not know that it is watched. Everything that it runs comes past here; what is worth keeping is collected and
//! written about twice a second, and at once when a claim falls.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use adit_attack::assay::Assayed;
use adit_attack::dice_tester::Fate as Found;
use adit_attack::fitness::Profile;
use adit_attack::{Care, Ear};
use adit_automata::{Fsa, format};
use adit_jvm::Host;
use adit_logic::Property;
use adit_store::{Claim, Fate, RoundEnd, SearchPoint, StoredModel, TestId};
use adit_trace::{Letter, Run, Script, Subject};
use miette::Report;
use serde_json::json;

use super::admit::admit;
use super::{Campaign, OldModel, Pairs, in_letters, labels, now, pairs, refuted_before};
use crate::interrupt::interrupted;
use crate::machine;
use crate::pipeline::{Judged, Mined};
use crate::progress::{Mining, Standing};

/// How often is written what can wait.
const EVERY: Duration = Duration::from_millis(500);

/// How much less of a new model may be real before the old one is the better.
const WORSE: f64 = 0.02;

/// Of so many words it is remembered that they refute nothing; then it is looked again.
const LOOKED_AT: usize = 1 << 20;

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
    ear: &'h Ear,
    pub(crate) keep: Keep,
    campaign: Campaign,
    progress: Mining,
    run: u64,
    /// Runs in portions, and gives up what hangs.
    care: Care,
    /// When nothing more is run.
    deadline: Option<Instant>,
    /// The words that are stored or will be with the next batch.
    words: HashSet<Vec<Letter>>,
    /// Words of the user's tests that no test of ours has shown yet. They are stored too.
    given: BTreeSet<Vec<Letter>>,
    /// How often known words were seen since the last batch.
    again: HashMap<Vec<Letter>, u64>,
    pairs: Pairs,
    /// Words since the last batch that are new, in order, and with them the test if it is kept.
    fresh: Vec<(Vec<Letter>, Option<usize>)>,
    fresh_tests: Vec<Script>,
    armed: Armed,
    /// Claims that fell since the last batch, with the number of a fresh test.
    fallen: Vec<(Property<Letter>, usize)>,
    /// All claims that ever fell.
    refuted: BTreeMap<Property<Letter>, Refutation>,
    written: Instant,
    last_point: Standing,
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

/// The model that a round made.
pub(crate) struct Made {
    model: Fsa<String>,
    /// Nothing was left to try.
    complete: bool,
    /// The share of its walks that can happen, if that was measured.
    realized: Option<f64>,
    /// In how many situations it was tried what is possible.
    explored: u64,
}

impl Made {
    /// A model, and how it was come by; one inferred from traces is always complete.
    pub(crate) fn new(model: Fsa<String>, assayed: Option<&Assayed>) -> Self {
        Self {
            model,
            complete: assayed.is_none_or(|assayed| assayed.complete),
            realized: assayed.and_then(|assayed| assayed.realized),
            explored: assayed.map_or(0, |assayed| assayed.situations as u64),
        }
    }
}

/// The model that a round ends with.
pub(crate) struct Settled {
    pub(crate) model: Fsa<String>,
    /// Why it is this one.
    pub(crate) why: String,
    /// It is the one that this round made.
    pub(crate) own: bool,
    pub(crate) complete: bool,
    pub(crate) realized: Option<f64>,
    pub(crate) explored: u64,
    /// How many words were kept in all rounds.
    pub(crate) words: usize,
    /// How many words there was no time to explore, and which are allowed only because they happened.
    pub(crate) admitted: usize,
    /// Tests that take its transitions, if it is not this round's.
    pub(crate) tests: Option<Vec<Script>>,
}

impl<'h> Kept<'h> {
    /// The host, with what the campaign knows and the words of the user's tests.
    pub(crate) fn new(
        host: &'h mut Host,
        ear: &'h Ear,
        mut campaign: Campaign,
        given: &[Vec<Letter>],
        progress: Mining,
    ) -> Self {
        let refuted = refuted_before(&campaign.before, ear);
        let refuted = refuted.into_iter().map(|(claim, script)| (claim, Refutation { script, after: None }));
        let shown = std::mem::take(&mut campaign.before.words);
        let alone = std::mem::take(&mut campaign.before.words_alone);
        let mut words: HashSet<Vec<Letter>> = shown.into_iter().collect();
        let given: BTreeSet<Vec<Letter>> =
            given.iter().filter(|word| !word.is_empty() && !words.contains(*word)).cloned().collect();
        let fresh = given.iter().filter(|word| !alone.contains(*word)).map(|word| (word.clone(), None));
        let fresh = fresh.collect();
        words.extend(alone.into_iter().filter(|word| !given.contains(word)));
        // Without those that are given: a test that shows what they show is worth keeping.
        let pairs = words.iter().flat_map(|word| pairs(word)).collect();
        let now = Instant::now();
        Self {
            host,
            instead: None,
            ear,
            keep: Keep::Tests,
            campaign,
            progress,
            run: 0,
            care: Care::default(),
            deadline: None,
            words,
            given,
            again: HashMap::new(),
            pairs,
            fresh,
            fresh_tests: Vec::new(),
            armed: Armed::default(),
            fallen: Vec::new(),
            refuted: refuted.collect(),
            written: now,
            last_point: Standing::default(),
        }
    }

    /// The tests of earlier rounds.
    pub(crate) fn tests_before(&self) -> Vec<Script> {
        self.campaign.before.tests.iter().map(|(_, script)| script.clone()).collect()
    }

    /// All words that are kept, in order, and those of the user's tests.
    pub(crate) fn words(&self) -> BTreeSet<&Vec<Letter>> {
        self.words.iter().chain(&self.given).collect()
    }

    /// How many tests were run in this round.
    pub(crate) fn tests_run(&self) -> u64 {
        self.run
    }

    /// Nothing is run after this moment, nor after Ctrl-C, but for [`Kept::run_again`].
    pub(crate) fn stop_at(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// Runs scripts that ran before and ended well, whatever time it is.
    pub(crate) fn run_again(&mut self, scripts: &[Script]) -> Result<Vec<Run>, Report> {
        let host = self.instead.as_mut().unwrap_or(self.host);
        let runs = host.run(scripts).map_err(machine::cannot_run)?;
        self.run += scripts.len() as u64;
        self.note_all(scripts, &runs)?;
        Ok(runs)
    }

    /// Takes note of what runs showed, and writes it down if it is time.
    fn note_all(&mut self, scripts: &[Script], runs: &[Run]) -> Result<(), Report> {
        scripts.iter().zip(runs).for_each(|(script, run)| self.note(script, run));
        self.write_if_due()
    }

    /// The methods that are no longer called because they hang or end their worker.
    pub(crate) fn given_up(&self) -> BTreeSet<String> {
        self.care.given_up().map(|callable| callable.event_name().to_owned()).collect()
    }

    /// From now on scripts run there; with nothing, where they ran at first.
    pub(crate) fn run_on(&mut self, instead: Option<Host>) {
        self.instead = instead;
    }

    /// From now on, every word is held against these claims. Claims of earlier rounds that words of this one contradict fall now.
    pub(crate) fn arm(&mut self, claims: &[Property<Letter>], pure: &BTreeSet<Letter>) -> Result<(), Report> {
        let claims_before = self.campaign.before.claims.values();
        let standing = claims_before
            .filter(|claim| !matches!(claim.fate, Fate::Refuted { .. }))
            .filter_map(|claim| in_letters(self.ear, &claim.property))
            .filter(|claim| !claims.contains(claim));
        self.armed = Armed::new(standing, pure);
        self.write()?;
        if !self.armed.claims.is_empty() {
            let mut fallen = Vec::new();
            for trace in self.campaign.writer.traces() {
                let trace = trace?;
                let word = trace.word.iter().map(|label| self.ear.alphabet().get(label));
                let Some((word, test)) = word.collect::<Option<Vec<Letter>>>().zip(trace.test) else {
                    continue;
                };
                fallen.extend(self.armed.fallen(&word).into_iter().map(|claim| (claim, test)));
            }
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

    /// For how many generations earlier rounds attacked a claim.
    pub(crate) fn attacked_before(&self, claim: &Property<String>) -> u64 {
        self.campaign.before.claims.get(claim).map_or(0, |claim| claim.attacked)
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
            let known = self.words.contains(&word);
            let news = !known && pairs(&word).any(|pair| !self.pairs.contains(&pair));
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
                match self.again.get_mut(&word) {
                    Some(count) => *count += 1,
                    None => drop(self.again.insert(word, 1)),
                }
            } else if keep_word {
                self.pairs.extend(pairs(&word));
                self.given.remove(&word);
                self.words.insert(word.clone());
                self.fresh.push((word, number));
            }
            for claim in fallen {
                let refutation = Refutation { script: script.clone(), after: Some(self.run) };
                self.refuted.insert(claim.clone(), refutation);
                self.fallen.push((claim, number.expect("a test that refutes is kept")));
            }
        }
    }

    fn write_if_due(&mut self) -> Result<(), Report> {
        if self.fallen.is_empty() && self.written.elapsed() < EVERY {
            return Ok(());
        }
        self.write()
    }

    /// Writes all that is not yet written.
    fn write(&mut self) -> Result<(), Report> {
        self.written = Instant::now();
        let Self { campaign, ear, fresh, fresh_tests, fallen, again, progress, .. } = self;
        let (round, run) = (campaign.round, self.run);
        let seconds = progress.elapsed().as_secs_f64();
        let standing = progress.standing();
        let before = &campaign.before;
        let point = (standing != self.last_point).then(|| SearchPoint {
            round,
            phase: standing.phase.to_owned(),
            seconds,
            tests: run,
            states: standing.states.map(|count| count as u64),
            refuted: standing.refuted.map(|count| count as u64),
            open: standing.open.map(|count| count as u64),
            covered: standing.covered.map(|count| count as u64),
        });
        let new_tests = !fresh_tests.is_empty() || !fresh.is_empty();
        let ids = campaign.writer.batch(|batch| {
            let ids: Vec<TestId> =
                fresh_tests.iter().map(|script| batch.test(round, script)).collect::<Result<_, _>>()?;
            for (word, test) in fresh.iter() {
                batch.trace(&labels(ear, word), 1, test.map(|test| ids[test]))?;
            }
            for (word, &count) in again.iter() {
                batch.trace(&labels(ear, word), count, None)?;
            }
            for (claim, test) in fallen.iter() {
                let name = |letter: Letter| ear.alphabet().name(letter).to_owned();
                let property = Property { template: claim.template, a: name(claim.a), b: name(claim.b) };
                let known = before.claims.get(&property);
                batch.claim(&Claim {
                    support: known.map_or(0, |claim| claim.support),
                    attacked: known.map_or(0, |claim| claim.attacked),
                    property,
                    fate: Fate::Refuted { test: ids[*test] },
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
                json!({ "event": "saved", "tests": counts.tests, "words": counts.words, "refuted": counts.refuted })
            });
        }
        fresh.clear();
        fresh_tests.clear();
        again.clear();
        self.last_point = standing;
        Ok(())
    }

    /// The model that the round ends with: the one that it made, unless the last round's is better. Either way it allows every
    /// word that was ever kept, but for those that only the user's tests show: where they lead was not seen.
    pub(crate) fn settle(&mut self, made: Made) -> Settled {
        // Few at a time, because there may be a million.
        let ear = self.ear;
        let words: Vec<&Vec<Letter>> = self.words.iter().collect::<BTreeSet<_>>().into_iter().collect();
        let rejected = |model: &Fsa<String>| -> Vec<Vec<String>> {
            words.iter().map(|word| labels(ear, word)).filter(|word| !model.reads(word)).collect()
        };
        let round = self.campaign.round.0;
        let old = self.campaign.before.model.take();
        let old =
            old.filter(|old| is_better(old, rejected(&old.model).len(), &made, rejected(&made.model).len()));
        let mut settled = match old {
            Some(OldModel { model, round: from, complete, realized, explored, tests }) => {
                let why = format!("kept from round {}, which did better than round {round}", from.0);
                let tests = Some(tests);
                Settled { model, why, own: false, complete, realized, explored, tests, words: 0, admitted: 0 }
            }
            None => {
                let Made { model, complete, realized, explored } = made;
                let why = format!("made by round {round}");
                Settled {
                    model,
                    why,
                    own: true,
                    complete,
                    realized,
                    explored,
                    tests: None,
                    words: 0,
                    admitted: 0,
                }
            }
        };
        settled.words = words.len();
        // To a model of nothing, what was seen would add a guess and no more.
        if settled.model.transitions() > 0 {
            let rejected = rejected(&settled.model);
            (settled.model, settled.admitted) = admit(settled.model, &rejected);
        }
        settled
    }

    /// Writes what the round ends with, and gives the folder back.
    pub(crate) fn end(mut self, mined: &Mined) -> Result<(), Report> {
        self.write()?;
        let class = self.campaign.writer.about()?.class;
        let json = format::write(&mined.model, format::Format::Json, &class)?;
        let Campaign { mut writer, round, .. } = self.campaign;
        let (run, seconds) = (self.run, self.progress.elapsed().as_secs_f64());
        writer.batch(|batch| {
            let tests = mined.tests.iter().map(|(script, _)| batch.test(round, script));
            let tests: Vec<TestId> = tests.collect::<Result<_, _>>()?;
            for Judged { property, fate, support, .. } in &mined.properties {
                let (fate, attacked) = match fate {
                    Found::Refuted(at) => {
                        (tests.get(*at).map_or(Fate::Open, |&test| Fate::Refuted { test }), 0)
                    }
                    Found::Survived { attacked, abandoned } => {
                        (Fate::Survived { abandoned: *abandoned }, u64::from(*attacked))
                    }
                    Found::NotAttacked => (Fate::Open, 0),
                };
                batch.claim(&Claim { property: property.clone(), fate, support: *support, attacked })?;
            }
            if mined.model.transitions() > 0 {
                batch.model(&StoredModel {
                    round,
                    json: json.text,
                    why: mined.settled.why.clone(),
                    complete: mined.settled.complete,
                    realized: mined.settled.realized,
                    explored: mined.settled.explored,
                    tests,
                    written: now(),
                })?;
            }
            batch.so_far(round, run, seconds)?;
            batch.end(round, &RoundEnd { ended: now(), stop: mined.stop.to_owned() })
        })?;
        writer.finish()?;
        Ok(())
    }
}

/// Whether the last round's model is to be preferred: it saw more, or clearly more of it is real, and it does not reject more of
/// what happened.
fn is_better(old: &OldModel, old_rejects: usize, made: &Made, rejects: usize) -> bool {
    match (old.complete, made.complete) {
        (true, true) => {
            let less_real = old.realized.zip(made.realized).is_some_and(|(old, new)| old > new + WORSE);
            less_real && old_rejects <= rejects
        }
        (true, false) => true,
        (false, true) => false,
        (false, false) => (old_rejects, made.explored) < (rejects, old.explored),
    }
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
            }
        }
        fallen
    }
}

impl Subject for Kept<'_> {
    type Error = Report;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Report> {
        let host = self.instead.as_mut().unwrap_or(self.host);
        let before = self.care.tests;
        let deadline = self.deadline;
        let runs = self.care.run(host, batch, |_| {
            let over = interrupted() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let runs = runs.map_err(machine::cannot_run)?;
        self.run += self.care.tests - before;
        self.note_all(batch, &runs)?;
        Ok(runs)
    }
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use adit_logic::Template;
    use adit_store::RoundId;

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

    /// Whether an old model is kept: what is known of it and of the new one is whether it is complete, how much is real, how
    /// far it was explored, and how many words it rejects.
    fn kept(old: (bool, Option<f64>, u64, usize), new: (bool, Option<f64>, u64, usize)) -> bool {
        let model = || Builder::new().build();
        let (complete, realized, explored, rejects) = old;
        let old =
            OldModel { model: model(), round: RoundId(1), complete, realized, explored, tests: Vec::new() };
        let made = Made { model: model(), complete: new.0, realized: new.1, explored: new.2 };
        is_better(&old, rejects, &made, new.3)
    }

    #[test]
    fn a_model_is_replaced_by_one_that_is_no_worse() {
        // A round that was broken off does not replace a whole one.
        assert!(kept((true, Some(0.9), 100, 2), (false, None, 500, 0)));
        assert!(!kept((false, None, 500, 0), (true, Some(0.9), 100, 0)));
        // Of two whole ones the new one knows more, unless much less of it is real.
        assert!(!kept((true, Some(0.9), 100, 0), (true, Some(0.89), 90, 0)));
        assert!(kept((true, Some(0.9), 100, 0), (true, Some(0.8), 90, 0)));
        assert!(!kept((true, Some(0.9), 100, 1), (true, Some(0.8), 90, 0)));
        // Of two that were broken off, the one that went further.
        assert!(kept((false, None, 100, 0), (false, None, 90, 0)));
        assert!(!kept((false, None, 90, 0), (false, None, 100, 0)));
        assert!(kept((false, None, 90, 0), (false, None, 100, 3)));
    }
}
