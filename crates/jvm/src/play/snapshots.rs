//! Snapshots after the calls of a script: all fields of an object the first time, then those that changed.

use std::rc::Rc;

use adit_trace::{CallKind, Digest};
use jni_sys::{jobject, jvalue};

use super::{Player, put_class};
use crate::fields::{Counting, Fields, Viewer};
use crate::jni;
use crate::reach::Reach;
use crate::resolve::{Kind, Ready};
use crate::results::tag;
use crate::sizes::field_behind;
use crate::vm::{self, Global};
use crate::wire::Put;

/// An object of which a snapshot was sent.
#[derive(Clone)]
pub(super) struct Watched {
    fields: Rc<Fields>,
    /// Position of its values.
    at: usize,
}

/// Classes of the JDK that are not public and whose size is known to be their own: what `List.of` and its kin
/// give. Others, such as the views of `Collections.unmodifiableList`, ask an object of the subject.
const COUNTABLE: [&str; 4] = [
    "java.util.ImmutableCollections$",
    "java.util.Arrays$ArrayList",
    "java.util.Collections$Empty",
    "java.util.Collections$Singleton",
];

/// Tells whether an object of a class of the JDK may be asked for its size.
pub(crate) fn is_countable(name: &str, modifiers: i32) -> bool {
    let is_public = modifiers & 1 == 1 && !name.contains('$');
    is_public || COUNTABLE.iter().any(|start| name.starts_with(start))
}

impl Player {
    /// Adds the fields of an object to the step in the buffer, or those that changed.
    pub(super) fn put_state(&mut self, object: jobject, owner: usize) {
        if self.watched.len() <= owner {
            self.watched.resize(owner + 1, None);
        }
        // Taken out while they are used, because looking at fields may find classes that were not seen
        // before.
        let (mut step, mut kept) = (std::mem::take(&mut self.step), std::mem::take(&mut self.kept));
        let watched = self.watched[owner].clone();
        let watched = if let Some(Watched { fields, at }) = watched {
            if fields.values > 0 {
                step.number(owner as u64);
                let (before, values) = (step.len(), &mut kept[at..at + fields.places()]);
                if fields.put(self.env, object, values, false, &mut step, self) {
                    step[0] |= tag::STATE;
                } else {
                    step.truncate(before);
                    step[0] |= tag::SAME;
                }
            }
            Watched { fields, at }
        } else {
            let (fields, number, fresh) = self.fields_of(object);
            let at = kept.len();
            if fields.values > 0 {
                // SAFETY: this only makes room for the references that are kept, and throws if there is none.
                unsafe {
                    jni!(self.env, EnsureLocalCapacity, fields.references + 16);
                    jni!(self.env, ExceptionClear);
                }
                kept.resize(at + fields.places(), jvalue { j: 0 });
                step[0] |= tag::STATE;
                step.number(owner as u64);
                step.number(number);
                if fresh {
                    let names = fields.names();
                    step.number(names.len() as u64);
                    names.iter().for_each(|name| step.text(name));
                }
                fields.put(self.env, object, &mut kept[at..], true, &mut step, self);
            }
            self.watched[owner] = Some(Watched { fields: fields.clone(), at });
            Watched { fields, at }
        };
        if self.digests && watched.fields.values > 0 {
            step[0] |= tag::DEEP;
            let Watched { fields, at } = watched;
            let reach = self.reach.get_or_insert_with(|| Reach::new(self.env));
            // SAFETY: the object is a reference of the script's frame, whose values were just read.
            unsafe {
                reach.digests(&self.known, object, &fields, &kept[at..], |digest| {
                    step.bytes(&digest.exact.to_le_bytes());
                    step.bytes(&digest.coarse.to_le_bytes());
                });
            }
        }
        (self.step, self.kept) = (step, kept);
    }

    /// The objects that a method is about to get as arguments, apart from its receiver, each with its digest.
    pub(super) fn passed(&mut self, ready: &Ready, target: jobject) -> Vec<(jobject, Digest)> {
        if ready.kind != CallKind::Method {
            return Vec::new();
        }
        let mut passed = Vec::new();
        for (wanted, value) in ready.parameters.iter().zip(&self.args) {
            if wanted.kind != Kind::Reference {
                continue;
            }
            // SAFETY: the value of a parameter that is a reference is a reference of the script's frame, as
            // is the receiver.
            let (object, is_receiver) = unsafe { (value.l, jni!(self.env, IsSameObject, value.l, target)) };
            if !object.is_null() && !is_receiver {
                let reach = self.reach.get_or_insert_with(|| Reach::new(self.env));
                passed.push((object, reach.digest(&self.known, object)));
            }
        }
        passed
    }

    /// Adds the digest of an object that a method returned, and of arguments that it changed: the content of
    /// a stream that is read into an array is an answer, too.
    pub(super) fn put_answer(&mut self, returned: Option<jobject>, passed: &[(jobject, Digest)]) {
        if returned.is_none() && passed.is_empty() {
            return;
        }
        let reach = self.reach.get_or_insert_with(|| Reach::new(self.env));
        let mut digest = returned.map(|object| reach.digest(&self.known, object));
        for (place, &(object, before)) in passed.iter().enumerate() {
            let after = reach.digest(&self.known, object);
            if after != before {
                let placed = Digest { exact: place as u64, coarse: place as u64 };
                digest = Some(digest.unwrap_or_default().then(placed).then(after));
            }
        }
        let Some(digest) = digest else { return };
        self.step.byte(tag::ANSWER);
        self.step.bytes(&digest.exact.to_le_bytes());
        self.step.bytes(&digest.coarse.to_le_bytes());
    }

    /// The fields of an object's class, the number of the list of their names, and whether it is new.
    fn fields_of(&mut self, object: jobject) -> (Rc<Fields>, u64, bool) {
        let class = self.class_of(object);
        let seen = &mut self.classes[class];
        if let Some((fields, number)) = &seen.fields {
            return (fields.clone(), *number, false);
        }
        let of = seen.class.as_ref().map(Global::get);
        let fields =
            of.map_or_else(Fields::none, |class| Fields::of(self.env, class, &self.known, &mut self.units));
        let fields = Rc::new(fields);
        let next = self.plans.len() as u64 + 1;
        // A list without names is never sent and needs no number.
        let number = match fields.values {
            0 => 0,
            _ => *self.plans.entry(fields.names()).or_insert(next),
        };
        seen.fields = Some((fields.clone(), number));
        (fields, number, number == next)
    }
}

impl Viewer for Player {
    /// Writes what a field leads to: a string, or the class of anything else.
    fn put_inner(&mut self, object: jobject, step: &mut Vec<u8>) {
        if self.is_instance(object, self.known.string.get()) {
            step.byte(tag::TEXT);
            // SAFETY: the object is a string, as was just checked, and nothing is pending.
            unsafe { vm::put_text(self.env, object, self.text, &mut self.units, step) };
        } else {
            let class = self.class_of(object);
            step.byte(tag::OBJECT);
            put_class(&mut self.classes[class], &mut self.numbers, step);
        }
    }

    fn counting(&mut self, object: jobject, method: &str) -> Counting {
        let class = self.class_of(object);
        let (env, known) = (self.env, &self.known);
        let seen = &mut self.classes[class];
        let Some(of) = seen.class.as_ref().filter(|_| seen.countable) else { return Counting::Never };
        *seen.counting.get_or_insert_with(|| {
            // SAFETY: the class is a live reference and one of the JDK's, and nothing is pending.
            let field = unsafe { field_behind(env, known, of.get(), method) };
            field.map_or(Counting::Call, Counting::Field)
        })
    }
}
