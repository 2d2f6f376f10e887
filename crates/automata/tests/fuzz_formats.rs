//! Broken files of every format: reading them ends, with a model or with an error, and never with a panic.
//!
//! The seeds are real files; each input is one with a few random wounds. The inputs are the same in every
//! run.

use adit_automata::format::{Format, read, write};
use adit_automata::{Builder, Fsa, Modality};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The number of inputs for each format. All of them together take about two seconds.
const INPUTS: usize = 4_000;

fn seeds(format: Format) -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = [model(true), model(false)]
        .iter()
        .map(|fsa| write(fsa, format, "Seed").expect("a seed can be written").text.into_bytes())
        .collect();
    let foreign: &[&str] = match format {
        Format::Dot => &[
            "strict digraph \"x\" {node[shape=circle]subgraph c{a;b}->{c <d>}[label=\"x\\ny\"];s[shape=point]s->a#e\n}",
        ],
        Format::Fsm => {
            &["1\r\nS0\r\n1\r\nS9\r\n3\r\nS0\tS1\ta_EXIT1:TRUE\t0.9\r\nX\tS0\t<START>\r\nS1\tS9\t<END>"]
        }
        Format::Hoa => &[
            "HOA: v1 Start: 0 AP: 2 \"p\" \"q\" Acceptance: 0 t Alias: @x !(0|1)&t --BODY-- State: [0] 0 1 State: 1 --END--",
        ],
        Format::Mermaid => &[
            "---\nx: 1\n---\nstateDiagram\n[*]-->a\na-->b:x [g]?\nstate \"n\" as b\nnote left of a : x\nb-->[*]",
        ],
        Format::JavaMop => &[
            "X(Y y) { event a after() : call(* *.a()) {\"}\"} fsm : s [ a -> t default s ] t [] alias accepting = s }",
        ],
        Format::Fsp => &["P = (a -> b? -> P | c -> Q), Q = STOP.\n||R = (P)."],
        _ => &[],
    };
    seeds.extend(foreign.iter().map(|text| text.as_bytes().to_vec()));
    seeds
}

fn model(rich: bool) -> Fsa<String> {
    let mut builder = Builder::new();
    for state in 0..3 {
        builder.state(state == 1);
    }
    builder.initial(0);
    builder.edge(0, "open".into(), 1);
    builder.edge(1, "is:TRUE".into(), 2);
    if rich {
        builder.initial(2);
        builder.modal_edge(2, "<\"ü\">".into(), 0, Modality::Maybe);
        builder.guard(2, "<\"ü\">".into(), 0, "x > 0".into());
        builder.name(1, "one".into());
        builder.predicates(2, vec!["y".into()]);
        builder.label("unused".into());
    }
    builder.build()
}

/// Bytes that mean something to some format, to be put in at random.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "\"",
    "'",
    "\\",
    "#",
    "%",
    "%%",
    "//",
    "/*",
    "*/",
    "adit:",
    "adit: maybe 0 \"a\" 9",
    "adit: states 99999999999",
    "/* adit: accepting 7 */",
    "# adit: guard 0 \"open\" 1",
    "-->",
    "->",
    "--",
    "::",
    ":",
    ";",
    ",",
    "=",
    "?",
    "|",
    "&",
    "!",
    "@",
    "\n",
    "\r\n",
    "\t",
    "0",
    "1",
    "4294967295",
    "4294967296",
    "99999999999999999999",
    "-1",
    "\u{0}",
    "ü",
    "🦀",
    "\u{2028}",
    "\\ud800",
    "[*]",
    "STOP",
    "State:",
    "--BODY--",
    "--END--",
    "end note",
    "subgraph {",
    "default",
    "t",
    "f",
];

fn wound(input: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    let at = rng.random_range(0..=input.len());
    match rng.random_range(0..7) {
        0 => input.truncate(at),
        1 if at < input.len() => input[at] = rng.random(),
        2 if at < input.len() => input[at] ^= 1 << rng.random_range(0..8),
        3 => {
            let end = (at + rng.random_range(0..20)).min(input.len());
            input.drain(at..end);
        }
        4 => {
            let end = (at + rng.random_range(0..40)).min(input.len());
            let copy = input[at..end].to_vec();
            let to = rng.random_range(0..=input.len());
            input.splice(to..to, copy);
        }
        _ => {
            let piece = PIECES[rng.random_range(0..PIECES.len())];
            let times = if rng.random_range(0..10) == 0 { 300 } else { 1 };
            input.splice(at..at, piece.repeat(times).into_bytes());
        }
    }
}

fn fuzz(format: Format) {
    let mut rng = ChaCha8Rng::seed_from_u64(format as u64);
    let seeds = seeds(format);
    let mut read_back = 0;
    for _ in 0..INPUTS {
        let mut input = seeds[rng.random_range(0..seeds.len())].clone();
        for _ in 0..rng.random_range(1..4) {
            wound(&mut input, &mut rng);
        }
        match read(&input, "fuzz", Some(format)) {
            Ok(fsa) => {
                // What was read can be written and read again, into the same model.
                let again = write(&fsa, format, "Seed").expect("what was read can be written").text;
                let back =
                    read(again.as_bytes(), "again", Some(format)).expect("what was written can be read");
                if format != Format::Aut {
                    assert_eq!(back, fsa, "{}\n---\n{again}", String::from_utf8_lossy(&input));
                }
                read_back += 1;
            }
            Err(error) => {
                assert!(error.line() >= 1 && error.column() >= 1 && !error.hint().is_empty(), "{error:?}");
                let shown = format!("{:?}", miette::Report::new(error));
                assert!(shown.contains("fuzz:"), "{shown}");
            }
        }
        // Whatever the content looks like, guessing the format is safe too.
        let _ = read(&input, "fuzz", None);
    }
    assert!(read_back > INPUTS / 100, "the wounds are too deep to test anything: {read_back}");
}

#[test]
fn json() {
    fuzz(Format::Json);
}

#[test]
fn dot() {
    fuzz(Format::Dot);
}

#[test]
fn fsm() {
    fuzz(Format::Fsm);
}

#[test]
fn aut() {
    fuzz(Format::Aut);
}

#[test]
fn hoa() {
    fuzz(Format::Hoa);
}

#[test]
fn promela() {
    fuzz(Format::Promela);
}

#[test]
fn mermaid() {
    fuzz(Format::Mermaid);
}

#[test]
fn javamop() {
    fuzz(Format::JavaMop);
}

#[test]
fn fsp() {
    fuzz(Format::Fsp);
}
