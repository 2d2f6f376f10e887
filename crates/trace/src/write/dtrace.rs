//! Writes [`Format::Dtrace`](crate::Format::Dtrace), the input of Daikon: a program point for the begin and
//! one for the end of each method, declared first, then the values of the variables at each call.
//!
//! Declarations come before the data and say which type a variable has for all calls, so that everything is
//! held until the end, each different event once. Where the values of a variable do not agree on a type they
//! are written as strings, and counted. A call that threw has no end, as Daikon's own front end for Java has
//! it; a comment, which Daikon passes over, says what it threw.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::{Encoder, Unwritable};
use crate::event_json::fields;
use crate::read::dtrace::OVERLOAD;
use crate::{Event, Label, Outcome, Value};

/// The class of traces that tell none.
const SOME_CLASS: &str = "Trace";

/// Everything that was written so far.
#[derive(Default)]
pub(crate) struct Dtrace {
    /// The class that was named, with dots.
    class: Option<String>,
    events: Vec<Event>,
    known: FxHashMap<String, u32>,
    /// The events of all traces, each trace with its end.
    traces: Vec<Vec<u32>>,
    current: Vec<u32>,
    /// The number of values that lost their type.
    mixed: u64,
    /// The number of events that lost the names of their parameters.
    unnamed: u64,
}

/// The two program points of a method with so many parameters.
#[derive(Default)]
struct Point {
    parameters: Vec<Kind>,
    /// The names of the parameters, if all calls agree on them.
    names: Option<Vec<String>>,
    /// The source lines at which calls returned; zero if that is not known.
    lines: BTreeSet<u32>,
    result: Option<Kind>,
    state: BTreeMap<String, Kind>,
    /// Every call of it is the first in its trace, so no object exists before it.
    creates: bool,
}

/// The type that all values of a variable have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Nothing so far.
    #[default]
    Nothing,
    Null,
    Bool,
    Int,
    Float,
    Text,
    /// Values that have no type in common.
    Mixed,
}

impl Encoder for Dtrace {
    fn set_class(&mut self, class: &str) {
        self.class = Some(class.to_owned());
    }

    fn event(&mut self, _out: &mut Vec<u8>, event: &Event) -> Result<(), Unwritable> {
        let plain = |name: &str, also: &[char]| {
            !name.is_empty()
                && name.trim() == name
                && !name.contains(|c: char| c.is_control() || also.contains(&c))
        };
        let before = event.details.iter().filter_map(|details| details.before.as_ref());
        let names = event.state.iter().chain(before).flat_map(BTreeMap::keys);
        let label = Label::call(&event.method);
        let types_are_plain = |types: &str| types.is_empty() || plain(types, &['(', ')', ':']);
        if !plain(label.name(), &['(', ')', '.', ':'])
            || !label.parameters().is_none_or(types_are_plain)
            || !names.clone().all(|field| plain(field, &['(', '[']))
        {
            return Err(Unwritable);
        }
        let text = fields(event);
        let next = u32::try_from(self.events.len()).map_err(|_| Unwritable)?;
        let number = *self.known.entry(text).or_insert(next);
        if number == next {
            self.events.push(event.clone());
        }
        self.current.push(number);
        Ok(())
    }

    fn end(&mut self, _out: &mut Vec<u8>) {
        self.traces.push(std::mem::take(&mut self.current));
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        (self.mixed, self.unnamed) = self.write(out);
    }

    fn losses(&self) -> Vec<String> {
        let lost = [
            (self.mixed, "the types of", "values, which become strings"),
            (self.unnamed, "the parameter names of", "events"),
        ];
        let lost = lost.into_iter().filter(|&(count, ..)| count > 0);
        lost.map(|(count, what, of)| format!("{what} {count} {of}")).collect()
    }
}

