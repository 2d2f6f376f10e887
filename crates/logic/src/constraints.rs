//! Constraints of a model: for every pair of its events and each of TEMARI's four templates, does every word
//! of the model satisfy the instance?
//!
//! TEMARI asks a model checker once for each instance. All instances of a template fail for the same reason
//! at different letters, so one search over the model that carries a *set* of letters answers all of them:
//!
//! | template | instance (x, y) fails if and only if | search |
//! |---|---|---|
//! | x always followed by y | some `x` leads to a state from which a word ends without `y` | backward, letters that can be avoided until the end |
//! | x immediately followed by y | some `x` leads to a state that ends, or goes on with another letter | none |
//! | x always preceded by y | some `x` leaves a state that is reached without `y` | forward, letters that can be avoided since the beginning |
//! | x immediately preceded by y | some `x` leaves a state that is initial, or entered by another letter | none |
//!
//! Only transitions on some word of the model count: they can be reached, and an end can be reached from
//! them.
//!
//! Paper: [temari, section IV-B1 and IV-B2].
//! Deviation: words are finite, as in the rest of this crate, and one search serves a template. The fourth
//! template means what the paper calls it; the formula that the paper prints for it says something else (see
//! `TEMARI-d` in `templates.toml`), and is checked under a name of its own.
//! Cost: a template needs at most transitions × letters steps on words of 64 letters.

use adit_automata::{Fsa, State};

use crate::Language;
use crate::templates::{self, FormulaTemplate};

/// A template of constraints on two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConstraintTemplate {
    /// (a) After every `x`, sooner or later, comes `y`.
    Followed,
    /// (b) Right after every `x` comes `y`.
    ImmediatelyFollowed,
    /// (c) Before the first `x` comes `y`.
    Preceded,
    /// (d) by its name: right before every `x` comes `y`.
    ImmediatelyPreceded,
    /// (d) as printed: every `y` with an `x` at any time after it is followed by `x` at once.
    PrintedImmediatelyPreceded,
}

impl ConstraintTemplate {
    /// The four templates of TEMARI, in the paper's order, the fourth by its name.
    pub const FOUR: [Self; 4] =
        [Self::Followed, Self::ImmediatelyFollowed, Self::Preceded, Self::ImmediatelyPreceded];

    /// Name of the built-in template that defines it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Followed => "TEMARI-a",
            Self::ImmediatelyFollowed => "TEMARI-b",
            Self::Preceded => "TEMARI-c",
            Self::ImmediatelyPreceded => "AIP-plain",
            Self::PrintedImmediatelyPreceded => "TEMARI-d",
        }
    }

    /// The built-in template that defines it.
    pub fn definition(self) -> &'static FormulaTemplate {
        templates::find(templates::built_in(), self.name()).expect("the built-in templates have it")
    }

    /// Returns true if the template demands `x` before `y`; otherwise it demands `y` before `x`.
    pub fn begins_with_x(self) -> bool {
        matches!(self, Self::Followed | Self::ImmediatelyFollowed)
    }
}

/// An instance of a template that holds on a model: letters of the model's alphabet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Constraint {
    /// The template.
    pub template: ConstraintTemplate,
    /// The letter in place of `x`.
    pub x: u32,
    /// The letter in place of `y`.
    pub y: u32,
}

impl Constraint {
    /// The order that the constraint demands: the first letter comes before the second.
    pub fn order(&self) -> (u32, u32) {
        if self.template.begins_with_x() { (self.x, self.y) } else { (self.y, self.x) }
    }
}

/// The constraints that hold on a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintSet {
    /// Those whose letters both occur in words of the model, by template, `x` and `y`.
    pub holding: Vec<Constraint>,
    /// Those that hold only because one of their letters occurs in no word.
    pub vacuous: Vec<Constraint>,
    /// Number of instances that were checked.
    pub checked: usize,
}

/// Checks every instance of `templates` with two different letters.
pub fn constraints<L>(model: &Fsa<L>, templates: &[ConstraintTemplate], language: Language) -> ConstraintSet {
    let useful = Useful::new(model, language);
    let letters = model.alphabet().len();
    let mut set = ConstraintSet { holding: Vec::new(), vacuous: Vec::new(), checked: 0 };
    for &template in templates {
        let failing = useful.failing(template);
        for x in 0..letters {
            for y in (0..letters).filter(|&y| y != x) {
                set.checked += 1;
                if failing.row(x).has(y) {
                    continue;
                }
                let constraint = Constraint { template, x: x as u32, y: y as u32 };
                let both_occur = useful.occurring[x] && useful.occurring[y];
                if both_occur { &mut set.holding } else { &mut set.vacuous }.push(constraint);
            }
        }
    }
    set
}

