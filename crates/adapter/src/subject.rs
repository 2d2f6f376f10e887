//! Adapters as a [`Subject`]: scripts become sequences, answers become runs.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use adit_trace::{
    Argument, CallKind, Callable, End, EventNames, Run, RunLimits, Script, Skip, Snapshot, Statement, Step,
    StepResult, Subject, ValueKind, Vocabulary,
};
use serde_json::{Value, json};

use crate::client::{Adapter, AdapterLimits};
use crate::description::{Described, OfferedCall};
use crate::error::{AdapterError, Fault};
use crate::message::{AdapterCall, Answered, CallAnswer, CallOutcome, Sequence, SequenceEnd, Unmade};
use crate::process::Launch;
use crate::values;

/// Several processes of one adapter, which share the scripts of a batch.
pub struct AdapterHost {
    adapters: Vec<Adapter>,
    vocabulary: Vocabulary,
    limits: RunLimits,
    /// Ask for the fields of objects after each call.
    states: bool,
    /// A reset makes the only object.
    one_object: bool,
    names: Option<Arc<[String]>>,
    /// Calls that were answered, those of them that were no starts, and the time that it took.
    calls: u64,
    operations: u64,
    busy: Duration,
}

/// Fewest scripts that are worth a process of their own.
const SHARE: usize = 8;

impl AdapterHost {
    /// Starts `workers` processes of an adapter.
    pub fn start(
        launch: &Launch,
        subject: &str,
        limits: AdapterLimits,
        workers: usize,
    ) -> Result<Self, AdapterError> {
        let first = Adapter::start(launch, subject, limits)?;
        let one_object = first.description().starts.is_empty();
        let vocabulary = vocabulary(first.description());
        let mut adapters = vec![first];
        for _ in 1..workers.max(1) {
            let another = adapters[0].start_another()?;
            adapters.push(another);
        }
        let limits = RunLimits::default();
        Ok(Self {
            adapters,
            vocabulary,
            limits,
            states: true,
            one_object,
            names: None,
            calls: 0,
            operations: 0,
            busy: Duration::ZERO,
        })
    }

    /// Operations, values and remarks that the adapter described.
    pub fn description(&self) -> &Described {
        self.adapters[0].description()
    }

    /// The calls that are events.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Keeps only the operations that `keep` chooses by name, and says how many are left.
    pub fn keep_operations(&mut self, keep: impl Fn(&str) -> bool) -> usize {
        self.vocabulary.methods.retain(|method| keep(&method.name));
        self.vocabulary.methods.len()
    }

    /// Chooses whether runs have the fields of objects, if the adapter can tell them.
    pub fn set_states(&mut self, states: bool) {
        self.states = states;
    }

    /// Number of calls that were answered so far.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Returns true if processes hung or died and no call of an operation was ever answered: whatever the
    /// adapter does, nothing is known about its subject.
    pub fn answers_nothing(&self) -> bool {
        self.operations == 0 && self.restarts() > 0
    }

    /// Calls that all processes together answered in a second, while they were asked.
    pub fn calls_per_second(&self) -> f64 {
        self.calls as f64 / self.busy.as_secs_f64().max(0.001)
    }

    /// Number of processes that hung or died, and were replaced.
    pub fn restarts(&self) -> u64 {
        self.adapters.iter().map(Adapter::faults).sum()
    }

    /// The end of the last process that hung or died.
    pub fn last_fault(&self) -> Option<&Fault> {
        self.adapters.iter().find_map(Adapter::last_fault)
    }

    /// The calls of a script as source text, if the adapter can write it.
    pub fn render(&mut self, script: &Script) -> Result<Option<String>, AdapterError> {
        let calls = sequence(script, &self.vocabulary.class, false, self.one_object).0.calls;
        self.adapters[0].render(&calls)
    }
}

impl Subject for AdapterHost {
    type Error = AdapterError;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, AdapterError> {
        let (states, one_object) = (self.states, self.one_object);
        let class = self.vocabulary.class.clone();
        let sequences: Vec<(Sequence, Vec<Option<usize>>)> =
            batch.iter().map(|script| sequence(script, &class, states, one_object)).collect();
        let plain: Vec<Sequence> = sequences.iter().map(|(sequence, _)| sequence.clone()).collect();
        let begun = Instant::now();
        let answered = self.shared(&plain)?;
        self.busy += begun.elapsed();
        for (sequence, one) in plain.iter().zip(&answered) {
            self.calls += one.answers.len() as u64;
            let calls = sequence.calls.iter().take(one.answers.len());
            self.operations += calls.filter(|call| one_object || call.on.is_some()).count() as u64;
        }
        let mut runs = Vec::with_capacity(batch.len());
        for ((script, (_, numbers)), answered) in batch.iter().zip(&sequences).zip(answered) {
            runs.push(self.run_of(script, numbers, answered));
        }
        Ok(runs)
    }

