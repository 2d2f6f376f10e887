//! The calls of a thread that were begun from outside and have not ended.
//!
//! The list belongs to the thread of Java, which is not the system's: a virtual thread may end a call on
//! another carrier than the one it began it on, and the carrier may have begun other calls meanwhile. So the
//! machine keeps the list, and it is there only while it has something in it: nothing is left behind by
//! threads that end.
//!
//! The end of a method is always told by its witness, except when an overflow of the stack sweeps the witness
//! away. The end of a constructor must be found out. So constructors know how many frames the stack had with
//! their own, which is exact: no compiler and no move to another carrier changes it. Methods only know a
//! place, which costs nothing to find out.

use std::ffi::c_void;

use jni_sys::jint;

use super::interventions::Call;
use super::kept::Kept;
use super::places::Place;
use crate::agent::Tools;
use crate::record::plan::TargetSet;
use crate::wire::Put;

/// A call that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Open {
    Method {
        /// Depth of the stack: the deeper, the smaller.
        place: usize,
        /// The id of the method that has the witness.
        method: usize,
        /// The number of the event.
        number: jint,
        /// The targets that the call concerns.
        targets: TargetSet,
        /// The place that it came from.
        from: Option<Place>,
        seen: Seen,
        call: Call,
    },
    Constructor(Maker),
}

/// A constructor that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Maker {
    /// The frames up to its own.
    pub(super) depth: jint,
    pub(super) method: usize,
    /// The numbers of the object and of its class.
    pub(super) object: u64,
    pub(super) class: u64,
    /// The targets that the object is an instance of.
    pub(super) targets: TargetSet,
    /// The place that the call came from.
    pub(super) from: Option<Place>,
    /// The number of the class of what was thrown last while it ran. Perhaps it was caught in there.
    pub(super) thrown: Option<u64>,
    pub(super) seen: Seen,
    pub(super) call: Call,
}

/// Observations at the beginning of a call, as bytes, if states are recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// Number of the arguments that were told, and their values.
    pub(super) count: usize,
    pub(super) arguments: Vec<u8>,
    /// The fields of the object.
    pub(super) before: Vec<u8>,
}

impl Seen {
    /// Writes the arguments, and the fields before and after the call.
    pub(super) fn put(&self, after: &[u8], bytes: &mut Vec<u8>) {
        bytes.number(self.count as u64);
        bytes.extend_from_slice(&self.arguments);
        for state in [&self.before[..], after] {
            // A list of fields with number zero is none.
            bytes.extend_from_slice(if state.is_empty() { &[0] } else { state });
        }
    }
}

impl Open {
    /// Observations at the beginning of a method, what interventions know of the call, and its place.
    pub(super) fn seen(self) -> Option<(Seen, Call, Option<Place>)> {
        match self {
            Open::Method { seen, call, from, .. } => Some((seen, call, from)),
            Open::Constructor(_) => None,
        }
    }

    fn method(&self) -> usize {
        match self {
            Open::Method { method, .. } | Open::Constructor(Maker { method, .. }) => *method,
        }
    }

    fn targets(&self) -> TargetSet {
        match self {
            Open::Method { targets, .. } | Open::Constructor(Maker { targets, .. }) => *targets,
        }
    }
}

/// Returns true if the thread is in a recorded call.
pub(super) fn is_any(tools: Tools) -> bool {
    look(tools, |list| !list.is_empty()).unwrap_or(false)
}

/// The numbers of the events of all methods that the thread is in.
pub(super) fn methods(tools: Tools) -> Vec<jint> {
    let number = |open: &Open| match open {
        Open::Method { number, .. } => Some(*number),
        Open::Constructor(_) => None,
    };
    look(tools, |list| list.iter().filter_map(number).collect()).unwrap_or_default()
}

/// Returns true if the thread is in a constructor: this one, or any.
pub(super) fn has_constructor(tools: Tools, method: Option<usize>) -> bool {
    let is_meant = |open: &Open| matches!(open, Open::Constructor(maker) if method.is_none_or(|method| method == maker.method));
    look(tools, |list| list.iter().any(is_meant)).unwrap_or(false)
}

/// The id of the method of the innermost open call that concerns one of these targets.
pub(super) fn innermost(tools: Tools, targets: TargetSet) -> Option<usize> {
    let concerns = |open: &&Open| open.targets() & targets != 0;
    look(tools, |list| list.iter().rev().find(concerns).map(Open::method)).flatten()
}

