//! Flags of every command that reads traces.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Which traces, and how to read them.
#[derive(Debug, Args)]
pub(crate) struct TraceFlags {
    /// Files with traces, plain or gzipped; `-` is standard input
    #[arg(required = true, value_name = "TRACES")]
    pub(crate) traces: Vec<PathBuf>,
    /// Format of the traces: lines, texada, regex, csv, jsonl, abbadingo, xes or dtrace [default: by extension, else content]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    #[command(flatten)]
    pub(crate) read: ReadFlags,
    /// Show what is understood of the first lines, and stop
    #[arg(long, help_heading = READING)]
    pub(crate) dry_run: bool,
    /// What counts as one kind of event
    #[arg(long, value_enum, default_value = "exception", help_heading = READING)]
    pub(crate) labels: LabelChoice,
}

const READING: &str = "Reading traces";

/// How to read traces, whatever they are for.
#[derive(Debug, Args)]
pub(crate) struct ReadFlags {
    /// Read any log: a regular expression with the named group `event` and, if you like, `trace`, `time`, `returned`, `threw`
    ///
    /// For example: `\[(?<trace>s-\d+)\] (?<event>[A-Z]+)`
    #[arg(long, value_name = "PATTERN", help_heading = READING)]
    pub(crate) regex: Option<String>,
    /// Leave out lines that --regex does not match, instead of stopping at them
    #[arg(long, requires = "regex", help_heading = READING)]
    pub(crate) skip_unmatched: bool,
    /// Column (CSV) or field (JSON) that says which trace an event belongs to
    #[arg(long, value_name = "COLUMN", help_heading = READING)]
    pub(crate) case: Option<String>,
    /// Column or field that says which event happened
    #[arg(long, value_name = "COLUMN", help_heading = READING)]
    pub(crate) activity: Option<String>,
    /// Column or field that says when
    #[arg(long, value_name = "COLUMN", help_heading = READING)]
    pub(crate) time: Option<String>,
    /// What separates the columns of CSV: a comma, a semicolon or a tab [default: as in the header]
    #[arg(long, value_name = "CHAR", value_parser = super::delimiter, help_heading = READING)]
    pub(crate) delimiter: Option<u8>,
    /// Order the events of each trace by their times
    #[arg(long, help_heading = READING)]
    pub(crate) sort_by_time: bool,
    /// Keep what there is of a trace that was cut off
    #[arg(long, help_heading = READING)]
    pub(crate) keep_partial: bool,
    /// Longest line to accept, in bytes, such as 64K or 16M
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = super::size, help_heading = READING)]
    pub(crate) max_line: usize,
}

/// What counts as a letter.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LabelChoice {
    /// The method alone: `pop`
    Method,
    /// And a boolean result: `isEmpty:TRUE`
    Outcome,
    /// And the exception it threw: `pop!EmptyStackException`
    Exception,
}

/// Which events change nothing.
#[derive(Debug, Args)]
pub(crate) struct PurityFlags {
    /// Methods or events without side effects, separated by commas [default: those named is… and has…]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "no_purity")]
    pub(crate) pure: Option<Vec<String>>,
    /// Treat every event as if it changed something
    #[arg(long)]
    pub(crate) no_purity: bool,
}
