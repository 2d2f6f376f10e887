//! The client: runs batches of sequences, and starts the adapter again when one hangs or kills it.
//!
//! Lines are written ahead, so that the adapter never waits for adit. The line without an answer is the
//! culprit. Its sequence is run once more in a new process with one request in each line, which finds the
//! call; if all goes well this time, the machine was only slow, and the answers count.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::description::{self, Described};
use crate::error::{AdapterError, Exchange, Fault};
use crate::message::{self, AdapterCall, Answered, CallAnswer, Request, Sequence, SequenceEnd};
use crate::process::{Launch, Process, Received};

/// Time and memory that an adapter may take.
#[derive(Clone, Copy, Debug)]
pub struct AdapterLimits {
    /// Time from the start of the process to its description.
    pub start: Duration,
    /// Time for one line, unless the description asks for more.
    pub line: Duration,
    /// Bytes of a line that the adapter writes.
    pub largest_line: usize,
    /// Lines that are written ahead of the answers.
    pub ahead: usize,
}

impl AdapterLimits {
    /// The limits of the protocol, with this time for one line.
    pub fn new(line: Duration) -> Self {
        Self { start: Duration::from_secs(20), line, largest_line: 4 << 20, ahead: 64 }
    }
}

/// Processes in a row that may end without having answered a single sequence.
const TRIES: u32 = 3;

/// An adapter: a process that is started again when it has to be.
pub struct Adapter {
    launch: Launch,
    subject: String,
    limits: AdapterLimits,
    described: Described,
    /// Nothing after a process ended and before the next is needed.
    process: Option<Running>,
    /// Processes that were started.
    starts: u64,
    /// Processes in a row that ended without an answer.
    fruitless: u32,
    /// Processes that hung or died, and how the last one did.
    faults: u64,
    last_fault: Option<Fault>,
}

/// A process and the lines that it owes answers to.
struct Running {
    process: Process,
    next: u64,
    open: VecDeque<Question>,
    /// It answered a sequence.
    is_proven: bool,
}

/// A line that was sent.
struct Question {
    id: u64,
    requests: usize,
    line: String,
}

/// Result of waiting for the answers to the oldest open question.
enum Waited {
    Answers(Vec<Map<String, Value>>),
    TimedOut,
    Died(String),
    /// The deadline of the caller came first.
    Late,
}

impl Adapter {
    /// Starts an adapter and has it describe its subject.
    pub fn start(launch: &Launch, subject: &str, limits: AdapterLimits) -> Result<Self, AdapterError> {
        Self::start_with(launch, subject, limits, None)
    }

    /// Starts another process of an adapter that described its subject already.
    pub fn start_another(&self) -> Result<Self, AdapterError> {
        Self::start_with(&self.launch, &self.subject, self.limits, self.described.memo.as_ref())
    }

    fn start_with(
        launch: &Launch,
        subject: &str,
        limits: AdapterLimits,
        memo: Option<&Value>,
    ) -> Result<Self, AdapterError> {
        let (process, described) = begin(launch, subject, limits, memo)?;
        let mut limits = limits;
        // It can describe its subject, so a later process that takes longer runs on a busy machine, and the
        // campaign need not end.
        limits.start *= 3;
        if let Some(seconds) = described.seconds {
            limits.line = limits.line.max(Duration::from_secs_f64(seconds));
        }
        Ok(Self {
            launch: launch.clone(),
            subject: subject.to_owned(),
            limits,
            described,
            process: Some(process),
            starts: 1,
            fruitless: 0,
            faults: 0,
            last_fault: None,
        })
    }

    /// Operations, values and remarks that the adapter described.
    pub fn description(&self) -> &Described {
        &self.described
    }

    /// Number of processes that were started so far.
    pub fn starts(&self) -> u64 {
        self.starts
    }

    /// Number of processes that hung or died so far.
    pub fn faults(&self) -> u64 {
        self.faults
    }

    /// The end of the last process that hung or died.
    pub fn last_fault(&self) -> Option<&Fault> {
        self.last_fault.as_ref()
    }

    /// Ends the process. The next sequence starts another one.
    pub fn restart(&mut self) {
        self.process = None;
    }

    /// Runs every sequence and answers in the same order. Those that `until` comes before are not run.
    pub fn run(&mut self, batch: &[Sequence], until: Option<Instant>) -> Result<Vec<Answered>, AdapterError> {
        self.run_limited(batch, until, None)
    }

