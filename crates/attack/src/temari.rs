//! TEMARI: two methods that share no state can change places; for all others, DSI decides. And the remedies
//! that the paper proposes, each of which can be switched off.
//!
//! Paper: [temari, algorithm 1 and section VI-A].
//! Deviation: the verdict *true* of DSI is kept, so that both verdicts can be measured; algorithm 1 answers
//! “unknown” for it. The remedies are the paper's ideas, not its code: see [`Remedies`].
//! Cost: one pass over the tests.

use adit_trace::{Event, Outcome, State};

use crate::dsi::{Expected, Mutation, SpecVerdict, TestEnd, TestEvidence, dsi, verdict};
use crate::order::Need;

/// Returns the verdict of TEMARI, given whether the methods share state that one of them changes.
pub fn temari(share_state: bool, tests: &[TestEvidence]) -> SpecVerdict {
    if share_state { dsi(tests) } else { SpecVerdict::Buggy }
}

/// Remedies for the causes of wrong verdicts, in the order of the paper's table IV b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remedies {
    /// Delayed calls return what they returned before; a test that had to go on with something invented, and
    /// failed, is no witness.
    pub values: bool,
    /// An exception of `b` that the test expects is compared with the one without changes. Another one shows
    /// a need. If it does not come any more, or is the same, the test is no witness: a call that fails in
    /// both orders fails for another reason.
    pub exceptions: bool,
    /// A test in which a call between the two ends differently is no witness: if it fails, that may be why,
    /// and if it passes, it does not look.
    pub interference: bool,
    /// Tests that fail without changes, or end differently from run to run, are left out.
    pub steady: bool,
    /// Calls in different threads are left out.
    pub threads: bool,
    /// One witness for a need is enough, because a specification is true if the order is needed sometimes.
    pub sometimes: bool,
}

impl Remedies {
    /// All of them.
    pub const ALL: Self = Self {
        values: true,
        exceptions: true,
        interference: true,
        steady: true,
        threads: true,
        sometimes: true,
    };

    /// None: DSI as published.
    pub const NONE: Self = Self {
        values: false,
        exceptions: false,
        interference: false,
        steady: false,
        threads: false,
        sometimes: false,
    };

    /// All but one, with the name of that one.
    pub fn without_each() -> [(&'static str, Self); 6] {
        [
            ("values", Self { values: false, ..Self::ALL }),
            ("exceptions", Self { exceptions: false, ..Self::ALL }),
            ("interference", Self { interference: false, ..Self::ALL }),
            ("steady", Self { steady: false, ..Self::ALL }),
            ("threads", Self { threads: false, ..Self::ALL }),
            ("sometimes", Self { sometimes: false, ..Self::ALL }),
        ]
    }
}

/// Verdict of one test about a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Testimony {
    /// The test passes though the order is violated.
    Passes,
    /// The test fails because the order is violated.
    Fails,
    /// The test is no witness, for this reason.
    NoWitness(&'static str),
}

/// Judges one test.
pub fn testimony(test: &TestEvidence, remedies: Remedies) -> Testimony {
    let run = if remedies.values { test.supplied.as_ref() } else { test.published.as_ref() };
    let Some(run) = run.filter(|run| run.delayed > 0) else {
        return Testimony::NoWitness("no call was delayed");
    };
    if remedies.steady && test.plain != TestEnd::Passed {
        return Testimony::NoWitness("it does not pass without changes");
    }
    if remedies.steady && !test.steady {
        return Testimony::NoWitness("it is flaky");
    }
    if remedies.threads && test.threads {
        return Testimony::NoWitness("the calls are made in different threads");
    }
    let Mutation { end, delayed, made, late_threw, second_missing, invented } = run;
    if let TestEnd::Lost(_) = end {
        return Testimony::NoWitness("it hung or died with the calls exchanged");
    }
    if remedies.exceptions {
        match test.expected {
            Expected::Gone => return Testimony::NoWitness("the first call causes the exception it expects"),
            Expected::Other => return Testimony::Fails,
            Expected::Same => return Testimony::NoWitness("it expects an exception of the second call"),
            Expected::Nothing => {}
        }
    }
    let passed = *end == TestEnd::Passed && made == delayed && late_threw.is_none();
    if passed && remedies.interference && test.between {
        return Testimony::NoWitness("it does not notice that a call between the two ends differently");
    }
    if passed {
        return Testimony::Passes;
    }
    if remedies.values && (*invented || *second_missing) {
        return Testimony::NoWitness("it needs the value of the first call before the second");
    }
    if remedies.interference && test.between {
        return Testimony::NoWitness("a call between the two depends on the first");
    }
    Testimony::Fails
}

/// Returns the verdict of DSI with remedies.
pub fn remedied(tests: &[TestEvidence], remedies: Remedies) -> SpecVerdict {
    if remedies == Remedies::NONE {
        return dsi(tests);
    }
    let judged = tests.iter().filter_map(|test| match testimony(test, remedies) {
        Testimony::Passes => Some(true),
        Testimony::Fails => Some(false),
        Testimony::NoWitness(_) => None,
    });
    let passed: Vec<bool> = judged.collect();
    if remedies.sometimes && passed.contains(&false) {
        return SpecVerdict::True;
    }
    verdict(passed.into_iter())
}

/// Two calls on one object in one run of a test, in either order.
#[derive(Clone, Copy, Debug)]
pub struct CallPair<'a> {
    /// The call that is demanded first, and the object's fields before it.
    pub first: &'a Event,
    /// The object's fields before the first call.
    pub before: Option<&'a State>,
    /// The call that is demanded second.
    pub second: &'a Event,
    /// The object's fields after both.
    pub end: Option<&'a State>,
}

