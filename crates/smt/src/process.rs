//! A solver program at the other end of a pipe.
//!
//! The crate `easy-smt` speaks the same protocol, but it waits for an answer without a limit: a question that
//! the solver cannot decide would stop adit. Here two threads own the pipes, so that waiting has an end
//! whether the solver does not read, does not write, or writes for ever; it is then killed, and started again
//! for the next question. Every assignment that it gives is checked by evaluation before anybody sees it.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::arena::{Arena, Expr};
use crate::smtlib;
use crate::solver::{Answer, Model, Reason, Solver};

/// Names of the programs that [`Process`] can talk to, best first.
pub const COMMANDS: [&str; 2] = ["z3", "cvc5"];

/// Bytes after which what a solver prints is no answer any more. An assignment of a thousand variables is
/// a thousandth of it.
const MOST_OUTPUT: usize = 16 << 20;

/// Letters of nonsense that a message repeats.
const QUOTED: usize = 200;

/// Time that a solver gets for one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience(pub Duration);

/// A solver program, started when the first question comes and ended with this value.
#[derive(Debug)]
pub struct Process {
    program: PathBuf,
    patience: Patience,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    questions: Sender<String>,
    output: Receiver<Vec<u8>>,
    /// Output that was not used yet.
    pending: Vec<u8>,
    /// Number of questions asked, which makes each end mark unique.
    asked: u64,
}

impl Process {
    /// Prepares the solver `program`. A name that begins with `cvc5` gets the options of cvc5, any other one
    /// those of Z3.
    pub fn new(program: PathBuf, patience: Patience) -> Self {
        Self { program, patience, running: None }
    }

    /// Returns the program that answers.
    pub fn program(&self) -> &Path {
        &self.program
    }

    fn ask(&mut self, arena: &Arena, constraints: &[Expr], deadline: Instant) -> Result<Answer, Reason> {
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(Running::start(&self.program)?),
        };
        let limit = self.patience.0;
        let mut question = String::from("(push 1)\n");
        smtlib::assertions(arena, constraints, &mut question);
        question.push_str("(check-sat)\n");
        let verdict = running.say(question, deadline, limit)?;
        let answer = match verdict.trim() {
            "unsat" => Answer::Unsat,
            "unknown" => {
                let why = running.say("(get-info :reason-unknown)\n".to_owned(), deadline, limit)?;
                Answer::Unknown(Reason::Undecided(shortened(&why)))
            }
            "sat" => {
                let variables = smtlib::variables(arena, constraints);
                let values = if variables.is_empty() {
                    Vec::new()
                } else {
                    let names: Vec<String> = variables.iter().map(|var| format!("v{}", var.0)).collect();
                    let ask = format!("(get-value ({}))\n", names.join(" "));
                    let text = running.say(ask, deadline, limit)?;
                    smtlib::read_values(arena, &text, &variables)
                        .ok_or_else(|| Reason::Nonsense(shortened(&text)))?
                };
                checked(arena, constraints, values.into_iter().collect())
            }
            _ => return Err(Reason::Nonsense(shortened(&verdict))),
        };
        running.send("(pop 1)\n".to_owned());
        Ok(answer)
    }
}

impl Solver for Process {
    fn check(&mut self, arena: &mut Arena, constraints: &[Expr]) -> Answer {
        let deadline = Instant::now() + self.patience.0;
        // A solver that answered before and is now gone did not die of this question.
        let was_running = self.running.is_some();
        loop {
            let again = was_running && self.running.is_some();
            match self.ask(arena, constraints, deadline) {
                Ok(answer) => return answer,
                Err(reason) => {
                    // Nobody knows what it would say next, so another one is started for the next question.
                    self.running = None;
                    if !(again && matches!(reason, Reason::Died(_))) {
                        return Answer::Unknown(reason);
                    }
                }
            }
        }
    }
}

