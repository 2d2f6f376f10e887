//! The agent inside the executable: the tool interface of the machine (JVMTI), as far as it is used here.
//!
//! Watching fields, breakpoints and changing classes on their way in can be had only by an agent that is
//! there when the machine is created. HotSpot looks for `Agent_OnLoad_adit` in the executable itself when it
//! is told `-agentlib:adit`, so that there is no second file to install. What the agent is to do is decided
//! before the machine is created ([`prepare`]).
//!
//! The function table is an array of pointers whose places the specification fixes; each entry that is used
//! has its type written down beside its place. Decision record 0006 says why no crate is used for it.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use jni_sys::{JNIEnv, JavaVM, jclass, jfieldID, jint, jlong, jmethodID, jobject, jvalue};

use crate::jni;
use crate::resolve::Kind;
use crate::vm::Env;

/// Receiver of the JVM's events.
pub(crate) trait Listener: Send + Sync {
    /// Required capabilities; see [`capability`].
    fn capabilities(&self) -> &'static [u32];
    /// The events that are wanted from the beginning; see [`event`].
    fn events(&self) -> &'static [i32];
    /// A class is about to be read; the answer takes the place of its bytes.
    fn class_file(&self, _name: &str, _bytes: &[u8]) -> Option<Vec<u8>> {
        None
    }
    /// A class has its fields and methods.
    fn class_prepared(&self, _tools: Tools, _env: Env, _class: jclass) {}
    /// A field of a watched class is read or written.
    fn field(&self, _tools: Tools, _class: jclass, _field: jfieldID, _written: bool) {}
    /// The thread is at a breakpoint.
    fn breakpoint(&self, _tools: Tools, _env: Env, _method: jmethodID, _location: jlong) {}
    /// An exception is thrown; `catcher` is null if nobody will catch it.
    fn exception(&self, _tools: Tools, _env: Env, _exception: jobject, _catcher: jmethodID) {}
    /// An exception has been caught, in the innermost frame.
    fn caught(&self, _tools: Tools) {}
    /// An object with this tag is no more.
    fn freed(&self, _tag: i64) {}
}

/// The places of capabilities in their set.
pub(crate) mod capability {
    pub(crate) const TAG: u32 = 0;
    pub(crate) const FIELD_WRITES: u32 = 1;
    pub(crate) const FIELD_READS: u32 = 2;
    pub(crate) const REDEFINE: u32 = 9;
    pub(crate) const SIGNAL_THREADS: u32 = 10;
    pub(crate) const SOURCE_FILES: u32 = 11;
    pub(crate) const LINES: u32 = 12;
    pub(crate) const LOCALS: u32 = 14;
    pub(crate) const EXCEPTIONS: u32 = 17;
    pub(crate) const BREAKPOINTS: u32 = 19;
    pub(crate) const ALL_CLASS_HOOKS: u32 = 26;
    pub(crate) const OBJECT_FREE: u32 = 32;
    pub(crate) const EARLY_CLASS_HOOKS: u32 = 42;
    /// From JDK 21 on: a virtual thread is a thread of its own to the agent, whichever thread carries it.
    pub(crate) const VIRTUAL_THREADS: u32 = 44;
}

/// The numbers of events.
pub(crate) mod event {
    pub(crate) const FIRST: i32 = 50;
    pub(crate) const CLASS_FILE: i32 = 54;
    pub(crate) const CLASS_PREPARE: i32 = 56;
    pub(crate) const EXCEPTION: i32 = 58;
    pub(crate) const EXCEPTION_CAUGHT: i32 = 59;
    pub(crate) const BREAKPOINT: i32 = 62;
    pub(crate) const FIELD_READ: i32 = 63;
    pub(crate) const FIELD_WRITE: i32 = 64;
    pub(crate) const OBJECT_FREE: i32 = 83;
    /// One more than the last that JDK 11 knows; a machine takes as many as it is given.
    pub(crate) const END: i32 = 87;
}

