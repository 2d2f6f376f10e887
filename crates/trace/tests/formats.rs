//! Every format: what is understood of good files, and what is said about bad ones.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use adit_trace::read::{self, Fields, Options, Pattern};
use adit_trace::{Alphabet, Event, EventSink, Format, Labels, Words};
use expect_test::{Expect, expect};
use miette::Diagnostic;

/// Collects traces as text, so that expectations can be read.
#[derive(Default)]
struct Shown(String);

impl EventSink for Shown {
    fn begin(&mut self, id: Option<&str>, weight: u64) -> ControlFlow<()> {
        write!(self.0, "{}×{weight}:", id.unwrap_or("-")).expect("a string takes any text");
        ControlFlow::Continue(())
    }

    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        let spelling = event.spelling().unwrap_or_else(|| format!("{event:?}"));
        write!(self.0, " {spelling}").expect("a string takes any text");
        if !event.args.is_empty() || event.state.is_some() {
            write!(self.0, "{:?}{:?}", event.args, event.state).expect("a string takes any text");
        }
        ControlFlow::Continue(())
    }

    fn end(&mut self) -> ControlFlow<()> {
        self.0.push('\n');
        ControlFlow::Continue(())
    }
}

fn options() -> Options {
    Options::new(Labels::Exception)
}

/// Checks the traces, or the message with its help.
fn check_with(format: Format, input: impl AsRef<[u8]>, options: &Options, expected: Expect) {
    let input = input.as_ref();
    let mut shown = Shown::default();
    let actual = match read::events(input, "f", Some(format), options, &mut shown) {
        Ok(summary) => {
            let also = [
                ("skipped", summary.skipped),
                ("negative", summary.negative),
                ("partial", summary.partial),
                ("out of order", summary.out_of_order),
            ];
            for (what, count) in also.into_iter().filter(|&(_, count)| count > 0) {
                writeln!(shown.0, "{what}: {count}").expect("a string takes any text");
            }
            shown.0
        }
        Err(error) => format!("{error}\n{}\n", error.help().map(|help| help.to_string()).unwrap_or_default()),
    };
    expected.assert_eq(&actual);
    // The other way of reading sees the same traces, and fails at the same place.
    let mut words = Words::new();
    match read::words(input, "f", Some(format), options, &mut Alphabet::new(), &mut words) {
        Ok(summary) => assert_eq!((words.traces(), words.events()), (summary.traces, summary.events)),
        Err(error) => assert!(actual.starts_with(&format!("{error}\n")), "{error}"),
    }
}

fn check(format: Format, input: impl AsRef<[u8]>, expected: Expect) {
    check_with(format, input, &options(), expected);
}

