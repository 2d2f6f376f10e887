//! The description of a subject: what can be called, and with which values.

use serde_json::{Map, Value};

use crate::message::{plain, text};

/// The answer to `describe`.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// Name of the subject.
    pub name: String,
    /// Calls that make an object. If there are none, a reset makes the only one, and calls need no object.
    pub starts: Vec<OfferedCall>,
    /// Calls on an object.
    pub operations: Vec<OfferedCall>,
    /// The adapter answers `state`.
    pub state: bool,
    /// The adapter answers `render`.
    pub render: bool,
    /// Language of the subject.
    pub language: Option<String>,
    /// Version of the subject.
    pub version: Option<String>,
    /// Seconds that one line may take.
    pub seconds: Option<f64>,
    /// Values that parameters of any kind may take.
    pub values: Vec<Value>,
    /// Remarks for the user.
    pub notes: Vec<String>,
    /// Knowledge of the adapter that its other processes get.
    pub memo: Option<Value>,
    /// The answer as it was given, without the memo; a digest of it tells subjects apart.
    pub source: Value,
}

impl Described {
    /// The start or operation with this name.
    pub fn call(&self, name: &str) -> Option<&OfferedCall> {
        self.starts.iter().chain(&self.operations).find(|call| call.name == name)
    }
}

/// A start or an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedCall {
    /// Name.
    pub name: String,
    /// Parameters, in order.
    pub parameters: Vec<AdapterParameter>,
    /// Kind of the answer, if the adapter knows.
    pub answer: Option<String>,
    /// The call never changes an object.
    pub pure: bool,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct AdapterParameter {
    /// Name, or its number.
    pub name: String,
    /// Kind of its values.
    pub kind: ParameterKind,
    /// Values that are worth trying.
    pub values: Vec<Value>,
    /// No other values may be passed.
    pub only: bool,
    /// It may be left out.
    pub optional: bool,
    /// Classes of earlier results that fit; all if empty.
    pub of: Vec<String>,
}

/// Kinds of values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ParameterKind {
    /// Null only.
    Null,
    /// A boolean.
    Bool,
    /// A whole number.
    Int,
    /// A floating-point number.
    Float,
    /// A text.
    Text,
    /// Bytes.
    Bytes,
    /// A list.
    List,
    /// A map.
    Map,
    /// One of the values that are offered.
    Choice,
    /// The result of an earlier call.
    Object,
    /// A value of any kind.
    Any,
}

/// The kinds and their names.
const KINDS: [(&str, ParameterKind); 11] = [
    ("null", ParameterKind::Null),
    ("bool", ParameterKind::Bool),
    ("int", ParameterKind::Int),
    ("float", ParameterKind::Float),
    ("text", ParameterKind::Text),
    ("bytes", ParameterKind::Bytes),
    ("list", ParameterKind::List),
    ("map", ParameterKind::Map),
    ("choice", ParameterKind::Choice),
    ("object", ParameterKind::Object),
    ("any", ParameterKind::Any),
];

/// Kinds that an answer may have.
const ANSWERS: [&str; 6] = ["nothing", "bool", "int", "float", "text", "object"];

/// Reads a description, or says what is wrong with it and where.
pub(crate) fn read(answer: Map<String, Value>) -> Result<Described, String> {
    let mut answer = answer;
    let memo = answer.remove("memo");
    let source = Value::Object(answer.clone());
    match answer.get("protocol").map(|version| (version, version.as_u64())) {
        Some((_, Some(version))) if version == u64::from(crate::PROTOCOL) => {}
        Some((version, _)) => {
            return Err(format!(
                "it speaks version {version} of the protocol, and this adit speaks version {}",
                crate::PROTOCOL
            ));
        }
        None => return Err("`protocol` is missing".to_owned()),
    }
    let name = text(&mut answer, "name")?.filter(|name| !name.is_empty()).ok_or("`name` is missing")?;
    let starts = calls(&mut answer, "starts")?;
    let operations = calls(&mut answer, "operations")?;
    if operations.is_empty() {
        return Err("`operations` is missing or empty: there is nothing to call".to_owned());
    }
    let mut names: Vec<&str> = starts.iter().chain(&operations).map(|call| call.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("two calls have the name `{}`", twice[0]));
    }
    let seconds = match answer.remove("seconds") {
        None | Some(Value::Null) => None,
        Some(seconds) => Some(
            seconds
                .as_f64()
                .filter(|seconds| *seconds > 0.0 && *seconds <= 600.0)
                .ok_or_else(|| format!("`seconds` is `{seconds}`, not a number from 0 to 600"))?,
        ),
    };
    Ok(Described {
        name,
        starts,
        operations,
        state: flag(&mut answer, "state")?,
        render: flag(&mut answer, "render")?,
        language: text(&mut answer, "language")?,
        version: text(&mut answer, "version")?,
        seconds,
        values: values(&mut answer, "values")?,
        notes: texts(&mut answer, "notes")?,
        memo,
        source,
    })
}

