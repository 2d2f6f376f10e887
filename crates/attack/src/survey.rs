//! What random scripts show of a class: moves worth trying anywhere, and situations to try them in.
//!
//! Random scripts are cut into moves. Of these, few are kept: those that together show every event that any of them showed, tried in
//! many situations.
//!
//! Paper: none; bookkeeping for [`assay`](crate::assay) and [`validate`](crate::validate).
//! Cost: the scripts of the survey, and at most about as many tries as [`pool_of`] is told.

use std::collections::{BTreeMap, BTreeSet};

use adit_trace::{Run, Script, Subject};
use rand::{Rng, RngExt};

use crate::Generator;
use crate::assay::AssayOptions;
use crate::moves::{self, Move, Situation};
use crate::tries::{Tries, mark};

/// What random scripts showed.
pub(crate) struct Surveyed {
    /// The scripts, with what came of them.
    pub(crate) runs: Vec<(Script, Run)>,
    /// Moves and ways to make an object, each once.
    pub(crate) candidates: Vec<Move>,
    pub(crate) starts: Vec<Move>,
    /// Situations with different fields, and the shortest for each.
    pub(crate) situations: Vec<Situation>,
}

/// Runs random scripts, from which the generator learns.
pub(crate) fn survey<S: Subject>(
    tries: &mut Tries<'_, S>,
    generator: &mut Generator,
    options: &AssayOptions,
    rng: &mut impl Rng,
) -> Result<Surveyed, S::Error> {
    let mut surveyed =
        Surveyed { runs: Vec::new(), candidates: Vec::new(), starts: Vec::new(), situations: Vec::new() };
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    let mut marks = BTreeSet::new();
    // In parts, so that the generator learns from the first for the last.
    for _ in 0..4 {
        let scripts: Vec<Script> = (0..options.survey.div_ceil(4))
            .map(|_| {
                let calls = rng.random_range(0..=options.calls);
                generator.script(rng, calls)
            })
            .collect();
        let runs = tries.run(&scripts)?;
        for (script, run) in scripts.into_iter().zip(runs) {
            generator.observe(&script, &run);
            for heard in tries.ear.hear(&script, &run) {
                let mut keep = |list: &mut Vec<Move>, one: Option<Move>, most: usize| {
                    let Some(one) = one else { return };
                    let count = counts.entry(one.callable().clone()).or_default();
                    if *count < most && !list.contains(&one) {
                        *count += 1;
                        list.push(one);
                    }
                };
                keep(
                    &mut surveyed.starts,
                    Move::cut_out(&script, heard.object, heard.object),
                    3 * options.candidates,
                );
                for at in heard.object + 1..run.steps.len() {
                    if script.statements[at].receiver == Some(heard.object) {
                        keep(
                            &mut surveyed.candidates,
                            Move::cut_out(&script, at, heard.object),
                            options.candidates,
                        );
                    }
                }
                for &at in &heard.statements {
                    if marks.insert(mark(run.steps[at].fields.as_ref())) {
                        let script = Script { statements: script.statements[..=at].to_vec() };
                        surveyed.situations.push(Situation { script, object: heard.object });
                    }
                }
            }
            surveyed.runs.push((script, run));
        }
    }
    surveyed.candidates.retain(|one| !one.passes(&tries.heavy));
    surveyed.starts.retain(|one| !one.passes(&tries.heavy));
    surveyed.situations.sort_by_key(|situation| situation.script.statements.len());
    Ok(surveyed)
}

/// The moves that are tried everywhere.
pub(crate) struct Pool {
    pub(crate) starts: Vec<Move>,
    pub(crate) moves: Vec<Move>,
}

/// Keeps the candidates that together show what all showed.
pub(crate) fn pool<S: Subject>(
    tries: &mut Tries<'_, S>,
    surveyed: &Surveyed,
    options: &AssayOptions,
    rng: &mut impl Rng,
) -> Result<Pool, S::Error> {
    const TRIES: usize = 60_000;
    pool_of(tries, surveyed, options, TRIES, rng)
}

/// The same with about this many tries, or as many as it takes to see every candidate in a few situations.
pub(crate) fn pool_of<S: Subject>(
    tries: &mut Tries<'_, S>,
    surveyed: &Surveyed,
    options: &AssayOptions,
    most_tries: usize,
    rng: &mut impl Rng,
) -> Result<Pool, S::Error> {
    let most = (most_tries / surveyed.candidates.len().max(1)).clamp(8, 150);
    // The shortest situations, and some of the others.
    let mut chosen: Vec<&Situation> = surveyed.situations.iter().take(most / 2).collect();
    let rest = surveyed.situations.get(most / 2..).unwrap_or_default();
    chosen.extend((0..most - most / 2).filter_map(|_| rest.get(rng.random_range(0..rest.len().max(1)))));
    let mut seen = vec![BTreeSet::new(); surveyed.candidates.len()];
    for (number, situation) in (0..).zip(&chosen) {
        if situation.passes(&tries.heavy) {
            continue;
        }
        let (indexes, behind): (Vec<usize>, Vec<Situation>) = surveyed
            .candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| {
                !tries.is_deadly(candidate.callable()) && !candidate.passes(&tries.heavy)
            })
            .map(|(index, candidate)| (index, candidate.behind(situation)))
            .unzip();
        for (index, tried) in indexes.into_iter().zip(tries.last_calls(&behind)?) {
            if let Some(tried) = tried {
                seen[index].insert((number, tried.letter));
            }
        }
    }
    let moves = moves::choose(surveyed.candidates.clone(), &seen, options.moves);
    // Of the ways to make an object, those with different fields.
    let made: Vec<Situation> = surveyed.starts.iter().map(Move::start).collect();
    let marks = tries.last_calls(&made)?;
    let mut order: Vec<usize> = (0..surveyed.starts.len()).filter(|&start| marks[start].is_some()).collect();
    order.sort_by_key(|&start| surveyed.starts[start].len());
    let (mut known, mut counts, mut starts) = (BTreeSet::new(), BTreeMap::new(), Vec::new());
    for start in order {
        let start_move = &surveyed.starts[start];
        let count: &mut usize = counts.entry(start_move.callable()).or_default();
        if *count < 2 * options.moves
            && known.insert(marks[start].as_ref().map(|tried| (tried.letter, tried.mark)))
        {
            *count += 1;
            starts.push(start_move.clone());
        }
    }
    Ok(Pool { starts, moves })
}
