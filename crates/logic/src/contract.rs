//! Claims about data: clauses over fields, parameters and results, and the contracts made from them.
//!
//! `adit-mine` infers contracts from traces with states, and the miners in `adit-infer` build models from
//! them. A contract belongs to a label, so calls with different outcomes have different contracts wherever
//! the label function tells the outcomes apart: *method distinction* in the words of [krka, section 3.2].
//!
//! ```
//! use adit_logic::contract::{Clause, Constant, Relation, Valuation, Variable};
//!
//! let top = Variable::field("topOfStack");
//! let room = Clause::compare(top.clone(), Relation::AtMost, Variable::field_size("theArray"), -2);
//! assert_eq!(room.to_string(), "this.topOfStack < size(this.theArray) - 1");
//! let full = Valuation::from_iter([
//!     (top, Constant::Int(9)),
//!     (Variable::field_size("theArray"), Constant::Int(10)),
//! ]);
//! assert_eq!(room.holds(&full), Some(false));
//! ```

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

mod dialect;
mod valuation;

pub use dialect::Dialect;
pub use valuation::{Valuation, is_identity, split_field};

/// Something in an object or a call that has a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable {
    /// The place that holds the value.
    pub place: VariablePlace,
    /// The part of the place that the variable stands for.
    pub part: Part,
    /// The moment at which the place is read.
    pub moment: Moment,
}

/// A place that holds a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VariablePlace {
    /// A field of the object, by its path: `topOfStack`, or `impl.port` for a field of a field.
    Field(Arc<str>),
    /// A parameter of the call, by its name, or `arg0` and so on if the trace has no names.
    Parameter(Arc<str>),
    /// The result of the call.
    Return,
}

/// A part of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The value itself.
    Whole,
    /// The length of an array or of a text buffer.
    Length,
    /// The size of a collection or a map.
    Size,
    /// The contents of an array or a collection, as one text.
    Elements,
}

/// A moment of a call. In the claims about a state, and in a precondition, everything is [`Moment::Now`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// The moment that the claim is about: in a postcondition, the end of the call.
    Now,
    /// The beginning of the call, in a postcondition: `orig(x)`. Parameters and results are never
    /// [`Moment::Before`].
    Before,
}

/// The type of the values of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// Whole numbers.
    Int,
    /// Booleans.
    Bool,
    /// Floating-point numbers.
    Float,
    /// Strings, or null.
    Text,
    /// References of which only identity and null-ness matter.
    Reference,
    /// Values of several types; nothing but their equality makes sense.
    Mixed,
}

/// A value in a claim.
///
/// Equality is total: it treats NaN as equal to itself, and tells zero from negative zero.
#[derive(Clone, Debug)]
pub enum Constant {
    /// The null reference.
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Text(Arc<str>),
    /// An object, by its identity in the trace. An object without one is only known not to be null.
    Object(Option<Arc<str>>),
}

/// A comparison of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
}

/// A claim about the values of variables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Clause {
    /// The variable has one of these values. There is at least one, they are sorted, and no two are equal.
    OneOf(Variable, Vec<Constant>),
    /// The variable is not null.
    NonNull(Variable),
    /// `left relation right + offset`, for whole numbers. Without `right` it compares with a constant.
    Compare {
        /// The variable on the left.
        left: Variable,
        /// The comparison.
        relation: Relation,
        /// The variable on the right, if there is one.
        right: Option<Variable>,
        /// The number added on the right.
        offset: i64,
    },
    /// Both have the same value, which is no whole number: for those there is [`Relation::Equal`].
    Same(Variable, Variable),
    /// If the first holds, so does the second.
    Implies(Box<Clause>, Box<Clause>),
    /// Either both hold or none does.
    Iff(Box<Clause>, Box<Clause>),
}

/// The claims about the calls that have the same label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contract {
    /// The calls create the object. Their precondition says nothing about fields.
    pub creates: bool,
    /// The number of calls that were seen.
    pub calls: u64,
    /// Claims about fields and parameters when a call begins. All of them are [`Moment::Now`].
    pub pre: Vec<Clause>,
    /// Claims about fields, parameters and the result when a call ends; [`Moment::Before`] is its beginning.
    pub post: Vec<Clause>,
}

/// The claims about one class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contracts {
    /// The class, if the traces name it.
    pub class: Option<String>,
    /// The types of the fields, which are all [`Moment::Now`] here.
    pub fields: BTreeMap<Variable, Type>,
    /// Those of the fields that no call changed after the object was made, [`Moment::Now`] too.
    pub fixed: BTreeSet<Variable>,
    /// The object invariant: claims about fields before and after every call.
    pub object: Vec<Clause>,
    /// The contracts of calls, by label.
    pub calls: BTreeMap<String, Contract>,
}

