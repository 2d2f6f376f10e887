//! One worker process as the coordinator sees it: starting it, asking it, watching it, and seeing it off.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use adit_trace::{Callable, Depth, End, Run, Script, SlowCalls};

use crate::error::HostError;
use crate::message::{Done, Greeting, Probes, Setup, receive, send};
use crate::results::{Decoder, Extent};
use crate::script_limit::ScriptLimit;
use crate::scripts::Dictionary;
use crate::shared;
use crate::stillness::Stillness;
use crate::tasks::processor_time;
use crate::wire::Take;
use crate::worker_folder::WorkerFolder;

/// Time from which on a call is so slow that an author should know.
const TOO_SLOW: Duration = Duration::from_millis(50);

/// A script has at most so many times its limit, however little of the processor it got: a machine this busy
/// would not finish anyway, and a thread that is never run looks the same.
const STARVED: u32 = 20;

/// Time that a worker has to end a call that loops before it is replaced. The call goes on until it passes a
/// place at which the machine can stop it, which is a matter of microseconds, unless it is in native code.
const TO_STOP: Duration = Duration::from_millis(100);

/// A call may compute for one part in so many of the time that is left for everything: one that hangs must
/// not use up a whole phase of a search.
const SHARE: u32 = 3;

/// Time to compute that every call has, however little is left for everything. The first call of a machine
/// may load hundreds of classes.
const LEAST_LEFT: Duration = Duration::from_millis(200);

/// Time that a worker has to exit by itself after it closed the connection, so its exit code becomes known.
const FAREWELL: Duration = Duration::from_secs(2);

/// Instructions for starting workers.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The binary, and what makes it call [`crate::worker::main`].
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    /// Folder for the temporary folders of workers.
    pub(crate) boxes: PathBuf,
    /// Configuration of a worker; its temporary folder is filled in for each.
    pub(crate) setup: Setup,
    /// Destination of standard output and standard error, if any.
    pub(crate) output: Option<Arc<OwnedFd>>,
}

impl Start {
    fn stream(&self) -> Result<Stdio, HostError> {
        let Some(output) = &self.output else { return Ok(Stdio::null()) };
        let failed = |source| HostError::Start { what: "creating a pipe for its output", source };
        output.try_clone().map(Stdio::from).map_err(failed)
    }
}

/// A running worker. Dropping it ends the process and removes its box.
pub(crate) struct Worker {
    child: Child,
    control: UnixStream,
    memory: File,
    dictionary: Dictionary,
    decoder: Decoder,
    buffer: Vec<u8>,
    /// Number of scripts it was sent.
    pub(crate) given: u64,
    // Dropped last, after the process is gone.
    _folder: WorkerFolder,
}

/// Outcome of a batch.
pub(crate) struct Answer {
    /// The runs of the first scripts of the batch; the last may be that of a culprit.
    pub(crate) runs: Vec<Run>,
    pub(crate) fate: Fate,
    /// A call took too long. Either the worker has ended it and lives, or it was replaced.
    pub(crate) hung: bool,
}

/// State of the worker afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Lives,
    /// It wants to be replaced.
    Retires,
    /// It was ended because the time for everything was over; nobody is to blame.
    Late,
    TimedOut,
    Died(String),
}

/// Time limits for scripts.
#[derive(Clone, Copy)]
pub(crate) struct Patience<'a> {
    /// For each of them.
    pub(crate) script: &'a ScriptLimit,
    /// For all, and for nothing behind this moment.
    pub(crate) until: Option<Instant>,
    /// Takes calls that an author should know to be slow.
    pub(crate) slow_calls: &'a SlowCalls,
}

/// Reasons for which the worker was asked to end a call.
#[derive(Clone, Default)]
struct Hurried {
    /// The call took too long.
    hung: bool,
    /// The time for everything was over.
    late: bool,
    /// Scripts, counted from one, whose call was ended while it computed.
    looped: Vec<u64>,
}

