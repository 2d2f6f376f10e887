//! Alphabets: what the labels of a model mean on the wire of a protocol.
//!
//! An alphabet file says for each label which bytes to send, where its arguments come from, how an answer is
//! cut out of the stream and what class it has, what later messages need of it, and what a transfer does
//! beside the control connection. `docs/alphabets.md` describes the format; [`read`] reads it.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use regex::Regex;

mod class;
mod fields;
mod read;
mod template;

pub use class::{AnswerClass, CodePattern};
pub use fields::AlphabetError;
pub use read::read;
pub use template::{Hole, TemplatePart, WireTemplate};

/// Everything that an alphabet file says.
#[derive(Clone, Debug)]
pub struct Alphabet {
    /// Name of the protocol.
    pub protocol: String,
    /// Rules for starting, resetting and ending a session.
    pub session: SessionRules,
    /// Rules for cutting answers out of a stream, and for judging them.
    pub answers: AnswerRules,
    /// Pools of argument values by name.
    pub pools: BTreeMap<String, Pool>,
    /// Values of several pools that belong together, such as users and their passwords.
    pub tuples: Vec<Tuples>,
    /// Variables that answers set.
    pub captures: Vec<Capture>,
    /// Numbers that grow with each use, by name, with their first value.
    pub counters: BTreeMap<String, u64>,
    /// The labels, in the order of the file.
    pub labels: Vec<WireLabel>,
    /// Events of mined clients that send nothing.
    pub silent_events: Vec<String>,
}

impl Alphabet {
    /// Returns the number of the label with this name.
    pub fn label(&self, name: &str) -> Option<usize> {
        self.labels.iter().position(|label| label.name == name)
    }

    /// Returns the number of the label that a mined event stands for.
    pub fn label_of_event(&self, event: &str) -> Option<usize> {
        self.labels
            .iter()
            .position(|label| label.name == event || label.events.iter().any(|known| known == event))
    }

    /// Returns the rows of values in which the pool takes part, and its place in each row.
    pub fn tuples_of(&self, pool: &str) -> Option<(usize, usize)> {
        self.tuples
            .iter()
            .enumerate()
            .find_map(|(at, tuples)| Some((at, tuples.pools.iter().position(|known| known == pool)?)))
    }
}

/// Rules for starting, resetting and ending a session.
#[derive(Clone, Debug)]
pub struct SessionRules {
    /// The address of the server, always of this machine.
    pub host: IpAddr,
    /// Its port, unless the server command has `{port}`.
    pub port: Option<u16>,
    /// The server speaks first.
    pub banner: bool,
    /// Longest time from starting the server until it accepts a connection.
    pub start_limit: Duration,
    /// Longest time until an answer is complete.
    pub answer_limit: Duration,
    /// Command, run by the shell in the folder of the session before the server starts.
    pub reset: Option<String>,
    /// Name of the model's state in which a session starts, if it is not the initial one.
    pub start_state: Option<String>,
    /// Files in the folder of the server when a session starts.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Rules for cutting answers out of a stream, and for judging them.
#[derive(Clone, Debug)]
pub struct AnswerRules {
    /// Form of an answer.
    pub framing: Framing,
    /// Classes with the patterns of their codes, in the order of the file.
    pub classes: Vec<(AnswerClass, Vec<CodePattern>)>,
    /// Codes after which the server ends the session.
    pub ends: Vec<CodePattern>,
    /// An error leaves the state as it was, unless a label says otherwise.
    pub error_keeps_state: bool,
}

impl AnswerRules {
    /// Returns the class of a code.
    pub fn class_of(&self, code: &str) -> AnswerClass {
        let known = self.classes.iter().find(|(_, codes)| codes.iter().any(|pattern| pattern.fits(code)));
        known.map_or(AnswerClass::Other, |(class, _)| *class)
    }

    /// Returns true if the server ends the session after this code.
    pub fn ends_session(&self, code: &str) -> bool {
        self.ends.iter().any(|pattern| pattern.fits(code))
    }
}

/// Form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Lines that begin with a code of three digits; all but the last have a `-` after it (FTP, SMTP).
    CodeLines,
    /// A status line, headers, an empty line, and a body of `Content-Length` bytes (RTSP, HTTP, SIP).
    Headers,
    /// One line, whose first word is the code (POP3).
    Line,
}

/// Purpose of a value in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The server should accept it.
    Valid,
    /// The server should refuse it.
    Wrong,
    /// Empty, long, zero, negative, huge.
    Boundary,
    /// Words of the protocol, for the place where no one expects them.
    Dictionary,
}

