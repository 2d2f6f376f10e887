//! Flags of `adit check`.

use std::path::PathBuf;

use clap::Args;

use super::PurityFlags;

/// Check whether every word of a model satisfies a formula
///
/// Prints “holds”, or a shortest word of the model that violates the formula. Exits with 1 if the formula is
/// violated. With --templates, checks every template for every pair of events and says in a few sentences
/// which properties hold.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit check examples/tokenizer.dot --formula 'G(\"hasMoreTokens:FALSE\" -> G !nextToken)'
  adit check examples/tokenizer.dot --formula '[](nextToken -> <>hasMoreTokens:FALSE)'
  adit check examples/tokenizer.dot --templates

Operators, weakest first: <->  ->  |  &  U W R  then ! X F G (also [] <> o). Quote an event that looks
like one: \"G\". An infinite tail without events follows the last event of a word: 'X !b' holds at the end,
and 'G a' fails even for the empty word. [end] is true on the tail; 'X[!] a' demands a next event,
'X[?] a' allows the word to end.")]
#[command(group(clap::ArgGroup::new("what").required(true).args(["formula", "templates"])))]
pub(crate) struct CheckFlags {
    /// Model to check; `-` for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Format of the model [default: by extension, else content]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// Formula that every word must satisfy
    #[arg(long, value_name = "LTL")]
    pub(crate) formula: Option<String>,
    /// Check all instances of the built-in templates (see `adit properties --help`), or of those in FILE
    #[arg(long, alias = "template", value_name = "FILE", num_args = 0..=1)]
    pub(crate) templates: Option<Option<PathBuf>>,
    /// List every property that holds, also those that follow from others
    #[arg(long, requires = "templates")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) purity: PurityFlags,
    /// Accept events in the formula that the model does not have
    #[arg(long, requires = "formula")]
    pub(crate) allow_unknown: bool,
    /// Treat every state as accepting
    #[arg(long)]
    pub(crate) prefix_closed: bool,
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
