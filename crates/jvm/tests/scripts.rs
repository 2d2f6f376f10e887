//! Scripts on a real virtual machine: what goes in, what comes out, and what is refused.

mod support;

use adit_jvm::{Host, HostError};
use adit_trace::{End, EventNames, Labels, Script, Subject};
use expect_test::{Expect, expect};
use support::{bench, script, show};

fn check(lines: &[&str], expected: Expect) {
    if let Some(bench) = bench() {
        expected.assert_eq(&bench.show(lines));
    }
}

#[test]
fn a_stack_lives_and_dies() {
    check(
        &[
            "new BoundedStack (I)V 1",
            "0 BoundedStack.isEmpty ()Z",
            "0 BoundedStack.push (Ljava/lang/Object;)V 'a'",
            "0 BoundedStack.push (Ljava/lang/Object;)V null",
            "0 BoundedStack.topAndPop ()Ljava/lang/Object;",
            "0 BoundedStack.topAndPop ()Ljava/lang/Object;",
            "0 BoundedStack.pop ()V",
            "0 BoundedStack.size ()I",
            "new BoundedStack (I)V -1",
            "8 BoundedStack.size ()I",
        ],
        expect![[r#"
            BoundedStack #0
            true
            void
            threw java.lang.IllegalStateException: full
            "a"
            null
            threw java.util.NoSuchElementException
            0
            threw java.lang.IllegalArgumentException: negative capacity: -1
            skipped: NoReceiver
            Complete
        "#]],
    );
}

#[test]
fn every_type_goes_in_and_comes_out() {
    check(
        &[
            "new AllTypes ()V",
            "0 AllTypes.flag (Z)Z true",
            "0 AllTypes.small (B)B 255",
            "0 AllTypes.letter (C)C 65",
            "0 AllTypes.brief (S)S -7",
            "0 AllTypes.number (I)I -2147483648",
            "0 AllTypes.large (J)J 9223372036854775807",
            "0 AllTypes.single (F)F 0.1",
            "0 AllTypes.real (D)D -0.0",
            "0 AllTypes.text (Ljava/lang/String;)Ljava/lang/String; 'ä😀'",
            "0 AllTypes.longText (I)Ljava/lang/String; 1000",
            "0 AllTypes.describe (Ljava/lang/Object;)Ljava/lang/String; #9",
            "0 AllTypes.number (I)I #5",
            "0 AllTypes.nothing ()Ljava/lang/Object;",
            "0 AllTypes.describe (Ljava/lang/Object;)Ljava/lang/String; #13",
            "0 AllTypes.fail (Ljava/lang/String;)V 'broken'",
            "0 AllTypes.mute ()V",
            "static AllTypes.staticFlag ()Z",
            "static AllTypes.staticSmall ()B",
            "static AllTypes.staticLetter ()C",
            "static AllTypes.staticBrief ()S",
            "static AllTypes.staticNumber ()I",
            "static AllTypes.staticLarge ()J",
            "static AllTypes.staticSingle ()F",
            "static AllTypes.staticReal ()D",
            "static AllTypes.staticText ()Ljava/lang/String;",
            "static AllTypes.staticNothing ()V",
            "static java.lang.Integer.valueOf (I)Ljava/lang/Integer; 12",
        ],
        expect![[r#"
            AllTypes #0
            false
            -1
            65
            -7
            -2147483648
            9223372036854775807
            0.10000000149011612
            -0.0
            "ä😀"
            "abababababababababababababababababababab…"
            "ä😀"
            -2147483648
            null
            "null"
            threw java.io.IOException: broken
            threw AllTypes$1
            true
            1
            97
            2
            3
            4
            1.5
            2.5
            "s"
            void
            12
            Complete
        "#]],
    );
}

#[test]
fn objects_are_known_again() {
    check(
        &[
            "new AllTypes ()V",
            "0 AllTypes.self ()LAllTypes;",
            "static BoundedStack.small ()LBoundedStack;",
            "1 AllTypes.join (LAllTypes;)LAllTypes; #0",
            "3 AllTypes.number (I)I 1",
        ],
        expect![[r#"
            AllTypes #0
            AllTypes #0
            BoundedStack #2
            AllTypes #0
            1
            Complete
        "#]],
    );
}

#[test]
fn what_does_not_fit_is_not_called() {
    check(
        &[
            "new AllTypes ()V",
            "new BoundedStack (I)V 1",
            "0 AllTypes.join (LAllTypes;)LAllTypes; #1",
            "0 AllTypes.text (Ljava/lang/String;)Ljava/lang/String; #1",
            "1 AllTypes.self ()LAllTypes;",
            "0 AllTypes.number (I)I 'text'",
            "0 AllTypes.number (I)I",
            "0 AllTypes.join (LAllTypes;)LAllTypes; 'text'",
            "0 AllTypes.join (LAllTypes;)LAllTypes; #99",
            "0 AllTypes.flag (Z)Z #0",
            "77 AllTypes.self ()LAllTypes;",
            "0 AllTypes.nothing ()Ljava/lang/Object;",
            "11 AllTypes.self ()LAllTypes;",
            "0 AllTypes.large (J)J #15",
            "0 AllTypes.number (I)I 3",
            "0 AllTypes.large (J)J #14",
        ],
        expect![[r#"
            AllTypes #0
            BoundedStack #1
            skipped: WrongType
            skipped: WrongType
            skipped: WrongType
            skipped: WrongType
            skipped: WrongType
            skipped: WrongType
            skipped: NoArgument
            skipped: WrongType
            skipped: NoReceiver
            null
            skipped: NoReceiver
            skipped: NoArgument
            3
            3
            Complete
        "#]],
    );
}

#[test]
fn what_is_not_there_is_named() {
    check(
        &[
            "new no.such.Class ()V",
            "new AllTypes (I)V 1",
            "new AllTypes ()V",
            "2 AllTypes.missing ()V",
            "2 AllTypes.number (I)J 1",
            "2 AllTypes.number (I 1",
            "2 AllTypes.number (Lno/such/Thing;)V null",
            "2 AllTypes.<init> ()V",
            "new AllTypes ()I",
            "static AllTypes.number (I)I 1",
            "new  ()V",
            "new [I ()V",
            "new java.util.List ()V",
            "new java.lang.Number ()V",
            "new java.lang.Class ()V",
            "2 AllTypes.flag (Z)Z true",
        ],
        expect![[r#"
            no such call: java.lang.NoClassDefFoundError: no/such/Class
            no such call: java.lang.NoSuchMethodError: LAllTypes;.<init>(I)V
            AllTypes #2
            no such call: java.lang.NoSuchMethodError: missing
            no such call: java.lang.NoSuchMethodError: LAllTypes;.number(I)J
            no such call: java.lang.NoSuchMethodError: AllTypes.number(I: the descriptor is mal…
            no such call: java.lang.NoClassDefFoundError: no/such/Thing
            no such call: java.lang.NoSuchMethodError: AllTypes.<init>()V: this is no method
            no such call: java.lang.NoSuchMethodError: AllTypes.AllTypes()I: a constructor has …
            no such call: java.lang.NoSuchMethodError: static LAllTypes;.number(I)I
            no such call: java.lang.NoClassDefFoundError: 
            no such call: java.lang.NoSuchMethodError: [I.<init>()V
            no such call: java.lang.NoSuchMethodError: Ljava/util/List;.<init>()V
            threw java.lang.InstantiationException: java.lang.Number
            no such call: java.lang.NoSuchMethodError: Ljava/lang/Class;.<init>()V
            false
            Complete
        "#]],
    );
}

#[test]
fn fields_are_seen_after_every_call() {
    let Some(bench) = bench() else { return };
    let mut options = bench.options();
    options.snapshots = true;
    let scripts = [
        script(&[
            "new BoundedStack (I)V 2",
            "0 BoundedStack.push (Ljava/lang/Object;)V 'a'",
            "0 BoundedStack.pop ()V",
            "0 BoundedStack.pop ()V",
        ]),
        script(&["new AllTypes ()V", "new java.lang.Object ()V"]),
        script(&["new BoundedStack (I)V 3", "new AllTypes ()V"]),
    ];
    let runs = Host::new(options).unwrap().run(&scripts).unwrap();
    expect![[r#"
        BoundedStack #0 elements.length=2 top=-1
        void elements.length=2 top=0
        void elements.length=2 top=-1
        threw java.util.NoSuchElementException elements.length=2 top=-1
        Complete
        AllTypes #0 AllTypesBase::number=8 brief=300 flag=true inherited=null large=1099511627776 letter=120 nothing.length=null number=7 numbers.length=3 other="java.lang.Object" real=3.141592653589793 single=0.5 small=-1 text="täxt"
        java.lang.Object #1
        Complete
        BoundedStack #0 elements.length=3 top=-1
        AllTypes #1 AllTypesBase::number=8 brief=300 flag=true inherited=null large=1099511627776 letter=120 nothing.length=null number=7 numbers.length=3 other="java.lang.Object" real=3.141592653589793 single=0.5 small=-1 text="täxt"
        Complete
    "#]].assert_eq(&runs.iter().map(show).collect::<String>());
}

#[test]
fn a_run_becomes_the_lives_of_its_objects() {
    let Some(bench) = bench() else { return };
    let script = script(&[
        "new BoundedStack (I)V 1",
        "static BoundedStack.small ()LBoundedStack;",
        "0 BoundedStack.isEmpty ()Z",
        "1 BoundedStack.pop ()V",
        "0 BoundedStack.push (Ljava/lang/Object;)V #1",
        "0 BoundedStack.top ()Ljava/lang/Object;",
        "5 BoundedStack.isFull ()Z",
    ]);
    let run = bench.host().run(std::slice::from_ref(&script)).unwrap().remove(0);
    let lives: Vec<String> = run
        .lives(&script, &EventNames::default())
        .iter()
        .map(|life| life.events.iter().map(|event| Labels::Exception.of(event)).collect::<Vec<_>>().join(" "))
        .collect();
    expect![[r#"
        BoundedStack isEmpty:TRUE push top
        small pop!NoSuchElementException isFull:FALSE"#]]
    .assert_eq(&lives.join("\n"));
}

/// Many scripts, several workers, small chunks and frequent recycling give the same runs as one worker does.
#[test]
fn the_number_of_workers_does_not_show() {
    let Some(bench) = bench() else { return };
    let scripts: Vec<Script> = (0..1000)
        .map(|number| {
            let mut lines = vec![format!("new BoundedStack (I)V {}", number % 4)];
            for digit in 0..8 {
                lines.push(match number >> digit & 3 {
                    0 => "0 BoundedStack.pop ()V".to_owned(),
                    1 => format!("0 BoundedStack.push (Ljava/lang/Object;)V 'v{number}'"),
                    2 => "0 BoundedStack.top ()Ljava/lang/Object;".to_owned(),
                    _ => "0 BoundedStack.isFull ()Z".to_owned(),
                });
            }
            script(&lines.iter().map(String::as_str).collect::<Vec<_>>())
        })
        .collect();
    let alone = bench.host().run(&scripts).unwrap();
    let mut options = bench.options();
    options.workers = 3;
    options.limits.batch = 7;
    options.limits.recycle_after = 150;
    let mut host = Host::new(options).unwrap();
    assert_eq!(host.run(&scripts).unwrap(), alone);
    assert_eq!(host.run(&[]).unwrap(), []);
    assert!(alone.iter().all(|run| run.end == End::Complete && run.steps.len() == 9));
}

#[test]
fn an_answer_that_is_too_large_is_cut_and_the_next_is_whole() {
    let Some(bench) = bench() else { return };
    let mut options = bench.options();
    options.limits.text = usize::MAX;
    let large = script(&["new AllTypes ()V", "0 AllTypes.longText (I)Ljava/lang/String; 1000000"]);
    let medium = script(&["new AllTypes ()V", "0 AllTypes.longText (I)Ljava/lang/String; 400000"]);
    // Twenty of the medium ones do not fit into the memory for results, so that the batch is answered in
    // parts.
    let mut scripts = vec![medium.clone(); 20];
    scripts.insert(3, large);
    let runs = Host::new(options).unwrap().run(&scripts).unwrap();
    let ends: Vec<_> = runs.iter().map(|run| (&run.end, run.steps.len())).collect();
    for (index, end) in ends.iter().enumerate() {
        assert_eq!(
            *end,
            if index == 3 { (&End::Oversized, 1) } else { (&End::Complete, 2) },
            "script {index}"
        );
    }
}

#[test]
fn what_cannot_be_started_is_an_error() {
    let Some(bench) = bench() else { return };
    let mut options = bench.options();
    options.program = "/no/such/program".into();
    assert!(matches!(Host::new(options), Err(HostError::Start { what: "starting the process", .. })));

    let mut options = bench.options();
    options.program = "/bin/false".into();
    let Err(error) = Host::new(options) else { panic!("it starts") };
    expect!["3 workers in a row exited before they ran a script; the last one exited with code 1"]
        .assert_eq(&error.to_string());

    let mut options = bench.options();
    options.jdk.libjvm = "/no/such/libjvm.so".into();
    assert!(matches!(Host::new(options), Err(HostError::Machine(_))));

    let mut options = bench.options();
    options.boxes = "/no/such/folder".into();
    assert!(matches!(Host::new(options), Err(HostError::Start { what: "creating a folder for it", .. })));

    let text = format!("'{}'", "x".repeat(17 << 20));
    let line = format!("new java.lang.String (Ljava/lang/String;)V {text}");
    let error = bench.host().run(&[script(&["new AllTypes ()V"]), script(&[&line])]).unwrap_err();
    assert!(matches!(error, HostError::Script { index: 1, .. }), "{error}");
}
