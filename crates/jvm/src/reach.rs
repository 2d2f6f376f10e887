//! Digests of what an object leads to, for searches that the fields of the object itself mislead.
//!
//! A field is followed three objects deep; an array is no step of its own. A digest must not change between
//! equal runs, so it is a function of the graph of objects alone:
//!
//! - The graph is unfolded into a tree. Only ancestors are recognized again, so it does not matter which way
//!   leads to an object first. If the tree has too many objects, it is cut one level higher.
//! - The order of a hash table depends on hash codes, and many of those depend on addresses. So an array of
//!   objects is a bag. So are the objects of one class that lead to each other directly (the entries of a
//!   bucket, the nodes of a list or of a tree), because which entries share a bucket is chance too.
//! - Some numbers are known by the names of their fields and left out. Hash codes follow from other fields,
//!   or from an address, as do handles of memory outside the heap. Counters of modifications only grow, and
//!   nothing but an iterator in use depends on them.
//! - Threads, classes, loaders, references that the collector clears and the like are shown by their class
//!   alone ([`OPAQUE`]). A constant of its own class, or of the class that holds it, is a number: scripts
//!   share constants, and caches inside them fill up.
//!
//! Cost: 20 to 40 ns for a field, 60 ns for an object.

use std::cell::Cell;
use std::rc::Rc;

use adit_trace::Digest;
use jni_sys::{jclass, jfieldID, jobject, jvalue};

use crate::fields::{Fields, Place, constants};
use crate::jni;
use crate::known::{Known, find_class};
use crate::resolve::Kind;
use crate::vm::{self, Env, Global};

/// Number of objects from a field of the object to the last that is looked into.
const DEPTH: usize = 3;

/// Number of objects that are looked into for one field.
const MOST_OBJECTS: i32 = 48;

/// Longer arrays of objects are shown by their length, and larger groups as large.
const MOST_ELEMENTS: i32 = 64;
const MOST_MEMBERS: usize = 16;

/// Number of units of a string, and of elements of an array of primitives, that are looked at.
const MOST_UNITS: i32 = 64;

/// Classes whose objects are shown by their class alone: the machine's own, whose content changes by itself,
/// and those whose content is chance.
const OPAQUE: [&str; 13] = [
    "java/lang/Class",
    "java/lang/ClassLoader",
    "java/lang/Module",
    "java/lang/Thread",
    "java/lang/ThreadGroup",
    "java/lang/ThreadLocal",
    "java/lang/Throwable",
    "java/lang/invoke/MethodHandle",
    "java/lang/invoke/VarHandle",
    "java/lang/ref/Reference",
    "java/lang/reflect/AccessibleObject",
    "java/security/Provider",
    "java/util/Random",
];

/// Parts of the names of fields, in small letters, that hold a hash code or count modifications.
const BOOKKEEPING: [&str; 2] = ["hash", "modcount"];

/// Parts of the names of fields of type `long` that lead to something outside the heap.
const OUTSIDE: [&str; 2] = ["address", "handle"];

/// Computes digests. It remembers the classes that it has seen.
pub(crate) struct Reach {
    env: Env,
    opaque: Vec<Global>,
    classes: Vec<Seen>,
    /// The classes to which the fields of the object itself led last, by their place.
    hints: Vec<usize>,
    /// The objects on the way to the current one, with their classes.
    path: Vec<(jobject, usize)>,
    /// Members of the groups that are looked at, those of the innermost last.
    members: Vec<jobject>,
    /// Number of objects that may still be looked into; negative if there were too many.
    left: i32,
    units: Vec<u16>,
}

/// A class of which an object was seen.
struct Seen {
    /// `None` if there was no memory for the reference.
    class: Option<Global>,
    name: u64,
    content: Content,
    /// The objects that its final static fields hold.
    constants: Rc<[Global]>,
    stays: bool,
}

#[derive(Clone)]
enum Content {
    Text,
    /// A primitive value, in its only field.
    Box(Kind, jfieldID),
    Opaque,
    /// An array of primitives.
    Numbers(Kind),
    /// An array of objects.
    Objects,
    Plain(Rc<[Inner]>),
}

/// A field of an object that is looked into.
struct Inner {
    id: jfieldID,
    primitive: Option<Kind>,
    /// The class that it led to last.
    hint: Cell<usize>,
}

