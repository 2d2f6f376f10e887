//! Recording: the calls of a class while its tests, or an application, run; one trace for each object.
//!
//! The task runs in a worker of its own, as shut in as all others. Only calls from outside the class count: what the class
//! does to itself is its own affair. Nothing of the class's code changes but that its methods have a witness
//! (`adit_bytecode::wrap`), so that tests end as they do without. Decision record 0006 says why it is done this way.
//!
//! | file | what it tells |
//! |---|---|
//! | `plan` | which methods of which classes have a witness |
//! | `hear` | what the witness does when it is told of a call |
//! | `tape` | how that comes to the coordinator, and becomes lives |
//! | `stage` | the worker: running tests or a `main` |
//! | `junit` | running tests through JUnit 4 or 5 of the user's class path |
//! | `find` | which classes are tests |

use std::collections::BTreeSet;
use std::io::{PipeReader, Read};
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use adit_trace::{Life, Pace, Phase, Progress, Stop};

use crate::boxes;
use crate::classes;
use crate::error::HostError;
use crate::host::HostOptions;
use crate::message::{Job, Setup};
use crate::process::{Start, Worker};
use crate::sandbox::{Room, Sandbox};
use crate::shared;
use crate::wire::{Garbled, Put, Take};

mod find;
mod hear;
mod junit;
mod plan;
pub(crate) mod stage;
mod tape;

pub use find::find_tests;
use plan::Plan;
use tape::{DONE, FULL, Listening};

/// How much of what the task prints is kept.
const PRINTED: usize = 64 << 10;

/// What to record, and while what runs.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// How the worker is made. Of its limits, those on space and on the time to start count here.
    pub host: HostOptions,
    /// The class under test, with dots.
    pub class: String,
    /// What runs.
    pub task: Task,
    /// The folder in which it runs.
    pub directory: PathBuf,
    /// Whether to record. If not, the task runs in the same way without, to compare.
    pub record: bool,
    /// How long it may take.
    pub limit: Duration,
    /// Folders that it may write to, besides its box.
    pub writable: Vec<PathBuf>,
    /// How many events of one object are kept.
    pub longest_life: u64,
}

/// What runs while calls are recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Test classes, with dots; see [`find_tests`].
    Tests {
        /// Their names.
        classes: Vec<String>,
    },
    /// An application.
    Main {
        /// The class with the `main` method, with dots.
        class: String,
        /// Its arguments.
        args: Vec<String>,
    },
}

/// What came of it. The traces were handed out before.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// How the tests ended, in the order in which they did.
    pub tests: Vec<TestResult>,
    /// How many objects were seen.
    pub objects: u64,
    /// How many events they had.
    pub events: u64,
    /// How many objects had more events than were to be kept.
    pub cut: u64,
    /// What could not be heard, and why.
    pub left: Vec<String>,
    /// How the task ended.
    pub end: TaskEnd,
    /// The test that was running at the end, if it was not its own end.
    pub running: Option<String>,
    /// The beginning of what it printed.
    pub printed: String,
    /// How long the task took, without starting the machine.
    pub elapsed: Duration,
}

/// How one test ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestResult {
    /// Class and method, `a.BoxTest.closes()`; of a repeated test, with the number of the repetition.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a test ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// As it should.
    Passed,
    /// It failed, or threw.
    Failed {
        /// The exception, as text.
        message: String,
    },
    /// It was disabled, or its assumptions did not hold.
    Skipped,
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskEnd {
    /// By itself.
    Finished,
    /// It took too long and was ended.
    TimedOut,
    /// The caller ended it, for this reason.
    Stopped(Stop),
    /// It ended its process.
    Exited {
        /// With this code.
        code: i32,
    },
    /// The process died.
    Died {
        /// How.
        how: String,
    },
}

