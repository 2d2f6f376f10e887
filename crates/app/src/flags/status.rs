//! Flags of `adit status`.

use std::path::PathBuf;

use clap::Args;

/// Show what a campaign has found so far, also while it runs
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit status adit-out/java.util.StringTokenizer
  adit status adit-out/java.util.StringTokenizer --json")]
pub(crate) struct StatusFlags {
    /// Folder that `adit mine` writes
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
