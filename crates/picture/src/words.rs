//! Text in columns: spelling, width and line breaks of labels in a picture.

use std::collections::BTreeMap;

use adit_trace::Label;

use super::DrawnCall;

/// Returns a label as spelled in a picture: `add ✓`, `add ✗`, `pop ⚠ EmptyStackException`.
pub(crate) fn mark(label: &str) -> String {
    marked(Label::parse(label))
}

/// The texts that stand for a label where a reader types one: as it reads in files and in pictures, with and
/// without its parameter types, and the method alone, which stands for all its outcomes.
pub fn spellings(label: Label<'_>) -> Vec<String> {
    let mut all = Vec::new();
    for label in [label, label.without_parameters()] {
        for text in [label.to_string(), marked(label), label.method().to_owned()] {
            if !all.contains(&text) {
                all.push(text);
            }
        }
    }
    all
}

fn marked(label: Label<'_>) -> String {
    let method = label.method();
    match (label.answer(), label.threw()) {
        (Some(true), _) => format!("{method} ✓"),
        (Some(false), _) => format!("{method} ✗"),
        (None, Some(class)) => format!("{method} ⚠ {class}"),
        (None, None) => method.to_owned(),
    }
}

/// Returns the width of a text in columns of a monospaced font. Characters that fonts lack often come from a
/// wider font.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) || u32::from(c) >= 0x2190 { 2 } else { 1 }).sum()
}

/// Returns the width of a text in columns of a terminal.
pub fn terminal_columns(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

/// Returns true for characters of double width: East Asian scripts and emoji.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd)
}

/// Replaces invisible characters that change how others are shown: control characters break lines, and marks
/// of direction can make a name look like another.
pub fn legible(text: &str) -> String {
    let seen = |c: char| if c.is_control() || turns(c) { '\u{fffd}' } else { c };
    text.chars().map(seen).collect()
}

/// Returns true for characters that change the direction of writing.
pub(crate) fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Shortens a text to `most` columns by an ellipsis in its middle.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let text = legible(text);
    if columns(&text) <= most {
        return text;
    }
    let cut = |chars: &mut dyn Iterator<Item = char>, room: usize| {
        let mut taken = String::new();
        for c in chars {
            if columns(&taken) + columns(c.encode_utf8(&mut [0; 4])) > room {
                break;
            }
            taken.push(c);
        }
        taken
    };
    let room = most.saturating_sub(2);
    let start = cut(&mut text.chars(), room - room / 3);
    let end: String = cut(&mut text.chars().rev(), room / 3).chars().rev().collect();
    format!("{start}…{end}")
}

/// Breaks a text at spaces into lines of at most `most` columns.
pub(crate) fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').map(|word| shortened(word, most)) {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(&word) <= most => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    // A name is a name and no essay.
    const LINES: usize = 6;
    if lines.len() > LINES {
        lines.truncate(LINES - 1);
        lines.push("…".to_owned());
    }
    lines
}

/// Separator of two calls on a line.
pub(crate) const BETWEEN: &str = ", ";

/// Tells whether a part of a line is the exception above calls, and no call.
pub(crate) fn is_heading(call: &DrawnCall) -> bool {
    call.label.is_empty() && call.shown.ends_with(':')
}

/// Breaks calls into lines of at most `most` columns; calls beyond `lines` lines are counted.
pub(crate) fn flow(calls: Vec<DrawnCall>, most: usize, lines: usize) -> Vec<Vec<DrawnCall>> {
    at_most(flowing(calls, most), lines)
}

/// Returns the calls that a state refuses in lines: those that throw the same stand together behind their
/// exception, which has a line of its own: `⚠ IllegalStateException:`.
pub(crate) fn refusals(calls: Vec<DrawnCall>, most: usize, lines: usize) -> Vec<Vec<DrawnCall>> {
    let mut groups: BTreeMap<String, Vec<DrawnCall>> = BTreeMap::new();
    let mut alone = Vec::new();
    for call in calls {
        match Label::parse(&call.label).threw().map(str::to_owned) {
            Some(class) if !call.maybe => groups.entry(class).or_default().push(call),
            _ => alone.push(call),
        }
    }
    let mut together = Vec::new();
    for (class, mut group) in groups {
        if group.len() == 1 {
            alone.append(&mut group);
            continue;
        }
        for call in &mut group {
            call.shown = shortened(Label::parse(&call.label).method(), most - 1);
        }
        let shown = format!("{}:", shortened(&format!("⚠ {class}"), most - 1));
        together.push(vec![DrawnCall { label: String::new(), shown, pure: false, maybe: false, edge: None }]);
        together.extend(flowing(group, most));
    }
    let mut flowed = flowing(alone, most);
    flowed.append(&mut together);
    at_most(flowed, lines)
}

