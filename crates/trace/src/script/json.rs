//! Scripts as JSON, in a form with a version.
//!
//! Scripts call the same few things again and again, so a script describes each call once and statements
//! refer to it by number. `takes` and `gives` are the kinds of the parameters and of the answer; none and
//! nothing are left out.
//!
//! ```json
//! {"version":2,
//!  "calls":[{"owner":"java.util.ArrayList","name":"ArrayList","signature":"()V","kind":"constructor",
//!            "gives":"object"},
//!           {"owner":"java.util.ArrayList","name":"add","signature":"(Ljava/lang/Object;)Z","kind":"method",
//!            "takes":["object"],"gives":"bool"}],
//!  "statements":[{"call":0},{"call":1,"on":0,"args":["a"]}]}
//! ```
//!
//! Arguments that JSON has (null, booleans, whole numbers, texts) are written as they are, all others as an
//! object with one field: `{"float":1.5}`, `{"earlier":0}`, `{"array":[…]}`, `{"function":…}`,
//! `{"class":"java.lang.String"}`.
//!
//! Version 1 had no version and described calls in the terms of Java class files. A campaign that holds such
//! scripts is brought up to date by the crate `store` when it is opened.

use std::collections::BTreeMap;
use std::sync::Arc;

use miette::Diagnostic;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::edit::needs;

use super::{Argument, CallKind, Callable, Script, Statement, ValueKind};

/// The version that is written, and the only one that is read.
const VERSION: u32 = 2;

/// Reasons why a text is not a script.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum ScriptError {
    /// The text is not JSON, or JSON of another form.
    #[error("not a script: {0}")]
    #[diagnostic(code(trace::script), help("was it edited by hand?"))]
    NotAScript(#[from] serde_json::Error),
    /// The script was written by another version.
    #[error("the script has version {found}, and only version {VERSION} can be read")]
    #[diagnostic(code(trace::script_version), help("it was written by {} version of adit", if *found < VERSION { "an earlier" } else { "a newer" }))]
    Version {
        /// The version of the script.
        found: u32,
    },
    /// A statement refers to a call or a statement that is not there.
    #[error("statement {statement} refers to {what}, which is not defined before it")]
    #[diagnostic(
        code(trace::script_reference),
        help(
            "a statement may use listed calls and the results of earlier statements; was the script edited by hand?"
        )
    )]
    Reference {
        /// The number of the statement, from zero.
        statement: usize,
        /// The missing call or statement.
        what: String,
    },
}

impl Script {
    /// The script as one line of JSON. Equal scripts have equal texts.
    pub fn to_json(&self) -> String {
        let mut calls: Vec<WrittenCall> = Vec::new();
        let mut numbers: BTreeMap<&Callable, usize> = BTreeMap::new();
        let statements = self
            .statements
            .iter()
            .map(|Statement { callable, receiver, args }| {
                let call = *numbers.entry(callable).or_insert_with(|| {
                    calls.push(WrittenCall::new(callable));
                    calls.len() - 1
                });
                WrittenStatement { call, on: *receiver, args: args.iter().map(Written::new).collect() }
            })
            .collect();
        serde_json::to_string(&WrittenScript { version: VERSION, calls, statements })
            .expect("numbers, texts and lists have a JSON form")
    }

    /// Reads what [`Script::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Self, ScriptError> {
        let written: WrittenScript =
            serde_json::from_str(text).map_err(|error| other_version(text, error))?;
        if written.version != VERSION {
            return Err(ScriptError::Version { found: written.version });
        }
        let calls: Vec<Arc<Callable>> =
            written.calls.into_iter().map(|call| Arc::new(call.callable())).collect();
        let statements = written.statements.into_iter().enumerate().map(|(statement, written)| {
            let wrong = |what: String| ScriptError::Reference { statement, what };
            let callable = calls.get(written.call).ok_or_else(|| wrong(format!("call {}", written.call)))?;
            let args: Vec<Argument> = written.args.into_iter().map(Written::argument).collect();
            let read = Statement { callable: callable.clone(), receiver: written.on, args };
            let mut later = None;
            needs(&read, &mut |used| later = later.or((used >= statement).then_some(used)));
            match later {
                Some(later) => Err(wrong(format!("the result of statement {later}"))),
                None => Ok(read),
            }
        });
        Ok(Self { statements: statements.collect::<Result<_, _>>()? })
    }
}

