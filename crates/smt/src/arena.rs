//! The arena: every expression once, with its sort and its free variables.
//!
//! Expressions are built by the methods of [`Arena`], which simplify as they go (`booleans.rs`, `sums.rs`,
//! `compare.rs`, `bits.rs`), so two expressions that were built alike are the same [`Expr`]. Children are
//! always older than their parents; walks over an expression are loops in order of age and need no deep
//! stack.

use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::bits::{Binary, Resize};
use crate::value::{Sort, Value, wrap};

/// An expression of one [`Arena`]. Equal expressions are equal in normal form; different ones may still mean
/// the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expr(pub(crate) u32);

/// A variable of one [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub(crate) u32);

/// The shape of an expression in normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// True or false.
    Bool(bool),
    /// A number of this sort; bit-vectors are signed.
    Number(Sort, i128),
    /// A variable.
    Var(Var),
    /// Negation of something that is neither constant nor a negation.
    Not(Expr),
    /// Conjunction of at least two members. A disjunction is a negated conjunction of negations.
    And(Box<[Expr]>),
    /// Equality. If the sides are numbers, the right one is constant and the left one has no constant part.
    Eq(Expr, Expr),
    /// The integer on the left is at most the constant. Its first coefficient is positive.
    AtMost(Expr, i128),
    /// Signed “less than” on bit-vectors.
    Less(Expr, Expr),
    /// Unsigned “less than” on bit-vectors.
    Below(Expr, Expr),
    /// The second if the first is true, otherwise the third; never boolean.
    Ite(Expr, Expr, Expr),
    /// `constant + Σ coefficient · term`, wrapped around if it is a bit-vector. Terms are in order.
    Sum {
        /// The constant part.
        constant: i128,
        /// Coefficients, none of them zero, and what they multiply.
        terms: Box<[(i128, Expr)]>,
    },
    /// An operation that is not linear.
    Binary(Binary, Expr, Expr),
    /// A bit-vector made wider or narrower, to this width.
    Resize(Resize, u8, Expr),
}

/// Number of a set of variables in [`Arena::sets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SetId(u32);

#[derive(Clone, Debug)]
struct Entry {
    node: Node,
    sort: Sort,
    variables: SetId,
}

#[derive(Clone, Debug)]
struct Declaration {
    name: Box<str>,
    sort: Sort,
}

/// Home of expressions and variables. It cannot be copied: two copies would give one number to different
/// expressions.
#[derive(Debug)]
pub struct Arena {
    identity: u64,
    entries: Vec<Entry>,
    known: FxHashMap<Node, Expr>,
    declarations: Vec<Declaration>,
    named: FxHashMap<(Box<str>, Sort), Var>,
    sets: Vec<Box<[Var]>>,
    known_sets: FxHashMap<Box<[Var]>, SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
}

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

