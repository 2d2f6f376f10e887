//! The verdict of adit on a specification “a before b”: all evidence, strongest first.
//!
//! 1. Methods that share no state can change places.
//! 2. A difference between both orders on the object itself, made by adit or within a test, shows a need.
//!    A first call that is the test of the second shows one too; one that only spoils the second does not.
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
    /// The first method calls the second one on the same object, so exchanging them shows nothing.
    pub calls_itself: bool,
    /// The first method may call the second one on some object, by the call graph.
    pub calls_some: bool,
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

/// Parts of the rule that can be switched off, so that their worth can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerdictRules {
    /// A first call that spoils the second is no reason to demand it first.
    pub spoils: bool,
    /// A first call that is the test of the second is needed.
    pub guards: bool,
    /// Only calls on the same object set a pair aside. A stream that writes to another one seems to call
    /// itself in the call graph, which does not tell objects apart.
    pub same_object: bool,
    /// Experiments in which both orders throw do not refute an order of methods that share state: in enough
    /// of them the calls must return.
    pub returned: bool,
}

impl VerdictRules {
    /// All of them.
    pub const ALL: Self = Self { spoils: true, guards: true, same_object: true, returned: true };

    /// All but one, with the name of that one.
    pub fn without_each() -> [(&'static str, Self); 4] {
        [
            ("spoils", Self { spoils: false, ..Self::ALL }),
            ("guards", Self { guards: false, ..Self::ALL }),
            ("same object", Self { same_object: false, ..Self::ALL }),
            ("returned", Self { returned: false, ..Self::ALL }),
        ]
    }
}

/// Returns the verdict and what decided.
pub fn spec_verdict(evidence: &PairEvidence) -> (SpecVerdict, Basis) {
    spec_verdict_by(evidence, VerdictRules::ALL)
}

/// The same with some parts of the rule.
pub fn spec_verdict_by(evidence: &PairEvidence, rules: VerdictRules) -> (SpecVerdict, Basis) {
    let PairEvidence { by_code, by_watching, on_objects, within_tests, together, tests, .. } = evidence;
    let calls_itself = if rules.same_object { evidence.calls_itself } else { evidence.calls_some };
    let within_tests = &within_tests.plus(*together);
    let set_aside = (SpecVerdict::Unknown, Basis::CallsItself);
    if *by_code == Shares::No {
        return if calls_itself { set_aside } else { (SpecVerdict::Buggy, Basis::Code) };
    }
    let shows_need = |tally: &Tally| tally.needed + tally.matters > 0;
    if rules.guards && on_objects.guards > 0 {
        return (SpecVerdict::True, Basis::Objects);
    }
    // Later calls and tests can show no more than that the second call ends differently. That the first call
    // fails after the second is another matter.
    if rules.spoils && on_objects.needed == 0 && on_objects.spoils > on_objects.matters {
        return (SpecVerdict::Buggy, Basis::Objects);
    }
    if shows_need(on_objects) || on_objects.spoils > 0 {
        return (SpecVerdict::True, Basis::Objects);
    }
    if shows_need(within_tests) {
        return (SpecVerdict::True, Basis::WithinTests);
    }
    // A difference that was seen outweighs it.
    if calls_itself {
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
    // Calls that always throw show nothing about state that the code is known to share: the objects may lack
    // the file or the content that the calls are about.
    let returned = on_objects.free + on_objects.opposite;
    let shown = returned >= ENOUGH || *by_code != Shares::Yes || !rules.returned;
    let free_on_objects = if shown { free(on_objects) } else { 0 };
    if free_on_objects >= ENOUGH {
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
    if free_on_objects > 0 {
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
            calls_some: false,
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

    /// Each part of the rule decides a case, and another verdict is returned without it.
    #[test]
    fn every_part_of_the_rule_has_its_case() {
        let check = |name: &str, evidence: &PairEvidence, expected: SpecVerdict| {
            assert_eq!(spec_verdict(evidence).0, expected, "{name}");
            let (_, without) =
                VerdictRules::without_each().into_iter().find(|(other, _)| *other == name).unwrap();
            assert_ne!(spec_verdict_by(evidence, without).0, expected, "without {name}");
        };
        // close, read: -1 for ever. The test that asserts it is no reason either.
        let on_objects = Tally { spoils: 3, free: 9, ..Tally::default() };
        let tests = vec![test("fails", failed("E"))];
        let within_tests = Tally { matters: 1, ..Tally::default() };
        let spoils = PairEvidence { on_objects, within_tests, tests, ..nothing() };
        check("spoils", &spoils, SpecVerdict::Buggy);
        // hasNext, next.
        let on_objects = Tally { guards: 3, free: 9, ..Tally::default() };
        check("guards", &PairEvidence { on_objects, ..nothing() }, SpecVerdict::True);
        // write(byte[]) writes to another stream.
        let on_objects = Tally { free: 9, ..Tally::default() };
        let other = PairEvidence { on_objects, calls_some: true, ..nothing() };
        check("same object", &other, SpecVerdict::Buggy);
        // A visitor of files that do not exist.
        let on_objects = Tally { both_threw: 99, ..Tally::default() };
        let absent = PairEvidence { on_objects, by_code: Shares::Yes, ..nothing() };
        check("returned", &absent, SpecVerdict::Unknown);
        let on_objects = Tally { both_threw: 19, opposite: 1, ..Tally::default() };
        check("returned", &PairEvidence { on_objects, ..absent.clone() }, SpecVerdict::Unknown);
        let apart = PairEvidence { by_code: Shares::Perhaps, ..absent };
        assert_eq!(spec_verdict(&apart), (SpecVerdict::Buggy, Basis::Objects));
    }

    /// After `close`, a later `skip` differs as `read` does, for the same reason.
    #[test]
    fn a_later_call_does_not_outweigh_that_the_first_spoils_the_second() {
        let on_objects = Tally { spoils: 40, matters: 1, ..Tally::default() };
        let evidence = PairEvidence { on_objects, ..nothing() };
        assert_eq!(spec_verdict(&evidence), (SpecVerdict::Buggy, Basis::Objects));
    }

    /// A call that also fails after the second one is needed, though it spoils the second.
    #[test]
    fn a_need_outweighs_that_the_first_spoils_the_second() {
        let on_objects = Tally { spoils: 3, needed: 1, ..Tally::default() };
        let evidence = PairEvidence { on_objects, ..nothing() };
        assert_eq!(spec_verdict(&evidence), (SpecVerdict::True, Basis::Objects));
    }
}