/// Bits of the state of a thread.
pub(crate) mod thread_state {
    /// It waits, sleeps or is parked.
    pub(crate) const WAITING: i32 = 0x80;
    /// It wants to enter a monitor that another thread has.
    pub(crate) const BLOCKED: i32 = 0x400;
    /// It waits with a time limit.
    pub(crate) const TIMED: i32 = 0x20;
}

static LISTENER: OnceLock<Box<dyn Listener>> = OnceLock::new();
static TOOLS: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Sets the listener of the agent. Call once, before the JVM is created with [`FLAG`].
pub(crate) fn prepare(listener: Box<dyn Listener>) -> Result<(), String> {
    // The linker keeps of a library only what something refers to.
    std::hint::black_box(Agent_OnLoad_adit as *const c_void);
    LISTENER.set(listener).map_err(|_| "the agent was prepared before".to_owned())
}

/// JVM option that loads the agent.
pub(crate) const FLAG: &str = "-agentlib:adit";

/// The environment of the agent, once the machine was created with it.
pub(crate) fn tools() -> Result<Tools, String> {
    let tools = TOOLS.load(Ordering::Acquire);
    if tools.is_null() {
        // The program was linked without the symbol, or the machine lacks a capability.
        return Err("the agent was not loaded: the executable does not export Agent_OnLoad_adit".to_owned());
    }
    Ok(Tools(tools.cast()))
}

/// HotSpot calls this while it is created.
///
/// # Safety
/// Only for the machine to call, with its own pointer.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Agent_OnLoad_adit(
    machine: *mut JavaVM,
    _options: *mut c_char,
    _reserved: *mut c_void,
) -> jint {
    // A panic must not unwind into the JVM's frames.
    let loaded = catch_unwind(|| {
        // SAFETY: the machine calls this with its own pointer.
        unsafe { load(machine) }
    });
    match loaded {
        Ok(Ok(())) => 0,
        _ => -1,
    }
}

/// The version of the interface that JDK 11 has; later ones know it.
const VERSION: jint = 0x300b_0000;

unsafe fn load(machine: *mut JavaVM) -> Result<(), i32> {
    let listener = LISTENER.get().ok_or(-1)?;
    let mut raw = std::ptr::null_mut();
    // SAFETY: the pointer is the machine's, and it writes the environment.
    let code = unsafe { ((**machine).v1_2.GetEnv)(machine, &raw mut raw, VERSION) };
    if code != 0 || raw.is_null() {
        return Err(code);
    }
    let tools = Tools(raw.cast());
    tools.add_capabilities(listener.capabilities())?;
    // A machine without virtual threads refuses this, and needs it not.
    let _ = tools.add_capabilities(&[capability::VIRTUAL_THREADS]);
    tools.set_callbacks()?;
    for event in listener.events() {
        tools.notify(true, *event, std::ptr::null_mut())?;
    }
    TOOLS.store(raw, Ordering::Release);
    Ok(())
}

/// The tool interface. Unlike an [`Env`], it may be used on every thread of the machine.
#[derive(Clone, Copy)]
pub(crate) struct Tools(*mut *const *const c_void);

/// A frame of a stack: method and place.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) method: jmethodID,
    pub(crate) location: jlong,
}

impl Frame {
    /// Room for a frame.
    pub(crate) const EMPTY: Self = Self { method: std::ptr::null_mut(), location: 0 };
}

/// An entry of a method's table of lines.
#[repr(C)]
#[derive(Clone, Copy)]
struct LineEntry {
    start: jlong,
    line: jint,
}

/// Calls the entry at a place of the table, counted from one as the specification does.
macro_rules! entry {
    ($tools:expr, $place:literal, ($($type:ty),*), $($argument:expr),*) => {{
        let table = *$tools.0;
        let entry: unsafe extern "system" fn(*mut *const *const c_void $(, $type)*) -> i32 =
            std::mem::transmute(*table.add($place - 1));
        match entry($tools.0 $(, $argument)*) {
            0 => Ok(()),
            code => Err(code),
        }
    }};
}

