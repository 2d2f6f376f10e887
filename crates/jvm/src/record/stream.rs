//! The stream of records, as bytes in shared memory that outlives the worker.
//!
//! Every frame is appended at once, so the coordinator can read concurrently, and nothing is lost when the
//! worker dies. When the memory is full, the worker reports it and waits until the coordinator has read it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use adit_trace::{Details, Event, Life, Outcome, State, Value};

use crate::message::send;
use crate::record::intervene::{BenchLife, Mark, Note, Origin, Touched, take_note};
use crate::record::plan::EventName;
use crate::record::watch::WatchedCalls;
use crate::record::{Outcome as TestOutcome, TestResult};
use crate::results::{self, tag};
use crate::shared::Results;
use crate::wire::{Garbled, Put, Take};

/// The kinds of frames.
pub(crate) mod frame {
    pub(crate) const CLASS: u8 = 1;
    pub(crate) const EVENT: u8 = 2;
    pub(crate) const FREED: u8 = 3;
    pub(crate) const LEFT: u8 = 4;
    pub(crate) const TEST_STARTED: u8 = 5;
    pub(crate) const TEST_ENDED: u8 = 6;
    pub(crate) const CUT: u8 = 7;
    pub(crate) const FIELDS: u8 = 8;
    pub(crate) const COST: u8 = 9;
    /// An object and its place in its test, when interventions are made.
    pub(crate) const OBJECT: u8 = 10;
    /// Note on an intervention.
    pub(crate) const NOTE: u8 = 11;
    /// A method that calls are made in, when objects are watched.
    pub(crate) const METHOD: u8 = 12;
    /// A field that calls of a method touch.
    pub(crate) const TOUCHED: u8 = 13;
}

/// Messages of the worker on the socket: the memory is full, and the task is done.
pub(crate) const FULL: &[u8] = b"full";
pub(crate) const DONE: &[u8] = b"done";
/// The run is done, and the worker wants to be replaced.
pub(crate) const LAST: &[u8] = b"last";

/// Numbers of the makers of calls.
pub(crate) mod origin {
    pub(crate) const OWN: u8 = 0;
    pub(crate) const ADDED: u8 = 1;
    pub(crate) const DELAYED: u8 = 2;
}

/// The worker's side.
pub(crate) struct RecordWriter {
    inner: Mutex<Inner>,
    /// The number of the class of strings, once it has one.
    string: AtomicU64,
    longest_life: u64,
}

struct Inner {
    results: Results,
    control: UnixStream,
    buffer: Vec<u8>,
    classes: u64,
    /// Number of events of each object, by its number.
    counts: Vec<u32>,
}

impl RecordWriter {
    pub(crate) fn new(results: Results, control: UnixStream, longest_life: u64) -> RecordWriter {
        let inner = Inner { results, control, buffer: Vec::new(), classes: 0, counts: Vec::new() };
        RecordWriter { inner: Mutex::new(inner), string: AtomicU64::new(u64::MAX), longest_life }
    }

    /// Appends a frame. No call into the machine may be made meanwhile, which could wait for a thread that
    /// waits here.
    pub(crate) fn write(&self, put: impl FnOnce(&mut Vec<u8>)) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.buffer.clear();
        put(&mut inner.buffer);
        if inner.buffer.first() == Some(&frame::CLASS) {
            inner.classes += 1;
            if Take(&inner.buffer[1..]).text() == Ok("java.lang.String") {
                self.string.store(inner.classes, Ordering::Release);
            }
        }
        inner.flush();
    }

    /// Appends an event, unless its object has had enough of them. If states are recorded, the arguments and
    /// the fields before and after the call follow the outcome.
    pub(crate) fn event(&self, object: u64, class: u64, method: u64, outcome: &[u8]) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let index = object as usize;
        if inner.counts.len() <= index {
            inner.counts.resize(index + 1, 0);
        }
        let count = u64::from(inner.counts[index]);
        if count > self.longest_life {
            return;
        }
        inner.counts[index] += 1;
        inner.buffer.clear();
        if count == self.longest_life {
            inner.buffer.byte(frame::CUT);
            inner.buffer.number(object);
        } else {
            inner.buffer.byte(frame::EVENT);
            inner.buffer.number(object);
            inner.buffer.number(class);
            inner.buffer.number(method);
            inner.buffer.bytes(outcome);
        }
        inner.flush();
    }

    pub(crate) fn freed(&self, object: u64) {
        self.write(|bytes| {
            bytes.byte(frame::FREED);
            bytes.number(object);
        });
    }

    pub(crate) fn is_string(&self, class: u64) -> bool {
        class == self.string.load(Ordering::Acquire)
    }

    /// Number of events that are kept of one object.
    pub(crate) fn longest_life(&self) -> u64 {
        self.longest_life
    }

    /// Begins a new run with empty memory.
    pub(crate) fn begin_run(&self) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.results.begin();
    }

    /// Says that the run is done and that the worker wants to be replaced.
    pub(crate) fn retire(&self) -> io::Result<()> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        send(&mut inner.control, LAST)
    }

    /// Says that the task is done, or why it could not be begun.
    pub(crate) fn done(&self, error: Option<&str>) -> io::Result<()> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let message = [DONE, error.unwrap_or_default().as_bytes()].concat();
        send(&mut inner.control, &message)
    }
}

