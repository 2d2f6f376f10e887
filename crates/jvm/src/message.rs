//! What coordinator and worker say to each other.
//!
//! The coordinator opens with a [`Setup`], the worker answers with a [`Greeting`]; then batches of scripts go one way
//! and a [`Done`] comes back for each, while the results lie in shared memory. Names travel once: a callable is sent
//! before its first use and is a number afterwards, and so are, in the other direction, classes and lists of fields.
//! A script stays bytes in the worker until its statements are run, so that nothing is built only to be read once.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::Arc;

use adit_trace::{Argument, CallKind, Callable, Script, Skip, Snapshot, Step, StepResult, Value};

use crate::sandbox::{Protection, Room};
use crate::wire::{Garbled, Put, Take};

/// The longest message. A batch that needs more is sent in parts.
pub(crate) const LONGEST: usize = 16 << 20;

/// What a worker is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setup {
    /// The virtual machine's library; without it, the worker only says how well it is shut in.
    pub(crate) libjvm: Option<PathBuf>,
    /// Folders and jars with the classes.
    pub(crate) class_path: Vec<PathBuf>,
    /// The box: the only folder that it may write to.
    pub(crate) folder: PathBuf,
    pub(crate) room: Room,
    /// Create no machine unless the protection is whole.
    pub(crate) protected: bool,
    /// How many characters of a string are kept.
    pub(crate) text: usize,
    /// Report the fields of the receiver after each call.
    pub(crate) snapshots: bool,
}

/// A worker's first words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Greeting {
    pub(crate) protection: Protection,
    /// Whether there is a machine now, and why not.
    pub(crate) machine: Result<(), String>,
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
        path(&mut bytes, &self.folder);
        bytes.number(self.room.box_megabytes.into());
        bytes.number(self.room.heap_megabytes.into());
        bytes.byte(u8::from(self.protected));
        bytes.number(self.text as u64);
        bytes.byte(u8::from(self.snapshots));
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
        let folder = path(&mut take)?;
        let mut small = || u32::try_from(take.number()?).map_err(|_| Garbled);
        let room = Room { box_megabytes: small()?, heap_megabytes: small()? };
        let protected = take.byte()? != 0;
        let text = take.size()?;
        Ok(Self { libjvm, class_path, folder, room, protected, text, snapshots: take.byte()? != 0 })
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
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Garbled> {
        let mut take = Take(bytes);
        let mut flag = || Ok(take.byte()? != 0);
        let (files, network, space, calls) = (flag()?, flag()?, flag()?, flag()?);
        let notes = (0..take.count()?).map(|_| Ok(take.text()?.to_owned())).collect::<Result<_, _>>()?;
        let machine = take.optional_text()?.map_or(Ok(()), |why| Err(why.to_owned()));
        Ok(Self { protection: Protection { files, network, space, calls, notes }, machine })
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

/// The numbers under which one worker knows callables. The coordinator has one for each worker.
#[derive(Default)]
pub(crate) struct Dictionary {
    numbers: HashMap<Arc<Callable>, u64>,
}

impl Dictionary {
    /// A batch as bytes: the callables that the worker does not know yet, then the scripts.
    pub(crate) fn batch<'a>(&mut self, scripts: impl ExactSizeIterator<Item = &'a Script>) -> Vec<u8> {
        // Scripts share callables, so that most are known by their address. Addresses are only good for this call:
        // afterwards the caller may free a callable, and another may take its place.
        let mut by_address: HashMap<*const Callable, u64> = HashMap::new();
        let mut fresh: Vec<&Arc<Callable>> = Vec::new();
        let mut body = Vec::new();
        body.number(scripts.len() as u64);
        let mut one = Vec::new();
        for script in scripts {
            one.clear();
            one.number(script.statements.len() as u64);
            for statement in &script.statements {
                let number = *by_address.entry(Arc::as_ptr(&statement.callable)).or_insert_with(|| {
                    let next = self.numbers.len() as u64;
                    *self.numbers.entry(statement.callable.clone()).or_insert_with(|| {
                        fresh.push(&statement.callable);
                        next
                    })
                });
                one.number(number);
                one.number(statement.receiver.map_or(0, |receiver| receiver as u64 + 1));
                one.number(statement.args.len() as u64);
                statement.args.iter().for_each(|arg| put_argument(&mut one, arg));
            }
            body.number(one.len() as u64);
            body.bytes(&one);
        }
        let mut bytes = Vec::with_capacity(body.len() + 64 * fresh.len() + 8);
        bytes.number(fresh.len() as u64);
        for callable in fresh {
            bytes.byte(callable.kind as u8);
            bytes.text(&callable.class);
            bytes.text(&callable.name);
            bytes.text(&callable.descriptor);
        }
        bytes.bytes(&body);
        bytes
    }
}

fn put_argument(bytes: &mut Vec<u8>, argument: &Argument) {
    match argument {
        Argument::Null => bytes.byte(0),
        Argument::Bool(value) => bytes.byte(1 + u8::from(*value)),
        Argument::Int(value) => {
            bytes.byte(3);
            bytes.signed(*value);
        }
        Argument::Float(value) => {
            bytes.byte(4);
            bytes.float(*value);
        }
        Argument::Text(value) => {
            bytes.byte(5);
            bytes.text(value);
        }
        Argument::Earlier(statement) => {
            bytes.byte(6);
            bytes.number(*statement as u64);
        }
    }
}

/// An argument as the worker reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Passed<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'a str),
    Earlier(usize),
}

