//! `dtrace`: what Daikon reads, and what its front end for Java records.
//!
//! ```text
//! decl-version 2.0
//!
//! ppt Stack.pop():::ENTER
//! …
//!
//! Stack.pop():::ENTER
//! this_invocation_nonce
//! 17
//! this
//! 1841961015
//! 1
//!
//! ```
//! A trace is what happened to one object, told by the value of `this`. A call is a pair of samples, its
//! begin and its end, with the same nonce; calls that an object makes on itself, inside another one, are no
//! events. The arguments are the variables at the begin that are plain names, the result is `return`, the
//! state are the fields `this.x` at the end. A call that never ends, while others do later, threw something:
//! that is all the format tells, and so its exception is `Throwable`, unless a comment of our own writer says
//! more. Calls without an object make up one trace if there are no others.
//!
//! If an outer call threw, the calls it made on its own object cannot be told from calls that came after
//! it.

use std::io::Read;

use rustc_hash::{FxHashMap, FxHashSet};

use super::error::{Halt, Problem};
use super::excerpt::shorten;
use super::target::{Spelled, Target};
use super::text::{Blocks, Line};
use super::{Options, Reading, Summary};
use crate::format::{Certainty, Head};
use crate::{Event, Letter, Outcome, State, Value};

/// The most variables that a program point may have. Daikon itself gives up at far fewer.
const MOST_VARIABLES: usize = 1 << 16;

/// The most variables that may be declared in all.
const MOST_DECLARED: usize = 1 << 22;

/// The exception of a call of which only is known that it did not return.
const SOMETHING: &str = "java.lang.Throwable";

pub(crate) fn read<R: Read>(reading: Reading<'_, R, impl Target>) -> Result<(), Halt> {
    let Reading { source, options, target, summary } = reading;
    let mut blocks = Blocks::new(source, options.max_line);
    let mut reader = Reader::new(options);
    let mut last = None;
    blocks.each_line(|line| {
        if !matches!(reader.at, At::Between) {
            last = Some((line.number, line.text.to_owned()));
        }
        reader.line(&line, target)
    })?;
    if let (At::Sample(_), false) = (&reader.at, options.keep_partial) {
        // The last line may be whole, and the blank line after it forgotten.
        if !reader.sample_is_whole() {
            let (number, text) = last.unwrap_or_default();
            let line = Line { text: &text, number, name: blocks.name() };
            return Err(fault(
                &line,
                "the file ends inside a sample; --keep-partial uses the part before it",
            )
            .into());
        }
    }
    reader.end_record(target, options.max_labels, blocks.name())?;
    reader.finish(target, summary, blocks.name())
}

/// Recognizes a file by its beginning.
pub(crate) fn sniff(head: &Head<'_>) -> Option<Certainty> {
    let first = head.first();
    let starts =
        ["// Declarations", "decl-version ", "var-comparability ", "input-language ", "VarComparability"];
    let begins = starts.iter().any(|start| first.starts_with(start))
        || first == "DECLARE"
        || first.starts_with("ppt ") && first.contains(":::");
    begins.then_some(Certainty::Signature)
}

/// The beginning of a comment, which Daikon ignores, on a program point whose events are named with their
/// types.
pub(crate) const OVERLOAD: &str = "overload ";

/// Everything known from the lines so far.
struct Reader<'o> {
    options: &'o Options,
    at: At,
    /// The types of variables, by program point.
    declared: FxHashMap<Box<str>, FxHashMap<Box<str>, Rep>>,
    declared_in_all: usize,
    /// The methods whose events are named with their parameter types.
    overloads: FxHashSet<Box<str>>,
    /// Calls that have not ended, by method and nonce. Without nonces there may be several of one name.
    open: FxHashMap<(Box<str>, Option<u64>), Vec<Open>>,
    /// The call that began last.
    last: Option<(Box<str>, Option<u64>)>,
    objects: FxHashMap<Box<str>, usize>,
    lives: Vec<Life>,
    /// Calls without an object.
    objectless: Vec<Slot>,
    /// Counts samples, which is the time in this file.
    now: u64,
    /// The time when the last call ended.
    last_end: u64,
}

