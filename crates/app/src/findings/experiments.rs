//! Experiments that show what a user of the class notices: the same object is asked without a call and after
//! it.
//!
//! Every comparison is made twice, and counts only if it came out alike. What hangs is not asked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_attack::EventReader;
use adit_trace::edit::{cut, tidy};
use adit_trace::{
    Argument, CallKind, Callable, End, Label, Run, Script, Statement, Step, StepResult, Subject, Value,
    ValueKind, Vocabulary,
};

use super::thrown::{ThrownChange, changes};
use crate::results::{Change, FindingKind};

/// Most objects on which methods that only ask, and `equals`, are tried.
const OBJECTS: usize = 24;

/// Most findings of one kind; a class with more has a problem that a longer list does not show better.
const MAX_OF_KIND: usize = 8;

/// Hangs and crashes after which nothing more is tried.
const BAD_ENDS: usize = 2;

/// Most answers that a finding lists.
const MAX_ANSWERS: usize = 3;

/// The class and the message of an exception.
pub(crate) type Thrown = (String, Option<String>);

/// A finding, and the script that shows it.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) kind: FindingKind,
    /// The call that the finding is about.
    pub(crate) callable: Arc<Callable>,
    /// The method as events name it, with the argument of `equals`.
    pub(crate) method: String,
    /// Other methods that throw the same and change the same.
    pub(crate) alike: Vec<String>,
    pub(crate) threw: Option<Thrown>,
    pub(crate) fields: Vec<Change>,
    pub(crate) behavior: Vec<Change>,
    /// Calls for a test, with what they did, as far as it came out alike twice.
    pub(crate) script: Script,
    pub(crate) run: Run,
    /// The shortest script whose last call shows it.
    pub(crate) witness: Script,
}

/// The class and the means to run it.
pub(crate) struct Experiments<'a, S> {
    subject: &'a mut S,
    vocabulary: Vocabulary,
    reader: &'a EventReader,
    /// Names of methods that hang; they are never called here.
    hanging: BTreeSet<String>,
    /// Labels of calls without side effects.
    pure: &'a BTreeSet<String>,
    /// Scripts that hung or ended their worker. Each costs as much as thousands of others.
    bad_ends: usize,
}

/// The outcome of a call as far as two runs can be compared.
#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Value(Value),
    Object(Arc<str>),
    Threw(Arc<str>),
}

impl Answer {
    fn of(result: &StepResult) -> Option<Self> {
        match result {
            StepResult::Returned(value) => Some(Self::Value(value.clone())),
            StepResult::Object { class, .. } => Some(Self::Object(class.clone())),
            StepResult::Threw { class, exhausted: false, .. } => Some(Self::Threw(class.clone())),
            _ => None,
        }
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Value(value) => f.write_str(&in_java(value)),
            Self::Object(class) => f.write_str(simple(class)),
            Self::Threw(class) => write!(f, "throws {}", simple(class)),
        }
    }
}

/// A value as Java writes it.
pub(super) fn in_java(value: &Value) -> String {
    match value {
        Value::Void => "returns".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Bool(answer) => answer.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Text(text) => format!("{text:?}"),
    }
}

/// The name of a class without its package.
pub(super) fn simple(class: &str) -> &str {
    class.rsplit(['.', '$']).next().unwrap_or(class)
}

impl<'a, S: Subject> Experiments<'a, S> {
    pub(crate) fn new(
        subject: &'a mut S,
        vocabulary: Vocabulary,
        reader: &'a EventReader,
        pure: &'a BTreeSet<String>,
        has_hung: impl Fn(&str) -> bool,
    ) -> Self {
        let methods = vocabulary.methods.iter().map(|method| method.name.clone());
        let hanging = methods.filter(|method| has_hung(method)).collect();
        Self { subject, vocabulary, reader, hanging, pure, bad_ends: 0 }
    }