/// Compares the run of a test with the one in which the two calls changed places: the object itself is the
/// oracle, not the assertions of the test.
pub fn need_in_test(plain: CallPair<'_>, exchanged: CallPair<'_>) -> Need {
    let threw = |event: &Event| matches!(event.outcome, Outcome::Threw(_));
    if threw(plain.first) || threw(plain.second) {
        let alike = plain.first.outcome == exchanged.first.outcome
            && plain.second.outcome == exchanged.second.outcome;
        return if alike || !threw(exchanged.second) { Need::Free } else { Need::Unknown };
    }
    if threw(exchanged.second) || threw(exchanged.first) {
        return Need::Needed;
    }
    if plain.second.outcome != exchanged.second.outcome {
        return Need::Matters;
    }
    let changed = |pair: &CallPair<'_>| {
        pair.before.zip(pair.first.state.as_ref()).is_some_and(|(before, after)| before != after)
    };
    if !changed(&plain) && !changed(&exchanged) {
        return Need::Free;
    }
    let differs = plain.end.zip(exchanged.end).is_some_and(|(one, other)| one != other);
    if differs || plain.first.outcome != exchanged.first.outcome { Need::Matters } else { Need::Free }
}

#[cfg(test)]
mod unit_tests {
    use adit_trace::Value;

    use super::*;
    use crate::dsi::tests::{failed, test};

    #[test]
    fn methods_without_shared_state_can_change_places() {
        let fails = [test("one", failed("java.lang.AssertionError"))];
        assert_eq!(temari(false, &fails), SpecVerdict::Buggy);
        assert_eq!(temari(true, &fails), SpecVerdict::True);
    }

