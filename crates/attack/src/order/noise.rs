//! Differences between two runs of one script: a clock, a random number, the identity of an object. The order
//! of two calls does not cause them, so they are not compared.
//!
//! Paper: none; [temari, section VI-A] names tests that depend on time as a cause of wrong verdicts.
//! Cost: none beyond the runs that confirm a difference.

use std::collections::BTreeSet;

use adit_trace::{Run, Step};

use super::{differences, same_answer, same_outcome, threw};

/// Parts of a call's outcome that differ from run to run, from none to all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unsteady {
    /// Nothing.
    #[default]
    Nothing,
    /// The inside of the object that is returned.
    Inside,
    /// The returned value.
    Answer,
    /// It throws in one run only.
    Ends,
}

impl Unsteady {
    fn between(one: &Step, other: &Step) -> Self {
        if threw(one) != threw(other) {
            Self::Ends
        } else if !same_outcome(one, other) {
            Self::Answer
        } else if !same_answer(one, other) {
            Self::Inside
        } else {
            Self::Nothing
        }
    }

    /// Tells whether two outcomes are the same in all that is steady.
    pub(super) fn hides(self, one: &Step, other: &Step) -> bool {
        match self {
            Self::Nothing => same_answer(one, other),
            Self::Inside => same_outcome(one, other),
            Self::Answer => threw(one) == threw(other),
            Self::Ends => true,
        }
    }
}

/// Parts of two scripts that differ from run to run.
#[derive(Clone, Debug, Default)]
pub(super) struct Noise {
    /// For each statement of the demanded order and of the other one.
    statements: [Vec<Unsteady>; 2],
    fields: BTreeSet<String>,
}

impl Noise {
    /// Compares two runs of the demanded order, and two of the other one.
    pub(super) fn between(in_order: [&Run; 2], exchanged: [&Run; 2]) -> Self {
        let mut fields = BTreeSet::new();
        let statements = [in_order, exchanged].map(|[one, other]| {
            let steps = || one.steps.iter().zip(&other.steps);
            for (one, other) in steps() {
                if let Some((one, other)) = one.fields.as_ref().zip(other.fields.as_ref()) {
                    fields.extend(differences(one, other));
                }
            }
            steps().map(|(one, other)| Unsteady::between(one, other)).collect()
        });
        Self { statements, fields }
    }

    /// The noise of a call that is statement `at` of the demanded order and `moved` of the other one.
    pub(super) fn of(&self, at: usize, moved: usize) -> Unsteady {
        let [in_order, exchanged] = &self.statements;
        let get = |statements: &[Unsteady], at: usize| statements.get(at).copied().unwrap_or_default();
        get(in_order, at).max(get(exchanged, moved))
    }

    /// Tells whether a field differs from run to run.
    pub(super) fn has(&self, field: &str) -> bool {
        self.fields.contains(field)
    }
}
