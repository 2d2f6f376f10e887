//! Texts in the sources of the project: what messages can say.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::fs;
use std::path::{Path, PathBuf};

/// The sources of all crates whose messages users see.
pub(crate) fn sources() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path().join("src");
        if folder.is_dir() {
            files(&folder, "rs", &mut found);
        }
    }
    found.sort();
    found
}

/// The files below a folder with this extension.
pub(crate) fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|other| other == extension) {
            found.push(path);
        }
    }
}

/// The texts of a source between quotes, without comments and tests. Lines that a backslash continues are
/// one.
pub(crate) fn literals(source: &str) -> Vec<String> {
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
