//! The guide of a campaign: a model that says where a session is, or, without one, the last code.
//!
//! Paper: `dice`, section 5.5: a mined model is the state machine of a protocol fuzzer, and a request that
//! the server answers with an error leaves the state as it was.
//! Deviation: the alphabet says which events are which requests, per label whether an error keeps the state,
//! and success without a transition is reported as a contradiction instead of changing the model. Where it
//! leads is a place of its own.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use adit_automata::{Fsa, NOT_EXPLORED, State};
use adit_suggest::nearest;
use adit_trace::Label;
use miette::Diagnostic;
use thiserror::Error;

use crate::alphabet::{Alphabet, AnswerClass};
use crate::session::Exchange;

/// Failure to use a model with an alphabet.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum GuideError {
    /// The model has labels that no label of the alphabet stands for.
    #[error("the alphabet lacks {}", listed(labels))]
    #[diagnostic(help("{help}"))]
    UnknownLabels {
        /// The labels.
        labels: Vec<String>,
        /// Advice.
        help: String,
    },
    /// The model has no such state.
    #[error("the model has no state `{name}`, in which the alphabet's sessions start")]
    #[diagnostic(help("change `start_state` in the `[session]` of the alphabet file, or remove it"))]
    NoStartState {
        /// The name.
        name: String,
    },
    /// The model has no initial state, or no label of it can be sent.
    #[error("the model says nothing about a session: {why}")]
    #[diagnostic(help("mine or learn a model of the server or of a client first"))]
    Empty {
        /// The reason.
        why: &'static str,
    },
    /// The model has too many sets of states in which it can be.
    #[error("the model is too ambiguous: it has more than {limit} sets of states in which a session can be")]
    #[diagnostic(help("make it deterministic first: `adit convert model.json small.json --minimize`"))]
    TooAmbiguous {
        /// The limit.
        limit: usize,
    },
}

fn listed(labels: &[String]) -> String {
    let quoted: Vec<String> = labels.iter().take(8).map(|label| format!("`{label}`")).collect();
    let more = if labels.len() > 8 { ", …" } else { "" };
    match labels.len() {
        1 => format!("a label of the model: {}", quoted[0]),
        count => format!("{count} labels of the model: {}{more}", quoted.join(", ")),
    }
}

/// The answer that a transition of a model expects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Expected {
    Success,
    Refusal,
    /// The server reads the message and answers nothing.
    Silence,
    Code(String),
}

impl Expected {
    fn class(&self, alphabet: &Alphabet) -> AnswerClass {
        match self {
            Self::Success => AnswerClass::Ok,
            Self::Refusal => AnswerClass::Error,
            Self::Silence => AnswerClass::Silent,
            Self::Code(code) => alphabet.answers.class_of(code),
        }
    }

    fn is_success(&self, alphabet: &Alphabet) -> bool {
        self.class(alphabet).is_success()
    }
}

/// The opinion of a model about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgment {
    /// The model expects it.
    Agrees,
    /// The model says that the label is possible here, and the server refused it.
    Refused,
    /// The model says that the label is not possible here, and the server did it.
    Unexpected,
    /// The model does not know.
    NoOpinion,
}

/// The guide of a campaign.
#[derive(Clone, Debug)]
pub enum Guide {
    /// A model, made deterministic.
    Model(ModelGuide),
    /// No model: a state is the code of the last answer, as in AFLNet.
    Codes,
}

/// Place of a session: a state of the model, or a code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionPlace {
    /// A state of the model, by its number.
    State(u32),
    /// A state of the model in which the server waits for what follows this label. The model has the label as
    /// a loop, and the answer was of the class `more`.
    Pending(u32, usize),
    /// A state that the model does not have: in this state of the model the server did what the model says is
    /// not possible.
    Beyond(u32, usize),
    /// Any other state that the model does not have.
    Off,
    /// After an answer with this code; empty at the start.
    Code(String),
}

/// A model over the labels of an alphabet.
#[derive(Clone, Debug)]
pub struct ModelGuide {
    start: u32,
    steps: Vec<Vec<(usize, Expected, u32)>>,
    names: Vec<String>,
    known: BTreeSet<usize>,
    /// States of which the model says nothing but that they can be reached.
    unexplored: Vec<bool>,
    /// The shortest way to each state, for those that can be reached.
    ways: Vec<Option<Vec<usize>>>,
}

/// Most states of a model that was made deterministic.
const MOST_STATES: usize = 20_000;

