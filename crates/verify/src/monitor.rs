//! Typestates at run time: the states that one object may be in, call by call.
//!
//! Paper: `tautoko`, section 1 (typestates as rules for clients).
//! Deviation: the paper checks clients statically; here an object is followed while the program runs. The
//! outcome of a call is known then, so that a refusal is a violation only if the call indeed threw. A call
//! that returns where the model refuses it speaks against the model, and is told apart.
//! Cost: `O(states)` for each call.

use rustc_hash::FxHashMap;

use crate::typestate::{States, Typestate, alternatives, members, parameter_names, plain, simple_name};

/// A typestate prepared for following objects at run time.
pub struct Monitor<'t> {
    typestate: &'t Typestate,
    /// Calls by name and parameter types, as `add(int,String)`.
    by_signature: FxHashMap<String, usize>,
}

/// An object that is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    states: States,
    /// Its creation was seen.
    from_creation: bool,
}

/// End of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedEnd<'e> {
    /// It returned; with its answer, if that is a boolean.
    Returned(Option<bool>),
    /// It threw an exception of this class.
    Threw(&'e str),
}

/// A call that the model refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The call as labels spell it.
    pub call: String,
    /// The exception that the model says.
    pub exception: String,
    /// The states that the object may have been in.
    pub state: String,
    /// The call threw; otherwise the model is wrong about this object.
    pub threw: bool,
    /// Every state that the object may have been in refuses the call; otherwise the exception tells which it
    /// was in.
    pub certain: bool,
}

impl<'t> Monitor<'t> {
    /// Prepares a typestate.
    pub fn new(typestate: &'t Typestate) -> Self {
        let mut by_signature = FxHashMap::default();
        for ((name, descriptor), call) in typestate.exact_calls() {
            if let Some(parameters) = parameter_names(descriptor) {
                by_signature.insert(format!("{name}({parameters})"), call);
            }
        }
        Monitor { typestate, by_signature }
    }

    /// The typestate.
    pub fn typestate(&self) -> &'t Typestate {
        self.typestate
    }

    /// The call of a method with this signature, such as `add(int,java.lang.String)`, if the model has it.
    pub fn call(&self, signature: &str) -> Option<usize> {
        let (name, parameters) = signature.strip_suffix(')')?.split_once('(')?;
        let simple: Vec<&str> =
            parameters.split(',').map(|one| one.rsplit(['.', '$']).next().unwrap_or(one)).collect();
        let parameters = simple.join(",");
        let exact = self.by_signature.get(&format!("{name}({parameters})"));
        exact.copied().or_else(|| self.typestate.call_by_name(name, &parameters))
    }

    /// The label of a call.
    pub fn label(&self, call: usize) -> &'t str {
        &self.typestate.calls[call].label
    }

    /// Returns true if the states after a call depend on the boolean that it returned.
    pub fn answer_matters(&self, call: usize) -> bool {
        let answer = self.typestate.answer(self.typestate.all, call);
        answer.on_true != answer.on_false
    }

    /// An object that was just created.
    pub fn created(&self) -> Followed {
        Followed { states: self.typestate.created, from_creation: true }
    }

    /// An object that comes from elsewhere.
    pub fn found(&self) -> Followed {
        Followed { states: self.typestate.all, from_creation: false }
    }

    /// Returns true if every state that the object may be in refuses the call.
    pub fn refuses(&self, object: &Followed, call: usize) -> bool {
        let answer = self.typestate.answer(object.states, call);
        !answer.unknown && answer.refused == object.states
    }

    /// Follows an object through a call. Returns the refusal if the model refuses it.
    pub fn step(&self, object: &mut Followed, call: usize, end: ObservedEnd<'_>) -> Option<Refusal> {
        let (before, all) = (object.states, self.typestate.all);
        let answer = self.typestate.answer(before, call);
        let certain = !answer.unknown && answer.refused == before;
        let refusal = |states: States, exception: String, threw: bool| Refusal {
            call: self.label(call).to_owned(),
            exception,
            state: self.typestate.state_names(states),
            threw,
            certain,
        };
        match end {
            ObservedEnd::Returned(value) => {
                let next = match value {
                    Some(true) => answer.returned | answer.on_true,
                    Some(false) => answer.returned | answer.on_false,
                    None => answer.returned | answer.on_true | answer.on_false,
                };
                // Nothing is known any more of an object that did something new.
                object.states = if answer.unknown || next == 0 { all } else { next };
                certain.then(|| refusal(before, answer.exception.unwrap_or_default(), false))
            }
            ObservedEnd::Threw(thrown) => {
                let thrown = simple_name(thrown);
                let says = |state: &usize| {
                    self.typestate.refusal(*state, call).is_some_and(|exception| {
                        alternatives(exception).any(|one| simple_name(one) == thrown)
                    })
                };
                let same = members(answer.refused).filter(says).fold(0, |set, state| set | 1 << state);
                if certain {
                    // A refused call leaves the object as it was.
                    object.states = if same == 0 { before } else { same };
                    let exception = if same == 0 { answer.exception } else { None };
                    return Some(refusal(before, exception.unwrap_or_else(|| thrown.to_owned()), true));
                }
                if same != 0 && !answer.unknown {
                    object.states = same;
                    return Some(refusal(same, thrown.to_owned(), true));
                }
                // The model has no such end: the arguments may be the reason, and nobody knows what changed.
                object.states = all;
                None
            }
        }
    }

    /// The rule in English that a refused call breaks: `Scanner.next` after `close` throws
    /// IllegalStateException. `after` is the label of the event that brought the object there; nothing if it
    /// was its creation. Only for a certain refusal.
    pub fn rule(&self, refusal: &Refusal, after: Option<&str>) -> String {
        let class = self.typestate.simple_class();
        let call = plain(&refusal.call);
        let when = match after {
            _ if !refusal.certain => format!("in state `{}`", refusal.state),
            None => format!("on a new {class}"),
            Some(label) => match label.split_once(':') {
                Some((method, answer)) => {
                    format!("after `{}` returned {}", plain(method), answer.to_lowercase())
                }
                None => format!("after `{}`", plain(label)),
            },
        };
        format!("`{class}.{call}` {when} throws {}", refusal.exception)
    }
}

