//! Flags of `adit explain`.

use std::path::PathBuf;

use clap::Args;

/// Say why a transition is in a model, or why a property is believed
///
/// The traces and tests that lie beside the model are replayed over it: for a transition, how many of them take it and the shortest
/// examples; for a property, what became of it and the test that contradicts it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit explain adit-out/java.util.StringTokenizer nextToken          every transition with this call
  adit explain adit-out/java.util.StringTokenizer 1 nextToken 2      from state 1 to state 2
  adit explain adit-out/java.util.StringTokenizer 'NF(nextToken, StringTokenizer)'")]
pub(crate) struct ExplainFlags {
    /// The folder that `adit mine` wrote, or a model in one
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// A call, with the state before and after it where that matters; or a property such as `NF(a, b)`
    #[arg(value_name = "WHAT", required = true, num_args = 1..=4)]
    pub(crate) what: Vec<String>,
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
