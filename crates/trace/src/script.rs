//! Scripts, which say what to call and in which order, and runs, which say what happened. A
//! [`Subject`](crate::Subject) turns one into the other.
//!
//! A script is a list of statements. Each makes one call, and later statements use its result by its number,
//! so a script can drive several objects. Nothing here knows how calls are made, or in which language.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::{Event, EventNames, Outcome, State, Value};

mod digest;
mod effects;
mod json;

pub use digest::Digest;
pub use effects::Effects;
pub use json::ScriptError;

/// A sequence of calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The calls, in order; a statement is known to later ones by its place, from zero.
    pub statements: Vec<Statement>,
}

/// One call of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The callable. Shared, because scripts call the same few methods again and again.
    pub callable: Arc<Callable>,
    /// The statement whose result the method is called on; `None` for everything that is not a method.
    pub receiver: Option<usize>,
    /// The arguments, one for each parameter.
    pub args: Vec<Argument>,
}

/// Something that can be called: a constructor, a function, a method or a constant.
///
/// Owner, name, signature and kind identify it. The signature belongs to the subject: only the subject and
/// the author of its scripts read it. Everyone else works with the kinds of the parameters and of the answer,
/// which follow from it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Callable {
    /// The type or module that it belongs to, as the subject names it: `java.util.Map$Entry`.
    pub owner: String,
    /// Its name; a constructor has the simple name of its type.
    pub name: String,
    /// The subject's own identity for it, which tells overloads apart.
    pub signature: String,
    /// The way it is called.
    pub kind: CallKind,
    /// The kinds of its parameters, in order.
    pub parameters: Vec<ValueKind>,
    /// The kind of value that it returns.
    pub answer: ValueKind,
}

/// The ways of calling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallKind {
    /// Makes an object of the owner.
    Constructor,
    /// Is called without a receiver: a free function, a static method, a factory.
    Function,
    /// Is called on an object.
    Method,
    /// Is read, not called: a constant of the owner, a member of an enumeration.
    Constant,
}

/// The kinds of values, as far as they matter without knowing the types of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueKind {
    /// No value: the answer of a call that returns none.
    Nothing,
    /// A boolean.
    Bool,
    /// A whole number.
    Int,
    /// A floating-point number.
    Float,
    /// A string, or none.
    Text,
    /// Anything else: an object, an array, a function, or none.
    Object,
}

/// An argument. A subject converts it to the type that the parameter has, or skips the call if it cannot.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// No object.
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number. A parameter with fewer bits takes the low ones.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Text(String),
    /// The result of an earlier statement.
    Earlier(usize),
    /// An array.
    Array(Vec<Argument>),
    /// A function that returns this value, whatever it is called with.
    Function(Box<Argument>),
    /// A type as a value, by its name.
    Class(String),
}

/// The result of running a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The steps of the statements that were run, in order: fewer than the script has if it was cut short.
    pub steps: Vec<Step>,
    /// The end of the run as a whole.
    pub end: End,
    /// It left a file or a socket open, as far as that was watched.
    pub leaked: bool,
    /// Probes that it passed, when the class has any and the run is complete.
    pub passed: Option<Passed>,
}

/// Probes in the code of the subject that a run passed: a bit for each probe, lowest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed(pub Box<[u8]>);

impl Passed {
    /// Tells whether the run passed the probe with this number.
    pub fn has(&self, probe: usize) -> bool {
        self.0.get(probe / 8).is_some_and(|byte| byte >> (probe % 8) & 1 == 1)
    }

    /// The numbers of the probes that were passed, in order.
    pub fn probes(&self) -> impl Iterator<Item = usize> {
        (0..self.0.len() * 8).filter(|&probe| self.has(probe))
    }
}

/// The result of one statement, and what was observed of its objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The outcome.
    pub result: StepResult,
    /// The fields afterwards of the receiver, or of the new object, when they were asked for.
    pub fields: Option<Snapshot>,
    /// The locations that the call read and wrote, if the subject watched them. Boxed, because they rarely
    /// are.
    pub effects: Option<Box<Effects>>,
    /// Digest of the object that a method returned and of the arguments that it changed, if the subject was
    /// asked to [look](crate::Subject::look) that deep and they are not the receiver.
    pub answer: Option<Digest>,
}

