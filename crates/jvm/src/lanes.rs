//! Division of a batch among workers, by how long scripts took of late.
//!
//! Scripts of microseconds go to few workers in large chunks, because handing over a chunk takes longer than
//! a script. Scripts of milliseconds go to all workers, a few at a time. Scripts that mostly wait, for
//! another thread or for a time to pass, take no processor, so there are more workers than processors for
//! them.
//!
//! Cost: two looks at a clock for each chunk.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Time that a chunk should take at least, in which handing it over does not count.
const CHUNK: Duration = Duration::from_micros(300);

/// Time that a chunk should take at most, so that workers end at about the same time.
const LONG_CHUNK: Duration = Duration::from_millis(5);

/// Chunks for each worker, if they are long enough: one may have the scripts that take long.
const CHUNKS: u64 = 3;

/// Time of a script before any was run. It only divides the first batch.
const USUAL: Duration = Duration::from_micros(50);

/// Average times of scripts: the last chunk counts an eighth.
#[derive(Default)]
pub(crate) struct ScriptTimes {
    /// Nanoseconds that a script took, and nanoseconds of processor time; zero if none was run.
    taken: AtomicU64,
    used: AtomicU64,
}

/// Division of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Division {
    /// Number of workers.
    pub(crate) lanes: usize,
    /// Number of scripts that each is given at once.
    pub(crate) chunk: usize,
}

impl ScriptTimes {
    /// Learns what so many scripts took.
    pub(crate) fn learn(&self, scripts: usize, taken: Duration, used: Duration) {
        let Ok(scripts) = u64::try_from(scripts) else { return };
        if scripts == 0 {
            return;
        }
        for (average, time) in [(&self.taken, taken), (&self.used, used)] {
            let new = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX) / scripts;
            let old = average.load(Ordering::Relaxed);
            // Many scripts say more than one: a batch of one may be one that hangs.
            let share = (scripts / 4).clamp(1, 8).min(if old == 0 { 1 } else { 8 });
            let mixed = if old == 0 { new } else { old - old / 16 * share + new / 16 * share };
            average.store(mixed.max(1), Ordering::Relaxed);
        }
    }

    /// Divides a batch. There are `workers` for scripts that compute and `waiting` for those that wait; a
    /// worker is given no more than `most` scripts at once.
    pub(crate) fn divide(&self, scripts: usize, workers: usize, waiting: usize, most: usize) -> Division {
        let taken = match self.taken.load(Ordering::Relaxed) {
            0 => USUAL.as_nanos() as u64,
            taken => taken,
        };
        let used = self.used.load(Ordering::Relaxed).max(1);
        // As many as keep all processors busy.
        let busy = usize::try_from((workers as u64).saturating_mul(taken) / used).unwrap_or(usize::MAX);
        let lanes = busy.clamp(workers.max(1), waiting.max(workers).max(1));
        let all = (scripts as u64).saturating_mul(taken);
        let (shortest, longest) = (CHUNK.as_nanos() as u64, LONG_CHUNK.as_nanos() as u64);
        let time = (all / (lanes as u64 * CHUNKS)).clamp(shortest, longest);
        let chunk = usize::try_from(time / taken).unwrap_or(usize::MAX).clamp(1, most.max(1));
        Division { lanes: lanes.min(scripts.div_ceil(chunk)).max(1), chunk }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICROSECOND: Duration = Duration::from_micros(1);

    fn after(taken: Duration, used: Duration, scripts: usize) -> Division {
        let times = ScriptTimes::default();
        times.learn(100, 100 * taken, 100 * used);
        times.divide(scripts, 2, 8, 500)
    }

    #[test]
    fn quick_scripts_go_to_few_workers() {
        assert_eq!(after(5 * MICROSECOND, 5 * MICROSECOND, 60), Division { lanes: 1, chunk: 60 });
        assert_eq!(after(5 * MICROSECOND, 5 * MICROSECOND, 1024), Division { lanes: 2, chunk: 170 });
        assert_eq!(after(MICROSECOND, MICROSECOND, 5000), Division { lanes: 2, chunk: 500 });
    }

    #[test]
    fn slow_scripts_go_to_all_workers() {
        let millisecond = 1000 * MICROSECOND;
        assert_eq!(after(millisecond, millisecond, 2), Division { lanes: 2, chunk: 1 });
        assert_eq!(after(millisecond, millisecond, 1024), Division { lanes: 2, chunk: 5 });
        assert_eq!(after(millisecond, millisecond, 1), Division { lanes: 1, chunk: 1 });
    }

    #[test]
    fn scripts_that_wait_go_to_more_workers_than_there_are_processors() {
        let millisecond = 1000 * MICROSECOND;
        assert_eq!(after(millisecond, millisecond / 3, 1024).lanes, 6);
        assert_eq!(after(millisecond, MICROSECOND, 1024).lanes, 8);
        assert_eq!(after(millisecond, MICROSECOND, 3).lanes, 3);
    }

    #[test]
    fn one_script_that_takes_long_does_not_change_everything() {
        let times = ScriptTimes::default();
        times.learn(1000, 1000 * 5 * MICROSECOND, 1000 * 5 * MICROSECOND);
        times.learn(1, 30_000 * MICROSECOND, 10 * MICROSECOND);
        let taken = times.taken.load(Ordering::Relaxed);
        assert!((5_000..2_500_000).contains(&taken), "{taken}");
        (0..40).for_each(|_| times.learn(500, 500 * 5 * MICROSECOND, 500 * 5 * MICROSECOND));
        assert!(times.taken.load(Ordering::Relaxed) < 7_000);
    }
}
