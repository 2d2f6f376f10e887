//! Running a script through JNI: every statement becomes one call, and its outcome a few bytes of the
//! results.
//!
//! A callable is looked up once, when it is first needed, and never again; looking it up initializes its
//! class, which is the subject's own code, so it happens inside the script that asks for it and counts as
//! that script's doing. JNI does not check what it is given: a reference of a wrong type would be undefined
//! behavior in Java. So receivers and arguments are checked against the descriptor's classes before each
//! call.
//!
//! Cost: a call through the table takes 110 to 130 ns; each check of a reference adds about 10 ns.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use adit_trace::{CallKind, Depth};
use jni_sys::{jclass, jmethodID, jobject, jvalue};

use crate::argument::{Arguments, Slot, Stop};
use crate::descriptors::Descriptors;
use crate::fields::{Counting, Fields};
use crate::fresh::Fresh;
use crate::jni;
use crate::known::{Known, UNNAMED, find_class};
use crate::message::Slow;
use crate::probes::ProbeReader;
use crate::reach::Reach;
use crate::resolve::{Kind, Ready, Target};
use crate::results::tag;
use crate::scripts::{Member, take_argument};
use crate::shared::{Results, StopRequests};
use crate::threads::Threads;
use crate::vm::{self, Env, Global};
use crate::watch::Touch;
use crate::watchdog::{Wait, Watchdog};
use crate::wire::{Garbled, Put, Take};

mod snapshots;

use snapshots::Watched;
pub(crate) use snapshots::is_countable;

/// The most bytes that the answer to one script may take. A script of ten calls takes about 60.
pub(crate) const LARGEST_RUN: usize = 1 << 20;

/// A call that takes longer is reported, so that it is not taken for one that hangs.
const SLOW: Duration = Duration::from_millis(2);

/// With so many classes seen, the worker asks to be replaced: each is held for good.
const MOST_CLASSES: usize = 4096;

/// Runs scripts in one JVM.
///
/// Most of its many fields are caches and buffers that outlive a script, so that running one allocates
/// nothing.
pub(crate) struct Player {
    env: Env,
    /// Number of kept UTF-16 units of a string.
    text: usize,
    snapshots: bool,
    /// Depth of snapshots, and whether the next one has digests.
    pub(crate) depth: Depth,
    digests: bool,
    /// Looks deeper than the fields, once that was asked for.
    reach: Option<Reach>,
    known: Known,
    /// Creates a class loader for each script, if requested.
    fresh: Option<Fresh>,
    descriptors: Option<Descriptors>,
    /// Looks at which fields are touched, if they are watched.
    touch: Option<Touch>,
    /// Says which probes are passed, if there are any.
    probe_reader: Option<ProbeReader>,
    /// Ends calls that block, if the machine supports it.
    pub(crate) watchdog: Option<Watchdog>,
    /// Waits for threads of scripts and ends them, if the machine supports it.
    threads: Option<Threads>,
    /// Number of the script in its batch.
    pub(crate) script: usize,
    /// Callables that were slow in this batch.
    pub(crate) slow: Vec<Slow>,
    took: Duration,
    /// Everything that the script called was called before in this machine, and its classes are loaded.
    pub(crate) is_warm: bool,
    callables: Vec<Entry>,
    classes: Vec<SeenClass>,
    /// The places of the last two that were looked for: an object and what its field leads to take turns.
    recent: [usize; 2],
    /// The numbers of the names of classes, and of the lists of fields, that were sent.
    numbers: HashMap<String, u64>,
    plans: HashMap<Vec<String>, u64>,
    /// True if something happened that may falsify later results.
    suspect: bool,
    arguments: Arguments,
    // Buffers that are used again and again.
    slots: Vec<Slot>,
    /// Objects of this script that must be closed.
    to_close: Vec<(jobject, Closing)>,
    args: Vec<jvalue>,
    step: Vec<u8>,
    units: Vec<u16>,
    /// Last snapshots of the objects of the script, by the statement that first returned them.
    watched: Vec<Option<Watched>>,
    kept: Vec<jvalue>,
}

