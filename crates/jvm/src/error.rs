//! Why no script could be run at all. What a script does wrong is not here: it stands in its run.

use std::io;

use miette::Diagnostic;
use thiserror::Error;

use crate::sandbox::Protection;

/// Why the host cannot run scripts.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum HostError {
    /// The operating system refused what a worker needs: a process, a socket, memory, a folder.
    #[error("a worker cannot be started: {what}: {source}")]
    #[diagnostic(
        code(jvm::start),
        help("check the free space, the limits on processes and open files (`ulimit -a`)")
    )]
    Start {
        /// What was being done.
        what: &'static str,
        /// What the operating system says.
        source: io::Error,
    },
    /// The kernel cannot shut workers in, and the caller did not allow to go on without.
    #[error("workers cannot be kept from {}", .0.missing().join(" and from "))]
    #[diagnostic(
        code(jvm::no_sandbox),
        help(
            "Linux 6.2 with Landlock and unprivileged user namespaces is needed \
             (`sysctl kernel.unprivileged_userns_clone user.max_user_namespaces \
             kernel.apparmor_restrict_unprivileged_userns`); for code that you trust, allow it to run unprotected"
        )
    )]
    Unprotected(Protection),
    /// HotSpot could not be created.
    #[error("the virtual machine does not start: {0}")]
    #[diagnostic(
        code(jvm::create),
        help("does `java -version` of the same JDK work, and is there enough memory?")
    )]
    Machine(String),
    /// Workers die before they run anything.
    #[error("{tries} workers in a row ended before they ran a script; the last {how}")]
    #[diagnostic(
        code(jvm::unstable),
        help("does `java -version` of the same JDK work, and is there enough memory?")
    )]
    Unstable {
        /// How many.
        tries: u32,
        /// What became of the last.
        how: String,
    },
    /// A script is too large to be sent.
    #[error("script {index} needs {bytes} bytes, and a message has at most {most}")]
    #[diagnostic(code(jvm::script_size), help("shorten its strings"))]
    Script {
        /// Its place in the batch.
        index: usize,
        /// Its size.
        bytes: usize,
        /// The limit.
        most: usize,
    },
}
