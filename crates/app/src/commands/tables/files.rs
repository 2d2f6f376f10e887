//! The files that a path of tables stands for: itself, those in a folder and the folders below it, or those
//! whose names fit a pattern.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::Kind;

/// The kind of a table with this name, by its extension.
pub(super) fn kind_of(path: &Path) -> Option<Kind> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "parquet" | "parq" | "pq" => Some(Kind::Parquet),
        "arrow" | "arrows" | "feather" | "ipc" => Some(Kind::Arrow),
        _ => None,
    }
}

/// Tells whether a path names a table, a folder with one in it or below it, or a pattern for these.
pub(super) fn is_table(path: &Path) -> bool {
    kind_of(path).is_some() || kind_within(path).is_some() || matches(path).iter().any(|path| has_table(path))
}

/// The kind of a table whose name does not tell, by the first bytes of the file.
fn kind_within(path: &Path) -> Option<Kind> {
    let mut magic = [0; 6];
    if !path.is_file() {
        return None;
    }
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic)).ok()?;
    match &magic {
        b"ARROW1" => Some(Kind::Arrow),
        [b'P', b'A', b'R', b'1', ..] => Some(Kind::Parquet),
        _ => None,
    }
}

/// The files with tables that a path stands for, in order. Given a kind, those of any name.
#[cfg(feature = "parquet")]
pub(super) fn expand(path: &Path, kind: Option<Kind>) -> Vec<(PathBuf, Kind)> {
    let mut found = Vec::new();
    for path in matches(path) {
        if path.is_dir() {
            below(&path, kind, &mut found);
        } else if let Some(kind) = kind.or_else(|| kind_of(&path)).or_else(|| kind_within(&path)) {
            found.push((path, kind));
        }
    }
    found
}

fn has_table(path: &Path) -> bool {
    if !path.is_dir() {
        return kind_of(path).is_some();
    }
    entries(path).iter().any(|entry| has_table(entry))
}

/// Adds the tables in and below a folder.
#[cfg(feature = "parquet")]
fn below(folder: &Path, kind: Option<Kind>, found: &mut Vec<(PathBuf, Kind)>) {
    for entry in entries(folder) {
        if entry.is_dir() {
            below(&entry, kind, found);
        } else if let Some(kind) = kind.or_else(|| kind_of(&entry)) {
            found.push((entry, kind));
        }
    }
}

/// The content of a folder in order. Names that begin with `_` or `.` are notes of the program that wrote it.
/// Links to folders are left out: they may lead back.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with(['_', '.']))
        .map(|entry| entry.path())
        .filter(|path| !(path.is_symlink() && path.is_dir()))
        .collect();
    entries.sort();
    entries
}

/// The paths that fit a pattern in which `*` stands for any text of a name, and `**` for any folders. A path
/// that exists, or has no `*`, is itself.
fn matches(path: &Path) -> Vec<PathBuf> {
    if path.exists() || !path.to_string_lossy().contains('*') {
        return vec![path.to_owned()];
    }
    let mut found = vec![PathBuf::new()];
    for component in path.components() {
        let name = component.as_os_str().to_string_lossy().into_owned();
        let is_pattern = matches!(component, Component::Normal(_)) && name.contains('*');
        found = found
            .into_iter()
            .flat_map(|before| match (is_pattern, name.as_str()) {
                (false, _) => vec![before.join(component)],
                (true, "**") => folders_from(before),
                (true, pattern) => {
                    let fitting =
                        |path: &PathBuf| path.file_name().is_some_and(|name| fits(&text(name), pattern));
                    let all = entries(if before == Path::new("") { Path::new(".") } else { &before });
                    all.into_iter().filter(fitting).map(|path| before.join(last(&path))).collect()
                }
            })
            .collect();
    }
    found.retain(|path| path.exists());
    found
}

/// A folder and all folders below it.
fn folders_from(folder: PathBuf) -> Vec<PathBuf> {
    let here = if folder == Path::new("") { PathBuf::from(".") } else { folder.clone() };
    let inner = entries(&here).into_iter().filter(|path| path.is_dir());
    let inner: Vec<PathBuf> = inner.flat_map(|path| folders_from(folder.join(last(&path)))).collect();
    std::iter::once(folder).chain(inner).collect()
}

fn last(path: &Path) -> PathBuf {
    path.file_name().map(PathBuf::from).unwrap_or_default()
}

fn text(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

/// Tells whether a name fits a pattern in which `*` stands for any text.
fn fits(name: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return name == pattern };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    name.ends_with(last)
}

#[cfg(all(test, feature = "parquet"))]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (name, pattern, expected) in [
            ("part-1.parquet", "*.parquet", true),
            ("part-1.parquet", "part-*.parquet", true),
            ("part-1.parquet", "part-2*", false),
            ("part-1.parquet", "part*", true),
            ("a.parquet.crc", "*.parquet", false),
            ("a.parquet.parquet", "*.parquet", true),
            ("ab", "a*ab", false),
            ("a-b-c", "a*b*c", true),
            ("a", "a", true),
            ("ab", "a", false),
        ] {
            assert_eq!(fits(name, pattern), expected, "{name} {pattern}");
        }
    }

    #[test]
    fn a_path_stands_for_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for day in ["day=1/hour=1", "day=1/hour=2", "day=2/hour=1", "_temporary"] {
            fs::create_dir_all(root.join(day)).unwrap();
            fs::write(root.join(day).join("a.parquet"), "").unwrap();
            fs::write(root.join(day).join("_SUCCESS"), "").unwrap();
            fs::write(root.join(day).join("notes"), "").unwrap();
        }
        let shown = |pattern: &str, kind| {
            let found = expand(&root.join(pattern), kind);
            let name = |path: &Path| path.strip_prefix(root).unwrap().display().to_string();
            found.iter().map(|(path, _)| name(path)).collect::<Vec<_>>()
        };
        let all = ["day=1/hour=1/a.parquet", "day=1/hour=2/a.parquet", "day=2/hour=1/a.parquet"];
        assert_eq!(shown("", None), all);
        assert_eq!(shown("**/*.parquet", None), all);
        assert_eq!(shown("day=*", None), all);
        assert_eq!(shown("day=*/hour=1/*.parquet", None), [all[0], all[2]]);
        assert_eq!(shown("day=1/hour=1", Some(Kind::Arrow)), [all[0], "day=1/hour=1/notes"]);
        assert_eq!(shown("none-*", None), [""; 0]);
        assert!(is_table(root) && is_table(&root.join("day=*")) && is_table(Path::new("x/*.pq")));
        let unnamed = root.join("unnamed");
        fs::write(&unnamed, "PAR1..").unwrap();
        assert_eq!(expand(&unnamed, None), [(unnamed, Kind::Parquet)]);
        assert!(!is_table(&root.join("day=1/hour=1/notes")) && !is_table(&root.join("_temp*")));
    }
}