/// Result of waiting for the end of a batch.
enum Waited {
    Done(Done),
    TimedOut,
    Late,
}

impl Worker {
    /// Starts a worker without waiting for it.
    pub(crate) fn start(start: &Start) -> Result<Self, HostError> {
        let failed = |what| move |source| HostError::Start { what, source };
        let folder = WorkerFolder::new(&start.boxes).map_err(failed("creating a folder for it"))?;
        let (control, theirs) = UnixStream::pair().map_err(failed("creating a socket"))?;
        let memory = shared::create().map_err(failed("creating memory for results"))?;
        let passed = [theirs.as_raw_fd(), memory.as_raw_fd()];
        let mut command = Command::new(&start.program);
        command
            .args(&start.arguments)
            .args(passed.map(|fd| fd.to_string()))
            // Passwords live in environments. Arenas of the C library would use up the limit on address
            // space.
            .env_clear()
            .env("MALLOC_ARENA_MAX", "2")
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(start.stream()?)
            .stderr(start.stream()?)
            // An interrupt at the terminal is for the coordinator, which then sees its workers off.
            .process_group(0);
        // SAFETY: between fork and exec only one async-signal-safe call is made for each number, which the
        // closure owns.
        unsafe { command.pre_exec(move || passed.into_iter().try_for_each(keep_open)) };
        let child = command.spawn().map_err(failed("starting the process"))?;
        let mut worker = Self {
            child,
            control,
            memory,
            dictionary: Dictionary::default(),
            decoder: Decoder::new(start.setup.probes.as_ref().map_or(0, Probes::bytes)),
            buffer: Vec::new(),
            given: 0,
            _folder: folder,
        };
        let setup = Setup { folder: worker._folder.path().to_owned(), ..start.setup.clone() };
        // If this fails, the worker is dead already, and waiting for its greeting says how it died.
        let _ = send(&mut worker.control, &setup.to_bytes());
        Ok(worker)
    }

    /// Tells whether there is something to receive from it, or it is gone.
    pub(crate) fn has_answered(&self) -> bool {
        poll(self.control.as_raw_fd(), Duration::ZERO).unwrap_or(true)
    }

    /// Waits for the worker's first words.
    pub(crate) fn greeting(&mut self, limit: Duration) -> Result<Greeting, String> {
        let timeouts = self
            .control
            .set_read_timeout(Some(limit))
            .and_then(|()| self.control.set_write_timeout(Some(limit)));
        let greeting = timeouts.and_then(|()| receive(&mut self.control));
        match greeting {
            Ok(bytes) => Greeting::from_bytes(&bytes).map_err(|_| "sent a malformed message".to_owned()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                Err(format!("did not respond for {} s", limit.as_secs_f64()))
            }
            Err(_) => Err(self.farewell()),
        }
    }

    /// The next message, or nothing when none comes for so long.
    pub(crate) fn message(&mut self, limit: Duration) -> io::Result<Option<Vec<u8>>> {
        if !poll(self.control.as_raw_fd(), limit)? {
            return Ok(None);
        }
        // The subject may have written a beginning to the socket and nothing more.
        self.control.set_read_timeout(Some(Duration::from_secs(1)))?;
        receive(&mut self.control).map(Some)
    }

    /// The socket for messages, and the memory for results.
    pub(crate) fn channels(&mut self) -> (&mut UnixStream, &File) {
        (&mut self.control, &self.memory)
    }

    /// Lets the worker end by itself for a while; its exit code, or what else became of it.
    pub(crate) fn exit(&mut self) -> Result<i32, String> {
        let how = self.farewell();
        match self.child.try_wait() {
            Ok(Some(status)) => status.code().ok_or(how),
            _ => Err(how),
        }
    }