/// Digest of several objects in any order.
#[derive(Default)]
struct Bag {
    sum: u64,
    count: u64,
    /// The coarse digest of the last one.
    coarse: u64,
}

impl Reach {
    pub(crate) fn new(env: Env) -> Self {
        // A class that this JDK lacks has no objects.
        let find = |name: &&str| {
            let found = find_class(env, name);
            // SAFETY: the exception is a local reference that is not used afterwards.
            found.map_err(|thrown| unsafe { jni!(env, DeleteLocalRef, thrown) }).ok()
        };
        Self {
            env,
            opaque: OPAQUE.iter().filter_map(find).collect(),
            classes: Vec::new(),
            hints: Vec::new(),
            path: Vec::new(),
            members: Vec::new(),
            left: 0,
            units: Vec::new(),
        }
    }

    /// Number of classes that are held.
    pub(crate) fn count(&self) -> usize {
        self.classes.len()
    }

    /// Forgets the classes of the class path, which another loader will bring again.
    pub(crate) fn forget(&mut self) {
        self.classes.retain(|seen| seen.stays);
    }

    /// Computes a digest for each value of a snapshot, which are in `kept`.
    ///
    /// # Safety
    /// `object` is a live reference, and `kept` has what [`Fields::put`] has just left for it.
    pub(crate) unsafe fn digests(
        &mut self,
        known: &Known,
        object: jobject,
        fields: &Fields,
        kept: &[jvalue],
        mut each: impl FnMut(Digest),
    ) {
        if self.hints.len() < fields.values {
            self.hints.resize(fields.values, 0);
        }
        let class = self.class_of(known, object, 0);
        self.path.push((object, class));
        for (at, (name, place)) in fields.places_in_order().enumerate() {
            // SAFETY: the caller vouches for the values, each of which is of the kind of its place.
            let digest = unsafe {
                match place {
                    Place::Primitive(kind) if is_bookkeeping(name, kind) => Digest::default(),
                    Place::Primitive(kind) => number(kind, kept[at]),
                    Place::Size => number(Kind::Long, kept[at]),
                    Place::Reference if kept[at].l.is_null() => Digest::default(),
                    Place::Reference => {
                        let class = self.class_of(known, kept[at].l, self.hints[at]);
                        self.hints[at] = class;
                        self.within_bounds(known, kept[at].l, class)
                    }
                }
            };
            each(digest);
        }
        self.path.clear();
    }

    /// Computes the digest of one object, which is not null and a live reference.
    pub(crate) fn digest(&mut self, known: &Known, object: jobject) -> Digest {
        let class = self.class_of(known, object, 0);
        self.within_bounds(known, object, class)
    }

    /// The digest of what a field leads to, as deep as the bound on objects allows.
    fn within_bounds(&mut self, known: &Known, object: jobject, class: usize) -> Digest {
        let mut digest = Digest::default();
        for depth in (1..=DEPTH).rev() {
            self.left = MOST_OBJECTS;
            digest = self.value(known, object, class, depth);
            if self.left >= 0 {
                break;
            }
        }
        digest
    }

    /// The digest of an object of this class, which is not null.
    fn value(&mut self, known: &Known, object: jobject, class: usize, depth: usize) -> Digest {
        if self.left < 0 {
            return Digest::default();
        }
        let name = self.classes[class].name;
        let class_only = Digest { exact: name, coarse: name };
        match self.classes[class].content.clone() {
            Content::Opaque => class_only,
            Content::Text => class_only.then(self.text(object)),
            // SAFETY: the field belongs to the class of the object.
            Content::Box(kind, value) => {
                class_only.then(number(kind, unsafe { vm::read_field(self.env, object, kind, value) }))
            }
            Content::Numbers(kind) => class_only.then(self.numbers(object, kind)),
            Content::Objects => class_only.then(self.elements(known, object, class, depth)),
            Content::Plain(_) if depth == 0 => class_only,
            Content::Plain(_) => {
                if let Some(distance) = self.ancestor(object, class) {
                    return Digest { exact: distance as u64 + 1, coarse: distance as u64 + 1 };
                }
                if let Some(number) = self.constant(object, class) {
                    return class_only.then(Digest { exact: number as u64, coarse: 0 });
                }
                let bag = self.group(known, object, class, depth);
                let coarse = if bag.count == 1 { bag.coarse } else { 2 };
                class_only.then(Digest { exact: bag.sum, coarse })
            }
        }
    }

