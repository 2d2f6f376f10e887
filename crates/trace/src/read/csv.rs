//! `csv`: a table with a header, a row an event; the traces may be interleaved.
//!
//! ```text
//! case,activity,timestamp
//! 17,open,2024-05-31T10:00:00
//! 18,"read, then close",2024-05-31T10:00:01
//! ```
//! The columns are found under their common names, in any spelling (`Case ID`, `case_id`,
//! `case:concept:name`), or under given ones. Columns `returned` and `threw` give outcomes; else the activity
//! may spell one, as `add:TRUE` does. Fields are separated by comma, semicolon or tab, whichever is most
//! frequent in the header; quoted fields may contain separators, line breaks, and quotation marks written
//! twice.

use std::borrow::Cow;
use std::io::Read;

use super::columns::{Columns, NoColumn};
use super::error::{Halt, Problem};
use super::excerpt::shorten;
use super::group::Groups;
use super::target::{Spelled, Target};
use super::text::Blocks;
use super::value::value_of;
use super::{Options, ReadError, Reading, Summary, time};
use crate::format::{Certainty, Head};
use crate::{Event, Outcome};

pub(crate) fn read<R: Read>(reading: Reading<'_, R, impl Target>) -> Result<(), Halt> {
    let Reading { source, options, target, summary } = reading;
    let mut delimiter = options.delimiter;
    let mut header: Option<Header> = None;
    let mut groups = Groups::new(options);
    let mut open: Option<Pending> = None;
    let mut blocks = Blocks::new(source, options.max_line);
    blocks.each_line(|line| {
        if open.is_none() && line.text.trim().is_empty() {
            return Ok(());
        }
        let delimiter = *delimiter.get_or_insert_with(|| guess_delimiter(line.text));
        let (first_line, text, mut state) = match open.take() {
            None => (line.number, Cow::Borrowed(line.text), Quoting::Between),
            Some(Pending { first_line, text, state }) => {
                if text.len() + line.text.len() > options.max_line {
                    let first = text.lines().next().unwrap_or_default().as_bytes();
                    let problem = Problem::TooLong { limit: options.max_line };
                    return Err(ReadError::in_line(line.name, first_line, first, 0, problem).into());
                }
                (first_line, Cow::Owned(text + "\n" + line.text), state)
            }
        };
        state.feed(line.text, delimiter);
        if state == Quoting::Inside {
            open = Some(Pending { first_line, text: text.into_owned(), state });
            return Ok(());
        }
        let record = Record::split(&text, delimiter, first_line, line.name)?;
        match &header {
            None => header = Some(Header::find(&record, options)?),
            Some(header) => header.row(&record, options, &mut groups, target, summary)?,
        }
        Ok::<(), Halt>(())
    })?;
    if let (Some(pending), Some(delimiter)) = (open, delimiter) {
        // Nothing closes the last field, which is what splitting it says.
        Record::split(&pending.text, delimiter, pending.first_line, blocks.name())?;
    }
    groups.finish(target, summary)
}

/// Recognizes a file by its beginning.
pub(crate) fn sniff(head: &Head<'_>) -> Option<Certainty> {
    is_header(head.first()).then_some(Certainty::Shape)
}

/// Tells whether a line is the header of a table of traces.
fn is_header(line: &str) -> bool {
    let delimiter = guess_delimiter(line);
    let names: Vec<&str> = line.split(delimiter as char).collect();
    names.len() > 1 && Columns::are_in(&names)
}

/// A record whose last field is not closed yet.
struct Pending {
    first_line: u64,
    text: String,
    state: Quoting,
}

/// The position in a record relative to quotation marks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoting {
    /// At the beginning of a field.
    Between,
    /// In a field without quotation marks, where one has no meaning.
    Bare,
    /// In a quoted field.
    Inside,
    /// After a quotation mark in a quoted field: the end of the field or the first of two.
    Closing,
}

impl Quoting {
    fn next(self, byte: u8, delimiter: u8) -> Self {
        match (self, byte) {
            (Self::Inside, b'"') => Self::Closing,
            (Self::Inside, _) | (Self::Between | Self::Closing, b'"') => Self::Inside,
            (_, byte) if byte == delimiter => Self::Between,
            (Self::Closing, _) => Self::Closing,
            _ => Self::Bare,
        }
    }

    fn feed(&mut self, text: &str, delimiter: u8) {
        if *self != Self::Inside && memchr::memchr(b'"', text.as_bytes()).is_none() {
            *self = Self::Bare;
            return;
        }
        for &byte in text.as_bytes() {
            *self = self.next(byte, delimiter);
        }
    }
}

/// The fields of a record and where they are.
struct Record<'a> {
    text: &'a str,
    first_line: u64,
    name: &'a str,
    delimiter: u8,
    fields: Vec<(usize, Cow<'a, str>)>,
}

