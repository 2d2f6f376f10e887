//! Interventions in running tests: calls left out, delayed and added, each run apart from the others.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too"
)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use adit_jvm::record::intervene::{
    Action, BenchOptions, BenchRun, Capture, Experiment, Intervention, NoteKind, Origin, Replacement, Site,
    TestBench,
};
use adit_jvm::record::{EventNaming, Outcome, RecordOptions, Task, TaskEnd};
use adit_trace::{Argument, CallKind, Callable, Labels, Statement, Unlimited, Value};
use support::{Bench, bench};
use tempfile::TempDir;

const VALVE: &str = r#"
package a;
import java.util.ArrayList;
import java.util.List;
public class Valve {
    private static int made;
    private final List<String> log = new ArrayList<>();
    private boolean open;
    public Valve() { made++; }
    public Valve open() { if (open) throw new IllegalStateException("open"); open = true; return this; }
    public int send(String text, int times) {
        if (!open) throw new IllegalStateException("closed");
        for (int i = 0; i < times; i++) log.add(text);
        return log.size();
    }
    public synchronized boolean isOpen() { return open; }
    public void close() { open = false; }
    public void take(Valve other) { other.close(); }
    public void tune(Thread.State to) { if (to != Thread.State.BLOCKED) throw new IllegalArgumentException(); }
    public static int made() { return made; }
}
"#;

const TEST4: &str = r#"
package a;
import static org.junit.Assert.*;
import java.io.File;
import org.junit.Test;
public class ValveTest {
    @Test public void sends() {
        Valve valve = new Valve();
        valve.open();
        assertEquals(2, valve.send("x", 2));
        assertTrue(valve.isOpen());
        valve.close();
    }
    @Test public void two() {
        Valve first = new Valve();
        Valve second = new Valve();
        assertSame(first, first.open());
        first.take(second);
        second.isOpen();
    }
    @Test public void once() throws Exception {
        new Valve().isOpen();
        assertEquals(1, Valve.made());
        File left = new File(System.getProperty("java.io.tmpdir"), "left");
        assertTrue("a file of another run", left.createNewFile());
    }
    @Test public void waits() throws Exception {
        Valve valve = new Valve();
        valve.open();
        while (!valve.isOpen()) Thread.sleep(5);
    }
    @Test public void exits() {
        Valve valve = new Valve().open();
        if (!valve.isOpen()) System.exit(3);
    }
}
"#;

struct Project {
    bench: Bench,
    classes: TempDir,
    jars: Vec<PathBuf>,
}

fn project(test: &str, jars: &[&str]) -> Option<Project> {
    let jars: Vec<PathBuf> = jars.iter().map(|jar| Path::new("/usr/share/java").join(jar)).collect();
    if let Some(missing) = jars.iter().find(|jar| !jar.exists()) {
        eprintln!("NOT RUN: {} is missing (Debian: apt install junit4 junit5)", missing.display());
        return None;
    }
    let bench = bench()?;
    let classes = tempfile::tempdir().unwrap();
    let source = tempfile::tempdir().unwrap();
    let files = [("Valve.java", VALVE), ("ValveTest.java", test)].map(|(name, text)| {
        let file = source.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    });
    let output = Command::new(bench.jdk.home.join("bin/javac"))
        .args(["-nowarn", "-proc:none", "-parameters", "-cp"])
        .arg(std::env::join_paths(&jars).unwrap())
        .arg("-d")
        .arg(classes.path())
        .args(files)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(Project { bench, classes, jars })
}

impl Project {
    fn start(&self, reuse: u32) -> TestBench {
        let mut host = self.bench.options();
        host.class_path = vec![self.classes.path().to_owned()];
        host.class_path.extend(self.jars.iter().cloned());
        let record = RecordOptions {
            host,
            class: "a.Valve".to_owned(),
            task: Task::Tests { classes: vec!["a.ValveTest".to_owned()] },
            directory: self.classes.path().to_owned(),
            record: true,
            limit: Duration::from_secs(60),
            writable: Vec::new(),
            longest_life: 1000,
            naming: EventNaming::Overload { non_public: false },
            states: true,
        };
        TestBench::start(BenchOptions { record, reuse }).unwrap()
    }
}

fn valve() -> Option<Project> {
    project(TEST4, &["junit4.jar", "hamcrest.jar"])
}

fn site(test: &str, object: u64, ordinal: u64, method: &str) -> Site {
    Site {
        test: Some(format!("a.ValveTest.{test}")),
        object: Some(object),
        ordinal: Some(ordinal),
        method: method.to_owned(),
    }
}

