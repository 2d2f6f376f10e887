//! Reading formulas, in both spellings, with errors that say where and what would help.
//!
//! Operators are moved by precedence straight into reverse Polish notation (Dijkstra's shunting yard), so
//! reading needs no recursion and a hostile formula of a million parentheses is only a long formula.

use std::ops::Range;
use std::str::FromStr;

use miette::{Diagnostic, SourceSpan};
use thiserror::Error;

use crate::formula::{Formula, Op};
use crate::lex::{Lexer, Token, TokenKind};

/// An error in a formula.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
#[error("{message} (column {column})")]
#[diagnostic(code(logic::formula))]
pub struct FormulaError {
    /// The problem.
    pub message: String,
    /// Advice that would fix it.
    #[help]
    pub help: String,
    /// The column of the first wrong character, counted in characters from 1. A formula of several lines
    /// counts on.
    pub column: usize,
    /// The formula.
    #[source_code]
    pub text: String,
    /// The wrong part, in bytes.
    #[label("{pointer}")]
    pub span: SourceSpan,
    /// The text at the mark of the snippet.
    pub pointer: String,
}

impl FormulaError {
    pub(crate) fn new(text: &str, span: Range<usize>, pointer: &str, message: String, help: String) -> Self {
        Self {
            message,
            help,
            column: text[..span.start].chars().count() + 1,
            text: text.to_owned(),
            span: span.into(),
            pointer: pointer.to_owned(),
        }
    }
}

impl Formula<String> {
    /// Reads a formula.
    ///
    /// | binds | operator | other spellings | groups |
    /// |---|---|---|---|
    /// | tightest | `!` `X` `F` `G` `X[!]` `X[?]` | `~` `¬`; `o` `()` `○`; `<>` `◇`; `[]` `□` | |
    /// | | `U` `W` `R` `M` | | `a U (b U c)` |
    /// | | `&` | `&&` `/\` `∧` | `(a & b) & c` |
    /// | | `\|` | `\|\|` `\/` `∨` | `(a \| b) \| c` |
    /// | | `->` | `=>` `→` `⇒` | `a -> (b -> c)` |
    /// | loosest | `<->` | `<=>` `↔` `⇔` | `a <-> (b <-> c)` |
    ///
    /// The constants are `true` (`⊤`), `false` (`⊥`) and `[end]`, which is true when the word is over.
    ///
    /// An atom is a label. Labels of letters, digits, `_`, `$`, `.` and `:` are written as they are, also
    /// with a `!` or a `<name>` in them as in `pop!EmptyStackException` and `List.<init>`. All others, and
    /// the labels `G`, `F`, `X`, `U`, `W`, `R`, `M`, `o`, `true` and `false`, are written in quotes, `"…"` or
    /// `'…'`, where a backslash protects the next character; quotes are always allowed. Three rules tell
    /// labels from operators:
    ///
    /// - An operator of letters stands alone: `G F a` and `G(a)`, while `GF` and `open` are labels.
    /// - `!` joins what touches it on both sides, so `pop!Empty` is a label and `pop & !Empty` is not; after
    ///   an operator it negates, as in `G!a`.
    /// - `<>` and `<->` are operators; `<` begins a label when a name and `>` follow at once.
    ///
    /// ```
    /// # use adit_logic::Formula;
    /// let formula = Formula::parse("[](open => o<>close)").expect("well formed");
    /// assert_eq!(formula.to_string(), "G(open -> X F close)");
    /// let error = Formula::parse("G(open -> Xf close)").expect_err("`Xf` is a label");
    /// assert_eq!((error.column, error.help.as_str()), (14, "operators stand alone: write `X F` for `Xf`"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let mut lexer = Lexer::new(text);
        let mut yard = Yard { text, ops: Vec::new(), waiting: Vec::new(), before: None };
        while let Some(token) = lexer.next()? {
            yard.take(token)?;
        }
        yard.finish()
    }
}

impl FromStr for Formula<String> {
    type Err = FormulaError;

    fn from_str(text: &str) -> Result<Self, FormulaError> {
        Self::parse(text)
    }
}

/// Returns whether `label` can stand in a formula without quotes.
pub(crate) fn is_bare(label: &str) -> bool {
    let mut lexer = Lexer::new(label);
    match (lexer.next(), lexer.next()) {
        (Ok(Some(Token { kind: TokenKind::Atom(read), span })), Ok(None)) => {
            read == label && span == (0..label.len())
        }
        _ => false,
    }
}