pub(crate) fn take_argument<'a>(take: &mut Take<'a>) -> Result<Passed<'a>, Garbled> {
    Ok(match take.byte()? {
        0 => Passed::Null,
        flag @ (1 | 2) => Passed::Bool(flag == 2),
        3 => Passed::Int(take.signed()?),
        4 => Passed::Float(take.float()?),
        5 => Passed::Text(take.text()?),
        6 => Passed::Earlier(take.size()?),
        _ => return Err(Garbled),
    })
}

pub(crate) fn take_callable(take: &mut Take<'_>) -> Result<Callable, Garbled> {
    let kind = match take.byte()? {
        0 => CallKind::Constructor,
        1 => CallKind::Static,
        2 => CallKind::Virtual,
        _ => return Err(Garbled),
    };
    let mut text = || Ok(take.text()?.to_owned());
    Ok(Callable { class: text()?, name: text()?, descriptor: text()?, kind })
}

/// The tags of steps in the results. `STATE` is added to a tag when fields follow.
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
    pub(crate) const STATE: u8 = 0x40;
}

/// Reads results. It remembers the names that one worker has sent.
#[derive(Default)]
pub(crate) struct Decoder {
    classes: Vec<Arc<str>>,
    fields: Vec<Arc<[String]>>,
}

/// How far a run was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// To its end.
    Complete,
    /// To where the worker stopped it, because the answer became too large.
    Oversized,
    /// To where the results end.
    Partial,
}

impl Decoder {
    /// Reads the next run, which should have so many steps.
    pub(crate) fn run(&mut self, take: &mut Take<'_>, count: usize) -> Result<(Vec<Step>, Extent), Garbled> {
        // What does not fit into the bytes that are left cannot come.
        let mut steps = Vec::with_capacity(count.min(take.0.len()));
        while !take.is_empty() {
            match take.byte()? {
                tag::COMPLETE => return Ok((steps, Extent::Complete)),
                tag::OVERSIZED => return Ok((steps, Extent::Oversized)),
                tag => {
                    let result = self.result(tag & !tag::STATE, steps.len(), take)?;
                    let fields = if tag & tag::STATE == 0 { None } else { Some(self.snapshot(take)?) };
                    steps.push(Step { result, fields });
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
                    StepResult::Threw { class, message }
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

    fn snapshot(&mut self, take: &mut Take<'_>) -> Result<Snapshot, Garbled> {
        let number = take.size()?;
        let names = match number.checked_sub(1).and_then(|index| self.fields.get(index)) {
            Some(known) => known.clone(),
            None => {
                let names: Arc<[String]> =
                    (0..take.count()?).map(|_| Ok(take.text()?.to_owned())).collect::<Result<_, _>>()?;
                if number == self.fields.len() + 1 {
                    self.fields.push(names.clone());
                } else if number != 0 {
                    return Err(Garbled);
                }
                names
            }
        };
        let mut values = Vec::with_capacity(names.len());
        for _ in names.iter() {
            values.push(match take.byte()? {
                tag::OBJECT => Value::Text(self.class(take)?.to_string()),
                tag => value(tag, take)?,
            });
        }
        Ok(Snapshot { names, values })
    }
}

fn value(tag: u8, take: &mut Take<'_>) -> Result<Value, Garbled> {
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
            folder: "/box".into(),
            room: Room { box_megabytes: 16, heap_megabytes: 300 },
            protected: true,
            text: usize::MAX,
            snapshots: true,
        };
        assert_eq!(Setup::from_bytes(&setup.to_bytes()), Ok(setup));
        let protection =
            Protection { files: true, space: true, notes: vec!["ä".to_owned()], ..Protection::default() };
        for machine in [Ok(()), Err("no".to_owned())] {
            let greeting = Greeting { protection: protection.clone(), machine };
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
    fn a_callable_is_sent_once() {
        let callable = || Callable {
            class: "C".into(),
            name: "m".into(),
            descriptor: "()V".into(),
            kind: CallKind::Static,
        };
        let script = |callable: Callable| Script {
            statements: vec![adit_trace::Statement {
                callable: Arc::new(callable),
                receiver: None,
                args: vec![],
            }],
        };
        let mut dictionary = Dictionary::default();
        let first = dictionary.batch([script(callable()), script(callable())].iter());
        let mut take = Take(&first);
        assert_eq!((take.count(), take_callable(&mut take)), (Ok(1), Ok(callable())));
        let second = dictionary.batch([script(callable())].iter());
        assert_eq!(
            second,
            [0, 1, 4, 1, 0, 0, 0],
            "no callable; one script of four bytes that calls number 0"
        );
    }

    #[test]
    fn names_come_once_and_numbers_in_order() {
        let mut decoder = Decoder::default();
        let bytes = [tag::OBJECT, 1, 1, b'C', 0, tag::OBJECT, 1, 0, tag::THREW, 2, 1, b'E', 0, tag::COMPLETE];
        let (steps, extent) = decoder.run(&mut Take(&bytes), 3).unwrap();
        let object = StepResult::Object { class: "C".into(), first: 0 };
        let threw = StepResult::Threw { class: "E".into(), message: None };
        let results: Vec<_> = steps.into_iter().map(|step| step.result).collect();
        assert_eq!((results, extent), (vec![object.clone(), object, threw], Extent::Complete));
        let unknown = [tag::OBJECT, 9, 1, b'C', 0];
        assert!(decoder.run(&mut Take(&unknown), 1).is_err(), "number 9 comes before 3");
        let future = [tag::OBJECT, 1, 7];
        assert!(decoder.run(&mut Take(&future), 1).is_err(), "the object comes from a later statement");
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
        fn no_steps_are_too_strange(bytes in prop::collection::vec(0u8..0x50, 0..60)) {
            let (mut decoder, mut take) = (Decoder::default(), Take(&bytes));
            while !take.is_empty() && decoder.run(&mut take, 10).is_ok() {}
        }
    }
}
