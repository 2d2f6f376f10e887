//! Memory that outlives a worker: where it leaves its results, so that what it did is known however it ends.
//!
//! A worker runs tens of thousands of scripts a second. A system call for each would cost more than the
//! script, and a buffer of its own would die with it. So it writes into a shared file in memory: the results,
//! how many bytes of them are complete, and the number of the script that it is about to run. The coordinator
//! only ever reads this file by system calls. It does not map it, because the subject may overwrite it at any
//! moment; and the file is sealed, because reading a shrunk mapping would kill the reader.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of bytes for results. A batch that exceeds them is answered in parts.
pub(crate) const CAPACITY: usize = 8 << 20;

/// Counters stand before the results: scripts started, bytes complete, the number of the callable that is
/// called, counted from one, and the script whose call the coordinator wants to end, likewise.
const HEADER: usize = 32;

/// The offset of the counter that the coordinator writes.
const STOP: u64 = 24;

/// Makes the file, for the coordinator.
pub(crate) fn create() -> io::Result<File> {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: the name is a C string that lives as long as the program; the call touches no other memory.
    let fd = unsafe { libc::memfd_create(c"adit-results".as_ptr(), flags) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just opened and belongs to nobody else.
    let file = unsafe { File::from_raw_fd(fd) };
    file.set_len((HEADER + CAPACITY) as u64)?;
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: a call on an open descriptor with an integer argument.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(file)
}

/// Sets the counters to zero, which the coordinator does while the worker waits for a batch.
pub(crate) fn reset(file: &File) -> io::Result<()> {
    file.write_all_at(&[0; HEADER], 0)
}

/// Number of scripts of the batch that the worker has started.
pub(crate) fn started(file: &File) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(u64::from_ne_bytes(bytes))
}

/// Asks the worker to end the call that it makes for a script, which is the `started`-th of its batch.
pub(crate) fn ask_to_stop(file: &File, started: u64) -> io::Result<()> {
    file.write_all_at(&started.to_ne_bytes(), STOP)
}

/// The number of the callable that the worker calls, counted from zero.
pub(crate) fn calling(file: &File) -> io::Result<Option<usize>> {
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, 16)?;
    Ok(u64::from_ne_bytes(bytes).checked_sub(1).and_then(|number| number.try_into().ok()))
}

/// Reads the complete results into `bytes`, replacing what is there.
pub(crate) fn results(file: &File, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut length = [0; 8];
    file.read_exact_at(&mut length, 8)?;
    let length = u64::from_ne_bytes(length).min(CAPACITY as u64) as usize;
    bytes.resize(length, 0);
    file.read_exact_at(bytes, HEADER as u64)
}

/// Reads the complete results from the byte `start` on.
pub(crate) fn results_from(file: &File, start: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut length = [0; 8];
    file.read_exact_at(&mut length, 8)?;
    let length = u64::from_ne_bytes(length).min(CAPACITY as u64) as usize;
    bytes.resize(length.saturating_sub(start), 0);
    file.read_exact_at(bytes, (HEADER + start.min(length)) as u64)
}

/// The requests of the coordinator to end a call, for the thread that does so.
#[derive(Clone, Copy)]
pub(crate) struct StopRequests {
    start: NonNull<u8>,
}

// SAFETY: the mapping stays until the process ends, and only counters are read, as atomics.
unsafe impl Send for StopRequests {}

impl StopRequests {
    /// Tells whether the call of the script that runs now should end.
    pub(crate) fn is_asked(self) -> bool {
        let asked = counter(self.start, 3).load(Ordering::Acquire);
        asked != 0 && asked == counter(self.start, 0).load(Ordering::Acquire)
    }
}

/// One of the counters of a mapping.
fn counter<'a>(start: NonNull<u8>, index: usize) -> &'a AtomicU64 {
    debug_assert!(index < HEADER / 8);
    // SAFETY: the counters lie in the header of the mapping, which is aligned to a page and never unmapped,
    // and this process touches them as atomics only.
    unsafe { AtomicU64::from_ptr(start.as_ptr().cast::<u64>().add(index)) }
}

