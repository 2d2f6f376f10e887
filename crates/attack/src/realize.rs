//! Can these words happen? Search, for each word, arguments that make one object do exactly that.
//!
//! Words go step by step together: of each distinct prefix a few situations are kept that realize it, as different from one
//! another as their fields tell; each is tried with every move that may give the next event. A word whose prefix loses its last
//! situation was not realized. That is no proof that it cannot happen, only that this search did not find how.
//!
//! Cost: for each prefix at most `width` times the moves of one method; equal prefixes are searched once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use adit_trace::{Letter, Pace, Progress, Stop, Subject};

use crate::careful::why_not_run;
use crate::moves::{self, Move, Situation};
use crate::tries::{Tried, Tries};

/// What is known of a prefix.
pub(crate) struct Prefix {
    /// Situations that realize it, none if none was found.
    pub(crate) situations: Vec<(Situation, Tried)>,
}

/// The prefixes that were searched.
#[derive(Default)]
pub(crate) struct Realized {
    pub(crate) prefixes: BTreeMap<Vec<Letter>, Prefix>,
}

impl Realized {
    /// How many letters of the word could be made to happen.
    pub(crate) fn reach(&self, word: &[Letter]) -> usize {
        (1..=word.len())
            .take_while(|&length| {
                self.prefixes.get(&word[..length]).is_some_and(|prefix| !prefix.situations.is_empty())
            })
            .count()
    }

    /// Whether the whole word could.
    pub(crate) fn is_whole(&self, word: &[Letter]) -> bool {
        self.reach(word) == word.len()
    }
}

/// What a search for words tries, and which situations of a prefix it keeps.
pub(crate) struct Beam<'a> {
    /// Ways to make an object.
    pub(crate) starts: &'a [Move],
    /// Calls on an object.
    pub(crate) moves: &'a [Move],
    /// Number of situations that are kept.
    pub(crate) width: usize,
    /// What kind of situation one with these fields is, if that is known; some of each kind are kept.
    pub(crate) kind: &'a dyn Fn(u64) -> Option<usize>,
}

/// Searches all words. What `known` already tells is not searched again. `progress` is what `pace` is told, with the
/// number of tests brought up to date.
pub(crate) fn realize<S: Subject>(
    tries: &mut Tries<'_, S>,
    words: &[Vec<Letter>],
    beam: &Beam<'_>,
    known: &mut Realized,
    progress: Progress,
    pace: &mut dyn Pace,
) -> Result<Stop, S::Error> {
    let Beam { starts, moves, .. } = *beam;
    let longest = words.iter().map(Vec::len).max().unwrap_or(0);
    let letters = |one: &Move| tries.ear.letters_of(one.callable()).to_vec();
    let mut giving: BTreeMap<Letter, Vec<usize>> = BTreeMap::new();
    for (index, one) in moves.iter().enumerate() {
        letters(one).into_iter().for_each(|letter| giving.entry(letter).or_default().push(index));
    }
    for length in 1..=longest {
        if let ControlFlow::Break(stop) = pace.go_on(&Progress { tests: tries.run, ..progress }) {
            return Ok(stop);
        }
        let wanted: BTreeSet<&[Letter]> = words
            .iter()
            .filter(|word| word.len() >= length)
            .map(|word| &word[..length])
            .filter(|prefix| !known.prefixes.contains_key(*prefix))
            .collect();
        let mut situations = Vec::new();
        let mut owners: Vec<&[Letter]> = Vec::new();
        for prefix in &wanted {
            let last = prefix[length - 1];
            if length == 1 {
                let fitting =
                    starts.iter().filter(|start| tries.ear.letters_of(start.callable()).contains(&last));
                for start in fitting {
                    situations.push(start.start());
                    owners.push(prefix);
                }
                continue;
            }
            let Some(before) = known.prefixes.get(&prefix[..length - 1]) else { continue };
            for (situation, _) in &before.situations {
                let giving = giving.get(&last).into_iter().flatten().map(|&index| &moves[index]);
                let alive = giving.filter(|one| !tries.is_deadly(one.callable()));
                situations.extend(moves::all_behind(alive, situation));
                owners.resize(situations.len(), prefix);
            }
        }
        let tried = tries.last_calls(&situations)?;
        if tried.len() < situations.len() {
            return Ok(why_not_run(pace, &Progress { tests: tries.run, ..progress }));
        }
        let mut found: BTreeMap<Vec<Letter>, Prefix> =
            wanted.iter().map(|prefix| (prefix.to_vec(), Prefix { situations: Vec::new() })).collect();
        for ((situation, owner), tried) in situations.into_iter().zip(owners).zip(tried) {
            if let Some(tried) = tried.filter(|tried| tried.letter == owner[length - 1])
                && let Some(prefix) = found.get_mut(owner)
            {
                prefix.situations.push((situation, tried));
            }
        }
        // All ways to make an object are kept, because nothing tells yet which of them a word needs.
        if length > 1 {
            for prefix in found.values_mut() {
                prefix.situations = some_of_each(std::mem::take(&mut prefix.situations), beam);
            }
        }
        known.prefixes.extend(found);
    }
    Ok(Stop::Done)
}

