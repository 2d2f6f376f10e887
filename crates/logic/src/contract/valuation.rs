//! The values of variables at one moment, and how recorded states and calls give them.
//!
//! A [`State`] is a flat map. Its names mean:
//!
//! | name | variable |
//! |---|---|
//! | `x` | the field `x` |
//! | `x.length`, `x.size` | the size of the array, or of the collection, in `x`; null if `x` is null |
//! | `x[..]` | the elements of the array or the collection in `x`, as one text |
//! | `x.y` | the field `y` of the object in `x` |

use std::collections::BTreeMap;
use std::collections::btree_map;

use adit_trace::{Event, Outcome, State, Value};

use super::{Constant, Moment, Part, Variable, VariablePlace};

/// Values of variables. What is not in it is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Valuation(BTreeMap<Variable, Constant>);

impl Valuation {
    /// The values of the fields of an object.
    pub fn of_state(state: &State) -> Self {
        let mut values = Self::default();
        values.add_state(state, Moment::Now);
        values
    }

    /// The values when a call begins: fields, if they are known, and parameters.
    pub fn of_entry(before: Option<&State>, event: &Event) -> Self {
        let mut values = before.map(Self::of_state).unwrap_or_default();
        values.add_parameters(event);
        values
    }

    /// The values when a call ends: fields before and after it, parameters, and the result.
    pub fn of_exit(before: Option<&State>, event: &Event) -> Self {
        let mut values = event.state.as_ref().map(Self::of_state).unwrap_or_default();
        if let Some(before) = before {
            values.add_state(before, Moment::Before);
        }
        values.add_parameters(event);
        if let Outcome::Returned(result) = &event.outcome {
            values.add(VariablePlace::Return, Part::Whole, Moment::Now, result);
        }
        values
    }

    /// The value of a variable, if it is known.
    pub fn get(&self, variable: &Variable) -> Option<&Constant> {
        self.0.get(variable)
    }

    /// Variables and their values, sorted.
    pub fn iter(&self) -> btree_map::Iter<'_, Variable, Constant> {
        self.0.iter()
    }

    fn add_state(&mut self, state: &State, moment: Moment) {
        for (name, value) in state {
            let (path, part) = split_field(name);
            self.add(VariablePlace::Field(path.into()), part, moment, value);
        }
    }

    fn add_parameters(&mut self, event: &Event) {
        for (number, value) in event.args.iter().enumerate() {
            let name = VariablePlace::Parameter(event.parameter(number).into());
            self.add(name, Part::Whole, Moment::Now, value);
        }
    }

    /// Adds what a recorded value says: about its own variable, and about the reference that a size or
    /// elements belong to.
    fn add(&mut self, place: VariablePlace, part: Part, moment: Moment, value: &Value) {
        if part != Part::Whole {
            let holder = Variable { place: place.clone(), part: Part::Whole, moment };
            let reference = if *value == Value::Null { Constant::Null } else { Constant::Object(None) };
            self.0.entry(holder).or_insert(reference);
        }
        let variable = Variable { place, part, moment };
        match constant(value) {
            None => {}
            // There is no size of nothing.
            Some(Constant::Null) if part != Part::Whole => {}
            Some(value) if variable.is_size() && !matches!(value, Constant::Int(_)) => {}
            Some(value) => {
                self.0.insert(variable, value);
            }
        }
    }
}

impl FromIterator<(Variable, Constant)> for Valuation {
    fn from_iter<I: IntoIterator<Item = (Variable, Constant)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<'a> IntoIterator for &'a Valuation {
    type Item = (&'a Variable, &'a Constant);
    type IntoIter = btree_map::Iter<'a, Variable, Constant>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Returns the path of a field, and the part of it that a name in a state stands for.
pub fn split_field(name: &str) -> (&str, Part) {
    let suffixes = [(".length", Part::Length), (".size", Part::Size), ("[..]", Part::Elements)];
    suffixes
        .into_iter()
        .find_map(|(suffix, part)| {
            let path = name.strip_suffix(suffix).filter(|path| !path.is_empty())?;
            Some((path, part))
        })
        .unwrap_or((name, Part::Whole))
}

/// A recorded value as claims have it; nothing for a call without a result.
fn constant(value: &Value) -> Option<Constant> {
    Some(match value {
        Value::Void => return None,
        Value::Null => Constant::Null,
        Value::Bool(value) => Constant::Bool(*value),
        Value::Int(value) => Constant::Int(*value),
        Value::Float(value) => Constant::Float(*value),
        Value::Text(text) if is_identity(text) => Constant::Object(Some(text.as_str().into())),
        Value::Text(text) => Constant::Text(text.as_str().into()),
    })
}

/// Tells whether a recorded text is the identity of an object, as readers write it: `#` and a number.
pub fn is_identity(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|number| {
        let digits = number.strip_prefix('-').unwrap_or(number);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(fields: &[(&str, Value)]) -> State {
        fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    #[test]
    fn a_size_says_that_its_holder_is_not_null() {
        let values = Valuation::of_state(&state(&[
            ("a.length", Value::Int(3)),
            ("b.size", Value::Null),
            ("c", Value::Text("#17".into())),
            ("c.size", Value::Int(1)),
        ]));
        let get = |name: &str| values.get(&Variable::field(name)).cloned();
        assert_eq!(get("a"), Some(Constant::Object(None)));
        assert_eq!(get("b"), Some(Constant::Null));
        assert_eq!(get("c"), Some(Constant::Object(Some("#17".into()))));
        assert_eq!(values.get(&Variable::field_size("a")), Some(&Constant::Int(3)));
        let size = Variable { part: Part::Size, ..Variable::field("b") };
        assert_eq!(values.get(&size), None);
    }

    #[test]
    fn an_exit_knows_both_states_the_parameters_and_the_result() {
        let mut event = Event::call("push");
        event.args = vec![Value::Int(7)];
        event.outcome = Outcome::Returned(Value::Bool(true));
        event.state = Some(state(&[("n", Value::Int(2))]));
        let before = state(&[("n", Value::Int(1))]);
        let shown: Vec<String> = Valuation::of_exit(Some(&before), &event)
            .iter()
            .map(|(variable, value)| format!("{variable} is {value}"))
            .collect();
        assert_eq!(shown, ["this.n is 2", "orig(this.n) is 1", "arg0 is 7", "return is true"]);
        let entry = Valuation::of_entry(Some(&before), &event);
        assert_eq!(entry.get(&Variable::field("n")), Some(&Constant::Int(1)));
        assert_eq!(entry.get(&Variable::result()), None);
    }
}
