//! Evaluation: the value of an expression once its variables have values.

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::arena::{Arena, Expr, Node, Var};
use crate::solver::Model;
use crate::value::{Sort, Value, fit, unsigned};

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Incomputable {
    /// The assignment gives this variable no value, or one of another sort.
    #[error("the assignment has no value for variable {}", .0.0)]
    Unassigned(Var),
    /// An integer on the way is larger than 128 bits.
    #[error("an integer does not fit into 128 bits")]
    TooLarge,
}

impl Arena {
    /// Returns the value of `expr` under `model`, exactly as Java would compute it.
    ///
    /// # Errors
    /// If a variable of `expr` has no value, or an integer does not fit into 128 bits.
    pub fn evaluate(&self, expr: Expr, model: &Model) -> Result<Value, Incomputable> {
        let mut values = FxHashMap::default();
        for part in self.parts(&[expr]) {
            let value = self.evaluate_node(part, model, &values)?;
            values.insert(part, value);
        }
        Ok(values[&expr])
    }

    /// Returns true if every one of `constraints` is true under `model`.
    ///
    /// # Errors
    /// If one that comes before any false one cannot be computed.
    pub fn satisfies(&self, model: &Model, constraints: &[Expr]) -> Result<bool, Incomputable> {
        for &constraint in constraints {
            if self.evaluate(constraint, model)? != Value::Bool(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn evaluate_node(
        &self,
        expr: Expr,
        model: &Model,
        values: &FxHashMap<Expr, Value>,
    ) -> Result<Value, Incomputable> {
        let truth = |expr: Expr| values[&expr].as_bool().expect("the builder checked the sort");
        let number = |expr: Expr| values[&expr].as_number().expect("the builder checked the sort");
        let sort = self.sort(expr);
        let wrapped = |exact: Option<i128>| {
            fit(sort, exact).map(|value| Value::number(sort, value)).ok_or(Incomputable::TooLarge)
        };
        Ok(match self.node(expr) {
            Node::Bool(value) => Value::Bool(*value),
            Node::Number(sort, value) => Value::number(*sort, *value),
            Node::Var(var) => {
                model.get(*var).filter(|value| value.sort() == sort).ok_or(Incomputable::Unassigned(*var))?
            }
            Node::Not(a) => Value::Bool(!truth(*a)),
            Node::And(members) => Value::Bool(members.iter().all(|&member| truth(member))),
            Node::Eq(a, b) => Value::Bool(values[a] == values[b]),
            Node::AtMost(a, limit) => Value::Bool(number(*a) <= *limit),
            Node::Less(a, b) => Value::Bool(number(*a) < number(*b)),
            Node::Below(a, b) => {
                let width = self.width(*a);
                Value::Bool(unsigned(width, number(*a)) < unsigned(width, number(*b)))
            }
            Node::Ite(condition, a, b) => values[if truth(*condition) { a } else { b }],
            Node::Sum { constant, terms } => {
                let mut sum = Some(*constant);
                for &(coefficient, term) in terms {
                    let product = coefficient.checked_mul(number(term));
                    sum = fit(sort, sum.zip(product).and_then(|(sum, product)| sum.checked_add(product)));
                }
                wrapped(sum)?
            }
            Node::Binary(operation, a, b) => wrapped(operation.apply(sort, number(*a), number(*b)))?,
            Node::Resize(how, to, a) => {
                Value::number(Sort::Bits(*to), how.apply(self.width(*a), *to, number(*a)))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_without_a_value_is_named() {
        let mut arena = Arena::new();
        let (x, y) = (arena.var("x", Sort::Int), arena.var("y", Sort::Int));
        let sum = arena.add(x, y);
        let x = arena.variables(x)[0];
        let y = arena.variables(y)[0];
        let mut model = Model::default();
        model.set(x, Value::Int(2));
        assert_eq!(arena.evaluate(sum, &model), Err(Incomputable::Unassigned(y)));
        model.set(y, Value::Bits { width: 32, value: 3 });
        assert_eq!(arena.evaluate(sum, &model), Err(Incomputable::Unassigned(y)));
        model.set(y, Value::Int(3));
        assert_eq!(arena.evaluate(sum, &model), Ok(Value::Int(5)));
        model.set(y, Value::Int(i128::MAX));
        assert_eq!(arena.evaluate(sum, &model), Err(Incomputable::TooLarge));
    }

    #[test]
    fn deep_expressions_need_no_deep_stack() {
        let mut arena = Arena::new();
        let mut expr = arena.var("x", Sort::Bits(32));
        let var = arena.variables(expr)[0];
        let (one, two) = (arena.bits(32, 1), arena.bits(32, 2));
        for _ in 0..100_000 {
            let half = arena.ushr(expr, one);
            let odd = arena.bit_or(half, one);
            expr = arena.mul(odd, two);
        }
        let model = Model::from_iter([(var, Value::Bits { width: 32, value: 6 })]);
        assert!(arena.evaluate(expr, &model).is_ok());
    }
}
