//! Interventions inside the JVM: which call is which, and what is done at it.
//!
//! A call of a test is found by its object's place in the test and by how many calls of that object began
//! before. A wrapped method asks the witness, after it has told its arguments, whether to run its body. What
//! is added or late is called from the witness when another call ends; the wrapper of that method records it
//! like any other call, with a mark.
//!
//! References that outlive a call are global ones, and are given back when the test ends.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use adit_bytecode::Signature;
use adit_trace::CallKind;
use jni_sys::{JNIEnv, JNINativeMethod, jclass, jdouble, jfloat, jint, jlong, jobject, jvalue};

use super::kept::{Kept, MakerStatement, ValueMaker, again, give_back, keep, slot_of, value_of};
use super::open::{self, Open};
use super::{CallRecorder, EARS, heard, locked};
use crate::agent::{Tools, tools};
use crate::argument::{Arguments, Slot, Stop};
use crate::jni;
use crate::known::Known;
use crate::play::call_ready;
use crate::record::intervene::note;
use crate::record::stream::{frame, origin};
use crate::resolve::{Kind, Ready};
use crate::scripts::{Member, take_argument};
use crate::vm::{self, Env};
use crate::wire::{Garbled, Put, Take};

/// Exceptions of one test whose places are asked for: each costs a whole stack, and some tests throw
/// thousands.
const MOST_PLACES: u32 = 32;

/// A recorded call, as interventions see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    /// The tag of its object; zero if it is not known yet.
    pub(super) object: i64,
    /// The maker, and the number of the event or of the intervention.
    pub(super) origin: u8,
    pub(super) number: u64,
    /// The intervention that leaves it out.
    pub(super) left_out: Option<usize>,
    /// Arguments are kept.
    pub(super) keeps: bool,
    pub(super) kept: Vec<Kept>,
}

/// The interventions of the current run.
#[derive(Default)]
pub(super) struct Interventions {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    plan: Arc<[Planned]>,
    /// Calls of which a value is wanted later.
    wanted: Arc<[Wanted]>,
    test: Arc<str>,
    /// Number of objects of the test, and of its exceptions whose places were asked for.
    made: u64,
    placed: u32,
    objects: HashMap<i64, Place>,
    /// The objects whose calls are recorded; all if there are none.
    only: Option<HashSet<(String, u64)>>,
    captured: HashMap<Wanted, Kept>,
    delayed: Vec<Delayed>,
    /// The loader of the project's classes, a global reference; zero for the application's.
    loader: usize,
}

struct Place {
    test: Arc<str>,
    object: u64,
    calls: u64,
    /// Its calls are not recorded.
    is_left: bool,
}

/// A value of a call: object, ordinal, and argument or result.
type Wanted = (u64, u64, Option<usize>);

struct Planned {
    test: Option<String>,
    object: Option<u64>,
    ordinal: Option<u64>,
    /// Numbers of events; zero is the constructor's.
    events: Vec<u64>,
    act: Act,
}

enum Act {
    Suppress(Instead),
    Add { method: usize, arguments: (usize, Vec<u8>), captures: Vec<Wanted>, made: Vec<MakerStatement> },
    Delay { until: Vec<u64>, same_object: bool, run_at_end: bool, rethrow: bool, instead: Instead },
}

#[derive(Clone)]
enum Instead {
    Argument(Vec<u8>),
    Receiver,
}

struct Delayed {
    intervention: usize,
    receiver: usize,
    object: i64,
    ordinal: u64,
    method: usize,
    arguments: Vec<Kept>,
    thread: u64,
}

impl Planned {
    fn meets(&self, place: &Place, ordinal: u64, event: u64) -> bool {
        self.events.contains(&event)
            && self.object.is_none_or(|object| object == place.object)
            && self.ordinal.is_none_or(|of| of == ordinal)
            && self.test.as_deref().is_none_or(|test| test == &*place.test)
    }
}

thread_local! {
    /// The event, maker and number of the call that an intervention is about to make.
    static FORCED: Cell<Option<(jint, u8, u64)>> = const { Cell::new(None) };
    static THREAD: u64 = {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed)
    };
}

