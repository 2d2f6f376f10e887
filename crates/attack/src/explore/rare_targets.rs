//! Rare targets: transitions that only few objects of a state take.
//!
//! Of very many lists that are not empty, only one of a single element is empty after `pollLast`. There is
//! time to probe few of the situations behind an event, so whether that one is among them was a matter of
//! chance. A glance takes a handful of calls: it asks for the events that tell the known sets apart. Many
//! more situations are looked at in this way, and those that are like none of the known targets are probed.
//!
//! Paper: none; see [`explore`](crate::explore).
//! Cost: in each round some calls for each of at most [`GLANCES`] situations, and at most [`PROBES`] probes.

use std::collections::{BTreeMap, BTreeSet};

use adit_trace::{Letter, Phase};

use super::draft::{ClassId, Classes};
use super::exploration::{EnabledSetId, Exploration, SuccessorId};
use super::glance::Glance;
use crate::guard::Guarded;
use crate::moves::Situation;
use crate::probe::{Halt, Prober, StateHash};

/// Situations that are looked at in one round, those of them behind one event of a state, and rounds at once.
const GLANCES: usize = 400;
const GLANCES_OF_EVENT: usize = 4;
const ROUNDS: usize = 3;

/// Situations that are probed in one round. Of those that give the same answers behind one event, one is.
const PROBES: usize = 24;

/// Events from which on few situations behind each are probed, and that number.
const MANY_EVENTS: usize = 40;
const PROBES_OF_EVENT: usize = 3;

/// Situations with known fields that are probed at once all the same.
const CHECKS: usize = 3;

/// An event out of a class; without a class, the creation of an object.
type FromClass = (Option<ClassId>, Letter);

/// The sets that the events of each class are known to lead to.
struct Targets {
    classes: Classes,
    sets: BTreeMap<FromClass, BTreeSet<EnabledSetId>>,
}

impl Targets {
    fn from(&self, exploration: &Exploration, id: SuccessorId) -> FromClass {
        (id.from.and_then(|from| self.classes.of(from)), exploration.successor(id).letter)
    }
}

