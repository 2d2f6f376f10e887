//! Time limit of a script, which adapts to the class.
//!
//! Most scripts take microseconds, and a call that loops takes the whole limit, which is as much as thousands
//! of scripts. A call that has once taken the whole limit is not given it again: from then on it has ten
//! times as long as the longest script of late. So no call counts as hanging that never had its full time,
//! and a method that hangs in some states costs little in the others.
//!
//! The short limit is one of processor time too, because on a busy machine everything takes longer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use adit_trace::Callable;
use rustc_hash::FxHashSet;

/// Number of times that a script may take as long as the longest of late.
const FACTOR: u64 = 10;

/// The least time that a script has. Loading a few classes takes as long.
const LEAST: Duration = Duration::from_millis(40);

/// What the lanes of a host have learned about time.
pub(crate) struct ScriptLimit {
    full: Duration,
    /// Microseconds of the longest script of late; zero if nothing is known.
    longest: AtomicU64,
    hung: Mutex<FxHashSet<Arc<Callable>>>,
}

impl ScriptLimit {
    /// Begins with a limit for every script.
    pub(crate) fn new(full: Duration) -> Self {
        Self { full, longest: AtomicU64::new(0), hung: Mutex::default() }
    }

    /// The time for calls that never hung.
    pub(crate) fn full(&self) -> Duration {
        self.full
    }

    /// The time for calls that have hung before.
    pub(crate) fn short(&self) -> Duration {
        match self.longest.load(Ordering::Relaxed) {
            0 => self.full,
            longest => Duration::from_micros(longest.saturating_mul(FACTOR)).max(LEAST).min(self.full),
        }
    }

    /// Learns how long the longest script of a batch took, which is zero if none was measured. What was seen
    /// before counts half with each batch.
    pub(crate) fn learn(&self, longest: Duration) {
        let longest = u64::try_from(longest.as_micros()).unwrap_or(u64::MAX);
        if longest > 0 {
            let before = self.longest.load(Ordering::Relaxed);
            self.longest.store(longest.max(before / 2), Ordering::Relaxed);
        }
    }

    /// Learns that a call took the full time.
    pub(crate) fn add_hung(&self, callable: Arc<Callable>) {
        self.lock().insert(callable);
    }

    /// Tells whether a call has taken the full time before.
    pub(crate) fn has_hung(&self, callable: &Arc<Callable>) -> bool {
        self.lock().contains(callable)
    }

    fn lock(&self) -> MutexGuard<'_, FxHashSet<Arc<Callable>>> {
        self.hung.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_limit_follows_the_longest_script() {
        let milliseconds = Duration::from_millis;
        let limit = ScriptLimit::new(milliseconds(500));
        assert_eq!(limit.short(), milliseconds(500), "nothing is known");
        let after = |longest| {
            limit.learn(longest);
            limit.short()
        };
        assert_eq!(after(milliseconds(30)), milliseconds(300));
        assert_eq!(after(Duration::ZERO), milliseconds(300), "nothing was measured");
        assert_eq!(after(milliseconds(1)), milliseconds(150), "half of what was seen before");
        assert_eq!(after(milliseconds(90)), milliseconds(500), "never more than the full limit");
        (0..20).for_each(|_| limit.learn(Duration::from_micros(20)));
        assert_eq!(limit.short(), LEAST);
    }
}
