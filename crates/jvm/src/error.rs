//! Failures of the host itself. Failures of a single script are reported in its run.

use std::io;

use adit_bytecode::ClassError;
use miette::Diagnostic;
use thiserror::Error;

use crate::classes::ClassesError;
use crate::sandbox::Protection;

/// Failure of the host to run scripts.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum HostError {
    /// The operating system refused what a worker needs: a process, a socket, memory, a folder.
    #[error("cannot start a worker: {what}: {source}")]
    #[diagnostic(
        code(jvm::start),
        help("check the free disk space and the limits on processes and open files (`ulimit -a`)")
    )]
    Start {
        /// The attempted action.
        what: &'static str,
        /// Message of the operating system.
        source: io::Error,
    },
    /// The kernel cannot shut workers in, and the caller did not allow to go on without.
    #[error("the sandbox cannot prevent workers from {}", .0.missing().join(" and from "))]
    #[diagnostic(
        code(jvm::no_sandbox),
        help(
            "use Linux 6.2 or later with Landlock and unprivileged user namespaces \
             (`sysctl kernel.unprivileged_userns_clone user.max_user_namespaces \
             kernel.apparmor_restrict_unprivileged_userns`); for code that you trust, run it without a sandbox"
        )
    )]
    Unprotected(Protection),
    /// HotSpot could not be created.
    #[error("the JVM does not start: {0}")]
    #[diagnostic(
        code(jvm::create),
        help("does `java -version` of the same JDK work, and is there enough memory?")
    )]
    Machine(String),
    /// Workers die before they run anything.
    #[error("{tries} workers in a row exited before they ran a script; the last one {how}")]
    #[diagnostic(
        code(jvm::unstable),
        help("does `java -version` of the same JDK work, and is there enough memory?")
    )]
    Unstable {
        /// Number of workers.
        tries: u32,
        /// End of the last one.
        how: String,
    },
    /// An entry of the class path cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Classes(#[from] ClassesError),
    /// A script is too large to be sent.
    #[error("script {index} needs {bytes} bytes; a message holds at most {most}")]
    #[diagnostic(code(jvm::script_size), help("shorten its strings"))]
    Script {
        /// Its place in the batch.
        index: usize,
        /// Its size.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// A script has arguments within arguments without end.
    #[error("script {index} has arrays and functions nested deeper than {most}")]
    #[diagnostic(code(jvm::script_depth), help("create the inner ones in separate statements"))]
    Nested {
        /// Its place in the batch.
        index: usize,
        /// The limit.
        most: usize,
    },
    /// A class cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Class(#[from] ClassError),
    /// The task whose calls should be recorded could not be begun.
    #[error("{0}")]
    #[diagnostic(
        code(jvm::task),
        help("add the missing classes to the class path; tests need JUnit 4, or JUnit 5 with its launcher")
    )]
    Task(String),
}
