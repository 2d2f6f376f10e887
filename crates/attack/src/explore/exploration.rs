//! Situations that were probed, the events that they enable, and where these lead.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use adit_trace::{Depth, Letter, Phase, Progress};

use super::asking::{Asked, Experience, letter};
use super::draft::{ClassId, DraftModel, Splits};
use super::fields::Fields;
use super::fine::Finer;
use super::glance::Glance;
use super::refute::Unrefined;
use super::{ExploreOptions, Prior};
use crate::EventReader;
use crate::guard::Guarded;
use crate::moves::{self, Move, Situation};
use crate::other_values::ValueSearch;
use crate::probe::{Halt, Observed, Probed, Prober, StateHash};
use crate::survey::Pool;

/// Everything that an exploration has found out.
pub(super) struct Exploration {
    pub(super) pool: Pool,
    /// Ways to make an object, those of the pool among them.
    pub(super) starts_of_survey: Vec<Move>,
    pub(super) options: ExploreOptions,
    pub(super) prior: Prior,
    pub(super) situations: Vec<ProbedSituation>,
    /// Events that create objects, and the situations after them.
    pub(super) creations: Vec<Successor>,
    /// First situation with these fields, of those that matter.
    pub(super) by_state: BTreeMap<StateHash, SituationId>,
    /// Situations with objects that differ only in the content of what their fields lead to.
    pub(super) by_likeness: BTreeMap<StateHash, Vec<SituationId>>,
    /// The fields that matter.
    pub(super) fields: Fields,
    /// Number of situations when they were last chosen.
    pub(super) chosen_with: usize,
    /// Situations are compared by their fields, until two with equal fields enable different events; then
    /// also by what the fields lead to.
    pub(super) depth: Depth,
    /// Situations were seen less deep than they are compared by now, and must be seen again.
    pub(super) is_outdated: bool,
    /// Number of times that all situations were seen anew.
    pub(super) looks: usize,
    /// Situations that seemed equal and enable different events, and the reason is not known yet.
    pub(super) unlike: Vec<(SituationId, SituationId)>,
    /// Two situations that were equal in all that can be seen enabled different events, so fields do not tell
    /// situations apart.
    pub(super) fields_mislead: bool,
    /// Sets of events that were found enabled, numbered in the order of their finding.
    enabled: BTreeMap<BTreeSet<Letter>, EnabledSetId>,
    /// Sets that lack nothing of another one but events of calls that take values.
    lesser: BTreeSet<EnabledSetId>,
    /// Number of sets when these were found.
    compared: usize,
    /// Sets that are taken for others (`absorbing.rs`).
    pub(super) absorbed: BTreeMap<EnabledSetId, EnabledSetId>,
    pub(super) splits: Splits,
    /// The model before small splits were tried, while they are.
    pub(super) unrefined: Option<Unrefined>,
    /// Small splits that were undone, for a model that says more than one wants to read at first.
    pub(super) finer: Option<Finer>,
    /// Situations in which the calls of the survey were tried that the pool lacks.
    pub(super) searched: BTreeSet<SituationId>,
    /// Successors that were glanced at in search of rare targets.
    pub(super) glanced: BTreeSet<(Option<SituationId>, Letter, StateHash)>,
    /// Situations in which every call was repeated.
    pub(super) repeated: BTreeSet<SituationId>,
    /// Search for values that the pool lacks.
    pub(super) values: ValueSearch,
    /// The last search for other values found some.
    pub(super) values_helped: bool,
    /// Events that some situation enables.
    pub(super) met: BTreeSet<Letter>,
    /// Those of them that a call of the pool showed.
    pub(super) shown_by_pool: BTreeSet<Letter>,
    /// Experience with passing what objects answer.
    pub(super) experience: Experience,
    /// Values of a situation that are passed in each call.
    pub(super) most_values: usize,
    /// Calls that were tried in situations, and those of them for [`close`](Self::close).
    pub(super) tried: usize,
    pub(super) tried_to_close: usize,
    /// The model of everything that is known, until something new is found.
    draft: Option<Rc<DraftModel>>,
}

