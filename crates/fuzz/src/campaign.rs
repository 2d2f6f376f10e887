//! Campaigns: sessions one after another, what they showed, and what is worth another look.

use std::collections::{BTreeMap, BTreeSet};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::alphabet::{Alphabet, AnswerClass, LabelKind, Role};
use crate::findings::{self, FindingKey, FindingKind, ServerFinding, Sight};
use crate::generate::{Generator, ScriptLimits};
use crate::guide::{Guide, Judgment, SessionPlace};
use crate::runner::{Pace, SessionRunner};
use crate::script::Message;
use crate::server::ServerError;
use crate::session::{SessionEnd, SessionRun};

mod disk;

pub use disk::{DiskError, load, save};

/// Parameters of a campaign.
#[derive(Clone, Debug)]
pub struct CampaignRules {
    /// Seed of all choices.
    pub seed: u64,
    /// Limits of scripts.
    pub limits: ScriptLimits,
    /// Sessions without changed bytes that must agree before a contradiction is reported.
    pub confirmations: u32,
    /// Leave out labels that no client was seen to use.
    pub only_seen: bool,
}

/// A script that showed something new, and the places before and after each of its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The messages.
    pub script: Vec<Message>,
    /// The places, one more than messages.
    pub places: Vec<SessionPlace>,
}

/// Class of what followed a message: an answer, or the end of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TripleOutcome {
    /// An answer of this class.
    Answered(AnswerClass),
    /// None in time, though the server runs and keeps the connection. A server that was seen to wait for more
    /// gave an answer of the class `silent`.
    Unanswered,
    /// None, because the session ended otherwise.
    Lost,
}

impl TripleOutcome {
    /// Returns true if the server runs and did not answer this label.
    fn is_silent(self, alphabet: &Alphabet, label: usize) -> bool {
        let is_request = matches!(alphabet.labels[label].kind, LabelKind::Request(_));
        self == Self::Unanswered || is_request && self == Self::Answered(AnswerClass::Silent)
    }
}

/// States, labels and answers that sessions have covered.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    triples: BTreeMap<(SessionPlace, usize, TripleOutcome), u64>,
    tries: BTreeMap<SessionPlace, BTreeMap<usize, u64>>,
    /// Tries without an answer; the triples have the same numbers, not added up by place.
    unanswered: BTreeMap<SessionPlace, BTreeMap<usize, u64>>,
    /// Those among them that took the whole limit.
    slow: BTreeMap<SessionPlace, BTreeMap<usize, u64>>,
    arrivals: BTreeMap<SessionPlace, u64>,
    /// Sessions that came to a state of the model after a step that left another one, by step and state.
    passed: BTreeMap<((u32, usize), u32), u64>,
    /// Tries of labels, and of their values, in states of the model that have them.
    along: BTreeMap<usize, u64>,
    values_along: BTreeMap<(usize, u64), u64>,
    values: BTreeMap<(SessionPlace, usize, u64), u64>,
    edges: BTreeMap<u32, u64>,
}

impl Coverage {
    /// Number of messages that were tried at a place.
    pub fn tries_in(&self, place: &SessionPlace) -> u64 {
        self.tries.get(place).map_or(0, |labels| labels.values().sum())
    }

    /// Number of messages that were tried at a place, or of sessions that came there if those are more: where
    /// a session is over, nothing can be tried.
    pub fn visits_of(&self, place: &SessionPlace) -> u64 {
        self.tries_in(place).max(self.arrivals.get(place).copied().unwrap_or(0))
    }

    /// Number of messages with this label that were tried at a place.
    pub fn tries_of(&self, place: &SessionPlace, label: usize) -> u64 {
        self.tries.get(place).and_then(|labels| labels.get(&label)).copied().unwrap_or(0)
    }

