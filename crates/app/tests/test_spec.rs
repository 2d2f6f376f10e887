//! `adit test-spec` on real Java, with and without JUnit tests.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too, and says when it could not run"
)]

mod driver;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use driver::adit;
use driver::java::{java, subjects};
use serde_json::Value;
use tempfile::TempDir;

const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest.jar";

/// The printer and its tests, compiled, and the class path to run them with.
fn printer() -> Option<(TempDir, String, String)> {
    let java = java()?;
    let folder = TempDir::new().unwrap();
    let main = folder.path().join("main");
    fs::create_dir(&main).unwrap();
    java.compile_files(&subjects("spec-testing/main/spec"), "", &main);
    let (main, tests) = (main.display().to_string(), folder.path().join("tests"));
    if JUNIT.split(':').any(|jar| !Path::new(jar).exists()) {
        eprintln!("NOT RUN: JUnit 4 is missing (Debian and Ubuntu: apt install junit4)");
        return None;
    }
    fs::create_dir(&tests).unwrap();
    java.compile_files(&subjects("spec-testing/tests4/spec"), &format!("{main}:{JUNIT}"), &tests);
    let tests = tests.display().to_string();
    Some((folder, format!("{main}:{JUNIT}"), tests))
}

/// The verdict, the need and the basis for a pair of events.
fn on(json: &Value, a: &str, b: &str) -> [String; 3] {
    let all = json["constraints"].as_array().unwrap();
    let one = all.iter().find(|one| one["a"] == a && one["b"] == b).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    [text(&one["verdict"]), text(&one["evidence"]["need"]), text(&one["basis"])]
}

#[test]
fn orders_are_needed_matter_or_are_free() {
    let Some((_folder, path, _)) = printer() else { return };
    let pairs = [
        ["setTitle", "setMargin"],
        ["setMargin", "print"],
        ["print", "pages"],
        ["print", "turnOff"],
        ["pages", "print"],
        ["isUsed", "pages"],
    ];
    let mut args =
        vec!["test-spec", "--class", "spec.Printer", "-c", &path, "--json", "--budget", "20000tests"];
    pairs.iter().for_each(|[a, b]| args.extend(["--order", a, b]));
    let run = adit(&args);
    assert_eq!(run.code, 1, "{}", run.err);
    let json = run.json();
    assert_eq!(json["verdict"], "buggy");
    assert_eq!(on(&json, "setTitle", "setMargin"), ["buggy", "free", "shared-state"]);
    assert_eq!(on(&json, "setMargin", "print"), ["supported", "needed", "objects"]);
    assert_eq!(on(&json, "print", "pages"), ["supported", "matters", "objects"]);
    assert_eq!(on(&json, "print", "turnOff"), ["supported", "needed", "objects"]);
    assert_eq!(on(&json, "pages", "print"), ["buggy", "free", "objects"]);
    assert_eq!(on(&json, "isUsed", "pages")[2], "calls-itself");
}

#[test]
fn a_supported_model_exits_with_zero_and_a_bad_one_is_repaired() {
    let Some((folder, path, _)) = printer() else { return };
    let write = |edges: &str| {
        let model = folder.path().join("model.dot");
        let start = "init [label=\"\" shape=\"none\"]; init -> 0; 3 [shape=\"doublecircle\"];";
        fs::write(&model, format!("digraph m {{ {start} {edges} }}")).unwrap();
        model.display().to_string()
    };
    let good = write("0 -> 1 [label=\"setMargin\"]; 1 -> 3 [label=\"print\"];");
    let test = |model: &str, more: &[&str]| {
        let args = ["test-spec", model, "--class", "spec.Printer", "-c", &path, "--budget", "20000tests"];
        adit(&[&args, more].concat())
    };
    let run = test(&good, &["--json"]);
    assert_eq!((run.code, &run.json()["verdict"]), (0, &"supported".into()), "{}{}", run.out, run.err);
    let bad = write("0 -> 1 [label=\"setTitle\"]; 1 -> 2 [label=\"setMargin\"]; 2 -> 3 [label=\"print\"];");
    let repaired = folder.path().join("repaired.json").display().to_string();
    let run = test(&bad, &["--repair", &repaired]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("setTitle before setMargin"), "{}", run.out);
    let again = test(&repaired, &["--json"]);
    let json = again.json();
    assert_eq!(json["verdict"], "supported", "{}", again.out);
    let pairs = json["constraints"].as_array().unwrap();
    assert!(!pairs.iter().any(|one| one["a"] == "setTitle" && one["b"] == "setMargin"), "{}", again.out);
}

