//! Sessions: a script of labels, run against a fresh server over real sockets. No read is without a limit.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
#[cfg(target_os = "linux")]
use std::os::linux::net::TcpStreamExt as _;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::alphabet::{Alphabet, AnswerClass, Framing, Hole, LabelKind, LocalAction, Transfer, WireLabel};
use crate::framing::{Cut, cut, dot_end, media};
use crate::script::{Message, shortened};
use crate::server::{Server, ServerCommand, ServerError, end_of};

/// A message and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The label, by its number.
    pub label: usize,
    /// The place of its message in the script; none for messages that prepare a data connection.
    pub message: Option<usize>,
    /// Bytes that were sent.
    pub sent: Vec<u8>,
    /// The last answer.
    pub answer: Vec<u8>,
    /// Its code; empty without an answer.
    pub code: String,
    /// Its class.
    pub class: AnswerClass,
    /// Number of bytes that the data connection gave.
    pub data: usize,
    /// Bytes that the server sent without being asked, before this message.
    pub unasked: Vec<u8>,
}

impl Exchange {
    /// Returns true for a message that the server read and did not answer.
    pub fn is_silent(&self, alphabet: &Alphabet) -> bool {
        let is_request = matches!(alphabet.labels[self.label].kind, LabelKind::Request(_));
        is_request && self.class == AnswerClass::Silent
    }
}

/// The end of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SessionEnd {
    /// All messages were answered.
    Finished,
    /// The server said goodbye, or a label closed the connection, after this many messages.
    Ended(usize),
    /// The server's process was killed by a signal, or ended with an exit code, during this message.
    Crashed {
        /// Place of the message in the script.
        message: usize,
        /// `SIGSEGV`, or `exit code 1`.
        how: String,
        /// The last line on standard error.
        said: String,
    },
    /// The server did not answer this message, nor any after it, and still runs.
    Hung {
        /// Place of the message in the script.
        message: usize,
        /// Bytes of an answer that was never completed.
        partial: Vec<u8>,
        /// The server has read everything and waits for more. Otherwise the limit was over.
        idle: bool,
    },
    /// The server closed the connection without an answer to this message, and still runs.
    Closed {
        /// Place of the message in the script.
        message: usize,
    },
    /// The server sent bytes that are no answer of the protocol.
    Malformed {
        /// Place of the message in the script.
        message: usize,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

/// A session that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRun {
    /// The exchanges, those that prepare a data connection included.
    pub exchanges: Vec<Exchange>,
    /// The end.
    pub end: SessionEnd,
    /// Edges that an instrumented server took.
    pub edges: Vec<u32>,
}

/// Most preliminary answers to one message.
const MOST_PRELIMINARY: usize = 16;

/// Most bytes that are received over a data connection.
const MOST_DATA: usize = 1 << 22;

/// Time until it is looked at whether a server that does not answer waits itself, and between such looks.
const FIRST_LOOK: Duration = Duration::from_millis(2);
/// Longest time between two looks.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Longest time that a crash takes to be noticed after the connection broke.
const UNTIL_DEAD: Duration = Duration::from_millis(200);

/// Starts a server and runs a script against it.
pub fn run(
    command: &ServerCommand,
    alphabet: &Alphabet,
    script: &[Message],
) -> Result<SessionRun, ServerError> {
    run_hastily(command, alphabet, script, &[])
}

/// Part of the limit that messages get which are known to hang.
const HASTE: u32 = 8;

/// Runs a script as [`run`] does, and gives the labels `hasty`, which are known to hang, an eighth of the
/// limit.
pub fn run_hastily(
    command: &ServerCommand,
    alphabet: &Alphabet,
    script: &[Message],
    hasty: &[String],
) -> Result<SessionRun, ServerError> {
    let mut session = Session::open(command, alphabet)?;
    session.hasty = hasty.iter().filter_map(|label| alphabet.label(label)).collect();
    let mut exchanges = Vec::new();
    let end = script.iter().enumerate().find_map(|(at, message)| session.send(at, message, &mut exchanges));
    // A server may die of the last message after it has answered.
    let end = end.or_else(|| session.death(script.len().checked_sub(1)?));
    let end = end.or_else(|| silence(&exchanges, alphabet)).unwrap_or(SessionEnd::Finished);
    Ok(SessionRun { exchanges, end, edges: session.server.finish() })
}

