//! The methods of a class that the labels of a model stand for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_attack::order::Side;
use adit_bytecode::{Flags, Instruction, MethodId, Program, Signature, Type};
use adit_trace::{Label, Vocabulary};

/// One event of a constraint.
#[derive(Clone, Debug)]
pub(super) struct EventMethods {
    /// Its methods, each where its code is.
    pub(super) methods: Vec<MethodId>,
    /// The answer that the label tells.
    pub(super) answer: Option<bool>,
}

/// The methods of objects of one class, inherited ones included: name, descriptor and the class with the
/// code.
pub(super) struct ClassMethods {
    simple_name: String,
    methods: BTreeMap<(String, String), MethodId>,
    /// Those that are static and return an object of the class or of one above it.
    factories: BTreeSet<(String, String)>,
    /// Names and numbers of parameters of those that tests call.
    called: BTreeSet<(String, usize)>,
}

/// A label that is no call on an object that could change places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// It makes the object.
    Makes,
    /// It tells an exception.
    Throws,
    /// The class has no such method.
    Missing,
}

impl ClassMethods {
    /// Reads the methods of a class, and which of them these test classes call, by internal name.
    pub(super) fn of(program: &Program<'_>, class: &str, tests: &[String]) -> Self {
        let (mut methods, mut factories) = (BTreeMap::new(), BTreeSet::new());
        let supertypes = program.supertypes(class);
        let is_above = |result: &str| {
            supertypes.iter().any(|above| *result == *above.name && result != "java/lang/Object")
        };
        for above in &supertypes {
            for method in above.methods.iter().filter(|method| !method.name.starts_with('<')) {
                let key = (method.name.to_string(), method.descriptor.to_string());
                if methods.contains_key(&key) || method.flags.has(Flags::SYNTHETIC) {
                    continue;
                }
                let result =
                    method.descriptor.rsplit(")L").next().and_then(|result| result.strip_suffix(';'));
                if method.flags.has(Flags::STATIC) && result.is_some_and(is_above) {
                    factories.insert(key.clone());
                }
                let found = program.resolve(class, &method.name, &method.descriptor);
                let owner = found.map_or(&above.name, |(owner, _)| &owner.name);
                methods.insert(key, MethodId::new(owner, &method.name, &method.descriptor));
            }
        }
        let simple_name = class.rsplit(['/', '$']).next().unwrap_or(class).to_owned();
        Self { simple_name, methods, factories, called: called_by(program, class, tests) }
    }

    /// The names of all methods.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        self.methods.keys().map(|(name, _)| name.as_str()).collect()
    }

    /// The methods of a label.
    pub(super) fn of_label(&self, text: &str) -> Result<EventMethods, Unusable> {
        let label = Label::parse(text);
        if label.threw().is_some() {
            return Err(Unusable::Throws);
        }
        if label.name() == self.simple_name {
            return Err(Unusable::Makes);
        }
        let fits = |(name, descriptor): &(String, String)| {
            name == label.name()
                && label.parameters().is_none_or(|wanted| {
                    let types = Signature::parse(descriptor).map(|read| read.parameters).unwrap_or_default();
                    spelled(&types, false) == wanted || spelled(&types, true) == wanted
                })
        };
        let methods: Vec<MethodId> =
            self.methods.iter().filter(|(key, _)| fits(key)).map(|(_, id)| id.clone()).collect();
        if methods.is_empty() {
            return Err(Unusable::Missing);
        }
        if methods.iter().all(|id| self.factories.contains(&(id.name.to_string(), id.descriptor.to_string())))
        {
            return Err(Unusable::Makes);
        }
        // A name without parameters stands for the overloads that were observed. Calls through a generic type
        // name other types than the method has, so only the number of parameters counts.
        let is_called = |id: &&MethodId| self.called.contains(&(id.name.to_string(), arity(&id.descriptor)));
        let called: Vec<MethodId> = methods.iter().filter(is_called).cloned().collect();
        let methods = if called.is_empty() { methods } else { called };
        Ok(EventMethods { methods, answer: label.answer() })
    }
}

impl EventMethods {
    /// The calls that stand for the event in scripts.
    pub(super) fn side(&self, vocabulary: &Vocabulary) -> Side {
        let is_one = |name: &str, signature: &str| {
            self.methods.iter().any(|method| &*method.name == name && &*method.descriptor == signature)
        };
        let callables =
            vocabulary.methods.iter().filter(|callable| is_one(&callable.name, &callable.signature));
        Side { callables: callables.cloned().collect(), answer: self.answer }
    }

    /// Tells whether a method with this name and descriptor is one of them.
    pub(super) fn has(&self, name: &str, descriptor: &str) -> bool {
        self.methods.iter().any(|method| &*method.name == name && &*method.descriptor == descriptor)
    }
}

/// Names and numbers of parameters of the methods that test classes, and classes nested in them, call on
/// objects of a class or of one above or below it. Methods of `Object` count only where they are called on
/// the class itself.
fn called_by(program: &Program<'_>, class: &str, tests: &[String]) -> BTreeSet<(String, usize)> {
    let mut related: BTreeSet<Arc<str>> = program.subtypes(class);
    related.extend(program.supertypes(class).into_iter().map(|above| above.name.clone()));
    related.remove("java/lang/Object");
    let is_test = |name: &str| {
        let outermost = name.split('$').next().unwrap_or(name);
        tests.iter().any(|test| test == name || test == outermost)
    };
    let mut called = BTreeSet::new();
    for outline in program.outlines().filter(|outline| is_test(&outline.name)) {
        let Some(test) = program.class(&outline.name) else { continue };
        let code = test.methods.iter().filter_map(|method| method.code.as_ref());
        for (_, instruction) in code.flat_map(|code| &code.instructions) {
            if let Instruction::Invoke(_, member) = instruction
                && related.contains(&*member.class)
            {
                called.insert((member.name.to_string(), arity(&member.descriptor)));
            }
        }
    }
    called
}

/// Number of parameters of a descriptor.
fn arity(descriptor: &str) -> usize {
    Signature::parse(descriptor).map_or(0, |read| read.parameters.len())
}

/// Parameter types as labels have them: simple names, or whole ones.
fn spelled(types: &[Type], whole: bool) -> String {
    let spell = |one: &Type| {
        let text = one.to_string();
        if whole { text } else { text.rsplit(['.', '$']).next().unwrap_or(&text).to_owned() }
    };
    types.iter().map(spell).collect::<Vec<_>>().join(",")
}
