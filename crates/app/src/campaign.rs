//! A campaign: what `mine` finds out is kept as it is found, and the next run begins with it.
//!
//! [`Campaign::open`] finds or begins the campaign of a folder, [`Kept`] is the class under test as the search sees it, with
//! everything worth keeping written down on the way, and [`Kept::settle`] chooses the model that the round ends with.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use adit_attack::Ear;
use adit_automata::{Fsa, format};
use adit_logic::Property;
use adit_store::{About, Claim, Counts, DATABASE, Difference, Held, NewRound, RoundId, TestId, Writer};
use adit_trace::{Letter, Script};
use miette::Report;
use serde_json::{Value, json};

use crate::errors::bad_input;
use crate::output::create_folder;
use crate::progress::Mining;
use crate::request::MineRequest;
use crate::witnesses::Witnesses;

mod admit;
mod cover;
mod identity;
mod kept;
mod settle;

pub(crate) use identity::{identity, now};
pub(crate) use kept::{Keep, Kept, Spent};
pub(crate) use settle::{Made, Settled};

/// What a round writes beside the database.
const RESULTS: [&str; 8] = [
    "model.json",
    "model.dot",
    "properties.json",
    "search.json",
    "traces.jsonl",
    "run.json",
    "tests.json",
    "report.html",
];

/// The campaign of a folder, with the round that has just begun.
pub(crate) struct Campaign {
    writer: Writer,
    round: RoundId,
    seed: u64,
    before: Before,
}

/// What earlier rounds left, but for the words: there may be a million, and they stay in the store.
#[derive(Default)]
struct Before {
    tests: Vec<(TestId, Script)>,
    claims: BTreeMap<Property<String>, Claim>,
    model: Option<OldModel>,
}

/// The model that the last round ended with.
struct OldModel {
    model: Fsa<String>,
    round: RoundId,
    complete: bool,
    realized: Option<f64>,
    explored: u64,
    tests: Vec<Script>,
    witnesses: Witnesses,
}

impl Campaign {
    /// The campaign about `about` in a folder: the one that is there, or a new one. Refuses one about something else, unless
    /// it is to be moved away.
    pub(crate) fn open(request: &MineRequest, about: &About, progress: &Mining) -> Result<Self, Report> {
        let folder = request.folder.as_path();
        create_folder(folder)?;
        let others = results_of_others(folder);
        if request.fresh && (folder.join(DATABASE).exists() || others.is_some()) {
            let away = Held::new(folder)?.move_away()?;
            progress.remark(&format!("what was there before is now in {}", away.display()));
            create_folder(folder)?;
        } else if let Some(name) = others {
            return Err(bad_input(
                format!(
                    "{} holds {name} and no campaign that it belongs to; it would be lost",
                    folder.display()
                ),
                format!(
                    "name another folder with -o, or add --fresh to start over (the old files are kept in {}.1 or the next free number)",
                    folder.display()
                ),
            ));
        }
        let mut writer = Writer::open(Held::new(folder)?, about)?;
        let differences = writer.about()?.differences(about);
        if !differences.is_empty() {
            return Err(other_campaign(folder, &differences));
        }
        let before = Before::read(&writer)?;
        let Counts { rounds, words, .. } = writer.counts()?;
        let begun = NewRound {
            seed: round_seed(request.calls.seed, rounds),
            effort: effort(request),
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            started: now(),
        };
        let round = writer.begin(&begun)?;
        let campaign = Self { writer, round, seed: begun.seed, before };
        progress.event(|| {
            json!({
                "event": "begin", "class": about.class, "folder": folder, "round": round.0,
                "seed": begun.seed, "tests": campaign.before.tests.len(), "words": words,
            })
        });
        if rounds > 0 {
            progress.remark(&format!(
                "continuing the campaign in {}: {} tests, {words} words, round {}",
                folder.display(),
                campaign.before.tests.len(),
                round.0
            ));
        }
        Ok(campaign)
    }

    /// The number of the round, from one.
    pub(crate) fn round(&self) -> i64 {
        self.round.0
    }

    /// The seed of the round.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }
}

