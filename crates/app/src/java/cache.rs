//! Cache in the user's folder for caches: which code calls what, for each jar.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use adit_bytecode::CallerCache;

/// Larger files are not ours.
const LARGEST: u64 = 1 << 28;

/// Number of files that are kept. Each new version of a jar has its own.
const MOST_FILES: usize = 100;

/// The user's cache folder.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    let named = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    named.or_else(|| env::home_dir().map(|home| home.join(".cache")))
}

/// A file for each jar. Whatever goes wrong costs only the time of making the index again.
pub(crate) struct CallerFiles(Option<PathBuf>);

impl CallerFiles {
    /// The files in the user's cache folder.
    pub(crate) fn of_user() -> Self {
        Self(cache_folder().map(|folder| folder.join("adit/callers")))
    }
}

impl CallerCache for CallerFiles {
    fn get(&self, stamp: &str) -> Option<Vec<u8>> {
        let file = self.0.as_ref()?.join(stamp);
        fs::metadata(&file).ok().filter(|about| about.len() <= LARGEST)?;
        fs::read(file).ok()
    }

    fn put(&self, stamp: &str, index: &[u8]) {
        let Some(folder) = &self.0 else { return };
        let written = fs::create_dir_all(folder).and_then(|()| write(folder, stamp, index));
        if written.is_ok() {
            let _ = sweep(folder);
        }
    }
}

/// Writes a file that others see as a whole or not at all.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".").tempfile_in(folder)?;
    io::Write::write_all(&mut file, bytes)?;
    file.persist(folder.join(name)).map_err(|error| error.error)?;
    Ok(())
}

/// Removes the oldest files if there are too many.
fn sweep(folder: &Path) -> io::Result<()> {
    let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        files.push((entry.metadata()?.modified()?, entry.path()));
    }
    files.sort();
    let many = files.len().saturating_sub(MOST_FILES);
    files.into_iter().take(many).try_for_each(|(_, file)| fs::remove_file(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_again_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let files = CallerFiles(Some(folder.path().join("a/b")));
        assert_eq!(files.get("one"), None);
        files.put("one", b"1");
        assert_eq!(files.get("one").as_deref(), Some(&b"1"[..]));
        let old = fs::File::options().write(true).open(folder.path().join("a/b/one")).unwrap();
        old.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        (0..MOST_FILES).for_each(|number| files.put(&number.to_string(), b""));
        assert_eq!((files.get("one"), files.get("0")), (None, Some(Vec::new())));
        // Without a folder, or where nothing can be written, nothing is kept.
        CallerFiles(None).put("one", b"1");
        CallerFiles(Some(folder.path().join("a/b/0"))).put("one", b"1");
        assert_eq!(CallerFiles(None).get("one"), None);
    }
}
