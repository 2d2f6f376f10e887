//! Writing traces: what was read in one format can be written in another.
//!
//! A [`Writer`] is an [`EventSink`], so that converting a file is reading it into a writer, and needs no more memory
//! than reading does. JSON lines carry everything, and Daikon's traces nearly so; the other formats carry methods,
//! boolean results and exceptions, and the writer says at the end what was lost. An event that would be read back as another one is refused.

use std::io::Write;
use std::ops::ControlFlow;

use flate2::write::GzEncoder;
use miette::Diagnostic;
use thiserror::Error;

use crate::read::Format;
use crate::{Event, EventSink, Outcome, Value, Words};

mod abbadingo;
mod csv;
mod dtrace;
pub(crate) mod jsonl;
mod lines;
mod texada;
mod xes;

/// Writes traces in one format.
pub struct Writer<W: Write> {
    output: Output<W>,
    format: Format,
    encoder: Encoder,
    /// What is encoded and not yet written.
    buffer: Vec<u8>,
    /// The trace that is being written.
    trace: Trace,
    /// The events of a trace that must be written several times.
    held: Vec<Event>,
    written: Written,
    lost: Lost,
    error: Option<WriteError>,
}

/// What a writer has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// How many traces, by their weights.
    pub traces: u64,
    /// How many events, by their weights.
    pub events: u64,
    /// What the format had no place for, as phrases such as `the arguments of 12 events`.
    pub lost: Vec<String>,
}

/// Why traces could not be written.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system did not take the bytes.
    #[error("cannot write: {0}")]
    #[diagnostic(code(trace::write))]
    Io(#[from] std::io::Error),
    /// A format that is only for reading.
    #[error("`regex` is for reading only")]
    #[diagnostic(
        code(trace::write_format),
        help("write lines, texada, csv, jsonl, abbadingo, xes or dtrace")
    )]
    NoWriter,
    /// An event whose name would be read back as something else.
    #[error("the format `{}` cannot hold the event `{event}`", .format.name())]
    #[diagnostic(
        code(trace::unwritable),
        help(
            "its name is empty, or contains a separator, a marker or something that looks like an outcome; write `jsonl` instead"
        )
    )]
    Unwritable {
        /// The event, as far as a word can spell it.
        event: String,
        /// The format.
        format: Format,
    },
    /// A weight too large to write the trace so many times.
    #[error("a trace was seen {weight} times, and the format `{}` would repeat it that often", .format.name())]
    #[diagnostic(code(trace::weight), help("write `jsonl` instead, which has weights"))]
    Weight {
        /// The weight.
        weight: u64,
        /// The format.
        format: Format,
    },
}

/// How often a trace is repeated at most in a format without weights.
const MOST_COPIES: u64 = 10_000_000;

/// How much is encoded before it is written.
const CHUNK: usize = 64 * 1024;

/// The trace that an encoder is in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    /// What it is called.
    pub(crate) id: Option<String>,
    pub(crate) weight: u64,
    /// How many traces were written before it.
    pub(crate) before: u64,
    /// How many of its events were written.
    pub(crate) events: u64,
}

/// A place for events that has none for this one.
pub(crate) struct Unwritable;

enum Encoder {
    Lines,
    Texada,
    Csv(csv::Cases),
    Jsonl(jsonl::Pending),
    Abbadingo(abbadingo::Body),
    Xes,
    Dtrace(Box<dtrace::Body>),
}

#[derive(Default)]
struct Lost {
    args: u64,
    states: u64,
    results: u64,
    ids: u64,
    empty: u64,
    types: u64,
}

impl<W: Write> Writer<W> {
    /// A writer in `format`, compressed with gzip if so desired.
    pub fn new(output: W, format: Format, gzip: bool) -> Result<Self, WriteError> {
        let mut buffer = Vec::new();
        let encoder = match format {
            Format::Lines => Encoder::Lines,
            Format::Texada => Encoder::Texada,
            Format::Csv => {
                buffer.extend_from_slice(csv::HEADER);
                Encoder::Csv(csv::Cases::default())
            }
            Format::Jsonl => Encoder::Jsonl(jsonl::Pending::default()),
            Format::Abbadingo => Encoder::Abbadingo(abbadingo::Body::default()),
            Format::Xes => {
                buffer.extend_from_slice(xes::HEADER);
                Encoder::Xes
            }
            Format::Dtrace => Encoder::Dtrace(Box::default()),
            Format::Regex => return Err(WriteError::NoWriter),
        };
        let output = if gzip {
            Output::Gzip(GzEncoder::new(output, flate2::Compression::default()))
        } else {
            Output::Plain(output)
        };
        Ok(Self {
            output,
            format,
            encoder,
            buffer,
            trace: Trace::default(),
            held: Vec::new(),
            written: Written::default(),
            lost: Lost::default(),
            error: None,
        })
    }

