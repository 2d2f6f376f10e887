//! A model with a place that was not explored, in every output: the events that lead there were seen, what
//! follows them is unknown, and the place is counted as no state.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::fs;

use driver::adit;
use expect_test::expect;
use serde_json::json;
use tempfile::TempDir;

/// A connection of which nobody saw what follows `commit`, and of which a guess says where `reset` leads.
const MODEL: &str = r#"{
  "format": "adit-model", "version": 1, "title": "Connection",
  "alphabet": ["abort", "close", "commit", "connect", "isClosed:FALSE", "isClosed:TRUE", "reset"],
  "initial": [0],
  "states": [
    {"id": 0, "accepting": false},
    {"id": 1, "name": "not isClosed", "accepting": true, "predicates": ["not isClosed"]},
    {"id": 2, "name": "isClosed", "accepting": true, "predicates": ["isClosed"], "refuses": ["commit!SQLException"]},
    {"id": 3, "name": "not explored", "accepting": true}
  ],
  "edges": [
    {"from": 0, "event": "connect", "to": 1},
    {"from": 1, "event": "abort", "to": 3, "modality": "maybe"},
    {"from": 1, "event": "close", "to": 2},
    {"from": 1, "event": "commit", "to": 3, "modality": "maybe"},
    {"from": 1, "event": "isClosed:FALSE", "to": 1},
    {"from": 2, "event": "isClosed:TRUE", "to": 2},
    {"from": 2, "event": "reset", "to": 1, "modality": "maybe"}
  ]
}"#;

/// The folder with the model, a trace that ends where nobody looked further, and the path of the model.
fn folder() -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("model.json");
    fs::write(&path, MODEL).unwrap();
    fs::write(folder.path().join("traces.jsonl"), "{\"events\": [\"connect\", \"commit\"]}\n").unwrap();
    (folder, path.display().to_string())
}

#[test]
fn the_terminal_lists_it_in_the_state() {
    let (_folder, model) = folder();
    expect![[r#"
        start 0
            -> 1 (not isClosed): connect
        1 (not isClosed)
            stays: isClosed:FALSE
            -> 2 (isClosed): close
            not explored after: abort?, commit?
        2 (isClosed)
            -> 1 (not isClosed): reset?
            stays: isClosed:TRUE
            refuses: commit!SQLException
    "#]]
    .assert_eq(&adit(&["show", "--all", &model]).out);
    let drawn = adit(&["show", &model]).out;
    assert!(drawn.contains("not explored after abort?, commit?"), "{drawn}");
    assert_eq!(drawn.matches("not explored").count(), 1, "the place has no box:\n{drawn}");
    assert_eq!(drawn.matches('┌').count(), 3, "{drawn}");
}

#[test]
fn explain_says_that_the_event_was_seen() {
    let (_folder, model) = folder();
    for question in [&["commit"][..], &["1", "commit"], &["1 -commit-> not explored"]] {
        let said = adit(&[&["explain", &model][..], question].concat());
        assert!(
            said.out.starts_with("1 (not isClosed) -commit-> not explored\n"),
            "{}{}",
            said.out,
            said.err
        );
        assert!(
            said.out.contains("not explored: the event was observed, but not where it leads"),
            "{}",
            said.out
        );
        assert!(said.out.contains("taken by 1 trace"), "{}", said.out);
    }
    let said = adit(&["explain", "--json", &model, "commit"]).json();
    let one = &said["transitions"][0];
    assert_eq!(
        (&one["explored"], &one["modality"], &one["traces"]),
        (&json!(false), &json!("maybe"), &json!(1))
    );
    let guess = adit(&["explain", "--json", &model, "reset"]).json();
    let guess = &guess["transitions"][0];
    assert_eq!((&guess["explored"], &guess["modality"]), (&json!(true), &json!("maybe")));
    assert!(adit(&["explain", &model, "reset"]).out.contains("a guess"));
    let sure = adit(&["explain", "--json", &model, "close"]).json();
    assert_eq!(sure["transitions"][0]["modality"], "required");
}

#[test]
fn files_and_pictures_mark_it() {
    let (folder, model) = folder();
    let dot = adit(&["convert", &model, "-", "--to", "dot"]).out;
    let place = dot.lines().find(|line| line.contains("label=\"not explored\"")).unwrap();
    assert!(place.contains("style=\"dashed\"") && place.contains("fontsize=\"9\""), "{place}");
    assert!(dot.contains("s1 -> s3 [label=\"commit\" style=\"dashed\" modality=\"maybe\"]"), "{dot}");
    // What was written is read back as the same place.
    let again = folder.path().join("again.dot");
    fs::write(&again, &dot).unwrap();
    let again = again.display().to_string();
    assert_eq!(adit(&["show", "--all", &again]).out, adit(&["show", "--all", &model]).out);
    let svg = adit(&["convert", &model, "-", "--to", "svg"]).out;
    assert!(svg.contains("not explored after") && svg.contains(">commit?<"), "{svg}");
    assert_eq!(svg.matches("class=\"frame\"").count(), 3, "{svg}");
}

#[test]
fn the_page_counts_it_as_no_state_and_as_no_confirmed_transition() {
    let (folder, _) = folder();
    let path = folder.path().display().to_string();
    assert_eq!(adit(&["report", &path]).code, 0);
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("3 states, 7 transitions, 2 of them not explored"), "{page}");
    assert!(page.contains(r#""name":"Not explored""#) && page.contains(r#""name":"Guessed""#));
    // `connect` was taken; `commit` was too, and says nothing about where it leads.
    assert!(page.contains(r#""value":"1 of 5""#), "transitions with evidence");
}

#[test]
fn a_counterexample_may_end_there() {
    let (_folder, model) = folder();
    let run = adit(&["check", &model, "--formula", "G !commit"]);
    assert_eq!((run.code, run.out.as_str()), (1, "fails: connect commit\n"), "{}", run.err);
}
