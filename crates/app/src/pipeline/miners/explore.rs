//! Explores which calls are enabled in very many situations, by running them (`adit_attack::explore`).

use std::collections::{BTreeSet, HashMap};

use adit_attack::EventReader;
use adit_attack::explore::{Explored, Explorer, Laboratory, Prior, explore};
use adit_trace::{Letter, Script};
use miette::Report;
use rand::rngs::ChaCha8Rng;

use super::{Make, MinedModel, Miner, More, Round};
use crate::campaign::{ModelCandidate, RecordingSubject, RetentionPolicy};
use crate::pipeline::workers::PacedSubject;
use crate::under_test::{AnyAuthor, AnyHost};
use crate::witnesses::{Refuses, Takes, Witnesses};

pub(super) const MINER: Miner = Miner {
    name: "explore",
    aliases: &["assay"],
    about: "Exploration: drive objects into many states and try every call in each",
    retention: RetentionPolicy::NewPairs,
    resolves_doubt: true,
    needs_solver: false,
    make: Make::ByRunning(explore_class),
};

fn explore_class(round: &mut Round<'_>) -> Result<MinedModel, Report> {
    let prior = Prior {
        pure: round.pure.clone(),
        doubtful: round.doubtful.clone(),
        scripts: std::mem::take(&mut round.earlier_tests),
    };
    let options = round.request.model.exploration.clone();
    let explorer = round.in_laboratory(|laboratory| explore(laboratory, prior, options))?;
    let (mined, pure) = made(explorer, round.calls.reader);
    round.pure = pure;
    Ok(mined)
}

/// The model of everything that the explorer knows, and the events without a side effect.
pub(in crate::pipeline) fn made(
    mut explorer: Explorer,
    reader: &EventReader,
) -> (MinedModel, BTreeSet<Letter>) {
    let found = explorer.explored(reader);
    let tests = found.tests();
    let positions: HashMap<String, usize> =
        { tests.iter().enumerate() }.map(|(position, script)| (script.to_json(), position)).collect();
    let pure = found.pure.clone();
    let mined = MinedModel {
        stop: found.stop,
        unrealized: Some(found.unrealized.clone()),
        candidate: ModelCandidate {
            // A round whose time was over before it began has nothing left to try, and is not done.
            complete: found.stop.is_done() && found.model.transitions() > 0,
            realized: found.realized,
            walks: None,
            explored: found.situations as u64,
            witnesses: witnesses(&found, |script| positions.get(&script.to_json()).copied()),
            model: found.model,
            tests,
        },
        explorer: Some(explorer),
        more: More { fine: found.fine, ..More::default() },
    };
    (mined, pure)
}

impl Round<'_> {
    /// Calls `act` with what an explorer needs.
    pub(in crate::pipeline) fn in_laboratory<T>(
        &mut self,
        act: impl FnOnce(&mut Laboratory<'_, ExploredSubject<'_, '_>, AnyAuthor, ChaCha8Rng>) -> Result<T, Report>,
    ) -> Result<T, Report> {
        let mut subject = self.workers.keeping(MINER.retention);
        act(&mut Laboratory {
            subject: &mut subject,
            author: &mut *self.calls.generator,
            reader: self.calls.reader,
            rng: &mut self.rng,
            pace: &mut self.pace,
        })
    }
}

/// The subject that an explorer runs.
pub(in crate::pipeline) type ExploredSubject<'w, 'a> = RecordingSubject<'w, 'a, PacedSubject<'w, AnyHost>>;

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
