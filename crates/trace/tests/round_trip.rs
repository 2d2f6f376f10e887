//! Every format reads back what it can carry as it was written.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use adit_trace::read::{self, Options};
use adit_trace::write::{WriteError, Writer, Written};
use adit_trace::{Alphabet, Details, Event, EventSink, Format, Labels, Outcome, Value, Words};
use expect_test::{expect, expect_file};
use miette::Diagnostic;
use proptest::prelude::*;

#[derive(Clone, Debug, PartialEq)]
struct Trace {
    id: Option<String>,
    weight: u64,
    events: Vec<Event>,
}

#[derive(Default)]
struct Traces(Vec<Trace>);

impl EventSink for Traces {
    fn begin(&mut self, id: Option<&str>, weight: u64) -> ControlFlow<()> {
        self.0.push(Trace { id: id.map(str::to_owned), weight, events: Vec::new() });
        ControlFlow::Continue(())
    }

    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        self.0.last_mut().expect("a trace has begun").events.push(event.clone());
        ControlFlow::Continue(())
    }

    fn end(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn write(traces: &[Trace], format: Format, gzip: bool) -> Result<(Vec<u8>, Written), WriteError> {
    let mut writer = Writer::new(Vec::new(), format, gzip)?;
    // An error breaks off and shows at the end.
    let _ = traces.iter().try_for_each(|trace| {
        writer.begin(trace.id.as_deref(), trace.weight)?;
        trace.events.iter().try_for_each(|event| writer.event(event))?;
        writer.end()
    });
    writer.finish()
}

fn read(bytes: &[u8], format: Option<Format>) -> Vec<Trace> {
    let mut traces = Traces::default();
    let summary = read::events(bytes, "log", format, &Options::new(Labels::Exception), &mut traces);
    let summary = summary.expect("what was written can be read");
    assert_eq!(summary.traces, traces.0.iter().map(|trace| trace.weight).sum::<u64>());
    traces.0
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Void),
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        // Not a number is unequal to itself, which would fail the test and not the code.
        any::<f64>().prop_filter("comparable", |float| !float.is_nan()).prop_map(Value::Float),
        ".*".prop_map(Value::Text),
    ]
}

/// Any event at all, with names that look like outcomes, markers and syntax.
fn event() -> impl Strategy<Value = Event> {
    let name = prop_oneof!["[a-z]{1,3}", ".{0,4}", "a(:TRUE|!x|_EXIT1|<END>|--|,|\"|;|\n|\r\n| |<&>){1,2}"];
    let outcome = prop_oneof![
        Just(Outcome::Unrecorded),
        value().prop_map(Outcome::Returned),
        prop_oneof!["[a-z]{1,2}\\.[A-Z]", ".{0,3}"].prop_map(Outcome::Threw),
    ];
    let state = prop::option::of(prop::collection::btree_map(".{0,3}", value(), 0..3));
    (name, prop::collection::vec(value(), 0..3), outcome, state, prop::option::of(details())).prop_map(
        |(method, args, outcome, state, details)| Event {
            method,
            args,
            outcome,
            state,
            details: details.filter(|details| *details != Details::default()).map(Box::new),
        },
    )
}

fn details() -> impl Strategy<Value = Details> {
    let before = prop::option::of(prop::collection::btree_map(".{0,3}", value(), 0..3));
    let parameters = prop::collection::vec(".{0,3}", 0..3);
    (before, parameters, prop::option::of(any::<u32>())).prop_map(|(before, parameters, line)| Details {
        before,
        parameters,
        line,
    })
}

fn traces(event: impl Strategy<Value = Event>) -> impl Strategy<Value = Vec<Trace>> {
    let trace = (prop::option::of(".{1,4}"), 1u64..4, prop::collection::vec(event, 0..6));
    prop::collection::vec(trace.prop_map(|(id, weight, events)| Trace { id, weight, events }), 1..6)
}

