//! The worker: enters the sandbox, creates HotSpot, and runs batches of scripts until the coordinator closes
//! the connection.
//!
//! It is the coordinator's own binary, started again with the numbers of two open descriptors: a socket for
//! messages and the memory for results. The standard streams belong to the subject, which may print to them
//! or close them.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use crate::agent;
use crate::descriptors::Descriptors;
use crate::fresh::Fresh;
use crate::iteration;
use crate::known::{Known, find_class};
use crate::message::{Done, Greeting, Job, ScriptSetup, Setup, receive, send};
use crate::play::{LARGEST_RUN, PlayOptions, Player};
use crate::probes::{ProbeReader, Prober};
use crate::record::{Assignment, task};
use crate::sandbox;
use crate::scripts::{take_depth, take_member};
use crate::shared::{Results, StopRequests};
use crate::vm::{self, Env, MachineOptions};
use crate::watch::{Touch, Watcher};
use crate::wire::{Garbled, Take};

/// The exit code of a worker that was started by hand or could not begin.
const NOT_BEGUN: u8 = 2;

/// Threads that a batch may leave behind before the worker asks to be replaced. The machine itself starts and
/// ends a few for compiling and collecting.
const STRAY_THREADS: usize = 32;

/// Calls that loop which may be ended before the worker asks to be replaced: what they have left half done in
/// static state is unknown.
const MOST_STOPS: u32 = 8;

/// The first scripts of a worker load classes and are no measure for those that follow.
const FIRST_SCRIPTS: u64 = 64;

/// Runs a worker from start to exit. The process must have one thread and have opened no files.
///
/// `arguments` are the two descriptors that the coordinator passed.
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(NOT_BEGUN),
    }
}

