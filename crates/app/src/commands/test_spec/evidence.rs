//! Evidence for one pair of events, and its form as JSON.

use adit_attack::dsi::{Expected, Mutation, SpecVerdict, TestEnd, TestEvidence};
use adit_attack::order::{Finding, Need, OrderEvidence, OrderWitness, Tally};
use adit_attack::spec_verdict::{Basis, PairEvidence, Shares, shown_need};
use adit_attack::temari::{Remedies, Testimony, testimony};
use adit_bytecode::sharing::Sharing;
use adit_trace::{Outcome, StepResult, Value};
use serde_json::{Value as Json, json};

use crate::output::counted;

/// Evidence about one pair.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    pub(super) pair: PairEvidence,
    /// Result of the static analysis, in words.
    pub(super) sharing: String,
    /// Fields that were watched.
    pub(super) watched: Watched,
    pub(super) order: Option<OrderEvidence>,
    /// The two runs as Java.
    pub(super) java: Option<[Vec<String>; 2]>,
    /// A test within which the orders differ, or do not.
    pub(super) within: Option<String>,
    pub(super) verdict: SpecVerdict,
    pub(super) basis: Basis,
}

/// Watched fields, and the calls that answered.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    pub(super) shares: Shares,
    /// The fields that both methods touched and one of them wrote.
    pub(super) fields: Vec<String>,
    /// Nothing if no calls answered.
    pub(super) on: Option<WatchedOn>,
}

/// The objects whose calls were watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WatchedOn {
    Tests,
    Objects,
}

impl Default for Watched {
    fn default() -> Self {
        Self { shares: Shares::Perhaps, fields: Vec::new(), on: None }
    }
}

impl Watched {
    /// Calls on objects that adit made.
    pub(super) fn on_objects(found: &(Shares, Vec<String>)) -> Self {
        Self::new(found, WatchedOn::Objects)
    }

    fn new((shares, fields): &(Shares, Vec<String>), on: WatchedOn) -> Self {
        Self { shares: *shares, fields: fields.clone(), on: (*shares != Shares::Perhaps).then_some(on) }
    }

    /// A field that was seen to be shared outweighs calls that did not show it. Where both agree, the tests
    /// answer, because the values are the user's.
    pub(super) fn joined_with_tests(self, found: &(Shares, Vec<String>)) -> Self {
        let in_tests = Self::new(found, WatchedOn::Tests);
        let strength = |shares: Shares| match shares {
            Shares::Perhaps => 0,
            Shares::No => 1,
            Shares::Yes => 2,
        };
        if strength(in_tests.shares) >= strength(self.shares) { in_tests } else { self }
    }
}

/// State sharing of all methods of both events together: one shared place is enough.
pub(super) fn worst(all: &[Sharing]) -> (Shares, String) {
    let shared = all.iter().find(|one| matches!(one, Sharing::Shared(_)));
    let doubtful = all.iter().find(|one| **one != Sharing::Apart);
    match (shared, doubtful) {
        (Some(place), _) => (Shares::Yes, place.to_string()),
        (None, Some(doubt)) => (Shares::Perhaps, doubt.to_string()),
        (None, None) if all.is_empty() => (Shares::Perhaps, "the methods were not found".to_owned()),
        (None, None) => (Shares::No, Sharing::Apart.to_string()),
    }
}

impl Evidence {
    /// The reason for the verdict, as one sentence without a full stop.
    pub(super) fn why(&self, first: &str, second: &str) -> String {
        match (self.basis, self.verdict) {
            (Basis::CallsItself, _) => {
                format!("`{first}` calls `{second}` itself, so no order can be tested")
            }
            (Basis::Code, _) => format!("the methods {}", self.sharing),
            (Basis::Watching, _) => {
                let whose = match self.watched.on {
                    Some(WatchedOn::Tests) => "in your tests",
                    _ => "on objects that adit made",
                };
                format!(
                    "watched calls of the methods {whose} touched no common field that one of them writes"
                )
            }
            (Basis::Objects, _) => self.on_objects(first, second),
            (Basis::WithinTests, verdict) => {
                let test = self.within.as_deref().unwrap_or("a test");
                if verdict == SpecVerdict::Buggy {
                    format!("the calls change places in {test} and the object is as before")
                } else {
                    format!("the object behaves differently when the calls change places in {test}")
                }
            }
            (Basis::Tests, verdict) => self.by_tests(verdict),
            (Basis::Nothing, _) => self.nothing(),
        }
    }

