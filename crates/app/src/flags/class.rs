//! Flags of every command that runs a Java class.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use adit_bytecode::overloads::Overloads;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::budget::{self, Budget};

const CLASS: &str = "The class and what it needs";
const RUNNING: &str = "Running it";

/// The class, where to find it, and how to run it.
#[derive(Debug, Args)]
pub(crate) struct ClassFlags {
    /// Class with its package: `java.util.StringTokenizer`
    #[arg(value_name = "CLASS")]
    pub(crate) class: String,
    /// Class path: folders and jars separated by colons; `dir/*` for all jars in `dir`; may be repeated
    /// [default: inside a Maven or Gradle project, its build output and dependencies]
    #[arg(long, short = 'c', value_name = "CP", help_heading = CLASS)]
    pub(crate) classpath: Vec<OsString>,
    /// Ignore the Maven or Gradle project around the current folder, like ADIT_NO_PROJECT=1
    #[arg(long, help_heading = CLASS)]
    pub(crate) no_project: bool,
    /// Folder of the JDK [default: JAVA_HOME, the `java` in PATH, the newest in the usual places]
    #[arg(long, value_name = "DIR", help_heading = CLASS)]
    pub(crate) jdk: Option<PathBuf>,
    /// Also call non-public members, and accept non-public classes
    #[arg(long, help_heading = CLASS)]
    pub(crate) non_public: bool,
    /// Run without a sandbox if this kernel lacks one; only for classes that you trust
    #[arg(long, help_heading = RUNNING)]
    pub(crate) unsafe_no_sandbox: bool,
}

/// An adapter in place of Java.
#[derive(Clone, Debug, Args)]
pub(crate) struct AdapterFlags {
    /// Command of an adapter that drives a subject in any language; CLASS is then its name for the subject
    ///
    /// `python` stands for the adapter for Python classes, which adit brings along; CLASS is then an import
    /// path such as `io.StringIO`. docs/adapters.md describes the protocol for adapters of your own.
    #[arg(long, value_name = "COMMAND", help_heading = CLASS)]
    pub(crate) adapter: Option<String>,
}

/// Generation of calls, and its budget.
#[derive(Clone, Debug, Args)]
pub(crate) struct GenerateFlags {
    /// Java file whose public static methods without parameters supply values; may be repeated
    #[arg(long, value_name = "FILE.java", help_heading = CLASS)]
    pub(crate) fixtures: Vec<PathBuf>,
    /// Call only these methods, separated by commas: `remove` for all overloads, `'remove(int)'` for one
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = CLASS)]
    pub(crate) only: Option<Vec<String>>,
    /// Do not call these methods, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = CLASS)]
    pub(crate) without: Vec<String>,
    /// Also call `equals`, `hashCode` and `toString`
    #[arg(long, help_heading = CLASS)]
    pub(crate) object_methods: bool,
    /// Label overloaded methods with their parameter types (`overload`) or by name alone (`name`)
    #[arg(long, value_name = "BY", value_parser = overloads(), help_heading = CLASS)]
    pub(crate) labels: Option<Overloads>,
    /// Time or number of tests: `10s`, `2m` or `5000tests` [default: 10s; for observe, 1000tests]
    #[arg(long, value_name = "AMOUNT", value_parser = budget::parse, allow_hyphen_values = true, help_heading = RUNNING)]
    pub(crate) budget: Option<Budget>,
    /// Number of calls in one test
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = calls, allow_negative_numbers = true, help_heading = RUNNING)]
    pub(crate) calls: usize,
    /// Seed of all random choices; with a budget in tests, the same seed gives the same bytes
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = seed, allow_negative_numbers = true, help_heading = RUNNING)]
    pub(crate) seed: u64,
    /// Reload the class for each test to reset its static fields; much slower
    #[arg(long, help_heading = RUNNING)]
    pub(crate) fresh_statics: bool,
    /// Number of worker processes [default: the number of cores, at most 8; more while tests mostly wait]
    #[arg(long, value_name = "N", value_parser = workers, allow_negative_numbers = true, help_heading = RUNNING)]
    pub(crate) workers: Option<u16>,
    /// Time limit for one test
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = budget::parse_time, allow_hyphen_values = true, help_heading = RUNNING)]
    pub(crate) script_limit: Duration,
}

/// Parses the naming of overloads.
fn overloads() -> impl TypedValueParser<Value = Overloads> {
    PossibleValuesParser::new(Overloads::ALL.map(Overloads::name)).map(|name| {
        let named = Overloads::ALL.into_iter().find(|overloads| overloads.name() == name);
        named.expect("the parser accepts these names only")
    })
}

/// Parses a seed.
fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("write a whole number from 0 to {}", u64::MAX))
}

/// Parses a number of workers.
fn workers(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(workers @ 1..=64) => Ok(workers),
        _ => Err("write a number from 1 to 64".to_owned()),
    }
}

/// Parses a number of calls. Each takes memory in the answer of a worker.
fn calls(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(calls @ 1..=1000) => Ok(calls),
        _ => Err("write a number from 1 to 1000".to_owned()),
    }
}
