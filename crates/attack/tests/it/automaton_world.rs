//! A world that is an automaton: objects have a state, calls are enabled or refused by it, and nothing is
//! Java.
//!
//! The letters of a plain method are one, those of a method with a boolean answer are two. A call takes the
//! transition of one of its letters; where both answers are possible, the parity of the argument chooses. A
//! call without a transition is refused: it throws.

use std::convert::Infallible;
use std::sync::Arc;

use adit_automata::{Builder, Fsa};
use adit_trace::{
    Argument, CallKind, Callable, End, EventNames, Run, Script, Skip, Snapshot, Statement, Step, StepResult,
    Subject, Value, ValueKind, Vocabulary,
};
use proptest::prelude::*;

/// The name of the constructor and of the class.
pub(crate) const CLASS: &str = "Machine";

/// The class of all exceptions.
const REFUSAL: &str = "Refused";

/// A deterministic automaton whose letters are calls with their answers. Objects begin in state 0.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    pub(crate) methods: Vec<Method>,
    /// For each state and letter, the state that it leads to.
    pub(crate) states: Vec<Vec<Option<usize>>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) name: String,
    /// The letters for `true` and `false`, or one for a call without an answer.
    pub(crate) letters: Letters,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Letters {
    Plain(usize),
    Answer { yes: usize, no: usize },
}

impl Letters {
    pub(crate) fn all(self) -> Vec<usize> {
        match self {
            Self::Plain(letter) => vec![letter],
            Self::Answer { yes, no } => vec![yes, no],
        }
    }
}

impl Automaton {
    /// An automaton with plain methods `a`, `b` … and answering methods `is_a`, `is_b` …; `targets` are the
    /// transitions of each state, letter by letter, where a target beyond the last state means that there is
    /// none.
    pub(crate) fn new(plain: usize, answering: usize, targets: &[Vec<usize>]) -> Self {
        let name = |number: usize| char::from(b'a' + number as u8);
        let mut methods: Vec<Method> =
            (0..plain).map(|at| Method { name: name(at).to_string(), letters: Letters::Plain(at) }).collect();
        methods.extend((0..answering).map(|at| Method {
            name: format!("is_{}", name(at)),
            letters: Letters::Answer { yes: plain + 2 * at, no: plain + 2 * at + 1 },
        }));
        let target = |&target: &usize| (target < targets.len()).then_some(target);
        let states = targets.iter().map(|letters| letters.iter().map(target).collect()).collect();
        Self { methods, states }
    }

    fn label(&self, letter: usize) -> String {
        let owner = self.methods.iter().find(|method| method.letters.all().contains(&letter));
        let Method { name, letters } = owner.expect("every letter belongs to a method");
        match *letters {
            Letters::Plain(_) => name.clone(),
            Letters::Answer { yes, .. } => format!("{name}:{}", if letter == yes { "TRUE" } else { "FALSE" }),
        }
    }

    /// The letters that have a transition from a state.
    pub(crate) fn enabled(&self, state: usize) -> Vec<usize> {
        let letters = self.states[state].iter().enumerate();
        letters.filter(|(_, target)| target.is_some()).map(|(letter, _)| letter).collect()
    }

    /// The states that an object can be in, each with the shortest word that leads there.
    pub(crate) fn reachable(&self) -> Vec<(usize, Vec<String>)> {
        let mut found = vec![(0, vec![CLASS.to_owned()])];
        let mut next = 0;
        while let Some((state, word)) = found.get(next).cloned() {
            for letter in self.enabled(state) {
                let Some(target) = self.states[state][letter] else { continue };
                if found.iter().all(|(known, _)| *known != target) {
                    let mut word = word.clone();
                    word.push(self.label(letter));
                    found.push((target, word));
                }
            }
            next += 1;
        }
        found
    }

    /// The transition that a call takes: its letter and the state that it leads to. Where both answers are
    /// possible, the second is given if the argument is `odd`.
    pub(crate) fn step(&self, state: usize, method: &Method, odd: bool) -> Option<(usize, usize)> {
        let mut letters = method.letters.all();
        if odd {
            letters.reverse();
        }
        letters.into_iter().find_map(|letter| Some((letter, self.states[state][letter]?)))
    }