// SAFETY, for all of these: the environment is one that the machine gave, which is never disposed of; the
// places and the types are those of the specification (JVMTI 11, unchanged up to 25); what is written by the
// machine is a variable of the right type that lives until the call returns. References come from the caller,
// who got them from the machine.
impl Tools {
    /// Another environment on a machine that runs, for looking at threads and ending what they do.
    pub(crate) fn of(env: Env) -> Option<Self> {
        let (mut machine, mut raw) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: both pointers are written by the machine.
        unsafe {
            if jni!(env, GetJavaVM, &raw mut machine) != 0
                || ((**machine).v1_2.GetEnv)(machine, &raw mut raw, VERSION) != 0
                || raw.is_null()
            {
                return None;
            }
        }
        let tools = Self(raw.cast());
        tools.add_capabilities(&[capability::SIGNAL_THREADS]).ok()?;
        Some(tools)
    }

    /// All threads that live, as local references; those of virtual threads and of compilers are not listed.
    pub(crate) fn all_threads(self) -> Result<Vec<jobject>, i32> {
        let (mut count, mut list) = (0, std::ptr::null_mut());
        // SAFETY: see above; the list has so many entries and is given back.
        unsafe {
            entry!(self, 4, (*mut jint, *mut *mut jobject), &raw mut count, &raw mut list)?;
            Ok(self.take_list(list, count))
        }
    }

    /// The state of a thread; see [`thread_state`].
    pub(crate) fn thread_state(self, thread: jobject) -> Result<jint, i32> {
        let mut state = 0;
        // SAFETY: see above.
        unsafe { entry!(self, 17, (jobject, *mut jint), thread, &raw mut state)? };
        Ok(state)
    }

    /// Number of threads that wait with a time limit, without those that the JDK starts for itself. The
    /// cleaner of the JDK is one: it starts when the first script loads classes, and gives nobody what he
    /// waits for.
    pub(crate) fn timed_waits(self, env: Env) -> usize {
        let is_timed =
            |thread: &jobject| self.thread_state(*thread).is_ok_and(|state| state & thread_state::TIMED != 0);
        // SAFETY: the thread is a live reference, and that to its class is given back.
        let is_own = |thread: &jobject| unsafe {
            let class = jni!(env, GetObjectClass, *thread);
            let name = self.class_name(class);
            jni!(env, DeleteLocalRef, class);
            name.is_ok_and(|name| name == "jdk.internal.misc.InnocuousThread")
        };
        let threads = self.all_threads().unwrap_or_default();
        let count = threads.iter().filter(|thread| is_timed(thread) && !is_own(thread)).count();
        // SAFETY: local references that are not used afterwards.
        threads.into_iter().for_each(|thread| unsafe { jni!(env, DeleteLocalRef, thread) });
        count
    }

    /// A new monitor of the machine.
    pub(crate) fn monitor(self) -> Result<*mut c_void, i32> {
        let mut monitor = std::ptr::null_mut();
        // SAFETY: see above; the machine copies the name.
        unsafe { entry!(self, 31, (*const c_char, *mut *mut c_void), c"adit".as_ptr(), &raw mut monitor)? };
        Ok(monitor)
    }

    /// Waits for so many milliseconds at a monitor, at which nobody notifies.
    pub(crate) fn wait(self, monitor: *mut c_void, milliseconds: jlong) -> Result<(), i32> {
        // SAFETY: see above; the monitor is one that `monitor` has made, and is left as often as entered.
        unsafe {
            entry!(self, 33, (*mut c_void), monitor)?;
            let waited = entry!(self, 35, (*mut c_void, jlong), monitor, milliseconds);
            entry!(self, 34, (*mut c_void), monitor)?;
            waited
        }
    }

