//! Values in logs.

use crate::Value;

/// A value as programs print it.
pub(super) fn value_of(text: &str) -> Value {
    match text {
        "true" | "TRUE" | "True" => Value::Bool(true),
        "false" | "FALSE" | "False" => Value::Bool(false),
        "null" => Value::Null,
        "void" => Value::Void,
        _ => match (text.parse(), text.parse()) {
            (Ok(int), _) => Value::Int(int),
            (_, Ok(float)) => Value::Float(float),
            _ => Value::Text(text.to_owned()),
        },
    }
}
