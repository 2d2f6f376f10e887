//! The label that was probably meant.

use adit_trace::Label;

use crate::Formula;

/// The labels of `formula` that are not in `alphabet`, each with the label of the alphabet that was probably
/// meant.
///
/// A label that no event has is legal, but makes a formula true or false of everything, which is rarely
/// meant.
pub fn unknown_atoms<L: AsRef<str>>(
    formula: &Formula<String>,
    alphabet: &[L],
) -> Vec<(String, Option<String>)> {
    formula
        .atoms()
        .into_iter()
        .filter(|atom| !alphabet.iter().any(|label| label.as_ref() == atom.as_str()))
        .map(|atom| {
            let meant = nearest_label(atom, alphabet.iter().map(AsRef::as_ref));
            (atom.clone(), meant.map(str::to_owned))
        })
        .collect()
}

/// The label that `word` probably stands for: one of the same method, such as `add:TRUE` for `add`, else the
/// one that [`adit_suggest::nearest`] finds.
pub fn nearest_label<'c>(word: &str, labels: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let labels: Vec<&str> = labels.into_iter().collect();
    let method = Label::parse(word).method();
    let same_method =
        labels.iter().copied().filter(|label| !word.is_empty() && Label::parse(label).method() == method);
    let of_method = same_method.min_by_key(|label| adit_suggest::distance(word, label));
    of_method.or_else(|| adit_suggest::nearest(word, labels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_find_their_label() {
        let alphabet = ["add:FALSE", "add:TRUE", "close", "open", "pop!EmptyStackException", "x"];
        let formula =
            Formula::parse("G(opne -> F Close) & add & pop & add:true & y & size & close & \"\"").unwrap();
        let found: Vec<String> = unknown_atoms(&formula, &alphabet)
            .into_iter()
            .map(|(atom, meant)| format!("{atom:?} → {}", meant.as_deref().unwrap_or("?")))
            .collect();
        expect_test::expect![[r#"
            "" → ?
            "Close" → close
            "add" → add:TRUE
            "add:true" → add:TRUE
            "opne" → open
            "pop" → pop!EmptyStackException
            "size" → ?
            "y" → ?"#]]
        .assert_eq(&found.join("\n"));
    }
}
