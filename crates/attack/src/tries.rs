//! Trying: what happens when one more call is made in a situation.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use adit_trace::{
    Callable, Event, Labels, Letter, Outcome, Run, Script, Snapshot, StepResult, Subject, Value,
};
use rustc_hash::FxHasher;

use crate::Ear;
use crate::generate::heavy_numbers;
use crate::hangs::Hangs;
use crate::moves::Situation;

/// Runs situations and reads their last call. It counts, and it does not try what is known to hang.
pub(crate) struct Tries<'a, S> {
    pub(crate) subject: &'a mut S,
    pub(crate) ear: &'a Ear,
    /// Scripts that were run.
    pub(crate) run: u64,
    /// What hangs or kills its machine.
    hangs: Hangs,
    /// Numbers with which memory ran out.
    pub(crate) heavy: BTreeSet<i64>,
}

/// What came of a last call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tried {
    /// The event.
    pub(crate) letter: Letter,
    /// A number for the object's fields afterwards: equal fields have equal numbers.
    pub(crate) mark: u64,
    /// The same for each field alone.
    pub(crate) fields: Box<[u64]>,
    /// A number for the fields seen from afar: which are null or empty, and whether numbers are negative, zero, one or more.
    pub(crate) shape: u64,
}

impl<'a, S: Subject> Tries<'a, S> {
    pub(crate) fn new(subject: &'a mut S, ear: &'a Ear) -> Self {
        Self { subject, ear, run: 0, hangs: Hangs::default(), heavy: BTreeSet::new() }
    }

    /// What the last call of each situation gave; nothing if it threw, hung or was not reached. Fewer than were asked for if
    /// the subject stopped: those up to the first that was not run.
    pub(crate) fn last_calls(&mut self, situations: &[Situation]) -> Result<Vec<Option<Tried>>, S::Error> {
        Ok(self.outcomes(situations)?.into_iter().map(Result::ok).collect())
    }

    /// What the last call of each situation gave, or what it threw: `pop!EmptyStackException`; nothing if it hung or was not
    /// reached. Fewer than were asked for if the subject stopped.
    pub(crate) fn outcomes(
        &mut self,
        situations: &[Situation],
    ) -> Result<Vec<Result<Tried, Option<String>>>, S::Error> {
        let hopeless: Vec<bool> =
            situations.iter().map(|situation| self.hangs.cut(&situation.script).is_some()).collect();
        let worth = situations.iter().zip(&hopeless).filter(|(_, hopeless)| !**hopeless);
        let scripts: Vec<Script> = worth.map(|(situation, _)| situation.script.clone()).collect();
        let runs = self.run(&scripts)?;
        let mut tried = scripts.iter().zip(&runs).map(|(script, run)| {
            run.was_run().then(|| self.last(script, run).ok_or_else(|| thrown(script, run)))
        });
        // An answer for each situation until one was not run.
        let answer = |&hopeless: &bool| if hopeless { Some(Err(None)) } else { tried.next()? };
        Ok(hopeless.iter().map_while(answer).collect())
    }

    /// Runs scripts and takes note of those that end badly.
    pub(crate) fn run(&mut self, scripts: &[Script]) -> Result<Vec<Run>, S::Error> {
        let runs = self.subject.run(scripts)?;
        for (script, run) in scripts.iter().zip(&runs) {
            if !run.was_run() {
                continue;
            }
            self.run += 1;
            self.heavy.extend(run.steps.iter().flat_map(|step| heavy_numbers(script, step)));
            self.hangs.learn(script, run);
        }
        Ok(runs)
    }

    /// Whether the method is not worth another try.
    pub(crate) fn is_deadly(&self, callable: &Arc<Callable>) -> bool {
        self.hangs.is_given_up(callable)
    }

    fn last(&self, script: &Script, run: &Run) -> Option<Tried> {
        let at = script.statements.len().checked_sub(1)?;
        let step = run.steps.get(at)?;
        let letter = self.ear.letter(&script.statements[at].callable, &step.result)?;
        let fields: Box<[u64]> = fields(step.fields.as_ref()).collect();
        let shape = shape(step.fields.as_ref());
        Some(Tried { letter, mark: together(fields.iter().copied()), fields, shape })
    }
}

/// What the last call threw, as a label.
fn thrown(script: &Script, run: &Run) -> Option<String> {
    let (statement, step) = script.statements.last().zip(run.steps.get(script.statements.len() - 1))?;
    let StepResult::Threw { class, .. } = &step.result else { return None };
    let outcome = Outcome::Threw(class.to_string());
    Some(Labels::Exception.of(&Event { outcome, ..Event::call(statement.callable.event_name()) }))
}

/// A number for all fields.
pub(crate) fn mark(snapshot: Option<&Snapshot>) -> u64 {
    together(fields(snapshot))
}

fn together(fields: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = FxHasher::default();
    fields.for_each(|field| field.hash(&mut hasher));
    hasher.finish()
}

fn shape(snapshot: Option<&Snapshot>) -> u64 {
    together(snapshot.into_iter().flat_map(|snapshot| snapshot.values()).map(|value| match value {
        Value::Void | Value::Null => 0,
        Value::Bool(value) => 1 + u64::from(*value),
        Value::Int(value) => 3 + (*value).clamp(-1, 2).abs_diff(-1),
        Value::Float(value) => 7 + u64::from(*value > 0.0) + 2 * u64::from(*value < 0.0),
        Value::Text(value) => 10 + u64::from(value.is_empty()),
    }))
}

/// A number for each field: equal values have equal numbers.
fn fields(snapshot: Option<&Snapshot>) -> impl Iterator<Item = u64> {
    snapshot.into_iter().flat_map(|snapshot| snapshot.values()).enumerate().map(|(field, value)| {
        let mut hasher = FxHasher::default();
        field.hash(&mut hasher);
        std::mem::discriminant(value).hash(&mut hasher);
        match value {
            Value::Void | Value::Null => {}
            Value::Bool(value) => value.hash(&mut hasher),
            Value::Int(value) => value.hash(&mut hasher),
            Value::Float(value) => value.to_bits().hash(&mut hasher),
            Value::Text(value) => value.hash(&mut hasher),
        }
        hasher.finish()
    })
}
