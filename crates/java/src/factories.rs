//! Static members that give objects of a class under the name of something above it, as
//! `static Bag unmodifiable(Bag)` of a class `UnmodifiableBag` without public constructors.
//!
//! What such a method really gives stands in its code: it makes an object of the class, or reads a static
//! field of its own. Where it sometimes gives something else, as its argument unchanged, calls on that are
//! skipped when they are made.
//!
//! Paper: none.

use adit_bytecode::{Class, Flags, Instruction, Method, Program, Type};

use crate::Operation;
use crate::api::is_callable;

/// The static methods and constants of `class` whose declared type is above `wanted`, and which give objects
/// of it or below it by what the code shows.
pub(crate) fn factories(
    program: &Program<'_>,
    class: &Class,
    wanted: &str,
    non_public: bool,
) -> Vec<Operation> {
    let Some(class) = program.class(&class.name) else { return Vec::new() };
    let is_above = |given: &Type| match given {
        Type::Class(name) => &**name != "java/lang/Object" && program.is_subtype(wanted, name),
        _ => false,
    };
    let as_wanted = |mut operation: Operation| {
        operation.result = Some(Type::Class(wanted.into()));
        operation
    };
    let methods = class.methods.iter().filter(|method| {
        let gives = method.signature().result;
        method.is_static()
            && is_callable(method.flags, non_public)
            && gives.as_ref().is_some_and(is_above)
            && (makes(program, method, wanted) || reads_own_field(method, &class.name))
    });
    let makes_constants =
        class.methods.iter().any(|method| &*method.name == "<clinit>" && makes(program, method, wanted));
    let constants = class.fields.iter().filter(|field| {
        makes_constants
            && field.flags.has(Flags::STATIC | Flags::FINAL)
            && is_callable(field.flags, non_public)
            && is_above(&field.field_type())
    });
    let from_methods = methods.map(|method| Operation::of_method(&class, method, &class.name));
    let from_fields = constants.map(|field| Operation::of_field(&class, &field.name, &field.descriptor));
    // Scripts share what a constant holds, so that it is only taken where nothing else makes an object.
    let mut found: Vec<Operation> = from_methods.map(as_wanted).collect();
    if found.is_empty() {
        found.extend(from_fields.map(as_wanted));
    }
    found
}

fn makes(program: &Program<'_>, method: &Method, wanted: &str) -> bool {
    let mut code = method.code.iter().flat_map(|code| &code.instructions);
    code.any(|(_, one)| matches!(one, Instruction::New(made) if program.is_subtype(made, wanted)))
}

fn reads_own_field(method: &Method, class: &str) -> bool {
    let mut code = method.code.iter().flat_map(|code| &code.instructions);
    code.any(|(_, one)| matches!(one, Instruction::GetStatic(field) if &*field.class == class))
}
