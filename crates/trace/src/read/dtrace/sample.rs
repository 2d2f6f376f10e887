//! A sample, the values of the variables at a program point, read against the declaration of the point.

use super::super::error::{Halt, Problem};
use super::super::excerpt::shorten;
use super::super::text::Line;
use super::values::{elements, value};
use super::{Declared, MOST_VARIABLES, Point, Rep, fault};
use crate::{State, Value};

/// A sample that is being read.
pub(super) struct Sample {
    pub(super) point: Box<str>,
    pub(super) nonce: Option<u64>,
    pub(super) expect: Expect,
    /// The variable whose value comes next, or whose value came last.
    pub(super) name: String,
    value: String,
    variables: usize,
    /// The place in the declaration of the variable that should come next.
    next: usize,
    /// The first difference from the declaration.
    pub(super) mismatch: Option<String>,
    pub(super) this: Option<Box<str>>,
    pub(super) args: Vec<(String, Value)>,
    pub(super) state: State,
    pub(super) result: Option<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Expect {
    /// The nonce's own name, or the first variable.
    First,
    Nonce,
    Name,
    Value,
    Modified,
}

/// The use of a variable, which follows from its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    This,
    /// A field, or what the string in a field says.
    Field(String),
    /// The elements of an array or a collection in a field: the names of its size and of its elements.
    Elements {
        size: String,
        elements: String,
    },
    Argument(String),
    /// The text of the string in a parameter.
    ArgumentText(String),
    Return,
    /// Nothing that matters here.
    Other,
}

impl Role {
    /// The role of the variable with this name; `in_array` says whether what holds the elements is an array.
    pub(super) fn of(name: &str, in_array: impl Fn(&str) -> bool) -> Self {
        if name == "this" {
            return Self::This;
        }
        // A string is an object, and behind it comes what it says.
        let (plain, says) = match name.strip_suffix(".toString") {
            Some(plain) => (plain, true),
            None => (name, false),
        };
        if plain == "return" {
            return Self::Return;
        }
        let Some(field) = plain.strip_prefix("this.") else {
            return match plain.contains(['(', '[', '.', ':']) {
                true => Self::Other,
                false if says => Self::ArgumentText(plain.to_owned()),
                false => Self::Argument(plain.to_owned()),
            };
        };
        if !field.contains(['(', '[']) {
            return Self::Field(field.to_owned());
        }
        let holder = field.strip_suffix("[..]").or_else(|| field.strip_suffix("[]"));
        match holder.filter(|holder| !says && !holder.contains(['(', '['])) {
            Some(holder) => {
                let measure = if in_array(&plain[..5 + holder.len()]) { "length" } else { "size" };
                Self::Elements { size: format!("{holder}.{measure}"), elements: format!("{holder}[..]") }
            }
            None => Self::Other,
        }
    }
}

impl Sample {
    pub(super) fn new(point: &str) -> Self {
        Self {
            point: point.into(),
            nonce: None,
            expect: Expect::First,
            name: String::new(),
            value: String::new(),
            variables: 0,
            next: 0,
            mismatch: None,
            this: None,
            args: Vec::new(),
            state: State::new(),
            result: None,
        }
    }

    /// Takes the next line. With `keep_elements`, the elements of arrays are kept beside their number.
    pub(super) fn line(
        &mut self,
        line: &Line<'_>,
        declared: Option<&Point>,
        keep_elements: bool,
    ) -> Result<(), Halt> {
        let text = line.text;
        self.expect = match self.expect {
            Expect::First if text == "this_invocation_nonce" => Expect::Nonce,
            Expect::First | Expect::Name => {
                self.variables += 1;
                if self.variables > MOST_VARIABLES {
                    return Err(
                        fault(line, &format!("a sample has more than {MOST_VARIABLES} variables")).into()
                    );
                }
                text.clone_into(&mut self.name);
                Expect::Value
            }
            Expect::Nonce => {
                let nonce = text.trim().parse();
                self.nonce = Some(nonce.map_err(|_| fault(line, "the nonce of a call must be a number"))?);
                Expect::Name
            }
            Expect::Value => {
                text.clone_into(&mut self.value);
                Expect::Modified
            }
            Expect::Modified => {
                if !matches!(text.trim(), "0" | "1" | "2") {
                    let name = shorten(&self.name);
                    return Err(fault(line, &format!("0, 1 or 2 must follow the value of `{name}`")).into());
                }
                let makes_sense = text.trim() != "2" && self.value != "nonsensical";
                self.variable(declared, makes_sense, keep_elements);
                Expect::Name
            }
        };
        Ok(())
    }

