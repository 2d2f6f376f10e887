//! Events: a call, how it ended, and what could be seen of the object afterwards.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// One call on one object.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The method's name; a constructor has the name of its class.
    pub method: String,
    /// The arguments, as far as they were recorded.
    pub args: Vec<Value>,
    /// How the call ended.
    pub outcome: Outcome,
    /// The object's fields after the call, when they were recorded.
    pub state: Option<State>,
}

/// How a call ended.
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

/// A value as far as a trace tells it.
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
    /// A call of which only the method is known.
    pub fn call(method: impl Into<String>) -> Self {
        Self { method: method.into(), args: Vec::new(), outcome: Outcome::Unrecorded, state: None }
    }
}

/// Receives traces as whole events while they are read. Each method may break off the reading.
pub trait EventSink {
    /// A trace begins. It was seen `weight` times; `id` is what the file calls it, if it does.
    fn begin(&mut self, id: Option<&str>, weight: u64) -> ControlFlow<()>;
    /// The next event of the trace.
    fn event(&mut self, event: &Event) -> ControlFlow<()>;
    /// The trace is complete.
    fn end(&mut self) -> ControlFlow<()>;
}
