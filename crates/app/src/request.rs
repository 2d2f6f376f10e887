//! Requests: the work that a command was asked to do, in the terms of the program.
//!
//! A file in `commands/` turns the flags that were typed into a request, with every default filled in.
//! Nothing below `commands` knows flags.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use adit_attack::validate::ValidateOptions;
use adit_bytecode::overloads::Overloads;
use adit_java::GeneratorOptions;
use adit_jvm::Sandbox;

use crate::adapter::AdapterRequest;
use crate::budget::Budget;

/// A Java class to run, and where to find it; or the subject of an adapter.
#[derive(Clone, Debug)]
pub(crate) struct ClassRequest {
    /// Name with its package, as it was typed.
    pub(crate) name: String,
    /// Folders and jars of the class path that was typed, in order.
    pub(crate) class_path: Vec<PathBuf>,
    /// Look for a Maven or Gradle project around the current folder.
    pub(crate) find_project: bool,
    /// Home of the JDK that was typed.
    pub(crate) jdk: Option<PathBuf>,
    /// Accept non-public classes and members.
    pub(crate) non_public: bool,
    pub(crate) sandbox: Sandbox,
    /// The adapter that drives it, if it is no Java class.
    pub(crate) adapter: Option<AdapterRequest>,
}

/// The calls to generate, and how to run them.
#[derive(Clone, Debug)]
pub(crate) struct CallRequest {
    /// Java source files that supply values.
    pub(crate) fixtures: Vec<PathBuf>,
    /// The only methods to call, by name or as `name(types)`.
    pub(crate) only: Option<BTreeSet<String>>,
    /// Methods not to call.
    pub(crate) without: BTreeSet<String>,
    /// Call `equals`, `hashCode` and `toString` too.
    pub(crate) object_methods: bool,
    /// The naming of events of overloaded methods.
    pub(crate) overloads: Overloads,
    /// The most calls of one test.
    pub(crate) calls: usize,
    /// Seed of all choices.
    pub(crate) seed: u64,
    /// Load the class anew for each test.
    pub(crate) fresh_statics: bool,
    /// Number of worker processes, and their number while tests mostly wait.
    pub(crate) workers: usize,
    pub(crate) waiting_workers: usize,
    /// Time limit of one test.
    pub(crate) script_limit: Duration,
    /// Choice of receivers and arguments.
    pub(crate) generation: GeneratorOptions,
}

/// Recording one trace per object of a class.
#[derive(Clone, Debug)]
pub(crate) struct ObserveRequest {
    pub(crate) class: ClassRequest,
    pub(crate) source: CallSource,
    /// Number of events after which the recording stops.
    pub(crate) max_events: u64,
}

/// Source of the calls that are recorded.
#[derive(Clone, Debug)]
pub(crate) enum CallSource {
    Generated(GeneratedCalls),
    Program(ProgramRequest),
}

/// Recording of generated calls.
#[derive(Clone, Debug)]
pub(crate) struct GeneratedCalls {
    pub(crate) calls: CallRequest,
    pub(crate) budget: Budget,
    /// Record the fields of the object after each call.
    pub(crate) states: bool,
}

/// Recording of what the user's own tests or program call.
#[derive(Clone, Debug)]
pub(crate) struct ProgramRequest {
    pub(crate) program: Program,
    /// The naming of events of overloaded methods.
    pub(crate) overloads: Overloads,
    /// Working directory.
    pub(crate) directory: PathBuf,
    /// Folders that may be written to.
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) time_limit: Duration,
    /// Run the tests again without recording, and compare.
    pub(crate) compare: bool,
    /// Record arguments, and the fields of objects before and after each call.
    pub(crate) states: bool,
}

/// Code of the user's own that calls the class.
#[derive(Clone, Debug)]
pub(crate) enum Program {
    /// JUnit tests: folders, jars or classes that were typed.
    Tests(Vec<PathBuf>),
    /// A class with a method `main`.
    Main { class: String, arguments: Vec<String> },
}

/// Measuring a model against its class.
#[derive(Clone, Debug)]
pub(crate) struct ValidateRequest {
    pub(crate) class: ClassRequest,
    pub(crate) calls: CallRequest,
    pub(crate) budget: Budget,
    /// Merge overloads if the model does, whatever `calls` says about them.
    pub(crate) labels_of_model: bool,
    /// Ignore events of the model that the class does not have.
    pub(crate) ignore_unknown: bool,
    /// Effort of the measurement.
    pub(crate) options: ValidateOptions,
}
