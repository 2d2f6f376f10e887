//! Addition, subtraction, negation and multiplication, in linear normal form.
//!
//! `a + b`, `a - b`, `-a`, `3 * a` and `~a` become one sum `c + Σ kᵢ·tᵢ`. This is exact for mathematical
//! integers and, modulo the width, for bit-vectors as well, so `x + 1 - x` is `1` in Java too.

use crate::arena::{Arena, Expr, Node};
use crate::bits::Binary;
use crate::value::{Sort, fit};

/// A sum that is taken apart.
pub(crate) struct Linear {
    pub(crate) constant: i128,
    /// In order, without zeros.
    pub(crate) terms: Vec<(i128, Expr)>,
}

impl Arena {
    /// Returns `a + b`, wrapped around if they are bit-vectors.
    ///
    /// # Panics
    /// If the sorts differ or are `Bool`, as do the other operations on numbers.
    pub fn add(&mut self, a: Expr, b: Expr) -> Expr {
        self.combine(1, a, 1, b)
    }

    /// Returns `a - b`, wrapped around if they are bit-vectors.
    pub fn sub(&mut self, a: Expr, b: Expr) -> Expr {
        self.combine(1, a, -1, b)
    }

    /// Returns `-a`, wrapped around if it is a bit-vector.
    pub fn neg(&mut self, a: Expr) -> Expr {
        let zero = self.number(self.sort(a), 0);
        self.combine(1, zero, -1, a)
    }

    /// Returns `~a` of a bit-vector, which is `-a - 1`.
    pub fn bit_not(&mut self, a: Expr) -> Expr {
        let minus_one = self.number(Sort::Bits(self.width(a)), -1);
        self.combine(1, minus_one, -1, a)
    }

    /// Returns `a * b`, wrapped around if they are bit-vectors.
    pub fn mul(&mut self, a: Expr, b: Expr) -> Expr {
        let sort = self.same_numbers(a, b);
        let (factor, other) = match (self.as_number(a), self.as_number(b)) {
            (Some(factor), _) => (Some(factor), b),
            (_, factor) => (factor, a),
        };
        if let Some(product) = factor.and_then(|factor| scale(sort, factor, &self.linear(other))) {
            return self.sum(sort, product);
        }
        self.intern(Node::Binary(Binary::Mul, a.min(b), a.max(b)), sort)
    }

    /// Takes a number apart.
    pub(crate) fn linear(&self, expr: Expr) -> Linear {
        match self.node(expr) {
            Node::Number(_, value) => Linear { constant: *value, terms: Vec::new() },
            Node::Sum { constant, terms } => Linear { constant: *constant, terms: terms.to_vec() },
            _ => Linear { constant: 0, terms: vec![(1, expr)] },
        }
    }

    /// Builds the expression for a sum.
    pub(crate) fn sum(&mut self, sort: Sort, Linear { constant, terms }: Linear) -> Expr {
        match (terms.as_slice(), constant) {
            ([], _) => self.number(sort, constant),
            ([(1, term)], 0) => *term,
            _ => self.intern(Node::Sum { constant, terms: terms.into() }, sort),
        }
    }

    /// Returns `a - b` taken apart, or nothing if a number became too large.
    pub(crate) fn difference(&self, sort: Sort, a: Expr, b: Expr) -> Option<Linear> {
        let minus = scale(sort, -1, &self.linear(b))?;
        plus(sort, &self.linear(a), &minus)
    }

    fn combine(&mut self, i: i128, a: Expr, j: i128, b: Expr) -> Expr {
        let sort = self.same_numbers(a, b);
        let sum = scale(sort, i, &self.linear(a))
            .zip(scale(sort, j, &self.linear(b)))
            .and_then(|(a, b)| plus(sort, &a, &b));
        match sum {
            Some(sum) => self.sum(sort, sum),
            // Only integers beyond 128 bits come here. The sum is kept as it was written.
            None if a == b => self.intern(Node::Sum { constant: 0, terms: [(i + j, a)].into() }, sort),
            None => {
                let mut terms = [(i, a), (j, b)];
                terms.sort_by_key(|&(_, term)| term);
                self.intern(Node::Sum { constant: 0, terms: terms.into() }, sort)
            }
        }
    }

    pub(crate) fn same_numbers(&self, a: Expr, b: Expr) -> Sort {
        let (left, right) = (self.sort(a), self.sort(b));
        assert!(
            left == right && left != Sort::Bool,
            "two numbers of one sort are needed, not {left:?} and {right:?}: {} and {}",
            self.show(a),
            self.show(b)
        );
        left
    }
}

fn scale(sort: Sort, factor: i128, linear: &Linear) -> Option<Linear> {
    let times = |number: i128| fit(sort, number.checked_mul(factor));
    let mut terms = Vec::with_capacity(linear.terms.len());
    for &(coefficient, term) in &linear.terms {
        let coefficient = times(coefficient)?;
        if coefficient != 0 {
            terms.push((coefficient, term));
        }
    }
    Some(Linear { constant: times(linear.constant)?, terms })
}

fn plus(sort: Sort, a: &Linear, b: &Linear) -> Option<Linear> {
    let mut terms = Vec::with_capacity(a.terms.len() + b.terms.len());
    let (mut left, mut right) = (a.terms.iter().peekable(), b.terms.iter().peekable());
    loop {
        let next = match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some((_, x)), Some((_, y))) if x == y => {
                let (&(i, term), &(j, _)) = (left.next()?, right.next()?);
                (fit(sort, i.checked_add(j))?, term)
            }
            (Some((_, x)), Some((_, y))) if x < y => *left.next()?,
            (Some(_), None) => *left.next()?,
            _ => *right.next()?,
        };
        if next.0 != 0 {
            terms.push(next);
        }
    }
    Some(Linear { constant: fit(sort, a.constant.checked_add(b.constant))?, terms })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_one_form() {
        let mut arena = Arena::new();
        for sort in [Sort::Int, Sort::Bits(32)] {
            let (x, y) = (arena.var("x", sort), arena.var("y", sort));
            let one = arena.number(sort, 1);
            let more = arena.add(x, one);
            assert_eq!(arena.sub(more, x), one);
            assert_eq!(arena.sub(more, one), x);
            let (sum, difference) = (arena.add(x, y), arena.sub(x, y));
            let (left, two) = (arena.add(sum, difference), arena.number(sort, 2));
            assert_eq!(left, arena.mul(two, x));
            let (minus, zero) = (arena.neg(x), arena.number(sort, 0));
            assert_eq!(arena.neg(minus), x);
            assert_eq!(arena.mul(zero, x), zero);
        }
    }

    #[test]
    fn coefficients_wrap_around() {
        let mut arena = Arena::new();
        let x = arena.var("x", Sort::Bits(8));
        let (sixteen, zero) = (arena.bits(8, 16), arena.bits(8, 0));
        let much = arena.mul(x, sixteen);
        assert_eq!(arena.mul(much, sixteen), zero);
        let not = arena.bit_not(x);
        assert_eq!(arena.bit_not(not), x);
    }

    #[test]
    fn integers_beyond_128_bits_are_left_alone() {
        let mut arena = Arena::new();
        let (x, large) = (arena.var("x", Sort::Int), arena.int(i128::MAX));
        let far = arena.add(x, large);
        let farther = arena.add(far, large);
        assert!(arena.as_value(farther).is_none());
        let product = arena.mul(far, large);
        assert!(matches!(arena.node(product), Node::Binary(Binary::Mul, ..)));
    }
}