/// The state of the parser: parts in their final order, and operators that wait for their right operand.
struct Yard<'t> {
    text: &'t str,
    ops: Vec<Op<String>>,
    waiting: Vec<Waiting>,
    /// The token before the present one.
    before: Option<Token>,
}

enum Waiting {
    Operator(Op<String>),
    /// `X[!]`, whose `![end]` is in place already: `& X` are still to come.
    StrongNext,
    /// `X[?]`, whose `[end]` is in place already: `| X` are still to come.
    WeakNext,
    Parenthesis(Range<usize>),
}

impl Yard<'_> {
    fn take(&mut self, token: Token) -> Result<(), FormulaError> {
        let complete = self.before.as_ref().is_some_and(|before| before.kind.ends_operand());
        match (&token.kind, complete) {
            (TokenKind::Binary(op), true) => {
                self.settle(op.precedence(), op.groups_left());
                self.waiting.push(Waiting::Operator(op.clone()));
            }
            (TokenKind::Close, true) => {
                self.settle(0, true);
                if self.waiting.pop().is_none() {
                    return Err(self.stray_parenthesis(&token));
                }
            }
            (TokenKind::Atom(label), false) => self.ops.push(Op::Atom(label.clone())),
            (TokenKind::Constant(op), false) => self.ops.push(op.clone()),
            (TokenKind::Open, false) => self.waiting.push(Waiting::Parenthesis(token.span.clone())),
            (TokenKind::Unary(op), false) => self.waiting.push(Waiting::Operator(op.clone())),
            (TokenKind::StrongNext, false) => {
                self.ops.extend([Op::End, Op::Not]);
                self.waiting.push(Waiting::StrongNext);
            }
            (TokenKind::WeakNext, false) => {
                self.ops.push(Op::End);
                self.waiting.push(Waiting::WeakNext);
            }
            (_, true) => return Err(self.operator_missing(&token)),
            (_, false) => return Err(self.operand_missing(Some(&token))),
        }
        self.before = Some(token);
        Ok(())
    }

    /// Gives every waiting operator its right operand that binds tighter than `precedence`, or as tightly
    /// when operators of that precedence group to the left. Stops at a parenthesis.
    fn settle(&mut self, precedence: u8, groups_left: bool) {
        while let Some(top) = self.waiting.last() {
            let own = match top {
                Waiting::Parenthesis(_) => return,
                Waiting::Operator(op) => op.precedence(),
                Waiting::StrongNext | Waiting::WeakNext => Op::<String>::Next.precedence(),
            };
            if own < precedence || (own == precedence && !groups_left) {
                return;
            }
            match self.waiting.pop() {
                Some(Waiting::Operator(op)) => self.ops.push(op),
                Some(Waiting::StrongNext) => self.ops.extend([Op::And, Op::Next]),
                Some(Waiting::WeakNext) => self.ops.extend([Op::Or, Op::Next]),
                Some(Waiting::Parenthesis(_)) | None => return,
            }
        }
    }

    fn finish(mut self) -> Result<Formula<String>, FormulaError> {
        if !self.before.as_ref().is_some_and(|before| before.kind.ends_operand()) {
            return Err(self.operand_missing(None));
        }
        self.settle(0, true);
        if let Some(Waiting::Parenthesis(span)) = self.waiting.pop() {
            return Err(FormulaError::new(
                self.text,
                span,
                "opened here",
                "this parenthesis is never closed".into(),
                "add a `)` where the part it opens ends".into(),
            ));
        }
        Ok(Formula::from_ops(self.ops))
    }

    fn stray_parenthesis(&self, token: &Token) -> FormulaError {
        FormulaError::new(
            self.text,
            token.span.clone(),
            "nothing to close",
            "this `)` closes nothing".into(),
            "remove it, or add the `(` that it should close".into(),
        )
    }

    /// A formula, or the right side of an operator, should begin here.
    fn operand_missing(&self, found: Option<&Token>) -> FormulaError {
        let at = found.map(|token| token.span.clone());
        let found = found.map(|token| (&self.text[token.span.clone()], &token.kind));
        let before = self.before.as_ref().map(|token| &self.text[token.span.clone()]);
        let message = match (found, before) {
            (None, None) => "the formula is empty".to_owned(),
            (None, Some(before)) => {
                format!("the formula ends after `{before}`, where a label or `(` is expected")
            }
            (Some((found, _)), None) => {
                format!(
                    "a formula cannot begin with `{found}`: a label, `(` or an operator such as `G` is expected"
                )
            }
            (Some((found, _)), Some(before)) => {
                format!(
                    "`{found}` cannot follow `{before}`: a label, `(` or an operator such as `G` is expected"
                )
            }
        };
        let help = match (found, before) {
            (None, None) => "write one such as `G(open -> F close)`".to_owned(),
            (Some((text, TokenKind::Binary(_))), _) if text.chars().all(char::is_alphabetic) => {
                format!(
                    "`{text}` needs a formula on both sides; a label called `{text}` is written \"{text}\" in quotes"
                )
            }
            (Some((text, TokenKind::Binary(_))), _) => format!("`{text}` needs a formula on both sides"),
            (Some((_, TokenKind::Close)), _) => {
                "put a formula before the `)`, or remove the parentheses".to_owned()
            }
            (_, Some(before)) if before.chars().all(char::is_alphabetic) => {
                format!(
                    "`{before}` needs a formula after it; a label called `{before}` is written \"{before}\" in quotes"
                )
            }
            (_, before) => format!("`{}` needs a formula after it", before.unwrap_or_default()),
        };
        match (at, &self.before) {
            (Some(span), _) => {
                FormulaError::new(self.text, span, "a formula should begin here", message, help)
            }
            // The end of a text cannot be marked in a snippet, so the mark is under what comes before it.
            (None, Some(before)) => FormulaError::new(
                self.text,
                before.span.clone(),
                "something is missing after this",
                message,
                help,
            ),
            (None, None) => FormulaError::new(self.text, 0..0, "", message, help),
        }
    }

    /// A formula is complete, and something follows that does not continue it.
    fn operator_missing(&self, found: &Token) -> FormulaError {
        let text = &self.text[found.span.clone()];
        let before = self.before.as_ref().map_or("", |token| &self.text[token.span.clone()]);
        let at = &found.span;
        let help = if let Some(symbol) = word_between(text) {
            format!("`{text}` is written `{symbol}`")
        } else if let Some(symbol) = word_before(before) {
            format!("`{before}` is written `{symbol}`")
        } else if let Some(apart) = glued_operators(before) {
            format!("operators stand alone: write `{apart}` for `{before}`")
        } else if let Some(apart) = glued_operators(text) {
            format!("operators stand alone: write `{apart}` for `{text}`")
        } else if found.kind == TokenKind::Open
            && self.before.as_ref().is_some_and(|token| token.span.end == at.start)
        {
            let end = self.text[at.start..].find(')').map_or(self.text.len(), |end| at.start + end + 1);
            let label = format!("{before}{}", &self.text[at.start..end]);
            format!("if `{label}` is a label, write it in quotes: \"{label}\"")
        } else {
            "put `&`, `|`, `->`, `<->`, `U`, `W`, `R` or `M` between them".to_owned()
        };
        let message = format!("an operator is missing between `{before}` and `{text}`");
        FormulaError::new(self.text, at.clone(), "an operator is expected before this", message, help)
    }
}