impl Dtrace {
    /// Writes everything, and returns how many values lost their type, and how many events the names of their
    /// parameters.
    fn write(&self, buffer: &mut Vec<u8>) -> (u64, u64) {
        let class = self.class();
        let points = self.points();
        let mut out = Out { text: String::new(), mixed: 0, unnamed: 0 };
        out.text.push_str("decl-version 2.0\nvar-comparability none\n\n");
        for (&(method, _), point) in &points {
            let name = point.name(&class, method);
            out.declare_enter(&class, &name, point);
            for &line in &point.lines {
                out.declare_exit(&class, &name, point, line);
            }
        }
        for (&(method, _), point) in &points {
            if Label::call(method).parameters().is_some() {
                out.put(format_args!("// {OVERLOAD}{}\n", point.name(&class, method)));
            }
        }
        let mut nonce = 0_u64;
        for (object, trace) in (1_u64..).zip(&self.traces) {
            let mut before = None;
            for &number in trace {
                let event = &self.events[number as usize];
                let point = &points[&(event.method.as_str(), event.args.len())];
                out.call(&point.name(&class, &event.method), point, event, object, before, nonce);
                nonce += 1;
                before = event.state.as_ref();
            }
            // One trace at a time, so that the text of all is not held twice.
            buffer.extend_from_slice(out.text.as_bytes());
            out.text.clear();
        }
        buffer.extend_from_slice(out.text.as_bytes());
        (out.mixed, out.unnamed)
    }

    /// The class that was named, else what a first event is called if that looks like a class.
    fn class(&self) -> String {
        let first = self.traces.iter().find_map(|trace| trace.first());
        let constructor = first
            .map(|&number| self.events[number as usize].method.as_str())
            .filter(|method| method.starts_with(char::is_uppercase));
        self.class.as_deref().or(constructor).unwrap_or(SOME_CLASS).to_owned()
    }

    fn points(&self) -> BTreeMap<(&str, usize), Point> {
        let mut points: BTreeMap<(&str, usize), Point> = BTreeMap::new();
        for event in &self.events {
            let point = points.entry((&event.method, event.args.len())).or_insert_with(|| Point {
                parameters: vec![Kind::Nothing; event.args.len()],
                names: names_of(event),
                creates: true,
                ..Point::default()
            });
            if point.names != names_of(event) {
                point.names = None;
            }
            if !matches!(event.outcome, Outcome::Threw(_)) {
                point.lines.insert(event.line().unwrap_or(0));
            }
            for (kind, value) in point.parameters.iter_mut().zip(&event.args) {
                *kind = kind.with(value);
            }
            match &event.outcome {
                Outcome::Returned(Value::Void) | Outcome::Unrecorded | Outcome::Threw(_) => {}
                Outcome::Returned(value) => {
                    point.result = Some(point.result.unwrap_or_default().with(value));
                }
            }
            for (field, value) in event.state.iter().flatten() {
                let kind = point.state.entry(field.clone()).or_default();
                *kind = kind.with(value);
            }
        }
        // What the object looked like before a call is what it looked like after the call before.
        let mut fields: BTreeMap<(&str, usize), BTreeSet<(&String, Kind)>> = BTreeMap::new();
        for trace in &self.traces {
            let events = trace.iter().map(|&number| &self.events[number as usize]);
            let before = std::iter::once(None).chain(events.clone().map(Some));
            for (before, event) in before.zip(events) {
                let state = state_before(before.and_then(|before| before.state.as_ref()), event);
                if before.is_none() && state.is_none() {
                    continue;
                }
                let key = (event.method.as_str(), event.args.len());
                fields.entry(key).or_default().extend(
                    state.into_iter().flatten().map(|(field, value)| (field, Kind::Nothing.with(value))),
                );
            }
        }
        for point in points.values_mut().filter(|point| point.lines.is_empty()) {
            point.lines.insert(0);
        }
        for (key, fields) in fields {
            let point = points.get_mut(&key).expect("every event has its point");
            point.creates = false;
            for (field, kind) in fields {
                let known = point.state.entry(field.clone()).or_default();
                *known = known.or(kind);
            }
        }
        points
    }
}

/// The state before a call: recorded, or that after the call before.
fn state_before<'e>(last: Option<&'e crate::State>, event: &'e Event) -> Option<&'e crate::State> {
    event.details.as_ref().and_then(|details| details.before.as_ref()).or(last)
}

