//! Constants that a method compares with: `if (x == 967)` opens a path that no other number finds.
//!
//! The body of the method is searched, and those of methods of its own class that it calls. A number counts
//! if a comparison follows it, and so does each case of a switch; a text counts if it is compared as a whole
//! or in part. Which parameter it is compared with is not followed: its type decides. A number is also a
//! length, of arrays and of texts.
//!
//! Paper: none; constants of the code under test as inputs, as many tools have them, here for each method.

use std::collections::{BTreeMap, BTreeSet};

use adit_bytecode::{Condition, Constant, Instruction, Program, Relation, Type};
use adit_trace::{Argument, CallKind};
use rand::{Rng, RngExt};

use crate::Operation;
use crate::api::member_name;
use crate::weights::Weights;

/// Probability of such a constant, where there is any.
const GUARD: f64 = 0.35;

/// The weights of a constant in the method itself, of one in a method that it calls, and of a neighbor.
const OWN: u32 = 8;
const CALLED: u32 = 3;
const NEIGHBOR: u32 = 1;

/// So many bodies are read for one method, and so many calls deep.
const MOST_BODIES: usize = 12;
const DEEPEST: usize = 2;

/// So many constants are kept for a parameter. A method with more has a table, not a guard.
const MOST: usize = 40;

/// Numbers up to this are tried often anyway.
const USUAL: i64 = 3;

/// The longest array, and the longest text that is made for its length.
const LONGEST: i64 = 64;

/// A constant is compared by an instruction that follows it as closely: `ldc "a"; aload_1; invokevirtual`.
const WINDOW: usize = 2;

/// Methods that compare texts.
const COMPARING: [&str; 12] = [
    "compareTo",
    "compareToIgnoreCase",
    "contains",
    "contentEquals",
    "endsWith",
    "equals",
    "equalsIgnoreCase",
    "indexOf",
    "lastIndexOf",
    "matches",
    "regionMatches",
    "startsWith",
];

/// The values that a method compares a parameter with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guards {
    values: Vec<(Argument, u32)>,
    weights: Weights,
}

impl Guards {
    /// Values with their weights.
    pub(crate) fn new(values: Vec<(Argument, u32)>) -> Guards {
        let weights = Weights::new(values.iter().map(|(_, weight)| *weight));
        Guards { values, weights }
    }

    /// Sometimes one of the values.
    pub(crate) fn draw(&self, rng: &mut impl Rng) -> Option<&Argument> {
        if self.values.is_empty() || !rng.random_bool(GUARD) {
            return None;
        }
        self.values.get(self.weights.draw(rng)).map(|(value, _)| value)
    }

    /// No longer gives the values that are to be avoided.
    pub(crate) fn avoid(&mut self, avoided: impl Fn(&Argument) -> bool) {
        let mut values = std::mem::take(&mut self.values);
        values.retain(|(value, _)| !avoided(value));
        *self = Guards::new(values);
    }
}

/// For each parameter of an operation, the values that its body compares with; empty if there are none.
pub(crate) fn guards(program: &Program<'_>, operation: &Operation) -> Vec<Vec<(Argument, u32)>> {
    if operation.parameters.is_empty() || operation.callable.kind == CallKind::Constant {
        return Vec::new();
    }
    let compared = Compared::of(program, operation);
    let all: Vec<_> = operation.parameters.iter().map(|wanted| compared.values(wanted)).collect();
    if all.iter().all(Vec::is_empty) { Vec::new() } else { all }
}

/// The constants that a method compares with, each with its weight.
#[derive(Default)]
struct Compared {
    ints: BTreeMap<i64, u32>,
    /// Bits of floating-point numbers.
    floats: BTreeMap<u64, u32>,
    texts: BTreeMap<String, u32>,
    /// Lengths of texts are looked at.
    measures: bool,
}