#[test]
fn bad_input_is_told() {
    let Some((folder, path, tests)) = printer() else { return };
    let run = adit(&["test-spec", "--order", "setTitel", "print", "--class", "spec.Printer", "-c", &path]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("did you mean `setTitle`?"), "{}", run.err);
    let model = folder.path().join("other.dot");
    let edges = "init -> 0; 0 -> 1 [label=\"setBorder\"]; 1 -> 2 [label=\"print\"];";
    fs::write(&model, format!("digraph m {{ init [shape=none label=\"\"]; {edges} }}")).unwrap();
    let run = adit(&["test-spec", &model.display().to_string(), "--class", "spec.Printer", "-c", &path]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("other.dot: spec.Printer has no method for setBorder"), "{}", run.err);
    let run =
        adit(&["test-spec", "--order", "a", "b", "--class", "spec.Missing", "-c", &path, "--tests", &tests]);
    assert_eq!(run.code, 2);
    let run = adit(&["test-spec", "--order", "print", "pages", "-c", &path]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("--class"), "{}", run.err);
}

/// Without experiments on objects, tests decide or leave open.
#[test]
fn tests_that_show_nothing_are_no_evidence() {
    let Some((_folder, path, tests)) = printer() else { return };
    let path = format!("{path}:{tests}");
    let ask = |a: &str, b: &str, tests: &str| {
        let args = ["test-spec", "--class", "spec.Printer", "-c", &path, "--json", "--budget", "1tests"];
        let run = adit(&[&args[..], &["--order", a, b, "--tests", tests]].concat());
        let json = run.json();
        let why = json["constraints"][0]["why"].as_str().unwrap_or_default().to_owned();
        (run.code, json["verdict"].as_str().unwrap().to_owned(), why, json["notes"].to_string())
    };
    let (code, verdict, why, notes) = ask("turnOff", "print", "spec.PrinterTest");
    assert_eq!((code, &*verdict), (0, "unknown"), "{why}");
    assert!(why.contains("no test calls the first method and then the second on one object"), "{why}");
    assert!(notes.contains("1 test fails without changes and is no evidence"), "{notes}");
    let (code, verdict, why, _) = ask("print", "turnOff", "spec.PatientPrinterTest");
    assert_eq!((code, &*verdict), (0, "unknown"), "{why}");
    assert!(why.contains("it hung or died with the calls exchanged"), "{why}");
    // The same pair in a test that ends: the late call throws.
    let (code, verdict, why, _) = ask("print", "turnOff", "spec.PrinterTest");
    assert_eq!((code, &*verdict), (0, "supported"), "{why}");
}

/// The tests ask only for the class of an exception, and pass.
#[test]
fn expected_exceptions_are_compared_by_place_too() {
    let Some((_folder, path, tests)) = printer() else { return };
    let path = format!("{path}:{tests}");
    let ask = |a: &str, b: &str, test: &str| {
        let args = ["test-spec", "--class", "spec.Printer", "-c", &path, "--json", "--budget", "1tests"];
        let more = ["--thorough", "--order", a, b, "--tests", test];
        let json = adit(&[&args[..], &more].concat()).json();
        let all = json["constraints"][0]["evidence"]["tests"].as_array().unwrap().clone();
        let found = all.iter().filter_map(|one| one["expected_exception"].as_str().map(str::to_owned));
        found.filter(|how| how != "none").collect::<Vec<_>>()
    };
    assert_eq!(ask("setTitle", "print", "spec.PrinterTest"), ["same"]);
    assert_eq!(ask("setMargin", "print", "spec.OffPrinterTest"), ["other"]);
    assert_eq!(ask("turnOff", "print", "spec.OffPrinterTest"), ["gone"]);
}