/// The names of the parameters, if there is one for each and they are names of variables.
fn names_of(event: &Event) -> Option<Vec<String>> {
    let names = &event.details.as_ref()?.parameters;
    let plain = |name: &String| {
        let mut chars = name.chars();
        let first = chars.next().is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$');
        first && chars.all(|other| other.is_alphanumeric() || other == '_' || other == '$')
    };
    let different: BTreeSet<&String> = names.iter().collect();
    let fits = names.len() == event.args.len()
        && different.len() == names.len()
        && names.iter().all(|name| plain(name) && name != "this" && name != "return");
    fits.then(|| names.clone())
}

impl Point {
    /// The name of the parameter with this number.
    fn parameter(&self, number: usize) -> String {
        self.names.as_ref().map_or_else(|| format!("arg{number}"), |names| names[number].clone())
    }

    /// The name of the method's program points without what follows `:::`.
    fn name(&self, class: &str, method: &str) -> String {
        if Label::call(method).parameters().is_some() {
            return format!("{class}.{method}");
        }
        let types: Vec<&str> = self.parameters.iter().map(|kind| kind.declared()).collect();
        format!("{class}.{method}({})", types.join(", "))
    }
}

impl Kind {
    fn with(self, value: &Value) -> Self {
        self.or(match value {
            Value::Null | Value::Void => Self::Null,
            Value::Bool(_) => Self::Bool,
            Value::Int(_) => Self::Int,
            Value::Float(_) => Self::Float,
            Value::Text(_) => Self::Text,
        })
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (one, another) if one == another => one,
            (Self::Nothing, kind) | (kind, Self::Nothing) => kind,
            (Self::Null, Self::Text) | (Self::Text, Self::Null) => Self::Text,
            _ => Self::Mixed,
        }
    }

    /// The type in the source, as far as it is known.
    fn declared(self) -> &'static str {
        match self {
            Self::Bool => "boolean",
            Self::Int => "int",
            Self::Float => "double",
            Self::Nothing | Self::Null | Self::Text => "java.lang.String",
            Self::Mixed => "java.lang.Object",
        }
    }

    /// The type of the values in the file.
    fn represented(self) -> &'static str {
        match self {
            Self::Mixed => "java.lang.String",
            other => other.declared(),
        }
    }
}

/// Text that grows.
struct Out {
    text: String,
    mixed: u64,
    unnamed: u64,
}

impl Out {
    fn put(&mut self, line: std::fmt::Arguments<'_>) {
        self.text.write_fmt(line).expect("a string takes any text");
        self.text.push('\n');
    }

    fn declare_enter(&mut self, class: &str, name: &str, point: &Point) {
        self.put(format_args!("ppt {}:::ENTER\nppt-type enter", escaped(name)));
        if !point.creates {
            self.declare_object(class, point);
        }
        self.declare_parameters(point);
        self.text.push('\n');
    }

    fn declare_exit(&mut self, class: &str, name: &str, point: &Point, line: u32) {
        self.put(format_args!("ppt {}:::EXIT{line}\nppt-type subexit", escaped(name)));
        self.declare_object(class, point);
        self.declare_parameters(point);
        if let Some(kind) = point.result {
            self.declare("return", "return", None, kind.declared(), kind.represented(), None);
        }
        self.text.push('\n');
    }

    fn declare_object(&mut self, class: &str, point: &Point) {
        self.declare("this", "variable", None, class, "hashcode", Some("is_param nomod"));
        for (field, &kind) in &point.state {
            // What has dots, such as the size of a collection in a field, is no field of the object itself.
            let (kind_of_variable, enclosing) = if field.contains('.') {
                ("variable".to_owned(), None)
            } else {
                (format!("field {}", escaped(field)), Some("this"))
            };
            let (declared, represented) = (kind.declared(), kind.represented());
            self.declare(&format!("this.{field}"), &kind_of_variable, enclosing, declared, represented, None);
        }
    }

    fn declare_parameters(&mut self, point: &Point) {
        for (index, kind) in point.parameters.iter().enumerate() {
            let (declared, represented) = (kind.declared(), kind.represented());
            self.declare(&point.parameter(index), "variable", None, declared, represented, Some("is_param"));
        }
    }

