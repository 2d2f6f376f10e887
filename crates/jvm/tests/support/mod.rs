//! Parts shared by the tests with a real virtual machine: finding one, compiling subjects, writing scripts,
//! showing runs.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too"
)]
#![allow(dead_code, reason = "each test binary uses a part")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use adit_jvm::find::{Places, USUAL, inspect};
use adit_jvm::{Host, HostOptions, Jdk, Limits, doctor};
use adit_trace::{
    Argument, CallKind, Callable, Run, Script, Snapshot, Statement, StepResult, Subject, Value,
};
use tempfile::TempDir;

/// Requirements for running anything: a JDK, a kernel that protects, and compiled subjects.
pub(crate) struct Bench {
    pub(crate) jdk: Jdk,
    pub(crate) classes: PathBuf,
    pub(crate) boxes: TempDir,
}

/// A bench, or `None` with a note when this machine has no JDK or cannot shut workers in.
pub(crate) fn bench() -> Option<Bench> {
    let boxes = tempfile::tempdir().unwrap();
    let places = Places {
        java_home: std::env::var_os("JAVA_HOME").map(PathBuf::from),
        path: std::env::var_os("PATH"),
        usual: USUAL.map(PathBuf::from).to_vec(),
    };
    let findings = doctor::examine(&places, Path::new(worker()), &[], boxes.path());
    match (findings.jdk, findings.protection) {
        (Ok(jdk), Ok(protection)) if protection.is_enough() => {
            let classes = compiled(&jdk);
            Some(Bench { jdk, classes, boxes })
        }
        (Ok(_), protection) => {
            eprintln!("NOT RUN: this kernel does not protect the user from hostile classes: {protection:?}");
            None
        }
        (Err(error), _) => {
            eprintln!("NOT RUN: {error}");
            None
        }
    }
}

/// A bench for every JDK of the usual places that can be hosted, so that none of them is forgotten.
pub(crate) fn benches() -> Vec<Bench> {
    let Some(first) = bench() else { return Vec::new() };
    let mut homes: Vec<PathBuf> = USUAL
        .into_iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
        .filter_map(|entry| std::fs::canonicalize(entry.unwrap().path()).ok())
        .collect();
    homes.sort();
    homes.dedup();
    let mut benches: Vec<Bench> = homes
        .iter()
        .filter(|home| home.join("bin/java").exists())
        .filter_map(|home| inspect(home).ok())
        .map(|jdk| Bench { jdk, classes: first.classes.clone(), boxes: tempfile::tempdir().unwrap() })
        .collect();
    if benches.is_empty() {
        benches.push(first);
    }
    benches
}

impl Bench {
    pub(crate) fn options(&self) -> HostOptions {
        let mut options = HostOptions::new(worker().into(), Vec::new(), self.jdk.clone());
        options.class_path = vec![self.classes.clone()];
        options.boxes = self.boxes.path().to_owned();
        options.limits = Limits {
            script: Duration::from_secs(20),
            heap_megabytes: 128,
            box_megabytes: 16,
            text: 40,
            batch: 100,
            ..options.limits
        };
        options
    }

    pub(crate) fn host(&self) -> Host {
        Host::new(self.options()).unwrap()
    }

    /// Runs one script and shows its run.
    pub(crate) fn show(&self, lines: &[&str]) -> String {
        let runs = self.host().run(&[script(lines)]).unwrap();
        show(&runs[0])
    }
}

fn worker() -> &'static str {
    env!("CARGO_BIN_EXE_adit-jvm-worker")
}

/// The subjects, compiled once for each test binary into a folder of the build.
fn compiled(jdk: &Jdk) -> PathBuf {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES
        .get_or_init(|| {
            // Test binaries may run side by side, so that each has a folder of its own.
            let name = std::env::current_exe().unwrap().file_stem().unwrap().to_owned();
            let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
            let _ = std::fs::remove_dir_all(&classes);
            std::fs::create_dir_all(&classes).unwrap();
            let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects");
            let sources = [subjects.clone(), subjects.join("hostile")]
                .into_iter()
                .flat_map(|folder| std::fs::read_dir(folder).unwrap())
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "java"));
            let javac = jdk.home.join("bin/javac");
            let output = Command::new(javac)
                // Every JDK must understand the classes, whichever compiles them.
                .args(["-nowarn", "-source", "17", "-target", "17", "-encoding", "UTF-8", "-d"])
                .arg(&classes)
                .args(sources)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            std::fs::remove_file(classes.join("Missing.class")).unwrap();
            classes
        })
        .clone()
}

