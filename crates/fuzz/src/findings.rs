//! Findings: crashes, hangs and contradictions, told apart, confirmed and made small.

use serde::{Deserialize, Serialize};

use crate::alphabet::Alphabet;
use crate::guide::{Guide, Judgment, SessionPlace};
use crate::runner::{Pace, SessionRunner};
use crate::script::{Bytes, Message, shortened};
use crate::server::ServerError;
use crate::session::{Exchange, SessionEnd, SessionRun};

/// Kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// The server's process died.
    Crash,
    /// The server runs and no longer answers.
    Hang,
    /// The server closed the connection without an answer, as one does whose child process died.
    Closed,
    /// The server sent bytes that are no answer of the protocol.
    Malformed,
    /// The server did what the model says is not possible.
    NewTransition,
    /// The server always refuses what the model says is possible.
    RefutedTransition,
}

impl FindingKind {
    /// Name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::Closed => "closed",
            Self::Malformed => "malformed",
            Self::NewTransition => "new-transition",
            Self::RefutedTransition => "refuted-transition",
        }
    }

    /// Returns true for findings about the model rather than about the server.
    pub fn is_contradiction(self) -> bool {
        matches!(self, Self::NewTransition | Self::RefutedTransition)
    }
}

/// The parts of a finding that are equal for the same bug.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FindingKey {
    /// Its kind.
    pub kind: FindingKind,
    /// The label of the message that showed it.
    pub label: String,
    /// The signal and the last words of a crash; the state of a contradiction.
    pub detail: String,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerFinding {
    /// The parts that are equal for the same bug.
    #[serde(flatten)]
    pub key: FindingKey,
    /// Name of the model's state before the message.
    pub state: String,
    /// Number of the session that showed it first.
    pub session: u64,
    /// Seconds of the campaign until then.
    pub seconds: f64,
    /// Number of sessions that showed it.
    pub times: u64,
    /// The script is as short as dropping and simplifying single messages makes it.
    pub minimized: bool,
    /// Messages that show it.
    pub script: Vec<Message>,
}

/// A sight of a finding in one session, which ends with the message `at`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// The finding.
    pub key: FindingKey,
    /// Place of the message in the script.
    pub at: usize,
    /// The state before the message.
    pub place: SessionPlace,
}

/// Detail of a hang in which the server waits for more.
pub(crate) const UNANSWERED: &str = "no answer, and the server waits for more";

/// Tells whether nobody knows the state of the server after an answer: it did something that the model never
/// mentions, such as `AUTH`, which may or may not change its state.
pub(crate) fn leaves_doubt(exchange: &Exchange, judgment: Judgment) -> bool {
    judgment == Judgment::NoOpinion && exchange.class.is_success()
}

/// Returns the findings in a session, except refuted transitions, which need many sessions.
pub fn sights(run: &SessionRun, script: &[Message], guide: &Guide, alphabet: &Alphabet) -> Vec<Sight> {
    let mut found = Vec::new();
    let mut place = guide.start();
    let mut before = vec![place.clone()];
    let mut is_sure = true;
    for exchange in &run.exchanges {
        let Some(at) = exchange.message else { continue };
        if !was_answered(run, at) {
            break;
        }
        let (after, judgment) = guide.step(&place, exchange, alphabet);
        // Changed bytes may be another message than the label says.
        let is_pooled = script[..=at].iter().all(|message| has_pool_values(message, alphabet));
        if judgment == Judgment::Unexpected && is_pooled && is_sure {
            let key = FindingKey {
                kind: FindingKind::NewTransition,
                label: script[at].label.clone(),
                detail: format!("possible in {}, says the server", guide.name(&place)),
            };
            found.push(Sight { key, at, place: place.clone() });
        }
        is_sure &= !leaves_doubt(exchange, judgment);
        place = after;
        before.push(place.clone());
    }
    let (kind, at, detail) = match &run.end {
        SessionEnd::Finished | SessionEnd::Ended(_) => return found,
        SessionEnd::Crashed { message, how, said } if said.is_empty() => {
            (FindingKind::Crash, *message, how.clone())
        }
        SessionEnd::Crashed { message, how, said } => {
            (FindingKind::Crash, *message, format!("{how}: {}", without_numbers(said)))
        }
        SessionEnd::Hung { message, partial, idle } if partial.is_empty() => {
            let place = before.get(*message);
            let silent = run.exchanges.iter().find(|exchange| exchange.message == Some(*message));
            let expected = |place: &SessionPlace, exchange: &Exchange| {
                guide.step(place, exchange, alphabet).1 == Judgment::Agrees
            };
            // The model may know that nothing is answered here. Off the model nobody knows what is.
            let is_off = matches!(place, Some(SessionPlace::Off | SessionPlace::Beyond(..)));
            if *idle
                && (is_off || place.zip(silent).is_some_and(|(place, exchange)| expected(place, exchange)))
            {
                return found;
            }
            let detail = if *idle { UNANSWERED } else { "no answer" };
            (FindingKind::Hang, *message, detail.to_owned())
        }
        SessionEnd::Hung { message, .. } => {
            (FindingKind::Hang, *message, "stops in the middle of an answer".to_owned())
        }
        SessionEnd::Closed { message } => (FindingKind::Closed, *message, "no answer".to_owned()),
        SessionEnd::Malformed { message, bytes } => {
            (FindingKind::Malformed, *message, without_numbers(&shortened(bytes)))
        }
    };
    let place = before.get(at).cloned().unwrap_or(SessionPlace::Off);
    let label = script.get(at).map(|message| message.label.clone()).unwrap_or_default();
    found.push(Sight { key: FindingKey { kind, label, detail }, at, place });
    found
}

