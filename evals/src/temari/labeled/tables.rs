//! Tables of the labeled specifications, named after those of the paper.

use std::collections::{BTreeMap, BTreeSet};

use adit_attack::dsi::SpecVerdict;
use adit_attack::spec_verdict::{Basis, spec_verdict};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::{CHOSEN_ON, Labeled, Rule, Times};

/// Resamples of an interval.
const RESAMPLES: usize = 2_000;

/// A specification with its label and a verdict.
struct Judged<'a> {
    one: &'a Labeled,
    label: SpecVerdict,
    verdict: SpecVerdict,
}

fn judge<'a>(
    all: impl Iterator<Item = &'a Labeled>,
    rule: &Rule,
    relabel: &dyn Fn(&Labeled) -> Option<SpecVerdict>,
) -> Vec<Judged<'a>> {
    all.map(|one| Judged {
        one,
        label: relabel(one).unwrap_or(one.label),
        verdict: one.evidence.as_ref().map_or(SpecVerdict::Unknown, rule),
    })
    .collect()
}

fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.1}", 100.0 * part as f64 / whole as f64) }
}

/// Tables IV a and VI: accuracy, and precision and recall for each verdict.
pub(super) fn accuracy(all: &[Labeled], testers: &[(String, Rule)], seed: u64) {
    let is_chosen = |one: &&Labeled| CHOSEN_ON.contains(&one.project.as_str());
    let as_labeled = |_: &Labeled| None;
    let queries_true = |one: &Labeled| (one.kind == "looks").then_some(SpecVerdict::True);
    for (name, chosen) in [("choosing set", true), ("held-out set", false)] {
        let of_set: Vec<&Labeled> = all.iter().filter(|one| is_chosen(one) == chosen).collect();
        if of_set.is_empty() {
            continue;
        }
        let title = format!("Tables IV a and VI, {name}, {} pairs", of_set.len());
        table(&title, &of_set, testers, &as_labeled, seed);
        let title = format!("The same with queries before changes (`looks`) labeled true, {name}");
        table(&title, &of_set, testers, &queries_true, seed);
    }
}

fn table(
    title: &str,
    of_set: &[&Labeled],
    testers: &[(String, Rule)],
    relabel: &dyn Fn(&Labeled) -> Option<SpecVerdict>,
    seed: u64,
) {
    println!("\n{title}\n");
    println!(
        "| tester | accuracy | 95 % interval | true precision | true recall | buggy precision \
         | buggy recall | unknown |\n|---|---|---|---|---|---|---|---|"
    );
    println!("| DSI in the paper | 39.4 | | 36.4 | 23.4 | 92.8 | 42.2 | |");
    println!("| TEMARI in the paper | 78.9 | | | | | | |");
    for (name, rule) in testers {
        let judged = judge(of_set.iter().copied(), rule, relabel);
        let count = |test: &dyn Fn(&Judged<'_>) -> bool| judged.iter().filter(|one| test(one)).count();
        let rates = |wanted: SpecVerdict| {
            let hits = count(&|one| one.label == wanted && one.verdict == wanted);
            let said = count(&|one| one.verdict == wanted);
            let labeled = count(&|one| one.label == wanted);
            format!("{} | {}", percent(hits, said), percent(hits, labeled))
        };
        let (low, high) = interval(&judged, seed);
        println!(
            "| {name} | {} | {low:.1}–{high:.1} | {} | {} | {} |",
            percent(count(&|one| one.label == one.verdict), judged.len()),
            rates(SpecVerdict::True),
            rates(SpecVerdict::Buggy),
            count(&|one| one.verdict == SpecVerdict::Unknown)
        );
    }
}

/// Bootstrap interval of the accuracy in percent. Classes are resampled, not pairs, because pairs of one
/// class are right or wrong together.
fn interval(judged: &[Judged<'_>], seed: u64) -> (f64, f64) {
    let mut classes: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for Judged { one, label, verdict } in judged {
        let (count, right) = classes.entry((one.project.as_str(), &one.class)).or_default();
        *count += 1;
        *right += usize::from(label == verdict);
    }
    let classes: Vec<(usize, usize)> = classes.into_values().collect();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut found: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let (mut count, mut right) = (0, 0);
            for _ in 0..classes.len() {
                let (of_class, of_right) = classes[random.random_range(0..classes.len())];
                count += of_class;
                right += of_right;
            }
            100.0 * right as f64 / count.max(1) as f64
        })
        .collect();
    found.sort_by(f64::total_cmp);
    (found[RESAMPLES / 40], found[RESAMPLES - 1 - RESAMPLES / 40])
}

