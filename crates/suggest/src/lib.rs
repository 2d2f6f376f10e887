//! "Did you mean …?": the known name that a mistyped one probably stands for.
//!
//! One threshold serves file formats, options, labels, methods and classes: a third of a name's characters
//! may be wrong, as in the Rust compiler's own suggestions. Fewer would miss a slip in short names such as
//! `csvv` for `csv`; more would suggest names that merely share a syllable. Of a name with one or two
//! characters nothing may be wrong but its case, because `S1` is not meant to be `S0`. A slip is a character
//! added, left out or changed, or two neighbors swapped; the wrong case is none.
//!
//! Of a qualified name such as `java.util.HashSte`, only the last part counts toward the threshold. All of
//! `java.util` is alike in a third of its characters.

/// The candidate most like `word`, the first of several; `None` when none is likely to be meant.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    candidates
        .into_iter()
        .filter_map(|candidate| Some((slips(word, candidate)?, candidate)))
        // Of names that differ in case only, the one with fewer changes of case.
        .min_by_key(|&(slips, candidate)| (slips, strsim::osa_distance(word, candidate)))
        .map(|(_, candidate)| candidate)
}

/// The number of slips that turn `candidate` into `word`; `None` when they are too many to be an accident.
pub fn slips(word: &str, candidate: &str) -> Option<usize> {
    let (length, candidate_length) = (word.chars().count(), candidate.chars().count());
    let last_part = word.rsplit(['.', '/', '$']).next().unwrap_or(word).chars().count();
    let allowed = last_part / 3;
    // Comparing takes time in the product of the lengths, so names that cannot be alike are not compared.
    if length.max(candidate_length) > LONGEST || length.abs_diff(candidate_length) > allowed {
        return None;
    }
    let slips = distance(word, candidate);
    (slips <= allowed && !word.is_empty()).then_some(slips)
}

/// The number of slips between two names, however many.
pub fn distance(one: &str, other: &str) -> usize {
    strsim::osa_distance(&one.to_lowercase(), &other.to_lowercase())
}

/// Nobody mistypes a longer name: it was pasted.
const LONGEST: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, candidates: &[&str], expected: Option<&str>) {
        assert_eq!(nearest(word, candidates.iter().copied()), expected, "{word}");
    }

    #[test]
    fn slips_find_their_name() {
        let formats = ["lines", "texada", "regex", "csv", "jsonl"];
        check("Texda", &formats, Some("texada"));
        check("json", &formats, Some("jsonl"));
        check("csvv", &formats, Some("csv"));
        check("Initail", &["states", "edges", "initial"], Some("initial"));
        check("opne", &["close", "open"], Some("open"));
        check("nf", &["AF", "NF"], Some("NF"));
        check("java.util.HashSte", &["java.util.TreeSet", "java.util.HashSet"], Some("java.util.HashSet"));
    }

    #[test]
    fn other_names_find_nothing() {
        check("parquet", &["lines", "texada", "regex", "csv", "jsonl"], None);
        check("transitions", &["states", "edges", "initial"], None);
        check("java.util.Set", &["java.util.Map", "java.util.List"], None);
        check("y", &["x"], None);
        check("S1", &["S0"], None);
        check("", &["x", ""], None);
        check(&"a".repeat(300), &[&"a".repeat(301)], None);
    }

    #[test]
    fn case_decides_between_equals() {
        check("Close", &["CLOSE", "close"], Some("close"));
        check("ADD", &["add", "Add"], Some("Add"));
    }
}