fn run(mut arguments: impl Iterator<Item = OsString>) -> io::Result<()> {
    let (socket, memory) = (descriptor(arguments.next())?, descriptor(arguments.next())?);
    if socket == memory {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: both are open, as `descriptor` has checked, they differ, they are not the standard streams, and
    // nothing in this process has opened a file yet: the coordinator passed them for this very use.
    let (mut control, memory) = unsafe { (UnixStream::from_raw_fd(socket), File::from_raw_fd(memory)) };
    let setup = Setup::from_bytes(&receive(&mut control)?).map_err(garbled)?;
    let assignment = match &setup.job {
        Job::Record(bytes) => Some(Assignment::from_bytes(bytes).map_err(garbled)?),
        _ => None,
    };
    let writable = assignment.as_ref().map(|assignment| assignment.writable.as_slice());
    let protection = sandbox::enter(&setup.folder, setup.memory, writable.unwrap_or_default());
    let greeting = |machine| Greeting { protection: protection.clone(), machine, unprobed: None };
    let Some(libjvm) = setup.libjvm else { return send(&mut control, &greeting(Ok(())).to_bytes()) };
    if setup.protected && !protection.is_enough() {
        return send(&mut control, &greeting(Err("it is not sandboxed".to_owned())).to_bytes());
    }
    let hangup = control.try_clone()?;
    let job = setup.job;
    thread::Builder::new().name("hangup".to_owned()).spawn(move || leave_at_hangup(&hangup))?;
    let mut options = MachineOptions {
        libjvm,
        class_path: setup.class_path,
        folder: setup.folder,
        heap_megabytes: setup.memory.heap_megabytes,
        flags: setup.machine_flags,
    };
    thread::scope(|scope| {
        let work = || -> io::Result<()> {
            if let Some(assignment) = assignment {
                return task::perform(assignment, options, control, &memory, protection.clone());
            }
            let mut results = Results::map(&memory)?;
            let watcher = match &job {
                Job::Watch(classes) => Some(Watcher::new(classes)),
                _ => None,
            };
            let prober = setup.probes.map(Prober::new);
            let listener: Option<Box<dyn agent::Listener>> = match (watcher, prober) {
                (Some(watcher), _) => Some(Box::new(watcher)),
                (None, Some(prober)) => Some(Box::new(prober)),
                (None, None) => None,
            };
            let prepared = listener.map(|listener| {
                options.flags.push(agent::FLAG.to_owned());
                agent::prepare(listener)
            });
            let created = prepared.unwrap_or(Ok(())).and_then(|()| vm::create(&options));
            let mut unprobed = None;
            let player = created.and_then(|env| {
                let touch = watcher.map(|watcher| Touch::new(env, watcher)).transpose()?;
                let probe_reader = prober.map(|prober| {
                    let (probe_reader, why) = ProbeReader::begin(env, prober);
                    unprobed = why;
                    probe_reader
                });
                prepare(env, &options, setup.scripts, touch, probe_reader, results.stop_requests())
            });
            match player {
                Ok(player) => {
                    send(&mut control, &Greeting { unprobed, ..greeting(Ok(())) }.to_bytes())?;
                    serve(player, &mut control, &mut results)
                }
                Err(why) => send(&mut control, &greeting(Err(why)).to_bytes()),
            }
        };
        let worker = thread::Builder::new().name("scripts".to_owned()).stack_size(vm::STACK);
        let _ = worker.spawn_scoped(scope, work)?.join();
        io::Result::Ok(())
    })?;
    leave()
}

/// Makes a player on a new machine.
fn prepare(
    env: Env,
    options: &MachineOptions,
    setup: ScriptSetup,
    touch: Option<Touch>,
    probe_reader: Option<ProbeReader>,
    stop_requests: StopRequests,
) -> Result<Player, String> {
    let ScriptSetup { text, snapshots, watch_descriptors, fresh_statics, iteration } = setup;
    iteration::set(env, iteration);
    let known = Known::find(env).ok_or("unexpected JDK: core classes or methods are missing")?;
    let fresh = fresh_statics
        .then(|| Fresh::new(env, &known, &options.class_path).ok_or("no loader for the class path"));
    let descriptors = watch_descriptors.then(|| {
        // The machine opens a jar of the class path when it first looks for a class behind it. Looking for
        // one that is nowhere has it open them all, so that no script is blamed.
        if let Err(thrown) = find_class(env, "adit/Nowhere") {
            // SAFETY: a local reference that is not used afterwards.
            unsafe { crate::jni!(env, DeleteLocalRef, thrown) }
        }
        let home = options.libjvm.ancestors().nth(3).map(Path::to_owned);
        let jars = options.class_path.iter().filter(|entry| entry.is_file()).cloned();
        Descriptors::new(&jars.chain(home).collect::<Vec<_>>())
    });
    let fresh = fresh.transpose()?;
    Player::new(
        env,
        known,
        PlayOptions { text, snapshots, descriptors, fresh, touch, probe_reader, stop_requests },
    )
}

/// Answers batches until the coordinator hangs up.
fn serve(mut player: Player, control: &mut UnixStream, results: &mut Results) -> io::Result<()> {
    let threads = count_threads();
    let (mut given, mut stops) = (0, 0);
    loop {
        let batch = receive(control)?;
        results.begin();
        player.watchdog.iter().for_each(|watchdog| watchdog.set_active(true));
        let (ran, longest) = play_batch(&mut player, &batch, results, given).map_err(garbled)?;
        given += ran;
        stops += u32::from(results.stop_requests().is_asked());
        player.watchdog.iter().for_each(|watchdog| watchdog.set_active(false));
        let retires = player.is_suspect() || stops >= MOST_STOPS || count_threads() > threads + STRAY_THREADS;
        send(control, &Done { ran, retires, longest, slow: std::mem::take(&mut player.slow) }.to_bytes())?;
    }
}

/// Runs the scripts of a batch, or as many as there is room for. Says how many, and how many microseconds the
/// longest took. `given` scripts were run before.
fn play_batch(
    player: &mut Player,
    batch: &[u8],
    results: &mut Results,
    given: u64,
) -> Result<(u64, u64), Garbled> {
    let mut take = Take(batch);
    player.depth = take_depth(&mut take)?;
    for _ in 0..take.count()? {
        player.learn(take_member(&mut take)?);
    }
    let (count, mut longest) = (take.count()? as u64, 0);
    for index in 0..count {
        let length = take.size()?;
        let script = take.bytes(length)?;
        if results.room() < LARGEST_RUN || player.is_suspect() {
            return Ok((index, longest));
        }
        // This is what names the culprit if the next line never ends.
        results.set_started(index + 1);
        player.script = index as usize;
        let begun = Instant::now();
        player.play(script, results)?;
        let is_usual = given + index >= FIRST_SCRIPTS && player.is_warm;
        if is_usual && !results.stop_requests().is_asked() {
            longest = longest.max(begun.elapsed().as_micros().try_into().unwrap_or(u64::MAX));
        }
        // The coordinator decides whether the rest is worth running.
        if results.stop_requests().is_asked() {
            return Ok((index + 1, longest));
        }
    }
    Ok((count, longest))
}

/// Ends the process when the coordinator is gone. Nothing else would end it while a script loops.
fn leave_at_hangup(control: &UnixStream) {
    use std::os::fd::AsRawFd;
    let mut poll = libc::pollfd { fd: control.as_raw_fd(), events: 0, revents: 0 };
    loop {
        // SAFETY: one structure, which lives until the call returns.
        let ready = unsafe { libc::poll(&raw mut poll, 1, -1) };
        if ready < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted {
            continue;
        }
        leave()
    }
}

/// Ends the process at once: what the subject registered to run at the end is not wanted.
fn leave() -> ! {
    // SAFETY: the call does not return and runs no code of this process.
    unsafe { libc::_exit(0) }
}

/// The number of an open descriptor that is none of the standard streams.
fn descriptor(argument: Option<OsString>) -> io::Result<RawFd> {
    let number: Option<RawFd> = argument.and_then(|argument| argument.to_str()?.parse().ok());
    let number = number.filter(|number| *number > 2).ok_or(io::ErrorKind::InvalidInput)?;
    // SAFETY: asking for the flags of a number that may or may not be open changes nothing.
    if unsafe { libc::fcntl(number, libc::F_GETFD) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(number)
}

pub(crate) fn count_threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

fn garbled(_: Garbled) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the message is malformed")
}
