//! The rows of a batch: trace ids, letters and times, decoded column by column.

use adit_trace::{Alphabet, Letter};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray};
use arrow_schema::{DataType, TimeUnit};

use crate::columns::{Chosen, Column, Place, time_of_text};
use crate::error::TableError;
use crate::labels::{Ended, LabelCache, NONE, Spellings};
use crate::table::Table;

/// Trace ids of a batch.
enum Ids {
    Texts(Texts),
    Numbers(Int64Array),
}

/// Rows that were read together.
pub(crate) struct Batch {
    pub(crate) rows: usize,
    ids: Ids,
    letters: Vec<Letter>,
    times: Option<Int64Array>,
}

/// A row.
pub(crate) struct Row<'a> {
    pub(crate) trace: &'a [u8],
    pub(crate) letter: Letter,
    pub(crate) time: Option<i64>,
}

impl Batch {
    /// Decodes a batch of `table`; `before` is the number of rows before it.
    pub(crate) fn of(
        batch: &RecordBatch,
        chosen: &Chosen,
        table: &Table,
        before: u64,
        labels: &mut LabelCache,
        alphabet: &mut Alphabet,
    ) -> Result<Self, TableError> {
        let rows = batch.num_rows();
        let array = |column: &Column| {
            batch.column_by_name(&column.name).ok_or_else(|| table.damaged("a column is missing"))
        };
        let texts = |column: &Column| match &column.place {
            Place::Folder(value) => Ok(Texts::Same(value.clone())),
            Place::Schema(_) => array(column).map(Texts::of),
        };
        let null = |at: usize, wanted| TableError::Null {
            file: table.name.clone(),
            row: before + at as u64 + 1,
            wanted,
        };

        let ids = match chosen.trace.is_number() {
            true => Ids::Numbers(numbers(array(&chosen.trace)?, 1)),
            false => Ids::Texts(texts(&chosen.trace)?),
        };
        if let Some(at) = ids.first_missing(rows) {
            return Err(null(at, "trace"));
        }

        let words = texts(&chosen.event)?.spelled(rows, &mut labels.words);
        if let Some(at) = words.iter().position(|&word| word == NONE) {
            return Err(null(at, "event"));
        }
        let returned = chosen.returned.as_ref().map(|column| answers(array(column)?, rows)).transpose()?;
        let threw = chosen.threw.as_ref().map(&texts).transpose()?;
        let threw = threw.map(|threw| threw.spelled(rows, &mut labels.classes));
        let ended = Ended { words: &words, returned: returned.as_deref(), threw: threw.as_deref() };
        let letters = labels.letters(&ended, alphabet, table)?;

        let times = match &chosen.time {
            None => None,
            Some(column) if column.is_number() => Some(numbers(array(column)?, chosen.time_scale)),
            Some(column) => {
                Some(parsed(&texts(column)?, rows, chosen.time_scale).map_err(|(at, text)| {
                    let (file, column) = (table.name.clone(), column.name.clone());
                    TableError::Time { file, row: before + at as u64 + 1, column, text }
                })?)
            }
        };
        Ok(Self { rows, ids, letters, times })
    }

    /// Passes the rows on.
    pub(crate) fn each_row(
        &self,
        mut pass: impl FnMut(Row<'_>) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let time = |row: usize| {
            self.times.as_ref().filter(|times| times.is_valid(row)).map(|times| times.value(row))
        };
        match &self.ids {
            Ids::Numbers(numbers) => {
                for (row, (&number, &letter)) in numbers.values().iter().zip(&self.letters).enumerate() {
                    pass(Row { trace: &key_of_number(number), letter, time: time(row) })?;
                }
            }
            Ids::Texts(texts) => {
                for (row, &letter) in self.letters.iter().enumerate() {
                    let id = texts.get(row).expect("every row has an id, which was checked");
                    pass(Row { trace: id.as_bytes(), letter, time: time(row) })?;
                }
            }
        }
        Ok(())
    }

    /// A trace id as users know it.
    pub(crate) fn shown_id(&self, key: &[u8]) -> String {
        match (<[u8; 8]>::try_from(key), &self.ids) {
            (Ok(bytes), Ids::Numbers(_)) => ((u64::from_be_bytes(bytes) ^ (1 << 63)) as i64).to_string(),
            _ => String::from_utf8_lossy(key).into_owned(),
        }
    }
}

impl Ids {
    /// The first row without an id.
    fn first_missing(&self, rows: usize) -> Option<usize> {
        match self {
            Self::Texts(texts) => (0..rows).find(|&row| texts.get(row).is_none_or(str::is_empty)),
            Self::Numbers(numbers) if numbers.null_count() == 0 => None,
            Self::Numbers(numbers) => (0..rows).find(|&row| numbers.is_null(row)),
        }
    }
}

