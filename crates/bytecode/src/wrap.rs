//! Wraps methods of a class so that a witness is told when a call begins and how it ends.
//!
//! The body of a method moves, byte for byte, into a private method beside it, and a new body takes its
//! place. Callers, subclasses, reflection and method handles find the method where it was, so no call
//! bypasses the witness. No instruction is decoded and no table is rewritten.
//!
//! ```java
//! int read(byte[] into) {                          // the name, the flags and the annotations stay
//!     if (Witness.on == 0 || !Witness.enter(7, this)) return adit$7(into);
//!     Witness.argument(into);                      // for each argument, if that is asked for
//!     if (Witness.skips()) return (int) Witness.instead(7, this);   // if calls may be left out
//!     try { int result = adit$7(into); Witness.leave(result, 7, this); return result; }
//!     catch (Throwable thrown) { Witness.threw(thrown, 7, this); throw thrown; }
//! }
//! private int adit$7(byte[] into) { /* the old body */ }
//! ```
//!
//! Constructors cannot be wrapped: what they do before the object is initialized is allowed in no other
//! method.

use std::ops::Range;
use std::sync::Arc;

use crate::class::check_header;
use crate::descriptor::{Signature, Type};
use crate::emit::{bodiless_class, load, op, push_int, return_opcode, with_index};
use crate::growth::{Full, Growth};
use crate::layout::{ADDED, ClassLayout, MethodLayout};
use crate::version::STACK_MAP_FRAMES;
use crate::{Flags, RewriteError};

/// The class that is told about calls: a static `int`, zero while nobody listens, and static native methods.
///
/// | method | called |
/// |---|---|
/// | `boolean enter(int, Object)` | when a call begins, with the method's number and the receiver or null |
/// | `void argument(P)` | after `enter` returned true, for each argument in order, if they are wanted |
/// | `boolean skips()` | after the arguments, if calls may be left out; true to leave this one out |
/// | `R instead(int, Object)` | in place of the body of a call that is left out |
/// | `void leave(R, int, Object)` | when it returns, with the result first |
/// | `void threw(Throwable, int, Object)` | when it ends with an exception |
///
/// `enter` returns true to be told the end. `R` is `int`, `long`, `float`, `double`, `Object`, or absent; `P`
/// is one of the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Internal name of the class. It must be visible from every wrapped class.
    pub class: String,
    /// True to tell it the arguments of calls. Each costs a native call, and nothing is boxed.
    pub arguments: bool,
    /// True to ask it before each body whether to leave it out.
    pub intervenes: bool,
}

impl Witness {
    /// Name of the static `int`.
    pub const FLAG: &'static str = "on";
    /// Descriptor of `enter`.
    pub const ENTER: &'static str = "(ILjava/lang/Object;)Z";
    /// Descriptor of `threw`.
    pub const THREW: &'static str = "(Ljava/lang/Throwable;ILjava/lang/Object;)V";
    /// Descriptors of the methods called `leave`: for no result, and for each kind of result.
    pub const LEAVE: [&'static str; 6] = [
        "(ILjava/lang/Object;)V",
        "(IILjava/lang/Object;)V",
        "(JILjava/lang/Object;)V",
        "(FILjava/lang/Object;)V",
        "(DILjava/lang/Object;)V",
        "(Ljava/lang/Object;ILjava/lang/Object;)V",
    ];

    /// Descriptors of the methods called `argument`, for each kind of argument.
    pub const ARGUMENT: [&'static str; 5] = ["(I)V", "(J)V", "(F)V", "(D)V", "(Ljava/lang/Object;)V"];

    /// Descriptor of `skips`.
    pub const SKIPS: &'static str = "()Z";
    /// Descriptors of the methods called `instead`, in the order of [`Witness::LEAVE`].
    pub const INSTEAD: [&'static str; 6] = [
        "(ILjava/lang/Object;)V",
        "(ILjava/lang/Object;)I",
        "(ILjava/lang/Object;)J",
        "(ILjava/lang/Object;)F",
        "(ILjava/lang/Object;)D",
        "(ILjava/lang/Object;)Ljava/lang/Object;",
    ];

    /// The class file. All its methods are native.
    pub fn class_file(&self) -> Vec<u8> {
        let mut methods = vec![("enter", Self::ENTER), ("threw", Self::THREW)];
        methods.extend(Self::LEAVE.map(|descriptor| ("leave", descriptor)));
        if self.arguments {
            methods.extend(Self::ARGUMENT.map(|descriptor| ("argument", descriptor)));
        }
        if self.intervenes {
            methods.push(("skips", Self::SKIPS));
            methods.extend(Self::INSTEAD.map(|descriptor| ("instead", descriptor)));
        }
        let methods: Vec<_> =
            methods.into_iter().map(|(name, descriptor)| (0x0109, name, descriptor)).collect();
        bodiless_class(&self.class, "java/lang/Object", &[], &[(0x0009, Self::FLAG, "I")], &methods)
    }
}

/// A class with wrapped methods.
#[derive(Clone, Debug)]
pub struct Wrapped {
    /// The new class file; the old one if no method was wrapped.
    pub bytes: Vec<u8>,
    /// Number of wrapped methods.
    pub wrapped: usize,
    /// Methods that were chosen but cannot be wrapped.
    pub skipped: Vec<SkippedMethod>,
}

/// A method that cannot be wrapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedMethod {
    /// Its name.
    pub name: Arc<str>,
    /// Its descriptor.
    pub descriptor: Arc<str>,
    /// The reason.
    pub why: WhyNotWrapped,
}

