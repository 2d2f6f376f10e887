//! Numbers: what instructions compute, and the tests that decide where an execution goes.

use adit_bytecode::{Element, Kind, Operator, Relation};

use crate::Unknown;
use crate::arithmetic;
use crate::compile::Width;
use crate::domain::{Domain, Word};
use crate::machine::{Execution, Trap};

const DIVISION_BY_ZERO: Trap = Trap::Raise("java/lang/ArithmeticException");

impl<D: Domain> Execution<'_, '_, D> {
    #[inline]
    pub(crate) fn compute(
        &mut self,
        kind: Kind,
        operator: Operator,
        a: Word<D::Shadow>,
        b: Word<D::Shadow>,
    ) -> Word<D::Shadow> {
        let shadow = if D::is_plain(a.shadow) && D::is_plain(b.shadow) {
            D::Shadow::default()
        } else {
            self.domain.arithmetic(kind, operator, a, b)
        };
        Word { bits: arithmetic::compute(kind, operator, a.bits, b.bits), shadow }
    }

    pub(crate) fn convert(&mut self, from: Kind, to: Element, a: Word<D::Shadow>) -> Word<D::Shadow> {
        let shadow =
            if D::is_plain(a.shadow) { D::Shadow::default() } else { self.domain.convert(from, to, a) };
        Word { bits: arithmetic::convert(from, to, a.bits), shadow }
    }

    /// JVMS §6.5.lcmp: −1, 0 or 1.
    pub(crate) fn compare_longs(&mut self, a: Word<D::Shadow>, b: Word<D::Shadow>) -> Word<D::Shadow> {
        let shadow = if D::is_plain(a.shadow) && D::is_plain(b.shadow) {
            D::Shadow::default()
        } else {
            self.domain.compare(Kind::Long, a, b)
        };
        Word { bits: arithmetic::compare(Kind::Long, 0, a.bits, b.bits), shadow }
    }

    /// JVMS §6.5.idiv, irem, ldiv, lrem: a zero divisor is an exception.
    pub(crate) fn check_divisor(&mut self, kind: Kind, divisor: Word<D::Shadow>) -> Result<(), Trap> {
        let compared = match kind {
            Kind::Long => self.compare_longs(divisor, Word::plain(0)),
            _ => divisor,
        };
        if self.test(Relation::Eq, compared, Word::plain(0))? { Err(DIVISION_BY_ZERO) } else { Ok(()) }
    }

    /// Narrows a value to the type of a field, element or result (JVMS §6.5.putfield, ireturn).
    #[inline]
    pub(crate) fn narrow(&mut self, width: Width, value: Word<D::Shadow>) -> Word<D::Shadow> {
        match width {
            Width::One | Width::Two => value,
            Width::Boolean => self.compute(Kind::Int, Operator::And, value, Word::plain(1)),
            Width::Byte => self.convert(Kind::Int, Element::Byte, value),
            Width::Char => self.convert(Kind::Int, Element::Char, value),
            Width::Short => self.convert(Kind::Int, Element::Short, value),
        }
    }

    #[inline]
    pub(crate) fn test(
        &mut self,
        relation: Relation,
        a: Word<D::Shadow>,
        b: Word<D::Shadow>,
    ) -> Result<bool, Unknown> {
        let outcome = arithmetic::holds(relation, a.bits, b.bits);
        if !(D::is_plain(a.shadow) && D::is_plain(b.shadow)) {
            self.domain.decide(relation, a, b, outcome)?;
        }
        Ok(outcome)
    }

    /// JVMS §6.5.tableswitch, lookupswitch: every case that does not match is a test of its own.
    pub(crate) fn switch(&mut self, table: u32, key: Word<D::Shadow>) -> Result<u32, Unknown> {
        let body = self.current_body();
        let table = &body.switches[table as usize];
        for &(case, target) in &table.cases {
            if self.test(Relation::Eq, key, Word::plain(i64::from(case)))? {
                return Ok(target);
            }
        }
        Ok(table.default)
    }
}