impl ModelGuide {
    /// Prepares a model, whose labels must be labels or events of the alphabet.
    pub fn new(model: &Fsa<String>, alphabet: &Alphabet) -> Result<Self, GuideError> {
        let letters = letters(model, alphabet)?;
        let initial: Vec<State> = match &alphabet.session.start_state {
            None => model.initial().to_vec(),
            Some(name) => {
                let named = |state: &State| model.name(*state) == Some(name) || state.to_string() == *name;
                let found: Vec<State> = model.states().filter(named).collect();
                if found.is_empty() {
                    return Err(GuideError::NoStartState { name: name.clone() });
                }
                found
            }
        };
        if initial.is_empty() {
            return Err(GuideError::Empty { why: "it has no initial state" });
        }
        let start = closed(model, &letters, initial);
        let mut numbers = BTreeMap::from([(start.clone(), 0)]);
        let mut sets = vec![start];
        let mut steps: Vec<Vec<(usize, Expected, u32)>> = Vec::new();
        while steps.len() < sets.len() {
            let set = sets[steps.len()].clone();
            let mut targets: BTreeMap<(usize, Expected), BTreeSet<State>> = BTreeMap::new();
            for step in set.iter().flat_map(|&state| model.steps(state)) {
                if let Letter::Sends(label, expected) = &letters[step.letter as usize] {
                    targets.entry((*label, expected.clone())).or_default().insert(step.to as State);
                }
            }
            let mut own = Vec::new();
            for ((label, expected), to) in targets {
                let to = closed(model, &letters, to);
                let fresh = numbers.len() as u32;
                let number = *numbers.entry(to.clone()).or_insert(fresh);
                if number == fresh {
                    sets.push(to);
                }
                own.push((label, expected, number));
            }
            steps.push(own);
            if sets.len() > MOST_STATES {
                return Err(GuideError::TooAmbiguous { limit: MOST_STATES });
            }
        }
        let known: BTreeSet<usize> = steps.iter().flatten().map(|(label, ..)| *label).collect();
        if known.is_empty() {
            return Err(GuideError::Empty { why: "none of its labels can be sent" });
        }
        let name = |set: &BTreeSet<State>| {
            let one = |&state: &State| model.name(state).map_or_else(|| format!("q{state}"), str::to_owned);
            set.iter().map(one).collect::<Vec<_>>().join("+")
        };
        let names = sets.iter().map(name).collect();
        let is_unexplored = |&state: &State| model.name(state) == Some(NOT_EXPLORED);
        let unexplored = sets.iter().map(|set| set.iter().any(is_unexplored)).collect();
        let mut guide = Self { start: 0, steps, names, known, unexplored, ways: Vec::new() };
        guide.ways = guide.ways_from(guide.start, alphabet);
        Ok(guide)
    }

    /// The shortest way from a state to every other one.
    fn ways_from(&self, start: u32, alphabet: &Alphabet) -> Vec<Option<Vec<usize>>> {
        let mut ways: Vec<Option<Vec<usize>>> = vec![None; self.steps.len()];
        ways[start as usize] = Some(Vec::new());
        let mut queue = VecDeque::from([start]);
        while let Some(state) = queue.pop_front() {
            for (label, expected, to) in &self.steps[state as usize] {
                let sendable = !alphabet.labels[*label].forbidden && expected.is_success(alphabet);
                if sendable && ways[*to as usize].is_none() {
                    let mut way = ways[state as usize].clone().expect("states in the queue have a way");
                    way.push(*label);
                    ways[*to as usize] = Some(way);
                    queue.push_back(*to);
                }
            }
        }
        ways
    }

    /// The states that can be reached, with the shortest way to each.
    pub fn reachable(&self) -> impl Iterator<Item = (u32, &[usize])> {
        let ways = self.ways.iter().enumerate().filter(|(state, _)| !self.unexplored[*state]);
        ways.filter_map(|(state, way)| Some((state as u32, way.as_deref()?)))
    }

