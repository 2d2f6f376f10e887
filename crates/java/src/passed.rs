//! Values that code elsewhere passes for a parameter, and what came of them.
//!
//! Paper: none; the rule that gives up ways to make objects, for values.

use adit_trace::{Argument, Script, Statement, ValueKind};
use rand::{Rng, RngExt};

use crate::Recipe;
use crate::generate::HOPELESS;
use crate::weights::Weights;

/// Probability of a text or constant that code elsewhere passes: to a start, without whose success nothing
/// can be seen, and to a method, which should be tried with other values as well.
const PASSED_TO_START: f64 = 0.9;
const PASSED_TO_METHOD: f64 = 0.5;

/// The same for numbers, of which others are often as good, and for null.
const PASSED_NUMBER: f64 = 0.25;
const PASSED_NULL: f64 = 0.1;

/// Probability that a call that makes a value takes a text that looks like one that the script has used, and
/// that it takes any other than that of its recipe.
const ALIKE: f64 = 0.6;
const DRAWN_ANEW: f64 = 0.3;

/// So few different numbers are names rather than amounts: a mode, a kind.
const FEW_NUMBERS: usize = 4;

/// The values that code elsewhere passes for a parameter.
#[derive(Clone, Debug, Default)]
pub(crate) struct PassedValues {
    recipes: Vec<Recipe>,
    /// For each value, what came of calls with it.
    ends: Vec<Ends>,
    weights: Weights,
    /// Probability that one of them is taken.
    chance: f64,
}

/// What came of calls with a value.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    /// Numbers of calls that returned and that did not.
    good: u32,
    bad: u32,
    /// What was made with it hung, also if the call itself returned: the generator of a key that is hard to
    /// find is quick to get.
    hung: bool,
}

impl Ends {
    /// Tells whether the value is expected never to be of use.
    fn are_hopeless(self) -> bool {
        self.hung || (self.good == 0 && self.bad >= HOPELESS)
    }
}

impl PassedValues {
    /// The values, for a start or for another call.
    pub(crate) fn new(recipes: Vec<Recipe>, to_start: bool) -> PassedValues {
        let is_number = |recipe: &Recipe| match recipe.value {
            Argument::Earlier(at) => {
                recipe.statements.get(at).is_some_and(|made| made.callable.answer == ValueKind::Int)
            }
            _ => false,
        };
        let chance = match recipes.iter().find(|recipe| recipe.value != Argument::Null) {
            None => PASSED_NULL,
            Some(Recipe { value: Argument::Int(_) | Argument::Float(_), .. }) => {
                if to_start || recipes.len() <= FEW_NUMBERS { PASSED_TO_METHOD } else { PASSED_NUMBER }
            }
            Some(recipe) if is_number(recipe) => PASSED_NUMBER,
            Some(_) if to_start => PASSED_TO_START,
            Some(_) => PASSED_TO_METHOD,
        };
        let ends = vec![Ends::default(); recipes.len()];
        PassedValues { recipes, ends, weights: Weights::default(), chance }
    }

    /// One of the values, or nothing if another should be taken.
    pub(crate) fn draw(&self, rng: &mut impl Rng) -> Option<&Recipe> {
        if self.recipes.is_empty() || !rng.random_bool(self.chance) {
            return None;
        }
        self.recipes.get(self.weights.draw(rng))
    }

    /// One of the values, if there are others than null.
    pub(crate) fn draw_one(&self, rng: &mut impl Rng) -> Option<&Recipe> {
        if self.chance <= PASSED_NULL { None } else { self.recipes.get(self.weights.draw(rng)) }
    }

    /// Tells whether there are texts among the values.
    pub(crate) fn has_texts(&self) -> bool {
        self.recipes.iter().any(|recipe| matches!(recipe.value, Argument::Text(_)))
    }

