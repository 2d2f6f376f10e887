//! Feeds every reader with damaged files: a fixed number of them, always the same, and none may make it panic
//! or hang.
//!
//! Each seed is a good file; each input is a seed with a few bytes changed, cut out, doubled or replaced by
//! pieces that mean something in some format. Reading as words, as events, and as a dry run must each give an
//! answer, and where two of them read the whole file they must agree on whether it is good.

use std::ops::ControlFlow;

use adit_trace::read::{self, Options, Pattern};
use adit_trace::write::Writer;
use adit_trace::{Alphabet, Event, EventSink, Format, Labels, Words};

const INPUTS: usize = 2_000;

/// Numbers that look random and are the same every time (a linear congruence with Knuth's constants).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

const PIECES: [&[u8]; 40] = [
    b"<START>",
    b"<END>",
    b"--",
    b"\n",
    b"\r\n",
    b"\"",
    b"\"\"",
    b",",
    b";",
    b"\t",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"null",
    b"\"end\":true",
    b"\"weight\":18446744073709551615",
    b"\"weight\":-1",
    b"1e999",
    b"-0.0",
    b"\\ud800",
    b"<trace>",
    b"</trace>",
    b"<event>",
    b"</log>",
    b"<![CDATA[",
    b"<!DOCTYPE x [<!ENTITY a \"b\">]>",
    b"&amp;",
    b"&#0;",
    b"&lol;",
    b"\0",
    b"\xff",
    b"\xc3",
    "é".as_bytes(),
    "\u{2028}".as_bytes(),
    b"99999999999999999999",
    b"-1",
    b"1 0",
    b"!a.B",
];

