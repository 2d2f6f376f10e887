//! Raw rows of a long evaluation: written after each one, so that an interrupted run goes on where it ended.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, Result, WrapErr};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Rows, and the file that holds them, if any.
pub(crate) struct Rows<T> {
    file: Option<PathBuf>,
    rows: Vec<T>,
}

impl<T: Serialize + DeserializeOwned> Rows<T> {
    /// The rows that `file` already has; none without a file.
    pub(crate) fn open(file: Option<&Path>) -> Result<Self> {
        let rows = match file.filter(|file| file.exists()) {
            None => Vec::new(),
            Some(file) => {
                let text = fs::read(file)
                    .into_diagnostic()
                    .wrap_err_with(|| format!("cannot read {}", file.display()))?;
                serde_json::from_slice(&text).into_diagnostic().wrap_err_with(|| {
                    format!("{} holds other rows; move it away, or name another file", file.display())
                })?
            }
        };
        Ok(Self { file: file.map(Path::to_owned), rows })
    }

    /// A row that was measured before.
    pub(crate) fn find(&self, is_it: impl Fn(&T) -> bool) -> Option<&T> {
        self.rows.iter().find(|row| is_it(row))
    }

    /// Adds a row. The file is complete at any time.
    pub(crate) fn add(&mut self, row: T) -> Result<()> {
        self.rows.push(row);
        let Some(file) = &self.file else { return Ok(()) };
        let text = serde_json::to_string_pretty(&self.rows).into_diagnostic()?;
        let part = file.with_extension("part");
        fs::write(&part, text + "\n")
            .and_then(|()| fs::rename(&part, file))
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", file.display()))
    }
}

/// Identity of a program, which changes when it is built anew.
pub(crate) fn fingerprint(program: &Path) -> Result<String> {
    let bytes =
        fs::read(program).into_diagnostic().wrap_err_with(|| format!("cannot read {}", program.display()))?;
    Ok(hash(&bytes))
}

/// Hash of some bytes, as text.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_there_when_the_file_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rows.json");
        let mut rows = Rows::open(Some(&file)).unwrap();
        rows.add(3).unwrap();
        rows.add(5).unwrap();
        let again = Rows::<i32>::open(Some(&file)).unwrap();
        assert_eq!(again.find(|row| *row > 3), Some(&5));
        fs::write(&file, "{").unwrap();
        assert!(Rows::<i32>::open(Some(&file)).is_err());
    }
}
