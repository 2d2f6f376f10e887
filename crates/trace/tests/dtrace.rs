//! Daikon's traces: what is understood of them, what is said about bad ones, and that what is written comes
//! back.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::ops::ControlFlow;

use adit_trace::read::{self, Options};
use adit_trace::write::Writer;
use adit_trace::{
    CallSink, Details, Event, EventSink, Format, Labels, ObservedCall, Outcome, State, Value, observed_calls,
};
use expect_test::{Expect, expect, expect_file};
use miette::Diagnostic;
use proptest::prelude::*;

#[derive(Default)]
struct Traces(Vec<(Option<String>, Vec<Event>)>);

impl EventSink for Traces {
    fn begin(&mut self, id: Option<&str>, _: u64) -> ControlFlow<()> {
        self.0.push((id.map(str::to_owned), Vec::new()));
        ControlFlow::Continue(())
    }

    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        self.0.last_mut().expect("a trace has begun").1.push(event.clone());
        ControlFlow::Continue(())
    }

    fn end(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn check_with(input: &str, options: &Options, expected: Expect) {
    let mut traces = Traces::default();
    let text = match read::events(input.as_bytes(), "f.dtrace", None, options, &mut traces) {
        Err(error) => format!("{error}\n{}\n", error.help().map(|help| help.to_string()).unwrap_or_default()),
        Ok(summary) => {
            let shown = |(id, events): &(Option<String>, Vec<Event>)| {
                let events: String = events.iter().map(|event| format!("\n  {}", show(event))).collect();
                format!("{}{events}\n", id.as_deref().unwrap_or("-"))
            };
            let counts = [
                ("partial", summary.partial),
                ("mismatched", summary.mismatched),
                ("without begin", summary.without_begin),
                ("without end", summary.without_end),
            ];
            let counts = counts.into_iter().filter(|&(_, count)| count > 0);
            let counts: String = counts.map(|(what, count)| format!("{what}: {count}\n")).collect();
            traces.0.iter().map(shown).collect::<String>() + &counts
        }
    };
    expected.assert_eq(&text);
    agree(input, options, &traces);
}

/// Calls one by one are the calls of the traces, and each has the state before it.
fn agree(input: &str, options: &Options, traces: &Traces) {
    // This declares no fields where a call begins, so that only the previous event tells them.
    if input.starts_with(CHICORY) && input.contains("this.items\n") {
        return;
    }
    struct Calls(Vec<String>);
    impl CallSink for Calls {
        fn call(&mut self, call: &ObservedCall<'_>) -> ControlFlow<()> {
            self.0.push(observed(call));
            ControlFlow::Continue(())
        }
    }
    let mut calls = Calls(Vec::new());
    let result = read::calls(input.as_bytes(), "f.dtrace", None, options, &mut calls);
    let objects = traces.0.iter().filter(|(id, _)| id.as_deref() != Some("program"));
    let mut expected: Vec<String> =
        objects.flat_map(|(_, events)| observed_calls(events).map(|call| observed(&call))).collect();
    expected.sort();
    calls.0.sort();
    if result.is_ok() {
        assert_eq!(calls.0, expected);
    }
}

fn observed(call: &ObservedCall<'_>) -> String {
    let event = Event { details: None, ..call.event.clone() };
    format!("{:?} {} {:?}", call.before, show(&event), call.event.line())
}

fn check(input: &str, expected: Expect) {
    check_with(input, &Options::new(Labels::Exception), expected);
}

fn show(event: &Event) -> String {
    let args: Vec<String> = event.args.iter().map(value).collect();
    let end = match &event.outcome {
        Outcome::Unrecorded => String::new(),
        Outcome::Returned(result) => format!(" -> {}", value(result)),
        Outcome::Threw(class) => format!(" ! {class}"),
    };
    let state: Vec<String> =
        event.state.iter().flatten().map(|(name, field)| format!(" {name}={}", value(field))).collect();
    let details = event.details.as_ref().map(|details| {
        let before = details.before.iter().flatten();
        let before: String = before.map(|(name, field)| format!(" {name}={}", value(field))).collect();
        let line = details.line.map(|line| format!(" line {line}")).unwrap_or_default();
        let names = details.parameters.join(",");
        let names = if names.is_empty() { names } else { format!(" names {names}") };
        let before = if before.is_empty() { before } else { format!(" before{before}") };
        format!(" |{names}{line}{before}")
    });
    format!("{}({}){end}{}{}", event.method, args.join(", "), state.concat(), details.unwrap_or_default())
}

fn value(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("{text:?}"),
        Value::Null => "null".to_owned(),
        Value::Void => "void".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => format!("{value:?}"),
    }
}

