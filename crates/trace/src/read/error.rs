//! Errors in trace files: the place, the problem, and a remedy.

use std::fmt;

use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents,
};
use thiserror::Error;

/// A problem in a trace file. Printed, it begins with `file:line:column`.
#[derive(Debug)]
pub struct ReadError(Box<Located>);

#[derive(Debug)]
struct Located {
    place: Place,
    problem: Problem,
    excerpt: Option<Excerpt>,
}

/// A place in a trace file; the line and column of a gzipped file are those of its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name under which the file was handed in.
    pub name: String,
    /// Line and column, both from one, the column in characters. Absent when the file as a whole is meant.
    pub position: Option<(u64, u64)>,
}

/// A problem, without its place.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system could not deliver the bytes.
    #[error("cannot be read: {0}")]
    #[diagnostic(code(trace::io))]
    Io(#[source] std::io::Error),

    /// A gzip stream ends in the middle.
    #[error("the gzip stream is cut off after {decoded} bytes of content")]
    #[diagnostic(
        code(trace::gzip_truncated),
        help(
            "the file is incomplete: copy or record it again, or use the part before the cut with --keep-partial"
        )
    )]
    TruncatedGzip {
        /// The bytes of content before the end.
        decoded: u64,
    },

    /// A gzip stream is damaged, or something else follows it.
    #[error("the gzip stream is damaged after {decoded} bytes of content: {message}")]
    #[diagnostic(code(trace::gzip_damaged), help("copy or record the file again; `gzip -t` checks a file"))]
    DamagedGzip {
        /// The bytes of content before the damage.
        decoded: u64,
        /// The message of the decoder.
        message: String,
    },

    /// The file is compressed or encoded in a way that is not read.
    #[error("this is {what}, which adit cannot read directly")]
    #[diagnostic(code(trace::encoding), help("convert it first: `{command}`"))]
    Foreign {
        /// The kind of the file, by its first bytes.
        what: &'static str,
        /// A command that makes it readable.
        command: &'static str,
    },

    /// Bytes that are not UTF-8.
    #[error("invalid UTF-8")]
    #[diagnostic(
        code(trace::utf8),
        help("convert the file first, for example with `iconv -f LATIN1 -t UTF-8`")
    )]
    NotUtf8,

    /// A line or record above the limit.
    #[error("line exceeds {limit} bytes")]
    #[diagnostic(
        code(trace::too_long),
        help("is this really a log with one record per line? if so, raise the limit with `--max-line`")
    )]
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },

    /// More different labels than any model could have.
    #[error("more than {limit} distinct labels")]
    #[diagnostic(
        code(trace::too_many_labels),
        help(
            "event names seem to contain numbers or arguments: choose another field, or cut them out with `--regex`"
        )
    )]
    TooManyLabels {
        /// The limit.
        limit: usize,
    },

    /// Nothing to learn from.
    #[error("no traces in this file{why}")]
    #[diagnostic(
        code(trace::no_traces),
        help(
            "is it the right file, and the right format? `--from` forces one, `--dry-run` shows how adit reads the file"
        )
    )]
    NoTraces {
        /// The text found instead, or nothing.
        why: String,
    },

    /// A `<START>` with no `<END>` before the next `<START>` or the end of the line.
    #[error("this trace is never closed by `<END>`")]
    #[diagnostic(
        code(trace::unclosed),
        help("was the recording cut off? use its beginning with `--keep-partial`")
    )]
    Unclosed,

    /// An event before `<START>` or after `<END>`.
    #[error("`{word}` is outside `<START>` … `<END>`")]
    #[diagnostic(
        code(trace::stray),
        help("put every event of the line between the markers, or remove the markers")
    )]
    Stray {
        /// The event, or a marker that has no partner.
        word: String,
    },

    /// The format needs a pattern and none was given.
    #[error("this log needs a regular expression")]
    #[diagnostic(
        code(trace::no_pattern),
        help(r"for example `--regex '(?<time>\S+) (?<trace>\S+) (?<event>\S+)'`")
    )]
    NoPattern,

    /// A line that the pattern does not match.
    #[error("the pattern does not match this line: {what} does not match here")]
    #[diagnostic(
        code(trace::no_match),
        help("`--dry-run` shows what the pattern matches; `--skip-unmatched` skips other lines")
    )]
    NoMatch {
        /// The part of the pattern that does not match at the column.
        what: String,
    },

    /// A needed column is not in the header.
    #[error("no column for the {wanted}; the columns are {found}")]
    #[diagnostic(code(trace::column), help("{hint}"))]
    NoColumn {
        /// The content of the column.
        wanted: &'static str,
        /// The columns there are.
        found: String,
        /// A way to name it.
        hint: String,
    },

    /// A record has more or fewer fields than the header.
    #[error("{found} fields where the header has {expected}")]
    #[diagnostic(
        code(trace::fields),
        help(
            "a field that contains the delimiter or a line break must be quoted; `--delimiter` chooses another one"
        )
    )]
    Fields {
        /// The number of fields in the header.
        expected: usize,
        /// The number of fields in the record.
        found: usize,
    },

    /// A quoted field that is not closed, or is followed by something.
    #[error("{what}")]
    #[diagnostic(code(trace::quote), help("inside a quoted field, a quotation mark is written twice"))]
    Quote {
        /// The problem, one of the two.
        what: &'static str,
    },

    /// A field that must say something is empty, missing, or says something else.
    #[error("{what}")]
    #[diagnostic(code(trace::field), help("{hint}"))]
    Field {
        /// The problem.
        what: String,
        /// A remedy.
        hint: String,
    },

    /// A time that cannot be ordered.
    #[error("`{text}` is not a time")]
    #[diagnostic(
        code(trace::time),
        help("write a number or a time such as 2024-05-31T23:59:58.123+02:00, or drop `--sort-by-time`")
    )]
    Time {
        /// The text found.
        text: String,
    },

    /// A line that is not JSON.
    #[error("not valid JSON: {message}")]
    #[diagnostic(
        code(trace::json),
        help("each line is one object, such as {{\"trace\":\"t1\",\"event\":\"open\"}}")
    )]
    Json {
        /// The message of the parser.
        message: String,
    },

    /// A number of an Abbadingo file that is not what it should be.
    #[error("{what}")]
    #[diagnostic(
        code(trace::abbadingo),
        help("the first line is `samples alphabet`; then each line is `label length symbol…`, label 1 or 0")
    )]
    Abbadingo {
        /// The problem.
        what: String,
    },

    /// A Daikon trace that is not what it should be.
    #[error("{what}")]
    #[diagnostic(
        code(trace::dtrace),
        help(
            "a sample is a program point such as `Stack.push(int):::ENTER`, then for each variable its name, its value and 0, 1 or 2 on separate lines, and a blank line"
        )
    )]
    Dtrace {
        /// The problem.
        what: String,
    },

    /// A record of a Daikon trace that does not fit the declaration of its program point.
    #[error("{what}")]
    #[diagnostic(
        code(trace::dtrace_mismatch),
        help(
            "do the declarations belong to these records? --keep-partial leaves out records that do not fit"
        )
    )]
    Mismatch {
        /// The difference.
        what: String,
    },

    /// XML that is not well-formed, or is no event log.
    #[error("{what}")]
    #[diagnostic(
        code(trace::xes),
        help(
            "an XES log reads <log><trace><event><string key=\"concept:name\" value=\"open\"/></event></trace></log>"
        )
    )]
    Xes {
        /// The problem.
        what: String,
    },
}

