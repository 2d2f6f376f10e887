//! Values in Java source: literals, casts, lambdas.

use adit_bytecode::Type;
use adit_trace::Argument;

use super::names::Names;
use super::{Facts, is_plain};

/// Writes values, given what variables there are.
pub(crate) struct Writer<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) names: &'a mut Names,
    /// For each statement, its variable and the type that it was declared with.
    pub(crate) variables: &'a [Option<(String, Type)>],
}

impl Writer<'_> {
    /// An expression of exactly the wanted type, so that Java chooses the overload that the script means.
    pub(crate) fn argument(&mut self, argument: &Argument, wanted: &Type) -> Option<String> {
        Some(match argument {
            Argument::Null => format!("({}) null", self.names.of_type(wanted)),
            Argument::Bool(value) => self.cast(value.to_string(), &Type::Boolean, wanted),
            Argument::Int(value) => self.number(*value, wanted)?,
            Argument::Float(value) => match wanted {
                Type::Float => float(*value, true),
                Type::Class(name) if &**name == "java/lang/Float" => {
                    self.cast(float(*value, true), &Type::Float, wanted)
                }
                _ => self.cast(float(*value, false), &Type::Double, wanted),
            },
            Argument::Text(value) => self.cast(text(value), &Type::Class("java/lang/String".into()), wanted),
            Argument::Earlier(at) => {
                let (name, declared) = self.variables.get(*at)?.clone()?;
                self.cast(name, &declared, wanted)
            }
            Argument::Array(elements) => {
                let object = Type::Class("java/lang/Object".into());
                let (element, made) = match wanted {
                    Type::Array(element) => (&**element, wanted.clone()),
                    _ => (&object, Type::Array(Box::new(object.clone()))),
                };
                let mut values = Vec::new();
                for value in elements {
                    values.push(self.argument(value, element)?);
                }
                let values = values.join(", ");
                let array = format!("new {} {{{values}}}", self.names.of_type(&made));
                self.cast(array, &made, wanted)
            }
            Argument::Function(result) => {
                let (parameters, given) = self.facts.functions.get(&wanted.to_string())?.clone();
                // Letters would run out, numbers do not.
                let parameters: Vec<String> = (0..parameters).map(|at| format!("x{at}")).collect();
                let body = match given {
                    None => "{}".to_owned(),
                    Some(given) if is_plain(result) => self.argument(result, &given)?,
                    Some(_) => return None,
                };
                format!("({}) ({}) -> {body}", self.names.of_type(wanted), parameters.join(", "))
            }
            Argument::Class(name) => {
                // Always cast, because a parameter may ask for the classes below some bound.
                format!("({}) {}.class", self.names.of_type(wanted), self.names.of(name))
            }
        })
    }

    /// The variable of a statement as something of this class that can be called.
    pub(crate) fn receiver(&mut self, at: usize, class: &Type) -> Option<String> {
        let (name, declared) = self.variables.get(at)?.clone()?;
        if declared == *class {
            return Some(name);
        }
        Some(format!("(({}) {name})", self.names.of_type(class)))
    }

    fn cast(&mut self, value: String, given: &Type, wanted: &Type) -> String {
        if given == wanted {
            return value;
        }
        // A minus after the cast would be read as a subtraction.
        let value = if value.starts_with('-') { format!("({value})") } else { value };
        format!("({}) {value}", self.names.of_type(wanted))
    }

    /// A whole number as a script passes it: its low bits as a primitive, or in the box that the type asks
    /// for.
    pub(crate) fn number(&mut self, value: i64, wanted: &Type) -> Option<String> {
        Some(match wanted {
            Type::Byte => format!("(byte) {}", value as i8),
            Type::Short => format!("(short) {}", value as i16),
            Type::Char => character(value as u16),
            Type::Int => (value as i32).to_string(),
            Type::Long => format!("{value}L"),
            Type::Class(name) => match &**name {
                "java/lang/Byte" => format!("(Byte) (byte) {}", value as i8),
                "java/lang/Short" => format!("(Short) (short) {}", value as i16),
                "java/lang/Character" => format!("(Character) {}", character(value as u16)),
                "java/lang/Long" => self.cast(format!("{value}L"), &Type::Long, wanted),
                _ => match i32::try_from(value) {
                    Ok(value) => self.cast(value.to_string(), &Type::Int, wanted),
                    Err(_) => self.cast(format!("{value}L"), &Type::Long, wanted),
                },
            },
            Type::Boolean | Type::Float | Type::Double | Type::Array(_) => return None,
        })
    }
}

/// A `char`.
fn character(unit: u16) -> String {
    match char::from_u32(unit.into()) {
        Some(c @ ('\'' | '\\')) => format!("'\\{c}'"),
        Some(c @ ' '..='~') => format!("'{c}'"),
        _ => format!("(char) {unit}"),
    }
}

/// A `float` or a `double`.
pub(crate) fn float(value: f64, narrow: bool) -> String {
    let (class, value) = if narrow { ("Float", f64::from(value as f32)) } else { ("Double", value) };
    match value {
        _ if value.is_nan() => format!("{class}.NaN"),
        f64::INFINITY => format!("{class}.POSITIVE_INFINITY"),
        f64::NEG_INFINITY => format!("{class}.NEGATIVE_INFINITY"),
        _ if narrow => format!("{:?}f", value as f32),
        _ => format!("{value:?}"),
    }
}

/// A string, in ASCII.
pub(crate) fn text(value: &str) -> String {
    let mut written = String::from("\"");
    for unit in value.encode_utf16() {
        match char::from_u32(unit.into()) {
            Some('"') => written.push_str("\\\""),
            Some('\\') => written.push_str("\\\\"),
            Some('\n') => written.push_str("\\n"),
            Some('\r') => written.push_str("\\r"),
            Some('\t') => written.push_str("\\t"),
            Some(c @ ' '..='~') => written.push(c),
            // Java reads `\u000a` as the end of the line before it reads strings; octal escapes are read
            // later.
            _ if unit < 0x80 => written.push_str(&format!("\\{unit:03o}")),
            _ => written.push_str(&format!("\\u{unit:04x}")),
        }
    }
    written.push('"');
    written
}
