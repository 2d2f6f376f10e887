//! Trampolines: the methods that rerouted calls go through.

use std::sync::Arc;

use crate::descriptor::{Signature, Type};
use crate::emit::{load, op, push_int, return_opcode, with_index};
use crate::growth::{Full, Growth};
use crate::instruction::Call;
use crate::splice::Hook;
use crate::version::STACK_MAP_FRAMES;

/// A call to be made through a trampoline.
pub(crate) struct Invoke {
    pub(crate) call: Call,
    /// Index of the method's constant, which the trampoline uses as well.
    pub(crate) index: u16,
    /// The count byte of `invokeinterface`.
    pub(crate) count: u8,
    pub(crate) number: i32,
    pub(crate) class: Arc<str>,
    pub(crate) signature: Signature,
}

impl Invoke {
    /// Returns true if a method can take the receiver and the arguments.
    ///
    /// A legal class name may be illegal in a descriptor, and the receiver may be one parameter too many.
    pub(crate) fn is_writable(&self) -> bool {
        let signature = Signature::parse(&self.descriptor());
        let expected = self.signature.parameters.len() + usize::from(self.has_receiver());
        signature.is_some_and(|signature| {
            signature.parameters.len() == expected && signature.slots() <= 255 && !self.class.contains('\\')
        })
    }

    fn has_receiver(&self) -> bool {
        self.call != Call::Static
    }

    /// Descriptor of the trampoline. The receiver, if there is one, is its first parameter.
    fn descriptor(&self) -> String {
        let mut descriptor = "(".to_owned();
        if self.has_receiver() {
            // An array class is named by its descriptor.
            let is_array = self.class.starts_with('[');
            descriptor += &if is_array { self.class.to_string() } else { format!("L{};", self.class) };
        }
        self.signature.parameters.iter().for_each(|parameter| descriptor += &parameter.descriptor());
        descriptor.push(')');
        descriptor += &self.signature.result.as_ref().map_or("V".to_owned(), Type::descriptor);
        descriptor
    }
}

/// Appends a trampoline to `methods` and returns its descriptor.
///
/// Its only stack map frame is where the direct call begins. There it is still the initial frame of the
/// method, because no variable was stored and the stack is empty, so writing it needs no types.
pub(crate) fn append(
    methods: &mut Vec<u8>,
    growth: &mut Growth,
    hook: &Hook,
    invoke: &Invoke,
    name: &str,
    major: u16,
) -> Result<String, Full> {
    let descriptor = invoke.descriptor();
    let through_hook = call_hook(growth, hook, invoke)?;
    let flag = growth.field(&hook.class, &hook.flag, "I")?;
    // The branch is three bytes behind the read of the flag. Calling the hook takes at most a few thousand
    // bytes: a call has at most 255 arguments of twelve bytes each.
    let direct = 6 + through_hook.len() as u16;
    let mut code = Vec::new();
    with_index(&mut code, op::GETSTATIC, flag);
    with_index(&mut code, op::IFEQ, direct - 3);
    code.extend_from_slice(&through_hook);
    call_directly(&mut code, invoke);

    let slots = invoke.signature.slots() + usize::from(invoke.has_receiver());
    // The hook needs the number, the receiver, the array twice, an index and an argument of two slots.
    let stack = slots.max(7);
    let [name, descriptor_index, code_name] =
        [growth.text(name)?, growth.text(&descriptor)?, growth.text("Code")?];
    let mut body = Vec::new();
    body.extend_from_slice(&(stack as u16).to_be_bytes());
    body.extend_from_slice(&(slots as u16).to_be_bytes());
    body.extend_from_slice(&(code.len() as u32).to_be_bytes());
    body.extend_from_slice(&code);
    body.extend_from_slice(&[0, 0]);
    if major >= STACK_MAP_FRAMES {
        let frames = growth.text("StackMapTable")?;
        body.extend_from_slice(&[0, 1]);
        body.extend_from_slice(&frames.to_be_bytes());
        // One frame of the kind `same_frame_extended`, which takes any offset.
        body.extend_from_slice(&[0, 0, 0, 5, 0, 1, 251]);
        body.extend_from_slice(&direct.to_be_bytes());
    } else {
        body.extend_from_slice(&[0, 0]);
    }
    // Private, static and synthetic: reflection that lists public members and the default serial version skip
    // it.
    methods.extend_from_slice(&0x100a_u16.to_be_bytes());
    methods.extend_from_slice(&name.to_be_bytes());
    methods.extend_from_slice(&descriptor_index.to_be_bytes());
    methods.extend_from_slice(&[0, 1]);
    methods.extend_from_slice(&code_name.to_be_bytes());
    methods.extend_from_slice(&(body.len() as u32).to_be_bytes());
    methods.extend_from_slice(&body);
    Ok(descriptor)
}

