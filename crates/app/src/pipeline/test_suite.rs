//! The tests that a round ends with: they show what the model says, or refute properties.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use adit_trace::{Run, Script};
use miette::Report;

use super::workers::Workers;

/// Tests with their runs, each once.
#[derive(Default)]
pub(super) struct TestSuite {
    tests: Vec<(Script, Run)>,
    /// Position of each test, by its text.
    positions: HashMap<String, usize>,
}

impl TestSuite {
    /// Runs scripts once more, to store all there is to tell about them, and adds those that are new.
    pub(super) fn add(&mut self, workers: &mut Workers<'_>, scripts: &[Script]) -> Result<(), Report> {
        let runs = workers.run_again(scripts)?;
        for (script, run) in scripts.iter().zip(runs) {
            // A test that refutes a property is kept even if there was no time to run it once more.
            if let Entry::Vacant(position) = self.positions.entry(script.to_json()) {
                position.insert(self.tests.len());
                self.tests.push((script.clone(), run));
            }
        }
        Ok(())
    }

    /// Position of a test.
    pub(super) fn position(&self, script: &Script) -> Option<usize> {
        self.positions.get(&script.to_json()).copied()
    }

    /// A test with its run.
    pub(super) fn of(&self, script: &Script) -> Option<&(Script, Run)> {
        self.position(script).map(|position| &self.tests[position])
    }

    pub(super) fn len(&self) -> usize {
        self.tests.len()
    }

    pub(super) fn tests(&self) -> &[(Script, Run)] {
        &self.tests
    }

    pub(super) fn into_tests(self) -> Vec<(Script, Run)> {
        self.tests
    }
}
