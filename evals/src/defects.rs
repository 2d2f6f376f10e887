//! Seeded defects in clients, found by the verifier with models of several kinds, beside Tables 5 and 6 of
//! the TAUTOKO paper.
//!
//! A mutant is a client in whose bytecode one call is left out or added. Its tests say what it is: a *defect*
//! if a call of a class with a model throws, *harmless* if nothing throws (a wrong result uses the class
//! correctly). A change that no test reaches is neither, and neither is one after which an operation is not
//! supported or something takes too long: no order of calls is wrong there. A defect is *found* if the
//! verifier reports anything in the client, and found *at the right call* if it reports the instruction that
//! throws. Any report on a harmless mutant is a false positive. Reports that the unchanged client has as well
//! do not count.
//!
//! The models: *initial* ones come from the client's tests alone; *closed* ones are the same, read as if
//! every call without a transition were forbidden; *enriched* ones come from the tests of all clients
//! (`--enrich`), and like *explored* ones they are read from a folder;
//! *shipped* ones are those that `adit mine` made and that adit ships. A second row of numbers adds the
//! unchecked calls (`adit verify --unchecked`). A table at the end says why defects were missed.

mod enriched;
mod misses;
mod seeds;
mod typestates;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use adit_bytecode::mutate::{CallMutation, Change, Receiver, mutate};
use adit_bytecode::{Class, Instruction, MemberRef};
use adit_verify::{Certainty, Library, Memory, Verifier};
use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use serde_json::json;

pub(crate) use self::typestates::shipped_verifier;
use self::typestates::{Kind, Models};
use crate::Program;

/// Flags of `evals defects`.
#[derive(Args)]
pub(crate) struct Flags {
    #[command(flatten)]
    program: Program,
    /// The folder with the clients and their tests.
    #[arg(long, default_value = "subjects/clients")]
    clients: PathBuf,
    /// The folder with the shipped models.
    #[arg(long, default_value = "models")]
    models: PathBuf,
    /// Folder of enriched models, one folder with `model.json` per class.
    #[arg(long)]
    enriched: Option<PathBuf>,
    /// First make the enriched models that the folder lacks from the clients' tests, with this budget for
    /// each class, as in `adit enrich --budget`.
    #[arg(long, value_name = "BUDGET", requires = "enriched")]
    enrich: Option<String>,
    /// Labels of these models, as in `adit enrich --labels`: `method`, the paper's, or `outcome`.
    #[arg(long, default_value = "outcome", requires = "enrich")]
    labels: String,
    /// The folder with the jars of JUnit 4.
    #[arg(long, default_value = "/usr/share/java")]
    jars: PathBuf,
    /// Folder of explored models, as `adit mine` makes them, one folder with `model.json` per class.
    #[arg(long)]
    explored: Option<PathBuf>,
    /// Most mutants of a client.
    #[arg(long, default_value_t = 400)]
    mutants: usize,
    /// Seed of the random choice of mutants.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only models of these kinds: initial, closed, enriched, explored, shipped. The first two take longest,
    /// because the client's tests are recorded.
    #[arg(long, value_delimiter = ',')]
    kinds: Vec<String>,
    /// Only these clients.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// File for the raw rows.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// The clients. Misses on those that are marked were read while the verifier was worked on; the last two were
/// written before the verifier that they measure had run on anything.
const CLIENTS: [(&str, bool); 14] = [
    ("LogScanner", true),
    ("Archiver", true),
    ("Signer", true),
    ("Calculator", true),
    ("TextTools", true),
    ("Scheduler", true),
    ("FileStore", true),
    ("CsvTable", true),
    ("MailBox", true),
    ("Statistics", true),
    ("Inventory", false),
    ("TextForms", false),
    ("Playlist", false),
    ("Ledger", false),
];

/// A mutant and the verdict of its tests.
struct Mutant {
    mutation: CallMutation,
    shown: String,
    bytes: Vec<u8>,
    outcome: Outcome,
}

/// Verdict of the tests on a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    /// A call of a class with a model threw, in this method and at this instruction plus one.
    Defect {
        method: String,
        line: u16,
        exception: String,
        /// The called class, as the client names it, and method.
        class: String,
        called: String,
    },
    Harmless,
    /// Something else threw, or a test hung.
    Other,
    /// No test reaches the change.
    Unreached,
}

/// Reports with models of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    found: usize,
    at_call: usize,
    certain_at_call: usize,
    false_positives: usize,
    certain_false: usize,
    /// The first, second and fourth number with unchecked calls.
    unchecked: [usize; 3],
}

