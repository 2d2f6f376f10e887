//! Symbolic summaries of all operations of a component, from its bytecode.
//!
//! Paper: `xpsyco`, section 3.2, symbolic summaries.
//! Deviation: the state is not a fixed set of fields but whatever the constructors allocate. States of equal
//! shape share summaries; which shape a state has is a hidden field if there are several. A number that no
//! call ever changes is a constant, which is found by assuming it of every number and recomputing what
//! depends on one that turns out to change. Numbers that are divided or multiplied and have few values tell
//! shapes apart, too.
//! Cost: for each shape and operation, an exploration of all its paths; at most once more for each number
//! that changes.

use std::collections::{BTreeMap, BTreeSet};

use adit_bytecode::ClassPath;
use adit_learn::{Component, End, Field, Kind, Method, Path, Role};
use adit_smt::{Arena, Binary, Expr, Model, Node, Solver, Sort, Var};

use crate::domain::{Concrete, Word};
use crate::execute::{ConcreteShape, Interpreted};
use crate::explore::explore;
use crate::inputs::{Inputs, assigned, kind_of, stored, view};
use crate::link::{ClassId, Linker};
use crate::machine::{Completion, Machine, Run};
use crate::operations::{Operation, operations};
use crate::shape::{Compact, NumberKind, NumberSlot, Shape, compact};
use crate::state::{MachineState, ObjectNumber};
use crate::symbolic::{Shadow, Symbolic};
use crate::{InterpreterLimits, Unknown};

/// Shapes, numbers and paths of a component that is being summarized.
pub(crate) struct Summarizer<'p> {
    pub(crate) linker: Linker<'p>,
    pub(crate) class: ClassId,
    pub(crate) operations: Vec<Operation>,
    pub(crate) shapes: Vec<ShapeInfo>,
    pub(crate) inputs: Vec<Inputs>,
    arena: Arena,
    numbers: BTreeMap<Key, usize>,
    leaves: BTreeMap<(usize, usize), Vec<Leaf>>,
    machine: Machine<Shadow>,
    limits: InterpreterLimits,
    /// The state before any call.
    before: MachineState<Shadow>,
    /// Names of numbers whose values tell shapes apart.
    split: BTreeSet<String>,
    /// Splitting gives too many shapes.
    split_failed: bool,
    /// Reason that the static initializer has an unknown outcome.
    uninitialized: Option<Unknown>,
}

/// A shape, and the values of the numbers that tell shapes apart.
pub(crate) type Key = (Shape, Vec<i64>);

/// The key of a state, or `None` if a number that tells shapes apart has no known value.
pub(crate) fn key<S: Copy + Default + PartialEq>(
    found: &Compact<S>,
    split: &BTreeSet<String>,
) -> Option<Key> {
    let mut values = Vec::new();
    for slot in found.slots.iter().filter(|slot| split.contains(&slot.name)) {
        let word = found.state.word(slot.address);
        if word.shadow != S::default() {
            return None;
        }
        values.push(word.bits);
    }
    Some((found.shape.clone(), values))
}

/// A shape with one state of it, and what is known about its numbers.
pub(crate) struct ShapeInfo {
    pub(crate) template: MachineState<Shadow>,
    pub(crate) root: ObjectNumber,
    pub(crate) slots: Vec<NumberSlot>,
    pub(crate) status: Vec<Status>,
}

/// Knowledge about a number in all states of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It is always that of the template.
    Constant,
    /// It varies; the variable that stands for it before a call.
    Varies(Var),
    /// It varies, and how is not represented.
    Opaque,
}

/// A path through an operation.
struct Leaf {
    condition: Expr,
    end: LeafEnd,
}

enum LeafEnd {
    /// The shape afterwards, and the words of its numbers.
    Ok(usize, Vec<Word<Shadow>>),
    Error(String),
    Unknown(Unknown),
}

/// Why a class has no summaries at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoComponent {
    /// The class, or something that its structure needs, is missing; or its initializer cannot be followed.
    Unreadable(Unknown),
    /// It has no public constructor and no public static method.
    NothingToCall,
}

impl std::fmt::Display for NoComponent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoComponent::Unreadable(reason) => write!(f, "the class {reason}"),
            NoComponent::NothingToCall => {
                f.write_str("the class has no public constructor, so nobody can begin to use it")
            }
        }
    }
}