/// The worker's side: the file, mapped.
pub(crate) struct Results {
    start: NonNull<u8>,
    written: usize,
}

// SAFETY: the mapping belongs to this object alone and is the same on every thread.
unsafe impl Send for Results {}

impl Results {
    /// Maps the file. The mapping stays until the process ends.
    pub(crate) fn map(file: &File) -> io::Result<Self> {
        if file.metadata()?.len() != (HEADER + CAPACITY) as u64 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a file for results"));
        }
        // SAFETY: a new mapping at an address of the kernel's choice, of the file's whole length, overlaps
        // nothing.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                HEADER + CAPACITY,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, written: 0 })
    }

    /// Begins the answer to a batch.
    pub(crate) fn begin(&mut self) {
        self.written = 0;
    }

    /// Number of bytes that still fit.
    pub(crate) fn room(&self) -> usize {
        CAPACITY - self.written
    }

    /// Says that so many scripts of the batch have been started.
    pub(crate) fn set_started(&self, count: u64) {
        self.counter(0).store(count, Ordering::Release);
    }

    /// Says that the callable with this number is called.
    pub(crate) fn set_calling(&self, number: u64) {
        self.counter(2).store(number.saturating_add(1), Ordering::Relaxed);
    }

    /// Appends bytes, all or none, and makes them count.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> bool {
        if bytes.len() > self.room() {
            return false;
        }
        // SAFETY: the destination lies in the mapping, as was just checked, behind the header; only this
        // object writes there, by exclusive reference, and the coordinator reads by system calls.
        unsafe {
            let to = self.start.as_ptr().add(HEADER + self.written);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
        self.written += bytes.len();
        self.counter(1).store(self.written as u64, Ordering::Release);
        true
    }

    /// The requests to end a call.
    pub(crate) fn stop_requests(&self) -> StopRequests {
        StopRequests { start: self.start }
    }

    fn counter(&self, index: usize) -> &AtomicU64 {
        counter(self.start, index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_side_appends_the_other_reads() {
        let file = create().unwrap();
        let mut worker = Results::map(&file).unwrap();
        worker.set_started(3);
        assert_eq!(calling(&file).unwrap(), None);
        worker.set_calling(7);
        assert_eq!(calling(&file).unwrap(), Some(7));
        assert!(worker.append(b"one ") && worker.append(b"two"));
        let mut bytes = vec![9; 100];
        results(&file, &mut bytes).unwrap();
        assert_eq!((started(&file).unwrap(), bytes.as_slice()), (3, b"one two".as_slice()));

        let requests = worker.stop_requests();
        ask_to_stop(&file, 2).unwrap();
        assert!(!requests.is_asked(), "the script has ended");
        ask_to_stop(&file, 3).unwrap();
        assert!(requests.is_asked());

        reset(&file).unwrap();
        assert!(!requests.is_asked());
        worker.begin();
        results(&file, &mut bytes).unwrap();
        assert_eq!((started(&file).unwrap(), bytes.len(), worker.room()), (0, 0, CAPACITY));
    }

    #[test]
    fn what_does_not_fit_is_refused_as_a_whole() {
        let file = create().unwrap();
        let mut worker = Results::map(&file).unwrap();
        assert!(!worker.append(&vec![1; CAPACITY + 1]));
        assert!(worker.append(&vec![1; CAPACITY]));
        assert!(!worker.append(&[1]));
    }

    #[test]
    fn a_lying_length_and_a_cut_file_hurt_nobody() {
        let file = create().unwrap();
        file.write_all_at(&[0xff; HEADER], 0).unwrap();
        let mut bytes = Vec::new();
        results(&file, &mut bytes).unwrap();
        assert_eq!(bytes.len(), CAPACITY);
        assert!(file.set_len(10).is_err(), "the file is sealed");
    }
}
