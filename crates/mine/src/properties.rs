//! Mining two-event properties: count, in one pass, how often each could have been broken and was not.
//!
//! Paper: `dice`, section 3.2.
//! Deviation: NIF(a, b) means no `b` among the events after `a` up to and including the next one with a side
//! effect; the paper's formula holds as soon as the next event is not `b`. AIF demands the next event, which
//! its first formula forgets. AP and AIP are about every `a`; the paper's formulas bind the first only.
//! Properties with `a = b` are mined.
//! Cost: `O(n + k²)` for a trace of `n` events with `k` distinct letters, and for AIF, NIF and AIP, for each
//! event, the number of distinct letters since the last one with a side effect. Memory does not grow with the
//! traces' length.
//!
//! Every occurrence of `a` is one chance to break a property of `a`. So AF and NF need one number for a pair,
//! the occurrences of `a` with a `b` later: AF is supported by these and NF by all others. AIF and NIF share
//! a number likewise. A pair that never meets in a trace has the number zero, and costs nothing.
//!
//! Counting goes from the end of a trace to its start. At the last `b`, what is left of each `a` was followed
//! by `b`; at the first `b`, what is gone of each `a` was preceded by it. So only two events per letter look
//! at other letters.

use adit_logic::{Property, Template};
use adit_trace::{Alphabet, Letter, WordSink, Words};

use crate::tally::PropertyCounts;
use crate::window::Window;
use crate::{MineError, Purity, Wanted};

/// Counts the six templates over the words it receives.
///
/// ```
/// use adit_logic::Template;
/// use adit_mine::{PropertyMiner, Purity, Wanted};
/// use adit_trace::{Alphabet, WordSink};
///
/// let mut alphabet = Alphabet::new();
/// let word = ["open", "read", "read", "close"].map(|label| alphabet.intern(label));
/// let mut miner = PropertyMiner::new(Purity::ByName);
/// miner.part(&word, &alphabet);
/// miner.end(1);
///
/// let wanted = Wanted { templates: vec![Template::NeverFollowed], min_support: 2, min_confidence: 1.0 };
/// let mined = miner.finish()?.mined(&wanted)?;
/// let rules: Vec<_> = mined.properties.iter().map(|rule| mined.named(&rule.property).to_string()).collect();
/// assert_eq!(rules, ["NF(read, open)"]);
/// # Ok::<(), adit_mine::MineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PropertyMiner {
    purity: Purity,
    pure: Vec<bool>,
    counts: PropertyCounts,
    /// The current word so far, or what has come of it since the last part that went to `long`.
    word: Vec<Letter>,
    long: Option<Box<LongWord>>,
    window: Window,
    sweep: Sweep,
    /// Words up to this length are counted whole; it is [`PART`] outside tests.
    part_length: usize,
    /// The limit that ended counting, if one did.
    refused: Option<MineError>,
}

/// The properties of these templates that `words` never break and confirm at least once, in the letters of
/// `words`.
pub fn holding(
    words: &Words,
    purity: &Purity,
    templates: &[Template],
) -> Result<Vec<Property<Letter>>, MineError> {
    let wanted = Wanted { templates: templates.to_vec(), min_support: 1, min_confidence: 1.0 };
    properties_of(words, purity, &wanted)
}

/// The properties that are wanted, in the letters of `words`.
pub fn properties_of(
    words: &Words,
    purity: &Purity,
    wanted: &Wanted,
) -> Result<Vec<Property<Letter>>, MineError> {
    let mined = PropertyCounts::of(words, purity.clone())?.mined(wanted)?;
    // The miner numbers labels in their own order, the words in order of appearance.
    let letter = |place: Letter| {
        words.alphabet.get(&mined.alphabet[place as usize]).expect("every mined label occurs in the words")
    };
    let properties = mined.properties.iter().map(|mined| &mined.property);
    Ok(properties
        .map(|property| Property {
            template: property.template,
            a: letter(property.a),
            b: letter(property.b),
        })
        .collect())
}

impl PropertyCounts {
    /// The counts of all `words`.
    pub fn of(words: &Words, purity: Purity) -> Result<Self, MineError> {
        let mut miner = PropertyMiner::new(purity);
        for word in &words.words {
            miner.part(&word.letters, &words.alphabet);
            miner.end(word.weight);
        }
        miner.finish()
    }
}

