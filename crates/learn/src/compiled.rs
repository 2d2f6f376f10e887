//! Summaries as programs: concrete calls at millions per second, without the interpreter.
//!
//! The conditions of all paths of a method become one list of instructions, each computed once; the updates
//! of each path become another. Values are `i64`, wrapped to their width after each operation, as Java does.

use std::collections::HashMap;

use adit_smt::{Arena, Binary, Expr, Node, Resize, Sort};

use crate::component::{Component, Execute, number};
use crate::lts::WordOutcome;

/// A component, compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    methods: Vec<Program>,
    slots: Vec<i64>,
}

#[derive(Clone, Debug)]
struct Program {
    conditions: Code,
    paths: Vec<Branch>,
}

#[derive(Clone, Debug)]
struct Branch {
    condition: usize,
    updates: Code,
    /// The field and the slot of its new value.
    stores: Vec<(usize, usize)>,
    outcome: WordOutcome,
}

/// Instructions in order; the result of each is in the slot with its number.
#[derive(Clone, Debug, Default)]
struct Code(Vec<Instruction>);

#[derive(Clone, Debug)]
enum Instruction {
    Constant(i64),
    Field(usize),
    Argument(usize),
    Not(usize),
    And(Box<[usize]>),
    Eq(usize, usize),
    Less(usize, usize),
    Below(u8, usize, usize),
    Ite(usize, usize, usize),
    Sum(u8, i64, Box<[(i64, usize)]>),
    Binary(Binary, u8, usize, usize),
    Zero(u8, usize),
    Low(u8, usize),
    Copy(usize),
}

impl Compiled {
    /// Compiles the summaries of `component`.
    pub fn new(component: &Component) -> Self {
        let methods = component
            .methods
            .iter()
            .map(|method| {
                let names = component
                    .fields
                    .iter()
                    .enumerate()
                    .map(|(at, field)| (field.var, Instruction::Field(at)))
                    .chain(
                        method
                            .parameters
                            .iter()
                            .enumerate()
                            .map(|(at, parameter)| (parameter.var, Instruction::Argument(at))),
                    )
                    .collect::<HashMap<_, _>>();
                let roots: Vec<Expr> = method.paths.iter().map(|path| path.condition).collect();
                let (conditions, slots) = compile(&component.arena, &names, &roots);
                let paths = method
                    .paths
                    .iter()
                    .zip(slots)
                    .map(|(path, condition)| {
                        let roots: Vec<Expr> = path.updates.iter().map(|&(_, value)| value).collect();
                        let (updates, slots) = compile(&component.arena, &names, &roots);
                        let stores = path.updates.iter().map(|&(field, _)| field).zip(slots).collect();
                        Branch { condition, updates, stores, outcome: path.end.outcome() }
                    })
                    .collect();
                Program { conditions, paths }
            })
            .collect();
        Self { methods, slots: Vec::new() }
    }

    /// Calls `method` like [`Execute::call`], and says which path was taken. None of the paths may apply if
    /// the summary is faulty; the outcome is then unknown.
    pub fn take(
        &mut self,
        method: usize,
        arguments: &[i64],
        fields: &mut [i64],
    ) -> (Option<usize>, WordOutcome) {
        let program = &self.methods[method];
        program.conditions.run(fields, arguments, &mut self.slots);
        let Some(taken) = program.paths.iter().position(|path| self.slots[path.condition] != 0) else {
            return (None, WordOutcome::Unknown);
        };
        let path = &program.paths[taken];
        if !path.stores.is_empty() {
            path.updates.run(fields, arguments, &mut self.slots);
            for &(field, slot) in &path.stores {
                fields[field] = self.slots[slot];
            }
        }
        (Some(taken), path.outcome)
    }
}

impl Execute for Compiled {
    fn call(&mut self, method: usize, arguments: &[i64], fields: &mut [i64]) -> WordOutcome {
        self.take(method, arguments, fields).1
    }
}

/// A condition on the parameters of one method, compiled.
#[derive(Clone, Debug)]
pub struct CompiledGuard {
    code: Code,
    result: usize,
}

impl CompiledGuard {
    /// Compiles `guard`, a condition on the parameters of `method`.
    pub fn new(component: &Component, method: usize, guard: Expr) -> Self {
        let parameters = component.methods[method].parameters.iter().enumerate();
        let names = parameters.map(|(at, parameter)| (parameter.var, Instruction::Argument(at))).collect();
        let (code, slots) = compile(&component.arena, &names, &[guard]);
        Self { code, result: slots[0] }
    }

    /// True if the arguments satisfy the guard.
    pub fn admits(&self, arguments: &[i64]) -> bool {
        let mut slots = Vec::new();
        self.code.run(&[], arguments, &mut slots);
        slots[self.result] != 0
    }
}

/// Formulas over the fields of a component, compiled.
#[derive(Clone, Debug)]
pub(crate) struct CompiledFormulas {
    code: Code,
    results: Vec<usize>,
}

impl CompiledFormulas {
    /// Compiles `formulas`, which mention fields only.
    pub(crate) fn new(component: &Component, formulas: &[Expr]) -> Self {
        let fields = component.fields.iter().enumerate();
        let names = fields.map(|(at, field)| (field.var, Instruction::Field(at))).collect();
        let (code, results) = compile(&component.arena, &names, formulas);
        Self { code, results }
    }

