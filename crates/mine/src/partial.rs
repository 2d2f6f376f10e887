//! The counts behind the six templates as bytes, to be written by one process and added up by another.
//!
//! Paper: none. Support and chances of `dice`, section 3.2, are sums over traces, so a log can be counted in
//! parts on many machines; no paper that we know does so.
//! Cost: a few bytes for each pair of labels that occurs; nothing that grows with the number of traces.
//!
//! Labels are written in their own order and pairs in the order of their labels. So equal counts are equal
//! bytes, whatever order the traces came in and however they were divided.
//!
//! Adding up is [`PropertyCounts::merge`]: a sum for each number, matched by labels. Sums are associative and
//! commutative, and a log without traces adds zero.

use adit_trace::{Letter, varint};
use miette::Diagnostic;
use thiserror::Error;

use crate::tally::PropertyCounts;

/// Bytes that are not the counts of a log.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
#[error("the counts are damaged: {what}")]
#[diagnostic(
    code(mine::damaged_counts),
    help("make them again with `adit properties TRACES --partial -o FOLD`")
)]
pub struct DamagedCounts {
    /// The problem.
    pub what: &'static str,
}

/// More labels than a file of counts may have. Labels are read one by one, so this only bounds numbers.
const MOST_LABELS: u64 = 1 << 32;

impl PropertyCounts {
    /// The counts as bytes. Equal counts give equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut occurring: Vec<Letter> = (0..self.chances.len() as Letter).collect();
        occurring.retain(|&letter| self.chances[letter as usize] > 0);
        occurring.sort_unstable_by_key(|&letter| self.alphabet.name(letter));
        let mut place = vec![0; self.chances.len()];
        let mut bytes = Vec::new();
        for number in [self.traces, self.events, occurring.len() as u64] {
            varint::put(&mut bytes, number);
        }
        for (rank, &letter) in (0..).zip(&occurring) {
            place[letter as usize] = rank;
            let name = self.alphabet.name(letter).as_bytes();
            varint::put(&mut bytes, name.len() as u64);
            bytes.extend_from_slice(name);
            varint::put(&mut bytes, self.chances[letter as usize]);
        }
        for matrix in self.matrices() {
            let mut pairs: Vec<(u64, u64, u64)> = matrix
                .entries()
                .map(|(row, column, n)| (place[row as usize], place[column as usize], n))
                .collect();
            pairs.sort_unstable();
            varint::put(&mut bytes, pairs.len() as u64);
            let mut last = 0;
            for (row, column, n) in pairs {
                // Most rows have many columns, so the distance to the last row is mostly one byte.
                varint::put(&mut bytes, row - last);
                varint::put(&mut bytes, column);
                varint::put(&mut bytes, n);
                last = row;
            }
        }
        bytes
    }

    /// The counts that [`Self::to_bytes`] wrote. Numbers that no log gives are refused.
    pub fn from_bytes(mut bytes: &[u8]) -> Result<Self, DamagedCounts> {
        let damaged = |what| DamagedCounts { what };
        let mut number = || varint::take(&mut bytes).ok_or(damaged("they end too early"));
        let (traces, events, labels) = (number()?, number()?, number()?);
        if labels > MOST_LABELS {
            return Err(damaged("there are too many labels"));
        }
        let mut counts = Self { traces, events, ..Self::new() };
        let mut sum = 0_u64;
        let mut last: Option<&str> = None;
        for _ in 0..labels {
            let length = varint::take(&mut bytes).ok_or(damaged("they end too early"))?;
            let length = usize::try_from(length).ok().filter(|&length| length <= bytes.len());
            let (name, rest) = bytes.split_at(length.ok_or(damaged("they end too early"))?);
            bytes = rest;
            let name = std::str::from_utf8(name).map_err(|_| damaged("a label is no text"))?;
            if last.is_some_and(|last| last >= name) {
                return Err(damaged("the labels are not in order"));
            }
            last = Some(name);
            let chances = varint::take(&mut bytes).filter(|&chances| chances > 0);
            let chances = chances.ok_or(damaged("a label never occurs"))?;
            sum = sum.checked_add(chances).ok_or(damaged("the labels occur too often"))?;
            counts.alphabet.intern(name);
            counts.chances.push(chances);
        }
        if sum != events {
            return Err(damaged("the labels do not add up to the events"));
        }
        counts.grow(counts.alphabet.len());
        let chances = counts.chances.clone();
        for (which, matrix) in counts.matrices_mut().into_iter().enumerate() {
            let pairs = varint::take(&mut bytes).ok_or(damaged("they end too early"))?;
            let mut last: Option<(u64, u64)> = None;
            for _ in 0..pairs {
                let mut number = || varint::take(&mut bytes).ok_or(damaged("they end too early"));
                let (distance, column, n) = (number()?, number()?, number()?);
                let row = distance.checked_add(last.map_or(0, |(row, _)| row)).filter(|&row| row < labels);
                let row = row.filter(|_| column < labels).ok_or(damaged("a pair has an unknown label"))?;
                if last.is_some_and(|last| last >= (row, column)) {
                    return Err(damaged("the pairs are not in order"));
                }
                last = Some((row, column));
                // Each hit is a chance: of the column, and in the last of the matrices of the row.
                let whose = if which == PREVIOUS { row } else { column };
                if n == 0 || n > chances[whose as usize] {
                    return Err(damaged("a pair occurs more often than its event"));
                }
                matrix.add(row as Letter, column as Letter, n);
            }
        }
        if bytes.is_empty() { Ok(counts) } else { Err(damaged("something follows them")) }
    }
}

