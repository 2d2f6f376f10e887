//! The changes that a developer might make to a client: every call of a class with a model left out, and
//! calls of methods without parameters on every object in reach, behind every call of whatever class.

use adit_bytecode::mutate::{CallMutation, Change, Receiver};
use adit_bytecode::{Call, Class, Code, Instruction, MemberRef, Signature, Type};

use super::typestates::Models;

/// All changes of a class, with a description of each.
pub(super) fn seeds(class: &Class, models: &Models) -> Vec<(CallMutation, String)> {
    let mut found = Vec::new();
    for (method, code) in
        class.methods.iter().enumerate().filter_map(|(at, one)| Some((at, one.code.as_ref()?)))
    {
        let is_static = class.methods[method].is_static();
        for (at, (_, instruction)) in code.instructions.iter().enumerate() {
            let Instruction::Invoke(call, member) = instruction else { continue };
            if at + 1 >= code.instructions.len() {
                continue;
            }
            let line = code.line_at(code.instructions[at].0).unwrap_or(0);
            let place = format!("{}:{line}", class.methods[method].name);
            if matches!(call, Call::Virtual | Call::Interface)
                && models.is_followed(&member.class)
                && can_be_left_out(code, at, member)
            {
                let mutation = CallMutation { method, at, change: Change::Suppress };
                found.push((mutation, format!("{place}: without {}", member.name)));
            }
            for (receiver, type_name, shown) in receivers(class, code, at, is_static) {
                for target in models.plain_methods(&type_name) {
                    let shown = format!("{place}: after {}, {shown}.{}", member.name, target.name);
                    let change = Change::Inject { receiver: receiver.clone(), target };
                    found.push((CallMutation { method, at, change }, shown));
                }
            }
        }
    }
    found
}

/// Returns true if the client can go on without the result: there is none, or it is dropped, or it is a
/// number or boolean. A missing object would end in a null pointer, which is not about the class.
fn can_be_left_out(code: &Code, at: usize, member: &MemberRef) -> bool {
    let Some(signature) = Signature::parse(&member.descriptor) else { return false };
    match signature.result {
        Some(Type::Class(_) | Type::Array(_)) => {
            matches!(code.instructions[at + 1].1, Instruction::Stack(adit_bytecode::StackMove::Pop))
        }
        _ => true,
    }
}

/// The objects of followed classes behind an instruction: local variables and fields of the receiver.
fn receivers(class: &Class, code: &Code, at: usize, is_static: bool) -> Vec<(Receiver, String, String)> {
    let behind = code.instructions[at + 1].0;
    let mut found = Vec::new();
    let object = |descriptor: &str| -> Option<String> {
        Some(descriptor.strip_prefix('L')?.strip_suffix(';')?.to_owned())
    };
    for variable in &code.variables {
        let start = u32::from(variable.start);
        if start <= behind
            && behind < start + u32::from(variable.length)
            && let Some(type_name) = object(&variable.descriptor)
        {
            found.push((Receiver::Local(variable.slot), type_name, variable.name.to_string()));
        }
    }
    if !is_static {
        for field in class.fields.iter().filter(|field| !field.flags.has(adit_bytecode::Flags::STATIC)) {
            if let Some(type_name) = object(&field.descriptor) {
                let member = MemberRef {
                    class: class.name.clone(),
                    name: field.name.clone(),
                    descriptor: field.descriptor.clone(),
                    in_interface: false,
                };
                found.push((Receiver::Field(member), type_name, field.name.to_string()));
            }
        }
    }
    found
}
