//! Concrete calls of a component's operations, by the interpreter, on states that are lists of field values.
//!
//! The learner knows a state as the values of the fields of its summaries. Each shape has a state into
//! which such values are written before a call and from which they are read afterwards; unless a call
//! changed references, nothing else has to be looked at.

use std::collections::{BTreeMap, BTreeSet};

use adit_bytecode::Type;
use adit_learn::{Execute, Kind, Role, WordOutcome};
use adit_smt::Var;

use crate::domain::{Concrete, Word};
use crate::inputs::{is_text, kind_of, type_name};
use crate::link::Linker;
use crate::machine::{Completion, Machine, Run};
use crate::models::{text_hash, text_length};
use crate::operations::Operation;
use crate::shape::{Address, NumberSlot, compact, references};
use crate::state::{CONTENT, HASH, IDENTITY, LENGTH, MachineState, OUTSIDE_WORDS, ObjectKind, ObjectNumber};
use crate::summarize::{Key, ShapeInfo, Status, key};
use crate::{InterpreterLimits, Unknown};

/// The operations of a component, executed concretely.
pub struct Interpreted<'p> {
    pub(crate) linker: Linker<'p>,
    pub(crate) operations: Vec<Operation>,
    /// For each parameter of each operation, its type and the index of its first argument.
    pub(crate) places: Vec<Vec<(Type, usize)>>,
    pub(crate) shapes: Vec<ConcreteShape>,
    pub(crate) numbers: BTreeMap<Key, usize>,
    pub(crate) split: BTreeSet<String>,
    pub(crate) shape_field: Option<usize>,
    pub(crate) limits: InterpreterLimits,
    pub(crate) machine: Machine<()>,
    pub(crate) state: MachineState<()>,
    pub(crate) slots: Vec<Word<()>>,
}

/// A shape with the places of the fields that vary.
pub(crate) struct ConcreteShape {
    template: MachineState<()>,
    root: ObjectNumber,
    /// Number of the field, its kind and its place.
    fields: Vec<(usize, Kind, Address)>,
    /// Words that say which shape it is.
    references: Vec<Address>,
    /// Some number of the state is not a field, so outcomes may depend on what nobody knows.
    is_opaque: bool,
}

impl ConcreteShape {
    pub(crate) fn new(
        linker: &Linker<'_>,
        info: &ShapeInfo,
        index: &BTreeMap<Var, usize>,
        split: &BTreeSet<String>,
    ) -> ConcreteShape {
        let mut references = references(&info.template, linker);
        references
            .extend(info.slots.iter().filter(|slot| split.contains(&slot.name)).map(|slot| slot.address));
        let field = |(slot, status): (&NumberSlot, &Status)| match status {
            Status::Varies(var) => Some((index[var], kind_of(slot.kind), slot.address)),
            _ => None,
        };
        ConcreteShape {
            template: info.template.concrete(),
            root: info.root,
            fields: info.slots.iter().zip(&info.status).filter_map(field).collect(),
            references,
            is_opaque: info.status.contains(&Status::Opaque),
        }
    }
}

