//! The method that a rerouted call goes through, and the class that it asks.

use std::sync::Arc;

use crate::descriptor::{Signature, Type};
use crate::growth::{Full, Growth};
use crate::instruction::Call;
use crate::splice::Hook;

/// How the names of trampolines begin.
pub(crate) const PREFIX: &str = "adit$";

/// The first version whose verifier reads frames.
const FRAMES: u16 = 50;

/// A call that is to be made through a trampoline.
pub(crate) struct Invoke {
    pub(crate) call: Call,
    /// The constant of the method, which the trampoline uses as well.
    pub(crate) index: u16,
    /// The count byte of `invokeinterface`.
    pub(crate) count: u8,
    pub(crate) number: i32,
    pub(crate) class: Arc<str>,
    pub(crate) signature: Signature,
}

impl Invoke {
    /// Whether there can be a method that takes the receiver and the arguments.
    ///
    /// A name that is legal for a class may still not be legal in a descriptor, and the receiver may be one too many.
    pub(crate) fn can_be_written(&self) -> bool {
        let signature = Signature::parse(&self.descriptor());
        let expected = self.signature.parameters.len() + usize::from(self.has_receiver());
        signature.is_some_and(|signature| {
            signature.parameters.len() == expected && signature.slots() <= 255 && !self.class.contains('\\')
        })
    }

    fn has_receiver(&self) -> bool {
        self.call != Call::Static
    }

    /// The descriptor of the trampoline: the receiver, if there is one, is its first parameter.
    fn descriptor(&self) -> String {
        let mut descriptor = "(".to_owned();
        if self.has_receiver() {
            // The class of an array is called by its descriptor.
            let is_array = self.class.starts_with('[');
            descriptor += &if is_array { self.class.to_string() } else { format!("L{};", self.class) };
        }
        self.signature.parameters.iter().for_each(|parameter| descriptor += &parameter.descriptor());
        descriptor.push(')');
        descriptor += &self.signature.result.as_ref().map_or("V".to_owned(), Type::descriptor);
        descriptor
    }
}

/// Appends a trampoline to `methods` and gives its descriptor.
///
/// There is one frame, where the straight path begins, and it is the initial frame of the method: nothing has been
/// stored in a variable, and the stack is empty. So it can be written without knowing any types.
pub(crate) fn append(
    methods: &mut Vec<u8>,
    growth: &mut Growth,
    hook: &Hook,
    invoke: &Invoke,
    name: &str,
    major: u16,
) -> Result<String, Full> {
    let descriptor = invoke.descriptor();
    let asking = ask(growth, hook, invoke)?;
    let flag = growth.field(&hook.class, &hook.flag, "I")?;
    // The branch is three bytes behind the read of the flag, and the asking is at most a few thousand bytes long: a call
    // has at most 255 arguments and each takes twelve bytes.
    let straight = 6 + asking.len() as u16;
    let mut code = vec![0xb2];
    code.extend_from_slice(&flag.to_be_bytes());
    code.push(0x99);
    code.extend_from_slice(&(straight - 3).to_be_bytes());
    code.extend_from_slice(&asking);
    go_straight(&mut code, invoke);

    let slots = invoke.signature.slots() + usize::from(invoke.has_receiver());
    // Asking needs the number, the receiver, the array twice, an index and an argument of two slots.
    let stack = slots.max(7);
    let [name, descriptor_index, code_name] =
        [growth.text(name)?, growth.text(&descriptor)?, growth.text("Code")?];
    let mut body = Vec::new();
    body.extend_from_slice(&(stack as u16).to_be_bytes());
    body.extend_from_slice(&(slots as u16).to_be_bytes());
    body.extend_from_slice(&(code.len() as u32).to_be_bytes());
    body.extend_from_slice(&code);
    body.extend_from_slice(&[0, 0]);
    if major >= FRAMES {
        let frames = growth.text("StackMapTable")?;
        body.extend_from_slice(&[0, 1]);
        body.extend_from_slice(&frames.to_be_bytes());
        // One frame, of the kind `same_frame_extended`, which bears any offset.
        body.extend_from_slice(&[0, 0, 0, 5, 0, 1, 251]);
        body.extend_from_slice(&straight.to_be_bytes());
    } else {
        body.extend_from_slice(&[0, 0]);
    }
    // Private, static and synthetic: reflection that lists what a class offers, and the default serial version, skip it.
    methods.extend_from_slice(&0x100a_u16.to_be_bytes());
    methods.extend_from_slice(&name.to_be_bytes());
    methods.extend_from_slice(&descriptor_index.to_be_bytes());
    methods.extend_from_slice(&[0, 1]);
    methods.extend_from_slice(&code_name.to_be_bytes());
    methods.extend_from_slice(&(body.len() as u32).to_be_bytes());
    methods.extend_from_slice(&body);
    Ok(descriptor)
}

