//! Ties: calls that only take what other calls on the same object returned, such as a condition of this lock
//! or a savepoint of this connection.
//!
//! Such an argument cannot be made for any object, so no move has it. But once a situation has made the call
//! that returns it, it can be passed. Whether it has is then part of the situation, as a field would be.
//!
//! Paper: none; bookkeeping for [`explore`](crate::explore) and [`validate`](crate::validate).

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use adit_trace::{Argument, Callable, Run, Script, Statement};
use rustc_hash::FxHasher;

use crate::EventReader;

/// Calls that returned only if an argument came from the object itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ties {
    tied: Rc<BTreeMap<Arc<Callable>, Sources>>,
    /// Calls that returned with other values too.
    free: Rc<BTreeSet<Arc<Callable>>>,
}

/// Parameters, each with a method that returns a value for it.
type Sources = BTreeSet<(usize, Arc<Callable>)>;

impl Ties {
    /// Learns ties from runs. A call that returned with any other value has none.
    pub(crate) fn of<'a>(
        runs: impl IntoIterator<Item = (&'a Script, &'a Run)>,
        reader: &EventReader,
    ) -> Self {
        let mut ties = Self::default();
        ties.learn(runs, reader);
        ties
    }

    /// Learns from more runs, and tells whether other calls are tied than before.
    pub(crate) fn learn<'a>(
        &mut self,
        runs: impl IntoIterator<Item = (&'a Script, &'a Run)>,
        reader: &EventReader,
    ) -> bool {
        let (mut tied, mut free) = ((*self.tied).clone(), (*self.free).clone());
        for (script, run) in runs {
            for heard in reader.read(script, run) {
                let calls = heard.statements.iter().map(|&at| &script.statements[at]);
                for call in calls.filter(|call| call.receiver == Some(heard.object)) {
                    let sources = sources(script, call, heard.object);
                    if sources.is_empty() {
                        free.insert(call.callable.clone());
                    } else {
                        tied.entry(call.callable.clone()).or_default().extend(sources);
                    }
                }
            }
        }
        tied.retain(|callable, _| !free.contains(callable));
        let is_new = tied != *self.tied;
        *self = Self { tied: Rc::new(tied), free: Rc::new(free) };
        is_new
    }

    /// Tells whether a call only takes what the same object returned, as far as is known.
    pub(crate) fn is_tied(&self, callable: &Arc<Callable>) -> bool {
        self.tied.contains_key(callable)
    }

    /// Learns that the last call of a script returned, which it did not with any value from elsewhere. Tells
    /// whether it is tied and was not before.
    pub(crate) fn tie(&mut self, script: &Script, object: usize) -> bool {
        let Some(call) = script.statements.last() else { return false };
        let sources = sources(script, call, object);
        let is_new =
            !sources.is_empty() && !self.free.contains(&call.callable) && !self.is_tied(&call.callable);
        if is_new {
            Rc::make_mut(&mut self.tied).insert(call.callable.clone(), sources);
        }
        is_new
    }

    /// The values in a script that a call on its object may need: parameters, each with the first and the
    /// last statements that gave a value for it. The last one may have failed, and given none.
    pub(crate) fn values(
        &self,
        callable: &Arc<Callable>,
        script: &Script,
        object: usize,
    ) -> impl Iterator<Item = (usize, Argument)> {
        /// Of those that are not the first.
        const LAST: usize = 2;
        self.tied.get(callable).into_iter().flatten().flat_map(move |(parameter, source)| {
            let gives = |one: &Statement| {
                one.receiver == Some(object) && one.callable.overload() == source.overload()
            };
            let numbered = script.statements.iter().enumerate();
            let mut given = numbered.filter(|(_, one)| gives(one)).map(|(at, _)| at).collect::<Vec<_>>();
            let rest = given.split_off(given.len().min(1));
            given.extend(&rest[rest.len().saturating_sub(LAST)..]);
            given.into_iter().map(|at| (*parameter, Argument::Earlier(at)))
        })
    }

    /// Hash of the values that a script has for tied calls on its object; nothing if no call is tied.
    pub(crate) fn held(&self, script: &Script, object: Option<usize>) -> Option<u64> {
        if self.tied.is_empty() {
            return None;
        }
        let sources: BTreeSet<(&str, &str)> =
            self.tied.values().flatten().map(|(_, source)| source.overload()).collect();
        let calls = script.statements.iter().filter(|one| object.is_some() && one.receiver == object);
        let held: BTreeSet<_> =
            calls.map(|one| one.callable.overload()).filter(|one| sources.contains(one)).collect();
        let mut hasher = FxHasher::default();
        held.hash(&mut hasher);
        Some(hasher.finish())
    }
}

