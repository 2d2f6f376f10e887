//! Scripts are valid, stay valid when they are changed, and are the same for the same seed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use adit_java::{Api, Generator};
use adit_trace::edit::{calls_of_interest, cut, remove, tidy};
use adit_trace::{Argument, Author, CallKind, End, Run, Script, Statement, Step, StepResult, Value};
use expect_test::expect;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::classes::{generator, show};
use crate::valid::fault;

const CLASSES: [&str; 6] =
    ["small.Counter", "small.Crate", "small.Animal", "small.Painter", "small.Zoo", "small.Stack"];

/// Preparing takes far longer than making a script, so that it is done once for all tests.
static PREPARED: LazyLock<Vec<(Api, Generator)>> =
    LazyLock::new(|| CLASSES.iter().map(|class| generator(class)).collect());

fn with_generator(class: usize, seed: u64, check: impl FnOnce(&Api, &mut Generator, &mut ChaCha8Rng)) {
    let (api, generator) = &PREPARED[class];
    check(api, &mut generator.clone(), &mut ChaCha8Rng::seed_from_u64(seed));
}

fn shown(script: &Script) -> String {
    script.statements.iter().map(|statement| show(statement) + "\n").collect()
}

/// A complete run of the script, with a result for each call by its name.
fn run(script: &Script, result: impl Fn(&str) -> StepResult) -> Run {
    let names = script.statements.iter().map(|statement| &*statement.callable.name);
    let steps = names.map(|name| Step::new(result(name))).collect();
    Run { steps, end: End::Complete, leaked: false, passed: None }
}

