//! Runners of sessions: this process, or one in a sandbox that is asked line by line.
//!
//! A sandbox has a network of its own, so whoever speaks to a server must be in the same one. The process in
//! the sandbox runs whole sessions: a line with a script in, a line with its run out.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use miette::Diagnostic as _;
use serde::{Deserialize, Serialize};

use crate::alphabet::Alphabet;
use crate::script::Message;
use crate::server::{ServerCommand, ServerError};
use crate::session::{self, SessionRun};

/// Runs sessions.
pub trait SessionRunner {
    /// Runs a script against a fresh server.
    fn run(&self, script: &[Message], pace: &Pace) -> Result<SessionRun, ServerError>;
}

/// Time limits of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    /// Factor by which limits are longer than the alphabet's.
    pub patience: u32,
    /// Labels that are known to hang, and are waited for only for a part of the limit.
    pub hasty: Vec<String>,
}

impl Pace {
    /// Limits that are `patience` times as long as the alphabet's.
    pub fn of(patience: u32) -> Self {
        Self { patience, hasty: Vec::new() }
    }
}

/// Runs sessions in this process.
#[derive(Clone, Copy, Debug)]
pub struct Direct<'a> {
    /// The server.
    pub command: &'a ServerCommand,
    /// The alphabet.
    pub alphabet: &'a Alphabet,
}

impl SessionRunner for Direct<'_> {
    fn run(&self, script: &[Message], pace: &Pace) -> Result<SessionRun, ServerError> {
        if pace.patience == 1 {
            return session::run_hastily(self.command, self.alphabet, script, &pace.hasty);
        }
        let patience = self.command.patience * pace.patience;
        let patient = ServerCommand { patience, ..self.command.clone() };
        session::run_hastily(&patient, self.alphabet, script, &pace.hasty)
    }
}

/// A request for a session.
#[derive(Serialize, Deserialize)]
struct Asked {
    pace: Pace,
    script: Vec<Message>,
}

/// The answer to it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Told {
    Run(SessionRun),
    Error { message: String, help: String },
}

/// Answers requests for sessions until there are no more.
pub fn answer_all(
    runner: &impl SessionRunner,
    input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    for line in input.lines() {
        let told = match serde_json::from_str::<Asked>(&line?) {
            Ok(asked) => match runner.run(&asked.script, &asked.pace) {
                Ok(run) => Told::Run(run),
                Err(error) => {
                    let help = error.help().map(|help| help.to_string()).unwrap_or_default();
                    Told::Error { message: error.to_string(), help }
                }
            },
            Err(error) => Told::Error { message: format!("no request: {error}"), help: String::new() },
        };
        let line = serde_json::to_string(&told).map_err(io::Error::other)?;
        writeln!(output, "{line}")?;
        output.flush()?;
    }
    Ok(())
}

/// Runs sessions in another process, which is started again when it fails.
pub struct Confined<'a> {
    start: Box<dyn Fn() -> io::Result<Child> + 'a>,
    alphabet: &'a Alphabet,
    process: Mutex<Option<Process>>,
}

struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // Its sandbox ends everything that it started.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Time that starting the process and its sandbox may take.
const START: Duration = Duration::from_secs(20);

impl<'a> Confined<'a> {
    /// A runner whose processes `start` starts, with pipes for standard input and output.
    pub fn new(alphabet: &'a Alphabet, start: impl Fn() -> io::Result<Child> + 'a) -> Self {
        Self { start: Box::new(start), alphabet, process: Mutex::new(None) }
    }

    fn process(&self) -> io::Result<Process> {
        let mut child = (self.start)()?;
        let missing = || io::Error::other("a stream is missing");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let (send, lines) = channel();
        thread::Builder::new().name("sessions".to_owned()).spawn(move || {
            for line in BufReader::new(output).lines() {
                // Nobody waits for a line after the process was given up.
                if line.map(|line| send.send(line)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Process { child, input, lines })
    }

    /// Longest time of a session: every message, and what prepares it, as slow as it may be.
    fn limit(&self, messages: usize, patience: u32) -> Duration {
        let rules = &self.alphabet.session;
        let each = rules.answer_limit * 4;
        START + (rules.start_limit * 2 + each * (messages as u32 + 1)) * patience
    }
}

impl SessionRunner for Confined<'_> {
    fn run(&self, script: &[Message], pace: &Pace) -> Result<SessionRun, ServerError> {
        let gone = |reason: &str| ServerError::Sandbox {
            message: format!("the process that runs sessions in the sandbox {reason}"),
            help: "run without a sandbox, if you trust the server: --unsafe-no-sandbox".to_owned(),
        };
        let mut held = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let mut process = match held.take() {
            Some(process) => process,
            None => self.process().map_err(|error| gone(&format!("does not start: {error}")))?,
        };
        let asked = Asked { pace: pace.clone(), script: script.to_vec() };
        let line = serde_json::to_string(&asked).map_err(|error| gone(&error.to_string()))?;
        writeln!(process.input, "{line}").and_then(|()| process.input.flush()).map_err(|_| gone("ended"))?;
        let limit = self.limit(script.len(), pace.patience);
        let answer = process.lines.recv_timeout(limit).map_err(|_| gone("ended or does not answer"))?;
        match serde_json::from_str(&answer) {
            Ok(told) => {
                *held = Some(process);
                match told {
                    Told::Run(run) => Ok(run),
                    Told::Error { message, help } => Err(ServerError::Sandbox { message, help }),
                }
            }
            Err(error) => Err(gone(&format!("answers nonsense: {error}"))),
        }
    }
}
