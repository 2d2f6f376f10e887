//! Subjects behind adapters: hostile ones, one in shell, and classes of Python.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too, and says when it could not run"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// The beginning of every shell adapter: a door that has two operations and no starts.
const DESCRIBE: &str = r#"read line; echo '{"id":0,"answers":[{"protocol":1,"name":"Door","operations":[{"name":"open"},{"name":"close"}]}]}'"#;

fn adit(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_adit")).args(arguments).current_dir(folder).output().unwrap()
}

/// Runs `adit mine Door` with an adapter; the exit code and the messages.
fn mine(adapter: &str) -> Option<(i32, String)> {
    let folder = tempfile::tempdir().unwrap();
    let output = adit(&["mine", "Door", "--adapter", adapter, "--budget", "200tests"], folder.path());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if text.contains("the sandbox cannot prevent") {
        eprintln!("NOT RUN: the kernel lacks what the sandbox needs");
        return None;
    }
    Some((output.status.code().unwrap(), text))
}

/// Fails unless mining with the adapter is bad input, with a message that has all of these parts.
fn refused(adapter: &str, parts: &[&str]) {
    let Some((code, text)) = mine(adapter) else { return };
    assert_eq!(code, 2, "{text}");
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing:\n{text}");
    }
}

#[test]
fn an_adapter_that_cannot_start_is_named() {
    refused("adit-no-such-command", &["`adit-no-such-command` exited with code 127", "not found"]);
    refused("echo oops >&2; exit 3", &["exited with code 3 before it described `Door`", "oops"]);
    refused(" ", &["--adapter has no command"]);
}

#[test]
fn an_adapter_that_refuses_says_why() {
    let refusal = r#"read line; echo '{"id":0,"answers":[{"error":"there is no door","help":"build one"}]}'; read line"#;
    refused(refusal, &["cannot drive `Door`: there is no door", "build one"]);
    let wrong = r#"read line; echo '{"id":0,"answers":[{"protocol":1,"name":"Door"}]}'; read line"#;
    refused(wrong, &["describes `Door` wrongly", "there is nothing to call"]);
}

