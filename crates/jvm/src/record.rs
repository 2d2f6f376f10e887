//! Recording: the calls of a class while its tests, or an application, run; one trace for each object.
//!
//! The task runs in a worker of its own, in the same sandbox as all others. Only calls from outside the class
//! are recorded; its calls of itself are implementation details. The class is unchanged except that its
//! methods have a witness (`adit_bytecode::wrap`), so tests end as they do without. Decision record 0006
//! gives the reasons.
//!
//! | file | contents |
//! |---|---|
//! | `plan` | the methods and classes that have a witness |
//! | `recorder` | the witness: turns calls into records; `states` reads fields and arguments |
//! | `stream` | records on their way to the coordinator, and traces made of them |
//! | `task` | the worker: running tests or a `main` |
//! | `junit` | running tests through JUnit 4 or 5 of the user's class path |
//! | `find` | finding test classes |
//! | `intervene` | runs of tests in which calls are left out, delayed or added |
//! | `watch` | objects of several classes, call by call, with places and stacks |

use std::collections::BTreeSet;
use std::io::{PipeReader, Read};
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use adit_bytecode::Program;
use adit_trace::{Life, Pace, Phase, Progress, Stop};

use crate::classes;
use crate::error::HostError;
use crate::host::HostOptions;
use crate::message::{Job, ScriptSetup, Setup};
use crate::process::{Start, Worker};
use crate::sandbox::{MemoryLimits, Sandbox};
use crate::shared;
use crate::wire::{Garbled, Put, Take};
use crate::worker_folder;

mod find;
pub mod intervene;
mod junit;
mod plan;
mod recorder;
mod stream;
pub(crate) mod task;
mod test_names;
pub mod watch;

pub use find::find_tests;
use intervene::Loaders;
pub use plan::EventNaming;
use plan::{EventName, Plan};
use stream::{DONE, FULL, LAST, RecordDecoder};

/// Number of kept bytes of the task's output.
const PRINTED: usize = 64 << 10;

/// Configuration of a recording.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// Configuration of the worker. Of its limits, only those on space and on the time to start apply.
    pub host: HostOptions,
    /// The class under test, with dots.
    pub class: String,
    /// The task to run.
    pub task: Task,
    /// Folder in which it runs.
    pub directory: PathBuf,
    /// False to run the task in the same way without recording, for comparison.
    pub record: bool,
    /// Time limit.
    pub limit: Duration,
    /// Folders that it may write to, besides its own.
    pub writable: Vec<PathBuf>,
    /// Maximal number of kept events of one object.
    pub longest_life: u64,
    /// The naming of events.
    pub naming: EventNaming,
    /// True to record arguments, and the fields of the object before and after each call.
    pub states: bool,
}

/// A task that runs while calls are recorded.
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

/// Result of a recording. Its traces were passed to the sink before.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Results of the tests, in the order in which they ended.
    pub tests: Vec<TestResult>,
    /// Number of recorded objects.
    pub objects: u64,
    /// Number of their events.
    pub events: u64,
    /// Number of objects with more events than the limit.
    pub cut: u64,
    /// Methods that could not be recorded, with the reasons.
    pub left: Vec<String>,
    /// End of the task.
    pub end: TaskEnd,
    /// The test that was running when the task ended prematurely.
    pub running: Option<String>,
    /// Beginning of its output.
    pub printed: String,
    /// Duration of the task, without starting the JVM.
    pub elapsed: Duration,
    /// Part of it that the task spent on arguments and states, over all its threads.
    pub state_time: Duration,
}

/// Result of one test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestResult {
    /// Class and method, `a.BoxTest.closes()`; of a repeated test, with the number of the repetition.
    pub name: String,
    /// Its outcome.
    pub outcome: Outcome,
}

/// Outcome of a test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed, or threw.
    Failed {
        /// The exception, as text.
        message: String,
        /// The class of the exception; empty if there is none.
        class: String,
        /// The innermost frames of its stack, `a.Box.open(Box.java:7)`.
        frames: Vec<String>,
    },
    /// It was disabled, or its assumptions did not hold.
    Skipped,
}

/// End of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskEnd {
    /// It ended by itself.
    Finished,
    /// It exceeded the time limit.
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
        /// The signal or exit status.
        how: String,
    },
}

/// Runs the task, and passes the trace of each object to `sink`. Asks `pace` several times a second whether
/// to go on; if not, terminates the task and passes on what was recorded until then.
///
/// Objects come in the order in which they were first seen. With millions of events, collected objects come
/// first.
pub fn record(
    options: RecordOptions,
    sink: &mut dyn FnMut(Life),
    pace: &mut dyn Pace,
) -> Result<Recorded, HostError> {
    let mut methods = Vec::new();
    let mut plan = None;
    if options.record {
        let (made, names) = make_plan(&options)?;
        (methods, plan) = (names, Some(made));
    }
    let decoder = RecordDecoder::new(methods, options.states);
    run(options, plan, decoder, &mut |decoder, is_end| decoder.hand_on(is_end, sink), pace)
}

