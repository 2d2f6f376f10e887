//! Classes for objects of interfaces and abstract classes, which [`Stub`] writes. They are defined where
//! functions are.

use std::hash::Hasher;

use adit_bytecode::Stub;
use jni_sys::{jobject, jvalue};
use rustc_hash::FxHasher;

use crate::function::{INTERFACE, define as define_class, home};
use crate::jni;
use crate::known::Known;
use crate::resolve::{Types, error};
use crate::vm::{self, Env, Global};

/// Writes and defines the class of a stub. The error is the exception, a local reference.
pub(crate) fn define(
    env: Env,
    known: &Known,
    types: &Types,
    above: &Global,
    stub: &Stub,
) -> Result<Global, jobject> {
    // SAFETY: the frame is popped below; what leaves it is global, or handed to the frame below.
    unsafe {
        if jni!(env, PushLocalFrame, 16) != 0 {
            return Err(vm::take_exception(env));
        }
        let defined = define_in_frame(env, known, types, above, stub);
        let thrown = jni!(env, PopLocalFrame, vm::take_exception(env));
        match defined {
            Some(class) => Ok(class),
            None if thrown.is_null() => Err(error(env, "no class can be written for it")),
            None => Err(thrown),
        }
    }
}

/// # Safety
/// `above` is a class, no exception is pending, and the caller has pushed a frame.
unsafe fn define_in_frame(
    env: Env,
    known: &Known,
    types: &Types,
    above: &Global,
    stub: &Stub,
) -> Option<Global> {
    let mut units = Vec::new();
    // SAFETY: the methods were looked up on the classes that they are called on; an exception ends it.
    unsafe {
        let modifiers = jni!(env, CallIntMethodA, above.get(), known.class_modifiers, std::ptr::null());
        if jni!(env, ExceptionCheck) {
            return None;
        }
        let (loader, name, package) = home(env, known, types, above.get(), modifiers, &mut units)?;
        // The name is the same in every worker, because snapshots and digests show it.
        let mut hasher = FxHasher::default();
        hasher.write(format!("{name} {stub}").as_bytes());
        let simple = name.rsplit(['/', '$']).next().unwrap_or_default();
        let own_name = format!("{package}Adit{simple}{:08x}", hasher.finish() as u32);
        let is_interface = modifiers & INTERFACE != 0;
        let bytes = stub.class_file(&own_name, &name, is_interface)?;
        if let Some(class) = define_class(env, loader, &own_name, &bytes) {
            return Some(class);
        }
        // A loader of the JDK, which stays when each script loads the subject anew, has the class already.
        let refused = vm::take_exception(env);
        let found = find_in(env, known, loader, &own_name);
        if found.is_none() {
            jni!(env, ExceptionClear);
            jni!(env, Throw, refused);
        }
        found
    }
}

/// A class that the loader has.
///
/// # Safety
/// `loader` is a live reference to a loader, and no exception is pending.
unsafe fn find_in(env: Env, known: &Known, loader: jobject, name: &str) -> Option<Global> {
    let units: Vec<u16> = name.replace('/', ".").encode_utf16().collect();
    let length = units.len().try_into().ok()?;
    // SAFETY: the arguments are those of `Class.forName`; an exception ends it.
    unsafe {
        let text = jni!(env, NewString, units.as_ptr(), length);
        if text.is_null() {
            return None;
        }
        let arguments = [jvalue { l: text }, jvalue { z: true }, jvalue { l: loader }];
        let class = jni!(env, CallStaticObjectMethodA, known.class.get(), known.for_name, arguments.as_ptr());
        if jni!(env, ExceptionCheck) { None } else { Global::of_local(env, class) }
    }
}
