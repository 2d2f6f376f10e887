//! Flags of `adit man`.

use std::path::PathBuf;

use clap::Args;

/// Write manual pages for adit and all its commands
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit man ~/.local/share/man/man1
  man adit-mine")]
pub(crate) struct ManFlags {
    /// Folder for the pages, created if necessary
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Print the names of the pages as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