/// Runs the task, and has `hand_on` take what was decoded: now and then, and at the end.
fn run(
    options: RecordOptions,
    plan: Option<Plan>,
    decoder: RecordDecoder,
    hand_on: &mut dyn FnMut(&mut RecordDecoder, bool),
    pace: &mut dyn Pace,
) -> Result<Recorded, HostError> {
    let limit = options.limit;
    let start_limit = options.host.limits.start;
    let failed = |what| move |source| HostError::Start { what, source };
    let (reader, writer) = std::io::pipe().map_err(failed("creating a pipe for its output"))?;
    let printed = Printed::read(reader).map_err(failed("starting a thread"))?;
    let protected = options.host.sandbox == Sandbox::Required;
    let start = prepare(options, plan, OwnedFd::from(writer), None)?;
    worker_folder::sweep(&start.boxes);
    let mut worker = Worker::start(&start)?;
    // Otherwise the pipe would never be closed.
    drop(start);
    let greeting = worker.greeting(start_limit).map_err(|how| HostError::Unstable { tries: 1, how })?;
    if protected && !greeting.protection.is_enough() {
        return Err(HostError::Unprotected(greeting.protection));
    }
    greeting.machine.map_err(HostError::Machine)?;
    let begin = Instant::now();
    let mut watched = Watched::new(worker, decoder);
    let end = watched.watch(limit, &mut |decoder| hand_on(decoder, false), pace);
    let elapsed = begin.elapsed();
    let Watched { worker, mut decoder, .. } = watched;
    drop(worker);
    hand_on(&mut decoder, true);
    let printed = printed.finish();
    Ok(Recorded {
        tests: decoder.tests,
        objects: decoder.objects,
        events: decoder.events,
        cut: decoder.cut,
        left: decoder.left,
        end: end?,
        running: decoder.running,
        printed,
        elapsed,
        state_time: Duration::from_nanos(decoder.cost),
    })
}

fn make_plan(options: &RecordOptions) -> Result<(Plan, Vec<EventName>), HostError> {
    let host = &options.host;
    let own: BTreeSet<String> = classes::open(None, &host.class_path)?.names();
    let path = classes::open(Some(&host.jdk), &host.class_path)?;
    let program = Program::new(&path, own.iter().map(String::as_str));
    Ok(Plan::make(&path, &options.class, &own, &program, options.naming, options.states)?)
}

fn prepare(
    options: RecordOptions,
    plan: Option<Plan>,
    output: OwnedFd,
    bench: Option<Option<Loaders>>,
) -> Result<Start, HostError> {
    let RecordOptions { host, task, directory, writable, longest_life, .. } = options;
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    let assignment = Assignment {
        plan,
        task,
        directory: absolute(directory),
        writable: writable.into_iter().map(absolute).collect(),
        longest_life,
        bench,
    };
    let setup = Setup {
        libjvm: Some(host.jdk.libjvm),
        class_path: classes::expand(&host.class_path)?.into_iter().map(absolute).collect(),
        machine_flags: host.machine_flags,
        folder: PathBuf::new(),
        memory: MemoryLimits {
            box_megabytes: host.limits.box_megabytes,
            heap_megabytes: host.limits.heap_megabytes,
        },
        protected: host.sandbox == Sandbox::Required,
        scripts: ScriptSetup::NO_SCRIPTS,
        probes: None,
        job: Job::Record(assignment.to_bytes()),
    };
    let boxes = absolute(host.boxes);
    let output = Some(Arc::new(output));
    Ok(Start { program: host.program, arguments: host.arguments, boxes, setup, output })
}

/// A worker at its task.
struct Watched {
    worker: Worker,
    decoder: RecordDecoder,
    /// Number of bytes of the memory that were read.
    read: usize,
    /// The worker wants to be replaced.
    retires: bool,
}

impl Watched {
    fn new(worker: Worker, decoder: RecordDecoder) -> Self {
        Self { worker, decoder, read: 0, retires: false }
    }

    fn watch(
        &mut self,
        limit: Duration,
        hand_on: &mut dyn FnMut(&mut RecordDecoder),
        pace: &mut dyn Pace,
    ) -> Result<TaskEnd, HostError> {
        // Often enough for a person who watches, and rarely enough to cost nothing.
        const LOOK: Duration = Duration::from_millis(100);
        let begin = Instant::now();
        let (starved, used) = (self.worker.starved_time(), self.worker.processor_time());
        loop {
            let message = self.worker.message(LOOK.min(limit).max(Duration::from_millis(1)));
            if self.drain().is_err() {
                return Ok(TaskEnd::Died { how: "returned malformed results".to_owned() });
            }
            hand_on(&mut self.decoder);
            let wish = pace.go_on(&Progress {
                objects: Some(self.decoder.objects),
                events: Some(self.decoder.events),
                ..Progress::new(Phase::Record, self.decoder.tests.len() as u64)
            });
            match message {
                Ok(Some(message)) if message == FULL => {
                    let (control, memory) = self.worker.channels();
                    self.read = 0;
                    if shared::reset(memory).and_then(|()| stream::emptied(control)).is_err() {
                        return Ok(self.ended());
                    }
                }
                Ok(Some(message)) if message == LAST => {
                    self.retires = true;
                    return Ok(TaskEnd::Finished);
                }
                Ok(Some(message)) => {
                    return match message.strip_prefix(DONE) {
                        Some(b"") => Ok(TaskEnd::Finished),
                        Some(why) => Err(HostError::Task(String::from_utf8_lossy(why).into_owned())),
                        None => Ok(TaskEnd::Died { how: "sent a malformed message".to_owned() }),
                    };
                }
                Ok(None) if self.is_too_long(begin.elapsed(), starved, used, limit) => {
                    return Ok(TaskEnd::TimedOut);
                }
                Ok(None) => {}
                Err(_) => return Ok(self.ended()),
            }
            // Only now, because a task that ended by itself was not stopped.
            if let ControlFlow::Break(stop) = wish {
                return Ok(TaskEnd::Stopped(stop));
            }
        }
    }