    /// The same; after so many hangs and deaths, the rest of the batch is not run.
    pub fn run_limited(
        &mut self,
        batch: &[Sequence],
        until: Option<Instant>,
        bad_ends: Option<usize>,
    ) -> Result<Vec<Answered>, AdapterError> {
        let mut bad = 0;
        let mut answered: Vec<Answered> = Vec::with_capacity(batch.len());
        let mut sent = 0;
        while answered.len() < batch.len() {
            if until.is_some_and(|until| Instant::now() >= until) {
                // Answers to lines that were written ahead would come out of turn.
                self.process = None;
                break;
            }
            let (states, limits) = (self.described.state, self.limits);
            let one_object = self.described.starts.is_empty();
            let running = self.running()?;
            while sent < batch.len() && running.open.len() < limits.ahead {
                running.ask(&requests(&batch[sent], states, one_object));
                sent += 1;
            }
            let asked = &batch[answered.len()];
            match running.wait(limits.line, until).map_err(|what| self.broken(what))? {
                Waited::Answers(answers) => {
                    self.prove();
                    let one = read(answers, asked, states).map_err(|what| self.broken(what))?;
                    answered.push(one);
                }
                Waited::Late => {}
                Waited::TimedOut | Waited::Died(_) => {
                    self.end()?;
                    let one = self.one_by_one(asked, until)?;
                    bad += usize::from(one.end.is_bad());
                    answered.push(one);
                    // What was written ahead went down with the process.
                    sent = answered.len();
                    if bad_ends.is_some_and(|most| bad >= most) {
                        break;
                    }
                }
            }
        }
        answered.resize_with(batch.len(), || Answered { answers: Vec::new(), end: SequenceEnd::NotRun });
        Ok(answered)
    }

    /// Runs a sequence with one request in each line, to find the call that hangs or kills the process.
    fn one_by_one(&mut self, sequence: &Sequence, until: Option<Instant>) -> Result<Answered, AdapterError> {
        let (states, limits) = (self.described.state, self.limits);
        let one_object = self.described.starts.is_empty();
        let mut answers = Vec::new();
        let mut done = 0;
        for request in requests(sequence, states, one_object) {
            let running = self.running()?;
            running.ask(&[request]);
            match running.wait(limits.line, until).map_err(|what| self.broken(what))? {
                Waited::Answers(mut answer) => {
                    self.prove();
                    done += 1;
                    answers.append(&mut answer);
                    // After a call that blocks, no further one is made.
                    if answers.last().is_some_and(blocks) {
                        break;
                    }
                }
                Waited::Late => {
                    self.process = None;
                    return Ok(Answered { answers: Vec::new(), end: SequenceEnd::NotRun });
                }
                ended => {
                    // A process that answered the line before is no fruitless one.
                    self.end()?;
                    if done == 0 {
                        // A reset is no call to blame. A few of these in a row are an error.
                        return self.one_by_one(sequence, until);
                    }
                    let end = match ended {
                        Waited::Died(how) => SequenceEnd::Died { how },
                        _ => SequenceEnd::TimedOut,
                    };
                    answers.truncate(done);
                    let read = read(answers, sequence, states).map_err(|what| self.broken(what))?;
                    return Ok(Answered { end, ..read });
                }
            }
        }
        read(answers, sequence, states).map_err(|what| self.broken(what))
    }

    /// The calls as source text, if the adapter can write it.
    pub fn render(&mut self, calls: &[AdapterCall]) -> Result<Option<String>, AdapterError> {
        if !self.described.render {
            return Ok(None);
        }
        let limit = self.limits.line;
        let running = self.running()?;
        running.ask(&[Request::Render(calls)]);
        match running.wait(limit, None).map_err(|what| self.broken(what))? {
            Waited::Answers(answers) => {
                let mut answer = answers.into_iter().next().unwrap_or_default();
                message::text(&mut answer, "text").map_err(|what| self.broken(what))
            }
            _ => {
                self.end()?;
                Ok(None)
            }
        }
    }

    /// Asks the process to exit, and waits a moment for it.
    pub fn close(mut self) {
        if let Some(mut running) = self.process.take() {
            running.ask(&[Request::Close]);
            running.process.close();
        }
    }

    /// The process, started again if the last one ended.
    fn running(&mut self) -> Result<&mut Running, AdapterError> {
        if self.process.is_none() {
            let (running, _) = begin(&self.launch, &self.subject, self.limits, self.described.memo.as_ref())?;
            self.starts += 1;
            self.process = Some(running);
        }
        Ok(self.process.as_mut().expect("it was started above"))
    }

    /// Takes note of an answer.
    fn prove(&mut self) {
        self.fruitless = 0;
        self.process.iter_mut().for_each(|running| running.is_proven = true);
    }

    /// Ends a process that hangs or has died. Too many of them without an answer are an error.
    fn end(&mut self) -> Result<(), AdapterError> {
        let Some(mut running) = self.process.take() else { return Ok(()) };
        self.faults += 1;
        let exchange = *running.exchange();
        let how = match running.process.receive(Instant::now()) {
            Received::Ended(how) => how,
            _ => format!("did not answer a line within {} s", self.limits.line.as_secs_f64()),
        };
        let fault = self.last_fault.insert(Fault { how, exchange });
        if running.is_proven {
            return Ok(());
        }
        self.fruitless += 1;
        if self.fruitless < TRIES {
            return Ok(());
        }
        let fault = Box::new(fault.clone());
        Err(AdapterError::Unstable { command: self.launch.command.clone(), tries: TRIES, fault })
    }