    /// The chance that this label takes the whole limit here: its own tries, and those of all labels at the
    /// place as one more, because a server that waits for something else is silent to every command. Where
    /// nothing was tried yet, the label's tries everywhere count.
    pub fn slowness_of(&self, place: &SessionPlace, label: usize) -> f64 {
        let own = self.slow.get(place).and_then(|labels| labels.get(&label)).copied().unwrap_or(0);
        let usual = if self.tries_in(place) > 0 {
            self.slowness_in(place)
        } else {
            let everywhere = |counts: &BTreeMap<SessionPlace, BTreeMap<usize, u64>>| -> u64 {
                counts.values().filter_map(|labels| labels.get(&label)).sum()
            };
            everywhere(&self.slow) as f64 / everywhere(&self.tries).max(1) as f64
        };
        (own as f64 + usual) / (self.tries_of(place, label) + 1) as f64
    }

    /// Chance that a message at this place takes the whole limit.
    pub fn slowness_in(&self, place: &SessionPlace) -> f64 {
        let slow: u64 = self.slow.get(place).map_or(0, |labels| labels.values().sum());
        slow as f64 / self.tries_in(place).max(1) as f64
    }

    /// Chance that a message at this place is left without an answer.
    pub fn silence_in(&self, place: &SessionPlace) -> f64 {
        let silent: u64 = self.unanswered.get(place).map_or(0, |labels| labels.values().sum());
        silent as f64 / self.tries_in(place).max(1) as f64
    }

    /// Chance that this label ends the session here, because the server dies or closes the connection.
    pub fn deadliness_of(&self, place: &SessionPlace, label: usize) -> f64 {
        let lost = self.triples.get(&(place.clone(), label, TripleOutcome::Lost)).copied().unwrap_or(0);
        lost as f64 / (self.tries_of(place, label) + 1) as f64
    }

    /// Number of sessions that came to a state after a step that left another one.
    pub fn passed(&self, step: (u32, usize), state: u32) -> u64 {
        self.passed.get(&(step, state)).copied().unwrap_or(0)
    }

    /// Number of different labels that were tried at a place.
    pub fn labels_tried_at(&self, place: &SessionPlace) -> usize {
        self.tries.get(place).map_or(0, BTreeMap::len)
    }

    /// Number of messages with this label that were tried in states of the model that have it.
    pub fn tries_along(&self, label: usize) -> u64 {
        self.along.get(&label).copied().unwrap_or(0)
    }

    /// Number of times that this value was tried in states of the model that have the label.
    pub fn tries_of_value_along(&self, label: usize, field: &str, value: &[u8]) -> u64 {
        self.values_along.get(&(label, digest(field, value))).copied().unwrap_or(0)
    }

    /// Number of labels that were tried at a place, and of those that were never answered there.
    fn labels_at(&self, place: &SessionPlace) -> (usize, usize) {
        let never_answered = |(label, &count): (&usize, &u64)| count == self.tries_of(place, *label);
        let silent = self.unanswered.get(place);
        let silent = silent.map_or(0, |labels| labels.iter().filter(|&tried| never_answered(tried)).count());
        (self.tries.get(place).map_or(0, BTreeMap::len), silent)
    }

    /// Tells whether the server waits for something else at this place: it has left this label and several
    /// others without an answer whenever they came.
    fn waits_for_others(&self, place: &SessionPlace, label: usize) -> bool {
        /// One label may hang the server; that many are how the protocol is.
        const SEVERAL: usize = 3;
        let own = self.unanswered.get(place).and_then(|labels| labels.get(&label));
        own == Some(&self.tries_of(place, label)) && self.labels_at(place).1 > SEVERAL
    }

    /// Tells whether the server answers at this place: most of at least four labels.
    fn answers_at(&self, place: &SessionPlace) -> bool {
        const SEVERAL: usize = 4;
        let (tried, silent) = self.labels_at(place);
        tried >= SEVERAL && 2 * silent < tried
    }

    /// Number of times that this value was tried there.
    pub fn tries_of_value(&self, place: &SessionPlace, label: usize, field: &str, value: &[u8]) -> u64 {
        self.values.get(&(place.clone(), label, digest(field, value))).copied().unwrap_or(0)
    }

    /// Places where something was tried.
    pub fn places(&self) -> impl Iterator<Item = &SessionPlace> {
        self.tries.keys()
    }

