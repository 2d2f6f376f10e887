//! Counts of the values of one variable, and of the values of two together. All of it can be
//! added up: two halves of a log give what the whole log gives. Counts that come from files are not trusted:
//! sums stop at the largest number.

use std::collections::BTreeMap;

use adit_logic::contract::{Constant, Type};

/// The most different values of a variable that are counted one by one.
pub(super) const MOST_VALUES: usize = 8;

/// The longest text that is counted as a value. Longer ones are contents, of which no list says anything.
const LONGEST: usize = 1024;

/// The number of values at either end of a range whose frequencies justify a bound.
const AT_THE_END: usize = 3;

/// A value in a sample, borrowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Seen<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'a str),
    /// An object, by its identity if that is known.
    Object(Option<&'a str>),
}

impl Seen<'_> {
    fn to_constant(self) -> Constant {
        match self {
            Self::Null => Constant::Null,
            Self::Bool(value) => Constant::Bool(value),
            Self::Int(value) => Constant::Int(value),
            Self::Float(value) => Constant::Float(value),
            Self::Text(value) => Constant::Text(value.into()),
            Self::Object(identity) => Constant::Object(identity.map(Into::into)),
        }
    }

    /// Tells whether two values that are no whole numbers are the same, if that can be told.
    fn same(self, other: Self) -> Option<bool> {
        match (self, other) {
            (Self::Object(None), Self::Null) | (Self::Null, Self::Object(None)) => Some(false),
            (Self::Object(None), _) | (_, Self::Object(None)) => None,
            (Self::Float(one), Self::Float(another)) => {
                Some(one.to_bits() == another.to_bits() || one.is_nan() && another.is_nan())
            }
            (one, another) => Some(one == another),
        }
    }
}

/// The values of one variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Values {
    /// The number of samples in which it had a value.
    pub(super) samples: u64,
    pub(super) nulls: u64,
    pub(super) bools: u64,
    pub(super) ints: u64,
    pub(super) floats: u64,
    pub(super) texts: u64,
    pub(super) objects: u64,
    /// Number of times that each value occurred, while there are few.
    pub(super) each: BTreeMap<Constant, u64>,
    /// There were more different values than [`MOST_VALUES`].
    pub(super) many: bool,
    /// The smallest numbers and how often each occurred.
    pub(super) lowest: Vec<(i64, u64)>,
    /// The largest numbers, the largest first, and how often each occurred.
    pub(super) highest: Vec<(i64, u64)>,
    /// Number of times that the number was zero.
    pub(super) zeros: u64,
}

impl Values {
    pub(super) fn add(&mut self, value: Seen<'_>) {
        self.samples += 1;
        match value {
            Seen::Null => self.nulls += 1,
            Seen::Bool(_) => self.bools += 1,
            Seen::Float(_) => self.floats += 1,
            Seen::Text(_) => self.texts += 1,
            Seen::Object(_) => self.objects += 1,
            Seen::Int(number) => {
                self.ints += 1;
                self.zeros += u64::from(number == 0);
                count_low(&mut self.lowest, number, 1, |one, another| one < another);
                count_low(&mut self.highest, number, 1, |one, another| one > another);
            }
        }
        match value {
            _ if self.many => {}
            Seen::Text(text) if text.len() > LONGEST => self.give_up_counting(),
            value => self.count(value.to_constant(), 1),
        }
    }

    fn give_up_counting(&mut self) {
        self.many = true;
        self.each.clear();
    }

