//! The client with adapters that are small shell scripts: well-behaved and hostile ones.

use std::time::{Duration, Instant};

use adit_adapter::{
    Adapter, AdapterCall, AdapterError, AdapterLimits, CallOutcome, Launch, Sequence, SequenceEnd,
};

/// The beginning of every script: the description of a subject with three calls and no starts.
const DESCRIBE: &str = r#"read line; echo '{"id":0,"answers":[{"protocol":1,"name":"S","operations":[{"name":"a"},{"name":"b"},{"name":"bad"}]}]}';"#;

/// Answers lines of a reset and calls: every call returns true. A call of `bad` does what `bad` says.
fn serving(bad: &str) -> String {
    let take = r#"id=${line#*:}; id=${id%%,*}; calls=$(printf '%s' "$line" | grep -o '"do":"[a-z]*"' | wc -l);
        all=; while [ $calls -gt 0 ]; do all="$all,{\"returned\":true}"; calls=$((calls-1)); done;"#;
    format!(
        "{DESCRIBE} while read -r line; do {take} case \"$line\" in *bad*) {bad};; esac;
         echo \"{{\\\"id\\\":$id,\\\"answers\\\":[${{all#,}}]}}\"; done"
    )
}

fn limits(milliseconds: u64) -> AdapterLimits {
    AdapterLimits {
        start: Duration::from_secs(5),
        largest_line: 1 << 16,
        ..AdapterLimits::new(Duration::from_millis(milliseconds))
    }
}

fn start(script: &str) -> Result<Adapter, AdapterError> {
    Adapter::start(&Launch::unprotected(script), "S", limits(1000))
}

fn sequence(calls: &str) -> Sequence {
    let calls = calls.split_whitespace().map(|name| AdapterCall::new(name, None, vec![])).collect();
    Sequence { calls, states: false }
}

/// The error of a script that was started and asked to call `a`, with what helps the reader.
fn error(script: &str) -> String {
    let error = match start(script).and_then(|mut adapter| adapter.run(&[sequence("a")], None)) {
        Ok(answered) => panic!("no error: {answered:?}"),
        Err(error) => error,
    };
    format!("{error}")
}

#[test]
fn many_sequences_are_answered_in_order() {
    let mut adapter = start(&serving(":")).unwrap();
    assert_eq!(adapter.description().operations.len(), 3);
    let batch: Vec<_> = (0..200).map(|at| sequence(if at % 2 == 0 { "a" } else { "a b" })).collect();
    let answered = adapter.run(&batch, None).unwrap();
    for (at, one) in answered.iter().enumerate() {
        assert_eq!((one.answers.len(), &one.end), (1 + at % 2, &SequenceEnd::Complete));
        assert_eq!(one.answers[0].letter(), "true");
    }
    assert_eq!(adapter.starts(), 1);
}

#[test]
fn a_call_that_kills_the_adapter_is_found_and_the_rest_goes_on() {
    let mut adapter = start(&serving("exit 7")).unwrap();
    let answered = adapter.run(&[sequence("a"), sequence("a b bad a"), sequence("b")], None).unwrap();
    assert_eq!(answered[0].end, SequenceEnd::Complete);
    assert_eq!(answered[1].end, SequenceEnd::Died { how: "exited with code 7".to_owned() });
    assert_eq!(answered[1].answers.len(), 2);
    assert_eq!((answered[2].answers.len(), &answered[2].end), (1, &SequenceEnd::Complete));
    assert_eq!(adapter.starts(), 3);
}

