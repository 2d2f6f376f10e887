//! The labeled two-letter specifications: the paper's tables IV, VI and VII for several testers.
//!
//! `adit test-spec --thorough` gathers all evidence once for each class. Every tester is a rule over this
//! evidence: DSI and TEMARI as published, the trivial rule “true if and only if they share state”, adit's
//! rule, and adit's without each part.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use adit_attack::dsi::{Mutation, SpecVerdict, TestEnd, TestEvidence, dsi};
use adit_attack::order::Tally;
use adit_attack::spec_verdict::{Basis, PairEvidence, Shares, spec_verdict};
use adit_attack::temari::{Remedies, remedied, temari};
use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use serde_json::Value;

/// Flags about the labeled set.
#[derive(Args)]
pub(crate) struct LabeledFlags {
    /// Folder with a folder for each project, which has `classes`, `tests` and `source`; see
    /// evals/spec-testing/build.sh. Without it, only constraints are compared with SPIN.
    #[arg(long, value_name = "DIR")]
    projects: Option<PathBuf>,
    /// Folder with the labels.
    #[arg(long, value_name = "DIR", default_value = "evals/spec-testing")]
    labels: PathBuf,
    /// Folder that keeps the evidence of each class. What is there is not gathered again.
    #[arg(long, value_name = "DIR", default_value = "evals/results/spec-testing")]
    evidence: PathBuf,
    /// The built program.
    #[arg(long, default_value = "target/release/adit")]
    adit: PathBuf,
    /// Class path of JUnit and of what the projects need, separated by colons.
    #[arg(
        long,
        default_value = "/usr/share/java/junit-platform-console-standalone.jar:/usr/share/java/junit4.jar:/usr/share/java/hamcrest.jar:/usr/share/java/commons-lang3.jar:/usr/share/java/h2.jar"
    )]
    libraries: String,
    /// Print every wrong verdict.
    #[arg(long)]
    wrong: bool,
}

/// Projects on which rules were chosen; the others were only measured.
const CHOSEN_ON: [&str; 2] = ["commons-codec", "commons-csv"];
const PROJECTS: [&str; 4] = ["commons-codec", "commons-csv", "commons-io", "joda-convert"];

/// A labeled specification and its evidence.
struct Labeled {
    project: &'static str,
    name: String,
    label: SpecVerdict,
    kind: String,
    evidence: Option<PairEvidence>,
}

/// A rule over evidence.
type Rule = Box<dyn Fn(&PairEvidence) -> SpecVerdict>;

/// Prints the tables, if there are projects.
pub(crate) fn run(flags: &LabeledFlags) -> Result<()> {
    let Some(projects) = &flags.projects else { return Ok(()) };
    let (mut all, mut times) = (Vec::new(), BTreeMap::new());
    for project in PROJECTS {
        let (rows, time) = gather(flags, projects, project)?;
        all.extend(rows);
        times.insert(project, time);
    }
    println!("\n## Labeled specifications\n");
    let testers = testers();
    accuracy("All pairs, as labeled", &all, &testers, |_| None);
    accuracy("The same with queries before changes (`looks`) labeled true", &all, &testers, |one| {
        (one.kind == "looks").then_some(SpecVerdict::True)
    });
    println!("\nVerdicts of adit by what decided:\n\n| basis | verdicts | right |\n|---|---|---|");
    let mut bases: BTreeMap<Basis, (usize, usize)> = BTreeMap::new();
    for one in &all {
        let Some(evidence) = &one.evidence else { continue };
        let (verdict, basis) = spec_verdict(evidence);
        let (count, right) = bases.entry(basis).or_default();
        *count += 1;
        *right += usize::from(verdict == one.label);
    }
    for (basis, (count, right)) in bases {
        println!("| {basis:?} | {count} | {right} |");
    }
    println!("\nTable VII: time in seconds, of all classes of a project\n");
    println!(
        "| project | specifications | seconds | seconds each | tests of a run | tests that reach |\n|---|---|---|---|---|---|"
    );
    for (project, time) in times {
        let count = all.iter().filter(|one| one.project == project).count();
        println!(
            "| {project} | {count} | {:.0} | {:.1} | {:.0} | {:.0} |",
            time.seconds,
            time.seconds / count.max(1) as f64,
            time.tests,
            time.related
        );
    }
    if flags.wrong {
        println!("\nWrong verdicts of adit:\n");
        for one in &all {
            let (verdict, basis) =
                one.evidence.as_ref().map_or((SpecVerdict::Unknown, Basis::Nothing), spec_verdict);
            if verdict != one.label {
                println!(
                    "- {} {}: {:?} ({}), adit {verdict:?} by {basis:?}",
                    one.project, one.name, one.label, one.kind
                );
            }
        }
    }
    Ok(())
}

