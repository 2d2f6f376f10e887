//! Detects an idle process: none of its threads runs or could run.
//!
//! A worker in which everything sleeps while a script is under way waits for something that nobody will give
//! it: a permit, an element, a notification. That is known after a few looks, while a worker that computes is
//! given its whole time. One that gets no processor because the machine is busy has a thread that could run,
//! and is not taken for a sleeper.

use std::time::Duration;

use crate::tasks::{State, Tasks, own_processor_time, processor_time};

/// Number of consecutive observations that must find all threads asleep.
const LOOKS: u32 = 2;

/// The coordinator waits longer, because the worker itself ends most calls that block.
const LOOKS_FROM_OUTSIDE: u32 = 6;

/// Of the time between two looks of the coordinator, a process that does nothing may still use so much: a
/// machine keeps time and tidies up.
const TIDYING: Duration = Duration::from_millis(2);

/// Observations of a process.
pub(crate) struct Stillness {
    process: u32,
    tasks: Tasks,
    /// The thread that looks, if it belongs to the process.
    except: Option<u32>,
    tidying: Duration,
    looks: u32,
    /// Processor time that its threads had used.
    used: Option<Duration>,
    still: u32,
}

impl Stillness {
    /// A process to look at.
    pub(crate) fn new(process: u32) -> Self {
        let tasks = Tasks::of(process);
        Self {
            process,
            tasks,
            except: None,
            tidying: TIDYING,
            looks: LOOKS_FROM_OUTSIDE,
            used: None,
            still: 0,
        }
    }

    /// This process without the current thread. If it is still, it uses at most so much processor time
    /// between two looks.
    pub(crate) fn of_others(tidying: Duration) -> Self {
        // SAFETY: the call has no arguments and always succeeds.
        let own = unsafe { libc::gettid() };
        let (process, except) = (std::process::id(), Some(own.unsigned_abs()));
        Self { process, tasks: Tasks::own(), except, tidying, looks: LOOKS, used: None, still: 0 }
    }

    /// Forgets what was seen.
    pub(crate) fn begin(&mut self) {
        (self.used, self.still) = (None, 0);
    }

    /// Looks, and says whether all was still for several looks. Where it cannot be seen, it never is.
    pub(crate) fn look(&mut self) -> bool {
        let used = if self.are_asleep() { self.used_by_others() } else { None };
        let still =
            used.zip(self.used).is_some_and(|(now, before)| now.saturating_sub(before) <= self.tidying);
        self.used = used;
        self.still = if still { self.still + 1 } else { 0 };
        self.still >= self.looks
    }

    /// Tells whether all threads are asleep.
    fn are_asleep(&mut self) -> bool {
        let Ok(numbers) = self.tasks.numbers() else { return false };
        let Self { tasks, except, .. } = self;
        let mut others = numbers.into_iter().filter(|number| Some(*number) != *except);
        others.all(|number| tasks.state(number) == State::Sleeps)
    }

    /// The processor time that the process has used without the thread that looks.
    fn used_by_others(&self) -> Option<Duration> {
        let all = processor_time(self.process)?;
        let own = if self.except.is_some() { own_processor_time()? } else { Duration::ZERO };
        Some(all.saturating_sub(own))
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
