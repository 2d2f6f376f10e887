//! Looking at situations: by what they are compared, and what happens when two that seemed equal are not.
//!
//! At first by the fields that matter, which are chosen by experiment (`fields.rs`); then by all fields and
//! digests of what these lead to; and if even that misleads, by nothing but the calls that led to them.

use std::collections::{BTreeMap, BTreeSet};

use adit_trace::{Depth, Letter, Phase, Run, Script};

use super::exploration::{
    Exploration, ProbedSituation, SituationId, Successor, SuccessorId, Unprobed, created_by,
};
use super::fields::Behavior;
use crate::EventReader;
use crate::guard::Guarded;
use crate::moves::{self, Move, Situation};
use crate::probe::{Halt, Prober};

impl Exploration {
    /// Compares a situation with the first that has the same fields. Where they enable different events, the
    /// reason is sought before anything else is probed.
    pub(super) fn compare_with_twin(&mut self, id: SituationId) {
        if self.is_outdated {
            return;
        }
        let ProbedSituation { state, enabled, .. } = *self.situation(id);
        let state = self.fields.key(state);
        let twin = self.by_state.get(&state).copied().filter(|twin| self.is_known(*twin)).unwrap_or(id);
        self.by_state.insert(state, twin);
        if self.situation(twin).enabled != enabled && !self.differ_by_untried(twin, id) {
            self.unlike.push((twin, id));
        }
    }

    /// Lets a situation and those whose objects are like its own do the same, if they differ only in answers
    /// to calls that take values. What a map was filled with from a stream is in no pool, so that it would
    /// seem to contain nothing; but it is like a map that was filled otherwise.
    pub(super) fn lend_to_alike(&mut self, reader: &EventReader, id: SituationId) {
        let Some(likeness) = self.fields.likeness(self.situation(id).state) else { return };
        let alike = self.by_likeness.entry(likeness).or_default();
        alike.push(id);
        for other in alike.clone() {
            let differ = self.situation(other).enabled != self.situation(id).enabled;
            if differ && self.differ_by_values(reader, (other, id)) {
                self.lend((other, id));
            }
        }
    }

    /// Finds out why situations that seemed equal enable different events. Each is also probed with values of
    /// its own script, so one may have made a call that the pool lacks; then the other makes it too. If that
    /// is not the reason, more is looked at from now on.
    fn settle_twins<S: Guarded>(&mut self, prober: &mut Prober<'_, S>) -> Result<(), Halt<S::Error>> {
        while let Some((one, other)) = self.unlike.pop() {
            if self.is_outdated {
                self.unlike.clear();
                break;
            }
            for new in self.calls_of_one(one, other).into_iter().chain(self.calls_of_one(other, one)) {
                self.add_move(prober, new)?;
            }
            let pair = (one, other);
            if self.differ_by_values(prober.reader, pair) {
                // When they were probed, some events were not known yet, and nothing was asked for them. What
                // the object holds may also have been passed long before.
                self.most_values = moves::MOST_HELD;
                let probed = self.probe_again(prober, one).and_then(|()| self.probe_again(prober, other));
                self.most_values = moves::MOST_VALUES;
                probed?;
            }
            let (one, other) = (self.situation(one), self.situation(other));
            if one.enabled == other.enabled || self.differ_by_untried(pair.0, pair.1) {
                continue;
            }
            if one.state != other.state {
                self.choose_fields();
            } else if self.differ_by_values(prober.reader, pair) && self.are_alike_inside(prober, pair)? {
                self.lend(pair);
            } else {
                self.look_deeper();
            }
        }
        Ok(())
    }

