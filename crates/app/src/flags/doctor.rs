//! Flags of `adit doctor`.

use clap::Args;

/// Check that this machine can run Java classes, and say how to fix what is missing
///
/// Looks for a JDK, its compiler and a solver, and starts a worker to test the sandbox on this kernel. Exits
/// with 1 if something that a command needs is missing.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit doctor
  adit doctor --json

Environment: JAVA_HOME and PATH choose the JDK; ADIT_JDKS lists folders to search for JDKs
instead of the usual ones.")]
pub(crate) struct DoctorFlags {
    /// Print the findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
