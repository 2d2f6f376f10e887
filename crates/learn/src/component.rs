//! Components: fields, methods, and for each method a symbolic summary of what it does.
//!
//! Paper: `xpsyco`, section 3.2: components, symbolic method paths and summaries.
//! Deviation: a constructor is a method too, legal as the first call only. A hidden field that says if the
//! object exists expresses that, so that nothing else has to know about constructors. Primed variables are
//! replaced by updates, since every path assigns an expression over the values before the call.
//! Cost: linear in the size of the summaries.

use std::collections::{BTreeMap, BTreeSet};

use adit_smt::{Arena, Expr, Sort, Value, Var};

use crate::lts::WordOutcome;

/// The type of a field or parameter, as far as summaries know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `boolean`, a truth value.
    Boolean,
    /// `byte`, 8 bits.
    Byte,
    /// `short`, 16 bits.
    Short,
    /// `char`, 16 bits, to be extended with zeros.
    Char,
    /// `int`, 32 bits.
    Int,
    /// `long`, 64 bits.
    Long,
    /// A reference: 32 bits that identify the object, where 0 is `null`.
    Reference,
}

impl Kind {
    /// The sort of variables of this kind. Every value of the sort is a value of the kind.
    pub fn sort(self) -> Sort {
        match self {
            Kind::Boolean => Sort::Bool,
            Kind::Byte => Sort::Bits(8),
            Kind::Short | Kind::Char => Sort::Bits(16),
            Kind::Int | Kind::Reference => Sort::Bits(32),
            Kind::Long => Sort::Bits(64),
        }
    }
}

/// A variable of the component's state: a field, or a field of an object that only this component holds.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name that readers see, such as `sink` or `flags.docked`.
    pub name: String,
    /// Its type.
    pub kind: Kind,
    /// The variable that stands for its value before a call, in conditions and updates.
    pub var: Var,
    /// Its value before any constructor ran.
    pub initial: Value,
}

/// A parameter of a method.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name in the source, or `p0`, `p1` and so on.
    pub name: String,
    /// Its type.
    pub kind: Kind,
    /// The variable that stands for its value. No two methods share one.
    pub var: Var,
}

/// The way in which a method is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A constructor: legal once, as the first call.
    Constructor,
    /// A method of the object: legal after a constructor.
    Instance,
    /// A method of the class: legal at any time.
    Static,
}

/// The end of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// The call returns.
    Ok,
    /// The call throws; the name of the exception.
    Error(String),
    /// The analysis stopped; the reason, for readers.
    Unknown(String),
}

impl End {
    /// The outcome of a call that takes the path.
    pub fn outcome(&self) -> WordOutcome {
        match self {
            End::Ok => WordOutcome::Ok,
            End::Error(_) => WordOutcome::Error,
            End::Unknown(_) => WordOutcome::Unknown,
        }
    }
}

/// A symbolic method path: what a call does if its condition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The condition on fields and parameters. Conditions of a method's paths exclude each other and cover
    /// all values.
    pub condition: Expr,
    /// New values of fields, by index, over the values before the call. The others keep theirs. Only a path
    /// that ends well has updates.
    pub updates: Vec<(usize, Expr)>,
    /// The end of the path.
    pub end: End,
}

/// A method or constructor with its summary.
#[derive(Clone, Debug)]
pub struct Method {
    /// The name that readers see: `connect`, or the simple name of the class for a constructor. Overloads
    /// have their parameter types, `connect(int)`.
    pub name: String,
    /// The way in which it is called.
    pub role: Role,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Its summary.
    pub paths: Vec<Path>,
}

/// A component: the expressions of its summaries live in its arena.
#[derive(Debug)]
pub struct Component {
    /// The full name of the class.
    pub class: String,
    /// The home of all expressions.
    pub arena: Arena,
    /// The state, the hidden field that says if the object exists last.
    pub fields: Vec<Field>,
    /// Methods and constructors, in the order of the source.
    pub methods: Vec<Method>,
    /// String constants of the code. The content of a string argument is the place of the one that it equals.
    pub texts: Vec<String>,
}

/// Concrete execution of calls. The interpreter of bytecode is one, [`crate::compiled::Compiled`] another.
pub trait Execute {
    /// Calls `method` on an object with these `fields`. They hold the values after the call if it succeeds,
    /// and anything otherwise. Truth values are 0 and 1, and numbers are signed.
    fn call(&mut self, method: usize, arguments: &[i64], fields: &mut [i64]) -> WordOutcome;
}

/// The name of the hidden field. It cannot be the name of a field in Java.
const EXISTS: &str = "this exists";

impl Component {
    /// A component from the summaries of its methods, which say nothing about constructors coming first: that
    /// is added here, if there is any method that needs an object.
    pub fn new(class: String, mut arena: Arena, mut fields: Vec<Field>, mut methods: Vec<Method>) -> Self {
        let exists = arena.var(EXISTS, Sort::Bool);
        let missing = arena.not(exists);
        let index = fields.len();
        let var = arena.variables(exists)[0];
        // Methods of the class are called without an object. Where all methods are, there is nothing to hide,
        // but the field does no harm: nothing reads or writes it.
        fields.push(Field { name: EXISTS.to_owned(), kind: Kind::Boolean, var, initial: Value::Bool(false) });
        for method in &mut methods {
            let (required, otherwise, refusal) = match method.role {
                Role::Static => continue,
                Role::Constructor => (missing, exists, "a constructor is the first call"),
                Role::Instance => (exists, missing, "there is no object yet"),
            };
            for path in &mut method.paths {
                path.condition = arena.and(&[required, path.condition]);
                if method.role == Role::Constructor && path.end == End::Ok {
                    path.updates.push((index, arena.bool(true)));
                }
            }
            method.paths.push(Path {
                condition: otherwise,
                updates: Vec::new(),
                end: End::Error(refusal.to_owned()),
            });
        }
        let mut component = Self { class, arena, fields, methods, texts: Vec::new() };
        for method in 0..component.methods.len() {
            component.merge_paths(method);
        }
        component
    }

