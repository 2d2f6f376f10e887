//! Glances: which known situation one is like, by few calls instead of all.
//!
//! Probing takes every call of the pool, several for each method. Where it is only asked whether a situation
//! enables what a known one does, one call for each event is enough: the call that gave it before, or two
//! that gave it elsewhere. A glance that matches no known situation says nothing, and the situation is
//! probed.
//!
//! A glance tells where an event leads while nothing better is known. It takes no part in comparing
//! situations, in splits, or in the exactness of a model.
//!
//! Cost: one or two scripts for each event, about a fifth of a probe.

use std::collections::{BTreeMap, BTreeSet};

use adit_trace::{Letter, Phase};

use super::exploration::{EnabledSetId, Exploration, SituationId, Successor, SuccessorId};
use crate::guard::Guarded;
use crate::moves::{Move, Situation};
use crate::probe::{Halt, Prober};

/// Calls for an event that the situation before did not enable.
const ELSEWHERE: usize = 2;

impl Exploration {
    /// Glances at the situations of these successors, and returns those that are like no known one.
    pub(super) fn glance<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        successors: Vec<SuccessorId>,
    ) -> Result<Vec<SuccessorId>, Halt<S::Error>> {
        if successors.is_empty() {
            return Ok(successors);
        }
        let elsewhere = self.calls_by_event();
        let behind: Vec<Vec<Situation>> = successors
            .iter()
            .map(|&id| {
                let calls = self.calls_for_glance(id, &elsewhere);
                let alive = calls.iter().filter(|one| !prober.is_given_up(one.callable()));
                alive.map(|one| one.behind(&self.successor(id).situation)).collect()
            })
            .collect();
        let counts: Vec<usize> = behind.iter().map(Vec::len).collect();
        let behind: Vec<Situation> = behind.into_iter().flatten().collect();
        let observed = prober.observe(&behind).map_err(Halt::Failed)?;
        if observed.len() < behind.len() {
            return Err(prober.why_not_run(&self.progress(Phase::Explore)).into());
        }
        let known = self.first_of_each_set();
        let (mut observed, mut unlike) = (observed.into_iter(), Vec::new());
        for (id, count) in successors.into_iter().zip(counts) {
            let shown: BTreeSet<Letter> =
                observed.by_ref().take(count).flatten().map(|observed| observed.letter).collect();
            match self.enabled_by(&shown).and_then(|set| known.get(&set)) {
                Some(&like) => self.successor_mut(id).like = Some(like),
                None => unlike.push(id),
            }
        }
        self.outdate_draft();
        Ok(unlike)
    }

    /// The first probed situation of each set.
    fn first_of_each_set(&self) -> BTreeMap<EnabledSetId, SituationId> {
        let mut first = BTreeMap::new();
        for (id, situation) in self.probed_situations() {
            first.entry(situation.enabled).or_insert(id);
        }
        first
    }

    /// Short calls that gave each event, of different situations.
    fn calls_by_event(&self) -> BTreeMap<Letter, Vec<Move>> {
        let mut shown: BTreeMap<Letter, Vec<Move>> = BTreeMap::new();
        for (_, situation) in self.probed_situations() {
            let mut met = BTreeSet::new();
            for successor in &situation.successors {
                let calls = shown.entry(successor.letter).or_default();
                if calls.len() < ELSEWHERE
                    && met.insert(successor.letter)
                    && let Some(call) = last_call(successor)
                    && !calls.contains(&call)
                {
                    calls.push(call);
                }
            }
        }
        shown
    }

    /// Calls that show whether the situation behind a successor enables what the one before it does, or more.
    fn calls_for_glance(&self, id: SuccessorId, elsewhere: &BTreeMap<Letter, Vec<Move>>) -> Vec<Move> {
        let mut calls: BTreeMap<Letter, Vec<Move>> = BTreeMap::new();
        for (_, successor) in id.from.into_iter().flat_map(|from| self.successors_of(from)) {
            let of_letter = calls.entry(successor.letter).or_default();
            if of_letter.is_empty() {
                of_letter.extend(last_call(successor));
            }
        }
        for (letter, others) in elsewhere {
            let of_letter = calls.entry(*letter).or_default();
            if of_letter.is_empty() {
                of_letter.clone_from(others);
            }
        }
        let mut all: Vec<Move> = Vec::new();
        for call in calls.into_values().flatten() {
            if !all.contains(&call) {
                all.push(call);
            }
        }
        all
    }
}

/// The last call of a successor's script, unless it needs what another call returned.
fn last_call(successor: &Successor) -> Option<Move> {
    let Situation { script, object } = &successor.situation;
    Move::cut_out(script, script.statements.len() - 1, *object)
}