/// Number of a probed situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SituationId(pub(super) usize);

/// Number of a set of events that some situation enables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EnabledSetId(usize);

impl EnabledSetId {
    pub(super) fn number(self) -> usize {
        self.0
    }
}

/// A situation in which every move was tried.
pub(super) struct ProbedSituation {
    pub(super) situation: Situation,
    pub(super) state: StateHash,
    pub(super) enabled: EnabledSetId,
    pub(super) successors: Vec<Successor>,
    pub(super) thrown: Thrown,
    /// Events of calls that hung or were not made (`untried.rs`).
    pub(super) untried: BTreeSet<Letter>,
}

/// Calls that threw: how often, and the situation after the shortest.
type Thrown = BTreeMap<String, (u64, Situation)>;

impl ProbedSituation {
    /// Takes note of the outcome of one more move.
    pub(super) fn note(&mut self, outcome: Probed, situation: Situation, fields_mislead: bool) {
        note(&mut self.successors, &mut self.thrown, outcome, situation, fields_mislead);
    }
}

/// What the outcomes of moves in a situation say.
fn noted(
    outcomes: impl Iterator<Item = (Probed, Situation)>,
    fields_mislead: bool,
) -> (Vec<Successor>, Thrown) {
    let (mut successors, mut thrown) = (Vec::new(), Thrown::new());
    for (outcome, situation) in outcomes {
        note(&mut successors, &mut thrown, outcome, situation, fields_mislead);
    }
    (successors, thrown)
}

/// Takes note of the outcome of a move. Successors with equal fields are kept once, unless fields mislead.
fn note(
    successors: &mut Vec<Successor>,
    thrown: &mut Thrown,
    outcome: Probed,
    situation: Situation,
    fields_mislead: bool,
) {
    match outcome {
        Probed::Returned(observed) => {
            let (letter, state) = (observed.letter, observed.state);
            let equal = |other: &Successor| other.letter == letter && other.state == state;
            if fields_mislead || !successors.iter().any(equal) {
                successors.push(Successor { letter, situation, state, probed: None, like: None });
            }
        }
        Probed::Threw(label) => {
            let (times, shortest) = thrown.entry(label).or_insert_with(|| (0, situation.clone()));
            *times += 1;
            if situation.script.statements.len() < shortest.script.statements.len() {
                *shortest = situation;
            }
        }
        Probed::Nothing | Probed::Untried => {}
    }
}

/// An event that was possible in a situation, and the situation after it.
#[derive(Clone)]
pub(super) struct Successor {
    pub(super) letter: Letter,
    pub(super) situation: Situation,
    pub(super) state: StateHash,
    /// The same situation among those that were probed, if it was.
    pub(super) probed: Option<SituationId>,
    /// A probed situation that enables the same events, as far as a glance told.
    pub(super) like: Option<SituationId>,
}

impl Successor {
    /// Number of statements of its script.
    pub(super) fn length(&self) -> usize {
        self.situation.script.statements.len()
    }
}

/// Place of a successor: its number among those of a situation, or among the creations of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SuccessorId {
    pub(super) from: Option<SituationId>,
    number: usize,
}

/// An event out of all situations that enable the same set; without a set, the creation of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Direction {
    from: Option<EnabledSetId>,
    letter: Letter,
}

/// Times that values are changed in a search for those that the pool lacks.
const VALUE_ROUNDS: usize = 12;

/// Number of situations that are probed at once.
const BATCH: usize = 24;

/// Number of situations that are probed in every direction before more are in any.
const FEW: usize = 2;

/// A situation that is to be probed, with the hash of its fields.
pub(super) type Unprobed = (Situation, StateHash);

