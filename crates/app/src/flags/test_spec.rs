//! Flags of `adit test-spec`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use adit_attack::SurveyOptions;
use adit_attack::order::OrderOptions;
use adit_java::GeneratorOptions;
use clap::Args;

use super::GenerateFlags;
use crate::budget::{self, Budget};

/// Time for experiments on objects that adit makes.
pub(crate) const DEFAULT_BUDGET: Budget = Budget::Time(Duration::from_secs(20));

/// Experiments for each pair: few enough for dozens of pairs in a few seconds.
pub(crate) const ORDER: OrderOptions = OrderOptions {
    survey: SurveyOptions { scripts: 1200, calls: 8, candidates: 16, moves: 6 },
    experiments: 96,
    most: 256,
    examined: 3,
    continuations: 12,
    calls_after: 5,
};

/// Time limit for one run of the tests, if none is typed.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Time limit for everything, if none is typed.
pub(crate) const TOTAL_TIME: Duration = Duration::from_secs(300);

/// Choice of arguments.
pub(crate) const GENERATION: GeneratorOptions = super::mine::GENERATION;

/// Test whether the program needs the order that a model demands
///
/// Reduces the model to constraints between two events, and tests each: do the methods share state, does the
/// object behave differently when the two calls change places, do your tests fail? The verdict is `buggy` if
/// the program does not need a constraint, `supported` if every constraint was shown needed, else `unknown`.
/// Exits with 1 if the model is buggy.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit test-spec adit-out/com.acme.Stack -c target/classes --tests target/test-classes
  adit test-spec model.json --class com.acme.Stack -c 'target/classes:lib/*' --tests target/test-classes \\
      --repair repaired.json
  adit test-spec --order open read --class com.acme.File -c target/classes

Your tests run in the same sandbox as the class, with calls delayed. Tests that fail without changes, that are
flaky, or that hang with calls delayed are named and never count as evidence.")]
pub(crate) struct TestSpecFlags {
    /// Model to test: a file, or a folder that `adit mine` wrote
    #[arg(value_name = "MODEL", required_unless_present = "order")]
    pub(crate) model: Option<PathBuf>,
    /// Test one constraint instead of a model: the first event comes before the second; may be repeated
    #[arg(long, value_names = ["FIRST", "SECOND"], num_args = 2, conflicts_with = "model")]
    pub(crate) order: Vec<String>,
    /// Class that the model describes [default: the class that the model names]
    #[arg(long, value_name = "CLASS")]
    pub(crate) class: Option<String>,
    /// Class path: folders and jars separated by colons; `dir/*` for all jars in `dir`; may be repeated
    #[arg(long, short = 'c', value_name = "CP")]
    pub(crate) classpath: Vec<OsString>,
    /// JUnit tests: folders, jars or classes
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(crate) tests: Vec<PathBuf>,
    /// Write the model without the refuted constraints
    #[arg(long, value_name = "FILE", conflicts_with = "order")]
    pub(crate) repair: Option<PathBuf>,
    /// Working directory of the tests [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Folder that the tests may write to; may be repeated [default: none]
    #[arg(long, value_name = "DIR")]
    pub(crate) writable: Vec<PathBuf>,
    /// Time limit for one run of the tests
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = budget::parse_time, allow_hyphen_values = true)]
    pub(crate) time_limit: Duration,
    /// Time limit for everything: when it is over, what is known is the answer
    #[arg(long, value_name = "TIME", default_value = "300s", value_parser = budget::parse_time, allow_hyphen_values = true)]
    pub(crate) total_time: Duration,
    /// Gather all evidence for every constraint, even where some of it decides already
    #[arg(long)]
    pub(crate) thorough: bool,
    /// Format of the model [default: by extension, else content]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// Also call non-public members, and accept non-public classes
    #[arg(long)]
    pub(crate) non_public: bool,
    /// Ignore the Maven or Gradle project around the current folder, like ADIT_NO_PROJECT=1
    #[arg(long)]
    pub(crate) no_project: bool,
    /// Folder of the JDK [default: JAVA_HOME, the `java` in PATH, the newest in the usual places]
    #[arg(long, value_name = "DIR")]
    pub(crate) jdk: Option<PathBuf>,
    /// Run without a sandbox if this kernel lacks one; only for classes that you trust
    #[arg(long)]
    pub(crate) unsafe_no_sandbox: bool,
    #[command(flatten)]
    pub(crate) generate: GenerateFlags,
    /// Print the answer as JSON, with all evidence
    #[arg(long)]
    pub(crate) json: bool,
}
