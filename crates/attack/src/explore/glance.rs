//! Glances: which known situation one is like, by few calls instead of all.
//!
//! Probing takes every call of the pool, several for each method. Where it is only asked whether a situation
//! enables what a known one does, one call for each event is enough: the call that gave it before, or two
//! that gave it elsewhere. A glance that matches no known situation says nothing, and the situation is
//! probed.
//!
//! Where there are so many states and events that even this takes too long, a glance asks only for events
//! that tell the known sets apart, and for the event itself: a handful of calls instead of one for each
//! event. It takes a set that nobody knows for a known one, so only events are judged by it that did the same
//! wherever they were followed: they stayed, or led to one set. What comes of it is looked at again when
//! there is time.
//!
//! A glance tells where an event leads while nothing better is known. It takes no part in comparing
//! situations, in splits, or in the exactness of a model.
//!
//! Cost: one or two scripts for each event, about a fifth of a probe; or for each of a few events.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use adit_trace::{Letter, Phase};

use super::exploration::{EnabledSetId, Exploration, SituationId, Successor, SuccessorId};
use crate::guard::Guarded;
use crate::moves::{Move, Situation};
use crate::probe::{Halt, Prober};

/// Calls for an event that the situation before did not enable.
const ELSEWHERE: usize = 2;

/// Calls for glances at everything that leads nowhere yet, from which on glances ask only for what tells
/// known sets apart. Even a class whose calls take half a millisecond has made as many after two seconds.
const MANY_CALLS: usize = 8_000;

/// Events that a glance asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Glance {
    /// All of them.
    Thorough,
    /// Those that tell the known sets apart.
    Distinguishing(BTreeSet<Letter>),
}