/// The fields of an object at one moment.
///
/// There is one for each call, and most of them differ in little from the one before: so a snapshot is what
/// an earlier one was, and what changed since. Cloning one costs nothing, and names and values are shared.
#[derive(Clone)]
pub struct Snapshot(Arc<Fields>);

struct Fields {
    names: Arc<[String]>,
    base: Arc<[Value]>,
    /// The differences from the base, by place.
    changes: Vec<(usize, Value)>,
    /// One for each field, if the subject looked deeper than the fields.
    digests: Option<Box<[Digest]>>,
}

/// The outcome of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StepResult {
    /// Nothing, a primitive value, alone or in its box, null or a string. What a constructor made is always
    /// an object.
    Returned(Value),
    /// An object.
    Object {
        /// Its class, with dots.
        class: Arc<str>,
        /// The first statement of the script that gave this very object; often this one.
        first: usize,
    },
    /// The call threw.
    Threw {
        /// The exception's class, as the subject names it.
        class: Arc<str>,
        /// Its message.
        message: Option<String>,
        /// The subject ran out of memory: the fault may lie with the size of an argument, not with the state.
        exhausted: bool,
    },
    /// There was nothing to call: the class or the method is missing, or the class cannot be initialized.
    Unresolved {
        /// The class of the error with which the machine refused, with dots.
        class: Arc<str>,
        /// Its message.
        message: Option<String>,
    },
    /// The statement was not run.
    Skipped(Skip),
}

/// Reason why a statement was not run. If a statement has no value, those that need the value are skipped,
/// not wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// The receiver is null, or the statement that should have made it gave nothing.
    NoReceiver,
    /// An argument should come from a statement that gave nothing.
    NoArgument,
    /// The receiver, or the argument with this number, does not have the type that the callable wants.
    WrongType,
}

/// The end of a run as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// Every statement has its step.
    Complete,
    /// The run took longer than allowed and was stopped in the statement after the last step.
    TimedOut,
    /// The statement after the last step computed until its time was over, and waited for nothing.
    Looped,
    /// The statement after the last step waited for something that nobody would give, and was ended. The
    /// machine lives on.
    Blocked,
    /// The machine died in the statement after the last step, or because of it.
    Died {
        /// The cause: an exit code, a signal.
        how: String,
    },
    /// The answer was larger than the limit; the steps are those that fit.
    Oversized,
    /// The script was not run, because a limit of the caller came first. There are no steps.
    NotRun,
    /// The caller stopped the script before this statement, which it expects to hang. All earlier statements
    /// have their steps.
    Cut {
        /// Number of the first statement that was not run.
        before: usize,
    },
}

/// The life of one object in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Life {
    /// The statement that first gave the object.
    pub object: usize,
    /// The object's class, with dots.
    pub class: Arc<str>,
    /// Its creation and every call on it, in order.
    pub events: Vec<Event>,
}

impl Run {
    /// The run of a script that was not run.
    pub fn not_run() -> Self {
        Self { steps: Vec::new(), end: End::NotRun, leaked: false, passed: None }
    }

    /// Tells whether the script was run, if only in part.
    pub fn was_run(&self) -> bool {
        self.end != End::NotRun
    }

