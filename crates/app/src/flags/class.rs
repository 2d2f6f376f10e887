//! Flags of every command that runs a Java class.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::budget::{self, Budget};

const CLASS: &str = "The class and what it needs";
const RUNNING: &str = "Running it";

/// Which class, where it is, and how it is run.
#[derive(Debug, Args)]
pub(crate) struct ClassFlags {
    /// The class, with its package: `java.util.StringTokenizer`
    #[arg(value_name = "CLASS")]
    pub(crate) class: String,
    /// Folders and jars with classes, separated by colons; `dir/*` means all jars in `dir`; may be repeated [default: inside a
    /// Maven or Gradle project, what its build made and its dependencies]
    #[arg(long, short = 'c', value_name = "CP", help_heading = CLASS)]
    pub(crate) classpath: Vec<OsString>,
    /// Do not look for a Maven or Gradle project around the current folder; ADIT_NO_PROJECT=1 means the same
    #[arg(long, help_heading = CLASS)]
    pub(crate) no_project: bool,
    /// The folder of the JDK to run it with [default: JAVA_HOME, the `java` of PATH, the newest in the usual places]
    #[arg(long, value_name = "DIR", help_heading = CLASS)]
    pub(crate) jdk: Option<PathBuf>,
    /// Call what is not public too, and take classes that are not
    #[arg(long, help_heading = CLASS)]
    pub(crate) non_public: bool,
    /// Run the class although this kernel cannot keep it from harming you. Only for classes that you trust
    #[arg(long, help_heading = RUNNING)]
    pub(crate) unsafe_no_sandbox: bool,
}

/// How calls are made up, and for how long.
#[derive(Debug, Args)]
pub(crate) struct GenerateFlags {
    /// A Java file whose public static methods without parameters supply values that are hard to make up; may be repeated
    #[arg(long, value_name = "FILE.java", help_heading = CLASS)]
    pub(crate) fixtures: Vec<PathBuf>,
    /// Call only these methods, separated by commas: `remove` is all of that name, `'remove(int)'` is one
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = CLASS)]
    pub(crate) only: Option<Vec<String>>,
    /// Do not call these methods, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = CLASS)]
    pub(crate) without: Vec<String>,
    /// Call `equals`, `hashCode` and `toString` too
    #[arg(long, help_heading = CLASS)]
    pub(crate) object_methods: bool,
    /// How long to go on: `10s`, `2m` or `5000tests` [default: 1000tests for observe, 10s for mine and validate]
    #[arg(long, value_name = "AMOUNT", value_parser = budget::parse, allow_hyphen_values = true, help_heading = RUNNING)]
    pub(crate) budget: Option<Budget>,
    /// How many calls are made on the objects of one test
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = calls, allow_negative_numbers = true, help_heading = RUNNING)]
    pub(crate) calls: usize,
    /// Seed of all choices; with a budget in tests, the same seed gives the same bytes
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = RUNNING)]
    pub(crate) seed: u64,
    /// Load the class anew for each test, so that its static fields start anew. Much slower
    #[arg(long, help_heading = RUNNING)]
    pub(crate) fresh_statics: bool,
    /// Processes that run tests at the same time [default: as many as the machine has cores, at most 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64), allow_negative_numbers = true, help_heading = RUNNING)]
    pub(crate) workers: Option<u16>,
    /// The longest that one test may take, such as `500ms` or `2s`
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = budget::parse_time, allow_hyphen_values = true, help_heading = RUNNING)]
    pub(crate) script_limit: Duration,
}

/// A number of calls. Each takes memory in the answer of a worker.
fn calls(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(calls @ 1..=1000) => Ok(calls),
        _ => Err("write a number from 1 to 1000".to_owned()),
    }
}
