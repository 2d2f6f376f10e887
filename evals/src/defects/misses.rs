//! The defects that the verifier finds and misses, by cause.

use std::collections::BTreeMap;
use std::fmt;

use adit_verify::{Certainty, Verifier};

use super::Outcome;

/// Numbers of defects, by cause.
#[derive(Default)]
pub(super) struct Table {
    counts: BTreeMap<&'static str, usize>,
    /// Calls of the last two causes, with their exceptions.
    calls: BTreeMap<(&'static str, String), usize>,
}

const LACKS: &str = "missed: the model does not say that the call throws this";
const LOST: &str = "missed: the verifier does not know the state of the object";

impl Table {
    /// Notes a defect. `right` is the grade of the report at the right call, `found` tells if there is any
    /// report, and `was_there` if the unchanged client has the report at the right call.
    pub(super) fn note(
        &mut self,
        verifier: &Verifier,
        defect: &Outcome,
        right: Option<Certainty>,
        found: bool,
        was_there: bool,
    ) {
        let Outcome::Defect { class, called, exception, .. } = defect else { return };
        let suffix = format!("!{exception}");
        let has_rule = verifier.typestates().iter().any(|typestate| {
            let labels = typestate.refusals().into_iter().map(|(_, label)| label);
            (*typestate.class == **class || super::typestates::is_through(class, &typestate.class))
                && labels.into_iter().any(|label| {
                    label.split(['(', '!']).next() == Some(called.as_str()) && label.ends_with(&suffix)
                })
        });
        let cause = match right {
            Some(Certainty::Certain) => "found at the call: certain",
            Some(Certainty::Possible) => "found at the call: possible",
            Some(Certainty::Unchecked) => "found at the call: unchecked, because data decides",
            None if was_there => "missed: unchecked in the unchanged client as well",
            None if found => "missed: another call is reported",
            None if has_rule => LOST,
            None => LACKS,
        };
        *self.counts.entry(cause).or_default() += 1;
        if cause == LACKS || cause == LOST {
            let call = format!("{class}.{called}{suffix}");
            *self.calls.entry((cause, call)).or_default() += 1;
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "defects with the shipped models, by cause:")?;
        for (cause, count) in &self.counts {
            writeln!(f, "{count:>6}  {cause}")?;
            for ((_, call), count) in self.calls.iter().filter(|((of, _), _)| of == cause) {
                writeln!(f, "            {count:>4}  {call}")?;
            }
        }
        Ok(())
    }
}
