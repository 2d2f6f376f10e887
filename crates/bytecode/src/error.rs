//! Why a class could not be read. Each variant says where, and what would fix it.

use miette::Diagnostic;
use thiserror::Error;

use crate::version::{NEWEST, java};

/// Why a class, or a place where classes are kept, could not be read.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum ClassError {
    /// The bytes do not begin as a class file does.
    #[error("{file} is not a class file: it begins with {found}, not with CA FE BA BE")]
    #[diagnostic(
        code(bytecode::not_a_class),
        help("compile source files with `javac`; add a jar to the class path")
    )]
    NotAClass {
        /// What the bytes are called.
        file: String,
        /// The first bytes, in hexadecimal.
        found: String,
    },
    /// The bytes end too early.
    #[error("{file} is cut off: it ends at byte {length} in the middle of {what}")]
    #[diagnostic(code(bytecode::truncated), help("compile or copy it again"))]
    Truncated {
        /// What the bytes are called.
        file: String,
        /// How many bytes there are.
        length: usize,
        /// What was being read.
        what: &'static str,
    },
    /// The class was compiled for a Java that is not known here.
    #[error(
        "{file} was compiled for Java {} (class file version {major}); adit reads classes up to Java {} (version {NEWEST})",
        java(*.major), java(NEWEST)
    )]
    #[diagnostic(
        code(bytecode::newer_version),
        help("compile it with `javac --release {}`, or use a newer adit", java(NEWEST))
    )]
    NewerVersion {
        /// What the bytes are called.
        file: String,
        /// The major version that the class file states.
        major: u16,
    },
    /// The bytes contradict the class file format.
    #[error("{file} is not a well-formed class file: {what} at byte {at}")]
    #[diagnostic(
        code(bytecode::malformed),
        help("check it with `javap -v`; did an obfuscator or a faulty tool change it?")
    )]
    Malformed {
        /// What the bytes are called.
        file: String,
        /// Where the contradiction was seen.
        at: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// A jar that cannot be read as a zip file.
    #[error("{file} cannot be read as a jar: {reason}")]
    #[diagnostic(
        code(bytecode::not_a_jar),
        help("a jar is a zip file; `jar tf {file}` should list it. Was the download cut off?")
    )]
    NotAJar {
        /// What the bytes are called.
        file: String,
        /// What the reader of zip files found.
        reason: String,
    },
    /// A file that should hold the modules of a JDK and does not.
    #[error("{file} cannot be read as the modules of a JDK: {reason}")]
    #[diagnostic(
        code(bytecode::not_an_image),
        help("since Java 9 the file is `lib/modules`; an older JDK keeps its classes in `jre/lib/rt.jar`")
    )]
    NotAnImage {
        /// What the bytes are called.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// An entry of a jar or of a JDK's modules that cannot be read.
    #[error("{entry} in {file} cannot be read: {reason}")]
    #[diagnostic(
        code(bytecode::unreadable_entry),
        help("the file may be damaged: build or download it again")
    )]
    UnreadableEntry {
        /// The file that holds the entry.
        file: String,
        /// The entry.
        entry: String,
        /// What went wrong.
        reason: String,
    },
    /// A class that no source has.
    #[error("no class {name} on the class path{}", searched(.sources))]
    #[diagnostic(code(bytecode::unknown_class), help("{}", meant(.near)))]
    UnknownClass {
        /// The name as it was asked for, with dots.
        name: String,
        /// Classes with similar names, nearest first, with dots.
        near: Vec<String>,
        /// Where was looked.
        sources: Vec<String>,
    },
    /// A class was found under a name that is not its own.
    #[error("{file} holds the class {found}, not {name}")]
    #[diagnostic(
        code(bytecode::other_class),
        help("a class must be in the folder of its package: is the root of the class path right?")
    )]
    OtherClass {
        /// Where it was found.
        file: String,
        /// The class that was looked for, with dots.
        name: String,
        /// The class that was found, with dots.
        found: String,
    },
}

fn searched(sources: &[String]) -> String {
    if sources.is_empty() { " (which is empty)".to_owned() } else { format!(" ({})", sources.join(", ")) }
}

fn meant(near: &[String]) -> String {
    match near {
        [] => "write the name with its package, as in `java.util.HashSet`, and check that the class path has its jar or folder".to_owned(),
        [only] => format!("did you mean `{only}`?"),
        many => format!("did you mean one of `{}`?", many.join("`, `")),
    }
}
