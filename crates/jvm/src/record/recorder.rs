//! The recorder of calls inside the JVM: the methods of the witness, and breakpoints in constructors.
//!
//! A call is recorded if it comes from outside the class under test. The stack shows that: the nearest frame
//! that belongs neither to the JDK nor to a test runner decides. So calls that the class makes of itself,
//! even through the JDK, are not recorded, and calls from a function that was passed to it are. Recorded
//! calls are *open* until they end; each thread has its own list of them (`open`). Wrapped methods report
//! their end themselves ([`wrap`](adit_bytecode::wrap)); a constructor has breakpoints at its beginning and
//! its returns, and the JVM reports its exceptions.
//!
//! Objects are identified by tags, which keep nothing alive and call none of their methods.

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jni_sys::{
    JNIEnv, JNINativeMethod, jclass, jdouble, jfieldID, jfloat, jint, jlong, jmethodID, jobject, jvalue,
};

use crate::agent::{Listener, Tools, capability, event, guarded, tools};
use crate::jni;
use crate::known::find_class;
use crate::play::put_primitive;
use crate::record::junit;
use crate::record::plan::{Plan, TargetSet, WITNESS};
use crate::record::stream::{RecordWriter, frame};
use crate::resolve::Kind;
use crate::results::tag;
use crate::vm::{self, Env};
use crate::wire::Put;

mod callers;
pub(crate) mod interventions;
mod kept;
mod open;
mod places;
mod states;
mod touched;

use callers::Caller;
use interventions::{Call, Interventions};
use open::{Maker, Open, Seen};
use places::Places;
use states::StateReader;
use touched::Touches;

/// The tag of objects that are none of the user's: the JDK made them for itself.
const IGNORED: i64 = i64::MIN;

/// Number of kept UTF-16 units of a string.
const TEXT: usize = 200;

/// The recorder of one JVM. There is one in a process, because the methods of the witness are plain
/// functions.
pub(crate) struct CallRecorder {
    plan: Plan,
    results: Vec<Kind>,
    records: &'static RecordWriter,
    listening: AtomicBool,
    /// The classes called like a target, with the number of the target, as weak references, and the returns
    /// of their constructors by descriptor.
    under: Mutex<Vec<(usize, usize)>>,
    constructors: Mutex<BTreeMap<String, BTreeMap<String, Vec<u32>>>>,
    /// The ids of calling methods, judged for calls of these targets. HotSpot never reuses an id, even if a
    /// class is unloaded.
    callers: Mutex<HashMap<(usize, TargetSet), Caller>>,
    /// Classes have negative tags, which are places in this list: the targets that their objects are
    /// instances of.
    classes: Mutex<Vec<TargetSet>>,
    /// For each class, the targets that it is below of and whose objects must be of exactly the target.
    below: Mutex<Vec<TargetSet>>,
    /// Held while an object gets its number, so that it gets one.
    numbering: Mutex<i64>,
    /// The class of virtual threads; null where there are none.
    virtual_thread: AtomicPtr<c_void>,
    /// Reads arguments and fields, if states are recorded and as soon as the machine is there.
    states: std::sync::OnceLock<StateReader>,
    interventions: Interventions,
    places: Places,
    touches: Touches,
}

static EARS: std::sync::OnceLock<&'static CallRecorder> = std::sync::OnceLock::new();