/// Words up to this length are kept until their end, when the weight is known: a megabyte of letters. Longer
/// ones are counted in parts of this length, each of which costs the square of its distinct letters.
const PART: usize = 1 << 18;

impl PropertyMiner {
    /// A miner that has seen nothing.
    pub fn new(purity: Purity) -> Self {
        Self {
            purity,
            pure: Vec::new(),
            counts: PropertyCounts::new(),
            word: Vec::new(),
            long: None,
            window: Window::default(),
            sweep: Sweep::default(),
            part_length: PART,
            refused: None,
        }
    }

    /// The counts. A word that was not ended is not part of them.
    pub fn finish(self) -> Result<PropertyCounts, MineError> {
        self.refused.map_or(Ok(self.counts), Err)
    }

    fn grow(&mut self, alphabet: &Alphabet) {
        for label in alphabet.names().skip(self.pure.len()) {
            self.pure.push(self.purity.is_pure(label));
            self.counts.alphabet.intern(label);
        }
        let letters = self.pure.len();
        self.counts.grow(letters);
        self.window.grow(letters);
        self.sweep.tally.resize(letters, Occurrences::default());
        if let Some(long) = &mut self.long {
            long.counts.grow(letters);
        }
    }

    /// Counts a part of a word that is too long to keep.
    fn count_part(&mut self, letters: &[Letter]) {
        let long = self.long.get_or_insert_with(|| {
            let mut long = Box::new(LongWord { seen: Vec::new(), counts: PropertyCounts::new() });
            long.counts.grow(self.pure.len());
            long
        });
        self.sweep.forward(letters);
        let LongWord { seen, counts } = &mut **long;
        seen.extend(self.sweep.seen.iter().filter(|&&letter| counts.chances[letter as usize] == 0));
        self.refused = counts.refuse_pairs(seen.len());
        if self.refused.is_some() {
            return;
        }
        self.window.pass(letters, &self.pure, 1, &mut counts.next, &mut counts.previous);
        let (followed, preceded, chances) = (&mut counts.followed, &mut counts.preceded, &mut counts.chances);
        for &b in seen.iter().filter(|&&b| chances[b as usize] > 0) {
            preceded.add_row(b, &self.sweep.seen, &self.sweep.tally, |a| a.total.into());
        }
        self.sweep.backward(
            letters,
            |b, seen_here, tally| {
                if chances[b as usize] == 0 {
                    preceded.add_row(b, seen_here, tally, Occurrences::gone);
                }
            },
            |b, _, tally| {
                followed.set_row(b, seen, |a| chances[a as usize] + u64::from(tally[a as usize].left));
            },
        );
        self.sweep.drain(|a, total| chances[a as usize] += total);
        counts.events += letters.len() as u64;
        self.refused = counts.refuse_pairs(seen.len());
    }

    /// Counts a whole word at once.
    fn count_word(&mut self, weight: u64) {
        let letters = self.word.as_slice();
        self.refused = self.counts.count_trace(letters.len() as u64, weight).err();
        if self.refused.is_some() {
            return;
        }
        self.sweep.forward(letters);
        self.refused = self.counts.refuse_pairs(self.sweep.seen.len());
        if self.refused.is_some() {
            return;
        }
        let counts = &mut self.counts;
        self.window.pass(letters, &self.pure, weight, &mut counts.next, &mut counts.previous);
        self.window.clear();
        let (followed, preceded) = (&mut counts.followed, &mut counts.preceded);
        self.sweep.backward(
            letters,
            |b, seen, tally| preceded.add_row(b, seen, tally, |a| weight * a.gone()),
            |b, seen, tally| followed.add_row(b, seen, tally, |a| weight * u64::from(a.left)),
        );
        self.sweep.drain(|a, total| counts.chances[a as usize] += weight * total);
    }
}

impl WordSink for PropertyMiner {
    fn part(&mut self, mut letters: &[Letter], alphabet: &Alphabet) {
        if self.refused.is_some() {
            return;
        }
        if alphabet.len() > self.pure.len() {
            self.grow(alphabet);
        }
        while self.word.len() + letters.len() > self.part_length {
            let (now, later) = letters.split_at(self.part_length - self.word.len());
            letters = later;
            let mut word = std::mem::take(&mut self.word);
            word.extend_from_slice(now);
            self.count_part(&word);
            word.clear();
            self.word = word;
            if self.refused.is_some() {
                return;
            }
        }
        self.word.extend_from_slice(letters);
    }

