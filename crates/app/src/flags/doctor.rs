//! Flags of `adit doctor`.

use clap::Args;

/// Say what was found on this machine, and what would mend what is missing
///
/// Looks for a JDK, its compiler and a solver, and starts a worker to see whether this kernel can keep Java classes from doing
/// harm. Exits with 1 when something is missing that commands need.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit doctor
  adit doctor --json

Environment: JAVA_HOME and PATH say which JDK; ADIT_JDKS lists folders that hold JDKs, in place of the usual ones.")]
pub(crate) struct DoctorFlags {
    /// Print the findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
