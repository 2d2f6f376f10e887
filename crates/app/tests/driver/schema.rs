//! Values against a JSON schema.
//!
//! Our schemas and the one of SARIF use few keywords, so this checks them itself. A keyword that it does not
//! know is a violation wherever a value meets it, so that nothing passes unchecked.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use serde_json::{Map, Value, json};

/// Keywords that say nothing about a value.
const REMARKS: [&str; 7] = ["$schema", "$id", "$defs", "definitions", "title", "description", "default"];
/// Keywords that are checked below.
const CHECKED: [&str; 14] = [
    "$ref",
    "type",
    "enum",
    "anyOf",
    "oneOf",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "uniqueItems",
    "minimum",
    "maximum",
    "format",
];

/// Returns the first place where a value differs from a schema. References are looked up in `all`.
pub(crate) fn violation(all: &Value, schema: &Value, value: &Value, place: &str) -> Option<String> {
    let keywords = schema.as_object().unwrap();
    let is_known = |key: &&String| REMARKS.contains(&key.as_str()) || CHECKED.contains(&key.as_str());
    if let Some(odd) = keywords.keys().find(|key| !is_known(key)) {
        return Some(format!("{place}: the test does not know the keyword {odd}"));
    }
    if let Some(name) = schema["$ref"].as_str() {
        // Beside a reference, other keywords are ignored (draft 7).
        let target = all.pointer(name.strip_prefix('#').unwrap());
        return violation(all, target.unwrap_or_else(|| panic!("{name} is not defined")), value, place);
    }
    of_any_type(schema, value, place)
        .or_else(|| choice(all, schema, value, place))
        .or_else(|| value.as_object().and_then(|object| of_object(all, schema, object, place)))
        .or_else(|| value.as_array().and_then(|items| of_array(all, schema, items, place)))
        .or_else(|| value.as_f64().and_then(|number| of_number(schema, number, place)))
        .or_else(|| value.as_str().and_then(|text| of_text(schema, text, place)))
}

fn of_any_type(schema: &Value, value: &Value, place: &str) -> Option<String> {
    let is = |name: &Value| match name.as_str().unwrap() {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type {other}"),
    };
    let fits = match &schema["type"] {
        Value::Null => true,
        Value::Array(names) => names.iter().any(is),
        name => is(name),
    };
    if !fits {
        return Some(format!("{place} is {value}, not {}", schema["type"]));
    }
    let is_foreign = schema["enum"].as_array().is_some_and(|names| !names.contains(value));
    is_foreign.then(|| format!("{place} is {value}, none of {}", schema["enum"]))
}

fn choice(all: &Value, schema: &Value, value: &Value, place: &str) -> Option<String> {
    let found = |key: &str| {
        let choices = schema[key].as_array()?;
        let found: Vec<String> =
            choices.iter().filter_map(|choice| violation(all, choice, value, place)).collect();
        Some((choices.len(), found))
    };
    if let Some((choices, found)) = found("anyOf").filter(|(choices, found)| found.len() == *choices) {
        assert!(choices > 0, "{place}: no choice");
        return Some(found.join(" or "));
    }
    let (choices, found) = found("oneOf")?;
    (found.len() + 1 != choices).then(|| format!("{place}: not one of {choices} choices: {found:?}"))
}

fn of_object(all: &Value, schema: &Value, object: &Map<String, Value>, place: &str) -> Option<String> {
    for name in schema["required"].as_array().into_iter().flatten() {
        if !object.contains_key(name.as_str().unwrap()) {
            return Some(format!("{place} lacks {name}"));
        }
    }
    object.iter().find_map(|(name, field)| {
        let place = format!("{place}.{name}");
        match (schema["properties"].get(name), &schema["additionalProperties"]) {
            (Some(of), _) => violation(all, of, field, &place),
            (None, others) if *others == json!(false) => Some(format!("{place} is not documented")),
            (None, others) if others.is_object() => violation(all, others, field, &place),
            (None, _) => None,
        }
    })
}

fn of_array(all: &Value, schema: &Value, items: &[Value], place: &str) -> Option<String> {
    if schema["minItems"].as_u64().is_some_and(|least| (items.len() as u64) < least) {
        return Some(format!("{place} has {} of at least {} items", items.len(), schema["minItems"]));
    }
    let is_repeated = |at: usize| items[..at].contains(&items[at]);
    if schema["uniqueItems"] == json!(true)
        && let Some(at) = (0..items.len()).find(|&at| is_repeated(at))
    {
        return Some(format!("{place}[{at}] repeats {}", items[at]));
    }
    let of = Some(&schema["items"]).filter(|of| of.is_object())?;
    items.iter().enumerate().find_map(|(at, item)| violation(all, of, item, &format!("{place}[{at}]")))
}

fn of_number(schema: &Value, number: f64, place: &str) -> Option<String> {
    let is_low = schema["minimum"].as_f64().is_some_and(|least| number < least);
    let is_high = schema["maximum"].as_f64().is_some_and(|most| number > most);
    (is_low || is_high).then(|| format!("{place} is {number}, out of bounds"))
}

fn of_text(schema: &Value, text: &str, place: &str) -> Option<String> {
    let fits = match schema["format"].as_str() {
        None => true,
        Some("uri") => {
            is_uri_reference(text) && text.split_once(':').is_some_and(|(name, _)| is_scheme(name))
        }
        Some("uri-reference") => is_uri_reference(text),
        Some(other) => return Some(format!("{place}: the test does not know the format {other}")),
    };
    (!fits).then(|| format!("{place} is {text:?}, not a {}", schema["format"]))
}

/// RFC 3986, 3.1.
fn is_scheme(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
}

/// RFC 3986, 2: the characters of a URI, and two digits behind each percent sign.
fn is_uri_reference(text: &str) -> bool {
    let is_allowed =
        |letter: char| letter.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(letter);
    let is_escape =
        |part: &str| part.len() >= 2 && part.bytes().take(2).all(|digit| digit.is_ascii_hexdigit());
    text.chars().all(is_allowed) && text.split('%').skip(1).all(is_escape)
}
