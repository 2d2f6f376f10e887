//! Summaries of a few methods and fields of the JDK whose effects their code does not show.

use crate::abstraction::{Origins, Summary};
use crate::effects::{Holder, Place, What};
use crate::program::MethodId;

/// Native methods that write nothing and return a number or nothing.
const NUMBERS: &[(&str, &str)] = &[
    ("java/lang/Object", "hashCode"),
    ("java/lang/System", "identityHashCode"),
    ("java/lang/System", "currentTimeMillis"),
    ("java/lang/System", "nanoTime"),
    ("java/lang/Class", "desiredAssertionStatus0"),
    ("java/lang/Class", "getModifiers"),
    ("java/lang/Class", "isArray"),
    ("java/lang/Class", "isAssignableFrom"),
    ("java/lang/Class", "isHidden"),
    ("java/lang/Class", "isInstance"),
    ("java/lang/Class", "isInterface"),
    ("java/lang/Class", "isPrimitive"),
    ("java/lang/Float", "floatToRawIntBits"),
    ("java/lang/Float", "intBitsToFloat"),
    ("java/lang/Double", "doubleToRawLongBits"),
    ("java/lang/Double", "longBitsToDouble"),
    ("java/lang/reflect/Array", "getLength"),
];

/// Native methods that write nothing and return an object that existed before.
const OLD_OBJECTS: &[(&str, &str)] = &[
    ("java/lang/Object", "getClass"),
    ("java/lang/Class", "getPrimitiveClass"),
    ("java/lang/Class", "getSuperclass"),
    ("java/lang/String", "intern"),
    ("java/lang/Thread", "currentThread"),
];

/// Fields that cache a computed value, so writing them cannot be observed.
const CACHES: &[(&str, &str)] = &[("java/lang/String", "hash"), ("java/lang/String", "hashIsZero")];

/// Returns the summary of a method, if it is one of the known ones.
pub(crate) fn summary(id: &MethodId) -> Option<Summary> {
    let key = (&*id.class, &*id.name);
    if NUMBERS.contains(&key) {
        return Some(Summary::harmless(Origins::NONE));
    }
    if OLD_OBJECTS.contains(&key) {
        return Some(Summary::harmless(Origins::ELSEWHERE));
    }
    let mut summary = Summary::harmless(Origins::NONE);
    if is_exception_constructor(id) {
        // The new exception holds its message and its cause. Its stack trace is nobody's field.
        summary.link(Origins::THIS, Origins::ARGUMENT);
        return Some(summary);
    }
    let elements = |holder| Place { holder, what: What::Elements };
    match key {
        // A copy of the receiver, which holds what the receiver holds; its fields are read.
        ("java/lang/Object", "clone") => {
            summary.returns = Origins::FRESH;
            summary.link(Origins::FRESH, Origins::INSIDE);
            summary.reads.insert(elements(Holder::This));
            summary.reads.insert(Place { holder: Holder::This, what: What::AllFields });
        }
        ("java/lang/System", "arraycopy") => {
            summary.link(Origins::ARGUMENT, Origins::ARGUMENT);
            summary.reads.insert(elements(Holder::Argument));
            summary.writes.insert(elements(Holder::Argument));
        }
        ("java/lang/reflect/Array", "newArray") => summary.returns = Origins::FRESH,
        ("java/lang/Throwable", "fillInStackTrace") if &*id.descriptor == "(I)Ljava/lang/Throwable;" => {
            summary.returns = Origins::THIS;
            let what = What::Field { class: id.class.clone(), name: "backtrace".into() };
            summary.writes.insert(Place { holder: Holder::This, what });
        }
        _ => return None,
    }
    Some(summary)
}

/// Returns true for constructors of the platform's exceptions, recognized by their names: they record what
/// they are given, and where they are.
fn is_exception_constructor(id: &MethodId) -> bool {
    let is_exception = ["Exception", "Error"].iter().any(|end| id.class.ends_with(end));
    &*id.name == "<init>"
        && is_exception
        && ["java/lang/", "java/util/", "java/io/"]
            .iter()
            .any(|package| id.class.strip_prefix(package).is_some_and(|simple| !simple.contains('/')))
}

/// Returns true if writing the field cannot be observed.
pub(crate) fn is_cache(class: &str, field: &str) -> bool {
    CACHES.contains(&(class, field))
}
