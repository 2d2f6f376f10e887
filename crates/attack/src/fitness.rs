//! Distance of a trace from refuting a property: zero when it does, one when it has nothing to do with it.
//!
//! Paper: [dice, section 3.3 and Algorithm 2].
//! Deviation: AP and AIP read as in section 3.2 (`b` comes before `a`), also where section 3.3 turns them
//! around. The distance of NIF counts the events with a side effect strictly between `a` and `b`, not `b`
//! itself, else no such goal could be reached; `a` is compared with the `a` before it too; `a` with no `b`
//! behind it costs `ALONE`, not 999 divided by the length. "Immediately" means what it means when properties
//! are mined: side-effect-free events aside.
//! Cost: a [`Profile`] takes `O(n w)` for a trace of `n` events with at most `w` of them since one with a
//! side effect, and `k²` numbers for `k` distinct letters; a property is then looked up.

use std::collections::BTreeSet;

use adit_logic::{Property, Template};
use adit_trace::Letter;

/// The trace supports the property: one change may be enough to refute it.
const SUPPORTS: f64 = 0.33;
/// One of the two events is there.
const TOUCHES: f64 = 0.66;
/// Neither is.
const IRRELEVANT: f64 = 1.0;
/// For NIF: `a` is there without a `b` behind it. Worse than any distance, better than no `a`.
const ALONE: f64 = 0.999;

/// Facts about a trace from which the distance to every property is computed.
#[derive(Clone, Debug)]
pub struct Profile {
    length: usize,
    /// The letters that occur, in order; the other tables are indexed by places in this one.
    letters: Vec<Letter>,
    occurrences: Vec<Occurrences>,
    /// For each `a` and `b`: what is known of `b` right behind and right before `a`.
    pairs: Vec<Pair>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Occurrences {
    count: u32,
    first: u32,
    last: u32,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    /// Number of `a` that have `b` immediately behind them.
    followed: u32,
    /// Number of `a` that have `b` immediately before them.
    preceded: u32,
    /// The fewest events with a side effect between an `a` and the next `b`.
    distance: u32,
}

const FAR: u32 = u32::MAX;

impl Profile {
    /// Reads a trace; `pure` holds the letters without a side effect.
    pub fn of(word: &[Letter], pure: &BTreeSet<Letter>) -> Self {
        let mut letters = word.to_vec();
        letters.sort_unstable();
        letters.dedup();
        let size = letters.len();
        let places: Vec<usize> =
            word.iter().map(|letter| letters.partition_point(|known| known < letter)).collect();
        let impure: Vec<bool> = letters.iter().map(|letter| !pure.contains(letter)).collect();
        let mut occurrences = vec![Occurrences::default(); size];
        let none = Pair { followed: 0, preceded: 0, distance: FAR };
        let mut pairs = vec![none; size * size];
        // For each letter, how many events with a side effect have passed since it was last seen.
        let mut since: Vec<Option<u32>> = vec![None; size];
        for (at, &b) in places.iter().enumerate() {
            let seen = &mut occurrences[b];
            if seen.count == 0 {
                seen.first = at as u32;
            }
            seen.count += 1;
            seen.last = at as u32;
            for (a, since) in since.iter().enumerate() {
                if let Some(since) = since {
                    let pair = &mut pairs[a * size + b];
                    pair.distance = pair.distance.min(*since);
                }
            }
            since[b] = None;
            if impure[b] {
                since.iter_mut().flatten().for_each(|since| *since += 1);
            }
            since[b] = Some(0);
        }
        // The window behind an event ends with the first event that has a side effect; the one before it
        // likewise.
        let mut met = vec![false; size];
        for (at, &a) in places.iter().enumerate() {
            let behind = places[at + 1..].iter();
            for_window(behind, &impure, &mut met, |b| pairs[a * size + b].followed += 1);
            let before = places[..at].iter().rev();
            for_window(before, &impure, &mut met, |b| pairs[a * size + b].preceded += 1);
        }
        Self { length: word.len(), letters, occurrences, pairs }
    }

    /// Returns true if the event occurs.
    pub fn has(&self, letter: Letter) -> bool {
        self.place(letter).is_some()
    }

    /// Returns the distance of the trace from refuting the property.
    pub fn cost(&self, property: &Property<Letter>) -> f64 {
        let (a, b) = (self.place(property.a), self.place(property.b));
        let Some(place) = a else {
            return match (property.template, b) {
                (Template::NeverImmediatelyFollowed, _) | (_, None) => IRRELEVANT,
                (_, Some(_)) => TOUCHES,
            };
        };
        let occurs = self.occurrences[place];
        let other = b.map(|b| (self.occurrences[b], self.pairs[place * self.letters.len() + b]));
        let refuted = match property.template {
            Template::AlwaysFollowed => other.is_none_or(|(b, _)| b.last <= occurs.last),
            Template::NeverFollowed => other.is_some_and(|(b, _)| b.last > occurs.first),
            Template::AlwaysPreceded => other.is_none_or(|(b, _)| b.first >= occurs.first),
            Template::AlwaysImmediatelyFollowed => other.is_none_or(|(_, pair)| pair.followed < occurs.count),
            Template::AlwaysImmediatelyPreceded => other.is_none_or(|(_, pair)| pair.preceded < occurs.count),
            Template::NeverImmediatelyFollowed => {
                let distance = other.map_or(FAR, |(_, pair)| pair.distance);
                return match distance {
                    0 => 0.0,
                    FAR => ALONE,
                    distance => (f64::from(distance) / self.length as f64).min(0.99),
                };
            }
        };
        if refuted { 0.0 } else { SUPPORTS }
    }

