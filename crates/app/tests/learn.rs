//! `adit learn` over real adapter processes.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too, and says when it could not run"
)]

mod driver;

use std::fs;
use std::path::Path;

use driver::{Run, adit, example};
use serde_json::json;

/// Runs `adit learn Door` with more arguments; nothing if the machine lacks something.
fn learn(adapter: &str, more: &[&str]) -> Option<Run> {
    learn_as("Door", adapter, more)
}

fn learn_as(subject: &str, adapter: &str, more: &[&str]) -> Option<Run> {
    let run = adit(&[&["learn", subject, "--adapter", adapter], more].concat());
    for (lacks, why) in [
        ("the sandbox cannot prevent", "the kernel lacks what the sandbox needs"),
        ("python3: not found", "there is no python3"),
    ] {
        if run.err.contains(lacks) {
            eprintln!("NOT RUN: {why}");
            return None;
        }
    }
    Some(run)
}

fn door() -> String {
    format!("python3 {}", example("door_adapter.py"))
}

/// An adapter for a machine: `steps[state][input]` is an output and a state. `twist` is Python code that runs
/// before every answer and may change `output`.
fn machine(folder: &Path, steps: &serde_json::Value, twist: &str) -> String {
    let file = folder.join("machine.py");
    let code = format!(
        r#"
import json, os, random, sys
random.seed(3)
steps = json.loads('''{steps}''')
for line in sys.stdin:
    message, answers = json.loads(line), []
    for request in message["requests"]:
        if request["do"] == "describe":
            names = [{{"name": "abcdefgh"[i]}} for i in range(len(steps[0]))]
            answers.append({{"protocol": 1, "name": "Machine", "operations": names}})
        elif request["do"] == "reset":
            state = 0
            answers.append({{}})
        elif request["do"] == "call":
            output, state = steps[state]["abcdefgh".index(request["name"])]
            {twist}
            answers.append({{"returned": None, "output": output}})
        else:
            answers.append({{}})
    print(json.dumps({{"id": message["id"], "answers": answers}}), flush=True)
"#
    );
    fs::write(&file, code).unwrap();
    format!("python3 {}", file.display())
}

/// A machine of seven states that need words of three inputs to be told apart.
fn ring() -> serde_json::Value {
    let row = |state: usize| {
        let marks = ["x", "x", "y", "x", "z", "x", "w"];
        json!([[marks[state], (state + 1) % 7], ["n", (state * 3) % 7], ["n", 0]])
    };
    (0..7).map(row).collect()
}

#[test]
fn a_door_is_learned_and_read_by_other_commands() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("door.json").display().to_string();
    let Some(run) = learn(&door(), &["-o", &model, "--json"]) else { return };
    assert_eq!(run.code, 0, "{}", run.err);
    let summary = run.json();
    assert_eq!(summary["states"], 4, "open, closed, and locked with either code");
    assert_eq!(summary["inputs"], json!(["open", "close", "lock(1)", "lock(2)", "unlock(1)", "unlock(2)"]));
    assert_eq!(summary["outputs"], json!(["!Stuck", "false", "ok", "true"]));
    assert_eq!(summary["complete"], true);
    assert_eq!(summary["queries"], summary["resets"]);
    assert!(summary["symbols"].as_u64() > summary["resets"].as_u64());
    let check = summary["equivalence"].as_str().unwrap();
    assert!(
        check.starts_with("Wp-method to 2 extra states, ") && check.ends_with(": no difference"),
        "{check}"
    );
    let holds = |formula: &str| adit(&["check", &model, "--formula", formula]).code;
    assert_eq!(holds("G(\"lock(1)\" -> X !open)"), 0);
    assert_eq!(holds("G(open -> X close)"), 1, "a word may end, or go on otherwise");
    let shown = adit(&["show", &model, "--all"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(shown.out.contains("unlock(1):TRUE") || shown.out.contains("unlock(1)"), "{}", shown.out);
    assert!(!folder.path().join("door.json.queries.jsonl").exists(), "finished models need no answers");
    // Every way finds the same model.
    let other = folder.path().join("other.json").display().to_string();
    for more in [
        &["--algorithm", "lstar"][..],
        &["--equivalence", "w", "--depth", "1"],
        &["--equivalence", "walks", "--walks", "400", "--seed", "7"],
        &["--workers", "3", "--votes", "2"],
    ] {
        let run = learn(&door(), &[more, &["-o", &other]].concat()).unwrap();
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(fs::read(&model).unwrap(), fs::read(&other).unwrap(), "{more:?}");
    }
}

#[test]
fn an_interrupted_run_continues_and_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let adapter = machine(folder.path(), &ring(), "pass");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let Some(whole) = learn(&adapter, &["-o", &at("whole.json"), "--json"]) else { return };
    assert_eq!(whole.code, 0, "{}", whole.err);
    assert_eq!(whole.json()["states"], 7);
    let queries = whole.json()["queries"].as_u64().unwrap();
    let mut runs = 0;
    loop {
        runs += 1;
        let run = learn(&adapter, &["-o", &at("part.json"), "--budget", "60tests", "--json"]).unwrap();
        if run.code == 0 && run.json()["complete"] == true {
            assert!(run.json()["remembered"].as_u64().unwrap() > 0);
            break;
        }
        assert!(run.err.contains("continue with: "), "{}", run.err);
        assert!(run.err.contains("part.json.queries.jsonl"), "{}", run.err);
        assert!(Path::new(&at("part.json.queries.jsonl")).exists());
    }
    assert_eq!(runs, queries.div_ceil(60), "nothing is asked twice");
    assert_eq!(fs::read(at("whole.json")).unwrap(), fs::read(at("part.json")).unwrap());
}

