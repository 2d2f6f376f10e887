//! The temporary folder of each worker. It is removed with the worker, or by the next coordinator if its own
//! was killed.
//!
//! Its name tells the process that made it, and that process holds a lock on it, which ends with the process
//! however that ends. The number alone would not do: it may belong to another process by now, and in a
//! container it says nothing.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use tempfile::TempDir;

/// Prefix of the names of these folders; the id of the coordinator follows.
const PREFIX: &str = "adit-box-";

/// A folder for a worker, which is removed when this is dropped.
pub(crate) struct WorkerFolder {
    folder: TempDir,
    /// The lock is on the description of the open file, so that keeping it open is enough.
    _lock: File,
}

impl WorkerFolder {
    /// Makes a folder in the folder `parent`.
    pub(crate) fn new(parent: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{}-", std::process::id()))
            .tempdir_in(parent)?;
        let _lock = lock(folder.path())?;
        Ok(Self { folder, _lock })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes folders whose coordinator is gone. Those that cannot be removed stay, and do no harm.
pub(crate) fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-')?.0.parse().ok());
        if owner.is_some_and(is_gone) {
            let path = entry.path();
            // Held while it is removed, so that two coordinators do not do the same.
            if let Ok(_lock) = lock(&path) {
                let _ = fs::remove_dir_all(&path);
            }
        }
    }
}

/// Returns true if no such process is visible.
fn is_gone(process: u32) -> bool {
    Path::new("/proc/self").exists() && !Path::new("/proc").join(process.to_string()).exists()
}

/// Locks a folder of this user, without waiting.
fn lock(folder: &Path) -> io::Result<File> {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(folder)?;
    // SAFETY: the call takes nothing and cannot fail.
    if file.metadata()?.uid() != unsafe { libc::geteuid() } {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    // SAFETY: a call with integer arguments on an open descriptor.
    if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// The number of a process that has ended.
    fn gone() -> u32 {
        let mut child = Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        child.id()
    }

    #[test]
    fn a_folder_goes_with_its_worker() {
        let parent = tempfile::tempdir().unwrap();
        let made = WorkerFolder::new(parent.path()).unwrap();
        sweep(parent.path());
        assert!(made.path().is_dir());
        drop(made);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn only_what_nobody_owns_is_swept() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: String| {
            let folder = parent.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("file"), "").unwrap();
            folder
        };
        let gone = gone();
        let orphan = make(format!("{PREFIX}{gone}-aaaaaa"));
        let locked = make(format!("{PREFIX}{gone}-bbbbbb"));
        let _lock = lock(&locked).unwrap();
        let alive = make(format!("{PREFIX}1-cccccc"));
        let foreign = make(format!("other-box-{gone}-dddddd"));
        let nameless = make(format!("{PREFIX}{gone}"));
        let link = parent.path().join(format!("{PREFIX}{gone}-eeeeee"));
        std::os::unix::fs::symlink(&foreign, &link).unwrap();
        let file = parent.path().join(format!("{PREFIX}{gone}-ffffff"));
        fs::write(&file, "").unwrap();
        sweep(parent.path());
        assert!(!orphan.exists());
        for kept in [locked, alive, foreign, nameless, link] {
            assert!(kept.join("file").exists(), "{}", kept.display());
        }
        assert!(file.exists());
    }
}
