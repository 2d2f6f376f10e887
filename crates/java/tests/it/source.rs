//! Scripts as Java source.

use std::sync::Arc;

use adit_bytecode::Type;
use adit_java::callable;
use adit_java::source::{Facts, agreed, body, test_class};
use adit_trace::{Argument, CallKind, End, Run, Script, Skip, Statement, Step, StepResult, Value};
use expect_test::{Expect, expect};

/// A line of a script: how it is called, on what, with what; and what came of it.
type Line = (CallKind, &'static str, &'static str, Option<usize>, Vec<Argument>, StepResult);

fn script(lines: Vec<Line>) -> (Script, Run) {
    let mut statements = Vec::new();
    let mut steps = Vec::new();
    for (kind, name, descriptor, receiver, args, result) in lines {
        let (class, name) = name.rsplit_once('.').unwrap();
        let callable = Arc::new(callable(kind, class, name, descriptor));
        statements.push(Statement { callable, receiver, args });
        steps.push(Step::new(result));
    }
    (Script { statements }, Run { steps, end: End::Complete, leaked: false, passed: None })
}

fn facts() -> Facts {
    let int = Some(Type::Int);
    let functions =
        [("java.util.Comparator".to_owned(), (2, int)), ("java.lang.Runnable".to_owned(), (0, None))];
    Facts { functions: functions.into(), ..Facts::default() }
}

fn check(lines: Vec<Line>, expected: Expect) {
    let (script, run) = script(lines);
    let body = body(&script, Some(&run), &facts());
    let imports: String = body.imports.iter().map(|import| format!("import {import};\n")).collect();
    expected.assert_eq(&(imports + &body.lines.join("\n") + "\n"));
}

fn object(first: usize) -> StepResult {
    StepResult::Object { class: "?".into(), first }
}

fn gave(value: Value) -> StepResult {
    StepResult::Returned(value)
}

