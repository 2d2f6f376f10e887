//! The symbolic domain: every value that depends on an input has an expression as its shadow.

use adit_bytecode::{Element, Kind, Operator, Relation};
use adit_smt::{Arena, Expr, Node, Sort};
use rustc_hash::FxHashSet;

use crate::domain::{Domain, Word};
use crate::{InterpreterLimits, Unknown};

/// The shadow of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shadow {
    /// The value is the same in every run.
    #[default]
    Plain,
    /// The value is this expression: 64 bits for `long`, 32 bits for everything else.
    Expr(Expr),
    /// The value depends on inputs in a way that is not represented.
    Opaque,
}

/// The domain of one run: the conditions under which it goes where it goes.
pub struct Symbolic<'a> {
    arena: &'a mut Arena,
    /// The conditions of the path so far, in order, each true in this run.
    pub(crate) constraints: Vec<Expr>,
    known: FxHashSet<Expr>,
    most: usize,
    most_pinned: i64,
}

impl<'a> Symbolic<'a> {
    /// A run that has decided nothing yet.
    pub(crate) fn new(arena: &'a mut Arena, limits: &InterpreterLimits) -> Symbolic<'a> {
        Symbolic {
            arena,
            constraints: Vec::new(),
            known: FxHashSet::default(),
            most: limits.branches,
            most_pinned: limits.pinned,
        }
    }

    fn expr(&mut self, width: u8, word: Word<Shadow>) -> Option<Expr> {
        match word.shadow {
            Shadow::Plain => Some(self.arena.bits(width, word.bits)),
            // Code that does not verify may take a `long` for an `int`.
            Shadow::Expr(expr) => (self.arena.sort(expr) == Sort::Bits(width)).then_some(expr),
            Shadow::Opaque => None,
        }
    }

    fn require(&mut self, condition: Expr) -> Result<(), Unknown> {
        if self.arena.as_bool(condition).is_some() || !self.known.insert(condition) {
            return Ok(());
        }
        if self.constraints.len() >= self.most {
            return Err(Unknown::BranchLimit);
        }
        self.constraints.push(condition);
        Ok(())
    }

    /// The truth value that an `int` of 0 or 1 stands for, if it is visibly one.
    fn truth(&mut self, expr: Expr) -> Option<Expr> {
        match *self.arena.node(expr) {
            Node::Number(_, 0) => Some(self.arena.bool(false)),
            Node::Number(_, 1) => Some(self.arena.bool(true)),
            Node::Ite(condition, a, b) => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                Some(self.arena.ite(condition, a, b))
            }
            _ => None,
        }
    }

    /// Logic on truth values stays logic: as bits, it would hide what it says.
    fn logic(&mut self, operator: Operator, a: Expr, b: Expr) -> Option<Expr> {
        let (a, b) = (self.truth(a)?, self.truth(b)?);
        let result = match operator {
            Operator::And => self.arena.and(&[a, b]),
            Operator::Or => self.arena.or(&[a, b]),
            Operator::Xor => {
                let same = self.arena.eq(a, b);
                self.arena.not(same)
            }
            _ => return None,
        };
        Some(from_truth(self.arena, result))
    }

    fn integers(&mut self, operator: Operator, a: Expr, b: Expr) -> Expr {
        if let Some(logic) = self.logic(operator, a, b) {
            return logic;
        }
        let arena = &mut *self.arena;
        match operator {
            Operator::Add => arena.add(a, b),
            Operator::Sub => arena.sub(a, b),
            Operator::Mul => arena.mul(a, b),
            Operator::Div => arena.div(a, b),
            Operator::Rem => arena.rem(a, b),
            Operator::Neg => arena.neg(a),
            Operator::Shl => arena.shl(a, b),
            Operator::Shr => arena.shr(a, b),
            Operator::Ushr => arena.ushr(a, b),
            Operator::And => arena.bit_and(a, b),
            Operator::Or => arena.bit_or(a, b),
            Operator::Xor => arena.bit_xor(a, b),
        }
    }
}

/// The `int` 1 or 0 for a truth value.
pub(crate) fn from_truth(arena: &mut Arena, truth: Expr) -> Expr {
    let (one, zero) = (arena.bits(32, 1), arena.bits(32, 0));
    arena.ite(truth, one, zero)
}

/// Width of values of a kind that expressions represent.
fn width(kind: Kind) -> Option<u8> {
    match kind {
        Kind::Int | Kind::Reference => Some(32),
        Kind::Long => Some(64),
        Kind::Float | Kind::Double => None,
    }
}

fn shadow(expr: Option<Expr>) -> Shadow {
    expr.map_or(Shadow::Opaque, Shadow::Expr)
}

