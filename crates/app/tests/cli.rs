//! The built binary from outside: every command, its JSON, its exit codes, its output files.
//!
//! Bad input is in `bad_input.rs`.

mod driver;

use driver::{Run, adit, adit_with, example, refused};
use expect_test::expect;
use serde_json::Value;

#[test]
fn the_name_alone_explains_itself() {
    let run = adit(&[]);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("adit infer examples/tokenizer.traces"), "{}", run.out);
    assert!(run.err.is_empty());
}

const COMMANDS: [&str; 26] = [
    "mine",
    "status",
    "observe",
    "enrich",
    "properties",
    "invariants",
    "infer",
    "interface",
    "learn",
    "check",
    "compare",
    "validate",
    "test-spec",
    "verify",
    "monitor",
    "fuzz",
    "serve",
    "convert",
    "show",
    "explain",
    "name",
    "report",
    "ci",
    "doctor",
    "completions",
    "man",
];

#[test]
fn every_command_has_help_with_an_example() {
    let all = adit(&["--help"]).out;
    let listed = all.lines().skip_while(|line| *line != "Commands:").take_while(|line| *line != "Options:");
    let listed = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let listed: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(listed, [&COMMANDS[..], &["help"]].concat());
    for command in COMMANDS {
        let run = adit(&[command, "--help"]);
        assert_eq!(run.code, 0);
        assert!(run.out.contains(&format!("\n  adit {command} ")), "{}", run.out);
    }
}

