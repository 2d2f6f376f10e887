//! Labels that stand for calls of Java methods, as an application passes them to the formats: `add:TRUE`,
//! `pop!EmptyStackException`, `next(String)`, and `verify_EXIT592:FALSE` of other tools for `verify:FALSE`.

use adit_automata::Fsa;
use adit_automata::format::{Call, CallEnd, Format, FormatError, Spelling, WriteError, Written};

const SPELLING: Spelling = Spelling {
    from_word: without_line,
    from_identifier: |word| {
        let split = word.rsplit_once('_').filter(|(_, end)| matches!(*end, "TRUE" | "FALSE"));
        split.map_or_else(|| without_line(word), |(method, end)| format!("{}:{end}", without_line(method)))
    },
    call: |label| {
        let (method, end) = match label.split_once(['!', ':']) {
            None => (label, CallEnd::Any),
            Some((method, "TRUE")) => (method, CallEnd::Returned(true)),
            Some((method, "FALSE")) => (method, CallEnd::Returned(false)),
            Some((method, class)) if label[method.len()..].starts_with('!') => {
                (method, CallEnd::Threw(class))
            }
            Some(_) => return None,
        };
        let overload = method.strip_suffix(')').and_then(|method| method.split_once('('));
        let (method, parameters) = overload.map_or((method, None), |(method, types)| (method, Some(types)));
        Some(Call { method, parameters, end })
    },
};

/// `word` without `_EXIT` and the number of a source line, which Daikon-based tools put behind a method. One
/// published model has no numbers.
fn without_line(word: &str) -> String {
    let Some((method, rest)) = word.split_once("_EXIT") else { return word.to_owned() };
    let end = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let is_mark = end.len() < rest.len() || method.starts_with(char::is_lowercase);
    let at_end = end.is_empty() || end.starts_with([':', '!']);
    if is_mark && at_end && !method.is_empty() { format!("{method}{end}") } else { word.to_owned() }
}

pub(super) fn read(text: &[u8], name: &str, format: Option<Format>) -> Result<Fsa<String>, FormatError> {
    SPELLING.read(text, name, format)
}

pub(super) fn write(fsa: &Fsa<String>, format: Format, title: &str) -> Result<Written, WriteError> {
    SPELLING.write(fsa, format, title)
}
