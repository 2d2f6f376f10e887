//! L*: the smallest automaton that a teacher accepts, from membership and equivalence queries.
//!
//! Paper: `angluin87`, the observation table; `rivest93`, counterexamples, of which one suffix is kept that a
//! binary search finds.
//! Deviation: words have three outcomes instead of two, as in [xpsyco, section 3.1]; rows of access words
//! stay distinct, so the table is always consistent and only has to be closed.
//! Cost: `O(n² · symbols + n · log m)` membership queries for `n` states and counterexamples of length `m`,
//! and at most `n` equivalence queries.

use std::collections::HashMap;

use crate::lts::{Lts, Symbol, WordOutcome};

/// Knowledge about a language of words with three outcomes.
///
/// The language must be closed: a word that continues an error is an error, and one that continues an
/// unknown word is unknown.
pub trait Teacher {
    /// The outcome of `word`.
    fn member(&mut self, word: &[Symbol]) -> WordOutcome;

    /// Judges a conjecture, the smallest automaton that agrees with all outcomes so far.
    fn equivalent(&mut self, hypothesis: &Lts) -> Answer;
}

/// A teacher's answer to a conjecture.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The conjecture is right, as far as the teacher can tell.
    Accepted,
    /// The conjecture is wrong about this word.
    Counterexample(Vec<Symbol>),
    /// The teacher takes no more questions: its alphabet has changed, or its budget has ended.
    Ended,
}

impl<T: Teacher + ?Sized> Teacher for &mut T {
    fn member(&mut self, word: &[Symbol]) -> WordOutcome {
        (**self).member(word)
    }

    fn equivalent(&mut self, hypothesis: &Lts) -> Answer {
        (**self).equivalent(hypothesis)
    }
}

/// Result of learning: the last conjecture, and the reason to stop there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// The last conjecture.
    pub lts: Lts,
    /// True if the teacher accepted the conjecture, false if it ended the session.
    pub accepted: bool,
}

/// Learns the automaton of `teacher` over the symbols `0..symbols`.
///
/// Counterexamples that are none (the teacher judges the word as the conjecture does) end the session too,
/// because they would be given again for ever.
pub fn learn(symbols: usize, teacher: &mut impl Teacher) -> Learned {
    let mut table = Table::new(symbols, teacher);
    loop {
        let hypothesis = table.close(teacher);
        match teacher.equivalent(&hypothesis) {
            Answer::Accepted => return Learned { lts: hypothesis, accepted: true },
            Answer::Ended => return Learned { lts: hypothesis, accepted: false },
            Answer::Counterexample(word) => {
                if !table.refine(&hypothesis, &word, teacher) {
                    return Learned { lts: hypothesis, accepted: false };
                }
            }
        }
    }
}

/// The observation table, reduced: one access word for each distinct row.
struct Table {
    symbols: usize,
    /// Words that lead to different states, the empty one first.
    access: Vec<Vec<Symbol>>,
    /// Words that tell states apart, the empty one first.
    suffixes: Vec<Vec<Symbol>>,
    /// Outcomes of the access words with the suffixes.
    rows: Vec<Vec<WordOutcome>>,
    /// Outcomes of the access words that are one symbol longer, for each symbol.
    frontier: Vec<Vec<Vec<WordOutcome>>>,
}

impl Table {
    fn new(symbols: usize, teacher: &mut impl Teacher) -> Self {
        let mut table = Self {
            symbols,
            access: Vec::new(),
            suffixes: vec![Vec::new()],
            rows: Vec::new(),
            frontier: Vec::new(),
        };
        table.admit(Vec::new(), teacher);
        table
    }

    /// Makes `word` an access word.
    fn admit(&mut self, word: Vec<Symbol>, teacher: &mut impl Teacher) {
        let row = Self::row(&word, &self.suffixes, teacher);
        let live = row[0] == WordOutcome::Ok;
        let frontier = (0..if live { self.symbols } else { 0 })
            .map(|symbol| Self::row(&[&word[..], &[symbol]].concat(), &self.suffixes, teacher))
            .collect();
        self.access.push(word);
        self.rows.push(row);
        self.frontier.push(frontier);
    }