impl Arena {
    /// Creates an arena without variables.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut arena = Self {
            identity: NEXT.fetch_add(1, Ordering::Relaxed),
            entries: Vec::new(),
            known: FxHashMap::default(),
            declarations: Vec::new(),
            named: FxHashMap::default(),
            sets: Vec::new(),
            known_sets: FxHashMap::default(),
            unions: FxHashMap::default(),
        };
        arena.set(Vec::new());
        arena.intern(Node::Bool(false), Sort::Bool);
        arena.intern(Node::Bool(true), Sort::Bool);
        arena
    }

    /// A number that no other arena of this process has. A cache of expressions tells by it that it was
    /// handed those of another arena.
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }

    /// Returns the constant `value`.
    pub fn bool(&self, value: bool) -> Expr {
        Expr(u32::from(value))
    }

    /// Returns the mathematical integer `value`.
    pub fn int(&mut self, value: i128) -> Expr {
        self.number(Sort::Int, value)
    }

    /// Returns the last `width` bits of `value` as a bit-vector.
    ///
    /// # Panics
    /// If `width` is not between 1 and 64.
    pub fn bits(&mut self, width: u8, value: i64) -> Expr {
        assert!((1..=64).contains(&width), "bit-vectors have 1 to 64 bits, not {width}");
        self.number(Sort::Bits(width), i128::from(value))
    }

    /// Returns the constant `value`.
    pub fn value(&mut self, value: Value) -> Expr {
        match value {
            Value::Bool(value) => self.bool(value),
            Value::Int(value) => self.int(value),
            Value::Bits { width, value } => self.bits(width, value),
        }
    }

    pub(crate) fn number(&mut self, sort: Sort, value: i128) -> Expr {
        let value = match sort {
            Sort::Bits(width) => wrap(width, value),
            _ => value,
        };
        self.intern(Node::Number(sort, value), sort)
    }

    /// Returns the variable with this name and sort, the same one each time.
    ///
    /// # Panics
    /// If `sort` is a bit-vector of no width or more than 64 bits.
    pub fn var(&mut self, name: &str, sort: Sort) -> Expr {
        if let Sort::Bits(width) = sort {
            assert!((1..=64).contains(&width), "bit-vectors have 1 to 64 bits, not {width}");
        }
        let var = match self.named.get(&(Box::from(name), sort)) {
            Some(&var) => var,
            None => {
                let var = Var(number_of(self.declarations.len()));
                self.declarations.push(Declaration { name: name.into(), sort });
                self.named.insert((name.into(), sort), var);
                var
            }
        };
        self.intern(Node::Var(var), sort)
    }

    /// Returns `var` as an expression.
    pub fn var_expr(&mut self, var: Var) -> Expr {
        let sort = self.var_sort(var);
        self.intern(Node::Var(var), sort)
    }

    /// Returns the name that the variable was made with.
    pub fn name(&self, var: Var) -> &str {
        &self.declarations[var.0 as usize].name
    }

    /// Returns the sort that the variable was made with.
    pub fn var_sort(&self, var: Var) -> Sort {
        self.declarations[var.0 as usize].sort
    }

    /// Returns the shape of the expression.
    pub fn node(&self, expr: Expr) -> &Node {
        &self.entries[expr.0 as usize].node
    }

    /// Returns the sort of the expression.
    pub fn sort(&self, expr: Expr) -> Sort {
        self.entries[expr.0 as usize].sort
    }

    /// Returns the width of a bit-vector.
    ///
    /// # Panics
    /// If the expression is not a bit-vector.
    pub fn width(&self, expr: Expr) -> u8 {
        match self.sort(expr) {
            Sort::Bits(width) => width,
            other => panic!("a bit-vector is needed here, not {other:?}: {}", self.show(expr)),
        }
    }

    /// Returns the variables in the expression, in order.
    pub fn variables(&self, expr: Expr) -> &[Var] {
        &self.sets[self.entries[expr.0 as usize].variables.0 as usize]
    }

    /// Returns the truth value of a constant.
    pub fn as_bool(&self, expr: Expr) -> Option<bool> {
        match self.node(expr) {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the value of a constant.
    pub fn as_value(&self, expr: Expr) -> Option<Value> {
        match self.node(expr) {
            Node::Bool(value) => Some(Value::Bool(*value)),
            Node::Number(sort, value) => Some(Value::number(*sort, *value)),
            _ => None,
        }
    }

    pub(crate) fn as_number(&self, expr: Expr) -> Option<i128> {
        match self.node(expr) {
            Node::Number(_, value) => Some(*value),
            _ => None,
        }
    }

    /// Returns every expression inside of `roots`, themselves included, children before parents.
    pub fn parts(&self, roots: &[Expr]) -> Vec<Expr> {
        let mut seen: FxHashSet<Expr> = roots.iter().copied().collect();
        let mut open: Vec<Expr> = seen.iter().copied().collect();
        while let Some(expr) = open.pop() {
            self.each_child(expr, |child| {
                if seen.insert(child) {
                    open.push(child);
                }
            });
        }
        let mut parts: Vec<Expr> = seen.into_iter().collect();
        parts.sort_unstable();
        parts
    }

    pub(crate) fn each_child(&self, expr: Expr, mut visit: impl FnMut(Expr)) {
        match self.node(expr) {
            Node::Bool(_) | Node::Number(..) | Node::Var(_) => {}
            Node::Not(a) | Node::AtMost(a, _) | Node::Resize(_, _, a) => visit(*a),
            Node::And(members) => members.iter().for_each(|&member| visit(member)),
            Node::Eq(a, b) | Node::Less(a, b) | Node::Below(a, b) | Node::Binary(_, a, b) => {
                visit(*a);
                visit(*b);
            }
            Node::Ite(condition, a, b) => [*condition, *a, *b].into_iter().for_each(visit),
            Node::Sum { terms, .. } => terms.iter().for_each(|&(_, term)| visit(term)),
        }
    }

    /// Returns the expression with this shape, which must be in normal form.
    pub(crate) fn intern(&mut self, node: Node, sort: Sort) -> Expr {
        if let Some(&expr) = self.known.get(&node) {
            return expr;
        }
        let expr = Expr(number_of(self.entries.len()));
        self.entries.push(Entry { node: node.clone(), sort, variables: SetId(0) });
        let mut variables = SetId(0);
        if let Node::Var(var) = node {
            variables = self.set(vec![var]);
        } else {
            let mut children = Vec::new();
            self.each_child(expr, |child| children.push(child));
            for child in children {
                variables = self.union(variables, self.entries[child.0 as usize].variables);
            }
        }
        self.entries[expr.0 as usize].variables = variables;
        self.known.insert(node, expr);
        expr
    }

    /// Returns the negation of `a` if somebody has built it.
    pub(crate) fn known_not(&self, a: Expr) -> Option<Expr> {
        self.known.get(&Node::Not(a)).copied()
    }

    fn set(&mut self, variables: Vec<Var>) -> SetId {
        let variables: Box<[Var]> = variables.into();
        if let Some(&id) = self.known_sets.get(&variables) {
            return id;
        }
        let id = SetId(number_of(self.sets.len()));
        self.sets.push(variables.clone());
        self.known_sets.insert(variables, id);
        id
    }

    fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b.0 == 0 {
            return a;
        }
        if a.0 == 0 {
            return b;
        }
        if let Some(&id) = self.unions.get(&(a, b)) {
            return id;
        }
        let mut both: Vec<Var> =
            self.sets[a.0 as usize].iter().chain(&self.sets[b.0 as usize]).copied().collect();
        both.sort_unstable();
        both.dedup();
        let id = self.set(both);
        self.unions.insert((a, b), id);
        id
    }
}

