//! Looking into objects: the fields of a class and its superclasses, private ones too, read to depth one.
//!
//! Which fields there are is asked of the machine once for each class. JNI reads them without regard to access. What a
//! reference leads to is not followed: it shows as null, as a string, as the length of an array, or as a class.
//!
//! Cost: 3 to 13 ns for a primitive, about 100 ns for a reference.

use std::collections::BTreeSet;

use jni_sys::{jclass, jfieldID, jobject, jvalue};

use crate::jni;
use crate::message::tag;
use crate::play::put_primitive;
use crate::resolve::{Kind, Known};
use crate::vm::{self, Env};
use crate::wire::Put;

/// Classes with more fields than this are shown in part.
const MOST: usize = 256;

/// Fields that belong to the class or were made up by the compiler tell nothing about the object.
const STATIC: i32 = 0x0008;
const SYNTHETIC: i32 = 0x1000;

/// The fields of a class that a snapshot shows.
pub(crate) struct Fields(Vec<Field>);

struct Field {
    name: String,
    kind: Kind,
    /// Declared as an array, and shown by its length.
    array: bool,
    id: jfieldID,
}

impl Fields {
    /// Asks the machine. A class that cannot say which fields it has, because one of their types is missing, has none.
    pub(crate) fn of(env: Env, class: jclass, known: &Known, units: &mut Vec<u16>) -> Self {
        let (mut fields, mut names) = (Vec::new(), BTreeSet::new());
        // SAFETY: `class` is a global reference. All that is made here is made in a frame of its own, except the field
        // ids, which stay good as long as their class, and that is held by the global reference.
        unsafe {
            if jni!(env, PushLocalFrame, 64) != 0 {
                jni!(env, ExceptionClear);
                return Self(fields);
            }
            let mut of = class;
            while !of.is_null() && fields.len() < MOST {
                declared(env, of, known, units, &mut fields, &mut names);
                of = jni!(env, GetSuperclass, of);
            }
            jni!(env, PopLocalFrame, std::ptr::null_mut());
        }
        fields.truncate(MOST);
        Self(fields)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn put_names(&self, bytes: &mut Vec<u8>) {
        bytes.number(self.0.len() as u64);
        self.0.iter().for_each(|field| bytes.text(&field.name));
    }

    /// Writes the values of the fields of `object`, which is an instance of their class. What a reference leads to, and is
    /// no array, is for `other` to write.
    pub(crate) fn put_values(
        &self,
        env: Env,
        object: jobject,
        bytes: &mut Vec<u8>,
        mut other: impl FnMut(jobject, &mut Vec<u8>),
    ) {
        for field in &self.0 {
            // SAFETY: the ids belong to the class of the object, and each is read as what it was declared to be.
            let value = unsafe {
                match field.kind {
                    Kind::Bool => jvalue { z: jni!(env, GetBooleanField, object, field.id) },
                    Kind::Byte => jvalue { b: jni!(env, GetByteField, object, field.id) },
                    Kind::Char => jvalue { c: jni!(env, GetCharField, object, field.id) },
                    Kind::Short => jvalue { s: jni!(env, GetShortField, object, field.id) },
                    Kind::Int => jvalue { i: jni!(env, GetIntField, object, field.id) },
                    Kind::Long => jvalue { j: jni!(env, GetLongField, object, field.id) },
                    Kind::Float => jvalue { f: jni!(env, GetFloatField, object, field.id) },
                    Kind::Double => jvalue { d: jni!(env, GetDoubleField, object, field.id) },
                    Kind::Void | Kind::Reference => {
                        let value = jni!(env, GetObjectField, object, field.id);
                        if value.is_null() {
                            bytes.byte(tag::NULL);
                        } else if field.array {
                            bytes.byte(tag::INT);
                            bytes.signed(jni!(env, GetArrayLength, value).into());
                        } else {
                            other(value, bytes);
                        }
                        jni!(env, DeleteLocalRef, value);
                        continue;
                    }
                }
            };
            put_primitive(bytes, field.kind, value);
        }
    }
}

/// Adds the fields that one class declares.
///
/// # Safety
/// `class` is a live reference to a class, no exception is pending, and the caller has pushed a frame.
unsafe fn declared(
    env: Env,
    class: jclass,
    known: &Known,
    units: &mut Vec<u16>,
    fields: &mut Vec<Field>,
    names: &mut BTreeSet<String>,
) {
    // SAFETY: the methods were looked up on the classes that they are called on here; the index stays below the length.
    unsafe {
        let list = jni!(env, CallObjectMethodA, class, known.declared_fields, std::ptr::null());
        let thrown = vm::take_exception(env);
        if !thrown.is_null() || list.is_null() {
            return;
        }
        for index in 0..jni!(env, GetArrayLength, list) {
            let field = jni!(env, GetObjectArrayElement, list, index);
            if field.is_null() || jni!(env, ExceptionCheck) {
                return jni!(env, ExceptionClear);
            }
            let modifiers = jni!(env, CallIntMethodA, field, known.field_modifiers, std::ptr::null());
            if jni!(env, ExceptionCheck) {
                return jni!(env, ExceptionClear);
            }
            let class_of = jni!(env, CallObjectMethodA, field, known.field_type, std::ptr::null());
            if jni!(env, ExceptionCheck) || class_of.is_null() {
                return jni!(env, ExceptionClear);
            }
            if modifiers & (STATIC | SYNTHETIC) == 0 {
                let of_type = known.name_of(env, class_of, units);
                let kind = kind(&of_type);
                let array = of_type.starts_with('[');
                let mut name = known.text_of(env, field, known.field_name, units);
                if array {
                    name.push_str(".length");
                }
                // A field that hides one of a superclass comes first and keeps its name.
                if !names.insert(name.clone()) {
                    name = format!("{}::{name}", known.name_of(env, class, units));
                    names.insert(name.clone());
                }
                let id = jni!(env, FromReflectedField, field);
                if id.is_null() {
                    jni!(env, ExceptionClear);
                } else {
                    fields.push(Field { name, kind, array, id });
                }
            }
            jni!(env, DeleteLocalRef, class_of);
            jni!(env, DeleteLocalRef, field);
        }
    }
}

/// The kind of a field by the name of its type, as `Class.getName` gives it.
fn kind(name: &str) -> Kind {
    match name {
        "boolean" => Kind::Bool,
        "byte" => Kind::Byte,
        "char" => Kind::Char,
        "short" => Kind::Short,
        "int" => Kind::Int,
        "long" => Kind::Long,
        "float" => Kind::Float,
        "double" => Kind::Double,
        _ => Kind::Reference,
    }
}
