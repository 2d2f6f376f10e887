//! Watching the objects of a class, and of classes below it, while an application runs.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::process::Command;
use std::time::Duration;

use adit_jvm::record::watch::{WatchPlan, Watched};
use adit_jvm::record::{EventNaming, RecordOptions, Task};
use adit_trace::Unlimited;
use expect_test::{Expect, expect};
use support::benches;

const SOURCE: &str = "
public class Boxes {
    static class Box {
        void put() {}
        int take() { return 1; }
    }
    static class Large extends Box {
        @Override int take() { return super.take() + 1; }
    }
    static class Huge extends Large {}
    public static void main(String[] args) {
        for (Box box : new Box[] {new Large(), new Box(), new Huge()}) {
            box.put();
            box.take();
        }
    }
}
";

/// The calls of methods, each with the class of its object, on every JDK.
fn check(exact: bool, expected: &Expect) {
    for bench in benches() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("Boxes.java");
        std::fs::write(&source, SOURCE).unwrap();
        let compiler = bench.jdk.home.join("bin/javac");
        let compiled =
            Command::new(compiler).args(["-nowarn", "-d"]).args([folder.path(), &source]).status().unwrap();
        assert!(compiled.success());
        let mut host = bench.options();
        host.class_path = vec![folder.path().to_owned()];
        let options = RecordOptions {
            host,
            class: "Boxes$Box".to_owned(),
            task: Task::Main { class: "Boxes".to_owned(), args: Vec::new() },
            directory: folder.path().to_owned(),
            record: true,
            limit: Duration::from_secs(120),
            writable: Vec::new(),
            longest_life: 1000,
            naming: EventNaming::Signature,
            states: false,
        };
        let plan = WatchPlan::make(&options, &[("Boxes$Box".to_owned(), exact)]).unwrap();
        let mut calls = String::new();
        let mut sink = |watched| {
            if let Watched::Call(call) = watched
                && let Some(signature) = call.method.and_then(|method| plan.signature(0, method))
            {
                calls.push_str(&format!("{} {signature} {:?}\n", call.class, call.targets));
            }
        };
        plan.run(options, &mut sink, &mut Unlimited).unwrap();
        expected.assert_eq(&calls);
    }
}

#[test]
fn objects_of_classes_below_are_watched_as_well() {
    check(
        false,
        &expect![[r#"
            Boxes$Large put() [0]
            Boxes$Large take() [0]
            Boxes$Box put() [0]
            Boxes$Box take() [0]
            Boxes$Huge put() [0]
            Boxes$Huge take() [0]
        "#]],
    );
}

#[test]
fn only_objects_of_exactly_the_class_are_watched_if_asked() {
    check(
        true,
        &expect![[r#"
            Boxes$Box put() [0]
            Boxes$Box take() [0]
        "#]],
    );
}
