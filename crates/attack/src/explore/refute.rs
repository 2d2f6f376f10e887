//! Refutation: walks of the model that cannot be realized reveal a state that should be two.
//!
//! A split that makes many walks realizable is kept. When there is none left, smaller ones are tried as well.
//! If the model needs them and they end with one all of whose walks can be realized, the class has that many
//! states, and they stay. If not, it counts, as no finite model can, and they are undone: more states would
//! only make the model longer to read. The finer model keeps them (`fine.rs`).
//!
//! Paper: none; see [`explore`](crate::explore).
//! Cost: each judgment searches all walks, and each suspected split takes one judgment.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use adit_trace::{Author, Label, Letter, Phase, Script};
use rand::Rng;

use super::draft::{ClassId, Split};
use super::exploration::{Exploration, SuccessorId};
use super::glance::Glance;
use super::trial::{Reached, Trial, TriedWalk, read};
use super::{LATE_SUCCESSORS, SplitOptions, labels};
use crate::EventReader;
use crate::guard::Guarded;
use crate::moves::{Move, Situation};
use crate::probe::{Halt, Prober};
use crate::realize::{Beam, Realized, realize};
use crate::survey::Surveyed;

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
    /// Share of the walks of the refined model that could be realized, when it was last judged.
    refined: Option<f64>,
}

/// Situations of which it is found out in one round on which side of a split they are: at first few, and then
/// as many as matter.
const FEW_RESOLVED: usize = 12;
const MANY_RESOLVED: usize = 200;

/// Share of the unrealized walks that a small split must make realizable.
const REFINING: f64 = 0.25;

/// Share of unrealized walks up to which small splits count as successful. The search for a walk may fail by
/// itself.
const REFINED: f64 = 0.004;

/// A split that would have told failed walks from real ones.
struct Suspected {
    /// Its place among the others, which does not depend on chance.
    rank: usize,
    split: Split,
    /// The split with those of states that are like its own.
    family: Vec<Split>,
    /// Share of the walks that can be realized with them, at the most.
    promise: f64,
}

/// Splits that would help, made together.
struct Candidate {
    rank: usize,
    /// They make so many walks realizable that they need no other reason.
    is_worth: bool,
    /// Share of the walks that can be realized with them.
    after: f64,
    family: Vec<Split>,
    /// States of the model with them.
    states: usize,
}

