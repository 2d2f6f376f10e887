//! Compiles generated sources, all in one run of `javac`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use adit_jvm::find::{Places, USUAL, find};
use miette::{IntoDiagnostic, Result, WrapErr, bail};

use super::java::PACKAGE;

/// Returns the folder of the JDK.
pub(crate) fn jdk() -> Result<PathBuf> {
    let places = Places {
        java_home: std::env::var_os("JAVA_HOME").map(PathBuf::from),
        path: std::env::var_os("PATH"),
        usual: USUAL.map(PathBuf::from).to_vec(),
    };
    let home = find(&places)?.home;
    if !home.join("bin/javac").is_file() {
        bail!("{} has no compiler: install a JDK, or set JAVA_HOME to one", home.display());
    }
    Ok(home)
}

/// Writes sources below `work`, compiles them, and returns the folder of the classes.
pub(crate) fn compile(jdk: &Path, sources: &[(String, String)], work: &Path) -> Result<PathBuf> {
    let (folder, classes) = (work.join("src").join(PACKAGE), work.join("classes"));
    for folder in [&folder, &classes] {
        fs::create_dir_all(folder)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot make {}", folder.display()))?;
    }
    let mut files = Vec::new();
    for (name, source) in sources {
        let file = folder.join(format!("{name}.java"));
        fs::write(&file, source)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", file.display()))?;
        files.push(file);
    }
    let output = Command::new(jdk.join("bin/javac"))
        .args(["-nowarn", "-d"])
        .arg(&classes)
        .args(&files)
        .output()
        .into_diagnostic()
        .wrap_err("cannot run javac")?;
    if !output.status.success() {
        bail!("the generated classes do not compile: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(classes)
}