/// A callable on its way from a name to something that can be called.
struct Entry {
    callable: Member,
    found: Option<Found>,
    /// It was called before.
    was_called: bool,
}

#[derive(Clone)]
enum Found {
    Ready(Rc<Ready>),
    Failed { class: usize, message: Option<String> },
}

/// An array longer than any can be is refused before memory is asked for, so that nothing has run out.
const HARMLESS: &str = "Requested array size exceeds VM limit";

/// A class of which an object was seen.
struct SeenClass {
    /// `None` if there was no memory for the reference.
    class: Option<Global>,
    name: String,
    /// The number by which the coordinator knows its name; zero until it does.
    number: u64,
    /// Seeing an exception of this class makes the machine suspect.
    alarming: bool,
    /// The kind of value that its objects hold, if it is a wrapper.
    wraps: Option<Kind>,
    /// Its objects can be asked for their size, and how, once that was asked. No class has two ways.
    countable: bool,
    counting: Option<Counting>,
    /// It comes with the JDK and stays when the loader of a script goes.
    stays: bool,
    /// Way to have its objects give up what they hold, if they hold something.
    closing: Option<Closing>,
    /// Its fields, once they were asked for, and the number of their list, zero until it was sent.
    fields: Option<(Rc<Fields>, u64)>,
}

/// Configuration of a player.
pub(crate) struct PlayOptions {
    /// Number of kept UTF-16 units of a string.
    pub(crate) text: usize,
    pub(crate) snapshots: bool,
    pub(crate) descriptors: Option<Descriptors>,
    pub(crate) fresh: Option<Fresh>,
    pub(crate) touch: Option<Touch>,
    pub(crate) probe_reader: Option<ProbeReader>,
    pub(crate) stop_requests: StopRequests,
}

impl Player {
    /// Prepares to run scripts.
    pub(crate) fn new(env: Env, known: Known, options: PlayOptions) -> Result<Self, String> {
        const STRANGE: &str = "unexpected JDK: core classes or methods are missing";
        let arguments = Arguments::new(env, &known).ok_or(STRANGE)?;
        let PlayOptions { text, snapshots, descriptors, fresh, touch, probe_reader, stop_requests } = options;
        // They are known from the beginning, because when they are thrown it may be too late to ask for their
        // names.
        let classes =
            ["java.lang.OutOfMemoryError", "java.lang.StackOverflowError", "java.lang.InternalError"]
                .into_iter()
                .map(|name| {
                    let class = find_class(env, &name.replace('.', "/")).map_err(|_| STRANGE)?;
                    Ok(SeenClass {
                        class: Some(class),
                        name: name.to_owned(),
                        number: 0,
                        alarming: true,
                        wraps: None,
                        countable: false,
                        counting: None,
                        closing: None,
                        stays: true,
                        fields: None,
                    })
                })
                .collect::<Result<_, String>>()?;
        Ok(Self {
            env,
            text,
            snapshots,
            depth: Depth::Fields,
            digests: false,
            reach: None,
            known,
            fresh,
            descriptors,
            touch,
            probe_reader,
            watchdog: Watchdog::start(env, stop_requests),
            // After the watchdog, whose thread is one of the machine's.
            threads: Threads::new(env),
            script: 0,
            slow: Vec::new(),
            is_warm: true,
            took: Duration::ZERO,
            callables: Vec::new(),
            classes,
            recent: [0; 2],
            numbers: HashMap::new(),
            plans: HashMap::new(),
            suspect: false,
            arguments,
            slots: Vec::new(),
            to_close: Vec::new(),
            args: Vec::new(),
            step: Vec::new(),
            units: Vec::new(),
            watched: Vec::new(),
            kept: Vec::new(),
        })
    }

