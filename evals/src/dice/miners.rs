//! Every miner of adit on the same recorded runs of the eleven classes: against the corrected truths, and
//! against the class itself.
//!
//! `adit observe --states` records each class once; `adit infer` makes the models from that file. TEMI with
//! `--confirm` and exploration run the class themselves (`adit mine`).

use std::path::{Path, PathBuf};
use std::process::Command;

use adit_automata::{Fsa, format};
use miette::{IntoDiagnostic, Result, bail};
use serde::Serialize;

use super::drive::{Driven, MERGED, is_done};
use super::truth::{corrected, judge};
use super::{Adit, chosen};
use crate::data::Data;

/// The measurements to make.
#[derive(clap::Args)]
pub(crate) struct Flags {
    /// The folder that holds `dice/`.
    #[arg(long)]
    data: PathBuf,
    #[command(flatten)]
    program: crate::Program,
    /// The folder with our Java sources.
    #[arg(long, default_value = "subjects")]
    subjects: PathBuf,
    /// Tests that are recorded for `adit infer`.
    #[arg(long, default_value = "3000tests")]
    recorded: String,
    /// Budget of `adit mine`.
    #[arg(long, default_value = "20000tests")]
    budget: String,
    /// Budget of `adit validate`, which has to find arguments for every walk.
    #[arg(long, default_value = "60000tests")]
    validated: String,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of walks to draw from each automaton.
    #[arg(long, default_value_t = 1000)]
    walks: usize,
    /// Only these classes, named as the data files are.
    #[arg(long, value_delimiter = ',')]
    classes: Vec<String>,
    /// File for the raw rows.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// A column: what it is called, how its model is made, and the flags of the command.
type Column = (&'static str, Made, &'static [&'static str]);

/// The way in which a model is made.
#[derive(Clone, Copy)]
enum Made {
    /// `adit infer`, from the recording.
    Inferred,
    /// `adit mine`.
    Mined,
    /// `adit mine`, without transitions that are only *maybe*.
    Certain,
}

const COLUMNS: [Column; 11] = [
    ("1-tail", Made::Inferred, &["--algorithm", "k-tail", "--k", "1"]),
    ("2-tail", Made::Inferred, &["--algorithm", "k-tail", "--k", "2"]),
    ("DICE", Made::Inferred, &["--algorithm", "dice"]),
    ("SEKT 1", Made::Inferred, &["--algorithm", "sekt"]),
    ("CONTRACTOR++", Made::Inferred, &["--algorithm", "contractor"]),
    ("TEMI optimistic", Made::Inferred, &["--algorithm", "temi"]),
    ("TEMI pessimistic", Made::Inferred, &["--algorithm", "temi", "--pessimistic"]),
    ("TEMI as mined", Made::Mined, &["--miner", "temi", "--no-confirm"]),
    ("TEMI as mined, certain", Made::Certain, &["--miner", "temi", "--no-confirm"]),
    ("TEMI confirmed", Made::Mined, &["--miner", "temi"]),
    ("explore", Made::Mined, &["--miner", "explore"]),
];

/// One measured model.
#[derive(Serialize)]
struct Row {
    class: &'static str,
    column: &'static str,
    /// Precision, recall and F against the corrected truth.
    truth: [f64; 3],
    /// Precision and recall against the class; none if the budget decided no walk.
    real: Option<[f64; 2]>,
    states: usize,
}

/// Prints the table, and writes the raw rows as JSON when asked.
pub(crate) fn run(flags: &Flags) -> Result<()> {
    let data = Data(flags.data.clone());
    let work = tempfile::tempdir().into_diagnostic()?;
    let adit = Adit {
        program: flags.program.path()?,
        subjects: flags.subjects.clone(),
        work: work.path().to_owned(),
        budget: flags.budget.clone(),
    };
    println!(
        "Precision/recall in percent against the corrected truth ({} walks, stopping is one more edge), in brackets \
         against the class (`adit validate`), then states. {} recorded; {} for mine, {} for validate; seed {}.\n",
        flags.walks, flags.recorded, flags.budget, flags.validated, flags.seed
    );
    let names: Vec<&str> = COLUMNS.iter().map(|column| column.0).collect();
    println!("| class | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len()));
    let mut rows: Vec<Row> = Vec::new();
    for (subject, driven) in chosen(&flags.classes, false)? {
        let truth = match corrected(subject.file)? {
            Some(truth) => truth,
            None => data.truth(subject)?,
        };
        let traces = adit.work.join("traces.jsonl");
        let mut observe = Command::new(&adit.program);
        observe.args(["observe", driven.class, "--states", "-q"]).args(MERGED);
        observe.args(["--budget", &flags.recorded, "--seed", &flags.seed.to_string(), "-o"]).arg(&traces);
        // A class of which nothing could be recorded must not cost the others.
        if let Err(error) = is_done(observe.args(adit.flags(driven)?)) {
            eprintln!("{}: {error:?}", subject.file);
            println!("| {} |{}", subject.file, " not recorded |".repeat(names.len()));
            continue;
        }
        let mut cells = Vec::new();
        for (column, how, settings) in COLUMNS {
            let mine = || adit.mine(driven, settings, flags.seed).map(|mined| mined.path().to_owned());
            let made = match how {
                Made::Inferred => inferred(&adit, &traces, settings),
                Made::Mined => mine(),
                Made::Certain => mine().and_then(|path| certain(&path)),
            };
            match made.and_then(|path| measured(&adit, driven, &path, &truth, flags)) {
                Ok((truth, real, states)) => {
                    let percent = |[a, b]: [f64; 2]| format!("{:.0}/{:.0}", a * 100.0, b * 100.0);
                    let on_class = real.map_or("undecided".to_owned(), percent);
                    cells.push(format!("{} ({on_class}); {states}", percent([truth[0], truth[1]])));
                    rows.push(Row { class: subject.file, column, truth, real, states });
                }
                Err(error) => {
                    eprintln!("{}, {column}: {error:?}", subject.file);
                    cells.push("failed".to_owned());
                }
            }
        }
        println!("| {} | {} |", subject.file, cells.join(" | "));
        if let Some(path) = &flags.json {
            std::fs::write(path, serde_json::to_string_pretty(&rows).into_diagnostic()?).into_diagnostic()?;
        }
    }
    let means = COLUMNS.map(|(column, ..)| {
        let of: Vec<&Row> = rows.iter().filter(|row| row.column == column).collect();
        let mean = |part: fn(&Row) -> Option<f64>| {
            let all: Vec<f64> = of.iter().filter_map(|row| part(row)).collect();
            all.iter().sum::<f64>() / all.len().max(1) as f64 * 100.0
        };
        format!(
            "**{:.1}/{:.1}** ({:.1}/{:.1}); {:.0}; {} classes",
            mean(|row| Some(row.truth[0])),
            mean(|row| Some(row.truth[1])),
            mean(|row| row.real.map(|real| real[0])),
            mean(|row| row.real.map(|real| real[1])),
            mean(|row| Some(row.states as f64)) / 100.0,
            of.len()
        )
    });
    println!("| **mean** | {} |", means.join(" | "));
    Ok(())
}

/// The model that `adit infer` makes from a recording.
fn inferred(adit: &Adit, traces: &Path, settings: &[&str]) -> Result<PathBuf> {
    let path = adit.work.join("inferred.json");
    let mut command = Command::new(&adit.program);
    command.arg("infer").arg(traces).args(["--labels", "exception", "-q", "--no-report", "-o"]).arg(&path);
    is_done(command.args(settings))?;
    Ok(path)
}

/// The model in a file without its *maybe* transitions, in another file.
fn certain(path: &Path) -> Result<PathBuf> {
    let text = std::fs::read(path).into_diagnostic()?;
    let model: Fsa<String> = format::read(&text, "model.json", None)?;
    let certain = path.with_file_name("certain.json");
    let written = format::write(&adit_infer::pessimistic(&model), format::Format::Json, "certain")?;
    std::fs::write(&certain, written.text).into_diagnostic()?;
    Ok(certain)
}

/// Precision, recall and F against the truth, precision and recall against the class, and the number of
/// states.
fn measured(
    adit: &Adit,
    driven: &Driven,
    path: &Path,
    truth: &Fsa<String>,
    flags: &Flags,
) -> Result<([f64; 3], Option<[f64; 2]>, usize)> {
    let text = std::fs::read(path).into_diagnostic()?;
    let model: Fsa<String> = driven.renamed(&format::read(&text, "model.json", None)?);
    if model.transitions() == 0 {
        bail!("the model is empty");
    }
    // Recordings have calls that threw, after which `adit validate` does not look at an object.
    let judging = Adit {
        program: adit.program.clone(),
        subjects: adit.subjects.clone(),
        work: adit.work.clone(),
        budget: flags.validated.clone(),
    };
    let real = judging.validate_path(driven, path, &["--ignore-unknown", "--walks", "100"], flags.seed).ok();
    Ok((judge(&model, truth, flags.walks, flags.seed).score, real, model.len()))
}
