//! Flags of `adit name`.

use std::path::PathBuf;

use clap::Args;

/// Name a state of a model
///
/// The name replaces the one that adit chose, in the model, in the tests and on the page. In a folder that
/// `adit mine` wrote it is kept in names.json: later rounds give it to the state that is most alike. Without
/// STATE, lists the names of all states.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit name adit-out/java.util.StringTokenizer
  adit name adit-out/java.util.StringTokenizer 2 'used up'
  adit name adit-out/java.util.StringTokenizer 2 --clear")]
pub(crate) struct NameFlags {
    /// Folder that `adit mine` wrote, or a model in JSON or DOT
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Number or present name of the state
    #[arg(value_name = "STATE")]
    pub(crate) state: Option<String>,
    /// New name
    #[arg(value_name = "NAME", conflicts_with = "clear")]
    pub(crate) name: Option<String>,
    /// Give the state back the name that adit chose
    #[arg(long, requires = "state")]
    pub(crate) clear: bool,
    /// Print the names of all states as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
