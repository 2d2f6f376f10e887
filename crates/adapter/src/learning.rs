//! An adapter as the teacher of a Mealy machine: inputs are operations with fixed arguments, outputs are
//! letters.
//!
//! A machine needs finitely many inputs, so every parameter stands for a few values: those that the
//! description offers, else boundary values of its kind. [`learner_inputs`] makes the inputs of all
//! operations, and [`parse_input`] reads one that a user wrote, such as `put("a", 1)`.

use std::time::Instant;

use adit_learn::mealy::InputWord;
use adit_learn::mealy::teacher::{Ended, MealyTeacher};
use serde_json::{Value, json};

use crate::{
    Adapter, AdapterCall, AdapterError, AdapterParameter, Described, OfferedCall, ParameterKind, Sequence,
    SequenceEnd,
};

/// Values that one parameter takes at most.
const VALUES: usize = 2;

/// Inputs that one operation has at most.
const TUPLES: usize = 4;

/// Outputs of a call after which the object is gone. Every call after it has the same output.
pub const LAST_OUTPUTS: [&str; 3] = ["blocked", "timed out", "died"];

/// An input of a machine: an operation with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnerInput {
    /// Name in words and models: the operation, with its arguments if it has inputs with others.
    pub label: String,
    /// Name of the operation.
    pub operation: String,
    /// Arguments in the protocol's own form.
    pub args: Vec<Value>,
}

/// The inputs of all operations, and the names of those that have none, because they take objects.
pub fn learner_inputs(described: &Described) -> (Vec<LearnerInput>, Vec<String>) {
    let mut inputs = Vec::new();
    let mut left_out = Vec::new();
    for operation in &described.operations {
        let made = inputs_of(operation, described);
        if made.is_empty() {
            left_out.push(operation.name.clone());
        }
        inputs.extend(made);
    }
    (inputs, left_out)
}

/// The inputs of one operation: none if a parameter has no value.
pub fn inputs_of(operation: &OfferedCall, described: &Described) -> Vec<LearnerInput> {
    let values: Vec<Vec<Value>> =
        operation.parameters.iter().map(|parameter| representatives(parameter, described)).collect();
    if values.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    // The first value of every parameter, then one parameter at a time with its other values.
    let first: Vec<Value> = values.iter().map(|values| values[0].clone()).collect();
    let mut tuples = vec![first.clone()];
    for (at, values) in values.iter().enumerate() {
        tuples.extend(values[1..].iter().map(|value| {
            let mut tuple = first.clone();
            tuple[at] = value.clone();
            tuple
        }));
    }
    tuples.truncate(TUPLES);
    let several = tuples.len() > 1;
    tuples
        .into_iter()
        .map(|args| LearnerInput {
            label: if several { spelled(&operation.name, &args) } else { operation.name.clone() },
            operation: operation.name.clone(),
            args,
        })
        .collect()
}

/// A few values of a parameter.
fn representatives(parameter: &AdapterParameter, described: &Described) -> Vec<Value> {
    let some = |values: &[Value]| values.iter().take(VALUES).cloned().collect::<Vec<_>>();
    if !parameter.values.is_empty() {
        return some(&parameter.values);
    }
    if parameter.optional {
        return vec![json!({ "$default": true })];
    }
    match parameter.kind {
        ParameterKind::Null => vec![Value::Null],
        ParameterKind::Bool => vec![json!(false), json!(true)],
        ParameterKind::Int => vec![json!(0), json!(1)],
        ParameterKind::Float => vec![json!(0.0), json!(1.5)],
        ParameterKind::Text => vec![json!(""), json!("a")],
        ParameterKind::Bytes => vec![json!({ "$bytes": "" }), json!({ "$bytes": "61" })],
        ParameterKind::List => vec![json!([])],
        ParameterKind::Map => vec![json!({ "$map": [] })],
        ParameterKind::Choice | ParameterKind::Object => Vec::new(),
        ParameterKind::Any if described.values.is_empty() => vec![Value::Null],
        ParameterKind::Any => some(&described.values),
    }
}

/// An operation with its arguments, as users write it.
fn spelled(operation: &str, args: &[Value]) -> String {
    let args: Vec<String> = args.iter().map(shown).collect();
    format!("{operation}({})", args.join(","))
}

/// A value in a label: short forms for what JSON cannot say.
fn shown(value: &Value) -> String {
    match value.as_object().and_then(|object| object.iter().next()) {
        Some((form, Value::String(text))) if form == "$bytes" => format!("0x{text}"),
        Some((form, Value::String(text))) if form.starts_with('$') => text.clone(),
        Some((form, _)) if form == "$default" => "default".to_owned(),
        _ => value.to_string(),
    }
}

/// Reads an input as a user wrote it: `close` is every input of an operation, `put("a", 1)` has arguments as
/// a JSON list, or as labels show them. Fails with a sentence.
pub fn parse_input(text: &str, described: &Described) -> Result<Vec<LearnerInput>, String> {
    parse_call(text, &described.operations, described)
}

/// Reads the call that makes the object: `Buffer`, or `Buffer("abc")`.
pub fn parse_start(text: &str, described: &Described) -> Result<LearnerInput, String> {
    Ok(parse_call(text, &described.starts, described)?.swap_remove(0))
}

