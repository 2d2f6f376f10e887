//! Sources of classes: folders, jars and a JDK's own modules, in the order of a class path.
//!
//! This crate opens no files. The caller passes in readers, or a function that reads.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Seek};
use std::sync::{Mutex, PoisonError};

// `zip` decompresses with it and leaves the choice of its implementation to this crate.
use flate2 as _;
use zip::ZipArchive;

use crate::{Class, ClassError};

/// A source of classes.
pub trait ClassSource: Send + Sync {
    /// Name of this source in errors.
    fn label(&self) -> &str;

    /// Internal names of all classes, in order.
    fn names(&self) -> Vec<String>;

    /// Returns the class file of the class with this internal name, if the source has it.
    fn find(&self, name: &str) -> Result<Option<Vec<u8>>, ClassError>;

    /// Text that differs between any two sources with different classes, fit for the name of a file; nothing
    /// if whoever opened the source knows none.
    fn stamp(&self) -> Option<String> {
        None
    }
}

/// A source whose contents are known by a [stamp](ClassSource::stamp).
pub struct Stamped {
    source: Box<dyn ClassSource>,
    stamp: String,
}

impl Stamped {
    /// Gives a source its stamp.
    pub fn new(source: Box<dyn ClassSource>, stamp: String) -> Stamped {
        Stamped { source, stamp }
    }
}

impl ClassSource for Stamped {
    fn label(&self) -> &str {
        self.source.label()
    }

    fn names(&self) -> Vec<String> {
        self.source.names()
    }

    fn find(&self, name: &str) -> Result<Option<Vec<u8>>, ClassError> {
        self.source.find(name)
    }

    fn stamp(&self) -> Option<String> {
        Some(self.stamp.clone())
    }
}

/// Several sources, searched in order. The first that has a class wins.
pub struct ClassPath {
    sources: Vec<Box<dyn ClassSource>>,
}

impl ClassPath {
    /// Creates a class path of these sources, in this order.
    pub fn new(sources: Vec<Box<dyn ClassSource>>) -> ClassPath {
        ClassPath { sources }
    }

    /// Internal names of all classes, in order, each once.
    pub fn names(&self) -> BTreeSet<String> {
        self.sources.iter().flat_map(|source| source.names()).collect()
    }

    /// The sources, in order.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &dyn ClassSource> {
        self.sources.iter().map(|source| &**source)
    }

    /// Returns the class file with this internal name and its name in errors, or `None` if no source has it.
    pub fn find(&self, name: &str) -> Result<Option<(Vec<u8>, String)>, ClassError> {
        for source in &self.sources {
            if let Some(bytes) = source.find(name)? {
                return Ok(Some((bytes, format!("{name}.class in {}", source.label()))));
            }
        }
        Ok(None)
    }

    /// Reads a class by its internal name. Returns `None` if no source has it.
    pub fn read(&self, name: &str) -> Result<Option<Class>, ClassError> {
        let Some((bytes, file)) = self.find(name)? else { return Ok(None) };
        let class = Class::parse(&bytes, &file)?;
        if &*class.name != name {
            let (name, found) = (name.replace('/', "."), class.dotted_name());
            return Err(ClassError::OtherClass { file, name, found });
        }
        Ok(Some(class))
    }

    /// Reads the class that a person means by `name`: with dots or slashes, and nested classes with `.` or
    /// `$`.
    pub fn class(&self, name: &str) -> Result<Class, ClassError> {
        let mut internal = name.replace('.', "/");
        loop {
            if let Some(class) = self.read(&internal)? {
                return Ok(class);
            }
            // `java.util.Map.Entry` is `java/util/Map$Entry` in class files.
            match internal.rfind('/') {
                Some(last) => internal.replace_range(last..=last, "$"),
                None => break,
            }
        }
        Err(ClassError::UnknownClass {
            name: name.replace('/', "."),
            near: near(name, &self.names()),
            sources: self.sources.iter().map(|source| source.label().to_owned()).collect(),
        })
    }
}