/// The maker and number of a call that an intervention makes, if this is it.
pub(super) fn forced(number: jint) -> Option<(u8, u64)> {
    FORCED.with(|forced| {
        let (of, origin, by) = forced.get()?;
        (of == number).then(|| {
            forced.set(None);
            (origin, by)
        })
    })
}

fn thread() -> u64 {
    THREAD.with(|number| *number)
}

impl CallRecorder {
    /// Begins a run with an experiment, as bytes. `loader` is a global reference, or null.
    pub(crate) fn begin_run(
        &'static self,
        env: Env,
        bytes: &mut Take<'_>,
        loader: jobject,
    ) -> Result<(), Garbled> {
        let plan = take_plan(bytes)?;
        let only = take_only(bytes)?;
        let touches = bytes.byte()? != 0;
        let mut wanted: Vec<Wanted> = Vec::new();
        for planned in &plan {
            if let Act::Add { captures, .. } = &planned.act {
                wanted.extend(captures);
            }
        }
        let mut state = locked(&self.interventions.state);
        let old = std::mem::take(&mut *state);
        state.plan = plan.into();
        state.wanted = wanted.into();
        state.only = only;
        state.loader = loader as usize;
        drop(state);
        give_back(env, old.captured.into_values());
        if let Ok(tools) = tools() {
            self.begin_touches(tools, env, touches);
        }
        Ok(())
    }

    /// A new object of the class, and the order of its creation in its test.
    pub(super) fn note_object(&self, tag: i64) {
        if !self.plan.intervenes {
            return;
        }
        let mut state = locked(&self.interventions.state);
        let (test, object) = (state.test.clone(), state.made);
        state.made += 1;
        let is_left = state.only.as_ref().is_some_and(|only| !only.contains(&(test.to_string(), object)));
        state.objects.insert(tag, Place { test: test.clone(), object, calls: 0, is_left });
        drop(state);
        self.records.write(|bytes| {
            bytes.byte(frame::OBJECT);
            bytes.number(tag as u64);
            bytes.text(&test);
            bytes.number(object);
        });
    }

    /// Tells whether no call of an object concerns anybody: it is not to be recorded, or has had as many
    /// calls as are kept, and no intervention could meet it. To walk the stack and to read the fields takes
    /// many times as long as to ask this.
    pub(super) fn is_left(&self, tools: Tools, receiver: jobject) -> bool {
        if FORCED.with(|forced| forced.get().is_some()) {
            return false;
        }
        let Ok(tag @ 1..) = tools.tag(receiver) else { return false };
        let state = locked(&self.interventions.state);
        let may_meet = |planned: &Planned| planned.object.is_none();
        state.objects.get(&tag).is_some_and(|place| {
            place.is_left || (place.calls > self.records.longest_life() && !state.plan.iter().any(may_meet))
        })
    }

    /// A call of a test begins. `event` is zero for a constructor.
    pub(super) fn meet(&self, tag: i64, event: u64) -> Call {
        if !self.plan.intervenes {
            return Call::default();
        }
        let mut state = locked(&self.interventions.state);
        let State { plan, wanted, objects, .. } = &mut *state;
        let Some(place) = objects.get_mut(&tag) else { return Call { object: tag, ..Call::default() } };
        let ordinal = place.calls;
        place.calls += 1;
        let leaves_out = |planned: &Planned| {
            event > 0
                && matches!(planned.act, Act::Suppress(_) | Act::Delay { .. })
                && planned.meets(place, ordinal, event)
        };
        let left_out = plan.iter().position(leaves_out);
        let delays = left_out.is_some_and(|number| matches!(plan[number].act, Act::Delay { .. }));
        let is_wanted =
            |(object, of, argument): &Wanted| argument.is_some() && *object == place.object && *of == ordinal;
        let keeps = delays || wanted.iter().any(is_wanted);
        Call { object: tag, origin: origin::OWN, number: ordinal, left_out, keeps, kept: Vec::new() }
    }

