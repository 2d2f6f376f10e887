//! Methods of the platform that are not interpreted but modeled: natives, strings and exceptions.

use adit_bytecode::{Flags, Method};

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
    /// `Object.clone` of an array.
    CloneArray,
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

impl Model {
    /// Slots of the arguments, the receiver included, and of the result; `None` if the model works with any.
    fn slots(self) -> (Option<usize>, Option<usize>) {
        match self {
            Model::Nothing => (None, Some(0)),
            Model::Receiver => (None, Some(1)),
            Model::AssertionsOn
            | Model::CloneArray
            | Model::FloatToInt
            | Model::PrimitiveClass
            | Model::ClassOf
            | Model::TextLength
            | Model::TextIsEmpty
            | Model::TextHash => (Some(1), Some(1)),
            Model::TextEquals | Model::TextCharAt => (Some(2), Some(1)),
            Model::No => (Some(0), Some(1)),
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
        ("java/lang/StringUTF16", "isBigEndian") => Model::No,
        ("java/lang/Object", "clone") => Model::CloneArray,
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
