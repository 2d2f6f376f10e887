//! Threads that a script starts: the worker waits until they are quiet before it looks at an object, and ends
//! them after the script.
//!
//! A thread is quiet if it waits or has ended. The kernel says so: a thread that was woken can run from that
//! moment on, while the machine calls it waiting until it does run. Without this wait, the fields of an
//! object and the outcome of the next call depend on how busy the machine is.
//!
//! Threads of earlier scripts disturb later ones. So at the end of a script its threads are interrupted, and
//! those that go on waiting nonetheless end with an error that is thrown into them, unless they are daemons:
//! those often serve all scripts, such as the workers of a common pool. What a later script has such a thread
//! do is waited for as well. But a thread that serves all scripts is started once: where scripts leave one
//! daemon of a kind after the other, each belongs to an object, and ends like any other.
//!
//! Cost: a look at the clock for each call. Starting a thread takes longer than [`QUICK`], so only after a
//! slow call the threads of the process are counted, which takes 300 ns. Once a script has started threads,
//! two looks at each of them for each call, and once scripts have left some, one: each takes a microsecond or
//! two. That would be most of the time where a value leaves a thread that nobody uses again, so one that was
//! always quiet is looked at less and less often, except after slow calls. Threads of a kind that interrupts
//! do not end are not given time for it again.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

use jni_sys::{jmethodID, jobject};

use crate::agent::Tools;
use crate::jni;
use crate::known::find_class;
use crate::tasks::{State, Tasks};
use crate::vm::{self, Env, Global};

/// A call that takes no longer starts no thread.
const QUICK: Duration = Duration::from_micros(15);

/// Time that threads have to become quiet after a call, and after all calls of a script together.
const AFTER_CALL: Duration = Duration::from_millis(10);
const AFTER_CALLS: Duration = Duration::from_millis(30);

/// Time that threads have to end after they were interrupted, and after an error was thrown into them. Once
/// all of them wait again, they do not end.
const TO_END: Duration = Duration::from_millis(30);

/// Number of consecutive looks that must find all threads quiet.
const LOOKS: u32 = 2;
const LOOKS_AT_END: u32 = 20;

/// Number of daemons of one kind that scripts may leave before such threads are ended.
const MOST_DAEMONS: u32 = 6;

/// Time between two looks.
const LOOK: Duration = Duration::from_micros(50);

/// Beginnings of the names of threads that the machine and its class library start and end by themselves. The
/// cleaner is started by the first script that needs it, and runs no code of scripts.
const OF_THE_MACHINE: [&str; 7] =
    ["C1 Compiler", "C2 Compiler", "GC Thread", "G1 ", "VM ", "Attach Listener", "Common-Cleaner"];

/// Looks after the threads of scripts.
pub(crate) struct Threads {
    env: Env,
    tools: Tools,
    is_daemon: jmethodID,
    name: jmethodID,
    error: Global,
    tasks: Tasks,
    /// Number of threads when all were known.
    count: u64,
    /// Threads that are not the script's: their numbers, and their objects.
    known: BTreeSet<u32>,
    objects: Vec<Global>,
    /// Threads that earlier scripts left.
    strays: Vec<Stray>,
    /// For each kind of threads that an interrupt does not end, the number of daemons that scripts left.
    kinds: BTreeMap<String, u32>,
    /// Number of threads that waited with a time limit when the last script had ended, if it started any.
    pub(crate) timed_waits: Option<usize>,
    /// End of the last call.
    since: Instant,
    /// Time that is left for threads of this script to become quiet.
    left: Duration,
    /// This script has started threads.
    started: bool,
    /// The machine has started threads of its own, which may wait with a time limit.
    has_grown: bool,
}

impl Threads {
    /// Takes the threads that there are for those of the machine; nothing if it cannot be asked.
    pub(crate) fn new(env: Env) -> Option<Self> {
        let tools = Tools::of(env)?;
        let (threads, errors) =
            (find_class(env, "java/lang/Thread").ok()?, find_class(env, "java/lang/Error").ok()?);
        // SAFETY: the classes are live references, and the names live until the calls return.
        let (is_daemon, name, error) = unsafe {
            let is_daemon = jni!(env, GetMethodID, threads.get(), c"isDaemon".as_ptr(), c"()Z".as_ptr());
            let text = c"()Ljava/lang/String;".as_ptr();
            let name = jni!(env, GetMethodID, threads.get(), c"getName".as_ptr(), text);
            let new = jni!(env, GetMethodID, errors.get(), c"<init>".as_ptr(), c"()V".as_ptr());
            if is_daemon.is_null() || name.is_null() || new.is_null() {
                return None;
            }
            let error = jni!(env, NewObjectA, errors.get(), new, std::ptr::null());
            (is_daemon, name, Global::of_local(env, error)?)
        };
        let tasks = Tasks::own();
        let mut made = Self {
            env,
            tools,
            is_daemon,
            name,
            error,
            tasks,
            count: 0,
            known: BTreeSet::new(),
            objects: Vec::new(),
            strays: Vec::new(),
            kinds: BTreeMap::new(),
            timed_waits: None,
            since: Instant::now(),
            left: AFTER_CALLS,
            started: false,
            has_grown: false,
        };
        made.known = made.numbers();
        made.count = made.tasks.count();
        made.remember();
        Some(made)
    }