/// The part of a model that its words use.
struct Useful {
    states: usize,
    letters: usize,
    initial: Vec<State>,
    /// States where a word may end.
    ends: Vec<bool>,
    /// Transitions on some word: source, letter, target.
    edges: Vec<(State, usize, State)>,
    /// Letters of those transitions.
    occurring: Vec<bool>,
}

impl Useful {
    fn new<L>(model: &Fsa<L>, language: Language) -> Self {
        let all: Vec<(State, usize, State)> = model
            .states()
            .flat_map(|from| model.steps(from).iter().map(move |step| (from, step.letter, step.to)))
            .map(|(from, letter, to)| (from, letter as usize, to as State))
            .collect();
        let accepts = |state: State| language == Language::PrefixClosed || model.is_accepting(state);
        let reached = closure(model.len(), model.initial().iter().copied(), all.iter().map(|e| (e.0, e.2)));
        let ending =
            closure(model.len(), model.states().filter(|&s| accepts(s)), all.iter().map(|e| (e.2, e.0)));
        let useful = |state: State| reached[state] && ending[state];
        let edges: Vec<_> = all.into_iter().filter(|&(from, _, to)| useful(from) && useful(to)).collect();
        let mut occurring = vec![false; model.alphabet().len()];
        for &(_, letter, _) in &edges {
            occurring[letter] = true;
        }
        Self {
            states: model.len(),
            letters: model.alphabet().len(),
            initial: model.initial().iter().copied().filter(|&state| useful(state)).collect(),
            ends: model.states().map(|state| useful(state) && accepts(state)).collect(),
            edges,
            occurring,
        }
    }

    /// For each `x`, the set of `y` for which the instance fails.
    fn failing(&self, template: ConstraintTemplate) -> LetterSets {
        let mut failing = LetterSets::new(self.letters, self.letters);
        match template {
            ConstraintTemplate::Followed => {
                let avoidable = self.avoidable_until_the_end();
                for &(_, x, to) in &self.edges {
                    failing.add(x, avoidable.row(to), None);
                }
            }
            ConstraintTemplate::Preceded => {
                let avoidable = self.avoidable_since_the_beginning();
                for &(from, x, _) in &self.edges {
                    failing.add(x, avoidable.row(from), None);
                }
            }
            ConstraintTemplate::ImmediatelyFollowed => {
                let mut others = LetterSets::new(self.states, self.letters);
                self.states_where(|state| self.ends[state]).for_each(|state| others.fill(state));
                for &(from, letter, _) in &self.edges {
                    others.add_all_but(from, letter);
                }
                for &(_, x, to) in &self.edges {
                    failing.add(x, others.row(to), None);
                }
            }
            ConstraintTemplate::ImmediatelyPreceded => {
                let mut others = LetterSets::new(self.states, self.letters);
                self.initial.iter().for_each(|&state| others.fill(state));
                for &(_, letter, to) in &self.edges {
                    others.add_all_but(to, letter);
                }
                for &(from, x, _) in &self.edges {
                    failing.add(x, others.row(from), None);
                }
            }
            ConstraintTemplate::PrintedImmediatelyPreceded => {
                // Letters that come later, but not at once.
                let later = self.later();
                let mut not_at_once = LetterSets::new(self.states, self.letters);
                for &(from, letter, to) in &self.edges {
                    not_at_once.add(from, later.row(to), Some(letter));
                }
                // Here `y` is the letter of the transition and `x` is in the set.
                for &(_, y, to) in &self.edges {
                    for x in (0..self.letters).filter(|&x| not_at_once.row(to).has(x)) {
                        failing.insert(x, y);
                    }
                }
            }
        }
        failing
    }

    /// For each state, the letters without which some word ends from there.
    fn avoidable_until_the_end(&self) -> LetterSets {
        let mut sets = LetterSets::new(self.states, self.letters);
        self.states_where(|state| self.ends[state]).for_each(|state| sets.fill(state));
        let steps = self.edges.iter().map(|&(from, letter, to)| (to, Some(letter), from));
        sets.propagate(steps.collect());
        sets
    }

