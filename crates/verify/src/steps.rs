//! One block, instruction by instruction (JVMS 6.5). Calls are in `invoke.rs`.

use adit_bytecode::{
    Condition, Constant, Element, Instruction, Kind, MemberRef, Operator, Relation, StackMove,
};

use crate::Stopped;
use crate::analysis::{Analysis, End, Frame};
use crate::texts;
use crate::typestate::ReceiverScope;
use crate::world::{FieldKey, Id, Object, STATICS, Track, Value, World};

/// The boolean field that was read last, for the branch that follows.
type LastField = Option<(usize, Id, FieldKey)>;

impl Analysis<'_> {
    /// Runs a block and notes where it ends, and in which situations.
    pub(crate) fn run_block(
        &mut self,
        frame: &Frame<'_>,
        block: usize,
        world: World,
        ends: &mut Vec<(End, World)>,
    ) -> Result<(), Stopped> {
        let range = frame.body.blocks[block].instructions.clone();
        let last = range.end - 1;
        // A call may split the situation, so there may be several at the same instruction.
        let mut worlds = vec![world];
        for at in range {
            let mut next = Vec::with_capacity(worlds.len());
            let mut field: LastField = None;
            for mut world in worlds {
                self.steps = self.steps.checked_sub(1).ok_or(Stopped::TooComplex)?;
                let (_, instruction) = &frame.code.instructions[at];
                match instruction {
                    Instruction::Invoke(call, member) => {
                        self.invoke(frame, at, *call, member, world, &mut next, ends)?;
                        continue;
                    }
                    Instruction::InvokeDynamic(site) => {
                        self.invoke_dynamic(frame, at, site, world, &mut next, ends);
                        continue;
                    }
                    Instruction::Branch(condition, target) => {
                        let target = frame.code.index_at(*target);
                        let behind = frame.body.block_at(at + 1);
                        self.branch(frame, at, *condition, target, behind, world, ends);
                        continue;
                    }
                    Instruction::Goto(target) => {
                        jump(frame, *target, world, ends);
                        continue;
                    }
                    Instruction::Jsr(target) => {
                        world.push(Value::Address(at as u32 + 1));
                        jump(frame, *target, world, ends);
                        continue;
                    }
                    Instruction::Ret(slot) => {
                        // A return address that is not known comes from a damaged method.
                        let Some(Value::Address(to)) = world.locals.get(usize::from(*slot)).copied() else {
                            return Err(Stopped::Damaged);
                        };
                        let to = frame.body.block_at(to as usize).ok_or(Stopped::Damaged)?;
                        ends.push((End::Enter(to), world));
                        continue;
                    }
                    Instruction::Switch { default, cases } => {
                        let key = world.pop();
                        switch(frame, key, *default, cases, world, ends);
                        continue;
                    }
                    // Nobody goes on where the first method ends.
                    Instruction::Return(_) if frame.chain.is_empty() => continue,
                    Instruction::Return(kind) => {
                        let from = world.stack.len() - kind.map_or(0, Kind::slots).min(world.stack.len());
                        world.stack.drain(..from);
                        ends.push((End::Returned, world));
                        continue;
                    }
                    Instruction::Throw => {
                        let thrown = world.pop();
                        world.share(thrown);
                        self.thrown(frame, at, world, ends);
                        continue;
                    }
                    _ => {}
                }
                if can_throw(instruction, &world) && is_caught(frame, at) {
                    let mut thrown = Vec::new();
                    self.thrown(frame, at, world.clone(), &mut thrown);
                    ends.extend(thrown.into_iter().filter(|(end, _)| self.catches_runtime(frame, at, *end)));
                }
                self.simple(at, instruction, &mut world, &mut field);
                if let Some((_, base, key)) = field.take()
                    && at < last
                    && let Some((_, Instruction::Branch(Condition::Zero(relation), target))) =
                        frame.code.instructions.get(at + 1)
                    && at + 1 == last
                    && self.precise
                    && matches!(relation, Relation::Eq | Relation::Ne)
                    && world.stack.last() == Some(&Value::Unknown)
                {
                    // The branch that follows tells the value of the field.
                    let target = frame.code.index_at(*target).and_then(|to| frame.body.block_at(to));
                    let behind = frame.body.block_at(at + 2);
                    world.pop();
                    let (zero, other) =
                        if *relation == Relation::Eq { (target, behind) } else { (behind, target) };
                    for (to, value) in [(zero, Value::Int(0)), (other, Value::NotZero)] {
                        let mut world = world.clone();
                        world.learn(base, key.clone(), value);
                        ends.extend(to.map(|to| (End::Enter(to), world)));
                    }
                    continue;
                }
                next.push(world);
            }
            worlds = next;
            if worlds.is_empty() {
                return Ok(());
            }
        }
        if let Some(next) = frame.body.block_at(last + 1) {
            ends.extend(worlds.into_iter().map(|world| (End::Enter(next), world)));
        }
        Ok(())
    }

    /// An exception may leave the instruction in this situation.
    pub(crate) fn may_throw(
        &self,
        frame: &Frame<'_>,
        at: usize,
        world: &World,
        ends: &mut Vec<(End, World)>,
    ) {
        if is_caught(frame, at) {
            self.thrown(frame, at, world.clone(), ends);
        }
    }

    /// An exception leaves the instruction: the handlers that may catch it, and perhaps the method, go on.
    pub(crate) fn thrown(
        &self,
        frame: &Frame<'_>,
        at: usize,
        mut world: World,
        ends: &mut Vec<(End, World)>,
    ) {
        let offset = frame.code.instructions[at].0;
        world.stack.clear();
        for handler in &frame.code.handlers {
            if !(handler.start..handler.end).contains(&offset) {
                continue;
            }
            if handler.catches.as_deref().is_some_and(|class| MACHINE_ERRORS.contains(&class)) {
                continue;
            }
            let target = frame.code.index_at(handler.target).and_then(|at| frame.body.block_at(at));
            if let Some(target) = target {
                let mut world = world.clone();
                world.push(Value::Unknown);
                ends.push((End::Enter(target), world));
            }
            if handler.catches.as_deref().is_none_or(|class| class == "java/lang/Throwable") {
                return;
            }
        }
        if !frame.chain.is_empty() {
            ends.push((End::Threw, world));
        }
    }

    /// Returns true unless a block is entered that handles, of this instruction, only exceptions that no
    /// instruction but a call throws.
    fn catches_runtime(&self, frame: &Frame<'_>, at: usize, end: End) -> bool {
        let End::Enter(block) = end else { return true };
        let offset = frame.code.instructions[at].0;
        let begins = |target: u32| frame.code.index_at(target).and_then(|at| frame.body.block_at(at));
        frame.code.handlers.iter().any(|handler| {
            (handler.start..handler.end).contains(&offset)
                && begins(handler.target) == Some(block)
                && handler.catches.as_deref().is_none_or(|class| {
                    class.strip_prefix("java/lang/").is_some_and(|name| INSTRUCTIONS_THROW.contains(&name))
                })
        })
    }

    fn int(&self, number: i32) -> Value {
        if self.precise { Value::Int(number) } else { Value::Unknown }
    }

    /// Instructions after which execution goes on with the next one.
    fn simple(&self, at: usize, instruction: &Instruction, world: &mut World, field: &mut LastField) {
        match instruction {
            Instruction::Push(constant) => match constant {
                Constant::Int(number) => world.push(self.int(*number)),
                Constant::Null => world.push(Value::Null),
                Constant::String(text) if self.precise => world.push(texts::constant(text)),
                Constant::Long(_) | Constant::Double(_) => unknown(world, 2),
                Constant::Dynamic { descriptor, .. } if matches!(&**descriptor, "J" | "D") => {
                    unknown(world, 2)
                }
                _ => unknown(world, 1),
            },
            Instruction::Load(Kind::Reference, slot) => {
                let value = world.local_object(usize::from(*slot));
                world.push(value);
            }
            Instruction::Load(kind, slot) => {
                let value = world.locals.get(usize::from(*slot)).copied().unwrap_or(Value::Unknown);
                world.push(value);
                unknown(world, kind.slots() - 1);
            }
            Instruction::Store(kind, slot) => {
                let slot = usize::from(*slot);
                for _ in 1..kind.slots() {
                    world.pop();
                }
                let value = world.pop();
                for more in 0..kind.slots() {
                    if let Some(place) = world.locals.get_mut(slot + more) {
                        *place = if more == 0 { value } else { Value::Unknown };
                    }
                }
            }
            Instruction::Increment(slot, _) => {
                if let Some(place) = world.locals.get_mut(usize::from(*slot)) {
                    *place = Value::Unknown;
                }
            }
            Instruction::ArrayLoad(element) => {
                pop(world, 2);
                unknown(world, element.kind().slots());
            }
            Instruction::ArrayStore(element) => {
                let value = world.stack.last().copied().unwrap_or(Value::Unknown);
                if *element == Element::Reference {
                    world.share(value);
                }
                pop(world, element.kind().slots() + 2);
            }
            Instruction::Stack(moved) => move_stack(world, *moved),
            Instruction::Arithmetic(kind, operator) => {
                let slots = kind.slots();
                match operator {
                    Operator::Neg => pop(world, slots),
                    Operator::Shl | Operator::Shr | Operator::Ushr => pop(world, slots + 1),
                    _ => pop(world, slots * 2),
                }
                unknown(world, slots);
            }
            Instruction::Convert(from, to) => {
                pop(world, from.slots());
                unknown(world, to.kind().slots());
            }
            Instruction::Compare(kind, _) => {
                pop(world, kind.slots() * 2);
                unknown(world, 1);
            }
            Instruction::GetField(member) => {
                let base = world.pop();
                self.read_field(at, base, member, world, field);
            }
            Instruction::GetStatic(member) => {
                self.read_field(at, Value::Ref(STATICS), member, world, field);
            }
            Instruction::PutField(member) => {
                let value = pop_typed(world, &member.descriptor);
                let base = world.pop();
                match base {
                    Value::Ref(id) => write_field(world, id, member, value),
                    _ => {
                        // The object may be any that is known.
                        world.share(value);
                        let objects = std::mem::take(&mut world.objects);
                        let fresh = |id: Id| id != STATICS && objects[usize::from(id)].fresh;
                        world.heap.retain(|((id, key), _)| key.name != member.name || fresh(*id));
                        world.objects = objects;
                    }
                }
            }
            Instruction::PutStatic(member) => {
                let value = pop_typed(world, &member.descriptor);
                write_field(world, STATICS, member, value);
            }
            Instruction::New(class) => {
                let id = world.add(Object {
                    fresh: true,
                    nonnull: true,
                    class: Some(class.clone()),
                    ..Object::unknown()
                });
                world.push(Value::Ref(id));
            }
            Instruction::NewArray(_, lengths) => {
                pop(world, usize::from(*lengths));
                unknown(world, 1);
            }
            Instruction::ArrayLength | Instruction::InstanceOf(_) => {
                pop(world, 1);
                unknown(world, 1);
            }
            Instruction::MonitorEnter | Instruction::MonitorExit => pop(world, 1),
            // A cast keeps its value. The rest is handled before, or does nothing.
            _ => {}
        }
    }

    fn read_field(
        &self,
        at: usize,
        base: Value,
        member: &MemberRef,
        world: &mut World,
        field: &mut LastField,
    ) {
        let is_reference = member.descriptor.starts_with(['L', '[']);
        let wide = matches!(&*member.descriptor, "J" | "D");
        let Value::Ref(base) = base else {
            unknown(world, if wide { 2 } else { 1 });
            return;
        };
        let key = FieldKey { name: member.name.clone(), class: member.class.clone() };
        if let Some(known) = world.field(base, &key) {
            world.push(known);
            return;
        }
        if is_reference {
            let made = self.in_final_field(member).or_else(|| self.in_concurrent_field(member));
            let mut object = made.unwrap_or_else(Object::unknown);
            // A constant of the class itself, such as that of an enum, is an object.
            object.nonnull |= base == STATICS && is_of_own_class(member);
            let id = world.add(object);
            world.learn(base, key, Value::Ref(id));
            world.push(Value::Ref(id));
        } else {
            unknown(world, if wide { 2 } else { 1 });
            if !wide {
                *field = Some((at, base, key));
            }
        }
    }

    /// The object in a private final field for which the class itself creates one. The class is to blame if
    /// it does not ask before it uses the object, so that its states are not vague.
    fn in_final_field(&self, member: &MemberRef) -> Option<Object> {
        let outlook = self.memory.outlooks.get(&member.class)?;
        let class = outlook.final_fields.get(&member.name)?.clone()?;
        let mut object = Object { class: Some(class.clone()), ..Object::unknown() };
        if let Some(model) = self.verifier.model_of(&class) {
            let typestate = self.verifier.typestate(model);
            object.track = (typestate.scope == ReceiverScope::Exact).then_some(Track {
                model,
                states: typestate.all,
                lost: false,
                from_creation: false,
                vague: false,
                pending: None,
            });
        }
        Some(object)
    }

    /// The object in a field for which the class creates a concurrent collection, whose iterators allow
    /// changes.
    fn in_concurrent_field(&self, member: &MemberRef) -> Option<Object> {
        let outlook = self.memory.outlooks.get(&member.class)?;
        let class = outlook.concurrent_fields.get(&member.name)?.clone();
        Some(Object { class: Some(class), ..Object::unknown() })
    }

    #[expect(clippy::too_many_arguments, reason = "the two ways on and the situation")]
    fn branch(
        &self,
        frame: &Frame<'_>,
        at: usize,
        condition: Condition,
        target: Option<usize>,
        behind: Option<usize>,
        mut world: World,
        ends: &mut Vec<(End, World)>,
    ) {
        let target = target.and_then(|at| frame.body.block_at(at));
        let mut go = |to: Option<usize>, world: World| {
            ends.extend(to.map(|to| (End::Enter(to), world)));
        };
        match condition {
            Condition::Zero(relation) => {
                let value = world.pop();
                let answered = matches!(relation, Relation::Eq | Relation::Ne);
                match value {
                    Value::Int(number) => {
                        let to = if compare(relation, number, 0) { target } else { behind };
                        go(to, world);
                    }
                    Value::NotZero if answered => {
                        go(if relation == Relation::Ne { target } else { behind }, world);
                    }
                    Value::Answer(id) if answered => {
                        let (yes, no) =
                            if relation == Relation::Ne { (target, behind) } else { (behind, target) };
                        for (to, answer) in [(yes, true), (no, false)] {
                            let mut world = world.clone();
                            self.settle(&mut world, id, answer);
                            go(to, world);
                        }
                    }
                    _ => {
                        let before = at.checked_sub(1).map(|at| &frame.code.instructions[at].1);
                        let (zero, other) =
                            if relation == Relation::Eq { (target, behind) } else { (behind, target) };
                        match before {
                            Some(Instruction::Load(Kind::Int, slot))
                                if self.precise
                                    && answered
                                    && world.locals.get(usize::from(*slot)) == Some(&Value::Unknown) =>
                            {
                                for (to, value) in [(zero, Value::Int(0)), (other, Value::NotZero)] {
                                    let mut world = world.clone();
                                    world.locals[usize::from(*slot)] = value;
                                    go(to, world);
                                }
                            }
                            _ => {
                                go(target, world.clone());
                                go(behind, world);
                            }
                        }
                    }
                }
            }
            Condition::Ints(relation) => {
                let (upper, lower) = (world.pop(), world.pop());
                match (lower, upper, relation) {
                    (Value::Int(lower), Value::Int(upper), _) => {
                        go(if compare(relation, lower, upper) { target } else { behind }, world);
                    }
                    (Value::Answer(id), Value::Int(number @ (0 | 1)), Relation::Eq | Relation::Ne)
                    | (Value::Int(number @ (0 | 1)), Value::Answer(id), Relation::Eq | Relation::Ne) => {
                        let (same, other) =
                            if relation == Relation::Eq { (target, behind) } else { (behind, target) };
                        for (to, answer) in [(same, number == 1), (other, number == 0)] {
                            let mut world = world.clone();
                            self.settle(&mut world, id, answer);
                            go(to, world);
                        }
                    }
                    _ => {
                        go(target, world.clone());
                        go(behind, world);
                    }
                }
            }
            Condition::References(wants_same) => {
                let (one, other) = (world.pop(), world.pop());
                let null_test = match (one, other) {
                    (Value::Null, Value::Ref(id)) | (Value::Ref(id), Value::Null) => Some(id),
                    _ => None,
                };
                let (same, different) = if wants_same { (target, behind) } else { (behind, target) };
                match (one, other) {
                    (one, other) if one == other && matches!(one, Value::Ref(_) | Value::Null) => {
                        go(same, world)
                    }
                    _ => match null_test {
                        Some(id) => null_branch(world, id, same, different, go),
                        None => {
                            go(same, world.clone());
                            go(different, world);
                        }
                    },
                }
            }
            Condition::Null(wants_null) => {
                let value = world.pop();
                let (null, other) = if wants_null { (target, behind) } else { (behind, target) };
                match value {
                    Value::Null => go(null, world),
                    Value::Text(_) => go(other, world),
                    Value::Ref(id) => null_branch(world, id, null, other, go),
                    _ => {
                        go(null, world.clone());
                        go(other, world);
                    }
                }
            }
        }
    }

    /// The boolean that the last call on an object returned is now known.
    pub(crate) fn settle(&self, world: &mut World, id: Id, answer: bool) {
        let object = world.object_mut(id);
        if let Some(track) = &mut object.track
            && let Some((on_false, on_true)) = track.pending.take()
            && !track.lost
        {
            let states = if answer { on_true } else { on_false };
            // An answer that the model does not have is no reason to think that this cannot happen.
            track.lost = states == 0;
            let decisive = on_false != on_true;
            track.vague &= !decisive;
            track.states = states;
            object.history = object.history.answered(answer, decisive);
        }
        let known = self.int(i32::from(answer));
        world.replace(Value::Answer(id), known);
    }
}

