//! Running a script through JNI: every statement becomes one call, and its outcome a few bytes of the results.
//!
//! A callable is looked up once, when it is first needed, and never again; looking it up initializes its class, which is
//! the subject's own code, so it happens inside the script that asks for it and counts as that script's doing. JNI does
//! not check what it is given: a reference of a wrong type would be undefined behavior in Java. So receivers and arguments
//! are checked against the descriptor's classes before each call.
//!
//! Cost: a call through the table takes 110 to 130 ns; each check of a reference adds about 10 ns.

use adit_trace::{CallKind, Callable};
use jni_sys::{jclass, jobject, jvalue};

use crate::fields::Fields;
use crate::jni;
use crate::message::{Passed, tag, take_argument};
use crate::resolve::{Kind, Known, Parameter, Ready, UNNAMED, find_class};
use crate::shared::Results;
use crate::vm::{self, Env};
use crate::wire::{Garbled, Put, Take};

/// The most bytes that the answer to one script may take. A script of ten calls takes about 60.
pub(crate) const LARGEST_RUN: usize = 1 << 20;

/// With so many classes seen, the worker asks to be replaced: each is held for good.
const MOST_CLASSES: usize = 4096;

/// Runs scripts on one machine.
pub(crate) struct Player {
    env: Env,
    /// How many UTF-16 units of a string are kept.
    text: usize,
    snapshots: bool,
    known: Known,
    callables: Vec<Entry>,
    classes: Vec<SeenClass>,
    /// The places of the last two that were looked for: an object and what its field leads to take turns.
    recent: [usize; 2],
    /// How many classes and how many lists of fields were sent.
    numbered: u64,
    plans: u64,
    /// What happened makes it doubtful that later results are right.
    suspect: bool,
    // Buffers that are used again and again.
    slots: Vec<Slot>,
    args: Vec<jvalue>,
    step: Vec<u8>,
    units: Vec<u16>,
}

/// A callable on its way from a name to something that can be called.
enum Entry {
    Named(Callable),
    Ready(Ready),
    Failed { class: usize, message: Option<String> },
}

/// A class of which an object was seen.
struct SeenClass {
    class: jclass,
    name: String,
    /// The number by which the coordinator knows it; zero until it does.
    number: u64,
    /// Seeing an exception of this class makes the machine suspect.
    alarming: bool,
    /// Its fields, once they were asked for, and the number of their list, zero until it was sent.
    fields: Option<(Fields, u64)>,
}

/// What a statement gave to those after it.
#[derive(Clone, Copy)]
enum Slot {
    Nothing,
    Null,
    Object(jobject),
    Primitive(Kind, jvalue),
}

/// Why a statement ends before the call.
enum Stop {
    Tag(u8),
    Thrown(jobject),
    Garbled,
}

impl From<Garbled> for Stop {
    fn from(_: Garbled) -> Self {
        Self::Garbled
    }
}

impl Player {
    /// Prepares to run scripts, keeping `text` units of strings.
    pub(crate) fn new(env: Env, text: usize, snapshots: bool) -> Result<Self, String> {
        const STRANGE: &str = "java.lang.String and its kin are not as they should be";
        let known = Known::find(env).ok_or(STRANGE)?;
        // They are known from the beginning, because when they are thrown it may be too late to ask for their names.
        let classes =
            ["java.lang.OutOfMemoryError", "java.lang.StackOverflowError", "java.lang.InternalError"]
                .into_iter()
                .map(|name| {
                    let class = find_class(env, &name.replace('.', "/")).map_err(|_| STRANGE)?;
                    Ok(SeenClass { class, name: name.to_owned(), number: 0, alarming: true, fields: None })
                })
                .collect::<Result<_, String>>()?;
        Ok(Self {
            env,
            text,
            snapshots,
            known,
            callables: Vec::new(),
            classes,
            recent: [0; 2],
            numbered: 0,
            plans: 0,
            suspect: false,
            slots: Vec::new(),
            args: Vec::new(),
            step: Vec::new(),
            units: Vec::new(),
        })
    }

    /// Takes note of a callable; its number is the count of those before it.
    pub(crate) fn learn(&mut self, callable: Callable) {
        self.callables.push(Entry::Named(callable));
    }