/// Parameters of a call that were given what calls on an object returned.
fn sources(script: &Script, call: &Statement, object: usize) -> Sources {
    let returned = |(parameter, argument): (usize, &Argument)| {
        let Argument::Earlier(at) = argument else { return None };
        let source = script.statements.get(*at).filter(|source| source.receiver == Some(object))?;
        Some((parameter, source.callable.clone()))
    };
    call.args.iter().enumerate().filter_map(returned).collect()
}

#[cfg(test)]
mod tests {
    use adit_trace::{CallKind, End, EventNames, Step, StepResult, Value, ValueKind, Vocabulary};

    use super::*;

    fn callable(kind: CallKind, name: &str, parameters: Vec<ValueKind>) -> Arc<Callable> {
        Arc::new(Callable { answer: ValueKind::Object, parameters, ..Callable::new(kind, "Lock", name) })
    }

    /// A lock that answers questions about its own conditions only, and a call that takes anything.
    #[test]
    fn a_call_that_returns_only_with_a_value_of_its_object_is_tied() {
        let make = callable(CallKind::Constructor, "Lock", Vec::new());
        let condition = callable(CallKind::Method, "newCondition", Vec::new());
        let waiters = callable(CallKind::Method, "waiters", vec![ValueKind::Object]);
        let equals = callable(CallKind::Method, "same", vec![ValueKind::Object]);
        let reader = EventReader::new(&Vocabulary {
            class: "Lock".into(),
            starts: vec![make.clone()],
            methods: vec![condition.clone(), waiters.clone(), equals.clone()],
            names: EventNames::default(),
        });
        let call = |callable: &Arc<Callable>, receiver, args| Statement {
            callable: callable.clone(),
            receiver,
            args,
        };
        let own = || vec![Argument::Earlier(1)];
        let script = Script {
            statements: vec![
                call(&make, None, Vec::new()),
                call(&condition, Some(0), Vec::new()),
                call(&waiters, Some(0), own()),
                call(&equals, Some(0), own()),
                call(&equals, Some(0), vec![Argument::Null]),
            ],
        };
        let object = |class: &str, first| Step::new(StepResult::Object { class: class.into(), first });
        let void = || Step::new(StepResult::Returned(Value::Void));
        let steps = vec![object("Lock", 0), object("Condition", 1), void(), void(), void()];
        let run = Run { steps, end: End::Complete, leaked: false, passed: None };
        let mut ties = Ties::of([(&script, &run)], &reader);
        let values = |callable| ties.values(callable, &script, 0).collect::<Vec<_>>();
        assert_eq!(values(&waiters), [(0, Argument::Earlier(1))]);
        assert_eq!(values(&equals), []);
        let mut longer = script.clone();
        longer.statements.extend((0..4).map(|_| call(&condition, Some(0), Vec::new())));
        let given = ties.values(&waiters, &longer, 0).map(|(_, value)| value).collect::<Vec<_>>();
        assert_eq!(given, [1, 7, 8].map(Argument::Earlier), "the first and the last two");
        let new = Script { statements: script.statements[..1].to_vec() };
        let with_condition = Script { statements: script.statements[..2].to_vec() };
        assert_ne!(ties.held(&new, Some(0)), ties.held(&with_condition, Some(0)));
        assert_eq!(ties.held(&with_condition, Some(0)), ties.held(&script, Some(0)));
        assert_eq!(Ties::default().held(&script, Some(0)), None);
        assert!(!ties.learn([(&script, &run)], &reader), "nothing new");
        let asked = Script { statements: script.statements[..3].to_vec() };
        let mut fresh = Ties::default();
        assert!(fresh.tie(&asked, 0) && fresh.is_tied(&waiters) && !fresh.tie(&asked, 0));
        let other = Script { statements: script.statements[..4].to_vec() };
        assert!(!ties.tie(&other, 0) && !ties.is_tied(&equals), "it returned with other values, too");
        let mut other = script.clone();
        other.statements[2].args = vec![Argument::Null];
        assert!(ties.learn([(&other, &run)], &reader), "it takes other values too");
        assert_eq!(ties.values(&waiters, &script, 0).count(), 0);
    }
}
