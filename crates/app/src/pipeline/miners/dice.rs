//! Infers the model from traces, as DICE does (`adit_infer::dice_miner`).

use adit_infer::dice_miner;
use adit_trace::{Letter, Stop};
use miette::Report;

use super::{Evidence, Make, MinedModel, Miner, More, Round};
use crate::campaign::{ModelCandidate, RetentionPolicy};
use crate::witnesses::Witnesses;

pub(super) const MINER: Miner = Miner {
    name: "dice",
    aliases: &[],
    about: "Traces, as in DICE: merge states unless that violates a surviving property",
    retention: RetentionPolicy::Refutations,
    resolves_doubt: false,
    needs_solver: false,
    make: Make::FromEvidence(infer),
};

fn infer(round: &mut Round<'_>, evidence: &Evidence) -> Result<MinedModel, Report> {
    let mut words: Vec<Vec<Letter>> = Vec::new();
    round.each_word(|word| words.push(word.to_vec()))?;
    let constraints = round.request.model.constraints.into();
    let alphabet = round.calls.reader.alphabet();
    let model = dice_miner(&words, &evidence.properties, &round.pure, constraints)
        .map(|&letter| alphabet.name(letter).to_owned());
    Ok(MinedModel {
        candidate: ModelCandidate {
            complete: model.transitions() > 0,
            model,
            realized: None,
            walks: None,
            explored: 0,
            tests: Vec::new(),
            witnesses: Witnesses::default(),
        },
        unrealized: None,
        stop: Stop::Done,
        explorer: None,
        more: More::default(),
    })
}