/// Reason for not wrapping a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyNotWrapped {
    /// It is abstract; the implementing class has the body.
    Abstract,
    /// It is native; its body is not in the class file.
    Native,
    /// It is a constructor or an initializer.
    Initializer,
}

/// Wraps the methods of a class for which `choose`, given name, descriptor and flags, returns a number.
/// `file` names the class in errors.
pub fn wrap(
    bytes: &[u8],
    file: &str,
    witness: &Witness,
    choose: &mut dyn FnMut(&str, &str, Flags) -> Option<i32>,
) -> Result<Wrapped, RewriteError> {
    check_header(bytes, file)?;
    let layout = ClassLayout::read(bytes).map_err(|fault| fault.named(file, bytes.len()))?;
    if layout.is_rewritten() {
        return Err(RewriteError::AlreadyRewritten { file: file.to_owned() });
    }
    rewrite(bytes, &layout, witness, choose).map_err(|Full| RewriteError::ClassFull { file: file.to_owned() })
}

fn rewrite(
    bytes: &[u8],
    layout: &ClassLayout<'_>,
    witness: &Witness,
    choose: &mut dyn FnMut(&str, &str, Flags) -> Option<i32>,
) -> Result<Wrapped, Full> {
    let mut growth = Growth::new(layout.pool.len());
    let (mut methods, mut moved) = (Vec::new(), Vec::new());
    let (mut wrapped, mut skipped) = (0, Vec::new());
    for method in &layout.methods {
        let number = choose(&method.name, &method.descriptor, method.flags);
        let why = match (&method.code, number) {
            (_, None) => None,
            (_, Some(_)) if method.name.starts_with('<') => Some(WhyNotWrapped::Initializer),
            (None, Some(_)) if method.flags.has(Flags::NATIVE) => Some(WhyNotWrapped::Native),
            (None, Some(_)) => Some(WhyNotWrapped::Abstract),
            (Some(code), Some(number)) => {
                let wrapper = Wrapper { layout, method, witness, number, inner: format!("{ADDED}{number}") };
                wrapper.append_inner(&mut moved, &mut growth, &bytes[code.clone()])?;
                methods.extend_from_slice(&bytes[method.whole.start..code.start]);
                wrapper.append_code(&mut methods, &mut growth)?;
                methods.extend_from_slice(&bytes[code.end..method.whole.end]);
                wrapped += 1;
                continue;
            }
        };
        skipped.extend(why.map(|why| SkippedMethod {
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            why,
        }));
        methods.extend_from_slice(&bytes[method.whole.clone()]);
    }
    if wrapped == 0 {
        return Ok(Wrapped { bytes: bytes.to_vec(), wrapped, skipped });
    }
    methods.extend_from_slice(&moved);
    let bytes = layout.rebuild(&growth, layout.methods.len() + wrapped, &methods)?;
    Ok(Wrapped { bytes, wrapped, skipped })
}

/// One method to be wrapped.
struct Wrapper<'a> {
    layout: &'a ClassLayout<'a>,
    method: &'a MethodLayout<'a>,
    witness: &'a Witness,
    number: i32,
    /// Name of the method that takes over the body.
    inner: String,
}

/// Offsets in the new body.
struct Offsets {
    /// The call that the exception handler covers.
    guarded: Range<usize>,
    /// The call while nobody listens.
    unwatched: usize,
    handler: usize,
    /// The end of a call that is left out, if calls may be.
    skipped: Option<usize>,
}