impl Role {
    /// All roles, the usual one first.
    pub const ALL: [Self; 4] = [Self::Valid, Self::Wrong, Self::Boundary, Self::Dictionary];

    /// Name in alphabet files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Wrong => "wrong",
            Self::Boundary => "boundary",
            Self::Dictionary => "dictionary",
        }
    }
}

/// Changes that a fuzzer may make to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutationRight {
    /// Only values of the pool.
    Never,
    /// Values of every role, but no changed bytes.
    Dictionary,
    /// Any bytes.
    Bytes,
}

/// Values for one kind of argument.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Values with their roles; the first one is valid.
    pub values: Vec<(Role, Vec<u8>)>,
    /// Changes that a fuzzer may make, unless a label says otherwise.
    pub mutate: MutationRight,
}

impl Pool {
    /// Values with this role.
    pub fn of_role(&self, role: Role) -> impl Iterator<Item = &[u8]> {
        self.values.iter().filter(move |(own, _)| *own == role).map(|(_, value)| value.as_slice())
    }
}

/// Rows of values that belong together.
#[derive(Clone, Debug)]
pub struct Tuples {
    /// The pools, one for each place in a row.
    pub pools: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Vec<u8>>>,
}

/// A variable that an answer sets.
#[derive(Clone, Debug)]
pub struct Capture {
    /// Name of the variable.
    pub name: String,
    /// Codes of answers that set it.
    pub codes: Vec<CodePattern>,
    /// Pattern with groups `high` and `low` of a port in two bytes, or with one group.
    pub pattern: Regex,
    /// Text while no answer has set it.
    pub default: String,
}

/// Purpose of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelKind {
    /// Sends a message and waits for the answer.
    Request(WireTemplate),
    /// Does something on this side of the connection.
    Local(LocalAction),
}

/// Action on this side of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalAction {
    /// Closes the connection, which ends the session.
    Close,
    /// Closes the connection and opens a new one to the same server.
    Reconnect,
}

/// Use of a data connection by a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// Connects to the port in this variable when the answer has set it, and keeps the connection.
    Connect(String),
    /// Listens for the server before the message is sent; `{listen_pair}` and `{listen_port}` name the port.
    Listen,
    /// Receives bytes over the data connection.
    Down,
    /// Sends bytes of this pool over the data connection.
    Up(String),
}

/// One label of the alphabet.
#[derive(Clone, Debug)]
pub struct WireLabel {
    /// Its name.
    pub name: String,
    /// Mined events that it stands for, besides its own name.
    pub events: Vec<String>,
    /// Its purpose.
    pub kind: LabelKind,
    /// Labels of which one is sent before, unless a data connection is open.
    pub needs: Vec<usize>,
    /// Use of a data connection.
    pub transfer: Option<Transfer>,
    /// Number of answers after which the message is answered; preliminary ones do not count.
    pub answers: u32,
    /// Time to wait after the last answer for more of them, which are dropped: some servers answer each line
    /// of a message of several lines.
    pub settle: Option<Duration>,
    /// After a success come more lines, up to one that is a single dot (POP3's `LIST`).
    pub until_dot: bool,
    /// A success ends the session.
    pub ends: bool,
    /// An error leaves the state as it was; none means as [`AnswerRules::error_keeps_state`] says.
    pub error_keeps_state: Option<bool>,
    /// Mutation rights of fields that differ from those of their pools.
    pub mutate: BTreeMap<String, MutationRight>,
    /// Bytes outside of fields may be changed too.
    pub mutate_wire: bool,
    /// Never sent.
    pub forbidden: bool,
    /// No client was seen to use it.
    pub unseen: bool,
    /// Line in the file.
    pub line: usize,
}

impl WireLabel {
    /// Fields of the message that are filled from pools.
    pub fn holes(&self) -> impl Iterator<Item = &Hole> {
        let template = match &self.kind {
            LabelKind::Request(template) => Some(template),
            LabelKind::Local(_) => None,
        };
        template.into_iter().flat_map(WireTemplate::holes).filter(|hole| hole.pool.is_some())
    }

    /// Returns the changes that a fuzzer may make to a field.
    pub fn right(&self, hole: &Hole, alphabet: &Alphabet) -> MutationRight {
        let of_pool = || hole.pool.as_ref().and_then(|pool| alphabet.pools.get(pool)).map(|pool| pool.mutate);
        self.mutate.get(&hole.name).copied().or_else(of_pool).unwrap_or(MutationRight::Never)
    }
}
