//! What coordinator and worker say to each other.
//!
//! The coordinator opens with a [`Setup`], the worker answers with a [`Greeting`]; then batches of scripts (see `scripts`)
//! go one way and a [`Done`] comes back for each, while the results lie in shared memory. Names travel once: classes and
//! lists of fields are sent before their first use and are numbers afterwards.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::Arc;

use adit_trace::{Effects, Passed, Skip, Snapshot, Step, StepResult, Value};

use crate::record::Assignment;
use crate::sandbox::{Protection, Room};
use crate::wire::{Garbled, Put, Take};

/// The longest message. A batch that needs more is sent in parts.
pub(crate) const LONGEST: usize = 16 << 20;

/// The class of the errors that say that there was no memory left.
const OUT_OF_MEMORY: &str = "java.lang.OutOfMemoryError";

/// What a worker is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setup {
    /// The virtual machine's library; without it, the worker only says how well it is shut in.
    pub(crate) libjvm: Option<PathBuf>,
    /// Folders and jars with the classes.
    pub(crate) class_path: Vec<PathBuf>,
    /// More flags for the machine.
    pub(crate) machine_flags: Vec<String>,
    /// The box: the only folder that it may write to.
    pub(crate) folder: PathBuf,
    pub(crate) room: Room,
    /// Create no machine unless the protection is whole.
    pub(crate) protected: bool,
    /// How many characters of a string are kept.
    pub(crate) text: usize,
    /// Report the fields of the receiver after each call.
    pub(crate) snapshots: bool,
    /// Report whether a script leaves a descriptor open.
    pub(crate) watch_descriptors: bool,
    /// Load the classes of the class path anew for each script.
    pub(crate) fresh_statics: bool,
    /// Report which probes a script passes.
    pub(crate) probes: Option<Probes>,
    pub(crate) job: Job,
}

/// Classes with probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Probes {
    pub(crate) classes: Vec<Replacement>,
    /// How many probes there are.
    pub(crate) count: usize,
}

/// What takes the place of a class file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replacement {
    /// The class, in internal form.
    pub(crate) name: String,
    /// Of the file that it takes the place of. A class of the same name may come from elsewhere.
    pub(crate) old: u64,
    pub(crate) new: Vec<u8>,
}

/// A number by which class files are told apart.
pub(crate) fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// What a worker is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// Scripts, as fast as they go.
    Scripts,
    /// Scripts, and which fields of these classes their calls touch.
    Watch(Vec<String>),
    /// One task, of which the calls of a class are recorded.
    Record(Box<Assignment>),
}

/// A worker's first words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Greeting {
    pub(crate) protection: Protection,
    /// Whether there is a machine now, and why not.
    pub(crate) machine: Result<(), String>,
    /// Why no probe is in place, though there should be.
    pub(crate) unprobed: Option<String>,
}

/// The end of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    /// How many of the batch's scripts were run; not all, when the memory for results is full or the worker retires.
    pub(crate) ran: u64,
    /// The worker no longer trusts itself and wants to be replaced.
    pub(crate) retires: bool,
}

/// Sends one message.
pub(crate) fn send(to: &mut impl Write, body: &[u8]) -> io::Result<()> {
    let length = u32::try_from(body.len()).ok().filter(|_| body.len() <= LONGEST);
    let length =
        length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the message is too long"))?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(body)
}

/// Waits for one message.
pub(crate) fn receive(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the message is too long"));
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(body)
}