impl Running {
    fn start(program: &Path) -> Result<Self, Reason> {
        let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let options: &[&str] = if name.starts_with("cvc5") {
            &["--incremental", "--lang=smt2", "--quiet"]
        } else {
            // Two gigabytes are far more than a question of a class needs, and less than most machines have.
            &["-in", "-smt2", "-memory:2048"]
        };
        let mut child = Command::new(program)
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| Reason::Died(format!("cannot start `{}`: {error}", program.display())))?;
        let mut stdin = child.stdin.take().expect("it was asked for");
        let mut stdout = child.stdout.take().expect("it was asked for");
        let (questions, to_write) = channel::<String>();
        thread::spawn(move || {
            for text in to_write {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        // Bounded, so that a program that prints for ever waits instead of filling the memory.
        let (to_read, output) = sync_channel::<Vec<u8>>(16);
        thread::spawn(move || {
            let mut chunk = vec![0; 1 << 16];
            while let Ok(length @ 1..) = stdout.read(&mut chunk) {
                if to_read.send(chunk[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        let running = Self { child, questions, output, pending: Vec::new(), asked: 0 };
        running.send("(set-option :produce-models true)\n(set-logic ALL)\n".to_owned());
        Ok(running)
    }

    /// Sends commands. If the solver no longer reads, it is dead or will be silent. Both show when the answer
    /// is read, the first with its exit code and its last words.
    fn send(&self, text: String) {
        let _ = self.questions.send(text);
    }

    /// Sends commands and returns everything that is printed until they are done.
    fn say(&mut self, mut commands: String, deadline: Instant, limit: Duration) -> Result<String, Reason> {
        self.asked += 1;
        let mark = format!("adit-{}", self.asked);
        commands.push_str(&format!("(echo \"{mark}\")\n"));
        self.send(commands);
        // Z3 prints the mark as it is, cvc5 in quotes. Both end the line.
        let ends = [format!("{mark}\n"), format!("\"{mark}\"\n")];
        let (mut line_start, mut searched) = (0, 0);
        loop {
            if let Some(end) = self.pending[searched..].iter().position(|&byte| byte == b'\n') {
                let line_end = searched + end + 1;
                let line = &self.pending[line_start..line_end];
                if ends.iter().any(|mark| mark.as_bytes() == line) {
                    let text = String::from_utf8_lossy(&self.pending[..line_start]).into_owned();
                    self.pending.drain(..line_end);
                    return Ok(text);
                }
                (line_start, searched) = (line_end, line_end);
                continue;
            }
            searched = self.pending.len();
            if self.pending.len() > MOST_OUTPUT {
                return Err(Reason::Nonsense(shortened(&String::from_utf8_lossy(&self.pending[..QUOTED]))));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(chunk) => self.pending.extend(chunk),
                Err(RecvTimeoutError::Timeout) => {
                    let said = shortened(&String::from_utf8_lossy(&self.pending));
                    return Err(if begins_an_answer(&said) {
                        Reason::TimedOut(limit)
                    } else {
                        Reason::Nonsense(said)
                    });
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let said = shortened(&String::from_utf8_lossy(&self.pending));
                    let status =
                        self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                    return Err(Reason::Died(if said.is_empty() {
                        status
                    } else {
                        format!("{status}: {said}")
                    }));
                }
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already. Waiting is what removes it from the table of processes.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answer `Sat`, if the constraints are really true under `model`.
fn checked(arena: &Arena, constraints: &[Expr], model: Model) -> Answer {
    match arena.satisfies(&model, constraints) {
        Ok(true) => Answer::Sat(model),
        Ok(false) => Answer::Unknown(Reason::BadModel("a constraint is false under it".to_owned())),
        Err(error) => Answer::Unknown(Reason::BadModel(error.to_string())),
    }
}

/// Returns true for output that a solver may still have been completing: nothing, a verdict or a list.
fn begins_an_answer(said: &str) -> bool {
    let word = said.trim_end_matches('…');
    word.starts_with('(') || ["", "sat", "unsat", "unknown"].contains(&word)
}

/// The first line, for a message, and not all of a long one.
fn shortened(text: &str) -> String {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.len() < text.len() => format!("{line}…"),
        None => line.to_owned(),
    }
}