fn testers() -> Vec<(String, Rule)> {
    let shares = |evidence: &PairEvidence| {
        evidence.by_code != Shares::No
            && (evidence.by_code == Shares::Yes || evidence.by_watching != Shares::No)
    };
    let watched =
        |evidence: &PairEvidence| evidence.by_code != Shares::No && evidence.by_watching != Shares::No;
    let truth = |yes: bool| if yes { SpecVerdict::True } else { SpecVerdict::Buggy };
    let mut testers: Vec<(String, Rule)> = vec![
        ("DSI as published".to_owned(), Box::new(|one| dsi(&one.tests))),
        ("TEMARI as published".to_owned(), Box::new(move |one| temari(watched(one), &one.tests))),
        ("they share state (code)".to_owned(), Box::new(move |one| truth(one.by_code != Shares::No))),
        ("they share state (code or watched)".to_owned(), Box::new(move |one| truth(shares(one)))),
        ("they share state (watched first)".to_owned(), Box::new(move |one| truth(watched(one)))),
        ("DSI with all remedies".to_owned(), Box::new(|one| remedied(&one.tests, Remedies::ALL))),
    ];
    for (name, remedies) in Remedies::without_each() {
        let rule: Rule = Box::new(move |one| remedied(&one.tests, remedies));
        testers.push((format!("DSI without the remedy `{name}`"), rule));
    }
    testers.push((
        "adit without objects".to_owned(),
        Box::new(|one| spec_verdict(&PairEvidence { on_objects: Tally::default(), ..one.clone() }).0),
    ));
    testers.push((
        "adit without tests".to_owned(),
        Box::new(|one| {
            spec_verdict(&PairEvidence { within_tests: Tally::default(), tests: Vec::new(), ..one.clone() }).0
        }),
    ));
    testers.push(("adit".to_owned(), Box::new(|one| spec_verdict(one).0)));
    testers
}

/// Tables IV and VI: accuracy, and precision and recall for each verdict.
fn accuracy(
    title: &str,
    all: &[Labeled],
    testers: &[(String, Rule)],
    relabel: impl Fn(&Labeled) -> Option<SpecVerdict>,
) {
    println!("\n{title}\n");
    println!(
        "| tester | codec + csv | io + joda | all | true precision | true recall | buggy precision | buggy recall | unknown |\n\
         |---|---|---|---|---|---|---|---|---|"
    );
    for (name, rule) in testers {
        let judged: Vec<(&Labeled, SpecVerdict, SpecVerdict)> = all
            .iter()
            .map(|one| {
                let verdict = one.evidence.as_ref().map_or(SpecVerdict::Unknown, rule);
                (one, relabel(one).unwrap_or(one.label), verdict)
            })
            .collect();
        let percent = |part: usize, whole: usize| {
            if whole == 0 { "–".to_owned() } else { format!("{:.1}", 100.0 * part as f64 / whole as f64) }
        };
        let right = |chosen: &dyn Fn(&Labeled) -> bool| {
            let of = judged.iter().filter(|(one, ..)| chosen(one));
            let (count, right) = of.fold((0, 0), |(count, right), (_, label, verdict)| {
                (count + 1, right + usize::from(label == verdict))
            });
            percent(right, count)
        };
        let is_chosen = |one: &Labeled| CHOSEN_ON.contains(&one.project);
        let count = |test: &dyn Fn(SpecVerdict, SpecVerdict) -> bool| {
            judged.iter().filter(|(_, label, verdict)| test(*label, *verdict)).count()
        };
        let rates = |wanted: SpecVerdict| {
            let hits = count(&|label, verdict| label == wanted && verdict == wanted);
            let said = count(&|_, verdict| verdict == wanted);
            let labeled = count(&|label, _| label == wanted);
            format!("{} | {}", percent(hits, said), percent(hits, labeled))
        };
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} |",
            right(&is_chosen),
            right(&|one| !is_chosen(one)),
            right(&|_| true),
            rates(SpecVerdict::True),
            rates(SpecVerdict::Buggy),
            count(&|_, verdict| verdict == SpecVerdict::Unknown)
        );
    }
}

