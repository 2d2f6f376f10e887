//! Flags of `adit validate`.

use std::path::PathBuf;
use std::time::Duration;

use adit_attack::SurveyOptions;
use clap::Args;

use super::{AdapterFlags, ClassFlags, GenerateFlags};
use crate::budget::Budget;

/// Enough to search the walks of most classes to their end.
pub(crate) const DEFAULT_BUDGET: Budget = Budget::Time(Duration::from_secs(10));

/// Survey that shows every move of a class with some fifty methods. The number of calls is a flag.
pub(crate) const SURVEY: SurveyOptions = super::mine::EXPLORATION.survey;

/// Tries by which moves are chosen: about a second of work.
pub(crate) const CHOOSING_TRIES: usize = 30_000;

/// Situations that the search keeps for each prefix of a walk; the time it takes grows in proportion.
pub(crate) const SITUATIONS_PER_PREFIX: usize = 12;

/// Measure a model against the Java class itself
///
/// Precision is the share of random walks of the model that some choice of arguments makes happen on an
/// object of the class. Recall is the share of objects under random calls whose behavior the model allows.
/// Prints both with the shortest failures, and how likely the next object is to show something new. Exits
/// with 1 if there is a failure.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit validate adit-out/java.util.StringTokenizer/model.json java.util.StringTokenizer
  adit validate model.json com.acme.Stack -c target/classes --budget 1m --json
  adit validate adit-out/io.StringIO/model.json io.StringIO --adapter python

An event is a call that returns, with its result if that is a boolean: `isEmpty:TRUE`. An object's
first event is named after its class. After its first exception, an object no longer counts. An
unrealized walk may still be possible.")]
pub(crate) struct ValidateFlags {
    /// Model to measure; `-` for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) class: ClassFlags,
    #[command(flatten)]
    pub(crate) adapter: AdapterFlags,
    #[command(flatten)]
    pub(crate) generate: GenerateFlags,
    /// Format of the model [default: by extension, else content]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// Number of random walks of the model
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = super::count, allow_negative_numbers = true)]
    pub(crate) walks: usize,
    /// Maximum number of events in a walk
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = length, allow_negative_numbers = true)]
    pub(crate) length: usize,
    /// Number of random tests that the model should allow
    #[arg(long, value_name = "N", default_value_t = 3000, value_parser = super::count, allow_negative_numbers = true)]
    pub(crate) runs: usize,
    /// Ignore events of the model that the class does not have
    #[arg(long)]
    pub(crate) ignore_unknown: bool,
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Parses the length of walks. Each event costs another script, longer than the one before.
fn length(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(length @ 1..=200) => Ok(length),
        _ => Err("write a number from 1 to 200".to_owned()),
    }
}
