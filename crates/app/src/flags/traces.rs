//! Flags of every command that reads traces.

use std::path::PathBuf;

use adit_trace::FORMATS;
use clap::{Args, ValueEnum};

/// The traces to read, and how.
#[derive(Debug, Args)]
pub(crate) struct TraceFlags {
    /// Trace files, plain or gzipped; `-` for standard input
    #[arg(required = true, value_name = "TRACES")]
    pub(crate) traces: Vec<PathBuf>,
    #[arg(long, value_name = "FORMAT", help = from_help())]
    pub(crate) from: Option<String>,
    #[command(flatten)]
    pub(crate) read: ReadFlags,
    /// Show how adit understands the first lines, and stop
    #[arg(long, help_heading = READING)]
    pub(crate) dry_run: bool,
    /// Parts of an event that its label shows
    #[arg(long, value_enum, default_value = "exception", help_heading = READING)]
    pub(crate) labels: LabelChoice,
}

const READING: &str = "Reading traces";

fn from_help() -> String {
    let names: Vec<&str> = FORMATS.iter().map(|spec| spec.name).collect();
    format!("Format: {}, parquet, arrow [default: by extension, else content]", names.join(", "))
}

/// The trace formats that can be written, with what is worth saying about each.
pub(super) fn written_formats() -> String {
    let writable = FORMATS.iter().filter(|spec| spec.is_writable());
    let said = writable.map(|spec| match spec.remark {
        "" => spec.name.to_owned(),
        remark => format!("{} ({remark})", spec.name),
    });
    said.collect::<Vec<_>>().join(", ")
}

/// The trace formats that can only be read.
pub(super) fn formats_for_reading() -> String {
    let names: Vec<&str> = FORMATS.iter().filter(|spec| !spec.is_writable()).map(|spec| spec.name).collect();
    names.join(", ")
}

/// Options for reading traces.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReadFlags {
    /// Regular expression that matches the lines of a log
    ///
    /// It has the named group `event` and optionally `trace`, `time`, `returned` and `threw`:
    /// `\[(?<trace>s-\d+)\] (?<event>[A-Z]+)`
    #[arg(long, value_name = "PATTERN", help_heading = READING)]
    pub(crate) regex: Option<String>,
    /// Skip lines that --regex does not match
    #[arg(long, requires = "regex", help_heading = READING)]
    pub(crate) skip_unmatched: bool,
    /// Column (CSV, Parquet) or field (JSON) with the trace
    #[arg(long, value_name = "COLUMN", help_heading = READING)]
    pub(crate) case: Option<String>,
    /// Column or field with the event
    #[arg(long, value_name = "COLUMN", help_heading = READING)]
    pub(crate) activity: Option<String>,
    /// Column or field with the time; in tables, or the sequence number
    #[arg(long, value_name = "COLUMN", help_heading = READING)]
    pub(crate) time: Option<String>,
    /// Delimiter of CSV columns: `,`, `;` or `tab` [default: as in the header]
    #[arg(long, value_name = "CHAR", value_parser = super::delimiter, help_heading = READING)]
    pub(crate) delimiter: Option<u8>,
    /// Sort the events of each trace by time
    #[arg(long, help_heading = READING)]
    pub(crate) sort_by_time: bool,
    /// Keep the beginning of a trace that was cut off
    #[arg(long, help_heading = READING)]
    pub(crate) keep_partial: bool,
    /// Maximum length of a line in bytes, such as 64K or 16M
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = super::size, help_heading = READING)]
    pub(crate) max_line: usize,
    /// Memory for gathering the rows of a table's traces, such as 64M or 2G; the rest goes to disk
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = super::size, help_heading = READING)]
    pub(crate) memory: usize,
}

/// Parts of an event that its label shows.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LabelChoice {
    /// The method alone: `pop`
    Method,
    /// And a boolean result: `isEmpty:TRUE`
    Outcome,
    /// And the exception it threw: `pop!EmptyStackException`
    Exception,
    /// And the source line where it returned, if known: `top@78`
    Line,
}

impl LabelChoice {
    /// The name that the flag takes.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value().expect("no choice is hidden");
        value.get_name().to_owned()
    }
}

/// Events without side effects.
#[derive(Debug, Args)]
pub(crate) struct PurityFlags {
    /// Methods or events without side effects, separated by commas [default: those named is… and has…]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "no_purity")]
    pub(crate) pure: Option<Vec<String>>,
    /// Treat every event as if it changed something
    #[arg(long)]
    pub(crate) no_purity: bool,
}