impl Compared {
    fn of(program: &Program<'_>, operation: &Operation) -> Compared {
        let callable = &operation.callable;
        let mut found = Compared::default();
        let first =
            (callable.owner.replace('.', "/"), member_name(callable).to_owned(), callable.signature.clone());
        let mut seen = BTreeSet::from([first.clone()]);
        let mut open = vec![(first, 0)];
        let mut next = 0;
        while let Some(((class, name, descriptor), depth)) = open.get(next).cloned() {
            next += 1;
            let Some(declared) = program.resolve(&class, &name, &descriptor).map(|(class, _)| class) else {
                continue;
            };
            let Some(whole) = program.class(&declared.name) else { continue };
            let Some(code) = whole.method(&name, &descriptor).and_then(|method| method.code.as_ref()) else {
                continue;
            };
            let body: Vec<&Instruction> = code.instructions.iter().map(|(_, one)| one).collect();
            found.add(&body, if depth == 0 { OWN } else { CALLED });
            for instruction in body {
                let Instruction::Invoke(_, member) = instruction else { continue };
                let called =
                    (member.class.to_string(), member.name.to_string(), member.descriptor.to_string());
                let is_own = *member.class == *declared.name || *member.class == *class;
                if is_own && depth < DEEPEST && open.len() < MOST_BODIES && seen.insert(called.clone()) {
                    open.push((called, depth + 1));
                }
            }
        }
        found
    }

    fn add(&mut self, body: &[&Instruction], weight: u32) {
        for (at, instruction) in body.iter().enumerate() {
            let after = &body[at + 1..body.len().min(at + 1 + WINDOW)];
            let is_compared =
                after.iter().any(|one| matches!(one, Instruction::Branch(..) | Instruction::Compare(..)));
            let is_text_compared = after.iter().any(
                |one| matches!(one, Instruction::Invoke(_, member) if COMPARING.contains(&&*member.name)),
            );
            // Where order matters, the values beside the border are as good as itself.
            let neighbor = if after.iter().any(|one| is_by_order(one)) { weight } else { NEIGHBOR };
            match instruction {
                Instruction::Push(Constant::Int(value)) if is_compared => {
                    self.add_int(i64::from(*value), weight, neighbor);
                }
                Instruction::Push(Constant::Long(value)) if is_compared => {
                    self.add_int(*value, weight, neighbor);
                }
                Instruction::Push(Constant::Float(value)) if is_compared => {
                    self.floats.insert(f64::from(*value).to_bits(), weight);
                }
                Instruction::Push(Constant::Double(value)) if is_compared => {
                    self.floats.insert(value.to_bits(), weight);
                }
                Instruction::Push(Constant::String(text)) if is_text_compared => {
                    let known = self.texts.entry(text.to_string()).or_default();
                    *known = (*known).max(weight);
                }
                Instruction::Switch { cases, .. } if cases.len() <= MOST => {
                    // A switch over texts has their hash codes as cases.
                    let is_of_hash = at > 0
                        && matches!(body[at - 1], Instruction::Invoke(_, member) if &*member.name == "hashCode");
                    if !is_of_hash {
                        cases.iter().for_each(|(key, _)| self.add_int(i64::from(*key), weight, NEIGHBOR));
                    }
                }
                Instruction::Invoke(_, member)
                    if &*member.name == "length" && &*member.descriptor == "()I" =>
                {
                    self.measures = true;
                }
                _ => {}
            }
        }
    }

    /// Adds a number, and its neighbors: where it is a border, they are on the other side.
    fn add_int(&mut self, value: i64, weight: u32, neighbor: u32) {
        let neighbors =
            [(value.checked_sub(1), neighbor), (Some(value), weight), (value.checked_add(1), neighbor)];
        for (value, weight) in neighbors {
            if let Some(value) = value {
                let known = self.ints.entry(value).or_default();
                *known = (*known).max(weight);
            }
        }
    }

