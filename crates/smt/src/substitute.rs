//! Substitution: other expressions in place of variables.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::arena::{Arena, Expr, Node, Var};
use crate::bits::Binary;
use crate::value::Sort;

impl Arena {
    /// Returns `expr` with every variable that `by` knows replaced, all at once, and simplified again.
    ///
    /// # Panics
    /// If a replacement has another sort than its variable.
    pub fn substitute(&mut self, expr: Expr, by: &BTreeMap<Var, Expr>) -> Expr {
        let mut done: FxHashMap<Expr, Expr> = FxHashMap::default();
        for part in self.parts(&[expr]) {
            let touched = self.variables(part).iter().any(|var| by.contains_key(var));
            let new = if touched { self.rebuild(part, by, &done) } else { part };
            done.insert(part, new);
        }
        done[&expr]
    }

    fn rebuild(&mut self, expr: Expr, by: &BTreeMap<Var, Expr>, done: &FxHashMap<Expr, Expr>) -> Expr {
        match self.node(expr).clone() {
            Node::Bool(_) | Node::Number(..) => expr,
            Node::Var(var) => match by.get(&var) {
                Some(&other) => {
                    assert!(
                        self.sort(other) == self.sort(expr),
                        "`{}` cannot stand for `{}`: they have different sorts",
                        self.show(other),
                        self.name(var)
                    );
                    other
                }
                None => expr,
            },
            Node::Not(a) => self.not(done[&a]),
            Node::And(members) => {
                let members: Vec<Expr> = members.iter().map(|member| done[member]).collect();
                self.and(&members)
            }
            Node::Eq(a, b) => self.eq(done[&a], done[&b]),
            Node::AtMost(a, limit) => {
                let limit = self.int(limit);
                self.le(done[&a], limit)
            }
            Node::Less(a, b) => self.lt(done[&a], done[&b]),
            Node::Below(a, b) => self.lt_unsigned(done[&a], done[&b]),
            Node::Ite(condition, a, b) => self.ite(done[&condition], done[&a], done[&b]),
            Node::Sum { constant, terms } => {
                let sort = self.sort(expr);
                let mut sum = self.number(sort, constant);
                for (coefficient, term) in terms {
                    let coefficient = self.number(sort, coefficient);
                    let product = self.mul(coefficient, done[&term]);
                    sum = self.add(sum, product);
                }
                sum
            }
            Node::Binary(operation, a, b) => self.rebuild_binary(operation, done[&a], done[&b]),
            Node::Resize(how, to, a) => self.resize(how, done[&a], to),
        }
    }

    fn rebuild_binary(&mut self, operation: Binary, a: Expr, b: Expr) -> Expr {
        debug_assert_ne!(self.sort(a), Sort::Bool);
        match operation {
            Binary::Mul => self.mul(a, b),
            Binary::Div => self.div(a, b),
            Binary::Rem => self.rem(a, b),
            Binary::Shl => self.shl(a, b),
            Binary::Shr => self.shr(a, b),
            Binary::UShr => self.ushr(a, b),
            Binary::And => self.bit_and(a, b),
            Binary::Or => self.bit_or(a, b),
            Binary::Xor => self.bit_xor(a, b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_at_once() {
        let mut arena = Arena::new();
        let (x, y) = (arena.var("x", Sort::Int), arena.var("y", Sort::Int));
        let less = arena.lt(x, y);
        let vars: Vec<Var> = arena.variables(less).to_vec();
        let swapped = arena.substitute(less, &BTreeMap::from([(vars[0], y), (vars[1], x)]));
        assert_eq!(swapped, arena.lt(y, x));
        let three = arena.int(3);
        let known = arena.substitute(less, &BTreeMap::from([(vars[0], three), (vars[1], three)]));
        assert_eq!(arena.as_bool(known), Some(false));
    }
}