    /// Tries all moves once more in a situation that was probed when less was known.
    fn probe_again<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        id: SituationId,
    ) -> Result<(), Halt<S::Error>> {
        let again = SituationId(self.situations.len());
        let ProbedSituation { situation, state, .. } = self.situation(id);
        let unprobed = (situation.clone(), *state);
        if self.probe(prober, vec![unprobed])? == 0 {
            return Err(prober.why_not_run(&self.progress(Phase::Explore)).into());
        }
        self.lend((again, id));
        self.forget_after(again.0);
        Ok(())
    }

    /// Tells whether what the fields lead to has the same shape in two situations. Where more than fields is
    /// compared, it is even the same. Looking deeper because of what nobody can name would tell apart all
    /// objects with other content.
    fn are_alike_inside<S: Guarded>(
        &self,
        prober: &mut Prober<'_, S>,
        (one, other): (SituationId, SituationId),
    ) -> Result<bool, Halt<S::Error>> {
        if self.depth != Depth::Fields {
            return Ok(true);
        }
        prober.subject.look(Depth::ReachableAtEnd);
        let both = [one, other].map(|id| self.situation(id).situation.clone());
        let observed = prober.observe(&both).map_err(Halt::Failed);
        self.focus(prober);
        let likeness: Vec<_> = observed?.into_iter().flatten().map(|one| one.likeness).collect();
        Ok(matches!(&likeness[..], [Some(one), Some(other)] if one == other))
    }

    /// Tells whether two situations only differ in answers to calls that take values, and that both make: a
    /// list may contain what nobody can name.
    fn differ_by_values(&self, reader: &EventReader, (one, other): (SituationId, SituationId)) -> bool {
        let events = |id| -> BTreeSet<Letter> {
            self.situation(id).successors.iter().map(|successor| successor.letter).collect()
        };
        let (one, other) = (events(one), events(other));
        let is_answer = |letter, lacking| reader.answers_to_values(letter, lacking);
        one.difference(&other).all(|&letter| is_answer(letter, &other))
            && other.difference(&one).all(|&letter| is_answer(letter, &one))
    }

    /// Lets each of two situations do what the other does. Objects that are equal in all that can be seen can
    /// do the same; it was the values in their scripts that differ.
    fn lend(&mut self, (one, other): (SituationId, SituationId)) {
        for (SituationId(from), SituationId(to)) in [(one, other), (other, one)] {
            let lent: Vec<Successor> = self.situations[from].successors.clone();
            let mut successors = std::mem::take(&mut self.situations[to].successors);
            let known: BTreeSet<Letter> = successors.iter().map(|successor| successor.letter).collect();
            successors.extend(lent.into_iter().filter(|successor| !known.contains(&successor.letter)));
            self.situations[to].enabled = self.enabled_set(&successors);
            self.situations[to].successors = successors;
        }
        self.outdate_draft();
    }

    /// Calls for events that one situation enables and the other does not.
    fn calls_of_one(&self, one: SituationId, other: SituationId) -> Vec<Move> {
        let known: BTreeSet<Letter> = self.situation(other).successors.iter().map(|one| one.letter).collect();
        let mut calls: BTreeMap<Letter, Move> = BTreeMap::new();
        for Successor { letter, situation, .. } in &self.situation(one).successors {
            let last = situation.script.statements.len() - 1;
            if !known.contains(letter)
                && !calls.contains_key(letter)
                && let Some(call) = Move::cut_out(&situation.script, last, situation.object)
            {
                calls.insert(*letter, call);
            }
        }
        calls.into_values().collect()
    }

    /// Chooses the fields that matter by everything that is known. Tells whether the choice is new.
    pub(super) fn choose_fields(&mut self) -> bool {
        // Where a call was not made, nothing is known of where it leads.
        let untried: BTreeSet<Letter> =
            self.situations.iter().flat_map(|one| &one.untried).copied().collect();
        let behavior = |one: &ProbedSituation| {
            let tried = one.successors.iter().filter(|successor| !untried.contains(&successor.letter));
            let leads = tried.map(|successor| (successor.letter, successor.state)).collect();
            Behavior { state: one.state, enabled: one.enabled, leads }
        };
        let known = self.probed_situations().filter(|(id, _)| self.is_known(*id));
        let behaviors: Vec<Behavior> = known.map(|(_, one)| behavior(one)).collect();
        if !self.fields.choose(&behaviors) {
            return false;
        }
        self.outdate_draft();
        self.by_state.clear();
        // Those that are not known come last, so that they stand for nothing that is.
        for is_known in [true, false] {
            for (number, situation) in self.situations.iter().enumerate() {
                let id = SituationId(number);
                if self.is_known(id) == is_known {
                    self.by_state.entry(self.fields.key(situation.state)).or_insert(id);
                }
            }
        }
        true
    }

    /// Chooses the fields that matter again, if much more is known than when they were last chosen. A field
    /// that only counts calls would make each situation a new one.
    pub(super) fn choose_fields_by_more(&mut self) {
        const FEWEST: usize = 40;
        let known = self.situations.len();
        if self.is_told_by_fields() && known >= FEWEST && 4 * known >= 5 * self.chosen_with {
            self.chosen_with = known;
            self.choose_fields();
        }
    }

    /// Chooses them again when the time has ended: some may be known to matter by which nothing was compared
    /// yet. If they were never chosen, there is too little to choose them by.
    pub(super) fn choose_fields_at_last(&mut self) {
        if self.is_told_by_fields() && !self.is_outdated && self.fields.are_chosen() {
            self.choose_fields();
        }
    }

    /// Compares situations by more than before, because two that seemed equal are not.
    fn look_deeper(&mut self) {
        match self.depth {
            Depth::Fields => {
                self.fields.take_all();
                self.depth = Depth::ReachableAtEnd;
                // What was seen before cannot be compared with what is seen from now on.
                self.by_state.clear();
                self.by_likeness.clear();
                self.is_outdated = true;
            }
            Depth::ReachableAtEnd | Depth::Reachable => self.fields_mislead = true,
        }
    }

    /// Learns from random runs which calls take only what the same object returned. That a situation has such
    /// a value counts as a field, so if there are new ones, all situations are seen again.
    pub(super) fn learn_ties<'r, S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        runs: impl Iterator<Item = (&'r Script, &'r Run)>,
    ) -> Result<(), Halt<S::Error>> {
        if self.pool.ties.learn(runs, prober.reader) {
            self.outdate_situations();
        }
        self.see_again(prober)
    }

    /// Has all situations seen again.
    pub(super) fn outdate_situations(&mut self) {
        self.by_state.clear();
        self.by_likeness.clear();
        self.is_outdated = true;
        self.outdate_draft();
    }

    /// Looks again at all situations, if something that was found while probing says so.
    pub(super) fn update<S: Guarded>(&mut self, prober: &mut Prober<'_, S>) -> Result<(), Halt<S::Error>> {
        if self.is_outdated { self.see_again(prober) } else { Ok(()) }
    }

    /// Settles why situations that seemed equal are not. Looks again at all of them, if they were seen less
    /// deep than they are compared by now.
    pub(super) fn see_again<S: Guarded>(&mut self, prober: &mut Prober<'_, S>) -> Result<(), Halt<S::Error>> {
        self.settle_twins(prober)?;
        if !self.is_outdated {
            self.lend_untried();
            return Ok(());
        }
        self.looks += 1;
        self.focus(prober);
        let created = self.creations.iter().map(|one| one.situation.clone()).collect();
        let mut creations = created_by(prober, created, &mut self.fields)?;
        let seen: Vec<Situation> = self.situations.iter().map(|one| one.situation.clone()).collect();
        let states = prober.observe(&seen).map_err(Halt::Failed)?;
        if states.len() < seen.len() {
            return Err(prober.why_not_run(&self.progress(Phase::Explore)).into());
        }
        let mut fresh: Vec<Unprobed> = Vec::new();
        // The new number of each situation; what cannot be seen again is left out.
        let mut numbers: Vec<Option<SituationId>> = Vec::new();
        for (situation, observed) in seen.into_iter().zip(states) {
            numbers.push(observed.is_some().then_some(SituationId(fresh.len())));
            if let Some(observed) = observed {
                self.fields.see(&observed);
                fresh.push((situation, observed.state));
            }
        }
        self.is_outdated = false;
        self.searched.clear();
        self.repeated.clear();
        self.glanced.clear();
        self.unlike.clear();
        self.by_likeness.clear();
        let before = std::mem::take(&mut self.situations);
        let all = fresh.len();
        let probed = self.probe(prober, fresh);
        if !matches!(probed, Ok(probed) if probed == all) {
            self.situations = before;
            self.by_state.clear();
            self.by_likeness.clear();
            self.is_outdated = true;
            probed?;
            return Err(prober.why_not_run(&self.progress(Phase::Explore)).into());
        }
        self.link_again(&mut creations, &self.creations, &numbers);
        self.creations = creations;
        for (old, id) in before.into_iter().zip(&numbers) {
            let Some(SituationId(id)) = *id else { continue };
            let mut successors = std::mem::take(&mut self.situations[id].successors);
            self.link_again(&mut successors, &old.successors, &numbers);
            self.situations[id].enabled = self.enabled_set(&successors);
            self.situations[id].successors = successors;
        }
        Ok(())
    }

    /// Probes what lies behind transitions that only seem to lead where they do, because all that they lead
    /// to agrees with something probed in the fields that seem to matter. If another field matters too, that
    /// shows.
    pub(super) fn confirm_transitions<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
    ) -> Result<(), Halt<S::Error>> {
        const ROUNDS: usize = 4;
        const AT_ONCE: usize = 24;
        for _ in 0..ROUNDS {
            let draft = self.draft(prober.reader);
            let open = draft.transitions.values().filter(|one| !one.is_firm).map(|one| one.shortest);
            let open: Vec<SuccessorId> = open.collect();
            if open.is_empty() {
                break;
            }
            for part in open.chunks(AT_ONCE) {
                prober.ask(&self.progress(Phase::Explore))?;
                if !self.probe_successors(prober, part)? {
                    return Err(prober.why_not_run(&self.progress(Phase::Explore)).into());
                }
            }
            self.see_again(prober)?;
        }
        Ok(())
    }

    /// Links successors to the probed situations that they were linked to before these got new numbers.
    fn link_again(
        &self,
        successors: &mut Vec<Successor>,
        before: &[Successor],
        numbers: &[Option<SituationId>],
    ) {
        for old in before {
            let Some(probed) = old.probed.and_then(|SituationId(old)| numbers[old]) else { continue };
            let same = |one: &&mut Successor| one.letter == old.letter && one.situation == old.situation;
            match successors.iter_mut().find(same) {
                Some(successor) => successor.probed = Some(probed),
                None => {
                    let state = self.situation(probed).state;
                    successors.push(Successor { state, probed: Some(probed), like: None, ..old.clone() });
                }
            }
        }
    }
}
