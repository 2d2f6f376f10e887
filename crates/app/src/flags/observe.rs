//! Flags of `adit observe`.

use std::path::PathBuf;
use std::time::Duration;

use adit_java::GeneratorOptions;
use clap::Args;

use super::{AdapterFlags, ClassFlags, GenerateFlags};
use crate::budget::{self, Budget};

/// Few enough to read, and a number of tests, so the same seed gives the same bytes.
pub(crate) const DEFAULT_BUDGET: Budget = Budget::Tests(1000);

/// Choice of arguments while watching a class. Reused values make calls meet: a value that was added is then
/// searched for.
pub(crate) const GENERATION: GeneratorOptions =
    GeneratorOptions { reuse: 0.5, second_object: 0.1, longest: 400 };

/// Run a Java class and record one trace per object
///
/// Generates calls, or runs your tests or your program, in sandboxed worker processes. A trace holds every
/// call from outside the class, its outcome and, with --states, its arguments and the object's fields.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  adit observe java.util.StringTokenizer -o traces.jsonl
  adit observe com.acme.Stack -c target/classes --budget 10s --states -o traces.jsonl
  adit observe com.acme.Stack -c 'target/classes:lib/*' --tests target/test-classes -o traces.jsonl
  adit observe com.acme.Stack -c app.jar --main com.acme.Main -o traces.dtrace -- input.txt
  adit observe io.StringIO --adapter python -o traces.jsonl

Formats: {}", super::traces::written_formats()))]
pub(crate) struct ObserveFlags {
    #[command(flatten)]
    pub(crate) class: ClassFlags,
    #[command(flatten)]
    pub(crate) adapter: AdapterFlags,
    #[command(flatten)]
    pub(crate) generate: GenerateFlags,
    #[command(flatten)]
    pub(crate) program: ProgramFlags,
    /// Record arguments and the fields of the object after each call, and with --tests or --main also before
    #[arg(long, visible_alias = "snapshots")]
    pub(crate) states: bool,
    /// File to write; its extension chooses the format [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the output [default: by extension, else jsonl]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Stop after this many events; they are held in memory until the end
    #[arg(long, value_name = "N", default_value_t = 5_000_000, value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    pub(crate) max_events: u64,
    /// Print a summary as JSON; needs -o for the traces
    #[arg(long, requires = "output")]
    pub(crate) json: bool,
}

const PROGRAM: &str = "Recording your tests or program";

/// Tests or a program of the user's own to run instead of generated calls.
#[derive(Debug, Args)]
pub(crate) struct ProgramFlags {
    /// Run the JUnit tests in these folders, jars or classes instead of generating calls
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "main", help_heading = PROGRAM)]
    pub(crate) tests: Vec<PathBuf>,
    /// Run the program with this main class instead of generating calls
    #[arg(long, value_name = "CLASS", help_heading = PROGRAM)]
    pub(crate) main: Option<String>,
    /// Arguments of the program, after `--`
    #[arg(last = true, requires = "main", value_name = "ARGS", help_heading = PROGRAM)]
    pub(crate) arguments: Vec<String>,
    /// Working directory of the tests or the program [default: the current one]
    #[arg(long, value_name = "DIR", help_heading = PROGRAM)]
    pub(crate) directory: Option<PathBuf>,
    /// Folder that the tests or the program may write to; may be repeated [default: none]
    #[arg(long, value_name = "DIR", help_heading = PROGRAM)]
    pub(crate) writable: Vec<PathBuf>,
    /// Time limit for the tests or the program
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = budget::parse_time, allow_hyphen_values = true, help_heading = PROGRAM)]
    pub(crate) time_limit: Duration,
    /// Run the tests again without recording, and compare results and speed
    #[arg(long, requires = "tests", help_heading = PROGRAM)]
    pub(crate) compare: bool,
}
