//! The one reader of words: follows a word through an automaton in every possible way at once.
//!
//! [`Reader`] keeps the set of states after each letter (the powerset walk), so a caller can ask where a word
//! gets stuck, in which states it can end, or go back to a shared prefix. [`Follower`] also tells which
//! transitions were taken. Both are kept from one word to the next and then allocate nothing.
//!
//! A word is an iterator of the automaton's letters; `None` stands for a label that the automaton does not
//! have. [`Fsa::letters`] translates another alphabet once, before any word is read.
//!
//! Cost: `O(length · states of a set · transitions of a letter)`; sets of one state need no sorting.

use crate::graph::{Fsa, State, Step};

/// Reads words on an automaton, final states or not.
#[derive(Clone, Debug)]
pub struct Reader<'m, L> {
    model: &'m Fsa<L>,
    /// For each state and letter, the range of the state's transitions with it; empty when there is no index.
    index: Vec<(u32, u32)>,
    /// The letters read so far.
    letters: Vec<u32>,
    /// The states before the first letter and after each one, set after set; every set is sorted.
    states: Vec<State>,
    /// The place in `states` at which each set begins: one more than there are letters.
    sets: Vec<usize>,
}

impl<'m, L> Reader<'m, L> {
    /// A reader that has read nothing yet. It costs nothing to make; see [`Reader::indexed`] for reading many
    /// words.
    pub fn new(model: &'m Fsa<L>) -> Self {
        let states = model.initial().to_vec();
        Self { model, index: Vec::new(), letters: Vec::new(), states, sets: vec![0] }
    }

    /// A reader that finds transitions by table lookup, unless the automaton is so large that the table would
    /// be too.
    pub fn indexed(model: &'m Fsa<L>) -> Self {
        Self { index: index(model), ..Self::new(model) }
    }

    /// Reads one more letter, and returns false, with nothing changed, when no state can.
    pub fn step(&mut self, letter: Option<u32>) -> bool {
        let Some(letter) = letter else { return false };
        let from = self.sets[self.letters.len()];
        let to = self.states.len();
        for at in from..to {
            let (_, steps) = self.steps(self.states[at], letter);
            self.states.extend(steps.iter().map(|step| step.to as State));
        }
        match self.states.len() - to {
            0 => return false,
            1 => {}
            _ => sort_and_deduplicate(&mut self.states, to),
        }
        self.sets.push(to);
        self.letters.push(letter);
        true
    }

    /// Forgets all but the first `length` letters.
    pub fn back_to(&mut self, length: usize) {
        if length < self.letters.len() {
            self.states.truncate(self.sets[length + 1]);
            self.sets.truncate(length + 1);
            self.letters.truncate(length);
        }
    }

    /// The number of letters read so far.
    pub fn length(&self) -> usize {
        self.letters.len()
    }

    /// The states in which the letters read so far can end, sorted.
    pub fn states(&self) -> &[State] {
        &self.states[self.sets[self.letters.len()]..]
    }

    /// Returns whether the letters read so far can end in an accepting state.
    pub fn is_accepting(&self) -> bool {
        self.states().iter().any(|&state| self.model.is_accepting(state))
    }

    /// Reads as much of `word` as possible from the initial states, and returns the number of letters read.
    /// The letter at that place is the first on which the word gets stuck.
    pub fn read(&mut self, word: impl IntoIterator<Item = Option<u32>>) -> usize {
        self.read_from(self.model.initial(), word)
    }

    /// Like [`Reader::read`], from these states, which must be sorted.
    pub fn read_from(&mut self, start: &[State], word: impl IntoIterator<Item = Option<u32>>) -> usize {
        self.restart(start);
        word.into_iter().take_while(|&letter| self.step(letter)).count()
    }

    /// Returns whether all of `word` can be read. Without an initial state not even the empty word can.
    pub fn reads(&mut self, word: impl IntoIterator<Item = Option<u32>>) -> bool {
        self.restart(self.model.initial());
        word.into_iter().all(|letter| self.step(letter)) && !self.states().is_empty()
    }