/// Table VI by project: specifications that a tester classifies correctly.
pub(super) fn projects(all: &[Labeled], testers: &[(String, Rule)]) {
    println!("\nTable VI by project: correct verdicts\n");
    let names: Vec<&str> = testers.iter().map(|(name, _)| name.as_str()).collect();
    println!("| project | pairs | {} |", names.join(" | "));
    println!("|---|---|{}", "---|".repeat(names.len()));
    let projects: BTreeSet<&str> = all.iter().map(|one| one.project.as_str()).collect();
    for project in projects {
        let of: Vec<&Labeled> = all.iter().filter(|one| one.project == project).collect();
        let right = |rule: &Rule| {
            let judged = judge(of.iter().copied(), rule, &|_| None);
            judged.iter().filter(|one| one.label == one.verdict).count().to_string()
        };
        let row: Vec<String> = testers.iter().map(|(_, rule)| right(rule)).collect();
        println!("| {project} | {} | {} |", of.len(), row.join(" | "));
    }
}

/// Verdicts by what decided.
pub(super) fn bases(all: &[Labeled]) {
    println!("\nVerdicts of adit by what decided:\n");
    println!("| basis | choosing: verdicts | right | held out: verdicts | right |\n|---|---|---|---|---|");
    let mut bases: BTreeMap<Basis, [usize; 4]> = BTreeMap::new();
    for one in all {
        let Some(evidence) = &one.evidence else { continue };
        let (verdict, basis) = spec_verdict(evidence);
        let first = if CHOSEN_ON.contains(&one.project.as_str()) { 0 } else { 2 };
        let counts = bases.entry(basis).or_default();
        counts[first] += 1;
        counts[first + 1] += usize::from(verdict == one.label);
    }
    for (basis, [count, right, other_count, other_right]) in bases {
        println!("| {basis:?} | {count} | {right} | {other_count} | {other_right} |");
    }
}

/// Table VII: time.
pub(super) fn times(all: &[Labeled], times: &BTreeMap<String, Times>) {
    println!("\nTable VII: seconds for all evidence, tests of classes that are named after them\n");
    println!(
        "| project | pairs | seconds | seconds for each pair | all tests of a class | one run with delayed calls \
         | ratio | tests | that reach a pair |\n|---|---|---|---|---|---|---|---|---|"
    );
    for (project, time) in times {
        let count = all.iter().filter(|one| one.project == *project).count();
        let (whole, delayed) = (time.whole / time.classes.max(1.0), time.delayed / time.runs.max(1.0));
        println!(
            "| {project} | {count} | {:.0} | {:.1} | {:.1} | {delayed:.2} | {:.1} | {:.0} | {:.0} |",
            time.seconds,
            time.seconds / count.max(1) as f64,
            whole,
            whole / delayed,
            time.tests,
            time.related
        );
    }
}

/// Wrong verdicts, one a line.
pub(super) fn wrong(all: &[Labeled]) {
    println!("\nWrong verdicts of adit:\n");
    for one in all {
        let (verdict, basis) =
            one.evidence.as_ref().map_or((SpecVerdict::Unknown, Basis::Nothing), spec_verdict);
        if verdict != one.label {
            println!(
                "- {} {} {}: {:?} ({}), adit {verdict:?} by {basis:?}",
                one.project, one.class, one.pair, one.label, one.kind
            );
        }
    }
}
