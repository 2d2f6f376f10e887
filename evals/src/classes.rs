//! Protocol classes of the JDK and of Debian's jars: mined with all their methods, then measured against the
//! classes themselves.
//!
//! There is no known truth, so `adit validate` judges. Half of the list is for choosing constants
//! (“tuning”), the other half for reporting (“held out”), and the two are never counted together.

mod list;
mod measure;
mod table;

use std::path::PathBuf;

use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr};
use serde::{Deserialize, Serialize};

use self::list::Half;
use self::measure::Measuring;
use crate::rows::{Rows, fingerprint};

/// The list in the repository.
const LIST: &str = include_str!("../classes.txt");

/// Flags of `evals classes`.
#[derive(Args)]
pub(crate) struct Flags {
    /// The classes, one per line, each followed by the jars that it needs [default: `evals/classes.txt`].
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Only these of the classes.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// What each of mining and validating may spend on a class.
    #[arg(long, default_value = "10s")]
    budget: String,
    /// How many models to mine of each class, to see whether they have the same language.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Folders and jars for all classes, separated by colons.
    #[arg(long, value_name = "CP")]
    class_path: Option<String>,
    /// The folder of the jars that the list names.
    #[arg(long, value_name = "DIR", default_value = "/usr/share/java")]
    jars: PathBuf,
    /// The program to measure [default: `adit` beside this program].
    #[arg(long)]
    adit: Option<PathBuf>,
    /// Where to write the raw rows. Rows that are there already are not measured again.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Where to keep the campaigns.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// One class, mined and validated.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    class: String,
    half: Half,
    /// Hash of the program.
    adit: String,
    budget: String,
    seeds: u64,
    /// Models of the first and of further seeds; none if the first has none.
    model: Option<Model>,
    /// Absent if `adit validate` gave no answer.
    validation: Option<Validation>,
    /// Why there is no model, or no validation.
    problem: Option<String>,
    /// The class was not run, because a jar is missing.
    not_run: bool,
}

/// The model of the first seed, and how the others compare with it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Model {
    /// Methods that returned at least once.
    methods: usize,
    /// Methods that were called and never returned.
    never_returned: usize,
    /// Methods that were never called.
    never_tried: usize,
    states: usize,
    transitions: usize,
    guesses: usize,
    not_explored: usize,
    /// Share of walks that `adit mine` says it made happen.
    trust: Option<f64>,
    seconds: f64,
    /// Properties that were attacked and survived, and properties that were not attacked.
    survived: usize,
    not_attacked: usize,
    /// Surviving properties that the model breaks, with a shortest word of the model.
    contradictions: Vec<Contradiction>,
    /// Properties that were not attacked and that the model breaks.
    contradictions_not_attacked: usize,
    /// Checks that reached a limit.
    undecided: usize,
    /// States of the model of each seed.
    states_by_seed: Vec<Option<usize>>,
    /// For each further seed, whether its model has the language of the first; `None` if there is no answer.
    same_language: Vec<Option<bool>>,
}

/// A property that the model beside it breaks.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Contradiction {
    property: String,
    word: Vec<String>,
}

/// Answer of `adit validate`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Validation {
    precision: Option<f64>,
    precision_interval: Option<[f64; 2]>,
    recall: Option<f64>,
    recall_interval: Option<[f64; 2]>,
    /// Walks that count neither way.
    undecided: u64,
    seconds: f64,
}

/// Measures every class of the list and prints two tables.
pub(crate) fn run(flags: &Flags) -> Result<()> {
    let adit = match &flags.adit {
        Some(adit) => adit.clone(),
        None => std::env::current_exe().into_diagnostic()?.with_file_name("adit"),
    };
    let program = fingerprint(&adit)?;
    let text = match &flags.list {
        None => LIST.to_owned(),
        Some(file) => std::fs::read_to_string(file)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot read {}", file.display()))?,
    };
    let mut entries = list::read(&text);
    entries.retain(|entry| flags.only.is_empty() || flags.only.contains(&entry.class));
    // The halves one after the other, so that rows can be printed as they come.
    entries.sort_by_key(|entry| entry.half);
    let mut kept = Rows::<Row>::open(flags.json.as_deref())?;
    let temporary = tempfile::tempdir().into_diagnostic()?;
    let work = flags.keep.clone().unwrap_or_else(|| temporary.path().to_owned());
    let measuring = Measuring {
        adit,
        budget: flags.budget.clone(),
        seeds: flags.seeds,
        class_path: flags.class_path.clone(),
        jars: flags.jars.clone(),
        work,
    };
    let mut rows: Vec<Row> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        if at == 0 || entries[at - 1].half != entry.half {
            print!("{}", table::head(entry.half));
        }
        let known = kept.find(|row| {
            (&row.class, &row.adit, &row.budget, row.seeds, row.not_run)
                == (&entry.class, &program, &flags.budget, flags.seeds, false)
        });
        let row = match known {
            Some(row) => Row { half: entry.half, ..row.clone() },
            None => {
                eprintln!("{} of {}: {}", at + 1, entries.len(), entry.class);
                let row = measuring.row(entry, &program);
                kept.add(row.clone())?;
                row
            }
        };
        println!("{}", table::line(&row));
        rows.push(row);
        if entries.get(at + 1).is_none_or(|next| next.half != entry.half) {
            let of_half: Vec<&Row> = rows.iter().filter(|row| row.half == entry.half).collect();
            print!("{}", table::totals(&of_half, &flags.budget));
        }
    }
    Ok(())
}
