//! Records the fields of objects while the class runs, and makes the model from them: SEKT, CONTRACTOR++ and
//! TEMI (`adit_infer`).
//!
//! Tests of the campaign that the model rejects are run again and added, until it accepts all of them. TEMI's
//! guesses are then tried on the class (`confirm.rs`), unless that is switched off.

use std::collections::BTreeSet;

use adit_automata::Fsa;
use adit_infer::{Horizon, StateLimit};
use adit_smt::{Missing, Solver};
use adit_trace::{Labels, Letter, Script, Stop};
use miette::Report;

use self::confirm::Confirmed;
use self::log::Log;
use super::{Evidence, Make, MinedModel, Miner, More, Round};
use crate::campaign::RetentionPolicy;
use crate::from_states::{FromStates, Solved, StateModel, infer_from_states, solver};
use crate::results::Invariants;

mod confirm;
mod log;

pub(super) const SEKT: Miner = Miner {
    name: "sekt",
    aliases: &[],
    about: "Runs with states: merge like k-tail, but never states in which the object differs",
    retention: RetentionPolicy::NewPairs,
    resolves_doubt: false,
    needs_solver: false,
    make: Make::FromEvidence(|round, _: &Evidence| mined(round, FromStates::Sekt(HORIZON), &mut Missing)),
};

pub(super) const CONTRACTOR: Miner = Miner {
    name: "contractor",
    about: "Invariants found in runs: allow every call that pre- and postconditions allow",
    needs_solver: true,
    make: Make::FromEvidence(|round, _: &Evidence| {
        let mut solver = solver(None, "--miner contractor", round.pace.deadline())?;
        mined(round, FromStates::Contractor, &mut solver)
    }),
    ..SEKT
};

pub(super) const TEMI: Miner = Miner {
    name: "temi",
    about: "The same refined by runs: guesses are tried on the class, the rest is marked as maybe",
    needs_solver: true,
    make: Make::FromEvidence(|round, _: &Evidence| {
        let mut solver = solver(None, "--miner temi", round.pace.deadline())?;
        mined(round, FromStates::Temi, &mut solver)
    }),
    ..SEKT
};

/// Calls ahead that SEKT compares, and states beyond which models from invariants keep to observed ones: the
/// defaults of `adit infer`.
const HORIZON: Horizon = Horizon(1);
const MOST_STATES: StateLimit = StateLimit(100);

/// Random tests whose states are recorded. More hardly change the invariants, and all of them are read again
/// for every model.
const RECORDED: usize = 1500;

/// Random tests that are run at a time; then the clock is checked.
const BATCH: usize = 100;

/// Tests of the campaign that are added in one turn.
const TESTS: usize = 100;

/// Turns after which tests that the model rejects are left to the choice of the model.
const TURNS: usize = 5;

fn mined(
    round: &mut Round<'_>,
    algorithm: FromStates,
    solver: &mut dyn Solver,
) -> Result<MinedModel, Report> {
    round.pace.explore_until_the_end();
    let mut log = Log::default();
    let mut left = RECORDED;
    while left > 0 && round.pace.over().is_none() {
        let count = BATCH.min(left);
        left -= count;
        let scripts = round.random_scripts(count, 1);
        round.record_states(&mut log, &scripts)?;
    }
    // The tests that were kept show what random ones rarely do.
    let kept: Vec<Script> = round.tests.tests().iter().map(|(script, _)| script.clone()).collect();
    round.record_states(&mut log, &kept)?;
    let first = log.len();
    let mut found = round.model_of(&mut log, algorithm, solver)?;
    let claimed = found.contracts.clone();
    let mut confirmed = Confirmed::default();
    if algorithm == FromStates::Temi && round.request.model.confirm {
        (found, confirmed) = round.confirm(&mut log, found, solver)?;
    }
    if let Some(lack) = found.solved.as_ref().and_then(Solved::unanswered) {
        round.progress.remark(&format!("note: {lack}"));
    }
    let alphabet = round.calls.reader.alphabet();
    let label = |&letter: &Letter| alphabet.name(letter).to_owned();
    let model: Fsa<String> = confirmed.without_refuted(&found.model).map(label);
    let refuted = log.violations(&claimed, first);
    let tests: Vec<Script> = refuted.iter().map(|(_, script)| script.clone()).collect();
    round.tests.add(&mut round.workers, &tests)?;
    let refuted = refuted.into_iter().map(|(claim, script)| (claim, round.tests.position(&script)));
    let invariants = Invariants::new(&found.contracts, refuted.collect());
    if algorithm == FromStates::Temi && round.request.model.confirm {
        round.progress.remark(&format!("note: {}; {}", confirmed.told(&found.model), invariants.told()));
    }
    let stop = round.pace.over().unwrap_or(Stop::Done);
    Ok(MinedModel::inferred(model, stop, More { invariants: Some(invariants), ..More::default() }))
}

impl Round<'_> {
    /// Runs scripts, and adds the objects that they show with their states.
    fn record_states(&mut self, log: &mut Log, scripts: &[Script]) -> Result<(), Report> {
        let runs = self.run_and_learn(scripts, SEKT.retention)?;
        for (script, run) in scripts.iter().zip(&runs) {
            log.add(script, run, self.calls.reader);
        }
        Ok(())
    }

    /// The model of what is recorded, and of the tests of the campaign that it would reject.
    fn model_of(
        &mut self,
        log: &mut Log,
        algorithm: FromStates,
        solver: &mut dyn Solver,
    ) -> Result<StateModel, Report> {
        let mut tried = BTreeSet::new();
        for _ in 0..TURNS {
            let found = self.infer_model(log, algorithm, solver)?;
            let alphabet = self.calls.reader.alphabet();
            let model = found.model.map(|&letter| alphabet.name(letter).to_owned());
            let mut tests = self.workers.recorder.tests_rejected_by(&model, TESTS)?;
            tests.retain(|script| tried.insert(script.to_json()));
            if tests.is_empty() || self.pace.over().is_some() {
                return Ok(found);
            }
            self.record_states(log, &tests)?;
        }
        self.infer_model(log, algorithm, solver)
    }

    fn infer_model(
        &mut self,
        log: &Log,
        algorithm: FromStates,
        solver: &mut dyn Solver,
    ) -> Result<StateModel, Report> {
        let alphabet = self.calls.reader.alphabet();
        let (limit, choose) = (MOST_STATES, |contracts: &_| log.decisive(contracts));
        infer_from_states(log.traces(), Labels::Outcome, alphabet, algorithm, limit, &choose, solver)
    }
}
