//! Shrinking: makes a test smaller while it still does what it is kept for.
//!
//! Paper: none; greedy reduction. Statements are dropped first, each with all that need its value; then
//! values are replaced by simpler ones, until no single step is possible or the budget of runs is used up.
//! Deviation: none.
//! Cost: a run for each statement and for each simpler value, in each round; a round makes the test smaller
//! or is the last.

use std::ops::ControlFlow;

use adit_trace::{Argument, Limit, Pace, Progress, Script, Stop};

use adit_trace::edit::remove;

/// A smaller script, and the reason why no smaller one was searched for.
#[derive(Clone, Debug, PartialEq)]
pub struct Shrunk {
    /// The smallest script that was found, or the original.
    pub script: Script,
    /// [`Stop::Done`] if no single step makes the script smaller.
    pub stop: Stop,
}

/// Finds a smaller script that still does it, in at most `most` runs.
///
/// `still` tells for each of several scripts whether it does. The result is the same for the same answers.
/// `progress` is what `pace` is told, with the number of tests brought up to date.
pub fn shrink<E>(
    script: &Script,
    most: usize,
    mut progress: Progress,
    pace: &mut dyn Pace,
    mut still: impl FnMut(&[Script]) -> Result<Vec<bool>, E>,
) -> Result<Shrunk, E> {
    let mut smallest = script.clone();
    let mut left = most;
    for step in [shorter, simpler] {
        loop {
            let mut candidates = step(&smallest);
            if candidates.is_empty() {
                break;
            }
            if left == 0 {
                return Ok(Shrunk { script: smallest, stop: Stop::Budget(Limit::Tests) });
            }
            if let ControlFlow::Break(stop) = pace.go_on(&progress) {
                return Ok(Shrunk { script: smallest, stop });
            }
            candidates.truncate(left);
            left -= candidates.len();
            progress.tests += candidates.len() as u64;
            let does = still(&candidates)?;
            let found = candidates
                .into_iter()
                .zip(does)
                .filter(|(_, does)| *does)
                // Of equally small ones the first.
                .min_by_key(|(script, _)| weight(script));
            match found {
                Some((found, _)) => smallest = found,
                None => break,
            }
        }
    }
    Ok(Shrunk { script: smallest, stop: Stop::Done })
}

/// Scripts without one statement and those that need it; later statements are dropped first.
fn shorter(script: &Script) -> Vec<Script> {
    let without = |at| remove(script, at);
    (0..script.statements.len()).rev().map(without).filter(|script| !script.statements.is_empty()).collect()
}

/// Scripts with one simpler value.
fn simpler(script: &Script) -> Vec<Script> {
    let mut scripts = Vec::new();
    for (at, statement) in script.statements.iter().enumerate() {
        for (place, argument) in statement.args.iter().enumerate() {
            for value in simpler_values(argument) {
                let mut script = script.clone();
                script.statements[at].args[place] = value;
                scripts.push(script);
            }
        }
    }
    scripts
}

/// Smaller values of the same type, the simplest first.
fn simpler_values(argument: &Argument) -> Vec<Argument> {
    let mut values = match argument {
        Argument::Null | Argument::Bool(_) | Argument::Earlier(_) | Argument::Class(_) => Vec::new(),
        Argument::Int(value) => [0, 1, value / 2].map(Argument::Int).to_vec(),
        Argument::Float(value) => [0.0, 1.0, value.trunc()].map(Argument::Float).to_vec(),
        Argument::Text(text) => {
            let half = text.chars().count() / 2;
            let short = ["".to_owned(), "a".to_owned(), text.chars().take(half).collect()];
            short.map(Argument::Text).to_vec()
        }
        Argument::Array(elements) => {
            let mut values = vec![Argument::Array(Vec::new())];
            for at in 0..elements.len() {
                let mut fewer = elements.clone();
                fewer.remove(at);
                values.push(Argument::Array(fewer));
            }
            values
        }
        Argument::Function(result) => {
            simpler_values(result).into_iter().map(|value| Argument::Function(Box::new(value))).collect()
        }
    };
    values.retain(|value| size(value) < size(argument));
    values
}

/// Size of a script: the number of its statements, then the sizes of its values.
fn weight(script: &Script) -> (usize, u64) {
    let values = script.statements.iter().flat_map(|statement| &statement.args).map(size);
    (script.statements.len(), values.fold(0, u64::saturating_add))
}