/// Returns true if the type of a field is the class that declares it.
fn is_of_own_class(member: &MemberRef) -> bool {
    let name = member.descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
    name == Some(&*member.class)
}

/// Exceptions of instructions other than calls, and the classes above them.
const INSTRUCTIONS_THROW: [&str; 10] = [
    "ArithmeticException",
    "ArrayIndexOutOfBoundsException",
    "ArrayStoreException",
    "ClassCastException",
    "Exception",
    "IndexOutOfBoundsException",
    "NegativeArraySizeException",
    "NullPointerException",
    "RuntimeException",
    "Throwable",
];

/// Errors that only the virtual machine throws. Where they come from is not known, so that a path through
/// their handlers is no evidence.
const MACHINE_ERRORS: [&str; 9] = [
    "java/lang/AbstractMethodError",
    "java/lang/IncompatibleClassChangeError",
    "java/lang/LinkageError",
    "java/lang/NoClassDefFoundError",
    "java/lang/NoSuchMethodError",
    "java/lang/OutOfMemoryError",
    "java/lang/StackOverflowError",
    "java/lang/UnsatisfiedLinkError",
    "java/lang/VirtualMachineError",
];

/// Returns true if something goes on after an exception at the instruction: a handler, or a caller.
pub(crate) fn is_caught(frame: &Frame<'_>, at: usize) -> bool {
    let offset = frame.code.instructions[at].0;
    !frame.chain.is_empty()
        || frame.code.handlers.iter().any(|handler| (handler.start..handler.end).contains(&offset))
}

