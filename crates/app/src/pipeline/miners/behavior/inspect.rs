//! Scripts with inspectors behind every call, and their runs as those of the scripts without, with the
//! answers as fields of the objects.

use std::collections::BTreeSet;
use std::sync::Arc;

use adit_trace::{
    Argument, CallKind, Callable, Run, Script, Snapshot, Statement, Step, StepResult, Value, ValueKind,
    Vocabulary,
};

/// Inspectors, and the class whose objects they are asked about.
pub(super) struct Inspection {
    inspectors: Vec<Arc<Callable>>,
    vocabulary: Vocabulary,
    /// Asks for the name of a constant of an enumeration.
    constant_name: Arc<Callable>,
    /// Inspectors whose answers are asked for their names.
    named: BTreeSet<usize>,
}

/// The purpose of a statement in a script with inspectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is the statement with this number in the script without.
    Own(usize),
    /// It asks about the object after the last own statement.
    Asks(usize),
    /// It asks for the name of the constant that the inspector returned.
    Names(usize),
}

impl Inspection {
    /// Asks all answers that are objects for their names, until [`keep_constants`](Self::keep_constants).
    pub(super) fn new(inspectors: Vec<Arc<Callable>>, vocabulary: Vocabulary) -> Self {
        let constant_name = Arc::new(Callable {
            signature: "()Ljava/lang/String;".to_owned(),
            answer: ValueKind::Text,
            ..Callable::new(CallKind::Method, "java.lang.Enum", "name")
        });
        let is_object = |number: &usize| inspectors[*number].answer == ValueKind::Object;
        let named = (0..inspectors.len()).filter(is_object).collect();
        Self { inspectors, vocabulary, constant_name, named }
    }

    /// Names of the answers that are asked for their names.
    pub(super) fn constants(&self) -> BTreeSet<String> {
        self.named.iter().map(|inspector| field(&self.inspectors[*inspector])).collect()
    }

    /// Asks only those answers for their names that had one in a run of these scripts.
    pub(super) fn keep_constants(&mut self, scripts: &[Script], runs: &[Run]) {
        let mut kept = BTreeSet::new();
        for (script, run) in scripts.iter().zip(runs) {
            let (_, roles) = self.inspected(script);
            for (step, role) in run.steps.iter().zip(roles) {
                if let (Role::Names(inspector), StepResult::Returned(_)) = (role, &step.result) {
                    kept.insert(inspector);
                }
            }
        }
        self.named = kept;
    }

    /// The script with all inspectors behind every call on an object of the class, and the purpose of each of
    /// its statements.
    pub(super) fn inspected(&self, script: &Script) -> (Script, Vec<Role>) {
        let (mut statements, mut roles) = (Vec::new(), Vec::new());
        let mut places: Vec<usize> = Vec::with_capacity(script.statements.len());
        for (number, statement) in script.statements.iter().enumerate() {
            let place = statements.len();
            places.push(place);
            statements.push(Statement {
                callable: statement.callable.clone(),
                receiver: statement.receiver.map(|receiver| places[receiver]),
                args: statement.args.iter().map(|argument| moved(argument, &places)).collect(),
            });
            roles.push(Role::Own(number));
            if !self.vocabulary.concerns(&statement.callable) {
                continue;
            }
            let object = statement.receiver.map_or(place, |receiver| places[receiver]);
            for (number, inspector) in self.inspectors.iter().enumerate() {
                let asked = statements.len();
                statements.push(call(inspector, object));
                roles.push(Role::Asks(number));
                if self.named.contains(&number) {
                    statements.push(call(&self.constant_name, asked));
                    roles.push(Role::Names(number));
                }
            }
        }
        (Script { statements }, roles)
    }

    /// The run of a script with inspectors as one of the script without.
    pub(super) fn read(&self, script: &Script, run: &Run) -> Run {
        let (_, roles) = self.inspected(script);
        let own_of = |place: usize| match roles.get(place) {
            Some(Role::Own(number)) => Some(*number),
            _ => None,
        };
        let mut steps: Vec<Step> = Vec::new();
        let mut answers: Vec<(String, Value)> = Vec::new();
        for (step, role) in run.steps.iter().zip(&roles) {
            match role {
                Role::Own(number) => {
                    add_answers(&mut steps, &mut answers);
                    let mut step = step.clone();
                    if let StepResult::Object { first, .. } = &mut step.result {
                        // An object that an inspector showed first is new to the script without.
                        *first = own_of(*first).unwrap_or(*number);
                    }
                    steps.push(step);
                }
                Role::Asks(inspector) => {
                    let name = field(&self.inspectors[*inspector]);
                    match &step.result {
                        StepResult::Returned(value) => answers.push((name, value.clone())),
                        StepResult::Object { class, .. } => {
                            answers.push((name, Value::Text(class.to_string())));
                        }
                        // An exception is no answer.
                        StepResult::Threw { .. } | StepResult::Unresolved { .. } | StepResult::Skipped(_) => {
                        }
                    }
                }
                Role::Names(_) => {
                    if let StepResult::Returned(Value::Text(constant)) = &step.result
                        && let Some((_, value)) = answers.last_mut()
                    {
                        *value = Value::Text(constant.clone());
                    }
                }
            }
        }
        add_answers(&mut steps, &mut answers);
        Run { steps, end: run.end.clone(), leaked: run.leaked, passed: None }
    }
}

