//! `jsonl`: JSON lines, an event a line or a trace a line.
//!
//! ```text
//! {"trace":"t1","event":"open","returned":true,"object":17,"args":["a.txt",2],"state":{"size":0}}
//! {"trace":"t1","event":"close","threw":"java.io.IOException","end":true}
//! {"trace":"t2","events":["open",{"event":"read","returned":3},"eof:TRUE"],"weight":12}
//! ```
//! - `event` spells an event (`add:TRUE`); beside `returned` or `threw` it is the method alone. `method` is
//!   always the method alone, whatever its characters.
//! - `trace` and `object`, either or both, say where an event belongs; traces may be interleaved. If the
//!   first line has neither, all lines are one trace.
//! - `end` says that the trace is complete with this line, which may have no event; its memory is free from
//!   then on.
//! - `parameters` are the names of the arguments, `before` is the state before the call where it is not the
//!   `state` of the event before, `line` is the source line at which the call returned.
//! - `time` (or `timestamp`) orders events if asked. `weight` says how often the trace was seen.
//! - In values, `{"$":"void"}` stands for no result, `{"$":"NaN"}` and the infinities for numbers JSON does
//!   not have; other objects and arrays are kept as text. Fields with other names are not used.

use std::borrow::Cow;
use std::fmt;
use std::io::Read;

use adit_suggest::nearest;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::error::{Halt, Problem};
use super::excerpt::shorten;
use super::group::Groups;
use super::stream::Streamed;
use super::target::{Full, Spelled, Target};
use super::text::{Blocks, Line};
use super::{Fields, ReadError, Reading, time};
use crate::format::{Certainty, Head};
use crate::{Details, Event, Outcome, State, Value};

pub(crate) fn read<R: Read, T: Target>(reading: Reading<'_, R, T>) -> Result<(), Halt> {
    let Reading { source, options, target, summary } = reading;
    // Events that are to be sorted must wait for the others of their trace.
    let at_once = T::AT_ONCE && !options.sort_by_time;
    let mut groups = Groups::new(options);
    let mut alone = Streamed::default();
    let mut grouped = options.sort_by_time.then_some(true);
    let mut id = String::new();
    Blocks::new(source, options.max_line).each_line(|line| {
        if line.text.trim().is_empty() {
            return Ok(());
        }
        let mut record = parse(&line, &options.fields)?;
        let full = |Full| Halt::from(line.error(0, Problem::TooManyLabels { limit: options.max_labels }));
        let when = match record.time.take() {
            Some(text) => match time::parse(&text) {
                None if options.sort_by_time => {
                    return Err(line.error(0, Problem::Time { text: shorten(&text) }).into());
                }
                when => when,
            },
            None => None,
        };
        if let Some(events) = record.events.take() {
            alone.end_if_begun(target, summary)?;
            let weight = record.weight.unwrap_or(1);
            target.begin(record.trace.as_deref(), weight)?;
            summary.count(events.len() as u64, weight);
            for event in events {
                target.pass(event.spelled(&line)?)?.map_err(full)?;
            }
            return target.end();
        }
        id.clear();
        id.push_str(record.trace.as_deref().unwrap_or_default());
        if let Some(object) = &record.object {
            id.push_str(if id.is_empty() { "" } else { "#" });
            id.push_str(object);
        }
        let grouped = *grouped.get_or_insert(!id.is_empty());
        if !grouped && !id.is_empty() {
            let what = "this line names its trace, but the first one does not".to_owned();
            let hint = "name the trace on every line or on none".to_owned();
            return Err(line.error(0, Problem::Field { what, hint }).into());
        }
        let (weight, end) = (record.weight, record.end);
        if record.has_event() {
            let event = record.spelled(&line)?;
            if grouped && at_once {
                target.event_of(&id, event.into_event(), summary)?;
            } else if grouped {
                let number = target.number_to_keep(event).map_err(full)?;
                groups.add(&id, number, when, summary);
            } else {
                alone.event(event, target)?.map_err(full)?;
            }
        } else if !end && weight.is_none() {
            return Err(no_event(&line, &options.fields).into());
        }
        if grouped && at_once {
            if end {
                target.end_of(&id);
            }
            Ok(())
        } else if grouped {
            if let Some(weight) = weight {
                groups.weigh(&id, weight);
            }
            if end { groups.close(&id, target, summary) } else { Ok(()) }
        } else if end {
            alone.end(target, summary)
        } else {
            Ok(())
        }
    })?;
    alone.end_if_begun(target, summary)?;
    groups.finish(target, summary)
}

/// Recognizes a file by its beginning.
pub(crate) fn sniff(head: &Head<'_>) -> Option<Certainty> {
    head.first().starts_with('{').then_some(Certainty::Signature)
}

/// No trace was seen more often than a million million times, and sums of weights must not overflow.
const HEAVIEST: u64 = 1_000_000_000_000;

