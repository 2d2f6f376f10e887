//! Worked examples as executed Markdown: `tests/cases/*.md` holds prose, a `traces` block, optional `pure`
//! and `properties` blocks, and one `fsa` block per algorithm with the model that it must give.

#![expect(clippy::unwrap_used, reason = "a broken case should stop the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use adit_automata::Fsa;
use adit_infer::{Constraints, Horizon, dice_miner, first_rejected, ktail};
use adit_logic::{Property, Template};

#[test]
fn every_case_gives_the_model_it_shows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut checked = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let blocks = blocks(&fs::read_to_string(&path).unwrap());
        let traces: Vec<Vec<String>> = blocks["traces"].lines().map(words).collect();
        for (kind, expected) in blocks.iter().filter(|(kind, _)| kind.starts_with("fsa ")) {
            let model = infer(&kind["fsa ".len()..], &traces, &blocks);
            assert_eq!(first_rejected(&model, &traces), None, "{} [{kind}]", path.display());
            assert_eq!(show(&model).trim(), expected.trim(), "{} [{kind}]", path.display());
            checked += 1;
        }
    }
    assert!(checked >= 8, "only {checked} models were checked");
}

fn infer(algorithm: &str, traces: &[Vec<String>], blocks: &BTreeMap<String, String>) -> Fsa<String> {
    if let Some(k) = algorithm.strip_prefix("k-tail ") {
        return ktail(traces, Horizon(k.parse().unwrap()));
    }
    let constraints = Constraints {
        pure_as_loops: !algorithm.ends_with("without A"),
        compatible_states: !algorithm.ends_with("without B"),
    };
    let block = |name: &str| blocks.get(name).map_or("", String::as_str);
    let pure: BTreeSet<String> = words(block("pure")).into_iter().collect();
    let properties: Vec<Property<String>> = block("properties").lines().map(property).collect();
    dice_miner(traces, &properties, &pure, constraints)
}

/// The fenced blocks of a case, by what stands behind the fence.
fn blocks(text: &str) -> BTreeMap<String, String> {
    text.split("```")
        .skip(1)
        .step_by(2)
        .map(|block| {
            let (kind, body) = block.split_once('\n').unwrap();
            (kind.to_owned(), body.to_owned())
        })
        .collect()
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn property(line: &str) -> Property<String> {
    let (template, events) = line.trim_end_matches(')').split_once('(').unwrap();
    let (a, b) = events.split_once(", ").unwrap();
    Property { template: Template::from_short(template).unwrap(), a: a.to_owned(), b: b.to_owned() }
}

fn show(fsa: &Fsa<String>) -> String {
    let mark = |state: usize| if fsa.is_accepting(state) { "*" } else { "" };
    fsa.all_edges()
        .map(|edge| format!("{} -{}-> {}{}\n", edge.from, edge.label, edge.to, mark(edge.to)))
        .collect()
}
