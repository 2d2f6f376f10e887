//! Realization: searches, for each word, arguments that make one object do exactly that.
//!
//! All words advance together, an event at a time. For each distinct prefix, a few situations that realize it
//! are kept, as different from one another as their fields tell; each is probed with every move that may give
//! the next event. A word whose prefix loses its last situation was not realized. That is no proof that it
//! cannot happen, only that this search did not find how.
//!
//! Paper: none; bookkeeping for [`explore`](crate::explore) and [`validate`](crate::validate).
//! Cost: for each prefix at most `width` times the moves of one method; equal prefixes are searched once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use adit_trace::{Letter, Progress};

use crate::guard::Guarded;
use crate::moves::{self, Move, Situation};
use crate::probe::{Halt, Observed, Prober, StateHash};

/// Situations that realize a prefix.
pub(crate) struct Prefix {
    /// None if the search found none.
    pub(crate) situations: Vec<(Situation, Observed)>,
}

/// Prefixes that were searched.
#[derive(Default)]
pub(crate) struct Realized {
    pub(crate) prefixes: BTreeMap<Vec<Letter>, Prefix>,
}

impl Realized {
    /// Number of letters of the word that could be made to happen.
    pub(crate) fn reach(&self, word: &[Letter]) -> usize {
        (1..=word.len())
            .take_while(|&length| {
                self.prefixes.get(&word[..length]).is_some_and(|prefix| !prefix.situations.is_empty())
            })
            .count()
    }

    /// Tells whether the whole word could be made to happen.
    pub(crate) fn is_whole(&self, word: &[Letter]) -> bool {
        self.reach(word) == word.len()
    }
}

/// Moves that a search tries, and the situations of a prefix that it keeps.
pub(crate) struct Beam<'a, K> {
    /// Ways to make an object.
    pub(crate) starts: &'a [Move],
    /// Calls on an object.
    pub(crate) moves: &'a [Move],
    /// Number of situations that are kept.
    pub(crate) width: usize,
    /// Kind of a situation with this state, if it is known; some of each kind are kept.
    pub(crate) kind: &'a dyn Fn(StateHash) -> Option<K>,
}

/// Searches all words. Prefixes in `known` are not searched again.
pub(crate) fn realize<S: Guarded, K: Ord + Copy>(
    prober: &mut Prober<'_, S>,
    words: &[Vec<Letter>],
    beam: &Beam<'_, K>,
    known: &mut Realized,
    progress: &Progress,
) -> Result<(), Halt<S::Error>> {
    let Beam { starts, moves, .. } = *beam;
    let longest = words.iter().map(Vec::len).max().unwrap_or(0);
    let mut giving: BTreeMap<Letter, Vec<&Move>> = BTreeMap::new();
    for one in moves {
        for &letter in prober.reader.letters_of(one.callable()) {
            giving.entry(letter).or_default().push(one);
        }
    }
    for length in 1..=longest {
        prober.ask(progress)?;
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
                    starts.iter().filter(|start| prober.reader.letters_of(start.callable()).contains(&last));
                for start in fitting {
                    situations.push(start.start());
                    owners.push(prefix);
                }
                continue;
            }
            let Some(before) = known.prefixes.get(&prefix[..length - 1]) else { continue };
            for (situation, _) in &before.situations {
                let giving = giving.get(&last).into_iter().flatten().copied();
                let callable = giving.filter(|one| !prober.is_given_up(one.callable()));
                situations.extend(moves::all_behind(callable, situation, &prober.ties, moves::MOST_VALUES));
                owners.resize(situations.len(), prefix);
            }
        }
        let observed = prober.observe(&situations).map_err(Halt::Failed)?;
        if observed.len() < situations.len() {
            return Err(prober.why_not_run(progress).into());
        }
        let mut found: BTreeMap<Vec<Letter>, Prefix> =
            wanted.iter().map(|prefix| (prefix.to_vec(), Prefix { situations: Vec::new() })).collect();
        for ((situation, owner), observed) in situations.into_iter().zip(owners).zip(observed) {
            if let Some(observed) = observed.filter(|observed| observed.letter == owner[length - 1])
                && let Some(prefix) = found.get_mut(owner)
            {
                prefix.situations.push((situation, observed));
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
    Ok(())
}

/// Keeps as many of each kind, about the beam's width in all.
fn some_of_each<K: Ord + Copy>(
    situations: Vec<(Situation, Observed)>,
    beam: &Beam<'_, K>,
) -> Vec<(Situation, Observed)> {
    let mut kinds: BTreeMap<Option<K>, Vec<(Situation, Observed)>> = BTreeMap::new();
    for (situation, observed) in situations {
        kinds.entry((beam.kind)(observed.state)).or_default().push((situation, observed));
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
/// Equal fields are worth nothing, and a field that is different everywhere, such as a capacity, should not
/// crowd out one with few values, such as a size. Fields do not show everything: among equals, objects that
/// were made differently come first.
fn thin_out(situations: &mut Vec<(Situation, Observed)>, width: usize) {
    if situations.len() <= width {
        return;
    }
    let made = constructions(situations);
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

/// For each situation, the first whose object was made by the same statements.
fn constructions(situations: &[(Situation, Observed)]) -> Vec<usize> {
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
