//! Instructions, grouped by what they do rather than by their two hundred opcodes (JVMS 6.5).

use std::sync::Arc;

use crate::cursor::{Cursor, Fault};
use crate::pool::{Bootstrap, CallSiteSpec, Constant, MemberRef, Pool};

/// One instruction. Targets of jumps are offsets in the method's code, not distances.
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    /// `nop`.
    Nop,
    /// Pushes a constant: `aconst_null`, `iconst_0`, `bipush`, `ldc` and their kin.
    Push(Constant),
    /// Pushes a local variable.
    Load(Kind, u16),
    /// Pops into a local variable.
    Store(Kind, u16),
    /// Adds a constant to a local `int`.
    Increment(u16, i16),
    /// Pushes an element of an array.
    ArrayLoad(Element),
    /// Pops a value into an element of an array.
    ArrayStore(Element),
    /// Moves values on the stack, without knowing their types.
    Stack(StackMove),
    /// Computes with one or two numbers.
    Arithmetic(Kind, Operator),
    /// Converts a number to another type; narrow types are `int` on the stack.
    Convert(Kind, Element),
    /// `lcmp`, `fcmpl`, `fcmpg`, `dcmpl`, `dcmpg`: pushes −1, 0 or 1, and the second operand if a number is
    /// NaN.
    Compare(Kind, i8),
    /// Jumps if the condition holds.
    Branch(Condition, u32),
    /// Jumps.
    Goto(u32),
    /// Jumps into a subroutine (class files before Java 7 only).
    Jsr(u32),
    /// Returns from a subroutine (class files before Java 7 only).
    Ret(u16),
    /// Jumps to the target of the popped key, or to the default.
    Switch {
        /// Target of all other keys.
        default: u32,
        /// Keys with their targets, in the order of the class file.
        cases: Vec<(i32, u32)>,
    },
    /// Returns, with a value of this kind or with none.
    Return(Option<Kind>),
    /// Throws the popped object.
    Throw,
    /// Reads a field of the popped object.
    GetField(MemberRef),
    /// Writes a field of the object below the popped value.
    PutField(MemberRef),
    /// Reads a static field.
    GetStatic(MemberRef),
    /// Writes a static field.
    PutStatic(MemberRef),
    /// Calls a method.
    Invoke(Call, MemberRef),
    /// Calls what a bootstrap method chooses.
    InvokeDynamic(Arc<CallSiteSpec>),
    /// Makes an object whose constructor is still to be called.
    New(Arc<str>),
    /// Makes an array: the descriptor of the array and how many lengths are popped.
    NewArray(Arc<str>, u8),
    /// Pushes the length of an array.
    ArrayLength,
    /// Throws unless the object is of this class, in internal form or as an array descriptor.
    CheckCast(Arc<str>),
    /// Pushes whether the object is of this class.
    InstanceOf(Arc<str>),
    /// Enters the monitor of the popped object.
    MonitorEnter,
    /// Leaves the monitor of the popped object.
    MonitorExit,
}

/// Kind of a value on the stack or in a local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `int`, and all narrower types.
    Int,
    /// `long`, in two slots.
    Long,
    /// `float`.
    Float,
    /// `double`, in two slots.
    Double,
    /// A reference.
    Reference,
}

impl Kind {
    /// Number of slots of a value.
    pub fn slots(self) -> usize {
        if matches!(self, Kind::Long | Kind::Double) { 2 } else { 1 }
    }
}

/// Kind of an array element, or target of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// A reference.
    Reference,
    /// `byte`; in array instructions also `boolean`.
    Byte,
    /// `char`.
    Char,
    /// `short`.
    Short,
}

impl Element {
    /// Kind of the element on the stack.
    pub fn kind(self) -> Kind {
        match self {
            Element::Long => Kind::Long,
            Element::Float => Kind::Float,
            Element::Double => Kind::Double,
            Element::Reference => Kind::Reference,
            Element::Int | Element::Byte | Element::Char | Element::Short => Kind::Int,
        }
    }
}

/// A stack manipulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the instructions")]
pub enum StackMove {
    Pop,
    Pop2,
    Dup,
    DupX1,
    DupX2,
    Dup2,
    Dup2X1,
    Dup2X2,
    Swap,
}

