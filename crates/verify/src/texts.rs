//! Texts that the code compares: a variable that equals one constant equals no other.
//!
//! Handlers of elements, options and commands are chains of comparisons with constants. Without them, a path
//! through `"a".equals(name)` and then through `"b".equals(name)` looks possible. A known text is its hash:
//! two texts with the same hash would hide a path, and never make one.

use std::hash::{Hash, Hasher};

use adit_bytecode::{Condition, Instruction, MemberRef, Relation};

use crate::analysis::{Analysis, Frame};
use crate::world::{Value, World};

/// The value of a constant.
pub(crate) fn constant(text: &str) -> Value {
    let mut hasher = rustc_hash::FxHasher::default();
    text.hash(&mut hasher);
    Value::Text(hasher.finish())
}

impl Analysis<'_> {
    /// The situations after a comparison of two texts, with its result on the stack, if one of them is known.
    /// A branch must follow, or else nobody would tell the two results apart.
    pub(crate) fn compared(
        &self,
        frame: &Frame<'_>,
        at: usize,
        member: &MemberRef,
        receiver: Option<Value>,
        arguments: &[Value],
        world: &World,
    ) -> Option<Vec<World>> {
        if &*member.class != "java/lang/String" || &*member.name != "equals" {
            return None;
        }
        let (text, other) = match (receiver?, *arguments.first()?) {
            (Value::Text(one), Value::Text(other)) => {
                let mut world = world.clone();
                world.push(Value::Int(i32::from(one == other)));
                return Some(vec![world]);
            }
            (text @ Value::Text(_), Value::Ref(other)) | (Value::Ref(other), text @ Value::Text(_)) => {
                (text, other)
            }
            _ => return None,
        };
        let is_tested = matches!(
            frame.code.instructions.get(at + 1),
            Some((_, Instruction::Branch(Condition::Zero(Relation::Eq | Relation::Ne), _)))
        );
        if !is_tested {
            return None;
        }
        let mut same = world.clone();
        same.replace(Value::Ref(other), text);
        same.heap.retain(|((base, _), _)| *base != other);
        same.push(Value::Int(1));
        let mut different = world.clone();
        different.push(Value::Int(0));
        Some(vec![same, different])
    }
}
