//! Output: standard output, or a file that appears only when it is complete.

use std::borrow::Borrow;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use adit_automata::Fsa;
use adit_trace::write::{WriteError, Writer};
use flate2::{Compression, write::GzEncoder};
use miette::{Diagnostic, Report};
use thiserror::Error;

use crate::errors::{ReaderGone, bad_input};
use crate::interrupt::Unfinished;

/// Destination of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Standard output, for no `-o` or `-o -`.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Target {
    /// Returns the target for the value of a flag.
    pub(crate) fn new(path: Option<&Path>) -> Self {
        match path {
            None => Self::Stdout,
            // Renaming a finished file over the one behind standard output would destroy what others wrote
            // there.
            Some(path) if [Path::new("-"), Path::new("/dev/stdout")].contains(&path) => Self::Stdout,
            Some(path) => Self::File(path.to_owned()),
        }
    }

    /// Returns the file name without `.gz`, whose extension chooses the format.
    pub(crate) fn name(&self) -> Option<String> {
        match self {
            Self::Stdout => None,
            Self::File(path) => Some(without_gz(&path.to_string_lossy()).to_owned()),
        }
    }

    /// Calls `write` with a buffered stream to the target.
    ///
    /// A file is written under a temporary name and renamed at the end, so an error or Ctrl-C leaves the old
    /// file in place. A name that ends in `.gz` is compressed.
    pub(crate) fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), Report>,
    ) -> Result<(), Report> {
        match self {
            Self::Stdout => {
                let mut out = BufWriter::new(io::stdout().lock());
                write(&mut out).map_err(|report| named(report, to_stdout))?;
                out.flush().map_err(to_stdout)
            }
            Self::File(path) => to_file(path, |out| write(out)),
        }
    }

    /// Fails before long work if the target can never be written.
    pub(crate) fn check(&self) -> Result<(), Report> {
        let Self::File(path) = self else { return Ok(()) };
        if path.is_dir() {
            return Err(bad_input(
                format!("{} is a directory", path.display()),
                "name a file; its extension chooses the format",
            ));
        }
        let folder = folder_of(path);
        if !folder.is_dir() {
            return Err(bad_input(
                format!("{}: the folder {} does not exist", path.display(), folder.display()),
                format!("create it first: mkdir -p {}", folder.display()),
            ));
        }
        Ok(())
    }
}

/// A path without `.gz` at its end.
pub(crate) fn without_gz(path: &str) -> &str {
    path.strip_suffix(".gz").unwrap_or(path)
}

/// A failed write. [`Target::write`] adds the place.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot write: {0}")]
struct WriteFailed(io::Error);

/// Returns the error of a failed write inside [`Target::write`].
pub(crate) fn write_failed(error: io::Error) -> Report {
    Report::new(WriteFailed(error))
}

/// Ends the writing of traces inside [`Target::write`], and returns what their format cannot hold.
pub(crate) fn finish_traces<W: Write>(writer: Writer<W>) -> Result<Vec<String>, Report> {
    match writer.finish() {
        Ok((_, written)) => Ok(written.lost),
        Err(WriteError::Io(error)) => Err(write_failed(error)),
        Err(error) => Err(Report::new(error)),
    }
}

/// The report, with a failed write told as `tell` does.
fn named(report: Report, tell: impl FnOnce(io::Error) -> Report) -> Report {
    match report.downcast::<WriteFailed>() {
        Ok(WriteFailed(error)) => tell(error),
        Err(report) => report,
    }
}

/// Returns the error of a failed write to standard output.
fn to_stdout(error: io::Error) -> Report {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Report::new(ReaderGone);
    }
    bad_input(format!("cannot write to standard output: {error}"), "is the disk full?")
}

/// Creates a folder of results, with those above it.
pub(crate) fn create_folder(folder: &Path) -> Result<(), Report> {
    fs::create_dir_all(folder).map_err(|error| {
        bad_input(
            format!("cannot create the folder {}: {error}", folder.display()),
            "name another; does a file of that name exist, and may you write there?",
        )
    })
}

/// Lists at most `most` names, and says how many more there are.
pub(crate) fn some_of<S: Borrow<str>>(names: &[S], most: usize) -> String {
    match names.len().checked_sub(most) {
        Some(more @ 1..) => format!("{} and {more} more", names[..most].join(", ")),
        _ => names.join(", "),
    }
}

