//! Writes [`Format::Csv`](crate::Format::Csv): columns `case` and `activity`, a row an event. An empty trace
//! has no row.

use rustc_hash::FxHashSet;

use super::{Encoder, Trace, Unwritable, spell};
use crate::Event;

/// The name of the current trace, and those that are taken: rows of the same name would be read as one trace.
#[derive(Default)]
pub(crate) struct Csv {
    current: String,
    taken: FxHashSet<String>,
}

impl Encoder for Csv {
    fn start(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"case,activity\n");
    }

    fn begin(&mut self, _out: &mut Vec<u8>, trace: &Trace, copy: u64) {
        let name = trace.name(copy).trim().replace('\r', " ");
        self.current = name.clone();
        let mut again = 2;
        while self.current.is_empty() || self.taken.contains(&self.current) {
            self.current = format!("{name}~{again}");
            again += 1;
        }
        self.taken.insert(self.current.clone());
    }

    fn event(&mut self, out: &mut Vec<u8>, event: &Event) -> Result<(), Unwritable> {
        // A carriage return before a line break is taken for a part of it.
        let word = spell(event, |word| word.contains('\r'))?;
        field(out, &self.current);
        out.push(b',');
        field(out, &word);
        out.push(b'\n');
        Ok(())
    }

    fn end(&mut self, _out: &mut Vec<u8>) {}
}

/// Writes a field, quoted if it must be.
fn field(out: &mut Vec<u8>, text: &str) {
    if !text.contains([',', ';', '\t', '"', '\n']) {
        return out.extend_from_slice(text.as_bytes());
    }
    out.push(b'"');
    out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}
