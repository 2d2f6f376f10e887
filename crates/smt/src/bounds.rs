//! Interval reasoning inside of a conjunction.
//!
//! Members such as `e <= 3`, `e > 0` and `e == 2`, for one and the same `e`, say between which numbers `e`
//! lies. Bounds that another one implies are dropped, and an empty interval makes the conjunction false.
//! Relations between different expressions are the solver's.

use std::collections::BTreeMap;

use crate::arena::{Arena, Expr, Node};
use crate::value::{Sort, signed_range};

/// Facts about one expression, and which members of the conjunction say them.
struct Interval {
    low: Option<i128>,
    high: Option<i128>,
    excluded: Vec<i128>,
    members: Vec<Expr>,
}

/// Statement of a literal about an expression.
enum Fact {
    AtMost(i128),
    AtLeast(i128),
    Is(i128),
    IsNot(i128),
}

impl Arena {
    /// Replaces bounds by the strongest ones. Returns false if they leave no number. `all` stays in order.
    pub(crate) fn tighten(&mut self, all: &mut Vec<Expr>) -> bool {
        let mut intervals: BTreeMap<Expr, Interval> = BTreeMap::new();
        for &member in all.iter() {
            let Some((expr, fact)) = self.fact(member) else { continue };
            let (low, high) = match self.sort(expr) {
                Sort::Bits(width) => {
                    let (low, high) = signed_range(width);
                    (Some(low), Some(high))
                }
                _ => (None, None),
            };
            let interval = intervals.entry(expr).or_insert_with(|| Interval {
                low,
                high,
                excluded: Vec::new(),
                members: Vec::new(),
            });
            interval.members.push(member);
            match fact {
                Fact::AtMost(number) => interval.lower_high(number),
                Fact::AtLeast(number) => interval.raise_low(number),
                Fact::Is(number) => {
                    interval.lower_high(number);
                    interval.raise_low(number);
                }
                Fact::IsNot(number) => interval.excluded.push(number),
            }
        }
        intervals.retain(|_, interval| interval.members.len() > 1);
        if intervals.is_empty() {
            return true;
        }
        let mut kept: Vec<Expr> = Vec::new();
        let mut replaced: Vec<Expr> = Vec::new();
        for (expr, mut interval) in intervals {
            if !interval.squeeze() {
                return false;
            }
            replaced.append(&mut interval.members);
            self.express(expr, &interval, &mut kept);
        }
        all.retain(|member| !replaced.contains(member));
        all.append(&mut kept);
        all.sort_unstable();
        all.dedup();
        true
    }

    /// Statement of `member` about an expression compared with a constant.
    fn fact(&self, member: Expr) -> Option<(Expr, Fact)> {
        self.any_fact(member).filter(|(_, fact)| {
            let (Fact::AtMost(number) | Fact::AtLeast(number) | Fact::Is(number) | Fact::IsNot(number)) =
                fact;
            // Far from where a bound plus or minus one could overflow.
            number.unsigned_abs() < 1 << 120
        })
    }

    fn any_fact(&self, member: Expr) -> Option<(Expr, Fact)> {
        let (atom, holds) = match *self.node(member) {
            Node::Not(inner) => (inner, false),
            _ => (member, true),
        };
        match *self.node(atom) {
            Node::AtMost(expr, number) if holds => Some((expr, Fact::AtMost(number))),
            Node::AtMost(expr, number) => Some((expr, Fact::AtLeast(number.saturating_add(1)))),
            Node::Less(expr, limit) => {
                let number = self.as_number(limit)?;
                Some((expr, if holds { Fact::AtMost(number - 1) } else { Fact::AtLeast(number) }))
            }
            Node::Eq(expr, other) => {
                let number = self.as_number(other)?;
                Some((expr, if holds { Fact::Is(number) } else { Fact::IsNot(number) }))
            }
            _ => None,
        }
    }

    /// Pushes the members that say `interval` about `expr`.
    fn express(&mut self, expr: Expr, interval: &Interval, kept: &mut Vec<Expr>) {
        let sort = self.sort(expr);
        let (least, most) = match sort {
            Sort::Bits(width) => {
                let (least, most) = signed_range(width);
                (Some(least), Some(most))
            }
            _ => (None, None),
        };
        if let (Some(low), Some(high)) = (interval.low, interval.high)
            && low == high
        {
            let number = self.number(sort, low);
            kept.push(self.intern(Node::Eq(expr, number), Sort::Bool));
            return;
        }
        // These build the very shapes that `fact` reads, so that a conjunction rebuilt is the same one.
        if let Some(high) = interval.high.filter(|&high| Some(high) != most) {
            kept.push(self.below_or_at(expr, sort, high));
        }
        if let Some(low) = interval.low.filter(|&low| Some(low) != least) {
            let less = self.below_or_at(expr, sort, low - 1);
            kept.push(self.not(less));
        }
        for &number in &interval.excluded {
            let number = self.number(sort, number);
            let equal = self.intern(Node::Eq(expr, number), Sort::Bool);
            kept.push(self.not(equal));
        }
    }

    fn below_or_at(&mut self, expr: Expr, sort: Sort, number: i128) -> Expr {
        if sort == Sort::Int {
            return self.intern(Node::AtMost(expr, number), Sort::Bool);
        }
        let limit = self.number(sort, number);
        self.le(expr, limit)
    }
}

impl Interval {
    fn lower_high(&mut self, number: i128) {
        self.high = Some(self.high.map_or(number, |high| high.min(number)));
    }

    fn raise_low(&mut self, number: i128) {
        self.low = Some(self.low.map_or(number, |low| low.max(number)));
    }

    /// Moves bounds past excluded numbers. Returns false if nothing is left.
    fn squeeze(&mut self) -> bool {
        self.excluded.sort_unstable();
        self.excluded.dedup();
        while let Some(low) = self.low.filter(|low| self.excluded.binary_search(low).is_ok()) {
            self.low = Some(low + 1);
            if self.high.is_some_and(|high| low >= high) {
                return false;
            }
        }
        while let Some(high) = self.high.filter(|high| self.excluded.binary_search(high).is_ok()) {
            self.high = Some(high - 1);
            if self.low.is_some_and(|low| high <= low) {
                return false;
            }
        }
        self.excluded.retain(|&number| {
            self.low.is_none_or(|low| number > low) && self.high.is_none_or(|high| number < high)
        });
        self.low.zip(self.high).is_none_or(|(low, high)| low <= high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_meet() {
        let mut arena = Arena::new();
        for sort in [Sort::Int, Sort::Bits(32)] {
            let x = arena.var("x", sort);
            let [zero, one, three, five] = [0, 1, 3, 5].map(|number| arena.number(sort, number));
            let (small, smaller) = (arena.lt(x, five), arena.le(x, three));
            assert_eq!(arena.and(&[small, smaller]), smaller);
            let large = arena.ge(x, five);
            assert_eq!(arena.and(&[smaller, large]), arena.bool(false));
            let at_least = arena.ge(x, three);
            assert_eq!(arena.and(&[smaller, at_least]), arena.eq(x, three));
            let (positive, is_zero) = (arena.gt(x, zero), arena.eq(x, zero));
            assert_eq!(arena.and(&[positive, is_zero]), arena.bool(false));
            let (natural, not_zero) = (arena.ge(x, zero), arena.ne(x, zero));
            assert_eq!(arena.and(&[natural, not_zero]), arena.ge(x, one));
            // Either way it lies below five.
            let either = arena.or(&[small, smaller]);
            assert_eq!(either, small);
        }
    }
}