fn mutate(seed: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + dice.below(4) {
        let at = dice.below(bytes.len() + 1);
        let end = (at + dice.below(20)).min(bytes.len());
        match dice.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy.repeat(1 + dice.below(50)));
            }
            3 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
            4 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
            _ => {
                let piece = PIECES[dice.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
    bytes
}

/// Takes whatever comes and checks that traces are properly nested.
#[derive(Default)]
struct Nested {
    open: bool,
    traces: u64,
}

impl EventSink for Nested {
    fn begin(&mut self, _id: Option<&str>, weight: u64) -> ControlFlow<()> {
        assert!(!self.open, "a trace begins inside another");
        self.open = true;
        self.traces = self.traces.saturating_add(weight);
        ControlFlow::Continue(())
    }

    fn event(&mut self, _event: &Event) -> ControlFlow<()> {
        assert!(self.open, "an event outside every trace");
        ControlFlow::Continue(())
    }

    fn end(&mut self) -> ControlFlow<()> {
        assert!(self.open, "a trace ends that never began");
        self.open = false;
        ControlFlow::Continue(())
    }
}

fn try_all(bytes: &[u8], format: Option<Format>, options: &Options) {
    let mut nested = Nested::default();
    let events = read::events(bytes, "fuzz", format, options, &mut nested);
    if let Ok(summary) = &events {
        assert_eq!(nested.traces, summary.traces);
        assert!(!nested.open && summary.traces > 0);
    }
    let words = read::words(bytes, "fuzz", format, options, &mut Alphabet::new(), &mut Words::new());
    match (&events, &words) {
        (Ok(events), Ok(words)) => assert_eq!(events, words),
        (Err(events), Err(words)) => assert_eq!(events.to_string(), words.to_string()),
        (events, words) => panic!("one way of reading fails: {events:?} {words:?}"),
    }
    if let Ok(dry) = read::dry_run(bytes, "fuzz", format, options, 3) {
        assert!(dry.understood.len() <= 3);
    }
    if format == Some(Format::Lines) {
        let mut workers = [(Words::new(), Alphabet::new()), (Words::new(), Alphabet::new())];
        let parallel = read::parallel(bytes, "fuzz", format, options, &mut workers);
        assert_eq!(
            parallel.map_err(|error| error.to_string()),
            words.as_ref().map(|&ok| ok).map_err(|error| error.to_string())
        );
    }
    if let Err(error) = words {
        // Messages must be made without a panic too, and say where.
        assert!(error.to_string().starts_with("fuzz:"), "{error}");
        assert!(format!("{:?}", miette::Report::new(error)).len() < 10_000);
    }
}

fn fuzz(format: Format, seeds: &[&str], options: &Options) {
    let mut dice = Dice(format as u64 + 1);
    for round in 0..INPUTS {
        let seed = seeds[dice.below(seeds.len())];
        let bytes = mutate(seed.as_bytes(), &mut dice);
        // Every fourth input goes through the choice of the format by content.
        let forced = (round % 4 != 0 || options.pattern.is_some()).then_some(format);
        try_all(&bytes, forced, options);
    }
}

fn options() -> Options {
    // Small limits, so that they are reached.
    Options { max_line: 2_000, max_labels: 50, ..Options::new(Labels::Exception) }
}

#[test]
fn lines() {
    let seeds = [
        "<START> a b:TRUE c!x.Y <END>\n<START> <END>\nd e_EXIT12:FALSE\n",
        "a\nb c\n\n<START> d <END><START> e <END>\n",
    ];
    fuzz(Format::Lines, &seeds, &options());
    fuzz(Format::Lines, &seeds, &Options { keep_partial: true, ..options() });
}

#[test]
fn texada() {
    fuzz(Format::Texada, &["open\nread:TRUE\n--\n--\nclose\n", "a\nb\n--"], &options());
}

#[test]
fn regex() {
    let seeds = ["10:00 <t1> open = true\n10:01 <t2> close ! a.B\n\n9:59 <t1> read = 7\n"];
    let pattern =
        r"^(?<time>\S+) <(?<trace>[^>]*)> (?<event>\w*)(?: = (?<returned>\S+))?(?: ! (?<threw>\S+))?$";
    let options = Options { pattern: Some(Pattern::new(pattern).unwrap()), ..options() };
    fuzz(Format::Regex, &seeds, &options);
    fuzz(Format::Regex, &seeds, &Options { skip_unmatched: true, ..options });
}

#[test]
fn csv() {
    let seeds = [
        "case,activity,timestamp\n1,open,2024-01-01T10:00:00Z\n2,\"a \"\"b\"\"\nc\",2024-01-01 09:00\n1,add:TRUE,17\n",
        "trace;event;returned;threw\nt;add;true;\nt;pop;;E\n",
    ];
    fuzz(Format::Csv, &seeds, &options());
    fuzz(Format::Csv, &seeds, &Options { sort_by_time: true, ..options() });
}

#[test]
fn jsonl() {
    let seeds = [
        r#"{"trace":"t1","event":"open","returned":true,"object":17,"args":["a",2,null],"state":{"n":0},"time":5}
{"trace":2,"event":"add:TRUE"}
{"trace":"w","events":["open",{"event":"read","returned":{"$":"void"}}],"weight":12}
{"trace":2,"end":true,"weight":3}
"#,
        "{\"event\":\"a\"}\n{\"event\":\"b\",\"end\":true}\n{\"method\":\"c:TRUE\"}\n",
    ];
    fuzz(Format::Jsonl, &seeds, &options());
    fuzz(Format::Jsonl, &seeds, &Options { sort_by_time: true, ..options() });
}

#[test]
fn abbadingo() {
    fuzz(Format::Abbadingo, &["4 4\n1 2 0 1\n1 0\n0 1 2\n1 1 add:TRUE\n", "1 1\n1 3 a a a"], &options());
}

#[test]
fn xes() {
    let seeds = ["<?xml version=\"1.0\"?>\n<log>\n<trace><string key=\"concept:name\" value=\"t&lt;1\"/>\n\
        <event><string key=\"concept:name\" value=\"open\"/><date key=\"time:timestamp\" value=\"2024-01-01T10:00:00\"/></event>\n\
        <event><string key='concept:name' value='add:TRUE'></string><list key='x'/></event>\n</trace>\n<trace/></log>\n"];
    fuzz(Format::Xes, &seeds, &options());
}

#[test]
fn dtrace() {
    let seeds = [
        "decl-version 2.0\nvar-comparability none\n\nppt a.S.f(int,\\_int):::ENTER\nppt-type enter\n  variable x\n    rep-type int\n\n\
         a.S.f(int, int):::ENTER\nthis_invocation_nonce\n0\nx\n3\n1\n\n\
         a.S.f(int, int):::EXIT1\nthis_invocation_nonce\n0\nthis\n77\n1\nthis.x\n\"a\\\"\\u00e9\"\n1\nreturn\ntrue\n1\n\n\
         a.S.g():::ENTER\nthis_invocation_nonce\n1\nthis\n77\n1\n\n// call 1 threw \"a.X\"\n// call 1 left \"x\" 5\n\n",
        "VarComparability\nnone\n\nDECLARE\nf():::ENTER\nx\nint\nint\n22\n\nf():::ENTER\nx\n1\n1\n\nf():::EXIT0\nreturn\n3\n1\n\n",
    ];
    fuzz(Format::Dtrace, &seeds, &options());
    fuzz(Format::Dtrace, &seeds, &Options { keep_partial: true, ..options() });
}

/// Damaged compression is an error like any other.
#[test]
fn gzip() {
    let mut writer = Writer::new(Vec::new(), Format::Lines, true).unwrap();
    let mut words = Words::new();
    words.add(["open", "read:TRUE", "close"], 300);
    assert!(writer.words(&words).is_continue());
    let (bytes, _) = writer.finish().unwrap();
    let mut dice = Dice(99);
    for _ in 0..INPUTS {
        try_all(&mutate(&bytes, &mut dice), Some(Format::Lines), &options());
    }
}

/// Patterns come from users too.
#[test]
fn patterns() {
    let mut dice = Dice(7);
    for _ in 0..INPUTS / 4 {
        let pattern = mutate(br"^(?<time>\S+) \[(?<trace>[^]]+)\] (?P<event>\w+)(x|y)?$", &mut dice);
        if let Ok(pattern) = Pattern::new(&String::from_utf8_lossy(&pattern)) {
            let options = Options { pattern: Some(pattern), ..options() };
            try_all("10:00 [t] open\n é\n10:00 [t\n".as_bytes(), Some(Format::Regex), &options);
        }
    }
}