    /// Takes note of a callable; its number is the count of those before it.
    pub(crate) fn learn(&mut self, callable: Member) {
        self.callables.push(Entry { callable, found: None, was_called: false });
    }

    /// Returns true if this worker should be replaced.
    pub(crate) fn is_suspect(&self) -> bool {
        self.suspect
            || self.classes.len() + self.arguments.types.count() + self.reach.as_ref().map_or(0, Reach::count)
                > MOST_CLASSES
            || self.fresh.as_ref().is_some_and(Fresh::is_worn)
            || self.descriptors.as_ref().is_some_and(Descriptors::are_many)
    }

    /// Runs one script. There must be room for [`LARGEST_RUN`] bytes of results.
    pub(crate) fn play(&mut self, script: &[u8], results: &mut Results) -> Result<(), Garbled> {
        let mut take = Take(script);
        let statements = take.count()?;
        self.is_warm = true;
        self.slots.clear();
        // Each statement makes a result, perhaps an exception, and its arguments. SAFETY: the frame is popped
        // below, on every way out; nothing made in it is used afterwards, because the slots are cleared
        // before they are used again.
        let references = 16 + 4 * statements.min(1 << 16) as i32;
        let pushed = unsafe { jni!(self.env, PushLocalFrame, references) } == 0;
        if let Some(fresh) = &mut self.fresh {
            self.arguments.types.loader = fresh.begin(self.env).map_err(|()| Garbled)?;
        }
        if let Some(probe_reader) = &mut self.probe_reader {
            probe_reader.clear(self.env);
        }
        self.watchdog.iter().for_each(Watchdog::begin);
        self.threads.iter_mut().for_each(Threads::begin);
        let outcome = self.statements(statements, &mut take, results);
        // What closing does is not the script's doing.
        if let Some(probe_reader) = &mut self.probe_reader {
            probe_reader.look(self.env);
        }
        self.close_all();
        self.threads.iter_mut().for_each(Threads::end);
        let timed_waits = self.threads.as_ref().and_then(|threads| threads.timed_waits);
        self.watchdog.iter().for_each(|watchdog| watchdog.end(self.env, timed_waits));
        let leaked = self.descriptors.as_mut().is_some_and(Descriptors::leaked);
        if let Some(fresh) = &mut self.fresh {
            fresh.end(self.env, self.arguments.types.loader);
            self.arguments.types.forget();
            self.callables.iter_mut().for_each(|entry| entry.found = None);
            self.classes.retain(|seen| seen.stays);
            self.recent = [0; 2];
            self.reach.iter_mut().for_each(Reach::forget);
        }
        // SAFETY: as above. An exception cannot be pending: every call is followed by taking it away, except
        // a failed push, which throws.
        unsafe {
            if pushed {
                jni!(self.env, PopLocalFrame, std::ptr::null_mut());
            } else {
                jni!(self.env, ExceptionClear);
                self.suspect = true;
            }
        }
        self.slots.clear();
        self.watched.clear();
        self.kept.clear();
        if outcome? {
            results.append(&[if leaked { tag::LEAKED } else { tag::COMPLETE }]);
            if let Some(probe_reader) = &self.probe_reader {
                results.append(probe_reader.bits());
            }
        }
        Ok(())
    }

    /// Closes what the script made and left open, the last first: files, sockets and threads of thousands of
    /// scripts would exhaust the process, and then calls fail that have nothing to do with it.
    fn close_all(&mut self) {
        while let Some((object, closing)) = self.to_close.pop() {
            // SAFETY: the object is a reference of the script's frame, of a class that has the method; what
            // it returns or throws is taken away and given back.
            unsafe {
                match closing {
                    Closing::Close => {
                        jni!(self.env, CallVoidMethodA, object, self.known.close, std::ptr::null());
                    }
                    Closing::ShutDown => {
                        let method = self.known.shut_down;
                        let left = jni!(self.env, CallObjectMethodA, object, method, std::ptr::null());
                        jni!(self.env, DeleteLocalRef, left);
                    }
                }
                let thrown = vm::take_exception(self.env);
                if !thrown.is_null() {
                    jni!(self.env, DeleteLocalRef, thrown);
                }
            }
        }
    }

