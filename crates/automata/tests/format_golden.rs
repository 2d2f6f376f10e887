//! A model that has a bit of everything in each format, and the meaning of the dialects of others.

use adit_automata::format::{self, Format};
use adit_automata::{Builder, Fsa, Modality};
use expect_test::{Expect, expect};

mod java;

use java::{read, write};

/// Modal, guarded, named, with two initial states, an unused event, and events that need care.
fn rich() -> Fsa<String> {
    let mut builder = Builder::new();
    builder.state(false);
    builder.state(true);
    builder.state(false);
    builder.initial(0);
    builder.initial(2);
    builder.label("never used".into());
    builder.edge(0, "Stack".into(), 1);
    builder.edge(1, "isEmpty:TRUE".into(), 1);
    builder.modal_edge(1, "pop!EmptyStackException".into(), 2, Modality::Maybe);
    builder.edge(1, "say \"hé\" <b>".into(), 2);
    builder.guard(1, "say \"hé\" <b>".into(), 2, "size > 0".into());
    builder.name(1, "ready".into());
    builder.predicates(1, vec!["top != null".into(), "size >= 0".into()]);
    builder.refusals(1, vec!["peek!NoSuchElementException".into()]);
    builder.build()
}

fn check_written(format: Format, expected: Expect) {
    let written = write(&rich(), format, "Stack").expect("the model can be written");
    let lost: String = written.lost.iter().map(|lost| format!("LOST {lost}\n")).collect();
    expected.assert_eq(&(written.text + &lost));
}

/// The model in a form made for reading: `*` accepts, `>` is initial.
fn show(fsa: &Fsa<String>) -> String {
    let state = |state: usize| {
        let initial = if fsa.initial().contains(&state) { ">" } else { "" };
        let accepting = if fsa.is_accepting(state) { "*" } else { "" };
        let name = fsa.name(state).map(|name| format!("({name})")).unwrap_or_default();
        format!("{initial}{state}{name}{accepting}")
    };
    let mut out = String::new();
    for from in fsa.states().filter(|&state| fsa.steps(state).is_empty()) {
        out.push_str(&format!("{}\n", state(from)));
    }
    for edge in fsa.all_edges() {
        let maybe = if edge.modality == Modality::Maybe { "?" } else { "" };
        let guard = edge.guard.map(|guard| format!(" [{guard}]")).unwrap_or_default();
        out.push_str(&format!("{} -{}{guard}{maybe}-> {}\n", state(edge.from), edge.label, state(edge.to)));
    }
    let unused: Vec<&String> =
        fsa.alphabet().iter().filter(|label| fsa.all_edges().all(|edge| edge.label != *label)).collect();
    if !unused.is_empty() {
        out.push_str(&format!("unused: {unused:?}\n"));
    }
    out
}

fn check_read(format: Format, text: &str, expected: Expect) {
    let fsa = read(text.as_bytes(), "model", Some(format)).unwrap_or_else(|error| panic!("{error}"));
    expected.assert_eq(&show(&fsa));
}

