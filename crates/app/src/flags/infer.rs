//! Flags of `adit infer`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{PurityFlags, TraceFlags};

/// One did better than two on every set of published traces that we measured.
pub(crate) const DEFAULT_K: usize = 1;

/// Infer an automaton from traces
///
/// The model accepts every trace it was made from, which is checked before it is written, and generalizes to traces that were
/// not seen: k-tail by merging states whose next k events agree, dice by merging states as long as no mined property breaks.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit infer examples/tokenizer.traces -o model.dot
  adit infer examples/tokenizer.traces --algorithm k-tail --k 2 --to mermaid
  adit infer examples/stack.jsonl --pure peek,isEmpty -o stack.json --report stack.html")]
pub(crate) struct InferFlags {
    #[command(flatten)]
    pub(crate) traces: TraceFlags,
    /// How to generalize
    #[arg(long, value_enum, default_value = "dice")]
    pub(crate) algorithm: Algorithm,
    /// k-tail: how many events ahead two states must agree; less is more general [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) k: Option<usize>,
    /// dice: let calls without side effects change the state
    #[arg(long)]
    pub(crate) no_constraint_a: bool,
    /// dice: build the first automaton as a plain prefix tree, whatever properties say
    #[arg(long)]
    pub(crate) no_constraint_b: bool,
    #[command(flatten)]
    pub(crate) purity: PurityFlags,
    /// Leave out traces that contradict themselves, or what nearly all others show, and say which and why
    #[arg(long)]
    pub(crate) drop_contradictions: bool,
    /// Make the model deterministic
    #[arg(long)]
    pub(crate) determinize: bool,
    /// Make the model deterministic and as small as possible
    #[arg(long)]
    pub(crate) minimize: bool,
    /// Where to write the model; the extension chooses the format [default: standard output, as JSON]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the model: json, dot, fsm, aut, hoa, promela, mermaid, javamop or fsp
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Where to write the page that explains the model and which traces took its transitions, as `adit report` makes it
    /// [default: beside the model when that is a file, with the extension html]
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write no page
    #[arg(long, conflicts_with = "report")]
    pub(crate) no_report: bool,
    /// Print a summary as JSON on standard output
    #[arg(long, requires = "output")]
    pub(crate) json: bool,
}

/// How to generalize from traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    /// Merge states whose next k events agree
    KTail,
    /// Merge states with the same enabled events unless a mined property breaks
    Dice,
}
