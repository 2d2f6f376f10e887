//! `xes`: event logs after IEEE 1849.
//!
//! ```text
//! <log><trace><string key="concept:name" value="t1"/>
//!   <event><string key="concept:name" value="open"/>
//!     <date key="time:timestamp" value="2024-05-31T10:00:00"/></event>
//! </trace></log>
//! ```
//! Used are `concept:name` of traces and events, and `time:timestamp` of events to see or restore their
//! order. The name of an event may spell an outcome, as `add:TRUE` does. Everything else in the log is passed
//! over.

use std::io::{self, BufRead, BufReader, Read};

use quick_xml::events::{BytesStart, Event as Xml};
use quick_xml::{Reader, XmlVersion};

use super::error::{Halt, Problem};
use super::excerpt::shorten;
use super::group::Groups;
use super::source::Source;
use super::target::{Spelled, Target};
use super::{Options, ReadError, Reading, Summary, time};
use crate::format::{Certainty, Head};

/// The deepest nesting of elements: attributes of attributes are rare, and the parser keeps every open
/// element.
const DEEPEST: usize = 256;

pub(crate) fn read<R: Read>(reading: Reading<'_, R, impl Target>) -> Result<(), Halt> {
    let Reading { source, options, target, summary } = reading;
    let name = source.name().to_owned();
    let mut parser = Parser {
        xml: Reader::from_reader(Located::new(source)),
        name,
        open: Vec::new(),
        trace_name: None,
        event: OpenEvent::default(),
        groups: Groups::new(options),
    };
    parser.xml.config_mut().expand_empty_elements = true;
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        parser.xml.get_mut().fuel = options.max_line;
        match parser.xml.read_event_into(&mut buffer) {
            Ok(Xml::Start(element)) => parser.start(&element)?,
            Ok(Xml::End(_)) => parser.end(options, target, summary)?,
            Ok(Xml::Eof) if parser.open.is_empty() => return Ok(()),
            Ok(Xml::Eof) => return Err(parser.error("the file ends inside an element").into()),
            Ok(_) => {}
            Err(error) => return Err(parser.explain(error, options).into()),
        }
    }
}

/// Recognizes a file by its beginning.
pub(crate) fn sniff(head: &Head<'_>) -> Option<Certainty> {
    let first = head.first();
    ["<?xml", "<!--", "<log"].iter().any(|start| first.starts_with(start)).then_some(Certainty::Signature)
}

/// The role of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    Log,
    Trace,
    Event,
    Other,
}

struct Parser<R: Read> {
    xml: Reader<Located<R>>,
    name: String,
    open: Vec<Element>,
    trace_name: Option<String>,
    event: OpenEvent,
    /// The events of the open trace wait here, for its name and the order of its events may come late.
    groups: Groups,
}

#[derive(Default)]
struct OpenEvent {
    name: Option<String>,
    time: Option<String>,
}

/// The id under which the one open trace is held.
const THE_TRACE: &str = "";

