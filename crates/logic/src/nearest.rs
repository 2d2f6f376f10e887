//! The label that was probably meant.

use adit_trace::Label;

use crate::Formula;

/// The labels of `formula` that are not in `alphabet`, each with the label of the alphabet that was probably meant.
///
/// A label that no event has is legal, but makes a formula true or false of everything, which is rarely meant.
pub fn unknown_atoms<L: AsRef<str>>(
    formula: &Formula<String>,
    alphabet: &[L],
) -> Vec<(String, Option<String>)> {
    formula
        .atoms()
        .into_iter()
        .filter(|atom| !alphabet.iter().any(|label| label.as_ref() == atom.as_str()))
        .map(|atom| {
            let meant = nearest(atom, alphabet.iter().map(AsRef::as_ref));
            (atom.clone(), meant.map(str::to_owned))
        })
        .collect()
}

/// The candidate that is most like `word`, the first of several; nothing when none is much like it.
///
/// `add` is like `add:TRUE`, and the reverse. Otherwise at most a third of the characters may have to be added, left
/// out, changed or swapped with the next; upper and lower case count as the same first.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let lower = word.to_lowercase();
    let length = word.chars().count();
    let mut best: Option<((usize, usize), &str)> = None;
    for candidate in candidates {
        let longer = length.max(candidate.chars().count());
        if longer > LONGEST {
            continue;
        }
        let same_method = Label::parse(candidate).method() == Label::parse(word).method() && !word.is_empty();
        let rough = if same_method { 0 } else { strsim::osa_distance(&lower, &candidate.to_lowercase()) };
        let score = (rough, strsim::osa_distance(word, candidate));
        if rough <= (longer / 3).max(1) && rough < longer && best.is_none_or(|(least, _)| score < least) {
            best = Some((score, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Longer words are not compared, because comparing takes time in the square of the length.
const LONGEST: usize = 500;

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
