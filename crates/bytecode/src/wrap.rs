//! Puts a witness around methods of a class: it hears when a call begins, and with what it ends.
//!
//! The body of a method moves, byte for byte, into a private method beside it, and a new body takes its place. Callers,
//! subclasses, reflection and method handles all find the method where it was, so that nobody can pass the witness by.
//! No instruction is decoded and no table is written anew.
//!
//! ```java
//! int read(byte[] into) {                                     // the name, the flags and the annotations stay
//!     if (Witness.on == 0 || !Witness.enter(7, this)) return adit$7(into);
//!     try { int result = adit$7(into); Witness.leave(result, 7, this); return result; }
//!     catch (Throwable thrown) { Witness.threw(thrown, 7, this); throw thrown; }
//! }
//! private int adit$7(byte[] into) { /* the old body */ }
//! ```
//!
//! Constructors cannot be wrapped: what they do to the object before it is initialized may stand in no other method.

use std::sync::Arc;

use crate::Flags;
use crate::class::{attributes, check_header};
use crate::cursor::{Cursor, Fault};
use crate::descriptor::{Signature, Type};
use crate::growth::{Full, Growth};
use crate::pool::{Entry, Pool};
use crate::splice::SpliceError;
use crate::trampoline::{PREFIX, load, push_int, return_opcode, with_index};

/// The first version whose verifier reads frames.
const FRAMES: u16 = 50;

/// The class that hears about calls: a static `int`, zero while nobody listens, and static native methods.
///
/// | method | is called |
/// |---|---|
/// | `boolean enter(int, Object)` | when a call begins, with the number of the method and the receiver, or null; whether to tell the end |
/// | `void leave(R, int, Object)` | when it returns, with the result in front; `R` is `int`, `long`, `float`, `double`, `Object`, or there is none |
/// | `void threw(Throwable, int, Object)` | when it ends with an exception |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The class, in internal form. It must be visible from every class that is wrapped.
    pub class: String,
}

impl Witness {
    /// The name of the static `int`.
    pub const FLAG: &'static str = "on";
    /// The descriptor of `enter`.
    pub const ENTER: &'static str = "(ILjava/lang/Object;)Z";
    /// The descriptor of `threw`.
    pub const THREW: &'static str = "(Ljava/lang/Throwable;ILjava/lang/Object;)V";
    /// The descriptors of the methods called `leave`: for no result, and for each kind of result.
    pub const LEAVE: [&'static str; 6] = [
        "(ILjava/lang/Object;)V",
        "(IILjava/lang/Object;)V",
        "(JILjava/lang/Object;)V",
        "(FILjava/lang/Object;)V",
        "(DILjava/lang/Object;)V",
        "(Ljava/lang/Object;ILjava/lang/Object;)V",
    ];

    /// The class file, in which all methods are native.
    pub fn class_file(&self) -> Vec<u8> {
        let mut methods = vec![("enter", Self::ENTER), ("threw", Self::THREW)];
        methods.extend(Self::LEAVE.map(|descriptor| ("leave", descriptor)));
        let methods: Vec<_> =
            methods.into_iter().map(|(name, descriptor)| (0x0109, name, descriptor)).collect();
        natives(&self.class, "java/lang/Object", &[], &[(0x0009, Self::FLAG, "I")], &methods)
    }
}

/// A member of a class that is written from nothing: flags, name and descriptor.
pub type NewMember<'a> = (u16, &'a str, &'a str);

/// A public final class, for Java 8 and later, whose methods have no bodies: they are native, or abstract.
///
/// # Panics
/// If a name has more than 65,535 bytes, or there are more members than a class can have.
pub fn natives(
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
    build().expect("the caller keeps within what a class file can hold")
}

/// A class with methods that have a witness.
#[derive(Clone, Debug)]
pub struct Wrapped {
    /// The new class file; the old one if nothing was wrapped.
    pub bytes: Vec<u8>,
    /// How many methods were wrapped.
    pub wrapped: usize,
    /// Methods that were chosen and yet left as they were, with name and descriptor.
    pub left: Vec<(Arc<str>, Arc<str>, WhyUnwrapped)>,
}

/// Why a method cannot be wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyUnwrapped {
    /// It is abstract: whoever implements it has the body.
    Abstract,
    /// It is native: its body is not in the class file.
    Native,
    /// It is a constructor or an initializer.
    Initializer,
}

