//! Finding the JDK: `JAVA_HOME`, the `java` of `PATH`, the usual places; in this order.
//!
//! A `JAVA_HOME` that cannot be used is an error and is not skipped, because the results would come from
//! another JDK than the user chose. In the other places the first suitable JDK is taken, and errors list the
//! unsuitable ones with their versions.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

/// The oldest accepted release. The needed interfaces exist since Java 8, but we could test nothing below 17,
/// and 11 is the oldest release with the same layout and flags.
const OLDEST: u32 = 11;

/// A JDK that can be hosted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// Its folder.
    pub home: PathBuf,
    /// Its version as its `release` file says, `17.0.15`.
    pub version: String,
    /// The first number of the version that counts: 17; 8 for `1.8.0`.
    pub feature: u32,
    /// The virtual machine as a shared library.
    pub libjvm: PathBuf,
}

/// Places to search. The caller reads the environment; this crate does not.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The value of `JAVA_HOME`.
    pub java_home: Option<PathBuf>,
    /// The value of `PATH`.
    pub path: Option<OsString>,
    /// Folders that hold JDKs side by side; see [`USUAL`].
    pub usual: Vec<PathBuf>,
}

/// The folders in which Linux distributions and installers put JDKs side by side.
pub const USUAL: [&str; 4] = ["/usr/lib/jvm", "/usr/java", "/opt/java", "/opt"];

/// Failure to find a usable JDK.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum JdkError {
    /// `JAVA_HOME` is set, and what is there cannot be used.
    #[error("JAVA_HOME cannot be used: {0}")]
    #[diagnostic(
        code(jvm::java_home),
        help("set JAVA_HOME to the folder of a JDK 17 or later, or unset it to search for one")
    )]
    JavaHome(Unsuitable),
    /// None was found that fits.
    #[error("no JDK was found{}", listed(.passed_over))]
    #[diagnostic(
        code(jvm::no_jdk),
        help(
            "install a JDK 17 or newer (Debian and Ubuntu: `apt install openjdk-17-jdk-headless`) or set JAVA_HOME"
        )
    )]
    None {
        /// Folders that look like a JDK but cannot be used.
        passed_over: Vec<Unsuitable>,
    },
}

/// A folder that is no JDK that can be hosted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsuitable {
    /// The folder.
    pub home: PathBuf,
    /// Its version, if it says one.
    pub version: Option<String>,
    /// The reason.
    pub why: String,
}

/// Looks for a JDK.
pub fn find(places: &Places) -> Result<Jdk, JdkError> {
    if let Some(home) = places.java_home.as_deref().filter(|home| !home.as_os_str().is_empty()) {
        return inspect(home).map_err(JdkError::JavaHome);
    }
    let mut passed_over = Vec::new();
    let mut consider = |home: &Path| match inspect(home) {
        Ok(jdk) => Some(jdk),
        Err(unsuitable) => {
            passed_over.push(unsuitable);
            None
        }
    };
    if let Some(jdk) = places.path.as_deref().and_then(home_on_path).and_then(|home| consider(&home)) {
        return Ok(jdk);
    }
    let mut found: Vec<Jdk> =
        places.usual.iter().flat_map(|folder| homes_in(folder)).filter_map(|home| consider(&home)).collect();
    // The newest; among equals the first by path, so the choice does not depend on the file system.
    found.sort_by(|a, b| numbers(&b.version).cmp(&numbers(&a.version)).then_with(|| a.home.cmp(&b.home)));
    found.into_iter().next().ok_or(JdkError::None { passed_over })
}

/// Inspects the JDK in this folder.
pub fn inspect(home: &Path) -> Result<Jdk, Unsuitable> {
    let unsuitable = |version: Option<&str>, why: String| Unsuitable {
        home: home.to_owned(),
        version: version.map(str::to_owned),
        why,
    };
    let release = fs::read(home.join("release"))
        .map_err(|error| unsuitable(None, format!("its `release` file cannot be read: {error}")))?;
    let release = String::from_utf8_lossy(&release);
    let version = release
        .lines()
        .find_map(|line| line.trim().strip_prefix("JAVA_VERSION="))
        .map(|version| version.trim_matches('"').to_owned())
        .ok_or_else(|| unsuitable(None, "its `release` file has no JAVA_VERSION".to_owned()))?;
    let feature = match numbers(&version).as_slice() {
        [1, feature, ..] | [feature, ..] => *feature,
        [] => return Err(unsuitable(Some(&version), "its version does not start with a number".to_owned())),
    };
    if feature < OLDEST {
        return Err(unsuitable(Some(&version), format!("{OLDEST} is the oldest supported release")));
    }
    let libjvm = home.join("lib/server/libjvm.so");
    if !libjvm.is_file() {
        return Err(unsuitable(Some(&version), "it has no lib/server/libjvm.so".to_owned()));
    }
    Ok(Jdk { home: home.to_owned(), version, feature, libjvm })
}

