//! Shell commands for people to copy.

use std::path::{Component, Path, PathBuf};

/// Quotes a word if a shell would not take it as it is.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Returns the typed command without `--fresh`, which would start a new campaign instead of continuing this
/// one.
pub(crate) fn typed_command() -> String {
    let words = std::env::args().filter(|word| word != "--fresh").map(|word| quoted(&word));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns a path as a command in `folder` names it: relative, unless both have only the root in common.
pub(crate) fn seen_from(folder: &Path, path: &Path) -> PathBuf {
    let whole = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path));
    let (Ok(folder), Ok(path)) = (whole(folder), whole(path)) else { return path.to_owned() };
    let common = folder.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    if common < 2 {
        return path;
    }
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    let seen: PathBuf = up.chain(path.components().skip(common)).collect();
    if seen.as_os_str().is_empty() { PathBuf::from(".") } else { seen }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_a_folder() {
        for (folder, path, seen) in [
            ("/no/out/Order", "/no/classes", "../../classes"),
            ("/no/out", "/no/out/classes", "classes"),
            ("/no/out", "/no/out", "."),
            ("/no/out", "/other/classes", "/other/classes"),
        ] {
            assert_eq!(seen_from(Path::new(folder), Path::new(path)), Path::new(seen));
        }
    }

    #[test]
    fn words_are_quoted_when_a_shell_would_split_or_expand_them() {
        for (word, expected) in [("--budget", "--budget"), ("5s", "5s"), ("", "''"), ("a b", "'a b'")] {
            assert_eq!(quoted(word), expected);
        }
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("lib/*"), "'lib/*'");
    }
}