    fn place(&self, letter: Letter) -> Option<usize> {
        self.letters.binary_search(&letter).ok()
    }
}

/// Hands over each distinct letter up to and including the first with a side effect, once.
fn for_window<'a>(
    window: impl Iterator<Item = &'a usize> + Clone,
    impure: &[bool],
    met: &mut [bool],
    mut found: impl FnMut(usize),
) {
    for &b in window.clone() {
        if !std::mem::replace(&mut met[b], true) {
            found(b);
        }
        if impure[b] {
            break;
        }
    }
    for &b in window {
        met[b] = false;
        if impure[b] {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    /// Letters of the examples: capitals have side effects.
    fn word(text: &str) -> Vec<Letter> {
        text.bytes().map(Letter::from).collect()
    }

    fn pure() -> BTreeSet<Letter> {
        (b'a'..=b'z').map(Letter::from).collect()
    }

    fn property(template: Template, a: char, b: char) -> Property<Letter> {
        Property { template, a: a as Letter, b: b as Letter }
    }

    fn check(template: &str, words: &[&str], expected: Expect) {
        let template = Template::from_short(template).unwrap();
        let told: String = words
            .iter()
            .map(|text| {
                format!(
                    "{text} {:.2}\n",
                    Profile::of(&word(text), &pure()).cost(&property(template, 'A', 'B'))
                )
            })
            .collect();
        expected.assert_eq(&told);
    }

    #[test]
    fn always_preceded_as_the_paper_s_examples_have_it() {
        check(
            "AP",
            &["XYA", "BXYA", "BXY", "XY", "ABA"],
            expect![[r#"
                XYA 0.00
                BXYA 0.33
                BXY 0.66
                XY 1.00
                ABA 0.00
            "#]],
        );
    }

    #[test]
    fn never_immediately_followed_by_distance() {
        check(
            "NIF",
            &["AB", "AxyB", "AXB", "AXXB", "AXXXXXXXB", "BA", "B", "X", "AXXAB"],
            expect![[r#"
                AB 0.00
                AxyB 0.00
                AXB 0.33
                AXXB 0.50
                AXXXXXXXB 0.78
                BA 1.00
                B 1.00
                X 1.00
                AXXAB 0.00
            "#]],
        );
    }

    #[test]
    fn a_goal_about_one_event_twice_can_be_reached() {
        let cost = |text| {
            Profile::of(&word(text), &pure()).cost(&property(Template::NeverImmediatelyFollowed, 'A', 'A'))
        };
        assert_eq!(cost("AA"), 0.0);
        assert_eq!(cost("AxA"), 0.0);
        assert_eq!(cost("AXA"), 1.0 / 3.0);
    }

    /// Meaning of a property, written straight from its definition.
    fn refutes(word: &[Letter], property: &Property<Letter>, pure: &BTreeSet<Letter>) -> bool {
        let Property { template, a, b } = *property;
        let window = |events: &mut dyn Iterator<Item = &Letter>| {
            let mut window = Vec::new();
            for event in events {
                window.push(*event);
                if !pure.contains(event) {
                    break;
                }
            }
            window.contains(&b)
        };
        (0..word.len()).filter(|&at| word[at] == a).any(|at| {
            let (before, behind) = (&word[..at], &word[at + 1..]);
            match template {
                Template::AlwaysFollowed => !behind.contains(&b),
                Template::NeverFollowed => behind.contains(&b),
                Template::AlwaysPreceded => !before.contains(&b),
                Template::AlwaysImmediatelyFollowed => !window(&mut behind.iter()),
                Template::NeverImmediatelyFollowed => window(&mut behind.iter()),
                Template::AlwaysImmediatelyPreceded => !window(&mut before.iter().rev()),
            }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn the_cost_is_zero_exactly_for_counterexamples(
            text in "[ABXab]{0,9}", template in 0_usize..6, a in "[ABab]", b in "[ABab]",
        ) {
            let (word, pure) = (word(&text), pure());
            let letter = |text: &str| text.chars().next().unwrap();
            let property = property(Template::ALL[template], letter(&a), letter(&b));
            let cost = Profile::of(&word, &pure).cost(&property);
            prop_assert!((0.0..=1.0).contains(&cost));
            prop_assert_eq!(cost == 0.0, refutes(&word, &property, &pure));
        }
    }
}
