//! Fields that hold one of a few constants: numbers such as `state = OPEN`, and constants of an enum.
//!
//! The sign of such a number says little: 2 for signing and 3 for verifying have the same sign.

use std::collections::{BTreeMap, BTreeSet};

use adit_bytecode::{Class, ClassPath, Constant, Flags, Instruction};

/// Most constants of such a field. More are rather data.
const MOST: usize = 12;

/// The names of the fields of a class, its own and inherited ones, to which its code assigns constants only,
/// and of those whose type is an enum.
///
/// Only the code of the class that declares a field is read. Other code could assign to a field that is not
/// private, and hardly ever does; then a state is told by a number more, which is not wrong.
pub(crate) fn enumerated_fields(classes: &ClassPath, class: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut next = Some(class.to_owned());
    let mut steps = 0;
    while let Some(name) = next.take().filter(|name| name != "java/lang/Object" && steps < 100) {
        steps += 1;
        let Ok(Some(holder)) = classes.read(&name) else { break };
        found.extend(of_class(&holder));
        let of_enum = holder.fields.iter().filter(|field| is_enum(classes, &field.descriptor));
        found.extend(of_enum.map(|field| field.name.to_string()));
        next = holder.superclass.as_deref().map(str::to_owned);
    }
    found
}

/// Tells whether a type is an enum with few constants.
fn is_enum(classes: &ClassPath, descriptor: &str) -> bool {
    let name = descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
    let Some(Ok(Some(class))) = name.map(|name| classes.read(name)) else { return false };
    let constants = class.fields.iter().filter(|field| field.flags.has(Flags::ENUM)).count();
    class.flags.has(Flags::ENUM) && constants <= MOST
}

fn of_class(class: &Class) -> BTreeSet<String> {
    let is_whole = |descriptor: &str| matches!(descriptor, "I" | "S" | "B" | "C");
    // A field that nothing is assigned to is zero.
    let mut constants: BTreeMap<&str, BTreeSet<i32>> = class
        .fields
        .iter()
        .filter(|field| is_whole(&field.descriptor) && !field.flags.has(Flags::STATIC))
        .map(|field| (&*field.name, BTreeSet::from([0])))
        .collect();
    for code in class.methods.iter().filter_map(|method| method.code.as_ref()) {
        let mut before: Option<&Instruction> = None;
        for (_, instruction) in &code.instructions {
            if let Instruction::PutField(member) = instruction
                && *member.class == *class.name
            {
                if let Some(Instruction::Push(Constant::Int(value))) = before {
                    if let Some(known) = constants.get_mut(&*member.name) {
                        known.insert(*value);
                    }
                } else {
                    constants.remove(&*member.name);
                }
            }
            before = Some(instruction);
        }
    }
    let is_enumerated = |values: &BTreeSet<i32>| (3..=MOST).contains(&values.len());
    constants
        .into_iter()
        .filter(|(_, values)| is_enumerated(values))
        .map(|(name, _)| name.to_owned())
        .collect()
}
