//! The origin of a call: from inside the class under test, from its kin, from the JDK, or from outside.

use jni_sys::{jclass, jint, jmethodID, jobject};

use super::places::Place;
use super::{CallRecorder, locked, open};
use crate::agent::{Frame, Tools};
use crate::jni;
use crate::record::plan::{Target, TargetSet};
use crate::record::stream::frame;
use crate::vm::Env;
use crate::wire::Put;

/// Capacity of the cache of callers. Classes of lambdas come and go, and their methods are never looked up
/// again.
const MOST_CALLERS: usize = 1 << 16;

/// The kind of code that makes a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Caller {
    Inside,
    /// A class above or below a class under test, whose methods have a witness too; of the user or of the
    /// JDK.
    Kin {
        of_machine: bool,
    },
    /// The JDK, or what runs the tests.
    Machinery,
    Outside,
}

impl Caller {
    pub(super) fn is_machinery(self) -> bool {
        matches!(self, Caller::Machinery | Caller::Kin { of_machine: true })
    }
}

/// The origin of a call.
pub(super) struct CallOrigin {
    /// It comes from inside the class under test.
    pub(super) is_inside: bool,
    /// The immediate caller.
    pub(super) caller: Caller,
    /// The id of the method that was called.
    pub(super) method: usize,
    /// The nearest place outside, if there is one.
    pub(super) place: Option<Place>,
}

impl CallOrigin {
    fn inside(caller: Caller, method: usize) -> CallOrigin {
        CallOrigin { is_inside: true, caller, method, place: None }
    }
}