impl Domain for Symbolic<'_> {
    type Shadow = Shadow;

    fn is_plain(shadow: Shadow) -> bool {
        shadow == Shadow::Plain
    }

    fn arithmetic(&mut self, kind: Kind, operator: Operator, a: Word<Shadow>, b: Word<Shadow>) -> Shadow {
        let Some(width) = width(kind) else { return Shadow::Opaque };
        let distance = matches!(operator, Operator::Shl | Operator::Shr | Operator::Ushr);
        let second = if distance { 32 } else { width };
        let (Some(a), Some(b)) = (self.expr(width, a), self.expr(second, b)) else { return Shadow::Opaque };
        Shadow::Expr(self.integers(operator, a, b))
    }

    fn convert(&mut self, from: Kind, to: Element, a: Word<Shadow>) -> Shadow {
        let Some(a) = width(from).and_then(|width| self.expr(width, a)) else { return Shadow::Opaque };
        if from == Kind::Int && self.truth(a).is_some() && !matches!(to, Element::Long) {
            // 0 and 1 fit into every integer.
            return if to.kind() == Kind::Int { Shadow::Expr(a) } else { Shadow::Opaque };
        }
        let arena = &mut *self.arena;
        Shadow::Expr(match to {
            Element::Int if from == Kind::Long => arena.l2i(a),
            Element::Long if from == Kind::Int => arena.i2l(a),
            Element::Byte => arena.i2b(a),
            Element::Char => arena.i2c(a),
            Element::Short => arena.i2s(a),
            Element::Int | Element::Long | Element::Reference => a,
            Element::Float | Element::Double => return Shadow::Opaque,
        })
    }

    fn compare(&mut self, kind: Kind, a: Word<Shadow>, b: Word<Shadow>) -> Shadow {
        let Some(width) = width(kind) else { return Shadow::Opaque };
        let (Some(a), Some(b)) = (self.expr(width, a), self.expr(width, b)) else { return Shadow::Opaque };
        Shadow::Expr(self.arena.compare(a, b))
    }

    fn decide(
        &mut self,
        relation: Relation,
        a: Word<Shadow>,
        b: Word<Shadow>,
        outcome: bool,
    ) -> Result<(), Unknown> {
        let (Some(a), Some(b)) = (self.expr(32, a), self.expr(32, b)) else { return Err(opaque()) };
        let arena = &mut *self.arena;
        let condition = match relation {
            Relation::Eq => arena.eq(a, b),
            Relation::Ne => arena.ne(a, b),
            Relation::Lt => arena.lt(a, b),
            Relation::Ge => arena.ge(a, b),
            Relation::Gt => arena.gt(a, b),
            Relation::Le => arena.le(a, b),
        };
        let condition = if outcome { condition } else { arena.not(condition) };
        self.require(condition)
    }

    fn pin(&mut self, value: Word<Shadow>) -> Result<(), Unknown> {
        let Some(expr) = self.expr(32, value) else { return Err(opaque()) };
        // Signed comparisons, which read as intervals; a value below zero is not tried.
        let (zero, most) = (self.arena.bits(32, 0), self.arena.bits(32, self.most_pinned));
        let unknown = || Unknown::Opaque("a size or index that is not known".into());
        if value.bits < 0 {
            let negative = self.arena.lt(expr, zero);
            self.require(negative)?;
            return Err(unknown());
        }
        let natural = self.arena.ge(expr, zero);
        self.require(natural)?;
        if value.bits > self.most_pinned {
            let many = self.arena.gt(expr, most);
            self.require(many)?;
            return Err(unknown());
        }
        let few = self.arena.le(expr, most);
        self.require(few)?;
        // As a chain of tests from zero on, so that other values take the same first decisions.
        for smaller in 0..value.bits {
            let bits = self.arena.bits(32, smaller);
            let condition = self.arena.ne(expr, bits);
            self.require(condition)?;
        }
        let bits = self.arena.bits(32, value.bits);
        let condition = self.arena.eq(expr, bits);
        self.require(condition)
    }

    fn unknown_number(&mut self) -> Result<Shadow, Unknown> {
        Ok(Shadow::Opaque)
    }

    fn select(&mut self, elements: &[Word<Shadow>], index: Word<Shadow>, kind: Kind) -> Shadow {
        let Some(width) = width(kind) else { return Shadow::Opaque };
        let Some(index) = self.expr(32, index) else { return Shadow::Opaque };
        let mut chosen = None;
        for (position, &element) in elements.iter().enumerate().rev() {
            let Some(element) = self.expr(width, element) else { return Shadow::Opaque };
            let position = self.arena.bits(32, position as i64);
            let here = self.arena.eq(index, position);
            chosen = Some(match chosen {
                // The index is within bounds, so the last element needs no condition.
                None => element,
                Some(rest) => self.arena.ite(here, element, rest),
            });
        }
        shadow(chosen)
    }

    fn replace(
        &mut self,
        position: usize,
        index: Word<Shadow>,
        new: Word<Shadow>,
        old: Word<Shadow>,
        kind: Kind,
    ) -> Shadow {
        let Some(width) = width(kind) else { return Shadow::Opaque };
        let (Some(index), Some(new), Some(old)) =
            (self.expr(32, index), self.expr(width, new), self.expr(width, old))
        else {
            return Shadow::Opaque;
        };
        let position = self.arena.bits(32, position as i64);
        let here = self.arena.eq(index, position);
        Shadow::Expr(self.arena.ite(here, new, old))
    }
}

fn opaque() -> Unknown {
    Unknown::Opaque("a number that is computed with floating-point numbers".into())
}