    fn end(&mut self, weight: u64) {
        if self.refused.is_some() {
            return;
        }
        if self.long.is_none() {
            self.count_word(weight);
        } else {
            let rest = std::mem::take(&mut self.word);
            self.count_part(&rest);
            self.word = rest;
            self.window.clear();
            if let (Some(long), None) = (self.long.take(), &self.refused) {
                self.refused = self.counts.add_word(&long.counts, weight).err();
            }
        }
        self.word.clear();
    }
}

/// The counters of a word that has been partly forgotten.
#[derive(Clone, Debug)]
struct LongWord {
    /// Its distinct letters.
    seen: Vec<Letter>,
    /// Its own counts, to be multiplied by its weight at the end.
    counts: PropertyCounts,
}

/// The occurrences of a letter in the part that is being counted.
#[derive(Clone, Copy, Debug, Default)]
struct Occurrences {
    total: u32,
    /// Those before the place that the way back has reached.
    left: u32,
}

impl Occurrences {
    fn gone(self) -> u64 {
        u64::from(self.total - self.left)
    }
}

/// The way through a part of a word and back. It keeps its memory, and touches only letters that occur.
#[derive(Clone, Debug, Default)]
struct Sweep {
    tally: Vec<Occurrences>,
    seen: Vec<Letter>,
}

impl Sweep {
    fn forward(&mut self, letters: &[Letter]) {
        for &letter in letters {
            let occurrences = &mut self.tally[letter as usize];
            if occurrences.total == 0 {
                self.seen.push(letter);
            }
            occurrences.total += 1;
            occurrences.left += 1;
        }
    }

    /// Calls `first` at the first occurrence of each letter, which then is not yet gone, and `last` at the
    /// last one, which then is not among those left: "later" and "earlier" exclude the event itself.
    fn backward(
        &mut self,
        letters: &[Letter],
        mut first: impl FnMut(Letter, &[Letter], &[Occurrences]),
        mut last: impl FnMut(Letter, &[Letter], &[Occurrences]),
    ) {
        for &letter in letters.iter().rev() {
            let Occurrences { total, left } = self.tally[letter as usize];
            if left == 1 {
                first(letter, &self.seen, &self.tally);
            }
            self.tally[letter as usize].left -= 1;
            if left == total {
                last(letter, &self.seen, &self.tally);
            }
        }
    }