impl Exploration {
    /// Judges the model by its walks, and splits the state that explains most of those that cannot be
    /// realized. Returns the judgment if no split is worth it.
    pub(super) fn refute<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &impl Author,
        rng: &mut impl Rng,
    ) -> Result<Option<Judgment>, Halt<S::Error>> {
        self.close(prober)?;
        // Closing may find that fields mislead, and then nothing is known to lead where it seemed to.
        self.explore(prober, LATE_SUCCESSORS)?;
        self.find_rare_targets(prober)?;
        self.explore(prober, LATE_SUCCESSORS)?;
        self.confirm_transitions(prober)?;
        self.free_stuck_walks(prober, rng)?;
        self.absorb(prober.reader);
        let trial = self.try_walks(prober, author, rng)?;
        let before = trial.share();
        if let Some(unrefined) = &mut self.unrefined {
            unrefined.refined = Some(before);
        }
        if before >= 1.0 || self.options.splitting.gain > 1.0 {
            self.keep_refining(before);
            return Ok(Some(self.without_refining().unwrap_or_else(|| trial.judgment(prober.reader))));
        }
        let SplitOptions { good, readable, .. } = self.options.splitting;
        if let Some(Candidate { is_worth, family, states, .. }) = self.best_split(prober, &trial, before)? {
            let is_needed = is_worth || (before < good && states <= readable);
            if self.unrefined.is_none() && !is_needed {
                self.unrefined = Some(Unrefined {
                    splits: self.splits.all().len(),
                    states: self.draft(prober.reader).states.len(),
                    judgment: trial.judgment(prober.reader),
                    refined: None,
                });
            }
            self.make(&family);
            return Ok(None);
        }
        self.keep_refining(before);
        Ok(Some(self.without_refining().unwrap_or_else(|| trial.judgment(prober.reader))))
    }

    /// The best of the suspected splits, if one helps. If there is no time to judge all, the best so far is
    /// made.
    ///
    /// A split is judged by the model with it. While it is not known of every situation on which side it is,
    /// that model has fewer words, so it promises more than the split will keep. A split that does not
    /// promise enough takes no tests, and the others take them in the order of their promises, until none of
    /// those left can be the best.
    fn best_split<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        trial: &Trial,
        before: f64,
    ) -> Result<Option<Candidate>, Halt<S::Error>> {
        let mut suspected = Vec::new();
        for (rank, split) in self.suspects(prober, trial)?.into_iter().enumerate() {
            let family = self.with_alike(prober.reader, split);
            suspected.push(Suspected { rank, split, family, promise: 1.0 });
        }
        for most in [0, FEW_RESOLVED] {
            let mut left = Vec::new();
            for one in suspected {
                match self.share_with(prober, trial, &one.family, most)? {
                    Some((promise, _)) if self.may_help(&one.family, before, promise) => {
                        left.push(Suspected { promise, ..one });
                    }
                    _ => self.splits.is_useless(one.split),
                }
            }
            suspected = left;
        }
        suspected.sort_by(|one, other| other.promise.total_cmp(&one.promise).then(one.rank.cmp(&other.rank)));
        let mut candidates: Vec<Candidate> = Vec::new();
        for Suspected { rank, split, family, promise } in suspected {
            if candidates.iter().any(|one| !is_as_good(promise, one.after, before)) {
                break;
            }
            let (after, states) = match self.share_with(prober, trial, &family, MANY_RESOLVED) {
                Ok(Some(judged)) => judged,
                Ok(None) => {
                    self.splits.is_useless(split);
                    continue;
                }
                Err(halt) => {
                    // A split that could not be judged may be tried again.
                    if let Some(best) = best(candidates, before).filter(|one| one.is_worth) {
                        self.make(&best.family);
                    }
                    return Err(halt);
                }
            };
            if !self.may_help(&family, before, after) {
                self.splits.is_useless(split);
                continue;
            }
            let is_worth = self.is_worth(&family, before, after);
            candidates.push(Candidate { rank, is_worth, after, family, states });
        }
        Ok(best(candidates, before))
    }

    /// Tells whether splits that make so many walks realizable, beside those `before`, are worth their
    /// states. Those that only count further are not, where the model is good.
    fn is_worth(&self, family: &[Split], before: f64, after: f64) -> bool {
        let counts = before >= self.options.splitting.good && family.iter().any(|one| self.is_link(one));
        !counts && self.options.splitting.is_worth(before, after)
    }

    /// Tells whether splits are worth their states, or would be if nothing better helped.
    fn may_help(&self, family: &[Split], before: f64, after: f64) -> bool {
        self.is_worth(family, before, after) || after - before >= REFINING * (1.0 - before)
    }

    /// Makes splits part of the model.
    fn make(&mut self, splits: &[Split]) {
        self.splits.make_all(splits);
        self.outdate_draft();
    }

    /// Tries to make words happen, and returns a script for each that happened. By those that did not, states
    /// of the model are split.
    pub(super) fn attempt<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        words: &[Vec<Letter>],
        surveyed: &Surveyed,
        rng: &mut impl Rng,
    ) -> Result<Vec<Option<Script>>, Halt<S::Error>> {
        let draft = self.draft(prober.reader);
        let kind = |state| self.likely_class(&draft, state);
        // Few words are tried, so that all moves can be: one that the pool lacks may be what it takes.
        let mut moves = self.pool.moves.clone();
        moves.extend(surveyed.candidates.iter().filter(|one| !self.pool.moves.contains(one)).cloned());
        let width = 4 * self.options.splitting.width;
        let beam = Beam { starts: &surveyed.starts, moves: &moves, width, kind: &kind };
        let (mut realized, progress) = (Realized::default(), self.progress(Phase::Refute));
        let known = self.known_ways(prober, words)?;
        let open = words.iter().zip(&known).filter(|(_, known)| known.is_none());
        let open: Vec<Vec<Letter>> = open.map(|(word, _)| word.clone()).collect();
        realize(prober, &open, &beam, &mut realized, &progress)?;
        self.see_all(&realized);
        for word in open.iter().filter(|word| !realized.is_whole(word)) {
            self.split_by(prober, word, &realized, rng)?;
        }
        let script = |(word, known): (&Vec<Letter>, Option<Script>)| {
            let situation = realized.prefixes.get(word).and_then(|prefix| prefix.situations.first());
            known.or_else(|| situation.map(|(situation, _)| situation.script.clone()))
        };
        Ok(words.iter().zip(known).map(script).collect())
    }

    /// For each word a script that does it, if all of its way is known.
    pub(super) fn known_ways<S: Guarded>(
        &self,
        prober: &mut Prober<'_, S>,
        words: &[Vec<Letter>],
    ) -> Result<Vec<Option<Script>>, Halt<S::Error>> {
        let graph = self.graph();
        let situations: Vec<Option<Situation>> =
            words.iter().map(|word| self.along(&graph.way(word)?)).collect();
        let scripts: Vec<Script> = situations.iter().flatten().map(|one| one.script.clone()).collect();
        let mut runs = prober.run(&scripts).map_err(Halt::Failed)?.into_iter();
        let does = |(word, situation): (&Vec<Letter>, Option<Situation>)| {
            let Situation { script, object } = situation?;
            let heard = prober.reader.read(&script, &runs.next()?);
            heard.iter().any(|heard| heard.object == object && heard.word == *word).then_some(script)
        };
        Ok(words.iter().zip(situations).map(does).collect())
    }

    /// The situation after the last calls of these successors, made one after the other.
    fn along(&self, way: &[SuccessorId]) -> Option<Situation> {
        let (first, rest) = way.split_first()?;
        rest.iter().try_fold(self.successor(*first).situation.clone(), |situation, id| {
            let Situation { script, object } = &self.successor(*id).situation;
            let last = script.statements.len() - 1;
            Some(Move::cut_out(script, last, *object)?.behind(&situation))
        })
    }

    /// Splits the state by which the model allows a word that could not be realized, if that helps.
    fn split_by<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        word: &[Letter],
        realized: &Realized,
        rng: &mut impl Rng,
    ) -> Result<(), Halt<S::Error>> {
        let SplitOptions { gain, states, .. } = self.options.splitting;
        let draft = self.draft(prober.reader);
        if gain > 1.0 || draft.states.len() >= states {
            return Ok(());
        }
        let Some(walk) = read(&draft, prober.reader, word, rng) else { return Ok(()) };
        let tried = TriedWalk::searched(walk, 1.0, true, realized);
        let Some(split) = self.suspect(prober, &tried)? else { return Ok(()) };
        if self.splits.is_known(&split) {
            return Ok(());
        }
        let made = self.splits.all().len();
        self.splits.make(split);
        self.outdate_draft();
        let resolved = self.resolve_splits(prober, MANY_RESOLVED);
        let draft = self.draft(prober.reader);
        if resolved.is_err() || read(&draft, prober.reader, word, rng).is_some() {
            self.splits.undo_after(made);
            self.outdate_draft();
        }
        resolved
    }

    /// Makes small splits part of the model, if it needs them, and if they ended with a model nearly all of
    /// whose walks can be realized.
    fn keep_refining(&mut self, realized: f64) {
        let needs_more = |one: &Unrefined| one.judgment.realized < self.options.splitting.enough;
        let ends = |one: &Unrefined| !self.counts_on(one.splits);
        if realized >= 1.0 - REFINED
            && self.unrefined.as_ref().is_some_and(|one| needs_more(one) && ends(one))
        {
            self.unrefined = None;
        }
    }

    /// Undoes small splits that did not end with a model all of whose walks can be realized, and returns the
    /// judgment of the model without them. The splits are kept for a finer model.
    pub(super) fn without_refining(&mut self) -> Option<Judgment> {
        let Unrefined { splits, judgment, refined, .. } = self.unrefined.take()?;
        if let Some(refined) = refined.filter(|refined| *refined > judgment.realized) {
            self.keep_finer(splits, refined);
        }
        self.splits.undo_after(splits);
        self.outdate_draft();
        Some(judgment)
    }

    /// Share of walks that the model with more splits realizes, by those that were tried before it, and the
    /// number of its states; nothing if there are too many. At most so many situations are probed in a round,
    /// to find out on which side of the splits they are.
    fn share_with<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        trial: &Trial,
        family: &[Split],
        most: usize,
    ) -> Result<Option<(f64, usize)>, Halt<S::Error>> {
        /// States beyond twice those of the unrefined model.
        const MORE_STATES: usize = 4;
        let made = self.splits.all().len();
        self.make(family);
        let resolved = self.resolve_splits(prober, most);
        self.absorb(prober.reader);
        let draft = self.draft(prober.reader);
        self.splits.undo_after(made);
        self.outdate_draft();
        resolved?;
        let refined = self.unrefined.as_ref().map_or(usize::MAX, |one| 2 * one.states + MORE_STATES);
        if draft.states.len() > self.options.splitting.states.min(refined) {
            return Ok(None);
        }
        let share = trial.share_without(|word| draft.fsa.reads(&labels(prober.reader, word)));
        Ok(Some((share, draft.states.len())))
    }

    /// Splits that would have told the failed walks from real ones: the most frequent, in an order that does
    /// not depend on chance.
    ///
    /// A walk goes wrong where the situations that realize its prefix are no longer in the state that it goes
    /// through: there the state before should be two.
    fn suspects<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        trial: &Trial,
    ) -> Result<Vec<Split>, Halt<S::Error>> {
        const WALKS: usize = 64;
        const TRIED: usize = 12;
        /// One in so many votes that the first has makes another split worth a judgment.
        const FEWEST_VOTES: usize = 4;
        let mut votes: BTreeMap<Split, usize> = BTreeMap::new();
        for tried in trial.surely_failed().take(WALKS) {
            self.update(prober)?;
            if let Some(split) = self.suspect(prober, tried)?
                && !self.splits.is_known(&split)
            {
                *votes.entry(split).or_default() += 1;
            }
        }
        let most = votes.values().max().copied().unwrap_or_default();
        let mut suspects: Vec<(Split, usize)> = votes.into_iter().collect();
        suspects.retain(|(_, votes)| FEWEST_VOTES * votes >= most);
        suspects.sort_by_key(|(_, votes)| Reverse(*votes));
        suspects.truncate(TRIED);
        // What a call that takes no values tells apart does not depend on the values that were found.
        suspects.sort_by_key(|(split, _)| (prober.reader.takes_values(split.letter), split.letter, *split));
        Ok(suspects.into_iter().map(|(split, _)| split).collect())
    }

    /// The split that would have told this walk from a real one.
    fn suspect<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        TriedWalk { walk, reached, .. }: &TriedWalk,
    ) -> Result<Option<Split>, Halt<S::Error>> {
        let mut before = None;
        for (at, situations) in reached.iter().enumerate() {
            let mut reached = Vec::new();
            for situation in situations {
                reached.push(match situation {
                    Reached::Probed(known) => *known,
                    Reached::New(situation, state) => match self.with_state(*state) {
                        Some(known) => known,
                        None => {
                            let progress = self.progress(Phase::Refute);
                            prober.ask(&progress)?;
                            let probed = self.probe_one(prober, situation.clone(), *state)?;
                            probed.ok_or_else(|| Halt::Stop(prober.why_not_run(&progress)))?
                        }
                    },
                });
            }
            let draft = self.draft(prober.reader);
            let to = walk.classes[at];
            if !reached.iter().any(|&situation| draft.classes.of(situation) == Some(to)) {
                return Ok(before.map(|of| Split { of, letter: walk.word[at], to }));
            }
            before = Some(to);
        }
        Ok(None)
    }

    /// A split, and the same split of states that are like its own but for the answers that they give: what
    /// is true of a fair lock is true of one that is not. Walks come upon one of them first, and whether the
    /// others are split too must not depend on which.
    fn with_alike(&mut self, reader: &EventReader, split: Split) -> Vec<Split> {
        let draft = self.draft(reader);
        let mut calls: BTreeMap<ClassId, BTreeSet<&str>> = BTreeMap::new();
        for (events, class) in self.enabled_classes(&draft.classes) {
            let call = |letter: &Letter| Label::parse(reader.alphabet().name(*letter)).method();
            calls.insert(class, events.iter().map(call).collect());
        }
        let alike =
            |one: ClassId, other: ClassId| calls.contains_key(&one) && calls.get(&one) == calls.get(&other);
        let mut family = vec![split];
        for (of, letter, to) in draft.transitions_by_class() {
            let is_apart = of != split.of && of != split.to && to != split.of;
            if letter == split.letter && is_apart && alike(of, split.of) && alike(to, split.to) {
                family.push(Split { of, letter, to });
            }
        }
        family
    }

    /// Probes successors until the side of every situation in a split is known, at most so many in each of a
    /// few rounds.
    fn resolve_splits<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        most: usize,
    ) -> Result<(), Halt<S::Error>> {
        const ROUNDS: usize = 3;
        const AT_ONCE: usize = 20;
        for _ in 0..ROUNDS {
            self.update(prober)?;
            let mut open = self.classes().undecided;
            open.retain(|id| !self.is_far(*id));
            open.truncate(most);
            if open.is_empty() {
                break;
            }
            // Where there are many events, a glance tells most of what a probe does.
            if self.has_many_events() {
                let glance = Glance::Distinguishing(self.telling_sets_apart());
                let (known, new): (Vec<SuccessorId>, Vec<SuccessorId>) =
                    open.into_iter().partition(|id| self.successor(*id).like.is_some());
                open = known;
                open.extend(self.glance(prober, new, &glance)?);
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

/// The best of the candidates. Of those that are about as good, it is the first by rank, which does not
/// depend on chance.
fn best(candidates: Vec<Candidate>, before: f64) -> Option<Candidate> {
    let worth = |one: &Candidate| (one.is_worth, one.after);
    let most = candidates
        .iter()
        .map(worth)
        .max_by(|one, other| one.partial_cmp(other).expect("shares are numbers"))?;
    let is_best = |one: &Candidate| one.is_worth == most.0 && is_as_good(one.after, most.1, before);
    candidates.into_iter().filter(is_best).min_by_key(|one| one.rank)
}

/// Tells whether a split that makes this share of the walks realizable is about as good as another one, or
/// better.
fn is_as_good(after: f64, other: f64, before: f64) -> bool {
    /// Share of the walks that fail before any split, up to which two are about as good.
    const ABOUT: f64 = 0.15;
    after >= other - ABOUT * (1.0 - before)
}
