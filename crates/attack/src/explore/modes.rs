//! Modes: parts of a protocol that have nothing to do with the rest, such as a flag that is only set and
//! asked for.
//!
//! A flag on which nothing else depends doubles the states of a model. Two parts of an alphabet are
//! independent if every word of one can be shuffled with every word of the other. Candidates are the answers
//! of an observer together with the calls that change them. Whether they are independent of the rest is not
//! guessed: the model must be exactly the shuffle of what is left of it without them and of them alone.
//!
//! Paper: none; a language that is the shuffle of its projections is a product of automata without common
//! letters.
//! Cost: for each observer, two projections, their product, and one comparison of languages.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Builder, Fsa, State};
use adit_trace::Label;

/// A model as parts that do not depend on each other.
#[derive(Clone, Debug)]
pub struct Factored {
    /// The model without the calls of the modes.
    pub base: Fsa<String>,
    /// At least one.
    pub modes: Vec<Mode>,
}

/// A part of a protocol that is independent of the rest.
#[derive(Clone, Debug)]
pub struct Mode {
    /// Its labels: the answers of an observer, and the calls that change them.
    pub labels: BTreeSet<String>,
    /// The words that it allows by itself, beginning with the creation of an object.
    pub model: Fsa<String>,
}

/// States of a determinized part, and pairs of states that a comparison may visit, for each state of the
/// model. What is independent of the rest has fewer states than the whole; only what is not has many.
const LIMIT: usize = 8;

/// The same for the smallest models.
const AT_LEAST: usize = 400;

/// States of a model without a protocol: before there is an object, and after.
const WITHOUT_PROTOCOL: usize = 2;

/// Limit for a model.
fn limit(model: &Fsa<String>) -> usize {
    AT_LEAST.max(LIMIT * model.len())
}

/// Factors a model; nothing if it has no modes. Its initial state is that before there is an object.
pub fn factored(model: &Fsa<String>) -> Option<Factored> {
    let mut base = model.clone();
    let mut modes = Vec::new();
    let mut tried = BTreeSet::new();
    while let Some(labels) = candidates(&base).into_iter().find(|labels| tried.insert(labels.clone())) {
        if let Some((smaller, mode)) = split_off(&base, &labels) {
            base = smaller;
            modes.push(Mode { labels, model: mode });
        }
    }
    (!modes.is_empty()).then_some(Factored { base, modes })
}

/// Labels of events that create an object.
fn creations(model: &Fsa<String>) -> BTreeSet<String> {
    let edges = model.initial().iter().flat_map(|&state| model.edges(state));
    edges.map(|edge| edge.label.clone()).collect()
}

/// For each observer with two answers, these and the calls that change which of them is given; and the same
/// for observers together whose answers the same calls change.
fn candidates(model: &Fsa<String>) -> BTreeSet<BTreeSet<String>> {
    let mut answers: BTreeMap<&str, BTreeSet<&String>> = BTreeMap::new();
    for label in model.alphabet().iter().filter(|label| label.contains(':')) {
        answers.entry(Label::parse(label).method()).or_default().insert(label);
    }
    answers.retain(|_, labels| {
        let stays = model.all_edges().all(|edge| edge.from == edge.to || !labels.contains(edge.label));
        labels.len() == 2 && stays
    });
    let creations = creations(model);
    let all = model.alphabet().len() - creations.len();
    let with_movers = answers.into_values().map(|labels| {
        let given = |state: State| -> BTreeSet<&String> {
            model.edges(state).map(|edge| edge.label).filter(|label| labels.contains(label)).collect()
        };
        let given: Vec<BTreeSet<&String>> = model.states().map(given).collect();
        let moves = model.all_edges().filter(|edge| given[edge.from] != given[edge.to]);
        let movers = moves.map(|edge| edge.label).filter(|label| !creations.contains(*label));
        movers.chain(labels.iter().copied()).cloned().collect::<BTreeSet<String>>()
    });
    let mut candidates: BTreeSet<BTreeSet<String>> = with_movers.collect();
    candidates.extend(joined(&candidates));
    candidates.retain(|labels| labels.len() < all);
    candidates
}

/// Unions of sets that have labels in common: one call may change the answers of several observers.
fn joined(sets: &BTreeSet<BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let mut joined: Vec<BTreeSet<String>> = Vec::new();
    for set in sets {
        let (touching, mut rest): (Vec<_>, Vec<_>) =
            joined.into_iter().partition(|other: &BTreeSet<String>| !other.is_disjoint(set));
        rest.push(touching.into_iter().flatten().chain(set.iter().cloned()).collect());
        joined = rest;
    }
    joined
}

/// The model without these labels and that of these labels alone, if it is the shuffle of both and the first
/// has fewer states, but still a protocol.
fn split_off(model: &Fsa<String>, labels: &BTreeSet<String>) -> Option<(Fsa<String>, Fsa<String>)> {
    let creations = creations(model);
    let base = without(model, |label| labels.contains(label))?;
    let mode = without(model, |label| !labels.contains(label) && !creations.contains(label))?;
    // Where the rest is possible at any time, this is no mode but the protocol itself.
    if base.len() >= model.len() || base.len() <= WITHOUT_PROTOCOL {
        return None;
    }
    // The shuffle has all words of the model; is there one more?
    let more = shuffle(&base, &mode, &creations).separating_word(model, 4 * limit(model)).ok()?;
    more.is_none().then_some((base, mode))
}

