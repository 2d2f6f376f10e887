//! One call on one object, for all arguments: a script is executed up to a call, which is then explored with
//! open parameters.
//!
//! The object is as concrete as in the script, so no shape and no invariant is needed; only arguments vary.
//! The interpreter must take the script as the recorded run did. Where it does not, there is no answer.
//!
//! Paper: none; the symbolic execution of a single call of concolic testing.
//! Cost: one execution of the script, and one of the call for each of its paths.

use std::sync::Arc;

use adit_bytecode::{ClassPath, MemberRef, Relation, Signature, Type};
use adit_learn::{Parameter, Role};
use adit_smt::{Arena, Expr, Solver};
use adit_trace::{Argument, CallKind, Callable, Run as RecordedRun, Script, Statement, StepResult, Value};

use crate::domain::{Concrete, Domain, Word};
use crate::explore::explore;
use crate::inputs::{Inputs, type_name};
use crate::link::{Linker, MethodNumber};
use crate::machine::{Completion, Machine, Run};
use crate::operations::{Operation, parameter_names};
use crate::state::{MachineState, OUTSIDE_WORDS, ObjectKind};
use crate::symbolic::{Shadow, Symbolic};
use crate::{InterpreterLimits, Unknown, arithmetic};

/// Executes scripts of one class path.
pub struct Replayer<'p> {
    linker: Linker<'p>,
    machine: Machine<()>,
    limits: InterpreterLimits,
}

/// The objects after some statements of a script.
pub struct ReplayedObjects {
    state: MachineState<()>,
    /// The value of each statement, as far as it has one.
    values: Vec<Option<i64>>,
}

/// All paths of a call, over the variables of its parameters. Their conditions exclude each other and cover
/// all arguments.
#[derive(Clone, Debug)]
pub struct OpenCall {
    /// The parameters. A string has more variables than one, as in summaries.
    pub parameters: Vec<Parameter>,
    /// For each parameter of the method, its type and the index of its first variable.
    pub places: Vec<(Type, usize)>,
    /// The paths.
    pub paths: Vec<CallPath>,
}

/// A path of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPath {
    /// The condition on the parameters.
    pub condition: Expr,
    /// The end of the call, and if it returned that of the question after it.
    pub end: CallEnd,
    /// The end of the question after the call, if there is one and the call returned.
    pub answer: Option<CallEnd>,
}

/// The end of a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallEnd {
    /// It returned; its truth value, if the method has one.
    Returned(Option<bool>),
    /// It threw an exception of this class.
    Threw(String),
    /// It could not be followed.
    Unknown(Unknown),
}

/// The outcome of a run of a call and of the question after it.
type Ends = (CallEnd, Option<CallEnd>);

impl<'p> Replayer<'p> {
    /// Creates a replayer that has read no class yet.
    pub fn new(path: &'p ClassPath, limits: InterpreterLimits) -> Self {
        Self { linker: Linker::new(path), machine: Machine::new(), limits }
    }

    /// The text of a string constant, by the number that tells the content of a parameter.
    pub fn literal(&self, number: i64) -> Option<&str> {
        usize::try_from(number).ok().and_then(|at| self.linker.literals.get(at)).map(|text| &**text)
    }

    /// All string constants, in the order of their numbers.
    pub fn literals(&self) -> Vec<String> {
        self.linker.literals.iter().map(|text| text.to_string()).collect()
    }

    /// Executes the first `count` statements of a script, which must end as in the recorded run.
    pub fn replay(
        &mut self,
        script: &Script,
        run: &RecordedRun,
        count: usize,
    ) -> Result<ReplayedObjects, Unknown> {
        let mut objects = ReplayedObjects { state: MachineState::new(), values: Vec::new() };
        for (statement, step) in script.statements[..count].iter().zip(&run.steps) {
            let value = self.statement(&mut objects, statement)?;
            let agrees = match (&step.result, &value) {
                (StepResult::Returned(recorded), Ok(value)) => agree(&statement.callable, recorded, *value),
                (StepResult::Object { .. }, Ok(value)) => *value != Some(0),
                (StepResult::Threw { class, .. }, Err(thrown)) => **class == **thrown,
                (StepResult::Skipped(_), _) => return Err(differs()),
                _ => false,
            };
            if !agrees {
                return Err(differs());
            }
            objects.values.push(value.ok().flatten());
        }
        if objects.values.len() < count {
            return Err(differs());
        }
        Ok(objects)
    }

