//! All paths of a run: execute with concrete inputs, then with inputs that make the last decisions go
//! otherwise.
//!
//! Paper: none; the search of concolic testing, depth first. Conditions of the paths exclude each other and
//! together cover all inputs, because every decision that is not explored further is a path of its own
//! whose end is unknown.
//! Cost: a run and at most as many questions as new decisions for each path.

use adit_smt::{Answer, Arena, Expr, Model, Reason, Solver};

use crate::{InterpreterLimits, Unknown};

/// A path: its condition, and the result of its run or why there is none.
pub(crate) struct Leaf<T> {
    pub(crate) condition: Expr,
    pub(crate) result: Result<T, Unknown>,
}

/// Explores all paths of `run`, which is given inputs and returns the decisions it took with its result.
/// Variables without a value may have any. When `keep_going` returns false, what is left is unknown.
pub(crate) fn explore<T>(
    arena: &mut Arena,
    solver: &mut dyn Solver,
    limits: &InterpreterLimits,
    keep_going: &mut dyn FnMut() -> bool,
    mut run: impl FnMut(&mut Arena, &Model) -> (Vec<Expr>, Result<T, Unknown>),
) -> Vec<Leaf<T>> {
    let mut leaves = Vec::new();
    let (mut unanswered, mut over) = (0, false);
    let mut open: Vec<(Vec<Expr>, Model)> = vec![(Vec::new(), Model::default())];
    while let Some((prefix, model)) = open.pop() {
        over = over || !keep_going();
        let limit = if over { Some(Unknown::Budget) } else { None };
        let limit = limit.or((leaves.len() + open.len() >= limits.paths).then_some(Unknown::PathLimit));
        if let Some(reason) = limit {
            leaves.push(Leaf { condition: arena.and(&prefix), result: Err(reason) });
            continue;
        }
        let (decisions, result) = run(arena, &model);
        if !decisions.starts_with(&prefix) {
            // Inputs that satisfy the prefix must take it; anything else is a fault in the interpreter, and
            // must not become a wrong claim.
            let reason = Unknown::Opaque("a path that did not repeat".into());
            leaves.push(Leaf { condition: arena.and(&prefix), result: Err(reason) });
            continue;
        }
        for at in prefix.len()..decisions.len() {
            let mut flipped = decisions[..at].to_vec();
            flipped.push(arena.not(decisions[at]));
            let answer = if unanswered < limits.unanswered {
                solver.check(arena, &flipped)
            } else {
                Answer::Unknown(Reason::Undecided("other questions about this call took too long".to_owned()))
            };
            match answer {
                Answer::Sat(model) => open.push((flipped, model)),
                Answer::Unsat => {}
                Answer::Unknown(reason) => {
                    unanswered += 1;
                    let reason = Unknown::Solver(reason.to_string().into());
                    leaves.push(Leaf { condition: arena.and(&flipped), result: Err(reason) });
                }
            }
        }
        leaves.push(Leaf { condition: arena.and(&decisions), result });
    }
    leaves
}
