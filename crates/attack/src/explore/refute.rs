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

use adit_automata::State;
use adit_trace::{Author, Label, Letter, Phase, Script};
use rand::{Rng, RngExt};

use super::draft::{ClassId, DraftModel, Split};
use super::exploration::{Exploration, SituationId, SuccessorId};
use super::graph::{Graph, NodeId, Way};
use super::{LATE_SUCCESSORS, SplitOptions, labels};
use crate::EventReader;
use crate::guard::Guarded;
use crate::moves::{Move, Situation};
use crate::other_values::ValueSearch;
use crate::probe::{Halt, Prober, StateHash};
use crate::realize::{Beam, Realized, realize};
use crate::survey::Surveyed;

/// Number of walks that are shown as unrealized.
const SHOWN: usize = 5;

/// Walks that are drawn for each that may be searched for. Where situations are known by their fields, most
/// walks take no test, and a share of few would make it a matter of chance whether a state is split.
const FOLLOWED_PER_WALK: usize = 6;

/// One in so many walks is searched for where most need no search.
const FEWER_SEARCHED: usize = 3;

/// Situations that are kept for each prefix of a walk when it is first searched for.
const FIRST_WIDTH: usize = 2;

/// Walks that are searched for more thoroughly when they were not realized, and of these once more. They
/// stand for the others: where many walks fail, all of them would take more tests than everything else.
const THOROUGH: usize = 48;
const VERY_THOROUGH: usize = 16;

/// Walks for which other values are searched after one judgment. They stand for the others, too.
const MOST_VALUED: usize = 24;

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

/// Tests of one judgment up to which another one is made only for finding a better split.
const CHEAP: u64 = 3000;

/// Share of the unrealized walks that a small split must make realizable.
const REFINING: f64 = 0.25;

/// Share of unrealized walks up to which small splits count as successful. The search for a walk may fail by
/// itself.
const REFINED: f64 = 0.004;

/// One in so many tests may search for other values, and in any case so many tests.
const VALUES_SHARE: usize = 3;
const FEW_VALUES: usize = 4000;

/// Splits that would help, made together.
struct Candidate {
    /// They make so many walks realizable that they need no other reason.
    is_worth: bool,
    /// Share of the walks that can be realized with them.
    after: f64,
    family: Vec<Split>,
    /// States of the model with them.
    states: usize,
}

impl Candidate {
    fn is_better(&self, other: &Self) -> bool {
        (self.is_worth, self.after) > (other.is_worth, other.after)
    }
}

/// Walks of a draft, and how far each could be realized.
struct Trial(Vec<TriedWalk>);

/// A walk of a draft, with the classes that it goes through.
#[derive(Clone)]
struct Walk {
    word: Vec<Letter>,
    classes: Vec<ClassId>,
}

/// A walk, and the situations that realize its beginnings.
struct TriedWalk {
    walk: Walk,
    /// Number of walks that it stands for.
    weight: f64,
    /// For each event the situations after it, as far as there are any.
    reached: Vec<Vec<Reached>>,
}

/// A situation that realizes the beginning of a walk.
enum Reached {
    Probed(SituationId),
    New(Situation, StateHash),
}

impl TriedWalk {
    /// A walk that was followed through what is known.
    fn followed(walk: Walk, way: &Way, graph: &Graph) -> Self {
        let situations = |nodes: &BTreeSet<NodeId>| {
            nodes.iter().map(|&node| Reached::Probed(graph.situation(node))).collect()
        };
        Self { walk, weight: 1.0, reached: way.levels.iter().map(situations).collect() }
    }

    /// A walk that was searched for.
    fn searched(walk: Walk, weight: f64, realized: &Realized) -> Self {
        let reach = realized.reach(&walk.word);
        let situations = |length: usize| {
            let prefix = realized.prefixes.get(&walk.word[..length]).into_iter();
            let found = prefix.flat_map(|prefix| &prefix.situations);
            found.map(|(situation, observed)| Reached::New(situation.clone(), observed.state)).collect()
        };
        Self { reached: (1..=reach).map(situations).collect(), weight, walk }
    }

    fn is_realized(&self) -> bool {
        self.reached.len() == self.walk.word.len()
    }

    /// The word up to the first event that did not happen.
    fn as_far_as_it_fails(&self) -> &[Letter] {
        let word = &self.walk.word;
        &word[..word.len().min(self.reached.len() + 1)]
    }
}