/// Goes on where the object is null, and where it is not.
fn null_branch(
    world: World,
    id: Id,
    null: Option<usize>,
    other: Option<usize>,
    mut go: impl FnMut(Option<usize>, World),
) {
    if !world.object(id).nonnull {
        let mut world = world.clone();
        world.replace(Value::Ref(id), Value::Null);
        world.replace(Value::Answer(id), Value::Unknown);
        world.heap.retain(|((base, _), _)| *base != id);
        go(null, world);
    }
    let mut world = world;
    world.object_mut(id).nonnull = true;
    go(other, world);
}

fn jump(frame: &Frame<'_>, target: u32, world: World, ends: &mut Vec<(End, World)>) {
    let to = frame.code.index_at(target).and_then(|at| frame.body.block_at(at));
    ends.extend(to.map(|to| (End::Enter(to), world)));
}

fn switch(
    frame: &Frame<'_>,
    key: Value,
    default: u32,
    cases: &[(i32, u32)],
    world: World,
    ends: &mut Vec<(End, World)>,
) {
    if let Value::Int(key) = key {
        let found = cases.iter().find(|(case, _)| *case == key);
        jump(frame, found.map_or(default, |&(_, target)| target), world, ends);
        return;
    }
    let mut targets: Vec<u32> = cases.iter().map(|&(_, target)| target).chain([default]).collect();
    targets.sort_unstable();
    targets.dedup();
    for target in targets {
        jump(frame, target, world.clone(), ends);
    }
}

