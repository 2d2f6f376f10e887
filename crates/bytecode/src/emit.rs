//! Instructions as bytes (JVMS 6.5), and classes written from nothing.

use crate::descriptor::Type;
use crate::growth::{Full, Growth};

/// Opcodes of the instructions that rewriting emits.
pub(crate) mod op {
    pub(crate) const ACONST_NULL: u8 = 0x01;
    pub(crate) const ICONST_0: u8 = 0x03;
    pub(crate) const ICONST_1: u8 = 0x04;
    pub(crate) const SIPUSH: u8 = 0x11;
    pub(crate) const LDC_W: u8 = 0x13;
    /// The first of five, by kind of value.
    pub(crate) const ILOAD: u8 = 0x15;
    pub(crate) const ALOAD_0: u8 = 0x2a;
    pub(crate) const AASTORE: u8 = 0x53;
    pub(crate) const BASTORE: u8 = 0x54;
    pub(crate) const POP: u8 = 0x57;
    pub(crate) const DUP: u8 = 0x59;
    pub(crate) const DUP2: u8 = 0x5c;
    pub(crate) const IFEQ: u8 = 0x99;
    pub(crate) const IFNE: u8 = 0x9a;
    pub(crate) const TABLESWITCH: u8 = 0xaa;
    /// The first of five, by kind of value.
    pub(crate) const IRETURN: u8 = 0xac;
    pub(crate) const RETURN: u8 = 0xb1;
    pub(crate) const GETSTATIC: u8 = 0xb2;
    pub(crate) const GETFIELD: u8 = 0xb4;
    pub(crate) const PUTFIELD: u8 = 0xb5;
    pub(crate) const INVOKEVIRTUAL: u8 = 0xb6;
    pub(crate) const INVOKESPECIAL: u8 = 0xb7;
    pub(crate) const INVOKESTATIC: u8 = 0xb8;
    pub(crate) const INVOKEINTERFACE: u8 = 0xb9;
    pub(crate) const INVOKEDYNAMIC: u8 = 0xba;
    pub(crate) const NEW: u8 = 0xbb;
    pub(crate) const ANEWARRAY: u8 = 0xbd;
    pub(crate) const ATHROW: u8 = 0xbf;
    pub(crate) const CHECKCAST: u8 = 0xc0;
    pub(crate) const GOTO_W: u8 = 0xc8;
}

/// Emits an instruction with a two-byte operand: the index of a constant, or the distance of a jump.
pub(crate) fn with_index(code: &mut Vec<u8>, opcode: u8, index: u16) {
    code.push(opcode);
    code.extend_from_slice(&index.to_be_bytes());
}

/// Emits the shortest instruction that pushes `value`.
pub(crate) fn push_int(code: &mut Vec<u8>, growth: &mut Growth, value: i32) -> Result<(), Full> {
    match i16::try_from(value) {
        Ok(small @ -1..=5) => code.push((i16::from(op::ICONST_0) + small) as u8),
        Ok(small) => with_index(code, op::SIPUSH, small.cast_unsigned()),
        Err(_) => with_index(code, op::LDC_W, growth.int(value)?),
    }
    Ok(())
}

/// Emits the load of a parameter. A method has at most 255 slots of parameters, so `slot` always fits.
pub(crate) fn load(code: &mut Vec<u8>, parameter: &Type, slot: usize) {
    code.extend([op::ILOAD + kind(parameter), slot as u8]);
}

/// Opcode of the instruction that returns a `result`.
pub(crate) fn return_opcode(result: &Type) -> u8 {
    op::IRETURN + kind(result)
}

/// Position of a type among the five kinds of values, in the order of the opcodes.
fn kind(of: &Type) -> u8 {
    match of {
        Type::Boolean | Type::Byte | Type::Char | Type::Short | Type::Int => 0,
        Type::Long => 1,
        Type::Float => 2,
        Type::Double => 3,
        Type::Class(_) | Type::Array(_) => 4,
    }
}

/// A member of a class that is written from nothing: flags, name and descriptor.
pub type NewMember<'a> = (u16, &'a str, &'a str);

/// Writes a public final class, for Java 8 and later, whose methods have no bodies: they are native or
/// abstract.
///
/// # Panics
/// If a name has more than 65,535 bytes, or there are more members than a class can have.
pub fn bodiless_class(
    class: &str,
    superclass: &str,
    interfaces: &[&str],
    fields: &[NewMember<'_>],
    methods: &[NewMember<'_>],
) -> Vec<u8> {
    let build = || -> Result<Vec<u8>, Full> {
        let mut growth = Growth::new(1);
        let mut numbers = vec![0x1031, growth.class(class)?, growth.class(superclass)?];
        let count = |length: usize| u16::try_from(length).map_err(|_| Full);
        numbers.push(count(interfaces.len())?);
        for interface in interfaces {
            numbers.push(growth.class(interface)?);
        }
        for members in [fields, methods] {
            numbers.push(count(members.len())?);
            for (flags, name, descriptor) in members {
                numbers.extend([*flags, growth.text(name)?, growth.text(descriptor)?, 0]);
            }
        }
        // No attributes.
        numbers.push(0);
        let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52];
        out.extend_from_slice(&growth.count()?.to_be_bytes());
        out.extend_from_slice(growth.bytes());
        out.extend(numbers.into_iter().flat_map(u16::to_be_bytes));
        Ok(out)
    };
    build().expect("the caller keeps within the limits of a class file")
}
