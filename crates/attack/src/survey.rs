//! Survey: random scripts give moves worth trying anywhere, and situations to try them in.
//!
//! Random scripts are cut into moves. Of these, few are kept: those that together show every event that any
//! of them showed, in many situations, and every kind of effect: `put(null)` may be no other event than
//! `put("a")`, but it leaves a cell empty.
//!
//! Paper: none; bookkeeping for [`explore`](crate::explore) and [`validate`](crate::validate).
//! Cost: the scripts of the survey, and at most about as many more as [`pool_of`] is told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_trace::{Author, Callable, Letter, Phase, Progress, Run, Script};
use rand::{Rng, RngExt};

use crate::guard::Guarded;
use crate::moves::{self, Move, Situation};
use crate::probe::{Prober, StateHash};
use crate::ties::Ties;

/// Effort of a survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurveyOptions {
    /// Number of random scripts.
    pub scripts: usize,
    /// Most calls of a random script.
    pub calls: usize,
    /// Moves of each method that are compared.
    pub candidates: usize,
    /// Moves of each method that are kept, and half the ways to make an object.
    pub moves: usize,
}

/// Result of a survey.
pub(crate) struct Surveyed {
    /// The scripts with their runs.
    pub(crate) runs: Vec<(Script, Run)>,
    /// Moves and ways to make an object, each once.
    pub(crate) candidates: Vec<Move>,
    pub(crate) starts: Vec<Move>,
    /// Situations with different fields, and the shortest for each.
    pub(crate) situations: Vec<Situation>,
}

/// Ways to make an object that are compared, for each move of a method that is.
const STARTS_PER_MOVE: usize = 3;

/// Ways to make an object with the same fields that are compared: what a reader reads is not in its fields.
const MOST_ALIKE: usize = 6;

/// Moves that are gathered for each that is compared, because rare values come late and matter most.
const GATHERED_PER_CANDIDATE: usize = 4;

/// Moves in all from which on there are fewer of each method, but not fewer than so many. A situation is
/// tried with all of them, so a class with a hundred methods would be seen in a hundred situations; what is
/// missed is looked for again where the model is known (`explore/new_moves.rs`).
const MOVES: usize = 200;
const FEWEST_MOVES: usize = 3;

/// Runs scripts that are known, then random ones, from which the author learns. The caller may end it
/// early.
pub(crate) fn survey<S: Guarded>(
    prober: &mut Prober<'_, S>,
    author: &mut impl Author,
    options: &SurveyOptions,
    known: &[Script],
    rng: &mut impl Rng,
) -> Result<Surveyed, S::Error> {
    let mut surveyed =
        Surveyed { runs: Vec::new(), candidates: Vec::new(), starts: Vec::new(), situations: Vec::new() };
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    let mut states = BTreeSet::new();
    // In parts, so that the author learns from the first for the last. What was known before comes first
    // of all.
    const PARTS: usize = 12;
    for part in 0..=PARTS {
        if part > 1 && prober.ask(&Progress::new(Phase::Survey, 0)).is_err() {
            break;
        }
        let scripts: Vec<Script> = match part {
            0 => known.to_vec(),
            _ => (0..options.scripts.div_ceil(PARTS))
                .map(|_| {
                    let calls = rng.random_range(0..=options.calls);
                    author.script(rng, calls)
                })
                .collect(),
        };
        let runs = prober.run(&scripts)?;
        prober.warn(author);
        for (script, run) in scripts.into_iter().zip(runs) {
            if !run.was_run() {
                continue;
            }
            author.observe(&script, &run);
            for heard in prober.reader.read(&script, &run) {
                let mut keep = |list: &mut Vec<Move>, one: Option<Move>, most: usize| {
                    let Some(one) = one else { return };
                    let count = counts.entry(one.callable().clone()).or_default();
                    if *count < GATHERED_PER_CANDIDATE * most && !list.contains(&one) {
                        *count += 1;
                        list.push(one);
                    }
                };
                keep(
                    &mut surveyed.starts,
                    Move::cut_out(&script, heard.object, heard.object),
                    STARTS_PER_MOVE * options.candidates,
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
                    if states.insert(StateHash::of(run.steps[at].fields.as_ref())) {
                        let script = Script { statements: script.statements[..=at].to_vec() };
                        surveyed.situations.push(Situation { script, object: heard.object });
                    }
                }
            }
            surveyed.runs.push((script, run));
        }
    }
    surveyed.candidates.retain(|one| !one.passes(&prober.heavy));
    surveyed.starts.retain(|one| !one.passes(&prober.heavy));
    surveyed.candidates = moves::some_of_each_kind(surveyed.candidates, options.candidates);
    surveyed.starts = moves::some_of_each_kind(surveyed.starts, STARTS_PER_MOVE * options.candidates);
    surveyed.situations.sort_by_key(|situation| situation.script.statements.len());
    Ok(surveyed)
}

/// Moves that are tried everywhere.
pub(crate) struct Pool {
    pub(crate) starts: Vec<Move>,
    pub(crate) moves: Vec<Move>,
    /// Calls that take only what others on the same object returned.
    pub(crate) ties: Ties,
}

