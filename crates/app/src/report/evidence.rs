//! Evidence for the transitions of a model: the traces and tests that took each, found by replaying them over
//! the finished model.
//!
//! A nondeterministic model can read a trace in several ways. What all of them use at some point was taken;
//! what only some of them use was perhaps taken, and is counted apart. Traces are replayed as they are read
//! and then forgotten, a few short examples for each transition aside, so that a million of them fit.

use std::collections::BTreeMap;
use std::rc::Rc;

use adit_automata::{Follower, Fsa, State, Traversed};
use adit_picture::throws;
use adit_trace::{Alphabet, Letter, WordSink};

use crate::witnesses::Witnesses;

/// For each transition this many examples are kept, the shortest.
const EXAMPLES: usize = 3;

/// A trace that is kept, as numbers into [`Evidence::labels`].
pub(crate) type Word = Rc<[Letter]>;

/// Evidence of all traces and tests for a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// For each transition of the model, in the model's order.
    pub(crate) taken: Vec<Taken>,
    /// Number of traces.
    pub(crate) traces: u64,
    /// Number of traces that the model cannot read.
    pub(crate) outside: u64,
    /// The shortest of these.
    pub(crate) outside_examples: Vec<Word>,
    /// For each state and call that it refuses, how often that was tried, and the test that shows it.
    pub(crate) refused: BTreeMap<(State, String), (u64, Option<usize>)>,
    /// The labels of all traces, by letter.
    pub(crate) labels: Vec<String>,
    /// For each of these labels, the number of traces in which it happens.
    pub(crate) occurs: Vec<u64>,
}

/// Traces and tests that took a transition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Number of traces.
    pub(crate) traces: u64,
    /// Number of further traces that can be read in a way that takes it, and in another way too.
    pub(crate) perhaps: u64,
    /// The shortest of these; those that took it for certain when there are any.
    pub(crate) examples: Vec<Word>,
    /// Number of tests.
    pub(crate) tests: u64,
    /// The shortest of these by their numbers; those that take it for certain when there are any.
    pub(crate) examples_of_tests: Vec<usize>,
    /// Number of situations in which the search saw it taken; zero if it did not look, or another search made
    /// the model.
    pub(crate) situations: u64,
    /// The test by which the search knows it.
    pub(crate) witness: Option<usize>,
    /// Number of the examples, and of those among tests, that are certain.
    certain: (usize, usize),
}

impl Taken {
    /// Returns true if something took it for certain.
    pub(crate) fn is_certain(&self) -> bool {
        self.situations > 0 || self.traces > 0 || self.tests > 0
    }

    /// The tests that can be read as if they took it, and in another way too, if none takes it for certain.
    pub(crate) fn perhaps_shown_by(&self) -> &[usize] {
        if self.shown_by().is_empty() { &self.examples_of_tests } else { &[] }
    }

    /// The tests that take it for certain, the best to look at first.
    pub(crate) fn shown_by(&self) -> Vec<usize> {
        let certain = self.examples_of_tests.iter().take(self.certain.1).copied();
        let others = certain.filter(|&test| Some(test) != self.witness);
        self.witness.into_iter().chain(others).collect()
    }

    /// Returns true if something can at least be read as if it had taken it.
    pub(crate) fn is_possible(&self) -> bool {
        self.is_certain() || self.perhaps > 0 || !self.examples_of_tests.is_empty()
    }
}

impl Evidence {
    /// Number of traces in which a label happens.
    pub(crate) fn support(&self, label: &str) -> u64 {
        self.labels.iter().position(|known| known == label).map_or(0, |at| self.occurs[at])
    }

    /// A kept trace as text.
    pub(crate) fn word(&self, word: &[Letter]) -> Vec<&str> {
        word.iter().map(|&letter| self.labels[letter as usize].as_str()).collect()
    }

    /// Takes over what the search that made the model knows. `test` gives the place of a test by its number.
    pub(crate) fn learn(
        &mut self,
        model: &Fsa<String>,
        witnesses: &Witnesses,
        test: impl Fn(usize) -> Option<usize>,
    ) {
        let mut edges: BTreeMap<(State, &str, State), usize> = BTreeMap::new();
        for (at, edge) in model.all_edges().enumerate() {
            edges.insert((edge.from, edge.label, edge.to), at);
        }
        for one in &witnesses.takes {
            if let Some(&at) = edges.get(&(one.from, one.event.as_str(), one.to)) {
                self.taken[at].situations = one.situations;
                self.taken[at].witness = test(one.test);
            }
        }
        let refuses = witnesses.refuses.iter().filter(|one| one.state < model.len());
        self.refused =
            refuses.map(|one| ((one.state, one.event.clone()), (one.times, test(one.test)))).collect();
    }
}

/// Replays traces over a model while they are read.
pub(crate) struct Replay<'m> {
    model: &'m Fsa<String>,
    follower: Follower<'m, String>,
    /// An object counts up to its first exception, unless the model knows exceptions.
    to_first_exception: bool,
    /// The model's letter for each letter of the traces.
    letters: Vec<Option<u32>>,
    ends: Vec<bool>,
    current: Vec<Letter>,
    /// For each label, the last word that it was counted for.
    counted: Vec<u64>,
    words: u64,
    /// The length of each test that was kept as an example.
    lengths: Vec<usize>,
    evidence: Evidence,
}

