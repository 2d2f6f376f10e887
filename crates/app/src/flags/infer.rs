//! Flags of `adit infer`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{PurityFlags, ReductionFlags, TraceFlags};

/// One did better than two on every set of published traces that we measured.
pub(crate) const DEFAULT_K: usize = 1;

/// More abstract states than any class with a model that a person reads.
pub(crate) const MAX_STATES: usize = 100;

/// Infer an automaton from traces
///
/// The model accepts every trace it was made from (adit checks this before writing it) and generalizes to
/// others: k-tail merges states whose next k events agree, dice merges states unless that violates a mined
/// property.
///
/// Traces with states (`adit observe --states`, or Daikon's .dtrace) allow more. sekt merges like k-tail, but
/// never two states in which the object differs in a condition of some method. contractor takes pre- and
/// postconditions from the traces and allows every call that they allow. temi does the same, and marks what
/// no trace did as maybe; --pessimistic leaves that out. contractor and temi need a solver, z3 or cvc5. adabu
/// has a state for each combination of signs, null-ness and truths of the object's fields.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit infer examples/tokenizer.traces -o model.dot
  adit infer examples/tokenizer.traces --algorithm k-tail --k 2 --to mermaid
  adit infer examples/stack.jsonl --pure peek,isEmpty -o stack.json --report stack.html
  adit infer examples/stack.dtrace --algorithm sekt --k 2 -o stack.dot
  adit infer examples/stack.dtrace --algorithm temi --pessimistic -o stack.dot
  adit infer examples/stack.dtrace --algorithm adabu -o stack.dot
  adit infer examples/tokenizer.traces --algorithm k-tail --partial -o monday.fold
  adit infer --algorithm k-tail --merge monday.fold -o model.dot")]
pub(crate) struct InferFlags {
    #[command(flatten)]
    pub(crate) traces: TraceFlags,
    #[command(flatten)]
    pub(crate) algorithm: AlgorithmFlags,
    #[command(flatten)]
    pub(crate) state: StateFlags,
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
    /// Title of the model and its report [default: the name of the first file]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// k-tail: write the prefix tree instead of a model, for --merge
    #[arg(long, requires = "output", conflicts_with_all = ["k", "pure", "no_purity", "drop_contradictions", "to", "report", "no_report", "json"])]
    pub(crate) partial: bool,
    /// k-tail: read prefix trees that --partial wrote instead of traces, and merge them
    #[arg(long, conflicts_with_all = ["labels", "from", "regex", "case", "activity", "time", "delimiter", "sort_by_time", "keep_partial", "dry_run"])]
    pub(crate) merge: bool,
}

/// The algorithm and its parameters.
#[derive(Debug, Args)]
pub(crate) struct AlgorithmFlags {
    /// Inference algorithm
    #[arg(long, value_enum, default_value = "dice")]
    pub(crate) algorithm: Algorithm,
    /// k-tail and sekt: number of events ahead that must agree; fewer generalize more [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) k: Option<usize>,
    /// dice: allow calls without side effects to change the state
    #[arg(long)]
    pub(crate) no_constraint_a: bool,
    /// dice: start from a plain prefix tree and ignore the properties
    #[arg(long)]
    pub(crate) no_constraint_b: bool,
}

/// Flags of the algorithms that use states.
#[derive(Debug, Args)]
pub(crate) struct StateFlags {
    /// temi: leave out maybe transitions, which no trace took
    #[arg(long, help_heading = STATES)]
    pub(crate) pessimistic: bool,
    /// contractor, temi: solver to use [default: z3 or cvc5 on PATH]
    #[arg(long, value_name = "PROGRAM", help_heading = STATES)]
    pub(crate) solver: Option<PathBuf>,
    /// contractor, temi: number of states beyond which only those of the traces are left [default: 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = STATES)]
    pub(crate) max_states: Option<usize>,
    /// sekt, contractor, temi: use only the calls of this class, for Daikon's traces
    #[arg(long, value_name = "NAME", help_heading = STATES)]
    pub(crate) class: Option<String>,
}

const STATES: &str = "Traces with states";

/// Algorithm that generalizes from traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    /// Merge states whose next k events agree
    KTail,
    /// Merge states with the same enabled events unless that violates a mined property
    Dice,
    /// Merge states whose next k events agree and in which the object satisfies the same conditions
    Sekt,
    /// Allow every call that mined pre- and postconditions allow
    Contractor,
    /// The same, refined by the traces: what no trace did is marked as maybe
    Temi,
    /// States are abstractions of the object's fields: signs, null or not, true or false
    Adabu,
}

impl Algorithm {
    /// The name that the flag takes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::KTail => "k-tail",
            Self::Dice => "dice",
            Self::Sekt => "sekt",
            Self::Contractor => "contractor",
            Self::Temi => "temi",
            Self::Adabu => "adabu",
        }
    }

    /// Returns true if the algorithm uses the object's state.
    pub(crate) fn uses_state(self) -> bool {
        matches!(self, Self::Sekt | Self::Contractor | Self::Temi | Self::Adabu)
    }
}
