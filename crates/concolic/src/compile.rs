//! Methods in the form that the interpreter runs: jumps are indices, names are resolved, and the stack is
//! known to stay within its bounds.

use std::sync::Arc;

use adit_bytecode::{
    Call, Code, Condition, Constant, Element, Flags, Instruction, Kind, Operator, StackMove, Type,
};

use crate::Unknown;
use crate::link::{ClassId, Linker, MethodNumber, Selector, TypeNumber, result_slots};

/// One instruction with everything resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Nop,
    /// A constant in one slot, or in two.
    Push(i64),
    PushWide(i64),
    /// A string constant.
    Literal(u32),
    /// A class as a value.
    Mirror(TypeNumber),
    Load(u16),
    LoadWide(u16),
    Store(u16),
    StoreWide(u16),
    Increment(u16, i16),
    ArrayLoad(Element),
    ArrayStore(Element),
    Stack(StackMove),
    Arithmetic(Kind, Operator),
    Convert(Kind, Element),
    Compare(Kind, i8),
    Branch(Condition, u32),
    Goto(u32),
    /// A switch of the body.
    Switch(u32),
    /// Slots of the result.
    Return(u8),
    Throw,
    GetField(u32, Width),
    PutField(u32, Width),
    GetStatic(ClassId, u32, Width),
    PutStatic(ClassId, u32, Width),
    /// A call of a known method.
    Invoke {
        method: MethodNumber,
        slots: u8,
        is_static: bool,
    },
    /// A call that the receiver's class decides.
    Dispatch {
        selector: Selector,
        slots: u8,
        result: u8,
    },
    /// Concatenation of strings and numbers in so many slots.
    Concat(u8),
    New(ClassId),
    /// An array type and how many lengths are popped.
    NewArray(TypeNumber, u8),
    ArrayLength,
    CheckCast(TypeNumber),
    InstanceOf(TypeNumber),
    Monitor,
    /// A reason of the body: what this instruction does is unknown.
    Unsupported(u32),
}

/// The width of a field, and how a value is narrowed when it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    One,
    Two,
    Boolean,
    Byte,
    Char,
    Short,
}

impl Width {
    fn of(kind: &Type) -> Width {
        match kind {
            Type::Long | Type::Double => Width::Two,
            Type::Boolean => Width::Boolean,
            Type::Byte => Width::Byte,
            Type::Char => Width::Char,
            Type::Short => Width::Short,
            _ => Width::One,
        }
    }
}

/// A method that can be run.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) ops: Vec<Op>,
    pub(crate) switches: Vec<SwitchTable>,
    pub(crate) handlers: Vec<HandlerRange>,
    pub(crate) reasons: Vec<Unknown>,
    pub(crate) locals: usize,
    pub(crate) stack: usize,
    /// Descriptor of the declared result type, for narrowing.
    pub(crate) result: Option<Width>,
}

#[derive(Debug)]
pub(crate) struct SwitchTable {
    pub(crate) default: u32,
    pub(crate) cases: Vec<(i32, u32)>,
}

/// A handler with indices in place of offsets.
#[derive(Debug)]
pub(crate) struct HandlerRange {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) target: u32,
    pub(crate) catches: Option<TypeNumber>,
}

/// Compiles the body of a method.
pub(crate) fn compile(linker: &mut Linker<'_>, method: MethodNumber) -> Result<Body, Unknown> {
    let name = linker.name_of(method);
    let slots = linker.methods[method.0 as usize].slots;
    let (class, declared) = linker.declaration(method);
    let (class, index) = (class.clone(), linker.methods[method.0 as usize].index);
    if declared.flags.has(Flags::NATIVE) {
        return Err(Unknown::Native(name));
    }
    let declared = &class.methods[index];
    let Some(code) = &declared.code else { return Err(Unknown::MissingMember(name)) };
    let mut body = Body {
        ops: Vec::with_capacity(code.instructions.len()),
        switches: Vec::new(),
        handlers: Vec::new(),
        reasons: Vec::new(),
        locals: usize::from(code.max_locals).max(slots),
        stack: usize::from(code.max_stack),
        result: declared.signature().result.as_ref().map(Width::of),
    };
    let target = |offset: u32| code.index_at(offset).unwrap_or(usize::MAX) as u32;
    for (_, instruction) in &code.instructions {
        let op = translate(linker, &class.name, &mut body, instruction, &target).unwrap_or_else(|reason| {
            body.reasons.push(reason);
            Op::Unsupported(body.reasons.len() as u32 - 1)
        });
        body.ops.push(op);
    }
    for handler in &code.handlers {
        let end = code.index_at(handler.end).unwrap_or(code.instructions.len()) as u32;
        body.handlers.push(HandlerRange {
            start: target(handler.start),
            end,
            target: target(handler.target),
            catches: handler.catches.as_ref().map(|caught| linker.kind(caught)),
        });
    }
    if is_bounded(linker, &body, code) { Ok(body) } else { Err(Unknown::Unverified(name)) }
}

