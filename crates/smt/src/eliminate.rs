//! Elimination of variables that an equation defines.
//!
//! `x == y + 1 && x > 3` becomes `y + 1 > 3`, and `x` is computed once `y` is known. Postconditions are full
//! of such equations, for everything that a method leaves alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::arena::{Arena, Expr, Node, Var};
use crate::evaluate::Incomputable;
use crate::solver::Model;
use crate::value::{Sort, Value};

/// Rounds after which what is left is given to the solver as it is. A chain of equations needs as many rounds
/// as it is long.
const ROUNDS: usize = 100;

/// The rest of constraints without the variables that they define.
pub(crate) struct Eliminated {
    /// The conjunction that is left.
    pub(crate) rest: Expr,
    /// Definitions by round; each one needs only variables of `rest` and of later rounds.
    rounds: Vec<BTreeMap<Var, Expr>>,
}

/// Eliminates defined variables from a conjunction.
pub(crate) fn eliminate(arena: &mut Arena, all: Expr) -> Eliminated {
    let mut rest = all;
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let definitions = definitions(arena, rest);
        if definitions.is_empty() {
            break;
        }
        // The equations themselves become true.
        rest = arena.substitute(rest, &definitions);
        rounds.push(definitions);
    }
    Eliminated { rest, rounds }
}

impl Eliminated {
    /// Adds the values of eliminated variables to an assignment for the rest.
    pub(crate) fn complete(&self, arena: &Arena, mut model: Model) -> Result<Model, Incomputable> {
        for definitions in self.rounds.iter().rev() {
            for (&var, &definition) in definitions {
                for &other in arena.variables(definition) {
                    if model.get(other).is_none() {
                        model.set(other, zero(arena.var_sort(other)));
                    }
                }
                let value = arena.evaluate(definition, &model)?;
                model.set(var, value);
            }
        }
        Ok(model)
    }
}

/// The value that a variable gets if any value will do.
pub(crate) fn zero(sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(false),
        sort => Value::number(sort, 0),
    }
}

/// Definitions in a conjunction, none of which needs a variable that another one defines.
fn definitions(arena: &mut Arena, all: Expr) -> BTreeMap<Var, Expr> {
    let members = match arena.node(all) {
        Node::And(members) => members.to_vec(),
        _ => vec![all],
    };
    let mut found: BTreeMap<Var, Expr> = BTreeMap::new();
    let mut needed: BTreeSet<Var> = BTreeSet::new();
    for member in members {
        for (var, definition) in candidates(arena, member) {
            let uses = arena.variables(definition);
            let free = !found.contains_key(&var) && !needed.contains(&var);
            if free && uses.iter().all(|other| *other != var && !found.contains_key(other)) {
                needed.extend(uses);
                found.insert(var, definition);
                break;
            }
        }
    }
    found
}

/// Ways in which a constraint defines one of its variables.
fn candidates(arena: &mut Arena, member: Expr) -> Vec<(Var, Expr)> {
    match arena.node(member).clone() {
        Node::Var(var) => vec![(var, arena.bool(true))],
        Node::Not(inner) => match *arena.node(inner) {
            Node::Var(var) => vec![(var, arena.bool(false))],
            Node::Eq(a, b) if arena.sort(a) == Sort::Bool => {
                let (not_a, not_b) = (arena.not(a), arena.not(b));
                [(a, not_b), (b, not_a)].into_iter().filter_map(|pair| variable(arena, pair)).collect()
            }
            _ => Vec::new(),
        },
        Node::Eq(a, b) if arena.sort(a) == Sort::Bool => {
            [(a, b), (b, a)].into_iter().filter_map(|pair| variable(arena, pair)).collect()
        }
        Node::Eq(a, b) => {
            let terms = arena.linear(a).terms;
            let mut ways = Vec::new();
            for (coefficient, term) in terms {
                let Node::Var(var) = *arena.node(term) else { continue };
                if coefficient != 1 && coefficient != -1 {
                    continue;
                }
                // `k·x + others == b` gives `x == k·(b - others)`, where `others` is `a - k·x`.
                let signed = if coefficient == 1 { term } else { arena.neg(term) };
                let others = arena.sub(a, signed);
                let value = arena.sub(b, others);
                ways.push((var, if coefficient == 1 { value } else { arena.neg(value) }));
            }
            ways
        }
        _ => Vec::new(),
    }
}

fn variable(arena: &Arena, (side, other): (Expr, Expr)) -> Option<(Var, Expr)> {
    match *arena.node(side) {
        Node::Var(var) => Some((var, other)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{Variables, build_truth, truths};

    #[test]
    fn chains_of_equations_are_followed() {
        let mut arena = Arena::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| arena.var(name, Sort::Int));
        let (p, one, five) = (arena.var("p", Sort::Bool), arena.int(1), arena.int(5));
        let next = arena.add(a, one);
        let facts = [arena.eq(b, next), arena.eq(c, b), arena.gt(c, five), p];
        let all = arena.and(&facts);
        let eliminated = eliminate(&mut arena, all);
        assert_eq!(arena.variables(eliminated.rest).len(), 1, "{}", arena.show(eliminated.rest));
        let left = arena.variables(eliminated.rest)[0];
        let model = eliminated.complete(&arena, Model::from_iter([(left, Value::Int(9))])).unwrap();
        assert_eq!(arena.satisfies(&model, &facts), Ok(true));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// The rest is satisfied exactly when everything is.
        #[test]
        fn elimination_changes_no_answer(
            one in truths(true, (-6..7_i64).boxed()), other in truths(true, (-6..7_i64).boxed())
        ) {
            let sort = Sort::Bits(3);
            let mut arena = Arena::new();
            let variables = Variables::new(&mut arena, sort);
            let parts = [&one, &other].map(|truth| build_truth(&mut arena, sort, &variables, truth));
            let all = arena.and(&parts);
            let eliminated = eliminate(&mut arena, all);
            let (mut possible, mut possible_rest) = (false, false);
            for number in 0..64_i64 {
                for truth in 0..4 {
                    let model = variables.model(&arena, [number & 7, number >> 3], [truth & 1 == 1, truth > 1]);
                    possible |= arena.satisfies(&model, &[all]) == Ok(true);
                    if arena.satisfies(&model, &[eliminated.rest]) == Ok(true) {
                        possible_rest = true;
                        let left = arena.variables(eliminated.rest).to_vec();
                        let part = model.iter().filter(|(var, _)| left.contains(var)).collect();
                        let mut completed = eliminated.complete(&arena, part).unwrap();
                        for &var in arena.variables(all) {
                            if completed.get(var).is_none() {
                                completed.set(var, zero(arena.var_sort(var)));
                            }
                        }
                        prop_assert_eq!(arena.satisfies(&completed, &[all]), Ok(true), "{}", arena.show(all));
                    }
                }
            }
            prop_assert_eq!(possible, possible_rest, "{}", arena.show(all));
        }
    }
}
