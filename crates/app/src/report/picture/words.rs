//! Text in columns: how labels read in a picture, how wide they are, and how many go on a line.

use adit_trace::Label;

use super::Call;

/// A label as it is shown: `add ✓`, `add ✗`, `pop ⚠ EmptyStackException`.
pub(crate) fn mark(label: &str) -> String {
    marked(Label::parse(label))
}

/// The texts that stand for a label where a reader types one: as it reads in files and in pictures, with and without its
/// parameter types, and the method alone, which stands for all its outcomes.
pub(crate) fn spellings(label: Label<'_>) -> Vec<String> {
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

/// How many columns of a monospaced font a text takes in a picture. Signs that fonts lack often come from a wider one.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) || u32::from(c) >= 0x2190 { 2 } else { 1 }).sum()
}

/// How many columns of a terminal a text takes.
pub(crate) fn terminal_columns(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

/// Whether a sign is as wide as two letters: those of East Asian scripts, and pictures.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd)
}

/// The text with a sign for each that cannot be seen and changes how others are shown: control characters break lines, and
/// marks of direction can make a name read like another.
pub(crate) fn legible(text: &str) -> String {
    let seen = |c: char| if c.is_control() || turns(c) { '\u{fffd}' } else { c };
    text.chars().map(seen).collect()
}

/// Whether a sign changes the direction in which others are written.
pub(crate) fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text, with a gap in its middle when it takes more than `most` columns.
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

/// A text in lines of at most `most` columns, broken at spaces.
pub(super) fn wrapped(text: &str, most: usize) -> Vec<String> {
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

/// What stands between two calls on a line.
pub(super) const BETWEEN: &str = ", ";

/// Calls in lines of at most `most` columns; when there are more than `lines` of them, the rest is counted.
pub(super) fn flow(calls: Vec<Call>, most: usize, lines: usize) -> Vec<Vec<Call>> {
    let all = calls.len();
    let mut flowed: Vec<Vec<Call>> = Vec::new();
    for call in calls {
        match flowed.last_mut() {
            Some(line) if line_columns(line) + BETWEEN.len() + columns(&call.shown) <= most => {
                line.push(call)
            }
            _ => flowed.push(vec![call]),
        }
    }
    if flowed.len() > lines {
        flowed.truncate(lines - 1);
        let shown: usize = flowed.iter().map(Vec::len).sum();
        let edge = flowed[0][0].edge;
        let more = format!("… and {} more", all - shown);
        flowed.push(vec![Call { label: String::new(), shown: more, pure: false, maybe: false, edge }]);
    }
    flowed
}

/// How many columns a line of calls takes, with a comma at its end.
pub(super) fn line_columns(line: &[Call]) -> usize {
    let calls: usize = line.iter().map(|call| columns(&call.shown)).sum();
    calls + BETWEEN.len() * line.len().saturating_sub(1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let call = |shown: &str| Call {
            label: shown.to_owned(),
            shown: shown.to_owned(),
            pure: false,
            maybe: false,
            edge: Some(0),
        };
        let calls: Vec<Call> = ["one", "two", "three", "four", "five", "six"].map(call).to_vec();
        let told = |lines: Vec<Vec<Call>>| -> Vec<String> {
            lines
                .iter()
                .map(|line| line.iter().map(|call| call.shown.as_str()).collect::<Vec<_>>().join(" "))
                .collect()
        };
        assert_eq!(told(flow(calls.clone(), 10, 9)), ["one two", "three", "four", "five six"]);
        assert_eq!(told(flow(calls, 10, 2)), ["one two", "… and 4 more"]);
    }
}
