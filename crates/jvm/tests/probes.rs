//! Branches that scripts take, noted by probes in the classes.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use adit_bytecode::probe::{Probe, ProbedClasses, Side, probe_classes};
use adit_jvm::{Host, HostOptions, classes, hits};
use adit_trace::{Run, Subject};
use expect_test::{Expect, expect};
use support::{Bench, benches, script, show};

fn probed(bench: &Bench, class: &str) -> ProbedClasses {
    let path = classes::open(Some(&bench.jdk), std::slice::from_ref(&bench.classes)).unwrap();
    probe_classes(&path, class, &hits()).unwrap()
}

/// Runs a script twice, because the first run also initializes classes, and hands over the second run.
fn run(bench: &Bench, probed: &ProbedClasses, lines: &[&str], options: impl Fn(&mut HostOptions)) -> Run {
    let mut all = HostOptions { probes: Some(probed.clone()), ..bench.options() };
    options(&mut all);
    let mut host = Host::new(all).unwrap();
    assert_eq!(host.unprobed(), None);
    host.run(&[script(lines), script(lines)]).unwrap().pop().unwrap()
}

fn shown(probe: &Probe) -> String {
    let side = match probe.side {
        Side::Entry => "entered".to_owned(),
        Side::On => "goes on".to_owned(),
        Side::Jump => "jumps".to_owned(),
        Side::Arm(arm) => format!("arm {arm}"),
    };
    format!("{}.{} {side}\n", probe.class, probe.method)
}

fn check(class: &str, lines: &[&str], expected: &Expect) {
    for bench in benches() {
        let probed = probed(&bench, class);
        let run = run(&bench, &probed, lines, |_| {});
        let passed: String = run.passed.unwrap().probes().map(|probe| shown(&probed.probes[probe])).collect();
        expected.assert_eq(&passed);
    }
}

#[test]
fn a_class_of_the_class_path() {
    check(
        "BoundedStack",
        &[
            "new BoundedStack (I)V 1",
            "0 BoundedStack.isEmpty ()Z",
            "0 BoundedStack.push (Ljava/lang/Object;)V 'x'",
            "0 BoundedStack.isEmpty ()Z",
        ],
        &expect![[r#"
            BoundedStack.<init> jumps
            BoundedStack.isEmpty goes on
            BoundedStack.isEmpty jumps
            BoundedStack.isFull jumps
            BoundedStack.push jumps
        "#]],
    );
}

/// `ArrayList` is there long before the agent is; `StringTokenizer` is not.
#[test]
fn classes_of_the_jdk_loaded_or_not() {
    for bench in benches() {
        for (class, lines, method) in [
            (
                "java.util.ArrayList",
                ["new java.util.ArrayList ()V", "0 java.util.ArrayList.trimToSize ()V"],
                "trimToSize",
            ),
            (
                "java.util.StringTokenizer",
                [
                    "new java.util.StringTokenizer (Ljava/lang/String;)V 'a\tb'",
                    "0 java.util.StringTokenizer.countTokens ()I",
                ],
                "countTokens",
            ),
        ] {
            let probed = probed(&bench, class);
            let passed = |lines: &[&str]| {
                let passed = run(&bench, &probed, lines, |_| {}).passed.unwrap();
                passed.probes().filter(|&probe| &*probed.probes[probe].method == method).count()
            };
            assert_eq!(passed(&lines[..1]), 0, "{class}");
            assert!(passed(&lines) > 0, "{class}");
        }
    }
}

#[test]
fn what_a_script_gives_does_not_change() {
    for bench in benches() {
        let lines = [
            "new java.util.StringTokenizer (Ljava/lang/String;)V 'a\tb'",
            "0 java.util.StringTokenizer.nextToken ()Ljava/lang/String;",
            "0 java.util.StringTokenizer.countTokens ()I",
            "0 java.util.StringTokenizer.nextToken ()Ljava/lang/String;",
            "0 java.util.StringTokenizer.nextToken ()Ljava/lang/String;",
        ];
        let probed = probed(&bench, "java.util.StringTokenizer");
        let with = run(&bench, &probed, &lines, |options| options.snapshots = true);
        let mut host = Host::new(HostOptions { snapshots: true, ..bench.options() }).unwrap();
        let without = host.run(&[script(&lines)]).unwrap().pop().unwrap();
        assert_eq!(show(&with), show(&without));
        assert_eq!(without.passed, None);
    }
}

/// A loader for each script loads the class anew each time, and it has its probes each time.
#[test]
fn fresh_classes_have_probes_too() {
    for bench in benches() {
        let probed = probed(&bench, "BoundedStack");
        let lines = ["new BoundedStack (I)V 1", "0 BoundedStack.isEmpty ()Z"];
        let run = run(&bench, &probed, &lines, |options| options.fresh_statics = true);
        assert!(run.passed.unwrap().probes().count() > 0);
    }
}

/// A class that is not the one that was read stays as it is.
#[test]
fn another_class_of_the_same_name_is_left_alone() {
    for bench in benches() {
        let mut probed = probed(&bench, "BoundedStack");
        probed.classes[0].old.push(0);
        let run = run(&bench, &probed, &["new BoundedStack (I)V 1"], |_| {});
        assert_eq!(run.passed.unwrap().probes().count(), 0);
        assert_eq!(show(&Run { passed: None, ..run }).lines().next(), Some("BoundedStack #0"));
    }
}

/// A class that the JVM refuses is reported, and scripts run without probes.
#[test]
fn a_refusal_is_no_failure() {
    for bench in benches() {
        let mut probed = probed(&bench, "java.util.ArrayList");
        // The body of another class.
        probed.classes[0].new = hits().class_file();
        let mut host = Host::new(HostOptions { probes: Some(probed), ..bench.options() }).unwrap();
        assert!(
            host.unprobed().is_some_and(|why| why.contains("java.util.ArrayList")),
            "{:?}",
            host.unprobed()
        );
        let run = host.run(&[script(&["new java.util.ArrayList ()V"])]).unwrap().pop().unwrap();
        assert_eq!(run.passed.unwrap().probes().count(), 0);
    }
}
