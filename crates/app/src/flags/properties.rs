//! Flags of `adit properties`.

use clap::Args;

use super::{PurityFlags, TraceFlags};

/// Find what always and never happens in traces
///
/// Counts six kinds of two-event properties in one pass over the traces: whether an event is always or never followed by
/// another, at some time or immediately, and whether it is always preceded by one. Prints them in plain English, without
/// those that follow from others.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit properties examples/tokenizer.traces
  adit properties examples/server.log --regex '\\[(?<trace>s-\\d+)\\] (?<event>[A-Z]+)'
  adit properties examples/tokenizer.traces --formula 'G(x -> X G !y)'")]
pub(crate) struct PropertiesFlags {
    #[command(flatten)]
    pub(crate) traces: TraceFlags,
    #[command(flatten)]
    pub(crate) purity: PurityFlags,
    /// Only this template: AF, NF, AP, AIF, NIF or AIP; may be repeated
    #[arg(long = "template", value_name = "NAME", conflicts_with = "formula")]
    pub(crate) templates: Vec<String>,
    /// A formula of your own; names that are no events stand for any event: 'G(x -> F y)'
    #[arg(long, value_name = "LTL")]
    pub(crate) formula: Option<String>,
    /// The placeholders of --formula, separated by commas [default: the names in it that are no events]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "formula")]
    pub(crate) placeholders: Option<Vec<String>>,
    /// Let two placeholders of --formula stand for the same event
    #[arg(long, requires = "formula")]
    pub(crate) allow_equal: bool,
    /// Fewest times that a property must have been put to the test and held
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) min_support: u64,
    /// Smallest share of the times it was put to the test in which a property must have held
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = super::fraction, allow_negative_numbers = true)]
    pub(crate) min_confidence: f64,
    /// List every property, also those that follow from others
    #[arg(long, conflicts_with = "json")]
    pub(crate) all: bool,
    /// Print every property as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Threads to read and count with; the result is the same for any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), allow_negative_numbers = true)]
    pub(crate) threads: Option<u16>,
}
