//! Equality and order, in normal form.
//!
//! Integers: everything is `sum <= c` or its negation, divided by the common factor of the coefficients, so
//! `x > 2`, `x >= 3` and `2 * x >= 5` are one expression. Bit-vectors: everything is `a < b` or its negation,
//! constants on the right; sums stay where they are, because they can overflow. A comparison of a choice
//! between constants becomes its condition.

use crate::arena::{Arena, Expr, Node};
use crate::bits::Resize;
use crate::sums::Linear;
use crate::value::{Sort, signed_range, unsigned, wrap};

/// Number of nested choices that a comparison is moved into.
const DEPTH: u32 = 8;

impl Arena {
    /// Returns `a == b`, of any sort.
    ///
    /// # Panics
    /// If the sorts differ, as do all comparisons.
    pub fn eq(&mut self, a: Expr, b: Expr) -> Expr {
        let sort = self.sort(a);
        assert!(sort == self.sort(b), "only equal sorts compare: {} and {}", self.show(a), self.show(b));
        if a == b {
            return self.bool(true);
        }
        if sort == Sort::Bool {
            return self.same_truth(a, b);
        }
        match self.difference(sort, a, b) {
            Some(difference) => self.is_zero(sort, difference),
            None => self.intern(Node::Eq(a.min(b), a.max(b)), Sort::Bool),
        }
    }

