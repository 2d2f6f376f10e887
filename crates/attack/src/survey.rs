//! What random scripts show of a class: moves worth trying anywhere, and situations to try them in.
//!
//! Random scripts are cut into moves. Of these, few are kept: those that together show every event that any of them showed, tried in
//! many situations, and every kind of effect: `put(null)` may be no other event than `put("a")`, but it leaves a cell empty.
//!
//! Paper: none; bookkeeping for [`assay`](crate::assay) and [`validate`](crate::validate).
//! Cost: the scripts of the survey, and at most about as many tries as [`pool_of`] is told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_trace::{Callable, Letter, Pace, Phase, Progress, Run, Script, Subject};
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

/// So many times as many ways to make an object are compared as moves of a method.
const STARTS: usize = 3;

/// So many times as many moves are gathered as are compared, because rare values come late and matter most.
const PLENTY: usize = 4;

/// Runs random scripts, from which the generator learns. `pace` may end it early.
pub(crate) fn survey<S: Subject>(
    tries: &mut Tries<'_, S>,
    generator: &mut Generator,
    options: &AssayOptions,
    rng: &mut impl Rng,
    pace: &mut dyn Pace,
) -> Result<Surveyed, S::Error> {
    let mut surveyed =
        Surveyed { runs: Vec::new(), candidates: Vec::new(), starts: Vec::new(), situations: Vec::new() };
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    let mut marks = BTreeSet::new();
    // In parts, so that the generator learns from the first for the last. What was known before comes first of all.
    const PARTS: usize = 12;
    for part in 0..=PARTS {
        if part > 1 && pace.go_on(&Progress::new(Phase::Survey, tries.run)).is_break() {
            break;
        }
        let scripts: Vec<Script> = match part {
            0 => options.known.clone(),
            _ => (0..options.survey.div_ceil(PARTS))
                .map(|_| {
                    let calls = rng.random_range(0..=options.calls);
                    generator.script(rng, calls)
                })
                .collect(),
        };
        let runs = tries.run(&scripts)?;
        for (script, run) in scripts.into_iter().zip(runs) {
            if !run.was_run() {
                continue;
            }
            generator.observe(&script, &run);
            for heard in tries.ear.hear(&script, &run) {
                let mut keep = |list: &mut Vec<Move>, one: Option<Move>, most: usize| {
                    let Some(one) = one else { return };
                    let count = counts.entry(one.callable().clone()).or_default();
                    if *count < PLENTY * most && !list.contains(&one) {
                        *count += 1;
                        list.push(one);
                    }
                };
                keep(
                    &mut surveyed.starts,
                    Move::cut_out(&script, heard.object, heard.object),
                    STARTS * options.candidates,
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
    surveyed.candidates = moves::some_of_each_kind(surveyed.candidates, options.candidates);
    surveyed.starts = moves::some_of_each_kind(surveyed.starts, STARTS * options.candidates);
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
    pace: &mut dyn Pace,
) -> Result<Pool, S::Error> {
    const TRIES: usize = 60_000;
    pool_of(tries, surveyed, options, TRIES, rng, pace)
}

/// The same with about this many tries, or as many as it takes to see every candidate in a few situations.
pub(crate) fn pool_of<S: Subject>(
    tries: &mut Tries<'_, S>,
    surveyed: &Surveyed,
    options: &AssayOptions,
    most_tries: usize,
    rng: &mut impl Rng,
    pace: &mut dyn Pace,
) -> Result<Pool, S::Error> {
    let most = (most_tries / surveyed.candidates.len().max(1)).clamp(8, 150);
    // The shortest situations and some of the others, in turn, so that breaking off leaves both.
    let (short, rest) = surveyed.situations.split_at(surveyed.situations.len().min(most / 2));
    let mut chosen: Vec<&Situation> = Vec::new();
    for number in 0..most {
        let other = rest.get(rng.random_range(0..rest.len().max(1)));
        chosen.extend(if number.is_multiple_of(2) { short.get(number / 2) } else { other });
    }
    let mut seen = vec![moves::Shown::new(); surveyed.candidates.len()];
    for (number, situation) in (0..).zip(&chosen) {
        if situation.passes(&tries.heavy) {
            continue;
        }
        if number > 0 && pace.go_on(&Progress::new(Phase::Choose, tries.run)).is_break() {
            break;
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
                seen[index].insert((number, tried.letter, tried.shape));
            }
        }
    }
    let moves = moves::choose(surveyed.candidates.clone(), &seen, options.moves);
    let starts = starts(tries, surveyed, &moves, options, most_tries / 10, rng, pace)?;
    Ok(Pool { starts, moves })
}

/// Of the ways to make an object, those that together do what all do: the same random calls are made on each, and those are kept
/// whose objects show most words that the others do not. Fields tell too little here, because there are too many different ones:
/// of thirty texts a tokenizer can be made of, each is different, and few matter.
fn starts<S: Subject>(
    tries: &mut Tries<'_, S>,
    surveyed: &Surveyed,
    moves: &[Move],
    options: &AssayOptions,
    most_tries: usize,
    rng: &mut impl Rng,
    pace: &mut dyn Pace,
) -> Result<Vec<Move>, S::Error> {
    const LONGEST: usize = 6;
    let made: Vec<Situation> = surveyed.starts.iter().map(Move::start).collect();
    let marks = tries.last_calls(&made)?;
    let mut known = BTreeSet::new();
    // Those that there was no time for are known to work, because a script of the survey used them.
    let works = |&start: &usize| marks.get(start).is_none_or(Option::is_some);
    let mut able: Vec<usize> = (0..surveyed.starts.len()).filter(works).collect();
    able.sort_by_key(|&start| surveyed.starts[start].len());
    able.retain(|&start| {
        let tried = marks.get(start).and_then(Option::as_ref);
        tried.is_none_or(|tried| known.insert((tried.letter, tried.mark)))
    });
    let sequences = (most_tries / able.len().max(1)).clamp(8, 100);
    let alive: Vec<&Move> = moves.iter().filter(|one| !tries.is_deadly(one.callable())).collect();
    let mut shown: Vec<BTreeSet<Vec<Letter>>> = vec![BTreeSet::new(); able.len()];
    for sequence in 0..sequences {
        let ends = |pace: &mut dyn Pace| pace.go_on(&Progress::new(Phase::Choose, tries.run)).is_break();
        if alive.is_empty() || (sequence > 0 && ends(pace)) {
            break;
        }
        let calls: Vec<&Move> = (0..LONGEST).map(|_| alive[rng.random_range(0..alive.len())]).collect();
        let scripts: Vec<Situation> = able
            .iter()
            .map(|&start| calls.iter().fold(made[start].clone(), |situation, call| call.behind(&situation)))
            .collect();
        let runs = tries.run(&scripts.iter().map(|one| one.script.clone()).collect::<Vec<_>>())?;
        for ((situation, run), shown) in scripts.iter().zip(&runs).zip(&mut shown) {
            for heard in tries.ear.hear(&situation.script, run) {
                if heard.object == situation.object {
                    shown.extend((1..=heard.word.len()).map(|length| heard.word[..length].to_vec()));
                }
            }
        }
    }
    // For each callable the best first; what shows nothing new is kept while there is room, because its fields are new.
    let mut of: BTreeMap<&Arc<Callable>, Vec<usize>> = BTreeMap::new();
    for (index, &start) in able.iter().enumerate() {
        of.entry(surveyed.starts[start].callable()).or_default().push(index);
    }
    let mut kept = BTreeSet::new();
    for mut open in of.into_values() {
        let mut words: BTreeSet<&[Letter]> = BTreeSet::new();
        for _ in 0..2 * options.moves {
            let gain =
                |index: usize| shown[index].iter().filter(|word| !words.contains(word.as_slice())).count();
            let best = (0..open.len()).max_by_key(|&place| (gain(open[place]), usize::MAX - place));
            let Some(best) = best.map(|place| open.remove(place)) else { break };
            words.extend(shown[best].iter().map(Vec::as_slice));
            kept.insert(able[best]);
        }
    }
    Ok(kept.into_iter().map(|start| surveyed.starts[start].clone()).collect())
}
