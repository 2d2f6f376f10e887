//! Operations that are not linear: division, shifts, bitwise operations and conversions, as Java has them.

use crate::arena::{Arena, Expr, Node};
use crate::value::{Sort, divide, places, remainder, signed_range, unsigned, wrap};

/// An operation on two numbers that is not linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binary {
    /// Product of two expressions that are not constant.
    Mul,
    /// Quotient, truncated toward zero.
    Div,
    /// Remainder with the sign of the dividend.
    Rem,
    /// `<<`; the distance counts modulo the width.
    Shl,
    /// `>>`, which copies the sign.
    Shr,
    /// `>>>`, which fills with zeros.
    UShr,
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
}

/// A way to change the width of a bit-vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resize {
    /// Wider, filled with copies of the sign.
    Sign,
    /// Wider, filled with zeros.
    Zero,
    /// Narrower: the last bits.
    Low,
}

impl Binary {
    /// Computes the operation. Integers beyond 128 bits are nothing.
    pub(crate) fn apply(self, sort: Sort, a: i128, b: i128) -> Option<i128> {
        let Sort::Bits(width) = sort else {
            return match self {
                Binary::Mul => a.checked_mul(b),
                Binary::Div => divide(sort, a, b),
                Binary::Rem => Some(remainder(a, b)),
                _ => None,
            };
        };
        let exact = match self {
            // Both have at most 64 bits.
            Binary::Mul => a * b,
            Binary::Div => return divide(sort, a, b),
            Binary::Rem => remainder(a, b),
            Binary::Shl => a << places(width, b),
            Binary::Shr => a >> places(width, b),
            Binary::UShr => unsigned(width, a) >> places(width, b),
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::Xor => a ^ b,
        };
        Some(wrap(width, exact))
    }
}

impl Resize {
    /// Computes the new number.
    pub(crate) fn apply(self, from: u8, to: u8, number: i128) -> i128 {
        match self {
            Resize::Sign => number,
            Resize::Zero => wrap(to, unsigned(from, number)),
            Resize::Low => wrap(to, number),
        }
    }
}

impl Arena {
    /// Returns `a / b` as Java has it: truncated toward zero, and the smallest number divided by -1 is
    /// itself.
    ///
    /// Java throws if `b` is zero. That is a branch of its own, for the caller to take: constrain `b` before.
    pub fn div(&mut self, a: Expr, b: Expr) -> Expr {
        let sort = self.same_numbers(a, b);
        match self.as_number(b) {
            Some(1) => a,
            Some(-1) => self.neg(a),
            _ => self.binary(Binary::Div, sort, a, b),
        }
    }

    /// Returns `a % b` as Java has it: with the sign of `a`. See [`Self::div`] for zero.
    pub fn rem(&mut self, a: Expr, b: Expr) -> Expr {
        let sort = self.same_numbers(a, b);
        match self.as_number(b) {
            Some(1 | -1) => self.number(sort, 0),
            _ => self.binary(Binary::Rem, sort, a, b),
        }
    }

    /// Returns `a << distance`. The distance may have another width; only its last bits count.
    pub fn shl(&mut self, a: Expr, distance: Expr) -> Expr {
        self.shift(Binary::Shl, a, distance)
    }

    /// Returns `a >> distance`. The distance may have another width; only its last bits count.
    pub fn shr(&mut self, a: Expr, distance: Expr) -> Expr {
        self.shift(Binary::Shr, a, distance)
    }

    /// Returns `a >>> distance`. The distance may have another width; only its last bits count.
    pub fn ushr(&mut self, a: Expr, distance: Expr) -> Expr {
        self.shift(Binary::UShr, a, distance)
    }

    /// Returns `a & b`.
    pub fn bit_and(&mut self, a: Expr, b: Expr) -> Expr {
        let sort = self.same_bits(a, b);
        let (a, b) = (a.min(b), a.max(b));
        for (mask, other) in [(a, b), (b, a)] {
            match self.as_number(mask) {
                Some(0) => return mask,
                Some(-1) => return other,
                _ => {}
            }
        }
        if a == b { a } else { self.binary(Binary::And, sort, a, b) }
    }

    /// Returns `a | b`.
    pub fn bit_or(&mut self, a: Expr, b: Expr) -> Expr {
        let sort = self.same_bits(a, b);
        let (a, b) = (a.min(b), a.max(b));
        for (mask, other) in [(a, b), (b, a)] {
            match self.as_number(mask) {
                Some(0) => return other,
                Some(-1) => return mask,
                _ => {}
            }
        }
        if a == b { a } else { self.binary(Binary::Or, sort, a, b) }
    }