    /// Whether this worker should be replaced.
    pub(crate) fn is_suspect(&self) -> bool {
        self.suspect || self.classes.len() > MOST_CLASSES
    }

    /// Runs one script. There must be room for [`LARGEST_RUN`] bytes of results.
    pub(crate) fn play(&mut self, script: &[u8], results: &mut Results) -> Result<(), Garbled> {
        let mut take = Take(script);
        let statements = take.count()?;
        self.slots.clear();
        // Each statement makes a result, perhaps an exception, and its arguments.
        // SAFETY: the frame is popped below, on every way out; nothing made in it is used afterwards, because the slots
        // are cleared before they are used again.
        let references = 16 + 4 * statements.min(1 << 16) as i32;
        let pushed = unsafe { jni!(self.env, PushLocalFrame, references) } == 0;
        let outcome = self.statements(statements, &mut take, results);
        // SAFETY: as above. An exception cannot be pending: every call is followed by taking it away, except a failed
        // push, which throws.
        unsafe {
            if pushed {
                jni!(self.env, PopLocalFrame, std::ptr::null_mut());
            } else {
                jni!(self.env, ExceptionClear);
                self.suspect = true;
            }
        }
        self.slots.clear();
        outcome
    }

    fn statements(
        &mut self,
        count: usize,
        take: &mut Take<'_>,
        results: &mut Results,
    ) -> Result<(), Garbled> {
        let mut room = LARGEST_RUN.min(results.room());
        for _ in 0..count {
            self.step.clear();
            let slot = self.statement(take)?;
            self.slots.push(slot);
            // The end of the run needs a byte.
            if self.step.len() >= room || !results.append(&self.step) {
                // Names in what was not appended count as sent. A new worker starts from nothing.
                self.suspect = true;
                results.append(&[tag::OVERSIZED]);
                return Ok(());
            }
            room -= self.step.len();
        }
        results.append(&[tag::COMPLETE]);
        Ok(())
    }

    /// Runs one statement, leaves its step in the buffer and returns what it gave.
    fn statement(&mut self, take: &mut Take<'_>) -> Result<Slot, Garbled> {
        let number = take.size()?;
        let receiver = take.size()?;
        let count = take.count()?;
        // Arguments are read in any case, so that the next statement is found.
        let mut arguments = Take(take.0);
        for _ in 0..count {
            take_argument(take)?;
        }
        let ready = match self.resolve(number)? {
            Ok(ready) => ready,
            Err(()) => return Ok(Slot::Nothing),
        };
        match self.prepare(&ready, receiver, count, &mut arguments) {
            Ok(target) => Ok(self.call(&ready, target)),
            Err(Stop::Tag(tag)) => {
                self.step.byte(tag);
                Ok(Slot::Nothing)
            }
            Err(Stop::Thrown(thrown)) => {
                self.put_exception(tag::THREW, thrown);
                Ok(Slot::Nothing)
            }
            Err(Stop::Garbled) => Err(Garbled),
        }
    }

    /// The callable with this number, looked up if need be. When there is none, the step says so.
    fn resolve(&mut self, number: usize) -> Result<Result<Ready, ()>, Garbled> {
        if let Entry::Named(callable) = self.callables.get(number).ok_or(Garbled)? {
            let found = Ready::find(self.env, &self.known, callable);
            self.callables[number] = match found {
                Ok(ready) => Entry::Ready(ready),
                Err(thrown) => {
                    let (class, message) = self.describe(thrown);
                    Entry::Failed { class, message }
                }
            };
        }
        match &self.callables[number] {
            Entry::Ready(ready) => Ok(Ok(ready.clone())),
            Entry::Failed { class, message } => {
                let (class, message) = (*class, message.clone());
                self.step.byte(tag::UNRESOLVED);
                put_class(&mut self.classes[class], &mut self.numbered, &mut self.step);
                self.step.optional_text(message.as_deref());
                Ok(Err(()))
            }
            Entry::Named(_) => Err(Garbled),
        }
    }

