//! Expressions as a Java programmer would write them: `snk != 0 && !connected`.

use std::fmt;

use crate::arena::{Arena, Expr, Node};
use crate::bits::{Binary, Resize};
use crate::value::Sort;

/// Nesting beyond which an expression is printed as `…`. Nobody reads it, and the stack is finite.
const DEPTH: usize = 200;

/// An expression that can be printed. Comparisons have their negative terms on the other side.
#[derive(Clone, Copy, Debug)]
pub struct Show<'a> {
    arena: &'a Arena,
    expr: Expr,
}

/// Precedence of operators, as in Java.
mod binding {
    pub(super) const NONE: u8 = 0;
    pub(super) const CHOICE: u8 = 1;
    pub(super) const OR: u8 = 2;
    pub(super) const AND: u8 = 3;
    pub(super) const BIT_OR: u8 = 4;
    pub(super) const BIT_XOR: u8 = 5;
    pub(super) const BIT_AND: u8 = 6;
    pub(super) const EQUAL: u8 = 7;
    pub(super) const ORDER: u8 = 8;
    pub(super) const SHIFT: u8 = 9;
    pub(super) const SUM: u8 = 10;
    pub(super) const PRODUCT: u8 = 11;
    pub(super) const UNARY: u8 = 12;
}

impl Arena {
    /// Returns `expr` for printing.
    pub fn show(&self, expr: Expr) -> Show<'_> {
        Show { arena: self, expr }
    }
}

impl fmt::Display for Show<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.arena.write(&mut text, self.expr, true, binding::NONE, DEPTH);
        f.write_str(&text)
    }
}