/// Hands everything to the hook, as objects, and returns what it gives.
fn ask(growth: &mut Growth, hook: &Hook, invoke: &Invoke) -> Result<Vec<u8>, Full> {
    let mut code = Vec::new();
    push_int(&mut code, growth, invoke.number)?;
    let mut slot = 0;
    if invoke.call == Call::Static {
        code.push(0x01);
    } else {
        code.push(0x2a);
        slot = 1;
    }
    push_int(&mut code, growth, invoke.signature.parameters.len() as i32)?;
    with_index(&mut code, 0xbd, growth.class("java/lang/Object")?);
    for (number, parameter) in invoke.signature.parameters.iter().enumerate() {
        code.push(0x59);
        push_int(&mut code, growth, number as i32)?;
        load(&mut code, parameter, slot);
        slot += parameter.slots();
        if let Some(wrapper) = Wrapper::of(parameter) {
            let descriptor = format!("({})L{};", wrapper.letter, wrapper.class);
            with_index(&mut code, 0xb8, growth.method(wrapper.class, "valueOf", &descriptor, false)?);
        }
        code.push(0x53);
    }
    with_index(&mut code, 0xb8, growth.method(&hook.class, &hook.method, Hook::DESCRIPTOR, false)?);
    match &invoke.signature.result {
        None => code.extend([0x57, 0xb1]),
        Some(result) => {
            if let Some(wrapper) = Wrapper::of(result) {
                with_index(&mut code, 0xc0, growth.class(wrapper.class)?);
                let descriptor = format!("(){}", wrapper.letter);
                with_index(
                    &mut code,
                    0xb6,
                    growth.method(wrapper.class, wrapper.unwrap, &descriptor, false)?,
                );
            } else {
                let class = match result {
                    Type::Class(name) => name.to_string(),
                    array => array.descriptor(),
                };
                if class != "java/lang/Object" {
                    with_index(&mut code, 0xc0, growth.class(&class)?);
                }
            }
            code.push(return_opcode(result));
        }
    }
    Ok(code)
}

/// Makes the call that stood at the call site.
fn go_straight(code: &mut Vec<u8>, invoke: &Invoke) {
    let mut slot = 0;
    if invoke.call != Call::Static {
        code.push(0x2a);
        slot = 1;
    }
    for parameter in &invoke.signature.parameters {
        load(code, parameter, slot);
        slot += parameter.slots();
    }
    match invoke.call {
        Call::Static => with_index(code, 0xb8, invoke.index),
        Call::Interface => {
            with_index(code, 0xb9, invoke.index);
            code.extend([invoke.count, 0]);
        }
        // Special calls are never rerouted.
        Call::Virtual | Call::Special => with_index(code, 0xb6, invoke.index),
    }
    code.push(invoke.signature.result.as_ref().map_or(0xb1, return_opcode));
}

/// A primitive type as an object.
struct Wrapper {
    class: &'static str,
    letter: &'static str,
    unwrap: &'static str,
}

impl Wrapper {
    fn of(primitive: &Type) -> Option<Wrapper> {
        let (class, letter, unwrap) = match primitive {
            Type::Boolean => ("java/lang/Boolean", "Z", "booleanValue"),
            Type::Byte => ("java/lang/Byte", "B", "byteValue"),
            Type::Char => ("java/lang/Character", "C", "charValue"),
            Type::Short => ("java/lang/Short", "S", "shortValue"),
            Type::Int => ("java/lang/Integer", "I", "intValue"),
            Type::Long => ("java/lang/Long", "J", "longValue"),
            Type::Float => ("java/lang/Float", "F", "floatValue"),
            Type::Double => ("java/lang/Double", "D", "doubleValue"),
            Type::Class(_) | Type::Array(_) => return None,
        };
        Some(Wrapper { class, letter, unwrap })
    }
}

pub(crate) fn with_index(code: &mut Vec<u8>, opcode: u8, index: u16) {
    code.push(opcode);
    code.extend_from_slice(&index.to_be_bytes());
}

pub(crate) fn push_int(code: &mut Vec<u8>, growth: &mut Growth, value: i32) -> Result<(), Full> {
    match i16::try_from(value) {
        Ok(small @ -1..=5) => code.push((small + 3) as u8),
        Ok(small) => {
            code.push(0x11);
            code.extend_from_slice(&small.to_be_bytes());
        }
        Err(_) => with_index(code, 0x13, growth.int(value)?),
    }
    Ok(())
}

/// Which of the five kinds a type is, in the order that the opcodes have.
fn kind(of: &Type) -> u8 {
    match of {
        Type::Boolean | Type::Byte | Type::Char | Type::Short | Type::Int => 0,
        Type::Long => 1,
        Type::Float => 2,
        Type::Double => 3,
        Type::Class(_) | Type::Array(_) => 4,
    }
}

/// A method has at most 255 slots of parameters, so that the slot always fits.
pub(crate) fn load(code: &mut Vec<u8>, parameter: &Type, slot: usize) {
    code.extend([0x15 + kind(parameter), slot as u8]);
}

pub(crate) fn return_opcode(result: &Type) -> u8 {
    0xac + kind(result)
}

/// The class file of a hook.
pub(crate) fn hook_class(hook: &Hook) -> Vec<u8> {
    build_hook(hook).expect("a handful of constants fits, unless a name has more than 65,535 bytes")
}

fn build_hook(hook: &Hook) -> Result<Vec<u8>, Full> {
    let mut growth = Growth::new(1);
    let (class, object) = (growth.class(&hook.class)?, growth.class("java/lang/Object")?);
    let (flag, int) = (growth.text(&hook.flag)?, growth.text("I")?);
    let (method, descriptor) = (growth.text(&hook.method)?, growth.text(Hook::DESCRIPTOR)?);
    let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52];
    out.extend_from_slice(&growth.count()?.to_be_bytes());
    out.extend_from_slice(growth.bytes());
    // A public final class that extends Object, without interfaces; one public static field; one public static native
    // method; no attributes anywhere.
    let numbers = [0x1031, class, object, 0, 1, 0x0009, flag, int, 0, 1, 0x0109, method, descriptor, 0, 0];
    out.extend(numbers.into_iter().flat_map(u16::to_be_bytes));
    Ok(out)
}
