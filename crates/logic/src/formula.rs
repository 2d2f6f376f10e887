//! Formulas of linear temporal logic over the events of a finite word.
//!
//! # What a formula means
//!
//! A word is read as if an endless tail followed it in which no event happens. So a formula is true or false
//! of every *suffix* of the word, the empty suffix (the tail) included:
//!
//! | formula | is true of a suffix when |
//! |---|---|
//! | a label `a` | the suffix begins with the event `a`; never on the tail |
//! | `[end]` | the suffix is the tail |
//! | `X φ` | φ is true one event later; on the tail, when φ is true of the tail |
//! | `X[!] φ` | there is a next event, and φ is true there: short for `X(![end] & φ)` |
//! | `X[?] φ` | φ is true at the next event if there is one: short for `X([end] \| φ)` |
//! | `F φ`, `G φ` | φ is true of some suffix, of every suffix from here on |
//! | `φ U ψ` | ψ is true at some time from here on, and φ until then |
//! | `φ W ψ` | the same, or φ is true forever |
//! | `φ R ψ` | ψ is true up to and including the first time φ is, or forever: the dual of `U` |
//! | `φ M ψ` | the same, and φ is true at some time: the dual of `W` |
//!
//! This is how the papers' formulas are meant: `G(a -> X(!b))` and `G(a -> X G !b)` are true of a word that
//! ends with `a`, and `G(a -> X F b)` is not. Texada `texada` reads traces in the same way. Without `[end]`,
//! a formula cannot tell the tail from an event that it does not mention.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

use crate::parse::is_bare;

/// A formula whose atoms are labels of type `L`.
///
/// It is a flat list in reverse Polish notation, each part after its operands, and not a tree of boxes:
/// nothing that is done with a formula recurses, so no formula, however deep, exhausts the stack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Formula<L = String> {
    ops: Vec<Op<L>>,
}

/// One part of a formula: an atom, a constant or an operator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op<L> {
    /// The event with this label happens now.
    Atom(L),
    /// `true`.
    True,
    /// `false`.
    False,
    /// `[end]`: no event happens any more.
    End,
    /// `!φ`.
    Not,
    /// `X φ`.
    Next,
    /// `F φ`.
    Eventually,
    /// `G φ`.
    Always,
    /// `φ & ψ`.
    And,
    /// `φ | ψ`.
    Or,
    /// `φ -> ψ`.
    Implies,
    /// `φ <-> ψ`.
    Iff,
    /// `φ U ψ`.
    Until,
    /// `φ W ψ`.
    WeakUntil,
    /// `φ R ψ`.
    Release,
    /// `φ M ψ`.
    StrongRelease,
}

impl<L> Op<L> {
    /// The number of its operands.
    pub fn arity(&self) -> usize {
        match self {
            Self::Atom(_) | Self::True | Self::False | Self::End => 0,
            Self::Not | Self::Next | Self::Eventually | Self::Always => 1,
            _ => 2,
        }
    }

    /// Its spelling; empty for an atom.
    pub(crate) fn symbol(&self) -> &'static str {
        match self {
            Self::Atom(_) => "",
            Self::True => "true",
            Self::False => "false",
            Self::End => "[end]",
            Self::Not => "!",
            Self::Next => "X",
            Self::Eventually => "F",
            Self::Always => "G",
            Self::And => "&",
            Self::Or => "|",
            Self::Implies => "->",
            Self::Iff => "<->",
            Self::Until => "U",
            Self::WeakUntil => "W",
            Self::Release => "R",
            Self::StrongRelease => "M",
        }
    }

    /// Its binding strength; the documentation of [`Formula::parse`] has the table.
    pub(crate) fn precedence(&self) -> u8 {
        match self {
            Self::Iff => 1,
            Self::Implies => 2,
            Self::Or => 3,
            Self::And => 4,
            Self::Until | Self::WeakUntil | Self::Release | Self::StrongRelease => 5,
            Self::Not | Self::Next | Self::Eventually | Self::Always => 6,
            Self::Atom(_) | Self::True | Self::False | Self::End => 7,
        }
    }

    /// Returns whether `φ op ψ op χ` means `(φ op ψ) op χ`.
    pub(crate) fn groups_left(&self) -> bool {
        matches!(self, Self::And | Self::Or)
    }

    /// The same part with another atom.
    pub(crate) fn with_atom<M>(&self, atom: impl FnOnce(&L) -> M) -> Op<M> {
        match self {
            Self::Atom(label) => Op::Atom(atom(label)),
            Self::True => Op::True,
            Self::False => Op::False,
            Self::End => Op::End,
            Self::Not => Op::Not,
            Self::Next => Op::Next,
            Self::Eventually => Op::Eventually,
            Self::Always => Op::Always,
            Self::And => Op::And,
            Self::Or => Op::Or,
            Self::Implies => Op::Implies,
            Self::Iff => Op::Iff,
            Self::Until => Op::Until,
            Self::WeakUntil => Op::WeakUntil,
            Self::Release => Op::Release,
            Self::StrongRelease => Op::StrongRelease,
        }
    }
}

