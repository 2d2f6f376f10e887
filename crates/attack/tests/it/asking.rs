//! Bags whose content nobody can name but the bag: a model must not depend on which values the pool has.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

use adit_attack::explore::{ExploreOptions, Laboratory, Prior, SplitOptions, explore};
use adit_attack::{EventReader, GuardedSubject, SurveyOptions};
use adit_automata::Fsa;
use adit_trace::{
    Argument, CallKind, Callable, Depth, Digest, End, EventNames, Run, Script, Skip, Snapshot, Statement,
    Step, StepResult, Stop, Subject, Unlimited, Value, ValueKind, Vocabulary,
};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::author::RandomAuthor;
use crate::options::splitting;

/// Runs scripts that call bags. `fill` puts something into a bag that no other call knows.
struct BagWorld {
    /// It is a text; otherwise an object.
    is_text: bool,
    /// `peek` shows it.
    answers: bool,
    /// Its fields show the number of things, and what they lead to if it is asked to look that deep.
    seen: Option<Depth>,
}

/// An element of a bag.
#[derive(Clone, Debug, PartialEq)]
enum Thing {
    Plain(String),
    /// An object, by the statement that made it.
    Secret(usize),
}

struct Bag {
    things: Vec<Thing>,
}

const TEXT: &str = "zanzibar";

impl Subject for BagWorld {
    type Error = Infallible;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
        Ok(batch.iter().map(|script| self.one(script)).collect())
    }

    fn look(&mut self, depth: Depth) {
        self.seen = self.seen.map(|_| depth);
    }
}

impl BagWorld {
    fn vocabulary(&self) -> Vocabulary {
        use ValueKind::{Bool, Nothing, Object};
        let method = |name, parameters: &[ValueKind], answer| {
            let parameters = parameters.to_vec();
            Arc::new(Callable { parameters, answer, ..Callable::new(CallKind::Method, "Bag", name) })
        };
        let mut methods = vec![
            method("add", &[Object], Nothing),
            method("fill", &[], Nothing),
            method("isEmpty", &[], Bool),
            method("remove", &[Object], Bool),
        ];
        if self.answers {
            methods.push(method("peek", &[], Object));
        }
        let new = Callable { answer: Object, ..Callable::new(CallKind::Constructor, "Bag", "Bag") };
        let starts = vec![Arc::new(new)];
        Vocabulary { class: "Bag".into(), starts, methods, names: EventNames::default() }
    }

    fn one(&self, script: &Script) -> Run {
        // For each statement the bag or the thing that it gave.
        let mut bags: Vec<Option<Bag>> = Vec::new();
        let mut things: Vec<Option<Thing>> = Vec::new();
        let mut steps = Vec::new();
        for (at, statement) in script.statements.iter().enumerate() {
            let (mut bag, mut thing) = (None, None);
            let receiver = statement.receiver.filter(|&receiver| bags[receiver].is_some());
            let (result, of) = match (statement.callable.kind, receiver) {
                (CallKind::Constructor, _) => {
                    bag = Some(Bag { things: Vec::new() });
                    (StepResult::Object { class: "Bag".into(), first: at }, None)
                }
                (_, Some(receiver)) => {
                    let own = bags[receiver].as_mut().expect("it is a bag");
                    let argument = statement.args.first().map(|argument| passed(argument, &things));
                    if argument == Some(None) {
                        (StepResult::Skipped(Skip::NoArgument), None)
                    } else {
                        let argument = argument.flatten();
                        (self.call(at, statement, own, argument, &mut thing), Some(receiver))
                    }
                }
                _ => (StepResult::Skipped(Skip::NoReceiver), None),
            };
            bags.push(bag);
            things.push(thing);
            let shown = of.or(bags[at].is_some().then_some(at)).and_then(|of| bags[of].as_ref());
            steps.push(Step { fields: shown.map(|bag| self.snapshot(bag)), ..Step::new(result) });
        }
        Run { steps, end: End::Complete, leaked: false, passed: None }
    }

    fn snapshot(&self, bag: &Bag) -> Snapshot {
        let shown: Vec<String> = bag
            .things
            .iter()
            .map(|thing| match thing {
                Thing::Plain(text) => text.clone(),
                // Digests of objects do not tell which they are.
                Thing::Secret(_) => "secret".to_owned(),
            })
            .collect();
        let content = shown.join(" ");
        let (name, count) = (Arc::from(["things".to_owned()]), bag.things.len());
        let Some(depth) = self.seen else { return Snapshot::new(name, Arc::from([Value::Text(content)])) };
        let counted = Snapshot::new(name, Arc::from([Value::Int(count as i64)]));
        if depth == Depth::Fields {
            return counted;
        }
        let exact = content.bytes().fold(7, |hash: u64, byte| hash.wrapping_mul(31) + u64::from(byte));
        counted.with_digests([Digest { exact, coarse: count.min(2) as u64 }])
    }

