//! Moves that the pool lacks: calls that were chosen for it together show every kind of effect that was seen
//! while it was chosen, but two calls may look alike everywhere and differ in one state that was found later.
//!
//! Other calls are tried in some situations of every state. One that makes an event happen that the state was
//! not known to enable, or that leads where the model has no transition, joins the pool. So does, at once, a
//! call with values of its own script that shows an event that no call of the pool has shown: other objects
//! were never given these values, and would seem to refuse it.
//!
//! Cost: as many scripts as [`PROBES`] in each round, and for a call that joins the pool as many as there are
//! situations.

use std::collections::{BTreeMap, BTreeSet};

use adit_trace::{Author, Letter, Phase, Script};
use rand::Rng;

use super::draft::{ClassId, DraftModel};
use super::exploration::{Exploration, SituationId, Unprobed};
use crate::guard::Guarded;
use crate::moves::{Move, Situation};
use crate::probe::{Halt, Observed, Prober, StateHash};
use crate::survey::Surveyed;

/// Random scripts that give new calls.
const SCRIPTS: usize = 200;

/// Situations of each class in which they are tried.
const SITUATIONS: usize = 2;

/// Calls that are tried in one round, about half a second's worth. What is left comes in the next.
const PROBES: usize = 12_000;

/// Situations that were never seen and are probed in one round, to find out whether they are new.
const UNKNOWN: usize = 48;