fn at(test: &str, object: u64, ordinal: u64, method: &str, action: Action) -> Intervention {
    Intervention { at: site(test, object, ordinal, method), action }
}

fn run(bench: &mut TestBench, test: &str, interventions: Vec<Intervention>) -> BenchRun {
    let experiment =
        Experiment { tests: vec![format!("a.ValveTest.{test}")], interventions, only: None, touches: false };
    bench.run(&experiment, &mut Unlimited).unwrap()
}

/// The objects, a line each: their events, those of interventions in brackets.
fn show(run: &BenchRun) -> String {
    let line = |life: &adit_jvm::record::intervene::BenchLife| {
        let events = life.life.events.iter().zip(&life.marks).map(|(event, mark)| {
            let label = Labels::Exception.of(event);
            match mark.origin {
                Origin::Own { .. } => label,
                Origin::Added { .. } => format!("[{label}]"),
                Origin::Delayed { .. } => format!("<{label}>"),
            }
        });
        format!("{}: {}", life.object, events.collect::<Vec<_>>().join(" "))
    };
    run.lives.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn outcome(run: &BenchRun) -> &Outcome {
    assert_eq!(run.tests.len(), 1, "{run:?}");
    &run.tests[0].outcome
}

fn kinds(run: &BenchRun) -> Vec<NoteKind> {
    run.notes.iter().map(|note| note.kind.clone()).collect()
}

#[test]
fn a_call_is_left_out_or_made_later() {
    let Some(project) = valve() else { return };
    let mut bench = project.start(100);
    assert_eq!(show(&run(&mut bench, "sends", vec![])), "0: Valve open send isOpen:TRUE close");
    let suppress = |instead| Action::Suppress { instead };
    let left_out = run(&mut bench, "sends", vec![at("sends", 0, 1, "open", suppress(Replacement::Receiver))]);
    assert_eq!(show(&left_out), "0: Valve send!IllegalStateException");
    assert_eq!(kinds(&left_out), [NoteKind::Suppressed]);
    let Outcome::Failed { class, frames, .. } = outcome(&left_out) else { panic!("{left_out:?}") };
    assert_eq!(class, "java.lang.IllegalStateException");
    assert!(frames.iter().any(|frame| frame.contains("ValveTest.sends")), "{frames:?}");
    // The value in place of the call's is seen by the test.
    let value = Replacement::Value(Value::Int(2));
    let known = run(&mut bench, "sends", vec![at("sends", 0, 2, "send", suppress(value))]);
    assert_eq!(
        (show(&known).as_str(), outcome(&known)),
        ("0: Valve open isOpen:TRUE close", &Outcome::Passed)
    );
    // A site whose method is another one is no site.
    let other = run(&mut bench, "sends", vec![at("sends", 0, 2, "close", suppress(Replacement::Default))]);
    assert_eq!((show(&other).as_str(), other.notes.len()), ("0: Valve open send isOpen:TRUE close", 0));
    let delay = |until: &str, run_at_end, rethrow| Action::Delay {
        until: until.to_owned(),
        same_object: true,
        instead: Replacement::Value(Value::Int(2)),
        run_at_end,
        rethrow,
    };
    let late = run(&mut bench, "sends", vec![at("sends", 0, 2, "send", delay("isOpen", false, false))]);
    assert_eq!(show(&late), "0: Valve open isOpen:TRUE <send> close");
    assert_eq!(late.lives[0].life.events[3].args, [Value::Text("x".into()), Value::Int(2)]);
    assert_eq!(outcome(&late), &Outcome::Passed);
    let late = run(&mut bench, "sends", vec![at("sends", 0, 2, "send", delay("close", false, true))]);
    assert_eq!(show(&late), "0: Valve open isOpen:TRUE close <send!IllegalStateException>");
    assert!(
        matches!(outcome(&late), Outcome::Failed { class, .. } if class == "java.lang.IllegalStateException")
    );
    for (runs, shown) in [(false, ""), (true, " <close>")] {
        let never = run(&mut bench, "sends", vec![at("sends", 0, 4, "close", delay("open", runs, false))]);
        assert_eq!(show(&never), format!("0: Valve open send isOpen:TRUE{shown}"));
        assert_eq!(kinds(&never), [NoteKind::Delayed, NoteKind::NeverCame { ran: runs }]);
    }
    assert_eq!(bench.machines(), 1, "no run was so bad that the JVM was replaced");
}

#[test]
fn a_call_is_added_with_values_of_others() {
    let Some(project) = valve() else { return };
    let mut bench = project.start(100);
    let method = |bench: &TestBench, name: &str| {
        bench.methods().iter().position(|method| method.name == name).unwrap()
    };
    let add = |bench: &TestBench, name: &str, arguments: Vec<Argument>, captures: Vec<Capture>| Action::Add {
        method: method(bench, name),
        arguments,
        captures,
        made: Vec::new(),
    };
    // After a constructor, after a method that has a lock, and after one that threw.
    let after = vec![
        at("sends", 0, 0, "Valve", add(&bench, "close", vec![], vec![])),
        at("sends", 0, 3, "isOpen", add(&bench, "open", vec![], vec![])),
        at(
            "sends",
            0,
            4,
            "close",
            add(&bench, "send", vec![Argument::Text("y".into()), Argument::Int(1)], vec![]),
        ),
    ];
    let added = run(&mut bench, "sends", after);
    let expected = "0: Valve [close] open send isOpen:TRUE [open!IllegalStateException] close [send!IllegalStateException]";
    assert_eq!(show(&added), expected);
    assert_eq!(outcome(&added), &Outcome::Passed, "what is added throws into nobody's face");
    // The argument of another call, which must have come before.
    let capture = |ordinal| Capture { object: 0, ordinal, argument: Some(0) };
    let take =
        |bench: &TestBench, ordinal| add(bench, "take", vec![Argument::Earlier(0)], vec![capture(ordinal)]);
    let again = vec![at("two", 0, 2, "take", take(&bench, 2))];
    assert_eq!(show(&run(&mut bench, "two", again)), "0: Valve open take [take]\n1: Valve isOpen:FALSE");
    let before = vec![at("two", 0, 1, "open", take(&bench, 2))];
    let early = run(&mut bench, "two", before);
    assert!(matches!(&kinds(&early)[..], [NoteKind::Failed { .. }]), "{early:?}");
    let number = add(&bench, "take", vec![Argument::Int(1)], vec![]);
    let wrong = run(&mut bench, "two", vec![at("two", 0, 1, "open", number)]);
    assert!(matches!(&kinds(&wrong)[..], [NoteKind::Failed { why }] if why.contains("type")), "{wrong:?}");
}

/// A suppressed call gives its arguments to the call that is made instead, and a constant is a value.
#[test]
fn a_call_takes_the_place_of_another() {
    let Some(project) = valve() else { return };
    let mut bench = project.start(100);
    let method = |name: &str| bench.methods().iter().position(|method| method.name == name).unwrap();
    let (send, tune) = (method("send"), method("tune"));
    let suppress = || Action::Suppress { instead: Replacement::Value(Value::Int(2)) };
    let resend = Action::Add {
        method: send,
        arguments: vec![Argument::Earlier(0), Argument::Int(1)],
        captures: vec![Capture { object: 0, ordinal: 2, argument: Some(0) }],
        made: Vec::new(),
    };
    let swap = vec![at("sends", 0, 2, "send", suppress()), at("sends", 0, 2, "send", resend)];
    let swapped = run(&mut bench, "sends", swap);
    assert_eq!(show(&swapped), "0: Valve open [send] isOpen:TRUE close");
    assert_eq!(outcome(&swapped), &Outcome::Passed, "the suppressed call still gives what it gave");
    let state = "java.lang.Thread$State";
    let constant = Callable {
        signature: format!("L{};", state.replace('.', "/")),
        ..Callable::new(CallKind::Constant, state, "BLOCKED")
    };
    let tuned = Action::Add {
        method: tune,
        arguments: vec![Argument::Earlier(0)],
        captures: Vec::new(),
        made: vec![Statement { callable: Arc::new(constant), receiver: None, args: Vec::new() }],
    };
    let tuned = run(&mut bench, "sends", vec![at("sends", 0, 0, "Valve", tuned)]);
    assert_eq!(show(&tuned), "0: Valve [tune] open send isOpen:TRUE close");
}

/// Calls of objects that nobody asked about are not recorded, and keep their places.
#[test]
fn only_the_objects_that_are_asked_about_are_recorded() {
    let Some(project) = valve() else { return };
    let mut bench = project.start(100);
    let delay = Action::Delay {
        until: "take".to_owned(),
        same_object: true,
        instead: Replacement::Receiver,
        run_at_end: true,
        rethrow: false,
    };
    let of = |object: u64, interventions| Experiment {
        tests: vec!["a.ValveTest.two".to_owned()],
        interventions,
        only: Some(vec![("a.ValveTest.two".to_owned(), object)]),
        touches: false,
    };
    let first = bench.run(&of(0, vec![at("two", 0, 1, "open", delay)]), &mut Unlimited).unwrap();
    assert_eq!(show(&first), "0: Valve take <open>\n1: Valve");
    let second = bench.run(&of(1, vec![]), &mut Unlimited).unwrap();
    assert_eq!(show(&second), "0: Valve\n1: Valve isOpen:FALSE");
}

/// Only a run that asks for them tells touched fields: those of the calls themselves, and not those that the
/// recorder reads to tell the state.
#[test]
fn fields_that_calls_touch_are_told() {
    let Some(project) = valve() else { return };
    let mut bench = project.start(100);
    let mut touched = |touches: bool| {
        let tests = vec!["a.ValveTest.sends".to_owned()];
        let run = bench.run(&Experiment { tests, touches, ..Experiment::default() }, &mut Unlimited).unwrap();
        assert_eq!(outcome(&run), &Outcome::Passed);
        let mut told: Vec<String> = run
            .touched
            .iter()
            .map(|one| {
                let how = if one.written { "writes" } else { "reads" };
                let on = if one.leads_on { " and on" } else { "" };
                format!("{} {how} {}{on}", bench.methods()[one.method].name, one.field)
            })
            .collect();
        told.sort();
        told
    };
    let none: Vec<String> = Vec::new();
    assert_eq!(touched(false), none);
    let all = [
        "close writes a.Valve.open",
        "isOpen reads a.Valve.open",
        "open reads a.Valve.open",
        "open writes a.Valve.open",
        "send reads a.Valve.log and on",
        "send reads a.Valve.open",
    ];
    assert_eq!(touched(true), all);
    assert_eq!(touched(false), none);
    // The classes of each run are other ones.
    assert_eq!(touched(true), all);
}

#[test]
fn no_run_harms_the_next() {
    let Some(project) = valve() else { return };
    for reuse in [100, 1] {
        let mut bench = project.start(reuse);
        bench.set_limit(Duration::from_secs(20));
        // Static state and files begin anew.
        for _ in 0..2 {
            let once = run(&mut bench, "once", vec![]);
            assert_eq!(outcome(&once), &Outcome::Passed);
        }
        let machines = if reuse == 1 { 2 } else { 1 };
        assert_eq!(bench.machines(), machines);
        bench.set_limit(Duration::from_secs(3));
        let suppress = Action::Suppress { instead: Replacement::Receiver };
        let hung = run(&mut bench, "waits", vec![at("waits", 0, 1, "open", suppress.clone())]);
        assert_eq!((&hung.end, hung.running.as_deref()), (&TaskEnd::TimedOut, Some("a.ValveTest.waits")));
        bench.set_limit(Duration::from_secs(20));
        let died = run(&mut bench, "exits", vec![at("exits", 0, 1, "open", suppress)]);
        assert_eq!(died.end, TaskEnd::Exited { code: 3 }, "{died:?}");
        assert_eq!(outcome(&run(&mut bench, "once", vec![])), &Outcome::Passed);
        assert_eq!(bench.machines(), machines + if reuse == 1 { 3 } else { 2 });
    }
}

#[test]
fn tests_of_junit_5_are_chosen_by_name() {
    let test = TEST4
        .replace("org.junit.Test", "org.junit.jupiter.api.Test")
        .replace("org.junit.Assert.*", "org.junit.jupiter.api.Assertions.*")
        .replace(
            "assertTrue(\"a file of another run\", left.createNewFile())",
            "assertTrue(left.createNewFile())",
        );
    let jars = [
        "junit-platform-launcher.jar",
        "junit-platform-engine.jar",
        "junit-platform-commons.jar",
        "junit-jupiter-api.jar",
        "junit-jupiter-engine.jar",
        "opentest4j.jar",
        "apiguardian-api.jar",
    ];
    let Some(project) = project(&test, &jars) else { return };
    let mut bench = project.start(100);
    let suppress = Action::Suppress { instead: Replacement::Default };
    for _ in 0..2 {
        let ran = run(&mut bench, "sends()", vec![at("sends()", 0, 2, "send", suppress.clone())]);
        assert_eq!(show(&ran), "0: Valve open", "{ran:?}");
        assert!(
            matches!(outcome(&ran), Outcome::Failed { class, .. } if class.contains("AssertionFailedError"))
        );
        assert_eq!(outcome(&run(&mut bench, "once()", vec![])), &Outcome::Passed);
    }
    assert_eq!(bench.machines(), 1);
}
