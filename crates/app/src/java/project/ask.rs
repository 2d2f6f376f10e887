//! Asking a build tool for a class path. It runs as if typed by the user, but without input and with a time
//! limit.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use miette::Report;

use super::Tool;
use crate::budget::parse_time;
use crate::errors::{bad_input, no_answer};
use crate::interrupt::Listening;
use crate::progress::{Audience, Working};

/// Default time limit: enough for a tool to start and read a large build without downloads.
const LIMIT: Duration = Duration::from_secs(60);

/// Environment variable for another limit, such as `2m`, for larger builds.
const OWN_LIMIT: &str = "ADIT_PROJECT_LIMIT";

/// Interval of checks whether the tool has exited.
const BREATH: Duration = Duration::from_millis(20);

/// Time to wait for the rest of the output of an exited program; a process left behind may hold the pipe
/// forever.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Limit on the output; no error message and no class path is longer.
const LONGEST: u64 = 1 << 22;

/// Asks `tool` for a class path in the folder `place`. Returns its answer, or a few words on why there is
/// none.
///
/// `arguments` receives a folder for its own files and the file for the answer.
pub(super) fn ask(
    tool: Tool,
    program: &Path,
    place: &Path,
    arguments: &dyn Fn(&Path, &Path) -> std::io::Result<Vec<OsString>>,
    audience: Audience,
) -> Result<Result<String, String>, Report> {
    let folder = match tempfile::Builder::new().prefix("adit-project-").tempdir() {
        Ok(folder) => folder,
        Err(error) => return Ok(Err(format!("cannot create a temporary folder: {error}"))),
    };
    let answer = folder.path().join("class-path");
    let arguments = match arguments(folder.path(), &answer) {
        Ok(arguments) => arguments,
        Err(error) => return Ok(Err(format!("cannot write its arguments: {error}"))),
    };
    let limit = limit()?;
    let working = Working::new("waiting for the build tool", audience != Audience::People);
    let listening = Listening::new();
    let child = Command::new(program)
        .args(arguments)
        .current_dir(place)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A new group, so everything it starts can be killed with it.
        .process_group(0)
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return Ok(Err(format!("cannot start {}: {error}", program.display()))),
    };
    let said = [child.stdout.take().map(hear), child.stderr.take().map(hear)];
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(error) => return Ok(Err(format!("the process is lost: {error}"))),
        }
        if listening.interrupted() {
            end(&mut child);
            return Err(no_answer(
                format!("interrupted while asking {} for the class path", tool.name()),
                "name the class path with -c to skip this step",
            ));
        }
        if start.elapsed() > limit {
            end(&mut child);
            return Ok(Err(format!("it took longer than {limit:?}; set {OWN_LIMIT}=2m to wait two minutes")));
        }
        std::thread::sleep(BREATH);
    };
    drop((working, listening));
    if !status.success() {
        let heard = said.into_iter().flatten().filter_map(|said| said.recv_timeout(LAST_WORDS).ok());
        let text: String = heard.collect::<Vec<_>>().join("\n");
        return Ok(Err(complaint(&text).unwrap_or_else(|| status.to_string())));
    }
    let read = fs::File::open(&answer).and_then(|file| {
        let mut text = String::new();
        file.take(LONGEST).read_to_string(&mut text).map(|_| text)
    });
    Ok(read.map_err(|_| "it wrote no answer".to_owned()))
}

/// Time limit of the tool.
fn limit() -> Result<Duration, Report> {
    match env::var(OWN_LIMIT) {
        Ok(text) => {
            parse_time(&text).map_err(|help| bad_input(format!("{OWN_LIMIT}={text} is not a time"), help))
        }
        Err(_) => Ok(LIMIT),
    }
}

/// Kills a program and its children. It leads its own group and has not been waited for, so its id is still
/// valid.
fn end(child: &mut Child) {
    // The shell has `kill` built in, and calling the system directly would be unsafe code.
    let number = child.id().to_string();
    let mut kill = Command::new("/bin/sh");
    kill.args(["-c", "kill -s KILL -- \"-$1\"", "sh", &number]);
    let _ = kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let _ = child.kill();
    let _ = child.wait();
}

/// Reads a pipe to its end, so the program never blocks; output beyond the limit is dropped.
fn hear(mut pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let _ = pipe.by_ref().take(LONGEST).read_to_end(&mut kept);
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        // The receiver may be gone.
        let _ = send.send(String::from_utf8_lossy(&kept).into_owned());
    });
    receive
}

/// Returns the most informative line of the tool's error output.
fn complaint(text: &str) -> Option<String> {
    let lines: Vec<String> = text.lines().map(one_line).filter(|line| !line.is_empty()).collect();
    let after = |mark: &str| lines.iter().skip_while(|line| !line.starts_with(mark)).nth(1);
    let error = lines
        .iter()
        .find_map(|line| line.strip_prefix("[ERROR]").map(str::trim))
        .filter(|line| !line.is_empty());
    let found =
        after("* What went wrong:").map(String::as_str).or(error).or(lines.first().map(String::as_str));
    found.map(str::to_owned)
}

/// Removes control sequences from a line and shortens it.
pub(super) fn one_line(text: &str) -> String {
    const LONGEST: usize = 200;
    let mut plain = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            // Colors: escape, bracket, numbers, letter.
            '\u{1b}' => {
                let _ = characters.by_ref().find(|c| c.is_ascii_alphabetic());
            }
            '\t' => plain.push(' '),
            character if character.is_control() => {}
            character => plain.push(character),
        }
    }
    let plain = plain.trim();
    match plain.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} …", &plain[..end]),
        None => plain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(said: &str, expected: Expect) {
        expected.assert_eq(&complaint(said).unwrap_or_default());
    }

    #[test]
    fn the_line_that_tells_most_is_found() {
        check(
            "[\u{1b}[1;31mERROR\u{1b}[m] Failed to execute goal on project \u{1b}[36macme\u{1b}[m\n[ERROR] more\n",
            expect!["Failed to execute goal on project acme"],
        );
        check(
            "\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nNo cached version of a:b:1 available for offline mode.\n",
            expect!["No cached version of a:b:1 available for offline mode."],
        );
        check("\n\r\u{7}\nsomething else\nmore", expect!["something else"]);
        check("* What went wrong:", expect!["* What went wrong:"]);
        check("", expect![""]);
        assert_eq!(one_line(&"é".repeat(300)).chars().count(), 202);
    }
}
