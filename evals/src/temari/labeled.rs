//! The labeled two-letter specifications: the paper's tables IV, VI and VII for several testers.
//!
//! `adit test-spec --thorough` gathers all evidence once for each class. Every tester is a rule over this
//! evidence: DSI and TEMARI as published, the trivial rule “true if and only if they share state”, adit's
//! rule, and adit's without each part.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use adit_attack::dsi::{Expected, Mutation, SpecVerdict, TestEnd, TestEvidence, dsi};
use adit_attack::order::Tally;
use adit_attack::spec_verdict::{PairEvidence, Shares, VerdictRules, spec_verdict, spec_verdict_by};
use adit_attack::temari::{Remedies, remedied, temari};
use clap::{Args, ValueEnum};
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use serde_json::Value;

mod tables;

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
        default_value = "/usr/share/java/junit-platform-console-standalone.jar:/usr/share/java/junit4.jar:/usr/share/java/hamcrest.jar:/usr/share/java/commons-lang3.jar:/usr/share/java/h2.jar:/usr/share/java/commons-io.jar:/usr/share/java/xz.jar"
    )]
    libraries: String,
    /// Print every wrong verdict.
    #[arg(long)]
    wrong: bool,
    /// The projects on which rules were chosen, those that were held out, or both.
    #[arg(long, value_enum, default_value = "both")]
    set: Set,
    /// Ask tests only where code and objects leave a pair open, as the command does by default. There is no
    /// evidence for DSI and TEMARI then.
    #[arg(long)]
    quick: bool,
    /// Leave out classes whose evidence is kept in this folder, because their verdicts were looked at.
    #[arg(long, value_name = "DIR")]
    without: Vec<PathBuf>,
    /// Test only so many classes, drawn at random.
    #[arg(long, value_name = "N")]
    classes: Option<usize>,
    /// Seed of the draw and of the intervals.
    #[arg(long, default_value_t = 1)]
    sample_seed: u64,
    /// Seconds after which what is known about a class is its evidence.
    #[arg(long, default_value_t = 240)]
    seconds: u64,
    /// Leave out classes whose evidence is not kept, instead of gathering it.
    #[arg(long)]
    kept: bool,
}

/// Part of the labeled set.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Set {
    Choosing,
    HeldOut,
    Both,
}

/// Projects on which rules were chosen; the others were only measured.
const CHOSEN_ON: [&str; 4] = ["commons-codec", "commons-csv", "commons-io", "joda-convert"];

/// A labeled specification and its evidence.
struct Labeled {
    project: String,
    class: String,
    pair: String,
    label: SpecVerdict,
    kind: String,
    evidence: Option<PairEvidence>,
}

/// A rule over evidence.
type Rule = Box<dyn Fn(&PairEvidence) -> SpecVerdict>;

/// Prints the tables, if there are projects.
pub(crate) fn run(flags: &LabeledFlags) -> Result<()> {
    let Some(projects) = &flags.projects else { return Ok(()) };
    let mut chosen: Vec<(String, String, Vec<Vec<String>>)> = Vec::new();
    let is_asked = |project: &String| match flags.set {
        Set::Choosing => CHOSEN_ON.contains(&project.as_str()),
        Set::HeldOut => !CHOSEN_ON.contains(&project.as_str()),
        Set::Both => true,
    };
    for project in labeled_projects(flags, projects)?.into_iter().filter(is_asked) {
        let classes = labels(flags, &project)?;
        chosen.extend(classes.into_iter().map(|(class, pairs)| (project.clone(), class, pairs)));
    }
    let whole = chosen.iter().map(|(.., pairs)| pairs.len()).sum::<usize>();
    chosen.sort_by_key(|(project, class, _)| rank(flags.sample_seed, project, class));
    let is_seen = |project: &str, class: &str| {
        let name = format!("{project}-{class}.json");
        flags.without.iter().any(|folder| folder.join(&name).exists())
    };
    chosen.retain(|(project, class, _)| !is_seen(project, class));
    chosen.truncate(flags.classes.unwrap_or(usize::MAX));
    let (mut all, mut times) = (Vec::new(), BTreeMap::<String, Times>::new());
    for (project, class, pairs) in &chosen {
        let (rows, time) = gather(flags, projects, project, class, pairs)?;
        if !rows.is_empty() {
            all.extend(rows);
            times.entry(project.clone()).or_default().add(&time);
        }
    }
    println!("\n## Labeled specifications\n\n{} of {whole} pairs were tested.", all.len());
    let testers = testers();
    tables::accuracy(&all, &testers, flags.sample_seed);
    tables::projects(&all, &testers);
    tables::bases(&all);
    tables::times(&all, &times);
    if flags.wrong {
        tables::wrong(&all);
    }
    Ok(())
}

/// The place of a class in the order in which classes are sampled: FNV-1a of the seed and its name.
fn rank(seed: u64, project: &str, class: &str) -> u64 {
    let text = format!("{seed} {project} {class}");
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
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
        "adit without delaying several calls".to_owned(),
        Box::new(|one| spec_verdict(&PairEvidence { together: Tally::default(), ..one.clone() }).0),
    ));
    testers.push((
        "adit without tests".to_owned(),
        Box::new(|one| {
            let (within_tests, together) = (Tally::default(), Tally::default());
            spec_verdict(&PairEvidence { within_tests, together, tests: Vec::new(), ..one.clone() }).0
        }),
    ));
    for (name, rules) in VerdictRules::without_each() {
        let rule: Rule = Box::new(move |one| spec_verdict_by(one, rules).0);
        testers.push((format!("adit without the rule `{name}`"), rule));
    }
    testers.push(("adit".to_owned(), Box::new(|one| spec_verdict(one).0)));
    testers
}

