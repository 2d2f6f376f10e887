//! Writes [`Format::Jsonl`](crate::Format::Jsonl), an event a line, with everything there is. The last line
//! of a trace says so, and a reader need not wait for more.

use super::{Encoder, Trace, Unwritable};
use crate::Event;
use crate::event_json::{fields, quoted};

/// The current trace and its latest line, which waits for the next event or the end: it may be the last.
#[derive(Default)]
pub(crate) struct Jsonl {
    id: String,
    weight: u64,
    line: Option<String>,
}

impl Encoder for Jsonl {
    fn begin(&mut self, _out: &mut Vec<u8>, trace: &Trace, copy: u64) {
        *self = Self { id: trace.name(copy), weight: trace.weight, line: None };
    }

    fn event(&mut self, out: &mut Vec<u8>, event: &Event) -> Result<(), Unwritable> {
        if let Some(line) = self.line.take() {
            out.extend_from_slice(line.as_bytes());
            out.extend_from_slice(b"}\n");
        }
        self.line = Some(format!("{{\"trace\":{},{}", quoted(&self.id), fields(event)));
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        let line = self.line.take().unwrap_or_else(|| format!("{{\"trace\":{}", quoted(&self.id)));
        out.extend_from_slice(line.as_bytes());
        if self.weight != 1 {
            out.extend_from_slice(format!(",\"weight\":{}", self.weight).as_bytes());
        }
        out.extend_from_slice(b",\"end\":true}\n");
    }
}
