//! A campaign: the rounds of mining one class, kept in a folder. Each round stores what it finds as it finds
//! it, and the next one continues from there.
//!
//! [`Campaign`] finds or begins the campaign of a folder and reads what it stores, [`Recorder`] notes and
//! stores what a round runs, [`choose_model`](Recorder::choose_model) picks the model that the round ends
//! with, and [`end`](Recorder::end) writes its [`Conclusion`]. Nothing here knows how a round searches.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use adit_attack::EventReader;
use adit_automata::format;
use adit_logic::{Fate, Property};
use adit_store::{
    About, Counts, DATABASE, Difference, Held, Known, NewRound, RoundId, StoredProperty, TestId, Writer,
};
use adit_trace::{Letter, Script};
use miette::Report;
use serde_json::{Value, json};

use crate::errors::bad_input;
use crate::output::{counted, create_folder};
use crate::progress::Mining;
use crate::witnesses::Witnesses;

mod allow_words;
mod conclusion;
mod model_choice;
mod property_watch;
mod recorder;
mod seen_words;
mod witness_cover;

pub(crate) use conclusion::{Conclusion, JudgedProperty};
pub(crate) use model_choice::{DetailedModel, ModelCandidate};
pub(crate) use recorder::{Recorder, RecordingCost, RecordingSubject, RetentionPolicy};

/// Files that a round writes beside the database.
const RESULTS: [&str; 10] = [
    "model.json",
    "model.dot",
    "properties.json",
    "search.json",
    "traces.jsonl",
    "run.json",
    "tests.json",
    "report.html",
    "findings.json",
    "model_detail.json",
];

/// Files of a folder that the user writes: names of states, and the fixtures that adit began.
const OF_USER: [&str; 2] = ["names.json", "Fixtures.java"];

/// The name that the store has for a changed class file, and for what a user did not ask for.
const CLASS_FILE: &str = "the class file";
const NOT_GIVEN: &str = "not given";

/// The campaign to open.
pub(crate) struct CampaignRequest<'a> {
    pub(crate) folder: &'a Path,
    /// Move away what is in the folder and begin a new campaign.
    pub(crate) fresh: bool,
    /// Identity of the campaign. One with another identity is not continued.
    pub(crate) about: &'a About,
    /// Effort of the new round, as JSON; it may differ between rounds.
    pub(crate) effort: Value,
}

/// The campaign of a folder, with the round that has just begun.
pub(crate) struct Campaign<'e> {
    writer: Writer,
    /// Reads the events of runs, and knows all labels.
    reader: &'e EventReader,
    round: RoundId,
    seed: u64,
    history: History,
}

/// Results of earlier rounds, except the words: there may be a million, and they stay in the store.
#[derive(Default)]
struct History {
    tests: Vec<(TestId, Script)>,
    properties: BTreeMap<Property<String>, StoredProperty>,
    model: Option<EarlierModel>,
}

/// The model that the last round ended with, and the round that made it.
struct EarlierModel {
    candidate: ModelCandidate,
    made: RoundId,
}

impl<'e> Campaign<'e> {
    /// Opens the campaign of a folder, or begins one. A campaign about an earlier build of the same class is
    /// moved away; one about something else is refused, unless it is to be moved away.
    pub(crate) fn open(
        request: &CampaignRequest<'_>,
        reader: &'e EventReader,
        progress: &Mining,
    ) -> Result<Self, Report> {
        let CampaignRequest { folder, about, .. } = *request;
        create_folder(folder)?;
        make_room(request, progress)?;
        let mut writer = Writer::open(Held::new(folder)?, about)?;
        let differences = writer.about()?.differences(about);
        if is_rebuilt(&differences) {
            drop(writer);
            start_over(folder, &differences, progress)?;
            writer = Writer::open(Held::new(folder)?, about)?;
        } else if !differences.is_empty() {
            return Err(other_campaign(folder, &differences));
        }
        let history = History::read(&writer)?;
        let Counts { rounds, words, .. } = writer.counts()?;
        let begun = NewRound {
            seed: round_seed(about.seed, rounds),
            effort: request.effort.clone(),
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            started: now(),
        };
        let round = writer.begin(&begun)?;
        let tests = history.tests.len();
        progress.event(|| {
            json!({
                "event": "begin", "class": about.class, "folder": folder, "round": round.0,
                "seed": begun.seed, "tests": tests, "words": words,
            })
        });
        if rounds > 0 {
            progress.remark(&format!(
                "continuing the campaign in {}: {}, {}, round {}",
                folder.display(),
                counted(tests, "test"),
                counted(words, "word"),
                round.0
            ));
        }
        Ok(Self { writer, reader, round, seed: begun.seed, history })
    }