/// Times and numbers of one project.
#[derive(Default)]
struct Times {
    classes: f64,
    /// All, the tests without changes once, and all runs with delayed calls.
    seconds: f64,
    whole: f64,
    delayed: f64,
    runs: f64,
    tests: f64,
    related: f64,
}

impl Times {
    fn add(&mut self, other: &Self) {
        self.classes += other.classes;
        self.seconds += other.seconds;
        self.whole += other.whole;
        self.delayed += other.delayed;
        self.runs += other.runs;
        self.tests += other.tests;
        self.related += other.related;
    }
}

/// The projects that are built and have labels, by name.
fn labeled_projects(flags: &LabeledFlags, projects: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(projects).into_diagnostic()? {
        let name = entry.into_diagnostic()?.file_name().to_string_lossy().into_owned();
        if flags.labels.join(format!("{name}.csv")).exists() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// The labeled rows of a project, by class.
fn labels(flags: &LabeledFlags, project: &str) -> Result<BTreeMap<String, Vec<Vec<String>>>> {
    let file = flags.labels.join(format!("{project}.csv"));
    let text = fs::read_to_string(&file)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", file.display()))?;
    let mut classes: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for row in text.lines().skip(1).map(columns) {
        let class = row.get(2).ok_or_else(|| miette!("{}: a row has no class", file.display()))?;
        classes.entry(class.clone()).or_default().push(row);
    }
    Ok(classes)
}

/// The rows of a class with their evidence; none if it is not kept and shall not be gathered.
fn gather(
    flags: &LabeledFlags,
    projects: &Path,
    project: &str,
    class: &str,
    pairs: &[Vec<String>],
) -> Result<(Vec<Labeled>, Times)> {
    let Some(found) = evidence(flags, projects, project, class, pairs)? else {
        return Ok((Vec::new(), Times::default()));
    };
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let suite = &found["run"]["suite"];
    let times = Times {
        classes: 1.0,
        seconds: number(&found["seconds"]),
        whole: number(&suite["whole_suite_seconds"]),
        delayed: number(&suite["delayed_seconds"]),
        runs: number(&suite["delayed_runs"]),
        tests: number(&suite["tests"]),
        related: number(&suite["related"]),
    };
    let mut rows = Vec::new();
    for row in pairs {
        let [_, _, _, a, b, label, kind, ..] = &row[..] else { continue };
        let constraints = found["constraints"].as_array().map_or(&[][..], Vec::as_slice);
        let own = constraints.iter().find(|one| one["a"] == **a && one["b"] == **b);
        rows.push(Labeled {
            project: project.to_owned(),
            class: class.to_owned(),
            pair: format!("{a} before {b}"),
            label: if label == "true" { SpecVerdict::True } else { SpecVerdict::Buggy },
            kind: kind.clone(),
            evidence: own.and_then(|own| pair(&own["evidence"])),
        });
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
) -> Result<Option<Value>> {
    let file = flags.evidence.join(format!("{project}-{class}.json"));
    if let Ok(text) = fs::read_to_string(&file) {
        return serde_json::from_str(&text).into_diagnostic().map(Some);
    }
    if flags.kept {
        return Ok(None);
    }
    let place = projects.join(project);
    let folder = |name: &str| place.join(name).display().to_string();
    let mut command = Command::new(&flags.adit);
    command.args(["test-spec", "--class", class, "--json", "--quiet", "--no-project"]);
    command.args((!flags.quick).then_some("--thorough"));
    command.args(["-c", &format!("{}:{}:{}", folder("classes"), folder("tests"), flags.libraries)]);
    command.args(["--directory", &folder("source"), "--workers", "1", "--budget", "3000tests"]);
    // Seconds say little on a busy machine.
    command.args(["--script-limit", "5s"]);
    for row in pairs {
        command.args(["--order", &row[3], &row[4]]);
    }
    // Where no test has the name of the class, adit chooses those that are nearest to it.
    let mut tests = tests_of(&place.join("tests"), class);
    if tests.is_empty() {
        tests.push(folder("tests"));
    }
    command.arg("--tests").args(tests);
    command.args(["--total-time", &format!("{}s", flags.seconds)]);
    let output = command
        .output()
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot start {}; build it first", flags.adit.display()))?;
    let Ok(found) = serde_json::from_slice::<Value>(&output.stdout) else {
        // Not kept, so that the next run tries again; its pairs count as unknown.
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        eprintln!("{project} {class}: {error}");
        return Ok(Some(serde_json::json!({ "error": error })));
    };
    eprintln!("{project} {class}: {:.1} s", found["seconds"].as_f64().unwrap_or(0.0));
    fs::create_dir_all(&flags.evidence).into_diagnostic()?;
    fs::write(&file, format!("{found}\n")).into_diagnostic()?;
    Ok(Some(found))
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
            spoils: count("spoils"),
            guards: count("guards"),
        }
    };
    Some(PairEvidence {
        calls_itself: json["calls_itself"].as_bool()?,
        calls_some: json["calls_some"].as_bool()?,
        by_code: shares(&json["shares"]["code"]),
        by_watching: shares(&json["shares"]["watched"]),
        on_objects: tally(&json["objects"]),
        within_tests: tally(&json["within_tests"]),
        together: tally(&json["together"]),
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
        expected: match json["expected_exception"].as_str() {
            Some("same") => Expected::Same,
            Some("gone") => Expected::Gone,
            Some("other") => Expected::Other,
            _ => Expected::Nothing,
        },
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
