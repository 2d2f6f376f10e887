//! Facts about the methods and fields of a class that one look at its code gives, before anything is run.

use std::sync::Arc;

use adit_bytecode::{Call, Class, Code, Flags, Instruction, MemberRef, Signature, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::comodification::CONCURRENT;
use crate::library::Library;
use crate::limits::{DEPTH, SUMMARIES};
use crate::{Memory, Verifier};

/// Facts about a class.
pub(crate) struct Outlook {
    pub(crate) methods: Vec<MethodOutlook>,
    /// Private final fields, with the class of their objects if every constructor creates one of the same.
    pub(crate) final_fields: FxHashMap<Arc<str>, Option<Arc<str>>>,
    /// Fields for which the class creates a collection of `java.util.concurrent` somewhere.
    pub(crate) concurrent_fields: FxHashMap<Arc<str>, Arc<str>>,
}

/// Facts about a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MethodOutlook {
    /// It, or a method of its class that it calls, refers to a class with a typestate.
    pub(crate) mentions: bool,
    /// It may use or hand out a followed object of somebody else: it takes or returns one, or reads it from
    /// a field, or puts it there. What it does with objects of its own is its own business.
    pub(crate) shares: bool,
    /// Every way through it ends in an exception.
    pub(crate) always_throws: bool,
}

/// Classes of the Java library whose objects never lead to one that is followed.
const PLAIN: [&str; 14] = [
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/CharSequence",
    "java/lang/Character",
    "java/lang/Class",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Number",
    "java/lang/Short",
    "java/lang/String",
    "java/lang/StringBuffer",
    "java/lang/StringBuilder",
];

impl Verifier {
    /// The facts about a class, from memory if they are there.
    pub(crate) fn outlook(&self, memory: &mut Memory, library: &Library, class: &Class) -> Arc<Outlook> {
        if let Some(known) = memory.outlooks.get(&class.name) {
            return known.clone();
        }
        if memory.outlooks.len() > SUMMARIES {
            memory.outlooks.clear();
        }
        let final_fields = final_fields(class);
        let methods = self.methods(library, class, &final_fields);
        let outlook =
            Arc::new(Outlook { methods, final_fields, concurrent_fields: concurrent_fields(class) });
        memory.outlooks.insert(class.name.clone(), outlook.clone());
        outlook
    }

    fn methods(
        &self,
        library: &Library,
        class: &Class,
        final_fields: &FxHashMap<Arc<str>, Option<Arc<str>>>,
    ) -> Vec<MethodOutlook> {
        let in_descriptor = |descriptor: &str| {
            descriptor
                .split(['L', ';', '(', ')', '['])
                .any(|part| part.contains('/') && self.is_modeled(part))
        };
        let of_member =
            |member: &MemberRef| self.is_modeled(&member.class) || in_descriptor(&member.descriptor);
        // A field of type `Deque` may hold an `ArrayDeque` that the class itself made.
        let holds_made = |member: &MemberRef| {
            member.class == class.name
                && matches!(final_fields.get(&member.name), Some(Some(made)) if self.is_modeled(made))
        };
        // The classes of values that methods return and store are few, and finding out is slow.
        let mut holders: FxHashMap<Arc<str>, bool> = FxHashMap::default();
        let mut may_hold = |one: &Type| match one {
            Type::Class(name) => *holders.entry(name.clone()).or_insert_with(|| {
                self.is_modeled(name)
                    || match library.class(name) {
                        Some(class) => class.fields.iter().any(|field| in_descriptor(&field.descriptor)),
                        None => !PLAIN.contains(&&**name),
                    }
            }),
            _ => false,
        };
        let mut found: Vec<MethodOutlook> = Vec::with_capacity(class.methods.len());
        for method in &class.methods {
            let mut outlook = MethodOutlook::default();
            let Some(code) = &method.code else {
                found.push(outlook);
                continue;
            };
            outlook.always_throws = true;
            let mut shares = in_descriptor(&method.descriptor);
            for (_, instruction) in &code.instructions {
                match instruction {
                    Instruction::Invoke(_, member) => outlook.mentions |= of_member(member),
                    Instruction::GetField(member) | Instruction::GetStatic(member) => {
                        let made = holds_made(member);
                        outlook.mentions |= made || of_member(member);
                        shares |= made || in_descriptor(&member.descriptor);
                    }
                    Instruction::PutField(member) | Instruction::PutStatic(member) => {
                        outlook.mentions |= of_member(member);
                        shares |= Type::parse(&member.descriptor).is_some_and(|one| may_hold(&one));
                    }
                    Instruction::New(class) | Instruction::CheckCast(class) => {
                        outlook.mentions |= self.is_modeled(class);
                    }
                    Instruction::Return(_) => outlook.always_throws = false,
                    _ => {}
                }
            }
            let returns = Signature::parse(&method.descriptor).and_then(|signature| signature.result);
            outlook.shares = shares || returns.is_some_and(|one| may_hold(&one));
            found.push(outlook);
        }
        self.through_own_calls(class, &mut found);
        found
    }

