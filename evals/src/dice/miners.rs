//! Every miner of adit on the same recorded runs of the eleven classes: against the corrected truths, and
//! against the class itself.
//!
//! `adit observe --states` records each class once; `adit infer` makes the models from that file. TEMI with
//! `--confirm` and exploration run the class themselves (`adit mine`).

use std::path::PathBuf;
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
    /// Budget of `adit mine`, and of `adit validate`.
    #[arg(long, default_value = "20000tests")]
    budget: String,
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

/// A column: what it is called, the command, and its flags.
type Column = (&'static str, &'static str, &'static [&'static str]);

const COLUMNS: [Column; 10] = [
    ("1-tail", "infer", &["--algorithm", "k-tail", "--k", "1"]),
    ("2-tail", "infer", &["--algorithm", "k-tail", "--k", "2"]),
    ("DICE", "infer", &["--algorithm", "dice"]),
    ("SEKT 1", "infer", &["--algorithm", "sekt"]),
    ("CONTRACTOR++", "infer", &["--algorithm", "contractor"]),
    ("TEMI optimistic", "infer", &["--algorithm", "temi"]),
    ("TEMI pessimistic", "infer", &["--algorithm", "temi", "--pessimistic"]),
    ("TEMI as mined", "mine", &["--miner", "temi", "--no-confirm"]),
    ("TEMI confirmed", "mine", &["--miner", "temi"]),
    ("explore", "mine", &["--miner", "explore"]),
];

/// One measured model.
#[derive(Serialize)]
struct Row {
    class: &'static str,
    column: &'static str,
    /// Precision, recall and F against the corrected truth.
    truth: [f64; 3],
    /// Precision and recall against the class.
    real: [f64; 2],
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
         against the class (`adit validate`), then states. {} recorded; {} for mine and validate; seed {}.\n",
        flags.walks, flags.recorded, flags.budget, flags.seed
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
        is_done(observe.args(adit.flags(driven)?))?;
        let mut cells = Vec::new();
        for (column, command, settings) in COLUMNS {
            let made = match command {
                "infer" => inferred(&adit, &traces, settings),
                _ => adit.mine(driven, settings, flags.seed).map(|mined| mined.path().to_owned()),
            };
            match made.and_then(|path| measured(&adit, driven, &path, &truth, flags)) {
                Ok((truth, real, states)) => {
                    cells.push(format!(
                        "{:.0}/{:.0} ({:.0}/{:.0}); {states}",
                        truth[0] * 100.0,
                        truth[1] * 100.0,
                        real[0] * 100.0,
                        real[1] * 100.0
                    ));
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
        let mean = |part: fn(&Row) -> f64| {
            of.iter().map(|row| part(row)).sum::<f64>() / of.len().max(1) as f64 * 100.0
        };
        format!(
            "**{:.0}/{:.0}** ({:.0}/{:.0}); {:.0}",
            mean(|row| row.truth[0]),
            mean(|row| row.truth[1]),
            mean(|row| row.real[0]),
            mean(|row| row.real[1]),
            mean(|row| row.states as f64) / 100.0
        )
    });
    println!("| **mean** | {} |", means.join(" | "));
    Ok(())
}

/// The model that `adit infer` makes from a recording.
fn inferred(adit: &Adit, traces: &std::path::Path, settings: &[&str]) -> Result<PathBuf> {
    let path = adit.work.join("inferred.json");
    let mut command = Command::new(&adit.program);
    command.arg("infer").arg(traces).args(["--labels", "exception", "-q", "--no-report", "-o"]).arg(&path);
    is_done(command.args(settings))?;
    Ok(path)
}

/// Precision, recall and F against the truth, precision and recall against the class, and the number of
/// states.
fn measured(
    adit: &Adit,
    driven: &Driven,
    path: &std::path::Path,
    truth: &Fsa<String>,
    flags: &Flags,
) -> Result<([f64; 3], [f64; 2], usize)> {
    let text = std::fs::read(path).into_diagnostic()?;
    let model: Fsa<String> = driven.renamed(&format::read(&text, "model.json", None)?);
    if model.transitions() == 0 {
        bail!("the model is empty");
    }
    // Recordings have calls that threw, after which `adit validate` does not look at an object.
    let real = adit.validate_path(driven, path, &["--ignore-unknown"], flags.seed)?;
    Ok((judge(&model, truth, flags.walks, flags.seed).score, real, model.len()))
}
