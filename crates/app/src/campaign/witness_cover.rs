//! Tests for the transitions of a model that no test takes yet.
//!
//! A model that was inferred from words has transitions that no refuting test takes. Among the tests that
//! showed its words, the shortest for each such transition is chosen here.

use std::cmp::Reverse;

use adit_automata::{Follower, Fsa, Traversed};
use adit_trace::{Alphabet, Letter};

/// Search for tests that take the transitions of a model. `S` identifies a test.
pub(super) struct WitnessCover<'m, S> {
    follower: Follower<'m, String>,
    /// The model's letter for each letter of the words.
    letters: Vec<Option<u32>>,
    /// For each transition, the certainty that a test of the model takes it.
    shown: Vec<Certainty>,
    best: Vec<Option<(Certainty, Reverse<usize>, S)>>,
}

/// Certainty that a word takes a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    No,
    /// The word can be read without it too.
    Perhaps,
    Certain,
}

impl<'m, S: Clone + PartialEq> WitnessCover<'m, S> {
    pub(super) fn new(model: &'m Fsa<String>, alphabet: &Alphabet) -> Self {
        let count = model.transitions();
        Self {
            follower: Follower::new(model),
            letters: model.letters(alphabet.names()),
            shown: vec![Certainty::No; count],
            best: vec![None; count],
        }
    }

    /// Notes a word that a test of the model shows.
    pub(super) fn shows(&mut self, word: &[Letter]) {
        self.follow(word);
        for &traversed in self.follower.traversed() {
            let shown = &mut self.shown[traversed.transition];
            *shown = (*shown).max(certainty(traversed));
        }
    }

    /// Returns true if every transition is certainly taken.
    pub(super) fn is_complete(&self) -> bool {
        self.shown.iter().all(|&shown| shown == Certainty::Certain)
    }

    /// Notes a word that some other test shows.
    pub(super) fn offer(&mut self, word: &[Letter], test: impl FnOnce() -> Option<S>) {
        self.follow(word);
        let length = Reverse(word.len());
        let better = |&traversed: &Traversed| {
            let certainty = certainty(traversed);
            let known =
                self.best[traversed.transition].as_ref().map(|(certainty, length, _)| (*certainty, *length));
            certainty > self.shown[traversed.transition]
                && known.is_none_or(|known| (certainty, length) > known)
        };
        let wanted: Vec<Traversed> = self.follower.traversed().iter().copied().filter(better).collect();
        if wanted.is_empty() {
            return;
        }
        let Some(test) = test() else { return };
        for traversed in wanted {
            self.best[traversed.transition] = Some((certainty(traversed), length, test.clone()));
        }
    }

    fn follow(&mut self, word: &[Letter]) {
        self.follower.follow(word.iter().map(|&letter| self.letters[letter as usize]));
    }

    /// The tests for transitions that were not taken, each once, in the order of the transitions.
    pub(super) fn chosen(self) -> Vec<S> {
        let mut chosen: Vec<S> = Vec::new();
        for (_, _, test) in self.best.into_iter().flatten() {
            if !chosen.contains(&test) {
                chosen.push(test);
            }
        }
        chosen
    }
}

fn certainty(traversed: Traversed) -> Certainty {
    if traversed.certain { Certainty::Certain } else { Certainty::Perhaps }
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;

    use super::*;

    #[test]
    fn the_shortest_sure_test_is_chosen_for_what_is_not_shown() {
        let mut alphabet = Alphabet::new();
        let mut word = |text: &str| text.split(' ').map(|label| alphabet.intern(label)).collect::<Vec<_>>();
        let words =
            ["new", "new pop", "new pop pop done", "new pop done", "new push", "new push push", "other"];
        let words = words.map(&mut word);
        let mut builder = Builder::new();
        for _ in 0..3 {
            builder.state(true);
        }
        builder.initial(0);
        for (from, label, to) in
            [(0, "new", 1), (1, "pop", 1), (1, "pop", 2), (2, "done", 2), (1, "push", 1), (1, "never", 1)]
        {
            builder.edge(from, label.to_owned(), to);
        }
        let model = builder.build();
        let chosen = |shown: &[usize]| {
            let mut cover = WitnessCover::new(&model, &alphabet);
            shown.iter().for_each(|&at| cover.shows(&words[at]));
            assert!(!cover.is_complete());
            for (at, word) in words.iter().enumerate() {
                // The first that pushes was not kept.
                cover.offer(word, || (at != 4).then_some(at));
            }
            cover.chosen()
        };
        // In the order of the model's transitions: new, pop to 1, pop to 2, push, done.
        assert_eq!(chosen(&[]), [0, 2, 3, 5]);
        assert_eq!(chosen(&[2]), [5]);
        assert_eq!(chosen(&[2, 5]), [0; 0]);
        // What can be read in two ways shows neither for certain.
        assert_eq!(chosen(&[1, 5]), [2, 3]);
    }
}
