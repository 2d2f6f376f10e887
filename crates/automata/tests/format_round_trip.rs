//! A model read back equals the model written, in every format.

use adit_automata::format::{self, Format, WriteError};
use adit_automata::{Builder, Fsa, Modality};
use proptest::prelude::*;

mod java;

use java::{read, write};

/// The parts of an edge: from, label, to, maybe or required, a guard.
type EdgeParts = (prop::sample::Index, prop::sample::Index, prop::sample::Index, bool, Option<String>);

/// Labels that some format has a use of its own for, beside random ones.
const NASTY: &[&str] = &[
    "a",
    "b",
    "add:TRUE",
    "add_TRUE",
    "pop!EmptyStackException",
    "StackAr",
    "stackAr",
    "exit",
    "i",
    "tau",
    "adit: x",
    "adit:maybe 0 \"a\" 1",
    "<START>",
    "<END>",
    "_EXIT12",
    "run_EXIT57",
    "run_EXIT57:TRUE",
    "a / 1",
    "a/1",
    "a\nb",
    "a\tb",
    " lead",
    "trail ",
    "  ",
    "?",
    "a?",
    "a [x]",
    "[x]",
    "a [x]?",
    "#58;",
    "#",
    "\"",
    "\\",
    "\\n",
    "\\N",
    "%22",
    "%",
    "*/",
    "/*",
    "//",
    "-->",
    "s0",
    "S0",
    "[*]",
    "<script>",
    "{",
    "}",
    "none",
    "event",
    "end",
    "ended",
    "if",
    "STOP",
    "model",
    "linux",
    "0",
    "1",
    "t",
    "@end",
    "ü",
    "日本",
    "🦀",
    "\u{2028}",
    "\u{85}",
    "\r",
    "\u{0}",
    "x:y:z",
    "e_1",
    "a_b",
    "a b",
    "a.b",
    "default",
    "alias",
    "--",
    "::",
    ":::",
    ";",
    ",",
    "__start0",
    "\u{feff}",
    "a;",
    "a,b",
];

fn label() -> impl Strategy<Value = String> {
    prop_oneof![3 => prop::sample::select(NASTY).prop_map(str::to_owned), 1 => "[ -~]{1,6}", 1 => "\\PC{1,4}"]
}

/// Names, guards, predicates and titles may also be empty.
fn text() -> impl Strategy<Value = String> {
    const ODD: &[&str] = &["", "s0", "s1", "S1", "0", "1", "x > 0 && y != \"z\"", "]", "[", "a ] b [ c"];
    prop_oneof![1 => prop::sample::select(ODD).prop_map(str::to_owned), 2 => label()]
}

fn models() -> impl Strategy<Value = Fsa<String>> {
    let states = prop::collection::vec(any::<bool>(), 1..6);
    let labels = prop::collection::btree_set(label(), 0..6);
    let index = any::<prop::sample::Index>;
    let guard = || prop::option::weighted(0.2, text());
    let edges = prop::collection::vec((index(), index(), index(), any::<bool>(), guard()), 0..10);
    let initial = prop::collection::vec(index(), 1..3);
    let names = prop::collection::vec((index(), text()), 0..3);
    let predicates = prop::collection::vec((index(), prop::collection::vec(text(), 1..3)), 0..2);
    (states, labels, edges, initial, names, predicates, any::<Option<bool>>(), 0..8u8).prop_map(
        |(states, labels, edges, initial, names, predicates, uniform, numbered)| {
            let mut builder = Builder::new();
            for accepting in &states {
                builder.state(uniform.unwrap_or(*accepting));
            }
            let labels: Vec<String> = labels.into_iter().collect();
            for label in &labels {
                builder.label(label.clone());
            }
            for state in initial {
                builder.initial(state.index(states.len()));
            }
            for edge in edges.into_iter().filter(|_| !labels.is_empty()) {
                add(&mut builder, edge, &labels);
            }
            match numbered {
                // Names as files give them: a prefix and rising numbers.
                0 => (0..states.len()).for_each(|state| builder.name(state, format!("q{}", state * 3))),
                1 => (0..states.len()).for_each(|state| builder.name(state, format!("{}", state + 1))),
                2 => (0..states.len()).for_each(|state| builder.name(state, format!("{state}"))),
                _ => {
                    names.into_iter().for_each(|(state, name)| builder.name(state.index(states.len()), name))
                }
            }
            for (state, predicates) in predicates {
                let state = state.index(states.len());
                builder.refusals(state, predicates.iter().rev().cloned().collect());
                builder.predicates(state, predicates);
            }
            builder.build()
        },
    )
}

fn add(builder: &mut Builder<String>, (from, label, to, maybe, guard): EdgeParts, labels: &[String]) {
    let (from, to) = (from.index(builder.len()), to.index(builder.len()));
    let label = &labels[label.index(labels.len())];
    let modality = if maybe { Modality::Maybe } else { Modality::Required };
    builder.modal_edge(from, label.clone(), to, modality);
    if let Some(guard) = guard {
        builder.guard(from, label.clone(), to, guard);
    }
}

