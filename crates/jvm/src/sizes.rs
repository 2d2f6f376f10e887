//! Sizes of collections without a call: many a `size()` only returns a field, and reading the field takes a
//! tenth of the time of the call.
//!
//! The class file, which the JDK provides as a resource, shows which field that is. No name is guessed, and a
//! method that does anything else is called.

use adit_bytecode::{Class, Instruction};
use jni_sys::{jclass, jfieldID, jvalue};

use crate::jni;
use crate::known::Known;
use crate::vm::{self, Env};

/// The field that the method `name` of a class returns and does nothing else; nothing if it does, or if in
/// doubt.
///
/// # Safety
/// `class` is a live reference to a class of the JDK, and no exception is pending.
pub(crate) unsafe fn field_behind(env: Env, known: &Known, class: jclass, name: &str) -> Option<jfieldID> {
    // SAFETY: the frame is popped below, and what leaves it is no reference; the field stays as long as its
    // class, which for one of the JDK is as long as the machine.
    unsafe {
        if jni!(env, PushLocalFrame, 32) != 0 {
            jni!(env, ExceptionClear);
            return None;
        }
        let field = search(env, known, class, name);
        jni!(env, ExceptionClear);
        jni!(env, PopLocalFrame, std::ptr::null_mut());
        field
    }
}

/// # Safety
/// As for [`field_behind`], in a frame.
unsafe fn search(env: Env, known: &Known, class: jclass, name: &str) -> Option<jfieldID> {
    let (mut declaring, mut units) = (class, Vec::new());
    // Few classes are further from `Object` than this, and the frame must hold them.
    for _ in 0..8 {
        // SAFETY: each is a live reference to a class.
        unsafe {
            let read = Class::parse(&class_file(env, known, declaring, &mut units)?, "class").ok()?;
            let Some(method) = read.method(name, "()I") else {
                declaring = jni!(env, GetSuperclass, declaring);
                if declaring.is_null() {
                    return None;
                }
                continue;
            };
            let getter: Vec<_> =
                method.code.as_ref()?.instructions.iter().map(|(_, instruction)| instruction).collect();
            let [Instruction::Load(_, 0), Instruction::GetField(field), Instruction::Return(Some(_))] =
                getter.as_slice()
            else {
                return None;
            };
            if *field.class != *read.name || *field.descriptor != *"I" {
                return None;
            }
            let (field_name, descriptor) = (vm::name(&field.name), vm::name(&field.descriptor));
            let id = jni!(env, GetFieldID, declaring, field_name.as_ptr(), descriptor.as_ptr());
            return (!id.is_null()).then_some(id);
        }
    }
    None
}

/// The bytes of a class: `type.getResourceAsStream("Type.class").readAllBytes()`.
///
/// # Safety
/// As for [`search`].
unsafe fn class_file(env: Env, known: &Known, class: jclass, units: &mut Vec<u16>) -> Option<Vec<u8>> {
    // SAFETY: the methods were looked up on the classes that they are called on; what is null, or throws,
    // ends it.
    unsafe {
        let name = known.name_of(env, class, units);
        let file = format!("{}.class", name.rsplit('.').next().unwrap_or(&name));
        let file: Vec<u16> = file.encode_utf16().collect();
        let text = jni!(env, NewString, file.as_ptr(), i32::try_from(file.len()).ok()?);
        if text.is_null() {
            return None;
        }
        let argument = jvalue { l: text };
        let stream = jni!(env, CallObjectMethodA, class, known.class_resource, &raw const argument);
        if jni!(env, ExceptionCheck) || stream.is_null() {
            return None;
        }
        let array = jni!(env, CallObjectMethodA, stream, known.read_all, std::ptr::null());
        if jni!(env, ExceptionCheck) || array.is_null() {
            return None;
        }
        let length = jni!(env, GetArrayLength, array);
        let mut bytes = vec![0_u8; usize::try_from(length).ok()?];
        jni!(env, GetByteArrayRegion, array, 0, length, bytes.as_mut_ptr().cast());
        [text, stream, array].into_iter().for_each(|used| jni!(env, DeleteLocalRef, used));
        Some(bytes)
    }
}