    fn row(word: &[Symbol], suffixes: &[Vec<Symbol>], teacher: &mut impl Teacher) -> Vec<WordOutcome> {
        let first = teacher.member(word);
        let ask = |suffix: &Vec<Symbol>| match first {
            WordOutcome::Ok if suffix.is_empty() => first,
            WordOutcome::Ok => teacher.member(&[word, suffix].concat()),
            // What follows an error or the unknown has the same outcome.
            outcome => outcome,
        };
        suffixes.iter().map(ask).collect()
    }

    /// Adds access words until every symbol leads to the row of one, and reads the automaton off.
    fn close(&mut self, teacher: &mut impl Teacher) -> Lts {
        let mut state_of: HashMap<Vec<WordOutcome>, usize> =
            self.rows.iter().enumerate().map(|(state, row)| (row.clone(), state)).collect();
        let mut targets: Vec<Vec<usize>> = Vec::new();
        let mut at = 0;
        while at < self.access.len() {
            let mut row = Vec::with_capacity(self.symbols);
            for symbol in 0..self.frontier[at].len() {
                let reached = &self.frontier[at][symbol];
                let target = if let Some(&state) = state_of.get(reached) {
                    state
                } else {
                    let state = self.access.len();
                    state_of.insert(reached.clone(), state);
                    let word = [&self.access[at][..], &[symbol]].concat();
                    self.admit(word, teacher);
                    state
                };
                row.push(target);
            }
            targets.push(row);
            at += 1;
        }
        let outcomes = self.rows.iter().map(|row| row[0]).collect();
        Lts::new(self.symbols, outcomes, targets)
    }

