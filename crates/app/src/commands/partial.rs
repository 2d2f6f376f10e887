//! Files of partial answers: the state of a fold over a part of a log, which `--partial` writes and `--merge`
//! adds up.
//!
//! A file begins with one line of JSON: the format, its version, the flags that decide what was counted, the
//! number of bytes that follow, and a checksum. Two files can be added up only if format, version and flags
//! are the same. Flags that only say how a file of traces is to be read (`--from`, `--case`, `--regex` and so
//! on) are not part of it: the parts of a log may come in different formats.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::Crc;
use flate2::read::MultiGzDecoder;
use miette::Report;
use serde::{Deserialize, Serialize};

use crate::errors::bad_input;
use crate::input::{STDIN, open};
use crate::output::{Target, write_failed};

/// The largest header that is read. The longest part of it is a list of methods that the user typed.
const LARGEST_HEADER: usize = 1 << 20;

/// A kind of partial answers.
pub(crate) struct Kind {
    /// The name of the format.
    pub(crate) format: &'static str,
    /// The version of what follows the header.
    pub(crate) version: u32,
    /// The command that writes and reads it, as messages show it.
    pub(crate) command: &'static str,
}

/// Partial answers of `adit properties`.
pub(crate) const PROPERTIES: Kind =
    Kind { format: "adit-properties-fold", version: 1, command: "adit properties" };

/// Partial answers of `adit invariants`.
pub(crate) const INVARIANTS: Kind =
    Kind { format: "adit-invariants-fold", version: 2, command: "adit invariants" };

/// Partial answers of `adit infer --algorithm k-tail`.
pub(crate) const PREFIX_TREE: Kind =
    Kind { format: "adit-prefix-tree", version: 1, command: "adit infer --algorithm k-tail" };

/// The first line of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    format: String,
    version: u32,
    /// The flags that decide what was counted, with their values; the empty text for one that was not given.
    pub(crate) flags: BTreeMap<String, String>,
    /// Names that occurred in this part, of those that a flag lists. A name that occurs in no part is a typo.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) met: BTreeSet<String>,
    /// The name of the log, for titles: the first in order when there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    bytes: u64,
    /// Checksum of this line, with zero here, and of what follows.
    checksum: u32,
}

impl Header {
    /// The header of an answer that these flags decide.
    pub(crate) fn new(flags: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        let flags = flags.into_iter().map(|(flag, value)| (flag.to_owned(), value)).collect();
        Self { flags, ..Self::default() }
    }

    fn line(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers can be written as JSON")
    }

    /// The checksum of a file with this header.
    fn checksum_with(&self, body: &[u8]) -> u32 {
        let mut checksum = Crc::new();
        checksum.update(Self { checksum: 0, ..self.clone() }.line().as_bytes());
        checksum.update(body);
        checksum.sum()
    }

    /// Adds what the header of another part of the same kind says. The flags are the same.
    fn join(&mut self, other: &Self) {
        self.met.extend(other.met.iter().cloned());
        self.title = [self.title.take(), other.title.clone()].into_iter().flatten().min();
    }
}

/// Writes a partial answer.
pub(crate) fn write(target: &Target, kind: &Kind, header: &Header, body: &[u8]) -> Result<(), Report> {
    let header = Header {
        format: kind.format.to_owned(),
        version: kind.version,
        bytes: body.len() as u64,
        ..header.clone()
    };
    let header = Header { checksum: header.checksum_with(body), ..header };
    let line = header.line();
    target.write(|out| {
        out.write_all(line.as_bytes()).map_err(write_failed)?;
        out.write_all(b"\n").map_err(write_failed)?;
        out.write_all(body).map_err(write_failed)
    })
}

