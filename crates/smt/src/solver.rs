//! Questions to a solver, and its answers.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::arena::{Arena, Expr, Var};
use crate::value::Value;

/// Somebody who says if constraints can hold together.
pub trait Solver {
    /// Says if one assignment of the variables makes every one of `constraints` true.
    fn check(&mut self, arena: &mut Arena, constraints: &[Expr]) -> Answer;
}

/// The answer of a [`Solver`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Answer {
    /// They can, for instance under this assignment. It gives a value to every variable of the constraints
    /// that matters; any value will do for the others.
    Sat(Model),
    /// No assignment makes all of them true.
    Unsat,
    /// Nobody knows. This is never the same as one of the others.
    Unknown(Reason),
}

impl Answer {
    /// Returns true for `Sat`, false for `Unsat`, and nothing if nobody knows.
    pub fn is_sat(&self) -> Option<bool> {
        match self {
            Answer::Sat(_) => Some(true),
            Answer::Unsat => Some(false),
            Answer::Unknown(_) => None,
        }
    }
}

/// Why a solver gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is no solver program.
    Missing,
    /// The time was over; the solver was ended.
    TimedOut(Duration),
    /// The solver said that it does not know, in these words.
    Undecided(String),
    /// The solver could not be started, or ended before its answer.
    Died(String),
    /// The solver printed something that is no answer.
    Nonsense(String),
    /// The solver gave an assignment under which the constraints are not true, or cannot be computed.
    BadModel(String),
}

impl Reason {
    /// Returns true if asking again would most probably end alike.
    pub(crate) fn is_about_the_question(&self) -> bool {
        matches!(self, Reason::TimedOut(_) | Reason::Undecided(_) | Reason::BadModel(_))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Missing => f.write_str("there is no solver"),
            Reason::TimedOut(limit) => write!(f, "the solver did not answer within {limit:?}"),
            Reason::Undecided(why) => write!(f, "the solver does not know: {why}"),
            Reason::Died(how) => write!(f, "the solver ended without an answer: {how}"),
            Reason::Nonsense(text) => write!(f, "the solver printed no answer but `{text}`"),
            Reason::BadModel(why) => write!(f, "the solver's assignment is wrong: {why}"),
        }
    }
}

/// Values of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: BTreeMap<Var, Value>,
}

impl Model {
    /// Returns the value of `var`, if it has one.
    pub fn get(&self, var: Var) -> Option<Value> {
        self.values.get(&var).copied()
    }

    /// Gives `var` a value.
    pub fn set(&mut self, var: Var, value: Value) {
        self.values.insert(var, value);
    }

    /// Returns all variables with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Var, Value)> + '_ {
        self.values.iter().map(|(&var, &value)| (var, value))
    }
}

impl FromIterator<(Var, Value)> for Model {
    fn from_iter<I: IntoIterator<Item = (Var, Value)>>(values: I) -> Self {
        Self { values: values.into_iter().collect() }
    }
}

impl Extend<(Var, Value)> for Model {
    fn extend<I: IntoIterator<Item = (Var, Value)>>(&mut self, values: I) {
        self.values.extend(values);
    }
}

/// The solver of a machine that has none. It knows nothing; below [`crate::Frugal`], what simplification
/// decides is still decided.
#[derive(Clone, Copy, Debug)]
pub struct Missing;

impl Solver for Missing {
    fn check(&mut self, _: &mut Arena, _: &[Expr]) -> Answer {
        Answer::Unknown(Reason::Missing)
    }
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(&mut self, arena: &mut Arena, constraints: &[Expr]) -> Answer {
        (**self).check(arena, constraints)
    }
}
