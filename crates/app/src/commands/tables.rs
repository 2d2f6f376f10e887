//! Tables among the files of traces: Parquet and Arrow, if this binary was built with them.
//!
//! They are a feature, because the libraries take long to build (decision 0030). The script `./adit` adds it
//! when a command names such a file.

use std::path::{Path, PathBuf};

use miette::Report;

use crate::errors::bad_input;

/// Extensions of tables.
const EXTENSIONS: [&str; 7] = ["parquet", "parq", "pq", "arrow", "arrows", "feather", "ipc"];

/// Tells whether a file of traces is a table, by its name, or a folder of tables.
pub(crate) fn is_table(path: &Path) -> bool {
    let named = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()))
    };
    named(path) || has_table(path, &named, 3)
}

/// Tells whether a folder has a table in it, or some levels below it.
fn has_table(folder: &Path, named: &impl Fn(&Path) -> bool, levels: usize) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.into_iter().any(|path| {
        let is_folder = path.is_dir();
        !is_folder && named(&path) || is_folder && levels > 0 && has_table(&path, named, levels - 1)
    })
}

/// Divides the files of a command into tables and others. Fails if there are tables and this binary cannot
/// read them.
pub(crate) fn divide(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Report> {
    let (tables, others): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().cloned().partition(|path| is_table(path));
    if let (Some(table), false) = (tables.first(), cfg!(feature = "parquet")) {
        return Err(bad_input(
            format!("{}: this adit was built without Parquet and Arrow", table.display()),
            "start it with the script `./adit`, which builds them in when a command needs them; or build \
             `cargo build --release -p adit --features parquet`; or `./adit install`",
        ));
    }
    Ok((tables, others))
}

/// Fails if there is a table, for a command that needs what tables do not have.
pub(crate) fn refuse(paths: &[PathBuf], what: &str) -> Result<(), Report> {
    let Some(table) = paths.iter().find(|path| is_table(path)) else { return Ok(()) };
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

    use adit_columns::{TableKind, TableOptions, TableWriter, expand};
    use adit_trace::{Alphabet, Event, EventSink, Letter, WordSink};
    use miette::Report;

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

    fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Report> {
        let mut files = Vec::new();
        for path in paths {
            let found = expand(path);
            if found.is_empty() {
                return Err(bad_input(
                    format!("{}: no such file or folder", path.display()),
                    "a pattern stands for names in one folder, such as logs/*.parquet",
                ));
            }
            files.extend(found);
        }
        Ok(files)
    }

    /// Passes all traces of all tables to `sink`.
    pub(crate) fn feed(
        paths: &[PathBuf],
        flags: &TraceFlags,
        quiet: bool,
        alphabet: &mut Alphabet,
        sink: &mut dyn WordSink,
    ) -> Result<(), Report> {
        let (files, options) = (files(paths)?, options(flags)?);
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
        for file in files(paths)? {
            let (columns, rows) = adit_columns::dry_run(&file, &options, most)?;
            let columns: Vec<String> =
                columns.iter().map(|(role, name)| format!("{role} `{name}`")).collect();
            let _ = writeln!(text, "{} read as a table; columns: {}", file.display(), columns.join(", "));
            for row in rows {
                let time = row.time.map(|time| format!(", time {time}")).unwrap_or_default();
                let _ = writeln!(text, "  row {}: event {} (trace {}{time})", row.row, row.label, row.trace);
            }
        }
        Ok(text)
    }

    /// Writes the words that `feed` passes on as a table.
    pub(crate) fn write(
        path: &Path,
        feed: impl FnOnce(&mut TableWriter<&mut (dyn Write + Send)>) -> Result<(), Report>,
    ) -> Result<(), Report> {
        let kind = TableKind::of(path).unwrap_or(TableKind::Parquet);
        to_file(path, |out| {
            let mut writer = TableWriter::new(out, kind, path.display().to_string())?;
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
