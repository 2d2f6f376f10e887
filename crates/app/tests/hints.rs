//! Every hint that a message can give: the commands and flags in it exist.
//!
//! The test reads the sources of the binary, because no list of messages could be complete. A command with
//! placeholders cannot be run as it stands, so the test asks each command for its help, and looks for every
//! flag that a hint names beside it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use driver::adit;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The texts of a source between quotes, without comments and tests. Lines that a backslash continues are
/// one.
fn literals(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap();
    let lines: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut found = Vec::new();
    let mut text: Option<String> = None;
    let code = lines.join("\n");
    let mut letters = code.chars().peekable();
    while let Some(letter) = letters.next() {
        match (&mut text, letter) {
            (None, '\'') => {
                // A letter such as '"' begins no text.
                if letters.peek() == Some(&'"') {
                    letters.next();
                }
            }
            (None, '"') => text = Some(String::new()),
            (None, _) => {}
            (Some(_), '"') => found.extend(text.take()),
            (Some(text), '\\') => match letters.next() {
                Some('\n') => while letters.next_if(|letter| letter.is_whitespace()).is_some() {},
                Some(escaped) => text.push(escaped),
                None => {}
            },
            (Some(text), letter) => text.push(letter),
        }
    }
    found
}

/// The flags in a text: `--budget`, also of `--budget=1s`.
fn flags(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let is_flag =
        |word: &&str| word.len() > 3 && word.starts_with("--") && word.as_bytes()[2].is_ascii_lowercase();
    words.filter(is_flag).map(|word| word.trim_end_matches('-').to_owned()).collect()
}

#[test]
fn commands_and_flags_in_hints_exist() {
    let listed = adit(&["--help"]).out;
    let commands: Vec<&str> = listed
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() > 15, "{commands:?}");
    let helps: BTreeMap<&str, BTreeSet<String>> = commands
        .iter()
        .map(|&command| (command, flags(&adit(&[command, "--help"]).out).into_iter().collect()))
        .collect();
    let anywhere: BTreeSet<&String> = helps.values().flatten().collect();
    // Flags of other programs that hints name: gzip, javac, autfilt, Maven and cargo.
    let others =
        ["--help", "--version", "--test", "--release", "--state-based-acceptance", "--prefix", "--features"];

    let mut files = Vec::new();
    for folder in ["src", "../java/src", "../trace/src", "../automata/src", "../logic/src", "../store/src"] {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    }
    let (mut hints, mut wrong) = (0, Vec::new());
    for file in &files {
        for text in literals(&fs::read_to_string(file).unwrap()) {
            // Commands: `adit mine …` up to the end of the code or the next command.
            for (at, _) in text.match_indices("adit ") {
                let is_start = text[..at].chars().next_back().is_none_or(|c| "`' (&\n".contains(c));
                let rest = text[at + 5..].split(['`', '\n', ';']).next().unwrap_or_default();
                // A command within quotes is an argument, and is looked at for itself.
                let rest = rest.split("'adit ").next().unwrap_or_default();
                let name = rest.split_whitespace().next().unwrap_or_default();
                if !is_start || !helps.contains_key(name) {
                    // Prose, such as “adit cannot …”; but what is marked as code must be a command.
                    if is_start && text[..at].ends_with('`') && !name.starts_with('{') {
                        wrong.push(format!("{}: there is no command `adit {name}`", file.display()));
                    }
                    continue;
                }
                hints += 1;
                for flag in flags(rest) {
                    if !helps[name].contains(&flag) && !others.contains(&flag.as_str()) {
                        wrong.push(format!("{}: `adit {name}` has no {flag}", file.display()));
                    }
                }
            }
            // Flags beside no command still belong to one.
            let is_prose = text.contains(' ') && !file.ends_with("wrapper.rs");
            for flag in flags(&text).iter().filter(|_| is_prose) {
                hints += 1;
                let is_known = anywhere.contains(flag) || others.contains(&flag.as_str());
                if !is_known && !text.contains("gradle") && !text.contains("mvn") && !text.contains("java ") {
                    wrong.push(format!("{}: no command has {flag}: {text}", file.display()));
                }
            }
        }
    }
    assert!(hints > 100, "the test found only {hints} hints");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn texts_are_found_in_sources() {
    let source = "let a = \"one `adit x`\"; // \"no\"\nlet b = '\"'; let c = \"two \\\n    three --all\";\n";
    assert_eq!(literals(&format!("{source}\n// \"no\"\n")), ["one `adit x`", "no", "two three --all"]);
    assert_eq!(flags("two three --all, --budget=1s -- x"), ["--all", "--budget"]);
}
