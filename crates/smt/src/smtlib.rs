//! Constraints as SMT-LIB 2 text, and a solver's values read back.
//!
//! Variables are called `v0`, `v1`, … because Java's names need not be symbols of SMT-LIB. An expression that
//! is used twice is defined once, so the text is as long as the arena's part, not as the tree.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use crate::arena::{Arena, Expr, Node, Var};
use crate::bits::{Binary, Resize};
use crate::value::{Sort, Value, unsigned};

/// Length of text that is defined by a name even if it is used once, so that deep expressions are not copied
/// again and again.
const LONG: usize = 1_000;

/// Nesting of parentheses in what a solver prints. Values have four at most.
const NESTING: usize = 64;

/// Returns a script that any SMT-LIB 2 solver runs: declarations, `constraints` as assertions, `check-sat`.
pub fn script(arena: &Arena, constraints: &[Expr]) -> String {
    let mut text = String::from("(set-logic ALL)\n");
    for var in variables(arena, constraints) {
        let _ = writeln!(text, "; v{} is {:?}", var.0, arena.name(var));
    }
    assertions(arena, constraints, &mut text);
    text.push_str("(check-sat)\n");
    text
}

/// Variables of the constraints, in order.
pub(crate) fn variables(arena: &Arena, constraints: &[Expr]) -> Vec<Var> {
    let mut all: Vec<Var> =
        constraints.iter().flat_map(|&constraint| arena.variables(constraint)).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Writes declarations, definitions and assertions.
pub(crate) fn assertions(arena: &Arena, constraints: &[Expr], text: &mut String) {
    for var in variables(arena, constraints) {
        let _ = writeln!(text, "(declare-const v{} {})", var.0, sort(arena.var_sort(var)));
    }
    let parts = arena.parts(constraints);
    let mut uses: FxHashMap<Expr, u32> = FxHashMap::default();
    for &constraint in constraints {
        *uses.entry(constraint).or_default() += 1;
    }
    for &part in &parts {
        // The text of an integer division names its operands several times.
        let weight = match arena.node(part) {
            Node::Binary(Binary::Div | Binary::Rem, ..) if arena.sort(part) == Sort::Int => 2,
            _ => 1,
        };
        arena.each_child(part, |child| *uses.entry(child).or_default() += weight);
    }
    let mut spelled: FxHashMap<Expr, String> = FxHashMap::default();
    for &part in &parts {
        let body = spell(arena, part, &mut spelled, &uses);
        let named = body.starts_with('(')
            && !matches!(arena.node(part), Node::Number(..))
            && (uses.get(&part).is_some_and(|&uses| uses > 1) || body.len() > LONG);
        let body = if named {
            let _ = writeln!(text, "(define-fun e{} () {} {body})", part.0, sort(arena.sort(part)));
            format!("e{}", part.0)
        } else {
            body
        };
        spelled.insert(part, body);
    }
    for constraint in constraints {
        let _ = writeln!(text, "(assert {})", spelled[constraint]);
    }
}

fn sort(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_owned(),
        Sort::Int => "Int".to_owned(),
        Sort::Bits(width) => format!("(_ BitVec {width})"),
    }
}

fn number(sort: Sort, value: i128) -> String {
    match sort {
        Sort::Bits(width) => format!("(_ bv{} {width})", unsigned(width, value)),
        _ if value < 0 => format!("(- {})", value.unsigned_abs()),
        _ => value.to_string(),
    }
}