    /// Runs scripts, unless too many have hung.
    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, S::Error> {
        if self.bad_ends >= BAD_ENDS {
            return Ok(vec![Run::not_run(); batch.len()]);
        }
        let runs = self.subject.run(batch)?;
        let is_bad =
            |run: &&Run| matches!(run.end, End::TimedOut | End::Looped | End::Blocked | End::Died { .. });
        self.bad_ends += runs.iter().filter(is_bad).count();
        Ok(runs)
    }

    /// Looks for findings. `tests` are scripts of the round with their runs, `agreed` the part of each run
    /// that came out alike in a second machine, `thrown` what was noted while the round ran.
    pub(crate) fn find(
        &mut self,
        thrown: &[Vec<ThrownChange>],
        tests: &[(Script, Run)],
        agreed: &[Run],
    ) -> Result<Vec<Shown>, S::Error> {
        let mut all = Vec::new();
        for kind in thrown {
            all.extend(self.thrown(kind)?);
        }
        let objects = self.objects(tests);
        all.extend(self.equality(&objects)?);
        all.extend(self.observers(&objects)?);
        all.extend(self.unsteady(tests, agreed)?);
        all.sort_by(|one, other| {
            let key = |shown: &Shown| (shown.kind, shown.witness.statements.len(), shown.method.clone());
            key(one).cmp(&key(other))
        });
        let mut told: BTreeSet<(FindingKind, String)> = BTreeSet::new();
        all.retain(|shown| told.insert((shown.kind, shown.method.clone())));
        // What changes answers need not be said once more about fields.
        let visible: BTreeSet<String> =
            told.iter().filter(|(kind, _)| kind.is_visible()).map(|(_, method)| method.clone()).collect();
        all.retain(|shown| shown.kind.is_visible() || !visible.contains(&shown.method));
        let mut all = one_of_each(all);
        let mut counts = BTreeMap::<FindingKind, usize>::new();
        all.retain(|shown| {
            let count = counts.entry(shown.kind).or_default();
            *count += 1;
            *count <= MAX_OF_KIND
        });
        Ok(all)
    }

    /// The finding about one method and exception: the first candidate that changes an answer, or else the
    /// first that changes fields.
    fn thrown(&mut self, candidates: &[ThrownChange]) -> Result<Option<Shown>, S::Error> {
        let mut only_fields = None;
        for candidate in candidates {
            let Some(shown) = self.thrown_once(candidate)? else { continue };
            if shown.kind == FindingKind::ThrewAndChanged {
                return Ok(Some(shown));
            }
            only_fields.get_or_insert(shown);
        }
        Ok(only_fields)
    }

    fn thrown_once(&mut self, candidate: &ThrownChange) -> Result<Option<Shown>, S::Error> {
        let script = self.shorter(candidate)?;
        let Some(last) = script.statements.len().checked_sub(1) else { return Ok(None) };
        let (prefix, call) = (cut(&script, last), script.statements[last].clone());
        let Some(object) = call.receiver else { return Ok(None) };
        let runs = self.run(&[script.clone(), script.clone()])?;
        let Some((threw, fields)) = self.thrown_fields(&script, &runs) else { return Ok(None) };
        let questions = self.questions(&prefix, object);
        let behavior = self.answers(&prefix, std::slice::from_ref(&call), &questions)?;
        let kind = if behavior.is_empty() {
            FindingKind::ThrewAndChangedFields
        } else {
            FindingKind::ThrewAndChanged
        };
        let test = test_script(&prefix, &call, &behavior);
        let Some((script, run)) = self.agreed(test)? else { return Ok(None) };
        let witness = Script { statements: prefix.statements.into_iter().chain([call.clone()]).collect() };
        Ok(Some(Shown {
            kind,
            method: self.vocabulary.names.of(&call.callable).to_owned(),
            callable: call.callable,
            alike: Vec::new(),
            threw: Some(threw),
            fields,
            behavior: behavior.into_iter().map(|(_, _, change)| change).collect(),
            script,
            run,
            witness,
        }))
    }

