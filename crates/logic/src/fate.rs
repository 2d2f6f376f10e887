//! The fate of a property: refuted, survived an attack, or not attacked.
//!
//! Searches, the store, JSON files and the report page share this one type. They differ in what refutes a
//! property: a test by its position in a list, its number in a campaign, or its name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Outcome of attacking a property. `W` identifies the witness that refutes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Fate<W> {
    /// A witness violates the property.
    Refuted(W),
    /// A search aimed at the property and found no witness.
    Survived {
        /// Generations of the search that aimed at it.
        attacked: u64,
        /// The search gave up on it before its budget ended.
        abandoned: bool,
    },
    /// No search aimed at the property: it holds in every recorded trace, and nothing more is known.
    NotAttacked,
}

impl<W> Fate<W> {
    /// Names of the fates in JSON, on the page and in the store, in the order in which people read them.
    pub const NAMES: [&'static str; 3] = ["survived", "not_attacked", "refuted"];

    /// Stable name of the fate, one of [`Fate::NAMES`].
    pub fn name(&self) -> &'static str {
        match self {
            Self::Refuted(_) => "refuted",
            Self::Survived { .. } => "survived",
            Self::NotAttacked => "not_attacked",
        }
    }

    /// Returns true if a witness violates the property.
    pub fn is_refuted(&self) -> bool {
        matches!(self, Self::Refuted(_))
    }

    /// Returns the witness of a refuted property.
    pub fn witness(&self) -> Option<&W> {
        match self {
            Self::Refuted(witness) => Some(witness),
            _ => None,
        }
    }

    /// Returns the same fate with another kind of witness.
    pub fn map<V>(self, name: impl FnOnce(W) -> V) -> Fate<V> {
        match self {
            Self::Refuted(witness) => Fate::Refuted(name(witness)),
            Self::Survived { attacked, abandoned } => Fate::Survived { attacked, abandoned },
            Self::NotAttacked => Fate::NotAttacked,
        }
    }

    /// Returns the fate over two rounds, of which `self` is the later: attacks add up, and what was attacked
    /// once stays attacked.
    ///
    /// A refutation is never undone, so `earlier` must not be one unless `self` is.
    #[must_use]
    pub fn after<V>(self, earlier: &Fate<V>) -> Self {
        match (self, earlier) {
            (Self::Survived { attacked, abandoned }, Fate::Survived { attacked: before, .. }) => {
                Self::Survived { attacked: attacked.saturating_add(*before), abandoned }
            }
            (Self::NotAttacked, Fate::Survived { attacked, abandoned }) => {
                Self::Survived { attacked: *attacked, abandoned: *abandoned }
            }
            (fate, _) => fate,
        }
    }
}

/// Number of properties with each fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FateCounts {
    /// All properties.
    pub mined: u64,
    /// Properties that a witness violates.
    pub refuted: u64,
    /// Properties that were attacked and not refuted.
    pub survived: u64,
    /// Properties that no search aimed at.
    pub not_attacked: u64,
}

impl FateCounts {
    /// Counts fates.
    pub fn of<'f, W: 'f>(fates: impl IntoIterator<Item = &'f Fate<W>>) -> Self {
        let mut counts = Self::default();
        for fate in fates {
            counts.mined += 1;
            match fate {
                Fate::Refuted(_) => counts.refuted += 1,
                Fate::Survived { .. } => counts.survived += 1,
                Fate::NotAttacked => counts.not_attacked += 1,
            }
        }
        counts
    }
}

impl fmt::Display for FateCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mined, refuted, survived, not_attacked } = self;
        let noun = if *mined == 1 { "property" } else { "properties" };
        write!(f, "{mined} {noun}: {refuted} refuted, {survived} survived, {not_attacked} not attacked")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURVIVED: Fate<u8> = Fate::Survived { attacked: 3, abandoned: false };

    #[test]
    fn the_three_fates_are_counted_apart() {
        let counts = FateCounts::of(&[Fate::Refuted(1), SURVIVED, SURVIVED, Fate::NotAttacked]);
        assert_eq!(counts.to_string(), "4 properties: 1 refuted, 2 survived, 1 not attacked");
    }

    #[test]
    fn names_are_those_of_the_variants() {
        let names = [SURVIVED, Fate::NotAttacked, Fate::Refuted(1)].map(|fate| fate.name());
        assert_eq!(names, Fate::<u8>::NAMES);
    }

    #[test]
    fn attacks_of_rounds_add_up() {
        assert_eq!(SURVIVED.after(&SURVIVED), Fate::Survived { attacked: 6, abandoned: false });
        assert_eq!(Fate::NotAttacked.after(&SURVIVED), SURVIVED);
        assert_eq!(SURVIVED.after(&Fate::<u8>::NotAttacked), SURVIVED);
        assert_eq!(Fate::Refuted(7).after(&SURVIVED), Fate::Refuted(7));
    }
}