    /// Number of the round, from one.
    pub(crate) fn round(&self) -> i64 {
        self.round.0
    }

    /// Seed of the round.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    fn take_earlier_tests(&mut self) -> Vec<Script> {
        std::mem::take(&mut self.history.tests).into_iter().map(|(_, script)| script).collect()
    }

    /// Fate of a property after the earlier rounds.
    fn earlier_fate(&self, property: &Property<String>) -> Option<&Fate<TestId>> {
        self.history.properties.get(property).map(|known| &known.fate)
    }

    /// Properties that earlier rounds refuted, with the tests that did.
    fn refuted_before(&self) -> BTreeMap<Property<Letter>, Script> {
        let tests = self.history.tests.iter();
        let scripts: BTreeMap<TestId, &Script> = tests.map(|(id, script)| (*id, script)).collect();
        let refuted = self.history.properties.values().filter_map(|known| {
            let script = scripts.get(known.fate.witness()?)?;
            Some((self.in_letters(&known.property)?, (*script).clone()))
        });
        refuted.collect()
    }

    /// Properties of earlier rounds that none of them refuted.
    fn unrefuted_before(&self) -> impl Iterator<Item = Property<Letter>> {
        let open = self.history.properties.values().filter(|known| !known.fate.is_refuted());
        open.filter_map(|known| self.in_letters(&known.property))
    }

    /// A property in letters, if the class has its labels.
    fn in_letters(&self, property: &Property<String>) -> Option<Property<Letter>> {
        let letter = |label: &String| self.reader.alphabet().get(label);
        Some(Property { template: property.template, a: letter(&property.a)?, b: letter(&property.b)? })
    }

    /// A stored test.
    fn test(&self, test: TestId) -> Result<Script, Report> {
        Ok(self.writer.test(test)?.script)
    }

    /// Calls `visit` with all stored words, and the test that is known for each. Words with a label that the
    /// class does not have are left out: class and request are the same, so somebody edited the database.
    fn each_word(&self, visit: impl FnMut(&[Letter], Option<TestId>)) -> Result<(), Report> {
        self.each_word_after(0, visit).map(drop)
    }

    /// The same for the words after the one with this number; returns the number of the last.
    fn each_word_after(
        &self,
        after: i64,
        mut visit: impl FnMut(&[Letter], Option<TestId>),
    ) -> Result<i64, Report> {
        let (mut word, mut last) = (Vec::new(), after);
        self.writer.each_word(
            after,
            |label| self.reader.alphabet().get(label),
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
}

impl History {
    fn read(writer: &Writer) -> Result<Self, Report> {
        let mut history = Self::default();
        for test in writer.tests() {
            let test = test?;
            history.tests.push((test.id, test.script));
        }
        for known in writer.properties()? {
            history.properties.insert(known.property.clone(), known);
        }
        if let Some(stored) = writer.models()?.pop() {
            let scripts: BTreeMap<TestId, &Script> =
                history.tests.iter().map(|(id, script)| (*id, script)).collect();
            let json = Some(format::Format::Json);
            let candidate = ModelCandidate {
                model: format::read(stored.json.as_bytes(), "the model of the last round", json)?,
                complete: stored.complete,
                realized: stored.realized,
                walks: None,
                explored: stored.explored,
                tests: stored.tests.iter().filter_map(|id| scripts.get(id).copied().cloned()).collect(),
                witnesses: Witnesses::from_json(&stored.witnesses),
            };
            history.model = Some(EarlierModel { candidate, made: stored.made });
        }
        Ok(history)
    }
}

/// Moves away what is in the folder if that was asked for; refuses to write over results that no campaign
/// owns.
fn make_room(request: &CampaignRequest<'_>, progress: &Mining) -> Result<(), Report> {
    let folder = request.folder;
    let foreign = foreign_results(folder);
    if request.fresh && (folder.join(DATABASE).exists() || foreign.is_some()) {
        let away = Held::new(folder)?.move_away()?;
        progress.remark(&format!("moved the old campaign to {}", away.display()));
        return create_folder(folder);
    }
    match foreign {
        None => Ok(()),
        Some(name) => Err(bad_input(
            format!(
                "{} contains {name}, which belongs to no campaign and would be overwritten",
                folder.display()
            ),
            format!(
                "name another folder with -o, or add --fresh to start over (the old files are kept in {}.1 or the \
                 next free number)",
                folder.display()
            ),
        )),
    }
}

/// A file that a round would write over, in a folder where no round ever ended: it is somebody else's, or its
/// campaign was lost.
fn foreign_results(folder: &Path) -> Option<&'static str> {
    // An empty database is what a copy that failed leaves behind.
    if fs::metadata(folder.join(DATABASE)).is_ok_and(|database| database.len() > 0) {
        return None;
    }
    RESULTS.into_iter().find(|name| folder.join(name).exists())
}