    /// Adds a suffix of the counterexample that tells two words apart which `hypothesis` leads to one state.
    /// False if the counterexample is none.
    fn refine(&mut self, hypothesis: &Lts, word: &[Symbol], teacher: &mut impl Teacher) -> bool {
        // WordOutcome of the word when its first `cut` symbols are replaced by the access word of their
        // state.
        let mut replaced = |cut: usize| {
            let access = &self.access[hypothesis.run(&word[..cut])];
            teacher.member(&[&access[..], &word[cut..]].concat())
        };
        let (mut low, mut high) = (0, word.len());
        let (first, last) = (replaced(low), replaced(high));
        if first == last {
            return false;
        }
        // The outcomes at `low` and `high` always differ, so they differ for some neighbors in between.
        while high - low > 1 {
            let middle = low.midpoint(high);
            if replaced(middle) == first { low = middle } else { high = middle }
        }
        let suffix = word[high..].to_vec();
        debug_assert!(!self.suffixes.contains(&suffix), "a known suffix tells no more states apart");
        for state in 0..self.access.len() {
            let live = self.rows[state][0] == WordOutcome::Ok;
            let mut ask = |word: &[Symbol], first: WordOutcome| match first {
                WordOutcome::Ok => teacher.member(&[word, &suffix].concat()),
                outcome => outcome,
            };
            let outcome = ask(&self.access[state], self.rows[state][0]);
            self.rows[state].push(outcome);
            for symbol in 0..if live { self.symbols } else { 0 } {
                let longer = [&self.access[state][..], &[symbol]].concat();
                let outcome = ask(&longer, self.frontier[state][symbol][0]);
                self.frontier[state][symbol].push(outcome);
            }
        }
        self.suffixes.push(suffix);
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lts::testing::any_lts;
    use crate::oracle::{Cached, Counted};

    /// A teacher that knows an automaton, and gives counterexamples that are `detour` symbols longer than
    /// the shortest one where possible.
    struct Knows {
        truth: Lts,
        detour: usize,
    }

    impl Teacher for Knows {
        fn member(&mut self, word: &[Symbol]) -> WordOutcome {
            self.truth.judge(word)
        }

        fn equivalent(&mut self, hypothesis: &Lts) -> Answer {
            let Some(mut word) = self.truth.difference(hypothesis) else { return Answer::Accepted };
            // Symbols after a difference cannot hide it if one side is absorbing and stays different.
            for symbol in 0..self.detour {
                let longer = [&word[..], &[symbol % self.truth.symbols()]].concat();
                if self.truth.judge(&longer) != hypothesis.judge(&longer) {
                    word = longer;
                }
            }
            Answer::Counterexample(word)
        }
    }

    /// Automaton from all words up to `length` by the definition of equivalence: a naive learner that knows
    /// the number of states.
    fn naive(truth: &Lts, states: usize) -> Lts {
        let mut continuations = vec![Vec::new()];
        let mut at = 0;
        while continuations[at].len() < states {
            for symbol in 0..truth.symbols() {
                let longer = [&continuations[at][..], &[symbol]].concat();
                continuations.push(longer);
            }
            at += 1;
        }
        let future = |word: &[Symbol]| -> Vec<WordOutcome> {
            continuations.iter().map(|next| truth.judge(&[word, next].concat())).collect()
        };
        let mut access: Vec<Vec<Symbol>> = vec![Vec::new()];
        let mut futures = vec![future(&[])];
        let mut targets = Vec::new();
        let mut at = 0;
        while at < access.len() {
            let mut row = Vec::new();
            for symbol in 0..truth.symbols() {
                let word = [&access[at][..], &[symbol]].concat();
                let next = future(&word);
                let state = futures.iter().position(|known| *known == next).unwrap_or_else(|| {
                    access.push(word);
                    futures.push(next);
                    futures.len() - 1
                });
                row.push(state);
            }
            targets.push(row);
            at += 1;
        }
        Lts::new(truth.symbols(), futures.iter().map(|future| future[0]).collect(), targets)
    }

    proptest! {
        /// Random model in, same model out, as small as possible and within the cost of the header.
        #[test]
        fn the_model_that_the_teacher_has_in_mind_is_learned(truth in any_lts(8, 4), detour in 0usize..9) {
            let mut teacher = Counted::new(Cached::new(Knows { truth: truth.clone(), detour }));
            let learned = learn(truth.symbols(), &mut teacher);
            prop_assert!(learned.accepted);
            let minimal = truth.minimize();
            prop_assert_eq!(learned.lts.minimize(), minimal.clone());
            prop_assert_eq!(learned.lts.len(), minimal.len());
            let questions = teacher.questions();
            prop_assert!(questions.equivalences <= minimal.len());
            let n = minimal.len();
            prop_assert!(questions.memberships <= 2 * n * n * (truth.symbols() + 1) + n * 16);
        }

        #[test]
        fn the_naive_learner_agrees(truth in any_lts(3, 2)) {
            let learned = learn(truth.symbols(), &mut Knows { truth: truth.clone(), detour: 0 });
            prop_assert_eq!(learned.lts.minimize(), naive(&truth, 4).minimize());
        }

        /// The cache changes no answer and never lets a word pass twice.
        #[test]
        fn a_cached_teacher_is_asked_once(truth in any_lts(4, 2), words in prop::collection::vec(prop::collection::vec(0usize..2, 0..5), 1..20)) {
            let mut cached = Cached::new(Counted::new(Knows { truth: truth.clone(), detour: 0 }));
            let words: Vec<Vec<usize>> = words
                .into_iter()
                .map(|word| word.into_iter().map(|symbol| symbol % truth.symbols()).collect())
                .collect();
            for word in words.iter().chain(&words) {
                prop_assert_eq!(cached.member(word), truth.judge(word));
            }
            let distinct: std::collections::BTreeSet<_> = words.iter().collect();
            prop_assert!(cached.inner().questions().memberships <= distinct.len());
        }
    }

    /// A teacher that gives no counterexample but says so ends the session instead of looping for ever.
    #[test]
    fn a_counterexample_that_is_none_ends_the_session() {
        struct Confused;
        impl Teacher for Confused {
            fn member(&mut self, _: &[Symbol]) -> WordOutcome {
                WordOutcome::Ok
            }
            fn equivalent(&mut self, _: &Lts) -> Answer {
                Answer::Counterexample(vec![0, 0])
            }
        }
        assert!(!learn(1, &mut Confused).accepted);
    }
}