impl Exploration {
    pub(super) fn new(
        pool: Pool,
        starts_of_survey: Vec<Move>,
        prior: Prior,
        options: ExploreOptions,
    ) -> Self {
        Self {
            pool,
            starts_of_survey,
            options,
            prior,
            situations: Vec::new(),
            creations: Vec::new(),
            by_state: BTreeMap::new(),
            by_likeness: BTreeMap::new(),
            fields: Fields::default(),
            chosen_with: 0,
            depth: Depth::Fields,
            is_outdated: false,
            looks: 0,
            unlike: Vec::new(),
            fields_mislead: false,
            enabled: BTreeMap::new(),
            lesser: BTreeSet::new(),
            compared: 0,
            absorbed: BTreeMap::new(),
            splits: Splits::default(),
            unrefined: None,
            finer: None,
            searched: BTreeSet::new(),
            glanced: BTreeSet::new(),
            repeated: BTreeSet::new(),
            values: ValueSearch::new(VALUE_ROUNDS, 0),
            values_helped: true,
            met: BTreeSet::new(),
            shown_by_pool: BTreeSet::new(),
            experience: Experience::default(),
            most_values: moves::MOST_VALUES,
            tried: 0,
            tried_to_close: 0,
            draft: None,
        }
    }

    /// Number of situations that were probed.
    pub(super) fn situations(&self) -> usize {
        self.situations.len()
    }

    /// Number of sets of events that were found enabled.
    pub(super) fn enabled_sets(&self) -> usize {
        self.enabled.len()
    }

    /// Progress in a phase. The prober counts the tests.
    pub(super) fn progress(&self, phase: Phase) -> Progress {
        Progress { states: Some(self.enabled.len()), ..Progress::new(phase, 0) }
    }

    /// The model of everything that is known, drafted again only if something was found since.
    pub(super) fn draft(&mut self, reader: &EventReader) -> Rc<DraftModel> {
        if let Some(draft) = &self.draft {
            return draft.clone();
        }
        self.lend_untried();
        let draft = Rc::new(self.new_draft(reader, self.classes()));
        self.draft = Some(draft.clone());
        draft
    }

    /// Forgets the draft, because something was found or a split was changed.
    pub(super) fn outdate_draft(&mut self) {
        self.draft = None;
    }

    /// All successors with their places: those of the creation of objects first, then those of each
    /// situation.
    pub(super) fn successors(&self) -> impl Iterator<Item = (SuccessorId, &Successor)> {
        let creations =
            self.creations.iter().enumerate().map(|(number, one)| (SuccessorId { from: None, number }, one));
        creations.chain(self.probed_situations().flat_map(|(id, _)| self.successors_of(id)))
    }

    /// The successors of a situation with their places.
    pub(super) fn successors_of(&self, id: SituationId) -> impl Iterator<Item = (SuccessorId, &Successor)> {
        let successors = self.situation(id).successors.iter().enumerate();
        successors.map(move |(number, one)| (SuccessorId { from: Some(id), number }, one))
    }

    /// The probed situations with their numbers.
    pub(super) fn probed_situations(&self) -> impl Iterator<Item = (SituationId, &ProbedSituation)> {
        self.situations.iter().enumerate().map(|(number, situation)| (SituationId(number), situation))
    }

    pub(super) fn situation(&self, SituationId(number): SituationId) -> &ProbedSituation {
        &self.situations[number]
    }

    pub(super) fn successor(&self, SuccessorId { from, number }: SuccessorId) -> &Successor {
        match from {
            Some(SituationId(from)) => &self.situations[from].successors[number],
            None => &self.creations[number],
        }
    }

    pub(super) fn successor_mut(&mut self, SuccessorId { from, number }: SuccessorId) -> &mut Successor {
        match from {
            Some(SituationId(from)) => &mut self.situations[from].successors[number],
            None => &mut self.creations[number],
        }
    }

    /// The direction in which a successor lies.
    fn direction(&self, id: SuccessorId) -> Direction {
        let from = id.from.map(|from| self.absorbing(self.situation(from).enabled));
        Direction { from, letter: self.successor(id).letter }
    }

    /// The probed situation behind a successor, or one with the same fields where fields tell situations
    /// apart.
    pub(super) fn behind(&self, successor: &Successor) -> Option<SituationId> {
        successor.probed.or_else(|| self.with_state(successor.state))
    }