    /// Runs the statements, and says whether all of them were.
    fn statements(
        &mut self,
        count: usize,
        take: &mut Take<'_>,
        results: &mut Results,
    ) -> Result<bool, Garbled> {
        let probes = self.probe_reader.as_ref().map_or(0, |probe_reader| probe_reader.bits().len());
        let mut room = LARGEST_RUN.min(results.room()).saturating_sub(probes);
        for left in (0..count).rev() {
            self.step.clear();
            self.digests = match self.depth {
                Depth::Fields => false,
                Depth::ReachableAtEnd => left == 0,
                Depth::Reachable => true,
            };
            // This is what names the call if the next line never ends.
            results.set_calling(Take(take.0).number()?);
            let slot = self.statement(take)?;
            if let Some(wait) = self.watchdog.as_ref().and_then(Watchdog::ended) {
                // Names in a step that is not appended would count as sent. A new worker starts from nothing.
                self.suspect |= !self.step.is_empty();
                results.append(&[match wait {
                    Wait::Endless => tag::BLOCKED,
                    Wait::Timed => tag::WAITED,
                }]);
                return Ok(false);
            }
            self.slots.push(slot);
            // The end of the run needs a byte.
            if self.step.len() >= room || !results.append(&self.step) {
                // Names in what was not appended count as sent. A new worker starts from nothing.
                self.suspect = true;
                results.append(&[tag::OVERSIZED]);
                return Ok(false);
            }
            room -= self.step.len();
        }
        Ok(true)
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
        let slot = match self.prepare(&ready, receiver, count, &mut arguments) {
            Ok((target, owner)) => {
                let slot = self.call(&ready, target, owner);
                let is_first = !std::mem::replace(&mut self.callables[number].was_called, true);
                self.is_warm &= !is_first;
                if self.took > SLOW {
                    self.note_slow(number, is_first);
                }
                slot
            }
            Err(Stop::Garbled) => return Err(Garbled),
            Err(Stop::Tag(tag)) => {
                self.step.byte(tag);
                Slot::Nothing
            }
            Err(Stop::Thrown(thrown)) => {
                self.put_exception(tag::THREW, thrown);
                Slot::Nothing
            }
            Err(Stop::Unresolved(thrown)) => {
                self.put_exception(tag::UNRESOLVED, thrown);
                Slot::Nothing
            }
        };
        self.arguments.give_back();
        Ok(slot)
    }

    /// Takes note that the last call of this callable took long.
    fn note_slow(&mut self, number: usize, is_first: bool) {
        let time = std::mem::take(&mut self.took).as_micros().try_into().unwrap_or(u64::MAX);
        let (script, statement) = (self.script, self.slots.len());
        let slow = Slow { callable: number, time, script, statement, is_first };
        // The first call, which loads classes, must not hide one that is slow by itself.
        let is_same = |known: &&mut Slow| known.callable == number && known.is_first == is_first;
        match self.slow.iter_mut().find(is_same) {
            Some(longest) if longest.time >= time => {}
            Some(longest) => *longest = slow,
            None => self.slow.push(slow),
        }
    }

    /// The callable with this number, looked up if need be. When there is none, the step says so.
    fn resolve(&mut self, number: usize) -> Result<Result<Rc<Ready>, ()>, Garbled> {
        let entry = self.callables.get(number).ok_or(Garbled)?;
        let found = match &entry.found {
            Some(Found::Ready(ready)) => return Ok(Ok(ready.clone())),
            Some(failed) => failed.clone(),
            None => {
                let types = &mut self.arguments.types;
                let found = match Ready::find(self.env, &self.known, types, &entry.callable) {
                    Ok(ready) => Found::Ready(Rc::new(ready)),
                    Err(thrown) => {
                        let (class, message) = self.describe(thrown);
                        Found::Failed { class, message }
                    }
                };
                self.callables[number].found = Some(found.clone());
                found
            }
        };
        match found {
            Found::Ready(ready) => Ok(Ok(ready)),
            Found::Failed { class, message } => {
                self.step.byte(tag::UNRESOLVED);
                put_class(&mut self.classes[class], &mut self.numbers, &mut self.step);
                self.step.optional_text(message.as_deref());
                Ok(Err(()))
            }
        }
    }

