//! Explores which calls are enabled in very many situations, by running them (`adit_attack::explore`).

use std::collections::HashMap;

use adit_attack::explore::{Explored, Prior, explore};
use adit_trace::Script;
use miette::Report;

use super::{Make, MinedModel, Miner, Round};
use crate::campaign::{ModelCandidate, RetentionPolicy};
use crate::witnesses::{Refuses, Takes, Witnesses};

pub(super) const MINER: Miner = Miner {
    name: "explore",
    aliases: &["assay"],
    about: "Exploration: drive objects into many states and try every call in each",
    retention: RetentionPolicy::NewPairs,
    resolves_doubt: true,
    make: Make::ByRunning(explore_class),
};

fn explore_class(round: &mut Round<'_>) -> Result<MinedModel, Report> {
    let prior = Prior {
        pure: round.pure.clone(),
        doubtful: round.doubtful.clone(),
        scripts: std::mem::take(&mut round.earlier_tests),
    };
    let options = round.request.model.exploration.clone();
    let mut subject = round.workers.keeping(MINER.retention);
    let (generator, reader) = (&mut *round.calls.generator, round.calls.reader);
    let found = explore(&mut subject, generator, reader, prior, options, &mut round.rng, &mut round.pace)?;
    round.pure.clone_from(&found.pure);
    let tests = found.tests();
    let positions: HashMap<String, usize> =
        { tests.iter().enumerate() }.map(|(position, script)| (script.to_json(), position)).collect();
    Ok(MinedModel {
        stop: found.stop,
        unrealized: Some(found.unrealized.clone()),
        candidate: ModelCandidate {
            // A round whose time was over before it began has nothing left to try, and is not done.
            complete: found.stop.is_done() && found.model.transitions() > 0,
            realized: found.realized,
            explored: found.situations as u64,
            witnesses: witnesses(&found, |script| positions.get(&script.to_json()).copied()),
            model: found.model,
            tests,
        },
    })
}

/// The tests that show each transition and each refusal. `position` gives that of a test.
fn witnesses(found: &Explored, position: impl Fn(&Script) -> Option<usize>) -> Witnesses {
    let takes = found.witnesses.iter().filter_map(|witness| {
        Some(Takes {
            from: witness.from,
            event: witness.label.clone(),
            to: witness.to,
            situations: witness.situations,
            test: position(&witness.script)?,
        })
    });
    let refuses = found.refusals.iter().filter_map(|refusal| {
        Some(Refuses {
            state: refusal.state,
            event: refusal.label.clone(),
            times: refusal.times,
            test: position(&refusal.script)?,
        })
    });
    Witnesses { takes: takes.collect(), refuses: refuses.collect() }
}
