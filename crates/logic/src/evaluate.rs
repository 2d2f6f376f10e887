//! Evaluation from the end of a word to its beginning.
//!
//! The truth of a formula on a suffix depends on the suffix's first event and on which subformulas are true
//! of the next shorter suffix, and on nothing else. So one pass backwards decides a word, and a formula *is*
//! a deterministic automaton that reads backwards; its states are the sets of true subformulas. [`Backward`]
//! is that automaton, made as far as it is needed.
//!
//! Cost: `O(|formula|)` an event; one table look-up an event in [`Backward`] once a suffix has been met.
//! Memory does not grow with the word.

use rustc_hash::FxHashMap;

use crate::formula::{Formula, Op, operand_positions};

impl<L: Ord> Formula<L> {
    /// Returns whether the formula is true of `word`.
    pub fn holds(&self, word: &[L]) -> bool {
        let mut result = false;
        self.evaluate(word, |value| result = value);
        result
    }

    /// The truth of the formula on each suffix of `word`: the whole word first, the empty suffix last.
    pub fn truths(&self, word: &[L]) -> Vec<bool> {
        let mut truths = Vec::with_capacity(word.len() + 1);
        self.evaluate(word, |value| truths.push(value));
        truths.reverse();
        truths
    }

    /// Tells the truth of every suffix, the empty one first.
    fn evaluate(&self, word: &[L], mut tell: impl FnMut(bool)) {
        let program = Program::new(self);
        let mut values = vec![false; program.ops.len()];
        let mut memory = vec![false; program.remembered.len()];
        program.tail(&mut values, &mut memory);
        tell(program.root(&values));
        for label in word.iter().rev() {
            let happening = program.atoms.binary_search(&label).ok();
            program.step(&mut values, &mut memory, |atom| happening == Some(atom));
            tell(program.root(&values));
        }
    }
}

/// A formula with numbered atoms, ready to be evaluated.
struct Program<P> {
    ops: Vec<Op<usize>>,
    sides: Vec<(usize, usize)>,
    /// The atoms, sorted; their numbers are their places.
    atoms: Vec<P>,
    /// The parts whose value on one suffix is needed for the next longer one.
    remembered: Vec<usize>,
    /// For each part, where in the memory it finds what it needs.
    slot: Vec<usize>,
}

impl<'f, L: Ord> Program<&'f L> {
    fn new(formula: &'f Formula<L>) -> Self {
        let atoms: Vec<&L> = formula.atoms().into_iter().collect();
        let number = |label: &L| atoms.binary_search(&label).expect("the list has every atom of the formula");
        let ops: Vec<Op<usize>> = formula.ops().iter().map(|op| op.with_atom(number)).collect();
        let sides = operand_positions(&ops);
        let mut remembered = Vec::new();
        let slot = ops
            .iter()
            .enumerate()
            .map(|(at, op)| {
                match op {
                    Op::Next => remembered.push(sides[at].0),
                    Op::Eventually | Op::Always => remembered.push(at),
                    Op::Until | Op::WeakUntil | Op::Release | Op::StrongRelease => remembered.push(at),
                    _ => return usize::MAX,
                }
                remembered.len() - 1
            })
            .collect();
        Program { ops, sides, atoms, remembered, slot }
    }
}

impl<P> Program<P> {
    fn root(&self, values: &[bool]) -> bool {
        values[self.ops.len() - 1]
    }

    /// The values on the empty suffix. It is its own next suffix, so every operator looks at its operands
    /// only.
    fn tail(&self, values: &mut [bool], memory: &mut [bool]) {
        for (at, op) in self.ops.iter().enumerate() {
            let (left, right) = (values[self.sides[at].0], values[self.sides[at].1]);
            values[at] = match op {
                Op::Atom(_) | Op::False => false,
                Op::True | Op::End => true,
                Op::Next | Op::Eventually | Op::Always => left,
                Op::Until | Op::Release => right,
                Op::WeakUntil => left || right,
                Op::StrongRelease => left && right,
                other => connective(other, left, right),
            };
        }
        self.remember(values, memory);
    }

    /// The values one event earlier, given which atoms are true of that event.
    fn step(&self, values: &mut [bool], memory: &mut [bool], happening: impl Fn(usize) -> bool) {
        for (at, op) in self.ops.iter().enumerate() {
            let (left, right) = (values[self.sides[at].0], values[self.sides[at].1]);
            let later = || memory[self.slot[at]];
            values[at] = match op {
                Op::Atom(atom) => happening(*atom),
                Op::True => true,
                Op::False | Op::End => false,
                Op::Next => later(),
                Op::Eventually => left || later(),
                Op::Always => left && later(),
                Op::Until | Op::WeakUntil => right || (left && later()),
                Op::Release | Op::StrongRelease => right && (left || later()),
                other => connective(other, left, right),
            };
        }
        self.remember(values, memory);
    }

