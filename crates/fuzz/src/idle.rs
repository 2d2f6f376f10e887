//! Detects that a server waits for its client, so that a message without an answer takes milliseconds.
//!
//! A server that reads the body of a mail answers no line of it. It is known to have read a message and to
//! answer nothing if none of its threads runs or could run, each is in a system call that waits for input,
//! and nothing is on its way in either direction. A server that computes, sleeps, or waits for a lock or a
//! disk is not idle, and gets the whole limit; so does one on a machine too busy to run it.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

/// System calls that wait for bytes, for a connection or for one of them, by their numbers.
#[cfg(target_arch = "x86_64")]
mod calls {
    /// `read`, `readv`, `accept`, `recvfrom`, `recvmsg`, `accept4`, `recvmmsg`.
    pub(super) const INPUT: &[u32] = &[0, 19, 43, 45, 47, 288, 299];
    /// `poll`, `ppoll`, whose second argument is a number of descriptors; with none they are a pause.
    pub(super) const POLL: &[u32] = &[7, 271];
    /// `select`, `pselect6`, whose first argument is such a number.
    pub(super) const SELECT: &[u32] = &[23, 270];
    /// `epoll_wait`, `epoll_pwait`, `epoll_pwait2`.
    pub(super) const EVENTS: &[u32] = &[232, 281, 441];
    /// `wait4`, `waitid`, `pause`, `rt_sigsuspend`: a parent of those who serve.
    pub(super) const PARENT: &[u32] = &[61, 247, 34, 130];
}

/// System calls that wait for bytes, for a connection or for one of them, by their numbers.
#[cfg(target_arch = "aarch64")]
mod calls {
    /// `read`, `readv`, `accept`, `recvfrom`, `recvmsg`, `accept4`, `recvmmsg`.
    pub(super) const INPUT: &[u32] = &[63, 65, 202, 207, 212, 242, 243];
    /// `ppoll`.
    pub(super) const POLL: &[u32] = &[73];
    /// `pselect6`.
    pub(super) const SELECT: &[u32] = &[72];
    /// `epoll_pwait`, `epoll_pwait2`.
    pub(super) const EVENTS: &[u32] = &[22, 441];
    /// `wait4`, `waitid`, `rt_sigsuspend`.
    pub(super) const PARENT: &[u32] = &[260, 95, 133];
}

/// System calls of machines whose numbers are not known here: their servers are never idle.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod calls {
    pub(super) const INPUT: &[u32] = &[];
    pub(super) const POLL: &[u32] = &[];
    pub(super) const SELECT: &[u32] = &[];
    pub(super) const EVENTS: &[u32] = &[];
    pub(super) const PARENT: &[u32] = &[];
}

/// Observations of a server's processes.
#[derive(Debug)]
pub(crate) struct Idleness {
    /// Number of the process as its parent knows it.
    child: u32,
    /// The same as `/proc` knows it, which may be that of another namespace.
    process: Option<u32>,
    /// Processor time of each thread at the last look, if all of them waited.
    last: Option<Vec<String>>,
}

impl Idleness {
    /// Observes a child of this process.
    pub(crate) fn new(child: u32) -> Self {
        Self { child, process: None, last: None }
    }

    /// Forgets the last look, because something was sent.
    pub(crate) fn begin(&mut self) {
        self.last = None;
    }

    /// Looks at all processes, and returns true if they waited for input at the last look, too, did not run
    /// in between, and have read everything. Where that cannot be seen it is false.
    pub(crate) fn look(&mut self, server: SocketAddr, client: SocketAddr) -> bool {
        let now = self.observe();
        let still = now.is_some() && now == self.last;
        self.last = now;
        still && nothing_is_under_way(server, client) == Some(true)
    }

    /// Processor times of all threads, if each waits and at least one of them for input.
    fn observe(&mut self) -> Option<Vec<String>> {
        let process = match self.process {
            Some(process) => process,
            None => *self.process.insert(in_proc(self.child)?),
        };
        let mut todo = vec![process];
        let mut times = Vec::new();
        let mut for_input = false;
        while let Some(process) = todo.pop() {
            for thread in fs::read_dir(format!("/proc/{process}/task")).ok()? {
                let thread = thread.ok()?.path();
                match state_of(&thread)? {
                    // It has ended, and nobody has asked how.
                    'Z' => continue,
                    'S' => {}
                    _ => return None,
                }
                for_input |= waits(&fs::read_to_string(thread.join("syscall")).ok()?)?;
                times.push(fs::read_to_string(thread.join("schedstat")).ok()?);
                let children = fs::read_to_string(thread.join("children")).ok()?;
                todo.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
            }
        }
        for_input.then_some(times)
    }
}