impl Variable {
    /// The field of the object with this path.
    pub fn field(path: &str) -> Self {
        Self { place: VariablePlace::Field(path.into()), part: Part::Whole, moment: Moment::Now }
    }

    /// The length of the array in the field with this path.
    pub fn field_size(path: &str) -> Self {
        Self { part: Part::Length, ..Self::field(path) }
    }

    /// The parameter with this name.
    pub fn parameter(name: &str) -> Self {
        Self { place: VariablePlace::Parameter(name.into()), part: Part::Whole, moment: Moment::Now }
    }

    /// The result of the call.
    pub fn result() -> Self {
        Self { place: VariablePlace::Return, part: Part::Whole, moment: Moment::Now }
    }

    /// The same variable at the beginning of the call.
    pub fn before(self) -> Self {
        Self { moment: Moment::Before, ..self }
    }

    /// The same variable at the moment that the claim is about.
    pub fn now(self) -> Self {
        Self { moment: Moment::Now, ..self }
    }

    /// Tells whether the variable is the size of something, and so is never negative.
    pub fn is_size(&self) -> bool {
        matches!(self.part, Part::Length | Part::Size)
    }

    /// Tells whether the variable belongs to the object.
    pub fn is_field(&self) -> bool {
        matches!(self.place, VariablePlace::Field(_))
    }

    /// The number of steps from the object to the field: one for its own fields, zero for what is no field.
    pub fn depth(&self) -> usize {
        match &self.place {
            VariablePlace::Field(path) => 1 + path.matches('.').count(),
            VariablePlace::Parameter(_) | VariablePlace::Return => 0,
        }
    }
}

impl Constant {
    /// The type of a variable that has this value; null fits any reference.
    pub fn kind(&self) -> Type {
        match self {
            Self::Null | Self::Object(_) => Type::Reference,
            Self::Bool(_) => Type::Bool,
            Self::Int(_) => Type::Int,
            Self::Float(_) => Type::Float,
            Self::Text(_) => Type::Text,
        }
    }

    /// Tells whether two values are the same. Objects without an identity may be, unless one is null.
    pub fn same(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            (Self::Object(None), Self::Null) | (Self::Null, Self::Object(None)) => Some(false),
            (Self::Object(None), _) | (_, Self::Object(None)) => None,
            _ => Some(self == other),
        }
    }

    /// A number for each variant, for sorting.
    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Int(_) => 2,
            Self::Float(_) => 3,
            Self::Text(_) => 4,
            Self::Object(_) => 5,
        }
    }
}

impl Ord for Constant {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(one), Self::Bool(another)) => one.cmp(another),
            (Self::Int(one), Self::Int(another)) => one.cmp(another),
            (Self::Float(one), Self::Float(another)) => match (one.is_nan(), another.is_nan()) {
                (true, true) => Ordering::Equal,
                _ => one.total_cmp(another),
            },
            (Self::Text(one), Self::Text(another)) => one.cmp(another),
            (Self::Object(one), Self::Object(another)) => one.cmp(another),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Constant {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Constant {}

impl Hash for Constant {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Self::Null => {}
            Self::Bool(value) => value.hash(state),
            Self::Int(value) => value.hash(state),
            Self::Float(value) if value.is_nan() => f64::NAN.to_bits().hash(state),
            Self::Float(value) => value.to_bits().hash(state),
            Self::Text(value) => value.hash(state),
            Self::Object(value) => value.hash(state),
        }
    }
}

impl Relation {
    /// Compares two numbers.
    pub fn holds(self, left: i128, right: i128) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::AtMost => left <= right,
            Self::AtLeast => left >= right,
        }
    }

    /// The relation that holds between `b` and `a` if this one holds between `a` and `b`.
    pub fn flipped(self) -> Self {
        match self {
            Self::AtMost => Self::AtLeast,
            Self::AtLeast => Self::AtMost,
            symmetric => symmetric,
        }
    }
}

impl Clause {
    /// The claim that the variable has this value.
    pub fn is(variable: Variable, value: Constant) -> Self {
        Self::OneOf(variable, vec![value])
    }

    /// The claim `left relation right + offset`.
    pub fn compare(left: Variable, relation: Relation, right: Variable, offset: i64) -> Self {
        Self::Compare { left, relation, right: Some(right), offset }
    }

    /// The claim `variable relation constant`.
    pub fn bound(variable: Variable, relation: Relation, constant: i64) -> Self {
        Self::Compare { left: variable, relation, right: None, offset: constant }
    }

