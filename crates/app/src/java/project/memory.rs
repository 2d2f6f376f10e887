//! What a build tool answered, remembered until a build file changes: starting the tool takes seconds, and reading this none.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use adit_store::Digest;
use serde_json::{Value, json};

use super::{Module, Project};
use crate::output::{Target, write_failed};

/// Below the folder that the tool may delete at any time.
const FILE: &str = "adit/class-path.json";

/// Larger files are not ours.
const LONGEST: u64 = 1 << 24;

/// The place of an answer, and what it depends on.
pub(super) struct Memory {
    /// In the project, and if one may not write there, in the user's own folder for such things.
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
        // A project that was never built is not given a folder for what was.
        let inside = made.is_dir().then(|| made.join(FILE));
        let mut name = Digest::new();
        name.add(module.folder.as_os_str().as_encoded_bytes());
        let outside =
            cache_folder().map(|folder| folder.join("adit/projects").join(name.to_string()).join(FILE));
        Self { files: inside.into_iter().chain(outside).collect(), key: key.to_string() }
    }

    /// What was answered when the build files were what they are, if it is still there.
    pub(super) fn recall(&self) -> Option<Vec<PathBuf>> {
        self.files.iter().find_map(|file| read(file, Some(&self.key)))
    }

    /// What was answered last, whatever the build files said then.
    pub(super) fn recall_anything(&self) -> Option<Vec<PathBuf>> {
        self.files.iter().find_map(|file| read(file, None))
    }

    /// Remembers an answer, if it can be written anywhere: without, it is asked for again, and nothing else is worse.
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

/// The entries in a file, if it belongs to the key and they are as they were.
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

/// Where the user's programs keep what they can do without.
fn cache_folder() -> Option<PathBuf> {
    let named = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    named.or_else(|| env::home_dir().map(|home| home.join(".cache")))
}