/// The end of a session whose last messages were not answered.
fn silence(exchanges: &[Exchange], alphabet: &Alphabet) -> Option<SessionEnd> {
    let unanswered = exchanges.iter().rev().take_while(|exchange| exchange.is_silent(alphabet));
    let message = unanswered.filter_map(|exchange| exchange.message).last()?;
    Some(SessionEnd::Hung { message, partial: Vec::new(), idle: true })
}

/// An open session: a server and a connection to it.
pub struct Session<'a> {
    alphabet: &'a Alphabet,
    server: Server,
    stream: TcpStream,
    received: Vec<u8>,
    variables: BTreeMap<String, String>,
    counters: BTreeMap<String, u64>,
    channel: Channel,
    limit: Duration,
    start_limit: Duration,
    /// Labels that are known to hang.
    hasty: Vec<usize>,
}

/// The data connection.
enum Channel {
    None,
    Connected(TcpStream),
    Listening(TcpListener),
}

/// The lack of an answer.
enum NoReply {
    /// The limit is over.
    Silent,
    /// The server waits for more.
    Idle,
    Closed,
    Malformed,
}

impl<'a> Session<'a> {
    /// Starts a server and waits for its greeting.
    pub fn open(command: &ServerCommand, alphabet: &'a Alphabet) -> Result<Self, ServerError> {
        let (server, stream) = Server::start(command, alphabet)?;
        let mut session = Self {
            alphabet,
            server,
            stream,
            received: Vec::new(),
            variables: BTreeMap::new(),
            counters: alphabet.counters.clone(),
            channel: Channel::None,
            limit: alphabet.session.answer_limit * command.patience,
            start_limit: alphabet.session.start_limit * command.patience,
            hasty: Vec::new(),
        };
        session.greet()?;
        Ok(session)
    }

    fn greet(&mut self) -> Result<(), ServerError> {
        if !self.alphabet.session.banner {
            return Ok(());
        }
        let limit = self.start_limit;
        match self.reply(limit, false, false) {
            Ok(_) => Ok(()),
            Err(NoReply::Malformed) => Err(ServerError::NoBanner {
                how: format!(
                    "greeted with what is no answer of the protocol: `{}`",
                    shortened(&self.received)
                ),
            }),
            Err(NoReply::Closed) => match self.server.wait(UNTIL_DEAD) {
                Some(status) => Err(ServerError::NoBanner { how: end_of(status) }),
                None => Err(ServerError::NoBanner { how: "closed it without a greeting".to_owned() }),
            },
            Err(NoReply::Silent | NoReply::Idle) if self.received.is_empty() => {
                Err(ServerError::NoBanner { how: format!("sent no greeting for {} s", limit.as_secs_f64()) })
            }
            Err(NoReply::Silent | NoReply::Idle) => Err(ServerError::NoBanner {
                how: format!("stopped in the middle of its greeting: `{}`", shortened(&self.received)),
            }),
        }
    }

    /// Sends one message and adds its exchange. Returns the end if the session is over.
    pub fn send(
        &mut self,
        at: usize,
        message: &Message,
        exchanges: &mut Vec<Exchange>,
    ) -> Option<SessionEnd> {
        let alphabet = self.alphabet;
        let number = alphabet.label(&message.label)?;
        let label = &alphabet.labels[number];
        let LabelKind::Request(_) = label.kind else {
            return self.act(at, number, exchanges);
        };
        if matches!(self.channel, Channel::None) && !label.needs.is_empty() {
            let asked = message.prepare.as_deref().and_then(|name| alphabet.label(name));
            let prepare = asked.unwrap_or(label.needs[0]);
            let plain = Message::plain(&alphabet.labels[prepare].name);
            if let Some(end) = self.request(at, None, prepare, &plain, exchanges) {
                return Some(end);
            }
        }
        self.request(at, Some(at), number, message, exchanges)
    }

    /// The end of the server's process, if it died.
    fn death(&mut self, message: usize) -> Option<SessionEnd> {
        let how = self.server.crash()?;
        Some(SessionEnd::Crashed { message, how, said: self.server.last_words() })
    }

