//! Hearing calls inside the machine: the witness's methods, breakpoints in constructors, and what they say of an object.
//!
//! A thread has at most one *open* call: the outermost one that came from outside the class under test. What is called
//! until it ends is the class's own affair. Methods tell their end themselves ([`wrap`](adit_bytecode::wrap)); a constructor
//! is heard by breakpoints at its beginning and at its returns, and its exceptions by the machine's event for them.
//!
//! An open call whose end nobody told, because a stack overflow swept the witness away, must not deafen the thread. So
//! each remembers where the stack was: what is called from it lies deeper, and a call that does not shows that the open one
//! is over. (Compilers put a method into its caller's frame only if it is short, and none with a witness is.)
//!
//! Objects are known by tags, which keep nothing alive and call no method of theirs.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jni_sys::{JNIEnv, JNINativeMethod, jclass, jdouble, jfloat, jint, jlong, jmethodID, jobject, jvalue};

use crate::agent::{Frame, Listener, Tools, capability, event, guarded, tools};
use crate::jni;
use crate::known::find_class;
use crate::message::tag;
use crate::play::put_primitive;
use crate::record::plan::{Plan, WITNESS};
use crate::record::tape::{Tape, frame};
use crate::resolve::Kind;
use crate::vm::{self, Env};
use crate::wire::Put;

/// The tag of objects that are none of the user's: the JDK made them for itself.
const IGNORED: i64 = i64::MIN;

/// At a breakpoint, the machine's own frames lie between the constructor's and ours. What the constructor calls may seem to
/// lie further out by no more than this.
const MACHINE_FRAMES: usize = 16 << 10;

/// How many UTF-16 units of a string are kept.
const TEXT: usize = 200;

/// The ears of one machine. There is one in a process, because the witness's methods are plain functions.
pub(crate) struct Ears {
    plan: Plan,
    results: Vec<Kind>,
    tape: &'static Tape,
    listening: AtomicBool,
    /// The classes called like the class under test, as weak references, and the returns of their constructors.
    under: Mutex<Vec<usize>>,
    constructors: Mutex<BTreeMap<String, Vec<u32>>>,
    /// Whether the methods that called belong inside, by their ids.
    callers: Mutex<HashMap<usize, Caller>>,
    /// Classes have negative tags, which are places in this list: whether their objects are of the class under test.
    classes: Mutex<Vec<bool>>,
    /// Held while an object gets its number, so that it gets one.
    numbering: Mutex<i64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Caller {
    Inside,
    /// A class that extends the class under test, and whose methods have a witness too.
    Below,
    /// The JDK, or what runs the tests.
    Machinery,
    Outside,
}

/// The open call of a thread.
#[derive(Clone, Copy)]
struct Open {
    /// Where the stack was.
    stack: usize,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Method(jint),
    /// With the tag of the object.
    Constructor {
        method: usize,
        object: i64,
        use_of: Use,
    },
    /// The class under test called itself, from an inner class for example.
    Silent(jint),
}

/// What becomes of an object that a constructor makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Told,
    Ignored,
    /// Another call of the class will tell of it.
    Silent,
}

thread_local! {
    static OPEN: Cell<Option<Open>> = const { Cell::new(None) };
}

static EARS: std::sync::OnceLock<&'static Ears> = std::sync::OnceLock::new();

