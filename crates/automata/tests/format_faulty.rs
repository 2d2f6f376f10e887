//! Broken files, and what is said about them: where, what is wrong, what would fix it.

use adit_automata::format::{Format, read};
use expect_test::{Expect, expect};

fn check(format: Format, text: &str, expected: Expect) {
    let name = format!("m.{}", format.extensions()[0]);
    let error = read(text.as_bytes(), &name, Some(format)).expect_err("the file is broken");
    expected.assert_eq(&format!("{error}\nhelp: {}\n", error.hint()));
}

/// A JSON model with these parts in it.
fn json(states: &str, edges: &str, more: &str) -> String {
    format!(
        "{{\n\"format\": \"adit-model\",\n\"version\": 1,\n\"initial\": [0],\n\"states\": [{states}],\n\"edges\": [{edges}]{more}\n}}"
    )
}

const STATE: &str = r#"{"id": 0, "accepting": true}"#;
const EDGE: &str = r#"{"from": 0, "event": "a", "to": 0}"#;

#[test]
fn the_line_is_shown_with_the_fault_underlined() {
    let text = "1\n0\n1\n0\n2\n0\t0\tpush\n0\tpop\n";
    let error = read(text.as_bytes(), "stack.fsm.txt", None).unwrap_err();
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::none()).with_width(100);
    let mut out = String::new();
    handler.render_report(&mut out, &error).unwrap();
    expect![[r#"
        model::format

          x stack.fsm.txt:7:1: a transition has 3 or 4 columns and this line has 2
           ,-[stack.fsm.txt:7:1]
         7 | 0 pop
           : ^^|^^
           :   `-- here
           `----
          help: write `from`, `to` and the label with tabs between; a probability may follow
    "#]]
    .assert_eq(&out);
}

#[test]
fn any_format() {
    for format in Format::ALL {
        let error = read(b" \n", "x", Some(format)).unwrap_err();
        assert_eq!(error.to_string(), "x:1:1: the file is empty");
    }
    let message = |bytes: &[u8]| {
        let error = read(bytes, "x.txt", None).unwrap_err();
        format!("{error}\nhelp: {}\n", error.hint())
    };
    expect![[r#"
        x.txt:2:6: byte 0xff is not UTF-8 text
        help: save the file as UTF-8
    "#]]
    .assert_eq(&message(b"des (0,1,1)\n(0,\"a\xff\",0)\n"));
    expect![[r#"
        x.txt:1:2: byte 0x8b is not UTF-8 text
        help: the file is compressed; unpack it with gunzip first
    "#]]
    .assert_eq(&message(b"\x1f\x8b\x08"));
    expect![[r#"
        x.txt:1:1: not a known model format
        help: name the format; there are json, dot, fsm, aut, hoa, promela, mermaid, javamop, fsp
    "#]]
    .assert_eq(&message(b"hello"));
}

#[test]
fn a_line_of_many_megabytes_is_no_trouble() {
    let long = "x".repeat(20_000_000);
    for format in Format::ALL {
        let error = read(long.as_bytes(), "x", Some(format)).unwrap_err();
        let shown = format!("{:?}", miette::Report::new(error));
        assert!(shown.len() < 2000, "{format}: {} bytes", shown.len());
    }
}

#[test]
fn deep_nesting_is_no_danger() {
    for (format, start, nest) in [
        (Format::Json, "", "["),
        (Format::Json, "{\"states\": ", "[{\"id\":"),
        (Format::Dot, "digraph {", "{"),
        (Format::Dot, "digraph {", "subgraph a {a->"),
        (Format::Dot, "digraph {a [label=", "<"),
        (Format::Hoa, "HOA: v1 AP: 1 \"a\" Alias: @x ", "(!"),
        (Format::Hoa, "HOA: v1 ", "/*"),
        (Format::JavaMop, "fsm : ", "a ["),
        (Format::Fsp, "P = ", "(a -> "),
        (Format::Mermaid, "stateDiagram-v2\n", "state a {\n"),
    ] {
        let text = format!("{start}{}", nest.repeat(300_000));
        assert!(read(text.as_bytes(), "x", Some(format)).is_err(), "{format}");
    }
    let closed = format!("digraph {{ __start0 -> {}a{} }}", "{".repeat(300_000), "}".repeat(300_000));
    assert_eq!(read(closed.as_bytes(), "x", Some(Format::Dot)).unwrap().len(), 1);
}

#[test]
fn json_header_faults() {
    check(
        Format::Json,
        "{",
        expect![[r#"
        m.json:1:2: expected a field's name in quotes, but the file ends here
        help: was the file cut off?
    "#]],
    );
    check(
        Format::Json,
        "[]",
        expect![[r#"
        m.json:1:1: expected `{` at the start of a model, found `[]`
        help: write `{` at the start of a model here
    "#]],
    );
    check(
        Format::Json,
        "{}",
        expect![[r#"
        m.json:1:1: the model has no field `format`
        help: add `"format": …`
    "#]],
    );
    check(
        Format::Json,
        r#"{"format": "something"}"#,
        expect![[r#"
        m.json:1:12: this JSON is not a model of adit
        help: a model of adit says "format": "adit-model"
    "#]],
    );
    check(
        Format::Json,
        "{\"format\": \"adit-model\",\n \"version\": 2}",
        expect![[r#"
        m.json:2:13: version 2 of the format is not known
        help: this adit reads version 1; a newer adit may read it
    "#]],
    );
    check(
        Format::Json,
        r#"{"format": "adit-model", "version": 1, "state": []}"#,
        expect![[r#"
        m.json:1:40: `state` is not a field of a model, did you mean `states`?
        help: known here: format, version, title, alphabet, initial, states, edges
    "#]],
    );
    check(
        Format::Json,
        r#"{"format": "adit-model", "format": "adit-model"}"#,
        expect![[r#"
        m.json:1:26: the field `format` is there twice
        help: keep one of them
    "#]],
    );
}

#[test]
fn json_state_and_edge_faults() {
    check(
        Format::Json,
        &json(STATE, r#"{"from": 0, "event": "a", "to": 7}"#, ""),
        expect![[r#"
            m.json:6:43: there is no state 7
            help: the states are 0 to 0; add the state or correct the number
        "#]],
    );
    check(
        Format::Json,
        &json(&format!("{STATE},\n{STATE}"), EDGE, ""),
        expect![[r#"
        m.json:6:8: state 0 is there twice
        help: give every state an id of its own
    "#]],
    );
    check(
        Format::Json,
        &json(r#"{"id": 3, "accepting": true}"#, "", ""),
        expect![[r#"
            m.json:5:19: the id 3 is too large: the number of states is 1
            help: ids are 0, 1, 2 … without gaps
        "#]],
    );
    check(
        Format::Json,
        &json(r#"{"id": 0}"#, "", ""),
        expect![[r#"
        m.json:5:12: this state has no field `accepting`
        help: add `"accepting": …`
    "#]],
    );
    check(
        Format::Json,
        &json(STATE, r#"{"from": 0, "evnt": "a", "to": 0}"#, ""),
        expect![[r#"
        m.json:6:23: `evnt` is not a field of an edge, did you mean `event`?
        help: known here: from, event, to, modality, guard
    "#]],
    );
    check(
        Format::Json,
        &json(STATE, r#"{"from": 0, "event": "", "to": 0}"#, ""),
        expect![[r#"
        m.json:6:32: an event needs a name
        help: put a name between the quotes
    "#]],
    );
    check(
        Format::Json,
        &json(STATE, r#"{"from": -1, "event": "a", "to": 0}"#, ""),
        expect![[r#"
        m.json:6:20: expected a state's number, found `-1,`
        help: write a state's number here
    "#]],
    );
    check(
        Format::Json,
        &json(STATE, r#"{"from": 0, "event": "\x", "to": 0}"#, ""),
        expect![[r#"
        m.json:6:33: this escape is not known
        help: known escapes are \" \\ \/ \b \f \n \r \t and \u with four hexadecimal digits
    "#]],
    );
    check(
        Format::Json,
        &json(STATE, r#"{"from": 0, "event": "a", "to": 0, "modality": "may"}"#, ""),
        expect![[r#"
        m.json:6:58: `may` is not a modality
        help: known here: required, maybe
    "#]],
    );
}

#[test]
fn json_faults_of_the_whole_model() {
    check(
        Format::Json,
        &json(STATE, EDGE, ", \"alphabet\": [\"b\"]"),
        expect![[r#"
            m.json:6:32: the event `a` is not in the alphabet
            help: add it to "alphabet", or leave "alphabet" out
        "#]],
    );
    check(
        Format::Json,
        &json(STATE, EDGE, "").replace("[0]", "[]"),
        expect![[r#"
        m.json:4:1: the model has no initial state
        help: list at least one state: "initial": [0]
    "#]],
    );
    check(
        Format::Json,
        &(json(STATE, EDGE, "") + "x"),
        expect![[r#"
            m.json:7:2: there is more after the end of the model
            help: remove what follows; a file holds one model
        "#]],
    );
    check(
        Format::Json,
        &json(STATE, EDGE, "")[..120],
        expect![[r#"
        m.json:6:23: expected a field's name in quotes, but the file ends here
        help: was the file cut off?
    "#]],
    );
}

#[test]
fn dot_faults() {
    check(
        Format::Dot,
        "graph { a -- b }",
        expect![[r#"
        m.dot:1:1: the edges of this graph have no direction
        help: write `digraph`, and `->` for its edges
    "#]],
    );
    check(
        Format::Dot,
        "digraph { a -- b }",
        expect![[r#"
        m.dot:1:13: this edge has no direction
        help: write `->`
    "#]],
    );
    check(
        Format::Dot,
        "digraph { a -> b [label=\"x\"] }",
        expect![[r#"
        m.dot:1:1: the model has no initial state
        help: point at it from a node without a border: `__start0 [shape=none label=""]; __start0 -> s0;`
    "#]],
    );
    check(
        Format::Dot,
        "digraph {\n  __start0 -> a;\n  a -> b\n}",
        expect![[r#"
        m.dot:3:3: this edge has no label
        help: give it a label: `[label="event"]`; only edges from a borderless node or to an end have none
    "#]],
    );
    check(
        Format::Dot,
        "digraph { a -> }",
        expect![[r#"
            m.dot:1:16: expected a node after `->`, found `}`
            help: write a node after `->` here
        "#]],
    );
    check(
        Format::Dot,
        "digraph { a [label=\"x }",
        expect![[r#"
        m.dot:1:20: this string is never closed
        help: close it with `"`; write a quote inside it as \"
    "#]],
    );
    check(
        Format::Dot,
        "digraph { a [label=<x }",
        expect![[r#"
        m.dot:1:20: this HTML string is never closed
        help: balance its `<` and `>`
    "#]],
    );
    check(
        Format::Dot,
        "digraph { a -> b",
        expect![[r#"
        m.dot:1:17: expected a node, an edge or `}`, but the file ends here
        help: was the file cut off?
    "#]],
    );
    check(
        Format::Dot,
        "digraph { a } digraph { b }",
        expect![[r#"
            m.dot:1:15: there is more after the end of the graph
            help: remove what follows; a file holds one graph
        "#]],
    );
    let group: String = (0..2000).map(|n| format!("n{n};")).collect();
    check(
        Format::Dot,
        &format!("digraph {{ {{{group}}} -> {{{group}}} }}"),
        expect![[r#"
        m.dot:1:11: the groups make too many edges
        help: an edge between groups stands for one between each two of their nodes; use smaller groups
    "#]],
    );
}

#[test]
fn fsm_faults() {
    check(
        Format::Fsm,
        "1\n0\n",
        expect![[r#"
        m.fsm.txt:3:1: expected the number of final states, but the file ends here
        help: was the file cut off?
    "#]],
    );
    check(
        Format::Fsm,
        "1\nS0\n1\nS1\nS2\n1\nS0\tS1\ta\n",
        expect![[r#"
        m.fsm.txt:5:1: the number of transitions should be here
        help: does a count further up match the number of lines after it?
    "#]],
    );
    check(
        Format::Fsm,
        "1\nS0\n3\nS1\n1\nS0\tS1\ta\n",
        expect![[r#"
        m.fsm.txt:6:1: a final state should be here, one id on the line
        help: line 3 says that 3 states follow
    "#]],
    );
    check(
        Format::Fsm,
        "1\nS0\n1\nS1\n2\nS0\tS1\ta\n",
        expect![[r#"
            m.fsm.txt:5:1: the number of transitions is declared as 2 and is 1
            help: write 1 here, or was the file cut off?
        "#]],
    );
    check(
        Format::Fsm,
        "1\nS0\n1\nS1\n1\nS0\tS1\ta\nS1\tS1\tb\n",
        expect![[r#"
            m.fsm.txt:7:1: the number of transitions is declared as 1, and here is one more
            help: line 5 says how many there are
        "#]],
    );
    check(
        Format::Fsm,
        "1\nS0\n1\nS1\n1\nS0\tS1\n",
        expect![[r#"
        m.fsm.txt:6:1: a transition has 3 or 4 columns and this line has 2
        help: write `from`, `to` and the label with tabs between; a probability may follow
    "#]],
    );
    check(
        Format::Fsm,
        "1\nS0\n1\nS1\n1\nS0\t\ta\n",
        expect![[r#"
        m.fsm.txt:6:4: this column is empty
        help: write `from`, `to` and the label with tabs between; a probability may follow
    "#]],
    );
    check(
        Format::Fsm,
        "1\nS0\n1\nS1\n1\nS0 S1 two words\n",
        expect![[r#"
        m.fsm.txt:6:11: `words` is not a probability
        help: the fourth column is a probability such as 0.99; a label with spaces needs tabs around it
    "#]],
    );
    check(
        Format::Fsm,
        "0\n1\nS1\n1\nS0\tS1\ta\n",
        expect![[r#"
            m.fsm.txt:1:1: the model has no initial state
            help: the first number says how many initial states follow it; list at least one
        "#]],
    );
}

#[test]
fn fsm_remark_faults() {
    check(
        Format::Fsm,
        "1\n0\n1\n0\n0\n# adit: lable \"x\"\n",
        expect![[r#"
        m.fsm.txt:6:9: `lable` is not a remark that adit knows, did you mean `label`?
        help: known here: states, initial, accepting, event, label, name, predicate, refuses, maybe, guard
    "#]],
    );
    check(
        Format::Fsm,
        "1\n0\n1\n0\n0\n# adit: maybe 0 \"x\" 1\n",
        expect![[r#"
        m.fsm.txt:6:9: there is no transition from 0 to 1 with the event `x`
        help: the remark speaks of a transition: add that transition or drop the remark
    "#]],
    );
    check(
        Format::Fsm,
        "1\n0\n1\n0\n0\n# adit: states 99999999\n",
        expect![[r#"
        m.fsm.txt:6:16: 99999999 states are declared
        help: a file of this size can declare at most a million states more than it has bytes
    "#]],
    );
    check(
        Format::Fsm,
        "1\n0\n1\n0\n0\n# adit: name 4\n",
        expect![[r#"
        m.fsm.txt:6:15: expected the state's name in quotes, but the line ends here
        help: add the state's name in quotes
    "#]],
    );
}
