//! The trace formats, as a table: their names and extensions, how to tell them by their first lines, what
//! they have a place for, and who reads and writes them.
//!
//! A new format is a file in `read`, a file in `write`, and a row here (with its name in [`Format`]).
//! Everything that lists formats, help texts included, is made from the table.

use std::io::Read;

use adit_suggest::nearest;
use miette::Diagnostic;
use thiserror::Error;

use crate::read::{self, Halt, Reading, ToCalls, ToEvents, ToWords};
use crate::write::{self, Encoder};

/// A trace format. The module of the same name under `read` describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// A trace a line, events separated by white space, as DICE and DSM write them.
    Lines,
    /// An event a line, `--` between traces, as Texada reads them.
    Texada,
    /// Any log, by a regular expression with named groups.
    Regex,
    /// A table with a header.
    Csv,
    /// JSON lines.
    Jsonl,
    /// The format of the Abbadingo competition, also FlexFringe's.
    Abbadingo,
    /// IEEE 1849 event logs.
    Xes,
    /// Daikon's input: program points and the values of variables there.
    Dtrace,
}

/// The [`Decoder`] of the module `read::$module`.
macro_rules! decoder {
    ($module:ident) => {
        Decoder {
            words: |reading| read::$module::read(reading),
            events: |reading| read::$module::read(reading),
            calls: |reading| read::$module::read(reading),
        }
    };
}

/// The formats, in the order in which they are listed to users.
pub const FORMATS: &[FormatSpec] = &[
    FormatSpec {
        format: Format::Lines,
        name: "lines",
        aliases: &["dice", "dsm", "traces"],
        extensions: &["traces", "dice", "lines"],
        remark: "",
        timed: false,
        sniff: read::lines::sniff,
        carries: &[Part::EmptyTraces],
        decoder: decoder!(lines),
        encoder: Some(|| Box::new(write::lines::Lines)),
    },
    FormatSpec {
        format: Format::Texada,
        name: "texada",
        aliases: &[],
        extensions: &["texada"],
        remark: "",
        timed: false,
        sniff: read::texada::sniff,
        carries: &[Part::EmptyTraces],
        decoder: decoder!(texada),
        encoder: Some(|| Box::new(write::texada::Texada)),
    },
    FormatSpec {
        format: Format::Regex,
        name: "regex",
        aliases: &[],
        extensions: &[],
        remark: "",
        timed: true,
        // Nothing but the user's pattern tells it.
        sniff: |_| None,
        carries: &[],
        decoder: decoder!(regex),
        encoder: None,
    },
    FormatSpec {
        format: Format::Csv,
        name: "csv",
        aliases: &["tsv"],
        extensions: &["csv", "tsv"],
        remark: "",
        timed: true,
        sniff: read::csv::sniff,
        carries: &[Part::TraceNames],
        decoder: decoder!(csv),
        encoder: Some(|| Box::<write::csv::Csv>::default()),
    },
    FormatSpec {
        format: Format::Jsonl,
        name: "jsonl",
        aliases: &["ndjson"],
        extensions: &["jsonl", "ndjson"],
        remark: "with arguments, results and states",
        timed: true,
        sniff: read::jsonl::sniff,
        carries: Part::ALL,
        decoder: decoder!(jsonl),
        encoder: Some(|| Box::<write::jsonl::Jsonl>::default()),
    },
    FormatSpec {
        format: Format::Abbadingo,
        name: "abbadingo",
        aliases: &["flexfringe"],
        extensions: &["abbadingo", "abd"],
        remark: "",
        timed: false,
        sniff: read::abbadingo::sniff,
        carries: &[Part::EmptyTraces],
        decoder: decoder!(abbadingo),
        encoder: Some(|| Box::<write::abbadingo::Abbadingo>::default()),
    },
    FormatSpec {
        format: Format::Xes,
        name: "xes",
        aliases: &[],
        extensions: &["xes"],
        remark: "",
        timed: true,
        sniff: read::xes::sniff,
        carries: &[Part::TraceNames, Part::EmptyTraces],
        decoder: decoder!(xes),
        encoder: Some(|| Box::new(write::xes::Xes)),
    },
    FormatSpec {
        format: Format::Dtrace,
        name: "dtrace",
        aliases: &["daikon"],
        extensions: &["dtrace"],
        remark: "Daikon",
        timed: false,
        sniff: read::dtrace::sniff,
        carries: &[Part::Arguments, Part::States, Part::Details, Part::Results],
        decoder: decoder!(dtrace),
        encoder: Some(|| Box::<write::dtrace::Dtrace>::default()),
    },
];

