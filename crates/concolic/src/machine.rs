//! The interpreter: frames on one flat stack, instructions one by one (JVMS §6.5).
//!
//! It follows the concrete values; the domain is told what was computed from values that are not plain, and
//! which way every test on such values went. There is one thread, so monitors are never waited for.

use std::sync::Arc;

use adit_bytecode::{Condition, Constant, Flags, Kind, Operator, StackMove};

use crate::arithmetic;
use crate::compile::{Body, Op, Width};
use crate::domain::{Domain, Word};
use crate::link::{ClassId, Linker, MethodNumber};
use crate::state::{LENGTH, MachineState, ObjectKind, ObjectNumber};
use crate::{InterpreterLimits, Unknown};

/// The end of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Completion<S> {
    /// It returned, with this value unless it is `void`.
    Returned(Option<Word<S>>),
    /// It threw an object of this class.
    Threw(ClassId),
    /// It could not be followed to its end.
    Unknown(Unknown),
}

/// Memory for running methods, reused from call to call.
#[derive(Debug)]
pub struct Machine<S> {
    stack: Vec<Word<S>>,
    frames: Vec<Frame>,
    /// The body without instructions, which is current before the first call.
    nothing: Arc<Body>,
}

/// A method that is being executed.
#[derive(Debug)]
struct Frame {
    body: Arc<Body>,
    /// The instruction to execute next.
    pc: usize,
    /// The place on the stack at which its local variables begin.
    base: usize,
    /// The place at which its operand stack ends.
    top: usize,
    /// The class whose initializer it is.
    initializes: Option<ClassId>,
}

/// The reason for which the loop over instructions is left.
pub(crate) enum Trap {
    /// An exception object.
    Throw(i64),
    /// An exception of the platform that an instruction throws, by its internal name.
    Raise(&'static str),
    Unknown(Unknown),
    /// The outermost method returned.
    Done,
}

impl From<Unknown> for Trap {
    fn from(reason: Unknown) -> Trap {
        Trap::Unknown(reason)
    }
}

pub(crate) const NULL_POINTER: Trap = Trap::Raise("java/lang/NullPointerException");
pub(crate) const OUT_OF_BOUNDS: Trap = Trap::Raise("java/lang/ArrayIndexOutOfBoundsException");

impl<S: Copy + Default + PartialEq + std::fmt::Debug> Machine<S> {
    /// Creates a machine with an empty stack.
    pub fn new() -> Machine<S> {
        Machine { stack: Vec::new(), frames: Vec::new(), nothing: Arc::default() }
    }

    /// Calls a method. The arguments are in slots as on the stack: the receiver first, and a wide value
    /// followed by a word that is ignored. The class of a static method is initialized first.
    pub fn call<D: Domain<Shadow = S>>(
        &mut self,
        run: Run<'_, '_, D>,
        method: MethodNumber,
        arguments: &[Word<S>],
    ) -> Completion<S> {
        let mut execution = Execution::new(self, run);
        let class = execution.linker.methods[method.0 as usize].class;
        let is_static = execution.linker.declaration(method).1.flags.has(Flags::STATIC);
        if is_static && let Some(failed) = execution.initialize_first(class) {
            return failed;
        }
        execution.start(method, arguments)
    }

    /// Allocates an object of the class and calls a constructor on it. The arguments do not have the
    /// receiver.
    pub fn construct<D: Domain<Shadow = S>>(
        &mut self,
        run: Run<'_, '_, D>,
        constructor: MethodNumber,
        arguments: &[Word<S>],
    ) -> (ObjectNumber, Completion<S>) {
        let mut execution = Execution::new(self, run);
        let class = execution.linker.methods[constructor.0 as usize].class;
        if let Some(failed) = execution.initialize_first(class) {
            return (ObjectNumber(0), failed);
        }
        let fields = execution.linker.at(class).fields.len();
        let kind = ObjectKind::Instance(class);
        match execution.state.allocate(kind, fields, execution.limits) {
            Ok(object) => {
                let mut slots = vec![Word::plain(object)];
                slots.extend_from_slice(arguments);
                (ObjectNumber(object as u32), execution.start(constructor, &slots))
            }
            Err(reason) => (ObjectNumber(0), Completion::Unknown(reason)),
        }
    }

