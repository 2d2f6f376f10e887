//! Changes of scripts that need no knowledge of types: shortening, dropping statements, renumbering. A valid
//! script stays valid.

use crate::{Argument, Script, Statement, Vocabulary};

/// Cuts a script after its first `at` statements.
pub fn cut(script: &Script, at: usize) -> Script {
    Script { statements: script.statements[..at.min(script.statements.len())].to_vec() }
}

/// Removes statement `at` and every statement that needs its value.
pub fn remove(script: &Script, at: usize) -> Script {
    let mut lost = vec![false; script.statements.len()];
    for (place, statement) in script.statements.iter().enumerate() {
        let mut needs_lost = false;
        needs(statement, &mut |needed| needs_lost |= lost.get(needed).copied().unwrap_or(false));
        lost[place] = place == at || needs_lost;
    }
    keep(script, |place| !lost[place])
}

/// Removes the statements that are not calls of the vocabulary and whose values no other statement uses.
pub fn tidy(script: &Script, vocabulary: &Vocabulary) -> Script {
    let mut wanted = vec![false; script.statements.len()];
    for place in calls_of_interest(script, vocabulary) {
        wanted[place] = true;
    }
    // Values are used only by later statements, so one pass from the end sees all uses.
    for place in (0..script.statements.len()).rev() {
        if wanted[place] {
            needs(&script.statements[place], &mut |needed| {
                if let Some(needed) = wanted.get_mut(needed) {
                    *needed = true;
                }
            });
        }
    }
    keep(script, |place| wanted[place])
}

/// The statements that make an object under test or call one, in order.
pub fn calls_of_interest(script: &Script, vocabulary: &Vocabulary) -> Vec<usize> {
    let all = script.statements.iter().enumerate();
    all.filter(|(_, one)| vocabulary.concerns(&one.callable)).map(|(place, _)| place).collect()
}

/// Keeps the statements that `keep` chooses. They must not need the others.
fn keep(script: &Script, keep: impl Fn(usize) -> bool) -> Script {
    let mut places = Vec::with_capacity(script.statements.len());
    let mut statements = Vec::new();
    for (place, statement) in script.statements.iter().enumerate() {
        places.push(statements.len());
        if keep(place) {
            statements.push(renumbered(statement, &|old| places.get(old).copied().unwrap_or(old)));
        }
    }
    Script { statements }
}

/// Calls `each` with every statement that this one needs.
pub fn needs(statement: &Statement, each: &mut impl FnMut(usize)) {
    statement.receiver.iter().for_each(|&at| each(at));
    statement.args.iter().for_each(|argument| named(argument, each));
}

/// Calls `each` with every statement that an argument names.
pub fn named(argument: &Argument, each: &mut impl FnMut(usize)) {
    match argument {
        Argument::Earlier(at) => each(*at),
        Argument::Array(elements) => elements.iter().for_each(|element| named(element, each)),
        Argument::Function(result) => named(result, each),
        _ => {}
    }
}

/// Gives other numbers to the statements that a statement uses.
pub fn renumbered(statement: &Statement, number: &impl Fn(usize) -> usize) -> Statement {
    Statement {
        callable: statement.callable.clone(),
        receiver: statement.receiver.map(number),
        args: statement.args.iter().map(|argument| renumber(argument, number)).collect(),
    }
}

/// Gives other numbers to the statements that an argument names.
pub fn renumber(argument: &Argument, number: &impl Fn(usize) -> usize) -> Argument {
    match argument {
        Argument::Earlier(at) => Argument::Earlier(number(*at)),
        Argument::Array(elements) => {
            Argument::Array(elements.iter().map(|element| renumber(element, number)).collect())
        }
        Argument::Function(result) => Argument::Function(Box::new(renumber(result, number))),
        other => other.clone(),
    }
}
