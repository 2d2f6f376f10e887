//! Writes [`Format::Xes`](crate::Format::Xes): traces and events with their `concept:name`.

use super::{Encoder, Trace, Unwritable, spell};
use crate::Event;

const HEADER: &[u8] = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <log xes.version=\"1849-2016\" xmlns=\"http://www.xes-standard.org/\">\n\
    \x20 <extension name=\"Concept\" prefix=\"concept\" uri=\"http://www.xes-standard.org/concept.xesext\"/>\n";

pub(crate) struct Xes;

impl Encoder for Xes {
    fn start(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(HEADER);
    }

    fn begin(&mut self, out: &mut Vec<u8>, trace: &Trace, copy: u64) {
        out.extend_from_slice(b"  <trace>\n    <string key=\"concept:name\" value=\"");
        // A trace's name loses the characters that XML does not allow; an event's name must not.
        escape(out, &trace.name(copy).replace(|char| !allowed(char), "\u{fffd}"));
        out.extend_from_slice(b"\"/>\n");
    }

    fn event(&mut self, out: &mut Vec<u8>, event: &Event) -> Result<(), Unwritable> {
        let word = spell(event, |word| !word.chars().all(allowed))?;
        out.extend_from_slice(b"    <event><string key=\"concept:name\" value=\"");
        escape(out, &word);
        out.extend_from_slice(b"\"/></event>\n");
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"  </trace>\n");
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"</log>\n");
    }
}

/// Tells whether XML 1.0 allows the character at all (section 2.2 of the recommendation).
fn allowed(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// Writes an attribute's value. White space other than spaces must be a reference, or a parser makes it a
/// space.
fn escape(out: &mut Vec<u8>, text: &str) {
    for char in text.chars() {
        match char {
            '<' => out.extend_from_slice(b"&lt;"),
            '&' => out.extend_from_slice(b"&amp;"),
            '"' => out.extend_from_slice(b"&quot;"),
            '\t' | '\n' | '\r' => out.extend_from_slice(format!("&#{};", u32::from(char)).as_bytes()),
            other => out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}
