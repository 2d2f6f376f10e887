//! Fixtures: the user's Java files that supply values, compiled with the compiler of the JDK.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use adit_bytecode::{Class, Flags};
use adit_jvm::Jdk;
use miette::Report;
use tempfile::TempDir;

use crate::errors::bad_input;
use crate::input::open;
use crate::install_hints::{self, Thing};

/// Compiled fixtures. Dropping them removes the folder.
pub(crate) struct Fixtures {
    folder: TempDir,
    /// The classes that supply values, with dots, in order.
    pub(crate) classes: Vec<String>,
}

impl Fixtures {
    /// Compiles `files` against the class path; returns nothing if there are none.
    pub(crate) fn compile(
        files: &[PathBuf],
        jdk: &Jdk,
        class_path: &[PathBuf],
    ) -> Result<Option<Self>, Report> {
        if files.is_empty() {
            return Ok(None);
        }
        for file in files {
            // For its messages about files that are missing, folders, or not readable.
            open(file)?;
            if file.extension().is_none_or(|extension| extension != "java") {
                return Err(bad_input(
                    format!("--fixtures: {} is not a Java source file", file.display()),
                    "its name must end in `.java`; adit compiles it; add compiled classes to the class path instead",
                ));
            }
        }
        let folder = tempfile::Builder::new().prefix("adit-fixtures-").tempdir().map_err(|error| {
            bad_input(
                format!("cannot create a temporary folder: {error}"),
                "is the disk full? set TMPDIR to use another place",
            )
        })?;
        compile(files, jdk, class_path, folder.path())?;
        let mut classes = Vec::new();
        suppliers(folder.path(), &mut classes)?;
        classes.sort();
        if classes.is_empty() {
            let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
            return Err(bad_input(
                format!("--fixtures: {} supplies no values", names.join(", ")),
                "write public static methods without parameters that return a value: \
                 `public static java.io.InputStream input() { … }`",
            ));
        }
        Ok(Some(Self { folder, classes }))
    }

    /// Folder of the compiled classes, for the class path.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

fn compile(files: &[PathBuf], jdk: &Jdk, class_path: &[PathBuf], into: &Path) -> Result<(), Report> {
    let javac = jdk.home.join("bin/javac");
    if !javac.is_file() {
        return Err(bad_input(
            format!("--fixtures needs a compiler, but {} has none", jdk.home.display()),
            format!("install a full JDK: {}; or name one with --jdk", install_hints::install(Thing::Jdk)),
        ));
    }
    let joined = std::env::join_paths(class_path).map_err(|error| {
        bad_input(
            format!("cannot pass the class path to the compiler: {error}"),
            "rename the folder with a colon in its name",
        )
    })?;
    let output = Command::new(&javac)
        // No annotation processors: they are programs of the class path, and the compiler runs outside the
        // sandbox.
        .args(["-proc:none", "-nowarn", "-encoding", "UTF-8", "-cp"])
        .arg(joined)
        .arg("-d")
        .arg(into)
        // Absolute, so no name starts like a flag.
        .args(files.iter().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone())))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            bad_input(
                format!("cannot run {}: {error}", javac.display()),
                "does `javac -version` of this JDK work?",
            )
        })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(bad_input(
        format!("the fixtures do not compile:\n{}", head(said.trim_end(), 40)),
        "the classes they use must be on the class path (--classpath)",
    ))
}

/// Returns the first lines of a text.
fn head(text: &str, most: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    match lines.len().checked_sub(most) {
        Some(more @ 1..) => format!("{}\n… and {more} more lines", lines[..most].join("\n")),
        _ => lines.join("\n"),
    }
}

/// Returns the classes below `folder` with a public static method without parameters that returns a value.
fn suppliers(folder: &Path, found: &mut Vec<String>) -> Result<(), Report> {
    let cannot =
        |error| bad_input(format!("the compiled fixtures cannot be read: {error}"), "is the disk full?");
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if path.is_dir() {
            suppliers(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "class") {
            let class = Class::parse_outline(&fs::read(&path).map_err(cannot)?, &path.display().to_string())?;
            let supplies = class.methods.iter().any(|method| {
                method.is_static()
                    && method.flags.has(Flags::PUBLIC)
                    && method.signature().parameters.is_empty()
                    && method.signature().result.is_some()
            });
            if supplies {
                found.push(class.dotted_name());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::head;

    #[test]
    fn long_messages_are_cut() {
        assert_eq!(head("a\nb", 2), "a\nb");
        assert_eq!(head("a\nb\nc\nd", 2), "a\nb\n… and 2 more lines");
    }
}
