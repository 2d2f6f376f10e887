//! Fields that a call touches: the JVM reports reads and writes of watched fields while the call runs.
//!
//! Fields are watched from when their class is ready, and for good; the reports are turned on for the
//! script's own thread just before each call and off after it, because the machine compiles nothing for a
//! thread that gets them. A store into an array is reported by no machine. So arrays that the receiver's
//! fields hold, and those that objects behind its fields hold (the table of the map in a `HashSet`), are
//! looked at before and after, and a change counts as a write of the field.
//!
//! Cost: a call takes about 2 µs more, and 1 µs for each field that it touches; see `benches/watch.rs`.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jni_sys::{jclass, jfieldID, jint, jobject};

use crate::agent::{self, Listener, Tools, capability, event};
use crate::jni;
use crate::vm::Env;
use crate::wire::Put;

/// Arrays are compared by so many of their first elements, and by their length.
const COMPARED: usize = 4096;

/// A field that belongs to the class.
const STATIC: jint = 0x0008;

/// Watcher of fields. There is one in a process, as long as the process lives.
pub(crate) struct Watcher {
    /// The names of the classes, with dots.
    classes: BTreeSet<String>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Classes have tags, from one on.
    last_tag: i64,
    /// The names of fields, and their places by the tag of their class and their id there.
    names: Vec<String>,
    places: HashMap<(i64, usize), usize>,
    reads: BTreeSet<usize>,
    writes: BTreeSet<usize>,
}

impl Watcher {
    pub(crate) fn new(classes: &[String]) -> &'static Watcher {
        let classes = classes.iter().cloned().collect();
        Box::leak(Box::new(Watcher { classes, seen: Mutex::default() }))
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches the classes that were there before the agent could hear of them.
    fn adopt(&'static self, tools: Tools, env: Env) {
        tools.each_loaded_class(env, |class| self.class_prepared(tools, env, class));
    }

    /// Returns true if a class was requested, or is nested in one that was.
    fn wants(&self, name: &str) -> bool {
        let outer = name.match_indices('$').map(|(at, _)| &name[..at]);
        std::iter::once(name).chain(outer).any(|name| self.classes.contains(name))
    }

    /// The tag of a class, which it gets if it has none.
    fn tag(&self, tools: Tools, class: jclass) -> Result<i64, i32> {
        let tag = tools.tag(class)?;
        if tag != 0 {
            return Ok(tag);
        }
        let tag = {
            let mut seen = self.seen();
            seen.last_tag += 1;
            seen.last_tag
        };
        tools.set_tag(class, tag)?;
        Ok(tag)
    }

    /// Has the fields that a class itself declares reported.
    fn watch(&self, tools: Tools, class: jclass) -> Result<(), i32> {
        let name = tools.class_name(class)?;
        let tag = self.tag(tools, class)?;
        for field in tools.fields(class)? {
            let (field_name, _) = tools.field_name(class, field)?;
            let fresh = {
                let mut seen = self.seen();
                let place = seen.names.len();
                // A class is seen again with each nested class that extends it, and keeps its places.
                let fresh = *seen.places.entry((tag, field as usize)).or_insert(place) == place;
                if fresh {
                    seen.names.push(format!("{name}.{field_name}"));
                }
                fresh
            };
            if fresh {
                tools.watch(class, field)?;
            }
        }
        Ok(())
    }
}

impl Listener for &'static Watcher {
    fn capabilities(&self) -> &'static [u32] {
        &[capability::TAG, capability::FIELD_READS, capability::FIELD_WRITES]
    }

    fn events(&self) -> &'static [i32] {
        &[event::CLASS_PREPARE]
    }

    fn class_prepared(&self, tools: Tools, env: Env, class: jclass) {
        if !tools.class_name(class).is_ok_and(|name| self.wants(&name)) {
            return;
        }
        // SAFETY: the class is a live reference, and so are those above it, which are given back.
        unsafe {
            let mut of = jni!(env, NewLocalRef, class);
            while !of.is_null() {
                let above = jni!(env, GetSuperclass, of);
                // Only `Object` has nothing above it. A class that is not ready yet is watched when it is.
                let _ = if above.is_null() { Ok(()) } else { self.watch(tools, of) };
                jni!(env, DeleteLocalRef, of);
                of = above;
            }
        }
    }

    fn field(&self, tools: Tools, class: jclass, field: jfieldID, written: bool) {
        let Ok(tag) = tools.tag(class) else { return };
        let mut seen = self.seen();
        if let Some(place) = seen.places.get(&(tag, field as usize)).copied() {
            if written { &mut seen.writes } else { &mut seen.reads }.insert(place);
        }
    }
}

