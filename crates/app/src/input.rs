//! Input: files and standard input, opened here and passed on as bytes.

use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::Path;

use adit_suggest::nearest;
use flate2::read::MultiGzDecoder;
use miette::Report;

use crate::errors::bad_input;

/// Name of standard input in messages.
pub(crate) const STDIN: &str = "<stdin>";

/// A model is read whole, so it must not be larger than this. The largest published ones have a few
/// megabytes.
const LARGEST_MODEL: u64 = 512 << 20;

/// A stream of bytes from any source.
pub(crate) type Bytes = Box<dyn Read + Send>;

/// A stream of bytes and its name in messages.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
    /// Number of bytes, if known.
    pub(crate) size: Option<u64>,
}

impl Source {
    /// Returns the first bytes, unpacked if gzipped. The source still yields them afterwards.
    pub(crate) fn peek(&mut self) -> Result<Vec<u8>, Report> {
        const ENOUGH: u64 = 1 << 16;
        let mut head = Vec::new();
        let cannot =
            |error| bad_input(format!("{}: cannot read: {error}", self.name), "check its permissions");
        (&mut self.bytes).take(ENOUGH).read_to_end(&mut head).map_err(cannot)?;
        let mut unpacked = Vec::new();
        if head.starts_with(&[0x1f, 0x8b]) {
            // The stream ends in the middle, so an error at its end is expected.
            let _ = MultiGzDecoder::new(head.as_slice()).take(ENOUGH).read_to_end(&mut unpacked);
        } else {
            unpacked.clone_from(&head);
        }
        let rest = std::mem::replace(&mut self.bytes, Box::new(io::empty()));
        self.bytes = Box::new(Cursor::new(head).chain(rest));
        Ok(unpacked)
    }
}

/// Opens a file, or standard input for `-`.
pub(crate) fn open(path: &Path) -> Result<Source, Report> {
    if path == Path::new("-") {
        return Ok(Source { name: STDIN.to_owned(), bytes: Box::new(io::stdin()), size: None });
    }
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(bad_input(
            format!("{name} is a directory"),
            format!("name the files in it, such as {name}/*"),
        ));
    }
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => missing(path),
        _ => bad_input(format!("{name}: cannot read: {error}"), "check its permissions"),
    })?;
    let size = file.metadata().ok().filter(fs::Metadata::is_file).map(|about| about.len());
    Ok(Source { name, bytes: Box::new(file), size })
}

/// Returns an error about a missing file, with the most similar name.
pub(crate) fn missing(path: &Path) -> Report {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let others: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let typed = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let help = match nearest(&typed, others.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {}?", path.with_file_name(near).display()),
        None if !folder.is_dir() => format!("the folder {} does not exist either", folder.display()),
        None => "check the name; paths are relative to the current folder".to_owned(),
    };
    bad_input(format!("{}: no such file or folder", path.display()), help)
}

/// Reads a whole file, unpacked if gzipped.
pub(crate) fn read_whole(source: Source) -> Result<(String, Vec<u8>), Report> {
    let name = source.name;
    let mut bytes = Vec::new();
    let cannot =
        |error: io::Error| bad_input(format!("{name}: cannot read: {error}"), "check its permissions");
    source.bytes.take(LARGEST_MODEL + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut unpacked = Vec::new();
        MultiGzDecoder::new(bytes.as_slice()).take(LARGEST_MODEL + 1).read_to_end(&mut unpacked).map_err(
            |error| {
                bad_input(
                    format!(
                        "{name}: the gzip stream is damaged or cut off after {} bytes of content: {error}",
                        unpacked_so_far(&bytes)
                    ),
                    "copy or compress the file again; `gzip --test` checks it",
                )
            },
        )?;
        bytes = unpacked;
    }
    if bytes.len() as u64 > LARGEST_MODEL {
        return Err(bad_input(
            format!("{name} holds more than {} MiB", LARGEST_MODEL >> 20),
            "adit cannot handle models of this size; is it a trace file? see `adit infer --help`",
        ));
    }
    Ok((name, bytes))
}

/// Number of bytes of a damaged gzip stream that can be unpacked.
fn unpacked_so_far(packed: &[u8]) -> u64 {
    let mut decoder = MultiGzDecoder::new(packed).take(LARGEST_MODEL);
    let mut buffer = [0; 1 << 16];
    let mut total = 0;
    while let Ok(read @ 1..) = decoder.read(&mut buffer) {
        total += read as u64;
    }
    total
}
