//! Flags of the commands that write a model and may reduce it first.

use clap::Args;

/// Reduction of a model.
#[derive(Debug, Args)]
pub(crate) struct ReductionFlags {
    /// Make the model deterministic
    #[arg(long)]
    pub(crate) determinize: bool,
    /// Make the model deterministic and minimal
    #[arg(long)]
    pub(crate) minimize: bool,
}
