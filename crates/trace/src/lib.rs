//! Calls, events, labels, scripts and runs, and the trace formats.
//!
//! An [`Event`] is a call with its outcome and, when recorded, the object's state. A [`Labels`] function,
//! chosen once outside every miner, turns events into labels; an [`Alphabet`] numbers the labels, and the
//! miners work on numbers.
//!
//! ```
//! use adit_trace::{Alphabet, Labels, Words, read};
//!
//! let log = "<START> open read:TRUE close <END>\n<START> open close <END>\n";
//! let (mut alphabet, mut words) = (Alphabet::new(), Words::new());
//! let options = read::Options::new(Labels::Outcome);
//! let summary = read::words(log.as_bytes(), "files.traces", None, &options, &mut alphabet, &mut words)?;
//! assert_eq!((summary.traces, summary.events), (2, 5));
//! assert_eq!(words.alphabet.names().collect::<Vec<_>>(), ["open", "read:TRUE", "close"]);
//! # Ok::<(), read::ReadError>(())
//! ```

mod alphabet;
mod author;
pub mod contradictions;
mod deal;
pub mod edit;
mod event;
mod event_json;
mod event_names;
mod format;
mod label;
mod pace;
pub mod read;
mod script;
mod slow_calls;
mod subject;
pub mod varint;
mod words;
pub mod write;

pub use alphabet::{Alphabet, Letter};
pub use author::{Author, Vocabulary};
pub use deal::deal;
pub use event::{CallSink, Details, Event, EventSink, ObservedCall, Outcome, State, Value, observed_calls};
pub use event_names::EventNames;
pub use format::{FORMATS, Format, FormatSpec, Part, UnknownFormat};
pub use label::{Label, Labels, overloads_of, pure_by_name};
pub use pace::{Limit, Pace, Phase, Progress, Stop, Unlimited};
pub use script::{
    Argument, CallKind, Callable, Digest, Effects, End, Life, Passed, Run, Script, ScriptError, Skip,
    Snapshot, Statement, Step, StepResult, ValueKind,
};
pub use slow_calls::SlowCalls;
pub use subject::{Depth, RunLimits, Subject};
pub use words::{Word, WordSink, Words};