impl<'m> Replay<'m> {
    pub(crate) fn new(model: &'m Fsa<String>) -> Self {
        Self {
            follower: Follower::new(model),
            to_first_exception: !model.alphabet().iter().any(|label| throws(label)),
            letters: Vec::new(),
            ends: Vec::new(),
            current: Vec::new(),
            counted: Vec::new(),
            words: 0,
            lengths: Vec::new(),
            evidence: Evidence { taken: vec![Taken::default(); model.transitions()], ..Evidence::default() },
            model,
        }
    }

    /// Adds a test by the lives of its objects.
    pub(crate) fn test(&mut self, number: usize, words: &[Vec<String>]) {
        let length = words.iter().map(Vec::len).sum();
        self.lengths.resize(number + 1, 0);
        self.lengths[number] = length;
        let mut edges: BTreeMap<usize, bool> = BTreeMap::new();
        for word in words {
            self.follower.follow(word.iter().map(|label| self.model.letter(label)));
            for &Traversed { transition, certain } in self.follower.traversed() {
                *edges.entry(transition).or_default() |= certain;
            }
        }
        for (edge, certain) in edges {
            let taken = &mut self.evidence.taken[edge];
            taken.tests += u64::from(certain);
            // The certain ones come first.
            let (sure, all) = (taken.certain.1, &mut taken.examples_of_tests);
            let range = if certain { 0..sure } else { sure..all.len() };
            let start = range.start;
            let at = start + all[range].partition_point(|&test| self.lengths[test] <= length);
            all.insert(at, number);
            taken.certain.1 = (sure + usize::from(certain)).min(EXAMPLES);
            all.truncate(EXAMPLES);
        }
    }

    pub(crate) fn finish(mut self) -> Evidence {
        for taken in &mut self.evidence.taken {
            // An example that is none for certain is worth showing only when there is no better one.
            let (words, tests) = taken.certain;
            taken.examples.truncate(if words > 0 { words } else { EXAMPLES });
            taken.examples_of_tests.truncate(if tests > 0 { tests } else { EXAMPLES });
        }
        self.evidence
    }

    /// Makes room for labels that were not seen before.
    fn learn(&mut self, alphabet: &Alphabet) {
        if alphabet.len() == self.letters.len() {
            return;
        }
        for name in alphabet.names().skip(self.letters.len()) {
            self.letters.push(self.model.letter(name));
            self.ends.push(self.to_first_exception && throws(name));
            self.counted.push(0);
            self.evidence.labels.push(name.to_owned());
            self.evidence.occurs.push(0);
        }
    }
}

impl WordSink for Replay<'_> {
    fn part(&mut self, letters: &[Letter], alphabet: &Alphabet) {
        self.learn(alphabet);
        self.current.extend_from_slice(letters);
    }

    fn end(&mut self, weight: u64) {
        let end = self.current.iter().position(|&letter| self.ends[letter as usize]);
        self.current.truncate(end.unwrap_or(self.current.len()));
        self.words += 1;
        self.evidence.traces = self.evidence.traces.saturating_add(weight);
        for &letter in &self.current {
            let letter = letter as usize;
            if std::mem::replace(&mut self.counted[letter], self.words) != self.words {
                self.evidence.occurs[letter] = self.evidence.occurs[letter].saturating_add(weight);
            }
        }
        let read = self.follower.follow(self.current.iter().map(|&letter| self.letters[letter as usize]));
        // Only made when somebody keeps it.
        let mut word: Option<Word> = None;
        if read < self.current.len() || self.model.initial().is_empty() {
            self.evidence.outside = self.evidence.outside.saturating_add(weight);
            keep(&mut self.evidence.outside_examples, 0, &self.current, &mut word);
        }
        for &Traversed { transition, certain } in self.follower.traversed() {
            let taken = &mut self.evidence.taken[transition];
            let count = if certain { &mut taken.traces } else { &mut taken.perhaps };
            *count = count.saturating_add(weight);
            let sure = taken.certain.0;
            // Most words are longer than the examples that there are.
            if sure == EXAMPLES && taken.examples[EXAMPLES - 1].len() <= self.current.len() {
                continue;
            }
            if certain {
                // Those that are not certain stand behind these, and give way.
                let mut rest = taken.examples.split_off(sure);
                keep(&mut taken.examples, 0, &self.current, &mut word);
                taken.certain.0 = taken.examples.len();
                taken.examples.append(&mut rest);
                taken.examples.truncate(EXAMPLES);
            } else {
                keep(&mut taken.examples, sure, &self.current, &mut word);
            }
        }
        self.current.clear();
    }
}

