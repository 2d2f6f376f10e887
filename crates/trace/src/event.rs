//! Events: a call, its outcome, and the state of the object afterwards.

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
        Self { method: method.into(), args: Vec::new(), outcome: Outcome::Unrecorded, state: None }
    }
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