    /// Number of steps back to the object on the way to the current one.
    fn ancestor(&self, object: jobject, class: usize) -> Option<usize> {
        self.path.iter().rev().position(|(other, of)| *of == class && self.same(*other, object))
    }

    /// The number of the constant that the object is: one of its own class, or of the class of the object
    /// that holds it.
    fn constant(&self, object: jobject, class: usize) -> Option<usize> {
        let holder = self.path.last().map(|(_, class)| *class).into_iter();
        let find = |class: usize| {
            self.classes[class].constants.iter().position(|constant| self.same(constant.get(), object))
        };
        std::iter::once(class).chain(holder).find_map(find)
    }

    fn same(&self, one: jobject, other: jobject) -> bool {
        // SAFETY: both are live references of this thread.
        unsafe { jni!(self.env, IsSameObject, one, other) }
    }

    /// Bag of an object and the objects of the same class that it leads to directly.
    fn group(&mut self, known: &Known, first: jobject, class: usize, depth: usize) -> Bag {
        let base = self.members.len();
        self.members.push(first);
        let (mut bag, mut at) = (Bag::default(), base);
        while at < self.members.len() && self.members.len() - base <= MOST_MEMBERS && self.left >= 0 {
            let one = self.member(known, self.members[at], class, depth, base);
            bag.add(one);
            at += 1;
        }
        if self.members.len() - base > MOST_MEMBERS {
            // Which of them would be looked at is chance.
            bag = Bag { sum: u64::MAX, count: u64::MAX, coarse: 0 };
        }
        while self.members.len() > base + 1 {
            let member = self.members.pop().expect("there is more than one");
            // SAFETY: a local reference that `member` made and that is not used afterwards.
            unsafe { jni!(self.env, DeleteLocalRef, member) };
        }
        self.members.truncate(base);
        bag
    }

    /// The digest of one member of a group, whose other members are those from `base` on. A field that leads
    /// to another member is no part of it, and neither is a field that is null, so that the last of a list is
    /// like the others.
    fn member(&mut self, known: &Known, object: jobject, class: usize, depth: usize, base: usize) -> Digest {
        self.left -= 1;
        let Content::Plain(fields) = self.classes[class].content.clone() else { return Digest::default() };
        let name = self.classes[class].name;
        let mut digest = Digest { exact: name, coarse: name };
        self.path.push((object, class));
        for (place, field) in fields.iter().enumerate() {
            // SAFETY: the fields belong to the class of the object; each reference is given back, or kept by
            // the group.
            let value = unsafe {
                if let Some(kind) = field.primitive {
                    number(kind, vm::read_field(self.env, object, kind, field.id))
                } else {
                    let value = jni!(self.env, GetObjectField, object, field.id);
                    if value.is_null() {
                        continue;
                    }
                    let of = self.class_of(known, value, field.hint.get());
                    field.hint.set(of);
                    if of == class {
                        let known_member = self.members[base..].iter().any(|other| self.same(*other, value));
                        if known_member || self.ancestor(value, class).is_some() {
                            jni!(self.env, DeleteLocalRef, value);
                        } else {
                            self.members.push(value);
                        }
                        continue;
                    }
                    let inner = self.value(known, value, of, depth - 1);
                    jni!(self.env, DeleteLocalRef, value);
                    inner
                }
            };
            let place = Digest { exact: place as u64, coarse: place as u64 };
            digest = digest.then(place).then(value);
        }
        self.path.pop();
        digest
    }

