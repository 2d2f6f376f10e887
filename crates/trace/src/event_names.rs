//! The names of events: what a label says before its outcome.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Callable;

/// The names of events, as far as they differ from the names of what is called: those of overloads that are
/// told apart.
#[derive(Clone, Debug, Default)]
pub struct EventNames(FxHashMap<Arc<Callable>, Arc<str>>);

impl EventNames {
    /// Tells whether every event has the name of what is called.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name of the events of a call.
    pub fn of<'a>(&'a self, callable: &'a Callable) -> &'a str {
        self.0.get(callable).map_or(&callable.name, |name| name)
    }
}

impl FromIterator<(Arc<Callable>, Arc<str>)> for EventNames {
    fn from_iter<I: IntoIterator<Item = (Arc<Callable>, Arc<str>)>>(names: I) -> Self {
        Self(names.into_iter().collect())
    }
}
