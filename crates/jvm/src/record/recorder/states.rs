//! Arguments of a recorded call, and the fields of its object before and after it.
//!
//! A wrapped method tells its witness each argument; those of a constructor are read from its frame. The
//! fields are those of a snapshot after a generated call (`fields.rs`): to depth one, with the sizes of
//! arrays and of the JDK's collections, null or a class in place of other objects. All of them are written
//! each time, because several threads may use an object, and nothing is kept alive between two calls.
//!
//! Cost: about 0.1 µs for a field, twice for each call, and 0.2 µs for an argument of a method. The time is
//! measured and told.

use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use adit_bytecode::{Signature, Type};
use jni_sys::{JNIEnv, JNINativeMethod, jclass, jdouble, jfloat, jint, jlong, jobject, jvalue};

use super::open::{self, Seen};
use super::{CallRecorder, heard, kept, locked};
use crate::agent::Tools;
use crate::fields::{Counting, Fields, Viewer};
use crate::jni;
use crate::known::Known;
use crate::play::{is_countable, put_primitive};
use crate::record::plan::Plan;
use crate::record::stream::{RecordWriter, frame};
use crate::resolve::Kind;
use crate::results::tag;
use crate::sizes::field_behind;
use crate::vm::{Env, Global};
use crate::wire::Put;

/// Time after which the time that was spent is told.
const TELL: Duration = Duration::from_millis(20);

/// Number of classes whose fields are shown; each is held for good.
const MOST_CLASSES: usize = 4096;

/// Reads arguments and fields.
pub(super) struct StateReader {
    pub(super) known: Known,
    /// The kinds of the parameters of each method.
    parameters: Vec<Vec<Kind>>,
    /// The fields of classes, by the number of the class.
    shown: Mutex<HashMap<u64, Option<&'static Shown>>>,
    /// The way to find the size of objects of a class. No class has two.
    counting: Mutex<HashMap<u64, Counting>>,
    /// The kinds of the parameters of constructors, by the id of the method.
    constructors: Mutex<HashMap<usize, Arc<[Kind]>>>,
    /// Nanoseconds that were not told.
    spent: AtomicU64,
}

// SAFETY: global references, and the ids of methods and fields, are good on all threads. The reader lives as
// long as the process, so that no reference is given back.
unsafe impl Send for StateReader {}
// SAFETY: as above; all that changes is behind a lock.
unsafe impl Sync for StateReader {}

/// The fields of a class, and the number of the list of their names.
struct Shown {
    fields: Fields,
    list: u64,
    // Keeps the ids of the fields good.
    _class: Global,
}

impl StateReader {
    /// Looks up what reading needs; nothing if the JDK lacks it.
    pub(super) fn new(env: Env, plan: &Plan) -> Option<Self> {
        Some(Self {
            known: Known::find(env)?,
            parameters: plan.methods.iter().map(|method| parameter_kinds(&method.descriptor)).collect(),
            shown: Mutex::default(),
            counting: Mutex::default(),
            constructors: Mutex::default(),
            spent: AtomicU64::new(0),
        })
    }

    /// The fields of an object, behind the number of the list of their names; empty if there are none, or no
    /// object.
    pub(super) fn read(&self, recorder: &CallRecorder, tools: Tools, env: Env, object: jobject) -> Vec<u8> {
        recorder.unwatched(tools, env, || match object.is_null() {
            true => Vec::new(),
            false => self.timed(recorder, || self.fields(recorder, tools, env, object).unwrap_or_default()),
        })
    }

    fn fields(&self, recorder: &CallRecorder, tools: Tools, env: Env, object: jobject) -> Option<Vec<u8>> {
        let shown = self.shown(recorder, tools, env, object)?;
        let (mut bytes, fields) = (Vec::new(), &shown.fields);
        bytes.number(shown.list);
        let mut kept = vec![jvalue { j: 0 }; fields.places()];
        // SAFETY: the frame is popped, and the references that are kept in it are not used afterwards. The
        // object is a live reference to an instance of the class of the fields.
        unsafe {
            if jni!(env, PushLocalFrame, fields.references + 16) != 0 {
                jni!(env, ExceptionClear);
                return None;
            }
            let mut viewer = StateViewer { reader: self, recorder, tools, env };
            fields.put(env, object, &mut kept, true, &mut bytes, &mut viewer);
            jni!(env, PopLocalFrame, std::ptr::null_mut());
        }
        Some(bytes)
    }