/// The position of the next line in a record.
enum At {
    Between,
    /// In a declaration of version 2: the program point, and the variable if one was named.
    Declaration {
        point: Box<str>,
        variable: Option<Box<str>>,
    },
    /// In a declaration of version 1: the program point once it was named, and the lines since.
    Old {
        point: Option<Box<str>>,
        variable: Box<str>,
        lines: usize,
    },
    /// In a record that is of no use here.
    Skipped,
    Sample(Box<Sample>),
}

/// The representation of the values of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rep {
    Bool,
    Int,
    Float,
    Text,
    /// The identity of an object.
    Hash,
    Array,
}

/// A sample that is being read.
struct Sample {
    point: Box<str>,
    nonce: Option<u64>,
    expect: Expect,
    /// The variable whose value comes next, or whose value came last.
    name: String,
    value: String,
    variables: usize,
    this: Option<Box<str>>,
    args: Vec<(String, Value)>,
    state: State,
    result: Option<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// The nonce's own name, or the first variable.
    First,
    Nonce,
    Name,
    Value,
    Modified,
}

/// A call that has begun.
struct Open {
    event: Event,
    begun: u64,
    /// The life and the place in it that are kept for the call; none while the object is not known.
    place: Option<(usize, usize)>,
}

/// Everything known of one object.
struct Life {
    name: String,
    born: u64,
    calls: Vec<Slot>,
}

/// A call in the life of an object.
struct Slot {
    begun: u64,
    ended: Option<u64>,
    letter: Option<Letter>,
}

impl<'o> Reader<'o> {
    fn new(options: &'o Options) -> Self {
        Self {
            options,
            at: At::Between,
            declared: FxHashMap::default(),
            declared_in_all: 0,
            overloads: FxHashSet::default(),
            open: FxHashMap::default(),
            last: None,
            objects: FxHashMap::default(),
            lives: Vec::new(),
            objectless: Vec::new(),
            now: 0,
            last_end: 0,
        }
    }