    fn call(
        &self,
        at: usize,
        statement: &Statement,
        bag: &mut Bag,
        argument: Option<Thing>,
        thing: &mut Option<Thing>,
    ) -> StepResult {
        match &*statement.callable.name {
            "add" => {
                bag.things.extend(argument);
                StepResult::Returned(Value::Void)
            }
            "fill" => {
                let secret = if self.is_text { Thing::Plain(TEXT.to_owned()) } else { Thing::Secret(at) };
                bag.things = vec![secret];
                StepResult::Returned(Value::Void)
            }
            "isEmpty" => StepResult::Returned(Value::Bool(bag.things.is_empty())),
            "remove" => {
                let found = bag.things.iter().position(|thing| Some(thing) == argument.as_ref());
                found.map(|found| bag.things.remove(found));
                StepResult::Returned(Value::Bool(found.is_some()))
            }
            _ => match bag.things.last() {
                None => StepResult::Returned(Value::Null),
                Some(Thing::Plain(text)) => StepResult::Returned(Value::Text(text.clone())),
                Some(secret) => {
                    *thing = Some(secret.clone());
                    StepResult::Object { class: "Thing".into(), first: at }
                }
            },
        }
    }
}

/// The thing that a call is given; nothing if it takes none of this kind.
fn passed(argument: &Argument, things: &[Option<Thing>]) -> Option<Thing> {
    match argument {
        Argument::Text(text) => Some(Thing::Plain(text.clone())),
        Argument::Int(number) => Some(Thing::Plain(number.to_string())),
        Argument::Earlier(at) => things[*at].clone(),
        _ => None,
    }
}

fn model(mut world: BagWorld) -> Fsa<String> {
    let vocabulary = world.vocabulary();
    let (reader, mut author) = (EventReader::new(&vocabulary), RandomAuthor::new(&vocabulary));
    let pure = ["isEmpty:TRUE", "isEmpty:FALSE", "peek", "remove:FALSE"];
    let pure: BTreeSet<_> = pure.iter().filter_map(|label| reader.alphabet().get(label)).collect();
    let options = ExploreOptions {
        survey: SurveyOptions { scripts: 300, calls: 8, candidates: 24, moves: 8 },
        successors: 8,
        splitting: SplitOptions { gain: 1.1, ..splitting(8) },
    };
    let mut unlimited = Unlimited;
    let mut subject = GuardedSubject::new(&mut world, &mut unlimited);
    let (mut rng, mut pace) = (ChaCha8Rng::seed_from_u64(5), Unlimited);
    let (subject, author) = (&mut subject, &mut author);
    let mut laboratory = Laboratory { subject, author, reader: &reader, rng: &mut rng, pace: &mut pace };
    let prior = Prior { pure, ..Prior::default() };
    let explored = explore(&mut laboratory, prior, options).unwrap().explored(&reader);
    assert_eq!(explored.stop, Stop::Done);
    explored.model
}

fn reads(model: &Fsa<String>, word: &str) -> bool {
    let word: Vec<String> = word.split_whitespace().map(str::to_owned).collect();
    model.reads(&word)
}

#[test]
fn a_text_that_the_object_answers_is_passed_back() {
    let model = model(BagWorld { is_text: true, answers: true, seen: None });
    assert!(reads(&model, "Bag fill remove:TRUE isEmpty:TRUE"));
    assert!(!reads(&model, "Bag remove:TRUE"));
    assert_eq!(model.len(), 3, "before there is a bag, empty, and not empty: {model:?}");
}

#[test]
fn an_object_that_the_object_answers_is_passed_back() {
    let model = model(BagWorld { is_text: false, answers: true, seen: None });
    assert!(reads(&model, "Bag fill remove:TRUE isEmpty:TRUE"));
    assert_eq!(model.len(), 3, "before there is a bag, empty, and not empty: {model:?}");
}

/// Nothing is taken for possible that no value showed.
#[test]
fn an_object_that_does_not_answer_is_not_guessed_about() {
    let model = model(BagWorld { is_text: true, answers: false, seen: None });
    assert!(!reads(&model, "Bag fill remove:TRUE"));
    assert!(reads(&model, "Bag fill remove:FALSE"));
}

/// What the bag was filled with is in no pool, but a bag with one thing is like another.
#[test]
fn an_object_can_do_what_those_do_that_are_like_it() {
    let model = model(BagWorld { is_text: true, answers: false, seen: Some(Depth::Fields) });
    assert!(reads(&model, "Bag fill remove:TRUE isEmpty:TRUE"));
    assert!(!reads(&model, "Bag remove:TRUE"));
    assert_eq!(model.len(), 3, "before there is a bag, empty, and not empty: {model:?}");
}
