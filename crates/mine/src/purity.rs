//! Calls that change nothing, and may therefore stand between two calls that still count as neighbors.
//!
//! Paper: `dice`, section 3.2: the names `is…` and `has…`, or a developer's own annotation.
//! Deviation: the prefix must end a word, so `hashCode` is not pure.

use std::collections::BTreeSet;

use adit_trace::{Alphabet, Label, Letter, pure_by_name};

/// The evidence that an event has no side effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purity {
    /// The name of its method says so: `isEmpty`, `hasNext`.
    ByName,
    /// A list says so. A name in it is a whole label (`add:FALSE`) or a method (`size`, `remove(int)`), which
    /// stands for all its outcomes, or with overloads a method's name, which stands for all of them.
    Given(BTreeSet<String>),
    /// It is not known: every event may have an effect, and "immediately" means the very next event.
    Unknown,
}

impl Purity {
    /// The events with these labels or methods are pure, and no others.
    pub fn given<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Given(names.into_iter().map(str::to_owned).collect())
    }

    /// Returns whether an event with this label changes nothing.
    pub fn is_pure(&self, label: &str) -> bool {
        match self {
            Self::ByName => pure_by_name(label),
            Self::Given(names) => {
                let parts = Label::parse(label);
                [label, parts.method(), parts.name()].iter().any(|&name| names.contains(name))
            }
            Self::Unknown => false,
        }
    }

    /// The letters of `alphabet` that change nothing.
    pub fn pure_letters(&self, alphabet: &Alphabet) -> BTreeSet<Letter> {
        (0..)
            .zip(alphabet.names())
            .filter(|(_, label)| self.is_pure(label))
            .map(|(letter, _)| letter)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_method_covers_its_outcomes_and_a_given_label_only_itself() {
        let labels = ["size", "size!Closed", "add:TRUE", "add:FALSE", "isEmpty:TRUE"];
        let pure =
            |purity: &Purity| labels.into_iter().filter(|label| purity.is_pure(label)).collect::<Vec<_>>();
        assert_eq!(pure(&Purity::given(["size", "add:FALSE"])), ["size", "size!Closed", "add:FALSE"]);
        assert_eq!(pure(&Purity::ByName), ["isEmpty:TRUE"]);
        assert!(pure(&Purity::Unknown).is_empty());
    }

    #[test]
    fn a_given_name_covers_its_overloads() {
        let is_pure = |given: &str, label| Purity::given([given]).is_pure(label);
        assert!(is_pure("get", "get(int)") && is_pure("get", "get(String):TRUE"));
        assert!(is_pure("get(int)", "get(int)!IOException") && !is_pure("get(int)", "get(String)"));
        assert!(!is_pure("get", "getAll(int)"));
    }
}