    /// Tells whether the claim holds for these values; `None` if values that matter are not known.
    pub fn holds(&self, values: &Valuation) -> Option<bool> {
        match self {
            Self::OneOf(variable, constants) => {
                let value = values.get(variable)?;
                let mut unknown = false;
                for constant in constants {
                    match value.same(constant) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => unknown = true,
                    }
                }
                if unknown { None } else { Some(false) }
            }
            Self::NonNull(variable) => Some(*values.get(variable)? != Constant::Null),
            Self::Compare { left, relation, right, offset } => {
                let number = |variable| match values.get(variable)? {
                    Constant::Int(number) => Some(i128::from(*number)),
                    _ => None,
                };
                let right = right.as_ref().map_or(Some(0), number)?;
                Some(relation.holds(number(left)?, right + i128::from(*offset)))
            }
            Self::Same(one, another) => values.get(one)?.same(values.get(another)?),
            Self::Implies(condition, conclusion) => {
                match (condition.holds(values), conclusion.holds(values)) {
                    (Some(false), _) | (_, Some(true)) => Some(true),
                    (Some(true), Some(false)) => Some(false),
                    _ => None,
                }
            }
            Self::Iff(one, another) => Some(one.holds(values)? == another.holds(values)?),
        }
    }

    /// The claim that holds exactly where this one does not, if there is a single clause for it.
    ///
    /// Claims about numbers assume that the variable has a number, and claims about null-ness that it has a
    /// reference.
    pub fn negation(&self) -> Option<Self> {
        Some(match self {
            Self::OneOf(variable, values) => match values.as_slice() {
                [Constant::Bool(value)] => Self::is(variable.clone(), Constant::Bool(!value)),
                [Constant::Null] => Self::NonNull(variable.clone()),
                [Constant::Int(value)] => Self::bound(variable.clone(), Relation::NotEqual, *value),
                _ => return None,
            },
            Self::NonNull(variable) => Self::is(variable.clone(), Constant::Null),
            Self::Compare { left, relation, right, offset } => {
                let (relation, offset) = match relation {
                    Relation::Equal => (Relation::NotEqual, *offset),
                    Relation::NotEqual => (Relation::Equal, *offset),
                    Relation::AtMost => (Relation::AtLeast, offset.checked_add(1)?),
                    Relation::AtLeast => (Relation::AtMost, offset.checked_sub(1)?),
                };
                match (relation, right) {
                    (Relation::Equal, None) => Self::is(left.clone(), Constant::Int(offset)),
                    _ => Self::Compare { left: left.clone(), relation, right: right.clone(), offset },
                }
            }
            Self::Same(..) | Self::Implies(..) | Self::Iff(..) => return None,
        })
    }

    /// Tells whether the claim is a relation of numbers or booleans, says that a reference is null or not, or
    /// that something did not change.
    pub fn is_relation(&self) -> bool {
        match self {
            Self::OneOf(_, values) => values.len() == 1,
            Self::NonNull(_) | Self::Compare { .. } => true,
            Self::Same(one, another) => one.moment != another.moment,
            Self::Implies(one, another) | Self::Iff(one, another) => {
                one.is_relation() && another.is_relation()
            }
        }
    }

    /// The variables of the claim, from left to right; one that occurs twice is given twice.
    pub fn variables(&self) -> Vec<&Variable> {
        match self {
            Self::OneOf(variable, _) | Self::NonNull(variable) => vec![variable],
            Self::Compare { left, right, .. } => std::iter::once(left).chain(right).collect(),
            Self::Same(one, another) => vec![one, another],
            Self::Implies(one, another) | Self::Iff(one, another) => {
                [one.variables(), another.variables()].concat()
            }
        }
    }

    /// The same claim with every variable replaced.
    pub fn map(&self, to: &mut impl FnMut(&Variable) -> Variable) -> Self {
        match self {
            Self::OneOf(variable, values) => Self::OneOf(to(variable), values.clone()),
            Self::NonNull(variable) => Self::NonNull(to(variable)),
            Self::Compare { left, relation, right, offset } => Self::Compare {
                left: to(left),
                relation: *relation,
                right: right.as_ref().map(&mut *to),
                offset: *offset,
            },
            Self::Same(one, another) => Self::Same(to(one), to(another)),
            Self::Implies(one, another) => Self::Implies(Box::new(one.map(to)), Box::new(another.map(to))),
            Self::Iff(one, another) => Self::Iff(Box::new(one.map(to)), Box::new(another.map(to))),
        }
    }
}

