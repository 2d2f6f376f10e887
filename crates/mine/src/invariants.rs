//! Invariants: claims about fields, parameters and results that every observed call bears out, and that
//! chance would hardly have left standing.
//!
//! Paper: `daikon`, with the filters and the distinction of outcomes of [krka, section 3.2].
//! Deviation: Daikon tries every claim of a grammar and drops those that a sample contradicts; here counts
//! are kept from which the claims of a fixed set are read off in the end, so that two logs can be counted
//! apart and added up. Confidence is computed as `invariants/justify.rs` says. Claims about the elements of
//! arrays are about their contents as a whole, and there are no claims about three variables.
//! Cost: one pass; the square of the number of variables for each call. Memory depends on methods and
//! variables, and not on the number of calls.
//!
//! Claims: constants and small sets of values, bounds, comparisons of two variables, fixed differences
//! (`x == orig(x) + 1`, unchanged fields among them), null-ness, equality of references and texts, and
//! claims that depend on the boolean result where the label does not tell it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::ControlFlow;

use adit_logic::contract::{Clause, Constant, Contract, Contracts, Moment, Type, Variable};
use adit_trace::{CallSink, Details, Event, Labels, ObservedCall, Outcome, Value, observed_calls};
use serde::{Deserialize, Serialize};

mod claims;
mod fold;
mod implied;
mod justify;
#[cfg(test)]
mod naive;
mod slice;
mod stats;
#[cfg(test)]
mod tests;

pub use fold::{Fold, UnreadableFold};

use crate::MineError;
use implied::{Facts, without_implied};
use slice::Slice;

/// The most kinds of calls that are counted.
const MOST_POINTS: usize = 1 << 14;

/// The variables that claims are made about: the filters of [krka, section 3.2].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The most steps from the object to a field. The paper takes 1, the object's own fields.
    pub depth: usize,
    /// The types of values. The paper takes whole numbers, booleans and null-ness.
    pub types: ValueTypes,
    /// Claims about the elements of arrays and collections, besides their number. The paper leaves them out.
    pub elements: bool,
}

/// Types of values that claims are made about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueTypes {
    /// Whole numbers, sizes among them.
    pub int: bool,
    /// Booleans.
    pub bool: bool,
    /// Null-ness and identity of references.
    pub null: bool,
    /// Texts.
    pub text: bool,
    /// Floating-point numbers.
    pub float: bool,
}

/// The claims to report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InvariantQuery {
    /// The label function. Calls with the same label have the same contract.
    pub labels: Labels,
    /// The least confidence. Daikon takes 0.99.
    pub min_confidence: f64,
    /// The least number of samples.
    pub min_support: u64,
    /// Report claims that follow from others too.
    pub keep_implied: bool,
}

/// A claim and how well the calls bear it out.
#[derive(Clone, Debug, PartialEq)]
pub struct Invariant {
    /// The claim.
    pub clause: Clause,
    /// The number of samples in which it held. There is none in which it did not.
    pub support: u64,
    /// One minus the probability that it held by chance.
    pub confidence: f64,
}

/// A moment at which claims hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProgramPoint {
    /// Before and after every call.
    Object,
    /// When a call with this label begins.
    Entry(String),
    /// When a call with this label ends.
    Exit(String),
}

/// The claims at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct PointInvariants {
    /// The moment.
    pub point: ProgramPoint,
    /// The number of samples.
    pub samples: u64,
    /// The claims, sorted.
    pub invariants: Vec<Invariant>,
}

/// The claims about one class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassInvariants {
    /// The class, if the traces name it.
    pub class: Option<String>,
    /// The types of the fields.
    pub fields: BTreeMap<Variable, Type>,
    /// The fields that no call changed after the object was made.
    pub fixed: BTreeSet<Variable>,
    /// The number of calls with each label, and whether they create objects.
    pub calls: BTreeMap<String, (u64, bool)>,
    /// The moments, the object first, then labels in order.
    pub points: Vec<PointInvariants>,
}

/// Counts the values of variables while calls are being read.
#[derive(Clone, Debug)]
pub struct InvariantMiner {
    scope: Scope,
    classes: BTreeMap<String, BTreeMap<CallKey, PointTally>>,
    points: usize,
    refused: Option<MineError>,
}

/// Everything about a call that some label function tells.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct CallKey {
    method: String,
    answer: Option<bool>,
    threw: Option<String>,
    line: Option<u32>,
}

/// The counts of one kind of call.
#[derive(Clone, Debug, Default)]
struct PointTally {
    calls: u64,
    /// Calls before which the object had no state.
    created: u64,
    entry: Slice,
    exit: Slice,
}