impl Before {
    fn read(writer: &Writer) -> Result<Self, Report> {
        let mut before = Self::default();
        for test in writer.tests() {
            let test = test?;
            before.tests.push((test.id, test.script));
        }
        for claim in writer.claims()? {
            before.claims.insert(claim.property.clone(), claim);
        }
        if let Some(stored) = writer.models()?.pop() {
            let scripts: BTreeMap<TestId, &Script> =
                before.tests.iter().map(|(id, script)| (*id, script)).collect();
            before.model = Some(OldModel {
                model: format::read(
                    stored.json.as_bytes(),
                    "the model of the last round",
                    Some(format::Format::Json),
                )?,
                round: stored.made,
                complete: stored.complete,
                realized: stored.realized,
                explored: stored.explored,
                tests: stored
                    .tests
                    .iter()
                    .filter_map(|id| scripts.get(id).map(|&script| script.clone()))
                    .collect(),
                witnesses: Witnesses::from_json(&stored.witnesses),
            });
        }
        Ok(before)
    }
}

/// A file that a round would write over, in a folder where no round ever ended: it is somebody else's, or its campaign was lost.
fn results_of_others(folder: &Path) -> Option<&'static str> {
    // An empty database is what a copy that failed leaves behind.
    if fs::metadata(folder.join(DATABASE)).is_ok_and(|database| database.len() > 0) {
        return None;
    }
    RESULTS.into_iter().find(|name| folder.join(name).exists())
}

/// Every round makes other choices, and the first those that the seed always made.
fn round_seed(seed: u64, rounds_before: u64) -> u64 {
    // An odd number with bits all over: the golden ratio in 64 bits.
    seed ^ rounds_before.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// How hard a round searches; this may differ between rounds.
fn effort(request: &MineRequest) -> Value {
    let MineRequest { calls, attack, .. } = request;
    json!({
        "budget": request.budget.to_string(),
        "seed": calls.seed,
        "tester": attack.tester.name(),
        "initial": request.initial_tests,
        "calls": calls.calls,
        "reset_after": attack.reset_after,
        "abandon_after": attack.abandon_after,
    })
}

fn other_campaign(folder: &Path, differences: &[Difference]) -> Report {
    let said: Vec<String> = differences
        .iter()
        .map(|Difference { what, stored, now }| match what.as_str() {
            // Fingerprints tell nobody anything.
            "the class file" | "fixtures" | "tests" => format!("{what} changed"),
            _ => format!("{what} was {stored} and is now {now}"),
        })
        .collect();
    bad_input(
        format!("{} holds a different campaign: {}", folder.display(), said.join("; ")),
        format!(
            "add --fresh to start over (the old campaign is kept in {}.1 or the next free number), or name another folder with -o",
            folder.display()
        ),
    )
}

/// The folder of a class's campaign if none is named.
pub(crate) fn default_folder(class: &str) -> PathBuf {
    Path::new("adit-out").join(class)
}

/// All labels of a word.
fn names<'e>(ear: &'e Ear, word: &[Letter]) -> Vec<&'e str> {
    word.iter().map(|&letter| ear.alphabet().name(letter)).collect()
}

/// The letters of a claim's labels, if the class has them.
fn in_letters(ear: &Ear, property: &Property<String>) -> Option<Property<Letter>> {
    let letter = |label: &String| ear.alphabet().get(label);
    Some(Property { template: property.template, a: letter(&property.a)?, b: letter(&property.b)? })
}

/// The tests that refute what earlier rounds refuted.
fn refuted_before(before: &Before, ear: &Ear) -> BTreeMap<Property<Letter>, Script> {
    let scripts: BTreeMap<TestId, &Script> = before.tests.iter().map(|(id, script)| (*id, script)).collect();
    let refuted = before.claims.values().filter_map(|claim| {
        let script = scripts.get(claim.fate.witness()?)?;
        Some((in_letters(ear, &claim.property)?, (*script).clone()))
    });
    refuted.collect()
}

/// The pairs of consecutive events of a word, with its beginning.
fn pairs(word: &[Letter]) -> impl Iterator<Item = (Option<Letter>, Letter)> {
    let before = std::iter::once(None).chain(word.iter().copied().map(Some));
    before.zip(word.iter().copied())
}

/// The set of all pairs that were seen, as a table: a million words have a hundred million.
struct Pairs {
    letters: usize,
    seen: Vec<bool>,
}

impl Pairs {
    fn new(letters: usize) -> Self {
        Self { letters, seen: vec![false; (letters + 1) * letters] }
    }

    fn contains(&self, (before, letter): (Option<Letter>, Letter)) -> bool {
        self.seen[self.place(before, letter)]
    }

    fn add(&mut self, word: &[Letter]) {
        for (before, letter) in pairs(word) {
            let place = self.place(before, letter);
            self.seen[place] = true;
        }
    }

    /// The row of the beginning comes first.
    fn place(&self, before: Option<Letter>, letter: Letter) -> usize {
        before.map_or(0, |before| before as usize + 1) * self.letters + letter as usize
    }
}