    fn on_objects(&self, first: &str, second: &str) -> String {
        let Tally { free, both_threw, opposite, .. } = self.pair.on_objects;
        let same = format!("no difference in {}", counted(free + both_threw, "experiment"));
        if let Some(answer) = self.refusal() {
            return format!(
                "`{second}` throws where `{first}` answers {answer}, and returns where it answers {}",
                !answer
            );
        }
        let Some(witness) = self.order.as_ref().and_then(|order| order.witness.as_ref()) else {
            return same;
        };
        match &witness.finding {
            Finding::SecondFails(how) => format!("`{second}` {} without `{first}` before it", ended(how)),
            Finding::FirstFails(how) => format!("`{first}` {} after `{second}`", ended(how)),
            Finding::SecondAnswers { in_order, exchanged } => {
                format!("`{second}` {} after `{first}`, and {} before it", ended(in_order), ended(exchanged))
            }
            Finding::FirstAnswers { in_order, exchanged } => {
                format!("`{first}` {} before `{second}`, and {} after it", ended(in_order), ended(exchanged))
            }
            Finding::LaterAnswers { in_order, exchanged } => {
                let later =
                    witness.in_order.statements.last().map_or("a later call", |last| &last.callable.name);
                format!("`{later}` later {} or {}, by the order", ended(in_order), ended(exchanged))
            }
            Finding::Fields { name } => format!("the field `{name}` differs by the order"),
            Finding::Spoils(how) => {
                format!(
                    "`{second}` always {} once `{first}` was called, so nobody needs that first",
                    ended(how)
                )
            }
            Finding::Opposite(how) if free + both_threw == 0 => {
                format!(
                    "the order {} in {}, where the opposite one works",
                    ended(how),
                    counted(opposite, "experiment")
                )
            }
            _ => same,
        }
    }

    fn by_tests(&self, verdict: SpecVerdict) -> String {
        let judged = |wanted: Testimony| {
            self.pair.tests.iter().filter(move |test| testimony(test, Remedies::ALL) == wanted)
        };
        if verdict == SpecVerdict::Buggy {
            let passing: Vec<&TestEvidence> = judged(Testimony::Passes).collect();
            let name = passing.first().map_or("", |test| &test.test);
            return format!(
                "{} still pass with the order violated, such as {name}",
                counted(passing.len(), "test")
            );
        }
        match judged(Testimony::Fails).next() {
            Some(test) => format!("{} fails with the order violated: {}", test.test, end_of(test)),
            None => "tests fail with the order violated".to_owned(),
        }
    }

    fn nothing(&self) -> String {
        let mut reasons: Vec<String> = self
            .pair
            .tests
            .iter()
            .filter_map(|test| match testimony(test, Remedies::ALL) {
                Testimony::NoWitness(why) => Some(format!("{} is no witness: {why}", test.test)),
                _ => None,
            })
            .take(2)
            .collect();
        if self.pair.tests.is_empty() {
            reasons.push("no test calls the first method and then the second on one object".to_owned());
        }
        if self.pair.on_objects == Tally::default() {
            reasons.push("adit could not make both calls on an object".to_owned());
        }
        reasons.join("; ")
    }

    /// Everything, for tools.
    pub(super) fn json(&self) -> Json {
        let shares = |shares: Shares| match shares {
            Shares::No => "no",
            Shares::Yes => "yes",
            Shares::Perhaps => "perhaps",
        };
        let PairEvidence {
            calls_itself,
            calls_some,
            by_code,
            by_watching,
            on_objects,
            within_tests,
            together,
            tests,
        } = &self.pair;
        json!({
            "calls_itself": calls_itself,
            "calls_some": calls_some,
            "shares": {
                "code": shares(*by_code),
                "detail": self.sharing,
                "watched": shares(*by_watching),
                "watched_in": self.watched.on.map(|on| match on {
                    WatchedOn::Tests => "tests",
                    WatchedOn::Objects => "objects",
                }),
                "fields": self.watched.fields,
            },
            "need": need_name(shown_need(&self.pair)),
            "objects": tally(on_objects),
            "within_tests": tally(within_tests),
            "together": tally(together),
            "runs": self.java.as_ref().filter(|_| self.witness().is_some()).map(|[one, other]| json!({
                "in_order": one.join("\n"),
                "exchanged": other.join("\n"),
            })),
            "tests": tests.iter().map(test).collect::<Vec<_>>(),
        })
    }

