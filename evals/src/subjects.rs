//! The eleven classes of the DICE and DSM papers: names, constructors, and which methods have no side effect.

/// A benchmark class.
pub(crate) struct Subject {
    /// Name in the data files.
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

/// Classes of the JDK for campaigns. Those that wait for others come first: what they do not use of their
/// share of the scripts falls to those after them.
pub(crate) const JDK_CLASSES: [&str; 50] = [
    // Concurrency.
    "java.util.concurrent.Semaphore",
    "java.util.concurrent.CountDownLatch",
    "java.util.concurrent.ArrayBlockingQueue",
    "java.util.concurrent.CompletableFuture",
    "java.util.concurrent.Phaser",
    "java.util.concurrent.ThreadPoolExecutor",
    "java.util.concurrent.locks.ReentrantReadWriteLock",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.ConcurrentSkipListMap",
    "java.util.concurrent.atomic.AtomicInteger",
    "java.util.Timer",
    // Networks, without hosts.
    "java.net.ServerSocket",
    "java.net.DatagramSocket",
    "java.net.URI",
    // Streams.
    "java.io.PipedInputStream",
    "java.io.PushbackInputStream",
    "java.io.BufferedReader",
    "java.io.ByteArrayOutputStream",
    "java.io.ObjectOutputStream",
    "java.io.PrintWriter",
    "java.io.StreamTokenizer",
    "java.nio.ByteBuffer",
    "java.util.stream.Stream",
    "java.util.Scanner",
    // Collections.
    "java.util.ArrayList",
    "java.util.LinkedList",
    "java.util.ArrayDeque",
    "java.util.PriorityQueue",
    "java.util.LinkedHashMap",
    "java.util.TreeMap",
    "java.util.WeakHashMap",
    "java.util.BitSet",
    "java.util.Stack",
    // Text, and patterns in it.
    "java.lang.StringBuilder",
    "java.util.StringTokenizer",
    "java.util.Formatter",
    "java.text.SimpleDateFormat",
    "java.text.DecimalFormat",
    "java.text.MessageFormat",
    "java.util.regex.Matcher",
    // Time.
    "java.time.LocalDate",
    "java.time.ZonedDateTime",
    "java.util.GregorianCalendar",
    // Secrets.
    "java.security.MessageDigest",
    "java.security.Signature",
    "javax.crypto.Cipher",
    "javax.crypto.Mac",
    // Compression.
    "java.util.zip.Deflater",
    "java.util.zip.Inflater",
    "java.util.zip.ZipOutputStream",
];