/// A number with its noun, in the plural unless the number is one: `1 test`, `0 properties`.
pub(crate) fn counted(number: impl Copy + Display + TryInto<u64>, noun: &str) -> String {
    if number.try_into().is_ok_and(|number| number == 1) {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) => format!("{number} {stem}ies"),
        None if noun.ends_with('s') => format!("{number} {noun}es"),
        None => format!("{number} {noun}s"),
    }
}

/// Returns the size of a model in words. The place that was not explored is no state, and transitions to it
/// are counted with the others and also apart.
pub(crate) fn model_size(states: usize, transitions: usize, unexplored: usize) -> String {
    let apart = if unexplored > 0 { format!(", {unexplored} of them not explored") } else { String::new() };
    format!("{}, {}{apart}", counted(states, "state"), counted(transitions, "transition"))
}

/// Returns the size of `model` in words.
pub(crate) fn size_of(model: &Fsa<String>) -> String {
    model_size(model.explored_states().count(), model.transitions(), model.unexplored_transitions())
}

/// Writes a text to standard output.
pub(crate) fn print(text: &str) -> Result<(), Report> {
    let printed = Target::Stdout.write(|out| out.write_all(text.as_bytes()).map_err(write_failed));
    match printed {
        // The reader is gone, but the finding still decides the exit code.
        Err(report) if report.downcast_ref::<ReaderGone>().is_some() => Ok(()),
        printed => printed,
    }
}

/// Writes a JSON value to standard output, readable and ending in a line feed.
pub(crate) fn print_json(value: &serde_json::Value) -> Result<(), Report> {
    print(&format!("{value:#}\n"))
}

/// Writes a file as [`Target::write`] does.
pub(crate) fn to_file(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), Report>,
) -> Result<(), Report> {
    Target::File(path.to_owned()).check()?;
    let cannot = |error: io::Error| {
        bad_input(
            format!("{}: cannot write: {error}", path.display()),
            "check the permissions of the folder and the free disk space, or write to another file",
        )
    };
    // A device or a pipe cannot be replaced by renaming; and through a link, it is the file behind it that
    // changes.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&real).is_ok_and(|about| !about.is_file()) {
        let mut out = BufWriter::new(File::create(&real).map_err(cannot)?);
        write(&mut out).map_err(|report| named(report, cannot))?;
        return out.flush().map_err(cannot);
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".adit-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The usual mode of a new file; the umask of the process applies.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder_of(&real)).map_err(cannot)?;
    let _unfinished = Unfinished::new(file.path());
    let mut out = BufWriter::new(file);
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut packed = GzEncoder::new(&mut out, Compression::default());
        write(&mut packed).map_err(|report| named(report, cannot))?;
        packed.finish().map_err(cannot)?;
    } else {
        write(&mut out).map_err(|report| named(report, cannot))?;
    }
    let file = out.into_inner().map_err(|error| cannot(error.into_error()))?;
    file.persist(&real).map_err(|error| cannot(error.error))?;
    Ok(())
}

/// Returns the folder of a file.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, text: &str) -> Result<(), Report> {
        Target::File(path.to_owned()).write(|out| out.write_all(text.as_bytes()).map_err(write_failed))
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.json");
        put(&path, "old").unwrap();
        let result = Target::File(path.clone()).write(|out| {
            out.write_all(b"half of the new").map_err(write_failed)?;
            Err(bad_input("it broke", "fix it"))
        });
        assert!(result.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn writing_through_a_link_changes_the_file_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        put(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        put(&link, "new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    }

    #[test]
    fn nouns_agree_with_their_number() {
        let told = ["call sequence", "property", "class"]
            .map(|noun| [counted(1_u64, noun), counted(0_usize, noun), counted(12_u32, noun)].join(", "));
        assert_eq!(
            told,
            [
                "1 call sequence, 0 call sequences, 12 call sequences",
                "1 property, 0 properties, 12 properties",
                "1 class, 0 classes, 12 classes",
            ]
        );
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = put(Path::new("no/such/folder/model.json"), "").unwrap_err();
        assert!(error.to_string().contains("the folder no/such/folder does not exist"), "{error}");
    }
}
