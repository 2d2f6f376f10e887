//! A server behind the adapter protocol of `docs/adapters.md`: labels are operations, a reset starts it anew.

use serde_json::{Value, json};

use crate::alphabet::{Alphabet, AnswerClass, LabelKind, Role, WireLabel};
use crate::script::{Bytes, Message, shortened};
use crate::server::ServerCommand;
use crate::session::{Session, SessionEnd};

/// Version of the protocol.
const PROTOCOL: u64 = 1;

/// Messages of a session that may take the longest time each before a line takes too long.
const SLOW_MESSAGES: f64 = 4.0;

/// Answers the requests of the adapter protocol.
pub struct ServerAdapter<'a> {
    alphabet: &'a Alphabet,
    command: &'a ServerCommand,
    labels: Vec<&'a WireLabel>,
    all_values: bool,
    session: State<'a>,
}

enum State<'a> {
    /// No message was sent since the reset.
    Fresh,
    Open(Box<Session<'a>>, usize),
    /// The session is over; the server takes no more messages.
    Over(&'static str),
    /// The server could not be started.
    Failed(String),
}

impl<'a> ServerAdapter<'a> {
    /// An adapter that offers `labels`, or all that may be sent if there are none.
    pub fn new(
        alphabet: &'a Alphabet,
        command: &'a ServerCommand,
        labels: &[String],
        all_values: bool,
    ) -> Self {
        let offered = alphabet
            .labels
            .iter()
            .filter(|label| !label.forbidden && (labels.is_empty() || labels.contains(&label.name)));
        Self { alphabet, command, labels: offered.collect(), all_values, session: State::Fresh }
    }

    /// Answers one line. Returns false with it after `close`.
    pub fn answer(&mut self, line: &str) -> (String, bool) {
        let message: Value = match serde_json::from_str(line) {
            Ok(message) => message,
            Err(error) => {
                let answer =
                    json!({"id": null, "answers": [{"error": format!("this is not JSON: {error}")}]});
                return (answer.to_string(), true);
            }
        };
        let mut goes_on = true;
        let mut answers = Vec::new();
        for request in message["requests"].as_array().into_iter().flatten() {
            let answer = match request["do"].as_str() {
                Some("describe") => self.describe(request),
                Some("reset") => {
                    self.session = State::Fresh;
                    json!({})
                }
                Some("call") => self.call(request),
                Some("close") => {
                    self.session = State::Over("closed");
                    goes_on = false;
                    json!({})
                }
                other => json!({"error": format!("no request `{}`", other.unwrap_or_default())}),
            };
            answers.push(answer);
        }
        (json!({"id": message["id"], "answers": answers}).to_string(), goes_on)
    }

    fn describe(&mut self, request: &Value) -> Value {
        if request["protocol"].as_u64().is_some_and(|version| version != PROTOCOL) {
            return json!({
                "error": format!("this adapter speaks version {PROTOCOL} of the protocol"),
                "help": "use the `adit serve` of the same version",
            });
        }
        // Whoever describes a server that does not start would promise what nobody can keep.
        match Session::open(self.command, self.alphabet) {
            Ok(session) => self.session = State::Open(Box::new(session), 0),
            Err(error) => {
                let help = miette::Diagnostic::help(&error).map(|help| help.to_string());
                return json!({"error": error.to_string(), "help": help.unwrap_or_default()});
            }
        }
        let rules = &self.alphabet.session;
        let seconds = rules.start_limit.as_secs_f64() + rules.answer_limit.as_secs_f64() * SLOW_MESSAGES;
        json!({
            "protocol": PROTOCOL,
            "name": self.alphabet.protocol,
            "language": "tcp",
            "seconds": seconds,
            "operations": self.labels.iter().map(|label| self.operation(label)).collect::<Vec<_>>(),
        })
    }

    fn operation(&self, label: &WireLabel) -> Value {
        let parameters: Vec<Value> = label
            .holes()
            .filter_map(|hole| {
                let pool = &self.alphabet.pools[hole.pool.as_ref()?];
                let valid = pool.of_role(Role::Valid).take(if self.all_values { usize::MAX } else { 1 });
                let values: Vec<Value> = valid.map(text_or_bytes).collect();
                Some(json!({"name": hole.name, "kind": "text", "values": values, "only": true}))
            })
            .collect();
        let answer = if matches!(label.kind, LabelKind::Local(_)) { "nothing" } else { "text" };
        json!({"name": label.name, "parameters": parameters, "answer": answer})
    }

    fn call(&mut self, request: &Value) -> Value {
        let name = request["name"].as_str().unwrap_or_default();
        let Some(label) = self.labels.iter().find(|label| label.name == name) else {
            return json!({"error": format!("no operation `{name}`")});
        };
        let mut message = Message::plain(name);
        let arguments = request["args"].as_array().cloned().unwrap_or_default();
        for (hole, value) in label.holes().zip(&arguments) {
            match bytes_of(value) {
                Some(bytes) => drop(message.fields.insert(hole.name.clone(), Bytes(bytes))),
                None => return json!({"skipped": "argument"}),
            }
        }
        if matches!(self.session, State::Fresh) {
            self.session = match Session::open(self.command, self.alphabet) {
                Ok(session) => State::Open(Box::new(session), 0),
                Err(error) => State::Failed(error.to_string()),
            };
        }
        let (session, sent) = match &mut self.session {
            State::Open(session, sent) => (session, sent),
            State::Over(how) => return refused("Closed", how, how),
            State::Failed(error) => return json!({"error": error}),
            State::Fresh => return json!({"error": "there is no session"}),
        };
        let mut exchanges = Vec::new();
        let end = session.send(*sent, &message, &mut exchanges);
        *sent += 1;
        let last = exchanges.iter().rfind(|exchange| exchange.message.is_some());
        let (code, class, text) = match last {
            Some(exchange) => (exchange.code.clone(), exchange.class, shortened(&exchange.answer)),
            None => (String::new(), AnswerClass::Silent, String::new()),
        };
        let silent = last.is_some_and(|exchange| exchange.is_silent(self.alphabet));
        let lost = match end {
            None => None,
            Some(SessionEnd::Finished | SessionEnd::Ended(_)) => {
                self.session = State::Over("closed");
                None
            }
            Some(SessionEnd::Crashed { how, .. }) => Some(("Crashed", how)),
            Some(SessionEnd::Closed { .. }) => {
                Some(("Closed", "the server closed the connection".to_owned()))
            }
            Some(SessionEnd::Malformed { .. }) => Some(("Malformed", "no answer of the protocol".to_owned())),
            Some(SessionEnd::Hung { .. }) => {
                self.session = State::Over("hung");
                return json!({"blocked": true});
            }
        };
        if let Some((class, how)) = lost {
            self.session = State::Over("closed");
            return refused(class, &how, &class.to_lowercase());
        }
        match class {
            AnswerClass::Error | AnswerClass::Other => refused("Refused", &text, &code),
            _ => {
                let output = match silent {
                    true => "silent".to_owned(),
                    false if code.is_empty() => "ok".to_owned(),
                    false => code,
                };
                json!({"returned": null, "output": output})
            }
        }
    }
}

fn refused(class: &str, message: &str, output: &str) -> Value {
    json!({"threw": class, "message": message, "output": output})
}

fn text_or_bytes(value: &[u8]) -> Value {
    match std::str::from_utf8(value) {
        Ok(text) => json!(text),
        Err(_) => json!({"$bytes": value.iter().map(|byte| format!("{byte:02x}")).collect::<String>()}),
    }
}

fn bytes_of(value: &Value) -> Option<Vec<u8>> {
    if let Some(text) = value.as_str() {
        return Some(text.as_bytes().to_vec());
    }
    let hex = value["$bytes"].as_str()?;
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}
