//! Flags of `adit compare`.

use std::path::PathBuf;

use clap::Args;

/// Measure a model against a reference model
///
/// Precision is the share of the model's words that the reference accepts; recall is the share of the
/// reference's words that the model accepts. Both are estimated by random walks, as papers do, and counted
/// exactly for every length. Exits with 1 if the models differ.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit compare examples/tokenizer.model.json examples/tokenizer.dot --walks 1000 --seed 7
  adit compare adit-out/com.acme.Order models/com.acme.Order.json --fail-on-new --markdown")]
pub(crate) struct CompareFlags {
    /// Model to measure
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Reference model
    #[arg(value_name = "TRUTH")]
    pub(crate) truth: PathBuf,
    /// Format of both models [default: by extension, else content]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// Random walks in each direction per run
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = super::count)]
    pub(crate) walks: usize,
    /// Runs with different random numbers; the mean is reported
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = super::count)]
    pub(crate) runs: usize,
    /// Maximum length of words [default: twice the number of TRUTH's transitions; at most 50 for counting]
    #[arg(long, value_name = "N", value_parser = super::length)]
    pub(crate) max_length: Option<usize>,
    /// Seed of the random walks; the same seed gives the same answer
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Treat every state as accepting
    #[arg(long)]
    pub(crate) prefix_closed: bool,
    /// Exit with 1 only if MODEL allows a call that TRUTH does not, or refuses one that TRUTH allows
    #[arg(long)]
    pub(crate) fail_on_new: bool,
    /// Print what changed from TRUTH to MODEL as Markdown, instead of figures
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