impl Setup {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let path = |bytes: &mut Vec<u8>, path: &PathBuf| {
            bytes.number(path.as_os_str().len() as u64);
            bytes.bytes(path.as_os_str().as_bytes());
        };
        bytes.byte(u8::from(self.libjvm.is_some()));
        if let Some(libjvm) = &self.libjvm {
            path(&mut bytes, libjvm);
        }
        bytes.number(self.class_path.len() as u64);
        self.class_path.iter().for_each(|entry| path(&mut bytes, entry));
        bytes.number(self.machine_flags.len() as u64);
        self.machine_flags.iter().for_each(|flag| bytes.text(flag));
        path(&mut bytes, &self.folder);
        bytes.number(self.room.box_megabytes.into());
        bytes.number(self.room.heap_megabytes.into());
        bytes.byte(u8::from(self.protected));
        bytes.number(self.text as u64);
        for flag in [self.snapshots, self.watch_descriptors, self.fresh_statics] {
            bytes.byte(u8::from(flag));
        }
        bytes.byte(u8::from(self.probes.is_some()));
        if let Some(Probes { classes, count }) = &self.probes {
            bytes.number(*count as u64);
            bytes.number(classes.len() as u64);
            for Replacement { name, old, new } in classes {
                bytes.text(name);
                bytes.bytes(&old.to_le_bytes());
                bytes.number(new.len() as u64);
                bytes.bytes(new);
            }
        }
        match &self.job {
            Job::Scripts => bytes.byte(0),
            Job::Watch(classes) => {
                bytes.byte(1);
                bytes.number(classes.len() as u64);
                classes.iter().for_each(|class| bytes.text(class));
            }
            Job::Record(assignment) => {
                bytes.byte(2);
                assignment.put(&mut bytes);
            }
        }
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Garbled> {
        fn path(take: &mut Take<'_>) -> Result<PathBuf, Garbled> {
            let length = take.size()?;
            Ok(std::ffi::OsString::from_vec(take.bytes(length)?.to_vec()).into())
        }
        let mut take = Take(bytes);
        let libjvm = if take.byte()? == 0 { None } else { Some(path(&mut take)?) };
        let class_path = (0..take.count()?).map(|_| path(&mut take)).collect::<Result<_, _>>()?;
        let machine_flags =
            (0..take.count()?).map(|_| Ok(take.text()?.to_owned())).collect::<Result<_, _>>()?;
        let folder = path(&mut take)?;
        let mut small = || u32::try_from(take.number()?).map_err(|_| Garbled);
        let room = Room { box_megabytes: small()?, heap_megabytes: small()? };
        let protected = take.byte()? != 0;
        let text = take.size()?;
        let mut flag = || Ok(take.byte()? != 0);
        let (snapshots, watch_descriptors, fresh_statics) = (flag()?, flag()?, flag()?);
        let probes = if take.byte()? == 0 { None } else { Some(Probes::take(&mut take)?) };
        let job = match take.byte()? {
            0 => Job::Scripts,
            1 => {
                Job::Watch((0..take.count()?).map(|_| Ok(take.text()?.to_owned())).collect::<Result<_, _>>()?)
            }
            2 => Job::Record(Box::new(Assignment::take(&mut take)?)),
            _ => return Err(Garbled),
        };
        Ok(Self {
            libjvm,
            class_path,
            machine_flags,
            folder,
            room,
            protected,
            text,
            snapshots,
            watch_descriptors,
            fresh_statics,
            probes,
            job,
        })
    }
}

impl Probes {
    fn take(take: &mut Take<'_>) -> Result<Self, Garbled> {
        let (count, many) = (take.size()?, take.count()?);
        let one = |_| {
            let name = take.text()?.to_owned();
            let old = u64::from_le_bytes(take.bytes(8)?.try_into().map_err(|_| Garbled)?);
            let length = take.size()?;
            Ok(Replacement { name, old, new: take.bytes(length)?.to_vec() })
        };
        Ok(Self { count, classes: (0..many).map(one).collect::<Result<_, _>>()? })
    }

    /// How many bytes a bit for each probe takes.
    pub(crate) fn bytes(&self) -> usize {
        self.count.div_ceil(8)
    }
}

impl Greeting {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let Protection { files, network, space, calls, notes } = &self.protection;
        [files, network, space, calls].into_iter().for_each(|flag| bytes.byte(u8::from(*flag)));
        bytes.number(notes.len() as u64);
        notes.iter().for_each(|note| bytes.text(note));
        bytes.optional_text(self.machine.as_ref().err().map(String::as_str));
        bytes.optional_text(self.unprobed.as_deref());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Garbled> {
        let mut take = Take(bytes);
        let mut flag = || Ok(take.byte()? != 0);
        let (files, network, space, calls) = (flag()?, flag()?, flag()?, flag()?);
        let notes = (0..take.count()?).map(|_| Ok(take.text()?.to_owned())).collect::<Result<_, _>>()?;
        let machine = take.optional_text()?.map_or(Ok(()), |why| Err(why.to_owned()));
        let unprobed = take.optional_text()?.map(str::to_owned);
        Ok(Self { protection: Protection { files, network, space, calls, notes }, machine, unprobed })
    }
}

