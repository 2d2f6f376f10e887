//! Mining with a formula of one's own: which labels, put in the place of its placeholders, make it true of
//! the log?
//!
//! Paper: `texada`, sections III and IV.
//! Deviation: support and confidence of a formula `G(p -> q)` count positions where `p` is true, those of any
//! other formula count traces. The paper evaluates each instance on each distinct trace; here an instance is
//! evaluated only on words in which all its labels occur, and what the other words contribute is shared
//! between instances.
//! Cost: for `m` placeholders, one table look-up for each event of each word, for each way to choose `m`
//! labels among those of the word, until the instance can no longer qualify; times `2^m` for instances that
//! do; plus the number of instances.
//!
//! A label that does not occur in a word may as well be one that never happens. So the value of an instance
//! on a word is that of the *partial* instance which has only the labels of that word. Let `sum(T)`, for a
//! set `T` of placeholders, add up over the words that have all labels of `T` the alternating sum of the
//! values of the partial instances within `T`. By inclusion and exclusion the value of an instance on the
//! whole log is the sum of `sum(T)` over all `T`, and all but the last are shared with many instances: labels
//! that never meet cost nothing more.

use std::collections::BTreeSet;

use adit_logic::{Backward, Class, Formula, Op};
use adit_trace::{Letter, Words};

use crate::MineError;
use crate::tally::confidence;

/// A formula to be instantiated, and which instances to report.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaQuery {
    /// The formula.
    pub formula: Formula,
    /// Those of its atoms that stand for any label. All others are labels themselves.
    pub placeholders: BTreeSet<String>,
    /// Two placeholders may stand for the same label.
    pub repeat: bool,
    /// True at least this often.
    pub min_support: u64,
    /// True in at least this fraction of its chances.
    pub min_confidence: f64,
    /// Refuse to try more instances than this.
    pub max_instances: u64,
}

/// The meaning of one chance of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chance {
    /// A place in a trace where the left side of `G(p -> q)` is true. The end of a trace is a place too,
    /// where nothing happens, so that the confidence is one exactly when the formula is true of all traces.
    Place,
    /// A trace.
    Trace,
}

/// An instance that qualified.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaInstance {
    /// The labels of the placeholders, in the order of [`MinedFormula::placeholders`].
    pub labels: Vec<String>,
    /// The number of chances that it survived.
    pub support: u64,
    /// The number of chances that it had.
    pub chances: u64,
    /// Support divided by chances.
    pub confidence: f64,
}

/// The instances of a formula that qualified.
#[derive(Clone, Debug, PartialEq)]
pub struct MinedFormula {
    /// The formula with its placeholders.
    pub formula: Formula,
    /// The placeholders, as they appear in the formula from left to right.
    pub placeholders: Vec<String>,
    /// The meaning of the counts.
    pub chance: Chance,
    /// The number of instances.
    pub tried: u64,
    /// Those that qualified, sorted by labels.
    pub instances: Vec<FormulaInstance>,
}

impl MinedFormula {
    /// The formula with the labels of `instance` in place of its placeholders.
    pub fn instantiate(&self, instance: &FormulaInstance) -> Formula {
        let label =
            |atom: &String| self.placeholders.iter().position(|p| p == atom).map(|at| &instance.labels[at]);
        self.formula.map(|atom| label(atom).unwrap_or(atom).clone())
    }
}

/// With this many placeholders nobody can read the result, and every word costs 64 evaluations.
const MAX_PLACEHOLDERS: usize = 6;

