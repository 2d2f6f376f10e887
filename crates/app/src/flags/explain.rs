//! Flags of `adit explain`.

use std::path::PathBuf;

use clap::Args;

/// Show the evidence for a transition or a property
///
/// Replays the traces and tests of the folder on its model. For a transition, prints how many of them take it
/// and the shortest examples; for a property, prints what became of it and the test that refutes it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit explain adit-out/java.util.StringTokenizer 'nextToken()'        every transition with this call
  adit explain adit-out/java.util.StringTokenizer 1 'nextToken()' 1    from state 1 back to it
  adit explain adit-out/com.acme.Order isOpen close        by the name of a state
  adit explain adit-out/java.util.StringTokenizer 'NF(nextToken(), StringTokenizer)'")]
pub(crate) struct ExplainFlags {
    /// Folder that `adit mine` wrote, or a model in one
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Call, optionally between the states before and after it (numbers or names); a state; or a property
    /// such as `NF(a, b)`
    #[arg(value_name = "WHAT", required = true, num_args = 1..)]
    pub(crate) what: Vec<String>,
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
