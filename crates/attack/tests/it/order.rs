//! Orders of calls, on the imitated stack.

use std::convert::Infallible;
use std::ops::ControlFlow;

use adit_attack::SurveyOptions;
use adit_attack::order::{Finding, Need, OrderOptions, OrderQuestion, Orders, Side, order};
use adit_trace::{Limit, Pace, Progress, Run, Script, Snapshot, Stop, Subject, Unlimited, Value};
use expect_test::expect;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::stack_world::{StackWorld, tools, vocabulary};

const OPTIONS: OrderOptions = OrderOptions {
    survey: SurveyOptions { scripts: 400, calls: 6, candidates: 8, moves: 4 },
    experiments: 64,
    most: 256,
    examined: 3,
    continuations: 8,
    calls_after: 4,
};

fn ask(pairs: &[(&str, &str)]) -> Orders {
    ask_in(&mut StackWorld::default(), pairs)
}

fn ask_in(world: &mut impl Subject<Error = Infallible>, pairs: &[(&str, &str)]) -> Orders {
    ask_within(world, pairs, &mut Unlimited)
}

fn ask_within(
    world: &mut impl Subject<Error = Infallible>,
    pairs: &[(&str, &str)],
    pace: &mut dyn Pace,
) -> Orders {
    let vocabulary = vocabulary(None);
    let side = |name: &str| Side {
        callables: vocabulary.methods.iter().filter(|method| method.name == name).cloned().collect(),
        answer: None,
    };
    let questions: Vec<OrderQuestion> = pairs
        .iter()
        .map(|(first, second)| OrderQuestion { first: side(first), second: side(second) })
        .collect();
    let (reader, mut author) = tools(None);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    order(world, &mut author, &reader, &questions, &[], &OPTIONS, &mut rng, pace).unwrap()
}