impl CallRecorder {
    pub(crate) fn new(plan: Plan, records: &'static RecordWriter) -> &'static CallRecorder {
        let results = plan.methods.iter().map(|method| result_kind(&method.descriptor)).collect();
        let recorder: &'static CallRecorder = Box::leak(Box::new(CallRecorder {
            plan,
            results,
            records,
            listening: AtomicBool::new(false),
            under: Mutex::default(),
            constructors: Mutex::default(),
            callers: Mutex::default(),
            classes: Mutex::default(),
            below: Mutex::default(),
            numbering: Mutex::new(0),
            virtual_thread: AtomicPtr::default(),
            states: std::sync::OnceLock::new(),
            interventions: Interventions::default(),
            places: Places::default(),
            touches: Touches::default(),
        }));
        let _ = EARS.set(recorder);
        recorder
    }

    /// Makes the witness's methods known to the machine and begins to listen.
    pub(crate) fn listen(&'static self, env: Env) -> Result<(), String> {
        let tools = tools()?;
        // The machine needs some classes before it tells of any.
        tools.each_loaded_class(env, |class| self.class_prepared(tools, env, class));
        let missing = |_| "the class of the witness is not there".to_owned();
        if let Ok(class) = find_class(env, "java/lang/VirtualThread") {
            self.virtual_thread.store(class.get().cast(), Ordering::Relaxed);
            // The reference is needed as long as the machine lives.
            std::mem::forget(class);
        }
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
        let mut natives = vec![
            method(c"enter", c"(ILjava/lang/Object;)Z", enter as *const c_void),
            method(c"threw", c"(Ljava/lang/Throwable;ILjava/lang/Object;)V", threw as *const c_void),
            method(c"leave", c"(ILjava/lang/Object;)V", leave_void as *const c_void),
            method(c"leave", c"(IILjava/lang/Object;)V", leave_int as *const c_void),
            method(c"leave", c"(JILjava/lang/Object;)V", leave_long as *const c_void),
            method(c"leave", c"(FILjava/lang/Object;)V", leave_float as *const c_void),
            method(c"leave", c"(DILjava/lang/Object;)V", leave_double as *const c_void),
            method(c"leave", c"(Ljava/lang/Object;ILjava/lang/Object;)V", leave_object as *const c_void),
        ];
        if self.plan.states {
            let reader =
                StateReader::new(env, &self.plan).ok_or("unexpected JDK: core classes are missing")?;
            let _ = self.states.set(reader);
            natives.extend(states::natives());
        }
        if self.plan.intervenes {
            natives.extend(interventions::natives());
        }
        // SAFETY: the class was just found; names and signatures live as long as the program, and each
        // function has the type that its signature says. The field is looked up before it is set.
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

    /// A witness is asked whether it wants to hear the end of a call.
    fn begin(&self, tools: Tools, env: Env, number: jint, receiver: jobject) -> bool {
        if !self.listening.load(Ordering::Relaxed) {
            return false;
        }
        let mut targets = self.plan.owners.get(number as usize).copied().unwrap_or(0);
        if !receiver.is_null() {
            let class = self.class_of(tools, env, receiver);
            targets &= class.map_or(0, |(number, targets)| targets & !self.only_above(number));
        }
        if targets == 0 || (self.plan.intervenes && !receiver.is_null() && self.is_left(tools, receiver)) {
            return false;
        }
        // The witness's own method comes first.
        let call = self.is_inside(tools, env, 1, receiver, targets);
        let forced = if self.plan.intervenes { interventions::forced(number) } else { None };
        if call.is_inside && forced.is_none() {
            return false;
        }
        if forced.is_none() && self.is_of_jdk(targets) && call.caller.is_machinery() {
            let known = !receiver.is_null() && tools.tag(receiver).is_ok_and(|tag| tag > 0);
            if !known {
                return false;
            }
        }
        let place = self.place(tools, env);
        let is_over = |open: &Open| matches!(open, Open::Method { place: of, .. } if *of <= place);
        self.close(open::take_from(tools, is_over));
        let (method, from) = (call.method, call.place);
        let call = self.call_of(tools, number, receiver, forced);
        let seen = Seen::default();
        let begun = open::push(tools, Open::Method { place, method, number, targets, from, seen, call });
        // The call is open first, so that calls which reading makes are seen to come from inside.
        if let Some(states) = self.states.get().filter(|_| begun) {
            open::set_before(tools, states.read(self, tools, env, receiver));
        }
        begun
    }

    /// A call of a method as interventions see it.
    fn call_of(&self, tools: Tools, number: jint, receiver: jobject, forced: Option<(u8, u64)>) -> Call {
        if !self.plan.intervenes || receiver.is_null() {
            return Call::default();
        }
        let tag = self.number(tools, receiver).unwrap_or(0);
        match forced {
            Some((origin, number)) => Call { object: tag, origin, number, ..Call::default() },
            None => self.meet(tag, number as u64 + 1),
        }
    }

    /// A number for how deep the stack of the current thread is: the deeper, the smaller.
    ///
    /// A call from a method with a witness lies deeper than that method. (Compilers put a method into its
    /// caller's frame only if it is short, and none with a witness is.) To count frames takes long where
    /// there are many, so that it is the place on the stack, except for virtual threads, whose frames move
    /// from one stack to another.
    fn place(&self, tools: Tools, env: Env) -> usize {
        let class = self.virtual_thread.load(Ordering::Relaxed);
        if class.is_null() {
            return here();
        }
        let Ok(thread) = tools.current_thread() else { return here() };
        // SAFETY: the class is a global reference that is never given back, and the thread a local one just
        // made.
        let is_virtual = unsafe {
            let is_virtual = jni!(env, IsInstanceOf, thread, class.cast());
            jni!(env, DeleteLocalRef, thread);
            is_virtual
        };
        if !is_virtual {
            return here();
        }
        usize::MAX - tools.frame_count().unwrap_or(0).max(0) as usize
    }

    /// A call has ended.
    fn end(&self, tools: Tools, env: Env, number: jint, receiver: jobject, ended: Ended) {
        // Its witness was asked to tell, so that it counts. Open calls above it are over.
        let is_this = |open: &Open| matches!(open, Open::Method { number: of, .. } if *of == number);
        let mut over = open::take_from_last(tools, is_this);
        let seen = if over.is_empty() { None } else { over.remove(0).seen() };
        let (seen, mut call, from) = seen.unwrap_or_default();
        self.close(over);
        let Some(method) = self.plan.methods.get(number as usize) else { return };
        let kind = self.results[number as usize];
        let object = match (&ended, method.is_factory) {
            (_, false) => receiver,
            (Ended::Returned(value), true) if kind == Kind::Reference => {
                // SAFETY: the value of a method that gives a reference is one.
                let made = unsafe { value.l };
                let owners = self.plan.owners[number as usize];
                let is_target = |(_, targets): (u64, TargetSet)| targets & owners != 0;
                if made.is_null() || !self.class_of(tools, env, made).is_ok_and(is_target) {
                    return;
                }
                made
            }
            // A factory that threw made nothing.
            (_, true) => return,
        };
        let event = number as u64 + 1;
        if method.is_factory && self.plan.intervenes {
            call = self.meet(self.number(tools, object).unwrap_or(0), event);
        }
        let result = match &ended {
            Ended::Returned(value) => Some((kind, *value)),
            Ended::Threw(_) => None,
        };
        let threw = matches!(ended, Ended::Threw(_));
        let thrown_at = match &ended {
            Ended::Threw(thrown) if self.wants_place() => junit::thrown_at(env, *thrown),
            _ => None,
        };
        let mut outcome = self.outcome(tools, env, kind, ended);
        self.put_surroundings(tools, env, object, seen, &mut outcome);
        self.put_mark(&call, thrown_at.as_deref(), &mut outcome);
        self.put_places(tools, env, from, threw, &mut outcome);
        self.tell(tools, env, object, event, &outcome);
        self.after(env, object, event, call, result);
    }

    /// A constructor begins.
    fn made(&self, tools: Tools, env: Env, depth: jint, this: jobject) {
        // A class below calls this on its own object, and is as outside as who called it.
        let Ok((class, targets)) = self.class_of(tools, env, this) else { return };
        let call = self.is_inside(tools, env, 0, std::ptr::null_mut(), targets);
        if call.is_inside {
            return;
        }
        if self.is_of_jdk(targets) && call.caller.is_machinery() {
            let _ = tools.set_tag(this, IGNORED);
            return;
        }
        let Ok(object @ 1..) = self.number(tools, this) else { return };
        let (method, from) = (call.method, call.place);
        self.settle(tools, depth - 1);
        let states = self.states.get();
        let seen = states.map(|states| states.constructor_arguments(self, tools, env, method));
        let seen = seen.unwrap_or_default();
        let call = self.meet(object, 0);
        let (object, thrown) = (object as u64, None);
        let maker = Maker { depth, method, object, class, targets, from, thrown, seen, call };
        open::push(tools, Open::Constructor(maker));
    }

    /// Closes the open calls of which the constructors, which know their depths, show that their frames are
    /// no more.
    fn settle(&self, tools: Tools, depth: jint) {
        let is_over = |open: &Open| matches!(open, Open::Constructor(maker) if maker.depth > depth);
        self.close(open::take_from(tools, is_over));
    }

    /// Tells of calls that are over. Nobody tells the end of a method that an overflow of the stack has swept
    /// away. A constructor whose return was not heard has thrown.
    fn close(&self, over: Vec<Open>) {
        for open in over.into_iter().rev() {
            if let Open::Constructor(maker) = open
                && let Maker { object, class, thrown: Some(thrown), seen, call, from, .. } = maker
            {
                let mut outcome = Vec::new();
                outcome.byte(tag::THREW);
                outcome.number(thrown);
                if self.plan.states {
                    seen.put(&[], &mut outcome);
                }
                self.put_mark(&call, None, &mut outcome);
                self.put_site(from, &mut outcome);
                self.records.event(object, class, 0, &outcome);
            }
        }
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

    /// Adds what was seen when a call began, and the fields of its object now, if states are recorded.
    fn put_surroundings(&self, tools: Tools, env: Env, object: jobject, seen: Seen, outcome: &mut Vec<u8>) {
        if let Some(states) = self.states.get() {
            let after = states.read(self, tools, env, object);
            seen.put(&after, outcome);
        }
    }

    /// Returns true if arguments and states are recorded.
    pub(crate) fn has_states(&self) -> bool {
        self.plan.states
    }

    /// Tells the time that arguments and states took, as far as it was not told.
    pub(crate) fn tell_cost(&self) {
        self.states.get().into_iter().for_each(|states| states.tell_cost(self.records));
    }

    fn put_reference(&self, tools: Tools, env: Env, object: jobject, bytes: &mut Vec<u8>) {
        if object.is_null() {
            return bytes.byte(tag::NULL);
        }
        let number = self.class_of(tools, env, object).map_or(0, |(number, _)| number);
        if self.records.is_string(number) {
            bytes.byte(tag::TEXT);
            // SAFETY: the object is a string, as its class says, and no exception is pending: a call has just
            // returned.
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
            self.records.event(number as u64, class, method, outcome);
        }
    }

    /// Has the constructors of a class report if it is under test.
    fn prepare(&self, tools: Tools, env: Env, class: jclass) {
        let Ok(signature) = tools.signature(class) else { return };
        let Some(name) = signature.strip_prefix('L').and_then(|name| name.strip_suffix(';')) else { return };
        let Some(target) = self.plan.targets.iter().position(|target| target.class == name) else { return };
        let known = locked(&self.under).clone();
        // SAFETY: the class is a live reference, and the others are weak ones.
        let weak = unsafe {
            if known.into_iter().any(|(_, known)| jni!(env, IsSameObject, known as jclass, class)) {
                return;
            }
            jni!(env, NewWeakGlobalRef, class)
        };
        locked(&self.under).push((target, weak as usize));
        let constructors = locked(&self.constructors).get(name).cloned().unwrap_or_default();
        for method in tools.methods(class).unwrap_or_default() {
            let Ok((name, descriptor)) = tools.method_name(method) else { continue };
            let returns = constructors.get(&descriptor);
            if let Some(returns) = returns.filter(|_| name == "<init>") {
                let returns = returns.iter().copied();
                let set =
                    std::iter::once(0).chain(returns).try_for_each(|at| tools.break_at(method, at.into()));
                if let Err(code) = set {
                    self.records.write(|bytes| {
                        bytes.byte(frame::LEFT);
                        bytes.text(&format!(
                            "the constructor {descriptor}: no breakpoint can be set ({code})"
                        ));
                    });
                }
            }
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
        self.note_object(*last);
        Ok(*last)
    }
}

/// End of a call.
enum Ended {
    Returned(jvalue),
    Threw(jobject),
}

impl Listener for &'static CallRecorder {
    fn capabilities(&self) -> &'static [u32] {
        use capability::*;
        &[
            TAG,
            LINES,
            SOURCE_FILES,
            LOCALS,
            EXCEPTIONS,
            BREAKPOINTS,
            FIELD_READS,
            FIELD_WRITES,
            ALL_CLASS_HOOKS,
            OBJECT_FREE,
            EARLY_CLASS_HOOKS,
        ]
    }

    fn events(&self) -> &'static [i32] {
        use event::*;
        &[CLASS_FILE, CLASS_PREPARE, EXCEPTION, EXCEPTION_CAUGHT, BREAKPOINT, OBJECT_FREE]
    }

    fn class_file(&self, name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        let changed = self.plan.change(name, bytes)?;
        for text in changed.left {
            self.records.write(|bytes| {
                bytes.byte(frame::LEFT);
                bytes.text(&text);
            });
        }
        if !changed.constructors.is_empty() {
            locked(&self.constructors).insert(name.to_owned(), changed.constructors);
        }
        Some(changed.bytes)
    }

    fn class_prepared(&self, tools: Tools, env: Env, class: jclass) {
        self.prepare(tools, env, class);
        // The number that a class gets there tells its targets.
        self.watch_fields(tools, env, class);
    }

    fn breakpoint(&self, tools: Tools, env: Env, method: jmethodID, location: jlong) {
        if !self.listening.load(Ordering::Relaxed) {
            return;
        }
        if location != 0 && !open::has_constructor(tools, Some(method as usize)) {
            return;
        }
        let Ok(depth) = tools.frame_count() else { return };
        if location != 0 {
            self.settle(tools, depth);
            let is_this = |open: &Open| matches!(open, Open::Constructor(maker) if maker.depth == depth);
            let mut over = open::take_from_last(tools, is_this);
            if !over.is_empty()
                && let Open::Constructor(Maker { object, class, seen, call, from, .. }) = over.remove(0)
            {
                self.close(over);
                let mut outcome = Vec::new();
                // To ask for the object costs more than all else here.
                let is_text = self.records.is_string(class);
                let this = if is_text || self.plan.states { tools.receiver(0).ok() } else { None };
                if let Some(this) = this.filter(|_| is_text) {
                    self.put_reference(tools, env, this, &mut outcome);
                } else {
                    outcome.byte(tag::OBJECT);
                    outcome.number(class);
                }
                self.put_surroundings(tools, env, this.unwrap_or(std::ptr::null_mut()), seen, &mut outcome);
                self.put_mark(&call, None, &mut outcome);
                self.put_places(tools, env, from, false, &mut outcome);
                self.records.event(object, class, 0, &outcome);
                if let Some(this) = this {
                    self.after(env, this, 0, call, None);
                    // SAFETY: the reference was made above.
                    unsafe { jni!(env, DeleteLocalRef, this) };
                }
            }
            return;
        }
        let Ok(this) = tools.receiver(0) else { return };
        self.made(tools, env, depth, this);
        // SAFETY: the reference was made above.
        unsafe { jni!(env, DeleteLocalRef, this) };
    }

    fn exception(&self, tools: Tools, env: Env, exception: jobject, catcher: jmethodID) {
        if !open::has_constructor(tools, None) {
            return;
        }
        let Ok(depth) = tools.frame_count() else { return };
        // The machine throws a new one after what has left a constructor that was called by reflection.
        self.settle(tools, depth);
        let thrown = self.class_of(tools, env, exception).map_or(0, |(number, _)| number);
        open::thrown(tools, thrown);
        if catcher.is_null() {
            // Nobody will say that it was caught.
            self.settle(tools, 0);
        }
    }

    fn caught(&self, tools: Tools) {
        if open::has_constructor(tools, None)
            && let Ok(depth) = tools.frame_count()
        {
            self.settle(tools, depth);
        }
    }

    fn field(&self, tools: Tools, class: jclass, field: jfieldID, written: bool) {
        self.touched(tools, class, field, written);
    }

    fn freed(&self, tag: i64) {
        if tag > 0 {
            self.records.freed(tag as u64);
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
fn heard(act: impl FnOnce(&CallRecorder, Tools)) {
    guarded(|_| {
        if let (Some(recorder), Ok(tools)) = (EARS.get(), tools()) {
            act(recorder, tools);
        }
    });
}

unsafe extern "system" fn enter(env: *mut JNIEnv, _class: jclass, number: jint, receiver: jobject) -> u8 {
    let mut wanted = false;
    heard(|recorder, tools| wanted = recorder.begin(tools, Env::of(env), number, receiver));
    u8::from(wanted)
}

unsafe extern "system" fn threw(
    env: *mut JNIEnv,
    _class: jclass,
    thrown: jobject,
    number: jint,
    receiver: jobject,
) {
    heard(|recorder, tools| recorder.end(tools, Env::of(env), number, receiver, Ended::Threw(thrown)));
}

unsafe extern "system" fn leave_void(env: *mut JNIEnv, _class: jclass, number: jint, receiver: jobject) {
    heard(|recorder, tools| {
        recorder.end(tools, Env::of(env), number, receiver, Ended::Returned(jvalue { j: 0 }))
    });
}

/// All that is an `int` on the stack; the method's descriptor says what it really is.
unsafe extern "system" fn leave_int(
    env: *mut JNIEnv,
    _class: jclass,
    value: jint,
    number: jint,
    receiver: jobject,
) {
    heard(|recorder, tools| {
        let value = match recorder.results.get(number as usize) {
            Some(Kind::Bool) => jvalue { z: value & 1 != 0 },
            Some(Kind::Byte) => jvalue { b: value as i8 },
            Some(Kind::Char) => jvalue { c: value as u16 },
            Some(Kind::Short) => jvalue { s: value as i16 },
            _ => jvalue { i: value },
        };
        recorder.end(tools, Env::of(env), number, receiver, Ended::Returned(value));
    });
}

/// A native method `leave` for results that are the member `$member` of a `jvalue`.
macro_rules! leave {
    ($name:ident, $type:ty, $member:ident) => {
        unsafe extern "system" fn $name(
            env: *mut JNIEnv,
            _class: jclass,
            value: $type,
            number: jint,
            receiver: jobject,
        ) {
            let ended = Ended::Returned(jvalue { $member: value });
            heard(|recorder, tools| recorder.end(tools, Env::of(env), number, receiver, ended));
        }
    };
}

leave!(leave_long, jlong, j);
leave!(leave_float, jfloat, f);
leave!(leave_double, jdouble, d);
leave!(leave_object, jobject, l);
