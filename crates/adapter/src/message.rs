//! Requests and answers as JSON.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value, json};

/// A reset and the calls after it: what a line to the adapter holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequence {
    /// The calls, in order; later ones name earlier ones by their place.
    pub calls: Vec<AdapterCall>,
    /// Ask for the fields of the object after each call, if the adapter can tell them.
    pub states: bool,
}

/// A call to make.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AdapterCall {
    /// Name of the operation.
    pub name: String,
    /// Number of the call that gave the object; nothing for a start, or if there is only one object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<usize>,
    /// The arguments in the protocol's own form.
    pub args: Vec<Value>,
}

impl AdapterCall {
    /// A call of the operation with this name.
    pub fn new(name: impl Into<String>, on: Option<usize>, args: Vec<Value>) -> Self {
        Self { name: name.into(), on, args }
    }
}

/// The result of running a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The answers to the calls, in order: fewer than there are calls unless it is complete.
    pub answers: Vec<CallAnswer>,
    /// The end of the sequence.
    pub end: SequenceEnd,
}

/// The end of a sequence as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SequenceEnd {
    /// Every call has its answer.
    Complete,
    /// The call after the last answer would have waited forever, says the adapter.
    Blocked,
    /// The adapter did not answer the call after the last answer in time.
    TimedOut,
    /// The adapter died in the call after the last answer.
    Died {
        /// Exit code or signal.
        how: String,
    },
    /// The deadline came before the sequence. There are no answers.
    NotRun,
}

impl SequenceEnd {
    /// Tells whether it cost the adapter its process.
    pub fn is_bad(&self) -> bool {
        matches!(self, Self::TimedOut | Self::Died { .. })
    }
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallAnswer {
    /// The end of the call.
    pub outcome: CallOutcome,
    /// The letter for a learner, if the adapter names one.
    pub output: Option<String>,
    /// Fields of the object afterwards, if they were asked for.
    pub state: Option<Vec<(String, Value)>>,
}

impl CallAnswer {
    /// The letter that a learner of Mealy machines sees: the adapter's own, or one that follows from the
    /// outcome.
    pub fn letter(&self) -> String {
        if let Some(output) = &self.output {
            return output.clone();
        }
        match &self.outcome {
            CallOutcome::Returned(Value::Bool(answer)) => answer.to_string(),
            CallOutcome::Returned(_) | CallOutcome::Object { .. } => "ok".to_owned(),
            CallOutcome::Threw { class, .. } => format!("!{class}"),
            CallOutcome::Skipped(_) => "skipped".to_owned(),
        }
    }
}

/// The end of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallOutcome {
    /// It returned null, a boolean, a number, a text or bytes, in the protocol's own form.
    Returned(Value),
    /// It returned an object.
    Object {
        /// Class, as the adapter names it.
        class: String,
        /// Number of the first call that gave this object; this very call if nothing.
        first: Option<usize>,
    },
    /// It failed.
    Threw {
        /// Class of the failure.
        class: String,
        /// Message.
        message: Option<String>,
        /// Memory ran out.
        exhausted: bool,
    },
    /// It was not made.
    Skipped(Unmade),
}

/// Reason why a call was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmade {
    /// There is no object to call it on.
    Receiver,
    /// An argument should come from a call that gave nothing.
    Argument,
    /// The object or an argument does not have the right type.
    Type,
}

/// One request of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Request<'a> {
    Describe { subject: &'a str, memo: Option<&'a Value> },
    Reset,
    Call(&'a AdapterCall),
    State(Option<usize>),
    Render(&'a [AdapterCall]),
    Close,
}

impl Request<'_> {
    fn json(&self) -> Value {
        match self {
            Self::Describe { subject, memo } => {
                let mut request =
                    json!({ "do": "describe", "protocol": crate::PROTOCOL, "subject": subject });
                if let Some(memo) = memo {
                    request["memo"] = (*memo).clone();
                }
                request
            }
            Self::Reset => json!({ "do": "reset" }),
            Self::Call(call) => call_json(call),
            Self::State(None) => json!({ "do": "state" }),
            Self::State(Some(on)) => json!({ "do": "state", "on": on }),
            Self::Render(calls) => {
                json!({ "do": "render", "calls": calls.iter().map(call_json).collect::<Vec<_>>() })
            }
            Self::Close => json!({ "do": "close" }),
        }
    }
}

