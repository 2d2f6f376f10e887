//! Cache of a build tool's answer, valid until a build file changes: starting the tool takes seconds.

use std::fs;
use std::path::{Path, PathBuf};

use adit_store::Digest;
use serde_json::{Value, json};

use super::{Module, Project};
use crate::java::cache::cache_folder;
use crate::output::{Target, write_failed};

/// Path below the output folder, which the tool may delete at any time.
const FILE: &str = "adit/class-path.json";

/// Larger files are not ours.
const LONGEST: u64 = 1 << 24;

/// Place of a cached answer, and the state of the files that it depends on.
pub(super) struct Memory {
    /// In the project, or in the user's cache folder if the project is not writable.
    files: Vec<PathBuf>,
    key: String,
}

impl Memory {
    pub(super) fn of(project: &Project, module: &Module) -> Self {
        let mut key = Digest::new();
        key.add(project.tool.name().as_bytes());
        key.add(module.folder.as_os_str().as_encoded_bytes());
        for file in &project.build_files {
            key.add(file.as_os_str().as_encoded_bytes());
            key.add(&fs::read(file).unwrap_or_default());
        }
        let made = module.folder.join(project.tool.made());
        // Do not create an output folder in a project that was never built.
        let inside = made.is_dir().then(|| made.join(FILE));
        let mut name = Digest::new();
        name.add(module.folder.as_os_str().as_encoded_bytes());
        let outside =
            cache_folder().map(|folder| folder.join("adit/projects").join(name.to_string()).join(FILE));
        Self { files: inside.into_iter().chain(outside).collect(), key: key.to_string() }
    }

    /// Returns the answer for the current build files, if it is cached and valid.
    pub(super) fn recall(&self) -> Option<Vec<PathBuf>> {
        self.files.iter().find_map(|file| read(file, Some(&self.key)))
    }

    /// Returns the last answer, even if build files have changed since.
    pub(super) fn recall_anything(&self) -> Option<Vec<PathBuf>> {
        self.files.iter().find_map(|file| read(file, None))
    }

    /// Stores an answer if possible; otherwise the tool is asked again next time.
    pub(super) fn keep(&self, entries: &[PathBuf]) {
        let texts: Option<Vec<&str>> = entries.iter().map(|entry| entry.to_str()).collect();
        let Some(texts) = texts else { return };
        let missing: Vec<&&str> = texts.iter().filter(|entry| !Path::new(entry).exists()).collect();
        let text = format!("{:#}\n", json!({ "key": self.key, "entries": texts, "missing": missing }));
        for file in &self.files {
            let folder = file.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok());
            let target = Target::File(file.clone());
            if folder && target.write(|out| out.write_all(text.as_bytes()).map_err(write_failed)).is_ok() {
                return;
            }
        }
    }
}

/// Returns the entries in a file, if they belong to the key and are unchanged.
fn read(file: &Path, key: Option<&str>) -> Option<Vec<PathBuf>> {
    if fs::metadata(file).ok()?.len() > LONGEST {
        return None;
    }
    let kept: Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    let stored = kept["key"].as_str()?;
    let texts = |name: &str| -> Option<Vec<PathBuf>> {
        kept[name].as_array()?.iter().map(|entry| entry.as_str().map(PathBuf::from)).collect()
    };
    let (entries, missing) = (texts("entries")?, texts("missing")?);
    let whole =
        entries.iter().all(|entry| entry.is_absolute() && (missing.contains(entry) || entry.exists()));
    (whole && key.is_none_or(|key| key == stored)).then_some(entries)
}