/// An arithmetic or bitwise operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the instructions")]
pub enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Neg,
    Shl,
    Shr,
    Ushr,
    And,
    Or,
    Xor,
}

/// Condition under which a branch is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The popped `int` compares so with zero.
    Zero(Relation),
    /// The lower of two popped `int`s compares so with the upper.
    Ints(Relation),
    /// The two popped references are the same, or are not.
    References(bool),
    /// The popped reference is null, or is not.
    Null(bool),
}

/// A comparison of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the instructions")]
pub enum Relation {
    Eq,
    Ne,
    Lt,
    Ge,
    Gt,
    Le,
}

/// Kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Call {
    /// On the receiver's own class.
    Virtual,
    /// On the receiver's own class, through an interface.
    Interface,
    /// A constructor, a private method or a method of a superclass.
    Special,
    /// Without a receiver.
    Static,
}

impl Instruction {
    /// Offsets other than the next instruction at which execution may continue, exceptions aside.
    pub fn targets(&self) -> Vec<u32> {
        match self {
            Instruction::Branch(_, target) | Instruction::Goto(target) | Instruction::Jsr(target) => {
                vec![*target]
            }
            Instruction::Switch { default, cases } => {
                cases.iter().map(|&(_, target)| target).chain([*default]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns true if execution may continue at the next instruction.
    pub fn falls_through(&self) -> bool {
        !matches!(
            self,
            Instruction::Goto(_)
                | Instruction::Jsr(_)
                | Instruction::Ret(_)
                | Instruction::Switch { .. }
                | Instruction::Return(_)
                | Instruction::Throw
        )
    }
}

const WHAT: &str = "an instruction";
const KINDS: [Kind; 5] = [Kind::Int, Kind::Long, Kind::Float, Kind::Double, Kind::Reference];
const ELEMENTS: [Element; 8] = [
    Element::Int,
    Element::Long,
    Element::Float,
    Element::Double,
    Element::Reference,
    Element::Byte,
    Element::Char,
    Element::Short,
];
const MOVES: [StackMove; 9] = [
    StackMove::Pop,
    StackMove::Pop2,
    StackMove::Dup,
    StackMove::DupX1,
    StackMove::DupX2,
    StackMove::Dup2,
    StackMove::Dup2X1,
    StackMove::Dup2X2,
    StackMove::Swap,
];
/// In the order of the opcodes from 0x60; each comes for four kinds, the shifts and the logic for two.
const OPERATORS: [Operator; 6] =
    [Operator::Add, Operator::Sub, Operator::Mul, Operator::Div, Operator::Rem, Operator::Neg];
const BIT_OPERATORS: [Operator; 6] =
    [Operator::Shl, Operator::Shr, Operator::Ushr, Operator::And, Operator::Or, Operator::Xor];
const RELATIONS: [Relation; 6] =
    [Relation::Eq, Relation::Ne, Relation::Lt, Relation::Ge, Relation::Gt, Relation::Le];
/// In the order of the opcodes from 0x85.
const CONVERSIONS: [(Kind, Element); 15] = [
    (Kind::Int, Element::Long),
    (Kind::Int, Element::Float),
    (Kind::Int, Element::Double),
    (Kind::Long, Element::Int),
    (Kind::Long, Element::Float),
    (Kind::Long, Element::Double),
    (Kind::Float, Element::Int),
    (Kind::Float, Element::Long),
    (Kind::Float, Element::Double),
    (Kind::Double, Element::Int),
    (Kind::Double, Element::Long),
    (Kind::Double, Element::Float),
    (Kind::Int, Element::Byte),
    (Kind::Int, Element::Char),
    (Kind::Int, Element::Short),
];

/// Reads the instruction at the cursor; `base` is where the method's code begins in the file.
pub(crate) fn read(
    cursor: &mut Cursor<'_>,
    base: usize,
    pool: &Pool<'_>,
    bootstraps: &[Bootstrap],
) -> Result<Instruction, Fault> {
    let start = cursor.at();
    let here = (start - base) as i64;
    // A target that is no offset at all becomes one that no instruction has, and is refused with those.
    let target = |distance: i64| u32::try_from(here + distance).unwrap_or(u32::MAX);
    let short = |cursor: &mut Cursor<'_>| Ok(target(i64::from(cursor.u16(WHAT)?.cast_signed())));
    let long = |cursor: &mut Cursor<'_>| Ok(target(i64::from(cursor.i32(WHAT)?)));
    let opcode = cursor.u8(WHAT)?;
    let within = |first: u8| usize::from(opcode - first);
    Ok(match opcode {
        0x00 => Instruction::Nop,
        0x01 => Instruction::Push(Constant::Null),
        0x02..=0x08 => Instruction::Push(Constant::Int(i32::from(opcode) - 3)),
        0x09..=0x0a => Instruction::Push(Constant::Long(i64::from(opcode - 0x09))),
        0x0b..=0x0d => Instruction::Push(Constant::Float(f32::from(opcode - 0x0b))),
        0x0e..=0x0f => Instruction::Push(Constant::Double(f64::from(opcode - 0x0e))),
        0x10 => Instruction::Push(Constant::Int(i32::from(cursor.u8(WHAT)?.cast_signed()))),
        0x11 => Instruction::Push(Constant::Int(i32::from(cursor.u16(WHAT)?.cast_signed()))),
        0x12 => Instruction::Push(pool.constant(u16::from(cursor.u8(WHAT)?))?),
        0x13 | 0x14 => Instruction::Push(pool.constant(cursor.u16(WHAT)?)?),
        0x15..=0x19 => Instruction::Load(KINDS[within(0x15)], u16::from(cursor.u8(WHAT)?)),
        0x1a..=0x2d => Instruction::Load(KINDS[within(0x1a) / 4], u16::from((opcode - 0x1a) % 4)),
        0x2e..=0x35 => Instruction::ArrayLoad(ELEMENTS[within(0x2e)]),
        0x36..=0x3a => Instruction::Store(KINDS[within(0x36)], u16::from(cursor.u8(WHAT)?)),
        0x3b..=0x4e => Instruction::Store(KINDS[within(0x3b) / 4], u16::from((opcode - 0x3b) % 4)),
        0x4f..=0x56 => Instruction::ArrayStore(ELEMENTS[within(0x4f)]),
        0x57..=0x5f => Instruction::Stack(MOVES[within(0x57)]),
        0x60..=0x77 => Instruction::Arithmetic(KINDS[within(0x60) % 4], OPERATORS[within(0x60) / 4]),
        0x78..=0x83 => Instruction::Arithmetic(KINDS[within(0x78) % 2], BIT_OPERATORS[within(0x78) / 2]),
        0x84 => {
            Instruction::Increment(u16::from(cursor.u8(WHAT)?), i16::from(cursor.u8(WHAT)?.cast_signed()))
        }
        0x85..=0x93 => {
            let (from, to) = CONVERSIONS[within(0x85)];
            Instruction::Convert(from, to)
        }
        0x94 => Instruction::Compare(Kind::Long, 0),
        0x95 => Instruction::Compare(Kind::Float, -1),
        0x96 => Instruction::Compare(Kind::Float, 1),
        0x97 => Instruction::Compare(Kind::Double, -1),
        0x98 => Instruction::Compare(Kind::Double, 1),
        0x99..=0x9e => Instruction::Branch(Condition::Zero(RELATIONS[within(0x99)]), short(cursor)?),
        0x9f..=0xa4 => Instruction::Branch(Condition::Ints(RELATIONS[within(0x9f)]), short(cursor)?),
        0xa5..=0xa6 => Instruction::Branch(Condition::References(opcode == 0xa5), short(cursor)?),
        0xa7 => Instruction::Goto(short(cursor)?),
        0xa8 => Instruction::Jsr(short(cursor)?),
        0xa9 => Instruction::Ret(u16::from(cursor.u8(WHAT)?)),
        0xaa | 0xab => {
            // The numbers are aligned to four bytes, counted from the beginning of the code.
            cursor.take((3 - (start - base) % 4) % 4, WHAT)?;
            let default = long(cursor)?;
            let cases = if opcode == 0xaa { table(cursor, target)? } else { lookup(cursor, target)? };
            Instruction::Switch { default, cases }
        }
        0xac..=0xb0 => Instruction::Return(Some(KINDS[within(0xac)])),
        0xb1 => Instruction::Return(None),
        0xb2 => Instruction::GetStatic(pool.member(cursor.u16(WHAT)?)?),
        0xb3 => Instruction::PutStatic(pool.member(cursor.u16(WHAT)?)?),
        0xb4 => Instruction::GetField(pool.member(cursor.u16(WHAT)?)?),
        0xb5 => Instruction::PutField(pool.member(cursor.u16(WHAT)?)?),
        0xb6 => Instruction::Invoke(Call::Virtual, pool.member(cursor.u16(WHAT)?)?),
        0xb7 => Instruction::Invoke(Call::Special, pool.member(cursor.u16(WHAT)?)?),
        0xb8 => Instruction::Invoke(Call::Static, pool.member(cursor.u16(WHAT)?)?),
        0xb9 => {
            let member = pool.member(cursor.u16(WHAT)?)?;
            cursor.take(2, WHAT)?;
            Instruction::Invoke(Call::Interface, member)
        }
        0xba => {
            let site = pool.call_site(cursor.u16(WHAT)?, bootstraps)?;
            cursor.take(2, WHAT)?;
            Instruction::InvokeDynamic(Arc::new(site))
        }
        0xbb => Instruction::New(pool.class(cursor.u16(WHAT)?)?),
        0xbc => {
            let letters = ["[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"];
            let code = usize::from(cursor.u8(WHAT)?);
            let descriptor = code.checked_sub(4).and_then(|code| letters.get(code));
            Instruction::NewArray((*descriptor.ok_or(cursor.wrong("an array of an unknown type"))?).into(), 1)
        }
        0xbd => Instruction::NewArray(pool.array_of(cursor.u16(WHAT)?)?, 1),
        0xbe => Instruction::ArrayLength,
        0xbf => Instruction::Throw,
        0xc0 => Instruction::CheckCast(pool.class(cursor.u16(WHAT)?)?),
        0xc1 => Instruction::InstanceOf(pool.class(cursor.u16(WHAT)?)?),
        0xc2 => Instruction::MonitorEnter,
        0xc3 => Instruction::MonitorExit,
        0xc4 => wide(cursor)?,
        0xc5 => Instruction::NewArray(pool.class(cursor.u16(WHAT)?)?, cursor.u8(WHAT)?),
        0xc6..=0xc7 => Instruction::Branch(Condition::Null(opcode == 0xc6), short(cursor)?),
        0xc8 => Instruction::Goto(long(cursor)?),
        0xc9 => Instruction::Jsr(long(cursor)?),
        _ => return Err(Fault::Wrong(start, "an unknown instruction")),
    })
}

/// The rest of `tableswitch`.
fn table(cursor: &mut Cursor<'_>, target: impl Fn(i64) -> u32) -> Result<Vec<(i32, u32)>, Fault> {
    let (low, high) = (cursor.i32(WHAT)?, cursor.i32(WHAT)?);
    let count = i64::from(high) - i64::from(low) + 1;
    if count < 1 || count * 4 > cursor.rest() as i64 {
        return Err(cursor.wrong("a switch whose bounds do not fit its code"));
    }
    (low..=high).map(|key| Ok((key, target(i64::from(cursor.i32(WHAT)?))))).collect()
}

/// The rest of `lookupswitch`.
fn lookup(cursor: &mut Cursor<'_>, target: impl Fn(i64) -> u32) -> Result<Vec<(i32, u32)>, Fault> {
    let count = cursor.i32(WHAT)?;
    if count < 0 || i64::from(count) * 8 > cursor.rest() as i64 {
        return Err(cursor.wrong("a switch whose count does not fit its code"));
    }
    (0..count).map(|_| Ok((cursor.i32(WHAT)?, target(i64::from(cursor.i32(WHAT)?))))).collect()
}

/// The rest of `wide`.
fn wide(cursor: &mut Cursor<'_>) -> Result<Instruction, Fault> {
    let start = cursor.at();
    let opcode = cursor.u8(WHAT)?;
    let slot = cursor.u16(WHAT)?;
    Ok(match opcode {
        0x15..=0x19 => Instruction::Load(KINDS[usize::from(opcode - 0x15)], slot),
        0x36..=0x3a => Instruction::Store(KINDS[usize::from(opcode - 0x36)], slot),
        0x84 => Instruction::Increment(slot, cursor.u16(WHAT)?.cast_signed()),
        0xa9 => Instruction::Ret(slot),
        _ => return Err(Fault::Wrong(start, "an instruction that cannot be widened")),
    })
}