impl<L> Formula<L> {
    /// The formula that is one atom: the event `label` happens now.
    pub fn atom(label: L) -> Self {
        Self { ops: vec![Op::Atom(label)] }
    }

    /// `true` or `false`.
    pub fn constant(value: bool) -> Self {
        Self { ops: vec![if value { Op::True } else { Op::False }] }
    }

    /// `[end]`: the word is over.
    pub fn end() -> Self {
        Self { ops: vec![Op::End] }
    }

    /// `X self`.
    pub fn next(self) -> Self {
        self.unary(Op::Next)
    }

    /// `F self`.
    pub fn eventually(self) -> Self {
        self.unary(Op::Eventually)
    }

    /// `G self`.
    pub fn always(self) -> Self {
        self.unary(Op::Always)
    }

    /// `self -> then`.
    pub fn implies(self, then: Self) -> Self {
        self.binary(then, Op::Implies)
    }

    /// `self <-> other`.
    pub fn iff(self, other: Self) -> Self {
        self.binary(other, Op::Iff)
    }

    /// `self U goal`.
    pub fn until(self, goal: Self) -> Self {
        self.binary(goal, Op::Until)
    }

    /// `self W goal`.
    pub fn weak_until(self, goal: Self) -> Self {
        self.binary(goal, Op::WeakUntil)
    }

    /// `self R kept`.
    pub fn release(self, kept: Self) -> Self {
        self.binary(kept, Op::Release)
    }

    /// `self M kept`.
    pub fn strong_release(self, kept: Self) -> Self {
        self.binary(kept, Op::StrongRelease)
    }

    /// One of `labels` happens now; `false` when there are none.
    pub fn any_of(labels: impl IntoIterator<Item = L>) -> Self {
        labels.into_iter().map(Self::atom).reduce(|all, one| all | one).unwrap_or(Self::constant(false))
    }

    /// The parts in reverse Polish notation: each after its operands, the outermost last.
    pub fn ops(&self) -> &[Op<L>] {
        &self.ops
    }

    /// The outermost part.
    pub fn root(&self) -> &Op<L> {
        self.ops.last().expect("a formula has at least one part")
    }

    /// The operands of the outermost part: none, one or two formulas.
    ///
    /// ```
    /// # use adit_logic::{Formula, Op};
    /// let formula = Formula::parse("G(a -> X b)").expect("well formed");
    /// assert_eq!(formula.root(), &Op::Always);
    /// let body = formula.operands().remove(0);
    /// assert_eq!(body.root(), &Op::Implies);
    /// assert_eq!(body.operands()[1].to_string(), "X b");
    /// ```
    pub fn operands(&self) -> Vec<Self>
    where
        L: Clone,
    {
        let sides = operand_positions(&self.ops);
        let part = |at: usize| {
            // The parts of a subformula stand together: they begin where its leftmost leaf is.
            let mut start = at;
            while self.ops[start].arity() > 0 {
                start = sides[start].0;
            }
            Self { ops: self.ops[start..=at].to_vec() }
        };
        let root = self.ops.len() - 1;
        let (left, right) = sides[root];
        match self.ops[root].arity() {
            0 => Vec::new(),
            1 => vec![part(right)],
            _ => vec![part(left), part(right)],
        }
    }