/// The symbol of an operator that was spelled as a word and should stand between two formulas.
fn word_between(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "and" => "&",
        "or" => "|",
        "implies" => "->",
        "iff" => "<->",
        "until" | "u" => "U",
        "unless" | "w" => "W",
        "release" | "releases" | "r" | "v" => "R",
        _ => return None,
    })
}

/// The symbol of an operator that was spelled as a word and should stand before a formula.
fn word_before(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "not" => "!",
        "next" | "x" => "X",
        "finally" | "eventually" | "f" => "F",
        "globally" | "always" | "g" => "G",
        _ => return None,
    })
}

/// `G F` for a label such as `GF` or `Gf` that may be operators written without space.
fn glued_operators(word: &str) -> Option<String> {
    let known = word.chars().all(|c| "GFXgfxo".contains(c)) && word.chars().any(|c| "GFX".contains(c));
    let apart =
        || word.chars().map(|c| if c == 'o' { "o".into() } else { c.to_ascii_uppercase().to_string() });
    (known && word.chars().count() > 1).then(|| apart().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// Each line of `input` with the formula as it prints.
    fn check(input: &str, expected: Expect) {
        let mut out = String::new();
        for line in input.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let formula = Formula::parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            out += &format!("{line}  ⇒  {formula}\n");
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn both_spellings_read_the_same() {
        check(
            r"
            G(a -> X(!b))
            [](a => o(!b))
            □(a → ○¬b)
            []((a) -> ()(~b))
            G!a
            <>a && []b || c
            ◇a ∧ □b ∨ c
            F a /\ G b \/ c
            a <-> b <=> c ↔ d
            true & ⊥ | [end]
            X[!] a -> X [?] b
            ",
            expect![[r#"
                G(a -> X(!b))  ⇒  G(a -> X !b)
                [](a => o(!b))  ⇒  G(a -> X !b)
                □(a → ○¬b)  ⇒  G(a -> X !b)
                []((a) -> ()(~b))  ⇒  G(a -> X !b)
                G!a  ⇒  G !a
                <>a && []b || c  ⇒  F a & G b | c
                ◇a ∧ □b ∨ c  ⇒  F a & G b | c
                F a /\ G b \/ c  ⇒  F a & G b | c
                a <-> b <=> c ↔ d  ⇒  a <-> b <-> c <-> d
                true & ⊥ | [end]  ⇒  true & false | [end]
                X[!] a -> X [?] b  ⇒  X(![end] & a) -> X([end] | b)
            "#]],
        );
    }

    /// The formula with parentheses around every operator.
    fn grouped(formula: &Formula<String>) -> String {
        let symbol = formula.root().symbol();
        match formula.operands().iter().map(grouped).collect::<Vec<_>>().as_slice() {
            [left, right] => format!("({left} {symbol} {right})"),
            [only] => format!("({symbol} {only})"),
            _ => formula.to_string(),
        }
    }

    #[test]
    fn precedence_is_as_documented() {
        let cases = [
            ("!a U b & c | d -> e <-> f", "((((((! a) U b) & c) | d) -> e) <-> f)"),
            ("f <-> e -> d | c & b U !a", "(f <-> (e -> (d | (c & (b U (! a))))))"),
            ("a U b W c R d M e", "(a U (b W (c R (d M e))))"),
            ("a <-> b <-> c", "(a <-> (b <-> c))"),
            ("a -> b -> c", "(a -> (b -> c))"),
            ("a | b | c & d & e", "((a | b) | ((c & d) & e))"),
            ("G a U X F !b", "((G a) U (X (F (! b))))"),
            ("X[!] a & b", "((X ((! [end]) & a)) & b)"),
            ("X[?] a U b", "((X ([end] | a)) U b)"),
        ];
        for (text, expected) in cases {
            assert_eq!(grouped(&Formula::parse(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn needless_parentheses_are_not_printed() {
        check(
            "
            ((a) & (b)) | ((c))
            (a -> b) -> (c -> d)
            a & (b & c)
            (a U b) W (c)
            (a U b) & c
            G((a) U (b))
            (G a) U (!b)
            !(!(a))
            ",
            expect![[r#"
                ((a) & (b)) | ((c))  ⇒  a & b | c
                (a -> b) -> (c -> d)  ⇒  (a -> b) -> c -> d
                a & (b & c)  ⇒  a & (b & c)
                (a U b) W (c)  ⇒  (a U b) W c
                (a U b) & c  ⇒  (a U b) & c
                G((a) U (b))  ⇒  G(a U b)
                (G a) U (!b)  ⇒  (G a) U !b
                !(!(a))  ⇒  !!a
            "#]],
        );
    }

    #[test]
    fn labels_are_told_from_operators() {
        check(
            r#"
            add:TRUE & pop!EmptyStackException & <init> & java.util.List.<init> & A$1
            open | close | GF | Xa
            "G" & 'o' & "true" & 'it\'s' & "a b"
            a<->b
            <>b -> a<T>
            a!b
            X!b U!c
            G<init>
            0 & 1
            "#,
            expect![[r#"
                add:TRUE & pop!EmptyStackException & <init> & java.util.List.<init> & A$1  ⇒  add:TRUE & pop!EmptyStackException & <init> & java.util.List.<init> & A$1
                open | close | GF | Xa  ⇒  open | close | GF | Xa
                "G" & 'o' & "true" & 'it\'s' & "a b"  ⇒  "G" & "o" & "true" & "it's" & "a b"
                a<->b  ⇒  a <-> b
                <>b -> a<T>  ⇒  F b -> a<T>
                a!b  ⇒  a!b
                X!b U!c  ⇒  (X !b) U !c
                G<init>  ⇒  G <init>
                0 & 1  ⇒  0 & 1
            "#]],
        );
    }

    #[test]
    fn a_million_parentheses_are_read() {
        let deep = format!("{}a{}", "(".repeat(1_000_000), ")".repeat(1_000_000));
        assert_eq!(Formula::parse(&deep), Ok(Formula::atom("a".to_owned())));
        assert!(Formula::parse(&"!(".repeat(1_000_000)).is_err());
    }
}
