//! The locations that methods really read and write, gathered from runs of a subject that watches them.
//!
//! Paper: none; bookkeeping.

use std::collections::BTreeMap;

use adit_trace::{Callable, Effects, Run, Script};

/// The effects of all calls of each callable together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EffectSummary {
    by_callable: BTreeMap<Callable, (u64, Effects)>,
}

impl EffectSummary {
    /// Nothing observed yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the effects of the calls of a run.
    pub fn observe(&mut self, script: &Script, run: &Run) {
        for (statement, step) in script.statements.iter().zip(&run.steps) {
            let Some(effects) = &step.effects else { continue };
            if !self.by_callable.contains_key(&*statement.callable) {
                self.by_callable.insert((*statement.callable).clone(), Default::default());
            }
            let (calls, known) =
                self.by_callable.get_mut(&*statement.callable).expect("it was just inserted");
            *calls += 1;
            // A call rarely touches a location that none before it did, so most calls cost only lookups.
            for (all, new) in [(&mut known.reads, &effects.reads), (&mut known.writes, &effects.writes)] {
                for location in new {
                    if !all.contains(location) {
                        all.insert(location.clone());
                    }
                }
            }
        }
    }

    /// The callables that were watched, how often, and their effects.
    pub fn iter(&self) -> impl Iterator<Item = (&Callable, u64, &Effects)> {
        self.by_callable.iter().map(|(callable, (calls, effects))| (callable, *calls, effects))
    }

    /// The effects of the calls of a callable, if one was watched.
    pub fn of(&self, callable: &Callable) -> Option<&Effects> {
        self.by_callable.get(callable).map(|(_, effects)| effects)
    }
}