    /// Checks receiver and arguments, leaves the arguments in the buffer and returns the receiver, with the
    /// statement that first gave it.
    fn prepare(
        &mut self,
        ready: &Ready,
        receiver: usize,
        count: usize,
        arguments: &mut Take<'_>,
    ) -> Result<(jobject, usize), Stop> {
        let mut target = (std::ptr::null_mut(), 0);
        if ready.kind == CallKind::Method {
            let slot = receiver.checked_sub(1).and_then(|index| self.slots.get(index));
            let Some(Slot::Object(object, first)) = slot else { return Err(Stop::Tag(tag::NO_RECEIVER)) };
            if !self.is_instance(*object, ready.class.get()) {
                return Err(Stop::Tag(tag::WRONG_TYPE));
            }
            target = (*object, *first);
        }
        if count != ready.parameters.len() {
            return Err(Stop::Tag(tag::WRONG_TYPE));
        }
        if count > 8 {
            // SAFETY: this only makes room. It throws if there is none, and then there will be none later
            // either.
            unsafe {
                jni!(self.env, EnsureLocalCapacity, 2 * count as i32);
                jni!(self.env, ExceptionClear);
            }
        }
        self.args.clear();
        for wanted in &ready.parameters {
            let passed = take_argument(arguments)?;
            let value = self.arguments.convert(&self.known, &self.slots, wanted, passed, 0)?;
            self.args.push(value);
        }
        Ok(target)
    }

    fn is_instance(&self, object: jobject, class: jclass) -> bool {
        // SAFETY: the object is a reference of the script's frame that is not null, the class a global
        // reference.
        unsafe { jni!(self.env, IsInstanceOf, object, class) }
    }

    /// Makes the call, leaves its step in the buffer and returns what it gave.
    fn call(&mut self, ready: &Ready, target: jobject, owner: usize) -> Slot {
        let (env, class) = (self.env, ready.class.get());
        let passed = if self.digests { self.passed(ready, target) } else { Vec::new() };
        if let Some(touch) = &mut self.touch {
            touch.begin(target);
        }
        let value = match ready.target {
            // SAFETY: `prepare` has checked that the receiver is an instance of the class and that number and
            // types of the arguments are those of the descriptor.
            Target::Method(method) => unsafe { call_ready(env, ready, method, target, &self.args) },
            // SAFETY: the field was looked up in this class with this type.
            Target::Field(field) => unsafe { vm::read_static_field(env, class, ready.result, field) },
        };
        // SAFETY: this is the thread of the environment.
        let thrown = unsafe { vm::take_exception(env) };
        if let Some(touch) = &mut self.touch {
            touch.end();
        }
        if self.watchdog.as_ref().and_then(Watchdog::ended).is_some() {
            // The exception, or what the call returned instead, is the watchdog's doing.
            return Slot::Nothing;
        }
        self.took = self.threads.as_mut().map_or(Duration::ZERO, Threads::after_call);
        let slot = if !thrown.is_null() {
            self.put_exception(tag::THREW, thrown);
            Slot::Nothing
        } else if ready.kind == CallKind::Constructor || ready.result == Kind::Reference {
            // SAFETY: what a constructor or a method with such a result gives is a reference.
            let own = matches!(ready.kind, CallKind::Constructor | CallKind::Function);
            self.put_reference(unsafe { value.l }, ready.kind == CallKind::Constructor, own)
        } else {
            put_primitive(&mut self.step, ready.result, value);
            if ready.result == Kind::Void { Slot::Nothing } else { Slot::Primitive(ready.result, value) }
        };
        if self.snapshots {
            match (ready.kind, slot) {
                (CallKind::Method, _) => self.put_state(target, owner),
                // A string or a box is its own value.
                (CallKind::Constructor | CallKind::Function, Slot::Object(object, first))
                    if self.step[0] == tag::OBJECT =>
                {
                    self.put_state(object, first);
                }
                _ => {}
            }
        }
        if let Some(touch) = &mut self.touch {
            self.step[0] |= tag::TOUCHED;
            touch.put(&mut self.step);
        }
        if self.digests && ready.kind == CallKind::Method {
            let returned = match slot {
                Slot::Object(object, first) if first != owner => Some(object),
                _ => None,
            };
            self.put_answer(returned, &passed);
        }
        slot
    }