impl Ears {
    pub(crate) fn new(plan: Plan, tape: &'static Tape) -> &'static Ears {
        let results = plan.methods.iter().map(|method| result_kind(&method.descriptor)).collect();
        let ears: &'static Ears = Box::leak(Box::new(Ears {
            plan,
            results,
            tape,
            listening: AtomicBool::new(false),
            under: Mutex::default(),
            constructors: Mutex::default(),
            callers: Mutex::default(),
            classes: Mutex::default(),
            numbering: Mutex::new(0),
        }));
        let _ = EARS.set(ears);
        ears
    }

    /// Makes the witness's methods known to the machine and begins to listen.
    pub(crate) fn listen(&'static self, env: Env) -> Result<(), String> {
        let tools = tools()?;
        // The machine needs some classes before it tells of any.
        tools.each_loaded_class(env, |class| self.class_prepared(tools, env, class));
        let missing = |_| "the class of the witness is not there".to_owned();
        let global = find_class(env, WITNESS).map_err(missing)?;
        let class = global.get();
        let method =
            |name: &'static std::ffi::CStr, descriptor: &'static std::ffi::CStr, function: *const c_void| {
                JNINativeMethod {
                    name: name.as_ptr().cast_mut(),
                    signature: descriptor.as_ptr().cast_mut(),
                    fnPtr: function.cast_mut(),
                }
            };
        let natives = [
            method(c"enter", c"(ILjava/lang/Object;)Z", enter as *const c_void),
            method(c"threw", c"(Ljava/lang/Throwable;ILjava/lang/Object;)V", threw as *const c_void),
            method(c"leave", c"(ILjava/lang/Object;)V", leave_void as *const c_void),
            method(c"leave", c"(IILjava/lang/Object;)V", leave_int as *const c_void),
            method(c"leave", c"(JILjava/lang/Object;)V", leave_long as *const c_void),
            method(c"leave", c"(FILjava/lang/Object;)V", leave_float as *const c_void),
            method(c"leave", c"(DILjava/lang/Object;)V", leave_double as *const c_void),
            method(c"leave", c"(Ljava/lang/Object;ILjava/lang/Object;)V", leave_object as *const c_void),
        ];
        // SAFETY: the class was just found; names and signatures live as long as the program, and each function has
        // the type that its signature says. The field is looked up before it is set.
        unsafe {
            if jni!(env, RegisterNatives, class, natives.as_ptr(), natives.len() as jint) != 0 {
                jni!(env, ExceptionClear);
                return Err("the methods of the witness were refused".to_owned());
            }
            let flag = jni!(env, GetStaticFieldID, class, c"on".as_ptr(), c"I".as_ptr());
            if flag.is_null() {
                jni!(env, ExceptionClear);
                return Err("the witness has no switch".to_owned());
            }
            self.listening.store(true, Ordering::Release);
            jni!(env, SetStaticIntField, class, flag, 1);
        }
        Ok(())
    }

    /// Whether the thread is in an open call.
    fn is_open(&self, stack: usize) -> bool {
        let Some(open) = OPEN.get() else { return false };
        let lives = match open.what {
            What::Constructor { .. } => stack < open.stack + MACHINE_FRAMES,
            What::Method(_) | What::Silent(_) => stack < open.stack,
        };
        if !lives {
            OPEN.set(None);
        }
        lives
    }

    fn caller(&self, tools: Tools, env: Env, start: jint) -> Caller {
        let mut frames = [Frame { method: std::ptr::null_mut(), location: 0 }];
        let Ok(1) = tools.stack(start, &mut frames) else { return Caller::Outside };
        let method = frames[0].method;
        if let Some(known) = locked(&self.callers).get(&(method as usize)) {
            return *known;
        }
        let caller = self.judge(tools, env, method).unwrap_or(Caller::Outside);
        locked(&self.callers).insert(method as usize, caller);
        caller
    }

    /// Whether the method of a frame runs on this object.
    fn is_receiver(&self, tools: Tools, env: Env, depth: jint, object: jobject) -> bool {
        // A static method has no receiver, and says so by an error.
        let Ok(receiver) = tools.receiver(depth) else { return false };
        // SAFETY: both are live references, and the first was just made.
        unsafe {
            let same = jni!(env, IsSameObject, receiver, object);
            jni!(env, DeleteLocalRef, receiver);
            same
        }
    }

    fn judge(&self, tools: Tools, env: Env, method: jmethodID) -> Result<Caller, i32> {
        let class = tools.method_class(method)?;
        let name = tools.class_name(class)?;
        let loader = tools.loader(class)?;
        let of_machine = loader.is_null() || {
            // SAFETY: the loader is a live local reference.
            let loader_class = unsafe { jni!(env, GetObjectClass, loader) };
            let loader_name = tools.class_name(loader_class);
            // SAFETY: the reference was just made.
            unsafe { jni!(env, DeleteLocalRef, loader_class) };
            loader_name? == "jdk.internal.loader.ClassLoaders$PlatformClassLoader"
        };
        let is_below = self.plan.holders.contains(&name.replace('.', "/")) && self.is_under(env, class);
        // SAFETY: both are local references that nothing else uses.
        unsafe {
            jni!(env, DeleteLocalRef, loader);
            jni!(env, DeleteLocalRef, class);
        }
        let runs_tests = ["org.junit.", "junit.", "org.hamcrest.", "org.opentest4j."];
        Ok(if self.plan.is_inside(&name) {
            Caller::Inside
        } else if is_below {
            Caller::Below
        } else if of_machine || runs_tests.iter().any(|prefix| name.starts_with(prefix)) {
            Caller::Machinery
        } else {
            Caller::Outside
        })
    }

    /// Whether objects of a class are of the class under test.
    fn is_under(&self, env: Env, class: jclass) -> bool {
        let under = locked(&self.under).clone();
        // SAFETY: the classes are weak references, which count as null once their classes are gone.
        under.into_iter().any(|under| unsafe {
            let under = under as jclass;
            !jni!(env, IsSameObject, under, std::ptr::null_mut()) && jni!(env, IsAssignableFrom, class, under)
        })
    }

    /// The number of an object's class, and whether its objects are of the class under test.
    fn class_of(&self, tools: Tools, env: Env, object: jobject) -> Result<(u64, bool), i32> {
        // SAFETY: the object is a live reference; the reference to its class is given back below.
        let class = unsafe { jni!(env, GetObjectClass, object) };
        let found = self.class_number(tools, env, class);
        // SAFETY: the reference was made above.
        unsafe { jni!(env, DeleteLocalRef, class) };
        found
    }

    fn class_number(&self, tools: Tools, env: Env, class: jclass) -> Result<(u64, bool), i32> {
        let number = tools.tag(class)?.wrapping_neg();
        if number > 0 && number < i64::MAX {
            let is_under = locked(&self.classes).get(number as usize - 1).copied();
            return Ok((number as u64, is_under.unwrap_or(false)));
        }
        let name = tools.class_name(class)?;
        let is_under = self.is_under(env, class);
        let number = {
            let mut classes = locked(&self.classes);
            classes.push(is_under);
            let number = classes.len() as u64;
            // Numbers must reach the tape in their order.
            self.tape.write(|bytes| {
                bytes.byte(frame::CLASS);
                bytes.text(&name);
            });
            number
        };
        tools.set_tag(class, -(number as i64))?;
        Ok((number, is_under))
    }

    /// A witness is asked whether it wants to hear the end of a call.
    fn begin(&self, tools: Tools, env: Env, number: jint, receiver: jobject) -> bool {
        let stack = here();
        if !self.listening.load(Ordering::Relaxed) || self.is_open(stack) {
            return false;
        }
        if !receiver.is_null() && !matches!(self.class_of(tools, env, receiver), Ok((_, true))) {
            return false;
        }
        // The witness's own method and the method that it is asked about come first.
        let what = match self.caller(tools, env, 2) {
            Caller::Inside => What::Silent(number),
            // What a subclass does to its own object is as if the class itself did it.
            Caller::Below if self.is_receiver(tools, env, 2, receiver) => What::Silent(number),
            Caller::Machinery if self.plan.of_jdk => {
                let known = !receiver.is_null() && tools.tag(receiver).is_ok_and(|tag| tag > 0);
                if known { What::Method(number) } else { return false }
            }
            _ => What::Method(number),
        };
        OPEN.set(Some(Open { stack, what }));
        true
    }

    /// A call has ended.
    fn end(&self, tools: Tools, env: Env, number: jint, receiver: jobject, ended: Ended) {
        match OPEN.get() {
            Some(Open { what: What::Method(open), .. }) if open == number => OPEN.set(None),
            Some(Open { what: What::Silent(open), .. }) if open == number => return OPEN.set(None),
            _ => return,
        }
        let Some(method) = self.plan.methods.get(number as usize) else { return };
        let kind = self.results[number as usize];
        let object = match (&ended, method.is_factory) {
            (_, false) => receiver,
            (Ended::Returned(value), true) if kind == Kind::Reference => {
                // SAFETY: the value of a method that gives a reference is one.
                let made = unsafe { value.l };
                if made.is_null() || !matches!(self.class_of(tools, env, made), Ok((_, true))) {
                    return;
                }
                made
            }
            // A factory that threw made nothing.
            (_, true) => return,
        };
        let outcome = self.outcome(tools, env, kind, ended);
        self.tell(tools, env, object, number as u64 + 1, &outcome);
    }

    fn outcome(&self, tools: Tools, env: Env, kind: Kind, ended: Ended) -> Vec<u8> {
        let mut bytes = Vec::new();
        match ended {
            Ended::Threw(thrown) => {
                bytes.byte(tag::THREW);
                bytes.number(self.class_of(tools, env, thrown).map_or(0, |(number, _)| number));
            }
            Ended::Returned(value) if kind == Kind::Reference => {
                // SAFETY: the value of a method that gives a reference is one.
                let object = unsafe { value.l };
                self.put_reference(tools, env, object, &mut bytes);
            }
            Ended::Returned(value) => put_primitive(&mut bytes, kind, value),
        }
        bytes
    }

    fn put_reference(&self, tools: Tools, env: Env, object: jobject, bytes: &mut Vec<u8>) {
        if object.is_null() {
            return bytes.byte(tag::NULL);
        }
        let number = self.class_of(tools, env, object).map_or(0, |(number, _)| number);
        if self.tape.is_string(number) {
            bytes.byte(tag::TEXT);
            // SAFETY: the object is a string, as its class says, and no exception is pending: a call has just returned.
            bytes.text(&unsafe { vm::text(env, object, TEXT, &mut Vec::new()) });
        } else {
            bytes.byte(tag::OBJECT);
            bytes.number(number);
        }
    }

    /// Writes an event of an object, which gets a number if it has none.
    fn tell(&self, tools: Tools, env: Env, object: jobject, method: u64, outcome: &[u8]) {
        let Ok((class, _)) = self.class_of(tools, env, object) else { return };
        if let Ok(number @ 1..) = self.number(tools, object) {
            self.tape.event(number as u64, class, method, outcome);
        }
    }

    /// The tag of an object, which gets the next number if it has none.
    fn number(&self, tools: Tools, object: jobject) -> Result<i64, i32> {
        let mut last = locked(&self.numbering);
        let tag = tools.tag(object)?;
        if tag != 0 {
            return Ok(tag);
        }
        tools.set_tag(object, *last + 1)?;
        *last += 1;
        Ok(*last)
    }
}

