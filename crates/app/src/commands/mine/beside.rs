//! Knowledge of a round beside its model: a finer model, parts that are independent of the rest, and how long
//! nothing changed.

use std::collections::BTreeSet;

use crate::campaign::DetailedModel;
use crate::pipeline::{Mined, More};
use crate::results::Invariants;
use crate::results::run::GuardSummary;

/// Knowledge beside a model. A miner that has none leaves it empty.
pub(super) struct Beside {
    pub(super) detail: Option<DetailedModel>,
    /// Labels of each part of the protocol that is independent of the rest, such as a flag.
    pub(super) modes: Vec<BTreeSet<String>>,
    /// Number of rounds at the end of the search that changed nothing.
    pub(super) stable_rounds: usize,
    /// Conditions on arguments.
    pub(super) guards: Vec<GuardSummary>,
    /// Invariants, if the miner uses them.
    pub(super) invariants: Option<Invariants>,
}

impl Beside {
    /// Returns what a round knows beside its model.
    pub(super) fn of(mined: &Mined) -> Self {
        let More { fine, fine_walks, modes, stable_rounds, invariants } = &mined.more;
        let detail = fine.as_ref().map(|fine| DetailedModel {
            model: fine.model.clone(),
            walks: *fine_walks,
            coarse: fine.part_of.clone(),
        });
        let modes = modes.iter().flat_map(|factored| &factored.modes).map(|mode| mode.labels.clone());
        let (modes, stable_rounds, invariants) = (modes.collect(), *stable_rounds, invariants.clone());
        Self { detail, modes, stable_rounds, guards: Vec::new(), invariants }
    }
}
