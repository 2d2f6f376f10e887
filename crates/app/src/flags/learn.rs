//! Flags of `adit learn`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::budget::{self, Budget};

/// States beyond those of the model up to which the W- and the Wp-method look. Each one multiplies their work
/// by the number of inputs; with two, a door of ten inputs takes seconds, and one of fifty an hour.
pub(crate) const EXTRA_STATES: usize = 2;

/// Longest random word.
pub(crate) const LONGEST_WALK: usize = 50;

/// Learn a state machine of a program by asking it, through an adapter
///
/// adit starts the adapter, asks it for its operations, and calls them in many orders, always from a fresh
/// start. The result is the smallest machine that answers every sequence as the program did; the equivalence
/// check says how hard adit looked for a difference. Learning needs a program whose answers depend on the
/// calls since the last reset only; `--votes` finds out and helps if that is nearly so. docs/adapters.md says
/// how to write an adapter.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit learn Door --adapter 'python3 examples/door_adapter.py' -o door.json
  adit learn Door --adapter 'python3 examples/door_adapter.py' --equivalence walks --walks 500 --json

With -o, the answers so far are kept in a file beside the model (door.json.queries.jsonl) until the model is
finished. Run the same command again after Ctrl-C or the end of a budget, and it continues there.")]
pub(crate) struct LearnFlags {
    /// Name of the subject, which the adapter understands
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Command that starts the adapter
    #[arg(long, value_name = "COMMAND")]
    pub(crate) adapter: String,
    /// Learning algorithm
    #[arg(long, value_enum, value_name = "NAME", default_value = "lsharp")]
    pub(crate) algorithm: LearningAlgorithm,
    /// Search for differences between the machine and the program
    #[arg(long, value_enum, value_name = "METHOD", default_value = "wp")]
    pub(crate) equivalence: EquivalenceChoice,
    /// Extra states for w and wp [default: 2]; longest word for walks [default: 50]
    #[arg(long, value_name = "N", value_parser = super::length, allow_negative_numbers = true)]
    pub(crate) depth: Option<usize>,
    /// Number of random words for each machine, with `--equivalence walks`
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = super::count)]
    pub(crate) walks: usize,
    /// Operations to learn, such as `open,put("a",1)` [default: all, with a few values for each parameter]
    #[arg(long, value_name = "LIST")]
    pub(crate) inputs: Vec<String>,
    /// Call that makes the object, such as `Buffer("abc")` [default: the first that works]
    #[arg(long, value_name = "CALL")]
    pub(crate) start: Option<String>,
    /// Processes that answer at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) workers: u8,
    /// Ask every sequence N times; the majority counts, and disagreements are reported
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) votes: u8,
    /// Limit such as `10s` or `5000tests` (sequences) [default: none]
    #[arg(long, value_name = "BUDGET", value_parser = budget::parse, allow_hyphen_values = true)]
    pub(crate) budget: Option<Budget>,
    /// Time limit of one sequence
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = budget::parse_time, allow_hyphen_values = true)]
    pub(crate) script_limit: Duration,
    /// Run the adapter even if the kernel cannot enforce the sandbox
    #[arg(long)]
    pub(crate) unsafe_no_sandbox: bool,
    /// Seed of the random words; the same seed gives the same model
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Start over, without the answers of an interrupted run
    #[arg(long)]
    pub(crate) fresh: bool,
    /// File for the model; its extension chooses the format [default: standard output, unless --json]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print a summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A learning algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LearningAlgorithm {
    /// Angluin's observation table, for Mealy machines
    Lstar,
    /// Apartness in a tree of observations: fewest sequences
    Lsharp,
}

/// A search for differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EquivalenceChoice {
    /// W-method: complete up to a number of extra states
    W,
    /// Wp-method: the same with fewer sequences
    Wp,
    /// Random words: proves nothing
    Walks,
}