/// Wraps the methods of a class that `choose` gives a number, told name, descriptor and flags; `file` is what errors call
/// the class.
pub fn wrap(
    bytes: &[u8],
    file: &str,
    witness: &Witness,
    choose: &mut dyn FnMut(&str, &str, Flags) -> Option<i32>,
) -> Result<Wrapped, SpliceError> {
    check_header(bytes, file)?;
    let layout = Layout::read(bytes).map_err(|fault| SpliceError::Class(fault.named(file, bytes.len())))?;
    if layout.methods.iter().any(|method| method.name.starts_with(PREFIX)) {
        return Err(SpliceError::SplicedBefore { file: file.to_owned() });
    }
    rewrite(bytes, &layout, witness, choose).map_err(|Full| SpliceError::ClassFull { file: file.to_owned() })
}

fn rewrite(
    bytes: &[u8],
    layout: &Layout<'_>,
    witness: &Witness,
    choose: &mut dyn FnMut(&str, &str, Flags) -> Option<i32>,
) -> Result<Wrapped, Full> {
    let mut growth = Growth::new(layout.pool.len());
    let (mut methods, mut appended) = (Vec::new(), Vec::new());
    let (mut wrapped, mut left) = (0, Vec::new());
    for method in &layout.methods {
        let whole = &bytes[method.start..method.end];
        let number = choose(&method.name, &method.descriptor, method.flags);
        let why = match (&method.code, number) {
            (_, None) => None,
            (_, Some(_)) if method.name.starts_with('<') => Some(WhyUnwrapped::Initializer),
            (None, Some(_)) if method.flags.has(Flags::NATIVE) => Some(WhyUnwrapped::Native),
            (None, Some(_)) => Some(WhyUnwrapped::Abstract),
            (Some(code), Some(number)) => {
                let inner = format!("{PREFIX}{number}");
                append_inner(&mut appended, &mut growth, method, &inner, &bytes[code.0..code.1])?;
                append_outer(&mut methods, bytes, &mut growth, layout, method, witness, number, &inner)?;
                wrapped += 1;
                continue;
            }
        };
        left.extend(why.map(|why| (method.name.clone(), method.descriptor.clone(), why)));
        methods.extend_from_slice(whole);
    }
    if wrapped == 0 {
        return Ok(Wrapped { bytes: bytes.to_vec(), wrapped, left });
    }
    let count = u16::try_from(layout.methods.len() + wrapped).map_err(|_| Full)?;
    let mut out = Vec::with_capacity(bytes.len() + growth.bytes().len() + methods.len());
    out.extend_from_slice(&bytes[..8]);
    out.extend_from_slice(&growth.count()?.to_be_bytes());
    out.extend_from_slice(&bytes[10..layout.pool_end]);
    out.extend_from_slice(growth.bytes());
    out.extend_from_slice(&bytes[layout.pool_end..layout.methods_start]);
    out.extend_from_slice(&count.to_be_bytes());
    out.extend_from_slice(&methods);
    out.extend_from_slice(&appended);
    out.extend_from_slice(&bytes[layout.methods_end..]);
    Ok(Wrapped { bytes: out, wrapped, left })
}

/// The method that takes over the old body. The lock of a synchronized method is taken by the outer one, so that the
/// witness hears about calls in the order in which they had the lock.
fn append_inner(
    to: &mut Vec<u8>,
    growth: &mut Growth,
    method: &Place,
    name: &str,
    code: &[u8],
) -> Result<(), Full> {
    // Private and synthetic; static and strict if the method was.
    let flags = 0x1002 | method.flags.0 & 0x0808;
    for number in [flags, growth.text(name)?, method.descriptor_index, 1] {
        to.extend_from_slice(&number.to_be_bytes());
    }
    to.extend_from_slice(code);
    Ok(())
}

