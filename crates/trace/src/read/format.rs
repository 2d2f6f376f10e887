//! The trace formats: their names, their extensions, and how to tell them by their first lines.

use miette::Diagnostic;
use thiserror::Error;

use super::csv;
use crate::near::near;

/// A trace format. See the module of the same name under `read` for what each looks like.
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
    /// What Daikon reads: program points and the values of variables there.
    Dtrace,
}

/// A name that is no format's.
#[derive(Debug, Error, Diagnostic)]
#[error("unknown trace format `{name}`")]
#[diagnostic(code(trace::format), help("{hint}"))]
pub struct UnknownFormat {
    name: String,
    hint: String,
}

impl Format {
    /// Every format, in the order in which they are listed to users.
    pub const ALL: [Self; 8] = [
        Self::Lines,
        Self::Texada,
        Self::Regex,
        Self::Csv,
        Self::Jsonl,
        Self::Abbadingo,
        Self::Xes,
        Self::Dtrace,
    ];

    /// What the format is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Texada => "texada",
            Self::Regex => "regex",
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Abbadingo => "abbadingo",
            Self::Xes => "xes",
            Self::Dtrace => "dtrace",
        }
    }

    /// The format called `name`.
    pub fn from_name(name: &str) -> Result<Self, UnknownFormat> {
        let lower = name.to_ascii_lowercase();
        let other = match lower.as_str() {
            "dice" | "dsm" | "traces" => Some(Self::Lines),
            "daikon" => Some(Self::Dtrace),
            "flexfringe" => Some(Self::Abbadingo),
            "tsv" => Some(Self::Csv),
            "ndjson" => Some(Self::Jsonl),
            _ => None,
        };
        let format = other.or_else(|| Self::ALL.into_iter().find(|format| format.name() == lower));
        format.ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let known = format!("the formats are {}", names.join(", "));
            let hint =
                near(name, names).map_or(known.clone(), |near| format!("did you mean `{near}`? {known}"));
            UnknownFormat { name: name.to_owned(), hint }
        })
    }

    /// The format that the ending of a file's name stands for; a final `.gz` does not count.
    pub fn from_extension(file: &str) -> Option<Self> {
        let lower = file.to_ascii_lowercase();
        let stem = lower.strip_suffix(".gz").unwrap_or(&lower);
        let (_, extension) = stem.rsplit_once('.')?;
        match extension {
            "traces" | "dice" | "lines" => Some(Self::Lines),
            "texada" => Some(Self::Texada),
            "csv" | "tsv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "abbadingo" | "abd" => Some(Self::Abbadingo),
            "xes" => Some(Self::Xes),
            "dtrace" => Some(Self::Dtrace),
            _ => None,
        }
    }

    /// The format that the beginning of a file looks like. What looks like nothing else is [`Format::Lines`].
    pub fn sniff(head: &[u8]) -> Self {
        let text = String::from_utf8_lossy(head);
        // The last line of a longer head may be cut off.
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.next().unwrap_or_default();
        let second = lines.next();
        if first.starts_with("<?xml") || first.starts_with("<!--") || first.starts_with("<log") {
            Self::Xes
        } else if is_dtrace(first) {
            Self::Dtrace
        } else if first.starts_with('{') {
            Self::Jsonl
        } else if first.contains("<START>") {
            Self::Lines
        } else if is_abbadingo(first, second) {
            Self::Abbadingo
        } else if first == "--" || second == Some("--") || lines.any(|line| line == "--") {
            Self::Texada
        } else if csv::is_header(first) {
            Self::Csv
        } else {
            Self::Lines
        }
    }
}

/// Whether a file of Daikon's begins like this.
fn is_dtrace(first: &str) -> bool {
    ["// Declarations", "decl-version ", "var-comparability ", "input-language ", "VarComparability"]
        .iter()
        .any(|start| first.starts_with(start))
        || first == "DECLARE"
        || first.starts_with("ppt ") && first.contains(":::")
}

/// Whether two numbers are followed by a line that keeps the promise of its own length.
fn is_abbadingo(first: &str, second: Option<&str>) -> bool {
    let numbers: Option<Vec<u64>> = first.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
    let Some([_, _]) = numbers.as_deref() else { return false };
    let Some(second) = second else { return true };
    let mut words = second.split_ascii_whitespace();
    let label = words.next();
    let length: Option<usize> = words.next().and_then(|word| word.parse().ok());
    matches!(label, Some("0" | "1")) && length == Some(words.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_extensions() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()).unwrap(), format);
        }
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
    fn sniffing() {
        let check = |text: &str, format| assert_eq!(Format::sniff(text.as_bytes()), format, "{text}");
        check("<START> a <END>\n", Format::Lines);
        check("open read close\nopen close\n", Format::Lines);
        check("", Format::Lines);
        check("\n{\"trace\":1,\"event\":\"a\"}\n", Format::Jsonl);
        check("<?xml version=\"1.0\"?>\n<log>", Format::Xes);
        check("a\nb\n--\nc\n", Format::Texada);
        check("2 3\n1 2 a b\n0 0\n", Format::Abbadingo);
        check("0 0\n", Format::Abbadingo);
        check("2 3\n4 5 6\n", Format::Lines);
        check("case:concept:name,concept:name,time:timestamp\n", Format::Csv);
        check("Case ID;Activity;Complete Timestamp\n1;a;2\n", Format::Csv);
        check("a,b\n", Format::Lines);
        check("decl-version 2.0\nvar-comparability none\n", Format::Dtrace);
        check("// Declarations for a.B\n", Format::Dtrace);
    }
}
