//! Exploration with too little time: it is spent so that the model says where events lead.

use std::ops::ControlFlow;

use adit_attack::explore::{ExploreOptions, Explored, Laboratory, Prior, explore};
use adit_attack::{EventReader, GuardedSubject, SurveyOptions};
use adit_trace::{Limit, Progress, Stop, Unlimited};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::author::RandomAuthor;
use crate::automaton_world::{Automaton, World};
use crate::options::splitting;

/// So many states in a ring: the first method leads from each to the next. Each but the first state refuses
/// one other method, and all others stay.
fn ring(states: usize, methods: usize) -> Automaton {
    let target = |state: usize, method: usize| match method {
        0 => (state + 1) % states,
        _ if method == state => usize::MAX,
        _ => state,
    };
    let targets: Vec<Vec<usize>> =
        (0..states).map(|state| (0..methods).map(|method| target(state, method)).collect()).collect();
    Automaton::new(methods, 0, &targets)
}

/// Explores it for so many tests. Fields show nothing, so that each situation has to be tried.
fn explored(automaton: &Automaton, until: u64) -> Explored {
    let options = ExploreOptions {
        survey: SurveyOptions { scripts: 300, calls: 12, candidates: 4, moves: 2 },
        successors: 8,
        splitting: splitting(10),
    };
    let vocabulary = automaton.vocabulary();
    let (reader, mut author) = (EventReader::new(&vocabulary), RandomAuthor::new(&vocabulary));
    let mut world = World { automaton: automaton.clone(), shows_state: false };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut unlimited = Unlimited;
    let mut subject = GuardedSubject::new(&mut world, &mut unlimited);
    let mut pace = |now: &Progress| match now.tests < until {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(Stop::Budget(Limit::Tests)),
    };
    let mut laboratory = Laboratory {
        subject: &mut subject,
        author: &mut author,
        reader: &reader,
        rng: &mut rng,
        pace: &mut pace,
    };
    explore(&mut laboratory, Prior::default(), options).unwrap().explored(&reader)
}

#[test]
fn every_event_is_followed_once_before_any_is_often() {
    let automaton = ring(8, 24);
    let explored = explored(&automaton, 11_000);
    assert_eq!(explored.stop, Stop::Budget(Limit::Tests), "there was time for everything");
    assert_eq!(explored.model.unexplored_transitions(), 0, "of {}", explored.model.transitions());
    assert!(explored.model.same_language(&automaton.model(), 1000).unwrap());
}

/// A close look at all of 600 transitions would take 60 calls each.
#[test]
fn in_a_large_class_few_calls_tell_where_an_event_leads() {
    let automaton = ring(10, 60);
    let explored = explored(&automaton, 24_000);
    assert_eq!(explored.stop, Stop::Budget(Limit::Tests), "there was time for everything");
    assert_eq!(explored.model.unexplored_transitions(), 0, "of {}", explored.model.transitions());
    assert!(explored.model.same_language(&automaton.model(), 1000).unwrap());
}
