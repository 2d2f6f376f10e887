//! The built `adit mine` on the eleven classes, beside Tables 1 to 8 of the DICE paper.
//!
//! Each model is measured three times: against the published truth, against the corrected one (see
//! `truths/README.md`), and against the class itself. The first two as [dice, section 4.1.1] does, with the
//! reading of a walk's end that reproduces the paper's numbers (see `dice_miner.rs`); the number behind ± is
//! the standard deviation of F over the seeds.

mod drive;
pub(crate) mod miners;
pub(crate) mod over_time;
mod rules;
mod truth;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::ValueEnum;
use miette::{IntoDiagnostic, Result, WrapErr, bail};
use serde::Serialize;

pub(crate) use self::drive::{Adit, answer};
use self::drive::{DRIVEN, Driven};
use crate::data::Data;
use crate::published::{Printed, published, varied};
use crate::subjects::{SUBJECTS, Subject};

/// The table of the paper to reproduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Which {
    /// Tables 1, 2 and 4: models, and how good they are.
    #[value(name = "1")]
    Models,
    /// Table 3: other ways to find tests.
    #[value(name = "3")]
    Testers,
    /// Table 5: wrong rules that no test refuted.
    #[value(name = "5")]
    Rules,
    /// Table 6: when the population is replaced.
    #[value(name = "6")]
    Resets,
    /// Table 7: the miner without its constraints.
    #[value(name = "7")]
    Constraints,
    /// Table 8: fewer tests to begin with.
    #[value(name = "8")]
    Initial,
}

/// The measurements to make, and their number.
pub(crate) struct Plan {
    pub(crate) which: Which,
    pub(crate) seeds: u64,
    /// Number of seeds whose model is also measured against the class.
    pub(crate) validated: u64,
    pub(crate) walks: usize,
    pub(crate) budget: String,
    /// The program.
    pub(crate) adit: PathBuf,
    /// The folder with our Java sources.
    pub(crate) subjects: PathBuf,
    /// Only these classes; all when empty.
    pub(crate) classes: Vec<String>,
    /// Only these columns; all when empty.
    pub(crate) ways: Vec<String>,
    pub(crate) json: Option<PathBuf>,
}

impl Plan {
    fn settings(&self) -> impl Iterator<Item = &'static Setting> {
        let asked = |setting: &&Setting| self.ways.is_empty() || self.ways.iter().any(|way| way == setting.0);
        self.which.settings().iter().filter(asked)
    }
}

