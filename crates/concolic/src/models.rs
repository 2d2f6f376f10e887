//! Methods of the platform that are not interpreted but modeled: natives, strings and exceptions.

use adit_bytecode::{Flags, Method};

use crate::raw_memory::RawKind;

/// The model of a method of the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// It does nothing that a component can notice, and returns nothing.
    Nothing,
    /// It returns its receiver.
    Receiver,
    /// `Class.desiredAssertionStatus`: assertions are on.
    AssertionsOn,
    /// `System.arraycopy`.
    ArrayCopy,
    /// `Object.clone`.
    Clone,
    /// A number whose bits are read as another type.
    SameBits,
    /// `Float.floatToRawIntBits`: the same bits, but an `int` is sign-extended.
    FloatToInt,
    /// `Math.sqrt`, which is exact in IEEE 754.
    SquareRoot,
    /// `Object.getClass`.
    ClassOf,
    /// A question about the virtual machine whose answer is no, or zero.
    No,
    /// The same, for an answer of two words.
    NoWide,
    /// A property of the virtual machine that is not set.
    Null,
    /// The offset of the first element of an array.
    FirstElement,
    /// The distance of two elements of an array.
    ElementDistance,
    /// The offset of a field.
    FieldOffset,
    /// A read or write by object and offset.
    Raw(RawAccess),
    /// `Thread.currentThread`.
    CurrentThread,
    /// A text about its arguments, whose characters are not represented.
    FreshText,
    /// The exception for an index that is out of bounds, if its class is the usual one.
    OutOfBounds,
    /// `Class.getPrimitiveClass`.
    PrimitiveClass,
    /// `String.length`.
    TextLength,
    /// `String.isEmpty`.
    TextIsEmpty,
    /// `String.equals`.
    TextEquals,
    /// `String.hashCode`.
    TextHash,
    /// `String.charAt`.
    TextCharAt,
    /// A method of strings that is not modeled: their characters are not represented.
    Text,
    /// Something about an object that differs between runs, such as its identity hash code.
    Unstable,
}

/// An access to memory by object and offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawAccess {
    pub(crate) access: Access,
    pub(crate) kind: RawKind,
}

/// The kinds of such accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Get,
    Put,
    CompareAndSet,
    CompareAndExchange,
}

impl RawAccess {
    /// The access of a method of `Unsafe`: `getInt`, `putReferenceVolatile`, `compareAndSetLong`.
    fn named(name: &str) -> Option<RawAccess> {
        let ways = [
            ("get", Access::Get),
            ("put", Access::Put),
            ("compareAndSet", Access::CompareAndSet),
            ("compareAndExchange", Access::CompareAndExchange),
        ];
        let (access, rest) =
            ways.iter().find_map(|(prefix, access)| Some((*access, name.strip_prefix(prefix)?)))?;
        let kind = RawKind::named(rest.strip_suffix("Volatile").unwrap_or(rest))?;
        Some(RawAccess { access, kind })
    }

    /// Slots of the arguments, the receiver included, and of the result.
    fn slots(self) -> (usize, usize) {
        let value = self.kind.kind().slots();
        match self.access {
            Access::Get => (4, value),
            Access::Put => (4 + value, 0),
            Access::CompareAndSet => (4 + 2 * value, 1),
            Access::CompareAndExchange => (4 + 2 * value, value),
        }
    }
}

impl Model {
    /// Slots of the arguments, the receiver included, and of the result; `None` if the model works with any.
    fn slots(self) -> (Option<usize>, Option<usize>) {
        match self {
            Model::Nothing => (None, Some(0)),
            Model::Receiver => (None, Some(1)),
            Model::AssertionsOn
            | Model::Clone
            | Model::FloatToInt
            | Model::PrimitiveClass
            | Model::ClassOf
            | Model::TextLength
            | Model::TextIsEmpty
            | Model::TextHash => (Some(1), Some(1)),
            Model::TextEquals | Model::TextCharAt => (Some(2), Some(1)),
            Model::No | Model::CurrentThread => (Some(0), Some(1)),
            Model::NoWide => (Some(0), Some(2)),
            Model::Null => (None, Some(1)),
            Model::FirstElement | Model::ElementDistance => (Some(2), Some(1)),
            Model::FieldOffset => (Some(3), Some(2)),
            Model::Raw(access) => {
                let (arguments, results) = access.slots();
                (Some(arguments), Some(results))
            }
            Model::FreshText | Model::OutOfBounds => (None, Some(1)),
            Model::SquareRoot => (Some(2), Some(2)),
            Model::ArrayCopy => (Some(5), Some(0)),
            Model::SameBits | Model::Text | Model::Unstable => (None, None),
        }
    }
}

/// Returns the model of a method, if it has one. `of_exception` says that its class is an exception of the
/// platform.
pub(crate) fn model(class: &str, method: &Method, of_exception: bool) -> Option<Model> {
    let signature = method.signature();
    let given = signature.slots() + usize::from(!method.is_static());
    let result = signature.result.as_ref().map_or(0, adit_bytecode::Type::slots);
    // A class that only pretends to be one of the platform may have anything.
    named(class, method, of_exception).filter(|&model| {
        let (arguments, results) = model.slots();
        let same = model != Model::SameBits || given == result;
        let receives = model != Model::Receiver || !method.is_static();
        arguments.is_none_or(|slots| slots == given)
            && results.is_none_or(|slots| slots == result)
            && same
            && receives
    })
}

