//! Objects that were seen while the class ran, with their fields after each call.

use std::collections::{BTreeMap, HashSet};

use adit_attack::EventReader;
use adit_logic::contract::{Clause, Contracts, Valuation};
use adit_mine::ProgramPoint;
use adit_trace::{Event, Label, Labels, Letter, Outcome, Run, Script, State, observed_calls};

/// Recorded objects, each different from the others in its calls or its fields.
#[derive(Default)]
pub(super) struct Log {
    traces: Vec<Vec<Event>>,
    sources: Vec<Source>,
    known: HashSet<String>,
    /// States in which a call threw, by the name of the method.
    refused: BTreeMap<String, Vec<State>>,
}

/// Most states of one method that conditions are compared with.
const COMPARED: usize = 3000;

/// The test that shows an object.
pub(super) struct Source {
    pub(super) script: Script,
    /// The statement that gave the object.
    pub(super) object: usize,
    /// The statement of each event.
    pub(super) statements: Vec<usize>,
    pub(super) word: Vec<Letter>,
}

impl Log {
    pub(super) fn len(&self) -> usize {
        self.traces.len()
    }

    pub(super) fn traces(&self) -> &[Vec<Event>] {
        &self.traces
    }

    pub(super) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Adds the objects of a run that are new, each up to the first call that threw.
    pub(super) fn add(&mut self, script: &Script, run: &Run, reader: &EventReader) {
        let lives = run.lives(script, reader.names());
        for trace in reader.read(script, run) {
            let Some(life) = lives.iter().find(|life| life.object == trace.object) else { continue };
            let name = |&letter: &Letter| reader.alphabet().name(letter);
            let labels = life.events.iter().map(|event| Labels::Outcome.of(event));
            // The two readings of a run agree on what happened to an object until something throws.
            if trace.word.is_empty() || !labels.take(trace.word.len()).eq(trace.word.iter().map(name)) {
                continue;
            }
            let events = life.events[..trace.word.len()].to_vec();
            if let (Some(refused), Some(state)) =
                (life.events.get(trace.word.len()), events.last().and_then(|last| last.state.as_ref()))
            {
                let states = self.refused.entry(refused.method.clone()).or_default();
                if matches!(refused.outcome, Outcome::Threw(_)) && states.len() < COMPARED {
                    states.push(state.clone());
                }
            }
            let states: Vec<_> =
                events.iter().map(|event| (&event.method, &event.outcome, &event.state)).collect();
            if self.known.insert(format!("{states:?}")) {
                let (object, statements, word) = (trace.object, trace.statements, trace.word);
                self.sources.push(Source { script: script.clone(), object, statements, word });
                self.traces.push(events);
            }
        }
    }

    /// The contracts with those preconditions that decide something. A condition matters if the same method
    /// was called where it does not hold, and did something else: it returned the other answer, or threw. Of
    /// several conditions that exclude the same calls, the one that excludes most is left. Where a method
    /// always does the same, it needs no condition, because it was tried everywhere.
    pub(super) fn decisive(&self, contracts: &Contracts) -> Contracts {
        let mut before: BTreeMap<&str, Vec<(String, &State)>> = BTreeMap::new();
        for call in self.traces.iter().flat_map(|trace| observed_calls(trace)) {
            let calls = before.entry(call.event.method.as_str()).or_default();
            if let Some(state) = call.before
                && calls.len() < COMPARED
            {
                calls.push((Labels::Outcome.of(call.event), state));
            }
        }
        let mut chosen = contracts.clone();
        for (label, contract) in &mut chosen.calls {
            let method = Label::parse(label).name().to_owned();
            let others = before.get(method.as_str()).into_iter().flatten();
            let others = others.filter(|(other, _)| other != label).map(|(_, state)| *state);
            let others = others.chain(self.refused.get(&method).into_iter().flatten());
            let mut left: Vec<Valuation> = others.map(Valuation::of_state).collect();
            let mut decisive = Vec::new();
            loop {
                let excludes = |clause: &Clause, values: &Valuation| clause.holds(values) == Some(false);
                let excluded =
                    |clause: &Clause| left.iter().filter(|values| excludes(clause, values)).count();
                let best = contract.pre.iter().map(|clause| (excluded(clause), clause));
                // The first of those that exclude most, so that the choice does not depend on anything else.
                let Some((count, clause)) = best.rev().max_by_key(|(count, _)| *count) else { break };
                if count == 0 {
                    break;
                }
                left.retain(|values| !excludes(clause, values));
                decisive.push(clause.clone());
            }
            contract.pre = decisive;
        }
        chosen
    }

    /// Clauses that objects recorded from `first` on violate, each with the first test that shows it.
    pub(super) fn violations(
        &self,
        claimed: &Contracts,
        first: usize,
    ) -> Vec<((ProgramPoint, Clause), Script)> {
        let mut found: Vec<((ProgramPoint, Clause), Script)> = Vec::new();
        let mut known = HashSet::new();
        for (trace, source) in self.traces.iter().zip(&self.sources).skip(first) {
            for call in observed_calls(trace) {
                let label = Labels::Outcome.of(call.event);
                let Some(contract) = claimed.calls.get(&label) else { continue };
                let (entry, exit) = (
                    Valuation::of_entry(call.before, call.event),
                    Valuation::of_exit(call.before, call.event),
                );
                let object = call.event.state.as_ref().map(Valuation::of_state).unwrap_or_default();
                for (clauses, values, point) in [
                    (&contract.pre, &entry, ProgramPoint::Entry(label.clone())),
                    (&contract.post, &exit, ProgramPoint::Exit(label.clone())),
                    (&claimed.object, &object, ProgramPoint::Object),
                ] {
                    for clause in clauses.iter().filter(|clause| clause.holds(values) == Some(false)) {
                        if known.insert((point.name(None), clause.clone())) {
                            found.push(((point.clone(), clause.clone()), source.script.clone()));
                        }
                    }
                }
            }
        }
        found
    }
}