    fn line(&mut self, line: &Line<'_>, target: &mut impl Target) -> Result<(), Halt> {
        // Values are not trimmed: a string ends in its quotation mark, and names have no blanks around them.
        let text = line.text;
        let blank = text.trim().is_empty();
        match &mut self.at {
            At::Between if blank => Ok(()),
            At::Between => self.begin_record(line),
            At::Sample(sample) if blank && matches!(sample.expect, Expect::Value | Expect::Modified) => {
                Err(fault(line, &format!("the sample ends in the middle of `{}`", shorten(&sample.name)))
                    .into())
            }
            _ if blank => self.end_record(target, self.options.max_labels, line.name),
            At::Skipped => Ok(()),
            At::Declaration { point, variable } => {
                let (key, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
                match (key, &variable) {
                    ("variable", _) => *variable = Some(unescaped(rest.trim()).into()),
                    ("rep-type", Some(variable)) if useful(point) => {
                        let (point, variable) = (point.clone(), variable.clone());
                        self.declare(line, point, variable, rest)?;
                    }
                    _ => {}
                }
                Ok(())
            }
            At::Old { point: point @ None, .. } => {
                *point = Some(text.into());
                Ok(())
            }
            At::Old { point: Some(point), variable, lines } => {
                // Four lines for each variable: name, declared type, type of the values, comparability.
                *lines += 1;
                match *lines % 4 {
                    1 => *variable = text.into(),
                    3 if useful(point) => {
                        let (point, variable) = (point.clone(), variable.clone());
                        self.declare(line, point, variable, text)?;
                    }
                    _ => {}
                }
                Ok(())
            }
            At::Sample(sample) => sample.line(line, self.declared.get(&sample.point)),
        }
    }

    fn begin_record(&mut self, line: &Line<'_>) -> Result<(), Halt> {
        let text = line.text.trim();
        if let Some(comment) = text.strip_prefix("//") {
            self.comment(comment.trim());
            return Ok(());
        }
        let word = text.split(' ').next().unwrap_or(text);
        self.at = match word {
            _ if text.starts_with('#') => return Ok(()),
            "decl-version" | "var-comparability" | "input-language" => return Ok(()),
            "ppt" => At::Declaration { point: unescaped(text[3..].trim()).into(), variable: None },
            "DECLARE" => At::Old { point: None, variable: "".into(), lines: 0 },
            "VarComparability" | "ListImplementors" => At::Skipped,
            _ if text.contains(":::") => At::Sample(Box::new(Sample::new(text))),
            _ => {
                return Err(fault(
                    line,
                    &format!("`{}` is neither a program point nor a declaration", shorten(text)),
                )
                .into());
            }
        };
        Ok(())
    }

    fn declare(
        &mut self,
        line: &Line<'_>,
        point: Box<str>,
        variable: Box<str>,
        rep: &str,
    ) -> Result<(), Halt> {
        self.declared_in_all += 1;
        if self.declared_in_all > MOST_DECLARED {
            return Err(fault(line, &format!("more than {MOST_DECLARED} variables are declared")).into());
        }
        // A constant may follow the type in version 1.
        let rep = rep.split('=').next().unwrap_or(rep).trim();
        let rep = match rep {
            "boolean" => Rep::Bool,
            "int" => Rep::Int,
            "double" => Rep::Float,
            "java.lang.String" => Rep::Text,
            _ if rep.ends_with(']') => Rep::Array,
            _ => Rep::Hash,
        };
        self.declared.entry(point).or_default().insert(variable, rep);
        Ok(())
    }

    /// A comment of our own writer: an overload, or the end of a call.
    fn comment(&mut self, text: &str) {
        if let Some(method) = text.strip_prefix(OVERLOAD) {
            self.overloads.insert(method.into());
            return;
        }
        let Some((nonce, rest)) = text.strip_prefix("call ").and_then(|rest| rest.split_once(' ')) else {
            return;
        };
        let Some(key) = self.last.clone().filter(|(_, own)| own.is_some() && nonce.parse().ok() == *own)
        else {
            return;
        };
        let now = self.now;
        let Some(open) = self.open.get_mut(&key).and_then(|calls| calls.last_mut()) else { return };
        if let Some((name, value)) = rest.strip_prefix("left ").and_then(split_string) {
            open.event.state.get_or_insert_default().insert(unquoted(name), guess(value.trim()));
            return;
        }
        let (object, rest) = match rest.strip_prefix("in ").and_then(|rest| rest.split_once(' ')) {
            Some((object, rest)) => (Some(object), rest),
            None => (None, rest),
        };
        let Some(class) = rest.strip_prefix("threw ") else { return };
        open.event.outcome = Outcome::Threw(unquoted(class));
        if let (Some(object), None) = (object, open.place) {
            let place = self.place(object, &key.0, now, now);
            let open = self.open.get_mut(&key).and_then(|calls| calls.last_mut());
            open.expect("it was there three lines ago").place = Some(place);
        }
    }

    /// The record is complete.
    fn end_record(&mut self, target: &mut impl Target, max_labels: usize, name: &str) -> Result<(), Halt> {
        let At::Sample(sample) = std::mem::replace(&mut self.at, At::Between) else { return Ok(()) };
        let Some((method, moment)) = sample.point.rsplit_once(":::") else { return Ok(()) };
        let key = (Box::from(method), sample.nonce);
        self.now += 1;
        if moment == "ENTER" {
            self.begin_call(key, *sample);
            return Ok(());
        }
        if !moment.starts_with("EXIT") {
            return Ok(());
        }
        let Some(mut open) = self.open.get_mut(&key).and_then(Vec::pop) else { return Ok(()) };
        if self.open.get(&key).is_some_and(Vec::is_empty) {
            self.open.remove(&key);
        }
        open.event.outcome = Outcome::Returned(sample.result.unwrap_or(Value::Void));
        open.event.state = Some(sample.state).filter(|state| !state.is_empty());
        let letter = target
            .number_to_keep(Spelled::Event(open.event))
            .map_err(|_| super::ReadError::of_file(name, Problem::TooManyLabels { limit: max_labels }))?;
        let now = self.now;
        let place = open.place.or_else(|| {
            let this = sample.this.as_deref()?;
            Some(self.place(this, &key.0, open.begun, now))
        });
        let slot = match place {
            Some((life, slot)) => &mut self.lives[life].calls[slot],
            None => {
                self.objectless.push(Slot { begun: open.begun, ended: None, letter: None });
                self.objectless.last_mut().expect("it was just pushed")
            }
        };
        slot.ended = Some(now);
        self.last_end = now;
        slot.letter = Some(letter);
        Ok(())
    }

    fn begin_call(&mut self, key: (Box<str>, Option<u64>), sample: Sample) {
        let event = Event {
            method: if self.overloads.contains(&key.0) {
                overload_of(&key.0).to_owned()
            } else {
                method_of(&key.0).to_owned()
            },
            args: sample.args.into_iter().map(|(_, value)| value).collect(),
            outcome: Outcome::Threw(SOMETHING.to_owned()),
            state: None,
        };
        let now = self.now;
        let place = sample.this.as_deref().map(|this| self.place(this, &key.0, now, now));
        self.open.entry(key.clone()).or_default().push(Open { event, begun: now, place });
        self.last = Some(key);
    }

    /// A place in the life of an object for a call that began at `begun`. An object that was known before a
    /// call gave it as new is another one with the same number.
    fn place(&mut self, object: &str, method: &str, begun: u64, now: u64) -> (usize, usize) {
        let name = || format!("{}@{object}", class_of(method));
        let known = self.objects.get(object).copied();
        let life = match known.filter(|&life| begun == now || self.lives[life].born > begun) {
            Some(life) => {
                // The outermost constructor knows best what the object is.
                if begun < now {
                    self.lives[life].name = name();
                }
                life
            }
            None => {
                self.lives.push(Life { name: name(), born: begun, calls: Vec::new() });
                self.objects.insert(object.into(), self.lives.len() - 1);
                self.lives.len() - 1
            }
        };
        let calls = &mut self.lives[life].calls;
        calls.push(Slot { begun, ended: None, letter: None });
        (life, calls.len() - 1)
    }

    /// Tells whether the sample that is being read could end here.
    fn sample_is_whole(&self) -> bool {
        matches!(&self.at, At::Sample(sample) if matches!(sample.expect, Expect::First | Expect::Name))
    }

    /// Hands over all traces, in the order in which the objects appeared.
    fn finish(mut self, target: &mut impl Target, summary: &mut Summary, name: &str) -> Result<(), Halt> {
        let mut threw: Vec<Open> = self.open.drain().flat_map(|(_, calls)| calls).collect();
        threw.sort_by_key(|open| open.begun);
        for open in threw {
            // The constructor of an object that never came to be, or a function without an object: nobody's
            // call.
            let Some((life, slot)) = open.place else { continue };
            // Nothing ended after it began: there the recording was cut off, and nobody knows how it would
            // have ended.
            if open.begun > self.last_end && open.event.outcome == Outcome::Threw(SOMETHING.to_owned()) {
                summary.partial += 1;
                continue;
            }
            let letter = target.number_to_keep(Spelled::Event(open.event)).map_err(|_| {
                super::ReadError::of_file(name, Problem::TooManyLabels { limit: self.options.max_labels })
            })?;
            self.lives[life].calls[slot].letter = Some(letter);
        }
        if self.lives.is_empty() && !self.objectless.is_empty() {
            self.lives.push(Life { name: "program".to_owned(), born: 0, calls: self.objectless });
        }
        self.lives.sort_by_key(|life| life.born);
        for mut life in self.lives {
            life.calls.sort_by_key(|slot| slot.begun);
            target.begin(Some(&life.name), 1)?;
            let mut events = 0;
            let mut busy_until = 0;
            for slot in life.calls {
                let Some(letter) = slot.letter.filter(|_| slot.begun >= busy_until) else { continue };
                busy_until = slot.ended.unwrap_or(busy_until);
                target.push(letter)?;
                events += 1;
            }
            summary.count(events, 1);
            target.end()?;
        }
        Ok(())
    }
}

impl Sample {
    fn new(point: &str) -> Self {
        Self {
            point: point.into(),
            nonce: None,
            expect: Expect::First,
            name: String::new(),
            value: String::new(),
            variables: 0,
            this: None,
            args: Vec::new(),
            state: State::new(),
            result: None,
        }
    }