    /// Interrupts a thread.
    pub(crate) fn interrupt(self, thread: jobject) -> Result<(), i32> {
        // SAFETY: see above.
        unsafe { entry!(self, 8, (jobject), thread) }
    }

    /// Throws an exception into a thread, wherever it is.
    pub(crate) fn stop(self, thread: jobject, thrown: jobject) -> Result<(), i32> {
        // SAFETY: see above.
        unsafe { entry!(self, 7, (jobject, jobject), thread, thrown) }
    }

    fn add_capabilities(self, wanted: &[u32]) -> Result<(), i32> {
        let mut set = [0_u8; 16];
        for bit in wanted {
            set[*bit as usize / 8] |= 1 << (bit % 8);
        }
        // SAFETY: see above.
        unsafe { entry!(self, 142, (*const u8), set.as_ptr()) }
    }

    fn set_callbacks(self) -> Result<(), i32> {
        let mut callbacks = [std::ptr::null::<c_void>(); (event::END - event::FIRST) as usize];
        let mut set =
            |number: i32, function: *const c_void| callbacks[(number - event::FIRST) as usize] = function;
        set(event::CLASS_FILE, on_class_file as *const c_void);
        set(event::CLASS_PREPARE, on_class_prepare as *const c_void);
        set(event::EXCEPTION, on_exception as *const c_void);
        set(event::EXCEPTION_CAUGHT, on_exception_caught as *const c_void);
        set(event::BREAKPOINT, on_breakpoint as *const c_void);
        set(event::FIELD_READ, on_field_read as *const c_void);
        set(event::FIELD_WRITE, on_field_write as *const c_void);
        set(event::OBJECT_FREE, on_object_free as *const c_void);
        let size = std::mem::size_of_val(&callbacks) as jint;
        // SAFETY: see above; the functions have the signatures of their events.
        unsafe { entry!(self, 122, (*const *const c_void, jint), callbacks.as_ptr(), size) }
    }

    /// Turns an event on or off, for a thread or, if it is null, for all.
    pub(crate) fn notify(self, on: bool, event: i32, thread: jobject) -> Result<(), i32> {
        // SAFETY: see above. The entry takes variable arguments that nobody passes.
        unsafe { entry!(self, 2, (i32, i32, jobject), i32::from(on), event, thread) }
    }

    /// The descriptor of a class: `Ljava/lang/String;`.
    pub(crate) fn signature(self, class: jclass) -> Result<String, i32> {
        let mut text = std::ptr::null_mut();
        // SAFETY: see above.
        unsafe {
            entry!(
                self,
                48,
                (jclass, *mut *mut c_char, *mut *mut c_char),
                class,
                &raw mut text,
                std::ptr::null_mut()
            )?;
            Ok(self.take_text(text))
        }
    }

    /// The name of a class with dots.
    pub(crate) fn class_name(self, class: jclass) -> Result<String, i32> {
        let signature = self.signature(class)?;
        Ok(match signature.strip_prefix('L').and_then(|name| name.strip_suffix(';')) {
            Some(name) => name.replace('/', "."),
            None => signature,
        })
    }

    /// The class loader of a class; null for the boot loader. The reference is local.
    pub(crate) fn loader(self, class: jclass) -> Result<jobject, i32> {
        let mut loader = std::ptr::null_mut();
        // SAFETY: see above.
        unsafe { entry!(self, 57, (jclass, *mut jobject), class, &raw mut loader)? };
        Ok(loader)
    }

    /// The fields that a class itself declares.
    pub(crate) fn fields(self, class: jclass) -> Result<Vec<jfieldID>, i32> {
        let (mut count, mut list) = (0, std::ptr::null_mut());
        // SAFETY: see above; the list has so many entries and is given back.
        unsafe {
            entry!(self, 53, (jclass, *mut jint, *mut *mut jfieldID), class, &raw mut count, &raw mut list)?;
            Ok(self.take_list(list, count))
        }
    }

