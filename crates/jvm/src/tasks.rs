//! The threads of a process, as the kernel sees them.
//!
//! A thread that was woken can run from that moment on, which only the kernel says at once. Its file about a
//! thread is opened once and read again, which takes a quarter of the time of opening it each time. In a
//! worker, these files have high numbers, so that those of scripts are not mistaken (`descriptors.rs`).
//!
//! Cost: one or two microseconds for a thread that is known, and some more for listing all.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::time::Duration;

/// Bytes of the file about a thread up to its state: its number, its name, and some room.
const UP_TO_STATE: usize = 64;

/// The first number of a descriptor of these files, and their largest number for one process.
const HIGH: i32 = 400;
const MOST_OPEN: usize = 100;

/// State of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It runs, or could.
    Runs,
    Sleeps,
    /// It waits for a device, or was stopped.
    Stuck,
    Gone,
}

/// The threads of one process.
pub(crate) struct Tasks {
    folder: PathBuf,
    /// The folder itself, which knows how many there are, if it is that of this process.
    list: Option<File>,
    /// Files with the states of those that were looked at.
    open: BTreeMap<u32, File>,
}

impl Tasks {
    /// The threads of a process.
    pub(crate) fn of(process: u32) -> Self {
        Self { folder: format!("/proc/{process}/task").into(), list: None, open: BTreeMap::new() }
    }

    /// The threads of this process.
    pub(crate) fn own() -> Self {
        let folder = PathBuf::from("/proc/self/task");
        let list = File::open(&folder).and_then(raised).ok();
        Self { folder, list, open: BTreeMap::new() }
    }

    /// Number of threads of this process: the links of the folder that has a folder for each. It takes a
    /// third of a microsecond.
    pub(crate) fn count(&self) -> u64 {
        self.list.as_ref().and_then(|list| list.metadata().ok()).map_or(0, |list| list.nlink())
    }

    /// The numbers of all threads.
    pub(crate) fn numbers(&self) -> io::Result<Vec<u32>> {
        let mut numbers = Vec::new();
        for task in fs::read_dir(&self.folder)? {
            numbers.extend(task?.file_name().to_str().and_then(|name| name.parse::<u32>().ok()));
        }
        Ok(numbers)
    }

    /// The name of a thread; empty if it is gone.
    pub(crate) fn name(&self, number: u32) -> String {
        fs::read_to_string(self.folder.join(number.to_string()).join("comm")).unwrap_or_default()
    }

    /// The state of a thread now.
    pub(crate) fn state(&mut self, number: u32) -> State {
        if let Some(state) = self.open.get(&number).and_then(read) {
            return state;
        }
        // It ended; another one may have its number.
        self.open.remove(&number);
        let path = self.folder.join(number.to_string()).join("stat");
        let Some(file) = File::open(path).and_then(raised).ok() else { return State::Gone };
        let state = read(&file).unwrap_or(State::Gone);
        if self.open.len() >= MOST_OPEN {
            self.open.clear();
        }
        self.open.insert(number, file);
        state
    }

    /// Forgets threads that are not among these.
    pub(crate) fn retain(&mut self, is_known: impl Fn(u32) -> bool) {
        self.open.retain(|number, _| is_known(*number));
    }
}

/// The processor time that all threads of a process have used; nothing if the kernel does not say.
pub(crate) fn processor_time(process: u32) -> Option<Duration> {
    let process = libc::pid_t::try_from(process).ok()?;
    let mut clock = 0;
    // SAFETY: the call writes to the variable that it is given.
    if unsafe { libc::clock_getcpuclockid(process, &raw mut clock) } != 0 {
        return None;
    }
    time_of(clock)
}

/// The processor time that the current thread has used.
pub(crate) fn own_processor_time() -> Option<Duration> {
    time_of(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn time_of(clock: libc::clockid_t) -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the variable that it is given.
    let is_read = unsafe { libc::clock_gettime(clock, &raw mut time) } == 0;
    is_read.then(|| Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32))
}

/// The same file with a high number, if there is one.
fn raised(file: File) -> io::Result<File> {
    // SAFETY: a call with integer arguments, and what it returns is a new descriptor that belongs to nobody.
    unsafe {
        let high = libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, HIGH);
        Ok(if high < 0 { file } else { File::from_raw_fd(high) })
    }
}

/// The state in the file of a thread; nothing if the thread is gone.
fn read(file: &File) -> Option<State> {
    let mut start = [0; UP_TO_STATE];
    let length = file.read_at(&mut start, 0).ok().filter(|length| *length > 0)?;
    state_in(&start[..length])
}

/// The state in the first bytes of such a file.
fn state_in(stat: &[u8]) -> Option<State> {
    // The name is in parentheses and may hold anything; the state comes after it.
    let name_end = stat.windows(2).rposition(|two| two == b") ")?;
    Some(match stat.get(name_end + 2)? {
        b'S' => State::Sleeps,
        b'Z' | b'X' => State::Gone,
        b'R' => State::Runs,
        _ => State::Stuck,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_again_and_again() {
        let mut tasks = Tasks::own();
        // SAFETY: the call has no arguments and always succeeds.
        let own = unsafe { libc::gettid() }.unsigned_abs();
        assert!((0..3).all(|_| tasks.state(own) == State::Runs), "who looks runs");
        assert!(tasks.numbers().unwrap().contains(&own) && tasks.count() > 2);
        assert_eq!(tasks.state(u32::MAX), State::Gone);
        assert!(tasks.open[&own].as_raw_fd() >= HIGH);
        tasks.retain(|_| false);
        assert!(tasks.open.is_empty());
    }

    #[test]
    fn a_name_may_look_like_a_state() {
        assert_eq!(state_in(b"7 (a) b) S 1 2"), Some(State::Sleeps));
        assert_eq!(state_in(b"7 (a) S b) R 1 2"), Some(State::Runs));
        assert_eq!(state_in(b"7 (a) Z 1"), Some(State::Gone));
        assert_eq!(state_in(b""), None);
    }
}