    /// Tells whether situations with equal fields are equal, as far as is known.
    pub(super) fn is_told_by_fields(&self) -> bool {
        !self.fields_mislead
    }

    /// The first probed situation with these fields, where fields tell situations apart.
    pub(super) fn with_state(&self, state: StateHash) -> Option<SituationId> {
        if self.fields_mislead { None } else { self.by_state.get(&self.fields.key(state)).copied() }
    }

    /// The class of the first situation with these fields, as a guess where fields do not tell situations
    /// apart.
    pub(super) fn likely_class(&self, draft: &DraftModel, state: StateHash) -> Option<ClassId> {
        self.by_state.get(&self.fields.key(state)).and_then(|&id| draft.classes.of(id))
    }

    /// Events without a side effect, minus those that were seen to change what is enabled.
    pub(super) fn harmless(&self) -> BTreeSet<Letter> {
        let mut pure = self.prior.pure.clone();
        for (id, situation) in self.probed_situations().filter(|(id, _)| self.is_known(*id)) {
            for (_, successor) in self.successors_of(id) {
                let behind = self.behind(successor).filter(|behind| self.is_known(*behind));
                if behind.is_some_and(|behind| self.situation(behind).enabled != situation.enabled) {
                    pure.remove(&successor.letter);
                }
            }
        }
        pure
    }

