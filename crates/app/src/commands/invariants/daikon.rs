//! Invariants as Daikon prints them: a line of equals signs, a program point, and a claim a line. An outcome
//! is a condition on the program point, as in the traces of `krka`.

use std::fmt::Write as _;

use adit_logic::contract::Dialect;
use adit_mine::{ClassInvariants, ProgramPoint};
use adit_trace::Label;

/// Prints the claims of every class.
pub(super) fn print(classes: &[ClassInvariants]) -> String {
    let mut text = String::new();
    for class in classes {
        for point in class.points.iter().filter(|point| !point.invariants.is_empty()) {
            let name = name(class.class.as_deref(), &point.point);
            let _ = writeln!(text, "{}\n{name}", "=".repeat(75));
            for claim in &point.invariants {
                let _ = writeln!(text, "{}", Dialect::Daikon.clause(&claim.clause));
            }
        }
    }
    text
}

/// The name of a program point: `StackAr.isEmpty():::EXIT48;condition="return == true"`.
fn name(class: Option<&str>, point: &ProgramPoint) -> String {
    let (label, moment) = match point {
        ProgramPoint::Object => return point.name(class),
        ProgramPoint::Entry(label) => (label, "ENTER"),
        ProgramPoint::Exit(label) => (label, "EXIT"),
    };
    let label = Label::parse(label);
    let (method, line) = match label.method().rsplit_once('@') {
        Some((method, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => (method, line),
        _ => (label.method(), ""),
    };
    let class = class.map(|class| format!("{class}.")).unwrap_or_default();
    let parentheses = if method.ends_with(')') { "" } else { "()" };
    let line = if moment == "EXIT" { line } else { "" };
    let condition = match (label.answer(), label.threw()) {
        (Some(true), _) => ";condition=\"return == true\"".to_owned(),
        (Some(false), _) => ";condition=\"not(return == true)\"".to_owned(),
        (None, Some(exception)) => format!(";condition=\"threw {exception}\""),
        (None, None) => String::new(),
    };
    format!("{class}{method}{parentheses}:::{moment}{line}{condition}")
}