    /// The labels that the formula mentions.
    pub fn atoms(&self) -> BTreeSet<&L>
    where
        L: Ord,
    {
        self.labels().collect()
    }

    /// The labels as they stand from left to right, repeated ones repeatedly.
    pub fn labels(&self) -> impl Iterator<Item = &L> {
        self.ops.iter().filter_map(|op| if let Op::Atom(label) = op { Some(label) } else { None })
    }

    /// The formula with every atom replaced by another formula.
    pub fn substitute<M>(&self, mut atom: impl FnMut(&L) -> Formula<M>) -> Formula<M> {
        let mut ops = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            match op {
                Op::Atom(label) => ops.append(&mut atom(label).ops),
                other => ops.push(other.with_atom(|_| unreachable!("atoms are handled above"))),
            }
        }
        Formula { ops }
    }

    /// The formula with other labels.
    pub fn map<M>(&self, mut label: impl FnMut(&L) -> M) -> Formula<M> {
        Formula { ops: self.ops.iter().map(|op| op.with_atom(&mut label)).collect() }
    }

    /// A formula from its parts, which must be well-formed reverse Polish notation.
    pub(crate) fn from_ops(ops: Vec<Op<L>>) -> Self {
        debug_assert_eq!(
            ops.iter().try_fold(0usize, |depth, op| Some(depth.checked_sub(op.arity())? + 1)),
            Some(1),
            "operands come before their operator, and one value is left"
        );
        Self { ops }
    }

    fn unary(mut self, op: Op<L>) -> Self {
        self.ops.push(op);
        self
    }

    fn binary(mut self, mut right: Self, op: Op<L>) -> Self {
        self.ops.append(&mut right.ops);
        self.ops.push(op);
        self
    }
}

impl<L> Not for Formula<L> {
    type Output = Self;

    fn not(self) -> Self {
        self.unary(Op::Not)
    }
}

impl<L> BitAnd for Formula<L> {
    type Output = Self;

    fn bitand(self, right: Self) -> Self {
        self.binary(right, Op::And)
    }
}

impl<L> BitOr for Formula<L> {
    type Output = Self;

    fn bitor(self, right: Self) -> Self {
        self.binary(right, Op::Or)
    }
}

/// For each part, where its left and right operands stand; both are the same for one operand, and the part
/// itself for none.
pub(crate) fn operand_positions<L>(ops: &[Op<L>]) -> Vec<(usize, usize)> {
    let mut open = Vec::new();
    ops.iter()
        .enumerate()
        .map(|(at, op)| {
            let mut operand = || open.pop().expect("operands come before their operator");
            let sides = match op.arity() {
                0 => (at, at),
                1 => {
                    let only = operand();
                    (only, only)
                }
                _ => {
                    let right = operand();
                    (operand(), right)
                }
            };
            open.push(at);
            sides
        })
        .collect()
}

/// Prints the formula so that parsing gives the same formula back; labels are quoted where they must be.
///
/// Parentheses that precedence makes needless are left out, but stay around `U`, `W`, `R` and `M` inside
/// another operator of two sides, and around `X`, `F` and `G` inside these, because few readers know how
/// tightly these bind.
impl<L: fmt::Display> fmt::Display for Formula<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Task {
            /// Print the part at this place, in parentheses unless it binds at least this tightly.
            Part(usize, u8),
            Text(&'static str),
        }
        let sides = operand_positions(&self.ops);
        let mut tasks = vec![Task::Part(self.ops.len() - 1, 0)];
        while let Some(task) = tasks.pop() {
            let (at, least) = match task {
                Task::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Task::Part(at, least) => (at, least),
            };
            let op = &self.ops[at];
            let (left, right) = sides[at];
            let own = op.precedence();
            if own < least {
                f.write_str("(")?;
                tasks.push(Task::Text(")"));
            }
            match op.arity() {
                0 => {
                    if let Op::Atom(label) = op {
                        write_label(f, &label.to_string())?;
                    } else {
                        f.write_str(op.symbol())?;
                    }
                }
                1 => {
                    f.write_str(op.symbol())?;
                    let in_parentheses = self.ops[right].precedence() < own;
                    if !matches!(op, Op::Not) && !in_parentheses {
                        f.write_str(" ")?;
                    }
                    tasks.push(Task::Part(right, own));
                }
                _ => {
                    let until = Op::<L>::Until.precedence();
                    let at_least = |side: usize, least: u8| match &self.ops[side] {
                        side if side.precedence() == until => until + 1,
                        Op::Next | Op::Eventually | Op::Always if own == until => until + 2,
                        _ => least,
                    };
                    let (left_least, right_least) =
                        if op.groups_left() { (own, own + 1) } else { (own + 1, own) };
                    tasks.push(Task::Part(right, at_least(right, right_least)));
                    tasks.push(Task::Text(" "));
                    tasks.push(Task::Text(op.symbol()));
                    tasks.push(Task::Text(" "));
                    tasks.push(Task::Part(left, at_least(left, left_least)));
                }
            }
        }
        Ok(())
    }
}