/// Tries `query.formula` with all labels of `words` in place of its placeholders.
///
/// ```
/// use adit_logic::Formula;
/// use adit_mine::{FormulaQuery, mine_formula};
/// use adit_trace::Words;
///
/// let mut words = Words::new();
/// words.add(["open", "read", "close"], 1);
/// words.add(["open", "close"], 1);
/// let query = FormulaQuery {
///     formula: Formula::parse("G(x -> X F y)").expect("well formed"),
///     placeholders: ["x", "y"].map(str::to_owned).into(),
///     repeat: false,
///     min_support: 2,
///     min_confidence: 1.0,
///     max_instances: 1000,
/// };
/// let mined = mine_formula(&words, &query)?;
/// let found: Vec<_> = mined.instances.iter().map(|found| mined.instantiate(found).to_string()).collect();
/// assert_eq!(found, ["G(open -> X F close)"]);
/// # Ok::<(), adit_mine::MineError>(())
/// ```
pub fn mine_formula(words: &Words, query: &FormulaQuery) -> Result<MinedFormula, MineError> {
    let mut placeholders: Vec<String> = Vec::new();
    for atom in query.formula.labels() {
        if query.placeholders.contains(atom) && !placeholders.contains(atom) {
            placeholders.push(atom.clone());
        }
    }
    if placeholders.len() > MAX_PLACEHOLDERS {
        return Err(MineError::TooManyPlaceholders {
            placeholders: placeholders.len(),
            limit: MAX_PLACEHOLDERS,
        });
    }
    let log = Log::new(words)?;
    let tried = instances(log.labels.len(), placeholders.len(), query.repeat);
    if tried > query.max_instances {
        return Err(MineError::TooManyInstances {
            placeholders: placeholders.len(),
            labels: log.labels.len(),
            instances: tried,
            limit: query.max_instances,
        });
    }
    let judge = Judge::new(query, &placeholders, &log);
    let chance = if judge.right.is_some() { Chance::Place } else { Chance::Trace };
    let mut search = Search { query, log: &log, judge, sums: Vec::new(), found: Vec::new() };
    search.share(placeholders.len());
    search.instances(placeholders.len());
    let instances = search.found;
    Ok(MinedFormula { formula: query.formula.clone(), placeholders, chance, tried, instances })
}

/// The number of ways to put labels in the place of placeholders.
fn instances(labels: usize, placeholders: usize, repeat: bool) -> u64 {
    let choices = |taken: usize| if repeat { labels } else { labels.saturating_sub(taken) } as u64;
    (0..placeholders).fold(1, |product: u64, taken| product.saturating_mul(choices(taken)))
}

/// The words, numbered for the search: letters are ranks among the sorted labels.
struct Log {
    labels: Vec<String>,
    words: Vec<LogWord>,
    /// No instance has more chances of its kind than this.
    traces: u64,
    places: u64,
    /// The number of occurrences of each letter.
    occurrences: Vec<u64>,
}

struct LogWord {
    letters: Vec<Letter>,
    distinct: Vec<Letter>,
    weight: u64,
}

impl Log {
    fn new(words: &Words) -> Result<Self, MineError> {
        let present = || words.words.iter().filter(|word| word.weight > 0);
        let letters: BTreeSet<Letter> = present().flat_map(|word| word.letters.iter().copied()).collect();
        let mut letters: Vec<Letter> = letters.into_iter().collect();
        letters.sort_unstable_by_key(|&letter| words.alphabet.name(letter));
        let mut rank = vec![0; words.alphabet.len()];
        for (place, &letter) in (0..).zip(&letters) {
            rank[letter as usize] = place;
        }
        let mut log = Self {
            labels: letters.iter().map(|&letter| words.alphabet.name(letter).to_owned()).collect(),
            words: Vec::new(),
            traces: 0,
            places: 0,
            occurrences: vec![0; letters.len()],
        };
        for word in present() {
            let places = (word.letters.len() as u64 + 1).checked_mul(word.weight);
            log.places = places.and_then(|n| log.places.checked_add(n)).ok_or(MineError::TooManyEvents)?;
            log.traces += word.weight;
            let letters: Vec<Letter> = word.letters.iter().map(|&letter| rank[letter as usize]).collect();
            letters.iter().for_each(|&letter| log.occurrences[letter as usize] += word.weight);
            let mut distinct = letters.clone();
            distinct.sort_unstable();
            distinct.dedup();
            log.words.push(LogWord { letters, distinct, weight: word.weight });
        }
        Ok(log)
    }
}

/// Support and chances. Sums of sums with signs are taken modulo 2^64, which does no harm: the end result is
/// in range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Value {
    support: u64,
    chances: u64,
}

impl Value {
    fn add(&mut self, other: Self, times: u64) {
        self.support = self.support.wrapping_add(other.support.wrapping_mul(times));
        self.chances = self.chances.wrapping_add(other.chances.wrapping_mul(times));
    }
}

