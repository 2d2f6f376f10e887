//! The inputs of a call: a variable for each parameter, and words that stand for any value of them.

use adit_bytecode::Type;
use adit_learn::{Kind, Parameter};
use adit_smt::{Arena, Expr, Model, Value, Var};

use crate::domain::Word;
use crate::link::Linker;
use crate::models::{text_hash, text_length};
use crate::operations::Operation;
use crate::shape::NumberKind;
use crate::state::{CONTENT, HASH, IDENTITY, LENGTH, MachineState, OUTSIDE_WORDS, ObjectKind};
use crate::symbolic::{Shadow, from_truth};
use crate::{InterpreterLimits, Unknown};

/// The parameters of an operation as variables.
///
/// A string has four: its identity, and besides a number that tells its content, its length and its hash
/// code if it is none of the string constants. The identity of an enum constant is its place, counted from
/// one. An array has its length besides its identity. Lengths have 16 bits, so longer strings and arrays
/// from outside are not considered.
pub(crate) struct Inputs {
    pub(crate) parameters: Vec<Parameter>,
    /// For each parameter of the operation, its type and the index of its first variable.
    pub(crate) places: Vec<(Type, usize)>,
}

impl Inputs {
    /// Declares the variables of an operation, which is the `number`-th of its component.
    pub(crate) fn new(arena: &mut Arena, operation: &Operation, number: usize) -> Inputs {
        let mut inputs = Inputs { parameters: Vec::new(), places: Vec::new() };
        for (name, kind) in &operation.parameters {
            inputs.places.push((kind.clone(), inputs.parameters.len()));
            inputs.declare(arena, number, name, kind_of(NumberKind::of(kind)));
            if is_text(kind) {
                inputs.declare(arena, number, &format!("{name}.text"), Kind::Int);
                inputs.declare(arena, number, &format!("{name}.length"), Kind::Char);
                inputs.declare(arena, number, &format!("{name}.hashCode()"), Kind::Int);
            } else if matches!(kind, Type::Array(_)) {
                inputs.declare(arena, number, &format!("{name}.length"), Kind::Char);
            }
        }
        inputs
    }

    fn declare(&mut self, arena: &mut Arena, number: usize, name: &str, kind: Kind) {
        let expr = arena.var(&format!("{name}${number}"), kind.sort());
        let var = arena.variables(expr)[0];
        self.parameters.push(Parameter { name: name.to_owned(), kind, var });
    }

    /// Puts words for all parameters onto `slots`. Objects from outside are allocated.
    pub(crate) fn words(
        &self,
        arena: &mut Arena,
        linker: &mut Linker<'_>,
        state: &mut MachineState<Shadow>,
        model: &Model,
        limits: &InterpreterLimits,
        slots: &mut Vec<Word<Shadow>>,
    ) -> Result<(), Unknown> {
        let mut texts: Vec<[Expr; OUTSIDE_WORDS]> = Vec::new();
        for (kind, at) in &self.places {
            let parameter = &self.parameters[*at];
            if kind.is_reference() {
                let object = self.outside(arena, linker, kind, *at, &mut texts);
                let words: Vec<Word<Shadow>> =
                    object.iter().map(|&expr| self.word(arena, model, expr)).collect();
                let number = linker.kind(&type_name(kind));
                let outside = state.allocate(ObjectKind::Outside(number), OUTSIDE_WORDS, limits)?;
                if let Some(object) = state.object(outside) {
                    state.slots_mut(object).copy_from_slice(&words);
                }
                slots.push(Word::plain(outside));
                continue;
            }
            let word = match kind {
                Type::Float | Type::Double => Word { bits: 0, shadow: Shadow::Opaque },
                _ => {
                    let expr = view(arena, parameter.var, parameter.kind);
                    self.word(arena, model, expr)
                }
            };
            slots.push(word);
            slots.extend((kind.slots() == 2).then(|| Word::plain(0)));
        }
        Ok(())
    }

    /// The word of an expression over the parameters, under an assignment.
    fn word(&self, arena: &Arena, model: &Model, expr: Expr) -> Word<Shadow> {
        let full: Model =
            self.parameters.iter().map(|one| (one.var, assigned(model, one.var, one.kind, 0))).collect();
        let bits = arena.evaluate(expr, &full).map_or(0, adit_learn::number);
        let shadow = if arena.as_value(expr).is_some() { Shadow::Plain } else { Shadow::Expr(expr) };
        Word { bits, shadow }
    }

