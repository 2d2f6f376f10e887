//! The conformance kit of learners of Mealy machines: random machine in, same machine out.
//!
//! Every learner passes every test here. A new one is a row of [`LEARNERS`].

use std::collections::{BTreeMap, BTreeSet};

use adit_learn::mealy::lsharp::lsharp;
use adit_learn::mealy::lstar::lstar;
use adit_learn::mealy::random_walks::RandomWalks;
use adit_learn::mealy::teacher::{CachedWords, Contradiction, CountedWords, Numbered, Parallel, Voting};
use adit_learn::mealy::w_method::WMethod;
use adit_learn::mealy::wp_method::WpMethod;
use adit_learn::mealy::{
    Checked, Ended, Equivalence, InputWord, LearnedMealy, Mealy, MealyTeacher, OutputSymbol,
};
use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

type Learn = fn(usize, &mut dyn MealyTeacher<Output = OutputSymbol>, &mut dyn Equivalence) -> LearnedMealy;

const LEARNERS: [(&str, Learn); 2] = [("lstar", lstar), ("lsharp", lsharp)];

/// A check by someone who knows the machine, with counterexamples that are longer than necessary by `detour`.
struct Knows {
    truth: Mealy,
    detour: InputWord,
}

impl Knows {
    fn new(truth: &Mealy) -> Self {
        Self { truth: truth.clone(), detour: Vec::new() }
    }
}

impl Equivalence for Knows {
    fn counterexample(
        &mut self,
        hypothesis: &Mealy,
        _: &mut dyn MealyTeacher<Output = OutputSymbol>,
    ) -> Result<Option<InputWord>, Ended> {
        // A detour first, if there is a difference after it too.
        let truth = self.truth.run(0, &self.detour);
        let guess = hypothesis.run(0, &self.detour);
        let after = moved(&self.truth, truth).difference(&moved(hypothesis, guess));
        let agrees = self.truth.outputs(0, &self.detour) == hypothesis.outputs(0, &self.detour);
        Ok(match after {
            Some(word) if agrees => Some([&self.detour[..], &word].concat()),
            _ => self.truth.difference(hypothesis),
        })
    }

    fn checked(&self) -> Checked {
        Checked::Exhaustive { method: "knowledge", extra_states: usize::MAX, words: 0 }
    }
}

/// The machine with another initial state.
fn moved(machine: &Mealy, initial: usize) -> Mealy {
    let swap = |state: usize| match state {
        0 => initial,
        state if state == initial => 0,
        state => state,
    };
    let rows = (0..machine.len())
        .map(|state| {
            (0..machine.inputs())
                .map(|input| {
                    let (output, to) = machine.step(swap(state), input);
                    (output, swap(to))
                })
                .collect()
        })
        .collect();
    Mealy::new(machine.inputs(), rows)
}

fn any_mealy(states: usize, inputs: usize, outputs: u32) -> impl Strategy<Value = Mealy> {
    (1..=states, 1..=inputs).prop_flat_map(move |(states, inputs)| {
        let row = prop::collection::vec((0..outputs, 0..states), inputs);
        prop::collection::vec(row, states).prop_map(move |rows| Mealy::new(inputs, rows))
    })
}