/// The minimal automaton of a model whose events with some labels happen unseen.
fn without(model: &Fsa<String>, is_unseen: impl Fn(&String) -> bool) -> Option<Fsa<String>> {
    let mut builder = Builder::new();
    for state in model.states() {
        builder.state(model.is_accepting(state));
    }
    model.initial().iter().for_each(|&state| builder.initial(state));
    for state in model.states() {
        let (mut open, mut met) = (vec![state], BTreeSet::from([state]));
        while let Some(at) = open.pop() {
            for edge in model.edges(at) {
                if !is_unseen(edge.label) {
                    builder.edge(state, edge.label.clone(), edge.to);
                } else if met.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
    }
    builder.build().minimize(limit(model)).ok()
}

/// The automaton that does what both do, in any order; together they create the object.
fn shuffle(one: &Fsa<String>, other: &Fsa<String>, creations: &BTreeSet<String>) -> Fsa<String> {
    let mut builder = Builder::new();
    let mut numbers: BTreeMap<(State, State), State> = BTreeMap::new();
    let mut open = Vec::new();
    let mut number = |builder: &mut Builder<String>, open: &mut Vec<(State, State)>, pair| {
        *numbers.entry(pair).or_insert_with(|| {
            open.push(pair);
            builder.state(one.is_accepting(pair.0) && other.is_accepting(pair.1))
        })
    };
    for &left in one.initial() {
        for &right in other.initial() {
            let state = number(&mut builder, &mut open, (left, right));
            builder.initial(state);
        }
    }
    while let Some((left, right)) = open.pop() {
        let from = number(&mut builder, &mut open, (left, right));
        for edge in one.edges(left) {
            if !creations.contains(edge.label) {
                let to = number(&mut builder, &mut open, (edge.to, right));
                builder.edge(from, edge.label.clone(), to);
                continue;
            }
            for same in other.edges(right).filter(|other| other.label == edge.label) {
                let to = number(&mut builder, &mut open, (edge.to, same.to));
                builder.edge(from, edge.label.clone(), to);
            }
        }
        for edge in other.edges(right).filter(|edge| !creations.contains(edge.label)) {
            let to = number(&mut builder, &mut open, (left, edge.to));
            builder.edge(from, edge.label.clone(), to);
        }
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An automaton from lines `from label to`; state 0 is that before there is an object.
    fn fsa(lines: &str) -> Fsa<String> {
        let mut builder = Builder::new();
        let edges: Vec<(State, &str, State)> = lines
            .lines()
            .map(|line| {
                let [from, label, to] = line.split_whitespace().collect::<Vec<_>>()[..] else {
                    panic!("three words: {line}")
                };
                (from.parse().unwrap(), label, to.parse().unwrap())
            })
            .collect();
        for state in 0..=edges.iter().map(|edge| edge.0.max(edge.2)).max().unwrap() {
            builder.state(state > 0);
        }
        builder.initial(0);
        edges.into_iter().for_each(|(from, label, to)| builder.edge(from, label.to_owned(), to));
        builder.build()
    }

    const DOOR: &str = "0 new 1\n1 open 2\n2 close 1\n1 isLoud:FALSE 1\n2 isLoud:FALSE 2\n3 isLoud:TRUE 3\n\
        4 isLoud:TRUE 4\n1 setLoud 3\n2 setLoud 4\n3 setLoud 1\n4 setLoud 2\n1 setLoud 1\n2 setLoud 2\n\
        3 setLoud 3\n4 setLoud 4\n3 open 4\n4 close 3";

    #[test]
    fn a_flag_that_nothing_depends_on_is_a_mode() {
        let factored = factored(&fsa(DOOR)).unwrap();
        assert_eq!((factored.base.len(), factored.modes.len()), (3, 1));
        let labels: Vec<&str> = factored.modes[0].labels.iter().map(String::as_str).collect();
        assert_eq!(labels, ["isLoud:FALSE", "isLoud:TRUE", "setLoud"]);
        assert_eq!(factored.base.alphabet(), ["close", "new", "open"]);
    }

    /// Two questions whose answers one call changes, beside the door.
    #[test]
    fn observers_that_change_together_are_one_mode() {
        let more = "\n1 isMute:TRUE 1\n2 isMute:TRUE 2\n3 isMute:FALSE 3\n4 isMute:FALSE 4";
        let factored = factored(&fsa(&format!("{DOOR}{more}"))).unwrap();
        assert_eq!((factored.base.len(), factored.modes.len()), (3, 1));
        assert_eq!(factored.modes[0].labels.len(), 5);
    }

    /// A door that can be looked at whenever one likes: opening and closing is all that matters.
    #[test]
    fn the_protocol_itself_is_no_mode() {
        let door = "0 new 1\n1 open 2\n2 close 1\n1 isOpen:FALSE 1\n2 isOpen:TRUE 2\n1 look 1\n2 look 2";
        assert!(factored(&fsa(door)).is_none());
    }

    #[test]
    fn a_flag_that_something_depends_on_is_no_mode() {
        // A loud door does not open.
        assert!(factored(&fsa(&DOOR.replace("\n3 open 4", ""))).is_none());
        // Closing makes it quiet.
        assert!(factored(&fsa(&DOOR.replace("4 close 3", "4 close 1"))).is_none());
    }
}