#[test]
fn tests_that_do_not_lead_to_the_class_are_not_run() {
    let Some((_folder, path, tests)) = printer() else { return };
    let args = ["test-spec", "--class", "spec.Lamp", "-c", &path, "--json", "--budget", "1tests"];
    let run = adit(&[&args[..], &["--thorough", "--order", "on", "changes", "--tests", &tests]].concat());
    let json = run.json();
    let notes = json["notes"].to_string();
    assert!(notes.contains("no test was run: of 5 test classes, none refers to spec.Lamp"), "{notes}");
    assert!(json["run"]["suite"].is_null(), "{json:#}");
}

/// Without a title, `print` throws, which stands between the two.
#[test]
fn calls_between_are_put_off_too() {
    let Some((_folder, path, tests)) = printer() else { return };
    let path = format!("{path}:{tests}");
    let args = ["test-spec", "--class", "spec.Printer", "-c", &path, "--json", "--budget", "1tests"];
    let more = ["--thorough", "--order", "setTitle", "pages", "--tests", "spec.PrinterTest"];
    let run = adit(&[&args[..], &more].concat());
    let evidence = &run.json()["constraints"][0]["evidence"];
    let count = |tally: &str, name: &str| evidence[tally][name].as_u64().unwrap();
    // In `prints` there is less than a page in either order; in `countsPages` the answer differs.
    assert_eq!((count("together", "free"), count("together", "matters")), (1, 1), "{evidence:#}");
    let alone = ["needed", "matters", "free"].map(|name| count("within_tests", name));
    assert_eq!(alone, [0; 3], "{evidence:#}");
}

#[test]
fn mining_ends_with_verdicts_on_the_model() {
    let Some((folder, path, tests)) = printer() else { return };
    let out = folder.path().join("out");
    let place = out.display().to_string();
    let args = ["mine", "spec.Printer", "-c", &path, "-o", &place, "--budget", "1500tests", "--seed", "1"];
    let run = adit(&[&args[..], &["--test-spec", "--tests", &tests]].concat());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let json: Value = serde_json::from_str(&read("test-spec.json")).unwrap();
    let constraints = json["constraints"].as_array().unwrap();
    assert!(run.out.contains(&format!("spec.Printer: {}", json["verdict"].as_str().unwrap())), "{}", run.out);
    assert_eq!(json["version"], 2);
    let page = read("report.html");
    assert_eq!(page.contains("\"orders\":{"), !constraints.is_empty(), "{json:#}");
    // A round without the flag has another model, on which there are no verdicts.
    let again = adit(&[&args[..], &["--tests", &tests]].concat());
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(!out.join("test-spec.json").exists());
    assert!(read("report.html").contains("\"orders\":null"));
}

/// A private nested class has no constructor that could be called, and one of its events no public method.
#[test]
fn objects_of_private_classes_are_made() {
    let Some((_folder, path, _)) = printer() else { return };
    let args =
        ["test-spec", "--class", "spec.Meters$LongMeter", "-c", &path, "--json", "--budget", "20000tests"];
    let orders = ["--order", "add", "total", "--order", "total", "add", "--order", "add", "isAbove"];
    let json = adit(&[&args[..], &orders].concat()).json();
    assert_eq!(on(&json, "add", "total"), ["supported", "matters", "objects"]);
    assert_eq!(on(&json, "total", "add"), ["buggy", "free", "objects"]);
    assert_eq!(on(&json, "add", "isAbove"), ["supported", "matters", "objects"]);
}

/// The arrays that both calls fill are their answers, and nothing else tells the orders apart.
#[test]
fn what_calls_write_into_arguments_is_compared() {
    let Some((_folder, path, _)) = printer() else { return };
    let args = ["test-spec", "--class", "spec.Tape", "-c", &path, "--json", "--budget", "2000tests"];
    let more = ["--script-limit", "200ms", "--order", "left", "right"];
    let json = adit(&[&args[..], &more].concat()).json();
    assert_eq!(on(&json, "left", "right"), ["supported", "matters", "objects"]);
}

