//! Negation, conjunction, disjunction, implication and choice.
//!
//! There is only conjunction: `a || b` is kept as `!(!a && !b)`, so a rule about conjunctions holds for
//! disjunctions too. A conjunction has no constants, no member twice, no member with its negation, and no
//! inner disjunction that another member decides.

use rustc_hash::FxHashSet;

use crate::arena::{Arena, Expr, Node};
use crate::value::Sort;

impl Arena {
    /// Returns `!a`.
    ///
    /// # Panics
    /// If `a` is not boolean, as do the other connectives.
    pub fn not(&mut self, a: Expr) -> Expr {
        self.expect_bool(a);
        match *self.node(a) {
            Node::Bool(value) => self.bool(!value),
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(a), Sort::Bool),
        }
    }

    /// Returns the conjunction, which is true if there are no members.
    pub fn and(&mut self, members: &[Expr]) -> Expr {
        let mut all = FxHashSet::default();
        let mut open: Vec<Expr> = members.to_vec();
        while let Some(member) = open.pop() {
            self.expect_bool(member);
            match self.node(member) {
                Node::Bool(true) => {}
                Node::Bool(false) => return member,
                Node::And(inner) => open.extend(inner),
                _ => {
                    all.insert(member);
                }
            }
        }
        // Each round makes some disjunction shorter, so this ends.
        while let Some((old, new)) = self.decided_disjunction(&all) {
            all.remove(&old);
            match self.node(new) {
                Node::Bool(true) => {}
                Node::And(inner) => all.extend(inner.iter().copied()),
                _ => {
                    all.insert(new);
                }
            }
        }
        let mut all: Vec<Expr> = all.into_iter().collect();
        all.sort_unstable();
        let contradiction = all.iter().any(|&member| match *self.node(member) {
            Node::Bool(value) => !value,
            Node::Not(inner) => all.binary_search(&inner).is_ok(),
            _ => false,
        });
        if contradiction || !self.tighten(&mut all) {
            return self.bool(false);
        }
        match all.as_slice() {
            [] => self.bool(true),
            [only] => *only,
            _ => self.intern(Node::And(all.into()), Sort::Bool),
        }
    }

    /// Returns the disjunction, which is false if there are no members.
    pub fn or(&mut self, members: &[Expr]) -> Expr {
        let negations: Vec<Expr> = members.iter().map(|&member| self.not(member)).collect();
        let none = self.and(&negations);
        self.not(none)
    }

    /// Returns `!a || b`.
    pub fn implies(&mut self, a: Expr, b: Expr) -> Expr {
        let not_b = self.not(b);
        let broken = self.and(&[a, not_b]);
        self.not(broken)
    }

    /// Returns `condition ? a : b`, of any sort.
    ///
    /// # Panics
    /// If the sorts of `a` and `b` differ or `condition` is not boolean.
    pub fn ite(&mut self, condition: Expr, a: Expr, b: Expr) -> Expr {
        self.expect_bool(condition);
        let sort = self.sort(a);
        assert!(
            sort == self.sort(b),
            "the branches must have one sort: {} and {}",
            self.show(a),
            self.show(b)
        );
        if a == b {
            return a;
        }
        match *self.node(condition) {
            Node::Bool(value) => return if value { a } else { b },
            Node::Not(inner) => return self.ite(inner, b, a),
            _ => {}
        }
        if sort == Sort::Bool {
            let then = self.implies(condition, a);
            let otherwise = self.or(&[condition, b]);
            return self.and(&[then, otherwise]);
        }
        // Below a branch of this choice, the same condition is known.
        let a = match *self.node(a) {
            Node::Ite(inner, chosen, _) if inner == condition => chosen,
            _ => a,
        };
        let b = match *self.node(b) {
            Node::Ite(inner, _, chosen) if inner == condition => chosen,
            _ => b,
        };
        if a == b { a } else { self.intern(Node::Ite(condition, a, b), sort) }
    }

    /// Finds a disjunction in a conjunction that another member makes true or shorter, and what is left of
    /// it.
    fn decided_disjunction(&mut self, all: &FxHashSet<Expr>) -> Option<(Expr, Expr)> {
        // The order decides which of two equivalent forms is found, so it must not be that of a hash table.
        let mut disjunctions: Vec<Expr> = all
            .iter()
            .copied()
            .filter(|&member| match self.node(member) {
                Node::Not(inner) => matches!(self.node(*inner), Node::And(_)),
                _ => false,
            })
            .collect();
        disjunctions.sort_unstable();
        for disjunction in disjunctions {
            let Node::Not(inner) = *self.node(disjunction) else { continue };
            let Node::And(negations) = self.node(inner).clone() else { continue };
            let known_false = negations.iter().any(|&negation| {
                let choice = self.negation_if_known(negation);
                choice.is_some_and(|choice| all.contains(&choice))
            });
            if known_false {
                return Some((disjunction, self.bool(true)));
            }
            let left: Vec<Expr> =
                negations.iter().copied().filter(|negation| !all.contains(negation)).collect();
            if left.len() < negations.len() {
                let rest = self.and(&left);
                return Some((disjunction, self.not(rest)));
            }
        }
        None
    }

    /// Returns `!a` without building it.
    fn negation_if_known(&self, a: Expr) -> Option<Expr> {
        match *self.node(a) {
            Node::Not(inner) => Some(inner),
            _ => self.known_not(a),
        }
    }

    fn expect_bool(&self, a: Expr) {
        assert!(self.sort(a) == Sort::Bool, "a boolean is needed here, not {}", self.show(a));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connectives_simplify() {
        let mut arena = Arena::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| arena.var(name, Sort::Bool));
        let (yes, no) = (arena.bool(true), arena.bool(false));
        let not_a = arena.not(a);
        assert_eq!(arena.not(not_a), a);
        assert_eq!(arena.and(&[]), yes);
        assert_eq!(arena.or(&[]), no);
        assert_eq!(arena.and(&[a, yes, a]), a);
        assert_eq!(arena.and(&[a, b, not_a]), no);
        assert_eq!(arena.or(&[a, b, not_a]), yes);
        let a_or_b = arena.or(&[a, b]);
        assert_eq!(arena.and(&[a, a_or_b]), a);
        let a_and_b = arena.and(&[a, b]);
        assert_eq!(arena.or(&[a, a_and_b]), a);
        assert_eq!(arena.and(&[not_a, a_or_b]), arena.and(&[not_a, b]));
        let either = arena.or(&[a_or_b, c]);
        assert_eq!(arena.or(&[c, b, a]), either);
        assert_eq!(arena.implies(a, a), yes);
    }

    #[test]
    fn choices_collapse() {
        let mut arena = Arena::new();
        let (p, x, y) = (arena.var("p", Sort::Bool), arena.var("x", Sort::Int), arena.var("y", Sort::Int));
        let choice = arena.ite(p, x, y);
        assert_eq!(arena.ite(p, choice, y), choice);
        let not_p = arena.not(p);
        assert_eq!(arena.ite(not_p, y, x), choice);
        assert_eq!(arena.ite(p, x, x), x);
        let (yes, no) = (arena.bool(true), arena.bool(false));
        assert_eq!(arena.ite(p, yes, no), p);
        assert_eq!(arena.ite(p, no, yes), not_p);
    }
}