    /// Tells whether the place of one more exception of the test is asked for.
    pub(super) fn wants_place(&self) -> bool {
        if !self.plan.intervenes {
            return false;
        }
        let mut state = locked(&self.interventions.state);
        state.placed = state.placed.saturating_add(1);
        state.placed <= MOST_PLACES
    }

    /// Writes the mark of an event, with the place of its exception.
    pub(super) fn put_mark(&self, call: &Call, thrown_at: Option<&str>, bytes: &mut Vec<u8>) {
        if self.plan.intervenes {
            bytes.byte(call.origin);
            bytes.number(call.number);
            bytes.number(thread());
            bytes.optional_text(thrown_at);
        }
    }

    /// A call has ended and was recorded: values are kept for later, calls are added, late calls are made.
    /// May leave an exception pending.
    pub(super) fn after(
        &self,
        env: Env,
        object: jobject,
        event: u64,
        mut call: Call,
        result: Option<(Kind, jvalue)>,
    ) {
        if !self.plan.intervenes || call.origin != origin::OWN {
            return;
        }
        let kept = std::mem::take(&mut call.kept);
        self.capture(env, &call, kept, result);
        let (plan, due) = {
            let mut state = locked(&self.interventions.state);
            let State { plan, objects, delayed, .. } = &mut *state;
            if !objects.contains_key(&call.object) {
                return;
            }
            let is_due = |late: &Delayed| match &plan[late.intervention].act {
                Act::Delay { until, same_object: true, .. } => {
                    until.contains(&event) && late.object == call.object
                }
                Act::Delay { until, .. } => until.contains(&event) && late.thread == thread(),
                _ => false,
            };
            let (due, waiting): (Vec<_>, Vec<_>) = std::mem::take(delayed).into_iter().partition(is_due);
            *delayed = waiting;
            (plan.clone(), due)
        };
        self.add_all(env, object, event, &call);
        let mut pending: jobject = std::ptr::null_mut();
        for late in due {
            let rethrows = matches!(plan[late.intervention].act, Act::Delay { rethrow: true, .. });
            match self.make_late(env, &late) {
                Ok(thrown) if rethrows && pending.is_null() => pending = thrown,
                // SAFETY: a local reference, or null, that is not used afterwards.
                Ok(thrown) => unsafe { jni!(env, DeleteLocalRef, thrown) },
                Err(why) => self.note(late.intervention, late.object, late.ordinal, note::FAILED, Some(&why)),
            }
        }
        if !pending.is_null() {
            // SAFETY: the reference is a live throwable. The witness's method returns next.
            unsafe { jni!(env, Throw, pending) };
        }
    }

    /// Keeps the values of a call that are wanted later: its arguments, and its result.
    fn capture(&self, env: Env, call: &Call, kept: Vec<Kept>, result: Option<(Kind, jvalue)>) {
        let mut unused = Vec::new();
        {
            let mut state = locked(&self.interventions.state);
            let State { wanted, objects, captured, test, .. } = &mut *state;
            let place = objects.get(&call.object).filter(|place| *place.test == **test);
            let is_wanted = |wanted: &&Wanted| {
                place.is_some_and(|place| wanted.0 == place.object) && wanted.1 == call.number
            };
            for wanted in wanted.iter().filter(is_wanted) {
                let value = match wanted.2 {
                    Some(argument) => kept.get(argument).copied().map(|kept| again(env, kept)),
                    None => result.map(|(kind, value)| keep(env, kind, value)),
                };
                unused.extend(value.and_then(|value| captured.insert(*wanted, value)));
            }
        }
        give_back(env, unused.into_iter().chain(kept));
    }

    /// Makes the calls that are added after a call.
    fn add_all(&self, env: Env, object: jobject, event: u64, call: &Call) {
        let (plan, adds) = {
            let state = locked(&self.interventions.state);
            let Some(place) = state.objects.get(&call.object) else { return };
            let is_add = |planned: &Planned| matches!(planned.act, Act::Add { .. });
            let meets = |planned: &Planned| is_add(planned) && planned.meets(place, call.number, event);
            let adds = state.plan.iter().enumerate().filter(|(_, planned)| meets(planned));
            let adds: Vec<usize> = adds.map(|(number, _)| number).collect();
            (state.plan.clone(), adds)
        };
        for number in adds {
            if let Err(why) = self.add(env, &plan[number].act, number, object) {
                self.note(number, call.object, call.number, note::FAILED, Some(&why));
            }
        }
    }