    /// Says which class the objects have, by its name with dots. Only Daikon's traces have a place for it.
    pub fn set_class(&mut self, class: &str) {
        if let Encoder::Dtrace(body) = &mut self.encoder {
            body.set_class(class);
        }
    }

    /// Writes words, each as often as it was seen; labels are taken as spellings of events.
    pub fn words(&mut self, words: &Words) -> ControlFlow<()> {
        for word in &words.words {
            self.begin(None, word.weight)?;
            for label in words.labels(word) {
                self.event(&Event::from_spelling(label))?;
            }
            self.end()?;
        }
        ControlFlow::Continue(())
    }

    /// Writes what is left and gives the output back, or the first error there was.
    pub fn finish(mut self) -> Result<(W, Written), WriteError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        match &self.encoder {
            Encoder::Abbadingo(body) => body.finish(&mut self.buffer),
            Encoder::Xes => self.buffer.extend_from_slice(xes::FOOTER),
            Encoder::Dtrace(body) => self.lost.types = body.finish(&mut self.buffer),
            _ => {}
        }
        self.output.write_all(&self.buffer)?;
        self.written.lost = self.lost.phrases(self.format);
        Ok((self.output.finish()?, self.written))
    }

    /// Whether the trace is written several times because the format has no weights.
    fn repeats(&self) -> bool {
        self.trace.weight > 1 && self.format != Format::Jsonl
    }

    fn encode_begin(&mut self, copy: u64) {
        match &mut self.encoder {
            Encoder::Lines => lines::begin(&mut self.buffer),
            Encoder::Csv(cases) => cases.begin(&self.trace, copy),
            Encoder::Jsonl(pending) => pending.begin(&self.trace),
            Encoder::Xes => xes::begin(&mut self.buffer, &self.trace, copy),
            Encoder::Texada | Encoder::Abbadingo(_) | Encoder::Dtrace(_) => {}
        }
    }

    fn encode_event(&mut self, event: &Event) -> ControlFlow<()> {
        let buffer = &mut self.buffer;
        let encoded = match &mut self.encoder {
            Encoder::Lines => lines::event(buffer, event),
            Encoder::Texada => texada::event(buffer, event),
            Encoder::Csv(cases) => cases.event(buffer, event),
            Encoder::Jsonl(pending) => {
                pending.event(buffer, event);
                Ok(())
            }
            Encoder::Abbadingo(body) => body.event(event),
            Encoder::Xes => xes::event(buffer, event),
            Encoder::Dtrace(body) => body.event(event),
        };
        match encoded {
            Ok(()) => self.flush(),
            Err(Unwritable) => {
                let event = event.spelling().unwrap_or_else(|| event.method.clone());
                self.fail(WriteError::Unwritable { event, format: self.format })
            }
        }
    }

    fn encode_end(&mut self) -> ControlFlow<()> {
        let buffer = &mut self.buffer;
        match &mut self.encoder {
            Encoder::Lines => lines::end(buffer),
            Encoder::Texada => texada::end(buffer),
            Encoder::Csv(_) => {}
            Encoder::Jsonl(pending) => pending.end(buffer),
            Encoder::Abbadingo(body) => body.end(),
            Encoder::Xes => xes::end(buffer),
            Encoder::Dtrace(body) => body.end(),
        }
        self.flush()
    }

    fn flush(&mut self) -> ControlFlow<()> {
        if self.buffer.len() < CHUNK {
            return ControlFlow::Continue(());
        }
        let result = self.output.write_all(&self.buffer);
        self.buffer.clear();
        match result {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => self.fail(error.into()),
        }
    }

    fn fail(&mut self, error: WriteError) -> ControlFlow<()> {
        self.error.get_or_insert(error);
        ControlFlow::Break(())
    }
}

