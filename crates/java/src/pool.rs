//! The values of a type: those of its recipes, and those that runs gave.
//!
//! Paper: none; random testing with feedback, as many tools do it.

use adit_trace::{Argument, Value};
use rand::{Rng, RngExt};

use crate::Recipe;
use crate::recent::Recent;
use crate::weights::Weights;

/// So many learned values are kept for a type.
const MOST_LEARNED: usize = 16;

/// Probability of a learned value where there are any.
const LEARNED: f64 = 0.12;

/// Probability of joining texts, and their greatest length.
const JOINED: f64 = 0.2;
const LONGEST_JOINED: usize = 24;

/// Probability that a learned number is taken one higher or one lower, each: sizes are borders.
const NEIGHBOR: f64 = 0.2;

/// The values of a type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    pub(crate) recipes: Vec<Recipe>,
    pub(crate) weights: Weights,
    /// Values that runs gave.
    learned: Recent<Argument, MOST_LEARNED>,
}

impl Source {
    /// The values of these recipes.
    pub(crate) fn new(recipes: Vec<Recipe>) -> Source {
        Source { recipes, ..Source::default() }
    }

    /// Sometimes, where all values are texts, this one and others as one: whatever reads texts knows more
    /// kinds of them than any list has. Where texts stand for any object, they stay few.
    pub(crate) fn joined(&self, value: &Argument, rng: &mut impl Rng) -> Option<Argument> {
        let Argument::Text(text) = value else { return None };
        let is_text = |recipe: &Recipe| matches!(recipe.value, Argument::Text(_) | Argument::Null);
        if !rng.random_bool(JOINED) || !self.recipes.iter().all(is_text) {
            return None;
        }
        let mut whole = text.clone();
        loop {
            if let Argument::Text(other) = &self.recipes[self.weights.draw(rng)].value
                && whole.len() + other.len() <= LONGEST_JOINED
            {
                whole += other;
            }
            if rng.random_bool(0.5) {
                return Some(Argument::Text(whole));
            }
        }
    }

    /// A text of the recipes, or several as one; nothing if a value was drawn that is none.
    pub(crate) fn text(&self, rng: &mut impl Rng) -> Option<String> {
        let drawn = &self.recipes.get(self.weights.draw(rng))?.value;
        match self.joined(drawn, rng).as_ref().unwrap_or(drawn) {
            Argument::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// Tells whether there are values that are not null and were not written for the purpose, as functions
    /// and stubs are.
    pub(crate) fn has_real(&self) -> bool {
        self.recipes.iter().any(|recipe| match &recipe.value {
            Argument::Null | Argument::Function(_) => false,
            // The signature of a stub says which methods there are, after that of the constructor.
            Argument::Earlier(at) => {
                recipe.statements.get(*at).is_some_and(|made| !made.callable.signature.contains(['+', '!']))
            }
            _ => true,
        })
    }

    /// Sometimes one of the values that runs gave, or a neighbor of it.
    pub(crate) fn learned(&self, rng: &mut impl Rng) -> Option<Argument> {
        let learned = self.learned.draw(LEARNED, rng)?;
        Some(neighbor(learned, rng).unwrap_or_else(|| learned.clone()))
    }

    /// No longer gives the values that are to be avoided.
    pub(crate) fn avoid(&mut self, avoided: impl Fn(&Argument) -> bool) {
        self.learned.retain(|value| !avoided(value));
        let recipes = self.recipes.iter_mut().filter(|recipe| avoided(&recipe.value));
        recipes.for_each(|recipe| recipe.weight = 0);
    }

    /// Keeps a value that a run gave, if it is one that may be handed over again.
    pub(crate) fn learn(&mut self, value: &Value) {
        let learned = match value {
            Value::Text(text) if text.len() <= 64 => Argument::Text(text.clone()),
            // Larger numbers are hashes and times, which differ from run to run.
            Value::Int(value) if value.unsigned_abs() <= 10_000 => Argument::Int(*value),
            _ => return,
        };
        // Where values are few on purpose, so that equal ones meet, they stay few.
        let is_text = |recipe: &Recipe| matches!(recipe.value, Argument::Text(_));
        let is_number = |recipe: &Recipe| matches!(recipe.value, Argument::Int(_));
        let pure = if matches!(learned, Argument::Text(_)) {
            self.recipes.iter().any(is_text) && !self.recipes.iter().any(is_number)
        } else {
            self.recipes.iter().any(is_number) && !self.recipes.iter().any(is_text)
        };
        if pure && !self.recipes.iter().any(|recipe| recipe.value == learned) {
            self.learned.add(learned);
        }
    }
}

/// Sometimes, for a number, the one before or after it.
fn neighbor(value: &Argument, rng: &mut impl Rng) -> Option<Argument> {
    let Argument::Int(number) = value else { return None };
    let drawn: f64 = rng.random();
    match drawn {
        _ if drawn < NEIGHBOR => number.checked_sub(1).map(Argument::Int),
        _ if drawn < 2.0 * NEIGHBOR => number.checked_add(1).map(Argument::Int),
        _ => None,
    }
}
