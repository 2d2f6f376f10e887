//! Experiments on objects that adit makes: both orders of calls, and the fields that calls touch.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use adit_attack::effects::EffectSummary;
use adit_attack::order::{OrderEvidence, OrderQuestion, Side, Tally, order};
use adit_attack::spec_verdict::{ENOUGH, Shares};
use adit_attack::{EventReader, HangGuard};
use adit_java::source;
use adit_jvm::{Host, Profile};
use adit_trace::{Author, Effects, Limit, Pace, Phase, Progress, Script, Stop, edit};
use miette::Report;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::methods::EventMethods;
use crate::budget::Budget;
use crate::flags::test_spec::ORDER;
use crate::java::class_under_test::{ClassUnderTest, SCRIPTS_PER_BATCH};
use crate::java::environment;
use crate::java::project::ClassLocation;
use crate::output::counted;
use crate::pace::BudgetPace;
use crate::progress::Counting;
use crate::request::{CallRequest, ClassRequest};

/// Scripts whose fields are watched, and calls in each.
const WATCHED: usize = 200;
const WATCHED_CALLS: usize = 8;

/// Share of the time that the survey may take: calls that hang cost most while adit does not know them yet.
const FOR_SURVEY: f64 = 0.4;

/// Most scripts between two looks at the clock.
const WATCHED_AT_ONCE: usize = 20;

/// Results for all pairs, in their order.
pub(super) struct OnObjects {
    pub(super) orders: Vec<OrderEvidence>,
    pub(super) java: Vec<Option<[Vec<String>; 2]>>,
    pub(super) watched: Vec<(Shares, Vec<String>)>,
    /// Number of scripts that were run.
    pub(super) tests: u64,
}

/// Makes objects and runs both orders of every pair. Fields are watched only if some pair is still open, or
/// if all evidence is wanted. A pair that is `None` is decided already. A budget in tests ends after the time
/// `most` too, because calls may hang.
pub(super) fn experiment(
    class: &ClassRequest,
    location: &ClassLocation,
    calls: &CallRequest,
    (budget, most): (Budget, Duration),
    pairs: &[Option<&(EventMethods, EventMethods)>],
    thorough: bool,
    quiet: bool,
) -> Result<OnObjects, Report> {
    let subject = ClassUnderTest::new(class, location, calls, |options| {
        options.snapshots = true;
        options.limits.batch = SCRIPTS_PER_BATCH;
    })?;
    let ClassUnderTest { api, mut generator, mut host, options, fixtures: _fixtures, .. } = subject;
    let vocabulary = api.vocabulary();
    let reader = EventReader::new(&vocabulary);
    let questions: Vec<OrderQuestion> = pairs
        .iter()
        .map(|pair| {
            let side = |event: Option<&EventMethods>| {
                event.map_or(Side { callables: Vec::new(), answer: None }, |event| event.side(&vocabulary))
            };
            OrderQuestion {
                first: side(pair.map(|(first, _)| first)),
                second: side(pair.map(|(_, second)| second)),
            }
        })
        .collect();
    let mut rng = ChaCha8Rng::seed_from_u64(calls.seed);
    let mut counting = Counting::new(quiet);
    let (mut pace, start) = (BudgetPace::new(budget), Instant::now());
    let mut shown = |now: &Progress| {
        counting.show(|| format!("{}, exchanging calls", counted(now.tests, "test")));
        let most = if now.phase == Phase::Survey { most.mul_f64(FOR_SURVEY) } else { most };
        if start.elapsed() >= most { ControlFlow::Break(Stop::Budget(Limit::Time)) } else { pace.go_on(now) }
    };
    let orders = order(&mut host, &mut generator, &reader, &questions, &[], &ORDER, &mut rng, &mut shown)
        .map_err(environment::cannot_run)?;
    let java =
        orders
            .evidence
            .iter()
            .map(|evidence| {
                let witness = evidence.witness.as_ref()?;
                Some([&witness.in_order, &witness.exchanged].map(|script| {
                    source::body(&edit::tidy(script, &vocabulary), None, generator.facts()).lines
                }))
            })
            .collect();
    drop(host);
    let is_open = |(pair, evidence): (&Option<_>, &OrderEvidence)| pair.is_some() && is_open(&evidence.tally);
    if !thorough && !pairs.iter().zip(&orders.evidence).any(is_open) {
        counting.finish();
        let watched = vec![(Shares::Perhaps, Vec::new()); questions.len()];
        return Ok(OnObjects { orders: orders.evidence, java, watched, tests: orders.tests });
    }
    // The same calls once more, with their fields watched.
    let mut watching = options;
    watching.profile = Profile::Watch { classes: vec![api.class.to_string()] };
    (watching.workers, watching.waiting_workers) = (1, 1);
    let mut host = Host::new(watching).map_err(environment::cannot_run)?;
    let scripts: Vec<Script> = (0..WATCHED).map(|_| generator.script(&mut rng, WATCHED_CALLS)).collect();
    let mut summary = EffectSummary::new();
    // Each of them may hang.
    let mut in_time = |_: &Progress| match start.elapsed() >= most {
        true => ControlFlow::Break(Stop::Budget(Limit::Time)),
        false => ControlFlow::Continue(()),
    };
    let runs = HangGuard::new(WATCHED_AT_ONCE)
        .run(&mut host, &scripts, Phase::Walks, &mut in_time)
        .map_err(environment::cannot_run)?;
    let made = scripts.iter().zip(&runs).filter(|(_, run)| run.was_run());
    made.for_each(|(script, run)| summary.observe(script, run));
    counting.finish();
    let watched = questions.iter().map(|question| shared_fields(&summary, question)).collect();
    Ok(OnObjects { orders: orders.evidence, java, watched, tests: orders.tests })
}

/// Tells whether experiments leave a pair open, so that watched fields could decide.
fn is_open(tally: &Tally) -> bool {
    let Tally { needed, matters, fields, free, both_threw, opposite, spoils, guards } = tally;
    needed + matters + fields + spoils + guards == 0 && free + both_threw + opposite < ENOUGH
}

/// The fields that calls of both events touched and one of them wrote.
fn shared_fields(summary: &EffectSummary, question: &OrderQuestion) -> (Shares, Vec<String>) {
    let of = |side: &Side| {
        let all: Vec<&Effects> = side.callables.iter().filter_map(|one| summary.of(one)).collect();
        let mut fields: BTreeMap<String, bool> = BTreeMap::new();
        for effects in &all {
            for read in &effects.reads {
                fields.entry(read.to_string()).or_default();
            }
            for write in &effects.writes {
                fields.insert(write.to_string(), true);
            }
        }
        (!all.is_empty()).then_some(fields)
    };
    let Some((first, second)) = of(&question.first).zip(of(&question.second)) else {
        return (Shares::Perhaps, Vec::new());
    };
    let shared = common_fields(&first, &second);
    (if shared.is_empty() { Shares::No } else { Shares::Yes }, shared)
}

/// The fields that both touch and one of them writes; each is given with whether it is written.
pub(super) fn common_fields(first: &BTreeMap<String, bool>, second: &BTreeMap<String, bool>) -> Vec<String> {
    let is_shared =
        |(field, written): &(&String, &bool)| second.get(*field).is_some_and(|also| **written || *also);
    first.iter().filter(is_shared).map(|(field, _)| field.clone()).collect()
}