impl Column {
    fn add(&mut self, other: Column) {
        self.found += other.found;
        self.at_call += other.at_call;
        self.certain_at_call += other.certain_at_call;
        self.false_positives += other.false_positives;
        self.certain_false += other.certain_false;
        self.unchecked.iter_mut().zip(other.unchecked).for_each(|(sum, number)| *sum += number);
    }
}

pub(crate) fn run(flags: &Flags) -> Result<()> {
    let adit = flags.program.path()?;
    let work = tempfile::tempdir().into_diagnostic()?;
    let base = work.path().join("classes");
    compile(&flags.clients, &base)?;
    let shipped = typestates::shipped(&flags.models)?;
    if let (Some(budget), Some(folder)) = (&flags.enrich, &flags.enriched) {
        let (base, jars) = (base.as_path(), flags.jars.as_path());
        let labels = &flags.labels;
        let enriching = enriched::Enriching { adit: &adit, base, jars, work: work.path(), budget, labels };
        enriching.run(&CLIENTS.map(|(client, _)| client), &shipped.classes(), folder)?;
    }
    println!(
        "{:<12} {:>7} {:>8} {:>5}   found / at the right call / false positives (certain: at call, false)",
        "client", "defects", "harmless", "other"
    );
    let mut rows = Vec::new();
    let mut causes = misses::Table::default();
    let wanted = typestates::Wanted {
        enriched: flags.enriched.as_deref(),
        explored: flags.explored.as_deref(),
        kinds: &flags.kinds,
    };
    let mut totals: BTreeMap<(bool, Kind), Column> = BTreeMap::new();
    let mut counts: BTreeMap<bool, [usize; 3]> = BTreeMap::new();
    for (name, chosen_on) in CLIENTS {
        if !flags.only.is_empty() && !flags.only.iter().any(|only| only == name) {
            continue;
        }
        let original = fs::read(base.join(format!("{name}.class"))).into_diagnostic()?;
        let mutants = mutants(name, &original, &shipped, flags, &base, work.path())?;
        let kinds = typestates::columns(&adit, name, &base, work.path(), &shipped, &wanted)?;
        let count = |wanted: fn(&Outcome) -> bool| mutants.iter().filter(|one| wanted(&one.outcome)).count();
        let numbers = [
            count(|one| matches!(one, Outcome::Defect { .. })),
            count(|one| *one == Outcome::Harmless),
            count(|one| matches!(one, Outcome::Other | Outcome::Unreached)),
        ];
        let mut line = format!("{name:<12} {:>7} {:>8} {:>5}", numbers[0], numbers[1], numbers[2]);
        let sum = counts.entry(chosen_on).or_default();
        sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        for (kind, models) in kinds {
            let causes = (kind == Kind::Shipped).then_some(&mut causes);
            let column = measure(&models, name, &original, &mutants, &base, kind, &mut rows, causes)?;
            line.push_str(&shown(kind, column));
            totals.entry((chosen_on, kind)).or_default().add(column);
        }
        println!("{line}");
    }
    for (chosen_on, numbers) in &counts {
        let name = if *chosen_on { "chosen on" } else { "reported" };
        let mut line = format!("{name:<12} {:>7} {:>8} {:>5}", numbers[0], numbers[1], numbers[2]);
        for ((_, kind), column) in totals.iter().filter(|((on, _), _)| on == chosen_on) {
            line.push_str(&shown(*kind, *column));
        }
        println!("{line}");
    }
    print!("{causes}");
    println!(
        "paper, enriched: 110 of 120 defects found, 94 at the right call; 352 of 604 harmless changes reported"
    );
    if let Some(file) = &flags.json {
        fs::write(file, format!("{:#}\n", json!(rows))).into_diagnostic()?;
    }
    Ok(())
}

fn shown(kind: Kind, column: Column) -> String {
    format!(
        "  {}: {}/{}/{} ({}, {}), unchecked too: {}/{}/{}",
        kind.name(),
        column.found,
        column.at_call,
        column.false_positives,
        column.certain_at_call,
        column.certain_false,
        column.unchecked[0],
        column.unchecked[1],
        column.unchecked[2],
    )
}

