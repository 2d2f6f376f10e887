//! Errors of reading and writing models: the place, the problem, and what would fix it.
//!
//! An error keeps only the line it talks about, clipped around the fault, never the file: a model may be one
//! line of a hundred megabytes, and an error outlives it.

use std::fmt;
use std::ops::Range;

use adit_suggest::nearest;
use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents,
};

use super::Format;

/// An error in a model file.
///
/// As text it reads `name:line:column: what is wrong`. As a [`Diagnostic`] it also shows the line, with the
/// fault underlined, and says what to change.
#[derive(Debug)]
pub struct FormatError(Box<Fault>);

#[derive(Debug)]
struct Fault {
    name: String,
    line: usize,
    column: usize,
    problem: String,
    help: String,
    excerpt: Excerpt,
}

impl FormatError {
    /// The line of the fault, from 1.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// The column of the fault, from 1, in characters.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// The problem, without its place.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }

    /// Advice that would fix it.
    pub fn hint(&self) -> &str {
        &self.0.help
    }

    /// An error about `span` of `text`, the content of the file called `name`.
    pub(super) fn new(name: &str, text: &str, span: Range<usize>, problem: String, help: String) -> Self {
        let start = floor(text, span.start);
        let end = floor(text, span.end.max(start));
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[..start].bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = text[line_start..start].chars().count() + 1;
        let excerpt = Excerpt::cut(name, text, line_start, line, start..end);
        Self(Box::new(Fault { name: name.to_owned(), line, column, problem, help, excerpt }))
    }
}

/// The last character boundary of `text` at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { name, line, column, problem, .. } = &*self.0;
        write!(f, "{name}:{line}:{column}: {problem}")
    }
}

impl std::error::Error for FormatError {}

impl Diagnostic for FormatError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new("model::format"))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.0.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.0.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.0.excerpt.fault;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some("here".to_owned()), span))))
    }
}

/// The part of a line that an error shows. It knows where in the file it comes from.
#[derive(Debug)]
struct Excerpt {
    name: String,
    text: String,
    line: usize,
    column: usize,
    fault: SourceSpan,
}

impl Excerpt {
    /// The number of bytes of the line that are shown on either side of the start of the fault: enough to see
    /// the place, and a rendered line still fits a wide terminal.
    const REACH: usize = 80;

    fn cut(name: &str, text: &str, line_start: usize, line: usize, fault: Range<usize>) -> Self {
        let line_end = text[fault.start..].find('\n').map_or(text.len(), |at| fault.start + at);
        let from = floor(text, fault.start.saturating_sub(Self::REACH)).max(line_start);
        let to = floor(text, (fault.start + Self::REACH).min(line_end));
        let length = fault.end.clamp(fault.start, to.max(fault.start)) - fault.start;
        Self {
            name: name.to_owned(),
            // A control character would move the cursor of the terminal that shows the excerpt.
            text: text[from..to]
                .chars()
                .map(|c| if c.is_control() && c.len_utf8() == 1 { ' ' } else { c })
                .collect(),
            line: line - 1,
            column: text[line_start..from].chars().count(),
            fault: (fault.start - from, length).into(),
        }
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        _span: &SourceSpan,
        _lines_before: usize,
        _lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let whole: SourceSpan = (0, self.text.len()).into();
        let data = self.text.as_bytes();
        Ok(Box::new(MietteSpanContents::new_named(self.name.clone(), data, whole, self.line, self.column, 1)))
    }
}

/// The reason why a model cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum WriteError {
    /// The model has no initial state.
    #[error("the model has no initial state")]
    #[diagnostic(
        code(model::no_initial),
        help("such a model accepts nothing, and no reader takes it back; make one of its states initial")
    )]
    NoInitial,
    /// A label of the model is the empty string.
    #[error("the model has an event without a name")]
    #[diagnostic(
        code(model::empty_label),
        help("most formats read an unlabeled edge as something else than an event; give the event a name")
    )]
    EmptyLabel,
    /// The format cannot hold so many events.
    #[error("the model has {have} events and {} holds at most {limit}", format.title())]
    #[diagnostic(
        code(model::too_many_labels),
        help("write it as JSON or DOT, or restrict it to fewer events first")
    )]
    TooManyLabels {
        /// The format that was asked for.
        format: Format,
        /// The most events that it can hold.
        limit: usize,
        /// The number of events of the model.
        have: usize,
    },
}

/// `, did you mean …?` when one of `candidates` is close to `word`, else nothing.
pub(super) fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map_or_else(String::new, |near| format!(", did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_keeps_a_small_part_of_a_huge_line() {
        let text = format!("first\n{}!{}", "ä".repeat(1_000_000), "b".repeat(1_000_000));
        let at = text.find('!').unwrap();
        let error = FormatError::new("big", &text, at..at + 1, "bad".into(), "good".into());
        assert_eq!((error.line(), error.column()), (2, 1_000_001));
        assert!(error.0.excerpt.text.len() <= 2 * Excerpt::REACH + 4);
        let fault = error.0.excerpt.fault;
        assert_eq!(&error.0.excerpt.text[fault.offset()..fault.offset() + fault.len()], "!");
    }

    #[test]
    fn a_span_past_the_end_or_inside_a_character_is_mended() {
        let error = FormatError::new("x", "aä", 2..99, "bad".into(), "good".into());
        assert_eq!(error.to_string(), "x:1:2: bad");
        assert_eq!(FormatError::new("x", "", 7..9, "bad".into(), "good".into()).to_string(), "x:1:1: bad");
    }
}