impl Followed {
    /// Returns true if the creation of the object was seen.
    pub fn is_from_creation(&self) -> bool {
        self.from_creation
    }
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use adit_automata::format::{Call, CallEnd, Spelling};

    use super::*;
    use crate::{Facts, ReceiverScope};

    const SPELLING: Spelling = Spelling {
        from_word: str::to_owned,
        from_identifier: str::to_owned,
        call: |label| {
            let (label, end) = match (label.split_once('!'), label.split_once(':')) {
                (Some((label, class)), _) => (label, CallEnd::Threw(class)),
                (_, Some((label, answer))) => (label, CallEnd::Returned(answer == "TRUE")),
                _ => (label, CallEnd::Any),
            };
            Some(Call { method: label, parameters: None, end })
        },
    };

    /// A box with some elements: `hasNext` tells, `next` may be the last, and `close` ends all.
    fn typestate() -> Typestate {
        let mut builder = Builder::new();
        let [start, some, none, closed] = [(); 4].map(|()| builder.state(true));
        builder.initial(start);
        builder.name(some, "some".to_owned());
        builder.name(none, "none".to_owned());
        builder.name(closed, "closed".to_owned());
        for (from, label, to) in [
            (start, "Box", some),
            (start, "Box", none),
            (some, "hasNext:TRUE", some),
            (none, "hasNext:FALSE", none),
            (some, "next", some),
            (some, "next", none),
            (some, "close", closed),
            (none, "close", closed),
        ] {
            builder.edge(from, label.to_owned(), to);
        }
        builder.refusals(none, vec!["next!NoSuchElementException".to_owned()]);
        builder.refusals(
            closed,
            ["next!IllegalStateException", "next!IOException", "hasNext!IllegalStateException"]
                .map(str::to_owned)
                .into(),
        );
        Typestate::new("a/Box", &builder.build(), &SPELLING, ReceiverScope::Exact, &Facts::default()).unwrap()
    }

    fn follow(calls: &[(&str, ObservedEnd<'_>)]) -> Vec<String> {
        let typestate = typestate();
        let monitor = Monitor::new(&typestate);
        let mut object = monitor.created();
        let mut found = Vec::new();
        let mut last = None;
        for (name, end) in calls {
            let call = monitor.call(&format!("{name}()")).unwrap();
            if let Some(refusal) = monitor.step(&mut object, call, *end) {
                let rule = monitor.rule(&refusal, last);
                found.push(format!("{rule} ({}, {})", refusal.threw, refusal.certain));
            }
            last = Some(*name);
        }
        found
    }

    #[test]
    fn a_refused_call_that_throws_is_a_violation() {
        let returned = ObservedEnd::Returned(None);
        let thrown = ObservedEnd::Threw("java.lang.IllegalStateException");
        assert_eq!(
            follow(&[("close", returned), ("next", thrown)]),
            ["`Box.next` after `close` throws IllegalStateException (true, true)"]
        );
        assert_eq!(follow(&[("next", returned), ("next", returned), ("close", returned)]), [""; 0]);
    }

    #[test]
    fn the_exception_tells_the_state() {
        let thrown = ObservedEnd::Threw("java.util.NoSuchElementException");
        assert_eq!(
            follow(&[("next", ObservedEnd::Returned(None)), ("next", thrown)]),
            ["`Box.next` in state `none` throws NoSuchElementException (true, false)"]
        );
        // An answer tells it as well, and then the refusal is certain.
        assert_eq!(
            follow(&[("hasNext", ObservedEnd::Returned(Some(false))), ("next", thrown)]),
            ["`Box.next` after `hasNext` throws NoSuchElementException (true, true)"]
        );
    }

    /// In a typestate of `adit enrich`, calls that throw lead to the state `ex`.
    #[test]
    fn transitions_to_a_state_for_exceptions_are_refusals() {
        let mut builder = Builder::new();
        let [start, open, closed, ex] = [(); 4].map(|()| builder.state(true));
        builder.initial(start);
        for (from, label, to) in [
            (start, "Box", open),
            (start, "Box!IOException", ex),
            (open, "next", open),
            (open, "close", closed),
            (closed, "close", closed),
            (closed, "next!IllegalStateException", ex),
        ] {
            builder.edge(from, label.to_owned(), to);
        }
        let model = builder.build();
        let typestate =
            Typestate::new("a/Box", &model, &SPELLING, ReceiverScope::Exact, &Facts::default()).unwrap();
        assert_eq!(typestate.rules(), ["`Box.next` after `close` throws IllegalStateException"]);
    }

    #[test]
    fn an_exception_that_the_model_does_not_have_is_no_violation() {
        let odd = ObservedEnd::Threw("java.lang.OutOfMemoryError");
        assert_eq!(follow(&[("next", odd), ("close", ObservedEnd::Returned(None))]), [""; 0]);
    }

    #[test]
    fn a_refused_call_that_returns_speaks_against_the_model() {
        let returned = ObservedEnd::Returned(None);
        assert_eq!(
            follow(&[("close", returned), ("next", returned)]),
            ["`Box.next` after `close` throws IllegalStateException or IOException (false, true)"]
        );
    }
}
