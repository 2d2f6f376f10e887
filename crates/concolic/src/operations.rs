//! The operations of a component: its public constructors and methods.

use std::sync::Arc;

use adit_bytecode::{Flags, Method, Type};
use adit_learn::Role;

use crate::Unknown;
use crate::link::{ClassId, Linker, MethodNumber};

/// A public constructor or method.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) method: MethodNumber,
    pub(crate) role: Role,
    /// The name that readers see; overloads have their parameter types.
    pub(crate) name: String,
    /// Names and types of the parameters.
    pub(crate) parameters: Vec<(String, Type)>,
}

/// Returns the operations of a class: its public constructors and methods, and the public methods of its
/// superclasses except those of `Object`.
pub(crate) fn operations(linker: &mut Linker<'_>, class: ClassId) -> Result<Vec<Operation>, Unknown> {
    let mut found: Vec<Operation> = Vec::new();
    let mut overridden: Vec<(Arc<str>, Arc<str>)> = Vec::new();
    let simple = linker.at(class).class.name.rsplit(['/', '$']).next().unwrap_or_default().to_owned();
    let mut next = Some(class);
    while let Some(id) = next {
        let declared = linker.at(id).class.clone();
        if &*declared.name == "java/lang/Object" {
            break;
        }
        for (index, method) in declared.methods.iter().enumerate().filter(|(_, method)| is_public(method)) {
            let key = (method.name.clone(), method.descriptor.clone());
            let is_inherited = id != class;
            if overridden.contains(&key) || (is_inherited && (method.is_constructor() || method.is_static()))
            {
                continue;
            }
            overridden.push(key);
            let role = match method {
                method if method.is_constructor() => Role::Constructor,
                method if method.is_static() => Role::Static,
                _ => Role::Instance,
            };
            let name = if role == Role::Constructor { simple.clone() } else { method.name.to_string() };
            let method_number = linker.method_number(id, index);
            found.push(Operation { method: method_number, role, name, parameters: parameters(method) });
        }
        next = linker.at(id).superclass;
    }
    spell_overloads(&mut found);
    Ok(found)
}

fn is_public(method: &Method) -> bool {
    let hidden = Flags::SYNTHETIC.0 | Flags::ABSTRACT.0;
    method.flags.has(Flags::PUBLIC) && method.flags.0 & hidden == 0 && &*method.name != "<clinit>"
}

fn parameters(method: &Method) -> Vec<(String, Type)> {
    parameter_names(method).into_iter().zip(method.signature().parameters).collect()
}

/// Names of the parameters from the class file, or `p0`, `p1` and so on.
pub(crate) fn parameter_names(method: &Method) -> Vec<String> {
    let count = method.signature().parameters.len();
    // Inner classes have hidden parameters, so the names may not fit.
    let names = if method.parameters.len() == count { &method.parameters[..] } else { &[] };
    let name = |at: usize| names.get(at).cloned().flatten().map_or(format!("p{at}"), |name| name.to_string());
    (0..count).map(name).collect()
}

/// Gives methods of one name their parameter types.
fn spell_overloads(operations: &mut [Operation]) {
    let names: Vec<String> = operations.iter().map(|one| one.name.clone()).collect();
    for operation in operations.iter_mut() {
        if names.iter().filter(|name| **name == operation.name).count() > 1 {
            let kinds: Vec<String> = operation.parameters.iter().map(|(_, kind)| kind.to_string()).collect();
            operation.name += &format!("({})", kinds.join(","));
        }
    }
}