fn call_json(call: &AdapterCall) -> Value {
    let mut object = Map::new();
    object.insert("do".to_owned(), "call".into());
    object.insert("name".to_owned(), call.name.as_str().into());
    if let Some(on) = call.on {
        object.insert("on".to_owned(), on.into());
    }
    object.insert("args".to_owned(), call.args.clone().into());
    object.into()
}

/// The line for some requests, with its newline.
pub(crate) fn line(id: u64, requests: &[Request<'_>]) -> String {
    let mut line = format!("{{\"id\":{id},\"requests\":[");
    for (at, request) in requests.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(line, "{comma}{}", request.json()).expect("writing to a string cannot fail");
    }
    line.push_str("]}\n");
    line
}

/// Reads the answers of a line: as many as were asked for, with the id of the question.
pub(crate) fn answers(line: &str, id: u64, asked: usize) -> Result<Vec<Map<String, Value>>, String> {
    let message: Value = serde_json::from_str(line).map_err(|error| format!("a line is no JSON: {error}"))?;
    let Value::Object(mut message) = message else { return Err("a line is no JSON object".to_owned()) };
    match message.get("id") {
        None => return Err("an answer has no `id`".to_owned()),
        Some(given) if given.as_u64() != Some(id) => {
            return Err(format!(
                "an answer out of turn: its id is {given}, the oldest open question is {id}"
            ));
        }
        Some(_) => {}
    }
    let Some(Value::Array(given)) = message.remove("answers") else {
        return Err("an answer has no list `answers`".to_owned());
    };
    if given.len() != asked {
        return Err(format!("{asked} requests got {} answers", given.len()));
    }
    given
        .into_iter()
        .map(|answer| match answer {
            Value::Object(answer) => Ok(answer),
            other => Err(format!("an answer is `{other}`, not an object")),
        })
        .collect()
}

/// An answer to a call, or the fact that it blocked.
pub(crate) fn call_answer(mut answer: Map<String, Value>, at: usize) -> Result<Option<CallAnswer>, String> {
    if let Some(error) = answer.get("error") {
        return Err(format!("it cannot make a call: {}", plain(error)));
    }
    if answer.get("blocked") == Some(&Value::Bool(true)) {
        return Ok(None);
    }
    let output = text(&mut answer, "output")?;
    let outcome = if let Some(value) = answer.remove("returned") {
        CallOutcome::Returned(value)
    } else if let Some(class) = text(&mut answer, "object")? {
        let first = match answer.get("first") {
            None | Some(Value::Null) => None,
            Some(first) => {
                let first = first.as_u64().and_then(|first| usize::try_from(first).ok());
                Some(first.filter(|&first| first <= at).ok_or_else(|| {
                    format!(
                        "`first` of call {at} must be a number from 0 to {at}: {}",
                        plain(&answer["first"])
                    )
                })?)
            }
        };
        CallOutcome::Object { class, first: first.filter(|&first| first < at) }
    } else if let Some(class) = text(&mut answer, "threw")? {
        let exhausted = answer.get("exhausted") == Some(&Value::Bool(true));
        CallOutcome::Threw { class, message: text(&mut answer, "message")?, exhausted }
    } else if let Some(why) = text(&mut answer, "skipped")? {
        CallOutcome::Skipped(match why.as_str() {
            "receiver" => Unmade::Receiver,
            "argument" => Unmade::Argument,
            "type" => Unmade::Type,
            other => return Err(format!("`skipped` is receiver, argument or type, not `{other}`")),
        })
    } else {
        return Err(format!(
            "the answer to a call needs returned, object, threw, blocked, skipped or error: {}",
            Value::Object(answer)
        ));
    };
    Ok(Some(CallAnswer { outcome, output, state: None }))
}

