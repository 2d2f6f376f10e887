//! Values for parameters: those that the description offers, and boundary values of each kind.
//!
//! A value that JSON has is an argument in its own right. Everything else (bytes, maps, choices, what is
//! left out) becomes a constant: a statement of its own in a script, whose signature is the value in
//! the protocol's form. So scripts need no new kind of argument, and a campaign on disk holds them like any
//! other.

use std::sync::Arc;

use adit_trace::{Argument, CallKind, Callable, Value as Recorded, ValueKind};
use serde_json::{Value, json};

use crate::description::{AdapterParameter, Described, ParameterKind};

/// Owner of the constants that stand for values.
pub(crate) const VALUES: &str = "(value)";

/// A value as scripts hold it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pooled {
    Plain(Argument),
    Constant(Arc<Callable>),
}

impl Pooled {
    /// The value for one in the protocol's form.
    pub(crate) fn of(value: &Value) -> Self {
        match plain(value) {
            Some(argument) => Self::Plain(argument),
            None => Self::Constant(Arc::new(Callable {
                signature: value.to_string(),
                answer: ValueKind::Object,
                ..Callable::new(CallKind::Constant, VALUES, shown(value))
            })),
        }
    }
}

/// The argument for a value that needs no constant.
fn plain(value: &Value) -> Option<Argument> {
    Some(match value {
        Value::Null => Argument::Null,
        Value::Bool(value) => Argument::Bool(*value),
        Value::Number(number) => match number.as_i64() {
            Some(number) => Argument::Int(number),
            None => Argument::Float(number.as_f64().filter(|_| number.is_f64())?),
        },
        Value::String(text) => Argument::Text(text.clone()),
        Value::Array(elements) => Argument::Array(elements.iter().map(plain).collect::<Option<_>>()?),
        Value::Object(_) => return None,
    })
}

/// A value for people.
fn shown(value: &Value) -> String {
    match value.as_object().and_then(|object| object.iter().next()) {
        Some((form, Value::String(text))) if form == "$bytes" => format!("bytes[{text}]"),
        Some((form, Value::String(text))) if ["$int", "$float", "$choice"].contains(&form.as_str()) => {
            text.clone()
        }
        Some((form, _)) if form == "$default" => "default".to_owned(),
        _ => value.to_string(),
    }
}

/// The value of a constant in the protocol's form.
pub(crate) fn of_constant(callable: &Callable) -> Option<Value> {
    (callable.kind == CallKind::Constant && callable.owner == VALUES)
        .then(|| serde_json::from_str(&callable.signature).ok())
        .flatten()
}

/// The protocol's form of an argument. `earlier` gives that of the result of a statement.
pub(crate) fn to_json(argument: &Argument, earlier: &impl Fn(usize) -> Option<Value>) -> Option<Value> {
    Some(match argument {
        Argument::Null => Value::Null,
        Argument::Bool(value) => json!(value),
        Argument::Int(value) => json!(value),
        Argument::Float(value) if value.is_nan() => json!({ "$float": "nan" }),
        Argument::Float(value) if value.is_infinite() => {
            json!({ "$float": if *value > 0.0 { "inf" } else { "-inf" } })
        }
        Argument::Float(value) => json!(value),
        Argument::Text(text) => json!(text),
        Argument::Earlier(at) => earlier(*at)?,
        Argument::Array(elements) => {
            Value::Array(elements.iter().map(|element| to_json(element, earlier)).collect::<Option<_>>()?)
        }
        // No adapter's script holds these.
        Argument::Function(_) | Argument::Class(_) => return None,
    })
}

/// A value that the adapter returned, as runs hold it.
pub(crate) fn recorded(value: &Value, answer: ValueKind) -> Recorded {
    match value {
        Value::Null if answer == ValueKind::Nothing => Recorded::Void,
        Value::Null => Recorded::Null,
        Value::Bool(value) => Recorded::Bool(*value),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => Recorded::Int(number),
            (None, Some(float)) if number.is_f64() => Recorded::Float(float),
            _ => Recorded::Text(number.to_string()),
        },
        Value::String(text) => Recorded::Text(text.clone()),
        Value::Object(object) => match object.get("$float").and_then(Value::as_str) {
            Some("nan") => Recorded::Float(f64::NAN),
            Some("inf") => Recorded::Float(f64::INFINITY),
            Some("-inf") => Recorded::Float(f64::NEG_INFINITY),
            _ => Recorded::Text(shown(value)),
        },
        Value::Array(_) => Recorded::Text(value.to_string()),
    }
}

