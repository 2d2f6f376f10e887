//! Promises that every inference algorithm keeps, whatever else it does.

use std::collections::BTreeSet;

use adit_automata::Fsa;
use adit_infer::{Constraints, Horizon, dice_miner, first_rejected, ktail};
use adit_logic::{Property, Template};
use proptest::prelude::*;

type Words = Vec<Vec<u16>>;
type Infer = fn(&Words) -> Fsa<u16>;

/// Every algorithm with every setting that changes what it does.
fn algorithms() -> Vec<(&'static str, Infer)> {
    fn dice(words: &Words, pure_as_loops: bool, compatible_states: bool) -> Fsa<u16> {
        let pure: BTreeSet<u16> = words.iter().flatten().copied().filter(is_pure).collect();
        dice_miner(words, &never_properties(words), &pure, Constraints { pure_as_loops, compatible_states })
    }
    vec![
        ("0-tail", |words| ktail(words, Horizon(0))),
        ("1-tail", |words| ktail(words, Horizon(1))),
        ("2-tail", |words| ktail(words, Horizon(2))),
        ("dice", |words| dice(words, true, true)),
        ("dice without A", |words| dice(words, false, true)),
        ("dice without B", |words| dice(words, true, false)),
        ("dice without A and B", |words| dice(words, false, false)),
    ]
}

fn is_pure(letter: &u16) -> bool {
    letter.is_multiple_of(3)
}

/// NF and NIF as they hold in `words`, found the slow way.
fn never_properties(words: &Words) -> Vec<Property<u16>> {
    let alphabet: BTreeSet<u16> = words.iter().flatten().copied().collect();
    let mut found = Vec::new();
    for &a in &alphabet {
        for &b in &alphabet {
            let ever =
                |word: &Vec<u16>| (0..word.len()).any(|at| word[at] == a && word[at + 1..].contains(&b));
            let next = |word: &Vec<u16>| {
                (0..word.len()).any(|at| {
                    let until = word[at + 1..]
                        .iter()
                        .position(|letter| !is_pure(letter))
                        .map_or(word.len(), |n| at + 2 + n);
                    word[at] == a && word[at + 1..until].contains(&b)
                })
            };
            if !words.iter().any(ever) {
                found.push(Property { template: Template::NeverFollowed, a, b });
            }
            if !words.iter().any(next) {
                found.push(Property { template: Template::NeverImmediatelyFollowed, a, b });
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_trace_is_accepted(words in prop::collection::vec(prop::collection::vec(0u16..6, 0..9), 0..12)) {
        for (name, infer) in algorithms() {
            prop_assert_eq!(first_rejected(&infer(&words), &words), None, "{}", name);
        }
    }

    #[test]
    fn the_same_input_gives_the_same_model(words in prop::collection::vec(prop::collection::vec(0u16..6, 0..9), 0..12)) {
        for (name, infer) in algorithms() {
            prop_assert_eq!(infer(&words), infer(&words), "{}", name);
        }
    }

    #[test]
    fn nothing_is_invented(words in prop::collection::vec(prop::collection::vec(0u16..6, 0..9), 1..12)) {
        for (name, infer) in algorithms() {
            let model = infer(&words);
            let seen: BTreeSet<u16> = words.iter().flatten().copied().collect();
            prop_assert_eq!(model.alphabet().to_vec(), seen.into_iter().collect::<Vec<_>>(), "{}", name);
        }
    }
}

#[test]
fn no_traces_give_a_model_that_accepts_nothing() {
    for (name, infer) in algorithms() {
        assert!(!infer(&vec![]).accepts(&[]), "{name}");
    }
}

#[test]
fn the_empty_trace_counts() {
    for (name, infer) in algorithms() {
        assert!(infer(&vec![vec![]]).accepts(&[]), "{name}");
    }
}

#[test]
fn alphabets_may_be_wide() {
    let words: Words = (0..40).map(|at| (0..5).map(|step| at * 5 + step).collect()).collect();
    for (name, infer) in algorithms() {
        assert_eq!(first_rejected(&infer(&words), &words), None, "{name}");
    }
}

#[test]
fn a_long_trace_is_no_trouble() {
    let words: Words = vec![(0..200_000u32).map(|at| (at % 5) as u16).collect()];
    assert_eq!(first_rejected(&ktail(&words, Horizon(2)), &words), None);
    let properties: Vec<Property<u16>> = Vec::new();
    let model = dice_miner(
        &words,
        &properties,
        &BTreeSet::from([0]),
        Constraints { pure_as_loops: true, compatible_states: true },
    );
    assert_eq!(first_rejected(&model, &words), None);
}
