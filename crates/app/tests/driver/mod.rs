//! Runs the built binary and collects its output.
#![allow(dead_code, reason = "every test file uses its own part of this")]

pub(crate) mod agreement;
pub(crate) mod chromium;
pub(crate) mod java;
pub(crate) mod literals;
pub(crate) mod schema;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Result of a run of the binary.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}:\n{}\n{}", self.out, self.err))
    }
}

/// Runs `adit` with nothing on standard input.
pub(crate) fn adit(args: &[&str]) -> Run {
    adit_with(args, "")
}

/// Runs `adit` with `input` on standard input.
pub(crate) fn adit_with(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adit"));
    command.args(args);
    run(command, input.as_ref())
}

/// Runs `adit` with these variables in its environment; no value takes one away.
pub(crate) fn adit_in(environment: &[(&str, Option<&str>)], args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adit"));
    command.args(args);
    for (name, value) in environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    run(command, b"")
}

/// Runs a line of bash.
pub(crate) fn shell(line: &str) -> Run {
    let mut command = Command::new("bash");
    command.args(["-c", line]);
    run(command, b"")
}

fn run(mut command: Command, input: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let input = input.to_vec();
    // In a thread of its own, because a child that prints much before it reads would block both.
    let feeder = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("it ends");
    feeder.join().expect("feeding does not panic");
    Run {
        code: output.status.code().expect("it was not killed"),
        out: String::from_utf8(output.stdout).expect("output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

/// Asserts that `run` ended with code 2 and a message with all the `parts`.
#[track_caller]
pub(crate) fn refused(run: &Run, parts: &[&str]) {
    assert_eq!(run.code, 2, "out: {}\nerr: {}", run.out, run.err);
    assert_eq!(run.out, "", "a refusal prints no data");
    assert!(run.err.len() < 4000, "a message is for reading: {} bytes", run.err.len());
    for part in parts {
        assert!(run.err.contains(part), "`{part}` is missing in:\n{}", run.err);
    }
}

/// The path of a file in `examples/`.
pub(crate) fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).display().to_string()
}
