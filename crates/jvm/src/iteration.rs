//! Order of immutable collections: where iterating over the elements of `Set.of` and `Map.of` begins, and in
//! which direction it goes, depends on the time at which the machine was started. So one script can have
//! different results in two workers, and of two equal objects that were filled from such a collection, one
//! seems to hold what the other lacks.
//!
//! A number takes the place of the time. Where elements are stored and found does not depend on it.

use std::ffi::CStr;

use jni_sys::{JNI_FALSE, JNI_TRUE};

use crate::jni;
use crate::known::find_class;
use crate::vm::Env;

/// Sets the order that belongs to a number. A JDK without such an order stays as it is.
pub(crate) fn set(env: Env, number: u32) {
    let class = match find_class(env, "java/util/ImmutableCollections") {
        Ok(class) => class,
        // SAFETY: a local reference that is not used afterwards.
        Err(thrown) => return unsafe { jni!(env, DeleteLocalRef, thrown) },
    };
    // Any number will do that differs much from the next.
    let salt = number.wrapping_add(1).wrapping_mul(0x9e37_79b9);
    let reverse = if number.is_multiple_of(2) { JNI_FALSE } else { JNI_TRUE };
    // SAFETY: the class is a live reference; each field is set by its own type, as found; what is thrown if a
    // field is missing is taken away.
    unsafe {
        let field = |name: &CStr, descriptor: &CStr| {
            let id = jni!(env, GetStaticFieldID, class.get(), name.as_ptr(), descriptor.as_ptr());
            if id.is_null() {
                jni!(env, ExceptionClear);
            }
            (!id.is_null()).then_some(id)
        };
        if let Some(id) = field(c"SALT32L", c"J") {
            jni!(env, SetStaticLongField, class.get(), id, i64::from(salt));
        }
        // As it was until JDK 11.
        if let Some(id) = field(c"SALT", c"I") {
            jni!(env, SetStaticIntField, class.get(), id, salt.cast_signed());
        }
        if let Some(id) = field(c"REVERSE", c"Z") {
            jni!(env, SetStaticBooleanField, class.get(), id, reverse);
        }
    }
}
