//! The columns that are used, and the rows of a batch.

use std::borrow::Cow;

use adit_suggest::nearest;
use adit_trace::{Alphabet, Event, Labels, Letter, Outcome, Value};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use rustc_hash::FxHashMap;

use crate::TableOptions;
use crate::error::TableError;
use crate::table::Table;

/// Common names of columns, without case and punctuation; the same as in CSV.
const TRACE: [&str; 9] = [
    "case",
    "caseid",
    "caseconceptname",
    "casename",
    "trace",
    "traceid",
    "session",
    "sessionid",
    "tracename",
];
const EVENT: [&str; 9] = [
    "activity",
    "conceptname",
    "event",
    "eventname",
    "activityname",
    "task",
    "action",
    "method",
    "operation",
];
const TIME: [&str; 11] = [
    "sequence",
    "seq",
    "timestamp",
    "time",
    "timetimestamp",
    "completetimestamp",
    "starttimestamp",
    "starttime",
    "datetime",
    "date",
    "position",
];

/// A column that is used.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    place: usize,
    /// Its values are whole numbers.
    pub(crate) number: bool,
    /// They are signed, so that their order is that of their bits.
    pub(crate) signed: bool,
}

/// The columns that are used.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) trace: Column,
    pub(crate) event: Column,
    pub(crate) time: Option<Column>,
    returned: Option<Column>,
    threw: Option<Column>,
}

