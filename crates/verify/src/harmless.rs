//! Calls of the Java library that neither change objects that a client holds nor call back into it.
//!
//! Everything else is taken to do both. The list holds what appears between the calls of nearly every
//! protocol: texts, numbers, printing, and collections that store a reference without using it. Printing and
//! hashing call `toString`, `hashCode` and `equals` of their arguments, which are taken to change no
//! typestate.

/// The effect of a call on its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// None at all.
    Nothing,
    /// The arguments are stored where other code may find them, and are not used before that.
    Stores,
    /// Anything may happen.
    Unknown,
}

/// Classes whose methods only look at their receiver and arguments.
const INERT: [&str; 30] = [
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Class",
    "java/lang/Double",
    "java/lang/Enum",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Math",
    "java/lang/Number",
    "java/lang/Short",
    "java/lang/StrictMath",
    "java/lang/String",
    "java/lang/StringBuffer",
    "java/lang/StringBuilder",
    "java/lang/Throwable",
    "java/lang/Exception",
    "java/lang/RuntimeException",
    "java/lang/IllegalStateException",
    "java/lang/IllegalArgumentException",
    "java/lang/AssertionError",
    "java/io/IOException",
    "java/io/PrintStream",
    "java/util/NoSuchElementException",
    "java/util/concurrent/TimeUnit",
    "java/math/BigDecimal",
    "java/math/BigInteger",
    "java/util/Locale",
    "java/util/UUID",
];

/// Methods of the collections of `java.util` that store or find references, or make an iterator or a view.
const STORING: [&str; 29] = [
    "<init>",
    "add",
    "addFirst",
    "addLast",
    "addElement",
    "contains",
    "containsKey",
    "containsValue",
    "entrySet",
    "get",
    "getFirst",
    "getLast",
    "indexOf",
    "isEmpty",
    "iterator",
    "keySet",
    "listIterator",
    "offer",
    "peek",
    "poll",
    "pop",
    "push",
    "put",
    "putIfAbsent",
    "remove",
    "set",
    "size",
    "values",
    "clear",
];

/// The collections.
const COLLECTIONS: [&str; 22] = [
    "java/util/ArrayDeque",
    "java/util/ArrayList",
    "java/util/Collection",
    "java/util/Deque",
    "java/util/HashMap",
    "java/util/HashSet",
    "java/util/Hashtable",
    "java/util/IdentityHashMap",
    "java/util/LinkedHashMap",
    "java/util/LinkedHashSet",
    "java/util/LinkedList",
    "java/util/List",
    "java/util/Map",
    "java/util/Map$Entry",
    "java/util/Queue",
    "java/util/Set",
    "java/util/SortedMap",
    "java/util/SortedSet",
    "java/util/Stack",
    "java/util/TreeMap",
    "java/util/TreeSet",
    "java/util/Vector",
];

/// Static methods that are harmless though their class is not.
const STATICS: [(&str, &str); 12] = [
    ("java/lang/System", "currentTimeMillis"),
    ("java/lang/System", "nanoTime"),
    ("java/lang/System", "arraycopy"),
    ("java/lang/System", "lineSeparator"),
    ("java/lang/System", "identityHashCode"),
    ("java/util/Objects", "requireNonNull"),
    ("java/util/Objects", "equals"),
    ("java/util/Objects", "hash"),
    ("java/util/Objects", "isNull"),
    ("java/util/Objects", "nonNull"),
    ("java/util/Arrays", "asList"),
    ("java/util/Arrays", "fill"),
];

/// The effect of a call of a method of the Java library.
pub(crate) fn effect(class: &str, name: &str) -> Effect {
    if COLLECTIONS.binary_search(&class).is_ok() {
        return if STORING.contains(&name) { Effect::Stores } else { Effect::Unknown };
    }
    if INERT.contains(&class) || STATICS.contains(&(class, name)) {
        // `asList` and the causes of exceptions keep their arguments.
        let keeps = matches!(name, "asList" | "<init>" | "initCause" | "addSuppressed");
        return if keeps { Effect::Stores } else { Effect::Nothing };
    }
    if class == "java/lang/Object" && is_object_method(name) {
        return Effect::Nothing;
    }
    Effect::Unknown
}

/// Methods of `Object`, which change no typestate.
pub(crate) fn is_object_method(name: &str) -> bool {
    matches!(name, "<init>" | "equals" | "hashCode" | "toString" | "getClass" | "notify" | "notifyAll")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_collections_are_sorted() {
        assert!(COLLECTIONS.is_sorted());
    }

    #[test]
    fn only_known_calls_are_harmless() {
        assert_eq!(effect("java/lang/String", "length"), Effect::Nothing);
        assert_eq!(effect("java/util/List", "add"), Effect::Stores);
        assert_eq!(effect("java/util/List", "forEach"), Effect::Unknown);
        assert_eq!(effect("java/lang/Throwable", "addSuppressed"), Effect::Stores);
        assert_eq!(effect("com/acme/Log", "info"), Effect::Unknown);
    }
}
