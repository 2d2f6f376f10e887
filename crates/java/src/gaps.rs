//! Gaps: what the generator could not do, for the reader of a model to know.
//!
//! Paper: none; bookkeeping.

use std::sync::Arc;

use adit_bytecode::Type;
use adit_trace::{Callable, ValueKind};

use crate::generate::Known;
use crate::{Generator, TextKinds};

/// So many different exceptions of a method that never returned are counted.
const MOST_FAILURES: usize = 8;

/// A method that was called and never returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeverReturned<'g> {
    /// The method.
    pub callable: &'g Arc<Callable>,
    /// Number of calls that threw or hung.
    pub times: u32,
    /// The class of the most frequent exception, if it threw at all.
    pub exception: Option<&'g str>,
    /// The message of that exception when it was first thrown, if it has one.
    pub message: Option<&'g str>,
    /// The kinds of texts that it was called with; nothing if it takes no text.
    pub texts: Option<TextKinds>,
    /// The types of its parameters of which there is nothing but null, and what was written for the purpose:
    /// functions and stubs.
    pub unmade: Vec<&'g Type>,
}

impl Generator {
    /// The methods that were called and never returned.
    pub fn never_returned(&self) -> impl Iterator<Item = NeverReturned<'_>> {
        let methods = self.methods.iter().map(|&at| &self.calls[at]);
        methods.filter(|known| known.good == 0).filter_map(|known| {
            let times = known.bad.saturating_add(known.hung);
            // Of equals the first.
            let most = known.failures.iter().rev().max_by_key(|(.., count)| *count);
            let exception = most.map(|(class, ..)| &**class);
            let message = most.and_then(|(_, message, _)| message.as_deref());
            let texts = known.callable.parameters.contains(&ValueKind::Text).then_some(known.texts);
            let unmade = known.parameters.iter().filter(|&&wanted| !self.sources[wanted].has_real());
            let unmade = unmade.map(|&wanted| &self.types[wanted]).collect();
            let callable = &known.callable;
            (times > 0).then_some(NeverReturned { callable, times, exception, message, texts, unmade })
        })
    }

    /// The kinds of texts that the scripts handed over so far.
    pub fn texts_tried(&self) -> TextKinds {
        self.texts
    }

    /// Tells whether a method of the class, or a start, takes a text.
    pub fn takes_texts(&self) -> bool {
        let mut calls = self.calls[..self.own_calls()].iter();
        calls.any(|known| known.callable.parameters.contains(&ValueKind::Text))
    }
}

impl Known {
    /// Counts an exception, as long as the call never returned.
    pub(crate) fn note_failure(&mut self, class: &Arc<str>, message: Option<&str>) {
        if self.good > 0 {
            // Memory that is of no more use.
            self.failures = Vec::new();
            return;
        }
        if let Some((.., count)) = self.failures.iter_mut().find(|(known, ..)| known == class) {
            *count = count.saturating_add(1);
        } else if self.failures.len() < MOST_FAILURES {
            self.failures.push((class.clone(), message.map(Into::into), 1));
        }
    }
}
