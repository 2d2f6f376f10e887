//! Finding a JDK and asking it things.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

use adit_bytecode::{ClassPath, Folder, Modules};

/// A JDK with its compiler and its modules.
pub(crate) struct Jdk {
    home: PathBuf,
}

impl Jdk {
    /// The JDK of `JAVA_HOME` or of `PATH`. Prints `NOT RUN:` if there is none.
    #[expect(clippy::print_stdout, reason = "a test that could not run must say so")]
    pub(crate) fn find() -> Option<Jdk> {
        let from_path = || {
            let path = std::env::var_os("PATH")?;
            let compiler =
                std::env::split_paths(&path).map(|folder| folder.join("javac")).find(|file| file.exists())?;
            Some(compiler.canonicalize().ok()?.parent()?.parent()?.to_owned())
        };
        let homes = [std::env::var_os("JAVA_HOME").map(PathBuf::from), from_path()];
        let found = homes
            .into_iter()
            .flatten()
            .find(|home| home.join("lib/modules").exists() && home.join("bin/javac").exists());
        if found.is_none() {
            println!("NOT RUN: no JDK was found; set JAVA_HOME or install one");
        }
        found.map(|home| Jdk { home })
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