fn translate(
    linker: &mut Linker<'_>,
    caller: &str,
    body: &mut Body,
    instruction: &Instruction,
    target: &impl Fn(u32) -> u32,
) -> Result<Op, Unknown> {
    let unsupported = |name: &str| Err(Unknown::Instruction(name.into()));
    Ok(match instruction {
        Instruction::Nop => Op::Nop,
        Instruction::Push(constant) => match constant {
            Constant::Null => Op::Push(0),
            Constant::Int(value) => Op::Push(i64::from(*value)),
            Constant::Long(value) => Op::PushWide(*value),
            Constant::Float(value) => Op::Push(crate::arithmetic::of_float(*value)),
            Constant::Double(value) => Op::PushWide(crate::arithmetic::of_double(*value)),
            Constant::String(text) => Op::Literal(linker.literal(text)),
            Constant::Class(name) => Op::Mirror(linker.kind(name)),
            Constant::HalfString(_) => return unsupported("ldc of a string with lone surrogates"),
            Constant::MethodType(_) => return unsupported("ldc of a method type"),
            Constant::MethodHandle(_) => return unsupported("ldc of a method handle"),
            Constant::Dynamic { .. } => return unsupported("ldc of a dynamic constant"),
        },
        Instruction::Load(kind, slot) if kind.slots() == 2 => Op::LoadWide(*slot),
        Instruction::Load(_, slot) => Op::Load(*slot),
        Instruction::Store(kind, slot) if kind.slots() == 2 => Op::StoreWide(*slot),
        Instruction::Store(_, slot) => Op::Store(*slot),
        Instruction::Increment(slot, by) => Op::Increment(*slot, *by),
        Instruction::ArrayLoad(element) => Op::ArrayLoad(*element),
        Instruction::ArrayStore(element) => Op::ArrayStore(*element),
        Instruction::Stack(how) => Op::Stack(*how),
        Instruction::Arithmetic(kind, operator) => Op::Arithmetic(*kind, *operator),
        Instruction::Convert(from, to) => Op::Convert(*from, *to),
        Instruction::Compare(kind, unordered) => Op::Compare(*kind, *unordered),
        Instruction::Branch(condition, to) => Op::Branch(*condition, target(*to)),
        Instruction::Goto(to) => Op::Goto(target(*to)),
        Instruction::Jsr(_) => return unsupported("jsr"),
        Instruction::Ret(_) => return unsupported("ret"),
        Instruction::Switch { default, cases } => {
            let cases = cases.iter().map(|&(key, to)| (key, target(to))).collect();
            body.switches.push(SwitchTable { default: target(*default), cases });
            Op::Switch(body.switches.len() as u32 - 1)
        }
        Instruction::Return(kind) => Op::Return(kind.map_or(0, |kind| kind.slots() as u8)),
        Instruction::Throw => Op::Throw,
        Instruction::GetField(member) => {
            Op::GetField(linker.field(member, false)?.1, width(&member.descriptor))
        }
        Instruction::PutField(member) => {
            Op::PutField(linker.field(member, false)?.1, width(&member.descriptor))
        }
        Instruction::GetStatic(member) => {
            let (class, slot) = linker.field(member, true)?;
            Op::GetStatic(class, slot, width(&member.descriptor))
        }
        Instruction::PutStatic(member) => {
            let (class, slot) = linker.field(member, true)?;
            Op::PutStatic(class, slot, width(&member.descriptor))
        }
        Instruction::Invoke(call, member) => {
            let Some(signature) = adit_bytecode::Signature::parse(&member.descriptor) else {
                return Err(Unknown::MissingMember(member.name.clone()));
            };
            let slots = (signature.slots() + usize::from(*call != Call::Static)) as u8;
            match call {
                Call::Static => Op::Invoke { method: linker.resolve(member)?, slots, is_static: true },
                Call::Special => {
                    let method = resolve_special(linker, caller, member)?;
                    Op::Invoke { method, slots, is_static: false }
                }
                Call::Virtual | Call::Interface => {
                    let selector = linker.selector(&member.name, &member.descriptor);
                    let result = result_slots(&signature);
                    match private_target(linker, caller, member)? {
                        Some(method) => Op::Invoke { method, slots, is_static: false },
                        None => Op::Dispatch { selector, slots, result },
                    }
                }
            }
        }
        Instruction::InvokeDynamic(site) => {
            let concatenates = &*site.bootstrap.class == "java/lang/invoke/StringConcatFactory";
            let signature = adit_bytecode::Signature::parse(&site.descriptor).filter(|_| concatenates);
            let is_plain = |kind: &Type| !kind.is_reference() || is_text(kind);
            match signature {
                Some(signature) if signature.parameters.iter().all(is_plain) => {
                    Op::Concat(signature.slots() as u8)
                }
                Some(_) => return unsupported("invokedynamic that concatenates objects"),
                None => return unsupported("invokedynamic"),
            }
        }
        Instruction::New(class) => Op::New(linker.class(class)?),
        Instruction::NewArray(descriptor, dimensions) => Op::NewArray(linker.kind(descriptor), *dimensions),
        Instruction::ArrayLength => Op::ArrayLength,
        Instruction::CheckCast(class) => Op::CheckCast(linker.kind(class)),
        Instruction::InstanceOf(class) => Op::InstanceOf(linker.kind(class)),
        Instruction::MonitorEnter | Instruction::MonitorExit => Op::Monitor,
    })
}

