//! Invariants for people.

use std::fmt::Write as _;

use adit_logic::contract::{Clause, Relation, Variable};
use adit_mine::{ClassInvariants, Invariant, PointInvariants, ProgramPoint};

use crate::output::counted;

/// Prints the claims of every class.
pub(super) fn print(classes: &[ClassInvariants]) -> String {
    let mut text = String::new();
    for class in classes {
        let calls = class.calls.values().fold(0_u64, |sum, (calls, _)| sum.saturating_add(*calls));
        let name = class.class.as_deref().unwrap_or("object");
        let _ = writeln!(text, "{name}: {}\n", counted(calls, "call"));
        let mut last = None;
        for point in class.points.iter().filter(|point| !point.invariants.is_empty()) {
            print_point(&mut text, class, point, &mut last);
        }
        if last.is_some() {
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn print_point<'a>(
    text: &mut String,
    class: &ClassInvariants,
    point: &'a PointInvariants,
    last: &mut Option<&'a str>,
) {
    let (label, moment) = match &point.point {
        ProgramPoint::Object => {
            let _ = writeln!(text, "always");
            print_claims(text, &point.invariants, "  ");
            text.push('\n');
            return;
        }
        ProgramPoint::Entry(label) => (label, "before"),
        ProgramPoint::Exit(label) => (label, "after"),
    };
    if *last != Some(label) {
        if last.is_some() {
            text.push('\n');
        }
        let calls = class.calls.get(label).map_or(0, |(calls, _)| *calls);
        let _ = writeln!(text, "{label}, {}", counted(calls, "call"));
        *last = Some(label);
    }
    let _ = writeln!(text, "  {moment}");
    print_claims(text, &point.invariants, "    ");
}

/// Prints claims, those that say that something does not change on one line.
fn print_claims(text: &mut String, claims: &[Invariant], indent: &str) {
    let mut unchanged: Vec<String> = Vec::new();
    for claim in claims {
        match unchanged_variable(&claim.clause) {
            Some(variable) => unchanged.push(variable.to_string()),
            None => {
                let _ = writeln!(text, "{indent}{}", claim.clause);
            }
        }
    }
    if !unchanged.is_empty() {
        let _ = writeln!(text, "{indent}unchanged: {}", unchanged.join(", "));
    }
}

/// The variable that a claim says is the same before and after the call.
fn unchanged_variable(clause: &Clause) -> Option<&Variable> {
    let (one, another) = match clause {
        Clause::Same(one, another) => (one, another),
        Clause::Compare { left, relation: Relation::Equal, right: Some(right), offset: 0 } => (left, right),
        _ => return None,
    };
    (one.clone().before() == *another && one != another).then_some(one)
}