    /// A method that calls such a method of its own class matters too.
    fn through_own_calls(&self, class: &Class, found: &mut [MethodOutlook]) {
        let mut by_name: FxHashMap<(&str, &str), usize> = FxHashMap::default();
        for (at, method) in class.methods.iter().enumerate() {
            by_name.insert((&method.name, &method.descriptor), at);
        }
        let own_calls: Vec<Vec<usize>> = class
            .methods
            .iter()
            .map(|method| {
                let called = |(_, instruction): &(u32, Instruction)| match instruction {
                    Instruction::Invoke(_, member) if member.class == class.name => {
                        by_name.get(&(&*member.name, &*member.descriptor)).copied()
                    }
                    _ => None,
                };
                let mut called: Vec<usize> =
                    method.code.iter().flat_map(|code| &code.instructions).filter_map(called).collect();
                called.sort_unstable();
                called.dedup();
                called
            })
            .collect();
        for _ in 0..DEPTH {
            let before = found.to_vec();
            for (at, called) in own_calls.iter().enumerate() {
                for &called in called {
                    found[at].mentions |= before[called].mentions;
                    found[at].shares |= before[called].shares;
                }
            }
            if before == found {
                break;
            }
        }
    }
}

fn final_fields(class: &Class) -> FxHashMap<Arc<str>, Option<Arc<str>>> {
    let mut found: FxHashMap<Arc<str>, Option<Arc<str>>> = class
        .fields
        .iter()
        .filter(|field| field.flags.has(Flags::PRIVATE) && field.flags.has(Flags::FINAL))
        .map(|field| (field.name.clone(), None))
        .collect();
    if found.is_empty() {
        return found;
    }
    let mut written: FxHashSet<Arc<str>> = FxHashSet::default();
    for code in class.methods.iter().filter_map(|method| method.code.as_ref()) {
        for (at, (_, instruction)) in code.instructions.iter().enumerate() {
            let (Instruction::PutField(member) | Instruction::PutStatic(member)) = instruction else {
                continue;
            };
            let Some(made) = found.get_mut(&member.name).filter(|_| member.class == class.name) else {
                continue;
            };
            let new = created_before(code, at);
            let is_first = written.insert(member.name.clone());
            *made = if is_first || *made == new { new } else { None };
        }
    }
    found
}

fn concurrent_fields(class: &Class) -> FxHashMap<Arc<str>, Arc<str>> {
    let mut found = FxHashMap::default();
    for code in class.methods.iter().filter_map(|method| method.code.as_ref()) {
        for (at, (_, instruction)) in code.instructions.iter().enumerate() {
            if let Instruction::PutField(member) | Instruction::PutStatic(member) = instruction
                && member.class == class.name
                && let Some(made) = created_before(code, at)
                && made.starts_with(CONCURRENT)
            {
                found.insert(member.name.clone(), made);
            }
        }
    }
    found
}

/// The class of the object that the constructor right before the instruction made, if there is no other way
/// to the instruction.
fn created_before(code: &Code, at: usize) -> Option<Arc<str>> {
    let here = code.instructions[at].0;
    let jumps_here = |(_, instruction): &(u32, Instruction)| match instruction {
        Instruction::Goto(target) | Instruction::Branch(_, target) => *target == here,
        _ => false,
    };
    if code.instructions.iter().any(jumps_here) {
        return None;
    }
    match &code.instructions[at.checked_sub(1)?].1 {
        Instruction::Invoke(Call::Special, member) if &*member.name == "<init>" => Some(member.class.clone()),
        _ => None,
    }
}
