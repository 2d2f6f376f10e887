//! Flags of `adit show`.

use std::path::PathBuf;

use clap::Args;

/// Draw a model in the terminal
///
/// A small model is drawn with boxes and arrows; of a larger one, the calls are listed state by state; of one with more than 15
/// states, what matters most is told. Inside a box stand the calls
/// that do not leave it; ✓ and ✗ say that a call returned true or false.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit show examples/tokenizer.model.json
  adit show adit-out/java.util.StringTokenizer --hide-pure")]
pub(crate) struct ShowFlags {
    /// The model, or the folder that `adit mine` wrote
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Leave out calls without a side effect
    #[arg(long)]
    pub(crate) hide_pure: bool,
    /// List every call of every state, whatever the size
    #[arg(long, alias = "list")]
    pub(crate) all: bool,
}