    /// A test begins: objects are counted anew.
    pub(crate) fn test_starts(&self, env: Env, name: &str) {
        let mut state = locked(&self.interventions.state);
        state.test = name.into();
        state.made = 0;
        state.placed = 0;
        let captured = std::mem::take(&mut state.captured);
        drop(state);
        give_back(env, captured.into_values());
    }

    /// A test is over: late calls that still wait are made or given up.
    pub(crate) fn test_ends(&self, env: Env) {
        let (plan, delayed) = {
            let mut state = locked(&self.interventions.state);
            (state.plan.clone(), std::mem::take(&mut state.delayed))
        };
        for late in delayed {
            let runs = matches!(plan[late.intervention].act, Act::Delay { run_at_end: true, .. });
            let (object, ordinal) = (late.object, late.ordinal);
            let kind = if runs { note::NEVER_CAME_RAN } else { note::NEVER_CAME };
            self.note(late.intervention, object, ordinal, kind, None);
            if runs {
                match self.make_late(env, &late) {
                    // SAFETY: a local reference, or null, that is not used afterwards.
                    Ok(thrown) => unsafe { jni!(env, DeleteLocalRef, thrown) },
                    Err(why) => self.note(late.intervention, object, ordinal, note::FAILED, Some(&why)),
                }
            } else {
                give_back(env, late.arguments.iter().copied().chain([Kept::Object(late.receiver)]));
            }
        }
        locked(&self.interventions.state).test = "".into();
    }

    fn note(&self, intervention: usize, object: i64, ordinal: u64, kind: u8, why: Option<&str>) {
        self.records.write(|bytes| {
            bytes.byte(frame::NOTE);
            bytes.number(intervention as u64);
            bytes.number(object as u64);
            bytes.number(ordinal);
            bytes.byte(kind);
            why.into_iter().for_each(|why| bytes.text(why));
        });
    }

    /// Ends a call whose body is left out, and returns what it gives instead.
    fn left_out(&self, tools: Tools, env: Env, number: jint, receiver: jobject) -> jvalue {
        let is_this = |open: &Open| matches!(open, Open::Method { number: of, .. } if *of == number);
        let mut over = open::take_from_last(tools, is_this);
        let Some(Open::Method { mut call, .. }) = (!over.is_empty()).then(|| over.remove(0)) else {
            return NOTHING;
        };
        self.close(over);
        let Some(intervention) = call.left_out else { return NOTHING };
        let plan = locked(&self.interventions.state).plan.clone();
        let (kind, instead) = match plan.get(intervention).map(|planned| &planned.act) {
            Some(Act::Suppress(instead)) => (note::SUPPRESSED, instead),
            Some(Act::Delay { instead, .. }) => (note::DELAYED, instead),
            _ => return NOTHING,
        };
        self.note(intervention, call.object, call.number, kind, None);
        if kind == note::DELAYED {
            // SAFETY: the receiver is a live reference.
            let receiver = unsafe { jni!(env, NewGlobalRef, receiver) } as usize;
            let late = Delayed {
                intervention,
                receiver,
                object: call.object,
                ordinal: call.number,
                method: number as usize,
                arguments: call.kept,
                thread: thread(),
            };
            locked(&self.interventions.state).delayed.push(late);
        } else {
            // A call that is added here takes the place of the suppressed one, and may have its arguments.
            let kept = std::mem::take(&mut call.kept);
            self.capture(env, &call, kept, None);
            self.add_all(env, receiver, number as u64 + 1, &call);
        }
        self.replacement(env, number as usize, instead, receiver).unwrap_or(NOTHING)
    }