    /// Returns `a != b`, of any sort.
    pub fn ne(&mut self, a: Expr, b: Expr) -> Expr {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// Returns `a < b`; bit-vectors are signed.
    pub fn lt(&mut self, a: Expr, b: Expr) -> Expr {
        match self.same_numbers(a, b) {
            Sort::Bits(width) => self.less(width, a, b, DEPTH),
            sort => {
                let greater = self.le_int(sort, b, a);
                self.not(greater)
            }
        }
    }

    /// Returns `a <= b`; bit-vectors are signed.
    pub fn le(&mut self, a: Expr, b: Expr) -> Expr {
        match self.same_numbers(a, b) {
            Sort::Bits(width) => {
                let greater = self.less(width, b, a, DEPTH);
                self.not(greater)
            }
            sort => self.le_int(sort, a, b),
        }
    }

    /// Returns `a > b`; bit-vectors are signed.
    pub fn gt(&mut self, a: Expr, b: Expr) -> Expr {
        self.lt(b, a)
    }

    /// Returns `a >= b`; bit-vectors are signed.
    pub fn ge(&mut self, a: Expr, b: Expr) -> Expr {
        self.le(b, a)
    }

    /// Returns `a < b` of unsigned bit-vectors.
    pub fn lt_unsigned(&mut self, a: Expr, b: Expr) -> Expr {
        let width = self.width(a);
        self.same_numbers(a, b);
        let of = |arena: &Self, expr| arena.as_number(expr).map(|number| unsigned(width, number));
        match (of(self, a), of(self, b)) {
            (Some(a), Some(b)) => return self.bool(a < b),
            (_, Some(0)) => return self.bool(false),
            (_, Some(1)) => {
                let zero = self.number(Sort::Bits(width), 0);
                return self.eq(a, zero);
            }
            (Some(least), _) if least == unsigned(width, -1) => return self.bool(false),
            (Some(0), _) => {
                let zero = self.number(Sort::Bits(width), 0);
                return self.ne(b, zero);
            }
            _ if a == b => return self.bool(false),
            _ => {}
        }
        self.intern(Node::Below(a, b), Sort::Bool)
    }

    /// Returns `a <= b` of unsigned bit-vectors.
    pub fn le_unsigned(&mut self, a: Expr, b: Expr) -> Expr {
        let greater = self.lt_unsigned(b, a);
        self.not(greater)
    }

    /// Returns -1, 0 or 1 as 32 bits: the result of Java's `lcmp` and of `Integer.compare`.
    pub fn compare(&mut self, a: Expr, b: Expr) -> Expr {
        let [minus, zero, one] = [-1, 0, 1].map(|number| self.bits(32, number));
        let (less, equal) = (self.lt(a, b), self.eq(a, b));
        let rest = self.ite(equal, zero, one);
        self.ite(less, minus, rest)
    }

    fn same_truth(&mut self, a: Expr, b: Expr) -> Expr {
        let (a, b) = (a.min(b), a.max(b));
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Bool(true), _) => b,
            (Node::Bool(false), _) => self.not(b),
            (Node::Not(inner), _) => {
                let equal = self.eq(inner, b);
                self.not(equal)
            }
            (_, Node::Not(inner)) => {
                let equal = self.eq(a, inner);
                self.not(equal)
            }
            _ => self.intern(Node::Eq(a, b), Sort::Bool),
        }
    }

    /// `difference == 0`.
    fn is_zero(&mut self, sort: Sort, mut difference: Linear) -> Expr {
        if difference.terms.is_empty() {
            return self.bool(difference.constant == 0);
        }
        if sort == Sort::Int {
            let factor = common_factor(&difference.terms);
            if difference.constant % factor != 0 {
                return self.bool(false);
            }
            difference.constant /= factor;
            difference.terms.iter_mut().for_each(|(coefficient, _)| *coefficient /= factor);
        }
        let Some(goal) = (match sort {
            Sort::Bits(width) => Some(wrap(width, -difference.constant)),
            _ => difference.constant.checked_neg(),
        }) else {
            let (left, zero) = (self.sum(sort, difference), self.number(sort, 0));
            return self.intern(Node::Eq(left, zero), Sort::Bool);
        };
        difference.constant = 0;
        let Some((difference, goal)) = with_positive_start(sort, difference, goal) else {
            return self.bool(false);
        };
        let left = self.sum(sort, difference);
        self.equals_number(sort, left, goal, DEPTH)
    }

    /// `left == goal`, where `left` has no constant part and is not constant.
    fn equals_number(&mut self, sort: Sort, left: Expr, goal: i128, depth: u32) -> Expr {
        match *self.node(left) {
            Node::Ite(condition, a, b) if depth > 0 => {
                let (a, b) = (self.equals_any(sort, a, goal, depth), self.equals_any(sort, b, goal, depth));
                if self.as_bool(a).is_some() || self.as_bool(b).is_some() {
                    return self.ite(condition, a, b);
                }
            }
            Node::Resize(how @ (Resize::Sign | Resize::Zero), _, inner) => {
                let width = self.width(inner);
                let narrow = wrap(width, goal);
                let fits = if how == Resize::Sign { narrow } else { unsigned(width, narrow) } == goal;
                if !fits {
                    return self.bool(false);
                }
                let narrow = self.number(Sort::Bits(width), narrow);
                return self.eq(inner, narrow);
            }
            _ => {
                let (low, high) = self.range(left, DEPTH);
                if goal < low || goal > high {
                    return self.bool(false);
                }
            }
        }
        let goal = self.number(sort, goal);
        self.intern(Node::Eq(left, goal), Sort::Bool)
    }

    fn equals_any(&mut self, sort: Sort, expr: Expr, goal: i128, depth: u32) -> Expr {
        match self.node(expr) {
            Node::Number(_, value) => self.bool(*value == goal),
            Node::Ite(..) => self.equals_number(sort, expr, goal, depth - 1),
            _ => {
                let goal = self.number(sort, goal);
                self.eq(expr, goal)
            }
        }
    }

    /// `a <= b` of integers.
    fn le_int(&mut self, sort: Sort, a: Expr, b: Expr) -> Expr {
        let parts = self.difference(sort, a, b).and_then(|mut difference| {
            let limit = difference.constant.checked_neg()?;
            difference.constant = 0;
            Some((difference, limit))
        });
        let Some((mut difference, mut limit)) = parts else {
            // Too large for a normal form: `a - b <= 0`, as it was written.
            let left = self.sub(a, b);
            return self.intern(Node::AtMost(left, 0), Sort::Bool);
        };
        let Some(&(first, _)) = difference.terms.first() else { return self.bool(0 <= limit) };
        let factor = common_factor(&difference.terms);
        limit = limit.div_euclid(factor);
        difference.terms.iter_mut().for_each(|(coefficient, _)| *coefficient /= factor);
        if first > 0 {
            let left = self.sum(sort, difference);
            return self.at_most(left, limit, DEPTH);
        }
        // `-left <= limit` is `!(left <= -limit - 1)`.
        difference.terms.iter_mut().for_each(|(coefficient, _)| *coefficient = -*coefficient);
        let left = self.sum(sort, difference);
        let less = self.at_most(left, -1 - limit, DEPTH);
        self.not(less)
    }

    /// `left <= limit` of integers, where `left` has no constant part and starts positive.
    fn at_most(&mut self, left: Expr, limit: i128, depth: u32) -> Expr {
        match *self.node(left) {
            Node::Number(_, value) => return self.bool(value <= limit),
            Node::Ite(condition, a, b) if depth > 0 => {
                let limit_expr = self.int(limit);
                let mut side = |side| match self.node(side) {
                    Node::Ite(..) => self.at_most(side, limit, depth - 1),
                    _ => self.le_int(Sort::Int, side, limit_expr),
                };
                let (a, b) = (side(a), side(b));
                if self.as_bool(a).is_some() || self.as_bool(b).is_some() {
                    return self.ite(condition, a, b);
                }
            }
            _ => {}
        }
        self.intern(Node::AtMost(left, limit), Sort::Bool)
    }

    /// Signed `a < b` of bit-vectors.
    fn less(&mut self, width: u8, a: Expr, b: Expr, depth: u32) -> Expr {
        let ((a_low, a_high), (b_low, b_high)) = (self.range(a, DEPTH), self.range(b, DEPTH));
        if a == b || a_low >= b_high {
            return self.bool(false);
        }
        if a_high < b_low {
            return self.bool(true);
        }
        let sort = Sort::Bits(width);
        if depth > 0 {
            for (choice, left) in [(a, true), (b, false)] {
                let Node::Ite(condition, yes, no) = *self.node(choice) else { continue };
                let (yes, no) = if left {
                    (self.less(width, yes, b, depth - 1), self.less(width, no, b, depth - 1))
                } else {
                    (self.less(width, a, yes, depth - 1), self.less(width, a, no, depth - 1))
                };
                if self.as_bool(yes).is_some() || self.as_bool(no).is_some() {
                    return self.ite(condition, yes, no);
                }
            }
        }
        // The range of `b` ends after that of `a` starts, so `c + 1` and `c - 1` below do not wrap around.
        if let Some(number) = self.as_number(a) {
            // `c < b` is `!(b < c + 1)`.
            let limit = self.number(sort, number + 1);
            let less = self.less(width, b, limit, depth);
            return self.not(less);
        }
        if let Some(number) = self.as_number(b)
            && number - 1 == a_low
        {
            let low = self.number(sort, a_low);
            return self.eq(a, low);
        }
        self.intern(Node::Less(a, b), Sort::Bool)
    }

    /// Numbers between which a bit-vector lies. Integers and what is too deep have no bounds of their own.
    pub(crate) fn range(&self, expr: Expr, depth: u32) -> (i128, i128) {
        let Sort::Bits(width) = self.sort(expr) else { return (i128::MIN, i128::MAX) };
        let all = signed_range(width);
        if depth == 0 {
            return all;
        }
        match *self.node(expr) {
            Node::Number(_, value) => (value, value),
            Node::Ite(_, a, b) => {
                let (a, b) = (self.range(a, depth - 1), self.range(b, depth - 1));
                (a.0.min(b.0), a.1.max(b.1))
            }
            Node::Resize(Resize::Sign, _, inner) => self.range(inner, depth - 1),
            Node::Resize(Resize::Zero, _, inner) => {
                let (low, high) = self.range(inner, depth - 1);
                if low >= 0 { (low, high) } else { (0, unsigned(self.width(inner), -1)) }
            }
            Node::Binary(operation, a, b) => self.range_of_binary(operation, a, b, depth).unwrap_or(all),
            _ => all,
        }
    }
}

