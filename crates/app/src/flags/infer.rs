//! Flags of `adit infer`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{PurityFlags, ReductionFlags, TraceFlags};

/// One did better than two on every set of published traces that we measured.
pub(crate) const DEFAULT_K: usize = 1;

/// Infer an automaton from traces
///
/// The model accepts every trace it was made from (adit checks this before writing it) and generalizes to
/// others: k-tail merges states whose next k events agree, dice merges states unless that violates a mined
/// property.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit infer examples/tokenizer.traces -o model.dot
  adit infer examples/tokenizer.traces --algorithm k-tail --k 2 --to mermaid
  adit infer examples/stack.jsonl --pure peek,isEmpty -o stack.json --report stack.html")]
pub(crate) struct InferFlags {
    #[command(flatten)]
    pub(crate) traces: TraceFlags,
    #[command(flatten)]
    pub(crate) algorithm: AlgorithmFlags,
    #[command(flatten)]
    pub(crate) purity: PurityFlags,
    /// Drop traces that contradict themselves or nearly all others, and list them with the reason
    #[arg(long)]
    pub(crate) drop_contradictions: bool,
    #[command(flatten)]
    pub(crate) reduction: ReductionFlags,
    /// File for the model; its extension chooses the format [default: standard output, as JSON]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the model: json, dot, fsm, aut, hoa, promela, mermaid, javamop or fsp
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// File for the report page [default: next to the model, with the extension html]
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write no report page
    #[arg(long, conflicts_with = "report")]
    pub(crate) no_report: bool,
    /// Print a summary as JSON
    #[arg(long, requires = "output")]
    pub(crate) json: bool,
}

/// The algorithm and its parameters.
#[derive(Debug, Args)]
pub(crate) struct AlgorithmFlags {
    /// Inference algorithm
    #[arg(long, value_enum, default_value = "dice")]
    pub(crate) algorithm: Algorithm,
    /// k-tail: number of events ahead that must agree; fewer generalize more [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) k: Option<usize>,
    /// dice: allow calls without side effects to change the state
    #[arg(long)]
    pub(crate) no_constraint_a: bool,
    /// dice: start from a plain prefix tree and ignore the properties
    #[arg(long)]
    pub(crate) no_constraint_b: bool,
}

/// Algorithm that generalizes from traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    /// Merge states whose next k events agree
    KTail,
    /// Merge states with the same enabled events unless that violates a mined property
    Dice,
}