    /// The lives of the objects of this run, in the order of their appearance.
    ///
    /// An object that is known under two numbers, because a method returned it again, has one life. Skipped
    /// and unresolved statements happened to nobody.
    pub fn lives(&self, script: &Script, names: &EventNames) -> Vec<Life> {
        let mut lives: Vec<Life> = Vec::new();
        // Where the life of the object that a statement gave is to be found.
        let mut of: Vec<Option<usize>> = Vec::with_capacity(self.steps.len());
        for (at, (step, statement)) in self.steps.iter().zip(&script.statements).enumerate() {
            let receiver = statement.receiver.and_then(|receiver| of.get(receiver).copied().flatten());
            let mut own = None;
            if let StepResult::Object { class, first } = &step.result {
                own = of.get(*first).copied().flatten();
                if *first == at {
                    own = Some(lives.len());
                    lives.push(Life { object: at, class: class.clone(), events: Vec::new() });
                }
            }
            of.push(own);
            let Some(outcome) = step.result.outcome() else { continue };
            let event = Event {
                method: names.of(&statement.callable).to_owned(),
                args: statement.args.iter().map(Argument::recorded).collect(),
                outcome,
                state: step.fields.as_ref().map(Snapshot::to_state),
                details: None,
            };
            if statement.callable.kind != CallKind::Method {
                add(&mut lives, own, event);
                continue;
            }
            // A method that gives a new object is an event of the object that it was called on, and the
            // beginning of the other.
            if own.is_some_and(|own| lives[own].object == at) {
                add(&mut lives, own, Event { state: None, ..event.clone() });
            }
            add(&mut lives, receiver, event);
        }
        lives
    }
}

fn add(lives: &mut [Life], life: Option<usize>, event: Event) {
    if let Some(life) = life {
        lives[life].events.push(event);
    }
}

impl Snapshot {
    /// Fields and their values, in the same order. There are as many as there are of both.
    pub fn new(names: Arc<[String]>, values: impl Into<Arc<[Value]>>) -> Self {
        Self(Arc::new(Fields { names, base: values.into(), changes: Vec::new(), digests: None }))
    }

    /// The same fields with other values at some places, and without digests; places that do not exist are
    /// passed over.
    pub fn with(&self, changes: impl IntoIterator<Item = (usize, Value)>) -> Self {
        let Fields { names, base, changes: old, .. } = &*self.0;
        let changes = changes.into_iter();
        let mut all = Vec::with_capacity(old.len() + changes.size_hint().0);
        all.extend_from_slice(old);
        for (place, value) in changes {
            match all.iter_mut().find(|(known, _)| *known == place) {
                Some(known) => known.1 = value,
                None if place < base.len() => all.push((place, value)),
                None => {}
            }
        }
        // Looking for a value passes through the changes, so that there should be few.
        if all.len() > 8 && all.len() > base.len() / 2 {
            let mut values = base.to_vec();
            all.drain(..).for_each(|(place, value)| values[place] = value);
            return Self::new(names.clone(), values);
        }
        Self(Arc::new(Fields { names: names.clone(), base: base.clone(), changes: all, digests: None }))
    }

    /// The same fields and values with a digest for each field.
    pub fn with_digests(&self, digests: impl Into<Box<[Digest]>>) -> Self {
        let Fields { names, base, changes, .. } = &*self.0;
        let (names, base, changes) = (names.clone(), base.clone(), changes.clone());
        Self(Arc::new(Fields { names, base, changes, digests: Some(digests.into()) }))
    }

    /// Digests of what each field leads to, in the order of the names, if the subject was asked to
    /// [look](crate::Subject::look) that deep. A field that holds no reference has the digest of its value,
    /// or a constant if the subject takes the value for chance.
    pub fn digests(&self) -> Option<&[Digest]> {
        self.0.digests.as_deref()
    }

    /// Digest of everything that the object leads to, if the subject was asked to look that deep.
    pub fn deep(&self) -> Option<Digest> {
        self.digests().map(Digest::combined)
    }

    /// The number of fields.
    pub fn len(&self) -> usize {
        self.0.names.len().min(self.0.base.len())
    }

    /// Tells whether there are no fields.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of the fields.
    pub fn names(&self) -> &Arc<[String]> {
        &self.0.names
    }

    /// The values, in the order of the names.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> {
        let Fields { base, changes, .. } = &*self.0;
        (0..self.len()).map(move |place| {
            let change = changes.iter().find(|(changed, _)| *changed == place);
            change.map_or(&base[place], |(_, value)| value)
        })
    }

    /// The value of the field with this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.names().iter().zip(self.values()).find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Tells whether this is the other snapshot itself, so nothing need be compared.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The fields by name, as an event has them.
    pub fn to_state(&self) -> State {
        self.names().iter().cloned().zip(self.values().cloned()).collect()
    }
}