/// Times and numbers of one project.
#[derive(Default)]
struct Times {
    seconds: f64,
    tests: f64,
    related: f64,
}

/// Reads the labels of a project, and the evidence for them.
fn gather(flags: &LabeledFlags, projects: &Path, project: &'static str) -> Result<(Vec<Labeled>, Times)> {
    let file = flags.labels.join(format!("{project}.csv"));
    let text = fs::read_to_string(&file)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", file.display()))?;
    let mut classes: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for row in text.lines().skip(1).map(columns) {
        let class = row.get(2).ok_or_else(|| miette!("{}: a row has no class", file.display()))?;
        classes.entry(class.clone()).or_default().push(row);
    }
    let (mut rows, mut times) = (Vec::new(), Times::default());
    for (class, pairs) in classes {
        let found = evidence(flags, projects, project, &class, &pairs)?;
        times.seconds += found["seconds"].as_f64().unwrap_or(0.0);
        times.tests += found["run"]["suite"]["tests"].as_f64().unwrap_or(0.0);
        times.related += found["run"]["suite"]["related"].as_f64().unwrap_or(0.0);
        for row in pairs {
            let [_, _, _, a, b, label, kind, ..] = &row[..] else { continue };
            let constraints = found["constraints"].as_array().map_or(&[][..], Vec::as_slice);
            let own = constraints.iter().find(|one| one["a"] == **a && one["b"] == **b);
            rows.push(Labeled {
                project,
                name: format!("{class} {a} {b}"),
                label: if label == "true" { SpecVerdict::True } else { SpecVerdict::Buggy },
                kind: kind.clone(),
                evidence: own.and_then(|own| pair(&own["evidence"])),
            });
        }
    }
    Ok((rows, times))
}

/// Columns of a line of a CSV file.
fn columns(line: &str) -> Vec<String> {
    let (mut columns, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => columns.push(String::new()),
            c => columns.last_mut().expect("there is one from the beginning").push(c),
        }
    }
    columns
}

/// The evidence of one class: kept, or gathered now.
fn evidence(
    flags: &LabeledFlags,
    projects: &Path,
    project: &str,
    class: &str,
    pairs: &[Vec<String>],
) -> Result<Value> {
    let file = flags.evidence.join(format!("{project}-{class}.json"));
    if let Ok(text) = fs::read_to_string(&file) {
        return serde_json::from_str(&text).into_diagnostic();
    }
    let place = projects.join(project);
    let folder = |name: &str| place.join(name).display().to_string();
    let mut command = Command::new(&flags.adit);
    command.args(["test-spec", "--class", class, "--json", "--quiet", "--no-project", "--thorough"]);
    command.args(["-c", &format!("{}:{}:{}", folder("classes"), folder("tests"), flags.libraries)]);
    command.args(["--directory", &folder("source"), "--workers", "1", "--budget", "8s"]);
    for row in pairs {
        command.args(["--order", &row[3], &row[4]]);
    }
    let tests = tests_of(&place.join("tests"), class);
    if !tests.is_empty() {
        command.arg("--tests").args(tests);
    }
    let output = command
        .output()
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot start {}; build it first", flags.adit.display()))?;
    let found: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| serde_json::json!({ "error": String::from_utf8_lossy(&output.stderr) }));
    eprintln!("{project} {class}: {:.1} s", found["seconds"].as_f64().unwrap_or(0.0));
    fs::create_dir_all(&flags.evidence).into_diagnostic()?;
    fs::write(&file, format!("{found}\n")).into_diagnostic()?;
    Ok(found)
}