/// One row of the table.
pub struct FormatSpec {
    /// The format that the row is about.
    pub format: Format,
    /// Its name.
    pub name: &'static str,
    /// Other names that it is known by.
    pub aliases: &'static [&'static str],
    /// The extensions of its files, the usual one first.
    pub extensions: &'static [&'static str],
    /// A remark that lists of formats put in parentheses; often empty.
    pub remark: &'static str,
    /// Its events may have times, which are used for sorting and not kept.
    pub timed: bool,
    /// The parts of traces that not every format has, and this one does.
    pub carries: &'static [Part],
    pub(crate) sniff: fn(&Head<'_>) -> Option<Certainty>,
    pub(crate) decoder: Decoder,
    /// Makes its writer, unless it is only for reading.
    pub(crate) encoder: Option<fn() -> Box<dyn Encoder>>,
}

/// A part of traces that not every format has a place for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The arguments of calls.
    Arguments,
    /// The fields of the object after a call.
    States,
    /// The names of parameters, states before calls, and the source lines of returns.
    Details,
    /// Results that are not boolean. Boolean ones, and exceptions, are part of an event's spelling.
    Results,
    /// The names of traces.
    TraceNames,
    /// Traces without events.
    EmptyTraces,
    /// The number of times that a trace was seen. Where there is no place for it, the trace is repeated.
    Weights,
}

impl Part {
    const ALL: &[Self] = &[
        Self::Arguments,
        Self::States,
        Self::Details,
        Self::Results,
        Self::TraceNames,
        Self::EmptyTraces,
        Self::Weights,
    ];
}

/// The reader of a format for each of the targets. All are the same generic function, compiled for each, so
/// that no event passes through a pointer to a function.
pub(crate) struct Decoder {
    pub(crate) words: ReadWords,
    pub(crate) events: ReadEvents,
    pub(crate) calls: ReadCalls,
}

type ReadWords = fn(Reading<'_, &mut dyn Read, ToWords<'_>>) -> Result<(), Halt>;
type ReadEvents = fn(Reading<'_, &mut dyn Read, ToEvents<'_>>) -> Result<(), Halt>;
type ReadCalls = fn(Reading<'_, &mut dyn Read, ToCalls<'_>>) -> Result<(), Halt>;

/// The certainty of a format that a file is its own. The highest wins, and of equal ones the first in the
/// table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Certainty {
    /// Some lines have the shape of the format's lines.
    Shape,
    /// The first line has a marker or a header of the format.
    Header,
    /// The file begins as no file of another format does.
    Signature,
}

/// The beginning of a file.
pub(crate) struct Head<'a>(&'a str);

impl Head<'_> {
    /// The lines that are not blank, trimmed. The last may be cut off.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.0.lines().map(str::trim).filter(|line| !line.is_empty())
    }

    /// The first line that is not blank; empty if there is none.
    pub(crate) fn first(&self) -> &str {
        self.lines().next().unwrap_or_default()
    }
}

/// A name that no format has.
#[derive(Debug, Error, Diagnostic)]
#[error("unknown trace format `{name}`")]
#[diagnostic(code(trace::format), help("{hint}"))]
pub struct UnknownFormat {
    name: String,
    hint: String,
}

