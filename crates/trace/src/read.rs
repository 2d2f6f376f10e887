//! Reading traces: one file per format, all of them streams, all of them also gzipped.
//!
//! [`words`] feeds a miner with letters: the label function is applied while reading. [`events`] gives whole
//! events, for conversion between formats. [`calls`] gives calls one by one with the states around them, for
//! claims about data. [`parallel`] is [`words`] on several threads. [`dry_run`] shows
//! how the first lines of a file are understood.
//!
//! Memory does not grow with the file, with one exception: where the events of several traces are
//! interleaved, as they may be in CSV, JSON lines, Daikon's traces and logs read by a pattern with a `trace`
//! group, a trace is held until it is known to be complete, at about a byte an event and a hundred bytes a
//! trace. [`events`] also holds each different event once. [`calls`] holds neither: a call is handed over as
//! soon as it is known that it was not made by another one.
//!
//! Nothing here panics, whatever the bytes: see `tests/fuzz_readers.rs`.

use std::io::Read;

use crate::{Alphabet, CallSink, EventSink, Labels, WordSink};

pub(crate) mod abbadingo;
mod columns;
pub(crate) mod csv;
mod dry_run;
pub(crate) mod dtrace;
mod error;
mod excerpt;
mod group;
pub(crate) mod jsonl;
pub(crate) mod lines;
mod parallel;
mod pattern;
pub(crate) mod regex;
mod source;
mod spellings;
mod stream;
mod target;
pub(crate) mod texada;
mod text;
mod time;
mod value;
pub(crate) mod xes;

pub use columns::{Columns, NoColumn};
pub use dry_run::{DryRun, Understood, dry_run};
pub use error::{Place, Problem, ReadError};
pub use parallel::parallel;
pub use pattern::{Pattern, PatternError};
pub use time::parse as parse_time;

pub(crate) use error::Halt;
pub(crate) use source::Source;
pub(crate) use target::{ToCalls, ToEvents, ToWords};

use crate::format::{Decoder, Format};

/// Options for reading a file. Start from [`Options::new`] and change what differs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The label function.
    pub labels: Labels,
    /// The pattern for [`Format::Regex`] and, if any, for [`Format::Texada`].
    pub pattern: Option<Pattern>,
    /// Pass over lines that the pattern does not match, and count them, instead of failing.
    pub skip_unmatched: bool,
    /// The fields of CSV and JSON lines to use.
    pub fields: Fields,
    /// The separator of the fields of CSV: a comma, a semicolon or a tab; found in the header when absent.
    pub delimiter: Option<u8>,
    /// Order the events of a trace by their times; those with the same time keep the order of the file.
    pub sort_by_time: bool,
    /// Use the beginning of a trace that was cut off, instead of failing.
    pub keep_partial: bool,
    /// Read only the calls of methods of this class, with or without its package. Only Daikon's traces tell.
    pub class: Option<String>,
    /// Give the elements of arrays and collections too, as one text. Only Daikon's traces have them.
    pub elements: bool,
    /// The longest line or record to accept, in bytes.
    pub max_line: usize,
    /// The largest number of different labels to accept.
    pub max_labels: usize,
}

/// The names of fields. Those that are absent are searched under their common names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// The field with the name of the trace.
    pub trace: Option<String>,
    /// The field with the name of the event.
    pub event: Option<String>,
    /// The field with the time of the event.
    pub time: Option<String>,
}

/// The usual limit of a line: 16 MiB is a trace of a million events.
pub const MAX_LINE: usize = 16 << 20;

/// The usual limit of different labels. A million different ones are not methods.
pub const MAX_LABELS: usize = 1 << 20;

impl Options {
    /// Plain reading: skips nothing, sorts nothing, keeps no cut-off trace, finds fields by their common
    /// names.
    pub fn new(labels: Labels) -> Self {
        Self {
            labels,
            pattern: None,
            skip_unmatched: false,
            fields: Fields::default(),
            delimiter: None,
            sort_by_time: false,
            keep_partial: false,
            class: None,
            elements: false,
            max_line: MAX_LINE,
            max_labels: MAX_LABELS,
        }
    }
}

/// Counts of everything that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The format in which it was read.
    pub format: Format,
    /// Traces, by their weights.
    pub traces: u64,
    /// Events, by the weights of their traces.
    pub events: u64,
    /// Lines that the pattern does not match and that were skipped.
    pub skipped: u64,
    /// Traces that are marked as impossible (label 0 of Abbadingo) and were skipped.
    pub negative: u64,
    /// Traces that are cut off and were kept.
    pub partial: u64,
    /// Events with an earlier time than the event before them in their trace.
    pub out_of_order: u64,
    /// Records that do not match their declaration and were skipped.
    pub mismatched: u64,
    /// Ends of calls without a beginning, which were skipped.
    pub without_begin: u64,
    /// Calls that never end, and so were taken to throw something.
    pub without_end: u64,
}