/// The method as callers know it, with all its attributes, and a body that asks the witness.
#[expect(clippy::too_many_arguments, reason = "the parts of one class file that it is put together from")]
fn append_outer(
    to: &mut Vec<u8>,
    bytes: &[u8],
    growth: &mut Growth,
    layout: &Layout<'_>,
    method: &Place,
    witness: &Witness,
    number: i32,
    inner: &str,
) -> Result<(), Full> {
    let (code_start, code_end) = method.code.expect("only methods with a body are wrapped");
    let body = body(growth, layout, method, witness, number, inner)?;
    to.extend_from_slice(&bytes[method.start..code_start]);
    to.extend_from_slice(&growth.text("Code")?.to_be_bytes());
    to.extend_from_slice(&(body.len() as u32).to_be_bytes());
    to.extend_from_slice(&body);
    to.extend_from_slice(&bytes[code_end..method.end]);
    Ok(())
}

fn body(
    growth: &mut Growth,
    layout: &Layout<'_>,
    method: &Place,
    witness: &Witness,
    number: i32,
    inner: &str,
) -> Result<Vec<u8>, Full> {
    let is_static = method.flags.has(Flags::STATIC);
    let signature = Signature::parse(&method.descriptor).ok_or(Full)?;
    let result = signature.result.as_ref();
    let call = growth.method(&layout.name, inner, &method.descriptor, layout.is_interface)?;
    // The number and the receiver, which is null for a static method.
    let mut told = Vec::new();
    push_int(&mut told, growth, number)?;
    told.push(if is_static { 0x01 } else { 0x2a });
    let mut straight = Vec::new();
    let mut slot = usize::from(!is_static);
    if !is_static {
        straight.push(0x2a);
    }
    for parameter in &signature.parameters {
        load(&mut straight, parameter, slot);
        slot += parameter.slots();
    }
    with_index(&mut straight, if is_static { 0xb8 } else { 0xb7 }, call);
    let ends = result.map_or(0xb1, return_opcode);

    let flag = growth.field(&witness.class, Witness::FLAG, "I")?;
    let enter = growth.method(&witness.class, "enter", Witness::ENTER, false)?;
    let leave = growth.method(&witness.class, "leave", Witness::LEAVE[kind(result)], false)?;
    let threw = growth.method(&witness.class, "threw", Witness::THREW, false)?;
    let mut code = Vec::new();
    with_index(&mut code, 0xb2, flag);
    let first_branch = code.len();
    with_index(&mut code, 0x99, 0);
    code.extend_from_slice(&told);
    with_index(&mut code, 0xb8, enter);
    let second_branch = code.len();
    with_index(&mut code, 0x99, 0);
    let start = code.len();
    code.extend_from_slice(&straight);
    let end = code.len();
    match result.map_or(0, Type::slots) {
        0 => {}
        1 => code.push(0x59),
        _ => code.push(0x5c),
    }
    code.extend_from_slice(&told);
    with_index(&mut code, 0xb8, leave);
    code.push(ends);
    let alone = code.len();
    code.extend_from_slice(&straight);
    code.push(ends);
    let handler = code.len();
    code.push(0x59);
    code.extend_from_slice(&told);
    with_index(&mut code, 0xb8, threw);
    code.push(0xbf);
    // At most 255 arguments of two bytes each, twice: every distance fits.
    for branch in [first_branch, second_branch] {
        code[branch + 1..branch + 3].copy_from_slice(&((alone - branch) as u16).to_be_bytes());
    }

    let mut body = Vec::new();
    let mut short = |value: usize| body.extend_from_slice(&(value as u16).to_be_bytes());
    // The arguments; or a result of two slots, twice, with the number and the receiver.
    short(slot.max(6));
    short(slot);
    body.extend_from_slice(&(code.len() as u32).to_be_bytes());
    body.extend_from_slice(&code);
    for value in [1, start, end, handler, 0] {
        body.extend_from_slice(&(value as u16).to_be_bytes());
    }
    if layout.major < FRAMES {
        body.extend_from_slice(&[0, 0]);
        return Ok(body);
    }
    let frames = growth.text("StackMapTable")?;
    let throwable = growth.class("java/lang/Throwable")?;
    body.extend_from_slice(&[0, 1]);
    body.extend_from_slice(&frames.to_be_bytes());
    // Two frames with the variables that the method begins with: one with nothing on the stack, one with the exception.
    body.extend_from_slice(&[0, 0, 0, 11, 0, 2, 251]);
    body.extend_from_slice(&(alone as u16).to_be_bytes());
    body.push(247);
    body.extend_from_slice(&((handler - alone - 1) as u16).to_be_bytes());
    body.push(7);
    body.extend_from_slice(&throwable.to_be_bytes());
    Ok(body)
}