/// Names and values are compared. Digests are not: they are there only if someone asked.
impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        let same_names = Arc::ptr_eq(self.names(), other.names()) || self.names() == other.names();
        same_names && self.values().eq(other.values())
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.names().iter().zip(self.values())).finish()
    }
}

impl StepResult {
    /// A call that threw an exception of this class, without a message.
    pub fn threw(class: impl Into<Arc<str>>) -> Self {
        Self::Threw { class: class.into(), message: None, exhausted: false }
    }

    /// The outcome as a trace records it, or `None` when no call was made.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Returned(value) => Some(Outcome::Returned(value.clone())),
            Self::Object { class, .. } => Some(Outcome::Returned(Value::Text(class.to_string()))),
            Self::Threw { class, .. } => Some(Outcome::Threw(class.to_string())),
            Self::Unresolved { .. } | Self::Skipped(_) => None,
        }
    }
}

impl Script {
    /// The numbers among its arguments that are large enough to be sizes too large for any memory.
    pub fn large_numbers(&self) -> impl Iterator<Item = i64> {
        const LARGE: i64 = 1 << 20;
        let args = self.statements.iter().flat_map(|statement| &statement.args);
        args.filter_map(|argument| match argument {
            Argument::Int(number) if *number >= LARGE => Some(*number),
            _ => None,
        })
    }
}

impl Callable {
    /// A callable without parameters and answer, and with an empty signature.
    pub fn new(kind: CallKind, owner: impl Into<String>, name: impl Into<String>) -> Self {
        let (owner, name, signature) = (owner.into(), name.into(), String::new());
        Self { owner, name, signature, kind, parameters: Vec::new(), answer: ValueKind::Nothing }
    }

    /// What it has in common with the same method of another type: the name, and the signature without what
    /// it returns, which a subclass may narrow.
    pub fn overload(&self) -> (&str, &str) {
        let parameters = self.signature.rfind(')').map_or(&*self.signature, |end| &self.signature[..end]);
        (&self.name, parameters)
    }

    /// The method name of its events. Every label of a call is made from this name.
    pub fn event_name(&self) -> &str {
        &self.name
    }
}

/// Hashes only what differs between the callables of one class; letters are looked up by callable, once for
/// each step.
impl Hash for Callable {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.signature.hash(state);
    }
}

impl Step {
    /// A step of which nothing but its result was observed.
    pub fn new(result: StepResult) -> Self {
        Self { result, fields: None, effects: None, answer: None }
    }
}

