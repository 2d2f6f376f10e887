//! Findings about single calls that exploration comes upon for free: a call that threw and changed its
//! object, and a call whose result differs between equal runs.
//!
//! The fields of an object are known before and after each call that is tried, also where it threw. A change
//! inside may be harmless, such as a cache. So at the end a few scripts tell whether a later call notices:
//! every move of the pool is tried with the call that threw and without it.
//!
//! Paper: none; a call that fails should leave its object as it was is the strong guarantee of exception
//! safety.
//! Cost: one comparison of fields for each call that threw, and at the end twice the pool for each finding.

use std::collections::{BTreeMap, BTreeSet};

use adit_trace::edit::cut;
use adit_trace::{Run, Script, Snapshot, Step, StepResult, Value};

use crate::guard::Guarded;
use crate::moves::{Move, Situation};
use crate::probe::Prober;

/// Something remarkable about a call, with a script that shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is remarkable.
    pub kind: FindingKind,
    /// The call: `pop!EmptyStackException` for one that threw, `size` for another.
    pub label: String,
    /// Ends with the call, or with the later call whose result differs.
    pub script: Script,
    /// Fields that differ, with their values before and after the call, or in one run and another.
    pub fields: Vec<FieldChange>,
    /// A later call that shows the difference to any user of the class, if one was found.
    pub noticed: Option<Noticed>,
}

/// Kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// The call threw, and changed the object.
    ThrewAndChanged,
    /// The call should only look, by its name, and later calls end differently because of it.
    ObserverChanges,
    /// The call must never throw, and did.
    MustNotThrow,
    /// Two runs of the same script ended differently.
    DiffersBetweenRuns,
}

/// A field with two values.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldChange {
    /// Its name.
    pub name: String,
    /// The first value.
    pub before: Value,
    /// The second.
    pub after: Value,
}

/// A call that ends differently because of another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Noticed {
    /// The script of the finding with the later call at its end.
    pub script: Script,
    /// The end of the later call without the call of the finding.
    pub without: StepResult,
    /// Its end with it.
    pub with: StepResult,
}

/// Calls that threw and changed the object, as they are met: the shortest script for each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changed(BTreeMap<String, Change>);

#[derive(Clone, Debug)]
struct Change {
    situation: Situation,
    fields: Vec<FieldChange>,
}

/// Number of findings that are examined at the end.
const EXAMINED: usize = 12;

impl Changed {
    /// Takes note of a script whose last call threw with this label.
    pub(crate) fn note(&mut self, script: &Script, run: &Run, label: &str) {
        let Some((before, after, object)) = around_last_call(script, run) else { return };
        if is_same(before, after) {
            return;
        }
        let length = |script: &Script| script.statements.len();
        if self.0.get(label).is_some_and(|known| length(&known.situation.script) <= length(script)) {
            return;
        }
        let situation = Situation { script: script.clone(), object };
        self.0.insert(label.to_owned(), Change { situation, fields: changes(before, after) });
    }

    /// Adds what was met elsewhere.
    pub(crate) fn add(&mut self, other: Self) {
        for (label, change) in other.0 {
            let length = change.situation.script.statements.len();
            let known = self.0.get(&label).map(|known| known.situation.script.statements.len());
            if known.is_none_or(|known| length < known) {
                self.0.insert(label, change);
            }
        }
    }

    /// The findings, those first that a later call notices. What does not happen again is left out.
    pub(crate) fn findings<S: Guarded>(
        &self,
        prober: &mut Prober<'_, S>,
        moves: &[Move],
    ) -> Result<Vec<Finding>, S::Error> {
        let mut findings = Vec::new();
        for (label, Change { situation, fields }) in self.0.iter().take(EXAMINED) {
            let script = &situation.script;
            let again = prober.run(&[script.clone(), script.clone()])?;
            let happens = |run: &Run| {
                let around = around_last_call(script, run);
                around.is_some_and(|(before, after, _)| changes(before, after) == *fields)
            };
            if again.iter().all(happens) {
                let noticed = notice(prober, situation, moves)?;
                let (kind, fields) = (FindingKind::ThrewAndChanged, fields.clone());
                findings.push(Finding {
                    kind,
                    label: label.clone(),
                    script: script.clone(),
                    fields,
                    noticed,
                });
            }
        }
        findings.sort_by_key(|finding| finding.noticed.is_none());
        Ok(findings)
    }
}