    /// Says that a script begins.
    pub(crate) fn begin(&mut self) {
        (self.since, self.left) = (Instant::now(), AFTER_CALLS);
    }

    /// Waits until the threads that the script has started are quiet, if there are any. Returns the time that
    /// the call took.
    pub(crate) fn after_call(&mut self) -> Duration {
        let now = Instant::now();
        let took = now.duration_since(self.since);
        let quick = took < QUICK;
        self.since = now;
        let tasks = &mut self.tasks;
        let is_idle = self.strays.iter_mut().all(|stray| stray.is_quiet(quick, tasks));
        if !self.started && is_idle && (quick || self.tasks.count() == self.count) {
            return took;
        }
        let limit = AFTER_CALL.min(self.left);
        let (mut quiet, mut last) = (0, Instant::now());
        while quiet < LOOKS && last.duration_since(now) <= limit {
            let foreign = self.foreign();
            self.started = !foreign.is_empty();
            let mut waited_for = foreign.into_iter().chain(self.strays.iter().map(|stray| stray.number));
            let tasks = &mut self.tasks;
            quiet = if waited_for.all(|number| is_quiet(tasks.state(number))) { quiet + 1 } else { 0 };
            if !self.started {
                self.count = self.tasks.count();
                if quiet > 0 {
                    break;
                }
            }
            // One thread may have woken another that was looked at before it. So it takes two looks, but no
            // time between them.
            if quiet == 0 {
                thread::sleep(LOOK);
            }
            last = Instant::now();
        }
        // A thread that is busy all the time will be so after the next call.
        let waited = last.duration_since(now);
        self.left = if waited > limit { Duration::ZERO } else { self.left.saturating_sub(waited) };
        self.since = Instant::now();
        took
    }

    /// Ends the threads that the script has started, and counts those that do not end as known.
    pub(crate) fn end(&mut self) {
        let has_grown = std::mem::take(&mut self.has_grown);
        if !std::mem::take(&mut self.started) {
            if has_grown {
                self.timed_waits = Some(self.tools.timed_waits(self.env));
            }
            return;
        }
        let tools = self.tools;
        self.each_object(|made, thread| {
            if !made.is_known(thread) {
                let _ = tools.interrupt(thread);
                if made.is_due(thread) {
                    let _ = tools.stop(thread, made.error.get());
                }
            }
        });
        if !self.have_ended() {
            let mut stopped = false;
            self.each_object(|made, thread| {
                if !made.is_known(thread) {
                    let is_daemon = made.is_daemon(thread);
                    *made.kinds.entry(made.kind(thread)).or_default() += u32::from(is_daemon);
                    stopped |= !is_daemon && tools.stop(thread, made.error.get()).is_ok();
                }
            });
            if stopped {
                self.have_ended();
            }
        }
        let left = self.foreign().into_iter().map(Stray::new);
        self.strays = left.chain(std::mem::take(&mut self.strays)).collect();
        self.known = self.numbers();
        self.strays.retain(|stray| self.known.contains(&stray.number));
        let strays: BTreeSet<u32> = self.strays.iter().map(|stray| stray.number).collect();
        self.tasks.retain(|number| strays.contains(&number));
        self.count = self.tasks.count();
        self.remember();
        self.timed_waits = Some(self.tools.timed_waits(self.env));
    }

    /// Takes all threads that there are for known ones.
    fn remember(&mut self) {
        self.objects.clear();
        let env = self.env;
        self.each_object(|made, thread| {
            // SAFETY: the reference is a local one that is used only here.
            made.objects.extend(unsafe { Global::of_local(env, thread) });
        });
    }

    /// Waits for the end of the threads that the script has started, and tells whether it came.
    fn have_ended(&mut self) -> bool {
        let (begun, mut quiet) = (Instant::now(), 0);
        loop {
            let foreign = self.foreign();
            if foreign.is_empty() {
                return true;
            }
            let mut foreign = foreign.into_iter();
            quiet = if foreign.all(|number| is_quiet(self.tasks.state(number))) { quiet + 1 } else { 0 };
            if quiet >= LOOKS_AT_END || begun.elapsed() > TO_END {
                return false;
            }
            thread::sleep(LOOK);
        }
    }

    /// The numbers of the threads of this process.
    fn numbers(&self) -> BTreeSet<u32> {
        self.tasks.numbers().unwrap_or_default().into_iter().collect()
    }

