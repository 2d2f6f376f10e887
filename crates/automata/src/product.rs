//! Two automata at once: intersection, inclusion with a shortest separating word, equality of languages.
//!
//! Cost: the intersection has at most `n · m` states. Inclusion walks pairs of subsets, found on the fly and
//! bounded by a limit, because the right-hand side must be determinized.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::determinize::{Subsets, TooLarge};
use crate::graph::{Fsa, Modality, State, Step};

/// A subset of the left automaton and one of the right, unless the right one got stuck.
type Pair = (usize, Option<usize>);

/// A subset of each, neither of them stuck.
type Both = (usize, usize);

impl<L: Ord + Clone> Fsa<L> {
    /// The words that both accept, over the union of the alphabets; only reachable states.
    ///
    /// A transition is required when it is required in both.
    pub fn intersection(&self, other: &Self) -> Self {
        let (alphabet, mine, theirs) = common_alphabet(self, other);
        let mut index: FxHashMap<(State, State), u32> = FxHashMap::default();
        let mut order = Vec::new();
        let mut number = |pair: (State, State), order: &mut Vec<(State, State)>| {
            *index.entry(pair).or_insert_with(|| {
                order.push(pair);
                order.len() as u32 - 1
            })
        };
        let mut initial = Vec::new();
        for &left in self.initial() {
            for &right in other.initial() {
                initial.push(number((left, right), &mut order) as State);
            }
        }
        let mut edges = Vec::new();
        let mut at = 0;
        while at < order.len() {
            let (left, right) = order[at];
            for step in self.steps(left) {
                let letter = mine[step.letter as usize];
                let Ok(theirs) = theirs.binary_search(&letter) else { continue };
                for across in other.steps_with(right, theirs as u32) {
                    let to = number((step.to as State, across.to as State), &mut order);
                    edges
                        .push((at as u32, Step { letter, to, modality: step.modality.max(across.modality) }));
                }
            }
            at += 1;
        }
        let accepting =
            order.iter().map(|&(left, right)| self.is_accepting(left) && other.is_accepting(right)).collect();
        Fsa::assemble(alphabet, initial, accepting, edges)
    }

    /// The shortest word that `self` accepts and `other` does not, the first in label order among equally
    /// short ones; `None` when there is none, that is, when `other` includes `self`.
    ///
    /// Fails when more than `limit` pairs of subsets must be visited.
    pub fn separating_word(&self, other: &Self, limit: usize) -> Result<Option<Vec<L>>, TooLarge> {
        let (alphabet, mine, theirs) = common_alphabet(self, other);
        let (mut left, mut right) = (Subsets::new(self), Subsets::new(other));
        // A subset of `other` that got stuck stays stuck; it is no pair's business which one it was.
        let start = (left.start(), Some(right.start()));
        let mut from: FxHashMap<Pair, Option<(Pair, u32)>> = FxHashMap::default();
        from.insert(start, None);
        let mut queue = VecDeque::from([start]);
        while let Some(pair) = queue.pop_front() {
            if left.is_accepting(pair.0) && !pair.1.is_some_and(|subset| right.is_accepting(subset)) {
                let mut word = Vec::new();
                let mut at = pair;
                while let Some(Some((before, letter))) = from.get(&at) {
                    word.push(alphabet[*letter as usize].clone());
                    at = *before;
                }
                word.reverse();
                return Ok(Some(word));
            }
            if from.len() > limit {
                return Err(TooLarge(limit));
            }
            let across: Vec<(u32, usize, Modality)> =
                pair.1.map_or_else(Vec::new, |subset| right.successors(subset));
            for (letter, to, _) in left.successors(pair.0) {
                let letter = mine[letter as usize];
                let to_right = theirs.binary_search(&letter).ok().and_then(|letter| {
                    let at = across.binary_search_by_key(&(letter as u32), |&(letter, ..)| letter).ok()?;
                    Some(across[at].1)
                });
                from.entry((to, to_right)).or_insert_with(|| {
                    queue.push_back((to, to_right));
                    Some((pair, letter))
                });
            }
        }
        Ok(None)
    }