    /// Initializes a class (JVMS §5.5).
    pub fn initialize<D: Domain<Shadow = S>>(
        &mut self,
        run: Run<'_, '_, D>,
        class: ClassId,
    ) -> Completion<S> {
        Execution::new(self, run).initialize_first(class).unwrap_or(Completion::Returned(None))
    }
}

impl<S: Copy + Default + PartialEq + std::fmt::Debug> Default for Machine<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Everything that a run works on.
pub struct Run<'a, 'p, D: Domain> {
    /// The classes.
    pub linker: &'a mut Linker<'p>,
    /// The objects and static fields.
    pub state: &'a mut MachineState<D::Shadow>,
    /// The domain.
    pub domain: &'a mut D,
    /// The limits.
    pub limits: &'a InterpreterLimits,
}

/// One run of the interpreter.
pub(crate) struct Execution<'a, 'p, D: Domain> {
    machine: &'a mut Machine<D::Shadow>,
    pub(crate) linker: &'a mut Linker<'p>,
    pub(crate) state: &'a mut MachineState<D::Shadow>,
    pub(crate) domain: &'a mut D,
    pub(crate) limits: &'a InterpreterLimits,
    steps: u32,
    result: Option<Word<D::Shadow>>,
    // The innermost frame, outside of the list because every instruction uses it.
    body: Arc<Body>,
    pc: usize,
    base: usize,
    top: usize,
    initializes: Option<ClassId>,
}

impl<'a, 'p, D: Domain> Execution<'a, 'p, D> {
    fn new(machine: &'a mut Machine<D::Shadow>, run: Run<'a, 'p, D>) -> Self {
        machine.frames.clear();
        let nothing = machine.nothing.clone();
        Execution {
            machine,
            linker: run.linker,
            state: run.state,
            domain: run.domain,
            limits: run.limits,
            steps: 0,
            result: None,
            body: nothing,
            pc: 0,
            base: 0,
            top: 0,
            initializes: None,
        }
    }

    /// Initializes a class from outside of any method. Returns the completion if that failed.
    fn initialize_first(&mut self, class: ClassId) -> Option<Completion<D::Shadow>> {
        loop {
            match self.begin_initialization(class) {
                Ok(false) => return None,
                Ok(true) => match self.run_frames() {
                    Completion::Returned(_) => {}
                    failed => return Some(failed),
                },
                Err(reason) => return Some(Completion::Unknown(reason)),
            }
        }
    }

    fn start(&mut self, method: MethodNumber, arguments: &[Word<D::Shadow>]) -> Completion<D::Shadow> {
        self.top = 0;
        self.base = 0;
        if self.machine.stack.len() < arguments.len() + 8 {
            self.machine.stack.resize(arguments.len() + 8, Word::plain(0));
        }
        self.machine.stack[..arguments.len()].copy_from_slice(arguments);
        self.top = arguments.len();
        if let Err(trap) = self.enter(method, arguments.len()) {
            // A method with a model runs at once, and may throw at once.
            return match trap {
                Trap::Unknown(reason) => Completion::Unknown(reason),
                Trap::Done => Completion::Returned(self.result),
                Trap::Throw(object) => self.thrown(object),
                Trap::Raise(name) => match self.linker.class(name) {
                    Ok(class) => Completion::Threw(class),
                    Err(reason) => Completion::Unknown(reason),
                },
            };
        }
        self.run_frames()
    }

    /// Runs until the outermost frame returns or an exception leaves it.
    fn run_frames(&mut self) -> Completion<D::Shadow> {
        loop {
            let object = match self.execute() {
                Trap::Done => return Completion::Returned(self.result),
                Trap::Unknown(reason) => return Completion::Unknown(reason),
                Trap::Throw(object) => object,
                Trap::Raise(name) => match self.exception(name) {
                    Ok(object) => object,
                    Err(reason) => return Completion::Unknown(reason),
                },
            };
            match self.unwind(object) {
                Ok(true) => {}
                Ok(false) => return self.thrown(object),
                Err(reason) => return Completion::Unknown(reason),
            }
        }
    }

    fn thrown(&self, object: i64) -> Completion<D::Shadow> {
        match self.state.object(object).map(|object| object.kind) {
            Some(ObjectKind::Instance(class)) => Completion::Threw(class),
            _ => Completion::Unknown(Unknown::Opaque("an exception from outside".into())),
        }
    }

    pub(crate) fn exception(&mut self, name: &str) -> Result<i64, Unknown> {
        let class = self.linker.class(name)?;
        let fields = self.linker.at(class).fields.len();
        self.state.allocate(ObjectKind::Instance(class), fields, self.limits)
    }

