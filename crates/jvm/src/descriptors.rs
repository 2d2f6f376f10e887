//! Detects files and sockets that a script left open.
//!
//! A new descriptor gets the lowest number that is free. So a script that left one open changes which number
//! that is, and finding it out takes two system calls; only when it changed is the list of descriptors looked
//! at. What the machine itself keeps open is not a leak: jars of the class path, files of the JDK, devices
//! such as `/dev/urandom`.
//!
//! The player closes what a script leaves open where that is possible (`play.rs`). A leak is what is still
//! open then, even though garbage collection may close it some day. A server in the user's fixtures also
//! opens and closes files in a thread of its own, so an apparent leak is checked again a little later.

use std::collections::BTreeMap;
use std::fs;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// With so many descriptors left open, the worker should be replaced.
const MOST: usize = 100;

/// Number of times, and delays, with which an apparent leak is checked again.
const LOOKS: usize = 3;
const PAUSE: Duration = Duration::from_millis(1);

/// Open descriptors of this process.
pub(crate) struct Descriptors {
    open: BTreeMap<RawFd, PathBuf>,
    /// The lowest number that was free when the list was made.
    lowest: RawFd,
    /// Files that the JVM may keep open: these, and those in these folders.
    own: Vec<PathBuf>,
    /// Number of descriptors open at first.
    first: usize,
}

impl Descriptors {
    /// Takes note of what is open now. `own` are the files and folders of the machine.
    pub(crate) fn new(own: &[PathBuf]) -> Self {
        let kernel = ["/dev", "/proc", "/sys"].map(PathBuf::from);
        let own = own.iter().filter_map(|path| fs::canonicalize(path).ok()).chain(kernel).collect();
        let open = open_now();
        Self { first: open.len(), open, lowest: lowest_free(), own }
    }

    /// Returns true if something was opened since the last check, is still open, and does not belong to the
    /// JVM.
    pub(crate) fn leaked(&mut self) -> bool {
        let lowest = lowest_free();
        if lowest == self.lowest {
            return false;
        }
        let mut now = self.fresh();
        for _ in 0..LOOKS {
            if now.1 == 0 {
                break;
            }
            std::thread::sleep(PAUSE);
            now = self.fresh();
        }
        let (open, count) = now;
        (self.open, self.lowest) = (open, lowest_free());
        count > 0
    }

    /// Returns the open descriptors, and the number of new ones that do not belong to the JVM.
    fn fresh(&self) -> (BTreeMap<RawFd, PathBuf>, usize) {
        let now = open_now();
        let foreign = |target: &Path| !self.own.iter().any(|own| target.starts_with(own));
        let fresh = now.iter().filter(|(number, target)| self.open.get(number) != Some(target));
        let count = fresh.filter(|(_, target)| foreign(target)).count();
        (now, count)
    }

    /// Returns true if so much was left open that it may disturb later scripts.
    pub(crate) fn are_many(&self) -> bool {
        self.open.len() > self.first + MOST
    }
}

/// The number that the next descriptor would get; negative if none is free.
fn lowest_free() -> RawFd {
    // SAFETY: both calls take numbers. What is copied is the standard input, whatever it is; if it was
    // closed, zero is the lowest free number.
    unsafe {
        let copy = libc::fcntl(0, libc::F_DUPFD_CLOEXEC, 0);
        if copy < 0 {
            return if libc::fcntl(0, libc::F_GETFD) < 0 { 0 } else { -1 };
        }
        libc::close(copy);
        copy
    }
}

/// Open descriptors by number.
fn open_now() -> BTreeMap<RawFd, PathBuf> {
    fs::read_dir("/proc/self/fd")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let number = path.file_name()?.to_str()?.parse().ok()?;
            // The descriptor of the listing itself is in the list and is gone when it is asked for, or leads
            // to `/proc`.
            Some((number, fs::read_link(path).ok()?))
        })
        .collect()
}
