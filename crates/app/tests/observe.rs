//! `adit observe` on real Java: generated calls, tests, programs, and classes that misbehave.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too, and says when it could not run"
)]

mod driver;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use driver::java::{CELL, java, subjects};
use driver::{Run, adit};
#[cfg(unix)]
use tempfile::TempDir;

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let path = classes.path().display().to_string();
    let observe = |more: &[&str]| {
        let run = adit(
            &[&["observe", "Cell", "-c", &path, "--budget", "300tests", "--states", "--quiet"], more]
                .concat(),
        );
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        run.out
    };
    let one = observe(&["--seed", "7", "--workers", "1"]);
    assert_eq!(one, observe(&["--seed", "7", "--workers", "2"]));
    assert_ne!(one, observe(&["--seed", "8"]));
    assert!(one.starts_with(r#"{"trace":"1","event":"Cell","#), "{}", &one[..200]);
    assert!(one.contains(r#""event":"put","args":["#) && one.contains(r#""state":{"#), "{}", &one[..2000]);
    assert!(one.contains(r#""threw":"java.lang.IllegalStateException""#));
}

#[test]
fn what_was_observed_can_be_mined() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let path = classes.path().display().to_string();
    let file = |name: &str| classes.path().join(name).display().to_string();
    for name in ["cell.jsonl", "cell.dtrace", "cell.traces.gz", "cell.xes"] {
        let run = adit(&["observe", "Cell", "-c", &path, "--states", "-o", &file(name), "--json"]);
        assert_eq!(run.code, 0, "{}", run.err);
        let json = run.json();
        assert_eq!(
            (&json["class"], &json["tests"], &json["stop"]),
            (&"Cell".into(), &1000.into(), &"tests".into())
        );
        let labels = serde_json::json!([
            "Cell",
            "clear",
            "isEmpty:FALSE",
            "isEmpty:TRUE",
            "put",
            "put!IllegalStateException"
        ]);
        let all: Vec<_> =
            ["alphabet", "refused"].iter().flat_map(|of| json[of].as_array().unwrap()).collect();
        assert_eq!(serde_json::json!(all), labels);
        assert_eq!(json["refused"], serde_json::json!(["put!IllegalStateException"]));
        let mined = adit(&["properties", &file(name), "--json"]).json();
        assert_eq!((&mined["traces"], &mined["events"]), (&json["objects"], &json["events"]), "{name}");
        assert_eq!(mined["alphabet"], labels, "{name}");
        let has = |template: &str, a: &str, b: &str| {
            let wanted = serde_json::json!([template, a, b]);
            let all = mined["properties"].as_array().unwrap();
            all.iter().any(|found| serde_json::json!([found["template"], found["a"], found["b"]]) == wanted)
        };
        assert!(has("AP", "Cell", "put") || has("AP", "put", "Cell") || has("NF", "put", "Cell"), "{name}");
        assert!(has("NIF", "clear", "isEmpty:FALSE"), "{name}");
    }
}

#[test]
fn methods_can_be_chosen() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let path = classes.path().display().to_string();
    let file = classes.path().join("cell.jsonl").display().to_string();
    let labels = |flags: &[&str]| {
        let run =
            adit(&[&["observe", "Cell", "-c", &path, "-o", &file, "--json", "--quiet"], flags].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        run.json()["alphabet"].clone()
    };
    assert_eq!(labels(&["--only", "isEmpty"]), serde_json::json!(["Cell", "isEmpty:TRUE"]));
    assert_eq!(labels(&["--without", "put,clear"]), serde_json::json!(["Cell", "isEmpty:TRUE"]));
}

#[test]
fn fixtures_make_what_cannot_be_made_up() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[(
        "Door.java",
        "public class Door {
            private final String key;
            private Door(String key) { this.key = key; }
            static Door made(String key) { return new Door(key); }
            public boolean fits(String other) { return key.equals(other); }
        }",
    )]);
    let path = classes.path().display().to_string();
    let fixtures = classes.path().join("Doors.java").display().to_string();
    // In the package of the class, where it may call what is not public.
    fs::write(&fixtures, "public class Doors { public static Door door() { return Door.made(\"k-42\"); } }")
        .unwrap();
    let run = adit(&["observe", "Door", "-c", &path, "--fixtures", &fixtures, "--budget", "50tests", "-q"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains(r#""event":"door""#) && run.out.contains(r#""event":"fits""#), "{}", run.out);
}

/// The fixtures that the project ships do what they are there for.
#[test]
fn shipped_fixtures_work() {
    if java().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("out.jsonl").display().to_string();
    let files = subjects("fixtures");
    // The class that each is for, and what succeeds only with it.
    let known = [
        ("SignatureFixtures", "java.security.Signature", "sign()"),
        ("SocketFixtures", "java.net.Socket", "getInputStream"),
    ];
    assert_eq!(files.len(), known.len(), "every file of fixtures has a line above");
    for (path, (name, class, label)) in files.iter().zip(known) {
        assert_eq!(path.file_stem().unwrap(), name);
        let fixtures = path.display().to_string();
        let run =
            adit(&["observe", class, "--fixtures", &fixtures, "--budget", "400tests", "--json", "-o", &file]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.json()["alphabet"].as_array().unwrap().contains(&label.into()), "{}", run.out);
    }
}

#[test]
fn a_class_that_exits_hangs_or_never_begins() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[
        ("Quits.java", "public class Quits { public void now() { System.exit(3); } public int size() { return 0; } }"),
        ("Never.java", "public class Never { public Never() { throw new IllegalStateException(\"no\"); } public void go() {} }"),
        ("Hangs.java", "public class Hangs { public void on() { while (true) {} } public int size() { return 0; } }"),
    ]);
    let path = classes.path().display().to_string();
    let file = classes.path().join("out.jsonl").display().to_string();
    let observe = |class: &str, budget: &str| -> Run {
        // A machine that is asked to exit waits 300 ms for threads in native code, of which adit has one.
        let flags = ["--script-limit", "1s", "--json", "--budget", budget, "-o", &file];
        adit(&[&["observe", class, "-c", &path], flags.as_slice()].concat())
    };
    let run = observe("Quits", "12tests");
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    assert!(json["bad_tests"]["count"].as_u64().unwrap() > 0, "{json}");
    assert_eq!(json["tests"], 12, "{json}");
    assert!(json["bad_tests"]["shown"][0]["how"].as_str().unwrap().contains('3'), "{json}");
    assert_eq!(json["never_returned"][0]["method"], "now()", "{json}");
    assert!(fs::read_to_string(&file).unwrap().contains(r#""event":"size""#));

    let run = observe("Hangs", "1s");
    assert_eq!((run.code, &run.json()["stop"]), (0, &"time".into()), "{}", run.err);
    assert!(run.json()["seconds"].as_f64().unwrap() < 20.0);

    let run = observe("Never", "50tests");
    assert_eq!(run.code, 4, "{}", run.err);
    for part in ["no object of Never was seen", "threw java.lang.IllegalStateException", "--fixtures"] {
        assert!(run.err.contains(part), "`{part}` is missing in:\n{}", run.err);
    }
}

/// adit writes the events recorded before Ctrl-C or a request to end.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_there_is() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL), ("Forever.java", FOREVER)]);
    for signal in ["-INT", "-TERM"] {
        interrupt(signal, &classes, &["--only", "isEmpty", "--calls", "1", "--budget", "1h"]);
        interrupt(signal, &classes, &["--main", "Forever", "--time-limit", "1h"]);
    }
}

/// A program that has no end.
#[cfg(unix)]
const FOREVER: &str = "public class Forever {
    public static void main(String[] args) throws InterruptedException {
        Cell cell = new Cell();
        for (; ; Thread.sleep(1)) cell.isEmpty();
    }
}";

#[cfg(unix)]
fn interrupt(signal: &str, classes: &TempDir, flags: &[&str]) {
    let file = classes.path().join("cell.jsonl");
    let mut child = Command::new(env!("CARGO_BIN_EXE_adit"))
        .args(["observe", "Cell", "--json", "-c"])
        .arg(classes.path())
        .arg("-o")
        .arg(&file)
        .args(flags)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Its first progress line says that the work goes on.
    let mut err = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut err, &mut line).unwrap();
    assert!(line.contains("tests"), "{line}");
    let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut err, &mut rest).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{rest}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["stop"], "interrupted", "{rest}");
    assert!(fs::read_to_string(&file).unwrap().contains(r#""event":"isEmpty""#));
    fs::remove_file(&file).unwrap();
}

#[test]
fn junit_4_tests_are_recorded() {
    junit("tests4", &["junit4.jar", "hamcrest.jar"], &["junit4.jar", "hamcrest.jar"]);
}

#[test]
fn junit_5_tests_are_recorded() {
    let compile = [
        "junit-jupiter-api.jar",
        "junit-jupiter-params.jar",
        "junit-platform-commons.jar",
        "apiguardian-api.jar",
        "opentest4j.jar",
    ];
    let run = ["junit-platform-launcher.jar", "junit-platform-engine.jar", "junit-jupiter-engine.jar"];
    junit("tests5", &compile, &[compile.as_slice(), run.as_slice()].concat());
}

/// Records the tests of a small project, and compares with a run without recording.
fn junit(tests: &str, to_compile: &[&str], to_run: &[&str]) {
    let Some(java) = java() else { return };
    // Where Debian's packages put them.
    let jars = Path::new("/usr/share/java");
    if let Some(missing) = to_run.iter().find(|jar| !jars.join(jar).exists()) {
        eprintln!(
            "NOT RUN: {} is missing (Debian and Ubuntu: apt install junit4 junit5)",
            jars.join(missing).display()
        );
        return;
    }
    let path = |names: &[&str]| {
        names.iter().map(|name| format!(":{}", jars.join(name).display())).collect::<String>()
    };
    let project = tempfile::tempdir().unwrap();
    let (classes, test_classes) = (project.path().join("classes"), project.path().join("test-classes"));
    fs::create_dir(&classes).unwrap();
    fs::create_dir(&test_classes).unwrap();
    java.compile_files(&subjects("junit/main/depot"), "", &classes);
    let class_path = classes.display().to_string();
    java.compile_files(
        &subjects(&format!("junit/{tests}/depot")),
        &(class_path.clone() + &path(to_compile)),
        &test_classes,
    );
    let file = project.path().join("crate.jsonl").display().to_string();
    let (class_path, tests) = (class_path + &path(to_run), test_classes.display().to_string());
    let run = adit(&[
        "observe",
        "depot.Crate",
        "-c",
        &class_path,
        "--tests",
        &tests,
        "--compare",
        "--json",
        "-o",
        &file,
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    assert_eq!(json["compare"]["same"], true, "{json}");
    assert_eq!(json["stop"], "done", "{json}");
    assert!(json["passed"].as_u64().unwrap() > 0 && json["objects"].as_u64().unwrap() > 0, "{json}");
    assert!(!json["failed"].as_array().unwrap().is_empty(), "the project has a test that fails: {json}");
    assert!(run.err.contains("tests failed:"), "{}", run.err);
    assert_eq!(adit(&["properties", &file, "--json"]).json()["traces"], json["objects"]);
}
