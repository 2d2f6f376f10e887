//! A situation in a method: what its variables hold, and in which states the objects are that it follows.
//!
//! Paper: [fink08], the abstract domain of section 4: a tuple of an object, its typestate, and the access
//! paths that must or may refer to it.
//! Deviation: a situation holds several objects at once, so that what is known about one does not mix with
//! what is known about another. Access paths are not stored as lists of paths but as a small heap: variables
//! and fields that hold the same number must be aliases. Objects that are not `fresh` may be aliases of each
//! other.
//! Cost: a situation is some dozen values; comparing two takes time in their size.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::limits::OBJECTS;
use crate::typestate::States;

/// The number of an object in a situation.
pub(crate) type Id = u16;

/// The base of static fields.
pub(crate) const STATICS: Id = Id::MAX;

/// A value in a variable or on the stack. `long` and `double` take two places, both unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Value {
    /// Anything.
    Unknown,
    /// A known `int`, `boolean`, `char`, `short` or `byte`.
    Int(i32),
    /// Any number but zero: a boolean that is true.
    NotZero,
    /// `null`.
    Null,
    /// This object.
    Ref(Id),
    /// The boolean that the last call on this object returned.
    Answer(Id),
    /// Return address of a subroutine, as the index of an instruction.
    Address(u32),
    /// A text that is known, by its hash.
    Text(u64),
}

/// An object that a situation knows.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Its typestate, if it is followed.
    pub(crate) track: Option<Track>,
    /// It was created in this situation and nothing outside refers to it.
    pub(crate) fresh: bool,
    /// It is not null.
    pub(crate) nonnull: bool,
    /// Its class, if it was created by `new`.
    pub(crate) class: Option<Arc<str>>,
    /// The events so far. Not part of the situation's identity: the first path there is as good as any.
    pub(crate) history: History,
}

/// The typestate of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Track {
    /// Index of the typestate.
    pub(crate) model: u16,
    /// The states that it may be in; none if the model does not know.
    pub(crate) states: States,
    /// The model does not know the state. It never will again.
    pub(crate) lost: bool,
    /// Everything since its creation is known.
    pub(crate) from_creation: bool,
    /// The states are every state, for want of knowledge: no call since then has told anything about them.
    pub(crate) vague: bool,
    /// The states after the last call, for each boolean that it may have returned.
    pub(crate) pending: Option<(States, States)>,
}

/// A list of events that shares its beginning with others.
#[derive(Clone, Debug, Default)]
pub(crate) struct History(Option<Arc<Link>>);

#[derive(Debug)]
struct Link {
    event: Arc<PathEvent>,
    before: History,
    length: u32,
}

/// An event of an object, and where it happened.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathEvent {
    /// Class of the code, with dots.
    pub class: Arc<str>,
    /// Method of the code, as `main(String[])`.
    pub method: Arc<str>,
    /// Source file of the class, if the compiler kept its name.
    pub file: Option<Arc<str>>,
    /// Source line, if the compiler kept lines.
    pub line: Option<u16>,
    /// The event, as a label (`hasNext:FALSE`) or in words.
    pub event: String,
    /// It brought the object into another state, as far as the model tells.
    pub decisive: bool,
}

/// Histories longer than this forget new events between the first and the last ones.
const HISTORY: u32 = 64;

impl History {
    pub(crate) fn and(&self, event: PathEvent) -> History {
        let length = self.0.as_ref().map_or(0, |link| link.length);
        if length >= HISTORY {
            return self.clone();
        }
        History(Some(Arc::new(Link { event: Arc::new(event), before: self.clone(), length: length + 1 })))
    }

    /// The same history, with the boolean that the last event returned.
    pub(crate) fn answered(&self, answer: bool, decisive: bool) -> History {
        match &self.0 {
            Some(link) => {
                let event = format!("{}:{}", link.event.event, if answer { "TRUE" } else { "FALSE" });
                link.before.and(PathEvent { event, decisive, ..(*link.event).clone() })
            }
            None => self.clone(),
        }
    }

    pub(crate) fn events(&self) -> Vec<PathEvent> {
        let mut events = Vec::new();
        let mut next = &self.0;
        while let Some(link) = next {
            events.push((*link.event).clone());
            next = &link.before.0;
        }
        events.reverse();
        events
    }
}

impl Drop for Link {
    /// Long lists are taken apart one by one: dropping them recursively would need as much stack.
    fn drop(&mut self) {
        let mut next = self.before.0.take();
        while let Some(link) = next {
            match Arc::try_unwrap(link) {
                Ok(mut link) => next = link.before.0.take(),
                Err(_) => break,
            }
        }
    }
}