/// Notes what was thrown inside of all constructors that are open.
pub(super) fn thrown(tools: Tools, class: u64) {
    look(tools, |list| {
        for open in list {
            if let Open::Constructor(maker) = open {
                maker.thrown = Some(class);
            }
        }
    });
}

/// Notes the fields of the object before the innermost call, a method.
pub(super) fn set_before(tools: Tools, before: Vec<u8>) {
    look(tools, |list| {
        if let Some(Open::Method { seen, .. }) = list.last_mut() {
            seen.before = before;
        }
    });
}

/// The event of the innermost call, a method, and the number of its arguments that were told.
pub(super) fn told(tools: Tools) -> Option<(jint, usize)> {
    let told = look(tools, |list| match list.last() {
        Some(Open::Method { number, seen, .. }) => Some((*number, seen.count)),
        _ => None,
    });
    told.flatten()
}

/// Returns true if the body of the innermost call, a method, is left out.
pub(super) fn is_left_out(tools: Tools) -> bool {
    let is_left_out = |list: &mut Vec<Open>| match list.last() {
        Some(Open::Method { call, .. }) => call.left_out.is_some(),
        _ => false,
    };
    look(tools, is_left_out).unwrap_or(false)
}

/// Returns true if the arguments of the innermost call, a method, are kept.
pub(super) fn keeps_arguments(tools: Tools) -> bool {
    look(tools, |list| matches!(list.last(), Some(Open::Method { call, .. }) if call.keeps)).unwrap_or(false)
}

/// Keeps an argument of the innermost call, a method.
pub(super) fn keep_argument(tools: Tools, kept: Kept) {
    look(tools, |list| {
        if let Some(Open::Method { call, .. }) = list.last_mut() {
            call.kept.push(kept);
        }
    });
}

/// Adds an argument of the innermost call, a method.
pub(super) fn add_argument(tools: Tools, value: &[u8]) {
    look(tools, |list| {
        if let Some(Open::Method { seen, .. }) = list.last_mut() {
            seen.count += 1;
            seen.arguments.extend_from_slice(value);
        }
    });
}

/// Opens a call; whether that was possible.
pub(super) fn push(tools: Tools, open: Open) -> bool {
    let mut open = Some(open);
    if look(tools, |list| list.extend(open.take())).is_some() {
        return true;
    }
    let list = Box::into_raw(Box::new(Vec::from_iter(open)));
    let stored = tools.store(list.cast::<c_void>()).is_ok();
    if !stored {
        // SAFETY: it was just made, and nobody else has it.
        drop(unsafe { Box::from_raw(list) });
    }
    stored
}

/// Takes the outermost call that is meant and all inside of it.
pub(super) fn take_from(tools: Tools, is_meant: impl Fn(&Open) -> bool) -> Vec<Open> {
    take(tools, |list| list.iter().position(is_meant))
}

/// Takes the innermost call that is meant and all inside of it.
pub(super) fn take_from_last(tools: Tools, is_meant: impl Fn(&Open) -> bool) -> Vec<Open> {
    take(tools, |list| list.iter().rposition(is_meant))
}

fn take(tools: Tools, from: impl FnOnce(&[Open]) -> Option<usize>) -> Vec<Open> {
    let taken = look(tools, |list| Some((list.split_off(from(list)?), list.is_empty()))).flatten();
    let Some((taken, is_empty)) = taken else { return Vec::new() };
    if is_empty
        && let Ok(list) = tools.stored()
        && tools.store(std::ptr::null_mut()).is_ok()
    {
        // SAFETY: it was made by `push`, and nothing refers to it any more.
        drop(unsafe { Box::from_raw(list.cast::<Vec<Open>>()) });
    }
    taken
}

/// Looks at the list of the current thread, if there is one.
fn look<T>(tools: Tools, act: impl FnOnce(&mut Vec<Open>) -> T) -> Option<T> {
    let list = tools.stored().ok()?.cast::<Vec<Open>>();
    if list.is_null() {
        return None;
    }
    // SAFETY: only `push` stores, and only for its own thread; the functions of this file that look do
    // nothing meanwhile that could lead here again.
    Some(act(unsafe { &mut *list }))
}
