//! Writes [`crate::read::Format::Csv`]: columns `case` and `activity`, a row an event. An empty trace has no row.

use rustc_hash::FxHashSet;

use super::{Trace, Unwritable, spell};
use crate::Event;

pub(super) const HEADER: &[u8] = b"case,activity\n";

/// The name of the current trace, and those that are taken: rows of the same name would be read as one trace.
#[derive(Default)]
pub(super) struct Cases {
    current: String,
    taken: FxHashSet<String>,
}

impl Cases {
    pub(super) fn begin(&mut self, trace: &Trace, copy: u64) {
        let name = trace.name(copy).trim().replace('\r', " ");
        self.current = name.clone();
        let mut again = 2;
        while self.current.is_empty() || self.taken.contains(&self.current) {
            self.current = format!("{name}~{again}");
            again += 1;
        }
        self.taken.insert(self.current.clone());
    }

    pub(super) fn event(&self, buffer: &mut Vec<u8>, event: &Event) -> Result<(), Unwritable> {
        // A carriage return before a line break is taken for a part of it.
        let word = spell(event, |word| word.contains('\r'))?;
        field(buffer, &self.current);
        buffer.push(b',');
        field(buffer, &word);
        buffer.push(b'\n');
        Ok(())
    }
}

/// Writes a field, quoted if it must be.
fn field(buffer: &mut Vec<u8>, text: &str) {
    if !text.contains([',', ';', '\t', '"', '\n']) {
        return buffer.extend_from_slice(text.as_bytes());
    }
    buffer.push(b'"');
    buffer.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    buffer.push(b'"');
}