    /// Checks receiver and arguments, leaves the arguments in the buffer and returns the receiver.
    fn prepare(
        &mut self,
        ready: &Ready,
        receiver: usize,
        count: usize,
        arguments: &mut Take<'_>,
    ) -> Result<jobject, Stop> {
        let mut target = std::ptr::null_mut();
        if ready.kind == CallKind::Virtual {
            let slot = receiver.checked_sub(1).and_then(|index| self.slots.get(index));
            let Some(Slot::Object(object)) = slot else { return Err(Stop::Tag(tag::NO_RECEIVER)) };
            if !self.is_instance(*object, ready.class) {
                return Err(Stop::Tag(tag::WRONG_TYPE));
            }
            target = *object;
        }
        if count != ready.parameters.len() {
            return Err(Stop::Tag(tag::WRONG_TYPE));
        }
        self.args.clear();
        for parameter in ready.parameters.iter() {
            let passed = take_argument(arguments)?;
            let value = self.argument(parameter, passed)?;
            self.args.push(value);
        }
        Ok(target)
    }

    fn argument(&mut self, parameter: &Parameter, passed: Passed<'_>) -> Result<jvalue, Stop> {
        let null = jvalue { l: std::ptr::null_mut() };
        let wrong = Err(Stop::Tag(tag::WRONG_TYPE));
        match (parameter.kind, passed) {
            (Kind::Reference, Passed::Null) => Ok(null),
            (Kind::Bool, Passed::Bool(value)) => Ok(jvalue { z: value }),
            // The low bits are what a narrow type takes.
            (Kind::Byte, Passed::Int(value)) => Ok(jvalue { b: value as i8 }),
            (Kind::Char, Passed::Int(value)) => Ok(jvalue { c: value as u16 }),
            (Kind::Short, Passed::Int(value)) => Ok(jvalue { s: value as i16 }),
            (Kind::Int, Passed::Int(value)) => Ok(jvalue { i: value as i32 }),
            (Kind::Long, Passed::Int(value)) => Ok(jvalue { j: value }),
            (Kind::Float, Passed::Float(value)) => Ok(jvalue { f: value as f32 }),
            (Kind::Double, Passed::Float(value)) => Ok(jvalue { d: value }),
            (Kind::Reference, Passed::Text(text)) if parameter.takes_text => {
                self.units.clear();
                self.units.extend(text.encode_utf16());
                let Ok(length) = self.units.len().try_into() else { return wrong };
                // SAFETY: the units live until the call returns. On failure it throws, and that is taken away.
                unsafe {
                    let string = jni!(self.env, NewString, self.units.as_ptr(), length);
                    if string.is_null() {
                        return Err(Stop::Thrown(vm::take_exception(self.env)));
                    }
                    Ok(jvalue { l: string })
                }
            }
            (kind, Passed::Earlier(index)) => match (kind, self.slots.get(index)) {
                (_, None | Some(Slot::Nothing)) => Err(Stop::Tag(tag::NO_ARGUMENT)),
                (Kind::Reference, Some(Slot::Null)) => Ok(null),
                (Kind::Reference, Some(Slot::Object(object)))
                    if self.is_instance(*object, parameter.class) =>
                {
                    Ok(jvalue { l: *object })
                }
                (_, Some(Slot::Primitive(given, value))) if *given == kind => Ok(*value),
                _ => wrong,
            },
            _ => wrong,
        }
    }

    fn is_instance(&self, object: jobject, class: jclass) -> bool {
        // SAFETY: the object is a reference of the script's frame that is not null, the class a global reference.
        unsafe { jni!(self.env, IsInstanceOf, object, class) }
    }