/// As Daikon's front end for Java writes it: strings are objects with a `toString` behind them.
const CHICORY: &str = r#"// Declarations for a.Box
// Declarations written some day

decl-version 2.0
var-comparability none

ppt a.Box.Box(int,\_java.lang.String):::ENTER
ppt-type enter
  variable size
    var-kind variable
    dec-type int
    rep-type int
    flags is_param
    comparability 22
  variable name
    var-kind variable
    dec-type java.lang.String
    rep-type hashcode
    comparability 22
  variable name.toString
    var-kind function toString()
    enclosing-var name
    dec-type java.lang.String
    rep-type java.lang.String
    comparability 22

ppt a.Box.Box(int,\_java.lang.String):::EXIT12
ppt-type subexit
  variable this
    var-kind variable
    dec-type a.Box
    rep-type hashcode
    comparability 22
  variable this.items
    var-kind field items
    dec-type java.lang.Object[]
    rep-type hashcode
    comparability 22
  variable this.items[..]
    var-kind array
    dec-type java.lang.Object[]
    rep-type hashcode[]
    comparability 22
  variable this.open
    var-kind field open
    dec-type boolean
    rep-type boolean
    comparability 22

ppt a.Box.isOpen():::ENTER
ppt-type enter
  variable this
    rep-type hashcode

ppt a.Box.isOpen():::EXIT30
ppt-type subexit
  variable this
    rep-type hashcode
  variable return
    rep-type boolean

"#;

