//! The host: runs scripts on a pool of workers and returns a run for each, whatever the scripts do.
//!
//! A batch is split into chunks. Each lane has one worker at a time and takes the next chunk when it is done
//! with the last. A worker that dies or hangs is replaced by the spare, which is already running; the script
//! that was running is blamed, and the scripts after it go to the new worker. No script runs twice. How many
//! lanes there are depends on what scripts take (`lanes.rs`); a lane that has no worker yet leaves its share
//! to the others until the spare is ready.
//!
//! Scripts of one worker share its static state, and a thread that a script leaves behind can disturb a later
//! one, which is then blamed. A worker is replaced after a number of scripts, and when its results may be
//! wrong: after an overflow of stack or memory, or with stray threads.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use adit_bytecode::probe::ProbedClasses;
use adit_trace::{Depth, Run, RunLimits, Script, SlowCalls, Subject};

use crate::classes::expand;
use crate::error::HostError;
use crate::find::Jdk;
use crate::lanes::{Division, ScriptTimes};
use crate::message::{self, Greeting, Job, LONGEST, Replacement, ScriptSetup, Setup, fingerprint};
use crate::process::{Fate, Patience, Start, Worker};
use crate::sandbox::{MemoryLimits, Protection, Sandbox};
use crate::script_limit::ScriptLimit;
use crate::scripts::{self, DEEPEST};
use crate::static_watch::{FRESH_RUNS, StaticWatch, leaks};
use crate::worker_folder;

/// Number of consecutive workers that may end before they ran anything, until the host gives up.
const PATIENCE: u32 = 3;

/// Configuration of a host, one field for each option.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// The binary that becomes a worker.
    pub program: PathBuf,
    /// Arguments with which it calls [`worker::main`](crate::worker::main); the host appends two numbers.
    pub arguments: Vec<OsString>,
    /// The JDK whose virtual machine is hosted.
    pub jdk: Jdk,
    /// Folders and jars with the classes.
    pub class_path: Vec<PathBuf>,
    /// Folder in which each worker gets a folder of its own, for example that for temporary files.
    pub boxes: PathBuf,
    /// Number of workers that run at the same time.
    pub workers: usize,
    /// The same while scripts mostly wait and leave processors idle, if it is more.
    pub waiting_workers: usize,
    /// Policy for kernels that cannot protect the user.
    pub sandbox: Sandbox,
    /// True to record the fields of the receiver after each call.
    pub snapshots: bool,
    /// True to report for each script whether it left a file descriptor open.
    pub watch_descriptors: bool,
    /// True to start each script with fresh static state of the classes of the class path. They are loaded
    /// each time, which takes far longer than most scripts: `docs/perf/jvm.md` has figures.
    pub fresh_statics: bool,
    /// True to examine, now and then, whether scripts see static state that others left. If they do, every
    /// later script starts with fresh static state ([`Host::has_fresh_statics`]).
    pub watch_statics: bool,
    /// Probes whose hits are reported for each script ([`Run::passed`]). The classes must have been rewritten
    /// with [`hits`](crate::hits). If the JVM does not accept them, [`Host::unprobed`] has the reason and the
    /// scripts run nonetheless. Only with [`Profile::Fast`].
    pub probes: Option<ProbedClasses>,
    /// Observation of calls.
    pub profile: Profile,
    /// More options of the JVM, such as `--add-opens=java.base/java.util=ALL-UNNAMED`.
    pub machine_flags: Vec<String>,
    /// Limits on time and space.
    pub limits: Limits,
    /// Takes calls that are so slow that whoever writes scripts should avoid them.
    pub slow_calls: SlowCalls,
}

impl HostOptions {
    /// Creates a configuration of one sandboxed worker that records no fields, with limits for scripts of a
    /// few dozen calls. Workers have their folders in `/tmp`. `program` and `arguments` start a worker.
    pub fn new(program: PathBuf, arguments: Vec<OsString>, jdk: Jdk) -> Self {
        Self {
            program,
            arguments,
            jdk,
            class_path: Vec::new(),
            boxes: "/tmp".into(),
            workers: 1,
            waiting_workers: 1,
            sandbox: Sandbox::Required,
            snapshots: false,
            watch_descriptors: false,
            fresh_statics: false,
            watch_statics: false,
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
            slow_calls: SlowCalls::default(),
        }
    }
}

/// Observation of a call besides its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Profile {
    /// None, at full speed.
    Fast,
    /// The fields that it reads and writes ([`Step::effects`](adit_trace::Step::effects)), which costs some
    /// microseconds for each call.
    Watch {
        /// Classes whose fields are watched, with dots, including their superclasses and nested classes.
        classes: Vec<String>,
    },
}