    /// Finds the handler of an exception (JVMS §2.10). Returns false if no method has one.
    fn unwind(&mut self, object: i64) -> Result<bool, Unknown> {
        let Some(ObjectKind::Instance(class)) = self.state.object(object).map(|object| object.kind) else {
            return Err(Unknown::Opaque("an exception from outside".into()));
        };
        let thrown = self.linker.at(class).kind;
        loop {
            // The instruction that threw is the one before the next.
            let at = self.pc as u32 - 1;
            let body = self.body.clone();
            for handler in body.handlers.iter().filter(|one| (one.start..one.end).contains(&at)) {
                let catches = match handler.catches {
                    Some(wanted) => self.linker.is_subtype(thrown, wanted)?,
                    None => true,
                };
                if catches {
                    self.top = self.base + body.locals;
                    self.push(Word::plain(object));
                    self.pc = handler.target as usize;
                    return Ok(true);
                }
            }
            if let Some(class) = self.initializes {
                return Err(Unknown::Initializer(self.linker.at(class).class.dotted_name().into()));
            }
            if !self.leave() {
                return Ok(false);
            }
        }
    }

    /// Makes the caller's frame the current one. Returns false if there is none.
    fn leave(&mut self) -> bool {
        let Some(frame) = self.machine.frames.pop() else { return false };
        self.body = frame.body;
        self.pc = frame.pc;
        self.base = frame.base;
        self.top = frame.top;
        self.initializes = frame.initializes;
        true
    }

    /// Begins a call of a method whose arguments are on the stack. A method with a model is done at once.
    fn enter(&mut self, method: MethodNumber, slots: usize) -> Result<(), Trap> {
        if let Some(model) = self.linker.methods[method.0 as usize].model {
            let outermost = self.body.ops.is_empty();
            self.apply_model(model, method, slots)?;
            if outermost {
                self.result = (self.top > 0).then(|| self.machine.stack[0]);
                return Err(Trap::Done);
            }
            return Ok(());
        }
        let body = match &self.linker.methods[method.0 as usize].body {
            Some(Ok(body)) => body.clone(),
            _ => self.linker.body(method)?,
        };
        if self.machine.frames.len() >= self.limits.depth {
            return Err(Unknown::DepthLimit.into());
        }
        let base = self.top - slots;
        let needed = base + body.locals + body.stack;
        if self.machine.stack.len() < needed {
            self.machine.stack.resize(needed, Word::plain(0));
        }
        let top = base + body.locals;
        let caller = std::mem::replace(&mut self.body, body);
        // The frame before the outermost method has no instructions and is not returned to.
        if !caller.ops.is_empty() {
            let initializes = self.initializes.take();
            let (pc, base) = (self.pc, self.base);
            self.machine.frames.push(Frame { body: caller, pc, base, top: self.top - slots, initializes });
        }
        self.base = base;
        self.top = top;
        self.pc = 0;
        self.initializes = None;
        Ok(())
    }

    /// Begins the initialization of a class or of the first uninitialized class above it (JVMS §5.5). Returns
    /// false if there was nothing to run.
    fn begin_initialization(&mut self, class: ClassId) -> Result<bool, Unknown> {
        loop {
            let mut next = None;
            let mut above = Some(class);
            while let Some(id) = above {
                if !self.state.is_initialized(id) {
                    next = Some(id);
                }
                above = self.linker.at(id).superclass;
            }
            let Some(class) = next else { return Ok(false) };
            self.state.set_initialized(class);
            self.set_constants(class)?;
            let Some(initializer) = self.linker.at(class).initializer else { continue };
            match self.enter(initializer, 0) {
                Ok(()) => {
                    self.initializes = Some(class);
                    return Ok(true);
                }
                Err(Trap::Unknown(reason)) => return Err(reason),
                // No initializer has a model.
                Err(_) => {}
            }
        }
    }

