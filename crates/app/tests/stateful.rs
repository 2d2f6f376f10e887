//! `adit infer` with the algorithms that use states, as users run it: on traces of a stack, and on bad input.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![expect(clippy::print_stderr, reason = "a test that cannot run says so")]
#![cfg(unix)]

mod driver;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use driver::{adit, adit_in, example, refused};
use serde_json::Value;
use tempfile::TempDir;

fn stack() -> String {
    example("stack.dtrace")
}

/// True if this machine has a solver; otherwise a line says so.
fn has_solver(test: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = ["z3", "cvc5"]
        .into_iter()
        .any(|name| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()));
    if !found {
        eprintln!("NOT RUN: {test} needs z3 or cvc5 on PATH");
    }
    found
}

/// A program that answers every question with `text`.
fn fake_solver(folder: &Path, text: &str) -> String {
    let path = folder.join("z3");
    let script = format!(
        "#!/bin/sh\nwhile read -r line; do case \"$line\" in \"(check-sat)\") echo '{text}' ;;\n\
         \"(echo\"*) mark=${{line#*\\\"}}; echo \"${{mark%%\\\"*}}\" ;; esac; done\n"
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// Infers a model of the stack and returns it and the summary.
fn inferred(algorithm: &str, more: &[&str]) -> (Value, Value) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("model.json").display().to_string();
    let mut arguments: Vec<&str> = vec!["infer"];
    let stack = stack();
    arguments.extend([stack.as_str(), "--algorithm", algorithm, "-o", &file, "--no-report", "--json"]);
    arguments.extend(more);
    let run = adit(&arguments);
    assert_eq!(run.code, 0, "{}", run.err);
    let model = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    (model, serde_json::from_str(&run.out).unwrap())
}

/// Predicates of all states.
fn predicates(model: &Value) -> Vec<String> {
    let states = model["states"].as_array().unwrap();
    let texts = states.iter().filter_map(|state| state["predicates"].as_array()).flatten();
    texts.map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn maybes(model: &Value) -> usize {
    let edges = model["edges"].as_array().unwrap();
    edges.iter().filter(|edge| edge["modality"] == "maybe").count()
}

#[test]
fn sekt_needs_no_solver_and_says_what_holds() {
    let (model, summary) = inferred("sekt", &["--k", "2"]);
    assert!(predicates(&model).iter().any(|text| text == "this.topOfStack >= 0"), "{model:#}");
    assert_eq!(summary["algorithm"], "sekt");
    assert_eq!(maybes(&model), 0);
}

#[test]
fn temi_tells_what_was_seen_from_what_may_be() {
    if !has_solver("temi_tells_what_was_seen_from_what_may_be") {
        return;
    }
    let (model, summary) = inferred("temi", &[]);
    assert!(maybes(&model) > 0, "{model:#}");
    assert!(predicates(&model).iter().any(|text| text == "this.topOfStack == -1"), "{model:#}");
    let count = |name: &str| summary["solver"][name].as_u64().unwrap();
    assert_eq!(
        (summary["undecided"].as_u64(), summary["unforeseen"].as_u64()),
        (Some(0), Some(0)),
        "{summary}"
    );
    assert!(count("by_solver") * 2 < count("asked"), "{summary}");
    let (certain, _) = inferred("temi", &["--pessimistic"]);
    assert_eq!(maybes(&certain), 0);
    assert!(certain["states"].as_array().unwrap().len() < model["states"].as_array().unwrap().len() + 1);
    // Every format that has a word for it shows the modality.
    let stack = stack();
    for (format, sign) in [("dot", "dashed"), ("mermaid", "?"), ("fsp", "?")] {
        let run = adit(&["infer", &stack, "--algorithm", "temi", "--to", format]);
        assert!(run.out.contains(sign), "{format}: {}", run.out);
    }
}

#[test]
fn contractor_allows_what_the_conditions_allow() {
    if !has_solver("contractor_allows_what_the_conditions_allow") {
        return;
    }
    let (model, summary) = inferred("contractor", &[]);
    assert_eq!(maybes(&model), 0);
    assert_eq!(summary["scope"], "satisfiable");
    // A state before creation, and at least empty, full, in between, and without capacity.
    assert!(model["states"].as_array().unwrap().len() >= 5, "{model:#}");
    // With a limit, those of the traces are left, and adit says so.
    let stack = stack();
    let run = adit(&["infer", &stack, "--algorithm", "contractor", "--max-states", "1", "--to", "dot"]);
    assert!(run.err.contains("more than 1 states"), "{}", run.err);
}

#[test]
fn a_solver_that_prints_nonsense_costs_transitions_and_no_more() {
    let folder = TempDir::new().unwrap();
    let fake = fake_solver(folder.path(), "perhaps");
    let stack = stack();
    let run = adit(&["infer", &stack, "--algorithm", "temi", "--solver", &fake, "--to", "dot"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("had no answer") && run.err.contains("perhaps"), "{}", run.err);
}

/// A solver that hangs is asked three times for two seconds, and never again.
#[test]
fn a_solver_that_hangs_costs_seconds_and_no_more() {
    let folder = TempDir::new().unwrap();
    let fake = folder.path().join("z3");
    fs::write(&fake, "#!/bin/sh\nexec sleep 1000\n").unwrap();
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    let (stack, fake) = (stack(), fake.display().to_string());
    let start = std::time::Instant::now();
    let run = adit(&["infer", &stack, "--algorithm", "contractor", "--solver", &fake, "--to", "dot"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("did not answer within 2s"), "{}", run.err);
    assert!(run.out.contains("push"), "what was seen is in the model: {}", run.out);
    assert!(start.elapsed().as_secs() < 40, "{:?}", start.elapsed());
}

/// A recording that is damaged, as for `adit invariants`.
#[test]
fn damaged_recordings_are_refused_or_used_in_part() {
    use std::io::Write as _;
    let whole = fs::read_to_string(stack()).unwrap();
    let folder = TempDir::new().unwrap();
    let file = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path.display().to_string()
    };
    let infer = |path: &str, more: &[&str]| {
        adit(&[&["infer", path, "--algorithm", "sekt", "--to", "dot"], more].concat())
    };
    let bad = whole.replacen("this.topOfStack\n-1\n1\n", "this.topOfStack\nminus one\n1\n", 1);
    let bad = file("bad.dtrace", bad.as_bytes());
    refused(&infer(&bad, &[]), &["bad.dtrace:", "minus one", "--keep-partial"]);
    assert_eq!(infer(&bad, &["--keep-partial"]).code, 0);
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(whole.as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    let cut = file("cut.dtrace.gz", &packed[..packed.len() / 2]);
    refused(&infer(&cut, &[]), &["cut off", "--keep-partial"]);
    let run = infer(&cut, &["--keep-partial"]);
    assert!(run.code == 0 && run.out.contains("isEmpty"), "{}", run.err);
    // A call that began and never ended: the last exit is missing.
    let last = whole.rfind(":::EXIT").unwrap();
    let start = whole[..last].rfind("\n\n").unwrap();
    let run = infer(&file("open.dtrace", &whole.as_bytes()[..start]), &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("never end"), "{}", run.err);
}

#[test]
fn what_is_missing_is_named() {
    let stack = stack();
    let words = example("tokenizer.traces");
    let fails = |arguments: &[&str], part: &str| refused(&adit(arguments), &[part]);
    fails(&["infer", &words, "--algorithm", "sekt"], "needs the state of the object");
    fails(
        &["infer", &stack, "--algorithm", "temi", "--solver", "/nonexistent/z3"],
        "no program `/nonexistent/z3`",
    );
    fails(&["infer", &stack, "--algorithm", "temi", "--k", "2"], "--k has no effect");
    fails(&["infer", &stack, "--pessimistic"], "--pessimistic has no effect");
    fails(&["infer", &stack, "--algorithm", "sekt", "--solver", "z3"], "--solver has no effect");
    fails(&["infer", &stack, "--algorithm", "sekt", "--class", "Queue"], "Queue");
    let empty = TempDir::new().unwrap();
    let path = empty.path().display().to_string();
    let run = adit_in(&[("PATH", Some(&path))], &["infer", &stack, "--algorithm", "contractor"]);
    refused(&run, &["neither z3 nor cvc5 is on PATH", "--algorithm sekt needs none"]);
}
