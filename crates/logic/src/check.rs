//! Does every word of a model satisfy a formula? If not: a shortest word that does not.
//!
//! The formula reads words backwards as a deterministic automaton ([`Backward`]), so the product with the
//! model is searched backwards too, breadth first from the states where a word may end. A pair of a state and
//! a suffix is reached when some word leads from that state to an end and the formula sees it as that suffix;
//! the formula fails when an initial state is reached with a suffix of which it is not true. Reading
//! backwards needs no more than 2ⁿ suffixes for `n` temporal operators, where a deterministic automaton that
//! reads forwards may need 2 to the 2ⁿ.
//!
//! Paper: [temari, section IV-B2], which has SPIN check each candidate.
//! Deviation: words are finite, so there is no Büchi automaton and no search for cycles.
//! Cost: transitions of the model, times the suffixes met.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Fsa, State};

use crate::evaluate::{Backward, Class, Suffix};
use crate::{Formula, Property, Template, templates};

/// The answer of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Verdict<L> {
    /// Every word of the model satisfies the formula.
    Holds,
    /// Some word does not.
    Fails {
        /// Of the shortest such words, the first in the order of the alphabet.
        counterexample: Vec<L>,
    },
    /// The search reached its limit before an answer.
    Unknown {
        /// The limit, which a second try may raise.
        limit: Limit,
    },
}

/// The words of a model that are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Those that end in an accepting state.
    Accepted,
    /// All that can be read from an initial state: which states accept is ignored.
    PrefixClosed,
}

/// The most cells that a search may use: suffixes met, times the states of the model and the parts of the
/// formula together. A cell takes at most 10 bytes.
///
/// There is no default: a caller that checks one formula can afford more than one that checks thousands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(pub usize);

/// Checks that every word of `model` satisfies `formula`. Transitions that may occur count like those that
/// must.
pub fn check<L: Ord + Clone>(
    model: &Fsa<L>,
    formula: &Formula<L>,
    language: Language,
    limit: Limit,
) -> Verdict<L> {
    Checker::new(model, language, limit).check(formula)
}

/// A model made ready for many checks: its transitions by target, and the automata of the six templates,
/// which all properties of a template share.
pub struct Checker<'m, L> {
    model: &'m Fsa<L>,
    limit: Limit,
    /// For each state, the transitions that enter it from a state that can be reached: letter and source.
    entering: Vec<Vec<(u32, u32)>>,
    ends: Vec<State>,
    initial: Vec<bool>,
    templates: BTreeMap<Template, Backward<String>>,
}

impl<'m, L: Ord + Clone> Checker<'m, L> {
    /// Prepares `model`.
    pub fn new(model: &'m Fsa<L>, language: Language, limit: Limit) -> Self {
        let mut initial = vec![false; model.len()];
        let mut reached = vec![false; model.len()];
        let mut entering = vec![Vec::new(); model.len()];
        let mut open: Vec<State> = model.initial().to_vec();
        for &state in &open {
            initial[state] = true;
            reached[state] = true;
        }
        while let Some(state) = open.pop() {
            for step in model.steps(state) {
                entering[step.to as usize].push((step.letter, state as u32));
                if !reached[step.to as usize] {
                    reached[step.to as usize] = true;
                    open.push(step.to as usize);
                }
            }
        }
        let may_end = |&state: &State| {
            reached[state] && (language == Language::PrefixClosed || model.is_accepting(state))
        };
        let ends = model.states().filter(may_end).collect();
        Self { model, limit, entering, ends, initial, templates: BTreeMap::new() }
    }

    /// Checks that every word of the model satisfies `formula`.
    pub fn check(&self, formula: &Formula<L>) -> Verdict<L> {
        let mut backward = Backward::new(formula);
        let alphabet = self.model.alphabet().iter();
        let classes: Vec<Class> = alphabet.map(|label| backward.class(|atom| atom == label)).collect();
        self.search(&mut backward, &classes)
    }

    /// Checks that every word of the model has `property`, as [`crate::formula_of`] defines it.
    pub fn check_property(&mut self, property: &Property<L>, pure: &BTreeSet<L>) -> Verdict<L> {
        let mut backward = self
            .templates
            .remove(&property.template)
            .unwrap_or_else(|| Backward::new(&templates::definition(property.template).pattern));
        let alphabet = self.model.alphabet().iter();
        let classes: Vec<Class> = alphabet
            .map(|label| {
                backward.class(|atom| match atom.as_str() {
                    "a" => *label == property.a,
                    "b" => *label == property.b,
                    _ => pure.contains(label),
                })
            })
            .collect();
        let verdict = self.search(&mut backward, &classes);
        self.templates.insert(property.template, backward);
        verdict
    }