impl<W: Write> EventSink for Writer<W> {
    fn begin(&mut self, id: Option<&str>, weight: u64) -> ControlFlow<()> {
        if self.error.is_some() {
            return ControlFlow::Break(());
        }
        self.lost.ids += u64::from(id.is_some());
        self.trace = Trace { id: id.map(str::to_owned), weight, before: self.written.traces, events: 0 };
        self.held.clear();
        if !self.repeats() {
            self.encode_begin(0);
        } else if weight > MOST_COPIES {
            return self.fail(WriteError::Weight { weight, format: self.format });
        }
        ControlFlow::Continue(())
    }

    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        if self.error.is_some() {
            return ControlFlow::Break(());
        }
        self.lost.count(event);
        self.trace.events += 1;
        if self.repeats() {
            self.held.push(event.clone());
            return ControlFlow::Continue(());
        }
        self.encode_event(event)
    }

    fn end(&mut self) -> ControlFlow<()> {
        if self.error.is_some() {
            return ControlFlow::Break(());
        }
        let Trace { weight, events, .. } = self.trace;
        self.written.traces = self.written.traces.saturating_add(weight);
        self.written.events = self.written.events.saturating_add(events.saturating_mul(weight));
        self.lost.empty += u64::from(self.trace.events == 0);
        if !self.repeats() {
            return self.encode_end();
        }
        let held = std::mem::take(&mut self.held);
        for copy in 0..self.trace.weight {
            self.encode_begin(copy);
            for event in &held {
                self.encode_event(event)?;
            }
            self.encode_end()?;
        }
        ControlFlow::Continue(())
    }
}

impl Lost {
    fn count(&mut self, event: &Event) {
        self.args += u64::from(!event.args.is_empty());
        self.states += u64::from(event.state.is_some());
        let plain = matches!(
            event.outcome,
            Outcome::Unrecorded | Outcome::Threw(_) | Outcome::Returned(Value::Bool(_))
        );
        self.results += u64::from(!plain);
    }

    fn phrases(&self, format: Format) -> Vec<String> {
        let nameless = matches!(format, Format::Lines | Format::Texada | Format::Abbadingo | Format::Dtrace);
        let eventful = matches!(format, Format::Csv | Format::Dtrace);
        // JSON lines and Daikon's traces have a place for them.
        let bare = |count| if format == Format::Dtrace { 0 } else { count };
        let lost = [
            (bare(self.args), "the arguments of", "events"),
            (bare(self.states), "the object states after", "events"),
            (bare(self.results), "the results, not boolean, of", "events"),
            (if nameless { self.ids } else { 0 }, "the names of", "traces"),
            (if eventful { self.empty } else { 0 }, "", "traces without events"),
            (self.types, "the types of", "values, which become strings"),
        ];
        if format == Format::Jsonl {
            return Vec::new();
        }
        let phrase =
            |(count, what, of): (u64, &str, &str)| format!("{what} {count} {of}").trim_start().to_owned();
        lost.into_iter().filter(|&(count, ..)| count > 0).map(phrase).collect()
    }
}

impl Trace {
    /// What a trace is called where it must be called something: its id, or its number; copies have a number more.
    pub(crate) fn name(&self, copy: u64) -> String {
        match (self.id.as_deref().filter(|id| !id.is_empty()), copy) {
            (None, copy) => (self.before + copy + 1).to_string(),
            (Some(id), 0) => id.to_owned(),
            (Some(id), copy) => format!("{id}~{}", copy + 1),
        }
    }
}

/// The spelling of an event that contains nothing a format forbids.
pub(crate) fn spell(event: &Event, forbidden: impl Fn(&str) -> bool) -> Result<String, Unwritable> {
    let spelling = event.spelling().ok_or(Unwritable)?;
    if spelling.is_empty() || spelling.trim() != spelling || forbidden(&spelling) {
        Err(Unwritable)
    } else {
        Ok(spelling)
    }
}

enum Output<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
}

impl<W: Write> Output<W> {
    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Plain(output) => output.write_all(bytes),
            Self::Gzip(output) => output.write_all(bytes),
        }
    }

    fn finish(self) -> std::io::Result<W> {
        let mut output = match self {
            Self::Plain(output) => output,
            Self::Gzip(output) => output.finish()?,
        };
        output.flush()?;
        Ok(output)
    }
}
