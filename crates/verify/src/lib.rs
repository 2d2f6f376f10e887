//! Client bytecode against typestates: which calls does an object refuse?
//!
//! A [`Typestate`] is a model of a class that adit mined: its states, the calls that each allows, and the
//! calls that each refuses with an exception. The [`Verifier`] runs every method of a client abstractly
//! ([`Verifier::verify`]), follows the objects that have a typestate, and reports the calls that throw:
//! *certainly*, if every way there ends in a refusal, or *possibly*, if some way does. On request it also
//! reports *unchecked* calls: the data decides whether they throw, and the code has not asked.
//!
//! It keeps quiet about what it does not know. An object that unknown code can reach may be in any state
//! afterwards; a state of which the model says nothing allows everything; limits only ever remove findings.
//!
//! This crate opens no files: the caller passes models and classes.

mod analysis;
mod body;
mod comodification;
mod findings;
mod harmless;
mod invoke;
mod library;
mod limits;
mod monitor;
mod outlook;
mod steps;
mod texts;
mod typestate;
mod world;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

pub use analysis::Memory;
pub use findings::{Certainty, ClassReport, Finding, Skipped};
pub use library::{Library, Read};
pub use limits::MOST_STATES;
pub use monitor::{Followed, Monitor, ObservedEnd, Refusal};
pub use typestate::{Facts, MethodFacts, ReceiverScope, Typestate, TypestateError, facts_of};
pub use world::PathEvent;

/// The reason why a method was not analyzed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It has too many instructions or handlers.
    TooLarge,
    /// It has too many paths.
    TooComplex,
    /// Its code makes no sense.
    Damaged,
}

impl Stopped {
    /// The reason in words.
    pub fn reason(self) -> &'static str {
        match self {
            Stopped::TooLarge => "too large",
            Stopped::TooComplex => "too many paths",
            Stopped::Damaged => "damaged bytecode",
        }
    }
}

/// Typestates of several classes, checked at once.
pub struct Verifier {
    typestates: Vec<Typestate>,
    by_class: FxHashMap<Arc<str>, u16>,
    /// The names of all methods that some typestate has.
    names: FxHashSet<Arc<str>>,
    reports_unchecked: bool,
}

impl Verifier {
    /// Creates a verifier. Of several typestates of one class, the last counts.
    pub fn new(typestates: Vec<Typestate>) -> Verifier {
        let by_class = typestates
            .iter()
            .enumerate()
            .map(|(at, typestate)| (typestate.class.clone(), at as u16))
            .collect();
        let names = typestates.iter().flat_map(Typestate::method_names).map(Arc::from).collect();
        Verifier { typestates, by_class, names, reports_unchecked: false }
    }

    /// The same verifier, which also reports unchecked calls.
    pub fn with_unchecked(self) -> Verifier {
        Verifier { reports_unchecked: true, ..self }
    }

    /// The typestates.
    pub fn typestates(&self) -> &[Typestate] {
        &self.typestates
    }

    /// Returns true if the class has a typestate.
    pub fn is_modeled(&self, class: &str) -> bool {
        self.by_class.contains_key(class)
    }

    fn model_of(&self, class: &str) -> Option<u16> {
        self.by_class.get(class).copied()
    }

    fn typestate(&self, model: u16) -> &Typestate {
        &self.typestates[usize::from(model)]
    }
}