/// A script from lines `new C ()V`, `static C.m ()V` or `0 C.m (I)V 5`: arguments are `null`, `true`, numbers
/// (with a dot for those that have a fraction), `'text'`, `#0` for the result of statement 0, `[1,2]` for
/// arrays, `{1}` for a function that gives 1, and `@java.util.List` for a class. `field C.F I` reads a static
/// field.
pub(crate) fn script(lines: &[&str]) -> Script {
    Script { statements: lines.iter().map(|line| statement(line)).collect() }
}

fn statement(line: &str) -> Statement {
    let mut words = line.split(' ');
    let (how, what, descriptor) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
    let (kind, (class, name)) = match how {
        "new" => (CallKind::Constructor, (what, what.rsplit(['.', '$']).next().unwrap())),
        "static" => (CallKind::Function, what.rsplit_once('.').unwrap()),
        "field" => (CallKind::Constant, what.rsplit_once('.').unwrap()),
        _ => (CallKind::Method, what.rsplit_once('.').unwrap()),
    };
    let callable = Callable { signature: descriptor.to_owned(), ..Callable::new(kind, class, name) };
    Statement {
        callable: Arc::new(callable),
        receiver: how.parse().ok(),
        args: words.map(argument).collect(),
    }
}

fn argument(word: &str) -> Argument {
    match word {
        "null" => Argument::Null,
        "true" => Argument::Bool(true),
        "false" => Argument::Bool(false),
        _ if word.starts_with('\'') => Argument::Text(word.trim_matches('\'').to_owned()),
        _ if word.starts_with('[') => {
            Argument::Array(elements(&word[1..word.len() - 1]).into_iter().map(argument).collect())
        }
        _ if word.starts_with('{') => Argument::Function(Box::new(argument(&word[1..word.len() - 1]))),
        _ if word.starts_with('@') => Argument::Class(word[1..].to_owned()),
        _ if word.starts_with('#') => Argument::Earlier(word[1..].parse().unwrap()),
        _ if word.contains('.') => Argument::Float(word.parse().unwrap()),
        _ => Argument::Int(word.parse().unwrap()),
    }
}

/// The parts between the commas that are not in brackets.
fn elements(text: &str) -> Vec<&str> {
    let (mut depth, mut parts, mut start) = (0, Vec::new(), 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text.is_empty() {
        parts.push(&text[start..]);
    }
    parts
}

/// A run, one line for each step and one for its end.
pub(crate) fn show(run: &Run) -> String {
    let mut text = String::new();
    for step in &run.steps {
        text += &match &step.result {
            StepResult::Returned(value) => show_value(value),
            StepResult::Object { class, first } => format!("{class} #{first}"),
            StepResult::Threw { class, message, .. } => format!("threw {class}{}", show_message(message)),
            StepResult::Unresolved { class, message } => {
                format!("no such call: {class}{}", show_message(message))
            }
            StepResult::Skipped(why) => format!("skipped: {why:?}"),
        };
        for (name, value) in step.fields.iter().flat_map(Snapshot::to_state) {
            text += &format!(" {name}={}", show_value(&value));
        }
        text.push('\n');
    }
    text + &format!("{:?}{}\n", run.end, if run.leaked { " leaked" } else { "" })
}

fn show_message(message: &Option<String>) -> String {
    message.as_ref().map_or(String::new(), |message| format!(": {message}"))
}

fn show_value(value: &Value) -> String {
    match value {
        Value::Void => "void".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => format!("{value:?}"),
        Value::Text(value) => format!("{value:?}"),
    }
}