    /// Writes a result that is a reference. What a constructor made is an object, even if it is a string.
    /// The script does not close what it does not `own`, because a method or a field gave it.
    fn put_reference(&mut self, object: jobject, new: bool, own: bool) -> Slot {
        if object.is_null() {
            self.step.byte(tag::NULL);
            return Slot::Null;
        }
        if !new && self.is_instance(object, self.known.string.get()) {
            self.step.byte(tag::TEXT);
            // SAFETY: the object is a string, as was just checked, and nothing is pending.
            unsafe { vm::put_text(self.env, object, self.text, &mut self.units, &mut self.step) };
            return Slot::Object(object, self.slots.len());
        }
        let class = self.class_of(object);
        if let Some(wrapper) =
            self.classes[class].wraps.filter(|_| !new).and_then(|kind| self.known.wrapper(kind))
        {
            // SAFETY: the class of the object is this wrapper.
            let value = unsafe { wrapper.unwrap(self.env, object) };
            put_primitive(&mut self.step, wrapper.kind, value);
            return Slot::Object(object, self.slots.len());
        }
        let same = |slot: &Slot| match slot {
            // SAFETY: both are references of the script's frame.
            Slot::Object(other, _) => unsafe { jni!(self.env, IsSameObject, *other, object) },
            _ => false,
        };
        // What was just made was never seen before.
        let first = if new { None } else { self.slots.iter().position(same) };
        let first = first.unwrap_or(self.slots.len());
        self.step.byte(tag::OBJECT);
        put_class(&mut self.classes[class], &mut self.numbers, &mut self.step);
        self.step.number(first as u64);
        if let Some(closing) = self.classes[class].closing
            && own
            && first == self.slots.len()
        {
            self.to_close.push((object, closing));
        }
        Slot::Object(object, first)
    }

    fn put_exception(&mut self, tag: u8, thrown: jobject) {
        let (class, message) = self.describe(thrown);
        self.step.byte(tag);
        put_class(&mut self.classes[class], &mut self.numbers, &mut self.step);
        self.step.optional_text(message.as_deref());
    }