/// Summarizes every operation of the class with this internal name. When `keep_going` returns false, paths
/// that were not explored yet are unknown.
pub fn summarize(
    path: &ClassPath,
    class: &str,
    limits: InterpreterLimits,
    solver: &mut dyn Solver,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Component, NoComponent> {
    Ok(summarize_and_interpret(path, class, limits, solver, keep_going)?.0)
}

/// Summarizes every operation like [`summarize`], and returns besides the interpreter of the same operations.
pub fn summarize_and_interpret<'p>(
    path: &'p ClassPath,
    class: &str,
    limits: InterpreterLimits,
    solver: &mut dyn Solver,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<(Component, Interpreted<'p>), NoComponent> {
    let mut summarizer = Summarizer::new(path, class, limits)?;
    summarizer.explore_all(solver, keep_going);
    Ok(summarizer.finish())
}

impl<'p> Summarizer<'p> {
    pub(crate) fn new(
        path: &'p ClassPath,
        class: &str,
        limits: InterpreterLimits,
    ) -> Result<Self, NoComponent> {
        let mut linker = Linker::new(path);
        let class = linker.class(class).map_err(NoComponent::Unreadable)?;
        let operations = operations(&mut linker, class).map_err(NoComponent::Unreadable)?;
        if !operations.iter().any(|one| one.role != Role::Instance) {
            return Err(NoComponent::NothingToCall);
        }
        let mut state: MachineState<()> = MachineState::new();
        let mut machine: Machine<()> = Machine::new();
        let run = Run { linker: &mut linker, state: &mut state, domain: &mut Concrete, limits: &limits };
        // Without its static fields nothing is known of what the class does, which is an answer too.
        let uninitialized = match machine.initialize(run, class) {
            Completion::Unknown(reason) => Some(reason),
            _ => None,
        };
        let mut arena = Arena::new();
        let inputs = operations
            .iter()
            .enumerate()
            .map(|(number, operation)| Inputs::new(&mut arena, operation, number))
            .collect();
        let mut summarizer = Summarizer {
            linker,
            class,
            operations,
            shapes: Vec::new(),
            inputs,
            arena,
            numbers: BTreeMap::new(),
            leaves: BTreeMap::new(),
            machine: Machine::new(),
            limits,
            before: state.shadowed(),
            split: BTreeSet::new(),
            split_failed: false,
            uninitialized,
        };
        summarizer.restart();
        Ok(summarizer)
    }

    /// Forgets all shapes but that before any call.
    fn restart(&mut self) {
        self.shapes.clear();
        self.numbers.clear();
        self.leaves.clear();
        let before = compact(&self.before, &self.linker, ObjectNumber(0));
        self.arrive(before);
    }

    /// Explores everything. Numbers that are multiplied or divided make hard questions for a solver; if
    /// they have few values, it is better to have a shape for each of these.
    pub(crate) fn explore_all(&mut self, solver: &mut dyn Solver, keep_going: &mut dyn FnMut() -> bool) {
        self.explore_shapes(solver, keep_going);
        let names = self.hard_numbers();
        if names.is_empty() || !keep_going() {
            return;
        }
        self.split = names;
        self.restart();
        self.explore_shapes(solver, keep_going);
    }

    /// Names of numbers of the state that occur in products, quotients or remainders.
    fn hard_numbers(&self) -> BTreeSet<String> {
        let mut roots = Vec::new();
        for leaf in self.leaves.values().flatten() {
            roots.push(leaf.condition);
            if let LeafEnd::Ok(_, words) = &leaf.end {
                let expr = |word: &Word<Shadow>| match word.shadow {
                    Shadow::Expr(expr) => Some(expr),
                    _ => None,
                };
                roots.extend(words.iter().filter_map(expr));
            }
        }
        let mut hard: BTreeSet<Var> = BTreeSet::new();
        for part in self.arena.parts(&roots) {
            if matches!(self.arena.node(part), Node::Binary(Binary::Mul | Binary::Div | Binary::Rem, ..)) {
                hard.extend(self.arena.variables(part));
            }
        }
        let slots = self.shapes.iter().flat_map(|info| info.slots.iter().zip(&info.status));
        let is_hard = |status: &Status| matches!(status, Status::Varies(var) if hard.contains(var));
        slots.filter(|(_, status)| is_hard(status)).map(|(slot, _)| slot.name.clone()).collect()
    }

    /// Explores operations in all shapes until nothing is new.
    fn explore_shapes(&mut self, solver: &mut dyn Solver, keep_going: &mut dyn FnMut() -> bool) {
        loop {
            let literals = self.linker.literals.len();
            let mut todo = None;
            'search: for shape in 0..self.shapes.len() {
                for operation in 0..self.operations.len() {
                    if self.applies(shape, operation) && !self.leaves.contains_key(&(shape, operation)) {
                        todo = Some((shape, operation));
                        break 'search;
                    }
                }
            }
            let Some((shape, operation)) = todo else { return };
            let assumed = self.shapes[shape].status.clone();
            let leaves = self.explore_one(shape, operation, solver, keep_going);
            if self.split_failed {
                self.split_failed = false;
                self.split.clear();
                self.restart();
                continue;
            }
            // The operation itself may lead to states that contradict what it was explored under.
            if self.shapes[shape].status == assumed {
                self.leaves.insert((shape, operation), leaves);
            }
            if self.linker.literals.len() > literals && self.has_texts() {
                // A parameter may equal the new constants, too.
                self.leaves.clear();
            }
        }
    }

    /// Constructors are called without an object, methods on one, and methods of the class at any time.
    fn applies(&self, shape: usize, operation: usize) -> bool {
        let exists = self.shapes[shape].root.0 != 0;
        match self.operations[operation].role {
            Role::Constructor => !exists,
            Role::Instance => exists,
            Role::Static => true,
        }
    }

    fn has_texts(&self) -> bool {
        let mut parameters = self.operations.iter().flat_map(|operation| &operation.parameters);
        parameters.any(|(_, kind)| kind.descriptor() == "Ljava/lang/String;")
    }

    fn explore_one(
        &mut self,
        shape: usize,
        operation: usize,
        solver: &mut dyn Solver,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Vec<Leaf> {
        let mut arena = std::mem::take(&mut self.arena);
        let limits = self.limits;
        let found = explore(&mut arena, solver, &limits, keep_going, |arena, model| {
            self.execute(arena, shape, operation, model)
        });
        self.arena = arena;
        let mut leaves = Vec::new();
        for leaf in found {
            let end = match leaf.result {
                Err(reason) => LeafEnd::Unknown(reason),
                Ok(Ending::Threw(class)) => LeafEnd::Error(class),
                Ok(Ending::Returned(after)) => {
                    let words: Vec<Word<Shadow>> =
                        after.slots.iter().map(|slot| after.state.word(slot.address)).collect();
                    match self.arrive(*after) {
                        Some(shape) => LeafEnd::Ok(shape, words),
                        None => LeafEnd::Unknown(Unknown::ShapeLimit),
                    }
                }
            };
            leaves.push(Leaf { condition: leaf.condition, end });
        }
        leaves
    }

    /// Runs an operation on a state of this shape with the values of `model`.
    fn execute(
        &mut self,
        arena: &mut Arena,
        shape: usize,
        operation: usize,
        model: &Model,
    ) -> (Vec<Expr>, Result<Ending, Unknown>) {
        if let Some(reason) = &self.uninitialized {
            return (Vec::new(), Err(reason.clone()));
        }
        let info = &self.shapes[shape];
        let mut state = info.template.clone();
        for (slot, status) in info.slots.iter().zip(&info.status) {
            let old = state.word(slot.address);
            let word = match *status {
                Status::Constant => continue,
                Status::Opaque => Word { bits: old.bits, shadow: Shadow::Opaque },
                Status::Varies(var) => {
                    let kind = kind_of(slot.kind);
                    let bits = word_bits(kind, assigned(model, var, kind, old.bits));
                    Word { bits, shadow: Shadow::Expr(view(arena, var, kind)) }
                }
            };
            state.set_word(slot.address, word);
        }
        let (method, role) = (self.operations[operation].method, self.operations[operation].role);
        let root = info.root;
        let mut slots = Vec::new();
        slots.extend((role == Role::Instance).then(|| Word::plain(i64::from(root.0))));
        let inputs = &self.inputs[operation];
        if let Err(reason) =
            inputs.words(arena, &mut self.linker, &mut state, model, &self.limits, &mut slots)
        {
            return (Vec::new(), Err(reason));
        }
        let mut domain = Symbolic::new(arena, &self.limits);
        let run =
            Run { linker: &mut self.linker, state: &mut state, domain: &mut domain, limits: &self.limits };
        let (root, completion) = match role {
            Role::Constructor => self.machine.construct(run, method, &slots),
            _ => (root, self.machine.call(run, method, &slots)),
        };
        let decisions = domain.constraints;
        let result = match completion {
            Completion::Returned(_) => {
                let mut after = compact(&state, &self.linker, root);
                forget_misfits(arena, &mut after);
                Ok(Ending::Returned(Box::new(after)))
            }
            Completion::Threw(class) => Ok(Ending::Threw(self.linker.class_name(class))),
            Completion::Unknown(reason) => Err(reason),
        };
        (decisions, result)
    }

    /// Notes that a state is reachable. Returns the number of its shape, or `None` if there are too many.
    fn arrive(&mut self, found: Compact<Shadow>) -> Option<usize> {
        let Some(key) = key(&found, &self.split) else {
            self.split_failed = true;
            return None;
        };
        let number = match self.numbers.get(&key) {
            Some(&number) => number,
            None if self.shapes.len() >= self.limits.shapes => {
                self.split_failed = !self.split.is_empty();
                return None;
            }
            None => {
                let number = self.shapes.len();
                self.numbers.insert(key, number);
                let mut template = found.state.clone();
                for slot in &found.slots {
                    template.set_word(slot.address, Word::plain(found.state.word(slot.address).bits));
                }
                let status = vec![Status::Constant; found.slots.len()];
                self.shapes.push(ShapeInfo {
                    template,
                    root: found.root,
                    slots: found.slots.clone(),
                    status,
                });
                number
            }
        };
        let info = &mut self.shapes[number];
        let mut changed = false;
        for (slot, status) in info.slots.iter().zip(&mut info.status) {
            let word = found.state.word(slot.address);
            let real = matches!(slot.kind, NumberKind::Float | NumberKind::Double);
            let same = word.shadow == Shadow::Plain && word.bits == info.template.word(slot.address).bits;
            let now = match (word.shadow, *status) {
                (_, Status::Opaque) | (Shadow::Opaque, _) => Status::Opaque,
                (_, Status::Constant) if same => Status::Constant,
                (_, Status::Constant) if real => Status::Opaque,
                (_, Status::Constant) => {
                    let expr = self.arena.var(&slot.name, kind_of(slot.kind).sort());
                    Status::Varies(self.arena.variables(expr)[0])
                }
                (_, known) => known,
            };
            changed |= now != *status;
            *status = now;
        }
        if changed {
            // What was explored from this shape assumed too much.
            self.leaves.retain(|&(shape, _), _| shape != number);
        }
        Some(number)
    }

    /// Puts the summaries together. All operations are explored.
    fn finish(mut self) -> (Component, Interpreted<'p>) {
        let mut fields: Vec<Field> = Vec::new();
        let mut index: BTreeMap<Var, usize> = BTreeMap::new();
        for (number, info) in self.shapes.iter().enumerate() {
            for (slot, status) in info.slots.iter().zip(&info.status) {
                let Status::Varies(var) = *status else { continue };
                let kind = kind_of(slot.kind);
                index.entry(var).or_insert_with(|| {
                    // Static fields have a value before any call, all others do not matter yet.
                    let bits = if number == 0 { info.template.word(slot.address).bits } else { 0 };
                    let initial = adit_learn::value(kind.sort(), bits);
                    fields.push(Field { name: slot.name.clone(), kind, var, initial });
                    fields.len() - 1
                });
            }
        }
        let shape_field = self.shape_field(&mut fields);
        let mut methods = Vec::new();
        for operation in 0..self.operations.len() {
            let mut paths = Vec::new();
            let shapes: Vec<usize> =
                (0..self.shapes.len()).filter(|&shape| self.applies(shape, operation)).collect();
            for &shape in &shapes {
                let here = self.is_shape(shape_field, &shapes, shape);
                for leaf in self.leaves.remove(&(shape, operation)).unwrap_or_default() {
                    let condition = self.arena.and(&[here, leaf.condition]);
                    let (updates, end) = match leaf.end {
                        LeafEnd::Error(class) => (Vec::new(), End::Error(class)),
                        LeafEnd::Unknown(reason) => (Vec::new(), End::Unknown(reason.to_string())),
                        LeafEnd::Ok(target, words) => {
                            (self.updates(target, &words, &index, shape_field), End::Ok)
                        }
                    };
                    paths.push(Path { condition, updates, end });
                }
            }
            if shapes.is_empty() {
                // No constructor succeeds, so there is no object to call it on.
                let condition = self.arena.bool(true);
                let end = End::Error("there is no object".to_owned());
                paths.push(Path { condition, updates: Vec::new(), end });
            }
            let declared = &self.operations[operation];
            methods.push(Method {
                name: declared.name.clone(),
                role: declared.role,
                parameters: self.inputs[operation].parameters.clone(),
                paths,
            });
        }
        let class = self.linker.class_name(self.class);
        let mut component = Component::new(class, self.arena, fields, methods);
        component.texts = self.linker.literals.iter().map(|text| text.to_string()).collect();
        let shape_field = shape_field.map(|(field, _)| field);
        let shapes = self
            .shapes
            .iter()
            .map(|info| ConcreteShape::new(&self.linker, info, &index, &self.split))
            .collect();
        let places = self.inputs.into_iter().map(|inputs| inputs.places).collect();
        let interpreted = Interpreted {
            linker: self.linker,
            operations: self.operations,
            places,
            shapes,
            numbers: self.numbers,
            split: self.split,
            shape_field,
            limits: self.limits,
            machine: Machine::new(),
            state: MachineState::new(),
            slots: Vec::new(),
        };
        (component, interpreted)
    }

    /// The hidden field that tells shapes apart, where it is needed: several shapes have objects, or a
    /// method can be called in all of them.
    fn shape_field(&mut self, fields: &mut Vec<Field>) -> Option<(usize, Expr)> {
        let with_object = self.shapes.iter().filter(|shape| shape.root.0 != 0).count();
        let any_time = self.operations.iter().any(|operation| operation.role == Role::Static);
        if with_object <= 1 && !any_time {
            return None;
        }
        // The name cannot be that of a field in Java.
        let name = "shape of this";
        let expr = self.arena.var(name, Kind::Int.sort());
        let var = self.arena.variables(expr)[0];
        let initial = adit_learn::value(Kind::Int.sort(), 0);
        fields.push(Field { name: name.to_owned(), kind: Kind::Int, var, initial });
        Some((fields.len() - 1, expr))
    }

    /// The condition that the state has this shape, one of those in which an operation applies. The last is
    /// the rest, so that conditions cover everything.
    fn is_shape(&mut self, field: Option<(usize, Expr)>, shapes: &[usize], shape: usize) -> Expr {
        let Some((_, expr)) = field else { return self.arena.bool(true) };
        let mut equals = |shape: usize| {
            let number = self.arena.bits(32, shape as i64);
            self.arena.eq(expr, number)
        };
        if shapes.last() != Some(&shape) {
            return equals(shape);
        }
        let others: Vec<Expr> =
            shapes.iter().filter(|&&other| other != shape).map(|&other| equals(other)).collect();
        let any = self.arena.or(&others);
        self.arena.not(any)
    }

    /// New values of all fields of the shape after a call.
    fn updates(
        &mut self,
        shape: usize,
        words: &[Word<Shadow>],
        index: &BTreeMap<Var, usize>,
        shape_field: Option<(usize, Expr)>,
    ) -> Vec<(usize, Expr)> {
        let info = &self.shapes[shape];
        let mut updates = Vec::new();
        for ((slot, status), word) in info.slots.iter().zip(&info.status).zip(words) {
            let Status::Varies(var) = status else { continue };
            let kind = kind_of(slot.kind);
            let value = match word.shadow {
                Shadow::Expr(expr) => stored(&mut self.arena, expr, kind),
                _ => self.arena.value(adit_learn::value(kind.sort(), word.bits)),
            };
            updates.push((index[var], value));
        }
        if let Some((field, _)) = shape_field {
            updates.push((field, self.arena.bits(32, shape as i64)));
        }
        updates
    }
}

/// The end of a run that could be followed.
enum Ending {
    Returned(Box<Compact<Shadow>>),
    Threw(String),
}

/// Code that does not verify may store a `long` where an `int` belongs; nothing is known about such a number.
fn forget_misfits(arena: &Arena, after: &mut Compact<Shadow>) {
    for slot in &after.slots {
        let word = after.state.word(slot.address);
        let width = if kind_of(slot.kind) == Kind::Long { 64 } else { 32 };
        if let Shadow::Expr(expr) = word.shadow
            && arena.sort(expr) != Sort::Bits(width)
        {
            after.state.set_word(slot.address, Word { bits: word.bits, shadow: Shadow::Opaque });
        }
    }
}

/// The bits on the stack of a value of this kind.
fn word_bits(kind: Kind, value: adit_smt::Value) -> i64 {
    let number = adit_learn::number(value);
    if kind == Kind::Char { number & 0xffff } else { number }
}
