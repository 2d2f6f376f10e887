//! Sorts and values, and arithmetic on values as Java does it.
//!
//! Every number is computed as an `i128`, wide enough for the exact result of one operation on `long`s, and
//! then wrapped to its width. Bit-vectors are signed numbers here, as `int` and `long` are in Java.

use std::fmt;

/// The set of values that an expression ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// True and false.
    Bool,
    /// Mathematical integers.
    Int,
    /// Bit-vectors of this width, from 1 to 64: 32 is Java's `int`, 64 its `long`.
    Bits(u8),
}

/// A value of some [`Sort`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A mathematical integer. Larger ones than `i128` are never values: whoever meets one says so.
    Int(i128),
    /// A bit-vector, read as a signed number.
    Bits {
        /// The number of bits, from 1 to 64.
        width: u8,
        /// The number, between `-2^(width - 1)` and `2^(width - 1) - 1`.
        value: i64,
    },
}

impl Value {
    /// Returns the sort that the value belongs to.
    pub fn sort(self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Int(_) => Sort::Int,
            Value::Bits { width, .. } => Sort::Bits(width),
        }
    }

    /// Returns the truth value, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the number, if it is one. Bit-vectors are signed.
    pub fn as_number(self) -> Option<i128> {
        match self {
            Value::Bool(_) => None,
            Value::Int(value) => Some(value),
            Value::Bits { value, .. } => Some(i128::from(value)),
        }
    }

    /// Returns the value of `sort` that stands for `number`, wrapped around if it is a bit-vector.
    ///
    /// # Panics
    /// If `sort` is `Bool`.
    pub(crate) fn number(sort: Sort, number: i128) -> Value {
        match sort {
            Sort::Bool => panic!("a number is not a truth value"),
            Sort::Int => Value::Int(number),
            Sort::Bits(width) => Value::Bits {
                width,
                value: i64::try_from(wrap(width, number)).expect("a wrapped number has at most 64 bits"),
            },
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => value.fmt(f),
            Value::Int(value) => value.fmt(f),
            Value::Bits { value, .. } => value.fmt(f),
        }
    }
}

/// The signed number with the same last `width` bits.
pub(crate) fn wrap(width: u8, number: i128) -> i128 {
    let spare = 128 - u32::from(width);
    (number << spare) >> spare
}

/// The unsigned number with the same last `width` bits.
pub(crate) fn unsigned(width: u8, number: i128) -> i128 {
    number & ((1 << width) - 1)
}

/// The smallest and the largest signed number of `width` bits.
pub(crate) fn signed_range(width: u8) -> (i128, i128) {
    (-(1 << (width - 1)), (1 << (width - 1)) - 1)
}

/// Wraps the exact result of an operation, or refuses one that `i128` cannot hold together with its negation.
pub(crate) fn fit(sort: Sort, exact: Option<i128>) -> Option<i128> {
    match sort {
        Sort::Bits(width) => exact.map(|number| wrap(width, number)),
        _ => exact.filter(|&number| number != i128::MIN),
    }
}

/// Quotient, truncated toward zero. Java throws if `b` is zero, which is a branch of its own for whoever
/// builds the expression; the value here is the one that SMT-LIB gives bit-vectors, and zero for integers.
pub(crate) fn divide(sort: Sort, a: i128, b: i128) -> Option<i128> {
    let exact = match (b, sort) {
        (0, Sort::Bits(_)) => Some(if a < 0 { 1 } else { -1 }),
        (0, _) => Some(0),
        _ => a.checked_div(b),
    };
    fit(sort, exact)
}

/// Remainder with the sign of `a`, as Java's `%`. A zero divisor leaves `a`, as SMT-LIB says.
pub(crate) fn remainder(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { a.wrapping_rem(b) }
}

/// Number of places that a shift by `distance` moves: Java uses the last five or six bits only.
pub(crate) fn places(width: u8, distance: i128) -> u32 {
    let places = unsigned(width, distance) % i128::from(width);
    u32::try_from(places).expect("fewer places than bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap_like_casts() {
        for number in
            [0, 1, -1, 127, 128, 255, 256, -128, -129, i128::from(i64::MIN), i128::from(i64::MAX) + 1]
        {
            assert_eq!(wrap(8, number), i128::from(number as i8));
            assert_eq!(wrap(16, number), i128::from(number as i16));
            assert_eq!(wrap(32, number), i128::from(number as i32));
            assert_eq!(wrap(64, number), i128::from(number as i64));
            assert_eq!(unsigned(64, number), i128::from(number as u64));
            assert_eq!(unsigned(16, number), i128::from(number as u16));
        }
        assert_eq!(wrap(1, 1), -1);
    }

    #[test]
    fn the_smallest_number_divided_by_minus_one_wraps() {
        let smallest = i128::from(i32::MIN);
        assert_eq!(divide(Sort::Bits(32), smallest, -1), Some(smallest));
        assert_eq!(remainder(smallest, -1), 0);
        assert_eq!(divide(Sort::Int, smallest, -1), Some(-smallest));
        assert_eq!(remainder(i128::MIN, -1), 0);
        assert_eq!(divide(Sort::Int, i128::MIN, -1), None);
    }
}
