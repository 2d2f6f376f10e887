//! The counts behind the six templates, adding them up, and reading off the properties that qualify.
//!
//! Paper: `dice`, section 3.2: support is how often a property could be falsified and was not, confidence its
//! ratio to how often it could be falsified, or one if it never could.
//! Deviation: none.
//! Cost: reading off takes the number of pairs that occur together plus the number of properties reported.

use adit_logic::{Property, Template};
use adit_trace::{Alphabet, Letter};

use crate::MineError;
use crate::matrix::Matrix;

/// At most this many pairs are stored one by one, which takes about a quarter of a gigabyte.
pub(crate) const MAX_PAIRS: usize = 7 << 20;

/// At most this many properties are reported: a third of a gigabyte, and far beyond what is of use.
const MAX_PROPERTIES: usize = 1 << 23;

/// The properties to report. There is no default: only the caller knows how much a trace weighs.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Of these templates.
    pub templates: Vec<Template>,
    /// Not broken at least this often. The paper takes 1.
    pub min_support: u64,
    /// Not broken in at least this fraction of their chances. The paper takes 1.
    pub min_confidence: f64,
}

/// A property and how well the traces bear it out.
#[derive(Clone, Debug, PartialEq)]
pub struct MinedProperty {
    /// The property. Its letters are places in [`Mined::alphabet`].
    pub property: Property<Letter>,
    /// The number of chances to break it that did not.
    pub support: u64,
    /// The number of chances to break it.
    pub chances: u64,
    /// Support divided by chances.
    pub confidence: f64,
}

/// The result of mining a log. It depends on the log's traces only, not on their order nor on the numbering
/// of letters.
#[derive(Clone, Debug, PartialEq)]
pub struct Mined {
    /// The number of traces.
    pub traces: u64,
    /// The number of their events.
    pub events: u64,
    /// The labels that occurred, sorted.
    pub alphabet: Vec<String>,
    /// The number of occurrences of each label.
    pub occurrences: Vec<u64>,
    /// The properties that qualified, sorted by template, then `a`, then `b`.
    pub properties: Vec<MinedProperty>,
}

impl Mined {
    /// `property` with labels in place of letters.
    pub fn named(&self, property: &Property<Letter>) -> Property<String> {
        Property {
            template: property.template,
            a: self.alphabet[property.a as usize].clone(),
            b: self.alphabet[property.b as usize].clone(),
        }
    }
}

/// Support as a fraction of chances; one when there are none. It is one only if every chance was survived,
/// however many there are.
pub fn confidence(support: u64, chances: u64) -> f64 {
    if support >= chances { 1.0 } else { (support as f64 / chances as f64).min(1.0 - f64::EPSILON) }
}

/// Counts of how each pair of letters met.
#[derive(Clone, Debug)]
pub struct PropertyCounts {
    pub(crate) traces: u64,
    pub(crate) events: u64,
    pub(crate) alphabet: Alphabet,
    /// Occurrences of each letter.
    pub(crate) chances: Vec<u64>,
    /// Occurrences of the column with the row at some later time.
    pub(crate) followed: Matrix,
    /// Occurrences of the column with the row at some earlier time.
    pub(crate) preceded: Matrix,
    /// Occurrences of the column with the row after it and only pure events between.
    pub(crate) next: Matrix,
    /// Occurrences of the row with the column before it and only pure events between.
    pub(crate) previous: Matrix,
}

impl PropertyCounts {
    pub(crate) fn new() -> Self {
        Self {
            traces: 0,
            events: 0,
            alphabet: Alphabet::new(),
            chances: Vec::new(),
            followed: Matrix::new(),
            preceded: Matrix::new(),
            next: Matrix::new(),
            previous: Matrix::new(),
        }
    }

    /// Makes room for letters below `letters`.
    pub(crate) fn grow(&mut self, letters: usize) {
        self.chances.resize(letters.max(self.chances.len()), 0);
        for matrix in self.matrices_mut() {
            matrix.grow(letters);
        }
    }

    /// Counts `weight` traces of a length. No other count exceeds that of the events, so this is the one
    /// place where a count can overflow.
    pub(crate) fn count_trace(&mut self, length: u64, weight: u64) -> Result<(), MineError> {
        let sums = length
            .checked_mul(weight)
            .and_then(|events| Some((self.traces.checked_add(weight)?, self.events.checked_add(events)?)));
        (self.traces, self.events) = sums.ok_or(MineError::TooManyEvents)?;
        Ok(())
    }

    /// The reason to stop if there are too many pairs, or if a word with this many distinct letters must make
    /// them too many: of any two, one follows the other and one precedes the other.
    pub(crate) fn refuse_pairs(&self, distinct: usize) -> Option<MineError> {
        let stored: usize = self.matrices().iter().map(|matrix| matrix.stored_pairs()).sum();
        let dense = matches!(self.followed, Matrix::Dense { .. });
        let too_many =
            !dense && (stored > MAX_PAIRS || distinct.saturating_mul(distinct.saturating_sub(1)) > MAX_PAIRS);
        too_many.then_some(MineError::TooManyPairs { labels: self.chances.len(), limit: MAX_PAIRS })
    }