/// How a call ended.
enum Ended {
    Returned(jvalue),
    Threw(jobject),
}

impl Listener for &'static Ears {
    fn capabilities(&self) -> &'static [u32] {
        use capability::*;
        &[TAG, LOCALS, EXCEPTIONS, BREAKPOINTS, ALL_CLASS_HOOKS, OBJECT_FREE, EARLY_CLASS_HOOKS]
    }

    fn events(&self) -> &'static [i32] {
        use event::*;
        &[CLASS_FILE, CLASS_PREPARE, EXCEPTION, BREAKPOINT, OBJECT_FREE]
    }

    fn class_file(&self, name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        let changed = self.plan.change(name, bytes)?;
        for text in changed.left {
            self.tape.write(|bytes| {
                bytes.byte(frame::LEFT);
                bytes.text(&text);
            });
        }
        if name == self.plan.class {
            *locked(&self.constructors) = changed.constructors;
        }
        Some(changed.bytes)
    }

    fn class_prepared(&self, tools: Tools, env: Env, class: jclass) {
        let Ok(signature) = tools.signature(class) else { return };
        if signature.strip_prefix('L').and_then(|name| name.strip_suffix(';')) != Some(&self.plan.class) {
            return;
        }
        let known = locked(&self.under).clone();
        // SAFETY: the class is a live reference, and the others are weak ones.
        let weak = unsafe {
            if known.into_iter().any(|known| jni!(env, IsSameObject, known as jclass, class)) {
                return;
            }
            jni!(env, NewWeakGlobalRef, class)
        };
        locked(&self.under).push(weak as usize);
        for method in tools.methods(class).unwrap_or_default() {
            let Ok((name, descriptor)) = tools.method_name(method) else { continue };
            let returns = locked(&self.constructors).get(&descriptor).cloned();
            if let Some(returns) = returns.filter(|_| name == "<init>") {
                let set =
                    std::iter::once(0).chain(returns).try_for_each(|at| tools.break_at(method, at.into()));
                if let Err(code) = set {
                    self.tape.write(|bytes| {
                        bytes.byte(frame::LEFT);
                        bytes.text(&format!(
                            "the constructor {descriptor}: no breakpoint can be set ({code})"
                        ));
                    });
                }
            }
        }
    }

    fn breakpoint(&self, tools: Tools, env: Env, method: jmethodID, location: jlong) {
        if !self.listening.load(Ordering::Relaxed) {
            return;
        }
        let stack = here();
        if location == 0 {
            if self.is_open(stack) {
                return;
            }
            let use_of = match self.caller(tools, env, 1) {
                Caller::Inside => Use::Silent,
                Caller::Machinery if self.plan.of_jdk => Use::Ignored,
                Caller::Below | Caller::Machinery | Caller::Outside => Use::Told,
            };
            let Ok(this) = tools.receiver(0) else { return };
            let object = if use_of == Use::Ignored {
                tools.set_tag(this, IGNORED).map(|()| IGNORED)
            } else {
                self.number(tools, this)
            };
            // SAFETY: the reference was made above.
            unsafe { jni!(env, DeleteLocalRef, this) };
            let Ok(object) = object else { return };
            let what = What::Constructor { method: method as usize, object, use_of };
            return OPEN.set(Some(Open { stack, what }));
        }
        let Some(Open { what: What::Constructor { method: open, object, use_of }, .. }) = OPEN.get() else {
            return;
        };
        if open != method as usize {
            return;
        }
        let Ok(this) = tools.receiver(0) else { return };
        if tools.tag(this) == Ok(object) {
            OPEN.set(None);
            if use_of == Use::Told {
                let mut outcome = Vec::new();
                self.put_reference(tools, env, this, &mut outcome);
                self.tell(tools, env, this, 0, &outcome);
            }
        }
        // SAFETY: the reference was made above.
        unsafe { jni!(env, DeleteLocalRef, this) };
    }

    fn exception(&self, tools: Tools, env: Env, exception: jobject, catcher: jmethodID) {
        let Some(Open { what: What::Constructor { method, object, use_of }, .. }) = OPEN.get() else {
            return;
        };
        let mut frames = [Frame { method: std::ptr::null_mut(), location: 0 }; 32];
        let mut start = 0;
        loop {
            let count = tools.stack(start, &mut frames).unwrap_or(0);
            for (depth, frame) in (start..).zip(&frames[..count]) {
                // The nearest frame of that method is taken for the one that catches; with recursion it may be another.
                if !catcher.is_null() && frame.method == catcher {
                    return;
                }
                if frame.method as usize != method {
                    continue;
                }
                let Ok(this) = tools.receiver(depth) else { continue };
                let found = tools.tag(this) == Ok(object);
                if found {
                    OPEN.set(None);
                    if use_of == Use::Told {
                        let outcome = self.outcome(tools, env, Kind::Void, Ended::Threw(exception));
                        self.tell(tools, env, this, 0, &outcome);
                    }
                }
                // SAFETY: the reference was made above.
                unsafe { jni!(env, DeleteLocalRef, this) };
                if found {
                    return;
                }
            }
            if count < frames.len() {
                // The constructor is not there: it is over, and nobody said so.
                return OPEN.set(None);
            }
            start += count as jint;
        }
    }

    fn freed(&self, tag: i64) {
        if tag > 0 {
            self.tape.freed(tag as u64);
        }
    }
}