fn is_text(kind: &Type) -> bool {
    matches!(kind, Type::Class(name) if &**name == "java/lang/String")
}

fn width(descriptor: &Arc<str>) -> Width {
    Type::parse(descriptor).as_ref().map_or(Width::One, Width::of)
}

/// JVMS §6.5.invokespecial: a call to `super` begins at the caller's superclass, whichever ancestor is named.
fn resolve_special(
    linker: &mut Linker<'_>,
    caller: &str,
    member: &adit_bytecode::MemberRef,
) -> Result<MethodNumber, Unknown> {
    let itself = linker.resolve(member)?;
    let (owner, method) = linker.declaration(itself);
    if method.is_constructor() || method.flags.has(Flags::PRIVATE) || owner.is_interface() {
        return Ok(itself);
    }
    let caller = linker.class(caller)?;
    let Some(above) = linker.at(caller).class.superclass.clone() else { return Ok(itself) };
    linker.resolve(&adit_bytecode::MemberRef { class: above, ..member.clone() })
}

/// Private methods are called by `invokevirtual` since Java 11, and are not overridden.
fn private_target(
    linker: &mut Linker<'_>,
    caller: &str,
    member: &adit_bytecode::MemberRef,
) -> Result<Option<MethodNumber>, Unknown> {
    // Only a class of the same nest can name a private method, and it is linked already or cheap to link.
    let nest = |name: &str| name.split('$').next().map(str::to_owned);
    if member.class.starts_with('[') || nest(caller) != nest(&member.class) {
        return Ok(None);
    }
    let method = linker.resolve(member)?;
    let is_private = linker.declaration(method).1.flags.has(Flags::PRIVATE);
    Ok(is_private.then_some(method))
}