#[test]
fn a_typo_gets_a_near_miss() {
    let run = adit(&["infre", "x"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("infer"), "{}", run.err);
    let run = adit(&["infer", "--algoritm", "dice", "x"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("--algorithm"), "{}", run.err);
}

#[test]
fn properties_as_json() {
    let run = adit(&["properties", &example("tokenizer.traces"), "--json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let json = run.json();
    assert_eq!(json["traces"], 10);
    assert_eq!(json["events"], 46);
    assert_eq!(
        json["alphabet"],
        serde_json::json!([
            "StringTokenizer",
            "countTokens",
            "hasMoreTokens:FALSE",
            "hasMoreTokens:TRUE",
            "nextToken"
        ])
    );
    let wanted = json["properties"].as_array().unwrap().iter().find(|property| {
        property["template"] == "NF" && property["a"] == "hasMoreTokens:FALSE" && property["b"] == "nextToken"
    });
    let wanted = wanted.expect("after hasMoreTokens:FALSE there is no nextToken");
    assert_eq!(wanted["support"], 10);
    assert_eq!(wanted["confidence"], 1.0);
}

#[test]
fn properties_in_plain_words() {
    let run = adit(&["properties", &example("tokenizer.traces")]);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("every trace starts with `StringTokenizer`"), "{}", run.out);
    let all = adit(&["properties", &example("tokenizer.traces"), "--all"]);
    assert!(all.out.lines().count() > run.out.lines().count());
}

#[test]
fn only_the_templates_asked_for() {
    let run = adit(&["properties", &example("tokenizer.traces"), "--template", "nif", "--json"]);
    let json = run.json();
    let properties = json["properties"].as_array().unwrap();
    assert!(!properties.is_empty());
    assert!(properties.iter().all(|property| property["template"] == "NIF"));
}

#[test]
fn the_number_of_threads_does_not_show() {
    let one = adit(&["properties", &example("tokenizer.traces"), "--json", "--threads", "1"]);
    let four = adit(&["properties", &example("tokenizer.traces"), "--json", "--threads", "4"]);
    assert_eq!(one.code, 0);
    assert_eq!(one.out, four.out);
}

#[test]
fn a_formula_with_placeholders() {
    let run = adit(&["properties", &example("tokenizer.traces"), "--formula", "G(x -> X G !y)", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    let found = json["properties"].as_array().unwrap().iter().any(|property| {
        property["events"]["x"] == "hasMoreTokens:FALSE" && property["events"]["y"] == "nextToken"
    });
    assert!(found, "{}", run.out);
}

#[test]
fn purity_goes_by_name_and_can_be_given_and_refused() {
    let immediate = |flags: &[&str]| {
        let mut args = vec!["properties", "-", "--json", "--template", "AIF"];
        args.extend(flags);
        let run = adit_with(&args, "open isReady size read\n");
        assert_eq!(run.code, 0, "{}", run.err);
        let json = run.json();
        let pairs = json["properties"]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| format!("{}→{}", found["a"], found["b"]));
        pairs.collect::<Vec<_>>().join(" ").replace('"', "")
    };
    assert_eq!(immediate(&["--no-purity"]), "isReady→size open→isReady size→read");
    assert_eq!(immediate(&[]), "isReady→size open→isReady open→size size→read");
    assert_eq!(
        immediate(&["--pure", "isReady,size"]),
        "isReady→read isReady→size open→isReady open→read open→size size→read"
    );
}

#[test]
fn labels_are_chosen_once() {
    let labels = |choice: &str| {
        let run = adit(&["properties", &example("stack.jsonl"), "--json", "--labels", choice]);
        run.json()["alphabet"]
            .as_array()
            .unwrap()
            .iter()
            .map(|label| label.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    expect![[r#"["Stack", "isEmpty", "peek", "pop", "push"]"#]].assert_eq(&format!("{:?}", labels("method")));
    expect![[r#"["Stack", "isEmpty:FALSE", "isEmpty:TRUE", "peek", "pop", "push"]"#]]
        .assert_eq(&format!("{:?}", labels("outcome")));
    expect![[r#"["Stack", "isEmpty:FALSE", "isEmpty:TRUE", "peek", "peek!EmptyStackException", "pop", "pop!EmptyStackException", "push"]"#]]
        .assert_eq(&format!("{:?}", labels("exception")));
}

#[test]
fn infer_prints_a_model_that_other_commands_read() {
    for algorithm in ["k-tail", "dice"] {
        let run = adit(&["infer", &example("tokenizer.traces"), "--algorithm", algorithm]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(run.json()["format"], "adit-model");
        let back = adit_with(
            &["check", "-", "--formula", "G(hasMoreTokens:FALSE -> G !nextToken)", "--json"],
            &run.out,
        );
        assert_eq!(back.err, "");
        assert_eq!(back.json()["holds"], algorithm == "dice", "only dice knows the property: {}", back.out);
    }
}

/// A tokenizer that refuses one of two overloads in its last state.
const OVERLOADS: &str = r#"digraph {
    init [label="" shape="none"]; init -> 0; 0 -> 1 [label="Tok"]; 1 -> 2 [label="next()"]; 1 -> 1 [label="next(String)"];
    2 -> 2 [label="next(String)"]; 2 -> 2 [label="peek(int):TRUE"];
}"#;

#[test]
fn a_name_stands_for_its_only_overload() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("tok.dot").display().to_string();
    std::fs::write(&model, OVERLOADS).unwrap();
    let check = |formula: &str| adit(&["check", &model, "--prefix-closed", "--formula", formula]);
    assert_eq!(check(r#"G("next()" -> X G !"next()")"#).out, "holds\n");
    assert_eq!(check("G !peek:TRUE").out, "fails: Tok next() peek(int):TRUE\n");
    let run = check("G !next");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("`next` stands for 2 events of the model"), "{}", run.err);
    assert!(run.err.contains(r#""next()", "next(String)""#), "{}", run.err);

    let explain = |what: &str| adit(&["explain", &model, what]);
    let run = explain("peek");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("peek(int):TRUE"), "{}", run.out);
    let run = explain("next");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("next(), next(String)"), "{}", run.err);
    assert_eq!(explain("1 next() 2").code, 0);
}

#[test]
fn infer_writes_the_format_of_the_extension_and_sums_up() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["m.json", "m.dot", "m.fsm.txt", "m.aut", "m.hoa", "m.pml", "m.mmd", "m.mop", "m.json.gz"] {
        let path = folder.path().join(name).display().to_string();
        let run = adit(&["infer", &example("tokenizer.traces"), "-o", &path]);
        assert_eq!((run.code, run.out.as_str()), (0, ""), "{name}: {}", run.err);
        assert!(run.err.contains("10 traces"), "{}", run.err);
        let equal = adit(&["compare", &path, &folder.path().join("m.json").display().to_string(), "--json"]);
        assert_eq!((equal.code, &equal.json()["equal"]), (0, &Value::Bool(true)), "{name}: {}", equal.err);
    }
    let path = folder.path().join("m.json").display().to_string();
    let run = adit(&["infer", &example("tokenizer.traces"), "-o", &path, "--json", "--quiet"]);
    assert_eq!(run.err, "");
    let json = run.json();
    assert_eq!((&json["algorithm"], &json["traces"]), (&Value::from("dice"), &Value::from(10)));
    assert!(json["states"].as_u64().unwrap() > 1 && json["transitions"].as_u64().unwrap() > 1);
    assert!(json["seconds"].is_f64());
}

#[test]
fn infer_explains_its_model_in_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (model, page) = (path("m.json"), path("m.html"));
    let run = adit(&["infer", &example("tokenizer.traces"), "-o", &model, "--report", &page]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("report: "), "{}", run.err);
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("<!doctype html>") || text.starts_with("<!DOCTYPE html>"), "{}", &text[..80]);
    assert!(
        text.contains("10 recorded traces; 19 properties: 0 refuted, 0 survived, 19 not attacked"),
        "{page}"
    );
    let nowhere = adit(&["infer", &example("tokenizer.traces"), "-o", &model, "--report", "-"]);
    assert_eq!((nowhere.code, nowhere.err.contains("cannot go to standard output")), (2, true));
}

#[test]
fn shells_complete_what_is_typed() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = adit(&["completions", shell]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{shell}");
        for word in ["validate", "budget", "fixtures"] {
            assert!(run.out.contains(word), "{shell} does not know {word}");
        }
    }
    assert_eq!(adit(&["completions", "tcsh"]).code, 2);
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man/man1");
    let run = adit(&["man", &pages.display().to_string()]);
    assert_eq!(run.code, 0, "{}", run.err);
    let page = std::fs::read_to_string(pages.join("adit-mine.1")).unwrap();
    assert!(page.contains("adit mine java.util.StringTokenizer"), "{page}");
    let names = std::fs::read_dir(&pages).unwrap().map(|page| page.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert!(run.err.starts_with(&format!("{} pages", names.len())), "{}", run.err);
    for command in ["", "-check", "-explain", "-infer", "-observe", "-report", "-status", "-validate"] {
        assert!(names.contains(&format!("adit{command}.1")), "{command}: {names:?}");
    }
    let file = pages.join("adit.1").display().to_string();
    let wrong = adit(&["man", &file, "--quiet"]);
    assert_eq!((wrong.code, wrong.err.contains("cannot create the folder")), (2, true), "{}", wrong.err);
}

#[test]
fn contradictions_are_dropped_with_a_reason() {
    let traces = "Set isEmpty:TRUE isEmpty:FALSE\nSet add:TRUE isEmpty:FALSE\n";
    let run = adit_with(&["infer", "-", "--from", "lines", "--drop-contradictions", "--to", "fsm"], traces);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("isEmpty:TRUE") && run.err.contains("isEmpty:FALSE"), "{}", run.err);
    assert!(!run.out.contains("isEmpty:TRUE"), "{}", run.out);
}

#[test]
fn smaller_models_have_the_same_language() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, small) = (folder.path().join("plain.json"), folder.path().join("small.json"));
    let (plain, small) = (plain.to_str().unwrap(), small.to_str().unwrap());
    adit(&["infer", &example("tokenizer.traces"), "--algorithm", "k-tail", "-o", plain]);
    for flag in ["--determinize", "--minimize"] {
        let run = adit(&["infer", &example("tokenizer.traces"), "--algorithm", "k-tail", flag, "-o", small]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(adit(&["compare", small, plain, "--json"]).json()["equal"], true);
    }
}

#[test]
fn check_says_holds_or_shows_a_shortest_word() {
    let model = example("tokenizer.dot");
    let run = adit(&["check", &model, "--formula", "G(hasMoreTokens:FALSE -> G !nextToken)"]);
    assert_eq!((run.code, run.out.as_str()), (0, "holds\n"));
    let run = adit(&["check", &model, "--formula", "[](nextToken -> <>hasMoreTokens:FALSE)", "--json"]);
    assert_eq!(run.code, 1);
    assert_eq!(
        run.json(),
        serde_json::json!({"holds": false, "counterexample": ["StringTokenizer", "nextToken"]})
    );
    let run = adit(&["check", &model, "--formula", "[](nextToken -> <>hasMoreTokens:FALSE)"]);
    assert_eq!((run.code, run.out.as_str()), (1, "fails: StringTokenizer nextToken\n"));
}

#[test]
fn check_lists_the_templates_that_hold() {
    let model = example("tokenizer.dot");
    let run = adit(&["check", &model, "--templates", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    let properties = json["properties"].as_array().unwrap();
    let found = properties.iter().any(|property| {
        property["template"] == "NF" && property["a"] == "hasMoreTokens:FALSE" && property["b"] == "nextToken"
    });
    assert!(found, "{}", run.out);
    // In words, few sentences say it, and --all lists every one.
    let run = adit(&["check", &model, "--templates"]);
    assert!(
        run.out.starts_with("every trace starts with `StringTokenizer`, which happens only there\n"),
        "{}",
        run.out
    );
    assert!(run.out.lines().count() < 12 && run.out.ends_with("List all with --all.\n"), "{}", run.out);
    let run = adit(&["check", &model, "--templates", "--all"]);
    assert!(run.out.contains("NF(hasMoreTokens:FALSE, nextToken): after"), "{}", run.out);
    assert_eq!(run.out.lines().count(), properties.len() + 2, "{}", run.out);
}

#[test]
fn check_reads_templates_from_a_file() {
    let run =
        adit(&["check", &example("tokenizer.dot"), "--templates", &example("templates.toml"), "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    let first: Vec<&Value> = json["properties"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|property| property["template"] == "first")
        .collect();
    assert_eq!(first.len(), 1);
    assert_eq!(first[0]["events"], serde_json::json!({"x": "StringTokenizer"}));
}

#[test]
fn compare_measures_and_counts() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m.json").display().to_string();
    adit(&["infer", &example("tokenizer.traces"), "--algorithm", "k-tail", "--k", "3", "-o", &model]);
    let args = ["compare", &model, &example("tokenizer.dot"), "--json", "--seed", "7", "--walks", "200"];
    let run = adit(&args);
    assert_eq!(run.code, 1, "{}", run.err);
    let json = run.json();
    for measure in ["sampled", "exact"] {
        for part in ["precision", "recall", "f"] {
            let value =
                json[measure][part].as_f64().unwrap_or_else(|| panic!("{measure}.{part} in {}", run.out));
            assert!((0.0..=1.0).contains(&value));
        }
    }
    assert!(json["exact"]["max_length"].is_u64());
    assert_eq!(json["equal"], false);
    assert!(json["only_in_truth"][0].is_array(), "{}", run.out);
    assert_eq!(adit(&args).out, run.out, "the same seed gives the same bytes");

    let table = adit(&["compare", &model, &example("tokenizer.dot")]);
    assert_eq!(table.code, 1);
    assert!(table.out.contains("precision") && table.out.contains("recall"), "{}", table.out);
}

#[test]
fn a_model_equals_itself() {
    let run = adit(&["compare", &example("tokenizer.dot"), &example("tokenizer.dot"), "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    assert_eq!(json["sampled"]["f"], 1.0);
    assert_eq!(json["exact"]["f"], 1.0);
    assert_eq!(json["only_in_model"], serde_json::json!([]));
}

#[test]
fn a_limit_is_no_answer() {
    // Whether the 40th letter from the end is an `a` takes 2^40 states to remember.
    let mut model = String::from("des (0, 81, 41)\n(0, \"a\", 0)\n(0, \"b\", 0)\n(0, \"a\", 1)\n");
    for state in 1..40 {
        model += &format!("({state}, \"a\", {0})\n({state}, \"b\", {0})\n", state + 1);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hard.aut").display().to_string();
    std::fs::write(&path, model).unwrap();
    let run = adit(&["compare", &path, &example("connection.aut"), "--walks", "1", "--runs", "1"]);
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("no answer"), "{}", run.err);
    assert!(
        run.out.contains("sampled") && !run.out.contains("exact,"),
        "walks need no determinizing: {}",
        run.out
    );
}

#[test]
fn prefix_closed_ignores_final_states() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m.dot").display().to_string();
    let text = std::fs::read_to_string(example("tokenizer.dot"))
        .unwrap()
        .replace("done [shape=\"doublecircle\"]", "done");
    std::fs::write(&model, text).unwrap();
    assert_eq!(adit(&["compare", &model, &example("tokenizer.dot")]).code, 1);
    assert_eq!(adit(&["compare", &model, &example("tokenizer.dot"), "--prefix-closed"]).code, 0);
}

#[test]
fn models_survive_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.json", "a.dot", "a.fsm.txt", "a.aut", "a.hoa", "a.pml", "a.mmd", "a.mop", "a.dot.gz"] {
        let path = folder.path().join(name).display().to_string();
        let there = adit(&["convert", &example("tokenizer.dot"), &path]);
        assert_eq!(there.code, 0, "{name}: {}", there.err);
        let back = adit(&["compare", &path, &example("tokenizer.dot"), "--json"]);
        assert_eq!(back.code, 0, "{name}: {}{}", back.out, back.err);
    }
}

#[test]
fn traces_survive_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let count = |path: &str| {
        let run = adit(&["properties", path, "--json", "--labels", "outcome"]);
        assert_eq!(run.code, 0, "{path}: {}", run.err);
        run.out
    };
    let wanted = count(&example("stack.jsonl"));
    for name in ["a.traces", "a.csv", "a.jsonl", "a.xes", "a.xes.gz", "a.jsonl.gz"] {
        let path = folder.path().join(name).display().to_string();
        let run = adit(&["convert", &example("stack.jsonl"), &path]);
        assert_eq!(run.code, 0, "{name}: {}", run.err);
        assert_eq!(count(&path), wanted, "{name}");
    }
}

#[test]
fn convert_prints_with_a_dash() {
    let run = adit(&["convert", &example("connection.aut"), "-", "--to", "mermaid"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("\nstateDiagram-v2\n"), "{}", run.out);
    let text = std::fs::read_to_string(example("connection.aut")).unwrap();
    let run = adit_with(&["convert", "-", "-", "--from", "aut", "--to", "dot"], &text);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("digraph"), "{}", run.out);
}

#[test]
fn a_log_by_regular_expression() {
    let pattern = r"\[(?<trace>s-\d+)\] (?<event>[A-Z]+)";
    let run = adit(&["properties", &example("server.log"), "--regex", pattern, "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.json()["traces"], 3);
    let dry = adit(&["properties", &example("server.log"), "--regex", pattern, "--dry-run"]);
    assert_eq!(dry.code, 0, "{}", dry.err);
    assert!(dry.out.contains("s-17") && dry.out.contains("CONNECT"), "{}", dry.out);
}

#[test]
fn several_files_and_standard_input_make_one_log() {
    let path = example("tokenizer.traces");
    let text = std::fs::read_to_string(&path).unwrap();
    let run = adit_with(&["properties", &path, "-", &path, "--json"], &text);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.json()["traces"], 30);
}

#[test]
fn csv_columns_can_be_named() {
    let run =
        adit(&["properties", &example("orders.csv"), "--case", "clerk", "--activity", "activity", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.json()["traces"], 4);
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let command = format!("'{}' infer '{}' | true", env!("CARGO_BIN_EXE_adit"), example("tokenizer.traces"));
    let run: Run = driver::shell(&format!("set -o pipefail; {command}"));
    assert_eq!((run.code, run.err.as_str()), (0, ""));
}

#[test]
fn a_reader_that_goes_away_changes_no_verdict() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_adit"))
        .args(["check", &example("tokenizer.dot"), "--formula", "G !nextToken"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_model_keeps_its_title_and_can_be_minimized() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let run = adit(&["convert", &example("tokenizer.dot"), &path("first.json")]);
    assert_eq!(run.code, 0, "{}", run.err);
    let run = adit(&["convert", &path("first.json"), &path("second.json"), "--minimize"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let second: serde_json::Value =
        serde_json::from_slice(&std::fs::read(path("second.json")).unwrap()).unwrap();
    assert_eq!(second["title"], "tokenizer");
    assert_eq!(adit(&["compare", &path("first.json"), &path("second.json")]).code, 0);
}

#[test]
fn broken_rules_are_not_told_as_if_they_held() {
    let run = adit(&[
        "properties",
        &example("tokenizer.traces"),
        "--all",
        "--min-confidence",
        "0.3",
        "--no-purity",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    let broken: Vec<&str> = run
        .out
        .lines()
        .filter(|line| line.trim_start().split(' ').next().is_some_and(|held| held.contains('/')))
        .collect();
    assert!(!broken.is_empty());
    assert!(broken.iter().all(|line| line.contains(" cases, ")), "{broken:?}");
    assert!(!run.out.contains("side effects"), "nothing is known to have none: {}", run.out);
}

#[test]
fn show_draws_what_is_small_and_lists_what_is_large() {
    let run = adit(&["show", &example("tokenizer.model.json")]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.contains("▶ │ 0 start") && run.out.contains("├─ nextToken ─"), "{}", run.out);
    let without = adit(&["show", &example("tokenizer.model.json"), "--hide-pure"]);
    assert!(!without.out.contains('✓'), "{}", without.out);
    let list = adit(&["show", &example("tokenizer.model.json"), "--list"]);
    assert!(list.out.contains("    stays: hasMoreTokens:TRUE, nextToken\n"), "{}", list.out);
}

#[test]
fn explain_replays_what_lies_beside_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let model = std::fs::read_to_string(example("tokenizer.model.json")).unwrap();
    let mut model: serde_json::Value = serde_json::from_str(&model).unwrap();
    model["states"][2]["refuses"] = serde_json::json!(["nextToken!NoSuchElementException"]);
    std::fs::write(folder.path().join("model.json"), model.to_string()).unwrap();
    let place = folder.path().display().to_string();
    let alone = adit(&["explain", &place, "1", "nextToken", "2"]);
    assert_eq!(alone.code, 0, "{}", alone.err);
    assert!(alone.out.contains("no evidence: there are no traces"), "{}", alone.out);
    let run = adit(&["convert", &example("tokenizer.traces"), &format!("{place}/traces.jsonl"), "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let run = adit(&["explain", &format!("{place}/model.json"), "1 nextToken 2", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let told = run.json();
    assert_eq!(told["transitions"].as_array().unwrap().len(), 1);
    let taken = &told["transitions"][0];
    assert!(taken["traces"].as_u64().unwrap() + taken["ambiguous"].as_u64().unwrap() > 0, "{told}");
    // States by name, alone and on both sides of a call.
    let explain = |what: &[&str]| adit(&[&["explain", &place], what].concat());
    let by_number = explain(&["1", "nextToken", "2"]).out;
    assert_eq!(explain(&["hasMoreTokens", "nextToken", "not hasMoreTokens"]).out, by_number);
    assert_eq!(explain(&["1 (hasMoreTokens) -nextToken-> 2 (not hasMoreTokens)"]).out, by_number);
    assert_eq!(explain(&["not hasMoreTokens"]).out, explain(&["2"]).out);
    // All calls of a state, also those that it refuses; the part of a name that no other state has.
    assert!(
        explain(&["2"]).out.contains("2 (not hasMoreTokens) refuses nextToken!"),
        "{}",
        explain(&["2"]).out
    );
    let named = adit(&["name", &place, "2", "USED or EMPTY"]);
    assert_eq!(named.code, 0, "{}", named.err);
    let at_two = explain(&["2"]).out;
    assert!(at_two.contains("-hasMoreTokens:FALSE->"), "{at_two}");
    assert_eq!(explain(&["EMPTY"]).out, at_two);
    assert_eq!(explain(&["EMPTY", "hasMoreTokens"]).out, explain(&["2", "hasMoreTokens"]).out);
    assert_eq!(adit(&["name", &place, "2", "not hasMoreTokens"]).code, 0);
    // A call has the name of a state.
    assert!(explain(&["hasMoreTokens"]).out.contains("-hasMoreTokens:FALSE->"));
    let unknown = explain(&["not hasMoreTokns", "nextToken"]);
    refused(&unknown, &["no state `not hasMoreTokns`", "did you mean `not hasMoreTokens`"]);
    let page = adit(&["report", &place]);
    assert_eq!(page.code, 0, "{}", page.err);
    assert!(folder.path().join("report.html").exists());
    let again = std::fs::read(folder.path().join("report.html")).unwrap();
    adit(&["report", &place]);
    assert_eq!(std::fs::read(folder.path().join("report.html")).unwrap(), again, "the same bytes each time");
}

#[test]
fn a_model_becomes_a_picture() {
    let run = adit(&["convert", &example("tokenizer.model.json"), "-", "--to", "svg"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.starts_with("<svg ") && run.out.contains("not hasMoreTokens"), "{}", run.out);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.png");
    let run = adit(&["convert", &example("tokenizer.model.json"), &file.to_string_lossy()]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(std::fs::read(&file).unwrap().starts_with(b"\x89PNG\r\n\x1a\n"));
}