impl Inner {
    fn flush(&mut self) {
        if self.results.append(&self.buffer) {
            return;
        }
        // The coordinator empties the memory and answers with a byte. When it is gone, the process is about
        // to end.
        let mut answer = [0];
        if send(&mut self.control, FULL).is_ok() && self.control.read_exact(&mut answer).is_ok() {
            self.results.begin();
            self.results.append(&self.buffer);
        }
    }
}

/// Tells the worker that the memory is empty again.
pub(crate) fn emptied(control: &mut impl Write) -> io::Result<()> {
    control.write_all(&[1])
}

/// The coordinator's side: decodes frames into traces of objects.
pub(crate) struct RecordDecoder {
    /// The names of methods by their numbers; zero is the constructor.
    pub(crate) methods: Vec<EventName>,
    /// Events have arguments and states.
    states: bool,
    /// The names of fields, a list for each class.
    fields: Vec<Vec<String>>,
    /// Nanoseconds that the task spent on arguments and states.
    pub(crate) cost: u64,
    classes: Vec<Arc<str>>,
    lives: BTreeMap<u64, Life>,
    gone: BTreeSet<u64>,
    held: u64,
    pub(crate) objects: u64,
    pub(crate) events: u64,
    pub(crate) cut: u64,
    pub(crate) left: Vec<String>,
    pub(crate) running: Option<String>,
    pub(crate) tests: Vec<TestResult>,
    /// Events have marks, which are collected by object.
    is_marked: bool,
    marks: BTreeMap<u64, Vec<Mark>>,
    places: BTreeMap<u64, (String, u64)>,
    sequence: u64,
    pub(crate) notes: Vec<Note>,
    pub(crate) touched: Vec<Touched>,
    /// The calls of watched objects, which have no lives.
    pub(crate) watching: Option<Box<WatchedCalls>>,
}

/// Number of buffered events from which on collected objects are passed on. Below it they wait for the end,
/// in the order of their numbers, so garbage collection does not show in a result.
const HELD: u64 = 2_000_000;

/// Capacity of the list of methods that were not recorded; nobody reads more.
const MOST_NOTES: usize = 1000;

impl RecordDecoder {
    pub(crate) fn new(methods: Vec<EventName>, states: bool) -> RecordDecoder {
        RecordDecoder {
            methods,
            states,
            fields: Vec::new(),
            cost: 0,
            classes: Vec::new(),
            lives: BTreeMap::new(),
            gone: BTreeSet::new(),
            held: 0,
            objects: 0,
            events: 0,
            cut: 0,
            left: Vec::new(),
            running: None,
            tests: Vec::new(),
            is_marked: false,
            marks: BTreeMap::new(),
            places: BTreeMap::new(),
            sequence: 0,
            notes: Vec::new(),
            touched: Vec::new(),
            watching: None,
        }
    }

    /// The decoder of a stream in which events have marks.
    pub(crate) fn marked(self) -> Self {
        Self { is_marked: true, ..self }
    }

    /// Joins objects with their marks, and forgets the run.
    pub(crate) fn take_marked(&mut self, lives: BTreeMap<u64, Life>) -> Vec<BenchLife> {
        let mut marks = std::mem::take(&mut self.marks);
        let mut places = std::mem::take(&mut self.places);
        self.sequence = 0;
        let join = |(number, life)| {
            let (test, object) = places.remove(&number).unwrap_or_default();
            BenchLife { life, test, object, marks: marks.remove(&number).unwrap_or_default() }
        };
        lives.into_iter().map(join).collect()
    }

