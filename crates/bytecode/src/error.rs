//! Errors of reading and rewriting classes. Each variant says where, and what would fix it.

use miette::Diagnostic;
use thiserror::Error;

use crate::layout::ADDED;
use crate::version::{NEWEST, java};

/// Failure to read a class, or a source of classes.
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
        /// Name of the file.
        file: String,
        /// The first bytes, in hexadecimal.
        found: String,
    },
    /// The bytes end too early.
    #[error("{file} is cut off: it ends at byte {length} in the middle of {what}")]
    #[diagnostic(code(bytecode::truncated), help("compile or copy it again"))]
    Truncated {
        /// Name of the file.
        file: String,
        /// Number of bytes in the file.
        length: usize,
        /// The part that was being read.
        what: &'static str,
    },
    /// The class was compiled for a Java release that this crate does not know.
    #[error(
        "{file} was compiled for Java {} (class file version {major}); adit reads classes up to Java {} (version {NEWEST})",
        java(*.major), java(NEWEST)
    )]
    #[diagnostic(
        code(bytecode::newer_version),
        help("compile it with `javac --release {}`, or use a newer adit", java(NEWEST))
    )]
    NewerVersion {
        /// Name of the file.
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
        /// Name of the file.
        file: String,
        /// Offset of the contradiction.
        at: usize,
        /// Description of the contradiction.
        what: &'static str,
    },
    /// A jar that cannot be read as a zip file.
    #[error("{file} cannot be read as a jar: {reason}")]
    #[diagnostic(
        code(bytecode::not_a_jar),
        help("a jar is a zip file; `jar tf {file}` should list it. Was the download cut off?")
    )]
    NotAJar {
        /// Name of the file.
        file: String,
        /// Message of the zip reader.
        reason: String,
    },
    /// A file that should contain the modules of a JDK but does not.
    #[error("{file} cannot be read as the modules of a JDK: {reason}")]
    #[diagnostic(
        code(bytecode::not_an_image),
        help("since Java 9 the file is `lib/modules`; an older JDK keeps its classes in `jre/lib/rt.jar`")
    )]
    NotAnImage {
        /// Name of the file.
        file: String,
        /// Description of the fault.
        reason: String,
    },
    /// An entry of a jar or of a JDK's modules that cannot be read.
    #[error("{entry} in {file} cannot be read: {reason}")]
    #[diagnostic(
        code(bytecode::unreadable_entry),
        help("the file may be damaged: build or download it again")
    )]
    UnreadableEntry {
        /// File that contains the entry.
        file: String,
        /// The entry.
        entry: String,
        /// Description of the failure.
        reason: String,
    },
    /// A class that is in no source.
    #[error("no class {name} on the class path{}", searched(.sources))]
    #[diagnostic(code(bytecode::unknown_class), help("{}", meant(.near)))]
    UnknownClass {
        /// The requested name, with dots.
        name: String,
        /// Classes with similar names, nearest first, with dots.
        near: Vec<String>,
        /// The searched sources.
        sources: Vec<String>,
    },
    /// A class was found under a name that is not its own.
    #[error("{file} contains the class {found}, not {name}")]
    #[diagnostic(
        code(bytecode::other_class),
        help("a class must be in the folder of its package: is the root of the class path right?")
    )]
    OtherClass {
        /// Place where it was found.
        file: String,
        /// The requested class, with dots.
        name: String,
        /// The class that was found, with dots.
        found: String,
    },
}

/// Failure to rewrite a class. The class can be used unchanged.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum RewriteError {
    /// The class cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Class(#[from] ClassError),
    /// Interfaces could not have static methods before Java 8.
    #[error("{file} is an interface from before Java 8, to which no method can be added")]
    #[diagnostic(
        code(bytecode::old_interface),
        help("its calls are not observed; compile it for Java 8 or later")
    )]
    OldInterface {
        /// Name of the file.
        file: String,
    },
    /// The implementation of method handles counts its own stack frames.
    #[error("{file} belongs to java.lang.invoke, whose classes cannot be changed")]
    #[diagnostic(code(bytecode::invoke_package), help("its calls are not observed"))]
    InvokePackage {
        /// Name of the file.
        file: String,
    },
    /// The class has a method named like those that rewriting adds.
    #[error("{file} was rewritten before: it already has a method `{ADDED}…`")]
    #[diagnostic(code(bytecode::already_rewritten), help("rewrite the original class instead"))]
    AlreadyRewritten {
        /// Name of the file.
        file: String,
    },
    /// A class file has at most 65,535 constants and methods.
    #[error("{file} is too large: nothing can be added to it")]
    #[diagnostic(code(bytecode::class_full), help("choose fewer of its calls"))]
    ClassFull {
        /// Name of the file.
        file: String,
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
