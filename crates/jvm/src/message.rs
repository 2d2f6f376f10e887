//! Messages between coordinator and worker.
//!
//! The coordinator begins with a [`Setup`], and the worker answers with a [`Greeting`]. Then the coordinator
//! sends batches of scripts (see `scripts`), and the worker answers each with a [`Done`]; the results are in
//! shared memory (see `results`).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::PathBuf;

use crate::sandbox::{MemoryLimits, Protection};
use crate::wire::{Garbled, Put, Take};

/// The longest message. A batch that needs more is sent in parts.
pub(crate) const LONGEST: usize = 16 << 20;

/// Configuration of a worker.
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
    pub(crate) memory: MemoryLimits,
    /// Create no machine unless the protection is whole.
    pub(crate) protected: bool,
    pub(crate) scripts: ScriptSetup,
    /// Report which probes a script passes.
    pub(crate) probes: Option<Probes>,
    pub(crate) job: Job,
}

/// Configuration of running scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScriptSetup {
    /// Number of kept characters of a string.
    pub(crate) text: usize,
    /// Report the fields of the receiver after each call.
    pub(crate) snapshots: bool,
    /// Report whether a script leaves a descriptor open.
    pub(crate) watch_descriptors: bool,
    /// Load the classes of the class path anew for each script.
    pub(crate) fresh_statics: bool,
    /// Number of the order of immutable collections.
    pub(crate) iteration: u32,
}

impl ScriptSetup {
    /// For a worker that runs no scripts.
    pub(crate) const NO_SCRIPTS: Self =
        Self { text: 0, snapshots: false, watch_descriptors: false, fresh_statics: false, iteration: 0 };
}

/// Classes with probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Probes {
    pub(crate) classes: Vec<Replacement>,
    /// Number of probes.
    pub(crate) count: usize,
}

/// Replacement of a class file.
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

/// Purpose of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// Scripts, as fast as they go.
    Scripts,
    /// Scripts, and which fields of these classes their calls touch.
    Watch(Vec<String>),
    /// One task, of which the calls of a class are recorded: an `Assignment` of `record`, as bytes.
    Record(Vec<u8>),
}

/// A worker's first words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Greeting {
    pub(crate) protection: Protection,
    /// True if the JVM was created; otherwise the reason.
    pub(crate) machine: Result<(), String>,
    /// Reason that the requested probes are not installed.
    pub(crate) unprobed: Option<String>,
}

/// The end of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    /// Number of scripts that were run. Fewer than the batch has if the memory for results is full or the
    /// worker retires.
    pub(crate) ran: u64,
    /// The worker no longer trusts itself and wants to be replaced.
    pub(crate) retires: bool,
    /// Microseconds of the longest script, those aside that call something for the first time; zero if
    /// there is none.
    pub(crate) longest: u64,
    /// Callables that were slow, each once, and once more if its first call was.
    pub(crate) slow: Vec<Slow>,
}

/// The longest time that calls of one callable took in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slow {
    /// Number of the callable.
    pub(crate) callable: usize,
    /// Microseconds.
    pub(crate) time: u64,
    /// The call: the number of its script in the batch, and that of its statement.
    pub(crate) script: usize,
    pub(crate) statement: usize,
    /// It was the first of the callable in this machine, which loads classes.
    pub(crate) is_first: bool,
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
        bytes.byte(u8::from(self.libjvm.is_some()));
        if let Some(libjvm) = &self.libjvm {
            bytes.path(libjvm);
        }
        bytes.paths(&self.class_path);
        bytes.texts(&self.machine_flags);
        bytes.path(&self.folder);
        bytes.number(self.memory.box_megabytes.into());
        bytes.number(self.memory.heap_megabytes.into());
        bytes.byte(u8::from(self.protected));
        let ScriptSetup { text, snapshots, watch_descriptors, fresh_statics, iteration } = self.scripts;
        bytes.number(text as u64);
        bytes.number(iteration.into());
        for flag in [snapshots, watch_descriptors, fresh_statics] {
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
                bytes.texts(classes);
            }
            Job::Record(assignment) => {
                bytes.byte(2);
                bytes.number(assignment.len() as u64);
                bytes.bytes(assignment);
            }
        }
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Garbled> {
        let mut take = Take(bytes);
        let libjvm = if take.byte()? == 0 { None } else { Some(take.path()?) };
        let class_path = take.paths()?;
        let machine_flags = take.texts()?;
        let folder = take.path()?;
        let mut small = || u32::try_from(take.number()?).map_err(|_| Garbled);
        let memory = MemoryLimits { box_megabytes: small()?, heap_megabytes: small()? };
        let protected = take.byte()? != 0;
        let text = take.size()?;
        let iteration = u32::try_from(take.number()?).map_err(|_| Garbled)?;
        let mut flag = || Ok(take.byte()? != 0);
        let (snapshots, watch_descriptors, fresh_statics) = (flag()?, flag()?, flag()?);
        let scripts = ScriptSetup { text, snapshots, watch_descriptors, fresh_statics, iteration };
        let probes = if take.byte()? == 0 { None } else { Some(Probes::take(&mut take)?) };
        let job = match take.byte()? {
            0 => Job::Scripts,
            1 => Job::Watch(take.texts()?),
            2 => {
                let length = take.size()?;
                Job::Record(take.bytes(length)?.to_vec())
            }
            _ => return Err(Garbled),
        };
        Ok(Self { libjvm, class_path, machine_flags, folder, memory, protected, scripts, probes, job })
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

    /// Number of bytes for one bit per probe.
    pub(crate) fn bytes(&self) -> usize {
        self.count.div_ceil(8)
    }
}

