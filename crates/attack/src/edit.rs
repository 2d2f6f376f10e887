//! Changes of scripts that need no knowledge of classes: shorten, drop, tidy up. A valid script stays valid.
//!
//! Paper: none; bookkeeping.

use adit_trace::{Argument, CallKind, Script, Statement};

use crate::Api;

/// The first `at` statements.
pub fn cut(script: &Script, at: usize) -> Script {
    Script { statements: script.statements[..at.min(script.statements.len())].to_vec() }
}

/// The script without statement `at` and without all that need its value.
pub fn remove(script: &Script, at: usize) -> Script {
    let mut lost = vec![false; script.statements.len()];
    for (place, statement) in script.statements.iter().enumerate() {
        let mut needs_lost = false;
        needs(statement, &mut |needed| needs_lost |= lost.get(needed).copied().unwrap_or(false));
        lost[place] = place == at || needs_lost;
    }
    keep(script, |place| !lost[place])
}

/// The script without the statements that neither make nor call an object of the class and whose values nobody uses.
pub fn tidy(script: &Script, api: &Api) -> Script {
    let mut wanted = vec![false; script.statements.len()];
    for place in calls_of_interest(script, api) {
        wanted[place] = true;
    }
    // Values are used only by later statements, so that one pass from the end sees all uses.
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

/// The statements that make an object of the class or call one, in order.
pub fn calls_of_interest(script: &Script, api: &Api) -> Vec<usize> {
    let is_of_interest = |statement: &Statement| {
        let called = &statement.callable;
        let on_class = called.owner == *api.class && called.kind != CallKind::Function;
        on_class && called.kind != CallKind::Constant
            || api.starts.iter().any(|start| start.callable == *called)
    };
    let all = script.statements.iter().enumerate();
    all.filter(|(_, statement)| is_of_interest(statement)).map(|(place, _)| place).collect()
}

/// The statements for which `keep` says so. They must not need the others.
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
pub(crate) fn needs(statement: &Statement, each: &mut impl FnMut(usize)) {
    statement.receiver.iter().for_each(|&at| each(at));
    statement.args.iter().for_each(|argument| named(argument, each));
}

/// Calls `each` with every statement that an argument names.
pub(crate) fn named(argument: &Argument, each: &mut impl FnMut(usize)) {
    match argument {
        Argument::Earlier(at) => each(*at),
        Argument::Array(elements) => elements.iter().for_each(|element| named(element, each)),
        Argument::Function(result) => named(result, each),
        _ => {}
    }
}

/// The statement with other numbers for the earlier ones.
pub(crate) fn renumbered(statement: &Statement, number: &impl Fn(usize) -> usize) -> Statement {
    Statement {
        callable: statement.callable.clone(),
        receiver: statement.receiver.map(number),
        args: statement.args.iter().map(|argument| renumber(argument, number)).collect(),
    }
}

/// The argument with other numbers for earlier statements.
pub(crate) fn renumber(argument: &Argument, number: &impl Fn(usize) -> usize) -> Argument {
    match argument {
        Argument::Earlier(at) => Argument::Earlier(number(*at)),
        Argument::Array(elements) => {
            Argument::Array(elements.iter().map(|element| renumber(element, number)).collect())
        }
        Argument::Function(result) => Argument::Function(Box::new(renumber(result, number))),
        other => other.clone(),
    }
}