fn compare(relation: Relation, one: i32, other: i32) -> bool {
    match relation {
        Relation::Eq => one == other,
        Relation::Ne => one != other,
        Relation::Lt => one < other,
        Relation::Ge => one >= other,
        Relation::Gt => one > other,
        Relation::Le => one <= other,
    }
}

/// Returns true if the instruction may throw here. Errors of the virtual machine do not count.
fn can_throw(instruction: &Instruction, world: &World) -> bool {
    let known = |depth: usize| {
        let at = world.stack.len().checked_sub(depth);
        match at.and_then(|at| world.stack.get(at)) {
            Some(Value::Ref(id)) => world.object(*id).nonnull,
            _ => false,
        }
    };
    match instruction {
        Instruction::GetField(_) => !known(1),
        Instruction::PutField(member) => !known(if matches!(&*member.descriptor, "J" | "D") { 3 } else { 2 }),
        Instruction::Arithmetic(kind, Operator::Div | Operator::Rem) => {
            matches!(kind, Kind::Int | Kind::Long)
        }
        Instruction::ArrayLoad(_)
        | Instruction::ArrayStore(_)
        | Instruction::ArrayLength
        | Instruction::NewArray(..)
        | Instruction::CheckCast(_) => true,
        _ => false,
    }
}

fn write_field(world: &mut World, base: Id, member: &MemberRef, value: Value) {
    let key = FieldKey { name: member.name.clone(), class: member.class.clone() };
    // An answer in a field would have to be found again when it is no longer the last one.
    let value = if matches!(value, Value::Answer(_) | Value::Address(_)) { Value::Unknown } else { value };
    world.write(base, key, value);
}