/// A place on the stack of the current thread, below all that called.
#[inline(never)]
fn here() -> usize {
    let mark = 0_u8;
    std::hint::black_box(&raw const mark) as usize
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The kind of a method's result. The descriptor was parsed when the plan was made.
fn result_kind(descriptor: &str) -> Kind {
    match descriptor.rsplit(')').next().and_then(|result| result.chars().next()) {
        Some('Z') => Kind::Bool,
        Some('B') => Kind::Byte,
        Some('C') => Kind::Char,
        Some('S') => Kind::Short,
        Some('I') => Kind::Int,
        Some('J') => Kind::Long,
        Some('F') => Kind::Float,
        Some('D') => Kind::Double,
        Some('L' | '[') => Kind::Reference,
        _ => Kind::Void,
    }
}

/// Runs a method of the witness, unless something is not as it should be.
fn heard(act: impl FnOnce(&Ears, Tools)) {
    guarded(|_| {
        if let (Some(ears), Ok(tools)) = (EARS.get(), tools()) {
            act(ears, tools);
        }
    });
}

unsafe extern "system" fn enter(env: *mut JNIEnv, _class: jclass, number: jint, receiver: jobject) -> u8 {
    let mut wanted = false;
    heard(|ears, tools| wanted = ears.begin(tools, Env::of(env), number, receiver));
    u8::from(wanted)
}

unsafe extern "system" fn threw(
    env: *mut JNIEnv,
    _class: jclass,
    thrown: jobject,
    number: jint,
    receiver: jobject,
) {
    heard(|ears, tools| ears.end(tools, Env::of(env), number, receiver, Ended::Threw(thrown)));
}

unsafe extern "system" fn leave_void(env: *mut JNIEnv, _class: jclass, number: jint, receiver: jobject) {
    heard(|ears, tools| ears.end(tools, Env::of(env), number, receiver, Ended::Returned(jvalue { j: 0 })));
}

/// All that is an `int` on the stack; the method's descriptor says what it really is.
unsafe extern "system" fn leave_int(
    env: *mut JNIEnv,
    _class: jclass,
    value: jint,
    number: jint,
    receiver: jobject,
) {
    heard(|ears, tools| {
        let value = match ears.results.get(number as usize) {
            Some(Kind::Bool) => jvalue { z: value & 1 != 0 },
            Some(Kind::Byte) => jvalue { b: value as i8 },
            Some(Kind::Char) => jvalue { c: value as u16 },
            Some(Kind::Short) => jvalue { s: value as i16 },
            _ => jvalue { i: value },
        };
        ears.end(tools, Env::of(env), number, receiver, Ended::Returned(value));
    });
}

unsafe extern "system" fn leave_long(
    env: *mut JNIEnv,
    _class: jclass,
    value: jlong,
    number: jint,
    receiver: jobject,
) {
    heard(|ears, tools| {
        ears.end(tools, Env::of(env), number, receiver, Ended::Returned(jvalue { j: value }))
    });
}

unsafe extern "system" fn leave_float(
    env: *mut JNIEnv,
    _class: jclass,
    value: jfloat,
    number: jint,
    receiver: jobject,
) {
    heard(|ears, tools| {
        ears.end(tools, Env::of(env), number, receiver, Ended::Returned(jvalue { f: value }))
    });
}

unsafe extern "system" fn leave_double(
    env: *mut JNIEnv,
    _class: jclass,
    value: jdouble,
    number: jint,
    receiver: jobject,
) {
    heard(|ears, tools| {
        ears.end(tools, Env::of(env), number, receiver, Ended::Returned(jvalue { d: value }))
    });
}

unsafe extern "system" fn leave_object(
    env: *mut JNIEnv,
    _class: jclass,
    value: jobject,
    number: jint,
    receiver: jobject,
) {
    heard(|ears, tools| {
        ears.end(tools, Env::of(env), number, receiver, Ended::Returned(jvalue { l: value }))
    });
}
