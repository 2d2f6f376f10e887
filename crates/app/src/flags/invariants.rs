//! Flags of `adit invariants`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::TraceFlags;

/// Mine invariants, pre- and postconditions from traces with states
///
/// Reports what fields, sizes, arguments and results satisfied in every observed call: constants and small
/// sets, bounds, comparisons, differences (x == orig(x) + 1), null-ness, and unchanged fields. Each outcome
/// of a method has its own conditions; `--labels method` merges them, and conditions that depend on the
/// result become implications. A claim that chance may explain is not reported, nor one that follows from
/// others.
///
/// Traces have states if Daikon's front end recorded them (.dtrace), or `adit observe --states`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit invariants examples/stack.dtrace
  adit invariants examples/stack.dtrace --format jml
  adit invariants examples/stack.dtrace --partial -o monday.fold
  adit invariants --merge monday.fold --json")]
pub(crate) struct InvariantsFlags {
    #[command(flatten)]
    pub(crate) traces: TraceFlags,
    /// Use only the calls of this class, with or without its package; for Daikon's traces
    #[arg(long, value_name = "NAME")]
    pub(crate) class: Option<String>,
    /// Leave out these methods, such as non-public ones, separated by commas
    #[arg(long, value_name = "METHODS", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,
    /// Minimum probability that a claim does not hold by chance
    #[arg(long, value_name = "X", default_value_t = 0.99, value_parser = super::fraction, allow_negative_numbers = true)]
    pub(crate) min_confidence: f64,
    /// Minimum number of samples in which a claim held
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) min_support: u64,
    /// Report claims that follow from others, too
    #[arg(long)]
    pub(crate) all: bool,
    /// Maximum depth of fields: 1 for the object's own, 2 for the fields of its fields
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..), allow_negative_numbers = true, help_heading = FILTERS)]
    pub(crate) depth: u16,
    /// Types of values to make claims about, separated by commas; null is about null-ness and identity
    #[arg(long, value_enum, value_name = "TYPES", value_delimiter = ',', default_values = ["int", "bool", "null"], help_heading = FILTERS)]
    pub(crate) types: Vec<TypeChoice>,
    /// Make claims about the elements of arrays and collections, too, not only about their number
    #[arg(long, help_heading = FILTERS)]
    pub(crate) elements: bool,
    /// Switch all filters off: any depth, all types, elements
    #[arg(long, conflicts_with_all = ["depth", "types", "elements"], help_heading = FILTERS)]
    pub(crate) no_filters: bool,
    /// Notation of the result
    #[arg(long, value_enum, default_value = "text", conflicts_with_all = ["json", "partial"])]
    pub(crate) format: InvariantFormat,
    /// Print the result as JSON
    #[arg(long, conflicts_with = "partial")]
    pub(crate) json: bool,
    /// Write counts instead of a result, for --merge
    #[arg(long, requires = "output", conflicts_with_all = ["min_confidence", "min_support", "all"])]
    pub(crate) partial: bool,
    /// Read counts that --partial wrote instead of traces, and add them up
    #[arg(long, conflicts_with_all = ["class", "ignore", "depth", "types", "elements", "no_filters"])]
    pub(crate) merge: bool,
    /// File to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

const FILTERS: &str = "Filters";

/// A type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TypeChoice {
    /// Whole numbers, and sizes
    Int,
    /// Booleans
    Bool,
    /// Null-ness and identity of references
    Null,
    /// Strings
    Text,
    /// Floating-point numbers
    Float,
}

/// A notation for invariants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InvariantFormat {
    /// For people
    Text,
    /// As Daikon prints them
    Daikon,
    /// Comments in the Java Modeling Language
    Jml,
}