    fn limit(&mut self, limits: RunLimits) {
        self.limits = limits;
    }

    fn renew(&mut self) {
        self.adapters.iter_mut().for_each(Adapter::restart);
    }
}

impl AdapterHost {
    /// Runs sequences on all processes at once. Answers do not depend on which process gave them.
    fn shared(&mut self, batch: &[Sequence]) -> Result<Vec<Answered>, AdapterError> {
        let RunLimits { deadline, bad_ends } = self.limits;
        let share = batch.len().div_ceil(self.adapters.len()).max(SHARE);
        if batch.len() <= share {
            return self.adapters[0].run_limited(batch, deadline, bad_ends);
        }
        let parts: Vec<Result<Vec<Answered>, AdapterError>> = thread::scope(|scope| {
            let parts = batch.chunks(share).zip(&mut self.adapters);
            let running: Vec<_> = parts
                .map(|(part, adapter)| scope.spawn(move || adapter.run_limited(part, deadline, bad_ends)))
                .collect();
            running.into_iter().map(|part| part.join().expect("a client does not panic")).collect()
        });
        let mut all = Vec::with_capacity(batch.len());
        for part in parts {
            all.append(&mut part?);
        }
        Ok(all)
    }

    /// The run of a script from the answers to its calls, whose numbers are those of its statements.
    fn run_of(&mut self, script: &Script, numbers: &[Option<usize>], answered: Answered) -> Run {
        let end = match answered.end {
            SequenceEnd::Complete => End::Complete,
            SequenceEnd::Blocked => End::Blocked,
            SequenceEnd::TimedOut => End::TimedOut,
            SequenceEnd::Died { how } => End::Died { how },
            SequenceEnd::NotRun => return Run::not_run(),
        };
        // For each call, the statement that made it.
        let statements: Vec<usize> = (0..numbers.len()).filter(|&at| numbers[at].is_some()).collect();
        let mut answers = answered.answers.into_iter();
        let mut steps = Vec::with_capacity(script.statements.len());
        for (at, statement) in script.statements.iter().enumerate() {
            let callable = &statement.callable;
            let step = match (numbers[at], callable.kind) {
                (Some(_), _) => match answers.next() {
                    Some(answer) => self.step(callable, at, answer, &statements),
                    None => break,
                },
                // A value, or the object that the reset made.
                (None, CallKind::Constant) => {
                    Step::new(StepResult::Object { class: values::VALUES.into(), first: at })
                }
                (None, CallKind::Constructor) => {
                    let is_start = |one: &Statement| one.callable.kind == CallKind::Constructor;
                    let first = script.statements.iter().position(is_start).unwrap_or(at);
                    Step::new(StepResult::Object { class: self.vocabulary.class.clone(), first })
                }
                // A call that belongs to another type: the adapter offers none.
                (None, _) => Step::new(StepResult::Skipped(Skip::NoReceiver)),
            };
            steps.push(step);
        }
        Run { steps, end, leaked: false, passed: None }
    }

    fn step(&mut self, callable: &Callable, at: usize, answer: CallAnswer, statements: &[usize]) -> Step {
        let result = match answer.outcome {
            // What a start makes is an object, whatever the adapter calls it.
            CallOutcome::Returned(_) if callable.kind == CallKind::Constructor => {
                StepResult::Object { class: self.vocabulary.class.clone(), first: at }
            }
            CallOutcome::Returned(value) => StepResult::Returned(values::recorded(&value, callable.answer)),
            CallOutcome::Object { class, first } => StepResult::Object {
                class: match callable.kind {
                    CallKind::Constructor => self.vocabulary.class.clone(),
                    _ => class.into(),
                },
                first: first.and_then(|first| statements.get(first).copied()).unwrap_or(at),
            },
            CallOutcome::Threw { class, message, exhausted } => {
                StepResult::Threw { class: class.into(), message, exhausted }
            }
            CallOutcome::Skipped(why) => StepResult::Skipped(match why {
                Unmade::Receiver => Skip::NoReceiver,
                Unmade::Argument => Skip::NoArgument,
                Unmade::Type => Skip::WrongType,
            }),
        };
        let fields = answer.state.map(|state| self.snapshot(&state));
        Step { fields, ..Step::new(result) }
    }

