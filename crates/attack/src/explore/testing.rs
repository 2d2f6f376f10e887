//! Explorations for tests.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use adit_trace::{
    Argument, CallKind, Callable, End, EventNames, Letter, Run, Script, Snapshot, Statement, Step,
    StepResult, Subject, Unlimited, Value, ValueKind, Vocabulary,
};

use super::exploration::{Exploration, ProbedSituation, SituationId, Successor};
use super::{ExploreOptions, Prior, SplitOptions};
use crate::moves::{Move, Situation};
use crate::probe::{Prober, StateHash};
use crate::survey::{Pool, SurveyOptions};
use crate::ties::Ties;
use crate::{EventReader, GuardedSubject};

/// An exploration without situations.
pub(super) fn nothing_explored() -> Exploration {
    let splitting = SplitOptions {
        walks: 1,
        walk_length: 1,
        width: 1,
        gain: 1.0,
        relative_gain: 1.0,
        least_gain: 1.0,
        enough: 1.0,
        good: 1.0,
        readable: 1,
        states: 1,
    };
    let survey = SurveyOptions { scripts: 1, calls: 1, candidates: 1, moves: 1 };
    let options = ExploreOptions { survey, successors: 1, splitting };
    let pool = Pool { starts: Vec::new(), moves: Vec::new(), ties: Ties::default() };
    Exploration::new(pool, Vec::new(), Prior::default(), options)
}

/// An exploration of situations: for each the events, with the situations that they lead to, or nothing if
/// that was never probed. A new object is in the first.
pub(super) fn explored(situations: &[&[(Letter, Option<usize>)]]) -> Exploration {
    let mut made = nothing_explored();
    let situation = Situation { script: Script { statements: Vec::new() }, object: 0 };
    let state = |number: u64| StateHash::combine([number].into_iter());
    let successor = |letter: Letter, to: Option<usize>| Successor {
        letter,
        situation: situation.clone(),
        state: state(to.map_or(u64::MAX, |to| to as u64)),
        probed: to.map(SituationId),
        like: None,
    };
    for (number, leads) in situations.iter().enumerate() {
        let successors: Vec<Successor> = leads.iter().map(|&(letter, to)| successor(letter, to)).collect();
        made.met.extend(successors.iter().map(|one| one.letter));
        let enabled = made.enabled_set(&successors);
        made.situations.push(ProbedSituation {
            situation: situation.clone(),
            state: state(number as u64),
            enabled,
            successors,
            thrown: BTreeMap::new(),
            untried: BTreeSet::new(),
        });
    }
    made.creations = vec![successor(NEW, Some(0))];
    made
}

/// The event that creates an object.
pub(super) const NEW: Letter = 100;

/// Safes: `add` works five times, `unlock` takes nothing but 7, and `note` takes anything.
pub(super) struct Safes;

/// The calls that safes have.
fn safe() -> Vocabulary {
    let call = |kind, name, parameters: &[ValueKind]| {
        Arc::new(Callable { parameters: parameters.to_vec(), ..Callable::new(kind, "Safe", name) })
    };
    Vocabulary {
        class: "Safe".into(),
        starts: vec![call(CallKind::Constructor, "Safe", &[])],
        methods: vec![
            call(CallKind::Method, "add", &[]),
            call(CallKind::Method, "note", &[ValueKind::Int]),
            call(CallKind::Method, "unlock", &[ValueKind::Int]),
        ],
        names: EventNames::default(),
    }
}

impl Subject for Safes {
    type Error = Infallible;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
        let run = |script: &Script| {
            let mut things = 0;
            let mut step = |(at, statement): (usize, &Statement)| {
                let result = match (&*statement.callable.name, &statement.args[..]) {
                    ("Safe", _) => StepResult::Object { class: "Safe".into(), first: at },
                    ("add", _) if things < 5 => {
                        things += 1;
                        StepResult::Returned(Value::Void)
                    }
                    ("note", _) | ("unlock", [Argument::Int(7)]) => StepResult::Returned(Value::Void),
                    _ => StepResult::threw("java.lang.IllegalStateException"),
                };
                let fields = Snapshot::new(["things".to_owned()].into(), vec![Value::Int(things)]);
                Step { fields: Some(fields), ..Step::new(result) }
            };
            let steps = script.statements.iter().enumerate().map(&mut step).collect();
            Run { steps, end: End::Complete, leaked: false, passed: None }
        };
        Ok(batch.iter().map(run).collect())
    }
}

/// Does something with a prober of safes.
pub(super) fn with_safes<T>(act: impl FnOnce(&mut Prober<'_, GuardedSubject<'_, Safes>>) -> T) -> T {
    let (mut world, mut unlimited, mut pace) = (Safes, Unlimited, Unlimited);
    let mut subject = GuardedSubject::new(&mut world, &mut unlimited);
    let reader = EventReader::new(&safe());
    act(&mut Prober::new(&mut subject, &reader, &mut pace))
}

/// A safe on which these calls were made, each with a number if it takes one.
pub(super) fn used_safe(calls: &[(&str, i64)]) -> Situation {
    let Vocabulary { starts, methods, .. } = safe();
    let mut statements = vec![Statement { callable: starts[0].clone(), receiver: None, args: Vec::new() }];
    for (name, number) in calls {
        let callable = methods.iter().find(|one| one.name == *name).expect("safes have the call").clone();
        let args = callable.parameters.iter().map(|_| Argument::Int(*number)).collect();
        statements.push(Statement { callable, receiver: Some(0), args });
    }
    Situation { script: Script { statements }, object: 0 }
}

/// An exploration of safes that knows one call of each method, and has probed these.
pub(super) fn probed_safes(
    prober: &mut Prober<'_, GuardedSubject<'_, Safes>>,
    safes: &[Situation],
) -> Exploration {
    let mut made = nothing_explored();
    let call = |name| Move::cut_out(&used_safe(&[(name, 3)]).script, 1, 0).expect("it needs nothing else");
    made.pool.moves = ["add", "note", "unlock"].map(call).into();
    made.pool.starts = vec![Move::cut_out(&used_safe(&[]).script, 0, 0).expect("it needs nothing")];
    made.create_objects(prober).expect("safes never fail");
    for safe in safes {
        let observed = prober.observe(std::slice::from_ref(safe)).expect("safes never fail");
        let state = observed[0].as_ref().expect("the last call returned").state;
        made.probe(prober, vec![(safe.clone(), state)]).expect("safes never fail");
    }
    made
}
