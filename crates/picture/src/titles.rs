//! Titles of boxes: the shortest text that distinguishes a state from the others.
//!
//! Mined models have short names, which are the titles. In other models the name of a state may list all its
//! predicates. With six of them every box would begin with nearly the same six lines, so the title has only
//! those that are special for its state. The full name is shown on hover and when the box is selected.

use std::collections::BTreeSet;

use adit_automata::{Fsa, State};
use adit_trace::Label;

/// Maximum number of parts in a title.
const MOST: usize = 3;

/// Separator of the parts of a name.
const BETWEEN: &str = ", ";

/// Prefix of a predicate that does not hold.
const NOT: &str = "not ";

/// Shortened name of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Title {
    pub(crate) text: String,
    /// Predicates that it contains.
    pub(crate) tells: BTreeSet<String>,
}

/// Returns the title of each state that has a name other than its number.
pub(crate) fn titles(model: &Fsa<String>) -> Vec<Option<Title>> {
    let names: Vec<Option<&str>> = model
        .states()
        .map(|state| model.name(state).filter(|name| *name != state.to_string() && !name.is_empty()))
        .collect();
    let parts: Vec<Vec<&str>> = model.states().map(|state| predicates(model, state)).collect();
    let different: BTreeSet<&Vec<&str>> = parts.iter().filter(|parts| !parts.is_empty()).collect();
    let short = |(name, parts): (&Option<&str>, &Vec<&str>)| {
        let name = (*name)?;
        // A short name is the title, so that a state is called the same everywhere.
        if parts.len() <= MOST {
            return Some(Title {
                text: name.to_owned(),
                tells: parts.iter().map(|&part| part.to_owned()).collect(),
            });
        }
        // Naming what holds is the plainest, as long as that is no longer than the least that would do.
        let least = distinguishing(parts, Vec::new(), &different);
        let hold: Vec<usize> = (0..parts.len()).filter(|&at| !parts[at].starts_with(NOT)).collect();
        let plain = distinguishing(parts, hold.clone(), &different);
        let (chosen, enough) = match (&least, &plain) {
            _ if hold.is_empty() || plain.0.len() > MOST => least,
            ((one, true), (other, true)) if one.len() < other.len() => least,
            _ => plain,
        };
        let mut text = chosen.join(BETWEEN);
        if !enough {
            text += ", …";
        }
        Some(Title { text, tells: chosen.iter().map(|&part| part.to_owned()).collect() })
    };
    names.iter().zip(&parts).map(short).collect()
}

/// Returns the parts of a state's name if all of them are predicates that hold there; a name that a person
/// chose has none.
fn predicates(model: &Fsa<String>, state: State) -> Vec<&str> {
    let holds = model.predicates(state);
    let parts: Vec<&str> = model.name(state).map(|name| name.split(BETWEEN).collect()).unwrap_or_default();
    if parts.iter().all(|part| holds.iter().any(|one| one == part)) { parts } else { Vec::new() }
}

/// Returns a small set of parts, chosen greedily, that no other name contains, in their order in the name,
/// and whether they are enough. Predicates that hold are preferred to negated ones. A title that begins with
/// all that hold also distinguishes names with more or fewer of them.
fn distinguishing<'a>(
    parts: &[&'a str],
    mut chosen: Vec<usize>,
    all: &BTreeSet<&Vec<&str>>,
) -> (Vec<&'a str>, bool) {
    let holding = |name: &[&str]| name.iter().filter(|part| !part.starts_with(NOT)).count();
    // Names that have all of these parts and more cannot be told apart from this side.
    let is_other = |other: &&Vec<&str>| !parts.iter().all(|part| other.contains(part));
    let mut others: Vec<&Vec<&str>> = all.iter().copied().filter(is_other).collect();
    if !chosen.is_empty() {
        others.retain(|other| {
            chosen.iter().all(|&at| other.contains(&parts[at])) && holding(other) == holding(parts)
        });
    }
    while !others.is_empty() && chosen.len() < MOST {
        let left = |at: &usize| others.iter().filter(|other| other.contains(&parts[*at])).count();
        let Some(best) = (0..parts.len())
            .filter(|at| !chosen.contains(at))
            .min_by_key(|at| (left(at), parts[*at].starts_with(NOT), *at))
        else {
            break;
        };
        others.retain(|other| other.contains(&parts[best]));
        chosen.push(best);
    }
    if chosen.is_empty() {
        // Nothing to be told apart from: what holds is still worth saying.
        chosen.extend((0..parts.len()).min_by_key(|at| (parts[*at].starts_with(NOT), *at)));
    }
    chosen.sort_unstable();
    (chosen.into_iter().map(|at| parts[at]).collect(), others.is_empty())
}

/// Returns the predicate that a call's outcome implies: `isEmpty:FALSE` implies `not isEmpty`.
pub(crate) fn predicate(label: &str) -> Option<String> {
    let label = Label::parse(label);
    let method = label.method();
    label.answer().map(|answer| if answer { method.to_owned() } else { format!("{NOT}{method}") })
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;

    use super::*;

    fn of(names: &[&str]) -> Vec<String> {
        let mut builder: Builder<String> = Builder::new();
        for (state, name) in names.iter().enumerate() {
            builder.state(true);
            builder.name(state, (*name).to_owned());
            builder.predicates(state, name.split(", ").map(str::to_owned).collect());
        }
        builder.initial(0);
        titles(&builder.build())
            .into_iter()
            .map(|title| title.map_or_else(String::new, |title| title.text))
            .collect()
    }

    #[test]
    fn a_title_is_what_tells_a_state_apart() {
        assert_eq!(of(&["a, b, c, d", "not a, not b, c, d"]), ["a", "not a"]);
        // What holds is preferred, and two are needed for the second.
        assert_eq!(of(&["a, not b, c, d", "a, b, c, d", "not a, b, c, d"]), ["not b", "a, b", "not a"]);
        assert_eq!(of(&["a, b, c, d"]), ["a"]);
        // Short names are titles as they are.
        assert_eq!(of(&["isEmpty, not contains", "not isEmpty"]), ["isEmpty, not contains", "not isEmpty"]);
    }

    #[test]
    fn at_most_three_and_then_dots() {
        let all = ["a", "b", "c", "d", "e"];
        let names: Vec<String> = (0..32)
            .map(|bits: u32| {
                let parts = all.iter().enumerate().map(|(at, name)| {
                    if bits >> at & 1 == 1 { (*name).to_owned() } else { format!("not {name}") }
                });
                parts.collect::<Vec<_>>().join(", ")
            })
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(of(&names)[31], "a, b, c, …");
        assert_eq!(of(&names)[0], "not a, not b, not c, …");
    }

    #[test]
    fn outcomes_are_predicates() {
        assert_eq!(predicate("isEmpty:FALSE").as_deref(), Some("not isEmpty"));
        assert_eq!(predicate("isEmpty:TRUE").as_deref(), Some("isEmpty"));
        assert_eq!(predicate("size"), None);
    }
}