/// The JDK that the `java` of `PATH` belongs to. Distributions put a link there, so the link is followed.
fn home_on_path(path: &OsStr) -> Option<PathBuf> {
    let java = std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .find_map(|folder| fs::canonicalize(folder.join("java")).ok())?;
    Some(java.parent()?.parent()?.to_owned())
}

/// The folders directly below that look like JDKs; links to them are followed and counted once.
fn homes_in(folder: &Path) -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| fs::canonicalize(entry.ok()?.path()).ok())
        .filter(|home| home.join("release").is_file() && home.join("bin/java").exists())
        .collect();
    homes.sort();
    homes.dedup();
    homes
}

/// The numbers of a version, for comparing.
fn numbers(version: &str) -> Vec<u32> {
    version.split(['.', '_', '+', '-']).map_while(|part| part.parse().ok()).collect()
}

fn listed(list: &[Unsuitable]) -> String {
    list.iter().map(|unsuitable| format!("; rejected: {unsuitable}")).collect()
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.home.display())?;
        if let Some(version) = &self.version {
            write!(f, " (version {version})")?;
        }
        write!(f, ": {}", self.why)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// A folder with a JDK for each name and content of a `release` file; a name with `!` has no virtual
    /// machine.
    fn machine(jdks: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, release) in jdks {
            let home = root.path().join(name);
            fs::create_dir_all(home.join("bin")).unwrap();
            fs::create_dir_all(home.join("lib/server")).unwrap();
            fs::write(home.join("release"), release).unwrap();
            fs::write(home.join("bin/java"), "").unwrap();
            if !name.contains('!') {
                fs::write(home.join("lib/server/libjvm.so"), "").unwrap();
            }
        }
        root
    }

    fn check(root: &Path, places: &Places, expected: Expect) {
        let text = match find(places) {
            Ok(jdk) => format!("{} {} {}", jdk.home.display(), jdk.version, jdk.feature),
            Err(error) => error.to_string(),
        };
        let real = fs::canonicalize(root).unwrap();
        expected
            .assert_eq(&text.replace(real.to_str().unwrap(), "ROOT").replace(root.to_str().unwrap(), "ROOT"));
    }

    #[test]
    fn the_newest_of_the_usual_places() {
        let root = machine(&[
            ("a", "JAVA_VERSION=\"17.0.9\"\n"),
            ("b", "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.15\"\n"),
            ("c", "JAVA_VERSION=\"1.8.0_402\"\n"),
        ]);
        let usual = vec![root.path().to_owned(), root.path().join("missing")];
        check(root.path(), &Places { usual, ..Places::default() }, expect!["ROOT/b 17.0.15 17"]);
    }

    #[test]
    fn the_java_of_path_comes_before_a_newer_one() {
        let root = machine(&[("a", "JAVA_VERSION=\"17\"\n"), ("b", "JAVA_VERSION=\"25.0.3\"\n")]);
        let bin = root.path().join("links");
        fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(root.path().join("a/bin/java"), bin.join("java")).unwrap();
        let path = Some(std::env::join_paths([root.path().join("missing"), bin]).unwrap());
        let places = Places { path, usual: vec![root.path().to_owned()], java_home: None };
        check(root.path(), &places, expect!["ROOT/a 17 17"]);
    }

    #[test]
    fn a_wrong_java_home_is_not_passed_over() {
        let root = machine(&[("old", "JAVA_VERSION=\"1.8.0_402\"\n"), ("good", "JAVA_VERSION=\"17\"\n")]);
        let usual = vec![root.path().to_owned()];
        let places = Places { java_home: Some(root.path().join("old")), usual, path: None };
        check(
            root.path(),
            &places,
            expect![
                "JAVA_HOME cannot be used: ROOT/old (version 1.8.0_402): 11 is the oldest supported release"
            ],
        );
        let places = Places { java_home: Some(PathBuf::new()), ..places };
        check(root.path(), &places, expect!["ROOT/good 17 17"]);
    }

    #[test]
    fn what_was_passed_over_is_named() {
        let root = machine(&[
            ("a", "JAVA_VERSION=\"1.8.0_402\"\n"),
            ("b!", "JAVA_VERSION=\"21.0.1\"\n"),
            ("c", "IMPLEMENTOR=\"nobody\"\n"),
            ("d", "JAVA_VERSION=\"next\"\n"),
        ]);
        check(
            root.path(),
            &Places { usual: vec![root.path().to_owned()], ..Places::default() },
            expect![
                "no JDK was found; rejected: ROOT/a (version 1.8.0_402): 11 is the oldest supported release; rejected: ROOT/b! (version 21.0.1): it has no lib/server/libjvm.so; rejected: ROOT/c: its `release` file has no JAVA_VERSION; rejected: ROOT/d (version next): its version does not start with a number"
            ],
        );
        check(root.path(), &Places::default(), expect!["no JDK was found"]);
    }
}
