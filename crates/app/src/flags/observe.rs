//! Flags of `adit observe`.

use std::path::PathBuf;
use std::time::Duration;

use adit_attack::GeneratorOptions;
use clap::Args;

use super::{ClassFlags, GenerateFlags};
use crate::budget::{self, Budget};

/// Few enough to read, and a number of tests, so the same seed gives the same bytes.
pub(crate) const DEFAULT_BUDGET: Budget = Budget::Tests(1000);

/// Choice of arguments while watching a class. Reused values make calls meet: a value that was added is then searched for.
pub(crate) const GENERATION: GeneratorOptions =
    GeneratorOptions { reuse: 0.5, second_object: 0.1, longest: 400 };

/// Run a Java class and record what happens to its objects
///
/// Makes up calls, or runs your tests or your program, in worker processes that cannot harm you, and writes a trace for each
/// object of the class: every call from outside, how it ended, and if you like the object's fields afterwards.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit observe java.util.StringTokenizer -o traces.jsonl
  adit observe com.acme.Stack -c target/classes --budget 10s --states -o traces.jsonl
  adit observe com.acme.Stack -c 'target/classes:lib/*' --tests target/test-classes -o traces.jsonl
  adit observe com.acme.Stack -c app.jar --main com.acme.Main -o traces.dtrace -- input.txt

Formats: jsonl (with arguments, results and states), dtrace (Daikon), lines, texada, csv, abbadingo, xes")]
pub(crate) struct ObserveFlags {
    #[command(flatten)]
    pub(crate) class: ClassFlags,
    #[command(flatten)]
    pub(crate) generate: GenerateFlags,
    /// Instead of making up calls, run the JUnit tests in these folders or jars, or of these classes
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "main", help_heading = PROGRAM)]
    pub(crate) tests: Vec<PathBuf>,
    /// Instead of making up calls, run the program with this main class
    #[arg(long, value_name = "CLASS", help_heading = PROGRAM)]
    pub(crate) main: Option<String>,
    /// What the program gets as its arguments, after `--`
    #[arg(last = true, requires = "main", value_name = "ARGS", help_heading = PROGRAM)]
    pub(crate) arguments: Vec<String>,
    /// The folder in which the tests or the program run [default: the one you are in]
    #[arg(long, value_name = "DIR", help_heading = PROGRAM)]
    pub(crate) directory: Option<PathBuf>,
    /// A folder in which the tests or the program may write; may be repeated [default: none]
    #[arg(long, value_name = "DIR", help_heading = PROGRAM)]
    pub(crate) writable: Vec<PathBuf>,
    /// The longest that the tests or the program may take
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = budget::parse_time, allow_hyphen_values = true, help_heading = PROGRAM)]
    pub(crate) time_limit: Duration,
    /// Run the tests a second time without recording, and say whether they end the same way and how much slower recording is
    #[arg(long, requires = "tests", help_heading = PROGRAM)]
    pub(crate) compare: bool,
    /// Record the fields of the object after each call
    #[arg(long, visible_alias = "snapshots")]
    pub(crate) states: bool,
    /// The file to write; its extension chooses the format [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the output [default: by extension, else jsonl]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Stop when so many events were recorded; they are held in memory until they are written
    #[arg(long, value_name = "N", default_value_t = 5_000_000, value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    pub(crate) max_events: u64,
    /// Print a summary as JSON; the traces need -o then
    #[arg(long, requires = "output")]
    pub(crate) json: bool,
}

const PROGRAM: &str = "Recording your tests or program";
