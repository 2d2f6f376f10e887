//! Random protocol classes whose language is known: how often `adit mine` finds exactly it.
//!
//! A seed gives a Java class (`draw.rs`, `java.rs`) and its language, by an exact construction that runs
//! neither the class nor adit (`protocol.rs`). The mined model is compared with it (`judge.rs`).

mod argument;
pub(crate) mod compile;
mod draw;
mod java;
mod judge;
pub(crate) mod kind;
mod protocol;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Args;
use miette::{IntoDiagnostic, Result};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use self::draw::draw;
use self::java::{PACKAGE, source};
use self::judge::{ENOUGH, Side, judge};
use self::kind::Kind;
use self::protocol::Protocol;
use crate::dice::answer;
use crate::mined_model::MinedModel;
use crate::rows::{Rows, fingerprint, hash};

/// Flags of `evals random-protocols`.
#[derive(Args)]
pub(crate) struct Flags {
    /// Seeds of the classes, `A..B` without B.
    #[arg(long, value_name = "A..B", value_parser = seeds)]
    seeds: std::ops::Range<u64>,
    /// What `adit mine` may spend on a class.
    #[arg(long, default_value = "10s")]
    budget: String,
    /// The program to measure [default: `adit` beside this program].
    #[arg(long)]
    adit: Option<PathBuf>,
    /// Only these kinds of states, arguments and methods [default: all].
    #[arg(long, value_delimiter = ',', value_enum)]
    kinds: Vec<Kind>,
    /// Seed for `adit mine`.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write the raw rows. Rows that are there already are not measured again.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Where to keep sources, classes and models.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// One class, mined.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    class: String,
    /// Hash of the Java source.
    source: String,
    /// Hash of the program.
    adit: String,
    budget: String,
    seed: u64,
    kinds: Vec<String>,
    counting: bool,
    seconds: f64,
    /// `None` if there is no model.
    mined: Option<Mined>,
    /// Why there is no model.
    problem: Option<String>,
}

/// The model of a class, compared with the truth.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Mined {
    true_states: usize,
    states: usize,
    transitions: usize,
    guesses: usize,
    not_explored: usize,
    equal: Option<bool>,
    /// The language is right: exactly, or nearly if the class counts.
    right: bool,
    /// A shortest word that only one side has.
    word: Option<Vec<String>>,
    /// The side that has it: `model` or `class`.
    only: Option<String>,
    precision: f64,
    recall: f64,
}

impl Mined {
    /// Tells whether the model has at most twice the states that the language needs.
    fn is_small(&self) -> bool {
        self.states <= 2 * self.true_states
    }
}

impl Row {
    fn passed(&self) -> bool {
        self.mined.as_ref().is_some_and(|mined| mined.right && mined.is_small())
    }

    /// The reason why the class does not count as found, in a few words.
    fn failure(&self) -> Option<&'static str> {
        let Some(mined) = &self.mined else { return Some("no model") };
        if mined.right {
            return (!mined.is_small()).then_some("right, but too many states");
        }
        Some(match (mined.equal, mined.only.as_deref(), mined.precision < ENOUGH, mined.recall < ENOUGH) {
            (Some(_), Some("model"), _, false) => "the model allows too much",
            (Some(_), Some("class"), false, _) => "the model lacks something",
            (Some(_), ..) => "the model allows too much and lacks something",
            (None, _, true, true) => "counting: precision and recall",
            (None, _, true, false) => "counting: precision",
            (None, ..) => "counting: recall",
        })
    }
}

