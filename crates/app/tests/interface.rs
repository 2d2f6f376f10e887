//! `adit interface` on our components and on classes that limit it.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too, and says when it could not run"
)]

mod driver;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use driver::java::{Java, java, subjects};
use driver::{adit, adit_in, refused};
use tempfile::TempDir;

/// The components of `subjects/interfaces`, compiled; nothing without a JDK or a solver.
fn components() -> Option<(Java, TempDir, String)> {
    let java = java()?;
    if adit(&["doctor", "--json"]).json()["solver"]["command"].is_null() {
        eprintln!("NOT RUN: there is no solver");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    java.compile_files(&subjects("interfaces"), "", folder.path());
    let path = folder.path().display().to_string();
    Some((java, folder, path))
}

#[test]
fn an_interface_is_proved_and_told_as_json() {
    let Some((_, _folder, path)) = components() else { return };
    for (class, methods, symbols, states) in [("Stream", 5, 6, 4), ("AltBit", 3, 6, 6)] {
        let run = adit(&["interface", class, "-c", &path, "--json"]);
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        let json = run.json();
        assert_eq!(json["class"], class);
        assert_eq!(
            (&json["methods"], &json["symbols"], &json["states"]),
            (&methods.into(), &symbols.into(), &states.into())
        );
        assert_eq!((&json["complete"], &json["stop"]), (&true.into(), &"proved".into()));
        assert!(json["certificate"]["obligations"].as_u64().unwrap() > 10);
        assert_eq!(json["certificate"]["obligations"], json["certificate"]["discharged"]);
        assert!(json["k_max"].as_u64().unwrap() >= 1);
    }
}

#[test]
fn the_contract_reads_like_one() {
    let Some((_, _folder, path)) = components() else { return };
    let run = adit(&["interface", "Stream", "-c", &path, "--quiet"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    for sentence in [
        "exact for call sequences of every length",
        "`write()` may be called only after `connect(p0, p1)` with `p0 != 0 && !p1`.",
        "`flush()` may be called at any time.",
    ] {
        assert!(run.out.contains(sentence), "{sentence}\n{}", run.out);
    }
}

#[test]
fn the_wrapper_compiles_and_refuses_illegal_calls() {
    let Some((java, folder, path)) = components() else { return };
    let mut wrappers = Vec::new();
    for class in ["Stream", "AltBit", "AccMeter", "CEV", "Socket", "Signature", "BoundedBuffer", "Door"] {
        let out = folder.path().join(format!("out-{class}"));
        let run = adit(&["interface", class, "-c", &path, "-o", out.to_str().unwrap(), "--quiet"]);
        assert_eq!(run.code, 0, "{}", run.err);
        wrappers.push(out.join(format!("Checked{class}.java")));
        for file in ["model.json", "model.dot", "interface.json", "contract.md", "certificate.smt2"] {
            assert!(out.join(file).is_file(), "{class}: {file}");
        }
        let page = fs::read_to_string(out.join("report.html")).unwrap();
        assert!(page.contains("<svg") && page.contains("obligations are discharged"), "{class}");
        let shown = adit(&["convert", out.join("model.json").to_str().unwrap(), "-", "--to", "dot"]);
        assert_eq!(shown.code, 0, "{}", shown.err);
    }
    let main = folder.path().join("Main.java");
    fs::write(
        &main,
        r#"
public class Main {
    static void refused(Runnable call) {
        try { call.run(); } catch (IllegalStateException expected) {
            if (expected.getMessage().contains("is illegal here")) return;
        }
        throw new AssertionError("a call was not refused");
    }
    public static void main(String[] arguments) {
        CheckedStream stream = new CheckedStream();
        refused(() -> stream.write());
        refused(() -> stream.connect(0, false));
        refused(() -> stream.connect(1, true));
        stream.flush();
        stream.connect(7, false);
        stream.write();
        refused(() -> stream.connect(8, false));
        stream.write();
        refused(() -> new CheckedAccMeter(1, 0));
        CheckedAccMeter slow = new CheckedAccMeter(1, 2000);
        refused(() -> slow.getValueX());
        CheckedAccMeter fast = new CheckedAccMeter(1, -10);
        fast.getValueX();
        refused(() -> fast.update());
        CheckedAltBit protocol = new CheckedAltBit();
        refused(() -> protocol.msg(1, 5));
        protocol.msg(-2, 5);
        refused(() -> protocol.msg(0, 5));
        System.out.println("all is well");
    }
}
"#,
    )
    .unwrap();
    wrappers.push(main);
    java.compile_files(&wrappers, &path, folder.path());
    let output =
        Command::new(java.home.join("bin/java")).args(["-ea", "-cp", &path, "Main"]).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "all is well\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_stock_solver_confirms_the_certificate() {
    let Some((_, folder, path)) = components() else { return };
    let solver = adit(&["doctor", "--json"]).json()["solver"]["command"].as_str().unwrap().to_owned();
    let out = folder.path().join("out");
    let run = adit(&["interface", "AccMeter", "-c", &path, "-o", out.to_str().unwrap(), "--json", "--quiet"]);
    let obligations = run.json()["certificate"]["obligations"].as_u64().unwrap();
    let answers = Command::new(solver).arg(out.join("certificate.smt2")).output().unwrap();
    let answers = String::from_utf8(answers.stdout).unwrap();
    assert!(answers.lines().all(|answer| answer == "unsat"), "{answers}");
    assert_eq!(answers.lines().count() as u64, obligations);
}

#[test]
fn limits_are_told_and_nothing_is_claimed_beyond_them() {
    let Some((java, _folder, path)) = components() else { return };
    // An overflow after two billion messages is an assumption.
    let json = adit(&["interface", "AltBitRemainder", "-c", &path, "--json"]).json();
    assert_eq!(json["complete"], false);
    assert!(json["assumption"].as_str().unwrap().contains("expect"), "{}", json["assumption"]);
    // What relates arguments of two calls is unknown.
    let run = adit(&["interface", "TokenLock", "-c", &path, "--json"]);
    assert!(run.err.contains("depends on how its arguments"), "{}", run.err);
    assert!(run.json()["unknown"][0].as_str().unwrap().contains("`unlock`"));
    // Objects that only a factory makes are out of reach.
    let run = adit(&["interface", "java.util.OptionalInt", "--no-project", "--json"]);
    assert_eq!((run.code, &run.json()["complete"]), (0, &false.into()));
    assert!(run.err.contains("no public constructor is known to create an object"), "{}", run.err);
    let odd = java.compile(&[(
        "Odd.java",
        "public class Odd {
            private int count;
            public Odd() {}
            public native void outside();
            public void start() { new Thread(() -> {}).start(); }
            public void up() { count++; }
            public void down() { if (count <= 0) throw new IllegalStateException(); count--; }
            public int deep(int n) { return n <= 0 ? 0 : 1 + deep(n - 1); }
        }",
    )]);
    let run = adit(&["interface", "Odd", "-c", odd.path().to_str().unwrap(), "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    assert_eq!(json["complete"], false);
    assert_ne!(json["stop"], "proved");
    assert!(json["calls_with_unknown_outcome"].as_u64().unwrap() > 0, "{json:#}");
    let run = adit(&["interface", "Odd", "-c", odd.path().to_str().unwrap(), "--quiet"]);
    assert!(run.out.contains("have an unknown outcome for some arguments"), "{}", run.out);
    assert!(!json["unknown"].as_array().unwrap().is_empty());
    assert!(
        json["transitions"].as_array().unwrap().iter().any(|step| step["outcome"] == "unknown"),
        "{json:#}"
    );
}

/// A static initializer that cannot be followed leaves everything unknown. That is an answer, and no error.
#[test]
fn a_class_that_reads_the_clock_when_it_is_loaded_is_unknown() {
    let Some(java) = java() else { return };
    let source = "public class Clocked {
            private static final boolean EVEN = System.nanoTime() % 2 == 0;
            private boolean open;
            public void open() { if (open || EVEN) throw new IllegalStateException(); open = true; }
        }";
    let classes = java.compile(&[("Clocked.java", source)]);
    let run = adit(&["interface", "Clocked", "-c", classes.path().to_str().unwrap(), "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    assert_eq!((&json["complete"], &json["stop"]), (&false.into(), &"unknown-outcomes".into()), "{json:#}");
    assert!(json["unknown"][0].as_str().unwrap().contains("nanoTime"), "{json:#}");
}

#[test]
fn without_a_solver_simple_classes_still_work() {
    let Some((java, folder, path)) = components() else { return };
    let home = java.home.display().to_string();
    let nowhere = folder.path().join("empty").display().to_string();
    let environment = [("PATH", Some(nowhere.as_str())), ("JAVA_HOME", Some(home.as_str()))];
    let run = adit_in(&environment, &["interface", "Stream", "-c", &path, "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!((&run.json()["complete"], &run.json()["states"]), (&true.into(), &4.into()));
    let run = adit_in(&environment, &["interface", "AccMeter", "-c", &path, "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.json()["complete"], false);
    assert!(run.err.contains("there is no solver") && run.err.contains("z3"), "{}", run.err);
}

#[test]
fn what_is_no_component_is_refused() {
    let Some((_, _folder, path)) = components() else { return };
    refused(&adit(&["interface", "NoSuchClass", "-c", &path]), &["NoSuchClass"]);
    refused(&adit(&["interface", "java.util.Iterator", "-c", &path]), &["java.util.Iterator", "constructor"]);
    refused(&adit(&["interface", "Stream", "-c", &path, "--depth", "0"]), &["--depth"]);
    refused(&adit(&["interface", "Stream", "-c", &path, "--budget", "nonsense"]), &["--budget"]);
}

#[test]
fn a_budget_holds() {
    let Some((java, _folder, _)) = components() else { return };
    // Products of arguments and fields, over which a solver thinks for long.
    let hard = java.compile(&[(
        "Hard.java",
        "public class Hard {
            private long a = 3, b = 5;
            public Hard() {}
            public void mix(long x, long y) { if (x * y * a == b * 7919 + x) throw new IllegalStateException();
                a = a * x + y; }
            public void turn(long x) { if (x * x * x == a * b) throw new IllegalStateException(); b = b * x; }
            public void use(long x) { if (a * b % (x * x + 1) == 77) throw new IllegalStateException(); }
        }",
    )]);
    let begun = Instant::now();
    let run = adit(&["interface", "Hard", "-c", hard.path().to_str().unwrap(), "--budget", "2s", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.json()["complete"], false);
    // Twice the budget and a second, because machines that run tests are busy.
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn mined_models_have_guards() {
    let Some(java) = java() else { return };
    let stack = subjects("").into_iter().find(|file| file.ends_with("StackAr.java")).unwrap();
    let classes = java.compile(&[
        ("StackAr.java", &fs::read_to_string(stack).unwrap()),
        (
            "Shelf.java",
            "public class Shelf {
                private final int[] items = new int[6];
                private int size;
                public Shelf() {}
                public void add(int item) {
                    if (size == items.length || item == 0) throw new IllegalStateException();
                    items[size++] = item;
                }
                public int get(int index) {
                    if (index < 0 || index >= size) throw new IndexOutOfBoundsException();
                    return items[index];
                }
                public void label(String text) { if (text == null) throw new NullPointerException(); }
                public boolean isEmpty() { return size == 0; }
            }",
        ),
    ]);
    let path = classes.path().to_str().unwrap();
    let guards = |class: &str| {
        let out = classes.path().join(format!("out-{class}"));
        let run = adit(&[
            "mine",
            class,
            "-c",
            path,
            "-o",
            out.to_str().unwrap(),
            "--budget",
            "4000tests",
            "--seed",
            "1",
            "--json",
        ]);
        assert_eq!(run.code, 0, "{}", run.err);
        let model = fs::read_to_string(out.join("model.dot")).unwrap();
        let json = run.json();
        let guards = json["guards"].as_array().cloned().unwrap_or_default();
        let told: BTreeSet<String> = guards
            .iter()
            .map(|one| {
                let [event, guard, status] =
                    ["event", "guard", "status"].map(|key| one[key].as_str().unwrap());
                assert!(model.contains(&format!("[{guard}")), "{guard} is missing in {model}");
                format!("{event} [{guard}] {status}")
            })
            .collect();
        told
    };
    let stack = guards("StackAr");
    assert!(stack.contains("StackAr [p0 == 0] proved"), "{stack:?}");
    assert!(stack.contains("StackAr [p0 > 0] proved"), "{stack:?}");
    let shelf = guards("Shelf");
    assert!(shelf.contains("get [0 <= p0 && p0 < size] proved"), "{shelf:?}");
    assert!(shelf.contains("add [p0 != 0] proved"), "{shelf:?}");
    assert!(shelf.contains("label [p0 != null] proved"), "{shelf:?}");
}

/// A class as somebody writes it who knows nothing of interfaces: permits between two ticks.
const RATE_LIMITER: &str = "
public final class RateLimiter {
    private final int capacity;
    private int left;
    private boolean paused;
    public RateLimiter(int capacity) {
        if (capacity < 1) throw new IllegalArgumentException();
        this.capacity = capacity;
        this.left = capacity;
    }
    public void acquire(int permits) {
        if (paused) throw new IllegalStateException();
        if (permits <= 0) throw new IllegalArgumentException();
        if (permits > left) throw new IllegalStateException();
        left -= permits;
    }
    public void tick() { left = capacity; }
    public void pause() { paused = true; }
    public void resume() { if (!paused) throw new IllegalStateException(); paused = false; }
    @Override public String toString() { return \"left: \" + left; }
}
";

/// A lock whose `unlock` compares its argument with that of an earlier call.
const DOOR_LOCK: &str = "
public class DoorLock {
    private boolean closed, locked, alarm;
    private int pin, attempts;
    public void close() { if (closed) throw new IllegalStateException(); closed = true; }
    public void lock(int pin) {
        if (!closed || locked || alarm) throw new IllegalStateException();
        this.pin = pin; attempts = 0; locked = true;
    }
    public boolean unlock(int entered) {
        if (!locked) throw new IllegalStateException();
        if (entered == pin) { locked = false; return true; }
        if (++attempts >= 3) { alarm = true; locked = false; }
        return false;
    }
    public void reset(int code) { if (!alarm || code != 424242) throw new IllegalStateException(); alarm = false; }
}
";

/// What follows a call with unknown outcome is unknown, and no sentence claims otherwise.
#[test]
fn what_lies_beyond_unknown_outcomes_is_not_claimed() {
    let Some((java, ..)) = components() else { return };
    let folder = java.compile(&[("RateLimiter.java", RATE_LIMITER), ("DoorLock.java", DOOR_LOCK)]);
    let path = folder.path().display().to_string();
    let run = adit(&["interface", "DoorLock", "-c", &path, "-q"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    // `reset` succeeds after three wrong attempts, which the analysis cannot see.
    assert!(run.out.contains("`reset(p0)` is never known to succeed."), "{}", run.out);
    assert!(run.out.contains("What may follow a call of `unlock(p0)` with unknown outcome"), "{}", run.out);
    assert!(run.out.contains("and what follows is unknown"), "{}", run.out);
    let run = adit(&["interface", "RateLimiter", "-c", &path, "--json", "-q"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let json = run.json();
    // A paused limiter refuses whatever is asked of it: this does not depend on earlier arguments.
    let transitions = json["transitions"].as_array().unwrap();
    let refuses = |step: &&serde_json::Value| {
        step["method"] == "acquire"
            && step["guard"] == "true"
            && step["outcome"] == "error"
            && step["from"] != 0
    };
    assert_eq!(transitions.iter().filter(refuses).count(), 1, "{json:#}");
    assert!(json["contract_omits"].as_str().unwrap().contains("`acquire(p0)`"), "{json:#}");
    // As in `adit mine`, methods that every object has are left out unless asked for.
    assert_eq!(json["methods"], 5);
    let all = adit(&["interface", "RateLimiter", "-c", &path, "--json", "-q", "--object-methods"]);
    assert_eq!(all.json()["methods"], 6, "{}", all.out);
}

/// Strings are compared as the source does, and the length of an array is no number of bits.
#[test]
fn guards_are_source_text() {
    let Some((java, ..)) = components() else { return };
    let folder = java.compile(&[(
        "Reader.java",
        "public class Reader {
            private boolean named;
            public void set(String key) { if (key.equals(\"name\")) named = true; else if (!key.equals(\"size\")) throw new IllegalArgumentException(); }
            public void read(byte[] to, int from) { if (!named || from < 0 || from >= to.length) throw new IllegalStateException(); }
        }",
    )]);
    let path = folder.path().display().to_string();
    let run = adit(&["interface", "Reader", "-c", &path]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("p0.equals(\"name\")"), "{}", run.out);
    assert!(run.out.contains("p1 < p0.length"), "{}", run.out);
    assert!(!run.out.contains(".text") && !run.out.contains("bits"), "{}", run.out);
    assert!(run.err.contains("fewer than 65,536 elements"), "{}", run.err);
}

/// Classes of the JDK that fit the domain, each proved for call sequences of every length.
#[test]
fn classes_of_the_jdk_are_complete() {
    if components().is_none() {
        return;
    }
    for (class, symbols) in [
        ("java.text.ParsePosition", 5),
        ("java.text.FieldPosition", 9),
        ("java.beans.PropertyChangeEvent", 8),
    ] {
        let json = adit(&["interface", class, "--json", "-q"]).json();
        assert_eq!((&json["complete"], &json["stop"]), (&true.into(), &"proved".into()), "{json:#}");
        assert_eq!(json["symbols"], symbols, "{json:#}");
        assert_eq!(json["certificate"]["obligations"], json["certificate"]["discharged"]);
    }
}