    fn line(&mut self, line: &Line<'_>, declared: Option<&FxHashMap<Box<str>, Rep>>) -> Result<(), Halt> {
        let text = line.text;
        self.expect = match self.expect {
            Expect::First if text == "this_invocation_nonce" => Expect::Nonce,
            Expect::First | Expect::Name => {
                self.variables += 1;
                if self.variables > MOST_VARIABLES {
                    return Err(
                        fault(line, &format!("a sample has more than {MOST_VARIABLES} variables")).into()
                    );
                }
                text.clone_into(&mut self.name);
                Expect::Value
            }
            Expect::Nonce => {
                let nonce = text.trim().parse();
                self.nonce = Some(nonce.map_err(|_| fault(line, "the nonce of a call must be a number"))?);
                Expect::Name
            }
            Expect::Value => {
                text.clone_into(&mut self.value);
                Expect::Modified
            }
            Expect::Modified => {
                if !matches!(text.trim(), "0" | "1" | "2") {
                    let name = shorten(&self.name);
                    return Err(fault(line, &format!("0, 1 or 2 must follow the value of `{name}`")).into());
                }
                if text.trim() != "2" && self.value != "nonsensical" {
                    self.variable(declared.and_then(|declared| declared.get(self.name.as_str())).copied());
                }
                Expect::Name
            }
        };
        Ok(())
    }

