//! Any program as a subject: an adapter is a process that adit starts and that speaks JSON lines.
//!
//! [`Adapter`] is the client. It starts the process, asks it what can be called, and runs batches of
//! [`Sequence`]s: a reset and the calls after it. A learner of Mealy machines uses it directly; searches over
//! scripts use the `Subject` on top of it. `docs/adapters.md` is the protocol.
//!
//! | file | contents |
//! |---|---|
//! | `client` | the client: batches, time limits, starting the adapter again |
//! | `process` | one process: its streams, its last exchange, its end |
//! | `message` | requests and answers as JSON |
//! | `description` | the answer to `describe` |
//! | `subject` | scripts to sequences, answers to runs, over several processes |
//! | `author` | random scripts, and what is learned from their runs |
//! | `values` | values for parameters |
//! | `learning` | an adapter as the teacher of a Mealy machine |
//! | `error` | failures of an adapter |

mod author;
mod client;
mod description;
mod error;
mod learning;
mod message;
mod process;
mod subject;
mod values;

pub use author::{AdapterAuthor, AuthorOptions, Unreturned};
pub use client::{Adapter, AdapterLimits};
pub use description::{AdapterParameter, Described, OfferedCall, ParameterKind};
pub use error::{AdapterError, Exchange, Fault};
pub use learning::{
    AdapterTeacher, LAST_OUTPUTS, LearnerInput, inputs_of, learner_inputs, parse_input, parse_start,
};
pub use message::{AdapterCall, Answered, CallAnswer, CallOutcome, Sequence, SequenceEnd, Unmade};
pub use process::Launch;
pub use subject::{AdapterHost, readable};

/// Version of the protocol that this crate speaks.
pub const PROTOCOL: u32 = 1;