fn pop_typed(world: &mut World, descriptor: &str) -> Value {
    if matches!(descriptor, "J" | "D") {
        pop(world, 2);
        return Value::Unknown;
    }
    world.pop()
}

pub(crate) fn pop(world: &mut World, slots: usize) {
    let left = world.stack.len().saturating_sub(slots);
    world.stack.truncate(left);
}

pub(crate) fn unknown(world: &mut World, slots: usize) {
    for _ in 0..slots {
        world.push(Value::Unknown);
    }
}

fn move_stack(world: &mut World, moved: StackMove) {
    let (taken, depth) = match moved {
        StackMove::Pop => return pop(world, 1),
        StackMove::Pop2 => return pop(world, 2),
        StackMove::Swap => {
            let (one, two) = (world.pop(), world.pop());
            world.push(one);
            world.push(two);
            return;
        }
        StackMove::Dup => (1, 0),
        StackMove::DupX1 => (1, 1),
        StackMove::DupX2 => (1, 2),
        StackMove::Dup2 => (2, 0),
        StackMove::Dup2X1 => (2, 1),
        StackMove::Dup2X2 => (2, 2),
    };
    let length = world.stack.len();
    let from = length.saturating_sub(taken);
    let copied: Vec<Value> = world.stack[from..].to_vec();
    let to = from.saturating_sub(depth);
    world.stack.splice(to..to, copied);
}