#[test]
fn flaky_answers_are_reported_with_both() {
    let folder = tempfile::tempdir().unwrap();
    let adapter = machine(folder.path(), &ring(), r#"output = "odd" if random.random() < 0.003 else output"#);
    let Some(run) = learn(&adapter, &["--json"]) else { return };
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("the program is flaky: `") && run.err.contains(" odd`"), "{}", run.err);
    assert!(run.err.contains("--votes"), "{}", run.err);
    let voted = learn(&adapter, &["--json", "--votes", "5"]).unwrap();
    assert_eq!(voted.code, 0, "{}", voted.err);
    let summary = voted.json();
    assert_eq!(summary["states"], 7);
    let flaky = &summary["flaky"][0];
    assert_eq!(flaky["answers"].as_array().unwrap().len(), 2, "{flaky}");
    assert!(voted.err.contains("note: flaky: `"), "{}", voted.err);
    assert_eq!(summary["resets"].as_u64(), summary["queries"].as_u64().map(|queries| 5 * queries));
}

#[test]
fn a_call_that_kills_the_program_ends_in_a_state_without_calls() {
    let folder = tempfile::tempdir().unwrap();
    let steps = json!([[["ok", 1], ["ok", 0]], [["ok", 0], ["ok", 1]]]);
    let dies = r#"state == 1 and request["name"] == "b" and os._exit(3)"#;
    let adapter = machine(folder.path(), &steps, dies);
    let model = folder.path().join("m.json").display().to_string();
    let Some(run) = learn(&adapter, &["-o", &model, "--json"]) else { return };
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.json()["states"], 3);
    assert_eq!(run.json()["outputs"], json!(["died", "ok"]));
    assert!(fs::read_to_string(&model).unwrap().contains("b!died"));
}

#[test]
fn bad_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m.json").display().to_string();
    for (more, message) in [
        (&["--inputs", "opne"][..], "the adapter does not offer `opne`; it offers open, close, lock, unlock"),
        (&["--inputs", "lock(x)"], "the arguments are no JSON values"),
        (&["--inputs", "lock(1,2)"], "`lock(1,2)` has 2 of 1 arguments of `lock`"),
        (&["--start", "Door"], "the adapter does not offer `Door`"),
        (&["--votes", "0"], "0 is not in 1..=100"),
        (&["--equivalence", "magic"], "invalid value 'magic'"),
        (&["--depth", "-1"], "write a number from 1"),
        (&["-o", "/no/such/folder/m.json"], "does not exist"),
    ] {
        let Some(run) = learn(&door(), more) else { return };
        assert_eq!(run.code, 2, "{more:?}: {}", run.err);
        assert!(run.err.contains(message), "{more:?}: {}", run.err);
    }
    fs::write(format!("{model}.queries.jsonl"), "my notes\n").unwrap();
    let run = learn(&door(), &["-o", &model]).unwrap();
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("is no file of answers"), "{}", run.err);
    let run = learn("echo nonsense", &[]).unwrap();
    assert_eq!(run.code, 2, "{}", run.err);
    let run = learn(&door(), &["--budget", "1tests"]).unwrap();
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("the budget ended before there was a first machine"), "{}", run.err);
}

/// A learned machine begins with the object, and `validate` knows how to make one.
#[test]
fn a_learned_machine_can_be_validated() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("door.json").display().to_string();
    let Some(run) = learn(&door(), &["-o", &model, "--depth", "1", "--inputs", "open,close"]) else { return };
    assert_eq!(run.code, 0, "{}", run.err);
    let adapter = door();
    let flags = ["--only", "open,close", "--budget", "2000tests", "--json"];
    let run = adit(&[&["validate", &model, "Door", "--adapter", &adapter], &flags[..]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!((run.json()["precision"].as_f64(), run.json()["recall"].as_f64()), (Some(1.0), Some(1.0)));
}

/// A box that takes one thing at a time.
const BOX: &str = r#"
import json, sys

for line in sys.stdin:
    message, answers = json.loads(line), []
    for request in message["requests"]:
        if request["do"] == "describe":
            thing = {"name": "thing", "kind": "text", "values": ["cup", "hat"], "only": True}
            answers.append({"protocol": 1, "name": "Box", "operations": [
                {"name": "put", "parameters": [thing]}, {"name": "take"},
                {"name": "has", "parameters": [thing], "answer": "bool"}]})
        elif request["do"] == "reset":
            inside = None
            answers.append({})
        elif request["do"] == "call":
            name, args = request["name"], request["args"]
            if name == "has":
                answers.append({"returned": inside == args[0]})
            elif (name == "put") == (inside is None):
                inside = args[0] if name == "put" else None
                answers.append({"returned": None})
            else:
                answers.append({"threw": "Wrong"})
        else:
            answers.append({})
    print(json.dumps({"id": message["id"], "answers": answers}), flush=True)
"#;

/// Labels of a learned machine have arguments, and events of `validate` have none.
#[test]
fn a_learned_machine_with_arguments_can_be_validated() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("box.py");
    fs::write(&file, BOX).unwrap();
    let (adapter, model) =
        (format!("python3 {}", file.display()), folder.path().join("box.json").display().to_string());
    let Some(run) = learn_as("Box", &adapter, &["-o", &model, "--depth", "1"]) else { return };
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(fs::read_to_string(&model).unwrap().contains(r#"put(\"hat\")"#), "{}", run.err);
    let arguments = ["validate", &model, "Box", "--adapter", &adapter, "--budget", "3000tests"];
    let run = adit(&[&arguments[..], &["--json"]].concat());
    assert!(run.err.contains("compared by name"), "{}", run.err);
    assert_eq!(run.code, 0, "{} {}", run.out, run.err);
    assert_eq!((run.json()["precision"].as_f64(), run.json()["recall"].as_f64()), (Some(1.0), Some(1.0)));
}
