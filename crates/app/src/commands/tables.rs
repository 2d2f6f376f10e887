//! Tables among the files of traces: Parquet and Arrow, if this binary was built with them.
//!
//! They are a feature, because the libraries take long to build (decision 0030). The script `./adit` adds it
//! when a command names such a file.

mod files;

use std::path::{Path, PathBuf};

use miette::Report;

use crate::errors::bad_input;

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Parquet,
    Arrow,
}

impl Kind {
    /// The names that `--from` and `--to` take.
    pub(crate) const NAMES: [(&str, Self); 2] = [("parquet", Self::Parquet), ("arrow", Self::Arrow)];

    /// The kind with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, kind)| kind)
    }
}

/// Tells whether a file of traces is a table, or a folder of tables; `from` is the format that the user
/// named.
pub(crate) fn is_input(path: &Path, from: Option<&str>) -> bool {
    match from {
        Some(from) => Kind::named(from).is_some(),
        None => files::is_table(path),
    }
}

/// Fails if this binary cannot read and write tables such as `path`.
pub(crate) fn need(path: &Path) -> Result<(), Report> {
    if cfg!(feature = "parquet") {
        return Ok(());
    }
    Err(bad_input(
        format!("{}: this adit was built without Parquet and Arrow", path.display()),
        "start it with the script `./adit`, which builds them in when a command needs them; or build \
         `cargo build --release -p adit --features parquet`; or `./adit install`",
    ))
}

/// Divides the files of a command into tables and others; `from` is the format that the user named. Fails if
/// there are tables and this binary cannot read them.
pub(crate) fn divide(paths: &[PathBuf], from: Option<&str>) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Report> {
    let (tables, others): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().cloned().partition(|path| is_input(path, from));
    tables.first().map_or(Ok(()), |table| need(table))?;
    Ok((tables, others))
}

/// The kind of table that an output file is: by the format that the user named, else by its extension.
pub(crate) fn kind_of_output(path: &Path, to: Option<&str>) -> Option<Kind> {
    match to {
        Some(to) => Kind::named(to),
        None => files::kind_of(path),
    }
}

/// Fails if there is a table, for a command that needs what tables do not have.
pub(crate) fn refuse(paths: &[PathBuf], from: Option<&str>, what: &str) -> Result<(), Report> {
    let Some(table) = paths.iter().find(|path| is_input(path, from)) else { return Ok(()) };
    Err(bad_input(
        format!("{}: a table has no {what}", table.display()),
        "use traces in JSON lines or .dtrace; tables are for `adit properties`, `adit convert` and `adit infer` \
         with an algorithm that needs no states",
    ))
}

#[cfg(feature = "parquet")]
pub(crate) use with_columns::{AsEvents, dry_run, feed, write};

#[cfg(feature = "parquet")]
mod with_columns {
    use std::fmt::Write as _;
    use std::io::Write;
    use std::path::{Path, PathBuf};

    use adit_columns::{TableFile, TableKind, TableOptions, TableWriter};
    use adit_trace::{Alphabet, Event, EventSink, Letter, WordSink};
    use miette::Report;

    use super::{Kind, files};
    use crate::commands::traces;
    use crate::errors::bad_input;
    use crate::flags::TraceFlags;
    use crate::output::{counted, to_file};
    use crate::progress::Working;
    use crate::stderr::tell;

    fn options(flags: &TraceFlags) -> Result<TableOptions, Report> {
        let read = traces::options(&flags.read, flags.labels.into())?;
        Ok(TableOptions {
            labels: read.labels,
            trace: read.fields.trace,
            event: read.fields.event,
            time: read.fields.time,
            memory: flags.read.memory,
            max_labels: read.max_labels,
        })
    }

    impl From<Kind> for TableKind {
        fn from(kind: Kind) -> Self {
            match kind {
                Kind::Parquet => Self::Parquet,
                Kind::Arrow => Self::Arrow,
            }
        }
    }

