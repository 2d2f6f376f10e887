//! Slow calls: what a subject tells an author about time.
//!
//! Runs say nothing about time, because equal scripts must have equal runs. But a value that takes a tenth of
//! a second to make costs as much as thousands of scripts, and an author who knows that makes another.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Script;

/// So many are kept until the author asks. It learns nothing from more.
const MOST: usize = 64;

/// Calls that took long. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct SlowCalls(Arc<Kept>);

#[derive(Debug, Default)]
struct Kept {
    is_filled: AtomicBool,
    calls: Mutex<Vec<(Script, usize)>>,
}

impl SlowCalls {
    /// Adds the statement with this number.
    pub fn add(&self, script: &Script, statement: usize) {
        let mut calls = self.0.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() < MOST {
            calls.push((script.clone(), statement));
            self.0.is_filled.store(true, Ordering::Release);
        }
    }

    /// Takes all that were added. Costs next to nothing if there is none.
    pub fn take(&self) -> Vec<(Script, usize)> {
        if !self.0.is_filled.swap(false, Ordering::Acquire) {
            return Vec::new();
        }
        std::mem::take(&mut *self.0.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_what_is_added_and_it_is_taken_once() {
        let (subject, script) = (SlowCalls::default(), Script { statements: Vec::new() });
        let author = subject.clone();
        (0..MOST + 5).for_each(|at| subject.add(&script, at));
        let taken = author.take();
        assert_eq!(taken.len(), MOST);
        assert_eq!(taken[3], (script.clone(), 3));
        assert!(author.take().is_empty());
        subject.add(&script, 7);
        assert_eq!(author.take(), [(script, 7)]);
    }
}
