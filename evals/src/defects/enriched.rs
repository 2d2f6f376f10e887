//! Enriched models from the tests of the clients, as the paper makes them.
//!
//! The tests of each client are one JUnit test. `adit enrich` runs those of all clients for each class with a
//! shipped model, and mutants of them. A class that no client creates, and one that clients know only as an
//! interface (`Iterator`), have no model.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use miette::{IntoDiagnostic, Result, miette};

/// The places that enriching needs.
pub(super) struct Enriching<'p> {
    pub(super) adit: &'p Path,
    /// Folder with the compiled clients and their tests.
    pub(super) base: &'p Path,
    /// Folder with the jars of JUnit 4.
    pub(super) jars: &'p Path,
    /// Folder for suites.
    pub(super) work: &'p Path,
    /// Time for the mutants of a class, or their number.
    pub(super) budget: &'p str,
    /// Parts of an event that its label shows.
    pub(super) labels: &'p str,
}

impl Enriching<'_> {
    /// Writes `CLASS/model.json` into a folder for every class that can be enriched. A class that has one
    /// already is left alone, so that a run that was stopped goes on.
    pub(super) fn run(&self, clients: &[&str], classes: &[&str], into: &Path) -> Result<()> {
        let jars = ["junit4.jar", "hamcrest.jar"].map(|jar| self.jars.join(jar).display().to_string());
        let class_path = format!("{}:{}", self.base.display(), jars.join(":"));
        let suites = self.suites(clients, &class_path)?;
        for class in classes {
            let folder = into.join(class);
            let model = folder.join("model.json");
            if model.exists() {
                continue;
            }
            fs::create_dir_all(&folder).into_diagnostic()?;
            let output = Command::new(self.adit)
                .args(["enrich", class, "--no-project", "-q", "-c", &class_path, "--budget", self.budget])
                .args(["--labels", self.labels, "--tests"])
                .arg(&suites)
                .arg("-o")
                .arg(&model)
                .output()
                .into_diagnostic()?;
            let said = String::from_utf8_lossy(&output.stderr);
            let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim().to_owned();
            let made = model.exists();
            println!("{class}: {}", if made { "enriched" } else { first.as_str() });
        }
        Ok(())
    }

    /// Compiles a JUnit test for each client.
    fn suites(&self, clients: &[&str], class_path: &str) -> Result<PathBuf> {
        let sources = self.work.join("suites");
        let classes = self.work.join("suite-classes");
        fs::create_dir_all(&sources).into_diagnostic()?;
        let mut files = Vec::new();
        for client in clients {
            let file = sources.join(format!("{client}Suite.java"));
            let text = format!(
                "public class {client}Suite {{\n    @org.junit.Test\n    public void passes() throws Exception \
                 {{\n        {client}Test.main(new String[0]);\n    }}\n}}\n"
            );
            fs::write(&file, text).into_diagnostic()?;
            files.push(file);
        }
        let output = Command::new("javac")
            .args(["-cp", class_path, "-d"])
            .arg(&classes)
            .args(files)
            .output()
            .into_diagnostic()?;
        if !output.status.success() {
            return Err(miette!("javac: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(classes)
    }
}
