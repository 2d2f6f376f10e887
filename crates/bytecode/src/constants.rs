//! The constants that a class uses, and their neighbors: values worth trying as arguments.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::Class;
use crate::instruction::Instruction;
use crate::pool::Constant;

/// The constants of a class, each once and in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constants {
    /// Numbers of type `int` and narrower, the keys of switches among them.
    pub ints: BTreeSet<i32>,
    /// Numbers of type `long`.
    pub longs: BTreeSet<i64>,
    /// The bits of numbers of type `float`; as numbers they have no order.
    pub floats: BTreeSet<u32>,
    /// The bits of numbers of type `double`.
    pub doubles: BTreeSet<u64>,
    /// Strings that Rust can hold.
    pub strings: BTreeSet<Arc<str>>,
    /// Classes that are mentioned as values, in internal form.
    pub classes: BTreeSet<Arc<str>>,
}

impl Constants {
    /// The constants in the methods and in the constant fields of a class.
    pub fn of(class: &Class) -> Constants {
        let mut found = Constants::default();
        for field in &class.fields {
            field.value.iter().for_each(|value| found.add(value));
        }
        let bodies = class.methods.iter().filter_map(|method| method.code.as_ref());
        for (_, instruction) in bodies.flat_map(|code| &code.instructions) {
            match instruction {
                Instruction::Push(constant) => found.add(constant),
                Instruction::Switch { cases, .. } => found.ints.extend(cases.iter().map(|&(key, _)| key)),
                _ => {}
            }
        }
        found
    }

    fn add(&mut self, constant: &Constant) {
        match constant {
            Constant::Int(value) => drop(self.ints.insert(*value)),
            Constant::Long(value) => drop(self.longs.insert(*value)),
            Constant::Float(value) => drop(self.floats.insert(value.to_bits())),
            Constant::Double(value) => drop(self.doubles.insert(value.to_bits())),
            Constant::String(text) => drop(self.strings.insert(text.clone())),
            Constant::Class(name) => drop(self.classes.insert(name.clone())),
            Constant::Null
            | Constant::HalfString(_)
            | Constant::MethodType(_)
            | Constant::MethodHandle(_)
            | Constant::Dynamic { .. } => {}
        }
    }

    /// The `int`s with the numbers just below and above: a comparison changes its answer there.
    pub fn ints_and_neighbors(&self) -> BTreeSet<i32> {
        let neighbors = |&value: &i32| [value.checked_sub(1), Some(value), value.checked_add(1)];
        self.ints.iter().flat_map(neighbors).flatten().collect()
    }

    /// The `long`s with the numbers just below and above.
    pub fn longs_and_neighbors(&self) -> BTreeSet<i64> {
        let neighbors = |&value: &i64| [value.checked_sub(1), Some(value), value.checked_add(1)];
        self.longs.iter().flat_map(neighbors).flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_stay_within_the_type() {
        let constants = Constants {
            ints: [i32::MIN, 0, 1, i32::MAX].into(),
            longs: [i64::MAX].into(),
            ..Constants::default()
        };
        let ints: Vec<i32> = constants.ints_and_neighbors().into_iter().collect();
        assert_eq!(ints, [i32::MIN, i32::MIN + 1, -1, 0, 1, 2, i32::MAX - 1, i32::MAX]);
        let longs: Vec<i64> = constants.longs_and_neighbors().into_iter().collect();
        assert_eq!(longs, [i64::MAX - 1, i64::MAX]);
    }
}
