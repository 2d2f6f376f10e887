//! The tools of every reader: a file that can point at its faults, and a cursor over it that skips comments
//! and keeps the remarks it finds in them.

use std::ops::Range;

use super::Spelling;
use super::error::{FormatError, did_you_mean};

/// A file being read.
#[derive(Clone, Copy)]
pub(super) struct File<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    pub(super) spelling: Spelling,
}

impl<'a> File<'a> {
    /// An error about `span` of this file.
    pub(super) fn error(
        &self,
        span: Range<usize>,
        problem: impl Into<String>,
        help: impl Into<String>,
    ) -> FormatError {
        FormatError::new(self.name, self.text, span, problem.into(), help.into())
    }

    /// `count` as a number of states, unless a file this short cannot mean it.
    ///
    /// Formats that only declare a number could otherwise ask for any amount of memory with a few bytes. A
    /// million more than the file has bytes lets every honest file through.
    pub(super) fn state_count(&self, count: u64, span: Range<usize>) -> Result<usize, FormatError> {
        let limit = (self.text.len() as u64 + 1_000_000).min(u64::from(u32::MAX));
        if count > limit {
            let help = "a file of this size can declare at most a million states more than it has bytes";
            return Err(self.error(span, format!("{count} states are declared"), help));
        }
        Ok(count as usize)
    }

    /// The most transitions that a file this long may stand for.
    ///
    /// Some formats let one line mean a transition for every pair of states or for every event; a million
    /// more than the file has bytes lets every honest file through.
    pub(super) fn most_edges(&self) -> usize {
        self.text.len() + 1_000_000
    }

    /// The lines with their offsets, without line ends.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let text = self.text;
        let mut start = 0;
        std::iter::from_fn(move || {
            if start >= text.len() {
                return None;
            }
            let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
            let line = (start, text[start..end].trim_end_matches('\r'));
            start = end + 1;
            Some(line)
        })
    }
}

/// The syntax of comments in a format.
#[derive(Clone, Copy)]
pub(super) struct Comments {
    /// The signs that start a comment which ends with its line.
    pub(super) line: &'static [&'static str],
    /// `/* … */` is a comment.
    pub(super) block: bool,
    /// Block comments nest.
    pub(super) nested: bool,
}

impl Comments {
    /// No comments at all.
    pub(super) const NONE: Self = Self { line: &[], block: false, nested: false };
    /// `// …` and `/* … */`.
    pub(super) const C: Self = Self { line: &["//"], block: true, nested: false };
}

/// A remark that a comment of our own holds after `adit:`, with its offset in the file.
pub(super) struct Remark<'a> {
    pub(super) at: usize,
    pub(super) text: &'a str,
}

/// A cursor over a file, or over a part of one.
pub(super) struct Scanner<'a> {
    pub(super) file: File<'a>,
    text: &'a str,
    base: usize,
    at: usize,
    comments: Comments,
    pub(super) remarks: Vec<Remark<'a>>,
}

impl<'a> Scanner<'a> {
    /// A cursor at the start of `file`.
    pub(super) fn new(file: File<'a>, comments: Comments) -> Self {
        Self { file, text: file.text, base: 0, at: 0, comments, remarks: Vec::new() }
    }

    /// A cursor over `text`, which stands at `base` of `file`, for a part without comments.
    pub(super) fn part(file: File<'a>, text: &'a str, base: usize) -> Self {
        Self { file, text, base, at: 0, comments: Comments::NONE, remarks: Vec::new() }
    }

    /// The offset of the cursor in the file.
    pub(super) fn at(&self) -> usize {
        self.base + self.at
    }

