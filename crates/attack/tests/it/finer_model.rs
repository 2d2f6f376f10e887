//! The finer model of a stack.

use std::convert::Infallible;

use adit_attack::explore::{ExploreOptions, Explorer, Laboratory, Prior, SplitOptions, explore};
use adit_attack::{EventReader, GuardedSubject, SurveyOptions};
use adit_trace::{Subject, Unlimited};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::stack_world::{StackWorld, roomy_tools};

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
            good: 0.0,
            readable: 0,
            states: 60,
        },
    }
}

fn explored(subject: &mut impl Subject<Error = Infallible>, only: &[&str]) -> (Explorer, EventReader) {
    let (reader, mut author) = roomy_tools(only);
    let (mut rng, mut pace, mut unlimited) = (ChaCha8Rng::seed_from_u64(3), Unlimited, Unlimited);
    let mut subject = GuardedSubject::new(subject, &mut unlimited);
    let (subject, author) = (&mut subject, &mut author);
    let mut laboratory = Laboratory { subject, author, reader: &reader, rng: &mut rng, pace: &mut pace };
    let explorer = explore(&mut laboratory, Prior::default(), counting()).unwrap();
    (explorer, reader)
}

#[test]
fn a_model_that_says_more_is_kept_beside_the_one_that_is_read_first() {
    let (mut explorer, reader) = explored(&mut StackWorld::default(), &["push", "pop", "isEmpty"]);
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