impl Arena {
    /// Writes `expr`, or its negation if it does not `hold`, in parentheses if it binds less than `around`.
    fn write(&self, out: &mut String, expr: Expr, holds: bool, around: u8, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            out.push('…');
            return;
        };
        match self.node(expr) {
            Node::Bool(value) => out.push_str(if *value == holds { "true" } else { "false" }),
            Node::Number(_, value) => out.push_str(&value.to_string()),
            Node::Var(var) => {
                if !holds {
                    out.push('!');
                }
                out.push_str(self.name(*var));
            }
            Node::Not(inner) => self.write(out, *inner, !holds, around, depth),
            Node::And(members) => {
                let (operator, binds) = if holds { (" && ", binding::AND) } else { (" || ", binding::OR) };
                parenthesized(out, binds, around, |out| {
                    for (index, &member) in members.iter().enumerate() {
                        if index > 0 {
                            out.push_str(operator);
                        }
                        // Java binds `&&` more than `||`, but not every reader knows.
                        self.write(out, member, holds, binding::AND + 1, depth);
                    }
                });
            }
            Node::Eq(a, b) => {
                let operator = if holds { "==" } else { "!=" };
                match (self.sort(*a), self.as_number(*b)) {
                    (Sort::Bool, _) | (_, None) => self.relate(out, operator, *a, *b, around, depth),
                    (_, Some(number)) => self.relate_sum(out, operator, *a, number, around, depth),
                }
            }
            Node::AtMost(a, limit) => {
                // `x <= -1` reads better as `x < 0`, and `x <= y - 2` as `x < y - 1`.
                let strict = *limit == -1 || (*limit < 0 && !matches!(self.node(*a), Node::Var(_)));
                let (operator, limit) = match (holds, strict) {
                    (true, true) => ("<", limit + 1),
                    (false, true) => (">=", limit + 1),
                    (true, false) => ("<=", *limit),
                    (false, false) => (">", *limit),
                };
                self.relate_sum(out, operator, *a, limit, around, depth);
            }
            Node::Less(a, b) => self.relate(out, if holds { "<" } else { ">=" }, *a, *b, around, depth),
            Node::Below(a, b) => self.relate(out, if holds { "<u" } else { ">=u" }, *a, *b, around, depth),
            Node::Ite(condition, a, b) => parenthesized(out, binding::CHOICE, around, |out| {
                self.write(out, *condition, true, binding::CHOICE + 1, depth);
                out.push_str(" ? ");
                self.write(out, *a, true, binding::CHOICE + 1, depth);
                out.push_str(" : ");
                self.write(out, *b, true, binding::CHOICE, depth);
            }),
            Node::Sum { constant, terms } => {
                let terms: Vec<(i128, Expr)> = terms.to_vec();
                self.write_sum(out, &terms, *constant, around, depth);
            }
            Node::Binary(operation, a, b) => {
                let (operator, binds) = operator(*operation);
                parenthesized(out, binds, around, |out| {
                    self.write(out, *a, true, binds, depth);
                    out.push_str(operator);
                    self.write(out, *b, true, binds + 1, depth);
                });
            }
            Node::Resize(how, to, inner) => self.write_resized(out, *how, *to, *inner, around, depth),
        }
    }

    fn relate(&self, out: &mut String, operator: &str, a: Expr, b: Expr, around: u8, depth: usize) {
        let binds = if matches!(operator, "==" | "!=") { binding::EQUAL } else { binding::ORDER };
        parenthesized(out, binds, around, |out| {
            self.write(out, a, true, binds + 1, depth);
            out.push(' ');
            out.push_str(operator);
            out.push(' ');
            self.write(out, b, true, binds + 1, depth);
        });
    }

    /// `left operator number`, with negative terms moved to the right.
    fn relate_sum(
        &self,
        out: &mut String,
        operator: &str,
        left: Expr,
        number: i128,
        around: u8,
        depth: usize,
    ) {
        let binds = if matches!(operator, "==" | "!=") { binding::EQUAL } else { binding::ORDER };
        let linear = self.linear(left);
        let (right, left): (Vec<_>, Vec<_>) =
            linear.terms.into_iter().partition(|&(coefficient, _)| coefficient < 0);
        let right: Vec<_> = right.into_iter().map(|(coefficient, term)| (-coefficient, term)).collect();
        parenthesized(out, binds, around, |out| {
            self.write_sum(out, &left, 0, binds + 1, depth);
            out.push(' ');
            out.push_str(operator);
            out.push(' ');
            // The constant of a sum that was too large for a normal form is still on the left.
            self.write_sum(out, &right, number.saturating_sub(linear.constant), binds + 1, depth);
        });
    }

    fn write_sum(&self, out: &mut String, terms: &[(i128, Expr)], constant: i128, around: u8, depth: usize) {
        let parts = terms.len() + usize::from(constant != 0);
        let binds = if parts > 1 { binding::SUM } else { binding::PRODUCT };
        parenthesized(out, binds, if parts == 0 { binding::NONE } else { around }, |out| {
            // A positive term first, if there is one.
            let (plus, minus): (Vec<_>, Vec<_>) =
                terms.iter().partition(|&&(coefficient, _)| coefficient > 0);
            for (index, &(coefficient, term)) in plus.into_iter().chain(minus).enumerate() {
                match (index, coefficient < 0) {
                    (0, false) => {}
                    (0, true) => out.push('-'),
                    (_, false) => out.push_str(" + "),
                    (_, true) => out.push_str(" - "),
                }
                let size = coefficient.unsigned_abs();
                if size == 1 {
                    let inside = if parts > 1 || coefficient < 0 { binding::PRODUCT } else { around };
                    self.write(out, term, true, inside, depth);
                } else {
                    out.push_str(&format!("{size} * "));
                    self.write(out, term, true, binding::PRODUCT + 1, depth);
                }
            }
            match (terms.is_empty(), constant) {
                (true, _) => out.push_str(&constant.to_string()),
                (false, 0) => {}
                (false, 1..) => out.push_str(&format!(" + {constant}")),
                (false, _) => out.push_str(&format!(" - {}", constant.unsigned_abs())),
            }
        });
    }

    fn write_resized(&self, out: &mut String, how: Resize, to: u8, inner: Expr, around: u8, depth: usize) {
        // Java widens a `byte`, `short` or `char` by itself.
        let is_small = matches!(
            (how, self.width(inner), self.node(inner)),
            (Resize::Sign, 8 | 16, Node::Var(_)) | (Resize::Zero, 16, Node::Var(_))
        );
        if is_small && to == 32 {
            return self.write(out, inner, true, around, depth);
        }
        // `(byte) x` is the last eight bits of `x`, made wider again.
        let (cast, of) = match (how, to, self.node(inner)) {
            (Resize::Sign, _, Node::Resize(Resize::Low, 8, x)) => ("(byte) ".to_owned(), *x),
            (Resize::Sign, _, Node::Resize(Resize::Low, 16, x)) => ("(short) ".to_owned(), *x),
            (Resize::Zero, _, Node::Resize(Resize::Low, 16, x)) => ("(char) ".to_owned(), *x),
            (Resize::Sign, 64, _) if self.width(inner) == 32 => ("(long) ".to_owned(), inner),
            (Resize::Low, 32, _) => ("(int) ".to_owned(), inner),
            (Resize::Low, ..) => (format!("(low {to} bits) "), inner),
            (Resize::Sign, ..) => (format!("({to} bits) "), inner),
            (Resize::Zero, ..) => (format!("({to} bits, unsigned) "), inner),
        };
        parenthesized(out, binding::UNARY, around, |out| {
            out.push_str(&cast);
            self.write(out, of, true, binding::UNARY, depth);
        });
    }
}

