//! The body of a method: instructions, exception handlers and debugging information (JVMS 4.7.3).

use std::sync::Arc;

use crate::class::{Method, attributes, list};
use crate::cursor::{Cursor, Fault};
use crate::descriptor::Type;
use crate::instruction::{self, Instruction};
use crate::pool::{Bootstrap, Pool};

/// The body of a method.
#[derive(Clone, Debug)]
pub struct Code {
    /// Number of slots that the stack needs at most.
    pub max_stack: u16,
    /// Number of slots of the local variables, including parameters and receiver.
    pub max_locals: u16,
    /// The instructions with their offsets, in order. Every jump leads to one of these offsets.
    pub instructions: Vec<(u32, Instruction)>,
    /// Length of the instructions in bytes.
    pub length: u32,
    /// Exception handlers; the first that matches is taken.
    pub handlers: Vec<Handler>,
    /// Offsets with the source line that begins there, in the order of the class file.
    pub lines: Vec<(u16, u16)>,
    /// Names of local variables.
    pub variables: Vec<Variable>,
}

/// A handler of exceptions in a part of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// First covered offset.
    pub start: u32,
    /// First offset behind the covered ones.
    pub end: u32,
    /// Offset of the handler, which begins with only the exception on the stack.
    pub target: u32,
    /// The caught class, including subclasses; `None` for all (`finally`).
    pub catches: Option<Arc<str>>,
}

/// The name of a local variable in a part of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The first offset where it has a value.
    pub start: u16,
    /// Number of bytes for which it has this name.
    pub length: u16,
    /// Its slot.
    pub slot: u16,
    /// Its name.
    pub name: Arc<str>,
    /// The descriptor of its type.
    pub descriptor: Arc<str>,
}

impl Code {
    /// Returns the index of the instruction at `offset`, if one begins there.
    pub fn index_at(&self, offset: u32) -> Option<usize> {
        self.instructions.binary_search_by_key(&offset, |&(offset, _)| offset).ok()
    }

    /// Returns the source line of the instruction at `offset`, if the compiler kept lines.
    pub fn line_at(&self, offset: u32) -> Option<u16> {
        let before = self.lines.iter().filter(|&&(start, _)| u32::from(start) <= offset);
        before.max_by_key(|&&(start, _)| start).map(|&(_, line)| line)
    }

    /// Returns the names of `method`'s parameters, taken from the variables that exist when it begins.
    pub(crate) fn parameter_names(&self, method: &Method) -> Vec<Option<Arc<str>>> {
        if self.variables.is_empty() {
            return Vec::new();
        }
        let mut slot = usize::from(!method.is_static());
        let name = |parameter: &Type| {
            let here = slot;
            slot += parameter.slots();
            let at_start = |variable: &&Variable| variable.start == 0 && usize::from(variable.slot) == here;
            self.variables.iter().find(at_start).map(|variable| variable.name.clone())
        };
        method.signature().parameters.iter().map(name).collect()
    }
}

/// JVMS 4.7.3: the tables of a method have no room for larger offsets.
const LONGEST: u32 = 65_535;

pub(crate) fn read(mut cursor: Cursor<'_>, pool: &Pool<'_>, bootstraps: &[Bootstrap]) -> Result<Code, Fault> {
    const WHAT: &str = "the body of a method";
    let max_stack = cursor.u16(WHAT)?;
    let max_locals = cursor.u16(WHAT)?;
    let length = cursor.u32(WHAT)?;
    if length > LONGEST {
        return Err(cursor.wrong("a method longer than 65,535 bytes"));
    }
    let base = cursor.at();
    let mut bytes = cursor.part(length as usize, WHAT)?;
    let mut instructions = Vec::new();
    while !bytes.is_done() {
        let offset = (bytes.at() - base) as u32;
        instructions.push((offset, instruction::read(&mut bytes, base, pool, bootstraps)?));
    }
    let mut code = Code {
        max_stack,
        max_locals,
        instructions,
        length,
        handlers: list(&mut cursor, WHAT, |cursor| {
            Ok(Handler {
                start: u32::from(cursor.u16(WHAT)?),
                end: u32::from(cursor.u16(WHAT)?),
                target: u32::from(cursor.u16(WHAT)?),
                catches: pool.optional_class(cursor.u16(WHAT)?)?,
            })
        })?,
        lines: Vec::new(),
        variables: Vec::new(),
    };
    check_targets(&code, base)?;
    attributes(&mut cursor, pool, |name, mut part| {
        match name {
            // Both tables may come in several pieces.
            "LineNumberTable" => {
                code.lines.extend(list(&mut part, WHAT, |part| Ok((part.u16(WHAT)?, part.u16(WHAT)?)))?);
            }
            "LocalVariableTable" => code.variables.extend(list(&mut part, WHAT, |part| {
                let (start, length) = (part.u16(WHAT)?, part.u16(WHAT)?);
                let (name, descriptor) = (pool.text(part.u16(WHAT)?)?, pool.text(part.u16(WHAT)?)?);
                Ok(Variable { start, length, slot: part.u16(WHAT)?, name, descriptor })
            })?),
            _ => {}
        }
        Ok(())
    })?;
    Ok(code)
}

fn check_targets(code: &Code, base: usize) -> Result<(), Fault> {
    let begins = |offset: u32| code.index_at(offset).is_some();
    for (offset, instruction) in &code.instructions {
        if !instruction.targets().into_iter().all(begins) {
            return Err(Fault::Wrong(base + *offset as usize, "a jump to where no instruction begins"));
        }
    }
    let covers =
        |handler: &Handler| begins(handler.start) && (begins(handler.end) || handler.end == code.length);
    if !code.handlers.iter().all(|handler| covers(handler) && begins(handler.target)) {
        return Err(Fault::Wrong(base, "an exception handler where no instruction begins"));
    }
    if code.instructions.last().is_none_or(|(_, last)| last.falls_through()) {
        return Err(Fault::Wrong(base + code.length as usize, "code that runs off its end"));
    }
    Ok(())
}
