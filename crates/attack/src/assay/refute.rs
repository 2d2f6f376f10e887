//! The fourth step of an assay: walks of the model that cannot be realized show a state that is two.
//!
//! Paper: none; see [`assay`](crate::assay).
//! Cost: each judgment searches all walks, and each suspect takes one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use adit_automata::Step;
use adit_trace::{Letter, Pace, Phase, Stop, Subject};
use rand::Rng;

use super::{Class, Drawn, Map, Split, labels};
use crate::Ear;
use crate::careful::why_not_run;
use crate::realize::{Beam, Realized, realize};
use crate::survey::Pool;
use crate::tries::{Tried, Tries};

/// What came of judging a model by its walks.
pub(super) enum Refuted {
    Split,
    Done { realized: f64, unrealized: Vec<Vec<String>> },
    Stopped(Stop),
}

impl Map {
    /// Judges the model by its walks, and splits the state that explains most of those that cannot be realized.
    pub(super) fn refute<S: Subject>(
        &mut self,
        tries: &mut Tries<'_, S>,
        rng: &mut impl Rng,
        pace: &mut dyn Pace,
    ) -> Result<Refuted, S::Error> {
        let Judgment { walks: before, realized } = match self.judge(tries, rng, pace)? {
            ControlFlow::Continue(judged) => judged,
            ControlFlow::Break(stop) => return Ok(Refuted::Stopped(stop)),
        };
        let failed: Vec<&Walk> = before.iter().filter(|walk| !realized.is_whole(&walk.word)).collect();
        let share = |failed: usize, all: usize| 1.0 - failed as f64 / all.max(1) as f64;
        let now = share(failed.len(), before.len());
        let done = |map: &Self, tries: &Tries<'_, S>| Refuted::Done {
            realized: now,
            unrealized: map.shortest(tries.ear, &before, &realized),
        };
        let small = self.options.gain > 1.0 - now;
        if small || self.model(tries.ear).states.len() >= self.options.states {
            return Ok(done(self, tries));
        }
        let suspects = match self.suspects(tries, &failed, &realized, pace)? {
            ControlFlow::Continue(suspects) => suspects,
            ControlFlow::Break(stop) => return Ok(Refuted::Stopped(stop)),
        };
        for split in suspects {
            let (base, split) = split;
            self.splits.entry(base).or_default().push(split);
            self.drawn = None;
            self.resolve(tries, pace)?;
            let count = self.model(tries.ear).states.len();
            let Judgment { walks, realized } = match self.judge(tries, rng, pace)? {
                ControlFlow::Continue(judged) => judged,
                ControlFlow::Break(stop) => {
                    // The split could not be judged, so it is undone.
                    self.splits.entry(base).or_default().retain(|other| *other != split);
                    self.drawn = None;
                    return Ok(Refuted::Stopped(stop));
                }
            };
            let failed = walks.iter().filter(|walk| !realized.is_whole(&walk.word)).count();
            let after = share(failed, walks.len());
            if after >= now + self.options.gain && count <= self.options.states {
                return Ok(Refuted::Split);
            }
            let splits = self.splits.entry(base).or_default();
            splits.retain(|other| *other != split);
            self.drawn = None;
            self.refused.insert((base, split));
        }
        Ok(done(self, tries))
    }

    /// Walks of the model, and what of them can be realized.
    fn judge<S: Subject>(
        &self,
        tries: &mut Tries<'_, S>,
        rng: &mut impl Rng,
        pace: &mut dyn Pace,
    ) -> Result<ControlFlow<Stop, Judgment>, S::Error> {
        let drawn = self.model(tries.ear);
        let walks: Vec<Walk> =
            (0..self.options.walks).map(|_| walk(&drawn, tries.ear, self.options.walk_length, rng)).collect();
        let words: Vec<Vec<Letter>> = walks.iter().map(|walk| walk.word.clone()).collect();
        let mut realized = Realized::default();
        let Self { pool, options, .. } = self;
        let kind = |mark: u64| self.by_mark.get(&mark).map(|&place| self.places[place].base);
        let Pool { starts, moves } = pool;
        let beam = Beam { starts, moves, width: options.width, kind: &kind };
        let progress = self.progress(Phase::Refute, tries.run);
        let stop = realize(tries, &words, &beam, &mut realized, progress, pace)?;
        if !stop.is_done() {
            return Ok(ControlFlow::Break(stop));
        }
        // Few walks fail, so that these can be searched more thoroughly: a split because of a bad search would be a wrong state.
        let failed: Vec<Vec<Letter>> = words.into_iter().filter(|word| !realized.is_whole(word)).collect();
        let beam = Beam { width: 4 * options.width, ..beam };
        let mut again = Realized::default();
        let stop = realize(tries, &failed, &beam, &mut again, progress, pace)?;
        if !stop.is_done() {
            return Ok(ControlFlow::Break(stop));
        }
        realized.prefixes.extend(again.prefixes);
        Ok(ControlFlow::Continue(Judgment { walks, realized }))
    }

    /// Splits that would have told the failed walks from real ones, the most frequent first.
    ///
    /// A walk goes wrong where the situations that realize its prefix are no longer in the state that it goes through: there the
    /// state before was two states.
    fn suspects<S: Subject>(
        &mut self,
        tries: &mut Tries<'_, S>,
        failed: &[&Walk],
        realized: &Realized,
        pace: &mut dyn Pace,
    ) -> Result<ControlFlow<Stop, Vec<Suspect>>, S::Error> {
        const LOOKED_AT: usize = 24;
        const TRIED: usize = 3;
        let mut votes: BTreeMap<(usize, Split), usize> = BTreeMap::new();
        for walk in failed.iter().take(LOOKED_AT) {
            let mut before: Option<usize> = None;
            for length in 1..=realized.reach(&walk.word) {
                let Some(prefix) = realized.prefixes.get(&walk.word[..length]) else { break };
                let mut bases = BTreeSet::new();
                for (situation, Tried { mark, .. }) in prefix.situations.clone() {
                    let known = if self.shallow { None } else { self.by_mark.get(&mark).copied() };
                    let place = match known {
                        Some(place) => place,
                        None => {
                            let progress = self.progress(Phase::Refute, tries.run);
                            if let ControlFlow::Break(stop) = pace.go_on(&progress) {
                                return Ok(ControlFlow::Break(stop));
                            }
                            if self.probe(tries, vec![(situation, mark)])? == 0 {
                                return Ok(ControlFlow::Break(why_not_run(pace, &progress)));
                            }
                            self.places.len() - 1
                        }
                    };
                    bases.insert(self.places[place].base);
                }
                let (base, _) = walk.states[length - 1];
                if !bases.contains(&base) {
                    if let Some(before) = before {
                        let split = Split { letter: walk.word[length - 1], to: base };
                        let known = self.splits.get(&before).is_some_and(|splits| splits.contains(&split));
                        if !known && !self.refused.contains(&(before, split)) {
                            *votes.entry((before, split)).or_default() += 1;
                        }
                    }
                    break;
                }
                before = Some(base);
            }
        }
        let mut suspects: Vec<_> = votes.into_iter().collect();
        suspects.sort_by_key(|(_, votes)| std::cmp::Reverse(*votes));
        let suspects = suspects.into_iter().take(TRIED).map(|(suspect, _)| suspect).collect();
        Ok(ControlFlow::Continue(suspects))
    }

    /// Looks behind exits until the side of every place in a split is known, at least of as many as matter.
    fn resolve<S: Subject>(&mut self, tries: &mut Tries<'_, S>, pace: &mut dyn Pace) -> Result<(), S::Error> {
        const ROUNDS: usize = 3;
        const BATCH: usize = 200;
        const AT_ONCE: usize = 20;
        for _ in 0..ROUNDS {
            let mut open = Vec::new();
            for (place, of) in self.places.iter().enumerate() {
                let Some(splits) = self.splits.get(&of.base) else { continue };
                if self.class(place).is_some() {
                    continue;
                }
                for (number, exit) in of.exits.iter().enumerate() {
                    let asked = splits.iter().any(|split| split.letter == exit.letter);
                    if asked && self.behind(exit).is_none() {
                        open.push((Some(place), number));
                    }
                }
            }
            if open.is_empty() {
                break;
            }
            open.truncate(BATCH);
            for part in open.chunks(AT_ONCE) {
                // The caller asks again before it judges the split, so that stopping early needs no word of its own.
                let over = pace.go_on(&self.progress(Phase::Refute, tries.run)).is_break();
                if over || !self.look_behind(tries, part)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The shortest beginnings of walks that could not be realized.
    fn shortest(&self, ear: &Ear, walks: &[Walk], realized: &Realized) -> Vec<Vec<String>> {
        let mut short: BTreeSet<(usize, Vec<String>)> = BTreeSet::new();
        for walk in walks.iter().filter(|walk| !realized.is_whole(&walk.word)) {
            let length = realized.reach(&walk.word) + 1;
            short.insert((length, labels(ear, &walk.word[..length])));
        }
        short.into_iter().take(5).map(|(_, word)| word).collect()
    }

    pub(super) fn splits_in_words(&self, ear: &Ear) -> Vec<String> {
        self.splits
            .values()
            .flatten()
            .map(|split| {
                let enabled = self.enabled.iter().find(|(_, base)| **base == split.to);
                let names: Vec<&str> = enabled
                    .iter()
                    .flat_map(|(letters, _)| letters.iter())
                    .map(|&l| ear.alphabet().name(l))
                    .collect();
                format!(
                    "whether {} can lead to a state with {}",
                    ear.alphabet().name(split.letter),
                    names.join(", ")
                )
            })
            .collect()
    }
}

/// Walks of a model, and what of them could be realized.
struct Judgment {
    walks: Vec<Walk>,
    realized: Realized,
}

/// A split that might explain failed walks, with the set of events that its situations enable.
type Suspect = (usize, Split);

/// A walk of the model, with the states it goes through.
struct Walk {
    word: Vec<Letter>,
    states: Vec<Class>,
}

/// A random walk from the initial state, with the class of each state that it enters.
fn walk(drawn: &Drawn, ear: &Ear, longest: usize, rng: &mut impl Rng) -> Walk {
    let steps = drawn.fsa.random_walk_from(drawn.fsa.initial()[0], longest, rng);
    let letter = |step: &Step| {
        let label = &drawn.fsa.alphabet()[step.letter as usize];
        ear.alphabet().get(label).expect("the model's labels are the ear's")
    };
    Walk {
        word: steps.iter().map(letter).collect(),
        states: steps.iter().map(|step| drawn.states[step.to as usize - 1].clone()).collect(),
    }
}
