//! Results of calls on objects of the class, with all that led to them: a signature for `verify` is what
//! `sign` returned on another object.
//!
//! Kept only for calls that rarely return, since everything else is found without them.
//!
//! Paper: none; random testing with feedback, for calls whose arguments are hard to find.

use std::collections::BTreeSet;

use adit_trace::edit::{needs, renumbered};
use adit_trace::{Argument, Run, Script, Statement, StepResult};

use crate::Recipe;

/// Longer ways to a result are not kept.
const LONGEST: usize = 12;

/// The way to the result of a statement: the calls before it on the same object, as far as they returned, and
/// all that they need. Nothing if it is too long, or if the result is not an object of its own.
pub(crate) fn way_to(script: &Script, run: &Run, at: usize) -> Option<Recipe> {
    let object = script.statements.get(at)?.receiver?;
    if !matches!(run.steps.get(at)?.result, StepResult::Object { first, .. } if first == at) {
        return None;
    }
    let returned = |at: usize| {
        let result = run.steps.get(at).map(|step| &step.result);
        matches!(result, Some(StepResult::Object { .. } | StepResult::Returned(_)))
    };
    let is_before = |other: &usize| script.statements[*other].receiver == Some(object) && returned(*other);
    let mut open: Vec<usize> = (object + 1..at).filter(is_before).chain([at]).collect();
    let mut places = BTreeSet::new();
    while let Some(next) = open.pop() {
        if places.insert(next) {
            needs(script.statements.get(next)?, &mut |needed| open.push(needed));
        }
        if places.len() > LONGEST {
            return None;
        }
    }
    let place = |old: usize| places.range(..old).count();
    let statements: Vec<Statement> =
        places.iter().map(|&at| renumbered(&script.statements[at], &place)).collect();
    let value = Argument::Earlier(statements.len() - 1);
    Some(Recipe { statements, value, weight: 1 })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use adit_trace::{CallKind, Callable, End, Step, Value};

    use super::*;

    fn statement(name: &str, receiver: Option<usize>, args: Vec<Argument>) -> Statement {
        let kind = if receiver.is_some() { CallKind::Method } else { CallKind::Function };
        Statement { callable: Arc::new(Callable::new(kind, "a.B", name)), receiver, args }
    }

    #[test]
    fn a_result_comes_with_the_calls_before_it_and_without_those_that_threw() {
        let script = Script {
            statements: vec![
                statement("object", None, vec![]),
                statement("other", None, vec![]),
                statement("key", None, vec![]),
                statement("init", Some(0), vec![Argument::Earlier(2)]),
                statement("reset", Some(0), vec![]),
                statement("sign", Some(0), vec![]),
            ],
        };
        let object = |first| StepResult::Object { class: "a.B".into(), first };
        let threw = StepResult::Threw { class: "a.E".into(), message: None, exhausted: false };
        let results = [object(0), object(1), object(2), StepResult::Returned(Value::Void), threw, object(5)];
        let step = Step::new;
        let run = Run { steps: results.map(step).into(), end: End::Complete, leaked: false, passed: None };
        let way = way_to(&script, &run, 5).unwrap();
        let names: Vec<&str> = way.statements.iter().map(|one| &*one.callable.name).collect();
        assert_eq!(names, ["object", "key", "init", "sign"]);
        assert_eq!((way.statements[2].receiver, &way.value), (Some(0), &Argument::Earlier(3)));
        assert_eq!(way.statements[2].args, [Argument::Earlier(1)]);
        assert_eq!(way_to(&script, &run, 3), None, "nothing to hand over");
        assert_eq!(way_to(&script, &run, 2), None, "not of an object");
    }
}
