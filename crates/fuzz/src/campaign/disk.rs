//! Campaigns on disk: `campaign.json`, `corpus.jsonl` and one file for each finding.
//!
//! Files are written beside their place and renamed, so that a crash leaves the last whole campaign.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Campaign, Entry, Trials, TripleOutcome};
use crate::alphabet::AnswerClass;
use crate::findings::ServerFinding;
use crate::guide::SessionPlace;
use crate::script::Message;

/// Failure to read or write a campaign.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum DiskError {
    /// A file could not be read or written.
    #[error("{path}: {reason}")]
    #[diagnostic(help("check its permissions and the space on the disk, or choose another folder with -o"))]
    File {
        /// The file.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// A file is not what a campaign wrote.
    #[error("{path}: this is no campaign of `adit fuzz`: {reason}")]
    #[diagnostic(help("start over with --fresh, or choose another folder with -o"))]
    Content {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
    },
    /// The campaign is about something else.
    #[error("{path} holds a campaign with another {what}")]
    #[diagnostic(help("start over with --fresh, or choose another folder with -o"))]
    Other {
        /// The folder.
        path: String,
        /// The part that differs.
        what: &'static str,
    },
}

/// Version of the files.
const VERSION: u32 = 1;

/// Everything of a campaign but its scripts.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    subject: String,
    seed: u64,
    sessions: u64,
    seconds: f64,
    triples: Vec<(StoredPlace, String, String, u64)>,
    tries: Vec<(StoredPlace, String, u64)>,
    #[serde(default)]
    arrivals: Vec<(StoredPlace, u64)>,
    #[serde(default)]
    passed: Vec<(u32, String, u32, u64)>,
    #[serde(default)]
    along: Vec<(String, u64)>,
    #[serde(default)]
    values_along: Vec<(String, u64, u64)>,
    values: Vec<(StoredPlace, String, u64, u64)>,
    trials: Vec<(u32, String, Trials)>,
    #[serde(default)]
    edges: Vec<(u32, u64)>,
    findings: Vec<ServerFinding>,
    unasked: Option<String>,
    #[serde(default)]
    late: BTreeMap<String, u64>,
}

/// A place as text: `3`, `3 pending 17`, `3 beyond 17`, `off` or `code 331`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredPlace(String);

impl StoredPlace {
    fn new(place: &SessionPlace) -> Self {
        Self(match place {
            SessionPlace::State(state) => state.to_string(),
            SessionPlace::Pending(state, label) => format!("{state} pending {label}"),
            SessionPlace::Beyond(state, label) => format!("{state} beyond {label}"),
            SessionPlace::Off => "off".to_owned(),
            SessionPlace::Code(code) => format!("code {code}"),
        })
    }