/// Returns true if the session went on after this message, or ended as it should.
pub(crate) fn was_answered(run: &SessionRun, at: usize) -> bool {
    match &run.end {
        SessionEnd::Finished | SessionEnd::Ended(_) => true,
        SessionEnd::Crashed { message, .. }
        | SessionEnd::Hung { message, .. }
        | SessionEnd::Closed { message }
        | SessionEnd::Malformed { message, .. } => at < *message,
    }
}

/// Returns true if all values of a message are in their pools.
pub(crate) fn has_pool_values(message: &Message, alphabet: &Alphabet) -> bool {
    fields_are(message, alphabet, |_| true)
}

/// Returns true if all values of a message are valid.
pub(crate) fn has_valid_values(message: &Message, alphabet: &Alphabet) -> bool {
    fields_are(message, alphabet, |role| role == crate::alphabet::Role::Valid)
}

fn fields_are(message: &Message, alphabet: &Alphabet, role: impl Fn(crate::alphabet::Role) -> bool) -> bool {
    let Some(label) = alphabet.label(&message.label).map(|at| &alphabet.labels[at]) else { return false };
    message.wire.is_none()
        && label.holes().all(|hole| {
            let (Some(value), Some(pool)) = (message.fields.get(&hole.name), &hole.pool) else { return true };
            alphabet.pools[pool].values.iter().any(|(own, known)| role(*own) && *known == value.0)
        })
}

/// Addresses and process numbers differ from run to run.
fn without_numbers(text: &str) -> String {
    let mut short = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_digit() { '#' } else { c };
        if !(c == '#' && short.ends_with('#')) {
            short.push(c);
        }
    }
    short
}

/// Returns true if the script shows the finding.
pub fn shows(
    runner: &dyn SessionRunner,
    patience: u32,
    alphabet: &Alphabet,
    guide: &Guide,
    script: &[Message],
    key: &FindingKey,
) -> Result<bool, ServerError> {
    let run = runner.run(script, &Pace::of(patience))?;
    Ok(sights(&run, script, guide, alphabet).iter().any(|sight| sight.key == *key))
}

/// Makes a script smaller while it shows its finding: drops messages, then simplifies values.
///
/// Stops after `runs` sessions, or when `stop` says so. Returns the script, and whether it was finished.
pub fn minimize(
    script: &[Message],
    alphabet: &Alphabet,
    mut runs: usize,
    mut shows: impl FnMut(&[Message]) -> Result<bool, ServerError>,
    mut stop: impl FnMut() -> bool,
) -> Result<(Vec<Message>, bool), ServerError> {
    let mut script = script.to_vec();
    loop {
        let mut smaller = false;
        let mut at = script.len();
        // From the end, because the last messages were tried and the first ones lead there.
        while at > 0 {
            at -= 1;
            let mut candidates = Vec::new();
            let mut dropped = script.clone();
            dropped.remove(at);
            candidates.push(dropped);
            candidates.extend(simpler(&script[at], alphabet).into_iter().map(|message| {
                let mut other = script.clone();
                other[at] = message;
                other
            }));
            for candidate in candidates {
                if runs == 0 || stop() {
                    return Ok((script, false));
                }
                if candidate.is_empty() {
                    continue;
                }
                runs -= 1;
                if shows(&candidate)? {
                    script = candidate;
                    smaller = true;
                    break;
                }
            }
        }
        if !smaller {
            return Ok((script, true));
        }
    }
}

/// Messages that are simpler than this one, the simplest first.
fn simpler(message: &Message, alphabet: &Alphabet) -> Vec<Message> {
    let Some(label) = alphabet.label(&message.label).map(|at| &alphabet.labels[at]) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if message.wire.is_some() {
        found.push(Message { wire: None, ..message.clone() });
    }
    let with = |field: &str, value: Vec<u8>| {
        let mut other = message.clone();
        other.fields.insert(field.to_owned(), Bytes(value));
        other
    };
    for hole in label.holes() {
        let (Some(value), Some(pool)) = (message.fields.get(&hole.name), &hole.pool) else { continue };
        let pool = &alphabet.pools[pool];
        let first = &pool.values[0].1;
        if value.0 != *first {
            // A value of the pool says more to a reader than changed bytes.
            found.push(with(&hole.name, first.clone()));
            if !pool.values.iter().any(|(_, known)| *known == value.0) {
                found.extend(
                    pool.values.iter().skip(1).take(6).map(|(_, known)| with(&hole.name, known.clone())),
                );
                if value.0.len() > 8 {
                    found.push(with(&hole.name, value.0[..value.0.len() / 2].to_vec()));
                }
            }
        }
    }
    if message.payload.is_some() {
        found.push(Message { payload: None, ..message.clone() });
    }
    found
}
