//! Scripts for sessions: a way to a rare state, and a few messages along or beside the model.
//!
//! A way passes through states in which a message that the server should refuse costs a round trip and
//! changes nothing, so ways have such probes. Many bugs are in what a server keeps after it left a state,
//! which its model forgets: ways over other states are taken in turn, and tried first are the messages that
//! only the state that was left allows.

use std::collections::BTreeMap;

use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{Rng, RngExt};

use crate::alphabet::{Alphabet, Hole, LabelKind, MutationRight, Role, Transfer, WireLabel};
use crate::campaign::{Coverage, Entry};
use crate::findings::has_valid_values;
use crate::guide::{Guide, ModelGuide, SessionPlace};
use crate::mutate::mutate;
use crate::script::{Bytes, Message};

/// Limits of generated scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Most messages before the part that is tried.
    pub way: usize,
    /// Most messages that are tried.
    pub tried: usize,
}

/// Writes scripts. It knows what was tried, and prefers what was not.
pub struct Generator<'a, R> {
    /// The alphabet.
    pub alphabet: &'a Alphabet,
    /// The guide.
    pub guide: &'a Guide,
    /// Labels that may be sent, by their numbers.
    pub labels: &'a [usize],
    /// States, labels and answers that sessions have covered.
    pub coverage: &'a Coverage,
    /// Scripts that showed something new.
    pub corpus: &'a [Entry],
    /// Limits.
    pub limits: ScriptLimits,
    /// The only source of chance.
    pub rng: &'a mut R,
}

/// Values that belong to one session: names recur, and a password fits its user.
struct Choices {
    rows: Vec<usize>,
    favorites: BTreeMap<String, Vec<u8>>,
}

/// A message that takes its whole limit costs the time of some thirty sessions.
const COST_OF_LIMIT: f64 = 30.0;

/// A message that is read and not answered takes longer than one that is answered, and tells less.
const COST_OF_SILENCE: f64 = 2.0;

/// Chance that a message is sent several times: what a server counts, it may count wrong.
const REPEATED: f64 = 0.1;

/// Most times that a message is sent then.
const MOST_REPEATED: usize = 8;

/// A message that ends the session hides what the messages after it would have shown.
const COST_OF_DEATH: f64 = 8.0;

/// Chance that the way of a session has probes, and of one in each of its states. Half of the ways have none,
/// because a server may count or forget what it refuses.
const PROBING: f64 = 0.5;
const PROBED: f64 = 0.4;

/// Chance of a way over another state to any state, before and after every state has been looked at.
const EARLY_DETOUR: f64 = 0.1;
const LATE_DETOUR: f64 = 0.5;

/// Ways over another state of which the one is taken that was taken least.
const DRAWN_DETOURS: usize = 8;

/// Chance that after such a way a message is sent that only the state that was left allows.
const RESIDUE: f64 = 0.6;

/// Weights of labels that were not tried at a place yet; others have at most the number of their values.
const FIRST: f64 = 16.0;
const FIRST_AND_STAYS: f64 = 48.0;

/// Factor for labels and values that were hardly tried in any state in which the model has the label.
const UNKNOWN: f64 = 4.0;

/// Chance of a value that should work, and the same for the first message with a label in a state: a server
/// that does what its model says is not possible does it for valid values.
const USUAL: f64 = 0.3;
const USUAL_FIRST: f64 = 0.6;

/// Values of at least this many bytes are long. A single message shows what a long value does, so they come
/// first, by this factor.
const LONG: usize = 128;
const LONG_FIRST: f64 = 4.0;

/// A way over another state.
struct Detour {
    way: Vec<usize>,
    /// The state over which it leads.
    over: u32,
    target: u32,
}

