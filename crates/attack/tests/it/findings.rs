//! Findings about single calls of stacks, and the finer model of a stack.

use std::convert::Infallible;

use adit_attack::explore::{ExploreOptions, Explorer, Laboratory, Prior, SplitOptions, explore};
use adit_attack::findings::{Finding, FindingKind};
use adit_attack::purity::{PurityOptions, purity};
use adit_attack::{EventReader, GuardedSubject, SurveyOptions};
use adit_trace::{Run, Script, Snapshot, StepResult, Subject, Unlimited, Value};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::stack_world::{StackWorld, roomy_tools, tools, vocabulary};

/// Runs in which one split after the other is worth too little for the model that is read first.
fn counting() -> ExploreOptions {
    ExploreOptions {
        survey: SurveyOptions { scripts: 600, calls: 8, candidates: 24, moves: 8 },
        successors: 8,
        splitting: SplitOptions {
            walks: 300,
            walk_length: 12,
            width: 16,
            gain: 0.9,
            relative_gain: 2.0,
            least_gain: 0.9,
            enough: 0.0,
            states: 60,
        },
    }
}

fn explored(
    subject: &mut impl Subject<Error = Infallible>,
    only: &[&str],
) -> (Explorer, EventReader, Vec<Finding>) {
    let (reader, mut author) = roomy_tools(only);
    let (mut rng, mut pace, mut unlimited) = (ChaCha8Rng::seed_from_u64(3), Unlimited, Unlimited);
    let mut subject = GuardedSubject::new(subject, &mut unlimited);
    let (subject, author) = (&mut subject, &mut author);
    let mut laboratory = Laboratory { subject, author, reader: &reader, rng: &mut rng, pace: &mut pace };
    let mut explorer = explore(&mut laboratory, Prior::default(), counting()).unwrap();
    let findings = explorer.findings(&mut laboratory).unwrap();
    (explorer, reader, findings)
}

/// A stack that is never the same after a `pop` that failed: a field changes, and perhaps the answers do.
struct Bruised {
    inner: StackWorld,
    shows: bool,
}

impl Subject for Bruised {
    type Error = Infallible;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
        let mut runs = self.inner.run(batch)?;
        for (script, run) in batch.iter().zip(&mut runs) {
            let mut bruised = Vec::new();
            for (statement, step) in script.statements.iter().zip(&mut run.steps) {
                let Some(object) = statement.receiver else { continue };
                if statement.callable.name == "pop" && matches!(step.result, StepResult::Threw { .. }) {
                    bruised.push(object);
                }
                if bruised.contains(&object) {
                    step.fields =
                        step.fields.as_ref().map(|fields: &Snapshot| fields.with([(1, Value::Int(7))]));
                    if self.shows && statement.callable.name == "isEmpty" {
                        step.result = StepResult::Returned(Value::Bool(false));
                    }
                }
            }
        }
        Ok(runs)
    }
}

#[test]
fn a_call_that_threw_and_changed_its_object_is_found() {
    for shows in [true, false] {
        let (.., findings) =
            explored(&mut Bruised { inner: StackWorld::default(), shows }, &["push", "pop", "isEmpty"]);
        let [finding] = &findings[..] else { panic!("{findings:?}") };
        assert_eq!((finding.kind, finding.label.as_str()), (FindingKind::ThrewAndChanged, "pop!Empty"));
        let [field] = &finding.fields[..] else { panic!("{:?}", finding.fields) };
        let values = (&*field.name, &field.before, &field.after);
        assert_eq!(values, ("seen", &Value::Int(0), &Value::Int(7)));
        assert_eq!(finding.script.statements.len(), 2, "the shortest script");
        let noticed = finding.noticed.as_ref().map(|noticed| (&noticed.without, &noticed.with));
        let [yes, no] = [true, false].map(|answer| StepResult::Returned(Value::Bool(answer)));
        assert_eq!(noticed, shows.then_some((&yes, &no)));
    }
}

#[test]
fn a_call_that_threw_and_changed_nothing_is_no_finding() {
    let (.., findings) = explored(&mut StackWorld::default(), &["push", "pop", "isEmpty"]);
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn results_that_differ_between_equal_runs_are_found() {
    let mut subject = StackWorld::default();
    let (_, mut author) = tools(None);
    let options = PurityOptions { tries: 40, calls: 8 };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let found =
        purity(&mut subject, &vocabulary(None), &mut author, options, &mut rng, &mut Unlimited).unwrap();
    let labels: Vec<&str> = found.unrepeatable.iter().map(|finding| finding.label.as_str()).collect();
    assert_eq!(labels, ["now"]);
    assert!(found.unrepeatable[0].script.statements.last().unwrap().callable.name == "now");
}

#[test]
fn a_model_that_says_more_is_kept_beside_the_one_that_is_read_first() {
    let (mut explorer, reader, _) = explored(&mut StackWorld::default(), &["push", "pop", "isEmpty"]);
    let explored = explorer.explored(&reader);
    let fine = explored.fine.expect("a stack counts");
    assert!(fine.model.len() > explored.model.len());
    assert!(fine.realized > explored.realized.unwrap());
    // The other model is its quotient.
    for edge in fine.model.all_edges() {
        let (Some(from), Some(to)) = (fine.part_of[edge.from], fine.part_of[edge.to]) else { continue };
        let allowed = explored.model.edges(from).any(|one| (one.label, one.to) == (edge.label, to));
        assert!(allowed, "{from} {} {to}", edge.label);
    }
    assert_eq!(fine.part_of.iter().flatten().count(), fine.model.len());
    let word = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let more = word("Stack push pop pop");
    assert!(explored.model.reads(&more) && !fine.model.reads(&more));
}