    fn table_files(paths: &[PathBuf], from: Option<&str>) -> Result<Vec<TableFile>, Report> {
        let mut found = Vec::new();
        for path in paths {
            let before = found.len();
            let expanded = files::expand(path, from.and_then(Kind::named));
            found.extend(expanded.into_iter().map(|(path, kind)| TableFile { path, kind: kind.into() }));
            if found.len() == before {
                let hint = if path.is_dir() {
                    "the folder and those below it hold no file; a table ends in .parquet or .arrow"
                } else {
                    "the pattern fits no file: `*` stands for any text in a name, as in 'logs/day=*/*.parquet', \
                     and `**` for any folders"
                };
                return Err(bad_input(format!("{}: no table is there", path.display()), hint));
            }
        }
        Ok(found)
    }

    /// Passes all traces of all tables to `sink`.
    pub(crate) fn feed(
        paths: &[PathBuf],
        flags: &TraceFlags,
        quiet: bool,
        alphabet: &mut Alphabet,
        sink: &mut dyn WordSink,
    ) -> Result<(), Report> {
        let (files, options) = (table_files(paths, flags.from.as_deref())?, options(flags)?);
        let working = Working::new("reading", quiet);
        let summary = adit_columns::words(&files, &options, alphabet, sink, &mut |_| {});
        drop(working);
        let summary = summary?;
        if summary.spilled > 0 && !quiet {
            tell(&format!(
                "rows of traces are far apart: {} written to disk and merged; more --memory needs fewer",
                counted(summary.spilled, "file"),
            ));
        }
        Ok(())
    }

    /// Shows how the first rows of each table are understood.
    pub(crate) fn dry_run(paths: &[PathBuf], flags: &TraceFlags, most: usize) -> Result<String, Report> {
        let options = options(flags)?;
        let mut text = String::new();
        let (mut known, mut same) = (Vec::new(), 0);
        for file in table_files(paths, flags.from.as_deref())? {
            // A log may have thousands of files, and one shows what there is to see.
            let most = if known.is_empty() { most } else { 0 };
            let (columns, rows) = adit_columns::dry_run(&file, &options, most)?;
            if columns == known {
                same += 1;
                continue;
            }
            let named: Vec<String> = columns.iter().map(|(role, name)| format!("{role} `{name}`")).collect();
            let _ = writeln!(text, "{} read as a table; columns: {}", file.path.display(), named.join(", "));
            for row in rows {
                let time = row.time.map(|time| format!(", time {time}")).unwrap_or_default();
                let _ = writeln!(text, "  row {}: event {} (trace {}{time})", row.row, row.label, row.trace);
            }
            known = columns;
        }
        if same > 0 {
            let _ = writeln!(text, "{} with the same columns", counted(same, "more file"));
        }
        Ok(text)
    }

    /// Writes the words that `feed` passes on as a table.
    pub(crate) fn write(
        path: &Path,
        kind: Kind,
        feed: impl FnOnce(&mut TableWriter<&mut (dyn Write + Send)>) -> Result<(), Report>,
    ) -> Result<(), Report> {
        to_file(path, |out| {
            let mut writer = TableWriter::new(out, kind.into(), path.display().to_string())?;
            feed(&mut writer)?;
            Ok(writer.finish()?)
        })
    }

    /// Passes words on as events. A sink that breaks off keeps its error for the end.
    pub(crate) struct AsEvents<'a> {
        sink: &'a mut dyn EventSink,
        begun: bool,
    }

    impl<'a> AsEvents<'a> {
        pub(crate) fn new(sink: &'a mut dyn EventSink) -> Self {
            Self { sink, begun: false }
        }

        fn begin(&mut self, weight: u64) {
            if !self.begun {
                let _ = self.sink.begin(None, weight);
            }
            self.begun = true;
        }
    }

    impl WordSink for AsEvents<'_> {
        fn part(&mut self, letters: &[Letter], alphabet: &Alphabet) {
            // In a table, each trace occurs once.
            self.begin(1);
            for &letter in letters {
                let _ = self.sink.event(&Event::from_spelling(alphabet.name(letter)));
            }
        }

        fn end(&mut self, weight: u64) {
            self.begin(weight);
            let _ = self.sink.end();
            self.begun = false;
        }
    }
}
