//! A JDK, and the classes that its compiler makes of our sources.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

    /// Compiles sources into a folder.
    pub(crate) fn compile(&self, sources: &[PathBuf], into: &Path) {
        let output = Command::new(self.home.join("bin/javac"))
            .args(["-g", "-d", into.to_str().unwrap()])
            .args(sources)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// The classes of a folder, with the JDK's own behind them.
    pub(crate) fn class_path(&self, folder: &Path) -> ClassPath {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            files.insert(name, fs::read(&path).unwrap());
        }
        let modules = self.home.join("lib/modules");
        let modules =
            Modules::new(modules.display().to_string(), BufReader::new(File::open(modules).unwrap()))
                .unwrap();
        ClassPath::new(vec![Box::new(Folder::in_memory("classes", files)), Box::new(modules)])
    }

    /// Runs a class with assertions on, and returns what it prints.
    pub(crate) fn run(&self, folder: &Path, class: &str, input: &str) -> String {
        let mut child = Command::new(self.home.join("bin/java"))
            .args(["-ea", "-XX:TieredStopAtLevel=1", "-cp", folder.to_str().unwrap(), class])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let text = input.to_owned();
        let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The folder of the components.
pub(crate) fn interfaces() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/interfaces")
}

/// All Java files of a folder, in order.
pub(crate) fn java_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "java"));
    files.sort();
    files
}
