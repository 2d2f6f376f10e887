//! The host: runs scripts on a pool of workers and loses none of them, whatever the scripts do.
//!
//! A batch is cut into chunks; each lane takes the next chunk when it is done with the last, and has one worker at a
//! time. A worker that dies or hangs is replaced by the spare, which is up and waiting; the script that was running gets
//! the blame and the scripts after it go to the new worker. Nothing is run twice.
//!
//! Scripts of one worker share its static state, and a thread that a script leaves behind can disturb a later one, which
//! then gets the blame. A worker is replaced after so many scripts, and when it doubts itself: after an overflow of stack
//! or memory, or with stray threads.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use adit_bytecode::probe::ProbedClasses;
use adit_trace::{Run, RunLimits, Script, Subject};

use crate::boxes;
use crate::classes::expand;
use crate::error::HostError;
use crate::find::Jdk;
use crate::message::{self, Greeting, Job, LONGEST, Replacement, Setup, fingerprint};
use crate::process::{Fate, Patience, Start, Worker};
use crate::sandbox::{Protection, Room, Sandbox};
use crate::scripts::{self, DEEPEST};

/// How many workers may end before they ran anything, one after the other, until the host gives up.
const PATIENCE: u32 = 3;

/// What a host is made of.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// The binary that becomes a worker.
    pub program: PathBuf,
    /// The arguments with which it calls [`worker::main`](crate::worker::main); two numbers are put behind them.
    pub arguments: Vec<OsString>,
    /// The JDK whose virtual machine is hosted.
    pub jdk: Jdk,
    /// Folders and jars with the classes.
    pub class_path: Vec<PathBuf>,
    /// The folder in which each worker gets a box of its own, for example that for temporary files.
    pub boxes: PathBuf,
    /// How many workers run at the same time.
    pub workers: usize,
    /// Whether to run at all where the kernel cannot protect the user.
    pub sandbox: Sandbox,
    /// Record the fields of the receiver after each call.
    pub snapshots: bool,
    /// Say of each script whether it left a file descriptor open.
    pub watch_descriptors: bool,
    /// Let the static state of the classes of the class path begin anew with each script. They are loaded each time, which
    /// takes far longer than most scripts: `docs/perf/jvm.md` has figures.
    pub fresh_statics: bool,
    /// Say of each script which of these probes it passes ([`Run::passed`]). The classes must have been changed with the
    /// hits of [`hits`](crate::hits). Where the machine does not let them be changed, [`Host::unprobed`] says so and the scripts
    /// run nonetheless. Only with [`Profile::Fast`].
    pub probes: Option<ProbedClasses>,
    /// What is watched.
    pub profile: Profile,
    /// More flags for the machine, each in one piece: `--add-opens=java.base/java.util=ALL-UNNAMED`.
    pub machine_flags: Vec<String>,
    /// Limits on time and space.
    pub limits: Limits,
}

impl HostOptions {
    /// One protected worker that records no fields, with limits that suit scripts of some dozen calls. Boxes are made in
    /// `/tmp`. `program` and `arguments` are what becomes a worker.
    pub fn new(program: PathBuf, arguments: Vec<OsString>, jdk: Jdk) -> Self {
        Self {
            program,
            arguments,
            jdk,
            class_path: Vec::new(),
            boxes: "/tmp".into(),
            workers: 1,
            sandbox: Sandbox::Required,
            snapshots: false,
            watch_descriptors: false,
            fresh_statics: false,
            probes: None,
            profile: Profile::Fast,
            machine_flags: Vec::new(),
            limits: Limits {
                script: Duration::from_secs(5),
                start: Duration::from_secs(60),
                heap_megabytes: 256,
                box_megabytes: 32,
                text: 200,
                batch: 500,
                recycle_after: 100_000,
            },
        }
    }
}

/// What a worker sees of a call besides its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Nothing, at full speed.
    Fast,
    /// The fields that it reads and writes ([`Step::effects`](adit_trace::Step::effects)), which costs some microseconds for
    /// each call.
    Watch {
        /// The classes whose fields are watched, with dots; those of their superclasses and of classes nested in them too.
        classes: Vec<String>,
    },
}

/// How much a script and a worker may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time for one script. It is measured in steps of a twentieth, at most 100 ms. A script in which the whole worker is
    /// asleep for some of these steps gets no more.
    pub script: Duration,
    /// The time for a worker to be ready.
    pub start: Duration,
    /// The Java heap of a worker.
    pub heap_megabytes: u32,
    /// The files of a worker, which are in memory.
    pub box_megabytes: u32,
    /// How many UTF-16 units of a string are kept.
    pub text: usize,
    /// How many scripts are sent at once.
    pub batch: usize,
    /// After how many scripts a worker is replaced.
    pub recycle_after: u64,
}

