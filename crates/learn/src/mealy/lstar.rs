//! L* for Mealy machines: states are rows of a table of outputs, columns are words that tell them apart.
//!
//! Paper: `shahbaz09`, the observation table with outputs, whose columns begin with all single inputs;
//! `rivest93`, counterexamples, of which a binary search keeps one suffix.
//! Deviation: one access word for each distinct row, so that the table is always consistent and only has to
//! be closed. All open cells of a round are asked as one set.
//! Cost: `O(n² · k + n · log m)` words for `n` states, `k` inputs and counterexamples of length `m`, and at
//! most `n` conjectures.

use rustc_hash::FxHashMap;

use super::{
    Ended, Equivalence, InputWord, LearnedMealy, Mealy, MealyTeacher, OutputSymbol, refine_until_equivalent,
};
use crate::lts::Symbol;

/// Learns the machine of `teacher` over the inputs `0..inputs`, until `equivalence` finds no difference.
pub fn lstar(
    inputs: usize,
    teacher: &mut dyn MealyTeacher<Output = OutputSymbol>,
    equivalence: &mut dyn Equivalence,
) -> LearnedMealy {
    let mut table = Table::new(inputs);
    refine_until_equivalent(&mut table, Table::close, Table::refine, teacher, equivalence)
}

/// Outputs of all suffixes after one word.
type Row = Vec<Vec<OutputSymbol>>;

/// The observation table, reduced: one access word for each distinct row.
struct Table {
    inputs: usize,
    /// Words that lead to different states, the empty one first.
    access: Vec<InputWord>,
    /// Words that tell states apart, all single inputs first.
    suffixes: Vec<InputWord>,
    /// Outputs of the suffixes after each access word.
    rows: Vec<Row>,
    /// Outputs of the suffixes after each access word and input, the inputs of one access word side by side.
    frontier: Vec<Row>,
}

impl Table {
    fn new(inputs: usize) -> Self {
        Self {
            inputs,
            access: vec![Vec::new()],
            suffixes: (0..inputs).map(|input| vec![input]).collect(),
            rows: Vec::new(),
            frontier: Vec::new(),
        }
    }

    /// Fills the table, and adds access words until every input leads to the row of one.
    fn close(&mut self, teacher: &mut dyn MealyTeacher<Output = OutputSymbol>) -> Result<Mealy, Ended> {
        loop {
            self.fill(teacher)?;
            let mut state_of: FxHashMap<&Row, usize> = FxHashMap::default();
            for (state, row) in self.rows.iter().enumerate() {
                state_of.entry(row).or_insert(state);
            }
            let known = self.rows.len();
            let mut fresh = Vec::new();
            let mut targets = Vec::with_capacity(self.frontier.len());
            for (at, row) in self.frontier.iter().enumerate() {
                let states = known + fresh.len();
                let target = *state_of.entry(row).or_insert(states);
                if target == states {
                    fresh.push([&self.access[at / self.inputs][..], &[at % self.inputs]].concat());
                }
                targets.push(target);
            }
            if fresh.is_empty() {
                let steps = targets.chunks(self.inputs).zip(&self.rows);
                let rows = steps
                    .map(|(targets, row)| targets.iter().zip(row).map(|(&to, cell)| (cell[0], to)).collect());
                return Ok(Mealy::new(self.inputs, rows.collect()));
            }
            self.access.extend(fresh);
        }
    }

    /// Asks for all cells that are open: new rows, and new columns of old rows.
    fn fill(&mut self, teacher: &mut dyn MealyTeacher<Output = OutputSymbol>) -> Result<(), Ended> {
        self.rows.resize(self.access.len(), Vec::new());
        self.frontier.resize(self.access.len() * self.inputs, Vec::new());
        let mut words = Vec::new();
        for (state, access) in self.access.iter().enumerate() {
            words.extend(
                self.suffixes[self.rows[state].len()..].iter().map(|suffix| [&access[..], suffix].concat()),
            );
            for input in 0..self.inputs {
                let known = self.frontier[state * self.inputs + input].len();
                let open = self.suffixes[known..].iter();
                words.extend(open.map(|suffix| [&access[..], &[input], suffix].concat()));
            }
        }
        let mut answers = teacher.ask(&words)?.into_iter();
        let mut fill = |row: &mut Row, before: usize, suffixes: &[InputWord]| {
            while row.len() < suffixes.len() {
                let mut outputs = answers.next().expect("there is an answer for every word");
                row.push(outputs.split_off(before));
            }
        };
        for (state, access) in self.access.iter().enumerate() {
            fill(&mut self.rows[state], access.len(), &self.suffixes);
            for input in 0..self.inputs {
                fill(&mut self.frontier[state * self.inputs + input], access.len() + 1, &self.suffixes);
            }
        }
        Ok(())
    }

    /// Adds a suffix of the counterexample that tells two words apart which `hypothesis` leads to one state.
    fn refine(
        &mut self,
        hypothesis: &Mealy,
        word: InputWord,
        teacher: &mut dyn MealyTeacher<Output = OutputSymbol>,
    ) -> Result<(), Ended> {
        // True if the conjecture is right about the rest of the word after the access word of a state.
        let mut right_after = |cut: usize| -> Result<bool, Ended> {
            let state = hypothesis.run(0, &word[..cut]);
            let rest: &[Symbol] = &word[cut..];
            let asked = [&self.access[state][..], rest].concat();
            let outputs = teacher.ask(std::slice::from_ref(&asked))?.swap_remove(0);
            Ok(outputs[self.access[state].len()..] == hypothesis.outputs(state, rest))
        };
        if right_after(0)? {
            return Err(Ended::Failed(NO_COUNTEREXAMPLE.to_owned()));
        }
        // It is wrong at `low` and right at `high`, so there are neighbors in between where it changes.
        let (mut low, mut high) = (0, word.len());
        while high - low > 1 {
            let middle = low.midpoint(high);
            if right_after(middle)? { high = middle } else { low = middle }
        }
        let suffix = word[high..].to_vec();
        debug_assert!(!self.suffixes.contains(&suffix), "a known suffix tells no more states apart");
        self.suffixes.push(suffix);
        Ok(())
    }
}

/// The complaint about an equivalence check that contradicts its own teacher.
pub(crate) const NO_COUNTEREXAMPLE: &str =
    "the equivalence check gave a word on which the conjecture is right";