    /// Has scripts run.
    pub(crate) fn ask(&mut self, scripts: &[Script], depth: Depth, patience: Patience<'_>) -> Answer {
        self.given += scripts.len() as u64;
        let mut hurried = Hurried::default();
        let message = self.dictionary.batch(depth, scripts.iter());
        let sent = shared::reset(&self.memory).and_then(|()| send(&mut self.control, &message));
        let fate = match sent.and_then(|()| self.watch(patience, &mut hurried)) {
            Ok(Waited::Done(done)) => {
                patience.script.learn(Duration::from_micros(done.longest));
                for slow in done.slow {
                    let time = Duration::from_micros(slow.time);
                    if let Some(callable) = self.dictionary.callable(slow.callable) {
                        patience.script.add_slow(callable.clone(), time);
                    }
                    let script = scripts.get(slow.script).filter(|_| time >= TOO_SLOW && !slow.is_first);
                    script.into_iter().for_each(|script| patience.slow_calls.add(script, slow.statement));
                }
                if done.retires { Fate::Retires } else { Fate::Lives }
            }
            Ok(Waited::TimedOut) => {
                self.end();
                Fate::TimedOut
            }
            Ok(Waited::Late) => {
                self.end();
                Fate::Late
            }
            Err(_) => Fate::Died(self.farewell()),
        };
        self.collect(scripts, fate, hurried)
    }

    /// Waits for the end of a batch, until a script takes too long: the whole limit, or a part of it in which
    /// the worker does nothing at all and so waits for something that nobody will give it. Time in which the
    /// worker could run and a busy machine gave it no processor is not the script's. The worker is first
    /// asked to end a call for which there is no more time, because replacing it takes longer.
    fn watch(&mut self, patience: Patience<'_>, hurried: &mut Hurried) -> io::Result<Waited> {
        let (limit, short) = (patience.script.full(), patience.script.short());
        let between_looks = (limit / 20).clamp(Duration::from_millis(1), Duration::from_millis(100));
        let slice = between_looks.min(short / 4).max(Duration::from_millis(1));
        let (mut seen, mut since, mut looked) = (0, Instant::now(), Instant::now());
        // Counted from when the first script is seen to run, because reading it takes half a millisecond.
        let (mut used, mut starved) = (self.processor_time(), Duration::ZERO);
        let mut stillness = Stillness::new(self.child.id());
        let mut asked: Option<Instant> = None;
        let left = patience.until.map(|until| until.saturating_duration_since(Instant::now()));
        let most = left.map_or(limit, |left| (left / SHARE).max(LEAST_LEFT).min(limit));
        while !poll(self.control.as_raw_fd(), slice)? {
            let started = shared::started(&self.memory)?;
            let mut is_still = false;
            if looked.elapsed() >= between_looks {
                (is_still, looked) = (stillness.look(), Instant::now());
            }
            if patience.until.is_some_and(|until| Instant::now() >= until) {
                if asked.is_some_and(|asked| asked.elapsed() > TO_STOP) || started == 0 {
                    let is_to_blame = hurried.looped.contains(&started);
                    return Ok(if is_to_blame { Waited::TimedOut } else { Waited::Late });
                }
                if asked.is_none() || started != seen {
                    // What has computed for long would most likely have gone on; otherwise nobody is to
                    // blame. A phase that ends in a call that hangs would else have learned nothing from it,
                    // nor the next one.
                    let computed = self.processor_time().saturating_sub(used).min(since.elapsed());
                    if started == seen && computed > self.allowed(patience)?.min(most) / 2 {
                        self.note_hang(patience, hurried)?;
                        hurried.looped.push(started);
                    } else {
                        hurried.late = true;
                    }
                    // Scripts that ended in the meantime do not give the next one more time.
                    asked = asked.or_else(|| Some(Instant::now()));
                    seen = started;
                    shared::ask_to_stop(&self.memory, started)?;
                }
                continue;
            }
            if started != seen {
                (seen, since) = (started, Instant::now());
                (used, starved) = (self.processor_time(), self.starved_time());
                stillness.begin();
                asked = None;
            } else if is_still || asked.is_some_and(|asked| asked.elapsed() > TO_STOP) {
                hurried.hung = true;
                return Ok(Waited::TimedOut);
            } else if asked.is_some() {
                continue;
            } else if since.elapsed() > short.min(most) {
                let allowed = self.allowed(patience)?.min(most);
                let used = self.processor_time().saturating_sub(used);
                let waited = since.elapsed();
                let own = || waited.saturating_sub(self.starved_time().saturating_sub(starved));
                if (waited > allowed && used > allowed)
                    || (waited > limit && (waited > limit * STARVED || own() > limit))
                {
                    self.note_hang(patience, hurried)?;
                    // Half, because the clocks of the process and of its threads differ a little, and what
                    // waits uses nearly nothing.
                    if used > allowed / 2 {
                        hurried.looped.push(started);
                    }
                    shared::ask_to_stop(&self.memory, started)?;
                    asked = Some(Instant::now());
                }
            }
        }
        // The subject may have written a beginning to the socket and nothing more, so this has a limit too.
        self.control.set_read_timeout(Some(limit.max(Duration::from_secs(1))))?;
        let done = receive(&mut self.control)?;
        Done::from_bytes(&done).map(Waited::Done).map_err(|_| io::ErrorKind::InvalidData.into())
    }

