//! Every class of `java.base`, read by us and by an independent reader.

use adit_bytecode::{Call, Class, ClassSource, Instruction};
use cafebabe::attributes::AttributeData;
use cafebabe::bytecode::Opcode;

use crate::jdk::Jdk;

#[test]
fn every_class_of_java_base_parses() {
    let Some(jdk) = Jdk::find() else { return };
    let modules = jdk.modules();
    let names: Vec<String> =
        modules.names().into_iter().filter(|name| modules.module_of(name) == Some("java.base")).collect();
    assert!(names.len() > 5000, "only {} classes in java.base", names.len());
    for name in &names {
        let bytes = modules.find(name).unwrap().unwrap();
        let class = Class::parse(&bytes, name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(&*class.name, name);
    }
}

#[test]
fn an_independent_reader_sees_the_same() {
    let Some(jdk) = Jdk::find() else { return };
    let modules = jdk.modules();
    // One in seven is enough to meet every kind of instruction, in a tenth of a second.
    let names = modules.names().into_iter().filter(|name| modules.module_of(name) == Some("java.base"));
    for name in names.step_by(7) {
        let bytes = modules.find(&name).unwrap().unwrap();
        let (ours, theirs) = (ours(&bytes), theirs(&bytes));
        if ours != theirs {
            let differ = ours.lines().zip(theirs.lines()).find(|(ours, theirs)| ours != theirs);
            panic!("{name}: {differ:?}, {} against {} lines", ours.lines().count(), theirs.lines().count());
        }
    }
}

/// Facts that both readers give about a class: members, and instructions that name or jump.
fn ours(bytes: &[u8]) -> String {
    let class = Class::parse(bytes, "it").unwrap();
    let mut said = format!("{} {:?} {:?}\n", class.name, class.superclass, class.interfaces);
    for field in &class.fields {
        said += &format!("field {} {}\n", field.name, field.descriptor);
    }
    for method in &class.methods {
        said += &format!("method {}{} {:?}\n", method.name, method.descriptor, method.exceptions);
        let Some(code) = &method.code else { continue };
        said += &format!("{} {} {:?}\n", code.max_stack, code.max_locals, code.lines);
        for handler in &code.handlers {
            said += &format!("{}-{} {} {:?}\n", handler.start, handler.end, handler.target, handler.catches);
        }
        for (offset, instruction) in &code.instructions {
            let what = match instruction {
                Instruction::Invoke(call, to) => {
                    let call = match call {
                        Call::Virtual => "virtual",
                        Call::Interface => "interface",
                        Call::Special => "special",
                        Call::Static => "static",
                    };
                    format!("{call} {}.{}{}", to.class, to.name, to.descriptor)
                }
                Instruction::GetField(field) => format!("get {}.{}", field.class, field.name),
                Instruction::PutField(field) => format!("put {}.{}", field.class, field.name),
                Instruction::Goto(target) => format!("goto {target}"),
                Instruction::Branch(_, target) => format!("branch {target}"),
                Instruction::Switch { default, cases } => format!("switch {default} {cases:?}"),
                Instruction::Load(_, slot) => format!("load {slot}"),
                Instruction::Store(_, slot) => format!("store {slot}"),
                Instruction::Increment(slot, by) => format!("increment {slot} {by}"),
                Instruction::New(class) => format!("new {class}"),
                _ => String::new(),
            };
            said += &format!("{offset} {what}\n");
        }
    }
    said
}

fn theirs(bytes: &[u8]) -> String {
    let class = cafebabe::parse_class(bytes).unwrap();
    let superclass = class.super_class.as_ref().map(ToString::to_string);
    let interfaces: Vec<String> = class.interfaces.iter().map(ToString::to_string).collect();
    let mut said = format!("{} {superclass:?} {interfaces:?}\n", class.this_class);
    for field in &class.fields {
        said += &format!("field {} {}\n", field.name, field.descriptor);
    }
    for method in &class.methods {
        let exceptions = method.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::Exceptions(names) => Some(names.clone()),
            _ => None,
        });
        said +=
            &format!("method {}{} {:?}\n", method.name, method.descriptor, exceptions.unwrap_or_default());
        let code = method.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::Code(code) => Some(code),
            _ => None,
        });
        let Some(code) = code else { continue };
        let lines: Vec<(u16, u16)> = code
            .attributes
            .iter()
            .filter_map(|attribute| match &attribute.data {
                AttributeData::LineNumberTable(lines) => Some(lines),
                _ => None,
            })
            .flatten()
            .map(|line| (line.start_pc, line.line_number))
            .collect();
        said += &format!("{} {} {lines:?}\n", code.max_stack, code.max_locals);
        for handler in &code.exception_table {
            let (start, end, target) = (handler.start_pc, handler.end_pc, handler.handler_pc);
            said += &format!("{start}-{end} {target} {:?}\n", handler.catch_type);
        }
        for (offset, opcode) in &code.bytecode.as_ref().unwrap().opcodes {
            said += &format!("{offset} {}\n", their_instruction(*offset as i32, opcode));
        }
    }
    said
}

fn their_instruction(offset: i32, opcode: &Opcode<'_>) -> String {
    use Opcode::*;
    let member = |member: &cafebabe::constant_pool::MemberRef<'_>| {
        format!("{}.{}{}", member.class_name, member.name_and_type.name, member.name_and_type.descriptor)
    };
    let field = |member: &cafebabe::constant_pool::MemberRef<'_>| {
        format!("{}.{}", member.class_name, member.name_and_type.name)
    };
    match opcode {
        Invokevirtual(to) => format!("virtual {}", member(to)),
        Invokeinterface(to, _) => format!("interface {}", member(to)),
        Invokespecial(to) => format!("special {}", member(to)),
        Invokestatic(to) => format!("static {}", member(to)),
        Getfield(of) => format!("get {}", field(of)),
        Putfield(of) => format!("put {}", field(of)),
        Goto(by) => format!("goto {}", offset + by),
        IfAcmpeq(by) | IfAcmpne(by) | IfIcmpeq(by) | IfIcmpge(by) | IfIcmpgt(by) | IfIcmple(by)
        | IfIcmplt(by) | IfIcmpne(by) | Ifeq(by) | Ifge(by) | Ifgt(by) | Ifle(by) | Iflt(by) | Ifne(by)
        | Ifnonnull(by) | Ifnull(by) => {
            format!("branch {}", offset + by)
        }
        Tableswitch(table) => {
            let cases: Vec<(i32, i32)> =
                (table.low..).zip(&table.jumps).map(|(key, by)| (key, offset + by)).collect();
            format!("switch {} {cases:?}", offset + table.default)
        }
        Lookupswitch(table) => {
            let cases: Vec<(i32, i32)> =
                table.match_offsets.iter().map(|&(key, by)| (key, offset + by)).collect();
            format!("switch {} {cases:?}", offset + table.default)
        }
        Iload(slot) | Lload(slot) | Fload(slot) | Dload(slot) | Aload(slot) => format!("load {slot}"),
        Istore(slot) | Lstore(slot) | Fstore(slot) | Dstore(slot) | Astore(slot) => format!("store {slot}"),
        Iinc(slot, by) => format!("increment {slot} {by}"),
        New(class) => format!("new {class}"),
        _ => String::new(),
    }
}