struct Search<'a> {
    query: &'a FormulaQuery,
    log: &'a Log,
    judge: Judge<'a>,
    /// For each proper set of placeholders, by the letters in their places: the set's sum.
    sums: Vec<Vec<Value>>,
    found: Vec<FormulaInstance>,
}

impl Search<'_> {
    /// Computes the sums of all proper sets of placeholders. A set is a number with a bit for each of its
    /// members.
    fn share(&mut self, placeholders: usize) {
        let labels = self.log.labels.len();
        for set in 0..(1usize << placeholders) - 1 {
            let size = set.count_ones();
            self.sums.push(vec![Value::default(); labels.pow(size)]);
            let all: Vec<u32> = (0..self.log.words.len() as u32).collect();
            let mut chosen = vec![None; placeholders];
            self.fill(set, 0, &all, &mut chosen);
        }
    }

    /// Chooses letters for the placeholders of `set` from `from` on, only such as occur in some of `words`
    /// together with those chosen before.
    fn fill(&mut self, set: usize, from: usize, words: &[u32], chosen: &mut Vec<Option<Letter>>) {
        let Some(placeholder) = (from..chosen.len()).find(|at| set >> at & 1 == 1) else {
            let sum = self.alternating_sum(set, words, chosen);
            let place = self.place(set, chosen);
            self.sums[set][place] = sum;
            return;
        };
        for (letter, words) in self.by_letter(words) {
            chosen[placeholder] = Some(letter);
            self.fill(set, placeholder + 1, &words, chosen);
        }
        chosen[placeholder] = None;
    }

    /// The words that have each letter, for the letters that some of `words` has.
    fn by_letter(&self, words: &[u32]) -> Vec<(Letter, Vec<u32>)> {
        let mut having = vec![Vec::new(); self.log.labels.len()];
        for &word in words {
            for &letter in &self.log.words[word as usize].distinct {
                having[letter as usize].push(word);
            }
        }
        (0..).zip(having).filter(|(_, words)| !words.is_empty()).collect()
    }

    fn place(&self, set: usize, chosen: &[Option<Letter>]) -> usize {
        let labels = self.log.labels.len();
        let members = (0..chosen.len()).filter(|at| set >> at & 1 == 1);
        members.fold(0, |place, at| place * labels + chosen[at].map_or(0, |letter| letter as usize))
    }

    /// The sum over `words` of the values of all partial instances within `set`, with a sign by how much is
    /// missing.
    fn alternating_sum(&mut self, set: usize, words: &[u32], chosen: &[Option<Letter>]) -> Value {
        let mut sum = Value::default();
        for part in (0..=set).filter(|part| part & !set == 0) {
            let sign = if (set.count_ones() - part.count_ones()).is_multiple_of(2) { 1 } else { u64::MAX };
            self.judge.assign(part, chosen);
            for &word in words {
                let word = &self.log.words[word as usize];
                let value = self.judge.value(word, u64::MAX).unwrap_or_default();
                sum.add(value, word.weight.wrapping_mul(sign));
            }
        }
        sum
    }

    /// Goes through all instances and keeps those that qualify.
    fn instances(&mut self, placeholders: usize) {
        let all: Vec<u32> = (0..self.log.words.len() as u32).collect();
        self.choose(0, &all, &mut vec![None; placeholders]);
    }

    fn choose(&mut self, placeholder: usize, words: &[u32], chosen: &mut Vec<Option<Letter>>) {
        if placeholder == chosen.len() {
            let instance = self.instance(words, chosen);
            self.found.extend(instance);
            return;
        }
        let mut having = self.by_letter(words).into_iter().peekable();
        for letter in 0..self.log.labels.len() as Letter {
            let words = having
                .next_if(|(with_words, _)| *with_words == letter)
                .map_or(Vec::new(), |(_, words)| words);
            if self.query.repeat || !chosen[..placeholder].contains(&Some(letter)) {
                chosen[placeholder] = Some(letter);
                self.choose(placeholder + 1, &words, chosen);
            }
        }
        chosen[placeholder] = None;
    }

    /// The instance with the `chosen` letters if it qualifies; `words` are those that have all of them.
    fn instance(&mut self, words: &[u32], chosen: &[Option<Letter>]) -> Option<FormulaInstance> {
        let full = (1usize << chosen.len()) - 1;
        let most_chances = self.judge.most_chances(self.log, chosen);
        let qualifies = |support: u64, chances: u64| {
            support >= self.query.min_support && confidence(support, chances) >= self.query.min_confidence
        };
        // First only count what goes wrong, because most instances go wrong soon. If so many of the most
        // chances that there can be are lost that it cannot qualify, then it does not with fewer chances
        // either.
        self.judge.assign(full, chosen);
        let mut lost = 0;
        for &word in words {
            let word = &self.log.words[word as usize];
            // Within a word, stop at the first loss that is one too many when no loss is allowed at all.
            let bearable = if qualifies(most_chances.saturating_sub(1), most_chances) { u64::MAX } else { 0 };
            let value = self.judge.value(word, bearable)?;
            lost += (value.chances - value.support) * word.weight;
            if !qualifies(most_chances.saturating_sub(lost), most_chances) {
                return None;
            }
        }
        let mut total =
            if words.is_empty() { Value::default() } else { self.alternating_sum(full, words, chosen) };
        for set in 0..full {
            total.add(self.sums[set][self.place(set, chosen)], 1);
        }
        let Value { support, chances } = total;
        qualifies(support, chances).then(|| FormulaInstance {
            labels: chosen.iter().flatten().map(|&letter| self.log.labels[letter as usize].clone()).collect(),
            support,
            chances,
            confidence: confidence(support, chances),
        })
    }
}