    fn place(&self) -> Option<SessionPlace> {
        if self.0 == "off" {
            return Some(SessionPlace::Off);
        }
        if let Some((state, label)) = self.0.split_once(" pending ") {
            return Some(SessionPlace::Pending(state.parse().ok()?, label.parse().ok()?));
        }
        if let Some((state, label)) = self.0.split_once(" beyond ") {
            return Some(SessionPlace::Beyond(state.parse().ok()?, label.parse().ok()?));
        }
        match self.0.strip_prefix("code ") {
            Some(code) => Some(SessionPlace::Code(code.to_owned())),
            None => self.0.parse().ok().map(SessionPlace::State),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct StoredEntry {
    places: Vec<StoredPlace>,
    script: Vec<Message>,
}

fn outcome_name(outcome: TripleOutcome) -> &'static str {
    match outcome {
        TripleOutcome::Answered(class) => class.name(),
        TripleOutcome::Unanswered => "unanswered",
        TripleOutcome::Lost => "lost",
    }
}

fn outcome_of(name: &str) -> Option<TripleOutcome> {
    let classes = AnswerClass::IN_FILES.into_iter().chain([AnswerClass::Other, AnswerClass::Silent]);
    let mut outcomes =
        classes.map(TripleOutcome::Answered).chain([TripleOutcome::Unanswered, TripleOutcome::Lost]);
    outcomes.find(|outcome| outcome_name(*outcome) == name)
}

/// Writes the campaign into a folder. `subject` tells campaigns of different models and alphabets apart, and
/// `seconds` is the time of this run.
pub fn save(campaign: &Campaign<'_>, folder: &Path, subject: &str, seconds: f64) -> Result<(), DiskError> {
    let name = |label: usize| campaign.alphabet.labels[label].name.clone();
    let coverage = &campaign.coverage;
    let stored = Stored {
        version: VERSION,
        subject: subject.to_owned(),
        seed: campaign.rules.seed,
        sessions: campaign.sessions,
        seconds: campaign.earlier + seconds,
        triples: (coverage.triples.iter())
            .map(|((place, label, outcome), count)| {
                (StoredPlace::new(place), name(*label), outcome_name(*outcome).to_owned(), *count)
            })
            .collect(),
        tries: (coverage.tries.iter())
            .flat_map(|(place, labels)| labels.iter().map(move |(label, count)| (place, *label, *count)))
            .map(|(place, label, count)| (StoredPlace::new(place), name(label), count))
            .collect(),
        arrivals: coverage.arrivals.iter().map(|(at, count)| (StoredPlace::new(at), *count)).collect(),
        passed: (coverage.passed.iter())
            .map(|(((from, label), to), count)| (*from, name(*label), *to, *count))
            .collect(),
        along: coverage.along.iter().map(|(label, count)| (name(*label), *count)).collect(),
        values_along: (coverage.values_along.iter())
            .map(|((label, value), count)| (name(*label), *value, *count))
            .collect(),
        values: (coverage.values.iter())
            .map(|((place, label, value), count)| (StoredPlace::new(place), name(*label), *value, *count))
            .collect(),
        trials: (campaign.trials.iter())
            .map(|((state, label), trials)| (*state, name(*label), trials.clone()))
            .collect(),
        edges: coverage.edges.iter().map(|(&edge, &sessions)| (edge, sessions)).collect(),
        findings: campaign.findings.clone(),
        unasked: campaign.unasked.clone(),
        late: campaign.late.clone(),
    };
    let corpus: Vec<String> = campaign
        .corpus
        .iter()
        .map(|entry| {
            let places = entry.places.iter().map(StoredPlace::new).collect();
            json(&StoredEntry { places, script: entry.script.clone() })
        })
        .collect();
    fs::create_dir_all(folder).map_err(|error| file_error(folder, &error))?;
    write(&folder.join("corpus.jsonl"), corpus.iter().map(|line| format!("{line}\n")).collect::<String>())?;
    // Last, because this file says that there is a campaign.
    write(&folder.join("campaign.json"), json(&stored) + "\n")
}

/// Reads a campaign from a folder into an empty one. Returns false if there is none.
pub fn load(campaign: &mut Campaign<'_>, folder: &Path, subject: &str) -> Result<bool, DiskError> {
    let file = folder.join("campaign.json");
    if !file.exists() {
        return Ok(false);
    }
    let broken =
        |path: &Path, reason: String| DiskError::Content { path: path.display().to_string(), reason };
    let text = fs::read_to_string(&file).map_err(|error| file_error(&file, &error))?;
    let stored: Stored = serde_json::from_str(&text).map_err(|error| broken(&file, error.to_string()))?;
    let other = |what| DiskError::Other { path: folder.display().to_string(), what };
    if stored.version != VERSION {
        return Err(broken(&file, format!("its version is {}", stored.version)));
    }
    if stored.subject != subject {
        return Err(other("model or alphabet"));
    }
    if stored.seed != campaign.rules.seed {
        return Err(other("seed"));
    }
    let names: BTreeMap<&str, usize> =
        campaign.alphabet.labels.iter().enumerate().map(|(at, label)| (label.name.as_str(), at)).collect();
    let label = |name: &str| {
        names.get(name).copied().ok_or_else(|| broken(&file, format!("it has an unknown label `{name}`")))
    };
    let place = |stored: &StoredPlace| {
        stored.place().ok_or_else(|| broken(&file, format!("it has an unknown state `{}`", stored.0)))
    };
    for (at, name, outcome, count) in &stored.triples {
        let outcome = outcome_of(outcome)
            .ok_or_else(|| broken(&file, format!("it has an unknown class `{outcome}`")))?;
        let (place, label) = (place(at)?, label(name)?);
        if outcome == TripleOutcome::Unanswered {
            campaign.coverage.slow.entry(place.clone()).or_default().insert(label, *count);
        }
        if outcome.is_silent(campaign.alphabet, label) {
            *campaign.coverage.unanswered.entry(place.clone()).or_default().entry(label).or_default() +=
                count;
        }
        campaign.coverage.triples.insert((place, label, outcome), *count);
    }
    for (at, name, count) in &stored.tries {
        campaign.coverage.tries.entry(place(at)?).or_default().insert(label(name)?, *count);
    }
    for (at, count) in &stored.arrivals {
        campaign.coverage.arrivals.insert(place(at)?, *count);
    }
    for (from, name, to, count) in &stored.passed {
        campaign.coverage.passed.insert(((*from, label(name)?), *to), *count);
    }
    for (name, count) in &stored.along {
        campaign.coverage.along.insert(label(name)?, *count);
    }
    for (name, value, count) in &stored.values_along {
        campaign.coverage.values_along.insert((label(name)?, *value), *count);
    }
    for (at, name, value, count) in &stored.values {
        campaign.coverage.values.insert((place(at)?, label(name)?, *value), *count);
    }
    for (state, name, trials) in &stored.trials {
        campaign.trials.insert((*state, label(name)?), trials.clone());
    }
    campaign.coverage.edges = stored.edges.iter().copied().collect();
    let lines = folder.join("corpus.jsonl");
    let text = fs::read_to_string(&lines).map_err(|error| file_error(&lines, &error))?;
    for line in text.lines() {
        let entry: StoredEntry =
            serde_json::from_str(line).map_err(|error| broken(&lines, error.to_string()))?;
        let places = entry.places.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        if places.len() != entry.script.len() + 1 {
            return Err(broken(&lines, "a script has too few states".to_owned()));
        }
        campaign.corpus.push(Entry { script: entry.script, places });
    }
    campaign.sessions = stored.sessions;
    campaign.earlier = stored.seconds;
    campaign.findings = stored.findings;
    campaign.unasked = stored.unasked;
    campaign.late = stored.late;
    Ok(true)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("campaigns have text keys only")
}

fn file_error(path: &Path, error: &std::io::Error) -> DiskError {
    DiskError::File { path: path.display().to_string(), reason: error.to_string() }
}

/// Writes a file in one step.
fn write(path: &Path, text: String) -> Result<(), DiskError> {
    let folder = path.parent().map(PathBuf::from).unwrap_or_default();
    let result = tempfile::NamedTempFile::new_in(&folder).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.persist(path).map(drop).map_err(|error| error.error)
    });
    result.map_err(|error| file_error(path, &error))
}