/// The traces as a format without ids, weights, arguments and states has them.
fn flattened(traces: &[Trace]) -> Vec<Vec<(String, Outcome)>> {
    let plain = |event: &Event| {
        let outcome = match &event.outcome {
            Outcome::Returned(value) if !matches!(value, Value::Bool(_)) => Outcome::Unrecorded,
            outcome => outcome.clone(),
        };
        (event.method.clone(), outcome)
    };
    traces
        .iter()
        .flat_map(|trace| (0..trace.weight).map(|_| trace.events.iter().map(plain).collect()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// JSON lines lose nothing.
    #[test]
    fn jsonl_carries_everything(traces in traces(event()), gzip in any::<bool>()) {
        let (bytes, written) = write(&traces, Format::Jsonl, gzip).unwrap();
        prop_assert_eq!(written.lost.len(), 0);
        let mut expected = traces;
        let mut before = 0;
        for trace in &mut expected {
            trace.id.get_or_insert((before + 1).to_string());
            before += trace.weight;
        }
        prop_assert_eq!(read(&bytes, None), expected);
    }

    /// The other formats carry methods and outcomes, or refuse.
    #[test]
    fn other_formats_carry_words_or_refuse(traces in traces(event()), gzip in any::<bool>()) {
        for format in [Format::Lines, Format::Texada, Format::Csv, Format::Abbadingo, Format::Xes] {
            // Traces with an event that has no place are refused as a whole; the rest must come back.
            let fitting: Vec<Trace> = traces
                .iter()
                .filter(|trace| write(std::slice::from_ref(trace), format, false).is_ok())
                .filter(|trace| format != Format::Csv || !trace.events.is_empty())
                .cloned()
                .collect();
            if fitting.is_empty() {
                continue;
            }
            let (bytes, written) = write(&fitting, format, gzip).unwrap();
            let back = read(&bytes, Some(format));
            prop_assert_eq!(flattened(&back), flattened(&fitting), "{:?}", format);
            prop_assert_eq!(written.traces, back.len() as u64);
        }
    }

    /// Names of Java methods fit everywhere.
    #[test]
    fn plain_names_are_never_refused(names in prop::collection::vec("[a-zA-Z_$][a-zA-Z0-9_$]{0,8}", 1..5)) {
        let events: Vec<Event> = names.iter().map(|name| Event::from_spelling(name)).collect();
        let trace = Trace { id: None, weight: 2, events };
        for format in Format::all().filter(|&format| format != Format::Regex) {
            prop_assert!(write(std::slice::from_ref(&trace), format, false).is_ok());
        }
    }

    /// Words keep their weights on the way through a file.
    #[test]
    fn words_come_back(labels in prop::collection::vec((prop::collection::vec("[ab](:TRUE)?", 0..4), 1u64..9), 1..5)) {
        let mut words = Words::new();
        for (labels, weight) in &labels {
            words.add(labels.iter().map(String::as_str), *weight);
        }
        for format in [Format::Lines, Format::Jsonl, Format::Abbadingo] {
            let mut writer = Writer::new(Vec::new(), format, true).unwrap();
            prop_assert!(writer.words(&words).is_continue());
            let (bytes, _) = writer.finish().unwrap();
            let mut back = Words::new();
            let options = Options::new(Labels::Outcome);
            read::words(bytes.as_slice(), "log", Some(format), &options, &mut Alphabet::new(), &mut back).unwrap();
            prop_assert_eq!(&back.words, &words.words);
        }
    }

    /// Our reader of tables agrees with the one of the `csv` crate on what that crate writes.
    #[test]
    fn tables_agree_with_the_csv_crate(
        rows in prop::collection::vec(("[a-z\",;\n]{1,3}", "[a-z\",;\n\t ]{1,6}"), 1..8),
        delimiter in prop_oneof![Just(b','), Just(b';'), Just(b'\t')],
    ) {
        prop_assume!(rows.iter().all(|(id, name)| !id.trim().is_empty() && !name.trim().is_empty()));
        let mut writer = ::csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        writer.write_record(["activity", "case"]).unwrap();
        for (id, name) in &rows {
            writer.write_record([name, id]).unwrap();
        }
        let bytes = writer.into_inner().unwrap();
        let ids: BTreeSet<&str> = rows.iter().map(|(id, _)| id.trim()).collect();
        let back = read(&bytes, Some(Format::Csv));
        prop_assert_eq!(back.len(), ids.len());
        for trace in back {
            let id = trace.id.unwrap();
            let expected: Vec<Event> =
                rows.iter().filter(|row| row.0.trim() == id).map(|row| Event::from_spelling(row.1.trim())).collect();
            prop_assert_eq!(trace.events, expected);
        }
    }
}

#[test]
fn what_each_format_looks_like() {
    let mut open = Event::from_spelling("open");
    open.args.push(Value::Text("a.txt".into()));
    let traces = [
        Trace { id: Some("t".into()), weight: 2, events: vec![open, Event::from_spelling("eof:TRUE")] },
        Trace { id: None, weight: 1, events: vec![] },
    ];
    let mut shown = String::new();
    for format in Format::all().filter(|&format| format != Format::Regex) {
        let (bytes, written) = write(&traces, format, false).unwrap();
        shown +=
            &format!("== {}, lost {:?}\n{}", format.name(), written.lost, String::from_utf8(bytes).unwrap());
    }
    expect_file!["golden/each_format.txt"].assert_eq(&shown);
}

#[test]
fn what_cannot_be_written_says_so() {
    let message = |name: &str, weight, format| {
        let trace = Trace { id: None, weight, events: vec![Event::call(name)] };
        let error = write(&[trace], format, false).unwrap_err();
        format!("{error}\n{}\n", error.help().unwrap())
    };
    expect![[r#"
        the format `lines` cannot hold the event `a b`
        its name is empty, or contains a separator, a marker or something that looks like an outcome; write `jsonl` instead
    "#]]
    .assert_eq(&message("a b", 1, Format::Lines));
    expect![[r#"
        a trace was seen 18446744073709551615 times, and the format `csv` would repeat it that often
        write `jsonl` instead, which has weights
    "#]]
    .assert_eq(&message("a", u64::MAX, Format::Csv));
    assert!(matches!(Writer::new(Vec::new(), Format::Regex, false), Err(WriteError::NoWriter)));
}

#[test]
fn a_full_disk_is_reported_at_the_end() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut writer = Writer::new(Full, Format::Lines, false).unwrap();
    let log = "word ".repeat(100_000);
    let options = Options::new(Labels::Method);
    read::events(log.as_bytes(), "log", Some(Format::Lines), &options, &mut writer).unwrap();
    assert!(matches!(writer.finish(), Err(WriteError::Io(_))));
}
