//! Flags of `adit man`.

use std::path::PathBuf;

use clap::Args;

/// Write the manual pages of adit and all its commands
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit man ~/.local/share/man/man1
  man adit-mine")]
pub(crate) struct ManFlags {
    /// The folder for the pages; it is made if need be
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}
