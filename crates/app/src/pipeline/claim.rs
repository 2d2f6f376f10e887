//! Step 3: claim. Properties are mined from all stored words, those of earlier rounds included.

use std::collections::{BTreeMap, BTreeSet};

use adit_attack::EventReader;
use adit_logic::{Fate, Property, Template};
use adit_mine::{PropertyMiner, Purity, Wanted};
use adit_trace::{Letter, WordSink};
use miette::Report;

use super::{AttackedProperties, Round};
use crate::campaign::Recorder;

impl<'a> Round<'a> {
    pub(super) fn claim(&mut self) -> Result<MinedProperties<'a>, Report> {
        let pure = self.labels(&self.pure);
        let purity = Purity::given(pure.iter().map(String::as_str));
        let mut miner = WordMiner::new(self.calls.reader, purity, self.request.attack.properties);
        let recorder = &mut self.workers.recorder;
        let mut all = miner.candidates(recorder)?;
        all.retain(|property| !recorder.refuted().contains_key(property));
        recorder.watch_properties(&all, &self.pure)?;
        let fates = vec![Fate::NotAttacked; all.len()];
        Ok(MinedProperties { miner, all, fates })
    }
}

/// The properties of a round, with their fates so far. Witnesses are positions in the round's tests.
pub(super) struct MinedProperties<'e> {
    miner: WordMiner<'e>,
    pub(super) all: Vec<Property<Letter>>,
    pub(super) fates: Vec<Fate<usize>>,
}

impl MinedProperties<'_> {
    /// Adds the properties that any test of any round refuted and whose fate says otherwise. `position` gives
    /// that of the test in the round.
    pub(super) fn refute(&mut self, refuted: impl IntoIterator<Item = (Property<Letter>, usize)>) {
        let positions: BTreeMap<Property<Letter>, usize> =
            self.all.iter().cloned().enumerate().map(|(at, property)| (property, at)).collect();
        for (property, test) in refuted {
            match positions.get(&property) {
                Some(&at) => self.fates[at] = Fate::Refuted(test),
                None => {
                    self.all.push(property);
                    self.fates.push(Fate::Refuted(test));
                }
            }
        }
    }

    /// Returns true unless the fate of a property is already that it was refuted.
    pub(super) fn is_open(&self) -> impl Fn(&Property<Letter>) -> bool {
        let judged = self.all.iter().zip(&self.fates).filter(|(_, fate)| fate.is_refuted());
        let refuted: BTreeSet<&Property<Letter>> = judged.map(|(property, _)| property).collect();
        move |property| !refuted.contains(property)
    }

    /// Reads the words that were stored since, and returns the properties that no word at all violates.
    pub(super) fn holding(
        &mut self,
        recorder: &mut Recorder<'_>,
    ) -> Result<BTreeSet<Property<Letter>>, Report> {
        Ok(self.miner.holding(recorder)?.into_iter().collect())
    }

    /// Number of words in which each event happens, without those that never do.
    pub(super) fn supports(&self) -> BTreeMap<Letter, u64> {
        self.miner.supports()
    }
}

/// Mines properties from the stored words. Each word is read once: later calls read only those that were
/// added.
struct WordMiner<'e> {
    reader: &'e EventReader,
    miner: PropertyMiner,
    wanted: AttackedProperties,
    occurrences: Vec<Occurrences>,
    words: u64,
    /// Number of the last word that was read.
    last: i64,
}

/// Words in which an event happens.
#[derive(Clone, Copy, Default)]
struct Occurrences {
    words: u64,
    /// The last of them, counted from one.
    last: u64,
}

impl<'e> WordMiner<'e> {
    fn new(reader: &'e EventReader, purity: Purity, wanted: AttackedProperties) -> Self {
        let occurrences = vec![Occurrences::default(); reader.alphabet().len()];
        Self { reader, miner: PropertyMiner::new(purity), wanted, occurrences, words: 0, last: 0 }
    }

    /// The properties to attack.
    fn candidates(&mut self, recorder: &mut Recorder<'_>) -> Result<Vec<Property<Letter>>, Report> {
        let min_confidence = match self.wanted {
            AttackedProperties::Held => 1.0,
            AttackedProperties::All => 0.0,
        };
        self.properties(recorder, min_confidence)
    }

    /// The properties that no word violates.
    fn holding(&mut self, recorder: &mut Recorder<'_>) -> Result<Vec<Property<Letter>>, Report> {
        self.properties(recorder, 1.0)
    }

    fn properties(
        &mut self,
        recorder: &mut Recorder<'_>,
        min_confidence: f64,
    ) -> Result<Vec<Property<Letter>>, Report> {
        let alphabet = self.reader.alphabet();
        let Self { miner, occurrences, words, .. } = self;
        self.last = recorder.each_word(self.last, |word| {
            *words += 1;
            for &letter in word {
                let seen = &mut occurrences[letter as usize];
                if std::mem::replace(&mut seen.last, *words) != *words {
                    seen.words += 1;
                }
            }
            miner.part(word, alphabet);
            miner.end(1);
        })?;
        let min_support = u64::from(self.wanted == AttackedProperties::Held);
        let wanted = Wanted { templates: Template::ALL.to_vec(), min_support, min_confidence };
        let mined = self.miner.clone().finish()?.mined(&wanted)?;
        let letter = |place: Letter| {
            alphabet.get(&mined.alphabet[place as usize]).expect("every mined label occurs in the words")
        };
        let properties = mined.properties.iter().map(|found| {
            let Property { template, a, b } = found.property;
            Property { template, a: letter(a), b: letter(b) }
        });
        Ok(properties.collect())
    }

    fn supports(&self) -> BTreeMap<Letter, u64> {
        let happening = (0..).zip(&self.occurrences).filter(|(_, seen)| seen.words > 0);
        happening.map(|(letter, seen)| (letter, seen.words)).collect()
    }
}