/// The watcher on the thread that runs scripts.
pub(crate) struct Touch {
    watcher: &'static Watcher,
    tools: Tools,
    env: Env,
    /// The thread, as a global reference that is never given back.
    thread: jobject,
    shapes: HashMap<i64, Rc<Shape>>,
    before: Vec<Array>,
    /// The numbers under which the coordinator knows names, by their places; zero if it does not.
    numbers: Vec<u64>,
    sent: u64,
}

/// The fields of a class, and of those above it, that hold something.
struct Shape {
    arrays: Vec<Held>,
    objects: Vec<Held>,
}

struct Held {
    field: jfieldID,
    /// The type of the elements of an array, by the first letter of its descriptor.
    element: u8,
    /// Its place among the watched fields, if it is one.
    place: Option<usize>,
}

/// An array before the call.
struct Array {
    /// The object whose field holds the array, which may be null. Both are local references.
    holder: jobject,
    field: jfieldID,
    array: jobject,
    element: u8,
    contents: u64,
    /// The field that a change is counted for.
    place: usize,
}

impl Touch {
    /// For the current thread of a machine that was created with the watcher as its agent.
    pub(crate) fn new(env: Env, watcher: &'static Watcher) -> Result<Self, String> {
        let tools = agent::tools()?;
        watcher.adopt(tools, env);
        let thread = tools.current_thread().map_err(|code| format!("the thread is not known ({code})"))?;
        // SAFETY: the reference was just made.
        let thread = unsafe { jni!(env, NewGlobalRef, thread) };
        let (shapes, numbers) = (HashMap::new(), Vec::new());
        Ok(Self { watcher, tools, env, thread, shapes, before: Vec::new(), numbers, sent: 0 })
    }

    /// Just before a call on `receiver`, which may be null.
    pub(crate) fn begin(&mut self, receiver: jobject) {
        if !receiver.is_null() {
            self.look(receiver);
        }
        {
            let mut seen = self.watcher.seen();
            seen.reads.clear();
            seen.writes.clear();
        }
        for event in [event::FIELD_READ, event::FIELD_WRITE] {
            let _ = self.tools.notify(true, event, self.thread);
        }
    }

    /// Just after the call, when no exception is pending.
    pub(crate) fn end(&mut self) {
        for event in [event::FIELD_READ, event::FIELD_WRITE] {
            let _ = self.tools.notify(false, event, self.thread);
        }
        for Array { holder, field, array, element, contents, place } in std::mem::take(&mut self.before) {
            // SAFETY: the field belongs to the class of the holder and holds a reference. Those that were
            // made before the call are not used any more.
            let same = unsafe {
                let now = jni!(self.env, GetObjectField, holder, field);
                let same = jni!(self.env, IsSameObject, now, array);
                jni!(self.env, DeleteLocalRef, now);
                same
            };
            if !same || self.contents(array, element) != contents {
                self.watcher.seen().writes.insert(place);
            }
            // SAFETY: as above.
            unsafe {
                jni!(self.env, DeleteLocalRef, array);
                jni!(self.env, DeleteLocalRef, holder);
            }
        }
    }

    /// Writes what was touched: the fields read, then the fields written, each by its number, and with its
    /// name the first time.
    pub(crate) fn put(&mut self, bytes: &mut Vec<u8>) {
        let seen = self.watcher.seen();
        self.numbers.resize(seen.names.len(), 0);
        for places in [&seen.reads, &seen.writes] {
            bytes.number(places.len() as u64);
            for place in places {
                let number = &mut self.numbers[*place];
                if *number != 0 {
                    bytes.number(*number);
                    continue;
                }
                self.sent += 1;
                *number = self.sent;
                bytes.number(*number);
                bytes.text(&seen.names[*place]);
            }
        }
    }

    /// Remembers the arrays of an object, and those one step behind it.
    fn look(&mut self, receiver: jobject) {
        let Some(shape) = self.shape(receiver) else { return };
        self.arrays(receiver, &shape, None);
        for held in &shape.objects {
            // SAFETY: the field belongs to the class of the object and holds a reference.
            let inner = unsafe { jni!(self.env, GetObjectField, receiver, held.field) };
            if inner.is_null() {
                continue;
            }
            if let Some(inner_shape) = self.shape(inner) {
                self.arrays(inner, &inner_shape, held.place);
            }
            // SAFETY: the reference was just made.
            unsafe { jni!(self.env, DeleteLocalRef, inner) };
        }
    }

