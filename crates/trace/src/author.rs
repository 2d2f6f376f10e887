//! Knowledge that a search needs of a subject besides running it: who writes scripts for it, and which calls
//! are events.

use std::sync::Arc;

use rand::Rng;

use crate::{CallKind, Callable, EventNames, Run, Script};

/// Something that writes scripts for a subject: it knows the types of the subject, and where values come
/// from.
///
/// The same random numbers and the same observations give the same scripts.
pub trait Author {
    /// Writes a random script that makes an object and calls `calls` methods on it or on another one.
    fn script(&mut self, rng: &mut impl Rng, calls: usize) -> Script;

    /// Makes small random changes to a script.
    fn mutate(&self, script: &Script, rng: &mut impl Rng) -> Script;

    /// The same calls with other values: one argument or a few are drawn anew or altered.
    fn revalue(&self, script: &Script, rng: &mut impl Rng) -> Script;

    /// Joins the beginning of one script with the end of another.
    fn cross(&self, head: &Script, tail: &Script, rng: &mut impl Rng) -> Script;

    /// Adds one call at the end of a script: a method of the vocabulary on the object that statement `on`
    /// gave, preceded by the statements that its arguments need. `None` if there are no values for the
    /// arguments.
    fn extend(&self, script: &Script, on: usize, call: &Arc<Callable>, rng: &mut impl Rng) -> Option<Script>;

    /// Learns from a run of one of its scripts.
    fn observe(&mut self, script: &Script, run: &Run);

    /// Avoids a call from now on, because it hangs.
    fn give_up(&mut self, callable: &Arc<Callable>);
}

/// The calls that are events of the objects under test.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// The type of the objects under test, as the subject names it.
    pub class: Arc<str>,
    /// The calls that make an object.
    pub starts: Vec<Arc<Callable>>,
    /// The calls on an object.
    pub methods: Vec<Arc<Callable>>,
    /// The names of events.
    pub names: EventNames,
}

impl Vocabulary {
    /// All calls: first those that make an object, then those on one.
    pub fn callables(&self) -> impl Iterator<Item = &Arc<Callable>> {
        self.starts.iter().chain(&self.methods)
    }

    /// Tells whether a call makes an object under test, or is a call on one.
    pub fn concerns(&self, callable: &Callable) -> bool {
        let is_member = matches!(callable.kind, CallKind::Constructor | CallKind::Method);
        is_member && *callable.owner == *self.class || self.starts.iter().any(|start| **start == *callable)
    }
}
