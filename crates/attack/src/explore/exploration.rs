//! Situations that were probed, the events that they enable, and where these lead.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use adit_trace::{Author, Depth, Letter, Phase, Progress, Run, Script};
use rand::Rng;

use super::draft::{ClassId, DraftModel, Splits};
use super::refute::Unrefined;
use super::{ExploreOptions, Prior, labels};
use crate::EventReader;
use crate::guard::Guarded;
use crate::moves::{self, Move, Situation};
use crate::probe::{Halt, Probed, Prober, StateHash};
use crate::survey::Pool;

/// Everything that an exploration has found out.
pub(super) struct Exploration {
    pub(super) pool: Pool,
    pub(super) options: ExploreOptions,
    pub(super) prior: Prior,
    situations: Vec<ProbedSituation>,
    /// Events that create objects, and the situations after them.
    creations: Vec<Successor>,
    /// First situation with these fields.
    by_state: BTreeMap<StateHash, SituationId>,
    /// What situations are compared by: their fields, until two with equal fields enable different events;
    /// then also what the fields lead to.
    depth: Depth,
    /// Two situations that were equal in all that can be seen enabled different events, so fields do not tell
    /// situations apart.
    fields_mislead: bool,
    /// Sets of events that were found enabled, numbered in the order of their finding.
    enabled: BTreeMap<BTreeSet<Letter>, EnabledSetId>,
    pub(super) splits: Splits,
    /// The model before small splits were tried, while they are.
    pub(super) unrefined: Option<Unrefined>,
    /// Number of situations that were probed in each direction.
    probed: BTreeMap<Direction, usize>,
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
    situation: Situation,
    pub(super) enabled: EnabledSetId,
    pub(super) successors: Vec<Successor>,
    /// Calls that threw: how often, and the situation after the shortest.
    pub(super) thrown: BTreeMap<String, (u64, Situation)>,
}

