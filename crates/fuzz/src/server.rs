//! Server processes: a fresh one for each session, in a folder of its own, and gone when the session is over.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use miette::Diagnostic;
use tempfile::TempDir;
use thiserror::Error;

use crate::alphabet::Alphabet;
use crate::idle::Idleness;
use crate::script::escaped;

/// The command of a server, and the way to run it.
#[derive(Clone, Debug)]
pub struct ServerCommand {
    /// The program and its arguments; `{port}`, `{host}` and `{dir}` are filled in.
    pub words: Vec<String>,
    /// Words before the program, which start it in a sandbox.
    pub launcher: Vec<String>,
    /// The program is instrumented for AFL, and `afl-showmap` reports the edges of each session.
    pub edges: bool,
    /// Factor by which all time limits are longer than the alphabet says.
    pub patience: u32,
}

/// Failure to start a server or to reach it. Nothing is known about the protocol then.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum ServerError {
    /// The program could not be executed.
    #[error("the server cannot be started: `{program}`: {reason}")]
    #[diagnostic(help("write the server's command after `--`: `-- ./server {{port}}`"))]
    CannotRun {
        /// The program.
        program: String,
        /// The system's reason.
        reason: String,
    },
    /// The server ended before it accepted a connection.
    #[error("the server did not start: it {how} before it accepted a connection on port {port}{said}")]
    #[diagnostic(help(
        "run its command by hand; write `{{port}}` where it expects its port, or set `port` in the alphabet file"
    ))]
    EndedEarly {
        /// Its end, as part of a sentence.
        how: String,
        /// The port.
        port: u16,
        /// The last line that it wrote to standard error.
        said: String,
    },
    /// The server runs, and nothing listens on its port.
    #[error("the server did not start: nothing listens on port {port} of {host} after {seconds} s")]
    #[diagnostic(help(
        "write `{{port}}` where the server's command expects its port, set `port` in the alphabet file, or raise `start_limit`"
    ))]
    NoPort {
        /// The address.
        host: IpAddr,
        /// The port.
        port: u16,
        /// The limit.
        seconds: f64,
    },
    /// The command that prepares a session failed.
    #[error("the reset command failed: `{command}` {how}")]
    #[diagnostic(help("run it by hand; it is `reset` in the `[session]` of the alphabet file"))]
    Reset {
        /// The command.
        command: String,
        /// Its end.
        how: String,
    },
    /// The server accepted the connection and did not greet.
    #[error("the server does not answer: it accepted a connection and {how}")]
    #[diagnostic(help(
        "if it waits for the client to speak first, write `banner = false` in the `[session]` of the alphabet file; if it is slow, raise `start_limit`"
    ))]
    NoBanner {
        /// The rest of the sentence.
        how: String,
    },
    /// A process in the sandbox reports one of the others, or failed itself.
    #[error("{message}")]
    #[diagnostic(help("{help}"))]
    Sandbox {
        /// The message.
        message: String,
        /// Advice.
        help: String,
    },
    /// A file or a socket of this side failed.
    #[error("a session cannot be prepared: {0}")]
    #[diagnostic(help("check the space in the folder for temporary files, and the limit on open files"))]
    Local(#[from] std::io::Error),
}

/// A running server. Dropping it kills all its processes and removes its folder.
#[derive(Debug)]
pub struct Server {
    child: Child,
    said: File,
    folder: TempDir,
    address: SocketAddr,
    ended: Option<ExitStatus>,
    map: Option<TempDir>,
    idleness: Idleness,
}

/// Name of the file with the edges of a session.
const MAP: &str = "edges";

/// Longest time that `afl-showmap` takes to write the edges.
const UNTIL_MAP: Duration = Duration::from_millis(1000);

/// Exit code of `afl-showmap` after a crash.
const SHOWMAP_CRASH: i32 = 2;

/// First of the ports that are tried, below those that systems give to clients by themselves: a client that
/// connects to a port that nobody listens on could otherwise meet itself.
const FIRST_PORT: u16 = 20_000;
/// Number of ports that are tried.
const PORTS: u16 = 12_000;