/// A test that fails because an array was not filled, or an exception not thrown, says nothing about the
/// order.
#[test]
fn a_test_that_needs_the_call_at_its_place_is_no_witness() {
    let Some((_folder, path, tests)) = printer() else { return };
    let path = format!("{path}:{tests}");
    let args = ["test-spec", "--class", "spec.Tape", "-c", &path, "--json", "--budget", "1tests"];
    let more =
        ["--thorough", "--tests", "spec.TapeTest", "--order", "left", "close", "--order", "right", "close"];
    let json = adit(&[&args[..], &more].concat()).json();
    for constraint in json["constraints"].as_array().unwrap() {
        assert_ne!(constraint["verdict"], "supported", "{constraint:#}");
        let tests = constraint["evidence"]["tests"].as_array().unwrap();
        assert_eq!(tests.len(), 1, "{constraint:#}");
        assert_eq!(tests[0]["supplied"]["invented"], true, "{constraint:#}");
    }
}

/// `print` appends to a text behind a field, which only the recorded states show.
#[test]
fn fields_are_watched_in_tests() {
    let Some((_folder, path, tests)) = printer() else { return };
    let path = format!("{path}:{tests}");
    let ask = |more: &[&str]| {
        let args = ["test-spec", "--class", "spec.Printer", "-c", &path, "--json", "--thorough"];
        let orders = ["setTitle setMargin", "setMargin print", "print pages"];
        let orders = orders.map(|order| order.split_once(' ').unwrap());
        let orders: Vec<&str> = orders.iter().flat_map(|(a, b)| ["--order", a, b]).collect();
        let json = adit(&[&args[..], &orders, more].concat()).json();
        let shares = |number: usize| {
            let shares = &json["constraints"][number]["evidence"]["shares"];
            format!("{} {} {}", shares["watched"], shares["watched_in"], shares["fields"])
        };
        [shares(0), shares(1), shares(2)]
    };
    let expected = |on: &str| {
        [
            format!(r#""no" "{on}" []"#),
            format!(r#""yes" "{on}" ["spec.Printer.margin"]"#),
            format!(r#""yes" "{on}" ["spec.Printer.printed"]"#),
        ]
    };
    assert_eq!(ask(&["--budget", "1tests", "--tests", "spec.PrinterTest"]), expected("tests"));
    assert_eq!(ask(&["--budget", "2000tests"]), expected("objects"));
}

/// Within a test, only the class of a returned array is known, so that two arrays look the same.
#[test]
fn an_object_that_a_test_gets_is_not_compared() {
    let Some((_folder, path, tests)) = printer() else { return };
    let path = format!("{path}:{tests}");
    let args = ["test-spec", "--class", "spec.Roll", "-c", &path, "--json", "--budget", "1tests"];
    let more = ["--thorough", "--tests", "spec.RollTest", "--order", "add", "all"];
    let json = adit(&[&args[..], &more].concat()).json();
    assert_eq!(on(&json, "add", "all"), ["supported", "unknown", "tests"]);
    assert_eq!(json["constraints"][0]["evidence"]["within_tests"]["free"], 0);
}

/// A static method that returns an object of the class makes it, whatever its name.
#[test]
fn no_call_comes_before_a_factory() {
    let Some((_folder, path, _)) = printer() else { return };
    for factory in ["of", "anonymous"] {
        let args = ["test-spec", "--class", "spec.Roll", "-c", &path, "--budget", "1tests"];
        let run = adit(&[&args[..], &["--order", factory, "all"]].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains("no call on an object comes before its creation"), "{}", run.out);
    }
}

/// Calls that never return, while objects are made, fields are watched and tests run.
#[test]
fn the_total_time_is_kept() {
    let Some((_folder, path, tests)) = printer() else { return };
    let path = format!("{path}:{tests}");
    let run = |class: &str, orders: &[&str], test: &str| {
        let args =
            ["test-spec", "--class", class, "-c", &path, "--json", "--thorough", "--total-time", "12s"];
        let start = Instant::now();
        let run = adit(
            &[&args[..], &["--budget", "60s", "--script-limit", "3s", "--tests", test], orders].concat(),
        );
        assert!(run.code < 2, "{}", run.err);
        // Starting Java, and a limit that does not count the time in which the processor is busy with others.
        let most = Duration::from_secs(12 + 30);
        assert!(start.elapsed() < most, "{:?}: {}", start.elapsed(), run.err);
    };
    run("spec.Tape", &["--order", "left", "rewind", "--order", "rewind", "right"], "spec.TapeTest");
    run(
        "spec.Printer",
        &["--order", "print", "turnOff", "--order", "print", "isUsed", "--order", "setTitle", "turnOff"],
        "spec.PatientPrinterTest",
    );
}