/// Runs the task, and hands each object's life to `sink`. Asks `pace` several times a second whether to go on; if not, it
/// ends the task and hands out what was recorded until then as always.
///
/// Objects come in the order in which they were first seen, except when there are millions of events; then those that are
/// no more come first.
pub fn record(
    options: RecordOptions,
    sink: &mut dyn FnMut(Life),
    pace: &mut dyn Pace,
) -> Result<Recorded, HostError> {
    let plan = if options.record { Some(make_plan(&options)?) } else { None };
    let limit = options.limit;
    let start_limit = options.host.limits.start;
    let mut methods = Vec::new();
    if let Some(plan) = &plan {
        methods.push(plan.simple_name().to_owned());
        methods.extend(plan.methods.iter().map(|method| method.name.clone()));
    }
    let failed = |what| move |source| HostError::Start { what, source };
    let (reader, writer) = std::io::pipe().map_err(failed("creating a pipe for its output"))?;
    let printed = Printed::read(reader).map_err(failed("starting a thread"))?;
    let protected = options.host.sandbox == Sandbox::Required;
    let start = prepare(options, plan, OwnedFd::from(writer))?;
    boxes::sweep(&start.boxes);
    let mut worker = Worker::start(&start)?;
    // Otherwise the pipe would never end.
    drop(start);
    let greeting = worker.greeting(start_limit).map_err(|how| HostError::Unstable { tries: 1, how })?;
    if protected && !greeting.protection.is_enough() {
        return Err(HostError::Unprotected(greeting.protection));
    }
    greeting.machine.map_err(HostError::Machine)?;
    let begin = Instant::now();
    let mut watched = Watched { worker, listening: Listening::new(methods), read: 0 };
    let end = watched.watch(limit, sink, pace);
    let elapsed = begin.elapsed();
    let Watched { worker, mut listening, .. } = watched;
    drop(worker);
    listening.hand_on(true, sink);
    let printed = printed.finish();
    Ok(Recorded {
        tests: listening.tests,
        objects: listening.objects,
        events: listening.events,
        cut: listening.cut,
        left: listening.left,
        end: end?,
        running: listening.running,
        printed,
        elapsed,
    })
}

fn make_plan(options: &RecordOptions) -> Result<Plan, HostError> {
    let host = &options.host;
    let own: BTreeSet<String> = classes::open(None, &host.class_path)?.names();
    let path = classes::open(Some(&host.jdk), &host.class_path)?;
    Ok(Plan::make(&path, &options.class, &own)?)
}

fn prepare(options: RecordOptions, plan: Option<Plan>, output: OwnedFd) -> Result<Start, HostError> {
    let RecordOptions { host, task, directory, writable, longest_life, .. } = options;
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    let assignment = Assignment {
        plan,
        task,
        directory: absolute(directory),
        writable: writable.into_iter().map(absolute).collect(),
        longest_life,
    };
    let setup = Setup {
        libjvm: Some(host.jdk.libjvm),
        class_path: classes::expand(&host.class_path)?.into_iter().map(absolute).collect(),
        machine_flags: host.machine_flags,
        folder: PathBuf::new(),
        room: Room { box_megabytes: host.limits.box_megabytes, heap_megabytes: host.limits.heap_megabytes },
        protected: host.sandbox == Sandbox::Required,
        text: host.limits.text,
        snapshots: false,
        watch_descriptors: false,
        fresh_statics: false,
        probes: None,
        job: Job::Record(Box::new(assignment)),
    };
    let boxes = absolute(host.boxes);
    let output = Some(Arc::new(output));
    Ok(Start { program: host.program, arguments: host.arguments, boxes, setup, output })
}

/// A worker at its task.
struct Watched {
    worker: Worker,
    listening: Listening,
    /// How many bytes of the memory were read.
    read: usize,
}

impl Watched {
    fn watch(
        &mut self,
        limit: Duration,
        sink: &mut dyn FnMut(Life),
        pace: &mut dyn Pace,
    ) -> Result<TaskEnd, HostError> {
        // Often enough for a person who looks on, and rarely enough not to be felt.
        const LOOK: Duration = Duration::from_millis(100);
        let begin = Instant::now();
        loop {
            let left = limit.saturating_sub(begin.elapsed());
            let message = self.worker.message(LOOK.min(left).max(Duration::from_millis(1)));
            if self.drain().is_err() {
                return Ok(TaskEnd::Died { how: "returned malformed results".to_owned() });
            }
            self.listening.hand_on(false, sink);
            let wish = pace.go_on(&Progress {
                objects: Some(self.listening.objects),
                events: Some(self.listening.events),
                ..Progress::new(Phase::Record, self.listening.tests.len() as u64)
            });
            match message {
                Ok(Some(message)) if message == FULL => {
                    let (control, memory) = self.worker.channels();
                    self.read = 0;
                    if shared::reset(memory).and_then(|()| tape::emptied(control)).is_err() {
                        return Ok(self.ended());
                    }
                }
                Ok(Some(message)) => {
                    return match message.strip_prefix(DONE) {
                        Some(b"") => Ok(TaskEnd::Finished),
                        Some(why) => Err(HostError::Task(String::from_utf8_lossy(why).into_owned())),
                        None => Ok(TaskEnd::Died { how: "sent a malformed message".to_owned() }),
                    };
                }
                Ok(None) if begin.elapsed() >= limit => return Ok(TaskEnd::TimedOut),
                Ok(None) => {}
                Err(_) => return Ok(self.ended()),
            }
            // Only now, because a task that came to its end by itself was not stopped.
            if let ControlFlow::Break(stop) = wish {
                return Ok(TaskEnd::Stopped(stop));
            }
        }
    }