    /// Class and message of an exception, whose reference is used up.
    fn describe(&mut self, thrown: jobject) -> (usize, Option<String>) {
        let class = self.class_of(thrown);
        // SAFETY: the reference is live and a throwable, on which the method was looked up; it may throw
        // itself, and that is taken away. Both references are given back, because a script may throw
        // thousands of times.
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
            self.suspect |= self.classes[class].alarming && message.as_deref() != Some(HARMLESS);
            (class, message)
        }
    }

    /// The place of an object's class among those seen.
    fn class_of(&mut self, object: jobject) -> usize {
        // SAFETY: the object is live and not null; the local reference to its class is given back, or turned
        // global.
        unsafe {
            let class = jni!(self.env, GetObjectClass, object);
            let same = |seen: &SeenClass| {
                seen.class.as_ref().is_some_and(|seen| jni!(self.env, IsSameObject, seen.get(), class))
            };
            let recent = self.recent.into_iter().find(|place| same(&self.classes[*place]));
            if let Some(known) = recent.or_else(|| self.classes.iter().position(same)) {
                jni!(self.env, DeleteLocalRef, class);
                if recent.is_none() {
                    self.recent = [known, self.recent[0]];
                }
                return known;
            }
            let seen = self.look_at(class);
            self.suspect |= seen.alarming;
            self.classes.push(seen);
            self.classes.len() - 1
        }
    }

    /// Inspects a class on its first use.
    ///
    /// # Safety
    /// `class` is a live local reference, which is used up, and no exception is pending.
    unsafe fn look_at(&mut self, class: jclass) -> SeenClass {
        let (env, known) = (self.env, &self.known);
        // SAFETY: the caller vouches for the class, and the methods were looked up on `Class`.
        unsafe {
            let name = known.name_of(env, class, &mut self.units);
            let stays = known.is_of_the_jdk(env, class);
            let modifiers = jni!(env, CallIntMethodA, class, known.class_modifiers, std::ptr::null());
            jni!(env, ExceptionClear);
            let countable = stays && is_countable(&name, modifiers);
            let is = |other: &Global| jni!(env, IsSameObject, other.get(), class);
            let wraps = known.wrappers.iter().find(|wrapper| is(&wrapper.class)).map(|wrapper| wrapper.kind);
            let is_a = |other: &Global| jni!(env, IsAssignableFrom, class, other.get());
            // Where executors can be closed, that waits for all of their work.
            let closing = match () {
                () if is_a(&known.executor) => Some(Closing::ShutDown),
                () if is_a(&known.closeable) => Some(Closing::Close),
                () => None,
            };
            let class = Global::of_local(env, class);
            // A machine that has no memory left for the name of a class is not to be trusted with the next
            // script.
            let alarming = name == UNNAMED || class.is_none();
            SeenClass {
                class,
                name,
                number: 0,
                alarming,
                wraps,
                countable,
                counting: None,
                stays,
                closing,
                fields: None,
            }
        }
    }
}

/// A way to have an object give up what it holds.
#[derive(Clone, Copy)]
enum Closing {
    /// It has files or sockets.
    Close,
    /// It has threads.
    ShutDown,
}

/// Writes a class: its number, and its name when the coordinator does not know the number yet.
fn put_class(seen: &mut SeenClass, numbers: &mut HashMap<String, u64>, step: &mut Vec<u8>) {
    if seen.number != 0 {
        return step.number(seen.number);
    }
    let next = numbers.len() as u64 + 1;
    seen.number = *numbers.entry(seen.name.clone()).or_insert(next);
    step.number(seen.number);
    if seen.number == next {
        step.text(&seen.name);
    }
}

/// Calls a method that was looked up.
///
/// # Safety
/// The receiver is an instance of the method's class unless it is static or a constructor, and number and
/// types of the arguments are those of the descriptor.
pub(crate) unsafe fn call_ready(
    env: Env,
    ready: &Ready,
    method: jmethodID,
    target: jobject,
    args: &[jvalue],
) -> jvalue {
    let (class, args) = (ready.class.get(), args.as_ptr());
    // One arm for each type: the table has an entry for each, for methods and for static methods.
    macro_rules! typed {
        ($virtual:ident, $static:ident, $field:ident) => {
            jvalue {
                $field: if ready.kind == CallKind::Function {
                    jni!(env, $static, class, method, args)
                } else {
                    jni!(env, $virtual, target, method, args)
                },
            }
        };
    }
    // SAFETY: the caller vouches for receiver and arguments. The entry is chosen by the descriptor's result.
    unsafe {
        match (ready.kind, ready.result) {
            (CallKind::Constructor, _) => jvalue { l: jni!(env, NewObjectA, class, method, args) },
            (_, Kind::Void) => {
                if ready.kind == CallKind::Function {
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
    }
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