fn spell(
    arena: &Arena,
    expr: Expr,
    spelled: &mut FxHashMap<Expr, String>,
    uses: &FxHashMap<Expr, u32>,
) -> String {
    // The text of a child that nobody else uses moves into its parent.
    let mut of = |child: Expr| match uses.get(&child) {
        Some(1) => spelled.remove(&child).expect("children come before parents"),
        _ => spelled[&child].clone(),
    };
    let bits = matches!(arena.sort(expr), Sort::Bits(_));
    match arena.node(expr) {
        Node::Bool(value) => value.to_string(),
        Node::Number(sort, value) => number(*sort, *value),
        Node::Var(var) => format!("v{}", var.0),
        Node::Not(a) => format!("(not {})", of(*a)),
        Node::And(members) => {
            let members: Vec<String> = members.iter().map(|&member| of(member)).collect();
            format!("(and {})", members.join(" "))
        }
        Node::Eq(a, b) => format!("(= {} {})", of(*a), of(*b)),
        Node::AtMost(a, limit) => format!("(<= {} {})", of(*a), number(Sort::Int, *limit)),
        Node::Less(a, b) => format!("(bvslt {} {})", of(*a), of(*b)),
        Node::Below(a, b) => format!("(bvult {} {})", of(*a), of(*b)),
        Node::Ite(condition, a, b) => format!("(ite {} {} {})", of(*condition), of(*a), of(*b)),
        Node::Sum { constant, terms } => {
            let own = arena.sort(expr);
            let (plus, times, minus) = if bits { ("bvadd", "bvmul", "bvneg") } else { ("+", "*", "-") };
            let mut parts: Vec<String> = terms
                .iter()
                .map(|&(coefficient, term)| match coefficient {
                    1 => of(term),
                    -1 => format!("({minus} {})", of(term)),
                    _ => format!("({times} {} {})", number(own, coefficient), of(term)),
                })
                .collect();
            if *constant != 0 {
                parts.push(number(own, *constant));
            }
            // Not every solver takes more than two operands of `bvadd`.
            let first = parts.remove(0);
            parts.into_iter().fold(first, |sum, part| format!("({plus} {sum} {part})"))
        }
        Node::Binary(operation, a, b) => {
            let (a, b) = (of(*a), of(*b));
            match arena.sort(expr) {
                Sort::Bits(width) => binary_bits(*operation, width, &a, &b),
                _ => binary_int(*operation, &a, &b),
            }
        }
        Node::Resize(how, to, a) => {
            let from = arena.width(*a);
            let a = of(*a);
            match how {
                Resize::Sign => format!("((_ sign_extend {}) {a})", to - from),
                Resize::Zero => format!("((_ zero_extend {}) {a})", to - from),
                Resize::Low => format!("((_ extract {} 0) {a})", to - 1),
            }
        }
    }
}

fn binary_bits(operation: Binary, width: u8, a: &str, b: &str) -> String {
    let name = match operation {
        Binary::Mul => "bvmul",
        Binary::Div => "bvsdiv",
        Binary::Rem => "bvsrem",
        Binary::And => "bvand",
        Binary::Or => "bvor",
        Binary::Xor => "bvxor",
        Binary::Shl => return shift("bvshl", width, a, b),
        Binary::Shr => return shift("bvashr", width, a, b),
        Binary::UShr => return shift("bvlshr", width, a, b),
    };
    format!("({name} {a} {b})")
}

/// SMT-LIB shifts everything out where Java starts again from zero.
fn shift(name: &str, width: u8, a: &str, distance: &str) -> String {
    if width.is_power_of_two() {
        format!("({name} {a} (bvand {distance} (_ bv{} {width})))", width - 1)
    } else {
        format!("({name} {a} (bvurem {distance} (_ bv{width} {width})))")
    }
}

/// SMT-LIB's division of integers never leaves a negative remainder; Java's truncates.
fn binary_int(operation: Binary, a: &str, b: &str) -> String {
    match operation {
        Binary::Mul => format!("(* {a} {b})"),
        Binary::Div => format!("(ite (= {b} 0) 0 (ite (>= {a} 0) (div {a} {b}) (- (div (- {a}) {b}))))"),
        Binary::Rem => format!("(ite (= {b} 0) {a} (ite (>= {a} 0) (mod {a} {b}) (- (mod (- {a}) {b}))))"),
        _ => unreachable!("the builder makes other operations for bit-vectors only"),
    }
}