    /// Makes the call, leaves its step in the buffer and returns what it gave.
    fn call(&mut self, ready: &Ready, target: jobject) -> Slot {
        let (env, class, method, args) = (self.env, ready.class, ready.method, self.args.as_ptr());
        // One arm for each type: the table has an entry for each, for methods and for static methods.
        macro_rules! typed {
            ($virtual:ident, $static:ident, $field:ident) => {
                jvalue {
                    $field: if ready.kind == CallKind::Static {
                        jni!(env, $static, class, method, args)
                    } else {
                        jni!(env, $virtual, target, method, args)
                    },
                }
            };
        }
        // SAFETY: the method was looked up in this class with this descriptor; `prepare` has checked that the receiver
        // is an instance of the class and that number and types of the arguments are those of the descriptor. The entry
        // is chosen by the descriptor's result.
        let value = unsafe {
            match (ready.kind, ready.result) {
                (CallKind::Constructor, _) => jvalue { l: jni!(env, NewObjectA, class, method, args) },
                (_, Kind::Void) => {
                    if ready.kind == CallKind::Static {
                        jni!(env, CallStaticVoidMethodA, class, method, args);
                    } else {
                        jni!(env, CallVoidMethodA, target, method, args);
                    }
                    jvalue { j: 0 }
                }
                (_, Kind::Bool) => typed!(CallBooleanMethodA, CallStaticBooleanMethodA, z),
                (_, Kind::Byte) => typed!(CallByteMethodA, CallStaticByteMethodA, b),
                (_, Kind::Char) => typed!(CallCharMethodA, CallStaticCharMethodA, c),
                (_, Kind::Short) => typed!(CallShortMethodA, CallStaticShortMethodA, s),
                (_, Kind::Int) => typed!(CallIntMethodA, CallStaticIntMethodA, i),
                (_, Kind::Long) => typed!(CallLongMethodA, CallStaticLongMethodA, j),
                (_, Kind::Float) => typed!(CallFloatMethodA, CallStaticFloatMethodA, f),
                (_, Kind::Double) => typed!(CallDoubleMethodA, CallStaticDoubleMethodA, d),
                (_, Kind::Reference) => typed!(CallObjectMethodA, CallStaticObjectMethodA, l),
            }
        };
        // SAFETY: this is the thread of the environment.
        let thrown = unsafe { vm::take_exception(env) };
        let slot = if !thrown.is_null() {
            self.put_exception(tag::THREW, thrown);
            Slot::Nothing
        } else if ready.kind == CallKind::Constructor || ready.result == Kind::Reference {
            // SAFETY: the arms above have set this field for these two.
            self.put_reference(unsafe { value.l })
        } else {
            put_primitive(&mut self.step, ready.result, value);
            if ready.result == Kind::Void { Slot::Nothing } else { Slot::Primitive(ready.result, value) }
        };
        if self.snapshots {
            let object = match (ready.kind, slot) {
                (CallKind::Virtual, _) => Some(target),
                (CallKind::Constructor, Slot::Object(object)) => Some(object),
                _ => None,
            };
            if let Some(object) = object {
                self.put_state(object);
            }
        }
        slot
    }

    fn put_reference(&mut self, object: jobject) -> Slot {
        if object.is_null() {
            self.step.byte(tag::NULL);
            return Slot::Null;
        }
        if self.is_instance(object, self.known.string) {
            self.step.byte(tag::TEXT);
            // SAFETY: the object is a string, as was just checked, and nothing is pending.
            let text = unsafe { vm::text(self.env, object, self.text, &mut self.units) };
            self.step.text(&text);
            return Slot::Object(object);
        }
        let first = self.slots.iter().position(|slot| match slot {
            // SAFETY: both are references of the script's frame.
            Slot::Object(other) => unsafe { jni!(self.env, IsSameObject, *other, object) },
            _ => false,
        });
        let class = self.class_of(object);
        self.step.byte(tag::OBJECT);
        put_class(&mut self.classes[class], &mut self.numbered, &mut self.step);
        self.step.number(first.unwrap_or(self.slots.len()) as u64);
        Slot::Object(object)
    }

    fn put_exception(&mut self, tag: u8, thrown: jobject) {
        let (class, message) = self.describe(thrown);
        self.step.byte(tag);
        put_class(&mut self.classes[class], &mut self.numbered, &mut self.step);
        self.step.optional_text(message.as_deref());
    }

    /// Class and message of an exception, whose reference is used up.
    fn describe(&mut self, thrown: jobject) -> (usize, Option<String>) {
        let class = self.class_of(thrown);
        self.suspect |= self.classes[class].alarming;
        // SAFETY: the reference is live and a throwable, on which the method was looked up; it may throw itself, and
        // that is taken away. Both references are given back, because a script may throw thousands of times.
        unsafe {
            let text = jni!(self.env, CallObjectMethodA, thrown, self.known.message, std::ptr::null());
            let second = vm::take_exception(self.env);
            let message = if second.is_null() && !text.is_null() {
                Some(vm::text(self.env, text, self.text, &mut self.units))
            } else {
                None
            };
            for used in [second, if second.is_null() { text } else { std::ptr::null_mut() }, thrown] {
                jni!(self.env, DeleteLocalRef, used);
            }
            (class, message)
        }
    }