fn operator(operation: Binary) -> (&'static str, u8) {
    match operation {
        Binary::Mul => (" * ", binding::PRODUCT),
        Binary::Div => (" / ", binding::PRODUCT),
        Binary::Rem => (" % ", binding::PRODUCT),
        Binary::Shl => (" << ", binding::SHIFT),
        Binary::Shr => (" >> ", binding::SHIFT),
        Binary::UShr => (" >>> ", binding::SHIFT),
        Binary::And => (" & ", binding::BIT_AND),
        Binary::Or => (" | ", binding::BIT_OR),
        Binary::Xor => (" ^ ", binding::BIT_XOR),
    }
}

fn parenthesized(out: &mut String, binds: u8, around: u8, write: impl FnOnce(&mut String)) {
    if binds < around {
        out.push('(');
        write(out);
        out.push(')');
    } else {
        write(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_read_like_source() {
        let mut arena = Arena::new();
        let (snk, connected) = (arena.var("snk", Sort::Bits(32)), arena.var("connected", Sort::Bool));
        let zero = arena.bits(32, 0);
        let (some, not) = (arena.ne(snk, zero), arena.not(connected));
        let both = arena.and(&[some, not]);
        assert_eq!(arena.show(both).to_string(), "snk != 0 && !connected");
        let neither = arena.not(both);
        assert_eq!(arena.show(neither).to_string(), "snk == 0 || connected");
        let nested = arena.implies(connected, both);
        assert_eq!(arena.show(nested).to_string(), "!connected");
        let other = arena.var("open", Sort::Bool);
        let nested = arena.or(&[both, other]);
        assert_eq!(arena.show(nested).to_string(), "(snk != 0 && !connected) || open");
    }

    #[test]
    fn sums_are_spread_over_both_sides() {
        let mut arena = Arena::new();
        let [top, old, size] = ["top", "orig(top)", "size(theArray)"].map(|name| arena.var(name, Sort::Int));
        let [zero, one, two] = [0, 1, 2].map(|number| arena.int(number));
        let show = |arena: &Arena, expr| arena.show(expr).to_string();
        let (next, last) = (arena.add(old, one), arena.sub(size, one));
        let grown = arena.eq(top, next);
        assert_eq!(show(&arena, grown), "top == orig(top) + 1");
        let room = arena.lt(top, last);
        assert_eq!(show(&arena, room), "top < size(theArray) - 1");
        let less = arena.lt(top, size);
        assert_eq!(show(&arena, less), "top < size(theArray)");
        let (natural, positive) = (arena.ge(top, zero), arena.gt(top, zero));
        assert_eq!(show(&arena, natural), "top >= 0");
        assert_eq!(show(&arena, positive), "top > 0");
        let minus = arena.neg(top);
        let (twice, product) = (arena.mul(two, minus), arena.mul(last, top));
        assert_eq!(show(&arena, twice), "-2 * top");
        assert_eq!(show(&arena, product), "top * (size(theArray) - 1)");
        let remainder = arena.rem(next, two);
        assert_eq!(show(&arena, remainder), "(orig(top) + 1) % 2");
    }

    #[test]
    fn casts_look_like_casts() {
        let mut arena = Arena::new();
        let x = arena.var("x", Sort::Bits(32));
        let (one, byte, char) = (arena.bits(32, 1), arena.i2b(x), arena.i2c(x));
        let next = arena.add(byte, one);
        assert_eq!(arena.show(next).to_string(), "(byte) x + 1");
        let masked = arena.bit_and(char, one);
        let long = arena.i2l(masked);
        assert_eq!(arena.show(long).to_string(), "(long) (1 & (char) x)");
    }
}
