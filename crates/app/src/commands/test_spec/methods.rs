//! The methods of a class that the labels of a model stand for.

use std::collections::{BTreeMap, BTreeSet};

use adit_attack::order::Side;
use adit_bytecode::{Flags, MethodId, Program, Signature, Type};
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
    pub(super) fn of(program: &Program<'_>, class: &str) -> Self {
        let mut methods = BTreeMap::new();
        for above in program.supertypes(class) {
            for method in above.methods.iter().filter(|method| !method.name.starts_with('<')) {
                let key = (method.name.to_string(), method.descriptor.to_string());
                if methods.contains_key(&key) || method.flags.has(Flags::SYNTHETIC) {
                    continue;
                }
                let found = program.resolve(class, &method.name, &method.descriptor);
                let owner = found.map_or(&above.name, |(owner, _)| &owner.name);
                methods.insert(key, MethodId::new(owner, &method.name, &method.descriptor));
            }
        }
        let simple_name = class.rsplit(['/', '$']).next().unwrap_or(class).to_owned();
        Self { simple_name, methods }
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

/// Parameter types as labels have them: simple names, or whole ones.
fn spelled(types: &[Type], whole: bool) -> String {
    let spell = |one: &Type| {
        let text = one.to_string();
        if whole { text } else { text.rsplit(['.', '$']).next().unwrap_or(&text).to_owned() }
    };
    types.iter().map(spell).collect::<Vec<_>>().join(",")
}