    /// Number of different edges of an instrumented server that two sessions took.
    pub fn edges(&self) -> usize {
        self.edges.values().filter(|&&sessions| sessions > 1).count()
    }

    /// Number of different triples of place, label and class.
    pub fn triples(&self) -> usize {
        self.triples.len()
    }
}

/// Number for a value of a field, the same in every process.
fn digest(field: &str, value: &[u8]) -> u64 {
    // FNV-1a: a clash makes two values share a count and nothing else.
    let bytes = field.bytes().chain([0]).chain(value.iter().copied());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Successes and refusals of a label in a state of the model, by sessions with valid values only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Trials {
    done: u64,
    refused: u64,
    /// Numbers of the values that were refused.
    #[serde(default)]
    values: BTreeSet<u64>,
    /// A script whose last message was refused.
    sample: Option<Vec<Message>>,
}

/// Result of running the messages of a sight again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Confirmation {
    Shown,
    NotShown,
    /// With more patience the server answered.
    Late,
}

/// A fuzzing campaign.
pub struct Campaign<'a> {
    alphabet: &'a Alphabet,
    guide: &'a Guide,
    runner: &'a dyn SessionRunner,
    rules: CampaignRules,
    labels: Vec<usize>,
    coverage: Coverage,
    corpus: Vec<Entry>,
    findings: Vec<ServerFinding>,
    unconfirmed: BTreeMap<FindingKey, u64>,
    trials: BTreeMap<(u32, usize), Trials>,
    sessions: u64,
    /// Seconds of earlier runs of this campaign.
    earlier: f64,
    unasked: Option<String>,
    /// Answers that came after the limit, by label.
    late: BTreeMap<String, u64>,
}

/// Kept scripts; more would make choosing one slow.
const MOST_KEPT: usize = 5_000;

/// Refusals, without one success, after which a transition of the model is refuted.
const REFUTED_AFTER: u64 = 12;

impl<'a> Campaign<'a> {
    /// An empty campaign.
    pub fn new(
        alphabet: &'a Alphabet,
        guide: &'a Guide,
        runner: &'a dyn SessionRunner,
        rules: CampaignRules,
    ) -> Self {
        let labels = alphabet.labels.iter().enumerate();
        let labels = labels
            .filter(|(_, label)| !(label.forbidden || rules.only_seen && label.unseen))
            .map(|(at, _)| at)
            .collect();
        Self {
            alphabet,
            guide,
            runner,
            rules,
            labels,
            coverage: Coverage::default(),
            corpus: Vec::new(),
            findings: Vec::new(),
            unconfirmed: BTreeMap::new(),
            trials: BTreeMap::new(),
            sessions: 0,
            earlier: 0.0,
            unasked: None,
            late: BTreeMap::new(),
        }
    }

    /// The script of the next session. The same campaign and seed give the same script.
    pub fn next_script(&self) -> Vec<Message> {
        // A generator for each session, so that a campaign goes on after a break as it would have without.
        let mut rng = ChaCha8Rng::seed_from_u64(self.rules.seed);
        rng.set_stream(self.sessions);
        let mut generator = Generator {
            alphabet: self.alphabet,
            guide: self.guide,
            labels: &self.labels,
            coverage: &self.coverage,
            corpus: &self.corpus,
            limits: self.rules.limits,
            rng: &mut rng,
        };
        generator.script()
    }

    /// Runs one session. Returns the findings that are new; `seconds` is the time of this run so far.
    pub fn step(&mut self, seconds: f64) -> Result<Vec<FindingKey>, ServerError> {
        let script = self.next_script();
        let run = self.runner.run(&script, &self.pace())?;
        self.sessions += 1;
        self.learn(&script, &run);
        let mut new = Vec::new();
        for sight in findings::sights(&run, &script, self.guide, self.alphabet) {
            if self.see(&sight, &script, seconds)? {
                new.push(sight.key);
            }
        }
        Ok(new)
    }

