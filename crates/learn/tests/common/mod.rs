//! Components written as summaries by hand, and a solver for tests.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::time::Duration;

use adit_learn::regions::Regions;
use adit_learn::{Component, End, Field, Kind, Method, Parameter, Path, Role};
use adit_smt::{Arena, Expr, Frugal, Patience, Process, Value};

/// The solver of this machine, or none.
pub(crate) fn solver() -> Option<Frugal<Regions<Process>>> {
    let path = std::env::var_os("PATH")?;
    let program = std::env::split_paths(&path).map(|folder| folder.join("z3")).find(|file| file.is_file());
    #[expect(clippy::print_stderr, reason = "a test that does not run says so")]
    match program {
        Some(program) => {
            Some(Frugal::new(Regions::new(Process::new(program, Patience(Duration::from_secs(5))))))
        }
        None => {
            eprintln!("NOT RUN: there is no z3");
            None
        }
    }
}

/// A component that is being written.
pub(crate) struct Draft {
    pub(crate) arena: Arena,
    fields: Vec<Field>,
    methods: Vec<Method>,
}

impl Draft {
    pub(crate) fn new() -> Self {
        Self { arena: Arena::new(), fields: Vec::new(), methods: Vec::new() }
    }

    /// Declares a field with value zero or false.
    pub(crate) fn field(&mut self, name: &str, kind: Kind) -> Expr {
        let expr = self.arena.var(name, kind.sort());
        let initial = adit_learn::value(kind.sort(), 0);
        let var = self.arena.variables(expr)[0];
        self.fields.push(Field { name: name.to_owned(), kind, var, initial });
        expr
    }

    /// Declares a method and returns its parameters.
    pub(crate) fn method(&mut self, name: &str, role: Role, parameters: &[(&str, Kind)]) -> Vec<Expr> {
        let mut exprs = Vec::new();
        let mut declared = Vec::new();
        let number = self.methods.len();
        for &(parameter, kind) in parameters {
            let expr = self.arena.var(&format!("{parameter}${number}"), kind.sort());
            let var = self.arena.variables(expr)[0];
            declared.push(Parameter { name: parameter.to_owned(), kind, var });
            exprs.push(expr);
        }
        self.methods.push(Method { name: name.to_owned(), role, parameters: declared, paths: Vec::new() });
        exprs
    }

    /// Adds a path to the method declared last: fields are given by name.
    pub(crate) fn path(&mut self, condition: Expr, updates: &[(&str, Expr)], end: End) {
        let updates = updates
            .iter()
            .map(|&(name, value)| {
                let field =
                    self.fields.iter().position(|field| field.name == name).expect("a declared field");
                (field, value)
            })
            .collect();
        self.methods.last_mut().expect("a declared method").paths.push(Path { condition, updates, end });
    }

    /// Adds a path that succeeds if `condition` holds, and one that fails otherwise.
    pub(crate) fn only_if(&mut self, condition: Expr, updates: &[(&str, Expr)]) {
        self.path(condition, updates, End::Ok);
        let otherwise = self.arena.not(condition);
        self.path(otherwise, &[], error());
    }

    /// Adds a path that always succeeds.
    pub(crate) fn always(&mut self, updates: &[(&str, Expr)]) {
        let condition = self.arena.bool(true);
        self.path(condition, updates, End::Ok);
    }

    pub(crate) fn int(&mut self, value: i64) -> Expr {
        self.arena.value(Value::Bits { width: 32, value })
    }

    pub(crate) fn is(&mut self, expr: Expr, value: i64) -> Expr {
        let value = self.int(value);
        self.arena.eq(expr, value)
    }

    pub(crate) fn build(self, class: &str) -> Component {
        Component::new(class.to_owned(), self.arena, self.fields, self.methods)
    }
}

pub(crate) fn error() -> End {
    End::Error("AssertionError".to_owned())
}

/// The motivating example of the paper (Figure 1).
pub(crate) fn stream() -> Component {
    let mut draft = Draft::new();
    let sink = draft.field("sink", Kind::Int);
    draft.field("sinkConnected", Kind::Boolean);
    draft.method("Stream", Role::Constructor, &[]);
    draft.always(&[]);
    let parameters =
        draft.method("connect", Role::Instance, &[("snk", Kind::Int), ("snkConnected", Kind::Boolean)]);
    let [snk, connected] = parameters[..] else { unreachable!() };
    let (null, free) = (draft.is(snk, 0), draft.is(sink, 0));
    let (some, taken, not_connected) =
        (draft.arena.not(null), draft.arena.not(free), draft.arena.not(connected));
    draft.path(null, &[], error());
    let condition = draft.arena.and(&[some, taken]);
    draft.path(condition, &[], error());
    let condition = draft.arena.and(&[some, free, connected]);
    draft.path(condition, &[], error());
    let condition = draft.arena.and(&[some, free, not_connected]);
    let yes = draft.arena.bool(true);
    draft.path(condition, &[("sink", snk), ("sinkConnected", yes)], End::Ok);
    draft.method("write", Role::Instance, &[]);
    draft.only_if(taken, &[]);
    for name in ["flush", "close"] {
        draft.method(name, Role::Instance, &[]);
        draft.path(free, &[], End::Ok);
        draft.path(taken, &[], End::Ok);
    }
    draft.build("Stream")
}