impl InvariantMiner {
    /// Makes a miner that has seen nothing.
    pub fn new(scope: Scope) -> Self {
        Self { scope, classes: BTreeMap::new(), points: 0, refused: None }
    }

    /// Counts a call.
    pub fn add(&mut self, call: &ObservedCall<'_>) -> Result<(), MineError> {
        let key = CallKey::of(call.event);
        let class = call.class.unwrap_or_default();
        if !self.classes.contains_key(class) {
            self.classes.insert(class.to_owned(), BTreeMap::new());
        }
        let points = self.classes.get_mut(class).expect("it was just put there");
        let point = points.entry(key).or_insert_with(|| {
            self.points += 1;
            PointTally::default()
        });
        point.calls += 1;
        point.created += u64::from(call.before.is_none());
        point.entry.add_entry(call.before, call.event, &self.scope)?;
        point.exit.add_exit(call.before, call.event, &self.scope)?;
        if self.points > MOST_POINTS {
            return Err(MineError::TooManyPoints { limit: MOST_POINTS });
        }
        Ok(())
    }

    /// Ends the counting, and tells the reason if a limit ended it before.
    pub fn finish(mut self) -> Result<Self, MineError> {
        self.refused.take().map_or(Ok(self), Err)
    }

    /// Adds what was counted elsewhere, as if one miner had seen both.
    pub fn merge(mut self, other: &Self) -> Result<Self, MineError> {
        if self.scope != other.scope {
            let (one, another) = (self.scope.to_string(), other.scope.to_string());
            return Err(MineError::DifferentScopes { one, another });
        }
        for (class, points) in &other.classes {
            let ours = self.classes.entry(class.clone()).or_default();
            for (key, point) in points {
                ours.entry(key.clone()).or_default().merge(point)?;
            }
        }
        self.points = self.classes.values().map(BTreeMap::len).sum();
        if self.points > MOST_POINTS {
            return Err(MineError::TooManyPoints { limit: MOST_POINTS });
        }
        Ok(self)
    }

    /// The number of calls that were counted.
    pub fn calls(&self) -> u64 {
        let points = self.classes.values().flat_map(BTreeMap::values);
        points.fold(0, |sum, point| sum.saturating_add(point.calls))
    }

    /// Tells whether any call came with the fields of its object.
    pub fn has_states(&self) -> bool {
        let slices = self.classes.values().flat_map(BTreeMap::values).map(|point| &point.exit);
        slices.flat_map(|slice| &slice.variables).any(Variable::is_field)
    }

    /// The claims that qualify, by class.
    pub fn invariants(&self, query: &InvariantQuery) -> Result<Vec<ClassInvariants>, MineError> {
        self.classes.iter().map(|(class, points)| self.of_class(class, points, query)).collect()
    }

    fn of_class(
        &self,
        class: &str,
        points: &BTreeMap<CallKey, PointTally>,
        query: &InvariantQuery,
    ) -> Result<ClassInvariants, MineError> {
        let mut by_label: BTreeMap<String, Vec<(&CallKey, &PointTally)>> = BTreeMap::new();
        for (key, point) in points {
            by_label.entry(query.labels.of(&key.event())).or_default().push((key, point));
        }
        let mut object = Slice::default();
        let is_state = |variable: &Variable| variable.is_field() && variable.moment == Moment::Now;
        for point in points.values() {
            object.merge(&point.entry, is_state)?;
            object.merge(&point.exit, is_state)?;
        }
        // The number of samples is that of states, and not that of calls.
        object.samples = object.values.iter().map(|values| values.samples).max().unwrap_or(0);
        let places = object.variables.iter().enumerate();
        let fields = places.map(|(place, variable)| (variable.clone(), object.kind(place))).collect();
        let fixed = object.variables.iter().filter(|&field| is_fixed(field, points.values()));
        let fixed = fixed.cloned().collect();
        let mut found = vec![self.at(ProgramPoint::Object, &object, query)];
        let mut calls = BTreeMap::new();
        for (label, points) in by_label {
            let mut tally = PointTally::default();
            points.iter().try_for_each(|(_, point)| tally.merge(point))?;
            calls.insert(label.clone(), (tally.calls, tally.created == tally.calls));
            found.push(self.at(ProgramPoint::Entry(label.clone()), &tally.entry, query));
            let mut exit = self.at(ProgramPoint::Exit(label), &tally.exit, query);
            let implications = self.implications(&points, &exit.invariants, query)?;
            exit.invariants.extend(implications);
            found.push(exit);
        }
        let class = Some(class).filter(|class| !class.is_empty()).map(str::to_owned);
        let class = class.or_else(|| {
            // A constructor has the name of its class.
            let mut creators = calls.iter().filter(|(_, (_, creates))| *creates);
            let name = |label: &String| adit_trace::Label::parse(label).name().to_owned();
            creators.find(|(label, _)| label.starts_with(char::is_uppercase)).map(|(label, _)| name(label))
        });
        Ok(ClassInvariants { class, fields, fixed, calls, points: found })
    }

