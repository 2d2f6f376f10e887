//! The class `small.Stack`, imitated: a subject without a virtual machine.

use std::convert::Infallible;
use std::sync::Arc;

use adit_trace::{
    Argument, CallKind, End, Run, Script, Skip, Snapshot, Statement, Step, StepResult, Subject, Value,
};

/// Runs scripts that call `small.Stack`.
#[derive(Default)]
pub(crate) struct Fake {
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

impl Subject for Fake {
    type Error = Infallible;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
        Ok(batch.iter().map(|script| self.one(script)).collect())
    }
}

impl Fake {
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
            // The machine gives no array of two thousand million elements either.
            let Ok(capacity) = usize::try_from(capacity) else {
                return (threw("java.lang.NegativeArraySizeException"), Slot::Nothing, None);
            };
            stacks.push(Stack { first: at, capacity, elements: Vec::new(), seen: 0 });
            let made = stacks.len() - 1;
            return (
                StepResult::Object { class: "small.Stack".into(), first: at },
                Slot::Stack(made),
                Some(made),
            );
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
            "push" if stack.elements.len() >= stack.capacity => {
                threw("java.lang.ArrayIndexOutOfBoundsException")
            }
            "push" => {
                stack.elements.push(argument.unwrap_or(Slot::Nothing));
                StepResult::Returned(Value::Void)
            }
            "pop" => match stack.elements.pop() {
                None => threw("java.lang.ArrayIndexOutOfBoundsException"),
                Some(Slot::Thing(text)) => {
                    slot = Slot::Thing(text.clone());
                    StepResult::Returned(Value::Text(text))
                }
                Some(Slot::Nothing) => StepResult::Returned(Value::Null),
                Some(Slot::Number(number)) => StepResult::Returned(Value::Int(number)),
                Some(Slot::Stack(other)) => {
                    slot = Slot::Stack(other);
                    StepResult::Object { class: "small.Stack".into(), first: stacks[other].first }
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
                _ => threw("java.lang.NullPointerException"),
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