impl Contracts {
    /// The clauses that say something about the state of an object, for models: relations of numbers and
    /// booleans, and null-ness, as [krka, section 3.2] has it. Lists of several values and equality of
    /// references at one moment are left out.
    ///
    /// So are preconditions about nothing but numbers that never change. They are no state, and all calls on
    /// an object repeat the same sample, so that what few objects have in common is most likely an accident:
    /// the port that all those servers had which were sent a message. So is a fixed difference of two
    /// numbers, unless one is the last index of what has the other as its size.
    pub fn about_states(&self) -> Self {
        let left = |clauses: &[Clause], keep: &dyn Fn(&Clause) -> bool| -> Vec<Clause> {
            clauses.iter().filter(|clause| clause.is_relation() && keep(clause)).cloned().collect()
        };
        let calls = self.calls.iter().map(|(label, contract)| {
            let pre = left(&contract.pre, &|clause| !self.is_accident(clause));
            let post = left(&contract.post, &|_| true);
            (label.clone(), Contract { pre, post, ..contract.clone() })
        });
        Self { object: left(&self.object, &|_| true), calls: calls.collect(), ..self.clone() }
    }

    /// Tells whether a precondition says nothing about the state of the object.
    fn is_accident(&self, clause: &Clause) -> bool {
        let is_fixed_number = |variable: &&Variable| {
            self.fixed.contains(*variable) && self.fields.get(*variable) == Some(&Type::Int)
        };
        let difference = match clause {
            Clause::Compare { left, relation: Relation::Equal, right: Some(right), offset } => {
                *offset != 0 && !(*offset == -1 && right.is_size() && !left.is_size())
            }
            _ => false,
        };
        difference || clause.variables().iter().all(is_fixed_number)
    }

    /// The number of clauses.
    pub fn clauses(&self) -> usize {
        let calls = self.calls.values().map(|contract| contract.pre.len() + contract.post.len());
        self.object.len() + calls.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn x() -> Variable {
        Variable::field("x")
    }

    fn y() -> Variable {
        Variable::field("y")
    }

    #[test]
    fn unknown_values_give_no_answer() {
        let known = Valuation::from_iter([(x(), Constant::Int(3))]);
        let less = Clause::compare(x(), Relation::AtMost, y(), 0);
        assert_eq!(less.holds(&known), None);
        let positive = Clause::bound(x(), Relation::AtLeast, 1);
        assert_eq!(positive.holds(&known), Some(true));
        // Whatever `y` is, the first side decides.
        let negative = Clause::bound(x(), Relation::AtMost, -1);
        assert_eq!(Clause::Implies(Box::new(negative), Box::new(less.clone())).holds(&known), Some(true));
        assert_eq!(Clause::Implies(Box::new(positive), Box::new(less)).holds(&known), None);
    }

    #[test]
    fn an_object_without_an_identity_is_still_not_null() {
        let known = Valuation::from_iter([(x(), Constant::Object(None)), (y(), Constant::Null)]);
        assert_eq!(Clause::NonNull(x()).holds(&known), Some(true));
        assert_eq!(Clause::is(x(), Constant::Null).holds(&known), Some(false));
        assert_eq!(Clause::Same(x(), y()).holds(&known), Some(false));
        assert_eq!(Clause::Same(x(), x()).holds(&known), None);
    }

    #[test]
    fn offsets_at_the_ends_of_the_numbers_do_not_overflow() {
        let known = Valuation::from_iter([(x(), Constant::Int(i64::MAX)), (y(), Constant::Int(i64::MAX))]);
        assert_eq!(Clause::compare(x(), Relation::AtMost, y(), i64::MAX).holds(&known), Some(true));
        assert_eq!(Clause::bound(x(), Relation::AtMost, i64::MAX).negation(), None);
    }

    #[test]
    fn not_a_number_is_a_value_like_others() {
        let nan = Valuation::from_iter([(x(), Constant::Float(f64::NAN))]);
        assert_eq!(Clause::is(x(), Constant::Float(-f64::NAN)).holds(&nan), Some(true));
    }

    fn clauses() -> impl Strategy<Value = Clause> {
        let relations = prop::sample::select(vec![
            Relation::Equal,
            Relation::NotEqual,
            Relation::AtMost,
            Relation::AtLeast,
        ]);
        (relations, any::<bool>(), -2..3_i64).prop_map(|(relation, two, offset)| Clause::Compare {
            left: x(),
            relation,
            right: two.then(y),
            offset,
        })
    }

    proptest! {
        #[test]
        fn a_negation_holds_exactly_where_the_claim_does_not(clause in clauses(), a in -4..5_i64, b in -4..5_i64) {
            let values = Valuation::from_iter([(x(), Constant::Int(a)), (y(), Constant::Int(b))]);
            let negation = clause.negation().unwrap();
            prop_assert_eq!(clause.holds(&values).map(|holds| !holds), negation.holds(&values));
        }

        #[test]
        fn a_flipped_relation_reads_from_the_other_side(clause in clauses(), a in -4..5_i64, b in -4..5_i64) {
            let Clause::Compare { relation, .. } = clause else { unreachable!() };
            prop_assert_eq!(relation.holds(a.into(), b.into()), relation.flipped().holds(b.into(), a.into()));
        }
    }
}
