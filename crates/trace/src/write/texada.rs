//! Writes [`crate::read::Format::Texada`]: an event a line, `--` after each trace.

use super::{Unwritable, spell};
use crate::Event;

pub(super) fn event(buffer: &mut Vec<u8>, event: &Event) -> Result<(), Unwritable> {
    // At the beginning of a file, a byte order mark would not be taken for a part of the name.
    let special = |word: &str| word == "--" || word.starts_with('\u{feff}');
    let word = spell(event, |word| word.contains(['\n', '\r']) || special(word))?;
    buffer.extend_from_slice(word.as_bytes());
    buffer.push(b'\n');
    Ok(())
}

pub(super) fn end(buffer: &mut Vec<u8>) {
    buffer.extend_from_slice(b"--\n");
}
