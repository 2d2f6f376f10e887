//! Flags of `adit check`.

use std::path::PathBuf;

use clap::Args;

use super::PurityFlags;

/// Check whether every word of a model obeys a formula
///
/// Prints “holds”, or a shortest word of the model that breaks the formula and then exits with 1. With --templates, tries
/// every pair of events in every template and prints what holds.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit check examples/tokenizer.dot --formula 'G(\"hasMoreTokens:FALSE\" -> G !nextToken)'
  adit check examples/tokenizer.dot --formula '[](nextToken -> <>hasMoreTokens:FALSE)'
  adit check examples/tokenizer.dot --templates

Operators, weakest first: <->  ->  |  &  U W R  then ! X F G (also [] <> o). Quote an event that looks like one: \"G\".
After its last event a word goes on without events, so 'X !b' holds at the end and 'G a' fails even for the empty word;
[end] is true there, X[!] demands a next event and X[?] speaks of it only if there is one.")]
#[command(group(clap::ArgGroup::new("what").required(true).args(["formula", "templates"])))]
pub(crate) struct CheckFlags {
    /// The model; `-` is standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Format of the model [default: by extension, else content]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// The formula that every word must obey
    #[arg(long, value_name = "LTL")]
    pub(crate) formula: Option<String>,
    /// Which instances of the built-in templates hold, or of those in FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub(crate) templates: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub(crate) purity: PurityFlags,
    /// Accept a formula about events that the model does not have
    #[arg(long, requires = "formula")]
    pub(crate) allow_unknown: bool,
    /// Let words end in any state
    #[arg(long)]
    pub(crate) prefix_closed: bool,
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