    /// Each remedy turns the wrong verdict of DSI on its cause around, and is needed for it.
    #[test]
    fn every_remedy_has_its_case() {
        let check = |name: &str, tests: &[TestEvidence], expected: SpecVerdict| {
            assert_eq!(remedied(tests, Remedies::ALL), expected, "{name}");
            let (_, without) =
                Remedies::without_each().into_iter().find(|(other, _)| *other == name).expect("it is one");
            assert_ne!(remedied(tests, without), expected, "without {name}");
        };
        let pass = test("passes", TestEnd::Passed);
        // Figure 6: only the invented value makes the test fail.
        let mut value = test("testPF", failed("java.lang.AssertionError"));
        value.supplied.as_mut().unwrap().end = TestEnd::Passed;
        check("values", &[value], SpecVerdict::Buggy);
        // Figure 8: the second call throws with and without changes.
        let mut expected = test("testDecoding", TestEnd::Passed);
        expected.expected = Expected::Same;
        expected.supplied.as_mut().unwrap().made = 0;
        check("exceptions", &[expected, pass.clone()], SpecVerdict::Buggy);
        // The second call throws in both orders, because the stream is not closed yet.
        let mut both = test("testNotClosed", TestEnd::Passed);
        both.expected = Expected::Same;
        check("exceptions", &[both], SpecVerdict::Unknown);
        // The test only asks for the class of the exception, and passes.
        let mut other = test("testDecoding", TestEnd::Passed);
        other.expected = Expected::Other;
        check("exceptions", &[other], SpecVerdict::True);
        // `close` before `read`: without it, `read` does not throw.
        let mut gone = test("testClosed", failed("java.lang.AssertionError"));
        gone.expected = Expected::Gone;
        check("exceptions", &[gone, pass.clone()], SpecVerdict::Buggy);
        // Figure 9: a call in between needs the first one.
        let mut between = test("execute", failed("java.lang.AssertionError"));
        between.between = true;
        check("interference", &[between, pass.clone()], SpecVerdict::Buggy);
        // It passes, but not because the call in between does not need the first one.
        let mut weak = test("weak", TestEnd::Passed);
        weak.between = true;
        check("interference", &[weak], SpecVerdict::Unknown);
        let mut flaky = test("flaky", failed("java.lang.AssertionError"));
        flaky.steady = false;
        check("steady", &[flaky, pass.clone()], SpecVerdict::Buggy);
        let mut threads = test("threads", failed("java.lang.AssertionError"));
        threads.threads = true;
        check("threads", &[threads, pass.clone()], SpecVerdict::Buggy);
        check("sometimes", &[test("fails", failed("E")), pass], SpecVerdict::True);
    }

    #[test]
    fn a_test_that_is_lost_is_no_witness() {
        let lost = test("hangs", TestEnd::Lost("took too long".to_owned()));
        assert_eq!(remedied(&[lost], Remedies::ALL), SpecVerdict::Unknown);
    }

    fn event(outcome: Outcome, size: i64) -> Event {
        let state = State::from([("size".to_owned(), Value::Int(size))]);
        Event { outcome, state: Some(state), ..Event::call("m") }
    }

    #[test]
    fn the_object_is_the_oracle() {
        let returned = |value: i64, size: i64| event(Outcome::Returned(Value::Int(value)), size);
        let before = State::from([("size".to_owned(), Value::Int(0))]);
        let need = |plain: [&Event; 2], moved: [&Event; 2]| {
            let pair = |first: &'_ Event, second: &'_ Event, last: &'_ Event| {
                (first.clone(), second.clone(), last.state.clone())
            };
            let (a, b, end) = pair(plain[0], plain[1], plain[1]);
            let (c, d, late) = pair(moved[0], moved[1], moved[0]);
            let one = CallPair { first: &a, before: Some(&before), second: &b, end: end.as_ref() };
            let other = CallPair { first: &c, before: Some(&before), second: &d, end: late.as_ref() };
            need_in_test(one, other)
        };
        let threw = event(Outcome::Threw("E".to_owned()), 0);
        // push, size: the second answers differently.
        assert_eq!(
            need([&returned(0, 1), &returned(1, 1)], [&returned(0, 1), &returned(0, 0)]),
            Need::Matters
        );
        // push, pop: the second throws without the first.
        assert_eq!(need([&returned(0, 1), &returned(5, 0)], [&returned(0, 1), &threw]), Need::Needed);
        // size, push: the first only looks.
        assert_eq!(need([&returned(0, 0), &returned(0, 1)], [&returned(1, 0), &returned(0, 1)]), Need::Free);
        // setters of different fields: both change, and the end is the same.
        assert_eq!(need([&returned(0, 1), &returned(0, 2)], [&returned(0, 2), &returned(0, 1)]), Need::Free);
        // A demanded order that fails shows no need.
        assert_eq!(need([&returned(0, 1), &threw], [&returned(0, 1), &returned(0, 1)]), Need::Free);
    }
}