impl Wrapper<'_> {
    /// Appends the method that takes over the body. The outer method of a synchronized one takes the lock, so
    /// the witness is told about calls in the order in which they held it.
    fn append_inner(&self, to: &mut Vec<u8>, growth: &mut Growth, code: &[u8]) -> Result<(), Full> {
        // Private and synthetic; static and strict if the method was.
        let flags = 0x1002 | self.method.flags.0 & 0x0808;
        for number in [flags, growth.text(&self.inner)?, self.method.descriptor_index, 1] {
            to.extend_from_slice(&number.to_be_bytes());
        }
        to.extend_from_slice(code);
        Ok(())
    }

    /// Appends the `Code` attribute that takes the place of the method's own.
    fn append_code(&self, to: &mut Vec<u8>, growth: &mut Growth) -> Result<(), Full> {
        let signature = Signature::parse(&self.method.descriptor).ok_or(Full)?;
        let slots = signature.slots() + usize::from(!self.is_static());
        let (code, offsets) = self.instructions(growth, &signature)?;
        let mut body = Vec::new();
        let mut short = |value: usize| body.extend_from_slice(&(value as u16).to_be_bytes());
        // The arguments; or a result of two slots, twice, with the number and the receiver.
        short(slots.max(6));
        short(slots);
        body.extend_from_slice(&(code.len() as u32).to_be_bytes());
        body.extend_from_slice(&code);
        for value in [1, offsets.guarded.start, offsets.guarded.end, offsets.handler, 0] {
            body.extend_from_slice(&(value as u16).to_be_bytes());
        }
        if self.layout.major >= STACK_MAP_FRAMES {
            append_frames(&mut body, growth, &offsets)?;
        } else {
            body.extend_from_slice(&[0, 0]);
        }
        to.extend_from_slice(&growth.text("Code")?.to_be_bytes());
        to.extend_from_slice(&(body.len() as u32).to_be_bytes());
        to.extend_from_slice(&body);
        Ok(())
    }

    fn is_static(&self) -> bool {
        self.method.flags.has(Flags::STATIC)
    }

    fn instructions(&self, growth: &mut Growth, signature: &Signature) -> Result<(Vec<u8>, Offsets), Full> {
        let result = signature.result.as_ref();
        let ends = result.map_or(op::RETURN, return_opcode);
        let call = self.call(growth, signature)?;
        // The number and the receiver, which is null for a static method.
        let mut told = Vec::new();
        push_int(&mut told, growth, self.number)?;
        told.push(if self.is_static() { op::ACONST_NULL } else { op::ALOAD_0 });
        let witness = &self.witness.class;
        let flag = growth.field(witness, Witness::FLAG, "I")?;
        let enter = growth.method(witness, "enter", Witness::ENTER, false)?;
        let leave = growth.method(witness, "leave", Witness::LEAVE[leave_of(result)], false)?;
        let threw = growth.method(witness, "threw", Witness::THREW, false)?;

        let mut code = Vec::new();
        with_index(&mut code, op::GETSTATIC, flag);
        let first_branch = code.len();
        with_index(&mut code, op::IFEQ, 0);
        code.extend_from_slice(&told);
        with_index(&mut code, op::INVOKESTATIC, enter);
        let second_branch = code.len();
        with_index(&mut code, op::IFEQ, 0);
        if self.witness.arguments {
            self.tell_arguments(&mut code, growth, signature)?;
        }
        let mut skip_branch = None;
        if self.witness.intervenes {
            let skips = growth.method(witness, "skips", Witness::SKIPS, false)?;
            with_index(&mut code, op::INVOKESTATIC, skips);
            skip_branch = Some(code.len());
            with_index(&mut code, op::IFNE, 0);
        }
        let start = code.len();
        code.extend_from_slice(&call);
        let guarded = start..code.len();
        match result.map_or(0, Type::slots) {
            0 => {}
            1 => code.push(op::DUP),
            _ => code.push(op::DUP2),
        }
        code.extend_from_slice(&told);
        with_index(&mut code, op::INVOKESTATIC, leave);
        code.push(ends);
        let unwatched = code.len();
        code.extend_from_slice(&call);
        code.push(ends);
        let handler = code.len();
        code.push(op::DUP);
        code.extend_from_slice(&told);
        with_index(&mut code, op::INVOKESTATIC, threw);
        code.push(op::ATHROW);
        // At most 255 arguments of three bytes each, twice, and of three more to tell them: every distance
        // fits.
        for branch in [first_branch, second_branch] {
            code[branch + 1..branch + 3].copy_from_slice(&((unwatched - branch) as u16).to_be_bytes());
        }
        let skipped = skip_branch.map(|_| code.len());
        if let (Some(branch), Some(skipped)) = (skip_branch, skipped) {
            code[branch + 1..branch + 3].copy_from_slice(&((skipped - branch) as u16).to_be_bytes());
            code.extend_from_slice(&told);
            let instead = growth.method(witness, "instead", Witness::INSTEAD[leave_of(result)], false)?;
            with_index(&mut code, op::INVOKESTATIC, instead);
            let class = match result {
                Some(Type::Class(name)) => Some(name.to_string()),
                Some(array @ Type::Array(_)) => Some(array.descriptor()),
                _ => None,
            };
            if let Some(class) = class {
                let class = growth.class(&class)?;
                with_index(&mut code, op::CHECKCAST, class);
            }
            code.push(ends);
        }
        Ok((code, Offsets { guarded, unwatched, handler, skipped }))
    }

    /// Tells the witness each argument.
    fn tell_arguments(
        &self,
        code: &mut Vec<u8>,
        growth: &mut Growth,
        signature: &Signature,
    ) -> Result<(), Full> {
        let mut slot = usize::from(!self.is_static());
        for parameter in &signature.parameters {
            load(code, parameter, slot);
            slot += parameter.slots();
            let descriptor = Witness::ARGUMENT[leave_of(Some(parameter)) - 1];
            let argument = growth.method(&self.witness.class, "argument", descriptor, false)?;
            with_index(code, op::INVOKESTATIC, argument);
        }
        Ok(())
    }

    /// The call of the method that took over the body, with the arguments of this one.
    fn call(&self, growth: &mut Growth, signature: &Signature) -> Result<Vec<u8>, Full> {
        let layout = self.layout;
        let inner = growth.method(&layout.name, &self.inner, &self.method.descriptor, layout.is_interface)?;
        let mut code = Vec::new();
        let mut slot = usize::from(!self.is_static());
        if !self.is_static() {
            code.push(op::ALOAD_0);
        }
        for parameter in &signature.parameters {
            load(&mut code, parameter, slot);
            slot += parameter.slots();
        }
        with_index(&mut code, if self.is_static() { op::INVOKESTATIC } else { op::INVOKESPECIAL }, inner);
        Ok(code)
    }
}