/// Returns at most three names, with dots, that `wanted` is probably a typo of: names that need few edits
/// first, then the same simple name in another package.
fn near(wanted: &str, names: &BTreeSet<String>) -> Vec<String> {
    const MOST: usize = 3;
    let dotted = |name: &str| name.replace(['/', '$'], ".");
    let simple = |name: &str| name.rsplit('.').next().unwrap_or(name).to_lowercase();
    let wanted = dotted(wanted);
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut scored: Vec<(usize, &String)> = names
        .iter()
        .filter_map(|name| {
            let known = dotted(name);
            let same_simple = || (simple(&known) == simple(&wanted)).then_some(usize::MAX);
            Some((adit_suggest::slips(&wanted, &known).or_else(same_simple)?, name))
        })
        .collect();
    // Among equals, the shorter package is the better known.
    scored.sort_by_key(|&(score, name)| (score, name.matches('/').count(), name.len(), name));
    scored.into_iter().take(MOST).map(|(_, name)| name.replace('/', ".")).collect()
}

type Open = Box<dyn Fn(&str) -> io::Result<Vec<u8>> + Send + Sync>;

/// Classes in a folder, or in anything else that the caller can list and read.
pub struct Folder {
    label: String,
    names: BTreeSet<String>,
    open: Open,
}

impl Folder {
    /// Creates a folder with these files, as paths below it with slashes. Ignores files that are not class
    /// files.
    ///
    /// `open` reads the file at such a path.
    pub fn new(
        label: impl Into<String>,
        paths: impl IntoIterator<Item = impl AsRef<str>>,
        open: impl Fn(&str) -> io::Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Folder {
        let names = paths.into_iter().filter_map(|path| class_of(path.as_ref()).map(str::to_owned)).collect();
        Folder { label: label.into(), names, open: Box::new(open) }
    }

    /// Creates a folder of class files in memory, by path.
    pub fn in_memory(label: impl Into<String>, files: BTreeMap<String, Vec<u8>>) -> Folder {
        let paths: Vec<String> = files.keys().cloned().collect();
        let read = move |path: &str| files.get(path).cloned().ok_or(io::ErrorKind::NotFound.into());
        Folder::new(label, paths, read)
    }
}

impl ClassSource for Folder {
    fn label(&self) -> &str {
        &self.label
    }

    fn names(&self) -> Vec<String> {
        self.names.iter().cloned().collect()
    }

    fn find(&self, name: &str) -> Result<Option<Vec<u8>>, ClassError> {
        if !self.names.contains(name) {
            return Ok(None);
        }
        let path = format!("{name}.class");
        match (self.open)(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) => Err(ClassError::UnreadableEntry {
                file: self.label.clone(),
                entry: path,
                reason: error.to_string(),
            }),
        }
    }
}

/// Internal name of the class in a file with this path, if it is a class file that contains a class.
pub(crate) fn class_of(path: &str) -> Option<&str> {
    let name = path.strip_suffix(".class")?;
    let simple = name.rsplit('/').next().unwrap_or(name);
    (simple != "module-info" && simple != "package-info" && !name.starts_with("META-INF/")).then_some(name)
}

/// Classes in a jar.
pub struct Jar<R> {
    label: String,
    entries: BTreeMap<String, usize>,
    archive: Mutex<ZipArchive<R>>,
}

