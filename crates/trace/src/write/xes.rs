//! Writes [`crate::read::Format::Xes`]: traces and events with their `concept:name`.

use super::{Trace, Unwritable, spell};
use crate::Event;

pub(super) const HEADER: &[u8] = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <log xes.version=\"1849-2016\" xmlns=\"http://www.xes-standard.org/\">\n\
    \x20 <extension name=\"Concept\" prefix=\"concept\" uri=\"http://www.xes-standard.org/concept.xesext\"/>\n";

pub(super) const FOOTER: &[u8] = b"</log>\n";

pub(super) fn begin(buffer: &mut Vec<u8>, trace: &Trace, copy: u64) {
    buffer.extend_from_slice(b"  <trace>\n    <string key=\"concept:name\" value=\"");
    // A name that XML cannot hold loses what it cannot hold; an event's name may not.
    escape(buffer, &trace.name(copy).replace(|char| !allowed(char), "\u{fffd}"));
    buffer.extend_from_slice(b"\"/>\n");
}

pub(super) fn event(buffer: &mut Vec<u8>, event: &Event) -> Result<(), Unwritable> {
    let word = spell(event, |word| !word.chars().all(allowed))?;
    buffer.extend_from_slice(b"    <event><string key=\"concept:name\" value=\"");
    escape(buffer, &word);
    buffer.extend_from_slice(b"\"/></event>\n");
    Ok(())
}

pub(super) fn end(buffer: &mut Vec<u8>) {
    buffer.extend_from_slice(b"  </trace>\n");
}

/// Whether XML 1.0 allows the character at all (section 2.2 of the recommendation).
fn allowed(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// Writes an attribute's value. White space other than spaces must be a reference, or a parser makes it a space.
fn escape(buffer: &mut Vec<u8>, text: &str) {
    for char in text.chars() {
        match char {
            '<' => buffer.extend_from_slice(b"&lt;"),
            '&' => buffer.extend_from_slice(b"&amp;"),
            '"' => buffer.extend_from_slice(b"&quot;"),
            '\t' | '\n' | '\r' => buffer.extend_from_slice(format!("&#{};", u32::from(char)).as_bytes()),
            other => buffer.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}
