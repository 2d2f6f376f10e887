//! `invariants.json`: what fields, arguments and results satisfied in every recorded call, and the invariants
//! that a test refuted.

use std::collections::BTreeMap;

use adit_logic::contract::{Clause, Contracts};
use adit_mine::ProgramPoint;
use serde::{Deserialize, Serialize};

use super::ResultFile;
use crate::output::counted;

/// The invariants of a class, as a miner that uses states leaves them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Invariants {
    /// Invariants that no recorded call violates, by the moment at which they hold: `push:::ENTER`.
    pub(crate) holding: BTreeMap<String, Vec<String>>,
    /// Invariants of the first runs that a later test violates.
    pub(crate) refuted: Vec<RefutedInvariant>,
}

/// An invariant that a test violates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RefutedInvariant {
    pub(crate) at: String,
    pub(crate) invariant: String,
    /// The number of the test in `tests.json`, if there was time to keep it.
    pub(crate) test: Option<usize>,
}

impl ResultFile for Invariants {
    const NAME: &'static str = "invariants.json";
}

impl Invariants {
    pub(crate) fn new(contracts: &Contracts, refuted: Vec<((ProgramPoint, Clause), Option<usize>)>) -> Self {
        let texts = |clauses: &[Clause]| clauses.iter().map(ToString::to_string).collect::<Vec<String>>();
        let mut holding = BTreeMap::from([(ProgramPoint::Object.name(None), texts(&contracts.object))]);
        for (label, contract) in &contracts.calls {
            holding.insert(ProgramPoint::Entry(label.clone()).name(None), texts(&contract.pre));
            holding.insert(ProgramPoint::Exit(label.clone()).name(None), texts(&contract.post));
        }
        holding.retain(|_, texts| !texts.is_empty());
        let refuted = refuted.into_iter().map(|((point, clause), test)| RefutedInvariant {
            at: point.name(None),
            invariant: clause.to_string(),
            test,
        });
        Self { holding, refuted: refuted.collect() }
    }

    /// Says how many hold, and how many were refuted.
    pub(crate) fn told(&self) -> String {
        let holding = self.holding.values().map(Vec::len).sum::<usize>();
        format!("{}, {} refuted by a test", counted(holding, "invariant"), self.refuted.len())
    }
}