/// One way to call `adit mine`: what the column is called, and the flags.
type Setting = (&'static str, &'static [&'static str]);

impl Which {
    fn settings(self) -> &'static [Setting] {
        match self {
            Self::Models => &[
                ("explore", &["--miner", "explore"]),
                ("explore --coarse", &["--miner", "explore", "--coarse"]),
                ("dice", &["--miner", "dice"]),
            ],
            Self::Testers => &[
                ("dice", &["--miner", "dice", "--tester", "dice"]),
                ("dynamosa", &["--miner", "dice", "--tester", "dynamosa"]),
                ("random", &["--miner", "dice", "--tester", "random"]),
            ],
            Self::Rules => &[
                ("dice", &["--miner", "dice", "--claims", "all"]),
                ("dynamosa", &["--miner", "dice", "--claims", "all", "--tester", "dynamosa"]),
                ("random", &["--miner", "dice", "--claims", "all", "--tester", "random"]),
            ],
            Self::Constraints => &[
                ("both", &["--miner", "dice", "--constraints", "both"]),
                ("A, without B", &["--miner", "dice", "--constraints", "a"]),
                ("B, without A", &["--miner", "dice", "--constraints", "b"]),
                ("none", &["--miner", "dice", "--constraints", "none"]),
            ],
            Self::Resets => &[
                ("100", &["--miner", "dice", "--reset-after", "100"]),
                ("50", &["--miner", "dice", "--reset-after", "50"]),
                ("150", &["--miner", "dice", "--reset-after", "150"]),
            ],
            Self::Initial => &[
                ("300 tests", &["--miner", "dice", "--initial", "300"]),
                ("150 tests", &["--miner", "dice", "--initial", "150"]),
                ("75 tests", &["--miner", "dice", "--initial", "75"]),
            ],
        }
    }

    /// The paper's columns.
    fn printed(self, class: &str) -> Vec<(&'static str, Option<Printed>)> {
        let Some((table1, varied)) = published(class).zip(varied(class)) else { return Vec::new() };
        match self {
            Self::Models => vec![
                ("DICE, Table 1", Some(table1.dice)),
                ("DSM, Table 1", Some(table1.dsm)),
                ("Tautoko, Table 2", varied.tautoko),
                ("DSM on DICE's traces, Table 4", Some(table1.dsm_on_dice)),
            ],
            Self::Rules => Vec::new(),
            Self::Constraints => {
                let [a, b, none] = varied.constraints;
                // The paper prints F only.
                let only_f = |f| Some(Printed(f64::NAN, f64::NAN, f));
                vec![
                    ("both, Table 7", only_f(table1.dice.2)),
                    ("A, Table 7", only_f(a)),
                    ("B, Table 7", only_f(b)),
                    ("none, Table 7", only_f(none)),
                ]
            }
            Self::Testers => {
                vec![("DICE, Table 3", Some(table1.dice)), ("EvoSuite, Table 3", Some(varied.evosuite))]
            }
            Self::Resets => vec![
                ("100, Table 6", Some(table1.dice)),
                ("50, Table 6", Some(varied.reset_50)),
                ("150, Table 6", Some(varied.reset_150)),
            ],
            Self::Initial => vec![
                ("100 %, Table 8", Some(table1.dice)),
                ("50 %, Table 8", Some(varied.initial_half)),
                ("25 %, Table 8", Some(varied.initial_quarter)),
            ],
        }
    }
}

/// Measurements of one model: a field for each key of the raw rows, which are flat so that rows of different
/// dates compare line by line.
#[derive(Serialize)]
struct Row {
    class: &'static str,
    setting: &'static str,
    seed: u64,
    /// Precision, recall and F against the published truth.
    published: [f64; 3],
    /// The same against the corrected one.
    corrected: [f64; 3],
    /// Precision and recall against the class itself, where that was measured.
    real: Option<[f64; 2]>,
    states: usize,
    transitions: usize,
    deterministic: bool,
    tests: u64,
    seconds: f64,
    stop: String,
    /// Mined properties, under the key that the rows in `results` have.
    #[serde(rename = "claims")]
    properties: u64,
    refuted: u64,
    /// Of all properties, those that the corrected truth contradicts, and how many of these stand.
    wrong: Option<[usize; 2]>,
    left_out: Vec<String>,
    missing: Vec<String>,
}

/// Mines, measures, and prints all tables; raw rows are kept after each class, so that breaking off loses
/// little.
pub(crate) fn run(data: &Data, plan: &Plan) -> Result<()> {
    let classes = chosen(&plan.classes, plan.which == Which::Rules)?;
    let work = tempfile::tempdir().into_diagnostic()?;
    let adit = Adit {
        program: plan.adit.clone(),
        subjects: plan.subjects.clone(),
        work: work.path().to_owned(),
        budget: plan.budget.clone(),
    };
    if !adit.has("mine") {
        bail!("{} has no command `mine`; build it, or name another with --adit", adit.program.display());
    }
    let mut rows = Vec::new();
    let mut failed = Vec::new();
    let mut smallest = BTreeMap::new();
    for (subject, driven) in &classes {
        let truth = data.truth(subject)?;
        let corrected = truth::corrected(subject.file)?.unwrap_or_else(|| truth.clone());
        smallest.insert(subject.file, truth::smallest(&corrected)?);
        for &(setting, flags) in plan.settings() {
            for seed in 0..plan.seeds {
                eprintln!("{} / {setting} / seed {seed}", subject.file);
                match measure(&adit, driven, (setting, flags), seed, plan, [&truth, &corrected]) {
                    Ok(row) => rows.push(row),
                    Err(problem) => {
                        failed.push(format!("{}, {setting}, seed {seed}: {problem:#}", subject.file));
                    }
                }
            }
        }
        if let Some(path) = &plan.json {
            let text = serde_json::to_string_pretty(&rows).into_diagnostic()?;
            std::fs::write(path, text)
                .into_diagnostic()
                .wrap_err_with(|| format!("cannot write {}", path.display()))?;
        }
    }
    print(plan, &rows, &smallest);
    for problem in failed {
        println!("- FAILED: {problem}");
    }
    Ok(())
}

/// The classes asked for, in the order of the papers' tables.
fn chosen(names: &[String], rules: bool) -> Result<Vec<(&'static Subject, &'static Driven)>> {
    let all: Vec<_> = SUBJECTS
        .iter()
        .filter_map(|subject| Some((subject, DRIVEN.iter().find(|driven| driven.file == subject.file)?)))
        .collect();
    if let Some(name) = names.iter().find(|name| !all.iter().any(|(subject, _)| subject.file == **name)) {
        let known: Vec<&str> = all.iter().map(|(subject, _)| subject.file).collect();
        bail!("there is no class `{name}`; there are {}", known.join(", "));
    }
    Ok(all
        .into_iter()
        .filter(|(subject, _)| {
            names.is_empty() && (!rules || rules::PRINTED.iter().any(|(class, ..)| *class == subject.file))
                || names.iter().any(|name| name == subject.file)
        })
        .collect())
}

fn measure(
    adit: &Adit,
    driven: &Driven,
    (setting, flags): Setting,
    seed: u64,
    plan: &Plan,
    [published, corrected]: [&adit_automata::Fsa<String>; 2],
) -> Result<Row> {
    let mined = adit.mine(driven, flags, seed)?;
    let real = if seed < plan.validated { Some(adit.validate(driven, &mined, seed)?) } else { None };
    let by_published = truth::judge(&mined.model, published, plan.walks, seed);
    let by_corrected = truth::judge(&mined.model, corrected, plan.walks, seed);
    Ok(Row {
        class: driven.file,
        setting,
        seed,
        published: by_published.score,
        corrected: by_corrected.score,
        real,
        states: mined.said.states,
        transitions: mined.said.transitions,
        deterministic: mined.model.is_deterministic(),
        tests: mined.said.tests,
        seconds: mined.said.seconds,
        stop: mined.said.stop.as_str().map_or_else(|| mined.said.stop.to_string(), str::to_owned),
        properties: mined.said.properties.mined,
        refuted: mined.said.properties.refuted,
        wrong: if plan.which == Which::Rules {
            Some(rules::wrong(&mined.properties, corrected))
        } else {
            None
        },
        left_out: by_published.left_out,
        missing: by_corrected.missing,
    })
}

fn print(plan: &Plan, rows: &[Row], smallest: &BTreeMap<&'static str, usize>) {
    println!(
        "`adit mine` with a budget of {}, {} seeds. Precision/recall/F in percent, means over the seeds (F: the mean of the Fs), ± \
         the standard deviation of F; {} walks each way for a model; a walk stops in a final state with probability \
         1/(1 + out-degree), is at most twice as long as the truth has transitions, and counts as accepted when it can be read \
         (finality ignored).\n",
        plan.budget, plan.seeds, plan.walks
    );
    if plan.which == Which::Rules {
        return rules::print(rows);
    }
    table(plan, rows, "Against the published truth", true, |row| Some(row.published));
    table(plan, rows, "Against the corrected truth", false, |row| Some(row.corrected));
    if rows.iter().any(|row| row.real.is_some()) {
        table(plan, rows, "Against the class itself (`adit validate`)", false, |row| {
            row.real.map(|[precision, recall]| [precision, recall, harmonic(precision, recall)])
        });
    }
    sizes(plan, rows, smallest);
    notes(rows);
}

fn harmonic(precision: f64, recall: f64) -> f64 {
    if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
}

/// One row for each class and a column for each setting; the paper's columns where they belong.
fn table(
    plan: &Plan,
    rows: &[Row],
    heading: &str,
    beside: bool,
    score: impl Fn(&Row) -> Option<[f64; 3]> + Copy,
) {
    let settings: Vec<&Setting> = plan.settings().collect();
    let papers = |class: &str| if beside { plan.which.printed(class) } else { Vec::new() };
    let classes = classes_of(rows);
    let mut names: Vec<&str> = settings.iter().map(|(name, _)| *name).collect();
    names
        .extend(classes.first().map(|class| papers(class)).unwrap_or_default().iter().map(|(name, _)| *name));
    println!("## {heading}\n\n| class | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len()));
    let mut sums = vec![Vec::new(); names.len()];
    for class in &classes {
        let mut means: Vec<Option<([f64; 3], Option<f64>)>> = settings
            .iter()
            .map(|(setting, _)| {
                let scores: Vec<[f64; 3]> = rows
                    .iter()
                    .filter(|row| row.class == *class && row.setting == *setting)
                    .filter_map(score)
                    .collect();
                mean(&scores).map(|mean| (mean, Some(deviation(&scores))))
            })
            .collect();
        means.extend(papers(class).into_iter().map(|(_, printed)| {
            printed.map(|Printed(precision, recall, f)| ([precision, recall, f].map(|it| it / 100.0), None))
        }));
        let cells: Vec<String> = means
            .iter()
            .map(|cell| match cell {
                Some((mean, Some(spread))) => format!("{} ± {:.1}", percent(*mean), 100.0 * spread),
                Some((mean, None)) => percent(*mean),
                None => "-".to_owned(),
            })
            .collect();
        for (sum, cell) in sums.iter_mut().zip(&means) {
            sum.extend(cell.map(|(mean, _)| mean));
        }
        println!("| {class} | {} |", cells.join(" | "));
    }
    let cells: Vec<String> = sums
        .iter()
        .map(|column| mean(column).map_or_else(|| "-".to_owned(), |mean| format!("**{}**", percent(mean))))
        .collect();
    println!("| **mean** | {} |\n", cells.join(" | "));
}

fn classes_of(rows: &[Row]) -> Vec<&'static str> {
    let known: BTreeSet<&str> = rows.iter().map(|row| row.class).collect();
    SUBJECTS.iter().map(|subject| subject.file).filter(|class| known.contains(class)).collect()
}

fn mean(scores: &[[f64; 3]]) -> Option<[f64; 3]> {
    let part = |at: usize| scores.iter().map(|score| score[at]).sum::<f64>() / scores.len() as f64;
    (!scores.is_empty()).then(|| [part(0), part(1), part(2)])
}

/// The standard deviation of F, as estimated from a sample.
fn deviation(scores: &[[f64; 3]]) -> f64 {
    let Some([_, _, mean]) = mean(scores) else { return 0.0 };
    let squares: f64 = scores.iter().map(|score| (score[2] - mean).powi(2)).sum();
    (squares / (scores.len().max(2) - 1) as f64).sqrt()
}

fn percent([precision, recall, f]: [f64; 3]) -> String {
    if precision.is_nan() {
        return format!("{:.1}", 100.0 * f);
    }
    format!("{:.1}/{:.1}/{:.1}", 100.0 * precision, 100.0 * recall, 100.0 * f)
}

fn sizes(plan: &Plan, rows: &[Row], smallest: &BTreeMap<&'static str, usize>) {
    println!(
        "## Size and speed\n\nMeans over the seeds. DICE ran 28 tests a second for 15 minutes a class.\n"
    );
    println!(
        "| class | states of the smallest deterministic truth | how | states | transitions | deterministic | tests a second | seconds | properties refuted | ended |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for class in classes_of(rows) {
        for (setting, _) in plan.settings() {
            let rows: Vec<&Row> =
                rows.iter().filter(|row| row.class == class && row.setting == *setting).collect();
            if rows.is_empty() {
                continue;
            }
            let mean =
                |value: fn(&Row) -> f64| rows.iter().map(|row| value(row)).sum::<f64>() / rows.len() as f64;
            let seconds = mean(|row| row.seconds);
            let stops: BTreeSet<&str> = rows.iter().map(|row| row.stop.as_str()).collect();
            println!(
                "| {class} | {} | {setting} | {:.1} | {:.1} | {} of {} | {:.0} | {seconds:.1} | {:.0} of {:.0} | {} |",
                smallest.get(class).copied().unwrap_or_default(),
                mean(|row| row.states as f64),
                mean(|row| row.transitions as f64),
                rows.iter().filter(|row| row.deterministic).count(),
                rows.len(),
                mean(|row| row.tests as f64) / seconds.max(0.001),
                mean(|row| row.refuted as f64),
                mean(|row| row.properties as f64),
                stops.into_iter().collect::<Vec<_>>().join(", "),
            );
        }
    }
    println!();
}

/// Prints the events that were left out, and those that were never seen.
fn notes(rows: &[Row]) {
    let mut told: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for row in rows {
        for label in &row.left_out {
            let note =
                format!("{}: left out, because the published truth does not know it: `{label}`", row.class);
            told.entry(note).or_default().insert(row.setting);
        }
        for label in &row.missing {
            let note = format!("{}: missing from a model: `{label}`", row.class);
            told.entry(note).or_default().insert(row.setting);
        }
    }
    for (note, settings) in told {
        println!("- {note} ({})", settings.into_iter().collect::<Vec<_>>().join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_of_the_papers_is_driven() {
        let names = |names: &[String]| -> Vec<&str> {
            chosen(names, false).unwrap().iter().map(|(subject, _)| subject.file).collect()
        };
        assert_eq!(names(&[]).len(), SUBJECTS.len());
        assert_eq!(names(&["socket".to_owned(), "hashset".to_owned()]), ["hashset", "socket"]);
        let problem = chosen(&["sockets".to_owned()], false).err().unwrap().to_string();
        assert!(problem.contains("`sockets`") && problem.contains("stringtokenizer"), "{problem}");
    }

    #[test]
    fn every_table_has_the_paper_s_columns_for_every_class() {
        for which in Which::value_variants().iter().filter(|which| **which != Which::Rules) {
            for subject in SUBJECTS {
                assert!(which.printed(subject.file).len() >= 2, "{which:?}, {}", subject.file);
            }
        }
    }

    /// The means that the paper prints itself under its tables. Some are a little off the means of its rows.
    #[test]
    fn the_paper_s_columns_have_nearly_the_paper_s_means() {
        for (which, at, printed) in [
            (Which::Models, 0, [87.8, 88.3, 87.8]),
            (Which::Models, 2, [88.0, 44.3, 53.2]),
            (Which::Testers, 1, [90.4, 81.9, 84.1]),
            (Which::Resets, 1, [69.6, 73.9, 64.5]),
            // The paper prints 91.3, 86.7 and 86.7, which its rows do not give.
            (Which::Resets, 2, [90.3, 84.8, 85.4]),
            (Which::Initial, 1, [88.7, 86.3, 87.2]),
            (Which::Initial, 2, [88.6, 85.7, 86.8]),
        ] {
            let column: Vec<[f64; 3]> = SUBJECTS
                .iter()
                .filter_map(|subject| which.printed(subject.file)[at].1)
                .map(|Printed(precision, recall, f)| [precision, recall, f])
                .collect();
            let means = mean(&column).unwrap();
            for (mean, printed) in means.iter().zip(printed) {
                assert!((mean - printed).abs() < 0.3, "{which:?}, column {at}: {means:.1?}");
            }
        }
    }

    #[test]
    fn spread_is_that_of_a_sample() {
        let scores = [[0.0, 0.0, 0.5], [0.0, 0.0, 0.7], [0.0, 0.0, 0.9]];
        assert!((deviation(&scores) - 0.2).abs() < 1e-12);
        assert_eq!((deviation(&scores[..1]), deviation(&[])), (0.0, 0.0));
    }
}
