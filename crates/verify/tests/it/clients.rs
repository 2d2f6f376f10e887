//! Every feature of the verifier on sources in `tests/java`, whose comments say what is to be found.

use std::collections::BTreeMap;
use std::path::Path;

use adit_verify::{Certainty, Verifier};

use crate::java::{compile, deques, home, stacks, verifier, verify};

#[test]
fn the_comments_name_exactly_the_findings() {
    check("tests/java/Clients.java", &verifier(), 25);
}

/// A collection that changes while it is iterated: a rule over two objects.
#[test]
fn collections_that_change_while_they_are_iterated_are_found() {
    check("tests/java/Iterated.java", &verifier(), 8);
}

/// How much an object contains is data: without a question, a path that did not fill it is no evidence.
#[test]
fn contents_are_data_until_the_code_asks() {
    check("tests/java/Contents.java", &stacks().with_unchecked(), 6);
}

/// The type of a field may have no model, and the object in it one.
#[test]
fn objects_that_the_class_made_are_followed_through_interfaces() {
    check("tests/java/Deques.java", &deques().with_unchecked(), 2);
}

/// A text that equals one constant equals no other, and a question that is asked again has the same answer.
#[test]
fn values_rule_out_paths() {
    check("tests/java/Compared.java", &verifier(), 5);
}

/// Without being asked, the verifier reports none of the unchecked calls.
#[test]
fn unchecked_calls_are_reported_on_request() {
    check("tests/java/Unchecked.java", &verifier().with_unchecked(), 5);
}

/// Verifies a source and compares the findings with its comments, of which there are at least so many.
fn check(source: &str, verifier: &Verifier, least: usize) {
    let Some(home) = home() else { return };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let text = std::fs::read_to_string(&source).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let classes = compile(&home, &source, folder.path());
    let reports = verify(verifier, &classes);
    assert!(reports.iter().all(|report| report.skipped.is_empty()));
    let mut found: BTreeMap<u16, &str> = BTreeMap::new();
    let mut rules = Vec::new();
    for finding in reports.iter().flat_map(|report| &report.findings) {
        found.insert(finding.line.unwrap(), finding.certainty.name());
        rules.push(format!("{}: {}", finding.line.unwrap(), finding.rule));
        // An object in a field may have no events that the method knows of.
        let has_path = finding.certainty == Certainty::Unchecked || !finding.path.is_empty();
        assert!(has_path, "{finding:?}");
    }
    let wanted: BTreeMap<u16, &str> = text
        .lines()
        .enumerate()
        .filter_map(|(at, line)| Some((at as u16 + 1, line.split_once("// ")?.1.trim())))
        .collect();
    assert!(wanted.len() >= least);
    assert_eq!(found, wanted, "{rules:#?}");
}