impl Interpreted<'_> {
    /// The shape of a state with these fields, of which the last says if there is an object.
    fn shape(&self, fields: &[i64]) -> Option<usize> {
        if fields.last() == Some(&0) {
            return Some(0);
        }
        match self.shape_field {
            Some(field) => usize::try_from(fields[field]).ok().filter(|&shape| shape < self.shapes.len()),
            None => self.shapes.iter().position(|shape| shape.root.0 != 0),
        }
    }

    fn arguments(&mut self, operation: usize, arguments: &[i64]) -> Result<(), Unknown> {
        let mut texts: Vec<[i64; OUTSIDE_WORDS]> = Vec::new();
        for (kind, at) in &self.places[operation] {
            let value = arguments[*at];
            if !kind.is_reference() {
                let value = if *kind == Type::Char { value & 0xffff } else { value };
                self.slots.push(Word::plain(value));
                self.slots.extend((kind.slots() == 2).then(|| Word::plain(0)));
                continue;
            }
            let mut words = [value, 0, 0, 0];
            if is_text(kind) {
                words[CONTENT] = arguments[at + 1];
                (words[LENGTH], words[HASH]) = (arguments[at + 2] & 0xffff, arguments[at + 3]);
                for earlier in &texts {
                    if earlier[IDENTITY] == words[IDENTITY] {
                        words[CONTENT] = earlier[CONTENT];
                    }
                    if earlier[CONTENT] == words[CONTENT] {
                        (words[LENGTH], words[HASH]) = (earlier[LENGTH], earlier[HASH]);
                    }
                }
                let literal =
                    usize::try_from(words[CONTENT]).ok().and_then(|at| self.linker.literals.get(at));
                if let Some(text) = literal {
                    (words[LENGTH], words[HASH]) = (text_length(text).into(), text_hash(text).into());
                }
                texts.push(words);
            } else if matches!(kind, Type::Array(_)) {
                words[LENGTH] = arguments[at + 1] & 0xffff;
            }
            let number = self.linker.kind(&type_name(kind));
            if let Some(constants) = self.linker.enum_constants(number)?
                && !(0..=constants).contains(&value)
            {
                words[IDENTITY] = constants;
            }
            let object = self.state.append(ObjectKind::Outside(number), &words.map(Word::plain));
            self.slots.push(Word::plain(object));
        }
        Ok(())
    }

    /// Writes the values after a call into `fields`. Returns false if the state has no known shape.
    fn read_back(&mut self, shape: usize, root: ObjectNumber, fields: &mut [i64]) -> bool {
        let before = &self.shapes[shape];
        let same = root == before.root
            && self.state.has_initialized(&before.template)
            && before.references.iter().all(|&at| self.state.word(at) == before.template.word(at));
        let mut after = shape;
        if !same {
            let copy = compact(&self.state, &self.linker, root);
            let key = key(&copy, &self.split);
            let Some(&number) = key.and_then(|key| self.numbers.get(&key)) else { return false };
            after = number;
            self.state = copy.state;
        }
        for &(field, kind, address) in &self.shapes[after].fields {
            let bits = self.state.word(address).bits;
            fields[field] = if kind == Kind::Char { i64::from(bits as i16) } else { bits };
        }
        if let Some(field) = self.shape_field {
            fields[field] = after as i64;
        }
        true
    }
}

impl Execute for Interpreted<'_> {
    fn call(&mut self, method: usize, arguments: &[i64], fields: &mut [i64]) -> WordOutcome {
        let role = self.operations[method].role;
        let exists = fields.last() != Some(&0);
        if role == Role::Constructor && exists || role == Role::Instance && !exists {
            return WordOutcome::Error;
        }
        let Some(shape) = self.shape(fields).filter(|&shape| !self.shapes[shape].is_opaque) else {
            return WordOutcome::Unknown;
        };
        let before = &self.shapes[shape];
        let root = before.root;
        self.state.copy_from(&before.template);
        for &(field, kind, address) in &before.fields {
            let bits = if kind == Kind::Char { fields[field] & 0xffff } else { fields[field] };
            self.state.set_word(address, Word::plain(bits));
        }
        self.slots.clear();
        self.slots.extend((role == Role::Instance).then(|| Word::plain(i64::from(root.0))));
        if self.arguments(method, arguments).is_err() {
            return WordOutcome::Unknown;
        }
        let run = Run {
            linker: &mut self.linker,
            state: &mut self.state,
            domain: &mut Concrete,
            limits: &self.limits,
        };
        let operation = self.operations[method].method;
        let (root, completion) = match role {
            Role::Constructor => self.machine.construct(run, operation, &self.slots),
            _ => (root, self.machine.call(run, operation, &self.slots)),
        };
        match completion {
            Completion::Threw(_) => WordOutcome::Error,
            Completion::Unknown(_) => WordOutcome::Unknown,
            Completion::Returned(_) => {
                if !self.read_back(shape, root, fields) {
                    return WordOutcome::Unknown;
                }
                if let Some(exists) = fields.last_mut().filter(|_| role == Role::Constructor) {
                    *exists = 1;
                }
                WordOutcome::Ok
            }
        }
    }
}