/// Keeps the candidates that together show what all showed.
pub(crate) fn pool<S: Guarded>(
    prober: &mut Prober<'_, S>,
    surveyed: &Surveyed,
    options: &SurveyOptions,
    rng: &mut impl Rng,
) -> Result<Pool, S::Error> {
    const PROBES: usize = 60_000;
    pool_of(prober, surveyed, options, PROBES, rng)
}

/// The same with about this many probes, or as many as it takes to see every candidate in a few situations.
pub(crate) fn pool_of<S: Guarded>(
    prober: &mut Prober<'_, S>,
    surveyed: &Surveyed,
    options: &SurveyOptions,
    probes: usize,
    rng: &mut impl Rng,
) -> Result<Pool, S::Error> {
    let most = (probes / surveyed.candidates.len().max(1)).clamp(8, 150);
    // The shortest situations and some of the others, in turn, so that an early end leaves both.
    let (short, rest) = surveyed.situations.split_at(surveyed.situations.len().min(most / 2));
    let mut chosen: Vec<&Situation> = Vec::new();
    for number in 0..most {
        let other = rest.get(rng.random_range(0..rest.len().max(1)));
        chosen.extend(if number.is_multiple_of(2) { short.get(number / 2) } else { other });
    }
    let mut seen = vec![moves::Coverage::new(); surveyed.candidates.len()];
    for (number, situation) in (0..).zip(&chosen) {
        if situation.passes(&prober.heavy) {
            continue;
        }
        if number > 0 && prober.ask(&Progress::new(Phase::Choose, 0)).is_err() {
            break;
        }
        let (indexes, behind): (Vec<usize>, Vec<Situation>) = surveyed
            .candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| {
                !prober.is_given_up(candidate.callable()) && !candidate.passes(&prober.heavy)
            })
            .map(|(index, candidate)| (index, candidate.behind(situation)))
            .unzip();
        for (index, observed) in indexes.into_iter().zip(prober.observe(&behind)?) {
            if let Some(observed) = observed {
                seen[index].insert((number, observed.letter, observed.shape));
            }
        }
    }
    let methods = surveyed.candidates.iter().map(Move::callable).collect::<BTreeSet<_>>().len();
    let each = (MOVES / methods.max(1)).clamp(FEWEST_MOVES.min(options.moves), options.moves);
    let moves = moves::choose(surveyed.candidates.clone(), &seen, each);
    let starts = starts(prober, surveyed, &moves, options, probes / 10, rng)?;
    let ties = Ties::of(surveyed.runs.iter().map(|(script, run)| (script, run)), prober.reader);
    Ok(Pool { starts, moves, ties })
}

/// Of the ways to make an object, those that together do what all do: the same random calls are made on each,
/// and those are kept whose objects show most words that the others do not. Fields tell too little here,
/// because there are too many different ones: of thirty texts a tokenizer can be made of, each is different,
/// and few matter.
fn starts<S: Guarded>(
    prober: &mut Prober<'_, S>,
    surveyed: &Surveyed,
    moves: &[Move],
    options: &SurveyOptions,
    probes: usize,
    rng: &mut impl Rng,
) -> Result<Vec<Move>, S::Error> {
    const LONGEST: usize = 6;
    let made: Vec<Situation> = surveyed.starts.iter().map(Move::start).collect();
    let observed = prober.observe(&made)?;
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    // Those that there was no time for are known to work, because a script of the survey used them.
    let works = |&start: &usize| observed.get(start).is_none_or(Option::is_some);
    let mut able: Vec<usize> = (0..surveyed.starts.len()).filter(works).collect();
    able.sort_by_key(|&start| surveyed.starts[start].len());
    able.retain(|&start| {
        let observed = observed.get(start).and_then(Option::as_ref);
        observed.is_none_or(|observed| {
            let alike = known.entry((observed.letter, observed.state)).or_default();
            *alike += 1;
            *alike <= MOST_ALIKE
        })
    });
    let sequences = (probes / able.len().max(1)).clamp(8, 100);
    let alive: Vec<&Move> = moves.iter().filter(|one| !prober.is_given_up(one.callable())).collect();
    let mut shown: Vec<BTreeSet<Vec<Letter>>> = vec![BTreeSet::new(); able.len()];
    for sequence in 0..sequences {
        if alive.is_empty() || (sequence > 0 && prober.ask(&Progress::new(Phase::Choose, 0)).is_err()) {
            break;
        }
        let calls: Vec<&Move> = (0..LONGEST).map(|_| alive[rng.random_range(0..alive.len())]).collect();
        let scripts: Vec<Situation> = able
            .iter()
            .map(|&start| calls.iter().fold(made[start].clone(), |situation, call| call.behind(&situation)))
            .collect();
        let runs = prober.run(&scripts.iter().map(|one| one.script.clone()).collect::<Vec<_>>())?;
        for ((situation, run), shown) in scripts.iter().zip(&runs).zip(&mut shown) {
            for heard in prober.reader.read(&situation.script, run) {
                if heard.object == situation.object {
                    shown.extend((1..=heard.word.len()).map(|length| heard.word[..length].to_vec()));
                }
            }
        }
    }
    // For each callable the best first; what shows nothing new is kept while there is room, because its
    // fields are new.
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