    /// Explores a call on `objects` for all arguments. `then` is a call on the same object afterwards, with
    /// the arguments that it has, whose end counts as an answer.
    pub fn open(
        &mut self,
        arena: &mut Arena,
        solver: &mut dyn Solver,
        objects: &ReplayedObjects,
        call: &Statement,
        then: Option<&Statement>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<OpenCall, Unknown> {
        let callable = &call.callable;
        let receiver = self.receiver(objects, call)?;
        let method = self.method(&objects.state, callable, receiver)?;
        let kinds = signature(callable)?.parameters;
        let (_, declared) = self.linker.declaration(method);
        let names = parameter_names(declared);
        let operation = Operation {
            method,
            role: role(callable),
            name: callable.name.clone(),
            parameters: names.into_iter().zip(kinds).collect(),
        };
        // The same variables for every situation of the same call.
        let inputs = Inputs::new(arena, &operation, 0);
        let limits = self.limits;
        let mut machine: Machine<Shadow> = Machine::new();
        let start: MachineState<Shadow> = objects.state.shadowed();
        let leaves = explore(arena, solver, &limits, keep_going, |arena, model| {
            let mut state = start.clone();
            let mut slots: Vec<Word<Shadow>> = receiver.map(Word::plain).into_iter().collect();
            if let Err(reason) = inputs.words(arena, &mut self.linker, &mut state, model, &limits, &mut slots)
            {
                return (Vec::new(), Err(reason));
            }
            let mut domain = Symbolic::new(arena, &limits);
            let run =
                Run { linker: &mut self.linker, state: &mut state, domain: &mut domain, limits: &limits };
            let (object, completion) = match operation.role {
                Role::Constructor => {
                    let (object, completion) = machine.construct(run, method, &slots);
                    (Some(i64::from(object.0)), completion)
                }
                Role::Instance => (receiver, machine.call(run, method, &slots)),
                // A factory gives the object that is asked.
                Role::Static => match machine.call(run, method, &slots) {
                    Completion::Returned(Some(object)) => {
                        (Some(object.bits), Completion::Returned(Some(object)))
                    }
                    other => (None, other),
                },
            };
            let result = self.ends(&mut machine, &mut state, &mut domain, objects, callable, completion, {
                then.zip(object)
            });
            (domain.constraints, result)
        });
        let path = |leaf: crate::explore::Leaf<Ends>| match leaf.result {
            Ok((end, answer)) => CallPath { condition: leaf.condition, end, answer },
            Err(reason) => {
                CallPath { condition: leaf.condition, end: CallEnd::Unknown(reason), answer: None }
            }
        };
        let paths = leaves.into_iter().map(path).collect();
        Ok(OpenCall { parameters: inputs.parameters, places: inputs.places, paths })
    }

    /// The end of a call with a symbolic result, and of the question after it.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of one run")]
    fn ends(
        &mut self,
        machine: &mut Machine<Shadow>,
        state: &mut MachineState<Shadow>,
        domain: &mut Symbolic<'_>,
        objects: &ReplayedObjects,
        callable: &Callable,
        completion: Completion<Shadow>,
        then: Option<(&Statement, i64)>,
    ) -> Result<Ends, Unknown> {
        let end = self.end(domain, callable, completion)?;
        let (CallEnd::Returned(_), Some((question, object))) = (&end, then) else { return Ok((end, None)) };
        let method = self.method(state, &question.callable, Some(object))?;
        let mut slots = vec![Word::plain(object)];
        for (kind, argument) in signature(&question.callable)?.parameters.iter().zip(&question.args) {
            let word = self.argument(state, &objects.values, kind, argument)?;
            slots.push(Word::plain(word));
            slots.extend((kind.slots() == 2).then(|| Word::plain(0)));
        }
        let run = Run { linker: &mut self.linker, state, domain, limits: &self.limits };
        let completion = machine.call(run, method, &slots);
        let answer = self.end(domain, &question.callable, completion)?;
        Ok((end, Some(answer)))
    }

    fn end(
        &self,
        domain: &mut Symbolic<'_>,
        callable: &Callable,
        completion: Completion<Shadow>,
    ) -> Result<CallEnd, Unknown> {
        match completion {
            Completion::Unknown(reason) => Err(reason),
            Completion::Threw(class) => Ok(CallEnd::Threw(self.linker.class_name(class))),
            Completion::Returned(value) => {
                let is_truth = signature(callable)?.result == Some(Type::Boolean);
                let Some(value) = value.filter(|_| is_truth) else { return Ok(CallEnd::Returned(None)) };
                if !Symbolic::is_plain(value.shadow) {
                    domain.decide(Relation::Ne, value, Word::plain(0), value.bits != 0)?;
                }
                Ok(CallEnd::Returned(Some(value.bits != 0)))
            }
        }
    }

    /// Executes one statement. Its value, or the class of the exception that it throws.
    fn statement(
        &mut self,
        objects: &mut ReplayedObjects,
        statement: &Statement,
    ) -> Result<Result<Option<i64>, String>, Unknown> {
        let callable = &statement.callable;
        if callable.kind == CallKind::Constant {
            return self.constant(&mut objects.state, callable).map(|value| Ok(Some(value)));
        }
        let receiver = self.receiver(objects, statement)?;
        let method = self.method(&objects.state, callable, receiver)?;
        let mut slots: Vec<Word<()>> = receiver.map(Word::plain).into_iter().collect();
        for (kind, argument) in signature(callable)?.parameters.iter().zip(&statement.args) {
            let word = self.argument(&mut objects.state, &objects.values, kind, argument)?;
            slots.push(Word::plain(word));
            slots.extend((kind.slots() == 2).then(|| Word::plain(0)));
        }
        let run = Run {
            linker: &mut self.linker,
            state: &mut objects.state,
            domain: &mut Concrete,
            limits: &self.limits,
        };
        let completion = match callable.kind {
            CallKind::Constructor => match self.machine.construct(run, method, &slots) {
                (object, Completion::Returned(_)) => return Ok(Ok(Some(i64::from(object.0)))),
                (_, failed) => failed,
            },
            _ => self.machine.call(run, method, &slots),
        };
        match completion {
            Completion::Returned(value) => Ok(Ok(value.map(|word| word.bits))),
            Completion::Threw(class) => Ok(Err(self.linker.class_name(class))),
            Completion::Unknown(reason) => Err(reason),
        }
    }

    /// The receiver of a call; none if it has no receiver.
    fn receiver(&self, objects: &ReplayedObjects, call: &Statement) -> Result<Option<i64>, Unknown> {
        if call.callable.kind != CallKind::Method {
            return Ok(None);
        }
        let value = call.receiver.and_then(|at| objects.values.get(at).copied().flatten());
        value.filter(|&object| object != 0).map(Some).ok_or_else(differs)
    }

    /// The method that a call runs.
    fn method<S: Copy + Default + PartialEq>(
        &mut self,
        state: &MachineState<S>,
        callable: &Callable,
        receiver: Option<i64>,
    ) -> Result<MethodNumber, Unknown> {
        let owner = callable.owner.replace('.', "/");
        let missing = || Unknown::MissingMember(format!("{}.{}", callable.owner, callable.name).into());
        match callable.kind {
            CallKind::Constructor => {
                let class = self.linker.class(&owner)?;
                self.linker.own_method(class, "<init>", &callable.signature).ok_or_else(missing)
            }
            CallKind::Method => {
                let kind = receiver.and_then(|object| state.object(object)).map(|object| object.kind);
                let class = match kind {
                    Some(ObjectKind::Instance(class)) => class,
                    Some(ObjectKind::Literal(_) | ObjectKind::Text) => {
                        self.linker.class("java/lang/String")?
                    }
                    _ => return Err(Unknown::Outside(format!("`{}`", callable.name).into())),
                };
                let (name, descriptor) = (callable.name.as_str().into(), callable.signature.as_str().into());
                let selector = self.linker.selector(&name, &descriptor);
                self.linker.select(class, selector)
            }
            CallKind::Function => {
                let member = member(&owner, callable);
                self.linker.resolve(&member)
            }
            CallKind::Constant => Err(missing()),
        }
    }

    /// The value of a constant, whose class is initialized first.
    fn constant(&mut self, state: &mut MachineState<()>, callable: &Callable) -> Result<i64, Unknown> {
        let member = member(&callable.owner.replace('.', "/"), callable);
        let (class, number) = self.linker.field(&member, true)?;
        let run = Run { linker: &mut self.linker, state, domain: &mut Concrete, limits: &self.limits };
        match self.machine.initialize(run, class) {
            Completion::Unknown(reason) => Err(reason),
            _ => Ok(state.static_word(number).bits),
        }
    }

    /// An argument as a word of the stack.
    fn argument<S: Copy + Default + PartialEq>(
        &mut self,
        state: &mut MachineState<S>,
        values: &[Option<i64>],
        kind: &Type,
        argument: &Argument,
    ) -> Result<i64, Unknown> {
        Ok(match argument {
            Argument::Null => 0,
            Argument::Earlier(at) => values.get(*at).copied().flatten().ok_or_else(differs)?,
            Argument::Bool(truth) if !kind.is_reference() => i64::from(*truth),
            Argument::Int(number) => match kind {
                Type::Byte => i64::from(*number as i8),
                Type::Short => i64::from(*number as i16),
                Type::Char => i64::from(*number as u16),
                Type::Int => i64::from(*number as i32),
                Type::Long => *number,
                Type::Boolean => number & 1,
                Type::Float => arithmetic::of_float(*number as f32),
                Type::Double => arithmetic::of_double(*number as f64),
                // A box: two that are equal are taken for the same, as the platform does with small ones.
                Type::Class(_) => self.outside(state, kind, number.wrapping_mul(2) | 1),
                Type::Array(_) => return Err(differs()),
            },
            Argument::Float(number) => match kind {
                Type::Float => arithmetic::of_float(*number as f32),
                Type::Double => arithmetic::of_double(*number),
                _ => self.outside(state, kind, (number.to_bits() as i64) | 1),
            },
            Argument::Text(text) => {
                let literal = self.linker.literal(&Arc::from(text.as_str()));
                state.intern(ObjectKind::Literal(literal), &self.limits)?
            }
            Argument::Array(elements) => {
                let Type::Array(element) = kind else { return Err(differs()) };
                let mut words = Vec::new();
                for one in elements {
                    words.push(Word::plain(self.argument(state, values, element, one)?));
                }
                let kind = self.linker.kind(&type_name(kind));
                state.append(ObjectKind::Array(kind), &words)
            }
            Argument::Class(name) => {
                let kind = self.linker.kind(&name.replace('.', "/"));
                state.intern(ObjectKind::Mirror(kind), &self.limits)?
            }
            Argument::Bool(_) | Argument::Function(_) => {
                return Err(Unknown::Outside("a value".into()));
            }
        })
    }

    /// An object about which nothing but its identity is known.
    fn outside<S: Copy + Default + PartialEq>(
        &mut self,
        state: &mut MachineState<S>,
        kind: &Type,
        identity: i64,
    ) -> i64 {
        let kind = self.linker.kind(&type_name(kind));
        let mut words = [Word::plain(0); OUTSIDE_WORDS];
        words[crate::state::IDENTITY] = Word::plain(i64::from(identity as i32 | 1 << 30));
        state.append(ObjectKind::Outside(kind), &words)
    }
}

fn role(callable: &Callable) -> Role {
    match callable.kind {
        CallKind::Constructor => Role::Constructor,
        CallKind::Method => Role::Instance,
        CallKind::Function | CallKind::Constant => Role::Static,
    }
}

fn signature(callable: &Callable) -> Result<Signature, Unknown> {
    Signature::parse(&callable.signature).ok_or_else(differs)
}

fn member(owner: &str, callable: &Callable) -> MemberRef {
    MemberRef {
        class: owner.into(),
        name: callable.name.as_str().into(),
        descriptor: callable.signature.as_str().into(),
        in_interface: false,
    }
}

/// True if a recorded value is that of the interpreter, as far as they can be compared.
fn agree(callable: &Callable, recorded: &Value, value: Option<i64>) -> bool {
    let primitive = Signature::parse(&callable.signature)
        .and_then(|signature| signature.result)
        .filter(|result| !result.is_reference());
    match (recorded, value, primitive) {
        (Value::Void, value, _) => value.is_none(),
        (Value::Null, value, _) => value == Some(0),
        (Value::Bool(truth), Some(value), Some(_)) => i64::from(*truth) == value,
        (Value::Int(number), Some(value), Some(_)) => *number == value,
        // The digits of floating-point numbers are not compared: nothing here is decided by them.
        (Value::Float(_), Some(_), Some(_)) => true,
        (_, Some(value), None) => value != 0,
        _ => false,
    }
}

fn differs() -> Unknown {
    Unknown::Opaque("calls that the interpreter does not make as the machine does".into())
}