impl<R: Rng> Generator<'_, R> {
    /// Returns the messages of a session.
    pub fn script(&mut self) -> Vec<Message> {
        let choices = self.choices();
        let (mut script, mut place) = match self.guide {
            Guide::Model(model) => {
                let near: BTreeMap<u32, &[usize]> =
                    model.reachable().filter(|(_, way)| way.len() <= self.limits.way).collect();
                let looked_at = near.keys().all(|&state| self.is_known(&SessionPlace::State(state)));
                let chance = if looked_at { LATE_DETOUR } else { EARLY_DETOUR };
                match self.rng.random_bool(chance).then(|| self.detour(model, &near, None)).flatten() {
                    Some(detour) => self.way_over(model, &detour, &choices),
                    None => self.way_in_model(model, &near, &choices),
                }
            }
            Guide::Codes => self.way_by_codes(&choices),
        };
        let count = self.rng.random_range(1..=self.limits.tried);
        for _ in 0..count {
            let label = self.next_label(&place);
            let message = self.message(label, &place, &choices, false);
            script.push(message);
            place = self.expected_place(&place, label);
            if self.rng.random_bool(REPEATED) {
                for _ in 1..self.rng.random_range(2..=MOST_REPEATED) {
                    let message = self.message(label, &place, &choices, true);
                    script.push(message);
                }
            }
        }
        script
    }

    fn choices(&mut self) -> Choices {
        let alphabet = self.alphabet;
        let rows = alphabet.tuples.iter().map(|tuples| self.rng.random_range(0..tuples.rows.len())).collect();
        let favorites = alphabet
            .pools
            .iter()
            .filter_map(|(name, pool)| {
                Some((name.clone(), pool.of_role(Role::Valid).choose(self.rng)?.to_vec()))
            })
            .collect();
        Choices { rows, favorites }
    }

    /// A way to a state of the model in which little was tried.
    fn way_in_model(
        &mut self,
        model: &ModelGuide,
        near: &BTreeMap<u32, &[usize]>,
        choices: &Choices,
    ) -> (Vec<Message>, SessionPlace) {
        let beside =
            |place: &&SessionPlace| matches!(place, SessionPlace::Pending(..) | SessionPlace::Beyond(..));
        let beside = self.coverage.places().filter(beside).cloned();
        let targets: Vec<SessionPlace> =
            near.keys().map(|&state| SessionPlace::State(state)).chain(beside).collect();
        let target = self.rare_place(&targets);
        let SessionPlace::State(state) = target else {
            // Only a script that was there knows how to get there.
            return self
                .kept_way(&target, choices)
                .map_or((Vec::new(), self.guide.start()), |way| (way, target));
        };
        // Another way to the same state may be another situation for the server, and the more so when every
        // label was tried after the shortest one.
        let known = self.is_known(&target);
        match self.rng.random_range(0..10) {
            0 | 1 => {
                if let Some(kept) = self.kept_way(&target, choices) {
                    return (kept, target);
                }
            }
            choice if choice < if known { 8 } else { 5 } => {
                if let Some(detour) = self.detour(model, near, Some(state)) {
                    return self.way_over(model, &detour, choices);
                }
            }
            _ => {}
        }
        (self.messages(model, near[&state], choices), target)
    }

    /// Tells whether as many messages were tried at a place as there are labels.
    fn is_known(&self, place: &SessionPlace) -> bool {
        self.coverage.visits_of(place) > self.labels.len() as u64
    }

    fn rare_place(&mut self, places: &[SessionPlace]) -> SessionPlace {
        let weight = |place: &SessionPlace| {
            let untried = self.labels.len().saturating_sub(self.coverage.labels_tried_at(place));
            let cost = 1.0
                + COST_OF_LIMIT * self.coverage.slowness_in(place)
                + COST_OF_SILENCE * self.coverage.silence_in(place);
            let unknown = self.labels.iter().filter(|&&label| self.is_unknown(place, label)).count();
            let value = (1 + untried) as f64 + UNKNOWN * unknown as f64;
            value / (1.0 + self.coverage.visits_of(place) as f64) / cost
        };
        let weights: Vec<f64> = places.iter().map(weight).collect();
        places[weighted(&weights, self.rng)].clone()
    }

    /// The way to some state, one step from there to another one, and the way on to the target, or to any
    /// state: the one of several that fewest sessions took. The step leads to any of the neighbors with the
    /// same chance, because some are reached by many labels.
    fn detour(
        &mut self,
        model: &ModelGuide,
        near: &BTreeMap<u32, &[usize]>,
        target: Option<u32>,
    ) -> Option<Detour> {
        let mut best: Option<((u64, usize), Detour)> = None;
        for _ in 0..DRAWN_DETOURS {
            let (&over, &way) = near.iter().choose(self.rng)?;
            let target = match target {
                Some(target) => target,
                None => *near.keys().choose(self.rng)?,
            };
            let mut neighbors: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
            for (label, to) in model.possible(over, self.alphabet).filter(|(_, to)| *to != over) {
                neighbors.entry(to).or_default().push(label);
            }
            let Some((&next, labels)) = neighbors.iter().choose(self.rng) else { continue };
            let Some(&step) = labels.choose(self.rng) else { continue };
            let Some(rest) = model.way(next, target, self.alphabet) else { continue };
            let length = way.len() + 1 + rest.len();
            let rank = (self.coverage.passed((over, step), target), length);
            if length <= self.limits.way && best.as_ref().is_none_or(|(known, _)| rank < *known) {
                let way = way.iter().copied().chain([step]).chain(rest).collect();
                best = Some((rank, Detour { way, over, target }));
            }
        }
        best.map(|(_, detour)| detour)
    }

    /// The messages of a way over another state, and perhaps one that only that state allows.
    fn way_over(
        &mut self,
        model: &ModelGuide,
        detour: &Detour,
        choices: &Choices,
    ) -> (Vec<Message>, SessionPlace) {
        let mut script = self.messages(model, &detour.way, choices);
        let residue = |label: &usize| {
            self.labels.contains(label)
                && !model.is_silent(detour.over, *label)
                && model.next(detour.target, *label, self.alphabet).is_none()
        };
        let residue: Vec<usize> =
            model.possible(detour.over, self.alphabet).map(|(label, _)| label).filter(residue).collect();
        if self.rng.random_bool(RESIDUE)
            && let Some(&label) = residue.choose(self.rng)
        {
            script.push(self.message(label, &SessionPlace::Off, choices, true));
        }
        (script, SessionPlace::State(detour.target))
    }

    /// Messages that should work, from the start of the model, and probes between them.
    fn messages(&mut self, model: &ModelGuide, labels: &[usize], choices: &Choices) -> Vec<Message> {
        let nowhere = SessionPlace::Off;
        let probing = self.rng.random_bool(PROBING);
        let mut script = Vec::new();
        let mut state = Guide::state(&self.guide.start());
        for &label in labels {
            if let Some(state) = state.filter(|_| probing)
                && self.rng.random_bool(PROBED)
            {
                script.extend(self.probe(model, state, choices));
            }
            script.push(self.message(label, &nowhere, choices, true));
            state = state.and_then(|state| model.next(state, label, self.alphabet));
        }
        script
    }

    /// A message that the server should refuse in this state, and stay there.
    fn probe(&mut self, model: &ModelGuide, state: u32, choices: &Choices) -> Option<Message> {
        let place = SessionPlace::State(state);
        if self.coverage.silence_in(&place) > 0.5 {
            return None;
        }
        let alphabet = self.alphabet;
        let is_odd = |hole: &Hole| {
            let pool = hole.pool.as_ref().map(|pool| &alphabet.pools[pool]);
            pool.is_some_and(|pool| pool.values.iter().any(|(role, _)| *role != Role::Valid))
        };
        let is_refused = |label: &usize| {
            let own = &alphabet.labels[*label];
            matches!(own.kind, LabelKind::Request(_))
                && own.needs.is_empty()
                && own.transfer.is_none()
                && model.error_keeps(state, *label, alphabet)
                && (model.next(state, *label, alphabet).is_none() || own.holes().any(is_odd))
        };
        let labels: Vec<usize> = self.labels.iter().copied().filter(is_refused).collect();
        let label = self.rarest(&place, &labels)?;
        let mut message = self.message(label, &place, choices, false);
        if model.next(state, label, alphabet).is_some() && has_valid_values(&message, alphabet) {
            let hole = alphabet.labels[label].holes().filter(|hole| is_odd(hole)).choose(self.rng)?;
            let value = self.odd_value(hole.pool.as_ref()?, (&place, label), &hole.name);
            message.fields.insert(hole.name.clone(), Bytes(value));
        }
        Some(message)
    }

    /// A way to a code that few sessions saw, as some earlier script had it.
    fn way_by_codes(&mut self, choices: &Choices) -> (Vec<Message>, SessionPlace) {
        let places: Vec<SessionPlace> = self.coverage.places().cloned().collect();
        let start = self.guide.start();
        if places.is_empty() {
            return (Vec::new(), start);
        }
        let target = self.rare_place(&places);
        match self.kept_way(&target, choices) {
            Some(way) => (way, target),
            None => (Vec::new(), start),
        }
    }

    /// The beginning of a kept script that was at this place. Its last message may get other values.
    fn kept_way(&mut self, place: &SessionPlace, choices: &Choices) -> Option<Vec<Message>> {
        let ways = self.corpus.iter().flat_map(|entry| {
            let before = entry.places.iter().enumerate().take(self.limits.way + 1);
            before.filter(|(_, own)| *own == place).map(move |(length, _)| &entry.script[..length])
        });
        let mut way = ways.choose(self.rng)?.to_vec();
        if let Some(last) = way.last_mut()
            && self.rng.random_bool(0.5)
            && let Some(label) = self.alphabet.label(&last.label)
        {
            *last = self.message(label, &SessionPlace::Off, choices, false);
        }
        Some(way)
    }

    /// A label that the model has here, or any other, rather one that was tried less.
    fn next_label(&mut self, place: &SessionPlace) -> usize {
        if let (Guide::Model(model), Some(state)) = (self.guide, Guide::state(place))
            && self.rng.random_bool(0.6)
        {
            let along: Vec<usize> = model
                .possible(state, self.alphabet)
                .map(|(label, _)| label)
                // Where a server reads a text, what it answers is what ends the text.
                .filter(|&label| self.labels.contains(&label) && !model.is_silent(state, label))
                .collect();
            if let Some(label) = self.rarest(place, &along) {
                return label;
            }
        }
        let all = self.labels;
        self.rarest(place, all).expect("a campaign has labels")
    }

    fn rarest(&mut self, place: &SessionPlace, labels: &[usize]) -> Option<usize> {
        let weight = |&label: &usize| {
            let tries = self.coverage.tries_of(place, label);
            let value = match self.stays(place, label) {
                // Every label once before any of them again, and first those after which others can follow.
                Some(stays) if tries == 0 || self.is_unknown(place, label) => {
                    let first = if stays { FIRST_AND_STAYS } else { FIRST };
                    if self.is_unknown(place, label) { UNKNOWN * first } else { first }
                }
                _ => self.variants(label) as f64 / (1.0 + tries as f64),
            };
            let cost = 1.0
                + COST_OF_LIMIT * self.coverage.slowness_of(place, label)
                + COST_OF_DEATH * self.coverage.deadliness_of(place, label);
            value / cost
        };
        let weights: Vec<f64> = labels.iter().map(weight).collect();
        (!labels.is_empty()).then(|| labels[weighted(&weights, self.rng)])
    }

    /// Tells whether the model has the label here, and it was hardly tried in any state that has it. What a
    /// label does by itself shows in each of these states, so one of them comes before all states.
    fn is_unknown(&self, place: &SessionPlace, label: usize) -> bool {
        const HARDLY: u64 = 4;
        self.coverage.tries_along(label) < HARDLY && self.guide.has(place, label, self.alphabet)
    }

    /// Tells whether the session stays at a place after this label, as far as the model knows the place.
    fn stays(&self, place: &SessionPlace, label: usize) -> Option<bool> {
        let Guide::Model(model) = self.guide else { return None };
        let state = Guide::state(place)?;
        let is_request = matches!(self.alphabet.labels[label].kind, LabelKind::Request(_));
        let next = model.next(state, label, self.alphabet);
        Some(
            is_request
                && next.map_or_else(|| model.error_keeps(state, label, self.alphabet), |to| to == state),
        )
    }

    /// Number of values that a label has to try.
    fn variants(&self, label: usize) -> usize {
        let values =
            |hole: &Hole| hole.pool.as_ref().map_or(1, |pool| self.alphabet.pools[pool].values.len());
        self.alphabet.labels[label].holes().map(values).max().unwrap_or(1)
    }

    fn expected_place(&self, place: &SessionPlace, label: usize) -> SessionPlace {
        match (self.guide, Guide::state(place)) {
            (Guide::Model(model), Some(state)) => {
                let mut possible = model.possible(state, self.alphabet);
                possible
                    .find(|(own, _)| *own == label)
                    .map_or(SessionPlace::State(state), |(_, to)| SessionPlace::State(to))
            }
            // Where an answer leads is not known before it comes.
            _ => SessionPlace::Off,
        }
    }

    /// A message with values: such as should work, or any that the alphabet has.
    fn message(
        &mut self,
        label: usize,
        place: &SessionPlace,
        choices: &Choices,
        should_work: bool,
    ) -> Message {
        let number = label;
        let alphabet = self.alphabet;
        let label = &alphabet.labels[label];
        let is_first = self.coverage.tries_of(place, number) == 0;
        let mut message = Message::plain(&label.name);
        for hole in label.holes() {
            let Some(pool) = &hole.pool else { continue };
            let usual = self.usual(pool, choices);
            let right = label.right(hole, alphabet);
            let usually = if self.stays(place, number).is_some() && is_first { USUAL_FIRST } else { USUAL };
            let value = if should_work || self.rng.random_bool(usually) {
                usual
            } else if right == MutationRight::Bytes && self.rng.random_bool(0.2) {
                mutate(&usual, self.rng)
            } else {
                self.pool_value(pool, (place, number), &hole.name)
            };
            message.fields.insert(hole.name.clone(), Bytes(value));
        }
        if let Some(Transfer::Up(pool)) = &label.transfer {
            let values = &alphabet.pools[pool].values;
            let chosen = if should_work { values.first() } else { values.choose(self.rng) };
            message.payload = chosen.map(|(_, value)| Bytes(value.clone()));
        }
        if !label.needs.is_empty() {
            let first = label.needs[0];
            let others: Vec<usize> =
                label.needs.iter().copied().filter(|need| self.labels.contains(need)).collect();
            let prepare = if should_work { first } else { *others.choose(self.rng).unwrap_or(&first) };
            message.prepare = Some(alphabet.labels[prepare].name.clone());
        }
        if label.mutate_wire && !should_work && self.rng.random_bool(0.1) {
            message.wire = changed_wire(label, &message, alphabet, self.rng).map(Bytes);
        }
        message
    }

    /// The value of a pool that fits the session.
    fn usual(&mut self, pool: &str, choices: &Choices) -> Vec<u8> {
        if let Some((tuples, at)) = self.alphabet.tuples_of(pool) {
            return self.alphabet.tuples[tuples].rows[choices.rows[tuples]][at].clone();
        }
        match choices.favorites.get(pool) {
            Some(favorite) if self.rng.random_bool(0.7) => favorite.clone(),
            _ => {
                let valid = self.alphabet.pools[pool].of_role(Role::Valid).choose(self.rng);
                valid.unwrap_or_default().to_vec()
            }
        }
    }

    /// A value of a pool, whatever its role, rather one that was tried less at this place.
    fn pool_value(&mut self, pool: &str, at: (&SessionPlace, usize), field: &str) -> Vec<u8> {
        self.rare_value(pool, at, field, |_| true)
    }

    /// A value of a pool that the server should refuse, if the pool has one.
    fn odd_value(&mut self, pool: &str, at: (&SessionPlace, usize), field: &str) -> Vec<u8> {
        self.rare_value(pool, at, field, |role| role != Role::Valid)
    }

    fn rare_value(
        &mut self,
        pool: &str,
        (place, label): (&SessionPlace, usize),
        field: &str,
        fits: impl Fn(Role) -> bool,
    ) -> Vec<u8> {
        let values: Vec<&Vec<u8>> = (self.alphabet.pools[pool].values.iter())
            .filter_map(|(role, value)| fits(*role).then_some(value))
            .collect();
        let weight = |value: &&Vec<u8>| {
            let tries = self.coverage.tries_of_value(place, label, field, value);
            let long = if tries == 0 && value.len() >= LONG { LONG_FIRST } else { 1.0 };
            let is_new = self.guide.has(place, label, self.alphabet)
                && self.coverage.tries_of_value_along(label, field, value) == 0;
            let new = if is_new { UNKNOWN } else { 1.0 };
            long * new / (1.0 + tries as f64)
        };
        let weights: Vec<f64> = values.iter().map(weight).collect();
        values.get(weighted(&weights, self.rng)).map(|value| value.to_vec()).unwrap_or_default()
    }
}

fn changed_wire(
    label: &WireLabel,
    message: &Message,
    alphabet: &Alphabet,
    rng: &mut impl Rng,
) -> Option<Vec<u8>> {
    let LabelKind::Request(template) = &label.kind else { return None };
    // Variables have no value before the session runs.
    if template.holes().any(|hole| hole.pool.is_none()) {
        return None;
    }
    let value = |hole: &Hole| match (message.fields.get(&hole.name), &hole.pool) {
        (Some(value), _) => value.0.clone(),
        (None, Some(pool)) => alphabet.pools[pool].values[0].1.clone(),
        (None, None) => Vec::new(),
    };
    let mut bytes = mutate(&template.fill(value), rng);
    bytes.extend_from_slice(b"\r\n");
    Some(bytes)
}

/// Chooses a place by weight.
fn weighted(weights: &[f64], rng: &mut impl Rng) -> usize {
    let mut left = rng.random_range(0.0..1.0) * weights.iter().sum::<f64>();
    for (at, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return at;
        }
    }
    weights.len().saturating_sub(1)
}
