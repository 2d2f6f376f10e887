//! Mermaid's `stateDiagram-v2`, for README files.
//!
//! `[*] --> s0` points at an initial state and `s1 --> [*]` leaves an accepting one. A transition reads
//! `event [guard]?`, where the guard is optional and the question mark says *maybe*; characters of an event
//! or guard that mean something to Mermaid or to HTML are written as `#58;`, so the marks cannot be mistaken.
//! A diagram without any `--> [*]` accepts everywhere.

use super::draft::{Draft, DraftEdge, Ids, Unmarked};
use super::error::FormatError;
use super::notes::{Notes, Remarks};
use super::scan::{File, Remark, json_quote};
use crate::{Fsa, Modality, State};

/// Writes `fsa`.
pub(super) fn write(fsa: &Fsa<String>, title: &str) -> String {
    let mut out = String::new();
    if !title.is_empty() {
        out.push_str(&format!("---\ntitle: {}\n---\n", json_quote(title, "")));
    }
    out.push_str("stateDiagram-v2\n");
    let mut remarks = Remarks::about(fsa);
    for state in fsa.states() {
        match fsa.name(state) {
            Some("") => remarks.lines.push(format!("name {state} \"\"")),
            Some(name) => {
                out.push_str(&format!("    s{state} : {}\n", encode(name)));
                continue;
            }
            None => {}
        }
        out.push_str(&format!("    s{state}\n"));
    }
    for state in fsa.initial() {
        out.push_str(&format!("    [*] --> s{state}\n"));
    }
    for edge in fsa.all_edges() {
        let guard = edge.guard.map(|guard| format!(" [{}]", encode(guard))).unwrap_or_default();
        let maybe = if edge.modality == Modality::Maybe { "?" } else { "" };
        out.push_str(&format!(
            "    s{} --> s{} : {}{guard}{maybe}\n",
            edge.from,
            edge.to,
            encode(edge.label)
        ));
    }
    for state in fsa.states().filter(|&state| fsa.is_accepting(state)) {
        out.push_str(&format!("    s{state} --> [*]\n"));
    }
    remarks.nothing_accepted();
    remarks.unused_labels();
    remarks.predicates();
    out + &remarks.comments("    %%", "")
}

/// `text` with a number for every character that is not plainly a letter, a digit or harmless.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let last = text.chars().count().saturating_sub(1);
    let mut before = ' ';
    for (at, c) in text.chars().enumerate() {
        let inner_space = c == ' ' && before != ' ' && at != last;
        if c.is_alphanumeric() || "_.,!()".contains(c) || inner_space {
            out.push(c);
        } else {
            out.push_str(&format!("#{};", u32::from(c)));
        }
        before = c;
    }
    out
}