/// Evaluates the formula, with letters for some of its placeholders, on words.
struct Judge<'a> {
    labels: &'a [String],
    placeholders: &'a [String],
    /// The left side of `G(p -> q)`, or the whole formula.
    left: Side,
    /// The right side of `G(p -> q)`.
    right: Option<Side>,
    /// Set if the left side is nothing but this placeholder.
    counted: Option<usize>,
    /// Letters whose class is not that of a mere label.
    assigned: Vec<Letter>,
}

impl<'a> Judge<'a> {
    fn new(query: &FormulaQuery, placeholders: &'a [String], log: &'a Log) -> Self {
        let sides = guarded(&query.formula);
        let counted = sides.as_ref().and_then(|(left, _)| match left.root() {
            Op::Atom(atom) => placeholders.iter().position(|placeholder| placeholder == atom),
            _ => None,
        });
        let side = |formula: &Formula| Side::new(formula, placeholders, &log.labels);
        let (left, right) = match sides {
            Some((left, right)) => (side(&left), Some(side(&right))),
            None => (side(&query.formula), None),
        };
        Self { labels: &log.labels, placeholders, left, right, counted, assigned: Vec::new() }
    }

    /// Puts the `chosen` letters in the place of the placeholders in `set`; the others never happen.
    fn assign(&mut self, set: usize, chosen: &[Option<Letter>]) {
        let before = std::mem::take(&mut self.assigned);
        let now = (0..chosen.len()).filter(|at| set >> at & 1 == 1).filter_map(|at| chosen[at]);
        self.assigned.extend(now);
        for side in [Some(&mut self.left), self.right.as_mut()].into_iter().flatten() {
            side.forget_if_large(self.placeholders, self.labels);
            for &letter in before.iter().chain(&self.assigned) {
                let stands_for = |at: usize| set >> at & 1 == 1 && chosen[at] == Some(letter);
                side.classify(letter, self.placeholders, self.labels, stands_for);
            }
        }
    }

    /// The value on one word, or nothing if more than `bearable` chances are lost.
    fn value(&mut self, word: &LogWord, bearable: u64) -> Option<Value> {
        let left = &mut self.left;
        let mut at_left = left.backward.tail();
        let Some(right) = &mut self.right else {
            for &letter in word.letters.iter().rev() {
                at_left = left.backward.before(at_left, left.classes[letter as usize]);
            }
            let support = u64::from(left.backward.holds(at_left));
            return (1 - support <= bearable).then_some(Value { support, chances: 1 });
        };
        let mut at_right = right.backward.tail();
        let mut value = Value::default();
        let mut lost = 0;
        let mut rest = word.letters.iter().rev();
        loop {
            if left.backward.holds(at_left) {
                value.chances += 1;
                if right.backward.holds(at_right) {
                    value.support += 1;
                } else {
                    lost += 1;
                    if lost > bearable {
                        return None;
                    }
                }
            }
            let Some(&letter) = rest.next() else { return Some(value) };
            at_left = left.backward.before(at_left, left.classes[letter as usize]);
            at_right = right.backward.before(at_right, right.classes[letter as usize]);
        }
    }