fn write_label(f: &mut fmt::Formatter<'_>, label: &str) -> fmt::Result {
    if is_bare(label) {
        f.write_str(label)
    } else {
        write!(f, "\"{}\"", label.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Formulas over `labels` with every operator.
    pub(crate) fn formulas<L: Clone + fmt::Debug + 'static>(
        labels: Vec<L>,
    ) -> impl Strategy<Value = Formula<L>> {
        let leaf = prop_oneof![
            6 => prop::sample::select(labels).prop_map(Formula::atom),
            1 => any::<bool>().prop_map(Formula::constant),
            1 => Just(()).prop_map(|()| Formula::end()),
        ];
        leaf.prop_recursive(5, 24, 2, |inner| {
            let unary = prop::sample::select(vec![Op::Not, Op::Next, Op::Eventually, Op::Always]);
            let binary = prop::sample::select(vec![
                Op::And,
                Op::Or,
                Op::Implies,
                Op::Iff,
                Op::Until,
                Op::WeakUntil,
                Op::Release,
                Op::StrongRelease,
            ]);
            prop_oneof![
                (inner.clone(), unary).prop_map(|(inner, op)| inner.unary(op)),
                (inner.clone(), inner, binary).prop_map(|(left, right, op)| left.binary(right, op)),
            ]
        })
    }

    fn odd_labels() -> Vec<String> {
        let labels = [
            "a",
            "open",
            "add:TRUE",
            "pop!EmptyStackException",
            "<init>",
            "java.util.List.<init>",
            "$1",
            "é",
            "0",
            "G",
            "U",
            "o",
            "true",
            "[end]",
            "",
            " ",
            "a b",
            "it's",
            "say \"x\"",
            "back\\slash",
            "!a",
            "a!",
            "turn-on",
            "f(int)",
            "G!a",
            "<",
            "a<b>",
            "\n",
        ];
        labels.map(str::to_owned).to_vec()
    }

    proptest! {
        #[test]
        fn printing_and_parsing_gives_the_formula_back(formula in formulas(odd_labels())) {
            let text = formula.to_string();
            prop_assert_eq!(Formula::parse(&text), Ok(formula), "{}", text);
        }

        #[test]
        fn a_formula_is_its_root_and_its_operands(formula in formulas(vec!['a', 'b'])) {
            let mut operands = formula.operands().into_iter();
            let again = match (operands.next(), operands.next()) {
                (Some(left), Some(right)) => left.binary(right, formula.root().clone()),
                (Some(only), None) => only.unary(formula.root().clone()),
                _ => Formula { ops: vec![formula.root().clone()] },
            };
            prop_assert_eq!(again, formula);
        }
    }

    #[test]
    fn a_very_deep_formula_is_no_trouble() {
        let text = format!("{}a{}", "b U (X(".repeat(100_000), "))".repeat(100_000));
        let formula = Formula::parse(&text).unwrap();
        assert_eq!(Formula::parse(&formula.to_string()), Ok(formula.clone()));
        assert!(!formula.holds(&["b".to_owned()]));
        assert_eq!(formula.operands().len(), 2);
    }
}
