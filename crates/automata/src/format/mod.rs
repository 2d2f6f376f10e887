//! Model files: one module per format, all on automata whose labels are strings.
//!
//! [`Spelling::read`] and [`Spelling::write`] are the two doors. A model read back equals the model written:
//! what a format has no natural place for is put where the format's other tools pass over it (comments,
//! attributes, states that nothing reaches), and what cannot be put anywhere is listed in [`Written::lost`].
//! `docs/formats.md` describes every format and its conventions.

use std::fmt;

use adit_suggest::nearest;

use crate::Fsa;

mod aut;
mod dot;
mod dot_parse;
mod draft;
mod error;
mod fsm;
mod fsp;
mod hoa;
mod hoa_label;
mod javamop;
mod json;
mod mermaid;
mod notes;
mod promela;
mod scan;
mod spelling;

pub use error::{FormatError, WriteError};
pub use spelling::{Call, CallEnd, Spelling};

use error::did_you_mean;
use scan::File;

/// A format of model files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// adit's own JSON, which loses nothing.
    Json,
    /// Graphviz, as LearnLib and AALpy write it.
    Dot,
    /// The text format of DSM and DICE.
    Fsm,
    /// Aldebaran, for CADP and mCRL2.
    Aut,
    /// Hanoi Omega-Automata, for Spot and others.
    Hoa,
    /// A process for SPIN.
    Promela,
    /// A `stateDiagram-v2` for README files.
    Mermaid,
    /// A monitor for JavaMOP.
    JavaMop,
    /// Finite state processes, for LTSA and MTSA.
    Fsp,
}

