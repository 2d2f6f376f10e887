//! Flags of `adit properties`.

use std::path::PathBuf;

use clap::Args;

use super::{PurityFlags, TraceFlags};

/// Mine temporal properties from traces
///
/// Checks six kinds of two-event properties in one pass: whether an event is always or never followed by
/// another, eventually or immediately, and whether it is always preceded by one. Prints them in plain English
/// and omits those that follow from others.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit properties examples/tokenizer.traces
  adit properties examples/server.log --regex '\\[(?<trace>s-\\d+)\\] (?<event>[A-Z]+)'
  adit properties examples/tokenizer.traces --formula 'G(x -> X G !y)'
  adit properties examples/tokenizer.traces --partial -o monday.fold
  adit properties --merge monday.fold --json

Templates, for events a and b:
  AF   always followed             after a, sooner or later comes b
  NF   never followed              after a, b never comes
  AP   always preceded             before a, b has come
  AIF  always immediately followed right after a comes b
  NIF  never immediately followed  right after a never comes b
  AIP  always immediately preceded right before a comes b
For AIF, NIF and AIP, events without side effects do not count between a and b.")]
pub(crate) struct PropertiesFlags {
    #[command(flatten)]
    pub(crate) traces: TraceFlags,
    #[command(flatten)]
    pub(crate) purity: PurityFlags,
    /// Mine only this template: AF, NF, AP, AIF, NIF or AIP; may be repeated
    #[arg(long = "template", alias = "templates", value_name = "NAME", conflicts_with = "formula")]
    pub(crate) templates: Vec<String>,
    /// Mine instances of a formula such as 'G(x -> F y)'; names that are not events match any event
    #[arg(long, value_name = "LTL")]
    pub(crate) formula: Option<String>,
    /// Placeholders of --formula, separated by commas [default: the names in it that are not events]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "formula")]
    pub(crate) placeholders: Option<Vec<String>>,
    /// Allow two placeholders of --formula to match the same event
    #[arg(long, requires = "formula")]
    pub(crate) allow_equal: bool,
    /// Minimum number of times a property was tested and held
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) min_support: u64,
    /// Minimum share of those tests in which a property held
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = super::fraction, allow_negative_numbers = true)]
    pub(crate) min_confidence: f64,
    /// List every property, including those that follow from others
    #[arg(long, conflicts_with = "json")]
    pub(crate) all: bool,
    /// Print every property as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Number of threads; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), allow_negative_numbers = true)]
    pub(crate) threads: Option<u16>,
    /// Write counts instead of a result, for --merge
    #[arg(long, requires = "output", conflicts_with_all = ["templates", "formula", "min_support", "min_confidence", "all", "json"])]
    pub(crate) partial: bool,
    /// Read counts that --partial wrote instead of traces, and add them up
    #[arg(long, conflicts_with_all = ["formula", "pure", "no_purity", "labels", "from", "regex", "case", "activity", "time", "delimiter", "sort_by_time", "keep_partial", "dry_run", "threads"])]
    pub(crate) merge: bool,
    /// File for the counts of --partial
    #[arg(long, short, value_name = "FILE", requires = "partial")]
    pub(crate) output: Option<PathBuf>,
}
