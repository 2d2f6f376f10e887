//! Finding a JDK and asking it things.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

use adit_bytecode::{ClassPath, Folder, Modules};

use crate::jdk_home::jdk_home;

/// A JDK with its compiler and its modules.
pub(crate) struct Jdk {
    home: PathBuf,
}

impl Jdk {
    /// The JDK of `JAVA_HOME` or of `PATH`. Prints `NOT RUN:` if there is none.
    pub(crate) fn find() -> Option<Jdk> {
        jdk_home().map(|home| Jdk { home })
    }

    pub(crate) fn modules(&self) -> Modules<BufReader<File>> {
        let path = self.home.join("lib/modules");
        Modules::new(path.display().to_string(), BufReader::new(File::open(path).unwrap())).unwrap()
    }

    pub(crate) fn java(&self) -> Command {
        Command::new(self.home.join("bin/java"))
    }

    /// Compiles sources and reads what came out.
    pub(crate) fn compile(&self, sources: &[&Path], into: &Path, flags: &[&str]) {
        let output = Command::new(self.home.join("bin/javac"))
            .args(["-d", into.to_str().unwrap()])
            .args(flags)
            .args(sources)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// The classes of one source file of `tests/java`, with the JDK's own behind them.
    pub(crate) fn class_path_of(&self, source: &str) -> ClassPath {
        let folder = tempfile::tempdir().unwrap();
        self.compile(&[&java_sources().join(source)], folder.path(), &["-g"]);
        ClassPath::new(vec![Box::new(read_folder(folder.path())), Box::new(self.modules())])
    }
}

pub(crate) fn java_sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java")
}

/// All files below a folder as a source that holds them in memory.
pub(crate) fn read_folder(root: &Path) -> Folder {
    let mut files = std::collections::BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    Folder::in_memory(root.display().to_string(), files)
}