    fn take_mark(&mut self, object: u64, take: &mut Take<'_>) -> Result<(), Garbled> {
        let kind = take.byte()?;
        let number = take.number()?;
        let thread = take.number()?;
        let thrown_at = take.optional_text()?.map(Arc::from);
        let intervention = usize::try_from(number).map_err(|_| Garbled)?;
        let origin = match kind {
            origin::OWN => Origin::Own { ordinal: number },
            origin::ADDED => Origin::Added { intervention },
            origin::DELAYED => Origin::Delayed { intervention },
            _ => return Err(Garbled),
        };
        self.marks.entry(object).or_default().push(Mark {
            sequence: self.sequence,
            thread,
            origin,
            thrown_at,
        });
        self.sequence += 1;
        Ok(())
    }

    /// Reads all frames, which are whole.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<(), Garbled> {
        let mut take = Take(bytes);
        while !take.is_empty() {
            self.frame(&mut take)?;
        }
        Ok(())
    }

    fn frame(&mut self, take: &mut Take<'_>) -> Result<(), Garbled> {
        match take.byte()? {
            frame::CLASS => {
                self.classes.push(take.text()?.into());
                if let Some(watching) = &mut self.watching {
                    watching.add_class(take.number()?);
                }
            }
            frame::METHOD => self.watching.as_mut().ok_or(Garbled)?.add_method(take)?,
            frame::EVENT if self.watching.is_some() => self.watched(take)?,
            frame::EVENT => {
                let object = take.number()?;
                let class = self.class(take)?;
                let method = take.size()?;
                let name = self.methods.get(method).ok_or(Garbled)?.method.clone();
                let outcome = match take.byte()? {
                    tag::THREW => Outcome::Threw(self.class(take)?.to_string()),
                    tag => Outcome::Returned(self.value(tag, take)?),
                };
                let mut event = Event { outcome, ..Event::call(name) };
                let before = if self.states { self.surroundings(&mut event, take)? } else { None };
                if self.is_marked {
                    self.take_mark(object, take)?;
                }
                let index = usize::try_from(object).map_err(|_| Garbled)?;
                let objects = &mut self.objects;
                let life = self.lives.entry(object).or_insert_with(|| {
                    *objects += 1;
                    Life { object: index, class, events: Vec::new() }
                });
                let names = &self.methods[method].parameters;
                add_details(&mut event, life.events.last(), before, names);
                life.events.push(event);
                self.events += 1;
                self.held += 1;
            }
            frame::FIELDS => {
                let count = take.count()?;
                let names = (0..count).map(|_| Ok(take.text()?.to_owned())).collect::<Result<_, _>>()?;
                self.fields.push(names);
            }
            frame::COST => self.cost = self.cost.saturating_add(take.number()?),
            frame::FREED => {
                let object = take.number()?;
                if let Some(watching) = &mut self.watching {
                    watching.add_gone(object);
                }
                if self.lives.contains_key(&object) {
                    self.gone.insert(object);
                }
            }
            frame::CUT => {
                take.number()?;
                self.cut += 1;
            }
            frame::LEFT => {
                let text = take.text()?;
                if self.left.len() < MOST_NOTES && !self.left.iter().any(|known| known == text) {
                    self.left.push(text.to_owned());
                }
            }
            frame::OBJECT => {
                let object = take.number()?;
                let place = (take.text()?.to_owned(), take.number()?);
                self.places.insert(object, place);
            }
            frame::NOTE => {
                let note = take_note(take, &self.places)?;
                self.notes.push(note);
            }
            frame::TOUCHED => self.touched.push(Touched {
                method: take.size()?,
                field: take.text()?.to_owned(),
                written: take.byte()? != 0,
                leads_on: take.byte()? != 0,
            }),
            frame::TEST_STARTED => self.running = Some(take.text()?.to_owned()),
            frame::TEST_ENDED => {
                let name = take.text()?.to_owned();
                let outcome = match take.byte()? {
                    0 => TestOutcome::Passed,
                    1 => TestOutcome::Failed {
                        message: take.text()?.to_owned(),
                        class: take.text()?.to_owned(),
                        frames: take.texts()?,
                    },
                    2 => TestOutcome::Skipped,
                    _ => return Err(Garbled),
                };
                self.running = None;
                self.tests.push(TestResult { name, outcome });
            }
            _ => return Err(Garbled),
        }
        Ok(())
    }

    /// Reads an event of a watched object.
    fn watched(&mut self, take: &mut Take<'_>) -> Result<(), Garbled> {
        let object = take.number()?;
        let class_number = take.size()?;
        let method = take.size()?;
        let outcome = match take.byte()? {
            tag::THREW => Outcome::Threw(self.class(take)?.to_string()),
            tag => Outcome::Returned(self.value(tag, take)?),
        };
        let class =
            class_number.checked_sub(1).and_then(|at| self.classes.get(at)).cloned().ok_or(Garbled)?;
        let watching = self.watching.as_mut().ok_or(Garbled)?;
        let is_new = watching.add_call(object, class, class_number, method, outcome, take, &self.running)?;
        self.objects += u64::from(is_new);
        self.events += 1;
        Ok(())
    }

    /// Reads the arguments of a call and the state after it into the event, and returns the state before.
    fn surroundings(&self, event: &mut Event, take: &mut Take<'_>) -> Result<Option<State>, Garbled> {
        for _ in 0..take.count()? {
            let tag = take.byte()?;
            event.args.push(self.value(tag, take)?);
        }
        let before = self.state(take)?;
        event.state = self.state(take)?;
        Ok(before)
    }

    /// Reads the fields of an object: the number of the list of their names, zero for none, and their values.
    fn state(&self, take: &mut Take<'_>) -> Result<Option<State>, Garbled> {
        let Some(list) = take.size()?.checked_sub(1) else { return Ok(None) };
        let names = self.fields.get(list).ok_or(Garbled)?;
        let mut state = State::new();
        for name in names {
            let tag = take.byte()?;
            state.insert(name.clone(), self.value(tag, take)?);
        }
        Ok(Some(state))
    }

    /// A value; of an object, its class.
    fn value(&self, tag: u8, take: &mut Take<'_>) -> Result<Value, Garbled> {
        match tag {
            tag::OBJECT => Ok(Value::Text(self.class(take)?.to_string())),
            tag => results::value(tag, take),
        }
    }

    fn class(&self, take: &mut Take<'_>) -> Result<Arc<str>, Garbled> {
        match take.size()? {
            0 => Ok("?".into()),
            number => self.classes.get(number - 1).cloned().ok_or(Garbled),
        }
    }

    /// Hands on objects that are gone when too much is held, or, at the end, all.
    pub(crate) fn hand_on(&mut self, all: bool, sink: &mut dyn FnMut(Life)) {
        if all {
            self.gone.clear();
            self.held = 0;
            std::mem::take(&mut self.lives).into_values().for_each(sink);
        } else if self.held > HELD {
            for object in std::mem::take(&mut self.gone) {
                if let Some(life) = self.lives.remove(&object) {
                    self.held -= life.events.len() as u64;
                    sink(life);
                }
            }
        }
    }
}

