//! Traces that stand alone against overwhelming evidence: the only one to break what hundreds of others
//! confirm.
//!
//! Paper: `dice`, section 3.2, for the templates and their support.
//! Deviation: our own. The paper trusts every trace, and demands confidence 1; so one impossible trace among
//! thousands (a reused object id, a race in the recorder) takes a true property away, and costs the model ten
//! points of F.
//! Cost: one pass to count, and one more over the words for each suspicious property.
//!
//! Only NF and AP are asked: they speak about a whole trace, so breaking one is remarkable, while rare calls
//! are often seen beside each other only once. This is a judgment, not a proof: whoever drops such traces
//! must report which, and why.

use adit_logic::{Property, Template};
use adit_trace::{Letter, Words};

use crate::{MineError, PropertyCounts, Purity, Wanted};

/// The evidence that outweighs a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// The least number of times that a property must have been confirmed.
    pub min_support: u64,
    /// The largest share of its chances that may have broken it.
    pub max_broken: f64,
}

impl Evidence {
    /// Evidence that outweighs a single trace. Chosen on the traces of eleven JDK classes, where it finds the
    /// impossible ones and no others; see `docs/decisions/0003-impossible-traces.md`.
    pub const OVERWHELMING: Self = Self { min_support: 400, max_broken: 0.005 };
}

/// A word that alone breaks a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoneTrace {
    /// The index of the word in [`Words::words`].
    pub word: usize,
    /// The property that it alone breaks; the best supported one when there are several.
    pub property: Property<String>,
    /// The number of times that the property was confirmed.
    pub support: u64,
    /// The number of chances to break it.
    pub chances: u64,
}

/// Finds the words that alone break a property which the rest confirms as strongly as `evidence` asks, in the
/// order of [`Words::words`].
pub fn lone_traces(words: &Words, evidence: Evidence) -> Result<Vec<LoneTrace>, MineError> {
    let mined = PropertyCounts::of(words, Purity::Unknown)?.mined(&Wanted {
        templates: vec![Template::NeverFollowed, Template::AlwaysPreceded],
        min_support: evidence.min_support.max(1),
        min_confidence: 1.0 - evidence.max_broken,
    })?;
    let mut lone: Vec<LoneTrace> = Vec::new();
    // An event that is rare itself is not missing after others; only a common one can be conspicuous by its
    // absence.
    let common = |letter: Letter| mined.occurrences[letter as usize] >= evidence.min_support;
    for rule in mined.properties.iter().filter(|rule| rule.support < rule.chances && common(rule.property.b))
    {
        let property = mined.named(&rule.property);
        let letter = |label: &str| words.alphabet.get(label);
        let (Some(a), Some(b)) = (letter(&property.a), letter(&property.b)) else { continue };
        let mut breaking =
            words.words.iter().enumerate().filter(|(_, word)| breaks(property.template, a, b, &word.letters));
        let (Some((word, _)), None) = (breaking.next(), breaking.next()) else { continue };
        let found = LoneTrace { word, property, support: rule.support, chances: rule.chances };
        match lone.iter_mut().find(|other| other.word == word) {
            Some(other) if other.support < found.support => *other = found,
            Some(_) => {}
            None => lone.push(found),
        }
    }
    lone.sort_by_key(|lone| lone.word);
    Ok(lone)
}

/// Returns whether a word breaks NF(a, b) or AP(a, b).
fn breaks(template: Template, a: Letter, b: Letter, word: &[Letter]) -> bool {
    let first = |letter| word.iter().position(|&other| other == letter);
    let last = |letter| word.iter().rposition(|&other| other == letter);
    match template {
        Template::NeverFollowed => first(a).is_some_and(|a| last(b).is_some_and(|b| a < b)),
        _ => first(a).is_some_and(|a| first(b).is_none_or(|b| a <= b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(lines: &[(&str, u64)]) -> Words {
        let mut words = Words::new();
        for (line, weight) in lines {
            words.add(line.split_whitespace(), *weight);
        }
        words
    }

    fn found(words: &Words, min_support: u64) -> Vec<String> {
        let lone = lone_traces(words, Evidence { min_support, max_broken: 0.005 }).unwrap();
        let show = |lone: &LoneTrace| {
            let word: Vec<_> = words.labels(&words.words[lone.word]).collect();
            format!("{} breaks {} ({} of {})", word.join(" "), lone.property, lone.support, lone.chances)
        };
        lone.iter().map(show).collect()
    }

    #[test]
    fn one_trace_against_hundreds_is_named() {
        let words = words(&[("open write close", 500), ("open close write", 2), ("open close", 300)]);
        assert_eq!(found(&words, 400), ["open close write breaks NF(close, write) (800 of 802)"]);
        assert!(found(&words, 900).is_empty(), "eight hundred confirmations are not nine hundred");
    }

    #[test]
    fn what_is_not_preceded_as_always_is_named() {
        let words = words(&[("open close isClosed", 600), ("open isClosed", 1)]);
        assert_eq!(found(&words, 400), ["open isClosed breaks AP(isClosed, close) (600 of 601)"]);
    }

    #[test]
    fn two_different_traces_confirm_each_other() {
        let words = words(&[("open close", 900), ("open close write", 1), ("open close write write", 1)]);
        assert!(found(&words, 400).is_empty());
    }

    #[test]
    fn the_only_trace_with_a_rare_event_is_kept() {
        let words = words(&[("open close", 900), ("open reset close", 1)]);
        assert!(found(&words, 400).is_empty());
    }

    #[test]
    fn a_trace_seen_often_is_no_accident() {
        let words = words(&[("open close", 900), ("open close write", 50)]);
        assert!(found(&words, 400).is_empty());
    }
}