    /// The methods that a class itself declares.
    pub(crate) fn methods(self, class: jclass) -> Result<Vec<jmethodID>, i32> {
        let (mut count, mut list) = (0, std::ptr::null_mut());
        // SAFETY: see above; the list has so many entries and is given back.
        unsafe {
            entry!(self, 52, (jclass, *mut jint, *mut *mut jmethodID), class, &raw mut count, &raw mut list)?;
            Ok(self.take_list(list, count))
        }
    }

    /// Hands over all classes that are loaded, as local references that are good for the call only.
    pub(crate) fn each_loaded_class(self, env: Env, mut each: impl FnMut(jclass)) {
        /// More than a machine with a hundred jars has; the most that it allows is 65,536.
        const MOST: jint = 60_000;
        let (mut count, mut list) = (0, std::ptr::null_mut());
        // SAFETY: see above; the list has so many entries and is given back. All references are made in a
        // frame of their own, which is popped; if there is no memory for it, nothing was made.
        unsafe {
            if jni!(env, PushLocalFrame, MOST) != 0 {
                return jni!(env, ExceptionClear);
            }
            let listed = entry!(self, 78, (*mut jint, *mut *mut jclass), &raw mut count, &raw mut list);
            if listed.is_ok() {
                self.take_list(list, count).into_iter().for_each(&mut each);
            }
            jni!(env, PopLocalFrame, std::ptr::null_mut());
        }
    }

    /// Gives a loaded class new bodies for its methods.
    pub(crate) fn redefine(self, class: jclass, bytes: &[u8]) -> Result<(), i32> {
        #[repr(C)]
        struct Definition {
            class: jclass,
            length: jint,
            bytes: *const u8,
        }
        // 103 is what the machine says to lengths that make no sense.
        let length = jint::try_from(bytes.len()).map_err(|_| 103)?;
        let definition = Definition { class, length, bytes: bytes.as_ptr() };
        // SAFETY: see above; the machine copies the bytes.
        unsafe { entry!(self, 87, (jint, *const Definition), 1, &raw const definition) }
    }

    /// Name and descriptor of a field.
    pub(crate) fn field_name(self, class: jclass, field: jfieldID) -> Result<(String, String), i32> {
        let (mut name, mut descriptor) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: see above.
        unsafe {
            entry!(
                self,
                60,
                (jclass, jfieldID, *mut *mut c_char, *mut *mut c_char, *mut *mut c_char),
                class,
                field,
                &raw mut name,
                &raw mut descriptor,
                std::ptr::null_mut()
            )?;
            Ok((self.take_text(name), self.take_text(descriptor)))
        }
    }

    /// The flags of a field.
    pub(crate) fn field_flags(self, class: jclass, field: jfieldID) -> Result<jint, i32> {
        let mut flags = 0;
        // SAFETY: see above.
        unsafe { entry!(self, 62, (jclass, jfieldID, *mut jint), class, field, &raw mut flags)? };
        Ok(flags)
    }

    /// Has reads and writes of a field reported.
    pub(crate) fn watch(self, class: jclass, field: jfieldID) -> Result<(), i32> {
        // SAFETY: see above.
        unsafe {
            entry!(self, 41, (jclass, jfieldID), class, field)?;
            entry!(self, 43, (jclass, jfieldID), class, field)
        }
    }

    /// Name and descriptor of a method.
    pub(crate) fn method_name(self, method: jmethodID) -> Result<(String, String), i32> {
        let (mut name, mut descriptor) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: see above.
        unsafe {
            entry!(
                self,
                64,
                (jmethodID, *mut *mut c_char, *mut *mut c_char, *mut *mut c_char),
                method,
                &raw mut name,
                &raw mut descriptor,
                std::ptr::null_mut()
            )?;
            Ok((self.take_text(name), self.take_text(descriptor)))
        }
    }