/// A signature object: 0 is uninitialized, 1 signs, 2 verifies.
pub(crate) fn signature() -> Component {
    let mut draft = Draft::new();
    let state = draft.field("state", Kind::Int);
    let [none, sign, verify] = [0, 1, 2].map(|value| draft.int(value));
    let is_none = draft.arena.eq(state, none);
    let ready = draft.arena.not(is_none);
    draft.method("Signature", Role::Constructor, &[]);
    draft.always(&[]);
    draft.method("initSign", Role::Instance, &[]);
    draft.always(&[("state", sign)]);
    draft.method("initVerify", Role::Instance, &[]);
    draft.always(&[("state", verify)]);
    draft.method("sign", Role::Instance, &[]);
    let condition = draft.arena.eq(state, sign);
    draft.only_if(condition, &[]);
    draft.method("verify", Role::Instance, &[]);
    let condition = draft.arena.eq(state, verify);
    draft.only_if(condition, &[]);
    draft.method("update", Role::Instance, &[]);
    draft.only_if(ready, &[]);
    draft.build("Signature")
}

/// The alternating bit protocol, with parity by `& 1` or by `% 2`.
pub(crate) fn alternating_bit(remainder: bool) -> Component {
    let mut draft = Draft::new();
    let expect = draft.field("expect", Kind::Int);
    let full = draft.field("full", Kind::Boolean);
    let parity = |draft: &mut Draft, number: Expr| {
        if remainder {
            let two = draft.int(2);
            draft.arena.rem(number, two)
        } else {
            let one = draft.int(1);
            draft.arena.bit_and(number, one)
        }
    };
    let (one, yes, no) = (draft.int(1), draft.arena.bool(true), draft.arena.bool(false));
    draft.method("AltBit", Role::Constructor, &[]);
    draft.always(&[]);
    let seq = draft.method("msg", Role::Instance, &[("seq", Kind::Int), ("content", Kind::Int)])[0];
    let (wanted, given) = (parity(&mut draft, expect), parity(&mut draft, seq));
    let same = draft.arena.eq(wanted, given);
    let empty = draft.arena.not(full);
    let condition = draft.arena.and(&[empty, same]);
    let next = draft.arena.add(expect, one);
    draft.only_if(condition, &[("expect", next), ("full", yes)]);
    let ack = draft.method("recv_ack", Role::Instance, &[("v", Kind::Int)])[0];
    let last = draft.arena.sub(expect, one);
    let wanted = parity(&mut draft, last);
    let same = draft.arena.eq(wanted, ack);
    let condition = draft.arena.and(&[full, same]);
    draft.only_if(condition, &[("full", no)]);
    draft.build("AltBit")
}

/// The accelerometer: a division decides later outcomes, and readings do not matter.
pub(crate) fn accelerometer() -> Component {
    let mut draft = Draft::new();
    let delta = draft.field("delta", Kind::Int);
    let connected = draft.field("connected", Kind::Boolean);
    let listener = draft.field("listener", Kind::Boolean);
    let accumulated = draft.field("accX", Kind::Int);
    let (yes, no) = (draft.arena.bool(true), draft.arena.bool(false));
    draft.method("AccMeter()", Role::Constructor, &[]);
    draft.always(&[]);
    let sens =
        draft.method("AccMeter(int, int)", Role::Constructor, &[("samples", Kind::Int), ("sens", Kind::Int)])
            [1];
    let zero = draft.is(sens, 0);
    let fine = draft.arena.not(zero);
    let thousand = draft.int(1000);
    let quotient = draft.arena.div(thousand, sens);
    draft.only_if(fine, &[("delta", quotient)]);
    draft.method("init", Role::Instance, &[("n", Kind::Int)]);
    draft.always(&[]);
    let wish = draft.method("connect", Role::Instance, &[("l", Kind::Boolean)])[0];
    draft.path(connected, &[], End::Ok);
    let free = draft.arena.not(connected);
    let either = draft.arena.or(&[wish, listener]);
    draft.path(free, &[("connected", yes), ("listener", either)], End::Ok);
    draft.method("disconnect", Role::Instance, &[]);
    draft.only_if(connected, &[("connected", no), ("listener", no)]);
    draft.method("update", Role::Instance, &[]);
    draft.only_if(connected, &[]);
    let none = draft.is(delta, 0);
    let some = draft.arena.not(none);
    for name in ["getValueX", "getValueY"] {
        draft.method(name, Role::Instance, &[]);
        draft.only_if(some, &[]);
    }
    let x = draft.method("dataReceived", Role::Instance, &[("x", Kind::Int), ("y", Kind::Int)])[0];
    let sum = draft.arena.add(accumulated, x);
    draft.only_if(listener, &[("accX", sum)]);
    draft.build("AccMeter")
}