/// Keeps as many of each kind, about the beam's width in all.
fn some_of_each(situations: Vec<(Situation, Tried)>, beam: &Beam<'_>) -> Vec<(Situation, Tried)> {
    let mut kinds: BTreeMap<Option<usize>, Vec<(Situation, Tried)>> = BTreeMap::new();
    for (situation, tried) in situations {
        kinds.entry((beam.kind)(tried.mark)).or_default().push((situation, tried));
    }
    let each = beam.width.div_ceil(kinds.len().max(1));
    let mut kept = Vec::new();
    for mut one in kinds.into_values() {
        thin_out(&mut one, each);
        kept.append(&mut one);
    }
    kept
}

/// Keeps `width` situations that together show as many values of as many fields as possible.
///
/// Equal fields are worth nothing, and a field that is different everywhere, such as a capacity, should not crowd out one with few
/// values, such as a size. Fields do not show everything: among equals, objects that were made differently come first.
fn thin_out(situations: &mut Vec<(Situation, Tried)>, width: usize) {
    if situations.len() <= width {
        return;
    }
    let made = makings(situations);
    let mut shown: BTreeSet<u64> = BTreeSet::new();
    let mut kept: Vec<usize> = Vec::new();
    let mut times = vec![0_usize; situations.len()];
    while kept.len() < width {
        let news =
            |index: usize| situations[index].1.fields.iter().filter(|field| !shown.contains(field)).count();
        let open = (0..situations.len()).filter(|index| !kept.contains(index));
        // The first of the best.
        let worth = |&index: &usize| (news(index), Reverse((times[made[index]], index)));
        let Some(best) = open.max_by_key(worth) else { break };
        // Values can be combined in new ways, so begin again with what is left.
        if news(best) == 0 && !shown.is_empty() {
            shown.clear();
            continue;
        }
        shown.extend(situations[best].1.fields.iter());
        times[made[best]] += 1;
        kept.push(best);
    }
    let mut index = 0;
    situations.retain(|_| {
        index += 1;
        kept.contains(&(index - 1))
    });
}

/// For each situation the first whose object was made by the same statements.
fn makings(situations: &[(Situation, Tried)]) -> Vec<usize> {
    let making = |index: usize| {
        let Situation { script, object } = &situations[index].0;
        &script.statements[..=*object]
    };
    let mut firsts: Vec<usize> = Vec::new();
    let number = |index: usize| {
        let first = firsts.iter().copied().find(|&first| making(first) == making(index)).unwrap_or(index);
        if first == index {
            firsts.push(index);
        }
        first
    };
    (0..situations.len()).map(number).collect()
}
