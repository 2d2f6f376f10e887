//! Arguments with which the class is run: for every path of an open call, and beside the constants that
//! decide.

use std::collections::BTreeSet;

use adit_bytecode::Type;
use adit_concolic::{OpenCall, Replayer};
use adit_learn::{number, value};
use adit_smt::{Arena, Expr, Model, Node, Solver};
use adit_trace::{Argument, CallKind, Script, Statement};

use super::{OpenPath, Situation};

/// Most arguments of one call and test with which the class is run.
const MOST_SAMPLES: usize = 24;

/// Arguments with which the class is run, and the path that they take.
pub(super) struct Sample {
    pub(super) path: usize,
    pub(super) script: Script,
    pub(super) asks: bool,
}

/// Arguments for each path, and such as lie beside the constants of its condition.
pub(super) fn samples(
    arena: &mut Arena,
    solver: &mut dyn Solver,
    replayer: &Replayer<'_>,
    opened: &OpenCall,
    paths: &[OpenPath],
    situation: &Situation,
    question: Option<&Statement>,
) -> Vec<Sample> {
    let conditions: Vec<Expr> = paths.iter().map(|path| path.condition).collect();
    let mut numbers: BTreeSet<i64> = BTreeSet::from([0, 1, 10, 100]);
    for part in arena.parts(&conditions) {
        if let Node::Number(..) = arena.node(part)
            && let Some(constant) = arena.as_value(part)
        {
            let constant = number(constant);
            numbers.extend([constant.wrapping_sub(1), constant, constant.wrapping_add(1)]);
        }
    }
    let mut models: Vec<Model> = Vec::new();
    for &condition in &conditions {
        if let adit_smt::Answer::Sat(found) = solver.check(arena, &[condition]) {
            let all = opened.parameters.iter().map(|parameter| {
                let zero = value(parameter.kind.sort(), 0);
                (parameter.var, found.get(parameter.var).unwrap_or(zero))
            });
            models.push(all.collect());
        }
    }
    // One for each path first, then one parameter at a time.
    let first = models.clone();
    for model in &first {
        for parameter in &opened.parameters {
            for &other in &numbers {
                let mut varied = model.clone();
                varied.set(parameter.var, value(parameter.kind.sort(), other));
                models.push(varied);
            }
        }
    }
    let mut found: Vec<Sample> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for model in models {
        if found.len() >= MOST_SAMPLES {
            break;
        }
        let path = (0..conditions.len()).find(|&at| arena.satisfies(&model, &[conditions[at]]) == Ok(true));
        let statements = &situation.script.statements;
        let last = &statements[statements.len() - 1];
        let Some(path) = path else { continue };
        let Some(args) = arguments(replayer, opened, &model, last) else { continue };
        if !seen.insert(format!("{args:?}")) {
            continue;
        }
        let mut script = situation.script.clone();
        let at = script.statements.len() - 1;
        script.statements[at].args = args;
        if let Some(question) = question {
            let receiver = if last.callable.kind == CallKind::Method { last.receiver } else { Some(at) };
            script.statements.push(Statement { receiver, ..question.clone() });
        }
        found.push(Sample { path, script, asks: question.is_some() });
    }
    found
}

/// The assignment that stands for the arguments of a recorded call; nothing if one has no counterpart.
pub(super) fn given(replayer: &Replayer<'_>, opened: &OpenCall, call: &Statement) -> Option<Model> {
    let mut model = Model::default();
    let mut set = |at: usize, number: i64| {
        let parameter = &opened.parameters[at];
        model.set(parameter.var, value(parameter.kind.sort(), number));
    };
    for ((kind, at), argument) in opened.places.iter().zip(&call.args) {
        match (kind, argument) {
            (Type::Float | Type::Double, _) => set(*at, 0),
            (kind, Argument::Int(number)) if !kind.is_reference() => set(*at, *number),
            (_, Argument::Bool(truth)) => set(*at, i64::from(*truth)),
            (Type::Class(name), Argument::Text(text)) if &**name == "java/lang/String" => {
                let (length, hash) = (text.encode_utf16().count() as i64, java_hash(text));
                let number = (0..).map_while(|number| replayer.literal(number)).position(|one| one == text);
                // A number that no constant has.
                let content = number.map_or(i64::from(i32::MAX), |number| number as i64);
                [1, content, length, hash].into_iter().enumerate().for_each(|(offset, number)| {
                    set(at + offset, number);
                });
            }
            (Type::Array(_), Argument::Array(elements)) => {
                set(*at, 1);
                set(at + 1, elements.len() as i64);
            }
            (Type::Array(_), Argument::Earlier(_)) => return None,
            (Type::Class(name), Argument::Earlier(_)) if &**name == "java/lang/String" => return None,
            (Type::Class(name), argument) => {
                set(*at, i64::from(*argument != Argument::Null));
                if &**name == "java/lang/String" {
                    (1..4).for_each(|offset| set(at + offset, 0));
                }
            }
            (Type::Array(_), Argument::Null) => {
                set(*at, 0);
                set(at + 1, 0);
            }
            _ => return None,
        }
    }
    Some(model)
}

/// Java's `String.hashCode`.
fn java_hash(text: &str) -> i64 {
    let units = text.encode_utf16();
    i64::from(units.fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit))))
}

/// Arguments as an assignment says. Objects are those of the test, where it has one; nothing if the
/// assignment asks for something that cannot be written down.
fn arguments(
    replayer: &Replayer<'_>,
    opened: &OpenCall,
    model: &Model,
    call: &Statement,
) -> Option<Vec<Argument>> {
    let of = |at: usize| model.get(opened.parameters[at].var).map_or(0, number);
    let mut args = Vec::new();
    for ((kind, at), given) in opened.places.iter().zip(&call.args) {
        args.push(match kind {
            Type::Boolean => Argument::Bool(of(*at) != 0),
            Type::Char => Argument::Int(of(*at) & 0xffff),
            Type::Float | Type::Double => given.clone(),
            kind if !kind.is_reference() => Argument::Int(of(*at)),
            _ if of(*at) == 0 => Argument::Null,
            Type::Class(name) if &**name == "java/lang/String" => {
                let (content, length) = (of(at + 1), of(at + 2) & 0xffff);
                match replayer.literal(content) {
                    Some(text) => Argument::Text(text.to_owned()),
                    None if length <= 200 => Argument::Text("x".repeat(usize::try_from(length).ok()?)),
                    None => return None,
                }
            }
            // The length of an array from outside would have to be that of the assignment.
            Type::Array(_) => match given {
                Argument::Array(elements) if elements.len() as i64 == of(at + 1) & 0xffff => given.clone(),
                _ => return None,
            },
            _ => match given {
                Argument::Null => return None,
                given => given.clone(),
            },
        });
    }
    Some(args)
}