    /// Returns `a ^ b`.
    pub fn bit_xor(&mut self, a: Expr, b: Expr) -> Expr {
        let sort = self.same_bits(a, b);
        let (a, b) = (a.min(b), a.max(b));
        for (mask, other) in [(a, b), (b, a)] {
            match self.as_number(mask) {
                Some(0) => return other,
                Some(-1) => return self.bit_not(other),
                _ => {}
            }
        }
        if a == b { self.number(sort, 0) } else { self.binary(Binary::Xor, sort, a, b) }
    }

    /// Returns `a` as a signed number of `width` bits, not fewer than it has.
    ///
    /// # Panics
    /// If `a` is no bit-vector, or wider.
    pub fn sign_extend(&mut self, a: Expr, width: u8) -> Expr {
        self.resize(Resize::Sign, a, width)
    }

    /// Returns `a` as an unsigned number of `width` bits, not fewer than it has.
    ///
    /// # Panics
    /// If `a` is no bit-vector, or wider.
    pub fn zero_extend(&mut self, a: Expr, width: u8) -> Expr {
        self.resize(Resize::Zero, a, width)
    }

    /// Returns the last `width` bits of `a`, not more than it has.
    ///
    /// # Panics
    /// If `a` is no bit-vector, or narrower.
    pub fn truncate(&mut self, a: Expr, width: u8) -> Expr {
        self.resize(Resize::Low, a, width)
    }

    /// Returns Java's `(byte) a`, again as 32 bits.
    pub fn i2b(&mut self, a: Expr) -> Expr {
        let byte = self.truncate(a, 8);
        self.sign_extend(byte, 32)
    }

    /// Returns Java's `(char) a`, again as 32 bits.
    pub fn i2c(&mut self, a: Expr) -> Expr {
        let char = self.truncate(a, 16);
        self.zero_extend(char, 32)
    }

    /// Returns Java's `(short) a`, again as 32 bits.
    pub fn i2s(&mut self, a: Expr) -> Expr {
        let short = self.truncate(a, 16);
        self.sign_extend(short, 32)
    }

    /// Returns Java's `(long) a` of an `int`.
    pub fn i2l(&mut self, a: Expr) -> Expr {
        self.sign_extend(a, 64)
    }

    /// Returns Java's `(int) a` of a `long`.
    pub fn l2i(&mut self, a: Expr) -> Expr {
        self.truncate(a, 32)
    }

    fn shift(&mut self, operation: Binary, a: Expr, distance: Expr) -> Expr {
        let (width, given) = (self.width(a), self.width(distance));
        // A wider or narrower distance has the same last bits, and only these count if the width is a power
        // of two, as those of Java are.
        assert!(given == width || width.is_power_of_two(), "the distance needs {width} bits, not {given}");
        let distance = match given.cmp(&width) {
            std::cmp::Ordering::Less => self.zero_extend(distance, width),
            std::cmp::Ordering::Equal => distance,
            std::cmp::Ordering::Greater => self.truncate(distance, width),
        };
        if let Some(number) = self.as_number(distance) {
            let places = places(width, number);
            if places == 0 {
                return a;
            }
            // Shifting left is a multiplication, which joins a sum.
            if operation == Binary::Shl {
                let factor = self.number(Sort::Bits(width), 1 << places);
                return self.mul(a, factor);
            }
        }
        self.binary(operation, Sort::Bits(width), a, distance)
    }

    pub(crate) fn binary(&mut self, operation: Binary, sort: Sort, a: Expr, b: Expr) -> Expr {
        let folded = self.as_number(a).zip(self.as_number(b)).and_then(|(a, b)| operation.apply(sort, a, b));
        match folded {
            Some(value) => self.number(sort, value),
            None => self.intern(Node::Binary(operation, a, b), sort),
        }
    }