    /// Gives constant fields their values (JVMS §4.7.2).
    fn set_constants(&mut self, class: ClassId) -> Result<(), Unknown> {
        let declared = self.linker.at(class).class.clone();
        let first = self.linker.at(class).first_static;
        let statics = declared.fields.iter().filter(|field| field.flags.has(Flags::STATIC));
        for (number, field) in (first..).zip(statics) {
            let bits = match &field.value {
                Some(Constant::Int(value)) => i64::from(*value),
                Some(Constant::Long(value)) => *value,
                Some(Constant::Float(value)) => arithmetic::of_float(*value),
                Some(Constant::Double(value)) => arithmetic::of_double(*value),
                Some(Constant::String(text)) => {
                    let literal = self.linker.literal(text);
                    self.state.intern(ObjectKind::Literal(literal), self.limits)?
                }
                Some(_) => self.state.allocate(ObjectKind::Text, 0, self.limits)?,
                None => 0,
            };
            self.state.set_static(number, Word::plain(bits));
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn push(&mut self, word: Word<D::Shadow>) {
        self.machine.stack[self.top] = word;
        self.top += 1;
    }

    /// The word above the stack: the first argument of a call whose arguments were just dropped.
    pub(crate) fn top_word(&self) -> Word<D::Shadow> {
        self.machine.stack[self.top]
    }

    #[inline]
    pub(crate) fn push_wide(&mut self, word: Word<D::Shadow>) {
        self.machine.stack[self.top] = word;
        self.machine.stack[self.top + 1] = Word::plain(0);
        self.top += 2;
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Word<D::Shadow> {
        self.top -= 1;
        self.machine.stack[self.top]
    }

    #[inline]
    pub(crate) fn pop_wide(&mut self) -> Word<D::Shadow> {
        self.top -= 2;
        self.machine.stack[self.top]
    }

    pub(crate) fn current_body(&self) -> Arc<Body> {
        self.body.clone()
    }

    pub(crate) fn drop_slots(&mut self, count: usize) {
        self.top -= count;
    }

    pub(crate) fn push_kind(&mut self, kind: Kind, word: Word<D::Shadow>) {
        if kind.slots() == 2 { self.push_wide(word) } else { self.push(word) }
    }

    pub(crate) fn pop_kind(&mut self, kind: Kind) -> Word<D::Shadow> {
        if kind.slots() == 2 { self.pop_wide() } else { self.pop() }
    }

    /// Executes instructions until something other than the next instruction comes.
    fn execute(&mut self) -> Trap {
        loop {
            let op = self.body.ops[self.pc];
            self.pc += 1;
            self.steps += 1;
            if self.steps > self.limits.steps {
                return Trap::Unknown(Unknown::StepLimit);
            }
            if let Err(trap) = self.instruction(op) {
                return trap;
            }
        }
    }

    #[inline]
    fn instruction(&mut self, op: Op) -> Result<(), Trap> {
        match op {
            // JVMS §6.5.nop, <x>const, bipush, sipush, ldc.
            Op::Nop => {}
            Op::Push(bits) => self.push(Word::plain(bits)),
            Op::PushWide(bits) => self.push_wide(Word::plain(bits)),
            Op::Literal(number) => {
                let object = self.state.intern(ObjectKind::Literal(number), self.limits)?;
                self.push(Word::plain(object));
            }
            Op::Mirror(kind) => {
                let object = self.state.intern(ObjectKind::Mirror(kind), self.limits)?;
                self.push(Word::plain(object));
            }
            // JVMS §6.5.<x>load, <x>store, iinc.
            Op::Load(slot) => self.push(self.machine.stack[self.base + usize::from(slot)]),
            Op::LoadWide(slot) => self.push_wide(self.machine.stack[self.base + usize::from(slot)]),
            Op::Store(slot) => {
                let value = self.pop();
                self.machine.stack[self.base + usize::from(slot)] = value;
            }
            Op::StoreWide(slot) => {
                let value = self.pop_wide();
                self.machine.stack[self.base + usize::from(slot)] = value;
            }
            Op::Increment(slot, by) => {
                let at = self.base + usize::from(slot);
                let value = self.machine.stack[at];
                let by = Word::plain(i64::from(by));
                self.machine.stack[at] = self.compute(Kind::Int, Operator::Add, value, by);
            }
            Op::Stack(how) => self.move_on_stack(how),
            // JVMS §6.5.<x>add to lxor.
            Op::Arithmetic(kind, operator) => {
                let b = match operator {
                    Operator::Neg => Word::plain(0),
                    Operator::Shl | Operator::Shr | Operator::Ushr => self.pop(),
                    _ => self.pop_kind(kind),
                };
                let a = self.pop_kind(kind);
                if matches!(operator, Operator::Div | Operator::Rem) && matches!(kind, Kind::Int | Kind::Long)
                {
                    self.check_divisor(kind, b)?;
                }
                let result = self.compute(kind, operator, a, b);
                self.push_kind(kind, result);
            }
            Op::Convert(from, to) => {
                let a = self.pop_kind(from);
                let result = self.convert(from, to, a);
                self.push_kind(to.kind(), result);
            }
            Op::Compare(kind, unordered) => {
                let (b, a) = (self.pop_kind(kind), self.pop_kind(kind));
                let shadow = if D::is_plain(a.shadow) && D::is_plain(b.shadow) {
                    D::Shadow::default()
                } else {
                    self.domain.compare(kind, a, b)
                };
                self.push(Word { bits: arithmetic::compare(kind, unordered, a.bits, b.bits), shadow });
            }
            // JVMS §6.5.if<cond>, if_icmp<cond>, if_acmp<cond>, ifnull, goto.
            Op::Branch(condition, target) => {
                let taken = match condition {
                    Condition::Zero(relation) => {
                        let a = self.pop();
                        self.test(relation, a, Word::plain(0))?
                    }
                    Condition::Ints(relation) => {
                        let (b, a) = (self.pop(), self.pop());
                        self.test(relation, a, b)?
                    }
                    Condition::References(wanted) => {
                        let (b, a) = (self.pop(), self.pop());
                        self.is_same(a, b)? == wanted
                    }
                    Condition::Null(wanted) => {
                        let a = self.pop();
                        self.is_same(a, Word::plain(0))? == wanted
                    }
                };
                if taken {
                    self.pc = target as usize;
                }
            }
            Op::Goto(target) => self.pc = target as usize,
            Op::Switch(table) => {
                let key = self.pop();
                self.pc = self.switch(table, key)? as usize;
            }
            Op::Return(slots) => return self.return_with(slots),
            // JVMS §6.5.athrow.
            Op::Throw => {
                let object = self.pop();
                self.non_null(object)?;
                return Err(Trap::Throw(object.bits));
            }
            // JVMS §6.5.getfield, putfield, getstatic, putstatic.
            Op::GetField(slot, width) => {
                let receiver = self.pop();
                let object = self.instance(receiver)?;
                let Some(&value) = self.state.slots(object).get(slot as usize) else {
                    return Err(self.odd("a field of an object of another class"));
                };
                if width == Width::Two { self.push_wide(value) } else { self.push(value) }
            }
            Op::PutField(slot, width) => {
                let value = if width == Width::Two { self.pop_wide() } else { self.pop() };
                let value = self.narrow(width, value);
                let receiver = self.pop();
                let object = self.instance(receiver)?;
                match self.state.slots_mut(object).get_mut(slot as usize) {
                    Some(place) => *place = value,
                    None => return Err(self.odd("a field of an object of another class")),
                }
            }
            Op::GetStatic(class, slot, width) => {
                if !self.initialized(class)? {
                    return Ok(());
                }
                let value = self.state.static_word(slot);
                if width == Width::Two { self.push_wide(value) } else { self.push(value) }
            }
            Op::PutStatic(class, slot, width) => {
                if !self.initialized(class)? {
                    return Ok(());
                }
                let value = if width == Width::Two { self.pop_wide() } else { self.pop() };
                let value = self.narrow(width, value);
                self.state.set_static(slot, value);
            }
            // JVMS §6.5.invokestatic, invokespecial, invokevirtual, invokeinterface.
            Op::Invoke { method, slots, is_static } => {
                if is_static {
                    let class = self.linker.methods[method.0 as usize].class;
                    if !self.initialized(class)? {
                        return Ok(());
                    }
                } else {
                    let receiver = self.machine.stack[self.top - usize::from(slots)];
                    self.non_null(receiver)?;
                }
                self.enter(method, usize::from(slots))?;
            }
            Op::Dispatch { selector, slots, .. } => {
                let receiver = self.machine.stack[self.top - usize::from(slots)];
                let object = self.non_null(receiver)?;
                if let ObjectKind::Outside(kind) = object.kind
                    && self.linker.is_ordinal(kind, selector)?
                {
                    let identity = self.state.slots(object)[crate::state::IDENTITY];
                    self.top -= usize::from(slots);
                    let ordinal = self.compute(Kind::Int, Operator::Sub, identity, Word::plain(1));
                    self.push(ordinal);
                    return Ok(());
                }
                let class = self.class_of(object, selector)?;
                let method = self.linker.select(class, selector)?;
                self.enter(method, usize::from(slots))?;
            }
            Op::Concat(slots) => {
                self.top -= usize::from(slots);
                let text = self.state.allocate(ObjectKind::Text, 0, self.limits)?;
                self.push(Word::plain(text));
            }
            // JVMS §6.5.new; the arrays are in `arrays.rs`.
            Op::New(class) => {
                if !self.initialized(class)? {
                    return Ok(());
                }
                let fields = self.linker.at(class).fields.len();
                let object = self.state.allocate(ObjectKind::Instance(class), fields, self.limits)?;
                self.push(Word::plain(object));
            }
            Op::NewArray(kind, dimensions) => self.new_array(kind, dimensions)?,
            Op::ArrayLength => {
                let array = self.pop();
                let object = self.non_null(array)?;
                let length = match object.kind {
                    ObjectKind::Outside(_) => self.state.slots(object)[LENGTH],
                    _ => self.state.length(array.bits, object),
                };
                self.push(length);
            }
            Op::ArrayLoad(element) => {
                let (index, array) = (self.pop(), self.pop());
                let value = self.array_load(array, index, element)?;
                self.push_kind(element.kind(), value);
            }
            Op::ArrayStore(element) => {
                let value = self.pop_kind(element.kind());
                let (index, array) = (self.pop(), self.pop());
                self.array_store(array, index, element, value)?;
            }
            // JVMS §6.5.checkcast, instanceof.
            Op::CheckCast(kind) => {
                let object = self.machine.stack[self.top - 1];
                if !self.is_same(object, Word::plain(0))? && !self.is_instance(object, kind)? {
                    return Err(Trap::Raise("java/lang/ClassCastException"));
                }
            }
            Op::InstanceOf(kind) => {
                let object = self.pop();
                let is = !self.is_same(object, Word::plain(0))? && self.is_instance(object, kind)?;
                self.push(Word::plain(i64::from(is)));
            }
            // JVMS §6.5.monitorenter, monitorexit: there is one thread.
            Op::Monitor => {
                let object = self.pop();
                self.non_null(object)?;
            }
            Op::Unsupported(reason) => {
                return Err(Trap::Unknown(self.body.reasons[reason as usize].clone()));
            }
        }
        Ok(())
    }

    /// Returns true if the class is initialized. Otherwise its initializer runs next, and then this
    /// instruction again.
    #[inline]
    fn initialized(&mut self, class: ClassId) -> Result<bool, Trap> {
        if self.state.is_initialized(class) {
            return Ok(true);
        }
        self.pc -= 1;
        let started = self.begin_initialization(class)?;
        if !started {
            self.pc += 1;
        }
        Ok(!started)
    }

    /// JVMS §6.5.return, <x>return. Narrow results are narrowed.
    #[inline]
    fn return_with(&mut self, slots: u8) -> Result<(), Trap> {
        let result = match slots {
            0 => None,
            1 => Some(self.pop()),
            _ => Some(self.pop_wide()),
        };
        let result = match (result, self.body.result) {
            (Some(value), Some(width)) => Some(self.narrow(width, value)),
            _ => result,
        };
        if !self.leave() {
            self.result = result;
            // What comes next is outermost again.
            self.body = self.machine.nothing.clone();
            self.initializes = None;
            return Err(Trap::Done);
        }
        match (result, slots) {
            (Some(value), 1) => self.push(value),
            (Some(value), _) => self.push_wide(value),
            (None, _) => {}
        }
        Ok(())
    }

    /// JVMS §6.5.dup to swap, on slots.
    fn move_on_stack(&mut self, how: StackMove) {
        let stack = &mut self.machine.stack;
        let top = self.top;
        let copy_below = |stack: &mut Vec<Word<D::Shadow>>, count: usize, below: usize| {
            // The upper `count` slots are inserted `below` slots further down.
            let from = top - count - below;
            stack.copy_within(from..top, from + count);
            stack.copy_within(top..top + count, from);
        };
        match how {
            StackMove::Pop => self.top -= 1,
            StackMove::Pop2 => self.top -= 2,
            StackMove::Dup => {
                stack[top] = stack[top - 1];
                self.top += 1;
            }
            StackMove::DupX1 => {
                copy_below(stack, 1, 1);
                self.top += 1;
            }
            StackMove::DupX2 => {
                copy_below(stack, 1, 2);
                self.top += 1;
            }
            StackMove::Dup2 => {
                stack.copy_within(top - 2..top, top);
                self.top += 2;
            }
            StackMove::Dup2X1 => {
                copy_below(stack, 2, 1);
                self.top += 2;
            }
            StackMove::Dup2X2 => {
                copy_below(stack, 2, 2);
                self.top += 2;
            }
            StackMove::Swap => stack.swap(top - 1, top - 2),
        }
    }
}
