//! Formats with one trace at a time: events go to the target as they come.

use super::Summary;
use super::error::Halt;
use super::target::{Full, Spelled, Target};

/// The line between two traces, where there is one.
pub(super) const SEPARATOR: &str = "--";

/// The trace of a format that has one trace at a time.
#[derive(Default)]
pub(super) struct Streamed {
    begun: bool,
    events: u64,
}

impl Streamed {
    /// Passes the next event on. The inner result tells whether there was a number for it.
    pub(super) fn event(
        &mut self,
        event: Spelled<'_>,
        target: &mut impl Target,
    ) -> Result<Result<(), Full>, Halt> {
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

    /// Ends the trace, even if nothing happened in it.
    pub(super) fn end(&mut self, target: &mut impl Target, summary: &mut Summary) -> Result<(), Halt> {
        if !self.begun {
            target.begin(None, 1)?;
        }
        summary.count(self.events, 1);
        *self = Self::default();
        target.end()
    }

    /// Ends the trace that the end of the file leaves open, if any.
    pub(super) fn end_if_begun(
        &mut self,
        target: &mut impl Target,
        summary: &mut Summary,
    ) -> Result<(), Halt> {
        if self.begun { self.end(target, summary) } else { Ok(()) }
    }
}