#[test]
fn nonsense_is_shown_with_the_last_exchange() {
    let says = |line: &str| format!("{DESCRIBE}; read line; echo '{line}'; read line; sleep 60");
    refused(&says("nonsense"), &["a line is no JSON", "last line to it:", "last line from it: nonsense"]);
    refused(&says(r#"{"id":7,"answers":[]}"#), &["an answer out of turn: its id is 7"]);
    refused(&says(r#"{"id":1,"answers":[{}]}"#), &["requests got 1 answers"]);
    let flood = format!("{DESCRIBE}; while :; do echo '{{\"id\":1,\"answers\":[]}}'; done");
    refused(&flood, &["does not follow the protocol"]);
    let huge = format!("{DESCRIBE}; read line; head -c 5000000 /dev/zero | tr '\\0' x; sleep 60");
    refused(&huge, &["a line is longer than 4194304 bytes"]);
}

#[test]
fn an_adapter_that_never_answers_a_sequence_is_given_up() {
    refused(&format!("{DESCRIBE}; read line; exit 5"), &["3 times in a row", "exited with code 5"]);
    refused(&format!("{DESCRIBE}; sleep 60"), &["3 times in a row", "did not answer a line within"]);
}

#[test]
fn flags_about_java_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for flags in [&["-c", "x"][..], &["--fixtures", "F.java"], &["--tests", "x"], &["--labels", "name"]] {
        let arguments = [&["mine", "Door", "--adapter", "true"], flags].concat();
        let output = adit(&arguments, folder.path());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("has no effect with --adapter"), "{text}");
    }
}

/// A door in Python: the example of docs/adapters.md, which also dies when it is knocked at while open, and
/// waits when it is knocked at while closed for the third time.
const DOOR: &str = r#"
import json, os, sys, time

for line in sys.stdin:
    message, answers = json.loads(line), []
    for request in message["requests"]:
        if request["do"] == "describe":
            names = [{"name": "open"}, {"name": "close"}, {"name": "knock"}]
            answers.append({"protocol": 1, "name": "Door", "operations": names})
        elif request["do"] == "reset":
            is_open, knocks = False, 0
            answers.append({})
        elif request["do"] == "call" and request["name"] == "knock":
            if is_open:
                os._exit(9)
            knocks += 1
            if knocks == 3:
                time.sleep(60)
            answers.append({"returned": None})
        elif request["do"] == "call":
            wanted = request["name"] == "open"
            if is_open == wanted:
                answers.append({"threw": "Stuck"})
            else:
                is_open = wanted
                answers.append({"returned": None})
        else:
            answers.append({})
    print(json.dumps({"id": message["id"], "answers": answers}), flush=True)
"#;

/// Tells whether classes of Python can be run here.
fn python_runs() -> bool {
    let runs = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !runs {
        eprintln!("NOT RUN: there is no python3");
    }
    runs && mine("exit 1").is_some()
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}\n{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn a_campaign_goes_on_when_calls_kill_or_hang_the_adapter() {
    if !python_runs() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("door.py"), DOOR).unwrap();
    let arguments = ["mine", "Door", "--adapter", "python3 door.py", "--budget", "1000tests", "--json"];
    let output = adit(&[&arguments[..], &["--script-limit", "300ms", "-o", "out"]].concat(), folder.path());
    let summary = json(&output);
    assert_eq!(output.status.code(), Some(0), "{summary}");
    let alphabet: Vec<&str> =
        summary["alphabet"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(["Door", "open", "close"].iter().all(|label| alphabet.contains(label)), "{summary}");
    let hung: Vec<&str> =
        summary["bad_ends"].as_array().unwrap().iter().filter_map(|one| one["method"].as_str()).collect();
    assert_eq!(hung, ["knock"], "{summary}");
    let model = fs::read_to_string(folder.path().join("out/model.json")).unwrap();
    assert!(model.contains("open!Stuck") && model.contains("close!Stuck"), "{model}");
}

/// Says what it has, answers resets, and dies in every call.
const DIES: &str = r#"
import json, os, sys

for line in sys.stdin:
    message, answers = json.loads(line), []
    for request in message["requests"]:
        if request["do"] == "describe":
            answers.append({"protocol": 1, "name": "Door", "operations": [{"name": "open"}, {"name": "close"}]})
        elif request["do"] == "call":
            os._exit(9)
        else:
            answers.append({})
    print(json.dumps({"id": message["id"], "answers": answers}), flush=True)
"#;

#[test]
fn an_adapter_that_dies_in_every_call_gives_no_answer() {
    if !python_runs() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("dies.py"), DIES).unwrap();
    let model = "digraph { i [shape=point]; 0 [shape=doublecircle]; i -> 0; 0 -> 0 [label=\"open\"]; }";
    fs::write(folder.path().join("door.dot"), model).unwrap();
    for command in ["mine Door -o out", "observe Door -o door.jsonl", "validate door.dot Door", "learn Door"]
    {
        let words: Vec<&str> = command.split(' ').collect();
        let more = ["--adapter", "python3 dies.py", "--budget", "100tests"];
        let output = adit(&[&words[..], &more].concat(), folder.path());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{command}: {text}");
        assert!(text.contains("the adapter answered no call of Door"), "{command}: {text}");
        // Its last exchange says where to look.
        assert!(text.contains("exited with code 9"), "{command}: {text}");
        assert!(text.contains("last line to it:") && text.contains("\"do\":\"call\""), "{command}: {text}");
    }
}

#[test]
fn the_adapter_in_the_documentation_works() {
    if !python_runs() {
        return;
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/adapters.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, after) = page.split_once("```python\n").expect("the page has an adapter in Python");
    let (adapter, _) = after.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("door.py"), adapter).unwrap();
    let arguments =
        ["mine", "Door", "--adapter", "python3 door.py", "--budget", "2500tests", "--json", "-o", "out"];
    let summary = json(&adit(&arguments, folder.path()));
    assert_eq!(
        (&summary["states"], &summary["transitions"]),
        (&Value::from(3), &Value::from(3)),
        "{summary}"
    );
    // Without a language of its own, calls are written in a plain form.
    let tests = fs::read_to_string(folder.path().join("out/tests/DoorMinedTest.txt")).unwrap();
    assert!(tests.contains("s0 = Door()\ns1 = s0.open()"), "{tests}");
}

#[test]
fn a_python_class_is_mined_and_its_model_is_right() {
    if !python_runs() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let class = ["collections.deque", "--adapter", "python", "--only", "append,pop,clear,popleft"];
    let mined = adit(
        &[&["mine"], &class[..], &["--budget", "1500tests", "-o", "out", "--json"]].concat(),
        folder.path(),
    );
    let summary = json(&mined);
    assert_eq!(summary["class"], "collections.deque", "{summary}");
    for file in ["model.json", "report.html", "traces.jsonl", "tests/dequeMinedTest.py", "campaign.db"] {
        assert!(folder.path().join("out").join(file).exists(), "{file} is missing");
    }
    let tests = fs::read_to_string(folder.path().join("out/tests/dequeMinedTest.py")).unwrap();
    assert!(tests.contains("import collections\ns0 = collections.deque("), "{tests}");
    // What was written is Python that runs; calls may throw as they did.
    let first = tests.split("\n\n").next().unwrap();
    let run = Command::new("python3").args(["-c", first]).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success() || said.contains("IndexError"), "{first}\n{said}");
    let validated = adit(
        &[&["validate", "out/model.json"], &class[..], &["--budget", "6000tests", "--json"]].concat(),
        folder.path(),
    );
    let figures = json(&validated);
    for figure in ["precision", "recall"] {
        assert!(figures[figure].as_f64().is_some_and(|share| share >= 0.95), "{figures}");
    }
}