    /// The class that has a method. The reference is local.
    pub(crate) fn method_class(self, method: jmethodID) -> Result<jclass, i32> {
        let mut class = std::ptr::null_mut();
        // SAFETY: see above.
        unsafe { entry!(self, 65, (jmethodID, *mut jclass), method, &raw mut class)? };
        Ok(class)
    }

    /// The name of the source file of a class, if the compiler kept it.
    pub(crate) fn source_file(self, class: jclass) -> Result<String, i32> {
        let mut text = std::ptr::null_mut();
        // SAFETY: see above.
        unsafe {
            entry!(self, 50, (jclass, *mut *mut c_char), class, &raw mut text)?;
            Ok(self.take_text(text))
        }
    }

    /// The lines of a method: where each begins in the code, and its number.
    pub(crate) fn lines(self, method: jmethodID) -> Result<Vec<(jlong, jint)>, i32> {
        let (mut count, mut list) = (0, std::ptr::null_mut::<LineEntry>());
        // SAFETY: see above.
        unsafe {
            entry!(
                self,
                70,
                (jmethodID, *mut jint, *mut *mut LineEntry),
                method,
                &raw mut count,
                &raw mut list
            )?;
            let entries = self.take_list(list, count);
            Ok(entries.into_iter().map(|entry| (entry.start, entry.line)).collect())
        }
    }

    /// Has threads report when they come to this place.
    pub(crate) fn break_at(self, method: jmethodID, location: jlong) -> Result<(), i32> {
        // SAFETY: see above.
        unsafe { entry!(self, 38, (jmethodID, jlong), method, location) }
    }

    /// The current thread. The reference is local.
    pub(crate) fn current_thread(self) -> Result<jobject, i32> {
        let mut thread = std::ptr::null_mut();
        // SAFETY: see above.
        unsafe { entry!(self, 18, (*mut jobject), &raw mut thread)? };
        Ok(thread)
    }

    /// Fills `frames` with those of the current thread from `start` on, where zero is the innermost; how many
    /// there are.
    pub(crate) fn stack(self, start: jint, frames: &mut [Frame]) -> Result<usize, i32> {
        self.frames(std::ptr::null_mut(), start, frames)
    }

    /// Fills `frames` with the innermost ones of a thread; how many there are.
    pub(crate) fn stack_of(self, thread: jobject, frames: &mut [Frame]) -> Result<usize, i32> {
        self.frames(thread, 0, frames)
    }

    fn frames(self, thread: jobject, start: jint, frames: &mut [Frame]) -> Result<usize, i32> {
        let (most, mut count) = (frames.len() as jint, 0);
        // SAFETY: see above; a null thread is the current one, and the frames are written to a slice with
        // room for as many as are asked for.
        unsafe {
            entry!(
                self,
                104,
                (jobject, jint, jint, *mut Frame, *mut jint),
                thread,
                start,
                most,
                frames.as_mut_ptr(),
                &raw mut count
            )?;
        }
        Ok(count.max(0) as usize)
    }

    /// Number of stack frames of the current thread.
    pub(crate) fn frame_count(self) -> Result<jint, i32> {
        let mut count = 0;
        // SAFETY: see above; a null thread is the current one.
        unsafe { entry!(self, 16, (jobject, *mut jint), std::ptr::null_mut(), &raw mut count)? };
        Ok(count)
    }

    /// The pointer stored for the current thread, which may be a virtual one; null if there is none.
    pub(crate) fn stored(self) -> Result<*mut c_void, i32> {
        let mut stored = std::ptr::null_mut();
        // SAFETY: see above; a null thread is the current one.
        unsafe { entry!(self, 102, (jobject, *mut *mut c_void), std::ptr::null_mut(), &raw mut stored)? };
        Ok(stored)
    }