    fn count(&mut self, value: Constant, times: u64) {
        if self.many {
            return;
        }
        let count = self.each.entry(value).or_insert(0);
        *count = count.saturating_add(times);
        if self.each.len() > MOST_VALUES {
            self.give_up_counting();
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.samples = self.samples.saturating_add(other.samples);
        self.nulls = self.nulls.saturating_add(other.nulls);
        self.bools = self.bools.saturating_add(other.bools);
        self.ints = self.ints.saturating_add(other.ints);
        self.floats = self.floats.saturating_add(other.floats);
        self.texts = self.texts.saturating_add(other.texts);
        self.objects = self.objects.saturating_add(other.objects);
        self.zeros = self.zeros.saturating_add(other.zeros);
        if other.many {
            self.give_up_counting();
        }
        for (value, &times) in &other.each {
            self.count(value.clone(), times);
        }
        for &(number, times) in &other.lowest {
            count_low(&mut self.lowest, number, times, |one, another| one < another);
        }
        for &(number, times) in &other.highest {
            count_low(&mut self.highest, number, times, |one, another| one > another);
        }
    }

    /// The type that all values have.
    pub(super) fn kind(&self) -> Type {
        let of = |count: u64, kind| (count > 0 && count == self.samples).then_some(kind);
        of(self.ints, Type::Int)
            .or(of(self.bools, Type::Bool))
            .or(of(self.floats, Type::Float))
            .or(if self.texts > 0 { of(self.texts.saturating_add(self.nulls), Type::Text) } else { None })
            .or(of(self.objects.saturating_add(self.nulls), Type::Reference))
            .unwrap_or(Type::Mixed)
    }

    /// The number of different values, as far as they are counted.
    pub(super) fn different(&self) -> u64 {
        if self.many { MOST_VALUES as u64 + 1 } else { self.each.len() as u64 }
    }
}

/// Counts a number among the first few in the order `before`. Numbers that are among the first few in the
/// end have been so whenever they came, so that nothing is missed.
fn count_low(ends: &mut Vec<(i64, u64)>, number: i64, times: u64, before: impl Fn(i64, i64) -> bool) {
    let place = ends.iter().position(|&(known, _)| !before(known, number)).unwrap_or(ends.len());
    match ends.get_mut(place) {
        Some((known, count)) if *known == number => *count = count.saturating_add(times),
        _ if place < AT_THE_END => {
            ends.insert(place, (number, times));
            ends.truncate(AT_THE_END);
        }
        _ => {}
    }
}

/// The values of two variables in the same samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Together {
    /// The number of samples in which both are whole numbers.
    pub(super) ints: u64,
    /// The smallest and the largest difference of the first and the second. A difference that 64 bits cannot
    /// hold is cut, and claims nothing.
    pub(super) lowest: i64,
    pub(super) highest: i64,
    /// Number of times that the difference was zero.
    pub(super) zeros: u64,
    /// The number of samples in which both have values that are no whole numbers and can be compared.
    pub(super) others: u64,
    /// Number of times that those were the same.
    pub(super) same: u64,
    /// The number of samples in which both have values that cannot be compared.
    pub(super) unlike: u64,
}

impl Together {
    pub(super) const NEVER: Self =
        Self { ints: 0, lowest: i64::MAX, highest: i64::MIN, zeros: 0, others: 0, same: 0, unlike: 0 };

    pub(super) fn add(&mut self, one: Seen<'_>, another: Seen<'_>) {
        match (one, another) {
            (Seen::Int(one), Seen::Int(another)) => {
                // The smallest number has no opposite, and exchanging the two must be exact.
                let difference = one.saturating_sub(another).max(-i64::MAX);
                self.ints += 1;
                self.lowest = self.lowest.min(difference);
                self.highest = self.highest.max(difference);
                self.zeros += u64::from(difference == 0);
            }
            (Seen::Int(_), _) | (_, Seen::Int(_)) => self.unlike += 1,
            _ => match one.same(another) {
                Some(same) => {
                    self.others += 1;
                    self.same += u64::from(same);
                }
                None => self.unlike += 1,
            },
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.ints = self.ints.saturating_add(other.ints);
        self.lowest = self.lowest.min(other.lowest);
        self.highest = self.highest.max(other.highest);
        self.zeros = self.zeros.saturating_add(other.zeros);
        self.others = self.others.saturating_add(other.others);
        self.same = self.same.saturating_add(other.same);
        self.unlike = self.unlike.saturating_add(other.unlike);
    }

    /// Tells whether both had the same value in every sample in which both had one.
    pub(super) fn is_always_equal(&self) -> bool {
        self.unlike == 0 && self.zeros == self.ints && self.same == self.others
    }

    /// The same with the two variables exchanged.
    pub(super) fn flipped(&self) -> Self {
        if self.ints == 0 {
            return *self;
        }
        Self { lowest: self.highest.saturating_neg(), highest: self.lowest.saturating_neg(), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values_of(numbers: &[i64]) -> Values {
        let mut values = Values::default();
        numbers.iter().for_each(|&number| values.add(Seen::Int(number)));
        values
    }

    proptest! {
        /// The ends of a range are counted as if everything had been kept.
        #[test]
        fn ends_are_counted_completely(numbers in prop::collection::vec(-9..10_i64, 0..60), cut in 0..60_usize) {
            let mut counts = BTreeMap::new();
            numbers.iter().for_each(|&number| *counts.entry(number).or_insert(0_u64) += 1);
            let lowest: Vec<(i64, u64)> = counts.iter().map(|(&n, &c)| (n, c)).take(3).collect();
            let highest: Vec<(i64, u64)> = counts.iter().rev().map(|(&n, &c)| (n, c)).take(3).collect();
            let whole = values_of(&numbers);
            prop_assert_eq!(&whole.lowest, &lowest);
            prop_assert_eq!(&whole.highest, &highest);
            let (first, second) = numbers.split_at(cut.min(numbers.len()));
            let mut halves = values_of(first);
            halves.merge(&values_of(second));
            prop_assert_eq!(halves, whole);
        }
    }

    #[test]
    fn differences_are_cut_and_not_wrapped() {
        let mut together = Together::NEVER;
        together.add(Seen::Int(i64::MAX), Seen::Int(-1));
        assert_eq!((together.lowest, together.highest), (i64::MAX, i64::MAX));
        assert_eq!(together.flipped().lowest, -i64::MAX);
    }
}