    /// Drops statements of a candidate while its last call still throws and changes fields.
    fn shorter(&mut self, candidate: &ThrownChange) -> Result<Script, S::Error> {
        let mut script = tidy(&candidate.script, &self.vocabulary);
        for _ in 0..3 {
            let last = script.statements.len().saturating_sub(1);
            let candidates: Vec<Script> = (0..last)
                .rev()
                .map(|at| adit_trace::edit::remove(&script, at))
                .filter(|smaller| {
                    let same = |one: &Statement, other: &Statement| one.callable == other.callable;
                    let ends = smaller.statements.last().zip(script.statements.last());
                    ends.is_some_and(|(one, other)| same(one, other))
                })
                .collect();
            let runs = self.run(&candidates)?;
            let does = |(smaller, run): &(Script, Run)| self.thrown_in(smaller, run).is_some();
            let found = candidates.into_iter().zip(runs).find(does);
            match found {
                Some((smaller, _)) => script = smaller,
                None => break,
            }
        }
        Ok(script)
    }

    /// The exception of the last call and the fields that it changed, if all runs agree about them.
    fn thrown_fields(&self, script: &Script, runs: &[Run]) -> Option<(Thrown, Vec<Change>)> {
        let mut told = runs.iter().map(|run| self.thrown_in(script, run));
        let first = told.next()??;
        told.all(|other| other.is_some_and(|(thrown, fields)| thrown.0 == first.0.0 && fields == first.1))
            .then_some(first)
    }

    fn thrown_in(&self, script: &Script, run: &Run) -> Option<(Thrown, Vec<Change>)> {
        let last = script.statements.len().checked_sub(1)?;
        let StepResult::Threw { class, message, exhausted: false } = &run.steps.get(last)?.result else {
            return None;
        };
        let trace = self.reader.read(script, run).into_iter().find(|trace| trace.threw == Some(last))?;
        let fields = |at: usize| run.steps[at].fields.as_ref();
        let (before, after) = (fields(*trace.statements.last()?)?, fields(last)?);
        let change = |(name, before, after): (&str, &Value, &Value)| Change {
            name: name.to_owned(),
            before: in_java(before),
            after: in_java(after),
        };
        let changed: Vec<Change> = changes(before, after).map(change).collect();
        (!changed.is_empty()).then(|| ((class.to_string(), message.clone()), changed))
    }

    /// The calls that are made on an object to learn what it answers: all without parameters, and those that
    /// the script itself makes.
    fn questions(&self, prefix: &Script, object: usize) -> Vec<Statement> {
        let methods = self.vocabulary.methods.iter();
        let plain = methods.filter(|method| method.parameters.is_empty()).map(|method| Statement {
            callable: method.clone(),
            receiver: Some(object),
            args: Vec::new(),
        });
        let made =
            prefix.statements.iter().filter(|one| one.receiver == Some(object) && !one.args.is_empty());
        let mut all: Vec<Statement> = Vec::new();
        for question in plain.chain(made.cloned()) {
            if !self.hanging.contains(question.callable.event_name()) && !all.contains(&question) {
                all.push(question);
            }
        }
        // The answers of calls without side effects come first, because a test can ask them before and after.
        all.sort_by_key(|question| !self.is_pure(&question.callable));
        all
    }

    fn is_pure(&self, callable: &Callable) -> bool {
        let name = self.vocabulary.names.of(callable);
        self.pure.iter().any(|label| Label::parse(label).method() == name)
    }