    /// Stores a pointer for the current thread.
    pub(crate) fn store(self, pointer: *mut c_void) -> Result<(), i32> {
        // SAFETY: see above. The machine does nothing with the pointer.
        unsafe { entry!(self, 103, (jobject, *const c_void), std::ptr::null_mut(), pointer) }
    }

    /// The receiver of a frame of the current thread, where zero is the innermost. The reference is local.
    pub(crate) fn receiver(self, depth: jint) -> Result<jobject, i32> {
        let mut object = std::ptr::null_mut();
        // SAFETY: see above; a null thread is the current one.
        unsafe {
            entry!(self, 155, (jobject, jint, *mut jobject), std::ptr::null_mut(), depth, &raw mut object)?
        };
        Ok(object)
    }

    /// The value of a local variable of the innermost frame of the current thread. A reference is local.
    pub(crate) fn local(self, kind: Kind, slot: jint) -> Result<jvalue, i32> {
        let (thread, mut value) = (std::ptr::null_mut(), jvalue { j: 0 });
        // SAFETY: see above; a null thread is the current one. The machine checks that the variable holds
        // what the entry says, and writes as many bytes as that has.
        unsafe {
            match kind {
                Kind::Reference => {
                    entry!(self, 21, (jobject, jint, jint, *mut jobject), thread, 0, slot, &raw mut value.l)?;
                }
                Kind::Long => {
                    entry!(self, 23, (jobject, jint, jint, *mut i64), thread, 0, slot, &raw mut value.j)?;
                }
                Kind::Float => {
                    entry!(self, 24, (jobject, jint, jint, *mut f32), thread, 0, slot, &raw mut value.f)?;
                }
                Kind::Double => {
                    entry!(self, 25, (jobject, jint, jint, *mut f64), thread, 0, slot, &raw mut value.d)?;
                }
                _ => entry!(self, 22, (jobject, jint, jint, *mut jint), thread, 0, slot, &raw mut value.i)?,
            }
        }
        Ok(value)
    }

    /// The number that an object was given; zero if none.
    pub(crate) fn tag(self, object: jobject) -> Result<i64, i32> {
        let mut tag = 0;
        // SAFETY: see above.
        unsafe { entry!(self, 106, (jobject, *mut jlong), object, &raw mut tag)? };
        Ok(tag)
    }

    /// Gives an object a number, which keeps nothing alive.
    pub(crate) fn set_tag(self, object: jobject, tag: i64) -> Result<(), i32> {
        // SAFETY: see above.
        unsafe { entry!(self, 107, (jobject, jlong), object, tag) }
    }

    /// A number for the identity of an object, which another may have as well.
    pub(crate) fn identity(self, object: jobject) -> Result<jint, i32> {
        let mut hash = 0;
        // SAFETY: see above.
        unsafe { entry!(self, 58, (jobject, *mut jint), object, &raw mut hash)? };
        Ok(hash)
    }

    /// Memory that the machine takes over.
    fn allocate(self, size: usize) -> Result<*mut u8, i32> {
        let mut memory = std::ptr::null_mut();
        // SAFETY: see above.
        unsafe { entry!(self, 46, (jlong, *mut *mut u8), size as jlong, &raw mut memory)? };
        Ok(memory)
    }

    /// # Safety
    /// The memory was allocated by the machine for the caller, or is null.
    unsafe fn give_back(self, memory: *mut u8) {
        // SAFETY: see above.
        let _ = unsafe { entry!(self, 47, (*mut u8), memory) };
    }

    /// # Safety
    /// A C string that the machine allocated for the caller, or null.
    unsafe fn take_text(self, text: *mut c_char) -> String {
        if text.is_null() {
            return String::new();
        }
        // SAFETY: the caller vouches for it.
        unsafe {
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            self.give_back(text.cast());
            copy
        }
    }

