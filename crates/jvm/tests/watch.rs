//! Fields that calls touch, seen by the virtual machine itself.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use adit_jvm::{Host, HostOptions, Profile};
use adit_trace::{Script, Subject};
use expect_test::{Expect, expect};
use support::{benches, script};

/// For each step, the fields read and those written, on every JDK.
fn check(classes: &[&str], lines: &[&str], expected: &Expect) {
    for bench in benches() {
        expected.assert_eq(&touched(watching(bench.options(), classes), &script(lines)));
    }
}

fn watching(options: HostOptions, classes: &[&str]) -> HostOptions {
    HostOptions {
        profile: Profile::Watch { classes: classes.iter().map(ToString::to_string).collect() },
        ..options
    }
}

fn touched(options: HostOptions, script: &Script) -> String {
    let mut host = Host::new(options).unwrap();
    // The second time, initializers have run and names are known.
    let runs = host.run(&[script.clone(), script.clone()]).unwrap();
    let lines = runs[1].steps.iter().map(|step| match &step.effects {
        Some(effects) => {
            let list = |names: &std::collections::BTreeSet<std::sync::Arc<str>>| {
                names.iter().map(|name| &**name).collect::<Vec<_>>().join(" ")
            };
            format!("reads [{}] writes [{}]\n", list(&effects.reads), list(&effects.writes))
        }
        None => format!("{:?}\n", step.result),
    });
    lines.collect()
}