    fn remember(&self, values: &[bool], memory: &mut [bool]) {
        for (slot, &at) in memory.iter_mut().zip(&self.remembered) {
            *slot = values[at];
        }
    }
}

/// The operators that look at the present only.
fn connective(op: &Op<usize>, left: bool, right: bool) -> bool {
    match op {
        Op::Not => !left,
        Op::And => left && right,
        Op::Or => left || right,
        Op::Implies => !left || right,
        Op::Iff => left == right,
        _ => unreachable!("constants, atoms and temporal operators are the caller's"),
    }
}

/// The state of [`Backward`] after a suffix of a word. Equal numbers mean that no event before it can tell
/// them apart.
pub type Suffix = u32;

/// A kind of events: those of which the same atoms are true.
pub type Class = u32;

/// A formula as a deterministic automaton that reads words from their end.
///
/// Atoms may be any propositions about an event, several of them true at once: a template's `a`, `b` and
/// `pure` as well as labels. One automaton then serves every instance of the template.
///
/// There are at most 2ⁿ suffixes for `n` temporal operators; [`Backward::len`] tells how many were met.
pub struct Backward<P> {
    program: Program<P>,
    classes: Vec<Box<[bool]>>,
    class_numbers: FxHashMap<Box<[bool]>, Class>,
    suffixes: Vec<Box<[bool]>>,
    suffix_numbers: FxHashMap<Box<[bool]>, Suffix>,
    holds: Vec<bool>,
    /// For each class, by suffix: the longer suffix, or `UNKNOWN`.
    table: Vec<Vec<Suffix>>,
    values: Vec<bool>,
    memory: Vec<bool>,
}

const UNKNOWN: Suffix = Suffix::MAX;

impl<P: Ord + Clone> Backward<P> {
    /// The automaton of `formula`, with only the empty suffix made.
    pub fn new(formula: &Formula<P>) -> Self {
        let Program { ops, sides, atoms, remembered, slot } = Program::new(formula);
        let atoms: Vec<P> = atoms.into_iter().cloned().collect();
        let program = Program { ops, sides, atoms, remembered, slot };
        let mut backward = Self {
            values: vec![false; program.ops.len()],
            memory: vec![false; program.remembered.len()],
            program,
            classes: Vec::new(),
            class_numbers: FxHashMap::default(),
            suffixes: Vec::new(),
            suffix_numbers: FxHashMap::default(),
            holds: Vec::new(),
            table: Vec::new(),
        };
        backward.program.tail(&mut backward.values, &mut backward.memory);
        backward.number_present();
        backward
    }
}

impl<P> Backward<P> {
    /// The class of an event, given which atoms are true of it.
    pub fn class(&mut self, happening: impl FnMut(&P) -> bool) -> Class {
        let truth: Box<[bool]> = self.program.atoms.iter().map(happening).collect();
        if let Some(&class) = self.class_numbers.get(&truth) {
            return class;
        }
        let class = self.classes.len() as Class;
        self.classes.push(truth.clone());
        self.class_numbers.insert(truth, class);
        self.table.push(Vec::new());
        class
    }

    /// The empty suffix.
    pub fn tail(&self) -> Suffix {
        0
    }

    /// The suffix that is an event of `class`, then `suffix`.
    #[inline]
    pub fn before(&mut self, suffix: Suffix, class: Class) -> Suffix {
        match self.table[class as usize].get(suffix as usize) {
            Some(&known) if known != UNKNOWN => known,
            _ => self.make(suffix, class),
        }
    }

    /// Returns whether the formula is true of `suffix`.
    pub fn holds(&self, suffix: Suffix) -> bool {
        self.holds[suffix as usize]
    }

    /// The number of suffixes met so far that some event can tell apart; never zero.
    #[expect(clippy::len_without_is_empty, reason = "the empty suffix is always there")]
    pub fn len(&self) -> usize {
        self.suffixes.len()
    }

    /// The approximate size of a suffix in bytes: one for each part of the formula and each class.
    pub(crate) fn width(&self) -> usize {
        self.program.ops.len() + self.classes.len()
    }

    #[cold]
    fn make(&mut self, suffix: Suffix, class: Class) -> Suffix {
        let truth = &self.classes[class as usize];
        let memory = self.program.remembered.len();
        self.memory.copy_from_slice(&self.suffixes[suffix as usize][..memory]);
        self.program.step(&mut self.values, &mut self.memory, |atom| truth[atom]);
        let made = self.number_present();
        let row = &mut self.table[class as usize];
        if row.len() <= suffix as usize {
            row.resize(self.suffixes.len(), UNKNOWN);
        }
        row[suffix as usize] = made;
        made
    }