impl Exploration {
    /// Glances at situations behind the events of every class, and probes those that are not like what these
    /// events are known to lead to.
    pub(super) fn find_rare_targets<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
    ) -> Result<(), Halt<S::Error>> {
        for _ in 0..ROUNDS {
            self.see_again(prober)?;
            let targets = self.targets();
            let chosen = self.not_glanced(&targets);
            if chosen.is_empty() {
                break;
            }
            prober.ask(&self.progress(Phase::Explore))?;
            let unlike = self.unlike_targets(prober, &chosen, &targets)?;
            if !self.probe_successors(prober, &unlike)? {
                return Err(prober.why_not_run(&self.progress(Phase::Explore)).into());
            }
        }
        Ok(())
    }

    /// Those of the successors that are worth a probe. Where there are few events, all are. Otherwise each
    /// event is probed in few situations, and a glance decides about the others.
    pub(super) fn without_known_targets<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        chosen: &[SuccessorId],
    ) -> Result<Vec<SuccessorId>, Halt<S::Error>> {
        if !self.has_many_events() {
            return Ok(chosen.to_vec());
        }
        let mut probed: BTreeMap<Letter, usize> = BTreeMap::new();
        for (_, successor) in self.successors().filter(|(_, one)| one.probed.is_some()) {
            *probed.entry(successor.letter).or_default() += 1;
        }
        let (mut closer, mut glanced, mut checks) = (Vec::new(), Vec::new(), 0);
        for &id in chosen {
            let successor = self.successor(id);
            let probed = probed.entry(successor.letter).or_default();
            // Situations whose fields are known show whether fields mislead, and a glance does not.
            let is_check = self.with_state(successor.state).is_some() && checks < CHECKS;
            if id.from.is_none() || is_check || *probed < PROBES_OF_EVENT {
                *probed += 1;
                checks += usize::from(is_check);
                closer.push(id);
            } else {
                glanced.push(id);
            }
        }
        if !glanced.is_empty() {
            let targets = self.targets();
            closer.extend(self.unlike_targets(prober, &glanced, &targets)?);
        }
        Ok(closer)
    }

    /// Tells whether there are so many events that few situations can be probed.
    pub(super) fn has_many_events(&self) -> bool {
        self.met.len() >= MANY_EVENTS
    }

    /// Tells whether a successor was glanced at.
    pub(super) fn is_glanced(&self, id: SuccessorId) -> bool {
        let successor = self.successor(id);
        self.glanced.contains(&(id.from, successor.letter, successor.state))
    }

    fn targets(&self) -> Targets {
        let mut targets = Targets { classes: self.coarse_classes(self.splits.all()), sets: BTreeMap::new() };
        for (id, successor) in self.successors() {
            if let Some(behind) = self.behind(successor).or(successor.like) {
                let from = targets.from(self, id);
                targets.sets.entry(from).or_default().insert(self.situation(behind).enabled);
            }
        }
        targets
    }

    /// Successors of which nothing is known yet: the shortest behind each event of each class, in turn.
    fn not_glanced(&self, targets: &Targets) -> Vec<SuccessorId> {
        let harmless = self.harmless();
        let mut open: BTreeMap<FromClass, Vec<SuccessorId>> = BTreeMap::new();
        for (id, successor) in self.successors() {
            let from @ (class, letter) = targets.from(self, id);
            let is_in_model = id.from.is_none() || (class.is_some() && !harmless.contains(&letter));
            let is_known = successor.like.is_some() || self.behind(successor).is_some();
            if is_in_model && !is_known && !self.is_glanced(id) {
                open.entry(from).or_default().push(id);
            }
        }
        for ids in open.values_mut() {
            ids.sort_by_key(|id| self.successor(*id).length());
            let mut met: BTreeSet<StateHash> = BTreeSet::new();
            ids.retain(|id| met.insert(self.fields.key(self.successor(*id).state)));
        }
        let in_turn =
            (0..GLANCES_OF_EVENT).flat_map(|turn| open.values().filter_map(move |ids| ids.get(turn)));
        in_turn.take(GLANCES).copied().collect()
    }

    /// Those of the successors whose answers are not those of any known target.
    fn unlike_targets<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        chosen: &[SuccessorId],
        targets: &Targets,
    ) -> Result<Vec<SuccessorId>, Halt<S::Error>> {
        let asked = self.telling_sets_apart();
        let glance = Glance::Distinguishing(asked.clone());
        let elsewhere = self.calls_by_event(&glance);
        let mut behind: Vec<Vec<Situation>> = Vec::new();
        for &id in chosen {
            let calls = self.calls_for_glance(id, &elsewhere, &glance);
            let alive = calls.iter().filter(|one| !prober.is_given_up(one.callable()));
            behind.push(alive.map(|one| one.behind(&self.successor(id).situation)).collect());
        }
        let counts: Vec<usize> = behind.iter().map(Vec::len).collect();
        let behind: Vec<Situation> = behind.into_iter().flatten().collect();
        let observed = prober.observe(&behind).map_err(Halt::Failed)?;
        if observed.len() < behind.len() {
            return Err(prober.why_not_run(&self.progress(Phase::Explore)).into());
        }
        let events: BTreeMap<EnabledSetId, &BTreeSet<Letter>> = self.enabled_events().collect();
        let mut observed = observed.into_iter();
        let mut unlike: BTreeMap<(FromClass, BTreeSet<Letter>), SuccessorId> = BTreeMap::new();
        for (&id, count) in chosen.iter().zip(counts) {
            let shown = observed.by_ref().take(count).flatten().map(|observed| observed.letter);
            let shown: BTreeSet<Letter> = shown.filter(|letter| asked.contains(letter)).collect();
            let is_like = |set: &EnabledSetId| events[set].intersection(&asked).eq(&shown);
            let from = targets.from(self, id);
            if !targets.sets.get(&from).is_some_and(|sets| sets.iter().any(is_like)) {
                unlike.entry((from, shown)).or_insert(id);
            }
        }
        for &id in chosen {
            let successor = self.successor(id);
            let glanced = (id.from, successor.letter, successor.state);
            self.glanced.insert(glanced);
        }
        Ok(unlike.into_values().take(PROBES).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;

    use adit_trace::{
        Argument, CallKind, Callable, End, EventNames, Run, Script, Snapshot, Statement, Step, StepResult,
        Subject, Unlimited, Value, ValueKind, Vocabulary,
    };

    use super::*;
    use crate::explore::testing::nothing_explored;
    use crate::moves::Move;
    use crate::{EventReader, GuardedSubject};

    fn call(kind: CallKind, name: &str, parameters: &[ValueKind], answer: ValueKind) -> Arc<Callable> {
        Arc::new(Callable { parameters: parameters.to_vec(), answer, ..Callable::new(kind, "Pile", name) })
    }

    fn vocabulary() -> Vocabulary {
        let method = |name, answer| call(CallKind::Method, name, &[], answer);
        Vocabulary {
            class: "Pile".into(),
            starts: vec![call(CallKind::Constructor, "Pile", &[ValueKind::Int], ValueKind::Object)],
            methods: vec![method("isEmpty", ValueKind::Bool), method("pop", ValueKind::Nothing)],
            names: EventNames::default(),
        }
    }

    /// Runs scripts that make a pile of so many things and take some away. It counts those that were taken,
    /// so that no fields show which piles are alike.
    struct Piles;

    impl Subject for Piles {
        type Error = Infallible;

        fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
            let run = |script: &Script| {
                let (mut things, mut taken) = (0, 0);
                let mut step = |(at, statement): (usize, &Statement)| {
                    let result = match (&*statement.callable.name, &statement.args[..]) {
                        ("Pile", [Argument::Int(number)]) => {
                            things = *number;
                            StepResult::Object { class: "Pile".into(), first: at }
                        }
                        ("isEmpty", _) => StepResult::Returned(Value::Bool(things == 0)),
                        _ if things == 0 => StepResult::threw("java.lang.IllegalStateException"),
                        _ => {
                            things -= 1;
                            taken += 1;
                            StepResult::Returned(Value::Void)
                        }
                    };
                    let names = ["things".to_owned(), "taken".to_owned()];
                    let fields = Snapshot::new(names.into(), vec![Value::Int(things), Value::Int(taken)]);
                    Step { fields: Some(fields), ..Step::new(result) }
                };
                let steps = script.statements.iter().enumerate().map(&mut step).collect();
                Run { steps, end: End::Complete, leaked: false, passed: None }
            };
            Ok(batch.iter().map(run).collect())
        }
    }

    /// Piles of these sizes, each probed when it was new, and nothing behind any of them.
    fn probed(sizes: &[i64], prober: &mut Prober<'_, GuardedSubject<'_, Piles>>) -> Exploration {
        let Vocabulary { starts, methods, .. } = vocabulary();
        let mut made = nothing_explored();
        let cut = |callable: &Arc<Callable>| {
            let args = vec![Argument::Int(2)];
            let start = Statement { callable: starts[0].clone(), receiver: None, args };
            let call = Statement { callable: callable.clone(), receiver: Some(0), args: Vec::new() };
            Move::cut_out(&Script { statements: vec![start, call] }, 1, 0).unwrap()
        };
        made.pool.moves = methods.iter().map(cut).collect();
        let pile = |&size: &i64| {
            let args = vec![Argument::Int(size)];
            let start = Statement { callable: starts[0].clone(), receiver: None, args };
            Situation { script: Script { statements: vec![start] }, object: 0 }
        };
        let piles: Vec<Situation> = sizes.iter().map(pile).collect();
        let observed = prober.observe(&piles).unwrap();
        let states = observed.into_iter().map(|one| one.unwrap().state);
        made.probe(prober, piles.into_iter().zip(states).collect()).unwrap();
        made
    }

    /// The numbers of things in the piles of new situations.
    fn found(sizes: &[i64]) -> Vec<usize> {
        let (mut world, mut unlimited, mut pace) = (Piles, Unlimited, Unlimited);
        let mut subject = GuardedSubject::new(&mut world, &mut unlimited);
        let reader = EventReader::new(&vocabulary());
        let mut prober = Prober::new(&mut subject, &reader, &mut pace);
        let mut made = probed(sizes, &mut prober);
        made.find_rare_targets(&mut prober).unwrap();
        made.situations[sizes.len()..].iter().map(|one| one.situation.script.statements.len()).collect()
    }

    /// `pop` leads to a pile like a known one, except from the pile of one thing.
    #[test]
    fn a_pile_of_one_thing_is_found_among_many() {
        assert_eq!(found(&[0, 20, 30, 1, 40]), [2, 2], "one of the first kind of target, and the empty one");
    }
}