impl Done {
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.number(self.ran);
        bytes.byte(u8::from(self.retires));
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Garbled> {
        let mut take = Take(bytes);
        Ok(Self { ran: take.number()?, retires: take.byte()? != 0 })
    }
}

/// The tags of steps in the results. `STATE` is added to a tag when fields follow, and `SAME` when they are as they were.
pub(crate) mod tag {
    pub(crate) const COMPLETE: u8 = 0;
    pub(crate) const VOID: u8 = 1;
    pub(crate) const NULL: u8 = 2;
    pub(crate) const FALSE: u8 = 3;
    pub(crate) const TRUE: u8 = 4;
    pub(crate) const INT: u8 = 5;
    pub(crate) const FLOAT: u8 = 6;
    pub(crate) const TEXT: u8 = 7;
    pub(crate) const OBJECT: u8 = 8;
    pub(crate) const THREW: u8 = 9;
    pub(crate) const UNRESOLVED: u8 = 10;
    pub(crate) const NO_RECEIVER: u8 = 11;
    pub(crate) const NO_ARGUMENT: u8 = 12;
    pub(crate) const WRONG_TYPE: u8 = 13;
    pub(crate) const OVERSIZED: u8 = 14;
    pub(crate) const LEAKED: u8 = 15;
    pub(crate) const SAME: u8 = 0x20;
    pub(crate) const STATE: u8 = 0x40;
    /// The fields that were touched follow.
    pub(crate) const TOUCHED: u8 = 0x80;
}

/// Reads results. It remembers the names that one worker has sent.
#[derive(Default)]
pub(crate) struct Decoder {
    classes: Vec<Arc<str>>,
    touched: Vec<Arc<str>>,
    /// The names of fields, and the values with which the last object of such a class began.
    fields: Vec<Beginning>,
    /// The last snapshot of each object of the run, by the statement that first gave it.
    last: Vec<Option<Snapshot>>,
    changes: Vec<(usize, Value)>,
    /// How many bytes say which probes a run passed.
    probes: usize,
}

/// Names of fields, and the values that they had when an object was first seen.
type Beginning = (Arc<[String]>, Arc<[Value]>);

/// How far a run was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// To its end.
    Complete {
        /// It left a descriptor open.
        leaked: bool,
        /// The probes that it passed, if there are any.
        passed: Option<Passed>,
    },
    /// To where the worker stopped it, because the answer became too large.
    Oversized,
    /// To where the results end.
    Partial,
}

impl Decoder {
    /// For a worker that says with so many bytes which probes a run passed.
    pub(crate) fn new(probes: usize) -> Self {
        Self { probes, ..Self::default() }
    }

    /// Reads the next run, which should have so many steps.
    pub(crate) fn run(&mut self, take: &mut Take<'_>, count: usize) -> Result<(Vec<Step>, Extent), Garbled> {
        // What does not fit into the bytes that are left cannot come.
        let mut steps = Vec::with_capacity(count.min(take.0.len()));
        self.last.clear();
        while !take.is_empty() {
            match take.byte()? {
                end @ (tag::COMPLETE | tag::LEAKED) => {
                    let bits = take.bytes(self.probes)?;
                    let passed = (!bits.is_empty()).then(|| Passed(bits.into()));
                    return Ok((steps, Extent::Complete { leaked: end == tag::LEAKED, passed }));
                }
                tag::OVERSIZED => return Ok((steps, Extent::Oversized)),
                tag => {
                    let result =
                        self.result(tag & !(tag::STATE | tag::SAME | tag::TOUCHED), steps.len(), take)?;
                    let fields = match tag & (tag::STATE | tag::SAME) {
                        0 => None,
                        tag::STATE => Some(self.snapshot(steps.len(), take)?),
                        tag::SAME => Some(self.last.get(take.size()?).and_then(Clone::clone).ok_or(Garbled)?),
                        _ => return Err(Garbled),
                    };
                    let effects =
                        if tag & tag::TOUCHED == 0 { None } else { Some(Box::new(self.effects(take)?)) };
                    steps.push(Step { result, fields, effects });
                }
            }
        }
        Ok((steps, Extent::Partial))
    }