    /// For each state, the letters without which it can be reached.
    fn avoidable_since_the_beginning(&self) -> LetterSets {
        let mut sets = LetterSets::new(self.states, self.letters);
        self.initial.iter().for_each(|&state| sets.fill(state));
        let steps = self.edges.iter().map(|&(from, letter, to)| (from, Some(letter), to));
        sets.propagate(steps.collect());
        sets
    }

    /// For each state, the letters of words that go on from there.
    fn later(&self) -> LetterSets {
        let mut sets = LetterSets::new(self.states, self.letters);
        for &(from, letter, _) in &self.edges {
            sets.insert(from, letter);
        }
        sets.propagate(self.edges.iter().map(|&(from, _, to)| (to, None, from)).collect());
        sets
    }

    fn states_where(&self, wanted: impl Fn(State) -> bool) -> impl Iterator<Item = State> {
        (0..self.states).filter(move |&state| wanted(state))
    }
}

/// The states that can be reached from `begin` over `steps`.
fn closure(
    states: usize,
    begin: impl Iterator<Item = State>,
    steps: impl Iterator<Item = (State, State)>,
) -> Vec<bool> {
    let mut next = vec![Vec::new(); states];
    steps.for_each(|(from, to)| next[from].push(to));
    let mut reached = vec![false; states];
    let mut open: Vec<State> = begin.collect();
    open.iter().for_each(|&state| reached[state] = true);
    while let Some(state) = open.pop() {
        for &to in &next[state] {
            if !std::mem::replace(&mut reached[to], true) {
                open.push(to);
            }
        }
    }
    reached
}

/// One set of letters for each of a number of rows, as bits.
struct LetterSets {
    letters: usize,
    words: usize,
    bits: Vec<u64>,
}

/// A set of letters.
#[derive(Clone, Copy)]
struct LetterSet<'a>(&'a [u64]);

impl LetterSet<'_> {
    fn has(self, letter: usize) -> bool {
        self.0[letter / 64] & (1 << (letter % 64)) != 0
    }
}

impl LetterSets {
    fn new(rows: usize, letters: usize) -> Self {
        let words = letters.div_ceil(64);
        Self { letters, words, bits: vec![0; rows * words] }
    }