/// Which of the methods called `leave` takes this result.
fn kind(result: Option<&Type>) -> usize {
    match result {
        None => 0,
        Some(Type::Boolean | Type::Byte | Type::Char | Type::Short | Type::Int) => 1,
        Some(Type::Long) => 2,
        Some(Type::Float) => 3,
        Some(Type::Double) => 4,
        Some(Type::Class(_) | Type::Array(_)) => 5,
    }
}

/// Where the parts of a class file lie.
pub(crate) struct Layout<'a> {
    pub(crate) pool: Pool<'a>,
    pub(crate) pool_end: usize,
    pub(crate) major: u16,
    pub(crate) name: Arc<str>,
    pub(crate) is_interface: bool,
    pub(crate) methods_start: usize,
    pub(crate) methods_end: usize,
    pub(crate) methods: Vec<Place>,
}

/// A method in the file, and its attribute with the body.
pub(crate) struct Place {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) flags: Flags,
    pub(crate) name: Arc<str>,
    pub(crate) descriptor: Arc<str>,
    pub(crate) descriptor_index: u16,
    pub(crate) code: Option<(usize, usize)>,
}

impl<'a> Layout<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Layout<'a>, Fault> {
        const WHAT: &str = "the class";
        let mut cursor = Cursor::new(bytes);
        cursor.take(6, WHAT)?;
        let major = cursor.u16(WHAT)?;
        let pool = Pool::read(bytes, &mut cursor)?;
        let pool_end = cursor.at();
        let is_interface = Flags(cursor.u16(WHAT)?).has(Flags::INTERFACE);
        let name = match pool.entry(cursor.u16(WHAT)?) {
            Entry::Class(name) => pool.text(name)?,
            _ => return Err(cursor.wrong("a class without a name")),
        };
        cursor.u16(WHAT)?;
        let interfaces = cursor.u16(WHAT)?;
        cursor.take(usize::from(interfaces) * 2, WHAT)?;
        for _ in 0..cursor.u16(WHAT)? {
            cursor.take(6, WHAT)?;
            attributes(&mut cursor, &pool, |_, _| Ok(()))?;
        }
        let methods_start = cursor.at();
        let mut methods = Vec::new();
        for _ in 0..cursor.u16(WHAT)? {
            let start = cursor.at();
            let flags = Flags(cursor.u16(WHAT)?);
            let name = pool.text(cursor.u16(WHAT)?)?;
            let descriptor_index = cursor.u16(WHAT)?;
            let descriptor = pool.method_descriptor(descriptor_index)?;
            let mut code = None;
            attributes(&mut cursor, &pool, |name, part| {
                if name == "Code" {
                    // Six bytes of name and length stand before the contents.
                    code = Some((part.at() - 6, part.at() + part.rest()));
                }
                Ok(())
            })?;
            methods.push(Place { start, end: cursor.at(), flags, name, descriptor, descriptor_index, code });
        }
        let methods_end = cursor.at();
        attributes(&mut cursor, &pool, |_, _| Ok(()))?;
        if !cursor.is_done() {
            return Err(cursor.wrong("something after the end of the class"));
        }
        Ok(Layout { pool, pool_end, major, name, is_interface, methods_start, methods_end, methods })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Class;

    fn witness() -> Witness {
        Witness { class: "java/lang/Witness".into() }
    }

    #[test]
    fn the_class_of_the_witness_is_sound() {
        let class = Class::parse(&witness().class_file(), "Witness").unwrap();
        assert_eq!((class.methods.len(), class.fields.len()), (8, 1));
        assert!(class.methods.iter().all(|method| method.flags.has(Flags::NATIVE | Flags::STATIC)));
    }

    #[test]
    fn a_method_without_a_body_is_left_and_named() {
        let bytes = witness().class_file();
        let other = Witness { class: "java/lang/Other".into() };
        let wrapped =
            wrap(&bytes, "Witness", &other, &mut |name, _, _| (name == "enter").then_some(3)).unwrap();
        assert_eq!(wrapped.bytes, bytes);
        assert_eq!(wrapped.left, [("enter".into(), Witness::ENTER.into(), WhyUnwrapped::Native)]);
    }
}
