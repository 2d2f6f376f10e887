//! The Java that commands run: which JDK, which classes, and how this binary starts itself again as a worker.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use adit_bytecode::version::java;
use adit_bytecode::{Class, ClassPath};
use adit_jvm::find::{self, Places, USUAL};
use adit_jvm::{HostError, HostOptions, Jdk, JdkError, Protection, Sandbox, classes};
use miette::Report;

use crate::errors::bad_input;
use crate::flags::ClassFlags;
use crate::output::tell;
use crate::project::Site;
use crate::remedies::{self, Thing};

/// The first argument of a worker. Nobody types it.
pub(crate) const WORKER: &str = "--adit-worker";

/// Folders that hold JDKs side by side, in place of the usual ones. For machines that keep them elsewhere.
const OWN_PLACES: &str = "ADIT_JDKS";

/// The difference between the version of a class file and the Java that it was compiled for (JVMS table 4.1-A).
const FIRST_MAJOR: u32 = 44;

/// A class to be run, and what is needed to run it.
pub(crate) struct Machine {
    pub(crate) jdk: Jdk,
    /// Folders and jars, as the user or the build named them, in order.
    pub(crate) entries: Vec<PathBuf>,
    /// The same, opened, and the classes of the JDK behind them.
    pub(crate) classes: ClassPath,
    /// The class under test.
    pub(crate) class: Class,
    sandbox: Sandbox,
}

impl Machine {
    /// The class that the flags name, where it lives. `more` are entries of the class path beside those of the site.
    pub(crate) fn new(flags: &ClassFlags, site: &Site, more: &[&Path]) -> Result<Self, Report> {
        if let Some(simple) = flags.class.strip_suffix(".java") {
            let simple = simple.rsplit('/').next().unwrap_or(simple);
            return Err(bad_input(
                format!("{} is a source file, and adit runs compiled classes", flags.class),
                format!("`javac -d classes {}`, then name the class: `{simple} -c classes`", flags.class),
            ));
        }
        let jdk = site.jdk.clone();
        let mut entries = site.entries.clone();
        entries.extend(more.iter().map(|&entry| entry.to_owned()));
        let classes = classes::open(Some(&jdk), &entries)?;
        let class = classes.class(&flags.class)?;
        if u32::from(class.major) > jdk.feature + FIRST_MAJOR {
            let (name, needs, has) = (class.dotted_name(), java(class.major), jdk.feature);
            return Err(bad_input(
                format!(
                    "{name} was compiled for Java {needs}, and the JDK in {} is version {}",
                    jdk.home.display(),
                    jdk.version
                ),
                format!(
                    "name a JDK {needs} or newer with --jdk (`adit doctor` lists those here), \
                     or compile the class with `javac --release {has}`"
                ),
            ));
        }
        let sandbox = if flags.unsafe_no_sandbox { Sandbox::Unsafe } else { Sandbox::Required };
        Ok(Self { jdk, entries, classes, class, sandbox })
    }

    /// How workers are started for it.
    pub(crate) fn options(&self) -> Result<HostOptions, Report> {
        let (program, arguments) = worker()?;
        let mut options = HostOptions::new(program, arguments, self.jdk.clone());
        options.class_path.clone_from(&self.entries);
        options.boxes = boxes();
        options.sandbox = self.sandbox;
        Ok(options)
    }
}

/// The entries of the class path that were typed, those of several flags one after the other.
pub(crate) fn entries(flags: &ClassFlags) -> Vec<PathBuf> {
    let split = flags.classpath.iter().flat_map(|path| env::split_paths(path).collect::<Vec<_>>());
    // Two colons in a row are a slip of a script that joins what may be empty, and Java's meaning, the folder one is in,
    // would be searched for classes that nobody meant.
    split.filter(|entry| !entry.as_os_str().is_empty()).collect()
}

/// Warns of what the workers are not kept from. Nothing silences this.
pub(crate) fn warn_unprotected(protection: &Protection) {
    if !protection.is_enough() {
        tell(&format!(
            "WARNING: --unsafe-no-sandbox: nothing keeps the class from {}",
            protection.missing().join(" and from ")
        ));
    }
}

/// The error of a host, with what the user of a command can do about it.
pub(crate) fn cannot_run(error: HostError) -> Report {
    match error {
        HostError::Unprotected(_) => bad_input(
            error,
            "`adit doctor` says what would mend it; for a class that you trust, add --unsafe-no-sandbox",
        ),
        error => Report::new(error),
    }
}

/// Where this machine may have a JDK, as its environment says.
pub(crate) fn places() -> Places {
    let usual = match env::var_os(OWN_PLACES) {
        Some(own) => env::split_paths(&own).filter(|folder| !folder.as_os_str().is_empty()).collect(),
        None => USUAL.map(PathBuf::from).to_vec(),
    };
    Places { java_home: env::var_os("JAVA_HOME").map(PathBuf::from), path: env::var_os("PATH"), usual }
}

/// The JDK in the folder that was typed, else the one that the environment and the usual places give.
pub(crate) fn jdk(typed: Option<&Path>) -> Result<Jdk, Report> {
    if let Some(home) = typed {
        return find::inspect(home).map_err(|unsuitable| {
            bad_input(
                format!("--jdk cannot be used: {unsuitable}"),
                "name the folder of a JDK 17 or newer, the one with `bin`, `lib` and `release` in it; \
                 `adit doctor` lists those on this machine",
            )
        });
    }
    find::find(&places()).map_err(|error| match error {
        JdkError::None { .. } => bad_input(
            error,
            format!(
                "install one: {}; or name one with --jdk or JAVA_HOME. `adit doctor` tells more",
                remedies::install(Thing::Jdk)
            ),
        ),
        error => Report::new(error),
    })
}

/// This binary, and the arguments that make it a worker.
pub(crate) fn worker() -> Result<(PathBuf, Vec<OsString>), Report> {
    let program = env::current_exe().map_err(|error| {
        bad_input(format!("adit does not find its own file: {error}"), "is /proc mounted? was it deleted?")
    })?;
    Ok((program, vec![WORKER.into()]))
}

/// Where temporary files go.
pub(crate) fn boxes() -> PathBuf {
    env::temp_dir()
}