/// Reads partial answers one after the other and passes each to `add`. Returns what their headers say
/// together.
pub(crate) fn read_all(
    paths: &[PathBuf],
    kind: &Kind,
    mut add: impl FnMut(&[u8], &Header) -> Result<(), Unusable>,
) -> Result<Header, Report> {
    let mut sum: Option<(Header, String)> = None;
    for path in paths {
        let (name, header, body) = read(path, kind)?;
        match &mut sum {
            None => sum = Some((header.clone(), name.clone())),
            Some((known, first)) => {
                refuse_other_flags((known, first), (&header, &name))?;
                known.join(&header);
            }
        }
        add(&body, &header).map_err(|error| match error {
            Unusable::Damaged(what) => unusable(&name, kind, &what),
            Unusable::Limit(report) => report,
        })?;
    }
    Ok(sum.expect("there is at least one file").0)
}

/// A partial answer that could not be added.
pub(crate) enum Unusable {
    /// Its bytes are damaged.
    Damaged(String),
    /// A limit of the miner was reached.
    Limit(Report),
}

fn unusable(name: &str, kind: &Kind, what: &str) -> Report {
    bad_input(
        format!("{name}: this is no usable partial answer of `{}`: {what}", kind.command),
        format!("make it with `{} TRACES --partial -o FOLD`", kind.command),
    )
}

fn read(path: &Path, kind: &Kind) -> Result<(String, Header, Vec<u8>), Report> {
    let source = open(path)?;
    let name = source.name;
    let unreadable = |error: std::io::Error| unusable(&name, kind, &format!("it cannot be read: {error}"));
    let mut bytes = source.bytes;
    let mut magic = Vec::new();
    (&mut bytes).take(2).read_to_end(&mut magic).map_err(unreadable)?;
    let packed = magic == [0x1f, 0x8b];
    let whole = std::io::Cursor::new(magic).chain(bytes);
    let mut content: Box<dyn Read> =
        if packed { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) };
    let mut all = Vec::new();
    // The line ends within the first bytes, and only a header of ours says how much follows.
    (&mut content).take(LARGEST_HEADER as u64).read_to_end(&mut all).map_err(unreadable)?;
    let end = all.iter().position(|&byte| byte == b'\n');
    let header = end.and_then(|end| serde_json::from_slice::<Header>(&all[..end]).ok());
    let (Some(end), Some(header)) = (end, header) else {
        return Err(unusable(&name, kind, "its first line is not that of a partial answer"));
    };
    if header.format != kind.format {
        return Err(unusable(&name, kind, &format!("its format is `{}`", header.format)));
    }
    if header.version != kind.version {
        let (theirs, ours) = (header.version, kind.version);
        return Err(unusable(
            &name,
            kind,
            &format!("its version is {theirs}, and this adit reads version {ours}"),
        ));
    }
    all.drain(..=end);
    let rest = header.bytes.saturating_sub(all.len() as u64);
    content.take(rest.saturating_add(1)).read_to_end(&mut all).map_err(unreadable)?;
    if all.len() as u64 != header.bytes {
        let (read, said) = (all.len(), header.bytes);
        let what = if (read as u64) < said { "it is cut off" } else { "something follows it" };
        return Err(unusable(&name, kind, &format!("{what}: {read} bytes instead of {said}")));
    }
    if header.checksum_with(&all) != header.checksum {
        return Err(unusable(&name, kind, "its checksum is wrong, so it is damaged"));
    }
    let name = if path == Path::new("-") { STDIN.to_owned() } else { name };
    Ok((name, header, all))
}

/// Fails if two partial answers were made with different flags, and names the first that differs.
fn refuse_other_flags(one: (&Header, &str), other: (&Header, &str)) -> Result<(), Report> {
    let ((one, first), (other, second)) = (one, other);
    let names: BTreeSet<&String> = one.flags.keys().chain(other.flags.keys()).collect();
    let value = |header: &Header, flag: &str| header.flags.get(flag).cloned().unwrap_or_default();
    let differs = names.into_iter().find(|flag| value(one, flag) != value(other, flag));
    let Some(flag) = differs else { return Ok(()) };
    let said = |header: &Header| match value(header, flag) {
        none if none.is_empty() => format!("without {flag}"),
        value => format!("with {flag} {value}"),
    };
    Err(bad_input(
        format!("{first} was made {}, and {second} {}", said(one), said(other)),
        format!("make all parts with the same {flag}"),
    ))
}
