//! The limits at which mining gives up. Each keeps memory bounded on logs whose labels are not labels at all.
//!
//! Paper: `dice` and `texada`, both of which assume that everything fits.

use miette::Diagnostic;
use thiserror::Error;

/// The reason why no properties could be mined, with advice.
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
        /// The number of labels when it happened.
        labels: usize,
        /// The most pairs that are counted.
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
        /// The most properties that are reported.
        limit: usize,
    },
    /// A formula has more placeholders than make sense.
    #[error("the formula has {placeholders} placeholders; the limit is {limit}")]
    #[diagnostic(code(mine::too_many_placeholders), help("replace some of them with labels"))]
    TooManyPlaceholders {
        /// The number of its placeholders.
        placeholders: usize,
        /// The most placeholders allowed.
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
        /// The number of placeholders in the formula.
        placeholders: usize,
        /// The number of labels in the log.
        labels: usize,
        /// The number of instances that makes.
        instances: u64,
        /// The most instances that are tried.
        limit: u64,
    },
    /// More variables at a program point than can be compared with each other.
    #[error("more than {limit} variables at one program point; comparing them all would not fit in memory")]
    #[diagnostic(
        code(mine::too_many_variables),
        help("are the names of fields really names? read fewer of them: a smaller `--depth`")
    )]
    TooManyVariables {
        /// The most variables.
        limit: usize,
    },
    /// More program points than a class has.
    #[error("more than {limit} kinds of calls")]
    #[diagnostic(
        code(mine::too_many_points),
        help("do the names of methods contain numbers or times? name one class with `--class`")
    )]
    TooManyPoints {
        /// The most kinds of calls.
        limit: usize,
    },
    /// Two tallies that were made with different filters.
    #[error("the folds were made with different filters: {one} and {another}")]
    #[diagnostic(
        code(mine::different_scopes),
        help("make all folds with the same --depth, --types and --elements")
    )]
    DifferentScopes {
        /// One filter.
        one: String,
        /// The other filter.
        another: String,
    },
}
