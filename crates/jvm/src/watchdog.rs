//! Watchdog of a worker: ends a call that blocks or loops, so that the machine lives on.
//!
//! A call blocks if the script's thread waits and nothing else in the process runs: nobody is left who could
//! give it the permit, the element or the notification that it waits for. The watchdog sees that within some
//! milliseconds, where replacing the machine takes a hundred times as long. It first interrupts the thread;
//! a wait that ignores interrupts ends with an error that is thrown into it. If neither helps, or if the
//! thread waits inside native code, the coordinator replaces the worker.
//!
//! The coordinator knows how long a call may take, and asks for the end of one that loops. An error is thrown
//! into it, and the coordinator replaces the worker only if that does not help either. A class whose
//! initializer loops would be unusable afterwards, so that call is left to the coordinator.
//!
//! A wait with a time limit, of the script's thread or of a thread that the script started, may end by
//! itself. It is given [`TIMED`], and what takes longer has timed out.
//!
//! Cost: the script's thread stores a number for each script and loads a flag after each call. A call that
//! blocks takes about a millisecond where others did so shortly before, and three otherwise.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use jni_sys::{JNI_OK, JavaVM, jmethodID, jobject};

use crate::agent::{Frame, Tools, thread_state};
use crate::jni;
use crate::known::find_class;
use crate::shared::StopRequests;
use crate::stillness::Stillness;
use crate::vm::{self, Env, Global};

/// Time between two looks. Most scripts take less than a tenth of it.
const LOOK: Duration = Duration::from_millis(LOOK_MILLISECONDS as u64);
const LOOK_MILLISECONDS: i64 = 1;

/// Time between two looks at a script that takes long, and wherever calls block.
const SHORT_LOOK: Duration = Duration::from_micros(200);

/// Number of short looks at one script. A machine that exits waits 300 ms for threads that run code of their
/// own, as a thread does that sleeps outside of the machine; so afterwards the watchdog sleeps inside of it.
const SHORT_LOOKS: u32 = 30;

/// Number of scripts, each counted at its beginning and its end, for which a call that blocked lets expect
/// another.
const SHORTLY: u64 = 400;

/// Processor time that a process which waits may use between two looks.
const TIDYING: Duration = Duration::from_micros(100);

/// Number of frames of a call that loops which are looked at. A deeper one is left to the coordinator.
const FRAMES: usize = 512;

/// Time that a wait with a limit has to end by itself.
const TIMED: Duration = Duration::from_millis(30);

/// The script's side of the watchdog.
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    /// `Thread.interrupted`.
    threads: Global,
    interrupted: jmethodID,
    // Kept for the watchdog's thread.
    _thread: Global,
    _error: Global,
}

#[derive(Default)]
struct Shared {
    /// True while a batch runs.
    active: Mutex<bool>,
    changed: Condvar,
    /// Number of scripts that were begun or ended: odd while one runs.
    script: AtomicU64,
    /// Held while a call is ended, and while a script ends.
    acting: Mutex<()>,
    /// The watchdog has ended a call of this script, and the call waited so.
    ended: AtomicU8,
    /// Number of threads that waited with a time limit before the script.
    timed_before: AtomicUsize,
}

/// A wait that the watchdog has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Nobody would have ended it.
    Endless = 1,
    /// It might have ended by itself, later.
    Timed = 2,
}

/// References for the thread of the watchdog.
struct Watched {
    machine: *mut JavaVM,
    tools: Tools,
    /// Global references to the script's thread, and to the error that is thrown into it.
    thread: jobject,
    error: jobject,
    stop_requests: StopRequests,
}

// SAFETY: the machine and its tools may be used on every thread, and global references are good on all.
unsafe impl Send for Watched {}

impl Watchdog {
    /// Starts watching the current thread; nothing if the machine does not support it.
    pub(crate) fn start(env: Env, stop_requests: StopRequests) -> Option<Self> {
        let tools = Tools::of(env)?;
        let mut machine = std::ptr::null_mut();
        // SAFETY: the machine writes its pointer; the message lives until the call returns; the references
        // are turned global.
        let (thread, error) = unsafe {
            if jni!(env, GetJavaVM, &raw mut machine) != JNI_OK {
                return None;
            }
            let thread = Global::of_local(env, tools.current_thread().ok()?)?;
            let class = find_class(env, "java/lang/Error").ok()?;
            let new = jni!(env, GetMethodID, class.get(), c"<init>".as_ptr(), c"()V".as_ptr());
            let error = jni!(env, NewObjectA, class.get(), new, std::ptr::null());
            vm::take_exception(env);
            (thread, Global::of_local(env, error)?)
        };
        let threads = find_class(env, "java/lang/Thread").ok()?;
        // SAFETY: the class is a live reference, and the names live until the call returns.
        let interrupted =
            unsafe { jni!(env, GetStaticMethodID, threads.get(), c"interrupted".as_ptr(), c"()Z".as_ptr()) };
        if interrupted.is_null() {
            return None;
        }
        let watched = Watched { machine, tools, thread: thread.get(), error: error.get(), stop_requests };
        let shared = Arc::new(Shared::default());
        let theirs = shared.clone();
        let (attached, ready) = mpsc::channel();
        let run = move || watch(&theirs, watched, attached);
        thread::Builder::new().name("watchdog".to_owned()).spawn(run).ok()?;
        // Its thread is one of the machine's own from the beginning.
        ready.recv().ok()?;
        Some(Self { shared, threads, interrupted, _thread: thread, _error: error })
    }

    /// Says that a batch begins or ends.
    pub(crate) fn set_active(&self, active: bool) {
        *lock(&self.shared.active) = active;
        self.shared.changed.notify_one();
    }