/// Derives the seed of a round: every round makes other choices, and the first one those of the seed itself.
fn round_seed(seed: u64, rounds_before: u64) -> u64 {
    // An odd number with bits all over: the golden ratio in 64 bits.
    seed ^ rounds_before.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Tells whether a campaign differs only because somebody compiled the class, its tests or the fixtures
/// again. What the user asked for is then the same.
fn is_rebuilt(differences: &[Difference]) -> bool {
    let class = differences.iter().any(|one| one.what == CLASS_FILE);
    let by_building = |one: &Difference| match one.what.as_str() {
        CLASS_FILE => true,
        // A class with its first overload.
        "labels" => class,
        "fixtures" | "tests" => one.stored != NOT_GIVEN && one.now != NOT_GIVEN,
        _ => false,
    };
    !differences.is_empty() && differences.iter().all(by_building)
}

/// Moves the campaign of an earlier build away. Its words are about another class, so that a model of both
/// would be one of neither. Files that the user wrote stay.
fn start_over(folder: &Path, differences: &[Difference], progress: &Mining) -> Result<(), Report> {
    let away = Held::new(folder)?.move_away()?;
    create_folder(folder)?;
    for name in OF_USER {
        let (from, to) = (away.join(name), folder.join(name));
        if from.exists() {
            fs::copy(&from, &to).map_err(|error| {
                bad_input(
                    format!("cannot copy {} to {}: {error}", from.display(), to.display()),
                    "is there space on the disk, and may you write there?",
                )
            })?;
        }
    }
    let changed: Vec<String> = differences.iter().filter(|one| one.what != "labels").map(told).collect();
    progress.remark(&format!(
        "starting over, because {}; the earlier campaign is in {}",
        changed.join(" and "),
        away.display()
    ));
    Ok(())
}

/// A difference in words.
fn told(Difference { what, stored, now }: &Difference) -> String {
    match what.as_str() {
        // Fingerprints tell nobody anything.
        CLASS_FILE | "fixtures" | "tests" => format!("{what} changed"),
        _ => format!("{what} was {stored} and is now {now}"),
    }
}

fn other_campaign(folder: &Path, differences: &[Difference]) -> Report {
    let said: Vec<String> = differences.iter().map(told).collect();
    bad_input(
        format!("{} holds a different campaign: {}", folder.display(), said.join("; ")),
        format!(
            "add --fresh to start over (the old campaign is kept in {}.1 or the next free number), or name another \
             folder with -o",
            folder.display()
        ),
    )
}

/// Folder of a class's campaign if none is named.
pub(crate) fn default_folder(class: &str) -> PathBuf {
    Path::new("adit-out").join(class)
}

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// The labels of a word.
fn labels<'e>(reader: &'e EventReader, word: &[Letter]) -> Vec<&'e str> {
    word.iter().map(|&letter| reader.alphabet().name(letter)).collect()
}

/// A property with labels instead of letters.
pub(crate) fn labeled(reader: &EventReader, property: &Property<Letter>) -> Property<String> {
    let label = |letter: Letter| reader.alphabet().name(letter).to_owned();
    Property { template: property.template, a: label(property.a), b: label(property.b) }
}
