//! Names and values as Daikon's traces write them.

use super::Rep;
use crate::Value;

/// A value of this type, or nothing if it tells nothing; an error if it is not of the type.
pub(super) fn value(text: &str, rep: Option<Rep>) -> Result<Option<Value>, &'static str> {
    let text = text.trim();
    Ok(Some(match rep {
        Some(Rep::Array) => return Ok(None),
        Some(Rep::Bool) => match text {
            "true" | "1" => Value::Bool(true),
            "false" | "0" => Value::Bool(false),
            _ => return Err("boolean"),
        },
        Some(Rep::Float) => Value::Float(text.parse().map_err(|_| "number")?),
        Some(Rep::Hash) => match text {
            "null" | "0" => Value::Null,
            _ if text.parse::<i128>().is_ok() => Value::Text(format!("#{text}")),
            _ => return Err("object"),
        },
        // Whole numbers of more than 64 bits are legal, and stay as they are written.
        Some(Rep::Int) => match guess(text) {
            value @ (Value::Int(_) | Value::Float(_)) => value,
            _ => return Err("whole number"),
        },
        Some(Rep::Text) => match text {
            "null" => Value::Null,
            _ if text.starts_with('"') => Value::Text(unquoted(text)),
            _ => guess(text),
        },
        None if text.starts_with('[') => return Ok(None),
        None => guess(text),
    }))
}

/// A value of whatever type it looks like.
pub(super) fn guess(text: &str) -> Value {
    match text {
        "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ if text.starts_with('"') => Value::Text(unquoted(text)),
        _ => text
            .parse()
            .map(Value::Int)
            .or_else(|_| text.parse().map(Value::Float))
            .unwrap_or_else(|_| Value::Text(text.to_owned())),
    }
}

/// The number of elements in `[1 2 "a b"]`, or nothing if this is no list.
pub(super) fn elements(text: &str) -> Option<i64> {
    let inside = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (mut count, mut in_word, mut in_string, mut escaped) = (0, false, false, false);
    for byte in inside.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => {
                count += i64::from(!in_word);
                (in_word, in_string) = (true, !in_string);
            }
            b' ' if !in_string => in_word = false,
            _ => {
                count += i64::from(!in_word);
                in_word = true;
            }
        }
    }
    Some(count)
}

/// A string with its quotation marks, and what follows it.
pub(super) fn split_string(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            '"' if !escaped => return Some(text.split_at(at + 1)),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

/// A name in a declaration, where a blank is written `\_` because blanks separate.
pub(super) fn unescaped(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut rest = name.chars();
    while let Some(char) = rest.next() {
        match char {
            '\\' => match rest.next() {
                Some('_') => plain.push(' '),
                Some(other) => plain.push(other),
                None => plain.push('\\'),
            },
            char => plain.push(char),
        }
    }
    plain
}

/// Decodes a string in quotation marks.
pub(super) fn unquoted(text: &str) -> String {
    let text = text.strip_prefix('"').unwrap_or(text);
    let text = text.strip_suffix('"').unwrap_or(text);
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(char) = rest.next() {
        if char != '\\' {
            plain.push(char);
            continue;
        }
        match rest.next() {
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('t') => plain.push('\t'),
            Some('b') => plain.push('\u{8}'),
            Some('f') => plain.push('\u{c}'),
            Some('u') => {
                let code: String = rest.clone().take(4).collect();
                match u32::from_str_radix(&code, 16).ok().and_then(char::from_u32) {
                    Some(char) if code.len() == 4 => {
                        plain.push(char);
                        rest.nth(3);
                    }
                    _ => plain.push_str("\\u"),
                }
            }
            Some(other) => plain.push(other),
            None => plain.push('\\'),
        }
    }
    plain
}

/// The method's name in `a.b.Stack.push(int)`; a constructor has the name of its class.
pub(super) fn method_of(method: &str) -> &str {
    let name = method.split('(').next().unwrap_or(method);
    let (class, name) = name.rsplit_once('.').unwrap_or(("", name));
    if name == "<init>" { class.rsplit(['.', '$']).next().unwrap_or(class) } else { name }
}

/// The method with its parameter types in `a.b.Stack.push(int)`.
pub(super) fn overload_of(method: &str) -> &str {
    let name = method.split('(').next().unwrap_or(method);
    &method[name.rfind('.').map_or(0, |dot| dot + 1)..]
}

/// The class in `a.b.Stack.push(int)`.
pub(super) fn class_of(method: &str) -> &str {
    let name = method.split('(').next().unwrap_or(method);
    name.rsplit_once('.').map_or("", |(class, _)| class)
}

/// Tells whether `a.b.Stack.Stack(int)` names a constructor.
pub(super) fn is_constructor(method: &str) -> bool {
    let class = class_of(method);
    let simple = class.rsplit('.').next().unwrap_or(class);
    let name = method_of(method);
    !name.is_empty() && (name == simple || Some(name) == simple.rsplit('$').next())
}

/// Tells whether `class` is the one that a user named, with or without its package or its outer class.
pub(super) fn is_named(class: &str, wanted: &str) -> bool {
    class == wanted || class.strip_suffix(wanted).is_some_and(|before| before.ends_with(['.', '$']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_outside_of_strings() {
        for (text, count) in [
            ("[]", Some(0)),
            ("[1 2 3]", Some(3)),
            ("[null null]", Some(2)),
            (r#"["a b" "c\" d" ""]"#, Some(3)),
            ("null", None),
            ("[1", None),
        ] {
            assert_eq!(elements(text), count, "{text}");
        }
    }

    #[test]
    fn constructors_have_the_name_of_their_class() {
        for (method, is) in [
            ("a.Stack.Stack(int)", true),
            ("a.Stack.<init>(int)", true),
            ("java.net.Socket$2.Socket$2(java.net.Socket)", true),
            ("a.Outer$Inner.Inner()", true),
            ("a.Stack.push(int)", false),
            ("main", false),
            ("", false),
        ] {
            assert_eq!(is_constructor(method), is, "{method}");
        }
    }

    #[test]
    fn a_class_may_be_named_without_its_package() {
        assert!(is_named("a.b.Stack", "Stack") && is_named("a.Outer$Inner", "Inner"));
        assert!(is_named("a.b.Stack", "b.Stack") && !is_named("a.b.MyStack", "Stack"));
    }
}
