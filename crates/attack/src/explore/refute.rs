//! Refutation: walks of the model that cannot be realized reveal a state that should be two.
//!
//! Paper: none; see [`explore`](crate::explore).
//! Cost: each judgment searches all walks, and each suspected split takes one judgment.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use adit_trace::{Letter, Phase};
use rand::Rng;

use super::draft::{AbstractState, DraftModel, Split};
use super::exploration::{Exploration, Successor, SuccessorId};
use super::{SplitOptions, labels};
use crate::EventReader;
use crate::guard::Guarded;
use crate::probe::{Halt, Prober};
use crate::realize::{Beam, Realized, realize};

/// Number of walks that are shown as unrealized.
const SHOWN: usize = 5;

/// Judgment of a model that is not split further.
pub(super) struct Judgment {
    /// Share of the walks that could be realized.
    pub(super) realized: f64,
    /// Shortest walks that could not be realized.
    pub(super) unrealized: Vec<Vec<String>>,
}

/// Walks of a draft, and what of them could be realized.
struct Trial {
    walks: Vec<Walk>,
    realized: Realized,
}

/// A walk of a draft, with the states that it goes through.
struct Walk {
    word: Vec<Letter>,
    states: Vec<AbstractState>,
}

impl Trial {
    fn failed(&self) -> impl Iterator<Item = &Walk> {
        self.walks.iter().filter(|walk| !self.realized.is_whole(&walk.word))
    }

    /// Share of the walks that could be realized.
    fn share(&self) -> f64 {
        1.0 - self.failed().count() as f64 / self.walks.len().max(1) as f64
    }

    /// The shortest beginnings of walks that could not be realized.
    fn judgment(&self, reader: &EventReader) -> Judgment {
        let mut short: BTreeSet<(usize, Vec<String>)> = BTreeSet::new();
        for walk in self.failed() {
            let length = self.realized.reach(&walk.word) + 1;
            short.insert((length, labels(reader, &walk.word[..length])));
        }
        let unrealized = short.into_iter().take(SHOWN).map(|(_, word)| word).collect();
        Judgment { realized: self.share(), unrealized }
    }
}