impl CallRecorder {
    /// Says where the call whose frame is at `start` comes from. It comes from inside if the nearest frame
    /// behind it that is not the machinery's is one of a target. Its kin is inside when it is where an open
    /// call has led, or when it deals with its own object.
    pub(super) fn is_inside(
        &self,
        tools: Tools,
        env: Env,
        start: jint,
        object: jobject,
        targets: TargetSet,
    ) -> CallOrigin {
        let open = open::innermost(tools, targets);
        let (mut called, mut immediate, mut place) = (0, None, None);
        let mut kin = Vec::new();
        let mut frames = [Frame::EMPTY; 32];
        // Most callers decide at once.
        let (first, mut start, mut wanted) = (start, start, 3);
        'walk: loop {
            let count = tools.stack(start, &mut frames[..wanted]).unwrap_or(0);
            for (depth, frame) in (start..).zip(&frames[..count]) {
                if depth == first {
                    called = frame.method as usize;
                    continue;
                }
                let caller = self.caller(tools, env, frame.method, targets);
                let immediate = *immediate.get_or_insert(caller);
                let here = Place { method: frame.method as usize, location: frame.location };
                match caller {
                    Caller::Inside => return CallOrigin::inside(immediate, called),
                    _ if open == Some(frame.method as usize) => return CallOrigin::inside(immediate, called),
                    Caller::Kin { .. } => kin.push(depth),
                    Caller::Machinery => {}
                    Caller::Outside => {
                        place = Some(here);
                        break 'walk;
                    }
                }
            }
            if count < wanted {
                break;
            }
            start += count as jint;
            wanted = frames.len();
        }
        // To ask for the receiver of a frame takes long, and is seldom needed.
        let is_own =
            !object.is_null() && kin.into_iter().any(|depth| self.is_receiver(tools, env, depth, object));
        let caller = immediate.unwrap_or(Caller::Outside);
        CallOrigin { is_inside: is_own, caller, method: called, place }
    }

    /// Returns true if all of these targets are classes of the JDK.
    pub(super) fn is_of_jdk(&self, targets: TargetSet) -> bool {
        self.plan.members(targets).all(|target| target.of_jdk)
    }

    fn caller(&self, tools: Tools, env: Env, method: jmethodID, targets: TargetSet) -> Caller {
        let key = (method as usize, targets);
        if let Some(known) = locked(&self.callers).get(&key) {
            return *known;
        }
        let caller = self.judge(tools, env, method, targets).unwrap_or(Caller::Outside);
        let mut callers = locked(&self.callers);
        if callers.len() >= MOST_CALLERS {
            callers.clear();
        }
        callers.insert(key, caller);
        caller
    }

    /// Returns true if the method of a frame runs on this object.
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

    fn judge(&self, tools: Tools, env: Env, method: jmethodID, targets: TargetSet) -> Result<Caller, i32> {
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
        let internal = name.replace('.', "/");
        let is_kin = self.plan.members(targets).any(|target| target.holders.contains(&internal));
        // SAFETY: both are local references that nothing else uses.
        unsafe {
            jni!(env, DeleteLocalRef, loader);
            jni!(env, DeleteLocalRef, class);
        }
        let runs_tests = ["org.junit.", "junit.", "org.hamcrest.", "org.opentest4j."];
        Ok(if self.plan.members(targets).any(|target| target.is_inside(&name)) {
            Caller::Inside
        } else if is_kin {
            Caller::Kin { of_machine }
        } else if of_machine || runs_tests.iter().any(|prefix| name.starts_with(prefix)) {
            Caller::Machinery
        } else {
            Caller::Outside
        })
    }

    /// The targets that objects of a class are instances of.
    fn targets_of(&self, env: Env, class: jclass) -> TargetSet {
        let mut targets = 0;
        for (target, under) in locked(&self.under).clone() {
            // SAFETY: the classes are weak references. A local one keeps its class from going, or is null if
            // it is gone.
            unsafe {
                let under = jni!(env, NewLocalRef, under as jclass);
                if !under.is_null() && jni!(env, IsAssignableFrom, class, under) {
                    targets |= 1 << target;
                }
                jni!(env, DeleteLocalRef, under);
            }
        }
        targets
    }

    /// The number of an object's class, and the targets that its objects are instances of.
    pub(super) fn class_of(&self, tools: Tools, env: Env, object: jobject) -> Result<(u64, TargetSet), i32> {
        // SAFETY: the object is a live reference; the reference to its class is given back below.
        let class = unsafe { jni!(env, GetObjectClass, object) };
        let found = self.class_number(tools, env, class);
        // SAFETY: the reference was made above.
        unsafe { jni!(env, DeleteLocalRef, class) };
        found
    }

    /// The targets of which objects of the class with this number do not count, being of a class below.
    pub(super) fn only_above(&self, class: u64) -> TargetSet {
        locked(&self.below).get(class as usize - 1).copied().unwrap_or(0)
    }

    pub(super) fn class_number(
        &self,
        tools: Tools,
        env: Env,
        class: jclass,
    ) -> Result<(u64, TargetSet), i32> {
        let number = tools.tag(class)?.wrapping_neg();
        if number > 0 && number < i64::MAX {
            let targets = locked(&self.classes).get(number as usize - 1).copied();
            return Ok((number as u64, targets.unwrap_or(0)));
        }
        let name = tools.class_name(class)?;
        let targets = self.targets_of(env, class);
        let number = {
            let mut classes = locked(&self.classes);
            classes.push(targets);
            let internal = name.replace('.', "/");
            let is_above = |target: &Target| target.exact && target.class != internal;
            let numbered = self.plan.targets.iter().enumerate();
            let above = numbered.filter(|(_, target)| is_above(target)).fold(0, |set, (at, _)| set | 1 << at);
            locked(&self.below).push(targets & above);
            let number = classes.len() as u64;
            // Numbers must reach the records in their order.
            self.records.write(|bytes| {
                bytes.byte(frame::CLASS);
                bytes.text(&name);
                if self.plan.places {
                    bytes.number(targets);
                }
            });
            number
        };
        tools.set_tag(class, -(number as i64))?;
        Ok((number, targets))
    }
}
