//! Runs as words: the events of each object under test.
//!
//! A search reads hundreds of thousands of runs a second, so letters are looked up by callable and outcome,
//! and no event is built. [`Labels`] spells the letters, once for each callable and kind of outcome.

use std::collections::BTreeSet;
use std::sync::Arc;

use adit_trace::edit::named;
use adit_trace::{
    Alphabet, CallKind, Callable, Event, EventNames, Labels, Letter, Outcome, Run, Script, StepResult, Value,
    ValueKind, Vocabulary,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reads runs as words over one alphabet.
#[derive(Clone, Debug)]
pub struct EventReader {
    alphabet: Alphabet,
    letters: FxHashMap<Arc<Callable>, CallLetters>,
    /// The methods by name, to find those that override a method of another type.
    methods: FxHashMap<String, Vec<Arc<Callable>>>,
    starts: FxHashSet<Arc<Callable>>,
    names: EventNames,
}

/// The letters of a callable. Without a boolean answer they are all the same.
#[derive(Clone, Copy, Debug)]
struct CallLetters {
    answers: [Letter; 2],
    other: Letter,
}

/// The events of one object, up to the first call that threw or that gave the object to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectTrace {
    /// The statement that first gave the object.
    pub object: usize,
    /// The events.
    pub word: Vec<Letter>,
    /// The statement of each event.
    pub statements: Vec<usize>,
    /// The statement that threw, if one did. Nothing after it counts: a call that fails may leave anything
    /// behind.
    pub threw: Option<usize>,
}

impl EventReader {
    /// A reader for the events of a vocabulary. A callable with a boolean answer has two letters, any other
    /// has one.
    pub fn new(vocabulary: &Vocabulary) -> Self {
        let mut alphabet = Alphabet::new();
        let mut letters = FxHashMap::default();
        for callable in vocabulary.callables() {
            let mut letter = |value| {
                let event =
                    Event { outcome: Outcome::Returned(value), ..Event::call(vocabulary.names.of(callable)) };
                alphabet.intern(&Labels::Outcome.of(&event))
            };
            let of_call = if callable.answer == ValueKind::Bool {
                let answers = [letter(Value::Bool(true)), letter(Value::Bool(false))];
                CallLetters { answers, other: answers[0] }
            } else {
                let other = letter(Value::Void);
                CallLetters { answers: [other; 2], other }
            };
            letters.insert(callable.clone(), of_call);
        }
        let starts = vocabulary.starts.iter().cloned().collect();
        let mut methods: FxHashMap<String, Vec<Arc<Callable>>> = FxHashMap::default();
        for method in vocabulary.methods.iter().filter(|one| one.kind == CallKind::Method) {
            methods.entry(method.name.clone()).or_default().push(method.clone());
        }
        Self { alphabet, letters, methods, starts, names: vocabulary.names.clone() }
    }

    /// The letters, all of them known from the beginning.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// The names of events.
    pub fn names(&self) -> &EventNames {
        &self.names
    }

    /// The letters that a call may give.
    pub fn letters_of(&self, callable: &Arc<Callable>) -> &[Letter] {
        self.letters.get(callable).map_or(&[], |letters| match letters.answers {
            [yes, no] if yes == no => &letters.answers[..1],
            _ => &letters.answers,
        })
    }

    /// Tells whether a call that gives this letter takes values.
    pub(crate) fn takes_values(&self, letter: Letter) -> bool {
        let mut calls = self.letters.iter().filter(|(_, letters)| letters.answers.contains(&letter));
        calls.any(|(callable, _)| !callable.parameters.is_empty())
    }

    /// Tells whether a call that takes values gives this letter, or else one of the others.
    pub(crate) fn answers_to_values(&self, letter: Letter, others: &BTreeSet<Letter>) -> bool {
        self.letters.iter().any(|(callable, letters)| {
            let answers = letters.answers;
            let has_another = answers.iter().any(|answer| *answer != letter && others.contains(answer));
            !callable.parameters.is_empty() && answers.contains(&letter) && has_another
        })
    }

    /// Tells whether a call gives this letter: one that makes an object, or one on an object.
    pub(crate) fn gives(&self, letter: Letter, making: bool) -> bool {
        let mut calls = self.letters.iter().filter(|(callable, _)| self.starts.contains(*callable) == making);
        calls.any(|(_, letters)| letters.answers.contains(&letter))
    }

    /// The event that a statement was; none if it threw or was not run.
    pub fn letter(&self, callable: &Arc<Callable>, result: &StepResult) -> Option<Letter> {
        let letters = self.letters.get(callable).or_else(|| self.letters.get(self.overridden(callable)?))?;
        match result {
            StepResult::Threw { .. } | StepResult::Unresolved { .. } | StepResult::Skipped(_) => None,
            StepResult::Returned(Value::Bool(answer)) => Some(letters.answers[usize::from(!answer)]),
            StepResult::Returned(_) | StepResult::Object { .. } => Some(letters.other),
        }
    }

    /// The method of the vocabulary that a method of a supertype is on an object under test: where a lock is
    /// needed for something else, it is called as any lock is.
    fn overridden(&self, callable: &Arc<Callable>) -> Option<&Arc<Callable>> {
        let some = self.methods.get(&callable.name).filter(|_| callable.kind == CallKind::Method)?;
        some.iter().find(|one| one.overload() == callable.overload())
    }