/// A later call that ends differently because the last call of a situation was made.
fn notice<S: Guarded>(
    prober: &mut Prober<'_, S>,
    with: &Situation,
    moves: &[Move],
) -> Result<Option<Noticed>, S::Error> {
    let last = with.script.statements.len() - 1;
    // The arguments are made in both cases.
    let without = Situation { script: cut(&with.script, last), object: with.object };
    // One call of each method is enough to see most differences.
    let mut met = BTreeSet::new();
    let is_first = |one: &&Move| !prober.is_given_up(one.callable()) && met.insert(one.callable().clone());
    let alive: Vec<&Move> = moves.iter().filter(is_first).collect();
    let scripts: Vec<Script> =
        alive.iter().flat_map(|one| [one.behind(&without).script, one.behind(with).script]).collect();
    // Twice, because what differs between equal runs shows nothing.
    let (runs, again) = (prober.run(&scripts)?, prober.run(&scripts)?);
    for ((scripts, runs), again) in scripts.chunks(2).zip(runs.chunks(2)).zip(again.chunks(2)) {
        let end = |number: usize, runs: &[Run]| {
            let run = runs.get(number).filter(|run| run.was_run())?;
            run.steps.get(scripts[number].statements.len() - 1).map(|step| step.result.clone())
        };
        let ends = |runs: &[Run]| Some((end(0, runs)?, end(1, runs)?));
        let (Some((without, with)), Some((without_again, with_again))) = (ends(runs), ends(again)) else {
            continue;
        };
        let repeats = is_same_end(&without, &without_again) && is_same_end(&with, &with_again);
        if repeats && !is_same_end(&without, &with) {
            return Ok(Some(Noticed { script: scripts[1].clone(), without, with }));
        }
    }
    Ok(None)
}

/// The fields of the object before and after the last call of a script, and the object.
fn around_last_call<'r>(script: &Script, run: &'r Run) -> Option<(&'r Snapshot, &'r Snapshot, usize)> {
    let last = script.statements.len().checked_sub(1)?;
    let object = script.statements[last].receiver?;
    let after = run.steps.get(last)?.fields.as_ref()?;
    let looks = |at: &usize| *at == object || script.statements[*at].receiver == Some(object);
    let before = (0..last).rev().find(looks)?;
    Some((run.steps.get(before)?.fields.as_ref()?, after, object))
}

fn is_same(before: &Snapshot, after: &Snapshot) -> bool {
    before.values().zip(after.values()).all(|(before, after)| is_same_value(before, after))
}

/// Fields with different values.
fn changes(before: &Snapshot, after: &Snapshot) -> Vec<FieldChange> {
    let pairs = before.names().iter().zip(before.values().zip(after.values()));
    pairs
        .filter(|(_, (before, after))| !is_same_value(before, after))
        .map(|(name, (before, after))| FieldChange {
            name: name.clone(),
            before: before.clone(),
            after: after.clone(),
        })
        .collect()
}

/// Equality that treats NaN as equal to itself.
pub(crate) fn is_same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        _ => a == b,
    }
}

/// Equality of results, apart from the identity of objects and the messages of exceptions.
pub(crate) fn is_same_end(one: &StepResult, other: &StepResult) -> bool {
    match (one, other) {
        (StepResult::Returned(a), StepResult::Returned(b)) => is_same_value(a, b),
        (StepResult::Object { class: a, .. }, StepResult::Object { class: b, .. })
        | (StepResult::Threw { class: a, .. }, StepResult::Threw { class: b, .. })
        | (StepResult::Unresolved { class: a, .. }, StepResult::Unresolved { class: b, .. }) => a == b,
        (StepResult::Skipped(a), StepResult::Skipped(b)) => a == b,
        _ => false,
    }
}

/// The finding that two runs of a script ended differently at a step.
pub(crate) fn unrepeatable(label: &str, script: &Script, at: usize, one: &Step, other: &Step) -> Finding {
    let (before, after) = (one.fields.as_ref(), other.fields.as_ref());
    let fields = before.zip(after).map(|(before, after)| changes(before, after)).unwrap_or_default();
    let script = cut(script, at + 1);
    let noticed = Noticed { script: script.clone(), without: one.result.clone(), with: other.result.clone() };
    let kind = FindingKind::DiffersBetweenRuns;
    Finding { kind, label: label.to_owned(), script, fields, noticed: Some(noticed) }
}
