//! A small campaign, through the binary itself, which must be its own worker.

use std::path::{Path, PathBuf};
use std::process::Command;

use adit_jvm::doctor;
use adit_jvm::find::{Places, USUAL};

/// One or two of each kind, one that waits among them.
const CLASSES: &str = "java.util.concurrent.CompletableFuture,java.util.zip.Deflater,java.util.regex.Matcher,\
                       java.util.ArrayDeque,java.time.LocalDate,java.io.PushbackInputStream,\
                       javax.crypto.Cipher,java.text.DecimalFormat";

#[test]
fn nothing_goes_wrong_and_nothing_is_left() {
    let program = env!("CARGO_BIN_EXE_evals");
    let places = Places {
        java_home: std::env::var_os("JAVA_HOME").map(PathBuf::from),
        path: std::env::var_os("PATH"),
        usual: USUAL.map(PathBuf::from).to_vec(),
    };
    let boxes = tempfile::tempdir().unwrap();
    let found = doctor::examine(&places, Path::new(program), &["--adit-worker".into()], boxes.path());
    if found.jdk.is_err() || !found.protection.as_ref().is_ok_and(|protection| protection.is_enough()) {
        return eprintln!("NOT RUN: a JDK and a kernel that shuts workers in are needed: {found:?}");
    }
    let output = Command::new(program)
        .args(["campaign", "--scripts", "2000", "--checked", "80", "--classes", CLASSES])
        .env("TMPDIR", boxes.path())
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    let totals: Vec<&str> = out.lines().filter(|line| line.starts_with("| **all**")).collect();
    assert!(
        totals[0].starts_with("| **all** | 2000 |") && totals[1].starts_with("| **all** | 80 |"),
        "{out}"
    );
    assert_eq!(out.matches("0 processes, 0 threads, 0 descriptors, 0 folders").count(), 2, "{out}");
    assert_eq!(std::fs::read_dir(boxes.path()).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_run_is_named() {
    let program = env!("CARGO_BIN_EXE_evals");
    let output = Command::new(program).args(["campaign", "--classes", "java.util.Nothing"]).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("java.util.Nothing is no class") || err.contains("JDK"), "{err}");
}