/// Adds what the event needs besides its state: the state before it where that is not the one after the last
/// event, and the names of its parameters.
fn add_details(event: &mut Event, last: Option<&Event>, before: Option<State>, names: &[String]) {
    let known = last.and_then(|last| last.state.as_ref());
    let before = before.filter(|before| known != Some(before));
    let parameters = if event.args.is_empty() { Vec::new() } else { names.to_vec() };
    let details = Details { before, parameters, line: None };
    event.details = (details != Details::default()).then(|| Box::new(details));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::shared;

    fn heard() -> (std::fs::File, RecordWriter, UnixStream) {
        let memory = shared::create().unwrap();
        let (control, theirs) = UnixStream::pair().unwrap();
        let records = RecordWriter::new(Results::map(&memory).unwrap(), control, 2);
        (memory, records, theirs)
    }

    fn name(method: &str) -> EventName {
        EventName { method: method.to_owned(), parameters: vec!["force".to_owned()] }
    }

    #[test]
    fn states_follow_outcomes() {
        let (memory, records, _theirs) = heard();
        records.write(|bytes| {
            bytes.byte(frame::FIELDS);
            bytes.texts(&["open".to_owned(), "size".to_owned()]);
        });
        let state = |open: u8| [1, open, tag::INT, 4];
        let event = |before: &[u8], args: &[u8], after: &[u8]| {
            records.event(1, 0, 1, &[&[tag::VOID], args, before, after].concat());
        };
        event(&state(tag::TRUE), &[1, tag::FALSE], &state(tag::FALSE));
        event(&state(tag::FALSE), &[0], &[0]);
        records.write(|bytes| {
            bytes.byte(frame::COST);
            bytes.number(7);
        });
        let mut bytes = Vec::new();
        shared::results(&memory, &mut bytes).unwrap();
        let mut decoder = RecordDecoder::new(vec![name("Box"), name("close")], true);
        decoder.read(&bytes).unwrap();
        assert_eq!(decoder.cost, 7);
        let mut lives = Vec::new();
        decoder.hand_on(true, &mut |life| lives.push(life));
        let state = |open| State::from([("open".into(), Value::Bool(open)), ("size".into(), Value::Int(2))]);
        let [first, second] = lives[0].events.as_slice() else { panic!("{lives:?}") };
        assert_eq!((&first.args[..], &first.state), (&[Value::Bool(false)][..], &Some(state(false))));
        let details = first.details.as_ref().unwrap();
        assert_eq!(
            (&details.before, &details.parameters[..]),
            (&Some(state(true)), &["force".to_owned()][..])
        );
        // The state before it is that after the last one, and it has no arguments to name.
        assert_eq!((&second.state, &second.details), (&None, &None));
    }

    fn listen(memory: &std::fs::File) -> RecordDecoder {
        let mut bytes = Vec::new();
        shared::results(memory, &mut bytes).unwrap();
        let mut decoder = RecordDecoder::new(vec![name("Box"), name("close")], false);
        decoder.read(&bytes).unwrap();
        decoder
    }

    #[test]
    fn what_is_heard_becomes_lives() {
        let (memory, records, _theirs) = heard();
        for class in ["a.Box", "java.lang.String"] {
            records.write(|bytes| {
                bytes.byte(frame::CLASS);
                bytes.text(class);
            });
        }
        assert!(records.is_string(2) && !records.is_string(1));
        records.event(1, 1, 0, &[tag::OBJECT, 1]);
        records.event(2, 1, 1, &[tag::THREW, 2]);
        records.event(1, 1, 1, &[tag::TRUE]);
        records.event(1, 1, 1, &[tag::VOID]);
        records.event(1, 1, 1, &[tag::VOID]);
        records.freed(1);
        let mut decoder = listen(&memory);
        assert_eq!((decoder.objects, decoder.events, decoder.cut), (2, 3, 1));
        let mut lives = Vec::new();
        decoder.hand_on(false, &mut |life| lives.push(life));
        assert!(lives.is_empty(), "little is held until the end");
        decoder.hand_on(true, &mut |life| lives.push(life));
        let shown: Vec<String> = lives
            .iter()
            .map(|life| {
                let labels = life.events.iter().map(|event| adit_trace::Labels::Exception.of(event));
                format!("{} {}: {}", life.object, life.class, labels.collect::<Vec<_>>().join(" "))
            })
            .collect();
        assert_eq!(shown, ["1 a.Box: Box close:TRUE", "2 a.Box: close!String"]);
    }

    #[test]
    fn a_full_memory_is_emptied_and_nothing_is_lost() {
        let (memory, records, mut theirs) = heard();
        let mut decoder = RecordDecoder::new(Vec::new(), false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..9 {
                    records.write(|bytes| {
                        bytes.byte(frame::CLASS);
                        bytes.text(&"x".repeat(1 << 20));
                    });
                }
                records.done(None).unwrap();
            });
            let mut bytes = Vec::new();
            while crate::message::receive(&mut theirs).unwrap() == FULL {
                shared::results(&memory, &mut bytes).unwrap();
                decoder.read(&bytes).unwrap();
                shared::reset(&memory).unwrap();
                emptied(&mut theirs).unwrap();
            }
            shared::results(&memory, &mut bytes).unwrap();
            decoder.read(&bytes).unwrap();
        });
        assert_eq!(decoder.classes.len(), 9);
    }

    proptest! {
        /// Whatever a worker with overwritten memory leaves behind, reading it ends with an answer.
        #[test]
        fn no_bytes_are_too_strange(bytes in prop::collection::vec(0u8..16, 0..60)) {
            let mut decoder = RecordDecoder::new(vec![name("m")], bytes.len() % 2 == 0);
            let _ = decoder.read(&bytes);
            decoder.hand_on(true, &mut drop);
        }
    }
}