    /// The elements of an array as a bag. Groups that begin in the array are poured into it.
    fn elements(&mut self, known: &Known, array: jobject, class: usize, depth: usize) -> Digest {
        // SAFETY: the object is an array of objects, and the index stays below its length; each reference is
        // given back.
        let length = unsafe { jni!(self.env, GetArrayLength, array) };
        let mut bag = Bag::default();
        let mut hint = class;
        for index in 0..if length > MOST_ELEMENTS { 0 } else { length } {
            // SAFETY: see above.
            let element = unsafe { jni!(self.env, GetObjectArrayElement, array, index) };
            if element.is_null() {
                continue;
            }
            hint = self.class_of(known, element, hint);
            let is_plain = matches!(self.classes[hint].content, Content::Plain(_));
            let is_known = self.ancestor(element, hint).is_some() || self.constant(element, hint).is_some();
            if is_plain && depth > 0 && self.left >= 0 && !is_known {
                let inner = self.group(known, element, hint, depth);
                bag = Bag {
                    sum: bag.sum.wrapping_add(inner.sum),
                    count: bag.count.saturating_add(inner.count),
                    ..bag
                };
            } else {
                let one = self.value(known, element, hint, depth);
                bag.add(one);
            }
            // SAFETY: see above.
            unsafe { jni!(self.env, DeleteLocalRef, element) };
        }
        Digest { exact: length as u64, coarse: u64::from(length > MOST_ELEMENTS) }
            .then(Digest { exact: bag.sum, coarse: bag.count.min(2) })
    }

    fn text(&mut self, string: jobject) -> Digest {
        // SAFETY: the object is a string; the region lies in it, and the buffer is as long.
        unsafe {
            let length = jni!(self.env, GetStringLength, string);
            let taken = length.min(MOST_UNITS);
            self.units.clear();
            self.units.resize(taken.max(0) as usize, 0);
            jni!(self.env, GetStringRegion, string, 0, taken, self.units.as_mut_ptr());
            let units = self.units.iter().map(|unit| u64::from(*unit));
            Digest { exact: hash(length as u64, units), coarse: u64::from(length > 0) }
        }
    }

    /// The elements of an array of primitives.
    fn numbers(&mut self, array: jobject, kind: Kind) -> Digest {
        let mut buffer = [0_u64; MOST_UNITS as usize];
        let to = buffer.as_mut_ptr();
        // SAFETY: the array has elements of this kind, none of which is larger than a place of the buffer,
        // and no more are taken than it has places.
        unsafe {
            let length = jni!(self.env, GetArrayLength, array);
            let (env, taken) = (self.env, length.min(MOST_UNITS));
            match kind {
                Kind::Bool => jni!(env, GetBooleanArrayRegion, array, 0, taken, to.cast()),
                Kind::Byte => jni!(env, GetByteArrayRegion, array, 0, taken, to.cast()),
                Kind::Char => jni!(env, GetCharArrayRegion, array, 0, taken, to.cast()),
                Kind::Short => jni!(env, GetShortArrayRegion, array, 0, taken, to.cast()),
                Kind::Int => jni!(env, GetIntArrayRegion, array, 0, taken, to.cast()),
                Kind::Long => jni!(env, GetLongArrayRegion, array, 0, taken, to.cast()),
                Kind::Float => jni!(env, GetFloatArrayRegion, array, 0, taken, to.cast()),
                Kind::Double => jni!(env, GetDoubleArrayRegion, array, 0, taken, to.cast()),
                Kind::Void | Kind::Reference => {}
            }
            Digest { exact: hash(length as u64, buffer.into_iter()), coarse: u64::from(length > 0) }
        }
    }

    /// The place of an object's class among those seen; `hint` is the place where it probably is.
    fn class_of(&mut self, known: &Known, object: jobject, hint: usize) -> usize {
        // SAFETY: the object is live and not null; the local reference to its class is given back, or turned
        // global.
        unsafe {
            let class = jni!(self.env, GetObjectClass, object);
            let same = |seen: &Seen| {
                seen.class.as_ref().is_some_and(|seen| jni!(self.env, IsSameObject, seen.get(), class))
            };
            let expected = self.classes.get(hint).is_some_and(same).then_some(hint);
            if let Some(place) = expected.or_else(|| self.classes.iter().position(same)) {
                jni!(self.env, DeleteLocalRef, class);
                return place;
            }
            let seen = self.look_at(known, class);
            self.classes.push(seen);
            self.classes.len() - 1
        }
    }