    /// The number of the suffix whose values were just computed: what is remembered of it, and whether the
    /// formula is true of it.
    fn number_present(&mut self) -> Suffix {
        let holds = self.program.root(&self.values);
        let key: Box<[bool]> = self.memory.iter().copied().chain([holds]).collect();
        if let Some(&suffix) = self.suffix_numbers.get(&key) {
            return suffix;
        }
        let suffix = self.suffixes.len() as Suffix;
        self.suffixes.push(key.clone());
        self.suffix_numbers.insert(key, suffix);
        self.holds.push(holds);
        suffix
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::formula::tests::formulas;
    use proptest::prelude::*;

    /// Straight from the definition of the operators, by recursion on suffixes, with the tail as one more
    /// position that is its own successor.
    pub(crate) fn naive(formula: &Formula<char>, word: &[char]) -> bool {
        let operands = formula.operands();
        let later: Vec<&[char]> = (0..=word.len()).map(|from| &word[from..]).collect();
        let now = |side: usize| naive(&operands[side], word);
        let at = |side: usize, position: usize| naive(&operands[side], later[position]);
        let positions = 0..later.len();
        match formula.root() {
            Op::Atom(label) => word.first() == Some(label),
            Op::True => true,
            Op::False => false,
            Op::End => word.is_empty(),
            Op::Not => !now(0),
            Op::Next => naive(&operands[0], word.get(1..).unwrap_or(&[])),
            Op::Eventually => positions.into_iter().any(|i| at(0, i)),
            Op::Always => positions.into_iter().all(|i| at(0, i)),
            Op::And => now(0) && now(1),
            Op::Or => now(0) || now(1),
            Op::Implies => !now(0) || now(1),
            Op::Iff => now(0) == now(1),
            Op::Until => positions.into_iter().any(|i| at(1, i) && (0..i).all(|j| at(0, j))),
            Op::WeakUntil => {
                positions.clone().all(|i| at(0, i))
                    || positions.into_iter().any(|i| at(1, i) && (0..i).all(|j| at(0, j)))
            }
            Op::Release => positions.into_iter().all(|i| at(1, i) || (0..i).any(|j| at(0, j))),
            Op::StrongRelease => positions.into_iter().any(|i| at(0, i) && (0..=i).all(|j| at(1, j))),
        }
    }

    proptest! {
        #[test]
        fn evaluation_agrees_with_the_definition(
            formula in formulas(vec!['a', 'b', 'c']),
            word in prop::collection::vec(prop::sample::select(vec!['a', 'b', 'c', 'd']), 0..6),
        ) {
            prop_assert_eq!(formula.holds(&word), naive(&formula, &word));
            let suffixes: Vec<bool> = (0..=word.len()).map(|from| formula.holds(&word[from..])).collect();
            prop_assert_eq!(formula.truths(&word), suffixes);
        }

        #[test]
        fn the_automaton_agrees_with_evaluation(
            formula in formulas(vec!['a', 'b', 'c']),
            words in prop::collection::vec(prop::collection::vec(prop::sample::select(vec!['a', 'b', 'c', 'd']), 0..12), 1..4),
        ) {
            let mut backward = Backward::new(&formula);
            for word in words {
                let mut suffix = backward.tail();
                for event in word.iter().rev() {
                    let class = backward.class(|atom| atom == event);
                    suffix = backward.before(suffix, class);
                }
                prop_assert_eq!(backward.holds(suffix), formula.holds(&word));
            }
        }
    }

    /// The end of a word as the papers' formulas need it, and the two other nexts.
    #[test]
    fn the_tail_has_no_events() {
        let cases = [
            ("G(a -> X(!b))", "a", true),
            ("G(a -> X G !b)", "a", true),
            ("G(a -> X F b)", "a", false),
            ("G(a -> X b)", "a", false),
            ("X[!] true", "a", false),
            ("X[!] b", "ab", true),
            ("X[?] b", "a", true),
            ("X[?] b", "ac", false),
            ("X X X a", "a", false),
            ("F [end]", "abc", true),
            ("G(a -> X [end])", "ba", true),
            ("G(a -> X [end])", "ab", false),
            ("!a W b", "ccc", true),
            ("!a U b", "ccc", false),
            ("a", "", false),
            ("!a", "", true),
            ("[end]", "", true),
        ];
        for (formula, word, expected) in cases {
            let word: Vec<String> = word.chars().map(String::from).collect();
            assert_eq!(Formula::parse(formula).unwrap().holds(&word), expected, "{formula} on {word:?}");
        }
    }

    #[test]
    fn a_long_word_takes_one_pass() {
        let formula = Formula::parse("G(a -> X((!b) U c)) & F G !a")
            .unwrap()
            .map(|label| label.chars().next().unwrap());
        let word: Vec<char> = "acb".chars().cycle().take(3_000_000).collect();
        assert!(formula.holds(&word));
    }
}