    /// Remembers the arrays that an object's fields hold. If a field is not watched, the one that led here is
    /// blamed.
    fn arrays(&mut self, object: jobject, shape: &Shape, through: Option<usize>) {
        for held in &shape.arrays {
            let Some(place) = held.place.or(through) else { continue };
            // SAFETY: the field belongs to the class of the object and holds a reference.
            let array = unsafe { jni!(self.env, GetObjectField, object, held.field) };
            let contents = self.contents(array, held.element);
            // SAFETY: the object is a live reference; the new one is given back after the call.
            let holder = unsafe { jni!(self.env, NewLocalRef, object) };
            let (field, element) = (held.field, held.element);
            self.before.push(Array { holder, field, array, element, contents, place });
        }
    }

    /// The fields of an object's class that hold something; nothing for strings, which do not change.
    fn shape(&mut self, object: jobject) -> Option<Rc<Shape>> {
        // SAFETY: the object is a live reference that is not null; all others are made here and given back.
        unsafe {
            let class = jni!(self.env, GetObjectClass, object);
            let tag = self.watcher.tag(self.tools, class).ok();
            let known = tag.and_then(|tag| self.shapes.get(&tag).cloned());
            let shape = known.or_else(|| {
                let shape = Rc::new(self.find_shape(class));
                self.shapes.insert(tag?, shape.clone());
                Some(shape)
            });
            jni!(self.env, DeleteLocalRef, class);
            shape
        }
    }

    /// # Safety
    /// `class` is a live reference to a class.
    unsafe fn find_shape(&self, class: jclass) -> Shape {
        let mut shape = Shape { arrays: Vec::new(), objects: Vec::new() };
        if self.tools.class_name(class).is_ok_and(|name| name == "java.lang.String") {
            return shape;
        }
        // SAFETY: the caller vouches for the class; those above it are given back.
        unsafe {
            let mut of = jni!(self.env, NewLocalRef, class);
            while !of.is_null() {
                // What cannot be asked is left out.
                let _ = self.add_fields(of, &mut shape);
                let above = jni!(self.env, GetSuperclass, of);
                jni!(self.env, DeleteLocalRef, of);
                of = above;
            }
        }
        shape
    }

    fn add_fields(&self, class: jclass, shape: &mut Shape) -> Result<(), i32> {
        let tag = self.tools.tag(class)?;
        for field in self.tools.fields(class)? {
            if self.tools.field_flags(class, field)? & STATIC != 0 {
                continue;
            }
            let (_, descriptor) = self.tools.field_name(class, field)?;
            let place = self.watcher.seen().places.get(&(tag, field as usize)).copied();
            match descriptor.as_bytes() {
                [b'[', element, ..] => shape.arrays.push(Held { field, element: *element, place }),
                [b'L', ..] => shape.objects.push(Held { field, element: 0, place }),
                _ => {}
            }
        }
        Ok(())
    }

    /// A number for what an array holds: the values, or the identities of objects.
    fn contents(&self, array: jobject, element: u8) -> u64 {
        if array.is_null() {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        // SAFETY: the array is a live reference to an array whose elements are of this type, as the field was
        // declared; no more elements are looked at than it has. Between getting and releasing the memory
        // nothing is called.
        unsafe {
            let length = jni!(self.env, GetArrayLength, array);
            length.hash(&mut hasher);
            let count = (length.max(0) as usize).min(COMPARED);
            let size = match element {
                b'Z' | b'B' => 1,
                b'C' | b'S' => 2,
                b'I' | b'F' => 4,
                b'J' | b'D' => 8,
                _ => 0,
            };
            if size > 0 {
                let memory = jni!(self.env, GetPrimitiveArrayCritical, array, std::ptr::null_mut());
                if !memory.is_null() {
                    std::slice::from_raw_parts(memory.cast::<u8>(), count * size).hash(&mut hasher);
                    jni!(self.env, ReleasePrimitiveArrayCritical, array, memory, jni_sys::JNI_ABORT);
                }
                return hasher.finish();
            }
            for index in 0..count {
                let object = jni!(self.env, GetObjectArrayElement, array, index as jint);
                if object.is_null() {
                    0.hash(&mut hasher);
                } else {
                    self.tools.identity(object).unwrap_or(0).hash(&mut hasher);
                    jni!(self.env, DeleteLocalRef, object);
                }
            }
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_classes_are_wanted_too() {
        let watcher = Watcher::new(&["java.util.HashMap".to_owned(), "a.B$C".to_owned()]);
        for wanted in ["java.util.HashMap", "java.util.HashMap$Node", "a.B$C", "a.B$C$1"] {
            assert!(watcher.wants(wanted), "{wanted}");
        }
        for other in ["java.util.HashMapper", "a.B", "a.B$D", "java.util.Hash"] {
            assert!(!watcher.wants(other), "{other}");
        }
    }
}
