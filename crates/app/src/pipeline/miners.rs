//! Step 2, and the table of miners: the algorithms that `adit mine` can make a model with.
//!
//! A new miner is one file beside `explore.rs` and `dice.rs`, and one row in [`MINERS`]. `--miner` and its
//! help, the identity of campaigns, the choice between models, the summary and the page take everything from
//! the row and from the [`MinedModel`] that its function returns.
//!
//! A miner from traces gets the [`Round`] and the [`Evidence`]. [`Round::each_word`] streams all words of the
//! campaign; running stored tests again gives their events with arguments, results and the fields of the
//! object after each call.

use adit_attack::explore::modes::Factored;
use adit_attack::explore::{Explorer, FineModel};
use adit_attack::validate::Rate;
use adit_automata::Fsa;
use adit_logic::Property;
use adit_trace::{Letter, Stop};
use miette::Report;

use super::Round;
use crate::campaign::{ModelCandidate, RetentionPolicy};
use crate::from_states::solver;
use crate::results::Invariants;
use crate::witnesses::Witnesses;

mod behavior;
mod dice;
pub(super) mod explore;
mod stateful;

/// All miners, the default first.
pub(crate) static MINERS: [Miner; 6] =
    [explore::MINER, dice::MINER, stateful::SEKT, stateful::CONTRACTOR, stateful::TEMI, behavior::MINER];

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Miner {
    /// Name for `--miner`. Campaigns store it, so it never changes.
    pub(crate) name: &'static str,
    /// Names that earlier versions used; `--miner` still takes them.
    pub(crate) aliases: &'static [&'static str],
    /// One line for `--help`.
    pub(crate) about: &'static str,
    /// Runs that are stored while purity is measured, the class is explored and properties are attacked.
    pub(super) retention: RetentionPolicy,
    /// The miner finds out by itself whether a call matters that changes fields only.
    pub(super) resolves_doubt: bool,
    /// The miner asks a solver, z3 or cvc5.
    pub(super) needs_solver: bool,
    make: Make,
}

/// The way in which a miner makes its model.
#[derive(Debug)]
enum Make {
    /// By running the class, before properties are mined: its runs are evidence for them.
    ByRunning(fn(&mut Round<'_>) -> Result<MinedModel, Report>),
    /// From the words of the campaign and the properties that survived the attack.
    FromEvidence(InferModel),
}

type InferModel = fn(&mut Round<'_>, &Evidence) -> Result<MinedModel, Report>;

impl Miner {
    /// Fails if the machine lacks something that the miner needs, before any time is spent.
    pub(crate) fn check(&self) -> Result<(), Report> {
        if self.needs_solver {
            solver(None, &format!("--miner {}", self.name), None).map(drop)
        } else {
            Ok(())
        }
    }
}

/// Knowledge at the end of the attack, beside the words of the campaign.
pub(super) struct Evidence {
    /// Properties that no word violates, and that survived the attack if they were attacked.
    pub(super) properties: Vec<Property<Letter>>,
}

/// Result of a miner.
pub(super) struct MinedModel {
    /// The model with its figures, its tests, and how each transition and refusal is known.
    pub(super) candidate: ModelCandidate,
    /// Shortest walks of the model that could not be realized, if the miner looked for any.
    pub(super) unrealized: Option<Vec<Vec<String>>>,
    /// Reason why the miner ended.
    pub(super) stop: Stop,
    /// The exploration that made it, if it can go on.
    pub(super) explorer: Option<Explorer>,
    /// Knowledge beside the model.
    pub(super) more: More,
}

impl MinedModel {
    /// A model that was inferred from what runs showed, without a search of its own.
    fn inferred(model: Fsa<String>, stop: Stop, more: More) -> Self {
        let candidate = ModelCandidate {
            complete: model.transitions() > 0,
            model,
            realized: None,
            walks: None,
            explored: 0,
            tests: Vec::new(),
            witnesses: Witnesses::default(),
        };
        Self { candidate, unrealized: None, stop, explorer: None, more }
    }
}

/// Knowledge about a class beside its model.
#[derive(Default)]
pub(crate) struct More {
    /// A model with more states, of which the model is a quotient, if the class counts.
    pub(crate) fine: Option<FineModel>,
    /// The figure of that model, measured like the other's.
    pub(crate) fine_walks: Option<Rate>,
    /// Parts of the model that are independent of the rest.
    pub(crate) modes: Option<Factored>,
    /// Number of rounds at the end that changed nothing.
    pub(crate) stable_rounds: usize,
    /// Invariants, if the miner uses them.
    pub(crate) invariants: Option<Invariants>,
}

/// The model of a round before the attack: made, or still to be made.
pub(super) enum Draft {
    Made(Box<MinedModel>),
    Pending(InferModel),
}

impl Draft {
    /// Reason why making the model ended; nothing has cut short one that is still to be made.
    pub(super) fn stop(&self) -> Stop {
        match self {
            Self::Made(mined) => mined.stop,
            Self::Pending(_) => Stop::Done,
        }
    }

    /// The model, if it was made by running the class.
    pub(super) fn explored(&mut self) -> Option<&mut MinedModel> {
        match self {
            Self::Made(mined) => Some(mined),
            Self::Pending(_) => None,
        }
    }

    /// Makes the model, unless it is made.
    pub(super) fn finish(self, round: &mut Round<'_>, evidence: &Evidence) -> Result<MinedModel, Report> {
        match self {
            Self::Made(mined) => Ok(*mined),
            Self::Pending(infer) => infer(round, evidence),
        }
    }
}

impl Round<'_> {
    /// Makes the model now, if the miner does it by running the class.
    pub(super) fn explore(&mut self) -> Result<Draft, Report> {
        match self.request.model.miner.make {
            Make::FromEvidence(infer) => Ok(Draft::Pending(infer)),
            Make::ByRunning(explore) => {
                let mined = explore(self)?;
                self.pace.explored(mined.candidate.model.len());
                Ok(Draft::Made(Box::new(mined)))
            }
        }
    }

    /// Calls `visit` with every word of the campaign.
    fn each_word(&mut self, visit: impl FnMut(&[Letter])) -> Result<(), Report> {
        self.workers.recorder.each_word(0, visit).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Campaigns hold these names; one that changed could not be continued.
    #[test]
    fn names_are_those_that_campaigns_hold() {
        assert_eq!(
            MINERS.each_ref().map(|miner| miner.name),
            ["explore", "dice", "sekt", "contractor", "temi", "adabu"]
        );
        let all = MINERS.iter().flat_map(|miner| miner.aliases.iter().chain([&miner.name]));
        let (count, distinct) = (all.clone().count(), all.collect::<BTreeSet<_>>().len());
        assert_eq!(count, distinct, "two miners share a name");
    }
}