impl ProbedSituation {
    /// Takes note of the outcome of a move. Successors with equal fields are kept once, unless fields
    /// mislead.
    fn note(&mut self, outcome: Probed, situation: Situation, fields_mislead: bool) {
        match outcome {
            Probed::Returned(observed) => {
                let (letter, state) = (observed.letter, observed.state);
                let equal = |other: &Successor| other.letter == letter && other.state == state;
                if fields_mislead || !self.successors.iter().any(equal) {
                    self.successors.push(Successor { letter, situation, state, probed: None });
                }
            }
            Probed::Threw(label) => {
                let (times, shortest) = self.thrown.entry(label).or_insert_with(|| (0, situation.clone()));
                *times += 1;
                if situation.script.statements.len() < shortest.script.statements.len() {
                    *shortest = situation;
                }
            }
            Probed::Nothing => {}
        }
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

/// A situation that is to be probed, with the hash of its fields.
type Unprobed = (Situation, StateHash);

impl Exploration {
    pub(super) fn new(pool: Pool, prior: Prior, options: ExploreOptions) -> Self {
        Self {
            pool,
            options,
            prior,
            situations: Vec::new(),
            creations: Vec::new(),
            by_state: BTreeMap::new(),
            depth: Depth::Fields,
            fields_mislead: false,
            enabled: BTreeMap::new(),
            splits: Splits::default(),
            unrefined: None,
            probed: BTreeMap::new(),
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
        let draft = Rc::new(self.new_draft(reader));
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

    fn successor_mut(&mut self, SuccessorId { from, number }: SuccessorId) -> &mut Successor {
        match from {
            Some(SituationId(from)) => &mut self.situations[from].successors[number],
            None => &mut self.creations[number],
        }
    }

    /// The direction in which a successor lies.
    fn direction(&self, id: SuccessorId) -> Direction {
        let from = id.from.map(|from| self.situation(from).enabled);
        Direction { from, letter: self.successor(id).letter }
    }

    /// The events of a set.
    pub(super) fn events(&self, wanted: EnabledSetId) -> impl Iterator<Item = Letter> {
        let set = self.enabled.iter().find(|(_, id)| **id == wanted);
        set.into_iter().flat_map(|(letters, _)| letters.iter().copied())
    }

    /// The probed situation behind a successor, or one with the same fields where fields tell situations
    /// apart.
    pub(super) fn behind(&self, successor: &Successor) -> Option<SituationId> {
        successor.probed.or_else(|| self.with_state(successor.state))
    }

    /// The first probed situation with these fields, where fields tell situations apart.
    pub(super) fn with_state(&self, state: StateHash) -> Option<SituationId> {
        if self.fields_mislead { None } else { self.by_state.get(&state).copied() }
    }

    /// The class of the first situation with these fields, as a guess where fields do not tell situations
    /// apart.
    pub(super) fn likely_class(&self, draft: &DraftModel, state: StateHash) -> Option<ClassId> {
        self.by_state.get(&state).and_then(|&id| draft.classes.of(id))
    }

    /// Events without a side effect, minus those that were seen to change what is enabled.
    pub(super) fn harmless(&self) -> BTreeSet<Letter> {
        let mut pure = self.prior.pure.clone();
        for situation in &self.situations {
            for successor in &situation.successors {
                let behind = self.behind(successor).map(|behind| self.situation(behind).enabled);
                if behind.is_some_and(|enabled| enabled != situation.enabled) {
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
        let created: Vec<Situation> = self.pool.starts.iter().map(Move::start).collect();
        let observed = prober.observe(&created).map_err(Halt::Failed)?;
        for (situation, observed) in created.into_iter().zip(observed) {
            if let Some(observed) = observed {
                let (letter, state) = (observed.letter, observed.state);
                self.creations.push(Successor { letter, situation, state, probed: None });
            }
        }
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
            let next = self.next_successors(enough);
            if next.is_empty() {
                return Ok(());
            }
            if !self.probe_successors(prober, &next)? {
                return Err(prober.why_not_run(&self.progress(Phase::Explore)).into());
            }
        }
    }

    /// Successors worth probing, fairly chosen among the directions, shortest scripts first.
    fn next_successors(&self, enough: usize) -> Vec<SuccessorId> {
        const BATCH: usize = 24;
        let mut probed = self.probed.clone();
        let mut chosen = Vec::new();
        let mut met: BTreeSet<(Direction, StateHash)> = BTreeSet::new();
        let mut open: Vec<_> = self.successors().filter(|(_, one)| one.probed.is_none()).collect();
        open.sort_by_key(|(_, one)| one.length());
        // New fields come first; then, a quarter as many, fields that are known, to catch fields that
        // mislead.
        for fresh in [true, false] {
            for &(id, successor) in &open {
                if chosen.len() >= BATCH || (!fresh && chosen.len() >= BATCH / 4 && !self.fields_mislead) {
                    break;
                }
                let is_new = !self.by_state.contains_key(&successor.state);
                let direction = self.direction(id);
                let count = probed.entry(direction).or_default();
                let most = if id.from.is_none() { 4 * enough } else { enough };
                if is_new == fresh && *count < most && met.insert((direction, successor.state)) {
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
            *self.probed.entry(self.direction(id)).or_default() += 1;
            self.successor_mut(id).probed = Some(SituationId(first + offset));
        }
        Ok(probed == successors.len())
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
    fn probe<S: Guarded>(
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
            .map(|(situation, _)| moves::all_behind(moves.iter().copied(), situation))
            .collect();
        let counts: Vec<usize> = behind.iter().map(Vec::len).collect();
        let behind: Vec<Situation> = behind.into_iter().flatten().collect();
        let mut outcomes = prober.probe(&behind).map_err(Halt::Failed)?.into_iter().zip(behind);
        let mut probed = 0;
        for ((situation, state), count) in situations.into_iter().zip(counts) {
            let is_first = self.situations.is_empty() && outcomes.len() > 0;
            if outcomes.len() < count && !is_first {
                break;
            }
            self.add_situation(situation, state, outcomes.by_ref().take(count));
            probed += 1;
        }
        Ok(probed)
    }

    /// Adds a situation with the outcomes of all moves in it.
    fn add_situation(
        &mut self,
        situation: Situation,
        state: StateHash,
        outcomes: impl Iterator<Item = (Probed, Situation)>,
    ) {
        let next = EnabledSetId(self.enabled.len());
        let mut new =
            ProbedSituation { situation, enabled: next, successors: Vec::new(), thrown: BTreeMap::new() };
        for (outcome, situation) in outcomes {
            new.note(outcome, situation, self.fields_mislead);
        }
        new.enabled = self.enabled_set(&new.successors);
        let id = SituationId(self.situations.len());
        let twin = *self.by_state.entry(state).or_insert(id);
        let mislead = twin != id && self.situation(twin).enabled != new.enabled;
        self.situations.push(new);
        if mislead {
            self.look_deeper();
        }
    }

    /// Compares situations by more than before, because two that seemed equal are not.
    fn look_deeper(&mut self) {
        match self.depth {
            Depth::Fields => {
                self.depth = Depth::ReachableAtEnd;
                // What was seen before cannot be compared with what is seen from now on.
                self.by_state.clear();
            }
            Depth::ReachableAtEnd | Depth::Reachable => self.fields_mislead = true,
        }
    }

    /// Lets the subject look as deep as situations are compared.
    pub(super) fn focus<S: Guarded>(&self, prober: &mut Prober<'_, S>) {
        prober.subject.look(self.depth);
    }

    /// Adds a move to the pool and tries it in all situations that were probed without it. Tells whether it
    /// is new.
    fn add_move<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        new: Move,
    ) -> Result<bool, Halt<S::Error>> {
        if self.pool.moves.contains(&new) || prober.is_given_up(new.callable()) {
            return Ok(false);
        }
        let behind: Vec<Situation> = self.situations.iter().map(|one| new.behind(&one.situation)).collect();
        let outcomes = prober.probe(&behind).map_err(Halt::Failed)?;
        if outcomes.len() < behind.len() {
            return Err(prober.why_not_run(&self.progress(Phase::Accept)).into());
        }
        self.pool.moves.push(new);
        self.outdate_draft();
        for (at, (outcome, situation)) in outcomes.into_iter().zip(behind).enumerate() {
            self.situations[at].note(outcome, situation, self.fields_mislead);
            let successors = std::mem::take(&mut self.situations[at].successors);
            self.situations[at].enabled = self.enabled_set(&successors);
            self.situations[at].successors = successors;
        }
        self.count_probed();
        Ok(true)
    }

    /// Tries new random calls in some situations of every class. Those that make an event happen that the
    /// class was not known to enable are added to the pool.
    pub(super) fn try_new_moves<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &mut impl Author,
        rng: &mut impl Rng,
    ) -> Result<(), Halt<S::Error>> {
        const SCRIPTS: usize = 200;
        const SITUATIONS: usize = 2;
        prober.ask(&self.progress(Phase::Accept))?;
        let calls = self.options.survey.calls;
        let scripts: Vec<Script> = (0..SCRIPTS).map(|_| author.script(rng, calls)).collect();
        let runs = prober.run(&scripts).map_err(Halt::Failed)?;
        let mut new: Vec<Move> = Vec::new();
        for (script, run) in scripts.iter().zip(&runs) {
            author.observe(script, run);
            for heard in prober.reader.read(script, run) {
                for at in heard.object + 1..script.statements.len() {
                    if script.statements[at].receiver == Some(heard.object)
                        && let Some(one) = Move::cut_out(script, at, heard.object)
                        && !self.pool.moves.contains(&one)
                        && !new.contains(&one)
                        && !one.passes(&prober.heavy)
                    {
                        new.push(one);
                    }
                }
            }
        }
        let draft = self.draft(prober.reader);
        let mut chosen: BTreeMap<ClassId, Vec<SituationId>> = BTreeMap::new();
        for (id, _) in self.probed_situations() {
            if let Some(class) = draft.classes.of(id) {
                let some = chosen.entry(class).or_default();
                if some.len() < SITUATIONS {
                    some.push(id);
                }
            }
        }
        for id in chosen.into_values().flatten() {
            prober.ask(&self.progress(Phase::Accept))?;
            let behind: Vec<Situation> =
                new.iter().map(|one| one.behind(&self.situation(id).situation)).collect();
            let observed = prober.observe(&behind).map_err(Halt::Failed)?;
            let mut missing: BTreeMap<Letter, usize> = BTreeMap::new();
            for (number, observed) in observed.iter().enumerate() {
                if let Some(observed) = observed
                    && !self.situation(id).successors.iter().any(|one| one.letter == observed.letter)
                {
                    missing.entry(observed.letter).or_insert(number);
                }
            }
            for number in missing.into_values() {
                self.add_move(prober, new[number].clone())?;
            }
        }
        Ok(())
    }

    /// Counts again how many situations were probed in each direction.
    fn count_probed(&mut self) {
        let mut probed: BTreeMap<Direction, usize> = BTreeMap::new();
        for (id, _) in self.successors().filter(|(_, one)| one.probed.is_some()) {
            *probed.entry(self.direction(id)).or_default() += 1;
        }
        self.probed = probed;
    }

    /// The number of the set of events that these successors show to be enabled.
    fn enabled_set(&mut self, successors: &[Successor]) -> EnabledSetId {
        let next = EnabledSetId(self.enabled.len());
        *self.enabled.entry(successors.iter().map(|one| one.letter).collect()).or_insert(next)
    }

    /// Follows a run that the model rejects, so that it accepts it: each situation on its way is probed.
    pub(super) fn accept<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        script: &Script,
        run: &Run,
    ) -> Result<(), Halt<S::Error>> {
        for heard in prober.reader.read(script, run) {
            prober.ask(&self.progress(Phase::Accept))?;
            if self.draft(prober.reader).fsa.reads(&labels(prober.reader, &heard.word)) {
                continue;
            }
            // What happened once by chance, such as a number that was the port of a server, is not what the
            // class does.
            let again = prober.run(&[script.clone(), script.clone()]).map_err(Halt::Failed)?;
            let same =
                |run: &Run| prober.reader.read(script, run).iter().any(|other| other.word == heard.word);
            if !again.iter().all(same) {
                continue;
            }
            let unprobed = |&at: &usize| {
                let script = Script { statements: script.statements[..=at].to_vec() };
                let state = StateHash::of(run.steps[at].fields.as_ref());
                (Situation { script, object: heard.object }, state)
            };
            let way: Vec<Unprobed> = heard.statements.iter().map(unprobed).collect();
            let first = self.situations.len();
            if self.probe(prober, way.clone())? < way.len() {
                // A way that was probed in part would lead nowhere.
                self.situations.truncate(first);
                self.by_state.retain(|_, situation| situation.0 < first);
                return Err(prober.why_not_run(&self.progress(Phase::Accept)).into());
            }
            // A call that the pool lacks is tried everywhere, or else it would seem to be possible here
            // alone.
            for (index, (&at, &letter)) in heard.statements.iter().zip(&heard.word).enumerate().skip(1) {
                let gives = |one: &Successor| one.letter == letter;
                if !self.situations[first + index - 1].successors.iter().any(gives)
                    && let Some(new) = Move::cut_out(script, at, heard.object)
                {
                    self.add_move(prober, new)?;
                }
            }
            self.add_way(first, &heard.word, way);
        }
        Ok(())
    }

    /// Links situations that were probed along a word. What happened is possible, whatever the pool of moves
    /// says.
    fn add_way(&mut self, first: usize, word: &[Letter], way: Vec<Unprobed>) {
        for (index, ((situation, state), &letter)) in way.into_iter().zip(word).enumerate() {
            let successor = Successor { letter, situation, state, probed: Some(SituationId(first + index)) };
            match index.checked_sub(1) {
                None => self.creations.push(successor),
                Some(before) => {
                    let mut successors = std::mem::take(&mut self.situations[first + before].successors);
                    successors.push(successor);
                    let enabled = self.enabled_set(&successors);
                    let before = &mut self.situations[first + before];
                    (before.enabled, before.successors) = (enabled, successors);
                }
            }
        }
    }
}