    /// Identity, content, length and hash code of an object from outside.
    fn outside(
        &self,
        arena: &mut Arena,
        linker: &mut Linker<'_>,
        kind: &Type,
        at: usize,
        texts: &mut Vec<[Expr; OUTSIDE_WORDS]>,
    ) -> [Expr; OUTSIDE_WORDS] {
        let number = linker.kind(&type_name(kind));
        // A type that cannot be read has no constants that code could compare with.
        let constants = linker.enum_constants(number).ok().flatten();
        let zero = arena.bits(32, 0);
        let mut object = [zero; OUTSIDE_WORDS];
        let of = |arena: &mut Arena, offset: usize| {
            let parameter = &self.parameters[at + offset];
            view(arena, parameter.var, parameter.kind)
        };
        object[IDENTITY] = of(arena, 0);
        if matches!(kind, Type::Array(_)) {
            object[LENGTH] = of(arena, 1);
        }
        if let Some(constants) = constants {
            // Only null and the constants exist; all larger numbers stand for the last.
            let last = arena.bits(32, constants);
            let exists = arena.le_unsigned(object[IDENTITY], last);
            object[IDENTITY] = arena.ite(exists, object[IDENTITY], last);
        }
        if !is_text(kind) {
            return object;
        }
        (object[CONTENT], object[LENGTH], object[HASH]) = (of(arena, 1), of(arena, 2), of(arena, 3));
        // The same string has the same content, and equal contents have equal lengths and hash codes.
        for earlier in texts.iter() {
            let same = arena.eq(object[IDENTITY], earlier[IDENTITY]);
            object[CONTENT] = arena.ite(same, earlier[CONTENT], object[CONTENT]);
            let equal = arena.eq(object[CONTENT], earlier[CONTENT]);
            object[LENGTH] = arena.ite(equal, earlier[LENGTH], object[LENGTH]);
            object[HASH] = arena.ite(equal, earlier[HASH], object[HASH]);
        }
        for (number, text) in (0..).zip(&linker.literals) {
            let code = arena.bits(32, number);
            let is_it = arena.eq(object[CONTENT], code);
            let length = arena.bits(32, i64::from(text_length(text)));
            object[LENGTH] = arena.ite(is_it, length, object[LENGTH]);
            let hash = arena.bits(32, i64::from(text_hash(text)));
            object[HASH] = arena.ite(is_it, hash, object[HASH]);
        }
        texts.push(object);
        object
    }
}

/// The value of a variable under an assignment, or `otherwise` if it has none.
pub(crate) fn assigned(model: &Model, var: Var, kind: Kind, otherwise: i64) -> Value {
    model.get(var).unwrap_or_else(|| adit_learn::value(kind.sort(), otherwise))
}

/// A variable as the stack holds its value: 32 bits, or 64 for `long`.
pub(crate) fn view(arena: &mut Arena, var: Var, kind: Kind) -> Expr {
    let expr = arena.var_expr(var);
    match kind {
        Kind::Boolean => from_truth(arena, expr),
        Kind::Byte | Kind::Short => arena.sign_extend(expr, 32),
        Kind::Char => arena.zero_extend(expr, 32),
        Kind::Int | Kind::Long | Kind::Reference => expr,
    }
}

/// An expression of the stack as a value of this kind, the inverse of [`view`].
pub(crate) fn stored(arena: &mut Arena, expr: Expr, kind: Kind) -> Expr {
    match kind {
        Kind::Boolean => {
            let zero = arena.bits(32, 0);
            arena.ne(expr, zero)
        }
        Kind::Byte => arena.truncate(expr, 8),
        Kind::Short | Kind::Char => arena.truncate(expr, 16),
        Kind::Int | Kind::Long | Kind::Reference => expr,
    }
}

/// The kind under which the learner knows a number. Floating-point numbers are bits to it that nothing
/// decides.
pub(crate) fn kind_of(kind: NumberKind) -> Kind {
    match kind {
        NumberKind::Boolean => Kind::Boolean,
        NumberKind::Byte => Kind::Byte,
        NumberKind::Short => Kind::Short,
        NumberKind::Char => Kind::Char,
        NumberKind::Int | NumberKind::Float => Kind::Int,
        NumberKind::Long | NumberKind::Double => Kind::Long,
        NumberKind::Reference => Kind::Reference,
    }
}

pub(crate) fn is_text(kind: &Type) -> bool {
    matches!(kind, Type::Class(name) if &**name == "java/lang/String")
}

/// Internal name of a class, or descriptor of an array.
pub(crate) fn type_name(kind: &Type) -> String {
    match kind {
        Type::Class(name) => name.to_string(),
        other => other.descriptor(),
    }
}
