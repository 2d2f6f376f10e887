//! Calls that were not made: what is possible in a situation is not known if a call would hang there.
//!
//! A call that hangs costs as much as thousands of others, so after two hangs it is no longer made on objects
//! of the same construction, and perhaps on none at all (`hangs.rs`). If what was not made counted as not
//! possible, a state would fall into as many as there are constructions: a queue that was full once would be
//! one that never takes anything. So such a situation is taken for one of those that enable the same, as far
//! as its calls were made. One in which few were made is in no state.
//!
//! Paper: none; see [`explore`](crate::explore).
//! Cost: nothing where nothing hangs; else the kinds of situations are compared with each other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_trace::{Callable, Letter};

use super::exploration::{EnabledSetId, Exploration, ProbedSituation, SituationId};
use crate::EventReader;
use crate::guard::Guarded;
use crate::moves::{Move, Situation};
use crate::probe::{Probed, Prober};

impl ProbedSituation {
    /// The events that were seen to be possible.
    fn shown(&self) -> BTreeSet<Letter> {
        self.successors.iter().map(|successor| successor.letter).collect()
    }

    /// Takes note that a call was made, if it was.
    pub(super) fn try_events(&mut self, reader: &EventReader, outcome: &Probed, after: &Situation) {
        if let Some(call) = after.script.statements.last().filter(|_| *outcome != Probed::Untried) {
            let tried = reader.letters_of(&call.callable);
            self.untried.retain(|letter| !tried.contains(letter));
        }
    }
}

impl Exploration {
    /// Events of methods that were never called in a situation with these outcomes, because they hang.
    pub(super) fn untried_events<S: Guarded>(
        &self,
        prober: &Prober<'_, S>,
        outcomes: &[(Probed, Situation)],
    ) -> BTreeSet<Letter> {
        let given_up = self.pool.moves.iter().map(Move::callable).filter(|one| prober.is_given_up(one));
        let mut untried: BTreeSet<&Arc<Callable>> = given_up.collect();
        let mut tried: BTreeSet<&Arc<Callable>> = BTreeSet::new();
        for (outcome, Situation { script, .. }) in outcomes {
            if let Some(call) = script.statements.last() {
                let calls = if *outcome == Probed::Untried { &mut untried } else { &mut tried };
                calls.insert(&call.callable);
            }
        }
        untried.difference(&tried).flat_map(|callable| prober.reader.letters_of(callable)).copied().collect()
    }

    /// Tells whether all calls were made in a situation that are possible anywhere.
    pub(super) fn is_tried(&self, id: SituationId) -> bool {
        self.situation(id).untried.is_disjoint(&self.met)
    }

    /// Tells whether enough calls were made in a situation to know what it is like: at least those of every
    /// other event.
    pub(super) fn is_known(&self, id: SituationId) -> bool {
        2 * self.situation(id).untried.intersection(&self.met).count() <= self.met.len()
    }

    /// Tells whether two situations enable the same, as far as calls were made in both.
    pub(super) fn differ_by_untried(&self, one: SituationId, other: SituationId) -> bool {
        let (one, other) = (self.situation(one), self.situation(other));
        if one.untried.is_empty() && other.untried.is_empty() {
            return false;
        }
        let is_untried = |letter: &Letter| one.untried.contains(letter) || other.untried.contains(letter);
        one.shown().symmetric_difference(&other.shown()).all(is_untried)
    }