    /// The values for a parameter of this type.
    fn values(&self, wanted: &Type) -> Vec<(Argument, u32)> {
        let name = match wanted {
            Type::Class(name) => &**name,
            _ => "",
        };
        let mut values: Vec<(Argument, u32)> = match (wanted, name) {
            (Type::Byte, _) | (_, "java/lang/Byte") => self.whole(i8::MIN.into(), i8::MAX.into()),
            (Type::Short, _) | (_, "java/lang/Short") => self.whole(i16::MIN.into(), i16::MAX.into()),
            (Type::Char, _) | (_, "java/lang/Character") => self.whole(0, u16::MAX.into()),
            (Type::Int, _) | (_, "java/lang/Integer") => self.whole(i32::MIN.into(), i32::MAX.into()),
            (Type::Long, _) | (_, "java/lang/Long") => self.whole(i64::MIN, i64::MAX),
            (Type::Float | Type::Double, _) | (_, "java/lang/Float" | "java/lang/Double") => self
                .floats
                .iter()
                .map(|(&bits, &weight)| (Argument::Float(f64::from_bits(bits)), weight))
                .collect(),
            (_, "java/lang/String" | "java/lang/CharSequence") => {
                let mut texts = self.texts();
                if self.measures {
                    let text =
                        |length: usize| Argument::Text("abcdefgh".chars().cycle().take(length).collect());
                    texts.extend(self.lengths().map(|(length, weight)| (text(length), weight)));
                }
                texts
            }
            (_, "java/lang/Object" | "java/lang/Comparable" | "java/io/Serializable") => self.texts(),
            (Type::Array(element), _) => self
                .lengths()
                .filter_map(|(length, weight)| Some((array(element, length)?, weight)))
                .collect(),
            _ => Vec::new(),
        };
        if values.len() > MOST {
            // The constants themselves are worth more than their neighbors.
            values.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
            values.truncate(MOST);
        }
        values
    }

    fn whole(&self, least: i64, most: i64) -> Vec<(Argument, u32)> {
        let rare =
            |value: i64| (least..=most).contains(&value) && value.unsigned_abs() > USUAL.unsigned_abs();
        let all = self.ints.iter().filter(|&(&value, _)| rare(value));
        all.map(|(&value, &weight)| (Argument::Int(value), weight)).collect()
    }

    fn texts(&self) -> Vec<(Argument, u32)> {
        self.texts.iter().map(|(text, &weight)| (Argument::Text(text.clone()), weight)).collect()
    }

    fn lengths(&self) -> impl Iterator<Item = (usize, u32)> {
        let all = self.ints.iter().filter(|&(&value, _)| (USUAL + 1..=LONGEST).contains(&value));
        all.filter_map(|(&value, &weight)| Some((usize::try_from(value).ok()?, weight)))
    }
}

/// Tells whether an instruction jumps if a number is less or greater than another.
fn is_by_order(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Branch(Condition::Zero(relation) | Condition::Ints(relation), _) => {
            !matches!(relation, Relation::Eq | Relation::Ne)
        }
        _ => false,
    }
}

/// An array of so many plain elements; nothing if its elements must be made.
fn array(element: &Type, length: usize) -> Option<Argument> {
    let value = |at: usize| {
        Some(match element {
            Type::Boolean => Argument::Bool(at % 2 == 1),
            Type::Byte | Type::Short | Type::Char | Type::Int | Type::Long => Argument::Int(at as i64 % 100),
            Type::Float | Type::Double => Argument::Float(at as f64),
            Type::Class(name)
                if matches!(
                    &**name,
                    "java/lang/String"
                        | "java/lang/Object"
                        | "java/lang/CharSequence"
                        | "java/lang/Comparable"
                ) =>
            {
                Argument::Text(["a", "b", "c", "d", "e"][at % 5].to_owned())
            }
            Type::Class(_) | Type::Array(_) => return None,
        })
    };
    (0..length).map(value).collect::<Option<Vec<Argument>>>().map(Argument::Array)
}