impl<'a> Record<'a> {
    fn split(text: &'a str, delimiter: u8, first_line: u64, name: &'a str) -> Result<Self, ReadError> {
        let mut record = Self { text, first_line, name, delimiter, fields: Vec::new() };
        let mut from = 0;
        loop {
            let (field, end) = record.field(from)?;
            record.fields.push((from, field));
            if end >= text.len() {
                return Ok(record);
            }
            from = end + 1;
        }
    }

    /// The field that begins at `from`, and where it ends.
    fn field(&self, from: usize) -> Result<(Cow<'a, str>, usize), ReadError> {
        let bytes = self.text.as_bytes();
        if bytes.get(from) != Some(&b'"') {
            let end = memchr::memchr(self.delimiter, &bytes[from..]).map_or(bytes.len(), |len| from + len);
            return Ok((Cow::Borrowed(&self.text[from..end]), end));
        }
        let mut content = Cow::Borrowed("");
        let mut at = from + 1;
        loop {
            let Some(quote) = memchr::memchr(b'"', &bytes[at..]).map(|len| at + len) else {
                return Err(self.error(from, Problem::Quote { what: "this quoted field is never closed" }));
            };
            let piece = &self.text[at..quote];
            if content.is_empty() {
                content = Cow::Borrowed(piece);
            } else {
                content.to_mut().push_str(piece);
            }
            match bytes.get(quote + 1) {
                Some(b'"') => content.to_mut().push('"'),
                Some(&byte) if byte != self.delimiter => {
                    return Err(self
                        .error(quote + 1, Problem::Quote { what: "text after the end of a quoted field" }));
                }
                _ => return Ok((content, quote + 1)),
            }
            at = quote + 2;
        }
    }

    fn error(&self, at: usize, problem: Problem) -> ReadError {
        let before = &self.text[..at];
        let line = before.matches('\n').count();
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let text = self.text[start..].lines().next().unwrap_or_default();
        ReadError::in_line(self.name, self.first_line + line as u64, text.as_bytes(), at - start, problem)
    }
}

/// The fields that are used, of as many as each record has.
struct Header {
    count: usize,
    columns: Columns,
}

impl Header {
    fn find(header: &Record<'_>, options: &Options) -> Result<Self, ReadError> {
        let names: Vec<&str> = header.fields.iter().map(|(_, name)| name.trim()).collect();
        let columns = Columns::find(&names, &options.fields, options.sort_by_time);
        let columns = columns.map_err(|NoColumn { wanted, found, named, hint }| {
            // Without a header, the first record looks like one.
            let first = if named { "" } else { "the first line must name the columns; " };
            header.error(0, Problem::NoColumn { wanted, found, hint: format!("{first}{hint}") })
        })?;
        Ok(Self { count: names.len(), columns })
    }

    fn row(
        &self,
        record: &Record<'_>,
        options: &Options,
        groups: &mut Groups,
        target: &mut impl Target,
        summary: &mut Summary,
    ) -> Result<(), Halt> {
        let columns = &self.columns;
        let found = record.fields.len();
        if found != self.count {
            let at = record.fields.get(self.count).map_or(record.text.len(), |(at, _)| *at);
            return Err(record.error(at, Problem::Fields { expected: self.count, found }).into());
        }
        let field = |index: usize| record.fields[index].1.trim();
        let place = |index: usize| record.fields[index].0;
        for (index, what) in [(columns.trace, "trace"), (columns.event, "event")] {
            if field(index).is_empty() {
                let what = format!("the field for the {what} is empty");
                let hint = "every row needs one; remove rows that are not events".to_owned();
                return Err(record.error(place(index), Problem::Field { what, hint }).into());
            }
        }
        let when = columns.time.and_then(|index| time::parse(field(index)));
        if let (true, None, Some(index)) = (options.sort_by_time, when, columns.time) {
            return Err(record.error(place(index), Problem::Time { text: shorten(field(index)) }).into());
        }
        let filled = |index: Option<usize>| index.map(field).filter(|text| !text.is_empty());
        let outcome = match (filled(columns.threw), filled(columns.returned)) {
            (Some(class), _) => Some(Outcome::Threw(class.to_owned())),
            (None, Some(value)) => Some(Outcome::Returned(value_of(value))),
            (None, None) => None,
        };
        let word = field(columns.event);
        let event = match outcome {
            Some(outcome) => Spelled::Event(Event { outcome, ..Event::from_spelling(word) }),
            None => Spelled::Word(word),
        };
        let number = target.number_to_keep(event).map_err(|_| {
            record.error(place(columns.event), Problem::TooManyLabels { limit: options.max_labels })
        })?;
        groups.add(field(columns.trace), number, when, summary);
        Ok(())
    }
}

/// The most frequent of the usual delimiters; the comma when there is none.
fn guess_delimiter(header: &str) -> u8 {
    let count = |delimiter: u8| header.bytes().filter(|&byte| byte == delimiter).count();
    [b'\t', b';', b','].into_iter().max_by_key(|&delimiter| count(delimiter)).unwrap_or(b',')
}