    /// Labels that are possible in a state, and where they lead.
    pub fn possible<'s>(
        &'s self,
        state: u32,
        alphabet: &'s Alphabet,
    ) -> impl Iterator<Item = (usize, u32)> + 's {
        self.steps[state as usize]
            .iter()
            .filter(|(label, expected, _)| {
                expected.is_success(alphabet) && !alphabet.labels[*label].forbidden
            })
            .map(|(label, _, to)| (*label, *to))
    }

    /// Tells whether the server reads this label in this state and answers nothing.
    pub fn is_silent(&self, state: u32, label: usize) -> bool {
        let mut steps = self.steps[state as usize].iter();
        steps.any(|(own, expected, _)| *own == label && *expected == Expected::Silence)
    }

    /// The shortest way from one state to another.
    pub fn way(&self, from: u32, to: u32, alphabet: &Alphabet) -> Option<Vec<usize>> {
        let mut before: BTreeMap<u32, (u32, usize)> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            if state == to {
                let mut way = Vec::new();
                let mut at = to;
                while at != from {
                    let (earlier, label) = before[&at];
                    way.push(label);
                    at = earlier;
                }
                way.reverse();
                return Some(way);
            }
            for (label, next) in self.possible(state, alphabet) {
                if next != from
                    && let Entry::Vacant(free) = before.entry(next)
                {
                    free.insert((state, label));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// The state after a label that the server does, if the model has it there.
    pub fn next(&self, state: u32, label: usize, alphabet: &Alphabet) -> Option<u32> {
        self.possible(state, alphabet).find(|(own, _)| *own == label).map(|(_, to)| to)
    }

    /// Tells whether the state stays as it is if the server refuses the label.
    pub fn error_keeps(&self, state: u32, label: usize, alphabet: &Alphabet) -> bool {
        let mut refusals = (self.steps[state as usize].iter())
            .filter(|(own, expected, _)| *own == label && !expected.is_success(alphabet));
        match refusals.next() {
            Some((_, _, to)) => *to == state && refusals.all(|(_, _, to)| *to == state),
            None => alphabet.labels[label].error_keeps_state.unwrap_or(alphabet.answers.error_keeps_state),
        }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns false: a model has at least one state.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    fn step(&self, state: u32, exchange: &Exchange, alphabet: &Alphabet) -> (SessionPlace, Judgment) {
        let label = &alphabet.labels[exchange.label];
        let own: Vec<&(usize, Expected, u32)> =
            self.steps[state as usize].iter().filter(|(label, ..)| *label == exchange.label).collect();
        let class = exchange.class;
        let exact = own.iter().find(|(_, expected, _)| *expected == Expected::Code(exchange.code.clone()));
        let similar = || {
            own.iter().find(|(_, expected, _)| {
                let expected = expected.class(alphabet);
                let silent = expected == AnswerClass::Silent || exchange.is_silent(alphabet);
                expected == class || (!silent && expected.is_success() && class.is_success())
            })
        };
        if let Some((_, _, to)) = exact.or_else(similar) {
            let place = match self.unexplored[*to as usize] {
                true => SessionPlace::Off,
                false if class == AnswerClass::More && *to == state => {
                    SessionPlace::Pending(state, exchange.label)
                }
                false => SessionPlace::State(*to),
            };
            return (place, Judgment::Agrees);
        }
        let kept = label.error_keeps_state.unwrap_or(alphabet.answers.error_keeps_state);
        let after_error = if kept { SessionPlace::State(state) } else { SessionPlace::Off };
        let possible = own.iter().any(|(_, expected, _)| expected.is_success(alphabet));
        match class {
            // A label that the model never mentions says nothing about its states.
            _ if !self.known.contains(&exchange.label) => (SessionPlace::State(state), Judgment::NoOpinion),
            AnswerClass::Error if possible => (after_error, Judgment::Refused),
            AnswerClass::Error => (after_error, Judgment::Agrees),
            // A server that reads a text takes what comes for a part of it.
            AnswerClass::Silent if exchange.is_silent(alphabet) => {
                (SessionPlace::State(state), Judgment::NoOpinion)
            }
            AnswerClass::Ok | AnswerClass::More | AnswerClass::Silent => {
                (SessionPlace::Beyond(state, exchange.label), Judgment::Unexpected)
            }
            AnswerClass::Preliminary | AnswerClass::Other => (SessionPlace::Off, Judgment::NoOpinion),
        }
    }
}

impl Guide {
    /// The state of the model at a place.
    pub fn state(place: &SessionPlace) -> Option<u32> {
        match place {
            SessionPlace::State(state) | SessionPlace::Pending(state, _) => Some(*state),
            SessionPlace::Beyond(..) | SessionPlace::Off | SessionPlace::Code(_) => None,
        }
    }

    /// Tells whether the model has a label at a place.
    pub fn has(&self, place: &SessionPlace, label: usize, alphabet: &Alphabet) -> bool {
        match (self, Self::state(place)) {
            (Self::Model(model), Some(state)) => model.next(state, label, alphabet).is_some(),
            _ => false,
        }
    }

    /// The place at the start of a session.
    pub fn start(&self) -> SessionPlace {
        match self {
            Self::Model(model) => SessionPlace::State(model.start),
            Self::Codes => SessionPlace::Code(String::new()),
        }
    }

    /// The place after an exchange, and the model's opinion of the answer.
    pub fn step(
        &self,
        place: &SessionPlace,
        exchange: &Exchange,
        alphabet: &Alphabet,
    ) -> (SessionPlace, Judgment) {
        match (self, place) {
            (Self::Model(model), SessionPlace::State(state) | SessionPlace::Pending(state, _)) => {
                model.step(*state, exchange, alphabet)
            }
            (Self::Model(_), SessionPlace::Beyond(..)) => (place.clone(), Judgment::NoOpinion),
            (Self::Model(_), _) => (SessionPlace::Off, Judgment::NoOpinion),
            (Self::Codes, _) if exchange.code.is_empty() => (place.clone(), Judgment::NoOpinion),
            (Self::Codes, _) => (SessionPlace::Code(exchange.code.clone()), Judgment::NoOpinion),
        }
    }

    /// Name of a place.
    pub fn name(&self, place: &SessionPlace) -> String {
        match (self, place) {
            (Self::Model(model), SessionPlace::State(state) | SessionPlace::Pending(state, _)) => {
                model.names.get(*state as usize).cloned().unwrap_or_else(|| format!("q{state}"))
            }
            (Self::Codes, SessionPlace::State(state) | SessionPlace::Pending(state, _)) => {
                format!("q{state}")
            }
            (_, SessionPlace::Off | SessionPlace::Beyond(..)) => "off the model".to_owned(),
            (_, SessionPlace::Code(code)) if code.is_empty() => "start".to_owned(),
            (_, SessionPlace::Code(code)) => format!("after {code}"),
        }
    }
}

/// Meaning of a letter of the model.
enum Letter {
    Sends(usize, Expected),
    Nothing,
}

fn letters(model: &Fsa<String>, alphabet: &Alphabet) -> Result<Vec<Letter>, GuideError> {
    let mut unknown = Vec::new();
    let mut letters = Vec::new();
    for text in model.alphabet() {
        match letter(text, alphabet) {
            Some(letter) => letters.push(letter),
            None => unknown.push(text.clone()),
        }
    }
    let Some(first) = unknown.first() else { return Ok(letters) };
    let names = alphabet.labels.iter().flat_map(|label| std::iter::once(&label.name).chain(&label.events));
    let near = nearest(event_of(first).0, names.map(String::as_str));
    let help = match near {
        Some(near) => format!("did you mean `{near}`? otherwise add `{first}` to the `events` of a label"),
        None => format!(
            "add `{first}` to the `events` of a label, or to `silent_events` if the client sends nothing"
        ),
    };
    Err(GuideError::UnknownLabels { labels: unknown, help })
}

/// An event without its outcome, and the outcome.
fn event_of(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once('/') {
        // Input and output of a Mealy machine.
        Some((input, output)) if !input.is_empty() && !output.is_empty() => (input, Some(output)),
        _ => (Label::parse(text).method(), None),
    }
}

fn letter(text: &str, alphabet: &Alphabet) -> Option<Letter> {
    let find = |event: &str| {
        let plain = Label::parse(event).name();
        alphabet.label_of_event(event).or_else(|| alphabet.label_of_event(plain))
    };
    let is_silent = |event: &str| {
        let plain = Label::parse(event).name();
        alphabet.silent_events.iter().any(|silent| silent == event || silent == plain)
    };
    let parsed = Label::parse(text);
    if let Some(label) = find(parsed.method()) {
        let refused = parsed.threw().is_some() || parsed.answer() == Some(false);
        return Some(Letter::Sends(label, if refused { Expected::Refusal } else { Expected::Success }));
    }
    if is_silent(parsed.method()) {
        return Some(Letter::Nothing);
    }
    let (event, outcome) = event_of(text);
    if is_silent(event) {
        return Some(Letter::Nothing);
    }
    let expected = match outcome? {
        "ok" | "more" | "true" => Expected::Success,
        "silent" => Expected::Silence,
        "error" | "false" | "blocked" | "skipped" => Expected::Refusal,
        output if output.starts_with('!') => Expected::Refusal,
        code => Expected::Code(code.to_owned()),
    };
    Some(Letter::Sends(find(event)?, expected))
}

/// The states and all that silent events lead to.
fn closed(
    model: &Fsa<String>,
    letters: &[Letter],
    states: impl IntoIterator<Item = State>,
) -> BTreeSet<State> {
    let mut all = BTreeSet::new();
    let mut todo: Vec<State> = states.into_iter().collect();
    while let Some(state) = todo.pop() {
        if all.insert(state) {
            let silent =
                |step: &&adit_automata::Step| matches!(letters[step.letter as usize], Letter::Nothing);
            todo.extend(model.steps(state).iter().filter(silent).map(|step| step.to as State));
        }
    }
    all
}
