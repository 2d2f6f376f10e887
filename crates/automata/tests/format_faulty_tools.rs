//! Broken files in the formats of other tools, and what is said about them: where, what is wrong, what would
//! fix it.

use adit_automata::format::{Format, read};
use expect_test::{Expect, expect};

fn check(format: Format, text: &str, expected: Expect) {
    let name = format!("m.{}", format.extensions()[0]);
    let error = read(text.as_bytes(), &name, Some(format)).expect_err("the file is broken");
    expected.assert_eq(&format!("{error}\nhelp: {}\n", error.hint()));
}

#[test]
fn aut_faults() {
    check(
        Format::Aut,
        "(0,\"a\",1)\n",
        expect![[r#"
        m.aut:1:1: expected `des` at the start of an AUT file, found `(0,\"a\",1)`
        help: write `des` at the start of an AUT file here
    "#]],
    );
    check(
        Format::Aut,
        "des (0, 1)\n",
        expect![[r#"
        m.aut:1:10: expected `,` after the number of transitions, found `)`
        help: write `,` after the number of transitions here
    "#]],
    );
    check(
        Format::Aut,
        "des (5, 0, 2)\n",
        expect![[r#"
        m.aut:1:6: the initial state is 5 and there are 2 states
        help: the initial state must be smaller than the number of states
    "#]],
    );
    check(
        Format::Aut,
        "des (0, 0, 4000000000)\n",
        expect![[r#"
        m.aut:1:12: 4000000000 states are declared
        help: a file of this size can declare at most a million states more than it has bytes
    "#]],
    );
    check(
        Format::Aut,
        "des (0, 1, 2)\n(0,\"a\",2)\n",
        expect![[r#"
        m.aut:2:1: there is no state 2: the first line declares 2
        help: states are 0 to 1; raise the third number of the first line
    "#]],
    );
    check(
        Format::Aut,
        "des (0, 2, 2)\n(0,\"a\",1)\n",
        expect![[r#"
            m.aut:1:9: the number of transitions is declared as 2 and is 1
            help: write 1 here, or was the file cut off?
        "#]],
    );
    check(
        Format::Aut,
        "des (0, 1, 2)\n0,\"a\",1\n",
        expect![[r#"
        m.aut:2:1: a transition should stand here, in parentheses
        help: a transition reads (from, "label", to)
    "#]],
    );
    check(
        Format::Aut,
        "des (0, 1, 2)\n(0,1)\n",
        expect![[r#"
        m.aut:2:1: this transition does not have three parts
        help: a transition reads (from, "label", to)
    "#]],
    );
    check(
        Format::Aut,
        "des (0, 1, 2)\n(0,\"a,1)\n",
        expect![[r#"
        m.aut:2:1: the label's quotes are not closed
        help: a transition reads (from, "label", to)
    "#]],
    );
    check(
        Format::Aut,
        "des (0, 1, 2)\n(x,\"a\",1)\n",
        expect![[r#"
        m.aut:2:1: `x` is not a state's number
        help: a transition reads (from, "label", to)
    "#]],
    );
    check(
        Format::Aut,
        "des (0, 1, 2)\n(0,\"\",1)\n",
        expect![[r#"
        m.aut:2:1: the label is empty
        help: a transition reads (from, "label", to)
    "#]],
    );
}

#[test]
fn hoa_header_faults() {
    check(
        Format::Hoa,
        "HOA: v2\n",
        expect![[r#"
        m.hoa:1:6: version v2 of HOA is not known
        help: this adit reads version v1
    "#]],
    );
    check(
        Format::Hoa,
        "HOA: v1\nStates: 1\n",
        expect![[r#"
        m.hoa:3:1: expected a header item or `--BODY--`, but the file ends here
        help: was the file cut off?
    "#]],
    );
    check(
        Format::Hoa,
        "HOA: v1\nStart: 0&1\n--BODY--\n--END--",
        expect![[r#"
        m.hoa:2:1: this leads to several states at once
        help: alternating automata are not read; `autfilt` makes them nondeterministic
    "#]],
    );
    check(
        Format::Hoa,
        "HOA: v1\nAcceptance: 2 Inf(0)&Inf(1)\n--BODY--\n--END--",
        expect![[r#"
        m.hoa:2:1: this acceptance condition is not supported
        help: words end here, so only Büchi acceptance (1 Inf(0)) or none (0 t) has a meaning
    "#]],
    );
    check(
        Format::Hoa,
        "HOA: v1\nAP: 2 \"a\" \"a\"\n--BODY--\n--END--",
        expect![[r#"
        m.hoa:2:11: this proposition has no name of its own
        help: every proposition is an event and needs a name of its own
    "#]],
    );
    check(
        Format::Hoa,
        "HOA: v1\nOwner: 0 1\n--BODY--\n--END--",
        expect![[r#"
        m.hoa:2:1: the header item `Owner` is not known
        help: an item with a capital changes the meaning of the automaton; adit cannot leave it out
    "#]],
    );
    check(
        Format::Hoa,
        "HOA: v1\nStates: 1\nAcceptance: 0 t\n--BODY--\nState: 0\n--END--",
        expect![[r#"
            m.hoa:1:1: the model has no initial state
            help: name it in the header: `Start: 0`
        "#]],
    );
}

#[test]
fn hoa_body_faults() {
    let body = |labels: &str| {
        format!(
            "HOA: v1\nStates: 1\nStart: 0\nAP: 2 \"a\" \"b\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n{labels}\n--END--\n"
        )
    };
    check(
        Format::Hoa,
        &body("[0&1] 0"),
        expect![[r#"
        m.hoa:8:2: no single event satisfies this label
        help: adit reads every proposition as one event, and one event at a time
    "#]],
    );
    check(
        Format::Hoa,
        &body("[2] 0"),
        expect![[r#"
        m.hoa:8:2: there is no proposition 2
        help: the header declares 2 propositions, counted from 0
    "#]],
    );
    check(
        Format::Hoa,
        &body("[@x] 0"),
        expect![[r#"
        m.hoa:8:3: the alias @x is not defined
        help: define it in the header, before it is used: `Alias: @name expression`
    "#]],
    );
    check(
        Format::Hoa,
        &body("[0 0"),
        expect![[r#"
        m.hoa:8:4: expected `]` after a label, found `0`
        help: write `]` after a label here
    "#]],
    );
    check(
        Format::Hoa,
        &body("[(0] 0"),
        expect![[r#"
        m.hoa:8:4: expected `)`, found `]`
        help: write `)` here
    "#]],
    );
    check(
        Format::Hoa,
        &body("0"),
        expect![[r#"
        m.hoa:8:1: this transition has no label
        help: implicit labels are not read; `autfilt -H` writes labels out
    "#]],
    );
    check(
        Format::Hoa,
        &body("[0] 3"),
        expect![[r#"
            m.hoa:8:1: there is no state 3
            help: the header says `States: 1`, and states count from 0
        "#]],
    );
    check(
        Format::Hoa,
        &body("[0] 0 {0}"),
        expect![[r#"
        m.hoa:8:7: acceptance on transitions is not read
        help: let `autfilt --state-based-acceptance` move acceptance to states
    "#]],
    );
}

#[test]
fn promela_faults() {
    let process = |states: &str| {
        format!(
            "mtype = {{ none, a }};\nmtype event = none;\nactive proctype model()\n{{\nif :: goto S0 fi;\n{states}\nended: skip\n}}\n"
        )
    };
    check(
        Format::Promela,
        "active proctype other() { skip }",
        expect![[r#"
        m.pml:1:8: this is not a process written by adit
        help: adit reads only the PROMELA that it writes; keep the model in another format
    "#]],
    );
    check(
        Format::Promela,
        &process("S0: if :: event = b; event = none; goto S0 fi;"),
        expect![[r#"
            m.pml:6:19: the event `b` is not declared
            help: add it to the `mtype` at the top
        "#]],
    );
    check(
        Format::Promela,
        &process("S0: if :: event = a; event = none; goto S1 fi;"),
        expect![[r#"
        m.pml:6:41: there is no state S1
        help: jump to a label that is there, or add the state
    "#]],
    );
    check(
        Format::Promela,
        &process("S0: if :: event = a; goto S0 fi;"),
        expect![[r#"
        m.pml:6:22: expected `event` in a process as adit writes it, found `goto`
        help: write `event` in a process as adit writes it here
    "#]],
    );
    check(
        Format::Promela,
        &process("S0: if :: false fi; S0: if :: false fi;"),
        expect![[r#"
        m.pml:6:21: S0 is there twice
        help: keep one of the two
    "#]],
    );
    check(
        Format::Promela,
        &process("S0: if :: goto ended fi;").replace("ended: skip\n}", ""),
        expect![[r#"
        m.pml:8:1: expected a state's label, or `ended`, but the file ends here
        help: was the file cut off?
    "#]],
    );
}

#[test]
fn mermaid_faults() {
    check(
        Format::Mermaid,
        "flowchart LR\n",
        expect![[r#"
        m.mmd:1:1: this is not a state diagram of Mermaid
        help: start the diagram with `stateDiagram-v2`
    "#]],
    );
    check(
        Format::Mermaid,
        "stateDiagram-v2\n  s0 --> s1 : a\n",
        expect![[r#"
        m.mmd:1:1: the model has no initial state
        help: point at it: `[*] --> s0`
    "#]],
    );
    check(
        Format::Mermaid,
        "stateDiagram-v2\n  [*] --> s0\n  s0 --> s1\n",
        expect![[r#"
        m.mmd:3:3: this transition has no event
        help: write it after a colon: `s0 --> s1 : event`
    "#]],
    );
    check(
        Format::Mermaid,
        "stateDiagram-v2\n  [*] --> s0 : a\n",
        expect![[r#"
        m.mmd:2:3: a transition from or to `[*]` has no event
        help: let the event lead to a state of its own, and that state to or from `[*]`
    "#]],
    );
    check(
        Format::Mermaid,
        "stateDiagram-v2\n  state s0 {\n  }\n",
        expect![[r#"
        m.mmd:2:3: this state holds a diagram of its own
        help: only flat diagrams are read: give every state of the inner diagram a name of its own
    "#]],
    );
    check(
        Format::Mermaid,
        "stateDiagram-v2\n  state s0 <<fork>>\n",
        expect![[r#"
        m.mmd:2:3: this is not a plain state
        help: choices, forks and joins are not read; let the transitions lead on directly
    "#]],
    );
    check(
        Format::Mermaid,
        "stateDiagram-v2\n  two words\n",
        expect![[r#"
        m.mmd:2:3: `two words` is not a state's id
        help: write `s0 --> s1 : event`, or a state's id alone on the line
    "#]],
    );
}

#[test]
fn javamop_faults() {
    check(
        Format::JavaMop,
        "X(Y y) { event a before() {} ere : a* }",
        expect![[r#"
        m.mop:1:40: there is no `fsm` block in this file
        help: adit reads the `fsm :` block; specifications in other logics (ere, ltl, cfg) have none
    "#]],
    );
    check(
        Format::JavaMop,
        "X(Y y) { fsm : @fail {} }",
        expect![[r#"
        m.mop:1:10: the `fsm` block has no states
        help: define one: `name [ event -> state ]`
    "#]],
    );
    check(
        Format::JavaMop,
        "X(Y y) {\n  fsm :\n    start [ a -> strat ]\n}",
        expect![[r#"
        m.mop:3:18: the state `strat` is not defined, did you mean `start`?
        help: define it: `name [ event -> state ]`
    "#]],
    );
    check(
        Format::JavaMop,
        "X(Y y) { fsm : s [ a s ] }",
        expect![[r#"
        m.mop:1:22: expected `->` after an event, found `s`
        help: write `->` after an event here
    "#]],
    );
    check(
        Format::JavaMop,
        "X(Y y) { fsm : s [ ] s [ ] }",
        expect![[r#"
        m.mop:1:22: the state `s` is there twice
        help: keep one of the two
    "#]],
    );
    check(
        Format::JavaMop,
        "X(Y y) { fsm : s [ a -> s",
        expect![[r#"
        m.mop:1:26: expected an event or `]`, but the file ends here
        help: was the file cut off?
    "#]],
    );
    check(
        Format::JavaMop,
        "X(Y y) { String s = \"never closed",
        expect![[r#"
        m.mop:1:21: this literal is never closed
        help: close it with " on its line
    "#]],
    );
}

#[test]
fn fsp_faults() {
    check(
        Format::Fsp,
        "P = S0,\nS0 = (a -> S1).",
        expect![[r#"
            m.lts:2:12: the process `S1` is not defined
            help: define it: `S1 = STOP` if nothing happens there
        "#]],
    );
    check(
        Format::Fsp,
        "P = S0,\nS0 = (a -> S0)",
        expect![[r#"
        m.lts:2:15: expected `,` or `.` after a definition, but the file ends here
        help: was the file cut off?
    "#]],
    );
    check(
        Format::Fsp,
        "P = S0,\nS0 = (a -> (b -> S0)).",
        expect![[r#"
            m.lts:2:12: a choice inside a choice is not read
            help: give the inner choice a name: `S1 = (b -> S0)`, and lead there
        "#]],
    );
    check(
        Format::Fsp,
        "P = S0, S0 = (a -> S0), Q = S0.",
        expect![[r#"
        m.lts:1:25: `Q` is only another name for `S0`
        help: only the first definition may name another process; write its choices out here
    "#]],
    );
    check(
        Format::Fsp,
        "P = (a -> P).\nQ = (b -> Q).",
        expect![[r#"
            m.lts:2:1: there is more after the end of the process
            help: remove what follows; a file holds one process
        "#]],
    );
}
