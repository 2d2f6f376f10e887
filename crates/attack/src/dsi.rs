//! DSI with unit tests: a specification “a before b” is tested by delaying calls of `a` until after the next
//! `b`, and running the tests.
//!
//! All related tests pass: the order seems not to be needed, and the specification is *buggy*. All fail: it
//! is
//! *true*. Some do: *unknown*. A test is related if a call was really delayed in it.
//!
//! Paper: [temari, sections III-C and IV-B3], which extends DSI (`gabel12`) by unit tests.
//! Deviation: none that the paper tells; it leaves out the details of its algorithm. A delayed call that
//! never ran, because no `b` came or because `b` threw, counts as a failure, as the paper's figures 7 and 8
//! say.
//! Cost: that of running the tests; the verdict is one pass over them.

/// The end of one test in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestEnd {
    /// It passed.
    Passed,
    /// An assertion failed, or an exception left the test.
    Failed {
        /// Class of the exception.
        class: String,
        /// The place in the code that threw it, if it is known.
        place: Option<String>,
        /// Its message.
        message: String,
    },
    /// It was disabled, or its assumptions did not hold.
    Skipped,
    /// It exceeded the time limit, or ended its process.
    Lost(String),
}

/// One run of a test in which calls were delayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// Its end.
    pub end: TestEnd,
    /// Number of calls of `a` that were delayed.
    pub delayed: u32,
    /// Number of delayed calls that were made later, after `b`.
    pub made: u32,
    /// The class of the exception that a late call threw, if one did.
    pub late_threw: Option<String>,
    /// No `b` came after a delayed call, although one comes in the run without changes.
    pub second_missing: bool,
    /// A delayed call returned something that had to be invented.
    pub invented: bool,
}

/// An exception that `b` throws in the run without changes, in the run with the calls exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expected {
    /// `b` throws nothing without changes.
    Nothing,
    /// It throws the same: its class, its place in the code, and the object's state afterwards are equal.
    Same,
    /// `b` throws nothing any more: the first call causes the exception.
    Gone,
    /// It throws something else, or the object is in another state.
    Other,
}

/// Evidence of the runs of one test about one specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestEvidence {
    /// The test.
    pub test: String,
    /// Its end without changes.
    pub plain: TestEnd,
    /// Two runs without changes ended alike.
    pub steady: bool,
    /// The two calls were made in different threads.
    pub threads: bool,
    /// The exception of `b` that the test expects.
    pub expected: Expected,
    /// Calls on the object between the two that depend on the first: delaying only it disturbs them.
    pub between: bool,
    /// The run in which delayed calls return null, zero or false, as published.
    pub published: Option<Mutation>,
    /// The run in which delayed calls return what they returned without changes, where that is known.
    pub supplied: Option<Mutation>,
}

/// Verdict on a specification of two letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpecVerdict {
    /// The program does not need the order.
    Buggy,
    /// The program needs the order.
    True,
    /// The tests do not tell.
    Unknown,
}

/// Returns the verdict of DSI.
pub fn dsi(tests: &[TestEvidence]) -> SpecVerdict {
    let ends = tests.iter().filter_map(|test| test.published.as_ref()).filter(|run| run.delayed > 0);
    verdict(ends.map(|run| run.end == TestEnd::Passed && run.made == run.delayed))
}

/// All pass: buggy. None passes: true. Some do, or there are none: unknown.
pub(crate) fn verdict(passed: impl Iterator<Item = bool>) -> SpecVerdict {
    let (mut passes, mut failures) = (0, 0);
    passed.for_each(|passed| *if passed { &mut passes } else { &mut failures } += 1);
    match (passes, failures) {
        (0, 0) => SpecVerdict::Unknown,
        (_, 0) => SpecVerdict::Buggy,
        (0, _) => SpecVerdict::True,
        _ => SpecVerdict::Unknown,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn failed(class: &str) -> TestEnd {
        TestEnd::Failed { class: class.to_owned(), place: None, message: String::new() }
    }

    /// A test that passes without changes, with this end when one call is delayed and made later.
    pub(crate) fn test(name: &str, end: TestEnd) -> TestEvidence {
        let run =
            Mutation { end, delayed: 1, made: 1, late_threw: None, second_missing: false, invented: false };
        TestEvidence {
            test: name.to_owned(),
            plain: TestEnd::Passed,
            steady: true,
            threads: false,
            expected: Expected::Nothing,
            between: false,
            published: Some(run.clone()),
            supplied: Some(run),
        }
    }

    /// The paper's figures 3, 4 and 8, and a test in which nothing could be delayed.
    #[test]
    fn verdicts_of_the_papers_figures() {
        let needs = test("loadClass before loadMethod", failed("java.lang.NullPointerException"));
        let free = test("loadMethod before getParamVals", TestEnd::Passed);
        let mut expected = test("ensureBSize before validateTC", TestEnd::Passed);
        expected.published.as_mut().unwrap().made = 0;
        let mut unrelated = test("another", failed("java.lang.AssertionError"));
        unrelated.published.as_mut().unwrap().delayed = 0;
        assert_eq!(dsi(&[]), SpecVerdict::Unknown);
        assert_eq!(dsi(std::slice::from_ref(&unrelated)), SpecVerdict::Unknown);
        assert_eq!(dsi(&[needs.clone(), unrelated.clone()]), SpecVerdict::True);
        assert_eq!(dsi(&[free.clone(), unrelated]), SpecVerdict::Buggy);
        assert_eq!(dsi(&[expected]), SpecVerdict::True, "a false alarm that the paper reports");
        assert_eq!(dsi(&[needs, free]), SpecVerdict::Unknown);
    }
}