    fn restart(&mut self, start: &[State]) {
        self.letters.clear();
        self.sets.truncate(1);
        self.states.clear();
        self.states.extend_from_slice(start);
    }

    /// The transitions of `state` with `letter`, and the place of the first among all of the state.
    fn steps(&self, state: State, letter: u32) -> (usize, &'m [Step]) {
        let steps = self.model.steps(state);
        match self.index.get(state * self.model.alphabet().len() + letter as usize) {
            Some(&(begin, end)) => (begin as usize, &steps[begin as usize..end as usize]),
            None => {
                let begin = steps.partition_point(|step| step.letter < letter);
                let count = steps[begin..].partition_point(|step| step.letter == letter);
                (begin, &steps[begin..begin + count])
            }
        }
    }
}

/// Sorts the states from `begin` on, and keeps each once.
fn sort_and_deduplicate(states: &mut Vec<State>, begin: usize) {
    states[begin..].sort_unstable();
    let mut end = begin + 1;
    for at in begin + 1..states.len() {
        if states[at] != states[end - 1] {
            states[end] = states[at];
            end += 1;
        }
    }
    states.truncate(end);
}

/// For each state and letter, the range of the state's transitions with it.
fn index<L>(model: &Fsa<L>) -> Vec<(u32, u32)> {
    /// Eight megabytes.
    const CELLS: usize = 1 << 20;
    let letters = model.alphabet().len();
    if model.len().saturating_mul(letters) > CELLS {
        return Vec::new();
    }
    let mut index = vec![(0, 0); model.len() * letters];
    for state in model.states() {
        for (at, step) in (0..).zip(model.steps(state)) {
            let (begin, end) = &mut index[state * letters + step.letter as usize];
            if *end == 0 {
                *begin = at;
            }
            *end = at + 1;
        }
    }
    index
}

/// A transition that some reading of a word takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Traversed {
    /// The number of the transition in the order of [`Fsa::all_edges`].
    pub transition: usize,
    /// At some letter of the word, every reading takes this transition.
    pub certain: bool,
}

/// Finds the transitions that words take.
#[derive(Clone, Debug)]
pub struct Follower<'m, L> {
    reader: Reader<'m, L>,
    traversed: Vec<Traversed>,
    /// For each transition, the last word that took it and its place in `traversed` then.
    places: Vec<(u64, usize)>,
    words: u64,
    /// The states from which the rest of the word can be read, after the current letter and before it.
    after: Vec<State>,
    before: Vec<State>,
}

impl<'m, L> Follower<'m, L> {
    /// A follower that has read nothing yet.
    pub fn new(model: &'m Fsa<L>) -> Self {
        Self {
            reader: Reader::indexed(model),
            traversed: Vec::new(),
            places: vec![(0, 0); model.transitions()],
            words: 0,
            after: Vec::new(),
            before: Vec::new(),
        }
    }

    /// Reads as much of `word` as possible, and returns the number of letters read. [`Follower::traversed`]
    /// then has the transitions of every reading that gets as far.
    pub fn follow(&mut self, word: impl IntoIterator<Item = Option<u32>>) -> usize {
        let length = self.reader.read(word);
        let Self { reader, traversed, places, words, after, before } = self;
        traversed.clear();
        *words += 1;
        // Backward, because a reading that got stuck on the way did not read the word.
        after.clear();
        after.extend_from_slice(reader.states());
        for at in (0..length).rev() {
            before.clear();
            let mut taken = 0;
            let mut last = 0;
            for &state in &reader.states[reader.sets[at]..reader.sets[at + 1]] {
                let (begin, steps) = reader.steps(state, reader.letters[at]);
                let first = reader.model.first_transition(state) + begin;
                let taken_before = taken;
                for (transition, step) in (first..).zip(steps) {
                    if after.binary_search(&(step.to as State)).is_err() {
                        continue;
                    }
                    let (word, place) = &mut places[transition];
                    if *word != *words {
                        (*word, *place) = (*words, traversed.len());
                        traversed.push(Traversed { transition, certain: false });
                    }
                    (taken, last) = (taken + 1, *place);
                }
                if taken > taken_before {
                    before.push(state);
                }
            }
            if taken == 1 {
                traversed[last].certain = true;
            }
            std::mem::swap(after, before);
        }
        length
    }