impl<R: Read + Seek> Jar<R> {
    /// Opens a jar as a JVM of Java `release` sees it: a multi-release jar contains some classes several
    /// times.
    pub fn new(label: impl Into<String>, reader: R, release: u16) -> Result<Jar<R>, ClassError> {
        let label = label.into();
        let mut archive = ZipArchive::new(reader)
            .map_err(|error| ClassError::NotAJar { file: label.clone(), reason: error.to_string() })?;
        let several = is_multi_release(&mut archive);
        // For each class, the newest version that the release allows; zero is the unversioned entry.
        let mut best: BTreeMap<String, (u16, usize)> = BTreeMap::new();
        for index in 0..archive.len() {
            let Some(Ok(path)) = archive.name_for_index(index) else { continue };
            let (version, path) = match path.strip_prefix("META-INF/versions/") {
                Some(rest) if several => match rest.split_once('/') {
                    Some((version, path)) => (version.parse().unwrap_or(u16::MAX), path),
                    None => continue,
                },
                _ => (0, &*path),
            };
            let Some(name) = class_of(path) else { continue };
            let known = best.get(name).map(|&(version, _)| version);
            if version <= release && known.is_none_or(|known| known <= version) {
                best.insert(name.to_owned(), (version, index));
            }
        }
        let entries = best.into_iter().map(|(name, (_, index))| (name, index)).collect();
        Ok(Jar { label, entries, archive: Mutex::new(archive) })
    }
}

fn is_multi_release<R: Read + Seek>(archive: &mut ZipArchive<R>) -> bool {
    // The line is in the main section, which comes first; a manifest is rarely longer than this.
    const LONGEST: u64 = 1 << 20;
    let mut text = Vec::new();
    let Ok(manifest) = archive.by_name("META-INF/MANIFEST.MF") else { return false };
    if manifest.take(LONGEST).read_to_end(&mut text).is_err() {
        return false;
    }
    let text = String::from_utf8_lossy(&text).to_lowercase();
    text.lines().take_while(|line| !line.is_empty()).any(|line| line.trim_end() == "multi-release: true")
}

impl<R: Read + Seek + Send> ClassSource for Jar<R> {
    fn label(&self) -> &str {
        &self.label
    }

    fn names(&self) -> Vec<String> {
        self.entries.keys().cloned().collect()
    }

    fn find(&self, name: &str) -> Result<Option<Vec<u8>>, ClassError> {
        let Some(&index) = self.entries.get(name) else { return Ok(None) };
        let unreadable = |reason: String| ClassError::UnreadableEntry {
            file: self.label.clone(),
            entry: format!("{name}.class"),
            reason,
        };
        // A reader that panicked in another thread leaves at worst a wrong position, which every entry sets
        // anew.
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = archive.by_index(index).map_err(|error| unreadable(error.to_string()))?;
        let mut bytes = Vec::new();
        entry
            .take(LARGEST_CLASS + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(error.to_string()))?;
        if bytes.len() as u64 > LARGEST_CLASS {
            return Err(unreadable(format!("it is larger than {} MB", LARGEST_CLASS >> 20)));
        }
        Ok(Some(bytes))
    }
}

/// Compilers produce class files below 2 MB; a zip file of a few bytes can claim to contain gigabytes.
pub(crate) const LARGEST_CLASS: u64 = 32 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_suggested() {
        let names: BTreeSet<String> = [
            "java/util/HashSet",
            "java/util/Hashtable",
            "java/util/LinkedHashSet",
            "java/util/Map$Entry",
            "java/util/Date",
            "java/sql/Date",
            "a/b/c/Date",
            "x/y/z/w/Date",
        ]
        .map(str::to_owned)
        .into();
        assert_eq!(near("java.util.Hashset", &names), ["java.util.HashSet"]);
        assert_eq!(near("java.util.HashSte", &names), ["java.util.HashSet"]);
        assert_eq!(near("HashSet", &names), ["java.util.HashSet"]);
        assert_eq!(near("java.util.Map.Entri", &names), ["java.util.Map$Entry"]);
        assert_eq!(near("Date", &names), ["java.sql.Date", "java.util.Date", "a.b.c.Date"]);
        assert!(near("org.example.Nothing", &names).is_empty());
        assert!(near("", &names).is_empty());
    }

    #[test]
    fn only_files_with_classes_count() {
        assert_eq!(class_of("a/B$1.class"), Some("a/B$1"));
        for path in ["a/B.java", "module-info.class", "a/package-info.class", "META-INF/versions/9/a/B.class"]
        {
            assert_eq!(class_of(path), None, "{path}");
        }
    }
}
