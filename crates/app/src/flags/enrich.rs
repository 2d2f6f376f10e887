//! Flags of `adit enrich`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::ClassFlags;
use crate::budget::{self, Budget};

/// Enrich the typestate that a test suite shows of a class
///
/// Runs the JUnit tests and mines a typestate whose states are abstractions of the object's fields. Then it
/// runs tests again with calls added and suppressed, so that every method is called in every state: most
/// suites show how a class is used, and hardly ever how it must not be used. The result has a transition
/// `read!IOException` wherever a call throws, for `adit verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit enrich com.acme.Connection -c target/classes --tests target/test-classes -o com.acme.Connection.json
  adit enrich java.util.zip.ZipOutputStream --tests ~/zip-tests -c junit4.jar:hamcrest.jar -o zip.json --json
  adit verify com.acme.Connection.json target/classes")]
pub(crate) struct EnrichFlags {
    #[command(flatten)]
    pub(crate) class: ClassFlags,
    /// Folders, jars or classes with the JUnit tests
    #[arg(long, value_name = "PATH", num_args = 1.., required = true)]
    pub(crate) tests: Vec<PathBuf>,
    /// Only the mutations of the paper's Algorithm 1: one addition, or suppressions along one path
    #[arg(long)]
    pub(crate) paper: bool,
    /// Parts of an event that its label shows, besides its exception
    #[arg(long, value_enum, default_value = "outcome")]
    pub(crate) labels: EnrichLabels,
    /// Keep states apart that differ only in fields that make no difference to calls, or have the same future
    #[arg(long)]
    pub(crate) all_fields: bool,
    /// Run every mutant that showed something new once more, and report what it does not show again
    #[arg(long)]
    pub(crate) recheck: bool,
    /// Time for all mutants, or their number, as each runs one test: `2m` or `5000tests`. The suite itself is
    /// always run to its end
    #[arg(long, value_name = "AMOUNT", default_value = "2m", value_parser = budget::parse, allow_hyphen_values = true)]
    pub(crate) budget: Budget,
    /// Time limit for the suite
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = budget::parse_time, allow_hyphen_values = true)]
    pub(crate) time_limit: Duration,
    /// Time limit for one mutant
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = budget::parse_time, allow_hyphen_values = true)]
    pub(crate) mutant_limit: Duration,
    /// Number of mutants that one JVM runs; 1 for a new JVM each time, which is slower
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) reuse: u32,
    /// Working directory of the tests [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// File for the typestate; its extension chooses the format [default: standard output, as JSON]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the typestate: json, dot, fsm, aut, hoa, promela, mermaid, javamop or fsp
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Print a summary as JSON; needs -o for the typestate
    #[arg(long, requires = "output")]
    pub(crate) json: bool,
}

/// Parts of an event that its label shows, besides its exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EnrichLabels {
    /// The method alone, as in the paper: `isEmpty`
    Method,
    /// And a boolean result: `isEmpty:TRUE`
    Outcome,
}