    /// Hands over how often each letter occurred, and is ready for the next part.
    fn drain(&mut self, mut total: impl FnMut(Letter, u64)) {
        for letter in self.seen.drain(..) {
            total(letter, std::mem::take(&mut self.tally[letter as usize]).total.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use adit_logic::{Property, Template};
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;
    use crate::{Mined, Wanted};

    const EVERYTHING: f64 = 0.0;

    fn wanted(min_support: u64, min_confidence: f64) -> Wanted {
        Wanted { templates: Template::ALL.to_vec(), min_support, min_confidence }
    }

    /// A word and its weight.
    type Weighted = (Vec<&'static str>, u64);

    /// Feeds `words` in parts of `part` letters to a miner that keeps `part_length`, over an alphabet that
    /// first has `unused` labels which never occur.
    fn count(
        words: &[Weighted],
        pure: &Purity,
        part: usize,
        part_length: usize,
        unused: usize,
    ) -> PropertyCounts {
        let mut alphabet = Alphabet::new();
        (0..unused).for_each(|n| _ = alphabet.intern(&format!("unused {n}")));
        let mut miner = PropertyMiner { part_length, ..PropertyMiner::new(pure.clone()) };
        for (word, weight) in words {
            for labels in word.chunks(part) {
                let letters: Vec<_> = labels.iter().map(|label| alphabet.intern(label)).collect();
                miner.part(&letters, &alphabet);
            }
            miner.end(*weight);
        }
        miner.finish().unwrap()
    }

    fn mine(words: &[Weighted], pure: &Purity) -> PropertyCounts {
        count(words, pure, usize::MAX, PART, 0)
    }

    /// Support and chances by the definition alone: each occurrence is looked at with the whole word around
    /// it.
    fn naive(words: &[Weighted], pure: &Purity) -> BTreeMap<Property<&'static str>, (u64, u64)> {
        let labels: Vec<_> =
            words.iter().filter(|(_, weight)| *weight > 0).flat_map(|(word, _)| word).collect();
        let mut counts = BTreeMap::new();
        for ((word, weight), template) in words.iter().flat_map(|word| Template::ALL.map(|t| (word, t))) {
            for (at, &a) in word.iter().enumerate() {
                for &&b in &labels {
                    // Each `b` once, though `labels` has it for each occurrence.
                    counts.entry((Property { template, a, b }, word.as_ptr(), at)).or_insert_with(|| {
                        let pure_between =
                            |from: usize, to: usize| word[from..to].iter().all(|l| pure.is_pure(l));
                        let later = |i: &usize| word[*i] == b;
                        let followed = (at + 1..word.len()).any(|i| later(&i));
                        let next = (at + 1..word.len()).any(|i| later(&i) && pure_between(at + 1, i));
                        let holds = match template {
                            Template::AlwaysFollowed => followed,
                            Template::NeverFollowed => !followed,
                            Template::AlwaysPreceded => word[..at].contains(&b),
                            Template::AlwaysImmediatelyFollowed => next,
                            Template::NeverImmediatelyFollowed => !next,
                            Template::AlwaysImmediatelyPreceded => {
                                (0..at).any(|i| word[i] == b && pure_between(i + 1, at))
                            }
                        };
                        (u64::from(holds) * weight, *weight)
                    });
                }
            }
        }
        let mut sums = BTreeMap::new();
        for ((property, _, _), (support, chances)) in counts {
            let sum = sums.entry(property).or_insert((0, 0));
            *sum = (sum.0 + support, sum.1 + chances);
        }
        sums.retain(|_, (_, chances)| *chances > 0);
        sums
    }

    fn table(mined: &Mined) -> BTreeMap<Property<&'static str>, (u64, u64)> {
        let label = |at: u32| *LABELS.iter().find(|label| **label == mined.alphabet[at as usize]).unwrap();
        let row = |rule: &crate::MinedProperty| {
            let Property { template, a, b } = rule.property;
            (Property { template, a: label(a), b: label(b) }, (rule.support, rule.chances))
        };
        mined.properties.iter().map(row).collect()
    }

    const LABELS: [&str; 5] = ["a", "b", "c", "isD", "isE"];

    fn words() -> impl Strategy<Value = Vec<Weighted>> {
        let word = prop::collection::vec(prop::sample::select(&LABELS[..]), 0..14);
        prop::collection::vec((word, 0..4u64), 0..6)
    }

    fn purity() -> impl Strategy<Value = Purity> {
        prop_oneof![
            Just(Purity::ByName),
            Just(Purity::Unknown),
            prop::sample::subsequence(&LABELS[..], 0..=5).prop_map(Purity::given),
        ]
    }

    proptest! {
        /// One pass, in any parts, dense or sparse, counts what the definition counts.
        #[test]
        fn agrees_with_the_definition(
            words in words(), pure in purity(), part in 1..9usize, length in 1..20usize, unused in 0..2usize,
        ) {
            let counts = count(&words, &pure, part, length, unused * 1100);
            let mined = counts.mined(&wanted(0, EVERYTHING)).unwrap();
            prop_assert_eq!(table(&mined), naive(&words, &pure));
            prop_assert_eq!(mined.traces, words.iter().map(|(_, weight)| weight).sum::<u64>());
            prop_assert_eq!(mined.events, words.iter().map(|(word, weight)| word.len() as u64 * weight).sum::<u64>());
        }

        /// The thresholds choose from the whole and change nothing else, whichever way the counts are read.
        #[test]
        fn thresholds_only_choose(words in words(), pure in purity(), support in 0..5u64, tenths in 0..=10u32) {
            let counts = mine(&words, &pure);
            let confidence = f64::from(tenths) / 10.0;
            let mut all = counts.mined(&wanted(0, EVERYTHING)).unwrap();
            all.properties.retain(|rule| rule.support >= support && rule.confidence >= confidence);
            prop_assert!(all.properties.is_sorted_by_key(|rule| rule.property.clone()));
            prop_assert_eq!(counts.mined(&wanted(support, confidence)).unwrap(), all);
        }

        /// Two miners' counts add up to those of one that saw everything, in whatever order labels came.
        #[test]
        fn merged_is_whole(words in words(), more in words(), pure in purity()) {
            let both: Vec<_> = words.iter().chain(&more).cloned().collect();
            let whole = mine(&both, &pure).mined(&wanted(0, EVERYTHING)).unwrap();
            let (one, two) = (mine(&words, &pure), mine(&more, &pure));
            prop_assert_eq!(&two.clone().merge(&one).unwrap().mined(&wanted(0, EVERYTHING)).unwrap(), &whole);
            prop_assert_eq!(&one.merge(&two).unwrap().mined(&wanted(0, EVERYTHING)).unwrap(), &whole);
        }
    }

    fn check(traces: &'static str, templates: &[Template], expect: Expect) {
        let words: Vec<Weighted> =
            traces.split('|').map(|word| (word.split_whitespace().collect(), 1)).collect();
        let wanted = Wanted { templates: templates.to_vec(), ..wanted(1, 1.0) };
        let mined = mine(&words, &Purity::ByName).mined(&wanted).unwrap();
        let line =
            |rule: &crate::MinedProperty| format!("{} {}\n", mined.named(&rule.property), rule.support);
        expect.assert_eq(&mined.properties.iter().map(line).collect::<String>());
    }

    #[test]
    fn labels_that_never_meet_never_follow_each_other() {
        check(
            "a b | c c",
            &[Template::NeverFollowed],
            expect![[r#"
            NF(a, a) 1
            NF(a, c) 1
            NF(b, a) 1
            NF(b, b) 1
            NF(b, c) 1
            NF(c, a) 2
            NF(c, b) 2
        "#]],
        );
    }

    #[test]
    fn pure_events_do_not_stand_between_neighbors() {
        let immediate = [Template::AlwaysImmediatelyFollowed, Template::AlwaysImmediatelyPreceded];
        check(
            "open isOpen read | open read",
            &immediate,
            expect![[r#"
            AIF(isOpen, read) 1
            AIF(open, read) 2
            AIP(isOpen, open) 1
            AIP(read, open) 2
        "#]],
        );
    }

    #[test]
    fn never_immediately_looks_past_pure_events_and_stops_at_the_next_impure_one() {
        check(
            "a isX b c",
            &[Template::NeverImmediatelyFollowed],
            expect![[r#"
            NIF(a, a) 1
            NIF(a, c) 1
            NIF(b, a) 1
            NIF(b, b) 1
            NIF(b, isX) 1
            NIF(c, a) 1
            NIF(c, b) 1
            NIF(c, c) 1
            NIF(c, isX) 1
            NIF(isX, a) 1
            NIF(isX, c) 1
            NIF(isX, isX) 1
        "#]],
        );
    }

    #[test]
    fn preceded_is_about_every_occurrence() {
        check("b a a | a", &[Template::AlwaysPreceded], expect![[r#""#]]);
        check(
            "b a a | b",
            &[Template::AlwaysPreceded],
            expect![[r#"
            AP(a, b) 2
        "#]],
        );
    }

    #[test]
    fn absurd_weights_are_refused_and_stay_refused() {
        let mut alphabet = Alphabet::new();
        let word = [alphabet.intern("a"), alphabet.intern("b")];
        for part_length in [1, PART] {
            let mut miner = PropertyMiner { part_length, ..PropertyMiner::new(Purity::Unknown) };
            for weight in [1, u64::MAX / 2, 1] {
                miner.part(&word, &alphabet);
                miner.end(weight);
            }
            assert_eq!(miner.finish().unwrap_err(), MineError::TooManyEvents);
        }
    }

    #[test]
    fn labels_that_are_all_different_are_refused_before_they_fill_the_memory() {
        let mut alphabet = Alphabet::new();
        let word: Vec<_> = (0..50_000).map(|n| alphabet.intern(&format!("request {n}"))).collect();
        for part_length in [1000, PART] {
            let mut miner = PropertyMiner { part_length, ..PropertyMiner::new(Purity::Unknown) };
            miner.part(&word, &alphabet);
            miner.end(1);
            miner.part(&word, &alphabet);
            let error = miner.finish().unwrap_err();
            assert!(matches!(error, MineError::TooManyPairs { labels: 50_000, .. }), "{error}");
        }
    }

    #[test]
    fn more_properties_than_anyone_can_read_are_refused() {
        let mut alphabet = Alphabet::new();
        let mut miner = PropertyMiner::new(Purity::Unknown);
        for n in 0..50_000 {
            let letter = alphabet.intern(&format!("request {n}"));
            miner.part(&[letter], &alphabet);
            miner.end(1);
        }
        let counts = miner.finish().unwrap();
        assert!(matches!(counts.mined(&wanted(1, 1.0)), Err(MineError::TooManyProperties { .. })));
        assert_eq!(counts.mined(&wanted(2, 1.0)).unwrap().properties.len(), 0);
    }
}
