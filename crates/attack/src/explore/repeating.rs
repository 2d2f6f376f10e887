//! Repetition: every call is made again and again, until it leads somewhere else.
//!
//! The first times that a call is made say little about the last: a reader has more to read until it has not,
//! and a queue has room until it is full. Random scripts come upon such an end by chance, so how much of it a
//! model has would depend on the seed.
//!
//! Paper: none; see [`explore`](crate::explore).
//! Cost: about [`SCRIPTS`] scripts in one round.

use std::collections::BTreeMap;

use adit_trace::{Letter, Phase};

use super::exploration::{Exploration, SituationId};
use crate::guard::Guarded;
use crate::moves::{Move, Situation};
use crate::probe::{Halt, Observed, Prober};

/// Times that a call is repeated.
const TIMES: usize = 12;

/// Situations of each class in which calls are repeated, as far as there are scripts for it in one round.
const SITUATIONS: usize = 6;
const SCRIPTS: usize = 3_000;

/// Ways that are followed in one round, and situations that are probed to find out whether they are new.
const WAYS: usize = 16;
const UNKNOWN: usize = 32;

/// A call that was repeated: the situation after each time, with what was seen of it.
type Repeated = Vec<(Situation, Observed)>;

impl Exploration {
    /// Repeats the calls of some situations of every class, and follows those that lead where the model has
    /// no transition.
    pub(super) fn repeat_calls<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
    ) -> Result<(), Halt<S::Error>> {
        let (mut ways, mut unknown, until) = (WAYS, UNKNOWN, prober.tests + SCRIPTS as u64);
        let draft = self.draft(prober.reader);
        let ids =
            self.some_of_each_class(&draft, SITUATIONS, |exploration, id| exploration.repeated.contains(&id));
        for id in ids {
            // Where fields mislead, nothing is known of what is behind.
            if !self.is_told_by_fields() || self.is_outdated || ways == 0 || prober.tests > until {
                break;
            }
            self.repeated.insert(id);
            for repeated in self.repeat_calls_in(prober, id)? {
                let Some(end) = self.new_end(prober, id, &repeated, &mut unknown)? else { continue };
                ways = ways.saturating_sub(1);
                let (situation, _) = &repeated[end];
                let runs = prober.run(std::slice::from_ref(&situation.script)).map_err(Halt::Failed)?;
                for run in runs.iter().filter(|run| run.was_run()) {
                    self.follow_new_way(prober, situation, run)?;
                }
                if ways == 0 || self.is_outdated {
                    break;
                }
            }
        }
        self.see_again(prober)
    }

    /// Repeats each call of a situation that may change something, one for each event.
    fn repeat_calls_in<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        id: SituationId,
    ) -> Result<Vec<Repeated>, Halt<S::Error>> {
        prober.ask(&self.progress(Phase::Accept))?;
        self.focus(prober);
        let harmless = self.harmless();
        let mut calls: BTreeMap<Letter, Move> = BTreeMap::new();
        for (_, successor) in self.successors_of(id) {
            let Situation { script, object } = &successor.situation;
            let last = script.statements.len() - 1;
            if !harmless.contains(&successor.letter)
                && !calls.contains_key(&successor.letter)
                && let Some(call) = Move::cut_out(script, last, *object)
            {
                calls.insert(successor.letter, call);
            }
        }
        calls.retain(|_, call| !prober.is_given_up(call.callable()));
        let start = &self.situation(id).situation;
        let again = |call: &Move| {
            let next = |last: &Situation| Some(call.behind(last));
            std::iter::successors(next(start), next).take(TIMES).collect::<Vec<Situation>>()
        };
        let situations: Vec<Situation> = calls.values().flat_map(again).collect();
        let observed = prober.observe(&situations).map_err(Halt::Failed)?;
        if observed.len() < situations.len() {
            return Err(prober.why_not_run(&self.progress(Phase::Accept)).into());
        }
        observed.iter().flatten().for_each(|observed| self.fields.see(observed));
        let seen: Vec<(Situation, Option<Observed>)> = situations.into_iter().zip(observed).collect();
        let until_it_throws = |times: &[(Situation, Option<Observed>)]| {
            times.iter().map_while(|(situation, seen)| Some((situation.clone(), seen.clone()?))).collect()
        };
        Ok(seen.chunks(TIMES).map(until_it_throws).collect())
    }

    /// The number of the first time that a repeated call did what the model does not know.
    fn new_end<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        id: SituationId,
        repeated: &Repeated,
        unknown: &mut usize,
    ) -> Result<Option<usize>, Halt<S::Error>> {
        let mut draft = self.draft(prober.reader);
        let last = repeated.len().checked_sub(1);
        if let Some((situation, observed)) = last.map(|last| &repeated[last])
            && self.with_state(observed.state).is_none()
            && *unknown > 0
        {
            // What was never seen is probed, to find out whether it is new.
            *unknown -= 1;
            self.probe(prober, vec![(situation.clone(), observed.state)])?;
            draft = self.draft(prober.reader);
        }
        let known = draft.transitions_by_class();
        let Some(mut before) = draft.classes.of(id) else { return Ok(None) };
        for (time, (_, observed)) in repeated.iter().enumerate() {
            let class = self.with_state(observed.state).and_then(|to| draft.classes.of(to));
            if let Some(class) = class {
                if !known.contains(&(before, observed.letter, class)) {
                    return Ok(Some(time));
                }
                before = class;
            }
        }
        Ok(None)
    }
}