    fn replacement(&self, env: Env, method: usize, instead: &Instead, receiver: jobject) -> Option<jvalue> {
        let known = &self.states.get()?.known;
        let mut arguments = Arguments::new(env, known)?;
        arguments.types.loader = self.loader(known);
        let result = Signature::parse(&self.plan.methods.get(method)?.descriptor)?.result?;
        let wanted = match arguments.types.wanted(known, &result) {
            Ok(wanted) => wanted,
            Err(thrown) => {
                // SAFETY: a local reference that is not used afterwards.
                unsafe { jni!(env, DeleteLocalRef, thrown) };
                return None;
            }
        };
        let converted = match instead {
            Instead::Receiver => {
                let slots = [Slot::Object(receiver, 0)];
                arguments.convert(known, &slots, &wanted, crate::scripts::Passed::Earlier(0), 0)
            }
            Instead::Argument(bytes) => {
                let passed = take_argument(&mut Take(bytes)).ok()?;
                arguments.convert(known, &[], &wanted, passed, 0)
            }
        };
        let value = match converted {
            Ok(value) => value,
            Err(Stop::Thrown(thrown) | Stop::Unresolved(thrown)) => {
                // SAFETY: a local reference that is not used afterwards.
                unsafe { jni!(env, DeleteLocalRef, thrown) };
                return None;
            }
            Err(_) => return None,
        };
        // Everything narrower than an `int` is one on the stack.
        // SAFETY: the value was made with the field that the kind names.
        Some(unsafe {
            match wanted.kind {
                Kind::Bool => jvalue { i: value.z.into() },
                Kind::Byte => jvalue { i: value.b.into() },
                Kind::Char => jvalue { i: value.c.into() },
                Kind::Short => jvalue { i: value.s.into() },
                _ => value,
            }
        })
    }

    /// Calls a method of an object, and drops what it gives.
    fn add(&self, env: Env, act: &Act, intervention: usize, object: jobject) -> Result<(), String> {
        let Act::Add { method, arguments: (count, bytes), captures, made } = act else { return Ok(()) };
        let slots = {
            let state = locked(&self.interventions.state);
            let slot = |wanted: &Wanted| state.captured.get(wanted).copied().map(slot_of);
            captures.iter().map(slot).collect::<Option<Vec<_>>>()
        };
        let slots = slots.ok_or("the value to pass was not seen before")?;
        let thrown = self.within_frame(env, |known| {
            let mut maker =
                ValueMaker { env, known, arguments: Arguments::new(env, known).ok_or(NO_MEMORY)?, slots };
            maker.arguments.types.loader = self.loader(known);
            for statement in made {
                let given = maker.make(statement)?;
                maker.slots.push(given);
            }
            let (ready, id) = maker.find(&self.member(*method)?)?;
            let values = maker.convert_all(&ready, *count, bytes)?;
            self.force(env, *method, origin::ADDED, intervention, object, &ready, id, &values)
        })?;
        // SAFETY: a local reference, or null, that is not used afterwards.
        unsafe { jni!(env, DeleteLocalRef, thrown) };
        Ok(())
    }

    /// Makes a delayed call, and returns what it has thrown, or null.
    fn make_late(&self, env: Env, late: &Delayed) -> Result<jobject, String> {
        let made = self.within_frame(env, |known| {
            let mut maker = ValueMaker {
                env,
                known,
                arguments: Arguments::new(env, known).ok_or(NO_MEMORY)?,
                slots: Vec::new(),
            };
            maker.arguments.types.loader = self.loader(known);
            let (ready, id) = maker.find(&self.member(late.method)?)?;
            if ready.parameters.len() != late.arguments.len() {
                return Err("its arguments were not seen".to_owned());
            }
            let values: Vec<jvalue> = late.arguments.iter().copied().map(value_of).collect();
            let receiver = late.receiver as jobject;
            self.force(env, late.method, origin::DELAYED, late.intervention, receiver, &ready, id, &values)
        });
        give_back(env, late.arguments.iter().copied().chain([Kept::Object(late.receiver)]));
        made
    }

    /// The loader of the project's classes. The machine itself would ask that of the witness, which knows
    /// none of them.
    fn loader(&self, known: &Known) -> jobject {
        let loader = locked(&self.interventions.state).loader as jobject;
        if loader.is_null() { known.application_loader.get() } else { loader }
    }

