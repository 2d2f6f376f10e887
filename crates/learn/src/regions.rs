//! A solver for simple questions: variables that are compared with constants, and nothing else.
//!
//! The constants divide the values of each variable into regions, within which all comparisons stay the same.
//! If every atom of a question compares one variable with a constant, trying one value of each region decides
//! it. Otherwise such a try may still find a solution; where it does not, the solver behind is asked. Most
//! questions about interfaces are simple, so they need no solver program at all.

use std::collections::{BTreeMap, BTreeSet};

use adit_smt::{Answer, Arena, Expr, Model, Node, Solver, Sort, Value, Var};

use crate::component::value;
use crate::refinement::atoms;

/// Most combinations of values that are tried. A solver program takes about as long to answer.
const MOST_TRIES: usize = 256;

/// A solver in front of another one. See the module's documentation.
#[derive(Debug)]
pub struct Regions<S> {
    solver: S,
    /// Questions that were answered here.
    pub answered: u64,
}

impl<S> Regions<S> {
    /// Wraps `solver`.
    pub fn new(solver: S) -> Self {
        Self { solver, answered: 0 }
    }
}

impl<S: Solver> Solver for Regions<S> {
    fn check(&mut self, arena: &mut Arena, constraints: &[Expr]) -> Answer {
        let (values, simple) = values_to_try(arena, constraints);
        let tries = values.values().try_fold(1usize, |tries, values| tries.checked_mul(values.len()));
        if let Some(tries) = tries.filter(|&tries| tries <= MOST_TRIES) {
            for attempt in 0..tries {
                let mut rest = attempt;
                let model: Model = values
                    .iter()
                    .map(|(&var, values)| {
                        let value = values[rest % values.len()];
                        rest /= values.len();
                        (var, value)
                    })
                    .collect();
                if arena.satisfies(&model, constraints) == Ok(true) {
                    self.answered += 1;
                    return Answer::Sat(model);
                }
            }
            if simple {
                self.answered += 1;
                return Answer::Unsat;
            }
        }
        self.solver.check(arena, constraints)
    }
}

/// Values of each variable that matter, simple ones first; and true if no others do.
fn values_to_try(arena: &Arena, constraints: &[Expr]) -> (BTreeMap<Var, Vec<Value>>, bool) {
    let mut cuts: BTreeMap<Var, BTreeSet<i128>> = BTreeMap::new();
    let mut simple = true;
    for &constraint in constraints {
        for &var in arena.variables(constraint) {
            cuts.entry(var).or_default();
        }
        for atom in atoms(arena, constraint) {
            let constant = |expr: Expr| arena.as_value(expr).and_then(Value::as_number);
            let variable = |expr: Expr| match *arena.node(expr) {
                Node::Var(var) => Some(var),
                _ => None,
            };
            // Constants in other atoms are worth a try, too.
            let (left, right) = match *arena.node(atom) {
                Node::Var(_) => continue,
                Node::Eq(left, right) | Node::Less(left, right) => (left, right),
                _ => {
                    simple = false;
                    continue;
                }
            };
            let (term, number) = match (constant(left), constant(right)) {
                (None, Some(number)) => (left, number),
                (Some(number), None) => (right, number),
                _ => {
                    simple = false;
                    continue;
                }
            };
            simple &= variable(term).is_some();
            for &var in arena.variables(term) {
                cuts.entry(var).or_default().extend([number - 1, number, number + 1]);
            }
        }
    }
    let values = cuts
        .into_iter()
        .map(|(var, numbers)| {
            let sort = arena.var_sort(var);
            (
                var,
                match sort {
                    Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
                    Sort::Int => {
                        // Mathematical integers have no least value; nothing here has such variables.
                        simple = false;
                        vec![Value::Int(0)]
                    }
                    Sort::Bits(width) => {
                        let (least, last) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
                        let mut numbers: Vec<i128> =
                            numbers.into_iter().filter(|number| (least..=last).contains(number)).collect();
                        // Neighbors of all constants lie in all regions; without constants, one value is
                        // enough.
                        if numbers.is_empty() || !simple {
                            numbers.push(0);
                        }
                        numbers.sort_by_key(|number| (number.unsigned_abs(), *number < 0));
                        numbers.dedup();
                        numbers.into_iter().map(|number| value(sort, number as i64)).collect()
                    }
                },
            )
        })
        .collect();
    (values, simple)
}

#[cfg(test)]
mod tests {
    use adit_smt::{Missing, Reason};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_not_simple_is_passed_on() {
        let mut arena = Arena::new();
        let [x, y] = ["x", "y"].map(|name| arena.var(name, Sort::Bits(32)));
        let [two, three] = [2, 3].map(|number| arena.bits(32, number));
        let product = arena.mul(x, x);
        let (square, less, more) = (arena.eq(product, two), arena.lt(x, y), arena.lt(y, x));
        let mut solver = Regions::new(Missing);
        assert_eq!(solver.check(&mut arena, &[square]), Answer::Unknown(Reason::Missing));
        assert_eq!(solver.check(&mut arena, &[less, more]), Answer::Unknown(Reason::Missing));
        // A solution may be found by trying.
        let above = arena.lt(three, y);
        assert!(matches!(solver.check(&mut arena, &[less, above]), Answer::Sat(_)));
    }

    proptest! {
        /// Formulas over bytes: all values of all variables agree with the answer.
        #[test]
        fn answers_are_right(literals in prop::collection::vec((0usize..2, any::<i8>(), 0u8..4), 1..6)) {
            let mut arena = Arena::new();
            let vars = ["x", "y"].map(|name| arena.var(name, Sort::Bits(8)));
            let mut constraints = Vec::new();
            let mut pending = None;
            for (var, number, shape) in literals {
                let number = arena.bits(8, i64::from(number));
                let atom = match shape % 2 {
                    0 => arena.lt(vars[var], number),
                    _ => arena.eq(vars[var], number),
                };
                let literal = if shape < 2 { atom } else { arena.not(atom) };
                // Every other literal is a disjunction with the one before.
                match pending.take() {
                    None => pending = Some(literal),
                    Some(other) => constraints.push(arena.or(&[literal, other])),
                }
            }
            constraints.extend(pending);
            let names = vars.map(|var| arena.variables(var)[0]);
            let byte = |number: i16| value(Sort::Bits(8), i64::from(number));
            let possible = (-128..128).any(|x| (-128..128).any(|y| {
                let model = Model::from_iter([(names[0], byte(x)), (names[1], byte(y))]);
                arena.satisfies(&model, &constraints) == Ok(true)
            }));
            match Regions::new(Missing).check(&mut arena, &constraints) {
                Answer::Sat(model) => prop_assert_eq!(arena.satisfies(&model, &constraints), Ok(true)),
                Answer::Unsat => prop_assert!(!possible),
                Answer::Unknown(_) => prop_assert!(false, "two bytes have few regions"),
            }
        }
    }
}