#[test]
fn lines() {
    let check = |input: &str, expected| check(Format::Lines, input, expected);
    check(
        "<START> Tok has:FALSE next!a.B <END>\n\n<START> <END>\nopen  close\r\n  read_EXIT12:TRUE\n a <END>",
        expect![[r#"
            -×1: Tok has:FALSE next!a.B
            -×1:
            -×1: open close
            -×1: read:TRUE
            -×1: a
        "#]],
    );
    check(
        "<START> a <END><START> b <END>   <START>c<END>\n<START> d <END>\0\0\0<START> e <END>",
        expect![[r#"
            -×1: a
            -×1: b
            -×1: c
            -×1: d
            -×1: e
        "#]],
    );
}

#[test]
fn faulty_lines() {
    let check = |input: &str, expected| check(Format::Lines, input, expected);
    check(
        "<START> a <END>\n <START> b c\n<START> d <END>",
        expect![[r#"
        f:2:2: this trace is never closed by `<END>`
        was the recording cut off? use its beginning with `--keep-partial`
    "#]],
    );
    check(
        "<START> a <START> b <END>",
        expect![[r#"
        f:1:1: this trace is never closed by `<END>`
        was the recording cut off? use its beginning with `--keep-partial`
    "#]],
    );
    check(
        "<START> a <END> ä b",
        expect![[r#"
        f:1:17: `ä` is outside `<START>` … `<END>`
        put every event of the line between the markers, or remove the markers
    "#]],
    );
    check(
        "\na b <START> c <END>",
        expect![[r#"
        f:2:1: `a` is outside `<START>` … `<END>`
        put every event of the line between the markers, or remove the markers
    "#]],
    );
    check(
        "a <END> <END>",
        expect![[r#"
        f:1:9: `<END>` is outside `<START>` … `<END>`
        put every event of the line between the markers, or remove the markers
    "#]],
    );
    for nothing in ["", "\n \n", "\u{feff}"] {
        check(
            nothing,
            expect![[r#"
            f: no traces in this file
            is it the right file, and the right format? `--from` forces one, `--dry-run` shows how adit reads the file
        "#]],
        );
    }
}

#[test]
fn partial_lines_are_kept_when_asked() {
    let options = Options { keep_partial: true, ..options() };
    check_with(
        Format::Lines,
        "<START> a <START> b <END>\n<START> c d\n<START>",
        &options,
        expect![[r#"
            -×1: a
            -×1: b
            -×1: c d
            -×1:
            partial: 3
        "#]],
    );
}

#[test]
fn texada() {
    check(
        Format::Texada,
        "open\n read it:TRUE \r\n\n--\n--\nclose",
        expect![[r#"
            -×1: open read it:TRUE
            -×1:
            -×1: close
        "#]],
    );
    let pattern = Some(Pattern::new(r"^\[\d+\] (?<ETYPE>.*)$").unwrap());
    check_with(
        Format::Texada,
        "[1] open\n[2] close\n--\n[1] open\n",
        &Options { pattern, ..options() },
        expect![[r#"
            -×1: open close
            -×1: open
        "#]],
    );
}

#[test]
fn regex() {
    let pattern =
        r"^(?<time>\S+) <(?<trace>[^>]+)> (?<event>\w+)(?: = (?<returned>\S+))?(?: ! (?<threw>\S+))?$";
    let log = "10:03 <a> open = true\n10:01 <b> open = null\n10:02 <a> read = 7\n\n10:00 <b> close ! java.io.IOException\n";
    let options = Options { pattern: Some(Pattern::new(pattern).unwrap()), ..options() };
    check_with(
        Format::Regex,
        log,
        &options,
        expect![[r#"
            a×1: open:TRUE read
            b×1: open close!java.io.IOException
            out of order: 2
        "#]],
    );
    let sorted = Options { sort_by_time: true, ..options.clone() };
    check_with(
        Format::Regex,
        log,
        &sorted,
        expect![[r#"
            a×1: read open:TRUE
            b×1: close!java.io.IOException open
            out of order: 2
        "#]],
    );
    check_with(
        Format::Regex,
        "x <a> open\n",
        &sorted,
        expect![[r#"
        f:1:1: `x` is not a time
        write a number or a time such as 2024-05-31T23:59:58.123+02:00, or drop `--sort-by-time`
    "#]],
    );
    check_with(
        Format::Regex,
        "10:03 <a> open\n10:04 <a> ???\n",
        &options,
        expect![[r#"
        f:2:11: the pattern does not match this line: group `event` does not match here
        `--dry-run` shows what the pattern matches; `--skip-unmatched` skips other lines
    "#]],
    );
    let skipping = Options { skip_unmatched: true, ..options };
    check_with(
        Format::Regex,
        "junk\n10:03 <a> open\n10:04 <a> ???\n",
        &skipping,
        expect![[r#"
            a×1: open
            skipped: 2
        "#]],
    );
    check_with(
        Format::Regex,
        "junk\n",
        &skipping,
        expect![[r#"
        f: no traces in this file: the pattern matches none of its 1 lines
        is it the right file, and the right format? `--from` forces one, `--dry-run` shows how adit reads the file
    "#]],
    );
    check(
        Format::Regex,
        "junk\n",
        expect![[r#"
        f: this log needs a regular expression
        for example `--regex '(?<time>\S+) (?<trace>\S+) (?<event>\S+)'`
    "#]],
    );
}

#[test]
fn csv() {
    let check = |input: &str, expected| check(Format::Csv, input, expected);
    check(
        "Case ID,Activity,Timestamp\n1,open,10:00\n2,\"say \"\"a,b\"\"\nagain\",10:01\n\n1,add:TRUE,09:59\n",
        expect![[r#"
            1×1: open add:TRUE
            2×1: say "a,b"
            again
            out of order: 1
        "#]],
    );
    check(
        "trace;event;returned;threw\nt;add;true;\nt;pop;;E\nt;size;3;\n",
        expect![[r#"
            t×1: add:TRUE pop!E size
        "#]],
    );
    check(
        "activity\tcase:concept:name\r\nopen\t1\r\n",
        expect![[r#"
        1×1: open
    "#]],
    );
}

#[test]
fn csv_with_given_columns() {
    let fields = Fields { trace: Some("who".into()), event: Some("what".into()), time: None };
    let options = Options { fields, ..options() };
    check_with(
        Format::Csv,
        "what,who\nopen,1\n",
        &options,
        expect![[r#"
        1×1: open
    "#]],
    );
    check_with(
        Format::Csv,
        "whut,who\nopen,1\n",
        &options,
        expect![[r#"
        f:1:1: no column for the event; the columns are `whut`, `who`
        did you mean `whut`? choose a column with `--activity NAME`
    "#]],
    );
}

#[test]
fn faulty_csv() {
    let check = |input: &str, expected| check(Format::Csv, input, expected);
    check(
        "a,b\n1,2\n",
        expect![[r#"
        f:1:1: no column for the trace; the columns are `a`, `b`
        the first line must name the columns; choose a column with `--case NAME`
    "#]],
    );
    check(
        "case,activity\n1,open\n2\n",
        expect![[r#"
        f:3:2: 1 fields where the header has 2
        a field that contains the delimiter or a line break must be quoted; `--delimiter` chooses another one
    "#]],
    );
    check(
        "case,activity\n1,\"a\nb\",x\n",
        expect![[r#"
        f:3:4: 3 fields where the header has 2
        a field that contains the delimiter or a line break must be quoted; `--delimiter` chooses another one
    "#]],
    );
    check(
        "case,activity\n1,\"open\n2,close\n",
        expect![[r#"
        f:2:3: this quoted field is never closed
        inside a quoted field, a quotation mark is written twice
    "#]],
    );
    check(
        "case,activity\n1,\"open\"x\n",
        expect![[r#"
        f:2:9: text after the end of a quoted field
        inside a quoted field, a quotation mark is written twice
    "#]],
    );
    check(
        "case,activity\n1, \n",
        expect![[r#"
        f:2:3: the field for the event is empty
        every row needs one; remove rows that are not events
    "#]],
    );
    check(
        "case,activity\n",
        expect![[r#"
        f: no traces in this file
        is it the right file, and the right format? `--from` forces one, `--dry-run` shows how adit reads the file
    "#]],
    );
}

#[test]
fn jsonl() {
    let check = |input: &str, expected| check(Format::Jsonl, input, expected);
    check(
        r#"{"trace":"t1","event":"open","returned":true,"object":17,"args":["a",2,null,1.5,[1]],"state":{"n":0}}
{"trace":2,"event":"add:TRUE","level":{"deep":[1,2]}}
{"trace":"t1","object":17,"event":"close","threw":"E"}

{"trace":"w","events":["open",{"event":"read","returned":{"$":"void"}},"eof:TRUE"],"weight":12}
{"trace":2,"end":true,"weight":3}
{"trace":2,"end":true}
"#,
        expect![[r#"
            w×12: open read eof:TRUE
            2×3: add:TRUE
            2×1:
            t1#17×1: open:TRUE[Text("a"), Int(2), Null, Float(1.5), Text("[1]")]Some({"n": Int(0)}) close!E
        "#]],
    );
    check(
        "{\"event\":\"a\"}\n{\"event\":\"b\",\"end\":true}\n{\"method\":\"c:TRUE\"}",
        expect![[r#"
        -×1: a b
        -×1: Event { method: "c:TRUE", args: [], outcome: Unrecorded, state: None, details: None }
    "#]],
    );
}

#[test]
fn faulty_jsonl() {
    let check = |input: &str, expected| check(Format::Jsonl, input, expected);
    check(
        "{\"trace\":1,\"event\":\"a\"}\n{\"trace\":1,\"event\":\n",
        expect![[r#"
        f:2:19: not valid JSON: EOF while parsing a value
        each line is one object, such as {"trace":"t1","event":"open"}
    "#]],
    );
    check(
        "{\"trace\":1,\"evnt\":\"a\"}",
        expect![[r#"
        f:1:1: no field `event`
        did you mean `event` where it says `evnt`?
    "#]],
    );
    check(
        "{\"trace\":1,\"event\":true}",
        expect![[r#"
        f:1:23: invalid type: boolean `true`, expected a string or a number
        compare with {"trace":"t1","event":"open","returned":true,"args":[1],"state":{"size":0}}
    "#]],
    );
    check(
        "{\"trace\":1,\"end\":true,\"weight\":0}",
        expect![[r#"
        f:1:33: a weight of 0: a trace was seen at least once
        compare with {"trace":"t1","event":"open","returned":true,"args":[1],"state":{"size":0}}
    "#]],
    );
    check(
        "{\"event\":\"a\"}\n{\"trace\":1,\"event\":\"a\"}",
        expect![[r#"
        f:2:1: this line names its trace, but the first one does not
        name the trace on every line or on none
    "#]],
    );
    check(
        "{\"trace\":1,\"events\":[{}]}",
        expect![[r#"
        f:1:1: an element of `events` has no `event`
        an event is a string, or an object with a field `event`
    "#]],
    );
    check(
        "[1]",
        expect![[r#"
        f:1:1: invalid type: sequence, expected an object
        compare with {"trace":"t1","event":"open","returned":true,"args":[1],"state":{"size":0}}
    "#]],
    );
    check(
        &"[".repeat(100_000),
        expect![[r#"
        f:1:1: invalid type: sequence, expected an object
        compare with {"trace":"t1","event":"open","returned":true,"args":[1],"state":{"size":0}}
    "#]],
    );
}

#[test]
fn abbadingo() {
    let check = |input: &str, expected| check(Format::Abbadingo, input, expected);
    check(
        "4 3\n1 2 0 1\n1 0\n0 1 2\n1 1 add:TRUE\n",
        expect![[r#"
        f:5:5: more than the 3 symbols announced on the first line
        the first line is `samples alphabet`; then each line is `label length symbol…`, label 1 or 0
    "#]],
    );
    check(
        "4 4\n1 2 0 1\n1 0\n0 1 2\n1 1 add:TRUE\n",
        expect![[r#"
        -×1: 0 1
        -×1:
        -×1: add:TRUE
        negative: 1
    "#]],
    );
    check(
        "2 1\n1 2 a\n",
        expect![[r#"
        f:2:6: 1 symbols, but the line announces 2
        the first line is `samples alphabet`; then each line is `label length symbol…`, label 1 or 0
    "#]],
    );
    check(
        "2 1\n1 1 a a\n",
        expect![[r#"
        f:2:7: more than the 1 symbols announced on this line
        the first line is `samples alphabet`; then each line is `label length symbol…`, label 1 or 0
    "#]],
    );
    check(
        "2 1\n1 1 a\n",
        expect![[r#"
        f:2:1: the file ends after 1 traces, but the first line announces 2
        the first line is `samples alphabet`; then each line is `label length symbol…`, label 1 or 0
    "#]],
    );
    check(
        "1 1\n1 1 a\n1 0\n",
        expect![[r#"
        f:3:1: more than the 1 traces announced on the first line
        the first line is `samples alphabet`; then each line is `label length symbol…`, label 1 or 0
    "#]],
    );
    check(
        "1 1\n2 1 a\n",
        expect![[r#"
        f:2:1: `2` is not a label: write 1, or 0 for what cannot happen
        the first line is `samples alphabet`; then each line is `label length symbol…`, label 1 or 0
    "#]],
    );
    check(
        "x 1\n",
        expect![[r#"
        f:1:1: `x` where a number should say how many traces follow
        the first line is `samples alphabet`; then each line is `label length symbol…`, label 1 or 0
    "#]],
    );
    check(
        "1 1\n0 1 a\n",
        expect![[r#"
        f: no traces in this file but 1 with label 0, which show what cannot happen
        is it the right file, and the right format? `--from` forces one, `--dry-run` shows how adit reads the file
    "#]],
    );
}

#[test]
fn xes() {
    let check = |input: &str, expected| check(Format::Xes, input, expected);
    check(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
  <global scope="event"><string key="concept:name" value="nothing"/></global>
  <trace>
    <string key="concept:name" value="t &lt;1&gt;"/>
    <event><string key="concept:name" value="open"/><date key="time:timestamp" value="2024-01-01T10:00:00.000+00:00"/></event>
    <event>
      <list key="x"><values><string key="concept:name" value="no"/></values></list>
      <string key="concept:name" value="add:TRUE"></string>
      <date key="time:timestamp" value="2024-01-01T09:00:00.000+00:00"/>
    </event>
  </trace>
  <trace/>
</log>"#,
        expect![[r#"
            t <1>×1: open add:TRUE
            -×1:
            out of order: 1
        "#]],
    );
}

#[test]
fn faulty_xes() {
    let check = |input: &str, expected| check(Format::Xes, input, expected);
    check(
        "<log>\n <trace>\n  <event></event>",
        expect![[r#"
        f:3:18: this event has no `concept:name`
        an XES log reads <log><trace><event><string key="concept:name" value="open"/></event></trace></log>
    "#]],
    );
    check(
        "<log>\n <trace>\n",
        expect![[r#"
        f:3:1: the file ends inside an element
        an XES log reads <log><trace><event><string key="concept:name" value="open"/></event></trace></log>
    "#]],
    );
    check(
        "<log>\n <trace></log>",
        expect![[r#"
        f:2:15: not well-formed XML: ill-formed document: expected `</trace>`, but `</log>` was found
        an XES log reads <log><trace><event><string key="concept:name" value="open"/></event></trace></log>
    "#]],
    );
    check(
        "<html>",
        expect![[r#"
        f:1:7: the outermost element is not <log>
        an XES log reads <log><trace><event><string key="concept:name" value="open"/></event></trace></log>
    "#]],
    );
    check(
        &"<log>".repeat(100_000),
        expect![[r#"
        f:1:1286: elements are nested too deeply
        an XES log reads <log><trace><event><string key="concept:name" value="open"/></event></trace></log>
    "#]],
    );
    check(
        "<log/>",
        expect![[r#"
        f: no traces in this file
        is it the right file, and the right format? `--from` forces one, `--dry-run` shows how adit reads the file
    "#]],
    );
}

#[test]
fn every_format_names_the_place_of_bad_bytes() {
    let seeds: [(Format, &[u8], &str); 6] = [
        (Format::Lines, b"a b\nc \xff", "f:2:3: invalid UTF-8"),
        (Format::Texada, b"a\nb\xff\n", "f:2:2: invalid UTF-8"),
        (Format::Csv, b"case,activity\n1,\xff\n", "f:2:3: invalid UTF-8"),
        (Format::Jsonl, b"{\"event\":\"\xff\"}", "f:1:11: invalid UTF-8"),
        (Format::Abbadingo, b"1 1\n1 1 \xff", "f:2:5: invalid UTF-8"),
        (Format::Xes, b"<log>\n<trace><event a='\xff'/></trace></log>", "f:2:19: invalid UTF-8"),
    ];
    for (format, bytes, expected) in seeds {
        let error = read::events(bytes, "f", Some(format), &options(), &mut Shown::default()).unwrap_err();
        let (place, problem) = expected.rsplit_once(": ").unwrap();
        assert_eq!(error.problem().to_string(), problem, "{format:?}");
        // XML is decoded an element at a time: the line is exact, the column is where the element ends.
        if format != Format::Xes {
            assert_eq!(error.place().to_string(), place);
        }
    }
}

#[test]
fn every_format_refuses_endless_lines() {
    let options = Options { max_line: 1000, ..options() };
    let long = "x".repeat(5000);
    let seeds = [
        (Format::Lines, format!("a\n{long}\n")),
        (Format::Lines, format!("a\n{long}")),
        (Format::Texada, format!("a\n{long}\n")),
        (Format::Csv, format!("case,activity\n1,{long}\n")),
        (Format::Csv, format!("case,activity\n1,\"{}\n", "x\n".repeat(2500))),
        (Format::Jsonl, format!("{{\"event\":\"a\"}}\n{{\"event\":\"{long}\"}}\n")),
        (Format::Abbadingo, format!("1 1\n1 1 {long}")),
        (Format::Xes, format!("<log>\n<trace {long}>")),
    ];
    for (format, input) in seeds {
        let error =
            read::events(input.as_bytes(), "f", Some(format), &options, &mut Shown::default()).unwrap_err();
        assert_eq!(error.problem().to_string(), "line exceeds 1000 bytes", "{format:?}");
        assert_eq!(error.place().position.map(|(line, _)| line), Some(2), "{format:?}");
    }
}

#[test]
fn every_format_refuses_endless_alphabets() {
    let options = Options { max_labels: 3, ..options() };
    let pattern =
        Options { pattern: Some(Pattern::new("(?<trace>.)(?<event>.)").unwrap()), ..options.clone() };
    let seeds = [
        (Format::Lines, "a b\nc d", &options),
        (Format::Texada, "a\nb\nc\nd", &options),
        (Format::Csv, "case,activity\n1,a\n1,b\n1,c\n1,d", &options),
        (
            Format::Jsonl,
            "{\"trace\":1,\"event\":\"a\"}\n{\"trace\":1,\"events\":[\"b\",\"c\",\"d\"]}",
            &options,
        ),
        (Format::Abbadingo, "1 4\n1 4 a b c d", &options),
        (Format::Regex, "1a\n1b\n1c\n1d", &pattern),
        (
            Format::Xes,
            "<log><trace><event><string key='concept:name' value='a'/></event><event><string key='concept:name' value='b'/></event>\
             <event><string key='concept:name' value='c'/></event><event><string key='concept:name' value='d'/></event></trace></log>",
            &options,
        ),
    ];
    for (format, input, options) in seeds {
        let error = read::words(
            input.as_bytes(),
            "f",
            Some(format),
            options,
            &mut Alphabet::new(),
            &mut Words::new(),
        );
        assert_eq!(error.unwrap_err().problem().to_string(), "more than 3 distinct labels", "{format:?}");
    }
}

#[test]
fn labels_are_applied_while_reading() {
    for (labels, expected) in [
        (Labels::Method, ["add", "pop"].as_slice()),
        (Labels::Outcome, &["add:TRUE", "add:FALSE", "pop"]),
        (Labels::Exception, &["add:TRUE", "add:FALSE", "pop!Empty"]),
    ] {
        let mut words = Words::new();
        let log = "add:TRUE add_EXIT3:FALSE pop!a.Empty\nadd_EXIT4:TRUE\n";
        read::words(log.as_bytes(), "x.log", None, &Options::new(labels), &mut Alphabet::new(), &mut words)
            .unwrap();
        assert_eq!(words.alphabet.names().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn messages_show_the_line() {
    let log = format!("ok\n<START> {} <END> stray\n", "word ".repeat(100));
    let error =
        read::events(log.as_bytes(), "my.traces", None, &options(), &mut Shown::default()).unwrap_err();
    let mut shown = String::new();
    let handler =
        miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor()).with_width(200);
    handler.render_report(&mut shown, &error).unwrap();
    expect![[r#"
        trace::stray

          × my.traces:2:516: `stray` is outside `<START>` … `<END>`
           ╭─[my.traces:2:516]
         2 │ …rd word word word word word word word word word word word word word word word word word word word word word word  <END> stray
           ·                                                                                                                          ──┬──
           ·                                                                                                                            ╰── here
           ╰────
          help: put every event of the line between the markers, or remove the markers
    "#]]
    .assert_eq(&shown);
}

#[test]
fn dry_run_shows_lines_or_events() {
    let pattern = Some(Pattern::new(r"^(?<trace>\d) (?<event>\w+)$").unwrap());
    let with_pattern = Options { pattern, ..options() };
    let show = |input: &str, options: &Options| {
        let dry = read::dry_run(input.as_bytes(), "f", None, options, 2).unwrap();
        let lines: Vec<String> = dry
            .understood
            .iter()
            .map(|one| format!("{:?} {:?} {:?}", one.line, one.found, one.label))
            .collect();
        format!("{:?}\n{}\n", dry.format, lines.join("\n"))
    };
    expect![[r#"
        Regex
        Some((1, "1 open")) [("trace", "1"), ("event", "open")] Ok("open")
        Some((2, "x")) [] Err("group `trace` does not match at column 1")
    "#]]
    .assert_eq(&show("1 open\nx\n1 close\n", &with_pattern));
    expect![[r#"
        Lines
        None [("trace", "1")] Ok("a")
        None [("trace", "2")] Ok("b:TRUE")
    "#]]
    .assert_eq(&show("a\nb:TRUE c\n", &options()));
}
