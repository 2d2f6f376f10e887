//! Teachers of Mealy machines: what can be asked, and wrappers around whoever answers.
//!
//! A learner does not know whether its words are cached, counted, asked several times or spread over workers.
//!
//! This is not the [`Teacher`](crate::Teacher) of interface learning. That one judges a word as a whole and
//! absorbs errors, answers one word at a time, always answers, and compares conjectures itself, because it
//! can look inside. A system behind this one gives an output for every input, answers sets of words at the
//! price of one round trip, may fall silent, and cannot compare anything: a check by words does
//! ([`Equivalence`]).
//!
//! [`Equivalence`]: super::Equivalence

use std::collections::BTreeMap;

use super::observation_tree::{ObservationTree, ROOT};
use super::{InputWord, Mealy, OutputSymbol};
use crate::lts::Symbol;

/// A system that starts afresh for every word of inputs, and answers each input with an output.
pub trait MealyTeacher {
    /// An answer to one input.
    type Output;

    /// The outputs of every word, in the same order. Each word has as many outputs as inputs.
    fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<Self::Output>>, Ended>;
}

impl<T: MealyTeacher + ?Sized> MealyTeacher for &mut T {
    type Output = T::Output;

    fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<Self::Output>>, Ended> {
        (**self).ask(words)
    }
}

/// A machine that is known answers for itself.
impl MealyTeacher for Mealy {
    type Output = OutputSymbol;

    fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<OutputSymbol>>, Ended> {
        Ok(words.iter().map(|word| self.outputs(0, word)).collect())
    }
}

/// The reason why a teacher answers no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The budget of the session is used up.
    Budget,
    /// Someone asked to stop.
    Interrupted,
    /// The system gave two different answers to the same inputs, and nothing decides between them. Learning
    /// needs a system whose answers depend on the inputs since its last reset only.
    Flaky(Contradiction),
    /// The system gave different answers to the same word, none of them in more than half of the votes.
    Undecided,
    /// The system failed; the text says how.
    Failed(String),
}

/// Two different answers to the same inputs, as far as they were given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contradiction {
    /// The inputs up to the one with two outputs.
    pub word: InputWord,
    /// Outputs of one time.
    pub first: Vec<OutputSymbol>,
    /// Outputs of another time.
    pub second: Vec<OutputSymbol>,
}

/// A teacher that is never asked what an earlier answer tells: words that were asked, their prefixes, and
/// everything after an output that is the last one.
///
/// An answer that contradicts an earlier one ends the session with both.
pub struct CachedWords<T> {
    inner: T,
    tree: ObservationTree,
    last: Vec<OutputSymbol>,
}

impl<T> CachedWords<T> {
    /// An empty cache over the inputs `0..inputs` in front of `inner`. After an output in `last`, such as
    /// that of a crash, every input has the same output.
    pub fn new(inputs: usize, last: &[OutputSymbol], inner: T) -> Self {
        Self { inner, tree: ObservationTree::new(inputs), last: last.to_vec() }
    }

    /// Adds an answer that was given before, such as in an earlier session.
    pub fn remember(&mut self, word: &[Symbol], outputs: &[OutputSymbol]) -> Result<(), Ended> {
        self.tree.insert(word, outputs).map(|_| ()).map_err(|length| {
            Ended::Flaky(Contradiction {
                word: word[..length].to_vec(),
                first: self.tree.answer(&word[..length]).expect("the tree has what contradicts"),
                second: outputs[..length].to_vec(),
            })
        })
    }

    /// Returns true if the cache tells the outputs of `word`.
    fn is_known(&self, word: &[Symbol]) -> bool {
        let mut node = ROOT;
        word.iter().all(|&input| {
            let child = self.tree.child(node, input);
            node = child.unwrap_or(node);
            child.is_some() || node != ROOT && self.last.contains(&self.tree.output(node))
        })
    }

    /// The outputs of `word`, if the cache tells them.
    fn known(&self, word: &[Symbol]) -> Option<Vec<OutputSymbol>> {
        let mut outputs = self.tree.outputs_after(ROOT, word);
        if let Some(last) = outputs.last().copied().filter(|last| self.last.contains(last)) {
            outputs.resize(word.len(), last);
        }
        (outputs.len() == word.len()).then_some(outputs)
    }

    /// The teacher behind the cache.
    pub fn inner(&self) -> &T {
        &self.inner
    }