/// Keeps a word as an example, behind the first ones, when it is short enough; of equally short ones the
/// first stays.
fn keep(examples: &mut Vec<Word>, behind: usize, word: &[Letter], made: &mut Option<Word>) {
    let at = behind + examples[behind..].partition_point(|known| known.len() <= word.len());
    if at == EXAMPLES || examples[..at].iter().any(|known| **known == *word) {
        return;
    }
    examples.insert(at, made.get_or_insert_with(|| word.into()).clone());
    examples.truncate(EXAMPLES);
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use adit_trace::Words;
    use expect_test::{Expect, expect};

    use super::*;

    /// A model from `0 a 1` and so on; state 0 is initial.
    fn model(edges: &[&str]) -> Fsa<String> {
        let mut builder = Builder::new();
        for edge in edges {
            let [from, label, to] = edge.split(' ').collect::<Vec<_>>()[..] else { panic!("{edge}") };
            let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
            while builder.len() <= std::cmp::max(from, to) {
                builder.state(true);
            }
            builder.edge(from, label.to_owned(), to);
        }
        builder.initial(0);
        builder.build()
    }

    fn replayed(model: &Fsa<String>, traces: &[(&str, u64)]) -> Evidence {
        let mut words = Words::new();
        for (trace, weight) in traces {
            words.add(trace.split_whitespace(), *weight);
        }
        let mut replay = Replay::new(model);
        for word in &words.words {
            replay.part(&word.letters, &words.alphabet);
            replay.end(word.weight);
        }
        replay.finish()
    }

    fn check(edges: &[&str], traces: &[(&str, u64)], expect: Expect) {
        let model = model(edges);
        let evidence = replayed(&model, traces);
        let mut told = String::new();
        for (edge, taken) in model.all_edges().zip(&evidence.taken) {
            let examples: Vec<String> =
                taken.examples.iter().map(|word| evidence.word(word).join(" ")).collect();
            told += &format!(
                "{} {} {}: {} and {} perhaps ({})\n",
                edge.from,
                edge.label,
                edge.to,
                taken.traces,
                taken.perhaps,
                examples.join(" | ")
            );
        }
        let outside: Vec<String> =
            evidence.outside_examples.iter().map(|word| evidence.word(word).join(" ")).collect();
        told += &format!("{} of {} outside ({})\n", evidence.outside, evidence.traces, outside.join(" | "));
        expect.assert_eq(&told);
    }

    #[test]
    fn only_ways_that_read_the_whole_word_count() {
        check(
            &["0 new 1", "1 next 1", "1 next 2", "2 done 2", "1 more 1"],
            &[("new next next more", 3), ("new next done", 2), ("new", 1)],
            expect![[r#"
                0 new 1: 6 and 0 perhaps (new | new next done | new next next more)
                1 more 1: 3 and 0 perhaps (new next next more)
                1 next 1: 3 and 0 perhaps (new next next more)
                1 next 2: 2 and 0 perhaps (new next done)
                2 done 2: 2 and 0 perhaps (new next done)
                0 of 6 outside ()
            "#]],
        );
    }

    #[test]
    fn a_trace_counts_up_to_where_it_leaves_the_model() {
        check(
            &["0 new 1", "1 pop 1"],
            &[("new pop push", 1), ("push", 1), ("new pop!EmptyStackException push", 1)],
            expect![[r#"
                0 new 1: 2 and 0 perhaps (new | new pop push)
                1 pop 1: 1 and 0 perhaps (new pop push)
                2 of 3 outside (push | new pop push)
            "#]],
        );
    }

    #[test]
    fn tests_take_transitions_too_and_the_shortest_are_kept() {
        let model = model(&["0 new 1", "1 pop 1"]);
        let mut replay = Replay::new(&model);
        let word = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        replay.test(0, &[word("new pop pop pop")]);
        replay.test(1, &[word("new"), word("new pop")]);
        replay.test(2, &[word("new unknown")]);
        for number in 3..9 {
            replay.test(number, &[word("new")]);
        }
        let evidence = replay.finish();
        assert_eq!(evidence.taken[0].tests, 9);
        assert_eq!(evidence.taken[0].examples_of_tests, [3, 4, 5]);
        assert_eq!(evidence.taken[1].examples_of_tests, [1, 0]);
        assert_eq!(evidence.taken.iter().filter(|taken| taken.is_certain()).count(), 2);
    }

    #[test]
    fn what_has_two_readings_is_not_certain() {
        check(
            &["0 new 1", "1 next 1", "1 next 2", "2 done 2"],
            &[("new next", 5), ("new next next done", 1), ("new next next next", 1)],
            expect![[r#"
                0 new 1: 7 and 0 perhaps (new next | new next next done | new next next next)
                1 next 1: 2 and 5 perhaps (new next next done | new next next next)
                1 next 2: 1 and 6 perhaps (new next next done)
                2 done 2: 1 and 0 perhaps (new next next done)
                0 of 7 outside ()
            "#]],
        );
        let model = model(&["0 new 1", "1 next 1", "1 next 2", "2 done 2"]);
        let mut replay = Replay::new(&model);
        let word = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        replay.test(0, &[word("new next")]);
        replay.test(1, &[word("new next next done")]);
        let evidence = replay.finish();
        assert_eq!((evidence.taken[2].tests, &evidence.taken[2].examples_of_tests), (1, &vec![1]));
    }
}
