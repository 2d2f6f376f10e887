//! Promises that every inference algorithm keeps, whatever else it does.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::Fsa;
use adit_infer::{
    Abstraction, Claims, Constraints, Horizon, StateLimit, Visit, contractor, dice_miner, first_rejected,
    ktail, pessimistic, sekt, temi,
};
use adit_logic::contract::{Clause, Constant, Contract, Relation, Type, Valuation, Variable};
use adit_logic::{Property, Template};
use adit_smt::{Frugal, Missing};
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
        ("sekt 1", |words| with_state(words, |_, traces, abstraction| sekt(traces, abstraction, Horizon(1)))),
        ("sekt 2", |words| with_state(words, |_, traces, abstraction| sekt(traces, abstraction, Horizon(2)))),
        ("contractor", |words| {
            with_state(words, |claims, traces, abstraction| {
                contractor(claims, traces, abstraction, LIMIT, &mut Frugal::new(Missing)).model
            })
        }),
        ("temi", |words| {
            with_state(words, |claims, traces, abstraction| {
                temi(claims, traces, abstraction, LIMIT, &mut Frugal::new(Missing)).model
            })
        }),
        ("temi, pessimistic", |words| {
            with_state(words, |claims, traces, abstraction| {
                pessimistic(&temi(claims, traces, abstraction, LIMIT, &mut Frugal::new(Missing)).model)
            })
        }),
    ]
}

const LIMIT: StateLimit = StateLimit(100);

/// An object with a switch, which even letters turn on and letters that 4 divides turn off again, and with a
/// counter that nobody records. The contracts are wrong about the letter 5, which also turns the switch.
fn with_state(
    words: &Words,
    infer: impl Fn(&Claims<'_, u16>, &[Vec<Visit<u16>>], &Abstraction) -> Fsa<u16>,
) -> Fsa<u16> {
    let on = Variable::field("on");
    let is = |value| Clause::is(on.clone(), Constant::Bool(value));
    let same = Clause::Same(on.clone(), on.clone().before());
    let letters: BTreeSet<u16> = words.iter().flatten().copied().collect();
    let contract = |letter: &u16| Contract {
        creates: *letter == 0,
        calls: 1,
        pre: if letter % 3 == 1 {
            vec![is(true), Clause::bound(Variable::field("count"), Relation::AtLeast, 1)]
        } else {
            Vec::new()
        },
        post: if letter.is_multiple_of(2) { vec![is(!letter.is_multiple_of(4))] } else { vec![same.clone()] },
    };
    let contracts: Vec<(u16, Contract)> = letters.iter().map(|letter| (*letter, contract(letter))).collect();
    let fields = BTreeMap::from([(on.clone(), Type::Bool)]);
    let claims = Claims {
        fields: &fields,
        object: &[],
        calls: contracts.iter().map(|(letter, contract)| (*letter, contract)).collect(),
    };
    let mut abstraction = Abstraction::of_claims(&claims);
    let traces: Vec<Vec<Visit<u16>>> = words
        .iter()
        .map(|word| {
            let mut switch = false;
            word.iter()
                .map(|&letter| {
                    switch = if letter.is_multiple_of(2) {
                        !letter.is_multiple_of(4)
                    } else {
                        switch != (letter == 5)
                    };
                    let values = Valuation::from_iter([(on.clone(), Constant::Bool(switch))]);
                    (letter, abstraction.observe(&values))
                })
                .collect()
        })
        .collect();
    infer(&claims, &traces, &abstraction)
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