    /// The teacher behind the cache, which may be changed if its answers stay the same.
    pub fn inner_mut(&mut self) -> &mut T {
        &mut self.inner
    }

    /// The teacher behind the cache, for good.
    pub fn into_inner(self) -> T {
        self.inner
    }
}

impl<T: MealyTeacher<Output = OutputSymbol>> MealyTeacher for CachedWords<T> {
    type Output = OutputSymbol;

    fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<OutputSymbol>>, Ended> {
        let mut open: Vec<usize> = (0..words.len()).filter(|&at| !self.is_known(&words[at])).collect();
        if !open.is_empty() {
            // A word that another one of the set continues is answered along with it. In sorted order such a
            // word stands right before one of its continuations, and the first of equal ones comes first.
            open.sort_unstable_by_key(|&at| (&words[at], at));
            open.dedup_by_key(|at| &words[*at]);
            let next = open.iter().skip(1).map(|&at| Some(&words[at])).chain([None]);
            let is_end =
                |next: Option<&InputWord>, at: usize| next.is_none_or(|next| !next.starts_with(&words[at]));
            let mut ends: Vec<usize> =
                open.iter().zip(next).filter(|&(&at, next)| is_end(next, at)).map(|(&at, _)| at).collect();
            // The order in which the learner asked stays, so that counterexamples do not depend on the cache.
            ends.sort_unstable();
            let some: Vec<InputWord>;
            let missing: &[InputWord] = if ends.len() == words.len() {
                words
            } else {
                some = ends.iter().map(|&at| words[at].clone()).collect();
                &some
            };
            let answers = self.inner.ask(missing)?;
            for (word, outputs) in missing.iter().zip(&answers) {
                self.remember(word, outputs)?;
            }
            let is_whole = |(word, outputs): (&InputWord, &Vec<OutputSymbol>)| word.len() == outputs.len();
            if missing.len() == words.len() && words.iter().zip(&answers).all(is_whole) {
                return Ok(answers);
            }
        }
        Ok(words.iter().map(|word| self.known(word).expect("every word is in the tree by now")).collect())
    }
}

/// Amount of work that a teacher was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryCount {
    /// Words, each of which starts with a reset.
    pub words: usize,
    /// Inputs in all words.
    pub symbols: usize,
    /// Sets of words: round trips, if there is one worker.
    pub batches: usize,
}

/// A teacher whose words are counted.
pub struct CountedWords<T> {
    inner: T,
    count: QueryCount,
}

impl<T> CountedWords<T> {
    /// Counters in front of `inner`, at zero.
    pub fn new(inner: T) -> Self {
        Self { inner, count: QueryCount::default() }
    }

    /// Words so far.
    pub fn count(&self) -> QueryCount {
        self.count
    }

    /// The teacher behind the counters.
    pub fn inner(&self) -> &T {
        &self.inner
    }

    /// The teacher behind the counters, for good.
    pub fn into_inner(self) -> T {
        self.inner
    }
}

impl<T: MealyTeacher> MealyTeacher for CountedWords<T> {
    type Output = T::Output;

    fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<T::Output>>, Ended> {
        self.count.words += words.len();
        self.count.symbols += words.iter().map(Vec::len).sum::<usize>();
        self.count.batches += 1;
        self.inner.ask(words)
    }
}

/// A teacher whose outputs have names. It numbers them in the order in which they first appear.
pub struct Numbered<T: MealyTeacher> {
    inner: T,
    names: Vec<T::Output>,
    numbers: BTreeMap<T::Output, OutputSymbol>,
}

impl<T: MealyTeacher<Output: Ord + Clone>> Numbered<T> {
    /// Numbers in front of `inner`.
    pub fn new(inner: T) -> Self {
        Self { inner, names: Vec::new(), numbers: BTreeMap::new() }
    }

    /// The outputs so far, by number.
    pub fn names(&self) -> &[T::Output] {
        &self.names
    }

    /// The number of an output, a new one if it has none.
    pub fn number(&mut self, output: T::Output) -> OutputSymbol {
        *self.numbers.entry(output).or_insert_with_key(|output| {
            self.names.push(output.clone());
            (self.names.len() - 1) as OutputSymbol
        })
    }

    /// The teacher behind the numbers.
    pub fn inner(&self) -> &T {
        &self.inner
    }

    /// The teacher behind the numbers, for good.
    pub fn into_inner(self) -> T {
        self.inner
    }
}

impl<T: MealyTeacher<Output: Ord + Clone>> MealyTeacher for Numbered<T> {
    type Output = OutputSymbol;

    fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<OutputSymbol>>, Ended> {
        let answers = self.inner.ask(words)?;
        Ok(answers
            .into_iter()
            .map(|outputs| outputs.into_iter().map(|output| self.number(output)).collect())
            .collect())
    }
}

/// Several teachers of the same system, which answer parts of each set of words at the same time.
///
/// Answers are joined in the order of the words, so they do not depend on who is faster.
pub struct Parallel<T> {
    workers: Vec<T>,
}

impl<T> Parallel<T> {
    /// A teacher of `workers`, of which there must be one at least.
    pub fn new(workers: Vec<T>) -> Self {
        assert!(!workers.is_empty(), "somebody has to answer");
        Self { workers }
    }

    /// The workers, for good.
    pub fn into_workers(self) -> Vec<T> {
        self.workers
    }
}

impl<T: MealyTeacher<Output: Send> + Send> MealyTeacher for Parallel<T> {
    type Output = T::Output;

    fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<T::Output>>, Ended> {
        let share = words.len().div_ceil(self.workers.len());
        if share == words.len() {
            return self.workers[0].ask(words);
        }
        let parts: Vec<Result<Vec<Vec<T::Output>>, Ended>> = std::thread::scope(|scope| {
            let running: Vec<_> = words
                .chunks(share)
                .zip(&mut self.workers)
                .map(|(part, worker)| scope.spawn(move || worker.ask(part)))
                .collect();
            running.into_iter().map(|part| part.join().expect("a worker does not panic")).collect()
        });
        let mut answers = Vec::with_capacity(words.len());
        for part in parts {
            answers.extend(part?);
        }
        Ok(answers)
    }
}

/// A teacher that asks every word several times.
///
/// If the answers differ, the one that more than half of them agree on is taken, and the disagreement is kept
/// for the report; without such a majority the session ends.
pub struct Voting<T: MealyTeacher> {
    inner: T,
    votes: usize,
    disagreements: Vec<Disagreement<T::Output>>,
}

/// A word that was answered differently, and the answers with their votes, the most frequent first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement<O> {
    /// The inputs.
    pub word: InputWord,
    /// The different answers, each with the number of times that it was given.
    pub answers: Vec<(Vec<O>, usize)>,
}

impl<T: MealyTeacher> Voting<T> {
    /// Asks `inner` for every word `votes` times.
    pub fn new(votes: usize, inner: T) -> Self {
        assert!(votes > 0, "a word that is never asked has no answer");
        Self { inner, votes, disagreements: Vec::new() }
    }

    /// Words that were answered differently, in the order in which they were asked.
    pub fn disagreements(&self) -> &[Disagreement<T::Output>] {
        &self.disagreements
    }

    /// The teacher behind the votes.
    pub fn inner(&self) -> &T {
        &self.inner
    }

    /// The teacher behind the votes, for good.
    pub fn into_inner(self) -> T {
        self.inner
    }
}

/// After [`Ended::Undecided`] the last of [`Voting::disagreements`] is the word in question.
impl<T: MealyTeacher<Output: Ord + Clone>> MealyTeacher for Voting<T> {
    type Output = T::Output;

    fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<T::Output>>, Ended> {
        if self.votes == 1 {
            return self.inner.ask(words);
        }
        // The repetitions of a word are apart from each other, so that whatever disturbs one of them does not
        // disturb all.
        let mut ballots: Vec<BTreeMap<Vec<T::Output>, usize>> = vec![BTreeMap::new(); words.len()];
        for _ in 0..self.votes {
            for (ballot, answer) in ballots.iter_mut().zip(self.inner.ask(words)?) {
                *ballot.entry(answer).or_default() += 1;
            }
        }
        let mut chosen = Vec::with_capacity(words.len());
        let mut undecided = false;
        for (word, ballot) in words.iter().zip(ballots) {
            let mut answers: Vec<(Vec<T::Output>, usize)> = ballot.into_iter().collect();
            answers.sort_by_key(|(_, votes)| std::cmp::Reverse(*votes));
            chosen.push(answers[0].0.clone());
            if answers.len() > 1 {
                let decided = 2 * answers[0].1 > self.votes;
                self.disagreements.push(Disagreement { word: word.clone(), answers });
                if !decided {
                    undecided = true;
                    break;
                }
            }
        }
        if undecided { Err(Ended::Undecided) } else { Ok(chosen) }
    }
}
