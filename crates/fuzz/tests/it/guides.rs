//! Models as guides: what their labels mean, and what they think of answers.

use adit_automata::Fsa;
use adit_automata::format::{Format, Spelling};
use adit_fuzz::alphabet::{Alphabet, AnswerClass};
use adit_fuzz::findings::sights;
use adit_fuzz::guide::{Guide, Judgment, ModelGuide, SessionPlace};
use adit_fuzz::script::Message;
use adit_fuzz::session::{Exchange, SessionEnd, SessionRun};

use crate::ftp;

const SPELLING: Spelling =
    Spelling { from_word: str::to_owned, from_identifier: str::to_owned, call: |_| None };

/// A model with one transition in each line, such as `0 USER 1`.
pub(crate) fn guide(edges: &str, alphabet: &Alphabet) -> Guide {
    let edges: Vec<String> = edges
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .map(|edge| format!(r#"{{"from": {}, "event": "{}", "to": {}}}"#, edge[0], edge[1], edge[2]))
        .collect();
    let states: Vec<String> = (0..4).map(|id| format!(r#"{{"id": {id}, "accepting": true}}"#)).collect();
    let text = format!(
        r#"{{"format": "adit-model", "version": 1, "initial": [0], "states": [{}], "edges": [{}]}}"#,
        states.join(","),
        edges.join(",")
    );
    let model: Fsa<String> = SPELLING.read(text.as_bytes(), "model", Some(Format::Json)).unwrap();
    Guide::Model(ModelGuide::new(&model, alphabet).unwrap())
}

/// The exchange of a message with a label that was answered with a code.
pub(crate) fn exchange(alphabet: &Alphabet, label: &str, code: &str, message: usize) -> Exchange {
    Exchange {
        label: alphabet.label(label).unwrap(),
        message: Some(message),
        sent: Vec::new(),
        answer: Vec::new(),
        code: code.to_owned(),
        class: alphabet.answers.class_of(code),
        data: 0,
        unasked: Vec::new(),
    }
}

/// The exchange of an answer such as `USER=331`.
fn answered(alphabet: &Alphabet, answer: &str, message: usize) -> Exchange {
    let (label, code) = answer.split_once('=').unwrap();
    let exchange = exchange(alphabet, label, code, message);
    assert_ne!(exchange.class, AnswerClass::Other);
    exchange
}

/// Follows answers such as `USER=331`, and returns the judgments and the last place.
fn follow(guide: &Guide, alphabet: &Alphabet, answers: &str) -> (Vec<Judgment>, SessionPlace) {
    let mut place = guide.start();
    let mut judgments = Vec::new();
    for answer in answers.split_whitespace() {
        let (after, judgment) = guide.step(&place, &answered(alphabet, answer, 0), alphabet);
        place = after;
        judgments.push(judgment);
    }
    (judgments, place)
}

/// After a message that the model never mentions, nobody knows what the server may do.
#[test]
fn nothing_contradicts_a_model_after_a_message_that_it_lacks() {
    let alphabet = ftp();
    let guide = guide("0 USER 1\n1 PASS 2\n2 DELE 2", &alphabet);
    let contradictions = |answers: &str| {
        let answers: Vec<&str> = answers.split_whitespace().collect();
        let exchanges = (0..).zip(&answers).map(|(at, answer)| answered(&alphabet, answer, at)).collect();
        let script: Vec<Message> =
            answers.iter().map(|answer| Message::plain(answer.split('=').next().unwrap())).collect();
        let run = SessionRun { exchanges, end: SessionEnd::Finished, edges: Vec::new() };
        sights(&run, &script, &guide, &alphabet).len()
    };
    assert_eq!(contradictions("USER=331 DELE=250"), 1);
    assert_eq!(contradictions("USER=331 NOOP=200 DELE=250"), 0);
    // Refused, it changed nothing.
    assert_eq!(contradictions("USER=331 NOOP=500 DELE=250"), 1);
}

#[test]
fn an_error_keeps_the_state_and_a_surprise_leaves_the_model() {
    use Judgment::{Agrees, NoOpinion, Refused, Unexpected};
    let alphabet = ftp();
    let guide = guide("0 USER 1\n1 PASS 2\n2 MKD 2\n2 DELE 2", &alphabet);
    let check = |answers: &str, expected: &[Judgment]| {
        assert_eq!(follow(&guide, &alphabet, answers).0, expected, "{answers}");
    };
    check("USER=331 PASS=530 PASS=230 MKD=257", &[Agrees, Refused, Agrees, Agrees]);
    check("MKD=530 USER=331 DELE=250 DELE=250", &[Agrees, Agrees, Unexpected, NoOpinion]);
    // The model never mentions this label.
    check("NOOP=200 USER=331", &[NoOpinion, Agrees]);
}

#[test]
fn events_of_clients_and_of_learned_machines_are_understood() {
    let alphabet = ftp();
    let client = guide("0 connect 1\n1 user 2\n2 pass:TRUE 3\n2 pass:FALSE 1", &alphabet);
    let (judgments, place) = follow(&client, &alphabet, "USER=331 PASS=530 USER=331");
    assert_eq!(judgments, [Judgment::Agrees; 3]);
    assert_eq!(client.name(&place), "q2");
    let learned = guide("0 USER/331 1\n1 PASS/230 2\n1 PASS/530 0\n2 RNFR/350 3\n0 RNFR/530 0", &alphabet);
    let (judgments, place) = follow(&learned, &alphabet, "RNFR=530 USER=331 PASS=530 USER=331 PASS=230");
    assert_eq!(judgments, [Judgment::Agrees; 5]);
    assert_eq!(learned.name(&place), "q2");
    // Another code of the same class is no contradiction.
    assert_eq!(follow(&learned, &alphabet, "USER=332").0, [Judgment::Agrees]);
}

#[test]
fn a_loop_that_asks_for_more_is_a_place_of_its_own() {
    let alphabet = ftp();
    let guide = guide("0 REST 0\n0 RETR 0", &alphabet);
    let rest = alphabet.label("REST").unwrap();
    assert_eq!(follow(&guide, &alphabet, "REST=350").1, SessionPlace::Pending(0, rest));
    assert_eq!(follow(&guide, &alphabet, "REST=350 RETR=226").1, SessionPlace::State(0));
}

#[test]
fn a_server_may_read_without_an_answer() {
    let alphabet = crate::shipped("smtp");
    let exchange = |label: &str| Exchange {
        label: alphabet.label(label).unwrap(),
        message: Some(0),
        sent: Vec::new(),
        answer: Vec::new(),
        code: String::new(),
        class: AnswerClass::Silent,
        data: 0,
        unasked: Vec::new(),
    };
    let guide = guide("0 NOOP/silent 1\n0 RSET/250 2\n0 CLOSE/ok 3", &alphabet);
    let step = |label: &str| guide.step(&guide.start(), &exchange(label), &alphabet);
    let (after, judgment) = step("NOOP");
    assert_eq!((guide.name(&after).as_str(), judgment), ("q1", Judgment::Agrees));
    // It is no success, and no contradiction either.
    assert_eq!(step("RSET"), (guide.start(), Judgment::NoOpinion));
    // What happens on this side has no answer.
    assert_eq!(step("CLOSE").1, Judgment::Agrees);
}