    /// Asks every question of an object without some calls and after them, and returns those that are
    /// answered differently: at most a few, calls without side effects first.
    fn answers(
        &mut self,
        prefix: &Script,
        calls: &[Statement],
        questions: &[Statement],
    ) -> Result<Vec<(Statement, bool, Change)>, S::Error> {
        let mut batch = Vec::new();
        for question in questions {
            let without = with(prefix, &[], question);
            let after = with(prefix, calls, question);
            batch.extend([without.clone(), without, after.clone(), after]);
        }
        let runs = self.run(&batch)?;
        let mut found = Vec::new();
        for ((question, scripts), runs) in questions.iter().zip(batch.chunks(4)).zip(runs.chunks(4)) {
            let answer = |at: usize| {
                let run: &Run = &runs[at];
                let last = scripts[at].statements.len() - 1;
                Answer::of(&run.steps.get(last).filter(|_| run.end == End::Complete)?.result)
            };
            let [Some(one), Some(again), Some(after), Some(again_after)] = [0, 1, 2, 3].map(answer) else {
                continue;
            };
            if one != again || after != again_after || one == after {
                continue;
            }
            let name = self.vocabulary.names.of(&question.callable).to_owned();
            let change = Change { name, before: one.to_string(), after: after.to_string() };
            found.push((question.clone(), self.is_pure(&question.callable), change));
            if found.len() == MAX_ANSWERS {
                break;
            }
        }
        Ok(found)
    }

    /// Runs a test twice, and returns what came out alike.
    fn agreed(&mut self, script: Script) -> Result<Option<(Script, Run)>, S::Error> {
        let runs = self.run(&[script.clone(), script.clone()])?;
        let [run, again] = &runs[..] else { return Ok(None) };
        if !run.was_run() || run.end != End::Complete || again.end != End::Complete {
            return Ok(None);
        }
        Ok(Some((script, adit_java::source::agreed(run, again))))
    }

    /// Scripts that lead to objects in different situations, the shortest first, each with its object.
    fn objects(&self, tests: &[(Script, Run)]) -> Vec<(Script, usize)> {
        let mut seen: BTreeSet<Vec<adit_trace::Letter>> = BTreeSet::new();
        let mut found: Vec<(Script, usize)> = Vec::new();
        for (script, run) in tests.iter().filter(|(_, run)| run.end == End::Complete) {
            for trace in self.reader.read(script, run) {
                for length in 1..=trace.word.len() {
                    if seen.insert(trace.word[..length].to_vec()) {
                        found.push((cut(script, trace.statements[length - 1] + 1), trace.object));
                    }
                }
            }
        }
        found.sort_by_key(|(script, _)| script.statements.len());
        found.truncate(OBJECTS);
        found
    }

    /// `equals` that throws, or breaks its contract in the plainest ways.
    fn equality(&mut self, objects: &[(Script, usize)]) -> Result<Vec<Shown>, S::Error> {
        let callable = Arc::new(Callable {
            signature: "(Ljava/lang/Object;)Z".to_owned(),
            parameters: vec![ValueKind::Object],
            answer: ValueKind::Bool,
            ..Callable::new(CallKind::Method, "java.lang.Object", "equals")
        });
        let ask = |object: usize, argument: Argument| Statement {
            callable: callable.clone(),
            receiver: Some(object),
            args: vec![argument],
        };
        let mut tries = Vec::new();
        for (prefix, object) in objects {
            for (name, argument, expected) in [
                ("equals(null)", Argument::Null, Some(false)),
                ("equals(this)", Argument::Earlier(*object), Some(true)),
                ("equals(\"\")", Argument::Text(String::new()), None),
            ] {
                tries.push((name, expected, with(prefix, &[], &ask(*object, argument))));
            }
        }
        let scripts: Vec<Script> = tries.iter().map(|(_, _, script)| script.clone()).collect();
        let runs = self.run(&scripts)?;
        let mut found: Vec<Shown> = Vec::new();
        for ((name, expected, script), run) in tries.into_iter().zip(runs) {
            let is_known = found.iter().any(|shown| shown.method == name);
            let Some(answer) = run.steps.get(script.statements.len() - 1).filter(|_| !is_known) else {
                continue;
            };
            let (threw, behavior) = match &answer.result {
                StepResult::Threw { class, message, exhausted: false } => {
                    (Some((class.to_string(), message.clone())), Vec::new())
                }
                StepResult::Returned(Value::Bool(answer))
                    if expected.is_some_and(|right| right != *answer) =>
                {
                    let [before, after] = [!answer, *answer].map(|answer| answer.to_string());
                    (None, vec![Change { name: name.to_owned(), before, after }])
                }
                _ => continue,
            };
            let Some((script, run)) = self.agreed(script)? else { continue };
            found.push(Shown {
                kind: FindingKind::EqualsBroken,
                callable: callable.clone(),
                method: name.to_owned(),
                alike: Vec::new(),
                threw,
                fields: Vec::new(),
                behavior,
                witness: script.clone(),
                script,
                run,
            });
        }
        Ok(found)
    }