    /// The end of a session whose connection broke.
    fn broken(&mut self, message: usize) -> SessionEnd {
        self.server.wait(UNTIL_DEAD);
        self.death(message).unwrap_or(SessionEnd::Closed { message })
    }

    /// Runs a local label.
    fn act(&mut self, at: usize, number: usize, exchanges: &mut Vec<Exchange>) -> Option<SessionEnd> {
        exchanges.push(Exchange {
            label: number,
            message: Some(at),
            sent: Vec::new(),
            answer: Vec::new(),
            code: String::new(),
            class: AnswerClass::Silent,
            data: 0,
            unasked: Vec::new(),
        });
        let _ = self.stream.shutdown(Shutdown::Both);
        self.channel = Channel::None;
        match self.alphabet.labels[number].kind {
            LabelKind::Local(LocalAction::Reconnect) => {
                self.received.clear();
                self.variables.clear();
                match self.server.connect(self.start_limit) {
                    Ok(stream) => {
                        self.stream = stream;
                        self.greet().is_err().then(|| self.broken(at))
                    }
                    Err(_) => Some(self.broken(at)),
                }
            }
            _ => {
                // A moment for servers that die when their client leaves.
                self.server.wait(Duration::from_millis(5));
                Some(self.death(at).unwrap_or(SessionEnd::Ended(at + 1)))
            }
        }
    }

    fn request(
        &mut self,
        at: usize,
        place: Option<usize>,
        number: usize,
        message: &Message,
        exchanges: &mut Vec<Exchange>,
    ) -> Option<SessionEnd> {
        let label = &self.alphabet.labels[number];
        let unasked = self.drain();
        if label.transfer == Some(Transfer::Listen) {
            self.channel =
                TcpListener::bind((self.alphabet.session.host, 0)).map_or(Channel::None, Channel::Listening);
        }
        let sent = self.rendered(label, message);
        let exchange = Exchange {
            label: number,
            message: place,
            sent,
            answer: Vec::new(),
            code: String::new(),
            class: AnswerClass::Silent,
            data: 0,
            unasked,
        };
        exchanges.push(exchange);
        let exchange = exchanges.last_mut().expect("it was just added");
        // A server that has closed the connection may still have answered before.
        let broken = self.stream.write_all(&exchange.sent).is_err();
        let mut wanted = label.answers;
        let mut preliminary = 0;
        let mut transferred = false;
        // A server that waits for a data connection waits for no message.
        let watched = label.transfer.is_none() && matches!(self.channel, Channel::None);
        self.server.idleness().begin();
        while wanted > 0 {
            let haste = if self.hasty.contains(&number) { HASTE } else { 1 };
            let (answer, code) = match self.reply(self.limit / haste, watched, label.until_dot) {
                Ok(reply) => reply,
                Err(NoReply::Closed) => return Some(self.broken(at)),
                Err(_) if broken => return Some(self.broken(at)),
                Err(NoReply::Malformed) => {
                    let bytes = std::mem::take(&mut self.received);
                    return Some(SessionEnd::Malformed { message: at, bytes });
                }
                // The session goes on: a server that reads a text answers at its end.
                Err(NoReply::Idle) if self.received.is_empty() && exchange.code.is_empty() => return None,
                Err(no_reply) => {
                    let partial = std::mem::take(&mut self.received);
                    let idle = matches!(no_reply, NoReply::Idle);
                    let end = self.death(at);
                    return Some(end.unwrap_or(SessionEnd::Hung { message: at, partial, idle }));
                }
            };
            self.capture(&answer, &code);
            exchange.class = self.alphabet.answers.class_of(&code);
            (exchange.answer, exchange.code) = (answer, code);
            if exchange.class == AnswerClass::Preliminary && preliminary < MOST_PRELIMINARY {
                preliminary += 1;
                if !transferred {
                    exchange.data = self.transfer(label, message);
                    transferred = true;
                }
                continue;
            }
            wanted -= 1;
        }
        if let Some(time) = label.settle {
            self.settle(time);
        }
        if matches!(label.transfer, Some(Transfer::Down | Transfer::Up(_))) {
            self.channel = Channel::None;
        }
        if let Some(Transfer::Connect(variable)) = &label.transfer
            && exchange.class.is_success()
        {
            self.channel = self.connect_data(variable);
        }
        if self.alphabet.answers.ends_session(&exchange.code) || label.ends && exchange.class.is_success() {
            return Some(SessionEnd::Ended(at + 1));
        }
        None
    }