/// L# as the paper states it, one query at a time, with sets of words in place of a tree: slow and plain.
fn naive_lsharp(truth: &Mealy) -> Mealy {
    struct Naive<'a> {
        truth: &'a Mealy,
        observed: BTreeMap<InputWord, OutputSymbol>,
    }
    impl Naive<'_> {
        fn ask(&mut self, word: &[usize]) {
            for (at, output) in self.truth.outputs(0, word).into_iter().enumerate() {
                self.observed.insert(word[..=at].to_vec(), output);
            }
        }
        /// A word that was observed after both with different last outputs.
        fn witness(&self, one: &[usize], other: &[usize]) -> Option<InputWord> {
            self.observed.iter().find_map(|(word, output)| {
                let suffix = word.strip_prefix(one).filter(|suffix| !suffix.is_empty())?;
                let known = self.observed.get(&[other, suffix].concat())?;
                (known != output).then(|| suffix.to_vec())
            })
        }
    }
    let mut naive = Naive { truth, observed: BTreeMap::new() };
    let mut basis: Vec<InputWord> = vec![Vec::new()];
    'rules: loop {
        for state in basis.clone() {
            for input in 0..truth.inputs() {
                let next = [&state[..], &[input]].concat();
                if !naive.observed.contains_key(&next) {
                    naive.ask(&next);
                    continue 'rules;
                }
                if basis.contains(&next) {
                    continue;
                }
                let candidates: Vec<&InputWord> =
                    basis.iter().filter(|known| naive.witness(&next, known).is_none()).collect();
                match candidates[..] {
                    [] => {
                        basis.push(next);
                        continue 'rules;
                    }
                    [_] => {}
                    [one, other, ..] => {
                        let suffix = naive.witness(one, other).expect("states are apart");
                        naive.ask(&[&next[..], &suffix].concat());
                        continue 'rules;
                    }
                }
            }
        }
        let rows = basis
            .iter()
            .map(|state| {
                (0..truth.inputs())
                    .map(|input| {
                        let next = [&state[..], &[input]].concat();
                        let to = basis
                            .iter()
                            .position(|known| *known == next)
                            .or_else(|| basis.iter().position(|known| naive.witness(&next, known).is_none()));
                        (naive.observed[&next], to.expect("the frontier is identified"))
                    })
                    .collect()
            })
            .collect();
        let machine = Mealy::new(truth.inputs(), rows);
        let Some(word) = truth.difference(&machine) else { return machine };
        // Every suffix of a counterexample after every access word: more than enough.
        for state in basis.clone() {
            for at in 0..word.len() {
                naive.ask(&[&state[..], &word[at..]].concat());
                for input in 0..truth.inputs() {
                    naive.ask(&[&state[..], &[input], &word[at..]].concat());
                }
            }
        }
    }
}

