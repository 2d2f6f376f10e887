//! The names of a class's events: what a label says before its outcome.
//!
//! Paper: none. The papers label a call by its method's name, which [`Overloads::Merged`] does. But overloads
//! can differ in when they are enabled: a `StringTokenizer` without tokens refuses `nextToken()` and not
//! `nextToken(String)`. Constructors and factories are named by their names alone: each begins an object, and
//! the states that follow show what it was given.

use std::collections::{BTreeMap, BTreeSet};

use adit_bytecode::overloads::{self, Overload, Overloads};
use adit_trace::{EventNames, Label};

use crate::{Api, Operation};

/// Names the events of `methods`; those that are named after their method alone are left out.
pub(crate) fn event_names(overloads: Overloads, methods: &[Operation]) -> EventNames {
    let all: Vec<Overload<'_>> = match overloads {
        Overloads::Apart => methods.iter().map(overload).collect(),
        Overloads::Merged => Vec::new(),
    };
    let named = methods.iter().zip(overloads::names(&all));
    let differing = named.filter(|(method, name)| *name != method.callable.name);
    differing.map(|(method, name)| (method.callable.clone(), name.into())).collect()
}

fn overload(operation: &Operation) -> Overload<'_> {
    Overload { name: &operation.callable.name, parameters: &operation.parameters, counts: true }
}

/// The names that the events of an API have, for calls that were recorded under their signatures.
#[derive(Clone, Debug)]
pub struct RecordedNames {
    overloads: Overloads,
    /// By signature, `nextToken(java.lang.String)`.
    by_signature: BTreeMap<String, String>,
    /// The names of all methods that are called.
    methods: BTreeSet<String>,
}

impl RecordedNames {
    /// The names of the events of `api`.
    pub fn of(api: &Api) -> Self {
        let names = api.starts.iter().chain(&api.methods).map(|operation| {
            let signature = overloads::signature(&operation.callable.name, &operation.parameters);
            (signature, api.names.of(&operation.callable).to_owned())
        });
        Self {
            overloads: api.overloads,
            by_signature: names.collect(),
            methods: api.methods.iter().map(|method| method.callable.name.clone()).collect(),
        }
    }

    /// The name of the events of a method with this signature.
    ///
    /// An overload that is not called keeps its signature: it must not read like one that is.
    pub fn name(&self, signature: &str) -> String {
        if let Some(name) = self.by_signature.get(signature) {
            return name.clone();
        }
        let name = Label::call(signature).name();
        let is_overload = self.overloads == Overloads::Apart && self.methods.contains(name);
        if is_overload { signature } else { name }.to_owned()
    }
}
