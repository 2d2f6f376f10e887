//! Flags of `adit mine`.

use std::path::PathBuf;
use std::time::Duration;

use adit_attack::SurveyOptions;
use adit_attack::dynamosa::Settings;
use adit_attack::explore::{ExploreOptions, SplitOptions};
use adit_java::GeneratorOptions;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::{AdapterFlags, ClassFlags, GenerateFlags};
use crate::budget::Budget;
use crate::pipeline::{AttackedProperties, ConstraintChoice, MINERS, Miner, Tester};

/// Long enough for a first model of most classes.
pub(crate) const DEFAULT_BUDGET: Budget = Budget::Time(Duration::from_secs(10));

/// Exploration that suits classes of up to about fifty methods and a few seconds. The number of calls is a
/// flag.
pub(crate) const EXPLORATION: ExploreOptions = ExploreOptions {
    survey: SurveyOptions { scripts: 3000, calls: 10, candidates: 24, moves: 8 },
    successors: 8,
    splitting: SplitOptions {
        walks: 300,
        walk_length: 12,
        width: 16,
        gain: 0.05,
        relative_gain: 0.4,
        least_gain: 0.005,
        enough: 0.996,
        good: 0.98,
        readable: 15,
        states: 60,
    },
};

/// Search for tests, with the numbers of DICE's paper, section 4. How long it tries is a flag.
pub(crate) const EVOLUTION: Settings = Settings {
    population: 50,
    crossover: 0.75,
    tournament: 10,
    abandon_after: Some(100),
    reset_after: Some(100),
};

/// Choice of arguments while mining. Values that recur make calls meet: a value that was added is then
/// searched for.
pub(crate) const GENERATION: GeneratorOptions =
    GeneratorOptions { reuse: 0.3, second_object: 0.1, longest: 60 };

/// Mine a model and temporal properties of a Java class by running it
///
/// Runs the class with generated calls in sandboxed worker processes. Writes the model, the properties that
/// survived and those that were refuted, traces, and JUnit tests to a folder, and stores every finding there
/// at once: the same command again continues, even after a crash.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit mine java.util.StringTokenizer
  adit mine com.acme.Stack                          inside a Maven or Gradle project
  adit mine com.acme.Stack -c target/classes --budget 30s -o stack
  adit mine java.security.Signature --fixtures subjects/fixtures/SignatureFixtures.java
  adit mine com.acme.Stack -c 'target/classes:lib/*' --tests target/test-classes
  adit mine java.util.ArrayList --only add,get,isEmpty,'remove(int)' --miner dice
  adit mine com.acme.Stack -c target/classes --miner temi    states with their conditions
  adit mine io.StringIO --adapter python          a class of Python
  adit mine --all app.jar --budget 5s -o all                 every public class, on one page

