//! System calls that a worker may no longer make: a small seccomp filter.
//!
//! Namespaces and Landlock leave gaps that this closes: starting processes, signals to processes of the same
//! user, sockets of families that no network namespace holds back (the files of local services, the virtual
//! machine's host), and calls through which other doors could be opened. The rest of what a Java program does
//! is not touched.

use std::io;

/// Kinds of processes that a filter is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A JVM, which starts no processes.
    Machine,
    /// An adapter, which may start some. A namespace for processes keeps their signals inside.
    Programs,
}

/// Forbids the calls for this process and all threads and processes that it will have. Needs `no_new_privs`,
/// which this sets.
pub(super) fn install(kind: Kind) -> io::Result<()> {
    // SAFETY: a call with integer arguments.
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let mut program = program(kind, std::process::id());
    let filter = libc::sock_fprog {
        len: program.len().try_into().map_err(|_| io::ErrorKind::InvalidInput)?,
        filter: program.as_mut_ptr(),
    };
    // SAFETY: the kernel copies the program during the call, and `program` lives until it returns.
    if unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the system call filter supports x86-64 and AArch64 only");

/// System calls for other programs, processes and signals, which no JVM needs.
const NOT_BY_MACHINES: &[libc::c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_tkill,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
];

/// System calls that no worker needs.
const NEVER: &[libc::c_long] = &[
    // The memory and files of other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    // Ways out of the namespaces, and a way to make calls that no filter sees.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_open_by_handle_at,
    libc::SYS_io_uring_setup,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
];

/// Flags of `clone` that make namespaces.
const NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;

/// Offsets in the data that the kernel passes to the filter: number of the call, architecture, low half of
/// the first argument. Both architectures above are little-endian.
const CALL: u32 = 0;
const MACHINE: u32 = 4;
const ARGUMENT: u32 = 16;

fn program(kind: Kind, own: u32) -> Vec<libc::sock_filter> {
    let mut program =
        vec![load(MACHINE), jump(libc::BPF_JEQ, ARCHITECTURE, 1, 0), refuse(libc::EPERM), load(CALL)];
    // On x86-64 the same calls exist a second time, for 32-bit pointers, under numbers from here on.
    program.extend([jump(libc::BPF_JGE, 0x4000_0000, 0, 1), refuse(libc::EPERM)]);
    let not_here = if kind == Kind::Machine { NOT_BY_MACHINES } else { &[] };
    for call in NEVER.iter().chain(not_here) {
        program.extend([jump(libc::BPF_JEQ, number(*call), 0, 1), refuse(libc::EPERM)]);
    }
    // Its arguments lie in memory that a filter cannot see. The C library falls back to `clone`.
    program.extend([jump(libc::BPF_JEQ, number(libc::SYS_clone3), 0, 1), refuse(libc::ENOSYS)]);
    match kind {
        // Threads are made, processes are not.
        Kind::Machine => program.extend([
            jump(libc::BPF_JEQ, number(libc::SYS_clone), 0, 4),
            load(ARGUMENT),
            jump(libc::BPF_JSET, libc::CLONE_THREAD as u32, 0, 1),
            allow(),
            refuse(libc::EPERM),
        ]),
        // Processes are made, namespaces are not.
        Kind::Programs => program.extend([
            jump(libc::BPF_JEQ, number(libc::SYS_clone), 0, 4),
            load(ARGUMENT),
            jump(libc::BPF_JSET, NAMESPACES, 0, 1),
            refuse(libc::EPERM),
            allow(),
        ]),
    }
    // Only these families of sockets are bound to the network namespace or harmless.
    program.extend([
        jump(libc::BPF_JEQ, number(libc::SYS_socket), 0, 6),
        load(ARGUMENT),
        jump(libc::BPF_JEQ, libc::AF_INET as u32, 2, 0),
        jump(libc::BPF_JEQ, libc::AF_INET6 as u32, 1, 0),
        jump(libc::BPF_JEQ, libc::AF_NETLINK as u32, 0, 1),
        allow(),
        refuse(libc::EAFNOSUPPORT),
    ]);
    // The machine signals its own threads and asks for its own limits. Zero means the caller for limits, but
    // all processes of its group for signals.
    let own_only = [(libc::SYS_kill, false), (libc::SYS_tgkill, false), (libc::SYS_prlimit64, true)];
    for (call, zero) in own_only.into_iter().filter(|_| kind == Kind::Machine) {
        program.extend([
            jump(libc::BPF_JEQ, number(call), 0, 5),
            load(ARGUMENT),
            jump(libc::BPF_JEQ, own, 1, 0),
            jump(libc::BPF_JEQ, if zero { 0 } else { own }, 0, 1),
            allow(),
            refuse(libc::EPERM),
        ]);
    }
    program.push(allow());
    program
}

fn number(call: libc::c_long) -> u32 {
    call.try_into().expect("the numbers of system calls are small and positive")
}

fn load(offset: u32) -> libc::sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0)
}

