//! `adit validate` on a real class: what a model allows that cannot happen, and what happens that it does not
//! allow.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::fs;

use driver::adit;
use driver::java::{CELL, java};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A model of the cell as edges, `from label to`; state 0 is the first, and every other may be the last.
fn model(edges: &[&str]) -> String {
    let mut text = String::from("digraph { 0 [shape=circle]; start [shape=point]; start -> 0;\n");
    for state in 1..4 {
        text += &format!("{state} [shape=doublecircle];\n");
    }
    for edge in edges {
        let [from, label, to] = edge.split(' ').collect::<Vec<_>>()[..] else { panic!("{edge}") };
        text += &format!("{from} -> {to} [label=\"{label}\"];\n");
    }
    text + "}\n"
}

const RIGHT: [&str; 8] = [
    "0 Cell 1",
    "1 isEmpty:TRUE 1",
    "1 clear 1",
    "1 put 1",
    "1 put 2",
    "2 isEmpty:FALSE 2",
    "2 clear 1",
    "1 clear 1",
];

fn validated(java: &TempDir, edges: &[&str], more: &[&str]) -> (i32, Value) {
    let file = java.path().join("model.dot");
    fs::write(&file, model(edges)).unwrap();
    let (file, path) = (file.display().to_string(), java.path().display().to_string());
    let mut args = vec!["validate", &file, "Cell", "-c", &path, "--json", "--budget", "30000tests"];
    args.extend(more);
    let run = adit(&args);
    assert!(run.code < 2, "{}", run.err);
    let mut said = run.json();
    said["seconds"].take();
    (run.code, said)
}

#[test]
fn the_class_is_the_judge() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let (code, said) = validated(&classes, &RIGHT, &[]);
    assert_eq!((code, &said["precision"], &said["recall"]), (0, &json!(1.0), &json!(1.0)), "{said}");
    assert_eq!((&said["unrealized"], &said["rejected"]), (&json!([]), &json!([])));

    // A full cell that says it is empty.
    let wrong: Vec<&str> = RIGHT.into_iter().chain(["2 isEmpty:TRUE 2"]).collect();
    let (code, said) = validated(&classes, &wrong, &[]);
    assert_eq!((code, &said["recall"]), (1, &json!(1.0)), "{said}");
    assert!(said["precision"].as_f64().unwrap() < 1.0);
    assert!(
        said["unrealized"].as_array().unwrap().iter().any(|word| word.to_string().contains("isEmpty:TRUE"))
    );

    // A full cell that cannot be cleared.
    let little: Vec<&str> = RIGHT.into_iter().filter(|edge| *edge != "2 clear 1").collect();
    let (code, said) = validated(&classes, &little, &[]);
    assert_eq!((code, &said["precision"]), (1, &json!(1.0)), "{said}");
    assert!(said["recall"].as_f64().unwrap() < 1.0);
    let rejected = said["rejected"][0].as_array().unwrap();
    assert_eq!(rejected.last().unwrap(), "clear", "{said}");
}

#[test]
fn events_that_the_class_does_not_have() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let strange: Vec<&str> = RIGHT.into_iter().chain(["2 explode 1"]).collect();
    let file = classes.path().join("model.dot");
    fs::write(&file, model(&strange)).unwrap();
    let path = classes.path().display().to_string();
    let run = adit(&["validate", &file.display().to_string(), "Cell", "-c", &path]);
    assert_eq!(run.code, 2, "{}", run.out);
    assert!(run.err.contains("explode") && run.err.contains("--ignore-unknown"), "{}", run.err);
    let (code, said) = validated(&classes, &strange, &["--ignore-unknown"]);
    assert_eq!((code, &said["precision"]), (0, &json!(1.0)), "{said}");
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let wrong: Vec<&str> = RIGHT.into_iter().chain(["2 put 2"]).collect();
    let one = validated(&classes, &wrong, &["--seed", "5"]);
    assert_eq!(one, validated(&classes, &wrong, &["--seed", "5"]));
}