/// The place of `previous` among the matrices.
const PREVIOUS: usize = 3;

#[cfg(test)]
mod tests {
    use adit_logic::Template;
    use adit_trace::Words;
    use proptest::prelude::*;

    use super::*;
    use crate::{Purity, Wanted};

    fn counted(log: &[(Vec<u8>, u64)]) -> PropertyCounts {
        let mut words = Words::new();
        for (word, weight) in log {
            let labels: Vec<String> =
                word.iter().map(|n| if *n == 0 { "isX".into() } else { n.to_string() }).collect();
            words.add(labels.iter().map(String::as_str), *weight);
        }
        PropertyCounts::of(&words, Purity::ByName).unwrap()
    }

    fn log() -> impl Strategy<Value = Vec<(Vec<u8>, u64)>> {
        prop::collection::vec((prop::collection::vec(0..5_u8, 0..9), 1..4_u64), 0..8)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// The bytes of a log do not depend on how it was divided, nor on the order and the grouping in
        /// which its parts were added up.
        #[test]
        fn parts_add_up_in_any_order(parts in prop::collection::vec(log(), 1..5), seed in 0..24_usize) {
            let whole = counted(&parts.concat()).to_bytes();
            let through_bytes = |part: &Vec<(Vec<u8>, u64)>| {
                PropertyCounts::from_bytes(&counted(part).to_bytes()).unwrap()
            };
            let mut counts: Vec<PropertyCounts> = parts.iter().map(through_bytes).collect();
            // Any two of them are next, until one is left: every order and every grouping can happen.
            let mut next = seed;
            while counts.len() > 1 {
                let one = counts.remove(next % counts.len());
                let at = (next / 2) % counts.len();
                let another = counts.remove(at);
                counts.push(one.merge(&another).unwrap());
                next = next * 7 + 3;
            }
            prop_assert_eq!(counts[0].to_bytes(), whole);
        }

        #[test]
        fn a_log_without_traces_adds_nothing(log in log()) {
            let counts = counted(&log);
            let bytes = counts.to_bytes();
            let empty = counted(&[]);
            prop_assert_eq!(empty.clone().merge(&counts).unwrap().to_bytes(), bytes.clone());
            prop_assert_eq!(counts.merge(&empty).unwrap().to_bytes(), bytes);
        }

        #[test]
        fn the_answer_comes_back(log in log()) {
            let wanted = Wanted { templates: Template::ALL.to_vec(), min_support: 1, min_confidence: 0.5 };
            let counts = counted(&log);
            let back = PropertyCounts::from_bytes(&counts.to_bytes()).unwrap();
            prop_assert_eq!(back.mined(&wanted).unwrap(), counts.mined(&wanted).unwrap());
        }

        /// Any change of a byte is refused, or gives counts that can be used without a panic.
        #[test]
        fn damage_is_refused_or_harmless(log in log(), at in 0..400_usize, byte: u8, cut: bool) {
            let mut bytes = counted(&log).to_bytes();
            let at = at % bytes.len();
            if cut {
                bytes.truncate(at);
                prop_assert!(PropertyCounts::from_bytes(&bytes).is_err());
            } else {
                bytes[at] = byte;
                if let Ok(counts) = PropertyCounts::from_bytes(&bytes) {
                    let wanted =
                        Wanted { templates: Template::ALL.to_vec(), min_support: 1, min_confidence: 0.0 };
                    let _ = counts.merge(&counted(&log)).and_then(|counts| counts.mined(&wanted));
                }
            }
        }
    }
}
