//! The two domains of the interpreter: numbers alone, and numbers with a symbolic shadow.

use adit_bytecode::{Element, Kind, Operator, Relation};

use crate::Unknown;

/// A value: its concrete bits, and its shadow.
///
/// `int` and narrower types are sign-extended, `float` and `double` are their bits, a reference is the
/// number of an object, and null is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Word<S> {
    /// The concrete value.
    pub bits: i64,
    /// The value as the domain knows it.
    pub shadow: S,
}

impl<S: Default> Word<S> {
    /// Creates a value that is the same in every run.
    pub fn plain(bits: i64) -> Word<S> {
        Word { bits, shadow: S::default() }
    }
}

/// The values that the interpreter computes besides concrete ones. It always follows the concrete ones.
///
/// The methods are called only if at least one operand is not plain, so a domain without shadows costs
/// nothing.
pub trait Domain {
    /// The shadow of a value; the default is that of a value that is the same in every run.
    type Shadow: Copy + Default + PartialEq + std::fmt::Debug;

    /// Returns true if the shadow says no more than the bits.
    fn is_plain(shadow: Self::Shadow) -> bool;

    /// Shadow of a computation. Negation ignores `b`; divisors are not zero.
    fn arithmetic(
        &mut self,
        kind: Kind,
        operator: Operator,
        a: Word<Self::Shadow>,
        b: Word<Self::Shadow>,
    ) -> Self::Shadow;

    /// Shadow of a conversion.
    fn convert(&mut self, from: Kind, to: Element, a: Word<Self::Shadow>) -> Self::Shadow;

    /// Shadow of −1, 0 or 1, as two numbers compare.
    fn compare(&mut self, kind: Kind, a: Word<Self::Shadow>, b: Word<Self::Shadow>) -> Self::Shadow;

    /// Notes that the execution continues where this comparison of two `int`s has this outcome.
    fn decide(
        &mut self,
        relation: Relation,
        a: Word<Self::Shadow>,
        b: Word<Self::Shadow>,
        outcome: bool,
    ) -> Result<(), Unknown>;

    /// Notes that the execution continues with exactly this value.
    fn pin(&mut self, value: Word<Self::Shadow>) -> Result<(), Unknown>;

    /// Shadow of a number about which nothing is known. A domain without shadows has none.
    fn unknown_number(&mut self) -> Result<Self::Shadow, Unknown>;

    /// Shadow of the element at `index`, which is within bounds.
    fn select(
        &mut self,
        elements: &[Word<Self::Shadow>],
        index: Word<Self::Shadow>,
        kind: Kind,
    ) -> Self::Shadow;

    /// Shadow of an element that becomes `new` if it is the one at `index`, and stays `old` otherwise.
    fn replace(
        &mut self,
        position: usize,
        index: Word<Self::Shadow>,
        new: Word<Self::Shadow>,
        old: Word<Self::Shadow>,
        kind: Kind,
    ) -> Self::Shadow;
}

/// The domain without shadows: plain execution.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concrete;

impl Domain for Concrete {
    type Shadow = ();

    fn is_plain((): ()) -> bool {
        true
    }

    fn arithmetic(&mut self, _: Kind, _: Operator, _: Word<()>, _: Word<()>) {}

    fn convert(&mut self, _: Kind, _: Element, _: Word<()>) {}

    fn compare(&mut self, _: Kind, _: Word<()>, _: Word<()>) {}

    fn decide(&mut self, _: Relation, _: Word<()>, _: Word<()>, _: bool) -> Result<(), Unknown> {
        Ok(())
    }

    fn pin(&mut self, _: Word<()>) -> Result<(), Unknown> {
        Ok(())
    }

    fn unknown_number(&mut self) -> Result<(), Unknown> {
        Err(Unknown::Outside("an element".into()))
    }

    fn select(&mut self, _: &[Word<()>], _: Word<()>, _: Kind) {}

    fn replace(&mut self, _: usize, _: Word<()>, _: Word<()>, _: Word<()>, _: Kind) {}
}
