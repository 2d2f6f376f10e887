//! Shared by tests that run Java: the JDK that adit itself finds, compiled sources, and a note if there is
//! none.
#![expect(clippy::print_stderr, reason = "a test that could not run says so")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::adit;

/// The JDK of this machine.
pub(crate) struct Java {
    pub(crate) home: PathBuf,
    /// The first number of the version.
    pub(crate) feature: u16,
    compiler: PathBuf,
}

/// The JDK that commands would use, or `None` with a note when something that they need is missing.
pub(crate) fn java() -> Option<Java> {
    let found = adit(&["doctor", "--json"]).json();
    if found["well"] != true {
        eprintln!("NOT RUN: {}", found["missing"]);
        return None;
    }
    let text = |value: &serde_json::Value| value.as_str().expect("a whole JDK was found").to_owned();
    let version = text(&found["java"]["version"]);
    Some(Java {
        home: text(&found["java"]["home"]).into(),
        feature: version
            .split('.')
            .next()
            .and_then(|first| first.parse().ok())
            .expect("a version has a number"),
        compiler: text(&found["java"]["compiler"]).into(),
    })
}

impl Java {
    /// A folder with these sources, compiled with nothing else on the class path.
    pub(crate) fn compile(&self, sources: &[(&str, &str)]) -> TempDir {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let files: Vec<PathBuf> = sources
            .iter()
            .map(|(name, text)| {
                let file = folder.path().join(name);
                fs::write(&file, text).expect("there is room for a file");
                file
            })
            .collect();
        self.compile_files(&files, "", folder.path());
        folder
    }

    /// Compiles these files against a class path into a folder.
    pub(crate) fn compile_files(&self, files: &[PathBuf], class_path: &str, into: &Path) {
        self.compile_with(&[], files, class_path, into);
    }

    /// The same with flags of the compiler.
    pub(crate) fn compile_with(&self, flags: &[&str], files: &[PathBuf], class_path: &str, into: &Path) {
        let output = Command::new(&self.compiler)
            .args(["-nowarn", "-proc:none", "-encoding", "UTF-8", "-cp", class_path, "-d"])
            .arg(into)
            .args(flags)
            .args(files)
            .output()
            .expect("the compiler starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Java {
    /// Compiles tests of a class with JUnit 5, runs them, and fails unless all pass. Returns their number, or
    /// `None` with a note if this machine has no JUnit.
    pub(crate) fn tests_pass(&self, source: &Path, class: &str, class_path: &str) -> Option<u64> {
        let jars = [
            "junit-jupiter-api.jar",
            "junit-platform-commons.jar",
            "opentest4j.jar",
            "apiguardian-api.jar",
            "junit-platform-launcher.jar",
            "junit-platform-engine.jar",
            "junit-jupiter-engine.jar",
        ];
        let jars: Vec<PathBuf> = jars.iter().map(|jar| Path::new("/usr/share/java").join(jar)).collect();
        if let Some(missing) = jars.iter().find(|jar| !jar.exists()) {
            eprintln!("NOT RUN: {} is missing (Debian and Ubuntu: apt install junit5)", missing.display());
            return None;
        }
        let mut all = vec![class_path.to_owned()];
        all.extend(jars.iter().map(|jar| jar.display().to_string()));
        let into = tempfile::tempdir().expect("there is room for a folder");
        self.compile_files(&[source.to_owned()], &all.join(":"), into.path());
        let tests = into.path().display().to_string();
        let traces = into.path().join("traces.jsonl").display().to_string();
        let all = all.join(":");
        let run = adit(&["observe", class, "-c", &all, "--tests", &tests, "--json", "-o", &traces]);
        assert_eq!(run.code, 0, "{}", run.err);
        let json = run.json();
        assert_eq!(json["passed"], json["tests"], "{json} {}", run.err);
        json["tests"].as_u64()
    }
}

/// The Java files directly in a folder of `subjects/`.
pub(crate) fn subjects(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects").join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "java"))
        .collect();
    files.sort();
    files
}

/// A small class with an exception, a boolean and two fields.
pub(crate) const CELL: &str = "
public class Cell {
    private Object content;
    private int writes;
    public Cell() {}
    public void put(String value) { if (content != null) throw new IllegalStateException(\"full\"); content = value; writes++; }
    public void clear() { content = null; }
    public boolean isEmpty() { return content == null; }
}
";

/// A class whose method needs a text that no search finds: the class holds only its hash.
pub(crate) const VAULT: &str = "
public class Vault {
    private boolean open;
    public void open(String code) {
        if (code == null || code.hashCode() != 1874400984) throw new IllegalArgumentException();
        open = true;
    }
    public boolean isOpen() { return open; }
    public void close() { if (!open) throw new IllegalStateException(); open = false; }
}
";
