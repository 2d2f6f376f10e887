//! The kinds of things that a generated class may contain.

use std::collections::BTreeSet;
use std::fmt;

use clap::ValueEnum;

/// Something that makes classes differ. Names are those of `--kinds`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Kind {
    /// The state is an `int` field.
    IntState,
    /// The state is an enum field.
    EnumState,
    /// The state is a `String` field.
    TextState,
    /// The state is stored in several booleans.
    BooleanState,
    /// The state is the size of a list.
    CollectionState,
    /// The state is in an object in an object, so that the object's own fields never change.
    HiddenState,
    /// The state is partly an enum field and partly hidden.
    SplitState,
    /// Guards on `int` arguments: ranges and constants.
    IntArguments,
    /// Guards on enum arguments.
    EnumArguments,
    /// Guards on `String` arguments: constants, prefixes, emptiness.
    TextArguments,
    /// Guards on the size of a list that is passed.
    CollectionArguments,
    /// Constructors with arguments, or two constructors.
    Constructors,
    /// Observers: booleans, the enum, a number.
    Observers,
    /// Calls that change the state and return a boolean.
    Answers,
    /// A name with two signatures.
    Overloads,
    /// Setters and getters that do not matter.
    Settings,
    /// A flag with a setter and a boolean getter, independent of everything else.
    Flag,
    /// A checked exception of the class's own.
    OwnException,
    /// A counter beside the state, with or without a bound.
    Counting,
}

impl Kind {
    /// The kinds that say how the state is stored; every class has one.
    pub(crate) const STORAGE: [Self; 7] = [
        Self::IntState,
        Self::EnumState,
        Self::TextState,
        Self::BooleanState,
        Self::CollectionState,
        Self::HiddenState,
        Self::SplitState,
    ];

    /// The kinds of arguments with guards.
    pub(crate) const ARGUMENTS: [Self; 4] =
        [Self::IntArguments, Self::EnumArguments, Self::TextArguments, Self::CollectionArguments];

    /// Probability, in percent, that a class has a kind that is not about storage.
    pub(crate) fn percent(self) -> u32 {
        match self {
            Self::Observers => 70,
            Self::IntArguments | Self::EnumArguments | Self::TextArguments => 45,
            Self::CollectionArguments | Self::Answers | Self::Overloads => 35,
            Self::Settings => 40,
            Self::Constructors | Self::OwnException => 30,
            Self::Counting => 20,
            Self::Flag => 12,
            _ => 0,
        }
    }

    /// All kinds.
    pub(crate) fn all() -> BTreeSet<Self> {
        Self::value_variants().iter().copied().collect()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_possible_value().expect("no kind is skipped").get_name())
    }
}
