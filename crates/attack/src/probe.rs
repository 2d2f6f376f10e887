//! Probing: the outcome of one more call in a situation.
//!
//! Paper: none; bookkeeping for [`explore`](crate::explore) and [`validate`](crate::validate).

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

use adit_trace::{
    Author, Callable, End, Event, Labels, Letter, Outcome, Pace, Phase, Progress, Run, Script, Snapshot,
    Step, StepResult, Stop, Value,
};
use rustc_hash::FxHasher;

use crate::EventReader;
use crate::guard::{Guarded, why_not_run};
use crate::moves::{Move, Situation};
use crate::ties::Ties;

/// Runs situations and reads their last call. Counts scripts, and skips those that are known to hang.
pub(crate) struct Prober<'a, S> {
    pub(crate) subject: &'a mut S,
    pub(crate) reader: &'a EventReader,
    pace: &'a mut dyn Pace,
    /// Scripts that were run.
    pub(crate) tests: u64,
    /// Numbers with which memory ran out.
    pub(crate) heavy: BTreeSet<i64>,
    /// Calls that take only what others on the same object returned.
    pub(crate) ties: Ties,
}

/// Early end of a step: the search must stop, or the subject failed.
#[derive(Debug)]
pub(crate) enum Halt<E> {
    Stop(Stop),
    Failed(E),
}

impl<E> From<Stop> for Halt<E> {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// Hash of all fields of an object: equal fields have equal hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StateHash(u64);

impl StateHash {
    pub(crate) fn of(snapshot: Option<&Snapshot>) -> Self {
        Self::combine(field_hashes(snapshot))
    }

    /// The hash of these hashes of fields.
    pub(crate) fn combine(fields: impl Iterator<Item = u64>) -> Self {
        let mut hasher = FxHasher::default();
        fields.for_each(|field| field.hash(&mut hasher));
        Self(hasher.finish())
    }
}

/// Hash of a coarse abstraction of the fields: null, empty, negative, zero, one or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ShapeHash(StateHash);

impl ShapeHash {
    fn of(snapshot: Option<&Snapshot>) -> Self {
        let shape = |value: &Value| match value {
            Value::Void | Value::Null => 0,
            Value::Bool(value) => 1 + u64::from(*value),
            Value::Int(value) => 3 + (*value).clamp(-1, 2).abs_diff(-1),
            Value::Float(value) => 7 + u64::from(*value > 0.0) + 2 * u64::from(*value < 0.0),
            Value::Text(value) => 10 + u64::from(value.is_empty()),
        };
        let shapes = snapshot.into_iter().flat_map(|snapshot| snapshot.values()).map(shape);
        let digests = snapshot.and_then(Snapshot::digests).unwrap_or_default();
        Self(StateHash::combine(shapes.chain(digests.iter().map(|digest| digest.coarse))))
    }
}

/// Event of a call that returned, and the object's fields after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Observed {
    pub(crate) letter: Letter,
    /// Hash of all fields.
    pub(crate) state: StateHash,
    /// Hash of each field.
    pub(crate) fields: Box<[u64]>,
    /// Hash of the shape of the fields.
    pub(crate) shape: ShapeHash,
    /// Hash of the values of all fields and of the shape of what they lead to, if the subject looked there.
    pub(crate) likeness: Option<StateHash>,
    pub(crate) answer: Answer,
}

/// Value that a call returned, if it can be passed to another call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Nothing, null, a truth value, a fraction, or a long text.
    Nothing,
    Int(i64),
    Text(String),
    /// An object other than the receiver, which only a script can pass on.
    Object,
}

impl Answer {
    /// Bytes of a text beyond which it is more likely a description of the object than something in it.
    const LONGEST: usize = 64;

    fn of(result: &StepResult, at: usize) -> Self {
        match result {
            StepResult::Returned(Value::Int(number)) => Self::Int(*number),
            StepResult::Returned(Value::Text(text)) if text.len() <= Self::LONGEST => {
                Self::Text(text.clone())
            }
            StepResult::Object { first, .. } if *first == at => Self::Object,
            _ => Self::Nothing,
        }
    }
}

/// Outcome of the last call of a situation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Probed {
    /// The call returned.
    Returned(Observed),
    /// The call threw: `pop!EmptyStackException`.
    Threw(String),
    /// The call blocked, or was never reached.
    Nothing,
    /// The call hung, or was not made because it would hang. Whether it is possible is not known.
    Untried,
}

impl<'a, S: Guarded> Prober<'a, S> {
    pub(crate) fn new(subject: &'a mut S, reader: &'a EventReader, pace: &'a mut dyn Pace) -> Self {
        Self { subject, reader, pace, tests: 0, heavy: BTreeSet::new(), ties: Ties::default() }
    }

    /// Tells the caller that a phase begins, which has at least one batch, whatever the caller answers.
    pub(crate) fn announce(&mut self, phase: Phase) {
        let _ = self.ask(&Progress::new(phase, 0));
    }

    /// Asks the caller whether to go on. The number of tests is filled in here.
    pub(crate) fn ask(&mut self, progress: &Progress) -> Result<(), Stop> {
        match self.pace.go_on(&Progress { tests: self.tests, ..*progress }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(stop) => Err(stop),
        }
    }

    /// Reason why the subject did not run scripts.
    pub(crate) fn why_not_run(&mut self, progress: &Progress) -> Stop {
        why_not_run(self.pace, &Progress { tests: self.tests, ..*progress })
    }

