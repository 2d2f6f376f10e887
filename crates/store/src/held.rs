//! The lock on a campaign's folder, which the kernel releases however its process ends.

use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::StoreError;

/// Name of the locked file. It is never removed: that would race with the next process to lock it.
const LOCK: &str = "campaign.lock";

/// The exclusive right to write into a folder, until dropped.
#[derive(Debug)]
pub struct Held {
    folder: PathBuf,
    _file: File,
}

impl Held {
    /// Locks a folder, which must exist. Fails with [`StoreError::InUse`] if another process has locked it.
    pub fn new(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(LOCK);
        let cannot = |error| StoreError::from_io(&path, &error);
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::InUse { folder: folder.to_owned(), pid: pid(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(cannot(error)),
        }
        // Only for messages. The lock holds without it, so a full disk is no reason to fail here.
        let _ = file.set_len(0);
        let _ = file.rewind();
        let _ = writeln!(file, "{}", std::process::id());
        Ok(Self { folder: folder.to_owned(), _file: file })
    }

    /// Returns `Some` if another process holds the folder right now, with its process id if known.
    pub fn by_another(folder: &Path) -> Option<Option<u32>> {
        let mut file = File::open(folder.join(LOCK)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(pid(&mut file)),
            Ok(()) | Err(TryLockError::Error(_)) => None,
        }
    }

    /// The locked folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Renames the folder to the first free name with a number appended, and returns the new path.
    pub fn move_away(self) -> Result<PathBuf, StoreError> {
        let cannot = |error| StoreError::from_io(&self.folder, &error);
        // A number cannot be appended to `DIR/..` or `.`.
        let real = fs::canonicalize(&self.folder).map_err(cannot)?;
        let numbered = |number: u32| {
            let mut name = real.clone().into_os_string();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        let free = (1..).map(numbered).find(|path| !path.exists());
        let free = free.expect("no folder has four billion neighbors");
        fs::rename(&real, &free).map_err(cannot)?;
        Ok(free)
    }
}

/// Reads the process id that the holder wrote into the file.
fn pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_the_first_is() {
        let folder = tempfile::tempdir().unwrap();
        let first = Held::new(folder.path()).unwrap();
        let Err(StoreError::InUse { pid, .. }) = Held::new(folder.path()) else { panic!("both hold it") };
        assert_eq!(pid, Some(std::process::id()));
        assert_eq!(Held::by_another(folder.path()), Some(pid));
        drop(first);
        assert_eq!(Held::by_another(folder.path()), None);
        Held::new(folder.path()).unwrap();
    }

    #[test]
    fn what_is_moved_away_gets_a_free_name() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("stack");
        for number in 1..=2 {
            fs::create_dir(&place).unwrap();
            fs::write(place.join("model.json"), number.to_string()).unwrap();
            let moved = Held::new(&place).unwrap().move_away().unwrap();
            assert!(moved.ends_with(format!("stack.{number}")), "{}", moved.display());
            assert_eq!(fs::read_to_string(moved.join("model.json")).unwrap(), number.to_string());
        }
        assert!(!place.exists());
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = Held::new(Path::new("no/such/folder")).unwrap_err();
        assert!(error.to_string().contains("no/such/folder"), "{error}");
    }
}