    /// Takes every situation in which calls were not made for one of the most frequent kind that enables the
    /// same, and in which they were.
    pub(super) fn lend_untried(&mut self) {
        if (0..self.situations.len()).all(|number| self.is_tried(SituationId(number))) {
            return;
        }
        let mut kinds: BTreeMap<(BTreeSet<Letter>, BTreeSet<Letter>), Vec<usize>> = BTreeMap::new();
        for (number, situation) in self.situations.iter().enumerate() {
            let shown = situation.shown();
            let untried = situation.untried.intersection(&self.met);
            let untried = untried.filter(|letter| !shown.contains(letter)).copied().collect();
            kinds.entry((shown, untried)).or_default().push(number);
        }
        let mut enabled: Vec<(usize, EnabledSetId)> = Vec::new();
        for ((shown, untried), situations) in kinds.iter().filter(|((_, untried), _)| !untried.is_empty()) {
            let alike = kinds.iter().filter(|((other, not_tried), _)| {
                let is_same = |letter: &Letter| untried.contains(letter) || shown.contains(letter);
                not_tried.is_disjoint(untried) && shown.is_subset(other) && other.iter().all(is_same)
            });
            // Of those that are as frequent, the one that can do most: what hangs is not refused.
            let most = alike.max_by_key(|((other, _), situations)| (situations.len(), other.len()));
            let set = self.enabled_by(most.map_or(shown, |((other, _), _)| other));
            enabled.extend(situations.iter().filter_map(|&number| Some((number, set?))));
        }
        let mut is_new = false;
        for (number, set) in enabled {
            is_new |= std::mem::replace(&mut self.situations[number].enabled, set) != set;
        }
        if is_new {
            self.outdate_draft();
        }
    }
}

#[cfg(test)]
mod tests {
    use adit_trace::{Depth, Script};

    use super::*;
    use crate::explore::exploration::Successor;
    use crate::explore::testing::nothing_explored;
    use crate::probe::StateHash;

    /// An exploration with situations that have these events, and in which those were not tried.
    fn exploration(situations: &[(&[Letter], &[Letter])]) -> Exploration {
        let mut made = nothing_explored();
        let situation = Situation { script: Script { statements: Vec::new() }, object: 0 };
        for (shown, untried) in situations {
            let successor = |&letter: &Letter| {
                let (situation, state) = (situation.clone(), StateHash::combine(std::iter::empty()));
                Successor { letter, situation, state, probed: None, like: None }
            };
            let successors: Vec<Successor> = shown.iter().map(successor).collect();
            let enabled = made.enabled_set(&successors);
            made.met.extend(shown.iter().copied());
            made.situations.push(ProbedSituation {
                situation: situation.clone(),
                state: StateHash::combine(std::iter::empty()),
                enabled,
                successors,
                thrown: BTreeMap::new(),
                untried: untried.iter().copied().collect(),
            });
        }
        assert_eq!(made.depth, Depth::Fields);
        made.lend_untried();
        made
    }

    #[test]
    fn a_call_that_was_not_made_makes_no_other_set() {
        let made = exploration(&[(&[1, 2, 3, 4], &[]), (&[1, 2, 3], &[4]), (&[1, 2, 3], &[]), (&[1], &[4])]);
        let enabled: Vec<EnabledSetId> = made.situations.iter().map(|one| one.enabled).collect();
        assert_eq!(enabled[1], enabled[0], "4 was not tried");
        assert_ne!(enabled[2], enabled[0], "4 was tried in vain");
        assert_ne!(enabled[3], enabled[0], "2 and 3 were tried in vain");
        let differ = |one, other| made.differ_by_untried(SituationId(one), SituationId(other));
        assert!(differ(0, 1) && !differ(0, 2) && !differ(0, 3));
    }

    #[test]
    fn the_most_frequent_kind_is_the_likely_one() {
        let made = exploration(&[(&[1, 2], &[]), (&[1], &[2]), (&[1], &[]), (&[1], &[])]);
        assert_eq!(made.situations[1].enabled, made.situations[2].enabled);
    }

    #[test]
    fn a_situation_in_which_little_was_tried_is_not_known() {
        let made = exploration(&[(&[1, 2, 3, 4], &[]), (&[1], &[2, 3, 4]), (&[1, 2], &[3, 4])]);
        let known: Vec<bool> = (0..3).map(|number| made.is_known(SituationId(number))).collect();
        assert_eq!(known, [true, false, true]);
        assert!(!made.is_tried(SituationId(2)) && made.is_tried(SituationId(0)));
    }
}