impl Object {
    /// An object of which nothing is known.
    pub(crate) fn unknown() -> Object {
        Object { track: None, fresh: false, nonnull: false, class: None, history: History::default() }
    }

    fn key(&self) -> (&Option<Track>, bool, bool, &Option<Arc<str>>) {
        (&self.track, self.fresh, self.nonnull, &self.class)
    }

    /// Returns true if forgetting it loses nothing but its identity.
    fn is_plain(&self) -> bool {
        self.track.is_none() && !self.fresh && self.class.is_none()
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Object {}

impl Hash for Object {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl PartialOrd for Object {
    fn partial_cmp(&self, other: &Object) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Object {
    fn cmp(&self, other: &Object) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// A field, as instructions name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FieldKey {
    pub(crate) name: Arc<str>,
    pub(crate) class: Arc<str>,
}

/// A situation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct World {
    pub(crate) locals: Vec<Value>,
    pub(crate) stack: Vec<Value>,
    /// Values that the callers hold, so that they know afterwards what became of them.
    pub(crate) pins: Vec<Value>,
    /// Fields with known values, sorted.
    pub(crate) heap: Vec<((Id, FieldKey), Value)>,
    pub(crate) objects: Vec<Object>,
}

impl World {
    pub(crate) fn new(locals: Vec<Value>) -> World {
        World { locals, stack: Vec::new(), pins: Vec::new(), heap: Vec::new(), objects: Vec::new() }
    }

    pub(crate) fn add(&mut self, object: Object) -> Id {
        self.objects.push(object);
        (self.objects.len() - 1) as Id
    }

    pub(crate) fn object(&self, id: Id) -> &Object {
        &self.objects[usize::from(id)]
    }

    pub(crate) fn object_mut(&mut self, id: Id) -> &mut Object {
        &mut self.objects[usize::from(id)]
    }

    /// Removes a value from the stack. A damaged method may find it empty.
    pub(crate) fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Unknown)
    }

    pub(crate) fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    /// All places that hold values.
    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let heap = self.heap.iter_mut().map(|(_, value)| value);
        self.locals.iter_mut().chain(&mut self.stack).chain(&mut self.pins).chain(heap)
    }

    /// Returns true if a variable or the stack holds the value.
    pub(crate) fn holds(&self, value: Value) -> bool {
        self.locals.iter().chain(&self.stack).chain(&self.pins).any(|held| *held == value)
    }

    /// Replaces a value everywhere.
    pub(crate) fn replace(&mut self, old: Value, new: Value) {
        self.values_mut().filter(|value| **value == old).for_each(|value| *value = new);
    }

    /// Gives the object behind a value a number: an unknown one in a local variable becomes known there.
    pub(crate) fn local_object(&mut self, slot: usize) -> Value {
        match self.locals.get(slot).copied() {
            Some(Value::Unknown) => {
                let id = self.add(Object::unknown());
                self.locals[slot] = Value::Ref(id);
                Value::Ref(id)
            }
            Some(value) => value,
            None => Value::Unknown,
        }
    }

    /// The value of a field, if it is known.
    pub(crate) fn field(&self, base: Id, field: &FieldKey) -> Option<Value> {
        let found = self.heap.binary_search_by(|((id, key), _)| (*id, key).cmp(&(base, field)));
        found.ok().map(|at| self.heap[at].1)
    }

    /// Sets what is known of a field, without a write.
    pub(crate) fn learn(&mut self, base: Id, field: FieldKey, value: Value) {
        let key = (base, field);
        match self.heap.binary_search_by(|(known, _)| known.cmp(&key)) {
            Ok(at) => self.heap[at].1 = value,
            Err(at) => self.heap.insert(at, (key, value)),
        }
    }

    /// Writes a field: other objects that may be the same lose what is known of it.
    pub(crate) fn write(&mut self, base: Id, field: FieldKey, value: Value) {
        let base_is_fresh = base != STATICS && self.object(base).fresh;
        let objects = &self.objects;
        self.heap.retain(|((id, key), _)| {
            let same_name = key.name == field.name;
            let may_be_same = *id == base
                || (!base_is_fresh && *id != STATICS && base != STATICS && !objects[usize::from(*id)].fresh);
            !(same_name && may_be_same)
        });
        if !base_is_fresh {
            self.share(value);
        }
        self.learn(base, field, value);
    }