fn parse_call(
    text: &str,
    offered: &[OfferedCall],
    described: &Described,
) -> Result<Vec<LearnerInput>, String> {
    let text = text.trim();
    let (name, args) = match text.strip_suffix(')').and_then(|open| open.split_once('(')) {
        Some((name, args)) => (name.trim(), Some(args)),
        None => (text, None),
    };
    let Some(operation) = offered.iter().find(|operation| operation.name == name) else {
        let names: Vec<&str> = offered.iter().map(|operation| operation.name.as_str()).collect();
        return Err(format!("the adapter does not offer `{name}`; it offers {}", names.join(", ")));
    };
    let known = inputs_of(operation, described);
    let Some(args) = args else {
        if known.is_empty() {
            return Err(format!("`{name}` takes an object, for which there is no value"));
        }
        return Ok(known);
    };
    if let Some(input) = known.iter().find(|input| spelled(name, &input.args) == text) {
        return Ok(vec![input.clone()]);
    }
    let args: Vec<Value> = serde_json::from_str(&format!("[{args}]"))
        .map_err(|error| format!("`{text}`: the arguments are no JSON values: {error}"))?;
    if args.len() != operation.parameters.len() {
        return Err(format!(
            "`{text}` has {} of {} arguments of `{name}`",
            args.len(),
            operation.parameters.len()
        ));
    }
    Ok(vec![LearnerInput { label: spelled(name, &args), operation: name.to_owned(), args }])
}

/// An adapter that answers words of inputs.
pub struct AdapterTeacher {
    adapter: Adapter,
    start: Option<AdapterCall>,
    inputs: Vec<LearnerInput>,
    until: Option<Instant>,
    failure: Option<AdapterError>,
}

impl AdapterTeacher {
    /// A teacher over `inputs`, on the object that `start` makes; without it, on the only one. After `until`
    /// it answers no more.
    pub fn new(
        adapter: Adapter,
        start: Option<&LearnerInput>,
        inputs: Vec<LearnerInput>,
        until: Option<Instant>,
    ) -> Self {
        let start = start.map(|start| AdapterCall::new(start.operation.clone(), None, start.args.clone()));
        Self { adapter, start, inputs, until, failure: None }
    }

    /// The failure that ended the session, if one did.
    pub fn failure(&mut self) -> Option<AdapterError> {
        self.failure.take()
    }

    /// The adapter that is asked.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    fn sequence(&self, word: &InputWord) -> Sequence {
        let object = self.start.is_some().then_some(0);
        let calls = word.iter().map(|&input| {
            let LearnerInput { operation, args, .. } = &self.inputs[input];
            AdapterCall::new(operation.clone(), object, args.clone())
        });
        Sequence { calls: self.start.iter().cloned().chain(calls).collect(), states: false }
    }
}

impl MealyTeacher for AdapterTeacher {
    type Output = String;

    fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<String>>, Ended> {
        let batch: Vec<Sequence> = words.iter().map(|word| self.sequence(word)).collect();
        let answered = self.adapter.run(&batch, self.until).map_err(|error| {
            let text = error.to_string();
            self.failure = Some(error);
            Ended::Failed(text)
        })?;
        let before = usize::from(self.start.is_some());
        let mut answers = Vec::with_capacity(words.len());
        for (word, answered) in words.iter().zip(answered) {
            let last = match answered.end {
                SequenceEnd::NotRun => return Err(Ended::Budget),
                SequenceEnd::Complete => None,
                SequenceEnd::Blocked => Some(LAST_OUTPUTS[0]),
                SequenceEnd::TimedOut => Some(LAST_OUTPUTS[1]),
                SequenceEnd::Died { .. } => Some(LAST_OUTPUTS[2]),
            };
            let mut outputs: Vec<String> =
                answered.answers.iter().skip(before).map(|answer| answer.letter()).collect();
            outputs.resize(word.len(), last.unwrap_or_default().to_owned());
            answers.push(outputs);
        }
        Ok(answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described() -> Described {
        let source = json!({
            "protocol": 1,
            "name": "Box",
            "operations": [
                {"name": "close"},
                {"name": "put", "parameters": [{"kind": "text", "values": ["a", "b", "c"]}, {"kind": "int"}]},
                {"name": "flag", "parameters": [{"kind": "bool"}]},
                {"name": "copy", "parameters": [{"kind": "object"}]},
                {"name": "raw", "parameters": [{"kind": "bytes"}]},
            ],
        });
        crate::description::read(source.as_object().expect("it is one").clone()).expect("it is well formed")
    }

    #[test]
    fn parameters_stand_for_a_few_values() {
        let (inputs, left_out) = learner_inputs(&described());
        let labels: Vec<&str> = inputs.iter().map(|input| input.label.as_str()).collect();
        let expected = [
            "close",
            "put(\"a\",0)",
            "put(\"b\",0)",
            "put(\"a\",1)",
            "flag(false)",
            "flag(true)",
            "raw(0x)",
            "raw(0x61)",
        ];
        assert_eq!(labels, expected);
        assert_eq!(left_out, ["copy"]);
    }

    #[test]
    fn users_name_inputs() {
        let described = described();
        let read = |text: &str| {
            parse_input(text, &described)
                .map(|inputs| inputs.into_iter().map(|input| input.label).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(read("close").as_deref(), Ok("close"));
        assert_eq!(read("flag").as_deref(), Ok("flag(false) flag(true)"));
        assert_eq!(read("put( \"z\", 7 )").as_deref(), Ok("put(\"z\",7)"));
        assert_eq!(read("raw(0x61)").as_deref(), Ok("raw(0x61)"));
        for (wrong, message) in [
            ("shut", "the adapter does not offer `shut`; it offers close, put, flag, copy, raw"),
            ("put(1)", "`put(1)` has 1 of 2 arguments of `put`"),
            ("copy", "`copy` takes an object, for which there is no value"),
        ] {
            assert_eq!(read(wrong), Err(message.to_owned()));
        }
        assert!(read("put(a, b)").is_err_and(|message| message.contains("no JSON values")));
    }
}
