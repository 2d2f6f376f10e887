//! Runs every command in the documentation and compares its output with the one shown.
//!
//! In `README.md` and `docs/**/*.md`, with `./adit` standing for the binary under test, in a fresh copy of
//! `examples/` and `subjects/servers/`:
//!
//! - every line of a `sh` block must succeed;
//! - every `$ command` of a `console` block must succeed and print the lines below it, where a line `...`
//!   stands for any number of lines and `[..]` for any part of a line;
//! - `# exits with N` at the end of a command asks for another exit code than 0;
//! - a `mermaid` or `json` block or a picture after `<!-- made by: command -->` must be exactly what the
//!   command prints.
//!
//! The pages of the guide run in one folder, in the order in which the guide lists them, as readers would.
//!
//! A block that runs Java or uses its results (`adit mine`, `status`, `observe`, `validate`, `doctor`) is
//! skipped if `adit doctor` reports that something is missing.
//!
//! `UPDATE_EXPECT=1` rewrites blocks whose output differs and has no wildcard.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too, and says when it could not run"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn readme() {
    check(&root().join("README.md"), playground().path());
}

#[test]
fn guide() {
    let first = root().join("docs/guide/README.md");
    let text = fs::read_to_string(&first).unwrap();
    let links = text.split("](").skip(1).filter_map(|after| after.split([')', '#']).next());
    let mut pages = vec![first.clone()];
    for page in links.filter(|link| link.ends_with(".md") && !link.contains('/')) {
        let page = first.with_file_name(page);
        if !pages.contains(&page) {
            pages.push(page);
        }
    }
    let all = fs::read_dir(first.parent().unwrap()).unwrap();
    for page in all.map(|entry| entry.unwrap().path()) {
        assert!(pages.contains(&page), "the guide's first page does not lead to {}", page.display());
    }
    let place = playground();
    for page in &pages {
        check(page, place.path());
    }
}

#[test]
fn docs() {
    let (docs, guide) = (root().join("docs"), root().join("docs/guide"));
    for document in documents().iter().filter(|path| path.starts_with(&docs) && !path.starts_with(&guide)) {
        check(document, playground().path());
    }
}

/// The examples of `--help` work as they are, except for classes and files that only the reader has.
#[test]
fn help() {
    let place = playground();
    let all = run("./adit --help", place.path()).unwrap();
    let java_works = run("./adit doctor", place.path()).is_ok();
    let commands = all.lines().skip_while(|line| *line != "Commands:").take_while(|line| *line != "Options:");
    let commands: Vec<&str> = commands
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let mut done = 0;
    for command in std::iter::once("").chain(commands.into_iter().filter(|command| *command != "help")) {
        let help = run(&format!("./adit {command} --help"), place.path()).unwrap();
        for line in help.lines().filter(|line| line.starts_with("  adit ")) {
            // Text after a wide gap is a remark.
            let example = line.trim().split("   ").next().unwrap();
            // `adit ci` reads an adit.toml of the reader's; tests/ci.rs has one.
            if ["com.acme", "app.jar", "subjects/", "~/", "adit ci"].iter().any(|own| example.contains(own)) {
                continue;
            }
            let needs_java = ["mine", "observe", "validate", "doctor", "status", "explain", "adit-out"];
            if needs_java.iter().any(|word| example.contains(word)) && !java_works {
                eprintln!("NOT RUN: `{example}` needs what `adit doctor` misses");
                continue;
            }
            if example.contains("--adapter python") && run("python3 --version", place.path()).is_err() {
                eprintln!("NOT RUN: `{example}` needs python3");
                continue;
            }
            // Exit code 1 means that the command found something, which is right for some of them.
            let result = run(&format!("./{example} || test $? -eq 1"), place.path());
            assert!(result.is_ok(), "{command} --help: {}", result.unwrap_err());
            done += 1;
        }
    }
    assert!(done >= 20, "only {done} examples were run");
}