    /// The fields of an object's class, looked up once. Nothing if it has none.
    fn shown(
        &self,
        recorder: &CallRecorder,
        tools: Tools,
        env: Env,
        object: jobject,
    ) -> Option<&'static Shown> {
        let (number, _) = recorder.class_of(tools, env, object).ok()?;
        if let Some(known) = locked(&self.shown).get(&number) {
            return *known;
        }
        // Nothing is locked while the machine is asked.
        // SAFETY: the object is a live reference, and the one to its class is turned global.
        let class = unsafe { Global::of_local(env, jni!(env, GetObjectClass, object)) }?;
        let fields = Fields::of(env, class.get(), &self.known, &mut Vec::new());
        let mut all = locked(&self.shown);
        if all.len() >= MOST_CLASSES {
            return None;
        }
        let list = 1 + all.values().flatten().count() as u64;
        let entry = all.entry(number).or_insert_with(|| {
            (fields.values > 0).then(|| {
                // Lists must reach the records in the order of their numbers.
                recorder.records.write(|bytes| {
                    bytes.byte(frame::FIELDS);
                    bytes.texts(&fields.names());
                });
                // It is needed as long as the machine lives.
                &*Box::leak(Box::new(Shown { fields, list, _class: class }))
            })
        });
        *entry
    }

    /// The arguments of the constructor that has just begun, read from its frame.
    pub(super) fn constructor_arguments(
        &self,
        recorder: &CallRecorder,
        tools: Tools,
        env: Env,
        method: usize,
    ) -> Seen {
        self.timed(recorder, || {
            let mut seen = Seen::default();
            let mut slot = 1;
            for kind in self.constructor_kinds(tools, method).iter().copied() {
                let Ok(value) = tools.local(kind, slot) else { return Seen::default() };
                slot += if matches!(kind, Kind::Long | Kind::Double) { 2 } else { 1 };
                self.put_argument(recorder, tools, env, kind, value, &mut seen.arguments);
                seen.count += 1;
                if kind == Kind::Reference {
                    // SAFETY: the reference was just made.
                    unsafe { jni!(env, DeleteLocalRef, value.l) };
                }
            }
            seen
        })
    }

    fn constructor_kinds(&self, tools: Tools, method: usize) -> Arc<[Kind]> {
        if let Some(known) = locked(&self.constructors).get(&method) {
            return known.clone();
        }
        let descriptor = tools.method_name(method as jni_sys::jmethodID).map(|(_, descriptor)| descriptor);
        let kinds: Arc<[Kind]> = descriptor.map(|of| parameter_kinds(&of)).unwrap_or_default().into();
        locked(&self.constructors).insert(method, kinds.clone());
        kinds
    }

    /// The next argument of the call that has just begun.
    fn argument(&self, recorder: &CallRecorder, tools: Tools, env: Env, value: jvalue) {
        self.timed(recorder, || {
            let Some((number, count)) = open::told(tools) else { return };
            let kinds = self.parameters.get(number as usize);
            let Some(kind) = kinds.and_then(|kinds| kinds.get(count)).copied() else { return };
            let mut bytes = Vec::new();
            self.put_argument(recorder, tools, env, kind, value, &mut bytes);
            open::add_argument(tools, &bytes);
            if open::keeps_arguments(tools) {
                open::keep_argument(tools, kept::keep(env, kind, narrowed(kind, value)));
            }
        });
    }

    fn put_argument(
        &self,
        recorder: &CallRecorder,
        tools: Tools,
        env: Env,
        kind: Kind,
        value: jvalue,
        bytes: &mut Vec<u8>,
    ) {
        if kind != Kind::Reference {
            return put_primitive(bytes, kind, narrowed(kind, value));
        }
        // SAFETY: a value of this kind is a reference.
        let object = unsafe { value.l };
        let wrapper = self.known.wrappers.iter().find(|wrapper| {
            // SAFETY: the object is a live reference, and the class a global one.
            !object.is_null() && unsafe { jni!(env, IsInstanceOf, object, wrapper.class.get()) }
        });
        if let Some(wrapper) = wrapper {
            // SAFETY: the object is an instance of this wrapper, whose classes are final.
            return put_primitive(bytes, wrapper.kind, unsafe { wrapper.unwrap(env, object) });
        }
        let before = bytes.len();
        recorder.put_reference(tools, env, object, bytes);
        if bytes.get(before) == Some(&tag::OBJECT)
            && let Some(length) = self.length(env, object)
        {
            // As in traces of generated calls.
            bytes.truncate(before);
            bytes.byte(tag::TEXT);
            bytes.text(&format!("array of {length}"));
        }
    }

    /// The length of an array; nothing if the object is none.
    fn length(&self, env: Env, object: jobject) -> Option<jint> {
        // SAFETY: the object is a live reference; that to its class is given back.
        unsafe {
            let class = jni!(env, GetObjectClass, object);
            let is_array = self.known.name_of(env, class, &mut Vec::new()).starts_with('[');
            jni!(env, DeleteLocalRef, class);
            is_array.then(|| jni!(env, GetArrayLength, object))
        }
    }

    fn timed<T>(&self, recorder: &CallRecorder, act: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let made = act();
        let took = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let spent = self.spent.fetch_add(took, Ordering::Relaxed).saturating_add(took);
        if u128::from(spent) > TELL.as_nanos() {
            self.tell_cost(recorder.records);
        }
        made
    }

    /// Tells the time that was spent and not told.
    pub(super) fn tell_cost(&self, records: &RecordWriter) {
        let spent = self.spent.swap(0, Ordering::Relaxed);
        records.write(|bytes| {
            bytes.byte(frame::COST);
            bytes.number(spent);
        });
    }
}