    /// The bytes of a message.
    fn rendered(&mut self, label: &WireLabel, message: &Message) -> Vec<u8> {
        if let Some(wire) = &message.wire {
            return wire.0.clone();
        }
        let LabelKind::Request(template) = &label.kind else { return Vec::new() };
        template.fill(|hole| self.value(hole, message))
    }

    fn value(&mut self, hole: &Hole, message: &Message) -> Vec<u8> {
        if let Some(pool) = &hole.pool {
            let chosen = message.fields.get(&hole.name).map(|value| value.0.clone());
            return chosen.unwrap_or_else(|| self.alphabet.pools[pool].values[0].1.clone());
        }
        if let Some(counter) = self.counters.get_mut(&hole.name) {
            let now = *counter;
            *counter += 1;
            return now.to_string().into_bytes();
        }
        let listening = match &self.channel {
            Channel::Listening(listener) => listener.local_addr().map_or(0, |address| address.port()),
            _ => 0,
        };
        let text = match hole.name.as_str() {
            "listen_port" => listening.to_string(),
            "listen_pair" => format!("127,0,0,1,{},{}", listening >> 8, listening & 255),
            "host" => self.server.address().ip().to_string(),
            "port" => self.server.address().port().to_string(),
            name => self.variables.get(name).cloned().unwrap_or_else(|| {
                let capture = self.alphabet.captures.iter().find(|capture| capture.name == name);
                capture.map(|capture| capture.default.clone()).unwrap_or_default()
            }),
        };
        text.into_bytes()
    }

    fn capture(&mut self, answer: &[u8], code: &str) {
        for capture in &self.alphabet.captures {
            if !capture.codes.is_empty() && !capture.codes.iter().any(|pattern| pattern.fits(code)) {
                continue;
            }
            let text = String::from_utf8_lossy(answer);
            let Some(found) = capture.pattern.captures(&text) else { continue };
            let number = |name: &str| found.name(name)?.as_str().parse::<u32>().ok();
            let value = match (number("high"), number("low")) {
                (Some(high), Some(low)) => (high.saturating_mul(256).saturating_add(low)).to_string(),
                _ => found.get(1).map_or("", |group| group.as_str()).to_owned(),
            };
            self.variables.insert(capture.name.clone(), value);
        }
    }

    /// Connects to a port that an answer named, on the server's own address and no other.
    fn connect_data(&mut self, variable: &str) -> Channel {
        let port = self.variables.get(variable).and_then(|port| port.parse::<u16>().ok());
        let Some(port) = port else { return Channel::None };
        let address = SocketAddr::new(self.server.address().ip(), port);
        TcpStream::connect_timeout(&address, self.limit).map_or(Channel::None, Channel::Connected)
    }