/// Breaks calls into lines of at most `most` columns.
fn flowing(calls: Vec<DrawnCall>, most: usize) -> Vec<Vec<DrawnCall>> {
    let mut flowed: Vec<Vec<DrawnCall>> = Vec::new();
    for call in calls {
        match flowed.last_mut() {
            Some(line) if line_columns(line) + BETWEEN.len() + columns(&call.shown) <= most => {
                line.push(call)
            }
            _ => flowed.push(vec![call]),
        }
    }
    flowed
}

/// Keeps at most `lines` lines, the last of which says how many calls are left out.
fn at_most(mut flowed: Vec<Vec<DrawnCall>>, lines: usize) -> Vec<Vec<DrawnCall>> {
    let count =
        |lines: &[Vec<DrawnCall>]| lines.iter().flatten().filter(|call| !call.label.is_empty()).count();
    let all = count(&flowed);
    if flowed.len() > lines {
        flowed.truncate(lines - 1);
        let shown = count(&flowed);
        let edge = flowed.iter().flatten().find_map(|call| call.edge);
        let more = format!("… and {} more", all - shown);
        flowed.push(vec![DrawnCall { label: String::new(), shown: more, pure: false, maybe: false, edge }]);
    }
    flowed
}

/// Returns the width of a line of calls, with a comma at its end.
pub(crate) fn line_columns(line: &[DrawnCall]) -> usize {
    let calls: usize = line.iter().map(|call| columns(&call.shown)).sum();
    calls + BETWEEN.len() * line.len().saturating_sub(1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_with_the_same_exception_stand_together() {
        let call = |label: &str| DrawnCall {
            label: label.to_owned(),
            shown: mark(label),
            pure: false,
            maybe: false,
            edge: None,
        };
        let told = |labels: &[&str], lines| -> Vec<String> {
            let lines = refusals(labels.iter().map(|label| call(label)).collect(), 34, lines);
            lines
                .iter()
                .map(|line| line.iter().map(|call| call.shown.as_str()).collect::<Vec<_>>().join(", "))
                .collect()
        };
        assert_eq!(
            told(&["add!StateError", "pay!StateError", "read!IOException", "ship!StateError"], 9),
            ["read ⚠ IOException", "⚠ StateError:", "add, pay, ship"]
        );
        let many: Vec<String> = (0..9).map(|number| format!("method{number}!StateError")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(told(&many, 3), ["⚠ StateError:", "method0, method1, method2", "… and 6 more"]);
    }

    #[test]
    fn outcomes_become_marks() {
        let marked = ["add:TRUE", "add:FALSE", "pop!EmptyStackException", "next", "a != b", ""].map(mark);
        assert_eq!(marked, ["add ✓", "add ✗", "pop ⚠ EmptyStackException", "next", "a != b", ""]);
    }

    #[test]
    fn a_label_has_several_spellings() {
        assert_eq!(spellings(Label::parse("next")), ["next"]);
        assert_eq!(spellings(Label::parse("add:TRUE")), ["add:TRUE", "add ✓", "add"]);
        assert_eq!(
            spellings(Label::parse("remove(Object):TRUE")),
            [
                "remove(Object):TRUE",
                "remove(Object) ✓",
                "remove(Object)",
                "remove:TRUE",
                "remove ✓",
                "remove"
            ]
        );
    }

    #[test]
    fn long_text_loses_its_middle() {
        assert_eq!(shortened("short", 10), "short");
        let name = "getRemoteSocketAddressOrNullIfClosed";
        assert_eq!(shortened(name, 20), "getRemoteSoc…Closed");
        assert!(columns(&shortened(name, 20)) <= 20);
        assert_eq!(shortened("a\nb", 10), "a\u{fffd}b");
        assert_eq!(legible("is\u{202e}neddih\u{2066}\u{200f}"), "is\u{fffd}neddih\u{fffd}\u{fffd}");
        assert!(columns(&shortened(&"電".repeat(50), 20)) <= 20);
        assert_eq!(shortened("abc", 0), "…");
    }

    #[test]
    fn names_break_at_spaces_and_calls_between_them() {
        assert_eq!(wrapped("1 not hasMoreElements, not hasMoreTokens", 24).len(), 2);
        let call = |shown: &str| DrawnCall {
            label: shown.to_owned(),
            shown: shown.to_owned(),
            pure: false,
            maybe: false,
            edge: Some(0),
        };
        let calls: Vec<DrawnCall> = ["one", "two", "three", "four", "five", "six"].map(call).to_vec();
        let told = |lines: Vec<Vec<DrawnCall>>| -> Vec<String> {
            lines
                .iter()
                .map(|line| line.iter().map(|call| call.shown.as_str()).collect::<Vec<_>>().join(" "))
                .collect()
        };
        assert_eq!(told(flow(calls.clone(), 10, 9)), ["one two", "three", "four", "five six"]);
        assert_eq!(told(flow(calls, 10, 2)), ["one two", "… and 4 more"]);
    }
}