    /// The rest of the text, from the cursor on.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next character, without skipping anything.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes the next character.
    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Moves past white space and comments.
    pub(super) fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if let Some(marker) = self.comments.line.iter().find(|marker| trimmed.starts_with(**marker)) {
                let end = trimmed.find('\n').unwrap_or(trimmed.len());
                self.remark(marker.len(), end);
                self.at += end;
            } else if self.comments.block && trimmed.starts_with("/*") {
                let end = self.comment_end(trimmed);
                self.remark(2, end.saturating_sub(2).max(2));
                self.at += end;
            } else {
                return;
            }
        }
    }

    /// The length of the block comment at the start of `text`, which may lack its end.
    fn comment_end(&self, text: &str) -> usize {
        let bytes = text.as_bytes();
        let (mut at, mut depth) = (2, 1);
        while depth > 0 {
            match bytes.get(at..at + 2) {
                None => return text.len(),
                Some(b"*/") => (at, depth) = (at + 2, depth - 1),
                Some(b"/*") if self.comments.nested => (at, depth) = (at + 2, depth + 1),
                Some(_) => at += 1,
            }
        }
        at
    }

    /// Keeps the comment between `from` and `to` of the rest if it is a remark of our own.
    fn remark(&mut self, from: usize, to: usize) {
        let rest = self.rest();
        let body = rest.get(from..to.min(rest.len())).unwrap_or_default();
        if let Some(text) = body.trim_start().strip_prefix("adit:") {
            let at = self.at() + from + (body.len() - text.len());
            self.remarks.push(Remark { at, text: text.trim_end() });
        }
    }

    /// Returns whether nothing but white space and comments is left.
    pub(super) fn done(&mut self) -> bool {
        self.skip();
        self.rest().is_empty()
    }

    /// Takes `token` if it comes next.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        self.skip();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Takes `token`, which must come next.
    pub(super) fn expect(&mut self, token: &str, place: &str) -> Result<(), FormatError> {
        if self.eat(token) { Ok(()) } else { Err(self.unexpected(&format!("`{token}` {place}"))) }
    }

    /// Takes a word of letters, digits and underscores that does not start with a digit.
    pub(super) fn word(&mut self) -> Option<(&'a str, Range<usize>)> {
        self.skip();
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return None;
        }
        self.take_while(|c| c.is_alphanumeric() || c == '_')
    }

    /// Takes a word, which must come next; `wanted` says what it stands for.
    pub(super) fn expect_word(&mut self, wanted: &str) -> Result<(&'a str, Range<usize>), FormatError> {
        match self.word() {
            Some(word) => Ok(word),
            None => Err(self.unexpected(wanted)),
        }
    }

    /// Takes a whole number, which must come next.
    pub(super) fn expect_number(&mut self, wanted: &str) -> Result<(u64, Range<usize>), FormatError> {
        self.skip();
        let Some((digits, span)) = self.take_while(|c| c.is_ascii_digit()) else {
            return Err(self.unexpected(wanted));
        };
        let help = "numbers of states and events stay below 2^32";
        let number = digits.parse::<u64>().ok().filter(|&number| number <= u64::from(u32::MAX));
        match number {
            Some(number) => Ok((number, span)),
            None => Err(self.file.error(span, "this number is too large", help)),
        }
    }

    /// Takes the longest run of characters that satisfy `keep`, without skipping; none if it is empty.
    pub(super) fn take_while(&mut self, keep: impl Fn(char) -> bool) -> Option<(&'a str, Range<usize>)> {
        let rest = self.rest();
        let end = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        let span = self.at()..self.at() + end;
        self.at += end;
        (end > 0).then_some((&rest[..end], span))
    }

    /// Moves forward by `bytes`, which must end at a character.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// An error that says what was found instead of `wanted`.
    pub(super) fn unexpected(&mut self, wanted: &str) -> FormatError {
        self.skip();
        let Some(found) = self.peek() else {
            let at = self.at();
            let whole = at == self.file.text.len();
            let what = if whole { "the file" } else { "the line" };
            let help = if whole { "was the file cut off?".to_owned() } else { format!("add {wanted}") };
            return self.file.error(at..at, format!("expected {wanted}, but {what} ends here"), help);
        };
        let shown: String = self.rest().chars().take_while(|c| !c.is_whitespace()).take(20).collect();
        let shown = if shown.is_empty() { found.to_string() } else { shown };
        let problem = format!("expected {wanted}, found `{}`", shown.escape_debug());
        let at = self.at();
        self.file.error(at..at + shown.len(), problem, format!("write {wanted} here"))
    }

    /// An error if anything but comments is left after the end of `what`.
    pub(super) fn expect_end(&mut self, what: &str) -> Result<(), FormatError> {
        if self.done() {
            return Ok(());
        }
        let at = self.at();
        let help = format!("remove what follows; a file holds one {what}");
        Err(self.file.error(at..at + 1, format!("there is more after the end of the {what}"), help))
    }

    /// Takes a string in double quotes with JSON's escapes.
    pub(super) fn json_string(&mut self, wanted: &str) -> Result<String, FormatError> {
        if !self.eat("\"") {
            return Err(self.unexpected(wanted));
        }
        let start = self.at() - 1;
        let mut out = String::new();
        loop {
            let (plain, _) = self.take_while(|c| !matches!(c, '"' | '\\' | '\n')).unwrap_or_default();
            out.push_str(plain);
            let at = self.at();
            match self.bump() {
                Some('"') => return Ok(out),
                Some('\\') => {
                    let Some(c) = self.json_escape() else {
                        let help = r#"known escapes are \" \\ \/ \b \f \n \r \t and \u with four hexadecimal digits"#;
                        return Err(self.file.error(at..self.at(), "this escape is not known", help));
                    };
                    out.push(c);
                }
                _ => {
                    let help = "close the string with `\"`; write a line break inside it as \\n";
                    return Err(self.file.error(start..start + 1, "this string is never closed", help));
                }
            }
        }
    }

    /// The character that the escape after a backslash stands for.
    fn json_escape(&mut self) -> Option<char> {
        Some(match self.bump()? {
            '"' => '"',
            '\\' => '\\',
            '/' => '/',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let unit = self.hex4()?;
                if (0xd800..0xdc00).contains(&unit) {
                    // Characters beyond the first plane come as two halves.
                    self.rest().starts_with("\\u").then(|| self.advance(2))?;
                    let low = self.hex4().filter(|low| (0xdc00..0xe000).contains(low))?;
                    char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00))?
                } else {
                    char::from_u32(unit)?
                }
            }
            _ => return None,
        })
    }

    fn hex4(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}