    fn member(&self, method: usize) -> Result<Member, String> {
        let method = self.plan.methods.get(method).ok_or("there is no such method")?;
        if method.is_factory {
            return Err("it is static".to_owned());
        }
        Ok(Member {
            kind: CallKind::Method,
            class: self.plan.class().replace('/', "."),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
        })
    }

    /// Makes a call that is recorded although it comes from inside, and returns what it has thrown, or null.
    #[expect(clippy::too_many_arguments, reason = "one call, and all that is known about it")]
    fn force(
        &self,
        env: Env,
        method: usize,
        maker: u8,
        intervention: usize,
        object: jobject,
        ready: &Ready,
        id: jni_sys::jmethodID,
        values: &[jvalue],
    ) -> Result<jobject, String> {
        // SAFETY: the object is a live reference, the class a global one.
        if !unsafe { jni!(env, IsInstanceOf, object, ready.class.get()) } {
            return Err("the object is of a class of another loader".to_owned());
        }
        FORCED.with(|forced| forced.set(Some((method as jint, maker, intervention as u64))));
        // SAFETY: the object is an instance of the method's class, as was just checked, and the arguments
        // were converted to, or recorded from, the types of the descriptor. The exception is taken away.
        let thrown = unsafe {
            call_ready(env, ready, id, object, values);
            vm::take_exception(env)
        };
        let unheard = FORCED.with(Cell::take).is_some();
        if unheard {
            // SAFETY: a local reference, or null, that is not used afterwards.
            unsafe { jni!(env, DeleteLocalRef, thrown) };
            return Err("it was called, but its calls cannot be recorded".to_owned());
        }
        Ok(thrown)
    }

    /// Runs code that makes local references. A reference that it returns outlives the frame.
    fn within_frame(
        &self,
        env: Env,
        act: impl FnOnce(&Known) -> Result<jobject, String>,
    ) -> Result<jobject, String> {
        let known = &self.states.get().ok_or("states are not recorded")?.known;
        // SAFETY: the frame is popped below.
        unsafe {
            if jni!(env, PushLocalFrame, 64) != 0 {
                jni!(env, ExceptionClear);
                return Err(NO_MEMORY.to_owned());
            }
            match act(known) {
                Ok(reference) => Ok(jni!(env, PopLocalFrame, reference)),
                Err(why) => {
                    jni!(env, PopLocalFrame, std::ptr::null_mut());
                    Err(why)
                }
            }
        }
    }
}

const NO_MEMORY: &str = "no memory";
const NOTHING: jvalue = jvalue { j: 0 };

fn take_plan(take: &mut Take<'_>) -> Result<Vec<Planned>, Garbled> {
    let mut plan = Vec::new();
    for _ in 0..take.count()? {
        let test = take.optional_text()?.map(str::to_owned);
        let (object, ordinal) = (take.number()?.checked_sub(1), take.number()?.checked_sub(1));
        let events = take_numbers(take)?;
        let act = match take.byte()? {
            0 => Act::Suppress(take_instead(take)?),
            1 => {
                let method = take.size()?;
                let arguments = take_arguments(take)?;
                let mut captures = Vec::new();
                for _ in 0..take.count()? {
                    let argument = |number: u64| number.checked_sub(1).map(|number| number as usize);
                    captures.push((take.number()?, take.number()?, argument(take.number()?)));
                }
                let mut made = Vec::new();
                for _ in 0..take.count()? {
                    let member = crate::scripts::take_member(take)?;
                    let receiver = take.size()?.checked_sub(1);
                    made.push(MakerStatement { member, receiver, arguments: take_arguments(take)? });
                }
                Act::Add { method, arguments, captures, made }
            }
            2 => {
                let until = take_numbers(take)?;
                let mut flag = || Ok(take.byte()? != 0);
                let (same_object, run_at_end, rethrow) = (flag()?, flag()?, flag()?);
                Act::Delay { until, same_object, run_at_end, rethrow, instead: take_instead(take)? }
            }
            _ => return Err(Garbled),
        };
        plan.push(Planned { test, object, ordinal, events, act });
    }
    Ok(plan)
}