    pub(crate) fn resize(&mut self, how: Resize, a: Expr, to: u8) -> Expr {
        let from = self.width(a);
        let fits = if how == Resize::Low { (1..=from).contains(&to) } else { (from..=64).contains(&to) };
        assert!(fits, "{from} bits cannot become {to} bits by {how:?}");
        if from == to {
            return a;
        }
        match *self.node(a) {
            Node::Number(_, value) => self.number(Sort::Bits(to), how.apply(from, to, value)),
            Node::Resize(before, _, inner) => self.resize_twice(before, how, a, inner, to),
            // Choices between constants stay choices between constants, which comparisons see through.
            Node::Ite(condition, yes, no)
                if self.as_number(yes).is_some() && self.as_number(no).is_some() =>
            {
                let (yes, no) = (self.resize(how, yes, to), self.resize(how, no, to));
                self.ite(condition, yes, no)
            }
            _ => self.intern(Node::Resize(how, to, a), Sort::Bits(to)),
        }
    }

    /// `how` after `before`, joined into one if there is one that does both.
    fn resize_twice(&mut self, before: Resize, how: Resize, outer: Expr, inner: Expr, to: u8) -> Expr {
        let width = self.width(inner);
        match (before, how) {
            (Resize::Sign, Resize::Sign) | (Resize::Low, Resize::Low) => self.resize(how, inner, to),
            // What was filled with zeros is not negative, so the sign is a zero.
            (Resize::Zero, Resize::Zero | Resize::Sign) => self.resize(Resize::Zero, inner, to),
            (Resize::Sign | Resize::Zero, Resize::Low) if to <= width => self.resize(Resize::Low, inner, to),
            (Resize::Sign | Resize::Zero, Resize::Low) => self.resize(before, inner, to),
            _ => self.intern(Node::Resize(how, to, outer), Sort::Bits(to)),
        }
    }

    pub(crate) fn range_of_binary(
        &self,
        operation: Binary,
        a: Expr,
        b: Expr,
        depth: u32,
    ) -> Option<(i128, i128)> {
        let width = self.width(a);
        let ((a_low, a_high), (b_low, b_high)) = (self.range(a, depth - 1), self.range(b, depth - 1));
        match operation {
            // Whatever is not negative bounds the result.
            Binary::And if a_low >= 0 && b_low >= 0 => Some((0, a_high.min(b_high))),
            Binary::And if a_low >= 0 => Some((0, a_high)),
            Binary::And if b_low >= 0 => Some((0, b_high)),
            Binary::Rem if b_low == b_high && b_low != 0 => {
                let most = b_low.abs() - 1;
                Some((if a_low >= 0 { 0 } else { -most }, if a_high <= 0 { 0 } else { most }))
            }
            Binary::UShr if b_low == b_high => {
                let places = places(width, b_low);
                (places > 0).then(|| (0, unsigned(width, -1) >> places))
            }
            Binary::Shr => {
                let (least, most) = signed_range(width);
                let distance = if b_low == b_high { places(width, b_low) } else { 0 };
                Some((least >> distance, most >> distance))
            }
            _ => None,
        }
    }

    fn same_bits(&self, a: Expr, b: Expr) -> Sort {
        self.width(a);
        self.same_numbers(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_join() {
        let mut arena = Arena::new();
        let x = arena.var("x", Sort::Bits(32));
        let long = arena.i2l(x);
        assert_eq!(arena.l2i(long), x);
        let byte = arena.i2b(x);
        assert_eq!(arena.i2b(byte), byte);
        let char = arena.i2c(x);
        assert_eq!(arena.i2c(char), char);
        let short = arena.i2s(byte);
        assert_eq!(short, byte);
        let (long_byte, low) = (arena.i2l(byte), arena.truncate(x, 8));
        assert_eq!(long_byte, arena.sign_extend(low, 64));
    }

    #[test]
    fn bitwise_operations_fold() {
        let mut arena = Arena::new();
        let x = arena.var("x", Sort::Bits(32));
        let (zero, all, one, two) =
            (arena.bits(32, 0), arena.bits(32, -1), arena.bits(32, 1), arena.bits(32, 2));
        assert_eq!(arena.bit_and(x, zero), zero);
        assert_eq!(arena.bit_and(all, x), x);
        assert_eq!(arena.bit_or(x, all), all);
        assert_eq!(arena.bit_xor(x, x), zero);
        assert_eq!(arena.bit_xor(x, all), arena.bit_not(x));
        let parity = arena.bit_and(x, one);
        assert_eq!(arena.eq(parity, two), arena.bool(false));
        assert_eq!(arena.ge(parity, zero), arena.bool(true));
        let distance = arena.bits(32, 33);
        assert_eq!(arena.shl(x, distance), arena.mul(x, two));
    }
}