impl Trial {
    fn failed(&self) -> impl Iterator<Item = &TriedWalk> {
        self.0.iter().filter(|tried| !tried.is_realized())
    }

    /// Share of the walks that could be realized.
    fn share(&self) -> f64 {
        let all: f64 = self.0.iter().map(|tried| tried.weight).sum();
        let failed: f64 = self.failed().map(|tried| tried.weight).sum();
        if failed > 0.0 { 1.0 - failed / all } else { 1.0 }
    }

    /// The shortest beginnings of walks that could not be realized.
    fn judgment(&self, reader: &EventReader) -> Judgment {
        let mut short: BTreeSet<(usize, Vec<String>)> = BTreeSet::new();
        for TriedWalk { walk, reached, .. } in self.failed() {
            let length = reached.len() + 1;
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
        author: &impl Author,
        rng: &mut impl Rng,
    ) -> Result<Option<Judgment>, Halt<S::Error>> {
        self.close(prober)?;
        // Closing may find that fields mislead, and then nothing is known to lead where it seemed to.
        self.explore(prober, LATE_SUCCESSORS)?;
        self.confirm_transitions(prober)?;
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
        let mut best: Option<Candidate> = None;
        for split in self.suspects(prober, &trial)? {
            let (made, tests) = (self.splits.all().len(), prober.tests);
            let family = self.with_alike(prober.reader, split);
            self.splits.make_all(&family);
            self.outdate_draft();
            let after = self.share_of_split(prober, author, rng);
            let states = self.draft(prober.reader).states.len();
            self.splits.undo_after(made);
            self.outdate_draft();
            // A split that could not be judged is undone, and may be tried again.
            let after = match after {
                Ok(Some(after)) => after,
                Ok(None) => {
                    self.splits.is_useless(split);
                    continue;
                }
                Err(halt) => {
                    if let Some(best) = best.filter(|one| one.is_worth) {
                        self.make(&best.family);
                    }
                    return Err(halt);
                }
            };
            let is_link = before >= good && family.iter().any(|one| self.is_link(one));
            let is_worth = !is_link && self.options.splitting.is_worth(before, after);
            if !is_worth && after - before < REFINING * (1.0 - before) {
                self.splits.is_useless(split);
                continue;
            }
            let candidate = Candidate { is_worth, after, family, states };
            if best.as_ref().is_none_or(|known| candidate.is_better(known)) {
                best = Some(candidate);
            }
            // Which of the suspects comes first is a matter of chance, so all are judged if it costs little.
            if best.as_ref().is_some_and(|best| best.is_worth) && prober.tests - tests > CHEAP {
                break;
            }
        }
        if let Some(Candidate { is_worth, family, states, .. }) = best {
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

    /// Takes note of the states that a search came upon.
    fn see_all(&mut self, realized: &Realized) {
        for (_, observed) in realized.prefixes.values().flat_map(|prefix| &prefix.situations) {
            self.fields.see(observed);
        }
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
        let tried = TriedWalk::searched(walk, 1.0, realized);
        let Some(split) = self.suspect(prober, &tried)? else { return Ok(()) };
        if self.splits.is_known(&split) {
            return Ok(());
        }
        let made = self.splits.all().len();
        self.splits.make(split);
        self.outdate_draft();
        let resolved = self.resolve_splits(prober);
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

    /// Share of walks that the model with its last split realizes; nothing if it has too many states.
    fn share_of_split<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &impl Author,
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
        Ok(Some(self.try_walks(prober, author, rng)?.share()))
    }

    /// Draws walks of the model and tries to realize them. What is learned by searching values may change the
    /// model; then walks of the new one are drawn.
    fn try_walks<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &impl Author,
        rng: &mut impl Rng,
    ) -> Result<Trial, Halt<S::Error>> {
        /// What is learned later is of less use than what a new judgment costs.
        const AGAIN: usize = 2;
        for _ in 0..AGAIN {
            let (trial, learned) = self.try_walks_once(prober, author, rng)?;
            if !learned {
                return Ok(trial);
            }
            self.explore(prober, LATE_SUCCESSORS)?;
            self.confirm_transitions(prober)?;
        }
        Ok(self.try_walks_once(prober, author, rng)?.0)
    }

    /// The same, and tells whether something was learned.
    fn try_walks_once<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &impl Author,
        rng: &mut impl Rng,
    ) -> Result<(Trial, bool), Halt<S::Error>> {
        let SplitOptions { walks, walk_length, width, .. } = self.options.splitting;
        let draft = self.draft(prober.reader);
        let graph = self.graph();
        let (mut tried, mut open) = (Vec::new(), Vec::new());
        for _ in 0..FOLLOWED_PER_WALK * walks {
            let walk = random_walk(&draft, prober.reader, walk_length, rng);
            let way = graph.follow(&walk.word);
            // Where fields mislead, too little is known of the way for telling where a walk went wrong.
            if self.is_told_by_fields() && (way.levels.len() == walk.word.len() || way.is_certain) {
                tried.push(TriedWalk::followed(walk, &way, &graph));
            } else {
                open.push(walk);
            }
        }
        // Of those that take tests, the first stand for the others; few of them, if most walks take none.
        let most = if tried.len() > open.len() { walks / FEWER_SEARCHED } else { walks };
        let weight = open.len() as f64 / open.len().min(most).max(1) as f64;
        open.truncate(most);
        let mut open: Vec<(Walk, f64)> = open.into_iter().map(|walk| (walk, weight)).collect();
        let kind = |state| self.likely_class(&draft, state);
        let (mut realized, progress) = (Realized::default(), self.progress(Phase::Refute));
        // Most walks can be realized in many ways. Few fail, so these can be searched more thoroughly: a
        // split because of a bad search would be a wrong state.
        for (width, most) in [(FIRST_WIDTH.min(width), walks), (width, THOROUGH), (4 * width, VERY_THOROUGH)]
        {
            represent(&mut open, most, |(walk, _)| !realized.is_whole(&walk.word), |(_, weight)| weight);
            let failed = open.iter().filter(|(walk, _)| !realized.is_whole(&walk.word));
            let words: Vec<Vec<Letter>> = failed.map(|(walk, _)| walk.word.clone()).collect();
            let (starts, moves) = (&self.pool.starts, &self.pool.moves);
            let (beam, mut found) = (Beam { starts, moves, width, kind: &kind }, Realized::default());
            realize(prober, &words, &beam, &mut found, &progress)?;
            // A search may take other turns, and lose what the one before had found.
            let is_known = |prefix: &[Letter]| realized.prefixes.contains_key(prefix);
            found.prefixes.retain(|prefix, one| !one.situations.is_empty() || !is_known(prefix));
            realized.prefixes.extend(found.prefixes);
        }
        self.see_all(&realized);
        tried.extend(open.into_iter().map(|(walk, weight)| TriedWalk::searched(walk, weight, &realized)));
        let learned = self.try_other_values(prober, author, &mut tried, rng)?;
        Ok((Trial(tried), learned))
    }

    /// Searches other values for the walks that could not be realized. Where it finds some, the way is
    /// explored. Tells whether it found any.
    fn try_other_values<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &impl Author,
        tried: &mut Vec<TriedWalk>,
        rng: &mut impl Rng,
    ) -> Result<bool, Halt<S::Error>> {
        const WIDTH: usize = 8;
        self.values.most = self.tried / VALUES_SHARE + FEW_VALUES;
        if !self.values.has_room() {
            return Ok(false);
        }
        let is_open =
            |one: &TriedWalk| !one.is_realized() && !self.values.is_hopeless(one.as_far_as_it_fails());
        represent(tried, MOST_VALUED, is_open, |one| &mut one.weight);
        let failed: BTreeSet<Vec<Letter>> =
            tried.iter().filter(|one| is_open(one)).map(|one| one.as_far_as_it_fails().to_vec()).collect();
        let failed: Vec<Vec<Letter>> = failed.into_iter().collect();
        if failed.is_empty() {
            return Ok(false);
        }
        let draft = self.draft(prober.reader);
        let (starts, moves) = (self.pool.starts.clone(), self.pool.moves.clone());
        let mut values = std::mem::replace(&mut self.values, ValueSearch::new(0, 0));
        let found = {
            let kind = |state| self.likely_class(&draft, state);
            let beam = Beam { starts: &starts, moves: &moves, width: WIDTH, kind: &kind };
            let progress = self.progress(Phase::Refute);
            let mut realized = Realized::default();
            let found = realize(prober, &failed, &beam, &mut realized, &progress).and_then(|()| {
                values.extend(prober, author, &failed, (&beam, &mut realized), rng, &progress)
            });
            let open = tried.iter().filter(|one| !one.is_realized());
            let words: Vec<Vec<Letter>> = open.map(|one| one.walk.word.clone()).collect();
            found.and_then(|found| {
                if !found.is_empty() {
                    realize(prober, &words, &beam, &mut realized, &progress)?;
                    for one in tried.iter_mut().filter(|one| !one.is_realized()) {
                        if realized.reach(&one.walk.word) > one.reached.len() {
                            *one = TriedWalk::searched(one.walk.clone(), one.weight, &realized);
                        }
                    }
                }
                Ok(found)
            })
        };
        self.values = values;
        let found = found?;
        let learned = !found.is_empty();
        for situation in found {
            let runs = prober.run(std::slice::from_ref(&situation.script)).map_err(Halt::Failed)?;
            for run in &runs {
                if !run.was_run() {
                    return Err(prober.why_not_run(&self.progress(Phase::Refute)).into());
                }
                self.follow_new_way(prober, &situation, run)?;
            }
        }
        Ok(learned)
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
        const WALKS: usize = 48;
        const TRIED: usize = 4;
        let mut votes: BTreeMap<Split, usize> = BTreeMap::new();
        for tried in trial.failed().take(WALKS) {
            self.update(prober)?;
            if let Some(split) = self.suspect(prober, tried)?
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

    /// Probes successors until the side of every situation in a split is known, at least of as many as
    /// matter.
    fn resolve_splits<S: Guarded>(&mut self, prober: &mut Prober<'_, S>) -> Result<(), Halt<S::Error>> {
        const ROUNDS: usize = 3;
        const MOST: usize = 200;
        const AT_ONCE: usize = 20;
        for _ in 0..ROUNDS {
            self.update(prober)?;
            let mut open = self.classes().undecided;
            open.retain(|id| !self.is_far(*id));
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

/// Keeps at most so many of the walks that are `open`, and lets them stand for all of these.
fn represent<T>(
    walks: &mut Vec<T>,
    most: usize,
    open: impl Fn(&T) -> bool,
    weight: impl Fn(&mut T) -> &mut f64,
) {
    let all = walks.iter().filter(|walk| open(walk)).count();
    if all <= most {
        return;
    }
    let mut kept = 0;
    walks.retain_mut(|walk| {
        if !open(walk) {
            return true;
        }
        kept += 1;
        *weight(walk) *= all as f64 / most as f64;
        kept <= most
    });
}

/// A random walk of the draft with this word, if there is one.
fn read(draft: &DraftModel, reader: &EventReader, word: &[Letter], rng: &mut impl Rng) -> Option<Walk> {
    let fsa = &draft.fsa;
    let letters: Vec<u32> =
        word.iter().map(|&letter| fsa.letter(reader.alphabet().name(letter))).collect::<Option<_>>()?;
    // The states that each prefix can lead to, from which the way is then found backwards.
    let mut levels: Vec<Vec<State>> = vec![fsa.initial().to_vec()];
    for &letter in &letters {
        let steps = levels.last()?.iter().flat_map(|&state| fsa.steps_with(state, letter));
        let next: BTreeSet<State> = steps.map(|step| step.to as State).collect();
        levels.push(next.into_iter().collect());
    }
    let mut at = *pick(levels.last()?, rng)?;
    let mut classes = Vec::new();
    for (level, &letter) in levels.iter().zip(&letters).rev() {
        classes.push(draft.class(at)?);
        let leads = |&state: &State| fsa.steps_with(state, letter).iter().any(|step| step.to as State == at);
        let before: Vec<State> = level.iter().copied().filter(leads).collect();
        at = *pick(&before, rng)?;
    }
    classes.reverse();
    Some(Walk { word: word.to_vec(), classes })
}

/// One of these, each as likely as the others.
fn pick<'a, T>(some: &'a [T], rng: &mut impl Rng) -> Option<&'a T> {
    (!some.is_empty()).then(|| &some[rng.random_range(0..some.len())])
}

/// A walk of a draft with a random word. The word is drawn first: how many transitions carry a label must not
/// decide how often it is tried.
fn random_walk(draft: &DraftModel, reader: &EventReader, longest: usize, rng: &mut impl Rng) -> Walk {
    let letters = draft.fsa.long_random_word(longest, rng);
    let letter = |&letter: &u32| {
        let label = &draft.fsa.alphabet()[letter as usize];
        reader.alphabet().get(label).expect("the labels of a draft are those of its reader")
    };
    let word: Vec<Letter> = letters.iter().map(letter).collect();
    read(draft, reader, &word, rng).expect("the word was drawn from the draft")
}