    /// Moves bytes over the data connection, and returns how many came. The channel is used up.
    fn transfer(&mut self, label: &WireLabel, message: &Message) -> usize {
        let up = match &label.transfer {
            Some(Transfer::Down) => None,
            Some(Transfer::Up(pool)) => {
                let chosen = message.payload.as_ref().map(|bytes| bytes.0.clone());
                Some(chosen.unwrap_or_else(|| self.alphabet.pools[pool].values[0].1.clone()))
            }
            _ => return 0,
        };
        let stream = match std::mem::replace(&mut self.channel, Channel::None) {
            Channel::None => return 0,
            Channel::Connected(stream) => stream,
            Channel::Listening(listener) => match accept(&listener, self.limit) {
                Some(stream) => stream,
                None => return 0,
            },
        };
        let mut stream = stream;
        let deadline = Instant::now() + self.limit;
        let _ = stream.set_write_timeout(Some(self.limit));
        if let Some(bytes) = up {
            // The answer on the control connection tells what the server made of it.
            let _ = stream.write_all(&bytes);
            let _ = stream.shutdown(Shutdown::Write);
            return 0;
        }
        let mut came = 0;
        let mut block = [0; 4096];
        while came < MOST_DATA {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
                break;
            }
            match stream.read(&mut block) {
                Ok(0) | Err(_) => break,
                Ok(count) => came += count,
            }
        }
        came
    }

    /// Drops whole answers until none comes for as long as `quiet`.
    fn settle(&mut self, quiet: Duration) {
        let until = Instant::now() + self.limit;
        // What is no whole answer stays, and the next message meets it.
        while Instant::now() < until && self.reply(quiet, true, false).is_ok() {}
    }

    /// Takes what came without a question.
    fn drain(&mut self) -> Vec<u8> {
        let mut block = [0; 4096];
        if self.stream.set_nonblocking(true).is_ok() {
            while let Ok(count @ 1..) = self.stream.read(&mut block) {
                self.received.extend_from_slice(&block[..count]);
                self.skip_media();
                if self.received.len() > MOST_DATA {
                    break;
                }
            }
            let _ = self.stream.set_nonblocking(false);
        }
        // The rest of a frame of media is still to come, and an answer after it.
        if self.alphabet.answers.framing == Framing::Headers && self.received.first() == Some(&b'$') {
            return Vec::new();
        }
        std::mem::take(&mut self.received)
    }

    /// Drops frames of media, which nobody asked for and nobody looks at.
    fn skip_media(&mut self) {
        let length = media(self.alphabet.answers.framing, &self.received);
        self.received.drain(..length);
    }

    /// Waits for one whole answer, no longer than `limit`, or until a server that is `watched` waits itself.
    /// After a success, the answer may go on `until_dot`.
    fn reply(
        &mut self,
        limit: Duration,
        watched: bool,
        until_dot: bool,
    ) -> Result<(Vec<u8>, String), NoReply> {
        let deadline = Instant::now() + limit;
        let mut pause = FIRST_LOOK;
        let mut block = [0; 4096];
        loop {
            self.skip_media();
            let rules = &self.alphabet.answers;
            let found = match cut(rules.framing, &self.received) {
                Cut::Complete(length, code) if until_dot && rules.class_of(&code).is_success() => {
                    dot_end(&self.received, length).map_or(Cut::Incomplete, |end| Cut::Complete(end, code))
                }
                found => found,
            };
            match found {
                Cut::Complete(length, code) => {
                    let rest = self.received.split_off(length);
                    return Ok((std::mem::replace(&mut self.received, rest), code));
                }
                Cut::Malformed => return Err(NoReply::Malformed),
                Cut::Incomplete => {}
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let wait = if watched { left.min(pause) } else { left };
            if left.is_zero() || self.stream.set_read_timeout(Some(wait)).is_err() {
                return Err(NoReply::Silent);
            }
            // A server that answers in several small pieces may not send one before the last is acknowledged.
            #[cfg(target_os = "linux")]
            let _ = self.stream.set_quickack(true);
            match self.stream.read(&mut block) {
                Ok(0) => return Err(NoReply::Closed),
                Ok(count) => self.received.extend_from_slice(&block[..count]),
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::WouldBlock | ErrorKind::TimedOut if wait == left => {
                        return Err(NoReply::Silent);
                    }
                    ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                        if self.waits_for_more() && !self.has_input() {
                            return Err(NoReply::Idle);
                        }
                        // A server that computes is looked at less and less often.
                        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
                    }
                    _ => return Err(NoReply::Closed),
                },
            }
        }
    }

    /// Tells whether the server has read everything and waits for more.
    fn waits_for_more(&mut self) -> bool {
        let (Ok(server), Ok(client)) = (self.stream.peer_addr(), self.stream.local_addr()) else {
            return false;
        };
        self.server.idleness().look(server, client)
    }

    /// Tells whether something came after all: the server may have answered just before it was looked at.
    fn has_input(&self) -> bool {
        let nonblocking = self.stream.set_nonblocking(true).is_ok();
        let came = nonblocking && self.stream.peek(&mut [0]).is_ok();
        let _ = self.stream.set_nonblocking(false);
        came
    }
}

/// Waits for a client, no longer than `limit`.
fn accept(listener: &TcpListener, limit: Duration) -> Option<TcpStream> {
    listener.set_nonblocking(true).ok()?;
    let start = Instant::now();
    while start.elapsed() < limit {
        match listener.accept() {
            Ok((stream, _)) => return stream.set_nonblocking(false).ok().map(|()| stream),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_micros(500));
            }
            Err(_) => return None,
        }
    }
    None
}
