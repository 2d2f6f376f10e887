//! One process of an adapter: its three streams, the last lines in both directions, and its end.
//!
//! Three threads serve the streams, so that nothing the process does can make adit wait longer than it wants
//! to: one writes lines, one reads lines of limited length, one keeps the end of standard error. Killing the
//! process ends them all.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::Exchange;

/// The program that runs an adapter.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The adapter's command as the user typed it, for messages.
    pub command: String,
    /// Program to start: a launcher that enters the sandbox and then runs the command.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
}

impl Launch {
    /// A launch of the command by the shell, without any sandbox and with the environment of this process:
    /// for tests of adapters that are part of the project.
    pub fn unprotected(command: &str) -> Self {
        Self {
            command: command.to_owned(),
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), command.into()],
            environment: std::env::vars_os().collect(),
        }
    }
}

/// Lines that may wait to be read. An adapter that writes more than it was asked for has to wait, and adit's
/// memory does not grow.
const WAITING_LINES: usize = 256;

/// Bytes of standard error that are kept.
const KEPT_STDERR: usize = 8 << 10;

/// Time that a process has to exit by itself after it closed its output.
const FAREWELL: Duration = Duration::from_secs(2);

/// Time for what a process that ended wrote to standard error.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A running adapter. Dropping it kills the process.
pub(crate) struct Process {
    child: Child,
    to: Option<Sender<String>>,
    from: Receiver<FromOutput>,
    stderr: Arc<Mutex<Vec<u8>>>,
    /// Reads standard error; done when the process and all that it started have closed theirs.
    errors: JoinHandle<()>,
    received: Option<String>,
}

/// Something that was read from standard output.
enum FromOutput {
    Line(String),
    TooLong(String),
    NoText,
    End,
}

/// Result of waiting for a line.
pub(crate) enum Received {
    Line(String),
    /// Something that is no line of the protocol.
    Nonsense(String),
    /// The process died or closed its output.
    Ended(String),
    TimedOut,
}

impl Process {
    /// Starts the process.
    pub(crate) fn start(launch: &Launch, largest_line: usize) -> io::Result<Self> {
        let mut child = Command::new(&launch.program)
            .args(&launch.arguments)
            .env_clear()
            .envs(launch.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // An interrupt at the terminal is for adit, which then ends the adapter.
            .process_group(0)
            .spawn()?;
        let missing = || io::Error::other("a stream is missing");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let errors = child.stderr.take().ok_or_else(missing)?;
        let (to, lines) = channel();
        let (read, from) = sync_channel(WAITING_LINES);
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let kept = stderr.clone();
        thread::Builder::new().name("adapter-in".to_owned()).spawn(move || write_lines(stdin, &lines))?;
        thread::Builder::new()
            .name("adapter-out".to_owned())
            .spawn(move || read_lines(stdout, largest_line, &read))?;
        let errors =
            thread::Builder::new().name("adapter-err".to_owned()).spawn(move || keep_end(errors, &kept))?;
        Ok(Self { child, to: Some(to), from, stderr, errors, received: None })
    }

    /// Writes a line, without waiting until it is read.
    pub(crate) fn send(&self, line: String) {
        // If the writer is gone, so is the process, and the next answer says so.
        let _ = self.to.as_ref().map(|to| to.send(line));
    }

    /// Waits for a line.
    pub(crate) fn receive(&mut self, until: Instant) -> Received {
        let time = until.saturating_duration_since(Instant::now());
        match self.from.recv_timeout(time) {
            Ok(FromOutput::Line(line)) => {
                self.received = Some(line.clone());
                Received::Line(line)
            }
            Ok(FromOutput::TooLong(start)) => {
                let what = format!("a line is longer than {} bytes", start.len());
                self.received = Some(start);
                Received::Nonsense(what)
            }
            Ok(FromOutput::NoText) => Received::Nonsense("a line is not UTF-8".to_owned()),
            Ok(FromOutput::End) | Err(RecvTimeoutError::Disconnected) => Received::Ended(self.end()),
            // On a busy machine its end may be known before the end of its output.
            Err(RecvTimeoutError::Timeout) if matches!(self.child.try_wait(), Ok(Some(_))) => {
                Received::Ended(self.end())
            }
            Err(RecvTimeoutError::Timeout) => Received::TimedOut,
        }
    }

    /// Tells whether the process wrote more lines than were received.
    pub(crate) fn has_more(&mut self) -> bool {
        let Ok(FromOutput::Line(line) | FromOutput::TooLong(line)) = self.from.try_recv() else {
            return false;
        };
        self.received = Some(line);
        true
    }

    /// Last lines in both directions; `sent` is the last line that matters to the reader.
    pub(crate) fn exchange(&self, sent: Option<&str>) -> Exchange {
        let stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        Exchange {
            sent: sent.map(|line| line.trim_end().to_owned()),
            received: self.received.clone(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }

    /// Closes the input and waits a moment for the process to exit by itself.
    pub(crate) fn close(&mut self) {
        self.to = None;
        self.wait(FAREWELL);
    }

    /// The end of a process that closed its output.
    fn end(&mut self) -> String {
        self.to = None;
        let how = match self.wait(FAREWELL) {
            Some(status) => ended(status),
            None => "closed its standard output".to_owned(),
        };
        // Its last words say why it ended, and may still be on their way.
        let until = Instant::now() + LAST_WORDS;
        while !self.errors.is_finished() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        how
    }

    fn wait(&mut self, time: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + time;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(1)),
                _ => return None,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The end of a process, as part of a sentence.
fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

fn write_lines(mut stdin: ChildStdin, lines: &Receiver<String>) {
    while let Ok(mut line) = lines.recv() {
        // Lines that wait go out together: one system call for many.
        while line.len() < 1 << 16 {
            let Ok(next) = lines.try_recv() else { break };
            line.push_str(&next);
        }
        if stdin.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

fn read_lines(stdout: ChildStdout, largest: usize, read: &SyncSender<FromOutput>) {
    let mut stdout = BufReader::with_capacity(1 << 16, stdout);
    loop {
        let mut line = Vec::new();
        let ended = (&mut stdout).take(largest as u64).read_until(b'\n', &mut line);
        let one = match ended {
            Ok(0) | Err(_) => FromOutput::End,
            Ok(_) if line.last() == Some(&b'\n') => {
                line.pop();
                String::from_utf8(line).map_or(FromOutput::NoText, FromOutput::Line)
            }
            Ok(_) if line.len() >= largest => {
                FromOutput::TooLong(String::from_utf8_lossy(&line).into_owned())
            }
            // The process ended in the middle of a line.
            Ok(_) => FromOutput::End,
        };
        let is_last = !matches!(one, FromOutput::Line(_));
        if read.send(one).is_err() || is_last {
            return;
        }
    }
}

fn keep_end(mut stderr: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&buffer[..count]);
        let surplus = kept.len().saturating_sub(KEPT_STDERR);
        kept.drain(..surplus);
    }
}
