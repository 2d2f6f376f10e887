//! The words of formulas: operators, labels, parentheses. The rules are documented at `Formula::parse`.

use std::ops::Range;

use crate::formula::Op;
use crate::parse::FormulaError;

/// A word of a formula and where it stands, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Atom(String),
    Constant(Op<String>),
    Unary(Op<String>),
    Binary(Op<String>),
    StrongNext,
    WeakNext,
    Open,
    Close,
}

impl TokenKind {
    /// Returns whether a formula can end with this word.
    pub(crate) fn ends_operand(&self) -> bool {
        matches!(self, Self::Atom(_) | Self::Constant(_) | Self::Close)
    }
}

/// Gives the words of a text one after the other.
pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

/// Operators and constants that are not made of letters. Where one begins like another, the longer comes
/// first.
const SYMBOLS: &[(&str, TokenKind)] = &[
    ("<->", TokenKind::Binary(Op::Iff)),
    ("<=>", TokenKind::Binary(Op::Iff)),
    ("<>", TokenKind::Unary(Op::Eventually)),
    ("[end]", TokenKind::Constant(Op::End)),
    ("[]", TokenKind::Unary(Op::Always)),
    ("()", TokenKind::Unary(Op::Next)),
    ("->", TokenKind::Binary(Op::Implies)),
    ("=>", TokenKind::Binary(Op::Implies)),
    ("&&", TokenKind::Binary(Op::And)),
    ("&", TokenKind::Binary(Op::And)),
    ("/\\", TokenKind::Binary(Op::And)),
    ("||", TokenKind::Binary(Op::Or)),
    ("|", TokenKind::Binary(Op::Or)),
    ("\\/", TokenKind::Binary(Op::Or)),
    ("!", TokenKind::Unary(Op::Not)),
    ("~", TokenKind::Unary(Op::Not)),
    ("(", TokenKind::Open),
    (")", TokenKind::Close),
    ("¬", TokenKind::Unary(Op::Not)),
    ("∧", TokenKind::Binary(Op::And)),
    ("∨", TokenKind::Binary(Op::Or)),
    ("→", TokenKind::Binary(Op::Implies)),
    ("⇒", TokenKind::Binary(Op::Implies)),
    ("↔", TokenKind::Binary(Op::Iff)),
    ("⇔", TokenKind::Binary(Op::Iff)),
    ("□", TokenKind::Unary(Op::Always)),
    ("◻", TokenKind::Unary(Op::Always)),
    ("◇", TokenKind::Unary(Op::Eventually)),
    ("◊", TokenKind::Unary(Op::Eventually)),
    ("⋄", TokenKind::Unary(Op::Eventually)),
    ("○", TokenKind::Unary(Op::Next)),
    ("◯", TokenKind::Unary(Op::Next)),
    ("⊤", TokenKind::Constant(Op::True)),
    ("⊥", TokenKind::Constant(Op::False)),
];

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The next word; nothing at the end of the text.
    pub(crate) fn next(&mut self) -> Result<Option<Token>, FormulaError> {
        self.skip_space();
        let start = self.at;
        let Some(first) = self.rest().chars().next() else { return Ok(None) };
        let kind = if first == '"' || first == '\'' {
            self.quoted(first)?
        } else if let Some(end) = self.word_end() {
            self.at = end;
            self.word(start)
        } else if let Some((symbol, kind)) =
            SYMBOLS.iter().find(|(symbol, _)| self.rest().starts_with(symbol))
        {
            self.at += symbol.len();
            kind.clone()
        } else {
            return Err(self.unknown(first));
        };
        Ok(Some(Token { kind, span: start..self.at }))
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// The end of the label, or of the operator spelled in letters, that begins here; `None` when neither
    /// does.
    fn word_end(&self) -> Option<usize> {
        let mut end = self.at;
        loop {
            let (so_far, rest) = (&self.text[self.at..end], &self.text[end..]);
            // After an operator, `!` and `<` begin something new, as in `G!a` and `G<init>`.
            let joins = operator_word(so_far).is_none();
            let step = match rest.chars().next() {
                Some(c) if is_label_char(c) => c.len_utf8(),
                Some('<') if joins => angle_name(rest).unwrap_or(0),
                Some('!') if joins && !so_far.is_empty() => usize::from(begins_label(&rest[1..])),
                _ => 0,
            };
            if step == 0 {
                return (!so_far.is_empty()).then_some(end);
            }
            end += step;
        }
    }

    fn word(&mut self, start: usize) -> TokenKind {
        let word = &self.text[start..self.at];
        let Some(kind) = operator_word(word) else { return TokenKind::Atom(word.to_owned()) };
        if word == "X" {
            let after = self.rest().trim_start();
            for (mark, kind) in [("[!]", TokenKind::StrongNext), ("[?]", TokenKind::WeakNext)] {
                if after.starts_with(mark) {
                    self.skip_space();
                    self.at += mark.len();
                    return kind;
                }
            }
        }
        kind
    }

    fn quoted(&mut self, quote: char) -> Result<TokenKind, FormulaError> {
        let start = self.at;
        let mut label = String::new();
        let mut chars = self.text[start + 1..].char_indices();
        while let Some((offset, c)) = chars.next() {
            if c == quote {
                self.at = start + 1 + offset + 1;
                return Ok(TokenKind::Atom(label));
            }
            // A backslash at the very end protects nothing, and the quote is unclosed anyway.
            let protected = if c == '\\' { chars.next().map(|(_, next)| next) } else { None };
            label.push(protected.unwrap_or(c));
        }
        Err(FormulaError::new(
            self.text,
            start..start + 1,
            "opened here",
            "this quote is never closed".into(),
            format!("add a {quote} where the label ends"),
        ))
    }

    fn unknown(&self, found: char) -> FormulaError {
        let span = self.at..self.at + found.len_utf8();
        // The stretch without white space around the character, in case it is one label.
        let ends_word = |c: char| c.is_whitespace() || "()!&|\"'".contains(c);
        let from = self.text[..self.at]
            .rfind(ends_word)
            .map_or(0, |at| at + self.text[at..].chars().next().map_or(0, char::len_utf8));
        let to = self.rest().find(ends_word).map_or(self.text.len(), |offset| self.at + offset);
        let stretch = &self.text[from..to];
        let inside = from < self.at && to > span.end;
        let help = match found {
            '=' => "equivalence is written `<->`, implication `->`".to_owned(),
            '[' if self.rest().starts_with("[!]") || self.rest().starts_with("[?]") => {
                "`[!]` and `[?]` belong to `X`: `X[!] a` or `X[?] a`".to_owned()
            }
            '[' | ']' => "`[]` is `G`, `[end]` the end of the word, `X[!]` and `X[?]` the strong and weak next".to_owned(),
            _ if inside => format!("a label with such a character is written in quotes: \"{stretch}\""),
            '-' => "implication is written `->`".to_owned(),
            '<' | '>' => "`<>` is `F`, `<->` equivalence; other labels with `<` are written in quotes".to_owned(),
            '^' | '+' | '*' | '/' | '\\' | ',' | ';' => {
                "the operators are ! X F G U W R M & | -> and <->; a label with such a character is written in quotes"
                    .to_owned()
            }
            _ => "a label with such a character is written in quotes".to_owned(),
        };
        FormulaError::new(self.text, span, "not understood", format!("`{found}` is not an operator"), help)
    }
}

/// Characters of which labels consist that need no quotes, the rules for `!` and `<` aside.
fn is_label_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':')
}

fn begins_label(text: &str) -> bool {
    text.starts_with(is_label_char) || angle_name(text).is_some()
}

/// The length of a name in angle brackets, as in `<init>`, with which `text` begins.
fn angle_name(text: &str) -> Option<usize> {
    let name = text.strip_prefix('<')?;
    let length = name.find(|c| !is_label_char(c))?;
    (length > 0 && name[length..].starts_with('>')).then_some(length + 2)
}

/// The operator or constant that is spelled with these letters.
fn operator_word(word: &str) -> Option<TokenKind> {
    Some(match word {
        "true" => TokenKind::Constant(Op::True),
        "false" => TokenKind::Constant(Op::False),
        "G" => TokenKind::Unary(Op::Always),
        "F" => TokenKind::Unary(Op::Eventually),
        "X" | "o" => TokenKind::Unary(Op::Next),
        "U" => TokenKind::Binary(Op::Until),
        "W" => TokenKind::Binary(Op::WeakUntil),
        "R" => TokenKind::Binary(Op::Release),
        "M" => TokenKind::Binary(Op::StrongRelease),
        _ => return None,
    })
}