fn calls(answer: &mut Map<String, Value>, name: &str) -> Result<Vec<OfferedCall>, String> {
    list(answer, name)?
        .into_iter()
        .enumerate()
        .map(|(at, call)| read_call(call).map_err(|error| format!("{name}[{at}]: {error}")))
        .collect()
}

fn read_call(call: Value) -> Result<OfferedCall, String> {
    let Value::Object(mut call) = call else { return Err(format!("`{call}` is no object")) };
    let name = text(&mut call, "name")?.filter(|name| !name.is_empty()).ok_or("`name` is missing")?;
    if let Some(bad) = name.chars().find(|c| c.is_control() || c.is_whitespace() || ":!\"".contains(*c)) {
        return Err(format!("the name {name:?} has {bad:?}, which labels cannot hold"));
    }
    let parameters = list(&mut call, "parameters")?
        .into_iter()
        .enumerate()
        .map(|(at, one)| {
            read_parameter(one, at).map_err(|error| format!("`{name}`, parameter {at}: {error}"))
        })
        .collect::<Result<_, String>>()?;
    let answer = text(&mut call, "answer")?;
    if let Some(answer) = answer.as_ref().filter(|answer| !ANSWERS.contains(&answer.as_str())) {
        return Err(format!("`{name}`: `answer` is `{answer}`, not one of {}", ANSWERS.join(", ")));
    }
    Ok(OfferedCall { name, parameters, answer, pure: flag(&mut call, "pure")? })
}

fn read_parameter(parameter: Value, at: usize) -> Result<AdapterParameter, String> {
    let Value::Object(mut parameter) = parameter else { return Err(format!("`{parameter}` is no object")) };
    let kind = text(&mut parameter, "kind")?.ok_or("`kind` is missing")?;
    let kind = KINDS.iter().find(|(name, _)| *name == kind).map(|(_, kind)| *kind).ok_or_else(|| {
        format!("`kind` is `{kind}`, not one of {}", KINDS.map(|(name, _)| name).join(", "))
    })?;
    let values = values(&mut parameter, "values")?;
    if kind == ParameterKind::Choice && values.is_empty() {
        return Err("a choice needs `values`".to_owned());
    }
    Ok(AdapterParameter {
        name: text(&mut parameter, "name")?.unwrap_or_else(|| at.to_string()),
        kind,
        values,
        only: flag(&mut parameter, "only")?,
        optional: flag(&mut parameter, "optional")?,
        of: texts(&mut parameter, "of")?,
    })
}

fn list(object: &mut Map<String, Value>, name: &str) -> Result<Vec<Value>, String> {
    match object.remove(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => Ok(list),
        Some(other) => Err(format!("`{name}` is `{other}`, not a list")),
    }
}

fn texts(object: &mut Map<String, Value>, name: &str) -> Result<Vec<String>, String> {
    list(object, name)?
        .into_iter()
        .map(|one| match one {
            Value::String(text) => Ok(text),
            other => Err(format!("`{name}` holds `{other}`, which is no text")),
        })
        .collect()
}

fn values(object: &mut Map<String, Value>, name: &str) -> Result<Vec<Value>, String> {
    let values = list(object, name)?;
    values.iter().try_for_each(check_value).map_err(|error| format!("`{name}`: {error}"))?;
    Ok(values)
}