fn named(class: &str, method: &Method, of_exception: bool) -> Option<Model> {
    let name = &*method.name;
    if of_exception {
        return match name {
            "<init>" | "addSuppressed" | "setStackTrace" => Some(Model::Nothing),
            "fillInStackTrace" | "initCause" => Some(Model::Receiver),
            _ => None,
        };
    }
    Some(match (class, name) {
        (_, "registerNatives" | "initIDs") if method.flags.has(Flags::NATIVE) => Model::Nothing,
        ("java/lang/Object", "<init>") => Model::Nothing,
        ("java/lang/Object", "hashCode") | ("java/lang/System", "identityHashCode" | "nanoTime") => {
            Model::Unstable
        }
        ("java/lang/System", "currentTimeMillis") => Model::Unstable,
        ("java/lang/Object", "getClass") => Model::ClassOf,
        // Archives of classes are a matter of the virtual machine, and our machines have the usual byte
        // order.
        ("jdk/internal/misc/CDS", name) if name.starts_with("is") && method.is_static() => Model::No,
        ("jdk/internal/misc/CDS", "initializeFromArchive") | ("jdk/internal/misc/VM", "initialize") => {
            Model::Nothing
        }
        ("jdk/internal/misc/VM", "getSavedProperty") => Model::Null,
        ("jdk/internal/misc/CDS", "getRandomSeedForDumping") => Model::NoWide,
        ("java/util/concurrent/atomic/AtomicLong", "VMSupportsCS8") => Model::No,
        ("jdk/internal/misc/Unsafe", "arrayBaseOffset0") => Model::FirstElement,
        ("jdk/internal/misc/Unsafe", "arrayIndexScale0") => Model::ElementDistance,
        ("jdk/internal/misc/Unsafe", "objectFieldOffset1") => Model::FieldOffset,
        ("jdk/internal/misc/Unsafe", "loadFence" | "storeFence" | "fullFence" | "unpark") => Model::Nothing,
        ("jdk/internal/misc/Unsafe", name) if method.flags.has(Flags::NATIVE) => {
            Model::Raw(RawAccess::named(name)?)
        }
        ("java/lang/Thread", "currentThread") => Model::CurrentThread,
        (
            "jdk/internal/util/Preconditions",
            "outOfBoundsCheckIndex" | "outOfBoundsCheckFromToIndex" | "outOfBoundsCheckFromIndexSize",
        ) => Model::OutOfBounds,
        ("java/lang/Class", "getName" | "getSimpleName" | "getTypeName") => Model::FreshText,
        ("java/lang/Integer" | "java/lang/Long", "toString" | "toHexString") if is_of_number(method) => {
            Model::FreshText
        }
        ("java/lang/String", "valueOf") if is_of_number(method) => Model::FreshText,
        ("java/lang/StringUTF16", "isBigEndian") => Model::No,
        ("java/lang/Object", "clone") => Model::Clone,
        ("java/lang/Class", "desiredAssertionStatus") => Model::AssertionsOn,
        ("java/lang/Class", "getPrimitiveClass") => Model::PrimitiveClass,
        ("java/lang/System", "arraycopy") => Model::ArrayCopy,
        ("java/lang/Float", "floatToRawIntBits") => Model::FloatToInt,
        ("java/lang/Float", "intBitsToFloat")
        | ("java/lang/Double", "doubleToRawLongBits" | "longBitsToDouble") => Model::SameBits,
        ("java/lang/Math" | "java/lang/StrictMath", "sqrt") => Model::SquareRoot,
        ("java/lang/String", _) if method.is_static() || name == "<init>" => return None,
        ("java/lang/String", "length") => Model::TextLength,
        ("java/lang/String", "isEmpty") => Model::TextIsEmpty,
        ("java/lang/String", "equals") => Model::TextEquals,
        ("java/lang/String", "hashCode") => Model::TextHash,
        ("java/lang/String", "charAt") => Model::TextCharAt,
        ("java/lang/String", "toString" | "intern") => Model::Receiver,
        ("java/lang/String", _) => Model::Text,
        _ => return None,
    })
}

/// True for a static method of one number or truth value.
fn is_of_number(method: &Method) -> bool {
    let parameters = method.signature().parameters;
    method.is_static() && matches!(&parameters[..], [only] if !only.is_reference())
}

/// Java's `String.hashCode`.
pub(crate) fn text_hash(text: &str) -> i32 {
    text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// Java's `String.length`.
pub(crate) fn text_length(text: &str) -> i32 {
    i32::try_from(text.encode_utf16().count()).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_count_as_java_counts_them() {
        // Values that `jshell` prints.
        assert_eq!(text_hash("hello"), 99_162_322);
        assert_eq!(text_hash(""), 0);
        assert_eq!(text_length("a😀"), 3);
    }
}