proptest! {
    /// Random machine in, the same machine out: minimal, and within the costs of the headers.
    #[test]
    fn every_learner_returns_the_machine(
        truth in any_mealy(12, 4, 3),
        detour in prop::collection::vec(0usize..4, 0..12),
    ) {
        let minimal = truth.minimize();
        let detour: InputWord = detour.into_iter().map(|input| input % truth.inputs()).collect();
        for (name, learn) in LEARNERS {
            let mut teacher = CountedWords::new(CachedWords::new(truth.inputs(), &[], truth.clone()));
            let mut knows = Knows { truth: truth.clone(), detour: detour.clone() };
            let learned = learn(truth.inputs(), &mut teacher, &mut knows);
            prop_assert_eq!(&learned.ended, &None, "{}", name);
            let machine = learned.machine.unwrap();
            prop_assert_eq!(machine.len(), minimal.len(), "{} has a state too many", name);
            prop_assert_eq!(machine.minimize(), minimal.clone(), "{}", name);
            prop_assert!(learned.rounds <= minimal.len(), "{} conjectured too often", name);
            let (n, k) = (minimal.len(), truth.inputs());
            let most = (n + n * k) * (k + n) + n * 12;
            prop_assert!(teacher.count().words <= most, "{}: {:?} of {}", name, teacher.count(), most);
        }
    }

    #[test]
    fn the_naive_learner_agrees(truth in any_mealy(5, 3, 2)) {
        let naive = naive_lsharp(&truth).minimize();
        for (name, learn) in LEARNERS {
            let learned = learn(truth.inputs(), &mut truth.clone(), &mut Knows::new(&truth));
            prop_assert_eq!(learned.machine.unwrap().minimize(), naive.clone(), "{}", name);
        }
    }

    /// A check that promises something keeps it: with as many extra states as are missing, W and Wp find the
    /// difference.
    #[test]
    fn exhaustive_checks_find_every_difference_within_their_bound(
        truth in any_mealy(4, 2, 2),
        guess in any_mealy(3, 2, 2),
    ) {
        prop_assume!(truth.inputs() == guess.inputs());
        let (truth, guess) = (truth.minimize(), guess.minimize());
        let extra = truth.len().saturating_sub(guess.len());
        let checks: [&mut dyn Equivalence; 2] = [&mut WMethod::new(extra, 7), &mut WpMethod::new(extra, 7)];
        for check in checks {
            let found = check.counterexample(&guess, &mut truth.clone()).unwrap();
            prop_assert_eq!(found.is_some(), truth.difference(&guess).is_some(), "{}", check.checked());
            if let Some(word) = found {
                let (truth, guess) = (truth.outputs(0, &word), guess.outputs(0, &word));
                prop_assert_ne!(truth.last(), guess.last());
                prop_assert_eq!(&truth[..truth.len() - 1], &guess[..guess.len() - 1]);
            }
        }
    }

    /// The Wp-method never asks for more than the W-method does.
    #[test]
    fn wp_words_are_among_those_of_w(machine in any_mealy(5, 3, 2), extra in 0usize..2) {
        let machine = machine.minimize();
        let all = |check: &mut dyn Equivalence| {
            let mut asked = Spy { inner: machine.clone(), asked: BTreeSet::new(), strict: false };
            assert_eq!(check.counterexample(&machine, &mut asked), Ok(None));
            asked.asked
        };
        let w = all(&mut WMethod::new(extra, 5));
        let wp = all(&mut WpMethod::new(extra, 5));
        prop_assert!(wp.is_subset(&w));
    }

    /// The cache changes no answer, and lets no word pass twice, nor one that it knows by a longer word.
    #[test]
    fn a_cached_teacher_is_asked_once(
        truth in any_mealy(4, 3, 3),
        sets in prop::collection::vec(prop::collection::vec(prop::collection::vec(0usize..3, 0..6), 1..6), 1..6),
    ) {
        let inputs = truth.inputs();
        let mut cached = CachedWords::new(inputs, &[], Spy { inner: truth.clone(), asked: BTreeSet::new(), strict: true });
        for set in sets.iter().chain(&sets) {
            let set: Vec<InputWord> =
                set.iter().map(|word| word.iter().map(|input| input % inputs).collect()).collect();
            let answers = cached.ask(&set).unwrap();
            for (word, outputs) in set.iter().zip(answers) {
                prop_assert_eq!(outputs, truth.outputs(0, word));
            }
        }
    }

    /// Workers, votes and the size of sets change nothing about what is learned.
    #[test]
    fn several_workers_learn_the_same_machine(truth in any_mealy(10, 3, 2), workers in 2usize..5) {
        for (name, learn) in LEARNERS {
            let alone = learn(truth.inputs(), &mut truth.clone(), &mut Knows::new(&truth));
            let team: Vec<Mealy> = (0..workers).map(|_| truth.clone()).collect();
            let mut team = CachedWords::new(truth.inputs(), &[], Voting::new(2, Parallel::new(team)));
            let together = learn(truth.inputs(), &mut team, &mut Knows::new(&truth));
            prop_assert_eq!(&alone, &together, "{}", name);
        }
    }
}

/// A teacher that notes every word. A strict one panics when it is asked for something it has answered: a
/// word, or a prefix of one.
struct Spy {
    inner: Mealy,
    asked: BTreeSet<InputWord>,
    strict: bool,
}

impl MealyTeacher for Spy {
    type Output = OutputSymbol;

    fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<OutputSymbol>>, Ended> {
        for word in words {
            let next = self.asked.range(word.clone()..).next();
            assert!(!self.strict || !next.is_some_and(|known| known.starts_with(word)), "{word:?} was known");
            self.asked.insert(word.clone());
        }
        self.inner.ask(words)
    }
}

/// A teacher whose answers are wrong now and then: one word in `one_in` has another last output.
struct Flaky {
    inner: Mealy,
    one_in: u32,
    rng: ChaCha8Rng,
}

impl Flaky {
    fn new(inner: &Mealy, one_in: u32) -> Self {
        Self { inner: inner.clone(), one_in, rng: ChaCha8Rng::seed_from_u64(1) }
    }
}

impl MealyTeacher for Flaky {
    type Output = OutputSymbol;

    fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<OutputSymbol>>, Ended> {
        let mut answers = self.inner.ask(words)?;
        for outputs in &mut answers {
            if self.rng.random_ratio(1, self.one_in)
                && let Some(last) = outputs.last_mut()
            {
                *last += 100;
            }
        }
        Ok(answers)
    }
}