    /// Adds the counts of one word, over the same letters, `weight` times.
    pub(crate) fn add_word(&mut self, word: &Self, weight: u64) -> Result<(), MineError> {
        self.count_trace(word.events, weight)?;
        self.add(word, weight, |letter| letter);
        self.refuse_pairs(0).map_or(Ok(()), Err)
    }

    /// Adds what was counted elsewhere, as if one miner had seen both. Letters are matched by their labels.
    pub fn merge(mut self, other: &Self) -> Result<Self, MineError> {
        let sums = (self.traces.checked_add(other.traces), self.events.checked_add(other.events));
        let (Some(traces), Some(events)) = sums else { return Err(MineError::TooManyEvents) };
        (self.traces, self.events) = (traces, events);
        let letters: Vec<Letter> = other.alphabet.names().map(|label| self.alphabet.intern(label)).collect();
        self.grow(self.alphabet.len());
        self.add(other, 1, |letter| letters[letter as usize]);
        self.refuse_pairs(0).map_or(Ok(self), Err)
    }

    fn add(&mut self, other: &Self, weight: u64, letter: impl Fn(Letter) -> Letter) {
        for (theirs, &chances) in (0..).zip(&other.chances) {
            self.chances[letter(theirs) as usize] += chances * weight;
        }
        for (ours, theirs) in self.matrices_mut().into_iter().zip(other.matrices()) {
            for (row, column, n) in theirs.entries() {
                ours.add(letter(row), letter(column), n * weight);
            }
        }
    }

    /// The properties that qualify.
    pub fn mined(&self, wanted: &Wanted) -> Result<Mined, MineError> {
        let mut occurring: Vec<Letter> = (0..self.chances.len() as Letter).collect();
        occurring.retain(|&letter| self.chances[letter as usize] > 0);
        occurring.sort_unstable_by_key(|&letter| self.alphabet.name(letter));
        let mut properties = Vec::new();
        for template in Template::ALL.into_iter().filter(|template| wanted.templates.contains(template)) {
            self.read_off(template, &occurring, wanted, &mut properties)?;
        }
        let alphabet = occurring.iter().map(|&letter| self.alphabet.name(letter).to_owned()).collect();
        let occurrences = occurring.iter().map(|&letter| self.chances[letter as usize]).collect();
        Ok(Mined { traces: self.traces, events: self.events, alphabet, occurrences, properties })
    }

    /// The qualifying properties of one template. `occurring` are the letters in the order of their labels.
    fn read_off(
        &self,
        template: Template,
        occurring: &[Letter],
        wanted: &Wanted,
        properties: &mut Vec<MinedProperty>,
    ) -> Result<(), MineError> {
        // Nothing qualifies. Below, every negative property without a hit does.
        if wanted.min_confidence.is_nan() || wanted.min_confidence > 1.0 {
            return Ok(());
        }
        let (matrix, a_is_row, negative) = match template {
            Template::AlwaysFollowed => (&self.followed, false, false),
            Template::NeverFollowed => (&self.followed, false, true),
            Template::AlwaysPreceded => (&self.preceded, false, false),
            Template::AlwaysImmediatelyFollowed => (&self.next, false, false),
            Template::NeverImmediatelyFollowed => (&self.next, false, true),
            Template::AlwaysImmediatelyPreceded => (&self.previous, true, false),
        };
        let mut place = vec![0; self.chances.len()];
        for (rank, &letter) in (0..).zip(occurring) {
            place[letter as usize] = rank;
        }
        let mut report = |a: Letter, b: Letter, hits: u64| {
            let chances = self.chances[occurring[a as usize] as usize];
            let support = if negative { chances - hits } else { hits };
            let confidence = confidence(support, chances);
            if support < wanted.min_support || confidence < wanted.min_confidence {
                return Ok(());
            }
            if properties.len() == MAX_PROPERTIES {
                return Err(MineError::TooManyProperties { limit: MAX_PROPERTIES });
            }
            let property = Property { template, a, b };
            properties.push(MinedProperty { property, support, chances, confidence });
            Ok(())
        };
        // A positive property without a single hit qualifies only if anything does, so the hits are enough to
        // look at. With a negative one it is the other way round: whatever has no hit qualifies, and is
        // reported.
        if !negative && (wanted.min_support > 0 || wanted.min_confidence > 0.0) {
            let mut hits: Vec<(Letter, Letter, u64)> = matrix
                .entries()
                .map(|(row, column, n)| if a_is_row { (row, column, n) } else { (column, row, n) })
                .map(|(a, b, n)| (place[a as usize], place[b as usize], n))
                .collect();
            hits.sort_unstable();
            return hits.into_iter().try_for_each(|(a, b, n)| report(a, b, n));
        }
        for (a, &letter_a) in (0..).zip(occurring) {
            if self.chances[letter_a as usize] < wanted.min_support {
                continue;
            }
            for (b, &letter_b) in (0..).zip(occurring) {
                let hits =
                    if a_is_row { matrix.get(letter_a, letter_b) } else { matrix.get(letter_b, letter_a) };
                report(a, b, hits)?;
            }
        }
        Ok(())
    }

    pub(crate) fn matrices(&self) -> [&Matrix; 4] {
        [&self.followed, &self.preceded, &self.next, &self.previous]
    }

    pub(crate) fn matrices_mut(&mut self) -> [&mut Matrix; 4] {
        [&mut self.followed, &mut self.preceded, &mut self.next, &mut self.previous]
    }
}
