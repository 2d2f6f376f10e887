//! Invariants as comments in the Java Modeling Language.
//!
//! A precondition is a `requires` clause only if all calls of the method had the same outcome. Otherwise it
//! says when an outcome was seen, and not what a caller must do: `ensures` what the result says about the
//! state before, and `signals` what an exception says about it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use adit_logic::contract::{Clause, Dialect, VariablePlace};
use adit_mine::{ClassInvariants, ProgramPoint};
use adit_trace::Label;

/// Prints the claims of every class.
pub(super) fn print(classes: &[ClassInvariants]) -> String {
    let mut text = String::new();
    for class in classes {
        if let Some(name) = &class.class {
            let _ = writeln!(text, "// {name}");
        }
        let contracts = class.contracts();
        for clause in &contracts.object {
            let _ = writeln!(text, "//@ invariant {};", Dialect::Jml.clause(clause));
        }
        let mut methods: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for label in contracts.calls.keys() {
            methods.entry(Label::parse(label).method()).or_default().push(label);
        }
        for (method, labels) in methods {
            let lines: Vec<String> =
                labels.iter().flat_map(|label| lines(class, label, labels.len() == 1)).collect();
            let _ = writeln!(text, "\n// {method}");
            for (at, line) in lines.iter().enumerate() {
                let _ = writeln!(text, "{} {line}", if at == 0 { "/*@" } else { "  @" });
            }
            if !lines.is_empty() {
                let _ = writeln!(text, "  @*/");
            }
        }
    }
    text
}

/// The clauses of a label.
fn lines(class: &ClassInvariants, label: &str, only: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let parsed = Label::parse(label);
    let claims = |wanted: &ProgramPoint| -> Vec<Clause> {
        let point = class.points.iter().find(|point| point.point == *wanted);
        point.into_iter().flat_map(|point| &point.invariants).map(|claim| claim.clause.clone()).collect()
    };
    let pre = claims(&ProgramPoint::Entry(label.to_owned()));
    let post = claims(&ProgramPoint::Exit(label.to_owned()));
    let earlier: Vec<Clause> = pre.iter().map(at_the_beginning).collect();
    if let Some(exception) = parsed.threw() {
        let all: Vec<String> =
            earlier.iter().chain(&post).map(|clause| format!("({})", Dialect::Jml.clause(clause))).collect();
        let said = if all.is_empty() { "true".to_owned() } else { all.join(" && ") };
        return vec![format!("signals ({exception} e) {said};")];
    }
    if only {
        lines.extend(pre.iter().map(|clause| format!("requires {};", Dialect::Jml.clause(clause))));
    }
    let condition = parsed.answer().filter(|_| !only);
    for clause in if only { &[][..] } else { &earlier[..] }.iter().chain(&post) {
        let clause = Dialect::Jml.clause(clause);
        lines.push(match condition {
            Some(answer) if clause == format!("\\result == {answer}") => continue,
            Some(answer) => format!("ensures (\\result == {answer}) ==> ({clause});"),
            None => format!("ensures {clause};"),
        });
    }
    lines
}

/// A precondition as a claim about the beginning of a call, at its end.
fn at_the_beginning(clause: &Clause) -> Clause {
    clause.map(&mut |variable| match variable.place {
        VariablePlace::Field(_) => variable.clone().before(),
        VariablePlace::Parameter(_) | VariablePlace::Return => variable.clone(),
    })
}
