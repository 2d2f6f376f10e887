//! Flags of `adit interface`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::ClassFlags;
use crate::budget;

/// Sequences of this many calls are explored before the proof, which needs no depth: deeper counterexamples
/// are found by the proof itself.
pub(crate) const DEFAULT_DEPTH: usize = 2;

/// Symbols beyond which the alphabet is taken to grow without end.
pub(crate) const MOST_SYMBOLS: usize = 400;

/// Sequences that an exploration may hold: about a gigabyte.
pub(crate) const MOST_SEQUENCES: usize = 20_000_000;

/// Time for the solver to answer one question.
pub(crate) const SOLVER_PATIENCE: Duration = Duration::from_secs(2);

/// Learn when each method of a class may be called, with conditions on its arguments, and prove it
///
/// Reads the bytecode of the class and never runs it. The result is an automaton whose transitions carry
/// guards such as `connect [snk != 0 && !connected]`. If the proof succeeds, it is exact for call sequences
/// of every length; otherwise adit says up to which length it is exact, and why. Needs a solver (Z3 or cvc5)
/// for arithmetic that relates arguments or fields to each other.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit interface com.acme.Stream -c target/classes
  adit interface java.io.PipedOutputStream --json
  adit interface com.acme.Stream -c target/classes -o stream-interface

With -o, the folder gets report.html with the automaton, the contract and the proof, model.json (see
`adit convert` for other formats), contract.md with a sentence and Javadoc text for each method, a Java
class that wraps the component and refuses illegal calls, and certificate.smt2, which any SMT-LIB 2 solver
confirms by answering `unsat` to every question.")]
pub(crate) struct InterfaceFlags {
    #[command(flatten)]
    pub(crate) class: ClassFlags,
    /// Explore all sequences of at most this many calls [default: 2, and then prove every length]
    #[arg(long, value_name = "K", value_parser = super::length, allow_negative_numbers = true)]
    pub(crate) depth: Option<usize>,
    /// Explore both orders of calls whose order does not matter
    #[arg(long)]
    pub(crate) no_por: bool,
    /// Explore equal states again
    #[arg(long)]
    pub(crate) no_matching: bool,
    /// Do not prove anything beyond the depth
    #[arg(long)]
    pub(crate) no_certificate: bool,
    /// Also analyze `equals`, `hashCode` and `toString`
    #[arg(long)]
    pub(crate) object_methods: bool,
    /// Time limit
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = budget::parse_time, allow_hyphen_values = true)]
    pub(crate) budget: Duration,
    /// Folder for the model, the contract, the Java wrapper and the certificate
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
