//! Purity by experiment, on the imitated stack.

use adit_attack::effects::EffectSummary;
use adit_attack::purity::{Difference, PurityOptions, Verdict, purity};
use adit_trace::{Author, Effects, End, Run, Script, Step, StepResult, Subject, Unlimited, Value};
use expect_test::expect;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::author::RandomAuthor;
use crate::stack_world::{StackWorld, tools, vocabulary};

#[test]
fn what_changes_is_told_from_what_looks() {
    let vocabulary = vocabulary(None);
    let mut author = RandomAuthor::new(&vocabulary);
    let options = PurityOptions { tries: 400, calls: 8 };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let verdicts =
        purity(&mut StackWorld::default(), &vocabulary, &mut author, options, &mut rng, &mut Unlimited)
            .unwrap()
            .verdicts;
    let said: String = verdicts
        .iter()
        .map(|(callable, verdict)| {
            let said = match verdict {
                Verdict::Changes { what: Difference::Outcome { .. }, .. } => {
                    "changes what others return".into()
                }
                Verdict::Changes { what: Difference::Field { name, .. }, .. } => {
                    format!("changes {name} only")
                }
                Verdict::Unrefuted { tries } => format!("unrefuted, tried often: {}", *tries > 20),
            };
            format!("{}: {said}\n", callable.name)
        })
        .collect();
    expect![[r#"
        isEmpty: unrefuted, tried often: true
        now: unrefuted, tried often: true
        pop: changes what others return
        push: changes what others return
        same: unrefuted, tried often: true
        size: changes seen only
    "#]]
    .assert_eq(&said);
}

/// A witness shows what it claims: running it with and without the call gives the two outcomes.
#[test]
fn witnesses_can_be_replayed() {
    let vocabulary = vocabulary(None);
    let mut author = RandomAuthor::new(&vocabulary);
    let options = PurityOptions { tries: 60, calls: 8 };
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let verdicts =
        purity(&mut StackWorld::default(), &vocabulary, &mut author, options, &mut rng, &mut Unlimited)
            .unwrap()
            .verdicts;
    let mut replayed = 0;
    for verdict in verdicts.values() {
        let Verdict::Changes { witness, call, what: Difference::Outcome { without, with } } = verdict else {
            continue;
        };
        // The call's own value is used nowhere, so that leaving it out moves the rest by one.
        let shorter = adit_trace::edit::remove(witness, *call);
        assert_eq!(shorter.statements.len() + 1, witness.statements.len(), "{:?}", witness.statements[*call]);
        let runs = StackWorld::default().run(&[witness.clone(), shorter]).unwrap();
        let last = |run: &Run| run.steps.last().unwrap().result.outcome();
        assert_eq!(last(&runs[0]), with.outcome());
        assert_eq!(last(&runs[1]), without.outcome());
        replayed += 1;
    }
    assert!(replayed >= 2);
}

#[test]
fn effects_are_gathered_by_method() {
    let (_, mut author) = tools(None);
    let script = author.script(&mut ChaCha8Rng::seed_from_u64(3), 12);
    let step = |statement: &adit_trace::Statement| {
        let mut effects = Effects::default();
        effects.reads.insert("Stack.top".into());
        if statement.callable.name == "push" {
            effects.writes.insert("Stack.top".into());
        }
        let result = StepResult::Returned(Value::Void);
        Step { effects: Some(Box::new(effects)), ..Step::new(result) }
    };
    let steps = script.statements.iter().map(step).collect();
    let mut summary = EffectSummary::new();
    summary.observe(&script, &Run { steps, end: End::Complete, leaked: false, passed: None });
    // Nothing was watched here, so that nothing is learned.
    let unwatched = Step::new(StepResult::Returned(Value::Void));
    let steps = script.statements.iter().map(|_| unwatched.clone()).collect();
    summary.observe(&script, &Run { steps, end: End::Complete, leaked: false, passed: None });
    let calls: u64 = summary.iter().map(|(_, calls, _)| calls).sum();
    assert_eq!(calls, script.statements.len() as u64);
    for statement in &Script::clone(&script).statements {
        let effects = summary.of(&statement.callable).unwrap();
        assert_eq!(effects.writes.len(), usize::from(statement.callable.name == "push"));
        assert_eq!(effects.reads.len(), 1);
    }
}