#[test]
fn json() {
    check_written(
        Format::Json,
        expect![[r#"
            {
              "format": "adit-model",
              "version": 1,
              "title": "Stack",
              "alphabet": [
                "Stack",
                "isEmpty:TRUE",
                "never used",
                "pop!EmptyStackException",
                "say \"hé\" <b>"
              ],
              "initial": [0, 2],
              "states": [
                {"id": 0, "accepting": false},
                {"id": 1, "name": "ready", "accepting": true, "predicates": ["top != null", "size >= 0"], "refuses": ["peek!NoSuchElementException"]},
                {"id": 2, "accepting": false}
              ],
              "edges": [
                {"from": 0, "event": "Stack", "to": 1},
                {"from": 1, "event": "isEmpty:TRUE", "to": 1},
                {"from": 1, "event": "pop!EmptyStackException", "to": 2, "modality": "maybe"},
                {"from": 1, "event": "say \"hé\" <b>", "to": 2, "guard": "size > 0"}
              ]
            }
        "#]],
    );
}

#[test]
fn dot() {
    check_written(
        Format::Dot,
        expect![[r#"
            digraph "Stack" {
              s0 [shape="circle" label="s0"];
              s1 [shape="doublecircle" label="ready"];
              s2 [shape="circle" label="s2"];
              s0 -> s1 [label="Stack"];
              s1 -> s1 [label="isEmpty:TRUE"];
              s1 -> s2 [label="pop!EmptyStackException" style="dashed" modality="maybe"];
              s1 -> s2 [label="say \"hé\" <b> [size > 0]" event="say \"hé\" <b>" guard="size > 0"];
              __start0 [label="" shape="none" width="0" height="0"];
              __start0 -> s0;
              __start1 [label="" shape="none" width="0" height="0"];
              __start1 -> s2;
              // adit: label "never used"
              // adit: predicate 1 "top != null"
              // adit: predicate 1 "size >= 0"
              // adit: refuses 1 "peek!NoSuchElementException"
            }
        "#]],
    );
}

#[test]
fn fsm() {
    check_written(
        Format::Fsm,
        expect![[r#"
            2
            0
            2
            1
            1
            4
            0	1	Stack
            1	1	isEmpty:TRUE
            1	2	pop!EmptyStackException
            1	2	say "hé" <b>
            # adit: label "never used"
            # adit: name 1 "ready"
            # adit: predicate 1 "top != null"
            # adit: predicate 1 "size >= 0"
            # adit: refuses 1 "peek!NoSuchElementException"
            # adit: maybe 1 "pop!EmptyStackException" 2
            # adit: guard 1 "say \"hé\" <b>" 2 "size > 0"
        "#]],
    );
}

#[test]
fn aut() {
    check_written(
        Format::Aut,
        expect![[r#"
            des (4, 9, 6)
            (0,"Stack",1)
            (1,"isEmpty:TRUE",1)
            (1,"pop!EmptyStackException",2)
            (1,"say %22hé%22 <b>",2)
            (1,"exit",3)
            (4,"i",0)
            (4,"i",2)
            (5,"adit: label %22never used%22",5)
            (5,"adit: maybe 1 %22pop!EmptyStackException%22 2",5)
            LOST AUT has no place for names of states: 1 of them is lost
            LOST AUT has no place for predicates of states: 2 of them are lost
            LOST AUT has no place for refusals of states: 1 of them is lost
            LOST AUT has no place for guards of transitions: 1 of them is lost
        "#]],
    );
}

#[test]
fn hoa() {
    check_written(
        Format::Hoa,
        expect![[r#"
            HOA: v1
            tool: "adit"
            name: "Stack"
            States: 4
            Start: 0
            Start: 2
            AP: 5 "Stack" "isEmpty:TRUE" "never used" "pop!EmptyStackException" "say \"hé\" <b>"
            Alias: @Stack 0&!1&!2&!3&!4
            Alias: @isEmpty_TRUE !0&1&!2&!3&!4
            Alias: @never_used !0&!1&2&!3&!4
            Alias: @pop_EmptyStackException !0&!1&!2&3&!4
            Alias: @say__h____b_ !0&!1&!2&!3&4
            Alias: @end !0&!1&!2&!3&!4
            acc-name: Buchi
            Acceptance: 1 Inf(0)
            properties: trans-labels explicit-labels state-acc
            /* adit: predicate 1 "top != null" */
            /* adit: predicate 1 "size >= 0" */
            /* adit: refuses 1 "peek!NoSuchElementException" */
            /* adit: maybe 1 "pop!EmptyStackException" 2 */
            /* adit: guard 1 "say \"hé\" <b>" 2 "size > 0" */
            --BODY--
            State: 0
            [@Stack] 1
            State: 1 "ready"
            [@isEmpty_TRUE] 1
            [@pop_EmptyStackException] 2
            [@say__h____b_] 2
            [@end] 3
            State: 2
            State: 3 {0}
            [@end] 3
            --END--
        "#]],
    );
}

#[test]
fn promela() {
    check_written(
        Format::Promela,
        expect![[r#"
            /* The model of Stack */
            mtype = { none, Stack, isEmpty_TRUE, never_used, pop_EmptyStackException, say__h____b_ };

            /* The event of this step, none between events. */
            mtype event = none;

            active proctype model()
            {
              if
              :: goto S0
              :: goto S2
              fi;
            S0:
              if
              :: event = Stack; event = none; goto S1
              fi;
            S1:
              if
              :: event = isEmpty_TRUE; event = none; goto S1
              :: event = pop_EmptyStackException; event = none; goto S2
              :: event = say__h____b_; event = none; goto S2
              :: goto ended
              fi;
            S2:
              if
              :: false
              fi;
            ended:
              skip
            }
            /* adit: event "isEmpty_TRUE" "isEmpty:TRUE" */
            /* adit: event "never_used" "never used" */
            /* adit: event "pop_EmptyStackException" "pop!EmptyStackException" */
            /* adit: event "say__h____b_" "say \"hé\" <b>" */
            /* adit: name 1 "ready" */
            /* adit: predicate 1 "top != null" */
            /* adit: predicate 1 "size >= 0" */
            /* adit: refuses 1 "peek!NoSuchElementException" */
            /* adit: maybe 1 "pop!EmptyStackException" 2 */
            /* adit: guard 1 "say \"hé\" <b>" 2 "size > 0" */
        "#]],
    );
}

#[test]
fn mermaid() {
    check_written(
        Format::Mermaid,
        expect![[r#"
            ---
            title: "Stack"
            ---
            stateDiagram-v2
                s0
                s1 : ready
                s2
                [*] --> s0
                [*] --> s2
                s0 --> s1 : Stack
                s1 --> s1 : isEmpty#58;TRUE
                s1 --> s2 : pop!EmptyStackException?
                s1 --> s2 : say #34;hé#34; #60;b#62; [size #62; 0]
                s1 --> [*]
                %% adit: label "never used"
                %% adit: predicate 1 "top != null"
                %% adit: predicate 1 "size >= 0"
                %% adit: refuses 1 "peek!NoSuchElementException"
        "#]],
    );
}

#[test]
fn javamop() {
    check_written(
        Format::JavaMop,
        expect![[r#"
            // The model of Stack
            Stack(Stack o) {
                event Stack after() returning(Stack o) : call(Stack.new(..)) {}
                event isEmpty_TRUE after(Stack o) returning(boolean result) : call(* Stack.isEmpty(..)) && target(o) && condition(result) {}
                event never_used after(Stack o) : call(* Stack.never_used(..)) && target(o) {}
                event pop_EmptyStackException after(Stack o) throwing(EmptyStackException exception) : call(* Stack.pop(..)) && target(o) {}
                event say__h____b_ after(Stack o) : call(* Stack.say__h____b_(..)) && target(o) {}

                fsm :
                    s0 [
                        Stack -> s1
                    ]
                    s1 [
                        isEmpty_TRUE -> s1
                        pop_EmptyStackException -> s2
                        say__h____b_ -> s2
                    ]
                    s2 [
                    ]
                    alias accepting = s1

                @fail {
                    System.err.println("the model does not allow this call");
                }
                // adit: initial 0 2
                // adit: event "isEmpty_TRUE" "isEmpty:TRUE"
                // adit: event "never_used" "never used"
                // adit: event "pop_EmptyStackException" "pop!EmptyStackException"
                // adit: event "say__h____b_" "say \"hé\" <b>"
                // adit: name 1 "ready"
                // adit: predicate 1 "top != null"
                // adit: predicate 1 "size >= 0"
                // adit: refuses 1 "peek!NoSuchElementException"
                // adit: maybe 1 "pop!EmptyStackException" 2
                // adit: guard 1 "say \"hé\" <b>" 2 "size > 0"
            }
            LOST JavaMOP needs a deterministic model; add --determinize
            LOST the event `never used` is not a call: write its pointcut yourself
            LOST the event `say \"hé\" <b>` is not a call: write its pointcut yourself
        "#]],
    );
}

#[test]
fn fsp() {
    check_written(
        Format::Fsp,
        expect![[r#"
            // The model of Stack
            Stack = S0,
            S0 = (stack -> S1),
            S1 = (isEmpty_TRUE -> S1
                | pop_EmptyStackException? -> S2
                | say__h____b_ -> S2),
            S1 = STOP,
            S2 = STOP.
            // adit: initial 0 2
            // adit: accepting 1
            // adit: event "stack" "Stack"
            // adit: event "pop_EmptyStackException" "pop!EmptyStackException"
            // adit: event "say__h____b_" "say \"hé\" <b>"
            // adit: label "never used"
            // adit: name 1 "ready"
            // adit: predicate 1 "top != null"
            // adit: predicate 1 "size >= 0"
            // adit: refuses 1 "peek!NoSuchElementException"
            // adit: guard 1 "say \"hé\" <b>" 2 "size > 0"
        "#]],
    );
}

#[test]
fn json_in_any_order_and_with_defaults() {
    let text = r#"{"version": 1, "edges": [{"to": 0, "event": "\u00e9\ud83e\udd80", "from": 1, "modality": "required"}],
        "states": [{"accepting": true, "id": 1}, {"id": 0, "accepting": false}], "initial": [1], "format": "adit-model"}"#;
    check_read(
        Format::Json,
        text,
        expect![[r#"
        0
        >1* -é🦀-> 0
    "#]],
    );
}

#[test]
fn dot_as_learnlib_writes_it() {
    let text = r#"digraph g {

	s0 [shape="circle" label="0"];
	s1 [shape="doublecircle" label="1"];
	s0 -> s1 [label="open"];
	s1 -> s1 [label="read / ok"];

__start0 [label="" shape="none" width="0" height="0"];
__start0 -> s0;

}
"#;
    check_read(
        Format::Dot,
        text,
        expect![[r#"
        >0 -open-> 1*
        1* -read/ok-> 1*
    "#]],
    );
}

#[test]
fn dot_as_aalpy_writes_it() {
    let text = "digraph learnedModel {\ns0 [label=s0];\ns1 [label=s1];\ns0 -> s1 [label=\"a/1\"];\ns1 -> s0 [label=\"b/2\"];\n\
        __start0 [label=\"\", shape=none];\n__start0 -> s0 [label=\"\"];\n}\n";
    check_read(
        Format::Dot,
        text,
        expect![[r#"
        >0* -a/1-> 1*
        1* -b/2-> >0*
    "#]],
    );
}

#[test]
fn dot_with_an_end_that_is_no_state() {
    let text = "digraph Automaton {\n\trankdir = LR;\n\t3 -> 3 [label=\"add_EXIT\"]\n\tinitial -> 5 [label=\"\"]\n\
        \t5 -> 3 [label=\"hashSet_EXIT\"]\n\t3 -> dummy_final [label=\"\"]\n\tinitial [shape=plaintext,label=\"\"];\n\
        \tdummy_final [shape=doublecircle,label=\"\"];\n}\n";
    check_read(
        Format::Dot,
        text,
        expect![[r#"
        0(3)* -add-> 0(3)*
        >1(5) -hashSet-> 0(3)*
    "#]],
    );
}

#[test]
fn dot_with_all_its_syntax() {
    let text = r#"// one
/* two */ STRICT DiGraph "a \"graph\"" {
# three
graph [rankdir=LR]; node [shape=circle, fontsize=10]; edge [label="step"]
subgraph cluster_1 { node [shape=doublecircle]; x; "y z" }
-1.5:port:ne -> x -> {"y z" ; <ü>} [label="one\ntwo", style=bold; weight=2][color=red]
"y z" -> "long " + "name"
ü -> x [label=<<b>fast</b><br/>&lt;slow&gt;>];
size="3,3"; start [shape=point] start -> -1.5 [label=""]
}"#;
    check_read(
        Format::Dot,
        text,
        expect![[r#"
        4(long name)
        0(x)* -one-> 1(y z)*
        0(x)* -one-> 3(ü)
        0(x)* -two-> 1(y z)*
        0(x)* -two-> 3(ü)
        1(y z)* -step-> 4(long name)
        >2(-1.5) -one-> 0(x)*
        >2(-1.5) -two-> 0(x)*
        3(ü) -<slow>-> 0(x)*
        3(ü) -fast-> 0(x)*
    "#]],
    );
}

#[test]
fn aut_as_cadp_and_mcrl2_write_it() {
    let text = "des (0, 4, 3)\r\n(0, PUSH !1, 1)\r\n(0,\"say \"\"hi\"\", twice\",1)\r\n(1, i, 0)\r\n(1, \"exit\", 2)\r\n";
    check_read(
        Format::Aut,
        text,
        expect![[r#"
        >0 -PUSH !1-> 1*
        >0 -say ""hi"", twice-> 1*
        1* -i-> >0
    "#]],
    );
    check_read(
        Format::Aut,
        "des (1,1,2)\n(1,\"tau\",0)\n",
        expect![[r#"
        0*
        >1* -tau-> 0*
    "#]],
    );
}

#[test]
fn hoa_of_others() {
    let text = "HOA: v1\nname: \"x\" /* c /* nested */ */\nStart: 0\nAP: 2 \"p\" \"q\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n\
        properties: trans-labels\nAlias: @p 0 & !1\n--BODY--\nState: 0 \"first\"\n [@p] 1 [!0&1|f] 0\nState: [t] 1 {0}\n 0\n--END--\n";
    check_read(
        Format::Hoa,
        text,
        expect![[r#"
        >0(first) -p-> 1*
        >0(first) -q-> >0(first)
        1* -p-> >0(first)
        1* -q-> >0(first)
    "#]],
    );
}

#[test]
fn mermaid_by_hand() {
    let text = "---\ntitle: x\n---\nstateDiagram-v2\n  direction LR\n  %% a comment\n  state \"Is open\" as open\n  [*] --> closed\n\
        \n  closed --> open:::big : open it!\n  open --> closed: close [x #gt; 0]\n  note right of open\n    anything --> at all\n\
        \x20 end note\n  open --> [*]\n  classDef big font-size:20px\n";
    check_read(
        Format::Mermaid,
        text,
        expect![[r#"
        0(Is open)* -close [x > 0]-> >1(closed)
        >1(closed) -open it!-> 0(Is open)*
    "#]],
    );
}

#[test]
fn javamop_by_hand() {
    let text = "package p; import java.util.*;\nfull-binding HasNext(Iterator i) {\n  event hasnext after(Iterator i) : call(* Iterator.hasNext())\n\
        && target(i) { String s = \"event fake fsm : { \"; char c = '\"'; }\n  event next before(Iterator i) : call(* Iterator.next()) {}\n\
        \x20 fsm :\n    unknown [ hasnext -> more, next -> error ]\n    more [ next -> unknown default more ]\n    error [ ]\n\
        \x20 alias accepting = unknown, more\n  @error { __RESET; }\n}\n";
    check_read(
        Format::JavaMop,
        text,
        expect![[r#"
        2(error)
        >0(unknown)* -hasnext-> 1(more)*
        >0(unknown)* -next-> 2(error)
        1(more)* -hasnext-> 1(more)*
        1(more)* -next-> >0(unknown)*
    "#]],
    );
}

#[test]
fn fsp_as_published() {
    let text = "Tok = S0,\r\n\r\nS0 = (tok_EXIT187 -> S1),\r\nS1 = (more_EXIT308_TRUE -> S1\n\t| next_EXIT336? -> S2),\n\
        S2 = (more_EXIT308_FALSE -> S2),\nS2 = STOP.\n\r\n||MTS_Tok = (Tok).\r\n";
    check_read(
        Format::Fsp,
        text,
        expect![[r#"
        >0 -tok-> 1
        1 -more:TRUE-> 1
        1 -next?-> 2*
        2* -more:FALSE-> 2*
    "#]],
    );
    check_read(
        Format::Fsp,
        "P = (open -> read -> close -> STOP | fail -> P).",
        expect![[r#"
        3(STOP)*
        >0(P)* -fail-> >0(P)*
        >0(P)* -open-> 1(P'1)*
        1(P'1)* -read-> 2(P'2)*
        2(P'2)* -close-> 3(STOP)*
    "#]],
    );
}

#[test]
fn the_caller_knows_what_labels_mean() {
    let text = b"1\n0\n1\n0\n1\n0\t0\tverify_EXIT592:FALSE\n";
    assert_eq!(read(text, "x.fsm.txt", None).unwrap().alphabet(), ["verify:FALSE"]);
    assert_eq!(format::read(text, "x.fsm.txt", None).unwrap().alphabet(), ["verify_EXIT592:FALSE"]);
    let text = b"P = (isEmpty_TRUE -> P).";
    assert_eq!(read(text, "x.lts", None).unwrap().alphabet(), ["isEmpty:TRUE"]);
    assert_eq!(format::read(text, "x.lts", None).unwrap().alphabet(), ["isEmpty_TRUE"]);
}

#[test]
fn overloads_have_pointcuts_of_their_own() {
    let mut builder = Builder::new();
    builder.state(true);
    builder.initial(0);
    for label in ["Scanner(int,Reader)", "next()", "next(java.lang.String)!IOException", "skip(byte[]):TRUE"]
    {
        builder.edge(0, label.to_owned(), 0);
    }
    let written = write(&builder.build(), Format::JavaMop, "a.Scanner").unwrap();
    assert_eq!(written.lost, Vec::<String>::new());
    let events: Vec<&str> = written.text.lines().filter_map(|line| line.strip_prefix("    event ")).collect();
    expect![[r#"
        Scanner_int_Reader_ after() returning(a.Scanner o) : call(a.Scanner.new(int, *..Reader)) {}
        next__ after(a.Scanner o) : call(* a.Scanner.next()) && target(o) {}
        next_java_lang_String__IOException after(a.Scanner o) throwing(IOException exception) : call(* a.Scanner.next(java.lang.String)) && target(o) {}
        skip_byte____TRUE after(a.Scanner o) returning(boolean result) : call(* a.Scanner.skip(byte[])) && target(o) && condition(result) {}"#]]
    .assert_eq(&events.join("\n"));
}
