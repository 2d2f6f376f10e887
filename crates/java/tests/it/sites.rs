//! Values that code elsewhere passes, among the small classes: `Driver` knows how an `Engine` is used.

use std::collections::BTreeMap;

use adit_trace::{Argument, Author, End, Run, Script, Statement, Step, StepResult, Value};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::classes::{generator, show};
use crate::valid::fault;

fn scripts() -> Vec<Script> {
    let (_, mut generator) = generator("small.Engine");
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    (0..2000).map(|_| generator.script(&mut rng, 6)).collect()
}

/// Number of times that each value is given for a parameter of a call.
fn given(scripts: &[Script], call: &str, place: usize) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let all = scripts.iter().flat_map(|script| script.statements.iter().map(move |one| (script, one)));
    for (script, statement) in all.filter(|(_, one)| one.callable.name == call) {
        let value = match &statement.args[place] {
            Argument::Earlier(at) => show(&script.statements[*at]),
            Argument::Text(text) => text.clone(),
            other => format!("{other:?}"),
        };
        *counts.entry(value).or_default() += 1;
    }
    counts
}

fn share(counts: &BTreeMap<String, usize>, values: &[&str]) -> f64 {
    let all: usize = counts.values().sum();
    let these: usize = values.iter().filter_map(|value| counts.get(*value)).sum();
    these as f64 / all as f64
}

#[test]
fn a_factory_gets_the_names_that_callers_pass() {
    let scripts = scripts();
    assert!(scripts.iter().all(|script| fault(script).is_none()));
    let names = given(&scripts, "named", 0);
    assert!(share(&names, &["turbo", "eco"]) > 0.8, "{names:?}");
    // The more frequent one comes more often, and other texts are tried as well.
    assert!(names["turbo"] > names["eco"] && names.len() > 5, "{names:?}");
}

#[test]
fn methods_get_numbers_and_constants_that_callers_pass() {
    let scripts = scripts();
    let modes = given(&scripts, "start", 1);
    assert!((0.2..0.9).contains(&share(&modes, &["Int(42)"])), "{modes:?}");
    let colors = given(&scripts, "start", 2);
    assert!(colors["Color.GREEN"] > 2 * colors["Color.BLUE"], "{colors:?}");
}

#[test]
fn makers_get_names_and_bytes_of_many_lengths() {
    let scripts = scripts();
    let metals = given(&scripts, "Badge", 1);
    assert!(share(&metals, &["gold"]) > 0.5, "{metals:?}");
    let mut lengths: Vec<usize> = { scripts.iter().flat_map(|script| &script.statements) }
        .filter(|one| one.callable.name == "Badge")
        .filter_map(|one| if let Argument::Array(bytes) = &one.args[0] { Some(bytes.len()) } else { None })
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    assert!([16, 32].iter().all(|length| lengths.contains(length)), "{lengths:?}");
}

#[test]
fn numbers_and_names_come_from_what_callers_ask() {
    let (_, mut generator) = generator("small.Ship");
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let scripts: Vec<Script> = (0..500).map(|_| generator.script(&mut rng, 3)).collect();
    assert!(scripts.iter().all(|script| fault(script).is_none()));
    let berths = given(&scripts, "moor", 0);
    assert!((0.1..0.5).contains(&share(&berths, &["#1.berth()"])), "{berths:?}");
    let flags = given(&scripts, "hoist", 0);
    assert!((0.2..0.7).contains(&share(&flags, &["Harbor.flag()"])), "{flags:?}");
}

/// A run in which `start` throws unless its mode is 7.
fn run(script: &Script, refused: &str) -> Run {
    let result = |statement: &Statement| match &*statement.callable.name {
        "start" if statement.args[1] != Argument::Int(7) => {
            StepResult::Threw { class: refused.into(), message: Some("wrong mode".into()), exhausted: false }
        }
        "start" => StepResult::Returned(Value::Void),
        _ => StepResult::Object { class: "small.Engine".into(), first: 0 },
    };
    let step = |statement| Step::new(result(statement));
    Run {
        steps: script.statements.iter().map(step).collect(),
        end: End::Complete,
        leaked: false,
        passed: None,
    }
}

#[test]
fn arguments_with_which_a_hard_call_returned_are_used_again() {
    let (_, mut generator) = generator("small.Engine");
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let sevens = |scripts: &[Script]| share(&given(scripts, "start", 1), &["Int(7)"]);
    let before: Vec<Script> = (0..300).map(|_| generator.script(&mut rng, 6)).collect();
    for script in &before {
        generator.observe(script, &run(script, "java.lang.IllegalStateException"));
    }
    let after: Vec<Script> = (0..300).map(|_| generator.script(&mut rng, 6)).collect();
    assert!(after.iter().all(|script| fault(script).is_none()));
    assert!(sevens(&before) < 0.1 && sevens(&after) > 0.3, "{} {}", sevens(&before), sevens(&after));
}

#[test]
fn the_most_frequent_exception_of_what_never_returned_is_known() {
    let (_, mut generator) = generator("small.Engine");
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    assert_eq!(generator.never_returned().count(), 0);
    for round in 0..9 {
        let script = generator.script(&mut rng, 1);
        if !shown_mode_is_seven(&script) {
            let class = if round % 3 == 0 { "a.Rare" } else { "a.Usual" };
            generator.observe(&script, &run(&script, class));
        }
    }
    let never: Vec<_> = generator.never_returned().collect();
    let [never] = never.as_slice() else { panic!("{never:?}") };
    assert_eq!(
        (&*never.callable.name, never.exception, never.message),
        ("start", Some("a.Usual"), Some("wrong mode"))
    );
    assert!(never.times > 5);
}

fn shown_mode_is_seven(script: &Script) -> bool {
    script.statements.iter().any(|one| one.args.get(1) == Some(&Argument::Int(7)))
}

#[test]
fn kinds_of_texts_that_were_tried_are_known() {
    let (_, mut generator) = generator("small.Engine");
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    assert!(generator.takes_texts());
    let lines = "with a line break";
    assert!(generator.texts_tried().missing().any(|kind| kind == lines));
    for _ in 0..5000 {
        let script = generator.script(&mut rng, 3);
        generator.observe(&script, &run(&script, "a.Usual"));
    }
    assert!(!generator.texts_tried().missing().any(|kind| kind == lines));
}