#[test]
fn fields_of_a_class_and_those_above_it() {
    check(
        &["Ledger"],
        &[
            "new Ledger ()V",
            "0 Ledger.total ()I",
            "0 Ledger.add (I)V 5",
            "0 Ledger.fail ()V",
            "0 Ledger.nothing ()V",
            "0 Ledger.owner ()Ljava/lang/String;",
            "static Ledger.opened ()I",
        ],
        &expect![[r#"
            reads [Ledger.opened] writes [Book.owner Ledger.files Ledger.marks Ledger.notes Ledger.opened]
            reads [Ledger.total] writes []
            reads [Ledger.total] writes [Ledger.total]
            reads [] writes [Ledger.total]
            reads [] writes []
            reads [Book.owner] writes []
            reads [Ledger.opened] writes []
        "#]],
    );
}

/// No machine reports stores into arrays.
#[test]
fn arrays_behind_fields() {
    check(
        &["Ledger"],
        &[
            "new Ledger ()V",
            "0 Ledger.mark (I)V 1",
            "0 Ledger.mark (I)V 1",
            "0 Ledger.file (Ljava/lang/String;)V 'x'",
            "0 Ledger.note (I)V 2",
        ],
        &expect![[r#"
            reads [Ledger.opened] writes [Book.owner Ledger.files Ledger.marks Ledger.notes Ledger.opened]
            reads [Ledger.marks] writes [Ledger.marks]
            reads [Ledger.marks] writes []
            reads [Ledger.files] writes [Ledger.files]
            reads [Ledger.notes] writes [Ledger.notes]
        "#]],
    );
}

#[test]
fn classes_of_the_jdk() {
    check(
        &["java.util.ArrayList"],
        &[
            "new java.util.ArrayList ()V",
            "0 java.util.ArrayList.add (Ljava/lang/Object;)Z 'x'",
            "0 java.util.ArrayList.size ()I",
            "0 java.util.ArrayList.set (ILjava/lang/Object;)Ljava/lang/Object; 0 'y'",
            "0 java.util.ArrayList.get (I)Ljava/lang/Object; 0",
        ],
        &expect![[r#"
            reads [java.util.ArrayList.DEFAULTCAPACITY_EMPTY_ELEMENTDATA] writes [java.util.AbstractList.modCount java.util.ArrayList.elementData]
            reads [java.util.AbstractList.modCount java.util.ArrayList.DEFAULTCAPACITY_EMPTY_ELEMENTDATA java.util.ArrayList.elementData java.util.ArrayList.size] writes [java.util.AbstractList.modCount java.util.ArrayList.elementData java.util.ArrayList.size]
            reads [java.util.ArrayList.size] writes []
            reads [java.util.ArrayList.elementData java.util.ArrayList.size] writes [java.util.ArrayList.elementData]
            reads [java.util.ArrayList.elementData java.util.ArrayList.size] writes []
        "#]],
    );
    check(
        &["java.util.HashSet"],
        &[
            "new java.util.HashSet ()V",
            "0 java.util.HashSet.add (Ljava/lang/Object;)Z 'x'",
            "0 java.util.HashSet.add (Ljava/lang/Object;)Z 'y'",
            "0 java.util.HashSet.add (Ljava/lang/Object;)Z 'y'",
            "0 java.util.HashSet.isEmpty ()Z",
        ],
        &expect![[r#"
            reads [] writes [java.util.HashSet.map]
            reads [java.util.HashSet.PRESENT java.util.HashSet.map] writes [java.util.HashSet.map]
            reads [java.util.HashSet.PRESENT java.util.HashSet.map] writes [java.util.HashSet.map]
            reads [java.util.HashSet.PRESENT java.util.HashSet.map] writes []
            reads [java.util.HashSet.map] writes []
        "#]],
    );
}

/// `ArrayList.SubList` extends `AbstractList` too, which so is met twice.
#[test]
fn fields_above_a_class_and_its_nested_class() {
    let lines = [
        "new java.util.ArrayList ()V",
        "0 java.util.ArrayList.add (Ljava/lang/Object;)Z 'x'",
        "0 java.util.ArrayList.subList (II)Ljava/util/List; 0 1",
        "0 java.util.ArrayList.clear ()V",
    ];
    for bench in benches() {
        let told = touched(watching(bench.options(), &["java.util.ArrayList"]), &script(&lines));
        let last = told.lines().last().unwrap_or_default();
        assert!(last.contains("writes [java.util.AbstractList.modCount"), "{told}");
    }
}

/// The machine's own check of how it is called has nothing to say.
#[test]
fn the_machine_finds_no_fault_in_how_it_is_called() {
    for bench in benches() {
        let said = bench.boxes.path().join("said");
        let mut options = watching(bench.options(), &["Ledger", "java.util.HashSet", "java.util.HashMap"]);
        options.machine_flags = vec!["-Xcheck:jni".to_owned(), "-XX:+PrintFlagsFinal".to_owned()];
        let wrapped = format!("exec \"$0\" \"$@\" >>'{}' 2>&1", said.display());
        options.arguments = vec!["-c".into(), wrapped.into()];
        options.arguments.push(std::mem::replace(&mut options.program, "/bin/sh".into()).into());
        let lines = [
            "new Ledger ()V",
            "0 Ledger.mark (I)V 1",
            "0 Ledger.file (Ljava/lang/String;)V 'x'",
            "new java.util.HashSet ()V",
            "3 java.util.HashSet.add (Ljava/lang/Object;)Z 'x'",
            "0 Ledger.fail ()V",
        ];
        assert_eq!(touched(options, &script(&lines)).lines().count(), lines.len());
        let said = std::fs::read_to_string(said).unwrap();
        // The list of flags says that the check is on, so that this test cannot pass in silence.
        let checked = said.lines().find(|line| line.contains(" CheckJNICalls ")).unwrap_or_default();
        assert!(checked.contains("= true"), "{checked}");
        assert!(!said.contains("WARNING") && !said.contains("FATAL"), "{said}");
    }
}

#[test]
fn nothing_is_watched_unless_asked_for() {
    check(
        &["Absent"],
        &["new Ledger ()V"],
        &expect![[r#"
        reads [] writes []
    "#]],
    );
    for bench in benches() {
        let mut host = Host::new(bench.options()).unwrap();
        let runs = host.run(&[script(&["new Ledger ()V"])]).unwrap();
        assert_eq!(runs[0].steps[0].effects, None);
    }
}

#[test]
fn a_dead_worker_is_replaced_by_one_that_watches() {
    for bench in benches() {
        let mut host = Host::new(watching(bench.options(), &["Ledger"])).unwrap();
        let batch = [script(&["new Exits ()V", "0 Exits.attack ()V"]), script(&["new Ledger ()V"])];
        let runs = host.run(&batch).unwrap();
        let touched = runs[1].steps[0].effects.as_ref().unwrap();
        assert!(touched.writes.contains("Ledger.opened"), "{touched:?}");
    }
}