    /// A number of chances that the instance does not exceed.
    fn most_chances(&self, log: &Log, chosen: &[Option<Letter>]) -> u64 {
        match (self.counted.and_then(|at| chosen[at]), &self.right) {
            (Some(letter), _) => log.occurrences[letter as usize],
            (None, Some(_)) => log.places,
            (None, None) => log.traces,
        }
    }
}

/// The two sides of `G(p -> q)`.
fn guarded(formula: &Formula) -> Option<(Formula, Formula)> {
    let body = if *formula.root() == Op::Always { formula.operands().pop()? } else { return None };
    if *body.root() != Op::Implies {
        return None;
    }
    let mut sides = body.operands();
    let right = sides.pop()?;
    Some((sides.pop()?, right))
}

/// One side of the formula, and the kind of each letter under the present assignment.
struct Side {
    formula: Formula,
    backward: Backward<String>,
    classes: Vec<Class>,
}

/// An automaton with more states than this is made anew before the next instance. Few formulas come near.
const MAX_SUFFIXES: usize = 1 << 16;

impl Side {
    fn new(formula: &Formula, placeholders: &[String], labels: &[String]) -> Self {
        let classes = vec![0; labels.len()];
        let mut side = Self { formula: formula.clone(), backward: Backward::new(formula), classes };
        for letter in 0..labels.len() as Letter {
            side.classify(letter, placeholders, labels, |_| false);
        }
        side
    }

    fn classify(
        &mut self,
        letter: Letter,
        placeholders: &[String],
        labels: &[String],
        stands_for: impl Fn(usize) -> bool,
    ) {
        let label = &labels[letter as usize];
        self.classes[letter as usize] = self.backward.class(|atom| {
            let placeholder = placeholders.iter().position(|placeholder| placeholder == atom);
            placeholder.map_or(atom == label, &stands_for)
        });
    }

