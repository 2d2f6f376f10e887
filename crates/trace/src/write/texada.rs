//! Writes [`Format::Texada`](crate::Format::Texada): an event a line, `--` after each trace.

use super::{Encoder, Unwritable, spell};
use crate::Event;

pub(crate) struct Texada;

impl Encoder for Texada {
    fn event(&mut self, out: &mut Vec<u8>, event: &Event) -> Result<(), Unwritable> {
        // A reader drops a byte order mark at the beginning of a file.
        let special = |word: &str| word == "--" || word.starts_with('\u{feff}');
        let word = spell(event, |word| word.contains(['\n', '\r']) || special(word))?;
        out.extend_from_slice(word.as_bytes());
        out.push(b'\n');
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"--\n");
    }
}
