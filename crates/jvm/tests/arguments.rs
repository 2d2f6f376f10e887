//! Everything that a script can pass, on every JDK that is found: boxes, arrays, functions, classes, static
//! fields.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use adit_jvm::HostError;
use adit_trace::{Argument, Subject};
use expect_test::{Expect, expect};
use support::{benches, script, show};

/// Each line is a script of its own, because a wrong argument must not disturb the next.
fn check(lines: &[&str], expected: Expect) {
    let scripts: Vec<_> = lines.iter().map(|line| script(&[line])).collect();
    for bench in benches() {
        let runs = bench.host().run(&scripts).unwrap();
        let text: String = runs.iter().map(|run| show(run).replace("Complete\n", "")).collect();
        expected.assert_eq(&text);
    }
}

fn check_one(lines: &[&str], expected: Expect) {
    for bench in benches() {
        expected.assert_eq(&bench.show(lines));
    }
}

#[test]
fn numbers_and_booleans_are_boxed() {
    let object = "(Ljava/lang/Object;)Ljava/lang/String;";
    let comparable = "(Ljava/lang/Comparable;)Ljava/lang/String;";
    check(
        &[
            &format!("static Arguments.type {object} true"),
            &format!("static Arguments.type {object} -5"),
            &format!("static Arguments.type {object} 3000000000"),
            &format!("static Arguments.type {object} 1.5"),
            &format!("static Arguments.comparable {comparable} 7"),
            &format!("static Arguments.comparable {comparable} false"),
            "static Arguments.number (Ljava/lang/Number;)Ljava/lang/String; 7",
            "static Arguments.number (Ljava/lang/Number;)Ljava/lang/String; 0.5",
            "static Arguments.number (Ljava/lang/Number;)Ljava/lang/String; true",
            "static Arguments.letter (Ljava/lang/Character;)Ljava/lang/String; 65",
            "static Arguments.brief (Ljava/lang/Short;)Ljava/lang/String; 65537",
            "static Arguments.small (Ljava/lang/Byte;)Ljava/lang/String; 255",
            "static Arguments.large (Ljava/lang/Long;)Ljava/lang/String; 1",
            "static Arguments.single (Ljava/lang/Float;)Ljava/lang/String; 0.5",
            "static Arguments.single (Ljava/lang/Float;)Ljava/lang/String; 1",
            "static Arguments.flag (Ljava/lang/Boolean;)Ljava/lang/String; true",
            "static Arguments.flag (Ljava/lang/Boolean;)Ljava/lang/String; 1",
            "static Arguments.texts ([Ljava/lang/String;)Ljava/lang/String; 1",
        ],
        expect![[r#"
            "java.lang.Boolean true"
            "java.lang.Integer -5"
            "java.lang.Long 3000000000"
            "java.lang.Double 1.5"
            "java.lang.Integer 7"
            "java.lang.Boolean false"
            "java.lang.Integer 7"
            "java.lang.Double 0.5"
            skipped: WrongType
            "java.lang.Character A"
            "java.lang.Short 1"
            "java.lang.Byte -1"
            "java.lang.Long 1"
            "java.lang.Float 0.5"
            skipped: WrongType
            "java.lang.Boolean true"
            skipped: WrongType
            skipped: WrongType
        "#]],
    );
}

#[test]
fn earlier_values_are_boxed_unboxed_and_widened() {
    check_one(
        &[
            "static Arguments.plain (I)I 5",
            "static Arguments.type (Ljava/lang/Object;)Ljava/lang/String; #0",
            "static Arguments.large (Ljava/lang/Long;)Ljava/lang/String; #0",
            "static Arguments.widened (J)J #0",
            "static Arguments.real (D)D #3",
            "static Arguments.plain (I)I #3",
            "static Arguments.boxed (I)Ljava/lang/Integer; 1000",
            "static Arguments.plain (I)I #6",
            "static Arguments.widened (J)J #6",
            "static Arguments.type (Ljava/lang/Object;)Ljava/lang/String; #6",
            "6 java.lang.Integer.doubleValue ()D",
            "static Arguments.boxedLetter ()Ljava/lang/Character;",
            "static Arguments.plain (I)I #11",
            "static Arguments.boxedFlag ()Ljava/lang/Boolean;",
            "static Arguments.plain (I)I #13",
            "static Arguments.boxedReal ()Ljava/lang/Double;",
            "static Arguments.boxedNothing ()Ljava/lang/Integer;",
            "static Arguments.plain (I)I #16",
            "new java.lang.String (Ljava/lang/String;)V 'made'",
            "18 java.lang.String.length ()I",
        ],
        expect![[r#"
            5
            "java.lang.Integer 5"
            skipped: WrongType
            5
            5.0
            skipped: WrongType
            1000
            1000
            1000
            "java.lang.Integer 1000"
            1000.0
            113
            113
            true
            skipped: WrongType
            2.5
            null
            skipped: WrongType
            java.lang.String #18
            4
            Complete
        "#]],
    );
}

#[test]
fn arrays_have_the_type_that_is_asked_for() {
    check(
        &[
            "static Arguments.ints ([I)Ljava/lang/String; [1,-2,4294967297]",
            "static Arguments.ints ([I)Ljava/lang/String; []",
            "static Arguments.flags ([Z)Ljava/lang/String; [true,false]",
            "static Arguments.bytes ([B)Ljava/lang/String; [1,255]",
            "static Arguments.chars ([C)Ljava/lang/String; [65,66]",
            "static Arguments.shorts ([S)Ljava/lang/String; [1]",
            "static Arguments.longs ([J)Ljava/lang/String; [9223372036854775807]",
            "static Arguments.floats ([F)Ljava/lang/String; [0.5]",
            "static Arguments.doubles ([D)Ljava/lang/String; [0.5,-0.0]",
            "static Arguments.texts ([Ljava/lang/String;)Ljava/lang/String; ['a',null]",
            "static Arguments.matrix ([[I)Ljava/lang/String; [[1,2],null,[]]",
            "static Arguments.integers ([Ljava/lang/Integer;)Ljava/lang/String; [1,null]",
            "static Arguments.comparables ([Ljava/lang/Comparable;)Ljava/lang/String; [1,'a',true]",
            "static Arguments.type (Ljava/lang/Object;)Ljava/lang/String; [1,'a',[2.5,null],@int]",
            "static Arguments.cloneable (Ljava/lang/Cloneable;)Ljava/lang/String; [1]",
            "static Arguments.functions ([Ljava/util/function/Supplier;)Ljava/lang/String; [{'given'}]",
            "static Arguments.ints ([I)Ljava/lang/String; ['a']",
            "static Arguments.ints ([I)Ljava/lang/String; [null]",
            "static Arguments.texts ([Ljava/lang/String;)Ljava/lang/String; ['a',1]",
            "static Arguments.matrix ([[I)Ljava/lang/String; [1]",
            "static Arguments.number (Ljava/lang/Number;)Ljava/lang/String; [1]",
            "static Arguments.plain (I)I [1]",
            "static Arguments.texts ([Ljava/lang/String;)Ljava/lang/String; [#9]",
        ],
        expect![[r#"
            "[1, -2, 1]"
            "[]"
            "[true, false]"
            "[1, -1]"
            "[A, B]"
            "[1]"
            "[9223372036854775807]"
            "[0.5]"
            "[0.5, -0.0]"
            "[Ljava.lang.String; [a, null]"
            "[[1, 2], null, []]"
            "[Ljava.lang.Integer; [1, null]"
            "[Ljava.lang.Comparable; [1, a, true]"
            "[Ljava.lang.Object; [1, a, [2.5, null], …"
            "[Ljava.lang.Object; [1]"
            "given"
            skipped: WrongType
            skipped: WrongType
            skipped: WrongType
            skipped: WrongType
            skipped: WrongType
            skipped: WrongType
            skipped: NoArgument
        "#]],
    );
}

#[test]
fn elements_come_from_earlier_statements() {
    check_one(
        &[
            "new java.lang.StringBuilder (Ljava/lang/String;)V 'b'",
            "static Arguments.plain (I)I 3",
            "static Arguments.type (Ljava/lang/Object;)Ljava/lang/String; [#0,#1]",
            "static Arguments.ints ([I)Ljava/lang/String; [#1,4]",
            "static Arguments.texts ([Ljava/lang/String;)Ljava/lang/String; [#0]",
            "static Arguments.supply (Ljava/util/function/Supplier;)Ljava/lang/Object; {#0}",
        ],
        expect![[r#"
            java.lang.StringBuilder #0
            3
            "[Ljava.lang.Object; [b, 3]"
            "[3, 4]"
            skipped: WrongType
            java.lang.StringBuilder #0
            Complete
        "#]],
    );
}

#[test]
fn functions_give_what_they_hold() {
    check(
        &[
            "static Arguments.supply (Ljava/util/function/Supplier;)Ljava/lang/Object; {'text'}",
            "static Arguments.supply (Ljava/util/function/Supplier;)Ljava/lang/Object; {null}",
            "static Arguments.supply (Ljava/util/function/Supplier;)Ljava/lang/Object; {7}",
            "static Arguments.call (Ljava/util/concurrent/Callable;)Ljava/lang/Object; {[1]}",
            "static Arguments.combine (Ljava/util/function/IntBinaryOperator;)I {3}",
            "static Arguments.combine (Ljava/util/function/IntBinaryOperator;)I {'text'}",
            "static Arguments.supplyLong (Ljava/util/function/LongSupplier;)J {3000000000}",
            "static Arguments.test (Ljava/util/function/Predicate;)Z {true}",
            "static Arguments.run (Ljava/lang/Runnable;)V {null}",
            "static Arguments.run (Ljava/lang/Runnable;)V {5}",
            "static Arguments.apply (Ljava/util/function/Function;)Ljava/lang/Object; {true}",
            "static Arguments.supply (Ljava/util/function/Supplier;)Ljava/lang/Object; {@java.util.List}",
            "static Arguments.narrow (LArguments$Narrow;)I {'four'}",
            "static Arguments.narrow (LArguments$Narrow;)I {4}",
            "static Arguments.shortest (LArguments$Shortest;)I {-1}",
            "static Arguments.hidden (LArguments$Hidden;)D {0.5}",
            "static Arguments.two (LArguments$Two;)V {null}",
            "static Arguments.sealed (LArguments$Sealed;)I {1}",
            "static Arguments.type (Ljava/lang/Object;)Ljava/lang/String; {1}",
            "static Arguments.texts ([Ljava/lang/String;)Ljava/lang/String; {1}",
            "static Arguments.plain (I)I {1}",
        ],
        expect![[r#"
            "text"
            null
            7
            [Ljava.lang.Object; #0
            3
            skipped: WrongType
            3000000000
            false
            void
            void
            true
            java.lang.Class #0
            4
            skipped: WrongType
            -1
            0.5
            skipped: WrongType
            skipped: WrongType
            skipped: WrongType
            skipped: WrongType
            skipped: WrongType
        "#]],
    );
}

#[test]
fn classes_and_static_fields() {
    check(
        &[
            "static Arguments.named (Ljava/lang/Class;)Ljava/lang/String; @java.util.Map$Entry",
            "static Arguments.named (Ljava/lang/Class;)Ljava/lang/String; @int",
            "static Arguments.named (Ljava/lang/Class;)Ljava/lang/String; @void",
            "static Arguments.named (Ljava/lang/Class;)Ljava/lang/String; @[Ljava.lang.String;",
            "static Arguments.named (Ljava/lang/Class;)Ljava/lang/String; @FailsToInitialize",
            "static Arguments.named (Ljava/lang/Class;)Ljava/lang/String; @no.such.Class",
            "static Arguments.number (Ljava/lang/Number;)Ljava/lang/String; @int",
            "field Arguments.FAVORITE LArguments$Color;",
            "field Arguments$Color.RED LArguments$Color;",
            "field Arguments.LIMIT I",
            "field Arguments.ON Z",
            "field Arguments.SMALL B",
            "field Arguments.LETTER C",
            "field Arguments.BRIEF S",
            "field Arguments.LARGE J",
            "field Arguments.SINGLE F",
            "field Arguments.REAL D",
            "field Arguments.NAME Ljava/lang/String;",
            "field Arguments.BOXED Ljava/lang/Integer;",
            "field Arguments.NOTHING Ljava/lang/Object;",
            "field Arguments.MISSING I",
            "field Arguments.LIMIT J",
            "field Arguments.LIMIT ()I",
            "field Arguments.LIMIT I 5",
            "field FailsToInitialize.count I",
        ],
        expect![[r#"
            "java.util.Map$Entry"
            "int"
            "void"
            "[Ljava.lang.String;"
            "FailsToInitialize"
            no such call: java.lang.ClassNotFoundException: no.such.Class
            skipped: WrongType
            Arguments$Color #0
            Arguments$Color #0
            7
            true
            -1
            120
            300
            1099511627776
            0.5
            1.5
            "name"
            5
            null
            no such call: java.lang.NoSuchFieldError: MISSING
            no such call: java.lang.NoSuchFieldError: LIMIT
            no such call: java.lang.NoSuchMethodError: Arguments.LIMIT()I: the descriptor is ma…
            skipped: WrongType
            no such call: java.lang.ExceptionInInitializerError
        "#]],
    );
    check_one(
        &[
            "field Arguments$Color.RED LArguments$Color;",
            "static Arguments.mix (LArguments$Color;)LArguments$Color; #0",
            "1 java.lang.Enum.ordinal ()I",
        ],
        expect![[r#"
            Arguments$Color #0
            Arguments$Color #0
            0
            Complete
        "#]],
    );
}

#[test]
fn nesting_without_end_is_refused() {
    let Some(bench) = support::bench() else { return };
    let mut host = bench.host();
    let nested = |depth| (0..depth).fold(Argument::Int(1), |inner, _| Argument::Array(vec![inner]));
    let mut script = script(&["static Arguments.type (Ljava/lang/Object;)Ljava/lang/String; null"]);
    script.statements[0].args = vec![nested(64)];
    let run = host.run(std::slice::from_ref(&script)).unwrap().remove(0);
    expect![[r#"
        "[Ljava.lang.Object; [[[[[[[[[[[[[[[[[[[[…"
        Complete
    "#]]
    .assert_eq(&show(&run));
    script.statements[0].args = vec![nested(65)];
    let error = host.run(&[script]).unwrap_err();
    assert!(matches!(error, HostError::Nested { index: 0, most: 64 }), "{error}");
}

#[test]
fn abstract_classes_and_interfaces_are_implemented() {
    let job = "(I)V+amount()J+name()Ljava/lang/String;";
    check_one(
        &[
            &format!("new Callbacks$Job {job}+run()V 5 7 'x'"),
            "static Callbacks.ask (LCallbacks$Job;)Ljava/lang/String; #0",
            &format!("new Callbacks$Job {job}!run()V 5 7 'x'"),
            "static Callbacks.ask (LCallbacks$Job;)Ljava/lang/String; #2",
            "2 Callbacks$Job.first ()J",
            "new Callbacks$Both ()V+one()Z+two()V true",
            "static Callbacks.both (LCallbacks$Both;)Z #5",
            "new Callbacks$Hidden ()V+secret()I 42",
            "static Callbacks.hidden (LCallbacks$Hidden;)I #7",
            "new java.util.TimerTask ()V+run()V",
            "9 java.util.TimerTask.cancel ()Z",
            "new java.lang.String ()V+run()V",
            "new Callbacks$Both ()V+one()Z+two()V 5",
        ],
        expect![[r#"
            adit.given.AditJobc352b6ed #0
            "x 7 12"
            adit.given.AditJobf7f2dc08 #2
            threw java.lang.RuntimeException
            12
            adit.given.AditBothdeac7dcd #5
            true
            AditHidden04c82f8f #7
            42
            adit.given.AditTimerTaskb8f358cb #9
            false
            no such call: java.lang.IncompatibleClassChangeError: class adit.given.AditString89a5ab7d cann…
            skipped: WrongType
            Complete
        "#]],
    );
}