/// `text` in double quotes with JSON's escapes; characters in `also` are escaped by number too.
pub(super) fn json_quote(text: &str, also: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            // By number it would end a comment of Java, which replaces numbers before it looks for comments.
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || also.contains(c) => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// An error about a word that is none of `known`.
pub(super) fn unknown_word(
    file: File<'_>,
    span: Range<usize>,
    kind: &str,
    word: &str,
    known: &[&'static str],
) -> FormatError {
    let near = did_you_mean(word, known.iter().copied());
    let problem = format!("`{}` is not a {kind}{near}", word.escape_debug());
    file.error(span, problem, format!("known here: {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> File<'_> {
        File { name: "f", text, spelling: Spelling::PLAIN }
    }

    #[test]
    fn remarks_are_found_in_any_comment() {
        let text = "/* x */ // adit: one\n/* adit: two */ word";
        let mut scanner = Scanner::new(file(text), Comments::C);
        assert_eq!(scanner.word().map(|(word, _)| word), Some("word"));
        let remarks: Vec<_> = scanner.remarks.iter().map(|remark| (remark.at, remark.text)).collect();
        assert_eq!(remarks, [(16, " one"), (29, " two")]);
    }

    #[test]
    fn strings_come_back_from_quotes() {
        for text in ["", "a\"b\\c\n\t\u{1}", "ü 🦀 \u{2028}", "*/ {}"] {
            let quoted = json_quote(text, "*{🦀");
            let mut scanner = Scanner::new(file(&quoted), Comments::NONE);
            assert_eq!(scanner.json_string("a string").unwrap(), text);
            assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text, "it is JSON to others too");
        }
    }

    #[test]
    fn half_a_character_is_no_character() {
        for text in [r#""\ud83e""#, r#""\ud83e\u0041""#, r#""\uXYZW""#, r#""\q""#, "\"a"] {
            assert!(Scanner::new(file(text), Comments::NONE).json_string("a string").is_err(), "{text}");
        }
    }
}
