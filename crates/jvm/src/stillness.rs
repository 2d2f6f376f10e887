//! Detects an idle process: none of its threads runs or could run.
//!
//! A worker in which everything sleeps while a script is under way waits for something that nobody will give
//! it: a permit, an element, a notification. That is known after a few looks, while a worker that computes is
//! given its whole time. One that gets no processor because the machine is busy has a thread that could run,
//! and is not taken for a sleeper.

use std::fs;
use std::path::PathBuf;

/// Number of consecutive observations that must find all threads asleep.
const LOOKS: u32 = 2;

/// The coordinator waits longer, because the worker itself ends most calls that block.
const LOOKS_FROM_OUTSIDE: u32 = 6;

/// Of the time between two looks of the coordinator, a process that does nothing may still use so much: a
/// machine keeps time and tidies up.
const TIDYING: u64 = 2_000_000;

/// Observations of a process.
pub(crate) struct Stillness {
    tasks: PathBuf,
    /// The thread that looks, if it belongs to the process.
    except: Option<String>,
    tidying: u64,
    looks: u32,
    /// Nanoseconds of processor time that its threads had used.
    used: Option<u64>,
    still: u32,
}

impl Stillness {
    /// A process to look at.
    pub(crate) fn new(process: u32) -> Self {
        let tasks = format!("/proc/{process}/task").into();
        Self { tasks, except: None, tidying: TIDYING, looks: LOOKS_FROM_OUTSIDE, used: None, still: 0 }
    }

    /// This process without the current thread. If it is still, it uses at most so many nanoseconds of
    /// processor time between two looks.
    pub(crate) fn of_others(tidying: u64) -> Self {
        // SAFETY: the call has no arguments and always succeeds.
        let own = unsafe { libc::gettid() };
        let tasks = "/proc/self/task".into();
        Self { tasks, except: Some(own.to_string()), tidying, looks: LOOKS, used: None, still: 0 }
    }

    /// Forgets what was seen.
    pub(crate) fn begin(&mut self) {
        (self.used, self.still) = (None, 0);
    }

    /// Looks, and says whether all was still for several looks. Where it cannot be seen, it never is.
    pub(crate) fn look(&mut self) -> bool {
        let used = self.asleep();
        let still =
            used.zip(self.used).is_some_and(|(now, before)| now.saturating_sub(before) <= self.tidying);
        self.used = used;
        self.still = if still { self.still + 1 } else { 0 };
        self.still >= self.looks
    }

    /// The processor time that all threads have used, if every one is asleep.
    fn asleep(&self) -> Option<u64> {
        let mut used = 0;
        for thread in fs::read_dir(&self.tasks).ok()? {
            let thread = thread.ok()?;
            if self.except.as_ref().is_some_and(|except| thread.file_name() == **except) {
                continue;
            }
            let thread = thread.path();
            let stat = fs::read_to_string(thread.join("stat")).ok()?;
            // The name is in parentheses and may hold anything; the state comes after it.
            let state = stat.rsplit_once(") ")?.1.chars().next()?;
            if state != 'S' {
                return None;
            }
            let times = fs::read_to_string(thread.join("schedstat")).ok()?;
            used += times.split_whitespace().next()?.parse::<u64>().ok()?;
        }
        Some(used)
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn who_waits_is_still_and_who_runs_is_not() {
        // It waits for its input.
        let mut waits = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let mut stillness = Stillness::new(waits.id());
        // Starting takes a moment, and so it is looked until it is still, which it will be.
        while !stillness.look() {
            std::thread::yield_now();
        }
        stillness.begin();
        assert!(!stillness.look(), "one look tells nothing");
        drop(waits.stdin.take());
        waits.wait().unwrap();
        assert!(!stillness.look(), "what is gone is not still");
        let mut own = Stillness::new(std::process::id());
        assert!((0..10).all(|_| !own.look()), "who looks runs");
    }
}
