//! `docs/json.schema.json` and `docs/json.md` against the output of every command with `--json`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use driver::java::java;
use driver::schema::violation;
use driver::{adit, example};
use serde_json::Value;

fn docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

fn schema() -> Value {
    serde_json::from_str(&fs::read_to_string(docs("json.schema.json")).unwrap()).unwrap()
}

#[track_caller]
fn check(all: &Value, command: &str, args: &[&str]) {
    let run = adit(args);
    assert!(run.code < 2, "{args:?}: {}", run.err);
    let found = violation(all, &all["$defs"][command], &run.json(), command);
    assert_eq!(found, None, "{args:?}");
}

#[test]
fn commands_that_read_files_print_what_is_documented() {
    let all = schema();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let [traces, stack, model, truth] =
        ["tokenizer.traces", "stack.dtrace", "tokenizer.model.json", "tokenizer.dot"].map(example);
    check(&all, "properties", &["properties", &traces, "--json"]);
    check(&all, "properties", &["properties", &traces, "--formula", "G(x -> X G !y)", "--json"]);
    check(&all, "invariants", &["invariants", &stack, "--json"]);
    check(&all, "infer", &["infer", &traces, "-o", &at("i.json"), "--json"]);
    let adabu = ["infer", &stack, "--algorithm", "adabu", "-o", &at("a.json"), "--json"];
    check(&all, "infer", &adabu);
    check(&all, "check", &["check", &truth, "--formula", "G(nextToken -> F hasMoreTokens:FALSE)", "--json"]);
    check(&all, "check", &["check", &truth, "--templates", "--json"]);
    check(&all, "compare", &["compare", &model, &truth, "--json"]);
    check(&all, "compare", &["compare", &model, &truth, "--json", "--fail-on-new"]);
    check(&all, "convert", &["convert", &truth, "-o", &at("c.json"), "--json"]);
    check(&all, "name", &["name", &model, "--json"]);
    check(&all, "report", &["report", &model, "-o", &at("r.html"), "--json"]);
    check(&all, "report", &["report", &model, &truth, "-o", &at("r.html"), "--json"]);
    check(&all, "doctor", &["doctor", "--json"]);
    check(&all, "completions", &["completions", "bash", "--json"]);
    check(&all, "man", &["man", &at("man"), "--json"]);
    let shown = adit(&["show", &model, "--json"]).json();
    assert_eq!(shown["format"], "adit-model");
}

#[test]
fn commands_that_run_java_print_what_is_documented() {
    let Some(java) = java() else { return };
    let all = schema();
    let classes = java.compile(&[(
        "Slot.java",
        "public class Slot { private Object held;
         public void put(Object o) { if (held != null) throw new IllegalStateException(); held = o; }
         public boolean isEmpty() { return held == null; }
         public void never(String s) { throw new IllegalArgumentException(\"no\"); } }",
    )]);
    let at = |name: &str| classes.path().join(name).display().to_string();
    let path = classes.path().display().to_string();
    let out = at("out");
    check(&all, "mine", &["mine", "Slot", "-c", &path, "-o", &out, "--budget", "4000tests", "--json"]);
    let every = at("every");
    check(
        &all,
        "mine-all",
        &["mine", "--all", &path, "-o", &every, "--budget", "2000tests", "--json", "--quiet"],
    );
    check(&all, "mine-list", &["mine", "--all", &path, "-o", &every, "--list", "--json"]);
    check(&all, "status", &["status", &out, "--json"]);
    check(&all, "status", &["status", &path, "--json"]);
    check(&all, "validate", &["validate", &out, "Slot", "-c", &path, "--budget", "3000tests", "--json"]);
    let traces = at("t.jsonl");
    check(
        &all,
        "observe",
        &["observe", "Slot", "-c", &path, "-o", &traces, "--budget", "200tests", "--json"],
    );
    check(&all, "explain", &["explain", &out, "put", "--json"]);
    check(&all, "explain", &["explain", &out, "NF(Slot, Slot)", "--json"]);
    check(&all, "verify", &["verify", &path, "--json"]);
    let config = at("adit.toml");
    fs::write(&config, "budget = \"2000tests\"\n[[class]]\nname = \"Slot\"\nclasspath = [\".\"]\n").unwrap();
    check(&all, "ci", &["ci", "--config", &config, "-o", &at("ci"), "--update", "--json"]);
    check(&all, "ci", &["ci", "--config", &config, "-o", &at("ci"), "--json"]);
}

#[test]
fn learning_prints_what_is_documented() {
    let adapter = format!("python3 {}", example("door_adapter.py"));
    let args = ["learn", "Door", "--adapter", &adapter, "--votes", "2", "--depth", "1", "--json"];
    let run = adit(&args);
    if ["the sandbox cannot prevent", "python3: not found"].iter().any(|lack| run.err.contains(lack)) {
        eprintln!("NOT RUN: {}", run.err);
        return;
    }
    check(&schema(), "learn", &args);
}

#[test]
fn fuzzing_prints_what_is_documented() {
    let all = schema();
    let folder = tempfile::tempdir().unwrap();
    let server = folder.path().join("ftpd").display().to_string();
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-o", &server]).arg(docs("../subjects/servers/ftpd.c"));
    // Other tests say that there is no compiler.
    if !compiler.status().is_ok_and(|status| status.success()) {
        return;
    }
    let (model, out) = (example("ftp.model.json"), folder.path().join("out").display().to_string());
    let budget = ["--alphabet", "ftp", "--budget", "400tests", "--until", "1", "--seed", "1", "--json", "-q"];
    check(&all, "fuzz", &[&["fuzz", &model, "-o", &out], &budget[..], &["--", &server, "{port}"]].concat());
    let finding = fs::read_dir(folder.path().join("out/findings")).unwrap().next().unwrap().unwrap();
    check(&all, "fuzz", &["fuzz", "--replay", &finding.path().display().to_string(), "--json"]);
}

#[test]
fn the_page_has_every_field() {
    let page = fs::read_to_string(docs("json.md")).unwrap();
    let rows: BTreeSet<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    fn fields(schema: &Value, prefix: &str, found: &mut Vec<String>) {
        let parts = schema["anyOf"].as_array().into_iter().flatten().chain([schema]);
        for part in parts {
            for (name, field) in part["properties"].as_object().into_iter().flatten() {
                let name = format!("{prefix}{name}");
                assert!(field["description"].is_string(), "{name} has no description");
                fields(field, &format!("{name}."), found);
                fields(&field["items"], &format!("{name}[]."), found);
                found.push(name);
            }
        }
    }
    let mut found = Vec::new();
    schema()["$defs"].as_object().unwrap().values().for_each(|one| fields(one, "", &mut found));
    assert!(found.len() > 200, "{}", found.len());
    let missing: Vec<&String> = found.iter().filter(|name| !rows.contains(name.as_str())).collect();
    assert_eq!(missing, Vec::<&String>::new());
}