#[cfg(test)]
mod tests {
    use adit_smt::{Model, Value};

    use super::*;
    use crate::arithmetic;

    const NUMBERS: [i64; 12] =
        [0, 1, -1, 2, 31, 33, 255, -128, 65_535, i32::MAX as i64, i32::MIN as i64, 0x1_2345_6789_abcd];
    const OPERATORS: [Operator; 12] = [
        Operator::Add,
        Operator::Sub,
        Operator::Mul,
        Operator::Div,
        Operator::Rem,
        Operator::Neg,
        Operator::Shl,
        Operator::Shr,
        Operator::Ushr,
        Operator::And,
        Operator::Or,
        Operator::Xor,
    ];

    fn variable(arena: &mut Arena, model: &mut Model, name: &str, kind: Kind, number: i64) -> Word<Shadow> {
        let width = width(kind).unwrap();
        let expr = arena.var(name, Sort::Bits(width));
        let bits = if width == 32 { i64::from(number as i32) } else { number };
        model.set(arena.variables(expr)[0], Value::Bits { width, value: bits });
        Word { bits, shadow: Shadow::Expr(expr) }
    }

    fn value(arena: &Arena, model: &Model, shadow: Shadow) -> i64 {
        match shadow {
            Shadow::Expr(expr) => adit_learn::number(arena.evaluate(expr, model).unwrap()),
            other => panic!("no expression: {other:?}"),
        }
    }

    #[test]
    fn expressions_compute_what_the_interpreter_computes() {
        let mut arena = Arena::new();
        for kind in [Kind::Int, Kind::Long] {
            for (a, b) in NUMBERS.iter().flat_map(|&a| NUMBERS.iter().map(move |&b| (a, b))) {
                for operator in OPERATORS {
                    let is_shift = matches!(operator, Operator::Shl | Operator::Shr | Operator::Ushr);
                    let mut model = Model::default();
                    let a = variable(&mut arena, &mut model, "a", kind, a);
                    let second = if is_shift { Kind::Int } else { kind };
                    let b = variable(&mut arena, &mut model, "b", second, b);
                    if b.bits == 0 && matches!(operator, Operator::Div | Operator::Rem) {
                        continue;
                    }
                    let expected = arithmetic::compute(kind, operator, a.bits, b.bits);
                    for b in [b, Word::plain(b.bits)] {
                        let shadow = Symbolic::new(&mut arena, &InterpreterLimits::USUAL)
                            .arithmetic(kind, operator, a, b);
                        assert_eq!(value(&arena, &model, shadow), expected, "{a:?} {operator:?} {b:?}");
                    }
                    if second == kind {
                        let shadow = Symbolic::new(&mut arena, &InterpreterLimits::USUAL).compare(kind, a, b);
                        let expected = arithmetic::compare(kind, 0, a.bits, b.bits);
                        assert_eq!(value(&arena, &model, shadow), expected, "{a:?} compared with {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn conversions_and_decisions_agree_with_the_interpreter() {
        let mut arena = Arena::new();
        let targets = [Element::Int, Element::Long, Element::Byte, Element::Char, Element::Short];
        for (kind, number) in [Kind::Int, Kind::Long].iter().flat_map(|&kind| NUMBERS.map(|n| (kind, n))) {
            let mut model = Model::default();
            let a = variable(&mut arena, &mut model, "a", kind, number);
            for to in targets
                .iter()
                .filter(|to| kind == Kind::Int || to.kind() != Kind::Int || **to == Element::Int)
            {
                let shadow = Symbolic::new(&mut arena, &InterpreterLimits::USUAL).convert(kind, *to, a);
                assert_eq!(
                    value(&arena, &model, shadow),
                    arithmetic::convert(kind, *to, a.bits),
                    "{a:?} {to:?}"
                );
            }
            if kind == Kind::Long {
                continue;
            }
            for relation in
                [Relation::Eq, Relation::Ne, Relation::Lt, Relation::Ge, Relation::Gt, Relation::Le]
            {
                let outcome = arithmetic::holds(relation, a.bits, 2);
                let mut domain = Symbolic::new(&mut arena, &InterpreterLimits::USUAL);
                domain.decide(relation, a, Word::plain(2), outcome).unwrap();
                let constraints = domain.constraints;
                assert_eq!(constraints.len(), 1);
                assert_eq!(arena.satisfies(&model, &constraints), Ok(true), "{a:?} {relation:?}");
            }
        }
    }

    #[test]
    fn logic_on_truth_values_stays_logic() {
        let mut arena = Arena::new();
        let (p, q) = (arena.var("p", Sort::Bool), arena.var("q", Sort::Bool));
        let word = |expr| Word { bits: 1, shadow: Shadow::Expr(expr) };
        let (a, b) = (word(from_truth(&mut arena, p)), word(from_truth(&mut arena, q)));
        let both =
            Symbolic::new(&mut arena, &InterpreterLimits::USUAL).arithmetic(Kind::Int, Operator::And, a, b);
        let expected = arena.and(&[p, q]);
        assert_eq!(both, Shadow::Expr(from_truth(&mut arena, expected)));
    }
}