impl Argument {
    /// The argument as a trace records it; an object appears as the number of its statement, `#0`.
    fn recorded(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::Float(value) => Value::Float(*value),
            Self::Text(value) => Value::Text(value.clone()),
            Self::Earlier(statement) => Value::Text(format!("#{statement}")),
            Self::Array(elements) => Value::Text(format!("array of {}", elements.len())),
            Self::Function(_) => Value::Text("function".to_owned()),
            Self::Class(name) => Value::Text(format!("{name}.class")),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::Labels;

    /// One step of a run that was never run: its call, and what came of it.
    fn statement(kind: CallKind, name: &str, receiver: Option<usize>) -> Statement {
        let callable = Callable::new(kind, "a.Stack", name);
        Statement { callable: Arc::new(callable), receiver, args: vec![Argument::Earlier(0)] }
    }

    fn check(parts: Vec<(Statement, StepResult)>, expected: Expect) {
        let (statements, results): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let steps = results.into_iter().map(Step::new).collect();
        let lives = Run { steps, end: End::Complete, leaked: false, passed: None }
            .lives(&Script { statements }, &EventNames::default());
        let text: String = lives
            .iter()
            .map(|life| {
                let events: Vec<_> = life.events.iter().map(|event| Labels::Exception.of(event)).collect();
                format!("{} {}: {}\n", life.object, life.class, events.join(" "))
            })
            .collect();
        expected.assert_eq(&text);
    }

    fn object(first: usize) -> StepResult {
        StepResult::Object { class: "a.Stack".into(), first }
    }

    #[test]
    fn two_objects_have_two_lives() {
        use CallKind::{Constructor, Function, Method};
        let threw = StepResult::threw("a.Empty");
        check(
            vec![
                (statement(Constructor, "Stack", None), object(0)),
                (statement(Function, "of", None), object(1)),
                (statement(Method, "push", Some(0)), StepResult::Returned(Value::Void)),
                (statement(Method, "isEmpty", Some(1)), StepResult::Returned(Value::Bool(true))),
                (statement(Method, "pop", Some(1)), threw),
            ],
            expect![[r#"
                0 a.Stack: Stack push
                1 a.Stack: of isEmpty:TRUE pop!Empty
            "#]],
        );
    }

    #[test]
    fn an_object_that_a_method_gives_begins_with_it() {
        use CallKind::{Constructor, Method};
        check(
            vec![
                (statement(Constructor, "Stack", None), object(0)),
                (statement(Method, "iterator", Some(0)), object(1)),
                (statement(Method, "hasNext", Some(1)), StepResult::Returned(Value::Bool(false))),
            ],
            expect![[r#"
                0 a.Stack: Stack iterator
                1 a.Stack: iterator hasNext:FALSE
            "#]],
        );
    }

    #[test]
    fn an_object_that_comes_back_keeps_its_life() {
        use CallKind::{Constructor, Method};
        check(
            vec![
                (statement(Constructor, "Stack", None), object(0)),
                (statement(Method, "append", Some(0)), object(0)),
                (statement(Method, "length", Some(1)), StepResult::Returned(Value::Int(1))),
            ],
            expect![[r#"
                0 a.Stack: Stack append length
            "#]],
        );
    }

    #[test]
    fn what_was_not_called_happened_to_nobody() {
        use CallKind::{Constructor, Method};
        let missing = StepResult::Unresolved { class: "java.lang.NoSuchMethodError".into(), message: None };
        check(
            vec![
                (statement(Constructor, "Stack", None), object(0)),
                (statement(Method, "gone", Some(0)), missing),
                (statement(Method, "push", Some(7)), StepResult::Skipped(Skip::NoReceiver)),
            ],
            expect![[r#"
                0 a.Stack: Stack
            "#]],
        );
    }

    #[test]
    fn a_snapshot_is_an_earlier_one_and_what_changed() {
        let names: Arc<[String]> = (0..20).map(|place| format!("f{place}")).collect();
        let mut values: Vec<Value> = (0..20).map(Value::Int).collect();
        let first = Snapshot::new(names.clone(), values.clone());
        let mut last = first.clone();
        assert!(last.is(&first));
        // Past half of the places the changes become the new base, and nothing shows of it.
        for place in (0..20).chain([3, 3, 99]) {
            last = last.with([(place, Value::Bool(place % 2 == 0))]);
            if let Some(value) = values.get_mut(place) {
                *value = Value::Bool(place % 2 == 0);
            }
            assert_eq!(last.values().cloned().collect::<Vec<_>>(), values);
            assert_eq!(last, Snapshot::new(names.clone(), values.clone()));
            assert_ne!(last, first);
        }
        assert_eq!(last.get("f3"), Some(&Value::Bool(false)));
        assert_eq!((last.get("none"), last.len(), last.to_state().len()), (None, 20, 20));
        let short = Snapshot::new(names, vec![Value::Null]);
        assert_eq!(format!("{short:?}"), r#"{"f0": Null}"#);
        assert_ne!(short, first);
    }

    #[test]
    fn probes_are_bits() {
        let passed = Passed([0b0000_0101, 0b1000_0000].into());
        assert_eq!(passed.probes().collect::<Vec<_>>(), [0, 2, 15]);
        assert!(passed.has(15) && !passed.has(1) && !passed.has(16));
    }
}