    /// The methods that a state refuses.
    pub(crate) fn refused(&self, state: usize) -> Vec<&str> {
        let is_refused = |method: &&Method| {
            method.letters.all().iter().all(|&letter| self.states[state][letter].is_none())
        };
        self.methods.iter().filter(is_refused).map(|method| method.name.as_str()).collect()
    }

    /// The automaton in the form in which models are inferred: a first state before the object is made, from
    /// which only the constructor leads on, and in all others a client may stop.
    pub(crate) fn model(&self) -> Fsa<String> {
        let mut builder = Builder::new();
        builder.state(false);
        builder.initial(0);
        for _ in &self.states {
            builder.state(true);
        }
        builder.edge(0, CLASS.to_owned(), 1);
        for (state, letters) in self.states.iter().enumerate() {
            for (letter, target) in letters.iter().enumerate() {
                if let Some(target) = target {
                    builder.edge(state + 1, self.label(letter), target + 1);
                }
            }
        }
        builder.build()
    }

    pub(crate) fn vocabulary(&self) -> Vocabulary {
        let start =
            Callable { answer: ValueKind::Object, ..Callable::new(CallKind::Constructor, CLASS, CLASS) };
        let method = |method: &Method| {
            let plain = Callable::new(CallKind::Method, CLASS, method.name.as_str());
            Arc::new(match method.letters {
                Letters::Plain(_) => plain,
                Letters::Answer { .. } => {
                    Callable { parameters: vec![ValueKind::Int], answer: ValueKind::Bool, ..plain }
                }
            })
        };
        Vocabulary {
            class: CLASS.into(),
            starts: vec![Arc::new(start)],
            methods: self.methods.iter().map(method).collect(),
            names: EventNames::default(),
        }
    }
}

/// Random automata with at most `states` states.
pub(crate) fn automata(states: usize) -> impl Strategy<Value = Automaton> {
    (1..=states, 1..4_usize, 0..3_usize).prop_flat_map(|(states, plain, answering)| {
        // Two transitions in three exist.
        let targets = prop::collection::vec(0..states + states.div_ceil(2), plain + 2 * answering);
        prop::collection::vec(targets, states).prop_map(move |all| Automaton::new(plain, answering, &all))
    })
}

/// Runs scripts on objects that are automata.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) automaton: Automaton,
    /// The fields of an object show its state; otherwise they show nothing.
    pub(crate) shows_state: bool,
}

impl World {
    fn one(&self, script: &Script) -> Run {
        // For each statement that made an object, its state.
        let mut objects: Vec<Option<usize>> = Vec::new();
        let mut steps = Vec::new();
        for (at, statement) in script.statements.iter().enumerate() {
            let made = statement.callable.kind == CallKind::Constructor;
            objects.push(made.then_some(0));
            let object = if made { Some(at) } else { statement.receiver };
            let result = match object.and_then(|object| objects.get_mut(object)?.as_mut()) {
                None => StepResult::Skipped(Skip::NoReceiver),
                Some(_) if made => StepResult::Object { class: CLASS.into(), first: at },
                Some(state) => self.call(statement, state),
            };
            let state = object.and_then(|object| *objects.get(object)?).filter(|_| self.shows_state);
            let fields =
                state.map(|state| Snapshot::new(["state".to_owned()].into(), vec![Value::Int(state as i64)]));
            steps.push(Step { fields, ..Step::new(result) });
        }
        Run { steps, end: End::Complete, leaked: false, passed: None }
    }

    fn call(&self, statement: &Statement, state: &mut usize) -> StepResult {
        let method = self.automaton.methods.iter().find(|method| method.name == statement.callable.name);
        let method = method.unwrap_or_else(|| panic!("{} is no method", statement.callable.name));
        let odd = matches!(statement.args.first(), Some(Argument::Int(number)) if number % 2 != 0);
        let taken = self.automaton.step(*state, method, odd);
        let Some((letter, target)) = taken else { return StepResult::threw(REFUSAL) };
        *state = target;
        StepResult::Returned(match method.letters {
            Letters::Plain(_) => Value::Void,
            Letters::Answer { yes, .. } => Value::Bool(letter == yes),
        })
    }
}

impl Subject for World {
    type Error = Infallible;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
        Ok(batch.iter().map(|script| self.one(script)).collect())
    }
}
