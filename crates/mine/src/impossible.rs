//! Traces that should not be believed, each with the reason in plain words.
//!
//! Paper: `dice`, section 3.2, demands that a property is never falsified, which makes one wrong trace
//! expensive.
//! Deviation: our own. The paper keeps every trace; here those that contradict themselves are found, and then
//! those that stand alone against what hundreds of others confirm ([`crate::lone_traces`]).
//! Cost: a few passes over the distinct words.

use std::collections::BTreeSet;

use adit_logic::sentence;
use adit_trace::{Words, contradictions, pure_by_name};

use crate::{Evidence, MineError, Purity, lone_traces};

/// A trace that should not be believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The index of the word in [`Words::words`].
    pub word: usize,
    /// The number of traces that read like this.
    pub weight: u64,
    /// The contradiction, as half a sentence.
    pub why: String,
}

/// Finds the traces that contradict themselves, and among the others those that stand alone against
/// `evidence`; in the order of [`Words::words`].
///
/// Only methods named `is…` and `has…` are taken to ask the same question at every call: a trace does not
/// tell arguments, and `contains` may be asked about two different elements.
pub fn impossible_traces(
    words: &Words,
    purity: &Purity,
    evidence: Evidence,
) -> Result<Vec<Impossible>, MineError> {
    let mut found: Vec<Impossible> = contradictions::find(words, pure_by_name, |label| purity.is_pure(label))
        .into_iter()
        .map(|one| Impossible {
            word: one.word,
            weight: one.weight,
            why: format!(
                "`{}` at event {} and `{}` at event {}, and nothing between them changes the object",
                one.labels.0,
                one.first + 1,
                one.labels.1,
                one.second + 1
            ),
        })
        .collect();
    let dropped: BTreeSet<usize> = found.iter().map(|one| one.word).collect();
    let kept: Vec<usize> = (0..words.words.len()).filter(|index| !dropped.contains(index)).collect();
    for lone in lone_traces(&words.without(&dropped), evidence)? {
        let word = kept[lone.word];
        found.push(Impossible {
            word,
            weight: words.words[word].weight,
            why: format!(
                "it alone violates the property \u{201c}{}\u{201d}, which held {} of {} times",
                sentence(&lone.property),
                lone.support,
                lone.chances
            ),
        });
    }
    found.sort_by_key(|one| one.word);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_told_with_its_reason() {
        let mut words = Words::new();
        words.add(["new", "isEmpty:TRUE", "isEmpty:FALSE"], 1);
        words.add(["new", "put", "close"], 500);
        words.add(["new", "close", "put"], 1);
        words.add(["new", "contains:TRUE", "contains:FALSE"], 1);
        let purity = Purity::given(["isEmpty", "contains"]);
        let evidence = Evidence { min_support: 400, max_broken: 0.005 };
        let found = impossible_traces(&words, &purity, evidence).unwrap();
        let told: Vec<(usize, &str)> = found.iter().map(|one| (one.word, one.why.as_str())).collect();
        assert_eq!(
            told,
            [
                (
                    0,
                    "`isEmpty:TRUE` at event 2 and `isEmpty:FALSE` at event 3, and nothing between them changes the object"
                ),
                (
                    2,
                    "it alone violates the property \u{201c}after `close`, `put` never happens\u{201d}, which held 500 of 501 times"
                ),
            ]
        );
    }
}