/// Checks that a value has one of the forms of the protocol.
fn check_value(value: &Value) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("`{value}` {why}"));
    let Value::Object(object) = value else {
        return match value {
            Value::Array(elements) => elements.iter().try_for_each(check_value),
            _ => Ok(()),
        };
    };
    let (Some((form, inner)), 1) = (object.iter().next(), object.len()) else {
        return wrong("is no value: an object has one field, such as `$bytes`");
    };
    match (form.as_str(), inner) {
        ("$bytes", Value::String(hex)) => {
            if hex.len() % 2 == 0 && hex.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                Ok(())
            } else {
                wrong("is not in hexadecimal")
            }
        }
        ("$int" | "$float" | "$choice", Value::String(_)) | ("$default", Value::Bool(true)) => Ok(()),
        ("$map", Value::Array(pairs)) => {
            pairs.iter().try_for_each(|pair| match pair.as_array().map(Vec::as_slice) {
                Some([key, value]) => check_value(key).and_then(|()| check_value(value)),
                _ => wrong("has an entry that is no pair"),
            })
        }
        _ => wrong("is no value: see the table in docs/adapters.md"),
    }
}

fn flag(object: &mut Map<String, Value>, name: &str) -> Result<bool, String> {
    match object.remove(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(flag),
        Some(other) => Err(format!("`{name}` is `{}`, not true or false", plain(&other))),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::json;

    use super::*;

    fn check(description: Value, expected: Expect) {
        let Value::Object(description) = description else { panic!("a description is an object") };
        expected.assert_eq(&read(description).map_or_else(|error| error, |read| format!("{read:?}")));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let op = |op: Value| json!({ "protocol": 1, "name": "A", "operations": [op] });
        check(json!({ "name": "A" }), expect!["`protocol` is missing"]);
        check(
            json!({ "protocol": 2 }),
            expect!["it speaks version 2 of the protocol, and this adit speaks version 1"],
        );
        check(json!({ "protocol": 1 }), expect!["`name` is missing"]);
        check(
            json!({ "protocol": 1, "name": "A" }),
            expect!["`operations` is missing or empty: there is nothing to call"],
        );
        check(op(json!({})), expect!["operations[0]: `name` is missing"]);
        check(
            op(json!({ "name": "a b" })),
            expect![[r#"operations[0]: the name "a b" has ' ', which labels cannot hold"#]],
        );
        check(
            op(json!({ "name": "a", "parameters": [{ "kind": "string" }] })),
            expect![
                "operations[0]: `a`, parameter 0: `kind` is `string`, not one of null, bool, int, float, text, bytes, list, map, choice, object, any"
            ],
        );
        check(
            op(json!({ "name": "a", "parameters": [{ "kind": "choice" }] })),
            expect!["operations[0]: `a`, parameter 0: a choice needs `values`"],
        );
        check(
            op(json!({ "name": "a", "parameters": [{ "kind": "bytes", "values": [{ "$bytes": "0" }] }] })),
            expect![[r#"operations[0]: `a`, parameter 0: `values`: `{"$bytes":"0"}` is not in hexadecimal"#]],
        );
        check(
            op(json!({ "name": "a", "answer": "str" })),
            expect![
                "operations[0]: `a`: `answer` is `str`, not one of nothing, bool, int, float, text, object"
            ],
        );
        check(
            json!({ "protocol": 1, "name": "A", "starts": [{ "name": "a" }], "operations": [{ "name": "a" }] }),
            expect!["two calls have the name `a`"],
        );
    }

    #[test]
    fn every_field_is_read() {
        let parameter = json!({
            "name": "mode", "kind": "choice", "values": [{ "$choice": "READ" }, { "$map": [[1, [2]]] }],
            "only": true, "optional": true, "of": ["B"],
        });
        let description = json!({
            "protocol": 1, "name": "A", "starts": [{ "name": "A", "parameters": [parameter] }],
            "operations": [{ "name": "size", "answer": "int", "pure": true }], "state": true, "render": true,
            "language": "python", "version": "3", "seconds": 2.5, "values": [1], "notes": ["slow"],
        });
        let Value::Object(map) = description.clone() else { unreachable!("an object was written") };
        let read = read(map).unwrap();
        assert_eq!((read.name.as_str(), read.state, read.render, read.seconds), ("A", true, true, Some(2.5)));
        assert_eq!(
            read.call("size").map(|call| (call.pure, call.answer.as_deref())),
            Some((true, Some("int")))
        );
        let parameter = &read.starts[0].parameters[0];
        assert_eq!((parameter.kind, parameter.only, parameter.optional), (ParameterKind::Choice, true, true));
        assert_eq!((parameter.values.len(), &*parameter.of), (2, &["B".to_owned()][..]));
        assert_eq!((read.values.len(), read.notes.len(), read.source), (1, 1, description));
    }
}