#[test]
fn what_the_front_end_for_java_writes() {
    let samples = "\
a.Box.Box(int, java.lang.String):::ENTER\nthis_invocation_nonce\n0\nsize\n3\n1\nname\n99\n1\nname.toString\n\"a \\\"b\\\"\"\n1\n\n\
a.Box.Box(int, java.lang.String):::EXIT12\nthis_invocation_nonce\n0\nthis\n77\n1\nthis.items\n55\n1\nthis.items[..]\n[1 2]\n1\nthis.open\n0\n1\n\n\
a.Box.isOpen():::ENTER\nthis_invocation_nonce\n1\nthis\n77\n1\n\n\
a.Box.isOpen():::EXIT30\nthis_invocation_nonce\n1\nthis\n77\n1\nreturn\nfalse\n1\n\n";
    check(
        &format!("{CHICORY}{samples}"),
        expect![[r##"
            a.Box@77
              Box(3, "a \"b\"") -> void items="#55" items.length=2 open=false | names size,name line 12
              isOpen() -> false | line 30
        "##]],
    );
}

#[test]
fn records_must_match_their_declarations() {
    let begin = "\
a.Box.isOpen():::ENTER\nthis_invocation_nonce\n1\nthis\n77\n1\n\n";
    let good = format!(
        "{CHICORY}{begin}a.Box.isOpen():::EXIT30\nthis_invocation_nonce\n1\nthis\n77\n1\nreturn\nfalse\n1\n\n"
    );
    check(
        &(good.clone() + "a.Box.isOpen():::ENTER\nthis_invocation_nonce\n2\nthis\n77\n1\nmore\n1\n1\n\n"),
        expect![[r#"
            f.dtrace:88:1: this record of `a.Box.isOpen():::ENTER` does not match its declaration: `more` is not declared at this program point, or not here
            do the declarations belong to these records? --keep-partial leaves out records that do not fit
        "#]],
    );
    check(
        &(good.clone() + "a.Box.isOpen():::EXIT30\nthis_invocation_nonce\n2\nthis\n77\n1\n\n"),
        expect![[r#"
            f.dtrace:85:1: this record of `a.Box.isOpen():::EXIT30` does not match its declaration: the declared variable `return` is missing
            do the declarations belong to these records? --keep-partial leaves out records that do not fit
        "#]],
    );
    let bad = good
        + "a.Box.isOpen():::ENTER\nthis_invocation_nonce\n2\nthis\n77\n1\n\n\
a.Box.isOpen():::EXIT30\nthis_invocation_nonce\n2\nthis\n77\n1\nreturn\nmaybe\n1\n\n\
a.Box.isOpen():::EXIT30\nthis_invocation_nonce\n9\nthis\n77\n1\nreturn\n1\n1\n\n";
    check(
        &bad,
        expect![[r#"
        f.dtrace:95:1: this record of `a.Box.isOpen():::EXIT30` does not match its declaration: `maybe` is no boolean, as `return` is declared
        do the declarations belong to these records? --keep-partial leaves out records that do not fit
    "#]],
    );
    // What fits is used: the call has no end now, and another has no beginning.
    let keep = Options { keep_partial: true, ..Options::new(Labels::Exception) };
    check_with(
        &bad,
        &keep,
        expect![[r#"
        a.Box@77
          isOpen() -> false | line 30
        partial: 1
        mismatched: 1
        without begin: 1
    "#]],
    );
}

#[test]
fn only_the_class_that_is_asked_for() {
    let log = "decl-version 2.0\n\n".to_owned()
        + &sample("a.Sub.go():::ENTER", 1, &[("this", "7")])
        + &call("size", 2, "7")
        + &sample("a.Sub.go():::EXIT9", 1, &[("this", "7")]);
    let only = |class: &str| Options { class: Some(class.to_owned()), ..Options::new(Labels::Exception) };
    // What an object of a subclass does to itself is a call from outside for the class above.
    check_with(
        &log,
        &only("S"),
        expect![[r#"
        a.S@7
          size() -> void | line 5
    "#]],
    );
    check_with(
        &log,
        &only("a.Sub"),
        expect![[r#"
        a.Sub@7
          go() -> void | line 9
    "#]],
    );
    check_with(
        &log,
        &only("Other"),
        expect![[r#"
        f.dtrace: no traces in this file of the class `Other`, but of `a.S`, `a.Sub`
        is it the right file, and the right format? `--from` forces one, `--dry-run` shows how adit reads the file
    "#]],
    );
}

#[test]
fn a_number_is_used_again_while_its_constructor_runs() {
    let log = "decl-version 2.0\n\n".to_owned()
        + &call("size", 1, "7")
        + &sample("a.S.S():::ENTER", 2, &[])
        + &call("init", 3, "7")
        + &call("size", 4, "8")
        + &sample("a.S.S():::EXIT3", 2, &[("this", "7")])
        + &call("size", 5, "7");
    check(
        &log,
        expect![[r#"
        a.S@7
          size() -> void | line 5
        a.S@7
          S() -> void | line 3
          size() -> void | line 5
        a.S@8
          size() -> void | line 5
    "#]],
    );
}

#[test]
fn what_comes_before_a_cut_of_a_gzip_stream_is_used() {
    let log = "decl-version 2.0\n\n".to_owned()
        + &(0..2000).map(|nonce| call("size", nonce, &(nonce % 7).to_string())).collect::<String>();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, log.as_bytes()).unwrap();
    let whole = encoder.finish().unwrap();
    let cut = &whole[..whole.len() / 2];
    let strict = Options::new(Labels::Exception);
    let error = read::events(cut, "f.dtrace.gz", None, &strict, &mut Traces::default()).unwrap_err();
    assert!(error.to_string().contains("cut off"), "{error}");
    assert!(error.help().unwrap().to_string().contains("--keep-partial"));
    let keep = Options { keep_partial: true, ..strict };
    let summary = read::events(cut, "f.dtrace.gz", None, &keep, &mut Traces::default()).unwrap();
    assert!(summary.partial > 0 && summary.events > 100 && summary.events < 2000, "{summary:?}");
}

/// A sample: program point, nonce, variables.
fn sample(point: &str, nonce: u64, variables: &[(&str, &str)]) -> String {
    let variables: String = variables.iter().map(|(name, value)| format!("{name}\n{value}\n1\n")).collect();
    format!("{point}\nthis_invocation_nonce\n{nonce}\n{variables}\n")
}

fn call(method: &str, nonce: u64, this: &str) -> String {
    let point = |moment| format!("a.S.{method}():::{moment}");
    sample(&point("ENTER"), nonce, &[("this", this)]) + &sample(&point("EXIT5"), nonce, &[("this", this)])
}

#[test]
fn calls_inside_calls_are_no_events() {
    let pop = |inside: &str| {
        sample("a.S.pop():::ENTER", 1, &[("this", "7")])
            + inside
            + &sample("a.S.pop():::EXIT9", 1, &[("this", "7")])
    };
    let log = "decl-version 2.0\n\n".to_owned()
        + &pop(&(call("isEmpty", 2, "7") + &call("size", 3, "8")))
        + &call("size", 4, "7");
    check(
        &log,
        expect![[r#"
            a.S@7
              pop() -> void | line 9
              size() -> void | line 5
            a.S@8
              size() -> void | line 5
        "#]],
    );
}

#[test]
fn constructors_within_constructors_make_one_object() {
    let log = "decl-version 2.0\n\n".to_owned()
        + &sample("a.Sub.Sub():::ENTER", 1, &[])
        + &sample("a.Base.Base():::ENTER", 2, &[])
        + &call("init", 3, "7")
        + &sample("a.Base.Base():::EXIT3", 2, &[("this", "7")])
        + &sample("a.Sub.Sub():::EXIT3", 1, &[("this", "7")])
        + &call("go", 4, "7")
        // The number of a dead object is used again.
        + &sample("a.Sub.Sub():::ENTER", 5, &[])
        + &sample("a.Sub.Sub():::EXIT3", 5, &[("this", "7")]);
    check(
        &log,
        expect![[r#"
            a.Sub@7
              Sub() -> void | line 3
              go() -> void | line 5
            a.Sub@7
              Sub() -> void | line 3
        "#]],
    );
}

#[test]
fn a_call_that_never_ends_threw_unless_the_file_ends_too() {
    let begun = |nonce| sample("a.S.pop():::ENTER", nonce, &[("this", "7")]);
    let log = "decl-version 2.0\n\n".to_owned() + &begun(1) + &call("size", 2, "7") + &begun(3);
    check(
        &log,
        expect![[r#"
            a.S@7
              pop() ! java.lang.Throwable
              size() -> void | line 5
            partial: 1
            without end: 1
        "#]],
    );
}

#[test]
fn without_objects_the_program_is_one_trace() {
    let log = "decl-version 2.0\n\n".to_owned()
        + "..main():::ENTER\n\n"
        + "..open():::ENTER\nx\n1\n1\n\n..open():::EXIT0\nreturn\n3\n1\n\n"
        + "..main():::EXIT0\n\n";
    check(
        &log,
        expect![[r#"
            program
              main() -> void
        "#]],
    );
}

#[test]
fn version_1_is_read_too() {
    let log = "VarComparability\nnone\n\nDECLARE\nS.f(int):::ENTER\nx\nint\nint\n22\n\nDECLARE\nS.f(int):::EXIT1\nthis\nS\nhashcode\n22\nreturn\nboolean\nboolean\n22\n\n"
        .to_owned()
        + &sample("S.f(int):::ENTER", 1, &[("x", "4")])
        + &sample("S.f(int):::EXIT1", 1, &[("this", "9"), ("return", "1")]);
    check(
        &log,
        expect![[r#"
            S@9
              f(4) -> true | names x line 1
        "#]],
    );
}

#[test]
fn faulty_files() {
    check(
        "decl-version 2.0\n\nwhat is this\n",
        expect![[r#"
            f.dtrace:3:1: `what is this` is neither a program point nor a declaration
            a sample is a program point such as `Stack.push(int):::ENTER`, then for each variable its name, its value and 0, 1 or 2 on separate lines, and a blank line
        "#]],
    );
    check(
        "S.f():::ENTER\nthis_invocation_nonce\nseven\n",
        expect![[r#"
            f.dtrace:3:1: the nonce of a call must be a number
            a sample is a program point such as `Stack.push(int):::ENTER`, then for each variable its name, its value and 0, 1 or 2 on separate lines, and a blank line
        "#]],
    );
    check(
        "S.f():::ENTER\nx\n1\nyes\n\n",
        expect![[r#"
            f.dtrace:4:1: 0, 1 or 2 must follow the value of `x`
            a sample is a program point such as `Stack.push(int):::ENTER`, then for each variable its name, its value and 0, 1 or 2 on separate lines, and a blank line
        "#]],
    );
    check(
        "S.f():::ENTER\nx\n\n",
        expect![[r#"
            f.dtrace:3:1: the sample ends in the middle of `x`
            a sample is a program point such as `Stack.push(int):::ENTER`, then for each variable its name, its value and 0, 1 or 2 on separate lines, and a blank line
        "#]],
    );
    let cut = call("size", 1, "7") + "a.S.pop():::ENTER\nthis\n7\n";
    check(
        &cut,
        expect![[r#"
            f.dtrace:17:1: the file ends inside a sample; --keep-partial uses the part before it
            a sample is a program point such as `Stack.push(int):::ENTER`, then for each variable its name, its value and 0, 1 or 2 on separate lines, and a blank line
        "#]],
    );
    let keep = Options { keep_partial: true, ..Options::new(Labels::Exception) };
    check_with(
        &cut,
        &keep,
        expect![[r#"
            a.S@7
              size() -> void | line 5
        "#]],
    );
    check(
        "decl-version 2.0\n",
        expect![[r#"
            f.dtrace: no traces in this file
            is it the right file, and the right format? `--from` forces one, `--dry-run` shows how adit reads the file
        "#]],
    );
}

fn write(traces: &[Vec<Event>], class: &str) -> (String, Vec<String>) {
    let mut writer = Writer::new(Vec::new(), Format::Dtrace, false).unwrap();
    writer.set_class(class);
    for trace in traces {
        assert!(writer.begin(None, 1).is_continue());
        assert!(trace.iter().all(|event| writer.event(event).is_continue()));
        assert!(writer.end().is_continue());
    }
    let (bytes, written) = writer.finish().unwrap();
    (String::from_utf8(bytes).unwrap(), written.lost)
}

fn event(method: &str, args: Vec<Value>, outcome: Outcome, state: &[(&str, Value)]) -> Event {
    let state: State = state.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let state = Some(state).filter(|state| !state.is_empty());
    Event { args, outcome, state, ..Event::call(method) }
}

#[test]
fn what_is_written() {
    let (text, lost) = write(
        &[vec![
            event("Stack", vec![Value::Int(2)], Outcome::Returned(Value::Void), &[("top", Value::Int(-1))]),
            event("pop", vec![], Outcome::Threw("java.util.EmptyStackException".to_owned()), &[]),
            event("isEmpty", vec![], Outcome::Returned(Value::Bool(true)), &[("top", Value::Int(-1))]),
        ]],
        "a.Stack",
    );
    assert_eq!(lost, Vec::<String>::new());
    expect_file!["golden/stack.dtrace"].assert_eq(&text);
}

#[test]
fn values_without_a_common_type_become_strings_and_are_counted() {
    let set = |value| event("set", vec![value], Outcome::Returned(Value::Void), &[]);
    let (text, lost) = write(&[vec![set(Value::Int(1)), set(Value::Bool(true)), set(Value::Null)]], "a.Cell");
    // Twice for each, at the begin of the call and at its end.
    assert_eq!(lost, ["the types of 4 values, which become strings"]);
    assert!(text.contains("ppt a.Cell.set(java.lang.Object):::ENTER"), "{text}");
    assert!(text.contains("arg0\n\"1\"\n1\n") && text.contains("arg0\nnull\n1\n"), "{text}");
}

/// A value of one of the types that variables have, the same for the same `kind`.
fn of_kind(kind: u8) -> BoxedStrategy<Value> {
    match kind {
        0 => any::<bool>().prop_map(Value::Bool).boxed(),
        1 => any::<i64>().prop_map(Value::Int).boxed(),
        2 => any::<f64>().prop_filter("comparable", |float| !float.is_nan()).prop_map(Value::Float).boxed(),
        _ => prop_oneof![Just(Value::Null), ".{0,6}".prop_map(Value::Text)].boxed(),
    }
}

const METHODS: [&str; 4] = ["m0", "m1", "over(a.X,int)", "over(String,int)"];

/// Calls of four methods, each with types of its own; two of them share a name.
fn any_event() -> impl Strategy<Value = Event> {
    (0..4_u8).prop_flat_map(|kind| {
        let outcome = prop_oneof![
            of_kind(kind).prop_map(Outcome::Returned),
            Just(Outcome::Returned(Value::Void)),
            ".{0,6}".prop_map(Outcome::Threw),
        ];
        let state = prop::option::of((of_kind(1), of_kind(3)));
        let before = prop::option::of(of_kind(1));
        let line = prop::option::of(1..3_u32);
        (of_kind(kind), of_kind(3 - kind), outcome, state, before, line).prop_map(
            move |(first, second, outcome, state, before, line)| {
                // A call that threw has no end, and so no line.
                let line = line.filter(|_| !matches!(outcome, Outcome::Threw(_)));
                let details = Details {
                    before: before.map(|size| [("list.size".to_owned(), size)].into_iter().collect()),
                    parameters: if kind == 1 {
                        vec!["key".to_owned(), "value".to_owned()]
                    } else {
                        Vec::new()
                    },
                    line,
                };
                Event {
                    method: METHODS[usize::from(kind)].to_owned(),
                    args: vec![first, second],
                    outcome,
                    state: state.map(|(size, name)| {
                        [("list.size".to_owned(), size), ("the name".to_owned(), name)].into_iter().collect()
                    }),
                    details: Some(details).filter(|details| *details != Details::default()).map(Box::new),
                }
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Typed events come back as they were, with strings of every kind.
    #[test]
    fn what_is_written_comes_back(traces in prop::collection::vec(prop::collection::vec(any_event(), 1..6), 1..5)) {
        let (text, lost) = write(&traces, "a.b.C");
        prop_assert_eq!(lost.len(), 0);
        let mut back = Traces::default();
        read::events(text.as_bytes(), "f", None, &Options::new(Labels::Exception), &mut back).unwrap();
        let back: Vec<Vec<Event>> = back.0.into_iter().map(|(_, events)| events).collect();
        prop_assert_eq!(back, traces, "{}", text);
    }
}