    /// Creates objects, where exploring begins.
    pub(super) fn create_objects<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
    ) -> Result<(), Halt<S::Error>> {
        let created = self.pool.starts.iter().map(Move::start).collect();
        self.creations = created_by(prober, created, &mut self.fields)?;
        Ok(())
    }

    /// Probes successors of all situations, until there are enough in every direction.
    pub(super) fn explore<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        enough: usize,
    ) -> Result<(), Halt<S::Error>> {
        loop {
            // At least the new objects are probed, so that there is a model, however slow the class.
            if !self.situations.is_empty() {
                prober.ask(&self.progress(Phase::Explore))?;
            }
            self.see_again(prober)?;
            self.choose_fields_by_more();
            self.find_lesser(prober.reader);
            let mut unknown = self.leading_nowhere();
            let glance = self.glance_at(unknown.len());
            unknown.truncate(BATCH);
            let next = if unknown.is_empty() {
                let chosen = self.next_successors(enough);
                let next = self.without_known_targets(prober, &chosen)?;
                if next.is_empty() && !chosen.is_empty() {
                    continue;
                }
                next
            } else {
                // What was never followed is looked at closely.
                let followed = self.followed_events();
                let is_new = |id: &SuccessorId| self.successor(*id).like.is_none();
                let at_a_glance =
                    |id: &SuccessorId| is_new(id) && followed.contains(&self.successor(*id).letter);
                let (mut glanced, mut probed): (Vec<SuccessorId>, Vec<SuccessorId>) =
                    unknown.into_iter().partition(at_a_glance);
                let mut rest = Vec::new();
                if glance != Glance::Thorough {
                    // There is no time for a close look at everything, so at new objects only.
                    let is_closer = |id: &SuccessorId| id.from.is_none() || !is_new(id);
                    let (closer, later): (Vec<SuccessorId>, Vec<SuccessorId>) =
                        probed.into_iter().partition(is_closer);
                    probed = closer;
                    let predictable = self.predictable_events();
                    let is_predictable = |id: &SuccessorId| predictable.contains(&self.successor(*id).letter);
                    let (short, others): (Vec<SuccessorId>, Vec<SuccessorId>) =
                        glanced.into_iter().partition(is_predictable);
                    rest = self.glance(prober, short, &glance)?;
                    glanced = [others, later].concat();
                }
                rest.extend(self.glance(prober, glanced, &Glance::Thorough)?);
                let next: Vec<SuccessorId> = [probed, rest].concat();
                if next.is_empty() {
                    continue;
                }
                next
            };
            if next.is_empty() {
                return Ok(());
            }
            if !self.probe_successors(prober, &next)? {
                return Err(prober.why_not_run(&self.progress(Phase::Explore)).into());
            }
        }
    }

    /// Successors worth probing: few in every direction, and then as many as are enough.
    fn next_successors(&self, enough: usize) -> Vec<SuccessorId> {
        let mut open = Vec::new();
        let mut probed: BTreeMap<Direction, usize> = BTreeMap::new();
        for (id, one) in self.successors() {
            if one.probed.is_some() || self.is_glanced(id) {
                *probed.entry(self.direction(id)).or_default() += 1;
            } else {
                open.push((id, one));
            }
        }
        open.sort_by_key(|(id, one)| (self.is_lesser(id.from), one.length()));
        let few = [FEW, enough].into_iter().filter(|few| *few <= enough);
        few.map(|few| self.fairly_chosen(&open, probed.clone(), few))
            .find(|chosen| !chosen.is_empty())
            .unwrap_or_default()
    }

    /// Finds the sets that lack nothing of another one but events of calls that take values. Usually they are
    /// the same set, and no value of the pool showed the rest: how many there are is a matter of the pool.
    fn find_lesser(&mut self, reader: &EventReader) {
        if self.compared == self.enabled.len() {
            return;
        }
        self.compared = self.enabled.len();
        let needs_value = |letter: &Letter| reader.takes_values(*letter);
        let is_lesser = |one: &BTreeSet<Letter>| {
            let lacks_values =
                |other: &BTreeSet<Letter>| other.difference(one).all(needs_value) && other.len() > one.len();
            self.enabled.keys().any(|other| one.is_subset(other) && lacks_values(other))
        };
        let lesser = self.enabled.iter().filter(|(one, _)| is_lesser(one)).map(|(_, &id)| id);
        self.lesser = lesser.collect();
    }

    /// Tells whether a situation probably enables more than was found.
    fn is_lesser(&self, id: Option<SituationId>) -> bool {
        id.is_some_and(|id| self.lesser.contains(&self.situation(id).enabled))
    }

    /// Events of which it is known somewhere where they lead.
    fn followed_events(&self) -> BTreeSet<Letter> {
        let is_known = |one: &Successor| one.like.is_some() || self.behind(one).is_some();
        let followed = self.successors().filter(|(_, one)| is_known(one));
        followed.map(|(_, one)| one.letter).collect()
    }

    /// A successor for each class and event of which it is not known where it leads: without it, the model
    /// would not say. Events that were never followed come first, then those that are known to change what is
    /// enabled, so that a time that is too short for all is spent on what the others depend on.
    fn leading_nowhere(&self) -> Vec<SuccessorId> {
        let classes = self.coarse_classes(self.splits.all());
        let only = self.only_classes(&classes);
        let is_told = |like: &SituationId| only.contains_key(&self.situation(*like).enabled);
        let mut known: BTreeSet<(Option<ClassId>, Letter)> = BTreeSet::new();
        let (mut followed, mut moving) = (BTreeSet::new(), BTreeSet::new());
        for (id, successor) in self.successors() {
            if let Some(behind) = self.behind(successor).or(successor.like.filter(is_told)) {
                known.insert((id.from.and_then(|from| classes.of(from)), successor.letter));
                followed.insert(successor.letter);
                let enabled = |id: SituationId| self.situation(id).enabled;
                if id.from.map(enabled) != Some(enabled(behind)) {
                    moving.insert(successor.letter);
                }
            }
        }
        let mut unknown: BTreeMap<(Option<ClassId>, Letter), (usize, SuccessorId)> = BTreeMap::new();
        for (id, successor) in self.successors() {
            let class = id.from.and_then(|from| classes.of(from));
            // A call without effect stays where it is. A situation without a class is in no model.
            let is_idle = id.from.is_some() && (class.is_none() || self.prior.is_inert(successor.letter));
            if is_idle || known.contains(&(class, successor.letter)) {
                continue;
            }
            let shortest = unknown.entry((class, successor.letter)).or_insert((successor.length(), id));
            if successor.length() < shortest.0 {
                *shortest = (successor.length(), id);
            }
        }
        let mut unknown: Vec<_> = unknown
            .into_iter()
            .map(|((class, letter), (length, id))| {
                let is_known = (followed.contains(&letter), !moving.contains(&letter));
                let rank = (class.is_some(), self.is_lesser(id.from), is_known);
                (rank, length, letter, id)
            })
            .collect();
        unknown.sort_by_key(|(rank, length, letter, _)| (*rank, *length, *letter));
        unknown.into_iter().map(|(.., id)| id).collect()
    }

    /// Successors fairly chosen among the directions, shortest scripts first, up to `enough` in each. In each
    /// direction, so many were `probed` before.
    fn fairly_chosen(
        &self,
        open: &[(SuccessorId, &Successor)],
        mut probed: BTreeMap<Direction, usize>,
        enough: usize,
    ) -> Vec<SuccessorId> {
        let mut chosen = Vec::new();
        let mut met: BTreeSet<(Direction, StateHash)> = BTreeSet::new();
        // New fields come first; then, a quarter as many, fields that are known, to catch fields that
        // mislead.
        for fresh in [true, false] {
            for &(id, successor) in open {
                if chosen.len() >= BATCH || (!fresh && chosen.len() >= BATCH / 4 && !self.fields_mislead) {
                    break;
                }
                let state = self.fields.key(successor.state);
                let is_new = !self.by_state.contains_key(&state);
                let direction = self.direction(id);
                let count = probed.entry(direction).or_default();
                let most = match id.from {
                    None => 4 * enough,
                    // A call without effect leads back, and one look is enough to see that.
                    Some(_) if self.prior.is_inert(successor.letter) => 1,
                    Some(_) => enough,
                };
                if is_new == fresh && *count < most && met.insert((direction, state)) {
                    *count += 1;
                    chosen.push(id);
                }
            }
        }
        chosen
    }

    /// Probes the situations of these successors. Tells whether there was time for all.
    pub(super) fn probe_successors<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        successors: &[SuccessorId],
    ) -> Result<bool, Halt<S::Error>> {
        let situation = |&id: &SuccessorId| {
            let successor = self.successor(id);
            (successor.situation.clone(), successor.state)
        };
        let situations: Vec<Unprobed> = successors.iter().map(situation).collect();
        let first = self.situations.len();
        let probed = self.probe(prober, situations)?;
        for (offset, &id) in successors.iter().take(probed).enumerate() {
            self.successor_mut(id).probed = Some(SituationId(first + offset));
        }
        Ok(probed == successors.len())
    }

    /// Probes everything behind all situations, if that is not much compared with what was done so far: a
    /// class with few situations is then known completely.
    pub(super) fn close<S: Guarded>(&mut self, prober: &mut Prober<'_, S>) -> Result<(), Halt<S::Error>> {
        const AT_LEAST: usize = 6000;
        const SHARE: usize = 3;
        loop {
            self.see_again(prober)?;
            if !self.is_told_by_fields() {
                return Ok(());
            }
            let mut met = BTreeSet::new();
            let is_new = |id: &SuccessorId| met.insert(self.fields.key(self.successor(*id).state));
            let open: Vec<SuccessorId> = self.graph().open().filter(is_new).collect();
            let calls = open.len() * self.pool.moves.len();
            let is_much = self.tried_to_close + calls > AT_LEAST.max(self.tried / SHARE)
                || open.iter().any(|id| self.is_far(*id));
            // Fields that do not matter make many situations of few. Choosing them takes a while, so it is
            // done again only when much more is known, and before anything is taken for complete.
            let ends = open.is_empty() || is_much;
            let knows_more = 4 * self.situations.len() >= 5 * self.chosen_with;
            if (knows_more && !open.is_empty()) || (ends && self.fields.are_chosen()) {
                self.chosen_with = self.situations.len();
                if self.choose_fields() {
                    continue;
                }
            }
            if ends {
                return Ok(());
            }
            self.tried_to_close += calls;
            for part in open.chunks(BATCH) {
                prober.ask(&self.progress(Phase::Explore))?;
                if !self.probe_successors(prober, part)? {
                    return Err(prober.why_not_run(&self.progress(Phase::Explore)).into());
                }
            }
        }
    }

    /// Tells whether a successor is behind many calls. What is still new there is probably new behind any
    /// number of calls, because the class counts.
    pub(super) fn is_far(&self, id: SuccessorId) -> bool {
        const CALLS: usize = 16;
        self.successor(id).situation.calls() > CALLS
    }

    /// Probes one more situation and returns its number, or nothing if there was no time for it.
    pub(super) fn probe_one<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        situation: Situation,
        state: StateHash,
    ) -> Result<Option<SituationId>, Halt<S::Error>> {
        let probed = self.probe(prober, vec![(situation, state)])?;
        Ok((probed > 0).then(|| SituationId(self.situations.len() - 1)))
    }

    /// Tries all moves in new situations, and returns how many situations were probed. One in which there was
    /// no time for all moves does not count, because what was not tried would look impossible. Only the very
    /// first counts in any case, so that there is a model.
    pub(super) fn probe<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        situations: Vec<Unprobed>,
    ) -> Result<usize, Halt<S::Error>> {
        self.outdate_draft();
        self.focus(prober);
        let moves: Vec<&Move> =
            self.pool.moves.iter().filter(|one| !prober.is_given_up(one.callable())).collect();
        let behind: Vec<Vec<Situation>> = situations
            .iter()
            .map(|(situation, _)| {
                moves::all_behind(moves.iter().copied(), situation, &prober.ties, self.most_values)
            })
            .collect();
        let counts: Vec<usize> = behind.iter().map(Vec::len).collect();
        let behind: Vec<Situation> = behind.into_iter().flatten().collect();
        self.tried += behind.len();
        let mut outcomes = prober.probe(&behind).map_err(Halt::Failed)?.into_iter().zip(behind);
        let mut tried: Vec<(Unprobed, Vec<(Probed, Situation)>)> = Vec::new();
        for (unprobed, count) in situations.into_iter().zip(counts) {
            let is_first = self.situations.is_empty() && tried.is_empty() && outcomes.len() > 0;
            if outcomes.len() < count && !is_first {
                break;
            }
            let outcomes: Vec<(Probed, Situation)> = outcomes.by_ref().take(count).collect();
            self.tie_returned(&outcomes);
            self.met.extend(outcomes.iter().filter_map(|(outcome, _)| letter(outcome)));
            tried.push((unprobed, outcomes));
        }
        let first = self.situations.len();
        let probed = self.ask(prober, tried)?;
        self.try_new_events_everywhere(prober, first)?;
        Ok(probed)
    }

    /// Forgets all situations but the first so many.
    pub(super) fn forget_after(&mut self, count: usize) {
        self.situations.truncate(count);
        self.unlike.retain(|(one, other)| one.0 < count && other.0 < count);
        self.by_state.retain(|_, situation| situation.0 < count);
        self.by_likeness.values_mut().for_each(|alike| alike.retain(|situation| situation.0 < count));
    }

    /// Learns that calls returned with what their object had returned, and never did with anything else.
    fn tie_returned(&mut self, outcomes: &[(Probed, Situation)]) {
        let returned = outcomes.iter().filter(|(outcome, _)| letter(outcome).is_some());
        let mut is_new = false;
        for (_, Situation { script, object }) in returned {
            is_new |= self.pool.ties.tie(script, *object);
        }
        if is_new {
            self.outdate_situations();
        }
    }

    /// Passes what objects answer to calls that lack an event, and adds the situations with all outcomes.
    /// Returns how many there was time for.
    fn ask<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        tried: Vec<(Unprobed, Vec<(Probed, Situation)>)>,
    ) -> Result<usize, Halt<S::Error>> {
        let asked: Vec<Vec<Asked>> = tried
            .iter()
            .map(|((situation, state), outcomes)| self.asking(prober, (situation, *state), outcomes))
            .collect();
        let behind: Vec<Situation> = asked.iter().flatten().map(|one| one.situation.clone()).collect();
        self.tried += behind.len();
        let mut answers = prober.probe(&behind).map_err(Halt::Failed)?.into_iter();
        let mut probed = 0;
        for (((situation, state), mut outcomes), asked) in tried.into_iter().zip(asked) {
            let is_first = self.situations.is_empty();
            if answers.len() < asked.len() && !is_first {
                break;
            }
            let answers: Vec<Probed> = answers.by_ref().take(asked.len()).collect();
            let shown = outcomes.iter().filter_map(|(outcome, _)| letter(outcome)).collect();
            self.learn_answers(&shown, asked.iter().zip(&answers));
            // A call that was refused may have been given nonsense, so only what is new counts.
            let is_new =
                |(outcome, _): &(Probed, Situation)| letter(outcome).is_some_and(|one| !shown.contains(&one));
            let answers =
                answers.into_iter().zip(asked).filter(|(_, one)| !self.pool.ties.is_tied(one.callable()));
            outcomes.extend(answers.map(|(answer, one)| (answer, one.situation)).filter(is_new));
            self.add_situation(prober, situation, state, outcomes);
            probed += 1;
        }
        Ok(probed)
    }

    /// Adds a situation with the outcomes of all moves in it.
    fn add_situation<S: Guarded>(
        &mut self,
        prober: &Prober<'_, S>,
        situation: Situation,
        state: StateHash,
        outcomes: Vec<(Probed, Situation)>,
    ) {
        for (outcome, _) in &outcomes {
            self.see(outcome);
        }
        let untried = self.untried_events(prober, &outcomes);
        let (successors, thrown) = noted(outcomes.into_iter(), self.fields_mislead);
        let enabled = self.enabled_set(&successors);
        self.situations.push(ProbedSituation { situation, state, enabled, successors, thrown, untried });
        let id = SituationId(self.situations.len() - 1);
        self.lend_to_alike(prober.reader, id);
        self.compare_with_twin(id);
    }

    /// Takes note of the state after a move.
    pub(super) fn see(&mut self, outcome: &Probed) {
        if let Probed::Returned(observed) = outcome {
            self.fields.see(observed);
        }
    }

    /// Lets the subject look as deep as situations are compared.
    pub(super) fn focus<S: Guarded>(&self, prober: &mut Prober<'_, S>) {
        prober.subject.look(self.depth);
        prober.ties = self.pool.ties.clone();
    }

    /// The number of a set of events, if it was found enabled.
    pub(super) fn enabled_by(&self, events: &BTreeSet<Letter>) -> Option<EnabledSetId> {
        self.enabled.get(events).copied()
    }

    /// The sets of events that were found enabled.
    pub(super) fn enabled_events(&self) -> impl Iterator<Item = (EnabledSetId, &BTreeSet<Letter>)> {
        self.enabled.iter().map(|(events, &id)| (id, events))
    }

    /// The number of the set of events that these successors show to be enabled.
    pub(super) fn enabled_set(&mut self, successors: &[Successor]) -> EnabledSetId {
        let next = EnabledSetId(self.enabled.len());
        *self.enabled.entry(successors.iter().map(|one| one.letter).collect()).or_insert(next)
    }
}

/// The situations after objects were created.
pub(super) fn created_by<S: Guarded>(
    prober: &mut Prober<'_, S>,
    created: Vec<Situation>,
    fields: &mut Fields,
) -> Result<Vec<Successor>, Halt<S::Error>> {
    let observed = prober.observe(&created).map_err(Halt::Failed)?;
    let seen = created.into_iter().zip(observed).filter_map(|(situation, observed)| {
        let observed = observed?;
        fields.see(&observed);
        let Observed { letter, state, .. } = observed;
        Some(Successor { letter, situation, state, probed: None, like: None })
    });
    Ok(seen.collect())
}
