//! Events as JSON: how JSON lines write them, and a text by which equal events are recognized.

use std::fmt::Write;

use crate::{Event, Label, Outcome, State, Value};

/// The fields of an event, without the braces around them. Equal texts mean equal events.
pub(crate) fn fields(event: &Event) -> String {
    let mut text = String::new();
    let known_outcome = event.outcome != Outcome::Unrecorded;
    // Beside an outcome the name is taken as it is; else it could spell one.
    let exact = known_outcome || Label::parse_recorded(&event.method) == Label::call(&event.method);
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
    put_state(&mut text, "state", event.state.as_ref());
    if let Some(details) = &event.details {
        if !details.parameters.is_empty() {
            let names: Vec<String> = details.parameters.iter().map(|name| quoted(name)).collect();
            put(&mut text, format_args!(",\"parameters\":[{}]", names.join(",")));
        }
        put_state(&mut text, "before", details.before.as_ref());
        if let Some(line) = details.line {
            put(&mut text, format_args!(",\"line\":{line}"));
        }
    }
    text
}

fn put_state(text: &mut String, key: &str, state: Option<&State>) {
    if let Some(state) = state {
        let fields: Vec<String> =
            state.iter().map(|(name, field)| format!("{}:{}", quoted(name), value(field))).collect();
        put(text, format_args!(",\"{key}\":{{{}}}", fields.join(",")));
    }
}

fn put(text: &mut String, part: std::fmt::Arguments<'_>) {
    text.write_fmt(part).expect("a string takes any text");
}

pub(crate) fn quoted(text: &str) -> String {
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
