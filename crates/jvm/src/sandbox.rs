//! The sandbox of a worker, and the restrictions that the kernel does not support.
//!
//! The worker enters it in this order, because each step needs rights that the next drops, while the process
//! has one thread: namespaces for users, network, mounts and System V memory; the loopback interface; a file
//! system of limited size, in memory, over the box; Landlock; no more rights; the filter of system calls;
//! limits on memory and files. It takes 1 to 2 ms.
//!
//! | the subject tries to | what stops it |
//! |---|---|
//! | write or delete outside its box | Landlock |
//! | fill the disk | the box is memory of limited size, gone with the worker |
//! | start programs | Landlock, and the filter |
//! | reach a network | the namespace: loopback only |
//! | reach a local service | the filter: no sockets of other families |
//! | signal the user's processes | the filter, and Landlock from Linux 6.12 on |
//! | take all memory, make endless threads | the limit on address space |
//!
//! The processes of an adapter ([`enter_with_programs`]) may start programs, which a JVM may not. They have a
//! namespace for processes instead, in which they can signal only each other and end together.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope,
};

mod filter;

/// Policy for kernels that cannot enforce the whole sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandbox {
    /// Run nothing unless the [`Protection`] is complete.
    Required,
    /// Enforce what the kernel supports, and run in any case. Only for code that the user trusts.
    Unsafe,
}

/// The restrictions that the kernel enforces on a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// It can write only in its folder, and start no programs.
    pub files: bool,
    /// It can reach no network except its own loopback.
    pub network: bool,
    /// It cannot fill disk or memory: its folder and its address space have limited sizes.
    pub space: bool,
    /// It can create no processes, signal no others and reach no local service.
    pub calls: bool,
    /// Failures, in the words of the kernel.
    pub notes: Vec<String>,
}

impl Protection {
    /// Returns true if hostile code may run.
    pub fn is_enough(&self) -> bool {
        self.missing().is_empty()
    }

    /// Actions that a worker cannot be prevented from, as parts of a sentence.
    pub fn missing(&self) -> Vec<&'static str> {
        [
            (self.files, "writing and deleting files"),
            (self.network, "using the network"),
            (self.space, "filling disk and memory"),
            (self.calls, "disturbing other processes"),
        ]
        .into_iter()
        .filter_map(|(protected, what)| (!protected).then_some(what))
        .collect()
    }
}

/// Memory limits of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryLimits {
    /// The size of the box.
    pub(crate) box_megabytes: u32,
    /// The Java heap; the limit on the whole process follows from it.
    pub(crate) heap_megabytes: u32,
}

/// Puts this process, which must have one thread, into the sandbox. Restrictions that the kernel does not
/// support are missing in the result; nothing else fails.
///
/// The process may also write below the folders `writable`.
pub(crate) fn enter(folder: &Path, limits: MemoryLimits, writable: &[PathBuf]) -> Protection {
    let mut protection = Protection::default();
    let mut note = |what: &str, result: io::Result<()>| noted(&mut protection.notes, what, result);
    let apart = note("user, network and mount namespaces", namespaces(0));
    let network = apart && note("the loopback interface", raise_loopback());
    let space = apart && note("a file system for the sandbox", mount_box(folder, limits.box_megabytes));
    // Enter the mounted folder; otherwise the process would stay in the one beneath it.
    let entered = note("entering the sandbox", std::env::set_current_dir(folder));
    let files = note("Landlock", restrict_files(folder, writable, AccessFs::Execute.into()));
    let meek = note("dropping privileges", drop_capabilities());
    let calls = note("the system call filter", filter::install(filter::Kind::Machine)) && meek;
    let limited = note("limits on memory and files", set_limits(limits));
    Protection { files, network, space: space && entered && limited, calls, ..protection }
}

/// Processes that an adapter may have at a time, threads included.
const MOST_PROCESSES: libc::rlim_t = 512;

/// Makes a new process that is in a sandbox in which programs may be started, and returns in both: in the new
/// one with the protection that it has, in the old one with the number of the new one.
///
/// The new process is the first of a namespace for processes: when it ends, however it ends, all others in it
/// end too. It ends with the old one. This process must have one thread.
pub(crate) fn enter_with_programs(folder: &Path, limits: MemoryLimits) -> io::Result<Forked> {
    let mut protection = Protection::default();
    let notes = &mut protection.notes;
    let apart = noted(notes, "user, network, mount and process namespaces", namespaces(libc::CLONE_NEWPID));
    // SAFETY: this process has one thread, so the new one may do whatever this one may.
    let child = check(unsafe { libc::fork() })?;
    if child > 0 {
        return Ok(Forked::Parent(child));
    }
    // SAFETY: a call with integer arguments.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) })?;
    let network = apart && noted(notes, "the loopback interface", raise_loopback());
    let boxed =
        apart && noted(notes, "a file system for the sandbox", mount_box(folder, limits.box_megabytes));
    let entered = noted(notes, "entering the sandbox", std::env::set_current_dir(folder));
    let files = noted(notes, "Landlock", restrict_files(folder, &[], BitFlags::EMPTY));
    let meek = noted(notes, "dropping privileges", drop_capabilities());
    let filtered = noted(notes, "the system call filter", filter::install(filter::Kind::Programs));
    let few = noted(notes, "limits on processes", lower(libc::RLIMIT_NPROC, MOST_PROCESSES));
    let limited = noted(notes, "limits on memory and files", set_limits(limits));
    let (space, calls) = (boxed && entered && limited && few, apart && meek && filtered);
    Ok(Forked::Child(Protection { files, network, space, calls, ..protection }))
}

