//! Models of stacks against stacks.

use std::ops::ControlFlow;

use adit_attack::validate::{
    ValidateOptions, Validated, WalkOptions, unknown_labels, validate, without_unknown,
};
use adit_attack::{EventReader, SurveyOptions};
use adit_automata::{Builder, Fsa};
use adit_trace::{Limit, Progress, Stop, Subject};
use expect_test::{Expect, expect};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::author::RandomAuthor;
use crate::stack_world::{StackWorld, tools};

const LENGTH: usize = 6;

/// A stack can count, so that its model must count as far as words are looked at. Capacities are chosen by
/// the one who makes the stack, so that no push is impossible.
const COUNTING: &str = "
    new Stack 0 | 0 push 1 | 1 push 2 | 2 push 3 | 3 push 4 | 4 push 5 | 5 push 6 | 6 push 7 | 7 push 8
    | 8 push 9 | 9 push 10 | 1 pop 0 | 2 pop 1 | 3 pop 2 | 4 pop 3 | 5 pop 4 | 6 pop 5 | 7 pop 6 | 8 pop 7 | 9 pop 8
    | 10 pop 9 | 0 isEmpty:TRUE 0 | 1 isEmpty:FALSE 1 | 2 isEmpty:FALSE 2 | 3 isEmpty:FALSE 3 | 4 isEmpty:FALSE 4
    | 5 isEmpty:FALSE 5 | 6 isEmpty:FALSE 6 | 7 isEmpty:FALSE 7 | 8 isEmpty:FALSE 8 | 9 isEmpty:FALSE 9 | 10 isEmpty:FALSE 10";

/// Edges as `from label to`, separated by bars. `new` is the first state; every other may be the last.
fn model(edges: &str) -> Fsa<String> {
    let mut builder = Builder::new();
    let mut names = vec!["new"];
    builder.state(false);
    builder.initial(0);
    for edge in edges.split('|') {
        let parts: Vec<&str> = edge.split_whitespace().collect();
        let [from, label, to] = [parts[0], parts[1], parts[2]];
        let mut state = |name| {
            names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                builder.state(true)
            })
        };
        let (from, to) = (state(from), state(to));
        builder.edge(from, label.to_owned(), to);
    }
    builder.build()
}

fn small(walks: usize) -> ValidateOptions {
    let survey = SurveyOptions { scripts: 800, calls: 8, candidates: 24, moves: 8 };
    ValidateOptions {
        known: Vec::new(),
        survey,
        choosing: 4000,
        runs: 1000,
        walks: WalkOptions { count: walks, length: LENGTH, width: 12 },
    }
}

fn prepared_stack() -> (EventReader, RandomAuthor) {
    tools(Some(&["push", "pop", "isEmpty"]))
}

fn validated(model: &Fsa<String>, until: u64) -> Validated {
    let (reader, mut author) = prepared_stack();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut pace = |now: &Progress| match now.tests < until {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(Stop::Budget(Limit::Tests)),
    };
    validate(&mut StackWorld::default(), &mut author, &reader, model, &small(150), &mut rng, &mut pace)
        .unwrap()
}

fn check(edges: &str, expected: Expect) {
    let validated = validated(&model(edges), u64::MAX);
    let word = |word: &Vec<String>| format!("  {}\n", word.join(" "));
    let whole = |rate: adit_attack::validate::Rate| if rate.good == rate.all { "all" } else { "not all" };
    assert_eq!(validated.undecided.all(), 0, "{validated:?}");
    assert!(validated.stop.is_done() && validated.precision.all == 150 && validated.recall.all >= 1000);
    expected.assert_eq(&format!(
        "realized: {}\n{}read: {}\n{}missing: {:?}\n",
        whole(validated.precision),
        validated.unrealized.iter().take(3).map(word).collect::<String>(),
        whole(validated.recall),
        validated.rejected.iter().take(3).map(|rejected| word(&rejected.word)).collect::<String>(),
        validated.missing,
    ));
}

