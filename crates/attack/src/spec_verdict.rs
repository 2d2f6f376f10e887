//! The verdict of adit on a specification “a before b”: all evidence, strongest first.
//!
//! 1. Methods that share no state can change places.
//! 2. A difference between both orders on the object itself, made by adit or within a test, shows a need.
//! 3. A test that fails when the order is violated shows a need, if it is a witness at all.
//! 4. Without any difference in enough experiments, or if all tests pass, the order is not needed.
//!
//! Paper: none; the rule is adit's own, and `evals temari` measures it beside those of the papers.

use crate::dsi::{SpecVerdict, TestEvidence};
use crate::order::{Need, Tally};
use crate::temari::{Remedies, remedied};

/// Fewest experiments without a difference that count, if no test says anything.
pub const ENOUGH: u32 = 4;

/// Answer about shared state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shares {
    /// No state that one of the methods changes is shared.
    No,
    /// Some is.
    Yes,
    /// Some may be: a method does what the analysis does not see, or was not watched.
    Perhaps,
}

/// All that is known about one pair of events.
#[derive(Clone, Debug, PartialEq)]
pub struct PairEvidence {
    /// The first method calls the second one itself, so exchanging them shows nothing.
    pub calls_itself: bool,
    /// Shared state by static analysis.
    pub by_code: Shares,
    /// Shared state by watching fields.
    pub by_watching: Shares,
    /// Both orders on objects that adit made.
    pub on_objects: Tally,
    /// Both orders within tests: numbers of pairs of calls by what they show.
    pub within_tests: Tally,
    /// The same where calls between the two depend on the first, and were put off with it.
    pub together: Tally,
    /// The ends of tests.
    pub tests: Vec<TestEvidence>,
}

/// The evidence that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// Set aside: the first method calls the second.
    CallsItself,
    /// Shared state, by static analysis.
    Code,
    /// Shared state, by watching fields.
    Watching,
    /// Both orders on objects that adit made.
    Objects,
    /// Both orders within tests, compared on the object.
    WithinTests,
    /// The ends of tests.
    Tests,
    /// Nothing decided.
    Nothing,
}

/// Returns the verdict and what decided.
pub fn spec_verdict(evidence: &PairEvidence) -> (SpecVerdict, Basis) {
    let PairEvidence { calls_itself, by_code, by_watching, on_objects, within_tests, together, tests } =
        evidence;
    let within_tests = &within_tests.plus(*together);
    let set_aside = (SpecVerdict::Unknown, Basis::CallsItself);
    if *by_code == Shares::No {
        return if *calls_itself { set_aside } else { (SpecVerdict::Buggy, Basis::Code) };
    }
    let shows_need = |tally: &Tally| tally.needed + tally.matters > 0;
    if shows_need(on_objects) {
        return (SpecVerdict::True, Basis::Objects);
    }
    if shows_need(within_tests) {
        return (SpecVerdict::True, Basis::WithinTests);
    }
    // The call graph does not tell objects apart: a stream that reads from another one seems to call itself.
    // So a difference that was seen outweighs it.
    if *calls_itself {
        return set_aside;
    }
    let by_tests = remedied(tests, Remedies::ALL);
    if by_tests == SpecVerdict::True {
        return (SpecVerdict::True, Basis::Tests);
    }
    let free = |tally: &Tally| tally.free + tally.both_threw + tally.opposite;
    if on_objects.fields > 0 {
        return (SpecVerdict::True, Basis::Objects);
    }
    if free(on_objects) >= ENOUGH {
        return (SpecVerdict::Buggy, Basis::Objects);
    }
    if free(within_tests) > 0 {
        return (SpecVerdict::Buggy, Basis::WithinTests);
    }
    if by_tests == SpecVerdict::Buggy {
        return (SpecVerdict::Buggy, Basis::Tests);
    }
    if *by_watching == Shares::No {
        return (SpecVerdict::Buggy, Basis::Watching);
    }
    if free(on_objects) > 0 {
        return (SpecVerdict::Buggy, Basis::Objects);
    }
    (SpecVerdict::Unknown, Basis::Nothing)
}

/// Returns the need that code, experiments on objects and those within tests show together.
pub fn shown_need(evidence: &PairEvidence) -> Need {
    let by_code = if evidence.by_code == Shares::No { Need::Free } else { Need::Unknown };
    let within = evidence.within_tests.plus(evidence.together);
    by_code.max(evidence.on_objects.need()).max(within.need())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsi::TestEnd;
    use crate::dsi::tests::{failed, test};

    fn nothing() -> PairEvidence {
        PairEvidence {
            calls_itself: false,
            by_code: Shares::Perhaps,
            by_watching: Shares::Perhaps,
            on_objects: Tally::default(),
            within_tests: Tally::default(),
            together: Tally::default(),
            tests: Vec::new(),
        }
    }

    #[test]
    fn stronger_evidence_decides() {
        use SpecVerdict::{Buggy, True, Unknown};
        let mut evidence = nothing();
        assert_eq!(spec_verdict(&evidence), (Unknown, Basis::Nothing));
        let apart = PairEvidence { by_code: Shares::No, ..evidence.clone() };
        assert_eq!((shown_need(&evidence), shown_need(&apart)), (Need::Unknown, Need::Free));
        evidence.by_watching = Shares::No;
        assert_eq!(spec_verdict(&evidence), (Buggy, Basis::Watching));
        evidence.tests = vec![test("passes", TestEnd::Passed)];
        assert_eq!(spec_verdict(&evidence), (Buggy, Basis::Tests));
        evidence.tests = vec![test("fails", failed("E"))];
        assert_eq!(spec_verdict(&evidence), (True, Basis::Tests));
        evidence.together.matters = 1;
        assert_eq!(spec_verdict(&evidence), (True, Basis::WithinTests));
        evidence.together.matters = 0;
        evidence.within_tests.matters = 1;
        assert_eq!(spec_verdict(&evidence), (True, Basis::WithinTests));
        evidence.on_objects.needed = 1;
        assert_eq!(spec_verdict(&evidence), (True, Basis::Objects));
        assert_eq!(shown_need(&evidence), Need::Needed);
        evidence.by_code = Shares::No;
        assert_eq!(spec_verdict(&evidence), (Buggy, Basis::Code));
        evidence.calls_itself = true;
        assert_eq!(spec_verdict(&evidence), (Unknown, Basis::CallsItself));
    }
}