/// The reader at one object.
struct StateViewer<'a> {
    reader: &'a StateReader,
    recorder: &'a CallRecorder,
    tools: Tools,
    env: Env,
}

impl Viewer for StateViewer<'_> {
    /// Writes a string, the name of a constant of an enum, or the class of anything else.
    fn put_inner(&mut self, object: jobject, bytes: &mut Vec<u8>) {
        let (env, known) = (self.env, &self.reader.known);
        // SAFETY: the object is a live reference, the class a global one, and nothing is pending. `name` is
        // final in `Enum`, so that no code of the subject runs.
        unsafe {
            if jni!(env, IsInstanceOf, object, known.enumeration.get()) {
                bytes.byte(tag::TEXT);
                return bytes.text(&known.text_of(env, object, known.constant_name, &mut Vec::new()));
            }
        }
        self.recorder.put_reference(self.tools, env, object, bytes);
    }

    fn counting(&mut self, object: jobject, method: &str) -> Counting {
        let Self { reader, recorder, tools, env } = self;
        let Ok((number, _)) = recorder.class_of(*tools, *env, object) else { return Counting::Never };
        if let Some(known) = locked(&reader.counting).get(&number) {
            return *known;
        }
        let known = &reader.known;
        // SAFETY: the object is a live reference; that to its class is given back. The methods were looked up
        // on `Class`, and what they throw is taken away.
        let counting = unsafe {
            let class = jni!(env, GetObjectClass, object);
            let name = known.name_of(*env, class, &mut Vec::new());
            let modifiers = jni!(env, CallIntMethodA, class, known.class_modifiers, std::ptr::null());
            jni!(env, ExceptionClear);
            let counting = if known.is_of_the_jdk(*env, class) && is_countable(&name, modifiers) {
                field_behind(*env, known, class, method).map_or(Counting::Call, Counting::Field)
            } else {
                Counting::Never
            };
            jni!(env, DeleteLocalRef, class);
            counting
        };
        locked(&reader.counting).insert(number, counting);
        counting
    }
}

/// The kinds of a method's parameters.
fn parameter_kinds(descriptor: &str) -> Vec<Kind> {
    let kind = |of: &Type| match of {
        Type::Boolean => Kind::Bool,
        Type::Byte => Kind::Byte,
        Type::Char => Kind::Char,
        Type::Short => Kind::Short,
        Type::Int => Kind::Int,
        Type::Long => Kind::Long,
        Type::Float => Kind::Float,
        Type::Double => Kind::Double,
        Type::Class(_) | Type::Array(_) => Kind::Reference,
    };
    Signature::parse(descriptor)
        .map_or_else(Vec::new, |signature| signature.parameters.iter().map(kind).collect())
}

/// The value of a kind that is an `int` on the stack.
fn narrowed(kind: Kind, value: jvalue) -> jvalue {
    // SAFETY: values of these kinds were made from an `int`.
    let whole = unsafe { value.i };
    match kind {
        Kind::Bool => jvalue { z: whole & 1 != 0 },
        Kind::Byte => jvalue { b: whole as i8 },
        Kind::Char => jvalue { c: whole as u16 },
        Kind::Short => jvalue { s: whole as i16 },
        _ => value,
    }
}

/// The methods of the witness that are told arguments.
pub(super) fn natives() -> [JNINativeMethod; 5] {
    let method = |descriptor: &'static CStr, function: *const c_void| JNINativeMethod {
        name: c"argument".as_ptr().cast_mut(),
        signature: descriptor.as_ptr().cast_mut(),
        fnPtr: function.cast_mut(),
    };
    [
        method(c"(I)V", argument_int as *const c_void),
        method(c"(J)V", argument_long as *const c_void),
        method(c"(F)V", argument_float as *const c_void),
        method(c"(D)V", argument_double as *const c_void),
        method(c"(Ljava/lang/Object;)V", argument_object as *const c_void),
    ]
}

/// A native method `argument` for values that are the member `$member` of a `jvalue`.
macro_rules! argument {
    ($name:ident, $type:ty, $member:ident) => {
        unsafe extern "system" fn $name(env: *mut JNIEnv, _class: jclass, value: $type) {
            heard(|recorder, tools| {
                if let Some(states) = recorder.states.get() {
                    states.argument(recorder, tools, Env::of(env), jvalue { $member: value });
                }
            });
        }
    };
}

argument!(argument_int, jint, i);
argument!(argument_long, jlong, j);
argument!(argument_float, jfloat, f);
argument!(argument_double, jdouble, d);
argument!(argument_object, jobject, l);