    /// Methods that only ask, by their names, and change what others answer.
    fn observers(&mut self, objects: &[(Script, usize)]) -> Result<Vec<Shown>, S::Error> {
        let methods = self.vocabulary.methods.iter().filter(|method| {
            promises_to_ask(method)
                && !self.hanging.contains(method.event_name())
                // The search found no effect of it.
                && !self.is_pure(method)
        });
        let methods: Vec<Arc<Callable>> = methods.cloned().collect();
        let mut found = Vec::new();
        for method in methods {
            for (prefix, object) in objects {
                let call = Statement { callable: method.clone(), receiver: Some(*object), args: Vec::new() };
                let mut questions = self.questions(prefix, *object);
                questions.retain(|question| question.args.is_empty() && promises_to_ask(&question.callable));
                let behavior = self.answers(prefix, std::slice::from_ref(&call), &questions)?;
                // That the second answer differs from the first is what iterators and counters do.
                if behavior.iter().all(|(question, ..)| question.callable == method) {
                    continue;
                }
                let test = test_script(prefix, &call, &behavior);
                let Some((script, run)) = self.agreed(test)? else { continue };
                found.push(Shown {
                    kind: FindingKind::ObserverChanges,
                    method: self.vocabulary.names.of(&method).to_owned(),
                    callable: method.clone(),
                    alike: Vec::new(),
                    threw: None,
                    fields: Vec::new(),
                    behavior: behavior.into_iter().map(|(_, _, change)| change).collect(),
                    script,
                    run,
                    witness: with(prefix, &[], &call),
                });
                break;
            }
        }
        Ok(found)
    }

    /// Calls that had another result in a new machine, after the same calls.
    fn unsteady(&mut self, tests: &[(Script, Run)], agreed: &[Run]) -> Result<Vec<Shown>, S::Error> {
        // A result that did not come out alike was left open.
        let differs = |(test, agreed): &(&(Script, Run), &Run)| {
            let steps = test.1.steps.iter().zip(&agreed.steps);
            { steps }.any(|(one, other)| one.result != other.result)
        };
        let differing = tests.iter().zip(agreed).filter(differs);
        let scripts: Vec<Script> = differing.take(OBJECTS).map(|((script, _), _)| script.clone()).collect();
        if scripts.is_empty() {
            return Ok(Vec::new());
        }
        let first = self.run(&scripts)?;
        self.subject.renew();
        let again = self.run(&scripts)?;
        let mut found: Vec<Shown> = Vec::new();
        for (script, (one_run, other_run)) in scripts.iter().zip(first.iter().zip(&again)) {
            let steps = one_run.steps.iter().zip(&other_run.steps).zip(&script.statements).enumerate();
            // Only the first difference: what follows may differ because of it.
            let differs = { steps }.find_map(|(at, ((one, other), statement))| {
                let answer = |step: &Step| Answer::of(&step.result);
                let (one, other) = (answer(one)?, answer(other)?);
                (one != other).then_some((at, one, other, statement))
            });
            let Some((at, one, other, statement)) = differs else { continue };
            let is_method = self.vocabulary.methods.contains(&statement.callable);
            let method = self.vocabulary.names.of(&statement.callable).to_owned();
            if !is_method || found.iter().any(|shown| shown.method == method) {
                continue;
            }
            let change = Change { name: method.clone(), before: one.to_string(), after: other.to_string() };
            let script = cut(script, at + 1);
            let mut run = adit_java::source::agreed(one_run, other_run);
            run.steps.truncate(at + 1);
            found.push(Shown {
                kind: FindingKind::ResultsDiffer,
                callable: statement.callable.clone(),
                method,
                alike: Vec::new(),
                threw: None,
                fields: Vec::new(),
                behavior: vec![change],
                witness: script.clone(),
                script,
                run,
            });
        }
        Ok(found)
    }
}