/// The kind of a parameter, as searches know it.
pub(crate) fn value_kind(kind: ParameterKind) -> ValueKind {
    match kind {
        ParameterKind::Bool => ValueKind::Bool,
        ParameterKind::Int => ValueKind::Int,
        ParameterKind::Float => ValueKind::Float,
        ParameterKind::Text => ValueKind::Text,
        _ => ValueKind::Object,
    }
}

/// The values that a parameter is given: first those that are offered, then those of its kind.
pub(crate) fn pool(parameter: &AdapterParameter, described: &Described) -> Vec<Pooled> {
    let mut values = parameter.values.clone();
    if !parameter.only && parameter.kind != ParameterKind::Choice {
        values.extend(of_kind(parameter.kind));
        if parameter.kind == ParameterKind::Any || values.is_empty() {
            values.extend(described.values.iter().cloned());
        }
    }
    if parameter.optional {
        values.push(json!({ "$default": true }));
    }
    let mut pool: Vec<Pooled> = Vec::new();
    for value in values.iter().map(Pooled::of) {
        if !pool.contains(&value) {
            pool.push(value);
        }
    }
    pool
}

/// Boundary values of a kind, small ones first: searches draw early ones more often.
fn of_kind(kind: ParameterKind) -> Vec<Value> {
    let bytes = |hex: &str| json!({ "$bytes": hex });
    match kind {
        ParameterKind::Null => vec![Value::Null],
        ParameterKind::Bool => vec![json!(true), json!(false)],
        ParameterKind::Int => [0, 1, 2, -1, 3, 10, 100, -2, 255, 65_536].map(|number| json!(number)).to_vec(),
        ParameterKind::Float => [0.0, 1.0, -1.0, 0.5, 2.5, 1e9].map(|number| json!(number)).to_vec(),
        ParameterKind::Text => {
            ["a", "", "b", "abc", "a b", "1", "x=1", "line\n", "é"].map(|text| json!(text)).to_vec()
        }
        ParameterKind::Bytes => vec![bytes("61"), bytes(""), bytes("616263"), bytes("00"), bytes("610a62")],
        // The last is long, so that something is left after several calls that take something out.
        ParameterKind::List => vec![
            json!([]),
            json!(["a"]),
            json!([1, 2]),
            json!(["a", "b", "a"]),
            json!(["a", "b", "c", "d", "e", "f", "g", "h"]),
        ],
        ParameterKind::Map => {
            vec![json!({ "$map": [] }), json!({ "$map": [["a", 1]] }), json!({ "$map": [["a", "b"]] })]
        }
        ParameterKind::Any => vec![json!(1), json!("a"), json!(0), json!("b"), Value::Null],
        ParameterKind::Choice | ParameterKind::Object => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_keeps_its_form_through_a_script() {
        let values = [
            json!(null),
            json!(true),
            json!(-3),
            json!(1.5),
            json!("é\n"),
            json!([1, ["a"]]),
            json!([{ "$bytes": "00" }]),
            json!({ "$bytes": "00ff" }),
            json!({ "$map": [["a", 1]] }),
            json!({ "$choice": "READ" }),
            json!({ "$default": true }),
            json!({ "$int": "36893488147419103232" }),
            json!(18_446_744_073_709_551_615_u64),
        ];
        for value in values {
            let back = match Pooled::of(&value) {
                Pooled::Plain(argument) => to_json(&argument, &|_| None),
                Pooled::Constant(callable) => of_constant(&callable),
            };
            assert_eq!(back.as_ref(), Some(&value), "{value}");
        }
        for float in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0] {
            let json = to_json(&Argument::Float(float), &|_| None).unwrap();
            let Recorded::Float(back) = recorded(&json, ValueKind::Float) else { panic!("{json}") };
            assert_eq!(back.to_bits(), float.to_bits());
        }
    }

    #[test]
    fn a_pool_has_each_value_once_and_offered_ones_first() {
        let described = |kind, only, optional| {
            let parameter = AdapterParameter {
                name: "n".to_owned(),
                kind,
                values: vec![json!(5), json!(1)],
                only,
                optional,
                of: Vec::new(),
            };
            let source = json!({ "protocol": 1, "name": "A", "operations": [{ "name": "a" }] });
            let Value::Object(source) = source else { unreachable!("an object was written") };
            pool(&parameter, &crate::description::read(source).unwrap()).len()
        };
        assert_eq!(described(ParameterKind::Int, true, false), 2);
        assert_eq!(described(ParameterKind::Int, true, true), 3);
        assert_eq!(described(ParameterKind::Int, false, false), 11);
        assert_eq!(described(ParameterKind::Choice, false, false), 2);
    }
}
