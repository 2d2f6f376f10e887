//! Shell commands for people to copy.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_when_a_shell_would_split_or_expand_them() {
        for (word, expected) in [("--budget", "--budget"), ("5s", "5s"), ("", "''"), ("a b", "'a b'")] {
            assert_eq!(quoted(word), expected);
        }
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("lib/*"), "'lib/*'");
    }
}
