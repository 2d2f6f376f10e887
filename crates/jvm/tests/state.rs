//! State that scripts leave behind, as it is observed on every JDK that is found: fields, static state, open
//! files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::path::PathBuf;
use std::process::Command;

use adit_jvm::{Host, HostOptions};
use adit_trace::{Depth, End, Run, Script, StepResult, Subject, Value};
use expect_test::{Expect, expect};
use support::{Bench, benches, script, show};

fn check(options: impl Fn(&mut HostOptions), scripts: &[Script], expected: Expect) {
    for bench in benches() {
        expected.assert_eq(&run(&bench, &options, scripts).iter().map(show).collect::<String>());
    }
}

/// Like [`check`], for scripts whose second half is to give the same as the first.
fn check_halves(options: impl Fn(&mut HostOptions), scripts: &[Script], expected: Expect) {
    for bench in benches() {
        let shown: Vec<String> = run(&bench, &options, scripts).iter().map(show).collect();
        let (first, second) = shown.split_at(shown.len() / 2);
        expected.assert_eq(&first.concat());
        assert_eq!(first, second);
    }
}

fn run(bench: &Bench, options: impl Fn(&mut HostOptions), scripts: &[Script]) -> Vec<Run> {
    let mut all = bench.options();
    options(&mut all);
    Host::new(all).unwrap().run(scripts).unwrap()
}

/// The subjects in a jar.
fn jar(bench: &Bench) -> PathBuf {
    let jar = bench.boxes.path().join("subjects.jar");
    let command = bench.jdk.home.join("bin/jar");
    let made = Command::new(command).arg("cf").arg(&jar).arg("-C").arg(&bench.classes).arg(".").status();
    assert!(made.unwrap().success());
    jar
}

