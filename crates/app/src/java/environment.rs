//! The environment that a class runs in: the JDK, the class path, the sandbox, and this binary as a worker.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use adit_bytecode::version::java;
use adit_bytecode::{Class, ClassError, ClassPath};
use adit_jvm::{HostError, HostOptions, Jdk, Protection, Sandbox, classes};
use miette::{Diagnostic as _, Report};

use crate::errors::bad_input;
use crate::java::project::{ClassLocation, class_files};
use crate::request::ClassRequest;
use crate::stderr::tell;

/// First argument of a worker, not meant for users.
pub(crate) const WORKER: &str = "--adit-worker";

/// The difference between the version of a class file and the Java that it was compiled for (JVMS table
/// 4.1-A).
const FIRST_MAJOR: u32 = 44;

/// A class to run, with the JDK and the class path that it needs.
pub(crate) struct JavaEnvironment {
    pub(crate) jdk: Jdk,
    /// Folders and jars, as the user or the build named them, in order.
    pub(crate) entries: Vec<PathBuf>,
    /// Those that the user named.
    pub(crate) typed_entries: Vec<PathBuf>,
    /// The same, opened, and the classes of the JDK behind them.
    pub(crate) classes: ClassPath,
    /// The class under test.
    pub(crate) class: Class,
    sandbox: Sandbox,
}

impl JavaEnvironment {
    /// Finds the requested class. `more` are entries of the class path beside those of the location.
    pub(crate) fn new(
        request: &ClassRequest,
        location: &ClassLocation,
        more: &[&Path],
    ) -> Result<Self, Report> {
        let name = &request.name;
        if let Some(simple) = name.strip_suffix(".java") {
            let simple = simple.rsplit('/').next().unwrap_or(simple);
            return Err(bad_input(
                format!("{name} is a source file, and adit runs compiled classes"),
                format!("`javac -d classes {name}`, then name the class: `{simple} -c classes`"),
            ));
        }
        let jdk = location.jdk.clone();
        let mut entries = location.entries.clone();
        entries.extend(more.iter().map(|&entry| entry.to_owned()));
        let classes = classes::open(Some(&jdk), &entries)?;
        let class = classes.class(name).map_err(|error| with_folder(error, name, entries.is_empty()))?;
        if u32::from(class.major) > jdk.feature + FIRST_MAJOR {
            let (name, needs, has) = (class.dotted_name(), java(class.major), jdk.feature);
            return Err(bad_input(
                format!(
                    "{name} was compiled for Java {needs}, but the JDK in {} is version {}",
                    jdk.home.display(),
                    jdk.version
                ),
                format!(
                    "name a JDK {needs} or later with --jdk (see `adit doctor` for those on this machine), \
                     or compile the class with `javac --release {has}`"
                ),
            ));
        }
        let typed_entries = request.class_path.clone();
        Ok(Self { jdk, entries, typed_entries, classes, class, sandbox: request.sandbox })
    }

    /// Options for starting workers for it.
    pub(crate) fn options(&self) -> Result<HostOptions, Report> {
        let (program, arguments) = worker()?;
        let mut options = HostOptions::new(program, arguments, self.jdk.clone());
        options.class_path.clone_from(&self.entries);
        options.boxes = boxes();
        options.sandbox = self.sandbox;
        Ok(options)
    }
}

/// Adds to the error about an unknown class the folder below the current one that holds it: `-c` is easily
/// forgotten. If there is no such folder and no class path, says what `-c` is for.
fn with_folder(error: ClassError, name: &str, has_no_path: bool) -> Report {
    const OUTPUTS: [&str; 6] =
        ["target/classes", "build/classes/java/main", "build/classes/kotlin/main", "classes", "out", "bin"];
    let files = class_files(name);
    let holds = |folder: &&str| files.iter().any(|file| Path::new(folder).join(file).is_file());
    match (&error, OUTPUTS.iter().copied().find(holds)) {
        (ClassError::UnknownClass { .. }, Some(folder)) => {
            bad_input(error, format!("it is in {folder}: add -c {folder}"))
        }
        (ClassError::UnknownClass { .. }, None) if has_no_path => {
            let help = error.help().map(|help| format!("{help}; ")).unwrap_or_default();
            let more = "for a class of your own, add its folder or jar with -c, as in `-c target/classes`";
            bad_input(&error, format!("{help}{more}"))
        }
        _ => Report::new(error),
    }
}

/// Warns about protection that the workers lack. Nothing silences this.
pub(crate) fn warn_unprotected(protection: &Protection) {
    if !protection.is_enough() {
        tell(&format!(
            "WARNING: --unsafe-no-sandbox: nothing prevents the class from {}",
            protection.missing().join(" and from ")
        ));
    }
}

/// Turns the error of a host into one that tells the user of a command what to do.
pub(crate) fn cannot_run(error: HostError) -> Report {
    match error {
        HostError::Unprotected(_) => bad_input(
            error,
            "`adit doctor` says how to fix it; for a class that you trust, add --unsafe-no-sandbox",
        ),
        error => Report::new(error),
    }
}

/// This binary, and the arguments that make it a worker.
pub(crate) fn worker() -> Result<(PathBuf, Vec<OsString>), Report> {
    let program = env::current_exe().map_err(|error| {
        bad_input(
            format!("adit cannot find its own executable: {error}"),
            "is /proc mounted? was the file deleted?",
        )
    })?;
    Ok((program, vec![WORKER.into()]))
}

/// Folder for temporary files.
pub(crate) fn boxes() -> PathBuf {
    env::temp_dir()
}