fn number_of(length: usize) -> u32 {
    u32::try_from(length).expect("four billion expressions do not fit into memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_expressions_are_one() {
        let mut arena = Arena::new();
        let (x, y) = (arena.var("x", Sort::Int), arena.var("y", Sort::Int));
        assert_eq!(arena.var("x", Sort::Int), x);
        assert_ne!(arena.var("x", Sort::Bits(32)), x);
        assert_eq!(arena.add(x, y), arena.add(y, x));
    }

    #[test]
    fn a_width_is_a_part_of_a_resized_expression() {
        let mut arena = Arena::new();
        let x = arena.var("x", Sort::Bits(8));
        let (short, int) = (arena.sign_extend(x, 16), arena.sign_extend(x, 32));
        assert_ne!(short, int);
        assert_eq!((arena.width(short), arena.width(int)), (16, 32));
        assert_eq!(arena.sign_extend(x, 16), short);
    }

    #[test]
    fn free_variables_are_known() {
        let mut arena = Arena::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| arena.var(name, Sort::Int));
        let sum = arena.add(x, y);
        let twice = arena.add(sum, x);
        let both = arena.eq(twice, z);
        let names = |arena: &Arena, expr| {
            arena.variables(expr).iter().map(|&var| arena.name(var).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(&arena, twice), ["x", "y"]);
        assert_eq!(names(&arena, both), ["x", "y", "z"]);
        let gone = arena.sub(twice, twice);
        assert!(arena.variables(gone).is_empty());
    }
}
