//! Changes a developer might make: one call left out of a method, or one call more.
//!
//! Paper: [tautoko, section 4.4.1], mutants of clients that inject or suppress a call.
//! Deviation: a suppressed call that returns a value returns zero, false or null; the paper does not say.
//! Cost: one pass over the class.
//!
//! The lines of all methods are replaced by the numbers of instructions, so that a stack trace and a finding
//! name the same call and not just the same line.

use std::collections::BTreeMap;

use crate::class::check_header;
use crate::descriptor::{Signature, Type};
use crate::emit::{op, with_index};
use crate::growth::{Full, Growth};
use crate::layout::ClassLayout;
use crate::probe::Plan;
use crate::relocate::{ProbedBody, relocate};
use crate::{Class, Code, Flags, Instruction, MemberRef, RewriteError};

/// A change of one method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallMutation {
    /// Index of the method in its class.
    pub method: usize,
    /// Index of an instruction, which is a call.
    pub at: usize,
    /// The change there.
    pub change: Change,
}

/// Change of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is left out.
    Suppress,
    /// Another call, of a method without parameters, follows it.
    Inject {
        /// Place of the receiver of the other call.
        receiver: Receiver,
        /// The called method.
        target: MemberRef,
    },
}

/// The place of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// A local variable, by its slot.
    Local(u16),
    /// A field of the object that the method was called on.
    Field(MemberRef),
    /// No object: the call throws a `NullPointerException`, which shows that the code is reached.
    Null,
}

/// Returns the changed class file, or `None` if the change cannot be made: the instruction is not a call, the
/// method is too large, or its tables are damaged.
///
/// In the new file the line of an instruction is its index plus one. An injected call has the line of the
/// instruction behind it, and without a mutation only the lines change.
pub fn mutate(
    bytes: &[u8],
    file: &str,
    mutation: Option<&CallMutation>,
) -> Result<Option<Vec<u8>>, RewriteError> {
    check_header(bytes, file)?;
    let class = Class::parse(bytes, file)?;
    let layout =
        ClassLayout::read(bytes).map_err(|fault| RewriteError::Class(fault.named(file, bytes.len())))?;
    let full = |Full| RewriteError::ClassFull { file: file.to_owned() };
    let mut growth = Growth::new(layout.pool.len());
    let mut methods = Vec::new();
    for (at, (place, method)) in layout.methods.iter().zip(&class.methods).enumerate() {
        let (Some(attribute), Some(code)) = (place.code.clone(), &method.code) else {
            methods.extend_from_slice(&bytes[place.whole.clone()]);
            continue;
        };
        let mutation = mutation.filter(|mutation| mutation.method == at);
        let mut old = bytes[attribute.clone()].to_vec();
        let mut plan = Plan { probes: Vec::new(), before: BTreeMap::new(), appended: BTreeMap::new() };
        let mut inserted = Vec::new();
        if let Some(mutation) = mutation {
            if mutation.at + 1 >= code.instructions.len() {
                return Ok(None);
            }
            let is_static = method.flags.has(Flags::STATIC);
            match insert(&mut old, code, mutation, is_static, &mut growth).map_err(full)? {
                Some(new) => inserted = new,
                None => return Ok(None),
            }
            plan.before.insert(mutation.at + 1, 0);
        }
        let lines =
            code.instructions.iter().enumerate().map(|(at, &(offset, _))| (offset, line_of(at))).collect();
        let parts = ProbedBody { plan: &plan, code, attribute: &old, lines: Some(lines) };
        let body = relocate(&layout, place, &parts, &mut growth, |_, _| Ok(inserted.clone()))
            .map_err(|fault| RewriteError::Class(fault.named(file, bytes.len())))?
            .transpose()
            .map_err(full)?;
        match body {
            Some(body) => {
                methods.extend_from_slice(&bytes[place.whole.start..attribute.start]);
                methods.extend_from_slice(&body);
                methods.extend_from_slice(&bytes[attribute.end..place.whole.end]);
            }
            None if mutation.is_some() => return Ok(None),
            None => methods.extend_from_slice(&bytes[place.whole.clone()]),
        }
    }
    layout.rebuild(&growth, layout.methods.len(), &methods).map(Some).map_err(full)
}

/// The line of an instruction. Methods with more instructions than there are lines keep the last one.
fn line_of(at: usize) -> u16 {
    u16::try_from(at + 1).unwrap_or(u16::MAX)
}

/// Overwrites a suppressed call, and returns the instructions to insert behind the call.
fn insert(
    old: &mut [u8],
    code: &Code,
    mutation: &CallMutation,
    is_static: bool,
    growth: &mut Growth,
) -> Result<Option<Vec<u8>>, Full> {
    const NOP: u8 = 0x00;
    const POP2: u8 = 0x58;
    /// The code follows the name and length of the attribute, the two sizes, and its own length.
    const CODE: usize = 14;
    let (offset, instruction) = &code.instructions[mutation.at];
    let Instruction::Invoke(call, member) = instruction else { return Ok(None) };
    let mut new = Vec::new();
    match &mutation.change {
        Change::Suppress => {
            let Some(signature) = Signature::parse(&member.descriptor) else { return Ok(None) };
            let end = code.instructions[mutation.at + 1].0;
            old[CODE + *offset as usize..CODE + end as usize].fill(NOP);
            for parameter in signature.parameters.iter().rev() {
                new.push(if parameter.slots() == 2 { POP2 } else { op::POP });
            }
            if *call != crate::Call::Static {
                new.push(op::POP);
            }
            new.extend(zero(signature.result.as_ref()));
        }
        Change::Inject { receiver, target } => {
            match receiver {
                Receiver::Local(slot) => match u8::try_from(*slot) {
                    Ok(slot) => new.extend([ALOAD, slot]),
                    Err(_) => return Ok(None),
                },
                Receiver::Null => new.push(op::ACONST_NULL),
                Receiver::Field(_) if is_static => return Ok(None),
                Receiver::Field(field) => {
                    new.push(op::ALOAD_0);
                    let field = growth.field(&field.class, &field.name, &field.descriptor)?;
                    with_index(&mut new, op::GETFIELD, field);
                }
            }
            let Some(signature) = Signature::parse(&target.descriptor) else { return Ok(None) };
            if !signature.parameters.is_empty() {
                return Ok(None);
            }
            let called =
                growth.method(&target.class, &target.name, &target.descriptor, target.in_interface)?;
            if target.in_interface {
                with_index(&mut new, op::INVOKEINTERFACE, called);
                new.extend([1, 0]);
            } else {
                with_index(&mut new, op::INVOKEVIRTUAL, called);
            }
            match signature.result.as_ref().map(Type::slots) {
                Some(2) => new.push(POP2),
                Some(_) => new.push(op::POP),
                None => {}
            }
        }
    }
    Ok(Some(new))
}

const ALOAD: u8 = 0x19;

/// Instructions that push zero, false or null.
fn zero(result: Option<&Type>) -> Option<u8> {
    const LCONST_0: u8 = 0x09;
    const FCONST_0: u8 = 0x0b;
    const DCONST_0: u8 = 0x0e;
    Some(match result? {
        Type::Long => LCONST_0,
        Type::Float => FCONST_0,
        Type::Double => DCONST_0,
        Type::Class(_) | Type::Array(_) => op::ACONST_NULL,
        _ => op::ICONST_0,
    })
}