    fn declare(
        &mut self,
        name: &str,
        kind: &str,
        enclosing: Option<&str>,
        declared: &str,
        represented: &str,
        flags: Option<&str>,
    ) {
        self.put(format_args!("variable {}\n  var-kind {kind}", escaped(name)));
        if let Some(enclosing) = enclosing {
            self.put(format_args!("  enclosing-var {enclosing}"));
        }
        self.put(format_args!("  dec-type {declared}\n  rep-type {represented}"));
        if let Some(flags) = flags {
            self.put(format_args!("  flags {flags}"));
        }
        // Of no account where comparability is `none`, and still asked for; Daikon's front end writes this
        // number.
        self.put(format_args!("  comparability 22"));
    }

    /// A call: its begin and, unless it threw, its end.
    fn call(
        &mut self,
        name: &str,
        point: &Point,
        event: &Event,
        object: u64,
        before: Option<&crate::State>,
        nonce: u64,
    ) {
        self.put(format_args!("{name}:::ENTER\nthis_invocation_nonce\n{nonce}"));
        let named = event.details.as_ref().is_some_and(|details| !details.parameters.is_empty());
        self.unnamed += u64::from(named && point.names.is_none());
        if !point.creates {
            self.object(point, object, state_before(before, event));
        }
        self.parameters(point, event);
        self.text.push('\n');
        if let Outcome::Threw(class) = &event.outcome {
            // Without an object at its begin there would be nobody to whom it happened.
            let whose = if point.creates { format!(" in {object}") } else { String::new() };
            self.put(format_args!("// call {nonce}{whose} threw {}", quoted(class)));
            if let Some(state) = &event.state {
                for (field, value) in state {
                    let (text, _) = shown(Kind::Nothing.with(value), value);
                    self.put(format_args!("// call {nonce} left {} {text}", quoted(field)));
                }
            }
            self.text.push('\n');
            return;
        }
        let line = event.line().unwrap_or(0);
        self.put(format_args!("{name}:::EXIT{line}\nthis_invocation_nonce\n{nonce}"));
        self.object(point, object, event.state.as_ref());
        self.parameters(point, event);
        if let Some(kind) = point.result {
            let result = match &event.outcome {
                Outcome::Returned(Value::Void) | Outcome::Unrecorded | Outcome::Threw(_) => None,
                Outcome::Returned(value) => Some(value),
            };
            self.value("return", kind, result);
        }
        self.text.push('\n');
    }

    fn object(&mut self, point: &Point, object: u64, state: Option<&crate::State>) {
        self.put(format_args!("this\n{object}\n1"));
        for (field, &kind) in &point.state {
            self.value(&format!("this.{field}"), kind, state.and_then(|state| state.get(field)));
        }
    }

    fn parameters(&mut self, point: &Point, event: &Event) {
        for (index, (&kind, value)) in point.parameters.iter().zip(&event.args).enumerate() {
            self.value(&point.parameter(index), kind, Some(value));
        }
    }

    /// A variable with its value; one that is not known makes no sense, in the words of Daikon.
    fn value(&mut self, name: &str, kind: Kind, value: Option<&Value>) {
        match value {
            None => self.put(format_args!("{name}\nnonsensical\n2")),
            Some(value) => {
                let (text, kept) = shown(kind, value);
                self.mixed += u64::from(!kept);
                self.put(format_args!("{name}\n{text}\n1"));
            }
        }
    }
}

/// A value as a variable of this kind has it, and whether it is still of its own type.
fn shown(kind: Kind, value: &Value) -> (String, bool) {
    let plain = match value {
        Value::Null | Value::Void => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) if value.is_nan() => "NaN".to_owned(),
        Value::Float(value) if value.is_infinite() => {
            if *value < 0.0 { "-Infinity" } else { "Infinity" }.to_owned()
        }
        Value::Float(value) => format!("{value:?}"),
        Value::Text(text) => return (quoted(text), true),
    };
    match kind {
        Kind::Mixed if !matches!(value, Value::Null) => (quoted(&plain), false),
        _ => (plain, true),
    }
}

/// A name as declarations have it, where blanks separate; samples have names as they are.
fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace(' ', "\\_")
}

/// A string in one line, as Java writes it.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // Line ends of any kind would end the value, for some reader or other.
            char if char.is_control() || matches!(char, '\u{2028}' | '\u{2029}') => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(char));
            }
            char => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}