    fn row(&self, row: usize) -> LetterSet<'_> {
        LetterSet(&self.bits[row * self.words..(row + 1) * self.words])
    }

    fn insert(&mut self, row: usize, letter: usize) {
        self.bits[row * self.words + letter / 64] |= 1 << (letter % 64);
    }

    fn fill(&mut self, row: usize) {
        (0..self.letters).for_each(|letter| self.insert(row, letter));
    }

    fn add_all_but(&mut self, row: usize, letter: usize) {
        (0..self.letters).filter(|&other| other != letter).for_each(|other| self.insert(row, other));
    }

    /// Adds a set, except one letter, to a row. Returns true if the row grew.
    fn add(&mut self, row: usize, set: LetterSet<'_>, except: Option<usize>) -> bool {
        let mut grew = false;
        for (word, &new) in set.0.iter().enumerate() {
            let hidden = except.filter(|letter| letter / 64 == word).map_or(0, |letter| 1 << (letter % 64));
            let old = &mut self.bits[row * self.words + word];
            let both = *old | (new & !hidden);
            grew |= both != *old;
            *old = both;
        }
        grew
    }

    /// Adds each row to the rows that `steps` (from, except, to) lead to, until nothing grows.
    fn propagate(&mut self, steps: Vec<(usize, Option<usize>, usize)>) {
        let rows = self.bits.len().checked_div(self.words).unwrap_or(0);
        let mut next = vec![Vec::new(); rows];
        for (from, except, to) in steps {
            next[from].push((except, to));
        }
        let mut open: Vec<usize> = (0..rows).collect();
        let mut is_open = vec![true; rows];
        let mut set = vec![0; self.words];
        while let Some(from) = open.pop() {
            is_open[from] = false;
            set.copy_from_slice(self.row(from).0);
            for &(except, to) in &next[from] {
                if self.add(to, LetterSet(&set), except) && !std::mem::replace(&mut is_open[to], true) {
                    open.push(to);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Checker, Limit, Verdict};
    use adit_automata::Builder;
    use expect_test::{Expect, expect};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const ALL: [ConstraintTemplate; 5] = [
        ConstraintTemplate::Followed,
        ConstraintTemplate::ImmediatelyFollowed,
        ConstraintTemplate::Preceded,
        ConstraintTemplate::ImmediatelyPreceded,
        ConstraintTemplate::PrintedImmediatelyPreceded,
    ];

    /// A model from `from label to` triples; state 0 is initial, the states of `ends` accept.
    fn model(edges: &[(usize, &'static str, usize)], ends: &[usize]) -> Fsa<&'static str> {
        let mut builder = Builder::new();
        let states = edges.iter().flat_map(|&(from, _, to)| [from, to]).max().unwrap() + 1;
        for state in 0..states {
            builder.state(ends.contains(&state));
        }
        for &(from, label, to) in edges {
            builder.edge(from, label, to);
        }
        builder.initial(0);
        builder.build()
    }

    fn check(model: &Fsa<&'static str>, expected: Expect) {
        let set = constraints(model, &ConstraintTemplate::FOUR, Language::Accepted);
        let mut out = format!("{} checked, {} vacuous\n", set.checked, set.vacuous.len());
        for constraint in set.holding {
            let (first, second) = constraint.order();
            let label = |letter: u32| model.alphabet()[letter as usize];
            out += &format!("{:?}: {} before {}\n", constraint.template, label(first), label(second));
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn a_file_is_opened_before_and_closed_after() {
        let file = [
            (0, "open", 1),
            (1, "read", 1),
            (1, "close", 2),
            // Neither of these is on a word of the model.
            (1, "lost", 3),
            (4, "read", 1),
        ];
        check(
            &model(&file, &[2]),
            expect![[r#"
                48 checked, 12 vacuous
                Followed: open before close
                Followed: read before close
                Preceded: open before close
                Preceded: open before read
            "#]],
        );
        check(
            &model(&[(0, "a", 1), (1, "b", 2), (2, "a", 1)], &[2]),
            expect![[r#"
                8 checked, 0 vacuous
                Followed: a before b
                ImmediatelyFollowed: a before b
                Preceded: a before b
                ImmediatelyPreceded: a before b
            "#]],
        );
    }

    fn models() -> impl Strategy<Value = Fsa<String>> {
        let states = prop::collection::vec(any::<bool>(), 1..6);
        let edges = prop::collection::vec(
            (0usize..5, prop::sample::select(vec!['a', 'b', 'c', 'd']), 0usize..5),
            0..12,
        );
        (states, edges, prop::collection::vec(0usize..5, 1..3)).prop_map(|(states, edges, initial)| {
            let mut builder = Builder::new();
            for &accepting in &states {
                builder.state(accepting);
            }
            for (from, label, to) in edges {
                builder.edge(from % states.len(), label.to_string(), to % states.len());
            }
            for state in initial {
                builder.initial(state % states.len());
            }
            builder.build()
        })
    }

    proptest! {
        /// One search for a template says the same as a check of each instance's formula by itself.
        #[test]
        fn agree_with_checking_each_pair(
            model in models(),
            language in prop::sample::select(vec![Language::Accepted, Language::PrefixClosed]),
        ) {
            let set = constraints(&model, &ALL, language);
            let found: BTreeSet<Constraint> = set.holding.iter().chain(&set.vacuous).copied().collect();
            prop_assert_eq!(found.len(), set.holding.len() + set.vacuous.len());
            let checker = Checker::new(&model, language, Limit(1_000_000));
            let mut checked = 0;
            for template in ALL {
                for (x, a) in model.alphabet().iter().enumerate() {
                    for (y, b) in model.alphabet().iter().enumerate().filter(|&(y, _)| y != x) {
                        let formula = template.definition().formula(&[a, b], &BTreeSet::new()).unwrap();
                        let holds = checker.check(&formula) == Verdict::Holds;
                        let constraint = Constraint { template, x: x as u32, y: y as u32 };
                        prop_assert_eq!(found.contains(&constraint), holds, "{:?}", constraint);
                        checked += 1;
                    }
                }
            }
            prop_assert_eq!(set.checked, checked);
        }
    }

    /// Letters beyond the first word of bits, with a chain that only ends after all of them.
    #[test]
    fn many_letters() {
        let mut builder = Builder::new();
        let last = 199u32;
        let states: Vec<State> = (0..=last + 1).map(|at| builder.state(at == last + 1)).collect();
        for letter in 0..=last {
            builder.edge(states[letter as usize], letter, states[letter as usize + 1]);
        }
        builder.initial(states[0]);
        let set = constraints(&builder.build(), &ConstraintTemplate::FOUR, Language::Accepted);
        let count = |template| set.holding.iter().filter(|one| one.template == template).count();
        assert_eq!(set.checked, 4 * 200 * 199);
        assert_eq!(ConstraintTemplate::FOUR.map(count), [19_900, 199, 19_900, 199]);
    }
}
