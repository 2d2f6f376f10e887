//! Finding a JDK for the tests of the crates that read class files. Those of other crates include this file.

use std::path::PathBuf;

/// Home of the JDK of `JAVA_HOME` or of `PATH`, with its compiler and its modules. Prints `NOT RUN:` if there
/// is none.
#[expect(clippy::print_stdout, reason = "a test that could not run must say so")]
pub(crate) fn jdk_home() -> Option<PathBuf> {
    let from_path = || {
        let path = std::env::var_os("PATH")?;
        let mut compilers = std::env::split_paths(&path).map(|folder| folder.join("javac"));
        Some(compilers.find(|file| file.exists())?.canonicalize().ok()?.parent()?.parent()?.to_owned())
    };
    let homes = [std::env::var_os("JAVA_HOME").map(PathBuf::from), from_path()];
    let found = homes
        .into_iter()
        .flatten()
        .find(|home| home.join("lib/modules").exists() && home.join("bin/javac").exists());
    if found.is_none() {
        println!("NOT RUN: no JDK was found; set JAVA_HOME or install one");
    }
    found
}