/// The opposite of [`encode`], which also knows the names that Mermaid's own manual uses.
fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('#') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        // The longest code, #1114111;, has nine characters.
        let end = rest.bytes().take(10).position(|byte| byte == b';');
        let code = end.and_then(|end| match &rest[1..end] {
            "quot" => Some('"'),
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "colon" => Some(':'),
            "semi" => Some(';'),
            number => number.parse().ok().and_then(char::from_u32),
        });
        match (code, end) {
            (Some(c), Some(end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            _ => {
                out.push('#');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

/// Reads a flat state diagram.
pub(super) fn read(file: File<'_>) -> Result<Fsa<String>, FormatError> {
    let mut reader = Reader { file, draft: Draft::default(), ids: Ids::default() };
    let mut remarks = Vec::new();
    let (mut header, mut front_matter, mut note) = (false, false, false);
    for (start, line) in file.lines() {
        let at = start + (line.len() - line.trim_start().len());
        let line = line.trim();
        if let Some(comment) = line.strip_prefix("%%") {
            if let Some(text) = comment.trim_start().strip_prefix("adit:") {
                remarks.push(Remark { at: at + line.len() - text.len(), text });
            }
        } else if line == "---" && !header {
            front_matter = !front_matter;
        } else if front_matter || line.is_empty() {
        } else if !header {
            header = matches!(line, "stateDiagram" | "stateDiagram-v2");
            if !header {
                let help = "start the diagram with `stateDiagram-v2`";
                return Err(file.error(at..at + line.len(), "this is not a state diagram of Mermaid", help));
            }
        } else if note || line.starts_with("note ") {
            // A note without a colon goes on until it is ended.
            note = if note { line != "end note" } else { !line.contains(':') };
        } else {
            reader.line(line, at)?;
        }
    }
    if !header {
        let help = "start the diagram with `stateDiagram-v2`";
        return Err(file.error(0..0, "there is no state diagram in this file", help));
    }
    let notes = Notes::read(file, &remarks)?;
    reader.draft.number_by(&reader.ids.names, &["s"], &notes);
    if reader.draft.initial.is_empty() && notes.initial.is_none() {
        return Err(file.error(0..0, "the model has no initial state", "point at it: `[*] --> s0`"));
    }
    reader.draft.finish(file, notes, Unmarked::AllAccept)
}

struct Reader<'a> {
    file: File<'a>,
    draft: Draft,
    ids: Ids,
}

impl<'a> Reader<'a> {
    /// Lines that only concern the looks of a diagram start with these words.
    const LOOKS: [&'static str; 8] =
        ["direction", "classDef", "class", "style", "hide", "scale", "accTitle", "accDescr"];

    fn line(&mut self, line: &'a str, at: usize) -> Result<(), FormatError> {
        let span = at..at + line.len();
        let first = line.split(|c: char| c.is_whitespace() || c == ':').next().unwrap_or_default();
        if let Some((from, rest)) = line.split_once("-->") {
            return self.transition(from, rest, at);
        }
        if line.ends_with('{') || line == "}" || line == "--" {
            let help = "only flat diagrams are read: give every state of the inner diagram a name of its own";
            return Err(self.file.error(span, "this state holds a diagram of its own", help));
        }
        if Self::LOOKS.contains(&first) {
            return Ok(());
        }
        if let Some(declared) = line.strip_prefix("state ") {
            return match declared.trim().strip_prefix('"').and_then(|rest| rest.rsplit_once("\" as ")) {
                Some((name, id)) => self.name(id.trim(), name, span),
                None if declared.contains("<<") => {
                    let help = "choices, forks and joins are not read; let the transitions lead on directly";
                    Err(self.file.error(span, "this is not a plain state", help))
                }
                None => self.state(declared.trim(), span).map(drop),
            };
        }
        match line
            .split_once(" : ")
            .or_else(|| line.split_once(':').filter(|(_, rest)| !rest.starts_with("::")))
        {
            Some((id, name)) => self.name(id.trim(), name.trim(), span),
            None => self.state(line, span).map(drop),
        }
    }

    fn name(&mut self, id: &str, name: &str, span: std::ops::Range<usize>) -> Result<(), FormatError> {
        let state = self.state(id, span)?;
        self.draft.names.insert(state, decode(name));
        Ok(())
    }

    fn transition(&mut self, from: &'a str, rest: &'a str, at: usize) -> Result<(), FormatError> {
        // The first colon starts the label, unless it is one of the three that start a style class.
        let target = rest.find(':').filter(|&colon| rest[colon..].starts_with(":::")).map_or(0, |colon| {
            rest[colon + 3..]
                .find(|c: char| c.is_whitespace() || c == ':')
                .map_or(rest.len(), |end| colon + 3 + end)
        });
        let (to, label) = match rest[target..].find(':') {
            Some(colon) => (&rest[..target + colon], rest[target + colon + 1..].trim()),
            None => (rest, ""),
        };
        let (from, to) = (from.trim(), to.trim());
        let whole = from.len() + rest.len() + 3;
        let span = at..at + whole.max(1);
        if (from == "[*]" || to == "[*]") && !label.is_empty() {
            let help = "let the event lead to a state of its own, and that state to or from `[*]`";
            return Err(self.file.error(span, "a transition from or to `[*]` has no event", help));
        }
        match (from, to) {
            ("[*]", "[*]") => {
                Err(self.file.error(span, "this transition joins no states", "name a state on one side"))
            }
            ("[*]", _) => {
                let to = self.state(to, span)?;
                self.draft.initial.insert(to);
                Ok(())
            }
            (_, "[*]") => {
                let from = self.state(from, span)?;
                self.draft.accepting[from] = true;
                Ok(())
            }
            _ => {
                let (from, to) = (self.state(from, span.clone())?, self.state(to, span.clone())?);
                let edge = self.edge(from, label, to, span)?;
                self.draft.edges.push(edge);
                Ok(())
            }
        }
    }

    /// A transition whose label reads `event [guard]?`.
    fn edge(
        &self,
        from: State,
        text: &str,
        to: State,
        span: std::ops::Range<usize>,
    ) -> Result<DraftEdge, FormatError> {
        let (text, modality) = match text.strip_suffix('?') {
            Some(text) => (text, Modality::Maybe),
            None => (text, Modality::Required),
        };
        let guarded = text.strip_suffix(']').and_then(|text| text.rsplit_once(" ["));
        let (event, guard) = guarded.map_or((text, None), |(event, guard)| (event, Some(decode(guard))));
        let label = decode(event.trim());
        if label.is_empty() {
            return Err(self.file.error(
                span,
                "this transition has no event",
                "write it after a colon: `s0 --> s1 : event`",
            ));
        }
        Ok(DraftEdge { from, label, to, modality, guard })
    }

    fn state(&mut self, id: &str, span: std::ops::Range<usize>) -> Result<State, FormatError> {
        let id = id.split(":::").next().unwrap_or_default().trim();
        if id.is_empty() || id.contains(|c: char| c.is_whitespace() || "[]{}<>\"".contains(c)) {
            let help = "write `s0 --> s1 : event`, or a state's id alone on the line";
            return Err(self.file.error(span, format!("`{}` is not a state's id", id.escape_debug()), help));
        }
        let state = self.ids.number(id);
        if state == self.draft.accepting.len() {
            self.draft.accepting.push(false);
        }
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_back() {
        for text in ["plain", "a: b;c", "  two  spaces  ", "#58;", "<script>", "ü 🦀\n", "[x]?", "#", " "]
        {
            let encoded = encode(text);
            assert_eq!(decode(&encoded), text, "{encoded}");
            assert!(!encoded.contains([':', '<', '>', '"', '\n', '[', '?']), "{encoded}");
        }
        assert_eq!(decode("a #quot;b#quot; #9829; #nope; #"), "a \"b\" ♥ #nope; #");
    }
}