/// The row of a format in [`FORMATS`].
struct FormatSpec {
    format: Format,
    /// The name by which a user asks for the format.
    name: &'static str,
    /// Its name in a sentence.
    title: &'static str,
    /// The extensions of its files, the usual one first.
    extensions: &'static [&'static str],
    /// The most labels that it can hold, if there is a limit.
    most_labels: Option<usize>,
    read: fn(File<'_>) -> Result<Fsa<String>, FormatError>,
    write: fn(&Model<'_>) -> Written,
}

/// Every format, in the order of [`Format`]. A new one is a file, a variant and a row.
const FORMATS: [FormatSpec; 9] = [
    FormatSpec {
        format: Format::Json,
        name: "json",
        title: "JSON",
        extensions: &["json"],
        most_labels: None,
        read: json::read,
        write: |model| json::write(model.fsa, model.title).into(),
    },
    FormatSpec {
        format: Format::Dot,
        name: "dot",
        title: "DOT",
        extensions: &["dot", "gv"],
        most_labels: None,
        read: dot::read,
        write: |model| dot::write(model).into(),
    },
    FormatSpec {
        format: Format::Fsm,
        name: "fsm",
        title: "fsm.txt",
        extensions: &["fsm.txt", "fsm"],
        most_labels: None,
        read: fsm::read,
        write: |model| fsm::write(model).into(),
    },
    FormatSpec {
        format: Format::Aut,
        name: "aut",
        title: "AUT",
        extensions: &["aut"],
        most_labels: None,
        read: aut::read,
        write: |model| aut::write(model.fsa),
    },
    FormatSpec {
        format: Format::Hoa,
        name: "hoa",
        title: "HOA",
        extensions: &["hoa"],
        most_labels: Some(hoa::MOST_LABELS),
        read: hoa::read,
        write: |model| hoa::write(model.fsa, model.title).into(),
    },
    FormatSpec {
        format: Format::Promela,
        name: "promela",
        title: "PROMELA",
        extensions: &["pml", "promela"],
        most_labels: Some(promela::MOST_LABELS),
        read: promela::read,
        write: |model| promela::write(model.fsa, model.title).into(),
    },
    FormatSpec {
        format: Format::Mermaid,
        name: "mermaid",
        title: "Mermaid",
        extensions: &["mmd", "mermaid"],
        most_labels: None,
        read: mermaid::read,
        write: |model| mermaid::write(model.fsa, model.title).into(),
    },
    FormatSpec {
        format: Format::JavaMop,
        name: "javamop",
        title: "JavaMOP",
        extensions: &["mop"],
        most_labels: None,
        read: javamop::read,
        write: javamop::write,
    },
    FormatSpec {
        format: Format::Fsp,
        name: "fsp",
        title: "FSP",
        extensions: &["lts", "fsp"],
        most_labels: None,
        read: fsp::read,
        write: |model| fsp::write(model).into(),
    },
];

impl Format {
    /// All formats.
    pub const ALL: [Self; FORMATS.len()] = {
        let mut all = [Self::Json; FORMATS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = FORMATS[at].format;
            at += 1;
        }
        all
    };

    fn spec(self) -> &'static FormatSpec {
        &FORMATS[self as usize]
    }

    /// The name by which a user asks for the format.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// The names of all formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(Self::name)
    }

    /// Its name in a sentence.
    pub(crate) fn title(self) -> &'static str {
        self.spec().title
    }

    /// The extensions of its files, the usual one first.
    pub fn extensions(self) -> &'static [&'static str] {
        self.spec().extensions
    }

    /// The format that the end of a file's name tells, if it does. `.txt` alone tells nothing.
    pub fn from_extension(file: &str) -> Option<Self> {
        let file = file.to_ascii_lowercase();
        let ends = |extension: &&str| file.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.'));
        Self::ALL.into_iter().find(|format| format.extensions().iter().any(ends))
    }

    /// The format that a user calls `name`: its name or one of its extensions.
    pub fn from_name(name: &str) -> Result<Self, UnknownFormat> {
        let wanted = name.trim_start_matches('.').to_ascii_lowercase();
        let is = |format: &Self| format.name() == wanted || format.extensions().contains(&wanted.as_str());
        Self::ALL.into_iter().find(is).ok_or_else(|| {
            let known = Self::ALL
                .into_iter()
                .flat_map(|format| [format.name()].into_iter().chain(format.extensions().iter().copied()));
            UnknownFormat { name: name.to_owned(), near: nearest(&wanted, known) }
        })
    }

    /// The format that the start of a file looks like, if it looks like any.
    pub fn sniff(content: &[u8]) -> Option<Self> {
        // The words that tell formats apart come early; a long file need not be searched to its end.
        const REACH: usize = 1 << 16;
        let head = String::from_utf8_lossy(&content[..content.len().min(REACH)]);
        let head = skip_comments(head.trim_start_matches('\u{feff}'));
        let word_end = head.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(head.len());
        let (word, rest) = head.split_at(word_end);
        match word {
            "" if head.starts_with('{') => Some(Self::Json),
            "" if head.starts_with("---") => Some(Self::Mermaid),
            "HOA" => Some(Self::Hoa),
            "des" if rest.trim_start().starts_with('(') => Some(Self::Aut),
            "stateDiagram" => Some(Self::Mermaid),
            "mtype" | "active" | "proctype" => Some(Self::Promela),
            "package" | "import" => Some(Self::JavaMop),
            _ if ["strict", "digraph", "graph"].iter().any(|start| word.eq_ignore_ascii_case(start)) => {
                Some(Self::Dot)
            }
            _ if !word.is_empty()
                && rest.lines().next().is_some_and(|line| line.trim().is_empty())
                && word.bytes().all(|b| b.is_ascii_digit()) =>
            {
                Some(Self::Fsm)
            }
            _ if !word.is_empty() && rest.trim_start().starts_with('=') => Some(Self::Fsp),
            _ if head.contains("proctype") => Some(Self::Promela),
            _ if head.contains("fsm :") || (head.contains("fsm") && head.contains("event")) => {
                Some(Self::JavaMop)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// `text` without the white space and comments at its start.
fn skip_comments(text: &str) -> &str {
    let mut text = text.trim_start();
    loop {
        let after = if text.starts_with("//") || text.starts_with('#') || text.starts_with("%%") {
            text.find('\n')
        } else if text.starts_with("/*") {
            text.find("*/").map(|at| at + 2)
        } else {
            return text;
        };
        text = after.map_or("", |at| text[at..].trim_start());
    }
}

/// A name that no format has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("`{name}` is not a model format{}", near.map_or_else(String::new, |near| format!(", did you mean `{near}`?")))]
#[diagnostic(code(model::unknown_format), help("the formats are {}", Format::names().collect::<Vec<_>>().join(", ")))]
pub struct UnknownFormat {
    name: String,
    near: Option<&'static str>,
}

/// A model as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The content of the file.
    pub text: String,
    /// Losses: one sentence for each thing that the format could not hold.
    pub lost: Vec<String>,
}

impl From<String> for Written {
    fn from(text: String) -> Self {
        Self { text, lost: Vec::new() }
    }
}

/// A model to write.
struct Model<'a> {
    fsa: &'a Fsa<String>,
    title: &'a str,
    spelling: Spelling,
}

/// Reads a model whose labels stand for themselves; see [`Spelling::read`].
pub fn read(text: &[u8], name: &str, format: Option<Format>) -> Result<Fsa<String>, FormatError> {
    Spelling::PLAIN.read(text, name, format)
}

/// Writes a model whose labels stand for themselves; see [`Spelling::write`].
pub fn write(fsa: &Fsa<String>, format: Format, title: &str) -> Result<Written, WriteError> {
    Spelling::PLAIN.write(fsa, format, title)
}

impl Spelling {
    /// Reads a model. Without a `format` the name tells it, and when that does not, the content. Error
    /// messages call the file `name`.
    pub fn read(self, text: &[u8], name: &str, format: Option<Format>) -> Result<Fsa<String>, FormatError> {
        let text = std::str::from_utf8(text).map_err(|error| not_text(text, name, error.valid_up_to()))?;
        let text = text.trim_start_matches('\u{feff}');
        let file = File { name, text, spelling: self };
        if text.trim().is_empty() {
            return Err(file.error(
                0..0,
                "the file is empty",
                "is this the right file? a model has at least one state",
            ));
        }
        let format =
            format.or_else(|| Format::from_extension(name)).or_else(|| Format::sniff(text.as_bytes()));
        match format {
            Some(format) => (format.spec().read)(file),
            None => {
                let names = Format::names().collect::<Vec<_>>().join(", ");
                Err(file.error(
                    0..1,
                    "not a known model format",
                    format!("name the format; there are {names}"),
                ))
            }
        }
    }

    /// Writes a model. `title` names it where the format has a place for a name, else in a comment or not at
    /// all.
    pub fn write(self, fsa: &Fsa<String>, format: Format, title: &str) -> Result<Written, WriteError> {
        if fsa.initial().is_empty() {
            return Err(WriteError::NoInitial);
        }
        if fsa.alphabet().iter().any(String::is_empty) {
            return Err(WriteError::EmptyLabel);
        }
        if let Some(limit) = format.spec().most_labels.filter(|&limit| fsa.alphabet().len() > limit) {
            return Err(WriteError::TooManyLabels { format, limit, have: fsa.alphabet().len() });
        }
        Ok((format.spec().write)(&Model { fsa, title, spelling: self }))
    }
}

/// An error about the first byte that is not UTF-8. Only the text before it can be shown.
fn not_text(bytes: &[u8], name: &str, valid: usize) -> FormatError {
    let text = String::from_utf8_lossy(&bytes[..valid]);
    let file = File { name, text: &text, spelling: Spelling::PLAIN };
    let help = match bytes {
        [0x1f, 0x8b, ..] => "the file is compressed; unpack it with gunzip first",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the file is UTF-16; save it as UTF-8",
        _ => "save the file as UTF-8",
    };
    file.error(valid..valid, format!("byte {:#04x} is not UTF-8 text", bytes[valid]), help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_formats() {
        for (at, row) in FORMATS.iter().enumerate() {
            assert_eq!(row.format as usize, at, "{}", row.name);
        }
    }

    #[test]
    fn a_name_tells_the_format() {
        for (file, format) in [
            ("a/b.fsm.txt", Some(Format::Fsm)),
            ("model.JSON", Some(Format::Json)),
            ("x.gv", Some(Format::Dot)),
            ("x.lts", Some(Format::Fsp)),
            ("x.txt", None),
            ("json", None),
        ] {
            assert_eq!(Format::from_extension(file), format, "{file}");
        }
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Ok(format));
            for extension in format.extensions() {
                assert_eq!(Format::from_name(extension), Ok(format));
                assert_eq!(Format::from_extension(&format!("x.{extension}")), Some(format));
            }
        }
        let unknown = Format::from_name("mermiad").unwrap_err();
        assert_eq!(unknown.to_string(), "`mermiad` is not a model format, did you mean `mermaid`?");
    }

    #[test]
    fn the_content_tells_the_format() {
        for (content, format) in [
            ("\u{feff} {\"format\"", Some(Format::Json)),
            ("// made by hand\nstrict digraph g {", Some(Format::Dot)),
            ("1\r\nS0\r\n", Some(Format::Fsm)),
            ("des (0, 3, 2)", Some(Format::Aut)),
            ("HOA: v1", Some(Format::Hoa)),
            ("/* x */ mtype = {", Some(Format::Promela)),
            ("%% x\nstateDiagram-v2", Some(Format::Mermaid)),
            ("import java.util.*;\n", Some(Format::JavaMop)),
            ("HasNext(Iterator i) { event next", None),
            ("HasNext(Iterator i) { event next fsm : a [", Some(Format::JavaMop)),
            ("Stack = S0,", Some(Format::Fsp)),
            ("hello", None),
            ("12 monkeys", None),
            ("", None),
        ] {
            assert_eq!(Format::sniff(content.as_bytes()), format, "{content}");
        }
    }
}