/// A lock with an owner: what `unlock` needs is an argument of `lock`.
pub(crate) fn lock() -> Component {
    let mut draft = Draft::new();
    let owner = draft.field("owner", Kind::Int);
    draft.method("Lock", Role::Constructor, &[]);
    draft.always(&[]);
    let token = draft.method("lock", Role::Instance, &[("token", Kind::Int)])[0];
    let (free, null) = (draft.is(owner, 0), draft.is(token, 0));
    let given = draft.arena.not(null);
    let condition = draft.arena.and(&[free, given]);
    draft.only_if(condition, &[("owner", token)]);
    let token = draft.method("unlock", Role::Instance, &[("token", Kind::Int)])[0];
    let (same, taken) = (draft.arena.eq(owner, token), draft.arena.not(free));
    let zero = draft.int(0);
    draft.path(free, &[], error());
    let condition = draft.arena.and(&[taken, same]);
    draft.path(condition, &[("owner", zero)], End::Ok);
    let different = draft.arena.not(same);
    let condition = draft.arena.and(&[taken, different]);
    draft.path(condition, &[], error());
    draft.build("Lock")
}

/// A counter that must not go below zero and has no limit, or this one.
pub(crate) fn counter(limit: Option<i64>) -> Component {
    let mut draft = Draft::new();
    let count = draft.field("count", Kind::Int);
    let (zero, one) = (draft.int(0), draft.int(1));
    draft.method("Counter", Role::Constructor, &[]);
    draft.always(&[]);
    draft.method("up", Role::Instance, &[]);
    let more = draft.arena.add(count, one);
    match limit {
        Some(limit) => {
            let limit = draft.int(limit);
            let condition = draft.arena.lt(count, limit);
            draft.only_if(condition, &[("count", more)]);
        }
        None => draft.always(&[("count", more)]),
    }
    draft.method("down", Role::Instance, &[]);
    let less = draft.arena.sub(count, one);
    let condition = draft.arena.gt(count, zero);
    draft.only_if(condition, &[("count", less)]);
    draft.build("Counter")
}

/// A small random component. Constants lie between 0 and 3, so that the arguments -1 to 4 are all that
/// matter; parameters are stored, but never compared with fields.
pub(crate) fn random(seed: u64) -> Component {
    random_with(seed, None)
}

/// A random component in which one decision, given by its number, is turned around.
pub(crate) fn random_with(seed: u64, mutated: Option<usize>) -> Component {
    let mut draft = Draft::new();
    let mut dice = Dice { seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, decisions: 0, mutated };
    draft.field("a", Kind::Int);
    draft.field("b", Kind::Int);
    draft.field("flag", Kind::Boolean);
    draft.method("Random", Role::Constructor, &[]);
    draft.always(&[]);
    for method in 0..2 + dice.roll(3) {
        let kinds = [("x", Kind::Int), ("y", Kind::Boolean)];
        let parameters = draft.method(&format!("m{method}"), Role::Instance, &kinds[..dice.roll(3)]);
        let condition = draft.arena.bool(true);
        dice.grow(&mut draft, &parameters, condition, 3);
    }
    draft.build("Random")
}

/// A source of numbers that look random.
pub(crate) struct Dice {
    seed: u64,
    decisions: usize,
    mutated: Option<usize>,
}

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as usize % sides
    }

    /// Adds the paths of a random decision tree.
    fn grow(&mut self, draft: &mut Draft, parameters: &[Expr], condition: Expr, depth: usize) {
        let [a, b] = ["a", "b"].map(|name| draft.arena.var(name, Kind::Int.sort()));
        let flag = draft.arena.var("flag", Kind::Boolean.sort());
        if depth == 0 || self.roll(4) == 0 {
            let value = match self.roll(4) {
                0 => b,
                1 => parameters.first().copied().unwrap_or(a),
                constant => draft.int(constant as i64),
            };
            let turned = draft.arena.not(flag);
            match self.roll(8) {
                0 | 1 => draft.path(condition, &[], error()),
                2 => draft.path(condition, &[], End::Unknown("a native method".to_owned())),
                3 => draft.path(condition, &[("a", value)], End::Ok),
                4 => draft.path(condition, &[("b", value)], End::Ok),
                5 => draft.path(condition, &[("flag", turned), ("a", value)], End::Ok),
                _ => draft.path(condition, &[("flag", turned)], End::Ok),
            }
            return;
        }
        let subject = match self.roll(5) {
            0 => a,
            1 => b,
            2 => flag,
            _ if parameters.is_empty() => a,
            at => parameters[at % parameters.len()],
        };
        let constant = self.roll(4) as i64;
        let constant = draft.int(constant);
        let less = self.roll(2) == 0;
        let decision = match draft.arena.sort(subject) {
            adit_smt::Sort::Bool => subject,
            _ if less => draft.arena.lt(subject, constant),
            _ => draft.arena.eq(subject, constant),
        };
        let turned = self.mutated == Some(self.decisions);
        self.decisions += 1;
        let decision = if turned { draft.arena.not(decision) } else { decision };
        let otherwise = draft.arena.not(decision);
        for side in [decision, otherwise] {
            let condition = draft.arena.and(&[condition, side]);
            self.grow(draft, parameters, condition, depth - 1);
        }
    }
}