/// Size of a value. Every simpler value has a smaller one.
fn size(argument: &Argument) -> u64 {
    match argument {
        Argument::Null | Argument::Bool(_) | Argument::Earlier(_) | Argument::Class(_) => 0,
        Argument::Int(value) => value.unsigned_abs().saturating_mul(2).saturating_add(u64::from(*value < 0)),
        // Fractions come after whole numbers of their size, and what is no number last.
        Argument::Float(value) if value.is_finite() => {
            (value.abs().min(1e15) as u64).saturating_mul(4)
                + 2 * u64::from(value.fract() != 0.0)
                + u64::from(*value < 0.0)
        }
        Argument::Float(_) => u64::MAX,
        Argument::Text(text) => 3 * text.chars().count() as u64 + u64::from(text != "a"),
        Argument::Array(elements) => {
            elements.iter().map(size).fold(1 + 8 * elements.len() as u64, u64::saturating_add)
        }
        Argument::Function(result) => size(result).saturating_add(1),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;

    use adit_trace::{CallKind, Callable, Statement, Unlimited};
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    /// A constructor, and calls on what it made: `push 7`, `put 'text'`.
    fn script(calls: &[(&str, Argument)]) -> Script {
        let statement = |(at, (name, argument)): (usize, &(&str, Argument))| Statement {
            callable: Arc::new(Callable::new(
                if at == 0 { CallKind::Constructor } else { CallKind::Method },
                "a.B",
                *name,
            )),
            receiver: (at > 0).then_some(0),
            args: vec![argument.clone()],
        };
        Script { statements: calls.iter().enumerate().map(statement).collect() }
    }

    fn shown(script: &Script) -> String {
        let one = |statement: &Statement| format!("{} {:?}\n", statement.callable.name, statement.args[0]);
        script.statements.iter().map(one).collect()
    }

    fn check(calls: &[(&str, Argument)], most: usize, still: impl Fn(&Script) -> bool, expected: Expect) {
        let (script, mut runs) = (script(calls), 0);
        let small = shrink(&script, most, Progress::default(), &mut Unlimited, |scripts| {
            runs += scripts.len();
            Ok::<_, Infallible>(scripts.iter().map(&still).collect())
        })
        .unwrap();
        assert!(runs <= most, "{runs} of {most}");
        assert_eq!(small.stop.is_done(), most > 5, "{:?}", small.stop);
        expected.assert_eq(&shown(&small.script));
    }

    fn count(script: &Script, name: &str) -> usize {
        script.statements.iter().filter(|statement| statement.callable.name == name).count()
    }

    fn calls() -> Vec<(&'static str, Argument)> {
        vec![
            ("new", Argument::Int(100)),
            ("push", Argument::Int(-7)),
            ("look", Argument::Float(2.5)),
            ("push", Argument::Text("hello".to_owned())),
            ("pop", Argument::Null),
            ("push", Argument::Array(vec![Argument::Int(3), Argument::Int(4)])),
        ]
    }

    #[test]
    fn what_is_not_needed_goes_and_values_become_simple() {
        let twice = |script: &Script| count(script, "push") >= 2 && count(script, "pop") == 1;
        check(
            &calls(),
            1000,
            twice,
            expect![[r#"
            new Int(0)
            push Int(0)
            push Text("")
            pop Null
        "#]],
        );
    }

    #[test]
    fn what_is_needed_stays() {
        let large = |script: &Script| {
            matches!(script.statements[0].args[0], Argument::Int(20..)) && count(script, "look") == 1
        };
        check(
            &calls(),
            1000,
            large,
            expect![[r#"
            new Int(25)
            look Float(0.0)
        "#]],
        );
        check(
            &calls()[..2],
            1000,
            |_| false,
            expect![[r#"
            new Int(100)
            push Int(-7)
        "#]],
        );
    }

    #[test]
    fn the_budget_holds() {
        check(
            &calls(),
            5,
            |script| count(script, "push") > 0,
            expect![[r#"
            new Int(100)
            push Int(-7)
            look Float(2.5)
            push Text("hello")
            pop Null
        "#]],
        );
    }

    fn any_argument() -> impl Strategy<Value = Argument> {
        let leaf = prop_oneof![
            Just(Argument::Null),
            any::<i64>().prop_map(Argument::Int),
            any::<f64>().prop_map(Argument::Float),
            ".{0,6}".prop_map(Argument::Text),
        ];
        leaf.prop_recursive(2, 8, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Argument::Array),
                inner.prop_map(|result| Argument::Function(Box::new(result))),
            ]
        })
    }

    proptest! {
        /// Whatever the predicate says, the result does it, is no larger, and no single step makes it
        /// smaller.
        #[test]
        fn the_result_does_it_and_is_minimal(arguments in prop::collection::vec(any_argument(), 1..6), keep in 0_usize..3) {
            let calls: Vec<(&str, Argument)> = arguments.into_iter().map(|argument| ("call", argument)).collect();
            let script = script(&calls);
            let still = |script: &Script| script.statements.len() > keep;
            prop_assume!(still(&script));
            let does = |all: &[Script]| Ok::<_, Infallible>(all.iter().map(still).collect());
            let Shrunk { script: shrunk, stop } = shrink(&script, usize::MAX, Progress::default(), &mut Unlimited, does).unwrap();
            prop_assert!(stop.is_done());
            prop_assert!(still(&shrunk));
            prop_assert!(weight(&shrunk) <= weight(&script));
            prop_assert!(!shorter(&shrunk).iter().any(still));
            prop_assert!(!simpler(&shrunk).iter().any(still));
        }
    }
}