/// Tests named after a class, as `mine.sh` chooses them: `FooTest`, `TestFoo`, `FooBarTestCase`.
fn tests_of(folder: &Path, class: &str) -> Vec<String> {
    let simple = class.rsplit('.').next().unwrap_or(class);
    let simple = simple.split('$').next().unwrap_or(simple);
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let Some(stem) = name.strip_suffix(".class") else { continue };
            let named = stem.strip_prefix(simple).is_some_and(|rest| rest.contains("Test"));
            let other = ["Performance", "TestData", "Abstract"].iter().any(|part| stem.contains(part));
            if !stem.contains('$') && !other && (named || stem == format!("Test{simple}")) {
                let inside = path.strip_prefix(folder).unwrap_or(&path).with_extension("");
                found.push(inside.display().to_string().replace('/', "."));
            }
        }
    }
    found.sort();
    found
}

/// Evidence as `adit test-spec --json` writes it.
fn pair(json: &Value) -> Option<PairEvidence> {
    let shares = |name: &Value| match name.as_str() {
        Some("no") => Shares::No,
        Some("yes") => Shares::Yes,
        _ => Shares::Perhaps,
    };
    let tally = |json: &Value| {
        let count = |name: &str| json[name].as_u64().unwrap_or(0) as u32;
        Tally {
            needed: count("needed"),
            matters: count("matters"),
            fields: count("fields"),
            free: count("free"),
            both_threw: count("both_threw"),
            opposite: count("opposite"),
        }
    };
    Some(PairEvidence {
        calls_itself: json["calls_itself"].as_bool()?,
        by_code: shares(&json["shares"]["code"]),
        by_watching: shares(&json["shares"]["watched"]),
        on_objects: tally(&json["objects"]),
        within_tests: tally(&json["within_tests"]),
        tests: json["tests"].as_array()?.iter().filter_map(test).collect(),
    })
}

fn test(json: &Value) -> Option<TestEvidence> {
    let flag = |name: &str| json[name].as_bool().unwrap_or(false);
    Some(TestEvidence {
        test: json["test"].as_str()?.to_owned(),
        plain: end(&json["plain"]),
        steady: flag("steady"),
        threads: flag("threads"),
        expects_exception: flag("expects_exception"),
        between: flag("between"),
        published: mutation(&json["published"]),
        supplied: mutation(&json["supplied"]),
    })
}

fn mutation(json: &Value) -> Option<Mutation> {
    let count = |name: &str| json[name].as_u64().map(|count| count as u32);
    Some(Mutation {
        end: end(&json["end"]),
        delayed: count("delayed")?,
        made: count("made")?,
        late_threw: json["late_threw"].as_str().map(str::to_owned),
        second_missing: json["second_missing"].as_bool()?,
        invented: json["invented"].as_bool()?,
    })
}

fn end(json: &Value) -> TestEnd {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match json {
        Value::String(name) if name == "passed" => TestEnd::Passed,
        Value::Object(_) if json["failed"].is_string() => TestEnd::Failed {
            class: text(&json["failed"]),
            place: json["place"].as_str().map(str::to_owned),
            message: text(&json["message"]),
        },
        Value::Object(_) => TestEnd::Lost(text(&json["lost"])),
        _ => TestEnd::Skipped,
    }
}