fn random(states: usize, inputs: usize, outputs: u32, seed: u64) -> Mealy {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Mealy::random(states, inputs, outputs, &mut rng).minimize()
}

/// One wrong answer in twenty is outvoted, and every disagreement is reported with both answers.
#[test]
fn votes_decide_and_are_reported() {
    let truth = random(8, 3, 3, 1);
    for (name, learn) in LEARNERS {
        let mut teacher = CachedWords::new(3, &[], Voting::new(7, Flaky::new(&truth, 20)));
        let learned = learn(3, &mut teacher, &mut Knows::new(&truth));
        assert_eq!(learned.machine.unwrap().minimize(), truth, "{name}");
        let disagreements = teacher.inner().disagreements();
        assert!(!disagreements.is_empty(), "{name}");
        for disagreement in disagreements {
            assert_eq!(disagreement.answers.len(), 2, "{disagreement:?}");
            assert_eq!(disagreement.answers[0].0, truth.outputs(0, &disagreement.word));
            assert_eq!(disagreement.answers.iter().map(|(_, votes)| votes).sum::<usize>(), 7);
        }
    }
}

/// Without a majority no answer is taken.
#[test]
fn a_tie_ends_the_session() {
    let truth = random(8, 3, 3, 1);
    let mut teacher = Voting::new(2, Flaky::new(&truth, 4));
    let learned = lsharp(3, &mut teacher, &mut Knows::new(&truth));
    assert_eq!(learned.ended, Some(Ended::Undecided));
    assert_eq!(teacher.disagreements().last().unwrap().answers.len(), 2);
}

/// Without votes, a wrong answer that contradicts an earlier one ends the session with both.
#[test]
fn contradictions_are_reported_with_both_answers() {
    let truth = random(8, 3, 3, 1);
    for (name, learn) in LEARNERS {
        let mut teacher = CachedWords::new(3, &[], Flaky::new(&truth, 5));
        let learned = learn(3, &mut teacher, &mut WpMethod::new(1, 10));
        let Some(Ended::Flaky(Contradiction { word, first, second })) = learned.ended else {
            panic!("{name}: {:?}", learned.ended)
        };
        assert_eq!((first.len(), second.len()), (word.len(), word.len()));
        assert_eq!(first[..first.len() - 1], second[..second.len() - 1]);
        assert_ne!(first.last(), second.last(), "{name}");
    }
}

/// A check that gives a word on which the conjecture is right does not make a learner loop for ever.
#[test]
fn a_counterexample_that_is_none_ends_the_session() {
    struct Confused;
    impl Equivalence for Confused {
        fn counterexample(
            &mut self,
            _: &Mealy,
            _: &mut dyn MealyTeacher<Output = OutputSymbol>,
        ) -> Result<Option<InputWord>, Ended> {
            Ok(Some(vec![0, 0]))
        }
        fn checked(&self) -> Checked {
            Checked::Sampled { words: 0, lengths: (1, 1) }
        }
    }
    for (name, learn) in LEARNERS {
        let learned = learn(1, &mut Mealy::new(1, vec![vec![(0, 0)]]), &mut Confused);
        assert!(matches!(learned.ended, Some(Ended::Failed(_))), "{name}: {:?}", learned.ended);
    }
}

/// A teacher that falls silent ends the session, and what was conjectured before stays.
#[test]
fn a_budget_keeps_the_last_conjecture() {
    struct Tired(Mealy, usize);
    impl MealyTeacher for Tired {
        type Output = OutputSymbol;
        fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<OutputSymbol>>, Ended> {
            self.1 = self.1.checked_sub(words.len()).ok_or(Ended::Budget)?;
            self.0.ask(words)
        }
    }
    let truth = random(30, 3, 2, 3);
    for (name, learn) in LEARNERS {
        let learned = |budget| learn(3, &mut Tired(truth.clone(), budget), &mut Knows::new(&truth));
        assert_eq!(learned(1).machine, None, "{name}");
        let kept = (2..2000).map(learned).find(|learned| learned.machine.is_some()).unwrap();
        assert_eq!(kept.ended, Some(Ended::Budget), "{name}");
        assert!(kept.machine.is_some_and(|machine| machine.len() < truth.len()), "{name}");
    }
}