/// A pool of workers. Dropping it ends them all.
pub struct Host {
    pool: Pool,
    /// One worker for each lane, once it was needed.
    lanes: Vec<Option<Worker>>,
    protection: Protection,
    unprobed: Option<String>,
    limits: RunLimits,
}

/// What all lanes share.
struct Pool {
    start: Start,
    limits: Limits,
    spare: Mutex<Option<Worker>>,
}

impl Host {
    /// Starts a first worker, and a spare.
    pub fn new(options: HostOptions) -> Result<Self, HostError> {
        let HostOptions { program, arguments, jdk, boxes, workers, sandbox, limits, .. } = options;
        // A worker works in its box, where relative paths would mean something else.
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let setup = Setup {
            libjvm: Some(jdk.libjvm),
            class_path: expand(&options.class_path)?.into_iter().map(absolute).collect(),
            machine_flags: options.machine_flags,
            folder: PathBuf::new(),
            room: Room { box_megabytes: limits.box_megabytes, heap_megabytes: limits.heap_megabytes },
            protected: sandbox == Sandbox::Required,
            text: limits.text,
            snapshots: options.snapshots,
            watch_descriptors: options.watch_descriptors,
            fresh_statics: options.fresh_statics,
            probes: options.probes.filter(|_| options.profile == Profile::Fast).map(|probed| {
                message::Probes {
                    count: probed.probes.len(),
                    classes: probed
                        .classes
                        .into_iter()
                        .map(|one| Replacement { name: one.name, old: fingerprint(&one.old), new: one.new })
                        .collect(),
                }
            }),
            job: match options.profile {
                Profile::Fast => Job::Scripts,
                Profile::Watch { classes } => Job::Watch(classes),
            },
        };
        let start = Start { program, arguments, boxes: absolute(boxes), setup, output: None };
        boxes::sweep(&start.boxes);
        let pool = Pool { start, limits, spare: Mutex::new(None) };
        let (first, Greeting { protection, unprobed, .. }) = pool.worker()?;
        let mut lanes = vec![Some(first)];
        lanes.resize_with(workers.max(1), || None);
        Ok(Self { pool, lanes, protection, unprobed, limits: RunLimits::default() })
    }

    /// Why the probes that were asked for are not in place; no run says which were passed then.
    pub fn unprobed(&self) -> Option<&str> {
        self.unprobed.as_deref()
    }

    /// What the kernel holds the workers back from.
    pub fn protection(&self) -> &Protection {
        &self.protection
    }
}

/// The runs of a chunk, behind the place of the first in the batch.
type Chunk = (usize, Vec<Run>);

impl Subject for Host {
    type Error = HostError;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, HostError> {
        let (pool, next) = (&self.pool, AtomicUsize::new(0));
        let (limits, bad_ends) = (self.limits, AtomicUsize::new(0));
        let size = pool.limits.batch.max(1);
        let lane = |worker: &mut Option<Worker>| {
            let mut chunks = Vec::new();
            loop {
                let from = next.fetch_add(size, Ordering::Relaxed);
                if from >= batch.len() {
                    return Ok(chunks);
                }
                let scripts = &batch[from..batch.len().min(from + size)];
                chunks.push((from, pool.chunk(worker, scripts, from, limits, &bad_ends)?));
            }
        };
        let useful = batch.len().div_ceil(size).min(self.lanes.len());
        let lanes = &mut self.lanes[..useful];
        let results: Vec<Result<Vec<Chunk>, HostError>> = if let [only] = lanes {
            vec![lane(only)]
        } else {
            std::thread::scope(|scope| {
                let threads: Vec<_> = lanes.iter_mut().map(|worker| scope.spawn(|| lane(worker))).collect();
                threads
                    .into_iter()
                    .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                    .collect()
            })
        };
        let mut chunks: Vec<Chunk> = Vec::new();
        for result in results {
            chunks.extend(result?);
        }
        chunks.sort_by_key(|(from, _)| *from);
        Ok(chunks.into_iter().flat_map(|(_, runs)| runs).collect())
    }

    fn limit(&mut self, limits: RunLimits) {
        self.limits = limits;
    }

    /// Drops all workers, so that the next scripts run in new machines.
    fn renew(&mut self) {
        self.lanes.iter_mut().for_each(|lane| *lane = None);
    }
}