    /// The place of an object's class among those seen.
    fn class_of(&mut self, object: jobject) -> usize {
        // SAFETY: the object is live and not null; the local reference to its class is given back, or turned global.
        unsafe {
            let class = jni!(self.env, GetObjectClass, object);
            let same = |seen: &SeenClass| jni!(self.env, IsSameObject, seen.class, class);
            let recent = self.recent.into_iter().find(|place| same(&self.classes[*place]));
            if let Some(known) = recent.or_else(|| self.classes.iter().position(same)) {
                jni!(self.env, DeleteLocalRef, class);
                if recent.is_none() {
                    self.recent = [known, self.recent[0]];
                }
                return known;
            }
            let name = self.known.name_of(self.env, class, &mut self.units);
            // A machine that has no memory left for the name of a class is not to be trusted with the next script.
            let alarming = name == UNNAMED;
            let global = jni!(self.env, NewGlobalRef, class);
            jni!(self.env, DeleteLocalRef, class);
            self.suspect |= alarming || global.is_null();
            self.classes.push(SeenClass { class: global, name, number: 0, alarming, fields: None });
            self.classes.len() - 1
        }
    }

    /// Adds the fields of an object to the step in the buffer.
    fn put_state(&mut self, object: jobject) {
        let class = self.class_of(object);
        let seen = &mut self.classes[class];
        // Taken out while it is used, because looking at fields may find classes that were not seen before.
        let (fields, mut number) = seen
            .fields
            .take()
            .unwrap_or_else(|| (Fields::of(self.env, seen.class, &self.known, &mut self.units), 0));
        if !fields.is_empty() {
            let mut step = std::mem::take(&mut self.step);
            step[0] |= tag::STATE;
            if number == 0 {
                self.plans += 1;
                number = self.plans;
                step.number(number);
                fields.put_names(&mut step);
            } else {
                step.number(number);
            }
            fields.put_values(self.env, object, &mut step, |value, step| self.put_inner(value, step));
            self.step = step;
        }
        self.classes[class].fields = Some((fields, number));
    }

    /// Writes what a field leads to: a string, or the class of anything else.
    fn put_inner(&mut self, object: jobject, step: &mut Vec<u8>) {
        if self.is_instance(object, self.known.string) {
            step.byte(tag::TEXT);
            // SAFETY: the object is a string, as was just checked, and nothing is pending.
            step.text(&unsafe { vm::text(self.env, object, self.text, &mut self.units) });
        } else {
            let class = self.class_of(object);
            step.byte(tag::OBJECT);
            put_class(&mut self.classes[class], &mut self.numbered, step);
        }
    }
}

/// Writes a class: its number, and its name when the coordinator does not know the number yet.
fn put_class(seen: &mut SeenClass, numbered: &mut u64, step: &mut Vec<u8>) {
    if seen.number != 0 {
        return step.number(seen.number);
    }
    *numbered += 1;
    seen.number = *numbered;
    step.number(seen.number);
    step.text(&seen.name);
}

/// Writes a value that is no reference.
pub(crate) fn put_primitive(bytes: &mut Vec<u8>, kind: Kind, value: jvalue) {
    // SAFETY: the value was made with the field that its kind names, by JNI or by `argument`.
    unsafe {
        let whole = match kind {
            Kind::Void | Kind::Reference => return bytes.byte(tag::VOID),
            Kind::Bool => return bytes.byte(if value.z { tag::TRUE } else { tag::FALSE }),
            Kind::Float | Kind::Double => {
                bytes.byte(tag::FLOAT);
                return bytes.float(if kind == Kind::Float { value.f.into() } else { value.d });
            }
            Kind::Byte => value.b.into(),
            Kind::Char => value.c.into(),
            Kind::Short => value.s.into(),
            Kind::Int => value.i.into(),
            Kind::Long => value.j,
        };
        bytes.byte(tag::INT);
        bytes.signed(whole);
    }
}