    /// Says that a script begins.
    pub(crate) fn begin(&self) {
        self.shared.script.fetch_add(1, Ordering::Release);
    }

    /// Tells whether the call that has just returned was ended.
    pub(crate) fn ended(&self) -> Option<Wait> {
        match self.shared.ended.load(Ordering::Relaxed) {
            0 => None,
            ended if ended == Wait::Endless as u8 => Some(Wait::Endless),
            _ => Some(Wait::Timed),
        }
    }

    /// Says that a script ends, after which so many threads wait with a time limit, if that has changed. The
    /// next script does not see that this one was interrupted, by whomever.
    pub(crate) fn end(&self, env: Env, timed_waits: Option<usize>) {
        {
            let _acting = lock(&self.shared.acting);
            self.shared.script.fetch_add(1, Ordering::Release);
            self.shared.ended.store(0, Ordering::Relaxed);
            if let Some(timed_waits) = timed_waits {
                self.shared.timed_before.store(timed_waits, Ordering::Relaxed);
            }
        }
        // SAFETY: the method was looked up in this class; what it throws, or what was thrown into this thread
        // too late, is taken away.
        unsafe {
            jni!(env, CallStaticBooleanMethodA, self.threads.get(), self.interrupted, std::ptr::null());
            let thrown = vm::take_exception(env);
            jni!(env, DeleteLocalRef, thrown);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Progress with one script that does not end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    None,
    Interrupted,
    Stopped,
}

fn watch(shared: &Shared, watched: Watched, ready: mpsc::Sender<()>) {
    let (machine, mut env): (_, *mut c_void) = (watched.machine, std::ptr::null_mut());
    // SAFETY: the machine lives as long as the process, and so does this thread.
    let attached = unsafe {
        ((**machine).v1_4.AttachCurrentThreadAsDaemon)(machine, &raw mut env, std::ptr::null_mut())
    };
    if attached != JNI_OK {
        return;
    }
    let env = Env::of(env.cast());
    // Those of the machine itself.
    shared.timed_before.store(watched.tools.timed_waits(env), Ordering::Relaxed);
    let _ = ready.send(());
    let mut stillness = Stillness::of_others(TIDYING);
    let (mut seen, mut effort, mut still_since) = (0, Effort::None, None);
    let (mut look, mut looks, mut last_ended) = (LOOK, 0, None);
    let monitor = watched.tools.monitor().ok();
    loop {
        let mut active = lock(&shared.active);
        while !*active {
            active = shared.changed.wait(active).unwrap_or_else(PoisonError::into_inner);
        }
        drop(active);
        if look == SHORT_LOOK && looks < SHORT_LOOKS {
            thread::sleep(SHORT_LOOK);
        } else if monitor.is_none_or(|monitor| watched.tools.wait(monitor, LOOK_MILLISECONDS).is_err()) {
            thread::sleep(LOOK);
        }
        let script = shared.script.load(Ordering::Acquire);
        if script != seen || script.is_multiple_of(2) {
            (seen, effort, still_since) = (script, Effort::None, None);
            let is_near = last_ended.is_some_and(|last| script.saturating_sub(last) < SHORTLY);
            (look, looks) = (if is_near { SHORT_LOOK } else { LOOK }, 0);
            stillness.begin();
            continue;
        }
        (look, looks) = (SHORT_LOOK, looks + 1);
        if effort != Effort::Stopped && watched.stop_requests.is_asked() {
            let _acting = lock(&shared.acting);
            if shared.script.load(Ordering::Acquire) == script && !initializes(&watched) {
                shared.ended.store(Wait::Timed as u8, Ordering::Relaxed);
                let _ = watched.tools.stop(watched.thread, watched.error);
            }
            effort = Effort::Stopped;
            continue;
        }
        if !stillness.look() {
            still_since = None;
            continue;
        }
        let since = *still_since.get_or_insert_with(Instant::now);
        let Some(wait) = waits(&watched, env, shared.timed_before.load(Ordering::Relaxed)) else { continue };
        if (wait == Wait::Timed && since.elapsed() < TIMED) || effort == Effort::Stopped {
            continue;
        }
        let _acting = lock(&shared.acting);
        if shared.script.load(Ordering::Acquire) != script {
            continue;
        }
        // What a call that was interrupted waits for afterwards is no longer the call's own wait.
        if effort == Effort::None {
            shared.ended.store(wait as u8, Ordering::Relaxed);
            last_ended = Some(script);
        }
        effort = if effort == Effort::None && watched.tools.interrupt(watched.thread).is_ok() {
            Effort::Interrupted
        } else {
            let _ = watched.tools.stop(watched.thread, watched.error);
            Effort::Stopped
        };
        stillness.begin();
        still_since = None;
    }
}

/// Returns nothing if the script's thread does not wait. It may go on by itself if it waits with a time
/// limit, or if a thread does that the script started.
fn waits(watched: &Watched, env: Env, timed_before: usize) -> Option<Wait> {
    use thread_state::{BLOCKED, TIMED, WAITING};
    let state = watched.tools.thread_state(watched.thread).ok()?;
    let is_timed = || state & TIMED != 0 || watched.tools.timed_waits(env) > timed_before;
    (state & (WAITING | BLOCKED) != 0).then(|| if is_timed() { Wait::Timed } else { Wait::Endless })
}

/// Tells whether the script's thread is in the initializer of a class, or perhaps is.
fn initializes(watched: &Watched) -> bool {
    let mut frames = [Frame::EMPTY; FRAMES];
    let Ok(count) = watched.tools.stack_of(watched.thread, &mut frames) else { return true };
    let is_initializer =
        |frame: &Frame| watched.tools.method_name(frame.method).is_ok_and(|(name, _)| name == "<clinit>");
    count == FRAMES || frames[..count].iter().any(is_initializer)
}
