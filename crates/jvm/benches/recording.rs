//! Cost of recording a class while a project's tests run, and a check that they end as they do without.
//!
//! Run with `cargo bench -p adit-jvm --bench recording -- FOLDER CLASSPATH TESTS CLASS…`: the project's
//! folder, its class path with all jars, the folder of the compiled tests, and the classes to record.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark is there to print its result")]

use std::path::PathBuf;
use std::time::Duration;

use adit_jvm::find::{Places, USUAL, find};
use adit_jvm::record::{EventNaming, Outcome, RecordOptions, Recorded, Task, find_tests, record};
use adit_jvm::{HostOptions, Limits, classes};
use adit_trace::Unlimited;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [folder, class_path, tests, under @ ..] = arguments.as_slice() else {
        return println!("NOT RUN: no project was named: FOLDER CLASSPATH TESTS CLASS…");
    };
    let places = Places {
        java_home: std::env::var_os("JAVA_HOME").map(PathBuf::from),
        path: std::env::var_os("PATH"),
        usual: USUAL.map(PathBuf::from).to_vec(),
    };
    let jdk = match find(&places) {
        Ok(jdk) => jdk,
        Err(error) => return println!("NOT RUN: {error}"),
    };
    let mut host = HostOptions::new(env!("CARGO_BIN_EXE_adit-jvm-worker").into(), Vec::new(), jdk.clone());
    host.class_path = std::env::split_paths(class_path).collect();
    host.limits = Limits { heap_megabytes: 1024, box_megabytes: 256, ..host.limits };
    let own = classes::open(None, &[PathBuf::from(tests)]).unwrap().names();
    let path = classes::open(Some(&jdk), &host.class_path).unwrap();
    let classes = find_tests(&path, own.iter().map(String::as_str));
    println!("{} test classes on JDK {}", classes.len(), jdk.version);
    for class in under {
        let options = RecordOptions {
            host: host.clone(),
            class: class.clone(),
            task: Task::Tests { classes: classes.clone() },
            directory: folder.into(),
            record: true,
            limit: Duration::from_secs(600),
            writable: Vec::new(),
            longest_life: 10_000,
            naming: EventNaming::Name,
            states: false,
        };
        let without = run(&RecordOptions { record: false, ..options.clone() });
        let with = run(&options);
        let again = run(&RecordOptions { record: false, ..options });
        let same = outcomes(&with) == outcomes(&without);
        let plain = without.elapsed.min(again.elapsed).as_secs_f64();
        println!(
            "{class}: {} objects, {} events; {:.2} s without, {:.2} s with ({:.2} times); {}, {} left out, {} lives cut; {:?}",
            with.objects,
            with.events,
            plain,
            with.elapsed.as_secs_f64(),
            with.elapsed.as_secs_f64() / plain,
            if same { "same outcomes" } else { "OTHER OUTCOMES" },
            with.left.len(),
            with.cut,
            with.end,
        );
        let count =
            |wanted: fn(&Outcome) -> bool| with.tests.iter().filter(|test| wanted(&test.outcome)).count();
        println!(
            "  tests: {} passed, {} failed, {} skipped",
            count(|outcome| *outcome == Outcome::Passed),
            count(|outcome| matches!(outcome, Outcome::Failed { .. })),
            count(|outcome| *outcome == Outcome::Skipped),
        );
        let (one, other) = (outcomes(&without), outcomes(&with));
        for (name, failed) in other.iter().filter(|outcome| !one.contains(outcome)) {
            println!("  only with recording: {name} {failed}");
        }
    }
}

fn run(options: &RecordOptions) -> Recorded {
    record(options.clone(), &mut drop, &mut Unlimited).unwrap()
}

/// The tests and how each ended, without messages, which may hold times and addresses.
fn outcomes(recorded: &Recorded) -> Vec<(String, &'static str)> {
    let word = |outcome: &Outcome| match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed { .. } => "failed",
        Outcome::Skipped => "skipped",
    };
    let mut list: Vec<_> =
        recorded.tests.iter().map(|test| (test.name.clone(), word(&test.outcome))).collect();
    list.sort();
    list
}