/// Number that `/proc` has for a child of this process.
fn in_proc(child: u32) -> Option<u32> {
    for thread in fs::read_dir("/proc/self/task").ok()? {
        let children = fs::read_to_string(thread.ok()?.path().join("children")).ok()?;
        for number in children.split_whitespace() {
            let status = fs::read_to_string(format!("/proc/{number}/status")).ok()?;
            // The numbers of the process, one for each namespace; the last one is that of its own.
            let own =
                status.lines().find_map(|line| line.strip_prefix("NSpid:"))?.split_whitespace().last()?;
            if own == child.to_string() {
                return number.parse().ok();
            }
        }
    }
    None
}

/// State of a thread: the letter after its name, which is in parentheses and may hold anything.
fn state_of(thread: &Path) -> Option<char> {
    let stat = fs::read_to_string(thread.join("stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Returns true for a thread that waits for input, false for one that waits for a child or a signal, and
/// nothing for any other. The text is the number of a system call and its arguments.
fn waits(call: &str) -> Option<bool> {
    let mut words = call.split_whitespace();
    let number: u32 = words.next()?.parse().ok()?;
    let mut argument = |at: usize| u64::from_str_radix(words.nth(at)?.strip_prefix("0x")?, 16).ok();
    let is_input = calls::INPUT.contains(&number)
        || calls::EVENTS.contains(&number)
        || calls::POLL.contains(&number) && argument(1)? > 0
        || calls::SELECT.contains(&number) && argument(0)? > 0;
    match is_input {
        true => Some(true),
        false => calls::PARENT.contains(&number).then_some(false),
    }
}

/// Tells whether nothing is on its way between server and client, by the kernel's table of connections.
fn nothing_is_under_way(server: SocketAddr, client: SocketAddr) -> Option<bool> {
    let file = if server.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" };
    let port = |address: &str| u16::from_str_radix(address.rsplit_once(':')?.1, 16).ok();
    for line in fs::read_to_string(file).ok()?.lines().skip(1) {
        let mut words = line.split_whitespace().skip(1);
        let (Some(local), Some(remote)) = (words.next(), words.next()) else { continue };
        if port(local) == Some(server.port()) && port(remote) == Some(client.port()) {
            // After the state come the bytes that the server has written and the client has not received, and
            // those that the server has not read. A second small answer waits until the first one is
            // acknowledged.
            let (unsent, unread) = words.nth(1)?.split_once(':')?;
            let is_zero = |number: &str| number.chars().all(|digit| digit == '0');
            return Some(is_zero(unsent) && is_zero(unread));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    /// A connection to a shell that reads lines from it.
    fn shell(script: &str) -> (Child, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        let server: std::os::fd::OwnedFd = server.into();
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(server.try_clone().unwrap()).stdin(Stdio::from(server));
        (command.spawn().unwrap(), client)
    }

    /// Tells whether a process is found idle within a second.
    fn becomes_idle(child: &Child, client: &TcpStream) -> bool {
        let mut idleness = Idleness::new(child.id());
        let until = Instant::now() + Duration::from_secs(1);
        let (server, client) = (client.peer_addr().unwrap(), client.local_addr().unwrap());
        while Instant::now() < until {
            if idleness.look(server, client) {
                return true;
            }
            std::thread::yield_now();
        }
        false
    }

    fn check(script: &str, idle: bool) {
        let (mut child, mut client) = shell(script);
        client.write_all(b"hello\n").unwrap();
        assert_eq!(becomes_idle(&child, &client), idle, "{script}");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn who_waits_for_the_next_line_is_idle() {
        check("while read line; do :; done", true);
        // A parent waits for the child that serves.
        check("(while read line; do :; done); exit", true);
    }

    #[test]
    fn who_computes_sleeps_or_has_not_read_everything_is_not() {
        check("while :; do :; done", false);
        check("read line; exec sleep 5", false);
        // It waits for input, and not for that of the client.
        check("f=$(mktemp -u); mkfifo $f; exec 3<>$f; rm $f; exec cat <&3", false);
    }

    #[test]
    fn a_process_that_is_gone_is_not_idle() {
        let (mut child, mut client) = shell("exit 0");
        child.wait().unwrap();
        assert!(!becomes_idle(&child, &client));
        assert_eq!(client.read(&mut [0; 8]).unwrap(), 0);
    }

    #[test]
    fn a_poll_of_nothing_is_a_pause() {
        if cfg!(target_arch = "x86_64") {
            assert_eq!(waits("0 0x3 0x7fad 0x2 0x0 0x0 0x0 0x7ff 0x7fa"), Some(true));
            assert_eq!(waits("7 0x7ffc 0x1 0xffffffff 0x0 0x0 0x0 0x7ff 0x7fa"), Some(true));
            assert_eq!(waits("7 0x0 0x0 0x64 0x0 0x0 0x0 0x7ff 0x7fa"), None);
            assert_eq!(waits("230 0x0 0x0 0x7ffc 0x7ffd 0x0 0x0 0x7ff 0x7fa"), None);
            assert_eq!(waits("61 0xffffffff 0x7ffc 0x0 0x0 0x0 0x0 0x7ff 0x7fa"), Some(false));
        }
        assert_eq!(waits("running"), None);
    }
}