impl Exploration {
    /// Judges the model by its walks, and splits the state that explains most of those that cannot be
    /// realized. Returns the judgment if no split is worth it.
    pub(super) fn refute<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        rng: &mut impl Rng,
    ) -> Result<Option<Judgment>, Halt<S::Error>> {
        let SplitOptions { gain, states, .. } = self.options.splitting;
        let trial = self.try_walks(prober, rng)?;
        let before = trial.share();
        let hopeless = gain > 1.0 - before;
        if hopeless || self.draft(prober.reader).states.len() >= states {
            return Ok(Some(trial.judgment(prober.reader)));
        }
        for split in self.suspects(prober, &trial)? {
            self.splits.make(split);
            self.outdate_draft();
            let worth = self.is_worth(prober, rng, before + gain);
            if matches!(worth, Ok(true)) {
                return Ok(None);
            }
            self.splits.undo(split);
            self.outdate_draft();
            // A split that could not be judged is undone, and may be tried again.
            worth?;
            self.splits.is_useless(split);
        }
        Ok(Some(trial.judgment(prober.reader)))
    }

    /// Tells whether the model, with its last split, has few enough states and realizes at least this share
    /// of its walks.
    fn is_worth<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        rng: &mut impl Rng,
        share: f64,
    ) -> Result<bool, Halt<S::Error>> {
        self.resolve_splits(prober)?;
        let states = self.draft(prober.reader).states.len();
        let trial = self.try_walks(prober, rng)?;
        Ok(trial.share() >= share && states <= self.options.splitting.states)
    }

    /// Draws walks of the model and tries to realize them.
    fn try_walks<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        rng: &mut impl Rng,
    ) -> Result<Trial, Halt<S::Error>> {
        let SplitOptions { walks, walk_length, width, .. } = self.options.splitting;
        let draft = self.draft(prober.reader);
        let walks: Vec<Walk> =
            (0..walks).map(|_| random_walk(&draft, prober.reader, walk_length, rng)).collect();
        let words: Vec<Vec<Letter>> = walks.iter().map(|walk| walk.word.clone()).collect();
        let kind = |state| self.likely_enabled(state);
        let beam = Beam { starts: &self.pool.starts, moves: &self.pool.moves, width, kind: &kind };
        let (mut realized, progress) = (Realized::default(), self.progress(Phase::Refute));
        realize(prober, &words, &beam, &mut realized, &progress)?;
        // Few walks fail, so these can be searched more thoroughly: a split because of a bad search would be
        // a wrong state.
        let failed: Vec<Vec<Letter>> = words.into_iter().filter(|word| !realized.is_whole(word)).collect();
        let (beam, mut again) = (Beam { width: 4 * width, ..beam }, Realized::default());
        realize(prober, &failed, &beam, &mut again, &progress)?;
        realized.prefixes.extend(again.prefixes);
        Ok(Trial { walks, realized })
    }

    /// Splits that would have told the failed walks from real ones, the most frequent first.
    ///
    /// A walk goes wrong where the situations that realize its prefix are no longer in the state that it goes
    /// through: there the state before should be two.
    fn suspects<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        trial: &Trial,
    ) -> Result<Vec<Split>, Halt<S::Error>> {
        const WALKS: usize = 24;
        const TRIED: usize = 3;
        let mut votes: BTreeMap<Split, usize> = BTreeMap::new();
        for walk in trial.failed().take(WALKS) {
            if let Some(split) = self.suspect(prober, walk, &trial.realized)?
                && !self.splits.is_known(&split)
            {
                *votes.entry(split).or_default() += 1;
            }
        }
        let mut suspects: Vec<(Split, usize)> = votes.into_iter().collect();
        suspects.sort_by_key(|(_, votes)| Reverse(*votes));
        Ok(suspects.into_iter().take(TRIED).map(|(split, _)| split).collect())
    }

    /// The split that would have told this walk from a real one.
    fn suspect<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        walk: &Walk,
        realized: &Realized,
    ) -> Result<Option<Split>, Halt<S::Error>> {
        let mut before = None;
        for length in 1..=realized.reach(&walk.word) {
            let Some(prefix) = realized.prefixes.get(&walk.word[..length]) else { break };
            let mut reached = BTreeSet::new();
            for (situation, observed) in &prefix.situations {
                let probed = match self.with_state(observed.state) {
                    Some(known) => known,
                    None => {
                        let progress = self.progress(Phase::Refute);
                        prober.ask(&progress)?;
                        let probed = self.probe_one(prober, situation.clone(), observed.state)?;
                        probed.ok_or_else(|| Halt::Stop(prober.why_not_run(&progress)))?
                    }
                };
                reached.insert(self.situation(probed).enabled);
            }
            let to = walk.states[length - 1].enabled;
            if !reached.contains(&to) {
                return Ok(before.map(|of| Split { of, letter: walk.word[length - 1], to }));
            }
            before = Some(to);
        }
        Ok(None)
    }

    /// Probes successors until the side of every situation in a split is known, at least of as many as
    /// matter.
    fn resolve_splits<S: Guarded>(&mut self, prober: &mut Prober<'_, S>) -> Result<(), Halt<S::Error>> {
        const ROUNDS: usize = 3;
        const MOST: usize = 200;
        const AT_ONCE: usize = 20;
        for _ in 0..ROUNDS {
            let mut open = self.undecided_successors();
            open.truncate(MOST);
            if open.is_empty() {
                break;
            }
            for part in open.chunks(AT_ONCE) {
                let progress = self.progress(Phase::Refute);
                prober.ask(&progress)?;
                if !self.probe_successors(prober, part)? {
                    return Err(prober.why_not_run(&progress).into());
                }
            }
        }
        Ok(())
    }

    /// Unprobed successors that decide on which side of a split their situation is.
    fn undecided_successors(&self) -> Vec<SuccessorId> {
        let mut undecided = Vec::new();
        for (id, situation) in self.probed_situations() {
            let splits = self.splits.of(situation.enabled);
            if splits.is_empty() || self.abstract_state(situation).is_some() {
                continue;
            }
            let decides = |successor: &Successor| {
                splits.iter().any(|split| split.letter == successor.letter)
                    && self.behind(successor).is_none()
            };
            undecided.extend(self.successors_of(id).filter(|(_, one)| decides(one)).map(|(id, _)| id));
        }
        undecided
    }
}

/// A random walk of a draft from its first state.
fn random_walk(draft: &DraftModel, reader: &EventReader, longest: usize, rng: &mut impl Rng) -> Walk {
    let steps = draft.fsa.random_walk_from(draft.fsa.initial()[0], longest, rng);
    let mut walk = Walk { word: Vec::new(), states: Vec::new() };
    for step in steps {
        let label = &draft.fsa.alphabet()[step.letter as usize];
        walk.word.push(reader.alphabet().get(label).expect("the labels of a draft are those of its reader"));
        let state = draft.abstraction(step.to as usize).expect("no transition leads before the first object");
        walk.states.push(state.clone());
    }
    walk
}
