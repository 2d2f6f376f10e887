//! Which fields the methods of a class really read and write, gathered from runs with the fields watched.
//!
//! Paper: none; bookkeeping.

use std::collections::BTreeMap;

use adit_trace::{Callable, Run, Script, Touched};

/// For each callable, the fields that its calls touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    touched: BTreeMap<Callable, (u64, Touched)>,
}

impl Effects {
    /// Nothing observed yet.
    pub fn new() -> Effects {
        Effects::default()
    }

    /// Adds what the calls of a run touched.
    pub fn observe(&mut self, script: &Script, run: &Run) {
        for (statement, step) in script.statements.iter().zip(&run.steps) {
            let Some(touched) = &step.touched else { continue };
            if !self.touched.contains_key(&*statement.callable) {
                self.touched.insert((*statement.callable).clone(), Default::default());
            }
            let (calls, known) = self.touched.get_mut(&*statement.callable).expect("it was just inserted");
            *calls += 1;
            // A call rarely touches what none before it did, so that most calls cost only look-ups.
            for (all, new) in [(&mut known.reads, &touched.reads), (&mut known.writes, &touched.writes)] {
                for field in new {
                    if !all.contains(field) {
                        all.insert(field.clone());
                    }
                }
            }
        }
    }

    /// The callables that were watched at least once, with how often, and what they touched.
    pub fn iter(&self) -> impl Iterator<Item = (&Callable, u64, &Touched)> {
        self.touched.iter().map(|(callable, (calls, touched))| (callable, *calls, touched))
    }

    /// What the calls of a callable touched; nothing if none was watched.
    pub fn of(&self, callable: &Callable) -> Option<&Touched> {
        self.touched.get(callable).map(|(_, touched)| touched)
    }
}
