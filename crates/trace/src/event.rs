//! Events: a call, its outcome, and the state of the object afterwards.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// One call on one object.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The method's name; a constructor has the name of its class.
    pub method: String,
    /// The arguments, if they were recorded.
    pub args: Vec<Value>,
    /// The outcome of the call.
    pub outcome: Outcome,
    /// The object's fields after the call, if they were recorded.
    pub state: Option<State>,
    /// Details that few recordings have. Boxed, because they rarely are there.
    pub details: Option<Box<Details>>,
}

/// Details of a call that few recordings have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Details {
    /// The object's fields before the call, where they need not be those after the previous event.
    pub before: Option<State>,
    /// The names of the parameters, in order; empty if they are not known.
    pub parameters: Vec<String>,
    /// The source line at which the call returned.
    pub line: Option<u32>,
}

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Nothing was recorded about the end of the call.
    Unrecorded,
    /// The call returned this value; `Value::Void` for none.
    Returned(Value),
    /// The call threw an exception of this class.
    Threw(String),
}

/// The fields of an object, by name.
pub type State = BTreeMap<String, Value>;

/// A value as traces record it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A method without a result returned.
    Void,
    /// The null reference.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer of any width.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A string, or any other value as it was written.
    Text(String),
}

impl Event {
    /// Makes an event of which only the method is known.
    pub fn call(method: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            args: Vec::new(),
            outcome: Outcome::Unrecorded,
            state: None,
            details: None,
        }
    }

    /// The name of the parameter with this number, from zero, or `arg0` and so on.
    pub fn parameter(&self, number: usize) -> Cow<'_, str> {
        match self.details.as_ref().and_then(|details| details.parameters.get(number)) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(format!("arg{number}")),
        }
    }

    /// The source line at which the call returned, if it is known.
    pub fn line(&self) -> Option<u32> {
        self.details.as_ref().and_then(|details| details.line)
    }
}

/// A call together with what is known of its object before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObservedCall<'a> {
    /// The class that has the method, if the traces tell it.
    pub class: Option<&'a str>,
    /// The object's fields before the call; none for a constructor.
    pub before: Option<&'a State>,
    /// The call, its outcome and the fields after it.
    pub event: &'a Event,
}

/// The calls of a trace, each with the state before it: recorded, or else that after the previous call.
pub fn observed_calls(trace: &[Event]) -> impl Iterator<Item = ObservedCall<'_>> {
    let mut last = None;
    trace.iter().map(move |event| {
        let recorded = event.details.as_ref().and_then(|details| details.before.as_ref());
        let before = recorded.or(last);
        last = event.state.as_ref();
        ObservedCall { class: None, before, event }
    })
}

/// Receives calls one by one, without waiting for traces to be complete. It may stop the reading.
pub trait CallSink {
    /// Takes a call. The calls of one object come in order, unless it was used by several threads at once.
    fn call(&mut self, call: &ObservedCall<'_>) -> ControlFlow<()>;
}

/// Receives traces as whole events while they are read. Each method may stop the reading.
pub trait EventSink {
    /// Begins a trace that was seen `weight` times; `id` is its name in the file, if it has one.
    fn begin(&mut self, id: Option<&str>, weight: u64) -> ControlFlow<()>;
    /// Takes the next event of the trace.
    fn event(&mut self, event: &Event) -> ControlFlow<()>;
    /// Ends the trace.
    fn end(&mut self) -> ControlFlow<()>;
}