/// A parsed piece of what a solver printed.
#[derive(Debug, PartialEq, Eq)]
enum Sexp<'a> {
    Atom(&'a str),
    List(Vec<Sexp<'a>>),
}

/// Reads the answer to `(get-value (v0 v1 …))`: a value for each of `wanted`.
pub(crate) fn read_values(arena: &Arena, text: &str, wanted: &[Var]) -> Option<Vec<(Var, Value)>> {
    let mut rest = text;
    let Sexp::List(pairs) = parse(&mut rest, NESTING)? else { return None };
    if !rest.trim().is_empty() || pairs.len() != wanted.len() {
        return None;
    }
    pairs
        .iter()
        .zip(wanted)
        .map(|(pair, &var)| match pair {
            Sexp::List(pair) => match pair.as_slice() {
                [Sexp::Atom(name), value] if name.strip_prefix('v')? == var.0.to_string() => {
                    Some((var, read_value(arena.var_sort(var), value)?))
                }
                _ => None,
            },
            Sexp::Atom(_) => None,
        })
        .collect()
}

fn read_value(sort: Sort, value: &Sexp<'_>) -> Option<Value> {
    match (sort, value) {
        (Sort::Bool, Sexp::Atom("true")) => Some(Value::Bool(true)),
        (Sort::Bool, Sexp::Atom("false")) => Some(Value::Bool(false)),
        (Sort::Int, Sexp::Atom(digits)) => Some(Value::Int(digits.parse().ok()?)),
        (Sort::Int, Sexp::List(parts)) => match parts.as_slice() {
            [Sexp::Atom("-"), Sexp::Atom(digits)] => Some(Value::Int(format!("-{digits}").parse().ok()?)),
            _ => None,
        },
        (Sort::Bits(width), Sexp::Atom(digits)) => {
            let (digits, radix, bits) = match digits.split_at_checked(2)? {
                ("#x", digits) => (digits, 16, 4),
                ("#b", digits) => (digits, 2, 1),
                _ => return None,
            };
            if digits.len() * bits != usize::from(width) {
                return None;
            }
            Some(Value::number(sort, i128::from(u64::from_str_radix(digits, radix).ok()?)))
        }
        (Sort::Bits(width), Sexp::List(parts)) => match parts.as_slice() {
            [Sexp::Atom("_"), Sexp::Atom(number), Sexp::Atom(bits)] if *bits == width.to_string() => {
                let number: u64 = number.strip_prefix("bv")?.parse().ok()?;
                Some(Value::number(sort, i128::from(number)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Reads one expression and moves `rest` behind it.
fn parse<'a>(rest: &mut &'a str, nesting: usize) -> Option<Sexp<'a>> {
    let nesting = nesting.checked_sub(1)?;
    *rest = rest.trim_start();
    if let Some(inside) = rest.strip_prefix('(') {
        *rest = inside;
        let mut list = Vec::new();
        loop {
            *rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix(')') {
                *rest = after;
                return Some(Sexp::List(list));
            }
            list.push(parse(rest, nesting)?);
        }
    }
    let end = rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len());
    let (atom, after) = rest.split_at(end);
    *rest = after;
    (!atom.is_empty()).then_some(Sexp::Atom(atom))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_script_can_be_given_to_any_solver() {
        let mut arena = Arena::new();
        let (x, n) = (arena.var("this.x", Sort::Bits(32)), arena.var("n", Sort::Int));
        let (three, minus) = (arena.bits(32, -3), arena.int(-7));
        let odd = arena.mul(x, x);
        let (left, right) = (arena.lt(odd, three), arena.lt(x, odd));
        let either = arena.or(&[left, right]);
        let two = arena.int(2);
        let half = arena.div(n, two);
        let far = arena.lt(half, minus);
        expect![[r#"
            (set-logic ALL)
            ; v0 is "this.x"
            ; v1 is "n"
            (declare-const v0 (_ BitVec 32))
            (declare-const v1 Int)
            (define-fun e6 () (_ BitVec 32) (bvmul v0 v0))
            (assert (not (and (not (bvslt e6 (_ bv4294967293 32))) (not (bvslt v0 e6)))))
            (assert (<= (ite (= 2 0) 0 (ite (>= v1 0) (div v1 2) (- (div (- v1) 2)))) (- 8)))
            (check-sat)
        "#]]
        .assert_eq(&script(&arena, &[either, far]));
    }

    #[test]
    fn values_of_both_solvers_are_read() {
        let mut arena = Arena::new();
        let exprs = [
            arena.var("a", Sort::Bits(8)),
            arena.var("b", Sort::Bits(5)),
            arena.var("c", Sort::Int),
            arena.var("d", Sort::Bool),
            arena.var("e", Sort::Bits(64)),
        ];
        let vars: Vec<Var> = exprs.iter().flat_map(|&expr| arena.variables(expr).to_vec()).collect();
        let text = "((v0 #xfe) (v1 #b10001)\n (v2 (- 12)) (v3 true) (v4 (_ bv18446744073709551615 64)))\n";
        let values: Vec<Value> =
            read_values(&arena, text, &vars).unwrap().into_iter().map(|(_, value)| value).collect();
        let expected = [
            Value::Bits { width: 8, value: -2 },
            Value::Bits { width: 5, value: -15 },
            Value::Int(-12),
            Value::Bool(true),
            Value::Bits { width: 64, value: -1 },
        ];
        assert_eq!(values, expected);
        for wrong in ["", "(", "((v0 #xfe))", "((v0 #xfffe))", "((v1 #xfe))", "((v0 12))", "((v0 #xfe)) sat"]
        {
            if wrong != "((v0 #xfe))" {
                assert_eq!(read_values(&arena, wrong, &vars[..1]), None, "{wrong}");
            }
        }
        let deep = "(".repeat(100_000);
        assert_eq!(read_values(&arena, &deep, &vars), None);
    }
}