    /// Inspects a class on its first use.
    ///
    /// # Safety
    /// `class` is a live local reference, which is used up, and no exception is pending.
    unsafe fn look_at(&mut self, known: &Known, class: jclass) -> Seen {
        let env = self.env;
        // SAFETY: the caller vouches for the class; the others are global.
        unsafe {
            let name = known.name_of(env, class, &mut self.units);
            let is = |other: &Global| jni!(env, IsSameObject, other.get(), class);
            let element = name.strip_prefix('[');
            let content = if is(&known.string) {
                Content::Text
            } else if let Some(wrapper) = known.wrappers.iter().find(|wrapper| is(&wrapper.class)) {
                Content::Box(wrapper.kind, wrapper.value)
            } else if let Some(element) = element {
                primitive(element).map_or(Content::Objects, Content::Numbers)
            } else if self.opaque.iter().any(|other| jni!(env, IsAssignableFrom, class, other.get())) {
                Content::Opaque
            } else {
                let fields = Fields::of(env, class, known, &mut self.units);
                let told = |(name, kind, _): &(&str, Option<Kind>, jfieldID)| {
                    !kind.is_some_and(|kind| is_bookkeeping(name, kind))
                };
                let inner = |(_, primitive, id)| Inner { id, primitive, hint: Cell::new(0) };
                Content::Plain(fields.each().filter(told).map(inner).collect())
            };
            let constants: Rc<[Global]> = match content {
                Content::Plain(_) => constants(env, class, known, &mut self.units).into(),
                _ => Rc::new([]),
            };
            let stays = known.is_of_the_jdk(env, class);
            let name = hash(0, name.bytes().map(u64::from));
            Seen { class: Global::of_local(env, class), name, content, constants, stays }
        }
    }
}

impl Bag {
    fn add(&mut self, digest: Digest) {
        self.sum = self.sum.wrapping_add(digest.exact);
        self.count = self.count.saturating_add(1);
        self.coarse = digest.coarse;
    }
}

/// Tells whether a field that holds no reference tells nothing about its object.
fn is_bookkeeping(name: &str, kind: Kind) -> bool {
    let has = |part: &str| {
        let letters = |text: &[u8]| text.eq_ignore_ascii_case(part.as_bytes());
        name.as_bytes().windows(part.len()).any(letters)
    };
    match kind {
        Kind::Int => BOOKKEEPING.iter().any(|part| has(part)),
        Kind::Long => BOOKKEEPING.iter().chain(&OUTSIDE).any(|part| has(part)),
        _ => false,
    }
}

/// The kind that a letter of a descriptor stands for, if it is that of a primitive type.
fn primitive(descriptor: &str) -> Option<Kind> {
    Some(match descriptor {
        "Z" => Kind::Bool,
        "B" => Kind::Byte,
        "C" => Kind::Char,
        "S" => Kind::Short,
        "I" => Kind::Int,
        "J" => Kind::Long,
        "F" => Kind::Float,
        "D" => Kind::Double,
        _ => return None,
    })
}

/// The digest of a primitive value. It was read into a value that was zero, so all of its bits are defined.
fn number(kind: Kind, value: jvalue) -> Digest {
    // SAFETY: the value was read as this kind, and the bits beside it are zero.
    unsafe {
        let sign = match kind {
            Kind::Bool => i64::from(value.z),
            Kind::Byte => value.b.into(),
            Kind::Char => value.c.into(),
            Kind::Short => value.s.into(),
            Kind::Int => value.i.into(),
            Kind::Float => value.f.clamp(-1.0, 2.0).ceil() as i64,
            Kind::Double => value.d.clamp(-1.0, 2.0).ceil() as i64,
            Kind::Long | Kind::Void | Kind::Reference => value.j,
        };
        Digest { exact: value.j as u64, coarse: sign.clamp(-1, 2).abs_diff(-1) + 1 }
    }
}

/// FNV-1a over numbers.
fn hash(seed: u64, numbers: impl Iterator<Item = u64>) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    numbers.fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, number| (hash ^ number).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_from_afar() {
        let coarse = |value| number(Kind::Int, jvalue { i: value }).coarse;
        assert_eq!([-7, -1, 0, 1, 2, 900].map(coarse), [1, 1, 2, 3, 4, 4]);
        let float = |d| number(Kind::Double, jvalue { d }).coarse;
        assert_eq!([-0.5, 0.0, 0.5, f64::NAN, 1e300].map(float), [2, 2, 3, 2, 4]);
    }
}
