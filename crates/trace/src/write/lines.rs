//! Writes [`Format::Lines`](crate::Format::Lines): `<START> open read:TRUE close <END>`.

use super::{Encoder, Trace, Unwritable, spell};
use crate::Event;

pub(crate) struct Lines;

impl Encoder for Lines {
    fn begin(&mut self, out: &mut Vec<u8>, _trace: &Trace, _copy: u64) {
        out.extend_from_slice(b"<START>");
    }

    fn event(&mut self, out: &mut Vec<u8>, event: &Event) -> Result<(), Unwritable> {
        let separated = |word: &str| word.contains(|char: char| char <= ' ');
        let marked = |word: &str| word.contains("<START>") || word.contains("<END>");
        let word = spell(event, |word| separated(word) || marked(word))?;
        out.push(b' ');
        out.extend_from_slice(word.as_bytes());
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b" <END>\n");
    }
}
