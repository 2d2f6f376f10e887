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
//! states are the fields `this.x` at the begin and at the end, and the number of elements in `this.x[..]` as
//! `x.length` for an array and `x.size` for a collection. A call that never ends, while others do later,
//! threw something: that is all the format tells, and so its exception is `Throwable`, unless a comment of
//! our own writer says more. Calls without an object make up one trace if there are no others.
//!
//! A record that does not match the declaration of its program point is an error, or left out if the user
//! wants what is there. Program points without a declaration are read as well as can be.
//!
//! If an outer call threw, the calls it made on its own object cannot be told from calls that came after
//! it.

use std::collections::BTreeSet;
use std::io::Read;

use rustc_hash::{FxHashMap, FxHashSet};

use super::error::{Halt, Problem};
use super::excerpt::shorten;
use super::target::{Spelled, Target};
use super::text::{Blocks, Line};
use super::{Options, Reading, Summary};
use crate::format::{Certainty, Head};
use crate::{Details, Event, Outcome, Value};

mod lives;
mod nesting;
mod sample;
mod values;

use lives::{Lives, Slot};
use nesting::{Ended, Nesting};
use sample::{Expect, Role, Sample};
use values::{class_of, guess, is_constructor, is_named, method_of, overload_of, split_string};
use values::{unescaped, unquoted};

/// The most variables that a program point may have. Daikon itself gives up at far fewer.
const MOST_VARIABLES: usize = 1 << 16;

/// The most variables that may be declared in all.
const MOST_DECLARED: usize = 1 << 22;

/// The most classes that a message lists.
const MOST_LISTED: usize = 8;

/// The exception of a call of which only is known that it did not return.
const SOMETHING: &str = "java.lang.Throwable";

pub(crate) fn read<R: Read, T: Target>(reading: Reading<'_, R, T>) -> Result<(), Halt> {
    let Reading { source, options, target, summary } = reading;
    let mut blocks = Blocks::new(source, options.max_line);
    let mut reader = Reader::new(options);
    let mut last = None;
    blocks.each_line(|line| -> Result<(), Halt> {
        reader.line(&line, target, summary)?;
        if matches!(reader.at, At::Sample(_)) {
            let (number, text) = last.get_or_insert((0, String::new()));
            *number = line.number;
            line.text.clone_into(text);
        }
        Ok(())
    })?;
    let (number, text) = last.unwrap_or_default();
    let line = Line { text: &text, number, name: blocks.name() };
    // The last sample may be whole, and the blank line after it forgotten.
    if matches!(reader.at, At::Sample(_)) && !reader.sample_is_whole() {
        if !options.keep_partial {
            let what = "the file ends inside a sample; --keep-partial uses the part before it";
            return Err(fault(&line, what).into());
        }
        reader.at = At::Between;
    }
    reader.end_record(&line, target, summary)?;
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
    /// The declared variables, by program point.
    points: FxHashMap<Box<str>, Point>,
    declared_in_all: usize,
    /// The methods whose events are named with their parameter types.
    overloads: FxHashSet<Box<str>>,
    /// Calls that have not ended, by method and nonce. Without nonces there may be several of one name.
    open: FxHashMap<(Box<str>, Option<u64>), Vec<Open>>,
    /// The call that began last.
    last: Option<(Box<str>, Option<u64>)>,
    /// The calls of each object, if traces are wanted.
    lives: Lives,
    /// The calls that wait for another to end, if calls are wanted one by one.
    nesting: Nesting,
    /// Other classes than the wanted one, for a message.
    other_classes: BTreeSet<String>,
    /// Counts samples, which is the time in this file.
    now: u64,
    /// The time when the last call ended.
    last_end: u64,
}

/// The position of the next line in a record.
enum At {
    Between,
    /// In a declaration of version 2, of this program point.
    Declaration(Box<str>),
    /// In a declaration of version 1: the program point once it was named, and the lines since.
    Old {
        point: Option<Box<str>>,
        lines: usize,
    },
    /// In a record that is of no use here.
    Skipped,
    Sample(Box<Sample>),
}

/// The declaration of a program point.
#[derive(Default)]
struct Point {
    variables: Vec<Declared>,
}

