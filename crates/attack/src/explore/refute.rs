//! Refutation: walks of the model that cannot be realized reveal a state that should be two.
//!
//! A split that makes many walks realizable is kept. When there is none left, smaller ones are tried as well.
//! If they end with a model all of whose walks can be realized, the class has that many states, and they
//! stay. If not, it counts, as no finite model can, and they are undone: more states would only make the
//! model longer to read.
//!
//! Paper: none; see [`explore`](crate::explore).
//! Cost: each judgment searches all walks, and each suspected split takes one judgment.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use adit_automata::State;
use adit_trace::{Letter, Phase, Script};
use rand::Rng;

use super::draft::{ClassId, DraftModel, Split};
use super::exploration::Exploration;
use super::{SplitOptions, labels};
use crate::EventReader;
use crate::guard::Guarded;
use crate::probe::{Halt, Prober};
use crate::realize::{Beam, Realized, realize};
use crate::survey::Surveyed;

/// Number of walks that are shown as unrealized.
const SHOWN: usize = 5;

/// Judgment of a model that is not split further.
#[derive(Clone)]
pub(super) struct Judgment {
    /// Share of the walks that could be realized.
    pub(super) realized: f64,
    /// Shortest walks that could not be realized.
    pub(super) unrealized: Vec<Vec<String>>,
}

/// The model before small splits were tried.
pub(super) struct Unrefined {
    /// Number of splits that it has.
    splits: usize,
    /// Number of its states.
    states: usize,
    pub(super) judgment: Judgment,
}

/// Share of the unrealized walks that a small split must make realizable.
const REFINING: f64 = 0.25;

/// Share of unrealized walks up to which small splits count as successful. The search for a walk may fail by
/// itself.
const REFINED: f64 = 0.004;

/// Walks of a draft, and what of them could be realized.
struct Trial {
    walks: Vec<Walk>,
    realized: Realized,
}