/// The two sides of a process that made another one.
pub(crate) enum Forked {
    Parent(libc::pid_t),
    Child(Protection),
}

/// Takes note of a failure, and tells whether there was none.
fn noted(notes: &mut Vec<String>, what: &str, result: io::Result<()>) -> bool {
    match result {
        Ok(()) => true,
        Err(error) => {
            notes.push(format!("{what}: {error}"));
            false
        }
    }
}

/// Enters new namespaces, and the `more` ones.
fn namespaces(more: libc::c_int) -> io::Result<()> {
    // SAFETY: both calls take nothing and cannot fail.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    // SAFETY: a call with an integer argument; it changes what this process sees, not its memory.
    check(unsafe {
        libc::unshare(
            libc::CLONE_NEWUSER | libc::CLONE_NEWNET | libc::CLONE_NEWNS | libc::CLONE_NEWIPC | more,
        )
    })?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// A fresh network namespace has a loopback interface that is down.
fn raise_loopback() -> io::Result<()> {
    // SAFETY: a call with integer arguments.
    let socket = check(unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) })?;
    // SAFETY: all zeros is a request with an empty name, which the next lines fill in.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = *from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the request lives until the call returns and has the shape that this request code asks for.
    let result = check(unsafe { libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw const request) });
    // SAFETY: the descriptor was opened above and is used nowhere else.
    unsafe { libc::close(socket) };
    result.map(drop)
}

fn mount_box(folder: &Path, megabytes: u32) -> io::Result<()> {
    let target = CString::new(folder.as_os_str().as_bytes())?;
    // Unless mounts are made private, this one would be visible outside.
    mount(None, c"/", libc::MS_REC | libc::MS_PRIVATE, c"")?;
    let options = CString::new(format!("size={megabytes}m,nr_inodes=16384,mode=0700"))?;
    mount(Some(c"tmpfs"), &target, libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC, &options)
}

fn mount(
    kind: Option<&std::ffi::CStr>,
    target: &std::ffi::CStr,
    flags: libc::c_ulong,
    options: &std::ffi::CStr,
) -> io::Result<()> {
    let kind = kind.map_or(std::ptr::null(), std::ffi::CStr::as_ptr);
    // SAFETY: all pointers are null or C strings that live until the call returns.
    check(unsafe { libc::mount(kind, target.as_ptr(), kind, flags, options.as_ptr().cast()) }).map(drop)
}

/// Everything may be read, only the box and the folders `writable` may be written, and nothing else may be
/// done that is `forbidden`, such as executing.
fn restrict_files(folder: &Path, writable: &[PathBuf], forbidden: BitFlags<AccessFs>) -> io::Result<()> {
    // Truncating files is part of the third version; without it, files outside could be emptied.
    let writes = AccessFs::from_write(ABI::V3);
    let newer = AccessFs::from_write(ABI::V5);
    let restrict = || -> Result<RulesetStatus, Box<dyn std::error::Error>> {
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(writes | forbidden)?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(newer)?
            .scope(Scope::AbstractUnixSocket | Scope::Signal)?
            .create()?
            .add_rule(PathBeneath::new(PathFd::new(folder)?, writes | newer))?
            .add_rule(PathBeneath::new(PathFd::new("/dev/null")?, AccessFs::WriteFile))?;
        for folder in writable {
            rules = rules.add_rule(PathBeneath::new(PathFd::new(folder)?, writes | newer))?;
        }
        Ok(rules.restrict_self()?.ruleset)
    };
    match restrict() {
        Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced) => Ok(()),
        Ok(RulesetStatus::NotEnforced) => Err(io::Error::other("the kernel does not enforce it")),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

/// Drops all capabilities, which a process that created a user namespace has in it.
fn drop_capabilities() -> io::Result<()> {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    // The third version of the interface, with two words for each of the three sets.
    let header = Header { version: 0x2008_0522, pid: 0 };
    let none = [0_u32; 6];
    // SAFETY: header and sets have the layout of that version and live until the call returns.
    let result = unsafe { libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()) };
    check(result as libc::c_int).map(drop)
}

fn set_limits(limits: MemoryLimits) -> io::Result<()> {
    let megabytes = |count: u32| libc::rlim_t::from(count) << 20;
    // Besides its heap, the JVM reserves address space for classes, code and thread stacks. Two gigabytes are
    // twice what it takes at rest, and enough for the thousand threads of a thread bomb.
    lower(libc::RLIMIT_AS, megabytes(limits.heap_megabytes) + megabytes(2048))?;
    lower(libc::RLIMIT_FSIZE, megabytes(limits.box_megabytes))?;
    lower(libc::RLIMIT_CORE, 0)?;
    lower(libc::RLIMIT_NOFILE, 1024)
}

/// Lowers a limit permanently. A lower limit stays.
fn lower(resource: libc::__rlimit_resource_t, most: libc::rlim_t) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call fills in the structure that it is given.
    check(unsafe { libc::getrlimit(resource, &raw mut limit) })?;
    let most = most.min(limit.rlim_max);
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: the structure lives until the call returns.
    check(unsafe { libc::setrlimit(resource, &raw const limit) }).map(drop)
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