    /// The call that the worker makes now.
    fn calling(&self) -> io::Result<Option<&Arc<Callable>>> {
        Ok(shared::calling(&self.memory)?.and_then(|number| self.dictionary.callable(number)))
    }

    /// The time that the call has which the worker makes now.
    fn allowed(&self, patience: Patience<'_>) -> io::Result<Duration> {
        Ok(self.calling()?.map_or(patience.script.full(), |callable| patience.script.of(callable)))
    }

    /// Takes note that the call which the worker makes now took too long.
    fn note_hang(&self, patience: Patience<'_>, hurried: &mut Hurried) -> io::Result<()> {
        self.calling()?.cloned().into_iter().for_each(|callable| patience.script.add_hung(callable));
        hurried.hung = true;
        Ok(())
    }

    /// The processor time that the process has used; zero if the kernel does not say.
    pub(crate) fn processor_time(&self) -> Duration {
        processor_time(self.child.id()).unwrap_or_default()
    }

    /// The time that the threads of the process could have run and did not, because others did; zero if the
    /// kernel does not say.
    pub(crate) fn starved_time(&self) -> Duration {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let of_thread = |task: fs::DirEntry| -> Option<u64> {
            let times = fs::read_to_string(task.path().join("schedstat")).ok()?;
            times.split_whitespace().nth(1)?.parse().ok()
        };
        Duration::from_nanos(tasks.into_iter().flatten().flatten().filter_map(of_thread).sum())
    }