/// Mines every class of the seeds and prints how many are right.
pub(crate) fn run(flags: &Flags) -> Result<()> {
    let adit = match &flags.adit {
        Some(adit) => adit.clone(),
        None => std::env::current_exe().into_diagnostic()?.with_file_name("adit"),
    };
    let program = fingerprint(&adit)?;
    let kinds = if flags.kinds.is_empty() { Kind::all() } else { flags.kinds.iter().copied().collect() };
    let mut kept = Rows::<Row>::open(flags.json.as_deref())?;
    let temporary = tempfile::tempdir().into_diagnostic()?;
    let work = flags.keep.as_deref().unwrap_or(temporary.path());

    let protocols: Vec<(u64, Protocol, String)> = flags
        .seeds
        .clone()
        .map(|seed| {
            let protocol = draw(seed, &kinds);
            let source = source(&protocol);
            (seed, protocol, source)
        })
        .collect();
    let sources: Vec<(String, String)> =
        protocols.iter().map(|(_, protocol, source)| (protocol.name.clone(), source.clone())).collect();
    eprintln!("compiling {} classes", sources.len());
    let classes = compile::compile(&compile::jdk()?, &sources, work)?;

    println!(
        "| class | kinds | true states | mined | guesses | right | P | R | seconds | shortest difference |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut rows = Vec::new();
    for (at, (seed, protocol, source)) in protocols.iter().enumerate() {
        let source = hash(source.as_bytes());
        let known = kept.find(|row| {
            (&row.source, &row.adit, &row.budget, row.seed) == (&source, &program, &flags.budget, flags.seed)
        });
        let row = match known {
            Some(row) => row.clone(),
            None => {
                eprintln!("{} of {}: {}", at + 1, protocols.len(), protocol.name);
                let mut rng = ChaCha8Rng::seed_from_u64(*seed);
                let start = Instant::now();
                let mined = mined(&adit, protocol, &classes, work, flags, &mut rng);
                let (mined, problem) = match mined {
                    Ok(mined) => (Some(mined), None),
                    Err(error) => (None, Some(format!("{error:?}"))),
                };
                let row = Row {
                    class: protocol.name.clone(),
                    source,
                    adit: program.clone(),
                    budget: flags.budget.clone(),
                    seed: flags.seed,
                    kinds: protocol.kinds.iter().map(Kind::to_string).collect(),
                    counting: protocol.counts(),
                    seconds: start.elapsed().as_secs_f64(),
                    mined,
                    problem,
                };
                kept.add(row.clone())?;
                row
            }
        };
        println!("{}", line(&row));
        rows.push(row);
    }
    print!("{}", totals(&rows, &flags.budget));
    Ok(())
}

/// Mines one class and compares its model with the truth.
fn mined(
    adit: &Path,
    protocol: &Protocol,
    classes: &Path,
    work: &Path,
    flags: &Flags,
    rng: &mut ChaCha8Rng,
) -> Result<Mined> {
    let folder = work.join("mined").join(&protocol.name);
    let mut command = Command::new(adit);
    command.args(["mine", &format!("{PACKAGE}.{}", protocol.name), "--no-project", "--fresh", "--json"]);
    command.args(["--budget", &flags.budget, "--seed", &flags.seed.to_string()]);
    answer(command.arg("-c").arg(classes).arg("-o").arg(&folder))?;
    let model = MinedModel::read(&folder.join("model.json"))?;
    let judgement = judge(protocol, &model, rng);
    let right = judgement.is_right();
    let (word, only) = judgement.difference.map_or((None, None), |difference| {
        let only = match difference.side {
            Side::Model => "model",
            Side::Class => "class",
        };
        (Some(difference.word), Some(only.to_owned()))
    });
    Ok(Mined {
        true_states: judgement.true_states,
        states: model.states,
        transitions: model.transitions,
        guesses: model.guesses,
        not_explored: model.not_explored,
        equal: judgement.equal,
        right,
        word,
        only,
        precision: judgement.precision,
        recall: judgement.recall,
    })
}

/// A row of the table.
fn line(row: &Row) -> String {
    let kinds = row.kinds.join(" ");
    let Some(mined) = &row.mined else {
        let problem = row.problem.as_deref().unwrap_or_default().replace(['\n', '|'], " ");
        return format!("| {} | {kinds} | | | | no model | | | {:.1} | {problem} |", row.class, row.seconds);
    };
    let right = match (mined.equal, mined.right, mined.is_small()) {
        (_, true, false) => "yes, too large",
        (Some(_), true, _) => "yes",
        (None, true, _) => "nearly (counts)",
        (_, false, _) => "**no**",
    };
    let difference = match (&mined.word, &mined.only) {
        (Some(word), Some(only)) => format!("only the {only}: `{}`", word.join(" ")),
        _ => String::new(),
    };
    let not_explored = if mined.not_explored == 0 {
        String::new()
    } else {
        format!(" + {} not explored", mined.not_explored)
    };
    format!(
        "| {} | {kinds} | {} | {} | {}{not_explored} of {} | {right} | {:.3} | {:.3} | {:.1} | {difference} |",
        row.class,
        mined.true_states,
        mined.states,
        mined.guesses,
        mined.transitions,
        mined.precision,
        mined.recall,
        row.seconds,
    )
}

/// Number of classes that are right, the reasons for the others, and the numbers by kind.
fn totals(rows: &[Row], budget: &str) -> String {
    let passed = rows.iter().filter(|row| row.passed()).count();
    let counting = rows.iter().filter(|row| row.counting).count();
    let mut out = format!(
        "\n**{passed} of {}** classes are right at {budget}: exactly the language (for the {counting} that count, \
         precision and recall of at least {ENOUGH}), with at most twice the states.\n",
        rows.len()
    );
    let mut failures: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in rows {
        failures.entry(row.failure().unwrap_or("")).or_default().push(&row.class);
    }
    failures.remove("");
    if !failures.is_empty() {
        out += "\n| failure | classes | which |\n|---|---|---|\n";
        for (failure, classes) in failures {
            out += &format!("| {failure} | {} | {} |\n", classes.len(), classes.join(" "));
        }
    }
    let mut by_kind: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for row in rows {
        for kind in row.kinds.iter().map(String::as_str).collect::<BTreeSet<_>>() {
            let [right, all] = by_kind.entry(kind).or_default();
            *right += usize::from(row.passed());
            *all += 1;
        }
    }
    out += "\n| kind | right | of |\n|---|---|---|\n";
    for (kind, [right, all]) in by_kind {
        out += &format!("| {kind} | {right} | {all} |\n");
    }
    out
}

/// Parses `A..B`.
fn seeds(text: &str) -> Result<std::ops::Range<u64>, String> {
    let parsed = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    parsed
        .filter(|seeds| !seeds.is_empty())
        .ok_or_else(|| "write the first seed and the one after the last: `0..20`".to_owned())
}
