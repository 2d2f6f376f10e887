//! Enriched typestates of six classes, beside Tables 2 and 3 of the TAUTOKO paper.
//!
//! For each class, `adit enrich` runs its suite in `subjects/tautoko` and mutants of it. Every transition is
//! checked twice: adit runs its mutant again and must see it again, and its way is followed through the
//! *complete* model, which was written by hand and says how each call ends in each state. A transition is
//! *wrong* if the complete model has another end for the call. The share of the exceptional transitions of
//! the complete model that the enriched one has is the last column. Labels are methods, as in the paper.

mod truth;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use serde_json::{Value, json};

use self::truth::{Judgment, Truth};
use crate::Program;

/// Flags of `evals tautoko`.
#[derive(Args)]
pub(crate) struct Flags {
    #[command(flatten)]
    program: Program,
    /// The folder with the classes and their tests.
    #[arg(long, default_value = "subjects/tautoko")]
    subjects: PathBuf,
    /// The folder with the complete models.
    #[arg(long, default_value = "evals/truths/tautoko")]
    truths: PathBuf,
    /// The folder with the jars of JUnit and commons-compress.
    #[arg(long, default_value = "/usr/share/java")]
    jars: PathBuf,
    /// Time for the mutants of a class, or their number: `2m` or `20000tests`.
    #[arg(long, default_value = "2m")]
    budget: String,
    /// Only these classes, by their simple names.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// File for the raw rows.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// A class, its counterpart in the paper, and the paper's numbers: states, transitions and exceptional ones
/// of the initial, the enriched and, if there is one, the complete model.
struct Subject {
    class: &'static str,
    paper: &'static str,
    initial: [u32; 3],
    enriched: [u32; 3],
    complete: Option<[u32; 3]>,
}

const SUBJECTS: [Subject; 6] = [
    Subject {
        class: "org.apache.commons.compress.archivers.ar.ArArchiveOutputStream",
        paper: "javamail",
        initial: [6, 5, 0],
        enriched: [13, 48, 2],
        complete: None,
    },
    Subject {
        class: "tautoko.LoginModule",
        paper: "javax.security",
        initial: [6, 5, 0],
        enriched: [6, 14, 6],
        complete: None,
    },
    Subject {
        class: "tautoko.SmtpClient",
        paper: "ristretto",
        initial: [5, 11, 0],
        enriched: [5, 33, 9],
        complete: Some([7, 86, 29]),
    },
    Subject {
        class: "java.security.Signature",
        paper: "signature",
        initial: [5, 30, 8],
        enriched: [5, 39, 13],
        complete: Some([5, 48, 12]),
    },
    Subject {
        class: "java.net.Socket",
        paper: "socket",
        initial: [11, 35, 2],
        enriched: [17, 251, 55],
        complete: None,
    },
    Subject {
        class: "java.util.zip.ZipOutputStream",
        paper: "zip",
        initial: [11, 24, 5],
        enriched: [14, 62, 18],
        complete: Some([6, 31, 9]),
    },
];

impl Subject {
    fn simple(&self) -> &'static str {
        self.class.rsplit('.').next().unwrap_or(self.class)
    }
}

pub(crate) fn run(flags: &Flags) -> Result<()> {
    let adit = flags.program.path()?;
    let work = tempfile::tempdir().into_diagnostic()?;
    let jars: Vec<PathBuf> =
        ["junit4.jar", "hamcrest.jar", "commons-compress.jar"].map(|jar| flags.jars.join(jar)).into();
    let class_path = compile(&flags.subjects, work.path(), &jars)?;
    println!(
        "{:<22} {:>14} {:>16} {:>12} {:>12} {:>9} {:>9}  paper (initial, enriched, complete)",
        "class", "initial", "enriched", "again", "exceptional", "wrong", "complete"
    );
    let mut rows = Vec::new();
    for subject in &SUBJECTS {
        let name = subject.simple();
        if !flags.only.is_empty() && !flags.only.iter().any(|only| only == name) {
            continue;
        }
        let enriched = enrich(&adit, subject, &class_path, work.path(), &flags.budget, &["--recheck"])?;
        let file = flags.truths.join(format!("{name}.txt"));
        let truth = match fs::read_to_string(&file) {
            Ok(text) => Some(Truth::parse(&text).wrap_err_with(|| file.display().to_string())?),
            Err(_) => None,
        };
        let judgment = truth.as_ref().map(|truth| truth.judge(&enriched));
        show(subject, &enriched, judgment.as_ref());
        rows.push(json!({
            "class": subject.class,
            "enriched": enriched,
            "judgment": judgment.as_ref().map(Judgment::json),
        }));
    }
    speed(&adit, &class_path, work.path())?;
    if let Some(file) = &flags.json {
        fs::write(file, format!("{:#}\n", Value::Array(rows))).into_diagnostic()?;
    }
    Ok(())
}

