//! Writing traces: what was read in one format can be written in another.
//!
//! A [`Writer`] is an [`EventSink`]: converting a file is reading it into a writer, and needs no more memory
//! than reading does. JSON lines carry everything, and Daikon's traces almost everything; the other formats
//! carry methods, boolean results and exceptions, and the writer lists at the end what was lost. The writer
//! refuses an event that would be read back as another one.

use std::io::Write;
use std::ops::ControlFlow;

use flate2::write::GzEncoder;
use miette::Diagnostic;
use thiserror::Error;

use crate::format::{FORMATS, Format, Part};
use crate::{Event, EventSink, Outcome, Value, Words};

pub(crate) mod abbadingo;
pub(crate) mod csv;
pub(crate) mod dtrace;
pub(crate) mod jsonl;
pub(crate) mod lines;
pub(crate) mod texada;
pub(crate) mod xes;

pub use dtrace::quoted;

/// Writes traces in one format.
pub struct Writer<W: Write> {
    output: Output<W>,
    format: Format,
    encoder: Box<dyn Encoder>,
    /// Bytes that are encoded and not yet written.
    buffer: Vec<u8>,
    /// The trace that is being written.
    trace: Trace,
    /// The events of a trace that must be written several times.
    held: Vec<Event>,
    written: Written,
    lost: Lost,
    error: Option<WriteError>,
}

/// Counts of everything that was written, and a list of what was lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Traces, by their weights.
    pub traces: u64,
    /// Events, by the weights of their traces.
    pub events: u64,
    /// Everything that the format had no place for, as phrases such as `the arguments of 12 events`.
    pub lost: Vec<String>,
}

/// A failure to write traces.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system refused the bytes.
    #[error("cannot write: {0}")]
    #[diagnostic(code(trace::write))]
    Io(#[from] std::io::Error),
    /// A format that is only for reading.
    #[error("`regex` is for reading only")]
    #[diagnostic(code(trace::write_format), help("write {}", writable()))]
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

/// The most copies of a trace to write in a format without weights.
const MOST_COPIES: u64 = 10_000_000;

/// The number of encoded bytes that are written at once.
const CHUNK: usize = 64 * 1024;

/// The trace that an encoder is in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    /// Its name.
    pub(crate) id: Option<String>,
    pub(crate) weight: u64,
    /// The number of traces written before it.
    pub(crate) before: u64,
    /// The number of its events so far.
    pub(crate) events: u64,
}

/// The format cannot express this event.
pub(crate) struct Unwritable;

/// The writer of one format: events to bytes, appended to `out`.
pub(crate) trait Encoder {
    /// Writes what comes before the first trace.
    fn start(&mut self, _out: &mut Vec<u8>) {}
    /// Takes note of the class of the objects, by its name with dots.
    fn set_class(&mut self, _class: &str) {}
    /// Begins a trace; `copy` counts the copies of a trace that is repeated, from zero.
    fn begin(&mut self, _out: &mut Vec<u8>, _trace: &Trace, _copy: u64) {}
    /// Writes the next event of the trace.
    fn event(&mut self, out: &mut Vec<u8>, event: &Event) -> Result<(), Unwritable>;
    /// Ends the trace.
    fn end(&mut self, out: &mut Vec<u8>);
    /// Writes what comes after the last trace.
    fn finish(&mut self, _out: &mut Vec<u8>) {}
    /// Phrases for what was lost beyond the [`Part`]s that the table denies the format.
    fn losses(&self) -> Vec<String> {
        Vec::new()
    }
}

#[derive(Default)]
struct Lost {
    args: u64,
    states: u64,
    details: u64,
    results: u64,
    ids: u64,
    empty: u64,
}

impl<W: Write> Writer<W> {
    /// Makes a writer in `format`, compressed with gzip on request.
    pub fn new(output: W, format: Format, gzip: bool) -> Result<Self, WriteError> {
        let mut encoder = format.spec().encoder.ok_or(WriteError::NoWriter)?();
        let mut buffer = Vec::new();
        encoder.start(&mut buffer);
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

    /// Sets the class of the objects, by its name with dots. Only Daikon's traces have a place for it.
    pub fn set_class(&mut self, class: &str) {
        self.encoder.set_class(class);
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

    /// Writes the rest, and returns the output or the first error.
    pub fn finish(mut self) -> Result<(W, Written), WriteError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.encoder.finish(&mut self.buffer);
        self.output.write_all(&self.buffer)?;
        self.written.lost = self.lost.phrases(self.format);
        self.written.lost.extend(self.encoder.losses());
        Ok((self.output.finish()?, self.written))
    }

    /// Tells whether the trace is written several times because the format has no weights.
    fn repeats(&self) -> bool {
        self.trace.weight > 1 && !self.format.spec().has(Part::Weights)
    }

    fn encode_event(&mut self, event: &Event) -> ControlFlow<()> {
        match self.encoder.event(&mut self.buffer, event) {
            Ok(()) => self.flush(),
            Err(Unwritable) => {
                let event = event.spelling().unwrap_or_else(|| event.method.clone());
                self.fail(WriteError::Unwritable { event, format: self.format })
            }
        }
    }

    fn encode_end(&mut self) -> ControlFlow<()> {
        self.encoder.end(&mut self.buffer);
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
            self.encoder.begin(&mut self.buffer, &self.trace, 0);
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
            self.encoder.begin(&mut self.buffer, &self.trace, copy);
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
        self.details += u64::from(event.details.is_some());
        let plain = matches!(
            event.outcome,
            Outcome::Unrecorded | Outcome::Threw(_) | Outcome::Returned(Value::Bool(_))
        );
        self.results += u64::from(!plain);
    }

    /// Phrases for everything that there was and that `format` has no place for.
    fn phrases(&self, format: Format) -> Vec<String> {
        let counts = [
            (Part::Arguments, self.args, "the arguments of", "events"),
            (Part::States, self.states, "the object states after", "events"),
            (Part::Details, self.details, "parameter names, earlier states or lines of", "events"),
            (Part::Results, self.results, "the results, not boolean, of", "events"),
            (Part::TraceNames, self.ids, "the names of", "traces"),
            (Part::EmptyTraces, self.empty, "", "traces without events"),
        ];
        let lost = |&(part, count, ..): &(Part, u64, &str, &str)| count > 0 && !format.spec().has(part);
        let phrase = |(_, count, what, of): (Part, u64, &str, &str)| {
            format!("{what} {count} {of}").trim_start().to_owned()
        };
        counts.into_iter().filter(lost).map(phrase).collect()
    }
}

/// The names of the formats that can be written, as a list for a sentence.
fn writable() -> String {
    let names: Vec<&str> = FORMATS.iter().filter(|spec| spec.is_writable()).map(|spec| spec.name).collect();
    match names.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        few => few.concat(),
    }
}

impl Trace {
    /// A name for the trace where it must have one: its id, else its number; copies have another number
    /// behind it.
    pub(crate) fn name(&self, copy: u64) -> String {
        match (self.id.as_deref().filter(|id| !id.is_empty()), copy) {
            (None, copy) => (self.before + copy + 1).to_string(),
            (Some(id), 0) => id.to_owned(),
            (Some(id), copy) => format!("{id}~{}", copy + 1),
        }
    }
}

/// Spells an event, unless the spelling contains what the format forbids.
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