impl Chosen {
    pub(crate) fn find(table: &Table, options: &TableOptions) -> Result<Self, TableError> {
        let names: Vec<&str> = table.schema().fields().iter().map(|field| field.name().as_str()).collect();
        let known = |known: &[&str]| {
            known.iter().find_map(|known| names.iter().position(|name| plain(name) == *known))
        };
        let find = |wanted: &'static str, flag: &str, given: &Option<String>, common: &[&str]| {
            let found = match given {
                Some(given) => names.iter().position(|name| name == given),
                None => known(common),
            };
            found.ok_or_else(|| {
                let near = given.as_deref().and_then(|given| nearest(given, names.iter().copied()));
                let near =
                    near.or_else(|| common.iter().find_map(|common| nearest(common, names.iter().copied())));
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`? choose a column with `{flag} NAME`"),
                    None => format!("choose a column with `{flag} NAME`"),
                };
                let found: Vec<String> = names.iter().take(20).map(|name| format!("`{name}`")).collect();
                TableError::NoColumn { file: table.name.clone(), wanted, found: found.join(", "), hint }
            })
        };
        let column = |place: usize, wanted: &'static str, numbers: bool| {
            let field = table.schema().field(place);
            let kind = field.data_type();
            let (number, text) = (is_number(kind), is_text(kind));
            let usable = text || number && numbers || wanted == "result" && *kind == DataType::Boolean;
            let usable = usable && (wanted != "time" || number);
            if !usable {
                let hint = match wanted {
                    "time" => {
                        "a time or sequence number is a timestamp, a date or a whole number: cast the column before you write it, or name another with `--time`"
                    }
                    "trace" => {
                        "a trace id is a text or a whole number: select one field of the nested value before you write it, or name another column with `--case`"
                    }
                    _ => "it must be a text: cast the column before you write it, or name another",
                };
                return Err(TableError::Type {
                    file: table.name.clone(),
                    column: field.name().clone(),
                    wanted,
                    kind: kind.to_string(),
                    hint: hint.to_owned(),
                });
            }
            let signed = matches!(kind, DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64);
            Ok(Column { name: field.name().clone(), place, number, signed })
        };
        let trace = column(find("trace", "--case", &options.trace, &TRACE)?, "trace", true)?;
        let event = column(find("event", "--activity", &options.event, &EVENT)?, "event", false)?;
        let time = match &options.time {
            None => known(&TIME).map(|place| column(place, "time", true)).transpose()?,
            given => Some(column(find("time", "--time", given, &TIME)?, "time", true)?),
        };
        let optional =
            |name: &str, wanted| known(&[name]).map(|place| column(place, wanted, false)).transpose();
        Ok(Self {
            trace,
            event,
            time,
            returned: optional("returned", "result")?,
            threw: optional("threw", "exception")?,
        })
    }

    fn all(&self) -> impl Iterator<Item = &Column> {
        let optional = [&self.time, &self.returned, &self.threw];
        [&self.trace, &self.event].into_iter().chain(optional.into_iter().flatten())
    }

    /// The places of the columns in the schema.
    pub(crate) fn places(&self) -> Vec<usize> {
        self.all().map(|column| column.place).collect()
    }

    /// The names of the columns by their use.
    pub(crate) fn named(&self) -> Vec<(&'static str, String)> {
        let mut named = vec![("trace", self.trace.name.clone()), ("event", self.event.name.clone())];
        for (role, column) in [("time", &self.time), ("returned", &self.returned), ("threw", &self.threw)] {
            named.extend(column.as_ref().map(|column| (role, column.name.clone())));
        }
        named
    }
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values) && !matches!(**values, DataType::Dictionary(..)),
        _ => false,
    }
}

fn is_number(kind: &DataType) -> bool {
    kind.is_integer() || matches!(kind, DataType::Timestamp(..) | DataType::Date32 | DataType::Date64)
}

/// A name without case, punctuation and white space.
fn plain(name: &str) -> String {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A number as bytes in the same order.
pub(crate) fn key_of_number(number: i64) -> [u8; 8] {
    ((number as u64) ^ (1 << 63)).to_be_bytes()
}

/// A trace id as users know it.
pub(crate) fn shown_key(key: &[u8], number: bool) -> String {
    match <[u8; 8]>::try_from(key) {
        Ok(bytes) if number => ((u64::from_be_bytes(bytes) ^ (1 << 63)) as i64).to_string(),
        _ => String::from_utf8_lossy(key).into_owned(),
    }
}

/// Texts of a column.
enum Texts {
    Utf8(ArrayRef),
    Large(ArrayRef),
    View(ArrayRef),
    /// The place of each row's text among the values.
    Dictionary(ArrayRef, Vec<usize>, Box<Texts>),
}

impl Texts {
    fn of(array: &ArrayRef) -> Self {
        match array.data_type() {
            DataType::LargeUtf8 => Self::Large(array.clone()),
            DataType::Utf8View => Self::View(array.clone()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let places =
                    if dictionary.values().is_empty() { Vec::new() } else { dictionary.normalized_keys() };
                Self::Dictionary(array.clone(), places, Box::new(Self::of(dictionary.values())))
            }
            _ => Self::Utf8(array.clone()),
        }
    }

    fn get(&self, row: usize) -> Option<&str> {
        match self {
            Self::Utf8(array) => {
                let texts = array.as_string::<i32>();
                texts.is_valid(row).then(|| texts.value(row))
            }
            Self::Large(array) => {
                let texts = array.as_string::<i64>();
                texts.is_valid(row).then(|| texts.value(row))
            }
            Self::View(array) => {
                let texts = array.as_string_view();
                texts.is_valid(row).then(|| texts.value(row))
            }
            Self::Dictionary(array, places, values) => {
                if array.is_valid(row) {
                    values.get(*places.get(row)?)
                } else {
                    None
                }
            }
        }
    }
}

/// Trace ids of a batch.
enum Ids {
    Texts(Texts),
    Numbers(Vec<i64>, ArrayRef),
}

/// A batch of rows.
pub(crate) struct Batch {
    pub(crate) rows: usize,
    ids: Ids,
    events: Texts,
    times: Option<(Vec<i64>, ArrayRef)>,
    returned: Option<ArrayRef>,
    threw: Option<Texts>,
}

/// A row.
pub(crate) struct Row<'a> {
    pub(crate) trace: Cow<'a, [u8]>,
    pub(crate) time: Option<i64>,
    event: &'a str,
    returned: Option<bool>,
    threw: Option<&'a str>,
}

impl Batch {
    pub(crate) fn of(batch: &RecordBatch, chosen: &Chosen, table: &Table) -> Result<Self, TableError> {
        let column = |column: &Column| {
            batch.column_by_name(&column.name).cloned().ok_or_else(|| table.damaged("a column is missing"))
        };
        let ids = column(&chosen.trace)?;
        let ids =
            if chosen.trace.number { Ids::Numbers(numbers(&ids), ids) } else { Ids::Texts(Texts::of(&ids)) };
        let times = chosen.time.as_ref().map(&column).transpose()?;
        let threw = chosen.threw.as_ref().map(&column).transpose()?;
        Ok(Self {
            rows: batch.num_rows(),
            ids,
            events: Texts::of(&column(&chosen.event)?),
            times: times.map(|times| (numbers(&times), times)),
            returned: chosen.returned.as_ref().map(&column).transpose()?,
            threw: threw.as_ref().map(Texts::of),
        })
    }

    /// Trace ids are numbers.
    pub(crate) fn numbers(&self) -> bool {
        matches!(self.ids, Ids::Numbers(..))
    }

    /// Passes the rows on. `before` is the number of rows before the batch.
    pub(crate) fn each_row(
        &self,
        table: &Table,
        before: u64,
        pass: &mut dyn FnMut(Row<'_>) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let returned = self.returned.as_ref().map(|array| {
            let texts = (*array.data_type() != DataType::Boolean).then(|| Texts::of(array));
            (array, texts)
        });
        for row in 0..self.rows {
            let null =
                |wanted| TableError::Null { file: table.name.clone(), row: before + row as u64 + 1, wanted };
            let trace = match &self.ids {
                Ids::Texts(texts) => texts.get(row).map(|text| Cow::Borrowed(text.as_bytes())),
                Ids::Numbers(numbers, array) => {
                    array.is_valid(row).then(|| Cow::Owned(key_of_number(numbers[row]).to_vec()))
                }
            };
            let returned = returned.as_ref().and_then(|(array, texts)| match texts {
                None => array.is_valid(row).then(|| array.as_boolean().value(row)),
                Some(texts) => match texts.get(row)? {
                    "true" | "TRUE" | "True" => Some(true),
                    "false" | "FALSE" | "False" => Some(false),
                    _ => None,
                },
            });
            pass(Row {
                trace: trace.ok_or_else(|| null("trace"))?,
                time: self.times.as_ref().and_then(|(times, array)| array.is_valid(row).then(|| times[row])),
                event: self
                    .events
                    .get(row)
                    .filter(|event| !event.trim().is_empty())
                    .ok_or_else(|| null("event"))?,
                returned,
                threw: self.threw.as_ref().and_then(|threw| threw.get(row)).filter(|threw| !threw.is_empty()),
            })?;
        }
        Ok(())
    }
}

/// Whole numbers of a column of any such type; nulls are any number.
fn numbers(array: &ArrayRef) -> Vec<i64> {
    macro_rules! all {
        ($kind:ty) => {
            array.as_primitive::<$kind>().values().iter().map(|&number| number as i64).collect()
        };
    }
    match array.data_type() {
        DataType::Int8 => all!(Int8Type),
        DataType::Int16 => all!(Int16Type),
        DataType::Int32 => all!(Int32Type),
        DataType::UInt8 => all!(UInt8Type),
        DataType::UInt16 => all!(UInt16Type),
        DataType::UInt32 => all!(UInt32Type),
        DataType::UInt64 => all!(UInt64Type),
        DataType::Date32 => all!(Date32Type),
        DataType::Date64 => all!(Date64Type),
        DataType::Timestamp(TimeUnit::Second, _) => all!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => all!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => all!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => all!(TimestampNanosecondType),
        _ => all!(Int64Type),
    }
}

/// An event, what it returned, and what it threw.
type Ended = (Box<str>, Option<bool>, Box<str>);

/// The letters of spellings that occurred, so that each is parsed once.
pub(crate) struct LabelCache {
    labels: Labels,
    limit: usize,
    plain: FxHashMap<Box<str>, Letter>,
    /// Those with a result or an exception.
    ended: FxHashMap<Ended, Letter>,
}

impl LabelCache {
    pub(crate) fn new(options: &TableOptions) -> Self {
        Self {
            labels: options.labels,
            limit: options.max_labels,
            plain: FxHashMap::default(),
            ended: FxHashMap::default(),
        }
    }

    /// The letter of a row's event.
    pub(crate) fn letter(
        &mut self,
        row: &Row<'_>,
        alphabet: &mut Alphabet,
        table: &Table,
    ) -> Result<Letter, TableError> {
        let word = row.event.trim();
        let outcome = match (row.threw, row.returned) {
            (Some(class), _) => Some(Outcome::Threw(class.to_owned())),
            (None, Some(answer)) => Some(Outcome::Returned(Value::Bool(answer))),
            (None, None) => None,
        };
        let Some(outcome) = outcome else {
            if let Some(&letter) = self.plain.get(word) {
                return Ok(letter);
            }
            let letter = alphabet.intern(&self.labels.of(&Event::from_spelling(word)));
            self.plain.insert(word.into(), letter);
            return self.checked(letter, alphabet, table);
        };
        let key = (word.into(), row.returned, row.threw.unwrap_or_default().into());
        if let Some(&letter) = self.ended.get(&key) {
            return Ok(letter);
        }
        let event = Event { outcome, ..Event::from_spelling(word) };
        let letter = alphabet.intern(&self.labels.of(&event));
        self.ended.insert(key, letter);
        self.checked(letter, alphabet, table)
    }

    fn checked(&self, letter: Letter, alphabet: &Alphabet, table: &Table) -> Result<Letter, TableError> {
        if alphabet.len() > self.limit {
            return Err(TableError::TooManyLabels { file: table.name.clone(), limit: self.limit });
        }
        Ok(letter)
    }
}