/// A number as bytes in the same order.
pub(crate) fn key_of_number(number: i64) -> [u8; 8] {
    ((number as u64) ^ (1 << 63)).to_be_bytes()
}

/// Texts of a column.
enum Texts {
    Utf8(StringArray),
    Large(LargeStringArray),
    View(StringViewArray),
    /// The place of each row's text among a few values.
    Dictionary {
        keys: ArrayRef,
        places: Vec<usize>,
        values: Box<Texts>,
    },
    /// The same text in each row.
    Same(String),
}

impl Texts {
    fn of(array: &ArrayRef) -> Self {
        match array.data_type() {
            DataType::LargeUtf8 => Self::Large(array.as_string::<i64>().clone()),
            DataType::Utf8View => Self::View(array.as_string_view().clone()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let values = dictionary.values();
                let places = if values.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
                Self::Dictionary { keys: array.clone(), places, values: Box::new(Self::of(values)) }
            }
            _ => Self::Utf8(array.as_string::<i32>().clone()),
        }
    }

    #[inline]
    fn get(&self, row: usize) -> Option<&str> {
        match self {
            Self::Utf8(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Self::Large(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Self::View(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Self::Dictionary { keys, places, values } => {
                if keys.is_valid(row) {
                    values.get(*places.get(row)?)
                } else {
                    None
                }
            }
            Self::Same(text) => Some(text.as_str()),
        }
    }

    /// The numbers of the texts; [`NONE`] for those that are missing or blank.
    fn spelled(&self, rows: usize, spellings: &mut Spellings) -> Vec<u32> {
        let mut number = |text: Option<&str>| match text.map(str::trim) {
            None | Some("") => NONE,
            Some(text) => spellings.number(text),
        };
        match self {
            Self::Same(text) => vec![number(Some(text)); rows],
            Self::Dictionary { keys, places, values } => {
                // Values that no row has must not get a number: they are no events.
                let mut known: Vec<Option<u32>> = vec![None; places.iter().max().map_or(0, |most| most + 1)];
                let nulls = keys.null_count() > 0;
                let one = |(row, &place): (usize, &usize)| {
                    if nulls && keys.is_null(row) {
                        return NONE;
                    }
                    *known[place].get_or_insert_with(|| number(values.get(place)))
                };
                let mut numbers: Vec<u32> = places.iter().enumerate().map(one).collect();
                // A dictionary without values has rows without values only.
                numbers.resize(rows, NONE);
                numbers
            }
            _ => (0..rows).map(|row| number(self.get(row))).collect(),
        }
    }
}

/// The answers in a column of booleans or texts; nothing for all others.
fn answers(array: &ArrayRef, rows: usize) -> Result<Vec<Option<bool>>, TableError> {
    if *array.data_type() == DataType::Boolean {
        return Ok(array.as_boolean().iter().collect());
    }
    let texts = Texts::of(array);
    let answer = |row| match texts.get(row)? {
        "true" | "TRUE" | "True" => Some(true),
        "false" | "FALSE" | "False" => Some(false),
        _ => None,
    };
    Ok((0..rows).map(answer).collect())
}

/// Times that are texts. Fails with the row and the text that is no time.
fn parsed(texts: &Texts, rows: usize, scale: i64) -> Result<Int64Array, (usize, String)> {
    let time = |row| {
        let Some(text) = texts.get(row).filter(|text| !text.trim().is_empty()) else { return Ok(None) };
        let time = time_of_text(text).ok_or_else(|| (row, text.chars().take(40).collect::<String>()))?;
        Ok(Some(time.saturating_mul(scale)))
    };
    (0..rows).map(time).collect()
}

/// Whole numbers of a column of any such type, multiplied by `scale`.
fn numbers(array: &ArrayRef, scale: i64) -> Int64Array {
    macro_rules! all {
        ($kind:ty) => {
            array.as_primitive::<$kind>().unary(|number| number as i64)
        };
    }
    // The same bits, without a copy.
    macro_rules! same {
        ($kind:ty) => {
            array.as_primitive::<$kind>().reinterpret_cast::<Int64Type>()
        };
    }
    let numbers: Int64Array = match array.data_type() {
        DataType::Int8 => all!(Int8Type),
        DataType::Int16 => all!(Int16Type),
        DataType::Int32 => all!(Int32Type),
        DataType::UInt8 => all!(UInt8Type),
        DataType::UInt16 => all!(UInt16Type),
        DataType::UInt32 => all!(UInt32Type),
        DataType::UInt64 => all!(UInt64Type),
        DataType::Date32 => all!(Date32Type),
        DataType::Date64 => same!(Date64Type),
        DataType::Timestamp(TimeUnit::Second, _) => same!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => same!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => same!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => same!(TimestampNanosecondType),
        _ => array.as_primitive::<Int64Type>().clone(),
    };
    if scale == 1 { numbers } else { numbers.unary(|number: i64| number.saturating_mul(scale)) }
}
