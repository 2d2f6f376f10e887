//! Java's arithmetic on the bits of values, exactly as the JVM specification defines it.

use adit_bytecode::{Element, Kind, Operator, Relation};

/// Computes `a operator b`; negation ignores `b`. Divisors of integers are not zero: that is an exception,
/// which the caller throws.
#[inline]
pub(crate) fn compute(kind: Kind, operator: Operator, a: i64, b: i64) -> i64 {
    match kind {
        Kind::Int => i64::from(ints(operator, a as i32, b as i32)),
        Kind::Long => longs(operator, a, b),
        Kind::Float => of_float(floats(operator, float(a), float(b))),
        Kind::Double => of_double(doubles(operator, double(a), double(b))),
        // No instruction computes with references.
        Kind::Reference => 0,
    }
}

/// The table of integer operations, for one width. Results wrap around, shift distances are taken modulo the
/// width, and `MIN / -1` is `MIN`.
macro_rules! integers {
    ($(#[$doc:meta])* $name:ident, $signed:ty, $unsigned:ty) => {
        $(#[$doc])*
        #[inline]
        fn $name(operator: Operator, a: $signed, b: $signed) -> $signed {
            match operator {
                Operator::Add => a.wrapping_add(b),
                Operator::Sub => a.wrapping_sub(b),
                Operator::Mul => a.wrapping_mul(b),
                Operator::Div => a.wrapping_div(b),
                Operator::Rem => a.wrapping_rem(b),
                Operator::Neg => a.wrapping_neg(),
                Operator::Shl => a.wrapping_shl(b as u32),
                Operator::Shr => a.wrapping_shr(b as u32),
                Operator::Ushr => (a as $unsigned).wrapping_shr(b as u32) as $signed,
                Operator::And => a & b,
                Operator::Or => a | b,
                Operator::Xor => a ^ b,
            }
        }
    };
}

integers! {
    /// JVMS §6.5.iadd, isub, imul, idiv, irem, ineg, ishl, ishr, iushr, iand, ior, ixor.
    ints, i32, u32
}

integers! {
    /// JVMS §6.5.ladd to lxor. Shift distances are `int`s.
    longs, i64, u64
}

/// The table of floating-point operations, for one width. The remainder truncates, as C's `fmod` and Rust's
/// do. No instruction shifts or joins the bits of floating-point numbers, so what is left is negation.
macro_rules! reals {
    ($(#[$doc:meta])* $name:ident, $real:ty) => {
        $(#[$doc])*
        fn $name(operator: Operator, a: $real, b: $real) -> $real {
            match operator {
                Operator::Add => a + b,
                Operator::Sub => a - b,
                Operator::Mul => a * b,
                Operator::Div => a / b,
                Operator::Rem => a % b,
                _ => -a,
            }
        }
    };
}

reals! {
    /// JVMS §6.5.fadd to fneg.
    floats, f32
}

reals! {
    /// JVMS §6.5.dadd to dneg.
    doubles, f64
}

/// JVMS §6.5.i2l to i2s. Floating-point numbers round towards zero and saturate, and NaN becomes 0, as Rust's
/// casts do.
#[inline]
pub(crate) fn convert(from: Kind, to: Element, a: i64) -> i64 {
    let integer = matches!(from, Kind::Int | Kind::Long);
    match to {
        // Wide numbers of which an `int` is made keep their low bits; floating-point numbers saturate.
        Element::Int if integer => i64::from(a as i32),
        Element::Int if from == Kind::Float => i64::from(float(a) as i32),
        Element::Int => i64::from(double(a) as i32),
        Element::Long if integer => a,
        Element::Long if from == Kind::Float => float(a) as i64,
        Element::Long => double(a) as i64,
        Element::Float if from == Kind::Int => of_float(a as i32 as f32),
        Element::Float if from == Kind::Long => of_float(a as f32),
        Element::Float => of_float(double(a) as f32),
        Element::Double if from == Kind::Int => of_double(f64::from(a as i32)),
        Element::Double if from == Kind::Long => of_double(a as f64),
        Element::Double => of_double(f64::from(float(a))),
        Element::Byte => i64::from(a as i8),
        Element::Char => i64::from(a as u16),
        Element::Short => i64::from(a as i16),
        Element::Reference => a,
    }
}

/// JVMS §6.5.lcmp, fcmp\<op\>, dcmp\<op\>: −1, 0 or 1, and `unordered` if one of them is NaN.
pub(crate) fn compare(kind: Kind, unordered: i8, a: i64, b: i64) -> i64 {
    let ordering = match kind {
        Kind::Float => float(a).partial_cmp(&float(b)),
        Kind::Double => double(a).partial_cmp(&double(b)),
        _ => Some(a.cmp(&b)),
    };
    ordering.map_or(i64::from(unordered), |ordering| ordering as i64)
}

/// JVMS §6.5.if\<cond\>, if_icmp\<cond\>.
#[inline]
pub(crate) fn holds(relation: Relation, a: i64, b: i64) -> bool {
    let (a, b) = (a as i32, b as i32);
    match relation {
        Relation::Eq => a == b,
        Relation::Ne => a != b,
        Relation::Lt => a < b,
        Relation::Ge => a >= b,
        Relation::Gt => a > b,
        Relation::Le => a <= b,
    }
}

pub(crate) fn float(bits: i64) -> f32 {
    f32::from_bits(bits as u32)
}

pub(crate) fn double(bits: i64) -> f64 {
    f64::from_bits(bits as u64)
}

pub(crate) fn of_float(value: f32) -> i64 {
    i64::from(value.to_bits())
}

pub(crate) fn of_double(value: f64) -> i64 {
    value.to_bits() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_of_integers() {
        let int = |operator, a: i32, b: i32| compute(Kind::Int, operator, a.into(), b.into());
        assert_eq!(int(Operator::Add, i32::MAX, 1), i64::from(i32::MIN));
        assert_eq!(int(Operator::Div, i32::MIN, -1), i64::from(i32::MIN));
        assert_eq!(int(Operator::Rem, i32::MIN, -1), 0);
        assert_eq!(int(Operator::Rem, -7, 2), -1);
        assert_eq!(int(Operator::Shl, 1, 33), 2);
        assert_eq!(int(Operator::Ushr, -1, 28), 15);
        assert_eq!(int(Operator::Shr, -16, -30), -4);
        assert_eq!(compute(Kind::Long, Operator::Shl, 1, 65), 2);
        assert_eq!(compute(Kind::Long, Operator::Ushr, -1, 60), 15);
    }

    #[test]
    fn conversions_wrap_saturate_and_truncate() {
        assert_eq!(convert(Kind::Int, Element::Byte, 200), -56);
        assert_eq!(convert(Kind::Int, Element::Char, -1), 65_535);
        assert_eq!(convert(Kind::Long, Element::Int, 1 << 32 | 5), 5);
        assert_eq!(convert(Kind::Double, Element::Int, of_double(1e20)), i64::from(i32::MAX));
        assert_eq!(convert(Kind::Double, Element::Long, of_double(f64::NAN)), 0);
        assert_eq!(convert(Kind::Float, Element::Int, of_float(-1.9)), -1);
    }

    #[test]
    fn numbers_that_are_none_compare_as_the_instruction_says() {
        let nan = of_float(f32::NAN);
        assert_eq!(compare(Kind::Float, -1, nan, of_float(0.0)), -1);
        assert_eq!(compare(Kind::Float, 1, nan, of_float(0.0)), 1);
        assert_eq!(compare(Kind::Double, 1, of_double(-0.0), of_double(0.0)), 0);
    }
}