/// Greatest common divisor of the coefficients.
fn common_factor(terms: &[(i128, Expr)]) -> i128 {
    let factor =
        terms.iter().fold(0_u128, |so_far, (coefficient, _)| gcd(so_far, coefficient.unsigned_abs()));
    // Only the smallest `i128` has no positive counterpart. Dividing by one is always right.
    i128::try_from(factor).unwrap_or(1).max(1)
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Makes the first coefficient positive, and one if it is the only one and odd. Nothing is left if
/// no number can be the solution.
fn with_positive_start(sort: Sort, mut sum: Linear, goal: i128) -> Option<(Linear, i128)> {
    let Some(&(first, _)) = sum.terms.first() else { return Some((sum, goal)) };
    match sort {
        Sort::Bits(width) => {
            let factor = if sum.terms.len() == 1 && first % 2 != 0 {
                inverse(width, first)
            } else if first < 0 {
                -1
            } else {
                1
            };
            let times = |number: i128| wrap(width, wrap(width, number).wrapping_mul(factor));
            sum.terms.iter_mut().for_each(|(coefficient, _)| *coefficient = times(*coefficient));
            let goal = times(goal);
            // An even multiple is never odd.
            let even = sum.terms.iter().all(|(coefficient, _)| coefficient % 2 == 0);
            if even && goal % 2 != 0 { None } else { Some((sum, goal)) }
        }
        _ if first < 0 => {
            sum.terms.iter_mut().for_each(|(coefficient, _)| *coefficient = -*coefficient);
            Some((sum, -goal))
        }
        _ => Some((sum, goal)),
    }
}

/// The number whose product with an odd one is 1, modulo `2^width`.
fn inverse(width: u8, odd: i128) -> i128 {
    // Newton's method doubles the number of right bits, from three.
    let mut inverse = odd;
    for _ in 0..5 {
        inverse = wrap(width, inverse.wrapping_mul(wrap(width, 2 - wrap(width, odd.wrapping_mul(inverse)))));
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_of_integers_have_one_form() {
        let mut arena = Arena::new();
        let (x, y) = (arena.var("x", Sort::Int), arena.var("y", Sort::Int));
        let [zero, two, three, five] = [0, 2, 3, 5].map(|number| arena.int(number));
        let at_least = arena.ge(x, three);
        assert_eq!(arena.gt(x, two), at_least);
        let double = arena.mul(two, x);
        assert_eq!(arena.ge(double, five), at_least);
        assert_eq!(arena.eq(double, five), arena.bool(false));
        let less = arena.lt(x, y);
        let difference = arena.sub(x, y);
        assert_eq!(arena.lt(difference, zero), less);
        let not = arena.ge(x, y);
        assert_eq!(arena.not(less), not);
        assert_eq!(arena.eq(difference, zero), arena.eq(y, x));
    }

    #[test]
    fn comparisons_of_bits_keep_overflow() {
        let mut arena = Arena::new();
        let x = arena.var("x", Sort::Bits(32));
        let (one, smallest, largest) =
            (arena.bits(32, 1), arena.bits(32, i64::from(i32::MIN)), arena.bits(32, i64::from(i32::MAX)));
        let more = arena.add(x, one);
        let grows = arena.lt(x, more);
        assert_eq!(arena.as_bool(grows), None);
        assert_eq!(arena.le(x, largest), arena.bool(true));
        assert_eq!(arena.lt(x, smallest), arena.bool(false));
        assert_eq!(arena.le(x, smallest), arena.eq(x, smallest));
        assert_eq!(arena.lt(largest, x), arena.bool(false));
        let three = arena.bits(32, 3);
        let (triple, seven) = (arena.mul(x, three), arena.bits(32, 7));
        let solved = arena.eq(triple, seven);
        assert!(matches!(arena.node(solved), Node::Eq(left, _) if *left == x));
    }

    #[test]
    fn results_of_compare_become_conditions() {
        let mut arena = Arena::new();
        let (a, b) = (arena.var("a", Sort::Bits(64)), arena.var("b", Sort::Bits(64)));
        let (order, zero) = (arena.compare(a, b), arena.bits(32, 0));
        let less = arena.lt(a, b);
        assert_eq!(arena.lt(order, zero), less);
        let at_least = arena.not(less);
        assert_eq!(arena.ge(order, zero), at_least);
        assert_eq!(arena.eq(order, zero), {
            let equal = arena.eq(a, b);
            arena.and(&[at_least, equal])
        });
    }

    #[test]
    fn booleans_that_are_ints_become_booleans_again() {
        let mut arena = Arena::new();
        let (p, zero, one) = (arena.var("p", Sort::Bool), arena.bits(32, 0), arena.bits(32, 1));
        let int = arena.ite(p, one, zero);
        assert_eq!(arena.ne(int, zero), p);
        assert_eq!(arena.eq(int, zero), arena.not(p));
        let byte = arena.var("b", Sort::Bits(8));
        let (wide, large) = (arena.sign_extend(byte, 32), arena.bits(32, 200));
        assert_eq!(arena.eq(wide, large), arena.bool(false));
        assert_eq!(arena.lt(wide, large), arena.bool(true));
    }
}