impl Summary {
    fn new(format: Format) -> Self {
        Self {
            format,
            traces: 0,
            events: 0,
            skipped: 0,
            negative: 0,
            partial: 0,
            out_of_order: 0,
            mismatched: 0,
            without_begin: 0,
            without_end: 0,
        }
    }

    /// Counts a trace of `events` events.
    fn count(&mut self, events: u64, weight: u64) {
        self.traces = self.traces.saturating_add(weight);
        self.events = self.events.saturating_add(events.saturating_mul(weight));
    }

    /// Adds the counts of another thread that read the same file.
    fn add(&mut self, other: &Self) {
        self.traces = self.traces.saturating_add(other.traces);
        self.events = self.events.saturating_add(other.events);
        self.skipped += other.skipped;
        self.negative += other.negative;
        self.partial += other.partial;
        self.out_of_order += other.out_of_order;
        self.mismatched += other.mismatched;
        self.without_begin += other.without_begin;
        self.without_end += other.without_end;
    }
}

/// The arguments of a format's reader: the file, and the places for what is read.
pub(crate) struct Reading<'a, R, T> {
    pub(crate) source: Source<R>,
    pub(crate) options: &'a Options,
    /// Receives the traces.
    pub(crate) target: &'a mut T,
    pub(crate) summary: &'a mut Summary,
}

/// Reads traces as words.
///
/// `name` is for messages and, unless `format` is given, for its extension. `alphabet` names the letters and
/// may be handed in again with the next file, so that both mean the same by a letter. A sink may have seen a
/// part of the file when an error is found.
pub fn words(
    mut input: impl Read,
    name: &str,
    format: Option<Format>,
    options: &Options,
    alphabet: &mut Alphabet,
    sink: &mut dyn WordSink,
) -> Result<Summary, ReadError> {
    let source = Source::open(&mut input as &mut dyn Read, name)?;
    let format = choose(&source, format, options);
    let mut target = ToWords::new(options.labels, options.max_labels, alphabet, sink);
    run(source, format, options, |decoder, source, summary| {
        (decoder.words)(Reading { source, options, target: &mut target, summary })
    })
}

/// Reads traces as events. A sink that breaks off ends the reading without an error.
pub fn events(
    mut input: impl Read,
    name: &str,
    format: Option<Format>,
    options: &Options,
    sink: &mut dyn EventSink,
) -> Result<Summary, ReadError> {
    let source = Source::open(&mut input as &mut dyn Read, name)?;
    let format = choose(&source, format, options);
    let mut target = ToEvents::new(sink);
    run(source, format, options, |decoder, source, summary| {
        (decoder.events)(Reading { source, options, target: &mut target, summary })
    })
}

/// Reads calls one by one, with the states around them. The weights of traces do not matter: a trace that was
/// seen again shows no new values. A sink that breaks off ends the reading without an error.
pub fn calls(
    mut input: impl Read,
    name: &str,
    format: Option<Format>,
    options: &Options,
    sink: &mut dyn CallSink,
) -> Result<Summary, ReadError> {
    let source = Source::open(&mut input as &mut dyn Read, name)?;
    let format = choose(&source, format, options);
    let mut target = ToCalls::new(sink);
    run(source, format, options, |decoder, source, summary| {
        (decoder.calls)(Reading { source, options, target: &mut target, summary })
    })
}

/// Chooses the format: the given one, else the one that a pattern, the name or the content suggests.
fn choose<R: Read>(source: &Source<R>, format: Option<Format>, options: &Options) -> Format {
    format
        .or(options.pattern.as_ref().map(|_| Format::Regex))
        .or_else(|| Format::from_extension(source.name()))
        .unwrap_or_else(|| Format::sniff(source.head()))
}

/// Reads `source` with the decoder of `format`.
fn run<'s>(
    source: Source<&'s mut dyn Read>,
    format: Format,
    options: &Options,
    read: impl FnOnce(&Decoder, Source<&'s mut dyn Read>, &mut Summary) -> Result<(), Halt>,
) -> Result<Summary, ReadError> {
    let name = source.name().to_owned();
    let mut summary = Summary::new(format);
    let (source, cut_off) = source.keep_partial(options.keep_partial);
    let read = read(&format.spec().decoder, source, &mut summary);
    summary.partial += u64::from(cut_off.get());
    match read {
        Ok(()) => some_traces(&name, summary),
        Err(Halt::Stopped) => Ok(summary),
        Err(Halt::Failed(error)) => Err(error),
    }
}

/// A file without any trace is a mistake: nothing can be learned from it, and silence would hide a wrong
/// format.
fn some_traces(name: &str, summary: Summary) -> Result<Summary, ReadError> {
    if summary.traces > 0 {
        return Ok(summary);
    }
    let why = match (summary.negative, summary.skipped) {
        (0, 0) => String::new(),
        (0, lines) => format!(": the pattern matches none of its {lines} lines"),
        (traces, _) => format!(" but {traces} with label 0, which show what cannot happen"),
    };
    Err(ReadError::of_file(name, Problem::NoTraces { why }))
}
