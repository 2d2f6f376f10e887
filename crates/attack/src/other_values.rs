//! Other values: for words that no known calls realize, values are searched with which they happen.
//!
//! A beam ([`realize`]) combines calls whose values were chosen before. A word may need values that belong
//! together, such as a text and what separates its words, and nothing tells while they are chosen. Here whole
//! scripts evolve: the calls stay, the values change, and the scripts that do most of the word live on.
//!
//! Paper: none; an evolution strategy as in textbooks.
//! Cost: for each beginning of a word that fails, at most [`CHILDREN`] scripts a round.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use adit_trace::{Author, Letter, Progress, Script};
use rand::{Rng, RngExt};

use crate::guard::Guarded;
use crate::moves::{Move, Situation};
use crate::probe::{Halt, Prober};
use crate::realize::{Beam, Prefix, Realized, realize};

/// Scripts that are made for a word each time.
const CHILDREN: usize = 24;

/// Scripts for a word that live on.
const SURVIVORS: usize = 6;

/// Times that a word is followed further after values were found for a beginning of it.
const AGAIN: usize = 3;

/// Calls that are kept of scripts that were found.
const MOST_STARTS: usize = 16;
const MOST_MOVES: usize = 48;

/// Situations that are kept for each prefix where these are tried.
const WIDTH: usize = 12;

/// A search for values, which does not search twice for what it did not find.
pub(crate) struct ValueSearch {
    /// Times that scripts are changed.
    rounds: usize,
    hopeless: BTreeSet<Vec<Letter>>,
    /// Ways to make an object, and calls, by which words were found to happen: the next may need them too.
    starts: Vec<Move>,
    moves: Vec<Move>,
    /// Scripts that were run, and that may be run in all.
    spent: usize,
    pub(crate) most: usize,
}

/// A word, and a situation after it.
type Found = (Vec<Letter>, Situation);

/// A script, and how many events of a word one of its objects does.
struct Candidate {
    script: Script,
    reach: usize,
}

/// A word with candidates for it.
struct Target {
    word: Vec<Letter>,
    candidates: Vec<Candidate>,
    found: Option<Situation>,
}

impl ValueSearch {
    /// A search that changes scripts so many times, and runs at most so many in all.
    pub(crate) fn new(rounds: usize, most: usize) -> Self {
        Self { rounds, hopeless: BTreeSet::new(), starts: Vec::new(), moves: Vec::new(), spent: 0, most }
    }

    /// Tells whether it may run more scripts.
    pub(crate) fn has_room(&self) -> bool {
        self.spent < self.most
    }

    /// Tells whether values for a word were searched in vain.
    pub(crate) fn is_hopeless(&self, word: &[Letter]) -> bool {
        self.hopeless.contains(word)
    }

    /// Searches values for words that are not realized. Where it finds some, the beam goes on from there.
    /// Returns scripts that make beginnings of words happen that did not before.
    pub(crate) fn extend<S: Guarded, K: Ord + Copy>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &impl Author,
        words: &[Vec<Letter>],
        (beam, realized): (&Beam<'_, K>, &mut Realized),
        rng: &mut impl Rng,
        progress: &Progress,
    ) -> Result<Vec<Situation>, Halt<S::Error>> {
        let mut all = Vec::new();
        self.retry(prober, words, (beam, &mut *realized), progress)?;
        for _ in 0..AGAIN {
            let room = self.most.saturating_sub(self.spent) / (self.rounds * CHILDREN);
            let targets = self.targets(prober, words, (beam, realized), room, rng);
            if targets.is_empty() {
                break;
            }
            let found = self.evolve(prober, author, targets, rng, progress)?;
            if found.is_empty() {
                break;
            }
            for (word, situation) in &found {
                know(prober, realized, word, situation, progress)?;
                self.learn(situation);
            }
            realize(prober, words, beam, realized, progress)?;
            self.retry(prober, words, (beam, &mut *realized), progress)?;
            all.extend(found.into_iter().map(|(_, situation)| situation));
        }
        Ok(all)
    }

