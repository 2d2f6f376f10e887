//! Guards of a mined model: the condition on arguments under which a call is possible, or leads to one state
//! and not to another.
//!
//! A transition has tests whose last call takes it. The interpreter executes such a test up to that call, and
//! then the call for all arguments (`adit_concolic::Replayer`). Each path of the call gives a condition and
//! an outcome. If every path was followed, the guard is *proved*: on the objects of the tests, it decides for
//! all arguments. Where the interpreter cannot follow a path, the class is run with arguments that take it;
//! if they all end alike, the guard is *sampled*. Conditions of several tests are joined: a bound that is
//! always the value of one field is that field.
//!
//! Every guard is checked on the class: arguments on both sides of each of its bounds must end as it says.
//! One contradiction, and there is no guard.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use adit_attack::EventReader;
use adit_automata::{Fsa, Reader, State};
use adit_bytecode::{ClassPath, Type};
use adit_concolic::{CallEnd, InterpreterLimits, Replayer};
use adit_learn::guards::{parts, readable};
use adit_learn::regions::Regions;
use adit_learn::symbolic::Analysis;
use adit_learn::{Component, Kind, Method, Parameter, Role};
use adit_smt::{Arena, Expr, Frugal, Solver};
use adit_trace::{
    Argument, CallKind, Callable, End, Label, Run, Script, Statement, StepResult, Subject, Value, ValueKind,
};

use crate::java::signature::with_types;
use crate::results::run::GuardSummary;
use crate::solver;
use crate::witnesses::Witnesses;
use join::{Conditions, Found, put};
use samples::{Sample, given, samples};

mod join;
mod samples;

/// Limits of the interpreter: a call that needs more is not worth the time of a user who waits.
const LIMITS: InterpreterLimits = InterpreterLimits {
    steps: 30_000,
    paths: 60,
    branches: 40,
    unanswered: 1,
    pinned: 8,
    open_lengths: true,
    ..InterpreterLimits::USUAL
};

/// Most time for all guards of a model.
pub(super) const MOST_TIME: Duration = Duration::from_secs(1);

/// Most tests of one call whose arguments are opened.
const MOST_TESTS: usize = 6;

/// Most paths of all calls together, and most questions to the solver: bounds that do not depend on a clock.
const MOST_PATHS: usize = 6_000;
const MOST_QUESTIONS: usize = 600;
const MOST_FAILURES: usize = 2;

/// Time for the solver to answer one question.
const PATIENCE: Duration = Duration::from_millis(500);

/// Everything that guards are found from.
pub(super) struct GuardSearch<'a> {
    pub(super) classes: &'a ClassPath,
    pub(super) reader: &'a EventReader,
    pub(super) tests: &'a [(Script, Run)],
    pub(super) witnesses: &'a Witnesses,
    /// Constructors and methods of the class.
    pub(super) callables: Vec<&'a Arc<Callable>>,
    /// Names of methods that blocked. The interpreter does not know what another thread would have to do, so
    /// that a condition on arguments would say too much.
    pub(super) blocking: &'a BTreeSet<String>,
    /// Methods without parameters and side effects, or that a state may refuse: they tell states apart.
    pub(super) questions: &'a [Arc<Callable>],
    /// The moment at which the search ends; absent if the budget has no clock.
    pub(super) deadline: Option<Instant>,
    /// Names of fields as Java writes them, as far as they were looked up: class files are slow to read.
    pub(super) field_names: RefCell<BTreeMap<(String, String), String>>,
}

/// A call in a state of the model, with all transitions that it takes there.
struct Call {
    state: State,
    callable: Arc<Callable>,
    /// Targets of each label.
    targets: BTreeMap<String, BTreeSet<State>>,
    /// Tests that lead into the state, with the call at their end.
    situations: Vec<Situation>,
    /// The call that tells targets apart, with the answer of each of them.
    question: Option<(Statement, BTreeMap<State, Answer>)>,
}

/// Objects of a test before a call.
struct Situation {
    script: Script,
    run: Run,
    /// Fields of the receiver with a number, by name.
    fields: BTreeMap<String, i128>,
}

/// The answer of a question: refused, or its label.
type Answer = Option<String>;

/// Transitions that a call may take: a label, and the states to which it leads. There are several states if
/// no question tells them apart; the condition then says whether the call happens, and not where it leads.
/// `None` if the call is refused.
type Taken = Option<Transitions>;

/// The transitions that a condition is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Guarded {
    state: State,
    taken: Transitions,
    /// The call as Java writes it, if its label stands for several.
    overload: Option<String>,
}