    /// The error of an adapter that does not follow the protocol.
    fn broken(&self, what: String) -> AdapterError {
        let exchange = self.process.as_ref().map(Running::exchange).unwrap_or_default();
        AdapterError::Protocol { command: self.launch.command.clone(), what, exchange }
    }
}

/// Starts a process and has it describe its subject.
fn begin(
    launch: &Launch,
    subject: &str,
    limits: AdapterLimits,
    memo: Option<&Value>,
) -> Result<(Running, Described), AdapterError> {
    let command = || launch.command.clone();
    let process = Process::start(launch, limits.largest_line)
        .map_err(|source| AdapterError::Start { command: command(), source })?;
    let mut running = Running { process, next: 0, open: VecDeque::new(), is_proven: false };
    running.ask(&[Request::Describe { subject, memo }]);
    let waited = running.wait(limits.start, None).map_err(|what| AdapterError::Protocol {
        command: command(),
        what,
        exchange: running.exchange(),
    })?;
    let subject = subject.to_owned();
    let mut answer = match waited {
        Waited::Answers(answers) => answers.into_iter().next().unwrap_or_default(),
        Waited::Died(how) => {
            let exchange = running.exchange();
            return Err(AdapterError::DiedEarly { command: command(), subject, how, exchange });
        }
        Waited::TimedOut | Waited::Late => {
            let (seconds, exchange) = (limits.start.as_secs(), running.exchange());
            return Err(AdapterError::SlowStart { command: command(), subject, seconds, exchange });
        }
    };
    if let Some(error) = answer.get("error") {
        let message = message::plain(error);
        let help = message::text(&mut answer, "help").unwrap_or_default();
        return Err(AdapterError::Refused { subject, message, help });
    }
    let described = description::read(answer).map_err(|what| AdapterError::Description {
        command: command(),
        subject,
        what,
    })?;
    Ok((running, described))
}

impl Running {
    fn ask(&mut self, requests: &[Request<'_>]) {
        let id = self.next;
        self.next += 1;
        let line = message::line(id, requests);
        self.process.send(line.clone());
        self.open.push_back(Question { id, requests: requests.len(), line });
    }

    /// Waits for the answers to the oldest open question.
    fn wait(&mut self, limit: Duration, until: Option<Instant>) -> Result<Waited, String> {
        let Some(question) = self.open.front() else { return Ok(Waited::Late) };
        let own = Instant::now() + limit;
        let waited = until.map_or(own, |until| until.min(own));
        match self.process.receive(waited) {
            Received::Line(line) => {
                let answers = message::answers(&line, question.id, question.requests)?;
                self.open.pop_front();
                if self.open.is_empty() && self.process.has_more() {
                    return Err("it wrote a line that nobody asked for".to_owned());
                }
                Ok(Waited::Answers(answers))
            }
            Received::Nonsense(what) => Err(what),
            Received::Ended(how) => Ok(Waited::Died(how)),
            Received::TimedOut if waited < own => Ok(Waited::Late),
            Received::TimedOut => Ok(Waited::TimedOut),
        }
    }

    fn exchange(&self) -> Box<Exchange> {
        Box::new(self.process.exchange(self.open.front().map(|question| question.line.as_str())))
    }
}

/// The requests of a sequence. If there is but `one_object`, it has no number.
fn requests(sequence: &Sequence, states: bool, one_object: bool) -> Vec<Request<'_>> {
    let mut requests = vec![Request::Reset];
    for (at, call) in sequence.calls.iter().enumerate() {
        requests.push(Request::Call(call));
        if states && sequence.states {
            requests.push(Request::State(call.on.or((!one_object).then_some(at))));
        }
    }
    requests
}

/// Tells whether an answer says that its call blocks.
fn blocks(answer: &Map<String, Value>) -> bool {
    answer.get("blocked") == Some(&Value::Bool(true))
}

/// The answers to the calls of a sequence, from those to its requests, of which the last may be missing.
fn read(answers: Vec<Map<String, Value>>, sequence: &Sequence, states: bool) -> Result<Answered, String> {
    let mut given: Vec<CallAnswer> = Vec::with_capacity(sequence.calls.len());
    let mut answers = answers.into_iter();
    if let Some(error) = answers.next().as_ref().and_then(|reset| reset.get("error")) {
        return Err(format!("it cannot reset: {}", message::plain(error)));
    }
    while let Some(answer) = answers.next() {
        let Some(mut call) = message::call_answer(answer, given.len())? else {
            return Ok(Answered { answers: given, end: SequenceEnd::Blocked });
        };
        if states && sequence.states {
            call.state = answers.next().map(message::state_answer).transpose()?.flatten();
        }
        given.push(call);
    }
    Ok(Answered { answers: given, end: SequenceEnd::Complete })
}