    /// Keeps the calls of a script that does what none did before.
    fn learn(&mut self, Situation { script, object }: &Situation) {
        let on_object = |at: &usize| script.statements[*at].receiver == Some(*object);
        let calls = (object + 1..script.statements.len()).filter(on_object);
        let start = Move::cut_out(script, *object, *object);
        let moves = calls.filter_map(|at| Move::cut_out(script, at, *object));
        for (makes, one) in start.into_iter().map(|one| (true, one)).chain(moves.map(|one| (false, one))) {
            let (list, most) =
                if makes { (&mut self.starts, MOST_STARTS) } else { (&mut self.moves, MOST_MOVES) };
            if !list.contains(&one) {
                if list.len() == most {
                    list.remove(0);
                }
                list.push(one);
            }
        }
    }

    /// Searches words that are not realized once more, on the objects that were found to do rare things.
    fn retry<S: Guarded, K: Ord + Copy>(
        &self,
        prober: &mut Prober<'_, S>,
        words: &[Vec<Letter>],
        (beam, realized): (&Beam<'_, K>, &mut Realized),
        progress: &Progress,
    ) -> Result<(), Halt<S::Error>> {
        let failed: Vec<Vec<Letter>> =
            words.iter().filter(|word| !realized.is_whole(word)).cloned().collect();
        if self.starts.is_empty() || failed.is_empty() {
            return Ok(());
        }
        let mut moves = self.moves.clone();
        moves.extend(beam.moves.iter().filter(|one| !self.moves.contains(one)).cloned());
        let width = beam.width.min(WIDTH);
        let beam = Beam { starts: &self.starts, moves: &moves, width, kind: beam.kind };
        let mut found = Realized::default();
        realize(prober, &failed, &beam, &mut found, progress)?;
        for word in &failed {
            let reach = found.reach(word);
            if reach <= realized.reach(word) {
                continue;
            }
            for length in 1..=word.len() {
                let known = realized.prefixes.entry(word[..length].to_vec());
                let known = known.or_insert_with(|| Prefix { situations: Vec::new() });
                match found.prefixes.get(&word[..length]) {
                    _ if !known.situations.is_empty() => {}
                    Some(prefix) if length <= reach => known.situations.clone_from(&prefix.situations),
                    // What lies behind was given up only because this did not happen.
                    _ => drop(realized.prefixes.remove(&word[..length])),
                }
            }
        }
        Ok(())
    }

    /// The beginnings of words that fail, the most frequent first, with scripts that do all but the last
    /// event.
    fn targets<S: Guarded, K>(
        &self,
        prober: &Prober<'_, S>,
        words: &[Vec<Letter>],
        (beam, realized): (&Beam<'_, K>, &Realized),
        most: usize,
        rng: &mut impl Rng,
    ) -> Vec<Target> {
        let mut counts: BTreeMap<&[Letter], usize> = BTreeMap::new();
        for word in words {
            let reach = realized.reach(word);
            if (1..word.len()).contains(&reach) && !self.is_hopeless(&word[..=reach]) {
                *counts.entry(&word[..=reach]).or_default() += 1;
            }
        }
        let mut frequent: Vec<(&[Letter], usize)> = counts.into_iter().collect();
        frequent.sort_by_key(|(word, count)| (Reverse(*count), word.len()));
        let mut targets = Vec::new();
        for (word, _) in frequent {
            if targets.len() >= most {
                break;
            }
            let (before, last) = (&word[..word.len() - 1], word[word.len() - 1]);
            let gives = |one: &&Move| {
                prober.reader.letters_of(one.callable()).contains(&last)
                    && !prober.is_given_up(one.callable())
            };
            let giving: Vec<&Move> = beam.moves.iter().filter(gives).collect();
            let Some(prefix) = realized.prefixes.get(before).filter(|_| !giving.is_empty()) else { continue };
            let candidates = prefix.situations.iter().take(SURVIVORS).map(|(situation, _)| {
                let Situation { script, .. } = giving[rng.random_range(0..giving.len())].behind(situation);
                Candidate { script, reach: before.len() }
            });
            let candidates = candidates.collect();
            targets.push(Target { word: word.to_vec(), candidates, found: None });
        }
        targets
    }

    /// Changes the values of scripts until they do what is wanted, or for long enough.
    fn evolve<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &impl Author,
        mut targets: Vec<Target>,
        rng: &mut impl Rng,
        progress: &Progress,
    ) -> Result<Vec<Found>, Halt<S::Error>> {
        for _ in 0..self.rounds {
            prober.ask(progress)?;
            let (mut scripts, mut owners) = (Vec::new(), Vec::new());
            for (number, target) in targets.iter().enumerate().filter(|(_, one)| one.found.is_none()) {
                for _ in 0..CHILDREN {
                    let parent = &target.candidates[rng.random_range(0..target.candidates.len())];
                    scripts.push(author.revalue(&parent.script, rng));
                    owners.push(number);
                }
            }
            if scripts.is_empty() {
                break;
            }
            let runs = prober.run(&scripts).map_err(Halt::Failed)?;
            self.spent += scripts.len();
            if runs.iter().any(|run| !run.was_run()) {
                return Err(prober.why_not_run(progress).into());
            }
            let mut children: Vec<Vec<Candidate>> = targets.iter().map(|_| Vec::new()).collect();
            for ((script, run), owner) in scripts.into_iter().zip(&runs).zip(owners) {
                let target = &mut targets[owner];
                let heard = prober.reader.read(&script, run);
                let same = |one: &[Letter]| one.iter().zip(&target.word).take_while(|(a, b)| a == b).count();
                let Some(best) = heard.iter().max_by_key(|one| same(&one.word)) else { continue };
                let reach = same(&best.word);
                if reach == target.word.len() {
                    let statements = script.statements[..=best.statements[reach - 1]].to_vec();
                    let found = Situation { script: Script { statements }, object: best.object };
                    target.found.get_or_insert(found);
                } else {
                    children[owner].push(Candidate { script, reach });
                }
            }
            for (target, mut children) in targets.iter_mut().zip(children) {
                // Of equally good ones the new come first, so that the search does not stand still.
                children.append(&mut target.candidates);
                children.sort_by_key(|one| Reverse(one.reach));
                children.truncate(SURVIVORS);
                target.candidates = children;
            }
        }
        let mut found = Vec::new();
        for Target { word, found: way, .. } in targets {
            match way {
                Some(situation) => found.push((word, situation)),
                None => drop(self.hopeless.insert(word)),
            }
        }
        Ok(found)
    }
}

/// Takes note of a script that realizes a word, and thereby each of its beginnings, if it does so again.
fn know<S: Guarded>(
    prober: &mut Prober<'_, S>,
    realized: &mut Realized,
    word: &[Letter],
    Situation { script, object }: &Situation,
    progress: &Progress,
) -> Result<(), Halt<S::Error>> {
    let again = prober.run(std::slice::from_ref(script)).map_err(Halt::Failed)?;
    if again.iter().any(|run| !run.was_run()) {
        return Err(prober.why_not_run(progress).into());
    }
    let heard = again.first().map(|run| prober.reader.read(script, run)).unwrap_or_default();
    let Some(heard) = heard.into_iter().find(|one| one.object == *object && one.word == word) else {
        return Ok(());
    };
    let way = Situation::along(script, *object, &heard.statements);
    let observed = prober.observe(&way).map_err(Halt::Failed)?;
    if observed.len() < way.len() {
        return Err(prober.why_not_run(progress).into());
    }
    for (length, (situation, observed)) in (1..).zip(way.into_iter().zip(observed)) {
        let Some(observed) = observed else { break };
        let prefix = realized.prefixes.entry(word[..length].to_vec());
        prefix.or_insert_with(|| Prefix { situations: Vec::new() }).situations.push((situation, observed));
    }
    // What lies behind was given up only because this did not happen.
    realized.prefixes.retain(|prefix, one| {
        !(one.situations.is_empty() && prefix.len() > word.len() && prefix.starts_with(word))
    });
    Ok(())
}
