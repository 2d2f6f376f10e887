//! Flags of `adit monitor`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::budget;

const PROGRAM: &str = "The tests or the program";

/// Watch objects while tests or a program run, and report calls that typestates refuse
///
/// Follows every object of the modeled classes through the calls of your JUnit tests or your program, in the
/// sandbox. A violation is a call that the model refuses and that threw: with the rule in English, the stack
/// trace, and the events of the object before it. Uses the models that adit ships, of everyday classes of
/// the JDK, unless models are named. Exits with 1 if there are violations.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit monitor connection.json -c target/classes --tests target/test-classes com.acme.PoolTest
  adit monitor adit-out/com.acme.Stream -c app.jar --main com.acme.Main -- input.txt
  adit monitor -c app.jar --main com.acme.Main         misuse of the JDK, with the shipped models
  adit monitor com.acme.Connection.json -c target/classes --tests target/test-classes --compare
                                                       also measures what watching costs

A call that returns although the model refuses it is no violation; adit names it as a fault of the model.")]
pub(crate) struct MonitorFlags {
    /// Models, or folders of `adit mine`, of the classes to watch [default: the shipped models]
    #[arg(value_name = "MODEL")]
    pub(crate) models: Vec<PathBuf>,
    /// Class that the named model is a model of [default: what it says itself]
    #[arg(long, value_name = "CLASS")]
    pub(crate) class: Option<String>,
    /// Also use the shipped models when models are named
    #[arg(long)]
    pub(crate) shipped: bool,
    /// Class path: folders and jars separated by colons; `dir/*` for all jars in `dir`; may be repeated
    /// [default: inside a Maven or Gradle project, its build output and dependencies]
    #[arg(long, short = 'c', value_name = "CP")]
    pub(crate) classpath: Vec<OsString>,
    /// Ignore the Maven or Gradle project around the current folder, like ADIT_NO_PROJECT=1
    #[arg(long)]
    pub(crate) no_project: bool,
    /// Folder of the JDK [default: JAVA_HOME, the `java` in PATH, the newest in the usual places]
    #[arg(long, value_name = "DIR")]
    pub(crate) jdk: Option<PathBuf>,
    /// Run without a sandbox if this kernel lacks one; only for code that you trust
    #[arg(long)]
    pub(crate) unsafe_no_sandbox: bool,
    /// Leave out violations inside `assertThrows` and similar assertions
    #[arg(long)]
    pub(crate) ignore_expected: bool,
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Run the JUnit tests in these folders, jars or classes
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "main", required_unless_present = "main", help_heading = PROGRAM)]
    pub(crate) tests: Vec<PathBuf>,
    /// Run the program with this main class
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
    /// Run the same again without watching, and compare results and speed
    #[arg(long, help_heading = PROGRAM)]
    pub(crate) compare: bool,
}