/// The model without what AUT has no place for.
fn bare(fsa: &Fsa<String>) -> Fsa<String> {
    let mut builder = Builder::new();
    for state in fsa.states() {
        builder.state(fsa.is_accepting(state));
    }
    fsa.alphabet().iter().for_each(|label| builder.label(label.clone()));
    fsa.initial().iter().for_each(|&state| builder.initial(state));
    fsa.all_edges()
        .for_each(|edge| builder.modal_edge(edge.from, edge.label.clone(), edge.to, edge.modality));
    builder.build()
}

fn check(fsa: &Fsa<String>, format: Format, title: &str) -> Result<(), TestCaseError> {
    let written = write(fsa, format, title).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let name = format!("model.{}", format.extensions()[0]);
    let expected = if format == Format::Aut { bare(fsa) } else { fsa.clone() };
    let back = read(written.text.as_bytes(), &name, None);
    let back = back.map_err(|error| TestCaseError::fail(format!("{error}\n{}", written.text)))?;
    prop_assert_eq!(&back, &expected, "{}\n{}", format, written.text);
    // Without knowing what labels mean, too.
    let plain = format::write(fsa, format, title).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let back = format::read(plain.text.as_bytes(), &name, None);
    let back = back.map_err(|error| TestCaseError::fail(format!("{error}\n{}", plain.text)))?;
    prop_assert_eq!(&back, &expected, "{}\n{}", format, plain.text);
    prop_assert_eq!(Format::sniff(written.text.as_bytes()), Some(format), "{}", written.text);
    prop_assert_eq!(write(fsa, format, title).ok(), Some(written), "the same model gives the same bytes");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json(fsa in models(), title in text()) { check(&fsa, Format::Json, &title)? }

    #[test]
    fn dot(fsa in models(), title in text()) { check(&fsa, Format::Dot, &title)? }

    #[test]
    fn fsm(fsa in models(), title in text()) { check(&fsa, Format::Fsm, &title)? }

    #[test]
    fn aut(fsa in models(), title in text()) { check(&fsa, Format::Aut, &title)? }

    #[test]
    fn hoa(fsa in models(), title in text()) { check(&fsa, Format::Hoa, &title)? }

    #[test]
    fn promela(fsa in models(), title in text()) { check(&fsa, Format::Promela, &title)? }

    #[test]
    fn mermaid(fsa in models(), title in text()) { check(&fsa, Format::Mermaid, &title)? }

    #[test]
    fn javamop(fsa in models(), title in text()) { check(&fsa, Format::JavaMop, &title)? }

    #[test]
    fn fsp(fsa in models(), title in text()) { check(&fsa, Format::Fsp, &title)? }

    /// Another JSON reader finds the same in our JSON.
    #[test]
    fn json_is_json(fsa in models(), title in text()) {
        let text = write(&fsa, Format::Json, &title).unwrap().text;
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let labels: Vec<&str> = value["alphabet"].as_array().unwrap().iter().filter_map(|label| label.as_str()).collect();
        prop_assert_eq!(labels, fsa.alphabet());
        prop_assert_eq!(value["states"].as_array().unwrap().len(), fsa.len());
        prop_assert_eq!(value["edges"].as_array().unwrap().len(), fsa.transitions());
        prop_assert_eq!(value["title"].as_str(), Some(title.as_str()));
    }
}

#[test]
fn what_no_format_can_hold_is_refused() {
    let mut builder = Builder::new();
    builder.state(true);
    let no_initial = builder.clone().build();
    builder.initial(0);
    builder.edge(0, String::new(), 0);
    let no_label = builder.build();
    for format in Format::ALL {
        assert_eq!(write(&no_initial, format, "x"), Err(WriteError::NoInitial));
        assert_eq!(write(&no_label, format, "x"), Err(WriteError::EmptyLabel));
    }
}

#[test]
fn formats_with_a_limit_say_so() {
    let many = |count: usize| {
        let mut builder = Builder::new();
        builder.state(true);
        builder.initial(0);
        (0..count).for_each(|number| builder.edge(0, format!("e{number}"), 0));
        builder.build()
    };
    for (format, limit) in [(Format::Promela, 254), (Format::Hoa, 1024)] {
        let fits = write(&many(limit), format, "x").unwrap();
        assert_eq!(read(fits.text.as_bytes(), "x", Some(format)).unwrap(), many(limit));
        let error = write(&many(limit + 1), format, "x").unwrap_err();
        assert_eq!(error, WriteError::TooManyLabels { format, limit, have: limit + 1 });
    }
}

/// No step of writing or reading grows faster than the model.
#[test]
fn large_models_take_no_time() {
    let mut builder = Builder::new();
    for state in 0..20_000 {
        builder.state(state % 3 == 0);
        builder.name(state, format!("name {state}"));
    }
    builder.initial(0);
    builder.initial(7);
    for state in 0..20_000 {
        let label = format!("event {}", state % 100);
        builder.modal_edge(state, label.clone(), (state * 7 + 1) % 20_000, Modality::Maybe);
        builder.guard(state, label, (state * 7 + 1) % 20_000, "x > 0".into());
    }
    let fsa = builder.build();
    for format in Format::ALL {
        check(&fsa, format, "large").unwrap();
    }
}
