//! Partial answers through the command line: parts of a log, counted apart and merged in any order, give the
//! bytes that one run over everything gives.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::fs;
use std::path::Path;

use tempfile::TempDir;

mod driver;
use driver::{Run, adit};

/// A log in which labels first appear in another order in each part, with pure events between.
fn traces() -> Vec<String> {
    let labels = ["zoo", "open", "isReady:TRUE", "read", "close", "apple", "isReady:FALSE"];
    (0..200_usize)
        .map(|number| {
            let length = 1 + number * 7 % 9;
            let label = |at: usize| labels[(number * number + at * (1 + number % 3)) % labels.len()];
            (0..length).map(label).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

/// Writes the traces to `parts` files in turn, and some parts stay empty when there are more than traces.
fn parts(folder: &Path, parts: usize) -> Vec<String> {
    let mut texts = vec![String::new(); parts];
    for (number, trace) in traces().iter().enumerate() {
        let text = &mut texts[(number * 13) % parts];
        text.push_str(trace);
        text.push('\n');
    }
    let names: Vec<String> =
        (0..parts).map(|part| folder.join(format!("part-{part}.traces")).display().to_string()).collect();
    names.iter().zip(texts).for_each(|(name, text)| fs::write(name, text).unwrap());
    names
}

/// Makes a fold of each file, and returns their names in another order.
fn folds(files: &[String], command: &[&str], flags: &[&str]) -> Vec<String> {
    let mut folds = Vec::new();
    for file in files {
        let fold = format!("{file}.fold");
        let run = adit(&[command, &[file.as_str(), "--partial", "-o", &fold, "--quiet"], flags].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        folds.push(fold);
    }
    let by = folds.len() / 3;
    folds.rotate_left(by);
    folds.reverse();
    folds
}

fn with(command: &[&str], files: &[String], flags: &[&str]) -> Run {
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let run = adit(&[command, &files, flags].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    run
}

#[test]
fn properties_of_parts_are_the_properties_of_the_whole() {
    for (flags, count) in [(&[][..], 1), (&["--pure", "read,isReady"], 7), (&["--no-purity"], 100)] {
        let folder = TempDir::new().unwrap();
        let whole = parts(folder.path(), 1);
        let expected: Vec<Run> = [&["--json"][..], &["--all", "--min-confidence", "0.5"], &[]]
            .iter()
            .map(|shape| with(&["properties"], &whole, &[flags, *shape].concat()))
            .collect();
        let files = parts(folder.path(), count);
        let folds = folds(&files, &["properties"], flags);
        for (shape, expected) in
            [&["--json"][..], &["--all", "--min-confidence", "0.5"], &[]].iter().zip(&expected)
        {
            let run = with(&["properties", "--merge"], &folds, shape);
            assert_eq!(run.out, expected.out, "{count} parts with {flags:?}");
        }
        assert!(expected[0].json()["properties"].as_array().unwrap().len() > 3);
    }
}

/// A merge can be written as a partial answer again, so that many parts are merged as a tree.
#[test]
fn merged_counts_can_be_merged_again() {
    let folder = TempDir::new().unwrap();
    let files = parts(folder.path(), 5);
    let folds = folds(&files, &["properties"], &[]);
    let merged = folder.path().join("some.fold").display().to_string();
    with(&["properties", "--merge"], &folds[..3], &["--partial", "-o", &merged]);
    let rest: Vec<String> = folds[3..].iter().cloned().chain([merged]).collect();
    let all = with(&["properties", "--merge"], &rest, &["--json"]);
    assert_eq!(all.out, with(&["properties"], &files, &["--json"]).out);
}

#[test]
fn k_tail_of_parts_is_the_model_of_the_whole() {
    let command = ["infer", "--algorithm", "k-tail"];
    for (k, count) in [("0", 3), ("1", 7), ("2", 100)] {
        let folder = TempDir::new().unwrap();
        let whole = parts(folder.path(), 1);
        let place = |name: &str| folder.path().join(name).display().to_string();
        let (one, merged) = (place("one.json"), place("merged.json"));
        with(&command, &whole, &["--k", k, "--title", "Log", "-o", &one]);
        let folds = folds(&parts(folder.path(), count), &command, &[]);
        with(&[&command[..], &["--merge"]].concat(), &folds, &["--k", k, "--title", "Log", "-o", &merged]);
        let bytes = |name: &str| fs::read(name).unwrap();
        assert!(bytes(&one) == bytes(&merged), "the models differ for k = {k} and {count} parts");
        let page = |name: &str| fs::read(name.replace(".json", ".html")).unwrap();
        assert!(page(&one) == page(&merged), "the reports differ for k = {k} and {count} parts");
        // The tree decides nothing about k, so any k can be asked of it.
        let far = with(&[&command[..], &["--merge"]].concat(), &folds, &["--k", "9"]);
        assert_ne!(far.out.as_bytes(), bytes(&merged));
    }
}

fn refused(run: &Run, parts: &[&str]) {
    assert_eq!(run.code, 2, "{}{}", run.out, run.err);
    for part in parts {
        assert!(run.err.contains(part), "`{part}` is missing:\n{}", run.err);
    }
}

#[test]
fn parts_of_other_flags_versions_and_commands_are_refused() {
    let folder = TempDir::new().unwrap();
    let file = parts(folder.path(), 1).remove(0);
    let place = |name: &str| folder.path().join(name).display().to_string();
    let fold = |name: &str, flags: &[&str]| {
        let fold = place(name);
        with(&["properties"], std::slice::from_ref(&file), &[&["--partial", "-o", &fold], flags].concat());
        fold
    };
    let plain = fold("plain.fold", &[]);
    let merge = |other: &str| adit(&["properties", "--merge", &plain, other]);
    refused(
        &merge(&fold("labels.fold", &["--labels", "method"])),
        &["plain.fold was made with --labels exception", "--labels method"],
    );
    refused(
        &merge(&fold("pure.fold", &["--pure", "read"])),
        &["without --pure", "pure.fold with --pure read", "the same --pure"],
    );
    refused(&merge(&fold("none.fold", &["--no-purity"])), &["--no-purity"]);

    let bytes = fs::read(&plain).unwrap();
    let damaged = |name: &str, bytes: &[u8]| {
        let path = place(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    refused(&merge(&damaged("cut.fold", &bytes[..bytes.len() - 3])), &["cut.fold", "cut off", "--partial"]);
    refused(&merge(&damaged("long.fold", &[&bytes[..], b"x"].concat())), &["long.fold", "something follows"]);
    let text = String::from_utf8_lossy(&bytes).replacen("\"version\":1", "\"version\":9", 1);
    refused(&merge(&damaged("late.fold", text.as_bytes())), &["its version is 9", "reads version 1"]);
    refused(&merge(&file), &["part-0.traces", "first line", "adit properties TRACES --partial"]);
    let tree = place("tree.fold");
    with(&["infer", "--algorithm", "k-tail"], std::slice::from_ref(&file), &["--partial", "-o", &tree]);
    refused(&merge(&tree), &["tree.fold", "adit-prefix-tree"]);

    // A name that occurs in no part is a typo; one that is missing from a single part is not.
    let typo = fold("typo.fold", &["--pure", "raed"]);
    refused(&adit(&["properties", "--merge", &typo]), &["unknown event `raed`", "did you mean `read`"]);
    refused(&adit(&["properties", &file, "--partial"]), &["--output"]);
    refused(&adit(&["properties", "--merge", &plain, "--pure", "read"]), &["--merge", "--pure"]);
    refused(&adit(&["infer", &file, "--partial", "-o", &tree]), &["--partial", "--algorithm k-tail"]);
}