/// A walk of a draft, with the classes that it goes through.
struct Walk {
    word: Vec<Letter>,
    classes: Vec<ClassId>,
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
        let trial = self.try_walks(prober, rng)?;
        let before = trial.share();
        if before >= 1.0 || self.options.splitting.gain > 1.0 {
            return Ok(Some(trial.judgment(prober.reader)));
        }
        let mut best: Option<(f64, Split)> = None;
        for split in self.suspects(prober, &trial)? {
            let made = self.splits.all().len();
            self.splits.make(split);
            self.outdate_draft();
            let after = self.share_of_split(prober, rng);
            if matches!(after, Ok(Some(after)) if self.options.splitting.is_worth(before, after)) {
                return Ok(None);
            }
            self.splits.undo_after(made);
            self.outdate_draft();
            // A split that could not be judged is undone, and may be tried again.
            match after? {
                Some(after) if after - before >= REFINING * (1.0 - before) => {
                    if best.is_none_or(|(known, _)| after > known) {
                        best = Some((after, split));
                    }
                }
                _ => self.splits.is_useless(split),
            }
        }
        if let Some((_, split)) = best {
            if self.unrefined.is_none() {
                self.unrefined = Some(Unrefined {
                    splits: self.splits.all().len(),
                    states: self.draft(prober.reader).states.len(),
                    judgment: trial.judgment(prober.reader),
                });
            }
            self.splits.make(split);
            self.outdate_draft();
            return Ok(None);
        }
        if before >= 1.0 - REFINED {
            self.unrefined = None;
        }
        Ok(Some(self.without_refining().unwrap_or_else(|| trial.judgment(prober.reader))))
    }

    /// Tries to make words happen, and returns a script for each that happened. By those that did not, states
    /// of the model are split.
    pub(super) fn attempt<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        words: &[Vec<Letter>],
        surveyed: &Surveyed,
    ) -> Result<Vec<Option<Script>>, Halt<S::Error>> {
        let draft = self.draft(prober.reader);
        let kind = |state| self.likely_class(&draft, state);
        // Few words are tried, so that all moves can be: one that the pool lacks may be what it takes.
        let mut moves = self.pool.moves.clone();
        moves.extend(surveyed.candidates.iter().filter(|one| !self.pool.moves.contains(one)).cloned());
        let width = 4 * self.options.splitting.width;
        let beam = Beam { starts: &surveyed.starts, moves: &moves, width, kind: &kind };
        let (mut realized, progress) = (Realized::default(), self.progress(Phase::Refute));
        realize(prober, words, &beam, &mut realized, &progress)?;
        for word in words.iter().filter(|word| !realized.is_whole(word)) {
            self.split_by(prober, word, &realized)?;
        }
        let script = |word: &Vec<Letter>| {
            let situation = realized.prefixes.get(word).and_then(|prefix| prefix.situations.first());
            situation.map(|(situation, _)| situation.script.clone())
        };
        Ok(words.iter().map(script).collect())
    }

    /// Splits the state by which the model allows a word that could not be realized, if that helps.
    fn split_by<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        word: &[Letter],
        realized: &Realized,
    ) -> Result<(), Halt<S::Error>> {
        let SplitOptions { gain, states, .. } = self.options.splitting;
        let draft = self.draft(prober.reader);
        if gain > 1.0 || draft.states.len() >= states {
            return Ok(());
        }
        let Some(walk) = read(&draft, prober.reader, word) else { return Ok(()) };
        let Some(split) = self.suspect(prober, &walk, realized)? else { return Ok(()) };
        if self.splits.is_known(&split) {
            return Ok(());
        }
        let made = self.splits.all().len();
        self.splits.make(split);
        self.outdate_draft();
        let resolved = self.resolve_splits(prober);
        let draft = self.draft(prober.reader);
        if resolved.is_err() || read(&draft, prober.reader, word).is_some() {
            self.splits.undo_after(made);
            self.outdate_draft();
        }
        resolved
    }

    /// Undoes small splits that did not end with a model all of whose walks can be realized, and returns the
    /// judgment of the model without them.
    pub(super) fn without_refining(&mut self) -> Option<Judgment> {
        let Unrefined { splits, judgment, .. } = self.unrefined.take()?;
        self.splits.undo_after(splits);
        self.outdate_draft();
        Some(judgment)
    }

    /// Share of walks that the model with its last split realizes; nothing if it has too many states.
    fn share_of_split<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        rng: &mut impl Rng,
    ) -> Result<Option<f64>, Halt<S::Error>> {
        /// States beyond twice those of the unrefined model.
        const MORE_STATES: usize = 4;
        self.resolve_splits(prober)?;
        let states = self.draft(prober.reader).states.len();
        let refined = self.unrefined.as_ref().map_or(usize::MAX, |one| 2 * one.states + MORE_STATES);
        if states > self.options.splitting.states.min(refined) {
            return Ok(None);
        }
        Ok(Some(self.try_walks(prober, rng)?.share()))
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
        let kind = |state| self.likely_class(&draft, state);
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
            let mut reached = Vec::new();
            for (situation, observed) in &prefix.situations {
                reached.push(match self.with_state(observed.state) {
                    Some(known) => known,
                    None => {
                        let progress = self.progress(Phase::Refute);
                        prober.ask(&progress)?;
                        let probed = self.probe_one(prober, situation.clone(), observed.state)?;
                        probed.ok_or_else(|| Halt::Stop(prober.why_not_run(&progress)))?
                    }
                });
            }
            let draft = self.draft(prober.reader);
            let to = walk.classes[length - 1];
            if !reached.iter().any(|&situation| draft.classes.of(situation) == Some(to)) {
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
            let mut open = self.classes().undecided;
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
}

/// A walk of the draft with this word, if there is one.
fn read(draft: &DraftModel, reader: &EventReader, word: &[Letter]) -> Option<Walk> {
    let fsa = &draft.fsa;
    // The states that each prefix can lead to, from which the way is then found backwards.
    let mut levels = vec![BTreeSet::from([fsa.initial()[0]])];
    for &letter in word {
        let label = reader.alphabet().name(letter);
        let from = levels.last()?;
        let edges = from.iter().flat_map(|&state| fsa.edges(state)).filter(|edge| edge.label == label);
        levels.push(edges.map(|edge| edge.to).collect());
    }
    let mut at = *levels.last()?.first()?;
    let mut classes = Vec::new();
    for (level, &letter) in levels.iter().zip(word).rev() {
        classes.push(draft.class(at)?);
        let label = reader.alphabet().name(letter);
        let leads = |&&state: &&State| fsa.edges(state).any(|edge| edge.label == label && edge.to == at);
        at = *level.iter().find(leads)?;
    }
    classes.reverse();
    Some(Walk { word: word.to_vec(), classes })
}

/// A random walk of a draft from its first state.
fn random_walk(draft: &DraftModel, reader: &EventReader, longest: usize, rng: &mut impl Rng) -> Walk {
    let steps = draft.fsa.random_walk_from(draft.fsa.initial()[0], longest, rng);
    let mut walk = Walk { word: Vec::new(), classes: Vec::new() };
    for step in steps {
        let label = &draft.fsa.alphabet()[step.letter as usize];
        walk.word.push(reader.alphabet().get(label).expect("the labels of a draft are those of its reader"));
        let class = draft.class(step.to as usize).expect("no transition leads before the first object");
        walk.classes.push(class);
    }
    walk
}