    /// Fields as a snapshot. Objects have the same fields nearly always, so their names are shared.
    fn snapshot(&mut self, state: &[(String, Value)]) -> Snapshot {
        let known = self.names.as_ref().filter(|names| names.iter().eq(state.iter().map(|(name, _)| name)));
        let names = match known {
            Some(names) => names.clone(),
            None => state.iter().map(|(name, _)| name.clone()).collect(),
        };
        self.names = Some(names.clone());
        let recorded = |(_, value): &(String, Value)| values::recorded(value, ValueKind::Object);
        Snapshot::new(names, state.iter().map(recorded).collect::<Vec<_>>())
    }
}

/// The calls of a script as a sequence, and the number of the call that each statement is. Values are no
/// calls, nor is the start of a subject that a reset starts, nor what does not belong to the `class`.
fn sequence(script: &Script, class: &str, states: bool, one_object: bool) -> (Sequence, Vec<Option<usize>>) {
    let mut calls = Vec::with_capacity(script.statements.len());
    let mut numbers: Vec<Option<usize>> = Vec::with_capacity(script.statements.len());
    for statement in &script.statements {
        let callable = &statement.callable;
        let is_start = callable.kind == CallKind::Constructor;
        if callable.kind == CallKind::Constant || callable.owner != class || one_object && is_start {
            numbers.push(None);
            continue;
        }
        let earlier = |at: usize| -> Option<Value> {
            let constant = script.statements.get(at).and_then(|one| values::of_constant(&one.callable));
            constant.or_else(|| Some(json!({ "$call": numbers.get(at).copied().flatten()? })))
        };
        let args: Vec<Value> = statement
            .args
            .iter()
            .map(|argument: &Argument| values::to_json(argument, &earlier).unwrap_or(Value::Null))
            .collect();
        let on = statement.receiver.and_then(|receiver| numbers.get(receiver).copied().flatten());
        numbers.push(Some(calls.len()));
        calls.push(AdapterCall::new(callable.name.clone(), on, args));
    }
    (Sequence { calls, states }, numbers)
}

/// The calls of a script for people, in the form of most languages: one a line, `s0` for the result of the
/// first.
pub fn readable(script: &Script) -> String {
    let mut text = String::new();
    for (at, statement) in script.statements.iter().enumerate() {
        let callable = &statement.callable;
        if callable.kind == CallKind::Constant {
            continue;
        }
        let shown = |argument: &Argument| -> String {
            let earlier = |at: usize| match script.statements.get(at) {
                Some(one) if one.callable.kind == CallKind::Constant => {
                    Some(json!({ "$": one.callable.name }))
                }
                _ => Some(json!({ "$": format!("s{at}") })),
            };
            match values::to_json(argument, &earlier) {
                Some(Value::Object(object)) => {
                    object.values().next().and_then(Value::as_str).unwrap_or("?").to_owned()
                }
                Some(value) => value.to_string(),
                None => "?".to_owned(),
            }
        };
        let args: Vec<String> = statement.args.iter().map(shown).collect();
        let on = statement.receiver.map(|receiver| format!("s{receiver}.")).unwrap_or_default();
        text += &format!("s{at} = {on}{}({})\n", callable.name, args.join(", "));
    }
    text
}

/// The calls that are events: starts, or one start for a subject that has none, and operations.
pub(crate) fn vocabulary(described: &Described) -> Vocabulary {
    let class: Arc<str> = described.name.as_str().into();
    let callable = |offered: &OfferedCall, kind| {
        let answer = match (kind, offered.answer.as_deref()) {
            (CallKind::Constructor, _) | (_, Some("object")) => ValueKind::Object,
            (_, Some("nothing")) => ValueKind::Nothing,
            (_, Some("bool")) => ValueKind::Bool,
            (_, Some("int")) => ValueKind::Int,
            (_, Some("float")) => ValueKind::Float,
            (_, Some("text")) => ValueKind::Text,
            _ => ValueKind::Object,
        };
        Arc::new(Callable {
            parameters: offered.parameters.iter().map(|one| values::value_kind(one.kind)).collect(),
            answer,
            ..Callable::new(kind, &*class, &*offered.name)
        })
    };
    let mut starts: Vec<Arc<Callable>> =
        described.starts.iter().map(|start| callable(start, CallKind::Constructor)).collect();
    if starts.is_empty() {
        let simple = class.rsplit('.').next().filter(|name| !name.is_empty()).unwrap_or(&class).to_owned();
        let start =
            Callable { answer: ValueKind::Object, ..Callable::new(CallKind::Constructor, &*class, simple) };
        starts.push(Arc::new(start));
    }
    let methods = described.operations.iter().map(|one| callable(one, CallKind::Method)).collect();
    Vocabulary { class, starts, methods, names: EventNames::default() }
}