    /// Threads that are not known. Those of the machine become so.
    fn foreign(&mut self) -> Vec<u32> {
        let mut foreign = Vec::new();
        for number in self.tasks.numbers().unwrap_or_default() {
            if self.known.contains(&number) {
                continue;
            }
            let name = self.tasks.name(number);
            if OF_THE_MACHINE.iter().any(|start| name.starts_with(start)) {
                self.known.insert(number);
                self.has_grown = true;
            } else {
                foreign.push(number);
            }
        }
        foreign
    }

    fn is_known(&self, thread: jobject) -> bool {
        // SAFETY: both are live references.
        self.objects.iter().any(|known| unsafe { jni!(self.env, IsSameObject, known.get(), thread) })
    }

    fn is_daemon(&self, thread: jobject) -> bool {
        // SAFETY: the object is a thread, on which the method was looked up; what it throws is taken away.
        unsafe {
            let is_daemon = jni!(self.env, CallBooleanMethodA, thread, self.is_daemon, std::ptr::null());
            vm::take_exception(self.env).is_null() && is_daemon
        }
    }

    /// Tells whether interrupting the thread is not enough, as experience with its kind shows, and whether it
    /// may be ended otherwise.
    fn is_due(&self, thread: jobject) -> bool {
        if self.kinds.is_empty() {
            return false;
        }
        let left = self.kinds.get(&self.kind(thread));
        left.is_some_and(|&left| left >= MOST_DAEMONS || !self.is_daemon(thread))
    }

    /// The kind of a thread: its class, or its name without numbers if any thread may be of that class.
    fn kind(&self, thread: jobject) -> String {
        const LONGEST: usize = 40;
        let env = self.env;
        // SAFETY: the object is a thread, on which the method was looked up; what it throws is taken away,
        // and both references are given back.
        unsafe {
            let class = jni!(env, GetObjectClass, thread);
            let name = self.tools.class_name(class).unwrap_or_default();
            jni!(env, DeleteLocalRef, class);
            if name != "java.lang.Thread" {
                return name;
            }
            let text = jni!(env, CallObjectMethodA, thread, self.name, std::ptr::null());
            let thrown = vm::take_exception(env);
            let mut name = String::new();
            if thrown.is_null() && !text.is_null() {
                name = vm::text(env, text, LONGEST, &mut Vec::new());
                jni!(env, DeleteLocalRef, text);
            } else {
                jni!(env, DeleteLocalRef, thrown);
            }
            name.retain(|letter| !letter.is_ascii_digit());
            name
        }
    }

    /// Hands over all threads, as local references of a frame of their own.
    fn each_object(&mut self, mut each: impl FnMut(&mut Self, jobject)) {
        // SAFETY: the frame is popped, and nothing made in it is used afterwards.
        unsafe {
            if jni!(self.env, PushLocalFrame, 256) != 0 {
                return jni!(self.env, ExceptionClear);
            }
            for thread in self.tools.all_threads().unwrap_or_default() {
                each(self, thread);
            }
            jni!(self.env, PopLocalFrame, std::ptr::null_mut());
        }
    }
}

/// A thread that an earlier script left. It may serve later ones, or nobody any more.
struct Stray {
    number: u32,
    /// Number of looks in a row that found it quiet.
    quiet: u32,
    /// Number of quick calls after which it is not looked at.
    passed_over: u32,
}

impl Stray {
    /// Looks that must find it quiet before it is looked at less often, and the most calls without a look.
    const PATIENCE: u32 = 32;
    const LONGEST: u32 = 256;

    fn new(number: u32) -> Self {
        Self { number, quiet: 0, passed_over: 0 }
    }

    /// Tells whether it is quiet, as far as that is worth a look after a call that was quick or not.
    fn is_quiet(&mut self, quick: bool, tasks: &mut Tasks) -> bool {
        if quick && self.passed_over > 0 {
            self.passed_over -= 1;
            return true;
        }
        if !is_quiet(tasks.state(self.number)) {
            self.quiet = 0;
            return false;
        }
        self.quiet = self.quiet.saturating_add(1);
        self.passed_over = self.quiet.saturating_sub(Self::PATIENCE).min(Self::LONGEST);
        true
    }
}

/// Tells whether a thread in this state waits or has ended.
fn is_quiet(state: State) -> bool {
    matches!(state, State::Sleeps | State::Gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing can be seen of a thread that is gone, which counts as quiet.
    #[test]
    fn a_thread_that_is_always_quiet_is_looked_at_rarely() {
        let (mut stray, mut tasks) = (Stray::new(u32::MAX), Tasks::own());
        let mut looks = 0;
        for _ in 0..10_000 {
            looks += u32::from(stray.passed_over == 0);
            assert!(stray.is_quiet(true, &mut tasks));
        }
        assert!((Stray::PATIENCE..400).contains(&looks), "{looks}");
        let quiet = stray.quiet;
        assert!(
            stray.is_quiet(false, &mut tasks) && stray.quiet == quiet + 1,
            "a slow call may have woken it"
        );
    }
}