    /// The claims at a moment that qualify.
    fn at(&self, point: ProgramPoint, slice: &Slice, query: &InvariantQuery) -> PointInvariants {
        let mut invariants = self.qualified(slice, query);
        if !query.keep_implied {
            invariants = without_implied(invariants);
        }
        if matches!(point, ProgramPoint::Exit(_)) {
            // What is said about the beginning of a call is not repeated at its end, but it implies things.
            invariants.retain(|claim| !claims::is_early(&claim.clause));
        }
        PointInvariants { point, samples: slice.samples, invariants }
    }

    fn qualified(&self, slice: &Slice, query: &InvariantQuery) -> Vec<Invariant> {
        let mut claims = claims::claims(slice, &self.scope);
        claims.retain(|claim| {
            claim.confidence >= query.min_confidence && claim.support >= query.min_support.max(1)
        });
        claims
    }

    /// Claims that depend on the boolean result, where calls with both results have the same label. `known`
    /// are those that do not depend on it.
    fn implications(
        &self,
        points: &[(&CallKey, &PointTally)],
        known: &[Invariant],
        query: &InvariantQuery,
    ) -> Result<Vec<Invariant>, MineError> {
        let mut halves = Vec::new();
        for answer in [true, false] {
            let mut slice = Slice::default();
            for (_, point) in points.iter().filter(|(key, _)| key.answer == Some(answer)) {
                slice.merge(&point.exit, |_| true)?;
            }
            halves.push((answer, self.qualified(&slice, query)));
        }
        if halves.iter().any(|(_, claims)| claims.is_empty()) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for (half, other) in [(0, 1), (1, 0)] {
            let condition = Clause::is(Variable::result(), Constant::Bool(halves[half].0));
            let facts = Facts::of(&halves[other].1);
            let claims = halves[half].1.clone();
            let claims = if query.keep_implied { claims } else { without_implied(claims) };
            for Invariant { clause, support, confidence } in claims {
                let new = known.iter().all(|known| known.clause != clause);
                if !new || clause == condition || claims::is_early(&clause) {
                    continue;
                }
                let (condition, conclusion) = (Box::new(condition.clone()), Box::new(clause));
                let clause = if facts.exclude(&conclusion) {
                    Clause::Iff(condition, conclusion)
                } else {
                    Clause::Implies(condition, conclusion)
                };
                found.push(Invariant { clause, support, confidence });
            }
        }
        Ok(found)
    }
}

/// Tells whether a field had the same value before and after every call.
fn is_fixed<'a>(field: &Variable, points: impl Iterator<Item = &'a PointTally>) -> bool {
    let mut seen = points.filter_map(|point| point.exit.pair_of(field, &field.clone().before())).peekable();
    seen.peek().is_some() && seen.all(|together| together.is_always_equal())
}