/// The declaration of a variable.
struct Declared {
    name: Box<str>,
    rep: Rep,
    role: Role,
    /// It is declared as an array.
    array: bool,
    /// Its value stands in the declaration, and not in samples.
    constant: bool,
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

/// A call that has begun.
struct Open {
    event: Event,
    begun: u64,
    /// The object, if it was known when the call began.
    object: Option<Box<str>>,
    /// The life and the place in it that are kept for the call; none while the object is not known.
    place: Option<(usize, usize)>,
}

impl<'o> Reader<'o> {
    fn new(options: &'o Options) -> Self {
        Self {
            options,
            at: At::Between,
            points: FxHashMap::default(),
            declared_in_all: 0,
            overloads: FxHashSet::default(),
            open: FxHashMap::default(),
            last: None,
            lives: Lives::default(),
            nesting: Nesting::default(),
            other_classes: BTreeSet::new(),
            now: 0,
            last_end: 0,
        }
    }

    fn line<T: Target>(
        &mut self,
        line: &Line<'_>,
        target: &mut T,
        summary: &mut Summary,
    ) -> Result<(), Halt> {
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
            _ if blank => self.end_record(line, target, summary),
            At::Skipped => Ok(()),
            At::Declaration(point) => {
                let (key, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
                let Some(point) = self.points.get_mut(point) else { return Ok(()) };
                if key == "variable" {
                    let name = unescaped(rest.trim());
                    return self.declare(line, &name);
                }
                let Some(variable) = point.variables.last_mut() else { return Ok(()) };
                match key {
                    "rep-type" => variable.rep = Rep::of(rest),
                    "dec-type" => variable.array = rest.trim().ends_with(']'),
                    "constant" => variable.constant = true,
                    _ => {}
                }
                Ok(())
            }
            At::Old { point: point @ None, .. } => {
                *point = Some(text.into());
                if useful(text) {
                    self.points.insert(text.into(), Point::default());
                }
                Ok(())
            }
            At::Old { point: Some(point), lines } => {
                // Four lines for each variable: name, declared type, type of the values, comparability.
                *lines += 1;
                let (place, point) = (*lines % 4, self.points.get_mut(point));
                let Some(point) = point else { return Ok(()) };
                if place == 1 {
                    return self.declare(line, text);
                }
                let Some(variable) = point.variables.last_mut() else { return Ok(()) };
                match place {
                    2 => variable.array = text.split('#').next().unwrap_or(text).trim().ends_with(']'),
                    3 => {
                        // A constant may follow the type.
                        let (rep, constant) =
                            text.split_once('=').map_or((text, false), |(rep, _)| (rep, true));
                        (variable.rep, variable.constant) = (Rep::of(rep), constant);
                    }
                    _ => {}
                }
                Ok(())
            }
            At::Sample(sample) => sample.line(line, self.points.get(&sample.point), self.options.elements),
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
            "ppt" => {
                let point: Box<str> = unescaped(text[3..].trim()).into();
                if useful(&point) {
                    self.points.insert(point.clone(), Point::default());
                }
                At::Declaration(point)
            }
            "DECLARE" => At::Old { point: None, lines: 0 },
            "VarComparability" | "ListImplementors" => At::Skipped,
            _ if text.contains(":::") => self.begin_sample(text),
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

    fn begin_sample(&mut self, point: &str) -> At {
        let class = class_of(point.rsplit_once(":::").map_or(point, |(method, _)| method));
        match &self.options.class {
            Some(wanted) if !is_named(class, wanted) => {
                if self.other_classes.len() < MOST_LISTED && !self.other_classes.contains(class) {
                    self.other_classes.insert(class.to_owned());
                }
                At::Skipped
            }
            _ => At::Sample(Box::new(Sample::new(point))),
        }
    }

    /// A variable is declared at the program point that is being read. Its types follow.
    fn declare(&mut self, line: &Line<'_>, name: &str) -> Result<(), Halt> {
        self.declared_in_all += 1;
        if self.declared_in_all > MOST_DECLARED {
            return Err(fault(line, &format!("more than {MOST_DECLARED} variables are declared")).into());
        }
        let point = match &self.at {
            At::Declaration(point) | At::Old { point: Some(point), .. } => point,
            _ => return Ok(()),
        };
        let Some(point) = self.points.get_mut(point) else { return Ok(()) };
        let is_array = |holder: &str| {
            // What holds the elements is declared before them.
            point.variables.iter().rev().find(|known| &*known.name == holder).is_none_or(|known| known.array)
        };
        let role = Role::of(name, is_array);
        let (name, rep) = (name.into(), Rep::Hash);
        point.variables.push(Declared { name, rep, role, array: false, constant: false });
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
            let (name, value) = (unquoted(name), guess(value.trim()));
            if let Some((life, _)) = open.place {
                self.lives.left(life, &name, &value);
            }
            open.event.state.get_or_insert_default().insert(name, value);
            return;
        }
        let (object, rest) = match rest.strip_prefix("in ").and_then(|rest| rest.split_once(' ')) {
            Some((object, rest)) => (Some(object), rest),
            None => (None, rest),
        };
        let Some(class) = rest.strip_prefix("threw ") else { return };
        open.event.outcome = Outcome::Threw(unquoted(class));
        if let (Some(object), None) = (object, open.place) {
            open.object = Some(object.into());
            open.place = Some(self.lives.place(object, &key.0, now, now));
        }
    }

    /// The record is complete.
    fn end_record<T: Target>(
        &mut self,
        line: &Line<'_>,
        target: &mut T,
        summary: &mut Summary,
    ) -> Result<(), Halt> {
        let At::Sample(mut sample) = std::mem::replace(&mut self.at, At::Between) else { return Ok(()) };
        let Some((method, moment)) = sample.point.rsplit_once(":::") else { return Ok(()) };
        if !useful(&sample.point) {
            return Ok(());
        }
        let key = (Box::from(method), sample.nonce);
        let exit = moment.strip_prefix("EXIT").map(|line| line.parse().ok().filter(|&line: &u32| line > 0));
        sample.finish(self.points.get(&sample.point));
        if let Some(what) = &sample.mismatch {
            if !self.options.keep_partial {
                return Err(sample::mismatch(line, &sample.point, what).into());
            }
            summary.mismatched += 1;
            return Ok(());
        }
        self.now += 1;
        let Some(returned_at) = exit else {
            self.begin_call::<T>(key, *sample);
            return Ok(());
        };
        let Some(mut open) = self.open.get_mut(&key).and_then(Vec::pop) else {
            summary.without_begin += 1;
            return Ok(());
        };
        if self.open.get(&key).is_some_and(Vec::is_empty) {
            self.open.remove(&key);
        }
        open.event.outcome = Outcome::Returned(sample.result.unwrap_or(Value::Void));
        open.event.state = Some(sample.state).filter(|state| !state.is_empty());
        if returned_at.is_some() {
            open.event.details.get_or_insert_default().line = returned_at;
        }
        self.last_end = self.now;
        if T::AT_ONCE {
            let object = open.object.or(sample.this).unwrap_or_default();
            let ended = Ended { begun: open.begun, method: key.0, event: open.event };
            for ended in self.nesting.end(&object, ended) {
                hand_over(target, summary, &ended)?;
            }
            return Ok(());
        }
        let now = self.now;
        let place = open.place.or_else(|| {
            let this = sample.this.as_deref()?;
            Some(self.lives.place(this, &key.0, open.begun, now))
        });
        if let (Some((life, _)), Some(state)) = (place, &open.event.state) {
            self.lives.set_state(life, state);
        }
        let letter = self.number(target, open.event, line.name)?;
        self.lives.fill(place, Slot { begun: open.begun, ended: Some(now), letter: Some(letter) });
        Ok(())
    }

    fn number<T: Target>(&self, target: &mut T, event: Event, name: &str) -> Result<crate::Letter, Halt> {
        Ok(target.number_to_keep(Spelled::Event(event)).map_err(|_| {
            super::ReadError::of_file(name, Problem::TooManyLabels { limit: self.options.max_labels })
        })?)
    }

    fn begin_call<T: Target>(&mut self, key: (Box<str>, Option<u64>), sample: Sample) {
        let (names, args): (Vec<String>, Vec<Value>) = sample.args.into_iter().unzip();
        // Our own writer has no better names than these.
        let unnamed = names.iter().enumerate().all(|(number, name)| *name == format!("arg{number}"));
        let now = self.now;
        let place = sample
            .this
            .as_deref()
            .filter(|_| !T::AT_ONCE)
            .map(|this| self.lives.place(this, &key.0, now, now));
        let mut before = Some(sample.state).filter(|state| !state.is_empty());
        if let Some((life, _)) = place {
            // The state before a call is told by the event before, unless something came between.
            let known = self.lives.take_state(life);
            before = before.filter(|before| known.as_ref() != Some(before));
        }
        let details = Details { before, parameters: if unnamed { Vec::new() } else { names }, line: None };
        let event = Event {
            method: if self.overloads.contains(&key.0) {
                overload_of(&key.0).to_owned()
            } else {
                method_of(&key.0).to_owned()
            },
            args,
            outcome: Outcome::Threw(SOMETHING.to_owned()),
            state: None,
            details: Some(details).filter(|details| *details != Details::default()).map(Box::new),
        };
        if T::AT_ONCE {
            self.nesting.begin(now, sample.this.as_deref(), is_constructor(&key.0));
        }
        let open = Open { event, begun: now, object: sample.this, place };
        self.open.entry(key.clone()).or_default().push(open);
        self.last = Some(key);
    }

    /// Tells whether the sample that is being read could end here.
    fn sample_is_whole(&self) -> bool {
        matches!(&self.at, At::Sample(sample) if matches!(sample.expect, Expect::First | Expect::Name))
    }

    /// Hands over what is left: all traces, in the order in which the objects appeared, or the calls that
    /// waited.
    fn finish<T: Target>(mut self, target: &mut T, summary: &mut Summary, name: &str) -> Result<(), Halt> {
        let mut threw: Vec<(Box<str>, Open)> = self
            .open
            .drain()
            .flat_map(|((method, _), calls)| calls.into_iter().map(move |call| (method.clone(), call)))
            .collect();
        threw.sort_by_key(|(_, open)| open.begun);
        for (method, open) in threw {
            // The constructor of an object that never came to be, or a function without an object: nobody's
            // call.
            let Some(_) = open.object else { continue };
            // Nothing ended after it began: there the recording was cut off, and nobody knows how it would
            // have ended.
            let unexplained = open.event.outcome == Outcome::Threw(SOMETHING.to_owned());
            if open.begun > self.last_end && unexplained {
                summary.partial += 1;
                continue;
            }
            summary.without_end += u64::from(unexplained);
            if T::AT_ONCE {
                let ended = Ended { begun: open.begun, method, event: open.event };
                hand_over(target, summary, &ended)?;
            } else if let Some(place) = open.place {
                let letter = self.number(target, open.event, name)?;
                self.lives.fill(Some(place), Slot { begun: open.begun, ended: None, letter: Some(letter) });
            }
        }
        for ended in self.nesting.finish() {
            hand_over(target, summary, &ended)?;
        }
        self.lives.hand_over(target, summary)?;
        if summary.traces == 0 && !self.other_classes.is_empty() {
            let wanted = self.options.class.as_deref().unwrap_or_default();
            let others: Vec<String> = self.other_classes.iter().map(|class| format!("`{class}`")).collect();
            let why = format!(" of the class `{wanted}`, but of {}", others.join(", "));
            return Err(super::ReadError::of_file(name, Problem::NoTraces { why }).into());
        }
        Ok(())
    }
}

/// Hands over a call that was made from outside of its object.
fn hand_over<T: Target>(target: &mut T, summary: &mut Summary, ended: &Ended) -> Result<(), Halt> {
    summary.events = summary.events.saturating_add(1);
    // Without putting traces together, the constructors tell how many objects there were.
    if summary.traces == 0 || is_constructor(&ended.method) {
        summary.traces = summary.traces.saturating_add(1);
    }
    target.call(class_of(&ended.method), &ended.event)
}

impl Rep {
    fn of(text: &str) -> Self {
        match text.trim() {
            "boolean" => Self::Bool,
            "int" => Self::Int,
            "double" => Self::Float,
            "java.lang.String" => Self::Text,
            rep if rep.ends_with(']') => Self::Array,
            _ => Self::Hash,
        }
    }
}

/// Tells whether samples at this program point matter.
fn useful(point: &str) -> bool {
    point.rsplit_once(":::").is_some_and(|(_, moment)| moment == "ENTER" || moment.starts_with("EXIT"))
}

fn fault(line: &Line<'_>, what: &str) -> super::ReadError {
    line.error(0, Problem::Dtrace { what: what.to_owned() })
}