/// Nothing is asked after an output that is the last one.
#[test]
fn nothing_is_asked_after_a_crash() {
    // The second input crashes the first state: output 7, for ever.
    let crashes = Mealy::new(2, vec![vec![(0, 1), (7, 2)], vec![(1, 0), (1, 1)], vec![(7, 2), (7, 2)]]);
    for (name, learn) in LEARNERS {
        let spy = Spy { inner: crashes.clone(), asked: BTreeSet::new(), strict: true };
        let mut teacher = CachedWords::new(2, &[7], spy);
        let learned = learn(2, &mut teacher, &mut WpMethod::new(2, 4));
        assert_eq!(learned.machine.unwrap().minimize(), crashes, "{name}");
        let after = |word: &&InputWord| {
            let outputs = crashes.outputs(0, word);
            outputs.iter().filter(|&&output| output == 7).count() > 3
        };
        assert_eq!(teacher.inner().asked.iter().find(after), None, "{name}");
    }
}

/// Outputs with names are numbered in the order in which they appear, whoever is asked.
#[test]
fn outputs_have_names() {
    struct Names;
    impl MealyTeacher for Names {
        type Output = String;
        fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<String>>, Ended> {
            Ok(words.iter().map(|word| word.iter().map(|input| format!("out {input}")).collect()).collect())
        }
    }
    let mut teacher = Numbered::new(Names);
    assert_eq!(teacher.ask(&[vec![2, 0], vec![0, 1]]), Ok(vec![vec![0, 1], vec![1, 2]]));
    assert_eq!(teacher.names(), ["out 2", "out 0", "out 1"]);
}

/// A machine with outputs that hardly ever differ, behind a lock: nothing that a random probe would find.
#[test]
fn a_combination_lock_opens() {
    let combination = [1, 0, 2, 2, 0, 1, 1];
    let rows = (0..=combination.len())
        .map(|state| match combination.get(state) {
            None => vec![(1, 0); 3],
            Some(&right) => (0..3).map(|input| (0, if input == right { state + 1 } else { 0 })).collect(),
        })
        .collect();
    let lock = Mealy::new(3, rows);
    for (name, learn) in LEARNERS {
        let learned = learn(3, &mut lock.clone(), &mut Knows::new(&lock));
        assert_eq!(learned.machine.unwrap().minimize(), lock.minimize(), "{name}");
    }
    // The lock has states that one more symbol than the bound would show.
    let learned = lsharp(3, &mut lock.clone(), &mut WpMethod::new(1, 16));
    assert_eq!(learned.machine.unwrap().len(), 1);
}

/// Random words find what differs in machines like these, and the same seed gives the same session.
#[test]
fn random_walks_are_repeatable() {
    let truth = random(40, 4, 3, 5);
    for (name, learn) in LEARNERS {
        let session = || {
            let mut teacher = CountedWords::new(CachedWords::new(4, &[], CountedWords::new(truth.clone())));
            let walks = ChaCha8Rng::seed_from_u64(9);
            let learned = learn(4, &mut teacher, &mut RandomWalks::new(500, (5, 30), 1, walks));
            (learned, teacher.inner().inner().count())
        };
        let (learned, count) = session();
        assert_eq!(learned.machine.as_ref().unwrap().minimize(), truth, "{name}");
        assert_eq!(session(), (learned, count), "{name}");
    }
}

/// L# needs little more than one word for each transition where outputs tell states apart.
#[test]
fn lsharp_asks_for_few_words() {
    for (outputs, most) in [(2, 3.0), (5, 1.7), (10, 1.5)] {
        let truth = random(100, 10, outputs, 7);
        let mut teacher = CachedWords::new(10, &[], CountedWords::new(truth.clone()));
        let learned = lsharp(10, &mut teacher, &mut Knows::new(&truth));
        assert_eq!(learned.machine.unwrap().minimize(), truth);
        let count = teacher.inner().count();
        let each = count.words as f64 / (10 * truth.len()) as f64;
        assert!(each < most, "{each} words for each transition: {count:?}");
    }
}
