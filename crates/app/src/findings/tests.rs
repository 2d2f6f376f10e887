//! Findings in words and as JUnit tests.

use std::collections::BTreeSet;

use adit_java::source::{self, Facts, TestClass};
use adit_trace::{Run, Script};

use super::experiments::{Shown, simple};
use crate::results::{Change, Finding, FindingKind, Findings};

/// Most changes that a sentence names.
const MAX_TOLD: usize = 2;

/// Writes findings down, with a test class called `name` in `package`.
pub(crate) fn written(shown: &[Shown], package: &str, name: &str, facts: &Facts) -> Findings {
    let tests: Vec<(Script, Option<Run>)> =
        shown.iter().map(|one| (one.script.clone(), Some(one.run.clone()))).collect();
    let TestClass { head, methods } = source::test_class(package, name, &tests, facts);
    let mut names = BTreeSet::new();
    let findings = shown.iter().zip(methods).map(|(one, method)| {
        let test = fresh(&test_name(one), &mut names);
        let renamed =
            method.source.replacen(&format!("void {}()", method.name), &format!("void {test}()"), 1);
        let says = sentence(one);
        let (threw, message) = one.threw.clone().unzip();
        Finding {
            kind: one.kind,
            method: one.method.clone(),
            alike: one.alike.clone(),
            source: commented(&renamed, &says, &one.fields),
            says,
            exception: threw,
            message: message.flatten(),
            fields: one.fields.clone(),
            behavior: one.behavior.clone(),
            test,
            script: one.witness.to_json(),
        }
    });
    let findings = findings.collect();
    Findings { head, findings }
}

/// The Java file of the tests.
pub(crate) fn file(findings: &Findings) -> String {
    let mut text = findings.head.clone();
    for (at, finding) in findings.findings.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        for line in finding.source.lines() {
            text += &format!("    {line}\n");
        }
    }
    text + "}\n"
}

/// The finding in one sentence.
fn sentence(one: &Shown) -> String {
    let method = &one.method;
    let methods = match one.alike.len() {
        0 => format!("`{method}`"),
        1 => format!("`{method}` and `{}`", one.alike[0]),
        more => format!("`{method}`, `{}` and {} more", one.alike[0], more - 1),
    };
    let threw = one.threw.as_ref().map_or("an exception", |(class, _)| simple(class));
    match one.kind {
        FindingKind::ThrewAndChanged => {
            format!("{methods} threw {threw} and changed the object: {}", told(&one.behavior))
        }
        FindingKind::ThrewAndChangedFields => {
            let fields = told(&one.fields);
            format!("{methods} threw {threw} and changed fields: {fields}; no call was seen to notice")
        }
        FindingKind::EqualsBroken => match (&one.threw, &one.behavior[..]) {
            (None, [Change { after, .. }]) => format!("`{method}` is {after}"),
            _ => format!("`{method}` threw {threw}"),
        },
        FindingKind::ObserverChanges => {
            let named = if one.alike.is_empty() {
                "is named like a question and changes"
            } else {
                "are named like questions and change"
            };
            format!("{methods} {named} the object: {}", told(&one.behavior))
        }
        FindingKind::ResultsDiffer => match &one.behavior[..] {
            [Change { before, after, .. }] => {
                format!(
                    "the same calls had another result in a new machine: `{method}` {before}, then {after}"
                )
            }
            _ => format!("the same calls had another result in a new machine: `{method}`"),
        },
    }
}

fn told(changes: &[Change]) -> String {
    let mut told: Vec<String> = changes.iter().take(MAX_TOLD).map(Change::to_string).collect();
    if changes.len() > MAX_TOLD {
        told.push(format!("{} more", changes.len() - MAX_TOLD));
    }
    told.join(", ")
}

/// A name that says what the test shows.
fn test_name(one: &Shown) -> String {
    let method: String = one.callable.event_name().chars().filter(|c| c.is_alphanumeric()).collect();
    let does = match one.kind {
        FindingKind::ThrewAndChanged => "ThrowsAndChangesTheObject",
        FindingKind::ThrewAndChangedFields => "ThrowsAndChangesFields",
        FindingKind::EqualsBroken if one.method.contains("null") => "Null",
        FindingKind::EqualsBroken if one.method.contains("this") => "Itself",
        FindingKind::EqualsBroken => "AnotherType",
        FindingKind::ObserverChanges => "ChangesTheObject",
        FindingKind::ResultsDiffer => "HasAnotherResultEachTime",
    };
    format!("{method}{does}")
}

/// The name, with a number if another test has it.
fn fresh(name: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}{number}"));
    let mut all = std::iter::once(name.to_owned()).chain(numbered);
    let name = all.find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(name.clone());
    name
}

/// The test with the finding, and the fields before and after, as comments at its beginning.
fn commented(source: &str, says: &str, fields: &[Change]) -> String {
    let mut comment = format!("    // {}\n", one_line(says));
    for change in fields {
        comment += &format!("    // field {}\n", one_line(&change.to_string()));
    }
    source.replacen("{\n", &format!("{{\n{comment}"), 1)
}

/// The text without anything that could end a comment, also as an escape.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().replace("\\u", "\\ u")
}