    /// Keeps the variable that was read, if it is one that matters.
    fn variable(&mut self, point: Option<&Point>, makes_sense: bool, keep_elements: bool) {
        let (role, rep);
        match point {
            Some(point) => {
                let Some(Declared { role: known, rep: of_values, .. }) = self.declared(point) else {
                    let name = shorten(&self.name);
                    self.differ(format!("`{name}` is not declared at this program point, or not here"));
                    return;
                };
                (role, rep) = (known, Some(*of_values));
                if makes_sense {
                    self.keep(role, rep, keep_elements);
                }
            }
            None if makes_sense => {
                let guessed = Role::of(&self.name, |_| true);
                self.keep(&guessed, None, keep_elements);
            }
            None => {}
        }
    }

    /// The declaration of the variable, if it stands where it should. Constants are not repeated in samples.
    fn declared<'p>(&mut self, point: &'p Point) -> Option<&'p Declared> {
        while let Some(declared) = point.variables.get(self.next) {
            self.next += 1;
            if *declared.name == *self.name {
                return Some(declared);
            }
            if !declared.constant {
                self.next -= 1;
                break;
            }
        }
        None
    }

    /// The sample is over: nothing that was declared may be missing.
    pub(super) fn finish(&mut self, point: Option<&Point>) {
        let rest = point.and_then(|point| point.variables.get(self.next..)).unwrap_or_default();
        if let Some(missing) = rest.iter().find(|declared| !declared.constant) {
            let name = shorten(&missing.name);
            self.differ(format!("the declared variable `{name}` is missing"));
        }
    }

    fn differ(&mut self, what: String) {
        self.mismatch.get_or_insert(what);
    }

    fn keep(&mut self, role: &Role, rep: Option<Rep>, keep_elements: bool) {
        if let Role::Elements { size, elements: content } = role {
            match elements(&self.value) {
                Some(count) => {
                    self.state.insert(size.clone(), Value::Int(count));
                    if keep_elements {
                        self.state.insert(content.clone(), Value::Text(self.value.trim().to_owned()));
                    }
                }
                None if self.value.trim() == "null" => {
                    self.state.insert(size.clone(), Value::Null);
                }
                None => self.differ(format!("`{}` is no list", shorten(&self.value))),
            }
            return;
        }
        if *role == Role::Other {
            return;
        }
        let value = match value(&self.value, rep) {
            Ok(Some(value)) => value,
            Ok(None) => return,
            Err(kind) => {
                let (text, name) = (shorten(&self.value), shorten(&self.name));
                self.differ(format!("`{text}` is no {kind}, as `{name}` is declared"));
                return;
            }
        };
        match role {
            Role::This => self.this = Some(self.value.trim().into()),
            Role::Return => self.result = Some(value),
            Role::Field(field) => {
                self.state.insert(field.clone(), value);
            }
            Role::ArgumentText(name) => match self.args.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = value,
                None => self.args.push((name.clone(), value)),
            },
            Role::Argument(name) => self.args.push((name.clone(), value)),
            Role::Elements { .. } | Role::Other => {}
        }
    }
}

/// The error for a sample that does not fit its declaration.
pub(super) fn mismatch(line: &Line<'_>, point: &str, what: &str) -> super::super::ReadError {
    let what = format!("this record of `{}` does not match its declaration: {what}", shorten(point));
    line.error(0, Problem::Mismatch { what })
}