    fn forget_if_large(&mut self, placeholders: &[String], labels: &[String]) {
        if self.backward.len() > MAX_SUFFIXES {
            *self = Self::new(&self.formula, placeholders, labels);
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn query(formula: &str, placeholders: &[&str], repeat: bool) -> FormulaQuery {
        FormulaQuery {
            formula: Formula::parse(formula).unwrap(),
            placeholders: placeholders.iter().map(|&name| name.to_owned()).collect(),
            repeat,
            min_support: 1,
            min_confidence: 1.0,
            max_instances: 1000,
        }
    }

    fn words(traces: &str) -> Words {
        let mut words = Words::new();
        traces.split('|').for_each(|trace| words.add(trace.split_whitespace(), 1));
        words
    }

    /// Every instance on every word, by the logic's own evaluation.
    fn naive(words: &Words, query: &FormulaQuery, placeholders: &[String]) -> Vec<FormulaInstance> {
        let present = || words.words.iter().filter(|word| word.weight > 0);
        let labels: BTreeSet<String> =
            present().flat_map(|word| words.labels(word)).map(str::to_owned).collect();
        let mut tuples = vec![Vec::new()];
        for _ in placeholders {
            tuples = tuples
                .iter()
                .flat_map(|tuple: &Vec<String>| labels.iter().map(move |label| (tuple, label)))
                .filter(|(tuple, label)| query.repeat || !tuple.contains(label))
                .map(|(tuple, label)| tuple.iter().chain([label]).cloned().collect())
                .collect();
        }
        let mut found = Vec::new();
        for labels in tuples {
            let at = |atom: &String| placeholders.iter().position(|name| name == atom);
            let formula = query.formula.map(|atom| at(atom).map_or(atom, |at| &labels[at]).clone());
            let (mut support, mut chances) = (0, 0);
            for word in present() {
                let letters: Vec<String> = words.labels(word).map(str::to_owned).collect();
                if let Some((left, right)) = guarded(&formula) {
                    for (left, right) in left.truths(&letters).into_iter().zip(right.truths(&letters)) {
                        chances += u64::from(left) * word.weight;
                        support += u64::from(left && right) * word.weight;
                    }
                } else {
                    chances += word.weight;
                    support += u64::from(formula.holds(&letters)) * word.weight;
                }
            }
            let confidence = confidence(support, chances);
            if support >= query.min_support && confidence >= query.min_confidence {
                found.push(FormulaInstance { labels, support, chances, confidence });
            }
        }
        found
    }

    /// Words that may have a label named like a placeholder.
    fn word() -> impl Strategy<Value = Vec<&'static str>> {
        prop::collection::vec(prop::sample::select(&["a", "b", "c", "d", "x"][..]), 0..7)
    }

    const FORMULAS: [&str; 12] = [
        "G(x -> X F y)",
        "G(x -> X G !y)",
        "!x W y",
        "F x",
        "G(x & X y -> X X z)",
        "G(!x -> X y)",
        "G(x -> a)",
        "(x U y) <-> F z",
        "G(a -> X(y U x))",
        "G([end] -> x)",
        "F(x & X !y) | G(z -> F a)",
        "true",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Sharing, pruning and skipping change no number.
        #[test]
        fn agrees_with_trying_everything(
            formula in prop::sample::select(&FORMULAS[..]),
            log in prop::collection::vec((word(), 0..4u64), 0..6),
            repeat: bool, min_support in 0..4u64, tenths in 0..=10u32,
        ) {
            let mut words = Words::new();
            for (word, weight) in log {
                words.add(word, weight);
            }
            let min_confidence = f64::from(tenths) / 10.0;
            let query = FormulaQuery { min_support, min_confidence, ..query(formula, &["x", "y", "z"], repeat) };
            let mined = mine_formula(&words, &query).unwrap();
            prop_assert_eq!(&mined.instances, &naive(&words, &query, &mined.placeholders));
        }
    }

    fn check(traces: &str, query: &FormulaQuery, expect: Expect) {
        let mined = mine_formula(&words(traces), query).unwrap();
        let line = |found: &FormulaInstance| {
            format!("{} {}/{}\n", mined.instantiate(found), found.support, found.chances)
        };
        expect.assert_eq(&mined.instances.iter().map(line).collect::<String>());
    }

    #[test]
    fn what_the_paper_calls_response_with_a_constant() {
        let query = query("G(x -> X F close)", &["x"], false);
        check(
            "open read read close | open close | idle",
            &query,
            expect![[r#"
            G(open -> X F close) 2/2
            G(read -> X F close) 2/2
        "#]],
        );
    }

    #[test]
    fn three_events_in_a_row() {
        let query = FormulaQuery { min_support: 2, ..query("G(x & X y -> X X z)", &["x", "y", "z"], false) };
        check(
            "lock read unlock lock write unlock | lock read unlock",
            &query,
            expect![[r#"
            G(lock & X read -> X X unlock) 2/2
        "#]],
        );
    }

    #[test]
    fn equal_labels_only_when_asked() {
        check("a b a", &query("G(x -> X G !y)", &["x", "y"], false), expect![[r#""#]]);
        check(
            "a b a",
            &query("G(x -> X G !y)", &["x", "y"], true),
            expect![[r#"
            G(b -> X G !b) 1/1
        "#]],
        );
    }

    #[test]
    fn too_much_work_is_refused_with_the_numbers() {
        let labels: Vec<String> = (0..100).map(|n| format!("l{n}")).collect();
        let mut words = Words::new();
        words.add(labels.iter().map(String::as_str), 1);
        let error = |formula: &str, placeholders: &[&str]| {
            mine_formula(&words, &query(formula, placeholders, true)).unwrap_err().to_string()
        };
        expect!["2 placeholders over 100 labels give 10000 instances; the limit is 1000"]
            .assert_eq(&error("G(x -> X F y)", &["x", "y"]));
        expect!["the formula has 7 placeholders; the limit is 6"]
            .assert_eq(&error("a | b | c | d | e | f | g", &["a", "b", "c", "d", "e", "f", "g"]));
    }

    #[test]
    fn absurd_weights_are_refused() {
        let mut words = Words::new();
        words.add(["a", "b"], u64::MAX / 2);
        assert_eq!(mine_formula(&words, &query("F x", &["x"], false)).unwrap_err(), MineError::TooManyEvents);
    }
}