/// Appends the only attribute of the body: frames with the variables that the method begins with, one with an
/// empty stack, one with the exception on it, and one with an empty stack where a call is left out.
fn append_frames(body: &mut Vec<u8>, growth: &mut Growth, offsets: &Offsets) -> Result<(), Full> {
    let frames = growth.text("StackMapTable")?;
    let throwable = growth.class("java/lang/Throwable")?;
    body.extend_from_slice(&[0, 1]);
    body.extend_from_slice(&frames.to_be_bytes());
    let (length, count) = if offsets.skipped.is_some() { (14, 3) } else { (11, 2) };
    body.extend_from_slice(&[0, 0, 0, length, 0, count, 251]);
    body.extend_from_slice(&(offsets.unwatched as u16).to_be_bytes());
    body.push(247);
    body.extend_from_slice(&((offsets.handler - offsets.unwatched - 1) as u16).to_be_bytes());
    body.push(7);
    body.extend_from_slice(&throwable.to_be_bytes());
    if let Some(skipped) = offsets.skipped {
        body.push(251);
        body.extend_from_slice(&((skipped - offsets.handler - 1) as u16).to_be_bytes());
    }
    Ok(())
}

/// Index in [`Witness::LEAVE`] of the method that takes this result. In [`Witness::ARGUMENT`], it is one
/// less.
fn leave_of(result: Option<&Type>) -> usize {
    match result {
        None => 0,
        Some(Type::Boolean | Type::Byte | Type::Char | Type::Short | Type::Int) => 1,
        Some(Type::Long) => 2,
        Some(Type::Float) => 3,
        Some(Type::Double) => 4,
        Some(Type::Class(_) | Type::Array(_)) => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Class;

    fn witness() -> Witness {
        Witness { class: "java/lang/Witness".into(), arguments: false, intervenes: false }
    }

    #[test]
    fn the_class_of_the_witness_is_sound() {
        let class = Class::parse(&witness().class_file(), "Witness").unwrap();
        assert_eq!((class.methods.len(), class.fields.len()), (8, 1));
        assert!(class.methods.iter().all(|method| method.flags.has(Flags::NATIVE | Flags::STATIC)));
        let bytes = Witness { arguments: true, ..witness() }.class_file();
        assert_eq!(Class::parse(&bytes, "Witness").unwrap().methods.len(), 13);
        let bytes = Witness { arguments: true, intervenes: true, ..witness() }.class_file();
        assert_eq!(Class::parse(&bytes, "Witness").unwrap().methods.len(), 20);
    }

    #[test]
    fn a_method_without_a_body_is_skipped_and_named() {
        let bytes = witness().class_file();
        let other = Witness { class: "java/lang/Other".into(), arguments: true, intervenes: true };
        let wrapped =
            wrap(&bytes, "Witness", &other, &mut |name, _, _| (name == "enter").then_some(3)).unwrap();
        assert_eq!(wrapped.bytes, bytes);
        let why = WhyNotWrapped::Native;
        let skipped = SkippedMethod { name: "enter".into(), descriptor: Witness::ENTER.into(), why };
        assert_eq!(wrapped.skipped, [skipped]);
    }
}