#[test]
fn a_script_reads_like_a_little_program() {
    with_generator(3, 5, |_, generator, rng| {
        expect![[r#"
            Zoo.visit(1)
            new Painter(#0)
            #1.each(() -> 1)
            #1.each(null)
            #1.limits(2, 10, -1.0, 1, java.lang.Integer.class)
            #1.each(() -> -1)
        "#]]
        .assert_eq(&shown(&generator.script(rng, 4)));
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn generated_scripts_are_valid(class in 0..CLASSES.len(), seed in any::<u64>(), calls in 0..12usize) {
        with_generator(class, seed, |api, generator, rng| {
            for _ in 0..10 {
                let script = generator.script(rng, calls);
                assert_eq!(fault(&script), None, "{}", shown(&script));
                let calls_on = script.statements.iter().filter(|one| {
                    one.callable.kind == CallKind::Method && one.callable.owner == *api.class
                });
                assert_eq!(calls_on.count(), calls);
            }
        });
    }

    #[test]
    fn changed_scripts_are_valid(class in 0..CLASSES.len(), seed in any::<u64>(), at in 0..20usize) {
        with_generator(class, seed, |api, generator, rng| {
            let mut script = generator.script(rng, 6);
            for _ in 0..20 {
                let other = generator.script(rng, 6);
                let mutant = generator.mutate(&script, rng);
                let child = generator.cross(&mutant, &other, rng);
                for changed in [&mutant, &child, &cut(&mutant, at), &remove(&child, at), &tidy(&child, &api.vocabulary())] {
                    assert_eq!(fault(changed), None, "{}", shown(changed));
                }
                assert!(!calls_of_interest(&child, &api.vocabulary()).is_empty());
                assert!(child.statements.len() <= 60, "scripts do not grow without end");
                script = child;
            }
        });
    }

    /// Tidying leaves out only statements of no interest, and tidying again changes nothing.
    #[test]
    fn tidying_keeps_what_matters(class in 0..CLASSES.len(), seed in any::<u64>(), at in 0..20usize) {
        with_generator(class, seed, |api, generator, rng| {
            let script = remove(&generator.script(rng, 8), at);
            let tidied = tidy(&script, &api.vocabulary());
            assert_eq!(calls_of_interest(&tidied, &api.vocabulary()).len(), calls_of_interest(&script, &api.vocabulary()).len());
            assert_eq!(shown(&tidy(&tidied, &api.vocabulary())), shown(&tidied));
        });
    }

    #[test]
    fn the_same_seed_gives_the_same_scripts(class in 0..CLASSES.len(), seed in any::<u64>()) {
        let made = || {
            let mut all = Vec::new();
            with_generator(class, seed, |_, generator, rng| {
                let (a, b) = (generator.script(rng, 5), generator.script(rng, 5));
                all = vec![generator.mutate(&a, rng), generator.cross(&a, &b, rng), a, b];
            });
            all.iter().map(shown).collect::<Vec<_>>()
        };
        assert_eq!(made(), made());
    }
}

#[test]
fn mutation_changes_something_and_reaches_every_method() {
    with_generator(5, 1, |api, generator, rng| {
        let script = generator.script(rng, 3);
        let mut called = BTreeSet::new();
        let mut changed = 0;
        for _ in 0..300 {
            let mutant = generator.mutate(&script, rng);
            changed += usize::from(mutant != script);
            called.extend(mutant.statements.iter().map(|statement| statement.callable.name.clone()));
        }
        assert!(changed > 290, "{changed} of 300");
        assert_eq!(called.len(), api.methods.len() + 1);
    });
}

#[test]
fn crossover_calls_the_objects_of_the_head() {
    with_generator(5, 3, |_, generator, rng| {
        let (head, tail) = (generator.script(rng, 6), generator.script(rng, 6));
        let starts = |script: &Script| {
            script.statements.iter().filter(|one| one.callable.kind == CallKind::Constructor).count()
        };
        for _ in 0..50 {
            let child = generator.cross(&head, &tail, rng);
            assert!(starts(&child) <= starts(&head) + starts(&tail));
            // Calls on an object that is known come from both.
            let receivers: BTreeSet<_> = child.statements.iter().filter_map(|one| one.receiver).collect();
            assert!(receivers.iter().all(|&at| child.statements[at].callable.name != "isEmpty"));
        }
    });
}

#[test]
fn equal_values_meet_and_what_came_out_goes_in_again() {
    let mut again = 0;
    with_generator(5, 7, |_, generator, rng| {
        for _ in 0..200 {
            let script = generator.script(rng, 10);
            let reused = script.statements.iter().any(|statement| {
                statement.callable.name == "push" && matches!(statement.args[0], Argument::Earlier(_))
            });
            again += usize::from(reused);
        }
    });
    assert!(again > 20, "{again} of 200");
}

#[test]
fn a_start_that_always_throws_becomes_rare() {
    with_generator(0, 11, |api, generator, rng| {
        // Counter.parse throws for whatever it gets.
        let count = |generator: &mut Generator, rng: &mut ChaCha8Rng| {
            let parses = |script: &Script| script.statements.iter().any(|one| one.callable.name == "parse");
            (0..400).filter(|_| parses(&generator.script(rng, 0))).count()
        };
        let before = count(generator, rng);
        for _ in 0..60 {
            let script = generator.script(rng, 0);
            generator.observe(
                &script,
                &run(&script, |name| match name {
                    "parse" => StepResult::threw("java.lang.NumberFormatException"),
                    _ => StepResult::Object { class: "small.Counter".into(), first: 0 },
                }),
            );
        }
        let after = count(generator, rng);
        assert!(
            before > 80 && after < before / 4,
            "{before} before, {after} after, {} starts",
            api.starts.len()
        );
    });
}

#[test]
fn a_script_goes_on_with_a_call_of_a_method() {
    with_generator(5, 4, |api, generator, rng| {
        let script = generator.script(rng, 0);
        let method = |name: &str| {
            let found = api.methods.iter().find(|method| method.callable.name == name);
            found.unwrap().callable.clone()
        };
        let mut said = BTreeSet::new();
        for _ in 0..200 {
            let longer = generator.extend(&script, 0, &method("push"), rng).unwrap();
            assert_eq!(fault(&longer), None);
            said.insert(show(longer.statements.last().unwrap()));
        }
        expect![[r##"
            #0.push("a")
            #0.push("b")
            #0.push("c")
            #0.push("d")
            #0.push("e")
            #0.push("f")
            #0.push(0)
            #0.push(1)
            #0.push(2)
            #0.push(null)
        "##]]
        .assert_eq(&said.iter().map(|line| format!("{line}\n")).collect::<String>());
        // An argument that must be made is made before the call.
        let longer = generator.extend(&script, 0, &method("same"), rng).unwrap();
        assert_eq!((fault(&longer), &*longer.statements.last().unwrap().callable.name), (None, "same"));
        assert_eq!(generator.extend(&script, 99, &method("push"), rng), None, "there is no such object");
    });
}

#[test]
fn an_object_is_used_where_its_real_class_fits() {
    // Nothing promises that what `mix` gives is an animal, but it is.
    with_generator(3, 2, |_, generator, rng| {
        let starts_from_mix = |generator: &mut Generator, rng: &mut ChaCha8Rng| {
            let uses = |script: &Script| {
                script.statements.iter().any(|one| match (one.callable.kind, one.args.first()) {
                    (CallKind::Constructor, Some(Argument::Earlier(at))) => {
                        script.statements[*at].callable.name == "mix"
                    }
                    _ => false,
                })
            };
            (0..500).filter(|_| uses(&generator.script(rng, 8))).count()
        };
        assert_eq!(starts_from_mix(generator, rng), 0);
        let tell = |generator: &mut Generator, rng: &mut ChaCha8Rng, class: &str| {
            let script = generator.script(rng, 30);
            generator.observe(
                &script,
                &run(&script, |name| match name {
                    "mix" => StepResult::Object { class: class.into(), first: 0 },
                    _ => StepResult::Returned(Value::Void),
                }),
            );
        };
        tell(generator, rng, "small.Dog");
        assert!(starts_from_mix(generator, rng) > 0);
        // It was not always one, so that nothing is known again.
        tell(generator, rng, "small.Crate");
        assert_eq!(starts_from_mix(generator, rng), 0);
    });
}

#[test]
fn strings_that_a_class_gives_are_given_to_it() {
    with_generator(1, 2, |_, generator, rng| {
        let told = |generator: &mut Generator, rng: &mut ChaCha8Rng| {
            (0..300).any(|_| shown(&generator.script(rng, 5)).contains("a rare word"))
        };
        assert!(!told(generator, rng));
        let script = generator.script(rng, 10);
        let rare = |_: &str| StepResult::Returned(Value::Text("a rare word".into()));
        generator.observe(&script, &run(&script, rare));
        assert!(told(generator, rng));
    });
}

#[test]
fn runs_of_scripts_get_past_the_constructor() {
    with_generator(5, 13, |api, generator, rng| {
        let scripts: Vec<Script> = (0..200).map(|_| generator.script(rng, 8)).collect();
        // A stack cannot be made with a negative capacity.
        let makes = |one: &Statement| match one.args.as_slice() {
            [Argument::Int(capacity)] => one.callable.kind == CallKind::Constructor && *capacity >= 0,
            _ => false,
        };
        let alive = scripts.iter().filter(|script| script.statements.iter().any(makes)).count();
        assert!(alive > 150, "{alive} of 200 scripts on {}", api.class);
    });
}

/// Constants that guard a path are passed to the method that compares with them, in at least one call of
/// twenty; so are lengths.
#[test]
fn guards_of_a_method_are_tried() {
    let (_, mut generator) = generator("small.Guarded");
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut counts: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for _ in 0..200 {
        let script = generator.script(&mut rng, 40);
        for Statement { callable, args, .. } in script.statements {
            let Some(argument) = args.first() else { continue };
            let hits = match (&*callable.name, argument) {
                ("number", Argument::Int(967)) => true,
                ("far", Argument::Int(value)) => (123_456_789_013..i64::MAX).contains(value),
                ("text", Argument::Text(text)) => text == "k17",
                ("kind", Argument::Text(text)) => text == "south" || text.starts_with("north-by"),
                ("choose", Argument::Int(value)) => [1000, 70_000, 4242].contains(value),
                ("five", Argument::Array(elements)) => elements.len() == 5,
                ("nine", Argument::Text(text)) => text.len() == 9,
                ("any", Argument::Text(text)) => text == "magic",
                _ => false,
            };
            let count = counts.entry(callable.name.clone()).or_default();
            *count = (count.0 + u32::from(hits), count.1 + 1);
        }
    }
    assert_eq!(counts.len(), 8);
    for (name, (hits, calls)) in &counts {
        assert!(calls / 20 < *hits, "{name}: {hits} of {calls}; {counts:?}");
    }
}