fn take_only(take: &mut Take<'_>) -> Result<Option<HashSet<(String, u64)>>, Garbled> {
    let is_some = take.byte()? != 0;
    let mut only = HashSet::new();
    for _ in 0..take.count()? {
        only.insert((take.text()?.to_owned(), take.number()?));
    }
    Ok(is_some.then_some(only))
}

fn take_numbers(take: &mut Take<'_>) -> Result<Vec<u64>, Garbled> {
    (0..take.count()?).map(|_| take.number()).collect()
}

fn take_arguments(take: &mut Take<'_>) -> Result<(usize, Vec<u8>), Garbled> {
    let (count, length) = (take.size()?, take.size()?);
    Ok((count, take.bytes(length)?.to_vec()))
}

fn take_instead(take: &mut Take<'_>) -> Result<Instead, Garbled> {
    if take.byte()? == 1 {
        return Ok(Instead::Receiver);
    }
    let length = take.size()?;
    Ok(Instead::Argument(take.bytes(length)?.to_vec()))
}

/// Tells the recorder, if there is one that intervenes, that a test begins.
pub(crate) fn test_started(env: Env, name: &str) {
    if let Some(recorder) = EARS.get().filter(|recorder| recorder.plan.intervenes) {
        recorder.test_starts(env, name);
    }
}

/// Tells the recorder that a test is over.
pub(crate) fn test_ended(env: Env) {
    if let Some(recorder) = EARS.get().filter(|recorder| recorder.plan.intervenes) {
        recorder.test_ends(env);
    }
}

/// The methods of the witness that leave calls out.
pub(super) fn natives() -> [JNINativeMethod; 7] {
    let method =
        |name: &'static std::ffi::CStr, descriptor: &'static std::ffi::CStr, function: *const c_void| {
            JNINativeMethod {
                name: name.as_ptr().cast_mut(),
                signature: descriptor.as_ptr().cast_mut(),
                fnPtr: function.cast_mut(),
            }
        };
    [
        method(c"skips", c"()Z", skips as *const c_void),
        method(c"instead", c"(ILjava/lang/Object;)V", instead_void as *const c_void),
        method(c"instead", c"(ILjava/lang/Object;)I", instead_int as *const c_void),
        method(c"instead", c"(ILjava/lang/Object;)J", instead_long as *const c_void),
        method(c"instead", c"(ILjava/lang/Object;)F", instead_float as *const c_void),
        method(c"instead", c"(ILjava/lang/Object;)D", instead_double as *const c_void),
        method(c"instead", c"(ILjava/lang/Object;)Ljava/lang/Object;", instead_object as *const c_void),
    ]
}

unsafe extern "system" fn skips(_env: *mut JNIEnv, _class: jclass) -> u8 {
    let mut skips = false;
    heard(|_, tools| skips = open::is_left_out(tools));
    u8::from(skips)
}

fn instead(env: *mut JNIEnv, number: jint, receiver: jobject) -> jvalue {
    let mut value = NOTHING;
    heard(|recorder, tools| value = recorder.left_out(tools, Env::of(env), number, receiver));
    value
}

unsafe extern "system" fn instead_void(env: *mut JNIEnv, _class: jclass, number: jint, receiver: jobject) {
    instead(env, number, receiver);
}

/// A native method `instead` for results that are the member `$member` of a `jvalue`.
macro_rules! instead_of {
    ($name:ident, $type:ty, $member:ident) => {
        unsafe extern "system" fn $name(
            env: *mut JNIEnv,
            _class: jclass,
            number: jint,
            receiver: jobject,
        ) -> $type {
            // SAFETY: the value has the kind of the method's result, or is zero throughout.
            unsafe { instead(env, number, receiver).$member }
        }
    };
}

instead_of!(instead_int, jint, i);
instead_of!(instead_long, jlong, j);
instead_of!(instead_float, jfloat, f);
instead_of!(instead_double, jdouble, d);
instead_of!(instead_object, jobject, l);