impl Exploration {
    /// Adds a move to the pool and tries it in all situations that were probed without it. Tells whether it
    /// is new.
    pub(super) fn add_move<S: Guarded>(
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
            self.see(&outcome);
            self.situations[at].try_events(prober.reader, &outcome, &situation);
            self.situations[at].note(outcome, situation, self.fields_mislead);
            let successors = std::mem::take(&mut self.situations[at].successors);
            self.situations[at].enabled = self.enabled_set(&successors);
            self.situations[at].successors = successors;
        }
        Ok(true)
    }

    /// Adds a call to the pool for each event of the situations from this number on that no call of the pool
    /// has shown. Otherwise only objects with the right values in their scripts would seem to allow it.
    pub(super) fn try_new_events_everywhere<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        first: usize,
    ) -> Result<(), Halt<S::Error>> {
        let mut new: BTreeMap<Letter, Option<Move>> = BTreeMap::new();
        for successor in self.situations[first..].iter().flat_map(|one| &one.successors) {
            let letter = successor.letter;
            if self.shown_by_pool.contains(&letter) || matches!(new.get(&letter), Some(None)) {
                continue;
            }
            let Situation { script, object } = &successor.situation;
            let Some(call) = Move::cut_out(script, script.statements.len() - 1, *object) else { continue };
            let call = (!self.pool.moves.contains(&call)).then_some(call);
            if call.is_none() || !new.contains_key(&letter) {
                new.insert(letter, call);
            }
        }
        for (letter, call) in new {
            self.shown_by_pool.insert(letter);
            if let Some(call) = call {
                self.add_move(prober, call)?;
            }
        }
        Ok(())
    }

    /// Tries new random calls, and those of the survey that the pool lacks, in some situations of every
    /// class. Those that show something new are added to the pool.
    pub(super) fn try_new_moves<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &mut impl Author,
        surveyed: &Surveyed,
        rng: &mut impl Rng,
    ) -> Result<(), Halt<S::Error>> {
        prober.ask(&self.progress(Phase::Accept))?;
        let random = self.random_moves(prober, author, rng)?;
        let rest: Vec<Move> =
            surveyed.candidates.iter().filter(|one| !self.pool.moves.contains(one)).cloned().collect();
        let (mut tried, mut room) = (0, UNKNOWN);
        let draft = self.draft(prober.reader);
        for id in self.some_of_each_class(&draft, SITUATIONS, |one, id| one.searched.contains(&id)) {
            if tried >= PROBES {
                break;
            }
            prober.ask(&self.progress(Phase::Accept))?;
            let is_first = self.searched.insert(id);
            let moves: Vec<&Move> = random.iter().chain(rest.iter().filter(|_| is_first)).collect();
            tried += moves.len();
            self.focus(prober);
            let behind: Vec<Situation> =
                moves.iter().map(|one| one.behind(&self.situation(id).situation)).collect();
            let observed = prober.observe(&behind).map_err(Halt::Failed)?;
            observed.iter().flatten().for_each(|observed| self.fields.see(observed));
            let (draft, mut showing) = (self.draft(prober.reader), BTreeMap::new());
            for (number, observed) in observed.iter().enumerate() {
                if let Some(Observed { letter, state, .. }) = observed {
                    showing.entry((*letter, self.fields.key(*state))).or_insert((number, *state));
                }
            }
            let new = self.showing_more(prober, id, &draft, &showing, &behind, &mut room)?;
            for number in new {
                self.add_move(prober, moves[number].clone())?;
            }
        }
        Ok(())
    }

    /// Calls of random scripts that the pool lacks.
    fn random_moves<S: Guarded>(
        &self,
        prober: &mut Prober<'_, S>,
        author: &mut impl Author,
        rng: &mut impl Rng,
    ) -> Result<Vec<Move>, Halt<S::Error>> {
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
        Ok(new)
    }

    /// A few situations of each class, in turn for each class; those first in which nothing was done yet.
    pub(super) fn some_of_each_class(
        &self,
        draft: &DraftModel,
        some: usize,
        is_done: impl Fn(&Self, SituationId) -> bool,
    ) -> Vec<SituationId> {
        let mut of: BTreeMap<ClassId, Vec<SituationId>> = BTreeMap::new();
        for (id, _) in self.probed_situations() {
            if let Some(class) = draft.classes.of(id) {
                of.entry(class).or_default().push(id);
            }
        }
        for all in of.values_mut() {
            all.sort_by_key(|id| (is_done(self, *id), *id));
        }
        (0..some).flat_map(|turn| of.values().filter_map(move |all| all.get(turn).copied())).collect()
    }

    /// The numbers of the calls that show a new event of a situation's class, or a new transition. `showing`
    /// are events and the states after them, each with a call that shows it, `behind` the situations after
    /// all calls, and `room` the number of situations that may still be probed for it.
    fn showing_more<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        id: SituationId,
        draft: &DraftModel,
        showing: &BTreeMap<(Letter, StateHash), (usize, StateHash)>,
        behind: &[Situation],
        room: &mut usize,
    ) -> Result<BTreeSet<usize>, Halt<S::Error>> {
        let enabled: BTreeSet<Letter> = self.situation(id).successors.iter().map(|one| one.letter).collect();
        let own = self.fields.key(self.situation(id).state);
        let (mut more, mut met) = (BTreeMap::new(), BTreeSet::new());
        let (mut doubtful, mut open): (Vec<(Letter, usize)>, Vec<Unprobed>) = (Vec::new(), Vec::new());
        let Some(class) = draft.classes.of(id) else { return Ok(BTreeSet::new()) };
        let (known, harmless) = (draft.transitions_by_class(), self.harmless());
        for (&(letter, _), &(number, state)) in showing {
            if !enabled.contains(&letter) {
                more.entry((letter, None)).or_insert(number);
                continue;
            }
            // Where fields mislead, nothing is known of what is behind. A call that seemed to be without
            // effect may have one with other values.
            let stays = self.fields.key(state) == own || self.prior.doubtful.contains(&letter);
            if !self.is_told_by_fields() || (harmless.contains(&letter) && stays) {
                continue;
            }
            match self.with_state(state).map(|to| draft.classes.of(to)) {
                Some(Some(to)) if !known.contains(&(class, letter, to)) => {
                    more.entry((letter, Some(to))).or_insert(number);
                }
                None if *room > 0 && met.insert(letter) => {
                    *room -= 1;
                    doubtful.push((letter, number));
                    open.push((behind[number].clone(), state));
                }
                _ => {}
            }
        }
        // What was never seen is probed, to find out whether it is new.
        let first = self.situations.len();
        let probed = self.probe(prober, open)?;
        if probed > 0 {
            let draft = self.draft(prober.reader);
            let Some(class) = draft.classes.of(id) else { return Ok(more.into_values().collect()) };
            let known = draft.transitions_by_class();
            for (offset, (letter, number)) in doubtful.into_iter().take(probed).enumerate() {
                if let Some(to) = draft.classes.of(SituationId(first + offset))
                    && !known.contains(&(class, letter, to))
                {
                    more.entry((letter, Some(to))).or_insert(number);
                }
            }
        }
        Ok(more.into_values().collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::explore::testing::{probed_safes, used_safe, with_safes};

    /// Only a safe whose script mentions 7 seemed to have `unlock`.
    #[test]
    fn an_event_that_one_object_shows_is_tried_on_all() {
        with_safes(|prober| {
            let made = probed_safes(prober, &[used_safe(&[]), used_safe(&[("add", 0), ("note", 7)])]);
            let unlock = prober.reader.alphabet().get("unlock").unwrap();
            for (id, situation) in made.probed_situations() {
                assert!(situation.successors.iter().any(|one| one.letter == unlock), "{id:?}");
            }
            assert_eq!(made.pool.moves.len(), 4, "the other calls showed their events");
        });
    }
}