impl CallSink for InvariantMiner {
    fn call(&mut self, call: &ObservedCall<'_>) -> ControlFlow<()> {
        match self.add(call) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.refused = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

/// The contracts of the class whose objects have these traces. Runs with snapshots have such traces: those
/// of [`Run::lives`](adit_trace::Run::lives).
///
/// ```
/// use adit_mine::{InvariantQuery, Scope, ValueTypes, contracts_of};
/// use adit_trace::{Event, Labels, Value};
///
/// let counted = |method: &str, n: i64| Event {
///     state: Some([("n".to_owned(), Value::Int(n))].into()),
///     ..Event::call(method)
/// };
/// let mut trace = vec![counted("Counter", 0)];
/// trace.extend((1..30).map(|n| counted("add", n)));
/// let scope = Scope { depth: 1, types: ValueTypes::PAPER, elements: false };
/// let query = InvariantQuery {
///     labels: Labels::Exception,
///     min_confidence: 0.99,
///     min_support: 1,
///     keep_implied: false,
/// };
/// let contracts = contracts_of([trace.as_slice()], scope, &query)?;
/// let add: Vec<String> = contracts.calls["add"].post.iter().map(ToString::to_string).collect();
/// assert_eq!(add, ["this.n == orig(this.n) + 1"]);
/// # Ok::<(), adit_mine::MineError>(())
/// ```
pub fn contracts_of<'a>(
    traces: impl IntoIterator<Item = &'a [Event]>,
    scope: Scope,
    query: &InvariantQuery,
) -> Result<Contracts, MineError> {
    let mut miner = InvariantMiner::new(scope);
    for trace in traces {
        observed_calls(trace).try_for_each(|call| miner.add(&call))?;
    }
    let classes = miner.invariants(query)?;
    Ok(classes.first().map(ClassInvariants::contracts).unwrap_or_default())
}

impl ClassInvariants {
    /// The claims as contracts, without those about what some calls did not have, such as the size of an
    /// array that was null: a contract holds for every call. Daikon drops such variables too.
    pub fn contracts(&self) -> Contracts {
        let mut contracts = Contracts {
            class: self.class.clone(),
            fields: self.fields.clone(),
            fixed: self.fixed.clone(),
            object: Vec::new(),
            calls: BTreeMap::new(),
        };
        for (label, &(calls, creates)) in &self.calls {
            contracts.calls.insert(label.clone(), Contract { calls, creates, ..Contract::default() });
        }
        for point in &self.points {
            let all = point.invariants.iter().map(|claim| claim.support).max().unwrap_or(0);
            // An implication is only about the calls with one result.
            let is_conditional = |clause: &Clause| matches!(clause, Clause::Implies(..) | Clause::Iff(..));
            let whole =
                point.invariants.iter().filter(|claim| claim.support == all || is_conditional(&claim.clause));
            let clauses = whole.map(|claim| claim.clause.clone()).collect();
            match &point.point {
                ProgramPoint::Object => contracts.object = clauses,
                ProgramPoint::Entry(label) => {
                    contracts.calls.entry(label.clone()).or_default().pre = clauses;
                }
                ProgramPoint::Exit(label) => {
                    contracts.calls.entry(label.clone()).or_default().post = clauses;
                }
            }
        }
        contracts
    }
}

impl CallKey {
    fn of(event: &Event) -> Self {
        Self {
            method: event.method.clone(),
            answer: match event.outcome {
                Outcome::Returned(Value::Bool(answer)) => Some(answer),
                _ => None,
            },
            threw: match &event.outcome {
                Outcome::Threw(class) => Some(class.clone()),
                _ => None,
            },
            line: event.line(),
        }
    }

    /// An event that has the labels of these calls.
    fn event(&self) -> Event {
        let outcome = match (&self.threw, self.answer) {
            (Some(class), _) => Outcome::Threw(class.clone()),
            (None, Some(answer)) => Outcome::Returned(Value::Bool(answer)),
            (None, None) => Outcome::Unrecorded,
        };
        let details = Details { line: self.line, ..Details::default() };
        Event { outcome, details: Some(Box::new(details)), ..Event::call(&self.method) }
    }
}

impl PointTally {
    fn merge(&mut self, other: &Self) -> Result<(), MineError> {
        self.calls = self.calls.saturating_add(other.calls);
        self.created = self.created.saturating_add(other.created);
        self.entry.merge(&other.entry, |_| true)?;
        self.exit.merge(&other.exit, |_| true)
    }
}

impl ValueTypes {
    /// The types that the paper keeps.
    pub const PAPER: Self = Self { int: true, bool: true, null: true, text: false, float: false };

    /// Every type.
    pub const ALL: Self = Self { int: true, bool: true, null: true, text: true, float: true };

    /// Tells whether claims about values of this type are wanted. Of references only null-ness and identity
    /// can be claimed.
    fn has(self, kind: Type) -> bool {
        match kind {
            Type::Int => self.int,
            Type::Bool => self.bool,
            Type::Float => self.float,
            Type::Text => self.text,
            Type::Reference | Type::Mixed => false,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ValueTypes { int, bool, null, text, float } = self.types;
        let types = [(int, "int"), (bool, "bool"), (null, "null"), (text, "text"), (float, "float")];
        let types: Vec<&str> = types.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
        let elements = if self.elements { ", elements" } else { "" };
        write!(f, "depth {}, types {}{elements}", self.depth, types.join(","))
    }
}

impl ProgramPoint {
    /// The name of the moment, as Daikon writes it: `StackAr.push:::ENTER`.
    pub fn name(&self, class: Option<&str>) -> String {
        let of = |label: &str| match class {
            Some(class) => format!("{class}.{label}"),
            None => label.to_owned(),
        };
        match self {
            Self::Object => format!("{}:::OBJECT", class.unwrap_or_default()),
            Self::Entry(label) => format!("{}:::ENTER", of(label)),
            Self::Exit(label) => format!("{}:::EXIT", of(label)),
        }
    }
}