    /// For each label, the shortest word ending in it that `self` can read and `other` cannot, although it
    /// can read the word without its end; final states aside. Shortest first.
    ///
    /// Fails when more than `limit` pairs of subsets must be visited.
    pub fn reads_beyond(&self, other: &Self, limit: usize) -> Result<Vec<Vec<L>>, TooLarge> {
        let (alphabet, mine, theirs) = common_alphabet(self, other);
        let (mut left, mut right) = (Subsets::new(self), Subsets::new(other));
        let start = (left.start(), right.start());
        let mut from: FxHashMap<Both, Option<(Both, u32)>> = FxHashMap::default();
        from.insert(start, None);
        let mut queue = VecDeque::from([start]);
        let mut seen = vec![false; alphabet.len()];
        let mut found: Vec<Vec<L>> = Vec::new();
        while let Some(pair) = queue.pop_front() {
            if from.len() > limit {
                return Err(TooLarge(limit));
            }
            let across = right.successors(pair.1);
            for (letter, to, _) in left.successors(pair.0) {
                let letter = mine[letter as usize];
                let to_right = theirs.binary_search(&letter).ok().and_then(|letter| {
                    let at = across.binary_search_by_key(&(letter as u32), |&(letter, ..)| letter).ok()?;
                    Some(across[at].1)
                });
                if let Some(to_right) = to_right {
                    from.entry((to, to_right)).or_insert_with(|| {
                        queue.push_back((to, to_right));
                        Some((pair, letter))
                    });
                } else if !std::mem::replace(&mut seen[letter as usize], true) {
                    let mut word = vec![alphabet[letter as usize].clone()];
                    let mut at = pair;
                    while let Some(Some((before, letter))) = from.get(&at) {
                        word.push(alphabet[*letter as usize].clone());
                        at = *before;
                    }
                    word.reverse();
                    found.push(word);
                }
            }
        }
        Ok(found)
    }

    /// Returns whether both accept the same words. Fails when finding out takes more than `limit` pairs of
    /// subsets.
    pub fn same_language(&self, other: &Self, limit: usize) -> Result<bool, TooLarge> {
        Ok(self.separating_word(other, limit)?.is_none() && other.separating_word(self, limit)?.is_none())
    }
}

/// The union of two alphabets, and where each label of either stands in it.
fn common_alphabet<L: Ord + Clone>(left: &Fsa<L>, right: &Fsa<L>) -> (Vec<L>, Vec<u32>, Vec<u32>) {
    let mut union: Vec<L> = left.alphabet().iter().chain(right.alphabet()).cloned().collect();
    union.sort();
    union.dedup();
    let place = |label: &L| union.binary_search(label).expect("the union holds every label") as u32;
    let left = left.alphabet().iter().map(place).collect();
    let right = right.alphabet().iter().map(place).collect();
    (union, left, right)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::testing::{fsas, words_up_to};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn intersection_accepts_what_both_accept(one in fsas(5), other in fsas(5)) {
            let both = one.intersection(&other);
            for word in words_up_to(4) {
                prop_assert_eq!(both.accepts(&word), one.accepts(&word) && other.accepts(&word), "{:?}", word);
            }
        }

        #[test]
        fn a_separating_word_is_the_first_that_separates(one in fsas(4), other in fsas(4)) {
            let found = one.separating_word(&other, 100_000).unwrap();
            // `words_up_to` lists words by length, then in label order.
            let naive = words_up_to(5).into_iter().find(|word| one.accepts(word) && !other.accepts(word));
            match (found, naive) {
                (Some(found), None) => prop_assert!(found.len() > 5, "{:?} was missed", found),
                (found, naive) => prop_assert_eq!(found, naive),
            }
        }

        #[test]
        fn what_is_read_beyond_is_the_first_of_each_label(one in fsas(4), other in fsas(4)) {
            let found = one.reads_beyond(&other, 100_000).unwrap();
            for label in ['a', 'b', 'c'] {
                let naive = words_up_to(5).into_iter().find(|word| {
                    word.last() == Some(&label) && one.reads(word) && !other.reads(word) && other.reads(&word[..word.len() - 1])
                });
                let mine = found.iter().find(|word| word.last() == Some(&label));
                match (mine, naive) {
                    (Some(mine), None) => prop_assert!(mine.len() > 5, "{:?} was missed", mine),
                    // Equally short words may come in another order, since pairs are visited by where they
                    // were met.
                    (mine, naive) => prop_assert_eq!(mine.map(Vec::len), naive.map(|word| word.len())),
                }
            }
            for word in &found {
                prop_assert!(one.reads(word) && !other.reads(word));
            }
        }

        #[test]
        fn determinizing_keeps_the_language(fsa in fsas(6)) {
            let deterministic = fsa.determinize(1000).unwrap();
            prop_assert!(deterministic.is_deterministic());
            prop_assert!(fsa.same_language(&deterministic, 100_000).unwrap());
            for word in words_up_to(4) {
                prop_assert_eq!(fsa.accepts(&word), deterministic.accepts(&word), "{:?}", word);
            }
        }
    }

    #[test]
    fn a_limit_is_an_answer_too() {
        // The letter before the last four is an `a`: every deterministic automaton for it needs 32 states.
        let mut builder = crate::Builder::new();
        for state in 0..6 {
            builder.state(state == 5);
        }
        builder.initial(0);
        for letter in ['a', 'b'] {
            builder.edge(0, letter, 0);
            for state in 1..5 {
                builder.edge(state, letter, state + 1);
            }
        }
        builder.edge(0, 'a', 1);
        let fsa = builder.build();
        assert!(fsa.determinize(31).is_err());
        assert_eq!(fsa.determinize(32).unwrap().len(), 32);
        assert!(fsa.separating_word(&fsa, 31).is_err());
    }
}