    /// Reads the results, and gives the script that was running when the worker ended its part of the blame.
    fn collect(&mut self, scripts: &[Script], mut fate: Fate, hurried: Hurried) -> Answer {
        let mut runs = Vec::with_capacity(scripts.len());
        let mut buffer = std::mem::take(&mut self.buffer);
        let started = shared::started(&self.memory).unwrap_or(0);
        if shared::results(&self.memory, &mut buffer).is_err() {
            buffer.clear();
        }
        let mut take = Take(&buffer);
        let mut last = Vec::new();
        while !take.is_empty() && runs.len() < scripts.len() {
            match self.decoder.run(&mut take, scripts[runs.len()].statements.len()) {
                Ok((steps, Extent::Partial)) => last = steps,
                Ok((steps, Extent::Oversized)) => {
                    runs.push(Run { steps, end: End::Oversized, leaked: false, passed: None });
                }
                Ok((steps, extent @ (Extent::Blocked | Extent::Waited)))
                    if steps.len() < scripts[runs.len()].statements.len() =>
                {
                    let end = if extent == Extent::Blocked { End::Blocked } else { End::TimedOut };
                    runs.push(Run { steps, end, leaked: false, passed: None });
                }
                Ok((steps, Extent::Complete { leaked, passed }))
                    if steps.len() == scripts[runs.len()].statements.len() =>
                {
                    runs.push(Run { steps, end: End::Complete, leaked, passed });
                }
                Ok((_, Extent::Complete { .. } | Extent::Blocked | Extent::Waited)) | Err(_) => {
                    if !matches!(fate, Fate::TimedOut | Fate::Late | Fate::Died(_)) {
                        self.end();
                        fate = Fate::Died("returned malformed results".to_owned());
                    }
                    break;
                }
            }
        }
        self.buffer = buffer;
        let end = match &fate {
            Fate::Lives | Fate::Retires | Fate::Late => None,
            Fate::TimedOut => Some(End::TimedOut),
            Fate::Died(how) => Some(End::Died { how: how.clone() }),
        };
        if let Some(end) = end
            && runs.len() < scripts.len()
            && started > runs.len() as u64
        {
            last.truncate(scripts[runs.len()].statements.len());
            runs.push(Run { steps: last, end, leaked: false, passed: None });
        }
        for started in hurried.looped {
            let run = usize::try_from(started).ok().and_then(|started| runs.get_mut(started.checked_sub(1)?));
            if let Some(run) = run.filter(|run| run.end == End::TimedOut) {
                run.end = End::Looped;
            }
        }
        // The call that was ended because time was up for everything is not to blame.
        if hurried.late && runs.last().is_some_and(|run| matches!(run.end, End::TimedOut | End::Blocked)) {
            runs.pop();
        }
        Answer { runs, fate, hung: hurried.hung }
    }

    /// Lets a worker end that hung up, or ends it, and says what became of it.
    fn farewell(&mut self) -> String {
        let gone = pidfd(self.child.id()).and_then(|process| poll(process.as_raw_fd(), FAREWELL));
        if !matches!(gone, Ok(true)) {
            self.end();
            return "closed its connection and was stopped".to_owned();
        }
        self.child.wait().map_or_else(|error| format!("is lost: {error}"), describe)
    }

    /// Ends the process, and what it may have started where nothing keeps it from doing so.
    fn end(&mut self) {
        if let Ok(None) = self.child.try_wait()
            && let Ok(group) = libc::pid_t::try_from(self.child.id())
        {
            // SAFETY: the process leads its own group and has not been waited for, so that the number is
            // still its own.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

/// Keeps a descriptor open in the program that is about to be executed.
fn keep_open(fd: RawFd) -> io::Result<()> {
    // SAFETY: setting the flags of an open descriptor touches no memory.
    if unsafe { libc::fcntl(fd, libc::F_SETFD, 0) } < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A descriptor that becomes readable when the process ends.
fn pidfd(process: u32) -> io::Result<OwnedFd> {
    // SAFETY: a call with integer arguments.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
    let fd = RawFd::try_from(fd).ok().filter(|fd| *fd >= 0).ok_or_else(io::Error::last_os_error)?;
    // SAFETY: the descriptor was just opened and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Waits until the descriptor can be read or was hung up; `false` after `limit`.
fn poll(fd: RawFd, limit: Duration) -> io::Result<bool> {
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let milliseconds = limit.as_millis().try_into().unwrap_or(i32::MAX);
    // SAFETY: one structure, which lives until the call returns.
    match unsafe { libc::poll(&raw mut poll, 1, milliseconds) } {
        0 => Ok(false),
        count if count > 0 => Ok(true),
        _ if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => Ok(false),
        _ => Err(io::Error::last_os_error()),
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (_, Some(signal)) => format!("was killed by signal {signal}"),
        _ => "ended".to_owned(),
    }
}