impl Exploration {
    /// Glances at the situations of these successors, and returns those that are like no known one.
    pub(super) fn glance<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        successors: Vec<SuccessorId>,
        glance: &Glance,
    ) -> Result<Vec<SuccessorId>, Halt<S::Error>> {
        if successors.is_empty() {
            return Ok(successors);
        }
        let elsewhere = self.calls_by_event(glance);
        let behind: Vec<Vec<Situation>> = successors
            .iter()
            .map(|&id| {
                let calls = self.calls_for_glance(id, &elsewhere, glance);
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
            let set = match glance {
                Glance::Thorough => self.enabled_by(&shown),
                Glance::Distinguishing(letters) => {
                    let asked = letters.iter().copied().chain([self.successor(id).letter]).collect();
                    self.only_set_like(&shown, &asked, known.keys())
                }
            };
            match set.and_then(|set| known.get(&set)) {
                Some(&like) => self.successor_mut(id).like = Some(like),
                None => unlike.push(id),
            }
        }
        self.outdate_draft();
        Ok(unlike)
    }

    /// The kind of glance that there is time for, with so many situations to look at.
    pub(super) fn glance_at(&self, successors: usize) -> Glance {
        if successors.saturating_mul(self.met.len()) < MANY_CALLS {
            return Glance::Thorough;
        }
        Glance::Distinguishing(self.telling_sets_apart())
    }

    /// Few events by which any two of the sets that situations enable differ.
    pub(super) fn telling_sets_apart(&self) -> BTreeSet<Letter> {
        let sets = self.first_of_each_set();
        let known = self.enabled_events().filter(|(set, _)| sets.contains_key(set));
        distinguishing(&known.map(|(_, events)| events).collect::<Vec<_>>())
    }

    /// Events that did the same wherever they were followed: they stayed, or led to one set from several
    /// others.
    pub(super) fn predictable_events(&self) -> BTreeSet<Letter> {
        let mut leads: BTreeMap<Letter, BTreeSet<(EnabledSetId, EnabledSetId)>> = BTreeMap::new();
        for (id, successor) in self.successors() {
            if let (Some(from), Some(to)) = (id.from, self.behind(successor).or(successor.like)) {
                let pair = (self.situation(from).enabled, self.situation(to).enabled);
                leads.entry(successor.letter).or_default().insert(pair);
            }
        }
        let does_the_same = |pairs: &BTreeSet<(EnabledSetId, EnabledSetId)>| {
            let moves = pairs.iter().filter(|(from, to)| from != to);
            let targets: BTreeSet<EnabledSetId> = pairs.iter().map(|(_, to)| *to).collect();
            moves.clone().count() == 0 || (targets.len() == 1 && moves.count() > 1)
        };
        leads.into_iter().filter(|(_, pairs)| does_the_same(pairs)).map(|(letter, _)| letter).collect()
    }

    /// The set that has just these of some events, if only one of the known sets does.
    fn only_set_like<'s>(
        &self,
        shown: &BTreeSet<Letter>,
        of: &BTreeSet<Letter>,
        known: impl Iterator<Item = &'s EnabledSetId>,
    ) -> Option<EnabledSetId> {
        let events: BTreeMap<EnabledSetId, &BTreeSet<Letter>> = self.enabled_events().collect();
        let is_like = |set: &&EnabledSetId| {
            events
                .get(set)
                .is_some_and(|events| of.iter().all(|one| events.contains(one) == shown.contains(one)))
        };
        let mut like = known.filter(is_like);
        like.next().filter(|_| like.next().is_none()).copied()
    }

    /// The first probed situation of each set.
    fn first_of_each_set(&self) -> BTreeMap<EnabledSetId, SituationId> {
        let mut first = BTreeMap::new();
        for (id, situation) in self.probed_situations() {
            first.entry(situation.enabled).or_insert(id);
        }
        first
    }

    /// Short calls that gave each event that a glance asks for, of different situations.
    pub(super) fn calls_by_event(&self, glance: &Glance) -> BTreeMap<Letter, Vec<Move>> {
        let is_asked = |letter: &Letter| match glance {
            Glance::Thorough => true,
            Glance::Distinguishing(letters) => letters.contains(letter),
        };
        let mut shown: BTreeMap<Letter, Vec<Move>> = BTreeMap::new();
        for (_, situation) in self.probed_situations() {
            let mut met = BTreeSet::new();
            for successor in situation.successors.iter().filter(|one| is_asked(&one.letter)) {
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
    pub(super) fn calls_for_glance(
        &self,
        id: SuccessorId,
        elsewhere: &BTreeMap<Letter, Vec<Move>>,
        glance: &Glance,
    ) -> Vec<Move> {
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
        if let Glance::Distinguishing(letters) = glance {
            let own = self.successor(id).letter;
            calls.retain(|letter, _| *letter == own || letters.contains(letter));
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

/// Few events by which any two of the sets differ.
fn distinguishing(sets: &[&BTreeSet<Letter>]) -> BTreeSet<Letter> {
    let all: BTreeSet<Letter> = sets.iter().flat_map(|set| set.iter().copied()).collect();
    let mut chosen = BTreeSet::new();
    let mut groups: Vec<Vec<&BTreeSet<Letter>>> = vec![sets.to_vec()];
    loop {
        groups.retain(|group| group.len() > 1);
        let pairs = |letter: &Letter| -> usize {
            let parted = |group: &Vec<&BTreeSet<Letter>>| {
                let with = group.iter().filter(|set| set.contains(letter)).count();
                with * (group.len() - with)
            };
            groups.iter().map(parted).sum()
        };
        let Some(best) = all.iter().copied().max_by_key(|letter| (pairs(letter), Reverse(*letter))) else {
            return chosen;
        };
        if pairs(&best) == 0 {
            return chosen;
        }
        chosen.insert(best);
        let part = |group: Vec<_>| -> [Vec<&BTreeSet<Letter>>; 2] {
            let (with, without) = group.into_iter().partition(|set: &&BTreeSet<Letter>| set.contains(&best));
            [with, without]
        };
        groups = groups.into_iter().flat_map(part).collect();
    }
}
