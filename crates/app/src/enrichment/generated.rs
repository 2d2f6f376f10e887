//! Arguments for added calls, written by the generator of `adit mine`: keys, buffers and files are found by
//! searching what makes them.

use std::collections::BTreeMap;

use adit_bytecode::ClassPath;
use adit_bytecode::overloads::Overloads;
use adit_java::{ApiOptions, Generator, GeneratorOptions, prepare};
use adit_trace::{Argument, Author as _, Script, Statement};
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;

use crate::java::cache::CallerFiles;

/// Different arguments for a method, and attempts to find them. Two arguments that must fit each other need
/// many.
const WAYS: usize = 16;
const ATTEMPTS: usize = 96;

/// Most statements that make the arguments of one call.
const LONGEST: usize = 12;

/// Arguments of a call, and the statements that make them. [`Argument::Earlier`] counts these statements.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GeneratedCall {
    pub(crate) arguments: Vec<Argument>,
    pub(crate) made: Vec<Statement>,
}

/// Calls for each method of a class, by name and descriptor. There are none for a class that the generator
/// cannot make objects of.
pub(crate) fn generated_calls(
    classes: &ClassPath,
    class: &str,
    non_public: bool,
    generation: GeneratorOptions,
) -> BTreeMap<(String, String), Vec<GeneratedCall>> {
    let options = ApiOptions {
        non_public,
        object_methods: false,
        only: None,
        without: Default::default(),
        fixtures: Vec::new(),
        overloads: Overloads::Apart,
    };
    let Ok((api, supply)) = prepare(classes, None, class, &options, &CallerFiles::of_user()) else {
        return BTreeMap::new();
    };
    let generator = Generator::new(&api, supply, generation);
    let Some(start) = api.starts.first() else { return BTreeMap::new() };
    // Only a place for the receiver; the call that makes it is never run.
    let receiver = Statement { callable: start.callable.clone(), receiver: None, args: Vec::new() };
    let receiver = Script { statements: vec![receiver] };
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut found = BTreeMap::new();
    for method in &api.methods {
        let callable = &method.callable;
        let mut calls: Vec<GeneratedCall> = Vec::new();
        for _ in 0..ATTEMPTS {
            let call = generator.extend(&receiver, 0, callable, &mut rng).and_then(without_receiver);
            calls.extend(call.filter(|call| call.made.len() <= LONGEST && !calls.contains(call)));
            if calls.len() == WAYS || callable.parameters.is_empty() {
                break;
            }
        }
        found.insert((callable.name.clone(), callable.signature.clone()), calls);
    }
    found
}

/// The last call of a script without its receiver, which is made by the first statement; `None` if an
/// argument is made from the receiver.
fn without_receiver(script: Script) -> Option<GeneratedCall> {
    let mut statements = script.statements.into_iter().skip(1).map(|statement| {
        // Without a receiver, or on the one that is left out.
        let receiver = statement.receiver.map(|receiver| receiver.checked_sub(1));
        let args: Option<Vec<Argument>> = statement.args.iter().map(moved).collect();
        Some((statement.callable, receiver, args?))
    });
    let mut made = Vec::new();
    let mut last = statements.next()??;
    for next in statements {
        let (callable, receiver, args) = last;
        // A method on the receiver.
        let receiver = match receiver {
            None => None,
            Some(receiver) => Some(receiver?),
        };
        made.push(Statement { callable, receiver, args });
        last = next?;
    }
    Some(GeneratedCall { arguments: last.2, made })
}

/// The argument without the first statement of its script; `None` if it is that statement.
fn moved(argument: &Argument) -> Option<Argument> {
    Some(match argument {
        Argument::Earlier(place) => Argument::Earlier(place.checked_sub(1)?),
        Argument::Array(elements) => Argument::Array(elements.iter().map(moved).collect::<Option<_>>()?),
        Argument::Function(answer) => Argument::Function(Box::new(moved(answer)?)),
        other => other.clone(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use adit_trace::{CallKind, Callable};

    use super::*;

    #[test]
    fn statements_are_counted_without_the_receiver() {
        let statement = |name: &str, receiver, args| {
            let callable = Arc::new(Callable::new(CallKind::Method, "C", name));
            Statement { callable, receiver, args }
        };
        let made = || statement("wrap", None, vec![Argument::Int(3)]);
        let flipped = |receiver| statement("flip", Some(receiver), Vec::new());
        let call = statement("update", Some(0), vec![Argument::Array(vec![Argument::Earlier(2)])]);
        let script = Script { statements: vec![statement("C", None, vec![]), made(), flipped(1), call] };
        let expected = GeneratedCall {
            arguments: vec![Argument::Array(vec![Argument::Earlier(1)])],
            made: vec![made(), flipped(0)],
        };
        assert_eq!(without_receiver(script), Some(expected));
        for foreign in [
            vec![statement("equals", Some(0), vec![Argument::Earlier(0)])],
            vec![
                statement("copy", Some(0), Vec::new()),
                statement("equals", Some(0), vec![Argument::Earlier(1)]),
            ],
        ] {
            let statements = [vec![statement("C", None, Vec::new())], foreign].concat();
            assert_eq!(without_receiver(Script { statements }), None, "needs the receiver");
        }
    }
}
