//! `adit enrich` on a login module whose tests use it correctly.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too"
)]

mod driver;

use std::fs;
use std::path::{Path, PathBuf};

use driver::adit;
use driver::java::java;

struct Project {
    folder: tempfile::TempDir,
    class_path: String,
}

/// The login module and its tests, compiled.
fn project() -> Option<Project> {
    let java = java()?;
    let jars = ["junit4.jar", "hamcrest.jar"].map(|jar| Path::new("/usr/share/java").join(jar));
    if let Some(missing) = jars.iter().find(|jar| !jar.exists()) {
        eprintln!("NOT RUN: {} is missing (Debian and Ubuntu: apt install junit4)", missing.display());
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/tautoko");
    let source = |name: &str| subjects.join(name);
    let jars: String = jars.iter().map(|jar| format!(":{}", jar.display())).collect();
    for (sources, to) in [("LoginModule.java", "classes"), ("LoginModuleTest.java", "test-classes")] {
        let classes = folder.path().join(to);
        fs::create_dir(&classes).unwrap();
        let class_path = format!("{}{jars}", folder.path().join("classes").display());
        let files: Vec<PathBuf> = vec![source(sources)];
        java.compile_files(&files, &class_path, &classes);
    }
    let class_path = format!("{}{jars}", folder.path().join("classes").display());
    Some(Project { folder, class_path })
}

#[test]
fn mutants_show_what_the_tests_do_not() {
    let Some(project) = project() else { return };
    let tests = project.folder.path().join("test-classes").display().to_string();
    let file = project.folder.path().join("login.json").display().to_string();
    let enrich = |more: &[&str]| {
        let first =
            ["enrich", "tautoko.LoginModule", "-c", &project.class_path, "--tests", &tests, "-o", &file];
        let run = adit(&[&first[..], &["--json"], more].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        run.json()
    };
    let paper = enrich(&["--paper"]);
    assert_eq!(paper["initial"]["exceptional"], 0, "{paper}");
    // `commit` before `login` is an added call; `login` before `initialize` needs a suppressed one.
    let thrown = |json: &serde_json::Value, method: &str, origin: &str| {
        json["calls"]
            .as_array()
            .unwrap()
            .iter()
            .any(|call| call["label"] == method && !call["threw"].is_null() && call["origin"] == origin)
    };
    assert!(thrown(&paper, "commit", "added call"), "{paper}");
    assert!(thrown(&paper, "login", "suppressed call"), "{paper}");
    let full = enrich(&[]);
    assert_eq!(full["complete"], true, "{full}");
    assert!(full["exceptional"].as_u64() >= paper["exceptional"].as_u64(), "{full}");
    // Every method in every state: the module is initialized or not, checked or not, committed or not.
    let states = full["states"].as_u64().unwrap() - 2;
    assert!(full["transitions"].as_u64().unwrap() > 4 * states, "{full}");
    // Before `initialize`, three of the five methods are refused.
    let model = adit(&["show", &file]);
    assert!(model.code == 0 && model.out.contains("commit, login, logout"), "{}", model.out);
}

const LINE: &str = r#"
package a;
public class Line {
    public interface Address {}
    public static final class Options {
        public static final Option SPEED = new Option("speed");
        private Options() {}
    }
    public static final class Option {
        private final String name;
        private Option(String name) { this.name = name; }
    }
    public enum Mode { FAST, SLOW }
    private boolean connected, closed;
    private Mode mode = Mode.FAST;
    public void connect(Address to, int limit) {
        if (connected || closed) throw new IllegalStateException();
        if (to == null || !to.getClass().getName().contains("Test")) throw new IllegalStateException("none");
        connected = true;
    }
    public void connect(Address to) { connect(to, 0); }
    public byte[] send(byte[] bytes) {
        if (!connected) throw new IllegalStateException();
        return new byte[40];
    }
    public void send(byte[] bytes, int from, int length) {
        if (!connected || length < 32) throw new IllegalStateException();
        java.util.Objects.checkFromIndexSize(from, length, bytes.length);
    }
    public void tune(Option option) {
        if (closed || option.name == null) throw new IllegalStateException();
    }
    public void slow() { mode = Mode.SLOW; }
    public void race() { if (mode == Mode.SLOW) throw new IllegalStateException(); }
    public boolean isOpen() { return connected && !closed; }
    public void close() { closed = true; connected = false; }
}
"#;

const LINE_TEST: &str = r#"
package a;
import org.junit.Test;
public class LineTest {
    private static final class Here implements Line.Address {}
    @Test public void sends() {
        Line line = new Line();
        line.connect(new Here(), 5);
        line.send(new byte[1]);
        line.close();
    }
}
"#;

/// Overloads that no test calls get what their siblings got, numbers behind an array fit it, and a constant
/// of another class is a value.
#[test]
fn values_come_from_other_calls_and_from_constants() {
    let Some(java) = java() else { return };
    let jars = ["junit4.jar", "hamcrest.jar"].map(|jar| Path::new("/usr/share/java").join(jar));
    if jars.iter().any(|jar| !jar.exists()) {
        return eprintln!("NOT RUN: JUnit is missing (Debian and Ubuntu: apt install junit4)");
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let class_path = format!("{}:{}:{}", at("classes").display(), jars[0].display(), jars[1].display());
    for (name, source, to) in [("Line.java", LINE, "classes"), ("LineTest.java", LINE_TEST, "tests")] {
        fs::create_dir(at(to)).unwrap();
        fs::write(at(name), source).unwrap();
        java.compile_files(&[at(name)], &class_path, &at(to));
    }
    let (tests, file) = (at("tests").display().to_string(), at("line.json").display().to_string());
    let enrich = |more: &[&str]| {
        let first = ["enrich", "a.Line", "-c", &class_path, "--tests", &tests, "-o", &file, "--json"];
        let run = adit(&[&first[..], &["--budget", "4000tests"], more].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        run.json()
    };
    let found = enrich(&[]);
    let calls: Vec<(&str, bool)> = found["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| (call["label"].as_str().unwrap(), call["threw"].is_null()))
        .collect();
    for method in ["connect(Address)", "send(byte[],int,int)", "tune"] {
        let ends = [true, false].map(|returned| calls.contains(&(method, returned)));
        assert_eq!(ends, [true, true], "{method}: {calls:?}");
    }
    assert!(calls.contains(&("isOpen:TRUE", true)) && calls.contains(&("isOpen:FALSE", true)), "{calls:?}");
    // New, connected and closed, fast and slow; a made-up address that nobody listens at is no state.
    assert_eq!(found["states"], 8, "{found}");
    assert!(found["state_names"].to_string().contains("connected, mode == SLOW"), "{found}");
    let paper = enrich(&["--labels", "method"]);
    let labels: Vec<&str> =
        paper["calls"].as_array().unwrap().iter().map(|call| call["label"].as_str().unwrap()).collect();
    assert!(labels.contains(&"isOpen") && !labels.contains(&"isOpen:TRUE"), "{labels:?}");
}

/// A number of mutants is a budget that does not depend on the speed of the machine.
#[test]
fn a_budget_in_tests_counts_mutants() {
    let Some(project) = project() else { return };
    let tests = project.folder.path().join("test-classes").display().to_string();
    let enrich = |name: &str, budget: &str| {
        let file = project.folder.path().join(name).display().to_string();
        let first = ["enrich", "tautoko.LoginModule", "-c", &project.class_path, "--tests", &tests];
        let run = adit(&[&first[..], &["-o", &file, "--json", "--budget", budget]].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        (run.json(), run.err, fs::read_to_string(&file).unwrap())
    };
    let (few, said, model) = enrich("few.json", "3tests");
    assert_eq!((&few["mutants"], &few["complete"]), (&3.into(), &false.into()), "{few}");
    assert!(said.contains("incomplete: the budget of 3 tests is spent"), "{said}");
    let (_, _, again) = enrich("again.json", "3tests");
    assert_eq!(model, again);
    let (all, said, _) = enrich("all.json", "100000tests");
    assert_eq!(all["complete"], true, "{all}");
    assert!(all["mutants"].as_u64() > Some(3) && !said.contains("incomplete"), "{said}");
    let run = adit(&["enrich", "tautoko.LoginModule", "--tests", &tests, "--budget", "3mutants"]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("3mutants") && run.err.contains("tests"), "{}", run.err);
}

#[test]
fn bad_input_is_explained() {
    let Some(project) = project() else { return };
    let tests = project.folder.path().join("test-classes").display().to_string();
    let run = adit(&["enrich", "java.util.Stack", "-c", &project.class_path, "--tests", &tests]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("none of 2 tests uses java.util.Stack"), "{}", run.err);
    // Sources are no tests that can run.
    let source = project.folder.path().join("LoginModuleTest.java");
    fs::write(&source, "class LoginModuleTest {}").unwrap();
    let source = source.display().to_string();
    let run = adit(&["enrich", "java.util.Stack", "-c", &project.class_path, "--tests", &source]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("LoginModuleTest.java is a single file"), "{}", run.err);
    // The tests do not fit the class path: the class that they use is another one.
    let other = project.folder.path().join("other");
    fs::create_dir(&other).unwrap();
    let jars = project.class_path.split_once(':').unwrap().1;
    let class_path = format!("{}:{jars}", other.display());
    let run = adit(&["enrich", "java.util.Stack", "-c", &class_path, "--tests", &tests]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("does not fit the class path"), "{}", run.err);
    assert!(!project.folder.path().join("login.json").exists());
}