fn compile(sources: &Path, into: &Path) -> Result<()> {
    let mut files: Vec<PathBuf> = fs::read_dir(sources)
        .into_diagnostic()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| file.extension().is_some_and(|extension| extension == "java"))
        .collect();
    files.sort();
    let output = Command::new("javac").args(["-g", "-d"]).arg(into).args(files).output().into_diagnostic()?;
    if output.status.success() {
        return Ok(());
    }
    Err(miette!("javac: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Makes mutants of a client and runs its tests on each.
fn mutants(
    name: &str,
    original: &[u8],
    shipped: &Models,
    flags: &Flags,
    base: &Path,
    work: &Path,
) -> Result<Vec<Mutant>> {
    let class = Class::parse(original, name).into_diagnostic()?;
    let seeds = seeds::seeds(&class, shipped);
    let mut rng = ChaCha8Rng::seed_from_u64(flags.seed);
    let mut chosen: Vec<&(CallMutation, String)> = seeds.sample(&mut rng, flags.mutants).collect();
    chosen.sort_by_key(|(mutation, shown)| (mutation.method, mutation.at, shown.clone()));
    let folder = work.join(format!("mutants-{name}"));
    fs::create_dir_all(&folder).into_diagnostic()?;
    let mut made = Vec::new();
    for (mutation, shown) in chosen {
        if let Some(bytes) = mutate(original, name, Some(mutation)).into_diagnostic()? {
            let (mutation, shown) = (mutation.clone(), shown.clone());
            made.push(Mutant { mutation, shown, bytes, outcome: Outcome::Other });
        }
    }
    let answers = tested(name, made.iter().map(|mutant| mutant.bytes.as_slice()), &folder, base)?;
    // A call on null in place of each change shows which changes the tests reach.
    let places: BTreeSet<(usize, usize)> =
        made.iter().map(|mutant| (mutant.mutation.method, mutant.mutation.at)).collect();
    let mut traps = Vec::new();
    for &(method, at) in &places {
        let target = MemberRef {
            class: "java/lang/Object".into(),
            name: "hashCode".into(),
            descriptor: "()I".into(),
            in_interface: false,
        };
        let change = Change::Inject { receiver: Receiver::Null, target };
        let trap = mutate(original, name, Some(&CallMutation { method, at, change })).into_diagnostic()?;
        traps.push(trap.ok_or_else(|| miette!("{name}: no trap at {method}:{at}"))?);
    }
    let trapped = tested(name, traps.iter().map(Vec::as_slice), &folder, base)?;
    let unreached: BTreeSet<(usize, usize)> =
        places.into_iter().zip(&trapped).filter(|(_, answer)| *answer == "ok").map(|(at, _)| at).collect();
    for (mutant, answer) in made.iter_mut().zip(&answers) {
        mutant.outcome = classify(answer, name, &mutant.bytes, shipped)
            .wrap_err_with(|| format!("{name}: {}", mutant.shown))?;
        if unreached.contains(&(mutant.mutation.method, mutant.mutation.at)) {
            mutant.outcome = Outcome::Unreached;
        }
    }
    Ok(made)
}

/// The answers of the runner to changed classes.
fn tested<'b>(
    name: &str,
    changed: impl Iterator<Item = &'b [u8]>,
    folder: &Path,
    base: &Path,
) -> Result<Vec<String>> {
    let mut input = String::new();
    let mut count = 0;
    for bytes in changed {
        let file = folder.join(format!("{count}.class"));
        fs::write(&file, bytes).into_diagnostic()?;
        input.push_str(&format!("{name}Test\t{name}\t{}\n", file.display()));
        count += 1;
    }
    let mut runner = Command::new("java")
        .args(["-Xmx512m", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp"])
        .arg(base)
        .arg("Mutants")
        .arg(base)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .into_diagnostic()?;
    let mut stdin = runner.stdin.take().ok_or_else(|| miette!("java has no standard input"))?;
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = runner.wait_with_output().into_diagnostic()?;
    drop(writer.join());
    let answers: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    if answers.len() != count {
        return Err(miette!("{name}: {count} mutants, but {} answers", answers.len()));
    }
    Ok(answers)
}

/// Exceptions that say that an operation is not there at all, or that nothing came in time.
const NOT_ABOUT_ORDER: [&str; 2] = ["SocketTimeoutException", "UnsupportedOperationException"];

/// Reads an answer of the runner.
fn classify(answer: &str, name: &str, bytes: &[u8], shipped: &Models) -> Result<Outcome> {
    let parts: Vec<&str> = answer.split('\t').collect();
    match parts[..] {
        ["ok" | "failed"] => Ok(Outcome::Harmless),
        ["broken", why] => Err(miette!("a mutant that is no valid class: {why}")),
        ["threw", exception, called, client, method, line] if client == name => {
            let class = Class::parse(bytes, name).into_diagnostic()?;
            let line: u16 = line.parse().into_diagnostic()?;
            let methods = class.methods.iter().filter(|one| *one.name == *method);
            let throws = methods.filter_map(|one| one.code.as_ref()).find_map(|code| {
                code.instructions.iter().find_map(|(offset, instruction)| match instruction {
                    Instruction::Invoke(_, member)
                        if code.line_at(*offset) == Some(line)
                            && *member.name == *called
                            && shipped.is_followed(&member.class) =>
                    {
                        Some(member.class.to_string())
                    }
                    _ => None,
                })
            });
            let exception = exception.rsplit('.').next().unwrap_or(exception).to_owned();
            Ok(match throws {
                Some(class) if !NOT_ABOUT_ORDER.contains(&exception.as_str()) => Outcome::Defect {
                    method: method.to_owned(),
                    line,
                    exception,
                    class,
                    called: called.to_owned(),
                },
                _ => Outcome::Other,
            })
        }
        _ => Ok(Outcome::Other),
    }
}

/// Verifies every mutant with some models.
#[expect(
    clippy::too_many_arguments,
    reason = "a client, its mutants, the models, and two places for results"
)]
fn measure(
    verifier: &Verifier,
    name: &str,
    original: &[u8],
    mutants: &[Mutant],
    base: &Path,
    kind: Kind,
    rows: &mut Vec<serde_json::Value>,
    mut causes: Option<&mut misses::Table>,
) -> Result<Column> {
    let reports = |bytes: &[u8]| -> Result<BTreeSet<(String, u16, Certainty)>> {
        let class = Class::parse(bytes, name).into_diagnostic()?;
        let (base, own, changed) = (base.to_owned(), name.to_owned(), bytes.to_vec());
        let mut library = Library::new(Box::new(move |wanted| {
            if wanted == own {
                return Some((changed.clone(), wanted.to_owned()));
            }
            Some((fs::read(base.join(format!("{wanted}.class"))).ok()?, wanted.to_owned()))
        }));
        library.add(&class);
        let report = verifier.verify(&library, &Arc::new(class), &mut Memory::default());
        let place = |one: &adit_verify::Finding| {
            let method = one.method.split('(').next().unwrap_or(&one.method).to_owned();
            (method, one.line.unwrap_or(0), one.certainty)
        };
        Ok(report.findings.iter().map(place).collect())
    };
    let numbered = mutate(original, name, None).into_diagnostic()?.unwrap_or_else(|| original.to_vec());
    let before = reports(&numbered)?;
    let mut column = Column::default();
    for mutant in mutants {
        // Reports that the unchanged client has as well are not about the change.
        let reported = reports(&mutant.bytes)?;
        let found: Vec<_> = reported.iter().filter(|one| !before.contains(one)).collect();
        let grade = |wanted: Certainty| found.iter().any(|(_, _, certainty)| *certainty <= wanted);
        let mut right = None;
        match &mutant.outcome {
            Outcome::Defect { method, line, .. } => {
                let here = |(at, number, _): &&&(String, u16, Certainty)| at == method && number == line;
                right = found.iter().filter(here).map(|(_, _, certainty)| *certainty).min();
                column.found += usize::from(grade(Certainty::Possible));
                column.at_call += usize::from(right.is_some_and(|right| right <= Certainty::Possible));
                column.certain_at_call += usize::from(right == Some(Certainty::Certain));
                column.unchecked[0] += usize::from(!found.is_empty());
                column.unchecked[1] += usize::from(right.is_some());
                if let Some(causes) = causes.as_deref_mut() {
                    let was_there = reported.iter().any(|one| here(&&one));
                    causes.note(verifier, &mutant.outcome, right, !found.is_empty(), was_there);
                }
            }
            Outcome::Harmless => {
                column.false_positives += usize::from(grade(Certainty::Possible));
                column.certain_false += usize::from(grade(Certainty::Certain));
                column.unchecked[2] += usize::from(!found.is_empty());
            }
            Outcome::Other | Outcome::Unreached => {}
        }
        rows.push(json!({
            "client": name,
            "models": kind.name(),
            "method": mutant.mutation.method,
            "at": mutant.mutation.at,
            "mutation": mutant.shown,
            "outcome": format!("{:?}", mutant.outcome),
            "findings": found.iter().map(|one| format!("{one:?}")).collect::<Vec<_>>(),
            "at_call": right.map(Certainty::name),
        }));
    }
    Ok(column)
}
