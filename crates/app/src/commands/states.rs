//! States of a model as users name them: by number, or by name.

use adit_automata::{Fsa, State};
use adit_picture::StateNames;
use miette::Report;

use crate::errors::bad_input;
use crate::output::{counted, some_of};

/// Most names in one message.
const TOLD: usize = 4;

/// The state that a user means: by its number, by its name, or as texts show it, `2 (not isEmpty)`.
pub(super) fn state_of(model: &Fsa<String>, typed: &str) -> Result<State, Report> {
    let shown = StateNames::of(model);
    let is_named = |&state: &State| model.name(state) == Some(typed) || shown.name(state) == typed;
    let named: Vec<State> = model.explored_states().filter(is_named).collect();
    match (&named[..], typed.parse::<State>()) {
        ([state], _) => Ok(*state),
        (_, Ok(state)) if state < model.len() && model.not_explored() != Some(state) => Ok(state),
        ([_, ..], _) => Err(bad_input(
            format!("{} are called `{typed}`", counted(named.len(), "state")),
            "name one by its number; `adit name MODEL` lists them",
        )),
        ([], _) => Err(unknown(model, typed)),
    }
}

/// The error about a state that the model does not have, with the names that are most like it.
pub(super) fn unknown(model: &Fsa<String>, typed: &str) -> Report {
    let states = counted(model.explored_states().count(), "state");
    let help = match &near(model, typed)[..] {
        [] => format!("it has {states}; `adit name MODEL` lists them"),
        near => format!("did you mean {}? it has {states}; `adit name MODEL` lists them", either(near)),
    };
    bad_input(format!("the model has no state `{typed}`"), help)
}

/// The names that a user may have meant: those with few slips, and those that have all its words.
fn near(model: &Fsa<String>, typed: &str) -> Vec<String> {
    let words: Vec<String> = words(typed);
    let has_all = |name: &str| !words.is_empty() && words.iter().all(|word| self::words(name).contains(word));
    let mut found: Vec<(usize, &str)> = model
        .explored_states()
        .filter_map(|state| model.name(state))
        .filter(|name| adit_suggest::slips(typed, name).is_some() || has_all(name))
        .map(|name| (adit_suggest::distance(typed, name), name))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|(_, name)| format!("`{name}`")).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn either(names: &[String]) -> String {
    match names {
        [first, second] => format!("{first} or {second}"),
        _ => some_of(names, TOLD),
    }
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;

    use super::*;

    #[test]
    fn a_state_is_found_by_number_or_name_and_near_misses_are_told() {
        let mut builder: Builder<String> = Builder::new();
        for name in ["", "OPEN, isEmpty", "OPEN, not isEmpty", "PAID"] {
            let state = builder.state(true);
            builder.name(state, name.to_owned());
        }
        builder.initial(0);
        let model = builder.build();
        let found = |typed: &str| match state_of(&model, typed) {
            Ok(state) => state.to_string(),
            Err(error) => error.help().map(|help| help.to_string()).unwrap_or_default(),
        };
        for (typed, state) in [("3", "3"), ("PAID", "3"), ("3 (PAID)", "3"), ("OPEN, not isEmpty", "2")] {
            assert_eq!(found(typed), state);
        }
        let rest = "it has 4 states; `adit name MODEL` lists them";
        assert_eq!(found("PIAD"), format!("did you mean `PAID`? {rest}"));
        assert_eq!(found("open"), format!("did you mean `OPEN, isEmpty` or `OPEN, not isEmpty`? {rest}"));
        assert_eq!(found("9"), rest);
        assert_eq!(found("DELIVERED"), rest);
    }
}