    /// Runs the situations and returns the observation of each last call that returned. Stops at the first
    /// situation that was not run, so a shorter answer means that the subject stopped.
    pub(crate) fn observe(&mut self, situations: &[Situation]) -> Result<Vec<Option<Observed>>, S::Error> {
        let observed = |probed| match probed {
            Probed::Returned(observed) => Some(observed),
            Probed::Threw(_) | Probed::Nothing | Probed::Untried => None,
        };
        Ok(self.probe(situations)?.into_iter().map(observed).collect())
    }

    /// Runs the situations and returns the outcome of each last call. Stops at the first situation that was
    /// not run.
    pub(crate) fn probe(&mut self, situations: &[Situation]) -> Result<Vec<Probed>, S::Error> {
        let guard = self.subject.guard();
        let hang: Vec<bool> =
            situations.iter().map(|situation| guard.foresees_hang(&situation.script)).collect();
        let runnable = situations.iter().zip(&hang).filter(|(_, hangs)| !**hangs);
        let scripts: Vec<Script> = runnable.map(|(situation, _)| situation.script.clone()).collect();
        let runs = self.run(&scripts)?;
        let mut probed =
            scripts.iter().zip(&runs).map(|(script, run)| run.was_run().then(|| self.last_call(script, run)));
        let answer = |&hangs: &bool| if hangs { Some(Probed::Untried) } else { probed.next()? };
        Ok(hang.iter().map_while(answer).collect())
    }

    /// Runs scripts, counts them, and remembers numbers that exhausted the memory.
    pub(crate) fn run(&mut self, scripts: &[Script]) -> Result<Vec<Run>, S::Error> {
        let runs = self.subject.run(scripts)?;
        for (script, run) in scripts.iter().zip(&runs).filter(|(_, run)| run.was_run()) {
            self.tests += 1;
            if run.steps.iter().any(is_exhausted) {
                self.heavy.extend(script.large_numbers());
            }
        }
        Ok(runs)
    }

    /// Tells the author which methods hang.
    pub(crate) fn warn(&self, author: &mut impl Author) {
        self.subject.guard().warn(author);
    }

    /// Tells whether the method hangs so often that it is no longer called at all.
    pub(crate) fn is_given_up(&self, callable: &Arc<Callable>) -> bool {
        self.subject.guard().is_given_up_everywhere(callable)
    }

    /// Tells whether a move is worth its time: it neither hangs as a rule nor passes a number that exhausted
    /// the memory.
    pub(crate) fn is_worth(&self, one: &Move) -> bool {
        !one.passes(&self.heavy) && !self.is_given_up(one.callable())
    }

    fn last_call(&self, script: &Script, run: &Run) -> Probed {
        let last = script.statements.len().checked_sub(1);
        let Some((at, (statement, step))) =
            last.and_then(|at| Some((at, script.statements.get(at).zip(run.steps.get(at))?)))
        else {
            let is_untried =
                matches!(run.end, End::TimedOut | End::Looped | End::Died { .. } | End::Cut { .. });
            return if is_untried { Probed::Untried } else { Probed::Nothing };
        };
        if let Some(letter) = self.reader.letter(&statement.callable, &step.result) {
            let held = self.ties.held(script, statement.receiver);
            let fields: Box<[u64]> = field_hashes(step.fields.as_ref()).chain(held).collect();
            let (state, shape) =
                (StateHash::combine(fields.iter().copied()), ShapeHash::of(step.fields.as_ref()));
            let likeness = step.fields.as_ref().and_then(likeness);
            let answer = Answer::of(&step.result, at);
            return Probed::Returned(Observed { letter, state, fields, shape, likeness, answer });
        }
        match &step.result {
            StepResult::Threw { class, .. } => {
                let outcome = Outcome::Threw(class.to_string());
                let event = Event { outcome, ..Event::call(self.reader.names().of(&statement.callable)) };
                Probed::Threw(Labels::Exception.of(&event))
            }
            _ => Probed::Nothing,
        }
    }
}

/// Hash that objects share that differ only in the content of what their fields lead to.
fn likeness(snapshot: &Snapshot) -> Option<StateHash> {
    let digests = snapshot.digests()?;
    let values = snapshot.values().zip(digests).map(|(value, digest)| {
        let mut hasher = FxHasher::default();
        hash_value(value, &mut hasher);
        digest.coarse.hash(&mut hasher);
        hasher.finish()
    });
    Some(StateHash::combine(values))
}

fn hash_value(value: &Value, hasher: &mut FxHasher) {
    std::mem::discriminant(value).hash(hasher);
    match value {
        Value::Void | Value::Null => {}
        Value::Bool(value) => value.hash(hasher),
        Value::Int(value) => value.hash(hasher),
        Value::Float(value) => value.to_bits().hash(hasher),
        Value::Text(value) => value.hash(hasher),
    }
}

/// Hash of each field, which equal values of the same field share. Where the subject looked at what a field
/// leads to, values are equal if that is.
fn field_hashes(snapshot: Option<&Snapshot>) -> impl Iterator<Item = u64> {
    let digests = snapshot.and_then(Snapshot::digests).unwrap_or_default();
    snapshot.into_iter().flat_map(|snapshot| snapshot.values()).enumerate().map(|(field, value)| {
        let mut hasher = FxHasher::default();
        field.hash(&mut hasher);
        hash_value(value, &mut hasher);
        if let Some(digest) = digests.get(field) {
            digest.exact.hash(&mut hasher);
        }
        hasher.finish()
    })
}

fn is_exhausted(step: &Step) -> bool {
    matches!(step.result, StepResult::Threw { exhausted: true, .. })
}
