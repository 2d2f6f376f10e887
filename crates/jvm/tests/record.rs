//! Recording while tests or an application run: the right events, tests that end as they do without, and
//! nothing lost when the task does not end well.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too"
)]

mod support;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use adit_jvm::record::{EventNaming, Outcome, RecordOptions, Recorded, Task, TaskEnd, find_tests, record};
use adit_jvm::{Jdk, classes};
use adit_trace::{Labels, Life, Progress, State, Stop, Unlimited, Value};
use expect_test::{Expect, expect};
use support::{Bench, benches};
use tempfile::TempDir;

/// Debian's folder of jars.
const JARS: &str = "/usr/share/java";
const JUNIT4: [&str; 2] = ["junit4.jar", "hamcrest.jar"];
const JUNIT5: [&str; 9] = [
    "junit-platform-launcher.jar",
    "junit-platform-engine.jar",
    "junit-platform-commons.jar",
    "junit-jupiter-api.jar",
    "junit-jupiter-engine.jar",
    "junit-vintage-engine.jar",
    "opentest4j.jar",
    "apiguardian-api.jar",
    "junit4.jar",
];

/// A project, compiled, with the jars that it needs.
struct Project {
    bench: Bench,
    classes: TempDir,
    jars: Vec<PathBuf>,
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/junit")
}

/// The project with the tests in these folders, for each JDK; nothing, with a note, where jars are missing.
fn projects(tests: &[&str], jars: &[&str]) -> Vec<Project> {
    let jars: Vec<PathBuf> = jars.iter().map(|jar| Path::new(JARS).join(jar)).collect();
    if let Some(missing) = jars.iter().find(|jar| !jar.exists()) {
        eprintln!("NOT RUN: {} is missing (Debian: apt install junit4 junit5)", missing.display());
        return Vec::new();
    }
    let compiled = |bench: Bench| {
        let classes = tempfile::tempdir().unwrap();
        compile(&bench.jdk, &classes, tests, &jars);
        Project { bench, classes, jars: jars.clone() }
    };
    benches().into_iter().map(compiled).collect()
}

