//! The launcher of an adapter: enters the sandbox, and then runs a command in it.
//!
//! It is adit's own binary, started again. Two processes result: the first waits, and ends as the second
//! does; the second is in the sandbox and becomes the command. Killing the first kills the second, and with
//! it everything that the command started.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::sandbox::{Forked, MemoryLimits, Sandbox, enter_with_programs};

/// Memory of an adapter: the size of its folder, and two gigabytes of address space beside those that every
/// worker has.
const LIMITS: MemoryLimits = MemoryLimits { box_megabytes: 256, heap_megabytes: 2048 };

/// Exit code of a launcher that could not begin.
const NOT_BEGUN: u8 = 125;

/// Arguments for [`main`] that run `command` with the shell, in a sandbox whose folder is `folder`. It must
/// exist; several launchers may share it, because each has a file system of its own there.
pub fn arguments(sandbox: Sandbox, folder: PathBuf, command: &str) -> [OsString; 3] {
    let policy = match sandbox {
        Sandbox::Required => "required",
        Sandbox::Unsafe => "unsafe",
    };
    [policy.into(), folder.into(), command.into()]
}

/// Runs a launcher from start to exit. The process must have one thread.
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    match run(arguments) {
        Ok(code) => code,
        Err(error) => {
            // Standard error of an adapter is shown to the user when it fails.
            let _ = writeln!(io::stderr(), "adit cannot start the adapter: {error}");
            ExitCode::from(NOT_BEGUN)
        }
    }
}

fn run(mut arguments: impl Iterator<Item = OsString>) -> io::Result<ExitCode> {
    let (Some(policy), Some(folder), Some(command)) = (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    match enter_with_programs(&PathBuf::from(folder), LIMITS)? {
        Forked::Parent(child) => wait(child),
        Forked::Child(protection) => {
            if policy != "unsafe" && !protection.is_enough() {
                let missing = protection.missing().join(" and from ");
                let notes = protection.notes.join("; ");
                return Err(io::Error::other(format!(
                    "the sandbox cannot prevent it from {missing} ({notes})"
                )));
            }
            // Returns only if there is no shell.
            Err(Command::new("/bin/sh").arg("-c").arg(command).exec())
        }
    }
}

/// Waits for the end of a process, and ends as it ended.
fn wait(child: libc::pid_t) -> io::Result<ExitCode> {
    let mut status = 0;
    loop {
        // SAFETY: the call fills in the number that it is given.
        let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
        if ended == child {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    if libc::WIFSIGNALED(status) {
        // So that adit sees the signal, and not a number that might be an exit code.
        // SAFETY: calls with integer arguments; the default action of the signal ends this process.
        unsafe {
            libc::signal(libc::WTERMSIG(status), libc::SIG_DFL);
            libc::raise(libc::WTERMSIG(status));
        }
    }
    Ok(ExitCode::from(u8::try_from(libc::WEXITSTATUS(status)).unwrap_or(NOT_BEGUN)))
}
