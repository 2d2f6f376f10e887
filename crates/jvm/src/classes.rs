//! Opening a class path: the files behind the places that `adit-bytecode` reads classes from, which itself
//! opens none.
//!
//! Every entry that the user names must exist. HotSpot silently ignores a missing jar and then reports its
//! classes as not found; here the jar is the error.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::{self, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use adit_bytecode::{ClassError, ClassPath, ClassSource, Folder, Jar, Modules, Stamped};
use miette::Diagnostic;
use rustc_hash::FxHasher;
use thiserror::Error;

use crate::find::Jdk;

/// A folder with more files than this is not a folder of classes; the JDK has 30,000.
const MOST_FILES: usize = 1_000_000;

/// The release as which jars for several releases are read when there is no JDK: the newest that has such
/// entries.
const NO_JDK_RELEASE: u16 = u16::MAX - 1;

/// Failure to open a class path.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum ClassesError {
    /// An entry of the class path that is not there.
    #[error("{} is on the class path but does not exist", .path.display())]
    #[diagnostic(
        code(jvm::class_path_missing),
        help(
            "entries of a class path are folders, jars and `folder/*`, separated by `:`; has the project been compiled?"
        )
    )]
    Missing {
        /// The entry.
        path: PathBuf,
    },
    /// An entry of the class path, or a file of the JDK, that cannot be read.
    #[error("{} cannot be read: {source}", .path.display())]
    #[diagnostic(code(jvm::class_path_unreadable), help("may the current user read it? `ls -ld {}`", .path.display()))]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Message of the operating system.
        source: io::Error,
    },
    /// A folder that holds so many files that it is something else.
    #[error("{} holds more than {MOST_FILES} files", .path.display())]
    #[diagnostic(
        code(jvm::class_path_large),
        help("name the output folder of the compiler, such as `target/classes` or `build/classes`")
    )]
    Large {
        /// The folder.
        path: PathBuf,
    },
    /// A jar or the JDK's own classes are not what they should be.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Class(#[from] ClassError),
}

/// Opens the entries of a class path in their order, and behind them the classes of the JDK itself.
///
/// An entry is a folder, a jar, or `folder/*` for all jars of a folder.
pub fn open(jdk: Option<&Jdk>, class_path: &[PathBuf]) -> Result<ClassPath, ClassesError> {
    let release = jdk.map_or(NO_JDK_RELEASE, |jdk| u16::try_from(jdk.feature).unwrap_or(NO_JDK_RELEASE));
    let mut sources = Vec::new();
    for entry in expand(class_path)? {
        sources.push(if metadata(&entry)?.is_dir() { folder(&entry)? } else { jar(&entry, release)? });
    }
    if let Some(jdk) = jdk {
        sources.push(platform(jdk, release)?);
    }
    Ok(ClassPath::new(sources))
}

/// The entries of a class path with all jars of a folder in place of `folder/*`, in the order of their names.
///
/// The `java` command does this for its user, and the machine itself does not.
pub fn expand(class_path: &[PathBuf]) -> Result<Vec<PathBuf>, ClassesError> {
    let mut entries = Vec::new();
    for entry in class_path {
        if entry.file_name().is_none_or(|name| name != "*") {
            // Java takes an empty entry for the current folder.
            entries.push(if entry.as_os_str().is_empty() { ".".into() } else { entry.clone() });
            continue;
        }
        let folder = entry.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        metadata(folder)?;
        let unreadable = |source| ClassesError::Unreadable { path: folder.to_owned(), source };
        let mut jars = Vec::new();
        for file in fs::read_dir(folder).map_err(unreadable)? {
            let path = file.map_err(unreadable)?.path();
            if path.extension().is_some_and(|extension| extension == "jar" || extension == "JAR") {
                jars.push(path);
            }
        }
        jars.sort();
        entries.extend(jars);
    }
    Ok(entries)
}

/// The classes of the JDK: its modules, or the one jar in which releases before 9 kept them.
fn platform(jdk: &Jdk, release: u16) -> Result<Box<dyn ClassSource>, ClassesError> {
    let modules = jdk.home.join("lib/modules");
    for old in ["jre/lib/rt.jar", "lib/rt.jar"].map(|name| jdk.home.join(name)) {
        if !modules.exists() && old.is_file() {
            return jar(&old, release);
        }
    }
    let source = Box::new(Modules::new(modules.display().to_string(), reader(&modules)?)?);
    Ok(stamped(source, &modules, release))
}