fn compile(jdk: &Jdk, classes: &TempDir, tests: &[&str], jars: &[PathBuf]) {
    let sources = ["main"].iter().chain(tests).flat_map(|folder| {
        std::fs::read_dir(source().join(folder).join("depot")).unwrap().map(|entry| entry.unwrap().path())
    });
    let output = Command::new(jdk.home.join("bin/javac"))
        .args(["-nowarn", "-proc:none", "-encoding", "UTF-8", "-cp"])
        .arg(std::env::join_paths(jars).unwrap())
        .arg("-d")
        .arg(classes.path())
        .args(sources)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

impl Project {
    fn options(&self, class: &str, task: Task) -> RecordOptions {
        let mut host = self.bench.options();
        host.class_path = vec![self.classes.path().to_owned()];
        host.class_path.extend(self.jars.iter().cloned());
        RecordOptions {
            host,
            class: class.to_owned(),
            task,
            directory: source(),
            record: true,
            limit: Duration::from_secs(120),
            writable: Vec::new(),
            longest_life: 1000,
            naming: EventNaming::Overload { non_public: false },
            states: false,
        }
    }

    /// The tests that the class files show.
    fn tests(&self) -> Task {
        let path = classes::open(None, &[self.classes.path().to_owned()]).unwrap();
        let names: BTreeSet<String> = path.names();
        Task::Tests { classes: find_tests(&path, names.iter().map(String::as_str)) }
    }
}

fn run(options: RecordOptions) -> (Recorded, Vec<Life>) {
    let mut lives = Vec::new();
    let recorded = record(options, &mut |life| lives.push(life), &mut Unlimited).unwrap();
    (recorded, lives)
}

/// The lives, each a line, sorted: in which order tests run is JUnit's affair.
fn show(lives: &[Life]) -> String {
    let mut lines: Vec<String> = lives
        .iter()
        .map(|life| {
            let labels: Vec<_> = life.events.iter().map(|event| Labels::Exception.of(event)).collect();
            format!("{}: {}\n", life.class, labels.join(" "))
        })
        .collect();
    lines.sort();
    lines.concat()
}

fn show_tests(recorded: &Recorded) -> String {
    let mut tests = recorded.tests.clone();
    tests.sort();
    let lines = tests.iter().map(|test| {
        let outcome = match &test.outcome {
            Outcome::Passed => "passed",
            Outcome::Failed { message, .. } => message,
            Outcome::Skipped => "skipped",
        };
        format!("{}: {outcome}\n", test.name)
    });
    lines.collect()
}

/// Runs a project's tests with and without recording, and compares.
fn check(project: &Project, class: &str, lives: &Expect, tests: &Expect) {
    let mut options = project.options(class, project.tests());
    let (recorded, heard) = run(options.clone());
    assert_eq!(recorded.end, TaskEnd::Finished, "{}", recorded.printed);
    assert_eq!(recorded.left, Vec::<String>::new());
    tests.assert_eq(&show_tests(&recorded));
    lives.assert_eq(&show(&heard));
    assert_eq!(recorded.objects, heard.len() as u64);
    assert_eq!(recorded.events, heard.iter().map(|life| life.events.len() as u64).sum::<u64>());
    options.record = false;
    let (without, unheard) = run(options);
    assert_eq!((show_tests(&without), unheard), (show_tests(&recorded), Vec::new()));
}

#[test]
fn tests_of_junit_4_and_3() {
    let lives = expect![[r#"
        depot.Crate: Crate close put!IllegalStateException
        depot.Crate: Crate isFull:FALSE
        depot.Crate: Crate put:TRUE put:FALSE isFull:TRUE first weight count
        depot.Crate: Crate!IllegalArgumentException
        depot.Crate: Crate!IllegalArgumentException
        depot.Crate: of first
    "#]];
    let tests = expect![[r#"
        depot.CrateOldTest.assumes: skipped
        depot.CrateOldTest.closedIsClosed: passed
        depot.CrateOldTest.fails: org.junit.ComparisonFailure: expected:<[a ]hat> but was:<[]hat>
        depot.CrateOldTest.fills: passed
        depot.CrateOldTest.ignored: skipped
        depot.CrateOldestTest.testRefuses: passed
    "#]];
    for project in projects(&["tests4"], &JUNIT4) {
        check(&project, "depot.Crate", &lives, &tests);
    }
}

#[test]
fn tests_of_junit_5() {
    let lives = expect![[r#"
        depot.Crate: Crate close put!IllegalStateException
        depot.Crate: Crate room
        depot.Crate: Crate room
        depot.Crate: Crate room
        depot.Crate: of compareTo
        depot.Crate: of first forEach size
        depot.Crate: of iterator
        depot.Crate: of size each
        depot.CrateTest$1: Crate put:TRUE
    "#]];
    let tests = expect![[r#"
        depot.CrateTest$Inner.fails(): org.opentest4j.AssertionFailedError: expected: <3> but was: <2>
        depot.CrateTest.calledInAllWays(): passed
        depot.CrateTest.callsBack(): passed
        depot.CrateTest.disabled(): skipped
        depot.CrateTest.iterates(): passed
        depot.CrateTest.repeats()[#1]: passed
        depot.CrateTest.repeats()[#2]: passed
        depot.CrateTest.splits(): passed
        depot.CrateTest.throwsWhenClosed(): passed
        depot.CrateTest.worksInItsFolder(): passed
    "#]];
    for project in projects(&["tests5"], &JUNIT5) {
        check(&project, "depot.Crate", &lives, &tests);
    }
}

/// A class whose tests all lie in nested classes, which many people write, one for each state.
#[test]
fn tests_in_nested_classes_alone_are_found() {
    let tests = expect![[r#"
        depot.CratesTest$WhenEmpty$AndClosed.throwsOnPut(): passed
        depot.CratesTest$WhenEmpty.hasNothing(): passed
    "#]];
    for project in projects(&["nested5"], &JUNIT5) {
        let Task::Tests { classes } = project.tests() else { panic!("tests are asked for") };
        assert_eq!(classes, ["depot.CratesTest"]);
        let (recorded, _) = run(project.options("depot.Crate", project.tests()));
        tests.assert_eq(&show_tests(&recorded));
    }
}

/// Events with their arguments and states; the state before where it is not the one after the last event.
fn show_states(lives: &[Life]) -> String {
    let state = |state: Option<&State>| {
        let fields = state.into_iter().flatten().filter(|(name, _)| *name != "things");
        let fields: Vec<String> =
            fields.map(|(name, value)| format!("{name}={}", show_value(value))).collect();
        fields.join(" ")
    };
    let mut lines: Vec<String> = lives
        .iter()
        .map(|life| {
            let events = life.events.iter().map(|event| {
                let before = event.details.as_ref().and_then(|details| details.before.as_ref());
                let before = before.map(|before| format!("[{}] ", state(Some(before)))).unwrap_or_default();
                let args = event.args.iter().enumerate();
                let args: Vec<String> = args
                    .map(|(at, value)| format!("{}={}", event.parameter(at), show_value(value)))
                    .collect();
                let label = Labels::Exception.of(event);
                let after = state(event.state.as_ref());
                format!("  {before}{label} ({}) {after}", args.join(", ")).trim_end().to_owned() + "\n"
            });
            format!("{}\n{}", life.class, events.collect::<String>())
        })
        .collect();
    lines.sort();
    lines.concat()
}

fn show_value(value: &Value) -> String {
    match value {
        Value::Void => "void".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Text(value) => format!("{value:?}"),
    }
}

#[test]
fn states_before_and_after_calls() {
    for project in projects(&["tests4"], &JUNIT4) {
        let mut options = project.options("depot.Crate", project.tests());
        let plain = run(options.clone());
        options.states = true;
        let (recorded, lives) = run(options);
        assert_eq!(recorded.end, TaskEnd::Finished, "{}", recorded.printed);
        assert_eq!((show_tests(&recorded), show(&lives)), (show_tests(&plain.0), show(&plain.1)));
        assert!(!recorded.state_time.is_zero() && plain.0.state_time.is_zero());
        expect![[r#"
            depot.Crate
              Crate () closed=false room=2 things.size=0
              close () closed=true room=2 things.size=0
              put!IllegalStateException (arg0="hat") closed=true room=2 things.size=0
            depot.Crate
              Crate () closed=false room=2 things.size=0
              isFull:FALSE () closed=false room=2 things.size=0
            depot.Crate
              Crate (arg0=1) closed=false room=1 things.size=0
              put:TRUE (arg0="hat") closed=false room=1 things.size=1
              put:FALSE (arg0="coat") closed=false room=1 things.size=1
              isFull:TRUE () closed=false room=1 things.size=1
              first () closed=false room=1 things.size=1
              weight () closed=false room=1 things.size=1
              count (arg0=104) closed=false room=1 things.size=1
            depot.Crate
              Crate!IllegalArgumentException (arg0=-1)
            depot.Crate
              Crate!IllegalArgumentException (arg0=1001)
            depot.Crate
              of (arg0="array of 1") closed=false room=1 things.size=1
              first () closed=false room=1 things.size=1
        "#]]
        .assert_eq(&show_states(&lives));
    }
}

#[test]
fn states_in_an_application() {
    for project in projects(&[], &[]) {
        let mut options = project.options("depot.Crate", main_task(&["hat,coat", "cap"]));
        options.states = true;
        let (recorded, lives) = run(options);
        assert_eq!((recorded.end, recorded.printed.as_str()), (TaskEnd::Finished, "packing\n"));
        expect![[r#"
            depot.Crate
              Crate () closed=false room=2 things.size=0
              put:TRUE (arg0="hat") closed=false room=2 things.size=1
              put:TRUE (arg0="coat") closed=false room=2 things.size=2
              put:FALSE (arg0="cap") closed=false room=2 things.size=2
              close () closed=true room=2 things.size=2
        "#]]
        .assert_eq(&show_states(&lives));
    }
}

/// The collections that a snapshot asks for their sizes are those of the class under test.
#[test]
fn states_of_a_class_of_the_jdk() {
    for project in projects(&["tests5"], &JUNIT5) {
        let mut options = project.options("java.util.ArrayList", project.tests());
        let plain = run(options.clone());
        options.states = true;
        let (recorded, lives) = run(options);
        assert_eq!(recorded.end, TaskEnd::Finished, "{}", recorded.printed);
        assert_eq!((show_tests(&recorded), show(&lives)), (show_tests(&plain.0), show(&plain.1)));
        let shown = show_states(&lives);
        assert!(shown.contains("\n  sort (") && shown.contains(" size="), "{shown}");
    }
}

/// The JDK and JUnit split strings too, which is not told.
#[test]
fn a_class_of_the_jdk() {
    for project in projects(&["tests5"], &JUNIT5) {
        let (recorded, lives) = run(project.options("java.util.StringTokenizer", project.tests()));
        assert_eq!(recorded.end, TaskEnd::Finished, "{}", recorded.printed);
        expect![[r#"
            java.util.StringTokenizer: StringTokenizer countTokens nextToken() hasMoreElements:TRUE
        "#]]
        .assert_eq(&show(&lives));
        // The machine itself has lists before it can be asked to change their class.
        let (recorded, lives) = run(project.options("java.util.ArrayList", project.tests()));
        assert_eq!(recorded.end, TaskEnd::Finished, "{}", recorded.printed);
        let shown = show(&lives);
        assert!(shown.contains("java.util.ArrayList: ArrayList sort get\n"), "{shown}");
    }
}

#[test]
fn old_tests_run_through_junit_5() {
    for project in projects(&["tests4"], &JUNIT5) {
        let (recorded, _) = run(project.options("depot.Crate", project.tests()));
        expect![[r#"
            depot.CrateOldTest.assumes: skipped
            depot.CrateOldTest.closedIsClosed: passed
            depot.CrateOldTest.fails: org.junit.ComparisonFailure: expected:<[a ]hat> but was:<[]hat>
            depot.CrateOldTest.fills: passed
            depot.CrateOldTest.ignored: skipped
            depot.CrateOldestTest.testRefuses: passed
        "#]]
        .assert_eq(&show_tests(&recorded));
    }
}

/// An abstract class lives through those that extend it; what they do to their own objects is inside.
#[test]
fn an_abstract_class() {
    for project in projects(&["tests4"], &JUNIT4) {
        let (recorded, lives) = run(project.options("depot.Holder", project.tests()));
        assert_eq!(recorded.end, TaskEnd::Finished, "{}", recorded.printed);
        expect![[r#"
            depot.Crate: Holder
            depot.Crate: Holder
            depot.Crate: Holder
            depot.Crate: Holder isFull:FALSE
            depot.Crate: Holder isFull:TRUE
            depot.Crate: Holder!IllegalArgumentException
        "#]]
        .assert_eq(&show(&lives));
    }
}

/// Beside its box, a task writes only to the folders that it was given.
#[test]
fn folders_that_may_be_written() {
    for project in projects(&[], &[]) {
        let (given, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let files = [given.path().join("file"), other.path().join("file")];
        let lists = files.each_ref().map(|file| format!("file:{}", file.display()));
        let mut options = project.options("depot.Crate", main_task(&lists.each_ref().map(String::as_str)));
        options.writable = vec![given.path().to_owned()];
        run(options);
        assert_eq!(files.map(|file| file.exists()), [true, false]);
    }
}

fn main_task(args: &[&str]) -> Task {
    Task::Main { class: "depot.Main".into(), args: args.iter().map(ToString::to_string).collect() }
}

#[test]
fn an_application_with_threads() {
    for project in projects(&[], &[]) {
        let (recorded, lives) = run(project.options("depot.Crate", main_task(&["hat,coat", "cap"])));
        assert_eq!((recorded.end, recorded.printed.as_str()), (TaskEnd::Finished, "packing\n"));
        expect![[r#"
            depot.Crate: Crate put:TRUE put:TRUE put:FALSE close
        "#]]
        .assert_eq(&show(&lives));
    }
}

fn busy(how: &str) -> Task {
    Task::Main { class: "depot.Busy".into(), args: vec![how.to_owned()] }
}

#[test]
fn threads_do_not_disturb_each_other() {
    for project in projects(&[], &[]) {
        let (recorded, lives) = run(project.options("depot.Crate", busy("threads")));
        assert_eq!((recorded.end, lives.len()), (TaskEnd::Finished, 1000));
        let expected = "depot.Crate: Crate put:TRUE put:TRUE isFull:TRUE close\n".repeat(1000);
        assert_eq!(show(&lives), expected);
    }
}

/// An overflow can sweep away those who would tell the end of a call. The thread is heard all the same.
#[test]
fn an_overflow_deafens_nobody() {
    for project in projects(&[], &[]) {
        let (recorded, lives) = run(project.options("depot.Crate", busy("overflow")));
        assert_eq!(recorded.end, TaskEnd::Finished, "{}", recorded.printed);
        let shown = show(&lives);
        let whole = shown.lines().filter(|line| line.ends_with(" Crate put:TRUE room")).count();
        assert_eq!(whole, 4, "{} of {}", whole, lives.len());
    }
}

fn calls(what: &str) -> Task {
    Task::Main { class: "depot.Calls".into(), args: vec![what.to_owned()] }
}

/// Code that an object calls back lies outside, though a call of the class is open.
#[test]
fn calls_from_what_is_called_back() {
    for project in projects(&[], &[]) {
        let (recorded, lives) = run(project.options("depot.Crate", calls("back")));
        assert_eq!(recorded.end, TaskEnd::Finished, "{}", recorded.printed);
        expect![[r#"
            depot.Crate: Crate put:TRUE put:TRUE first
            depot.Crate: Crate put:TRUE put:TRUE first
            depot.Crate: of each each
        "#]]
        .assert_eq(&show(&lives));
        let (recorded, lives) = run(project.options("java.util.ArrayList", calls("back")));
        assert_eq!(recorded.end, TaskEnd::Finished, "{}", recorded.printed);
        let shown = show(&lives);
        for line in ["ArrayList add(Object):TRUE forEach", "ArrayList add(Object):TRUE isEmpty:FALSE get"] {
            assert!(shown.contains(&format!("java.util.ArrayList: {line}\n")), "{shown}");
        }
    }
}

/// A constructor that throws is told once, with what it threw, and whoever catches it is heard afterwards.
#[test]
fn constructors_that_throw() {
    for project in projects(&[], &[]) {
        let (recorded, lives) = run(project.options("depot.Crate", calls("throws")));
        assert_eq!(recorded.end, TaskEnd::Finished, "{}", recorded.printed);
        expect![[r#"
            depot.Crate: Crate put:TRUE close
            depot.Crate: Crate!IllegalStateException
        "#]]
        .assert_eq(&show(&lives));
        let (recorded, lives) = run(project.options("depot.Crate", calls("reflection")));
        assert_eq!(recorded.end, TaskEnd::Finished, "{}", recorded.printed);
        expect![[r#"
            depot.Crate: Crate close
            depot.Crate: Crate!IllegalArgumentException
        "#]]
        .assert_eq(&show(&lives));
    }
}

#[test]
fn virtual_threads_do_not_disturb_each_other() {
    let (new, old): (Vec<_>, Vec<_>) =
        projects(&[], &[]).into_iter().partition(|project| project.bench.jdk.feature >= 21);
    if new.is_empty() && !old.is_empty() {
        eprintln!("NOT RUN: virtual threads need a JDK of Java 21 or later");
    }
    for project in new {
        let (recorded, lives) = run(project.options("depot.Crate", calls("virtual")));
        assert_eq!(recorded.end, TaskEnd::Finished, "{}", recorded.printed);
        let expected = "depot.Crate: Crate put:TRUE each isFull:FALSE each close\n".repeat(50);
        assert_eq!(show(&lives), expected);
    }
}

/// As with the `java` command, an exception that leaves `main` is no success.
#[test]
fn a_main_that_throws() {
    for project in projects(&[], &[]) {
        let (recorded, lives) = run(project.options("depot.Crate", calls("nonsense")));
        assert_eq!(recorded.end, TaskEnd::Exited { code: 1 });
        assert!(recorded.printed.contains("IllegalStateException: no such thing"), "{}", recorded.printed);
        assert_eq!(show(&lives), "depot.Crate: Crate put:TRUE\n");
    }
}

#[test]
fn a_test_that_exits_is_named() {
    for project in projects(&["exits4"], &JUNIT4) {
        let (recorded, lives) = run(project.options("depot.Crate", project.tests()));
        assert_eq!(recorded.end, TaskEnd::Exited { code: 3 });
        assert_eq!(recorded.running.as_deref(), Some("depot.ExitTest.bExits"));
        assert_eq!(show_tests(&recorded), "depot.ExitTest.aWorks: passed\n");
        assert_eq!(show(&lives), "depot.Crate: Crate close\ndepot.Crate: Crate put:TRUE\n");
    }
}

/// Events that arrived before the end are kept, whatever the end.
#[test]
fn bad_ends() {
    for project in projects(&[], &[]) {
        let (recorded, lives) = run(project.options("depot.Crate", main_task(&[])));
        assert_eq!(recorded.end, TaskEnd::Exited { code: 7 });
        assert!(show(&lives).starts_with("depot.Crate: Crate"), "{lives:?}");
    }
    for bench in benches() {
        let project =
            Project { classes: tempfile::tempdir().unwrap(), jars: vec![bench.classes.clone()], bench };
        let task = |class: &str| Task::Main { class: class.into(), args: Vec::new() };
        let mut options = project.options("java.util.StringTokenizer", task("SplitsAndHangs"));
        options.limit = Duration::from_secs(3);
        let (recorded, lives) = run(options);
        assert_eq!(recorded.end, TaskEnd::TimedOut);
        expect![[r#"
            java.util.StringTokenizer: StringTokenizer nextToken()
        "#]]
        .assert_eq(&show(&lives));
    }
}

#[test]
fn long_lives_are_cut() {
    for project in projects(&[], &[]) {
        let mut options = project.options("depot.Crate", main_task(&["a,b,c,d,e,f"]));
        options.longest_life = 3;
        let (recorded, lives) = run(options);
        assert_eq!((recorded.cut, recorded.events, lives[0].events.len()), (1, 3, 3));
    }
}

/// Whoever wants no more gets what was heard.
#[test]
fn a_recording_can_be_stopped() {
    for bench in benches() {
        let project =
            Project { classes: tempfile::tempdir().unwrap(), jars: vec![bench.classes.clone()], bench };
        let task = Task::Main { class: "SplitsAndHangs".into(), args: Vec::new() };
        let mut lives = Vec::new();
        let recorded = record(
            project.options("java.util.StringTokenizer", task),
            &mut |life| lives.push(life),
            &mut |now: &Progress| match now.events {
                Some(1..) => ControlFlow::Break(Stop::Interrupted),
                _ => ControlFlow::Continue(()),
            },
        );
        assert_eq!(recorded.unwrap().end, TaskEnd::Stopped(Stop::Interrupted));
        assert!(show(&lives).starts_with("java.util.StringTokenizer: StringTokenizer"), "{lives:?}");
    }
}

#[test]
fn what_is_missing_is_named() {
    for project in projects(&[], &[]) {
        let error = |class: &str, task| {
            let options = project.options(class, task);
            record(options, &mut drop, &mut Unlimited).unwrap_err().to_string()
        };
        let tests = || Task::Tests { classes: vec!["depot.CrateTest".into()] };
        assert!(error("depot.Crate", tests()).contains("junit-platform-launcher.jar"));
        assert!(error("depot.Crat", tests()).contains("no class depot.Crat"));
        let missing = Task::Main { class: "depot.Gone".into(), args: Vec::new() };
        assert!(error("depot.Crate", missing).contains("depot.Gone: cannot load it"));
        let no_main = Task::Main { class: "depot.Crate".into(), args: Vec::new() };
        assert!(error("depot.Crate", no_main).contains("it has no method"));
    }
}

#[test]
fn the_machine_checks_every_call() {
    for project in projects(&["tests5"], &JUNIT5) {
        let mut options = project.options("depot.Crate", project.tests());
        options.host.machine_flags.push("-Xcheck:jni".to_owned());
        let (recorded, _) = run(options);
        assert_eq!(recorded.end, TaskEnd::Finished, "{}", recorded.printed);
        let complaints = ["WARNING", "FATAL", "Warning: "];
        assert!(
            !complaints.iter().any(|complaint| recorded.printed.contains(complaint)),
            "{}",
            recorded.printed
        );
    }
}
