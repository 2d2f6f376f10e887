//! A world of bounded stacks: objects with fields that count, grow, and can be put into each other.

use std::convert::Infallible;
use std::sync::Arc;

use adit_attack::EventReader;
use adit_trace::{
    Argument, CallKind, Callable, End, EventNames, Run, Script, Skip, Snapshot, Statement, Step, StepResult,
    Subject, Value, ValueKind, Vocabulary,
};

use crate::author::RandomAuthor;

/// The calls on a stack, all of them or only some.
pub(crate) fn vocabulary(only: Option<&[&str]>) -> Vocabulary {
    use ValueKind::{Bool, Int, Nothing, Object};
    let callable = |kind, name, parameters: &[ValueKind], answer| {
        let parameters = parameters.to_vec();
        Arc::new(Callable { parameters, answer, ..Callable::new(kind, "Stack", name) })
    };
    let method =
        |name, parameters: &[ValueKind], answer| callable(CallKind::Method, name, parameters, answer);
    let mut methods = vec![
        method("push", &[Object], Nothing),
        method("pop", &[], Object),
        method("isEmpty", &[], Bool),
        method("size", &[], Int),
        method("now", &[], Int),
        method("same", &[Object], Bool),
    ];
    methods.retain(|method| only.is_none_or(|only| only.contains(&method.name.as_str())));
    let starts = vec![callable(CallKind::Constructor, "Stack", &[Int], Object)];
    Vocabulary { class: "Stack".into(), starts, methods, names: EventNames::default() }
}

/// A reader of the events of stacks, and an author of scripts for them.
pub(crate) fn tools(only: Option<&[&str]>) -> (EventReader, RandomAuthor) {
    let vocabulary = vocabulary(only);
    (EventReader::new(&vocabulary), RandomAuthor::new(&vocabulary))
}

/// The same, for stacks that are never full.
pub(crate) fn roomy_tools(only: &[&str]) -> (EventReader, RandomAuthor) {
    let (reader, author) = tools(Some(only));
    (reader, author.with_numbers(&[-1, 50, 100]))
}

/// Runs scripts that call stacks.
#[derive(Default)]
pub(crate) struct StackWorld {
    /// Runs a clock that no two calls see alike.
    clock: i64,
}

#[derive(Clone)]
enum Slot {
    Nothing,
    Stack(usize),
    Number(i64),
    /// A text or a number that was pushed, as it is shown.
    Thing(String),
}

struct Stack {
    first: usize,
    capacity: usize,
    elements: Vec<Slot>,
    seen: i64,
}

impl Subject for StackWorld {
    type Error = Infallible;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
        Ok(batch.iter().map(|script| self.one(script)).collect())
    }
}

impl StackWorld {
    fn one(&mut self, script: &Script) -> Run {
        let (mut slots, mut stacks, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        for (at, statement) in script.statements.iter().enumerate() {
            let (result, slot, of) = self.statement(at, statement, &slots, &mut stacks);
            slots.push(slot);
            let fields = of.map(|stack: usize| snapshot(&stacks[stack]));
            steps.push(Step { fields, ..Step::new(result) });
        }
        Run { steps, end: End::Complete, leaked: false, passed: None }
    }

    fn statement(
        &mut self,
        at: usize,
        statement: &Statement,
        slots: &[Slot],
        stacks: &mut Vec<Stack>,
    ) -> (StepResult, Slot, Option<usize>) {
        let threw = |class: &str| StepResult::threw(class);
        if statement.callable.kind == CallKind::Constructor {
            let capacity = match statement.args[0] {
                Argument::Int(capacity) => capacity,
                Argument::Earlier(at) => match slots[at] {
                    Slot::Number(capacity) => capacity,
                    _ => return (StepResult::Skipped(Skip::NoArgument), Slot::Nothing, None),
                },
                _ => panic!("a capacity is a number"),
            };
            let Ok(capacity) = usize::try_from(capacity) else {
                return (threw("NegativeCapacity"), Slot::Nothing, None);
            };
            stacks.push(Stack { first: at, capacity, elements: Vec::new(), seen: 0 });
            let made = stacks.len() - 1;
            return (StepResult::Object { class: "Stack".into(), first: at }, Slot::Stack(made), Some(made));
        }
        let Some(Slot::Stack(receiver)) = statement.receiver.map(|at| &slots[at]) else {
            return (StepResult::Skipped(Skip::NoReceiver), Slot::Nothing, None);
        };
        let receiver = *receiver;
        let argument = match statement.args.first() {
            Some(Argument::Earlier(at)) => Some(slots[*at].clone()),
            Some(Argument::Null) => None,
            Some(other) => Some(Slot::Thing(format!("{other:?}"))),
            None => None,
        };
        if matches!(argument, Some(Slot::Nothing)) {
            return (StepResult::Skipped(Skip::NoArgument), Slot::Nothing, None);
        }
        let stack = &mut stacks[receiver];
        let mut slot = Slot::Nothing;
        let result = match &*statement.callable.name {
            "push" if stack.elements.len() >= stack.capacity => threw("Full"),
            "push" => {
                stack.elements.push(argument.unwrap_or(Slot::Nothing));
                StepResult::Returned(Value::Void)
            }
            "pop" => match stack.elements.pop() {
                None => threw("Empty"),
                Some(Slot::Thing(text)) => {
                    slot = Slot::Thing(text.clone());
                    StepResult::Returned(Value::Text(text))
                }
                Some(Slot::Nothing) => StepResult::Returned(Value::Null),
                Some(Slot::Number(number)) => StepResult::Returned(Value::Int(number)),
                Some(Slot::Stack(other)) => {
                    slot = Slot::Stack(other);
                    StepResult::Object { class: "Stack".into(), first: stacks[other].first }
                }
            },
            "isEmpty" => StepResult::Returned(Value::Bool(stack.elements.is_empty())),
            "size" => {
                stack.seen += 1;
                slot = Slot::Number(stack.elements.len() as i64);
                StepResult::Returned(Value::Int(stack.elements.len() as i64))
            }
            "now" => {
                self.clock += 1;
                StepResult::Returned(Value::Int(self.clock))
            }
            "same" => match argument {
                Some(Slot::Stack(other)) => {
                    let same = stacks[other].elements.len() == stacks[receiver].elements.len();
                    StepResult::Returned(Value::Bool(same))
                }
                _ => threw("NotAStack"),
            },
            other => panic!("{other} is no method of the stack"),
        };
        (result, slot, Some(receiver))
    }
}

fn snapshot(stack: &Stack) -> Snapshot {
    let names: Arc<[String]> = ["top".to_owned(), "seen".to_owned()].into();
    Snapshot::new(names, vec![Value::Int(stack.elements.len() as i64), Value::Int(stack.seen)])
}