/// Findings that differ in nothing but the method are one finding.
fn one_of_each(all: Vec<Shown>) -> Vec<Shown> {
    let mut kept: Vec<Shown> = Vec::new();
    for shown in all {
        let exception = |one: &Shown| one.threw.as_ref().map(|(class, _)| class.clone());
        let same = |one: &&mut Shown| {
            let changes = if shown.kind.is_visible() { &shown.behavior } else { &shown.fields };
            let theirs = if shown.kind.is_visible() { &one.behavior } else { &one.fields };
            one.kind == shown.kind && exception(one) == exception(&shown) && changes == theirs
        };
        let is_of_method = matches!(shown.kind, FindingKind::EqualsBroken | FindingKind::ResultsDiffer);
        match kept.iter_mut().find(same).filter(|_| !is_of_method) {
            Some(known) => known.alike.push(shown.method),
            None => kept.push(shown),
        }
    }
    kept
}

/// Tells whether a method promises by its name that it only asks.
pub(crate) fn promises_to_ask(method: &Callable) -> bool {
    let begins = |prefix: &str| {
        let rest = method.name.strip_prefix(prefix);
        // `getAndSet` promises more than an answer.
        rest.is_some_and(|rest| rest.starts_with(char::is_uppercase) && !rest.starts_with("And"))
    };
    let is_named = ["size", "length", "toString", "hashCode"].contains(&method.name.as_str());
    method.parameters.is_empty()
        && method.answer != ValueKind::Nothing
        && (is_named || ["is", "has", "get"].iter().any(|prefix| begins(prefix)))
}

/// A script with further calls and a question at its end.
fn with(prefix: &Script, calls: &[Statement], question: &Statement) -> Script {
    let all = prefix.statements.iter().chain(calls).chain([question]);
    Script { statements: all.cloned().collect() }
}

/// The script of a test: the answers before, the call, the answers after. If a question has side effects,
/// two objects are made, and the call is made on the second only.
fn test_script(prefix: &Script, call: &Statement, behavior: &[(Statement, bool, Change)]) -> Script {
    let pure: Vec<Statement> =
        behavior.iter().filter(|(_, pure, _)| *pure).map(|(question, ..)| question.clone()).collect();
    let mut statements = prefix.statements.clone();
    if !pure.is_empty() || behavior.is_empty() {
        statements.extend(pure.iter().cloned());
        statements.push(call.clone());
        statements.extend(pure);
        return Script { statements };
    }
    let question = &behavior[0].0;
    statements.push(question.clone());
    let offset = statements.len();
    let moved = |one: &Statement| adit_trace::edit::renumbered(one, &|at| at + offset);
    statements.extend(prefix.statements.iter().chain([call, question]).map(moved));
    Script { statements }
}

#[cfg(test)]
mod tests {
    use adit_trace::{EventNames, Snapshot};
    use expect_test::expect;

    use super::*;
    use crate::findings::ThrownChanges;

    /// A stack that counts down before it notices that it is empty. It has no other memory.
    struct Stack;

    fn callable(name: &str) -> Arc<Callable> {
        let kind = if name == "Stack" { CallKind::Constructor } else { CallKind::Method };
        let answer = if name == "size" { ValueKind::Int } else { ValueKind::Nothing };
        Arc::new(Callable { answer, ..Callable::new(kind, "Stack", name) })
    }

    impl Subject for Stack {
        type Error = ();

        fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, ()> {
            let names: Arc<[String]> = Arc::new(["count".to_owned()]);
            let run = |script: &Script| {
                // The count of each object, by its statement.
                let mut counts: BTreeMap<usize, i64> = BTreeMap::new();
                let steps = script.statements.iter().enumerate().map(|(at, statement)| {
                    let object = statement.receiver.unwrap_or(at);
                    let count = counts.entry(object).or_default();
                    let result = match statement.callable.name.as_str() {
                        "Stack" => StepResult::Object { class: "Stack".into(), first: at },
                        "size" => StepResult::Returned(Value::Int(*count)),
                        "equals" => StepResult::Returned(Value::Bool(statement.args != [Argument::Null])),
                        "push" => {
                            *count += 1;
                            StepResult::Returned(Value::Void)
                        }
                        _ => {
                            *count -= 1;
                            if *count < 0 {
                                StepResult::threw("a.Empty")
                            } else {
                                StepResult::Returned(Value::Void)
                            }
                        }
                    };
                    let fields = Some(Snapshot::new(names.clone(), vec![Value::Int(*count)]));
                    Step { fields, ..Step::new(result) }
                });
                Run { steps: steps.collect(), end: End::Complete, leaked: false, passed: None }
            };
            Ok(batch.iter().map(run).collect())
        }
    }

    fn script(calls: &str) -> Script {
        let call = |(at, name): (usize, &str)| Statement {
            callable: callable(name),
            receiver: (at > 0).then_some(0),
            args: Vec::new(),
        };
        Script { statements: calls.split_whitespace().enumerate().map(call).collect() }
    }

    fn check(pure: &[&str], expected: expect_test::Expect) {
        let vocabulary = Vocabulary {
            class: "Stack".into(),
            starts: vec![callable("Stack")],
            methods: ["push", "pop", "size"].map(callable).into(),
            names: EventNames::default(),
        };
        let (reader, noted) = (EventReader::new(&vocabulary), ThrownChanges::default());
        // The longer script shows the same; its first calls are not needed.
        for calls in ["Stack size push pop pop", "Stack push pop pop"] {
            let script = script(calls);
            let runs = Stack.run(std::slice::from_ref(&script)).unwrap();
            reader.read(&script, &runs[0]).iter().for_each(|trace| noted.note(&script, &runs[0], trace));
        }
        let pure: BTreeSet<String> = pure.iter().map(|&label| label.to_owned()).collect();
        let mut stack = Stack;
        let mut experiments = Experiments::new(&mut stack, vocabulary, &reader, &pure, |_| false);
        let tests = [(script("Stack"), Stack.run(&[script("Stack")]).unwrap().remove(0))];
        let agreed = [tests[0].1.clone()];
        let found = experiments.find(&noted.all(), &tests, &agreed).unwrap();
        let told: String = found
            .iter()
            .map(|shown| {
                let calls = |script: &Script| {
                    let names = script.statements.iter().map(|one| one.callable.name.clone());
                    names.collect::<Vec<_>>().join(" ")
                };
                let changes: Vec<String> =
                    shown.fields.iter().chain(&shown.behavior).map(Change::to_string).collect();
                format!(
                    "{:?} {}: {}; by {}\n",
                    shown.kind,
                    shown.method,
                    changes.join(", "),
                    calls(&shown.script)
                )
            })
            .collect();
        expected.assert_eq(&told);
    }

    #[test]
    fn a_call_that_threw_and_changed_the_object_is_shown_by_what_others_answer() {
        check(
            &["size"],
            expect![[r#"
                ThrewAndChanged pop: count 0 → -1, size 0 → -1; by Stack push pop size pop size
            "#]],
        );
        // Without a question that has no side effect, two objects are compared.
        check(
            &[],
            expect![[r#"
                ThrewAndChanged pop: count 0 → -1, size 0 → -1; by Stack push pop size Stack push pop pop size
            "#]],
        );
    }
}
