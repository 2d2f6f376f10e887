//! Time limit of a script, which adapts to the class.
//!
//! Most scripts take microseconds, and a call that loops takes the whole limit, which is as much as thousands
//! of scripts. So each time that a call takes its whole limit, it has half as long the next time, down to ten
//! times the longest script of late, and never less than ten times the longest time in which it returned: a
//! method that hangs in some states costs little, and one that is slow is not taken for one that hangs. Where
//! several calls hang, others probably do for the same reason (an endless stream has twenty methods that
//! read all of it), so that a call which has not hung yet has less time too.
//!
//! The short limit is one of processor time too, because on a busy machine everything takes longer.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use adit_trace::Callable;
use rustc_hash::FxHashMap;

/// Number of times that a script may take as long as the longest of late.
const FACTOR: u64 = 10;

/// The least time that a script has. Loading a few classes takes as long.
const LEAST: Duration = Duration::from_millis(40);

/// The least time for calls that have not hung themselves.
const LEAST_UNTRIED: Duration = Duration::from_millis(80);

/// What the lanes of a host have learned about time.
pub(crate) struct ScriptLimit {
    full: Duration,
    /// Microseconds of the longest script of late; zero if nothing is known.
    longest: AtomicU64,
    calls: Mutex<FxHashMap<Arc<Callable>, CallTimes>>,
    /// Number of times that any call took its whole limit.
    hangs: AtomicU32,
}

/// What is known of a call that was slow or hung.
#[derive(Clone, Copy, Default)]
struct CallTimes {
    /// Number of times that it took its whole limit.
    hangs: u32,
    /// The longest time in which it returned, if that was long.
    longest: Duration,
}

impl ScriptLimit {
    /// Begins with a limit for every script.
    pub(crate) fn new(full: Duration) -> Self {
        Self { full, longest: AtomicU64::new(0), calls: Mutex::default(), hangs: AtomicU32::new(0) }
    }

    /// The time for calls that never hung.
    pub(crate) fn full(&self) -> Duration {
        self.full
    }

    /// The least time that any call has.
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

    /// Learns that a call took all of its time.
    pub(crate) fn add_hung(&self, callable: Arc<Callable>) {
        self.hangs.fetch_add(1, Ordering::Relaxed);
        self.change(callable, |times| times.hangs += 1);
    }

    /// Learns how long a call took that returned, if that was long.
    pub(crate) fn add_slow(&self, callable: Arc<Callable>, time: Duration) {
        self.change(callable, |times| times.longest = times.longest.max(time));
    }

    /// The time that a call has.
    pub(crate) fn of(&self, callable: &Arc<Callable>) -> Duration {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let times = calls.get(callable).copied().unwrap_or_default();
        let after =
            |hangs: u32| self.full.checked_div(1_u32.checked_shl(hangs).unwrap_or(0)).unwrap_or_default();
        let among_others = after(self.hangs.load(Ordering::Relaxed)).max(LEAST_UNTRIED);
        let halved = after(times.hangs).min(if times.hangs == 0 { among_others } else { Duration::MAX });
        let usual = times.longest.saturating_mul(FACTOR as u32);
        halved.max(usual).max(self.short()).min(self.full)
    }

    fn change(&self, callable: Arc<Callable>, change: impl FnOnce(&mut CallTimes)) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        change(calls.entry(callable).or_default());
    }
}

#[cfg(test)]
mod tests {
    use adit_trace::CallKind;

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

    #[test]
    fn a_call_that_hangs_has_less_time_unless_it_is_slow() {
        let limit = ScriptLimit::new(Duration::from_millis(480));
        limit.learn(Duration::from_micros(20));
        let [hangs, slow] =
            ["hangs", "slow"].map(|name| Arc::new(Callable::new(CallKind::Method, "C", name)));
        limit.add_slow(slow.clone(), Duration::from_millis(20));
        let after = |callable: &Arc<Callable>| {
            limit.add_hung(callable.clone());
            limit.of(callable).as_millis()
        };
        assert_eq!(limit.of(&hangs), limit.full());
        assert_eq!([(); 5].map(|()| after(&hangs)), [240, 120, 60, 40, 40]);
        assert_eq!([(); 3].map(|()| after(&slow)), [240, 200, 200]);
        (0..40).for_each(|_| limit.add_hung(hangs.clone()));
        assert_eq!(limit.of(&hangs), LEAST, "also after very many");
    }

    #[test]
    fn where_calls_hang_others_have_less_time() {
        let limit = ScriptLimit::new(Duration::from_millis(480));
        limit.learn(Duration::from_micros(20));
        let calls =
            ["a", "b", "c", "d", "e"].map(|name| Arc::new(Callable::new(CallKind::Method, "C", name)));
        let first = calls.each_ref().map(|call| {
            let allowed = limit.of(call).as_millis();
            limit.add_hung(call.clone());
            allowed
        });
        assert_eq!(first, [480, 240, 120, 80, 80]);
    }
}
