//! Reading traces: one file per format, all of them streams, all of them also gzipped.
//!
//! [`words`] feeds a miner: the label function is applied while reading, and what arrives are letters. [`events`]
//! gives whole events, for conversion between formats. [`parallel`] is [`words`] on several threads. [`dry_run`] shows
//! what would be understood.
//!
//! Memory does not grow with the file, with one exception: where the events of several traces are interleaved, as they
//! may be in CSV, JSON lines, Daikon's traces and logs read by a pattern with a `trace` group, a trace is held until it is known to be
//! complete, at about a byte an event and a hundred bytes a trace. [`events`] also holds each different event once.
//!
//! Nothing here panics, whatever the bytes: see `tests/fuzz_readers.rs`.

use std::io::Read;

use crate::{Alphabet, EventSink, Labels, WordSink};

mod abbadingo;
mod csv;
mod dry_run;
mod dtrace;
mod error;
mod format;
mod group;
mod jsonl;
mod lines;
mod parallel;
mod pattern;
mod regex;
mod source;
mod spellings;
mod target;
mod texada;
mod text;
mod time;
mod xes;

pub use dry_run::{DryRun, Understood, dry_run};
pub use error::{Place, Problem, ReadError};
pub use format::{Format, UnknownFormat};
pub use parallel::parallel;
pub use pattern::{Pattern, PatternError};

use error::Halt;
use source::Source;
use target::{Target, ToEvents, ToWords};

/// How a file is to be read. Start from [`Options::new`] and change what differs.
#[derive(Clone, Debug)]
pub struct Options {
    /// What counts as a letter.
    pub labels: Labels,
    /// The pattern for [`Format::Regex`] and, if any, for [`Format::Texada`].
    pub pattern: Option<Pattern>,
    /// Pass over lines that the pattern does not match, and count them, instead of failing.
    pub skip_unmatched: bool,
    /// Which fields of CSV and JSON lines to use.
    pub fields: Fields,
    /// What separates the fields of CSV: a comma, a semicolon or a tab; found in the header when absent.
    pub delimiter: Option<u8>,
    /// Order the events of a trace by their times; those with the same time keep the order of the file.
    pub sort_by_time: bool,
    /// Use the beginning of a trace that was cut off, instead of failing.
    pub keep_partial: bool,
    /// How many bytes a line or record may have.
    pub max_line: usize,
    /// How many different labels there may be.
    pub max_labels: usize,
}

/// The names of fields; those that are absent are looked for under their common names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// What the trace is called by.
    pub trace: Option<String>,
    /// What the event is called by.
    pub event: Option<String>,
    /// When the event happened.
    pub time: Option<String>,
}

/// The limit of a line unless another is asked for: 16 MiB is a trace of a million events.
pub const MAX_LINE: usize = 16 << 20;

/// The limit of different labels unless another is asked for. Above a million, they are no methods.
pub const MAX_LABELS: usize = 1 << 20;

impl Options {
    /// Plain reading: nothing skipped, nothing sorted, nothing cut off kept, fields under their common names.
    pub fn new(labels: Labels) -> Self {
        Self {
            labels,
            pattern: None,
            skip_unmatched: false,
            fields: Fields::default(),
            delimiter: None,
            sort_by_time: false,
            keep_partial: false,
            max_line: MAX_LINE,
            max_labels: MAX_LABELS,
        }
    }
}

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The format in which it was read.
    pub format: Format,
    /// How many traces there were, by their weights.
    pub traces: u64,
    /// How many events they had, by their weights.
    pub events: u64,
    /// How many lines the pattern did not match and were passed over.
    pub skipped: u64,
    /// How many traces were marked as impossible (label 0 of Abbadingo) and were passed over.
    pub negative: u64,
    /// How many traces were cut off and kept.
    pub partial: u64,
    /// How many events came with an earlier time than the event before them in their trace.
    pub out_of_order: u64,
}

impl Summary {
    fn new(format: Format) -> Self {
        Self { format, traces: 0, events: 0, skipped: 0, negative: 0, partial: 0, out_of_order: 0 }
    }

    /// Counts a trace of `events` events.
    fn count(&mut self, events: u64, weight: u64) {
        self.traces = self.traces.saturating_add(weight);
        self.events = self.events.saturating_add(events.saturating_mul(weight));
    }

    /// Adds what another thread has read of the same file.
    fn add(&mut self, other: &Self) {
        self.traces = self.traces.saturating_add(other.traces);
        self.events = self.events.saturating_add(other.events);
        self.skipped += other.skipped;
        self.negative += other.negative;
        self.partial += other.partial;
        self.out_of_order += other.out_of_order;
    }
}

/// Reads traces as words.
///
/// `name` is for messages and, unless `format` is given, for its extension. `alphabet` names the letters and may be
/// handed in again with the next file, so that both mean the same by a letter. A sink may have seen a part of the file
/// when an error is found.
pub fn words<S: WordSink + ?Sized>(
    input: impl Read,
    name: &str,
    format: Option<Format>,
    options: &Options,
    alphabet: &mut Alphabet,
    sink: &mut S,
) -> Result<Summary, ReadError> {
    let source = Source::open(input, name)?;
    let format = choose(&source, format, options);
    let mut target = ToWords::new(options.labels, options.max_labels, alphabet, sink);
    run(source, format, options, &mut target)
}

/// Reads traces as events. A sink that breaks off ends the reading without an error.
pub fn events<S: EventSink + ?Sized>(
    input: impl Read,
    name: &str,
    format: Option<Format>,
    options: &Options,
    sink: &mut S,
) -> Result<Summary, ReadError> {
    let source = Source::open(input, name)?;
    let format = choose(&source, format, options);
    run(source, format, options, &mut ToEvents::new(sink))
}

/// The format to read `source` in: as told, else as the presence of a pattern, the name or the content suggest.
fn choose<R: Read>(source: &Source<R>, format: Option<Format>, options: &Options) -> Format {
    format
        .or(options.pattern.as_ref().map(|_| Format::Regex))
        .or_else(|| Format::from_extension(source.name()))
        .unwrap_or_else(|| Format::sniff(source.head()))
}

fn run<R: Read>(
    source: Source<R>,
    format: Format,
    options: &Options,
    target: &mut impl Target,
) -> Result<Summary, ReadError> {
    let name = source.name().to_owned();
    let mut summary = Summary::new(format);
    let read = match format {
        Format::Lines => lines::read(source, options, target, &mut summary),
        Format::Texada => texada::read(source, options, target, &mut summary),
        Format::Regex => regex::read(source, options, target, &mut summary),
        Format::Csv => csv::read(source, options, target, &mut summary),
        Format::Jsonl => jsonl::read(source, options, target, &mut summary),
        Format::Abbadingo => abbadingo::read(source, options, target, &mut summary),
        Format::Xes => xes::read(source, options, target, &mut summary),
        Format::Dtrace => dtrace::read(source, options, target, &mut summary),
    };
    match read {
        Ok(()) => some_traces(&name, summary),
        Err(Halt::Stopped) => Ok(summary),
        Err(Halt::Failed(error)) => Err(error),
    }
}

/// A file without any trace is a mistake: nothing can be learned from it, and silence would hide a wrong format.
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