/// The source with a stamp that changes whenever the file is written anew.
fn stamped(source: Box<dyn ClassSource>, file: &Path, release: u16) -> Box<dyn ClassSource> {
    let Ok((path, about)) = fs::canonicalize(file).and_then(|path| Ok((path, fs::metadata(file)?))) else {
        return source;
    };
    let mut hasher = FxHasher::default();
    path.hash(&mut hasher);
    (release, about.len(), about.mtime(), about.mtime_nsec(), about.ino()).hash(&mut hasher);
    Box::new(Stamped::new(source, format!("{:016x}", hasher.finish())))
}

fn jar(path: &Path, release: u16) -> Result<Box<dyn ClassSource>, ClassesError> {
    let source = Box::new(Jar::new(path.display().to_string(), reader(path)?, release)?);
    Ok(stamped(source, path, release))
}

fn folder(path: &Path) -> Result<Box<dyn ClassSource>, ClassesError> {
    let mut listing = Listing { root: path, files: Vec::new(), seen: BTreeSet::new() };
    listing.add(path, "")?;
    let root = path.to_owned();
    Ok(Box::new(Folder::new(path.display().to_string(), listing.files, move |name| {
        fs::read(root.join(name))
    })))
}

/// The files below a folder, as paths with slashes.
struct Listing<'a> {
    root: &'a Path,
    files: Vec<String>,
    /// The folders that were entered, because links may lead round in a circle.
    seen: BTreeSet<(u64, u64)>,
}

impl Listing<'_> {
    fn add(&mut self, folder: &Path, prefix: &str) -> Result<(), ClassesError> {
        let unreadable = |source| ClassesError::Unreadable { path: folder.to_owned(), source };
        let identity = fs::metadata(folder).map_err(unreadable)?;
        if !self.seen.insert((identity.dev(), identity.ino())) {
            return Ok(());
        }
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            // What is no text is no name of a class, and a link that leads nowhere is no file.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(kind) = fs::metadata(entry.path()) else { continue };
            let path = format!("{prefix}{name}");
            if kind.is_dir() {
                self.add(&entry.path(), &format!("{path}/"))?;
            } else if kind.is_file() {
                self.files.push(path);
            }
            if self.files.len() + self.seen.len() > MOST_FILES {
                return Err(ClassesError::Large { path: self.root.to_owned() });
            }
        }
        Ok(())
    }
}

fn reader(path: &Path) -> Result<BufReader<File>, ClassesError> {
    File::open(path)
        .map(BufReader::new)
        .map_err(|source| ClassesError::Unreadable { path: path.to_owned(), source })
}

