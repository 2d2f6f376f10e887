//! Writes [`crate::read::Format::Abbadingo`]. The first line counts what follows, so that all of it is held until the
//! end.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::{Unwritable, spell};
use crate::Event;

/// What follows the first line.
#[derive(Default)]
pub(super) struct Body {
    text: String,
    /// The symbols of the current line, each with a space before it.
    line: String,
    length: u64,
    samples: u64,
    symbols: FxHashSet<String>,
}

impl Body {
    pub(super) fn event(&mut self, event: &Event) -> Result<(), Unwritable> {
        let word = spell(event, |word| word.contains(|char: char| char.is_ascii_whitespace()))?;
        self.line.push(' ');
        self.line.push_str(&word);
        self.length += 1;
        self.symbols.insert(word);
        Ok(())
    }

    pub(super) fn end(&mut self) {
        writeln!(self.text, "1 {}{}", self.length, self.line).expect("a string takes any text");
        self.line.clear();
        self.length = 0;
        self.samples += 1;
    }

    pub(super) fn finish(&self, buffer: &mut Vec<u8>) {
        buffer
            .extend_from_slice(format!("{} {}\n{}", self.samples, self.symbols.len(), self.text).as_bytes());
    }
}
