//! Why mining gave up. Each limit here keeps memory bounded on logs whose labels are not labels at all.
//!
//! Paper: `dice` and `texada`, both of which assume that everything fits.

use miette::Diagnostic;
use thiserror::Error;

/// Why no properties could be mined, and what would help.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
#[non_exhaustive]
pub enum MineError {
    /// Too many pairs of labels occur in the same trace.
    #[error(
        "more than {limit} pairs among the {labels} labels occur together; counting them all would not fit in memory"
    )]
    #[diagnostic(
        code(mine::too_many_pairs),
        help(
            "do the labels contain numbers, names or times? choose a coarser label, such as the method alone"
        )
    )]
    TooManyPairs {
        /// How many labels there were when it happened.
        labels: usize,
        /// How many pairs are counted at most.
        limit: usize,
    },
    /// The weights add up to more than a count can hold.
    #[error("the traces' weights add up to more than 2^64 events")]
    #[diagnostic(code(mine::too_many_events), help("is the weight column really a count?"))]
    TooManyEvents,
    /// More properties qualify than anyone can use.
    #[error("more than {limit} properties qualify")]
    #[diagnostic(
        code(mine::too_many_properties),
        help("ask for fewer templates, a higher support, or coarser labels: `--template`, `--min-support`")
    )]
    TooManyProperties {
        /// How many properties are reported at most.
        limit: usize,
    },
    /// A formula has more placeholders than make sense.
    #[error("the formula has {placeholders} placeholders; the limit is {limit}")]
    #[diagnostic(code(mine::too_many_placeholders), help("replace some of them with labels"))]
    TooManyPlaceholders {
        /// How many it has.
        placeholders: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// A formula has more instances than may be tried.
    #[error(
        "{placeholders} placeholders over {labels} labels give {instances} instances; the limit is {limit}"
    )]
    #[diagnostic(
        code(mine::too_many_instances),
        help("replace a placeholder with a label, choose coarser labels, or raise the limit")
    )]
    TooManyInstances {
        /// How many placeholders the formula has.
        placeholders: usize,
        /// How many labels the log has.
        labels: usize,
        /// How many instances that makes.
        instances: u64,
        /// How many may be tried.
        limit: u64,
    },
}
