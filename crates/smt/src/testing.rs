//! Random expressions with a naive twin: written down as trees, computed by Rust's own arithmetic.

use std::time::Duration;

use proptest::prelude::*;

use crate::arena::{Arena, Expr};
use crate::process::{COMMANDS, Patience, Process};
use crate::solver::{Answer, Model, Solver};
use crate::value::{Sort, Value};

/// A number as it is written.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Var(usize),
    Constant(i64),
    Neg(Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
    Ite(Box<Truth>, Box<Tree>, Box<Tree>),
    /// Bits only: through a narrower number and back.
    Cast(&'static str, Box<Tree>),
}

/// A truth value as it is written.
#[derive(Clone, Debug)]
pub(crate) enum Truth {
    Var(usize),
    Constant(bool),
    Not(Box<Truth>),
    Connect(&'static str, Box<Truth>, Box<Truth>),
    Compare(&'static str, Box<Tree>, Box<Tree>),
    Ite(Box<Truth>, Box<Truth>, Box<Truth>),
}

const LINEAR: &[&str] = &["+", "-", "*", "/", "%"];
const BITWISE: &[&str] = &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>", "compare"];
const ORDER: &[&str] = &["==", "!=", "<", "<=", ">", ">="];
const BIT_ORDER: &[&str] = &["==", "!=", "<", "<=", ">", ">=", "<u", "<=u"];

/// Truth values over two numbers and two truth values.
pub(crate) fn truths(bits: bool, constants: BoxedStrategy<i64>) -> BoxedStrategy<Truth> {
    numbers_and_truths(bits, constants, 3).1
}

fn numbers_and_truths(
    bits: bool,
    constants: BoxedStrategy<i64>,
    depth: u32,
) -> (BoxedStrategy<Tree>, BoxedStrategy<Truth>) {
    if depth == 0 {
        let number = prop_oneof![(0..2_usize).prop_map(Tree::Var), constants.prop_map(Tree::Constant)];
        let truth = prop_oneof![
            4 => (0..2_usize).prop_map(Truth::Var),
            1 => any::<bool>().prop_map(Truth::Constant)
        ];
        return (number.boxed(), truth.boxed());
    }
    let (number, truth) = numbers_and_truths(bits, constants, depth - 1);
    let operators = if bits { BITWISE } else { LINEAR };
    let orders = if bits { BIT_ORDER } else { ORDER };
    let pair = || (number.clone(), number.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
    let truths = || (truth.clone(), truth.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
    let casts: &'static [&'static str] = if bits { &["byte", "char", "short", "not"] } else { &["same"] };
    let tree = prop_oneof![
        1 => number.clone(),
        1 => number.clone().prop_map(|a| Tree::Neg(Box::new(a))),
        5 => (proptest::sample::select(operators), pair()).prop_map(|(op, (a, b))| Tree::Binary(op, a, b)),
        1 => (truth.clone(), pair()).prop_map(|(c, (a, b))| Tree::Ite(Box::new(c), a, b)),
        1 => (proptest::sample::select(casts), number.clone()).prop_map(|(how, a)| Tree::Cast(how, Box::new(a))),
    ];
    let truth = prop_oneof![
        1 => truth.clone(),
        1 => truth.clone().prop_map(|a| Truth::Not(Box::new(a))),
        4 => (proptest::sample::select(&["&&", "||", "==", "=>"][..]), truths())
            .prop_map(|(op, (a, b))| Truth::Connect(op, a, b)),
        5 => (proptest::sample::select(orders), pair()).prop_map(|(op, (a, b))| Truth::Compare(op, a, b)),
        1 => (truth.clone(), truths()).prop_map(|(c, (a, b))| Truth::Ite(Box::new(c), a, b)),
    ];
    (tree.boxed(), truth.boxed())
}

/// The variables of [`truths`]: two numbers, two truth values.
pub(crate) struct Variables {
    pub(crate) numbers: [Expr; 2],
    pub(crate) truths: [Expr; 2],
}

impl Variables {
    pub(crate) fn new(arena: &mut Arena, sort: Sort) -> Self {
        Self {
            numbers: ["x", "y"].map(|name| arena.var(name, sort)),
            truths: ["p", "q"].map(|name| arena.var(name, Sort::Bool)),
        }
    }

    pub(crate) fn model(&self, arena: &Arena, numbers: [i64; 2], truths: [bool; 2]) -> Model {
        let mut model = Model::default();
        for (expr, number) in self.numbers.into_iter().zip(numbers) {
            model.set(arena.variables(expr)[0], Value::number(arena.sort(expr), i128::from(number)));
        }
        for (expr, truth) in self.truths.into_iter().zip(truths) {
            model.set(arena.variables(expr)[0], Value::Bool(truth));
        }
        model
    }
}

/// Builds `tree` in the arena, which simplifies it.
pub(crate) fn build(arena: &mut Arena, sort: Sort, variables: &Variables, tree: &Tree) -> Expr {
    match tree {
        Tree::Var(index) => variables.numbers[*index],
        Tree::Constant(number) => arena.value(Value::number(sort, i128::from(*number))),
        Tree::Neg(a) => {
            let a = build(arena, sort, variables, a);
            arena.neg(a)
        }
        Tree::Binary(operator, a, b) => {
            let (a, b) = (build(arena, sort, variables, a), build(arena, sort, variables, b));
            match *operator {
                "+" => arena.add(a, b),
                "-" => arena.sub(a, b),
                "*" => arena.mul(a, b),
                "/" => arena.div(a, b),
                "%" => arena.rem(a, b),
                "&" => arena.bit_and(a, b),
                "|" => arena.bit_or(a, b),
                "^" => arena.bit_xor(a, b),
                "<<" => arena.shl(a, b),
                ">>" => arena.shr(a, b),
                ">>>" => arena.ushr(a, b),
                "compare" => {
                    let order = arena.compare(a, b);
                    let width = arena.width(a);
                    if width < 32 { arena.truncate(order, width) } else { arena.sign_extend(order, width) }
                }
                other => panic!("{other}"),
            }
        }
        Tree::Ite(condition, a, b) => {
            let condition = build_truth(arena, sort, variables, condition);
            let (a, b) = (build(arena, sort, variables, a), build(arena, sort, variables, b));
            arena.ite(condition, a, b)
        }
        Tree::Cast(how, a) => {
            let a = build(arena, sort, variables, a);
            match (*how, sort) {
                ("not", _) => arena.bit_not(a),
                ("byte", Sort::Bits(32)) => arena.i2b(a),
                ("char", Sort::Bits(32)) => arena.i2c(a),
                ("short", Sort::Bits(32)) => arena.i2s(a),
                ("byte", Sort::Bits(64)) => {
                    let int = arena.l2i(a);
                    let byte = arena.i2b(int);
                    arena.i2l(byte)
                }
                _ => a,
            }
        }
    }
}

/// Builds `truth` in the arena, which simplifies it.
pub(crate) fn build_truth(arena: &mut Arena, sort: Sort, variables: &Variables, truth: &Truth) -> Expr {
    match truth {
        Truth::Var(index) => variables.truths[*index],
        Truth::Constant(value) => arena.bool(*value),
        Truth::Not(a) => {
            let a = build_truth(arena, sort, variables, a);
            arena.not(a)
        }
        Truth::Connect(operator, a, b) => {
            let (a, b) = (build_truth(arena, sort, variables, a), build_truth(arena, sort, variables, b));
            match *operator {
                "&&" => arena.and(&[a, b]),
                "||" => arena.or(&[a, b]),
                "==" => arena.eq(a, b),
                "=>" => arena.implies(a, b),
                other => panic!("{other}"),
            }
        }
        Truth::Compare(operator, a, b) => {
            let (a, b) = (build(arena, sort, variables, a), build(arena, sort, variables, b));
            match *operator {
                "==" => arena.eq(a, b),
                "!=" => arena.ne(a, b),
                "<" => arena.lt(a, b),
                "<=" => arena.le(a, b),
                ">" => arena.gt(a, b),
                ">=" => arena.ge(a, b),
                "<u" => arena.lt_unsigned(a, b),
                "<=u" => arena.le_unsigned(a, b),
                other => panic!("{other}"),
            }
        }
        Truth::Ite(condition, a, b) => {
            let condition = build_truth(arena, sort, variables, condition);
            let (a, b) = (build_truth(arena, sort, variables, a), build_truth(arena, sort, variables, b));
            arena.ite(condition, a, b)
        }
    }
}

/// A module that computes trees with Rust's arithmetic on one of its own types.
macro_rules! twin {
    ($name:ident, $signed:ty, $unsigned:ty) => {
        mod $name {
            use super::{Tree, Truth};

            pub(super) fn number(tree: &Tree, numbers: [i64; 2], truths: [bool; 2]) -> $signed {
                let of = |tree| number(tree, numbers, truths);
                match tree {
                    Tree::Var(index) => numbers[*index] as $signed,
                    Tree::Constant(number) => *number as $signed,
                    Tree::Neg(a) => of(a).wrapping_neg(),
                    Tree::Binary(operator, a, b) => {
                        let (a, b) = (of(a), of(b));
                        match *operator {
                            "+" => a.wrapping_add(b),
                            "-" => a.wrapping_sub(b),
                            "*" => a.wrapping_mul(b),
                            "/" if b == 0 => {
                                if a < 0 {
                                    1
                                } else {
                                    -1
                                }
                            }
                            "/" => a.wrapping_div(b),
                            "%" if b == 0 => a,
                            "%" => a.wrapping_rem(b),
                            "&" => a & b,
                            "|" => a | b,
                            "^" => a ^ b,
                            "<<" => a.wrapping_shl(b as u32),
                            ">>" => a.wrapping_shr(b as u32),
                            ">>>" => (a as $unsigned).wrapping_shr(b as u32) as $signed,
                            "compare" => a.cmp(&b) as i8 as $signed,
                            other => panic!("{other}"),
                        }
                    }
                    Tree::Ite(condition, a, b) => {
                        if truth(condition, numbers, truths) {
                            of(a)
                        } else {
                            of(b)
                        }
                    }
                    Tree::Cast(how, a) => {
                        let a = of(a);
                        match (*how, <$signed>::BITS) {
                            ("not", _) => !a,
                            ("byte", 32 | 64) => a as i8 as $signed,
                            ("char", 32) => a as u16 as $signed,
                            ("short", 32) => a as i16 as $signed,
                            _ => a,
                        }
                    }
                }
            }

            pub(super) fn truth(tree: &Truth, numbers: [i64; 2], truths: [bool; 2]) -> bool {
                let of = |tree| truth(tree, numbers, truths);
                match tree {
                    Truth::Var(index) => truths[*index],
                    Truth::Constant(value) => *value,
                    Truth::Not(a) => !of(a),
                    Truth::Connect(operator, a, b) => match *operator {
                        "&&" => of(a) && of(b),
                        "||" => of(a) || of(b),
                        "==" => of(a) == of(b),
                        _ => !of(a) || of(b),
                    },
                    Truth::Compare(operator, a, b) => {
                        let (a, b) = (number(a, numbers, truths), number(b, numbers, truths));
                        match *operator {
                            "==" => a == b,
                            "!=" => a != b,
                            "<" => a < b,
                            "<=" => a <= b,
                            ">" => a > b,
                            ">=" => a >= b,
                            "<u" => (a as $unsigned) < (b as $unsigned),
                            _ => (a as $unsigned) <= (b as $unsigned),
                        }
                    }
                    Truth::Ite(condition, a, b) => {
                        if of(condition) {
                            of(a)
                        } else {
                            of(b)
                        }
                    }
                }
            }
        }
    };
}

twin!(byte, i8, u8);
twin!(int, i32, u32);
twin!(long, i64, u64);

/// Truth over mathematical integers, which are small enough here for 128 bits.
fn integer_truth(truth: &Truth, numbers: [i64; 2], truths: [bool; 2]) -> bool {
    let of = |truth: &Truth| integer_truth(truth, numbers, truths);
    match truth {
        Truth::Compare(operator, a, b) => {
            let (a, b) = (integer(a, numbers, truths), integer(b, numbers, truths));
            match *operator {
                "==" => a == b,
                "!=" => a != b,
                "<" => a < b,
                "<=" => a <= b,
                ">" => a > b,
                _ => a >= b,
            }
        }
        Truth::Var(index) => truths[*index],
        Truth::Constant(value) => *value,
        Truth::Not(a) => !of(a),
        Truth::Connect("&&", a, b) => of(a) && of(b),
        Truth::Connect("||", a, b) => of(a) || of(b),
        Truth::Connect("==", a, b) => of(a) == of(b),
        Truth::Connect(_, a, b) => !of(a) || of(b),
        Truth::Ite(condition, a, b) => {
            if of(condition) {
                of(a)
            } else {
                of(b)
            }
        }
    }
}

fn integer(tree: &Tree, numbers: [i64; 2], truths: [bool; 2]) -> i128 {
    let of = |tree: &Tree| integer(tree, numbers, truths);
    match tree {
        Tree::Var(index) => i128::from(numbers[*index]),
        Tree::Constant(number) => i128::from(*number),
        Tree::Neg(a) => -of(a),
        Tree::Binary(operator, a, b) => match (*operator, of(a), of(b)) {
            ("+", a, b) => a + b,
            ("-", a, b) => a - b,
            ("*", a, b) => a * b,
            ("/", _, 0) => 0,
            ("/", a, b) => a / b,
            (_, a, 0) => a,
            (_, a, b) => a % b,
        },
        Tree::Ite(condition, a, b) => {
            if integer_truth(condition, numbers, truths) {
                of(a)
            } else {
                of(b)
            }
        }
        Tree::Cast(_, a) => of(a),
    }
}

/// Constants at which arithmetic is interesting.
fn edges() -> BoxedStrategy<i64> {
    prop_oneof![
        4 => -4..5_i64,
        1 => Just(i64::from(i32::MIN)),
        1 => Just(i64::from(i32::MAX)),
        1 => Just(i64::MIN),
        1 => Just(i64::MAX),
        1 => proptest::sample::select(&[31_i64, 32, 33, 63, 64, 127, 128, 255, 32_768, 65_535][..]),
        1 => any::<i64>(),
    ]
    .boxed()
}

/// A solver program on this machine, or nothing and a line that says so.
pub(crate) fn a_solver(test: &str) -> Option<Process> {
    let path = std::env::var_os("PATH")?;
    let found = COMMANDS.into_iter().find_map(|name| {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
    });
    match found {
        Some(program) => Some(Process::new(program, Patience(Duration::from_secs(20)))),
        None => {
            not_run(test);
            None
        }
    }
}

fn not_run(test: &str) {
    eprintln!("NOT RUN: {test} needs z3 or cvc5 on PATH");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn bits_are_what_rust_computes(
        truth in truths(true, edges()), x in edges(), y in edges(), p: bool, q: bool
    ) {
        for sort in [Sort::Bits(8), Sort::Bits(32), Sort::Bits(64)] {
            let mut arena = Arena::new();
            let variables = Variables::new(&mut arena, sort);
            let built = build_truth(&mut arena, sort, &variables, &truth);
            let model = variables.model(&arena, [x, y], [p, q]);
            let expected = match sort {
                Sort::Bits(8) => byte::truth(&truth, [x, y], [p, q]),
                Sort::Bits(32) => int::truth(&truth, [x, y], [p, q]),
                _ => long::truth(&truth, [x, y], [p, q]),
            };
            let value = arena.evaluate(built, &model);
            prop_assert_eq!(value, Ok(Value::Bool(expected)), "{:?}: {}", sort, arena.show(built));
            // Substituting the values simplifies to the same constant.
            let by = model.iter().map(|(var, value)| (var, arena.value(value))).collect();
            let folded = arena.substitute(built, &by);
            prop_assert_eq!(arena.as_bool(folded), Some(expected), "{:?}: {}", sort, arena.show(built));
        }
    }

    #[test]
    fn integers_are_what_rust_computes(
        truth in truths(false, (-6..7_i64).boxed()), x in -9..10_i64, y in -9..10_i64, p: bool, q: bool
    ) {
        let mut arena = Arena::new();
        let variables = Variables::new(&mut arena, Sort::Int);
        let built = build_truth(&mut arena, Sort::Int, &variables, &truth);
        let model = variables.model(&arena, [x, y], [p, q]);
        let expected = integer_truth(&truth, [x, y], [p, q]);
        prop_assert_eq!(arena.evaluate(built, &model), Ok(Value::Bool(expected)), "{}", arena.show(built));
        let by = model.iter().map(|(var, value)| (var, arena.value(value))).collect();
        let folded = arena.substitute(built, &by);
        prop_assert_eq!(arena.as_bool(folded), Some(expected), "{}", arena.show(built));
    }
}

/// Asks a real solver random questions over few values, and tries all of these values.
fn solver_agrees_with_trying(test: &str, sort: Sort, bits: bool, values: std::ops::Range<i64>) {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;

    let Some(mut solver) = a_solver(test) else { return };
    let mut runner = TestRunner::deterministic();
    let strategy = truths(bits, (-6..7_i64).boxed());
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..300 {
        let parts = [strategy.new_tree(&mut runner), strategy.new_tree(&mut runner)].map(Result::unwrap);
        let mut arena = Arena::new();
        let variables = Variables::new(&mut arena, sort);
        let mut constraints: Vec<Expr> =
            parts.iter().map(|part| build_truth(&mut arena, sort, &variables, &part.current())).collect();
        if sort == Sort::Int {
            let ends = [values.start, values.end - 1].map(|end| arena.int(i128::from(end)));
            for variable in variables.numbers {
                constraints.push(arena.ge(variable, ends[0]));
                constraints.push(arena.le(variable, ends[1]));
            }
        }
        let possible = values.clone().any(|x| {
            values.clone().any(|y| {
                [false, true].into_iter().any(|p| {
                    [false, true].into_iter().any(|q| {
                        let model = variables.model(&arena, [x, y], [p, q]);
                        arena.satisfies(&model, &constraints).unwrap()
                    })
                })
            })
        });
        match solver.check(&mut arena, &constraints) {
            Answer::Sat(_) => {
                assert!(possible);
                sat += 1;
            }
            Answer::Unsat => {
                let shown: Vec<String> =
                    constraints.iter().map(|&constraint| arena.show(constraint).to_string()).collect();
                assert!(!possible, "{shown:?}");
                unsat += 1;
            }
            Answer::Unknown(reason) => panic!("{reason}"),
        }
    }
    // A test in which everything is alike would say nothing.
    assert!(sat > 20 && unsat > 20, "{sat} sat, {unsat} unsat");
}

#[test]
fn a_solver_agrees_about_four_bits() {
    solver_agrees_with_trying("a_solver_agrees_about_four_bits", Sort::Bits(4), true, -8..8);
}

#[test]
fn a_solver_agrees_about_three_bits() {
    solver_agrees_with_trying("a_solver_agrees_about_three_bits", Sort::Bits(3), true, -4..4);
}

#[test]
fn a_solver_agrees_about_integers() {
    solver_agrees_with_trying("a_solver_agrees_about_integers", Sort::Int, false, -3..4);
}