static NEXT_PORT: AtomicU16 = AtomicU16::new(0);

/// Returns a port of this machine that nobody listens on.
fn free_port(host: IpAddr) -> std::io::Result<u16> {
    let own = (std::process::id() % u32::from(PORTS)) as u16;
    let mut failure = std::io::Error::other("no port is free");
    for _ in 0..PORTS {
        // Different processes start at different places, so they rarely try the same port.
        let place = NEXT_PORT.fetch_add(1, Ordering::Relaxed);
        let port = FIRST_PORT + (own.wrapping_mul(37).wrapping_add(place)) % PORTS;
        match TcpListener::bind((host, port)) {
            Ok(_) => return Ok(port),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

impl Server {
    /// Starts a server and connects to it.
    pub fn start(command: &ServerCommand, alphabet: &Alphabet) -> Result<(Self, TcpStream), ServerError> {
        /// Another process may take the port between the look and the start.
        const TRIES: usize = 3;
        let chosen = command.words.iter().any(|word| word.contains("{port}"));
        let mut tries = 0;
        loop {
            tries += 1;
            let port = match alphabet.session.port {
                Some(port) if !chosen => port,
                _ => free_port(alphabet.session.host)?,
            };
            match Self::start_on(command, alphabet, port) {
                Err(ServerError::EndedEarly { said, .. })
                    if chosen && tries < TRIES && said.to_lowercase().contains("in use") => {}
                other => return other,
            }
        }
    }

    fn start_on(
        command: &ServerCommand,
        alphabet: &Alphabet,
        port: u16,
    ) -> Result<(Self, TcpStream), ServerError> {
        let rules = &alphabet.session;
        let folder = tempfile::Builder::new().prefix("adit-server-").tempdir()?;
        for (name, content) in &rules.files {
            let file = folder.path().join(name);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(file, content)?;
        }
        if let Some(reset) = &rules.reset {
            run_reset(reset, &folder, rules.start_limit)?;
        }
        let fill = |word: &String| {
            word.replace("{port}", &port.to_string())
                .replace("{host}", &rules.host.to_string())
                .replace("{dir}", &folder.path().to_string_lossy())
        };
        let map = command.edges.then(tempfile::tempdir).transpose()?;
        // It starts the program and writes the edges when it is asked to end.
        let showmap = map.iter().flat_map(|map| {
            let file = map.path().join(MAP).display().to_string();
            let words = ["afl-showmap", "-q", "-o", &file, "-m", "none", "-t", "600000", "--"];
            words.map(str::to_owned)
        });
        let words: Vec<String> = (command.launcher.iter().map(fill))
            .chain(showmap)
            .chain(command.words.iter().map(fill))
            .collect();
        let (program, arguments) = words.split_first().ok_or_else(|| ServerError::CannotRun {
            program: String::new(),
            reason: "the command is empty".to_owned(),
        })?;
        let said = tempfile::tempfile()?;
        let child = Command::new(program)
            .args(arguments)
            .current_dir(folder.path())
            .env("ADIT_PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said.try_clone()?)
            .process_group(0)
            .spawn()
            .map_err(|error| ServerError::CannotRun {
                program: program.clone(),
                reason: error.to_string(),
            })?;
        let address = SocketAddr::new(rules.host, port);
        let idleness = Idleness::new(child.id());
        let mut server = Self { child, said, folder, address, ended: None, map, idleness };
        let stream = server.connect(rules.start_limit * command.patience)?;
        Ok((server, stream))
    }

    /// Connects, as soon as the server listens.
    pub fn connect(&mut self, limit: Duration) -> Result<TcpStream, ServerError> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if let Ok(stream) = TcpStream::connect_timeout(&self.address, limit)
                && stream.local_addr()? != self.address
            {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            if let Some(status) = self.status() {
                let said = match self.last_words() {
                    said if said.is_empty() => said,
                    said => format!(": {said}"),
                };
                let port = self.address.port();
                return Err(ServerError::EndedEarly { how: end_of(status), port, said });
            }
            if start.elapsed() > limit {
                let (host, port) = (self.address.ip(), self.address.port());
                return Err(ServerError::NoPort { host, port, seconds: limit.as_secs_f64() });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }

    /// The address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The folder of the session.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// Observations of its processes.
    pub(crate) fn idleness(&mut self) -> &mut Idleness {
        &mut self.idleness
    }

    /// The end of the server's process, if it has ended.
    pub fn status(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().ok().flatten();
        }
        self.ended
    }

    /// Waits for the end of the process, no longer than `limit`.
    pub fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            match self.status() {
                None if start.elapsed() < limit => std::thread::sleep(Duration::from_micros(500)),
                status => return status,
            }
        }
    }

    /// Name of the crash if the process died, such as `SIGSEGV` or `exit code 1`.
    pub fn crash(&mut self) -> Option<String> {
        let status = self.status()?;
        match (status.signal(), status.code()) {
            (Some(signal), _) => Some(signal_name(signal)),
            (None, Some(0)) => None,
            (None, Some(SHOWMAP_CRASH)) if self.map.is_some() => Some("a signal".to_owned()),
            (None, code) => Some(format!("exit code {}", code.unwrap_or_default())),
        }
    }

    /// Ends the server, and returns the edges that it took if it is instrumented.
    pub fn finish(mut self) -> Vec<u32> {
        let Some(file) = self.map.as_ref().map(|map| map.path().join(MAP)) else { return Vec::new() };
        if self.status().is_none() {
            self.signal(rustix::process::Signal::TERM);
            self.wait(UNTIL_MAP);
        }
        let text = fs::read_to_string(file).unwrap_or_default();
        // A line is the number of an edge, a colon, and how often it was taken, which varies too much.
        text.lines().filter_map(|line| line.split(':').next()?.trim().parse().ok()).collect()
    }

    fn signal(&self, signal: rustix::process::Signal) {
        // The process leads its group, so this reaches its children too, after its own end as well.
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    /// The last line that the server wrote to standard error.
    pub fn last_words(&mut self) -> String {
        /// The end of a report of a sanitizer.
        const SHOWN: u64 = 4096;
        let size = self.said.metadata().map_or(0, |about| about.len());
        let mut bytes = Vec::new();
        if self.said.seek(SeekFrom::Start(size.saturating_sub(SHOWN))).is_ok() {
            // What cannot be read is not shown.
            let _ = (&mut self.said).take(SHOWN).read_to_end(&mut bytes);
        }
        let line = bytes.split(|&byte| byte == b'\n').rfind(|line| !line.trim_ascii().is_empty());
        escaped(line.unwrap_or_default().trim_ascii())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.signal(rustix::process::Signal::KILL);
        let _ = self.child.wait();
    }
}

/// The end of a process, as part of a sentence: `ended with exit code 1`.
pub fn end_of(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was killed by {}", signal_name(signal)),
        (None, None) => "ended".to_owned(),
    }
}

/// The name of a signal, such as `SIGSEGV`.
fn signal_name(signal: i32) -> String {
    let names =
        [(4, "SIGILL"), (6, "SIGABRT"), (7, "SIGBUS"), (8, "SIGFPE"), (9, "SIGKILL"), (11, "SIGSEGV")];
    let known = names.iter().find(|(number, _)| *number == signal);
    known.map_or_else(|| format!("signal {signal}"), |(_, name)| (*name).to_owned())
}

fn run_reset(command: &str, folder: &TempDir, limit: Duration) -> Result<(), ServerError> {
    let failed = |how: String| ServerError::Reset { command: command.to_owned(), how };
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(failed(end_of(status))),
            Ok(None) if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(1)),
            _ => {
                if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
                    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
                }
                let _ = child.wait();
                return Err(failed(format!("took longer than {} s", limit.as_secs_f64())));
            }
        }
    }
}
