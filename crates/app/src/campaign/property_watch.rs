//! The watch over properties: every word that a run shows is checked against the properties that still hold.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};

use adit_attack::fitness::Profile;
use adit_logic::Property;
use adit_trace::Letter;

/// Capacity of the memory of words that were checked; it is cleared when full.
const CHECKED_WORDS: usize = 1 << 20;

/// The properties that no word has refuted yet.
#[derive(Default)]
pub(super) struct PropertyWatch {
    /// By the event that they are about: a word without it refutes nothing.
    by_event: BTreeMap<Letter, Vec<Property<Letter>>>,
    pure: BTreeSet<Letter>,
    /// Hashes of words that were checked against all of them.
    checked: HashSet<u64>,
    hasher: RandomState,
}

impl PropertyWatch {
    /// Watches these properties. Events of `pure` have no side effect.
    pub(super) fn new(
        properties: impl IntoIterator<Item = Property<Letter>>,
        pure: &BTreeSet<Letter>,
    ) -> Self {
        let mut watch = Self { pure: pure.clone(), ..Self::default() };
        for property in properties {
            watch.by_event.entry(property.a).or_default().push(property);
        }
        watch
    }

    /// Returns true if there is nothing to watch.
    pub(super) fn is_empty(&self) -> bool {
        self.by_event.is_empty()
    }

    /// Returns the properties that this word refutes, and watches them no longer.
    pub(super) fn newly_refuted(&mut self, word: &[Letter]) -> Vec<Property<Letter>> {
        if self.is_empty() {
            return Vec::new();
        }
        if self.checked.len() >= CHECKED_WORDS {
            self.checked.clear();
        }
        if !self.checked.insert(self.hasher.hash_one(word)) {
            return Vec::new();
        }
        let profile = Profile::of(word, &self.pure);
        let mut refuted = Vec::new();
        for letter in word.iter().copied().collect::<BTreeSet<_>>() {
            if let Some(properties) = self.by_event.get_mut(&letter) {
                refuted.extend(properties.extract_if(.., |property| profile.cost(property) == 0.0));
                // Without properties, words need no check.
                if properties.is_empty() {
                    self.by_event.remove(&letter);
                }
            }
        }
        refuted
    }
}

#[cfg(test)]
mod tests {
    use adit_logic::Template;

    use super::*;

    #[test]
    fn a_property_is_refuted_once() {
        let property = |template, a, b| Property { template, a, b };
        let never = property(Template::NeverFollowed, 0, 1);
        let always = property(Template::AlwaysPreceded, 1, 2);
        let immediately = property(Template::AlwaysImmediatelyFollowed, 0, 1);
        let all = [never.clone(), always.clone(), immediately.clone()];
        let mut watch = PropertyWatch::new(all, &BTreeSet::from([3]));
        assert_eq!(watch.newly_refuted(&[2, 3]), []);
        // With a call of no effect between them, it is still immediately.
        assert_eq!(watch.newly_refuted(&[2, 0, 3, 1]), [never]);
        assert_eq!(watch.newly_refuted(&[2, 0, 3, 1]), []);
        assert_eq!(watch.newly_refuted(&[0, 0, 1]), [immediately, always]);
        assert_eq!(watch.newly_refuted(&[0, 0, 1, 1]), []);
    }
}