    /// Time limits of the next session: what hangs, as was confirmed with patience, need not be waited for.
    fn pace(&self) -> Pace {
        let hangs = self.findings.iter().filter(|finding| finding.key.kind == FindingKind::Hang);
        Pace { patience: 1, hasty: hangs.map(|finding| finding.key.label.clone()).collect() }
    }

    /// Notes the places, triples and values of a session, and keeps its script if something is new.
    fn learn(&mut self, script: &[Message], run: &SessionRun) {
        let mut place = self.guide.start();
        let mut places = vec![place.clone()];
        let mut valid = true;
        let mut new_until = 0;
        let mut refused = BTreeSet::new();
        let mut left: BTreeSet<(u32, usize)> = BTreeSet::new();
        let mut passed = BTreeSet::new();
        for exchange in &run.exchanges {
            if !exchange.unasked.is_empty() && self.unasked.is_none() {
                let name = &self.alphabet.labels[exchange.label].name;
                let bytes = crate::script::shortened(&exchange.unasked);
                self.unasked = Some(format!("`{bytes}` came unasked before {name}"));
            }
            let Some(at) = exchange.message else { continue };
            let answered = findings::was_answered(run, at);
            let outcome = match &run.end {
                _ if answered => TripleOutcome::Answered(exchange.class),
                SessionEnd::Hung { message, idle: true, partial } if *message == at && partial.is_empty() => {
                    TripleOutcome::Answered(AnswerClass::Silent)
                }
                SessionEnd::Hung { message, .. } if *message == at => TripleOutcome::Unanswered,
                _ => TripleOutcome::Lost,
            };
            let message = &script[at];
            valid &= findings::has_valid_values(message, self.alphabet);
            *self.coverage.tries.entry(place.clone()).or_default().entry(exchange.label).or_default() += 1;
            let count = |counts: &mut BTreeMap<SessionPlace, BTreeMap<usize, u64>>| {
                *counts.entry(place.clone()).or_default().entry(exchange.label).or_default() += 1;
            };
            if outcome.is_silent(self.alphabet, exchange.label) {
                count(&mut self.coverage.unanswered);
            }
            if outcome == TripleOutcome::Unanswered {
                count(&mut self.coverage.slow);
            }
            let along = self.guide.has(&place, exchange.label, self.alphabet);
            if along {
                *self.coverage.along.entry(exchange.label).or_default() += 1;
            }
            for (field, value) in &message.fields {
                if along {
                    let key = (exchange.label, digest(field, &value.0));
                    *self.coverage.values_along.entry(key).or_default() += 1;
                }
                let key = (place.clone(), exchange.label, digest(field, &value.0));
                *self.coverage.values.entry(key).or_default() += 1;
            }
            let seen = self.coverage.triples.entry((place.clone(), exchange.label, outcome)).or_default();
            *seen += 1;
            if *seen == 1 {
                new_until = at + 1;
            }
            if !answered {
                break;
            }
            let (after, judgment) = self.guide.step(&place, exchange, self.alphabet);
            if let (Some(state), true) = (Guide::state(&place), valid) {
                let trials = self.trials.entry((state, exchange.label)).or_default();
                match judgment {
                    // A message that is repeated in a session is refused for the same reason.
                    Judgment::Refused if refused.insert((state, exchange.label)) => {
                        trials.refused += 1;
                        trials
                            .values
                            .extend(message.fields.iter().map(|(field, value)| digest(field, &value.0)));
                        trials.sample.get_or_insert_with(|| script[..=at].to_vec());
                    }
                    _ if exchange.class.is_success() => trials.done += 1,
                    _ => {}
                }
            }
            valid &= !findings::leaves_doubt(exchange, judgment);
            if let (SessionPlace::State(from), SessionPlace::State(to)) = (&place, &after)
                && from != to
            {
                left.insert((*from, exchange.label));
                passed.extend(left.iter().map(|step| (*step, *to)));
            }
            place = after;
            *self.coverage.arrivals.entry(place.clone()).or_default() += 1;
            places.push(place.clone());
        }
        for step in passed {
            *self.coverage.passed.entry(step).or_default() += 1;
        }
        for &edge in &run.edges {
            let sessions = self.coverage.edges.entry(edge).or_default();
            *sessions += 1;
            // One session alone proves little: threads and time take edges by chance.
            if *sessions == 2 {
                new_until = script.len();
            }
        }
        // A script that ends a session cannot lead anywhere.
        let usable = places.len().saturating_sub(1).min(new_until);
        if usable > 0 && self.corpus.len() < MOST_KEPT {
            places.truncate(usable + 1);
            self.corpus.push(Entry { script: script[..usable].to_vec(), places });
        }
    }