/// Limits of a script and a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time for one script, measured in steps of a twentieth, at most 100 ms. A script gets no more time once
    /// the whole worker sleeps for several steps. A call that took all of its time
    /// has half as much the next time, down to ten times the longest script of late or its own longest time.
    pub script: Duration,
    /// Time for a worker to start.
    pub start: Duration,
    /// The Java heap of a worker.
    pub heap_megabytes: u32,
    /// Size of a worker's files, which are in memory.
    pub box_megabytes: u32,
    /// Number of kept UTF-16 units of a string.
    pub text: usize,
    /// Most scripts that are sent at once.
    pub batch: usize,
    /// Number of scripts after which a worker is replaced.
    pub recycle_after: u64,
}

/// A pool of workers. Dropping it terminates them.
pub struct Host {
    pool: Pool,
    /// One worker for each lane, started on demand.
    lanes: Vec<Option<Worker>>,
    /// Number of lanes for scripts that compute.
    workers: usize,
    protection: Protection,
    unprobed: Option<String>,
    asked: Asked,
    /// Looks for static state that leaks, as long as there is something to find out.
    static_watch: Option<StaticWatch>,
}

/// Wishes of the caller for the batches from now on.
#[derive(Clone, Copy, Default)]
struct Asked {
    limits: RunLimits,
    depth: Depth,
}

/// State shared by all lanes.
struct Pool {
    start: Start,
    limits: Limits,
    script_limit: ScriptLimit,
    slow_calls: SlowCalls,
    times: ScriptTimes,
    spare: Mutex<Option<Worker>>,
}

impl Host {
    /// Starts a first worker, and a spare.
    pub fn new(options: HostOptions) -> Result<Self, HostError> {
        let HostOptions { program, arguments, jdk, boxes, sandbox, limits, .. } = options;
        // A worker runs in its own folder, where relative paths would have another meaning.
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let setup = Setup {
            libjvm: Some(jdk.libjvm),
            class_path: expand(&options.class_path)?.into_iter().map(absolute).collect(),
            machine_flags: options.machine_flags,
            folder: PathBuf::new(),
            memory: MemoryLimits {
                box_megabytes: limits.box_megabytes,
                heap_megabytes: limits.heap_megabytes,
            },
            protected: sandbox == Sandbox::Required,
            scripts: ScriptSetup {
                text: limits.text,
                snapshots: options.snapshots,
                watch_descriptors: options.watch_descriptors,
                fresh_statics: options.fresh_statics,
                iteration: 0,
            },
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
        worker_folder::sweep(&start.boxes);
        let script_limit = ScriptLimit::new(limits.script);
        let slow_calls = options.slow_calls;
        let times = ScriptTimes::default();
        let pool = Pool { start, limits, script_limit, slow_calls, times, spare: Mutex::new(None) };
        let (first, Greeting { protection, unprobed, .. }) = pool.worker()?;
        let mut lanes = vec![Some(first)];
        let workers = options.workers.max(1);
        lanes.resize_with(workers.max(options.waiting_workers), || None);
        let is_watched = options.watch_statics && !options.fresh_statics;
        let static_watch = is_watched.then(StaticWatch::default);
        Ok(Self { pool, lanes, workers, protection, unprobed, asked: Asked::default(), static_watch })
    }

    /// Reason that the requested probes are not installed. Runs then report no hits.
    pub fn unprobed(&self) -> Option<&str> {
        self.unprobed.as_deref()
    }

    /// Returns true if each script starts with fresh static state, because that was requested or because a
    /// script saw what another had left.
    pub fn has_fresh_statics(&self) -> bool {
        self.pool.start.setup.scripts.fresh_statics
    }

    /// Runs scripts again, in used workers and with fresh static state, and turns to the latter if a script
    /// sees what others did. If the comparison fails for another reason, nothing changes.
    fn examine_statics(&mut self, scripts: &[Script]) {
        let Ok(used) = self.run_all(scripts) else { return };
        let mut start = self.pool.start.clone();
        start.setup.scripts.fresh_statics = true;
        let pool = Pool {
            start,
            limits: self.pool.limits.clone(),
            script_limit: ScriptLimit::new(self.pool.limits.script),
            slow_calls: self.pool.slow_calls.clone(),
            times: ScriptTimes::default(),
            spare: Mutex::new(None),
        };
        let (mut lane, bad_ends) = (None, AtomicUsize::new(0));
        let mut fresh = Vec::new();
        for _ in 0..FRESH_RUNS {
            let Ok(runs) = pool.chunk(&mut lane, scripts, 0, self.asked, &bad_ends) else { return };
            fresh.push(runs);
        }
        if leaks(&used, &fresh) {
            self.pool = pool;
            self.lanes.iter_mut().for_each(|lane| *lane = None);
            self.lanes[0] = lane;
            self.static_watch = None;
        }
    }

    /// The restrictions that the kernel enforces on the workers.
    pub fn protection(&self) -> &Protection {
        &self.protection
    }
}

/// Index of the first script of a chunk in the batch, and the runs of the chunk.
type Chunk = (usize, Vec<Run>);

impl Subject for Host {
    type Error = HostError;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, HostError> {
        let runs = self.run_all(batch)?;
        if let Some(watch) = &mut self.static_watch
            && watch.add(batch, &runs)
        {
            let sample = watch.sample().to_vec();
            if watch.is_over() {
                self.static_watch = None;
            }
            self.examine_statics(&sample);
        }
        Ok(runs)
    }