impl<R: Read> Parser<R> {
    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), ReadError> {
        let parent = self.open.last().copied();
        let kind = match (parent, element.local_name().as_ref()) {
            (None, "log") => Element::Log,
            (None, _) => return Err(self.error("the outermost element is not <log>")),
            (Some(Element::Log), "trace") => Element::Trace,
            (Some(Element::Trace), "event") => Element::Event,
            (Some(parent @ (Element::Trace | Element::Event)), _) => {
                self.attribute(parent, element)?;
                Element::Other
            }
            _ => Element::Other,
        };
        if self.open.len() >= DEEPEST {
            return Err(self.error("elements are nested too deeply"));
        }
        self.open.push(kind);
        Ok(())
    }

    /// An attribute of a trace or an event: in the words of XES an attribute, in those of XML an element.
    fn attribute(&mut self, parent: Element, element: &BytesStart<'_>) -> Result<(), ReadError> {
        let (mut key, mut value) = (None, None);
        for attribute in element.attributes() {
            let attribute =
                attribute.map_err(|error| self.error(&format!("not well-formed XML: {error}")))?;
            let slot = match attribute.key.as_ref() {
                "key" => &mut key,
                "value" => &mut value,
                _ => continue,
            };
            let text = attribute.normalized_value(XmlVersion::Explicit1_0);
            *slot = Some(
                text.map_err(|error| self.error(&format!("not well-formed XML: {error}")))?.into_owned(),
            );
        }
        match (parent, key.as_deref()) {
            (Element::Trace, Some("concept:name")) => self.trace_name = value,
            (Element::Event, Some("concept:name")) => self.event.name = value,
            (Element::Event, Some("time:timestamp")) => self.event.time = value,
            _ => {}
        }
        Ok(())
    }

    fn end(
        &mut self,
        options: &Options,
        target: &mut impl Target,
        summary: &mut Summary,
    ) -> Result<(), Halt> {
        match self.open.pop() {
            Some(Element::Event) => {
                let event = std::mem::take(&mut self.event);
                let word = event.name.as_deref().unwrap_or_default().trim();
                if word.is_empty() {
                    return Err(self.error("this event has no `concept:name`").into());
                }
                let text = event.time.as_deref().unwrap_or_default();
                let when = time::parse(text);
                if options.sort_by_time && when.is_none() {
                    return Err(self.problem(Problem::Time { text: shorten(text) }).into());
                }
                let letter = target
                    .number_to_keep(Spelled::Word(word))
                    .map_err(|_| self.problem(Problem::TooManyLabels { limit: options.max_labels }))?;
                self.groups.add(THE_TRACE, letter, when, summary);
                Ok(())
            }
            Some(Element::Trace) => {
                let name = self.trace_name.take();
                self.groups.close_as(THE_TRACE, name.as_deref(), target, summary)
            }
            _ => Ok(()),
        }
    }

    fn error(&self, what: &str) -> ReadError {
        self.problem(Problem::Xes { what: what.to_owned() })
    }

    /// A problem at the end of what was parsed last.
    fn problem(&self, problem: Problem) -> ReadError {
        let at = self.xml.get_ref();
        ReadError::in_line(&self.name, at.line, &at.text, at.text.len(), problem)
    }

    fn explain(&self, error: quick_xml::Error, options: &Options) -> ReadError {
        let located = self.xml.get_ref();
        match error {
            quick_xml::Error::Io(_) if located.fuel == 0 => {
                self.problem(Problem::TooLong { limit: options.max_line })
            }
            quick_xml::Error::Io(error) => {
                let error = io::Error::new(error.kind(), error.to_string());
                ReadError::of_file(&self.name, located.reader.get_ref().explain(error))
            }
            quick_xml::Error::Encoding(_) => self.problem(Problem::NotUtf8),
            error => self.error(&format!("not well-formed XML: {error}")),
        }
    }
}

/// Knows the line of what was consumed so far, and allows only so much to be consumed at once.
struct Located<R: Read> {
    reader: BufReader<Source<R>>,
    line: u64,
    /// The line so far, or its last part when it is long.
    text: Vec<u8>,
    fuel: usize,
}

impl<R: Read> Located<R> {
    fn new(source: Source<R>) -> Self {
        Self { reader: BufReader::with_capacity(64 * 1024, source), line: 1, text: Vec::new(), fuel: 0 }
    }
}

impl<R: Read> Read for Located<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Located<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.fuel == 0 {
            return Err(io::Error::other("too long"));
        }
        let available = self.reader.fill_buf()?;
        Ok(&available[..available.len().min(self.fuel)])
    }

    fn consume(&mut self, amount: usize) {
        // A column is of no use beyond this, and a file of one line must not be kept.
        const LONGEST: usize = 1 << 20;
        let consumed = &self.reader.buffer()[..amount];
        let newlines = memchr::memchr_iter(b'\n', consumed).count();
        if newlines > 0 {
            self.line += newlines as u64;
            self.text.clear();
        }
        let last = memchr::memrchr(b'\n', consumed).map_or(0, |newline| newline + 1);
        if self.text.len() < LONGEST {
            self.text.extend_from_slice(&consumed[last..]);
        }
        self.fuel = self.fuel.saturating_sub(amount);
        self.reader.consume(amount);
    }
}