/// Checks that the stack and the local variables stay within their bounds on every way through the code, as
/// the verifier does (JVMS §4.10), so that the interpreter need not check.
fn is_bounded(linker: &Linker<'_>, body: &Body, code: &Code) -> bool {
    let mut depths: Vec<Option<usize>> = vec![None; body.ops.len()];
    let mut open = vec![(0usize, 0usize)];
    while let Some((at, depth)) = open.pop() {
        let Some(known) = depths.get_mut(at) else { return false };
        match known {
            Some(known) if *known == depth => continue,
            Some(_) => return false,
            None => *known = Some(depth),
        }
        let op = body.ops[at];
        let (pops, pushes) = effect(linker, op);
        if depth < pops || depth - pops + pushes > body.stack || !locals_fit(op, body.locals) {
            return false;
        }
        let after = depth - pops + pushes;
        match op {
            Op::Goto(to) => open.push((to as usize, after)),
            Op::Branch(_, to) => open.extend([(to as usize, after), (at + 1, after)]),
            Op::Switch(table) => {
                let table = &body.switches[table as usize];
                open.push((table.default as usize, after));
                open.extend(table.cases.iter().map(|&(_, to)| (to as usize, after)));
            }
            Op::Return(slots) => {
                let declared = body.result.map_or(0, |width| if width == Width::Two { 2 } else { 1 });
                if slots != declared {
                    return false;
                }
            }
            Op::Throw | Op::Unsupported(_) => {}
            _ => open.push((at + 1, after)),
        }
        let covering = |handler: &&HandlerRange| (handler.start..handler.end).contains(&(at as u32));
        open.extend(body.handlers.iter().filter(covering).map(|handler| (handler.target as usize, 1)));
    }
    code.instructions.len() == body.ops.len() && (body.handlers.is_empty() || body.stack > 0)
}

fn locals_fit(op: Op, locals: usize) -> bool {
    match op {
        Op::Load(slot) | Op::Store(slot) | Op::Increment(slot, _) => usize::from(slot) < locals,
        Op::LoadWide(slot) | Op::StoreWide(slot) => usize::from(slot) + 1 < locals,
        _ => true,
    }
}

/// Slots that an instruction pops and pushes.
fn effect(linker: &Linker<'_>, op: Op) -> (usize, usize) {
    let field = |width: Width| if width == Width::Two { 2 } else { 1 };
    match op {
        Op::Nop | Op::Increment(..) | Op::Goto(_) | Op::Unsupported(_) => (0, 0),
        Op::Push(_) | Op::Literal(_) | Op::Mirror(_) | Op::Load(_) | Op::New(_) => (0, 1),
        Op::PushWide(_) | Op::LoadWide(_) => (0, 2),
        Op::Store(_) | Op::Switch(_) | Op::Throw | Op::Monitor => (1, 0),
        Op::StoreWide(_) => (2, 0),
        Op::ArrayLoad(element) => (2, element.kind().slots()),
        Op::ArrayStore(element) => (2 + element.kind().slots(), 0),
        Op::Stack(how) => match how {
            StackMove::Pop => (1, 0),
            StackMove::Pop2 => (2, 0),
            StackMove::Dup => (1, 2),
            StackMove::DupX1 => (2, 3),
            StackMove::DupX2 => (3, 4),
            StackMove::Dup2 => (2, 4),
            StackMove::Dup2X1 => (3, 5),
            StackMove::Dup2X2 => (4, 6),
            StackMove::Swap => (2, 2),
        },
        Op::Arithmetic(kind, operator) => match operator {
            Operator::Neg => (kind.slots(), kind.slots()),
            Operator::Shl | Operator::Shr | Operator::Ushr => (kind.slots() + 1, kind.slots()),
            _ => (2 * kind.slots(), kind.slots()),
        },
        Op::Convert(from, to) => (from.slots(), to.kind().slots()),
        Op::Compare(kind, _) => (2 * kind.slots(), 1),
        Op::Branch(condition, _) => match condition {
            Condition::Zero(_) | Condition::Null(_) => (1, 0),
            Condition::Ints(_) | Condition::References(_) => (2, 0),
        },
        Op::Return(slots) => (usize::from(slots), 0),
        Op::GetField(_, width) => (1, field(width)),
        Op::PutField(_, width) => (1 + field(width), 0),
        Op::GetStatic(_, _, width) => (0, field(width)),
        Op::PutStatic(_, _, width) => (field(width), 0),
        Op::Invoke { method, slots, .. } => {
            let signature = linker.declaration(method).1.signature();
            (usize::from(slots), usize::from(result_slots(&signature)))
        }
        Op::Dispatch { slots, result, .. } => (usize::from(slots), usize::from(result)),
        Op::Concat(slots) => (usize::from(slots), 1),
        Op::NewArray(_, dimensions) => (usize::from(dimensions), 1),
        Op::ArrayLength | Op::CheckCast(_) | Op::InstanceOf(_) => (1, 1),
    }
}