#[test]
fn a_right_model() {
    check(
        COUNTING,
        expect![[r#"
            realized: all
            read: all
            missing: []
        "#]],
    );
}

#[test]
fn a_transition_that_cannot_be() {
    check(
        &format!("{COUNTING} | 1 isEmpty:TRUE 1"),
        expect![[r#"
            realized: not all
              Stack push isEmpty:TRUE
              Stack isEmpty:TRUE push isEmpty:TRUE
              Stack isEmpty:TRUE push isEmpty:FALSE isEmpty:TRUE
            read: all
            missing: []
        "#]],
    );
}

#[test]
fn an_object_is_made_once_and_first() {
    check(
        &format!("{COUNTING} | 0 Stack 0"),
        expect![[r#"
        realized: not all
          Stack Stack
          Stack isEmpty:TRUE Stack
          Stack isEmpty:TRUE isEmpty:TRUE Stack
        read: all
        missing: []
    "#]],
    );
    check(
        &format!("{COUNTING} | new push 1"),
        expect![[r#"
        realized: not all
          push
        read: all
        missing: []
    "#]],
    );
}

#[test]
fn a_model_without_an_event() {
    let edges: Vec<&str> = COUNTING.split('|').filter(|edge| !edge.contains("pop")).collect();
    check(
        &edges.join("|"),
        expect![[r#"
        realized: all
        read: not all
          Stack push pop
          Stack push push pop
          Stack push isEmpty:FALSE pop
        missing: ["pop"]
    "#]],
    );
}

#[test]
fn a_model_that_allows_too_little() {
    let edges: Vec<&str> = COUNTING.split('|').filter(|edge| !edge.contains("0 isEmpty:TRUE 0")).collect();
    check(
        &edges.join("|"),
        expect![[r#"
        realized: all
        read: not all
          Stack isEmpty:TRUE
          Stack push pop isEmpty:TRUE
          Stack push isEmpty:FALSE pop isEmpty:TRUE
        missing: ["isEmpty:TRUE"]
    "#]],
    );
}

/// Every rejected word comes with a script that makes it happen.
#[test]
fn witnesses_show_what_they_claim() {
    let edges: Vec<&str> = COUNTING.split('|').filter(|edge| !edge.contains("pop")).collect();
    let validated = validated(&model(&edges.join("|")), u64::MAX);
    let (reader, _) = prepared_stack();
    assert!(!validated.rejected.is_empty());
    for rejected in &validated.rejected {
        let run = StackWorld::default().run(std::slice::from_ref(&rejected.script)).unwrap().remove(0);
        let heard = reader.read(&rejected.script, &run);
        let words = heard.iter().map(|heard| -> Vec<&str> {
            heard.word.iter().map(|&letter| reader.alphabet().name(letter)).collect()
        });
        assert!(words.into_iter().any(|word| word == rejected.word), "{:?}", rejected.word);
    }
}

#[test]
fn labels_that_the_class_does_not_have() {
    let (reader, _) = prepared_stack();
    let with = model(&format!("{COUNTING} | 0 peek 0 | 1 pop!Exception 1"));
    assert_eq!(unknown_labels(&with, &reader), ["peek", "pop!Exception"]);
    let without = without_unknown(&with, &reader);
    assert_eq!(unknown_labels(&without, &reader), Vec::<&str>::new());
    assert!(without.same_language(&model(COUNTING), 1000).unwrap());
    let validated = validated(&with, u64::MAX);
    assert_eq!(validated.unrealized[0], ["Stack", "peek"]);
}

/// A walk that was not tried is not a failure: a right model has none, however early validation stops.
#[test]
fn breaking_off_makes_no_failures() {
    let (right, mut last) = (model(COUNTING), 0);
    let all = validated(&right, u64::MAX).tests;
    for part in 0..12 {
        let validated = validated(&right, all * part / 12);
        assert_eq!((validated.unrealized.len(), validated.rejected.len()), (0, 0), "{part}: {validated:?}");
        assert_eq!(validated.precision.all + validated.undecided.budget, 150);
        assert_eq!(validated.stop, Stop::Budget(Limit::Tests));
        assert!(validated.precision.all >= last, "more tests decide no less");
        last = validated.precision.all;
    }
    assert!(last > 0);
}

#[test]
fn a_model_that_allows_nothing() {
    let mut builder = Builder::new();
    builder.state(true);
    builder.initial(0);
    let validated = validated(&builder.build(), u64::MAX);
    assert_eq!((validated.precision.share(), validated.recall.share()), (None, Some(0.0)));
    assert_eq!(validated.precision.interval(), None);
    assert_eq!(validated.rejected[0].word, ["Stack"]);
}

/// The stack shows its events soon, and pairs of them too.
#[test]
fn what_is_still_new() {
    let validated = validated(&model(COUNTING), u64::MAX);
    assert_eq!((validated.events.seen, validated.events.alone), (5, 0));
    // Two may follow the constructor, three a push, four a pop, two an isEmpty:TRUE and three an
    // isEmpty:FALSE.
    assert_eq!((validated.pairs.seen, validated.pairs.unseen()), (14, 0.0));
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    let wrong = model(&format!("{COUNTING} | 1 isEmpty:TRUE 1"));
    assert_eq!(validated(&wrong, u64::MAX), validated(&wrong, u64::MAX));
}
