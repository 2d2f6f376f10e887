//! The nearest known name to a mistyped one, for hints.

/// The candidate that needs the fewest edits to become `word`, ignoring case, if few enough to be a typing mistake.
pub(crate) fn near<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = word.chars().count().div_ceil(3);
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| word.len().max(candidate.len()) <= LONGEST)
        .map(|candidate| (strsim::osa_distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Comparing costs the product of the lengths, and very long names are no typing mistakes.
const LONGEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_typing_mistakes_and_nothing_else() {
        let names = ["lines", "texada", "regex", "csv", "jsonl"];
        assert_eq!(near("Texda", names), Some("texada"));
        assert_eq!(near("json", names), Some("jsonl"));
        assert_eq!(near("csvv", names), Some("csv"));
        assert_eq!(near("parquet", names), None);
        assert_eq!(near("", names), None);
    }
}