#[test]
fn needed_matters_and_free_are_told_apart() {
    let pairs = [
        ("push", "pop"),
        ("push", "size"),
        ("isEmpty", "push"),
        ("isEmpty", "size"),
        ("none", "push"),
        ("push", "push"),
    ];
    let orders = ask(&pairs);
    let said: String = pairs
        .iter()
        .zip(&orders.evidence)
        .map(|((first, second), evidence)| format!("{first} {second}: {:?}\n", evidence.need))
        .collect();
    expect![[r#"
        push pop: Needed
        push size: Matters
        isEmpty push: Free
        isEmpty size: Free
        none push: Unknown
        push push: Matters
    "#]]
    .assert_eq(&said);
}

/// `isEmpty` changes nothing, and tells whether `pop` throws; it tells nothing about `push`.
#[test]
fn a_test_of_the_second_call_is_found() {
    let orders = ask(&[("isEmpty", "pop"), ("isEmpty", "push"), ("isEmpty", "size")]);
    let said: Vec<(Option<bool>, Need)> =
        orders.evidence.iter().map(|evidence| (evidence.refusal, evidence.need)).collect();
    assert_eq!(said[0], (Some(true), Need::Needed));
    assert_eq!(said[1..], [(None, Need::Free), (None, Need::Free)]);
}

/// No pair takes the experiments of those after it.
#[test]
fn every_pair_gets_some_of_a_small_budget() {
    let pairs = [("isEmpty", "size"); 5];
    let tests = OPTIONS.survey.scripts as u64 + 400;
    let mut pace = |now: &Progress| match now.tests < tests {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(Stop::Budget(Limit::Tests)),
    };
    let orders = ask_within(&mut StackWorld::default(), &pairs, &mut pace);
    assert!(matches!(orders.stop, Stop::Budget(_)), "{:?}", orders.stop);
    let free: Vec<u32> = orders.evidence.iter().map(|evidence| evidence.tally.free).collect();
    assert!(free.iter().all(|&free| free > 0), "{free:?}");
}

/// A witness shows what it claims when its two scripts are run again.
#[test]
fn witnesses_can_be_replayed() {
    let orders = ask(&[("push", "pop"), ("push", "size")]);
    let run = |script: &Script| StackWorld::default().run(std::slice::from_ref(script)).unwrap().remove(0);
    let [pop, size] = &orders.evidence[..] else { panic!("two answers") };
    let witness = pop.witness.as_ref().unwrap();
    assert_eq!(witness.finding.need(), Need::Needed);
    let threw = |script: &Script| {
        run(script)
            .steps
            .iter()
            .any(|step| step.result.outcome().is_some_and(|end| matches!(end, adit_trace::Outcome::Threw(_))))
    };
    assert!(!threw(&witness.in_order) && threw(&witness.exchanged));
    let Some(Finding::SecondAnswers { in_order, exchanged }) = size.witness.as_ref().map(|one| &one.finding)
    else {
        panic!("{:?}", size.witness)
    };
    assert_ne!(in_order, exchanged);
}

/// Stacks with a field that holds the time of the last call: no two runs see it alike.
#[derive(Default)]
struct DatedWorld {
    world: StackWorld,
    time: i64,
}

impl Subject for DatedWorld {
    type Error = Infallible;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
        let mut runs = self.world.run(batch)?;
        for fields in runs.iter_mut().flat_map(|run| &mut run.steps).filter_map(|step| step.fields.as_mut()) {
            self.time += 1;
            let names: Vec<String> = fields.names().iter().cloned().chain(["dated".to_owned()]).collect();
            let values: Vec<Value> = fields.values().cloned().chain([Value::Int(self.time)]).collect();
            *fields = Snapshot::new(names.into(), values);
        }
        Ok(runs)
    }
}

/// What differs from run to run of one script is no difference of the orders, and hides none.
#[test]
fn clocks_are_no_difference() {
    let pairs =
        [("now", "isEmpty"), ("isEmpty", "now"), ("size", "isEmpty"), ("push", "size"), ("push", "pop")];
    let orders = ask_in(&mut DatedWorld::default(), &pairs);
    let needs: Vec<Need> = orders.evidence.iter().map(|evidence| evidence.need).collect();
    assert_eq!(needs, [Need::Free, Need::Free, Need::Free, Need::Matters, Need::Needed]);
}

/// Stacks that keep the answer of `isEmpty` until the next change, in a field of their own.
#[derive(Default)]
struct CachingWorld(StackWorld);

impl Subject for CachingWorld {
    type Error = Infallible;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
        let mut runs = self.0.run(batch)?;
        for (script, run) in batch.iter().zip(&mut runs) {
            let mut kept = std::collections::BTreeMap::new();
            for (at, (statement, step)) in script.statements.iter().zip(&mut run.steps).enumerate() {
                let Some(fields) = &mut step.fields else { continue };
                let cache = kept.entry(statement.receiver.unwrap_or(at)).or_insert(Value::Null);
                match &*statement.callable.name {
                    "isEmpty" => *cache = Value::Bool(fields.values().next() == Some(&Value::Int(0))),
                    "push" | "pop" => *cache = Value::Null,
                    _ => {}
                }
                let names: Vec<String> = fields.names().iter().cloned().chain(["cache".to_owned()]).collect();
                let values: Vec<Value> = fields.values().cloned().chain([cache.clone()]).collect();
                *fields = Snapshot::new(names.into(), values);
            }
        }
        Ok(runs)
    }
}

/// A cache is no change that later calls could see, and `pop` makes room for `push`.
#[test]
fn a_query_that_keeps_its_answer_only_looks() {
    let pairs = [("isEmpty", "push"), ("pop", "push"), ("push", "size")];
    let orders = ask_in(&mut CachingWorld::default(), &pairs);
    let needs: Vec<Need> = orders.evidence.iter().map(|evidence| evidence.need).collect();
    assert_eq!(needs, [Need::Free, Need::Needed, Need::Matters]);
}
