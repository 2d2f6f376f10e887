//! Fields that recorded calls touch, in runs that ask for it.
//!
//! The fields are those of the class under test, of the classes above and below it, and of those nested in
//! them. The machine compiles nothing for a thread that gets reports. So it reports reads and writes on a
//! thread only while that is in a recorded call, and not while the recorder itself reads fields. A report
//! counts for each recorded call that the thread is in.
//!
//! No machine reports a store into an array, and fields of other classes are not watched. So a field behind
//! which something may change is marked as such.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use jni_sys::{jclass, jfieldID, jint};

use super::{CallRecorder, locked, open};
use crate::agent::{Tools, event};
use crate::jni;
use crate::record::plan::Target;
use crate::record::stream::frame;
use crate::vm::Env;
use crate::wire::Put;

/// The fields that are watched, and what was told of them.
#[derive(Default)]
pub(super) struct Touches {
    /// The current run asks for them.
    wanted: AtomicBool,
    seen: Mutex<Seen>,
}

/// A field by the number of its class and its id there.
type Key = (u64, usize);

#[derive(Default)]
struct Seen {
    fields: HashMap<Key, Arc<Field>>,
    /// Number of the method, field, and whether it was written.
    told: HashSet<(jint, Key, bool)>,
}

struct Field {
    name: String,
    /// It holds an array or an object that may change while the field stays as it is.
    leads_on: bool,
}

impl CallRecorder {
    /// Begins a run, which asks for touched fields or does not.
    pub(super) fn begin_touches(&'static self, tools: Tools, env: Env, wanted: bool) {
        locked(&self.touches.seen).told.clear();
        self.touches.wanted.store(wanted, Ordering::Release);
        if wanted {
            tools.each_loaded_class(env, |class| self.watch_fields(tools, env, class));
        }
    }

    /// Has reads and writes of the fields of a class reported, if they concern a class under test.
    pub(super) fn watch_fields(&self, tools: Tools, env: Env, class: jclass) {
        if !self.touches.wanted.load(Ordering::Acquire) {
            return;
        }
        let Ok(name) = tools.class_name(class) else { return };
        let is_part = |target: &Target| {
            let outer = name.match_indices('$').map(|(at, _)| &name[..at]);
            let mut names = std::iter::once(&*name).chain(outer);
            names.any(|name| target.holders.contains(&name.replace('.', "/")))
        };
        if !self.plan.targets.iter().any(is_part) {
            return;
        }
        let Ok((number, _)) = self.class_number(tools, env, class) else { return };
        for field in tools.fields(class).unwrap_or_default() {
            let Ok((field_name, descriptor)) = tools.field_name(class, field) else { continue };
            let known = Field { name: format!("{name}.{field_name}"), leads_on: leads_on(&descriptor) };
            let fresh = locked(&self.touches.seen).fields.insert((number, field as usize), Arc::new(known));
            if fresh.is_none() {
                // A field that the machine does not watch is not reported.
                let _ = tools.watch(class, field);
            }
        }
    }

    /// Reads fields without reports, which go on afterwards if the thread is in a recorded call.
    pub(super) fn unwatched<T>(&self, tools: Tools, env: Env, read: impl FnOnce() -> T) -> T {
        if !self.touches.wanted.load(Ordering::Relaxed) {
            return read();
        }
        self.report(tools, env, false);
        let value = read();
        self.report(tools, env, open::is_any(tools));
        value
    }

    fn report(&self, tools: Tools, env: Env, on: bool) {
        let Ok(thread) = tools.current_thread() else { return };
        for event in [event::FIELD_READ, event::FIELD_WRITE] {
            let _ = tools.notify(on, event, thread);
        }
        // SAFETY: the reference was just made, and is not used afterwards.
        unsafe { jni!(env, DeleteLocalRef, thread) };
    }

    /// A field was read or written.
    pub(super) fn touched(&self, tools: Tools, class: jclass, field: jfieldID, written: bool) {
        let Ok(tag) = tools.tag(class) else { return };
        let key = (tag.wrapping_neg() as u64, field as usize);
        for method in open::methods(tools) {
            let found = {
                let mut seen = locked(&self.touches.seen);
                let found = seen.fields.get(&key).cloned();
                found.filter(|_| seen.told.insert((method, key, written)))
            };
            if let Some(field) = found {
                self.records.write(|bytes| {
                    bytes.byte(frame::TOUCHED);
                    bytes.number(method as u64);
                    bytes.text(&field.name);
                    bytes.byte(u8::from(written));
                    bytes.byte(u8::from(field.leads_on));
                });
            }
        }
    }
}

/// Tells whether what a field holds may change while the field stays as it is. Texts, numbers in objects and
/// classes do not.
fn leads_on(descriptor: &str) -> bool {
    let of_values = ["String", "Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double"];
    let is_value = |class: &str| of_values.contains(&class) || class == "Class";
    let class = descriptor.strip_prefix("Ljava/lang/").and_then(|rest| rest.strip_suffix(';'));
    descriptor.starts_with(['L', '[']) && !class.is_some_and(is_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_do_not_change_behind_a_field() {
        let changing = ["[I", "Ljava/util/List;", "Ljava/lang/StringBuilder;", "La/String;"];
        assert!(changing.iter().all(|descriptor| leads_on(descriptor)));
        let fixed = ["I", "Z", "Ljava/lang/String;", "Ljava/lang/Integer;", "Ljava/lang/Class;"];
        assert!(!fixed.iter().any(|descriptor| leads_on(descriptor)));
    }
}