/// The object that a factory gives has a snapshot like one that a constructor makes, and the first call on it
/// sends only what changed.
#[test]
fn objects_from_factories_have_snapshots() {
    let scripts = [script(&[
        "static java.util.OptionalInt.of (I)Ljava/util/OptionalInt; 5",
        "0 java.util.OptionalInt.isPresent ()Z",
        "static java.lang.Integer.valueOf (I)Ljava/lang/Integer; 5",
    ])];
    check(
        |options| options.snapshots = true,
        &scripts,
        expect![[r#"
            java.util.OptionalInt #0 isPresent=true value=5
            true isPresent=true value=5
            5
            Complete
        "#]],
    );
}

/// The machine numbers classes that it makes at run time in the order of their making, and gives hidden ones
/// an address. An object that holds one of them must not look different in every worker.
#[test]
fn objects_of_classes_that_are_made_at_run_time_look_the_same_in_every_worker() {
    let predicate = "(Ljava/util/function/Predicate;)Ljava/util/function/Predicate;";
    let holding =
        script(&[&format!("static java.util.function.Predicate.not {predicate} {{true}}"), "new Holder ()V"]);
    let other = script(&["static Arguments.supply (Ljava/util/function/Supplier;)Ljava/lang/Object; {1}"]);
    for bench in benches() {
        let look = |scripts: &[Script]| -> String {
            let runs = run(&bench, |options| options.snapshots = true, scripts);
            runs.last().map(show).unwrap()
        };
        let first = look(std::slice::from_ref(&holding));
        assert!(first.contains("Lambda"), "{first}");
        assert!(!first.contains("0x"), "{first}");
        assert_eq!(look(&[other.clone(), holding.clone()]), first);
    }
}

#[test]
fn sizes_show_without_running_foreign_code() {
    let script = script(&[
        "new Holder ()V",
        "0 Holder.add (Ljava/lang/Object;)V 'ab'",
        "0 Holder.add (Ljava/lang/Object;)V 1",
        "0 Holder.look ()V",
        "0 Holder.fix ()V",
        "0 Holder.rename (Ljava/lang/String;)V 'ünlike'",
        "0 Holder.asked ()I",
    ]);
    check(
        |options| options.snapshots = true,
        &[script],
        expect![[r#"
            Holder #0 fixed=null fixed.size=null list="java.util.ArrayList" list.size=0 map="java.util.HashMap" map.size=0 name="none" text="java.lang.StringBuilder" text.length=0 traitor="Holder$Traitor" view="java.util.Collections$UnmodifiableList" view.size=null
            void fixed=null fixed.size=null list="java.util.ArrayList" list.size=1 map="java.util.HashMap" map.size=1 name="none" text="java.lang.StringBuilder" text.length=2 traitor="Holder$Traitor" view="java.util.Collections$UnmodifiableList" view.size=null
            void fixed=null fixed.size=null list="java.util.ArrayList" list.size=2 map="java.util.HashMap" map.size=2 name="none" text="java.lang.StringBuilder" text.length=3 traitor="Holder$Traitor" view="java.util.Collections$UnmodifiableList" view.size=null
            void fixed=null fixed.size=null list="java.util.ArrayList" list.size=2 map="java.util.HashMap" map.size=2 name="none" text="java.lang.StringBuilder" text.length=3 traitor="Holder$Traitor" view="java.util.Collections$UnmodifiableList" view.size=null
            void fixed="java.util.ImmutableCollections$ListN" fixed.size=3 list="java.util.ArrayList" list.size=2 map="java.util.HashMap" map.size=2 name="none" text="java.lang.StringBuilder" text.length=3 traitor="Holder$Traitor" view="java.util.Collections$UnmodifiableList" view.size=null
            void fixed="java.util.ImmutableCollections$ListN" fixed.size=3 list="java.util.ArrayList" list.size=2 map="java.util.HashMap" map.size=2 name="ünlike" text="java.lang.StringBuilder" text.length=3 traitor="Holder$Traitor" view="java.util.Collections$UnmodifiableList" view.size=null
            0 fixed="java.util.ImmutableCollections$ListN" fixed.size=3 list="java.util.ArrayList" list.size=2 map="java.util.HashMap" map.size=2 name="ünlike" text="java.lang.StringBuilder" text.length=3 traitor="Holder$Traitor" view="java.util.Collections$UnmodifiableList" view.size=null
            Complete
        "#]],
    );
}

#[test]
fn snapshots_of_several_objects_do_not_mix() {
    let script = script(&[
        "new BoundedStack (I)V 1",
        "new BoundedStack (I)V 2",
        "0 BoundedStack.push (Ljava/lang/Object;)V #1",
        "1 BoundedStack.push (Ljava/lang/Object;)V 'a'",
        "0 BoundedStack.top ()Ljava/lang/Object;",
        "4 BoundedStack.push (Ljava/lang/Object;)V 'b'",
        "1 BoundedStack.size ()I",
        "0 BoundedStack.makeEmpty ()V",
        "new java.util.StringTokenizer (Ljava/lang/String;)V 'x'",
        "8 java.util.StringTokenizer.nextToken ()Ljava/lang/String;",
    ]);
    let fields = |options: &mut HostOptions| options.snapshots = true;
    for bench in benches() {
        let runs = run(&bench, fields, &[script.clone(), script.clone()]);
        assert_eq!(runs[0], runs[1], "what was kept of one script is not there in the next");
        let steps = &runs[0].steps;
        let top = |step: usize| steps[step].fields.as_ref().unwrap().get("top").cloned();
        let tops = [0, 1, 2, 3, 4, 5, 6, 7].map(top);
        let expected = [-1, -1, 0, 0, 0, 1, 1, -1].map(|top| Some(Value::Int(top)));
        assert_eq!(tops, expected);
        let (before, after) = (steps[5].fields.as_ref().unwrap(), steps[6].fields.as_ref().unwrap());
        assert!(before.is(after), "what did not change is shared");
    }
}

#[test]
fn static_state_begins_anew_when_asked() {
    let counting = script(&[
        "static Counter.create ()LCounter;",
        "0 Counter.next ()I",
        "0 Counter.next ()I",
        "static Counter.applied (Ljava/util/function/IntSupplier;)I {10}",
        "static Counter.sameLoader ()Z",
    ]);
    let scripts = [counting.clone(), counting];
    check(
        |_| (),
        &scripts,
        expect![[r#"
            Counter #0
            1
            2
            13
            true
            Complete
            Counter #0
            4
            5
            16
            true
            Complete
        "#]],
    );
    check_halves(
        |options| options.fresh_statics = true,
        &scripts,
        expect![[r#"
            Counter #0
            1
            2
            13
            true
            Complete
        "#]],
    );
}

#[test]
fn a_new_loader_changes_nothing_else() {
    let scripts = [
        script(&["new AllTypes ()V", "0 AllTypes.join (LAllTypes;)LAllTypes; #0", "0 AllTypes.mute ()V"]),
        script(&["new no.such.Class ()V", "new FailsToInitialize ()V", "new NeedsMissing ()V"]),
        script(&["static Arguments.hidden (LArguments$Hidden;)D {0.5}"]),
        script(&["static Arguments.supply (Ljava/util/function/Supplier;)Ljava/lang/Object; {'x'}"]),
        script(&["static Arguments.texts ([Ljava/lang/String;)Ljava/lang/String; ['a']"]),
        script(&["static Arguments.named (Ljava/lang/Class;)Ljava/lang/String; @AllTypes"]),
        script(&["field Arguments.FAVORITE LArguments$Color;", "new java.util.HashMap ()V"]),
    ];
    let twice = [scripts.clone(), scripts].concat();
    check_halves(
        |options| (options.fresh_statics, options.snapshots) = (true, true),
        &twice,
        expect![[r#"
            AllTypes #0 AllTypesBase::number=8 brief=300 flag=true inherited=null large=1099511627776 letter=120 nothing.length=null number=7 numbers.length=3 other="java.lang.Object" real=3.141592653589793 single=0.5 small=-1 text="täxt"
            AllTypes #0 AllTypesBase::number=8 brief=300 flag=true inherited=null large=1099511627776 letter=120 nothing.length=null number=7 numbers.length=3 other="java.lang.Object" real=3.141592653589793 single=0.5 small=-1 text="täxt"
            threw AllTypes$1 AllTypesBase::number=8 brief=300 flag=true inherited=null large=1099511627776 letter=120 nothing.length=null number=7 numbers.length=3 other="java.lang.Object" real=3.141592653589793 single=0.5 small=-1 text="täxt"
            Complete
            no such call: java.lang.ClassNotFoundException: no.such.Class
            no such call: java.lang.ExceptionInInitializerError
            NeedsMissing #2
            Complete
            0.5
            Complete
            "x"
            Complete
            "[Ljava.lang.String; [a]"
            Complete
            "AllTypes"
            Complete
            Arguments$Color #0
            java.util.HashMap #1 entrySet=null entrySet.size=null keySet=null keySet.size=null loadFactor=0.75 modCount=0 size=0 table.length=null threshold=0 values=null values.size=null
            Complete
        "#]],
    );
}

/// Thousands of loaders, from a jar, through a change of workers: no metaspace, files or classes run out.
#[test]
fn loaders_are_given_back() {
    let Some(bench) = support::bench() else { return };
    let scripts = vec![script(&["new Counter ()V", "0 Counter.next ()I"]); 3000];
    let jar = jar(&bench);
    let fresh = |options: &mut HostOptions| {
        (options.fresh_statics, options.watch_descriptors) = (true, true);
        options.class_path = vec![jar.clone()];
    };
    let runs = run(&bench, fresh, &scripts);
    assert!(runs.iter().all(|run| *run == runs[0]), "{}", show(&runs[0]));
    assert_eq!((&runs[0].end, runs[0].leaked), (&End::Complete, false));
}

#[test]
fn a_script_that_leaves_a_file_open_is_known() {
    let open = ["new Leaky ()V", "0 Leaky.open ()V", "0 Leaky.close ()V"];
    let scripts = [
        script(&["static Leaky.random ()I"]),
        script(&open),
        script(&open[..2]),
        script(&open),
        script(&["new BoundedStack (I)V 1"]),
        script(&open[..2]),
    ];
    for bench in benches() {
        let jar = jar(&bench);
        for classes in [bench.classes.clone(), jar] {
            let leaked = |watch| {
                let options = |options: &mut HostOptions| {
                    options.watch_descriptors = watch;
                    options.class_path = vec![classes.clone()];
                };
                let runs = run(&bench, options, &scripts);
                assert!(runs.iter().all(|run| run.end == End::Complete));
                runs.iter().map(|run| run.leaked).collect::<Vec<_>>()
            };
            assert_eq!(leaked(true), [false, false, true, false, false, true], "{}", bench.jdk.version);
            assert_eq!(leaked(false), [false; 6]);
        }
    }
}

/// A worker may have 1,024 files open. What scripts leave open is closed for them, or the later ones would
/// fail.
#[test]
fn open_files_do_not_pile_up() {
    for bench in benches() {
        let scripts = vec![script(&["new java.io.FileInputStream (Ljava/lang/String;)V '/dev/null'"]); 3000];
        let runs = run(&bench, |options| options.limits.recycle_after = u64::MAX, &scripts);
        assert!(runs.iter().all(|run| *run == runs[0]), "{}", show(&runs[0]));
        assert!(matches!(runs[0].steps[0].result, StepResult::Object { .. }), "{}", show(&runs[0]));
    }
}

/// An array longer than any can be is no reason to replace the worker: its static state goes on.
#[test]
fn impossible_sizes_do_not_cost_a_worker() {
    for bench in benches() {
        let count = script(&["new Counter ()V", "0 Counter.next ()I"]);
        let scripts = [count.clone(), script(&["new java.util.Vector (I)V 2147483647"]), count];
        let runs = run(&bench, |_| (), &scripts);
        let value = |run: &Run| run.steps.last().unwrap().result.clone();
        assert_eq!(value(&runs[0]), StepResult::Returned(Value::Int(1)));
        assert!(
            matches!(value(&runs[1]), StepResult::Threw { class, .. } if class.ends_with("OutOfMemoryError"))
        );
        assert_eq!(value(&runs[2]), StepResult::Returned(Value::Int(2)));
    }
}

/// The machine's own check of how it is called has nothing to say, whatever a script does.
#[test]
fn the_machine_finds_no_fault_in_how_it_is_called() {
    let mut long = vec!["new AllTypes ()V"];
    long.resize(300, "0 AllTypes.self ()LAllTypes;");
    let wide =
        format!("static Arguments.type (Ljava/lang/Object;)Ljava/lang/String; [{}]", ["1"; 200].join(","));
    let scripts = [
        script(&long),
        script(&[&wide, "static Arguments.ints ([I)Ljava/lang/String; [1,2]"]),
        script(&[
            "new BoundedStack (I)V 0",
            "0 BoundedStack.pop ()V",
            "0 BoundedStack.push (Ljava/lang/Object;)V 'a'",
        ]),
        script(&[
            "new no.such.Class ()V",
            "new AllTypes (I)V 1",
            "new AllTypes ()I",
            "new java.lang.Number ()V",
        ]),
        script(&["new AllTypes ()V", "0 AllTypes.mute ()V", "0 AllTypes.fail (Ljava/lang/String;)V 'x'"]),
        script(&["new AllTypes ()V", "0 AllTypes.large (J)J 1", "0 AllTypes.text (Ljava/lang/String;)V #0"]),
        script(&["new FailsToInitialize ()V", "new java.util.HashMap ()V"]),
        script(&["new AllTypes ()V", "0 AllTypes.describe (Ljava/lang/Object;)Ljava/lang/String; #0"]),
        script(&[
            "new Holder ()V",
            "0 Holder.add (Ljava/lang/Object;)V 1",
            "0 Holder.fix ()V",
            "0 Holder.look ()V",
        ]),
        script(&[
            "static Arguments.supply (Ljava/util/function/Supplier;)Ljava/lang/Object; {[1,'a',null]}",
            "static Arguments.sealed (LArguments$Sealed;)I {1}",
            "static Arguments.narrow (LArguments$Narrow;)I {'four'}",
            "static Arguments.two (LArguments$Two;)V {null}",
            "static Arguments.run (Ljava/lang/Runnable;)V {null}",
        ]),
        script(&[
            "field Arguments.BOXED Ljava/lang/Integer;",
            "static Arguments.plain (I)I #0",
            "field Arguments.MISSING I",
            "static Arguments.named (Ljava/lang/Class;)Ljava/lang/String; @no.such.Class",
            "static Arguments.matrix ([[I)Ljava/lang/String; [[1],['a']]",
            "field Arguments.LETTER C",
        ]),
    ];
    for bench in benches() {
        for fresh in [false, true] {
            let said = bench.boxes.path().join(format!("said-{fresh}"));
            let mut options = bench.options();
            (options.snapshots, options.watch_descriptors, options.fresh_statics) = (true, true, fresh);
            options.machine_flags = vec!["-Xcheck:jni".to_owned(), "-XX:+PrintFlagsFinal".to_owned()];
            let wrapped = format!("exec \"$0\" \"$@\" >>'{}' 2>&1", said.display());
            options.arguments = vec!["-c".into(), wrapped.into()];
            options.arguments.push(std::mem::replace(&mut options.program, "/bin/sh".into()).into());
            let mut host = Host::new(options).unwrap();
            host.look(Depth::Reachable);
            let runs = host.run(&scripts).unwrap();
            assert!(runs.iter().all(|run| run.end == End::Complete));
            let said = std::fs::read_to_string(said).unwrap();
            // The list of flags says that the check is on, so that this test cannot pass in silence.
            let checked = said.lines().find(|line| line.contains(" CheckJNICalls ")).unwrap_or_default();
            assert!(checked.contains("= true"), "{checked}");
            assert!(!said.contains("WARNING") && !said.contains("FATAL"), "{said}");
        }
    }
}

/// A host that watches notices that a class remembers what earlier scripts did, and from then on each script
/// has a class of its own. A class that remembers nothing is not loaded anew.
#[test]
fn static_state_that_leaks_is_noticed() {
    for bench in benches() {
        let mut options = bench.options();
        options.watch_statics = true;
        let mut host = Host::new(options.clone()).unwrap();
        let counts = script(&["new Counter ()V", "0 Counter.next ()I", "0 Counter.next ()I"]);
        host.run(&vec![counts.clone(); 500]).unwrap();
        assert!(host.has_fresh_statics());
        let runs = host.run(&[counts.clone(), counts]).unwrap();
        assert_eq!(show(&runs[0]), show(&runs[1]));
        let mut host = Host::new(options).unwrap();
        let clean = script(&["new StackAr (I)V 3", "0 StackAr.isEmpty ()Z", "0 StackAr.isFull ()Z"]);
        host.run(&vec![clean; 500]).unwrap();
        assert!(!host.has_fresh_statics());
    }
}

/// The order of `Set.of` depends on the time at which a machine was started. Here, it is the same in all
/// machines until new ones are asked for.
#[test]
fn immutable_collections_have_one_order_in_all_machines() {
    let of = "Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;";
    let line = format!("static java.util.Set.of ({of})Ljava/util/Set; 'a' 'b' 'c' 'd' 'e'");
    let set = script(&[&line, "0 java.util.AbstractCollection.toString ()Ljava/lang/String;"]);
    for bench in benches() {
        let orders = || -> Vec<String> {
            let mut host = bench.host();
            let mut order = |_| {
                let shown = show(&host.run(std::slice::from_ref(&set)).unwrap()[0]);
                host.renew();
                shown
            };
            (0..5).map(&mut order).collect()
        };
        let first = orders();
        assert!(first[0].contains("[") && first[0].contains("e"), "{first:?}");
        assert_eq!(first, orders());
        assert!(first.iter().any(|order| *order != first[0]), "{first:?}");
    }
}