    /// Notes a sight. Returns true if it is a new finding that was confirmed.
    fn see(&mut self, sight: &Sight, script: &[Message], seconds: f64) -> Result<bool, ServerError> {
        if let Some(known) = self.findings.iter_mut().find(|finding| finding.key == sight.key) {
            known.times += 1;
            return Ok(false);
        }
        let label = self.alphabet.label(&sight.key.label);
        if sight.key.kind == FindingKind::Hang
            && label.is_some_and(|label| self.coverage.waits_for_others(&sight.place, label))
        {
            return Ok(false);
        }
        // Whether one label is left out, or the server reads a text, shows when others were tried.
        if sight.key.detail == findings::UNANSWERED && !self.coverage.answers_at(&sight.place) {
            return Ok(false);
        }
        // What could not be confirmed twice is not worth more time.
        if self.unconfirmed.get(&sight.key).is_some_and(|&failures| failures >= 2) {
            return Ok(false);
        }
        let script = &script[..=sight.at.min(script.len().saturating_sub(1))];
        let confirmation = self.confirm(sight, script)?;
        if confirmation == Confirmation::Late {
            *self.late.entry(sight.key.label.clone()).or_default() += 1;
        }
        if confirmation != Confirmation::Shown {
            *self.unconfirmed.entry(sight.key.clone()).or_default() += 1;
            return Ok(false);
        }
        self.findings.push(ServerFinding {
            key: sight.key.clone(),
            state: self.guide.name(&sight.place),
            session: self.sessions,
            seconds: self.earlier + seconds,
            times: 1,
            minimized: false,
            script: script.to_vec(),
        });
        Ok(true)
    }

    /// Runs the messages of a sight again.
    fn confirm(&self, sight: &Sight, script: &[Message]) -> Result<Confirmation, ServerError> {
        let (times, patience) = match sight.key.kind {
            // A loaded machine is slow, and a slow server is no finding.
            FindingKind::Hang => (1, 3),
            kind if kind.is_contradiction() => (self.rules.confirmations.saturating_sub(1), 1),
            _ => (1, 1),
        };
        for _ in 0..times {
            let run = self.runner.run(script, &Pace::of(patience))?;
            let sights = findings::sights(&run, script, self.guide, self.alphabet);
            if !sights.iter().any(|again| again.key == sight.key) {
                let is_late = sight.key.kind == FindingKind::Hang && findings::was_answered(&run, sight.at);
                return Ok(if is_late { Confirmation::Late } else { Confirmation::NotShown });
            }
        }
        Ok(Confirmation::Shown)
    }

    /// Adds transitions of the model that the server always refused. Returns the new ones.
    pub fn judge_transitions(&mut self, seconds: f64) -> Vec<FindingKey> {
        let mut new = Vec::new();
        for (&(state, label), trials) in &self.trials {
            let Some(script) = trials.sample.as_ref().filter(|_| trials.done == 0) else { continue };
            let name = self.guide.name(&SessionPlace::State(state));
            let key = FindingKey {
                kind: FindingKind::RefutedTransition,
                label: self.alphabet.labels[label].name.clone(),
                detail: format!("never possible in {name}, says the server"),
            };
            let all_refused = self.has_all_valid_values(label, &trials.values);
            if trials.refused < REFUTED_AFTER
                || !all_refused
                || self.findings.iter().any(|finding| finding.key == key)
            {
                continue;
            }
            self.findings.push(ServerFinding {
                key: key.clone(),
                state: name,
                session: self.sessions,
                seconds: self.earlier + seconds,
                times: trials.refused,
                // It is about all sessions, and one of them shows it as well as another.
                minimized: true,
                script: script.clone(),
            });
            new.push(key);
        }
        new
    }