#[test]
fn a_call_that_waits_is_no_hang() {
    if !python_runs() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "mine",
        "threading.Lock",
        "--adapter",
        "python",
        "--only",
        "acquire,release,locked",
        "--budget",
        "400tests",
        "-o",
        "out",
        "--json",
    ];
    let summary = json(&adit(&arguments, folder.path()));
    assert!(summary["blocking"].as_array().unwrap().iter().any(|one| one == "acquire"), "{summary}");
    assert!(summary["bad_ends"].as_array().is_none_or(Vec::is_empty), "{summary}");
    assert_eq!(summary["states"], 3, "{summary}");
}

#[test]
fn a_python_class_is_observed_with_its_states() {
    if !python_runs() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        ["observe", "io.StringIO", "--adapter", "python", "--budget", "50tests", "--states", "-o", "t.jsonl"];
    let output = adit(&arguments, folder.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let traces = fs::read_to_string(folder.path().join("t.jsonl")).unwrap();
    assert!(traces.contains("\"getvalue\"") && traces.contains("\"closed\""), "{traces}");
}

#[test]
fn a_python_name_that_is_wrong_is_explained() {
    if !python_runs() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, parts) in [
        ("io.StringIOO", ["io has no attribute `StringIOO`", "did you mean `StringIO`"]),
        ("no.such.module", ["Python cannot import it", "--path DIR"]),
        ("math.pi", ["math.pi is a float", "name a class"]),
    ] {
        let output = adit(&["mine", name, "--adapter", "python"], folder.path());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
    let output = adit(&["mine", "io.StringIO", "--adapter", "python", "--only", "wriet"], folder.path());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("io.StringIO has no operation `wriet`") && text.contains("write"), "{text}");
}

#[test]
fn an_adapter_can_use_its_own_loopback_and_write_nowhere_else() {
    if !python_runs() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
import json, os, socket, sys
said = []
try:
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname(), 1)
    said.append("loopback")
except OSError as error:
    said.append("no loopback: %s" % error)
try:
    open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "written"), "w")
    said.append("wrote outside")
except OSError:
    said.append("outside is safe")
open("inside", "w").write("x")
try:
    socket.create_connection(("192.0.2.1", 80), 1)
    said.append("network")
except OSError:
    said.append("no network")
print(json.dumps({"id": 0, "answers": [{"error": ", ".join(said)}]}), flush=True)
sys.stdin.read()
"#;
    fs::write(folder.path().join("adapter.py"), script).unwrap();
    let output = adit(&["mine", "x", "--adapter", "python3 adapter.py"], folder.path());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("loopback, outside is safe, no network"), "{text}");
    assert!(!folder.path().join("written").exists());
}