#[test]
fn a_call_that_hangs_is_found() {
    let mut adapter =
        Adapter::start(&Launch::unprotected(&serving("exec sleep 60")), "S", limits(300)).unwrap();
    let begun = Instant::now();
    let answered = adapter.run(&[sequence("a bad"), sequence("b")], None).unwrap();
    assert_eq!((answered[0].answers.len(), &answered[0].end), (1, &SequenceEnd::TimedOut));
    assert_eq!(answered[1].end, SequenceEnd::Complete);
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_deadline_leaves_the_rest_out() {
    let mut adapter = start(&serving(":")).unwrap();
    let answered = adapter.run(&[sequence("a")], Some(Instant::now())).unwrap();
    assert_eq!((answered[0].answers.len(), &answered[0].end), (0, &SequenceEnd::NotRun));
    // What was cut off leaves nothing behind.
    let answered = adapter.run(&[sequence("a b")], None).unwrap();
    assert_eq!((answered[0].answers.len(), &answered[0].end), (2, &SequenceEnd::Complete));
}

#[test]
fn an_adapter_that_always_dies_is_an_error() {
    let text = error(&format!("{DESCRIBE} read line; echo broken pipe dream >&2; exit 3"));
    assert!(
        text.contains("was started 3 times in a row without one answer; it exited with code 3"),
        "{text}"
    );
    assert!(text.contains("last line to it:   {\"id\":1") && text.contains("broken pipe dream"), "{text}");
}

#[test]
fn what_is_no_answer_is_shown() {
    let said = |line: &str| error(&format!("{DESCRIBE} read line; echo '{line}'; sleep 60"));
    let text = said("hello");
    assert!(text.contains("a line is no JSON") && text.contains("last line from it: hello"), "{text}");
    let text = said(r#"{"id":5,"answers":[{},{}]}"#);
    assert!(text.contains("out of turn: its id is 5, the oldest open question is 1"), "{text}");
    let text = said(r#"{"id":1,"answers":[{}]}"#);
    assert!(text.contains("2 requests got 1 answers"), "{text}");
    let text = error(&format!("{DESCRIBE} read line; head -c 70000 /dev/zero | tr '\\0' x; sleep 60"));
    assert!(text.contains("a line is longer than 65536 bytes"), "{text}");
    let text = error(&format!("{DESCRIBE} read line; printf '\\377\\n'; sleep 60"));
    assert!(text.contains("a line is not UTF-8"), "{text}");
}

/// The first of the answers may come just after the first question. The next is an answer to no question.
#[test]
fn an_adapter_that_floods_is_stopped() {
    let script =
        format!("{DESCRIBE} while :; do echo '{{\"id\":1,\"answers\":[{{}},{{\"returned\":1}}]}}'; done");
    let twice = start(&script).and_then(|mut adapter| {
        adapter.run(&[sequence("a")], None)?;
        adapter.run(&[sequence("a")], None)
    });
    let text = twice.expect_err("the second question is not answered").to_string();
    assert!(text.contains("out of turn") || text.contains("nobody asked for"), "{text}");
}

#[test]
fn an_adapter_that_cannot_start_says_why() {
    let text = error("echo 'no module named x' >&2; exit 1");
    assert!(text.contains("exited with code 1 before it described `S`"), "{text}");
    assert!(text.contains("no module named x"), "{text}");
    let text = error("adit-no-such-command");
    assert!(text.contains("exited with code 127"), "{text}");
    let text = error(r#"read line; echo '{"id":0,"answers":[{"error":"no class S"}]}'; sleep 60"#);
    assert_eq!(text, "the adapter cannot drive `S`: no class S");
    let text = error(r#"read line; echo '{"id":0,"answers":[{"protocol":9}]}'; sleep 60"#);
    assert!(text.contains("it speaks version 9 of the protocol, and this adit speaks version 1"), "{text}");
    let slow = AdapterLimits { start: Duration::from_millis(200), ..limits(100) };
    let Err(error) = Adapter::start(&Launch::unprotected("exec sleep 60"), "S", slow) else {
        panic!("no error")
    };
    assert!(error.to_string().contains("did not describe `S` within"), "{error}");
}

#[test]
fn a_process_that_is_started_again_has_more_time() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("started").display().to_string();
    let script = format!("if [ -e {mark} ]; then sleep 3; fi; touch {mark}; {}", serving(":"));
    let slow = AdapterLimits { start: Duration::from_secs(2), ..limits(5000) };
    let mut adapter = Adapter::start(&Launch::unprotected(&script), "S", slow).unwrap();
    adapter.restart();
    let answered = adapter.run(&[sequence("a")], None).unwrap();
    assert_eq!(answered[0].end, SequenceEnd::Complete);
    assert_eq!(adapter.starts(), 2);
}

#[test]
fn a_blocked_call_ends_its_sequence() {
    let script = format!(
        r#"{DESCRIBE} read line; echo '{{"id":1,"answers":[{{}},{{"threw":"E","message":"m"}},{{"blocked":true}},{{"returned":null}}]}}'; read line"#
    );
    let answered = start(&script).unwrap().run(&[sequence("a b a")], None).unwrap();
    assert_eq!((answered[0].answers.len(), &answered[0].end), (1, &SequenceEnd::Blocked));
    assert_eq!(answered[0].answers[0].letter(), "!E");
    assert!(
        matches!(&answered[0].answers[0].outcome, CallOutcome::Threw { message: Some(m), .. } if m == "m")
    );
}
