//! `texada`: an event a line, a line `--` after each trace, which the last may lack.
//!
//! ```text
//! open
//! read:TRUE
//! --
//! open
//! ```
//! White space around an event is no part of it, inside it is; blank lines are nothing. `--` after nothing is an empty
//! trace. With a pattern, the event is what its group `event` (or Texada's `ETYPE`) finds, as in [`super::regex`].
//!
//! Paper: `texada`, section on inputs; the tool's own manual for the separator.

use std::io::Read;

use super::error::{Halt, Problem};
use super::source::Source;
use super::target::{Spelled, Target};
use super::text::Blocks;
use super::{Options, Summary};

pub(crate) const SEPARATOR: &str = "--";

pub(super) fn read<R: Read>(
    source: Source<R>,
    options: &Options,
    target: &mut impl Target,
    summary: &mut Summary,
) -> Result<(), Halt> {
    if options.pattern.is_some() {
        return super::regex::read(source, options, target, summary);
    }
    let mut trace = Streamed::default();
    Blocks::new(source, options.max_line).each_line(|line| {
        let word = line.text.trim();
        if word.is_empty() {
            return Ok(());
        }
        if word == SEPARATOR {
            return trace.end(target, summary);
        }
        trace
            .event(Spelled::Word(word), target)?
            .map_err(|_| line.error_at(word, Problem::TooManyLabels { limit: options.max_labels }).into())
    })?;
    trace.end_if_begun(target, summary)
}

/// The trace of a format that has one trace at a time.
#[derive(Default)]
pub(super) struct Streamed {
    begun: bool,
    events: u64,
}

impl Streamed {
    /// The next event. The inner result says whether there was a number for it.
    pub(super) fn event(
        &mut self,
        event: Spelled<'_>,
        target: &mut impl Target,
    ) -> Result<Result<(), super::target::Full>, Halt> {
        if !self.begun {
            target.begin(None, 1)?;
            self.begun = true;
        }
        self.events += 1;
        match event {
            // Numbered words are parsed once for each spelling.
            Spelled::Word(word) => match target.number(Spelled::Word(word)) {
                Ok(number) => target.push(number).map(Ok),
                Err(_) => target.pass(Spelled::Word(word)),
            },
            fields => target.pass(fields),
        }
    }

    /// The trace ends, even if nothing happened in it.
    pub(super) fn end(&mut self, target: &mut impl Target, summary: &mut Summary) -> Result<(), Halt> {
        if !self.begun {
            target.begin(None, 1)?;
        }
        summary.count(self.events, 1);
        *self = Self::default();
        target.end()
    }

    /// The file ends.
    pub(super) fn end_if_begun(
        &mut self,
        target: &mut impl Target,
        summary: &mut Summary,
    ) -> Result<(), Halt> {
        if self.begun { self.end(target, summary) } else { Ok(()) }
    }
}