/// A line, or an element of `events`.
#[derive(Default)]
struct Record<'a> {
    trace: Option<Cow<'a, str>>,
    object: Option<Cow<'a, str>>,
    time: Option<Cow<'a, str>>,
    event: Option<Cow<'a, str>>,
    method: Option<Cow<'a, str>>,
    outcome: Option<Outcome>,
    args: Vec<Value>,
    state: Option<State>,
    details: Option<Box<Details>>,
    weight: Option<u64>,
    end: bool,
    events: Option<Vec<Record<'a>>>,
}

impl Record<'_> {
    fn has_event(&self) -> bool {
        self.event.is_some() || self.method.is_some()
    }

    fn spelled(&self, line: &Line<'_>) -> Result<Spelled<'_>, ReadError> {
        let plain =
            self.outcome.is_none() && self.args.is_empty() && self.state.is_none() && self.details.is_none();
        let mut event = match (&self.method, &self.event) {
            (Some(method), _) => Event::call(method.as_ref()),
            (None, Some(word)) if plain => return Ok(Spelled::Word(word)),
            (None, Some(word)) if self.outcome.is_none() => Event::from_spelling(word),
            (None, Some(method)) => Event::call(method.as_ref()),
            (None, None) => {
                let what = "an element of `events` has no `event`".to_owned();
                let hint = "an event is a string, or an object with a field `event`".to_owned();
                return Err(line.error(0, Problem::Field { what, hint }));
            }
        };
        if let Some(outcome) = &self.outcome {
            event.outcome = outcome.clone();
        }
        event.args.clone_from(&self.args);
        event.state.clone_from(&self.state);
        event.details.clone_from(&self.details);
        Ok(Spelled::Event(event))
    }
}

fn parse<'l>(line: &Line<'l>, fields: &Fields) -> Result<Record<'l>, ReadError> {
    let mut deserializer = serde_json::Deserializer::from_str(line.text);
    let record = RecordSeed { fields, words: false }.deserialize(&mut deserializer);
    record.and_then(|record| deserializer.end().map(|()| record)).map_err(|error| {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message).to_owned();
        let problem = if error.is_data() {
            let hint = "compare with {\"trace\":\"t1\",\"event\":\"open\",\"returned\":true,\"args\":[1],\"state\":{\"size\":0}}";
            Problem::Field { what: message, hint: hint.to_owned() }
        } else {
            Problem::Json { message }
        };
        // A column of zero means that the very beginning is wrong.
        line.error(error.column().saturating_sub(1).min(line.text.len()), problem)
    })
}