/// Passes the receiver and the arguments to the hook as objects, and returns its result.
fn call_hook(growth: &mut Growth, hook: &Hook, invoke: &Invoke) -> Result<Vec<u8>, Full> {
    let mut code = Vec::new();
    push_int(&mut code, growth, invoke.number)?;
    let mut slot = 0;
    if invoke.call == Call::Static {
        code.push(op::ACONST_NULL);
    } else {
        code.push(op::ALOAD_0);
        slot = 1;
    }
    push_int(&mut code, growth, invoke.signature.parameters.len() as i32)?;
    with_index(&mut code, op::ANEWARRAY, growth.class("java/lang/Object")?);
    for (number, parameter) in invoke.signature.parameters.iter().enumerate() {
        code.push(op::DUP);
        push_int(&mut code, growth, number as i32)?;
        load(&mut code, parameter, slot);
        slot += parameter.slots();
        if let Some(wrapper) = Wrapper::of(parameter) {
            let descriptor = format!("({})L{};", wrapper.letter, wrapper.class);
            let value_of = growth.method(wrapper.class, "valueOf", &descriptor, false)?;
            with_index(&mut code, op::INVOKESTATIC, value_of);
        }
        code.push(op::AASTORE);
    }
    let hook = growth.method(&hook.class, &hook.method, Hook::DESCRIPTOR, false)?;
    with_index(&mut code, op::INVOKESTATIC, hook);
    match &invoke.signature.result {
        None => code.extend([op::POP, op::RETURN]),
        Some(result) => {
            if let Some(wrapper) = Wrapper::of(result) {
                with_index(&mut code, op::CHECKCAST, growth.class(wrapper.class)?);
                let descriptor = format!("(){}", wrapper.letter);
                let unwrap = growth.method(wrapper.class, wrapper.unwrap, &descriptor, false)?;
                with_index(&mut code, op::INVOKEVIRTUAL, unwrap);
            } else {
                let class = match result {
                    Type::Class(name) => name.to_string(),
                    array => array.descriptor(),
                };
                if class != "java/lang/Object" {
                    with_index(&mut code, op::CHECKCAST, growth.class(&class)?);
                }
            }
            code.push(return_opcode(result));
        }
    }
    Ok(code)
}

/// Makes the original call.
fn call_directly(code: &mut Vec<u8>, invoke: &Invoke) {
    let mut slot = 0;
    if invoke.call != Call::Static {
        code.push(op::ALOAD_0);
        slot = 1;
    }
    for parameter in &invoke.signature.parameters {
        load(code, parameter, slot);
        slot += parameter.slots();
    }
    match invoke.call {
        Call::Static => with_index(code, op::INVOKESTATIC, invoke.index),
        Call::Interface => {
            with_index(code, op::INVOKEINTERFACE, invoke.index);
            code.extend([invoke.count, 0]);
        }
        // Special calls are never rerouted.
        Call::Virtual | Call::Special => with_index(code, op::INVOKEVIRTUAL, invoke.index),
    }
    code.push(invoke.signature.result.as_ref().map_or(op::RETURN, return_opcode));
}

/// The class that boxes a primitive type.
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