impl Greeting {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let Protection { files, network, space, calls, notes } = &self.protection;
        [files, network, space, calls].into_iter().for_each(|flag| bytes.byte(u8::from(*flag)));
        bytes.texts(notes);
        bytes.optional_text(self.machine.as_ref().err().map(String::as_str));
        bytes.optional_text(self.unprobed.as_deref());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Garbled> {
        let mut take = Take(bytes);
        let mut flag = || Ok(take.byte()? != 0);
        let (files, network, space, calls) = (flag()?, flag()?, flag()?, flag()?);
        let notes = take.texts()?;
        let machine = take.optional_text()?.map_or(Ok(()), |why| Err(why.to_owned()));
        let unprobed = take.optional_text()?.map(str::to_owned);
        Ok(Self { protection: Protection { files, network, space, calls, notes }, machine, unprobed })
    }
}

impl Done {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.number(self.ran);
        bytes.byte(u8::from(self.retires));
        bytes.number(self.longest);
        bytes.number(self.slow.len() as u64);
        for slow in &self.slow {
            bytes.number(slow.callable as u64);
            bytes.number(slow.time);
            bytes.number(slow.script as u64);
            bytes.number(slow.statement as u64);
            bytes.byte(u8::from(slow.is_first));
        }
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Garbled> {
        let mut take = Take(bytes);
        let (ran, retires, longest) = (take.number()?, take.byte()? != 0, take.number()?);
        let mut slow = Vec::new();
        for _ in 0..take.count()? {
            let (callable, time) = (take.size()?, take.number()?);
            let (script, statement, is_first) = (take.size()?, take.size()?, take.byte()? != 0);
            slow.push(Slow { callable, time, script, statement, is_first });
        }
        Ok(Self { ran, retires, longest, slow })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_said_is_understood() {
        let setup = Setup {
            libjvm: Some("/jdk/libjvm.so".into()),
            class_path: vec!["/a b".into(), OsString::from_vec(vec![b'/', 0xff]).into()],
            machine_flags: vec!["-Xcheck:jni".to_owned()],
            folder: "/box".into(),
            memory: MemoryLimits { box_megabytes: 16, heap_megabytes: 300 },
            protected: true,
            scripts: ScriptSetup {
                text: usize::MAX,
                snapshots: true,
                watch_descriptors: false,
                fresh_statics: true,
                iteration: 3,
            },
            probes: Some(Probes {
                classes: vec![Replacement { name: "a/B".to_owned(), old: 1 << 60, new: vec![1, 2, 3] }],
                count: 70_000,
            }),
            job: Job::Watch(vec!["a.B".to_owned()]),
        };
        let recording = Setup { job: Job::Record(vec![7, 0]), ..setup.clone() };
        for setup in [setup, recording] {
            assert_eq!(Setup::from_bytes(&setup.to_bytes()), Ok(setup));
        }
        let protection =
            Protection { files: true, space: true, notes: vec!["ä".to_owned()], ..Protection::default() };
        for machine in [Ok(()), Err("no".to_owned())] {
            let greeting =
                Greeting { protection: protection.clone(), machine, unprobed: Some("no room".to_owned()) };
            assert_eq!(Greeting::from_bytes(&greeting.to_bytes()), Ok(greeting));
        }
        let slow = vec![Slow { callable: 3, time: 5000, script: 70, statement: 2, is_first: true }];
        let done = Done { ran: 1000, retires: true, longest: 70_000, slow };
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

    proptest! {
        /// Decoding terminates on whatever a worker with overwritten memory sends.
        #[test]
        fn no_bytes_are_too_strange(bytes: Vec<u8>) {
            let _ = (Setup::from_bytes(&bytes), Greeting::from_bytes(&bytes), Done::from_bytes(&bytes));
        }
    }
}