/// Compiles the classes and the tests of each apart, and returns the class path without the tests.
fn compile(sources: &Path, work: &Path, jars: &[PathBuf]) -> Result<String> {
    let classes = work.join("classes");
    let join = |first: &Path| {
        let all = std::iter::once(first.display().to_string());
        all.chain(jars.iter().map(|jar| jar.display().to_string())).collect::<Vec<_>>().join(":")
    };
    let class_path = join(&classes);
    let javac = |file: &Path, into: &Path| -> Result<()> {
        let output = Command::new("javac")
            .args(["-g", "-cp", &class_path, "-d"])
            .arg(into)
            .arg(file)
            .output()
            .into_diagnostic()?;
        if output.status.success() {
            return Ok(());
        }
        Err(miette!("javac: {}", String::from_utf8_lossy(&output.stderr)))
    };
    fs::create_dir_all(&classes).into_diagnostic()?;
    for subject in &SUBJECTS {
        let name = subject.simple();
        let own = sources.join(format!("{name}.java"));
        if own.exists() {
            javac(&own, &classes)?;
        }
        javac(&sources.join(format!("{name}Test.java")), &work.join(format!("tests-{name}")))?;
    }
    Ok(class_path)
}

fn enrich(
    adit: &Path,
    subject: &Subject,
    class_path: &str,
    work: &Path,
    budget: &str,
    more: &[&str],
) -> Result<Value> {
    let name = subject.simple();
    let output = Command::new(adit)
        .args(["enrich", subject.class, "-c", class_path, "--budget", budget, "--labels", "method"])
        .args(["--json", "-q", "--tests"])
        .arg(work.join(format!("tests-{name}")))
        .arg("-o")
        .arg(work.join(format!("{name}.json")))
        .args(more)
        .output()
        .into_diagnostic()?;
    if !output.status.success() {
        return Err(miette!("{}: {}", subject.class, String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).into_diagnostic()
}

fn show(subject: &Subject, enriched: &Value, judgment: Option<&Judgment>) {
    let sizes =
        |of: &Value| ["states", "transitions", "exceptional"].map(|key| of[key].to_string()).join(" ");
    let paper = |sizes: [u32; 3]| sizes.map(|size| size.to_string()).join(" ");
    let again = &enriched["recheck"];
    let (wrong, complete, exceptional) = match judgment {
        Some(judgment) => (
            format!("{} of {}", judgment.wrong.len(), judgment.judged),
            format!("{} of {}", judgment.covered, judgment.exceptional),
            format!("{}", judgment.enriched_exceptional),
        ),
        None => ("-".to_owned(), "-".to_owned(), "-".to_owned()),
    };
    let cut = if enriched["complete"] == true { "" } else { " (cut)" };
    println!(
        "{:<22} {:>14} {:>16} {:>12} {:>12} {:>9} {:>9}  {}: {}, {}, {}",
        subject.simple(),
        sizes(&enriched["initial"]),
        sizes(enriched) + cut,
        format!("{} of {}", again["confirmed"], again["transitions"]),
        exceptional,
        wrong,
        complete,
        subject.paper,
        paper(subject.initial),
        paper(subject.enriched),
        subject.complete.map_or_else(|| "-".to_owned(), paper),
    );
    for line in judgment.into_iter().flat_map(|judgment| &judgment.wrong) {
        println!("    wrong: {line}");
    }
    let missing: BTreeSet<&String> = judgment.into_iter().flat_map(|judgment| &judgment.missing).collect();
    for line in missing {
        println!("    missing: {line}");
    }
}

/// Mutants per second on JVMs that are used again and on one JVM each, on the login module.
fn speed(adit: &Path, class_path: &str, work: &Path) -> Result<()> {
    let subject = &SUBJECTS[1];
    let rate = |reuse: &str| -> Result<(f64, u64)> {
        let made = enrich(adit, subject, class_path, work, "5m", &["--paper", "--reuse", reuse])?;
        let mutants = made["mutants"].as_u64().unwrap_or(0);
        Ok((mutants as f64 / made["seconds"].as_f64().unwrap_or(1.0).max(0.001), mutants))
    };
    let ((used, mutants), (fresh, _)) = (rate("100")?, rate("1")?);
    println!(
        "{used:.1} mutants a second on JVMs that are used again, {fresh:.1} on one JVM each ({:.1} times as \
         many; {mutants} mutants)",
        used / fresh.max(0.001)
    );
    Ok(())
}