    /// One of the texts among the values, for a call that makes a value: often one that is part of a text
    /// that the script has used, or the other way round, because names that belong together look alike.
    pub(crate) fn text_like<'t>(
        &self,
        used: impl Iterator<Item = &'t str> + Clone,
        rng: &mut impl Rng,
    ) -> Option<&Argument> {
        let is_like = |(recipe, ends): &(&Recipe, &Ends)| match &recipe.value {
            Argument::Text(text) => !ends.hung && used.clone().any(|used| are_alike(text, used)),
            _ => false,
        };
        let mut alike = self.recipes.iter().zip(&self.ends).filter(is_like);
        let count = alike.clone().count();
        if count > 0 && rng.random_bool(ALIKE) {
            return alike.nth(rng.random_range(0..count)).map(|(recipe, _)| &recipe.value);
        }
        if !rng.random_bool(DRAWN_ANEW) {
            return None;
        }
        let drawn = &self.recipes.get(self.weights.draw(rng))?.value;
        matches!(drawn, Argument::Text(_)).then_some(drawn)
    }

    /// Takes note that a call with the value hung: it is not worth another.
    pub(crate) fn condemn(&mut self, argument: &Argument) {
        let is_it = |recipe: &Recipe| recipe.statements.is_empty() && recipe.value == *argument;
        if let Some(which) = self.recipes.iter().position(is_it) {
            self.ends[which].hung = true;
        }
    }

    /// Takes note of how a call ended, and says whether a value became hopeless or is so no more.
    pub(crate) fn judge(&mut self, script: &Script, argument: &Argument, is_good: bool) -> bool {
        let is_it = |recipe: &Recipe| match (argument, &recipe.value) {
            _ if recipe.statements.is_empty() => recipe.value == *argument,
            (Argument::Earlier(from), Argument::Earlier(made)) => {
                let called =
                    |statements: &[Statement], at: usize| statements.get(at).map(|one| one.callable.clone());
                called(&script.statements, *from) == called(&recipe.statements, *made)
            }
            _ => false,
        };
        let Some(which) = self.recipes.iter().position(is_it) else { return false };
        let ends = &mut self.ends[which];
        let before = ends.are_hopeless();
        let count = if is_good { &mut ends.good } else { &mut ends.bad };
        *count = count.saturating_add(1);
        ends.are_hopeless() != before
    }

    /// Tells whether this is one of the values and none with which a call ever worked.
    pub(crate) fn is_hopeless(&self, argument: &Argument) -> bool {
        let is_it = |recipe: &Recipe| recipe.statements.is_empty() && recipe.value == *argument;
        self.recipes.iter().position(is_it).is_some_and(|at| self.ends[at].are_hopeless())
    }

    /// No longer gives the values that are to be avoided.
    pub(crate) fn avoid(&mut self, avoided: impl Fn(&Argument) -> bool) {
        let recipes = self.recipes.iter_mut().filter(|recipe| avoided(&recipe.value));
        recipes.for_each(|recipe| recipe.weight = 0);
    }

    /// Weighs the values anew, by what is known of their ends.
    pub(crate) fn weigh(&mut self) {
        let weight = |(recipe, ends): (&Recipe, &Ends)| {
            recipe.weight * if ends.are_hopeless() { u32::from(!ends.hung) } else { 16 }
        };
        self.weights = Weights::new(self.recipes.iter().zip(&self.ends).map(weight));
    }
}

/// Tells whether one of two texts is part of the other, in any case of letters.
fn are_alike(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let mut windows = long.as_bytes().windows(short.len().max(1));
    short.len() > 1 && windows.any(|window| window.eq_ignore_ascii_case(short.as_bytes()))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    fn texts(texts: &[&str]) -> PassedValues {
        let recipe = |text: &&str| {
            let value = Argument::Text((*text).to_owned());
            Recipe { statements: Vec::new(), value, weight: 2 }
        };
        let mut passed = PassedValues::new(texts.iter().map(recipe).collect(), true);
        passed.weigh();
        passed
    }

    #[test]
    fn names_that_belong_together_look_alike() {
        assert!(are_alike("AES", "AES/CBC/NoPadding") && are_alike("sha256WithRSA", "RSA"));
        assert!(!are_alike("DES", "AES/CBC/NoPadding") && !are_alike("", "a") && !are_alike("a", "abc"));
        let passed = texts(&["DES", "AES", "Blowfish"]);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let used = ["AES/CBC/NoPadding"];
        let drawn = (0..200).filter_map(|_| passed.text_like(used.iter().copied(), &mut rng));
        let alike = drawn.filter(|drawn| **drawn == Argument::Text("AES".into())).count();
        assert!(alike > 100, "{alike}");
    }

    #[test]
    fn values_that_never_work_become_rare_until_they_work() {
        let mut passed = texts(&["good", "bad"]);
        let script = Script { statements: Vec::new() };
        let [good, bad] = ["good", "bad"].map(|text| Argument::Text(text.into()));
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let share = |passed: &PassedValues, rng: &mut ChaCha8Rng| {
            let drawn: Vec<&Recipe> = (0..1000).filter_map(|_| passed.draw(rng)).collect();
            drawn.iter().filter(|recipe| recipe.value == bad).count() * 100 / drawn.len()
        };
        assert!((40..60).contains(&share(&passed, &mut rng)));
        passed.judge(&script, &good, true);
        let changed = (0..HOPELESS).filter(|_| passed.judge(&script, &bad, false)).count();
        assert_eq!(changed, 1);
        passed.weigh();
        assert!(passed.is_hopeless(&bad) && !passed.is_hopeless(&good));
        assert!(share(&passed, &mut rng) < 15);
        assert!(passed.judge(&script, &bad, true));
        passed.weigh();
        assert!((40..60).contains(&share(&passed, &mut rng)));
        // What was made with it hung, though the call with it returned.
        passed.condemn(&bad);
        passed.weigh();
        assert!(passed.is_hopeless(&bad));
        assert_eq!(share(&passed, &mut rng), 0);
    }
}