    fn limit(&mut self, limits: RunLimits) {
        self.asked.limits = limits;
    }

    fn look(&mut self, depth: Depth) {
        self.asked.depth = depth;
    }

    /// Drops all workers, so the next scripts run in new JVMs. In these, immutable collections have another
    /// order.
    fn renew(&mut self) {
        self.lanes.iter_mut().for_each(|lane| *lane = None);
        *self.pool.spare.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
        self.pool.start.setup.scripts.iteration += 1;
    }
}

impl Host {
    fn run_all(&mut self, batch: &[Script]) -> Result<Vec<Run>, HostError> {
        let (pool, next) = (&self.pool, AtomicUsize::new(0));
        let (asked, bad_ends) = (self.asked, AtomicUsize::new(0));
        let most = pool.limits.batch;
        let Division { lanes, chunk } = pool.times.divide(batch.len(), self.workers, self.lanes.len(), most);
        let lane = |worker: &mut Option<Worker>| {
            let mut chunks = Vec::new();
            loop {
                let from = next.fetch_add(chunk, Ordering::Relaxed);
                if from >= batch.len() {
                    return Ok(chunks);
                }
                let scripts = &batch[from..batch.len().min(from + chunk)];
                chunks.push((from, pool.chunk(worker, scripts, from, asked, &bad_ends)?));
            }
        };
        let lanes = &mut self.lanes[..lanes];
        // The first lane waits for a worker if it must; it may be the only one.
        for lane in lanes.iter_mut().skip(1).filter(|lane| lane.is_none()) {
            *lane = pool.ready_spare()?;
            if lane.is_none() {
                break;
            }
        }
        let mut lanes: Vec<&mut Option<Worker>> = lanes
            .iter_mut()
            .enumerate()
            .filter(|(at, lane)| *at == 0 || lane.is_some())
            .map(|(_, lane)| lane)
            .collect();
        let results: Vec<Result<Vec<Chunk>, HostError>> = if let [only] = &mut lanes[..] {
            vec![lane(only)]
        } else {
            std::thread::scope(|scope| {
                let threads: Vec<_> = lanes.into_iter().map(|worker| scope.spawn(|| lane(worker))).collect();
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
}

impl Pool {
    /// Runs the scripts of a chunk, the first of which is number `from` of the batch.
    fn chunk(
        &self,
        lane: &mut Option<Worker>,
        scripts: &[Script],
        from: usize,
        Asked { limits, depth }: Asked,
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
            let (script, until) = (&self.script_limit, limits.deadline);
            let patience = Patience { script, until, slow_calls: &self.slow_calls };
            let (begun, used) = (Instant::now(), worker.processor_time());
            let answer = worker.ask(rest, depth, patience);
            if answer.fate == Fate::Lives {
                let used = worker.processor_time().saturating_sub(used);
                self.times.learn(answer.runs.len(), begun.elapsed(), used);
            }
            if answer.hung || matches!(answer.fate, Fate::TimedOut | Fate::Died(_)) {
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

    /// Returns the spare, which is replaced, if it is ready by now.
    fn ready_spare(&self) -> Result<Option<Worker>, HostError> {
        let mut spare = self.spare.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_ready = spare.as_ref().is_some_and(Worker::has_answered);
        if spare.is_none() {
            *spare = Worker::start(&self.start).ok();
        }
        drop(spare);
        if is_ready { self.worker().map(|(worker, _)| Some(worker)) } else { Ok(None) }
    }

    /// Returns a ready worker: the spare, which is replaced, or a new one.
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
                    // Without a spare, only the next replacement takes longer.
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

/// Returns as many of the first scripts as fit into a message. `first` is the index of the first in the
/// batch.
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

/// Upper bound of the bytes that a script takes in a message, including its callables; `None` if it is nested
/// too deep.
fn most_bytes(script: &Script) -> Option<usize> {
    script.statements.iter().try_fold(20_usize, |sum, statement| {
        let callable = &statement.callable;
        let names = callable.owner.len() + callable.name.len() + callable.signature.len();
        statement.args.iter().try_fold(sum.saturating_add(61 + names), |sum, argument| {
            Some(sum.saturating_add(scripts::most_bytes(argument, 0)?))
        })
    })
}

/// Determines the protection of a worker by starting one without a JVM.
pub(crate) fn probe(program: &Path, arguments: &[OsString], boxes: &Path) -> Result<Protection, HostError> {
    let setup = Setup {
        libjvm: None,
        class_path: Vec::new(),
        machine_flags: Vec::new(),
        folder: PathBuf::new(),
        memory: MemoryLimits { box_megabytes: 1, heap_megabytes: 64 },
        protected: true,
        scripts: ScriptSetup::NO_SCRIPTS,
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