    /// Searches backwards, a level for each length of words, until an initial state has a bad suffix.
    fn search<P>(&self, backward: &mut Backward<P>, classes: &[Class]) -> Verdict<L> {
        let cells = self.model.len() + backward.width();
        let mut seen = Seen { states: self.model.len(), rows: Vec::new() };
        let mut levels: Vec<Vec<Pair>> =
            vec![self.ends.iter().map(|&state| (state as u32, backward.tail())).collect()];
        for &pair in &levels[0] {
            seen.insert(pair);
        }
        loop {
            let level = levels.last().expect("there is a first level, and levels are only added");
            let bad: BTreeSet<Pair> = level
                .iter()
                .copied()
                .filter(|&(state, suffix)| self.initial[state as usize] && !backward.holds(suffix))
                .collect();
            if !bad.is_empty() {
                return Verdict::Fails { counterexample: self.read_off(backward, classes, &levels, bad) };
            }
            let mut next = Vec::new();
            for &(state, suffix) in level {
                for &(letter, from) in &self.entering[state as usize] {
                    let longer = backward.before(suffix, classes[letter as usize]);
                    if seen.insert((from, longer)) {
                        next.push((from, longer));
                    }
                }
                if backward.len().saturating_mul(cells) > self.limit.0 {
                    return Verdict::Unknown { limit: self.limit };
                }
            }
            if next.is_empty() {
                return Verdict::Holds;
            }
            levels.push(next);
        }
    }

    /// The first word, in the order of the alphabet, that leads from a pair of `bad`, in the last level, down
    /// the levels to an end.
    ///
    /// Every pair on such a way is in the level of its distance: were it in an earlier one, a shorter word
    /// would do.
    fn read_off<P>(
        &self,
        backward: &mut Backward<P>,
        classes: &[Class],
        levels: &[Vec<Pair>],
        bad: BTreeSet<Pair>,
    ) -> Vec<L> {
        let mut word = Vec::new();
        let mut current = bad;
        for level in levels[..levels.len() - 1].iter().rev() {
            let mut best = u32::MAX;
            let mut next = BTreeSet::new();
            for &(state, suffix) in level {
                for &(letter, from) in &self.entering[state as usize] {
                    if letter > best
                        || !current.contains(&(from, backward.before(suffix, classes[letter as usize])))
                    {
                        continue;
                    }
                    if letter < best {
                        best = letter;
                        next.clear();
                    }
                    next.insert((state, suffix));
                }
            }
            word.push(self.model.alphabet()[best as usize].clone());
            current = next;
        }
        word
    }
}

/// A state of the model and what the formula knows about a word from there to an end.
type Pair = (u32, Suffix);

/// The pairs that were reached: a row of states for each suffix.
struct Seen {
    states: usize,
    rows: Vec<Vec<bool>>,
}