Output: model.json, model.dot, model_detail.json (a finer model, if there is one), properties.json,
findings.json, invariants.json (if the miner uses them), search.json, traces.jsonl, run.json,
tests/*.java, tests.json, report.html (a page that explains the rest) and campaign.db (see
`adit status DIR`).")]
pub(crate) struct MineFlags {
    #[command(flatten)]
    pub(crate) class: ClassFlags,
    #[command(flatten)]
    pub(crate) adapter: AdapterFlags,
    #[command(flatten)]
    pub(crate) generate: GenerateFlags,
    #[command(flatten)]
    pub(crate) mining: MiningFlags,
    /// Folder of the campaign and its results; an existing campaign is continued [default: adit-out/CLASS]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Start over; an existing campaign is kept as DIR.1 or the next free number
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Test afterwards whether the class needs the order that the model demands, with your tests
    #[arg(long, requires = "tests")]
    pub(crate) test_spec: bool,
    /// Progress output on standard error
    #[arg(long, value_enum, value_name = "FORM", default_value = "auto")]
    pub(crate) progress: ProgressForm,
    /// Mine every public class of a jar or class folder, which stands in the place of CLASS
    ///
    /// Each class has a folder and a process of its own, as many at a time as there are cores, and the whole
    /// --budget; a time that ends before a class is explored is given once more, four times as long. The same
    /// command again goes on where the last one ended. The page index.html lists all.
    #[arg(long, conflicts_with_all = ["only", "without", "tests", "test_spec", "detail", "progress", "labels", "adapter"])]
    pub(crate) all: bool,
    /// Of --all, mine only this class; may be repeated
    ///
    /// The folders of the classes that several machines mined can be put together: the same command without
    /// this flag then writes the page.
    #[arg(long, value_name = "CLASS", requires = "all")]
    pub(crate) only_class: Vec<String>,
    /// Of --all, list the classes that are left, and stop
    #[arg(long, requires = "all")]
    pub(crate) list: bool,
    /// Print the finer model, if the search made one
    #[arg(long)]
    pub(crate) detail: bool,
    /// Print a summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const MINING: &str = "Mining";

/// The search for a model and for tests that refute properties.
#[derive(Debug, Args)]
pub(crate) struct MiningFlags {
    /// Source of the model
    #[arg(long, value_name = "MINER", value_parser = miner(), default_value = MINERS[0].name, help_heading = MINING)]
    pub(crate) miner: &'static Miner,
    /// Search for tests that refute properties
    #[arg(long, value_enum, default_value = "dice", help_heading = MINING)]
    pub(crate) tester: Tester,
    /// Start from the JUnit tests in these folders, jars or classes; `none` for no tests [default: inside a
    /// Maven or Gradle project, its tests that use the class]
    ///
    /// adit never reports a property that these tests violate, and warns about call sequences in them that
    /// the model rejects.
    #[arg(long, value_name = "PATH", num_args = 1.., help_heading = MINING)]
    pub(crate) tests: Vec<PathBuf>,
    /// Prefer a small model: never split a state for behavior of only some of its objects
    #[arg(long, help_heading = MINING)]
    pub(crate) coarse: bool,
    /// Properties to attack
    #[arg(long, value_enum, default_value = "held", help_heading = MINING)]
    pub(crate) claims: AttackedProperties,
    /// Constraints of `--miner dice`
    ///
    /// A: calls without side effects stay in their state. B: no state allows what a surviving property
    /// forbids.
    #[arg(long, value_enum, default_value = "both", help_heading = MINING)]
    pub(crate) constraints: ConstraintChoice,
    /// Try guesses of `--miner temi` on the class until a test shows or refutes them; this is the default
    #[arg(long, overrides_with = "no_confirm", help_heading = MINING)]
    pub(crate) confirm: bool,
    /// Leave guesses of `--miner temi` as they are
    #[arg(long, overrides_with = "confirm", help_heading = MINING)]
    pub(crate) no_confirm: bool,
    /// Number of random tests to start with
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = super::count, allow_negative_numbers = true, help_heading = MINING)]
    pub(crate) initial: usize,
    /// Generations without a new counterexample before the search restarts
    #[arg(long, value_name = "N", default_value_t = 100, allow_negative_numbers = true, help_heading = MINING)]
    pub(crate) reset_after: u32,
    /// Generations for which one property is attacked
    #[arg(long, value_name = "N", default_value_t = 100, allow_negative_numbers = true, help_heading = MINING)]
    pub(crate) abandon_after: u32,
}

/// Form of the progress output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressForm {
    /// A bar on a terminal, occasional lines elsewhere
    Auto,
    /// One JSON object per line, for tools
    Json,
}

/// Accepts the names in the table of miners.
fn miner() -> impl TypedValueParser<Value = &'static Miner> {
    let values = MINERS
        .iter()
        .map(|miner| PossibleValue::new(miner.name).aliases(miner.aliases.iter().copied()).help(miner.about));
    PossibleValuesParser::new(values).map(|typed| {
        let named = |miner: &&Miner| miner.name == typed || miner.aliases.contains(&typed.as_str());
        MINERS.iter().find(named).expect("clap accepts the names of the table only")
    })
}

impl ValueEnum for Tester {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Dice => "Evolutionary search for every property, event and branch",
            Self::Dynamosa => "Evolutionary search for every event and branch",
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
            Self::Held => "Properties that held in every test so far",
            Self::All => "All instances of all templates, to benchmark testers",
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