fn jump(test: u32, against: u32, yes: u8, no: u8) -> libc::sock_filter {
    instruction(libc::BPF_JMP | test | libc::BPF_K, against, yes, no)
}

fn allow() -> libc::sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0)
}

fn refuse(errno: i32) -> libc::sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | errno as u32, 0, 0)
}

fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt, jf, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second reading of the filter: what it answers to a call, as the kernel would find out.
    fn verdict(kind: Kind, call: libc::c_long, argument: u32) -> u32 {
        let program = program(kind, 77);
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let libc::sock_filter { code, jt, jf, k } = program[at];
            at += 1;
            match u32::from(code) {
                0x20 => {
                    accumulator = match k {
                        CALL => call as u32,
                        MACHINE => ARCHITECTURE,
                        ARGUMENT => argument,
                        _ => unreachable!("nothing else is looked at"),
                    }
                }
                0x15 => at += usize::from(if accumulator == k { jt } else { jf }),
                0x35 => at += usize::from(if accumulator >= k { jt } else { jf }),
                0x45 => at += usize::from(if accumulator & k != 0 { jt } else { jf }),
                0x06 => return k,
                other => unreachable!("instruction {other:#x}"),
            }
        }
    }

    #[test]
    fn each_call_gets_its_verdict() {
        let refused = |errno: i32| libc::SECCOMP_RET_ERRNO | errno as u32;
        let thread = (libc::CLONE_VM | libc::CLONE_THREAD) as u32;
        let cases = [
            (libc::SYS_read, 0, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_execve, 0, refused(libc::EPERM)),
            (libc::SYS_request_key, 0, refused(libc::EPERM)),
            (libc::SYS_clone3, 0, refused(libc::ENOSYS)),
            (libc::SYS_clone, thread, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_clone, libc::SIGCHLD as u32, refused(libc::EPERM)),
            (libc::SYS_socket, libc::AF_INET as u32, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_socket, libc::AF_INET6 as u32, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_socket, libc::AF_NETLINK as u32, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_socket, libc::AF_UNIX as u32, refused(libc::EAFNOSUPPORT)),
            (libc::SYS_socket, libc::AF_VSOCK as u32, refused(libc::EAFNOSUPPORT)),
            (libc::SYS_kill, 77, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_kill, 1, refused(libc::EPERM)),
            (libc::SYS_kill, 0, refused(libc::EPERM)),
            (libc::SYS_tgkill, 77, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_tgkill, 78, refused(libc::EPERM)),
            (libc::SYS_prlimit64, 0, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_prlimit64, 1, refused(libc::EPERM)),
            (0x4000_0000, 0, refused(libc::EPERM)),
        ];
        for (call, argument, expected) in cases {
            assert_eq!(verdict(Kind::Machine, call, argument), expected, "call {call} with {argument}");
        }
        let cases = [
            (libc::SYS_execve, 0, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_clone, libc::SIGCHLD as u32, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_clone, libc::CLONE_NEWUSER as u32, refused(libc::EPERM)),
            (libc::SYS_kill, 1, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_socket, libc::AF_UNIX as u32, refused(libc::EAFNOSUPPORT)),
            (libc::SYS_socket, libc::AF_INET as u32, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_unshare, 0, refused(libc::EPERM)),
            (libc::SYS_mount, 0, refused(libc::EPERM)),
            (libc::SYS_ptrace, 0, refused(libc::EPERM)),
            (0x4000_0000, 0, refused(libc::EPERM)),
        ];
        for (call, argument, expected) in cases {
            assert_eq!(verdict(Kind::Programs, call, argument), expected, "call {call} with {argument}");
        }
    }
}
