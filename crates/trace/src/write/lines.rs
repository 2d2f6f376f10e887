//! Writes [`crate::read::Format::Lines`]: `<START> open read:TRUE close <END>`.

use super::{Unwritable, spell};
use crate::Event;

pub(super) fn begin(buffer: &mut Vec<u8>) {
    buffer.extend_from_slice(b"<START>");
}

pub(super) fn event(buffer: &mut Vec<u8>, event: &Event) -> Result<(), Unwritable> {
    let separated = |word: &str| word.contains(|char: char| char <= ' ');
    let marked = |word: &str| word.contains("<START>") || word.contains("<END>");
    let word = spell(event, |word| separated(word) || marked(word))?;
    buffer.push(b' ');
    buffer.extend_from_slice(word.as_bytes());
    Ok(())
}

pub(super) fn end(buffer: &mut Vec<u8>) {
    buffer.extend_from_slice(b" <END>\n");
}