    /// Tells whether every valid value of a label is among `values`, or as many as sessions are needed to
    /// refute it: a folder that does not exist is refused everywhere.
    fn has_all_valid_values(&self, label: usize, values: &BTreeSet<u64>) -> bool {
        self.alphabet.labels[label].holes().all(|hole| {
            let Some(pool) = &hole.pool else { return true };
            let valid = self.alphabet.pools[pool].of_role(Role::Valid);
            let (seen, all) = valid.fold((0, 0), |(seen, all), value| {
                (seen + u64::from(values.contains(&digest(&hole.name, value))), all + 1)
            });
            seen >= all.min(REFUTED_AFTER)
        })
    }

    /// Makes the scripts of findings small, with at most `runs` sessions each, until `stop` says so.
    pub fn minimize(&mut self, runs: usize, mut stop: impl FnMut() -> bool) -> Result<(), ServerError> {
        for at in 0..self.findings.len() {
            if self.findings[at].minimized || stop() {
                continue;
            }
            let key = self.findings[at].key.clone();
            let (alphabet, guide, runner) = (self.alphabet, self.guide, self.runner);
            let shows = |script: &[Message]| findings::shows(runner, 1, alphabet, guide, script, &key);
            let (script, done) =
                findings::minimize(&self.findings[at].script, alphabet, runs, shows, &mut stop)?;
            self.findings[at].script = script;
            self.findings[at].minimized = done;
        }
        Ok(())
    }

    /// The findings, in the order in which they were made.
    pub fn findings(&self) -> &[ServerFinding] {
        &self.findings
    }

    /// States, labels and answers that sessions have covered.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Scripts that showed something new.
    pub fn corpus(&self) -> &[Entry] {
        &self.corpus
    }

    /// Number of sessions, those of earlier runs of the campaign included.
    pub fn sessions(&self) -> u64 {
        self.sessions
    }

    /// Seconds of earlier runs of the campaign.
    pub fn earlier(&self) -> f64 {
        self.earlier
    }

    /// An answer that came without a question, if there was one.
    pub fn unasked(&self) -> Option<&str> {
        self.unasked.as_deref()
    }

    /// Numbers of answers that came after the limit and within three times the limit, by label. A late answer
    /// is neither a hang nor a class of its own: how late it is depends on the load of the machine.
    pub fn late(&self) -> &BTreeMap<String, u64> {
        &self.late
    }

    /// Number of the model's states that sessions were in, and of all.
    pub fn states(&self) -> (usize, Option<usize>) {
        match self.guide {
            Guide::Model(model) => {
                let reached: BTreeSet<u32> = self.coverage.tries.keys().filter_map(Guide::state).collect();
                (reached.len(), Some(model.len()))
            }
            Guide::Codes => (self.coverage.tries.len(), None),
        }
    }
}

/// The end of a session, as part of a sentence.
pub fn end_of_session(end: &SessionEnd, script: &[Message]) -> String {
    let label = |at: &usize| script.get(*at).map_or("the end", |message| message.label.as_str());
    match end {
        SessionEnd::Finished => "all messages were answered".to_owned(),
        SessionEnd::Ended(_) => "the session ended as it should".to_owned(),
        SessionEnd::Crashed { message, how, .. } => {
            format!("the server crashed at {}: {how}", label(message))
        }
        SessionEnd::Hung { message, partial, .. } if partial.is_empty() => {
            format!("the server does not answer {}", label(message))
        }
        SessionEnd::Hung { message, partial, .. } => {
            let partial = crate::script::shortened(partial);
            format!("the server stops in the middle of its answer to {}: `{partial}`", label(message))
        }
        SessionEnd::Closed { message } => {
            format!("the server closed the connection without an answer to {}", label(message))
        }
        SessionEnd::Malformed { message, bytes } => {
            let bytes = crate::script::shortened(bytes);
            format!(
                "the server answered {} with what is no answer of the protocol: `{bytes}`",
                label(message)
            )
        }
    }
}
