//! Errors about tables. Each says where, and what would fix it.

use std::io;

use miette::Diagnostic;
use thiserror::Error;

/// Why a table could not be read or written.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum TableError {
    /// A file cannot be opened or read.
    #[error("{file}: cannot read: {error}")]
    #[diagnostic(code(columns::io), help("check the name and the permissions"))]
    Io {
        /// The file.
        file: String,
        /// The system's error.
        error: io::Error,
    },
    /// A file is no table, or cut off.
    #[error("{file}: the {kind} file is cut off or damaged: {why}")]
    #[diagnostic(
        code(columns::damaged),
        help("copy it again, or write it again; a file that is still being written has no end yet")
    )]
    Damaged {
        /// The file.
        file: String,
        /// The format.
        kind: &'static str,
        /// Message of the library.
        why: String,
    },
    /// A column is missing.
    #[error("{file} has no column for the {wanted}; its columns are {found}")]
    #[diagnostic(code(columns::no_column), help("{hint}"))]
    NoColumn {
        /// The file.
        file: String,
        /// Its purpose, if it were there.
        wanted: &'static str,
        /// The columns that there are.
        found: String,
        /// Advice, with the nearest name.
        hint: String,
    },
    /// A column has a type that cannot be used.
    #[error("{file}: the column `{column}` for the {wanted} has the type {kind}")]
    #[diagnostic(code(columns::column_type), help("{hint}"))]
    Type {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// Its purpose.
        wanted: &'static str,
        /// Its type.
        kind: String,
        /// Advice.
        hint: &'static str,
    },
    /// A text is no time.
    #[error("{file}: row {row}: `{text}` in the column `{column}` is no time")]
    #[diagnostic(
        code(columns::time),
        help("times are numbers or look like 2024-05-31T23:59:58; name another column with `--time`")
    )]
    Time {
        /// The file.
        file: String,
        /// The row, from 1.
        row: u64,
        /// The column.
        column: String,
        /// The text.
        text: String,
    },
    /// Two files of one log have columns that cannot be compared.
    #[error("{file}: its column for the {what} has the type {kind}, but that of {first} has {first_kind}")]
    #[diagnostic(
        code(columns::differ),
        help(
            "rows of one trace may be in several files: give all of them the same type, or read them one by one"
        )
    )]
    Differ {
        /// The file.
        file: String,
        /// The use of the column.
        what: &'static str,
        /// Its type.
        kind: String,
        /// The file before.
        first: String,
        /// The type of its column.
        first_kind: String,
    },
    /// The file is compressed in a way that was not built in.
    #[error("{file}: the {kind} file is compressed in a way that adit cannot read: {why}")]
    #[diagnostic(
        code(columns::compression),
        help("write it with Snappy, Zstandard, gzip, LZ4 or no compression")
    )]
    Compression {
        /// The file.
        file: String,
        /// The format.
        kind: &'static str,
        /// Message of the library.
        why: String,
    },
    /// The end of a Parquet file is needed first.
    #[error("Parquet cannot be read from standard input")]
    #[diagnostic(
        code(columns::stdin),
        help("name the file; `--from arrow` reads an Arrow stream from standard input")
    )]
    ParquetStdin,
    /// A row has no value where it needs one.
    #[error("{file}: row {row} has no {wanted}")]
    #[diagnostic(code(columns::null), help("every row needs one; leave out rows that are not events"))]
    Null {
        /// The file.
        file: String,
        /// The row, from 1.
        row: u64,
        /// Purpose of the column whose value is missing.
        wanted: &'static str,
    },
    /// More different labels than a log has.
    #[error("{file}: more than {limit} different events")]
    #[diagnostic(
        code(columns::too_many_labels),
        help("is the column for the event really the name of an event? name another with `--activity`")
    )]
    TooManyLabels {
        /// The file.
        file: String,
        /// The limit.
        limit: usize,
    },
    /// Rows that did not fit into memory could not be spilled.
    #[error("cannot spill rows to {folder}: {error}")]
    #[diagnostic(
        code(columns::spill),
        help(
            "rows of traces that are far apart need disk space; set TMPDIR to a folder with room, or raise --memory"
        )
    )]
    Spill {
        /// The folder.
        folder: String,
        /// The system's error.
        error: io::Error,
    },
    /// A table could not be written.
    #[error("{file}: cannot write: {why}")]
    #[diagnostic(code(columns::write), help("check the folder and the disk space"))]
    Write {
        /// The file.
        file: String,
        /// The cause.
        why: String,
    },
}