    /// The traces of the objects under test that a script made, in the order of their appearance.
    pub fn read(&self, script: &Script, run: &Run) -> Vec<ObjectTrace> {
        let mut traces: Vec<ObjectTrace> = Vec::new();
        // The trace of the object that each statement gave; an object that comes back is the same object.
        let mut gave: Vec<Option<usize>> = Vec::with_capacity(run.steps.len());
        // Traces of objects that others hold: what happens to them from then on is not seen.
        let mut escaped: FxHashSet<usize> = FxHashSet::default();
        for (at, (step, statement)) in run.steps.iter().zip(&script.statements).enumerate() {
            let mut own = None;
            let receiver = statement.receiver.and_then(|receiver| gave.get(receiver).copied()?);
            for argument in &statement.args {
                named(argument, &mut |given| {
                    escaped
                        .extend(gave.get(given).copied().flatten().filter(|given| receiver != Some(*given)));
                });
            }
            if let StepResult::Object { first, .. } = &step.result {
                own = gave.get(*first).copied().flatten();
                if *first == at && self.starts.contains(&statement.callable) {
                    own = Some(traces.len());
                    traces.push(ObjectTrace {
                        object: at,
                        word: Vec::new(),
                        statements: Vec::new(),
                        threw: None,
                    });
                }
            }
            gave.push(own);
            let begun = own.is_some_and(|own| traces[own].object == at);
            let called = match statement.callable.kind {
                // A method of something else that gives the object is how it begins.
                CallKind::Method if !begun => receiver,
                // One that gives an object that was there before does nothing to it.
                _ => own.filter(|_| begun),
            };
            let Some(trace) =
                called.filter(|called| !escaped.contains(called)).map(|called| &mut traces[called])
            else {
                continue;
            };
            if trace.threw.is_some() {
                continue;
            }
            if matches!(step.result, StepResult::Threw { .. }) {
                trace.threw = Some(at);
            } else if let Some(letter) = self.letter(&statement.callable, &step.result) {
                trace.word.push(letter);
                trace.statements.push(at);
            }
        }
        traces
    }
}

#[cfg(test)]
mod tests {
    use adit_trace::{Argument, End, Statement, Step};

    use super::*;

    fn callable(kind: CallKind, name: &str) -> Arc<Callable> {
        Arc::new(Callable { answer: ValueKind::Object, ..Callable::new(kind, "A", name) })
    }

    fn reader(starts: &[&Arc<Callable>], methods: &[&Arc<Callable>]) -> EventReader {
        EventReader::new(&Vocabulary {
            class: "A".into(),
            starts: starts.iter().copied().cloned().collect(),
            methods: methods.iter().copied().cloned().collect(),
            names: EventNames::default(),
        })
    }

    fn call(callable: &Arc<Callable>, receiver: Option<usize>, args: Vec<Argument>) -> Statement {
        Statement { callable: callable.clone(), receiver, args }
    }

    fn object(first: usize) -> Step {
        Step::new(StepResult::Object { class: "A".into(), first })
    }

    fn void() -> Step {
        Step::new(StepResult::Returned(Value::Void))
    }

    fn run(steps: Vec<Step>) -> Run {
        Run { steps, end: End::Complete, leaked: false, passed: None }
    }

    /// A factory that returns an object that is known made nothing, and did nothing to it.
    #[test]
    fn a_factory_that_returns_a_known_object_is_no_event() {
        let (make, ask) = (callable(CallKind::Function, "instance"), callable(CallKind::Method, "ask"));
        let none = Vec::new;
        let statements =
            vec![call(&make, None, none()), call(&make, None, none()), call(&ask, Some(1), none())];
        let traces =
            reader(&[&make], &[&ask]).read(&Script { statements }, &run(vec![object(0), object(0), void()]));
        let [trace] = &traces[..] else { panic!("{traces:?}") };
        assert_eq!(trace.statements, [0, 2]);
    }

    /// A lock that is made for its condition is called as any lock is, and is a lock under test.
    #[test]
    fn a_method_of_a_supertype_is_the_same_event() {
        let make = callable(CallKind::Constructor, "A");
        let owned = |owner, signature: &str| {
            let method =
                Callable { answer: ValueKind::Object, ..Callable::new(CallKind::Method, owner, "ask") };
            Arc::new(Callable { signature: signature.into(), ..method })
        };
        let (own, inherited, other) =
            (owned("A", "()LSub;"), owned("Super", "()LSuper;"), owned("A", "(I)V"));
        let statements = [&own, &inherited, &other].map(|method| call(method, Some(0), Vec::new()));
        let script =
            Script { statements: [vec![call(&make, None, Vec::new())], statements.to_vec()].concat() };
        let steps = vec![object(0), void(), void(), void()];
        let traces = reader(&[&make], &[&own]).read(&script, &run(steps));
        let [trace] = &traces[..] else { panic!("{traces:?}") };
        assert_eq!(trace.statements, [0, 1, 2]);
    }

    /// A task that is given to another task may be run by it, unseen. A call on the object itself may take
    /// the object.
    #[test]
    fn what_happens_to_an_object_that_another_holds_does_not_count() {
        let (make, ask) = (callable(CallKind::Constructor, "A"), callable(CallKind::Method, "ask"));
        let statements = vec![
            call(&make, None, Vec::new()),
            call(&ask, Some(0), vec![Argument::Earlier(0)]),
            call(&make, None, vec![Argument::Array(vec![Argument::Earlier(0)])]),
            call(&ask, Some(0), Vec::new()),
            call(&ask, Some(2), Vec::new()),
        ];
        let steps = vec![object(0), void(), object(2), void(), void()];
        let traces = reader(&[&make], &[&ask]).read(&Script { statements }, &run(steps));
        let statements: Vec<&[usize]> = traces.iter().map(|trace| &trace.statements[..]).collect();
        assert_eq!(statements, [&[0, 1][..], &[2, 4]]);
    }
}
