//! Flags of `adit verify`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Find calls in compiled Java code that throw because they come in the wrong order
///
/// Follows objects through the bytecode of jars and class folders, and compares the calls on them with
/// typestates: models that adit mined. Uses the models that adit ships, of everyday classes of the JDK,
/// unless models are named. A finding is certain if every path to the call ends in the exception, and
/// possible if some path does. Exits with 1 if there are findings to fail on.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit verify app.jar                                  misuse of the JDK, with the shipped models
  adit verify app.jar --sarif adit.sarif               for code scanning
  adit verify adit-out/com.acme.Stream app.jar         misuse of a class of yours
  adit verify --list-models                            the shipped models and their rules

What adit does not know it does not report: an object that other code can reach may be in any state.")]
pub(crate) struct VerifyFlags {
    /// Jars and folders of classes to verify, and models or folders of `adit mine` to verify them with
    #[arg(value_name = "MODEL|JAR|DIR", required_unless_present = "list_models")]
    pub(crate) paths: Vec<PathBuf>,
    /// Class that the named models are models of [default: what they say themselves]
    #[arg(long, value_name = "CLASS")]
    pub(crate) class: Option<String>,
    /// Take every exception in the named models as a matter of the state, also one that usually blames an
    /// argument: for models that were made with arguments that are always right
    #[arg(long)]
    pub(crate) right_arguments: bool,
    /// Also use the shipped models when models are named
    #[arg(long)]
    pub(crate) shipped: bool,
    /// List the shipped models with their rules
    #[arg(long)]
    pub(crate) list_models: bool,
    /// Describe the named models as typestates, in JSON: methods, and the rules that follow from one event
    #[arg(long, conflicts_with_all = ["list_models", "json", "github"])]
    pub(crate) describe: bool,
    /// Also report calls that throw if the data is so, and before which the code does not ask: `next` after
    /// `next`, without `hasNext` between them
    #[arg(long)]
    pub(crate) unchecked: bool,
    /// Findings that make the exit code 1
    #[arg(long, value_name = "KIND", default_value = "certain")]
    pub(crate) fail_on: FailOn,
    /// Ignore the findings in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all findings to this file, for --baseline
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Print the findings as annotations of GitHub Actions
    #[arg(long, conflicts_with = "json")]
    pub(crate) github: bool,
    /// Folder of the sources, for the paths in SARIF and annotations
    #[arg(long, value_name = "DIR")]
    pub(crate) source_root: Option<String>,
    /// File that remembers results, so that unchanged classes are not analyzed again
    #[arg(long, value_name = "FILE")]
    pub(crate) cache: Option<PathBuf>,
    /// Folder of the JDK [default: JAVA_HOME, the `java` in PATH, the newest in the usual places; none is
    /// needed for the shipped models]
    #[arg(long, value_name = "DIR")]
    pub(crate) jdk: Option<PathBuf>,
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = super::count)]
    pub(crate) threads: Option<usize>,
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Findings that count as failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Only certain findings
    Certain,
    /// Certain and possible findings
    Possible,
    /// All findings; implies --unchecked
    Unchecked,
}