/// The fields in an answer to `state`.
pub(crate) fn state_answer(mut answer: Map<String, Value>) -> Result<Option<Vec<(String, Value)>>, String> {
    if let Some(error) = answer.get("error") {
        return Err(format!("it cannot tell a state: {}", plain(error)));
    }
    match answer.remove("state") {
        Some(Value::Object(fields)) => Ok(Some(fields.into_iter().collect())),
        Some(Value::Null) => Ok(None),
        _ => Err(format!("the answer to `state` needs an object `state`: {}", Value::Object(answer))),
    }
}

/// Takes a text out of an answer.
pub(crate) fn text(answer: &mut Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match answer.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("`{name}` is `{other}`, not a text")),
    }
}

/// A value for a message: a text without its quotes.
pub(crate) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[test]
    fn a_line_holds_its_requests() {
        let call = AdapterCall::new("write", Some(0), vec![json!("a\nb"), json!({ "$call": 1 })]);
        let requests = [
            Request::Describe { subject: "x", memo: None },
            Request::Reset,
            Request::Call(&call),
            Request::State(Some(0)),
        ];
        let expected = expect![[r#"
            {"id":3,"requests":[{"do":"describe","protocol":1,"subject":"x"},{"do":"reset"},{"do":"call","name":"write","on":0,"args":["a\nb",{"$call":1}]},{"do":"state","on":0}]}
        "#]];
        expected.assert_eq(&line(3, &requests));
    }

    fn check(line: &str, expected: Expect) {
        let read = answers(line, 7, 1)
            .and_then(|answers| answers.into_iter().map(|answer| call_answer(answer, 2)).collect());
        let read: Result<Vec<_>, String> = read;
        expected.assert_eq(&match read {
            Ok(read) => read
                .iter()
                .map(|one| one.as_ref().map_or("blocked".to_owned(), |one| format!("{:?}", one.outcome)))
                .collect(),
            Err(error) => format!("error: {error}"),
        });
    }

    #[test]
    fn answers_are_read_or_named() {
        let of = |answer: &str| format!(r#"{{"id":7,"answers":[{answer}]}}"#);
        check(&of(r#"{"returned":null}"#), expect!["Returned(Null)"]);
        check(&of(r#"{"blocked":true}"#), expect!["blocked"]);
        check(&of(r#"{"object":"A","first":1}"#), expect![[r#"Object { class: "A", first: Some(1) }"#]]);
        check(&of(r#"{"object":"A","first":2}"#), expect![[r#"Object { class: "A", first: None }"#]]);
        check(&of(r#"{"threw":"E"}"#), expect![[r#"Threw { class: "E", message: None, exhausted: false }"#]]);
        check(&of(r#"{"skipped":"type"}"#), expect!["Skipped(Type)"]);
        check("hello", expect!["error: a line is no JSON: expected value at line 1 column 1"]);
        check("[]", expect!["error: a line is no JSON object"]);
        check(r#"{"answers":[]}"#, expect!["error: an answer has no `id`"]);
        check(r#"{"id":7}"#, expect!["error: an answer has no list `answers`"]);
        check(
            r#"{"id":8,"answers":[]}"#,
            expect!["error: an answer out of turn: its id is 8, the oldest open question is 7"],
        );
        check(r#"{"id":7,"answers":[]}"#, expect!["error: 1 requests got 0 answers"]);
        check(&of("5"), expect!["error: an answer is `5`, not an object"]);
        check(
            &of(r#"{"object":"A","first":3}"#),
            expect!["error: `first` of call 2 must be a number from 0 to 2: 3"],
        );
        check(&of(r#"{"threw":5}"#), expect!["error: `threw` is `5`, not a text"]);
        check(
            &of(r#"{"error":"no such operation"}"#),
            expect!["error: it cannot make a call: no such operation"],
        );
        check(
            &of(r#"{"result":1}"#),
            expect![[
                r#"error: the answer to a call needs returned, object, threw, blocked, skipped or error: {"result":1}"#
            ]],
        );
    }
}