fn metadata(path: &Path) -> Result<fs::Metadata, ClassesError> {
    fs::metadata(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ClassesError::Missing { path: path.to_owned() },
        _ => ClassesError::Unreadable { path: path.to_owned(), source },
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use adit_bytecode::splice::Hook;
    use expect_test::{Expect, expect};

    use super::*;

    /// The file of a class of this name, whatever is in it.
    fn class_file(name: &str) -> Vec<u8> {
        Hook { class: name.into(), flag: "on".into(), method: "call".into() }.class_file()
    }

    /// A jar without compression, written by hand: local headers, then the directory, then its end.
    fn jar_file(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, content) in entries {
            let offset = bytes.len() as u32;
            let size = content.len() as u32;
            let mut common = vec![0, 0, 0, 0, 0, 0, 0, 0];
            common.extend(crc32(content).to_le_bytes());
            common.extend(size.to_le_bytes());
            common.extend(size.to_le_bytes());
            common.extend((name.len() as u16).to_le_bytes());
            common.extend([0, 0]);
            bytes.extend(b"PK\x03\x04\x0a\0");
            bytes.extend(&common);
            bytes.extend(name.as_bytes());
            bytes.extend(*content);
            directory.extend(b"PK\x01\x02\x0a\0\x0a\0");
            directory.extend(&common);
            directory.extend([0; 10]);
            directory.extend(offset.to_le_bytes());
            directory.extend(name.as_bytes());
        }
        let (offset, count) = (bytes.len() as u32, entries.len() as u16);
        bytes.extend(&directory);
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        bytes.extend(count.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend((directory.len() as u32).to_le_bytes());
        bytes.extend(offset.to_le_bytes());
        bytes.extend([0, 0]);
        bytes
    }

    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0, |crc, byte| {
            (0..8)
                .fold(crc ^ u32::from(*byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
        })
    }

    fn write(path: PathBuf, bytes: &[u8]) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create(path).unwrap().write_all(bytes).unwrap();
    }

    fn jdk(home: PathBuf, feature: u32) -> Jdk {
        Jdk { libjvm: home.join("libjvm.so"), home, version: feature.to_string(), feature }
    }

    fn check(root: &Path, jdk: Option<&Jdk>, entries: &[&str], expected: Expect) {
        let entries: Vec<PathBuf> = entries.iter().map(|entry| root.join(entry)).collect();
        let text = match open(jdk, &entries) {
            Ok(path) => path
                .names()
                .iter()
                .map(|name| format!("{}\n", path.find(name).unwrap().unwrap().1))
                .collect::<String>(),
            Err(error) => {
                let help = error.help().map_or(String::new(), |help| help.to_string());
                format!("{error}\n{help}\n")
            }
        };
        expected.assert_eq(&text.replace(root.to_str().unwrap(), "ROOT"));
    }

    #[test]
    fn folders_jars_and_wildcards_are_opened_in_order() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        write(at("classes/a/One.class"), &class_file("a/One"));
        write(at("classes/a/notes.txt"), b"");
        std::os::unix::fs::symlink(at("classes"), at("classes/circle")).unwrap();
        std::os::unix::fs::symlink(at("nowhere"), at("classes/broken")).unwrap();
        let (one, two, three) = (class_file("a/One"), class_file("a/Two"), class_file("a/Three"));
        write(at("two.jar"), &jar_file(&[("a/One.class", &one), ("a/Two.class", &two)]));
        write(at("lib/z.jar"), &jar_file(&[("a/Two.class", &two), ("a/Three.class", &three)]));
        write(at("lib/a.jar"), &jar_file(&[("a/Three.class", &three)]));
        write(at("lib/readme"), b"");
        check(
            root.path(),
            None,
            &["classes", "two.jar", "lib/*"],
            expect![[r#"
                a/One.class in ROOT/classes
                a/Three.class in ROOT/lib/a.jar
                a/Two.class in ROOT/two.jar
            "#]],
        );
        check(
            root.path(),
            None,
            &["lib/*", "two.jar"],
            expect![[r#"
                a/One.class in ROOT/two.jar
                a/Three.class in ROOT/lib/a.jar
                a/Two.class in ROOT/lib/z.jar
            "#]],
        );
    }

    #[test]
    fn a_jar_is_read_as_the_release_of_the_jdk_sees_it() {
        let root = tempfile::tempdir().unwrap();
        let (old, new) = (class_file("a/Old"), class_file("a/New"));
        let jar = jar_file(&[
            ("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n"),
            ("a/Old.class", &old),
            ("META-INF/versions/17/a/New.class", &new),
        ]);
        write(root.path().join("both.jar"), &jar);
        for home in ["8", "8-jre"] {
            let rt = if home == "8" { "8/jre/lib/rt.jar" } else { "8-jre/lib/rt.jar" };
            write(root.path().join(rt), &jar_file(&[("java/lang/Object.class", &old)]));
            let jdk = jdk(root.path().join(home), 8);
            let names = open(Some(&jdk), &[root.path().join("both.jar")]).unwrap().names();
            assert_eq!(names, BTreeSet::from(["a/Old", "java/lang/Object"].map(str::to_owned)));
        }
        check(
            root.path(),
            None,
            &["both.jar"],
            expect![[r#"
                a/New.class in ROOT/both.jar
                a/Old.class in ROOT/both.jar
            "#]],
        );
    }

    #[test]
    fn what_cannot_be_opened_is_named() {
        let root = tempfile::tempdir().unwrap();
        write(root.path().join("text.jar"), b"not a zip file");
        write(root.path().join("jdk/lib/modules"), b"nothing");
        check(
            root.path(),
            None,
            &["missing.jar"],
            expect![[r#"
                ROOT/missing.jar is on the class path but does not exist
                entries of a class path are folders, jars and `folder/*`, separated by `:`; has the project been compiled?
            "#]],
        );
        check(
            root.path(),
            None,
            &["missing/*"],
            expect![[r#"
                ROOT/missing is on the class path but does not exist
                entries of a class path are folders, jars and `folder/*`, separated by `:`; has the project been compiled?
            "#]],
        );
        check(
            root.path(),
            None,
            &["text.jar"],
            expect![[r#"
            ROOT/text.jar cannot be read as a jar: invalid Zip archive: Could not find EOCD
            a jar is a zip file; `jar tf ROOT/text.jar` should list it. Was the download cut off?
        "#]],
        );
        check(
            root.path(),
            Some(&jdk(root.path().join("jdk"), 17)),
            &[],
            expect![[r#"
            ROOT/jdk/lib/modules cannot be read as the modules of a JDK: it is too short
            since Java 9 the file is `lib/modules`; an older JDK keeps its classes in `jre/lib/rt.jar`
        "#]],
        );
        check(
            root.path(),
            Some(&jdk(root.path().join("none"), 17)),
            &[],
            expect![[r#"
            ROOT/none/lib/modules cannot be read: No such file or directory (os error 2)
            may the current user read it? `ls -ld ROOT/none/lib/modules`
        "#]],
        );
    }
}