impl Pool {
    /// Runs the scripts of a chunk, the first of which is number `from` of the batch.
    fn chunk(
        &self,
        lane: &mut Option<Worker>,
        scripts: &[Script],
        from: usize,
        limits: RunLimits,
        bad_ends: &AtomicUsize,
    ) -> Result<Vec<Run>, HostError> {
        let mut runs = Vec::with_capacity(scripts.len());
        let mut fruitless = 0;
        while runs.len() < scripts.len() {
            let is_late = limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if is_late || limits.bad_ends.is_some_and(|most| bad_ends.load(Ordering::Relaxed) >= most) {
                runs.resize_with(scripts.len(), Run::not_run);
                break;
            }
            let rest = fitting(&scripts[runs.len()..], from + runs.len())?;
            let worker = match lane {
                Some(worker) => worker,
                None => lane.insert(self.worker()?.0),
            };
            let answer = worker.ask(rest, Patience { script: self.limits.script, until: limits.deadline });
            if matches!(answer.fate, Fate::TimedOut | Fate::Died(_)) {
                bad_ends.fetch_add(1, Ordering::Relaxed);
            }
            let old = worker.given >= self.limits.recycle_after;
            if old || answer.fate != Fate::Lives {
                *lane = None;
            }
            if answer.runs.is_empty() && answer.fate != Fate::Late {
                fruitless += 1;
                if fruitless == PATIENCE {
                    let how = match answer.fate {
                        Fate::Died(how) => how,
                        Fate::TimedOut => "did not start in time".to_owned(),
                        Fate::Lives | Fate::Retires | Fate::Late => "produced no results".to_owned(),
                    };
                    return Err(HostError::Unstable { tries: PATIENCE, how });
                }
            } else {
                fruitless = 0;
            }
            runs.extend(answer.runs);
        }
        Ok(runs)
    }

    /// A worker that is ready: the spare, which is replaced, or a new one.
    fn worker(&self) -> Result<(Worker, Greeting), HostError> {
        let mut tries = 0;
        loop {
            let spare = self.spare.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
            let mut worker = spare.map_or_else(|| Worker::start(&self.start), Ok)?;
            match worker.greeting(self.limits.start) {
                Ok(greeting) => {
                    if self.start.setup.protected && !greeting.protection.is_enough() {
                        return Err(HostError::Unprotected(greeting.protection));
                    }
                    greeting.machine.clone().map_err(HostError::Machine)?;
                    let mut spare = self.spare.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    // Without a spare, the next change of workers takes longer, and nothing else.
                    if spare.is_none() {
                        *spare = Worker::start(&self.start).ok();
                    }
                    return Ok((worker, greeting));
                }
                Err(how) => {
                    tries += 1;
                    if tries == PATIENCE {
                        return Err(HostError::Unstable { tries, how });
                    }
                }
            }
        }
    }
}

/// As many of the first scripts as fit into a message; `first` is the number of the first in the batch.
fn fitting(scripts: &[Script], first: usize) -> Result<&[Script], HostError> {
    let mut total: usize = 64;
    for (count, script) in scripts.iter().enumerate() {
        let bytes = most_bytes(script);
        total = total.saturating_add(bytes.unwrap_or(usize::MAX));
        if total > LONGEST {
            return match (count, bytes) {
                (0, Some(bytes)) => Err(HostError::Script { index: first, bytes, most: LONGEST }),
                (0, None) => Err(HostError::Nested { index: first, most: DEEPEST }),
                _ => Ok(&scripts[..count]),
            };
        }
    }
    Ok(scripts)
}

/// No fewer bytes than a script takes in a message, its callables included; nothing if it is nested too deep.
fn most_bytes(script: &Script) -> Option<usize> {
    script.statements.iter().try_fold(20_usize, |sum, statement| {
        let callable = &statement.callable;
        let names = callable.owner.len() + callable.name.len() + callable.signature.len();
        statement.args.iter().try_fold(sum.saturating_add(61 + names), |sum, argument| {
            Some(sum.saturating_add(scripts::most_bytes(argument, 0)?))
        })
    })
}

/// How well a worker would be shut in, found out by starting one without a machine.
pub(crate) fn probe(program: &Path, arguments: &[OsString], boxes: &Path) -> Result<Protection, HostError> {
    let setup = Setup {
        libjvm: None,
        class_path: Vec::new(),
        machine_flags: Vec::new(),
        folder: PathBuf::new(),
        room: Room { box_megabytes: 1, heap_megabytes: 64 },
        protected: true,
        text: 0,
        snapshots: false,
        watch_descriptors: false,
        fresh_statics: false,
        probes: None,
        job: Job::Scripts,
    };
    let start = Start {
        program: program.to_owned(),
        arguments: arguments.to_vec(),
        boxes: boxes.to_owned(),
        setup,
        output: None,
    };
    let greeting = Worker::start(&start)?.greeting(Duration::from_secs(10));
    greeting.map(|greeting| greeting.protection).map_err(|how| HostError::Unstable { tries: 1, how })
}
