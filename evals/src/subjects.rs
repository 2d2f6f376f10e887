//! The eleven classes of the DICE and DSM papers: names, constructors, and which methods have no side effect.

/// A benchmark class.
pub(crate) struct Subject {
    /// As the data files are named.
    pub(crate) file: &'static str,
    /// The label of its constructor, for traces and models that write `<init>`.
    pub(crate) constructor: &'static str,
    /// The methods that leave the object as it was, by the JDK's documentation and source ("purity given").
    pub(crate) pure: &'static [&'static str],
}

/// All eleven, in the order of the papers' tables.
pub(crate) const SUBJECTS: &[Subject] = &[
    Subject {
        file: "arraylist",
        constructor: "ArrayList",
        pure: &[
            "clone",
            "contains",
            "get",
            "indexOf",
            "isEmpty",
            "iterator",
            "listIterator",
            "size",
            "toArray",
        ],
    },
    Subject {
        file: "hashmap",
        constructor: "HashMap",
        pure: &["containsKey", "entrySet", "get", "isEmpty", "keySet", "size", "values"],
    },
    Subject { file: "hashset", constructor: "HashSet", pure: &["contains", "isEmpty", "iterator", "size"] },
    Subject {
        file: "hashtable",
        constructor: "Hashtable",
        pure: &["clone", "contains", "containsKey", "elements", "get", "hashCode", "isEmpty", "keys", "size"],
    },
    Subject {
        file: "linkedlist",
        constructor: "LinkedList",
        pure: &["contains", "get", "isEmpty", "listIterator", "size", "toArray"],
    },
    Subject {
        file: "numberformatstringtokenizer",
        constructor: "NumberFormatStringTokenizer",
        pure: &["countTokens", "hasMoreTokens", "isLetterOrDigitAhead", "nextIsSep"],
    },
    Subject { file: "signature", constructor: "Signature", pure: &[] },
    Subject {
        file: "socket",
        constructor: "Socket",
        pure: &[
            "getInputStream",
            "getOutputStream",
            "getPort",
            "getReceiveBufferSize",
            "getRemoteSocketAddress",
            "getSendBufferSize",
            "isBound",
            "isClosed",
            "isConnected",
        ],
    },
    Subject { file: "stackar", constructor: "StackAr", pure: &["isEmpty", "isFull", "top"] },
    Subject {
        file: "stringtokenizer",
        constructor: "StringTokenizer",
        pure: &["countTokens", "hasMoreElements", "hasMoreTokens"],
    },
    Subject { file: "zipoutputstream", constructor: "ZipOutputStream", pure: &[] },
];
