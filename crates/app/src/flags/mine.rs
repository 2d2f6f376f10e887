//! Flags of `adit mine`.

use std::path::PathBuf;
use std::time::Duration;

use adit_attack::GeneratorOptions;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::{ClassFlags, GenerateFlags};
use crate::budget::Budget;
use crate::request::{AttackedProperties, ConstraintChoice, Miner, Tester};

/// Long enough for a first model of most classes.
pub(crate) const DEFAULT_BUDGET: Budget = Budget::Time(Duration::from_secs(10));

/// Choice of arguments while mining. Values that recur make calls meet: a value that was added is then searched for.
pub(crate) const GENERATION: GeneratorOptions =
    GeneratorOptions { reuse: 0.3, second_object: 0.1, longest: 60 };

/// Find out in which order the methods of a Java class can be called
///
/// Runs the class with made-up calls in worker processes that cannot harm you, and writes into a folder: the model, what
/// always holds and what was refuted, traces, and tests that show it. What is found is kept there as it is found: the same
/// command again goes on where it ended, even after a crash.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit mine java.util.StringTokenizer
  adit mine com.acme.Stack                          inside a Maven or Gradle project that is built
  adit mine com.acme.Stack -c target/classes --budget 30s -o stack
  adit mine java.security.Signature --fixtures subjects/fixtures/SignatureFixtures.java
  adit mine com.acme.Stack -c 'target/classes:lib/*' --tests target/test-classes
  adit mine java.util.ArrayList --only add,get,isEmpty,'remove(int)' --miner dice

It writes model.json, model.dot, properties.json, search.json, traces.jsonl, run.json, tests/*.java, tests.json and
report.html, a page that explains them all, and keeps campaign.db, which `adit status DIR` shows.")]
pub(crate) struct MineFlags {
    #[command(flatten)]
    pub(crate) class: ClassFlags,
    #[command(flatten)]
    pub(crate) generate: GenerateFlags,
    /// How to make the model
    #[arg(long, value_enum, default_value = "assay", help_heading = MINING)]
    pub(crate) miner: Miner,
    /// How to look for tests that refute what is claimed
    #[arg(long, value_enum, default_value = "dice", help_heading = MINING)]
    pub(crate) tester: Tester,
    /// Begin with what the JUnit tests in these folders or jars, or of these classes, do with the class: nothing is claimed that they
    /// contradict, and calls in an order that the model does not have are reported [default: inside a Maven or Gradle project, its
    /// tests that use the class; `none` leaves them out]
    #[arg(long, value_name = "PATH", num_args = 1.., help_heading = MINING)]
    pub(crate) tests: Vec<PathBuf>,
    /// Prefer the smallest model: never split a state for behavior that only some of its objects have
    #[arg(long, help_heading = MINING)]
    pub(crate) coarse: bool,
    /// What is claimed and attacked: what held in all tests so far, or everything that can be said, as researchers do to judge a tester
    #[arg(long, value_enum, default_value = "held", help_heading = MINING)]
    pub(crate) claims: AttackedProperties,
    /// With `--miner dice`: which of the paper's two constraints it keeps. A: calls without a side effect stay in their state; B: no
    /// state allows what a claim that stands forbids
    #[arg(long, value_enum, default_value = "both", help_heading = MINING)]
    pub(crate) constraints: ConstraintChoice,
    /// Random tests to begin with
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = super::count, allow_negative_numbers = true, help_heading = MINING)]
    pub(crate) initial: usize,
    /// After how many generations without a new counterexample the search begins anew
    #[arg(long, value_name = "N", default_value_t = 100, allow_negative_numbers = true, help_heading = MINING)]
    pub(crate) reset_after: u32,
    /// For how many generations one claim is attacked
    #[arg(long, value_name = "N", default_value_t = 100, allow_negative_numbers = true, help_heading = MINING)]
    pub(crate) abandon_after: u32,
    /// The folder of the campaign and its results [default: adit-out/CLASS]. A campaign that is there is continued
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Begin anew: a campaign that is there is moved to DIR.1, or the next number that is free
    #[arg(long)]
    pub(crate) fresh: bool,
    /// How to tell how far it is: `json` writes an object a line to standard error, for tools
    #[arg(long, value_enum, value_name = "FORM", default_value = "auto")]
    pub(crate) progress: ProgressForm,
    /// Print a summary as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

const MINING: &str = "Mining";

/// How progress is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressForm {
    /// A bar on a terminal, a line now and then elsewhere
    Auto,
    /// One JSON object a line
    Json,
}

impl ValueEnum for Miner {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Assay => "By trying, in very many situations, which calls are possible",
            Self::Dice => "From traces, as DICE does: merge states as long as no surviving property breaks",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl ValueEnum for Tester {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Dice => "A search that aims at every claim, every event and every branch",
            Self::Dynamosa => "A search that aims at every event and every branch",
            Self::Random => "Random tests",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl ValueEnum for AttackedProperties {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Held => "What held in all tests so far",
            Self::All => "Every template with every two events",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl ValueEnum for ConstraintChoice {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}