#[test]
fn links_lead_somewhere() {
    let mut dead = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for (_, after) in text.match_indices("](").map(|(at, _)| text.split_at(at + 2)) {
            let link = after.split([')', '#', ' ']).next().unwrap_or_default();
            if !link.is_empty() && !link.contains("://") && !document.with_file_name(link).exists() {
                dead.push(format!("{}: {link}", document.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(dead.is_empty(), "links to nothing:\n{}", dead.join("\n"));
}

/// Returns the Markdown files of the project, in order.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![root().join("docs")];
    let top = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    found.extend(top.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Runs all blocks of one document in order and in one folder, so a block can use the files of an earlier
/// one.
fn check(document: &Path, folder: &Path) {
    let text = fs::read_to_string(document).unwrap();
    let mut rewritten = String::new();
    let mut wrong = String::new();
    let mut made_by: Option<String> = None;
    let mut java_works = None;
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let _ = writeln!(rewritten, "{line}");
        if let Some(command) = line.strip_prefix("<!-- made by: ") {
            made_by = Some(command.trim_end_matches("-->").trim().to_owned());
        }
        if let (true, Some(command)) = (line.starts_with("!["), &made_by) {
            let link = line.split_once("](").and_then(|(_, after)| after.split(')').next()).unwrap();
            let picture = document.with_file_name(link);
            let made = run(command, folder).unwrap();
            if fs::read_to_string(&picture).unwrap() != made {
                let _ = write!(wrong, "\n{}: {link} is not what `{command}` makes", document.display());
                if std::env::var_os("UPDATE_EXPECT").is_some() {
                    fs::write(&picture, made).unwrap();
                }
            }
            made_by = None;
        }
        let Some(language) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        let runs_java = ["observe", "doctor", "mine", "status", "validate"]
            .iter()
            .any(|command| block.iter().any(|line| line.contains(&format!("./adit {command}"))));
        if runs_java && !*java_works.get_or_insert_with(|| run("./adit doctor", folder).is_ok()) {
            eprintln!("NOT RUN: {}:{} needs what `adit doctor` misses", document.display(), at + 1);
            let _ = writeln!(rewritten, "{}```", join(&block));
            continue;
        }
        let runs_python = block.iter().any(|line| line.contains("--adapter python"));
        if runs_python && run("python3 --version", folder).is_err() {
            eprintln!("NOT RUN: {}:{} needs python3", document.display(), at + 1);
            let _ = writeln!(rewritten, "{}```", join(&block));
            continue;
        }
        let result = match (language.trim(), made_by.take()) {
            ("mermaid" | "json" | "dot", Some(command)) => run(&command, folder).map(|output| (output, None)),
            ("sh", _) => {
                block.iter().try_for_each(|line| run(line, folder).map(|_| ())).map(|()| (join(&block), None))
            }
            ("console", _) => console(&block, folder),
            _ => Ok((join(&block), None)),
        };
        let place = format!("{}:{}", document.strip_prefix(root()).unwrap().display(), at + 1);
        let actual = match result {
            Ok((actual, matches)) if matches == Some(true) || actual == join(&block) => join(&block),
            Ok((actual, _)) => {
                let _ = write!(wrong, "\n{place}: the block should read\n{actual}");
                actual
            }
            Err(problem) => {
                let _ = write!(wrong, "\n{place}: {problem}");
                join(&block)
            }
        };
        let _ = writeln!(rewritten, "{actual}```");
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() && rewritten != text {
        fs::write(document, rewritten).unwrap();
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Runs the commands of a `console` block. Returns the block as it should be, and whether it is right as it
/// is.
fn console(block: &[&str], place: &Path) -> Result<(String, Option<bool>), String> {
    let mut right = true;
    let mut should = String::new();
    let mut lines = block.iter().peekable();
    while let Some(line) = lines.next() {
        let command =
            line.strip_prefix("$ ").ok_or_else(|| format!("expected `$ command` instead of `{line}`"))?;
        let mut shown = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
            shown.push(*line);
        }
        let output = run(command, place)?;
        let printed: Vec<&str> = output.lines().collect();
        let _ = writeln!(should, "$ {command}");
        if matches(&shown, &printed) {
            should.push_str(&join(&shown));
        } else {
            right = false;
            should.push_str(&output);
        }
    }
    Ok((should, Some(right)))
}

/// Returns true if `printed` matches `shown`, including its wildcards.
fn matches(shown: &[&str], printed: &[&str]) -> bool {
    match (shown, printed) {
        ([], []) => true,
        (["...", rest @ ..], _) => (0..=printed.len()).any(|skip| matches(rest, &printed[skip..])),
        ([first, rest @ ..], [line, lines @ ..]) => matches_line(first, line) && matches(rest, lines),
        _ => false,
    }
}

fn matches_line(shown: &str, line: &str) -> bool {
    let mut parts = shown.split("[..]");
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(found) = rest.find(part) else { return false };
        rest = &rest[found + part.len()..];
    }
    rest.ends_with(last)
}

/// Runs one shell line in `place` and returns its output, both streams together.
fn run(line: &str, place: &Path) -> Result<String, String> {
    // This test is a part of `./test`, so it cannot run it.
    if line == "./test" || line.trim().is_empty() || line.starts_with('#') {
        return Ok(String::new());
    }
    let (command, wanted) = match line.split_once("# exits with ") {
        Some((command, code)) => {
            (command, code.trim().parse().map_err(|_| format!("no exit code in `{line}`"))?)
        }
        None => (line, 0),
    };
    let output = Command::new("bash")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(place)
        .env_remove("RUST_BACKTRACE")
        .output()
        .expect("bash runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(code) if code == wanted => Ok(text),
        code => Err(format!("`{command}` ended with {code:?} instead of {wanted}:\n{text}")),
    }
}

/// Creates a folder with what a reader of the documentation has: the examples and a working `./adit`.
fn playground() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let examples = place.path().join("examples");
    fs::create_dir(&examples).unwrap();
    for entry in fs::read_dir(root().join("examples")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), examples.join(entry.file_name())).unwrap();
    }
    let servers = place.path().join("subjects/servers");
    fs::create_dir_all(&servers).unwrap();
    for entry in fs::read_dir(root().join("subjects/servers")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), servers.join(entry.file_name())).unwrap();
    }
    let script = place.path().join("adit");
    fs::write(&script, format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_adit"))).unwrap();
    make_executable(&script);
    place
}

#[cfg(unix)]
fn make_executable(script: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_: &Path) {}

fn join(lines: &[&str]) -> String {
    lines.iter().fold(String::new(), |text, line| text + line + "\n")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn wildcards_match_what_they_should() {
    assert!(matches(&["a", "...", "c"], &["a", "b", "b", "c"]));
    assert!(!matches(&["a", "...", "c"], &["a", "b"]));
    assert!(matches_line("took [..] s for [..] traces", "took 0.1 s for 12 traces"));
    assert!(!matches_line("took [..] s", "took 0.1 s for 12 traces"));
}