/// Name of an inspector's answer among the fields of an object.
fn field(inspector: &Callable) -> String {
    format!("{}()", inspector.name)
}

fn call(callable: &Arc<Callable>, object: usize) -> Statement {
    Statement { callable: callable.clone(), receiver: Some(object), args: Vec::new() }
}

/// The argument of a statement that has moved.
fn moved(argument: &Argument, places: &[usize]) -> Argument {
    match argument {
        Argument::Earlier(number) => Argument::Earlier(places[*number]),
        Argument::Array(elements) => {
            Argument::Array(elements.iter().map(|element| moved(element, places)).collect())
        }
        Argument::Function(answer) => Argument::Function(Box::new(moved(answer, places))),
        other => other.clone(),
    }
}

/// Adds answers to the fields after the last step.
fn add_answers(steps: &mut [Step], answers: &mut Vec<(String, Value)>) {
    let answers = std::mem::take(answers);
    let Some(last) = steps.last_mut().filter(|_| !answers.is_empty()) else { return };
    let mut state = last.fields.as_ref().map(Snapshot::to_state).unwrap_or_default();
    state.extend(answers);
    let (names, values): (Vec<String>, Vec<Value>) = state.into_iter().unzip();
    last.fields = Some(Snapshot::new(names.into(), values));
}

#[cfg(test)]
mod tests {
    use adit_trace::{End, EventNames};

    use super::*;

    fn method(name: &str, answer: ValueKind) -> Arc<Callable> {
        Arc::new(Callable { answer, ..Callable::new(CallKind::Method, "Order", name) })
    }

    #[test]
    fn answers_become_fields_and_nothing_else_changes() {
        let start = Arc::new(Callable::new(CallKind::Constructor, "Order", "Order"));
        let (pay, empty, status) = (
            method("pay", ValueKind::Object),
            method("isEmpty", ValueKind::Bool),
            method("status", ValueKind::Object),
        );
        let vocabulary = Vocabulary {
            class: "Order".into(),
            starts: vec![start.clone()],
            methods: vec![pay.clone()],
            names: EventNames::default(),
        };
        let inspection = Inspection::new(vec![empty, status], vocabulary);
        assert_eq!(inspection.constants(), ["status()".to_owned()].into());
        let script = Script {
            statements: vec![
                Statement { callable: start, receiver: None, args: Vec::new() },
                Statement { callable: pay, receiver: Some(0), args: vec![Argument::Earlier(0)] },
            ],
        };
        let (inspected, roles) = inspection.inspected(&script);
        let asks = [Role::Asks(0), Role::Asks(1), Role::Names(1)];
        assert_eq!(roles, [&[Role::Own(0)][..], &asks, &[Role::Own(1)], &asks].concat());
        let receivers: Vec<Option<usize>> =
            inspected.statements.iter().map(|statement| statement.receiver).collect();
        assert_eq!(receivers, [None, Some(0), Some(0), Some(2), Some(0), Some(0), Some(0), Some(6)]);
        assert_eq!(inspected.statements[4].args, [Argument::Earlier(0)]);

        let object = |first| Step::new(StepResult::Object { class: "X".into(), first });
        let returned = |value| Step::new(StepResult::Returned(value));
        let answered = |empty: bool, constant: &str| {
            [returned(Value::Bool(empty)), object(2), returned(Value::Text(constant.to_owned()))]
        };
        let steps = [&[object(0)][..], &answered(true, "NEW"), &[object(2)], &answered(false, "PAID")];
        let run = Run { steps: steps.concat(), end: End::Complete, leaked: false, passed: None };
        let read = inspection.read(&script, &run);
        assert_eq!(read.steps.len(), 2);
        // The status that an inspector had shown before is the answer of `pay`, and new to the script.
        assert_eq!(read.steps[1].result, StepResult::Object { class: "X".into(), first: 1 });
        let state = read.steps[1].fields.as_ref().unwrap().to_state();
        assert_eq!(state["isEmpty()"], Value::Bool(false));
        assert_eq!(state["status()"], Value::Text("PAID".to_owned()));

        let mut inspection = inspection;
        inspection.keep_constants(std::slice::from_ref(&script), std::slice::from_ref(&run));
        assert_eq!(inspection.named, [1].into(), "its answers have names");
        let no_constant = Step::new(StepResult::Skipped(adit_trace::Skip::WrongType));
        let steps = [&[object(0)][..], &[returned(Value::Null), object(2), no_constant]].concat();
        let run = Run { steps, end: End::Complete, leaked: false, passed: None };
        inspection.keep_constants(std::slice::from_ref(&script), &[run]);
        assert!(inspection.constants().is_empty());
        assert_eq!(inspection.inspected(&script).0.statements.len(), 6);
    }
}
