//! Tries on the class what TEMI only guesses.
//!
//! In every state, every method is called on objects that are in that state, with many arguments, whether the
//! invariants allow it or not. What happens is added to the log, and the model is made anew: an invariant
//! that was violated is gone, and a transition that was taken is required. A method that was tried often
//! enough in a state refutes the guesses about it. When the budget ends, the other guesses stay *maybe*.
//!
//! Paper: none; `krka` leaves guesses to the reader.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_automata::{Builder, Fsa, Modality, State};
use adit_smt::Solver;
use adit_trace::{Author, Callable, Letter, Script};
use miette::Report;
use rand::seq::IndexedRandom;

use super::log::Log;
use super::{Round, StateModel};
use crate::from_states::{FromStates, Solved};
use crate::output::counted;

/// Calls of a method in a state after which nothing new is expected of it there.
const TRIES: u32 = 24;

/// Calls of a method in a state that are made before the model is made anew.
const TRIES_IN_A_TURN: u32 = 4;

/// Ways to a state that are remembered.
const WAYS: usize = 60;

/// Turns after which guesses that still change are left alone.
const TURNS: usize = 40;

/// The result of trying.
#[derive(Default)]
pub(super) struct Confirmed {
    /// Number of calls of each method in each state; the state by what holds in it.
    tries: BTreeMap<(Vec<String>, Arc<Callable>), u32>,
    /// The methods that give a letter.
    methods: BTreeMap<Letter, Vec<Arc<Callable>>>,
}

impl Round<'_> {
    /// Tries guesses until none is left or the budget ends, and returns the model that is then known.
    pub(super) fn confirm(
        &mut self,
        log: &mut Log,
        mut found: StateModel,
        solver: &mut dyn Solver,
    ) -> Result<(StateModel, Confirmed), Report> {
        let mut confirmed = Confirmed::default();
        let methods: Vec<Arc<Callable>> = self.calls.vocabulary.methods.clone();
        for method in &methods {
            for &letter in self.calls.reader.letters_of(method) {
                confirmed.methods.entry(letter).or_default().push(method.clone());
            }
        }
        for _ in 0..TURNS {
            if self.pace.over().is_some() {
                break;
            }
            let scripts = self.attempts(&found, log, &methods, &mut confirmed);
            if scripts.is_empty() {
                break;
            }
            let before = log.len();
            self.record_states(log, &scripts)?;
            if log.len() > before {
                found = self.model_of(log, FromStates::Temi, solver)?;
            }
        }
        Ok((found, confirmed))
    }

    /// Scripts that call methods in states where they were not called often enough.
    fn attempts(
        &mut self,
        found: &StateModel,
        log: &Log,
        methods: &[Arc<Callable>],
        confirmed: &mut Confirmed,
    ) -> Vec<Script> {
        let mut scripts = Vec::new();
        let Some(solved) = &found.solved else { return scripts };
        for (holds, ways) in ways(solved, log) {
            for method in methods {
                let tries = confirmed.tries.entry((holds.clone(), method.clone())).or_insert(0);
                for _ in 0..TRIES_IN_A_TURN.min(TRIES.saturating_sub(*tries)) {
                    *tries += 1;
                    let Some(&(trace, at)) = ways.choose(&mut self.rng) else { continue };
                    let source = &log.sources()[trace];
                    let end = source.statements[at];
                    let beginning = Script { statements: source.script.statements[..=end].to_vec() };
                    let author = &*self.calls.generator;
                    scripts.extend(author.extend(&beginning, source.object, method, &mut self.rng));
                }
            }
        }
        scripts
    }
}

/// For each state, by what holds in it, some beginnings of recorded objects that lead to it: the object, and
/// the event that they end with.
fn ways(solved: &Solved, log: &Log) -> BTreeMap<Vec<String>, Vec<(usize, usize)>> {
    let mut ways: BTreeMap<Vec<String>, Vec<(usize, usize)>> = BTreeMap::new();
    for (trace, (path, source)) in solved.paths.iter().zip(log.sources()).enumerate() {
        for (at, &situation) in path.iter().enumerate().take(source.word.len()) {
            let known = ways.entry(solved.situations[situation].clone()).or_default();
            if known.len() < WAYS {
                known.push((trace, at));
            }
        }
    }
    ways
}

impl Confirmed {
    /// The model without guesses about methods that were tried often enough.
    pub(super) fn without_refuted(&self, model: &Fsa<Letter>) -> Fsa<Letter> {
        let mut builder = Builder::new();
        for state in model.states() {
            let number = builder.state(model.is_accepting(state));
            builder.predicates(number, model.predicates(state).to_vec());
        }
        model.initial().iter().for_each(|&state| builder.initial(state));
        model.alphabet().iter().for_each(|&letter| builder.label(letter));
        for edge in model.all_edges().filter(|edge| {
            edge.modality == Modality::Required || !self.refutes(model, edge.from, *edge.label)
        }) {
            builder.modal_edge(edge.from, *edge.label, edge.to, edge.modality);
        }
        builder.build().breadth_first()
    }

    fn refutes(&self, model: &Fsa<Letter>, from: State, letter: Letter) -> bool {
        let holds = model.predicates(from).to_vec();
        let tried = |method: &Arc<Callable>| {
            self.tries.get(&(holds.clone(), method.clone())).is_some_and(|&tries| tries >= TRIES)
        };
        self.methods.get(&letter).is_some_and(|methods| methods.iter().all(tried))
    }

    /// Says what became of the guesses.
    pub(super) fn told(&self, model: &Fsa<Letter>) -> String {
        let pairs: BTreeSet<(State, Letter, State, bool)> = model
            .all_edges()
            .map(|edge| (edge.from, *edge.label, edge.to, edge.modality == Modality::Required))
            .collect();
        let required = pairs.iter().filter(|pair| pair.3).count();
        let refuted = pairs.iter().filter(|pair| !pair.3 && self.refutes(model, pair.0, pair.1)).count();
        let maybe = pairs.len() - required - refuted;
        format!(
            "{} seen, {refuted} refuted by {TRIES} calls each, {maybe} still maybe",
            counted(required, "transition")
        )
    }
}
