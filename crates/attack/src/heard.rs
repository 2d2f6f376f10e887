//! Runs as words: what each object of the class under test was heard to do.
//!
//! A search reads hundreds of thousands of runs a second, so letters are looked up by callable and outcome, and no event is
//! built. What the letters are called is for [`Labels`] to say, once for each callable and kind of outcome.

use std::sync::Arc;

use adit_trace::{
    Alphabet, CallKind, Callable, Event, Labels, Letter, Outcome, Run, Script, StepResult, Value, ValueKind,
};
use rustc_hash::FxHashMap;

use crate::Api;

/// Turns runs into words over one alphabet.
#[derive(Clone, Debug)]
pub struct Ear {
    alphabet: Alphabet,
    /// The letters of a callable: for `true`, for `false`, for every other end.
    letters: FxHashMap<Arc<Callable>, [Letter; 3]>,
    starts: FxHashMap<Arc<Callable>, ()>,
}

/// What one object did, up to the first call that threw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The statement that first gave the object.
    pub object: usize,
    /// Its events.
    pub word: Vec<Letter>,
    /// The statement of each event.
    pub statements: Vec<usize>,
    /// The statement that threw, if one did. Nothing after it counts: a call that fails may leave anything behind.
    pub threw: Option<usize>,
}

impl Ear {
    /// An ear for the events of this API. Every method that gives a boolean has two letters, all others have one.
    pub fn new(api: &Api) -> Self {
        let mut alphabet = Alphabet::new();
        let mut letters = FxHashMap::default();
        for operation in api.starts.iter().chain(&api.methods) {
            let callable = &operation.callable;
            let mut letter = |value| {
                let event = Event { outcome: Outcome::Returned(value), ..Event::call(callable.event_name()) };
                alphabet.intern(&Labels::Outcome.of(&event))
            };
            let three =
                if operation.callable.kind != CallKind::Constructor && callable.answer == ValueKind::Bool {
                    let (yes, no) = (letter(Value::Bool(true)), letter(Value::Bool(false)));
                    [yes, no, yes]
                } else {
                    [letter(Value::Void); 3]
                };
            letters.insert(callable.clone(), three);
        }
        let starts = api.starts.iter().map(|start| (start.callable.clone(), ())).collect();
        Self { alphabet, letters, starts }
    }

    /// The letters, all of them known from the beginning.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// The letters that calling this may give.
    pub fn letters_of(&self, callable: &Arc<Callable>) -> &[Letter] {
        self.letters
            .get(callable)
            .map_or(&[], |letters| if letters[0] == letters[1] { &letters[..1] } else { &letters[..2] })
    }

    /// Whether a way to make an object gives this letter, or a call on one.
    pub(crate) fn gives(&self, letter: Letter, making: bool) -> bool {
        let mut calls =
            self.letters.iter().filter(|(callable, _)| self.starts.contains_key(*callable) == making);
        calls.any(|(_, letters)| letters.contains(&letter))
    }

    /// The event that a statement was; none if it threw or was not run.
    pub fn letter(&self, callable: &Arc<Callable>, result: &StepResult) -> Option<Letter> {
        let letters = self.letters.get(callable)?;
        match result {
            StepResult::Threw { .. } | StepResult::Unresolved { .. } | StepResult::Skipped(_) => None,
            StepResult::Returned(Value::Bool(true)) => Some(letters[0]),
            StepResult::Returned(Value::Bool(false)) => Some(letters[1]),
            StepResult::Returned(_) | StepResult::Object { .. } => Some(letters[2]),
        }
    }

    /// The words of the objects that the script made of the class, in the order of their appearance.
    pub fn hear(&self, script: &Script, run: &Run) -> Vec<Heard> {
        let mut heard: Vec<Heard> = Vec::new();
        // Which of those heard a statement gave; an object that comes back is the same object.
        let mut gave: Vec<Option<usize>> = Vec::with_capacity(run.steps.len());
        for (at, (step, statement)) in run.steps.iter().zip(&script.statements).enumerate() {
            let mut own = None;
            if let StepResult::Object { first, .. } = &step.result {
                own = gave.get(*first).copied().flatten();
                if *first == at && self.starts.contains_key(&statement.callable) {
                    own = Some(heard.len());
                    heard.push(Heard { object: at, word: Vec::new(), statements: Vec::new(), threw: None });
                }
            }
            gave.push(own);
            let begun = own.is_some_and(|own| heard[own].object == at);
            let who = match statement.callable.kind {
                // A method of something else that gives the object is how it begins.
                CallKind::Method if !begun => {
                    statement.receiver.and_then(|receiver| gave.get(receiver).copied()?)
                }
                _ => own,
            };
            let Some(heard) = who.map(|who| &mut heard[who]) else { continue };
            if heard.threw.is_some() {
                continue;
            }
            if matches!(step.result, StepResult::Threw { .. }) {
                heard.threw = Some(at);
            } else if let Some(letter) = self.letter(&statement.callable, &step.result) {
                heard.word.push(letter);
                heard.statements.push(at);
            }
        }
        heard
    }
}