/// A label, and the states to which it leads.
type Transitions = (String, BTreeSet<State>);

impl GuardSearch<'_> {
    /// Returns the model with guards at its transitions, and the guards. `subject` runs the class.
    pub(super) fn run<S: Subject>(
        &self,
        subject: &mut S,
        model: &Fsa<String>,
    ) -> Result<(Fsa<String>, Vec<GuardSummary>), S::Error> {
        let mut replayer = Replayer::new(self.classes, LIMITS);
        let mut solver =
            Frugal::new(Regions::new(solver::available(PATIENCE).few(MOST_QUESTIONS).failing(MOST_FAILURES)));
        let mut left = MOST_PATHS;
        let mut keep_going = || {
            left = left.saturating_sub(1);
            left > 0 && self.deadline.is_none_or(|deadline| Instant::now() < deadline)
        };
        let mut guards: BTreeMap<Guarded, Conditions> = BTreeMap::new();
        for call in self.calls(model) {
            if self.blocking.contains(call.callable.event_name()) {
                continue;
            }
            let mut of_call: BTreeMap<Transitions, Conditions> = BTreeMap::new();
            let mut holds = true;
            for situation in &call.situations {
                if !keep_going() {
                    // Half of the situations of a call do not support its guard. Those of other calls do.
                    return Ok(put(model, guards));
                }
                let opened = self.open(&mut replayer, &mut solver, &call, situation, &mut keep_going);
                let Some(opened) = opened else { continue };
                let Ok(mut opened) = opened else {
                    holds = false;
                    break;
                };
                let scripts: Vec<Script> =
                    opened.samples.iter().map(|sample| sample.script.clone()).collect();
                let runs = subject.run(&scripts)?;
                if !opened.check(self, &call, &runs) {
                    holds = false;
                    break;
                }
                opened.conclude(&mut solver, &call, situation, &mut of_call);
            }
            if holds {
                let overload = self.overload(&call.callable);
                for (taken, found) in of_call {
                    guards.insert(Guarded { state: call.state, taken, overload: overload.clone() }, found);
                }
            }
        }
        Ok(put(model, guards))
    }

    /// The signature of a call whose label stands for others, too: a condition on its arguments says nothing
    /// about theirs.
    fn overload(&self, callable: &Callable) -> Option<String> {
        let names = self.reader.names();
        let same = self.callables.iter().filter(|other| names.of(other) == names.of(callable)).count();
        (same > 1).then(|| with_types(callable))
    }

    /// The calls with parameters of which the model has transitions, with tests that make them.
    fn calls(&self, model: &Fsa<String>) -> Vec<Call> {
        let mut calls: BTreeMap<(State, Arc<Callable>), Call> = BTreeMap::new();
        for take in &self.witnesses.takes {
            let known = model.edges(take.from).any(|edge| *edge.label == take.event && edge.to == take.to);
            let Some((script, run)) = self.tests.get(take.test).filter(|_| known) else { continue };
            let Some(last) = script.statements.last() else { continue };
            if last.callable.parameters.is_empty() || run.steps.len() < script.statements.len() {
                continue;
            }
            let label = run.steps.last().and_then(|step| self.label(&last.callable, &step.result));
            if label.as_deref() != Some(&take.event) {
                continue;
            }
            let call = calls.entry((take.from, last.callable.clone())).or_insert_with(|| Call {
                state: take.from,
                callable: last.callable.clone(),
                targets: BTreeMap::new(),
                situations: Vec::new(),
                question: None,
            });
            if call.situations.len() < MOST_TESTS / 2 {
                call.situations.push(self.situation(script, run, script.statements.len() - 1, last));
            }
        }
        self.recorded_calls(model, &mut calls);
        let mut calls: Vec<Call> = calls.into_values().collect();
        for call in &mut calls {
            self.more_situations(call);
            let method = self.reader.names().of(&call.callable);
            for edge in model.edges(call.state) {
                let is_other = || self.reader.alphabet().get(edge.label).is_none();
                if Label::parse(edge.label).method() == method && model.is_explored(&edge) && !is_other() {
                    call.targets.entry(edge.label.clone()).or_default().insert(edge.to);
                }
            }
            call.question = self.question(model, call);
        }
        calls
    }

    /// Adds tests that make a call in its state, as far as the model says in which state they are. Those in
    /// which it is refused matter most: they tell what the guard must exclude.
    fn recorded_calls(&self, model: &Fsa<String>, calls: &mut BTreeMap<(State, Arc<Callable>), Call>) {
        let letters = model.letters(self.reader.alphabet().names());
        let mut reader = Reader::new(model);
        for refused in [true, false] {
            let most = if refused { MOST_TESTS - 1 } else { MOST_TESTS };
            for (script, run) in self.tests.iter().filter(|(_, run)| !run.leaked) {
                for trace in self.reader.read(script, run) {
                    reader.back_to(0);
                    let events = trace.word.iter().map(|&letter| letters[letter as usize]);
                    let last = trace.threw.map(|at| (at, None)).filter(|_| refused);
                    let events = trace.statements.iter().copied().zip(events.map(Some)).chain(last);
                    for (at, event) in events {
                        let statement = &script.statements[at];
                        let state = match reader.states() {
                            [only] => *only,
                            _ => break,
                        };
                        if event.is_none() == refused
                            && let Some(call) = calls.get_mut(&(state, statement.callable.clone()))
                            && call.situations.len() < most
                        {
                            call.situations.push(self.situation(script, run, at, statement));
                        }
                        if event.is_none_or(|letter| !reader.step(letter)) {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// Adds tests that end in the state of a call, followed by the call. Arguments that come from statements
    /// of another test cannot be used.
    fn more_situations(&self, call: &mut Call) {
        let last = &call.situations[0].script.statements;
        let Some(last) = last.last().cloned() else { return };
        if call.callable.kind != CallKind::Method
            || last.args.iter().any(|one| matches!(one, Argument::Earlier(_)))
        {
            return;
        }
        for take in self.witnesses.takes.iter().filter(|take| take.to == call.state) {
            let Some((script, run)) = self.tests.get(take.test) else { continue };
            let traces = self.reader.read(script, run);
            let ends = |trace: &&adit_attack::ObjectTrace| {
                trace.threw.is_none() && trace.statements.last() == Some(&(script.statements.len() - 1))
            };
            let Some(trace) = traces.iter().find(ends) else { continue };
            if call.situations.len() >= MOST_TESTS {
                break;
            }
            let statement = Statement { receiver: Some(trace.object), ..last.clone() };
            let mut longer = script.clone();
            longer.statements.push(statement.clone());
            let situation = self.situation(&longer, run, script.statements.len(), &statement);
            call.situations.push(situation);
        }
    }

    fn situation(&self, script: &Script, run: &Run, count: usize, call: &Statement) -> Situation {
        let mut fields = BTreeMap::new();
        let on = |at: usize| {
            let statement = &script.statements[at];
            call.receiver.is_some() && (statement.receiver == call.receiver || Some(at) == call.receiver)
        };
        let last = (0..count).rev().find(|&at| on(at) && run.steps[at].fields.is_some());
        if let Some(snapshot) = last.and_then(|at| run.steps[at].fields.as_ref()) {
            let owner = call.callable.owner.replace('.', "/");
            for (name, value) in snapshot.names().iter().zip(snapshot.values()) {
                if let Value::Int(number) = value {
                    fields.insert(self.field_name(&owner, name), i128::from(*number));
                }
            }
        }
        let script = Script { statements: script.statements[..=count].to_vec() };
        Situation { script, run: run.clone(), fields }
    }

    /// The name of a field as Java writes it: a snapshot has the length in place of an array.
    fn field_name(&self, class: &str, name: &str) -> String {
        let mut known = self.field_names.borrow_mut();
        let known = known.entry((class.to_owned(), name.to_owned()));
        known.or_insert_with(|| self.find_field_name(class, name)).clone()
    }

    fn find_field_name(&self, class: &str, name: &str) -> String {
        let mut next = Some(class.to_owned());
        while let Some(class) = next {
            let Ok(Some(class)) = self.classes.read(&class) else { break };
            if let Some(field) = class.fields.iter().find(|field| *field.name == *name) {
                let is_array = matches!(field.field_type(), Type::Array(_));
                return if is_array { format!("{name}.length") } else { name.to_owned() };
            }
            next = class.superclass.as_deref().map(str::to_owned);
        }
        name.to_owned()
    }

    /// A call that tells apart the states to which one label leads.
    fn question(&self, model: &Fsa<String>, call: &Call) -> Option<(Statement, BTreeMap<State, Answer>)> {
        let several: Vec<&BTreeSet<State>> = call.targets.values().filter(|to| to.len() > 1).collect();
        if several.is_empty() {
            return None;
        }
        for callable in self.questions {
            let method = self.reader.names().of(callable);
            let mut answers: BTreeMap<State, Answer> = BTreeMap::new();
            for &state in several.iter().copied().flatten() {
                let edges: BTreeSet<&String> = model
                    .edges(state)
                    .map(|edge| edge.label)
                    .filter(|label| Label::parse(label).method() == method)
                    .collect();
                let is_refused =
                    model.refusals(state).iter().any(|label| Label::parse(label).method() == method);
                match (&edges.into_iter().collect::<Vec<_>>()[..], is_refused) {
                    ([], true) => _ = answers.insert(state, None),
                    ([only], false) => _ = answers.insert(state, Some((*only).clone())),
                    _ => {}
                }
            }
            let tells = |targets: &&BTreeSet<State>| {
                let given: BTreeSet<Option<&Answer>> = targets.iter().map(|to| answers.get(to)).collect();
                given.len() == targets.len() && !given.contains(&None)
            };
            if several.iter().all(tells) {
                let statement = Statement { callable: callable.clone(), receiver: Some(0), args: Vec::new() };
                return Some((statement, answers));
            }
        }
        None
    }

    fn label(&self, callable: &Arc<Callable>, result: &StepResult) -> Option<String> {
        self.reader.letter(callable, result).map(|letter| self.reader.alphabet().name(letter).to_owned())
    }

    /// Opens the call at the end of a situation; nothing if the interpreter cannot follow its test.
    fn open(
        &self,
        replayer: &mut Replayer<'_>,
        solver: &mut dyn Solver,
        call: &Call,
        situation: &Situation,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<Result<Opened, Contradiction>> {
        let count = situation.script.statements.len() - 1;
        let objects = replayer.replay(&situation.script, &situation.run, count).ok()?;
        let mut arena = Arena::new();
        let statement = &situation.script.statements[count];
        let question = call.question.as_ref().map(|(question, _)| question);
        let opened = replayer.open(&mut arena, solver, &objects, statement, question, keep_going).ok()?;
        let mut paths = Vec::new();
        for path in &opened.paths {
            let taken = self.taken(call, &path.end, path.answer.as_ref());
            paths.push(OpenPath { condition: path.condition, taken, seen: BTreeSet::new() });
        }
        let recorded = situation.run.steps.get(count).and_then(|step| self.outcome(statement, &step.result));
        let given = given(replayer, &opened, statement);
        if let (Some(recorded), Some(given)) = (recorded, given) {
            let holds = |path: &OpenPath| arena.satisfies(&given, &[path.condition]) == Ok(true);
            let path = paths.iter().find(|path| holds(path))?;
            // Of a call that leads to several states, the run alone does not say to which.
            let label = |taken: &Taken| taken.as_ref().map(|(label, _)| label.clone());
            if path.taken.as_ref().is_some_and(|taken| label(taken) != recorded) {
                return Some(Err(Contradiction));
            }
        }
        let samples = samples(&mut arena, solver, replayer, &opened, &paths, situation, question);
        Some(Ok(Opened {
            arena,
            parameters: opened.parameters,
            paths,
            samples,
            class: call.callable.owner.clone(),
            texts: replayer.literals(),
        }))
    }

    /// The outcome of a call: refused, or its label. Nothing if the class did not decide it.
    fn outcome(&self, statement: &Statement, result: &StepResult) -> Option<Answer> {
        match result {
            StepResult::Threw { exhausted: true, .. }
            | StepResult::Unresolved { .. }
            | StepResult::Skipped(_) => None,
            StepResult::Threw { .. } => Some(None),
            result => Some(Some(self.label(&statement.callable, result)?)),
        }
    }

    /// The transition that a path takes; nothing if that is not known.
    fn taken(&self, call: &Call, end: &CallEnd, answer: Option<&CallEnd>) -> Option<Taken> {
        let label = |callable: &Arc<Callable>, end: &CallEnd| match end {
            CallEnd::Returned(Some(truth)) => {
                Some(self.label(callable, &StepResult::Returned(Value::Bool(*truth))))
            }
            CallEnd::Returned(None) => Some(self.label(callable, &StepResult::Returned(Value::Void))),
            CallEnd::Threw(_) => Some(None),
            CallEnd::Unknown(_) => None,
        };
        let Some(returned) = label(&call.callable, end)? else { return Some(None) };
        let answer = match (answer, &call.question) {
            (Some(answer), Some((question, _))) => Some(label(&question.callable, answer)?),
            _ => None,
        };
        target(call, returned, answer).map(Some)
    }
}

/// The transitions of a call that returned, whose question had this answer.
fn target(call: &Call, returned: String, answer: Option<Answer>) -> Option<Transitions> {
    let targets = call.targets.get(&returned)?;
    if let (2.., Some((_, answers))) = (targets.len(), &call.question) {
        let answer = answer?;
        let to = targets.iter().find(|to| answers.get(to) == Some(&answer))?;
        return Some((returned, BTreeSet::from([*to])));
    }
    Some((returned, targets.clone()))
}

/// A run of the class that ended otherwise than the interpreter says.
struct Contradiction;

/// A call in one situation, for all arguments.
struct Opened {
    arena: Arena,
    parameters: Vec<Parameter>,
    paths: Vec<OpenPath>,
    samples: Vec<Sample>,
    class: String,
    /// String constants of the code.
    texts: Vec<String>,
}

struct OpenPath {
    condition: Expr,
    /// None if the interpreter does not know.
    taken: Option<Taken>,
    /// Transitions that arguments of this path took on the class.
    seen: BTreeSet<Taken>,
}

impl Opened {
    /// Compares the runs of the samples with the paths. False if one of them contradicts the interpreter.
    fn check(&mut self, search: &GuardSearch<'_>, call: &Call, runs: &[Run]) -> bool {
        for (sample, run) in self.samples.iter().zip(runs) {
            let statements = &sample.script.statements;
            let at = statements.len() - 1 - usize::from(sample.asks);
            let Some(step) = run.steps.get(at) else {
                // A call that waits for another thread does not take a transition, whatever its arguments.
                if run.end == End::Blocked && run.steps.len() == at {
                    return false;
                }
                continue;
            };
            let Some(outcome) = search.outcome(&statements[at], &step.result) else { continue };
            let taken: Taken = match outcome {
                None => None,
                Some(returned) => {
                    let answer = run.steps.get(at + 1).filter(|_| sample.asks);
                    let answer = answer.and_then(|step| search.outcome(&statements[at + 1], &step.result));
                    match target(call, returned, answer) {
                        Some(taken) => Some(taken),
                        None => continue,
                    }
                }
            };
            let path = &mut self.paths[sample.path];
            if path.taken.as_ref().is_some_and(|expected| *expected != taken) {
                return false;
            }
            path.seen.insert(taken);
        }
        true
    }

    /// Adds the condition of each transition. Nothing is added if a path may take several.
    fn conclude(
        mut self,
        solver: &mut dyn Solver,
        call: &Call,
        situation: &Situation,
        into: &mut BTreeMap<Transitions, Conditions>,
    ) {
        let arena = std::mem::take(&mut self.arena);
        let mut of_taken: BTreeMap<&Taken, Vec<Expr>> = BTreeMap::new();
        let mut sampled = false;
        for path in &self.paths {
            let taken = match &path.taken {
                Some(taken) => taken,
                None => {
                    // Objects differ in more than samples show, and their content may decide where a call
                    // leads.
                    let has_objects = self.parameters.iter().any(|one| one.kind == Kind::Reference);
                    let told_apart =
                        |to: &BTreeSet<State>| if call.question.is_some() { to.len() } else { 1 };
                    let transitions = call.targets.values().map(told_apart).sum::<usize>();
                    if has_objects && (transitions > 1 || call.callable.answer == ValueKind::Bool) {
                        return;
                    }
                    sampled = true;
                    match path.seen.iter().collect::<Vec<_>>()[..] {
                        [only] => only,
                        _ => return,
                    }
                }
            };
            of_taken.entry(taken).or_default().push(path.condition);
        }
        let method = Method {
            name: call.callable.name.clone(),
            role: Role::Static,
            parameters: self.parameters.clone(),
            paths: Vec::new(),
        };
        let component = Component {
            class: self.class.clone(),
            arena,
            fields: Vec::new(),
            methods: vec![method],
            texts: std::mem::take(&mut self.texts),
        };
        let mut analysis = Analysis::new(component, solver);
        for (taken, conditions) in of_taken {
            let Some(edge) = taken else { continue };
            let known = into.entry(edge.clone()).or_default();
            known.sampled |= sampled;
            known.runs += self.samples.len();
            let arena = &mut analysis.component.arena;
            let any = arena.or(&conditions);
            let none = arena.not(any);
            if analysis.refuted(&[none]) {
                known.always += 1;
                continue;
            }
            let parts = parts(&mut analysis, 0, any);
            let text = readable(&mut analysis, 0, any);
            let has_state = call.callable.kind == CallKind::Method;
            known.found.push(Found { parts, text, fields: situation.fields.clone(), has_state });
        }
    }
}

/// True for a method that may tell states apart: it needs no arguments, and does not hang.
pub(super) fn is_question(callable: &Callable) -> bool {
    callable.kind == CallKind::Method && callable.parameters.is_empty()
}