impl ReadError {
    /// A problem with the file as a whole.
    pub(crate) fn of_file(name: &str, problem: Problem) -> Self {
        Self(Box::new(Located {
            place: Place { name: name.to_owned(), position: None },
            problem,
            excerpt: None,
        }))
    }

    /// A problem at byte `at` of `text`, the content of line `line`.
    pub(crate) fn in_line(name: &str, line: u64, text: &[u8], at: usize, problem: Problem) -> Self {
        let text = text.trim_ascii_end();
        let before = String::from_utf8_lossy(&text[..at.min(text.len())]);
        let column = before.chars().count() as u64 + 1 + (at.saturating_sub(text.len())) as u64;
        let place = Place { name: name.to_owned(), position: Some((line, column)) };
        let excerpt = Excerpt::around(place.clone(), text, at.min(text.len()));
        Self(Box::new(Located { place, problem, excerpt: Some(excerpt) }))
    }

    /// The place of the problem.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some((line, column)) => write!(f, "{}:{line}:{column}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.place, self.0.problem)
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.0.problem)
    }
}

impl Diagnostic for ReadError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.0.problem.code()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.0.problem.help()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.excerpt.as_ref().map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.0.excerpt.as_ref()?.span;
        Some(Box::new(std::iter::once(LabeledSpan::new_primary_with_span(Some("here".into()), span))))
    }
}

/// The neighborhood of a problem. A stream cannot be read again, so the part of the line that is worth
/// showing is kept; it still shows under its own line and column.
#[derive(Debug)]
struct Excerpt {
    place: Place,
    text: String,
    span: SourceSpan,
}

impl Excerpt {
    fn around(place: Place, line: &[u8], at: usize) -> Self {
        // Enough to recognize the line, and not so much that it wraps over a whole screen.
        const BEFORE: usize = 120;
        const AFTER: usize = 80;
        let from = at.saturating_sub(BEFORE);
        let to = (at + AFTER).min(line.len());
        let visible = |part: &[u8]| String::from_utf8_lossy(part).replace(char::is_control, " ");
        let mut text = String::from(if from > 0 { "…" } else { "" });
        text.push_str(&visible(&line[from..at]));
        let start = text.len();
        let rest = visible(&line[at..to]);
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let len = if word == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { word };
        text.push_str(&rest);
        if to < line.len() {
            text.push('…');
        }
        Self { place, text, span: (start, len).into() }
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.text.as_bytes().read_span(span, before, after)?;
        let (line, column) = self.place.position.unwrap_or((1, 1));
        // The renderer counts from zero, and asks without context for the column in the heading.
        let column = if before == 0 { column - 1 } else { 0 };
        Ok(Box::new(MietteSpanContents::new_named(
            self.place.name.clone(),
            contents.data(),
            *contents.span(),
            (line - 1) as usize,
            column as usize,
            1,
        )))
    }
}

/// The reason why reading ended early: an error, or a receiver that has seen enough.
#[derive(Debug)]
pub(crate) enum Halt {
    Stopped,
    Failed(ReadError),
}

impl From<ReadError> for Halt {
    fn from(error: ReadError) -> Self {
        Self::Failed(error)
    }
}