    /// The truth of each formula for these values of fields.
    pub(crate) fn truth(&self, fields: &[i64]) -> impl Iterator<Item = bool> {
        let mut slots = Vec::new();
        self.code.run(fields, &[], &mut slots);
        self.results.iter().map(move |&slot| slots[slot] != 0)
    }
}

fn compile(arena: &Arena, names: &HashMap<adit_smt::Var, Instruction>, roots: &[Expr]) -> (Code, Vec<usize>) {
    let mut slot: HashMap<Expr, usize> = HashMap::new();
    let mut code = Code::default();
    for part in arena.parts(roots) {
        let width = match arena.sort(part) {
            Sort::Bits(width) => width,
            _ => 64,
        };
        let instruction = match arena.node(part) {
            Node::Bool(truth) => Instruction::Constant(i64::from(*truth)),
            Node::Number(..) => {
                Instruction::Constant(number(arena.as_value(part).expect("a constant has a value")))
            }
            Node::Var(var) => {
                names.get(var).expect("a summary mentions its own fields and parameters only").clone()
            }
            Node::Not(a) => Instruction::Not(slot[a]),
            Node::And(members) => Instruction::And(members.iter().map(|member| slot[member]).collect()),
            Node::Eq(a, b) => Instruction::Eq(slot[a], slot[b]),
            Node::Less(a, b) => Instruction::Less(slot[a], slot[b]),
            Node::Below(a, b) => Instruction::Below(arena.width(*a), slot[a], slot[b]),
            Node::Ite(condition, a, b) => Instruction::Ite(slot[condition], slot[a], slot[b]),
            Node::Sum { constant, terms } => Instruction::Sum(
                width,
                *constant as i64,
                terms.iter().map(|&(coefficient, term)| (coefficient as i64, slot[&term])).collect(),
            ),
            Node::Binary(operation, a, b) => Instruction::Binary(*operation, width, slot[a], slot[b]),
            Node::Resize(how, _, a) => match how {
                Resize::Sign => Instruction::Copy(slot[a]),
                Resize::Zero => Instruction::Zero(arena.width(*a), slot[a]),
                Resize::Low => Instruction::Low(width, slot[a]),
            },
            // Mathematical integers do not occur in summaries of bytecode; see `Kind::sort`.
            Node::AtMost(..) => unreachable!("summaries have no mathematical integers"),
        };
        slot.insert(part, code.0.len());
        code.0.push(instruction);
    }
    let slots = roots.iter().map(|root| slot[root]).collect();
    (code, slots)
}

impl Code {
    fn run(&self, fields: &[i64], arguments: &[i64], slots: &mut Vec<i64>) {
        slots.clear();
        for instruction in &self.0 {
            let value = match instruction {
                Instruction::Constant(value) => *value,
                Instruction::Field(field) => fields[*field],
                Instruction::Argument(argument) => arguments[*argument],
                Instruction::Not(a) => 1 - slots[*a],
                Instruction::And(members) => i64::from(members.iter().all(|&member| slots[member] != 0)),
                Instruction::Eq(a, b) => i64::from(slots[*a] == slots[*b]),
                Instruction::Less(a, b) => i64::from(slots[*a] < slots[*b]),
                Instruction::Below(width, a, b) => {
                    i64::from(unsigned(*width, slots[*a]) < unsigned(*width, slots[*b]))
                }
                Instruction::Ite(condition, a, b) => slots[if slots[*condition] != 0 { *a } else { *b }],
                Instruction::Sum(width, constant, terms) => {
                    let sum = terms.iter().fold(*constant, |sum, &(coefficient, term)| {
                        sum.wrapping_add(coefficient.wrapping_mul(slots[term]))
                    });
                    wrap(*width, sum)
                }
                Instruction::Binary(operation, width, a, b) => {
                    binary(*operation, *width, slots[*a], slots[*b])
                }
                Instruction::Zero(from, a) => unsigned(*from, slots[*a]) as i64,
                Instruction::Low(width, a) => wrap(*width, slots[*a]),
                Instruction::Copy(a) => slots[*a],
            };
            slots.push(value);
        }
    }
}

fn binary(operation: Binary, width: u8, a: i64, b: i64) -> i64 {
    let places = (unsigned(width, b) % u64::from(width)) as u32;
    let exact = match operation {
        Binary::Mul => a.wrapping_mul(b),
        // Java throws here, on a path of its own; the value is the one that SMT-LIB gives.
        Binary::Div if b == 0 => return if a < 0 { 1 } else { -1 },
        Binary::Rem if b == 0 => return a,
        Binary::Div => a.wrapping_div(b),
        Binary::Rem => a.wrapping_rem(b),
        Binary::Shl => a.wrapping_shl(places),
        Binary::Shr => a >> places,
        Binary::UShr => (unsigned(width, a) >> places) as i64,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
    };
    wrap(width, exact)
}

fn wrap(width: u8, number: i64) -> i64 {
    let spare = 64 - u32::from(width);
    (number << spare) >> spare
}

fn unsigned(width: u8, number: i64) -> u64 {
    let spare = 64 - u32::from(width);
    ((number as u64) << spare) >> spare
}