    fn result(&mut self, tag: u8, at: usize, take: &mut Take<'_>) -> Result<StepResult, Garbled> {
        Ok(match tag {
            tag::OBJECT => {
                let class = self.class(take)?;
                let first = take.size()?;
                if first > at {
                    return Err(Garbled);
                }
                StepResult::Object { class, first }
            }
            tag::THREW | tag::UNRESOLVED => {
                let class = self.class(take)?;
                let message = take.optional_text()?.map(str::to_owned);
                if tag == tag::THREW {
                    let exhausted = &*class == OUT_OF_MEMORY;
                    StepResult::Threw { class, message, exhausted }
                } else {
                    StepResult::Unresolved { class, message }
                }
            }
            tag::NO_RECEIVER => StepResult::Skipped(Skip::NoReceiver),
            tag::NO_ARGUMENT => StepResult::Skipped(Skip::NoArgument),
            tag::WRONG_TYPE => StepResult::Skipped(Skip::WrongType),
            _ => StepResult::Returned(value(tag, take)?),
        })
    }

    /// A class: number zero is one that has no number, and the next free number is one that gets it now.
    fn class(&mut self, take: &mut Take<'_>) -> Result<Arc<str>, Garbled> {
        let number = take.size()?;
        if let Some(known) = number.checked_sub(1).and_then(|index| self.classes.get(index)) {
            return Ok(known.clone());
        }
        let name: Arc<str> = take.text()?.into();
        if number == self.classes.len() + 1 {
            self.classes.push(name.clone());
        } else if number != 0 {
            return Err(Garbled);
        }
        Ok(name)
    }

    /// The fields of an object: all of them the first time, and then those that changed.
    fn snapshot(&mut self, at: usize, take: &mut Take<'_>) -> Result<Snapshot, Garbled> {
        let owner = take.size()?;
        if owner > at {
            return Err(Garbled);
        }
        if self.last.len() <= owner {
            self.last.resize(owner + 1, None);
        }
        let snapshot = match self.last[owner].take() {
            Some(last) => self.changed(&last, take)?,
            None => self.whole(take)?,
        };
        self.last[owner] = Some(snapshot.clone());
        Ok(snapshot)
    }

    fn whole(&mut self, take: &mut Take<'_>) -> Result<Snapshot, Garbled> {
        let number = take.size()?;
        let known = number.checked_sub(1).filter(|index| *index < self.fields.len());
        let names = match known {
            Some(index) => self.fields[index].0.clone(),
            None => (0..take.count()?).map(|_| Ok(take.text()?.to_owned())).collect::<Result<_, _>>()?,
        };
        // Objects of a class often begin alike. Then the last beginning is shared, and nothing is built.
        let mut last = known.map(|index| self.fields[index].1.clone());
        let mut values = Vec::new();
        for index in 0..names.len() {
            let view = self.field(take)?;
            if last.as_ref().and_then(|last| last.get(index)).is_some_and(|last| view.is(last)) {
                continue;
            }
            if let Some(last) = last.take() {
                values.reserve_exact(names.len());
                values.extend(last.iter().take(index).cloned());
            }
            values.push(view.into_value());
        }
        let values: Arc<[Value]> = last.unwrap_or_else(|| values.into());
        match known {
            Some(index) => self.fields[index].1 = values.clone(),
            None if number == self.fields.len() + 1 => {
                self.fields.push((names.clone(), values.clone()));
            }
            None if number != 0 => return Err(Garbled),
            None => {}
        }
        Ok(Snapshot::new(names, values))
    }

    /// A bit for each field says whether it changed, lowest bit first; then come the new values.
    fn changed(&mut self, last: &Snapshot, take: &mut Take<'_>) -> Result<Snapshot, Garbled> {
        let bits = take.bytes(last.len().div_ceil(8))?;
        let mut changes = std::mem::take(&mut self.changes);
        changes.clear();
        for place in (0..last.len()).filter(|place| bits[place / 8] >> (place % 8) & 1 == 1) {
            changes.push((place, self.field(take)?.into_value()));
        }
        let snapshot = last.with(changes.drain(..));
        self.changes = changes;
        Ok(snapshot)
    }

    /// The names of the fields that were read, and of those that were written.
    fn effects(&mut self, take: &mut Take<'_>) -> Result<Effects, Garbled> {
        let mut effects = Effects::default();
        for names in [&mut effects.reads, &mut effects.writes] {
            for _ in 0..take.count()? {
                let number = take.size()?;
                if number == self.touched.len() + 1 {
                    self.touched.push(take.text()?.into());
                }
                let name = number.checked_sub(1).and_then(|index| self.touched.get(index));
                names.insert(name.ok_or(Garbled)?.clone());
            }
        }
        Ok(effects)
    }