    /// Something unknown can now reach the object, and what it refers to.
    pub(crate) fn share(&mut self, value: Value) {
        let Value::Ref(id) = value else { return };
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if id == STATICS || !self.object(id).fresh {
                continue;
            }
            self.object_mut(id).fresh = false;
            let held = self.heap.iter().filter(|((base, _), _)| *base == id);
            open.extend(
                held.filter_map(|(_, value)| if let Value::Ref(id) = value { Some(*id) } else { None }),
            );
        }
    }

    /// Unknown code ran: everything that it can reach may have changed. `all` gives the states of a
    /// typestate, and `is_final` tells the fields that keep their objects.
    pub(crate) fn disturb(
        &mut self,
        all: impl Fn(u16) -> States,
        is_final: impl Fn(&FieldKey) -> bool,
        except: Option<Id>,
    ) {
        let mut stale = Vec::new();
        for (id, object) in self.objects.iter_mut().enumerate() {
            if object.fresh || except == Some(id as Id) {
                continue;
            }
            if let Some(track) = &mut object.track
                && !track.lost
            {
                let whole = all(track.model);
                let before = if track.pending.is_some() { 0 } else { track.states };
                if track.states != whole || track.pending.is_some() {
                    track.states = whole;
                    object.history = History::default();
                }
                // Of an object that the class made for itself and did not ask yet, nothing is lost.
                let is_unasked = object.class.is_some() && track.states == before;
                track.from_creation = false;
                track.vague |= !is_unasked;
                track.pending = None;
                stale.push(id as Id);
            }
        }
        for id in stale {
            self.replace(Value::Answer(id), Value::Unknown);
        }
        let objects = &self.objects;
        self.heap.retain(|((base, key), value)| {
            (*base != STATICS && objects[usize::from(*base)].fresh)
                || (matches!(value, Value::Ref(_)) && is_final(key))
        });
    }

    /// Numbers objects in the order in which they are met, forgets those that nothing refers to, and forgets
    /// the identity of those of which nothing else is known and that only one place refers to.
    pub(crate) fn normalize(&mut self) {
        let mut references = vec![0u32; self.objects.len()];
        let mut count = |value: &Value| {
            if let Value::Ref(id) | Value::Answer(id) = value {
                references[usize::from(*id)] += 1;
            }
        };
        self.locals.iter().chain(&self.stack).chain(&self.pins).for_each(&mut count);
        for ((base, _), value) in &self.heap {
            count(value);
            if *base != STATICS {
                count(&Value::Ref(*base));
            }
        }
        let too_many = self.objects.len() > OBJECTS;
        let objects = &self.objects;
        let idle = |id: Id| references[usize::from(id)] <= 1 && objects[usize::from(id)].is_plain();
        let forget = |value: &mut Value| {
            if let Value::Ref(id) = value
                && idle(*id)
            {
                *value = Value::Unknown;
            }
        };
        self.locals.iter_mut().chain(&mut self.stack).for_each(forget);
        self.heap.iter_mut().for_each(|(_, value)| forget(value));
        self.heap.retain(|(_, value)| *value != Value::Unknown && !too_many);
        self.renumber();
    }

    fn renumber(&mut self) {
        const NONE: Id = Id::MAX - 1;
        let mut number = vec![NONE; self.objects.len()];
        let mut order: Vec<Id> = Vec::new();
        let mut meet = |value: &Value, order: &mut Vec<Id>| {
            if let Value::Ref(id) | Value::Answer(id) = value
                && number[usize::from(*id)] == NONE
            {
                number[usize::from(*id)] = order.len() as Id;
                order.push(*id);
            }
        };
        for value in self.locals.iter().chain(&self.stack).chain(&self.pins) {
            meet(value, &mut order);
        }
        for ((base, _), value) in &self.heap {
            if *base == STATICS {
                meet(value, &mut order);
            }
        }
        let mut at = 0;
        while at < order.len() {
            let base = order[at];
            let first = self.heap.partition_point(|((id, _), _)| *id < base);
            for ((id, _), value) in &self.heap[first..] {
                if *id != base {
                    break;
                }
                meet(value, &mut order);
            }
            at += 1;
        }
        let is_same =
            order.len() == self.objects.len() && order.iter().enumerate().all(|(at, &id)| at == id as usize);
        if is_same {
            return;
        }
        let new = |id: Id| if id == STATICS { STATICS } else { number[usize::from(id)] };
        self.heap.retain(|((base, _), _)| new(*base) != NONE);
        for ((base, _), _) in &mut self.heap {
            *base = new(*base);
        }
        for value in self.values_mut() {
            match value {
                Value::Ref(id) | Value::Answer(id) => *id = new(*id),
                _ => {}
            }
        }
        self.heap.sort_by(|one, other| one.0.cmp(&other.0));
        let mut old: Vec<Option<Object>> = std::mem::take(&mut self.objects).into_iter().map(Some).collect();
        self.objects = order.iter().filter_map(|&id| old[usize::from(id)].take()).collect();
    }

    /// The situation that covers both: it knows what both know.
    pub(crate) fn join(&self, other: &World) -> World {
        let mut joined = World::new(Vec::new());
        let mut pairs: Vec<(Id, Id)> = Vec::new();
        let pair = |values: (Value, Value), joined: &mut World, pairs: &mut Vec<(Id, Id)>| {
            let number = |one: Id, two: Id, joined: &mut World, pairs: &mut Vec<(Id, Id)>| {
                if let Some(at) = pairs.iter().position(|&known| known == (one, two)) {
                    return at as Id;
                }
                pairs.push((one, two));
                joined.add(merged(self.object(one), other.object(two)))
            };
            match values {
                (one, two) if one == two && !matches!(one, Value::Ref(_) | Value::Answer(_)) => one,
                (Value::Ref(one), Value::Ref(two)) => Value::Ref(number(one, two, joined, pairs)),
                (Value::Answer(one), Value::Answer(two)) => {
                    let id = number(one, two, joined, pairs);
                    let pending =
                        joined.object(id).track.as_ref().is_some_and(|track| track.pending.is_some());
                    if pending { Value::Answer(id) } else { Value::Unknown }
                }
                (Value::NotZero, Value::Int(number)) | (Value::Int(number), Value::NotZero)
                    if number != 0 =>
                {
                    Value::NotZero
                }
                _ => Value::Unknown,
            }
        };
        let mut list = |one: &[Value], two: &[Value], joined: &mut World| -> Vec<Value> {
            one.iter().zip(two).map(|(&one, &two)| pair((one, two), joined, &mut pairs)).collect()
        };
        let locals = list(&self.locals, &other.locals, &mut joined);
        let stack = list(&self.stack, &other.stack, &mut joined);
        let pins = list(&self.pins, &other.pins, &mut joined);
        (joined.locals, joined.stack, joined.pins) = (locals, stack, pins);
        // An object that is one thing on one side and another on the other may be an alias of both.
        let twice = |id: Id, side: fn(&(Id, Id)) -> Id, pairs: &[(Id, Id)]| {
            pairs.iter().filter(|pair| side(pair) == id).count() > 1
        };
        for (at, &(one, two)) in pairs.iter().enumerate() {
            if twice(one, |pair| pair.0, &pairs) || twice(two, |pair| pair.1, &pairs) {
                joined.objects[at].fresh = false;
                joined.objects[at].class = None;
            }
        }
        let mut at = 0;
        let mut heap = Vec::new();
        let mut bases: Vec<(Id, Id, Id)> = vec![(STATICS, STATICS, STATICS)];
        bases.extend(pairs.iter().enumerate().map(|(number, &(one, two))| (one, two, number as Id)));
        while at < bases.len() {
            let (one, two, number) = bases[at];
            at += 1;
            for ((_, key), value) in self.heap.iter().filter(|((base, _), _)| *base == one) {
                let Some(there) = other.field(two, key) else { continue };
                // Only objects that variables hold are followed through fields of a joined situation.
                let value = match (*value, there) {
                    (Value::Ref(one), Value::Ref(two)) => {
                        match pairs.iter().position(|&known| known == (one, two)) {
                            Some(known) => Value::Ref(known as Id),
                            None => {
                                let id = joined.add(merged(self.object(one), other.object(two)));
                                pairs.push((one, two));
                                joined.objects[usize::from(id)].fresh = false;
                                Value::Ref(id)
                            }
                        }
                    }
                    (one, two) if one == two && !matches!(one, Value::Answer(_)) => one,
                    _ => continue,
                };
                heap.push(((number, key.clone()), value));
            }
        }
        heap.sort_by(|one, other| one.0.cmp(&other.0));
        joined.heap = heap;
        joined.normalize();
        joined
    }
}

/// Common knowledge about two objects.
fn merged(one: &Object, two: &Object) -> Object {
    let track = match (&one.track, &two.track) {
        (Some(a), Some(b)) if a.model == b.model => Some(Track {
            model: a.model,
            states: a.states | b.states,
            lost: a.lost || b.lost,
            from_creation: a.from_creation && b.from_creation,
            vague: a.vague || b.vague,
            pending: match (a.pending, b.pending) {
                (Some(a), Some(b)) => Some((a.0 | b.0, a.1 | b.1)),
                _ => None,
            },
        }),
        _ => None,
    };
    Object {
        track,
        fresh: one.fresh && two.fresh,
        nonnull: one.nonnull && two.nonnull,
        class: if one.class == two.class { one.class.clone() } else { None },
        history: one.history.clone(),
    }
}