    /// The transitions that the last word takes, each once.
    pub fn traversed(&self) -> &[Traversed] {
        &self.traversed
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::{fsas, words_up_to};

    /// Every sequence of transitions that reads `word`, followed one by one.
    fn readings(model: &Fsa<char>, word: &[char]) -> Vec<(State, Vec<usize>)> {
        let mut readings: Vec<(State, Vec<usize>)> =
            model.initial().iter().map(|&state| (state, Vec::new())).collect();
        for label in word {
            readings = readings
                .iter()
                .flat_map(|(state, taken)| {
                    let edges = model.all_edges().enumerate();
                    let edges = edges.filter(|(_, edge)| edge.from == *state && edge.label == label);
                    edges.map(|(number, edge)| (edge.to, [taken.as_slice(), &[number]].concat()))
                })
                .collect();
        }
        readings
    }

    /// The transitions of all readings of `word`, and whether all readings agree on one at some letter.
    fn naive_traversed(model: &Fsa<char>, word: &[char]) -> Vec<Traversed> {
        let readings = readings(model, word);
        let all: BTreeSet<usize> = readings.iter().flat_map(|(_, taken)| taken.clone()).collect();
        let agreed =
            |transition| (0..word.len()).any(|at| readings.iter().all(|(_, taken)| taken[at] == transition));
        all.into_iter().map(|transition| Traversed { transition, certain: agreed(transition) }).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn reading_agrees_with_following_every_way(model in fsas(4), indexed: bool) {
            let mut reader = if indexed { Reader::indexed(&model) } else { Reader::new(&model) };
            let mut follower = Follower::new(&model);
            if !indexed {
                follower.reader.index.clear();
            }
            for word in words_up_to(4) {
                let letters = || word.iter().map(|label| model.letter(label));
                let length = (0..=word.len()).rev().find(|&length| !readings(&model, &word[..length]).is_empty());
                let length = length.unwrap_or(0);
                let states: BTreeSet<State> =
                    readings(&model, &word[..length]).into_iter().map(|(state, _)| state).collect();
                prop_assert_eq!(reader.reads(letters()), length == word.len());
                prop_assert_eq!(reader.read(letters()), length);
                prop_assert_eq!(reader.states(), states.into_iter().collect::<Vec<_>>());
                prop_assert_eq!(follower.follow(letters()), length);
                let mut traversed = follower.traversed().to_vec();
                traversed.sort_unstable();
                prop_assert_eq!(traversed, naive_traversed(&model, &word[..length]), "{:?}", word);
            }
        }

        #[test]
        fn going_back_is_as_if_the_rest_was_never_read(model in fsas(4), length in 0..4usize) {
            for word in words_up_to(4).iter().filter(|word| word.len() == 4) {
                let letters: Vec<Option<u32>> = word.iter().map(|label| model.letter(label)).collect();
                let (mut reader, mut fresh) = (Reader::new(&model), Reader::new(&model));
                reader.read(letters.iter().copied());
                reader.back_to(length);
                fresh.read(letters[..length].iter().copied());
                prop_assert_eq!(reader.length(), fresh.length());
                prop_assert_eq!(reader.states(), fresh.states());
            }
        }
    }

    #[test]
    fn a_label_that_the_automaton_lacks_gets_stuck() {
        let mut builder = crate::Builder::new();
        builder.state(true);
        builder.initial(0);
        builder.edge(0, "a", 0);
        let model = builder.build();
        let letters = model.letters(["a", "z"]);
        let mut reader = Reader::new(&model);
        assert_eq!(reader.read([letters[0], letters[1], letters[0]]), 1);
        assert_eq!(reader.states(), [0]);
        assert!(!reader.reads([letters[1]]));
        assert!(!Reader::new(&crate::Builder::<char>::new().build()).reads([]));
    }
}
