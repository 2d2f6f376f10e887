//! An independent judge of scripts: does every statement have what its descriptor asks for?
//!
//! It shares nothing with the crate: descriptors are read letter by letter, and who extends whom stands here
//! by hand.

use adit_trace::{Argument, CallKind, Script, Statement};

/// Direct supertypes among the small classes.
const ABOVE: [(&str, &[&str]); 6] = [
    ("small.Counter", &["java.lang.Comparable"]),
    ("small.Crate", &["small.Holder"]),
    ("small.Dog", &["small.Animal"]),
    ("small.Cat", &["small.Animal"]),
    ("small.Color", &["java.lang.Enum", "java.lang.Comparable"]),
    ("java.lang.String", &["java.lang.CharSequence", "java.lang.Comparable"]),
];

/// Returns the first fault of a script, if it has one.
pub(crate) fn fault(script: &Script) -> Option<String> {
    script.statements.iter().enumerate().find_map(|(at, statement)| {
        let wrong = fault_of(&script.statements[..at], statement)?;
        Some(format!("statement {at}, {}: {wrong}", statement.callable.name))
    })
}

fn fault_of(earlier: &[Statement], statement: &Statement) -> Option<String> {
    let callable = &statement.callable;
    match (callable.kind, statement.receiver) {
        (CallKind::Method, None) => return Some("no receiver".into()),
        (CallKind::Method, Some(at)) => {
            let Some(given) = earlier.get(at) else { return Some("the receiver comes later".into()) };
            if !is_below(&result(given), &callable.owner) {
                return Some(format!("the receiver is a {}", result(given)));
            }
        }
        (_, Some(_)) => return Some("a receiver where none is called".into()),
        (_, None) => {}
    }
    if callable.kind == CallKind::Constant {
        return (!statement.args.is_empty()).then(|| "a field with arguments".into());
    }
    let parameters = parameters(&callable.signature);
    if parameters.len() != statement.args.len() {
        return Some(format!("{} arguments for {} parameters", statement.args.len(), parameters.len()));
    }
    let mut pairs = statement.args.iter().zip(&parameters);
    pairs.find(|(argument, wanted)| !suits(earlier, argument, wanted)).map(|pair| format!("{pair:?}"))
}

fn suits(earlier: &[Statement], argument: &Argument, wanted: &str) -> bool {
    let primitive =
        matches!(wanted, "boolean" | "byte" | "char" | "short" | "int" | "long" | "float" | "double");
    match argument {
        Argument::Null => !primitive,
        Argument::Bool(_) => wanted == "boolean",
        Argument::Int(_) => {
            matches!(
                wanted,
                "byte" | "char" | "short" | "int" | "long" | "java.lang.Object" | "java.lang.Long"
            ) || wanted == "java.lang.Comparable"
        }
        Argument::Float(_) => matches!(wanted, "float" | "double"),
        Argument::Text(_) => is_below("java.lang.String", wanted),
        Argument::Earlier(at) => earlier.get(*at).is_some_and(|given| is_below(&result(given), wanted)),
        Argument::Array(elements) => wanted
            .strip_suffix("[]")
            .is_some_and(|element| elements.iter().all(|value| suits(earlier, value, element))),
        Argument::Function(result) => wanted == "small.Action" && matches!(**result, Argument::Int(_)),
        Argument::Class(_) => wanted == "java.lang.Class",
    }
}

fn is_below(below: &str, above: &str) -> bool {
    let primitive = !below.contains(['.', '[']);
    let direct = ABOVE.iter().find(|(name, _)| *name == below).map_or(&[][..], |(_, above)| above);
    below == above
        || (above == "java.lang.Object" && !primitive)
        || direct.iter().any(|direct| is_below(direct, above))
}

fn result(statement: &Statement) -> String {
    let callable = &statement.callable;
    match callable.kind {
        CallKind::Constructor => callable.owner.clone(),
        CallKind::Constant => types(&callable.signature).remove(0),
        _ => types(callable.signature.split(')').next_back().unwrap()).remove(0),
    }
}

fn parameters(descriptor: &str) -> Vec<String> {
    types(descriptor[1..].split(')').next().unwrap())
}

fn types(descriptors: &str) -> Vec<String> {
    let (mut found, mut letters, mut arrays) = (Vec::new(), descriptors.chars(), 0);
    while let Some(letter) = letters.next() {
        let name = match letter {
            '[' => {
                arrays += 1;
                continue;
            }
            'L' => letters.by_ref().take_while(|&c| c != ';').collect::<String>().replace('/', "."),
            letter => {
                let names = "Zboolean Bbyte Cchar Sshort Iint Jlong Ffloat Ddouble Vvoid";
                names.split(' ').find_map(|name| name.strip_prefix(letter)).unwrap().to_owned()
            }
        };
        found.push(name + &"[]".repeat(arrays));
        arrays = 0;
    }
    found
}
