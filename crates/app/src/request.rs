//! Requests: the work that a command was asked to do, in the terms of the program.
//!
//! A file in `commands/` turns the flags that were typed into a request, with every default filled in.
//! Nothing below `commands` knows flags.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use adit_bytecode::overloads::Overloads;
use adit_java::GeneratorOptions;
use adit_jvm::Sandbox;

/// A Java class to run, and where to find it.
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
    /// Number of worker processes.
    pub(crate) workers: usize,
    /// Time limit of one test.
    pub(crate) script_limit: Duration,
    /// Choice of receivers and arguments.
    pub(crate) generation: GeneratorOptions,
}