    /// # Safety
    /// A list of so many entries that the machine allocated for the caller, or null.
    unsafe fn take_list<T: Copy>(self, list: *mut T, count: jint) -> Vec<T> {
        if list.is_null() {
            return Vec::new();
        }
        // SAFETY: the caller vouches for it.
        unsafe {
            let copy = std::slice::from_raw_parts(list, count.max(0) as usize).to_vec();
            self.give_back(list.cast());
            copy
        }
    }
}

/// Runs the Rust part of a callback. A panic ends the callback and nothing else.
pub(crate) fn guarded(act: impl FnOnce(&dyn Listener)) {
    if let Some(listener) = LISTENER.get() {
        let _ = catch_unwind(AssertUnwindSafe(|| act(&**listener)));
    }
}

type RawTools = *mut *const *const c_void;

unsafe extern "system" fn on_class_file(
    tools: RawTools,
    _env: *mut JNIEnv,
    _redefined: jclass,
    _loader: jobject,
    name: *const c_char,
    _domain: jobject,
    length: jint,
    bytes: *const u8,
    new_length: *mut jint,
    new_bytes: *mut *mut u8,
) {
    guarded(|listener| {
        // Hidden classes have no name here.
        if name.is_null() || bytes.is_null() || length < 0 {
            return;
        }
        // SAFETY: name and bytes are the machine's until the callback returns.
        let (name, old) =
            unsafe { (CStr::from_ptr(name), std::slice::from_raw_parts(bytes, length as usize)) };
        let Ok(name) = name.to_str() else { return };
        let Some(new) = listener.class_file(name, old) else { return };
        let (Ok(length), Ok(memory)) = (jint::try_from(new.len()), Tools(tools).allocate(new.len())) else {
            return;
        };
        // SAFETY: the memory has room for the new bytes, and the machine takes it over.
        unsafe {
            std::ptr::copy_nonoverlapping(new.as_ptr(), memory, new.len());
            *new_length = length;
            *new_bytes = memory;
        }
    });
}

unsafe extern "system" fn on_class_prepare(
    tools: RawTools,
    env: *mut JNIEnv,
    _thread: jobject,
    class: jclass,
) {
    guarded(|listener| listener.class_prepared(Tools(tools), Env::of(env), class));
}

unsafe extern "system" fn on_exception(
    tools: RawTools,
    env: *mut JNIEnv,
    _thread: jobject,
    _method: jmethodID,
    _location: jlong,
    exception: jobject,
    catcher: jmethodID,
    _catch_location: jlong,
) {
    guarded(|listener| listener.exception(Tools(tools), Env::of(env), exception, catcher));
}

unsafe extern "system" fn on_exception_caught(
    tools: RawTools,
    _env: *mut JNIEnv,
    _thread: jobject,
    _method: jmethodID,
    _location: jlong,
    _exception: jobject,
) {
    guarded(|listener| listener.caught(Tools(tools)));
}

unsafe extern "system" fn on_breakpoint(
    tools: RawTools,
    env: *mut JNIEnv,
    _thread: jobject,
    method: jmethodID,
    location: jlong,
) {
    guarded(|listener| listener.breakpoint(Tools(tools), Env::of(env), method, location));
}

unsafe extern "system" fn on_field_read(
    tools: RawTools,
    _env: *mut JNIEnv,
    _thread: jobject,
    _method: jmethodID,
    _location: jlong,
    class: jclass,
    _object: jobject,
    field: jfieldID,
) {
    guarded(|listener| listener.field(Tools(tools), class, field, false));
}

unsafe extern "system" fn on_field_write(
    tools: RawTools,
    _env: *mut JNIEnv,
    _thread: jobject,
    _method: jmethodID,
    _location: jlong,
    class: jclass,
    _object: jobject,
    field: jfieldID,
    _kind: c_char,
    // A `jvalue`, which is passed as the integer that fills it.
    _value: jlong,
) {
    guarded(|listener| listener.field(Tools(tools), class, field, true));
}

unsafe extern "system" fn on_object_free(_tools: RawTools, tag: jlong) {
    guarded(|listener| listener.freed(tag));
}
