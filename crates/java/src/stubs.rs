//! Objects of interfaces and abstract classes that nothing on the class path can make: a subclass is written,
//! whose methods return what they are told or throw.
//!
//! A stub is a constructor call on the abstract class itself. Its signature says which methods there are, and
//! their results are arguments behind those of the constructor, so that they are chosen, changed and kept
//! like any other argument. In Java source it is an anonymous class.
//!
//! Paper: none; mock objects, as test libraries have them.

use std::sync::Arc;

use adit_bytecode::{
    Class, Flags, GenericType, Method, Program, Stub, StubMethod, Type, generic_method, type_variables,
};
use adit_trace::{CallKind, Callable};

use crate::Operation;
use crate::api::{callable, is_public, value_kind};

/// An interface with more methods to implement is about something that a few fixed answers do not imitate.
const MOST_METHODS: usize = 16;

/// The stub of an interface or of an abstract class; nothing if code outside its package cannot write one.
pub(crate) fn stub(program: &Program<'_>, class: &Class) -> Option<Stub> {
    let inner = class.nesting.as_ref().is_some_and(|nesting| !nesting.flags.has(Flags::STATIC));
    if !class.flags.has(Flags::ABSTRACT)
        || class.flags.has(Flags::ANNOTATION)
        || class.flags.has(Flags::ENUM)
        || class.sealed
        || (inner && !class.is_interface())
        || !program.is_loadable(&class.name)
    {
        return None;
    }
    let constructor = if class.is_interface() {
        "()V".into()
    } else {
        let usable = |method: &&Method| method.is_constructor() && is_inheritable(method);
        let cheapest = class.methods.iter().filter(usable).min_by_key(|method| method.descriptor.len())?;
        is_nameable(program, cheapest).then(|| cheapest.descriptor.clone())?
    };
    let open = program.open_methods(&class.name);
    let is_raw =
        class.generic_signature.as_deref().and_then(type_variables).is_some_and(|all| !all.is_empty());
    let fits = |&(declared, method): &(&Class, &Method)| {
        // Java source must state the types that the variables stand for, which are not followed here. The
        // members of a raw type are erased.
        let is_erased = is_raw || declared.name == class.name || !has_variables(method);
        is_inheritable(method) && is_nameable(program, method) && is_erased
    };
    // A method that is there twice is stated again, with narrower types.
    let is_stated_again = |(at, (_, one)): (usize, &(&Class, &Method))| {
        open[..at].iter().any(|(_, other)| {
            let parameters = |method: &Method| method.signature().parameters;
            let (own, others) = (parameters(one), parameters(other));
            let related = own == others || has_variables(one) || has_variables(other);
            one.name == other.name && own.len() == others.len() && related
        })
    };
    if open.is_empty()
        || open.len() > MOST_METHODS
        || !open.iter().all(fits)
        || open.iter().enumerate().any(is_stated_again)
    {
        return None;
    }
    let method = |(_, method): &(&Class, &Method)| StubMethod {
        name: method.name.clone(),
        descriptor: method.descriptor.clone(),
        throws: false,
    };
    Some(Stub { constructor, methods: open.iter().map(method).collect() })
}

/// The same stub, all of whose methods throw.
pub(crate) fn throwing(stub: &Stub) -> Stub {
    let mut stub = stub.clone();
    stub.methods.iter_mut().for_each(|method| method.throws = true);
    stub
}

/// The call that makes the stub of a class.
pub(crate) fn operation(class: &str, stub: &Stub) -> Operation {
    let parameters = stub.parameters();
    let signature = stub.to_string();
    let called = callable(CallKind::Constructor, class, "<init>", &stub.constructor);
    let kinds = parameters.iter().map(value_kind).collect();
    Operation {
        callable: Arc::new(Callable { parameters: kinds, signature, ..called }),
        receiver: None,
        parameters,
        result: Some(Type::Class(class.into())),
        varargs: false,
    }
}

/// Tells whether a subclass in another package can implement or call the member.
fn is_inheritable(method: &Method) -> bool {
    method.flags.has(Flags::PUBLIC) || method.flags.has(Flags::PROTECTED)
}

/// Tells whether code anywhere may name the types of a method.
fn is_nameable(program: &Program<'_>, method: &Method) -> bool {
    let signature = method.signature();
    signature.parameters.iter().chain(&signature.result).all(|wanted| {
        let mut wanted = wanted;
        while let Type::Array(element) = wanted {
            wanted = element;
        }
        match wanted {
            Type::Class(name) => program.outline(name).is_some_and(|class| is_public(program, class)),
            _ => true,
        }
    })
}

/// Tells whether a method's generic signature mentions type variables.
fn has_variables(method: &Method) -> bool {
    fn mentions(generic: &GenericType) -> bool {
        match generic {
            GenericType::Variable(_) => true,
            GenericType::Class(_, arguments) => arguments.iter().flatten().any(mentions),
            // An array may be one of a variable.
            GenericType::Array(element) => mentions(element),
            GenericType::Primitive => false,
        }
    }
    let Some(signature) = &method.generic_signature else { return false };
    generic_method(signature)
        .is_none_or(|(parameters, result)| parameters.iter().chain([&result]).any(mentions))
}
