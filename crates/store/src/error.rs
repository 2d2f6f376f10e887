//! Errors of the store, each with a remedy.

use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use rusqlite::ErrorCode;
use thiserror::Error;

/// Failure to open, read or write a campaign.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder contains no campaign.
    #[error("{} holds no campaign", folder.display())]
    #[diagnostic(
        code(store::no_campaign),
        help("start one with `adit mine CLASS -o {}`; the folder of a campaign holds a file campaign.db", folder.display())
    )]
    NoCampaign {
        /// The folder.
        folder: PathBuf,
    },
    /// Another process is writing the campaign.
    #[error("{} is in use by {}", folder.display(), writer(*pid))]
    #[diagnostic(
        code(store::in_use),
        help("wait for it to end, or name another folder with -o; `adit status {}` shows its progress", folder.display())
    )]
    InUse {
        /// The campaign.
        folder: PathBuf,
        /// Its process id, if known.
        pid: Option<u32>,
    },
    /// The file is not a campaign.
    #[error("{} is not a campaign of adit", path.display())]
    #[diagnostic(code(store::not_a_campaign), help("move the file away, or name another folder with -o"))]
    NotACampaign {
        /// The file.
        path: PathBuf,
    },
    /// The file is a campaign with invalid content.
    #[error("{} is damaged: {what}", path.display())]
    #[diagnostic(
        code(store::damaged),
        help(
            "`sqlite3 campaign.db .recover` saves what can be read; `adit mine … --fresh` moves the folder away and starts over"
        )
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The defect.
        what: String,
    },
    /// A newer version of adit wrote the campaign.
    #[error("{} has schema {found}, but this adit knows schemas only up to {known}", path.display())]
    #[diagnostic(
        code(store::newer),
        help("a newer adit wrote it: use that version, or name another folder with -o")
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Schema of the file.
        found: i64,
        /// Newest schema that this version knows.
        known: i64,
    },
    /// An older version of adit wrote the campaign, which only a writer can migrate.
    #[error("{} has the old schema {found}; this adit reads schema {known}", path.display())]
    #[diagnostic(
        code(store::older),
        help(
            "run `adit mine` with the same flags into this folder: it migrates the campaign and keeps its content"
        )
    )]
    Older {
        /// The file.
        path: PathBuf,
        /// Schema of the file.
        found: i64,
        /// Schema that this version reads.
        known: i64,
    },
    /// The file or folder is read-only.
    #[error("{} is not writable", path.display())]
    #[diagnostic(
        code(store::read_only),
        help(
            "check the permissions of the folder and whether it is mounted read-only, or name another folder with -o"
        )
    )]
    ReadOnly {
        /// The file or folder.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("{}: no space left: {why}", path.display())]
    #[diagnostic(
        code(store::full),
        help("what was stored before is safe; free some space and run the same command again to continue")
    )]
    Full {
        /// The file.
        path: PathBuf,
        /// Message of the system.
        why: String,
    },
    /// Another failure of the file system.
    #[error("{}: {why}", path.display())]
    #[diagnostic(
        code(store::unusable),
        help("what was stored before is safe; check the disk and the permissions of the folder")
    )]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// Message of the system.
        why: String,
    },
}

fn writer(pid: Option<u32>) -> String {
    pid.map_or("another process".to_owned(), |pid| format!("process {pid}"))
}

impl StoreError {
    /// Classifies an error of the database.
    pub(crate) fn from_database(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_owned();
        let why = error.to_string();
        let Some(failure) = error.sqlite_error() else {
            // A value of the wrong type.
            return Self::Damaged { path, what: why };
        };
        match failure.code {
            ErrorCode::NotADatabase => Self::NotACampaign { path },
            ErrorCode::DatabaseCorrupt | ErrorCode::TypeMismatch | ErrorCode::ConstraintViolation => {
                Self::Damaged { path, what: why }
            }
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Self::ReadOnly { path },
            ErrorCode::DiskFull => Self::Full { path, why },
            ErrorCode::SystemIoFailure
                if matches!(
                    failure.extended_code,
                    rusqlite::ffi::SQLITE_IOERR_WRITE
                        | rusqlite::ffi::SQLITE_IOERR_FSYNC
                        | rusqlite::ffi::SQLITE_IOERR_TRUNCATE
                        | rusqlite::ffi::SQLITE_IOERR_SHMSIZE
                ) =>
            {
                Self::Full { path, why }
            }
            // A truncated file.
            ErrorCode::SystemIoFailure if failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ => {
                Self::Damaged { path, what: why }
            }
            ErrorCode::Unknown => Self::Damaged { path, what: why },
            _ => Self::Unusable { path, why },
        }
    }

    /// Classifies an error of the file system on writing.
    pub(crate) fn from_io(path: &Path, error: &io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::Full { path, why: error.to_string() }
            }
            _ => Self::Unusable { path, why: error.to_string() },
        }
    }
}