    /// The answer of the first call with which the second one throws, if no stronger need was seen.
    fn refusal(&self) -> Option<bool> {
        let shows_need = self.pair.on_objects.needed + self.pair.on_objects.matters > 0;
        self.order.as_ref().and_then(|order| order.refusal).filter(|_| !shows_need)
    }

    /// The witness, if the verdict rests on it. No two runs show that the first call is the test of the
    /// second.
    pub(super) fn witness(&self) -> Option<&OrderWitness> {
        self.order.as_ref().filter(|_| self.refusal().is_none()).and_then(|order| order.witness.as_ref())
    }
}

fn need_name(need: Need) -> &'static str {
    match need {
        Need::Unknown => "unknown",
        Need::Free => "free",
        Need::Matters => "matters",
        Need::Needed => "needed",
    }
}

fn tally(tally: &Tally) -> Json {
    let Tally { needed, matters, fields, free, both_threw, opposite, spoils, guards } = tally;
    json!({
        "needed": needed,
        "matters": matters,
        "fields": fields,
        "free": free,
        "both_threw": both_threw,
        "opposite": opposite,
        "spoils": spoils,
        "guards": guards,
    })
}

fn test(test: &TestEvidence) -> Json {
    let TestEvidence { test, plain, steady, threads, expected, between, published, supplied } = test;
    json!({
        "test": test,
        "plain": end(plain),
        "steady": steady,
        "threads": threads,
        "expected_exception": match expected {
            Expected::Nothing => "none",
            Expected::Same => "same",
            Expected::Gone => "gone",
            Expected::Other => "other",
        },
        "between": between,
        "published": published.as_ref().map(mutation),
        "supplied": supplied.as_ref().map(mutation),
    })
}

fn mutation(run: &Mutation) -> Json {
    let Mutation { end: ended, delayed, made, late_threw, second_missing, invented } = run;
    json!({
        "end": end(ended),
        "delayed": delayed,
        "made": made,
        "late_threw": late_threw,
        "second_missing": second_missing,
        "invented": invented,
    })
}

fn end(end: &TestEnd) -> Json {
    match end {
        TestEnd::Passed => json!("passed"),
        TestEnd::Skipped => json!("skipped"),
        TestEnd::Lost(how) => json!({ "lost": how }),
        TestEnd::Failed { class, place, message } => {
            json!({ "failed": class, "place": place, "message": message })
        }
    }
}

fn end_of(test: &TestEvidence) -> String {
    match test.supplied.as_ref().map(|run| (&run.end, &run.late_threw)) {
        Some((TestEnd::Failed { class, message, .. }, _)) => {
            let first = message.lines().next().unwrap_or_default();
            if first.contains(class.as_str()) { first.to_owned() } else { format!("{class}: {first}") }
        }
        Some((_, Some(class))) => format!("the late call throws {class}"),
        _ => "it ends differently".to_owned(),
    }
}

/// The end of a call, in words.
fn ended(result: &StepResult) -> String {
    match result.outcome() {
        Some(Outcome::Threw(class)) => format!("throws {}", class.rsplit('.').next().unwrap_or(&class)),
        Some(Outcome::Returned(Value::Void)) => "returns".to_owned(),
        Some(Outcome::Returned(value)) => match (result, value) {
            (StepResult::Object { class, .. }, _) => {
                format!("returns another {}", class.rsplit('.').next().unwrap_or(class))
            }
            (_, Value::Null) => "returns null".to_owned(),
            (_, Value::Bool(value)) => format!("returns {value}"),
            (_, Value::Int(value)) => format!("returns {value}"),
            (_, Value::Float(value)) => format!("returns {value}"),
            (_, Value::Text(value)) => {
                let short: String = value.chars().take(40).collect();
                format!("returns {short:?}")
            }
            (_, Value::Void) => "returns".to_owned(),
        },
        _ => "is not made".to_owned(),
    }
}