fn no_event(line: &Line<'_>, fields: &Fields) -> ReadError {
    let wanted = fields.event.as_deref().unwrap_or("event");
    let keys: Vec<String> = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(line.text)
        .map(|object| object.keys().cloned().collect())
        .unwrap_or_default();
    let hint = match nearest(wanted, keys.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{wanted}` where it says `{near}`?"),
        None => "every line needs it; `--activity NAME` uses another field".to_owned(),
    };
    line.error(0, Problem::Field { what: format!("no field `{wanted}`"), hint })
}

/// Reads a record; `words` says whether a string may stand for an event.
#[derive(Clone, Copy)]
struct RecordSeed<'f> {
    fields: &'f Fields,
    words: bool,
}

impl<'de> DeserializeSeed<'de> for RecordSeed<'_> {
    type Value = Record<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Record<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RecordSeed<'_> {
    type Value = Record<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.words { "an event: a string or an object" } else { "an object" })
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, word: &'de str) -> Result<Record<'de>, E> {
        if !self.words {
            return Err(E::invalid_type(serde::de::Unexpected::Str(word), &self));
        }
        Ok(Record { event: Some(Cow::Borrowed(word)), ..Record::default() })
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Record<'de>, E> {
        if !self.words {
            return Err(E::invalid_type(serde::de::Unexpected::Str(word), &self));
        }
        Ok(Record { event: Some(Cow::Owned(word.to_owned())), ..Record::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record<'de>, A::Error> {
        let is = |key: &str, given: &Option<String>, common: &[&str]| match given {
            Some(given) => key == given,
            None => common.contains(&key),
        };
        let mut record = Record::default();
        while let Some(Text(key)) = map.next_key()? {
            if is(&key, &self.fields.trace, &["trace", "case"]) {
                record.trace = map.next_value::<Option<Text<'_>>>()?.map(|text| text.0);
            } else if is(&key, &self.fields.event, &["event", "activity"]) {
                record.event = Some(non_empty(map.next_value::<Text<'_>>()?.0, "event")?);
            } else if is(&key, &self.fields.time, &["time", "timestamp"]) {
                record.time = map.next_value::<Option<Text<'_>>>()?.map(|text| text.0);
            } else {
                match key.as_ref() {
                    "method" => record.method = Some(map.next_value::<Text<'_>>()?.0),
                    "object" => record.object = map.next_value::<Option<Text<'_>>>()?.map(|text| text.0),
                    "returned" => record.outcome = Some(Outcome::Returned(map.next_value::<AnyValue>()?.0)),
                    "threw" => {
                        record.outcome = Some(Outcome::Threw(map.next_value::<Text<'_>>()?.0.into_owned()))
                    }
                    "args" => {
                        record.args =
                            map.next_value::<Vec<AnyValue>>()?.into_iter().map(|any| any.0).collect()
                    }
                    "state" => record.state = Some(map.next_value::<AnyState>()?.0),
                    "before" => {
                        record.details.get_or_insert_default().before = Some(map.next_value::<AnyState>()?.0)
                    }
                    "parameters" => {
                        let names = map.next_value::<Vec<Text<'_>>>()?;
                        record.details.get_or_insert_default().parameters =
                            names.into_iter().map(|name| name.0.into_owned()).collect();
                    }
                    "line" => record.details.get_or_insert_default().line = Some(map.next_value()?),
                    "weight" => {
                        let weight: u64 = map.next_value()?;
                        if weight == 0 {
                            return Err(A::Error::custom("a weight of 0: a trace was seen at least once"));
                        }
                        if weight > HEAVIEST {
                            return Err(A::Error::custom(format!("a weight above {HEAVIEST}")));
                        }
                        record.weight = Some(weight);
                    }
                    "end" => record.end = map.next_value()?,
                    "events" if !self.words => {
                        record.events = Some(map.next_value_seed(EventsSeed(self.fields))?)
                    }
                    _ => {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
            }
        }
        Ok(record)
    }
}

fn non_empty<'a, E: serde::de::Error>(text: Cow<'a, str>, field: &str) -> Result<Cow<'a, str>, E> {
    if text.is_empty() { Err(E::custom(format!("`{field}` is empty"))) } else { Ok(text) }
}

struct EventsSeed<'f>(&'f Fields);

impl<'de> DeserializeSeed<'de> for EventsSeed<'_> {
    type Value = Vec<Record<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for EventsSeed<'_> {
    type Value = Vec<Record<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut events = Vec::new();
        while let Some(event) = seq.next_element_seed(RecordSeed { fields: self.0, words: true })? {
            events.push(event);
        }
        Ok(events)
    }
}

/// A string, or a number as it is written; borrowed from the line where possible.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a number")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(number.to_string())))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(number.to_string())))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(number.to_string())))
            }
        }
        deserializer.deserialize_any(TextVisitor)
    }
}

/// A [`State`] in JSON.
struct AnyState(State);

impl<'de> Deserialize<'de> for AnyState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = std::collections::BTreeMap::<String, AnyValue>::deserialize(deserializer)?;
        Ok(Self(fields.into_iter().map(|(name, any)| (name, any.0)).collect()))
    }
}

/// A [`Value`] in JSON.
struct AnyValue(Value);

impl<'de> Deserialize<'de> for AnyValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueVisitor;
        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = AnyValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E>(self) -> Result<AnyValue, E> {
                Ok(AnyValue(Value::Null))
            }

            fn visit_bool<E>(self, value: bool) -> Result<AnyValue, E> {
                Ok(AnyValue(Value::Bool(value)))
            }

            fn visit_i64<E>(self, value: i64) -> Result<AnyValue, E> {
                Ok(AnyValue(Value::Int(value)))
            }

            fn visit_u64<E>(self, value: u64) -> Result<AnyValue, E> {
                Ok(AnyValue(i64::try_from(value).map_or_else(|_| Value::Text(value.to_string()), Value::Int)))
            }

            fn visit_f64<E>(self, value: f64) -> Result<AnyValue, E> {
                Ok(AnyValue(Value::Float(value)))
            }

            fn visit_str<E>(self, value: &str) -> Result<AnyValue, E> {
                Ok(AnyValue(Value::Text(value.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<AnyValue, A::Error> {
                let json = serde_json::Value::deserialize(SeqAccessDeserializer::new(seq))?;
                Ok(AnyValue(Value::Text(json.to_string())))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AnyValue, A::Error> {
                let json = serde_json::Value::deserialize(MapAccessDeserializer::new(map))?;
                let special =
                    json.as_object().filter(|object| object.len() == 1).and_then(|object| object.get("$"));
                Ok(AnyValue(match special.and_then(|special| special.as_str()) {
                    Some("void") => Value::Void,
                    Some("NaN") => Value::Float(f64::NAN),
                    Some("Infinity") => Value::Float(f64::INFINITY),
                    Some("-Infinity") => Value::Float(f64::NEG_INFINITY),
                    _ => Value::Text(json.to_string()),
                }))
            }
        }
        deserializer.deserialize_any(ValueVisitor)
    }
}