    /// Reads what is new in the memory.
    fn drain(&mut self) -> Result<(), Garbled> {
        let mut bytes = Vec::new();
        let (_, memory) = self.worker.channels();
        shared::results_from(memory, self.read, &mut bytes).map_err(|_| Garbled)?;
        self.read += bytes.len();
        self.listening.read(&bytes)
    }

    /// What became of a worker that hung up. What it wrote last is read once more, when it can write no more.
    fn ended(&mut self) -> TaskEnd {
        let end = match self.worker.exit() {
            Ok(code) => TaskEnd::Exited { code },
            Err(how) => TaskEnd::Died { how },
        };
        let _ = self.drain();
        end
    }
}

/// What a task prints: all is read, so that it never waits, and the beginning is kept.
struct Printed {
    kept: Arc<Mutex<Vec<u8>>>,
    ended: mpsc::Receiver<()>,
}

impl Printed {
    fn read(mut reader: PipeReader) -> std::io::Result<Printed> {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (end, ended) = mpsc::channel::<()>();
        let (keep, mut buffer) = (kept.clone(), vec![0; 4096]);
        thread::Builder::new().name("printed".to_owned()).spawn(move || {
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let mut kept = keep.lock().unwrap_or_else(PoisonError::into_inner);
                let room = PRINTED - kept.len();
                kept.extend_from_slice(&buffer[..count.min(room)]);
            }
            drop(end);
        })?;
        Ok(Printed { kept, ended })
    }

    fn finish(self) -> String {
        // Where nothing shuts the task in, it may have started a process that still holds the pipe.
        let _ = self.ended.recv_timeout(Duration::from_secs(1));
        String::from_utf8_lossy(&self.kept.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

/// What a worker is told to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) plan: Option<Plan>,
    pub(crate) task: Task,
    pub(crate) directory: PathBuf,
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) longest_life: u64,
}

impl Assignment {
    pub(crate) fn put(&self, bytes: &mut Vec<u8>) {
        let path = |bytes: &mut Vec<u8>, path: &PathBuf| {
            bytes.number(path.as_os_str().len() as u64);
            bytes.bytes(path.as_os_str().as_bytes());
        };
        bytes.byte(u8::from(self.plan.is_some()));
        if let Some(plan) = &self.plan {
            plan.put(bytes);
        }
        let (kind, class, list) = match &self.task {
            Task::Tests { classes } => (0, None, classes),
            Task::Main { class, args } => (1, Some(class.as_str()), args),
        };
        bytes.byte(kind);
        bytes.optional_text(class);
        bytes.number(list.len() as u64);
        list.iter().for_each(|item| bytes.text(item));
        path(bytes, &self.directory);
        bytes.number(self.writable.len() as u64);
        self.writable.iter().for_each(|folder| path(bytes, folder));
        bytes.number(self.longest_life);
    }

    pub(crate) fn take(take: &mut Take<'_>) -> Result<Self, Garbled> {
        fn path(take: &mut Take<'_>) -> Result<PathBuf, Garbled> {
            let length = take.size()?;
            Ok(std::ffi::OsString::from_vec(take.bytes(length)?.to_vec()).into())
        }
        let plan = if take.byte()? == 0 { None } else { Some(Plan::take(take)?) };
        let kind = take.byte()?;
        let class = take.optional_text()?.map(str::to_owned);
        let list = (0..take.count()?).map(|_| Ok(take.text()?.to_owned())).collect::<Result<_, _>>()?;
        let task = match (kind, class) {
            (0, None) => Task::Tests { classes: list },
            (1, Some(class)) => Task::Main { class, args: list },
            _ => return Err(Garbled),
        };
        let directory = path(take)?;
        let writable = (0..take.count()?).map(|_| path(take)).collect::<Result<_, _>>()?;
        Ok(Self { plan, task, directory, writable, longest_life: take.number()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_arrives_as_it_was_sent() {
        for task in [
            Task::Tests { classes: vec!["a.ATest".into(), "a.BTest".into()] },
            Task::Main { class: "a.Main".into(), args: vec![String::new()] },
        ] {
            let assignment = Assignment {
                plan: None,
                task,
                directory: "/project".into(),
                writable: vec!["/project/target".into()],
                longest_life: u64::MAX,
            };
            let mut bytes = Vec::new();
            assignment.put(&mut bytes);
            assert_eq!(Assignment::take(&mut Take(&bytes)), Ok(assignment));
            for cut in 0..bytes.len() {
                assert_eq!(Assignment::take(&mut Take(&bytes[..cut])), Err(Garbled), "{cut}");
            }
        }
    }
}