    fn field<'a>(&mut self, take: &mut Take<'a>) -> Result<View<'a>, Garbled> {
        Ok(match take.byte()? {
            tag::OBJECT => View::Class(self.class(take)?),
            tag::TEXT => View::Text(take.text()?),
            tag => View::Other(value(tag, take)?),
        })
    }
}

/// The value of a field that was not built yet, because it may be known.
enum View<'a> {
    Class(Arc<str>),
    Text(&'a str),
    /// One that holds no memory.
    Other(Value),
}

impl View<'_> {
    fn is(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Class(class), Value::Text(text)) => **class == **text,
            (Self::Text(own), Value::Text(text)) => own == text,
            // Zero equals minus zero, and is another value.
            (Self::Other(Value::Float(own)), Value::Float(value)) => own.to_bits() == value.to_bits(),
            (Self::Other(own), value) => own == value,
            _ => false,
        }
    }

    fn into_value(self) -> Value {
        match self {
            Self::Class(class) => Value::Text(class.to_string()),
            Self::Text(text) => Value::Text(text.to_owned()),
            Self::Other(value) => value,
        }
    }
}

pub(crate) fn value(tag: u8, take: &mut Take<'_>) -> Result<Value, Garbled> {
    Ok(match tag {
        tag::VOID => Value::Void,
        tag::NULL => Value::Null,
        tag::FALSE => Value::Bool(false),
        tag::TRUE => Value::Bool(true),
        tag::INT => Value::Int(take.signed()?),
        tag::FLOAT => Value::Float(take.float()?),
        tag::TEXT => Value::Text(take.text()?.to_owned()),
        _ => return Err(Garbled),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_said_is_understood() {
        let setup = Setup {
            libjvm: Some("/jdk/libjvm.so".into()),
            class_path: vec!["/a b".into(), std::ffi::OsString::from_vec(vec![b'/', 0xff]).into()],
            machine_flags: vec!["-Xcheck:jni".to_owned()],
            folder: "/box".into(),
            room: Room { box_megabytes: 16, heap_megabytes: 300 },
            protected: true,
            text: usize::MAX,
            snapshots: true,
            watch_descriptors: false,
            fresh_statics: true,
            probes: Some(Probes {
                classes: vec![Replacement { name: "a/B".to_owned(), old: 1 << 60, new: vec![1, 2, 3] }],
                count: 70_000,
            }),
            job: Job::Watch(vec!["a.B".to_owned()]),
        };
        assert_eq!(Setup::from_bytes(&setup.to_bytes()), Ok(setup));
        let protection =
            Protection { files: true, space: true, notes: vec!["ä".to_owned()], ..Protection::default() };
        for machine in [Ok(()), Err("no".to_owned())] {
            let greeting =
                Greeting { protection: protection.clone(), machine, unprobed: Some("no room".to_owned()) };
            assert_eq!(Greeting::from_bytes(&greeting.to_bytes()), Ok(greeting));
        }
        let done = Done { ran: 1000, retires: true };
        assert_eq!(Done::from_bytes(&done.to_bytes()), Ok(done));
    }

    #[test]
    fn messages_have_a_length() {
        let mut bytes = Vec::new();
        send(&mut bytes, b"one").unwrap();
        send(&mut bytes, b"").unwrap();
        let mut from = bytes.as_slice();
        assert_eq!((receive(&mut from).unwrap(), receive(&mut from).unwrap()), (b"one".to_vec(), Vec::new()));
        assert!(receive(&mut from).is_err(), "nothing follows");
        assert!(receive(&mut [0xff, 0xff, 0xff, 0xff, 1].as_slice()).is_err(), "nobody says so much");
        assert!(send(&mut Vec::new(), &vec![0; LONGEST + 1]).is_err());
    }

    #[test]
    fn probes_come_at_the_end_of_a_run() {
        let mut decoder = Decoder::new(2);
        let bytes = [tag::VOID, tag::LEAKED, 0b101, 0, tag::COMPLETE, 0, 1, tag::COMPLETE, 0];
        let mut take = Take(&bytes);
        let mut next = |steps| decoder.run(&mut take, steps).map(|(_, extent)| extent);
        let complete =
            |leaked, bits: [u8; 2]| Ok(Extent::Complete { leaked, passed: Some(Passed(bits.into())) });
        assert_eq!(next(1), complete(true, [0b101, 0]));
        assert_eq!(next(0), complete(false, [0, 1]));
        assert_eq!(next(0), Err(Garbled), "a byte is missing");
    }

    #[test]
    fn names_come_once_and_numbers_in_order() {
        let mut decoder = Decoder::default();
        let bytes = [tag::OBJECT, 1, 1, b'C', 0, tag::OBJECT, 1, 0, tag::THREW, 2, 1, b'E', 0, tag::COMPLETE];
        let (steps, extent) = decoder.run(&mut Take(&bytes), 3).unwrap();
        let object = StepResult::Object { class: "C".into(), first: 0 };
        let threw = StepResult::threw("E");
        let results: Vec<_> = steps.into_iter().map(|step| step.result).collect();
        assert_eq!(
            (results, extent),
            (vec![object.clone(), object, threw], Extent::Complete { leaked: false, passed: None })
        );
        let unknown = [tag::OBJECT, 9, 1, b'C', 0];
        assert!(decoder.run(&mut Take(&unknown), 1).is_err(), "number 9 comes before 3");
        let future = [tag::OBJECT, 1, 7];
        assert!(decoder.run(&mut Take(&future), 1).is_err(), "the object comes from a later statement");
    }

    #[test]
    fn only_changes_of_fields_are_sent() {
        let mut decoder = Decoder::default();
        let (full, same) = (tag::VOID | tag::STATE, tag::VOID | tag::SAME);
        let bytes = [
            full,
            0,
            1,
            2,
            1,
            b'a',
            1,
            b'b',
            tag::INT,
            2,
            tag::TEXT,
            1,
            b'x', // all of them, with their names
            same,
            0, //
            full,
            0,
            0b01,
            tag::INT,
            4, // only the first
            full,
            3,
            1,
            tag::NULL,
            tag::TRUE, // another object, whose names are known
            tag::LEAKED,
        ];
        let (steps, extent) = decoder.run(&mut Take(&bytes), 4).unwrap();
        let text = Value::Text("x".to_owned());
        let seen: Vec<_> = steps.iter().map(|step| step.fields.clone().unwrap()).collect();
        assert_eq!(
            seen.iter().map(|seen| seen.values().cloned().collect()).collect::<Vec<Vec<_>>>(),
            [
                vec![Value::Int(1), text.clone()],
                vec![Value::Int(1), text.clone()],
                vec![Value::Int(2), text],
                vec![Value::Null, Value::Bool(true)]
            ]
        );
        assert!(seen[0].is(&seen[1]), "what did not change is shared");
        assert_eq!(extent, Extent::Complete { leaked: true, passed: None });
        for faulty in [&[same, 0][..], &[full, 1], &[tag::VOID | tag::STATE | tag::SAME, 0, 1]] {
            assert!(decoder.run(&mut Take(faulty), 1).is_err(), "{faulty:?}");
        }
        let other = [full, 0, 1, tag::NULL, tag::NULL, tag::COMPLETE, same, 0];
        let mut take = Take(&other);
        decoder.run(&mut take, 1).unwrap();
        assert!(decoder.run(&mut take, 1).is_err(), "objects are of one run");
    }

    proptest! {
        /// Whatever a worker with overwritten memory leaves behind, reading it ends with an answer.
        #[test]
        fn no_bytes_are_too_strange(bytes: Vec<u8>) {
            let _ = (Setup::from_bytes(&bytes), Greeting::from_bytes(&bytes), Done::from_bytes(&bytes));
            let (mut decoder, mut take) = (Decoder::default(), Take(&bytes));
            while !take.is_empty() && decoder.run(&mut take, usize::MAX).is_ok() {}
        }

        /// The same, with bytes that look like steps.
        #[test]
        fn no_steps_are_too_strange(bytes in prop::collection::vec(0u8..0x70, 0..60)) {
            let (mut decoder, mut take) = (Decoder::default(), Take(&bytes));
            while !take.is_empty() && decoder.run(&mut take, 10).is_ok() {}
        }
    }
}