/// Says which version a text has that could not be read, if it looks like a script of another version.
fn other_version(text: &str, error: serde_json::Error) -> ScriptError {
    #[derive(Deserialize)]
    struct Header {
        #[serde(default = "first")]
        version: u32,
        #[serde(rename = "calls")]
        _calls: IgnoredAny,
    }
    fn first() -> u32 {
        1
    }
    match serde_json::from_str(text) {
        Ok(Header { version, .. }) if version != VERSION => ScriptError::Version { found: version },
        _ => ScriptError::NotAScript(error),
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenScript {
    version: u32,
    calls: Vec<WrittenCall>,
    statements: Vec<WrittenStatement>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCall {
    owner: String,
    name: String,
    signature: String,
    #[serde(with = "WrittenKind")]
    kind: CallKind,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    takes: Vec<WrittenValue>,
    #[serde(default = "nothing", skip_serializing_if = "is_nothing")]
    gives: WrittenValue,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "CallKind", rename_all = "lowercase")]
enum WrittenKind {
    Constructor,
    Function,
    Method,
    Constant,
}

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct WrittenValue(#[serde(with = "WrittenValueKind")] ValueKind);

#[derive(Serialize, Deserialize)]
#[serde(remote = "ValueKind", rename_all = "lowercase")]
enum WrittenValueKind {
    Nothing,
    Bool,
    Int,
    Float,
    Text,
    Object,
}

fn nothing() -> WrittenValue {
    WrittenValue(ValueKind::Nothing)
}

fn is_nothing(value: &WrittenValue) -> bool {
    value.0 == ValueKind::Nothing
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStatement {
    call: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on: Option<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    args: Vec<Written>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    Made(Made),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Made {
    Float(WrittenFloat),
    Earlier(usize),
    Array(Vec<Written>),
    Function(Box<Written>),
    Class(String),
}

/// JSON cannot represent NaN and infinities.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenFloat {
    Number(f64),
    Special(Special),
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum Special {
    #[serde(rename = "NaN")]
    Nan,
    #[serde(rename = "Infinity")]
    Infinity,
    #[serde(rename = "-Infinity")]
    MinusInfinity,
}

impl WrittenCall {
    fn new(callable: &Callable) -> Self {
        let Callable { owner, name, signature, kind, parameters, answer } = callable.clone();
        let takes = parameters.into_iter().map(WrittenValue).collect();
        Self { owner, name, signature, kind, takes, gives: WrittenValue(answer) }
    }

    fn callable(self) -> Callable {
        Callable {
            owner: self.owner,
            name: self.name,
            signature: self.signature,
            kind: self.kind,
            parameters: self.takes.into_iter().map(|value| value.0).collect(),
            answer: self.gives.0,
        }
    }
}

impl Written {
    fn new(argument: &Argument) -> Self {
        match argument {
            Argument::Null => Self::Null,
            Argument::Bool(value) => Self::Bool(*value),
            Argument::Int(value) => Self::Int(*value),
            Argument::Text(value) => Self::Text(value.clone()),
            Argument::Float(value) => Self::Made(Made::Float(match *value {
                value if value.is_nan() => WrittenFloat::Special(Special::Nan),
                f64::INFINITY => WrittenFloat::Special(Special::Infinity),
                f64::NEG_INFINITY => WrittenFloat::Special(Special::MinusInfinity),
                value => WrittenFloat::Number(value),
            })),
            Argument::Earlier(statement) => Self::Made(Made::Earlier(*statement)),
            Argument::Array(elements) => Self::Made(Made::Array(elements.iter().map(Self::new).collect())),
            Argument::Function(gives) => Self::Made(Made::Function(Box::new(Self::new(gives)))),
            Argument::Class(name) => Self::Made(Made::Class(name.clone())),
        }
    }

    fn argument(self) -> Argument {
        match self {
            Self::Null => Argument::Null,
            Self::Bool(value) => Argument::Bool(value),
            Self::Int(value) => Argument::Int(value),
            Self::Text(value) => Argument::Text(value),
            Self::Made(Made::Float(WrittenFloat::Number(value))) => Argument::Float(value),
            Self::Made(Made::Float(WrittenFloat::Special(special))) => Argument::Float(match special {
                Special::Nan => f64::NAN,
                Special::Infinity => f64::INFINITY,
                Special::MinusInfinity => f64::NEG_INFINITY,
            }),
            Self::Made(Made::Earlier(statement)) => Argument::Earlier(statement),
            Self::Made(Made::Array(elements)) => {
                Argument::Array(elements.into_iter().map(Self::argument).collect())
            }
            Self::Made(Made::Function(gives)) => Argument::Function(Box::new(gives.argument())),
            Self::Made(Made::Class(name)) => Argument::Class(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn callable(name: &str, kind: CallKind) -> Arc<Callable> {
        let is_method = kind == CallKind::Method;
        Arc::new(Callable {
            owner: "a.Stack".to_owned(),
            name: name.to_owned(),
            signature: "(Ljava/lang/Object;)V".to_owned(),
            kind,
            parameters: if is_method { vec![ValueKind::Object, ValueKind::Int] } else { Vec::new() },
            answer: if is_method { ValueKind::Nothing } else { ValueKind::Object },
        })
    }

    #[test]
    fn a_script_reads_like_one() {
        let new = Statement {
            callable: callable("Stack", CallKind::Constructor),
            receiver: None,
            args: vec![Argument::Int(3)],
        };
        let push = callable("push", CallKind::Method);
        let all = vec![
            Argument::Null,
            Argument::Bool(true),
            Argument::Float(-0.0),
            Argument::Float(f64::INFINITY),
            Argument::Text("\"<a>\n".to_owned()),
            Argument::Array(vec![Argument::Earlier(0), Argument::Function(Box::new(Argument::Int(1)))]),
            Argument::Class("java.lang.String".to_owned()),
        ];
        let again = Statement { callable: push.clone(), receiver: Some(0), args: Vec::new() };
        let push = Statement { callable: push, receiver: Some(0), args: all };
        let script = Script { statements: vec![new, push, again] };
        expect![[r#"{"version":2,"calls":[{"owner":"a.Stack","name":"Stack","signature":"(Ljava/lang/Object;)V","kind":"constructor","gives":"object"},{"owner":"a.Stack","name":"push","signature":"(Ljava/lang/Object;)V","kind":"method","takes":["object","int"]}],"statements":[{"call":0,"args":[3]},{"call":1,"on":0,"args":[null,true,{"float":-0.0},{"float":"Infinity"},"\"<a>\n",{"array":[{"earlier":0},{"function":1}]},{"class":"java.lang.String"}]},{"call":1,"on":0}]}"#]]
        .assert_eq(&script.to_json());
        assert_eq!(Script::from_json(&script.to_json()).unwrap(), script);
    }

    fn refused(text: &str, expected: Expect) {
        expected.assert_eq(&Script::from_json(text).unwrap_err().to_string());
    }

    #[test]
    fn scripts_of_other_versions_are_refused_by_their_version() {
        refused(
            r#"{"calls":[{"class":"A","name":"a","descriptor":"()V","kind":"static"}],"statements":[{"call":0}]}"#,
            expect!["the script has version 1, and only version 2 can be read"],
        );
        refused(
            r#"{"version":3,"calls":{}}"#,
            expect!["the script has version 3, and only version 2 can be read"],
        );
        refused(
            r#"{"version":3,"calls":[],"statements":[]}"#,
            expect!["the script has version 3, and only version 2 can be read"],
        );
    }

    #[test]
    fn what_is_no_script_is_refused() {
        let call = r#"{"owner":"A","name":"a","signature":"()V","kind":"function"}"#;
        refused("", expect!["not a script: EOF while parsing a value at line 1 column 0"]);
        refused(
            "[]",
            expect![
                "not a script: invalid length 0, expected struct WrittenScript with 3 elements at line 1 column 2"
            ],
        );
        refused(
            r#"{"version":2,"calls":[],"statements":[{"call":0}]}"#,
            expect!["statement 0 refers to call 0, which is not defined before it"],
        );
        refused(
            &format!(r#"{{"version":2,"calls":[{call}],"statements":[{{"call":0,"on":0}}]}}"#),
            expect!["statement 0 refers to the result of statement 0, which is not defined before it"],
        );
        refused(
            &format!(
                r#"{{"version":2,"calls":[{call}],"statements":[{{"call":0,"args":[{{"array":[{{"earlier":7}}]}}]}}]}}"#
            ),
            expect!["statement 0 refers to the result of statement 7, which is not defined before it"],
        );
        // Deep nesting must not exhaust the stack.
        let deep = format!("{}1{}", r#"{"function":"#.repeat(100_000), "}".repeat(100_000));
        let deep = format!(r#"{{"version":2,"calls":[{call}],"statements":[{{"call":0,"args":[{deep}]}}]}}"#);
        assert!(Script::from_json(&deep).unwrap_err().to_string().contains("recursion limit"));
    }

    fn argument() -> impl Strategy<Value = Argument> {
        let leaf = prop_oneof![
            Just(Argument::Null),
            any::<bool>().prop_map(Argument::Bool),
            any::<i64>().prop_map(Argument::Int),
            any::<f64>()
                .prop_filter("no number equals itself", |value| !value.is_nan())
                .prop_map(Argument::Float),
            any::<String>().prop_map(Argument::Text),
            Just(Argument::Earlier(0)),
            any::<String>().prop_map(Argument::Class),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Argument::Array),
                inner.prop_map(|gives| Argument::Function(Box::new(gives))),
            ]
        })
    }

    proptest! {
        /// A written script reads back as it was.
        #[test]
        fn written_is_read(args in prop::collection::vec(prop::collection::vec(argument(), 0..3), 0..4)) {
            let kinds = [CallKind::Function, CallKind::Method, CallKind::Constant];
            let first = Statement { callable: callable("Stack", CallKind::Constructor), receiver: None, args: vec![] };
            let rest = args.into_iter().enumerate().map(|(at, args)| Statement {
                callable: callable("m", kinds[at % 3]),
                receiver: (at % 2 == 0).then_some(at),
                args,
            });
            let script = Script { statements: std::iter::once(first).chain(rest).collect() };
            prop_assert_eq!(Script::from_json(&script.to_json()).unwrap(), script);
        }

        /// No text makes reading panic.
        #[test]
        fn nonsense_is_an_error(cut in 0usize..200, put in any::<char>()) {
            let text = r#"{"version":2,"calls":[{"owner":"A","name":"a","signature":"()V","kind":"function"}],"statements":[{"call":0,"args":[{"earlier":1},2,{"float":1e3}]}]}"#;
            let mut chars: Vec<char> = text.chars().collect();
            let at = cut % chars.len();
            chars[at] = put;
            let _ = Script::from_json(&chars.into_iter().collect::<String>());
        }
    }
}
