//! Writes [`Format::Abbadingo`](crate::Format::Abbadingo). The first line counts what follows, so everything
//! is held until the end.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::{Encoder, Unwritable, spell};
use crate::Event;

/// Everything that follows the first line.
#[derive(Default)]
pub(crate) struct Abbadingo {
    text: String,
    /// The symbols of the current line, each with a space before it.
    line: String,
    length: u64,
    samples: u64,
    symbols: FxHashSet<String>,
}

impl Encoder for Abbadingo {
    fn event(&mut self, _out: &mut Vec<u8>, event: &Event) -> Result<(), Unwritable> {
        let word = spell(event, |word| word.contains(|char: char| char.is_ascii_whitespace()))?;
        self.line.push(' ');
        self.line.push_str(&word);
        self.length += 1;
        self.symbols.insert(word);
        Ok(())
    }

    fn end(&mut self, _out: &mut Vec<u8>) {
        writeln!(self.text, "1 {}{}", self.length, self.line).expect("a string takes any text");
        self.line.clear();
        self.length = 0;
        self.samples += 1;
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{} {}\n{}", self.samples, self.symbols.len(), self.text).as_bytes());
    }
}
