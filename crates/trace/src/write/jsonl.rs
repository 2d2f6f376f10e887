//! Writes [`crate::read::Format::Jsonl`], an event a line, with everything there is. The last line of a trace says so,
//! so that a reader need not wait for more.

use std::fmt::Write;

use super::Trace;
use crate::{Event, Outcome, Value};

/// The trace and its latest line, which waits for its end: it may be the last.
#[derive(Default)]
pub(super) struct Pending {
    id: String,
    weight: u64,
    line: Option<String>,
}

impl Pending {
    pub(super) fn begin(&mut self, trace: &Trace) {
        *self = Self { id: trace.name(0), weight: trace.weight, line: None };
    }

    pub(super) fn event(&mut self, buffer: &mut Vec<u8>, event: &Event) {
        if let Some(line) = self.line.take() {
            buffer.extend_from_slice(line.as_bytes());
            buffer.extend_from_slice(b"}\n");
        }
        self.line = Some(format!("{{\"trace\":{},{}", quoted(&self.id), event_text(event)));
    }

    pub(super) fn end(&mut self, buffer: &mut Vec<u8>) {
        let line = self.line.take().unwrap_or_else(|| format!("{{\"trace\":{}", quoted(&self.id)));
        buffer.extend_from_slice(line.as_bytes());
        if self.weight != 1 {
            buffer.extend_from_slice(format!(",\"weight\":{}", self.weight).as_bytes());
        }
        buffer.extend_from_slice(b",\"end\":true}\n");
    }
}

/// The fields of an event, without the braces around them. Equal texts mean equal events.
pub(crate) fn event_text(event: &Event) -> String {
    let mut text = String::new();
    let known_outcome = event.outcome != Outcome::Unrecorded;
    // Beside an outcome the name is taken as it is; else it could spell one.
    let exact = known_outcome || Event::from_spelling(&event.method).method == event.method;
    let key = if exact && !event.method.is_empty() { "event" } else { "method" };
    put(&mut text, format_args!("\"{key}\":{}", quoted(&event.method)));
    if !event.args.is_empty() {
        let args: Vec<String> = event.args.iter().map(value).collect();
        put(&mut text, format_args!(",\"args\":[{}]", args.join(",")));
    }
    match &event.outcome {
        Outcome::Unrecorded => {}
        Outcome::Returned(result) => put(&mut text, format_args!(",\"returned\":{}", value(result))),
        Outcome::Threw(class) => put(&mut text, format_args!(",\"threw\":{}", quoted(class))),
    }
    if let Some(state) = &event.state {
        let fields: Vec<String> =
            state.iter().map(|(name, field)| format!("{}:{}", quoted(name), value(field))).collect();
        put(&mut text, format_args!(",\"state\":{{{}}}", fields.join(",")));
    }
    text
}

fn put(text: &mut String, part: std::fmt::Arguments<'_>) {
    text.write_fmt(part).expect("a string takes any text");
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn value(value: &Value) -> String {
    match value {
        Value::Void => r#"{"$":"void"}"#.to_owned(),
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) if value.is_nan() => r#"{"$":"NaN"}"#.to_owned(),
        Value::Float(value) if value.is_infinite() => {
            format!("{{\"$\":\"{}Infinity\"}}", if *value < 0.0 { "-" } else { "" })
        }
        Value::Float(value) => serde_json::Value::from(*value).to_string(),
        Value::Text(value) => quoted(value),
    }
}
