//! Absorption: sets of events that are part of another one, and that no word tells from it.
//!
//! A list whose elements nobody can name seems to contain nothing. It lacks `contains:TRUE`, so it enables a
//! set of its own. Whatever leads to such a list also leads to one whose elements can be named, and that does
//! all that the first does, so no word depends on it. But a split divides one set only: a list of one element
//! would be told from longer ones where elements have names, and every walk could still go through the
//! others.
//!
//! A set is absorbed by a larger one if the model has the same language without it, and if it lacks nothing
//! but answers of calls that give another answer there. That a call is refused is never a matter of values
//! alone.
//!
//! Paper: none; see [`explore`](crate::explore).
//! Cost: the model without splits is drafted and simplified before a model is judged.

use std::collections::{BTreeMap, BTreeSet};

use adit_trace::Letter;

use super::draft::DraftModel;
use super::exploration::{EnabledSetId, Exploration};
use crate::EventReader;

impl Exploration {
    /// Finds the sets that others absorb, whatever they were split into. A model that is too large for splits
    /// needs none.
    pub(super) fn absorb(&mut self, reader: &EventReader) {
        let before = std::mem::take(&mut self.absorbed);
        let draft = self.new_draft(reader, self.coarse_classes(&[]));
        if draft.states.len() <= self.options.splitting.states {
            self.absorbed = self.absorbed_in(reader, &draft);
        }
        if self.absorbed != before {
            self.outdate_draft();
        }
    }

    /// The sets that others absorb, with these, in a draft without splits.
    fn absorbed_in(&self, reader: &EventReader, draft: &DraftModel) -> BTreeMap<EnabledSetId, EnabledSetId> {
        let (_, counterparts) = self.simplified(reader, draft);
        let mut situations: BTreeMap<EnabledSetId, usize> = BTreeMap::new();
        for (_, situation) in self.probed_situations() {
            *situations.entry(situation.enabled).or_default() += 1;
        }
        // Whether the language needs the only state that enables a set, if there is one.
        let is_needed =
            |set: EnabledSetId| draft.enabling(set).next().map(|state| counterparts[state].is_some());
        let needed: Vec<EnabledSetId> =
            situations.keys().copied().filter(|&set| is_needed(set) == Some(true)).collect();
        let events: BTreeMap<EnabledSetId, &BTreeSet<Letter>> = self.enabled_events().collect();
        let mut absorbed = BTreeMap::new();
        for set in situations.keys().copied().filter(|&set| is_needed(set) == Some(false)) {
            let own = events[&set];
            let absorbs = |other: &&EnabledSetId| {
                let all = events[*other];
                own.is_subset(all) && all.difference(own).all(|one| reader.answers_to_values(*one, own))
            };
            let most = needed.iter().filter(absorbs).max_by_key(|other| situations[*other]);
            absorbed.extend(most.map(|&most| (set, most)));
        }
        absorbed
    }

    /// The set that a set of events is taken for.
    pub(super) fn absorbing(&self, set: EnabledSetId) -> EnabledSetId {
        self.absorbed.get(&set).copied().unwrap_or(set)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use adit_trace::{CallKind, Callable, EventNames, Script, ValueKind, Vocabulary};

    use super::*;
    use crate::explore::exploration::{ProbedSituation, SituationId, Successor};
    use crate::explore::testing::nothing_explored;
    use crate::moves::Situation;
    use crate::probe::StateHash;

    /// Bags: `has` is a question about a value, `take` needs a value and throws if the bag lacks it.
    fn reader() -> EventReader {
        let call = |kind, name, parameters: &[ValueKind], answer| {
            Arc::new(Callable { parameters: parameters.to_vec(), answer, ..Callable::new(kind, "Bag", name) })
        };
        let method =
            |name, parameters: &[ValueKind], answer| call(CallKind::Method, name, parameters, answer);
        EventReader::new(&Vocabulary {
            class: "Bag".into(),
            starts: vec![call(CallKind::Constructor, "Bag", &[], ValueKind::Object)],
            methods: vec![
                method("clear", &[], ValueKind::Nothing),
                method("fill", &[], ValueKind::Nothing),
                method("has", &[ValueKind::Object], ValueKind::Bool),
                method("pop", &[], ValueKind::Object),
                method("take", &[ValueKind::Object], ValueKind::Nothing),
            ],
            names: EventNames::default(),
        })
    }

    /// An exploration of situations: for each the events with the situations that they lead to. New objects
    /// are in the first and the second.
    fn explored(reader: &EventReader, situations: &[&[(&str, usize)]]) -> Exploration {
        let mut made = nothing_explored();
        made.options.splitting.states = 60;
        let situation = Situation { script: Script { statements: Vec::new() }, object: 0 };
        let state = |number: usize| StateHash::combine([number as u64].into_iter());
        let successor = |&(label, to): &(&str, usize)| Successor {
            letter: reader.alphabet().get(label).expect("the class has the event"),
            situation: situation.clone(),
            state: state(to),
            probed: Some(SituationId(to)),
            like: None,
        };
        for (number, leads) in situations.iter().enumerate() {
            let successors: Vec<Successor> = leads.iter().map(successor).collect();
            made.met.extend(successors.iter().map(|one| one.letter));
            let enabled = made.enabled_set(&successors);
            made.situations.push(ProbedSituation {
                situation: situation.clone(),
                state: state(number),
                enabled,
                successors,
                thrown: BTreeMap::new(),
                untried: BTreeSet::new(),
            });
        }
        made.creations = [("Bag", 0), ("Bag", 1)].iter().map(successor).collect();
        made
    }

    /// Situation whose set absorbs that of the last one.
    fn absorber(situations: &[&[(&str, usize)]]) -> Option<usize> {
        let reader = reader();
        let mut made = explored(&reader, situations);
        made.absorb(&reader);
        let last = made.situations.last()?.enabled;
        let taken_for = made.absorbing(last);
        (taken_for != last).then(|| made.situations.iter().position(|one| one.enabled == taken_for))?
    }

    const EMPTY: &[(&str, usize)] = &[("clear", 0), ("fill", 1), ("fill", 2), ("has:FALSE", 0)];
    const NAMED: &[(&str, usize)] = &[
        ("clear", 0),
        ("fill", 1),
        ("has:FALSE", 1),
        ("has:TRUE", 1),
        ("pop", 0),
        ("pop", 1),
        ("take", 0),
        ("take", 1),
    ];

    #[test]
    fn a_bag_whose_content_nobody_can_name_is_like_one_that_can_be_named() {
        let unnamed = &[("clear", 0), ("fill", 2), ("has:FALSE", 2), ("pop", 0), ("pop", 2), ("take", 0)];
        assert_eq!(absorber(&[EMPTY, NAMED, unnamed]), Some(1));
    }

    #[test]
    fn a_bag_that_refuses_a_call_is_another_one() {
        let refusing = &[("clear", 0), ("fill", 2), ("has:FALSE", 2), ("has:TRUE", 2), ("pop", 0)];
        assert_eq!(absorber(&[EMPTY, NAMED, refusing]), None);
    }

    #[test]
    fn what_only_one_event_leads_to_is_needed() {
        let unnamed = &[("clear", 0), ("fill", 2), ("has:FALSE", 2), ("pop", 0), ("take", 0)];
        let fills = &[("clear", 0), ("fill", 2), ("has:FALSE", 0)];
        assert_eq!(absorber(&[fills, NAMED, unnamed]), None);
    }
}