impl Format {
    /// Every format, in the order in which they are listed to users.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().map(|spec| spec.format)
    }

    /// Returns the format's row of the table.
    pub fn spec(self) -> &'static FormatSpec {
        FORMATS.iter().find(|spec| spec.format == self).expect("every format has a row")
    }

    /// The name of the format.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Finds the format with this name or alias.
    pub fn from_name(name: &str) -> Result<Self, UnknownFormat> {
        let lower = name.to_ascii_lowercase();
        let named = |spec: &&FormatSpec| spec.name == lower || spec.aliases.contains(&lower.as_str());
        FORMATS.iter().find(named).map(|spec| spec.format).ok_or_else(|| {
            let names: Vec<&str> = FORMATS.iter().map(|spec| spec.name).collect();
            let known = format!("the formats are {}", names.join(", "));
            let hint = match nearest(name, names) {
                Some(near) => format!("did you mean `{near}`? {known}"),
                None => known,
            };
            UnknownFormat { name: name.to_owned(), hint }
        })
    }

    /// Finds the format by the extension of a file's name; a final `.gz` does not count.
    pub fn from_extension(file: &str) -> Option<Self> {
        let lower = file.to_ascii_lowercase();
        let stem = lower.strip_suffix(".gz").unwrap_or(&lower);
        let (_, extension) = stem.rsplit_once('.')?;
        FORMATS.iter().find(|spec| spec.extensions.contains(&extension)).map(|spec| spec.format)
    }

    /// Finds the format that the beginning of a file looks like. A file that looks like nothing else is
    /// [`Format::Lines`].
    pub fn sniff(head: &[u8]) -> Self {
        let text = String::from_utf8_lossy(head);
        let head = Head(&text);
        let mut best: Option<(Certainty, Self)> = None;
        for spec in FORMATS {
            if let Some(certainty) = (spec.sniff)(&head)
                && best.is_none_or(|(known, _)| certainty > known)
            {
                best = Some((certainty, spec.format));
            }
        }
        best.map_or(Self::Lines, |(_, format)| format)
    }
}

impl FormatSpec {
    /// Tells whether the format has a place for `part`.
    pub fn has(&self, part: Part) -> bool {
        self.carries.contains(&part)
    }

    /// Tells whether traces can be written in the format.
    pub fn is_writable(&self) -> bool {
        self.encoder.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_extensions() {
        for format in Format::all() {
            assert_eq!(Format::from_name(format.name()).unwrap(), format);
        }
        assert_eq!(Format::from_name("DICE").unwrap(), Format::Lines);
        assert_eq!(Format::from_extension("a/b.TRACES.gz"), Some(Format::Lines));
        assert_eq!(Format::from_extension("x.tsv"), Some(Format::Csv));
        assert_eq!(Format::from_extension("x.log"), None);
        assert_eq!(Format::from_extension("jsonl"), None);
        let error = Format::from_name("texda").unwrap_err();
        assert_eq!(error.to_string(), "unknown trace format `texda`");
        assert_eq!(
            error.help().unwrap().to_string(),
            "did you mean `texada`? the formats are lines, texada, regex, csv, jsonl, abbadingo, xes, dtrace"
        );
    }

    #[test]
    fn no_two_formats_share_a_name_or_an_extension() {
        let names = FORMATS.iter().flat_map(|spec| [&[spec.name], spec.aliases].concat());
        let extensions = FORMATS.iter().flat_map(|spec| spec.extensions.to_vec());
        for mut all in [names.collect::<Vec<_>>(), extensions.collect()] {
            all.sort_unstable();
            assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{all:?}");
        }
    }

    #[test]
    fn sniffing() {
        let check = |text: &str, format| assert_eq!(Format::sniff(text.as_bytes()), format, "{text}");
        check("<START> a <END>\n", Format::Lines);
        check("open read close\nopen close\n", Format::Lines);
        check("", Format::Lines);
        check("\n{\"trace\":1,\"event\":\"a\"}\n", Format::Jsonl);
        check("{\"event\":\"<START>\"}\n--\n", Format::Jsonl);
        check("<?xml version=\"1.0\"?>\n<log>", Format::Xes);
        check("<!--\n--\n<START> -->\n<log>", Format::Xes);
        check("a\nb\n--\nc\n", Format::Texada);
        check("<START> a <END>\n--\n", Format::Lines);
        check("2 3\n1 2 a b\n0 0\n", Format::Abbadingo);
        check("2 3\n1 2 a b\n--\n", Format::Abbadingo);
        check("0 0\n", Format::Abbadingo);
        check("2 3\n4 5 6\n", Format::Lines);
        check("case:concept:name,concept:name,time:timestamp\n", Format::Csv);
        check("Case ID;Activity;Complete Timestamp\n1;a;2\n", Format::Csv);
        check("a,b\n", Format::Lines);
        check("decl-version 2.0\nvar-comparability none\n", Format::Dtrace);
        check("// Declarations for a.B\n", Format::Dtrace);
    }
}
