//! A preview of how the first lines of a file are understood, for users who are writing a pattern.

use std::io::Read;
use std::ops::ControlFlow;

use super::error::Halt;
use super::pattern::Pattern;
use super::source::Source;
use super::target::{Spelled, ToEvents};
use super::text::Blocks;
use super::{Options, ReadError, Reading, choose, regex, run};
use crate::{Event, EventSink, Format, Labels};

/// A preview of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct DryRun {
    /// The format of the file.
    pub format: Format,
    /// The first lines, or for formats other than [`Format::Regex`] the first events.
    pub understood: Vec<Understood>,
}

/// One line or event of a preview.
#[derive(Clone, Debug, PartialEq)]
pub struct Understood {
    /// The line, when the format has an event a line, and its text.
    pub line: Option<(u64, String)>,
    /// The groups of the pattern and what they found, or the trace.
    pub found: Vec<(String, String)>,
    /// The label that a miner would see, or what is wrong.
    pub label: Result<String, String>,
}

/// Reads the beginning of a file, at most `limit` lines or events, and shows how it is understood.
///
/// Lines that a pattern does not match are part of the preview; other errors end it.
pub fn dry_run(
    mut input: impl Read,
    name: &str,
    format: Option<Format>,
    options: &Options,
    limit: usize,
) -> Result<DryRun, ReadError> {
    let source = Source::open(&mut input as &mut dyn Read, name)?;
    let format = choose(&source, format, options);
    let understood = match (format, &options.pattern) {
        (Format::Regex | Format::Texada, Some(pattern)) => lines(source, pattern, options, limit)?,
        _ => {
            let mut first = First {
                labels: options.labels,
                limit,
                trace: String::new(),
                traces: 0,
                understood: Vec::new(),
            };
            if limit > 0 {
                let mut target = ToEvents::new(&mut first);
                run(source, format, options, |decoder, source, summary| {
                    (decoder.events)(Reading { source, options, target: &mut target, summary })
                })?;
            }
            first.understood
        }
    };
    Ok(DryRun { format, understood })
}

fn lines<R: Read>(
    source: Source<R>,
    pattern: &Pattern,
    options: &Options,
    limit: usize,
) -> Result<Vec<Understood>, ReadError> {
    let mut understood = Vec::new();
    let read = Blocks::new(source, options.max_line).each_line(|line| {
        if understood.len() >= limit {
            return Err(Halt::Stopped);
        }
        let shown = Some((line.number, line.text.to_owned()));
        let Some(captures) = pattern.captures(line.text) else {
            let (at, what) = pattern.mismatch(line.text);
            let column = line.text[..at].chars().count() + 1;
            let label = Err(format!("{what} does not match at column {column}"));
            understood.push(Understood { line: shown, found: Vec::new(), label });
            return Ok(());
        };
        let label = match regex::event(pattern, &captures, &line) {
            Ok(Spelled::Word(word)) => Ok(options.labels.of(&Event::from_spelling(word))),
            Ok(Spelled::Event(event)) => Ok(options.labels.of(&event)),
            Err(error) => Err(error.problem().to_string()),
        };
        understood.push(Understood { line: shown, found: pattern.found(&captures), label });
        Ok(())
    });
    match read {
        Err(Halt::Failed(error)) => Err(error),
        Ok(()) | Err(Halt::Stopped) => Ok(understood),
    }
}

/// Keeps the first events.
struct First {
    labels: Labels,
    limit: usize,
    trace: String,
    traces: u64,
    understood: Vec<Understood>,
}

impl EventSink for First {
    fn begin(&mut self, id: Option<&str>, _weight: u64) -> ControlFlow<()> {
        self.traces += 1;
        self.trace = id.map_or_else(|| self.traces.to_string(), str::to_owned);
        ControlFlow::Continue(())
    }

    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        let found = vec![("trace".to_owned(), self.trace.clone())];
        self.understood.push(Understood { line: None, found, label: Ok(self.labels.of(event)) });
        if self.understood.len() >= self.limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
