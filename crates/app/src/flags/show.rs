//! Flags of `adit show`.

use std::path::PathBuf;

use clap::Args;

/// Draw a model in the terminal
///
/// Draws a small model with boxes and arrows, lists the calls of a larger one state by state, and summarizes
/// a model of more than 15 states. Calls inside a box stay in that state; ✓ and ✗ mean that a call returned
/// true or false.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit show examples/tokenizer.model.json
  adit show adit-out/java.util.StringTokenizer --hide-pure")]
pub(crate) struct ShowFlags {
    /// Model, or folder that `adit mine` wrote
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Omit calls without side effects
    #[arg(long)]
    pub(crate) hide_pure: bool,
    /// Show the finer model, if there is one
    #[arg(long)]
    pub(crate) detail: bool,
    /// List every call of every state
    #[arg(long, alias = "list")]
    pub(crate) all: bool,
    /// Print the model as JSON, as `adit convert MODEL - --to json` does
    #[arg(long, conflicts_with_all = ["hide_pure", "all"])]
    pub(crate) json: bool,
}
