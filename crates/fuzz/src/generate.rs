//! Scripts for sessions: a way to a rare state, and a few messages along or beside the model.

use std::collections::BTreeMap;

use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{Rng, RngExt};

use crate::alphabet::{Alphabet, Hole, LabelKind, MutationRight, Role, Transfer, WireLabel};
use crate::campaign::{Coverage, Entry};
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

impl<R: Rng> Generator<'_, R> {
    /// Returns the messages of a session.
    pub fn script(&mut self) -> Vec<Message> {
        let choices = self.choices();
        let (mut script, mut place) = match self.guide {
            Guide::Model(model) => self.way_in_model(model, &choices),
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
    fn way_in_model(&mut self, model: &ModelGuide, choices: &Choices) -> (Vec<Message>, SessionPlace) {
        let near: BTreeMap<u32, &[usize]> =
            model.reachable().filter(|(_, way)| way.len() <= self.limits.way).collect();
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
        let known = self.coverage.tries_in(&target) > self.labels.len() as u64;
        match self.rng.random_range(0..10) {
            0 | 1 => {
                if let Some(kept) = self.kept_way(&target, choices) {
                    return (kept, target);
                }
            }
            choice if choice < if known { 8 } else { 5 } => {
                if let Some(way) = self.detour(model, &near, state) {
                    return (self.messages(&way, choices), target);
                }
            }
            _ => {}
        }
        (self.messages(near[&state], choices), target)
    }

    fn rare_place(&mut self, places: &[SessionPlace]) -> SessionPlace {
        let weight = |place: &SessionPlace| {
            let cost = 1.0
                + COST_OF_LIMIT * self.coverage.slowness_in(place)
                + COST_OF_SILENCE * self.coverage.silence_in(place);
            1.0 / (1.0 + self.coverage.visits_of(place) as f64) / cost
        };
        let weights: Vec<f64> = places.iter().map(weight).collect();
        places[weighted(&weights, self.rng)].clone()
    }

    /// The way to some state, one step from there, and the way on to the target. The step leads to any of the
    /// neighbors with the same chance, because labels that change nothing outnumber the others.
    fn detour(
        &mut self,
        model: &ModelGuide,
        near: &BTreeMap<u32, &[usize]>,
        target: u32,
    ) -> Option<Vec<usize>> {
        let (&over, &way) = near.iter().choose(self.rng)?;
        let mut neighbors: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (label, to) in model.possible(over, self.alphabet) {
            neighbors.entry(to).or_default().push(label);
        }
        let (&next, labels) = neighbors.iter().choose(self.rng)?;
        let mut whole = way.to_vec();
        whole.push(*labels.choose(self.rng)?);
        whole.extend(model.way(next, target, self.alphabet)?);
        (whole.len() <= self.limits.way).then_some(whole)
    }

    fn messages(&mut self, labels: &[usize], choices: &Choices) -> Vec<Message> {
        let nowhere = SessionPlace::Off;
        labels.iter().map(|&label| self.message(label, &nowhere, choices, true)).collect()
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
            let variants = self.variants(label) as f64;
            let cost = 1.0 + COST_OF_LIMIT * self.coverage.slowness_of(place, label);
            variants / (1.0 + self.coverage.tries_of(place, label) as f64) / cost
        };
        let weights: Vec<f64> = labels.iter().map(weight).collect();
        (!labels.is_empty()).then(|| labels[weighted(&weights, self.rng)])
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
        let mut message = Message::plain(&label.name);
        for hole in label.holes() {
            let Some(pool) = &hole.pool else { continue };
            let usual = self.usual(pool, choices);
            let right = label.right(hole, alphabet);
            let value = if should_work || self.rng.random_bool(0.3) {
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
        let values = &self.alphabet.pools[pool].values;
        let weight = |(_, value): &(Role, Vec<u8>)| {
            1.0 / (1.0 + self.coverage.tries_of_value(at.0, at.1, field, value) as f64)
        };
        let weights: Vec<f64> = values.iter().map(weight).collect();
        values[weighted(&weights, self.rng)].1.clone()
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
