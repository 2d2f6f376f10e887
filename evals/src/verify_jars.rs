//! `adit verify` over real jars: classes per second beside parsing the same classes alone, the peak of
//! memory, and the classes that take longest.
//!
//! One thread does everything, and both times are from the same run, so that their ratio means something on
//! a machine that does other things, too.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adit_bytecode::{Class, ClassPath, ClassSource, Jar, mentions_any};
use adit_verify::{Certainty, Library, Memory, Verifier};
use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr};
use serde_json::json;

use crate::defects::shipped_verifier;

/// Flags of `evals verify-jars`.
#[derive(Args)]
pub(crate) struct Flags {
    /// The jars, all verified together.
    #[arg(required = true)]
    jars: Vec<PathBuf>,
    /// The folder with the shipped models.
    #[arg(long, default_value = "models")]
    models: PathBuf,
    /// Also report unchecked calls.
    #[arg(long)]
    unchecked: bool,
    /// Number of classes to name that took longest.
    #[arg(long, default_value_t = 10)]
    slowest: usize,
    /// File for the findings.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// The newest release that jars for several releases have entries for.
const RELEASE: u16 = 21;

pub(crate) fn run(flags: &Flags) -> Result<()> {
    let mut verifier = shipped_verifier(&flags.models)?;
    if flags.unchecked {
        verifier = verifier.with_unchecked();
    }
    let mut sources: Vec<Box<dyn ClassSource>> = Vec::new();
    for path in &flags.jars {
        let shown = path.display().to_string();
        let file = File::open(path).into_diagnostic().wrap_err_with(|| shown.clone())?;
        match Jar::new(shown.clone(), BufReader::new(file), RELEASE) {
            Ok(jar) => sources.push(Box::new(jar)),
            Err(error) => println!("not read: {shown}: {error}"),
        }
    }
    let jars = sources.len();
    let classes = Arc::new(ClassPath::new(sources));
    let names: Vec<String> = classes.names().into_iter().collect();
    let start = Instant::now();
    let parsed = names.iter().filter(|name| matches!(classes.read(name), Ok(Some(_)))).count();
    let parsing = start.elapsed();
    println!("{jars} jars, {parsed} classes of {} can be read", names.len());

    let start = Instant::now();
    let (library, relevant) = index(&verifier, &classes, &names);
    let indexing = start.elapsed();
    let mut memory = Memory::default();
    let (mut findings, mut skipped, mut methods) = (Vec::new(), Vec::new(), 0);
    let mut times: Vec<(Duration, &str)> = Vec::new();
    for name in &relevant {
        let begun = Instant::now();
        let Ok(Some(class)) = classes.read(name) else { continue };
        let report = verifier.verify(&library, &Arc::new(class), &mut memory);
        methods += report.methods;
        findings.extend(report.findings);
        skipped.extend(report.skipped);
        times.push((begun.elapsed(), name));
    }
    let verifying = start.elapsed();
    // A helper that several classes call is told once.
    findings.sort();
    findings.dedup_by(|one, other| {
        (&one.class, &one.method, one.line, &one.event)
            == (&other.class, &other.method, other.line, &other.event)
    });
    let rate = |time: Duration| parsed as f64 / time.as_secs_f64().max(1e-9);
    println!("parsing alone      {:>8.1} s  {:>8.0} classes/s", parsing.as_secs_f64(), rate(parsing));
    println!(
        "adit verify        {:>8.1} s  {:>8.0} classes/s   {:.2} times as long",
        verifying.as_secs_f64(),
        rate(verifying),
        verifying.as_secs_f64() / parsing.as_secs_f64().max(1e-9)
    );
    println!(
        "    of that, reading who extends whom and who uses a model: {:.1} s; {} classes with {methods} methods were analyzed",
        indexing.as_secs_f64(),
        relevant.len(),
    );
    println!("peak of memory     {}", peak().unwrap_or_else(|| "unknown".to_owned()));
    times.sort_unstable_by(|one, other| other.cmp(one));
    for (time, name) in times.iter().take(flags.slowest) {
        println!("    {:>8.0} ms  {name}", time.as_secs_f64() * 1e3);
    }
    for one in &skipped {
        println!("not analyzed: {}.{} ({})", one.class, one.method, one.reason.reason());
    }
    for grade in [Certainty::Certain, Certainty::Possible, Certainty::Unchecked] {
        println!("{:>6} {}", findings.iter().filter(|one| one.certainty == grade).count(), grade.name());
    }
    if let Some(file) = &flags.json {
        let rows: Vec<_> = findings
            .iter()
            .map(|one| {
                let path: Vec<_> = one
                    .path
                    .iter()
                    .map(|event| {
                        json!([event.class.to_string(), event.method.to_string(), event.line, event.event])
                    })
                    .collect();
                json!({
                    "class": one.class,
                    "method": one.method,
                    "line": one.line,
                    "certainty": one.certainty.name(),
                    "rule": one.rule,
                    "path": path,
                })
            })
            .collect();
        fs::write(file, format!("{:#}\n", json!(rows))).into_diagnostic()?;
    }
    Ok(())
}

/// The hierarchy of all classes, and the names of those that use a class with a model.
fn index<'n>(
    verifier: &Verifier,
    classes: &Arc<ClassPath>,
    names: &'n [String],
) -> (Library, Vec<&'n String>) {
    let reader = classes.clone();
    let mut library = Library::new(Box::new(move |name| reader.find(name).ok().flatten()));
    let mut relevant = Vec::new();
    for name in names {
        let Ok(Some((bytes, file))) = classes.find(name) else { continue };
        let mentions = mentions_any(&bytes, |class| verifier.is_modeled(class));
        let outline =
            if mentions { Class::parse(&bytes, &file) } else { Class::parse_outline(&bytes, &file) };
        if let Ok(outline) = outline {
            library.add(&outline);
            if mentions {
                relevant.push(name);
            }
        }
    }
    (library, relevant)
}

/// The most memory that this process has had, as the system tells it.
fn peak() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some(status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().to_owned())
}
