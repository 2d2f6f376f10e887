//! DICE's six two-event templates, and properties made from them.
//!
//! The templates' formulas live in [`crate::templates`]; this is what miners count and what inference obeys.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One of the six two-event templates of [dice, section 3.2], read as that section reads them:
/// "preceded" means that `b` comes before `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Template {
    /// AF: after `a`, `b` happens at some later time.
    #[serde(rename = "AF")]
    AlwaysFollowed,
    /// NF: after `a`, `b` never happens.
    #[serde(rename = "NF")]
    NeverFollowed,
    /// AP: `a` happens only after `b` has happened.
    #[serde(rename = "AP")]
    AlwaysPreceded,
    /// AIF: the next event after `a` is `b`, side-effect-free events aside.
    #[serde(rename = "AIF")]
    AlwaysImmediatelyFollowed,
    /// NIF: the next event after `a` is not `b`: no `b` up to and including the next event with a side
    /// effect.
    #[serde(rename = "NIF")]
    NeverImmediatelyFollowed,
    /// AIP: the last event before `a` is `b`, side-effect-free events aside.
    #[serde(rename = "AIP")]
    AlwaysImmediatelyPreceded,
}

impl Template {
    /// All six, in the paper's order.
    pub const ALL: [Self; 6] = [
        Self::AlwaysFollowed,
        Self::NeverFollowed,
        Self::AlwaysPreceded,
        Self::AlwaysImmediatelyFollowed,
        Self::NeverImmediatelyFollowed,
        Self::AlwaysImmediatelyPreceded,
    ];

    /// The paper's abbreviation, such as `NIF`.
    pub fn short(self) -> &'static str {
        match self {
            Self::AlwaysFollowed => "AF",
            Self::NeverFollowed => "NF",
            Self::AlwaysPreceded => "AP",
            Self::AlwaysImmediatelyFollowed => "AIF",
            Self::NeverImmediatelyFollowed => "NIF",
            Self::AlwaysImmediatelyPreceded => "AIP",
        }
    }

    /// The template with this abbreviation, in any case.
    pub fn from_short(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|template| template.short().eq_ignore_ascii_case(name))
    }
}

/// A template filled with two events.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Property<L> {
    /// The kind of the property.
    pub template: Template,
    /// The event that the property is about.
    pub a: L,
    /// The event that must or must not come with it.
    pub b: L,
}

impl<L: fmt::Display> fmt::Display for Property<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}, {})", self.template.short(), self.a, self.b)
    }
}