    /// Keeps the variable that was read, if it is one that matters.
    fn variable(&mut self, rep: Option<Rep>) {
        let Some(value) = value(&self.value, rep) else { return };
        if self.name == "this" {
            self.this = Some(self.value.trim().into());
            return;
        }
        // A string is an object, and behind it comes what it says.
        let (name, says) = match self.name.strip_suffix(".toString") {
            Some(name) => (name, true),
            None => (self.name.as_str(), false),
        };
        if name == "return" {
            self.result = Some(value);
        } else if let Some(field) = name.strip_prefix("this.") {
            if !field.contains(['(', '[']) {
                self.state.insert(field.to_owned(), value);
            }
        } else if !name.contains(['(', '[', '.', ':']) {
            match self.args.iter_mut().find(|(known, _)| says && known == name) {
                Some((_, known)) => *known = value,
                None => self.args.push((name.to_owned(), value)),
            }
        }
    }
}

/// Tells whether samples at this program point matter.
fn useful(point: &str) -> bool {
    point.rsplit_once(":::").is_some_and(|(_, moment)| moment == "ENTER" || moment.starts_with("EXIT"))
}

/// A value of this type, if it tells anything.
fn value(text: &str, rep: Option<Rep>) -> Option<Value> {
    let text = text.trim();
    Some(match rep {
        Some(Rep::Array) => return None,
        Some(Rep::Bool) => match text {
            "true" | "1" => Value::Bool(true),
            "false" | "0" => Value::Bool(false),
            _ => guess(text),
        },
        Some(Rep::Float) => text.parse().map_or_else(|_| guess(text), Value::Float),
        Some(Rep::Hash) => match text {
            "null" | "0" => Value::Null,
            _ => Value::Text(format!("#{text}")),
        },
        Some(Rep::Int | Rep::Text) | None if text.starts_with('[') => return None,
        Some(Rep::Int | Rep::Text) | None => guess(text),
    })
}

/// A value of whatever type it looks like.
fn guess(text: &str) -> Value {
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

/// A string with its quotation marks, and what follows it.
fn split_string(text: &str) -> Option<(&str, &str)> {
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
fn unescaped(name: &str) -> String {
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
fn unquoted(text: &str) -> String {
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
fn method_of(method: &str) -> &str {
    let name = method.split('(').next().unwrap_or(method);
    let (class, name) = name.rsplit_once('.').unwrap_or(("", name));
    if name == "<init>" { class.rsplit(['.', '$']).next().unwrap_or(class) } else { name }
}

/// The method with its parameter types in `a.b.Stack.push(int)`.
fn overload_of(method: &str) -> &str {
    let name = method.split('(').next().unwrap_or(method);
    &method[name.rfind('.').map_or(0, |dot| dot + 1)..]
}

/// The class in `a.b.Stack.push(int)`.
fn class_of(method: &str) -> &str {
    let name = method.split('(').next().unwrap_or(method);
    name.rsplit_once('.').map_or("", |(class, _)| class)
}

fn fault(line: &Line<'_>, what: &str) -> super::ReadError {
    line.error(0, Problem::Dtrace { what: what.to_owned() })
}