impl Seen {
    /// Adds a pair; whether it is new.
    fn insert(&mut self, (state, suffix): Pair) -> bool {
        if self.rows.len() <= suffix as usize {
            self.rows.resize_with(suffix as usize + 1, Vec::new);
        }
        let row = &mut self.rows[suffix as usize];
        if row.is_empty() {
            row.resize(self.states, false);
        }
        !std::mem::replace(&mut row[state as usize], true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::tests::formulas;
    use crate::formula_of;
    use adit_automata::Builder;
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    const ROOM: Limit = Limit(1_000_000);

    /// A model from lines `0 -open-> 1`; the first state is initial, `*` after a target makes it accepting.
    fn model(text: &str) -> Fsa<String> {
        let mut builder = Builder::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (from, rest) = line.split_once(" -").unwrap();
            let (label, to) = rest.split_once("-> ").unwrap();
            let (from, to, accepting): (usize, usize, bool) =
                (from.parse().unwrap(), to.trim_end_matches('*').parse().unwrap(), to.ends_with('*'));
            while builder.len() <= from.max(to) {
                builder.state(false);
            }
            if accepting {
                builder.accepting(to, true);
            }
            builder.edge(from, label.to_owned(), to);
        }
        builder.initial(0);
        builder.build()
    }

    const FILE: &str = "
        0 -open-> 1
        1 -read-> 1
        1 -write-> 2
        2 -write-> 2
        2 -flush-> 1
        1 -close-> 3*
        2 -close-> 3*
        3 -isOpen-> 3
    ";

    fn verdict(verdict: Verdict<String>) -> String {
        match verdict {
            Verdict::Holds => "holds".into(),
            Verdict::Fails { counterexample } => format!("fails: {}", counterexample.join(" ")),
            Verdict::Unknown { .. } => "unknown".into(),
        }
    }

    fn check_formulas(text: &str, language: Language, formulas: &[&str], expected: Expect) {
        let model = model(text);
        let mut out = String::new();
        for formula in formulas {
            let parsed = Formula::parse(formula).unwrap();
            out += &format!("{formula}: {}\n", verdict(check(&model, &parsed, language, ROOM)));
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn a_file_protocol() {
        let formulas = [
            "G(close -> X G !write)",
            "G(open -> X F close)",
            "F close",
            "G(write -> X F flush)",
            "!close W flush",
            "G(read -> X read)",
            "X X X !isOpen",
            "true",
            "false",
            "F nothing",
            "G(close -> X [end])",
        ];
        check_formulas(
            FILE,
            Language::Accepted,
            &formulas,
            expect![[r#"
            G(close -> X G !write): holds
            G(open -> X F close): holds
            F close: holds
            G(write -> X F flush): fails: open write close
            !close W flush: fails: open close
            G(read -> X read): fails: open read close
            X X X !isOpen: fails: open close isOpen isOpen
            true: holds
            false: fails: open close
            F nothing: fails: open close
            G(close -> X [end]): fails: open close isOpen
        "#]],
        );
        check_formulas(
            FILE,
            Language::PrefixClosed,
            &["F close", "false", "G !isOpen"],
            expect![[r#"
            F close: fails: 
            false: fails: 
            G !isOpen: fails: open close isOpen
        "#]],
        );
    }

    #[test]
    fn a_model_without_words_satisfies_everything() {
        check_formulas(
            "0 -a-> 1",
            Language::Accepted,
            &["false"],
            expect![[r#"
            false: holds
        "#]],
        );
        assert_eq!(
            check(&Builder::<u8>::new().build(), &Formula::constant(false), Language::PrefixClosed, ROOM),
            Verdict::Holds
        );
    }

    /// Reading backwards, `X X … X a` remembers as many events as it has nexts; `G F`-like chains keep one
    /// bit each.
    #[test]
    fn a_limit_gives_unknown() {
        let model = model("0 -a-> 0*\n0 -b-> 0");
        let deep = Formula::parse(&format!("G(a <-> {} a)", "X ".repeat(40))).unwrap();
        let wide =
            Formula::parse(&format!("F b | {} a | F(a & {} a)", "X ".repeat(30), "X ".repeat(30))).unwrap();
        assert_eq!(verdict(check(&model, &deep, Language::Accepted, ROOM)), "fails: a");
        assert_eq!(
            check(&model, &!(!wide.clone() & wide), Language::Accepted, ROOM),
            Verdict::Unknown { limit: ROOM }
        );
    }

    /// All words over `abc` of at most `length` letters, shortest first, then in order.
    fn words(length: usize) -> Vec<Vec<char>> {
        let mut all = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..length {
            let until = all.len();
            for at in from..until {
                for letter in ['a', 'b', 'c'] {
                    let mut longer: Vec<char> = all[at].clone();
                    longer.push(letter);
                    all.push(longer);
                }
            }
            from = until;
        }
        all
    }

    fn models() -> impl Strategy<Value = Fsa<char>> {
        let states = prop::collection::vec(any::<bool>(), 1..5);
        let edges =
            prop::collection::vec((0usize..4, prop::sample::select(vec!['a', 'b', 'c']), 0usize..4), 0..10);
        (states, edges, prop::collection::vec(0usize..4, 1..3)).prop_map(|(states, edges, initial)| {
            let mut builder = Builder::new();
            for &accepting in &states {
                builder.state(accepting);
            }
            for (from, label, to) in edges {
                builder.edge(from % states.len(), label, to % states.len());
            }
            for state in initial {
                builder.initial(state % states.len());
            }
            builder.build()
        })
    }

    fn naive_counterexample(
        model: &Fsa<char>,
        formula: &Formula<char>,
        language: Language,
    ) -> Option<Vec<char>> {
        let in_language = |word: &[char]| match language {
            Language::Accepted => model.accepts(word),
            Language::PrefixClosed => model.reads(word),
        };
        words(6).into_iter().find(|word| in_language(word) && !formula.holds(word))
    }

    fn agrees(verdict: Verdict<char>, naive: Option<Vec<char>>) -> Result<(), TestCaseError> {
        match (verdict, naive) {
            (Verdict::Fails { counterexample }, Some(naive)) => prop_assert_eq!(counterexample, naive),
            (Verdict::Fails { counterexample }, None) => prop_assert!(counterexample.len() > 6),
            (Verdict::Holds, naive) => prop_assert_eq!(naive, None),
            (Verdict::Unknown { .. }, _) => prop_assert!(false, "the limit is generous"),
        }
        Ok(())
    }

    fn language() -> impl Strategy<Value = Language> {
        prop::sample::select(vec![Language::Accepted, Language::PrefixClosed])
    }

    proptest! {
        /// The verdict and the very counterexample are those of trying all words of up to six letters in
        /// order.
        #[test]
        fn formulas_agree_with_enumeration(
            model in models(), formula in formulas(vec!['a', 'b', 'd']), language in language(),
        ) {
            agrees(check(&model, &formula, language, ROOM), naive_counterexample(&model, &formula, language))?;
        }

        #[test]
        fn properties_agree_with_their_formulas(
            model in models(), language in language(),
            pure in prop::collection::btree_set(prop::sample::select(vec!['a', 'b', 'c']), 0..3),
        ) {
            let mut checker = Checker::new(&model, language, ROOM);
            for template in Template::ALL {
                for a in ['a', 'b', 'c'] {
                    for b in ['a', 'b', 'c'] {
                        let property = Property { template, a, b };
                        let by_formula = checker.check(&formula_of(&property, &pure));
                        prop_assert_eq!(checker.check_property(&property, &pure), by_formula, "{}", property);
                    }
                }
            }
        }
    }
}