#[test]
fn calls_and_what_they_gave() {
    use CallKind::{Constructor, Method};
    check(
        vec![
            (Constructor, "java.util.ArrayList.<init>", "()V", None, vec![], object(0)),
            (
                Method,
                "java.util.ArrayList.add",
                "(Ljava/lang/Object;)Z",
                Some(0),
                vec![Argument::Text("a\"\n\u{e9}\u{1}".into())],
                gave(Value::Bool(true)),
            ),
            (Method, "java.util.ArrayList.size", "()I", Some(0), vec![], gave(Value::Int(1))),
            (
                Method,
                "java.util.ArrayList.remove",
                "(Ljava/lang/Object;)Z",
                Some(0),
                vec![Argument::Int(-1)],
                gave(Value::Bool(false)),
            ),
            (
                Method,
                "java.util.ArrayList.remove",
                "(I)Ljava/lang/Object;",
                Some(0),
                vec![Argument::Int(7)],
                StepResult::threw("java.lang.IndexOutOfBoundsException"),
            ),
            (Method, "java.util.ArrayList.clear", "()V", Some(0), vec![], gave(Value::Void)),
            (
                Method,
                "java.util.ArrayList.get",
                "(I)Ljava/lang/Object;",
                Some(0),
                vec![Argument::Int(0)],
                gave(Value::Null),
            ),
        ],
        expect![[r#"
            import java.util.ArrayList;
            import static org.junit.jupiter.api.Assertions.assertEquals;
            import static org.junit.jupiter.api.Assertions.assertFalse;
            import static org.junit.jupiter.api.Assertions.assertNull;
            import static org.junit.jupiter.api.Assertions.assertThrows;
            import static org.junit.jupiter.api.Assertions.assertTrue;
            ArrayList arrayList0 = new ArrayList();
            assertTrue(arrayList0.add((Object) "a\"\n\u00e9\001"));
            assertEquals(1, arrayList0.size());
            assertFalse(arrayList0.remove((Object) (-1)));
            assertThrows(IndexOutOfBoundsException.class, () -> arrayList0.remove(7));
            arrayList0.clear();
            assertNull(arrayList0.get(0));
        "#]],
    );
}

#[test]
fn values_that_are_used_have_names() {
    use CallKind::{Constant, Constructor, Function, Method};
    check(
        vec![
            (Constructor, "java.lang.StringBuilder.<init>", "()V", None, vec![], object(0)),
            (
                Method,
                "java.lang.StringBuilder.append",
                "(C)Ljava/lang/StringBuilder;",
                Some(0),
                vec![Argument::Int(39)],
                object(0),
            ),
            (Method, "java.lang.StringBuilder.length", "()I", Some(1), vec![], gave(Value::Int(1))),
            (
                Method,
                "java.lang.StringBuilder.setLength",
                "(I)V",
                Some(0),
                vec![Argument::Earlier(2)],
                gave(Value::Void),
            ),
            (Constant, "java.util.Map$Kind.BIG", "Ljava/util/Map$Kind;", None, vec![], object(4)),
            (
                Function,
                "java.util.Map.of",
                "(Ljava/lang/Object;)Ljava/util/Map;",
                None,
                vec![Argument::Earlier(4)],
                object(5),
            ),
            (Method, "java.util.HashMap.size", "()I", Some(5), vec![], gave(Value::Int(0))),
        ],
        expect![[r#"
            import java.util.HashMap;
            import java.util.Map;
            import static org.junit.jupiter.api.Assertions.assertEquals;
            import static org.junit.jupiter.api.Assertions.assertSame;
            StringBuilder stringBuilder0 = new StringBuilder();
            StringBuilder stringBuilder1 = stringBuilder0.append('\'');
            assertSame(stringBuilder0, stringBuilder1);
            int int2 = stringBuilder1.length();
            assertEquals(1, int2);
            stringBuilder0.setLength(int2);
            Map.Kind kind4 = Map.Kind.BIG;
            Map map5 = Map.of((Object) kind4);
            assertEquals(0, ((HashMap) map5).size());
        "#]],
    );
}

/// A value that differs in a second JVM is not asserted, and where the second run takes another way, the test
/// ends.
#[test]
fn what_differs_is_not_asserted() {
    use CallKind::{Constructor, Method};
    let lines = |hash: i64, first: &str, size: StepResult| {
        let text = "()Ljava/lang/String;";
        vec![
            (Constructor, "a.B.<init>", "()V", None, vec![], object(0)),
            (Method, "a.B.hash", "()I", Some(0), vec![], gave(Value::Int(hash))),
            (Method, "a.B.same", "()I", Some(0), vec![], gave(Value::Int(7))),
            (Method, "a.B.first", text, Some(0), vec![], gave(Value::Text(first.into()))),
            (Method, "a.B.size", "()I", Some(0), vec![], size),
            (Method, "a.B.same", "()I", Some(0), vec![], gave(Value::Int(7))),
        ]
    };
    let threw = StepResult::threw("java.lang.Error");
    let (calls, run) = script(lines(41, "a", gave(Value::Int(2))));
    let (_, again) = script(lines(42, "b", threw));
    assert_eq!(agreed(&run, &run), run);
    let body = body(&calls, Some(&agreed(&run, &again)), &facts());
    expect![[r#"
        B b0 = new B();
        b0.hash();
        assertEquals(7, b0.same());
        b0.first();
        // The run ended here: what the next call gave was not recorded."#]]
    .assert_eq(&body.lines.join("\n"));
}

#[test]
fn every_kind_of_argument() {
    use CallKind::Function;
    let all = "(BCSIJFDLjava/lang/Long;Ljava/lang/Object;[Ljava/lang/Object;[[BLjava/util/Comparator;Ljava/lang/Runnable;Ljava/lang/Class;Ljava/lang/String;)V";
    let args = vec![
        Argument::Int(300),
        Argument::Int(10),
        Argument::Int(-1),
        Argument::Int(i64::from(i32::MIN)),
        Argument::Int(i64::MIN),
        Argument::Float(f64::MAX),
        Argument::Float(-0.0),
        Argument::Int(-5),
        Argument::Float(f64::NAN),
        Argument::Array(vec![Argument::Null, Argument::Bool(true), Argument::Int(1 << 40)]),
        Argument::Array(vec![Argument::Array(vec![Argument::Int(-1)])]),
        Argument::Function(Box::new(Argument::Int(0))),
        Argument::Function(Box::new(Argument::Null)),
        Argument::Class("java.util.Map$Entry".into()),
        Argument::Null,
    ];
    check(
        vec![(Function, "a.B.all", all, None, args, gave(Value::Void))],
        expect![[r#"
            import a.B;
            import java.util.Comparator;
            import java.util.Map;
            B.all((byte) 44, (char) 10, (short) -1, -2147483648, -9223372036854775808L, Float.POSITIVE_INFINITY, -0.0, (Long) (-5L), (Object) Double.NaN, new Object[] {(Object) null, (Object) true, (Object) 1099511627776L}, new byte[][] {new byte[] {(byte) -1}}, (Comparator) (x0, x1) -> 0, (Runnable) () -> {}, (Class) Map.Entry.class, (String) null);
        "#]],
    );
}

#[test]
fn what_was_not_called_is_not_written() {
    use CallKind::{Constructor, Method};
    check(
        vec![
            (Constructor, "a.B.<init>", "()V", None, vec![], StepResult::threw("sun.misc.Strange")),
            (Method, "a.B.go", "()V", Some(0), vec![], StepResult::Skipped(Skip::NoReceiver)),
        ],
        expect![[r#"
            import a.B;
            import static org.junit.jupiter.api.Assertions.assertThrows;
            assertThrows(Throwable.class, () -> new B());
        "#]],
    );
}

#[test]
fn a_test_ends_where_the_run_did_and_where_others_may_not_call() {
    use CallKind::{Constructor, Method};
    let (script, mut run) = script(vec![
        (Constructor, "a.B.<init>", "()V", None, vec![], object(0)),
        (Method, "a.B.go", "()J", Some(0), vec![], gave(Value::Int(5))),
        (Method, "a.B.spin", "()V", Some(0), vec![], gave(Value::Void)),
    ]);
    run.steps.truncate(2);
    run.end = End::TimedOut;
    let hidden = Facts { hidden: [(*script.statements[1].callable).clone()].into(), ..Facts::default() };
    let tests = [(script.clone(), Some(run)), (script.clone(), None)];
    expect![[r#"
        package a.tests;

        import static org.junit.jupiter.api.Assertions.assertEquals;

        import a.B;
        import org.junit.jupiter.api.Test;

        @SuppressWarnings({"rawtypes", "unchecked", "deprecation"})
        class BTest {
            @Test
            void script0() throws Throwable {
                B b0 = new B();
                assertEquals(5L, b0.go());
                // The run ended here: the next call took too long.
            }

            @Test
            void script1() throws Throwable {
                B b0 = new B();
                b0.go();
                b0.spin();
            }
        }
    "#]]
    .assert_eq(&test_class("a.tests", "BTest", &tests, &Facts::default()).to_string());
    expect![[r#"
        B b0 = new B();
        // The script goes on with what is not public: a.B.go"#]]
    .assert_eq(&body(&script, None, &hidden).lines.join("\n"));
}
