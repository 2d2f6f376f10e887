//! Stuck walks: walks that cannot be followed through what is known, because something on their way was never
//! probed.
//!
//! To search for such a walk takes as many tests as to probe a situation, and what was searched for one walk
//! helps no other. Many walks are stuck at few situations: a list that has grown by one more element. Those
//! at which most of them are stuck are probed before a model is judged. The next judgments find them known,
//! and of a walk that can be followed, it is certain whether it can happen.
//!
//! Paper: none; see [`explore`](crate::explore).
//! Cost: at most [`ROUNDS`] times [`AT_ONCE`] probes, and about [`TESTS`] tests for a judgment. It ends early
//! where a round did not help many walks.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use adit_trace::Phase;
use rand::Rng;

use super::exploration::{Exploration, SuccessorId};
use super::graph::Follower;
use super::trial::{FOLLOWED_PER_WALK, random_words};
use crate::guard::Guarded;
use crate::probe::{Halt, Prober, StateHash};

/// Rounds for one judgment, and situations that are probed in each.
const ROUNDS: usize = 8;
const AT_ONCE: usize = 16;

/// Tests for one judgment.
const TESTS: u64 = 16_000;

/// One in so many walks that are stuck is few.
const FEW: usize = 25;

/// One in so many of the stuck walks must be helped by a round.
const HELPED: usize = 16;

impl Exploration {
    /// Probes the situations at which most walks of the model are stuck.
    pub(super) fn free_stuck_walks<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        rng: &mut impl Rng,
    ) -> Result<(), Halt<S::Error>> {
        let (mut before, until) = (usize::MAX, prober.tests + TESTS);
        for _ in 0..ROUNDS {
            self.see_again(prober)?;
            if !self.is_told_by_fields() || prober.tests > until {
                break;
            }
            let (stuck, wanted) = self.stuck_walks(prober, rng);
            if stuck > before - before / HELPED || wanted.is_empty() {
                break;
            }
            before = stuck;
            prober.ask(&self.progress(Phase::Refute))?;
            if !self.probe_successors(prober, &wanted)? {
                return Err(prober.why_not_run(&self.progress(Phase::Refute)).into());
            }
        }
        Ok(())
    }

    /// The number of random walks that are stuck, and the situations at which most of them are, unless there
    /// are few.
    fn stuck_walks<S: Guarded>(
        &mut self,
        prober: &Prober<'_, S>,
        rng: &mut impl Rng,
    ) -> (usize, Vec<SuccessorId>) {
        let (draft, graph) = (self.draft(prober.reader), self.graph());
        let splitting = &self.options.splitting;
        let all = FOLLOWED_PER_WALK * splitting.walks;
        let words = random_words(&draft, prober.reader, (all, splitting.walk_length), rng);
        let mut follower = Follower::new(&graph);
        let mut wanted: BTreeMap<StateHash, (usize, SuccessorId)> = BTreeMap::new();
        let mut stuck = 0;
        for word in words {
            let way = follower.follow(&word);
            if way.is_certain || way.levels.len() == word.len() {
                continue;
            }
            stuck += 1;
            // Where it could have taken another turn last.
            let turn = (0..=way.levels.len()).rev().find_map(|at| {
                let behind = graph.open_from(at.checked_sub(1).map(|before| &way.levels[before]));
                let may_free = |id: &SuccessorId| self.successor(*id).letter == word[at] && !self.is_far(*id);
                behind.filter(may_free).min_by_key(|id| self.successor(*id).length())
            });
            if let Some(id) = turn {
                wanted.entry(self.fields.key(self.successor(id).state)).or_insert((0, id)).0 += 1;
            }
        }
        if stuck * FEW <= all {
            return (stuck, Vec::new());
        }
        let mut wanted: Vec<(usize, SuccessorId)> = wanted.into_values().collect();
        wanted.sort_by_key(|(walks, id)| (Reverse(*walks), self.successor(*id).length()));
        (stuck, wanted.into_iter().map(|(_, id)| id).take(AT_ONCE).collect())
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use crate::explore::testing::{probed_safes, used_safe, with_safes};
    use crate::probe::Prober;

    /// Only new safes were probed, and every longer walk is stuck behind the first `add`.
    #[test]
    fn what_walks_are_stuck_at_is_probed_until_they_are_free() {
        with_safes(|prober| {
            let mut made = probed_safes(prober, &[used_safe(&[]), used_safe(&[("add", 0)])]);
            made.options.splitting.walks = 50;
            made.options.splitting.walk_length = 8;
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let stuck = |made: &mut super::Exploration, prober: &Prober<'_, _>, rng: &mut _| {
                made.stuck_walks(prober, rng).0
            };
            assert!(stuck(&mut made, prober, &mut rng) > 100, "of 300 walks");
            made.free_stuck_walks(prober, &mut rng).unwrap();
            assert_eq!(stuck(&mut made, prober, &mut rng), 0);
            assert_eq!(made.graph().open().count(), 0, "safes of no to five things are known");
        });
    }
}