    /// The index of the hidden field that says if the object exists.
    pub fn exists(&self) -> usize {
        self.fields.len() - 1
    }

    /// Joins paths of equal effect: same end, same updates. Updates that change nothing are dropped first.
    fn merge_paths(&mut self, method: usize) {
        let paths = std::mem::take(&mut self.methods[method].paths);
        let mut merged: Vec<Path> = Vec::new();
        for mut path in paths {
            if self.arena.as_bool(path.condition) == Some(false) {
                continue;
            }
            if path.end == End::Ok {
                path.updates.sort_by_key(|&(field, _)| field);
                let same = |&(field, value): &(usize, Expr)| {
                    self.arena.node(value) != &adit_smt::Node::Var(self.fields[field].var)
                };
                path.updates.retain(same);
            } else {
                path.updates.clear();
            }
            let twin = merged.iter_mut().find(|other| other.end == path.end && other.updates == path.updates);
            match twin {
                Some(other) => other.condition = self.arena.or(&[other.condition, path.condition]),
                None => merged.push(path),
            }
        }
        self.methods[method].paths = merged;
    }

    /// The component without fields on which no outcome depends, directly or through other fields.
    ///
    /// Relevant are the fields in conditions, once paths of equal effect are joined, and those that flow into
    /// relevant ones. Dropping a field makes more paths equal, so this repeats until nothing changes.
    pub fn slice(mut self) -> Self {
        loop {
            let relevant = self.relevant_fields();
            let mut changed = false;
            for method in 0..self.methods.len() {
                for path in &mut self.methods[method].paths {
                    let before = path.updates.len();
                    path.updates.retain(|(field, _)| relevant.contains(field));
                    changed |= path.updates.len() < before;
                }
                self.merge_paths(method);
            }
            if !changed {
                return self;
            }
        }
    }

    /// Fields on which some outcome may depend.
    pub fn relevant_fields(&self) -> BTreeSet<usize> {
        let index: BTreeMap<Var, usize> =
            self.fields.iter().enumerate().map(|(at, field)| (field.var, at)).collect();
        let mentioned = |expr: Expr| -> Vec<usize> {
            self.arena.variables(expr).iter().filter_map(|var| index.get(var).copied()).collect()
        };
        let mut relevant = BTreeSet::from([self.exists()]);
        let paths = || self.methods.iter().flat_map(|method| &method.paths);
        loop {
            let before = relevant.len();
            for method in &self.methods {
                // A method with a single path does the same whatever its condition says.
                for path in method.paths.iter().filter(|_| method.paths.len() > 1) {
                    relevant.extend(mentioned(path.condition));
                }
            }
            for path in paths() {
                for &(field, value) in &path.updates {
                    if relevant.contains(&field) {
                        relevant.extend(mentioned(value));
                    }
                }
            }
            if relevant.len() == before {
                return relevant;
            }
        }
    }

    /// Fields that a call of `method` may read, for its outcome or for the new value of a field.
    pub fn reads(&self, method: usize) -> BTreeSet<usize> {
        let mut read = BTreeSet::new();
        for path in &self.methods[method].paths {
            for expr in std::iter::once(path.condition).chain(path.updates.iter().map(|&(_, value)| value)) {
                let variables = self.arena.variables(expr);
                read.extend(
                    (0..self.fields.len()).filter(|&field| variables.contains(&self.fields[field].var)),
                );
            }
        }
        read
    }

    /// Fields that a call of `method` may change.
    pub fn writes(&self, method: usize) -> BTreeSet<usize> {
        self.methods[method].paths.iter().flat_map(|path| &path.updates).map(|&(field, _)| field).collect()
    }

    /// True if the order of two consecutive calls of these methods does not matter: neither writes what the
    /// other reads or writes.
    pub fn independent(&self, one: usize, other: usize) -> bool {
        let (reads, writes) = (self.reads(one), self.writes(one));
        let (other_reads, other_writes) = (self.reads(other), self.writes(other));
        reads.is_disjoint(&other_writes)
            && writes.is_disjoint(&other_reads)
            && writes.is_disjoint(&other_writes)
    }

    /// The values of all fields before any call.
    pub fn initial(&self) -> Vec<i64> {
        self.fields.iter().map(|field| number(field.initial)).collect()
    }

    /// The reasons of all paths whose end is unknown.
    pub fn limits(&self) -> BTreeSet<String> {
        let paths = self.methods.iter().flat_map(|method| &method.paths);
        paths
            .filter_map(|path| match &path.end {
                End::Unknown(reason) => Some(reason.clone()),
                _ => None,
            })
            .collect()
    }
}

/// A value as concrete execution knows it: truth values are 0 and 1.
pub fn number(value: Value) -> i64 {
    match value {
        Value::Bool(truth) => i64::from(truth),
        Value::Int(number) => i64::try_from(number).expect("no field or parameter is a mathematical integer"),
        Value::Bits { value, .. } => value,
    }
}

/// The value of `sort` that concrete execution knows as `number`.
pub fn value(sort: Sort, number: i64) -> Value {
    match sort {
        Sort::Bool => Value::Bool(number != 0),
        Sort::Int => Value::Int(i128::from(number)),
        Sort::Bits(width) => {
            let spare = 64 - u32::from(width);
            Value::Bits { width, value: (number << spare) >> spare }
        }
    }
}
