//! `texada`: an event a line, a line `--` after each trace, which the last may lack.
//!
//! ```text
//! open
//! read:TRUE
//! --
//! open
//! ```
//! White space around an event is no part of it, inside it is; blank lines are nothing. `--` after nothing is
//! an empty trace. With a pattern, the event is what its group `event` (or Texada's `ETYPE`) finds, as in
//! [`super::regex`].
//!
//! Paper: `texada`, section on inputs; the tool's own manual for the separator.

use std::io::Read;

use super::Reading;
use super::error::{Halt, Problem};
use super::stream::{SEPARATOR, Streamed};
use super::target::{Spelled, Target};
use super::text::Blocks;
use crate::format::{Certainty, Head};

pub(crate) fn read<R: Read>(reading: Reading<'_, R, impl Target>) -> Result<(), Halt> {
    if reading.options.pattern.is_some() {
        return super::regex::read(reading);
    }
    let Reading { source, options, target, summary } = reading;
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

/// Recognizes a file by its beginning.
pub(crate) fn sniff(head: &Head<'_>) -> Option<Certainty> {
    head.lines().any(|line| line == SEPARATOR).then_some(Certainty::Shape)
}
