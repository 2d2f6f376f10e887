//! Inputs that this crate's tests share: random small automata and all short words.

use proptest::prelude::*;

use crate::{Builder, Fsa, State};

/// Random automata over `abc` with at most `states` states, nondeterministic, one or two initial states.
pub(crate) fn fsas(states: usize) -> impl Strategy<Value = Fsa<char>> {
    let edge = (0..states, 0..3usize, 0..states);
    (
        1..=states,
        prop::collection::vec(edge, 0..states * 3),
        prop::collection::vec(any::<bool>(), states),
        1..3usize,
    )
        .prop_map(|(len, edges, accepting, starts)| {
            let mut builder = Builder::new();
            for &accepting in &accepting[..len] {
                builder.state(accepting);
            }
            for label in ['a', 'b', 'c'] {
                builder.label(label);
            }
            for start in 0..starts.min(len) {
                builder.initial(start as State);
            }
            for (from, letter, to) in edges {
                builder.edge(from % len, ['a', 'b', 'c'][letter], to % len);
            }
            builder.build()
        })
}

/// Every word over `abc` of at most `length` letters.
pub(crate) fn words_up_to(length: usize) -> Vec<Vec<char>> {
    let mut words = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..length {
        let to = words.len();
        for at in from..to {
            for letter in ['a', 'b', 'c'] {
                let mut word = words[at].clone();
                word.push(letter);
                words.push(word);
            }
        }
        from = to;
    }
    words
}
