//! Calls of makers that hang or take long, which are not worth what they give.
//!
//! A key of one kind takes a millisecond to make and one of another a second, in which thousands of scripts
//! could run. Nothing but trying tells them apart.
//!
//! Paper: none; bookkeeping.

use std::sync::Arc;

use adit_trace::{Argument, Callable, Script, SlowCalls, Statement};

use crate::Generator;

/// So many calls are remembered.
const MOST: usize = 64;

/// A call that is slow so many times is so for its values. A machine that is busy, or loads classes, makes
/// any call slow now and then.
const SLOW_TIMES: u32 = 3;

/// A callable with arguments.
type Call = (Arc<Callable>, Vec<Argument>);

/// Calls with plain values that are not made again.
#[derive(Clone, Debug, Default)]
pub(crate) struct DearCalls {
    calls: Vec<Call>,
    /// Calls that were slow, with those that made what they were called on, and how often.
    suspects: Vec<([Option<Call>; 2], u32)>,
}

impl DearCalls {
    /// Adds a call, if its arguments need no other.
    pub(crate) fn add(&mut self, call: &Statement) {
        if self.calls.len() < MOST && call.args.iter().all(is_plain) && !self.contains(call) {
            self.calls.push((call.callable.clone(), call.args.clone()));
        }
    }

    /// Tells whether the call is one of them.
    pub(crate) fn contains(&self, call: &Statement) -> bool {
        self.calls.iter().any(|(callable, args)| *callable == call.callable && *args == call.args)
    }

    /// Takes note of a slow call of a script, and tells whether it was slow often enough.
    pub(crate) fn suspect(&mut self, script: &Script, call: &Statement) -> bool {
        let object = call.receiver.and_then(|object| script.statements.get(object));
        let suspect =
            [Some(call), object].map(|call| call.map(|call| (call.callable.clone(), call.args.clone())));
        if let Some((_, times)) = self.suspects.iter_mut().find(|(known, _)| *known == suspect) {
            *times += 1;
            return *times >= SLOW_TIMES;
        }
        if self.suspects.len() < MOST {
            self.suspects.push((suspect, 1));
        }
        false
    }
}

impl Generator {
    /// The place where the subject may tell which calls take long.
    pub fn slow_calls(&self) -> &SlowCalls {
        &self.slow_calls
    }

    /// Avoids the values that a call of a maker was made with, if it is one: those of the call, and those of
    /// the object that it is called on.
    pub(crate) fn avoid_making(&mut self, script: &Script, at: usize) {
        let Some(culprit) = script.statements.get(at) else { return };
        if self.place(&culprit.callable).is_none_or(|at| at < self.own_calls()) {
            return;
        }
        let object = culprit.receiver.and_then(|object| script.statements.get(object));
        for made in [culprit].into_iter().chain(object) {
            let Some(at) = self.place(&made.callable) else { continue };
            let values = self.calls[at].passed.iter_mut().zip(&made.args);
            values.for_each(|(passed, argument)| passed.condemn(argument));
            // Without values, what it is called on is to blame.
            if at >= self.own_calls() && (!made.args.is_empty() || made.receiver.is_none()) {
                self.dear.add(made);
            }
        }
        let dear = &self.dear;
        let is_cheap = |statements: &[Statement]| !statements.iter().any(|one| dear.contains(one));
        self.calls.iter_mut().for_each(|known| known.proven.retain(is_cheap));
        self.given.values_mut().for_each(|given| given.retain(|recipe| is_cheap(&recipe.statements)));
        self.weigh();
    }

    /// Avoids what was slow several times.
    pub(crate) fn avoid_slow_calls(&mut self) {
        for (script, at) in self.slow_calls.take() {
            if script.statements.get(at).is_some_and(|call| self.dear.suspect(&script, call)) {
                self.avoid_making(&script, at);
            }
        }
    }
}

fn is_plain(argument: &Argument) -> bool {
    match argument {
        Argument::Earlier(_) | Argument::Function(_) => false,
        Argument::Array(elements) => elements.iter().all(is_plain),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use adit_trace::CallKind;

    use super::*;

    #[test]
    fn a_slow_call_is_dear_with_its_values_only_and_not_at_once() {
        let call = |name: &str, receiver: Option<usize>, args| {
            let kind = if receiver.is_none() { CallKind::Function } else { CallKind::Method };
            Statement { callable: Arc::new(Callable::new(kind, "a.Keys", name)), receiver, args }
        };
        let script = |kind: &str| Script {
            statements: vec![
                call("of", None, vec![Argument::Text(kind.into())]),
                call("pair", Some(0), Vec::new()),
            ],
        };
        let (slow, quick) = (script("RSA"), script("EC"));
        let mut dear = DearCalls::default();
        assert!(!dear.suspect(&slow, &slow.statements[1]), "the first time");
        assert!(!dear.suspect(&quick, &quick.statements[1]), "something else");
        assert!(!dear.suspect(&slow, &slow.statements[1]), "the second time");
        assert!(dear.suspect(&slow, &slow.statements[1]));
        dear.add(&slow.statements[0]);
        assert!(dear.contains(&slow.statements[0]) && !dear.contains(&quick.statements[0]));
        let made_from_others = call("of", None, vec![Argument::Earlier(0)]);
        dear.add(&made_from_others);
        assert!(!dear.contains(&made_from_others), "it means another value elsewhere");
    }
}