    /// Tells whether a task has exceeded its limit. The time that it waited for a processor does not count,
    /// so that other programs do not change its end.
    fn is_too_long(&self, elapsed: Duration, starved: Duration, used: Duration, limit: Duration) -> bool {
        /// A task has at most so many times its limit. On a busy machine, threads of the JVM wait in which no
        /// test runs, so that a test that hangs looks as if it waited.
        const STARVED: u32 = 3;
        let own = || {
            // Several threads may wait at once, so this alone would be too little.
            let waited = self.worker.starved_time().saturating_sub(starved);
            elapsed.saturating_sub(waited).max(self.worker.processor_time().saturating_sub(used))
        };
        elapsed >= limit && (elapsed >= limit * STARVED || own() >= limit)
    }

    /// Reads new records from the memory.
    fn drain(&mut self) -> Result<(), Garbled> {
        let mut bytes = Vec::new();
        let (_, memory) = self.worker.channels();
        shared::results_from(memory, self.read, &mut bytes).map_err(|_| Garbled)?;
        self.read += bytes.len();
        self.decoder.read(&bytes)
    }

    /// Returns the end of a worker that closed the connection, after reading its last records.
    fn ended(&mut self) -> TaskEnd {
        let end = match self.worker.exit() {
            Ok(code) => TaskEnd::Exited { code },
            Err(how) => TaskEnd::Died { how },
        };
        let _ = self.drain();
        end
    }
}

/// Output of a task: all of it is read, so the task never blocks, and the beginning is kept.
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

    /// Takes what was kept.
    fn take(&self) -> String {
        let bytes = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn finish(self) -> String {
        // Without the sandbox, the task may have started a process that still holds the pipe.
        let _ = self.ended.recv_timeout(Duration::from_secs(1));
        String::from_utf8_lossy(&self.kept.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

/// Assignment of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) plan: Option<Plan>,
    pub(crate) task: Task,
    pub(crate) directory: PathBuf,
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) longest_life: u64,
    /// True for a bench: the task is repeated with experiments, on these loaders if any.
    pub(crate) bench: Option<Option<Loaders>>,
}

impl Assignment {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.byte(u8::from(self.plan.is_some()));
        if let Some(plan) = &self.plan {
            plan.put(&mut bytes);
        }
        let (kind, class, list) = match &self.task {
            Task::Tests { classes } => (0, None, classes),
            Task::Main { class, args } => (1, Some(class.as_str()), args),
        };
        bytes.byte(kind);
        bytes.optional_text(class);
        bytes.texts(list);
        bytes.path(&self.directory);
        bytes.paths(&self.writable);
        bytes.number(self.longest_life);
        bytes.byte(u8::from(self.bench.is_some()));
        if let Some(loaders) = &self.bench {
            bytes.byte(u8::from(loaders.is_some()));
            if let Some(Loaders { kept, fresh }) = loaders {
                bytes.paths(kept);
                bytes.paths(fresh);
            }
        }
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Garbled> {
        let mut take = Take(bytes);
        let plan = if take.byte()? == 0 { None } else { Some(Plan::take(&mut take)?) };
        let kind = take.byte()?;
        let class = take.optional_text()?.map(str::to_owned);
        let list = take.texts()?;
        let task = match (kind, class) {
            (0, None) => Task::Tests { classes: list },
            (1, Some(class)) => Task::Main { class, args: list },
            _ => return Err(Garbled),
        };
        let (directory, writable) = (take.path()?, take.paths()?);
        let longest_life = take.number()?;
        let mut bench = None;
        if take.byte()? != 0 {
            let has_loaders = take.byte()? != 0;
            let mut loaders = || Ok(Loaders { kept: take.paths()?, fresh: take.paths()? });
            bench = Some(if has_loaders { Some(loaders()?) } else { None });
        }
        Ok(Self { plan, task, directory, writable, longest_life, bench })
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
                bench: Some(Some(Loaders { kept: vec!["/junit.jar".into()], fresh: vec!["/a".into()] })),
            };
            let bytes = assignment.to_bytes();
            assert_eq!(Assignment::from_bytes(&bytes), Ok(assignment));
            for cut in 0..bytes.len() {
                assert_eq!(Assignment::from_bytes(&bytes[..cut]), Err(Garbled), "{cut}");
            }
        }
    }
}
